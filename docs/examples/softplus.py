"""Softplus.

map: $x ↦ log(1 + e^x)$
routes: recipe
gates: silu, ffn
source: chords of equal length, recipe after arXiv 2604.24878; their error is proved for the table (P5)
standing: recipe a reconstruction, bound derived

The domain is [−4, 4] where nothing is said.

recipe.  N centred chords between knots at equal distances. Values at knots are no rational numbers: they are rounded, and
what the chords err by is proved for the rounded ones. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord. silu gates err by Σ(changes of slope)·W(1/e)/β more, downwards only.
"""

from boundcalc.constructions import Case, Chords, Construction, Input, InputDomain, equal_lengths

TABLE = Chords("x", "softplus(x)", "log(1 + exp(x))", bends=1, knots=equal_lengths)

CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(default=("-4", "4"))),),
    outputs=TABLE.outputs,
    parameters=TABLE.parameters,
    routes=(TABLE.route("recipe"),),
    cases=(Case({"eps": "1/100"}), Case({"eps": "1/20", "range": "-1/2,3", "d": 2}),
           Case({"eps": "1/20", "delta": "1/1000", "range": "-1,1"}), Case({"eps": "1e-3", "N": 40})))
