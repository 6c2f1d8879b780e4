"""silu: ρ(z) ≈ z·σ(βz) by one head over two tokens, the data and a zero sink (lemma S6).

The data token holds the whole state and a constant 1. A head reads the score z from the key of the data token and
the constant 1 as query; the sink has score 0 and value 0, so the head returns z·σ(βz).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ..interval import Interval
from ..lemma import Lemma
from ..linear import AffineMap, Block, Ref, Rows, fresh_indices
from ..network import Flat, HeadFamily, Layer, Unit
from ..softmax import SILU, W1
from ..symbols import symbol
from . import Behaviour
from .tokens import ONE, attention, coordinates, single, values

TOKENS = sp.Integer(2)
SCORE = (Block("score"),)


@dataclass(frozen=True)
class Silu:
    name: str = "silu"
    lemma: Lemma = SILU
    parameters: tuple[str, ...] = ("beta",)
    needs_bounded_input: bool = False

    @property
    def eta(self) -> sp.Expr:
        return W1 / symbol("beta")

    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        return {}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """Tokens z and 0: values and scores are |z| apart."""
        beta, apart = symbol("beta"), z.radius if z.bounded else sp.oo
        return Behaviour(Interval(-symbol("eta"), sp.S.Zero), beta, 1 + apart * beta / 2, apart, sp.S.One)

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        extents = {b.name: b for b in layer.pre.outputs}
        return (attention(layer, TOKENS, (), tuple(_head(layer, u, extents[u.of]) for u in layer.units)),)


def _head(layer: Layer, unit: Unit, of: Block) -> HeadFamily:
    coords = coordinates(layer, ())
    over = fresh_indices(of, "h")
    z = Ref(of.name, tuple(i.symbol for i in over))
    query = AffineMap(coords, SCORE, (Rows("score", single(ONE)),))
    key = AffineMap(coords, SCORE, (Rows("score", single(z.block, *z.at)),))
    return HeadFamily(query, key, values(layer, unit.name, coords, z, over), symbol("beta"), over)


GATE = Silu()
