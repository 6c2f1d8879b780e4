"""Where a claim is to hold: the line `for`, what parameters mean by themselves, and the defaults of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor

import sympy as sp

from ..errors import BoundcalcError, InvalidInput
from ..formulas.enclosure import less_equal, less_than, lower, upper
from ..formulas.parser import to_text
from .model import Condition, Domain, Variable

INTEGERS = {"n": 2, "H": 1, "d": 1, "m": 0, "p": 2, "N": 1, "k": None, "L": 1}      # least values where nothing is said
POSITIVE = ("eps", "beta", "eta", "kappa", "M")
DEFAULTS = {"M": Fraction(1), "d": Fraction(1), "delta": Fraction(0)}
MAX_CASES = 64
NEGATED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "=="}


def natural(s: sp.Symbol, mentioned: bool) -> Variable:
    """What the symbol ranges over where the claim does not restrict it."""
    if s.name in INTEGERS and s.is_integer:
        least = INTEGERS[s.name]
        if mentioned and least == 2:
            least = 1
        return Variable(s, None if least is None else Fraction(least), integer=True)
    if s.name in POSITIVE and s.is_positive:
        return Variable(s, Fraction(0), low_open=True)
    if s.name == "delta":
        return Variable(s, Fraction(0))
    return Variable(s)


def build_domains(symbols: Iterable[sp.Symbol], conditions: Iterable[Condition], free: frozenset[str]) -> list[Domain]:
    """The domains that the conditions describe: one, or one for each choice from finite sets.

    `free` are parameters that take no default: the claim itself writes them, or speaks of a limit in them.
    """
    conditions = list(conditions)
    said = {s for c in conditions for e in (c.left, c.right) if e is not None for s in e.free_symbols}
    every = sorted({*symbols, *said}, key=lambda s: s.name)
    variables: dict[sp.Symbol, Variable] = {}
    defaults: dict[str, Fraction] = {}
    for s in every:
        if s.name in DEFAULTS and s not in said and s.name not in free:
            defaults[s.name] = DEFAULTS[s.name]
            variables[s] = Variable(s, DEFAULTS[s.name], DEFAULTS[s.name], integer=bool(s.is_integer))
        else:
            variables[s] = natural(s, s in said)
    sets: dict[sp.Symbol, tuple[Fraction, ...]] = {}
    general: list[tuple[sp.Expr, bool]] = []
    for c in conditions:
        if c.relation == "in":
            sets[c.left] = tuple(x for x in sets.get(c.left, c.members) if x in c.members)
        else:
            assert c.right is not None
            _restrict(variables, general, c)
    if sets and len(list(product(*sets.values()))) > MAX_CASES:
        column = max(c.column for c in conditions if c.relation == "in")
        raise InvalidInput(f"At column {column}: the sets allow more than {MAX_CASES} cases.",
                           "Use intervals, or smaller sets.")
    found = []
    for choice in product(*sets.values()):
        box = dict(variables)
        for s, value in zip(sets, choice, strict=True):
            box[s] = _meet(box[s], Variable(s, value, value, integer=box[s].integer))
        found.append(Domain(box, tuple(general), defaults))
    return found


def _restrict(variables: dict[sp.Symbol, Variable], general: list[tuple[sp.Expr, bool]], c: Condition) -> None:
    left, relation, right = c.left, c.relation, c.right
    assert right is not None
    if right.is_Symbol and not left.free_symbols:
        left, relation, right = right, NEGATED[relation], left
    if left.is_Symbol and not right.free_symbols and (right.is_Rational or right in (sp.oo, -sp.oo)):
        variables[left] = _meet(variables[left], _bound(variables[left], relation, right))
        return
    gap = sp.expand(left - right)
    if len(gap.free_symbols) == 1 and not left.is_Symbol:       # linear in one parameter: a bound of it
        (s,) = gap.free_symbols
        slope = sp.diff(gap, s) if gap.is_polynomial(s) else sp.nan
        if slope.is_Rational and slope != 0 and (end := -gap.xreplace({s: sp.S.Zero}) / slope).is_Rational:
            variables[s] = _meet(variables[s], _bound(variables[s], relation if slope > 0 else NEGATED[relation], end))
            return
    if left.is_Symbol and not right.free_symbols:       # an irrational end: outwards, and the exact condition besides
        value = upper(right) if relation in ("<=", "<") else lower(right)
        if relation != "==":
            variables[left] = _meet(variables[left], _bound(variables[left], relation,
                                                            sp.Rational(value.numerator, value.denominator)))
    gap = sp.expand(right - left) if relation in ("<=", "<", "==") else sp.expand(left - right)
    general.append((gap, relation in ("<", ">")))
    if relation == "==":
        general.append((-gap, False))


def _bound(v: Variable, relation: str, right: sp.Expr) -> Variable:
    s = v.symbol
    if right in (sp.oo, -sp.oo):
        holds = (right == sp.oo) == (relation in ("<=", "<")) and relation != "=="
        return Variable(s) if holds else Variable(s, Fraction(1), Fraction(0))
    x = Fraction(int(right.p), int(right.q))
    match relation:
        case "<=" | "<":
            return Variable(s, None, x, high_open=relation == "<")
        case ">=" | ">":
            return Variable(s, x, None, low_open=relation == ">")
    return Variable(s, x, x)


def _meet(v: Variable, w: Variable) -> Variable:
    """The common part; ends of integers are integers, and closed."""
    low, low_open = v.low, v.low_open
    if w.low is not None and (low is None or w.low > low or (w.low == low and w.low_open)):
        low, low_open = w.low, w.low_open
    high, high_open = v.high, v.high_open
    if w.high is not None and (high is None or w.high < high or (w.high == high and w.high_open)):
        high, high_open = w.high, w.high_open
    if v.integer:
        if low is not None:
            low = Fraction(floor(low) + 1 if low_open else ceil(low))
        if high is not None:
            high = Fraction(ceil(high) - 1 if high_open else floor(high))
        low_open = high_open = False
    return Variable(v.symbol, low, high, low_open, high_open, v.integer)


def with_bound(domain: Domain, s: sp.Symbol, low: int) -> Domain:
    """The domain where that integer is at least `low`."""
    v = domain.variables[s]
    return replace(domain, variables={**domain.variables, s: _meet(v, Variable(s, Fraction(low)))})


def fixed_at(domain: Domain, s: sp.Symbol, value: Fraction) -> Domain:
    v = domain.variables[s]
    return replace(domain, variables={**domain.variables, s: _meet(v, Variable(s, value, value))})


def is_empty(domain: Domain) -> bool:
    """Whether it is plain that no parameters satisfy the conditions."""
    if any(v.empty for v in domain.variables.values()):
        return True
    for gap, strict in domain.conditions:
        if not gap.free_symbols:
            try:
                holds = less_than(sp.S.Zero, gap) if strict else less_equal(sp.S.Zero, gap)
            except BoundcalcError:
                continue
            if holds is False:
                return True
    return False


def admits(domain: Domain, values: dict[sp.Symbol, Fraction]) -> bool:
    """Whether a point certainly belongs to the domain."""
    for s, v in domain.variables.items():
        x = values.get(s)
        if x is None:
            return False
        if v.low is not None and (x < v.low or (x == v.low and v.low_open)):
            return False
        if v.high is not None and (x > v.high or (x == v.high and v.high_open)):
            return False
        if v.integer and x.denominator != 1:
            return False
    for gap, strict in domain.conditions:
        try:
            holds = less_than(sp.S.Zero, gap, values) if strict else less_equal(sp.S.Zero, gap, values)
        except BoundcalcError:
            return False
        if holds is not True:
            return False
    return True


def solved(f: sp.Expr, domain: Domain) -> tuple[sp.Expr, dict[sp.Symbol, Variable]]:
    """f over a box that covers the domain, see `solved_all`."""
    (found,), box = solved_all([f], domain)
    return found, box


def solved_all(parts: list[sp.Expr], domain: Domain, keep: sp.Symbol | None = None,
               ) -> tuple[list[sp.Expr], dict[sp.Symbol, Variable]]:
    """Expressions over a box that covers the domain: conditions linear in a variable (not `keep`) are solved for it.

    g ≥ 0 with g = slope·v + rest becomes v = (t − rest)/slope with a fresh t ≥ 0. Conditions that cannot be solved are
    left out, and so are the ends of v itself, which only enlarges the domain: what is proved there holds.
    """
    from ..formulas.symbols import exchange
    box = dict(domain.variables)
    pending = list(domain.conditions)
    while pending:
        gap, strict = pending.pop(0)
        candidates = [v for s, v in box.items() if s in gap.free_symbols and v.fixed is None and gap.is_polynomial(s)
                      and sp.diff(gap, s).is_Rational and s != keep]
        if not candidates:
            continue
        v = min(candidates, key=lambda v: _loss(v, sp.diff(gap, v.symbol) > 0))
        slope = sp.diff(gap, v.symbol)
        rest = sp.expand(gap - slope * v.symbol)
        if (-gap, False) in pending:        # an equality
            pending.remove((-gap, False))
            value = -rest / slope
        else:
            t = sp.Dummy(f"({to_text(gap)})", nonnegative=True)        # shown as what it stands for
            whole = v.integer and abs(slope) == 1 and rest.is_integer
            box[t] = Variable(t, Fraction(0), low_open=strict and not whole, integer=bool(whole))
            value = (t - rest) / slope
        del box[v.symbol]
        table = {v.symbol: value}
        parts = [exchange(f, table) for f in parts]
        pending = [(exchange(g, table), s) for g, s in pending]
        if len(pending) > 12:
            break
    return parts, box


def _loss(v: Variable, rising: bool) -> tuple[int, str]:
    """How much is forgotten when a condition is solved for this variable: its own ends."""
    ends = sum(end is not None for end in (v.low, v.high))
    away = v.high is not None if rising else v.low is not None
    return (2 * away + ends + v.integer, v.symbol.name)



def add_condition(domain: Domain, c: Condition) -> Domain:
    """The domain with one more condition, as a bound of one variable where it is one."""
    assert c.right is not None
    table = {s: sp.Rational(v.fixed.numerator, v.fixed.denominator) for s, v in domain.variables.items()
             if v.fixed is not None}
    left, right = c.left.xreplace(table), c.right.xreplace(table)
    strict = c.relation in ("<", ">")
    gap = sp.expand(left - right) if c.relation in (">=", ">") else sp.expand(right - left)
    free = [s for s in gap.free_symbols if s in domain.variables]
    if len(free) == 1 and gap.is_polynomial(free[0]) and sp.diff(gap, free[0]).is_Rational:
        s = free[0]
        slope = sp.diff(gap, s)
        end = -gap.xreplace({s: sp.S.Zero}) / slope
        if end.is_Rational:
            relation = (">" if strict else ">=") if slope > 0 else ("<" if strict else "<=")
            v = domain.variables[s]
            return replace(domain, variables={**domain.variables, s: _meet(v, _bound(v, relation, end))})
    return replace(domain, conditions=(*domain.conditions, (gap, strict)))
