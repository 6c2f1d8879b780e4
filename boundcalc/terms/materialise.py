"""A flat network at exact numbers: the matrices that are exported, evaluated and certified."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd, lcm, prod
from typing import TypeVar

import sympy as sp

from ..errors import BoundcalcError, NotDerivable
from ..formulas.enclosure import exact_value
from ..formulas.series import ExpSum
from ..formulas.symbols import exchange
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network, ReluLayer, Vector
from .flat import FlatNetwork, coefficients, flatten_repeats
from .linear import AffineMap, Block, Wire, assignments, index_values
from .term import Affine, Attention, Flat, Rectify, substitute

Key = TypeVar("Key")
MOST_MEMBERS = 10 ** 4      # of a family whose values are looked at one by one
At = Mapping[sp.Symbol, int]


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


def weight_bits(flat: FlatNetwork, values: Mapping[sp.Symbol, Fraction]) -> int | None:
    """The longest numerator or denominator of any entry or β, in bits; families are read, not written out. None where a
    family is too large for that."""
    longest = 0
    seen: set[sp.Expr] = set()
    for value, over in coefficients(flat.parts):
        if value in seen:
            continue
        seen.add(value)
        used = (i for i in over if i.symbol in value.free_symbols)
        ranges = [range(int(_exact(i.first, values)), int(_exact(i.last, values)) + 1) for i in used]
        symbols = [i.symbol for i in over if i.symbol in value.free_symbols]
        if len(symbols) == 1 and ranges[0].stop - ranges[0].start > 2 and _is_power(value, symbols[0]):
            ranges = [range(ranges[0].start, ranges[0].stop, ranges[0].stop - ranges[0].start - 1)]
        elif len(symbols) == 1:
            ranges = [_longest_multiples(value, symbols[0], ranges[0], values)]
        if prod((r.stop - r.start) // r.step + 1 for r in ranges) > MOST_MEMBERS:      # len is for small ranges only
            return None
        read = _reader(exchange(value, {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}))
        for at in product(*ranges):
            number = read(dict(zip(symbols, at, strict=True)))
            longest = max(longest, number.numerator.bit_length(), number.denominator.bit_length())
    return longest


def _longest_multiples(value: sp.Expr, s: sp.Symbol, span: range, values: Mapping[sp.Symbol, Fraction]) -> range:
    """Of c·s^e the part of the range that matters: if s has no factor in common with the denominator of c, nothing is
    reduced, so that no smaller s has a longer numerator or denominator."""
    factor, power = value.as_independent(s, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != s or not (exponent.is_Integer and exponent > 0) or span.start < 0:
        return span
    below = _exact(factor, values).denominator
    first = next((k for k in reversed(span) if gcd(k, below) == 1), span.start)
    return range(first, span.stop)


def _is_power(value: sp.Expr, s: sp.Symbol) -> bool:
    """Whether the value is c·q^s or c·q^(−s) with an integer q. In lowest terms one of numerator and denominator then
    never falls with s and the other never rises, so the longest stands at an end of the range."""
    try:
        terms = ExpSum.of(value, s).terms
    except NotDerivable:
        return False
    return len(terms) == 1 and (terms[0][0].is_Integer or (1 / terms[0][0]).is_Integer)


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
        terms = [(_places(t.ref.at), t.ref.block, _reader(t.coefficient), t.over) for t in family.form.terms]
        const = None if family.form.const is None else _reader(family.form.const)
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
    readers = [_reader(a) for a in at]
    return lambda values: tuple(int(read(values)) for read in readers)


def _reader(expr: sp.Expr) -> Callable[[At], Fraction]:
    """The expression as a function of its indices. Polynomials in one index, which nearly all are, skip sympy: a grid of
    anchors has thousands of entries."""
    if not expr.free_symbols:
        constant = _exact(expr, {})
        return lambda values: constant
    if len(expr.free_symbols) == 1 and expr.is_polynomial():
        (s,) = expr.free_symbols
        coefficients = [_exact(c, {}) for c in sp.Poly(expr, s).all_coeffs()]
        below = lcm(*(c.denominator for c in coefficients))
        above = [int(c * below) for c in coefficients]      # integers: one reduced fraction an entry, not one an operation
        return lambda values: Fraction(reduce(lambda total, c: total * values[s] + c, above, 0), below)
    return _compiled(expr)


def _compiled(expr: sp.Expr) -> Callable[[At], Fraction]:
    """The same for sums, products and integer powers; anything else is left to the exact evaluator."""
    if expr.is_Symbol:
        return lambda values: Fraction(values[expr])
    if expr.is_Add or expr.is_Mul:
        parts, plus = [_compiled(a) for a in expr.args], expr.is_Add
        return lambda values: reduce(lambda x, y: x + y if plus else x * y, (part(values) for part in parts))
    if expr.is_Pow and expr.exp.is_Integer:
        base, exponent = _compiled(expr.base), int(expr.exp)
        return lambda values: base(values) ** exponent
    if not expr.free_symbols:
        constant = _exact(expr, {})
        return lambda values: constant
    return lambda values: _exact(expr, {symbol: Fraction(v) for symbol, v in values.items() if symbol in expr.free_symbols})


def _put(entries: dict[Key, Fraction], key: Key, value: Fraction) -> None:
    if key in entries:
        raise BoundcalcError("Two entry families meet in one entry: the derived counts would be wrong.")
    entries[key] = value


def _exact(expr: sp.Expr, values: Mapping[sp.Symbol, Fraction]) -> Fraction:
    number = exact_value(expr, values)
    if number is None:
        raise BoundcalcError(f"The weight {expr} is not a rational number at these parameters.")
    return number


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
            heads.append(Head(query, key, linear(h.value, columns, per_query), _exact(h.beta, {})))
    skip = None if layer.skip is None else linear(layer.skip, here, there)
    return AttentionLayer(columns.size, int(layer.tokens), tuple(range(int(layer.queries))), skip, tuple(heads))
