"""How a parameter got its value: a record each, of which export makes the words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import Literal, TypeAlias

from sympy import Expr, Symbol

from ..records import dataclass
from ..terms.linear import map_expressions


class Aim(Enum):
    """What the integers of a route are chosen for, where they are free."""

    BALANCE = "balance"             # no resource more than a constant factor above its rate
    FEWEST = "fewest"               # the least integers that ε allows at all
    LEAST_BETA = "least beta"       # the least pieces within 1 % of the least β, where their lemma has a β of its own


class Cost(Enum):
    """What must not exceed a limit, where it is no closed form of the report."""

    TOTAL = "total"                 # the total error
    BUT_LEAKS = "all but leaks"     # the same without what leaks between the tokens of a sequence
    LEAK = "leak"                   # of one gate, between the tokens of a sequence
    MASS = "mass"                   # e^(−κ), which bounds what a head leaves to other anchors (A6)


@dataclass(frozen=True)
class ExtremeValue:
    """The least (or largest) value, from 1 on where `from_one`, for which the cost is at most the limit, or below it."""

    parameter: Symbol
    cost: Cost | Expr
    limit: Expr
    strict: bool = False
    largest: bool = False
    from_one: bool = False


@dataclass(frozen=True)
class LeavesShare:
    """The least value that leaves the gates a quarter (tune/sides.py) of what is `left`: then the cost is at most the
    limit."""

    parameter: Symbol
    cost: Expr
    limit: Expr
    left: Expr


@dataclass(frozen=True)
class NearLeast:
    """The least value for which `of` is at most `factor` times the least that it has for any value."""

    parameter: Symbol
    of: Symbol
    factor: Fraction


@dataclass(frozen=True)
class LeastResource:
    """The value for which a resource is least over all values; of several, the one with the least of the others."""

    parameter: Symbol
    resource: str


@dataclass(frozen=True)
class AsGiven:
    """By the user; where ε is known, with the least value that would do."""

    needed: ExtremeValue | None = None
    least: int | None = None


@dataclass(frozen=True)
class GivenWithin:
    """By the user; `limit` is the least value that would do, or the largest."""

    limit: Expr
    largest: bool


@dataclass(frozen=True)
class LeastForLemma:
    """The least value for which the lemma that is used holds."""

    parameter: Symbol


@dataclass(frozen=True)
class LeastThereIs:
    """The least value that a network can have meets the limit."""

    parameter: Symbol
    value: int
    limit: Expr


@dataclass(frozen=True)
class DefaultTokens:
    """So many tokens a head where nothing is said."""


@dataclass(frozen=True)
class FitsGiven:
    """A value, or the least, for which another parameter, as it was given, meets the limit."""

    parameter: Symbol
    given: Symbol
    limit: Expr
    least: bool


@dataclass(frozen=True)
class LeastStep:
    """The least step with which so many pieces reach from end to end, rounded up."""

    pieces: Symbol


@dataclass(frozen=True)
class FromTable:
    """Read off the table of so many pieces, whose numbers have no closed form."""

    pieces: Symbol


@dataclass(frozen=True)
class NothingAsksForIt:
    """No part of the error depends on the parameter."""

    parameter: Symbol


@dataclass(frozen=True)
class FromCodes:
    """Computed from the codes on the circle."""


@dataclass(frozen=True)
class LeftOver:
    """What other errors leave of the limit, shared by all gates."""

    limit: Expr


@dataclass(frozen=True)
class LargestAtToken:
    """The largest value at a data token, errors included, rounded up."""


@dataclass(frozen=True)
class AnyKeepsLeak:
    """Any value keeps the leak below the limit."""

    parameter: Symbol
    limit: Expr


Reason: TypeAlias = (ExtremeValue | LeavesShare | NearLeast | LeastResource | AsGiven | GivenWithin | LeastForLemma
                     | LeastThereIs | DefaultTokens | FitsGiven | LeastStep | FromTable | NothingAsksForIt | FromCodes
                     | LeftOver | LargestAtToken | AnyKeepsLeak)


@dataclass(frozen=True)
class Order:
    """O(base^exponent); `with_room`: while the pieces leave a fixed part of ε to the gates."""

    base: Expr
    exponent: Fraction = Fraction(1)
    with_room: bool = False


ChosenBy = Literal["closed", "searched", "given"]
Rounded = Literal["up", "down"]


@dataclass(frozen=True)
class Choice:
    """A parameter with its value: "closed" (by `rule`), "searched", or "given"."""

    name: str
    value: Fraction | None
    kind: ChosenBy
    why: Reason = AsGiven()
    rule: Expr | None = None
    rounded: Rounded | None = None
    bound: Expr | None = None       # of a searched value: a proved upper bound in closed form,
    growth: Order | None = None     # and how it grows

    def rewritten(self, change: Callable[[Expr], Expr]) -> Choice:
        """The same with its formulas changed; how a bound grows is said in its own symbols."""
        return replace(self, why=map_expressions(self.why, change), rule=map_expressions(self.rule, change),
                       bound=map_expressions(self.bound, change))

    def formulas(self) -> list[Expr]:
        """Every formula that the choice shows."""
        found: list[Expr] = []

        def note(expr: Expr) -> Expr:
            found.append(expr)
            return expr

        self.rewritten(note)
        return found
