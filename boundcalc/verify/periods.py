"""One input and many anchor heads of one spacing and one κ: far from all ends of grids their errors repeat in every cell.

In units of the spacing, τ = r·x, a head is f·F(τ + s). A head is *inside* where τ + s is at least W from both ends of its
grid, *outside* where it is at least W beyond one of them, and *near* otherwise. Outside it is 0 or f·M up to a bound that is
added once for all heads. Inside it is f·(τ + s) plus a deviation that depends on the phase of τ + s alone, since the window
sums do not see the ends. So where no head is near

    sup e ≤ sup (line − target) + sup (sum of the deviations over one cell),

and this is nearly attained, as a cell is short. Where a head is near, boxes of a fraction of a cell are looked at, each with
e(m) + e'(m)σ + ½e''(m)σ² and third derivatives bounded for all heads at once: |F'''| = 8κ³·|fourth cumulant|.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import flint
from flint import arb, fmpq

from .balls import Box, Progress, exact, maximise, precision
from .cells import Smooth, highest_value
from .curve import Bend
from .kernels import StairKernel
from .patience import check_time
from .proof import Proof, consistent
from .windowed import Window

FINENESS = (32, 64, 128)            # boxes a cell
NEAR = fmpq(1, 1000)                # relative distance of a certified supremum from an attained value
CURVES = 16                         # boxes a cell in which third derivatives are bounded
PARTS = fmpq(1, 5000)               # relative tolerance of the smooth part
SHORT = 4                           # cells: a stretch without ends that is no longer is looked at box by box
GUARD = 160
ZERO = arb(0)


@dataclass(frozen=True)
class _Head:
    """f·F(τ + s) over M + 1 anchors, with the window that is used near its ends."""

    factor: fmpq
    shift: fmpq
    window: Window

    @property
    def length(self) -> int:
        return self.window.count - 1


@dataclass
class _Here:
    """What holds on a stretch: a line for inside and outside heads, the deviations of the inside ones, and near heads."""

    constant: arb
    slope: arb
    waves: list[list[arb]]          # for every phase: Σ f·D, Σ f·D', Σ f·D''
    weight: arb = ZERO              # Σ |f| of inside heads
    near: list[_Head] = field(default_factory=list)


def prove_periods(constant: fmpq, slope: fmpq, gates: Sequence[Bend], target: Smooth, low: fmpq, high: fmpq, *,
                  bound: fmpq | None = None, progress: Progress | None = None) -> Proof | None:
    """sup |constant + slope·x + Σ gates − target| over [low, high]; None where heads are not of one kind."""
    kernels = [g.kernel for g in gates if isinstance(g.kernel, StairKernel) and g.kernel.heads == 1]
    if len(kernels) < len(gates) or not gates or len({(k.kappa, g.rate) for k, g in zip(kernels, gates, strict=True)}) != 1:
        return None
    if gates[0].rate <= 0 or target.cuts:
        return None
    best: Proof | None = None
    for fineness in FINENESS:
        found = _Periods(constant, slope, gates, kernels, target, fineness).prove(low, high, progress)
        if best is None or found.upper < best.upper:
            best = found
        if best.upper <= best.lower * (1 + NEAR) and (bound is None or best.upper <= bound or best.lower > bound):
            break
    return best


class _Periods:
    def __init__(self, constant: fmpq, slope: fmpq, gates: Sequence[Bend], kernels: Sequence[StairKernel], target: Smooth,
                 fineness: int) -> None:
        self.target, self.fineness, self.rate = target, fineness, gates[0].rate
        self.kappa = kernels[0].kappa
        windows = {k.count: Window(self.kappa, k.count) for k in kernels}
        self.heads = [_Head(g.factor, g.shift, windows[k.count]) for g, k in zip(gates, kernels, strict=True)]
        reach = max(w.reach for w in windows.values())
        self.width = max(reach + 2, max(k.distance for k in kernels))      # W
        self.free = Window(self.kappa, 2 * self.width + 3)                 # a grid whose middle sees no end
        self.far = sum((abs(arb(g.factor)) * k.far for g, k in zip(gates, kernels, strict=True)), ZERO).upper()
        self.third = (8 * self.kappa ** 3 * max(self._third(w) for w in windows.values())).upper()
        self.constant, self.slope = constant, slope / self.rate
        self.upper, self.lower, self.point = ZERO, ZERO, fmpq(0)
        self.boxes = 0

    def _third(self, window: Window) -> arb:
        """sup |fourth cumulant| for all t: by balls near one end; from W inside on everything repeats, and the other end is
        a mirror image."""
        length = window.count - 1
        stop = min(fmpq(self.width), fmpq(length) / 2 + 1)
        most, t = ZERO, fmpq(-self.width)
        while t < stop:
            most = most.max(abs(window.cumulants(t, t + fmpq(1, CURVES), 4)[1][3]).upper())
            t += fmpq(1, CURVES)
        return most.max(self._beyond().upper())

    def _beyond(self) -> arb:
        """W or more beyond an end: for X ≥ 0 the fourth cumulant E(X−μ)⁴ − 3V² lies between −3(EX²)² and EX⁴ + 6(EX²)², as
        μ² ≤ EX²; here X counts anchors from the end, with weights of at most e^(−κ(j² + 2jW))."""
        def moment(power: int) -> arb:
            total, j = ZERO, 1
            while True:
                term = j ** power * arb(-self.kappa * (j * j + 2 * j * self.width)).exp()
                ratio = fmpq(j + 1, j) ** power * arb(-self.kappa * (2 * j + 1 + 2 * self.width)).exp()
                if ratio < fmpq(1, 2):
                    return total + 2 * term
                total, j = total + term, j + 1
        return moment(4) + 6 * moment(2) * moment(2)

    # --- the walk from left to right

    def prove(self, low: fmpq, high: fmpq, progress: Progress | None) -> Proof:
        start, end = self.rate * low, self.rate * high
        for t in (start, end):
            self._attained(t, self._whole(t))
        for a, b, here in self._stretches(start, end):
            if progress is not None:
                progress(self.boxes)
            if here.near or b - a <= SHORT:
                self._box_by_box(a, b, here)
            else:
                self._repeating(a, b, here)
        return consistent(exact(self.upper), self.lower, (self.point / self.rate,), self.boxes,
                          "one variable: deviations of anchor heads, which repeat in every cell, and boxes near their ends")

    def _stretches(self, start: fmpq, end: fmpq) -> Iterator[tuple[fmpq, fmpq, _Here]]:
        """Stretches on which no head changes its state."""
        with precision(flint.ctx.prec + GUARD):
            here = _Here(arb(self.constant), arb(self.slope), [[ZERO, ZERO, ZERO] for _ in range(self.fineness)])
        changes = sorted((place, number, kind) for number, head in enumerate(self.heads)
                         for place, kind in self._changes(head))
        at = start
        for place, number, kind in changes:
            if place >= end:
                break
            if place > at:
                yield at, place, here
                at = place
            self._change(here, self.heads[number], kind)
        yield at, end, here

    def _changes(self, head: _Head) -> Iterator[tuple[fmpq, str]]:
        first, last = -head.shift, head.length - head.shift
        ends = [self._down(first - self.width), self._up(first + self.width),
                self._down(last - self.width), self._up(last + self.width)]
        yield ends[0], "near"
        if ends[1] < ends[2]:
            yield ends[1], "inside"
            yield ends[2], "near again"
        yield ends[3], "beyond"

    def _down(self, x: fmpq) -> fmpq:
        return fmpq((x * self.fineness).floor(), self.fineness)

    def _up(self, x: fmpq) -> fmpq:
        return fmpq((x * self.fineness).ceil(), self.fineness)

    def _change(self, here: _Here, head: _Head, kind: str) -> None:
        if kind in ("near", "near again"):
            here.near.append(head)
        else:
            here.near.remove(head)
        with precision(flint.ctx.prec + GUARD):
            if kind == "inside":
                here.constant += arb(head.factor * head.shift)
                here.slope += arb(head.factor)
            elif kind == "near again":
                here.constant -= arb(head.factor * head.shift)
                here.slope -= arb(head.factor)
            elif kind == "beyond":
                here.constant += arb(head.factor * head.length)
        if kind in ("inside", "near again"):
            sign = 1 if kind == "inside" else -1
            self._add_wave(here, head, sign)

    def _add_wave(self, here: _Here, head: _Head, sign: int) -> None:
        here.weight += sign * abs(arb(head.factor))
        for b in range(self.fineness):
            phase = fmpq(2 * b + 1, 2 * self.fineness) + head.shift
            phase -= (phase + fmpq(1, 2)).floor()
            t = self.free.count // 2 + phase
            m, (mean, variance, skew) = self.free.cumulants(t, t, 3)
            wave = (mean + (m - t), 2 * self.kappa * variance - 1, 4 * self.kappa * self.kappa * skew)
            here.waves[b] = [x + sign * head.factor * d for x, d in zip(here.waves[b], wave, strict=True)]

    # --- where deviations repeat

    def _repeating(self, a: fmpq, b: fmpq, here: _Here) -> None:
        radius = fmpq(1, 2 * self.fineness)
        spare = (self.third * here.weight * radius * radius * radius / 6).upper()
        tops = [ZERO, ZERO]
        phases = [0, 0]
        for k, (value, first, second) in enumerate(here.waves):
            for side, sign in enumerate((1, -1)):
                top = highest_value(sign * value, sign * first, (sign * second).upper(), arb(radius)) + spare
                if k == 0 or top > tops[side]:
                    tops[side], phases[side] = top.upper(), k
        self.boxes += self.fineness
        for side, sign in enumerate((1, -1)):
            smooth = self._smooth(a, b, here, sign, tops[side])
            self._raise(smooth[0] + tops[side] + self.far)
            for cell in (0, 1, -1):
                t = smooth[1].floor() + cell + fmpq(2 * phases[side] + 1, 2 * self.fineness)
                if a <= t <= b:
                    self._attained(t, self._value(t, here, phases[side]))

    def _smooth(self, a: fmpq, b: fmpq, here: _Here, sign: int, wave: arb) -> tuple[arb, fmpq]:
        """An upper end of sign·(line − target) on a stretch, and where it nearly is."""
        def at(p: tuple[fmpq, ...]) -> arb:
            return sign * self._line(p[0], here)[0]

        def over(box: Box) -> arb:
            u, v = box[0]
            middle = (u + v) / 2
            value, first = self._line(middle, here)
            second = -self.target.second(arb(u / self.rate).union(arb(v / self.rate))) / (self.rate * self.rate)
            return highest_value(sign * value, sign * first, (sign * second).upper(), arb((v - u) / 2))

        slack = PARTS * abs(wave)
        found = maximise(over, [((a, b),)], at, tolerance=PARTS, slack=slack, budget=2000, partial=True)
        self.boxes += found.boxes
        return found.upper, found.point[0]

    def _line(self, t: fmpq, here: _Here) -> tuple[arb, arb]:
        """line − target and its derivative."""
        x = arb(t / self.rate)
        return here.constant + here.slope * t - self.target.value(x), here.slope - self.target.slope(x) / self.rate

    def _value(self, t: fmpq, here: _Here, phase: int) -> arb:
        return self._line(t, here)[0] + here.waves[phase][0]

    def _whole(self, t: fmpq) -> arb:
        """e at any place, every head by its own window."""
        total = arb(self.constant) + self.slope * arb(t) - self.target.value(arb(t / self.rate))
        for head in self.heads:
            m, mean = head.window.at(t + head.shift)
            total += head.factor * (m + mean)
        return total

    # --- near ends

    def _box_by_box(self, a: fmpq, b: fmpq, here: _Here) -> None:
        """Boxes of the grid of phases; the first and the last of the domain may be parts of one."""
        near = sum((abs(arb(h.factor)) for h in here.near), ZERO)
        half = fmpq(1, 2 * self.fineness)
        spare = ((here.weight + near) * self.third * half * half * half / 6).upper() + self.far
        place = int((a * self.fineness).floor())
        while fmpq(place, self.fineness) < b:
            check_time()
            middle = fmpq(2 * place + 1, 2 * self.fineness)
            u, v = max(a, fmpq(place, self.fineness)), min(b, fmpq(place + 1, self.fineness))
            wave = here.waves[place % self.fineness]
            second = -self.target.second(arb(u / self.rate).union(arb(v / self.rate))) / (self.rate * self.rate)
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

    def _without_waves(self, t: fmpq, here: _Here) -> tuple[arb, arb, arb]:
        """Line, near heads and target, and their first derivative; of the second one what heads add."""
        value, first = self._line(t, here)
        second = ZERO
        for head in here.near:
            own = t + head.shift
            m, (mean, variance, skew) = head.window.cumulants(own, own, 3)
            value += head.factor * (m + mean)
            first += head.factor * (2 * self.kappa * variance)
            second += head.factor * (4 * self.kappa * self.kappa * skew)
        return value, first, second

    def _raise(self, top: arb) -> None:
        self.upper = self.upper.max(top.upper())

    def _attained(self, t: fmpq, value: arb) -> None:
        least = (abs(value) - self.far).lower()
        if least > self.lower:
            self.lower, self.point = least, t


def _size(value: arb, slope: arb, second: arb, radius: arb) -> arb:
    """The largest |value| of a form."""
    return highest_value(value, slope, second.upper(), radius).max(highest_value(-value, slope, -second.lower(), radius))
