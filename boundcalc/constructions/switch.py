"""Switch.

map: $(s, x, y) ↦ x$ if $s = 1$, $y$ if $s = 0$
routes: direct
gates: silu, anchor, anchors, ffn
source: a head over two tokens, proved here (S8)
standing: direct proved here, tight
synonyms: select, conditional, multiplexer, ifelse

s is 0 or 1. With `--gap w` it is a number with |s| ≥ w instead, and its sign decides: x for s ≥ w, y for s ≤ −w.

direct.  One head over two tokens of scores s − 1/2 and 0 (with a gap s and 0) and values x and y.
Guarantee: it errs by at most |x − y|/(1 + e^(β/2)), with a gap |x − y|/(1 + e^(βw)), attained.
"""

from fractions import Fraction

import sympy as sp

from ..formulas.interval import largest
from ..lemmas.softmax import two_tokens as two_tokens_lemma
from ..terms.term import Ideal
from . import (
    Approx,
    Case,
    Construction,
    Family,
    Frame,
    Input,
    InputDomain,
    Interval,
    Kind,
    Output,
    Parameter,
    Region,
    Route,
    Term,
    copies,
    symbol,
    var,
)
from ._two_tokens import two_tokens

OUT = "switch(s, x, y)"
BITS = InputDomain(Region.FINITE, values=("0", "1"))


def switch(gap: Fraction) -> Construction:
    w = sp.Rational(gap.numerator, gap.denominator)
    score, margin = (var("s"), w) if gap else (var("s") - sp.Rational(1, 2), sp.Rational(1, 2))

    def direct(frame: Frame) -> Term:
        head = two_tokens("switch", ("s", "x", "y"), OUT, (score, 0), (var("x"), var("y")), symbol("beta"))
        x, y = frame.boxes["x"].interval, frame.boxes["y"].interval
        apart = largest((x.hi - y.lo, y.hi - x.lo))
        ideal = Ideal(Interval(-sp.oo, sp.oo), ((),))           # inputs have no errors: s could be led astray
        return copies(frame, Approx(head, two_tokens_lemma(apart, margin), ideals=((OUT, ideal),)))

    share = f"min(max(s/(2*({gap})) + 1/2, 0), 1)" if gap else "s"
    return Construction(
        map=f"$(s, x, y) ↦ x$ if $s ≥ {gap}$, $y$ if $s ≤ −{gap}$" if gap else "",
        inputs=(Input("s", InputDomain(Region.GAP, gap=(f"-{gap}", str(gap))) if gap else BITS, meaning="what decides"),
                Input("x", meaning="value if it says so"), Input("y", meaning="value if not")),
        outputs=(Output(OUT, f"{share}*x + (1 - {share})*y", written=OUT),),
        routes=(Route("direct", direct, gated=False, words="one head"),),
        cases=(Case({"eps": "1/20"}), Case({"eps": "1e-9", "range": {"x": ("10", "11"), "y": ("-20", "-3")}, "d": 2}),
               Case({"gap": "1/5", "eps": "1/100"})))


CONSTRUCTION = Family(switch, (Parameter("gap", Kind.RATIONAL, "half the width of a gap of $s$ around 0, 0: $s$ is 0 or 1",
                                         least=0, default="0"),))
