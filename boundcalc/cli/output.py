"""Where results go: a file of the right kind, there whole or not at all, or standard output in letters that it has."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import click

from ..errors import InvalidInput, echo
from ..letters import read_in, written
from ..writing import write_file

# endings that say what a file is: an ending that is not listed says nothing
ENDINGS = {
    ".txt": ("text", "markdown", "latex", "html", "json", "bibtex"), ".md": ("markdown",), ".markdown": ("markdown",),
    ".tex": ("latex",), ".html": ("html",), ".htm": ("html",), ".json": ("json",), ".bib": ("bibtex",),
    **dict.fromkeys((".npz", ".npy", ".onnx", ".safetensors", ".pt", ".pth", ".pkl", ".h5", ".csv", ".jsonl", ".toml",
                     ".yaml", ".xml", ".pdf", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".doc", ".docx",
                     ".odt", ".rtf", ".xls", ".xlsx", ".ipynb", ".py", ".v", ".zip", ".gz"), ()),
}


def file_option(help: str = "write to a file") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--output FILE, -o FILE."""
    return click.option("--output", "-o", "path", type=click.Path(dir_okay=False), callback=_in_utf8, help=help)


def _in_utf8(ctx: click.Context, option: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        read_in("utf-8")        # whatever the terminal can show
    return path


def check_ending(path: str | None, form: str, others: Iterable[str] = ()) -> None:
    """A file whose name says that it is something else is refused; `others` are formats that could be asked for."""
    ending = Path(path).suffix.lower() if path is not None else ""
    if ending not in ENDINGS or form in ENDINGS[ending]:
        return
    better = [f for f in others if f in ENDINGS[ending]]
    name = _ending_of(form)
    right = str(Path(path or "").with_suffix(name))
    raise InvalidInput(f"What is written here is {_called(form)}, and {echo(path or '')} ends with {ending}.",
                       f"Add -f {better[0]}, or give a name that ends with {name}." if better else
                       f"Give a name that ends with {name}.", {path or "": right})


def _called(form: str) -> str:
    names = {"markdown": "Markdown", "latex": "LaTeX", "html": "HTML", "json": "JSON", "bibtex": "BibTeX"}
    return names.get(form, form)


def _ending_of(form: str) -> str:
    return next((e for e, forms in ENDINGS.items() if forms == (form,)), ".txt")


def write(text: str | Iterable[str], path: str | None, form: str = "text") -> None:
    """A text, or its pieces, to the file, or to standard output."""
    pieces: Iterable[str] = (text,) if isinstance(text, str) else text
    if path is not None:
        write_file(path, pieces)
        return
    pieces = iter(pieces)
    first = next(pieces, "")        # what fails before anything is written writes nothing
    for piece in chain((first,), pieces):
        sys.stdout.write(_readable(piece, form))
    sys.stdout.flush()


def _readable(text: str, form: str) -> str:
    """Plain letters for what the reader has not; JSON and HTML have ways of their own to say the same."""
    plain = written(text)
    if plain == text:
        return text
    if form == "json":
        return "".join(c if c.isascii() else _escaped(c) for c in text)
    if form == "html":
        return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
    return plain


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be")
    return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))
