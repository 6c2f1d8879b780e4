"""An external network against a named target, or against what its file says: function, domain, number of copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

from ..declarations.frame import (
    EVERY,
    InputEnds,
    checked_errors,
    checked_lists,
    checked_ranges,
    domains_of_a_copy,
    input_errors,
    of_target,
    own_error,
    parts_of_a_copy,
    with_domain,
)
from ..declarations.record import Construction, Region
from ..declarations.registry import construction
from ..declarations.registry import known as known_construction
from ..declarations.shared import DELTA
from ..errors import Infeasible, InvalidInput, echo
from ..formulas.parameter import Kind
from ..formulas.target import AnyTarget
from ..networks.network import Network
from ..numbers.exact import Shift
from ..results.verification import Verification
from .verification import MOST_PARTS, Telling, verify_network, worst


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
    def targets(self) -> list[AnyTarget]:
        return self.construction.targets_at(self.values) * self.copies

    @property
    def parts(self) -> list[list[InputEnds]]:
        """The boxes of which the domain consists."""
        one = parts_of_a_copy(self.construction, self.values)
        found = list(map(list, islice(product(*(one * self.copies)), MOST_PARTS + 1)))
        if len(found) > MOST_PARTS:
            raise Infeasible(f"The domain consists of more than {MOST_PARTS} boxes.", "Verify fewer copies.")
        return found

    @property
    def shift(self) -> Shift:
        one = input_errors(self.construction, self.values)
        return one * self.copies if isinstance(one, tuple) else one

    @property
    def domains(self) -> list[InputEnds]:
        return domains_of_a_copy(self.construction, self.values) * self.copies


def request_of_file(network: Network, given: Mapping[str, Any]) -> Request:
    """What the file says that its network computes; what is given besides goes before what it says."""
    about = network.about
    if about is None or about.construction is None:
        raise InvalidInput("The file does not say what its network is to compute.",
                           "Add --target NAME, for example --target mult.")
    if not known_construction(about.construction):
        raise InvalidInput(f"The file says that it is of {echo(about.construction)}, a construction that is not known here.",
                           "Where that is a file of your own, add --target and its path.")
    c, stated = construction(about.construction), about.parameters
    asked = {k: v for k, v in given.items() if v is not None and v is not False}
    own = _stated(c, stated)
    if about.error is not None and about.error >= 0:
        own.setdefault("eps", about.error)
    own = {k: v for k, v in own.items() if k not in ("M", "range") or not {"M", "range"} & asked.keys()}
    length = stated.get("L", Fraction(1))
    if length not in range(1, len(network.inputs) + 1):
        raise InvalidInput("The file contradicts itself: its sequence is not as long as it states.",
                           "Add --target NAME, and only the weights are looked at.")
    found = request(network, c.name, {**own, **asked}, int(length))
    if not {"M", "range"} & asked.keys() and about.domain not in ((), tuple(found.domains)):
        raise InvalidInput("The file contradicts itself: its parameters do not mean the domain that it states.",
                           "Add --target NAME and the domain, and only the weights are looked at.")
    return found


def _stated(c: Construction, stated: Mapping[str, Fraction]) -> dict[str, Any]:
    """What a file says of target and domain, as it would be given; what it says of the network itself is left out."""
    found: dict[str, Any] = {}
    for p in of_target(c):
        if p is DELTA:
            errors = {i.name: stated[own_error(i.name)] for i in c.inputs if own_error(i.name) in stated}
            found |= {p.name: errors or stated[p.name]} if errors or p.name in stated else {}
        elif p.kind is Kind.RATIONAL and p.name in stated:
            found[p.name] = p.checked(stated[p.name])
        elif p.kind is Kind.LIST:
            entries = tuple(stated[p.entry(k)] for k in range(len(stated)) if p.entry(k) in stated)
            found |= {p.name: entries} if entries else {}
        elif p.kind is Kind.INTERVAL:
            names = {EVERY: ("a", "b"), **{i.name: (f"a_{i.name}", f"b_{i.name}") for i in c.inputs}}
            fixed = {i.name for i in c.inputs if i.domain.region is Region.FINITE}
            ranges = {name: (stated[a], stated[b]) for name, (a, b) in names.items()
                      if a in stated and b in stated and name not in fixed}
            found |= {"range": checked_ranges(ranges)} if ranges else {}
    return found


def request(network: Network, name: str, given: Mapping[str, Any], tokens: int = 1) -> Request:
    """The parameters that mean something for a network whose weights are given; InvalidInput for all others. `tokens` is
    the length of a sequence, where the inputs of one token are not counted by the construction."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}      # flags are False if not given
    c = construction(name)
    allowed = {p.name: p for p in of_target(c)}
    for key in known:
        if key not in allowed:
            raise InvalidInput(f"--{echo(key)} does not apply to a network from a file: its weights are what they are.",
                               f"What applies: {', '.join('--' + a for a in allowed)}.")
    inputs = len(network.inputs) // tokens if c.counted else len(c.inputs)
    copies, rest = divmod(len(network.inputs), inputs)
    outputs = len(c.outputs)
    if rest or copies * outputs != len(network.outputs) or copies < 1:
        many = "one output" if outputs == 1 else f"{outputs} outputs"
        raise InvalidInput(f"{name} has {inputs} input{'s' * (inputs > 1)} and {many}, the network has "
                           f"{len(network.inputs)} and {len(network.outputs)}.",
                           "Give a network of that shape, or several copies of it side by side.")
    sizes = {c.counted: inputs} if c.counted else {"d": copies}
    for key, size in sizes.items():
        if key in known and known[key] != size:
            raise InvalidInput(f"--{key} is {echo(str(known[key]))}, but the network has {size}.", "Leave it out.")
    numbers = {k: v for k, v in known.items() if allowed[k].kind is Kind.RATIONAL and k != DELTA.name}
    numbers |= checked_errors(c, known[DELTA.name]) if DELTA.name in known else {}
    lists = {k: v for k, v in checked_lists(c, known | sizes).items() if k not in sizes}
    parameters = with_domain(c, None, numbers, checked_ranges(known.get("range"))) | lists
    return Request(c, parameters, copies, inputs)


def verify_file(network: Network, wanted: Request, digits: int = 50, progress: Telling | None = None, *,
                timeout: float | None = None) -> Verification:
    parts = wanted.parts
    each = None if timeout is None else timeout / len(parts)
    return worst(verify_network(network, wanted.targets, part, wanted.parameters.get("eps"), digits=digits,
                                shift=wanted.shift, progress=progress, timeout=each) for part in parts)
