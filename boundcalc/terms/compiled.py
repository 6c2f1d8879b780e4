"""Expressions in indices as exact integer arithmetic: compiled once a family, then evaluated without sympy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.enclosure import exact_value
from ..networks.families import Calculated, Number, Placement, Polynomial, Quotient

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
        value = exact(expr, {})
        nowhere = (0,) * len(symbols)
        return Quotient(((value.numerator, nowhere),), ((value.denominator, nowhere),))
    if expr.is_rational_function(*symbols) and _degree(expr) <= MOST_DEGREE:
        top, bottom = sp.fraction(sp.together(expr))
        parts = [sp.Poly(p, *symbols) for p in (top, bottom)]
        common = [p.clear_denoms(convert=True) for p in parts]
        if all(c.is_Integer for _, p in common for c in p.coeffs()):
            (above, p), (below, q) = common         # above·top and below·bottom have integer coefficients
            return Quotient(_times(p, int(below)), _times(q, int(above)))
    function = _compiled(expr)
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


def _compiled(expr: sp.Expr) -> Callable[[Mapping[sp.Symbol, int]], Fraction]:
    """Sums, products and integer powers; anything else is left to the exact evaluator."""
    if expr.is_Symbol:
        return lambda values: Fraction(values[expr])
    if expr.is_Add or expr.is_Mul:
        parts, plus = [_compiled(a) for a in expr.args], expr.is_Add
        return lambda values: reduce(lambda x, y: x + y if plus else x * y, (part(values) for part in parts))
    if expr.is_Pow and expr.exp.is_Integer:
        base, exponent = _compiled(expr.base), int(expr.exp)
        return lambda values: base(values) ** exponent
    if not expr.free_symbols:
        constant = exact(expr, {})
        return lambda values: constant
    return lambda values: exact(expr, {symbol: Fraction(v) for symbol, v in values.items() if symbol in expr.free_symbols})


def exact(expr: sp.Expr, values: Mapping[sp.Symbol, Fraction]) -> Fraction:
    found = exact_value(expr, values)
    if found is None:
        raise BoundcalcError(f"The weight {expr} is not a rational number at these parameters.")
    return found
