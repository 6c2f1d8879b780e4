"""boundcalc schema NAME: the JSON Schema of what a command writes."""

from __future__ import annotations

import click

from ..schemas import SCHEMAS, schema, schema_text
from . import options


@click.command("schema")
@click.argument("name", required=False)
@click.option("--output", "-o", "path", type=click.Path(dir_okay=False), help="write to a file")
def command(name: str | None, path: str | None) -> None:
    """The JSON Schema of what -f json and weights write; without NAME the list of schemas."""
    options.write(_listed() if name is None else schema_text(name), path)


def _listed() -> str:
    from ..layout import table
    return table(["name", "$id", "of"], [[name, schema(name)["$id"], of] for name, of in SCHEMAS.items()]) + "\n"
