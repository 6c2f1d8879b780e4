"""The integers of a route: levels of a sawtooth by a closed rule, or what the route has its own rule for (pieces.py).

By default levels leave the gates at least a quarter of what the inputs leave of ε, where interpolation and gates add up:
then no resource is more than a constant factor above its rate. The least levels of all leave the gates what happens to be
left, which may be next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, NotDerivable, echo
from ..formulas.enclosure import less_equal
from ..formulas.interval import largest
from ..formulas.series import ExpSum
from ..formulas.symbols import CeilLog, FloorLog, symbol
from ..numbers.exact import ceil_log, exact_text, floor_log
from ..records import dataclass
from .anchors import refuse_anchors
from .choice import Aim, AsGiven, Choice, ExtremeValue, FitsGiven, LeavesShare, NothingAsksForIt, Order
from .inverse_temperature import refuse_beta
from .pieces import choose_pieces, piece_rules, steps_of
from .sides import (
    CELLS,
    EPS,
    GATES_SHARE,
    Side,
    check_complete,
    check_room,
    fits,
    fixed_gates,
    inputs_too_coarse,
    numbers,
    rational_value,
    sides_of,
)

SEARCH_LEVELS = 64      # each level gains a factor 4: after 64 more the interpolation error is beyond notice

Values = Mapping[str, Fraction]


def choose_integers(analysis: Analysis, given: Values, aim: Aim = Aim.BALANCE) -> list[Choice]:
    """The route's own integers, and what follows from them: as given, balanced, or the least that ε allows at all."""
    integers, pieces = analysis.how.chooses, analysis.construction.pieces(analysis.route)
    if "eps" not in given:
        supply = analysis.supply
        anchors = () if supply is None else tuple(filter(None, (supply.tokens, supply.heads)))
        beta = ("beta",) if analysis.uses_beta else ()
        check_complete((*integers, *anchors, *beta), given)
        found = [Choice(name, given[name], "given") for name in integers]
        return found + (steps_of(pieces, given, given[pieces.name], strict=False) if pieces else [])
    sides = sides_of(analysis)
    if pieces:
        return choose_pieces(pieces, analysis, sides, given, aim)
    return [_integer(name, analysis, sides, given, aim) for name in integers]


def integer_rules(analysis: Analysis, aim: Aim = Aim.BALANCE) -> list[Choice]:
    integers, pieces = analysis.how.chooses, analysis.construction.pieces(analysis.route)
    sides = sides_of(analysis)
    if pieces:
        return piece_rules(pieces, analysis, sides, aim)
    found = []
    for name in integers:
        for side in sides:
            if symbol(name) in side.free.free_symbols:
                free = _geometric(side.free, symbol(name))
                if side.has_gates and aim is Aim.BALANCE:
                    found.append(Choice(name, None, "closed", free.leaves_a_quarter(symbol(name)), free.balanced_rule))
                else:
                    strict = side.has_gates
                    found.append(Choice(name, None, "closed", _why(name, side.free, strict), free.rule(strict)))
    return found


def _why(name: str, cost: Expr, strict: bool) -> ExtremeValue:
    return ExtremeValue(symbol(name), cost, EPS, strict)


def _refuse_gates(analysis: Analysis, values: Values, name: str, tried: list[Values]) -> None:
    refuse = refuse_anchors if "cells" in values else refuse_beta
    refuse(analysis, values, name, tried)


# ---------------------------------------------------------------------------------------------------------------
# levels: free = constant + coefficient·base^(−s)

def _integer(name: str, analysis: Analysis, sides: list[Side], values: Values, aim: Aim) -> Choice:
    """The least integer that leaves the gates their share, or, where they are given or the least of all is asked for, any
    room: free < ε where a side has gates. Where a side has none, free ≤ ε is enough."""
    s = symbol(name)
    least, balanced = Choice(name, Fraction(0), "closed", NothingAsksForIt(s), sp.S.Zero), None
    for side in sides:
        if s not in side.free.free_symbols:
            check_room(side, values)
            continue
        free, strict = _geometric(side.free, s), side.has_gates
        least = _larger(least, Choice(name, free.least(values, strict), "closed", _why(name, side.free, strict),
                                      free.rule(strict)))
        balanced = _larger(balanced, Choice(name, free.balanced(values), "closed", free.leaves_a_quarter(s),
                                            free.balanced_rule) if strict else least)
    assert least.value is not None
    if name in values:
        chosen = values[name]
        if chosen < least.value:
            raise Infeasible(f"{name} = {chosen} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least.value}.", {f"--{name}": str(least.value)})
        return Choice(name, chosen, "given",
                      AsGiven(least.why, int(least.value)) if isinstance(least.why, ExtremeValue) else AsGiven())
    if not fixed_gates(values):
        return balanced if aim is Aim.BALANCE and balanced is not None else least
    found = _with_fixed_gates(name, int(least.value), analysis, sides, values)
    if found == least.value:
        return least
    fixed = "beta" if "beta" in values else analysis.supply.tokens if analysis.supply else "beta"
    return Choice(name, Fraction(found), "searched", FitsGiven(s, symbol(fixed), EPS, least=True),
                  bound=_searched_bound(name, int(least.value), analysis, sides, values), growth=Order(sp.log(1 / EPS)))


def _larger(old: Choice | None, new: Choice) -> Choice:
    """Every side must be content; of equal numbers the later side gives the reason."""
    if old is None or old.value is None or new.value is None:
        return new
    return new if new.value >= old.value else old


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

    def least(self, values: Values, strict: bool) -> Fraction:
        """The least s ≥ 0 with value ≤ ε (or < ε)."""
        quotient = self.base * self._quotient(values)
        return Fraction(max(0, floor_log(quotient, self.base) if strict else ceil_log(quotient, self.base) - 1))

    def balanced(self, values: Values) -> Fraction:
        """The least s ≥ 0 that leaves the gates their share."""
        return Fraction(max(0, ceil_log(self._quotient(values) / (1 - GATES_SHARE), self.base)))

    @property
    def balanced_rule(self) -> Expr:
        return sp.Max(0, CeilLog(_tidy_factor(self.coefficient) / self._limit, sp.Integer(self.base)), evaluate=False)

    def leaves_a_quarter(self, s: sp.Symbol) -> LeavesShare:
        return LeavesShare(s, self.coefficient * sp.Integer(self.base) ** -s, self._limit, EPS - self.constant)

    @property
    def _limit(self) -> Expr:
        """What is left to the interpolation."""
        return sp.Rational(1 - GATES_SHARE) * (EPS - self.constant)

    def _quotient(self, values: Values) -> Fraction:
        at = numbers(values)
        cost = rational_value(self.constant, at)
        if cost >= values["eps"]:
            raise inputs_too_coarse(cost, values["eps"])
        return rational_value(self.coefficient, at) / (values["eps"] - cost)


def _geometric(free: Expr, s: sp.Symbol) -> Geometric:
    terms = dict(ExpSum.of(free, s).terms)
    constant = terms.pop(sp.Integer(1), sp.Integer(0))
    if len(terms) != 1:
        raise NotDerivable("choice of an integer", str(free), "it is not constant + coefficient·base^(−s)")
    ((ratio, coefficient),) = terms.items()
    if not ((1 / ratio).is_Integer and 1 / ratio > 1):
        raise NotDerivable("choice of an integer", str(free), f"its base {ratio} is not one over an integer")
    return Geometric(constant, coefficient, int(1 / ratio))


def _tidy_factor(expr: Expr) -> Expr:
    return sp.factor_terms(expr) if expr.is_Add else expr
