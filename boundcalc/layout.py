"""Plain-text tables, aligned by display width."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

from .letters import written

INDENT = "  "


def paragraph(text: str) -> list[str]:
    """Lines of a paragraph, the first outdented."""
    return wrap(written(text), 110, initial_indent=INDENT, subsequent_indent=3 * INDENT)


WIDEST = 100        # cell; a longer one goes on in the next line


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, under a rule."""
    headings, rows = list(map(written, headings)), [part for row in rows for part in _broken(list(map(written, row)))]
    widths = [max(width(row[k]) for row in (headings, *rows)) for k in range(len(headings))]

    def line(row: Sequence[str]) -> str:
        return (INDENT + INDENT.join(cell + " " * (w - width(cell)) for cell, w in zip(row, widths, strict=True))).rstrip()

    return "\n".join([line(headings), line([written("─") * w for w in widths]), *(line(row) for row in rows)])


def _broken(row: Sequence[str]) -> list[list[str]]:
    """The row as several, where a cell is too wide for one."""
    cells = [wrap(cell, WIDEST, subsequent_indent=INDENT) if width(cell) > WIDEST else [cell] for cell in row]
    return [list(line) for line in zip_longest(*cells, fillvalue="")]


def width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 1 for c in text)
