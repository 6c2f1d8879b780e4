"""Hinge function.

map: $x ↦ max(1 − x, 0)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: one rectifier behind $x ↦ 1 − x$, recipe after arXiv 2604.24878; the constant is that of S6
standing: recipe a reconstruction, bound derived, tight

recipe.  One layer with one unit, ρ(1 − x), on the whole real line.
Guarantee: silu errs in [−W(1/e)/β, 0], attained at |1 − x| = (1 + W(1/e))/β.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from boundcalc.constructions import (
    ANYWHERE,
    Block,
    Case,
    Construction,
    Frame,
    Input,
    Output,
    Ramps,
    Route,
    Term,
    Unit,
    affine,
    copies,
    var,
    worst_silu_input,
)


def recipe(frame: Frame) -> Term:
    pre = affine((Block("x"),), {"z": 1 - var("x")})
    post = affine((*pre.outputs, Block("r")), {"hinge(x)": var("r")})
    return copies(frame, Ramps("hinge", pre, (Unit("r", "z"),), post))


def witness(values: Mapping[str, Fraction]) -> Sequence[Fraction]:
    return [1 - worst_silu_input(values["beta"])]


CONSTRUCTION = Construction(
    inputs=(Input("x", ANYWHERE),),
    outputs=(Output("hinge(x)", "relu(1 - x)"),),
    routes=(Route("recipe", recipe, witness=witness, attained=("silu",)),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/50", "range": "-3,2", "d": 2}), Case({"eps": "1/10", "delta": "1/1000"}),
           Case({"eps": "1e-9"}, gates=("silu", "ffn"))))
