"""Images and slopes of a tree on boxes with rational ends: interval walks, irrational ends rounded outwards.

Slopes between an exact box D and a perturbed box B: vectors of intervals such that for every u in D and v in B some s in
their convex hull has f(v) − f(u) = Σ s_j·(v_j − u_j).

    sum       slopes add
    f·g       s_f·(g(u) + g(v))/2 + s_g·(f(u) + f(v))/2, exactly
    φ(f)      φ[f(u), f(v)]·s_f; the divided difference of a convex φ rises in both arguments, so its ends are at the ends
    max, min  the difference lies between those of the parts: the union of their vectors

Vectors are kept apart as long as there are few of them: the error of a maximum is the largest error, not the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from flint import arb, fmpq

from ..numbers.arithmetic import TooLong, working_precision
from .enclosure import Undecided
from .functions import BITS, LINE, NIL, Function, Span, between, outwards, power
from .target_tree import Apply, Constant, Coordinate, Linear, MaxOrMin, Product, Special, TargetTree

MOST = 64               # vectors that a sum, or a function of several, keeps apart
MOST_BITS = 20_000

Vector: TypeAlias = dict[int, Span]         # coordinate → slope; 0 where there is none


# --- intervals --------------------------------------------------------------------------------------------------------

def _add(a: Span, b: Span) -> Span:
    return (None if a[0] is None or b[0] is None else a[0] + b[0], None if a[1] is None or b[1] is None else a[1] + b[1])


def scaled(c: fmpq, a: Span) -> Span:
    if c == 0:
        return NIL, NIL
    ends = tuple(None if e is None else c * e for e in a)
    return (ends[0], ends[1]) if c > 0 else (ends[1], ends[0])


def times(a: Span, b: Span) -> Span:
    """0·∞ is 0: ends that are infinite are not attained."""
    if a == b == LINE:
        return LINE
    if a[0] == a[1] and a[0] is not None:
        return scaled(a[0], b)
    if b[0] == b[1] and b[0] is not None:
        return scaled(b[0], a)
    low: list[fmpq | None] = []
    high: list[fmpq | None] = []
    for (x, left), (y, right) in product(((a[0], -1), (a[1], 1)), ((b[0], -1), (b[1], 1))):
        if x is not None and y is not None:
            low.append(x * y)
            high.append(x * y)
        elif x == 0 or y == 0:
            low.append(NIL)
            high.append(NIL)
        else:
            sign = (left if x is None else 1 if x > 0 else -1) * (right if y is None else 1 if y > 0 else -1)
            (high if sign > 0 else low).append(None)
    return (None if None in low else min(e for e in low if e is not None),
            None if None in high else max(e for e in high if e is not None))


def hull(spans: Iterable[Span]) -> Span:
    all_ = list(spans)
    lows, highs = [a for a, _ in all_], [b for _, b in all_]
    return (None if None in lows else min(e for e in lows if e is not None),
            None if None in highs else max(e for e in highs if e is not None))


def meet(a: Span, b: Span) -> Span:
    """Of two enclosures of one thing."""
    return (b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0]),
            b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1]))


def _extreme(sign: int, spans: Sequence[Span]) -> Span:
    if sign < 0:
        low, high = _extreme(1, [scaled(fmpq(-1), s) for s in spans])
        return scaled(fmpq(-1), (low, high))
    lows, highs = [a for a, _ in spans if a is not None], [b for _, b in spans]
    return (max(lows) if lows else None, None if None in highs else max(e for e in highs if e is not None))


# --- images -----------------------------------------------------------------------------------------------------------

def image(tree: TargetTree, box: Sequence[Span]) -> Span:
    match tree:
        case Constant(value=x):
            return x, x
        case Special(name=name):
            return outwards(arb.pi if name == "pi" else arb.const_e)
        case Coordinate(index=k):
            return box[k]
        case Linear(constant=constant, terms=terms):
            total: Span = (constant, constant)
            for c, t in terms:
                total = _add(total, scaled(c, image(t, box)))
            return total
        case Product(factors=(first, *rest)):
            found = image(first, box)
            for f in rest:
                found = times(found, image(f, box))
            return found
        case MaxOrMin(sign=sign, parts=parts):
            return _extreme(sign, [image(p, box) for p in parts])
        case Apply(function=f, argument=argument):
            return f.image(image(argument, box))
    raise AssertionError(tree)


# --- slopes -----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Slopes:
    """Of one part: its image on both boxes, and its slope vectors."""

    exact: Span
    perturbed: Span
    vectors: tuple[Vector, ...]

    @property
    def middle(self) -> Span:
        """(f(u) + f(v))/2."""
        return scaled(fmpq(1, 2), _add(self.exact, self.perturbed))


def slopes(tree: TargetTree, exact: Sequence[Span], perturbed: Sequence[Span]) -> Slopes:
    match tree:
        case Constant() | Special():
            value = image(tree, ())
            return Slopes(value, value, ({},))
        case Coordinate(index=k):
            return Slopes(exact[k], perturbed[k], ({k: (fmpq(1), fmpq(1))},))
        case Linear(constant=constant, terms=terms):
            whole = Slopes((constant, constant), (constant, constant), ({},))
            for c, t in terms:
                part = slopes(t, exact, perturbed)
                whole = Slopes(_add(whole.exact, scaled(c, part.exact)), _add(whole.perturbed, scaled(c, part.perturbed)),
                               _sums(whole.vectors, [_times(v, (c, c)) for v in part.vectors]))
            return whole
        case Product(factors=(first, *rest)):
            found = slopes(first, exact, perturbed)
            for f in rest:
                found = _product(found, slopes(f, exact, perturbed))
            return found
        case MaxOrMin(sign=sign, parts=parts):
            return _extremum(sign, [slopes(p, exact, perturbed) for p in parts])
        case Apply(function=f, argument=argument):
            inner = slopes(argument, exact, perturbed)
            ends = f.image(inner.exact), f.image(inner.perturbed)
            if not any(inner.vectors):
                return Slopes(*ends, ({},))
            return Slopes(*ends, _along(inner.vectors, divided_difference(f, inner.exact, inner.perturbed)))
    raise AssertionError(tree)


def _times(v: Vector, factor: Span) -> Vector:
    return {k: times(s, factor) for k, s in v.items()}


def _product(f: Slopes, g: Slopes) -> Slopes:
    vectors = _sums([_times(v, g.middle) for v in f.vectors], [_times(v, f.middle) for v in g.vectors])
    return Slopes(times(f.exact, g.exact), times(f.perturbed, g.perturbed), vectors)


def _sums(first: Sequence[Vector], second: Sequence[Vector]) -> tuple[Vector, ...]:
    if len(first) * len(second) > MOST:
        first, second = ((_hull(vectors),) if len(vectors) > 1 else vectors for vectors in (first, second))
    found = []
    for v, w in product(first, second):
        both = dict(v)
        for k, s in w.items():
            both[k] = _add(both[k], s) if k in both else s
        found.append(both)
    return _distinct(found)


def _hull(vectors: Sequence[Vector]) -> Vector:
    zero: Span = (NIL, NIL)
    return {k: hull(v.get(k, zero) for v in vectors) for k in dict.fromkeys(k for v in vectors for k in v)}


def _distinct(vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    return tuple({tuple(sorted(v.items(), key=lambda entry: entry[0])): v for v in vectors}.values())


def _along(vectors: Sequence[Vector], slope: Span) -> tuple[Vector, ...]:
    """φ·s for all φ between two ends: in the hull of both, with the same s. So |x − y| has (1, −1) and (−1, 1)."""
    low, high = slope
    if low is None or high is None or low == high or 2 * len(vectors) > MOST:
        return _distinct(_times(v, slope) for v in vectors)
    return _distinct(_times(v, (e, e)) for v in vectors for e in (low, high))


def _extremum(sign: int, parts: Sequence[Slopes]) -> Slopes:
    exact, perturbed = (_extreme(sign, [p.exact for p in parts]), _extreme(sign, [p.perturbed for p in parts]))
    # a part that is never ahead of the others on either box may be left out
    needed = [p for p in parts if not (_behind(sign, p.exact, exact) and _behind(sign, p.perturbed, perturbed))] or parts
    return Slopes(exact, perturbed, _distinct(v for p in needed for v in p.vectors))


def _behind(sign: int, part: Span, whole: Span) -> bool:
    """Whether a part is strictly on the wrong side of what the extremum surely reaches."""
    if sign > 0:
        return part[1] is not None and whole[0] is not None and part[1] < whole[0]
    return part[0] is not None and whole[1] is not None and part[0] > whole[1]


# --- divided differences ----------------------------------------------------------------------------------------------

def divided_difference(f: Function, exact: Span, perturbed: Span) -> Span:
    """An enclosure of (φ(v) − φ(u))/(v − u) for u in one interval and v in the other, and of φ′ where they meet."""
    whole = hull((exact, perturbed))
    found = f.slopes
    bend = f.bend(whole)
    if f.name in ("floor", "ceil"):
        raise Undecided(f"{f.name} jumps: it has no slope.")
    if bend:
        low, high = (_quotient(f, exact[k], perturbed[k], k) for k in (0, 1))
        found = meet(found, (low[0], high[1]) if bend > 0 else (high[0], low[1]))
    elif whole[0] is not None and whole[1] is not None:
        low_end, high_end = whole
        found = meet(found, _finite(lambda: f.first(arb(low_end).union(arb(high_end)))))
    exponent = f.exponent
    if exponent is not None and exponent.q == 1 and exponent > 0 and not bend:
        # u^n − v^n = (u − v)·Σ u^k·v^(n−1−k)
        total: Span = (NIL, NIL)
        n = int(exponent.p)
        for k in range(n):
            total = _add(total, times(_power(exact, k), _power(perturbed, n - 1 - k)))
        found = meet(found, total)
    return found


def _power(a: Span, n: int) -> Span:
    return (fmpq(1), fmpq(1)) if n == 0 else a if n == 1 else power(fmpq(n)).image(a)


def _quotient(f: Function, u: fmpq | None, v: fmpq | None, side: int) -> Span:
    """At the left (side 0) or right ends of two intervals; at an infinite end the limit is not known but for f.slopes."""
    if u is None or v is None:
        return LINE
    if f.name == "abs":
        return _slope_of_abs(u, v, side)
    if u == v:
        return _derivative(f, u)
    try:
        with working_precision(min(MOST_BITS, BITS + 2 * (v - u).height_bits())):       # near points cancel
            a, b = between(f, u), between(f, v)
    except (Undecided, TooLong):
        return LINE
    return times((b[0] - a[1], b[1] - a[0]), (1 / (v - u), 1 / (v - u)))


def _derivative(f: Function, x: fmpq) -> Span:
    p = f.exponent
    if p is not None and not (x == 0 and p < 2):
        lower = x if p == 2 else power(p - 1).exact(x)
        if lower is not None:
            return p * lower, p * lower
    return _finite(lambda: f.first(arb(x)))


def _slope_of_abs(u: fmpq, v: fmpq, side: int) -> Span:
    if u == v:
        one = fmpq(1 if u > 0 or (u == 0 and side == 0) else -1)
        return one, one
    slope = (abs(v) - abs(u)) / (v - u)
    return slope, slope


def _finite(compute: Callable[[], arb]) -> Span:
    try:
        return outwards(compute)
    except (Undecided, TooLong):
        return LINE
