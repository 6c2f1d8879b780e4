"""A parameter as its owner declares it, a construction or a gate: which numbers it may be, what it means, how it is chosen.

Nothing else is said about a parameter anywhere: options of the command line, help, refusals and glossaries come from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import InvalidInput, echo
from ..numbers.exact import exact_text, rational
from ..records import dataclass

if TYPE_CHECKING:
    from sympy import Expr

MOST_ENTRIES = 1000         # of a list
SMALL = "1e-3"              # a number that will do where a positive one is asked for
BETWEEN = re.compile(r"\s*(?:,|\.\.\.?|:|;|…|\bto\b|\s)\s*")        # what stands between the ends of a range


class Kind(Enum):
    """What a user writes for it."""

    INTEGER = "INTEGER"
    RATIONAL = "NUMBER"
    INTERVAL = "A,B"
    LIST = "A1,A2,…"
    TEXT = "TEXT"


class PieceRule(Protocol):
    """An exact rule for the number of pieces, the parameter `name`, and for their step, a real parameter."""

    name: str
    step: str
    @property
    def error(self) -> Expr:
        """The error of the pieces for the exact step, in the user's parameters."""
    @property
    def error_in_step(self) -> Expr:
        """The same for any step, as it stands in the derived error."""
    @property
    def step_rule(self) -> Expr | None:
        """None where the pieces come from a table: then no rule has a closed form."""
    @property
    def conditions(self) -> tuple[Expr, ...]:
        """What number and step must satisfy for the error to be that of the step."""
    def rule(self, strict: bool) -> Expr | None:
        """The least number with error ≤ ε, or < ε."""
    def least(self, values: Mapping[str, Fraction], strict: bool) -> int: ...
    def step_for(self, values: Mapping[str, Fraction], count: int, strict: bool) -> tuple[Fraction, bool]:
        """The step for so many pieces, rounded up, and whether it is exact."""
    def known(self, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Internal parameters that follow from the domain alone."""
    def more(self, values: Mapping[str, Fraction], count: int) -> dict[str, Fraction]:
        """Further internal parameters that follow from the number of pieces."""


@dataclass(frozen=True)
class Given:
    """Never chosen: given, or its default."""


@dataclass(frozen=True)
class Levels:
    """The least integer s ≥ 0 that ε allows; the error, A + B·q^(−s) with q > 1, is read off the derivation."""


@dataclass(frozen=True)
class Pieces:
    """The least number of pieces by a rule of its own, and with it their step, another parameter."""

    rule: PieceRule


@dataclass(frozen=True)
class Parameter:
    """`least` is the smallest value, `above` one that must be exceeded; `meaning` is prose with formulas between dollar
    signs. An internal parameter has a value and stands in formulas, but is no option."""

    name: str
    kind: Kind
    meaning: str
    least: int | None = None
    most: int | None = None
    above: int | None = None
    default: str | None = None
    example: str | None = None
    chosen: Given | Levels | Pieces = Given()
    internal: bool = False

    def checked(self, raw: Any) -> Fraction:
        """A number that a user gave, as an exact rational in its range."""
        value = exactly(self.name, raw, self.example if self.kind is Kind.INTEGER else None)
        shown = echo(exact_text(value))
        if self.kind is Kind.INTEGER:
            least = self.least or 0
            if value.denominator != 1 or value < least:
                example = str(self.example or max(least, 2))
                raise InvalidInput(f"--{self.name} must be an integer of at least {least}, not {shown}.",
                                   f"For example --{self.name} {example}.",
                                   {f"--{self.name}": example if isinstance(self.chosen, Given) else None})
            if self.most is not None and value > self.most:
                raise InvalidInput(f"--{self.name} {shown} is too large.", f"Give at most {self.most}.",
                                   {f"--{self.name}": str(self.most)})
        elif self.least is not None and value < self.least:
            much = "not be negative" if self.least == 0 else f"be at least {self.least}"
            raise InvalidInput(f"--{self.name} must {much}, but is {shown}.", f"Give {self.least} or more.",
                               {f"--{self.name}": str(self.least)})
        elif self.above is not None and value <= self.above:
            much = "be positive" if self.above == 0 else f"exceed {self.above}"
            raise InvalidInput(f"--{self.name} must {much}, but is {shown}.",
                               f"Give --{self.name} {self.example} or more." if self.example
                               else f"Give a --{self.name} above {self.above}.",
                               {f"--{self.name}": self.example or SMALL})
        return value

    def entries(self, raw: Any) -> tuple[Fraction, ...]:
        """The numbers of a list."""
        parts = split(raw)
        if not 1 <= len(parts) <= MOST_ENTRIES:
            raise InvalidInput(f"--{self.name} takes numbers with commas between them, at most {MOST_ENTRIES}, not "
                               f"'{echo(str(raw))}'.", f"For example --{self.name} {self.example or '1,-1/2'}.")
        return tuple(exactly(self.name, part) for part in parts)

    def entry(self, k: int) -> str:
        """What the k-th number of a list is called, from 0."""
        return f"{self.name}{k + 1}"


def interval(raw: Any) -> tuple[Fraction, Fraction]:
    """The two ends of a range, a < b."""
    text = raw.strip() if isinstance(raw, str) else ""
    parts = split(text[1:-1] if text[:1] + text[-1:] == "[]" else raw)        # [a, b] as one writes an interval
    if len(parts) != 2:
        raise InvalidInput(f"--range takes two numbers a,b, not '{echo(str(raw))}'.", "For example --range 0,1.",
                           {"--range": _two_numbers(text)})
    a, b = (exactly("range", part) for part in parts)
    if a >= b:
        raise InvalidInput(f"The range {echo(exact_text(a))} … {echo(exact_text(b))} is empty.",
                           "Give --range a,b with a < b.",
                           {"--range": f"{exact_text(b)},{exact_text(a)}"} if a > b else None)
    return a, b


def _two_numbers(text: str) -> str:
    """What may have been meant: two numbers with something else between them."""
    parts = [x for x in BETWEEN.split(text.strip("[]() ")) if x]
    try:
        a, b = (rational(x) for x in parts)
    except (InvalidInput, ValueError):
        return "1/10,1"
    return f"{exact_text(a)},{exact_text(b)}" if a < b else "1/10,1"


def split(raw: Any) -> list[Any]:
    return raw.split(",") if isinstance(raw, str) else list(raw) if isinstance(raw, (tuple, list)) else []


def exactly(name: str, raw: Any, example: str | None = None) -> Fraction:
    if isinstance(raw, str):
        return rational(raw, f"--{name}", example)
    if isinstance(raw, (int, Fraction)) and not isinstance(raw, bool):
        return Fraction(raw)
    raise InvalidInput(f"{name} = {echo(repr(raw))} is not exact.", f'Write it as text, for example {name}="1e-3".')
