"""Plain text for a page of so many columns: tables aligned by display width, paragraphs, rows with values at the right."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

from .letters import written

INDENT = "  "
NARROWEST, USUAL = 40, 80
WIDEST = 100        # cell of a full report; a longer one goes on in the next line
PROSE = 110         # columns of a paragraph of a full report, where there are as many
TIE = "\u2060"      # where a paragraph must not be broken
CONTENT = 19        # columns before the content of a labelled row


def page() -> int:
    """The columns that there are: COLUMNS, or those of the terminal, or 80 in a pipe; never below 40."""
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and 0 < int(given) < 10 ** 6:
        return max(NARROWEST, int(given))
    try:
        return max(NARROWEST, os.get_terminal_size(sys.stdout.fileno()).columns or USUAL)
    except (OSError, ValueError, AttributeError):       # no terminal, or a stand-in for one
        return USUAL


def screen() -> int:
    """The columns of a first screen: nothing is stretched beyond 80."""
    return min(USUAL, page())


def width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 1 for c in text)


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


# ---------------------------------------------------------------------------------------------------------------
# first screens

def ends(left: str, right: str) -> list[str]:
    """One text at the left and one at the right end of the line; the left one goes on in the next where it is too long."""
    left, right = written(left), written(right)
    if not right:
        return filled(left)
    room = screen() - width(right) - 1
    first, *rest = filled(left, room) if width(left) > room else [left]
    return [padded(first, screen() - width(right)) + right, *rest]


def filled(text: str, columns: int | None = None, indent: int = 0, start: int = 0) -> list[str]:
    """A paragraph: `start` columns before its first line, `indent` before the others."""
    text = TIE.join(written(part) for part in text.split(TIE))         # no encoding may lose what holds words together
    lines = wrap(text, columns or screen(), initial_indent=" " * start, subsequent_indent=" " * indent,
                 break_on_hyphens=False)
    return [line.replace(TIE, " ") for line in lines] or [""]


def labelled(label: str, text: str, at: int = CONTENT) -> list[str]:
    """A label, and a text beside it that goes on below itself."""
    label = written(label)
    start = max(at, width(label) + 1) if screen() >= USUAL - 20 else min(at, max(12, width(label) + 1))
    lines = filled(text, indent=start, start=start)
    return [padded(label, start) + lines[0][start:], *lines[1:]]


def row(label: str, formula: Sequence[str], value: str) -> list[str]:
    """A label, a formula (one or several lines) and a value that ends in the last column; on a narrow page the formula has
    a line of its own."""
    label, value, formula = written(label), written(value), [written(x) for x in formula]
    start = CONTENT if width(label) < CONTENT else width(label) + 1
    beside = padded(label, start) + (formula[0] if formula else "")
    if width(beside) + 1 + width(value) <= screen():
        first, rest = beside, formula[1:]
    else:
        first, rest = label, list(formula)
    last = padded(first, screen() - width(value)) + value if value else first
    indent = start if screen() >= USUAL - 8 and all(start + width(x) <= screen() for x in rest) else 4
    return [last.rstrip(), *(" " * indent + x for x in rest)]


def columns_of(headings: Sequence[str], rows: Sequence[Sequence[str]], right: str, gap: int = 2) -> list[str]:
    """A table with spaces only; `right` has l or r for every column. Too wide, it loses columns from the right, and the
    last line says which."""
    headings, rows = [written(h) for h in headings], [[written(c) for c in r] for r in rows]
    widths = [max(width(r[k]) for r in (headings, *rows)) for k in range(len(headings))]
    kept = len(headings)
    while kept > 2 and sum(widths[:kept]) + gap * (kept - 1) > screen():
        kept -= 1

    def line(cells: Sequence[str]) -> str:
        shown = [" " * (w - width(c)) + c if side == "r" else padded(c, w)
                 for c, w, side in zip(cells[:kept], widths, right, strict=False)]
        return (" " * gap).join(shown).rstrip()

    found = [line(headings), *map(line, rows)]
    dropped = [h for h in headings[kept:] if h]
    return found + ([*filled(f"not shown here: {', '.join(dropped)}")] if dropped else [])


# ---------------------------------------------------------------------------------------------------------------
# full reports

def paragraph(text: str) -> list[str]:
    """Lines of a paragraph, the first outdented."""
    return wrap(written(text), min(PROSE, page()), initial_indent=INDENT, subsequent_indent=3 * INDENT,
                break_on_hyphens=False)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, under a rule."""
    headings, rows = list(map(written, headings)), [part for row in rows for part in _broken(list(map(written, row)))]
    widths = [max(width(row[k]) for row in (headings, *rows)) for k in range(len(headings))]

    def line(row: Sequence[str]) -> str:
        return (INDENT + INDENT.join(padded(cell, w) for cell, w in zip(row, widths, strict=True))).rstrip()

    return "\n".join([line(headings), line([written("─") * w for w in widths]), *(line(row) for row in rows)])


def _broken(row: Sequence[str]) -> list[list[str]]:
    """The row as several, where a cell is too wide for one."""
    cells = [wrap(cell, WIDEST, subsequent_indent=INDENT) if width(cell) > WIDEST else [cell] for cell in row]
    return [list(line) for line in zip_longest(*cells, fillvalue="")]
