"""Draw the picture of a bound into a file: what `boundcalc plot` does, for Python."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput, echo
from ..results.bound import Bound
from ..results.report import report_of
from ..results.verification import Verification
from ..verify.verification import Telling
from ..writing import replacing, write_file
from .caption import caption_text
from .drawing import FORMATS, PAGE, PAPER, check_installed, render
from .picture import POINTS, picture_of

FEWEST, MOST = 11, 10_000


def plot(bound: Bound, path: str | Path, *, paper: bool = False, points: int = POINTS, digits: int = 50,
         certify: bool = True, progress: Telling | None = None, timeout: float | None = None) -> Verification:
    """Target, network, error and attention weights as a picture; what was verified for it is returned.

    The suffix of the path says which format: .svg, .pdf or .png. `paper`: one column of a paper, with the caption in a text
    file beside it. `timeout` is CPU time of the verification, in seconds; what was found until then is drawn."""
    suffix = suffix_of(path)
    if not FEWEST <= points <= MOST:
        raise InvalidInput(f"points must be an integer from {FEWEST} to {MOST}.", f"For example {POINTS}.")
    check_installed()
    with replacing(path) as file:
        picture, report = picture_of(bound, digits, points, certify, progress, timeout=timeout), report_of(bound)
        file.write(render(picture, report, suffix, PAPER if paper else PAGE))
    if paper:
        write_file(Path(path).with_suffix(".txt"), [caption_text(picture, report)])
    return picture.verification


def suffix_of(path: str | Path | None) -> str:
    """Which format a file is to have."""
    if path is None:
        raise InvalidInput("A picture needs a file to be written to.", "Add -o FILE, for example -o picture.svg.",
                           {"-o": "picture.svg"})
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        *others, last = FORMATS
        raise InvalidInput(f"There is no picture format for '{echo(str(path))}'.",
                           f"Give a file name that ends with {', '.join(others)} or {last}.")
    return suffix
