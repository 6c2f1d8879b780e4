"""The number 1, on its box and nowhere else.

map: $x ↦ 1$
routes: recipe
gates: ffn
source: two ramps, for tests: a part that switches off just outside its box
standing: derived

recipe.  A ramp of width 10⁻⁶ to the left of the box takes the value from 0 to 1, one to the right of it back to 0.
"""

import sympy as sp

from boundcalc.constructions import (
    Block,
    Construction,
    Frame,
    Input,
    Output,
    Ramps,
    Route,
    Term,
    Unit,
    affine,
    identity,
    var,
)

WIDTH = sp.Rational(1, 10 ** 6)
X = (Block("x"),)


def recipe(frame: Frame) -> Term:
    low, high = frame.boxes["x"].lo, frame.boxes["x"].hi
    units = (Unit("rise", "x", low - WIDTH, low), Unit("fall", "x", high, high + WIDTH))
    return Ramps("plateau", identity(X), units, affine((*X, Block("rise"), Block("fall")), {
        "one": (var("rise") - var("fall")) / WIDTH}))


CONSTRUCTION = Construction(
    inputs=(Input("x"),), outputs=(Output("one", "1 + 0*x"),), routes=(Route("recipe", recipe),), copies=False)
