"""Exponential function.

map: $x ↦ e^x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: exponential

recipe.  N centred chords between knots where all chords err alike. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs
by e_chord, and with gate ffn no fewer pieces can do (P6). silu gates err by Σ(changes of slope)·W(1/e)/β more, downwards
only.
"""

from . import Case, Chords, Construction, Input, InputDomain

TABLE = Chords("x", "exp(x)", "exp(x)", bends=1)

CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain()),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe", words="chords with equal errors"),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/10", "range": "2,3", "d": 2}), Case({"eps": "1/5", "delta": "1/1000"}),
           Case({"eps": "1e-6", "range": "-10,-9"}, gates=("silu", "ffn"))))
