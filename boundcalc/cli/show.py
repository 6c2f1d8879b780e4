"""boundcalc show NAME: closed forms with free symbols; no numbers needed."""

from __future__ import annotations

from typing import Any

import click

from ..export import FORMATS, check_format, render_all
from . import options, output
from .command import Command


@click.command("show", cls=Command)
@click.argument("name")
@options.choices
@options.output
def command(name: str, form: str, path: str | None, **given: Any) -> None:
    """Closed forms of a construction, with free symbols."""
    from ..declarations.registry import check
    check(name)
    wishes = options.wishes(given)
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    from ..results.bound import closed_forms, routes_of
    from ..results.report import report_of
    choices = options.gate_choices(given)
    route = choices.pop("route")
    chosen = [route] if route else routes_of(name, gated=any(choices.values()))
    reports = [report_of(closed_forms(name, route=r, **choices)) for r in chosen]
    output.write(render_all(reports, form, wishes), path, form)
