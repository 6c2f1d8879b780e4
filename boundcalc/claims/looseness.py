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
from .model import Relation
from .substitute import best_upper, put

SHORT = 14                  # nodes of a quotient that is printed


def statement_text(expr: sp.Expr, case: Branch) -> sp.Expr:
    """The side with our closed forms in it."""
    return put(expr, best_upper(case.resolved))


def derived_text(case: Branch) -> str | None:
    if not case.resolved:
        return None
    shown = []
    for r in case.resolved:
        for v in r.values[:3]:
            bound = v.upper if v.upper is not None else v.lower
            if bound is None:
                continue
            sign = "=" if v.exact and not r.needed else "<=" if v.upper is not None else ">="
            where = f" by {v.source}" if r.needed else ""
            shown.append(f"{r.call.text} {sign} {to_text(bound)}{where}")
            if not r.needed and v.upper is not None and v.lower is not None and not v.exact:
                shown.append(f"{r.call.text} >= {to_text(v.lower)}")
    return "; ".join(shown) or None


def looseness(statement: Relation, case: Branch) -> str | None:
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
        return to_text(quotient)
    if not quotient.free_symbols:
        try:
            text, exact = digits_of(quotient, {}, 8)
            return text if exact else f"{text}…"
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
    spread = low if low == high else f"{low} to {high}"
    symbolic = f"{to_text(quotient)}, " if size(quotient) <= SHORT else ""
    return f"{symbolic}{spread} at {len(values)} points"


def _shown(ball: arb) -> str:
    if ball > arb(10) ** 30:
        return "more than 10^30"
    if ball < arb(10) ** -30:
        return "less than 10^-30"
    low, high = arb_bounds(ball)
    middle = (low + high) / 2
    unit = Fraction(10) ** (floor_log(middle, 10) - 5)
    return decimal_down(round(middle / unit) * unit, 6)


def attained(statement: Relation, case: Branch) -> tuple[str, ...]:
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
            at = ", ".join(f"{s.name} = {to_text(sp.Rational(x.numerator, x.denominator))}"
                           for s, x in sorted(point.items(), key=lambda e: e[0].name) if s in (left - right).free_symbols)
            return ("equality with what we derive" + (f", for example at {at}" if at else ""),)
    return ()
