"""boundcalc help NAME|COMMAND: the same as --help there."""

from __future__ import annotations

import click

from . import output
from .command import Command


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[NAME|COMMAND]")
def command(words: tuple[str, ...]) -> None:
    """The help of a construction or of a command; without either, of boundcalc itself."""
    from .main import cli
    if not words:
        context = click.get_current_context().find_root()
        output.write(context.get_help() + "\n", None)
        return
    cli.main(args=[*words, "--help"], prog_name="boundcalc", standalone_mode=False)
