"""`independent(LEFT, n)`: the closed form does not mention n, or two values of n give different values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from ..errors import BoundcalcError
from .cases import Branch
from .counterexample import Point, candidates, confirmed, digits_of, holds_at, points
from .domain import admits
from .found import SameWith
from .looseness import derived_bounds
from .model import Domain, Independent, Witness
from .outcome import Outcome
from .substitute import best_upper, put

Digits = tuple[str, bool]


def decide_independent(statement: Independent, case: Branch) -> Outcome:
    s = statement.symbol
    derived = derived_bounds(case)
    tables = list(_exact_tables(case))
    for table in tables:
        f = put(statement.left, table)
        if _constant_in(f, s):
            return Outcome("proved", derived, tactics=("exact algebra",))
    if not tables:
        pinned = _pinned(case)
        if pinned is not None and _constant_in(put(statement.left, pinned), s):
            return Outcome("proved", derived, tactics=("upper and lower bound agree",))
        why = "it is about what is needed" if any(r.needed for r in case.resolved) else "only bounds of it are known"
        uppers = [put(statement.left, best_upper(case.resolved))]
        if any(_constant_in(u, s) for u in uppers):
            return Outcome("undecided", derived, reason=(f"{why}; our upper bound does not depend on {s.name}, "
                           "but no lower bound is known that meets it",))
        return Outcome("undecided", derived, reason=(f"{why}; what we derive depends on {s.name}",))
    f = put(statement.left, tables[0])
    pair = _different(f, s, case.domain)
    if pair is not None:
        point, other, (left, left_exact), (right, right_exact) = pair
        names = {k.name: v for k, v in sorted(point.items(), key=lambda e: e[0].name) if k in f.free_symbols}
        witness = Witness(names, left, right, "!=", SameWith(s.name, other), f, f, (left_exact, right_exact))
        return Outcome("refuted", derived, witness=witness, tactics=("counterexample",))
    goal = sp.diff(f, s) if not f.has(sp.ceiling, sp.floor, sp.Max, sp.Min, sp.Abs) else None
    if goal is not None and sp.expand(goal) == 0:
        return Outcome("proved", derived, tactics=("derivative",))
    return Outcome("supported", derived, reason=("no two values differ at the points looked at, but no tactic proves it",))


def _exact_tables(case: Branch) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    if all(len(r.values) == 1 and r.values[0].exact and not r.needed for r in case.resolved):
        yield {r.call.symbol: r.values[0].upper for r in case.resolved}


def _pinned(case: Branch) -> dict[sp.Symbol, sp.Expr] | None:
    """Quantities whose proved lower bound equals an upper bound."""
    found = {}
    for r in case.resolved:
        value = next((v.upper for v in r.values if v.upper is not None and r.least is not None
                      and sp.expand(v.upper - r.least) == 0), None)
        if value is None:
            return None
        found[r.call.symbol] = value
    return found


def _constant_in(f: sp.Expr, s: sp.Symbol) -> bool:
    return s not in f.free_symbols or s not in sp.expand(f).free_symbols or s not in sp.cancel(sp.together(f)).free_symbols \
        if not f.has(sp.Max, sp.Min, sp.Abs, sp.ceiling, sp.floor) else s not in f.free_symbols


def _different(f: sp.Expr, s: sp.Symbol, domain: Domain) -> tuple[Point, Fraction, Digits, Digits] | None:
    v = domain.variables.get(s)
    if v is None:
        return None
    for point in points(domain, 60):
        for x in candidates(v)[:24]:
            other = {**point, s: x}
            if x == point[s] or not admits(domain, other):
                continue
            swapped = f.xreplace({s: sp.Rational(x.numerator, x.denominator)})
            here = f.xreplace({s: sp.Rational(point[s].numerator, point[s].denominator)})
            if holds_at(here, "==", swapped, point) is False and confirmed(here, "==", swapped, point) is not None:
                try:
                    return point, x, digits_of(here, point), digits_of(swapped, point)
                except BoundcalcError:
                    continue
    return None
