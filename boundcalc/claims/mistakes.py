"""What cannot be read, underlined where it goes wrong."""

from __future__ import annotations

import re

from ..errors import ECHO_LIMIT, Fault, InvalidInput

FORMS = {"claim": "A claim is LEFT <= RIGHT, LEFT = O(RIGHT) as eps -> 0, independent(LEFT, n) or exists C: LEFT <= RIGHT.",
         "for": "Conditions are 0 < eps <= 1/2, n in {2, 3}, x in [-1, 1], n real, with commas between them."}
_WORD = re.compile(r"[A-Za-z0-9_]+|\S")


def mistake(typed: str, column: int, reason: str, remedy: str = "", length: int = 0, field: str = "claim") -> InvalidInput:
    """`column` counts from 1 in what was typed; without a length the word that stands there is underlined."""
    shown, start = _window(typed, column)
    if not length:
        word = _WORD.match(typed, column - 1) if column <= len(typed) else None
        length = len(word[0]) if word else 1
    return InvalidInput(f"{field}, column {column}: {reason}.", remedy or FORMS[field],
                        fault=Fault(shown, start, start + max(1, min(length, len(shown) - start))))


def _window(typed: str, column: int) -> tuple[str, int]:
    """At most sixty characters around the place, on one line, and where in them it is."""
    line = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in typed)
    place = min(column - 1, len(line))
    if len(line) <= ECHO_LIMIT:
        return line, place
    first = max(0, min(place - ECHO_LIMIT // 2, len(line) - ECHO_LIMIT))
    shown = line[first:first + ECHO_LIMIT]
    if first:
        shown = "…" + shown[1:]
    if first + ECHO_LIMIT < len(line):
        shown = shown[:-1] + "…"
    return shown, place - first
