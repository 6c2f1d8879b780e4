"""Quotient of two polynomials.

map: $x ↦ p(x)/q(x)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: Horner's scheme, reciprocal and product after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived
synonyms: fraction

`--numerator c0,c1,…` and `--denominator c0,c1,…` are the coefficients, the constant first. The denominator must be
seen to be positive on the domain by its Horner scheme in interval arithmetic.

recipe.  A plan: p and q by Horner's scheme, r = 1/q by chords with equal errors, then p·r.
Guarantee: |network − p/q| ≤ Σ G_i·e_i over all parts, e_i their errors and G_i the slopes of what follows.
"""

from fractions import Fraction

from ..errors import InvalidInput
from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Plan, Route, Use, var
from ._products import horner, polynomial, shown


def quotient(numerator: tuple[Fraction, ...], denominator: tuple[Fraction, ...]) -> Construction:
    if not any(denominator[1:]):
        raise InvalidInput("The denominator is constant: this is a polynomial.", "Use poly.")
    if not any(numerator):
        raise InvalidInput("The numerator is 0.", "Give --numerator with a coefficient that is not 0.", {"--numerator": "1"})

    def recipe(frame: Frame) -> Plan:
        over, p = horner(var("x"), numerator, "p")
        under, q = horner(var("x"), denominator, "q")
        reciprocal = Use("r", "recip", {"x": q})
        if not any(numerator[1:]):
            return Plan((*over, *under, reciprocal), {"quotient": p.const * var("r")})
        return Plan((*over, *under, reciprocal, Use("f", "mult", {"x": p, "y": var("r")})), {"quotient": var("f")})

    return Construction(
        map=f"$x ↦ ({shown(numerator)})/({shown(denominator)})$",
        inputs=(Input("x"),),
        outputs=(Output("quotient", f"{polynomial(numerator)}/{polynomial(denominator)}"),),
        routes=(Route("recipe", recipe, composed=True, words="Horner's scheme twice, reciprocal, product"),),
        cases=(Case({"numerator": "1,1", "denominator": "2,1", "eps": "1/10"}, gates=("silu", "ffn")),
               Case({"numerator": "1,0,1", "denominator": "1,1", "eps": 1, "range": "9,10", "d": 2}, gates=("silu", "ffn")),
               Case({"numerator": "1", "denominator": "1,0,1", "eps": "1e-6", "delta": "1e-9"}, gates=("silu", "ffn")),
               Case({"numerator": "1,1", "denominator": "2,1", "eps": "1/2"}, gates=("anchor", "anchors"))))


CONSTRUCTION = Family(quotient, (
    Parameter("numerator", Kind.LIST, "coefficients of the numerator, the constant first", example="1,1"),
    Parameter("denominator", Kind.LIST, "coefficients of the denominator, the constant first", example="2,1")))
