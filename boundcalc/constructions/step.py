"""Step.

map: $x ↦ 1$ for $x ≥ gap$, $0$ for $x ≤ −gap$
routes: direct, recipe
gates: silu, anchor, anchors, ffn
source: a head over two tokens, proved here (S8); recipe after arXiv 2604.24878
standing: direct proved here, tight; recipe a reconstruction, bound derived
synonyms: heaviside, threshold, indicator

`--gap` is half the width of the gap, in which nothing is promised; the domain is [−1, 1] without it.

direct.  One head over two tokens of scores x and 0 and values 1 and 0.
Guarantee: it errs by at most 1/(1 + e^(β·gap)), attained at ±gap. No head with constant values in [0, 1] does better: its
scores differ by at least 2·log((1 − ε)/ε) over the gap (S9).

recipe.  One layer with one unit, a ramp from −gap to gap.
Guarantee: exact ρ is exact outside the gap; silu errs by at most W(1/e)/(2β·gap).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import sympy as sp

from ..formulas.symbols import parameter
from ..lemmas.softmax import two_tokens as two_tokens_lemma
from ..terms.term import Ideal
from . import (
    Approx,
    Block,
    Case,
    Construction,
    Frame,
    Input,
    InputDomain,
    Interval,
    Kind,
    Output,
    Parameter,
    Ramps,
    Region,
    Route,
    Term,
    Unit,
    affine,
    copies,
    symbol,
    var,
)
from ._two_tokens import two_tokens

OUT = "step(x)"
GAP = parameter("gap", "positive")


def direct(frame: Frame) -> Term:
    head = two_tokens("step", ("x",), OUT, (var("x"), 0), (1, 0), symbol("beta"))
    ideal = Ideal(Interval(sp.S.Zero, sp.S.One), ((),))         # inputs have no errors: they could be led into the gap
    return copies(frame, Approx(head, two_tokens_lemma(sp.S.One, GAP), ideals=((OUT, ideal),)))


def recipe(frame: Frame) -> Term:
    pre = affine((Block("x"),), {"z": var("x")})
    post = affine((*pre.outputs, Block("r")), {OUT: var("r") / (2 * GAP)})
    return copies(frame, Ramps("step", pre, (Unit("r", "z", -GAP, GAP),), post))


def witness(values: Mapping[str, Fraction]) -> Sequence[Fraction]:
    return [values["gap"]]


CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(Region.GAP, gap=("-gap", "gap"))),),
    outputs=(Output(OUT, "min(max(x/(2*gap) + 1/2, 0), 1)", written=OUT),),
    parameters=(Parameter("gap", Kind.RATIONAL, "half the width of the gap", above=0, example="1/10"),),
    routes=(Route("direct", direct, gated=False, words="one head", witness=witness),
            Route("recipe", recipe, words="one ramp")),
    cases=(Case({"gap": "1/10", "eps": "1/20"}), Case({"gap": "2", "eps": "1/50", "range": "-30,50", "d": 2}),
           Case({"gap": "1/3", "eps": "1e-9"}, gates=("silu", "ffn"))))
