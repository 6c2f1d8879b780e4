"""Clipping, and the truncated linear unit.

map: $x ↦ min(max(w·x + t, a), b)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: Range of a linear unit after arXiv 2504.15956 (constants known from secondary sources; certified anew here)
standing: construction secondary, bounds derived
synonyms: clamp, truncate, hardtanh

`--range a,b` is the interval that is clipped to; inputs are any real numbers. With `--d` there are d inputs, and
`--w` and `--t` give their weights (1 each by default) and what is added to them (0).

recipe.  One layer with one unit, a ramp from a to b.
Guarantee: anchors err by at most Δ/16 at the tuned temperature, Δ the distance of two anchors, for every real input; a hard
selection needs about sixteen times as many. silu errs by at most W(1/e)/β, with two heads.
"""

from __future__ import annotations

from ..declarations.record import ANYWHERE, Case, Construction, Frame, Input, Output, Route
from ..formulas.index import upto
from ..formulas.parameter import Kind, Parameter
from ..formulas.symbols import index
from ..terms.linear import Block, Form, affine, total, var
from ..terms.term import Ramps, Term, Unit

OUT = "clip(x)"


def recipe(frame: Frame) -> Term:
    i, weights, shift = upto(index("i"), frame["d"]), frame.list("w"), frame["t"]
    if weights is None:
        z: Form = total(var("x", i.symbol), i)
    else:
        z = sum((w * var("x", k) for k, w in enumerate(weights)), Form())
    pre = affine((Block("x", (frame["d"],)),), {"z": z + shift if shift != 0 else z})
    low, high = frame.interval("range").lo, frame.interval("range").hi
    return Ramps("clip", pre, (Unit("r", "z", low, high),), affine((Block("z"), Block("r")), {OUT: low + var("r")}))


CONSTRUCTION = Construction(
    inputs=(Input("x", ANYWHERE, size="d"),),
    outputs=(Output(OUT, "min(max(sum(w*x) + t, a), b)", written="clip(sum(x))"),),
    parameters=(Parameter("range", Kind.INTERVAL, "the interval of the function", default="-1,1"),
                Parameter("d", Kind.INTEGER, "dimension of the input", least=1, most=10 ** 15, default="1"),
                Parameter("w", Kind.LIST, "weight of input", default="1", example="1,-1/2"),
                Parameter("t", Kind.RATIONAL, "what is added to the weighted inputs", default="0")),
    routes=(Route("recipe", recipe, words="one ramp from a to b"),),
    cases=(Case({"eps": "1/50", "range": "0,1/3"}), Case({"eps": "1/10", "range": "-9,-8", "w": "2,-1", "t": "1/5"}),
           Case({"eps": "1/10", "range": {"": ("1", "3"), "x": ("0", "2")}, "d": 2}),
           Case({"eps": "1/5", "delta": "1/1000", "w": "-1/2,0,3"}), Case({"eps": "1e-8"}, gates=("silu", "ffn"))),
    copies=False,
    remark="$w$ are weights of the inputs (1 by default) and $t$ is added to them (0)")
