"""Product of three numbers.

map: $(x, y, z) ↦ x·y·z$
routes: recipe
gates: silu, anchor, anchors, ffn
source: two products, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan of two products.
"""

from boundcalc.constructions import Construction, Frame, Input, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    return Plan((Use("p", "mult", {"x": var("x"), "y": var("y")}), Use("q", "mult", {"x": var("p"), "y": var("z")})),
                {"x·y·z": var("q")})


CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y"), Input("z")),
    outputs=(Output("x·y·z", "x*y*z"),),
    routes=(Route("recipe", recipe, composed=True),))
