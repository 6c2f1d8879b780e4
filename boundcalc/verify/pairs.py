"""Errors that are a function of one direction plus a function of another: τ₁·E₁(z₁) + τ₂·E₂(z₂) + constant.

The sum of the two ranges is a bound, often a sharp one. Where the worst of one excludes the worst of the other (in a
square, |x+y| and |x−y| are not both large), cells of the two directions are paired, as far as they meet in the domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import arb, fmpq

from .balls import Progress, exact
from .chain import Chain
from .forms import Form
from .proof import Domain, Proof

ENOUGH = fmpq(1004, 1000)       # how far above an attained value a certificate may be before cells are paired
FIRST_CELLS = 32
ROUNDS = 3000


@dataclass(frozen=True)
class Direction:
    """τ times a chain, as a function of the form z."""

    z: Form
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


def prove_pair(directions: Sequence[Direction], constant: fmpq, domain: Domain, progress: Progress | None) -> Proof:
    first, second = directions
    place = _Place(first.z, second.z, domain)
    best: tuple[arb, tuple[fmpq, fmpq]] | None = None

    def look(z: tuple[fmpq, fmpq]) -> None:
        nonlocal best
        point = place.point(*z)
        if place.inside(point):
            value = abs(first.tau * first.chain.at(z[0]) + second.tau * second.chain.at(z[1]) + constant).lower()
            if best is None or value > best[0]:
                best = value, point

    for sign in (1, -1):
        for u in _around(first, sign):
            for v in _around(second, sign):
                look((u, v))
    look(place.centre())
    assert best is not None
    uppers, boxes, method = [], sum(c.boxes for c in {id(d.chain): d.chain for d in directions}.values()), "sum of two directions, each by the sawtooth recursion"
    for sign in (1, -1):
        upper = first.end(sign) + second.end(sign) + sign * constant
        if not upper <= ENOUGH * best[0]:
            cells = _Cells(first, second, place, sign, sign * constant)
            refined = cells.lowered(ENOUGH, lambda: best[0], look, progress)      # type: ignore[index]
            boxes += cells.boxes
            if refined < upper:
                upper, method = refined, "two directions, each by the sawtooth recursion, paired cell by cell"
        uppers.append(upper)
    return Proof(max(uppers), best[0], best[1], boxes, method)


def _around(d: Direction, sign: int) -> Iterator[fmpq]:
    z = d.worst(sign)
    yield z
    low, high = d.chain.whole.domain
    if low <= low + high - z <= high:
        yield low + high - z
    for k in (z / 2, z / 4, -z / 2, fmpq(0)):
        if low <= k <= high:
            yield k


class _Place:
    """The plane of two directions: z₁, z₂ ↔ x, y."""

    def __init__(self, first: Form, second: Form, domain: Domain) -> None:
        self.forms, self.domain = (first, second), domain
        a, b, c, d = (form.terms.get(k, fmpq(0)) for form in self.forms for k in (0, 1))
        determinant = a * d - b * c
        self.inverse = ((d / determinant, -b / determinant), (-c / determinant, a / determinant))

    def point(self, z1: fmpq, z2: fmpq) -> tuple[fmpq, fmpq]:
        u, v = z1 - self.forms[0].constant, z2 - self.forms[1].constant
        (a, b), (c, d) = self.inverse
        return a * u + b * v, c * u + d * v

    def inside(self, point: tuple[fmpq, fmpq]) -> bool:
        return all(low is not None and high is not None and low <= x <= high
                   for x, (low, high) in zip(point, self.domain, strict=True))

    def centre(self) -> tuple[fmpq, fmpq]:
        middle = [(low + high) / 2 for low, high in self.domain if low is not None and high is not None]
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


Shares = tuple[tuple[fmpq, fmpq], tuple[fmpq, fmpq]]
Cell = tuple[fmpq, tuple[fmpq, fmpq], Shares]       # bound, interval, what it contributes to the inputs


class _Cells:
    """Cells of both directions with their bounds, refined where the highest pair that meets the domain is."""

    def __init__(self, first: Direction, second: Direction, place: _Place, sign: int, constant: fmpq) -> None:
        self.directions, self.place, self.sign, self.constant = (first, second), place, sign, constant
        self.boxes = 0
        self.sides: list[list[Cell]] = []
        for d in self.directions:
            low, high = d.chain.whole.domain
            step = (high - low) / FIRST_CELLS
            side = len(self.sides)
            cells = [self._cell(side, (low + i * step, low + (i + 1) * step), d.end(sign)) for i in range(FIRST_CELLS)]
            self.sides.append(sorted(cells, reverse=True))

    def _cell(self, side: int, interval: tuple[fmpq, fmpq], most: fmpq) -> Cell:
        self.boxes += 1
        bound = min(self.directions[side].bound(*interval, self.sign), most)
        return bound, interval, self.place.shares(side, interval)

    def highest(self) -> tuple[fmpq, int, int] | None:
        """The highest sum of a pair of cells that meets the domain."""
        best: tuple[fmpq, int, int] | None = None
        left, right = self.sides
        for i, (a, _, s) in enumerate(left):
            if best is not None and a + right[0][0] <= best[0]:
                break
            for j, (b, _, d) in enumerate(right):
                if best is not None and a + b <= best[0]:
                    break
                if self.place.meet(s, d):
                    best = a + b, i, j
                    break
        return best

    def lowered(self, enough, attained, look, progress) -> fmpq:   # type: ignore[no-untyped-def]
        top = self.highest()
        for round_ in range(ROUNDS):
            if top is None:
                return fmpq(0)
            value = top[0] + self.constant
            look(tuple((cells[i][1][0] + cells[i][1][1]) / 2 for cells, i in zip(self.sides, top[1:], strict=True)))
            if value <= enough * attained():
                return value
            if progress is not None and round_ % 16 == 0:
                progress(self.boxes)
            self._split(top)
            top = self.highest()
        return fmpq(0) if top is None else top[0] + self.constant

    def _split(self, top: tuple[fmpq, int, int]) -> None:
        """Halve the wider of the two cells (relative to its domain)."""
        widths = []
        for side, d, i in zip(self.sides, self.directions, top[1:], strict=True):
            (u, v), (low, high) = side[i][1], d.chain.whole.domain
            widths.append((v - u) / (high - low))
        k = 0 if widths[0] >= widths[1] else 1
        most, (u, v), _ = self.sides[k].pop(top[1 + k])
        middle = (u + v) / 2
        for half in ((u, middle), (middle, v)):
            _insert(self.sides[k], self._cell(k, half, most))


def _insert(cells: list[Cell], cell: Cell) -> None:
    """Into a list that falls."""
    low, high = 0, len(cells)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if cells[middle][0] >= cell[0] else (low, middle)
    cells.insert(low, cell)
