"""Clipping, and the truncated linear unit.

map: $x ↦ min(max(w·x + t, a), b)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: Range of a linear unit after arXiv 2504.15956 (constants known from secondary sources; certified anew here)
standing: construction secondary, bounds derived

`--range a,b` is the interval that is clipped to; inputs are any real numbers. With `--d` there are d inputs, and
`--w` and `--t` give their weights (1 each by default) and what is added to them (0).

recipe.  One layer with one unit, a ramp from a to b.
Guarantee: anchors err by at most Δ/16 at the tuned temperature, Δ the distance of two anchors, for every real input; a hard
selection needs about sixteen times as many. silu errs by at most W(1/e)/β, with two heads.
"""

from __future__ import annotations

from ..declarations.record import FUNCTION, Construction, Route, Setting
from ..formulas.index import upto
from ..formulas.symbols import index
from ..terms.linear import Block, Form, affine, total, var
from ..terms.term import Ramps, Term, Unit

OUT = "clip(x)"


def recipe(s: Setting) -> Term:
    inputs = (Block("x", (s.d,)),)
    i = upto(index("i"), s.d)
    if s.weights is None:
        z: Form = total(var("x", i.symbol), i)
    else:
        z = sum((w * var("x", k) for k, w in enumerate(s.weights)), Form())
    pre = affine(inputs, {"z": z + s.shift if s.shift != 0 else z})
    low, high = s.interval.lo, s.interval.hi
    return Ramps("clip", pre, (Unit("r", "z", low, high),), affine((Block("z"), Block("r")), {OUT: low + var("r")}))


CONSTRUCTION = Construction("clip", ("x",), "clip({x})", "min(max(sum(w*x) + t, a), b)",
                            {"recipe": Route(recipe, gated=True)}, FUNCTION, block="d")
