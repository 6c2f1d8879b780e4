"""One level of a chain z ↦ y = z − 2A(z), where A approximates max(z, 0): y ≈ −|z|, and R = z² − y² = 4A(z − A) ≈ 0.

For max(z, 0) itself y = −|z| and R = 0; for silu y = −z·tanh(βz/2) and R = z²·sech²(βz/2), both free of cancellation.
Any other A is an exact piecewise linear function plus deviations.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from typing import Protocol, TypeAlias

from flint import arb, fmpq

from .curve import Curve, Piecewise
from .kernels import ReluKernel, SiluKernel, StairKernel
from .staircase import largest

ZERO = arb(0)
Ends: TypeAlias = tuple[arb, arb]       # a ball would round the end that matters: radii have 30 bits


class Level(Protocol):
    key: tuple[object, ...]     # levels with equal keys are the same function
    wide: fmpq | None           # intervals from this length on have no useful slopes

    def image(self, u: fmpq, v: fmpq) -> Ends:
        """The least and the largest y on [u, v]."""
    def residual(self, u: fmpq, v: fmpq) -> Ends:
        """The least and the largest R on [u, v]; 0 exactly where it is 0."""
    def slopes(self, u: fmpq, v: fmpq) -> tuple[arb, arb]:
        """dy/dz and dR/dz on [u, v] (hulls of one-sided derivatives)."""
    def kinks(self) -> list[fmpq]:
        """Where cells had better end."""
    def preimage(self, y: fmpq) -> list[fmpq]:
        """Points z whose y is about that."""


def level_of(curve: Curve) -> Level:
    """The level of A; a single ReLU or silu of z has closed forms."""
    if len(curve.gates) == 1 and curve.ideal.constant == 0 and curve.ideal.slope == 0:
        gate = curve.gates[0]
        if gate.shift == 0 and gate.rate > 0 and gate.factor * gate.rate == 1:
            if isinstance(gate.kernel, ReluKernel):
                return ExactLevel()
            if isinstance(gate.kernel, SiluKernel):
                return SiluLevel(gate.kernel.beta * gate.rate)
    return CurveLevel(curve)


def sizes(u: fmpq, v: fmpq) -> tuple[fmpq, fmpq]:
    """The least and the largest |z| on [u, v]."""
    a, b = abs(u), abs(v)
    return (fmpq(0) if u < 0 < v else min(a, b)), max(a, b)


class ExactLevel:
    """A = max(z, 0)."""

    key: tuple[object, ...] = ("relu",)
    wide: fmpq | None = None

    def image(self, u: fmpq, v: fmpq) -> Ends:
        low, high = sizes(u, v)
        return arb(-high), arb(-low)

    def residual(self, u: fmpq, v: fmpq) -> Ends:
        return ZERO, ZERO

    def slopes(self, u: fmpq, v: fmpq) -> tuple[arb, arb]:
        slope = arb(-1) if u >= 0 else arb(1) if v <= 0 else arb(-1).union(arb(1))
        return slope, ZERO

    def kinks(self) -> list[fmpq]:
        return [fmpq(0)]

    def preimage(self, y: fmpq) -> list[fmpq]:
        return [y, -y]


class SiluLevel:
    """A = z/(1 + e^(−βz)). With x = β|z|/2: y = −|z|·tanh x falls in |z|; R = z²·sech² x."""

    def __init__(self, beta: fmpq) -> None:
        self.half = beta / 2
        self.key: tuple[object, ...] = ("silu", beta)
        self.wide: fmpq | None = None

    def image(self, u: fmpq, v: fmpq) -> Ends:
        low, high = sizes(u, v)
        return -high * arb(self.half * high).tanh(), -low * arb(self.half * low).tanh()

    def residual(self, u: fmpq, v: fmpq) -> Ends:
        low, high = sizes(u, v)
        return low * low * self._sech2(high), high * high * self._sech2(low)

    def _sech2(self, z: fmpq) -> arb:
        """4e^(−2x)/(1 + e^(−2x))²."""
        e = arb(-2 * self.half * z).exp()
        return 4 * e / ((1 + e) * (1 + e))

    def slopes(self, u: fmpq, v: fmpq) -> tuple[arb, arb]:
        """dy/d|z| = −(tanh x + x·sech² x), dR/d|z| = |z|·sech² x·(2 − 2x·tanh x)."""
        low, high = sizes(u, v)
        x = arb(self.half * low).union(arb(self.half * high))
        tanh = arb(self.half * low).tanh().union(arb(self.half * high).tanh())
        sech2 = self._sech2(low).union(self._sech2(high))
        outer = -(tanh + x * sech2)
        inner = arb(low).union(arb(high)) * sech2 * (2 - 2 * x * tanh)
        if u >= 0:
            return outer, inner
        return (-outer, -inner) if v <= 0 else (outer.union(-outer), inner.union(-inner))

    def kinks(self) -> list[fmpq]:
        return [fmpq(0)]

    def preimage(self, y: fmpq) -> list[fmpq]:
        return [y, -y]


class CurveLevel:
    """Any A = ideal + deviations."""

    def __init__(self, curve: Curve) -> None:
        self.curve = curve
        self.key: tuple[object, ...] = ("curve", curve.ideal, *curve.gates)
        self._kinks = sorted({k for k, _ in curve.ideal.hinges})
        self._last: tuple[fmpq, fmpq, arb] | None = None
        self.image_ideal = Piecewise(slope=fmpq(1)).plus(curve.ideal, fmpq(-2))
        stairs = [(g.factor, g.kernel) for g in curve.gates if isinstance(g.kernel, StairKernel)]
        most = sum((abs(factor) * largest(kernel) for factor, kernel in stairs), ZERO)
        self.most = most.union(-most) if len(stairs) == len(curve.gates) else None
        # from half a cell on, inside the grid, nothing is better than the bound for all inputs
        self.wide: fmpq | None = max((1 / (2 * abs(g.rate)) for g in curve.gates), default=fmpq(0)) if stairs else None

    def kinks(self) -> list[fmpq]:
        return self._kinks

    def _cuts(self, u: fmpq, v: fmpq) -> list[fmpq]:
        return [u, *(k for k in self.kinks() if u < k < v), v]

    def _pieces(self, u: fmpq, v: fmpq) -> Iterator[tuple[fmpq, fmpq]]:
        return pairwise(self._cuts(u, v))

    def _deviation(self, u: fmpq, v: fmpq) -> arb:
        """Asked for three times in a row: once for y, for R and for the slopes."""
        if self._last is None or self._last[:2] != (u, v):
            self._last = u, v, self._range(u, v)
        return self._last[2]

    def _range(self, u: fmpq, v: fmpq) -> arb:
        """By mean value and as it is, whichever is narrower."""
        if self.most is not None and self.wide is not None and v - u >= self.wide and self._kinks and (
                v > self._kinks[0] and u < self._kinks[-1]):
            return self.most
        plain = self.curve.over(u, v) if u != v else self.curve.at(u)
        if self.most is not None and self.most.rad() < plain.rad():
            plain = self.most
        if u == v or any(u < k < v for k in self.kinks()):
            return plain
        middle = (u + v) / 2
        slope = self.curve.slope(u, v)
        if slope >= 0 or slope <= 0:
            return self.curve.at(u).union(self.curve.at(v))
        mean = self.curve.at(middle) + slope * arb(u - middle).union(arb(v - middle))
        return mean if mean.is_finite() and mean.rad() < plain.rad() else plain

    def image(self, u: fmpq, v: fmpq) -> Ends:
        values = [self.image_ideal(x) for x in self._cuts(u, v)]
        d = self._deviation(u, v)
        return min(values) - 2 * d.upper(), max(values) - 2 * d.lower()

    def residual(self, u: fmpq, v: fmpq) -> Ends:
        """4A(z − A) with A = i + d: between kinks i and z − i are linear, and each is between its values at the ends."""
        d = self._deviation(u, v)
        parts = []
        for a, b in self._pieces(u, v):
            left, right = self.curve.ideal(a), self.curve.ideal(b)
            ideal, other = arb(left).union(arb(right)), arb(a - left).union(arb(b - right))
            parts.append(4 * (ideal + d) * (other - d))
        return reduce(arb.min, (x.lower() for x in parts)), reduce(arb.max, (x.upper() for x in parts))

    def slopes(self, u: fmpq, v: fmpq) -> tuple[arb, arb]:
        """dy/dz = 1 − 2A', dR/dz = 4(A'(z − A) + A(1 − A'))."""
        d = self._deviation(u, v)
        found: tuple[arb, arb] | None = None
        for a, b in self._pieces(u, v):
            rate = self.curve.ideal.slope_after((a + b) / 2)
            bend = self.curve.slope(a, b)
            left, right = self.curve.ideal(a), self.curve.ideal(b)
            gate, rest = arb(left).union(arb(right)) + d, arb(a - left).union(arb(b - right)) - d
            slope = rate + bend
            # with slope 0 or 1 of the ideal part one of the two products loses its constant factor exactly
            part = 1 - 2 * slope, 4 * (slope * rest + gate * ((1 - rate) - bend))
            found = part if found is None else (found[0].union(part[0]), found[1].union(part[1]))
        assert found is not None
        return found

    def preimage(self, y: fmpq) -> list[fmpq]:
        """Points where the ideal image takes that value."""
        found = []
        kinks = self.kinks() or [fmpq(0)]
        cuts = [kinks[0] - 2, *kinks, kinks[-1] + 2]
        for a, b in pairwise(cuts):
            ya, yb = self.image_ideal(a), self.image_ideal(b)
            if min(ya, yb) <= y <= max(ya, yb) and ya != yb:
                found.append(a + (b - a) * (y - ya) / (yb - ya))
        return found
