"""What is found about a claim beside its verdict, as records; the words for them are made in export."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

import sympy as sp

from ..formulas.parser import to_text
from .model import Condition
from .value import Variant

Values = tuple[tuple[str, Fraction], ...]       # parameters with exact values


@dataclass(frozen=True)
class Digits:
    """A printed number: exact, or with digits cut off behind it."""

    text: str
    exact: bool


@dataclass(frozen=True)
class DerivedBound:
    """A quantity of the claim with a closed form; `source`: the construction that gives it, where several could."""

    quantity: str
    relation: str               # = <= >=
    value: sp.Expr
    source: str = ""


# --- how far the claim is from what is derived --------------------------------------------------------------------------

class Beyond(Enum):
    """Sizes that are not written out."""

    LARGE = "more than 10^30"
    SMALL = "less than 10^-30"


@dataclass(frozen=True)
class Observed:
    """A ratio that varies: its formula, where that is short, and its least and largest value at so many points."""

    formula: sp.Expr | None
    low: str | Beyond
    high: str | Beyond
    points: int


Ratio: TypeAlias = Digits | Observed


# --- under which condition it holds -------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Holds:
    """Under these relations; `digits` is the value of the last right side, where that is a number without a short form."""

    conditions: tuple[Condition, ...]
    digits: Digits | None = None
    at_defaults: bool = False           # the relations say that parameters have their default values

    def __str__(self) -> str:
        return ", ".join(f"{to_text(c.left)} {'=' if c.relation == '==' else c.relation} {to_text(c.right)}"
                         for c in self.conditions if c.right is not None)


# --- remarks ------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class ByDefault:
    """Parameters that took their default values."""

    values: Values


@dataclass(frozen=True)
class TakenWhere:
    """A condition without which the quantity means nothing."""

    condition: Condition
    quantity: str


@dataclass(frozen=True)
class Attained:
    """Both sides are equal with what is derived, for example at this point."""

    at: Values


@dataclass(frozen=True)
class FromFile:
    """The construction of a file that was executed."""

    name: str
    path: str
    sha256: str


@dataclass(frozen=True)
class EpsBesideDelta:
    """What each of them means where both occur."""


@dataclass(frozen=True)
class FreeLetter:
    """A letter that looks like a constant, and may have any value."""

    name: str


Remark: TypeAlias = EpsBesideDelta | FreeLetter | ByDefault | TakenWhere | Attained | FromFile


# --- witnesses ----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class NetworkError:
    """The left side is the error of this network at the inputs of these names."""

    network: Variant
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class SameWith:
    """The right side is the left one with another value of a parameter."""

    name: str
    value: Fraction


@dataclass(frozen=True)
class BoundsUsed:
    """A proved bound stands in place of these quantities."""

    quantities: tuple[str, ...]


@dataclass(frozen=True)
class FactorExceeded:
    """|left| is more (less) than so many times |right|, and no constant factor holds closer to the limit."""

    more: bool
    factor: sp.Rational


@dataclass(frozen=True)
class NoLimitZero:
    """left/right does not tend to 0."""


@dataclass(frozen=True)
class ConstantTooSmall:
    """This value of the constant is too small here, and none is enough towards the limit."""

    constant: str
    value: int
    symbol: str
    limit: sp.Expr


WitnessNote: TypeAlias = NetworkError | SameWith | BoundsUsed | FactorExceeded | NoLimitZero | ConstantTooSmall


# --- reasons ----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class LeadingTerms:
    """left ~ the one, right ~ the other; `at_most`: left grows at most like the one."""

    left: sp.Expr
    right: sp.Expr
    at_most: bool = False


@dataclass(frozen=True)
class WithCondition:
    """Nothing beyond the condition of the finding."""


Grounds: TypeAlias = tuple[str | LeadingTerms | Holds | WithCondition, ...]     # prose, and what it speaks of
