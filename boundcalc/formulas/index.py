"""Indices that run over integers: levels of a repeat, members of a family, coordinates of a block."""

from __future__ import annotations

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..records import dataclass
from .notation import to_unicode


@dataclass(frozen=True)
class Index:
    """An index symbol running over the integers first … last, both included."""

    symbol: sp.Symbol
    first: Expr
    last: Expr

    @property
    def count(self) -> Expr:
        return sp.expand(self.last - self.first + 1)

    def __str__(self) -> str:
        return f"{to_unicode(self.symbol)} = {to_unicode(self.first)}…{to_unicode(self.last)}"

    def values(self) -> range:
        if not (self.first.is_Integer and self.last.is_Integer):
            raise NotDerivable("unrolling", f"index {self.symbol}", f"its range {self.first} … {self.last} is symbolic")
        return range(int(self.first), int(self.last) + 1)


def upto(symbol: sp.Symbol, count: Expr | int) -> Index:
    """An index over 0 … count − 1."""
    return Index(symbol, sp.Integer(0), sp.S(count) - 1)
