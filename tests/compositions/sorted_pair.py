"""Two numbers in order.

map: $(x, y) ↦ (max(x, y), min(x, y))$
routes: recipe
gates: silu, anchor, anchors, ffn
source: one rectifier behind $x − y$, recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived

recipe.  One layer with one unit r = ρ(x − y); the larger one is y + r, the smaller one x − r.
Guarantee: silu errs in [−W(1/e)/β, 0] for the larger one, and in [0, W(1/e)/β] for the smaller one.
"""

from boundcalc.constructions import (
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
)


def recipe(frame: Frame) -> Term:
    x, y, r = var("x"), var("y"), var("r")
    pre = affine((Block("x"), Block("y")), {"z": x - y, "x": x, "y": y})
    post = affine((*pre.outputs, Block("r")), {"larger": y + r, "smaller": x - r})
    return copies(frame, Ramps("order", pre, (Unit("r", "z"),), post))


CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y")),
    outputs=(Output("larger", "max(x, y)"), Output("smaller", "min(x, y)")),
    routes=(Route("recipe", recipe),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/10", "range": "-3,2", "d": 2}), Case({"eps": "1/4", "delta": "1/1000"})))
