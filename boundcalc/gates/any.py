"""any: a gate of which only |error| ≤ η is known. It serves for closed forms; it has no network of its own."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from ..errors import NotDerivable
from ..formulas.interval import POINT, Interval
from ..formulas.symbols import symbol
from ..records import dataclass
from ..terms.gate import Behaviour, Gate
from ..terms.term import Flat, Ramps, Unit

NIL = sp.S.Zero
EXACT = Behaviour(POINT, NIL, sp.S.One, NIL, NIL, NIL)          # the ramp itself, without attention


@dataclass(frozen=True)
class AnyGate(Gate):
    name: str = "any"

    @property
    def eta(self) -> sp.Expr:
        return symbol("eta")

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        return replace(EXACT, error=Interval.symmetric(symbol("eta")))

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        raise NotDerivable("recipe", layer.label, "this gate stands for any gate and has no network of its own")
