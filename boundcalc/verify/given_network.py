"""An external network against a named target, or against what its file says: function, domain, number of copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..declarations.record import FUNCTION, POSITIVE, WHOLE_LINE, Case, Construction
from ..declarations.registry import check, construction
from ..errors import InvalidInput, echo
from ..networks.network import Network
from ..results.given import checked, checked_range
from ..results.verification import Verification
from .targets import target_named
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

    def exactly(self, point: list[Fraction]) -> list[Fraction]:
        case = Case(dict(self.parameters))
        return [self.construction.target(point[i:i + self.inputs], case) for i in range(0, len(point), self.inputs)]


def request_of_file(network: Network, given: Mapping[str, Any]) -> Request:
    """What the file says that its network computes; what is given besides goes before what it says."""
    about = network.about
    if about is None or about.construction is None:
        raise InvalidInput("The file does not say what its network is to compute.",
                           "Add --target NAME, for example --target mult.")
    check(about.construction)
    c, stated = construction(about.construction), about.parameters
    asked = {k: v for k, v in given.items() if v is not None and v is not False}
    own: dict[str, Any] = {k: checked(k, stated[k]) for k in ("eps", "delta", "t") if k in stated}
    if about.error is not None and about.error >= 0:
        own.setdefault("eps", about.error)
    weights = [stated[f"w{i + 1}"] for i in range(len(network.inputs)) if f"w{i + 1}" in stated]
    if c.block != "d":
        own.pop("t", None)
    elif weights:
        own["w"] = tuple(weights)
    if not {"M", "range"} & asked.keys():
        own |= {"range": checked_range((stated["a"], stated["b"]))} if "a" in stated and "b" in stated else (
            {"M": checked("M", stated["M"])} if "M" in stated else {})
    length = stated.get("L", Fraction(1))
    if length not in range(1, len(network.inputs) + 1):
        raise InvalidInput("The file contradicts itself: its sequence is not as long as it states.",
                           "Add --target NAME, and only the weights are looked at.")
    found = request(network, c.name, {**own, **asked}, int(length))
    if not {"M", "range"} & asked.keys() and any(ends != found.domain for ends in about.domain):
        raise InvalidInput("The file contradicts itself: its parameters do not mean the domain that it states.",
                           "Add --target NAME and the domain, and only the weights are looked at.")
    return found


def request(network: Network, name: str, given: Mapping[str, Any], tokens: int = 1) -> Request:
    """The parameters that mean something for a network whose weights are given; InvalidInput for all others. `tokens` is
    the length of a sequence, where the inputs of one token are not counted by the construction."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}      # flags are False if not given
    for key in known:
        if key not in APPLICABLE:
            raise InvalidInput(f"--{echo(key)} does not apply to a network from a file: its weights are what they are.",
                               f"What applies: {', '.join('--' + a for a in APPLICABLE)}.")
    if "M" in known and "range" in known:
        raise InvalidInput("--M and --range both set the domain.", "Give one of them.")
    c = construction(name)
    inputs = len(network.inputs) // tokens if c.block else len(c.inputs)
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
        if c.domain == POSITIVE and parameters["a"] <= known.get("delta", 0):
            raise InvalidInput(f"{c.name} needs a range of positive numbers, also with the error of its inputs.",
                               "Give --range, for example --range 1/10,1.")
    elif c.domain == POSITIVE:
        raise InvalidInput(f"{c.name} needs a range of positive numbers.", "Give --range, for example --range 1/10,1.")
    elif "M" not in known and c.domain != WHOLE_LINE:
        parameters["M"] = Fraction(1)
    if c.domain == FUNCTION or (c.domain == WHOLE_LINE and "M" not in known and "range" not in known):
        return None, None
    return Case(dict(parameters)).interval


def verify_file(network: Network, wanted: Request, digits: int = 50, progress: Telling | None = None, *,
                timeout: float | None = None) -> Verification:
    target = target_named(wanted.construction.name, wanted.parameters, wanted.inputs)
    return verify_network(network, [target] * wanted.copies, [wanted.domain] * len(network.inputs),
                          wanted.parameters.get("eps"), exactly=wanted.exactly, digits=digits,
                          shift=wanted.parameters.get("delta", Fraction(0)), progress=progress, timeout=timeout)
