"""One input and many anchor heads of one spacing: far from all ends of grids their errors repeat.

In units of the spacing, τ = r·x, a gate is f·S(τ + s), S a head over anchors or a staircase of heads of M + 1 anchors each.
A gate is *inside* where τ + s is at least W from both ends of its grid, *outside* where it is at least W beyond one of them,
and *near* otherwise. Outside it is 0 or f·L up to a bound that is added once for all gates. Inside it is f·(τ + s) plus a
deviation that depends only on where τ + s lies in a cell (one head) or in a period of M cells (a staircase): window sums do
not see the ends, and heads of a staircase that are farther away than W add no more than that bound. So where no gate is near

    sup e ≤ sup (line − target) + sup (sum of the deviations over one period),

and this is nearly attained, as a period is short. A gate that is near is first taken for its clipped line plus or minus its
largest deviation; where that is too much, boxes of a fraction of a cell are looked at, each with e(m) + e'(m)σ + ½e''(m)σ²
and third derivatives bounded for all gates at once: |F'''| = 8κ³·|fourth cumulant|.

Values are tabulated (`_Table`) and carried to where they are needed by Taylor's formula, with the same bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

import flint
from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from .balls import Box, Progress, exact, maximise, precision
from .cells import Smooth, highest_value
from .curve import Bend
from .kernels import StairKernel, beyond_distance, negligible
from .patience import check_time
from .proof import Proof, consistent
from .staircase import largest
from .windowed import Window

FINENESS = (32, 64, 128)            # boxes a cell
NEAR = fmpq(1, 1000)                # relative distance of a certified supremum from an attained value
CURVES = 16                         # boxes a cell in which third derivatives are bounded
FINER = 8                           # places of the table a box
PARTS = fmpq(1, 5000)               # relative tolerance of the smooth part
SHORT = 16                          # periods: a stretch that is no longer may be looked at box by box
LONGEST = 64                        # cells of a period
UNSEEN = 24                         # bits of what is to be confirmed below which distant heads need not be seen
GUARD = 160
ZERO = arb(0)
Jet: TypeAlias = tuple[arb, arb, arb]       # a value and two derivatives


@dataclass(frozen=True)
class _Gate:
    """f·S(τ + s)."""

    factor: fmpq
    shift: fmpq
    table: _Table

    @property
    def length(self) -> fmpq:
        return self.table.kernel.length


class _Table:
    """A kernel at multiples of 1/fine, as far as it was asked for; at the precision at which it is made."""

    def __init__(self, kernel: StairKernel, distance: int, fine: int) -> None:
        self.kernel, self.distance, self.fine = kernel, distance, fine
        self.window = Window(kernel.kappa, kernel.count)
        # W: neither the window of a single head nor a distant head of a staircase sees an end that is so far away
        self.width = max(distance, self.window.reach) + 3
        self.period = 1 if kernel.heads == 1 else kernel.period
        self.free = _Free(kernel, self.width)
        self.third = self._third()
        self._near: dict[int, Jet] = {}
        self._inside: dict[int, Jet] = {}

    def near(self, x: fmpq) -> Jet:
        """S and its derivatives at most W + 1 beyond an end; the right half is the mirror image of the left one."""
        if 2 * x > self.kernel.length:
            value, first, second = self.near(self.kernel.length - x)
            return self.kernel.length - value, first, -second
        place, rest = self._nearest(x)
        if place not in self._near:
            self._near[place] = self._jet(self.kernel, self.window, fmpq(place, self.fine))
        return self._carried(self._near[place], rest)

    def inside(self, x: fmpq) -> Jet:
        """S − x and its derivatives, at least W from both ends."""
        place, rest = self._nearest(x)
        place %= self.period * self.fine
        if place not in self._inside:
            t = self.free.start + fmpq(place, self.fine)
            value, first, second = self._jet(self.free.kernel, self.free.window, t)
            self._inside[place] = value - t, first - 1, second
        return self._carried(self._inside[place], rest)

    def _nearest(self, x: fmpq) -> tuple[int, fmpq]:
        place = int((x * self.fine + fmpq(1, 2)).floor())
        return place, x - fmpq(place, self.fine)

    def _carried(self, jet: Jet, by: fmpq) -> Jet:
        """Taylor's formula: the third derivative is bounded."""
        if by == 0:
            return jet
        value, first, second = jet
        d = abs(by)
        # radii are rounded up
        third = self.third
        return (value + first * by + second * (by * by / 2) + _around(third * (d * d * d / 6)),
                first + second * by + _around(third * (d * d / 2)), second + _around(third * d))

    def _heads(self, kernel: StairKernel, x: fmpq) -> range:
        """The heads that are no farther away than `distance` within a cell of x, so that one sum is good for a box."""
        if kernel.heads == 1:
            return range(1)
        first = int(((x - 1 - self.distance) / kernel.period).floor())
        last = int(((x + 1 + self.distance) / kernel.period).floor())
        return range(min(max(0, first), kernel.heads), max(0, min(kernel.heads, last + 1)))

    def _jet(self, kernel: StairKernel, window: Window, x: fmpq) -> Jet:
        check_time()
        kappa = kernel.kappa
        heads = self._heads(kernel, x)
        value, first, second = arb(heads.start * kernel.period), ZERO, ZERO     # heads before count in full
        for h in heads:
            t = x - h * kernel.period
            m, (mean, variance, skew) = window.cumulants(t, t, 3)
            value, first, second = value + m + mean, first + variance, second + skew
        return value, 2 * kappa * first, 4 * kappa * kappa * second

    def _third(self) -> arb:
        """sup |S'''|, as far as heads are added up: by balls from W beyond an end to a period inside, after which everything
        repeats; the other end is a mirror image."""
        kernel = self.kernel
        stop = min(fmpq(self.width + self.period + 2), kernel.length / 2 + 2)
        most, t, step = ZERO, fmpq(-self.width - 2), fmpq(1, CURVES)
        while t < stop:
            check_time()
            # a box may be a little to the side of the place for which its heads were chosen
            both = range(self._heads(kernel, t - step).start, self._heads(kernel, t + 2 * step).stop)
            total = sum((abs(self.window.cumulants(t - h * kernel.period, t + step - h * kernel.period, 4)[1][3])
                         for h in both), ZERO)
            most = most.max(total.upper())
            t += step
        return (8 * kernel.kappa ** 3 * most).upper()


class _Free:
    """A grid that is so long that its middle sees no end."""

    def __init__(self, kernel: StairKernel, width: int) -> None:
        if kernel.heads == 1:
            self.kernel, self.start = StairKernel(kernel.kappa, 2 * width + 5), fmpq(width + 2)
        else:
            around = -(-(width + 2) // kernel.period)
            self.kernel = StairKernel(kernel.kappa, kernel.count, 2 * around + 1)
            self.start = fmpq(around * kernel.period)
        self.window = Window(kernel.kappa, self.kernel.count)


@dataclass(frozen=True)
class _Here:
    """What holds on a stretch: a line for inside and outside gates, the deviations of the inside ones, and near gates."""

    constant: arb
    slope: arb
    waves: list[Jet]                # for every phase: Σ f·D and its derivatives
    weight: arb = ZERO              # Σ |f|·(bound of the third derivative) of inside gates
    near: tuple[_Gate, ...] = ()


@dataclass(frozen=True)
class _Late:
    """A stretch that is to be looked at box by box unless its first bound turns out to be good enough."""

    top: arb
    low: fmpq
    high: fmpq
    here: _Here = field(repr=False)


def prove_periods(constant: fmpq, slope: fmpq, gates: Sequence[Bend], target: Smooth, low: fmpq, high: fmpq, *,
                  bound: fmpq | None = None, progress: Progress | None = None) -> Proof | None:
    """sup |constant + slope·x + Σ gates − target| over [low, high]; None where gates are not of one kind."""
    given = _rising(constant, gates)
    if given is None or target.cuts:
        return None
    constant, rising = given
    best: Proof | None = None
    for fineness in FINENESS:
        found = _Periods(constant, slope, rising, target, fineness, bound).prove(low, high, progress)
        if best is None or found.upper < best.upper:
            best = found
        if best.upper <= best.lower * (1 + NEAR) and (bound is None or best.upper <= bound or best.lower > bound):
            break
    return best


def _rising(constant: fmpq, gates: Sequence[Bend]) -> tuple[fmpq, list[tuple[fmpq, fmpq, fmpq, StairKernel]]] | None:
    """Factor, rate, shift and kernel of every gate, falling ones turned round: S(y) = L − S(L − y). None where they are not
    of one spacing and period."""
    found = []
    for g in gates:
        if not isinstance(g.kernel, StairKernel):
            return None
        for kernel, shift in _parts(g.kernel, g.shift):
            if g.rate > 0:
                found.append((g.factor, g.rate, shift, kernel))
            else:
                constant += g.factor * kernel.length
                found.append((-g.factor, -g.rate, kernel.length - shift, kernel))
    if len({rate for _, rate, _, _ in found}) != 1:
        return None
    return (constant, found) if len({k.period for *_, k in found if k.heads > 1}) <= 1 else None


def _parts(kernel: StairKernel, shift: fmpq) -> Iterator[tuple[StairKernel, fmpq]]:
    """A staircase of long heads is looked at head by head."""
    if kernel.heads == 1 or kernel.period <= LONGEST:
        yield kernel, shift
        return
    for h in range(kernel.heads):
        check_time()
        yield StairKernel(kernel.kappa, kernel.count), shift - h * kernel.period


class _Periods:
    def __init__(self, constant: fmpq, slope: fmpq, gates: Sequence[tuple[fmpq, fmpq, fmpq, StairKernel]], target: Smooth,
                 fineness: int, bound: fmpq | None) -> None:
        self.target, self.fineness, self.bound = target, fineness, bound
        self.rate = gates[0][1]
        kernels = {kernel: sum((abs(f) for f, _, _, k in gates if k == kernel), fmpq(0))
                   for kernel in dict.fromkeys(kernel for *_, kernel in gates)}
        distance = _distance(kernels, bound)
        tables = {kernel: _Table(kernel, distance, FINER * 2 * fineness) for kernel in kernels}
        self.gates = [_Gate(f, s, tables[kernel]) for f, _, s, kernel in gates]
        self.period = max(t.period for t in tables.values())
        self.phases = self.period * fineness
        self.far = _far(kernels, distance)
        self.constant, self.slope = constant, slope / self.rate
        self.upper, self.lower, self.point = ZERO, ZERO, fmpq(0)
        self.boxes = 0

    # --- the walk from left to right

    def prove(self, low: fmpq, high: fmpq, progress: Progress | None) -> Proof:
        start, end = self.rate * low, self.rate * high
        for t in (start, end):
            self._attained(t, self._whole(t))
        late: list[_Late] = []
        for a, b, here in self._stretches(start, end):
            check_time()
            if progress is not None:
                progress(self.boxes)
            top = self._at_once(a, b, here)
            if top <= self._limit() or (not here.near and b - a > SHORT * self.period):
                self._raise(top)
            else:
                late.append(_Late(top, a, b, here))
        for stretch in late:
            if stretch.top <= self._limit():
                self._raise(stretch.top)
            else:
                if progress is not None:
                    progress(self.boxes)
                self._box_by_box(stretch.low, stretch.high, stretch.here)
        return consistent(exact(self.upper), self.lower, (self.point / self.rate,), self.boxes,
                          "one variable: deviations of anchor heads, which repeat in every cell, and boxes near their ends")

    def _limit(self) -> arb:
        """What is below it is done: near what is attained, and no more than the bound if that is not exceeded."""
        limit = self.lower * (1 + NEAR / 2)
        if self.bound is not None and self.lower <= self.bound:
            limit = limit.min(arb(self.bound))
        return limit.lower()

    def _stretches(self, start: fmpq, end: fmpq) -> Iterator[tuple[fmpq, fmpq, _Here]]:
        """Stretches on which no gate changes its state."""
        with precision(flint.ctx.prec + GUARD):
            here = _Here(arb(self.constant), arb(self.slope), [(ZERO, ZERO, ZERO)] * self.phases)
        changes = sorted((place, number, kind) for number, gate in enumerate(self.gates)
                         for place, kind in self._changes(gate))
        at = start
        for place, number, kind in changes:
            if place >= end:
                break
            if place > at:
                yield at, place, here
                at = place
            here = self._changed(here, self.gates[number], kind)
        yield at, end, here

    def _changes(self, gate: _Gate) -> Iterator[tuple[fmpq, str]]:
        width = gate.table.width
        first, last = -gate.shift, gate.length - gate.shift
        ends = [self._down(first - width), self._up(first + width), self._down(last - width), self._up(last + width)]
        yield ends[0], "near"
        if ends[1] < ends[2]:
            yield ends[1], "inside"
            yield ends[2], "near again"
        yield ends[3], "outside"

    def _down(self, x: fmpq) -> fmpq:
        return fmpq((x * self.fineness).floor(), self.fineness)

    def _up(self, x: fmpq) -> fmpq:
        return fmpq((x * self.fineness).ceil(), self.fineness)

    def _changed(self, here: _Here, gate: _Gate, kind: str) -> _Here:
        if kind in ("near", "near again"):
            near = (*here.near, gate)
        else:
            place = here.near.index(gate)
            near = (*here.near[:place], *here.near[place + 1:])
        constant, slope = here.constant, here.slope
        with precision(flint.ctx.prec + GUARD):
            if kind == "inside":
                constant, slope = constant + arb(gate.factor * gate.shift), slope + arb(gate.factor)
            elif kind == "near again":
                constant, slope = constant - arb(gate.factor * gate.shift), slope - arb(gate.factor)
            elif kind == "outside":
                constant = constant + arb(gate.factor * gate.length)
        here = replace(here, constant=constant, slope=slope, near=near)
        return here if kind not in ("inside", "near again") else self._with_wave(here, gate, 1 if kind == "inside" else -1)

    def _with_wave(self, here: _Here, gate: _Gate, sign: int) -> _Here:
        factor, waves = arb(sign * gate.factor), []
        for b, (value, first, second) in enumerate(here.waves):
            wave = gate.table.inside(fmpq(2 * b + 1, 2 * self.fineness) + gate.shift)
            waves.append((value + factor * wave[0], first + factor * wave[1], second + factor * wave[2]))
        return replace(here, waves=waves, weight=here.weight + sign * abs(arb(gate.factor)) * gate.table.third)

    # --- a stretch at once

    def _at_once(self, a: fmpq, b: fmpq, here: _Here) -> arb:
        """An upper end of |e|: the largest distance of the clipped lines from the target, and the largest deviations."""
        radius = fmpq(1, 2 * self.fineness)
        spare = (here.weight * (radius * radius * radius / 6)).upper()
        tops, phases = [ZERO, ZERO], [0, 0]
        for k, (value, first, second) in enumerate(here.waves):
            for side, sign in enumerate((1, -1)):
                top = highest_value(sign * value, sign * first, (sign * second).upper(), arb(radius)) + spare
                if k == 0 or top > tops[side]:
                    tops[side], phases[side] = top.upper(), k
        self.boxes += self.phases
        near = sum((abs(arb(g.factor)) * largest(g.table.kernel) for g in here.near), ZERO)
        found = ZERO
        for u, v in pairwise(sorted({a, b, *(k for g in here.near for k in (-g.shift, g.length - g.shift) if a < k < b)})):
            line = self._clipped(here, (u + v) / 2)
            for side, sign in enumerate((1, -1)):
                top, place = self._smooth(u, v, line, sign, tops[side])
                found = found.max((top + tops[side] + near + self.far).upper())
                self._try(a, b, here, phases[side], place)
        return found

    def _try(self, a: fmpq, b: fmpq, here: _Here, phase: int, place: fmpq) -> None:
        """The value at a place of the phase near one."""
        cell = (place / self.period).floor()
        for k in (0, 1, -1):
            t = (cell + k) * self.period + fmpq(2 * phase + 1, 2 * self.fineness)
            if a <= t <= b:
                value = self._without_waves(t, here)[0] + here.waves[phase][0]
                self._attained(t, value)

    def _clipped(self, here: _Here, t: fmpq) -> _Here:
        """The line about t where near gates are clipped lines."""
        constant, slope = here.constant, here.slope
        with precision(flint.ctx.prec + GUARD):
            for g in here.near:
                if t + g.shift >= g.length:
                    constant = constant + arb(g.factor * g.length)
                elif t + g.shift > 0:
                    constant, slope = constant + arb(g.factor * g.shift), slope + arb(g.factor)
        return replace(here, constant=constant, slope=slope)

    def _smooth(self, a: fmpq, b: fmpq, here: _Here, sign: int, wave: arb) -> tuple[arb, fmpq]:
        """An upper end of sign·(line − target) on a stretch, and where it nearly is."""
        def at(p: tuple[fmpq, ...]) -> arb:
            return sign * self._line(p[0], here)[0]

        def over(box: Box) -> arb:
            u, v = box[0]
            middle = (u + v) / 2
            value, first = self._line(middle, here)
            return highest_value(sign * value, sign * first, (sign * self._bend(u, v)).upper(), arb((v - u) / 2))

        slack = PARTS * abs(wave).max(self.lower)
        found = maximise(over, [((a, b),)], at, tolerance=PARTS, slack=slack, budget=2000, partial=True)
        self.boxes += found.boxes
        return found.upper, found.point[0]

    def _line(self, t: fmpq, here: _Here) -> tuple[arb, arb]:
        """line − target and its derivative."""
        x = arb(t / self.rate)
        return here.constant + here.slope * t - self.target.value(x), here.slope - self.target.slope(x) / self.rate

    def _bend(self, u: fmpq, v: fmpq) -> arb:
        """The second derivative of −target on [u, v]."""
        return -self.target.second(arb(u / self.rate).union(arb(v / self.rate))) / (self.rate * self.rate)

    def _whole(self, t: fmpq) -> arb:
        """e at any place, every gate by its own windows."""
        total = arb(self.constant) + self.slope * arb(t) - self.target.value(arb(t / self.rate))
        for g in self.gates:
            check_time()
            total += g.factor * g.table.kernel.value(t + g.shift)
        return total

    # --- near ends

    def _box_by_box(self, a: fmpq, b: fmpq, here: _Here) -> None:
        """Boxes of the grid of phases; the first and the last of the domain may be parts of one."""
        weight = here.weight + sum((abs(arb(g.factor)) * g.table.third for g in here.near), ZERO)
        half = fmpq(1, 2 * self.fineness)
        spare = (weight * (half * half * half / 6)).upper() + self.far
        place = int((a * self.fineness).floor())
        while fmpq(place, self.fineness) < b:
            check_time()
            middle = fmpq(2 * place + 1, 2 * self.fineness)
            u, v = max(a, fmpq(place, self.fineness)), min(b, fmpq(place + 1, self.fineness))
            wave = here.waves[place % self.phases]
            second = self._bend(u, v)
            if u <= middle <= v:
                rest = self._without_waves(middle, here)
                reach = arb(max(middle - u, v - middle))
                self._raise(_size(rest[0] + wave[0], rest[1] + wave[1], rest[2] + wave[2] + second, reach) + spare)
                self._attained(middle, rest[0] + wave[0])
            else:       # less than half a box, at an end of the domain: waves are known in the middle of the whole box
                rest = self._without_waves((u + v) / 2, here)
                waves = _size(wave[0], wave[1], wave[2], arb(half))
                self._raise(_size(rest[0], rest[1], rest[2] + second, arb((v - u) / 2)) + waves + spare)
            self.boxes += 1
            place += 1

    def _without_waves(self, t: fmpq, here: _Here) -> Jet:
        """Line, near gates and target, and their first derivative; of the second one what gates add."""
        value, first = self._line(t, here)
        second = ZERO
        for g in here.near:
            own = g.table.near(t + g.shift)
            value, first, second = value + g.factor * own[0], first + g.factor * own[1], second + g.factor * own[2]
        return value, first, second

    def _raise(self, top: arb) -> None:
        if not top.is_finite():
            raise Undecided("The enclosure of a value is not finite.")
        self.upper = self.upper.max(top.upper())

    def _attained(self, t: fmpq, value: arb) -> None:
        least = (abs(value) - self.far).lower()
        if least > self.lower:
            self.lower, self.point = least, t


def _distance(kernels: dict[StairKernel, fmpq], bound: fmpq | None) -> int:
    """How far away is far: what is farther adds no more than a small part of the bound, or of the precision."""
    kappa = min(k.kappa for k in kernels)
    most = int((negligible() / (2 * kappa)).ceil()) + 1
    if bound is None or bound <= 0:
        return most
    return next((d for d in range(2, most) if _far(kernels, d) <= bound / 2 ** UNSEEN), most)


def _far(kernels: dict[StairKernel, fmpq], distance: int) -> arb:
    """What all heads that far away add, in all gates together."""
    return sum((weight * beyond_distance(k.kappa, k.period, distance) for k, weight in kernels.items()), ZERO).upper()


def _around(radius: arb) -> arb:
    return radius.union(-radius)


def _size(value: arb, slope: arb, second: arb, radius: arb) -> arb:
    """The largest |value| of a form."""
    return highest_value(value, slope, second.upper(), radius).max(highest_value(-value, slope, -second.lower(), radius))
