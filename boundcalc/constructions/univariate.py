"""Any function of one number.

map: $x ↦ f(x)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: chords with equal errors, their least number and their error proved here (P5, P6); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: function, expression

`--f` is an expression in x, such as `x*exp(-x)`, with a second derivative on the range; the domain is [−1, 1] where nothing
is said.

recipe.  N centred chords between knots where all chords err alike. Where f″ changes its sign there is a knot with the value
of f, between chords that err half as much. One layer with N − 1 rectifiers.
Guarantee: exact ρ errs by e_chord. Where f″ has
one sign no fewer pieces can do with gate ffn; else N is at most two pieces for every change of sign above the sum of the
least numbers on the parts (P6). silu gates err by Σ(changes of slope)·W(1/e)/β more on each side.
"""

from ..formulas.target import Target
from . import Case, Chords, Construction, Family, Input, Kind, Parameter


def univariate(f: str) -> Construction:
    table = Chords("x", "f(x)", f)
    shown = Target.of(f, {"x": 1}).unicode          # refused where it is no expression in x
    return Construction(
        map=f"x ↦ {shown}",
        inputs=(Input("x"),),
        outputs=table.outputs,
        parameters=table.parameters,
        routes=(table.route("recipe", words="chords with equal errors"),),
        cases=(Case({"f": "x*exp(-x)", "eps": "1/20"}),
               Case({"f": "1/(1 + x**2)", "eps": "1/20", "range": "100,102", "d": 2}),
               Case({"f": "x**3 - x", "eps": "1/5", "delta": "1/1000"}),
               Case({"f": "exp(sin(x))", "eps": "1e-6", "range": "1/4,1/3"}, gates=("silu", "ffn"))))


CONSTRUCTION = Family(univariate, (Parameter("f", Kind.TEXT, "expression in $x$", example="x*exp(-x)"),))
