"""Power with an integer exponent.

map: $x ↦ x^k$
routes: recipe
gates: silu, anchor, anchors, ffn
source: repeated squares, squares and products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: pow, monomial

`--k` is the exponent; x⁰ = 1 and x¹ = x are affine, and need no head.

recipe.  A plan: the squares x², x⁴, x⁸, … as far as the binary digits of k ask for them, and the product of those that they
name. Each has the accuracy that its share of ε needs, on the box where its arguments can be, errors included.
Guarantee: |network − x^k| ≤ Σ G_i·e_i, e_i the errors of squares and products and G_i the slope of x^k in their results.
"""

import sympy as sp

from . import (
    Affine,
    Block,
    Case,
    Construction,
    Family,
    Form,
    Frame,
    Input,
    Kind,
    Output,
    Parameter,
    Plan,
    Route,
    Term,
    affine,
    copies,
    var,
)
from ._products import power as powers


def power(k: int) -> Construction:
    def recipe(frame: Frame) -> Plan:
        uses, result = powers(var("x"), k)
        return Plan(uses, {"power": result})

    def trivial(frame: Frame) -> Term:
        form = var("x") if k else Form((), sp.S.One)
        return copies(frame, Affine("affine", affine((Block("x"),), {"power": form})))

    return Construction(
        map=f"$x ↦ x^{k}$",
        inputs=(Input("x"),),
        outputs=(Output("power", f"x**{k}"),),
        routes=(Route("recipe", recipe, composed=True, words="repeated squares") if k > 1 else Route("recipe", trivial),),
        cases=(Case({"k": 3, "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"k": 4, "eps": 1, "range": "9,10", "d": 2}, gates=("silu", "ffn")),
               Case({"k": 5, "eps": "1e-6", "delta": "1e-9"}, gates=("silu", "ffn")),
               Case({"k": 1, "eps": "1/2"}, gates=("silu",)), Case({"k": 2, "eps": "1/2"}, gates=("anchor", "anchors"))))


CONSTRUCTION = Family(power, (Parameter("k", Kind.INTEGER, "exponent", least=0, most=1000, example="3"),))
