"""Square root.

map: $x ↦ √x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: root, squareroot

The domain is [0, 1] where nothing is said.

recipe.  N centred chords between knots where all chords err alike: the chord from u² to v² errs by (v − u)²/(4(u + v)), so
that √x_i = 4ε·ν(ν + 1) with ν in steps of 1. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord, and with
gate ffn no fewer pieces can do (P6). silu gates err by Σ(changes of slope)·W(1/e)/β more, upwards only. The slope of √x is
not bounded at 0: there are no input errors there.
"""

import sympy as sp
from sympy import Expr

from . import Case, Chords, Construction, Input, InputDomain, symbol

EPS = symbol("eps")


def least_pieces(low: Expr, high: Expr) -> Expr:
    """The steps of ν between the ends (P6)."""
    return (sp.sqrt(1 + sp.sqrt(high) / EPS) - sp.sqrt(1 + sp.sqrt(low) / EPS)) / 2


TABLE = Chords("x", "sqrt(x)", "sqrt(x)", bends=-1, pieces=least_pieces)

CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("0", "1"))),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe", words="chords with equal errors"),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/50", "range": "100,200", "d": 2}),
           Case({"eps": "1/20", "range": "1/2,3", "delta": "1/1000"}),
           Case({"eps": "1e-6", "range": "9,10"}, gates=("silu", "ffn"))))
