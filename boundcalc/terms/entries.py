"""The entries of a flat network's matrices at exact numbers: how each is read, and how long the longest is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd, lcm, prod

import sympy as sp

from ..errors import BoundcalcError, NotDerivable
from ..formulas.enclosure import exact_value
from ..formulas.series import ExpSum
from ..formulas.symbols import exchange
from ..formulas.tables import TableEntry
from .flat import FlatNetwork, coefficients

MOST_MEMBERS = 10 ** 4      # of a family whose values are looked at one by one
At = Mapping[sp.Symbol, int]


def weight_bits(flat: FlatNetwork, values: Mapping[sp.Symbol, Fraction]) -> int | None:
    """The longest numerator or denominator of any entry or β, in bits; families are read, not written out. None where a
    family is too large for that."""
    longest = 0
    seen: set[sp.Expr] = set()
    for value, over in coefficients(flat.parts):
        if value in seen:
            continue
        seen.add(value)
        used = (i for i in over if i.symbol in value.free_symbols)
        ranges = [range(int(exact_entry(i.first, values)), int(exact_entry(i.last, values)) + 1) for i in used]
        symbols = [i.symbol for i in over if i.symbol in value.free_symbols]
        if len(symbols) == 1 and ranges[0].stop - ranges[0].start > 2 and _is_power(value, symbols[0]):
            ranges = [range(ranges[0].start, ranges[0].stop, ranges[0].stop - ranges[0].start - 1)]
        elif len(symbols) == 1:
            ranges = [_longest_multiples(value, symbols[0], ranges[0], values)]
        if prod((r.stop - r.start) // r.step + 1 for r in ranges) > MOST_MEMBERS:      # len is for small ranges only
            return None
        read = reader(exchange(value, {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}))
        for at in product(*ranges):
            number = read(dict(zip(symbols, at, strict=True)))
            longest = max(longest, number.numerator.bit_length(), number.denominator.bit_length())
    return longest


def _longest_multiples(value: sp.Expr, s: sp.Symbol, span: range, values: Mapping[sp.Symbol, Fraction]) -> range:
    """Of c·s^e the part of the range that matters: if s has no factor in common with the denominator of c, nothing is
    reduced, so that no smaller s has a longer numerator or denominator."""
    factor, power = value.as_independent(s, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != s or not (exponent.is_Integer and exponent > 0) or span.start < 0:
        return span
    below = exact_entry(factor, values).denominator
    first = next((k for k in reversed(span) if gcd(k, below) == 1), span.start)
    return range(first, span.stop)


def _is_power(value: sp.Expr, s: sp.Symbol) -> bool:
    """Whether the value is c·q^s or c·q^(−s) with an integer q. In lowest terms one of numerator and denominator then
    never falls with s and the other never rises, so the longest stands at an end of the range."""
    try:
        terms = ExpSum.of(value, s).terms
    except NotDerivable:
        return False
    return len(terms) == 1 and (terms[0][0].is_Integer or (1 / terms[0][0]).is_Integer)


def reader(expr: sp.Expr) -> Callable[[At], Fraction]:
    """The expression as a function of its indices. Polynomials in one index, which nearly all are, skip sympy: a grid of
    anchors has thousands of entries."""
    if not expr.free_symbols:
        constant = exact_entry(expr, {})
        return lambda values: constant
    if len(expr.free_symbols) == 1 and expr.is_polynomial():
        (s,) = expr.free_symbols
        coefficients = [exact_entry(c, {}) for c in sp.Poly(expr, s).all_coeffs()]
        below = lcm(*(c.denominator for c in coefficients))
        above = [int(c * below) for c in coefficients]      # integers: one reduced fraction an entry, not one an operation
        return lambda values: Fraction(reduce(lambda total, c: total * values[s] + c, above, 0), below)
    return _compiled(expr)


def _compiled(expr: sp.Expr) -> Callable[[At], Fraction]:
    """The same for sums, products and integer powers; anything else is left to the exact evaluator."""
    if expr.is_Symbol:
        return lambda values: Fraction(values[expr])
    if expr.is_Add or expr.is_Mul:
        parts, plus = [_compiled(a) for a in expr.args], expr.is_Add
        return lambda values: reduce(lambda x, y: x + y if plus else x * y, (part(values) for part in parts))
    if expr.is_Pow and expr.exp.is_Integer:
        base, exponent = _compiled(expr.base), int(expr.exp)
        return lambda values: base(values) ** exponent
    if not expr.free_symbols:
        constant = exact_entry(expr, {})
        return lambda values: constant
    if isinstance(expr, TableEntry) and (listed := expr.numbers()) is not None:
        place = _compiled(expr.index)
        return lambda values: listed[int(place(values))]
    return lambda values: exact_entry(expr, {s: Fraction(v) for s, v in values.items() if s in expr.free_symbols})


def exact_entry(expr: sp.Expr, values: Mapping[sp.Symbol, Fraction]) -> Fraction:
    number = exact_value(expr, values)
    if number is None:
        raise BoundcalcError(f"The weight {expr} is not a rational number at these parameters.")
    return number
