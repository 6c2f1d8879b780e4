"""One input, any number of smooth gates: second-order forms on the cells between kinks, at a cost linear in their number.

Let e = network − target. The network is piecewise linear up to deviations −w·h(y) of its gates, y = b·|x − kink|, h = y·s
and s = 1/(1 + e^y); heads whose values are no multiples of their scores also have jumps, with deviations ∓j·s. A cell is
halved and each half measured from its kink K, x = K + σt. On a box of half-width r around t = m

    |e| ≤ the largest |value| of e(m) + e'(m)τ + ½cτ², |τ| ≤ r, c between the ends of e'' on the box.

h' = s(1 − y(1 − s)), h'' = s(1 − s)·(y·T − 2) and s'' = s(1 − s)·T with T = tanh(y/2) = 1 − 2s. The first factors fall, the
second ones rise, so two ends enclose h'' and s''. Gates with y ≥ FAR on a whole box are left out of the form: h and s fall
there, and all of them together add no more than Σ|w|·h(FAR) + Σ|j|·s(FAR).

First the ends of all cells are looked at, for a value L that is attained; then each half is cut until all its boxes are
below a limit that is near L, and below the bound that is to be confirmed if L is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeAlias

import flint
from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from .balls import Progress, exact, precision
from .patience import check_time
from .proof import Proof, consistent
from .soft import Soft, SoftSum

NEAR = 2.0 ** -16           # relative distance of a certified supremum from an attained value
MANY, LESS_NEAR = 1000, 2.0 ** -11      # … where there are so many gates
SHARPEST = 2.0 ** -40       # … and no less, however near the bound to be confirmed is
FAR = fmpq(40)              # in units of 1/b; doubled while gates farther away could matter
NEGLIGIBLE = 2.0 ** -30     # part of an attained value that far gates may add
GUARD = 160                 # bits more for running sums over all cells
SHORT = 32                  # bits of a width
DEEPEST = 60                # halvings of a box
MOST = 20_000               # boxes of one half
ZERO, ONE = arb(0), arb(1)


class Smooth(Protocol):
    """What a network is compared with: twice differentiable between its `cuts`."""

    @property
    def cuts(self) -> Sequence[fmpq]: ...
    def value(self, x: arb) -> arb: ...
    def slope(self, x: arb) -> arb: ...
    def second(self, x: arb) -> arb:
        """The second derivative on the whole ball."""


@dataclass(frozen=True)
class _Gate:
    """A gate seen from a half: y = start + step·t, the factors of h, h' and h'', and those of s, s' and s'' for a jump."""

    start: arb
    step: arb
    weight: arb
    first: arb
    second: arb
    jump: tuple[arb, arb, arb] | None


Edge: TypeAlias = tuple[arb, arb, arb]         # s(1 − s), y·T − 2 and T at an end of a box


@dataclass(frozen=True)
class Half:
    """Half a cell, t from 0 to `width`, with the gates near it."""

    kink: fmpq
    sign: int
    width: arb
    base: arb
    value: arb
    slope: arb
    gates: tuple[_Gate, ...]


@dataclass(frozen=True)
class Section:
    """A box: low ≤ t ≤ high, the second derivative of the target if it is known there, and the gates at both ends."""

    low: arb
    high: arb
    depth: int
    second: arb | None
    edges: tuple[list[Edge], list[Edge]]


@dataclass(frozen=True)
class Seen:
    """|e| ≤ top on a box; and what was computed at its middle."""

    top: arb
    middle: arb
    radius: arb
    value: arb
    second: arb
    edges: list[Edge]


def prove_cells(chain: SoftSum, target: Smooth, low: fmpq, high: fmpq, *, bound: fmpq | None = None, bits: int = 128,
                progress: Progress | None = None) -> Proof:
    """sup |chain − target| over [low, high], near enough to say whether it is at most `bound` if that can be said."""
    with precision(bits):
        return Cells(chain, target, low, high, bits).prove(bound, progress)


class Cells:
    def __init__(self, chain: SoftSum, target: Smooth, low: fmpq, high: fmpq, bits: int) -> None:
        self.target, self.low, self.high = target, low, high
        self.gates = sorted((g for g in chain.gates if g.rate), key=lambda g: g.kink)
        with precision(bits + GUARD):
            self.cells = list(_cells(chain, target.cuts, low, high))
        self.reach = FAR
        self.far = self._far_gates()
        self.lower, self.point = ZERO, low
        # what is below it cannot be told from 0 with so many bits
        self.floor = max((abs(value).upper() for cell in self.cells for value in cell[2:4]), default=ONE) / 2 ** (bits - 24)
        self.boxes = 0

    def prove(self, bound: fmpq | None, progress: Progress | None) -> Proof:
        while True:
            for half in self.halves():
                check_time()
                self._look(half, ZERO)
                self._look(half, half.width)
            if self.far <= (self.lower * NEGLIGIBLE).max(self.floor):
                break
            self.reach, self.lower = self.reach * 2, ZERO
            self.far = self._far_gates()
        upper = ZERO
        for number, half in enumerate(self.halves()):
            if progress is not None and number % 16 == 0:
                progress(self.boxes)
            upper = upper.max(self._cut(half, bound))
        return consistent(exact(upper), self.lower, (self.point,), self.boxes,
                          "one variable: second-order forms on the cells between kinks")

    def _far_gates(self) -> arb:
        total = sum((abs(arb(g.weight)) * self.reach + abs(arb(g.jump)) for g in self.gates), ZERO)
        return (total / (1 + arb(self.reach).exp())).upper()

    # --- cells and the gates near them

    def halves(self) -> Iterator[Half]:
        """From left to right; a gate is near where y < reach."""
        waiting = sorted(((g.kink - self.reach / g.rate, number) for number, g in enumerate(self.gates)), reverse=True)
        active: list[tuple[fmpq, Soft]] = []
        for u, v, value_u, value_v, slope in self.cells:
            with precision(SHORT):      # a little more than half, but few digits: halves of it are exact
                width = (arb(v - u) / 2).upper()
            reached = exact(width)
            for sign, kink, value in ((1, u, value_u), (-1, v, value_v)):
                start, end = (u, u + reached) if sign > 0 else (v - reached, v)
                while waiting and waiting[-1][0] <= end:
                    g = self.gates[waiting.pop()[1]]
                    active.append((g.kink + self.reach / g.rate, g))
                active = [near for near in active if near[0] >= start]
                near = tuple(_seen_from(g, kink, sign) for _, g in active)
                yield Half(kink, sign, width, arb(kink), value, sign * slope, near)

    # --- values

    def _at(self, half: Half, t: arb) -> tuple[arb, arb, list[Edge]]:
        """e and its derivative at t, and what the ends of boxes that meet there need."""
        x = half.base + t if half.sign > 0 else half.base - t
        slope = self.target.slope(x)
        value = half.value + half.slope * t - self.target.value(x)
        first = half.slope - (slope if half.sign > 0 else -slope)
        edges = []
        for g in half.gates:
            y = g.start + g.step * t
            s = 1 / (1 + y.exp())
            rest = 1 - s
            falls, rises = s * rest, rest - s
            value -= g.weight * (y * s)
            first -= g.first * (s * (1 - y * rest))
            if g.jump is not None:
                value -= g.jump[0] * s
                first += g.jump[1] * falls
            edges.append((falls, y * rises - 2, rises))
        return value, first, edges

    def _look(self, half: Half, t: arb) -> tuple[arb, arb, list[Edge]]:
        found = self._at(half, t)
        self._seen(half, t, found[0])
        return found

    def _seen(self, half: Half, t: arb, value: arb) -> None:
        least = (abs(value) - self.far).lower()
        if not least.is_finite():
            raise Undecided("The enclosure of a value is not finite.")
        if least > self.lower:
            x = half.kink + half.sign * exact(t)
            if self.low <= x <= self.high:
                self.lower, self.point = least, x

    def _limit(self, bound: fmpq | None) -> arb:
        """Boxes below it are done."""
        limit = self.lower * (1 + (NEAR if len(self.gates) < MANY else LESS_NEAR))
        if bound is not None and self.lower < bound:
            limit = limit.min(((self.lower + arb(bound)) / 2).max(self.lower * (1 + SHARPEST)))
        return limit.max(self.floor).lower()

    # --- boxes

    def _cut(self, half: Half, bound: fmpq | None) -> arb:
        """An upper end of |e| on a half."""
        upper = ZERO
        todo = self.first_boxes(half)
        limit, last = self._limit(bound), self.boxes + MOST
        while todo:
            check_time()
            box = todo.pop()
            self.boxes += 1
            seen = self.over(half, box)
            if seen.top <= limit:
                upper = upper.max(seen.top)
                continue
            if abs(seen.value) > self.lower:
                self._seen(half, seen.middle, seen.value)
                limit = self._limit(bound)
            if box.depth >= DEEPEST or self.boxes > last or seen.top <= limit:
                if not seen.top.is_finite():
                    raise Undecided("The enclosure of a value is not finite.")
                upper = upper.max(seen.top)
                continue
            kept = seen.second if seen.second.rad() * seen.radius * seen.radius < self.lower * SHARPEST else None
            todo.append(Section(box.low, seen.middle, box.depth + 1, kept, (box.edges[0], seen.edges)))
            todo.append(Section(seen.middle, box.high, box.depth + 1, kept, (seen.edges, box.edges[1])))
        return upper

    def first_boxes(self, half: Half) -> list[Section]:
        cuts = _first_cuts(half)
        values = [self._look(half, t) for t in cuts]
        return [Section(u, v, 0, None, (a[2], b[2])) for (u, a), (v, b) in pairwise(zip(cuts, values, strict=True))]

    def over(self, half: Half, box: Section) -> Seen:
        """|e| on a box."""
        middle, radius = (box.low + box.high) / 2, (box.high - box.low) / 2
        value, first, edges = self._at(half, middle)
        second = box.second
        if second is None:
            ends = [half.base + t if half.sign > 0 else half.base - t for t in (box.low, box.high)]
            second = self.target.second(ends[0].union(ends[1]))
        top = _highest(value, first, self._curvature(half, box, second), radius) + self.far
        return Seen(top.upper(), middle, radius, value, second, edges)

    def _curvature(self, half: Half, box: Section, second: arb) -> tuple[arb, arb]:
        """The ends of e'' on a box."""
        low, high = (-second).lower(), (-second).upper()
        for g, left, right in zip(half.gates, *box.edges, strict=True):
            (falls, rises, tilt), (falls_later, rises_later, tilt_later) = (left, right) if g.step > 0 else (right, left)
            least = rises * (falls_later if rises >= 0 else falls if rises <= 0 else falls.union(falls_later))
            most = rises_later * (falls if rises_later >= 0 else falls_later if rises_later <= 0
                                  else falls.union(falls_later))
            if not g.second <= 0:
                least, most = most, least
            low, high = low - g.second * least, high - g.second * most
            if g.jump is not None:
                bend = -g.jump[2] * (falls_later * tilt).union(falls * tilt_later)
                low, high = low + bend.lower(), high + bend.upper()
        return low.lower(), high.upper()


def highest_value(value: arb, slope: arb, high: arb, radius: arb) -> arb:
    """The largest value + slope·τ + ½cτ² for |τ| ≤ radius and c ≤ high."""
    steep = abs(slope).upper()
    if high < 0 and not steep >= -high * radius:        # beyond all τ that vertex is no lower
        return (value + steep * steep / (-2 * high)).upper()
    return (value + steep * radius + high * (radius * radius / 2)).upper()


def _highest(value: arb, slope: arb, curvature: tuple[arb, arb], radius: arb) -> arb:
    """The largest |value| of the form."""
    low, high = curvature
    return highest_value(value, slope, high, radius).max(highest_value(-value, slope, -low, radius))


def _cells(chain: SoftSum, cuts: Sequence[fmpq], low: fmpq, high: fmpq) -> Iterator[tuple[fmpq, fmpq, arb, arb, arb]]:
    """Ends of the cells, values of the piecewise linear part there and its slope; running sums in balls, since exact ones
    of somebody's weights have as many digits as there are gates."""
    changes: dict[fmpq, tuple[arb, arb]] = {k: (ZERO, ZERO) for k in (*cuts, high) if low < k <= high}
    slope, value = arb(chain.slope), arb(chain.constant) + arb(chain.slope) * arb(low)
    for g in chain.gates:
        if g.kink <= low:
            slope += arb(g.change)
            value += arb(g.change) * arb(low - g.kink) + arb(g.jump)
        elif g.kink < high:
            before = changes.get(g.kink, (ZERO, ZERO))
            changes[g.kink] = before[0] + arb(g.change), before[1] + arb(g.jump)
    start = low
    for kink in sorted(changes):
        after = value + slope * arb(kink - start)
        yield start, kink, value, after, slope
        bend, jump = changes[kink]
        start, value, slope = kink, after + jump, slope + bend


def _seen_from(g: Soft, kink: fmpq, sign: int) -> _Gate:
    """A gate as it is seen from a kink in a direction in which its own kink, if it lies there, is not passed."""
    distance = kink - g.kink
    step = g.rate if distance * sign >= 0 else -g.rate
    jump = None
    if g.jump:
        own = g.jump if distance > 0 or (distance == 0 and sign > 0) else -g.jump      # right of the kink, or left of it
        jump = arb(own), arb(own * step), arb(own * step * step)
    return _Gate(arb(g.rate * abs(distance)), arb(step), arb(g.weight), arb(g.weight * step), arb(g.weight * step * step),
                 jump)


def _first_cuts(half: Half) -> list[arb]:
    """0, then doubling from the scale of the steepest gate on, then the whole."""
    steepest = max((float(abs(g.step).mid()) for g in half.gates), default=0.0)
    cuts = [ZERO]
    if steepest and float(half.width) * steepest < 2.0 ** 60:
        exponent = -flint.fmpz(int(steepest)).bit_length() if steepest >= 1 else 0
        t = arb(2) ** exponent
        while t * 2 < half.width:
            cuts.append(t)
            t = t * 2
    return [*cuts, half.width]
