"""Exporters: pure functions from a report to text. A table of formats; each module is loaded when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, echo

if TYPE_CHECKING:
    from ..report import Report
    from .document import Document

FORMATS = ("text", "markdown", "latex", "html", "json", "bibtex")
WRITTEN = ("markdown", "latex", "html")         # from one document


@dataclass(frozen=True)
class Wishes:
    """What the reader asked to see beyond the default."""

    dimensions: bool = False
    proof: bool = False
    standalone: bool = False        # a whole LaTeX document
    only: str | None = None         # one formula: a resource, "error", or a term of the error


def check_format(form: str) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for this.", f"Formats are {', '.join(FORMATS)}.")


def render(report: Report, form: str, wishes: Wishes | None = None) -> str:
    """The report in one of the formats."""
    check_format(form)
    wishes = wishes or Wishes()
    if wishes.only is not None:
        return module("only").render(report, form, wishes)
    if form in WRITTEN:
        return write(module("theorem").document(report, wishes), form, wishes.standalone)
    return module({"json": "json_", "bibtex": "bibtex"}.get(form, form)).render(report, wishes)


def write(document: Document, form: str, standalone: bool = False) -> str:
    """A document as Markdown, LaTeX or HTML (which is always a whole page)."""
    writer = module(form)
    return writer.write(document, standalone) if form == "latex" else writer.write(document)


def module(name: str) -> Any:
    return import_module(f".{name}", __name__)
