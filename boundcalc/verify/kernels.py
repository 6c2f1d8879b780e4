"""The nonlinear functions of one variable that heads compute: an ideal piecewise linear function plus a small deviation.

silu = ρ − h, a staircase of anchor heads = clip + deviation, tanh = clip + deviation. The ideal part is handled exactly,
so that what is bounded is the deviation alone: no cancellation between large numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import flint
from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from .windowed import Window, steepness

ZERO = arb(0)
_SURE = 8        # bits beyond the precision at which something is called negligible


class Kernel(Protocol):
    """A function of one variable, as `constant` + Σ slope change·ρ(x − kink) + deviation."""

    @property
    def constant(self) -> fmpq: ...
    @property
    def hinges(self) -> Mapping[fmpq, fmpq]:
        """Kinks of the ideal part and the changes of slope there; it is constant before the first."""
    @property
    def reach(self) -> fmpq:
        """So far beyond its outermost kinks the deviation is negligible and falls; `remainder` bounds it and its slope."""
    @property
    def remainder(self) -> arb: ...
    def at(self, x: fmpq) -> arb:
        """The deviation at a point."""
    def over(self, u: fmpq, v: fmpq) -> arb:
        """The deviation on [u, v]."""
    def slope(self, u: fmpq, v: fmpq) -> arb:
        """Its derivatives on [u, v], from both sides where a kink is inside."""


def negligible() -> fmpq:
    """An exponent x with e^(−x) below the precision."""
    return fmpq(flint.ctx.prec + _SURE) * fmpq(7, 10)


@dataclass(frozen=True)
class ReluKernel:
    """max(x, 0) itself."""

    constant = fmpq(0)
    reach = fmpq(0)
    remainder = ZERO

    @property
    def hinges(self) -> Mapping[fmpq, fmpq]:
        return {fmpq(0): fmpq(1)}

    def at(self, x: fmpq) -> arb:
        return ZERO

    def over(self, u: fmpq, v: fmpq) -> arb:
        return ZERO

    def slope(self, u: fmpq, v: fmpq) -> arb:
        return ZERO


@dataclass(frozen=True)
class SiluKernel:
    """x/(1 + e^(−βx)) = max(x, 0) − h, h = |x|/(1 + e^(β|x|))."""

    beta: fmpq
    constant = fmpq(0)

    @property
    def hinges(self) -> Mapping[fmpq, fmpq]:
        return {fmpq(0): fmpq(1)}

    @property
    def reach(self) -> fmpq:
        return negligible() / self.beta

    @property
    def remainder(self) -> arb:
        """y·e^(−βy) and (βy − 1)·e^(−βy) fall from βy = 2 on."""
        x = negligible()
        return (x * arb(-x).exp()) * (arb(1) / self.beta).max(arb(1))

    def at(self, x: fmpq) -> arb:
        y = abs(x)
        return -y / (1 + arb(self.beta * y).exp())

    def over(self, u: fmpq, v: fmpq) -> arb:
        low, high = _sizes(u, v)
        most, least = high / (1 + arb(self.beta * low).exp()), low / (1 + arb(self.beta * high).exp())
        return -(arb(least).union(arb(most)))

    def slope(self, u: fmpq, v: fmpq) -> arb:
        """−h' = −σ(−y)(1 − y·σ(y)), y = β|x|, with the sign of x; y·σ(y) rises, σ(−y) falls."""
        low, high = _sizes(u, v)
        low, high = self.beta * low, self.beta * high
        falls = [1 / (1 + arb(y).exp()) for y in (low, high)]
        rises = [y * (1 - s) for y, s in zip((low, high), falls, strict=True)]
        value = falls[0].union(falls[1]) * (1 - arb(rises[0]).union(arb(rises[1])))
        if u >= 0:
            return -value
        return value if v <= 0 else value.union(-value)


@dataclass(frozen=True)
class TanhKernel:
    """tanh x = clip(x, −1, 1) + deviation."""

    constant = fmpq(-1)

    @property
    def hinges(self) -> Mapping[fmpq, fmpq]:
        return {fmpq(-1): fmpq(1), fmpq(1): fmpq(-1)}

    @property
    def reach(self) -> fmpq:
        return negligible()

    @property
    def remainder(self) -> arb:
        """1 − tanh x ≤ 2e^(−2x), and its slope is at most 4e^(−2x)."""
        return 4 * arb(-2 * negligible()).exp()

    def at(self, x: fmpq) -> arb:
        return arb(x).tanh() - min(max(x, fmpq(-1)), fmpq(1))

    def over(self, u: fmpq, v: fmpq) -> arb:
        low, high = (arb(x).tanh() - min(max(y, fmpq(-1)), fmpq(1)) for x, y in ((u, v), (v, u)))
        return low.union(high)

    def slope(self, u: fmpq, v: fmpq) -> arb:
        a, b = arb(u).tanh(), arb(v).tanh()
        return _less_ideal(1 - a.union(b) * a.union(b), u, v, fmpq(-1), fmpq(1))


@dataclass(frozen=True)
class StairKernel:
    """Σ_(h<heads) F(x − hM), M = count − 1: heads over anchors that carry on where the last one ends.

    It rises, and lies between 0 and L = heads·M. A head that begins x beyond adds at most C·e^(−2κx), C = Σ j·e^(−κj²)
    (docs/anchor-constants.md), and one that ended so far back lacks at most that; `far` adds up all of them.
    """

    kappa: fmpq
    count: int
    heads: int = 1
    constant = fmpq(0)
    known: dict[int, tuple[Window, int, arb]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def period(self) -> int:
        return self.count - 1

    @property
    def length(self) -> fmpq:
        return fmpq(self.heads * self.period)

    @property
    def hinges(self) -> Mapping[fmpq, fmpq]:
        return {fmpq(0): fmpq(1), self.length: fmpq(-1)}

    @property
    def reach(self) -> fmpq:
        return fmpq(self.distance)

    @property
    def remainder(self) -> arb:
        """The deviation beyond `distance`; its slope is 2κ·variance ≤ 2κ·M·mean there."""
        return self.far * (1 + 2 * self.kappa * self.period)

    @property
    def distance(self) -> int:
        return self._tools()[1]

    @property
    def far(self) -> arb:
        return self._tools()[2]

    def _tools(self) -> tuple[Window, int, arb]:
        """The window of a head, how far away is far, and what all heads farther away add: at the present precision."""
        found = self.known.get(flint.ctx.prec)
        if found is None:
            distance = int((negligible() / (2 * self.kappa)).ceil()) + 1
            found = Window(self.kappa, self.count), distance, beyond_distance(self.kappa, self.period, distance)
            self.known[flint.ctx.prec] = found
        return found

    def _near(self, u: fmpq, v: fmpq) -> range:
        """The heads that are neither far right of u … v nor far left."""
        first = int(((u - self.distance) / self.period).floor()) - 1
        last = int(((v + self.distance) / self.period).ceil())
        return range(min(max(0, first), self.heads), max(0, min(self.heads, last + 1)))

    def at(self, x: fmpq) -> arb:
        near = self._near(x, x)
        ideal = min(max(x, fmpq(0)), self.length)
        whole = fmpq(near.start * self.period)     # heads before count in full
        rest = ZERO
        head = self._tools()[0]
        for h in near:
            m, mean = head.at(x - h * self.period)
            whole += m
            rest += mean
        return self._other(near) + rest + (whole - ideal)

    def _other(self, near: range) -> arb:
        far = self.far if len(near) < self.heads else ZERO
        return far.union(-far)

    def over(self, u: fmpq, v: fmpq) -> arb:
        """The whole rises: on [u, v] the deviation lies between value(u) − ideal(v) and value(v) − ideal(u)."""
        low, high = (min(max(x, fmpq(0)), self.length) for x in (u, v))
        return (self.at(u) - (high - low)).union(self.at(v) + (high - low))

    def slope(self, u: fmpq, v: fmpq) -> arb:
        return _less_ideal(self.rise(u, v), u, v, fmpq(0), self.length)

    def value(self, x: fmpq) -> arb:
        """The staircase itself."""
        return self.at(x) + min(max(x, fmpq(0)), self.length)

    def rise(self, u: fmpq, v: fmpq) -> arb:
        """The derivative of the staircase on [u, v]."""
        near = self._near(u, v)
        total = self._other(near) * (1 + 2 * self.kappa * self.period)
        for h in near:
            total += steepness(self._tools()[0], u - h * self.period, v - h * self.period)
        return total


def beyond_distance(kappa: fmpq, period: int, distance: int) -> arb:
    """C·e^(−2κ·distance)/(1 − e^(−2κ·period))."""
    first, j = ZERO, 1
    while kappa * j * j < 30:
        first += j * arb(-kappa * j * j).exp()
        j += 1
    ratio = fmpq(j + 1, j) * arb(-kappa * (2 * j + 1)).exp()
    if not ratio < 1:
        raise Undecided("The anchors of distant heads do not add up.")
    first += j * arb(-kappa * j * j).exp() / (1 - ratio)
    return first * arb(-2 * kappa * distance).exp() / (1 - arb(-2 * kappa * period).exp())


def _less_ideal(slope: arb, u: fmpq, v: fmpq, first: fmpq, last: fmpq) -> arb:
    """A slope less that of clip(x, first, last): 0 outside, 1 inside, both where [u, v] has a kink in it."""
    if v <= first or u >= last:
        return slope
    return slope - 1 if u >= first and v <= last else slope.union(slope - 1)


def _sizes(u: fmpq, v: fmpq) -> tuple[fmpq, fmpq]:
    """The least and the largest |x| on [u, v]."""
    a, b = abs(u), abs(v)
    return (fmpq(0) if u < 0 < v else min(a, b)), max(a, b)


