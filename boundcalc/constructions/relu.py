"""Rectifier.

map: $x ↦ max(x, 0)$
routes: recipe
gates: silu, anchor, anchors, ffn
source: SiLU as a two-token head; the sharp constant is proved here (S6)
standing: derived, tight

recipe.  One layer with one unit: the gate itself, on the whole real line.
Guarantee: silu errs in [−W(1/e)/β, 0], attained at |x| = (1 + W(1/e))/β.
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
    return copies(s, Ramps("rectifier", identity(X), (Unit("r", "x"),),
                           affine((*X, Block("r")), {"relu(x)": var("r")})))


def witness(case: Case) -> Sequence[Fraction]:
    return [worst_silu_input(case["beta"])]


CONSTRUCTION = Construction("relu", ("x",), "relu({x})", "max(x, 0)",
                            {"recipe": Route(recipe, gated=True, witness=witness)}, WHOLE_LINE)
