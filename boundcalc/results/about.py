"""What the exported network of a bound says of itself."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from .. import __version__
from ..formulas.symbols import INTERNAL
from ..networks.about import About
from ..numbers.exact import digits_within, round_up_significant

DIGITS = 20

if TYPE_CHECKING:
    from .bound import Bound


def about_of(bound: Bound) -> About:
    from .command import command_line
    error, relative, hidden = _error(bound), None, set(INTERNAL)
    if bound.relative is not None:          # what is said of the error stays absolute: files are verified against that
        error, relative = _absolute(bound, error), error
        hidden.add("eps")
    return About(bound.construction.name, tuple(bound.names()[1]), tuple(bound.domains()),
                 {name: x for name, x in bound.values.items() if name not in hidden}, error, __version__,
                 command_line(bound, "weights"), relative)


def _absolute(bound: Bound, relative: Fraction | None) -> Fraction | None:
    """A relative bound times the largest |target|."""
    largest = [end for target in bound.target_functions for part in bound.parts_of_domain()
               for end in target.image(part[:target.inputs])]
    sizes = [abs(end) for end in largest if end is not None]
    return None if relative is None or len(sizes) < len(largest) else relative * max(sizes)


def _error(bound: Bound) -> Fraction | None:
    """The derived bound, rounded up, and at most ε where that was asked for."""
    x = bound.total.upper
    digits = None if not x else digits_within(x, DIGITS, bound.total.limit)
    return x if not x or digits is None else round_up_significant(x, digits)
