"""boundcalc explain WORD: a lemma or rule with its proof, or a word of the reports."""

from __future__ import annotations

import re
from difflib import get_close_matches

import click

from ..declarations.registry import is_path, known
from ..errors import InvalidInput, echo
from ..layout import filled, labelled
from ..lemmas.pages import page
from . import output
from .command import Command
from .help_ import help_of as cli_help
from .words import MEANT, WORDS

_LABEL = re.compile(r"^### ([A-Z][0-9]+) ", re.MULTILINE)


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
    text = rest[:end.start()] if end else rest
    return prose(re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).strip())


def prose(text: str) -> str:
    """Markdown for a terminal: paragraphs are filled, headings lose their mark; tables and code stay as they are."""
    lines, code = [], False
    for line in text.splitlines():
        code = code != line.startswith("```")
        marked = line.lstrip("#").strip() if line.startswith("#") else line.replace("**", "")
        indent = 2 if line.startswith("- ") else 0
        lines += [line] if code or line.startswith(("|", "```", "  ")) or not line else filled(marked, indent=indent)
    return "\n".join(lines)
