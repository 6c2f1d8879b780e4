"""Rectifier.

map: $x ↦ max(x, 0)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: SiLU as a two-token head; the sharp constant is proved here (S6)
standing: derived, tight
synonyms: rectifier

recipe.  One layer with one unit: the gate itself, on the whole real line.
Guarantee: silu errs in [−W(1/e)/β, 0], attained at |x| = (1 + W(1/e))/β.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..declarations.record import ANYWHERE, AtLeast, Case, Construction, Frame, Input, Output, Route, copies
from ..lemmas.witness import worst_silu_input
from ..terms.linear import Block, affine, identity, var
from ..terms.term import Ramps, Term, Unit

X = (Block("x"),)


def recipe(frame: Frame) -> Term:
    return copies(frame, Ramps("rectifier", identity(X), (Unit("r", "x"),),
                               affine((*X, Block("r")), {"relu(x)": var("r")})))


def witness(values: Mapping[str, Fraction]) -> Sequence[Fraction]:
    return [worst_silu_input(values["beta"])]


CONSTRUCTION = Construction(
    inputs=(Input("x", ANYWHERE),),
    outputs=(Output("relu(x)", "relu(x)"),),
    routes=(Route("recipe", recipe, words="one gate", witness=witness, attained=("silu",), at_least=(
        # one layer of gates whose read-out weights have absolute sum at most c: here it is one gate with weight 1
        AtLeast("beta", "1/(8*eps*c)", "8*eps <= M", "curvature", "silu", own=(("c", "1"),)),)),),
    cases=(Case({"eps": "1/100"}), Case({"eps": "1/20", "range": "-1/2,5", "d": 3}), Case({"eps": "1/50", "range": "8,9"}),
           Case({"eps": "1/10", "delta": "1/1000", "range": "2,3"}), Case({"eps": "1e-9", "d": 2}, gates=("silu", "ffn"))),
    far_from_affine=((("1",), 1), (("0",), -2), (("-1",), 1)))
