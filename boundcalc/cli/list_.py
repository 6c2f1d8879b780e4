"""boundcalc list: every construction, from the headers of their files."""

from __future__ import annotations

import click

from ..errors import InvalidInput, echo
from ..registry import information, names


@click.command("list")
@click.option("--format", "-f", "form", default="text", show_default=True, help="text or json")
def command(form: str) -> None:
    """Every construction: name, map, routes, gates, source, standing."""
    rows = [information(name) for name in names()]
    if form == "json":
        import json
        click.echo(json.dumps([{"name": r.name, "title": r.title, "map": r.map, "routes": r.routes, "gates": r.gates,
                                "source": r.source, "standing": r.standing} for r in rows], indent=2, ensure_ascii=False))
        return
    if form != "text":
        raise InvalidInput(f"There is no format '{echo(form)}' for list.", "Formats are text, json.")
    from ..layout import paragraph, table
    click.echo(table(["name", "map", "routes", "gates"],
                     [[r.name, r.map, ", ".join(r.routes), ", ".join(r.gates)] for r in rows]))
    click.echo("")
    for r in rows:
        click.echo("\n".join(paragraph(f"{r.name}: {r.title}. {r.source} ({r.standing})")))
