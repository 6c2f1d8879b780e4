"""The accuracy of a whole: a ReLU network that approximates a target, and the attention network that approximates it."""

from __future__ import annotations

from fractions import Fraction

from ..records import dataclass


@dataclass(frozen=True)
class Against:
    """|ReLU network − target| ≤ accuracy on the domain, as it was given or, with a method, certified."""

    target: str
    accuracy: Fraction
    method: str | None

    def total(self, derived: Fraction) -> Fraction:
        """Of the attention network against the target: the two errors together."""
        return self.accuracy + derived
