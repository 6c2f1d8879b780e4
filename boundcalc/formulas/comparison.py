"""Facts about parameters, and what follows from them: which of two closed forms is the larger, proved.

A fact is a lower bound `symbol ≥ bound`. To prove x ≥ y, every symbol with a fact is replaced by bound + t with a
fresh t ≥ 0; with D = ⌈log2 n⌉, 2^(D+k) is replaced by 2^(k+1)·(1 + t), and n ≥ 2^(D−1) + 1 is used. If the expanded
difference then has only nonnegative coefficients over nonnegative quantities, x ≥ y holds. Otherwise nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp
from sympy import Expr

from ..records import dataclass
from .interval import largest
from .symbols import CeilLog


@dataclass(frozen=True)
class Regime:
    """Lower bounds of parameters (`{m: 1}` means m ≥ 1)."""

    at_least: tuple[tuple[sp.Symbol, Expr], ...] = ()

    def _nonnegative(self, expr: Expr) -> bool:
        """Whether expr ≥ 0 is proved by the facts."""
        if not expr.free_symbols & {s for s, _ in self.at_least}:
            return False
        shifted = expr
        fresh: dict[Expr, Expr] = {}
        for k, (symbol, bound) in enumerate(self.at_least):
            depth = CeilLog(symbol, sp.Integer(2))
            if shifted.has(depth):
                # 2^(D−1) ≥ 1 and 2^(D−1) + 1 ≤ n ≤ 2^D, by the definition of D = ⌈log2 n⌉, n ≥ 2
                half = sp.Dummy("half", nonnegative=True) + 1
                shifted = shifted.replace(
                    lambda e, d=depth: e.is_Pow and e.base == 2 and (e.exp - d).is_Integer,
                    lambda e, d=depth, h=half: 2 ** (e.exp - d + 1) * h)
                bound = half + 1
            fresh[symbol] = bound + sp.Dummy(f"t{k}", nonnegative=True)
        shifted = sp.expand(shifted.xreplace(fresh))
        return all(t.is_nonnegative for t in sp.Add.make_args(shifted))

    def maximum(self, values: Iterable[Expr]) -> Expr:
        """max of the values, without those that are provably dominated. 0 for no value."""
        undecided = largest(values)
        if not isinstance(undecided, sp.Max):
            return undecided if undecided != -sp.oo else sp.Integer(0)
        kept: list[Expr] = []
        for v in undecided.args:
            if any(self._nonnegative(k - v) for k in kept):
                continue
            kept = [k for k in kept if not self._nonnegative(v - k)]
            kept.append(v)
        return kept[0] if len(kept) == 1 else sp.Max(*kept, evaluate=False)
