"""Slopes and image of a declared target in closed form: the walk of slopes.py on symbolic boxes.

Blocks keep their names and their symbolic sizes; a slope belongs to a block, and counts all its coordinates together. The
radius of [c − h, c + h] is |c| + h. So the gain of x·y on [c − h, c + h]², of which δ is input error, is |c| + h − δ/2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..numbers.exact import decimal
from ..records import dataclass
from .build import Node
from .interval import LINE, Interval, hull, largest, smallest
from .symbols import symbol
from .target_text import OVER_BLOCKS, declared, names_in

ZERO, ONE = sp.S.Zero, sp.S.One
UNIT = Interval(ONE, ONE)

Vector: TypeAlias = Mapping[str, Interval]


@dataclass(frozen=True)
class SymbolicBox:
    """Of every coordinate of a block: exact and perturbed inputs, and how many coordinates there are."""

    exact: Interval
    perturbed: Interval
    size: Expr = ONE


@dataclass(frozen=True)
class ClosedSlopes:
    """Of one part: its image on both boxes, and its slope vectors."""

    exact: Interval
    perturbed: Interval
    vectors: tuple[Vector, ...]


def closed_slopes(text: str, boxes: Mapping[str, SymbolicBox]) -> ClosedSlopes:
    """NotDerivable where a sign that matters is not known, or the text needs concrete sizes. Names that are no blocks are
    parameters."""
    node, _ = declared(text)
    return _Walk(text, boxes).of(node)


def radius(i: Interval) -> Expr:
    """The least r with the interval inside [−r, r], in centre–radius form where its signs are not known."""
    if i.lo.is_nonnegative:
        return i.hi
    if i.hi.is_nonpositive:
        return -i.lo
    if not i.bounded:
        return sp.oo
    return sp.Abs((i.lo + i.hi) / 2) + (i.hi - i.lo) / 2


class _Walk:
    def __init__(self, text: str, boxes: Mapping[str, SymbolicBox]) -> None:
        self.text, self.boxes = text, boxes

    def refuse(self, why: str) -> NotDerivable:
        return NotDerivable("R8", f"the target {self.text}", why)

    def of(self, node: Node) -> ClosedSlopes:
        match node.kind:
            case "number":
                value = decimal(str(node.value))
                return _constant(sp.Rational(value.numerator, value.denominator))
            case "name":
                return self._name(str(node.value))
            case "group":
                return self.of(node.parts[0])
            case "negative":
                return _scaled(sp.S.NegativeOne, self.of(node.parts[0]))
            case "sum":
                return reduce(_sum, map(self.of, node.parts))
            case "product":
                parts = [self._power(self.of(p), -1) if below else self.of(p)
                         for p, below in zip(node.parts, node.inverted, strict=True)]
                return reduce(_product, parts)
            case "power":
                exponent = self.of(node.parts[1])
                if exponent.exact.lo != exponent.exact.hi or not exponent.exact.lo.is_Integer:
                    raise self.refuse("only integer powers have slopes in closed form")
                return self._power(self.of(node.parts[0]), int(exponent.exact.lo))
        return self._call(node, str(node.value))

    def _name(self, name: str) -> ClosedSlopes:
        if name in self.boxes:
            box = self.boxes[name]
            return ClosedSlopes(box.exact, box.perturbed, ({name: UNIT},))
        return _constant({"pi": sp.pi, "e": sp.E}.get(name, symbol(name)))

    def _call(self, node: Node, name: str) -> ClosedSlopes:
        if name in OVER_BLOCKS and len(node.parts) == 1:
            return self._over_block(node, name)
        if name in ("sum", "product", "floor", "ceil"):
            raise self.refuse(f"{name} has no slopes in closed form")
        parts = [self.of(p) for p in node.parts]
        if name == "relu":
            return _extremum(1, [*parts, _constant(ZERO)])
        if name in ("max", "min"):
            return _extremum(1 if name == "max" else -1, parts)
        if name == "abs":
            return _extremum(1, [parts[0], _scaled(sp.S.NegativeOne, parts[0])])
        return self._function(name, parts[0])

    def _over_block(self, node: Node, name: str) -> ClosedSlopes:
        """One coordinate stands for all; in a sum for as many as there are."""
        inner = self.of(node.parts[0])
        sizes = {self.boxes[b].size for b in names_in(node.parts[0]) & self.boxes.keys()}
        if len(sizes) != 1 or not names_in(node.parts[0]) <= self.boxes.keys():
            raise self.refuse(f"{name} of lists has no slopes in closed form")
        size, = sizes
        if name in ("max", "min") or size == 1:
            return inner
        if name == "sum":
            return _scaled(size, inner)
        raise self.refuse("a product of so many factors has no slopes in closed form")

    def _power(self, base: ClosedSlopes, n: int) -> ClosedSlopes:
        if n == 0:
            return _constant(ONE)
        if n == 1:
            return base
        if n < 0:
            return self._reciprocal(self._power(base, -n))
        ends = _raised(base.exact, n), _raised(base.perturbed, n)
        if n == 2:
            return ClosedSlopes(*ends, _along(base.vectors, base.exact + base.perturbed))
        u, v = base.exact, base.perturbed
        if u.lo.is_nonnegative and v.lo.is_nonnegative:
            slope = Interval(_mixed(u.lo, v.lo, n), _mixed(u.hi, v.hi, n))
        else:
            slope = Interval.symmetric(_mixed(radius(u), radius(v), n))
        return ClosedSlopes(*ends, _along(base.vectors, slope))

    def _reciprocal(self, base: ClosedSlopes) -> ClosedSlopes:
        u, v = base.exact, base.perturbed
        if not (u.lo.is_positive and v.lo.is_positive):
            raise self.refuse("what stands in a denominator is not seen to be positive")
        slope = Interval(-1 / (u.lo * v.lo), -_inverse(u.hi * v.hi))
        return ClosedSlopes(Interval(_inverse(u.hi), 1 / u.lo), Interval(_inverse(v.hi), 1 / v.lo),
                            _along(base.vectors, slope))

    def _function(self, name: str, inner: ClosedSlopes) -> ClosedSlopes:
        """Rising functions (and waves): the slope is bounded by that on the hull of both boxes."""
        whole = hull((inner.exact, inner.perturbed))
        if name in ("log", "sqrt") and not whole.lo.is_positive:
            raise self.refuse(f"the argument of {name} is not seen to be positive")
        unit = Interval(sp.S.NegativeOne, ONE)
        match name:
            case "exp":
                f, slope = sp.exp, Interval(sp.exp(whole.lo), sp.exp(whole.hi))
            case "log":
                f, slope = sp.log, Interval(1 / whole.hi, 1 / whole.lo)
            case "sqrt":
                f, slope = sp.sqrt, Interval(1 / (2 * sp.sqrt(whole.hi)), 1 / (2 * sp.sqrt(whole.lo)))
            case "tanh":
                f, slope = sp.tanh, Interval(ZERO, ONE)
            case "sigma":
                f, slope = lambda x: 1 / (1 + sp.exp(-x)), Interval(ZERO, sp.Rational(1, 4))
            case "sin" | "cos":
                return ClosedSlopes(unit, unit, _along(inner.vectors, unit))
            case _:
                raise self.refuse(f"{name} has no slopes in closed form")
        u, v = inner.exact, inner.perturbed
        return ClosedSlopes(Interval(f(u.lo), f(u.hi)), Interval(f(v.lo), f(v.hi)), _along(inner.vectors, slope))


def _mixed(u: Expr, v: Expr, n: int) -> Expr:
    """(u^n − v^n)/(u − v)."""
    return sp.Add(*(u ** k * v ** (n - 1 - k) for k in range(n)))


def _inverse(x: Expr) -> Expr:
    """A lower bound of 1/x, x > 0: 0 where sympy does not see that sign, so that others see one."""
    return 1 / x if x.is_positive else ZERO


def _constant(x: Expr) -> ClosedSlopes:
    return ClosedSlopes(Interval(x, x), Interval(x, x), ({},))


def _times(a: Interval, b: Interval) -> Interval:
    """By signs where they are known, else (c ± h)(c′ ± h′) ⊂ cc′ ± (|c|h′ + |c′|h + hh′)."""
    for x, y in ((a, b), (b, a)):
        if x.lo == x.hi:
            return y.scaled(x.lo)
    if not (a.bounded and b.bounded):
        return LINE
    if a.lo.is_nonnegative and b.lo.is_nonnegative:
        return Interval(a.lo * b.lo, a.hi * b.hi)
    (c, h), (d, k) = (((i.lo + i.hi) / 2, (i.hi - i.lo) / 2) for i in (a, b))
    spread = sp.Abs(c) * k + sp.Abs(d) * h + h * k
    return Interval(c * d - spread, c * d + spread)


def _raised(i: Interval, n: int) -> Interval:
    if n % 2 or i.lo.is_nonnegative:
        return Interval(i.lo ** n, i.hi ** n)
    return Interval(i.hi ** n, i.lo ** n) if i.hi.is_nonpositive else Interval(ZERO, radius(i) ** n)


def _along(vectors: Sequence[Vector], slope: Interval) -> tuple[Vector, ...]:
    return tuple({b: _times(i, slope) for b, i in v.items()} for v in vectors)


def _scaled(factor: Expr, part: ClosedSlopes) -> ClosedSlopes:
    return ClosedSlopes(part.exact.scaled(factor), part.perturbed.scaled(factor),
                        tuple({b: i.scaled(factor) for b, i in v.items()} for v in part.vectors))


def _sum(f: ClosedSlopes, g: ClosedSlopes) -> ClosedSlopes:
    return ClosedSlopes(f.exact + g.exact, f.perturbed + g.perturbed, _sums(f.vectors, g.vectors))


def _sums(first: Sequence[Vector], second: Sequence[Vector]) -> tuple[Vector, ...]:
    found: list[Vector] = []
    for v in first:
        for w in second:
            both = {**v, **{b: v[b] + i if b in v else i for b, i in w.items()}}
            if both not in found:
                found.append(both)
    return tuple(found)


def _product(f: ClosedSlopes, g: ClosedSlopes) -> ClosedSlopes:
    half = sp.Rational(1, 2)
    vectors = _sums(_along(f.vectors, (g.exact + g.perturbed).scaled(half)),
                    _along(g.vectors, (f.exact + f.perturbed).scaled(half)))
    return ClosedSlopes(_times(f.exact, g.exact), _times(f.perturbed, g.perturbed), vectors)


def _extremum(sign: int, parts: Sequence[ClosedSlopes]) -> ClosedSlopes:
    best = largest if sign > 0 else smallest

    def image(intervals: Sequence[Interval]) -> Interval:
        return Interval(best(i.lo for i in intervals), best(i.hi for i in intervals))

    vectors: list[Vector] = []
    for p in parts:
        vectors += [v for v in p.vectors if v not in vectors]
    return ClosedSlopes(image([p.exact for p in parts]), image([p.perturbed for p in parts]), tuple(vectors))
