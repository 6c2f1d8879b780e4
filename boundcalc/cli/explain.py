"""boundcalc explain WORD: a lemma or rule with its proof, or a word of the reports."""

from __future__ import annotations

import re
from difflib import get_close_matches

import click

from ..errors import InvalidInput, echo
from ..lemmas.pages import page
from . import output
from .command import Command
from .words import WORDS

_LABEL = re.compile(r"^### ([A-Z][0-9]+) ", re.MULTILINE)


@click.command("explain", cls=Command)
@click.argument("word", required=False)
def command(word: str | None) -> None:
    """A lemma with its proof (explain Q2), or what a word of the reports means (explain gate).

    Without a word: everything that can be explained.
    """
    rules = page("rules")
    labels = {label.lower(): label for label in _LABEL.findall(rules)}
    if word is None:
        output.write(f"Words: {', '.join(WORDS)}\nLemmas and rules: {', '.join(labels.values())}\n", None)
        return
    key = word.strip().lower()
    if key in labels:
        output.write(_section(rules, labels[key]) + "\n", None)
    elif key in WORDS or key.removesuffix("s") in WORDS or f"{key}s" in WORDS:
        explanation = WORDS.get(key) or WORDS.get(key.removesuffix("s")) or WORDS[f"{key}s"]
        output.write(explanation(), None)
    else:
        near = get_close_matches(key[:60], [*WORDS, *labels], n=1, cutoff=0.5)
        raise InvalidInput(f"There is no explanation of '{echo(word)}'.",
                           f"Did you mean {labels.get(near[0], near[0])}?" if near else "boundcalc explain lists all words.")


def _section(page: str, label: str) -> str:
    """From a heading to the next one; links are left as their words."""
    start = page.index(f"### {label} ")
    rest = page[start + 4:]
    end = re.search(r"^(#{2,3} |---$)", rest, re.MULTILINE)
    text = rest[:end.start()] if end else rest
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).strip()
