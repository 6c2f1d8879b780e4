"""A ReLU network of numbers on a box, with as few gates as its weights allow.

Units that cannot switch on the box are linear and are handed on. Units whose rows are equal or opposite share one gate, as
ρ(−z) = ρ(z) − z, and need none where their columns in the next map add to 0. Everything is exact, on matrices of rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from ..networks.function import Span, absolute, numbers_of
from ..networks.network import AffineLayer, matrix, vector
from ..networks.relu import ReluNetwork, composed
from ..numbers.arithmetic import quotient

Ends = tuple[fmpq, fmpq]
NIL = fmpq(0)


@dataclass(frozen=True)
class GatedLayer:
    """A ReLU layer that is left: one with gates, or one through which values are only handed on, since the product of the
    maps around it would have more entries than they have.

    Its coordinates are first those that a gate reads alone (`gates`), then those that a gate reads and that are handed on
    besides (`paired`), then those that are only handed on (`lines`). Its features, which the next map reads, are the outputs
    of all gates, then all coordinates that are handed on."""

    map: AffineLayer                # from the features before it, or the inputs, to the coordinates
    ranges: tuple[Ends, ...]        # of the coordinates
    gates: int
    paired: int
    lines: int
    number: int                     # of the layer in the given network, from 1
    linear: int                     # units of the given network that cannot switch on the box
    merged: int                     # … and that share the gate of another one, or need none since their columns add to 0

    @property
    def heads(self) -> int:
        return self.gates + self.paired

    def slopes(self, following: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
        """Of the map behind: its columns by coordinate where the coordinate is positive, and where it is negative."""
        rows = following.nrows()
        positive: list[fmpq] = []
        negative: list[fmpq] = []
        for i in range(rows):
            row = [following[i, j] for j in range(following.ncols())]
            handed = [NIL] * self.gates + row[self.heads:]
            negative += handed
            positive += [h + (row[k] if k < self.heads else NIL) for k, h in enumerate(handed)]
        size = self.gates + self.paired + self.lines
        return fmpq_mat(rows, size, positive), fmpq_mat(rows, size, negative)


class Reduced:
    """What is left of the network; `last` maps the features behind the last layer to the outputs, which lie in `ranges`. It
    is one object, into which nothing is substituted."""

    def __init__(self, stages: tuple[GatedLayer, ...], last: AffineLayer, ranges: tuple[Ends, ...],
                 network: ReluNetwork) -> None:
        self.stages, self.last, self.ranges, self.network = stages, last, ranges, network

    @property
    def heads(self) -> int:
        return sum(s.heads for s in self.stages)


# ---------------------------------------------------------------------------------------------------------------
# which units need a gate

def reduced(network: ReluNetwork, box: Sequence[tuple[Fraction, Fraction]]) -> Reduced:
    ends: list[Ends] = [(quotient(a), quotient(b)) for a, b in box]
    incoming = network.maps[0]                          # to the units of the layer, from what is handed to it
    before: GatedLayer | None = None
    stages: list[GatedLayer] = []
    for number, following in enumerate(network.maps[1:], 1):
        ranges = _ranges(incoming, before, ends)
        found = _grouped(incoming, ranges, following)
        stage, after = _laid_out(incoming, ranges, found, following, number)
        merged = None if stage.heads else composed(after, stage.map)
        if merged is None or _size(merged) > _size(stage.map) + _size(after) + stage.lines:
            stages.append(stage)
            before, incoming, ends = stage, after, list(stage.ranges)
        else:                                           # nothing but affine maps: they merge
            incoming = merged
    return Reduced(tuple(stages), incoming, tuple(_ranges(incoming, before, ends)), network)


def _size(layer: AffineLayer) -> int:
    """Listed entries."""
    return len(layer.weight.entries) + len(layer.bias.entries)


def _ranges(layer: AffineLayer, before: GatedLayer | None, ends: Sequence[Ends]) -> list[Ends]:
    """Where the rows of a map lie: every coordinate before it contributes a piecewise linear function of its own, with a
    kink at 0 at most."""
    weight, bias = numbers_of(layer)
    if before is None:
        middle = weight * fmpq_mat(len(ends), 1, [(a + b) / 2 for a, b in ends]) + bias
        radius = absolute(weight) * fmpq_mat(len(ends), 1, [(b - a) / 2 for a, b in ends])
        return Span(middle, radius).ends()
    positive, negative = before.slopes(weight)
    plain = [k < before.gates or k >= before.heads for k in range(len(ends))]
    # a coordinate that is only gated, or only handed on, is monotone in what it contributes: middle and radius do
    seen = [((max(a, NIL), max(b, NIL)) if k < before.gates else (a, b)) if plain[k] else (NIL, NIL)
            for k, (a, b) in enumerate(ends)]
    middle = positive * fmpq_mat(len(ends), 1, [(a + b) / 2 for a, b in seen]) + bias
    radius = absolute(positive) * fmpq_mat(len(ends), 1, [(b - a) / 2 for a, b in seen])
    found = []
    for i, (low, high) in enumerate(Span(middle, radius).ends()):
        for k in range(before.gates, before.heads):
            a, b = ends[k]
            values = [_at(x, positive[i, k], negative[i, k]) for x in ((a, b, NIL) if a < 0 < b else (a, b))]
            low, high = low + min(values), high + max(values)
        found.append((low, high))
    return found


def _at(x: fmpq, positive: fmpq, negative: fmpq) -> fmpq:
    return x * (positive if x > 0 else negative)


Column = dict[int, Fraction]


@dataclass(frozen=True)
class Group:
    """Units with equal or opposite rows: the function gate·ρ(z) + handed·z of one coordinate z, both being columns of the
    map behind; None is a column that is not needed."""

    leader: int
    size: int
    switches: bool
    gate: Column | None
    handed: Column | None


def _grouped(layer: AffineLayer, ranges: Sequence[Ends], following: AffineLayer) -> list[Group]:
    columns: dict[int, Column] = {}
    for i, j, x in following.weight.entries:
        columns.setdefault(j, {})[i] = x
    return [_group(same, opposite, ranges[same[0]], columns) for same, opposite in _alike(layer)]


def _group(same: list[int], opposite: list[int], z: Ends, columns: dict[int, Column]) -> Group:
    """S·ρ(z) + O·ρ(−z), where ρ(−z) = ρ(z) − z."""
    s, o = _total(columns, same), _total(columns, opposite)
    turned = {i: -x for i, x in o.items()}
    size, (low, high) = len(same) + len(opposite), z
    if low >= 0 or high <= 0:
        return Group(same[0], size, False, None, _needed(s if low >= 0 else turned))
    if size == 1:
        return Group(same[0], 1, True, s, None)
    return Group(same[0], size, True, _needed(_total({0: s, 1: o}, (0, 1))), _needed(turned))


def _needed(column: Column) -> Column | None:
    return column if any(column.values()) else None


def _alike(layer: AffineLayer) -> list[tuple[list[int], list[int]]]:
    """The units in groups: those whose rows are that of the first, and those whose rows are its negative."""
    entries: list[list[tuple[int, Fraction]]] = [[] for _ in range(layer.weight.rows)]
    for i, j, x in layer.weight.entries:
        if x:
            entries[i].append((j, x))
    bias = dict(layer.bias.entries)
    groups: dict[object, tuple[list[int], list[int]]] = {}
    for k, row in enumerate(entries):
        first = row[0][1] if row else bias.get(k, Fraction(0))
        sign = -1 if first < 0 else 1
        key = sign * bias.get(k, Fraction(0)), tuple((j, sign * x) for j, x in row)
        group = groups.setdefault(key, ([], []))
        group[sign < 0].append(k)
    return [(same, opposite) if same else (opposite, []) for same, opposite in groups.values()]


def _total(columns: dict[int, Column], units: Sequence[int]) -> Column:
    found: Column = {}
    for k in units:
        for i, x in columns.get(k, {}).items():
            found[i] = found.get(i, Fraction(0)) + x
    return found


def _laid_out(layer: AffineLayer, ranges: Sequence[Ends], groups: Sequence[Group], following: AffineLayer,
              number: int) -> tuple[GatedLayer, AffineLayer]:
    """The coordinates in their order, and the map behind, from features."""
    gates = [g for g in groups if g.gate is not None and g.handed is None]
    paired = [g for g in groups if g.gate is not None and g.handed is not None]
    lines = [g for g in groups if g.gate is None and g.handed is not None]
    order = [*gates, *paired, *lines]
    place = {g.leader: k for k, g in enumerate(order)}
    weight = [(place[i], j, x) for i, j, x in layer.weight.entries if i in place]
    bias = [(place[i], x) for i, x in layer.bias.entries if i in place]
    own = AffineLayer(matrix(len(order), layer.weight.cols, weight), vector(len(order), bias))
    columns = [*(g.gate or {} for g in (*gates, *paired)), *(g.handed or {} for g in (*paired, *lines))]
    after = matrix(following.weight.rows, len(columns), ((i, k, x) for k, c in enumerate(columns) for i, x in c.items()))
    stage = GatedLayer(own, tuple(ranges[g.leader] for g in order), len(gates), len(paired), len(lines), number,
                       sum(g.size for g in groups if not g.switches),
                       sum(g.size - (g.gate is not None) for g in groups if g.switches))
    return stage, AffineLayer(after, following.bias)
