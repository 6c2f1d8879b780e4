"""Untrusted: constants and neighbourhoods for claims about growth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flint import fmpq

from ..checker.domains import PINF, Domain, Extent, Undefined, holds, rng
from ..checker.forms import Interned, form
from ..checker.networks import attach
from ..checker.statements import _Check, inside
from ..checker.terms import Reject, Term, fn, free, mul, neg, num, put, read_term, show, sub, sym
from .search_proofs import Node, Prover, _short, _subterms
from .search_terms import UNABLE, poly_term, value

if TYPE_CHECKING:
    from .search import Search

VANISHING = [
    "1/log(log({t}))",
    "1/log({t})**(1/2)",
    "1/log({t})",
    "1/log({t})**2",
    "{t}**(-1/10)",
    "{t}**(-1/2)",
    "1/{t}",
    "1/{t}**2",
    "exp(-{t}/10)",
    "exp(-{t})",
    "log({t})/{t}",
    "log({t})/{t}**(1/2)",
]


SHARE = {1: 40, 2: 20, 3: 10, 4: 4}  # the part of all steps that one constant or path may use at a depth


class GrowthSearch:
    def __init__(self, search: Search) -> None:
        self.search, self.stated = search, search.stated
        self.checked = _Check(self.stated, {})
        self.left, self.right = fn("abs", self.stated.left), fn("abs", self.stated.right)

    def run(self) -> None:
        if self.search.accepted("vacuous", {"why": "limit"}):
            return
        for depth in (1, 2, 3, 4):
            if self.refute(depth) or self.prove(depth):
                return

    def starts(self, side: str) -> list[fmpq]:
        a = self.stated.limit
        if a is None:
            return [fmpq(x) for x in (3, 1, 20, 10**3, 10**6)]
        s = 1 if side == "+" else -1
        return [a + s * fmpq(1, x) for x in (2, 10, 1000, 10**6)]

    def others(self) -> dict[str, fmpq] | None:
        from .search import exactly_inside

        for i, g in enumerate(self.stated.cases):
            for at in self.search.domain_points(g, 60, many=False):
                if not exactly_inside(g, at):
                    continue
                self.case = i
                return {x: v for x, v in at.items() if x != self.stated.symbol}
        return None

    # --- proofs -----------------------------------------------------------------------------------------------------

    def prove(self, depth: int) -> bool:
        from .search import SOMEWHERE, conditions_of_row

        self.depth = depth
        others = self.others()
        if others is None:
            return False
        wanted = {"O": ("upper",), "o": ("upper",), "Omega": ("lower",), "Theta": ("upper", "lower")}[self.stated.rel]
        cases = []
        for g in self.stated.cases:
            entry: dict[str, Any] = {}
            for side, h in self.checked.sides(g):
                entry[side] = {}
                for what in wanted:
                    small, large = (self.left, self.right) if what == "upper" else (self.right, self.left)
                    node = self.near(h, side, small, large)
                    if node is None:
                        return False
                    entry[side][what] = node
            cases.append(entry)
        point = {x: str(v) for x, v in others.items()}
        for q in self.stated.quantities.values():  # what rows assume holds somewhere
            for c in (c for row in self.search.fitting(q) for c in conditions_of_row(row)):
                point |= {x: SOMEWHERE[x] for x in sorted(c.symbols - self.stated.mentioned) if x in SOMEWHERE}
        return self.search.accepted("proved", {"cases": cases, "approach": {"case": self.case, "point": point}})

    def near(self, h: Domain, side: str, small: Term, large: Term) -> Node | None:
        s, x = self.stated, self.stated.symbol
        rows = {r["id"]: r for r in self.search.rows}
        for start in self.starts(side)[: 1 + self.depth if self.depth > 1 else 4]:
            g = h.within(x, Extent(start) if s.limit is None or side == "-" else Extent(None, start))
            if g.is_empty():
                continue
            prover = Prover()
            use = self.search.use_on(g, prover)
            if use is None:
                continue
            a = g
            if use:
                try:
                    a = attach(g, s, rows, use).domain
                except (Reject, Undefined):
                    continue
            made = prover.defined([small, large], a, 2)
            if made is None:
                continue
            for k, v in self.factors(a, side, small, large):
                factor = mul(k, v) if v is not None else k
                more = prover.defined([factor], made[0], 1)
                if more is None or more[1] or self.fails_far_out(more[0], factor, large, small, side):
                    continue
                f = sub(mul(factor, large), small)
                node = self.search.limited(SHARE[self.depth], prover.prove, more[0], f, ">=", self.depth)
                if node is not None:
                    found: Node = {"from": str(start), "K": show(k), "use": use, "defs": made[1], "p": node}
                    return found if v is None else {**found, "v": show(v)}
        return None

    def factors(self, g: Domain, side: str, small: Term, large: Term) -> Iterator[tuple[Term, Term | None]]:
        """Constants K, for o also v → 0, that the ratios far out allow."""
        s, x = self.stated, self.stated.symbol
        ratios = self.ratios(g, side, small, large)
        if s.rel != "o":
            top = max((r for _, r in ratios), default=1.0)
            power = self.power_of_others(g, side, small, large)
            if top < 1e9 and power is not None:
                limit = _short(ratios[-1][1]) if ratios else fmpq(1)
                rounded = any(t[:2] == ("f", "floor") for u, _ in g.hyps for t in _subterms(u))
                if self.depth in (2, 3) and limit.q < 10**5 and rounded:
                    # a square times the limit: a difference of squares, whose factors are linear in what is rounded
                    yield from ((mul(("n", limit * k), power), None) for k in (4, 16))
                    return
                for k in (*_simple(top), _round_up(top)):
                    yield mul(("n", k), power), None
                if power != num(1):
                    return
            yield from ((k, None) for k in self.ratios_at_start(g, side, small, large))
            return
        t = x if s.limit is None else f"(1/({x} - ({s.limit})))" if side == "+" else f"(1/(({s.limit}) - {x}))"
        for text in VANISHING:
            v = read_term(text.format(t=t))
            try:
                quotients = [r / value(v, at) for at, r in ratios if value(v, at) > 0]
            except UNABLE:
                continue
            if quotients and max(quotients[-3:]) <= max(quotients[:3]) * 1.05 + 1e-12:
                try:
                    self.checked.vanishes(v, g, side)
                except (Reject, Undefined):
                    continue
                yield ("n", _round_up(max(*quotients, 1e-9) * 1.2)), v

    def ratios_at_start(self, g: Domain, side: str, small: Term, large: Term) -> list[Term]:
        """K in terms of the other parameters: the quotient where the neighbourhood begins, quantities at their bounds."""
        s, x = self.stated, self.stated.symbol
        if not set(g.box) - {x} - set(s.quantities):
            return []
        r = g.box[x]
        assert isinstance(r, Extent)
        start = r.lo if s.limit is None or side == "-" else r.hi
        table: dict[str, Term] = {} if start is None else {x: ("n", start)}
        ups: dict[str, Term] = {}
        lows: dict[str, Term] = {}
        for q in s.quantities:
            low, high = _ends(q, g)
            if low is not None:
                lows[q] = low
            if high is not None:
                ups[q] = high
        a, b = put(put(small, ups), table), put(put(large, lows), table)
        if (free(a) | free(b)) & set(s.quantities):
            return []
        if x in free(a) | free(b):
            return []
        quotient = mul(a, ("^", b, num(-1)))
        found = []
        for c in (1, 2, 10):
            try:
                p, d = form(mul(num(c), quotient), g)
            except (Reject, Undefined):
                continue
            found.append(mul(poly_term(p), *(("^", poly_term(Interned.polys[k]), num(-e)) for k, e in d.items())))
        return found

    def ratios(self, g: Domain, side: str, small: Term, large: Term) -> list[tuple[dict[str, float], float]]:
        """Quotients at points that come near to the limit from where the neighbourhood begins."""
        base = self.somewhere(g)
        r = g.box[self.stated.symbol]
        assert isinstance(r, Extent)
        start = r.lo if self.stated.limit is None or side == "-" else r.hi
        places = [] if start is None else [float(int(start.p)) / float(int(start.q))]
        places += [z for z in (self.far(k, side) for k in range(1, 13)) if _beyond(z, r)]
        there = [{**base, self.stated.symbol: z} for z in places]
        return [(at, v) for at in there if (v := self.quotient(g, at, small, large)) is not None]

    def somewhere(self, g: Domain) -> dict[str, float]:
        """Values of the other parameters."""
        base: dict[str, float] = {}
        for y, r in g.box.items():
            if y != self.stated.symbol and isinstance(r, Extent) and y not in self.stated.quantities:
                lo = 1.0 if r.lo is None else float(int(r.lo.p)) / float(int(r.lo.q))
                base[y] = lo + (0.5 if r.lo is not None and r.lo_open else 0.0)
        for t, _ in g.hyps:     # such as a < b
            names = sorted(free(t) & set(base))
            try:
                if names and free(t) <= set(base) and value(t, base) <= 0:
                    for y in names:
                        moved = {**base, y: base[y] + 1.0}
                        if value(t, moved) > 0:
                            base = moved
                            break
            except UNABLE:
                continue
        return base

    def far(self, k: int, side: str) -> float:
        a = self.stated.limit
        return 10.0**k if a is None else float(int(a.p)) / float(int(a.q)) + (1 if side == "+" else -1) * 10.0**-k

    def quotient(self, g: Domain, at: dict[str, float], small: Term, large: Term) -> float | None:
        """small/large at a point, quantities at the bounds that matter; None if there is none."""
        try:
            low, high = dict(at), dict(at)
            for q in self.stated.quantities:
                a, b = _ends(q, g)
                if a is not None:
                    low[q] = value(a, at)
                if b is not None:
                    high[q] = value(b, at)
            below = value(large, low)
            return value(small, high) / below if below > 0 else None
        except UNABLE:
            return None

    def power_of_others(self, g: Domain, side: str, small: Term, large: Term) -> Term | None:
        """The other parameters as a product of powers to which the quotient is proportional; None if it is not."""
        base = {**self.somewhere(g), self.stated.symbol: self.far(9, side)}
        first = self.quotient(g, base, small, large)
        if first is None or first == 0:
            return None
        found: list[Term] = []
        scale = 1.0
        pairs = [t for t, strict in g.hyps if strict and len(free(t)) == 2 and free(t) <= set(base)]
        joined = next((t for t in pairs if self.depends_on_difference(g, base, t, small, large, first)), None)
        for y, v in base.items():
            r = g.box[y]
            if y == self.stated.symbol or v == 0 or (isinstance(r, Extent) and r.lo is not None and r.lo == r.hi):
                continue
            t, size = sym(y), v
            if joined is not None and y in free(joined):
                if y != max(free(joined)):
                    continue
                t, size = joined, value(joined, base)
            changes = []
            for factor in (2.0, 8.0):
                moved = {**base, y: factor * v if t == sym(y) else v + (factor - 1) * size}
                try:
                    if t != sym(y) and abs(value(t, moved) - factor * size) > 1e-9 * abs(size):
                        moved[y] = v - (factor - 1) * size
                except UNABLE:
                    return None
                other = self.quotient(g, moved, small, large)
                if other is None or other <= 0:
                    return None
                changes.append(math.log(other / first) / math.log(factor))
            e = round(2 * changes[0])
            if max(abs(c - e / 2) for c in changes) > 0.02:
                return None
            if e:
                found.append(("^", t, num(e, 2)))
                scale *= size ** (e / 2)
        return mul(*found, ("n", _round_up(1 / scale))) if found else num(1)

    def depends_on_difference(
        self, g: Domain, base: dict[str, float], t: Term, small: Term, large: Term, first: float
    ) -> bool:
        """Whether two parameters matter by a positive difference alone, such as b − a."""
        x, y = sorted(free(t))
        shifted = {**base, x: base[x] + 5, y: base[y] + 5}
        try:
            other = self.quotient(g, shifted, small, large)
            return other is not None and abs(other / first - 1) < 1e-9 and abs(value(t, shifted) - value(t, base)) < 1e-9
        except UNABLE:
            return False

    def fails_far_out(self, g: Domain, factor: Term, large: Term, small: Term, side: str) -> bool:
        """Whether factor·large < small at some point of the neighbourhood, by floats: where it begins, or far out."""
        base = self.somewhere(g)
        r = g.box[self.stated.symbol]
        assert isinstance(r, Extent)
        places = [self.far(k, side) for k in (2, 3, 5, 8, 12, 30)]
        if self.stated.limit is not None and (start := r.hi if side == "+" else r.lo) is not None:
            a = self.far(400, side)
            first = float(int(start.p)) / float(int(start.q))
            places += [a + (first - a) * c for c in (1.0, 0.99, 0.9, 0.7, 0.51, 0.33, 0.21, 0.13)]
        elif r.lo is not None:
            places += [math.ceil(float(int(r.lo.p)) / float(int(r.lo.q)) * c) for c in (1.0, 1.5, 2, 3, 5)]
        for z in places:
            if not _beyond(z, r):
                continue
            at = {**base, self.stated.symbol: z}
            found = self.quotient(g, at, small, large)
            try:
                if found is not None and found > value(factor, at) * (1 + 1e-9) + 1e-300:
                    return True
            except UNABLE:
                continue
        return False

    def fails_on_path(self, h: Domain, v: Term, large: Term, small: Term) -> bool:
        for k in (2, 3, 5, 8, 12, 30):
            at = {"$t": 10.0**k}
            found = self.quotient(h, at, small, large)
            try:
                if found is not None and found > value(v, at) * (1 + 1e-9):
                    return True
            except UNABLE:
                continue
        return False

    # --- refutations ------------------------------------------------------------------------------------------------

    def refute(self, depth: int) -> bool:
        s = self.stated
        self.depth = depth
        others = self.others()
        if others is None:
            return False
        kinds = {"O": ("O",), "o": ("o", "O"), "Omega": ("Omega",), "Theta": ("O", "Omega")}[s.rel]
        paths: list[tuple[str, int]] = (
            [("t", 1), ("exp(t)", 1), ("t**2", 1)]
            if s.limit is None
            else [(f"({s.limit}) + 1/t", 1), (f"({s.limit}) - 1/t", -1), (f"({s.limit}) + exp(-t)", 1)]
        )
        for what in kinds:
            for i, _ in enumerate(s.cases):
                for path, side in paths:
                    for t0 in ("3", "20", "1000")[: max(1, depth - 1)]:
                        if self.try_path(i, others, what, path, side, t0):
                            return True
        return False

    def try_path(self, i: int, others: dict[str, fmpq], what: str, path: str, side: int, t0: str) -> bool:
        s, g = self.stated, self.stated.cases[i]
        is_whole = s.symbol in g.ints
        if is_whole and path not in ("t", "t**2"):
            return False
        rename = {"t": sym("$t")}
        prover = Prover()
        h = Domain({"$t": Extent(read_term(t0)[1])}, {"$t"} if is_whole else ())
        table: dict[str, Term] = {x: ("n", v) for x, v in others.items()}
        table[s.symbol] = put(read_term(path), rename)
        point = {x: str(v) for x, v in others.items()}
        first = read_term(t0)[1]
        start = first if s.limit is None else s.limit + side / first
        g = g.within(s.symbol, Extent(None, start) if s.limit is not None and side > 0 else Extent(start))
        try:
            goals = inside(g, {x: table[x] for x in g.box}, h)
            use: dict[str, Any] | None = {}
            if s.quantities:
                use = self.search.use_on(g, prover)
                if use is None:
                    return False
                rows = {r["id"]: r for r in self.search.rows}
                a = attach(g, s, rows, use).domain
                extra = set(a.box) - set(g.box) - set(s.quantities)
                from .search import SOMEWHERE

                values = dict(table)
                for x in extra:
                    r = a.box[x]
                    assert isinstance(r, Extent)
                    values[x] = ("n", r.lo) if r.lo is not None and r.lo == r.hi else read_term(SOMEWHERE.get(x, "1"))
                    point[x] = show(values[x])
                facts = [(put(t, values), strict) for t, strict in a.hyps if free(t) & set(s.quantities)]
                h = Domain(
                    {**h.box, **{q: a.box[q] for q in s.quantities}},
                    h.ints | (a.ints & set(s.quantities)),
                    (*h.hyps, *facts),
                )
            if s.limit is not None:
                away = sub(table[s.symbol], ("n", s.limit))
                goals.append((away if side > 0 else neg(away), ">"))
            left, right = put(self.left, table), put(self.right, table)
            made = prover.defined([left, right], h, 2)
            if made is None:
                return False
            h = made[0]
            options: list[tuple[Term, dict[str, str]]] = []
            if what == "o":
                options = [(num(1, k), {"K": str(k)}) for k in (1, 10, 1000)]
            else:
                for text in VANISHING:
                    v = put(read_term(text.format(t="t")), rename)
                    try:
                        if holds(rng(v, h), ">") and holds(rng(v, Domain({"$t": PINF}, ())), "=="):
                            options.append((v, {"v": text.format(t="t")}))
                    except (Undefined, Reject):
                        continue
            for v, mark in options:
                small, large = (left, right) if what == "Omega" else (right, left)
                last = sub(mul(v, large), small)
                if self.fails_on_path(h, v, large, small):
                    continue
                all_goals = [*goals, (right if what == "Omega" else left, ">"), (last, ">=")]
                nodes = []
                for f, rel in reversed(all_goals):
                    if prover.refuted(h, f, rel):
                        break
                    node = self.search.limited(SHARE[self.depth], prover.prove, h, f, rel, self.depth)
                    if node is None:
                        break
                    nodes.append(node)
                if len(nodes) == len(all_goals) and self.search.accepted(
                    "refuted",
                    {
                        "what": what,
                        "case": i,
                        "t0": t0,
                        "from": str(start),
                        "x": path,
                        "side": side,
                        "whole": is_whole,
                        "point": point,
                        "use": use,
                        "d2": made[1],
                        "p": nodes[::-1],
                        **mark,
                    },
                ):
                    return True
        except (Reject, Undefined, AssertionError, *UNABLE):
            prover.tired()
        return False


def _ends(q: str, g: Domain) -> tuple[Term | None, Term | None]:
    """The first lower and upper bound of a quantity among the hypotheses."""
    low = high = None
    for t, _ in g.hyps:
        if q in free(t) and t[0] == "+" and len(t[1]) >= 2:
            rest = put(t, {q: num(0)})
            c = sub(put(t, {q: num(1)}), rest)
            if c == num(1) or (t[1][0] == sym(q)):
                low = low if low is not None else neg(rest)
            else:
                high = high if high is not None else rest
    return low, high


def _beyond(z: float, r: Extent) -> bool:
    return (r.lo is None or z >= float(int(r.lo.p)) / float(int(r.lo.q))) and (
        r.hi is None or z <= float(int(r.hi.p)) / float(int(r.hi.q)))


def _simple(x: float) -> list[fmpq]:
    """Three short numbers that are not less: terms like n**(19/20) are hard."""
    known = [fmpq(1, k) for k in (1000, 100, 20, 10, 5, 4, 3, 2)]
    known += [fmpq(k) * 10**e for e in range(9) for k in (1, 2, 3, 5)]
    return [k for k in known if float(int(k.p)) / float(int(k.q)) >= x * (1 - 1e-12)][:3]


def _round_up(x: float) -> fmpq:
    if x <= 0:
        return fmpq(1)
    from math import ceil, floor, log10

    unit = 10 ** (floor(log10(x)) - 1)
    n = ceil(x / unit)
    e = floor(log10(x)) - 1
    return fmpq(n) * fmpq(10) ** e
