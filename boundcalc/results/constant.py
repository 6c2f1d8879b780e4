"""An accuracy that asks for nothing: half the difference of the target's largest and smallest value, or more."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ..declarations.frame import domain_of
from ..errors import NotDerivable
from ..formulas.closed_slopes import SymbolicBox, closed_slopes
from ..formulas.enclosure import exact_value
from ..formulas.interval import Interval
from ..formulas.parameter import Kind
from ..records import dataclass
from ..tune import numbers
from .bound import Bound


@dataclass(frozen=True)
class ConstantIsEnough:
    """The constant, and how far the target is from it at most."""

    value: Fraction
    distance: Fraction


def constant_is_enough(found: Bound) -> ConstantIsEnough | None:
    """None where ε is smaller, or the values of the target are not known in closed form."""
    if found.construction.numeric:
        return _by_image(found)
    values = _values(found) if "eps" in found.values and found.relative is None else None
    if values is None:
        return None
    defaults = {p.name: Fraction(p.default) for p in found.construction.parameters
                if p.kind is Kind.RATIONAL and p.default is not None}
    low, high = (exact_value(end, numbers({**defaults, **found.values})) for end in (values.lo, values.hi))
    if low is None or high is None or found.values["eps"] < (high - low) / 2:
        return None
    return ConstantIsEnough((low + high) / 2, (high - low) / 2)


def _by_image(found: Bound) -> ConstantIsEnough | None:
    """Of a network of numbers: where its values lie is known by intervals."""
    if "eps" not in found.values or len(found.target_functions) > 1:
        return None
    low, high = found.target_functions[0].image(found.domains())
    if low is None or high is None or found.values["eps"] < (high - low) / 2:
        return None
    return ConstantIsEnough((low + high) / 2, (high - low) / 2)


def _values(found: Bound) -> Interval | None:
    """What the target can be on its domain."""
    c, boxes = found.construction, {}
    if len(c.outputs) > 1:
        return None
    for block, size in zip(c.inputs, c.sizes(found.values), strict=True):
        low, high = domain_of(c, found.values, block.name)
        if low is None or high is None:
            return None
        own = Interval(sp.Rational(low), sp.Rational(high))
        boxes[block.name] = SymbolicBox(own, own, sp.Integer(size))
    try:
        if c.outputs[0].function is not None:
            return None
        values = closed_slopes(c.outputs[0].target, boxes).exact
    except NotDerivable:
        return None
    return values if values.bounded else None
