"""How anchors are counted, and how hard they select: what derivation and tuning ask of a gate that has some."""

from __future__ import annotations

from math import ceil

import sympy as sp
from sympy import Expr

from ..formulas.symbols import symbol
from ..lemmas.record import Lemma
from ..records import dataclass


@dataclass(frozen=True)
class Selection:
    """How hard the anchors select: κ, the error in units of Δ, and the rate of the leak e^(−rate·κ) in it, if any."""

    temperature: str
    grid: str
    kappa: Expr
    shape: Expr
    rate: int | None
    lemma: Lemma


@dataclass(frozen=True)
class Supply:
    """How many cells the parameters give: (tokens − overlap)·heads − ends; one head where `heads` is None."""

    tokens: str
    heads: str | None
    overlap: int
    ends: int
    least_tokens: int
    selection: Selection

    @property
    def sentinels(self) -> bool:
        """Whether heads see two anchors that they do not own."""
        return self.overlap == 2

    @property
    def cells(self) -> Expr:
        many = symbol(self.heads) if self.heads else sp.S.One
        return (symbol(self.tokens) - self.overlap) * many - self.ends

    def tokens_for(self, needed: Expr | int, heads: Expr | int) -> Expr:
        """The fewest tokens that give at least the needed cells, as a rule or a number."""
        return _ceiling(needed + self.ends, heads) + self.overlap

    def heads_for(self, needed: Expr | int, tokens: Expr | int) -> Expr:
        return _ceiling(needed + self.ends, tokens - self.overlap)


def _ceiling(above: Expr | int, below: Expr | int) -> Expr:
    if isinstance(above, int) and isinstance(below, int):
        return sp.Integer(ceil(sp.Rational(above, below)))
    if isinstance(above, sp.ceiling):       # ⌈⌈x⌉/k⌉ = ⌈x/k⌉ for an integer k
        return sp.ceiling(above.args[0] / below)
    return above if below == 1 else sp.ceiling(above / below)
