"""Cube of a number.

map: $x ↦ x³$
routes: recipe
gates: silu, ffn
source: two products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan of two products, s = x·x and c = s·x. Each has the accuracy, the number of levels and the inverse temperature
that its share of ε needs, on the box where its arguments can be, errors included.
Guarantee: |network − x³| ≤ G_s·e_s + e_c, e_s and e_c the errors of the products, G_s about M.
"""

from boundcalc.constructions import Case, Construction, Frame, Input, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    x, s = var("x"), var("s")
    return Plan((Use("s", "mult", {"x": x, "y": x}), Use("c", "mult", {"x": s, "y": x})), {"x³": var("c")})


CONSTRUCTION = Construction(
    inputs=(Input("x"),),
    outputs=(Output("x³", "x**3"),),
    routes=(Route("recipe", recipe, composed=True),),
    cases=(Case({"eps": "1/10"}), Case({"eps": "1/20", "range": "-1/2,3/2", "delta": "1/1000"}),
           Case({"eps": "1e-3", "d": 2}, gates=("silu", "ffn"))))
