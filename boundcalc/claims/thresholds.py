"""Exact conditions: f ≥ 0 exactly when v ≤ g (or v ≥ g), by equivalences only.

Three ways: factors of known sign are dropped until one factor is left that is linear in v; operations around the only
occurrence of v are undone, each being monotone; or, for one integer variable, every value up to the threshold is checked
and all beyond it are excluded by a proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.enclosure import exact_value, less_equal
from ..formulas.symbols import CeilLog, FloorLog
from .boxes import Work, never_zero, point_sign, sign_on, size
from .dominance import prover
from .goals import Goal
from .model import Variable
from .rewriting import factor_list, rewrite

LONGEST = 24            # nodes of a threshold that is worth printing
ENUMERATED = 3000

Box = Mapping[sp.Symbol, Variable]


@dataclass(frozen=True)
class Threshold:
    """The claim holds exactly where symbol REL bound."""

    symbol: sp.Symbol
    relation: str
    bound: sp.Expr

    @property
    def gap(self) -> sp.Expr:
        """≥ 0 (> 0) exactly where it holds."""
        return self.bound - self.symbol if self.relation in ("<=", "<") else self.symbol - self.bound

    @property
    def strict(self) -> bool:
        return self.relation in ("<", ">")


def threshold(f: sp.Expr, strict: bool, box: Box, work: Work) -> Threshold | None:
    """An exact condition in one variable for f ≥ 0 (f > 0) on the box, if one of the ways finds it."""
    free = [v for s, v in box.items() if s in f.free_symbols and v.fixed is None]
    order = sorted(free, key=lambda v: (_preference(v.symbol.name), v.symbol.name))
    for v in order:
        found = _by_factors(f, strict, v, box, work) or _by_undoing(f, strict, v, box, work)
        if found is not None and size(found.bound) <= LONGEST and (len(free) == 1 or size(found.bound) <= 9):
            return _whole(found, v)
    if len(free) == 1 and free[0].integer:
        return _by_counting(f, strict, free[0])
    return None


def _preference(name: str) -> int:
    order = ("beta", "n", "eps", "m", "p", "H", "N", "d", "L", "M", "delta", "kappa")
    return order.index(name) if name in order else len(order)


def _whole(found: Threshold, v: Variable) -> Threshold:
    """For integers, a rational bound is rounded to the last value that satisfies it."""
    if not v.integer or found.bound.free_symbols:
        return found
    up = found.relation in (">=", ">")
    try:
        value = exact_value((sp.ceiling if up else sp.floor)(found.bound))
    except BoundcalcError:
        return found
    if value is None:
        return found
    bound = sp.Integer(int(value))
    if found.strict and bound == found.bound:
        bound += 1 if up else -1
    return Threshold(found.symbol, ">=" if up else "<=", bound)


def _definite(f: sp.Expr, box: Box, work: Work) -> int | None:
    """1 or −1 if f has that sign and is nowhere zero."""
    found = sign_on(f, box, work)
    if found in (2, -2) or (found in (1, -1) and never_zero(f, box, work)):
        return 1 if found > 0 else -1
    return None


def _by_factors(f: sp.Expr, strict: bool, v: Variable, box: Box, work: Work) -> Threshold | None:
    if size(f) > 200:
        return None
    top, bottom = sp.fraction(sp.together(rewrite(f)))
    sign = _definite(bottom, box, work)
    if sign is None:
        return None
    left: list[sp.Expr] = []
    for part, exponent in factor_list(top):
        known = _definite(part, box, work)
        if known is None:
            if exponent % 2 == 0:
                return None
            left.append(part)
        elif exponent % 2:
            sign *= known
    if len(left) != 1 or not left[0].is_polynomial(v.symbol):
        return None
    poly = sp.Poly(left[0], v.symbol)
    if poly.degree() != 1:
        return None
    slope, rest = poly.all_coeffs()
    direction = _definite(slope, box, work)
    if direction is None:
        return None
    rising = direction * sign > 0
    return Threshold(v.symbol, (">" if strict else ">=") if rising else ("<" if strict else "<="), sp.cancel(-rest / slope))


def _by_undoing(f: sp.Expr, strict: bool, v: Variable, box: Box, work: Work) -> Threshold | None:
    """Undo what is done to the only occurrence of v: e REL r, where e contains v and r does not."""
    if sum(1 for e in sp.preorder_traversal(f) if e == v.symbol) != 1:
        return None
    e, relation, r = f, ">" if strict else ">=", sp.S.Zero
    for _ in range(20):
        if e == v.symbol:
            return Threshold(v.symbol, relation, r)
        step = _undo(e, relation, r, v.symbol, box, work)
        if step is None:
            return None
        e, relation, r = step
    return None


def _flip(relation: str) -> str:
    return {">": "<", ">=": "<=", "<": ">", "<=": ">="}[relation]


def _undo(e: sp.Expr, relation: str, r: sp.Expr, s: sp.Symbol, box: Box, work: Work) -> tuple[sp.Expr, str, sp.Expr] | None:
    if e.is_Add:
        rest, inner = e.as_independent(s, as_Add=True)
        return inner, relation, r - rest
    if e.is_Mul:
        rest, inner = e.as_independent(s, as_Add=False)
        sign = _definite(rest, box, work)
        return None if sign is None else (inner, relation if sign > 0 else _flip(relation), r / rest)
    if isinstance(e, sp.exp) or (e.is_Pow and s not in e.base.free_symbols):
        base = sp.E if isinstance(e, sp.exp) else e.base
        if _definite(r, box, work) != 1 or _definite(base, box, work) != 1:
            return None
        slope = sp.log(base)
        sign = 1 if base == sp.E else _definite(slope, box, work)
        exponent = e.args[0] if isinstance(e, sp.exp) else e.exp
        return None if sign is None else (exponent, relation if sign > 0 else _flip(relation),
                                          sp.expand_log(sp.log(r)) if base == sp.E else sp.log(r) / slope)
    if e.is_Pow and e.exp.is_Rational:
        if sign_on(e.base, box, work) not in (1, 2) or sign_on(r, box, work) not in (1, 2) or (
                e.exp < 0 and _definite(r, box, work) != 1):
            return None
        return e.base, relation if e.exp > 0 else _flip(relation), r ** (1 / e.exp)
    if isinstance(e, sp.log):
        return e.args[0], relation, sp.exp(r)
    if isinstance(e, sp.LambertW):
        return (e.args[0], relation, r * sp.exp(r)) if sign_on(r, box, work) in (0, 1, 2) else None
    if isinstance(e, sp.tanh) and r.is_number and _between(r):
        return e.args[0], relation, sp.log((1 + r) / (1 - r)) / 2
    if isinstance(e, (sp.ceiling, sp.floor, CeilLog, FloorLog)) and r.is_Rational:
        return _undo_rounding(e, relation, r)
    return None


def _between(r: sp.Expr) -> bool:
    try:
        return less_equal(sp.Abs(r), sp.Rational(999, 1000)) is True
    except BoundcalcError:
        return False


def _undo_rounding(e: sp.Expr, relation: str, r: sp.Expr) -> tuple[sp.Expr, str, sp.Expr]:
    """⌈u⌉ ≤ c iff u ≤ ⌊c⌋; ⌈u⌉ ≥ c iff u > ⌈c⌉ − 1; ⌊u⌋ ≥ c iff u ≥ ⌈c⌉; ⌊u⌋ ≤ c iff u < ⌊c⌋ + 1; strict ones likewise."""
    up = isinstance(e, (sp.ceiling, CeilLog))
    if relation in ("<=", "<"):
        whole = sp.floor(r) if relation == "<=" else sp.ceiling(r) - 1      # the largest value allowed
        found = ("<=", whole) if up else ("<", whole + 1)
    else:
        whole = sp.ceiling(r) if relation == ">=" else sp.floor(r) + 1      # the smallest value allowed
        found = (">", whole - 1) if up else (">=", whole)
    inner = e.args[0]
    if isinstance(e, (CeilLog, FloorLog)):
        return inner, found[0], e.args[1] ** found[1]
    return inner, found[0], found[1]


def _by_counting(f: sp.Expr, strict: bool, v: Variable) -> Threshold | None:
    """True up to some n and false from there on (or the other way round): values are checked, the rest is proved."""
    if v.low is None:
        return None
    last = int(v.low) + ENUMERATED if v.high is None else min(int(v.high), int(v.low) + ENUMERATED)
    first = point_sign(f, {v.symbol: v.low}, strict)
    if first is None:
        return None
    n = int(v.low)
    while n < last:
        answer = point_sign(f, {v.symbol: Fraction(n + 1)}, strict)
        if answer is None:
            return None
        if answer != first:
            break
        n += 1
    else:
        return None
    tail = {v.symbol: Variable(v.symbol, Fraction(n + 1), v.high, integer=True)}
    goal = Goal(-f, not strict, tail) if first else Goal(f, strict, tail)
    if not prover(seconds=3).attempt(goal):
        return None
    return Threshold(v.symbol, "<=", sp.Integer(n)) if first else Threshold(v.symbol, ">=", sp.Integer(n + 1))
