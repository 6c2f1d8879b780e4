"""Somebody's network against a named target: which function, on which domain, how many copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..declarations.frame import checked_lists, checked_ranges, domain_of, of_target, with_domain
from ..declarations.record import Construction
from ..declarations.registry import construction
from ..errors import InvalidInput, echo
from ..formulas.parameter import Kind
from ..networks.network import Network
from ..results.verification import Verification
from .verification import Telling, verify_network


@dataclass(frozen=True)
class Request:
    """What is to be verified: the construction whose target is meant, and exact parameters."""

    construction: Construction
    parameters: Mapping[str, Fraction]
    copies: int
    inputs: int         # of one copy

    @property
    def values(self) -> dict[str, Fraction]:
        """The parameters with the sizes that the network has."""
        size = self.construction.counted
        return {**self.parameters, **({size: Fraction(self.inputs)} if size else {"d": Fraction(self.copies)})}

    @property
    def domains(self) -> list[tuple[Fraction | None, Fraction | None]]:
        c = self.construction
        one = [domain_of(c, self.parameters, block.name) for block, size in zip(c.inputs, c.sizes(self.values), strict=True)
               for _ in range(size)]
        return one * self.copies


def request(network: Network, name: str, given: Mapping[str, Any]) -> Request:
    """The parameters that mean something for a network whose weights are given; InvalidInput for all others."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}      # flags are False if not given
    c = construction(name)
    allowed = {p.name: p for p in of_target(c)}
    for key in known:
        if key not in allowed:
            raise InvalidInput(f"--{echo(key)} does not apply to a network from a file: its weights are what they are.",
                               f"What applies: {', '.join('--' + a for a in allowed)}.")
    inputs = len(network.inputs) if c.counted else len(c.inputs)
    copies, rest = divmod(len(network.inputs), inputs)
    if rest or copies != len(network.outputs) or copies < 1:
        raise InvalidInput(f"{name} has {inputs} input{'s' * (inputs > 1)} and one output, the network has "
                           f"{len(network.inputs)} and {len(network.outputs)}.",
                           "Give a network of that shape, or several copies of it side by side.")
    sizes = {c.counted: inputs} if c.counted else {"d": copies}
    for key, size in sizes.items():
        if key in known and known[key] != size:
            raise InvalidInput(f"--{key} is {echo(str(known[key]))}, but the network has {size}.", "Leave it out.")
    numbers = {k: v for k, v in known.items() if allowed[k].kind is Kind.RATIONAL}
    lists = {k: v for k, v in checked_lists(c, known | sizes).items() if k not in sizes}
    parameters = with_domain(c, None, numbers, checked_ranges(known.get("range"))) | lists
    return Request(c, parameters, copies, inputs)


def verify_file(network: Network, wanted: Request, digits: int = 50, tell: Telling | None = None) -> Verification:
    target = wanted.construction.target_at(wanted.values)
    return verify_network(network, [target] * wanted.copies, wanted.domains, wanted.parameters.get("eps"), digits=digits,
                          shift=wanted.parameters.get("delta", Fraction(0)), tell=tell)
