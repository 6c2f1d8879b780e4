"""Exporters: pure functions from a report to text. A table of formats; each module is loaded when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import InvalidInput, echo

if TYPE_CHECKING:
    from ..report import Report

FORMATS = {"text": "text", "json": "json_", "latex": "latex"}


@dataclass(frozen=True)
class Wishes:
    """What the reader asked to see beyond the default."""

    dimensions: bool = False
    proof: bool = False


def check_format(form: str) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for this.", f"Formats are {', '.join(FORMATS)}.")


def render(report: Report, form: str, wishes: Wishes | None = None) -> str:
    check_format(form)
    text: str = import_module(f".{FORMATS[form]}", __name__).render(report, wishes or Wishes())
    return text
