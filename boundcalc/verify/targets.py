"""The functions that networks are to compute, as ball arithmetic needs them: exact, over boxes, with gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from flint import arb, fmpq

from ..enclosure import Undecided
from .balls import rational
from .curve import Piecewise

ZERO, ONE = arb(0), arb(1)


@dataclass(frozen=True)
class PiecewiseTarget:
    """A piecewise linear function of one input."""

    function: Piecewise
    inputs: int = 1

    def exact(self, point: Sequence[fmpq]) -> fmpq:
        return self.function(point[0])

    def over(self, box: Sequence[arb]) -> arb:
        f, x = self.function, box[0]
        return sum((c * (x - k).max(ZERO) for k, c in f.hinges), f.constant + f.slope * x)

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        total = arb(self.function.slope)
        for k, c in self.function.hinges:
            total += c * (ONE if box[0] >= k else ZERO if box[0] <= k else ZERO.union(ONE))
        return [total]


@dataclass(frozen=True)
class QuadraticTarget:
    """Σ coefficient·x_i·x_j over pairs i ≤ j."""

    coefficients: tuple[tuple[int, int, fmpq], ...]
    inputs: int

    def exact(self, point: Sequence[fmpq]) -> fmpq:
        return sum((c * point[i] * point[j] for i, j, c in self.coefficients), fmpq(0))

    def over(self, box: Sequence[arb]) -> arb:
        return sum((c * (_square(box[i]) if i == j else box[i] * box[j]) for i, j, c in self.coefficients), ZERO)

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        found = [ZERO] * self.inputs
        for i, j, c in self.coefficients:
            found[i] = found[i] + c * box[j]
            found[j] = found[j] + c * box[i]
        return found


@dataclass(frozen=True)
class ExtremumTarget:
    """The largest (sign +1) or least (−1) of some numbers."""

    sign: int
    inputs: int

    def exact(self, point: Sequence[fmpq]) -> fmpq:
        return max(point) if self.sign > 0 else min(point)

    def over(self, box: Sequence[arb]) -> arb:
        return reduce(arb.max if self.sign > 0 else arb.min, box)

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        best = reduce(arb.max, (self.sign * x for x in box))
        possible = [not self.sign * x < best for x in box]
        return [(ONE if sum(possible) == 1 else ZERO.union(ONE)) if p else ZERO for p in possible]


@dataclass(frozen=True)
class ReciprocalTarget:
    """1/x."""

    inputs: int = 1

    def exact(self, point: Sequence[fmpq]) -> fmpq:
        return 1 / point[0]

    def over(self, box: Sequence[arb]) -> arb:
        low, high = box[0].lower(), box[0].upper()
        if not (low > 0 or high < 0):
            raise Undecided("1/x is not bounded where x may be 0.")
        return (1 / low).union(1 / high)

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        value = self.over(box)
        return [-_square(value)]


Target: TypeAlias = PiecewiseTarget | QuadraticTarget | ExtremumTarget | ReciprocalTarget


def _square(x: arb) -> arb:
    """x² of a ball: x·x would treat its two factors as different numbers."""
    low, high = abs(x.lower()), abs(x.upper())
    large = low.max(high)
    small = ZERO if x.contains(0) else low.min(high)
    return (small * small).union(large * large)


# --- by name ----------------------------------------------------------------------------------------------------------

def _clip(values: Mapping[str, Fraction]) -> Target | None:
    if "a" in values and "b" in values:
        a, b = rational(values["a"]), rational(values["b"])
    elif "M" in values:
        a, b = -rational(values["M"]), rational(values["M"])
    else:
        return None
    return PiecewiseTarget(Piecewise.of(a, fmpq(0), {a: fmpq(1), b: fmpq(-1)}))


_BY_NAME: dict[str, Callable[[Mapping[str, Fraction], int], Target | None]] = {
    "relu": lambda values, n: PiecewiseTarget(Piecewise.of(fmpq(0), fmpq(0), {fmpq(0): fmpq(1)})),
    "abs": lambda values, n: PiecewiseTarget(Piecewise.of(fmpq(0), fmpq(-1), {fmpq(0): fmpq(2)})),
    "clip": lambda values, n: _clip(values),
    "square": lambda values, n: QuadraticTarget(((0, 0, fmpq(1)),), 1),
    "mult": lambda values, n: QuadraticTarget(((0, 1, fmpq(1)),), 2),
    "max": lambda values, n: ExtremumTarget(1, n),
    "min": lambda values, n: ExtremumTarget(-1, n),
    "recip": lambda values, n: ReciprocalTarget(),
}


def target_named(name: str, values: Mapping[str, Fraction], inputs: int) -> Target | None:
    """The target of a construction at its parameters, for one copy; None if no certificate knows it."""
    make = _BY_NAME.get(name)
    return None if make is None else make(values, inputs)
