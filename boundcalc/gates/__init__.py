"""Gates: what computes the ramps of a layer, ρ(z − low) or min(max(z, low), high) − low. One file a gate."""

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
    from .grid import Supply

GATES = ("silu", "anchor", "anchors", "ffn")
TEMPERATURES = ("tuned", "hard")
GRIDS = ("linspace", "left", "midpoint")


@dataclass(frozen=True)
class Options:
    """What may be said about a gate beside numbers. `tokens` names the parameter that counts the tokens of one of many
    heads, and `pairs` says that there are just two."""

    temperature: str | None = None
    grid: str | None = None
    sentinels: bool = False
    tokens: str = "n"
    pairs: bool = False


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
        """What is trusted about the error; None where ramps are computed exactly."""
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
    def supply(self) -> Supply | None:
        """How anchors are counted and how hard they select; None where there are none."""
    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        """Internal symbols of its terms in the user's own parameters."""
    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """The unit for exact inputs in z. The error must hold at every real input."""
    def realise(self, layer: Layer) -> tuple[Flat, ...]:
        """The layer as attention (or ReLU) layers of the exported network."""


def gate(name: str, options: Options | None = None) -> Gate:
    """The gate of that name, made as the options say. An option that does not apply is refused."""
    if name not in GATES:
        raise InvalidInput(f"There is no gate '{echo(name)}'.", f"Gates are {', '.join(GATES)}.")
    options = options or Options()
    for option, value, known in (("temperature", options.temperature, TEMPERATURES), ("grid", options.grid, GRIDS)):
        if value is not None and value not in known:
            raise InvalidInput(f"There is no {option} '{echo(value)}'.", f"Known are {', '.join(known)}.")
    made: Gate = import_module(f".{name}", __name__).make(options)
    return made


def refuse_options(name: str, options: Options) -> None:
    """For gates without anchors."""
    given = [f"--{o}" for o in ("temperature", "grid", "sentinels") if getattr(options, o)]
    if given:
        raise InvalidInput(f"{' and '.join(given)} does not apply to gate {name}: it has no anchors.",
                           "Leave it out, or use --gate anchor or --gate anchors.")
