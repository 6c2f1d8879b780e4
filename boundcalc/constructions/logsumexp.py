"""Logarithm of a sum of exponentials.

map: $(x₁, …, x_n) ↦ log(e^x₁ + … + e^x_n)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: e^x and log by chords with equal errors (P5, P6), put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: lse, softmaximum

`--n` is the number of arguments.

recipe.  A plan: n exponentials side by side, then the logarithm of their sum u, all by chords.
Guarantee: |network − logsumexp| ≤ G·(e_1 + … + e_n) + e_log, e_i the errors of the exponentials and G the largest 1/u.
"""

from . import Case, Construction, Family, Form, Frame, Input, Kind, Output, Parameter, Plan, Route, Use, var


def logsumexp(n: int) -> Construction:
    places = range(1, n + 1)

    def recipe(frame: Frame) -> Plan:
        powers = tuple(Use(f"e{k}", "exp", {"x": var(f"x{k}")}) for k in places)
        total = Use("l", "log", {"x": sum((var(use.result) for use in powers), Form())})
        return Plan((*powers, total), {"logsumexp": var("l")})

    return Construction(
        inputs=tuple(Input(f"x{k}") for k in places),
        outputs=(Output("logsumexp", f"log({' + '.join(f'exp(x{k})' for k in places)})"),),
        routes=(Route("recipe", recipe, composed=True, words="exponentials, then logarithm"),),
        cases=(Case({"n": 2, "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"n": 3, "eps": "1/10", "range": "9,10"}, gates=("silu", "ffn")),
               Case({"n": 2, "eps": "1e-5", "delta": "1e-8", "range": "0,1/8"}, gates=("ffn",)),
               Case({"n": 2, "eps": "1/2"}, gates=("anchor", "anchors"))),
        copies=False)


CONSTRUCTION = Family(logsumexp, (Parameter("n", Kind.INTEGER, "number of arguments", least=2, most=256, example="3"),))
