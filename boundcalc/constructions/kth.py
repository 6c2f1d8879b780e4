"""The k-th largest of n numbers.

map: $(x₁, …, x_n) ↦$ the k-th largest
routes: recipe, direct
gates: silu, anchor, anchors, ffn
source: comparators of Batcher's merge exchange, recipe after arXiv 2604.24878; heads over subsets proved here (S10)
standing: recipe a reconstruction, bound derived; direct proved here, upper
synonyms: rank, quantile, order-statistic

`--n` is the number of arguments, and `--k` the rank: 1 is the largest, n the smallest.

recipe.  The comparators of Batcher's network on which the output depends, each as early as it can run: one unit for the
larger and the smaller of two numbers.
Guarantee: silu errs by at most D·W(1/e)/β, D the number of layers.

direct.  Two heads in one layer: the k-th largest is the largest sum of k numbers less the largest sum of k − 1 of them,
and both are Boltzmann means over all subsets of that size, one a token.
Guarantee: it errs by at most W((N − 1)/e)/β on both sides where both heads have N subsets; a shorter list is repeated (S10).
"""

from ..errors import InvalidInput
from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Route, Term
from ._comparators import network, ranked
from ._subsets import by_subsets


def kth(n: int, k: int) -> Construction:
    if k > n:
        raise InvalidInput(f"There is no {k}th largest of {n} numbers.", f"Give a --k of at most {n}.", {"--k": str(n)})
    names = [f"x{j + 1}" for j in range(n)]

    def recipe(frame: Frame) -> Term:
        return network(names, {k - 1: "kth"})

    def direct(frame: Frame) -> Term:
        return by_subsets(names, k, "kth")

    return Construction(
        inputs=tuple(map(Input, names)),
        outputs=(Output("kth", ranked(names, k), written="kth"),),
        routes=(Route("recipe", recipe, words="comparators"),
                Route("direct", direct, gated=False, words="two heads over all subsets")),
        cases=(Case({"n": 3, "k": 2, "eps": "1/20"}), Case({"n": 5, "k": 2, "eps": "1/4", "range": "9,10"}),
               Case({"n": 4, "k": 4, "eps": "1/4", "delta": "1/1000"}),
               Case({"n": 3, "k": 3, "eps": "1e-9"}, gates=("silu", "ffn"))),
        copies=False)


CONSTRUCTION = Family(kth, (Parameter("n", Kind.INTEGER, "number of arguments", least=2, most=9, example="4"),
                            Parameter("k", Kind.INTEGER, "rank, 1 for the largest", least=1, most=9, example="2")))
