"""What a network file says of itself: what it is to compute, where, how well, and how it was made. Words, not evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

Ends = tuple[Fraction | None, Fraction | None]      # None is infinite


@dataclass(frozen=True)
class About:
    construction: str | None = None
    target: tuple[str, ...] = ()                    # one expression per output
    domain: tuple[Ends, ...] = ()                   # one interval per input
    parameters: Mapping[str, Fraction] = field(default_factory=dict)
    error: Fraction | None = None                   # the derived bound
    version: str | None = None
    command: str | None = None
    relative: Fraction | None = None                # the derived bound relative to the target, where that was asked for
