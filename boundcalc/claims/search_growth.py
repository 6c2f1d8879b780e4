"""Untrusted: constants and neighbourhoods for claims about growth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flint import fmpq

from ..checker.domains import PINF, Domain, Extent, Undefined, holds, rng
from ..checker.forms import Interned, form
from ..checker.networks import attach
from ..checker.statements import _Check, inside
from ..checker.terms import Reject, Term, fn, free, mul, neg, num, put, read_term, show, sub, sym
from .search_proofs import Node, Prover
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


class GrowthSearch:
    def __init__(self, search: Search) -> None:
        self.search, self.stated = search, search.stated
        self.checked = _Check(self.stated, {})
        self.left, self.right = fn("abs", self.stated.left), fn("abs", self.stated.right)

    def run(self) -> None:
        if self.search.accepted("vacuous", {"why": "limit"}):
            return
        if not self.refute(2) and not self.prove(3):
            _ = self.refute(4) or self.prove(5)

    def starts(self, side: str) -> list[fmpq]:
        a = self.stated.limit
        if a is None:
            return [fmpq(x) for x in (3, 1, 20, 10**3, 10**6)]
        s = 1 if side == "+" else -1
        return [a + s * fmpq(1, x) for x in (2, 10, 1000, 10**6)]

    def others(self) -> dict[str, fmpq] | None:
        for i, g in enumerate(self.stated.cases):
            for at in self.search.domain_points(g, 40, many=False):
                self.case = i
                return {x: v for x, v in at.items() if x != self.stated.symbol}
        return None

    # --- proofs -----------------------------------------------------------------------------------------------------

    def prove(self, depth: int) -> bool:
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
        return self.search.accepted(
            "proved", {"cases": cases, "approach": {"case": self.case, "point": {x: str(v) for x, v in others.items()}}}
        )

    def near(self, h: Domain, side: str, small: Term, large: Term) -> Node | None:
        s, x = self.stated, self.stated.symbol
        rows = {r["id"]: r for r in self.search.rows}
        for start in self.starts(side):
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
                if more is None or more[1]:
                    continue
                f = sub(mul(factor, large), small)
                if self.fails_far_out(more[0], f, x, side):
                    continue
                node = prover.prove(more[0], f, ">=", self.depth)
                if node is not None:
                    found: Node = {"from": str(start), "K": show(k), "use": use, "defs": made[1], "p": node}
                    return found if v is None else {**found, "v": show(v)}
        return None

    def factors(self, g: Domain, side: str, small: Term, large: Term) -> Iterator[tuple[Term, Term | None]]:
        """Constants K, for o also v → 0, that the ratios far out allow."""
        s, x = self.stated, self.stated.symbol
        ratios = self.ratios(g, side, small, large)
        if s.rel != "o":
            yield from ((k, None) for k in self.ratios_at_start(g, side, small, large))
            top = max((r for _, r in ratios), default=1.0)
            if top < 1e9:
                for k in sorted({_round_up(top * c) for c in (1.0, 1.1, 2, 5)}):
                    yield ("n", k), None
            for text in ("1", "2", "10"):
                yield read_term(text), None
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
        for q in s.quantities:
            bound = next((put(t, {q: num(0)}) for t, _ in g.hyps if q in free(t)), None)
            if bound is not None:
                table[q] = fn("abs", put(bound, table))
        a, b = put(small, table), put(large, table)
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
        s, x = self.stated, self.stated.symbol
        base: dict[str, float] = {}
        for y, r in g.box.items():
            if y == x or not isinstance(r, Extent):
                continue
            lo = 1.0 if r.lo is None else float(int(r.lo.p)) / float(int(r.lo.q))
            base[y] = lo + (0.5 if r.lo is not None and r.lo_open else 0.0)
        found = []
        for k in range(1, 13):
            far = (
                10.0**k
                if s.limit is None
                else float(int(s.limit.p)) / float(int(s.limit.q)) + (1 if side == "+" else -1) * 10.0**-k
            )
            at = {**base, x: far}
            for q in s.quantities:
                for t, _ in g.hyps:
                    if q in free(t):
                        try:
                            at[q] = abs(value(put(t, {q: num(0)}), at))
                        except UNABLE:
                            continue
            try:
                a, b = value(small, at), value(large, at)
                if b > 0:
                    found.append((at, a / b))
            except UNABLE:
                continue
        return found

    def fails_far_out(self, g: Domain, f: Term, x: str, side: str, path: bool = False) -> bool:
        """Whether f is negative at some point far along the limit, by floats; quantities stand at one of their bounds."""
        s = self.stated
        base: dict[str, float] = {}
        for y, r in g.box.items():
            if y != x and isinstance(r, Extent) and y not in s.quantities:
                lo = 1.0 if r.lo is None else float(int(r.lo.p)) / float(int(r.lo.q))
                base[y] = lo + (0.5 if r.lo is not None and r.lo_open else 0.0)
        for k in (2, 3, 5, 8, 12, 30):
            far = 10.0**k
            if s.limit is not None and not path:
                far = float(int(s.limit.p)) / float(int(s.limit.q)) + (1 if side == "+" else -1) * 10.0**-k
            at = {**base, x: far}
            try:
                for q in s.quantities:
                    for t, _ in g.hyps:
                        if q in free(t):
                            at[q] = abs(value(put(t, {q: num(0)}), at))
                if value(f, at) < -1e-9 * abs(far):
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
                    for t0 in ("3", "20", "1000") if depth > 2 else ("3",):
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
                last = sub(mul(v, right), left) if what == "Omega" else sub(mul(v, left), right)
                if self.fails_far_out(h, last, "$t", "+", True):
                    continue
                all_goals = [*goals, (right if what == "Omega" else left, ">"), (last, ">=")]
                nodes = []
                for f, rel in reversed(all_goals):
                    if prover.refuted(h, f, rel):
                        break
                    node = prover.prove(h, f, rel, self.depth)
                    if node is None:
                        break
                    nodes.append(node)
                if len(nodes) == len(all_goals) and self.search.accepted(
                    "refuted",
                    {
                        "what": what,
                        "case": i,
                        "t0": t0,
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


def _round_up(x: float) -> fmpq:
    if x <= 0:
        return fmpq(1)
    from math import ceil, floor, log10

    unit = 10 ** (floor(log10(x)) - 1)
    n = ceil(x / unit)
    e = floor(log10(x)) - 1
    return fmpq(n) * fmpq(10) ** e
