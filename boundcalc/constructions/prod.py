"""Product of d numbers.

map: $(x₁, …, x_d) ↦ x₁·x₂·…·x_d$
routes: recipe
gates: silu, anchor, anchors, ffn
source: a binary tree of products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: product

`--d` is the number of factors.

recipe.  A plan of d − 1 products in ⌈log2 d⌉ levels. Each has the accuracy, the number of levels and the inverse temperature
that its share of ε needs, on the box where its arguments can be, errors included.
Guarantee: |network − product| ≤ Σ G_i·e_i, e_i the errors of the products and G_i the largest product of the factors that
are multiplied later.
"""

from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Plan, Route, var
from ._products import tree


def prod(d: int) -> Construction:
    names = [f"x{k + 1}" for k in range(d)]

    def recipe(frame: Frame) -> Plan:
        uses, result = tree([var(name) for name in names])
        return Plan(uses, {"product": result})

    return Construction(
        inputs=tuple(Input(name, meaning="factor") for name in names),
        outputs=(Output("product", "*".join(names)),),
        routes=(Route("recipe", recipe, composed=True, words="a tree of products"),),
        cases=(Case({"d": 3, "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"d": 4, "eps": "1/2", "range": "5,6"}, gates=("silu", "ffn")),
               Case({"d": 3, "eps": "1e-6", "delta": "1e-8"}, gates=("silu", "ffn")),
               Case({"d": 2, "eps": "1/2"}, gates=("anchor", "anchors"))),
        copies=False)


CONSTRUCTION = Family(prod, (Parameter("d", Kind.INTEGER, "number of factors", least=2, most=256, example="4"),))
