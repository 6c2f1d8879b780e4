"""What is known about a quantity: bounds in closed form, where they hold, and which network they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

from .model import Condition, QuantityCall


@dataclass(frozen=True)
class Variant:
    """A construction by name: enough to build it at numbers."""

    name: str
    route: str
    gate: str | None
    temperature: str | None = None
    grid: str | None = None
    sentinels: bool = False
    sequence: bool = False          # at each of L tokens

    def arguments(self) -> dict[str, object]:
        found: dict[str, object] = {"route": self.route}
        for key in ("gate", "temperature", "grid"):
            if getattr(self, key) is not None:
                found[key] = getattr(self, key)
        if self.sentinels:
            found["sentinels"] = True
        return found

    def __str__(self) -> str:
        options = [f"{k}={getattr(self, k)}" for k in ("route", "gate", "temperature", "grid") if getattr(self, k)]
        options += ["sentinels=yes"] if self.sentinels else []
        options += ["sequence=L"] if self.sequence else []
        return f"{self.name}[{', '.join(options)}]"


@dataclass(frozen=True)
class Value:
    """Bounds of a quantity, where they hold, and what they come from."""

    lower: Expr | None
    upper: Expr | None
    conditions: tuple[Condition, ...] = ()          # without them the quantity means nothing
    validity: tuple[Condition, ...] = ()            # without them the bounds are not proved
    source: str = ""
    network: Variant | None = None
    chosen: Mapping[str, Expr] | None = None        # parameters that were derived from ε
    small: tuple[tuple[Symbol, int], ...] = ()      # integers at which the network has another structure
    structure: tuple[Condition, ...] = ()           # without them the network has fewer parts, and other closed forms

    @property
    def exact(self) -> bool:
        return self.lower is not None and self.lower == self.upper


@dataclass(frozen=True)
class Resolved:
    """A quantity with its values: one, or one for each construction where what is needed is meant."""

    call: QuantityCall
    values: tuple[Value, ...]
    needed: bool = False
    least: Expr | None = None       # a proved lower bound of what is needed
