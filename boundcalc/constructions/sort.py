"""Sorting.

map: $(x₁, …, x_n) ↦$ the same numbers, largest first
routes: recipe
gates: silu, anchor, anchors, ffn
source: Batcher's merge exchange of comparators max = y + ρ(x − y), min = x − ρ(x − y); recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: sorting, order

`--n` is the number of arguments.

recipe.  Batcher's network for the next power of two, without comparators that have nothing to compare, each as early as it
can run. One unit a comparator: what it adds to the larger number it takes from the smaller one.
Guarantee: every output errs by at most D·W(1/e)/β for silu gates, D the number of layers; sums are kept exactly.
"""

from . import Case, Construction, Family, Frame, Input, Kind, Output, Parameter, Route, Term
from ._comparators import network, ranked


def sort(n: int) -> Construction:
    names, outputs = [f"x{k + 1}" for k in range(n)], [f"sorted{k + 1}" for k in range(n)]

    def recipe(frame: Frame) -> Term:
        return network(names, dict(enumerate(outputs)))

    return Construction(
        inputs=tuple(map(Input, names)),
        outputs=tuple(Output(name, ranked(names, k + 1), written=name) for k, name in enumerate(outputs)),
        routes=(Route("recipe", recipe, words="comparators"),),
        cases=(Case({"n": 2, "eps": "1/20"}), Case({"n": 5, "eps": "1/4", "range": "9,10"}),
               Case({"n": 4, "eps": "1/4", "delta": "1/1000"}), Case({"n": 3, "eps": "1e-9"}, gates=("silu", "ffn"))),
        copies=False)


CONSTRUCTION = Family(sort, (Parameter("n", Kind.INTEGER, "number of arguments", least=2, most=9, example="4"),))
