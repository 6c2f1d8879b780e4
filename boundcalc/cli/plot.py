"""boundcalc plot NAME … -o FILE: target, network, error and attention weights as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import InvalidInput, echo
from ..writing import replacing, write_file
from . import options
from .main import DONE, UNDECIDED
from .verifying import telling

SUFFIXES = (".svg", ".pdf", ".png")
FEWEST, MOST = 11, 10_000


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
    suffix = _suffix(path)
    count = options.check_integer("--points", points, FEWEST, MOST, "401")
    limit = options.check_timeout(timeout)
    places, exact = options.check_digits(digits), options.exact_parameters(name, given)
    from ..pictures.drawing import PAGE, PAPER, check_installed, render
    check_installed()
    from ..pictures.caption import caption_text
    from ..pictures.picture import picture_of
    from ..results.bound import bound
    from ..results.report import report_of
    assert path is not None
    with replacing(path) as file, telling(name) as tell:
        result = bound(name, **exact)
        picture, report = picture_of(result, places, count, not no_certify, tell, timeout=limit), report_of(result)
        file.write(render(picture, report, suffix, PAPER if paper else PAGE))
    if paper:
        write_file(Path(path).with_suffix(".txt"), [caption_text(picture, report)])
    return UNDECIDED if picture.verification.unfinished else DONE


def _suffix(path: str | None) -> str:
    if path is None:
        raise InvalidInput("A picture needs a file to be written to.", "Add -o FILE, for example -o picture.svg.",
                           {"-o": "picture.svg"})
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidInput(f"There is no picture format for '{echo(path)}'.",
                           f"Give a file name that ends with {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    return suffix
