"""Suprema by branch and bound in ball arithmetic (Arb, by python-flint), and certificates: what comes out is proved.

A function is known by two callables: `over(box)` gives a ball whose upper end is at or above the function on the whole
box, `at(point)` one whose lower end is at or below a value that the function takes. How to bound a function on a box is
left to the caller, who knows what is monotone: balls are poor on wide exponentials and good at end points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product
from typing import TypeAlias

import flint
from flint import arb, fmpq, fmpz

from ..errors import BoundcalcError
from ..formulas.enclosure import Undecided, arb_bounds
from .patience import check_time

MAX_BOXES = 200_000
MAX_EXPONENT = 1 << 20

Progress: TypeAlias = Callable[[int], None]      # boxes so far
Point: TypeAlias = tuple[fmpq, ...]
Box: TypeAlias = tuple[tuple[fmpq, fmpq], ...]   # one interval per variable


@dataclass(frozen=True)
class Supremum:
    """lower ≤ sup ≤ upper, both exact; `lower` is attained at `point`, or is what the caller knew (then no point)."""

    upper: arb
    lower: arb | None
    point: Point
    boxes: int


@dataclass(frozen=True)
class Certificate:
    """certified ≤ bound was proved, and at `witness` the value is `lower` or a little more."""

    statement: str
    bound: Fraction
    certified: Fraction
    lower: Fraction
    witness: Mapping[str, Fraction]
    boxes: int


class Refuted(BoundcalcError):
    """A claimed bound is exceeded: by `value`, at `witness`."""

    def __init__(self, statement: str, value: Fraction, witness: Mapping[str, Fraction]) -> None:
        shown = ", ".join(f"{name} = {x}" for name, x in witness.items())
        super().__init__(f"False: {statement}. At {shown} it is more than {value}.", "Claim a larger bound.")
        self.value = value
        self.witness = witness


def maximise(over: Callable[[Box], arb], boxes: Iterable[Box], at: Callable[[Point], arb] | None = None, *,
             tolerance: fmpq | None = None, bound: fmpq | None = None, known: arb | None = None,
             floor: arb | None = None, slack: arb | None = None, budget: int = MAX_BOXES,
             partial: bool = False, progress: Progress | None = None) -> Supremum:
    """Enclose the supremum over some boxes.

    Splits the box with the highest upper end until it is ≤ `bound` and within the relative `tolerance` or the absolute
    `slack` of `lower` (each if given); stops early once lower > bound, which the caller must look at. `known` is a value
    to start from; what is below `floor` need not be known better. Undecided if a value is not finite or the budget runs
    out: never a number that was not proved. With `partial` an exhausted budget gives the upper end proved so far, which
    is then farther from `lower` than was asked for.
    """
    if bound is None and (tolerance is None or at is None):
        raise ValueError("give a bound to prove, or a tolerance and values to compare with")
    search = _Search(over, at, known)
    for box in boxes:
        search.add(box, 0)
        for corner in product(*box):   # where suprema often are, and midpoints never
            search.sample(corner)
    while not search.done(tolerance, bound, slack) and not (floor is not None and search.top() <= floor):
        if progress is not None and search.count % 64 < 2:
            progress(search.count)
        check_time()
        if search.count >= budget:
            if partial:
                break
            raise Undecided(f"A supremum did not come out within {budget} boxes.",
                            "What is claimed may be false, or hold with equality.")
        search.split()
    return Supremum(search.top(), search.lower, search.point, search.count)


def negative(over: Callable[[Box], arb], boxes: Iterable[Box]) -> int:
    """Prove that a function is negative on some boxes; how many boxes it took."""
    return maximise(over, boxes, bound=fmpq(0)).boxes


def proved(fact: bool, what: str) -> None:
    """A single inequality between balls: true only if it holds for all their points."""
    if not fact:
        raise Undecided(f"{what} was not proved.")


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Working precision of Arb, which is global to the process."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def rational(x: Fraction | int) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def exact(x: arb) -> fmpq:
    """The rational that a ball of radius 0 is, such as an end of another."""
    if not x.is_finite():
        raise Undecided("The enclosure of a value is not finite.")
    mantissa, exponent = x.man_exp()    # ValueError if the radius is not 0
    shift = abs(int(exponent))
    if shift > MAX_EXPONENT:
        raise Undecided("A value is too small or too large to be written as a fraction.")
    return fmpq(mantissa << shift) if exponent >= 0 else fmpq(mantissa, fmpz(1) << shift)


def decimal_above(x: arb, digits: int = 12) -> Fraction:
    """A decimal at or above every point of the ball."""
    return -decimal_below(-x, digits)


def decimal_below(x: arb, digits: int = 12) -> Fraction:
    """A decimal at or below every point of the ball."""
    return Fraction(arb_bounds(x)[0] * 10**digits // 1, 10**digits)


def _finite(x: arb) -> arb:
    if not x.is_finite():   # NaN would pass unseen through the comparisons
        raise Undecided("The enclosure of a value is not finite.")
    return x


class _Search:
    """Boxes by their upper ends, highest first; ends of balls are exact, so they are ordered."""

    def __init__(self, over: Callable[[Box], arb], at: Callable[[Point], arb] | None, known: arb | None) -> None:
        self.over, self.at = over, at
        self.lower = known
        self.point: Point = ()
        self.heap: list[tuple[arb, int, int, Box]] = []
        self.count = 0

    def top(self) -> arb:
        return -self.heap[0][0]

    def add(self, box: Box, depth: int) -> None:
        self.count += 1
        heappush(self.heap, (-_finite(self.over(box)).upper(), self.count, depth, box))
        self.sample(tuple((u + v) / 2 for u, v in box))

    def sample(self, point: Point) -> None:
        if self.at is not None:
            value = _finite(self.at(point)).lower()
            if self.lower is None or value > self.lower:
                self.lower, self.point = value, point

    def done(self, tolerance: fmpq | None, bound: fmpq | None, slack: arb | None) -> bool:
        if bound is not None:
            if self.lower is not None and self.lower > bound:
                return True
            if not self.top() <= bound:
                return False
        if tolerance is None:
            return True
        if self.lower is None:
            return False
        near = tolerance * abs(self.lower)
        return bool(self.top() <= self.lower + (near if slack is None else near.max(slack)))

    def split(self) -> None:
        """Halve the highest box along its variables in turn."""
        _, _, depth, box = heappop(self.heap)
        side = depth % len(box)
        u, v = box[side]
        middle = (u + v) / 2
        for half in ((u, middle), (middle, v)):
            self.add((*box[:side], half, *box[side + 1:]), depth + 1)
