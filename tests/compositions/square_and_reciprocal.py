"""Square plus twice a reciprocal.

map: $(x, y) ↦ x² + 2/y$
routes: recipe
gates: silu, anchor, anchors, ffn
source: a square and a reciprocal, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan of two parts that do not see each other.
"""

from boundcalc.constructions import Construction, Frame, Input, InputDomain, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    return Plan((Use("s", "square", {"x": var("x")}), Use("r", "recip", {"x": var("y")})),
                {"x² + 2/y": var("s") + 2 * var("r")})


CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y", InputDomain(default=("1/2", "2"), above="0"))),
    outputs=(Output("x² + 2/y", "x**2 + 2/y"),),
    routes=(Route("recipe", recipe, composed=True),))
