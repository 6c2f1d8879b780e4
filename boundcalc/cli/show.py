"""boundcalc show NAME: closed forms with free symbols; no numbers needed."""

from __future__ import annotations

from typing import Any

import click

from . import options


@click.command("show")
@click.argument("name")
@options.choices
@options.output
def command(name: str, form: str, path: str | None, proof: bool, dimensions: bool, **given: Any) -> None:
    """Closed forms of a construction, with free symbols."""
    from ..registry import check
    check(name)
    from ..bounds import closed_forms, routes_of
    from ..export import Wishes, check_format, render
    from ..report import report_of
    check_format(form)
    choices = options.gate_choices(given)
    route = choices.pop("route")
    chosen = [route] if route else routes_of(name, gated=any(choices.values()))
    texts = [render(report_of(closed_forms(name, route=r, **choices)), form, Wishes(dimensions, proof)) for r in chosen]
    options.write("\n\n".join(texts) if form != "json" or len(texts) == 1 else f"[{','.join(texts)}]\n", path)
