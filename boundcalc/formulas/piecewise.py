"""Piecewise linear functions of one variable, exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from flint import fmpq

ZERO = fmpq(0)


@dataclass(frozen=True)
class Piecewise:
    """constant + slope·x + Σ change·ρ(x − kink)."""

    constant: fmpq = ZERO
    slope: fmpq = ZERO
    hinges: tuple[tuple[fmpq, fmpq], ...] = ()

    @staticmethod
    def of(constant: fmpq, slope: fmpq, hinges: Mapping[fmpq, fmpq]) -> Piecewise:
        return Piecewise(constant, slope, tuple(sorted((k, c) for k, c in hinges.items() if c != 0)))

    @cached_property
    def _pieces(self) -> tuple[list[fmpq], list[tuple[fmpq, fmpq]]]:
        """The kinks, and constant and slope of every piece between them."""
        pieces = [(self.constant, self.slope)]
        for k, c in self.hinges:
            pieces.append((pieces[-1][0] - c * k, pieces[-1][1] + c))
        return [k for k, _ in self.hinges], pieces

    @property
    def kinks(self) -> tuple[fmpq, ...]:
        return tuple(k for k, _ in self.hinges)

    def __call__(self, x: fmpq) -> fmpq:
        kinks, pieces = self._pieces
        constant, slope = pieces[bisect_right(kinks, x)]
        return constant + slope * x

    def plus(self, other: Piecewise, factor: fmpq) -> Piecewise:
        hinges = dict(self.hinges)
        for k, c in other.hinges:
            hinges[k] = hinges.get(k, ZERO) + factor * c
        return Piecewise.of(self.constant + factor * other.constant, self.slope + factor * other.slope, hinges)

    def positive_part(self) -> Piecewise:
        """max(f, 0): its kinks are those of f where f > 0, and the places where f changes its sign."""
        kinks, pieces = self._pieces
        crossings = {-c / s for (c, s), (low, high) in zip(pieces, pairwise([None, *kinks, None]), strict=True)
                     if s != 0 and (low is None or low <= -c / s) and (high is None or -c / s <= high)}
        ends = sorted({*kinks, *crossings})
        # one sign between two neighbours: a place inside tells it
        inside = [ends[0] - 1, *((u + v) / 2 for u, v in pairwise(ends)), ends[-1] + 1] if ends else [ZERO]
        kept = [pieces[bisect_right(kinks, x)] if self(x) > 0 else (ZERO, ZERO) for x in inside]
        hinges = {k: after[1] - before[1] for k, (before, after) in zip(ends, pairwise(kept), strict=True)}
        return Piecewise.of(*kept[0], hinges)

    def slopes_at_ends(self) -> tuple[fmpq, fmpq]:
        return self.slope, sum((c for _, c in self.hinges), self.slope)

    def within(self, low: fmpq | None, high: fmpq | None) -> Piecewise:
        """The same function on [low, high], written without the kinks outside."""
        constant, slope, hinges = self.constant, self.slope, {}
        for k, c in self.hinges:
            if high is not None and k >= high:
                continue
            if low is not None and k <= low:
                constant, slope = constant - c * k, slope + c
            else:
                hinges[k] = c
        return Piecewise.of(constant, slope, hinges)

    def slope_after(self, x: fmpq) -> fmpq:
        """The slope just to the right of x."""
        kinks, pieces = self._pieces
        return pieces[bisect_right(kinks, x)][1]


def larger(parts: Iterable[Piecewise], sign: int) -> Piecewise:
    """The largest (sign +1) or the least (−1) of some functions: g + max(f − g, 0)."""
    first, *rest = parts
    for f in rest:
        lead = f.plus(first, fmpq(-1)) if sign > 0 else first.plus(f, fmpq(-1))
        first = first.plus(lead.positive_part(), fmpq(sign))
    return first
