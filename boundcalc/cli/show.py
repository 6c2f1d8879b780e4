"""boundcalc show NAME: closed forms with free symbols; no numbers needed."""

from __future__ import annotations

from typing import Any

import click

from ..export import FORMATS, check_format, render_all
from . import options, output


@click.command("show", cls=options.ForConstruction)
@click.argument("name")
@options.choices
@options.output
def command(name: str, form: str, path: str | None, **given: Any) -> None:
    """Closed forms of a target, with free symbols; a parameter that is given stands in them as a number.

    \b
    boundcalc show max
    boundcalc show max --n 8
    boundcalc show network --proof
    """
    from ..declarations.registry import NETWORK, check, known
    if name == NETWORK and not known(name):
        _proposition(form, path, given)
        return
    check(name)
    wishes = options.wishes(given)
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    from ..results.bound import closed_forms, routes_of
    from ..results.report import report_of
    choices = options.gate_choices(given)
    parameters = {k: v for k, v in options.exact_parameters(name, given).items() if k not in choices and v is not None}
    route = choices.pop("route")
    chosen = [route] if route else routes_of(name, gated=any(choices.values()), having=parameters)
    reports = [report_of(closed_forms(name, route=r, **choices, **parameters)) for r in chosen]
    output.write(render_all(reports, form, wishes), path, form)


def _proposition(form: str, path: str | None, given: dict[str, Any]) -> None:
    """What the recipe costs any ReLU network."""
    from ..export.proposition import FORMATS, render
    from ..results.proposition import layer_cost
    wishes = options.wishes(given)
    output.check_ending(path, form, FORMATS)
    output.write(render(layer_cost(given.get("gate") or "silu"), form, wishes), path, form)
