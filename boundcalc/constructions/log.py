"""Natural logarithm.

map: $x ↦ log x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: logarithm, ln

`--range a,b` with 0 < a < b must be given.

recipe.  N centred chords between knots where all chords err alike: x_i = a·r^i, with a ratio r that depends on ε alone. One
layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord, and with gate ffn no fewer pieces can do (P6). silu gates
err by Σ(changes of slope)·W(1/e)/β more, upwards only.
"""

from . import POSITIVE, Case, Chords, Construction, Input

TABLE = Chords("x", "log(x)", "log(x)", bends=-1)

CONSTRUCTION = Construction(
    inputs=(Input("x", POSITIVE),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe", words="chords with equal errors"),),
    cases=(Case({"eps": "1/20", "range": "1,3"}), Case({"eps": "1/50", "range": "100,200", "d": 2}),
           Case({"eps": "1/10", "range": "1/2,2", "delta": "1/1000"}),
           Case({"eps": "1e-6", "range": "9,10"}, gates=("silu", "ffn"))))
