"""Sequences: what the leak of a gate may be, and the least score scale that keeps it there (rule R10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import BoundcalcError, Infeasible
from ..formulas.enclosure import less_equal, upper
from ..formulas.interval import largest
from ..formulas.symbols import symbol
from ..numbers.exact import round_down_significant, round_up_significant
from ..terms.codes import circle_gap
from .choice import AnyKeepsLeak, AsGiven, Choice, Cost, ExtremeValue, FromCodes, LargestAtToken, LeftOver, Order, Reason
from .sides import DIGITS, EPS, XI, numbers

LENGTH, LEAD, GAP, REACH = symbol("L"), symbol("nu"), symbol("g"), symbol("R")

Values = Mapping[str, Fraction]


def within_share(choice: Choice, share: Fraction) -> Choice:
    """A choice that was made for a part of ε, saying so."""
    part = {EPS: sp.Rational(share.numerator, share.denominator) * EPS}
    return replace(choice, why=_but_leaks(choice.why)).rewritten(lambda e: e.xreplace(part))


def _but_leaks(why: Reason) -> Reason:
    match why:
        case ExtremeValue(cost=Cost.TOTAL):
            return replace(why, cost=Cost.BUT_LEAKS)
        case AsGiven(needed=ExtremeValue(cost=Cost.TOTAL) as needed):
            return replace(why, needed=replace(needed, cost=Cost.BUT_LEAKS))
    return why


def choose_sequence(analysis: Analysis, given: Values) -> list[Choice]:
    """ξ, the reach of values, the gap of the codes, and the lead ν = βc."""
    leak = analysis.leak
    if leak is None or not analysis.leaks:
        return []
    choices: list[Choice] = []
    values = dict(given)

    def choose(choice: Choice) -> None:
        choices.append(choice)
        assert choice.value is not None
        values[choice.name] = choice.value

    if leak.by_code and analysis.codes == "circle":
        near = 2 * sp.pi ** 2 / LENGTH ** 2         # two of L points are that near
        choose(Choice("g", circle_gap(int(values["L"])), "searched", FromCodes(), bound=near,
                      growth=Order(LENGTH, Fraction(-2))))
    at = numbers(values)
    coefficient = analysis.error["leak"].radius.xreplace({XI: sp.S.One})
    base = max(upper(analysis.evaluable(side).xreplace({XI: sp.S.Zero}), at, 25)
               for side in (analysis.total.hi, -analysis.total.lo))
    if values["eps"] <= base:
        raise Infeasible("Nothing of eps is left to what leaks between tokens.", "Give a larger --eps.")
    xi = round_down_significant((values["eps"] - base) / upper(coefficient, at, 25), DIGITS)
    spent = largest(dict.fromkeys(side.xreplace({XI: sp.S.Zero}) for side in (analysis.total.hi, -analysis.total.lo)))
    choose(Choice("xi", xi, "closed", LeftOver(EPS), (EPS - spent) / coefficient, "down"))
    if leak.of_inputs:
        reach = round_up_significant(upper(analysis.evaluable(analysis.reach), numbers(values), 25), DIGITS)
        choose(Choice("R", reach, "closed", LargestAtToken(), analysis.reach, "up"))
    choose(_lead(analysis, values))
    if less_equal(leak_of_a_gate(analysis), XI, numbers(values)) is not True:
        raise BoundcalcError("The leak is not provably below its share.", "Please report this as a defect.")
    return choices


def _lead(analysis: Analysis, values: Values) -> Choice:
    at = numbers(values)
    if less_equal(_factor(analysis), XI, at) is True:           # no more than that can ever leak
        return Choice("nu", Fraction(1), "closed", AnyKeepsLeak(LEAD, XI), sp.S.One)
    rule = lead_rule(analysis)
    least = less_equal(rule, sp.S.One, at) is True
    lead = Fraction(1) if least else round_up_significant(upper(rule, at, 25), DIGITS)
    return Choice("nu", lead, "closed", ExtremeValue(LEAD, Cost.LEAK, XI, from_one=True),
                  sp.Max(1, rule, evaluate=False), "up")


def _factor(analysis: Analysis) -> Expr:
    assert analysis.leak is not None
    return 2 * REACH if analysis.leak.of_inputs else sp.S.One


def _gap(analysis: Analysis) -> Expr:
    assert analysis.leak is not None
    return GAP if analysis.leak.by_code and analysis.codes == "circle" else sp.S.One


def intruders(analysis: Analysis) -> Expr:
    assert analysis.leak is not None
    return LENGTH + analysis.leak.others


def lead_rule(analysis: Analysis) -> Expr:
    """The lead at which the leak of a gate is ξ."""
    return sp.log(intruders(analysis) * (_factor(analysis) / XI - 1)) / _gap(analysis)


def leak_of_a_gate(analysis: Analysis) -> Expr:
    """How much the other data tokens can add to the error of a gate (of a ramp of width 1, with anchors)."""
    x = intruders(analysis) * sp.exp(-LEAD * _gap(analysis))
    return _factor(analysis) * x / (1 + x)
