"""Absolute value.

map: $x ↦ |x|$
routes: recipe
gates: silu, anchor, anchors, ffn
source: $|x| = 2ρ(x) − x$, recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived, tight

recipe.  One layer with one unit, 2ρ(x) − x, on the whole real line.
Guarantee: silu errs in [−2W(1/e)/β, 0], attained at |x| = (1 + W(1/e))/β.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..declarations.record import WHOLE_LINE, Case, Construction, Route, Setting, copies
from ..lemmas.witness import worst_silu_input
from ..terms.linear import Block, affine, identity, var
from ..terms.term import Ramps, Term, Unit

X = (Block("x"),)


def recipe(s: Setting) -> Term:
    return copies(s, Ramps("absolute value", identity(X), (Unit("r", "x"),),
                           affine((*X, Block("r")), {"|x|": 2 * var("r") - var("x")})))


def witness(case: Case) -> Sequence[Fraction]:
    return [worst_silu_input(case["beta"])]


CONSTRUCTION = Construction("abs", ("x",), "abs({x})", "abs(x)",
                            {"recipe": Route(recipe, gated=True, witness=witness)}, WHOLE_LINE)
