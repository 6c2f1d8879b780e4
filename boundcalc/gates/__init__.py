"""Gates: what computes ρ(z) = max(z, 0) inside a layer. One file a gate; `gate(name)` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ..errors import InvalidInput, echo

if TYPE_CHECKING:
    from collections.abc import Mapping

    import sympy as sp

    from ..interval import Interval
    from ..lemma import Lemma
    from ..network import Flat, Layer, Unit

GATES = ("silu", "anchor", "ffn")


@dataclass(frozen=True)
class Behaviour:
    """What one unit does on inputs whose exact values lie in a known range."""

    error: Interval             # gate − ideal, for every real input
    beta: sp.Expr               # inverse temperature of its heads; 0 where there is none
    lipschitz: sp.Expr          # its own Lipschitz constant as S2 gives it (the naive route)
    spread: sp.Expr             # how far apart exact scores can be
    spread_gain: sp.Expr        # how much that grows with an input error


class Gate(Protocol):
    """The algebra needs the behaviour on a range; flattening needs the realisation."""

    @property
    def name(self) -> str: ...
    @property
    def lemma(self) -> Lemma | None:
        """What is trusted about the error; None where ρ is computed exactly."""
    @property
    def eta(self) -> sp.Expr:
        """What the symbol η of its errors stands for; 0 if they do not use it."""
    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that a user may give for it."""
    @property
    def needs_bounded_input(self) -> bool:
        """Whether it computes ρ on a bounded range only, whose positive end it must know."""
    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        """Internal symbols of its terms in the user's own parameters."""
    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """The unit for exact inputs in z. The error must hold at every real input."""
    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        """The layer as attention (or ReLU) layers of the exported network."""


def gate(name: str) -> Gate:
    if name not in GATES:
        raise InvalidInput(f"There is no gate '{echo(name)}'.", f"Gates are {', '.join(GATES)}.")
    made: Gate = import_module(f".{name}", __name__).GATE
    return made
