"""Slopes of a layer with many units and numeric weights (rule R2), without writing out 2^units slope vectors.

The slope of an output row is g₀ + Σ_u s_u·v_u, each s_u in [0, 1]. What it makes of errors e in a box is convex in e for
every end of the result, so its largest and least values are attained at vertices of the box: 2^k of them where k coordinates
carry an error, and at each of them every unit decides for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp
from sympy import Expr

from ..formulas.interval import POINT, Interval, hull
from ..terms.gate import Gate
from ..terms.linear import Form, Ref, Rows
from ..terms.ranges import FEW_UNITS, on_inputs
from ..terms.term import Ramps
from .profile import GainRow, Slope

MOST_COORDINATES = 12   # with an error, at whose vertices is looked
NIL = Fraction(0)

Coordinates = Mapping[Ref, Fraction]


@dataclass(frozen=True)
class Zonotope:
    """All slopes start + Σ s_u·v_u, s_u in [0, 1]."""

    start: Coordinates
    vectors: tuple[Coordinates, ...]

    def ends(self, ref: Ref) -> tuple[Fraction, Fraction]:
        """Between which numbers the slope in one coordinate lies."""
        own = [v[ref] for v in self.vectors if ref in v]
        start = self.start.get(ref, NIL)
        return start + sum((c for c in own if c < 0), NIL), start + sum((c for c in own if c > 0), NIL)

    def refs(self) -> list[Ref]:
        return list(dict.fromkeys((*self.start, *(ref for v in self.vectors for ref in v))))

    def largest(self, boxes: Mapping[Ref, tuple[Fraction, Fraction]]) -> Fraction:
        """The largest slope·e for e in the box; attained at a vertex."""
        refs = [ref for ref in self.refs() if boxes.get(ref, (NIL, NIL)) != (NIL, NIL)]
        if len(refs) > MOST_COORDINATES:        # then coordinate by coordinate, which is no less
            return sum((max(c * e for c in self.ends(ref) for e in boxes[ref]) for ref in refs), NIL)
        start = [self.start.get(ref, NIL) for ref in refs]
        vectors = [[v.get(ref, NIL) for ref in refs] for v in self.vectors]
        best: Fraction | None = None
        for e in product(*(dict.fromkeys(boxes[ref]) for ref in refs)):
            value = _dot(start, e) + sum((max(_dot(v, e), NIL) for v in vectors), NIL)
            best = value if best is None or value > best else best
        return best if best is not None else NIL


def _dot(v: Sequence[Fraction], e: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(v, e, strict=True) if a), NIL)


@dataclass(frozen=True)
class HullRow(GainRow):
    """A block whose rows have so many slopes that they are kept as zonotopes. `slopes` has the boxes around them."""

    zonotopes: tuple[Zonotope, ...] = ()

    def push(self, incoming: Mapping[str, Interval]) -> Interval:
        """In units of a common factor, where the ends of all errors are multiples of one; else box by box."""
        known = {b: e for b, e in incoming.items() if e is not POINT}
        unit, boxes = _in_units(known)
        if boxes is None:
            return hull([POINT, super().push(incoming)])
        found = []
        for z in self.zonotopes:
            here = {ref: boxes[ref.block] for ref in z.refs() if ref.block in boxes}
            turned = {ref: (-high, -low) for ref, (low, high) in here.items()}
            found.append(Interval(-_rational(z.largest(turned)) * unit, _rational(z.largest(here)) * unit))
        return hull(found)

    def norm(self) -> Expr:
        sizes = [z.largest({ref: (Fraction(-1), Fraction(1)) for ref in z.refs()}) for z in self.zonotopes]
        return _rational(max(sizes))


def _in_units(incoming: Mapping[str, Interval]) -> tuple[Expr, dict[str, tuple[Fraction, Fraction]] | None]:
    """A positive expression of which all ends are rational multiples, and these; None where there is none."""
    unit: Expr = sp.S.One
    for e in incoming.values():
        for end in (e.lo, e.hi):
            if end.free_symbols or not end.is_Rational:
                unit = end.as_coeff_Mul()[1]
    if not unit.is_positive:
        return unit, None
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for block, e in incoming.items():
        ends = [end / unit for end in (e.lo, e.hi)]
        if not all(x.is_Rational for x in ends):
            return unit, None
        low, high = (Fraction(int(x.p), int(x.q)) for x in ends)
        found[block] = low, high
    return unit, found


def hull_row(zonotopes: Iterable[Zonotope]) -> HullRow:
    kept = tuple(zonotopes)
    boxes: list[Slope] = []
    for z in kept:
        box: dict[str, tuple[Expr, Expr]] = {}
        for ref in z.refs():
            low, high = z.ends(ref)
            above, below = box.get(ref.block, (sp.S.Zero, sp.S.Zero))
            box[ref.block] = above + _rational(max(high, NIL)), below + _rational(max(-low, NIL))
        boxes.append(box)
    return HullRow(tuple(boxes), zonotopes=kept)


def zonotope(layer: Ramps, row: Rows) -> Zonotope | None:
    """The slopes of a row with many single units, where all of its weights are numbers."""
    units = {u.name: u for u in layer.units}
    gated = [t for t in row.form.terms if t.ref.block in units]
    if len(gated) <= FEW_UNITS or row.over or any(t.over for t in row.form.terms):
        return None
    low, high = (sp.S.Zero, sp.S.One) if not isinstance(layer.gate, Gate) else layer.gate.slopes
    start = Form(tuple(t for t in row.form.terms if t.ref.block not in units))
    vectors = []
    for t in gated:
        read = Form((type(t)(t.coefficient, units[t.ref.block].source(t.ref.at)[0]),))
        start = start + read * low if low != 0 else start
        vectors.append(coordinates(on_inputs(layer.pre, read * (high - low))))
    first = coordinates(on_inputs(layer.pre, start))
    known = [v for v in vectors if v is not None]
    return None if first is None or len(known) < len(vectors) else Zonotope(first, tuple(known))


def coordinates(form: Form) -> Coordinates | None:
    found: dict[Ref, Fraction] = {}
    for t in form.terms:
        c = t.coefficient
        if t.over or not c.is_Rational:
            return None
        found[t.ref] = found.get(t.ref, NIL) + Fraction(int(c.p), int(c.q))
    return {ref: c for ref, c in found.items() if c}


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)
