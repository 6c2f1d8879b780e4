"""A flat network at exact numbers: the families of entries that are exported, evaluated and certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.index import Index
from ..networks.families import (
    AffineFamilies,
    AttentionFamilies,
    BlockFamilies,
    EntryFamily,
    HeadFamilies,
    LayerFamilies,
    ListedFamily,
    NetworkFamilies,
    Placement,
)
from ..networks.network import ReluLayer
from .compiled import linear, number
from .flat import FlatNetwork, flatten_repeats
from .linear import AffineMap, Block, Ref, Wire
from .numeric import NumericRows
from .term import Affine, Attention, Flat, Rectify, substitute


@dataclass(frozen=True)
class Space:
    """A vector: its length, and of each block of its wire the extents, and where a coordinate of it stands."""

    size: int
    extents: Mapping[str, tuple[int, ...]]
    places: Mapping[str, Placement]


def families(flat: FlatNetwork, values: Mapping[sp.Symbol, Fraction], inputs: Sequence[str],
             outputs: Sequence[str]) -> NetworkFamilies:
    """The concrete network, nothing written out; `values` gives every symbol an exact value."""
    numbers = {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}
    concrete = substitute(flat, numbers)
    parts = tuple(flatten_repeats(concrete.parts))
    layers: list[LayerFamilies] = []
    here = _interleaved(concrete.inputs)
    for part, following in zip(parts, (*parts[1:], None), strict=True):
        there = _space_after(part, following)
        match part:
            case Affine(map=m):
                layers.append(AffineFamilies(*_entries(m, here, there)))
            case Attention():
                layers.append(_attention_layer(part, here, there))
            case Rectify():
                layers.append(ReluLayer())
        here = there
    return NetworkFamilies(tuple(inputs), tuple(outputs), tuple(layers))


# ---------------------------------------------------------------------------------------------------------------
# where a coordinate stands in the vector

def _space_after(part: Flat, following: Flat | None) -> Space:
    if isinstance(following, Attention):
        return _token_space(following)
    if isinstance(part, Attention) and part.queries != 1:
        return _query_space(part)
    match part:
        case Affine(map=m):
            wire = m.outputs
        case Attention(outputs=outputs):
            wire = outputs
        case Rectify(wire=rectified):
            wire = rectified
        case _:
            raise BoundcalcError("A layer of an exported network is affine, attention or ReLU.")
    return _interleaved(wire) if following is None else _plain(wire)


def _extents(wire: Wire) -> dict[str, tuple[int, ...]]:
    return {b.name: tuple(int(e) for e in b.extents) for b in wire}


def _row_major(extents: Sequence[int]) -> Placement:
    strides, step = [], 1
    for e in reversed(extents):
        strides.append(step)
        step *= e
    return Placement(0, tuple(reversed(strides)))


def _plain(wire: Wire) -> Space:
    """Block after block, each in row-major order."""
    extents, places, offset = _extents(wire), {}, 0
    for name, e in extents.items():
        places[name] = Placement(offset, _row_major(e).strides)
        offset += prod(e)
    return Space(offset, extents, places)


def _interleaved(wire: Wire) -> Space:
    """Copy after copy (x1, y1, x2, y2, …): how users see the inputs and outputs."""
    extents = _extents(wire)
    names = list(extents)
    if len(names) < 2:
        return _plain(wire)
    size = sum(prod(e) for e in extents.values())
    return Space(size, extents, {name: Placement(names.index(name), tuple(len(names) * s for s in _row_major(e).strides))
                                 for name, e in extents.items()})


def _repeated(inside: Space, times: int) -> Space:
    """One after the other, with a leading axis."""
    return Space(inside.size * times, {name: (times, *e) for name, e in inside.extents.items()},
                 {name: Placement(p.offset, (inside.size, *p.strides)) for name, p in inside.places.items()})


def _token_space(layer: Attention) -> Space:
    return _repeated(_plain(layer.coords), int(layer.tokens))


def _query_space(layer: Attention) -> Space:
    """Query after query: how the outputs of an attention layer are concatenated."""
    return _repeated(_interleaved(_of_one_query(layer)), int(layer.queries))


def _of_one_query(layer: Attention) -> Wire:
    return layer.outputs if layer.queries == 1 else tuple(Block(b.name, b.extents[1:]) for b in layer.outputs)


# ---------------------------------------------------------------------------------------------------------------
# entries

def _entries(m: AffineMap, columns: Space, rows: Space,
             outer: tuple[Index, ...] = ()) -> tuple[BlockFamilies, BlockFamilies]:
    """Weight and bias; both may depend on the indices of a family of heads."""
    weight: list[EntryFamily] = []
    bias: list[EntryFamily] = []
    for family in m.rows:
        if isinstance(family, NumericRows):
            listed = _listed(family, columns, rows)
            weight.append(listed[0])
            bias.append(listed[1])
            continue
        row = Ref(family.block, family.at)
        for t in family.form.terms:
            weight.append(_family(t.coefficient, ((rows, row, columns.size), (columns, t.ref, 1)), outer,
                                  (*family.over, *t.over)))
        if family.form.const is not None:
            bias.append(_family(family.form.const, ((rows, row, 1),), outer, family.over))
    return (BlockFamilies((rows.size, columns.size), tuple(f for f in weight if f.count)),
            BlockFamilies((rows.size,), tuple(f for f in bias if f.count)))


def _listed(family: NumericRows, columns: Space, rows: Space) -> tuple[ListedFamily, ListedFamily]:
    """Entries that are listed, each in its place."""
    places = [rows.places[family.block](at) for at in family.places()]
    sources = [columns.places[block](at) for block, at in family.listed.sources()]
    layer = family.listed.layer
    weight = [(places[i] * columns.size + sources[j], x.numerator, x.denominator) for i, j, x in layer.weight.entries]
    return ListedFamily.of(sorted(weight)), ListedFamily.of(sorted(
        (places[i], x.numerator, x.denominator) for i, x in layer.bias.entries))


def _family(value: sp.Expr, at: Sequence[tuple[Space, Ref, int]], outer: tuple[Index, ...],
            own: tuple[Index, ...]) -> EntryFamily:
    """An entry family; `at` says of row and column where they stand, and how far apart two of them are."""
    symbols = [i.symbol for i in (*outer, *own)]
    ranges = [i.values() for i in (*outer, *own)]
    place = Placement(0, (0,) * len(symbols))
    for space, ref, step in at:
        where = [linear(a, symbols) for a in ref.at]
        extents = space.extents[ref.block]
        if all(ranges) and not all(w.ends(ranges)[0] >= 0 and w.ends(ranges)[1] < e
                                   for w, e in zip(where, extents, strict=True)):
            raise BoundcalcError(f"A coordinate index {ref.at} is outside its block of shape {extents}.")
        start = space.places[ref.block]
        place = Placement(place.offset + step * start.offset, place.strides)
        for stride, w in zip(start.strides, where, strict=True):
            place = place.plus(w, step * stride)
    # the index with the least stride last, so that entries come in order
    order = [*range(len(outer)), *sorted(range(len(outer), len(symbols)), key=lambda k: -place.strides[k])]
    return EntryFamily(Placement(place.offset, tuple(place.strides[k] for k in order)),
                       number(value, [symbols[k] for k in order]),
                       tuple(ranges[:len(outer)]), tuple(ranges[k] for k in order[len(outer):]))


def _attention_layer(layer: Attention, here: Space, there: Space) -> AttentionFamilies:
    columns = _plain(layer.coords)

    def entries(m: AffineMap, source: Space, goal: Space, outer: tuple[Index, ...]) -> BlockFamilies:
        weight, bias = _entries(m, source, goal, outer)
        if bias.families:
            raise BoundcalcError("An attention layer has no bias: constants ride in tokens.")
        return weight

    per_query = there if layer.queries == 1 else _interleaved(_of_one_query(layer))
    heads = []
    for f in layer.heads:
        query, key = (entries(m, columns, _plain(m.outputs), f.over) for m in (f.query, f.key))
        value, beta = entries(f.value, columns, per_query, f.over), number(f.beta, [i.symbol for i in f.over])
        heads.append(HeadFamilies(tuple(i.values() for i in f.over), query, key, value, beta))
    skip = None if layer.skip is None else entries(layer.skip, here, there, ())
    return AttentionFamilies(columns.size, int(layer.tokens), range(int(layer.queries)), skip, tuple(heads))
