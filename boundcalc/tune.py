"""Choose what the user left free, prove that it meets ε, or say why nothing can.

The error has one or two sides (network above or below the target). Each side must be a sum of a part that does not
mention β and a part coefficient·β^k with one exponent k. The first decides the integer (levels), the second then β.
Integers are exactly minimal; β is rounded to seven significant digits in the direction that improves the bound, and the
bound is evaluated again at the rounded value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from sympy import Expr

from .analysis import Analysis
from .enclosure import exact_value, less_equal, lower, upper
from .errors import Infeasible, InvalidInput, NotDerivable, echo
from .exact import (
    ceil_log,
    decimal_down,
    decimal_up,
    exact_text,
    floor_log,
    round_down_significant,
    round_up_significant,
)
from .interval import largest, smallest
from .series import ExpSum
from .symbols import INTERNAL, CeilLog, FloorLog, symbol

BETA_DIGITS = 7
SEARCH_LEVELS = 64      # each level gains a factor 4: after 64 more the interpolation error is beyond notice

EPS, BETA = symbol("eps"), symbol("beta")


@dataclass(frozen=True)
class Choice:
    """How a parameter got its value: "closed" (by `rule`), "searched", or "given".

    `why` is a sentence with a place {0}, {1}, … for each formula in `about`, which every exporter writes in its own way.
    """

    name: str
    value: Fraction
    kind: str
    why: str
    rule: Expr | None = None
    rounded: str | None = None
    about: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Side:
    """free + coefficient·β^exponent ≤ ε, one side of the error."""

    free: Expr
    coefficient: Expr
    exponent: int

    def beta_rule(self) -> Expr:
        """The β at which this side equals ε."""
        room = EPS - self.free
        ratio = self.coefficient / room if self.exponent < 0 else room / self.coefficient
        return ratio ** sp.Rational(1, abs(self.exponent))


def choose_integers(analysis: Analysis, given: Mapping[str, Fraction]) -> list[Choice]:
    """The route's own integers (levels): as given, or exactly minimal for ε."""
    integers = analysis.construction.routes[analysis.route].integers
    if "eps" not in given:
        _check_complete((*integers, *(("beta",) if uses_beta(analysis) else ())), given)
        return [Choice(name, given[name], "given", "given") for name in integers]
    sides = _sides(analysis)
    return [_integer(name, sides, given) for name in integers]


def choose_beta(analysis: Analysis, given: Mapping[str, Fraction]) -> list[Choice]:
    """β for given integers: as given, or the formula's value, rounded in the safe direction. None without heads."""
    if not uses_beta(analysis):
        return []
    if "eps" not in given:
        return [Choice("beta", given["beta"], "given", "given")]
    return [_beta(_sides(analysis), given)]


def uses_beta(analysis: Analysis) -> bool:
    return bool(analysis.resources["beta"] != 0)


def meets(analysis: Analysis, values: Mapping[str, Fraction]) -> bool:
    """Whether the derived error is proved to be at most ε."""
    at = numbers(values)
    return all(less_equal(side, EPS, at) is True for side in (analysis.total.hi, -analysis.total.lo))


def _sides(analysis: Analysis) -> list[Side]:
    return [_side(e) for e in dict.fromkeys((analysis.total.hi, -analysis.total.lo)) if e != 0]


def numbers(values: Mapping[str, Fraction]) -> dict[sp.Symbol, Fraction]:
    return {INTERNAL.get(name) or symbol(name): value for name, value in values.items()}


def _check_complete(needed: tuple[str, ...], given: Mapping[str, Fraction]) -> None:
    missing = [f"--{name}" for name in needed if name not in given]
    if missing:
        raise InvalidInput(f"Without --eps there is nothing to derive {' and '.join(missing)} from.",
                           f"Give --eps, or give {' and '.join(f'--{n}' for n in needed)}.")


def _side(expr: Expr) -> Side:
    free, coefficient, exponents = sp.Integer(0), sp.Integer(0), set()
    for term in sp.Add.make_args(expr):
        if BETA not in term.free_symbols:
            free += term
            continue
        exponent = term.as_powers_dict().get(BETA, 0)
        rest = term / BETA ** exponent
        if BETA in rest.free_symbols or not sp.S(exponent).is_Integer or exponent == 0:
            raise NotDerivable("choice of β", str(term), "it is not coefficient·β^k")
        exponents.add(int(exponent))
        coefficient += rest
    if len(exponents) > 1:
        raise NotDerivable("choice of β", str(expr), "several powers of β")
    return Side(free, coefficient, exponents.pop() if exponents else 0)


# ---------------------------------------------------------------------------------------------------------------
# integers

def _integer(name: str, sides: list[Side], values: Mapping[str, Fraction]) -> Choice:
    """The least integer that leaves room for the gates: free < ε where a side has gates, free ≤ ε where not."""
    s = symbol(name)
    least, why, rule = 0, "", sp.Integer(0)
    about: tuple[Expr, ...] = ()
    for side in sides:
        if s not in side.free.free_symbols:
            _check_room(side, values)
            continue
        strict = side.exponent != 0
        value, formula = _least(side.free, s, strict, values)
        if value >= least:
            least, rule = value, formula
            why, about = f"least {name} with {{0}} {'<' if strict else '≤'} {{1}}", (side.free, EPS)
    if name in values:
        chosen = values[name]
        if chosen < least:
            raise Infeasible(f"{name} = {chosen} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least}.")
        return Choice(name, chosen, "given", f"given; {why} is {least}", about=about)
    if "beta" in values:
        found = _with_fixed_beta(name, least, sides, values)
        if found != least:
            return Choice(name, Fraction(found), "searched", f"least {name} for which the given {{0}} meets {{1}}",
                          about=(BETA, EPS))
    return Choice(name, Fraction(least), "closed", why, rule, about=about)


def _check_room(side: Side, values: Mapping[str, Fraction]) -> None:
    free = exact_value(side.free, numbers(values))
    if free is not None and free >= values["eps"]:
        raise Infeasible(f"The input error alone costs {decimal_up(free, 6)}, no less than eps.",
                         f"Give an --eps above {decimal_up(free, 6)}, or a smaller --delta.")


def _least(free: Expr, s: sp.Symbol, strict: bool, values: Mapping[str, Fraction]) -> tuple[int, Expr]:
    """The least s ≥ 0 with free(s) ≤ ε (or < ε), where free(s) = constant + coefficient·base^(−s), base an integer."""
    terms = dict(ExpSum.of(free, s).terms)
    constant = terms.pop(sp.Integer(1), sp.Integer(0))
    if len(terms) != 1:
        raise NotDerivable("choice of an integer", str(free), "it is not constant + coefficient·base^(−s)")
    ((ratio, coefficient),) = terms.items()
    base = 1 / ratio
    if not (base.is_Integer and base > 1):
        raise NotDerivable("choice of an integer", str(free), f"its base {ratio} is not one over an integer")
    at = numbers(values)
    room = values["eps"] - _rational(constant, at)
    if room <= 0:
        cost = _rational(constant, at)
        raise Infeasible(f"The input error alone costs {decimal_up(cost, 6)}, no less than eps.",
                         f"Give an --eps above {decimal_up(cost, 6)}, or a smaller --delta.")
    # base^(s+1) ≥ base·coefficient/room: written with s + 1, since f_m − x² ≤ 4^(−m−1)
    symbolic = _tidy_factor(base * coefficient) / (EPS - constant)
    quotient = int(base) * _rational(coefficient, at) / room
    if strict:
        return max(0, floor_log(quotient, int(base))), _at_least_zero(FloorLog(symbolic, base))
    return max(0, ceil_log(quotient, int(base)) - 1), _at_least_zero(CeilLog(symbolic, base) - 1)


def _at_least_zero(formula: Expr) -> Expr:
    return sp.Max(0, formula, evaluate=False)


def _tidy_factor(expr: Expr) -> Expr:
    return sp.factor_terms(expr) if expr.is_Add else expr


def _rational(expr: Expr, at: Mapping[sp.Symbol, Fraction]) -> Fraction:
    value = exact_value(expr, at)
    if value is None:
        raise NotDerivable("choice of an integer", str(expr), "it is not rational at rational parameters")
    return value


def _with_fixed_beta(name: str, least: int, sides: list[Side], values: Mapping[str, Fraction]) -> int:
    for candidate in range(least, least + SEARCH_LEVELS):
        at = numbers({**values, name: Fraction(candidate)})
        if all(less_equal(s.free + s.coefficient * BETA ** s.exponent, EPS, at) for s in sides):
            return candidate
    _refuse_beta(sides, values, name, range(least, least + SEARCH_LEVELS))
    raise AssertionError("unreachable")


# ---------------------------------------------------------------------------------------------------------------
# β

def _beta(sides: list[Side], values: Mapping[str, Fraction]) -> Choice:
    bound = [s for s in sides if s.exponent != 0]
    if not bound:
        raise NotDerivable("choice of β", "the error", "it does not mention β")
    upwards = bound[0].exponent < 0
    if any((s.exponent < 0) != upwards for s in bound):
        raise NotDerivable("choice of β", "the error", "one side wants a larger β, the other a smaller one")
    at = numbers(values)
    for s in bound:
        room = exact_value(EPS - s.free, at)
        if room is not None and room <= 0:
            raise Infeasible(f"The input error alone costs {decimal_up(values['eps'] - room, 6)}, no less than eps.",
                             "Give a larger --eps or a smaller --delta.")
    pick: Callable[..., Expr] = largest if upwards else smallest
    rule = pick([s.beta_rule() for s in bound])
    if "beta" in values:
        if all(less_equal(s.free + s.coefficient * BETA ** s.exponent, EPS, at) for s in sides):
            return Choice("beta", values["beta"], "given", f"given; needed is at {'least' if upwards else 'most'} {{0}}",
                          about=(rule,))
        _refuse_beta(sides, values, None, range(1))
    if upwards:
        value = round_up_significant(upper(rule, at, 25), BETA_DIGITS)
    else:
        value = round_down_significant(lower(rule, at, 25), BETA_DIGITS)
    way = "up" if upwards else "down"
    return Choice("beta", value, "closed", f"{'least' if upwards else 'largest'} {{0}} with total error ≤ {{1}}, rounded {way} "
                  f"to {BETA_DIGITS} digits", rule, way, (BETA, EPS))


def _refuse_beta(sides: list[Side], values: Mapping[str, Fraction], name: str | None, levels: range) -> None:
    """Say which β would do: the best over the levels that were tried."""
    upwards = any(s.exponent < 0 for s in sides)
    best: tuple[Fraction, int] | None = None
    for level in levels:
        at = numbers({**values, name: Fraction(level)} if name else values)
        bounds = [upper(s.beta_rule(), at, 25) if upwards else lower(s.beta_rule(), at, 25)
                  for s in sides if s.exponent != 0 and less_equal(s.coefficient, sp.Integer(0), at) is False]
        if not bounds:
            continue
        value = (round_up_significant(max(bounds), BETA_DIGITS) if upwards
                 else round_down_significant(min(bounds), BETA_DIGITS))
        if best is None or (value < best[0]) == upwards:
            best = value, level
    assert best is not None
    shown = decimal_up(best[0], BETA_DIGITS) if upwards else decimal_down(best[0], BETA_DIGITS)
    level = f" (with --{name} {best[1]})" if name else ""
    raise Infeasible(f"beta = {echo(exact_text(values['beta']))} is too {'small' if upwards else 'large'} for "
                     f"eps = {echo(exact_text(values['eps']))}.",
                     f"The {'least' if upwards else 'largest'} beta that works is {shown}{level}.")
