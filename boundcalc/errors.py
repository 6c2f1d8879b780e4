"""Everything that can go wrong, each with what is wrong and what to do about it.

Exit codes (docs/index.md): InvalidInput and Infeasible end the command with 2, everything else is a defect (4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ECHO_LIMIT = 60


def echo(text: str) -> str:
    """User input as it may be repeated in a message: at most 60 characters, on one line, printable."""
    shown = "".join(c if c.isprintable() else "?" for c in text[: ECHO_LIMIT + 1])
    return shown if len(shown) <= ECHO_LIMIT else shown[: ECHO_LIMIT - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is spelled almost like this one; a guess that only resembles it would mislead."""
    from difflib import get_close_matches
    by_small = {x.lower(): x for x in known}
    found = get_close_matches(word[:ECHO_LIMIT].lower(), by_small, n=1, cutoff=0.74)
    return by_small[found[0]] if found else None


@dataclass(frozen=True)
class Fault:
    """The part of a text that is wrong: from a column, counted from 0, to another."""

    text: str
    start: int
    end: int


class BoundcalcError(Exception):
    """`problem` is one sentence saying what is wrong, `remedy` one saying what to do.

    `instead` says how the command that was typed can be mended: an option with the value that it should have (None: it is
    left out), or a word and the word that should stand in its place. `fault` is text to be underlined."""

    def __init__(self, problem: str, remedy: str = "", instead: Mapping[str, str | None] | None = None,
                 fault: Fault | None = None) -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy
        self.instead = dict(instead or {})
        self.fault = fault


class InvalidInput(BoundcalcError):
    """The request itself is wrong: a bad number, an unknown name, an option that does not apply."""


class Infeasible(BoundcalcError):
    """The request is well formed, but no network of this kind meets it; the remedy says what would."""


class SignUnseen(Infeasible):
    """Whether it is feasible depends on a sign that symbols do not show; numbers may."""


class NotDerivable(BoundcalcError):
    """No rule of the bound algebra applies to this sub-term. The algebra never guesses."""

    def __init__(self, rule: str, subterm: str, reason: str) -> None:
        subterm = subterm.replace("$", "")          # labels are prose with formulas between dollar signs
        super().__init__(f"rule {rule} does not apply to {subterm}: {reason}.",
                         "Restructure the term, or attach a proved lemma to this block.")
        self.rule = rule
        self.subterm = subterm
