"""What is trusted: lemmas with their source and standing. Everything else in a bound is derived from the term."""

from __future__ import annotations

from sympy import Expr

from ..formulas.interval import Interval
from ..records import dataclass


@dataclass(frozen=True)
class Reference:
    """Where a statement comes from. `standing` is the honest one: "derived" (proved in docs/rules.md), "secondary"
    (constants known from secondary sources), "reconstruction" (our reading of a published idea), "from memory"."""

    source: str
    standing: str


@dataclass(frozen=True)
class Lemma:
    """A proved error statement: network minus ideal lies in the sum of the named intervals.

    `tight` says that the bound is attained (or approached) by the network; the tests then demand a witness.
    `keeps_ranges` says that every gate input of the approximate network stays in its exact range.
    `relative`, where given, says that the error is relative to the target, whose inverse is at most that in absolute value:
    errors of gates, which are not, count so many times.
    `from_beta`, where given, is the least β for which it holds; from there on β times its gate error never rises.
    `enough_beta`, where given, is the β from which on its gate error is at most ε, for every ε below 1/2 of its height.
    """

    label: str
    statement: str
    error: tuple[tuple[str, Interval], ...]
    reference: Reference
    tight: bool = False
    keeps_ranges: bool = False
    from_beta: Expr | None = None
    enough_beta: Expr | None = None
    relative: Expr | None = None
