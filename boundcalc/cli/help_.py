"""boundcalc help NAME|COMMAND: the same as --help there; help output: what results can be written as."""

from __future__ import annotations

import click

from . import output
from .command import Command
from .words import WORDS


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[NAME|COMMAND]")
@click.option("--full", is_flag=True, help="all options, and how a target is built")
def command(words: tuple[str, ...], full: bool) -> None:
    """The help of a target or of a command; without either, of boundcalc itself."""
    if not words:
        context = click.get_current_context().find_root()
        output.write(context.get_help() + "\n", None)
    elif words == ("output",):
        output.write(WORDS["output"](), None)
    else:
        help_of(*words, *(("--full",) if full else ()))


def help_of(*words: str) -> None:
    from .main import cli
    cli.main(args=[*words, "--help"], prog_name="boundcalc", standalone_mode=False)
