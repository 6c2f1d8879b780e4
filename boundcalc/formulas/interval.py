"""Intervals with symbolic ends: signed error enclosures and value ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy as sp
from sympy import Expr

from ..records import dataclass
from .tables import parts_of

ZERO = sp.S.Zero


def positive_part(x: Expr) -> Expr:
    """max(x, 0), decided by sign where the sign is known."""
    if x.is_extended_nonnegative:
        return x
    return ZERO if x.is_extended_nonpositive else (sp.Abs(x) + x) / 2


def signed_parts(x: Expr) -> tuple[Expr, Expr]:
    """max(x, 0) and max(−x, 0), with the sign asked for once."""
    if x.is_extended_nonnegative:
        return x, ZERO
    if x.is_extended_nonpositive:
        return ZERO, -x
    return parts_of(x) or ((sp.Abs(x) + x) / 2, (sp.Abs(x) - x) / 2)


def times(mass: Expr, x: Expr) -> Expr:
    """mass·x for a mass ≥ 0, with 0·∞ = 0: a coordinate that is not used contributes nothing, however unbounded. A mass
    that may vanish is taken as positive there."""
    if mass is ZERO or x is ZERO:
        return ZERO
    return x if x in (sp.oo, -sp.oo) else mass * x


def largest(values: Iterable[Expr]) -> Expr:
    """The maximum, without what is smaller by its sign alone. (sympy's own Max compares far too eagerly: seconds.)"""
    return _extreme(values, sp.oo, lambda v, w: v - w, sp.Max)


def smallest(values: Iterable[Expr]) -> Expr:
    return _extreme(values, -sp.oo, lambda v, w: w - v, sp.Min)


def _extreme(values: Iterable[Expr], best: Expr, lead: Callable[[Expr, Expr], Expr], undecided: type[Expr]) -> Expr:
    kept: list[Expr] = []
    distinct = dict.fromkeys(w for v in values for w in (v.args if isinstance(v, undecided) else (v,)))
    numbers = [v for v in distinct if v.is_Rational]
    if len(numbers) > 1:
        winner = undecided(*numbers)
        distinct = dict.fromkeys([winner, *(v for v in distinct if not v.is_Rational)])
    for v in distinct:
        if v == best:
            return best
        if v == -best or any(_leads(lead, k, v) for k in kept):
            continue
        kept = [k for k in kept if not _leads(lead, v, k)]
        kept.append(v)
    if len(kept) > 1:
        return undecided(*kept, evaluate=False)
    return kept[0] if kept else -best


def _leads(lead: Callable[[Expr, Expr], Expr], v: Expr, w: Expr) -> bool:
    """Whether v is provably at least as extreme as w. A nonzero number against a monomial is never decided by sign, and
    asking sympy about it takes milliseconds."""
    for a, b in ((v, w), (w, v)):
        if a.is_Rational and a is not ZERO and not b.is_number and (b.is_Pow or b.is_Mul or b.is_Symbol) and (
                a.is_positive == b.is_positive):
            return False
    if _free_quotient(v, w):
        return False
    gap = lead(v, w)
    if gap.has(sp.LambertW):        # sympy does not know that W(x) ≥ 0 for x ≥ 0
        gap = gap.replace(lambda e: isinstance(e, sp.LambertW) and e.args[0].is_nonnegative,
                          lambda e: sp.Dummy(nonnegative=True))
    if gap.has(sp.exp):             # nor that an even power of a real number is not negative where it might be infinite
        gap = gap.replace(lambda e: e.is_Pow and e.exp.is_even and e.base.is_extended_real,
                          lambda e: sp.Dummy(nonnegative=True))
    return bool(gap.is_nonnegative)


def _free_quotient(v: Expr, w: Expr) -> bool:
    """Whether v and w are positive and v/w is a product of powers of positive real parameters, of which sympy knows no more:
    it takes every positive value, so that neither is always the larger. (To find no answer takes sympy milliseconds.)"""
    if v.is_Add or w.is_Add or not (v.is_positive and w.is_positive):
        return False
    powers = [f.as_base_exp() for f in sp.Mul.make_args(v / w) if not f.is_Rational]
    return bool(powers) and all(
        base.is_Symbol and base.is_positive and base.is_integer is None and exponent.is_Rational
        for base, exponent in powers)


@dataclass(frozen=True)
class Interval:
    """[lo, hi], either end possibly infinite."""

    lo: Expr
    hi: Expr

    @staticmethod
    def of(lo: Expr | int, hi: Expr | int) -> Interval:
        return Interval(sp.S(lo), sp.S(hi))

    @staticmethod
    def symmetric(radius: Expr) -> Interval:
        return Interval(-radius, radius)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def weighted(self, positive: Expr, negative: Expr) -> Interval:
        """The values of positive·u − negative·v for u, v in the interval: a slope given by its two masses."""
        return Interval(times(positive, self.lo) - times(negative, self.hi),
                        times(positive, self.hi) - times(negative, self.lo))

    def scaled(self, factor: Expr) -> Interval:
        return self.weighted(*signed_parts(factor))

    @property
    def radius(self) -> Expr:
        """The least r with the interval inside [−r, r]."""
        if self.lo is ZERO or self.lo == -self.hi:
            return self.hi
        if self.hi is ZERO:
            return -self.lo
        excess = sp.expand(self.lo + self.hi) if self.bounded else None
        if excess is not None and excess.is_nonnegative:        # also where it is 0
            return self.hi
        return -self.lo if excess is not None and excess.is_nonpositive else largest((-self.lo, self.hi))

    @property
    def bounded(self) -> bool:
        return not (self.lo.has(sp.oo, -sp.oo) or self.hi.has(sp.oo, -sp.oo))

    def meet(self, other: Interval) -> Interval:
        """An enclosure of the intersection: the tighter end on each side, where that is decided."""
        lo = other.lo if self.lo == -sp.oo or (other.lo - self.lo).is_nonnegative else self.lo
        hi = other.hi if self.hi == sp.oo or (self.hi - other.hi).is_nonnegative else self.hi
        return Interval(lo, hi)

    def inside(self, other: Interval) -> bool:
        """Whether this interval is provably inside the other."""
        return bool((self.lo - other.lo).is_nonnegative or self.lo == other.lo or other.lo == -sp.oo) and bool(
            (other.hi - self.hi).is_nonnegative or self.hi == other.hi or other.hi == sp.oo)


POINT = Interval(ZERO, ZERO)
LINE = Interval(-sp.oo, sp.oo)


def hull(intervals: Iterable[Interval]) -> Interval:
    """The least interval that contains them all."""
    distinct = tuple(dict.fromkeys(intervals))
    if len(distinct) == 1:
        return distinct[0]
    return Interval(smallest(i.lo for i in distinct), largest(i.hi for i in distinct))
