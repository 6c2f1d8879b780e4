"""Errors that are a function of one direction plus a function of another: τ₁·E₁(z₁) + τ₂·E₂(z₂) + constant.

The sum of the two ranges is a bound, often a sharp one. Where the worst of one excludes the worst of the other (in a
square, |x+y| and |x−y| are not both large), cells of the two directions are paired, as far as they meet in the domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from .balls import Point, Progress, exact
from .chain import Chain
from .forms import RationalForm
from .patience import check_time
from .proof import Domain, Proof

ENOUGH = fmpq(1006, 1000)       # how far above an attained value a certificate may be before cells are paired
RECTANGLES = 50_000
SAMPLES, PEAKS, HALVINGS, PAIRS = 512, 24, 24, 16       # points of a direction, peaks among them, steps at each, pairs
CLIMB = frozenset(4 * 5**k + i for k in range(2, 7) for i in (0, 1))     # rounds after which the worst point is improved

Cut = tuple[fmpq, fmpq]             # an interval of one direction
Shares = tuple[Cut, Cut]            # what it contributes to each input


@dataclass(frozen=True)
class Direction:
    """τ times a chain, as a function of the form z."""

    z: RationalForm
    tau: fmpq
    chain: Chain

    def exact_end(self, sign: int) -> fmpq:
        """The proved end of the chain's range, the upper one for sign > 0."""
        whole = self.chain.whole
        return exact(whole.upper.upper()) if sign > 0 else exact(whole.lower.lower())

    def end(self, sign: int) -> fmpq:
        """A bound of sign·τ·E over the whole domain."""
        inner = 1 if sign * self.tau > 0 else -1
        return sign * self.tau * self.exact_end(inner)

    def bound(self, u: fmpq, v: fmpq, sign: int) -> fmpq:
        """A bound of sign·τ·E on [u, v]."""
        inner = 1 if sign * self.tau > 0 else -1
        return abs(self.tau) * exact(self.chain.bound(u, v, 0, inner).upper())

    def worst(self, sign: int) -> fmpq:
        whole = self.chain.whole
        return whole.highest if sign * self.tau > 0 else whole.lowest


def prove_pair(directions: Sequence[Direction], constant: fmpq, plane: Plane, progress: Progress | None) -> Proof:
    first, second = directions
    seen = _Seen(directions, constant, plane)
    boxes = sum(c.boxes for c in {id(d.chain): d.chain for d in directions}.values())
    uppers, method = [], "sum of two directions, each by the sawtooth recursion"
    for sign in (1, -1):
        upper = first.end(sign) + second.end(sign) + sign * constant
        if not upper <= ENOUGH * seen.value:
            seen.climb()
        if not upper <= ENOUGH * seen.value:
            seen.pair_peaks(sign)
        if not upper <= ENOUGH * seen.value:
            rectangles = _Rectangles(directions, plane, sign, sign * constant)
            refined = rectangles.lowered(seen, progress)
            boxes += rectangles.boxes
            if refined < upper:
                upper, method = refined, "two directions, each by the sawtooth recursion, paired cell by cell"
        uppers.append(upper)
    return Proof(max(uppers), seen.value, plane.witness(seen.z), boxes, method)


class _Seen:
    """The worst point of the domain that was looked at."""

    def __init__(self, directions: Sequence[Direction], constant: fmpq, plane: Plane) -> None:
        self.directions, self.constant, self.plane = directions, constant, plane
        self.known: dict[tuple[int, fmpq], list[tuple[arb, fmpq]]] = {}     # directions may share a chain
        self.z = plane.centre()
        self.value = self._at(self.z)
        for sign in (1, -1):
            for u in _around(directions[0], sign):
                for v in _around(directions[1], sign):
                    self.look((u, v))

    def _at(self, z: tuple[fmpq, fmpq]) -> arb:
        first, second = (d.tau * d.chain.at(x) for d, x in zip(self.directions, z, strict=True))
        return abs(first + second + self.constant).lower()

    def look(self, z: tuple[fmpq, fmpq]) -> bool:
        if self.plane.inside(self.plane.point(*z)):
            value = self._at(z)
            if value > self.value:
                self.value, self.z = value, z
                return True
        return False

    def pair_peaks(self, sign: int) -> None:
        """Peaks of one direction with peaks of the other, as far as they meet in the domain: one of the highest of each
        may exclude the other, and the worst point then is a pair of lower ones."""
        first, second = (self._peaks(d.chain, sign * d.tau) for d in self.directions)
        pairs = sorted(((a + b, u, v) for a, u in first for b, v in second), key=lambda pair: pair[0], reverse=True)
        meeting = ((u, v) for _, u, v in pairs if self.plane.inside(self.plane.point(u, v)))
        before = self.value
        for z in islice(meeting, PAIRS):
            self.look(z)
        if self.value > before:
            self.climb()

    def _peaks(self, chain: Chain, tau: fmpq) -> list[tuple[arb, fmpq]]:
        """The highest points of τ·E among many, each climbed to where steps that are halved lead."""
        key = id(chain), tau
        if key not in self.known:
            self.known[key] = self._find_peaks(chain, tau)
        return self.known[key]

    def _find_peaks(self, chain: Chain, tau: fmpq) -> list[tuple[arb, fmpq]]:
        low, high = chain.whole.domain

        def height(x: fmpq) -> arb:
            return (tau * chain.at(x)).lower()

        grid = [low + (high - low) * fmpq(k, SAMPLES) for k in range(SAMPLES + 1)]
        heights = [height(x) for x in grid]
        local = [(heights[k], grid[k]) for k in range(1, SAMPLES)
                 if heights[k] >= heights[k - 1] and heights[k] >= heights[k + 1]]
        found = []
        for value, x in sorted(local, key=lambda peak: peak[0], reverse=True)[:PEAKS]:
            here, top, step = x, value, (high - low) / (2 * SAMPLES)
            for _ in range(HALVINGS):
                for near in (here - step, here + step):
                    if low <= near <= high and (there := height(near)) > top:
                        here, top = near, there
                        break
                else:
                    step = step / 2
            found.append((top, here))
        return found

    def climb(self) -> None:
        """From the worst point on, steps that are halved when none of them is uphill."""
        sizes = [high - low for low, high in (d.chain.whole.domain for d in self.directions)]
        step = fmpq(1, 8)
        while step > fmpq(1, 2**16):
            u, v = self.z
            moves = [(u + i * step * sizes[0], v + j * step * sizes[1]) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
            uphill = [self.look(z) for z in moves]      # all of them: the best one counts
            if not any(uphill):
                step = step / 2


def _around(d: Direction, sign: int) -> Iterator[fmpq]:
    z = d.worst(sign)
    yield z
    low, high = d.chain.whole.domain
    if low <= low + high - z <= high:
        yield low + high - z
    for k in (z / 2, z / 4, -z / 2, fmpq(0)):
        if low <= k <= high:
            yield k


def plane_of(first: RationalForm, second: RationalForm, domain: Domain) -> Plane | None:
    """The plane of two directions that depend on two inputs, whatever the number of others; else None."""
    own = sorted({*first.terms, *second.terms})
    return Plane((first, second), (own[0], own[1]), domain) if len(own) == 2 else None


class Plane:
    """The plane of two directions, which are no multiples of each other: z₁, z₂ ↔ x, y. Other inputs matter to neither."""

    def __init__(self, forms: tuple[RationalForm, RationalForm], inputs: tuple[int, int], domain: Domain) -> None:
        self.forms, self.inputs, self.whole = forms, inputs, domain
        self.domain = tuple(domain[k] for k in inputs)
        a, b, c, d = (form.terms.get(k, fmpq(0)) for form in forms for k in inputs)
        determinant = a * d - b * c
        self.inverse = ((d / determinant, -b / determinant), (-c / determinant, a / determinant))

    def point(self, z1: fmpq, z2: fmpq) -> tuple[fmpq, fmpq]:
        u, v = z1 - self.forms[0].constant, z2 - self.forms[1].constant
        (a, b), (c, d) = self.inverse
        return a * u + b * v, c * u + d * v

    def witness(self, z: tuple[fmpq, fmpq]) -> Point:
        """The point of all inputs, the others in the middle."""
        found = self._middle()
        for k, x in zip(self.inputs, self.point(*z), strict=True):
            found[k] = x
        return tuple(found)

    def inside(self, point: tuple[fmpq, fmpq]) -> bool:
        return all(low is not None and high is not None and low <= x <= high
                   for x, (low, high) in zip(point, self.domain, strict=True))

    def _middle(self) -> list[fmpq]:
        return [(low + high) / 2 for low, high in self.whole if low is not None and high is not None]

    def centre(self) -> tuple[fmpq, fmpq]:
        middle = self._middle()
        z = [form.constant + sum((c * middle[k] for k, c in form.terms.items()), fmpq(0)) for form in self.forms]
        return z[0], z[1]

    def shares(self, side: int, interval: tuple[fmpq, fmpq]) -> Shares:
        """What an interval of a direction contributes to each of the two inputs: the least and the most."""
        found = []
        for row in self.inverse:
            ends = sorted(row[side] * (e - self.forms[side].constant) for e in interval)
            found.append((ends[0], ends[1]))
        return found[0], found[1]

    def meet(self, s: Shares, d: Shares) -> bool:
        """Whether a rectangle of the directions may contain a point of the domain: each input's range meets its interval."""
        for (low, high), a, b in zip(self.domain, s, d, strict=True):
            if low is None or high is None or a[1] + b[1] < low or a[0] + b[0] > high:
                return False
        return True


class _Rectangles:
    """Rectangles of the two directions, highest bound first; each direction's intervals are bounded once."""

    def __init__(self, directions: Sequence[Direction], plane: Plane, sign: int, constant: fmpq) -> None:
        self.directions, self.plane, self.sign, self.constant = directions, plane, sign, constant
        self.boxes = 0
        self.known: tuple[dict[Cut, tuple[fmpq, Shares]], ...] = ({}, {})
        self.heap: list[tuple[fmpq, int, Cut, Cut]] = []
        self.count = 0
        whole = [d.chain.whole.domain for d in directions]
        for side in (0, 1):
            self._side(side, whole[side], directions[side].end(sign))
        self._push(whole[0], whole[1])

    def _side(self, side: int, cut: Cut, most: fmpq) -> None:
        """Bound an interval, by itself and by what it is part of."""
        if cut not in self.known[side]:
            self.boxes += 1
            bound = min(self.directions[side].bound(*cut, self.sign), most)
            self.known[side][cut] = bound, self.plane.shares(side, cut)

    def _push(self, s: Cut, d: Cut) -> None:
        (a, left), (b, right) = self.known[0][s], self.known[1][d]
        if self.plane.meet(left, right):
            self.count += 1
            heappush(self.heap, (-(a + b), self.count, s, d))

    def lowered(self, seen: _Seen, progress: Progress | None) -> fmpq:
        """The highest bound, once it is near an attained value or the budget is used up."""
        while self.heap:
            value = self.constant - self.heap[0][0]
            if value <= ENOUGH * seen.value or self.count > RECTANGLES:
                return value
            check_time()
            _, _, s, d = heappop(self.heap)
            if self.count in CLIMB:
                seen.climb()
            if self.count % 4 == 0:
                seen.look(((s[0] + s[1]) / 2, (d[0] + d[1]) / 2))
                if progress is not None:
                    progress(self.boxes)
            self._split(s, d)
        raise Undecided("No rectangle of the two directions meets the domain.")

    def _split(self, s: Cut, d: Cut) -> None:
        """Halve the side that is wider, relative to its domain."""
        widths = [(cut[1] - cut[0]) / (x.chain.whole.domain[1] - x.chain.whole.domain[0])
                  for cut, x in zip((s, d), self.directions, strict=True)]
        side = 0 if widths[0] >= widths[1] else 1
        cut = (s, d)[side]
        middle = (cut[0] + cut[1]) / 2
        for half in ((cut[0], middle), (middle, cut[1])):
            self._side(side, half, self.known[side][cut][0])
            self._push(*((half, d) if side == 0 else (s, half)))
