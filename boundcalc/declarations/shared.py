"""The parameters that all constructions have."""

from __future__ import annotations

from ..formulas.parameter import Kind, Parameter
from ..formulas.symbols import PARAMETERS

EPS = Parameter("eps", Kind.RATIONAL, PARAMETERS["eps"].meaning, above=0)
DELTA = Parameter("delta", Kind.RATIONAL, PARAMETERS["delta"].meaning, least=0, default="0")
HALF_WIDTH = Parameter("M", Kind.RATIONAL, PARAMETERS["M"].meaning, above=0)
RANGE = Parameter("range", Kind.INTERVAL, "the domain of every input; X=A,B: of one input")
COPIES = Parameter("d", Kind.INTEGER, PARAMETERS["d"].meaning, least=1, most=10 ** 15, default="1")
SEQUENCE = Parameter("sequence", Kind.INTEGER,
                     "apply the construction to every one of $L$ data tokens", least=2, most=10 ** 15)
