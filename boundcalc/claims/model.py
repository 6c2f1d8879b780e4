"""Claims, what they may say, and what is found about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..display import Shown

if TYPE_CHECKING:
    import sympy as sp

    from .found import DerivedBound, Grounds, Holds, Ratio, Remark, WitnessNote

VERDICTS = ("proved", "refuted", "conditional", "vacuous", "supported", "undecided")
DIGITS = 30                     # of a value that is printed beside a witness
STANDINGS = ("quoted", "paraphrased", "reconstructed", "from memory")


@dataclass(frozen=True)
class Source:
    """Where the statements of a file come from."""

    title: str = ""
    id: str = ""


@dataclass(frozen=True)
class Claim:
    """A statement as it stands in a file: text, not yet read."""

    claim: str
    id: str
    domain: str = ""            # the line `for`
    states: str = ""
    where: str = ""
    standing: str = ""
    source: Source = Source()
    file: str = ""
    line: int = 0
    expect: str = ""


# --- what a claim text says -------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class QuantityCall:
    """`NAME[option=value, …].QUANTITY(argument, …)`; `symbol` stands for it in the expressions of the claim."""

    symbol: sp.Symbol
    name: str
    quantity: str
    options: tuple[tuple[str, str], ...]
    arguments: tuple[sp.Expr, ...] | None
    column: int
    text: str


@dataclass(frozen=True)
class Relation:
    left: sp.Expr
    relation: str           # <= < >= > ==
    right: sp.Expr


@dataclass(frozen=True)
class Growth:
    """left = O(right) as symbol -> limit; kind is O, Theta, Omega or o."""

    left: sp.Expr
    kind: str
    right: sp.Expr
    symbol: sp.Symbol
    limit: sp.Expr
    side: str = ""          # "+" or "-" for a one-sided limit at a number


@dataclass(frozen=True)
class Independent:
    left: sp.Expr
    symbol: sp.Symbol


@dataclass(frozen=True)
class Exists:
    constant: sp.Symbol
    body: Relation


Statement = Relation | Growth | Independent | Exists


@dataclass(frozen=True)
class Reading:
    """A claim text, understood."""

    statement: Statement
    quantities: tuple[QuantityCall, ...]
    conditions: tuple[Condition, ...] = ()
    names: frozenset[str] = frozenset()         # parameters that the claim itself writes
    understood: bool = True                     # by the formulas of the project, which set claims as mathematics


@dataclass(frozen=True)
class Condition:
    """One item of `for`: a relation between two expressions, or a finite set of values."""

    left: sp.Expr
    relation: str           # <= < >= > == or "in"
    right: sp.Expr | None
    members: tuple[Fraction, ...] = ()
    column: int = 0


# --- what is found ----------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Witness:
    """A point at which both sides were computed, and the relation that holds there between them."""

    parameters: Mapping[str, Fraction]
    left: str
    right: str
    relation: str
    note: WitnessNote | None = None
    left_form: sp.Expr | str | None = None      # the closed form behind left, or the name of a quantity
    right_form: sp.Expr | str | None = None
    exact: tuple[bool, bool] = (True, True)     # left and right; otherwise digits were cut off (all but the last are right)


@dataclass(frozen=True)
class Axiom:
    """A trusted row that a verdict rests on."""

    network: str
    quantity: str
    lemma: str
    sha256: str


@dataclass(frozen=True)
class UsedFile:
    """A file whose construction a claim speaks about, and the options that made it known."""

    path: str
    sha256: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding(Shown):
    """The verdict on one claim and why."""

    claim: Claim
    reading: Reading
    verdict: str
    derived: tuple[DerivedBound, ...] = ()
    ratio: Ratio | None = None
    condition: Holds | None = None
    witness: Witness | None = None
    reason: Grounds = ()
    reproduce: str = ""
    notes: tuple[Remark, ...] = ()
    plain: str | None = None                    # the claim in plain grammar, where it was written otherwise
    plain_for: str | None = None                # its conditions likewise
    parts: tuple[Finding, ...] = ()             # the findings on the relations of a chain
    assumed: tuple[str, ...] = ()
    holds: str | None = None                    # a part of the domain of a refuted claim on which it is proved
    axioms: tuple[Axiom, ...] = ()
    proof: dict[str, Any] | None = None         # the object that the checker accepted
    uses: tuple[UsedFile, ...] = ()
