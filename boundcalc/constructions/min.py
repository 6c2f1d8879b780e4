"""Minimum of n numbers.

map: $(x₁, …, x_n) ↦ min x_i$
routes: direct, tree
gates: silu, anchor, anchors, ffn
source: $min x = −max(−x)$: the mirror image of max
standing: recipe a reconstruction, bounds derived, tight
synonyms: minimum, smallest

direct.  One head over n tokens with scores −x_i and values x_i.
Guarantee: error in [0, W((n−1)/e)/β], attained when all others lie (1 + W((n−1)/e))/β above the minimum.

tree.  min(x, y) = y − ρ(y − x) folded over ⌈log2 n⌉ levels, n − 1 gates.
Guarantee: errors add up over levels, not over gates: [0, ⌈log2 n⌉·W(1/e)/β], attained.
"""

from __future__ import annotations

from ..declarations.record import Case, Construction, Input, Output, Route
from ..formulas.parameter import Kind, Parameter
from ._extremum import SELECTION, Extremum

MIN = Extremum("min", -1)

CONSTRUCTION = Construction(
    inputs=(Input("x", size="n"),),
    outputs=(Output("min(x)", "min(x)"),),
    parameters=(Parameter("n", Kind.INTEGER, "number of arguments", least=2, most=10 ** 15, example="3"),),
    routes=(Route("direct", MIN.direct, words="one head that weighs the smallest most", gated=False, means=(None,),
                  witness=MIN.direct_witness, at_least=(SELECTION,)),
            Route("tree", MIN.tree, words="pairs, level by level", means=("silu",), witness=MIN.tree_witness)),
    cases=(Case({"n": 2, "eps": "1/50"}), Case({"n": 5, "eps": "1/20", "range": "-10,-9"}),
           Case({"n": 6, "eps": "1/4", "delta": "1/1000", "range": "5,7"}), Case({"n": 3, "eps": "1/60", "M": "1/3"})),
    copies=False,
    far_from_affine=((("1", "-1"), 1), (("0",), -2), (("-1", "1"), 1)))
