"""Inner product of two vectors.

map: $(x, y) ↦ x₁·y₁ + … + x_d·y_d$
routes: recipe
gates: silu, anchor, anchors, ffn
source: products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: innerproduct, scalarproduct, bilinear

`--d` is the length of the vectors.

recipe.  A plan of d products side by side, and their sum.
Guarantee: |network − ⟨x, y⟩| ≤ e_1 + … + e_d, the errors of the products.
"""

from . import Case, Construction, Family, Form, Frame, Input, Kind, Output, Parameter, Plan, Route, Use, var


def dot(d: int) -> Construction:
    places = range(1, d + 1)

    def recipe(frame: Frame) -> Plan:
        uses = tuple(Use(f"p{k}", "mult", {"x": var(f"x{k}"), "y": var(f"y{k}")}) for k in places)
        return Plan(uses, {"dot": sum((var(use.result) for use in uses), Form())})

    return Construction(
        inputs=(*(Input(f"x{k}") for k in places), *(Input(f"y{k}") for k in places)),
        outputs=(Output("dot", " + ".join(f"x{k}*y{k}" for k in places)),),
        routes=(Route("recipe", recipe, composed=True, words="products side by side"),),
        cases=(Case({"d": 2, "eps": "1/5"}, gates=("silu", "ffn")),
               Case({"d": 3, "eps": 1, "range": "9,10"}, gates=("silu", "ffn")),
               Case({"d": 2, "eps": "1e-6", "delta": "1e-8"}, gates=("silu", "ffn")),
               Case({"d": 2, "eps": 1}, gates=("anchor", "anchors"))),
        copies=False)


CONSTRUCTION = Family(dot, (Parameter("d", Kind.INTEGER, "length of the vectors", least=1, most=256, example="3"),))
