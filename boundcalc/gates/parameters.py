"""The parameters of gates, as every construction with that gate has them."""

from __future__ import annotations

from ..formulas.parameter import Kind, Parameter
from ..formulas.symbols import PARAMETERS

BETA = Parameter("beta", Kind.RATIONAL, PARAMETERS["beta"].meaning, above=0)
KAPPA = Parameter("kappa", Kind.RATIONAL, PARAMETERS["kappa"].meaning, above=0, example="1")
EPS0 = Parameter("eps0", Kind.RATIONAL, PARAMETERS["eps0"].meaning, above=0)
HEADS = Parameter("H", Kind.INTEGER, PARAMETERS["H"].meaning, least=1, most=10 ** 15)


def of(gate: str, tokens: str) -> tuple[Parameter, ...]:
    """All that a gate can have; `tokens` counts the tokens of one of many heads. Needs no gate to be made."""
    hard = (KAPPA, EPS0)
    return {"silu": (BETA,), "anchor": (counting("p", many=False), *hard),
            "anchors": (counting(tokens, many=True), HEADS, *hard)}.get(gate, ())


def counting(name: str, many: bool) -> Parameter:
    """What counts the tokens of a head: all anchors where there is one head."""
    return Parameter(name, Kind.INTEGER, "tokens of a head" if many else PARAMETERS[name].meaning, least=2, most=10 ** 15,
                     example="3")
