"""boundcalc plot NAME … -o FILE: target, network, error and attention weights as a picture."""

from __future__ import annotations

from typing import Any

import click

from . import options
from .main import DONE, UNDECIDED
from .verifying import telling


@click.command("plot", cls=options.ForConstruction)
@click.argument("name")
@options.parameters
@click.option("--output", "-o", "path", type=click.Path(dir_okay=False), help="file to write: .svg, .pdf or .png")
@click.option("--points", default="401", show_default=True, metavar="INTEGER", help="points of a curve")
@click.option("--digits", default="50", show_default=True, metavar="INTEGER", help="decimal digits of the worst error")
@click.option("--paper", is_flag=True,
              help="one column of a paper, 8.5 cm wide: panels (a), (b), …, and the caption in a text file beside it")
@click.option("--no-certify", is_flag=True, help="leave out the certified bound, which may take long")
@options.timeout_option
def command(name: str, path: str | None, points: str, digits: str, no_certify: bool, paper: bool, timeout: str | None,
            **given: Any) -> int:
    """Draw target and network, the error with its bounds, and attention weights.

    \b
    boundcalc plot mult --eps 1e-3 -o mult.svg
    boundcalc plot clip --range 0,1 --eps 1e-3 --gate anchor -o clip.pdf
    """
    from ..declarations.registry import check
    check(name)
    from ..pictures.plot import FEWEST, MOST, plot, suffix_of
    suffix_of(path)
    count = options.check_integer("--points", points, FEWEST, MOST, "401")
    limit = options.check_timeout(timeout)
    places, exact = options.check_digits(digits), options.exact_parameters(name, given)
    from ..pictures.drawing import check_installed
    check_installed()
    from ..results.bound import bound
    assert path is not None
    with telling(name) as tell:
        found = plot(bound(name, **exact), path, paper=paper, points=count, digits=places, certify=not no_certify,
                     progress=tell, timeout=limit)
    return UNDECIDED if found.unfinished else DONE
