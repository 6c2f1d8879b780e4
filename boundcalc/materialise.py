"""A flat network at exact numbers: the matrices that are exported, evaluated and certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod

import sympy as sp

from .errors import BoundcalcError, Infeasible
from .flatten import FlatNetwork, flatten_repeats
from .linear import AffineMap, Ref, Rows, Wire, assignments
from .network import Affine, Attention, HeadFamily, Rectify, substitute
from .weights import AffineLayer, AttentionLayer, Head, Matrix, Network, ReluLayer, Vector

Layout = Callable[[str, Sequence[int]], int]
ENTRY_LIMIT = 10 ** 7


def materialise(flat: FlatNetwork, values: Mapping[sp.Symbol, Fraction], inputs: Sequence[str],
                outputs: Sequence[str]) -> Network:
    """The concrete network; `values` gives every symbol an exact value."""
    numbers = {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}
    concrete = substitute(flat, numbers)
    parts = list(flatten_repeats(concrete.parts))
    layers = []
    layout = _interleaved(concrete.inputs)
    for k, part in enumerate(parts):
        following = parts[k + 1] if k + 1 < len(parts) else None
        match part:
            case Affine(map=m):
                out = _token_layout(following) if isinstance(following, Attention) else _plain(m.outputs)
                last = k + 1 == len(parts)
                out = _interleaved(m.outputs) if last else out
                size = _size(following.coords) * int(following.tokens) if isinstance(following, Attention) else _size(m.outputs)
                layers.append(_affine_layer(m, layout, _size_of_inputs(layers, concrete.inputs), out, size))
            case Attention():
                out = _interleaved(part.outputs) if k + 1 == len(parts) else _plain(part.outputs)
                layers.append(_attention_layer(part, out))
            case Rectify(wire=wire):
                out = _plain(wire)
                layers.append(ReluLayer())
        layout = out
    network = Network(tuple(inputs), tuple(outputs), tuple(layers))
    network.check()
    return network


def entry_count(parameters: Fraction, forced: bool) -> None:
    """Refuse to write out a network that would not fit, before any work is done."""
    if parameters > ENTRY_LIMIT and not forced:
        raise Infeasible(f"The network has {parameters} entries, more than 10^7.", "Use --force to write it out anyway.")


# ---------------------------------------------------------------------------------------------------------------
# where a coordinate stands in the vector

def _extents(wire: Wire) -> dict[str, tuple[int, ...]]:
    return {b.name: tuple(int(e) for e in b.extents) for b in wire}


def _size(wire: Wire) -> int:
    return sum(prod(e) for e in _extents(wire).values())


def _rank(extents: Sequence[int], at: Sequence[int]) -> int:
    position = 0
    for e, i in zip(extents, at, strict=True):
        if not 0 <= i < e:
            raise BoundcalcError(f"A coordinate index {tuple(at)} is outside its block of shape {tuple(extents)}.")
        position = position * e + i
    return position


def _plain(wire: Wire) -> Layout:
    """Block after block, each in row-major order."""
    extents, offsets, offset = _extents(wire), {}, 0
    for name, e in extents.items():
        offsets[name] = offset
        offset += prod(e)
    return lambda block, at: offsets[block] + _rank(extents[block], at)


def _interleaved(wire: Wire) -> Layout:
    """Copy after copy (x1, y1, x2, y2, …): how users see the inputs and outputs."""
    extents = _extents(wire)
    names = list(extents)
    if len(names) < 2:
        return _plain(wire)
    return lambda block, at: _rank(extents[block], at) * len(names) + names.index(block)


def _token_layout(layer: Attention) -> Layout:
    inside, dim = _plain(layer.coords), _size(layer.coords)
    return lambda block, at: at[0] * dim + inside(block, at[1:])


def _size_of_inputs(layers: Sequence[object], inputs: Wire) -> int:
    for layer in reversed(layers):
        match layer:
            case AffineLayer(weight=w):
                return w.rows
            case AttentionLayer(heads=heads):
                return heads[0].V.rows
    return _size(inputs)


# ---------------------------------------------------------------------------------------------------------------
# entries

def _entries(m: AffineMap, to_row: Layout, to_col: Layout) -> tuple[dict[tuple[int, int], Fraction], dict[int, Fraction]]:
    weight: dict[tuple[int, int], Fraction] = {}
    bias: dict[int, Fraction] = {}
    for rows in m.rows:
        for row_at, here in _members(rows):
            row = to_row(rows.block, row_at)
            for t in rows.form.terms:
                for there in assignments(t.over):
                    both = {**here, **there}
                    key = (row, to_col(t.ref.block, _numbers(t.ref, both)))
                    if key in weight:
                        raise BoundcalcError(f"Two entry families of {rows.block} meet in one entry: the counts would be wrong.")
                    weight[key] = _value(t.coefficient, both)
            if rows.form.const is not None:
                if row in bias:
                    raise BoundcalcError(f"Two constants of {rows.block} meet in one entry: the counts would be wrong.")
                bias[row] = _value(rows.form.const, here)
    return weight, bias


def _members(rows: Rows) -> Iterator[tuple[tuple[int, ...], dict[sp.Symbol, sp.Expr]]]:
    for here in assignments(rows.over):
        yield tuple(int(a.xreplace(here)) for a in rows.at), here


def _numbers(ref: Ref, values: Mapping[sp.Symbol, sp.Expr]) -> tuple[int, ...]:
    return tuple(int(a.xreplace(values)) for a in ref.at)


def _value(expr: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> Fraction:
    number = expr.xreplace(values) if expr.free_symbols else expr
    if not number.is_Rational:
        raise BoundcalcError(f"The weight {expr} is not a rational number at these parameters.")
    return Fraction(int(number.p), int(number.q))


def _matrix(entries: Mapping[tuple[int, int], Fraction], rows: int, cols: int) -> Matrix:
    return Matrix(rows, cols, tuple((i, j, entries[i, j]) for i, j in sorted(entries)))


def _affine_layer(m: AffineMap, layout: Layout, cols: int, out: Layout, rows: int) -> AffineLayer:
    weight, bias = _entries(m, out, layout)
    return AffineLayer(_matrix(weight, rows, cols), Vector(rows, tuple((i, bias[i]) for i in sorted(bias))))


def _attention_layer(layer: Attention, out: Layout) -> AttentionLayer:
    dim, tokens, size = _size(layer.coords), int(layer.tokens), _size(layer.outputs)
    columns = _plain(layer.coords)

    def heads(family: HeadFamily) -> Iterator[Head]:
        for here in assignments(family.over):
            one = substitute(family, here)
            matrices = []
            for m, to_row, rows in ((one.query, _plain(one.query.outputs), _size(one.query.outputs)),
                                    (one.key, _plain(one.key.outputs), _size(one.key.outputs)), (one.value, out, size)):
                weight, bias = _entries(m, to_row, columns)
                if bias:
                    raise BoundcalcError("A head has no bias: constants ride in tokens.")
                matrices.append(_matrix(weight, rows, dim))
            yield Head(*matrices, _value(one.beta, {}))

    skip = None
    if layer.skip is not None:
        weight, bias = _entries(layer.skip, out, _token_layout(layer))
        if bias:
            raise BoundcalcError("A skip has no bias: constants ride in tokens.")
        skip = _matrix(weight, size, dim * tokens)
    return AttentionLayer(dim, tokens, (0,), skip, tuple(h for f in layer.heads for h in heads(f)))

