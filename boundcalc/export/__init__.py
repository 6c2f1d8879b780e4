"""Exporters: pure functions from a report to text. A table of formats; each module is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, echo
from ..records import dataclass

if TYPE_CHECKING:
    from ..results.report import Report
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
    full: bool = False              # text: all there is, not the first screen
    quiet: bool = False             # text: the first line only


def check_format(form: str, wishes: Wishes | None = None) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for this.", f"Formats are {', '.join(FORMATS)}.",
                           {"-f": "latex"})
    if wishes is None:
        return
    if wishes.standalone and form != "latex":
        raise InvalidInput(f"--standalone makes a whole LaTeX document, not {form}.", "Add -f latex, or leave it out.",
                           {"--standalone": None})
    if form == "bibtex" and (wishes.proof or wishes.dimensions):
        raise InvalidInput("BibTeX has entries of sources and nothing else.", "Leave out --proof and --dimensions.")
    if wishes.only is not None and (wishes.standalone or wishes.proof or wishes.dimensions or form == "bibtex"):
        raise InvalidInput("--only gives one formula and nothing else.",
                           "Leave out --proof, --dimensions and --standalone, or --only.")


def render(report: Report, form: str, wishes: Wishes | None = None) -> str:
    """The report in one of the formats."""
    wishes = wishes or Wishes()
    check_format(form, wishes)
    if wishes.only is not None:
        return module("only").render(report, form, wishes)
    if form in WRITTEN:
        return write(module("theorem").document(report, wishes), form, wishes.standalone)
    if form == "text":
        return module(_text_by(report, wishes)).render(report, wishes)
    return module({"json": "json_"}.get(form, form)).render(report, wishes)


def _text_by(report: Report, wishes: Wishes) -> str:
    """A first screen, or all there is."""
    return "text" if wishes.full else "screen" if report.has_values else "forms"


def render_all(reports: Sequence[Report], form: str, wishes: Wishes) -> str:
    """Several reports as one text, one document or one list."""
    check_format(form, wishes)
    if wishes.only is not None:
        known = [r for r in reports if wishes.only in module("only").formulas(r)]
        reports = known or reports[:1]          # where no route has it, the first one says so
    if len(reports) > 1 and form in WRITTEN and (wishes.only is None or form != "latex"):
        origin = module("theorem" if wishes.only is None else "only")
        return write(module("document").joined([origin.document(r, wishes) for r in reports]), form, wishes.standalone)
    if form == "text" and not wishes.full and wishes.only is None and not reports[0].has_values:
        return module("forms").render_all(reports, wishes)
    texts = [render(r, form, wishes) for r in reports]
    return f"[{','.join(texts)}]\n" if form == "json" and len(texts) > 1 else "\n\n".join(dict.fromkeys(texts))


def write(document: Document, form: str, standalone: bool = False) -> str:
    """A document as Markdown, LaTeX or HTML (which is always a whole page)."""
    writer = module(form)
    return writer.write(document, standalone) if form == "latex" else writer.write(document)


def module(name: str) -> Any:
    return import_module(f".{name}", __name__)
