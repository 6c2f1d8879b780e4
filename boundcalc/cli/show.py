"""boundcalc show NAME: closed forms with free symbols; no numbers needed."""

from __future__ import annotations

import click

from . import options


@click.command("show")
@click.argument("name")
@options.choices
@options.output
def command(name: str, route: str | None, gate: str | None, form: str, path: str | None, proof: bool,
            dimensions: bool) -> None:
    """Closed forms of a construction, with free symbols."""
    from ..registry import check
    check(name)
    from ..bounds import closed_forms, routes_of
    from ..export import Wishes, check_format, render
    from ..report import report_of
    check_format(form)
    chosen = [route] if route else routes_of(name, gated=gate is not None)
    texts = [render(report_of(closed_forms(name, route=r, gate=gate)), form, Wishes(dimensions, proof)) for r in chosen]
    options.write("\n\n".join(texts) if form != "json" or len(texts) == 1 else f"[{','.join(texts)}]\n", path)
