"""A ReLU network that somebody has, declared like a construction: its inputs, its own function as the target, one route.

What is read of it stands in networks/; which gates it needs depends on the box and is found when a frame is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from sympy import Expr

from ..errors import InvalidInput, NotDerivable, echo
from ..formulas.build import RESERVED
from ..formulas.symbols import INTERNAL, MEANINGS
from ..formulas.target import AnyTarget
from ..gates import GATES
from ..networks.function import functions_of
from ..networks.relu import ReluNetwork, numbered
from ..numbers.exact import exact_text
from ..records import dataclass
from ..terms.from_numbers import given_term
from ..terms.reduced import reduced
from ..terms.term import Term
from .header import Information
from .record import Construction, Frame, Input, InputDomain, Output, Region, Route

NAME = "network"
ROUTE = "recipe"
PLAIN = re.compile(r"[A-Za-z]\w*", re.ASCII)
TAKEN = {"eps", "delta", "beta", "kappa", "eps0", "M", "H", "n", "p", "d", "L", "a", "b"}
TEXT = """\
recipe.  Every ReLU of the network is computed by a gate; the weights stay what they are. Units
that cannot switch on the domain are linear and cost no head; units with equal or opposite rows
share one, since ρ(−z) = ρ(z) − z. With silu gates, L ReLU layers with w_1 … w_L units and P
entries become at most L attention layers with Σ w_l heads over 2 tokens of width 1 + max w_l, with
P + 3·Σ w_l + L entries.
Guarantee: upper; the target is the function of the ReLU network itself."""


@dataclass(frozen=True, eq=False)
class NetworkConstruction(Construction):
    """The recipe for one network. Its closed forms are for the numbers of one box."""

    given: ReluNetwork | None = None
    beta_per_layer: bool = False

    @property
    def network(self) -> ReluNetwork:
        assert self.given is not None
        return self.given

    @property
    def numeric(self) -> bool:
        return True

    @property
    def tempered(self) -> bool:
        return self.beta_per_layer

    def with_beta_per_layer(self) -> NetworkConstruction:
        made = declared(self.network, self.information.asked, self.information.path, beta_per_layer=True)
        return replace(made, inputs=self.inputs)

    @cached_property
    def _functions(self) -> list[AnyTarget]:
        return list(functions_of(self.network, [o.name for o in self.outputs]))

    def targets_at(self, values: Mapping[str, Fraction]) -> list[AnyTarget]:
        return self._functions

    def names(self, values: Mapping[str, Fraction], copy: int, place: str = "") -> tuple[list[str], list[str]]:
        return [f"{i.name}{place}" for i in self.inputs], [f"{name}{place}" for name in self.network.outputs]


def declared(network: ReluNetwork, asked: str, path: Path, beta_per_layer: bool = False) -> NetworkConstruction:
    """`asked` is what a user types for it, `path` its file. With a β of its own in every layer, scores of all layers are
    equally far apart."""
    inputs, outputs = _names(network.inputs, "x"), _names(network.outputs, "y")
    domains = [_domain(*ends) for ends in network.domain] or [InputDomain(Region.LINE, None)] * len(inputs)
    made = [Input(name, domain) for name, domain in zip(inputs, domains, strict=True)]

    def build(frame: Frame) -> Term:
        return given_term(reduced(network, [_numbers(frame, name) for name in inputs]), inputs, outputs,
                          beta_per_layer)

    return NetworkConstruction(
        tuple(made), tuple(Output(name, name) for name in outputs),
        (Route(ROUTE, build, words="its ReLUs replaced by gates" + (
            ", a β of its own in every layer" if beta_per_layer else "")),), copies=False,
        information=_information(network, asked, path), given=network, beta_per_layer=beta_per_layer)


def on_domain(c: Construction, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> Construction:
    """The same with other ranges where nothing is said: claims have no --range."""
    names = [i.name for i in c.inputs]
    for name in ranges:
        if name and name not in names:
            raise InvalidInput(f"The network has no input '{echo(name)}' to give a range.",
                               f"Its inputs are {echo(', '.join(names))}.")
    inputs = []
    for i in c.inputs:
        ends = ranges.get(i.name) or ranges.get("")
        inputs.append(i if ends is None else replace(i, domain=_domain(*ends)))
    free = next((i.name for i in inputs if i.domain.default is None), None)
    if free is not None:
        raise InvalidInput(f"{c.information.asked} needs --range: nothing says where {free} lies.",
                           "Give --range, for example --range -1,1.", {"--range": "-1,1"})
    return replace(c, inputs=tuple(inputs))


def _names(names: tuple[str, ...], stem: str) -> tuple[str, ...]:
    """Those in the file where formulas can have them."""
    proper = all(PLAIN.fullmatch(x) and x not in TAKEN and x not in RESERVED and x not in MEANINGS and x not in INTERNAL
                 for x in names)
    return names if proper and len(set(names)) == len(names) else numbered(stem, len(names))


def _domain(low: Fraction | None, high: Fraction | None) -> InputDomain:
    if low is None or high is None:
        return InputDomain(Region.LINE, None)
    return InputDomain(default=(exact_text(low), exact_text(high)))


def _numbers(frame: Frame, name: str) -> tuple[Fraction, Fraction]:
    box = frame.boxes[name]
    if not (box.lo.is_Rational and box.hi.is_Rational):
        raise NotDerivable("R13", "a network of numbers", "its closed forms are for a box of numbers")
    return _fraction(box.lo), _fraction(box.hi)


def _fraction(x: Expr) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _information(network: ReluNetwork, asked: str, path: Path) -> Information:
    inputs, outputs = len(network.inputs), len(network.outputs)
    shape = "–".join(map(str, (inputs, *network.widths, outputs)))
    return Information(NAME, f"Network of ReLUs {shape}", f"$x ↦ f(x)$, the ReLU network {shape}", (ROUTE,), GATES,
                       "the weights of the file; recipe after arXiv 2604.24878",
                       "recipe a reconstruction, bound derived, upper", TEXT, (), path, asked)
