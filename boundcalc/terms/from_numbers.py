"""The term of a ReLU network of numbers, layer by layer (given.py says what it is)."""

from __future__ import annotations

from ..networks.network import AffineLayer, Matrix, Vector
from .given import ALONE, LINES, PAIRED, UNITS, GivenNetwork, common_range, equal_logits
from .linear import AffineMap, Block, Wire, keep
from .numeric import numeric
from .reduced import GatedLayer, Reduced
from .term import Affine, Flat, RampRanges, Ramps, Rectify, Unit


def given_term(reduced: Reduced, inputs: tuple[str, ...], outputs: tuple[str, ...],
               beta_per_layer: bool = False) -> GivenNetwork:
    start: Wire = tuple(Block(x) for x in inputs)
    wire, parts = start, list[Ramps | Affine]()
    for stage in reduced.stages:
        layer = _layer(stage, wire)
        parts.append(layer)
        wire = layer.post.outputs
    goal: Wire = tuple(Block(y) for y in outputs)
    parts.append(Affine("read-out", numeric(wire, [(y, row) for y, row in zip(outputs, _rows(reduced.last), strict=True)],
                                            single=True)))
    return GivenNetwork(tuple(parts), reduced, start, goal, shares=equal_logits(reduced) if beta_per_layer else ())


def as_it_is(term: GivenNetwork) -> tuple[Flat, ...]:
    """The given network itself, with all of its units."""
    wire, found = term.inputs, list[Flat]()
    *maps, last = term.reduced.network.maps
    for k, layer in enumerate(maps, 1):
        pre = numeric(wire, [(ALONE, layer)])
        found += [Affine(f"layer {k}", pre), Rectify(pre.outputs)]
        wire = pre.outputs
    rows = [(b.name, row) for b, row in zip(term.outputs, _rows(last), strict=True)]
    return (*found, Affine("read-out", numeric(wire, rows, single=True)))


def _layer(stage: GatedLayer, wire: Wire) -> Ramps:
    counts = {ALONE: stage.gates, PAIRED: stage.paired, LINES: stage.lines}
    starts = {ALONE: 0, PAIRED: stage.gates, LINES: stage.heads}
    pre = numeric(wire, [(name, _part(stage.map, starts[name], count)) for name, count in counts.items()])
    there = {b.name: b for b in pre.outputs}
    units = tuple(Unit(UNITS[name], name) for name in UNITS if name in there)
    gated = tuple(Block(u.name, there[u.of].extents) for u in units)
    handed = tuple(there[name] for name in (PAIRED, LINES) if name in there)
    post = AffineMap((*pre.outputs, *gated), (*gated, *handed), tuple(map(keep, (*gated, *handed))))
    known = RampRanges((), tuple((u.of, common_range(stage)) for u in units), ())
    return Ramps(f"layer {stage.number}", pre, units, post, ranges=known)


def _part(layer: AffineLayer, start: int, count: int) -> AffineLayer:
    """Some rows of a map."""
    kept = range(start, start + count)
    weight = tuple((i - start, j, x) for i, j, x in layer.weight.entries if i in kept)
    return AffineLayer(Matrix(count, layer.weight.cols, weight),
                       Vector(count, tuple((i - start, x) for i, x in layer.bias.entries if i in kept)))


def _rows(layer: AffineLayer) -> list[AffineLayer]:
    return [_part(layer, k, 1) for k in range(layer.weight.rows)]
