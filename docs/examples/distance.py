"""Distance of two numbers.

map: $(x, y) ↦ |x − y|$
routes: recipe
gates: silu, anchor, anchors, ffn
source: one rectifier, $|z| = 2ρ(z) − z$, recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: difference

The two inputs have domains of their own: x in [0, 2] and y in [−3, 1], unless `--range x=a,b` and `--range y=a,b` say
otherwise.

recipe.  One layer with one unit, 2ρ(x − y) − (x − y).
Guarantee: silu errs in [−2W(1/e)/β, 0].
"""

from boundcalc.constructions import (
    Block,
    Case,
    Construction,
    Frame,
    Input,
    InputDomain,
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
    pre = affine((Block("x"), Block("y")), {"z": var("x") - var("y")})
    post = affine((*pre.outputs, Block("r")), {"|x − y|": 2 * var("r") - var("z")})
    return copies(frame, Ramps("distance", pre, (Unit("r", "z"),), post))


CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("0", "2"))), Input("y", InputDomain(default=("-3", "1")))),
    outputs=(Output("|x − y|", "abs(x - y)"),),
    routes=(Route("recipe", recipe),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/10", "range": {"x": ("3", "4"), "y": ("-1/2", "5")}, "d": 2}),
           Case({"eps": "1/4", "delta": "1/1000", "range": "-3,2"}), Case({"eps": "1e-9"}, gates=("silu", "ffn"))))
