"""ffn: a real ReLU layer, for comparison with the attention-only network.

A ReLU layer rectifies its whole input, so what must be handed on unchanged travels as v = ρ(v) − ρ(−v).
A coordinate that is also the input of a unit needs only the second of these neurons, one that is never negative the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..formulas.index import Index
from ..formulas.interval import LINE, Interval
from ..terms.gate import Behaviour, Gate
from ..terms.linear import AffineMap, Block, Form, Ref, Rows, Weighted, compose, fresh_indices
from ..terms.term import Affine, Flat, Ramps, Rectify, Unit, one_sided
from . import Options, refuse_options
from .any import EXACT


@dataclass(frozen=True)
class Ffn(Gate):
    name: str = "ffn"
    rectifies: bool = True

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        return EXACT

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        layer = one_sided(layer)
        state = layer.pre.outputs
        plain = {u.of: u.name for u in layer.units if u.low.is_zero and not u.over}
        units = {u.name for u in layer.units}
        handed_on = {t.ref.block for r in layer.post.rows for t in r.form.terms} - units
        known = dict(layer.ranges.before) if layer.ranges else {}
        neurons: list[Block] = []
        spread: list[Rows] = []
        gathered: list[Rows] = []

        def neuron(name: str, z: Form, over: tuple[Index, ...]) -> Form:
            at = tuple(i.symbol for i in over)
            neurons.append(Block(name, tuple(i.count for i in over)))
            spread.append(Rows(name, z, at, over))
            return Form((Weighted(sp.S.One, Ref(name, at)),))

        for u in layer.units:
            over = (*fresh_indices(next(b for b in state if b.name == u.of), "k"), *u.over)
            at = tuple(i.symbol for i in over)
            z, low, _ = u.source(at)
            read = neuron(u.name, Form((Weighted(sp.S.One, z),), None if low.is_zero else -low), over)
            gathered.append(Rows(u.name, read, at, over))
        for block in (b for b in state if b.name in handed_on):
            over = fresh_indices(block, "k")
            at = tuple(i.symbol for i in over)
            z_form = Form((Weighted(sp.S.One, Ref(block.name, at)),))
            positive = (Form((Weighted(sp.S.One, Ref(plain[block.name], at)),)) if block.name in plain
                        else neuron(f"{block.name}⁺", z_form, over))
            never_negative = known.get(block.name, LINE).lo.is_nonnegative
            passed = positive if never_negative else positive - neuron(f"{block.name}⁻", -z_form, over)
            gathered.append(Rows(block.name, passed, at, over))
        wire = tuple(neurons)
        before = compose(AffineMap(state, wire, tuple(spread)), layer.pre)
        after = compose(layer.post, AffineMap(wire, layer.post.inputs, tuple(gathered)))
        return Affine(layer.label, before), Rectify(wire), Affine(layer.label, after)


def make(options: Options) -> Ffn:
    refuse_options("ffn", options)
    return Ffn()
