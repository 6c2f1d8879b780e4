"""max and min of n numbers, one the mirror image of the other: `sign` is +1 for max and −1 for min."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ..declarations.record import AtLeast, Frame
from ..formulas.index import upto
from ..formulas.symbols import index, symbol
from ..lemmas.softmax import boltzmann, boltzmann_below
from ..lemmas.witness import worst_boltzmann_gap, worst_silu_gap
from ..numbers.exact import ceil_log
from ..terms.linear import AffineMap, Block, Form, Rows, affine, var
from ..terms.term import Approx, Attention, HeadFamily, Ramps, Term, Tree, Unit

# one softmax whose output is a mean of the inputs: at one input ±M, the others ∓M, it must weigh the one enough
SELECTION = AtLeast("logit", "log((n - 1)*(2*M - eps)/eps)", "n >= 2, eps < 2*M", "selection")


@dataclass(frozen=True)
class Extremum:
    name: str
    sign: int

    @property
    def output(self) -> tuple[Block]:
        return (Block(f"{self.name}(x)"),)

    def direct(self, frame: Frame) -> Term:
        """Token i is (x_i, 1 if it is the query): score ±x_i·1, value x_i."""
        n, first = frame["n"], sp.Integer(0)
        i = upto(index("i"), n)
        coords = (Block("x"), Block("1"))
        x_i = Rows("x", var("x", i.symbol), (i.symbol,), (i,))
        embed = AffineMap((Block("x", (n,)),), tuple(Block(b.name, (n,)) for b in coords),
                          (x_i, Rows("1", Form((), sp.Integer(1)), (first,))))
        score = (Block("score"),)
        head = HeadFamily(AffineMap(coords, score, (Rows("score", var("1")),)),
                          AffineMap(coords, score, (Rows("score", self.sign * var("x")),)),
                          AffineMap(coords, self.output, (Rows(self.output[0].name, var("x")),)), symbol("beta"))
        layer = Attention("Boltzmann head", n, coords, ("1",), embed, (head,), None, self.output)
        return Approx(layer, boltzmann(n) if self.sign > 0 else boltzmann_below(n))

    def tree(self, frame: Frame) -> Term:
        """x ∨ y = y + ρ(x − y), x ∧ y = y − ρ(y − x)."""
        x, y, r = var("x"), var("y"), var("r")
        pre = affine((Block("x"), Block("y")), {"z": self.sign * (x - y), "y": y})
        body = Ramps(self.name, pre, (Unit("r", "z"),), affine((*pre.outputs, Block("r")), {"out": y + self.sign * r}))
        return Tree(f"{self.name} tree", body, "x", frame["n"])

    def direct_witness(self, values: Mapping[str, Fraction]) -> Sequence[Fraction]:
        """One entry leads all others by the gap at which S5 is attained."""
        n = int(values["n"])
        gap = worst_boltzmann_gap(n, values["beta"])
        return [Fraction(0), *([-self.sign * gap] * (n - 1))]

    def tree_witness(self, values: Mapping[str, Fraction]) -> Sequence[Fraction]:
        """At every level the running value meets a subtree of equal leaves, just the worst gap of S6 behind it."""
        n = int(values["n"])
        loss, gap = worst_silu_gap(values["beta"])
        half = 2 ** (ceil_log(Fraction(n), 2) - 1)
        pairs = n - half
        leaves = [Fraction(0)] * n
        leaves[1] = -gap
        for k in range(1, half):        # k-th output of the first level: which sibling subtree is it in?
            behind = -gap - loss * k.bit_length()
            for leaf in ((2 * k, 2 * k + 1) if k < pairs else (pairs + k,)):
                leaves[leaf] = behind
        return [self.sign * v for v in leaves]
