"""What the exported network of a bound says of itself."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from .. import __version__
from ..errors import InvalidInput
from ..formulas.symbols import INTERNAL
from ..formulas.target import Target
from ..formulas.target_tree import TargetTree, tree_of
from ..formulas.written_target import target_text
from ..networks.about import About
from ..numbers.exact import digits_within, round_up_significant

DIGITS = 20

if TYPE_CHECKING:
    from .bound import Bound


def about_of(bound: Bound) -> About:
    from .command import command_line
    error, relative = _error(bound), None
    if bound.relative is not None:          # the error is absolute in every file; ε is as it was asked for
        error, relative = _absolute(bound, error), error
    return About(bound.construction.name, tuple(_targets(bound)), tuple(bound.domains()),
                 {name: x for name, x in bound.values.items() if name not in INTERNAL}, error, __version__,
                 command_line(bound, "weights"), relative)


def _targets(bound: Bound) -> list[str]:
    """The names of the outputs where these say their targets; else the targets written out, parameters as numbers."""
    inputs, outputs = bound.names()
    trees = [t.tree for t in bound.target_functions if isinstance(t, Target)]
    if len(trees) < len(bound.target_functions):        # networks of numbers, which no text says
        return outputs
    one = bound.target_functions[0].inputs
    if all(map(_says, outputs, trees, [inputs[:one]] * len(trees))):
        return outputs
    written = [target_text(tree, inputs[k:k + one]) for k in range(0, len(inputs), one) for tree in trees]
    return [t or name for t, name in zip(written, outputs, strict=True)]


def _says(text: str, tree: TargetTree, inputs: list[str]) -> bool:
    try:
        return tree_of(text, dict.fromkeys(inputs, 1), {}) == tree
    except InvalidInput:
        return False


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
