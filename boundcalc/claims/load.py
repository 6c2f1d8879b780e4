"""Claims from TOML files, Markdown files with toml blocks, one line of text, or the bundled papers.

A file is cut at its table headers, and each piece is read by itself: so one mistake does not hide the others, and every
problem is reported with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, echo
from .model import STANDINGS, VERDICTS, Claim, Source

MAX_FILE = 1_000_000        # bytes
MAX_CLAIMS = 1000
MAX_FIELD = 20_000          # characters of one entry
MAX_PROBLEMS = 50           # shown
FOLDER = Path(__file__).parent.parent / "papers"

SOURCE_KEYS = ("title", "id")
CLAIM_KEYS = ("id", "states", "where", "standing", "claim", "for", "expect")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]*?)\s*\]\]?\s*(#.*)?")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*(\S*)")


@dataclass
class _Reading:
    """What a file has given so far."""

    file: str
    source: Source = field(default_factory=Source)
    claims: list[Claim] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def complain(self, line: int, text: str) -> None:
        self.problems.append(f"{self.file}, line {line}: {text}")


def is_claim_file(argument: str) -> bool:
    """An argument that exists, or ends like a file of claims, is a file; all else is a claim."""
    if argument == "-":
        return False
    try:
        exists = Path(argument).exists()
    except (OSError, ValueError):
        exists = False
    return exists or re.search(r"\.(toml|md|markdown)$", argument) is not None


def one_line(text: str, domain: str = "") -> Claim:
    return Claim(text, "claim-1", domain)


def load_papers(name: str = "") -> list[Claim]:
    """The claims of the literature that come with boundcalc, or those of the papers whose id or file contains the name."""
    claims = load_files(sorted(FOLDER.glob("*.toml")))
    found = [c for c in claims if name in c.source.id or name in c.file]
    if not found:
        known = ", ".join(dict.fromkeys(c.source.id for c in claims))
        raise InvalidInput(f"There is no paper '{echo(name)}'.", f"There are {known}.")
    return found


def load_files(paths: Iterable[str | Path]) -> list[Claim]:
    """The claims of several files; InvalidInput lists all problems of all of them."""
    found: list[Claim] = []
    problems: list[str] = []
    for path in paths:
        reading = _read(Path(path))
        found += reading.claims
        problems += reading.problems
    if problems:
        raise report(problems)
    return found


def report(problems: list[str]) -> InvalidInput:
    """All problems as one error."""
    if len(problems) == 1:
        return InvalidInput(problems[0], "")
    shown = "".join(f"\n  {p}" for p in problems[:MAX_PROBLEMS])
    more = f"\n  … and {len(problems) - MAX_PROBLEMS} more" if len(problems) > MAX_PROBLEMS else ""
    return InvalidInput(f"There are {len(problems)} problems:{shown}{more}\n", "Correct them and try again.")


def _read(path: Path) -> _Reading:
    reading = _Reading(echo(path.name))
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= MAX_FILE else b""
    except OSError as problem:
        reading.problems.append(f"Cannot read {echo(str(path))}: {problem.strerror}. Give the name of a readable file.")
        return reading
    if size > MAX_FILE:
        reading.problems.append(f"{reading.file} has more than {MAX_FILE} bytes. Split it.")
        return reading
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw[:problem.start].count(b"\n") + 1
        reading.complain(line, "this is not UTF-8 text. Save the file as UTF-8.")
        return reading
    return read_text(text, reading, markdown=path.suffix.lower() in (".md", ".markdown"))


def read_text(text: str, reading: _Reading | None = None, markdown: bool = False) -> _Reading:
    """Read the text of a file."""
    reading = reading or _Reading("claims")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    blocks = _toml_blocks(lines) if markdown else [(0, lines)]
    for first, block in blocks:
        for start, piece in _pieces(block):
            _piece(reading, first + start, piece)
            if len(reading.claims) > MAX_CLAIMS:
                reading.complain(first + start + 1, f"there are more than {MAX_CLAIMS} claims. Split the file.")
                return reading
    if not reading.claims and not reading.problems:
        reading.complain(1, "there is no claim here. Add a table [[claim]] with a line claim = \"…\""
                         + (" inside a ```toml block." if markdown else "."))
    _check_ids(reading)
    return reading


def _toml_blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """The toml blocks of a Markdown text that hold claims or a source, with the line they start after."""
    found = []
    k = 0
    while k < len(lines):
        fence = _FENCE.fullmatch(lines[k].rstrip())
        if fence is None:
            k += 1
            continue
        end = k + 1
        while end < len(lines) and not lines[end].strip().startswith(fence[1]):
            end += 1
        block = lines[k + 1:end]
        if fence[2] == "toml" and any(re.match(r"\s*\[\[?\s*(claim|source)", line) for line in block):
            found.append((k + 1, block))
        k = end + 1
    return found


def _pieces(lines: list[str]) -> list[tuple[int, list[str]]]:
    """The lines cut before every table header that does not stand inside a long string."""
    cuts = [0]
    quote = ""
    for k, line in enumerate(lines):
        if not quote and _HEADER.fullmatch(line) and k:
            cuts.append(k)
        quote = _still_quoted(line, quote)
    return [(a, lines[a:b]) for a, b in zip(cuts, [*cuts[1:], len(lines)], strict=True)]


def _still_quoted(line: str, quote: str) -> str:
    """Which long quote is open at the end of a line."""
    position = 0
    while position < len(line):
        if quote:
            end = line.find(quote, position)
            if end < 0:
                return quote
            position, quote = end + 3, ""
            continue
        character = line[position]
        if character == "#":
            return ""
        if line.startswith(('"""', "'''"), position):
            quote = line[position:position + 3]
            position += 3
        elif character in "\"'":
            position = _end_of_string(line, position)
        else:
            position += 1
    return quote


def _end_of_string(line: str, start: int) -> int:
    k = start + 1
    while k < len(line):
        if line[k] == "\\" and line[start] == '"':
            k += 2
            continue
        if line[k] == line[start]:
            return k + 1
        k += 1
    return len(line)


def _piece(reading: _Reading, first: int, lines: list[str]) -> None:
    """One table of the file; `first` counts the lines before it."""
    if all(not line.strip() or line.strip().startswith("#") for line in lines):
        return
    try:
        data = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as problem:
        place = re.search(r"line (\d+)", str(problem))
        what = re.sub(r"\s*\(at [^)]*\)", "", str(problem))
        reading.complain(first + (int(place[1]) if place else len(lines)), f"{echo(what)}. Correct the TOML.")
        return
    except RecursionError:
        reading.complain(first + 1, "the values are nested too deeply. Correct the TOML.")
        return
    for key, value in data.items():
        line = first + _line_of(lines, key)
        if key == "source" and isinstance(value, dict):
            _source(reading, first, lines, value)
        elif key == "claim" and isinstance(value, list) and all(isinstance(x, dict) for x in value):
            for entry in value:
                _claim(reading, first, lines, entry)
        else:
            hint = "claims stand in tables [[claim]], the source in [source]"
            reading.complain(line, f"{echo(key)!r} is not expected here: {hint}. Remove or rename it.")


def _line_of(lines: list[str], key: str) -> int:
    """The line, counted from 1, on which a key is set or a table begins."""
    for k, line in enumerate(lines):
        header = _HEADER.fullmatch(line)
        if (header and header[2].strip().strip("\"'") == key) or re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return k + 1
    return 1


def _texts(reading: _Reading, first: int, lines: list[str], entry: dict[str, Any], keys: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for key, value in entry.items():
        line = first + _line_of(lines, key)
        if key not in keys:
            near = get_close_matches(key[:60], keys, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(keys)}."
            reading.complain(line, f"{echo(key)!r} is not an entry here. {hint}")
        elif not isinstance(value, str):
            reading.complain(line, f"{key} must be text in quotes.")
        elif len(value) > MAX_FIELD:
            reading.complain(line, f"{key} has more than {MAX_FIELD} characters. Shorten it.")
        else:
            found[key] = value
    return found


def _source(reading: _Reading, first: int, lines: list[str], entry: dict[str, Any]) -> None:
    texts = _texts(reading, first, lines, entry, SOURCE_KEYS)
    reading.source = Source(texts.get("title", ""), texts.get("id", ""))


def _claim(reading: _Reading, first: int, lines: list[str], entry: dict[str, Any]) -> None:
    line = first + _line_of(lines, "claim")
    texts = _texts(reading, first, lines, entry, CLAIM_KEYS)
    standing = texts.get("standing", "")
    if standing and standing not in STANDINGS:
        near = get_close_matches(standing[:60], STANDINGS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"It is one of {', '.join(STANDINGS)}."
        reading.complain(first + _line_of(lines, "standing"), f"the standing {echo(standing)!r} is unknown. {hint}")
    expect = texts.get("expect", "")
    if expect and expect not in VERDICTS:
        reading.complain(first + _line_of(lines, "expect"),
                         f"{echo(expect)!r} is no verdict. It is one of {', '.join(VERDICTS)}.")
    if "claim" not in texts:
        if "claim" not in entry:
            reading.complain(line, "a claim has no line claim = \"…\". Add it.")
        return
    within = next((k + 1 for k, text in enumerate(lines) if re.match(r"\s*[\"']?claim[\"']?\s*=", text)), line - first)
    reading.claims.append(Claim(texts["claim"], texts.get("id", ""), texts.get("for", ""), texts.get("states", ""),
                                texts.get("where", ""), standing, reading.source, reading.file, first + within, expect))


def _check_ids(reading: _Reading) -> None:
    """Ids that were left out are claim-1, claim-2, …; none may come twice."""
    from dataclasses import replace
    seen: dict[str, int] = {}
    for k, claim in enumerate(reading.claims):
        name = claim.id or f"claim-{k + 1}"
        if name in seen:
            reading.complain(claim.line, f"the id {echo(name)!r} was used on line {seen[name]} already. Choose another.")
        seen[name] = claim.line
        reading.claims[k] = replace(claim, id=name)
    # a [source] that stands below its claims counts for them too
    reading.claims = [replace(c, source=reading.source) if c.source == Source() else c for c in reading.claims]
