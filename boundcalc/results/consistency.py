"""Whether the term of a construction computes its target, looked at in some points.

That the exact ReLU network of a term is the target, up to the errors that its lemmas name, is what everything else rests on.
The conformance suite tests it for the bundled constructions. A file of a user's own may never have been tested, so a bound
looks at a few points itself: this is no proof, but a wrong formula does not pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from ..errors import InvalidInput, echo
from ..formulas.target import exact_values
from ..gates import gate
from ..networks.network import AffineLayer, Network, ReluLayer
from ..numbers.exact import exact_text
from ..terms.flat import flatten
from ..terms.materialise import materialise
from ..terms.with_gate import lower
from ..tune import numbers
from .bound import Bound

SHARES = tuple(Fraction(k, 12) for k in (0, 12, 6, 1, 11, 4, 7))      # of a domain, from end to end
FAR = Fraction(10)              # for an end that is infinite
MOST_INPUTS, MOST_POINTS, MOST_ENTRIES = 12, 60, 20_000
NOT_OF_THE_TERM = ("gates", "inputs", "leak", "tilt")


def check_term(b: Bound) -> None:
    """InvalidInput with a point where term and target differ by more than the lemmas allow."""
    entries = b.resources["parameters"].exact
    if not b.analysis.how.gated or "L" in b.values or b.input_count() > MOST_INPUTS or (entries or 0) > MOST_ENTRIES:
        return
    inputs, outputs = b.names()
    network = materialise(flatten(lower(b.analysis.term, gate("ffn"))), numbers(b.values), inputs, outputs)
    parts = [b.quantity(interval.radius).upper for source, interval in b.analysis.error.items()
             if source not in NOT_OF_THE_TERM]
    allowed = sum((x for x in parts if x is not None), Fraction(0))
    for point in _points(b):
        found, wanted = run(network, point), exact_values(b.targets(), point)
        for y, t in zip(found, wanted, strict=True):
            if t is not None and abs(y - t) > allowed:
                where = ", ".join(f"{name} = {exact_text(x)}" for name, x in zip(inputs, point, strict=True))
                raise InvalidInput(f"The term of {b.construction.name} does not compute its target: at {echo(where)} it "
                                   f"gives {echo(exact_text(y))}, the target is {echo(exact_text(t))}.",
                                   "Correct the term or the target.")


def _points(b: Bound) -> Iterator[list[Fraction]]:
    for part in b.parts_of_domain():
        ends = [(-FAR if low is None else low, FAR if high is None else high) for low, high in part]
        values = [[low + share * (high - low) for share in SHARES] for low, high in ends]
        turned = (v[k % 3:] + v[:k % 3] for k, v in enumerate(values))
        grid = product(*values) if len(values) <= 2 else zip(*turned, strict=True)
        for count, point in enumerate(grid):
            if count < MOST_POINTS and b.construction.admits(point, b.values):
                yield list(point)


def run(network: Network, point: Sequence[Fraction]) -> list[Fraction]:
    """A ReLU network, exactly."""
    state = list(point)
    for layer in network.layers:
        match layer:
            case AffineLayer(weight=weight, bias=bias):
                found = [Fraction(0)] * weight.rows
                for i, j, value in weight.entries:
                    found[i] += value * state[j]
                for i, value in bias.entries:
                    found[i] += value
                state = found
            case ReluLayer():
                state = [max(x, Fraction(0)) for x in state]
    return state
