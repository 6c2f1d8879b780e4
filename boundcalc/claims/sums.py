"""Sums over an index in closed form: polynomials by sympy's summation, exponential sums by series.py. Others stay."""

from __future__ import annotations

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.index import Index
from ..formulas.series import sum_over

MAX_DEGREE = 8


def without_sums(f: sp.Expr) -> sp.Expr:
    if not f.has(sp.Sum):
        return f
    return f.replace(lambda e: isinstance(e, sp.Sum) and len(e.limits) == 1, _closed)


def _closed(expr: sp.Sum) -> sp.Expr:
    index, low, high = expr.limits[0]
    summand = expr.function
    if summand.has(sp.Sum) or low.has(sp.oo) or high.has(sp.oo):
        return expr
    if index not in summand.free_symbols:
        return summand * (high - low + 1)
    if summand.is_polynomial(index):
        if sp.degree(summand, index) <= MAX_DEGREE:
            return sp.expand(sp.summation(summand, (index, low, high)))
        return expr
    try:
        return sum_over(summand, Index(index, low, high))
    except BoundcalcError:
        return expr
