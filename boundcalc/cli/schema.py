"""boundcalc schema NAME: the JSON Schema of what a command writes."""

from __future__ import annotations

import click

from ..schemas import SCHEMAS, schema, schema_text
from . import output
from .command import Command


@click.command("schema", cls=Command)
@click.argument("name", required=False)
@output.file_option()
def command(name: str | None, path: str | None) -> None:
    """The JSON Schema of what -f json and weights write; without NAME the list of schemas."""
    form = "text" if name is None else "json"
    output.check_ending(path, form)
    output.write(_listed() if name is None else schema_text(name), path, form)


def _listed() -> str:
    from ..layout import table
    return table(["name", "$id", "of"], [[name, schema(name)["$id"], of] for name, of in SCHEMAS.items()]) + "\n"
