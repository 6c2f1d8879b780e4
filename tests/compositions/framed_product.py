"""A product in an affine frame.

map: $(x, y) ↦ x − 2(x + 2y)(3 − y)$
routes: recipe, direct
gates: silu, anchor, anchors, ffn
source: one product between affine maps, which are exact (R11)
standing: recipe a reconstruction, bound derived

recipe, direct.  A plan of one use; the error is twice that of mult.
"""

from boundcalc.constructions import Construction, Frame, Input, InputDomain, Output, Plan, Route, Use, var


def framed(route: str) -> Route:
    def plan(frame: Frame) -> Plan:
        x, y = var("x"), var("y")
        return Plan((Use("p", "mult", {"x": x + 2 * y, "y": 3 - y}, route=route),), {"f": x - 2 * var("p")})
    return Route(route, plan, composed=True)


CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("0", "2"))), Input("y", InputDomain(default=("-3", "1")))),
    outputs=(Output("f", "x - 2*(x + 2*y)*(3 - y)"),),
    routes=(framed("recipe"), framed("direct")))
