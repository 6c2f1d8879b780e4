"""Reciprocal.

map: $x ↦ 1/x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and the absorption lemma: proved here; recipe after arXiv 2604.24878
standing: recipe a reconstruction, bounds derived
synonyms: reciprocal, inverse, invert

`--range a,b` with 0 < a < b must be given.

recipe.  Knots x_i = A/(1 − i·h)², i = 0 … N, A = a − δ, where 1/√x is equidistant: the chord of every piece exceeds 1/x by
at most h²/A. Centred chords err by h²/(2A), and no fewer pieces can do. One layer with N − 1 rectifiers ρ(x − x_i), whose
weights are the changes of slope 4h·(1 − i·h)³/A².
Guarantee: exact ρ errs by h²/(2A), attained. silu gates only err downwards, where the chords leave room (lemma P2).
With --relative the knots are A·(1 + h)^i, where the chords err alike relative to 1/x (lemmas P3 and P4).
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ..declarations.record import (
    POSITIVE,
    Box,
    Case,
    Construction,
    Frame,
    Input,
    Output,
    RelativeForm,
    Route,
    StandIn,
    copies,
)
from ..formulas.index import upto
from ..formulas.parameter import Kind, Parameter, Pieces
from ..formulas.symbols import index, symbol
from ..lemmas.chords import INNER, LAST, LEFT, STEP, EqualErrorKnots, absorption_lemma, chord_lemma
from ..lemmas.geometric import BEYOND, CENTRE, FACTOR, RATIO, GeometricKnots, relative_chord_lemma, relative_gate_lemma
from ..terms.linear import Block, affine, identity, total, var
from ..terms.term import Approx, Ramps, Term, Unit

X = (Block("x"),)


def covers(_: Frame) -> Mapping[str, Box]:
    """N steps reach as far as x_N = A/(1 − N·h)², the right end of the domain or beyond."""
    end = LEFT / LAST ** 2
    return {"x": Box(LEFT, end, (LEFT + end) / 2, (end - LEFT) / 2)}


def recipe(frame: Frame) -> Term:
    i = upto(index("i"), INNER)

    def u(k: sp.Expr) -> sp.Expr:
        """The k-th of the equidistant points from the right: 1 − (N − k)h = (1 − N·h) + k·h, visibly positive."""
        return LAST + k * STEP

    knot = LEFT / u(i.symbol + 1) ** 2
    change = 4 * STEP * u(i.symbol + 1) ** 3 / LEFT ** 2
    first = u(INNER)                                # the first chord runs from x_0 = A, where u = 1, to x_1
    chord = ((1 + first) ** 2 / 2 - first ** 2 * var("x") / LEFT) / LEFT            # lowered by h²/(2A), h = 1 − first
    body = Ramps("chords", identity(X), (Unit("r", "x", knot, over=(i,)),), affine((*X, Block("r", (INNER,))), {
        "1/x": chord + total(change * var("r", i.symbol), i)}))

    return copies(frame, Approx(body, chord_lemma(), (("silu", absorption_lemma()),)))


def covers_geometrically(_: Frame) -> Mapping[str, Box]:
    first, end = LEFT * RATIO, LEFT * RATIO + BEYOND
    return {"x": Box(LEFT, end, (LEFT + end) / 2, (first - LEFT + BEYOND) / 2)}


def relative(frame: Frame) -> Term:
    """Knots A·(1 + h)^i, where chords err alike relative to 1/x, and chords that are centred by a factor."""
    i = upto(index("i"), INNER)
    knot = LEFT * RATIO ** (i.symbol + 1)
    change = FACTOR * STEP * (2 + STEP) / LEFT ** 2 * RATIO ** (-2 * i.symbol - 3)
    chord = FACTOR * (1 + RATIO - var("x") / LEFT) / (LEFT * RATIO)
    body = Ramps("chords", identity(X), (Unit("r", "x", knot, over=(i,)),), affine((*X, Block("r", (INNER,))), {
        "1/x": chord + total(change * var("r", i.symbol), i)}))
    return copies(frame, Approx(body, relative_chord_lemma(), (("silu", relative_gate_lemma()),)))


CONSTRUCTION = Construction(
    inputs=(Input("x", POSITIVE),),
    outputs=(Output("1/x", "1/x"),),
    parameters=(Parameter("N", Kind.INTEGER, "number of linear pieces", least=2, most=10 ** 9,
                          chosen=Pieces(EqualErrorKnots())),
                Parameter("h", Kind.RATIONAL, "step of the equidistant points behind the knots of $1/x$", above=0,
                          internal=True)),
    routes=(Route("recipe", recipe, words="chords with equal errors", chooses=("N",), covers=covers, stand_ins=(
        StandIn("last", 1 - symbol("N") * STEP), StandIn("inner", symbol("N") - 1)), relative=RelativeForm(
            relative, GeometricKnots(), "relative step of the knots $A·(1 + h)^i$ of $1/x$", covers_geometrically, (
                StandIn("inner", symbol("N") - 1), StandIn("ratio", 1 + STEP), StandIn("factor", CENTRE),
                StandIn("beyond", symbol("a") * ((1 + STEP) ** symbol("N") - 1 - STEP))))),),
    cases=(Case({"range": "1,3", "eps": 1}), Case({"range": "9,11", "eps": "1/1000", "d": 2}),
           Case({"range": "1/2,2", "eps": "1/10", "delta": "1/1000"}), Case({"range": "1,4", "eps": "1/20", "N": 5}),
           Case({"range": "9,10", "eps": "1e-6"}, gates=("silu", "ffn"))))
