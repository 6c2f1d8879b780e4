"""boundcalc explain WORD: a lemma or rule with its proof, or a word of the reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import click

from ..declarations.registry import is_path, known
from ..errors import InvalidInput, echo
from ..layout import filled, labelled, screen, width
from ..lemmas.pages import page
from ..letters import written
from . import output
from .command import Command
from .help_ import help_of as cli_help
from .words import MEANT, WORDS

_LABEL = re.compile(r"^### ([A-Z][0-9]+) ", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_STRONG = re.compile(r"\*\*(?=\S)([^*]*[^*\s])\*\*")           # not the power in 2**-10
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\W\d_])([^*]+)(?<=\S)\*(?![\w*])")
_GAP = re.compile(r" {4,}")


@click.command("explain", cls=Command)
@click.argument("words", nargs=-1, metavar="[WORD]")
def command(words: tuple[str, ...]) -> None:
    """A lemma with its proof (explain Q2), or what a word of the reports means (explain gate).

    Without a word: everything that can be explained.
    """
    rules = page("rules")
    labels = {label.lower(): label for label in _LABEL.findall(rules)}
    if not words:
        lines = [*labelled("Words", ", ".join(WORDS)), *labelled("Lemmas and rules", ", ".join(labels.values()))]
        output.write("\n".join(lines) + "\n", None)
        return
    word = " ".join(words)
    key = word.strip().lower()
    key = MEANT.get(key, MEANT.get(key.removesuffix("s"), key))
    if key in labels:
        output.write(_section(rules, labels[key]) + "\n", None)
    elif known(key) and not is_path(key):
        cli_help(key)
    elif key in WORDS or key.removesuffix("s") in WORDS or f"{key}s" in WORDS:
        explanation = WORDS.get(key) or WORDS.get(key.removesuffix("s")) or WORDS[f"{key}s"]
        output.write(prose(explanation()).rstrip() + "\n", None)
    else:
        near = get_close_matches(key[:60], [*WORDS, *MEANT, *labels], n=1, cutoff=0.7)
        raise InvalidInput(f'There is no explanation of "{echo(word)}".',
                           f"Did you mean {labels.get(near[0], near[0])}?" if near
                           else "What can be explained: boundcalc explain",
                           {words[0]: labels.get(near[0], near[0]), **dict.fromkeys(words[1:])} if near else None)


def _section(page: str, label: str) -> str:
    """From a heading to the next one; links are left as their words."""
    start = page.index(f"### {label} ")
    rest = page[start + 4:]
    end = re.search(r"^(#{2,3} |---$)", rest, re.MULTILINE)
    return prose((rest[:end.start()] if end else rest).strip())


def prose(text: str) -> str:
    """Markdown for a terminal: paragraphs are filled, headings, links and emphasis lose their marks, a row of a table is an
    entry with its cells below it. Code and what is indented stay as they are, where there is room."""
    lines: list[str] = []
    code, heads = False, list[str]()
    for line in text.splitlines():
        if not line.startswith("|"):
            heads = []
        if line.startswith("```"):
            code = not code
        elif code or not line:
            lines.append(line)
        elif line.startswith("|"):
            cells = [_unmarked(x.strip()) for x in line.strip("|").split("|")]
            lines += _entry(heads, cells) if heads else []
            heads = heads or cells
        elif line.startswith("  "):
            shown = written(_LINK.sub(r"\1", line))
            lines += [shown] if width(shown) <= screen() else _broken(shown)
        else:
            lines += filled(_unmarked(line.lstrip("#").strip() if line.startswith("#") else line),
                            indent=2 if line.startswith("- ") else 0)
    return "\n".join(lines)


def _unmarked(text: str) -> str:
    for mark in (_LINK, _STRONG, _EMPHASIS):
        text = mark.sub(r"\1", text)
    return text


def _entry(heads: Sequence[str], cells: Sequence[str]) -> list[str]:
    """A row of a table: its first cell, and the others below it beside what they are."""
    if not cells[0].strip("-: "):        # the rule below the heads
        return []
    at = max(map(len, heads[1:])) + 4
    return [*filled(cells[0], indent=2),
            *(line for head, cell in zip(heads[1:], cells[1:], strict=False) for line in labelled(f"  {head}", cell, at))]


def _broken(line: str) -> list[str]:
    """An indented formula that is too long for the page: what was aligned at its right comes closer."""
    indent = len(line) - len(line.lstrip())
    return filled(_GAP.sub("    ", line.strip()), indent=indent + 2, start=indent)
