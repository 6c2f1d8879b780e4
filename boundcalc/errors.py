"""Everything that can go wrong, each with what is wrong and what to do about it.

Exit codes (docs/index.md): InvalidInput and Infeasible end the command with 2, everything else is a defect (4).
"""

from __future__ import annotations

ECHO_LIMIT = 60


def echo(text: str) -> str:
    """User input as it may be repeated in a message: at most 60 characters, on one line, printable."""
    shown = "".join(c if c.isprintable() else "?" for c in text[: ECHO_LIMIT + 1])
    return shown if len(shown) <= ECHO_LIMIT else shown[: ECHO_LIMIT - 1] + "…"


def joined(problem: str, remedy: str) -> str:
    """Both sentences; a remedy may begin on a line of its own."""
    return f"{problem}{'' if remedy.startswith(chr(10)) else ' '}{remedy}".strip()


class BoundcalcError(Exception):
    """`problem` is one sentence saying what is wrong, `remedy` one saying what to do."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(joined(problem, remedy))
        self.problem = problem
        self.remedy = remedy


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
