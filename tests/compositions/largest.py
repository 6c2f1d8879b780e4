"""Largest of a product, a number and a sum.

map: $(x, y, z) ↦ max(x·y, z, x + z)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: a product and one head for the maximum, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan: a product, then the maximum of it and two affine forms.
"""

from boundcalc.constructions import Construction, Frame, Input, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    x, y, z = var("x"), var("y"), var("z")
    return Plan((Use("p", "mult", {"x": x, "y": y}), Use("q", "max", {"x1": var("p"), "x2": z, "x3": x + z})),
                {"largest": var("q")})


CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y"), Input("z")),
    outputs=(Output("largest", "max(x*y, z, x + z)"),),
    routes=(Route("recipe", recipe, composed=True),))
