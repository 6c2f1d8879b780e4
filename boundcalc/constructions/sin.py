"""Sine.

map: $x ↦ sin x$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: sine

The domain is [−4, 4] where nothing is said.

recipe.  N chords between knots where all chords err alike; at every zero of f″ there is a knot with the value of f, between
chords that err half as much. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord; with gate ffn N is at most
two pieces for every change of sign of f″ above the sum of the least numbers on the parts where f″ keeps its sign (P6). silu
gates err by Σ(changes of slope)·W(1/e)/β more on each side.
"""

from . import Case, Chords, Construction, Input, InputDomain

TABLE = Chords("x", "sin(x)", "sin(x)")

CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("-4", "4"))),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe", words="chords with equal errors"),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/20", "range": "100,102", "d": 2}), Case({"eps": "1/5", "delta": "1/1000"}),
           Case({"eps": "1e-6", "range": "1/4,1/3"}, gates=("silu", "ffn"))))
