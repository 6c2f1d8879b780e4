"""The function of a ReLU network as a target: exact values, enclosures and slopes, by walks through its layers.

It has the methods of `AnyTarget`, with matrices in place of a tree: an expression for it would be as long as the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, arb_mat, fmpq, fmpq_mat

from ..formulas.enclosure import Undecided
from ..formulas.piecewise import Piecewise
from ..formulas.shapes import Shape
from ..formulas.target import Ends, Target, modulus_of, target_of
from ..numbers.arithmetic import as_fraction, quotient
from ..numbers.exact import Shift, each
from .network import AffineLayer
from .relu import ReluNetwork

NIL, HALF = fmpq(0), fmpq(1, 2)
MOST_PIECES = 400       # of a function of one input that is written out as a piecewise linear one
Rational = fmpq


def numbers_of(layer: AffineLayer) -> tuple[fmpq_mat, fmpq_mat]:
    """Weight and bias as matrices of rationals."""
    rows, cols = layer.weight.rows, layer.weight.cols
    weight = [NIL] * (rows * cols)
    for i, j, x in layer.weight.entries:
        weight[i * cols + j] = quotient(x)
    bias = [NIL] * rows
    for i, x in layer.bias.entries:
        bias[i] = quotient(x)
    return fmpq_mat(rows, cols, weight), fmpq_mat(rows, 1, bias)


def absolute(m: fmpq_mat) -> fmpq_mat:
    return fmpq_mat(m.nrows(), m.ncols(), [abs(x) for x in m.entries()])


@dataclass(frozen=True)
class Span:
    """A matrix of intervals, middle ± radius, entry by entry."""

    middle: fmpq_mat
    radius: fmpq_mat

    @staticmethod
    def between(rows: int, cols: int, ends: Sequence[tuple[fmpq, fmpq]]) -> Span:
        return Span(fmpq_mat(rows, cols, [(a + b) * HALF for a, b in ends]),
                    fmpq_mat(rows, cols, [(b - a) * HALF for a, b in ends]))

    @staticmethod
    def exact(m: fmpq_mat) -> Span:
        return Span(m, fmpq_mat(m.nrows(), m.ncols()))

    def ends(self) -> list[tuple[fmpq, fmpq]]:
        """Row by row."""
        return [(m - r, m + r) for m, r in zip(self.middle.entries(), self.radius.entries(), strict=True)]

    def times(self, m: fmpq_mat, size: fmpq_mat | None = None) -> Span:
        """Every product with a matrix of numbers, whose absolute values are `size`; the hull of each entry is exact."""
        return Span(self.middle * m, self.radius * (absolute(m) if size is None else size))


class Layers:
    """A ReLU network in rationals. The last point is kept: all outputs ask for the same one."""

    def __init__(self, network: ReluNetwork) -> None:
        self.network, self.inputs = network, len(network.inputs)
        self.maps = [numbers_of(m) for m in network.maps]
        self.sizes = [absolute(w) for w, _ in self.maps]
        self._last: tuple[tuple[fmpq, ...], list[fmpq]] | None = None

    def value(self, point: Sequence[fmpq]) -> list[fmpq]:
        at = tuple(point)
        if self._last is None or self._last[0] != at:
            state = fmpq_mat(len(at), 1, list(at))
            for k, (weight, bias) in enumerate(self.maps):
                if k:
                    state = fmpq_mat(state.nrows(), 1, [x if x > 0 else NIL for x in state.entries()])
                state = weight * state + bias
            self._last = at, state.entries()
        return self._last[1]

    def ranges(self, box: Sequence[tuple[fmpq, fmpq]]) -> list[list[tuple[fmpq, fmpq]]]:
        """Where the values before every ReLU lie, and at last those of the outputs."""
        found, ends = [], list(box)
        for (weight, bias), size in zip(self.maps, self.sizes, strict=True):
            middle = weight * fmpq_mat(len(ends), 1, [(a + b) * HALF for a, b in ends]) + bias
            radius = size * fmpq_mat(len(ends), 1, [(b - a) * HALF for a, b in ends])
            here = Span(middle, radius).ends()
            found.append(here)
            ends = [(max(a, NIL), max(b, NIL)) for a, b in here]
        return found

    def slopes(self, box: Sequence[tuple[fmpq, fmpq]], output: int) -> list[tuple[fmpq, fmpq]]:
        """Intervals around every slope of one output on the segment between two points of the box."""
        ranges = self.ranges(box)
        last = self.maps[-1][0]
        found = Span.exact(fmpq_mat(1, last.ncols(), [last[output, j] for j in range(last.ncols())]))
        for (weight, _), size, ends in reversed(list(zip(self.maps[:-1], self.sizes, ranges, strict=False))):
            found = Span.between(1, len(ends), [_through(s, z) for s, z in zip(found.ends(), ends, strict=True)])
            found = found.times(weight, size)
        return found.ends()

    def balls(self, box: Sequence[arb]) -> list[arb]:
        state = arb_mat(len(box), 1, list(box))
        for k, (weight, bias) in enumerate(self._in_balls):
            if k:
                state = arb_mat(state.nrows(), 1, [x.max(arb(0)) for x in state.entries()])
            state = weight * state + bias
        return list(state.entries())

    @property
    def _in_balls(self) -> list[tuple[arb_mat, arb_mat]]:
        return [(arb_mat(w), arb_mat(b)) for w, b in self.maps]

    def pieces(self, output: int) -> Piecewise | None:
        """Of one input: the function piece by piece, exactly; None where it has many."""
        state = [Piecewise(NIL, fmpq(1))]
        for k, (weight, bias) in enumerate(self.maps):
            if k:
                state = [f.positive_part() for f in state]
            rows = range(weight.nrows()) if k < len(self.maps) - 1 else [output]
            made = []
            for i in rows:
                constant, slope, hinges = bias[i, 0], NIL, dict[fmpq, fmpq]()
                for j, f in enumerate(state):
                    c = weight[i, j]
                    if c:
                        constant, slope = constant + c * f.constant, slope + c * f.slope
                        for at, change in f.hinges:
                            hinges[at] = hinges.get(at, NIL) + c * change
                made.append(Piecewise.of(constant, slope, hinges))
            state = made
            if sum(len(f.hinges) for f in state) > MOST_PIECES * len(state):
                return None
        return state[0]


def _through(s: tuple[fmpq, fmpq], z: tuple[fmpq, fmpq]) -> tuple[fmpq, fmpq]:
    """The slope behind a ReLU: that before it where z is positive, 0 where it is not, or their hull."""
    if z[0] >= 0:
        return s
    return (NIL, NIL) if z[1] <= 0 else (min(s[0], NIL), max(s[1], NIL))


@dataclass(frozen=True, eq=False)
class NetworkFunction:
    """One output of a ReLU network."""

    layers: Layers
    output: int
    name: str
    again: bool

    @property
    def inputs(self) -> int:
        return self.layers.inputs

    @property
    def text(self) -> str:
        return self.name

    unicode = text
    latex = text

    @cached_property
    def _piecewise(self) -> Target | None:
        if self.inputs != 1:
            return None
        pieces = self.layers.pieces(self.output)
        return None if pieces is None else target_of(pieces)

    @property
    def shape(self) -> Shape:
        return self._piecewise.shape if self._piecewise is not None else None

    @property
    def kinks(self) -> tuple[fmpq, ...]:
        return self._piecewise.kinks if self._piecewise is not None else ()

    def exact(self, point: Sequence[Fraction]) -> Fraction | None:
        return as_fraction(self.layers.value([quotient(x) for x in point])[self.output])

    def at(self, point: Sequence[fmpq]) -> fmpq | arb:
        return self.layers.value(point)[self.output]

    def near(self, point: Sequence[Fraction], digits: int) -> Fraction:
        found = self.exact(point)
        assert found is not None
        return found

    def over(self, box: Sequence[arb]) -> arb:
        return self.layers.balls(box)[self.output]

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        ends = [(_end(x.lower()), _end(x.upper())) for x in box]
        return [arb(a).union(arb(b)) for a, b in self.layers.slopes(ends, self.output)]

    def second(self, box: Sequence[arb]) -> arb:
        found = self._piecewise
        if found is None:
            raise Undecided("The second derivative of a network is not looked at.")
        return found.second(box)

    def image(self, box: Sequence[Ends]) -> Ends:
        if any(None in ends for ends in box):
            return None, None
        low, high = self.layers.ranges([(quotient(a), quotient(b)) for a, b in box if a is not None and b is not None])[-1][
            self.output]
        return as_fraction(low), as_fraction(high)

    def slopes(self, exact: Sequence[Ends], perturbed: Sequence[Ends]) -> list[tuple[Ends, ...]]:
        found = []
        for (a, b), (c, d) in zip(exact, perturbed, strict=True):
            if a is None or b is None or c is None or d is None:
                raise Undecided("The box of the inputs of a network must be bounded.")
            found.append((quotient(min(a, c)), quotient(max(b, d))))
        return [tuple((as_fraction(a), as_fraction(b)) for a, b in self.layers.slopes(found, self.output))]

    def modulus(self, box: Sequence[Ends], shift: Shift) -> Fraction | None:
        moved = [(None if a is None else a - s, None if b is None else b + s)
                 for (a, b), s in zip(box, each(shift, len(box)), strict=True)]
        return modulus_of(self.slopes(box, moved), shift)


def _end(x: arb) -> fmpq:
    man, exp = x.mid().man_exp()
    return fmpq(int(man)) * (fmpq(2) ** int(exp))


def functions_of(network: ReluNetwork, names: Sequence[str]) -> list[NetworkFunction]:
    layers = Layers(network)
    return [NetworkFunction(layers, k, name, k > 0) for k, name in enumerate(names)]
