"""any: a gate of which only |error| ≤ η is known. It serves for closed forms; it has no network of its own."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..errors import NotDerivable
from ..interval import Interval
from ..network import Flat, Layer
from ..symbols import symbol


@dataclass(frozen=True)
class AnyGate:
    name: str = "any"
    lemma: None = None

    @property
    def error(self) -> Interval:
        return Interval.symmetric(symbol("eta"))

    @property
    def eta(self) -> sp.Expr:
        return symbol("eta")

    @property
    def beta(self) -> sp.Expr:
        return sp.S.Zero

    def naive_gain(self, value_range: sp.Expr) -> sp.Expr:
        return sp.S.One

    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        raise NotDerivable("recipe", layer.label, "this gate stands for any gate and has no network of its own")


GATE = AnyGate()
