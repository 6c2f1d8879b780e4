"""An accuracy that asks for nothing: half the difference of the target's largest and smallest value, or more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ..errors import NotDerivable
from ..formulas.closed_slopes import SymbolicBox, closed_slopes
from ..formulas.enclosure import exact_value
from ..formulas.interval import Interval
from ..tune import numbers
from .bound import Bound


@dataclass(frozen=True)
class ConstantIsEnough:
    """The constant, and how far the target is from it at most."""

    value: Fraction
    distance: Fraction


def constant_is_enough(found: Bound) -> ConstantIsEnough | None:
    """None where ε is smaller, or the values of the target are not known in closed form."""
    if "eps" not in found.values:
        return None
    c, frame = found.construction, found.analysis.frame
    domain = {name: Interval(*ends) for name, ends in frame.ends.items()}
    boxes = {i.name: SymbolicBox(domain[i.name], domain[i.name], frame[i.size] if i.size else sp.S.One) for i in c.inputs}
    try:
        values = closed_slopes(c.output.target, boxes).exact
    except NotDerivable:
        return None
    if not values.bounded:
        return None
    at = numbers(found.values)
    low, high = exact_value(values.lo, at), exact_value(values.hi, at)
    if low is None or high is None or found.values["eps"] < (high - low) / 2:
        return None
    return ConstantIsEnough((low + high) / 2, (high - low) / 2)
