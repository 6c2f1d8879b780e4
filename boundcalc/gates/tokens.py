"""How a gated layer is laid out on tokens: shared by all gates that compute ramps by attention.

The data ride on token 0, together with a constant 1. What a ReLU layer would hand on unchanged goes through the skip; the
affine map behind the ReLU is folded into V and the skip.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from ..errors import NotDerivable
from ..formulas.index import Index
from ..formulas.symbols import exchange
from ..terms.linear import AffineMap, Block, Form, Ref, Rows, Weighted, Wire, fresh_indices
from ..terms.term import ONE, Attention, HeadFamily, Ramps, Unit

DATA = sp.S.Zero        # the token that carries the data


def attention(layer: Ramps, tokens: sp.Expr, constants: tuple[Rows, ...], heads: tuple[HeadFamily, ...],
              rides: bool = False) -> Attention:
    """The layer as attention over `tokens` tokens, whose constant coordinates are given by their rows."""
    coords = coordinates(layer, constants)
    on_tokens = tuple(Block(b.name, (tokens, *b.extents)) for b in coords)
    data = tuple(replace(r, at=(DATA, *r.at)) for r in layer.pre.rows)
    embed = AffineMap(layer.pre.inputs, on_tokens, (*data, Rows(ONE, Form((), sp.S.One), (DATA,)), *constants))
    units = {u.name for u in layer.units}
    rows = tuple(r for r in (_skip_row(r, units) for r in layer.post.rows) if r.form.terms)
    skip = AffineMap(on_tokens, layer.post.outputs, rows) if rows else None
    names = tuple(b.name for b in coords[len(layer.pre.outputs):])
    return Attention(layer.label, tokens, coords, names, embed, heads, skip, layer.post.outputs, rides)


def coordinates(layer: Ramps, constants: tuple[Rows, ...]) -> Wire:
    """The coordinates of one token: the state, the constant 1, and further constants."""
    return (*layer.pre.outputs, Block(ONE), *(Block(name) for name in dict.fromkeys(r.block for r in constants)))


def single(block: str, *at: sp.Expr) -> Form:
    return Form((Weighted(sp.S.One, Ref(block, at)),))


def input_of(unit: Unit, block: Block) -> tuple[Form, tuple[Index, ...]]:
    """What a unit reads, z − low, and the indices of its heads."""
    over = (*fresh_indices(block, "h"), *unit.over)
    z, low, _ = unit.source(tuple(i.symbol for i in over))
    return shifted(single(z.block, *z.at), low), over


def shifted(form: Form, by: sp.Expr) -> Form:
    """form − by, the constant riding in a token. A shift that is nothing at all has no entry."""
    return form if by.is_zero else form - by * single(ONE)


def values(layer: Ramps, unit: str, coords: Wire, read: Form, over: tuple[Index, ...]) -> AffineMap:
    """V of the heads of one unit: every row that the unit feeds reads `read` instead."""
    return AffineMap(coords, layer.post.outputs, tuple(
        _value_row(r, t, read, over) for r in layer.post.rows for t in r.form.terms if t.ref.block == unit))


def _skip_row(row: Rows, units: set[str]) -> Rows:
    """What does not pass a gate: it is read from the data token, constants from its coordinate 1."""
    terms = [replace(t, ref=Ref(t.ref.block, (DATA, *t.ref.at))) for t in row.form.terms if t.ref.block not in units]
    if row.form.const is not None:
        terms.append(Weighted(row.form.const, Ref(ONE, (DATA,))))
    return replace(row, form=Form(tuple(terms)))


def _value_row(row: Rows, t: Weighted, read: Form, over: tuple[Index, ...]) -> Rows:
    """The rows that unit `t.ref` feeds, written in terms of the index of its head."""
    solved: dict[sp.Basic, sp.Basic] = {}
    for have, head in zip(t.ref.at, over, strict=False):       # a unit may have several heads: their index is not in t
        if not have.is_Symbol or have in solved:
            raise NotDerivable("recipe", f"unit {t.ref.block}[{have}]", "its index is not a plain index of the row")
        solved[have] = head.symbol

    def renamed(e: sp.Expr) -> sp.Expr:
        return exchange(e, solved)

    return Rows(row.block, read * renamed(t.coefficient), tuple(map(renamed, row.at)),
                tuple(i for i in (*row.over, *t.over) if i.symbol not in solved))
