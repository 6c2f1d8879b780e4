"""The door of the checker: a claim, its conditions, trusted rows and the bytes of a proof object go in, a verdict comes out.

What each verdict asserts stands in docs/claims.md. Every exception inside, whatever it is, is a rejection.
"""

# ruff: noqa: I001  (imported names are not one to a line)
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .claims import DEFAULTS, OPPOSITE, WHOLE, Requirement, Stated, gap, read_conditions, read_statement, restrict
from .domains import (
    ALL, PINF, Domain, Extent, Precision, Undefined, empty, holds, integral, meet, point, rng, sign_of, whole)
from .forms import Interned, same
from .networks import Attached, Row, attach, counts_of, digest, kind_of, value_of
from .rules import Object, cut_ranges, defined, entry, prove
from .terms import (
    MAX_STEPS,
    ZERO,
    Reader,
    Reject,
    Term,
    Unreadable,
    Work,
    add,
    fn,
    free,
    mul,
    neg,
    num,
    placed,
    read_number,
    read_term,
    show,
    sub,
    sym,
)

Values = dict[str, Term]
INFINITY: Term = ("f", "inf", ())
MOST_BYTES = 20_000_000


@dataclass(frozen=True)
class Decision:
    """What the checker says: the verdict, what was assumed beyond the text, and the rows that were believed."""

    verdict: str
    assumed: tuple[str, ...] = ()
    condition: str | None = None
    points: tuple[Mapping[str, str], ...] = ()          # witnesses, or points of the domain
    constant: str | None = None
    rows: tuple[tuple[str, str], ...] = ()              # id and hash
    steps: int = 0


def check(claim: str, conditions: str, proof: bytes, axioms: Sequence[Row] = ()) -> Decision:
    """The verdict that the object proves; Unreadable if the claim is not in the grammar, Reject if it proves nothing."""
    Work.begin()
    Interned.begin()
    table = {str(row["id"]): row for row in axioms}
    stated = stated_of(claim, conditions, axioms)
    try:
        if len(proof) > MOST_BYTES:
            raise Reject("the object is too large")
        body = json.loads(proof)
        if not isinstance(body, dict):
            raise Reject("shape of the object")
        checked = _Check(stated, table)
        found = checked.verdict(body.get("verdict"), entry(body, "proof", dict))
        return Decision(found, tuple(dict.fromkeys((*stated.assumed, *checked.assumed))), checked.condition,
                        tuple(checked.points), checked.constant,
                        tuple((i, digest(table[i])) for i in dict.fromkeys(checked.rows)), MAX_STEPS - Work.steps)
    except Reject:
        raise
    except Exception as problem:
        raise Reject(f"{type(problem).__name__}: {problem}") from None


def stated_of(claim: str, conditions: str, axioms: Sequence[Row] = ()) -> Stated:
    """The claim as it is read; Unreadable otherwise."""
    try:
        quantities = read_statement(claim, conditions, frozenset()).quantities
        return read_statement(claim, conditions, counts_of(quantities, axioms))
    except (RecursionError, ValueError, OverflowError) as problem:
        raise Unreadable(1, f"the text cannot be read ({type(problem).__name__})") from None


# --- points -----------------------------------------------------------------------------------------------------------

def read_values(content: Any) -> Values:
    """Coordinates are terms without symbols: rationals, or such as 2**(1/2)."""
    if not isinstance(content, dict):
        raise Reject("a point")
    found = {x: read_term(v) for x, v in content.items()}
    if any(free(t) for t in found.values()):
        raise Reject("a coordinate contains a symbol")
    return found


def inside(g: Domain, table: Values, h: Domain) -> list[tuple[Term, str]]:
    """What says that a point, given by terms that are defined on h, lies in g."""
    goals: list[tuple[Term, str]] = []
    for x, r in g.box.items():
        if x not in table or not isinstance(r, Extent):
            raise Reject(f"no value of {x}")
        t = table[x]
        if x in g.ints and not whole(t, h):
            raise Reject(f"{x} must be whole")
        if t[0] == "n":
            if empty(meet(r, point(t[1]))):
                raise Reject(f"{x} = {show(t)} is not in the domain")
            continue
        if r.lo is not None:
            goals.append((sub(t, ("n", r.lo)), ">" if r.lo_open else ">="))
        if r.hi is not None:
            goals.append((sub(("n", r.hi), t), ">" if r.hi_open else ">="))
    return goals + [(placed(t, table), ">" if strict else ">=") for t, strict in g.hyps]


def decide(h: Domain, f: Term, rel: str) -> None:
    """f REL 0 at a point (h has at most quantities as variables): by normal form, or by balls of growing precision."""
    old = Precision.bits
    try:
        for bits in (80, 300, 1200, 4000):
            Precision.bits = bits
            at = h.but()
            try:
                r = rng(f, at)
            except Undefined as missing:
                if bits < 4000 and missing.rel != "whole":
                    continue
                raise Reject(f"undefined at the point: {missing}") from None
            if holds(r, rel) or (rel != ">" and bits == 80 and same(f, ZERO, at)):
                return
            if sign_of(r) in (1, -1):
                break
        raise Reject("the point does not show it")
    finally:
        Precision.bits = old


# --- verdicts ---------------------------------------------------------------------------------------------------------

class _Check:
    def __init__(self, stated: Stated, table: Mapping[str, Row]) -> None:
        self.stated, self.table = stated, table
        self.assumed: list[str] = []
        self.conditions: list[Requirement] = []         # assumed somewhere: they are asked of every point
        self.rows: list[str] = []
        self.points: list[Mapping[str, str]] = []
        self.condition: str | None = None
        self.constant: str | None = None
        self.only_constant = False

    def verdict(self, name: Any, body: Object) -> str:
        kind = self.stated.kind
        if name not in ("proved", "refuted", "vacuous") and (kind, name) != ("relation", "conditional"):
            raise Reject("this verdict is not possible for this claim")
        if kind == "relation" and name != "vacuous" and INFINITY in (self.stated.left, self.stated.right):
            raise Reject("a side is infinite")
        getattr(self, f"{kind}_{name}" if name in ("proved", "refuted") else name)(body)
        return str(name)

    def attached(self, g: Domain, use: Any, values: Values | None = None) -> Attached:
        found: Attached = attach(g, self.stated, self.table, use, values=values, constant=self.only_constant)
        self.assumed += found.assumed
        self.conditions += found.conditions
        self.rows += found.rows
        return found

    def case(self, cases: Sequence[Domain], body: Object) -> Domain:
        i = entry(body, "case", int)
        if not 0 <= i < len(cases):
            raise Reject("case")
        return cases[i]

    def point(self, g: Domain, body: Object) -> tuple[Values, Domain]:
        """A point of g, and the domain of the quantities there."""
        table = read_values(body.get("point"))
        own = {x: table[x] for x in g.box if x in table}
        nothing = Domain({}, ())
        for f, rel in inside(g, own, nothing):
            decide(nothing, f, rel)
        h, known = nothing, set(own)
        if self.stated.quantities:
            numbers = Domain({x: point(v[1]) for x, v in own.items() if v[0] == "n"}, g.ints)
            h = self.attached(numbers, body.get("use"), table).domain
            known |= set(h.box) - set(self.stated.quantities)
            h = Domain({x: r for x, r in h.box.items() if x in self.stated.quantities}, h.ints)
        self.existing(table)
        self.points.append({x: show(v) for x, v in table.items() if x in known})
        return own, h

    def existing(self, table: Values) -> None:
        """What was assumed so far holds at a point: a proof on an empty domain is none."""
        for c in self.conditions:
            f, rel = gap(c.left, c.rel, c.right)
            own = {x: value_of(x, table) for x in c.symbols - self.stated.mentioned}
            decide(Domain({}, ()), placed(f, {**table, **own}), rel)

    def parts(self, body: Object, cases: Sequence[Domain]) -> list[Domain]:
        """The cases, cut further where the object says so: the parts of a cut cover the range of the variable."""
        found = list(cases)
        for cut in body.get("splits", []):
            x, ranges = cut[0], cut_ranges(cut[1])
            if x == self.stated.symbol and self.stated.kind in ("independent", "growth"):
                raise Reject("no cut in the variable of the claim")
            new = []
            for g in found:
                if x not in g.box:
                    g = self.with_parameter(g, x)
                new += [g.within(x, r) for r in ranges]
            found = new
        return found

    def with_parameter(self, g: Domain, x: str) -> Domain:
        """A parameter of the networks that neither claim nor `for` mentions: all values of its kind, or its default."""
        if x in self.stated.mentioned or not any(x in row.get("relevant", ()) for row in self.table.values()):
            raise Reject(f"{x} is no parameter")
        r = kind_of(x)
        if r != ALL:
            self.assumed.append(f"{x} == {r.lo}" if x in DEFAULTS else f"{x} {'>' if r.lo_open else '>='} {r.lo}")
        return g.but({**g.box, x: r}, ints=g.ints | ({x} & WHOLE))

    # relations

    def all_hold(self, left: Term, rel: str, right: Term, cases: Sequence[Domain], proofs: Any) -> None:
        if not isinstance(proofs, list) or len(proofs) != len(cases):
            raise Reject(f"{len(cases)} proofs are needed")
        for g, p in zip(cases, proofs, strict=True):
            if g.is_empty():
                continue
            h = self.attached(g, p.get("use")).domain
            h = defined([left, right], h, p.get("defs"))
            f, goal = gap(left, rel, right)
            prove(h, f, goal, p.get("p"))

    def inhabited(self, cases: Sequence[Domain], body: Any) -> None:
        if not isinstance(body, dict):
            raise Reject("a point of the domain is needed")
        self.point(self.case(cases, body), body)

    def relation_proved(self, body: Object) -> None:
        s = self.stated
        cases = self.parts(body, s.cases)
        self.all_hold(s.left, s.rel, s.right, cases, body.get("cases"))
        self.inhabited(cases, body.get("inhabited"))

    def relation_refuted(self, body: Object) -> None:
        """A point of the domain at which both sides are defined and the relation fails."""
        s = self.stated
        table, h = self.point(self.case(s.cases, body), body)
        left, right = placed(s.left, table), placed(s.right, table)
        if s.rel == "==":
            f, goal = gap(left, ">" if body.get("sign") != -1 else "<", right)
        else:
            f, goal = gap(left, OPPOSITE[s.rel], right)
        decide(h, f, goal)

    def conditional(self, body: Object) -> None:
        """True with the condition, false without it, at every point of the domain; both parts have a point."""
        s = self.stated
        reader = Reader(entry(body, "condition", str))
        found: list[Requirement] = []
        types: dict[str, bool] = {}
        read_conditions(reader, found, types)
        reader.end()
        if (types or len(found) != 1 or found[0].members is not None or "==" in (found[0].rel, s.rel)
                or reader.quantities):
            raise Reject("conditional")
        condition: Requirement = found[0]
        cases = self.parts(body, s.cases)
        for x in sorted(condition.symbols - s.mentioned):
            cases = [self.with_parameter(g, x) for g in cases]
        for g in cases:                         # a condition divides only where it means something
            defined([condition.left, condition.right], g)
        inner = [h for g in cases for h in restrict(g, condition)]
        outer = [h for g in cases for h in restrict(g, condition.opposite)]
        self.all_hold(s.left, s.rel, s.right, inner, body.get("inside"))
        self.all_hold(s.left, OPPOSITE[s.rel], s.right, outer, body.get("outside"))
        self.inhabited(outer, body.get("out"))
        self.inhabited(inner, body.get("in"))
        self.condition = body["condition"]

    def vacuous(self, body: Object) -> None:
        """The domain is empty, the limit is never taken, there are no two points, a side is inf, or a constant will do."""
        s, why = self.stated, body.get("why")
        if why == "empty":
            proofs = entry(body, "cases", list)
            if len(proofs) != len(s.cases):
                raise Reject("cases")
            for g, p in zip(s.cases, proofs, strict=True):
                if not g.is_empty():
                    g = defined([t for t, _ in g.hyps], g, p.get("defs"))
                    prove(g, ZERO, ">", p.get("p"))
        elif why == "limit" and s.kind == "growth":
            if any(self.sides(g) for g in s.cases if not g.is_empty()):
                raise Reject("the limit is taken")
        elif why == "alone" and s.kind == "independent":
            places = {g.box[s.symbol] for g in s.cases if not g.is_empty()}
            if len(places) > 1 or any(not isinstance(r, Extent) or r.lo is None or r.lo != r.hi for r in places):
                raise Reject("there may be two points")
        elif why == "infinite" and s.kind == "relation":
            large = s.right if s.rel in ("<", "<=") else s.left if s.rel in (">", ">=") else ZERO
            other = s.left if large is s.right else s.right
            if large != INFINITY or other == INFINITY:
                raise Reject("no side is infinite")
            for g, p in zip(s.cases, entry(body, "cases", list), strict=True):
                if not g.is_empty():
                    defined([other], self.attached(g, p.get("use")).domain, p.get("defs"))
            self.inhabited(s.cases, body.get("inhabited"))
        elif why == "constant" and s.kind in ("relation", "exists") and s.quantities:
            again = self.relation_proved if s.kind == "relation" else self.exists_proved
            again(entry(body, "proved", dict))
            self.only_constant = True
            again(entry(body, "constant", dict))
        else:
            raise Reject("vacuous")

    # exists

    def exists_proved(self, body: Object) -> None:
        """One number for all points."""
        s, value = self.stated, ("n", read_number(body.get("constant")))
        cases = self.parts(body, s.cases)
        self.all_hold(placed(s.left, {s.symbol: value}), s.rel, placed(s.right, {s.symbol: value}), cases, body.get("cases"))
        self.inhabited(cases, body.get("inhabited"))
        self.constant = f"{s.symbol} = {show(value)}"

    def exists_refuted(self, body: Object) -> None:
        """For every real value of the constant a point of the domain, given by terms in it, at which the relation fails."""
        s = self.stated
        ranges, parts = cut_ranges(entry(body, "cuts", list)), entry(body, "parts", list)
        if len(ranges) != len(parts):
            raise Reject("parts")
        cases = self.parts(body, s.cases)       # parts of the domain: what lies in one of them lies in the domain
        for r, p in zip(ranges, parts, strict=True):
            g = self.case(cases, p)
            table = {x: read_term(v) for x, v in entry(p, "at", dict).items()}
            if any(free(t) - {s.symbol} for t in table.values()):
                raise Reject("a coordinate may contain the constant alone")
            h = defined(list(table.values()), Domain({s.symbol: r}, ()), p.get("d"))
            own = {x: table[x] for x in g.box if x in table}
            goals = inside(g, own, h)
            proofs = self.all_goals(h, goals, entry(p, "p", list))
            h = self.along(h, g, table, p.get("use"), goals)
            left, right = placed(s.left, own), placed(s.right, own)
            h = defined([left, right], h, p.get("d2"))
            side = OPPOSITE.get(s.rel, "<" if p.get("sign") == -1 else ">")      # what fails is not equal
            self.all_goals(h, [gap(left, side, right)], proofs)

    def along(self, h: Domain, g: Domain, table: Values, use: Any, goals: list[tuple[Term, str]]) -> Domain:
        """Quantities at points that are given by terms: variables with the facts of their rows there.

        The rows are attached to the whole of g, where their conditions are proved, and the points are put in. They lie in
        what the assumptions leave of g, with the parameters that the rows bring in: by `goals`, or else by range.
        """
        if not self.stated.quantities:
            return h
        whole_case = self.attached(g, use).domain
        extra = set(whole_case.box) - set(g.box) - set(self.stated.quantities)
        if self.stated.symbol in extra:
            raise Reject("the constant is a parameter of a row")
        values = {x: t for x, t in table.items() if x in g.box or x in extra}        # a quantity has no value of its own
        values |= {x: ("n", r.lo) for x in extra if isinstance(r := whole_case.box[x], Extent) and r.lo == r.hi}
        if not extra <= set(values):
            raise Reject("a parameter of a row has no value")
        labels = self.stated.quantities
        left = Domain({x: r for x, r in whole_case.box.items() if x not in labels}, whole_case.ints,
                      [f for f in whole_case.hyps if not free(f[0]) & set(labels)])
        for f, rel in inside(left, {x: values[x] for x in left.box if x in values}, h):
            if (f, rel) not in goals and not holds(rng(f, h), rel):
                raise Reject("the point is not seen to satisfy what is assumed")
        facts = [(placed(t, values), strict) for t, strict in whole_case.hyps if free(t) & set(labels)]
        box = {**h.box, **{q: whole_case.box[q] for q in labels}}
        return Domain(box, h.ints | (whole_case.ints & set(labels)), (*h.hyps, *facts))

    def all_goals(self, h: Domain, goals: list[tuple[Term, str]], proofs: list[Any]) -> list[Any]:
        """The proofs that are left. That a point lies in the domain is proved before rows are believed there."""
        if len(proofs) < len(goals):
            raise Reject(f"{len(goals)} proofs are needed")
        for (f, rel), p in zip(goals, proofs, strict=False):
            prove(defined([f], h, p.get("defs")), f, rel, p)
        return proofs[len(goals):]

    # independent

    def independent_proved(self, body: Object) -> None:
        """The value at x minus the value at any other x is 0, all else equal.

        A quantity has one value at both only if it equals a formula without x; else it may differ at the two.
        """
        s, x, other = self.stated, self.stated.symbol, "$other"
        if x in s.listed:
            raise Reject("a set restricts the variable")
        for g, p in zip(s.cases, entry(body, "cases", list), strict=True):
            if g.is_empty():
                continue
            found = self.attached(g, p.get("use"))
            a, table = found.domain, {x: sym(other)}
            for q in s.quantities:
                if q not in found.exact or any(q in free(t) and x in free(t) for t, _ in a.hyps):
                    table[q] = sym(q + "'")
            twins = {table[y][1]: a.box[y] for y in table}
            h = Domain({**a.box, **twins}, a.ints | {table[y][1] for y in table if y in a.ints},
                       (*a.hyps, *((placed(t, table), strict) for t, strict in a.hyps if free(t) & set(table))))
            h = defined([s.left, placed(s.left, table)], h, p.get("defs"))
            prove(h, sub(s.left, placed(s.left, table)), "==", p.get("p"))
        self.two_points(body)

    def independent_refuted(self, body: Object) -> None:
        (a, at_a), (b, at_b) = self.two_points(body)
        marks = {q: sym(q + "'") for q in self.stated.quantities}
        h = Domain({**at_a.box, **{q + "'": r for q, r in at_b.box.items()}},
                   at_a.ints | {q + "'" for q in at_b.ints})
        first, second = placed(self.stated.left, a), placed(placed(self.stated.left, b), marks)
        decide(h, sub(first, second) if body.get("sign") != -1 else sub(second, first), ">")

    def two_points(self, body: Object) -> list[tuple[Values, Domain]]:
        """Two points of the domain that differ in the variable alone."""
        x, found, tables = self.stated.symbol, [], []
        for name in ("first", "second"):
            p = entry(body, name, dict)
            found.append(self.point(self.case(self.stated.cases, p), p))
            tables.append(read_values(p.get("point")))          # with the parameters that the rows bring in
        a, b = tables
        if {**a, x: ZERO} != {**b, x: ZERO} or a[x][0] != "n" or b[x][0] != "n" or a[x] == b[x]:
            raise Reject("two points that differ in the variable alone are needed")
        return found

    # growth: no leading terms are trusted; every claim is an inequality with a constant on a neighbourhood

    def sides(self, g: Domain) -> list[tuple[str, Domain]]:
        """The sides from which the range of the variable comes near to the limit."""
        x, a = self.stated.symbol, self.stated.limit
        r = g.box[x]
        assert isinstance(r, Extent)
        if a is None:
            return [("+", g)] if r.hi is None else []
        if x in g.ints:                         # whole numbers come near to nothing but infinity
            return []
        found = []
        if (r.hi is None or r.hi > a) and (r.lo is None or r.lo <= a):
            found.append(("+", g.within(x, Extent(a, None, True))))
        if (r.lo is None or r.lo < a) and (r.hi is None or r.hi >= a):
            found.append(("-", g.within(x, Extent(None, a, False, True))))
        return found

    def growth_proved(self, body: Object) -> None:
        s = self.stated
        if any(s.symbol in free(t) for g in s.cases for t, _ in g.hyps) or s.symbol in s.listed:
            raise Reject("conditions on the variable of the limit that are no bounds")
        left, right = fn("abs", s.left), fn("abs", s.right)
        wanted = {"O": ("upper",), "o": ("upper",), "Omega": ("lower",), "Theta": ("upper", "lower")}[s.rel]
        proofs = entry(body, "cases", list)
        if len(proofs) != len(s.cases):
            raise Reject("cases")
        for g, p in zip(s.cases, proofs, strict=True):
            for side, h in self.sides(g):
                for what in wanted:
                    q = entry(entry(p, side, dict), what, dict)
                    self.near(h, side, *((left, right) if what == "upper" else (right, left)), q)
        self.approached(entry(body, "approach", dict))

    def near(self, h: Domain, side: str, small: Term, large: Term, p: Object) -> None:
        """small ≤ K·large (for o: K·v·large with v → 0) at all points of the domain beyond the number `from`."""
        s, x = self.stated, self.stated.symbol
        start = read_number(p.get("from"))
        if s.limit is not None and (start <= s.limit if side == "+" else start >= s.limit):
            raise Reject("from")
        g = h.within(x, Extent(start) if s.limit is None or side == "-" else Extent(None, start))
        g = self.attached(g, p.get("use")).domain
        k = read_term(p.get("K"))
        if x in free(k) or free(k) & set(s.quantities):
            raise Reject("K depends on the variable of the limit")
        if s.rel == "o":
            v = read_term(p.get("v"))
            if free(v) & set(s.quantities):
                raise Reject("v")
            g = defined([v], g, p.get("dv"))
            self.vanishes(v, g, side)
            k = mul(k, v)
        g = defined([small, large, k], g, p.get("defs"))
        prove(g, sub(mul(k, large), small), ">=", p.get("p"))

    def vanishes(self, v: Term, g: Domain, side: str) -> None:
        """The limit of v is 0: x → ∞, or x = a ± 1/y with y → ∞."""
        s, x = self.stated, self.stated.symbol
        at = g.forget(x)
        if s.limit is None:
            r = rng(v, at.at(x, PINF))
        else:
            w = placed(v, {x: add(("n", s.limit), mul(num(1 if side == "+" else -1), ("^", sym("$y"), num(-1))))})
            r = rng(w, Domain({**{y: q for y, q in at.box.items() if y != x}, "$y": PINF}, at.ints - {x}, at.hyps))
        if not holds(r, "=="):
            raise Reject("v is not seen to tend to 0")

    def approached(self, body: Object) -> None:
        """Some values of the other parameters allow the limit to be taken; the variable is bounded by its range alone."""
        s, x = self.stated, self.stated.symbol
        g = self.case(s.cases, body)
        if not self.sides(g):
            raise Reject("the limit is never taken")
        table = {y: v for y, v in read_values(body.get("point")).items() if y != x}
        rest = Domain({y: r for y, r in g.box.items() if y != x}, g.ints, g.hyps)
        nothing = Domain({}, ())
        for f, rel in inside(rest, {y: v for y, v in table.items() if y in rest.box}, nothing):
            decide(nothing, f, rel)
        self.existing(table)

    def growth_refuted(self, body: Object) -> None:
        """Along a path in the domain that tends to the limit the bound fails.

        O, o: v·|left| ≥ |right|, v → 0, |left| > 0. o also: |left| ≥ |right|/K. Omega: |left| ≤ v·|right|, |right| > 0.
        """
        s, what = self.stated, body.get("what")
        if what not in {"O": ("O",), "o": ("O", "o"), "Omega": ("Omega",), "Theta": ("O", "Omega")}[s.rel]:
            raise Reject("what")
        g = self.case(s.cases, body)
        if "from" in body:                      # the path is shown to lie in this part of the domain, where rows are used
            start, below = read_number(body.get("from")), s.limit is not None and body.get("side") != -1
            g = g.within(s.symbol, Extent(None, start) if below else Extent(start))
        times, is_whole = Extent(read_number(body.get("t0"))), body.get("whole") is True
        h = Domain({"$t": integral(times) if is_whole else times}, {"$t"} if is_whole else ())
        rename = {"t": sym("$t")}
        table: Values = dict(read_values(body.get("point", {})))
        path = placed(read_term(body.get("x")), rename)
        v = placed(read_term(body.get("v", "1")), rename)
        if (free(path) | free(v)) - {"$t"}:
            raise Reject("path")
        table[s.symbol] = path
        h = defined([path], h, body.get("d"))
        own = {x: table[x] for x in g.box if x in table}
        goals = inside(g, own, h)
        limit = rng(path, Domain({"$t": PINF}, ()))
        if s.limit is None:
            if limit != PINF:
                raise Reject("the path does not tend to infinity")
        else:
            if not holds(rng(sub(path, ("n", s.limit)), Domain({"$t": PINF}, ())), "=="):
                raise Reject("the path does not tend to the limit")
            distance = sub(path, ("n", s.limit))
            goals.append((distance if body.get("side") != -1 else neg(distance), ">"))
        proofs = self.all_goals(h, goals, entry(body, "p", list))
        h = self.along(h, g, table, body.get("use"), goals)
        left, right = placed(fn("abs", s.left), own), placed(fn("abs", s.right), own)
        h = defined([left, right], h, body.get("d2"))
        h = defined([v], h)
        if what == "o":
            k = read_number(body.get("K"))
            if k <= 0:
                raise Reject("K > 0")
            v = ("n", 1 / k)
        elif not holds(rng(v, h), ">") or not holds(rng(v, Domain({"$t": PINF}, ())), "=="):
            raise Reject("v > 0 must tend to 0")
        small, large = (left, right) if what == "Omega" else (right, left)
        self.all_goals(h, [(large, ">"), (sub(mul(v, large), small), ">=")], proofs)
