"""Sawtooth chains: networks for quadratic functions, whose error has an exact recursion.

Levels z_0, z_1, …: y_k = z_k − 2A_k(z_k) and z_(k+1) = a_k + b_k·y_k, where A_k is whatever the heads of the level compute.
With R_k = z_k² − y_k² one has identically, for k before the last level,
    z_k² = R_k(z_k) + (z_(k+1)² − a_k²)/b_k² − 2(a_k/b_k)·y_k,
so that a network Σ μ_k·y_k + affine and a target τ·z_0² + affine differ by
    Σ_k [ν_k·y_k − τ·w_k·R_k + τ·w_k·a_k²/b_k²] + μ·y − τ·w·y² (last level) + affine,    w_0 = 1, w_(k+1) = w_k/b_k²,
    ν_k = μ_k + 2τ·w_k·a_k/b_k, which is 0 in the networks that this is meant for. All is done in units of τ.
That is a sum over a trajectory with weights that fall by factors of 4: bounds of the later levels, for all their inputs,
serve the earlier ones, and no more boxes are needed for 16 levels than for one, 16 times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from flint import arb, fmpq

from .balls import Box, Point, Progress, exact, maximise
from .level import Ends, Level
from .patience import check_time

GLOBAL_TOLERANCE = fmpq(1, 10**4)
BUDGET = 3000           # boxes for one supremum of one level
ZERO = arb(0)
NOTHING = fmpq(0)
PARTS = 64              # of a domain whose image is wanted


@dataclass(frozen=True)
class ChainLevel:
    """One level: its functions, the weights ν of y and w of R; then z' = a + b·y, or at the end μ·y − w·y²."""

    level: Level
    linear: fmpq
    weight: fmpq
    shift: fmpq = NOTHING
    factor: fmpq = NOTHING
    last: bool = False

    def key(self) -> tuple[object, ...]:
        return (*self.level.key, self.linear, self.weight, self.shift, self.factor, self.last)

    def following(self, y: Ends) -> tuple[fmpq, fmpq]:
        """The ends of z' for y between these ends."""
        z = [exact((self.shift + self.factor * y[i]).lower() if (i == 0) == (self.factor > 0) else
                   (self.shift + self.factor * y[i]).upper()) for i in (0, 1)]
        return (z[0], z[1]) if self.factor > 0 else (z[1], z[0])


@dataclass
class Range:
    """Proved bounds of what comes from some level on, and points where they are nearly attained."""

    domain: tuple[fmpq, fmpq]
    upper: arb = field(default=ZERO)
    lower: arb = field(default=ZERO)
    highest: fmpq = NOTHING
    lowest: fmpq = NOTHING
    highest_value: arb = field(default=ZERO)
    lowest_value: arb = field(default=ZERO)


class _Attained:
    """The largest value that was seen to be taken."""

    def __init__(self, value: arb | None) -> None:
        self.value = value

    def seen(self, value: arb) -> arb:
        low = value.lower()
        if self.value is None or low > self.value:
            self.value = low
        return value


class Chain:
    """E(z) = extra·z + Σ over the trajectory from z_0 = z."""

    def __init__(self, steps: list[ChainLevel], domain: tuple[fmpq, fmpq], extra: fmpq = NOTHING,
                 progress: Progress | None = None) -> None:
        self.steps, self.extra, self.progress = steps, extra, progress
        self.boxes = 0
        self.ranges = [Range(domain)]
        for step in steps[:-1]:
            low, high = self._next(step, *self.ranges[-1].domain)
            self.ranges.append(Range((low, high)))
        for k in reversed(range(len(steps))):
            self._bound(k)

    @property
    def whole(self) -> Range:
        return self.ranges[0]

    # --- bounds of one level and all after it ---

    def _bound(self, k: int) -> None:
        here = self.ranges[k]
        u, v = here.domain
        kinks = [x for x in self.steps[k].level.kinks() if u < x < v]
        boxes: list[Box] = [((a, b),) for a, b in pairwise(sorted({u, v, *kinks}))] or [((u, v),)]
        for sign in (1, -1):
            known, point = self._seed(k, sign)
            slack = GLOBAL_TOLERANCE * abs(here.highest_value)
            attained = _Attained(known)

            def over(box: Box, sign: int = sign, slack: arb = slack, attained: _Attained = attained) -> arb:
                return self.bound(*box[0], k, sign, None if attained.value is None else attained.value + slack)

            def at(point: Point, sign: int = sign, attained: _Attained = attained) -> arb:
                return attained.seen(sign * self.at(point[0], k))

            found = maximise(over, boxes, at, tolerance=GLOBAL_TOLERANCE, known=known, slack=slack, budget=BUDGET,
                             partial=True, progress=self.progress)
            self.boxes += found.boxes
            best = found.point[0] if found.point else point
            assert found.lower is not None
            if sign > 0:
                here.upper, here.highest, here.highest_value = found.upper, best, found.lower
            else:
                here.lower, here.lowest, here.lowest_value = -found.upper, best, -found.lower

    def _seed(self, k: int, sign: int) -> tuple[arb | None, fmpq]:
        """The best preimage of the worst point of the next level: a value to start from."""
        u, v = self.ranges[k].domain
        step = self.steps[k]
        if step.last:
            goals = [step.linear / (2 * step.weight)] if step.weight else []
        else:
            later = self.ranges[k + 1]
            goals = [((later.highest if sign > 0 else later.lowest) - step.shift) / step.factor]
        best: tuple[arb | None, fmpq] = None, u
        for z in (z for y in goals for z in step.level.preimage(y) if u <= z <= v):
            value = (sign * self.at(z, k)).lower()
            if best[0] is None or value > best[0]:
                best = value, z
        return best

    def at(self, z: fmpq, k: int = 0) -> arb:
        """The sum from level k on, at a point."""
        ends = [self.extra * z if k == 0 else ZERO] * 2
        u = v = z
        for step in self.steps[k:]:
            check_time()
            y = step.level.image(u, v)
            ends = [-_term(step, u, v, y, -1) + ends[0], _term(step, u, v, y, 1) + ends[1]]
            u, v = step.following(y)
        return arb(ends[0]).union(arb(ends[1]))

    def bound(self, u: fmpq, v: fmpq, k: int = 0, sign: int = 1, enough: arb | None = None) -> arb:
        """An upper end of sign·(sum from level k on) over [u, v].

        After each level the rest is replaced by its bound for all inputs, the terms before it by their ranges or by
        their mean value form; the least of all these is the answer, or one that is below `enough`.
        """
        middle = (u + v) / 2
        width = arb(u - middle).union(arb(v - middle))
        extra = sign * self.extra if k == 0 else fmpq(0)
        plain, centre, slope, gain = arb(max(extra * u, extra * v)), arb(extra * middle), arb(extra), arb(1)
        low, high, here, there = u, v, middle, middle
        smooth = True       # whether mean values are still worth it
        best: arb | None = None
        for j in range(k, len(self.steps)):
            check_time()
            step = self.steps[j]
            y = step.level.image(low, high)
            plain = plain + _term(step, low, high, y, sign)
            smooth = smooth and not (step.level.wide is not None and high - low >= step.level.wide)
            if smooth:
                y0 = step.level.image(here, there)
                centre = centre + _term(step, here, there, y0, sign)
                dy, dr = step.level.slopes(low, high)
                own = step.linear * dy - step.weight * dr
                if step.last:
                    own = own - 2 * step.weight * y[0].union(y[1]) * dy
                slope = slope + sign * gain * own
            rest = ZERO
            if not step.last:
                later = self.ranges[j + 1]
                rest = later.upper if sign > 0 else -later.lower
            for candidate in (plain + rest, centre + slope * width + rest) if smooth else (plain + rest,):
                top = candidate.upper()
                if top.is_finite() and (best is None or top < best):
                    best = top
            if best is not None and enough is not None and best <= enough:
                break
            if step.last or 2 * (high - low) > self.ranges[j].domain[1] - self.ranges[j].domain[0]:
                break
            low, high = self._clamped(j + 1, *step.following(y))
            if smooth:
                gain = gain * step.factor * dy
                here, there = step.following(y0)
        return plain if best is None else best

    def _clamped(self, k: int, low: fmpq, high: fmpq) -> tuple[fmpq, fmpq]:
        """The part of a box that trajectories can be in."""
        least, most = self.ranges[k].domain
        return min(max(low, least), most), max(min(high, most), least)

    def _next(self, step: ChainLevel, u: fmpq, v: fmpq) -> tuple[fmpq, fmpq]:
        """All next z for z in [u, v], from a fine partition."""
        cuts = sorted({u, v, *(x for x in step.level.kinks() if u < x < v)})
        if len(cuts) == 1:
            return step.following(step.level.image(u, v))
        parts = [(a + (b - a) * i / PARTS, a + (b - a) * (i + 1) / PARTS) for a, b in pairwise(cuts) for i in range(PARTS)]
        found = []
        for part in parts:
            check_time()        # there may be as many kinks as heads
            found.append(step.following(step.level.image(*part)))
        return min(low for low, _ in found), max(high for _, high in found)


def _term(step: ChainLevel, u: fmpq, v: fmpq, y: Ends, sign: int) -> arb:
    """An upper end of sign·(the term of one level) over [u, v], where y lies between the ends given."""
    weight = sign * step.weight
    least, most = step.level.residual(u, v)
    value = -weight * (least if weight > 0 else most)
    linear = sign * step.linear
    if not step.last and linear == 0:
        return value.upper()
    low, high = exact(y[0].lower()), exact(y[1].upper())
    if not step.last:
        return (value + max(linear * low, linear * high)).upper()
    # linear·y − weight·y²: at the ends and, if it is inside, at the vertex, where it is exact
    values = [linear * x - weight * x * x for x in (low, high)]
    if weight != 0 and low < linear / (2 * weight) < high:
        values.append(linear * linear / (4 * weight))
    return (value + max(values)).upper()
