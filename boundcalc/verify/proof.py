"""What a certificate is made of: the domain, what was proved, and why something was not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from flint import arb, fmpq

from ..errors import BoundcalcError
from ..formulas.enclosure import Undecided
from .balls import Point
from .forms import Value, constant_of, terms_of

Ends: TypeAlias = tuple[fmpq | None, fmpq | None]      # None is infinite
Domain: TypeAlias = tuple[Ends, ...]                   # one interval an input


def span(form: Value, domain: Domain) -> tuple[fmpq, fmpq] | None:
    """The range of an affine form of the inputs over the domain; None if it is not bounded."""
    low = high = constant_of(form)
    for k, c in terms_of(form).items():
        ends = domain[k]
        if ends[0] is None or ends[1] is None:
            return None
        both = sorted((c * ends[0], c * ends[1]))
        low, high = low + both[0], high + both[1]
    return low, high


def where(form: Value, goal: fmpq, domain: Domain) -> Point:
    """A point of a bounded domain at which an affine form of the inputs is `goal`, on the way from the corner where it is
    least to the one where it is largest; the corner next to it where the form does not take that value."""
    least, most = [], []
    for k, (low, high) in enumerate(domain):
        assert low is not None
        assert high is not None
        c = terms_of(form).get(k, fmpq(0))
        ends = ((low + high) / 2,) * 2 if c == 0 else (low, high) if c > 0 else (high, low)
        least.append(ends[0])
        most.append(ends[1])
    found = span(form, domain)
    assert found is not None
    part = (goal - found[0]) / (found[1] - found[0]) if found[0] < found[1] else fmpq(0)
    part = min(max(part, fmpq(0)), fmpq(1))
    return tuple(a + part * (b - a) for a, b in zip(least, most, strict=True))


@dataclass(frozen=True)
class Proof:
    """|error| ≤ upper on the whole domain, and |error| ≥ lower at `point`; by so many boxes and the method named."""

    upper: fmpq
    lower: arb
    point: Point
    boxes: int
    method: str


def consistent(upper: fmpq, lower: arb, point: Point, boxes: int, method: str) -> Proof:
    """A proof, unless what it bounds was seen to be larger: then the method is wrong, whatever it says."""
    if not lower <= upper:
        raise BoundcalcError("A certificate is contradicted by an evaluation.", "Please report this as a defect.")
    return Proof(upper, lower, point, boxes, method)


class Diverges(Undecided):
    """The error grows without bound in a direction (±1)."""

    def __init__(self, direction: int) -> None:
        super().__init__("The error grows without bound on this domain.", "Give a bounded domain with --M or --range.")
        self.direction = direction
