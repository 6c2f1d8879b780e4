"""Logistic function.

map: $x ↦ σ(x) = 1/(1 + e^(−x))$
routes: direct, recipe
gates: silu, anchor, anchors, ffn
source: softmax over two tokens is the logistic function; chords with equal errors (P5, P6), recipe after arXiv 2604.24878
standing: direct proved here, exact; recipe a reconstruction, bound derived
synonyms: logistic, expit

The domain is [−4, 4] where nothing is said.

direct.  One head over two tokens of scores x and 0 and values 1 and 0, with β = 1.
Guarantee: exact, for every real input.

recipe.  N chords between knots where all chords err alike; at 0, where f″ changes its sign, there is a knot with the value
of f, between chords that err half as much. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord. With gate ffn N is at most two above the sum of the least numbers on both sides of 0
(P6). silu gates err by Σ(changes of slope)·W(1/e)/β more on each side.
"""

import sympy as sp

from ..lemmas.softmax import exact_head
from . import Approx, Case, Chords, Construction, Frame, Input, InputDomain, Route, Term, copies, var
from ._two_tokens import two_tokens

TABLE = Chords("x", "sigmoid(x)", "sigma(x)")


def direct(frame: Frame) -> Term:
    head = two_tokens("sigmoid", ("x",), TABLE.output, (var("x"), 0), (1, 0), sp.Integer(1))
    return copies(frame, Approx(head, exact_head()))


CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("-4", "4"))),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(Route("direct", direct, gated=False, words="one head, exact", cases=(
                Case({"eps": "1e-9"}), Case({"range": "20,30", "eps": "1e-30", "d": 2}),
                Case({"eps": "1/10", "delta": "1/100"}))),
            TABLE.route("recipe", words="chords with equal errors", cases=(
                Case({"eps": "1/20"}), Case({"eps": "1/20", "range": "4,6", "d": 2}),
                Case({"eps": "1e-6", "range": "1/4,1/3"}, gates=("silu", "ffn"))))))
