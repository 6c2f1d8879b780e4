"""A flat network at exact numbers: the matrices that are exported, evaluated and certified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeVar

import sympy as sp

from ..errors import BoundcalcError
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network, ReluLayer, Vector
from .entries import At, exact_entry, reader
from .flat import FlatNetwork, flatten_repeats
from .linear import AffineMap, Block, Wire, assignments, index_values
from .term import Affine, Attention, Flat, Rectify, substitute

Key = TypeVar("Key")


@dataclass(frozen=True)
class Space:
    """A vector: its length, and where each coordinate of its wire stands."""

    size: int
    place: Callable[[str, Sequence[int]], int]


def materialise(flat: FlatNetwork, values: Mapping[sp.Symbol, Fraction], inputs: Sequence[str],
                outputs: Sequence[str]) -> Network:
    """The concrete network; `values` gives every symbol an exact value."""
    numbers = {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}
    concrete = substitute(flat, numbers)
    parts = tuple(flatten_repeats(concrete.parts))
    layers: list[Layer] = []
    here = _interleaved(concrete.inputs)
    for part, following in zip(parts, (*parts[1:], None), strict=True):
        there = _space_after(part, following)
        match part:
            case Affine(map=m):
                layers.append(AffineLayer(*_entries(m, here, there)))
            case Attention():
                layers.append(_attention_layer(part, here, there))
            case Rectify():
                layers.append(ReluLayer())
        here = there
    return Network(tuple(inputs), tuple(outputs), tuple(layers))


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


def _rank(extents: Sequence[int], at: Sequence[int]) -> int:
    position = 0
    for e, i in zip(extents, at, strict=True):
        if not 0 <= i < e:
            raise BoundcalcError(f"A coordinate index {tuple(at)} is outside its block of shape {tuple(extents)}.")
        position = position * e + i
    return position


def _plain(wire: Wire) -> Space:
    """Block after block, each in row-major order."""
    extents, offsets, offset = _extents(wire), {}, 0
    for name, e in extents.items():
        offsets[name] = offset
        offset += prod(e)
    return Space(offset, lambda block, at: offsets[block] + _rank(extents[block], at))


def _interleaved(wire: Wire) -> Space:
    """Copy after copy (x1, y1, x2, y2, …): how users see the inputs and outputs."""
    extents = _extents(wire)
    names = list(extents)
    if len(names) < 2:
        return _plain(wire)
    size = sum(prod(e) for e in extents.values())
    return Space(size, lambda block, at: _rank(extents[block], at) * len(names) + names.index(block))


def _token_space(layer: Attention) -> Space:
    inside = _plain(layer.coords)
    return Space(inside.size * int(layer.tokens), lambda block, at: at[0] * inside.size + inside.place(block, at[1:]))


def _query_space(layer: Attention) -> Space:
    """Query after query: how the outputs of an attention layer are concatenated."""
    one = _interleaved(_of_one_query(layer))
    return Space(one.size * int(layer.queries), lambda block, at: at[0] * one.size + one.place(block, at[1:]))


def _of_one_query(layer: Attention) -> Wire:
    return layer.outputs if layer.queries == 1 else tuple(Block(b.name, b.extents[1:]) for b in layer.outputs)


# ---------------------------------------------------------------------------------------------------------------
# entries

def _entries(m: AffineMap, columns: Space, rows: Space) -> tuple[Matrix, Vector]:
    weight: dict[tuple[int, int], Fraction] = {}
    bias: dict[int, Fraction] = {}
    for family in m.rows:
        place = _places(family.at)
        terms = [(_places(t.ref.at), t.ref.block, reader(t.coefficient), t.over) for t in family.form.terms]
        const = None if family.form.const is None else reader(family.form.const)
        for here in index_values(family.over):
            row = rows.place(family.block, place(here))
            for column, block, coefficient, over in terms:
                for there in index_values(over):
                    both = {**here, **there} if there else here
                    _put(weight, (row, columns.place(block, column(both))), coefficient(both))
            if const is not None:
                _put(bias, row, const(here))
    return (Matrix(rows.size, columns.size, tuple((i, j, weight[i, j]) for i, j in sorted(weight))),
            Vector(rows.size, tuple((i, bias[i]) for i in sorted(bias))))


def _places(at: tuple[sp.Expr, ...]) -> Callable[[At], tuple[int, ...]]:
    readers = [reader(a) for a in at]
    return lambda values: tuple(int(read(values)) for read in readers)


def _put(entries: dict[Key, Fraction], key: Key, value: Fraction) -> None:
    if key in entries:
        raise BoundcalcError("Two entry families meet in one entry: the derived counts would be wrong.")
    entries[key] = value


def _attention_layer(layer: Attention, here: Space, there: Space) -> AttentionLayer:
    columns = _plain(layer.coords)

    def linear(m: AffineMap, source: Space, goal: Space) -> Matrix:
        weight, bias = _entries(m, source, goal)
        if bias.entries:
            raise BoundcalcError("An attention layer has no bias: constants ride in tokens.")
        return weight

    per_query = there if layer.queries == 1 else _interleaved(_of_one_query(layer))
    heads = []
    for family in layer.heads:
        for at in assignments(family.over):
            h = substitute(family, at)
            query, key = (linear(m, columns, _plain(m.outputs)) for m in (h.query, h.key))
            heads.append(Head(query, key, linear(h.value, columns, per_query), exact_entry(h.beta, {})))
    skip = None if layer.skip is None else linear(layer.skip, here, there)
    return AttentionLayer(columns.size, int(layer.tokens), tuple(range(int(layer.queries))), skip, tuple(heads))
