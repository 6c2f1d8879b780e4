"""The integers of a route: levels of a sawtooth by a closed rule, or what the route has its own rule for (pieces)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, NotDerivable, echo
from ..formulas.enclosure import less_equal
from ..formulas.interval import largest
from ..formulas.parameter import PieceRule
from ..formulas.series import ExpSum
from ..formulas.symbols import CeilLog, FloorLog, symbol
from ..numbers.exact import ceil_log, exact_text, floor_log
from .anchors import refuse_anchors
from .choice import AsGiven, Choice, ExtremeValue, FitsGiven, LeastStep, NothingAsksForIt, Order
from .inverse_temperature import refuse_beta
from .sides import (
    CELLS,
    EPS,
    Side,
    check_complete,
    check_room,
    fits,
    inputs_too_coarse,
    numbers,
    rational_value,
    sides_of,
)

SEARCH_LEVELS = 64      # each level gains a factor 4: after 64 more the interpolation error is beyond notice

Values = Mapping[str, Fraction]


def choose_integers(analysis: Analysis, given: Values) -> list[Choice]:
    """The route's own integers, and what follows from them: as given, or least for ε."""
    integers, pieces = analysis.how.chooses, analysis.construction.pieces(analysis.route)
    if "eps" not in given:
        supply = analysis.supply
        anchors = () if supply is None else tuple(filter(None, (supply.tokens, supply.heads)))
        beta = ("beta",) if analysis.uses_beta else ()
        check_complete((*integers, *anchors, *beta), given)
        found = [Choice(name, given[name], "given") for name in integers]
        return found + (_step(pieces, given, given[pieces.name], strict=False) if pieces else [])
    sides = sides_of(analysis)
    if pieces:
        return _pieces(pieces, analysis, sides, given)
    return [_integer(name, analysis, sides, given) for name in integers]


def integer_rules(analysis: Analysis) -> list[Choice]:
    integers, pieces = analysis.how.chooses, analysis.construction.pieces(analysis.route)
    sides = sides_of(analysis)
    if pieces:
        strict = any(s.has_gates for s in sides)
        return [Choice(pieces.name, None, "closed", _why(pieces.name, pieces.error, strict),
                       pieces.rule(strict)),
                Choice(pieces.step, None, "closed", LeastStep(symbol(pieces.name)), pieces.step_rule)]
    found = []
    for name in integers:
        for side in sides:
            if symbol(name) in side.free.free_symbols:
                strict = side.has_gates
                rule = _geometric(side.free, symbol(name)).rule(strict)
                found.append(Choice(name, None, "closed", _why(name, side.free, strict), rule))
    return found


def _why(name: str, cost: Expr, strict: bool) -> ExtremeValue:
    return ExtremeValue(symbol(name), cost, EPS, strict)


def _fixed_gates(values: Values) -> str | None:
    """The parameter that fixes how much the gates cost, if the user gave it."""
    return "beta" if "beta" in values else "cells" if "cells" in values else None


def _refuse_gates(analysis: Analysis, values: Values, name: str, tried: list[Values]) -> None:
    refuse = refuse_anchors if "cells" in values else refuse_beta
    refuse(analysis, values, name, tried)


# ---------------------------------------------------------------------------------------------------------------
# pieces: the route decides exactly how many, and with which step

def _pieces(pieces: PieceRule, analysis: Analysis, sides: list[Side], values: Values) -> list[Choice]:
    name = pieces.name
    strict = any(s.has_gates for s in sides)
    room = values["eps"] - rational_value(sides[0].free - pieces.error_in_step, numbers(values))
    if room <= 0:
        raise inputs_too_coarse(values["eps"] - room)
    within = {**values, "eps": room}
    least = pieces.least(within, strict)
    why = _why(name, pieces.error, strict)
    if name in values:
        if values[name] < least:
            raise Infeasible(f"{name} = {values[name]} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least}.")
        given = Choice(name, values[name], "given", AsGiven(why, least))
        return [given, *_step(pieces, within, values[name], strict)]
    if not _fixed_gates(values):
        return [Choice(name, Fraction(least), "closed", why, pieces.rule(strict)),
                *_step(pieces, within, Fraction(least), strict)]

    def works(count: int) -> bool:
        at = {**values, name: Fraction(count)}
        at |= {c.name: c.value for c in _step(pieces, within, Fraction(count), strict) if c.value is not None}
        at |= analysis.internal_values(at)
        return all(fits(analysis, s, at) for s in sides)

    found = _first(works, least)
    if found is None:
        fixed = [x for x in ("beta", "p", "n", "H") if x in values]
        raise Infeasible(f"With the given {' and '.join(fixed)} no number of pieces was found that meets eps.",
                         f"Leave out --{' and --'.join(fixed)} to have it derived.")
    gates = symbol("beta" if "beta" in values else analysis.supply.tokens if analysis.supply else "beta")
    return [Choice(name, Fraction(found), "searched", FitsGiven(symbol(name), gates, EPS, least=False)),
            *_step(pieces, within, Fraction(found), strict)]


def _first(works: Callable[[int], bool], least: int) -> int | None:
    """A number that works, next to one that does not, from `least` on in steps of a fifth. More pieces are not always
    better: with a fixed β the kinks of a finer grid are smeared out."""
    below, count = None, least
    for _ in range(SEARCH_LEVELS):
        if works(count):
            break
        below, count = count, count + max(1, count // 5)
    else:
        return None
    while below is not None and count - below > 1:
        middle = (below + count) // 2
        below, count = (below, middle) if works(middle) else (middle, count)
    return count


def _step(pieces: PieceRule, values: Values, count: Fraction, strict: bool) -> list[Choice]:
    value, exact = pieces.step_for(values, int(count), strict)
    return [Choice(pieces.step, value, "closed", LeastStep(symbol(pieces.name)), pieces.step_rule, None if exact else "up")]


# ---------------------------------------------------------------------------------------------------------------
# levels: free = constant + coefficient·base^(−s)

def _integer(name: str, analysis: Analysis, sides: list[Side], values: Values) -> Choice:
    """The least integer that leaves room for the gates: free < ε where a side has gates, free ≤ ε where not."""
    s = symbol(name)
    least, rule = 0, sp.Integer(0)
    why: ExtremeValue | None = None
    for side in sides:
        if s not in side.free.free_symbols:
            check_room(side, values)
            continue
        strict = side.has_gates
        value, formula = _least(side.free, s, strict, values)
        if value >= least:
            least, rule = value, formula
            why = _why(name, side.free, strict)
    if name in values:
        chosen = values[name]
        if chosen < least:
            raise Infeasible(f"{name} = {chosen} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least}.")
        return Choice(name, chosen, "given", AsGiven(why, least) if why else AsGiven())
    if _fixed_gates(values):
        found = _with_fixed_gates(name, least, analysis, sides, values)
        if found != least:
            fixed = "beta" if "beta" in values else analysis.supply.tokens if analysis.supply else "beta"
            return Choice(name, Fraction(found), "searched", FitsGiven(s, symbol(fixed), EPS, least=True),
                          bound=_searched_bound(name, least, analysis, sides, values), growth=Order(sp.log(1 / EPS)))
    return Choice(name, Fraction(least), "closed", why or NothingAsksForIt(s), rule)


def _with_fixed_gates(name: str, least: int, analysis: Analysis, sides: list[Side], values: Values) -> int:
    tried: list[Values] = []
    for candidate in range(least, least + SEARCH_LEVELS):
        at = {**values, name: Fraction(candidate)}
        if all(fits(analysis, s, at) for s in sides):
            return candidate
        tried.append(at)
    _refuse_gates(analysis, values, name, tried)
    raise AssertionError("unreachable")


def _searched_bound(name: str, least: int, analysis: Analysis, sides: list[Side], values: Values) -> Expr | None:
    """A level that surely suffices: the gate error is at most its supremum over all levels from the least one on, which
    leaves room or not."""
    s = symbol(name)
    rules = []
    for side in sides:
        if s not in side.free.free_symbols:
            continue
        total = side.free + side.anchored / CELLS if side.leaks and "kappa" not in values else side.total
        terms = ExpSum.of(sp.expand(analysis.evaluable(total - side.free)), s).terms
        gates = sp.Add(*(c * r ** least for r, c in terms if r == 1 or not c.is_negative))     # bases are at most 1
        if any(not (1 - r).is_nonnegative for r, _ in terms):
            return None
        if less_equal(EPS, gates, numbers(values)) is not False:
            return None
        g = _geometric(side.free, s)
        rules.append(Geometric(g.constant + gates, g.coefficient, g.base).rule(strict=False))
    return largest(rules) if rules else None


@dataclass(frozen=True)
class Geometric:
    """constant + coefficient·base^(−s), base an integer above 1."""

    constant: Expr
    coefficient: Expr
    base: int

    def rule(self, strict: bool) -> Expr:
        """The least s ≥ 0 with value ≤ ε (or < ε), as a formula; base^(−s−1) is written with s + 1."""
        base, coefficient = sp.Integer(self.base), self.coefficient
        number = coefficient.as_coeff_Mul()[0]
        shift = 1 if (number * base).is_Integer and not number.is_Integer else 0
        quotient = _tidy_factor(coefficient * base ** shift) / (EPS - self.constant)
        least = FloorLog(quotient, base) + 1 if strict else CeilLog(quotient, base)
        return sp.Max(0, least - shift, evaluate=False)


def _geometric(free: Expr, s: sp.Symbol) -> Geometric:
    terms = dict(ExpSum.of(free, s).terms)
    constant = terms.pop(sp.Integer(1), sp.Integer(0))
    if len(terms) != 1:
        raise NotDerivable("choice of an integer", str(free), "it is not constant + coefficient·base^(−s)")
    ((ratio, coefficient),) = terms.items()
    if not ((1 / ratio).is_Integer and 1 / ratio > 1):
        raise NotDerivable("choice of an integer", str(free), f"its base {ratio} is not one over an integer")
    return Geometric(constant, coefficient, int(1 / ratio))


def _least(free: Expr, s: sp.Symbol, strict: bool, values: Values) -> tuple[int, Expr]:
    """The least s ≥ 0 with free(s) ≤ ε (or < ε), and the rule that gives it."""
    g = _geometric(free, s)
    at = numbers(values)
    cost = rational_value(g.constant, at)
    if cost >= values["eps"]:
        raise inputs_too_coarse(cost)
    quotient = g.base * rational_value(g.coefficient, at) / (values["eps"] - cost)
    least = floor_log(quotient, g.base) if strict else ceil_log(quotient, g.base) - 1
    return max(0, least), g.rule(strict)


def _tidy_factor(expr: Expr) -> Expr:
    return sp.factor_terms(expr) if expr.is_Add else expr
