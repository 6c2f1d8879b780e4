"""Two bilinear forms.

map: $(u, v, w, z) ↦ (u·w − v·z, u·z + 3·v·w)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: four products, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

recipe.  A plan of four products that do not see each other and share layers; two outputs.
"""

from boundcalc.constructions import Case, Construction, Frame, Input, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    pairs = {"p": ("u", "w"), "q": ("v", "z"), "r": ("u", "z"), "s": ("v", "w")}
    uses = tuple(Use(name, "mult", {"x": var(x), "y": var(y)}) for name, (x, y) in pairs.items())
    return Plan(uses, {"first": var("p") - var("q"), "second": var("r") + 3 * var("s")})


CONSTRUCTION = Construction(
    inputs=tuple(Input(name) for name in ("u", "v", "w", "z")),
    outputs=(Output("first", "u*w - v*z"), Output("second", "u*z + 3*v*w")),
    routes=(Route("recipe", recipe, composed=True),), cases=(Case({"eps": "1/10"}),))
