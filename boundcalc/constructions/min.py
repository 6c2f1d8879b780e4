"""Minimum of n numbers.

map: $(x₁, …, x_n) ↦ min x_i$
routes: direct, tree
gates: silu, anchor, anchors, ffn
source: $min x = −max(−x)$: the mirror image of max
standing: recipe a reconstruction, bounds derived, tight

direct.  One head over n tokens with scores −x_i and values x_i.
Guarantee: error in [0, W((n−1)/e)/β], attained when all others lie (1 + W((n−1)/e))/β above the minimum.

tree.  min(x, y) = y − ρ(y − x) folded over ⌈log2 n⌉ levels, n − 1 gates.
Guarantee: errors add up over levels, not over gates: [0, ⌈log2 n⌉·W(1/e)/β], attained.
"""

from __future__ import annotations

from ..declarations.record import Construction, Route
from ._extremum import Extremum

MIN = Extremum("min", -1)

CONSTRUCTION = Construction(
    "min", ("x",), "min({x})", "min(x)",
    {"direct": Route(MIN.direct, gated=False, witness=MIN.direct_witness),
     "tree": Route(MIN.tree, gated=True, witness=MIN.tree_witness)}, block="n")
