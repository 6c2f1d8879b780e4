"""A ReLU network of numbers as a term: the recipe, applied to weights that somebody else has made.

Every layer is `Ramps` with listed weights before it and nothing behind: what a gate yields, and what is handed on, are the
features that the next map reads. So a head has one entry of each matrix, and the given weights stand between the layers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from ..formulas.interval import Interval
from ..numbers.exact import short_up
from ..records import dataclass
from .gate import Gate
from .linear import Wire
from .term import Ramps, Seq, Unit

if TYPE_CHECKING:
    from .reduced import GatedLayer, Reduced

OF_LAYER = "layer"      # before its number: what the errors of its gates are called
ALONE, PAIRED, LINES = "z", "zp", "v"           # coordinates: for a gate alone, for a gate and the next map, for that alone
UNITS = {ALONE: "r", PAIRED: "rp"}


@dataclass(frozen=True)
class GivenNetwork(Seq):
    """`parts` are the layers of `reduced`; `gate` is what computes its ramps, once it is chosen."""

    reduced: Reduced
    inputs: Wire
    outputs: Wire
    gate: Gate | None = None

    @cached_property
    def labels(self) -> list[str]:
        return [p.label for p in self.parts if isinstance(p, Ramps)]

    def units(self) -> Iterator[tuple[Unit, Interval] | None]:
        """One unit of every layer, and the range of all of its kind; None where a layer has no gate."""
        for stage in self.reduced.stages:
            yield (Unit("r", "z"), common_range(stage)) if stage.heads else None


def common_range(stage: GatedLayer) -> Interval:
    """Around the ranges of all coordinates that gates read, rounded outwards: they share one grid of anchors."""
    ends = stage.ranges[:stage.heads]
    low, high = (short_up(Fraction(int(x.p), int(x.q))) for x in (-min(a for a, _ in ends), max(b for _, b in ends)))
    return Interval(sp.Rational(-low.numerator, low.denominator), sp.Rational(high.numerator, high.denominator))
