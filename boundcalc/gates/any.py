"""any: a gate of which only |error| ≤ η is known. It serves for closed forms; it has no network of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy as sp

from ..errors import NotDerivable
from ..interval import POINT, Interval
from ..network import Flat, Layer, Unit
from ..symbols import symbol
from . import Behaviour

EXACT = Behaviour(POINT, sp.S.Zero, sp.S.One, sp.S.Zero, sp.S.Zero)      # the ramp itself, without attention


@dataclass(frozen=True)
class AnyGate:
    name: str = "any"
    lemma: None = None
    parameters: tuple[str, ...] = ()
    needs_bounded_input: bool = False
    supply: None = None

    @property
    def eta(self) -> sp.Expr:
        return symbol("eta")

    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        return {}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        return replace(EXACT, error=Interval.symmetric(symbol("eta")))

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        raise NotDerivable("recipe", layer.label, "this gate stands for any gate and has no network of its own")
