"""ffn: a real ReLU layer, for comparison with the attention-only network.

A ReLU layer rectifies its whole input, so what must be handed on unchanged travels as v = ρ(v) − ρ(−v).
A coordinate that is also the input of a unit needs only the second of these neurons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ..interval import Interval
from ..linear import AffineMap, Block, Form, Ref, Rows, Weighted, compose, fresh_indices
from ..network import Affine, Flat, Layer, Rectify, Unit
from . import Behaviour
from .any import EXACT

PLUS, MINUS = sp.Integer(1), sp.Integer(-1)


@dataclass(frozen=True)
class Ffn:
    name: str = "ffn"
    lemma: None = None
    parameters: tuple[str, ...] = ()
    needs_bounded_input: bool = False

    @property
    def eta(self) -> sp.Expr:
        return sp.Integer(0)

    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        return {}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        return EXACT

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        state = layer.pre.outputs
        unit_of = {u.of: u.name for u in layer.units}
        handed_on = {t.ref.block for r in layer.post.rows for t in r.form.terms} - {u.name for u in layer.units}
        neurons: list[Block] = []
        spread: list[Rows] = []
        gathered: list[Rows] = []

        def neuron(name: str, block: Block, sign: sp.Integer) -> Weighted:
            over = fresh_indices(block, "k")
            at = tuple(i.symbol for i in over)
            neurons.append(Block(name, block.extents))
            spread.append(Rows(name, Form((Weighted(sign, Ref(block.name, at)),)), at, over))
            return Weighted(sign, Ref(name, at))

        for block in state:
            over = fresh_indices(block, "k")
            at = tuple(i.symbol for i in over)
            parts = []
            if block.name in unit_of:
                parts.append(neuron(unit_of[block.name], block, PLUS))
                gathered.append(Rows(unit_of[block.name], Form((parts[0],)), at, over))
            elif block.name in handed_on:
                parts.append(neuron(f"{block.name}⁺", block, PLUS))
            if block.name in handed_on:
                parts.append(neuron(f"{block.name}⁻", block, MINUS))
                gathered.append(Rows(block.name, Form(tuple(parts)), at, over))
        wire = tuple(neurons)
        before = compose(AffineMap(state, wire, tuple(spread)), layer.pre)
        after = compose(layer.post, AffineMap(wire, layer.post.inputs, tuple(gathered)))
        return Affine(layer.label, before), Rectify(wire), Affine(layer.label, after)


GATE = Ffn()
