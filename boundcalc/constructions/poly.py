"""Polynomial by Horner's scheme.

map: $x ↦ c_0 + c_1·x + … + c_n·x^n$
routes: recipe
gates: silu, anchor, anchors, ffn
source: Horner's scheme with products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: polynomial, horner

`--coefficients c0,c1,…` are given with the constant first; the degree is at least 2.

recipe.  A plan of n − 1 products, A_j = c_j + x·A_(j+1) from A_(n−1) = c_(n−1) + c_n·x, which is affine, down to A_0. Each
has the accuracy that its share of ε needs, on the box where its arguments can be, errors included.
Guarantee: |network − polynomial| ≤ Σ_j G_j·e_j, e_j the error of the product in A_j and G_j at most the largest |x|^j.
"""

from fractions import Fraction

from ..errors import InvalidInput
from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Plan, Route, var
from ._products import horner, polynomial, shown


def poly(coefficients: tuple[Fraction, ...]) -> Construction:
    while len(coefficients) > 1 and not coefficients[-1]:
        coefficients = coefficients[:-1]
    if len(coefficients) < 3:
        raise InvalidInput("A polynomial of degree 0 or 1 is affine: it needs no network.",
                           "Give at least three coefficients, for example --coefficients 1,-1,1/2.",
                           {"--coefficients": "1,-1,1/2"})

    def recipe(frame: Frame) -> Plan:
        uses, result = horner(var("x"), coefficients)
        return Plan(uses, {"poly": result})

    return Construction(
        map=f"$x ↦ {shown(coefficients)}$",
        inputs=(Input("x"),),
        outputs=(Output("poly", polynomial(coefficients)),),
        routes=(Route("recipe", recipe, composed=True, words="Horner's scheme"),),
        cases=(Case({"coefficients": "1,-1,1/2", "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"coefficients": "0,3,0,-1/3", "eps": "1/2", "range": "9,10", "d": 2}, gates=("silu", "ffn")),
               Case({"coefficients": "1,0,1/2,1/3", "eps": "1e-6", "delta": "1e-8"}, gates=("silu", "ffn")),
               Case({"coefficients": "0,0,1", "eps": "1/2"}, gates=("anchor", "anchors"))))


CONSTRUCTION = Family(poly, (Parameter("coefficients", Kind.LIST, "coefficients, the constant first", example="1,-1,1/2"),))
