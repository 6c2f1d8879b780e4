"""The functions that networks are to compute, as ball arithmetic needs them: exact, over boxes, with gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
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


@dataclass(frozen=True)
class RidgeTarget:
    """A piecewise linear function of one combination Σ weight·x_i + shift of the inputs."""

    function: Piecewise
    weights: tuple[fmpq, ...]
    shift: fmpq

    @property
    def inputs(self) -> int:
        return len(self.weights)

    def exact(self, point: Sequence[fmpq]) -> fmpq:
        return self.function(sum((w * x for w, x in zip(self.weights, point, strict=True)), self.shift))

    def _inner(self, box: Sequence[arb]) -> arb:
        return sum((w * x for w, x in zip(self.weights, box, strict=True)), arb(self.shift))

    def over(self, box: Sequence[arb]) -> arb:
        return PiecewiseTarget(self.function).over([self._inner(box)])

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        slope, = PiecewiseTarget(self.function).gradient([self._inner(box)])
        return [w * slope for w in self.weights]


Target: TypeAlias = PiecewiseTarget | RidgeTarget | QuadraticTarget | ExtremumTarget | ReciprocalTarget


def _square(x: arb) -> arb:
    """x² of a ball: x·x would treat its two factors as different numbers."""
    low, high = abs(x.lower()), abs(x.upper())
    large = low.max(high)
    small = ZERO if x.contains(0) else low.min(high)
    return (small * small).union(large * large)


# --- by name ----------------------------------------------------------------------------------------------------------

Values: TypeAlias = Mapping[str, Fraction]


def _interval(values: Values) -> tuple[fmpq, fmpq] | None:
    if "a" in values and "b" in values:
        return rational(values["a"]), rational(values["b"])
    return (-rational(values["M"]), rational(values["M"])) if "M" in values else None


def _clip(values: Values, inputs: int) -> Target | None:
    ends = _interval(values)
    if ends is None:
        return None
    function = Piecewise.of(ends[0], fmpq(0), {ends[0]: fmpq(1), ends[1]: fmpq(-1)})
    weights = tuple(rational(values.get(f"w{i + 1}", Fraction(1))) for i in range(inputs))
    shift = rational(values.get("t", Fraction(0)))
    return PiecewiseTarget(function) if (weights, shift) == ((1,), 0) else RidgeTarget(function, weights, shift)


def _hat(values: Values) -> Target | None:
    ends = _interval(values)
    if ends is None:
        return None
    (a, b), rise = ends, 2 / (ends[1] - ends[0])
    return PiecewiseTarget(Piecewise.of(fmpq(0), fmpq(0), {a: rise, (a + b) / 2: -2 * rise, b: rise}))


_BY_NAME: dict[str, Callable[[Values, int], Target | None]] = {
    "relu": lambda values, n: PiecewiseTarget(Piecewise.of(fmpq(0), fmpq(0), {fmpq(0): fmpq(1)})),
    "abs": lambda values, n: PiecewiseTarget(Piecewise.of(fmpq(0), fmpq(-1), {fmpq(0): fmpq(2)})),
    "clip": _clip,
    "hat": lambda values, n: _hat(values),
    "square": lambda values, n: QuadraticTarget(((0, 0, fmpq(1)),), 1),
    "mult": lambda values, n: QuadraticTarget(((0, 1, fmpq(1)),), 2),
    "max": lambda values, n: ExtremumTarget(1, n),
    "min": lambda values, n: ExtremumTarget(-1, n),
    "recip": lambda values, n: ReciprocalTarget(),
}


def target_named(name: str, values: Values, inputs: int) -> Target | None:
    """The target of a construction at its parameters, for one copy; None if no certificate knows it."""
    make = _BY_NAME.get(name)
    return None if make is None else make(values, inputs)
