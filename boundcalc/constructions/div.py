"""Quotient of two numbers.

map: $(x, y) ↦ x/y$
routes: recipe
gates: silu, anchor, anchors, ffn
source: reciprocal and product after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: quotient, division, divide

x is in [−1, 1] and y in [1, 2] where nothing is said; `--range y=a,b` must have 0 < a.

recipe.  A plan: r = 1/y by chords with equal errors, then x·r.
Guarantee: |network − x/y| ≤ X·e_r + e_p, e_r and e_p the errors of reciprocal and product, X the largest |x|.
"""

from . import Case, Construction, Frame, Input, InputDomain, Output, Plan, Route, Use, var


def recipe(frame: Frame) -> Plan:
    reciprocal = Use("r", "recip", {"x": var("y")})
    product = Use("q", "mult", {"x": var("x"), "y": var("r")})
    return Plan((reciprocal, product), {"quotient": var("q")})


CONSTRUCTION = Construction(
    inputs=(Input("x", meaning="numerator"), Input("y", InputDomain(default=("1", "2"), above="0"), meaning="denominator")),
    outputs=(Output("quotient", "x/y"),),
    routes=(Route("recipe", recipe, composed=True, words="reciprocal, then product"),),
    cases=(Case({"range": {"y": ("1", "2")}, "eps": "1/10"}, gates=("silu", "ffn")),
           Case({"range": {"x": ("-3", "50"), "y": ("9", "11")}, "eps": "1/10", "d": 2}, gates=("silu", "ffn")),
           Case({"range": {"x": ("-1", "1"), "y": ("1/2", "1")}, "eps": "1e-6", "delta": "1e-9"}, gates=("silu", "ffn")),
           Case({"range": {"x": ("0", "1"), "y": ("1", "2")}, "eps": "1/2"},
                gates=("anchor", "anchors"))))
