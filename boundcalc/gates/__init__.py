"""Gates: what computes the ramps of a layer, ρ(z − low) or min(max(z, low), high) − low. One file a gate."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import InvalidInput, echo
from ..records import dataclass

if TYPE_CHECKING:
    from ..terms.gate import Gate

GATES = ("silu", "anchor", "anchors", "ffn")
TEMPERATURES = ("tuned", "hard")
GRIDS = ("linspace", "left", "midpoint")


@dataclass(frozen=True)
class Options:
    """What may be said about a gate beside numbers. `tokens` names the parameter that counts the tokens of one of many
    heads (p where n counts arguments), `pairs` says that there are just two, and `sequence` that there are other data
    tokens, which leak."""

    temperature: str | None = None
    grid: str | None = None
    sentinels: bool = False
    tokens: str = "n"
    pairs: bool = False
    sequence: bool = False


def gate(name: str, options: Options | None = None) -> Gate:
    """The gate of that name, made as the options say. An option that does not apply is refused."""
    if name not in GATES:
        raise InvalidInput(f"There is no gate '{echo(name)}'.", f"Gates are {', '.join(GATES)}.")
    options = options or Options()
    for option, value, known in (("temperature", options.temperature, TEMPERATURES), ("grid", options.grid, GRIDS)):
        if value is not None and value not in known:
            raise InvalidInput(f"There is no {option} '{echo(value)}'.", f"Known are {', '.join(known)}.",
                               {f"--{option}": known[0]})
    made: Gate = import_module(f".{name}", __name__).make(options)
    return made


def refuse_options(name: str, options: Options) -> None:
    """For gates without anchors."""
    given = [f"--{o}" for o in ("temperature", "grid", "sentinels") if getattr(options, o)]
    if given:
        raise InvalidInput(f"{' and '.join(given)} does not apply to gate {name}: it has no anchors.",
                           "Leave it out, or use --gate anchor or --gate anchors.", dict.fromkeys(given))
