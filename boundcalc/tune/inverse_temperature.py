"""β: the formula's value, rounded in the safe direction; or, where a lemma has no closed inverse, searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, NotDerivable, echo
from ..formulas.enclosure import less_equal, lower, upper
from ..formulas.interval import largest, smallest
from ..numbers.exact import (
    at_place,
    decimal_down,
    decimal_up,
    exact_text,
    place_of,
    round_down_significant,
    round_up_significant,
)
from .choice import Choice, Cost, ExtremeValue, GivenWithin, NothingAsksForIt, Order
from .sides import BETA, DIGITS, EPS, Side, check_room, fits, numbers, sides_of

Values = Mapping[str, Fraction]
GROWTH = Order(EPS, Fraction(-1, 2), with_room=True)       # the one lemma of this kind, P2


def choose_beta(analysis: Analysis, given: Values) -> list[Choice]:
    """β for given integers: as given, or the least (or largest) that meets ε. None without heads that ask for it."""
    if not analysis.uses_beta:
        return []
    if "eps" not in given:
        _check_from(analysis, given)
        return [Choice("beta", given["beta"], "given")]
    sides = sides_of(analysis)
    for s in sides:
        check_room(s, given)
    if not any(s.uses_beta for s in sides):         # heads of which no error arrives anywhere
        return [Choice("beta", given["beta"], "given") if "beta" in given else _any()]
    if any(s.falling != 0 for s in sides):
        if "beta" in given:
            _check_from(analysis, given)
        elif analysis.enough_beta is not None:
            rule = _from_lemma(analysis)
            return [Choice("beta", round_up_significant(upper(rule, numbers(given), 25), DIGITS), "closed", _why(True), rule,
                           "up")]
        return [_searched(analysis, sides, given)]
    return [_closed(analysis, sides, given)]


def beta_rules(analysis: Analysis) -> list[Choice]:
    if not analysis.uses_beta:
        return []
    sides = sides_of(analysis)
    if not any(s.uses_beta for s in sides):
        return [_any()]
    if any(s.falling != 0 for s in sides):
        if analysis.enough_beta is not None:
            return [Choice("beta", None, "closed", _why(True), _from_lemma(analysis))]
        return [Choice("beta", None, "searched", _why(True), bound=_enough(analysis, sides),
                       growth=GROWTH)]
    return [Choice("beta", None, "closed", _why(_wants_large(sides)), _rule(analysis, sides))]


def _from_lemma(analysis: Analysis) -> Expr:
    assert analysis.from_beta is not None
    assert analysis.enough_beta is not None
    return sp.Max(analysis.from_beta, analysis.enough_beta, evaluate=False)


def _any() -> Choice:
    return Choice("beta", Fraction(1), "closed", NothingAsksForIt(BETA), sp.S.One)


def _why(large: bool) -> ExtremeValue:
    return ExtremeValue(BETA, Cost.TOTAL, EPS, largest=not large)


# ---------------------------------------------------------------------------------------------------------------
# gates = power·β^exponent

def _wants_large(sides: Sequence[Side]) -> bool:
    """Whether a larger β makes the error smaller; both sides must agree."""
    wishes = {s.exponent < 0 for s in sides if s.exponent != 0}
    if len(wishes) != 1:
        raise NotDerivable("choice of β", "the error", "its sides do not ask for the same direction of β")
    return wishes.pop()


def _rule(analysis: Analysis, sides: Sequence[Side]) -> Expr:
    pick = largest if _wants_large(sides) else smallest
    found = pick([_side_rule(s) for s in sides if s.exponent != 0])
    if analysis.from_beta is None:
        return found
    # the β of a side takes every positive value as ε varies: it is not compared with where a lemma starts
    return sp.Max(analysis.from_beta, *(found.args if isinstance(found, sp.Max) else (found,)), evaluate=False)


def _side_rule(side: Side) -> Expr:
    """The β at which this side equals ε."""
    room = EPS - side.free
    if side.second != 0:            # a root of room·b² = power·b + second, b = β^(−exponent)
        share = sp.cancel(side.second / side.power)         # short, and the same as (p + √(p² + 4·s·room))/(2·room)
        ratio = 2 * share / (sp.sqrt(1 + 4 * share * room / side.power) - 1)
    else:
        ratio = side.power / room if side.exponent < 0 else room / side.power
    return _root(ratio, abs(side.exponent))


def _root(ratio: Expr, degree: int) -> Expr:
    """A root of something positive, with positive factors in front. Of what ε leaves, whose sign follows from the choice of
    integers, sympy is not asked the sign: it would look long and in vain."""
    if degree == 1:
        return ratio
    power, factors = sp.Rational(1, degree), sp.Mul.make_args(ratio)
    unseen = [f for f in factors if EPS in f.free_symbols or not f.is_nonnegative]
    outside = sp.Mul(*(f ** power for f in factors if f not in unseen))
    if not unseen:
        return outside
    root = sp.Pow(sp.Mul(*unseen), power, evaluate=False)
    roots = sorted((*sp.Mul.make_args(outside), root), key=cmp_to_key(sp.Basic.compare)) if outside != 1 else [root]
    roots.sort(key=lambda f: not f.is_Number)                   # the order that sympy itself gives them
    return sp.Mul(*roots, evaluate=False) if len(roots) > 1 else root


def _closed(analysis: Analysis, sides: Sequence[Side], values: Values) -> Choice:
    large, rule, at = _wants_large(sides), _rule(analysis, sides), numbers(values)
    if "beta" in values:
        if all(fits(analysis, s, values) for s in sides):
            return Choice("beta", values["beta"], "given", GivenWithin(rule, largest=not large))
        refuse_beta(analysis, values, None, [values])
    if large and upper(rule, at, 25) <= 0:
        return Choice("beta", Fraction(1), "searched", NothingAsksForIt(BETA))
    value = (round_up_significant(upper(rule, at, 25), DIGITS) if large
             else round_down_significant(lower(rule, at, 25), DIGITS))
    return Choice("beta", value, "closed", _why(large), rule, "up" if large else "down")


def refuse_beta(analysis: Analysis, values: Values, name: str | None, tried: Sequence[Values]) -> None:
    """Say which β would do: the best over what was tried for the integer `name`."""
    sides = sides_of(analysis)
    searched = any(s.falling != 0 for s in sides)
    upwards = searched or _wants_large(sides)
    best: tuple[Fraction, Fraction] | None = None
    for given in tried:
        at = numbers(given)
        if searched:
            value: Fraction | None = least_beta(analysis, sides, given)
        else:
            bounds = [upper(_side_rule(s), at, 25) if upwards else lower(_side_rule(s), at, 25)
                      for s in sides if s.exponent != 0 and less_equal(s.power, sp.S.Zero, at) is False]
            bounds += [upper(analysis.from_beta, at, 25)] if bounds and analysis.from_beta is not None else []
            value = (None if not bounds else round_up_significant(max(bounds), DIGITS) if upwards
                     else round_down_significant(min(bounds), DIGITS))
        if value is not None and (best is None or (value < best[0]) == upwards):
            best = value, given[name] if name else Fraction(0)
    assert best is not None
    shown = decimal_up(best[0], DIGITS) if upwards else decimal_down(best[0], DIGITS)
    companion = f" (with --{name} {best[1]})" if name else ""
    raise Infeasible(f"beta = {echo(exact_text(values['beta']))} is too {'small' if upwards else 'large'} for "
                     f"eps = {echo(exact_text(values['eps']))}.",
                     f"The {'least' if upwards else 'largest'} beta that works is {shown}{companion}.",
                     {"--beta": shown, **({f"--{name}": str(best[1])} if name else {})})


# ---------------------------------------------------------------------------------------------------------------
# gates = falling(β) from some β on, with β·falling(β) never rising: no closed inverse, but a closed bound

def _check_from(analysis: Analysis, values: Values) -> None:
    """A lemma that needs some β must get it."""
    least = analysis.from_beta
    if least is not None and less_equal(least, BETA, numbers(values)) is not True:
        shown = decimal_up(upper(least, numbers(values), 25), DIGITS)
        raise Infeasible(f"beta = {echo(exact_text(values['beta']))} is too small for the lemma that is used here.",
                         f"Give a --beta of at least {shown}.", {"--beta": shown})


def _enough(analysis: Analysis, sides: Sequence[Side]) -> Expr:
    """β ≥ β₀ and β ≥ β₀·falling(β₀)/room: as β·falling(β) never rises, falling(β) ≤ room then."""
    start = analysis.from_beta
    if start is None:
        raise NotDerivable("choice of β", "the error", "its gates are no power of β and no lemma says from where they fall")
    enough = largest((start, *(start * s.falling.xreplace({BETA: start}) / (EPS - s.free) for s in sides if s.falling != 0)))
    return (1 + sp.Integer(10) ** (1 - DIGITS)) * enough           # β is rounded up, by less than that


def least_beta(analysis: Analysis, sides: Sequence[Side], values: Values) -> Fraction:
    """The least β of DIGITS digits from β₀ on that meets ε, by bisection between β₀ and what is enough."""
    at = numbers(values)
    start = analysis.from_beta
    assert start is not None
    low = place_of(upper(start, at, 25), DIGITS)
    high = max(low, place_of(upper(_enough(analysis, sides), at, 25), DIGITS))

    def works(place: int) -> bool:
        return all(less_equal(s.total, EPS, {**at, BETA: at_place(place, DIGITS)}) is True for s in sides)

    while low < high:           # numbers of so many digits by their rank: a thousand decades take no longer than one
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle + 1, high)
    return at_place(high, DIGITS)


def _searched(analysis: Analysis, sides: Sequence[Side], values: Values) -> Choice:
    if "beta" in values:
        if all(less_equal(s.total, EPS, numbers(values)) is True for s in sides):
            return Choice("beta", values["beta"], "given")
        refuse_beta(analysis, values, None, [values])
    return Choice("beta", least_beta(analysis, sides, values), "searched", _why(True), None, "up",
                  _enough(analysis, sides), GROWTH)
