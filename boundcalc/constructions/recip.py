"""Reciprocal.

map: $x ↦ 1/x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and the absorption lemma: proved here; recipe after arXiv 2604.24878
standing: recipe a reconstruction, bounds derived

`--range a,b` with 0 < a < b must be given.

recipe.  Knots x_i = A/(1 − i·h)², i = 0 … N, A = a − δ, where 1/√x is equidistant: the chord of every piece exceeds 1/x by
at most h²/A. Centred chords err by h²/(2A), and no fewer pieces can do. One layer with N − 1 rectifiers ρ(x − x_i), whose
weights are the changes of slope 4h·(1 − i·h)³/A².
Guarantee: exact ρ errs by h²/(2A), attained. silu gates only err downwards, where the chords leave room (lemma P2).
"""

from __future__ import annotations

import sympy as sp

from ..declarations.record import POSITIVE, Construction, Route, Setting, copies
from ..formulas.index import upto
from ..formulas.symbols import INTERNAL, index
from ..lemmas.chords import LAST, LEFT, STEP, EqualErrorKnots, absorption_lemma, chord_lemma
from ..terms.linear import Block, affine, identity, total, var
from ..terms.term import Approx, Ramps, Term, Unit

X = (Block("x"),)


def recipe(s: Setting) -> Term:
    inner = INTERNAL["inner"]
    i = upto(index("i"), inner)

    def u(k: sp.Expr) -> sp.Expr:
        """The k-th of the equidistant points from the right: 1 − (N − k)h = (1 − N·h) + k·h, visibly positive."""
        return LAST + k * STEP

    knot = LEFT / u(i.symbol + 1) ** 2
    change = 4 * STEP * u(i.symbol + 1) ** 3 / LEFT ** 2
    first = u(inner)                                # the first chord runs from x_0 = A, where u = 1, to x_1
    chord = ((1 + first) ** 2 / 2 - first ** 2 * var("x") / LEFT) / LEFT            # lowered by h²/(2A), h = 1 − first
    body = Ramps("chords", identity(X), (Unit("r", "x", knot, over=(i,)),), affine((*X, Block("r", (inner,))), {
        "1/x": chord + total(change * var("r", i.symbol), i)}))

    return copies(s, Approx(body, chord_lemma(), (("silu", absorption_lemma()),)))


CONSTRUCTION = Construction("recip", ("x",), "1/{x}", "1/x",
                            {"recipe": Route(recipe, gated=True, integers=("N",), pieces=EqualErrorKnots())}, POSITIVE)
