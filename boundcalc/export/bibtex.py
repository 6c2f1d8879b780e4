"""BibTeX entries of the sources that a report names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lemmas.bibliography import bibtex, mentioned
from ..results.report import Report

if TYPE_CHECKING:
    from . import Wishes


def render(report: Report, wishes: Wishes) -> str:
    keys = sources(report)
    return bibtex(keys) if keys else "% This bound names no source: all of it is proved in docs/rules.md.\n"


def sources(report: Report) -> tuple[str, ...]:
    """The keys of what the construction and its lemmas name."""
    return mentioned(texts(report))


def texts(report: Report) -> list[str]:
    """What names its sources."""
    return [report.information.source, *(x.reference.source for x in report.lemmas)]
