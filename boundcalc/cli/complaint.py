"""What went wrong, as it is told: one sentence, the text at fault underlined, and a command that would work."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from ..errors import ECHO_LIMIT, BoundcalcError, echo
from ..layout import filled

INDENT = len("error: ")
LONGEST = 400           # characters of a command that is repeated
SAID_BY_THE_COMMAND = re.compile(r"(For example|Did you mean|See|Write an exact number) |.*, for example ")
LONG = {"-f": "--format", "-o": "--output", "--eps": "--epsilon"}       # another name of an option


def complaint(problem: BoundcalcError, arguments: Sequence[str]) -> str:
    """On several lines: the sentence, the fault, what to do, and the command that was typed with that done."""
    lines = sentences(problem.problem)
    if problem.fault is not None:
        text, start, end = problem.fault.text, problem.fault.start, problem.fault.end
        if text.strip() and text.isprintable() and len(text) <= 60:
            lines += [" " * INDENT + text, " " * (INDENT + start) + "^" * max(1, min(end, len(text)) - start)]
    command = mended(arguments, problem.instead) if problem.instead and all(len(x) <= ECHO_LIMIT for x in arguments) else ""
    if problem.remedy and not (command and SAID_BY_THE_COMMAND.match(problem.remedy)):
        lines += filled(problem.remedy, indent=INDENT, start=INDENT)
    return "\n".join([*lines, *([" " * INDENT + command] if command else [])])


def sentences(problem: str, remedy: str = "") -> list[str]:
    first, *verbatim = problem.splitlines() or [""]
    lines = [*filled(f"error: {first}", indent=INDENT), *(" " * INDENT + x.strip("\n") for x in verbatim)]
    return [*lines, *(filled(remedy, indent=INDENT, start=INDENT) if remedy else [])]


def mended(arguments: Sequence[str], instead: Mapping[str, str | None]) -> str:
    """The command with options set, left out or added, and words replaced; nothing if it would be very long."""
    words = list(arguments)
    for name, value in instead.items():
        if name.startswith("-"):
            name = LONG[name] if name in LONG and LONG[name] in words else name
            words = _with_option(words, name, value)
        else:
            words = [part for word in words for part in ((value or "").split() if word == name else [word])]
    text = " ".join(["boundcalc", *(_quoted(word) for word in words)])
    return text if len(text) <= LONGEST and text.isprintable() else ""


def _with_option(words: Sequence[str], name: str, value: str | None) -> list[str]:
    """Where the option stands, or at the end. A value that begins with -- is another name for the option."""
    found, done, rest = [], False, list(words)
    while rest:
        word = rest.pop(0)
        option, equals, own = word.partition("=")
        if option != name:
            found.append(word)
            continue
        if not equals and rest and not rest[0].startswith("--"):
            own = rest.pop(0)
        if value is not None and value.startswith("--"):
            found += [value, *([own] if own else [])]
        elif value is not None and not done:
            found += [name, *([value] if value else [])]
        done = True
    return found if done or value is None else [*found, name, *([value] if value else [])]


def _quoted(word: str) -> str:
    plain = word.isascii() and all(c.isalnum() or c in "-_./,=:+[]%" for c in word)
    return word if plain else shlex.quote(echo(word))
