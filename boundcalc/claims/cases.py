"""A claim with its quantities resolved and its domain built: one case, or several that together make up the claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp

from ..errors import InvalidInput
from ..formulas.parser import to_text
from ..formulas.symbols import CeilLog, FloorLog, exchange, symbol
from .boxes import Work, sign_on
from .domain import DEFAULTS, add_condition, build_domains, fixed_at, is_empty, solved, with_bound
from .dominance import nonnegative
from .found import ByDefault, Remark, TakenWhere, Values
from .model import Condition, Domain, Exists, Growth, Independent, Reading, Relation, Statement
from .quantities import Unresolved, affine_distance, resolve_quantity
from .value import Resolved

M = symbol("m")


@dataclass(frozen=True)
class Branch:
    reading: Reading
    domain: Domain
    resolved: tuple[Resolved, ...]
    writes_defaults: Values = ()


def expressions(statement: Statement) -> tuple[sp.Expr, ...]:
    match statement:
        case Relation(left=left, right=right) | Growth(left=left, right=right):
            return left, right
        case Independent(left=left):
            return (left,)
        case Exists(body=body):
            return body.left, body.right
    raise AssertionError(statement)


def written(reading: Reading) -> set[sp.Symbol]:
    """The parameters that the claim itself writes, also as arguments of quantities."""
    parts = [*expressions(reading.statement), *(a for q in reading.quantities for a in q.arguments or ())]
    found = {s for e in parts for s in e.free_symbols}
    if isinstance(reading.statement, (Growth, Independent)):
        found.add(reading.statement.symbol)
    if isinstance(reading.statement, Exists):
        found.discard(reading.statement.constant)
    return found - {q.symbol for q in reading.quantities} - {symbol("C")}


Cases = tuple[list[Branch], tuple[Remark, ...]]


def resolve(reading: Reading) -> tuple[Resolved, ...]:
    """What the quantities of a claim are worth, whatever its cases."""
    return tuple(resolve_quantity(q, _mentioned(reading), {}) for q in reading.quantities)


def _said(reading: Reading) -> set[sp.Symbol]:
    """The parameters of which the claim's conditions speak."""
    return {s for c in reading.conditions for e in (c.left, c.right) if e is not None for s in e.free_symbols}


def _mentioned(reading: Reading) -> frozenset[str]:
    return frozenset(s.name for s in written(reading) | _said(reading))


def cases_of(reading: Reading, plain: tuple[Resolved, ...], at_defaults: bool = False) -> Cases:
    """The cases that are not empty, and notes on what was assumed."""
    own, said, mentioned = written(reading), _said(reading), _mentioned(reading)
    limits = {reading.statement.symbol.name} if isinstance(reading.statement, (Growth, Independent)) else set()
    free = frozenset(limits if at_defaults else {s.name for s in own})
    unsaid = {s.name for s in own - said} & DEFAULTS.keys() - limits
    writes = tuple((name, DEFAULTS[name]) for name in sorted(unsaid))
    cases: list[Branch] = []
    for domain in _domains(reading, plain, own, free):
        if is_empty(domain):
            continue
        kept = tuple(_valid(r, domain) for r in plain)
        for part, resolved in _split_levels(reading, domain, kept, mentioned):
            if not is_empty(part):
                cases.append(Branch(reading, part, resolved, () if at_defaults else writes))
    notes: list[Remark] = _assumed(reading, plain, own | said)
    if cases and cases[0].domain.defaults:
        notes.append(ByDefault(tuple(cases[0].domain.defaults.items())))
    return cases, tuple(notes)


def _assumed(reading: Reading, resolved: tuple[Resolved, ...], claimed: set[sp.Symbol]) -> list[Remark]:
    """Conditions without which a quantity means nothing, where they concern parameters of the claim and are not in it."""
    said = [f"{to_text(c.left)} {c.relation} {to_text(c.right)}" for c in reading.conditions if c.right is not None]
    free = _said(reading)
    found: list[Remark] = []
    for r in resolved:
        for c in _common(r, claimed):
            if c.right is None or not (c.left.free_symbols | c.right.free_symbols) & free:
                continue
            text = f"{to_text(c.left)} {c.relation} {to_text(c.right)}"
            if text not in said and not _bounds_imply(reading, c):
                found.append(TakenWhere(replace(c, column=0), r.call.text))
    return list(dict.fromkeys(found))


def _bounds_imply(reading: Reading, c: Condition) -> bool:
    """Whether the claim's own conditions already give it."""
    symbols = c.left.free_symbols | (c.right.free_symbols if c.right is not None else set())
    return all(_implied(c, d) for d in build_domains(symbols, reading.conditions, frozenset()) if not is_empty(d))


def _symbols(resolved: tuple[Resolved, ...]) -> set[sp.Symbol]:
    found: set[sp.Symbol] = set()
    for r in resolved:
        for v in r.values:
            for e in (v.lower, v.upper):
                if e is not None:
                    found |= e.free_symbols
        if r.least is not None:
            found |= r.least.free_symbols
    return found - {symbol("C")}


def _domains(reading: Reading, resolved: tuple[Resolved, ...], own: set[sp.Symbol], free: frozenset[str]) -> list[Domain]:
    said = _said(reading)
    symbols = own | said | _symbols(resolved)
    conditions = list(reading.conditions)
    extra = [c for r in resolved for c in _common(r, own | said) if c.right is not None
             and (c.left.free_symbols | c.right.free_symbols) <= symbols]
    found = build_domains(symbols, conditions, free)
    if extra:
        # a default stays, also where a quantity has a condition on that parameter
        found = [replace(tighter, defaults=plain.defaults, variables={
            s: plain.variables[s] if s.name in plain.defaults else v for s, v in tighter.variables.items()})
            for plain, tighter in zip(found, build_domains(symbols, [*conditions, *extra], free), strict=True)]
    for domain in found:
        for s, v in domain.variables.items():
            if not v.empty and v.integer and s.is_positive and v.low is not None and v.low < 1:
                column = next((c.column for c in conditions if s in c.left.free_symbols), 1)
                raise InvalidInput(f"At column {column}: {s.name} is at least 1.", "Correct the condition.")
    return found


def _common(r: Resolved, claimed: set[sp.Symbol]) -> list[Condition]:
    """Conditions that every value of a quantity comes with, and those on parameters that the claim does not speak of."""
    def about(c: Condition) -> set[sp.Symbol]:
        return (c.left.free_symbols | c.right.free_symbols) if c.right is not None else set()
    shared = [c for c in r.values[0].conditions if all(c in v.conditions for v in r.values)]
    own = [c for v in r.values for c in (*v.conditions, *v.validity) if not about(c) & claimed]
    return list(dict.fromkeys([*shared, *own]))


def _valid(r: Resolved, domain: Domain) -> Resolved:
    """The quantity without values whose conditions are not known to hold on the domain; the same for its lower bound."""
    if r.least is not None and r.least != 0:
        distance = affine_distance(r.call.name)
        if symbol("M") not in domain.variables:
            distance = distance.xreplace({symbol("M"): sp.S.One})
        if not _implied(Condition(symbol("eps"), "<", distance), domain):
            r = replace(r, least=sp.S.Zero)
    kept = tuple(v for v in r.values if all(_implied(c, domain) for c in (*v.conditions, *v.validity)))
    if not kept:
        missing = next(c for c in (*r.values[0].conditions, *r.values[0].validity) if not _implied(c, domain))
        shown = f"{to_text(missing.left)} {missing.relation} {to_text(missing.right)}" if missing.right is not None else ""
        raise Unresolved(f"What is derived for {r.call.text} is proved for {shown} only.", "Add this to the line for.")
    return replace(r, values=kept)


def _implied(c: Condition, domain: Domain) -> bool:
    assert c.right is not None
    gap = sp.expand(c.left - c.right if c.relation in (">=", ">") else c.right - c.left)
    strict = c.relation in ("<", ">")
    if any(g == gap and (s or not strict) for g, s in domain.conditions):
        return True
    if not gap.free_symbols <= domain.variables.keys():
        return True         # it can be met by a parameter that does not occur in the claim
    f, box = solved(gap, domain)
    return nonnegative(f, box, strict, seconds=0.5)


Part = tuple[Domain, tuple[Resolved, ...]]


def _split_levels(reading: Reading, domain: Domain, plain: tuple[Resolved, ...], mentioned: frozenset[str]) -> list[Part]:
    """Where a repeated part is not there at all (m = 0), a network has another structure: that case is derived anew."""
    rules = list(dict.fromkeys(v.chosen["m"] for r in plain for v in r.values if v.chosen and "m" in v.chosen))
    if len(rules) > 1 and all(r.needed for r in plain):     # of several constructions, those that choose m alike will do
        plain = tuple(replace(r, values=tuple(
            v for v in r.values if not v.chosen or v.chosen.get("m", rules[0]) == rules[0])) for r in plain)
        rules = rules[:1]

    def derived_at(s: sp.Symbol, k: int) -> tuple[Resolved, ...]:
        sources = {v.source for r in plain for v in r.values}
        found = (resolve_quantity(q, mentioned, {s: sp.Integer(k)}) for q in reading.quantities)
        return tuple(replace(r, values=tuple(v for v in r.values if v.source in sources)) for r in found)

    if rules:
        split = _first_level(rules[0])
        if split is None or len(rules) > 1:
            raise _unsplit()
        rule, present = split
        some = tuple(_with_rule(r, rules[0], rule) for r in plain)
        none = tuple(_with_rule(r, rules[0], sp.S.Zero) for r in derived_at(M, 0))
        return [(add_condition(domain, present), some), (add_condition(domain, _negated(present)), none)]
    parts: list[Part] = []
    for s, k in dict.fromkeys(x for r in plain for v in r.values for x in v.small):
        v = domain.variables.get(s)
        if v is None or v.low is None or v.low > k or (v.high is not None and v.high < k):
            continue
        small = derived_at(s, k)
        if not all(_same_at(a, b, s, k) for a, b in zip(plain, small, strict=True)):
            parts.append((fixed_at(domain, s, Fraction(k)), small))
            domain = with_bound(domain, s, k + 1)
    return [(domain, plain), *parts]


def _unsplit() -> Unresolved:
    return Unresolved("It is not seen from which eps on the network has levels at all.", "Name m in the claim.")


def _same_at(a: Resolved, b: Resolved, s: sp.Symbol, k: int) -> bool:
    """Whether the general closed forms also give those of the small case."""
    def at(e: sp.Expr | None) -> sp.Expr | None:
        return None if e is None else sp.expand(exchange(e, {s: sp.Integer(k)}))
    return len(a.values) == len(b.values) and all(
        at(x.upper) == at(y.upper) and at(x.lower) == at(y.lower) for x, y in zip(a.values, b.values, strict=True))


def _with_rule(r: Resolved, old: sp.Expr, new: sp.Expr) -> Resolved:
    def changed(e: sp.Expr | None) -> sp.Expr | None:
        return None if e is None else e.xreplace({old: new, M: new})
    return replace(r, values=tuple(replace(v, lower=changed(v.lower), upper=changed(v.upper)) for v in r.values))


def _first_level(rule: sp.Expr) -> tuple[sp.Expr, Condition] | None:
    """max(0, ⌊log_b Q⌋ + c): without the max, and the condition under which it is at least 1."""
    if not isinstance(rule, sp.Max) or sp.S.Zero not in rule.args or len(rule.args) != 2:
        return None
    inner = next(a for a in rule.args if a != 0)
    logs = list(inner.atoms(CeilLog, FloorLog))
    if len(logs) != 1 or not (inner - logs[0]).is_Integer:
        return None
    shift, (quotient, base) = inner - logs[0], logs[0].args
    top, bottom = sp.fraction(sp.together(quotient))
    if sign_on(bottom, {}, Work()) is None and not bottom.is_positive:
        return None
    if isinstance(logs[0], FloorLog):
        return inner, Condition(top, ">=", base ** (1 - shift) * bottom)
    return inner, Condition(top, ">", base ** (-shift) * bottom)


def _negated(c: Condition) -> Condition:
    return replace(c, relation={">=": "<", ">": "<=", "<=": ">", "<": ">="}[c.relation])
