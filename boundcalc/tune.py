"""Choose what the user left free, prove that it meets ε, or say why nothing can.

The error has one or two sides (network above or below the target). Each side must be a sum of a part that does not
mention β and a part coefficient·β^k with one exponent k. The first decides the integer (levels), the second then β.
Integers are exactly minimal; β is rounded to seven significant digits in the direction that improves the bound, and the
bound is evaluated again at the rounded value.
"""

from __future__ import annotations

from collections.abc import Mapping
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

EPS, BETA, CELLS = symbol("eps"), symbol("beta"), INTERNAL["cells"]


@dataclass(frozen=True)
class Choice:
    """How a parameter got its value: "closed" (by `rule`), "searched", or "given".

    `why` is a sentence with places {0}, {1}, … for the formulas in `about`, which every exporter writes its own way.
    """

    name: str
    value: Fraction | None
    kind: str
    why: str
    rule: Expr | None = None
    rounded: str | None = None
    about: tuple[Expr, ...] = ()
    bound: Expr | None = None       # of a searched value: a proved upper bound in closed form


@dataclass(frozen=True)
class Side:
    """free + coefficient·β^exponent + anchored/(p − 1) ≤ ε, one side of the error."""

    free: Expr
    coefficient: Expr
    exponent: int
    anchored: Expr = sp.S.Zero

    @property
    def has_gates(self) -> bool:
        return self.exponent != 0 or self.anchored != 0

    @property
    def total(self) -> Expr:
        gates = self.coefficient * BETA ** self.exponent if self.exponent else sp.S.Zero
        return self.free + gates + self.anchored / CELLS

    def anchor_rule(self) -> Expr:
        """The least number of anchors."""
        return 1 + sp.ceiling(self.anchored / (EPS - self.free))

    def beta_rule(self) -> Expr:
        """The β at which this side equals ε."""
        room = EPS - self.free
        ratio = self.coefficient / room if self.exponent < 0 else room / self.coefficient
        return ratio ** sp.Rational(1, abs(self.exponent))


def choose_integers(analysis: Analysis, given: Mapping[str, Fraction]) -> list[Choice]:
    """The route's own integers (levels): as given, or least for ε."""
    integers = analysis.construction.routes[analysis.route].integers
    anchors = ("p",) if uses_anchors(analysis) else ()
    if "eps" not in given:
        _check_complete((*integers, *anchors, *(("beta",) if uses_beta(analysis) else ())), given)
        return [Choice(name, given[name], "given", "given") for name in integers]
    sides = _sides(analysis)
    return [_integer(name, sides, given) for name in integers]


def choose_anchors(analysis: Analysis, given: Mapping[str, Fraction]) -> list[Choice]:
    """p for given levels: as given, or exactly minimal for ε. None without anchor heads."""
    if not uses_anchors(analysis):
        return []
    if "eps" not in given:
        return [Choice("p", given["p"], "given", "given")]
    return [_anchors(_sides(analysis), given)]


def choose_beta(analysis: Analysis, given: Mapping[str, Fraction]) -> list[Choice]:
    """β for given integers: as given, or the formula's value, rounded in the safe direction. None without heads."""
    if not uses_beta(analysis):
        return []
    if "eps" not in given:
        return [Choice("beta", given["beta"], "given", "given")]
    return [_beta(_sides(analysis), given)]


def rules(analysis: Analysis) -> list[Choice]:
    """How the free parameters follow from ε, without numbers."""
    sides = _sides(analysis)
    found = []
    for name in analysis.construction.routes[analysis.route].integers:
        for side in sides:
            if symbol(name) in side.free.free_symbols:
                strict = side.has_gates
                rule = _geometric(side.free, symbol(name)).rule(strict)
                found.append(Choice(name, None, "closed", _why(name, strict), rule, about=(side.free, EPS)))
    if uses_anchors(analysis):
        found.append(Choice("p", None, "closed", WHY_ANCHORS, _anchor_rule(sides),
                            about=(symbol("p"), EPS)))
    if uses_beta(analysis):
        found.append(Choice("beta", None, "closed", _why_beta(_wants_large(sides)), _beta_rule(sides), about=(BETA, EPS)))
    return found


def uses_beta(analysis: Analysis) -> bool:
    return BETA in analysis.resources["beta"].free_symbols


def uses_anchors(analysis: Analysis) -> bool:
    return CELLS in analysis.resources["tokens"].free_symbols


def meets(analysis: Analysis, values: Mapping[str, Fraction]) -> bool:
    """Whether the derived error is proved to be at most ε."""
    at = numbers(values)
    return all(less_equal(side, EPS, at) is True for side in (analysis.total.hi, -analysis.total.lo))


def _sides(analysis: Analysis) -> list[Side]:
    above, below = analysis.total.hi, -analysis.total.lo
    if sp.expand(above - below) == 0:
        below = above
    return [_side(e) for e in dict.fromkeys((above, below)) if e != 0]


def _anchor_rule(sides: list[Side]) -> Expr:
    """The largest of the sides' rules; a side with the same gates and no less besides decides over another."""
    asked = [s for s in sides if s.anchored != 0]
    return largest([s.anchor_rule() for s in asked if not any(
        t is not s and sp.expand(t.anchored - s.anchored) == 0 and (t.free - s.free).is_nonnegative for t in asked)])


def numbers(values: Mapping[str, Fraction]) -> dict[sp.Symbol, Fraction]:
    return {INTERNAL.get(name) or symbol(name): value for name, value in values.items()}


def _check_complete(needed: tuple[str, ...], given: Mapping[str, Fraction]) -> None:
    missing = [f"--{name}" for name in needed if name not in given]
    if missing:
        raise InvalidInput(f"Without --eps there is nothing to derive {' and '.join(missing)} from.",
                           f"Give --eps, or give {' and '.join(f'--{n}' for n in needed)}.")


def _side(expr: Expr) -> Side:
    free, coefficient, anchored, exponents = sp.S.Zero, sp.S.Zero, sp.S.Zero, set()
    for term in sp.Add.make_args(expr):
        if CELLS in term.free_symbols:
            anchored += term * CELLS
            if CELLS in anchored.free_symbols:
                raise NotDerivable("choice of anchors", str(term), "it is not coefficient/(p − 1)")
            continue
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
    return Side(free, coefficient, exponents.pop() if exponents else 0, anchored)


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
        strict = side.has_gates
        value, formula = _least(side.free, s, strict, values)
        if value >= least:
            least, rule = value, formula
            why, about = _why(name, strict), (side.free, EPS)
    if name in values:
        chosen = values[name]
        if chosen < least:
            raise Infeasible(f"{name} = {chosen} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least}.")
        return Choice(name, chosen, "given", f"given; {why} is {least}", about=about)
    fixed = [s for s in ("beta", "p") if s in values]
    if fixed:
        found = _with_fixed_gates(name, least, sides, values)
        if found != least:
            return Choice(name, Fraction(found), "searched", f"least {name} for which the given {{0}} meets {{1}}",
                          about=(symbol(fixed[0]), EPS), bound=_searched_bound(name, sides, values))
    return Choice(name, Fraction(least), "closed", why, rule, about=about)


def _searched_bound(name: str, sides: list[Side], values: Mapping[str, Fraction]) -> Expr | None:
    """A level that surely suffices: the gate error is at most its supremum over all levels, which leaves room or not."""
    s = symbol(name)
    rules = []
    for side in sides:
        if s not in side.free.free_symbols:
            continue
        terms = ExpSum.of(sp.expand(side.total - side.free), s).terms
        gates = sp.Add(*(c for r, c in terms if r == 1 or not c.is_negative))      # bases are at most 1
        if any(not (1 - r).is_nonnegative for r, _ in terms):
            return None
        if less_equal(EPS, gates, numbers(values)) is not False:
            return None
        g = _geometric(side.free, s)
        rules.append(Geometric(g.constant + gates, g.coefficient, g.base).rule(strict=False))
    return largest(rules) if rules else None


def _check_room(side: Side, values: Mapping[str, Fraction]) -> None:
    free = exact_value(side.free, numbers(values))
    if free is not None and (free >= values["eps"] if side.has_gates else free > values["eps"]):
        raise _inputs_too_coarse(free)


def _why(name: str, strict: bool) -> str:
    return f"least {name} with {{0}} {'<' if strict else '≤'} {{1}}"


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


def _least(free: Expr, s: sp.Symbol, strict: bool, values: Mapping[str, Fraction]) -> tuple[int, Expr]:
    """The least s ≥ 0 with free(s) ≤ ε (or < ε), and the rule that gives it."""
    g = _geometric(free, s)
    at = numbers(values)
    cost = _rational(g.constant, at)
    if cost >= values["eps"]:
        raise _inputs_too_coarse(cost)
    quotient = g.base * _rational(g.coefficient, at) / (values["eps"] - cost)
    least = floor_log(quotient, g.base) if strict else ceil_log(quotient, g.base) - 1
    return max(0, least), g.rule(strict)


def _inputs_too_coarse(cost: Fraction) -> Infeasible:
    return Infeasible(f"The input error alone costs {decimal_up(cost, 6)}, no less than eps.",
                      f"Give an --eps above {decimal_up(cost, 6)}, or a smaller --delta.")


def _tidy_factor(expr: Expr) -> Expr:
    return sp.factor_terms(expr) if expr.is_Add else expr


def _rational(expr: Expr, at: Mapping[sp.Symbol, Fraction]) -> Fraction:
    value = exact_value(expr, at)
    if value is None:
        raise NotDerivable("choice of an integer", str(expr), "it is not rational at rational parameters")
    return value


def _with_fixed_gates(name: str, least: int, sides: list[Side], values: Mapping[str, Fraction]) -> int:
    for candidate in range(least, least + SEARCH_LEVELS):
        at = numbers({**values, name: Fraction(candidate)})
        if all(less_equal(s.total, EPS, at) for s in sides):
            return candidate
    refuse = _refuse_anchors if "p" in values else _refuse_beta
    refuse(sides, values, name, range(least, least + SEARCH_LEVELS))
    raise AssertionError("unreachable")


WHY_ANCHORS = "least {0} with total error ≤ {1}"


def _anchors(sides: list[Side], values: Mapping[str, Fraction]) -> Choice:
    """The number of anchors: as given, or least."""
    for side in sides:
        _check_room(side, values)
    least, rule = _least_anchors(sides, values)
    if "p" not in values:
        return Choice("p", least, "closed", WHY_ANCHORS, rule, about=(symbol("p"), EPS))
    if values["p"] < least:
        _refuse_anchors(sides, values, None, range(1))
    return Choice("p", values["p"], "given", f"given; {WHY_ANCHORS} is {least}", about=(symbol("p"), EPS))


def _least_anchors(sides: list[Side], values: Mapping[str, Fraction]) -> tuple[Fraction, Expr]:
    """The least number that meets ε on every side, and the rule that gives it."""
    least, rule = Fraction(2), sp.Integer(2)
    for side in sides:
        if side.anchored == 0:
            continue
        needed = _rational(side.anchor_rule(), numbers(values))
        if needed > least:
            least, rule = needed, side.anchor_rule()
    return least, rule


def _refuse_anchors(sides: list[Side], values: Mapping[str, Fraction], name: str | None, levels: range) -> None:
    """Say how many anchors would do: the fewest over the levels that were tried."""
    tried = [({**values, name: Fraction(level)} if name else values, level) for level in levels]
    least, level = min((_least_anchors(sides, at)[0], level) for at, level in tried)
    companion = f" (with --{name} {level})" if name else ""
    raise Infeasible(f"p = {echo(exact_text(values['p']))} anchors are too few for eps = {echo(exact_text(values['eps']))}.",
                     f"The least that works is --p {echo(exact_text(least))}{companion}.")


# ---------------------------------------------------------------------------------------------------------------
# β

def _wants_large(sides: list[Side]) -> bool:
    """Whether a larger β makes the error smaller; both sides must agree."""
    wishes = {s.exponent < 0 for s in sides if s.exponent != 0}
    if len(wishes) != 1:
        raise NotDerivable("choice of β", "the error", "its sides do not ask for the same direction of β")
    return wishes.pop()


def _beta_rule(sides: list[Side]) -> Expr:
    pick = largest if _wants_large(sides) else smallest
    return pick([s.beta_rule() for s in sides if s.exponent != 0])


def _why_beta(large: bool) -> str:
    return f"{'least' if large else 'largest'} {{0}} with total error ≤ {{1}}"


def _beta(sides: list[Side], values: Mapping[str, Fraction]) -> Choice:
    large, rule, at = _wants_large(sides), _beta_rule(sides), numbers(values)
    for s in sides:
        _check_room(s, values)
    if "beta" in values:
        if all(less_equal(s.total, EPS, at) for s in sides):
            return Choice("beta", values["beta"], "given", f"given; needed is at {'least' if large else 'most'} {{0}}",
                          about=(rule,))
        _refuse_beta(sides, values, None, range(1))
    value = (round_up_significant(upper(rule, at, 25), BETA_DIGITS) if large
             else round_down_significant(lower(rule, at, 25), BETA_DIGITS))
    way = "up" if large else "down"
    return Choice("beta", value, "closed", f"{_why_beta(large)}, rounded {way} to {BETA_DIGITS} digits", rule, way,
                  (BETA, EPS))


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
    companion = f" (with --{name} {best[1]})" if name else ""
    raise Infeasible(f"beta = {echo(exact_text(values['beta']))} is too {'small' if upwards else 'large'} for "
                     f"eps = {echo(exact_text(values['eps']))}.",
                     f"The {'least' if upwards else 'largest'} beta that works is {shown}{companion}.")
