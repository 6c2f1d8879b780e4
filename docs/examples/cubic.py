"""Cubic polynomial by Horner's scheme.

map: $x ↦ ((c3·x + c2)·x + c1)·x + c0$
routes: horner
gates: silu, ffn
source: Horner's scheme with products after arXiv 2604.24878, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

`--c0`, `--c1`, `--c2` and `--c3` are the coefficients, 1, −1, 1/2 and 1/3 where nothing is said.

horner.  A plan of two products: p = (c3·x + c2)·x, then q = (p + c1)·x, and q + c0 at the end. Affine maps are free.
Guarantee: |network − polynomial| ≤ G_p·e_p + e_q, G_p about the largest |x|.
"""

from boundcalc.constructions import Case, Construction, Frame, Input, Kind, Output, Parameter, Plan, Route, Use, var


def horner(frame: Frame) -> Plan:
    x, p, q = var("x"), var("p"), var("q")
    c0, c1, c2, c3 = (frame[name] for name in ("c0", "c1", "c2", "c3"))
    return Plan((Use("p", "mult", {"x": c3 * x + c2, "y": x}), Use("q", "mult", {"x": p + c1, "y": x})), {"poly": q + c0})


def coefficient(name: str, power: int, default: str) -> Parameter:
    return Parameter(name, Kind.RATIONAL, f"coefficient of $x^{power}$", default=default)


CONSTRUCTION = Construction(
    inputs=(Input("x"),),
    outputs=(Output("poly", "c0 + c1*x + c2*x**2 + c3*x**3"),),
    parameters=(coefficient("c0", 0, "1"), coefficient("c1", 1, "-1"), coefficient("c2", 2, "1/2"),
                coefficient("c3", 3, "1/3")),
    routes=(Route("horner", horner, composed=True),),
    cases=(Case({"eps": "1/10"}), Case({"eps": "1e-3", "range": "0,2", "c3": "-2"}, gates=("silu", "ffn"))))
