"""Exponential of a product.

map: $(x, y) ↦ e^(x·y)$
routes: recipe
gates: silu, ffn
source: a product and chords of $e^z$, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan: p = x·y, then chords of e^p on the box where p can be, errors included.
Guarantee: |network − e^(x·y)| ≤ G·e_p + e_q, G the largest slope of the exponential there.
"""

from pathlib import Path

from boundcalc.constructions import Case, Construction, Frame, Input, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    exponential = str(Path(__file__).parent / "exponential.py")
    product = Use("p", "mult", {"x": var("x"), "y": var("y")})
    return Plan((product, Use("q", exponential, {"x": var("p")})), {"exp": var("q")})


CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y")), outputs=(Output("exp", "exp(x*y)"),),
    routes=(Route("recipe", recipe, composed=True),), cases=(Case({"eps": "1/20"}),))
