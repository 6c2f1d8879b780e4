"""Softplus.

map: $x ↦ log(1 + e^x)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: smoothed

The domain is [−4, 4] where nothing is said.

recipe.  N centred chords between knots where all chords err alike. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs
by e_chord, and with gate ffn no fewer pieces can do (P6). silu gates err by Σ(changes of slope)·W(1/e)/β more, downwards
only.
"""

from . import Case, Chords, Construction, Input, InputDomain

TABLE = Chords("x", "softplus(x)", "log(1 + exp(x))", bends=1)

CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("-4", "4"))),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe", words="chords with equal errors"),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/50", "range": "10,12", "d": 2}), Case({"eps": "1/5", "delta": "1/1000"}),
           Case({"eps": "1e-6", "range": "1/4,1/3"}, gates=("silu", "ffn"))))
