"""How well a given ReLU network approximates a target of its inputs: as its owner says, or certified."""

from __future__ import annotations

from fractions import Fraction

from ..declarations.of_network import NetworkConstruction
from ..errors import Infeasible, InvalidInput, echo
from ..formulas.target import Target
from ..results.against import Against
from ..results.bound import Bound
from ..results.verification import Certified
from .verification import Telling, verify_network

MOST_INPUTS = 2


def against(bound: Bound, text: str, accuracy: Fraction | None, progress: Telling | None = None,
            timeout: float | None = None) -> Against:
    """The target is an expression in the network's inputs. Without an accuracy that of the ReLU network is certified."""
    c = bound.construction
    assert isinstance(c, NetworkConstruction)
    if len(c.outputs) > 1:
        raise InvalidInput("--target is for networks with one output.", "Leave it out.", {"--target": None})
    target = Target.of(text, {i.name: 1 for i in c.inputs})
    if accuracy is not None:
        if accuracy < 0:
            raise InvalidInput("--accuracy must not be negative.", "For example --accuracy 1e-3.")
        return Against(text, accuracy, None)
    if len(c.inputs) > MOST_INPUTS:
        raise InvalidInput(f"With {len(c.inputs)} inputs the accuracy of the ReLU network is not certified.",
                           "Give it with --accuracy, for example --accuracy 1e-3.", {"--accuracy": "1e-3"})
    found = verify_network(c.network.network, [target], bound.domains(), None, progress=progress, timeout=timeout)
    if not isinstance(found.certified, Certified):
        raise Infeasible(f"The accuracy of the ReLU network was not certified: {echo(found.certified.reason)}.",
                         "Give it with --accuracy, for example --accuracy 1e-3.", {"--accuracy": "1e-3"})
    return Against(text, found.certified.error, found.certified.method)
