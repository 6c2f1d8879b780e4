"""Maximum of n numbers.

map: $(x₁, …, x_n) ↦ max x_i$
routes: direct, tree
gates: silu, anchor, anchors, ffn
source: Boltzmann average as a head, tree after arXiv 2604.24878 and 2603.03084; sharp constants proved here (S5, S6)
standing: recipe a reconstruction, bounds derived, tight
synonyms: maximum, largest

direct.  One head over n tokens: scores and values are the numbers themselves, Σ x_i softmax_β(x)_i.
Guarantee: error in [−W((n−1)/e)/β, 0], attained when all others lie (1 + W((n−1)/e))/β below the maximum.

tree.  max(x, y) = y + ρ(x − y) folded over ⌈log2 n⌉ levels, n − 1 gates.
Guarantee: max contracts the sup norm, so errors add up over levels, not gates: [−⌈log2 n⌉·W(1/e)/β, 0], attained.
"""

from __future__ import annotations

from ..declarations.record import Case, Construction, Input, Output, Route
from ..formulas.parameter import Kind, Parameter
from ._extremum import SELECTION, Extremum

MAX = Extremum("max", +1)

CONSTRUCTION = Construction(
    inputs=(Input("x", size="n"),),
    outputs=(Output("max(x)", "max(x)"),),
    parameters=(Parameter("n", Kind.INTEGER, "number of arguments", least=2, most=10 ** 15, example="3"),),
    routes=(Route("direct", MAX.direct, words="one head that weighs the largest most", gated=False, means=(None,),
                  witness=MAX.direct_witness, at_least=(SELECTION,)),
            Route("tree", MAX.tree, words="pairs, level by level", means=("silu",), witness=MAX.tree_witness)),
    cases=(Case({"n": 2, "eps": "1/50"}), Case({"n": 5, "eps": "1/20", "range": "9,10"}),
           Case({"n": 6, "eps": "1/4", "delta": "1/1000", "range": "-7,-5"}), Case({"n": 3, "eps": "1/60", "M": "1/3"})),
    copies=False,
    far_from_affine=((("1", "-1"), 1), (("0",), -2), (("-1", "1"), 1)))
