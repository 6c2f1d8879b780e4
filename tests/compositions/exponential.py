"""Exponential.

map: $x ↦ e^x$
routes: recipe
gates: silu, ffn, anchor, anchors
source: chords with about equal errors, recipe after arXiv 2604.24878; their error is proved for the table (P5)
standing: recipe a reconstruction, bound derived

recipe.  N centred chords of e^x from a table. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord; silu gates by Σ(changes of slope)·W(1/e)/β more, downwards only.
"""

from boundcalc.constructions import Case, Chords, Construction, Input

TABLE = Chords("x", "exponential(x)", "exp(x)", bends=1)

CONSTRUCTION = Construction(
    inputs=(Input("x"),), outputs=TABLE.outputs, parameters=TABLE.parameters, routes=(TABLE.route("recipe"),),
    cases=(Case({"eps": "1/20"}), Case({"eps": "1/100", "range": "-3,1"})))
