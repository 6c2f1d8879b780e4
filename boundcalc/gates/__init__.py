"""Gates: what computes ρ(z) = max(z, 0) inside a layer. One file a gate; `gate(name)` makes it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from ..errors import InvalidInput, echo

if TYPE_CHECKING:
    import sympy as sp

    from ..interval import Interval
    from ..lemma import Lemma
    from ..network import Flat, Layer

GATES = ("silu", "ffn")


class Gate(Protocol):
    """The algebra needs the error and the Lipschitz constants; flattening needs the realisation."""

    @property
    def name(self) -> str: ...
    @property
    def lemma(self) -> Lemma | None:
        """What is trusted about the error; None where ρ is computed exactly."""
    @property
    def error(self) -> Interval:
        """gate − ρ, uniformly in the input, in terms of the symbol η."""
    @property
    def eta(self) -> sp.Expr:
        """η in the gate's own parameters."""
    @property
    def beta(self) -> sp.Expr:
        """The inverse temperature of its heads; 0 where there is none."""
    def naive_gain(self, value_range: sp.Expr) -> sp.Expr:
        """The gate's own Lipschitz constant as S2 gives it, for values in an interval of that length."""
    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        """The layer as attention (or ReLU) layers of the exported network."""


def gate(name: str) -> Gate:
    if name not in GATES:
        raise InvalidInput(f"There is no gate '{echo(name)}'.", f"Gates are {', '.join(GATES)}.")
    made: Gate = import_module(f".{name}", __name__).GATE
    return made
