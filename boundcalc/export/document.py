"""A document: what is said, before it is written as LaTeX, Markdown or HTML. Records only.

Everything that is written for people to read goes through it, so the three notations cannot say different things.
Formulas are sympy expressions; what stands between them (relations, intervals, a function's name) is typed as people
write mathematics in Unicode and set by mathtext.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sympy import Expr

from ..formulas.mathtext import pieces


@dataclass(frozen=True)
class Math:
    """A formula: expressions, and between them mathematics in Unicode such as "|N(x) − f(x)| ≤"."""

    parts: tuple[Expr | str, ...]


@dataclass(frozen=True)
class Number:
    """A value as export/values.py writes it: exact, or with an arrow in the direction of rounding (0.25, 1.2e-30↑)."""

    text: str


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Strong:
    text: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, one of claims.model.VERDICTS: marked by more than its colour."""

    word: str


@dataclass(frozen=True)
class Cite:
    """A source of bibliography.py, by its key."""

    key: str


Span: TypeAlias = str | Math | Number | Code | Strong | Verdict | Cite
Line: TypeAlias = tuple[Span, ...]


@dataclass(frozen=True)
class Heading:
    content: Line
    level: int = 1              # 1 is a section
    anchor: str = ""            # what links within the document may point at


@dataclass(frozen=True)
class Paragraph:
    content: Line


@dataclass(frozen=True)
class Equation:
    """One line of a display, aligned at its relation: left ≤ right."""

    left: Math
    relation: str
    right: Math


@dataclass(frozen=True)
class Display:
    """Equations below each other; long ones are broken over lines."""

    equations: tuple[Equation, ...]


@dataclass(frozen=True)
class Table:
    """`columns` has one letter a column: l (short, left), r (numbers, right), f (a formula that may be long) or
    w (words that fill the rest of the line and are wrapped). A row of one cell is the heading of those below it.
    `note` stands below the table and explains marks."""

    caption: Line
    columns: str
    headings: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    note: Line = ()


@dataclass(frozen=True)
class Listing:
    """Commands or other text, letter by letter."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """A list, numbered or not; every item is a sequence of blocks."""

    items: tuple[tuple[Piece, ...], ...]
    numbered: bool = False


@dataclass(frozen=True)
class Fields:
    """Labelled lines: statement, verdict, witness, …."""

    entries: tuple[tuple[str, tuple[Piece, ...]], ...]


@dataclass(frozen=True)
class Statement:
    """A theorem, a proof or a remark."""

    kind: str                   # "theorem", "proof", "remark"
    title: Line
    body: tuple[Piece, ...]


Piece: TypeAlias = Heading | Paragraph | Display | Table | Listing | Items | Fields | Statement


@dataclass(frozen=True)
class Document:
    title: Line
    blocks: tuple[Piece, ...]
    sources: tuple[str, ...] = ()       # keys of bibliography.py that are cited, in order
    narrow: bool = False                # nothing in it may be wider than a phone


def prose(text: str) -> Line:
    """Words with mathematics between dollar signs: "the sawtooth $f_m$ is convex"."""
    return tuple(Math((content,)) if formula else content for formula, content in pieces(text) if content)


def words(*content: str | Math | Number | Code | Strong | Verdict | Cite) -> Line:
    """A line of words and other spans, in which strings may have mathematics between dollar signs."""
    return tuple(span for part in content for span in (prose(part) if isinstance(part, str) else (part,)))


def math(*parts: Expr | str) -> Math:
    return Math(parts)


def relation(condition: Expr) -> Math:
    """An inequality of sympy."""
    return Math((condition.lhs, condition.rel_op.replace(">=", "≥"), condition.rhs))


def joined(documents: Sequence[Document]) -> Document:
    """Several documents under the title of the first."""
    return Document(documents[0].title, tuple(b for d in documents for b in d.blocks),
                    tuple(dict.fromkeys(key for d in documents for key in d.sources)))
