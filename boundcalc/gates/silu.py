"""silu: ρ(z) ≈ z·σ(βz) by one head over two tokens, the data and a zero sink (lemma S6).

The data token holds the whole state and a constant 1. A head reads the score z from the key of the data token and
the constant 1 as query; the sink has score 0 and value 0, so the head returns z·σ(βz). What a ReLU layer would hand
on unchanged goes through the skip, and the affine map behind the ReLU is folded into V and the skip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from ..errors import NotDerivable
from ..interval import Interval
from ..lemma import Lemma
from ..linear import AffineMap, Block, Form, Index, Ref, Rows, Weighted, fresh_indices, map_expressions
from ..network import Attention, Flat, HeadFamily, Layer, Unit
from ..softmax import SILU, W1
from ..symbols import exchange, symbol
from . import Behaviour

DATA = sp.Integer(0)
TOKENS = sp.Integer(2)
ONE = "1"
SCORE = (Block("score"),)


@dataclass(frozen=True)
class Silu:
    name: str = "silu"
    lemma: Lemma = SILU

    @property
    def eta(self) -> sp.Expr:
        return W1 / symbol("beta")

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """Tokens z and 0: values and scores are |z| apart."""
        beta, apart = symbol("beta"), z.radius if z.bounded else sp.oo
        return Behaviour(Interval(-symbol("eta"), sp.S.Zero), beta, 1 + apart * beta / 2, apart, sp.S.One)

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        state = layer.pre.outputs
        coords = (*state, Block(ONE))
        on_tokens = tuple(Block(b.name, (TOKENS, *b.extents)) for b in coords)
        embed = AffineMap(layer.pre.inputs, on_tokens, (
            *(replace(r, at=(DATA, *r.at)) for r in layer.pre.rows), Rows(ONE, Form((), sp.Integer(1)), (DATA,))))
        units = {u.name for u in layer.units}
        skip_rows = tuple(r for r in (_skip_row(r, units) for r in layer.post.rows) if r.form.terms)
        skip = AffineMap(on_tokens, layer.post.outputs, skip_rows) if skip_rows else None
        extents = {b.name: b for b in state}
        heads = tuple(self._head(layer, u.name, extents[u.of], coords) for u in layer.units)
        return (Attention(layer.label, TOKENS, coords, (ONE,), embed, heads, skip, layer.post.outputs),)

    def _head(self, layer: Layer, unit: str, of: Block, coords: tuple[Block, ...]) -> HeadFamily:
        over = fresh_indices(of, "h")
        at = tuple(i.symbol for i in over)
        query = AffineMap(coords, SCORE, (Rows("score", _single(ONE)),))
        key = AffineMap(coords, SCORE, (Rows("score", _single(of.name, *at)),))
        value = AffineMap(coords, layer.post.outputs, tuple(
            _value_row(r, t, of.name, over) for r in layer.post.rows for t in r.form.terms if t.ref.block == unit))
        return HeadFamily(query, key, value, symbol("beta"), over)


def _single(block: str, *at: sp.Expr) -> Form:
    return Form((Weighted(sp.Integer(1), Ref(block, at)),))


def _skip_row(row: Rows, units: set[str]) -> Rows:
    """What does not pass a gate: it is read from the data token, constants from its coordinate 1."""
    terms = [replace(t, ref=Ref(t.ref.block, (DATA, *t.ref.at))) for t in row.form.terms if t.ref.block not in units]
    if row.form.const is not None:
        terms.append(Weighted(row.form.const, Ref(ONE, (DATA,))))
    return replace(row, form=Form(tuple(terms)))


def _value_row(row: Rows, t: Weighted, of: str, over: tuple[Index, ...]) -> Rows:
    """The rows that unit `t.ref` feeds, written in terms of the index of its head."""
    solved: dict[sp.Basic, sp.Basic] = {}
    for have, head in zip(t.ref.at, over, strict=True):
        if not have.is_Symbol or have in solved:
            raise NotDerivable("gate silu", f"unit {t.ref.block}[{have}]", "its index is not a plain index of the row")
        solved[have] = head.symbol
    moved = Rows(row.block, Form((Weighted(t.coefficient, Ref(of, t.ref.at)),)), row.at,
                 tuple(i for i in (*row.over, *t.over) if i.symbol not in solved))
    return map_expressions(moved, lambda e: exchange(e, solved))


GATE = Silu()
