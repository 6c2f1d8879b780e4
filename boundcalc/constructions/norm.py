"""Euclidean norm.

map: $(x₁, …, x_d) ↦ √(x₁² + … + x_d²)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: squares after arXiv 2604.24878, √ by chords with equal errors (P5, P6), put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: euclidean, length, l2

`--d` is the length of the vector. Its domain must stay away from 0, where √ has no bounded slope: it is [1, 2] for every
coordinate where nothing is said.

recipe.  A plan: d squares side by side, then √ of their sum u by chords.
Guarantee: |network − norm| ≤ G·(e_1 + … + e_d) + e_√, e_i the errors of the squares and G the largest 1/(2√u).
"""

from . import Case, Construction, Family, Form, Frame, Input, InputDomain, Kind, Output, Parameter, Plan, Route, Use, var

AWAY = InputDomain(default=("1", "2"))


def norm(d: int) -> Construction:
    places = range(1, d + 1)

    def recipe(frame: Frame) -> Plan:
        squares = tuple(Use(f"s{k}", "square", {"x": var(f"x{k}")}) for k in places)
        root = Use("r", "sqrt", {"x": sum((var(use.result) for use in squares), Form())})
        return Plan((*squares, root), {"norm": var("r")})

    return Construction(
        inputs=tuple(Input(f"x{k}", AWAY) for k in places),
        outputs=(Output("norm", f"sqrt({' + '.join(f'x{k}**2' for k in places)})"),),
        routes=(Route("recipe", recipe, composed=True, words="squares, then root"),),
        cases=(Case({"d": 2, "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"d": 3, "eps": "1/2", "range": "90,100"}, gates=("silu", "ffn")),
               Case({"d": 2, "eps": "1e-6", "delta": "1e-8", "range": "1,9/8"}, gates=("silu", "ffn")),
               Case({"d": 2, "eps": "1/2"}, gates=("anchor", "anchors"))),
        copies=False)


CONSTRUCTION = Family(norm, (Parameter("d", Kind.INTEGER, "length of the vector", least=1, most=256, example="2"),))
