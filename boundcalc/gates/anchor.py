"""anchor: ρ(z) by one head over p anchor tokens (after arXiv 2504.15956, one head; the constant is certified here).

On exact inputs z ≤ b, ρ(z) = min(max(z, 0), b). Anchors L_k = kΔ, k = 0 … p − 1, Δ = b/(p − 1); scores 2zL_k − L_k², which
is −(z − L_k)² up to a constant; values L_k. At β = (68/25)/Δ² the output is within Δ/16 of min(max(z, 0), b) for every real
z (lemma A1): no logarithm, and about sixteen times fewer anchors than a hard selection needs. β must not be rounded.

The data ride on the first anchor token, and K ignores them: a data token of its own would be attended to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ..errors import Infeasible
from ..interval import Interval, largest
from ..lemma import Lemma, Reference
from ..linear import AffineMap, Block, Form, Ref, Rows, fresh_indices, upto
from ..network import Flat, HeadFamily, Layer, Unit
from ..symbols import INTERNAL, index, symbol
from . import Behaviour
from .tokens import ONE, attention, coordinates, single, values

KAPPA = sp.Rational(68, 25)     # βΔ²: the least error is near 2.7197; 2.7 and 2.75 already miss Δ/16
CONSTANT = sp.Rational(1, 16)
SCORE = (Block("score", (sp.Integer(2),)),)
cells = INTERNAL["cells"]

LEMMA = Lemma("A1", "one head over p ≥ 2 equidistant anchors with βΔ² = 68/25 errs by at most Δ/16, for every real z",
              (("gates", Interval.symmetric(symbol("eta"))),),
              Reference("certified by ball arithmetic (docs/rules.md, A1)", "derived"))


@dataclass(frozen=True)
class Anchor:
    name: str = "anchor"
    lemma: Lemma = LEMMA
    parameters: tuple[str, ...] = ("p",)
    needs_bounded_input: bool = True

    @property
    def eta(self) -> sp.Expr:
        """The error of a gate on [0, 1]; on [0, b] it is b times that."""
        return CONSTANT / cells

    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        return {"cells": symbol("p") - 1}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        b, beta = _largest(z), _beta(_largest(z))
        farthest = largest((b, b - z.lo))       # distance of an input to an anchor; scores are minus its square
        # S2: an input error e moves the scores by 2eL_k, half their spread being e·b; the values lie in [0, b]
        return Behaviour(Interval.symmetric(b * symbol("eta")), beta, b ** 2 * beta / 2, farthest ** 2, 2 * b)

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        assert layer.ranges is not None
        before = dict(layer.ranges.before)
        ends = {u.name: _largest(before[u.of]) for u in layer.units}
        grids = list(dict.fromkeys(ends.values()))
        constants = tuple(rows for g, b in enumerate(grids) for rows in _grid(g, b))
        extents = {block.name: block for block in layer.pre.outputs}
        heads = tuple(_head(layer, u, extents[u.of], constants, grids.index(ends[u.name]), ends[u.name])
                      for u in layer.units)
        return (attention(layer, cells + 1, constants, heads),)


def _largest(z: Interval) -> sp.Expr:
    if not z.bounded or not z.hi.is_positive:
        raise Infeasible("An anchor gate computes a ReLU only where its input is bounded and sometimes positive.",
                         "Give such a domain with --M or --range, or use another gate.")
    return z.hi


def _beta(b: sp.Expr) -> sp.Expr:
    return KAPPA * cells ** 2 / b ** 2


def _grid(g: int, b: sp.Expr) -> tuple[Rows, Rows]:
    """The anchors of [0, b] and what their scores subtract, one a token."""
    k = upto(index("k"), cells + 1)
    anchor = b * k.symbol / cells
    return (Rows(f"L{g}", Form((), anchor), (k.symbol,), (k,)), Rows(f"S{g}", Form((), -anchor ** 2), (k.symbol,), (k,)))


def _head(layer: Layer, unit: Unit, of: Block, constants: tuple[Rows, ...], g: int, b: sp.Expr) -> HeadFamily:
    coords = coordinates(layer, constants)
    over = fresh_indices(of, "h")
    z = single(of.name, *(i.symbol for i in over))
    first, second = (sp.S.Zero,), (sp.S.One,)
    query = AffineMap(coords, SCORE, (Rows("score", 2 * z, first), Rows("score", single(ONE), second)))
    key = AffineMap(coords, SCORE, (Rows("score", single(f"L{g}"), first), Rows("score", single(f"S{g}"), second)))
    return HeadFamily(query, key, values(layer, unit.name, coords, Ref(f"L{g}"), over), _beta(b), over)


GATE = Anchor()
