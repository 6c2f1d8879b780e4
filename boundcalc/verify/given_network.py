"""Somebody's network against a named target: which function, on which domain, how many copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..declarations.record import FUNCTION, POSITIVE, WHOLE_LINE, Case, Construction
from ..declarations.registry import construction
from ..errors import InvalidInput, echo
from ..networks.network import Network
from ..results.verification import Verification
from .verification import Telling, verify_network

APPLICABLE = ("eps", "delta", "M", "range", "n", "d", "w", "t")


@dataclass(frozen=True)
class Request:
    """What is to be verified: the construction whose target is meant, and exact parameters."""

    construction: Construction
    parameters: Mapping[str, Fraction]
    domain: tuple[Fraction | None, Fraction | None]
    copies: int
    inputs: int         # of one copy


def request(network: Network, name: str, given: Mapping[str, Any]) -> Request:
    """The parameters that mean something for a network whose weights are given; InvalidInput for all others."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}      # flags are False if not given
    for key in known:
        if key not in APPLICABLE:
            raise InvalidInput(f"--{echo(key)} does not apply to a network from a file: its weights are what they are.",
                               f"What applies: {', '.join('--' + a for a in APPLICABLE)}.")
    if "M" in known and "range" in known:
        raise InvalidInput("--M and --range both set the domain.", "Give one of them.")
    c = construction(name)
    inputs = len(network.inputs) if c.block else len(c.inputs)
    copies, rest = divmod(len(network.inputs), inputs)
    if rest or copies != len(network.outputs) or copies < 1:
        raise InvalidInput(f"{name} has {inputs} input{'s' * (inputs > 1)} and one output, the network has "
                           f"{len(network.inputs)} and {len(network.outputs)}.",
                           "Give a network of that shape, or several copies of it side by side.")
    for key, size in (("n", len(network.inputs)), ("d", copies)):
        if key in known and known[key] != size:
            raise InvalidInput(f"--{key} is {echo(str(known[key]))}, but the network has {size}.", "Leave it out.")
    parameters: dict[str, Fraction] = {k: v for k, v in known.items() if k not in ("range", "n", "d", "w")}
    if c.block != "d" and ("w" in known or "t" in known):
        raise InvalidInput(f"--w and --t do not apply to {name}.", "Leave them out.")
    parameters |= {f"w{i + 1}": w for i, w in enumerate(known.get("w", ()))}
    domain = _domain(c, known, parameters)
    return Request(c, parameters, domain, copies, inputs)


def _domain(c: Construction, known: Mapping[str, Any],
            parameters: dict[str, Fraction]) -> tuple[Fraction | None, Fraction | None]:
    """The domain of every input, and the range among the parameters (which for clip and hat is no domain)."""
    if "range" in known:
        parameters["a"], parameters["b"] = known["range"]
    elif c.domain == POSITIVE:
        raise InvalidInput(f"{c.name} needs a range of positive numbers.", "Give --range, for example --range 1/10,1.")
    elif "M" not in known and c.domain != WHOLE_LINE:
        parameters["M"] = Fraction(1)
    if c.domain == FUNCTION or (c.domain == WHOLE_LINE and "M" not in known and "range" not in known):
        return None, None
    return Case(dict(parameters)).interval


def verify_file(network: Network, wanted: Request, digits: int = 50, tell: Telling | None = None) -> Verification:
    c = wanted.construction
    target = c.target_at({**wanted.parameters, **({c.block: Fraction(wanted.inputs)} if c.block else {})})
    return verify_network(network, [target] * wanted.copies, [wanted.domain] * len(network.inputs),
                          wanted.parameters.get("eps"), digits=digits,
                          shift=wanted.parameters.get("delta", Fraction(0)), tell=tell)
