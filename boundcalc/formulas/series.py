"""Sums and maxima over an index, and linear recurrences, in closed form.

Repeats and trees produce exponential sums Σ c·r^s, where an error meets a gain of its own rate (resonance) Σ p(s)·r^s with
polynomials p; families of units produce polynomials. Anything else is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..records import dataclass
from .index import Index
from .interval import largest
from .symbols import ABOVE_ONE, CodeEntry, exchange
from .tables import OF_TABLES, TableEntry, largest_of_entries, sum_of_entries


@dataclass(frozen=True)
class ExpSum:
    """Σ coefficient·base^s as a mapping base → coefficient, the base free of s; a coefficient may be a polynomial, in PLACE,
    where that is asked for."""

    terms: tuple[tuple[Expr, Expr], ...]

    @staticmethod
    def of(expr: Expr, s: sp.Symbol, polynomial: bool = False) -> ExpSum:
        collected: dict[Expr, Expr] = {}
        for term in sp.Add.make_args(sp.expand(expr)):
            base, coefficient = _split(term, s, polynomial)
            collected[base] = collected.get(base, sp.Integer(0)) + coefficient
        return ExpSum(tuple(collected.items()))

    def __add__(self, other: ExpSum) -> ExpSum:
        collected = dict(self.terms)
        for base, coefficient in other.terms:
            collected[base] = collected.get(base, sp.Integer(0)) + coefficient
        return ExpSum(tuple(collected.items()))

    def __mul__(self, other: ExpSum) -> ExpSum:
        product = ExpSum(())
        for r, c in self.terms:
            product = product + ExpSum(tuple((r * q, c * e) for q, e in other.terms))
        return product

    def shifted(self) -> ExpSum:
        """The same sum at s − 1."""
        return ExpSum(tuple((r, _moved(c, PLACE - 1) / r) for r, c in self.terms))

    def at(self, s: Expr) -> Expr:
        return sp.Add(*(_moved(c, s) * r ** s for r, c in self.terms))


PLACE = sp.Symbol("_place", integer=True)       # stands for s in polynomial coefficients


def _moved(coefficient: Expr, to: Expr) -> Expr:
    return sp.expand(coefficient.xreplace({PLACE: to})) if PLACE in coefficient.free_symbols else coefficient


def _split(term: Expr, s: sp.Symbol, polynomial: bool) -> tuple[Expr, Expr]:
    """term = coefficient·base^s."""
    base, coefficient = sp.Integer(1), sp.Integer(1)
    for factor in sp.Mul.make_args(term):
        if s not in factor.free_symbols:
            coefficient *= factor
            continue
        if polynomial and factor.is_polynomial(s):
            coefficient *= factor.xreplace({s: PLACE})
            continue
        if not (factor.is_Pow and s not in factor.base.free_symbols):
            raise NotDerivable("series", str(term), f"it is not of the form coefficient·base^{s}")
        slope = sp.expand(factor.exp).coeff(s)
        rest = sp.expand(factor.exp - slope * s)
        if s in rest.free_symbols or s in slope.free_symbols:
            raise NotDerivable("series", str(term), f"its exponent is not linear in {s}")
        base *= factor.base ** slope
        coefficient *= factor.base ** rest
    return base, coefficient


def sum_over(expr: Expr, index: Index) -> Expr:
    """Σ over the index, in closed form."""
    if index.symbol not in expr.free_symbols:
        return sp.expand(expr * index.count)
    if expr.has(*OF_TABLES):
        return sum_of_entries(expr, index)
    if expr.is_polynomial(index.symbol):
        return _polynomial_sum(expr, index)
    result: Expr = sp.Integer(0)
    for base, coefficient in ExpSum.of(expr, index.symbol).terms:
        if base == 1:
            result += coefficient * index.count
        else:
            result += coefficient * (base ** (index.last + 1) - base ** index.first) / (base - 1)
    return sp.expand(result)


@cache
def _polynomial_sum(expr: Expr, index: Index) -> Expr:
    """Faulhaber's formula: Σ_(s<n) s^k = (B_(k+1)(n) − B_(k+1)(0))/(k+1) with Bernoulli polynomials."""
    below = sp.S.Zero
    for (power,), coefficient in sp.Poly(expr, index.symbol).terms():
        below += coefficient * sum(sign * (sp.bernoulli(power + 1, end) - sp.bernoulli(power + 1, 0)) / (power + 1)
                                   for sign, end in ((1, index.last + 1), (-1, index.first)))
    return sp.factor(sp.expand(below))


def max_over(expr: Expr, index: Index) -> Expr:
    """The maximum over the index, for expressions proved monotone in it."""
    if index.symbol not in expr.free_symbols:
        return expr
    if expr.has(sp.KroneckerDelta, CodeEntry):      # at most 1, which some member of the family is
        return max_over(expr.replace(lambda e: isinstance(e, (sp.KroneckerDelta, CodeEntry)), lambda e: sp.S.One), index)
    if expr.has(*OF_TABLES) and (found := largest_of_entries(expr, index)) is not None:
        return found
    factor, rest = expr.as_independent(index.symbol, as_Add=False)
    if isinstance(rest, sp.Max) and factor.is_nonnegative:
        return largest(max_over(factor * a, index) for a in rest.args)
    if isinstance(rest, sp.Abs) and factor.is_nonnegative and _monotone(rest.args[0], index.symbol):
        return largest(factor * sp.Abs(rest.args[0].xreplace({index.symbol: end})) for end in (index.first, index.last))
    direction = _direction(expr, index.symbol)
    if direction is None and not expr.has(*OF_TABLES):
        rising = [_rises(r, c) for r, c in ExpSum.of(expr, index.symbol).terms if r != 1]
        direction = 1 if all(rising) else None if any(rising) else -1
    if direction is None:
        raise NotDerivable("series", str(expr), f"it is not proved monotone in {index.symbol}")
    return exchange(expr, {index.symbol: index.last if direction > 0 else index.first})


def _monotone(expr: Expr, s: sp.Symbol) -> bool:
    """Whether the expression rises or falls with s throughout, whichever it is."""
    linear = expr.is_polynomial(s) and sp.Poly(expr, s).degree() == 1
    return linear or _direction(expr, s) is not None


def _direction(expr: Expr, s: sp.Symbol) -> int | None:
    """+1 where the expression never falls with s, −1 where it never rises, 0 where s is not in it; None if not seen."""
    if s not in expr.free_symbols:
        return 0
    if expr == s:
        return 1
    if isinstance(expr, TableEntry):
        return expr.column.direction if expr.column.direction and expr.index == s else None
    if expr.is_Add:
        found = {_direction(a, s) for a in expr.args} - {0}
        return found.pop() if len(found) == 1 else None
    if expr.is_Mul:
        factor, rest = expr.as_independent(s, as_Add=False)
        inner = None if rest.is_Mul else _direction(rest, s)
        return None if inner is None else inner if factor.is_nonnegative else -inner if factor.is_nonpositive else None
    if expr.is_Pow and s not in expr.exp.free_symbols and expr.base.is_nonnegative:
        inner = _direction(expr.base, s)
        return None if inner is None else inner if expr.exp.is_positive else -inner if expr.exp.is_negative else None
    return None


def _rises(base: Expr, coefficient: Expr) -> bool:
    root, exponent = base.as_base_exp()
    if root in ABOVE_ONE:
        growing, shrinking = exponent.is_positive, exponent.is_negative
    else:
        growing, shrinking = (base - 1).is_positive, (1 - base).is_positive
    up, down = coefficient.is_nonnegative, coefficient.is_nonpositive
    if not (growing or shrinking) or not (up or down):
        raise NotDerivable("series", f"{coefficient}·{base}^s", "its direction of growth is not decided")
    return bool(growing) == bool(up)


def solve_triangular(start: Mapping[str, Expr], gain: Mapping[str, Mapping[str, Expr]], added: Mapping[str, Expr],
                     index: Index) -> dict[str, ExpSum]:
    """Closed form of e(s) = Λ(s)·e(s−1) + added(s), e(first − 1) = start, for nonnegative data (rule R5).

    Λ must be triangular in some order, with a diagonal that does not mention the index.
    The result is e(s) as an exponential sum in s, with polynomial coefficients where a force resonates, exact for every
    s ≥ first − 1 (s ≥ first where a rate is 0).
    """
    s = index.symbol
    solved: dict[str, ExpSum] = {}
    for name in _order(gain):
        rate = gain[name].get(name, sp.Integer(0))
        if s in rate.free_symbols:
            raise NotDerivable("R5", f"coordinate {name}", f"its own gain {rate} depends on the index")
        force = ExpSum.of(added.get(name, sp.Integer(0)), s, polynomial=True)
        for other, factor in gain[name].items():
            if other != name and factor != 0:
                force = force + ExpSum.of(factor, s, polynomial=True) * solved[other].shifted()
        solved[name] = _solve(rate, force, start.get(name, sp.Integer(0)), index)
    return solved


def _solve(rate: Expr, force: ExpSum, start: Expr, index: Index) -> ExpSum:
    """e(s) = rate·e(s−1) + Σ p(s)·r^s: a particular solution q(s)·r^s for each r, and rate^s times what is left at the
    start."""
    before = index.first - 1
    particular: dict[Expr, Expr] = {}
    for r, p in force.terms:
        if p != 0 and not p.is_zero:
            particular[r] = particular.get(r, sp.Integer(0)) + _particular(rate, r, p)
    offset = start - sp.Add(*(_moved(q, before) * r ** before for r, q in particular.items()))
    if rate == 0:
        if start != 0:
            raise NotDerivable("R5", "a coordinate that forgets its start", "its closed form fails at zero repeats")
        return ExpSum(tuple(particular.items()))
    own = next((r for r in particular if sp.expand(r - rate) == 0), rate)
    particular[own] = particular.get(own, sp.Integer(0)) + offset * rate ** (-before)
    return ExpSum(tuple((r, sp.expand(c)) for r, c in particular.items()))


def _particular(rate: Expr, r: Expr, p: Expr) -> Expr:
    """A polynomial q with q(s) − (rate/r)·q(s − 1) = p(s): of the degree of p, or one more where r = rate (resonance)."""
    resonates = sp.expand(r - rate) == 0
    if not resonates and PLACE not in p.free_symbols:
        return p * r / (r - rate)
    ratio = sp.S.One if resonates else sp.cancel(rate / r)
    rest, q = sp.Poly(p, PLACE), sp.S.Zero
    while not rest.is_zero:
        power = rest.degree()
        # the leading term of q is matched with that of p: s^k − ratio·(s − 1)^k leads with (1 − ratio)·s^k, or k·s^(k−1)
        term = rest.LC() / (power + 1) * PLACE ** (power + 1) if resonates else rest.LC() / (1 - ratio) * PLACE ** power
        q += term
        rest = sp.Poly(sp.expand(rest.as_expr() - term + ratio * term.xreplace({PLACE: PLACE - 1})), PLACE)
        if not rest.is_zero and rest.degree() >= power:         # nothing cancelled: signs that sympy does not see
            rest = sp.Poly(sp.simplify(rest.as_expr()), PLACE)
            if not rest.is_zero and rest.degree() >= power:
                raise NotDerivable("R5", f"a forcing term {p}·{r}^s", "its closed form was not found")
    return q


def _order(gain: Mapping[str, Mapping[str, Expr]]) -> list[str]:
    """Coordinates ordered so that each depends only on earlier ones and itself."""
    remaining = {name: {o for o, g in row.items() if o != name and g != 0} for name, row in gain.items()}
    order: list[str] = []
    while remaining:
        ready = [name for name, needs in remaining.items() if not needs & remaining.keys()]
        if not ready:
            raise NotDerivable("R5", f"coordinates {', '.join(remaining)}", "their gain matrix is not triangular")
        order += ready
        for name in ready:
            del remaining[name]
    return order
