"""boundcalc weights NAME … -o FILE: the exact network."""

from __future__ import annotations

from typing import Any

import click

from ..errors import Infeasible, echo
from ..numbers.exact import exact_text
from . import options, output

ENTRY_LIMIT = 10 ** 7


@click.command("weights", cls=options.ForConstruction)
@click.argument("name")
@options.parameters
@output.file_option("file to write (default: standard output)")
@click.option("--force", is_flag=True, help="write a network of more than 10^7 entries anyway")
def command(name: str, path: str | None, force: bool, **given: Any) -> None:
    """The exact network of a construction, in the format boundcalc-network/1."""
    from ..declarations.registry import check
    check(name)
    output.check_ending(path, "json")
    exact = options.exact_parameters(name, given)
    from ..networks.file import chunks
    from ..results.bound import bound
    result = bound(name, **exact)
    entries = result.resources["parameters"].exact
    if entries is not None and entries > ENTRY_LIMIT and not force:
        raise Infeasible(f"This network has {echo(exact_text(entries))} entries, more than 10^7.",
                         "Add --force to write it anyway.")
    output.write(chunks(result.network), path, "json")
