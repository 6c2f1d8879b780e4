"""Targets of one input as functions with two derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from ..formulas.shapes import Reciprocal
from ..formulas.target import AnyTarget
from .cells import Smooth

UNKNOWN = arb(1) / arb(0)


@dataclass(frozen=True)
class ReciprocalCurve:
    """1/x: all that a table of its chords asks for, hundreds of thousands of times."""

    cuts: tuple[fmpq, ...] = ()

    def value(self, x: arb) -> arb:
        return 1 / x

    def slope(self, x: arb) -> arb:
        return -1 / (x * x)

    def second(self, x: arb) -> arb:
        if x.contains(0):
            return UNKNOWN
        low, high = x.lower(), x.upper()        # 2/x³ falls on either side of 0
        return (2 / (low * low * low)).union(2 / (high * high * high))


@dataclass(frozen=True)
class TargetCurve:
    """Any target; what is not defined on a box is not known there."""

    target: AnyTarget
    cuts: tuple[fmpq, ...] = ()

    def value(self, x: arb) -> arb:
        return self.target.over([x])

    def slope(self, x: arb) -> arb:
        try:
            return self.target.gradient([x])[0]
        except Undecided:
            return UNKNOWN

    def second(self, x: arb) -> arb:
        try:
            return self.target.second([x])
        except Undecided:
            return UNKNOWN


def smooth(target: AnyTarget, low: fmpq, high: fmpq) -> Smooth | None:
    """The target on an interval; None if it may have a kink inside."""
    if any(low < k < high for k in target.kinks):
        return None
    return ReciprocalCurve() if isinstance(target.shape, Reciprocal) else TargetCurve(target)
