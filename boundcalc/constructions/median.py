"""Median of n numbers.

map: $(x₁, …, x_n) ↦$ the middle one in order of size
routes: recipe, direct
gates: silu, anchor, anchors, ffn
source: comparators of Batcher's merge exchange, recipe after arXiv 2604.24878; heads over subsets proved here (S10)
standing: recipe a reconstruction, bound derived; direct proved here, upper
synonyms: middle

`--n` is the number of arguments, which is odd.

recipe.  The comparators of Batcher's network on which the middle wire depends, each as early as it can run: one unit for the
larger and the smaller of two numbers.
Guarantee: silu errs by at most D·W(1/e)/β, D the number of layers.

direct.  Two heads in one layer: the r-th largest, r = (n + 1)/2, is the largest sum of r numbers less the largest sum of
r − 1 of them, and both are Boltzmann means over all subsets of that size, one a token.
Guarantee: it errs by at most W((N − 1)/e)/β on both sides where both heads have N subsets; a shorter list is repeated (S10).
"""

from ..errors import InvalidInput
from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Route, Term
from ._comparators import network, ranked
from ._subsets import by_subsets


def median(n: int) -> Construction:
    if n % 2 == 0:
        raise InvalidInput(f"{n} numbers have no middle one.", f"Give an odd --n, such as --n {n + 1}; or use kth.",
                           {"--n": str(n + 1)})
    names, middle = [f"x{k + 1}" for k in range(n)], (n + 1) // 2

    def recipe(frame: Frame) -> Term:
        return network(names, {middle - 1: "median"})

    def direct(frame: Frame) -> Term:
        return by_subsets(names, middle, "median")

    return Construction(
        inputs=tuple(map(Input, names)),
        outputs=(Output("median", ranked(names, middle), written="median"),),
        routes=(Route("recipe", recipe, words="comparators"),
                Route("direct", direct, gated=False, words="two heads over all subsets")),
        cases=(Case({"n": 3, "eps": "1/20"}), Case({"n": 5, "eps": "1/4", "range": "9,10"}),
               Case({"n": 3, "eps": "1/4", "delta": "1/1000"}), Case({"n": 3, "eps": "1e-9"}, gates=("silu", "ffn"))),
        copies=False)


CONSTRUCTION = Family(median, (Parameter("n", Kind.INTEGER, "number of arguments, odd", least=3, most=9, example="3"),))
