"""Hat function.

map: $x ↦ max(0, 1 − |x − c|/h)$, $c$ the middle and $h$ half the width of $[a, b]$
routes: recipe
gates: silu, anchor, anchors, ffn
source: the standard bump of piecewise linear approximation, as two ramps; recipe after arXiv 2604.24878
standing: recipe a reconstruction, bounds derived
synonyms: tent, triangle

`--range a,b` is where the hat stands (default [−1, 1]); inputs are any real numbers.

recipe.  One layer with two ramps, up from a to c and down from c to b: (ramp_[a,c](x) − ramp_[c,b](x))/h.
Guarantee: twice the error of a ramp, divided by h. silu shares the rectifier at c: three heads.
"""

from __future__ import annotations

from ..declarations.record import ANYWHERE, Case, Construction, Frame, Input, Output, Route, copies
from ..formulas.parameter import Kind, Parameter
from ..terms.linear import Block, affine, identity, var
from ..terms.term import Ramps, Term, Unit

X = (Block("x"),)


def recipe(frame: Frame) -> Term:
    low, high = frame.interval("range").lo, frame.interval("range").hi
    half = (high - low) / 2
    units = (Unit("up", "x", low, low + half), Unit("down", "x", low + half, high))
    return copies(frame, Ramps("hat", identity(X), units, affine((*X, Block("up"), Block("down")), {
        "hat(x)": (var("up") - var("down")) / half})))


CONSTRUCTION = Construction(
    inputs=(Input("x", ANYWHERE),),
    outputs=(Output("hat(x)", "max(1 - abs(x - (a + b)/2)*2/(b - a), 0)", written="hat(x)"),),
    parameters=(Parameter("range", Kind.INTERVAL, "the interval of the function", default="-1,1"),),
    routes=(Route("recipe", recipe, words="two ramps, up and down"),),
    cases=(Case({"eps": "1/50", "range": "0,1/3"}), Case({"eps": "1/10", "range": "-9,-7", "d": 2}),
           Case({"eps": "1/10", "range": {"": ("1", "3"), "x": ("3/2", "5")}}), Case({"eps": "1/5", "delta": "1/1000"}),
           Case({"eps": "1e-8"}, gates=("silu", "ffn"))))
