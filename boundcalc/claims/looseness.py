"""What is reported beside a verdict: the derived closed forms, how loose a claim is, and whether it is attained."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from flint import arb
from sympy.polys.polyerrors import BasePolynomialError

from ..errors import BoundcalcError
from ..formulas.enclosure import arb_bounds, enclose, exact_value
from ..formulas.parser import to_text
from ..formulas.symbols import exchange
from ..numbers.exact import decimal_down, floor_log
from .boxes import size
from .cases import Branch
from .counterexample import digits_of, moderate, points
from .found import Attained, Beyond, DerivedBound, Digits, Observed, Ratio, Remark
from .model import Relation
from .substitute import best_upper, put

SHORT = 14                  # nodes of a quotient that is printed


def statement_text(expr: sp.Expr, case: Branch) -> sp.Expr:
    """The side with our closed forms in it."""
    return put(expr, best_upper(case.resolved))


def derived_bounds(case: Branch) -> tuple[DerivedBound, ...]:
    shown = []
    for r in case.resolved:
        for v in r.values[:3]:
            bound = v.upper if v.upper is not None else v.lower
            if bound is None:
                continue
            sign = "=" if v.exact and not r.needed else "<=" if v.upper is not None else ">="
            shown.append(DerivedBound(r.call.text, sign, bound, v.source if r.needed else ""))
            if not r.needed and v.upper is not None and v.lower is not None and not v.exact:
                shown.append(DerivedBound(r.call.text, ">=", v.lower))
    return tuple(shown)


def looseness(statement: Relation, case: Branch) -> Ratio | None:
    """claimed/derived, as a number where it is one, and otherwise its range over the points that were looked at."""
    left, right = statement_text(statement.left, case), statement_text(statement.right, case)
    in_left = any(r.call.symbol in statement.left.free_symbols for r in case.resolved)
    in_right = any(r.call.symbol in statement.right.free_symbols for r in case.resolved)
    if statement.relation == "==":
        return None
    fixed = {s: sp.Rational(v.fixed.numerator, v.fixed.denominator) for s, v in case.domain.variables.items()
             if v.fixed is not None}
    left, right = exchange(left, fixed), exchange(right, fixed)
    claimed, ours = (left, right) if in_right and not in_left else (right, left)
    if not case.resolved and statement.relation in (">=", ">"):
        claimed, ours = left, right
    try:
        quotient = claimed / ours
        if not quotient.has(sp.Max, sp.Min, sp.Abs, sp.Sum):
            quotient = sp.powsimp(sp.cancel(quotient))
    except (BasePolynomialError, ZeroDivisionError, TypeError, ValueError):
        return None
    if quotient.is_Rational:
        return Digits(to_text(quotient), True)
    if not quotient.free_symbols:
        try:
            return Digits(*digits_of(quotient, {}, 8))
        except BoundcalcError:
            return None
    values = []
    for point in points(case.domain, 120):
        try:
            ball = enclose(quotient, point, 8)
        except BoundcalcError:
            continue
        if ball > 0:
            values.append(ball)
    if not values:
        return None
    low, high = (_shown(pick(values, key=lambda b: b.mid())) for pick in (min, max))
    return Observed(quotient if size(quotient) <= SHORT else None, low, high, len(values))


def _shown(ball: arb) -> str | Beyond:
    if ball > arb(10) ** 30:
        return Beyond.LARGE
    if ball < arb(10) ** -30:
        return Beyond.SMALL
    low, high = arb_bounds(ball)
    middle = (low + high) / 2
    unit = Fraction(10) ** (floor_log(middle, 10) - 5)
    return decimal_down(round(middle / unit) * unit, 6)


def attained(statement: Relation, case: Branch) -> tuple[Remark, ...]:
    """Whether a proved bound is attained somewhere."""
    if statement.relation in ("<", ">", "=="):
        return ()
    left, right = statement_text(statement.left, case), statement_text(statement.right, case)
    gap = left - right
    for point in points(case.domain, 60):
        try:
            equal = moderate(point) and exact_value(gap, point) == 0
        except BoundcalcError:
            continue
        if equal:
            return (Attained(tuple((s.name, x) for s, x in sorted(point.items(), key=lambda e: e[0].name)
                                   if s in gap.free_symbols)),)
    return ()
