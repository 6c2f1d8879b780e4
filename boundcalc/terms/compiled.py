"""Expressions in indices as exact integer arithmetic: compiled once a family, then evaluated without sympy."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..errors import BoundcalcError
from ..networks.families import Calculated, Number, Placement, Polynomial, Quotient
from .entries import exact_entry, reader

MOST_DEGREE = 64        # of polynomials that are multiplied out


def linear(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> Placement:
    """A place: an affine expression with integer coefficients."""
    constant, *rest = _affine(expr, symbols)
    if not all(c.is_Integer for c in (constant, *rest)):
        raise BoundcalcError(f"The place {expr} of an entry is not an integer.")
    return Placement(int(constant), tuple(map(int, rest)))


def _affine(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> list[sp.Expr]:
    if not expr.free_symbols:
        return [expr, *(sp.S.Zero for _ in symbols)]
    if expr.is_Symbol and expr in symbols:
        return [sp.S.Zero, *(sp.S(int(s == expr)) for s in symbols)]
    if not expr.free_symbols <= set(symbols) or not expr.is_polynomial(*symbols):
        raise BoundcalcError(f"The place {expr} of an entry is not affine in its indices.")
    found = sp.Poly(expr, *symbols)
    if found.total_degree() > 1:
        raise BoundcalcError(f"The place {expr} of an entry is not affine in its indices.")
    return [found.coeff_monomial(1), *(found.coeff_monomial(s) for s in symbols)]


def number(expr: sp.Expr, symbols: Sequence[sp.Symbol]) -> Number:
    """A value: a quotient of polynomials where it is one."""
    if not expr.free_symbols:
        value = exact_entry(expr, {})
        nowhere = (0,) * len(symbols)
        return Quotient(((value.numerator, nowhere),), ((value.denominator, nowhere),))
    if expr.is_rational_function(*symbols) and _degree(expr) <= MOST_DEGREE:
        top, bottom = sp.fraction(sp.together(expr))
        parts = [sp.Poly(p, *symbols) for p in (top, bottom)]
        common = [p.clear_denoms(convert=True) for p in parts]
        if all(c.is_Integer for _, p in common for c in p.coeffs()):
            (above, p), (below, q) = common         # above·top and below·bottom have integer coefficients
            return Quotient(_times(p, int(below)), _times(q, int(above)))
    function = reader(expr)
    return Calculated(lambda values: function(dict(zip(symbols, values, strict=True))))


def _times(p: sp.Poly, factor: int) -> Polynomial:
    return tuple((int(c) * factor, tuple(map(int, exponents))) for exponents, c in p.terms())


def _degree(expr: sp.Expr) -> int:
    """At least the degrees of numerator and denominator."""
    if expr.is_Symbol:
        return 1
    if expr.is_Pow:
        return _degree(expr.base) * abs(int(expr.exp)) if expr.exp.is_Integer else MOST_DEGREE + 1
    return sum(_degree(a) for a in expr.args)
