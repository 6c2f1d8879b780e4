"""Order statistics without sorting (S10): the r-th largest is S_r − S_(r−1), S_r the largest sum of r of the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import sympy as sp

from ..formulas.symbols import symbol
from ..lemmas.softmax import subset_sums
from ..terms.linear import AffineMap, Block, Form, Rows, as_form, var
from ..terms.term import Approx, Attention, HeadFamily, Term

BETA = symbol("beta")


def by_subsets(names: Sequence[str], rank: int, output: str) -> Term:
    """A token has the sum of a subset for each head; what asks is the first one. S_0 = 0 needs no head."""
    lists = [[sum((var(x) for x in chosen), Form()) for chosen in combinations(names, size)]
             for size in (rank, rank - 1) if size]
    count = max(map(len, lists))
    sums = [Block(f"sum{h + 1}") for h in range(len(lists))]
    coords, tokens = (*sums, Block("1")), sp.Integer(count)
    rows = [Rows(block.name, own[t % len(own)], (sp.Integer(t),)) for block, own in zip(sums, lists, strict=True)
            for t in range(count)]
    embed = AffineMap(tuple(map(Block, names)), tuple(Block(b.name, (tokens,)) for b in coords),
                      (*rows, Rows("1", as_form(1), (sp.Integer(0),))))
    score, out = (Block("s"),), (Block(output),)
    heads = tuple(HeadFamily(AffineMap(coords, score, (Rows("s", var("1")),)),
                             AffineMap(coords, score, (Rows("s", var(block.name)),)),
                             AffineMap(coords, out, (Rows(output, sign * var(block.name)),)), BETA)
                  for block, sign in zip(sums, (1, -1), strict=False))
    layer = Attention("subset heads", tokens, coords, ("1",), embed, heads, None, out)
    return Approx(layer, subset_sums(count, [len(own) for own in lists]))
