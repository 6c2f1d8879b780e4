"""Untrusted: looks for proof objects of G ⊢ f REL 0. Whatever is found here counts only once the checker accepts it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain, product
from typing import Any, ClassVar

from flint import fmpq

from ..checker.domains import Domain, Extent, Undefined, holds, integral, meet, point, rng, sign_of, whole
from ..checker.forms import Interned, derivative, form, key, p_mul, same, sign, smooth
from ..checker.terms import (
    ONE,
    TWO,
    ZERO,
    Reject,
    Term,
    Work,
    add,
    children,
    fn,
    free,
    mul,
    neg,
    num,
    power,
    put,
    show,
    sub,
    sym,
)
from .search_terms import (
    UNABLE,
    atom_power,
    equations,
    factored,
    floats,
    mono_term,
    points,
    poly_term,
    product_term,
    solved_for,
    value,
)

Node = dict[str, Any]
RANGE, NULL = {"r": "range"}, {"r": "zero"}


class Prover:
    """A search by deepening; the steps of the checker limit it."""

    deadline: float | None = None  # of the claim that is searched for
    tell: ClassVar[Callable[[], None]] = staticmethod(lambda: None)  # that one more way was tried

    def __init__(self) -> None:
        self.failed: dict[Any, int] = {}
        self.names = 0

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}_z{self.names}q"

    # --- entry ------------------------------------------------------------------------------------------------------

    def defined(self, terms: list[Term], g: Domain, depth: int) -> tuple[Domain, list[Node]] | None:
        """g with what makes the terms defined on it, and the proofs."""
        proofs: list[Node] = []
        for t in terms:
            for _ in range(12):
                try:
                    rng(t, g)
                    break
                except Undefined as missing:
                    u, rel = missing.term, missing.rel
                    if rel == "whole":
                        return None
                    inner = self.defined([u], g, depth)
                    if inner is None or inner[1]:
                        return None
                    options = [(u, ">", {}), (neg(u), ">", {"sign": -1})] if rel == "!=" else [(u, rel, {})]
                    for v, r, mark in options:
                        node = self.prove(g, v, r, depth)
                        if node is not None:
                            proofs.append({**node, **mark})
                            g = g.assume((v, r == ">"))
                            break
                    else:
                        return None
            else:
                return None
        return g, proofs

    def prove(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """f is defined on g."""
        self.tired()
        try:
            if g.is_empty() or holds(rng(f, g), rel):
                return dict(RANGE)
            if rel != ">" and same(f, ZERO, g):
                return dict(NULL)
            p, d = form(f, g)
            if not d and len(p) <= 12:  # what cancels is seen in the normal form alone
                to = poly_term(p)
                if to != f and holds(rng(to, g), rel):
                    return {"r": "scale", "by": "1", "to": show(to), "p": dict(RANGE)}
        except (Undefined, Reject):
            self.tired()
            return None
        if depth <= 0 or self.refuted(g, f, rel):
            return None
        if rel == "==":
            return self.both(g, f, depth)
        k = (f, rel, tuple(sorted(g.box.items(), key=lambda e: e[0])), g.ints, g.hyps)
        if self.failed.get(k, -1) >= depth:
            return None
        for tactic in self.tactics(depth):
            try:
                node = tactic(g, f, rel, depth)
            except (Undefined, Reject, RecursionError, AssertionError, *UNABLE):
                self.tired()
                continue
            if node is not None:
                return node
        self.failed[k] = depth
        return None

    def tired(self) -> None:
        Prover.tell()
        if Work.steps < 0 or (Prover.deadline is not None and time.process_time() > Prover.deadline):
            raise Exhausted

    def tactics(self, depth: int) -> list[Callable[[Domain, Term, str, int], Node | None]]:
        return [
            self.plain,
            self.eliminate,
            self.equation,
            self.floors,
            self.pieces,
            self.inverse,
            self.numerator,
            self.factors,
            self.square,
            self.hypotheses,
            self.slack,
            self.halves,
            self.powers,
            self.mono,
            self.shift,
            self.relax,
            self.wholes,
            self.logarithms,
            self.roots,
            self.step,
            self.turning,
            self.boxes,
        ]

    def refuted(self, g: Domain, f: Term, rel: str) -> bool:
        """Whether a point of g seems to speak against the goal."""
        seen = 0
        Work.spend(4)
        for at in chain(points(g, 30, many=False, seed=len(g.box)), points(g, 16, many=True, seed=7)):
            try:
                x = floats(at)
                if not all((v := value(t, x)) > 0 or (v == 0 and not strict) for t, strict in g.hyps):
                    continue
                seen += 1
                v = value(f, x)
                if v < -1e-7 * (1 + abs(v)) or (rel == "==" and abs(v) > 1e-6):
                    parts = max((abs(value(u, x)) for u in children(f)), default=1.0) if f[0] == "+" else 0.0
                    if abs(v) > 1e-9 * parts:
                        return True
            except UNABLE:
                continue
            if seen > 40:
                break
        return False

    # --- tactics ----------------------------------------------------------------------------------------------------

    def both(self, g: Domain, f: Term, depth: int) -> Node | None:
        for tactic in (self.equation, self.floors, self.pieces, self.step_equal):
            try:
                node = tactic(g, f, "==", depth)
            except (Undefined, Reject, AssertionError, *UNABLE):
                self.tired()
                continue
            if node is not None:
                return node
        a = self.prove(g, f, ">=", depth - 1)
        b = a and self.prove(g, neg(f), ">=", depth - 1)
        return {"r": "both", "p": [a, b]} if a and b else None

    def plain(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """abs and max whose sign is seen are written out, and the rest stays as it is."""
        to = _written_out(f, g)
        if to == f:
            return None
        made = self.defined([to], g, 1)
        if made is None or not same(f, to, made[0]):
            return None
        node = self.prove(made[0], to, rel, depth)
        return node and {"r": "scale", "by": "1", "to": show(to), "d": made[1], "p": node}

    def eliminate(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """A quantity q that stands linearly in the goal: f = rest + c·(a hypothesis about q), c ≥ 0."""
        found: list[tuple[Domain, Term, str, Term, Term]] = []
        for q in sorted(x for x in free(f) if "." in x or x.startswith("q_z")):
            if not smooth(f, q):
                continue
            slope = derivative(f, q)
            k = sign(slope, g) if q not in free(slope) else 0
            if k == 0:
                continue
            for t, strict in g.hyps:
                if q not in free(t) or not smooth(t, q) or (c := derivative(t, q))[0] != "n" or (c[1] > 0) != (k > 0):
                    continue
                factor = mul(("n", 1 / c[1]), slope)  # ≥ 0
                rest = sub(put(f, {q: ZERO}), mul(factor, put(t, {q: ZERO})))
                kept = [h for h in g.hyps if q not in free(h[0])]
                plain = g  # hypotheses are named by their places: q may go only if its own stand last
                if list(g.hyps[: len(kept)]) == kept:
                    plain = Domain({x: r for x, r in g.box.items() if x != q}, g.ints - {q}, kept)
                goal = ">=" if strict and k in (1, -1) else rel
                if not self.refuted(plain, rest, goal):
                    found.append((plain, rest, goal, factor, t))
        for level in sorted({0, min(1, depth), depth}):  # what is easy by one row before what is hard by another
            for plain, rest, goal, factor, t in found:
                node = self.prove(plain, rest, goal, level)
                if node is not None:
                    last = {
                        "r": "sum",
                        "terms": [["1", show(factor), show(t)], *([["1", show(rest)]] if rest != ZERO else [])],
                    }
                    return {"r": "have", "t": show(rest), "strict": goal == ">", "fact": node, "p": last}
        return None

    def equation(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """A symbol that an equation determines is put in."""
        for t in equations(g):
            found = solved_for(t, g)
            if found is None:
                continue
            x, _ = found
            i = next(i for i, (u, _) in enumerate(g.hyps) if u == t)
            return self.slacken(g, f, rel, depth, i, x)
        return None

    def slacken(self, g: Domain, f: Term, rel: str, depth: int, i: int, x: str) -> Node | None:
        """Hypothesis i, linear in x: t = c·x + rest, so x = (y − rest)/c."""
        t, strict = g.hyps[i]
        p, d = form(t, g)
        a = Interned.index.get(("s", x))
        if d or a is None:
            return None
        mono = ((a, fmpq(1)),)
        c = p.get(mono)
        rest = {m: v for m, v in p.items() if m != mono}
        if c is None or any(x in free(mono_term(m)) for m in rest):
            return None
        y = self.fresh("y")
        e = mul(("n", 1 / c), sub(sym(y), poly_term(rest)))
        r, old = rng(t, g), g.box[x]
        assert isinstance(r, Extent)
        assert isinstance(old, Extent)
        r = meet(r, Extent(fmpq(0), None, strict))
        is_whole = whole(t, g)
        h = g.but({**g.box, y: integral(r) if is_whole else r}, ints=g.ints | ({y} if is_whole else set()))
        made = self.defined([e], h, 1)
        if made is None:
            return None
        h, d0 = made
        facts = [(put(u, {x: e}), s) for u, s in h.hyps]
        facts += [(sub(e, ("n", old.lo)), old.lo_open)] if old.lo is not None else []
        facts += [(sub(("n", old.hi), e), old.hi_open)] if old.hi is not None else []
        h = Domain({k: v for k, v in h.box.items() if k != x}, h.ints - {x}, facts)
        new = put(f, {x: e})
        found = self.defined([new], h, depth - 1)
        if found is None:
            return None
        node = self.prove(found[0], new, rel, depth)
        return node and {"r": "slack", "hyp": i, "x": x, "y": y, "to": show(e), "d0": d0, "d": found[1], "p": node}

    def slack(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Quantities first, then other symbols that a hypothesis bounds and that occur in the goal."""
        seen = 0
        for i, (t, _) in enumerate(g.hyps):
            for x in sorted(free(t) & free(f), key=lambda name: ("." not in name, name)):
                if "_z" in x and "." not in x:
                    continue
                node = self.slacken(g, f, rel, depth - 1, i, x)
                if node is not None:
                    return node
                seen += 1
                if seen >= (6 if depth > 2 else 2):
                    return None
        return None

    def numerator(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Denominators of known sign, and positive factors, are taken away."""
        p, d = form(f, g)
        by: list[Term] = []
        flip = 1
        for k, e in d.items():
            q = poly_term(Interned.polys[k])
            s = sign(q, g)
            if s == 0:
                q = product_term(Interned.polys[k])
                s = sign(q, g)
            if s == 1 or (s == -1 and e % 2 == 0):
                by.append(power(q, num(e)))
            elif s == -1:
                by.append(power(neg(q), num(e)))
                flip = -flip
            else:
                return self.case_on(g, f, rel, depth, q)
        low: dict[int, fmpq] = {}
        for a in sorted({a for m in p for a, _ in m}):
            least = min(dict(m).get(a, fmpq(0)) for m in p)
            if least != 0:
                low[a] = least
        factor = []
        for a, e in low.items():
            if sign(mono_term(((a, fmpq(1)),)), g) == 1:
                factor.append((a, -e))
        if not by and not factor:
            return None
        mono = tuple(sorted(factor))
        to = poly_term(
            {m: flip * v for m, v in p_mul(p, {mono: fmpq(1)}).items()} if mono else {m: flip * v for m, v in p.items()}
        )
        scale = mul(*by, *(atom_power(a, e) for a, e in factor))
        made = self.defined([scale, to], g, 2)
        if made is None or not holds(rng(scale, made[0]), ">") or not same(mul(scale, f), to, made[0]):
            return None
        node = self.prove(made[0], to, rel, depth)
        return node and {"r": "scale", "by": show(scale), "to": show(to), "d": made[1], "p": node}

    def case_on(self, g: Domain, f: Term, rel: str, depth: int, t: Term) -> Node | None:
        made = self.defined([t], g, 1)
        if made is None:
            return None
        h = made[0]
        if any(key(u, g) in (key(t, g), key(neg(t), g)) for u, _ in g.hyps):
            return None
        # a bound of one symbol is better put into the box
        cut = self.rational_cut(t, g)
        if cut is not None:
            return self.split(g, f, rel, depth, *cut)
        a = self.prove(h.assume((t, False)), f, rel, depth - 1)
        b = a and self.prove(h.assume((neg(t), True)), f, rel, depth - 1)
        return {"r": "case", "t": show(t), "d": made[1], "p": [a, b]} if a and b else None

    def rational_cut(self, t: Term, g: Domain) -> tuple[str, list[fmpq]] | None:
        if len(free(t)) != 1:
            return None
        found = solved_for(t, g)
        if found is not None and found[1][0] == "n":
            return found[0], [found[1][1]]
        return None

    def split(self, g: Domain, f: Term, rel: str, depth: int, x: str, cuts: list[fmpq]) -> Node | None:
        r = g.box[x]
        assert isinstance(r, Extent)
        cuts = [c for c in sorted(set(cuts)) if (r.lo is None or c >= r.lo) and (r.hi is None or c <= r.hi)]
        cuts = [c for c in cuts if not (c == r.lo and not r.lo_open and r.hi == r.lo)]
        if not cuts or (len(cuts) == 1 and cuts[0] in (r.lo, r.hi) and x not in g.ints):
            return None
        nodes = []
        for i in range(len(cuts) + 1):
            lo, hi = cuts[i - 1] if i else None, cuts[i] if i < len(cuts) else None
            node = self.prove(g.within(x, Extent(lo, hi, lo is not None)), f, rel, depth - 1)
            if node is None:
                return None
            nodes.append(node)
        return {"r": "split", "x": x, "at": [str(c) for c in cuts], "p": nodes}

    def floors(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        u = next(_floors(f), None)
        if u is None or free(u) & {x for x in g.box if x.startswith("$")}:
            return None
        y = self.fresh("q")
        made = self.defined([u], g, 2)
        if made is None:
            return None
        h = made[0]
        h = h.but({**h.box, y: rng(fn("floor", u), h)}, ints=h.ints | {y})
        h = h.assume((sub(u, sym(y)), False), (sub(add(sym(y), ONE), u), True))
        wanted = key(u, h)
        new = _replace_floor(f, h, wanted, y)
        found = self.defined([new], h, depth - 1)
        if found is None:
            return None
        node = self.prove(found[0], new, rel, depth)
        return node and {"r": "name", "u": show(u), "as": y, "d": made[1], "d2": found[1], "p": node}

    def pieces(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Cases for the first abs or max whose arguments are not compared yet."""
        for t in _subterms(f):
            if t[0] != "f" or t[1] not in ("abs", "max") or any(x.startswith("$") for x in free(t)):
                continue
            if t[1] == "abs" and not sign(t[2][0], g):
                return self.case_on(g, f, rel, depth, t[2][0])
            if t[1] == "max":
                for i, u in enumerate(t[2]):
                    for v in t[2][:i]:
                        if not sign(sub(v, u), g):
                            return self.case_on(g, f, rel, depth, sub(v, u))
        # with every sign known, write abs and max out
        if any(t[0] == "f" and t[1] in ("abs", "max") for t in _subterms(f)):
            to = poly_term(form(f, g)[0]) if not form(f, g)[1] else None
            if to is not None and to != f and not any(t[0] == "f" and t[1] in ("abs", "max") for t in _subterms(to)):
                made = self.defined([to], g, 1)
                node = made and self.prove(made[0], to, rel, depth)
                return node and made and {"r": "scale", "by": "1", "to": show(to), "d": made[1], "p": node}
        return None

    def factors(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """A product whose factors have known signs, or signs that can be proved."""
        p, d = form(f, g)
        found = None if d else factored(p)
        if found is None:
            return None
        content, parts = found
        if len(parts) == 1 and parts[0][1] == 1:
            return None
        s, wanted = 1 if content > 0 else -1, []
        item: list[Any] = []
        h, wrap = g, []
        for t, e in parts:
            if e % 2 == 0 and rel == ">=":
                item += [[show(power(t, num(e // 2)))]]
                continue
            wanted.append((t, e))
        for t, e in wanted:
            r = rng(t, h)
            k = sign_of(r)
            if k == 1 or (k == 2 and rel == ">=") or (k == -1 and e % 2 == 0):
                item += [show(power(t, num(e)))] if k != -1 else [show(power(neg(t), num(e)))]
                continue
            if (k == -1 or (k == -2 and rel == ">=")) and e % 2:
                s = -s
                item += [show(power(neg(t), num(e)))]
                continue
            for u, turn in ((t, 1), (neg(t), -1)):
                strict = rel == ">"
                node = self.prove(h, u, ">" if strict else ">=", depth - 1)
                if node is not None:
                    wrap.append({"r": "have", "t": show(u), "strict": strict, "fact": node})
                    h = h.assume((u, strict))
                    s = s * turn if e % 2 else s
                    item += [show(power(u, num(e)))]
                    break
            else:
                return None
        if s < 0:
            return None
        inner: Node = {"r": "sum", "terms": [[str(abs(content)), *item]]}
        if rel == ">" and any(isinstance(x, list) for x in item):
            return None
        for w in reversed(wrap):
            inner = {**w, "p": inner}
        return inner

    def square(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """4A·(A·u² + B·u + C) = (2A·u + B)² + (4AC − B²)."""
        p, d = form(f, g)
        if d or len(p) > 40:
            return None
        for a in sorted({a for m in p for a, _ in m}):
            degrees = {dict(m).get(a, fmpq(0)) for m in p}
            if max(degrees) != 2 or not degrees <= {fmpq(0), fmpq(1), fmpq(2)}:
                continue
            part = {
                k: {tuple(x for x in m if x[0] != a): v for m, v in p.items() if dict(m).get(a, fmpq(0)) == k}
                for k in (fmpq(0), fmpq(1), fmpq(2))
            }
            big_a, big_b, big_c = (poly_term(part[k]) for k in (fmpq(2), fmpq(1), fmpq(0)))
            if sign(big_a, g) != 1:
                continue
            rest = poly_term(form(sub(mul(num(4), big_a, big_c), power(big_b, TWO)), g)[0])
            strict = rel == ">"
            node = self.prove(g, rest, ">" if strict else ">=", depth - 1)
            if node is None:
                continue
            whole_square = add(mul(TWO, big_a, atom_power(a, fmpq(1))), big_b)
            return {
                "r": "have",
                "t": show(rest),
                "strict": strict,
                "fact": node,
                "p": {"r": "sum", "by": show(mul(num(4), big_a)), "terms": [["1", [show(whole_square)]], ["1", show(rest)]]},
            }
        return None

    def halves(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """An integer of few values: one by one. An even polynomial: cut at 0."""
        for x in sorted(free(f)):
            r = g.box.get(x)
            if isinstance(r, Extent) and x in g.ints and r.lo is not None and r.hi is not None and 1 <= r.hi - r.lo <= 12:
                return self.split(g, f, rel, depth, x, [r.lo + k for k in range(int((r.hi - r.lo).p))])
        return None

    def mono(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        for x in sorted(free(f), key=lambda y: len(free(derivative(f, y))) if smooth(f, y) else 99):
            node = self.mono_in(g, f, rel, depth, x)
            if node is not None:
                return node
        return None

    def mono_in(self, g: Domain, f: Term, rel: str, depth: int, x: str, cheap: bool = False) -> Node | None:
        r = g.box.get(x)
        if x in g.ints or not isinstance(r, Extent) or not smooth(f, x) or (r.lo is not None and r.lo == r.hi):
            return None
        h = g.forget(x)
        inner = h.at(x, Extent(r.lo, r.hi, True, True))
        slope = derivative(f, x)
        made = self.defined([f, slope], inner, 1)
        if made is None:
            return None
        slope_sign = self.likely_sign(made[0], slope)
        for up in (True, False):
            if slope_sign not in (0, 1 if up else -1):
                continue
            last, is_open = (r.lo, r.lo_open) if up else (r.hi, r.hi_open)
            d0: list[Node] = []
            ends = self.ends(h, f, x, last, up, is_open, rel, depth, cheap, d0)
            if ends is None:
                continue
            strict, end_node = ends
            node = self.prove(made[0], slope if up else neg(slope), ">" if strict else ">=", 0 if cheap else depth - 1)
            if node is None:
                continue
            found: Node = {"r": "mono", "x": x, "up": up, "strict": strict, "d": made[1], "slope": node}
            if last is not None:
                found |= {"end": end_node, "d0": d0}
            return found
        return None

    def ends(
        self,
        h: Domain,
        f: Term,
        x: str,
        last: fmpq | None,
        up: bool,
        is_open: bool,
        rel: str,
        depth: int,
        cheap: bool,
        d0: list[Node],
    ) -> tuple[bool, Node | None] | None:
        """Whether the slope must be strict, and the proof at the end."""
        if last is None:
            try:
                limit = rng(f, h.at(x, "-inf" if up else "+inf"))
            except (Undefined, Reject):
                self.tired()
                return None
            return (False, None) if holds(limit, rel) else (True, None) if holds(limit, ">=") else None
        made = self.defined([f], h.at(x, point(last)), 1)
        if made is None:
            return None
        at, proofs = made
        d0 += proofs
        g = put(f, {x: ("n", last)})
        if holds(rng(g, at), rel):
            return False, dict(RANGE)
        node = self.prove(at, g, rel, 0 if cheap else depth - 1)
        if node is not None:
            return False, node
        if rel == ">" and is_open:
            node = self.prove(at, g, ">=", 0 if cheap else depth - 1)
            return None if node is None else (True, node)
        return None

    def likely_sign(self, g: Domain, f: Term) -> int:
        """1 or −1 if f has that sign at the points looked at, 0 if it is 0 there, 2 if it changes."""
        signs = set()
        for at in points(g, 30, many=False, seed=3):
            try:
                x = floats(at)
                if all(value(t, x) >= 0 for t, _ in g.hyps):
                    v = value(f, x)
                    if abs(v) > 1e-12:
                        signs.add(1 if v > 0 else -1)
            except UNABLE:
                continue
        return 2 if len(signs) == 2 else next(iter(signs), 0)

    def shift(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Every bounded-below variable as its least value plus y ≥ 0: then all coefficients may be of one sign."""
        if depth < 2:
            return None
        for x in sorted(free(f)):
            r = g.box.get(x)
            if x in g.ints or not isinstance(r, Extent) or (r.hi is not None and r.lo is not None):
                continue
            a, b = (r.lo, fmpq(1)) if r.lo is not None else (r.hi, fmpq(-1))
            if a is None or (a == 0 and b == 1):
                continue
            y = self.fresh("s")
            phi = add(("n", a), mul(("n", b), sym(y)))
            h = Domain(
                {**{k: s for k, s in g.box.items() if k != x}, y: Extent(fmpq(0), None, r.lo_open if b > 0 else r.hi_open)},
                g.ints,
                [(put(t, {x: phi}), s) for t, s in g.hyps],
            )
            to = put(f, {x: phi})
            p, d = form(to, h)
            if d:
                continue
            to = poly_term(p)
            made = self.defined([to], h, 1)
            node = made and self.prove(made[0], to, rel, depth - 1)
            if node and made:
                return {
                    "r": "subst",
                    "kind": "affine",
                    "a": str(a),
                    "b": str(b),
                    "x": x,
                    "y": y,
                    "to": show(to),
                    "d": made[1],
                    "p": node,
                }
        return None

    def relax(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        for x in sorted(free(f) & g.ints & set(g.box)):
            made = self.defined([f], g.but(ints=g.ints - {x}), 2)
            if made is None or self.refuted(made[0], f, rel):
                continue
            node = self.prove(made[0], f, rel, depth)
            if node is not None:
                return {"r": "relax", "x": x, "d": made[1], "p": node}
        # small values one by one, the rest as real numbers
        if depth >= 3:
            for x in sorted(free(f) & g.ints & set(g.box)):
                r = g.box[x]
                if isinstance(r, Extent) and r.lo is not None and (r.hi is None or r.hi - r.lo > 12):
                    for k in (0, 2, 6):
                        tail = g.within(x, Extent(r.lo + k + 1))
                        made = self.defined([f], tail.but(ints=tail.ints - {x}), 2)
                        if made is not None and not self.refuted(made[0], f, rel):
                            node = self.split(g, f, rel, depth, x, [r.lo + i for i in range(k + 1)])
                            if node is not None:
                                return node
        return None

    def wholes(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Whole numbers: f ≥ 0 follows from f > −1."""
        if not free(f) & g.ints:
            return None
        p, d = form(f, g)
        if d:
            return None
        by = fmpq(1)
        for v in p.values():
            by = fmpq(_lcm(int(by.p), int(v.q)))
        to = poly_term({m: v * by for m, v in p.items()})
        if by > 10**6 or not whole(to, g):
            return None
        new = add(to, ONE) if rel == ">=" else add(to, num(-1))
        goal = ">" if rel == ">=" else ">="
        for tactic in (self.hypotheses, self.slack, self.mono, self.relax):
            if holds(rng(new, g), goal):
                return {"r": "whole", "by": str(by), "to": show(to), "p": dict(RANGE)}
            node = tactic(g, new, goal, depth - 1) if depth > 1 else None
            if node is not None:
                return {"r": "whole", "by": str(by), "to": show(to), "p": node}
        return None

    def hypotheses(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """f as a hypothesis (or two) plus a rest that is not negative."""
        for t, strict in g.hyps:
            if not free(t) & free(f):
                continue
            rest = self.plus(g, f, rel, depth, [t], strict)
            if rest is not None:
                return rest
        for (t, a), (u, b) in product(g.hyps[-6:], repeat=2):
            if t != u and free(t) & free(f):
                rest = self.plus(g, f, rel, 0, [t, u], a or b)
                if rest is not None:
                    return rest
        return None

    def plus(self, g: Domain, f: Term, rel: str, depth: int, facts: list[Term], strict: bool) -> Node | None:
        p, d = form(sub(f, add(*facts)), g)
        if d:
            return None
        rest, goal = poly_term(p), ">" if rel == ">" and not strict else ">="
        terms = [["1", show(t)] for t in facts]
        if not p:
            return {"r": "sum", "terms": terms} if goal == ">=" else None
        made = self.defined([rest], g, 0)
        node = made and not made[1] and self.prove(g, rest, goal, max(0, min(depth - 1, 1)))
        if not node:
            return None
        return {
            "r": "have",
            "t": show(rest),
            "strict": goal == ">",
            "fact": node,
            "p": {"r": "sum", "terms": [*terms, ["1", show(rest)]]},
        }

    def inverse(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """W on one side: W(u) ≤ r exactly when u ≤ r·e^r."""
        for t in _subterms(f):
            if t[0] == "f" and t[1] == "W":
                p, d = form(f, g)
                a = next((a for m in p for a, _ in m if Interned.atoms[a][:2] == ("f", "W")), None)
                if a is None or d:
                    return None
                mono = next((m for m in p if any(b == a for b, _ in m)), None)
                if mono != ((a, fmpq(1)),) or sum(any(b == a for b, _ in m) for m in p) != 1:
                    return None
                c = p[mono]
                rest = poly_term({m: v / abs(c) for m, v in p.items() if m != mono})
                w = atom_power(a, fmpq(1))
                left, right = (w, neg(rest)) if c > 0 else (rest, w)
                new = (
                    sub(left[2][0], mul(right, fn("exp", right))) if c > 0 else sub(mul(left, fn("exp", left)), right[2][0])
                )
                return self.applied(g, f, rel, depth, left, right, "W", new, c)
        return None

    def applied(
        self, g: Domain, f: Term, rel: str, depth: int, left: Term, right: Term, name: str, new: Term, c: fmpq | None = None
    ) -> Node | None:
        made = self.defined([left, right], g, 1)
        if made is None:
            return None
        h = made[0]
        if name == "W" and not holds(rng(add(right if left[:2] == ("f", "W") else left, ONE), h), ">="):
            return None
        found = self.defined([new], h, 1)
        if found is None:
            return None
        node = self.prove(found[0], new, rel, depth if name == "W" else depth - 1)  # a W less
        if node is None:
            return None
        inner: Node = {
            "r": "apply",
            "fn": name,
            "left": show(left),
            "right": show(right),
            "d": made[1],
            "d2": found[1],
            "p": node,
        }
        if c is not None and abs(c) != 1:
            return {"r": "scale", "by": str(1 / abs(c)), "to": show(sub(left, right)), "p": inner}
        return inner

    def logarithms(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Two products: compare logarithms, or, of two logarithms, their arguments."""
        if depth < 2:
            return None
        p, d = form(f, g)
        if d or not p:
            return None
        if len(p) == 2:
            (m1, v1), (m2, v2) = sorted(p.items(), key=lambda e: -e[1])
            if v1 > 0 > v2:
                left, right = mul(("n", v1), mono_term(m1)), mul(("n", -v2), mono_term(m2))
                if (
                    any(Interned.atoms[a][0] in ("of", "pow", "exp", "f") or e.q != 1 for m in (m1, m2) for a, e in m)
                    and sign(left, g) == 1
                    and sign(right, g) == 1
                ):
                    node = self.applied(g, f, rel, depth, left, right, "log", sub(fn("log", left), fn("log", right)))
                    if node is not None:
                        return node
        logs = {a for m in p for a, _ in m if Interned.atoms[a][0] in ("log", "logprime")}
        if len(logs) == 1 and depth >= 3:
            (a,) = logs
            own = [m for m in p if any(b == a for b, _ in m)]
            if own == [((a, fmpq(1)),)]:
                c = p[own[0]]
                rest = poly_term({m: v / abs(c) for m, v in p.items() if m != own[0]})
                log_term = atom_power(a, fmpq(1))
                left, right = (log_term, neg(rest)) if c > 0 else (rest, log_term)
                new = sub(log_term[2][0], fn("exp", neg(rest))) if c > 0 else sub(fn("exp", rest), log_term[2][0])
                to = sub(fn("exp", left), fn("exp", right))
                made = self.defined([new], g, 1)
                node = made and self.prove(made[0], new, rel, depth - 1)
                if node and made:
                    inner: Node = {
                        "r": "apply",
                        "fn": "exp",
                        "left": show(left),
                        "right": show(right),
                        "d2": [],
                        "p": {"r": "scale", "by": "1", "to": show(new), "d": made[1], "p": node},
                    }
                    _ = to
                    return {"r": "scale", "by": str(1 / abs(c)), "to": show(sub(left, right)), "p": inner}
        return None

    def powers(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """exp(c·log x), which is a power of x: x = e^y before anything else."""
        if any(t[:2] == ("f", "exp") and any(u[:2] == ("f", "log") for u in _subterms(t)) for t in _subterms(f)):
            return self.roots(g, f, rel, depth)
        return None

    def roots(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """x = y² takes square roots of a symbol away; x = e^y takes logarithms."""
        if depth < 2:
            return None
        p, _ = form(f, g)
        for x in sorted(free(f) - g.ints):
            r = g.box.get(x)
            if not isinstance(r, Extent) or sign_of(r) not in (1, 2):
                continue
            a = Interned.index.get(("s", x))
            qs = {int(e.q) for m in p for b, e in m if b == a}
            kind: Node | None = None
            y = self.fresh("u")
            if qs and max(qs) > 1 and max(qs) <= 6:
                q = max(qs)
                kind, phi = {"kind": "power", "q": q}, ("^", sym(y), num(q))
            elif sign_of(r) == 1 and any(t == fn("log", sym(x)) for t in _subterms(poly_term(p))):
                kind, phi = {"kind": "exp"}, fn("exp", sym(y))
            if kind is None:
                continue
            from ..checker.rules import _changed

            new, phi = _changed(r, kind, sym(y))
            h = Domain(
                {**{k: s for k, s in g.box.items() if k != x}, y: new}, g.ints, [(put(t, {x: phi}), s) for t, s in g.hyps]
            )
            raw = put(f, {x: phi})
            top, den = form(raw, h)
            to = poly_term(top) if not den else raw
            made = self.defined([to], h, 1)
            node = made and self.prove(made[0], to, rel, depth - 1)
            if node and made:
                return {"r": "subst", **kind, "x": x, "y": y, "to": show(to), "d": made[1], "p": node}
        return None

    def step_equal(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        return self.step(g, f, rel, depth)

    def step(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Induction, where a sum, or a power or factor with the integer, is there."""
        for x in sorted(free(f) & g.ints & set(g.box)):
            r = g.box[x]
            if not isinstance(r, Extent) or r.lo is None or r.hi is not None:
                continue
            if not any(t[0] == "S" or (t[0] == "^" and x in free(t[2])) for t in _subterms(f)):
                continue
            h = g.forget(x)
            made = self.defined([f], h.at(x, point(r.lo)), 1)
            base = made and self.prove(made[0], f, rel, depth - 1)
            if not base or not made:
                continue
            after = put(f, {x: add(sym(x), ONE)})
            found = self.defined([f, after], h, 1)
            if found is None:
                continue
            difference = sub(after, f)
            goal = "==" if rel == "==" else ">="
            node = self.prove(found[0], difference, goal, depth - 1)
            if node is not None:
                return {"r": "step", "x": x, "difference": True, "d0": made[1], "d": found[1], "p": [base, node]}
            if rel != "==":
                again = self.prove(found[0].assume((f, rel == ">")), after, rel, min(depth - 1, 2))
                if again is not None:
                    return {"r": "step", "x": x, "d0": made[1], "d": found[1], "p": [base, again]}
        return None

    def turning(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Cut where the derivative seems to change its sign, at a short rational."""
        if depth < 2:
            return None
        for x in sorted(free(f) - g.ints):
            r = g.box.get(x)
            if not isinstance(r, Extent) or not smooth(f, x):
                continue
            cuts = turning_points(g, f, x)
            if cuts:
                node = self.split(g, f, rel, depth, x, cuts)
                if node is not None:
                    return node
        return None

    def boxes(self, g: Domain, f: Term, rel: str, depth: int) -> Node | None:
        """Halving, with monotonicity in the parts."""
        if depth < 2 or len(free(f) & set(g.box)) > 3:
            return None
        for x in sorted(free(f) & set(g.box)):  # far out it must be seen at once, else halving does not end
            r = g.box[x]
            if isinstance(r, Extent) and (r.lo is None or r.hi is None):
                tails = [Extent(fmpq(10**6))] if r.hi is None else []
                tails += [Extent(None, fmpq(-(10**6)))] if r.lo is None else []
                for tail in tails:
                    self.left = 3
                    if self.halved(g.within(x, tail), f, rel, 23) is None:
                        return None
        self.left = 60 * depth
        return self.halved(g, f, rel, 0)

    def halved(self, g: Domain, f: Term, rel: str, level: int) -> Node | None:
        self.left -= 1
        if self.left < 0 or level > 24:
            return None
        try:
            if g.is_empty() or holds(rng(f, g), rel):
                return dict(RANGE)
        except Undefined:
            return None
        names = [x for x in sorted(free(f)) if isinstance(g.box.get(x), Extent) and not _is_point(g.box[x])]
        for x in names:
            try:
                node = self.mono_in(g, f, rel, 1, x, cheap=len(names) == 1)
            except (Reject, Undefined, AssertionError, *UNABLE):
                self.tired()
                continue
            if node is not None:
                return node
        if level == 0 and self.refuted(g, f, rel):
            return None
        best = max(names, key=lambda y: _width(g.box[y]), default=None)  # type: ignore[arg-type]
        if best is None:
            return None
        r = g.box[best]
        assert isinstance(r, Extent)
        cut = _middle(r)
        if cut is None:
            return None
        parts = []
        for lo, hi in ((None, cut), (cut, None)):
            node = self.halved(g.within(best, Extent(lo, hi, lo is not None)), f, rel, level + 1)
            if node is None:
                return None
            parts.append(node)
        return {"r": "split", "x": best, "at": [str(cut)], "p": parts}


def _written_out(t: Term, g: Domain) -> Term:
    if t[0] in "+*":
        return (t[0], tuple(_written_out(u, g) for u in t[1]))
    if t[0] == "^":
        return ("^", _written_out(t[1], g), _written_out(t[2], g))
    if t[0] != "f" or any(x.startswith("$") and x not in g.box for x in free(t)):
        return t
    parts = tuple(_written_out(u, g) for u in t[2])
    if t[1] == "abs" and (k := sign_of(rng(parts[0], g))) in (1, 2, -1, -2):
        return parts[0] if k > 0 else neg(parts[0])
    if t[1] == "max":
        for u in parts:
            if all(v == u or sign_of(rng(sub(u, v), g)) in (1, 2) for v in parts):
                return u
    return ("f", t[1], parts)


class Exhausted(Exception):
    """The steps are used up."""


def _is_point(r: Any) -> bool:
    return isinstance(r, Extent) and r.lo is not None and r.lo == r.hi


def _width(r: Extent) -> float:
    if r.lo is None or r.hi is None:
        return float("inf")
    return float(int((r.hi - r.lo).p)) / float(int((r.hi - r.lo).q))


def _middle(r: Extent) -> fmpq | None:
    if r.lo is None and r.hi is None:
        return fmpq(0)
    if r.hi is None:
        assert r.lo is not None
        x = r.lo + 1 if r.lo < 1 else 4 * r.lo
        return x if x < 10**6 else None
    if r.lo is None:
        x = r.hi - 1 if r.hi > -1 else 4 * r.hi
        return x if x > -(10**6) else None
    if r.lo == 0 and r.hi > 100:
        return fmpq(10)
    return (r.lo + r.hi) / 2 if r.hi - r.lo > fmpq(1, 10**9) else None


def _lcm(a: int, b: int) -> int:
    from math import lcm

    return lcm(a, b)


def _subterms(t: Term) -> Iterator[Term]:
    yield t
    for u in children(t):
        yield from _subterms(u)


def _floors(t: Term) -> Iterator[Term]:
    """Arguments of floor, innermost first."""
    for u in children(t):
        yield from _floors(u)
    if t[0] == "f" and t[1] == "floor":
        yield t[2][0]


def _replace_floor(t: Term, h: Domain, wanted: Any, y: str) -> Term:
    if t[0] == "f":
        if t[1] == "floor" and key(t[2][0], h) == wanted:
            return sym(y)
        return ("f", t[1], tuple(_replace_floor(u, h, wanted, y) for u in t[2]))
    if t[0] in "+*":
        return (t[0], tuple(_replace_floor(u, h, wanted, y) for u in t[1]))
    return ("^", _replace_floor(t[1], h, wanted, y), _replace_floor(t[2], h, wanted, y)) if t[0] == "^" else t


def turning_points(g: Domain, f: Term, x: str) -> list[fmpq]:
    """Where f' = 0 at a short rational, by floats: others at a point of the domain."""
    from fractions import Fraction

    slope = derivative(f, x)
    found: list[fmpq] = []
    for at in points(g.but(hyps=()), 3, many=False, seed=5):
        base = floats(at)
        grid = (
            [k / 8 for k in range(-80, 81)]
            + [10 ** (k / 4) for k in range(-24, 25)]
            + [-(10 ** (k / 4)) for k in range(-24, 25)]
        )
        r = g.box[x]
        assert isinstance(r, Extent)
        lo = -1e9 if r.lo is None else float(Fraction(int(r.lo.p), int(r.lo.q)))
        hi = 1e9 if r.hi is None else float(Fraction(int(r.hi.p), int(r.hi.q)))
        if lo > -1e8 and hi < 1e8:
            grid += [lo + (hi - lo) * k / 40 for k in range(41)]
        before: tuple[float, float] | None = None
        for v in sorted({z for z in grid if lo < z < hi}):
            try:
                s = value(slope, {**base, x: v})
            except UNABLE:
                before = None
                continue
            if s == 0:
                found.append(_short(v))
            elif before is not None and (before[1] < 0) != (s < 0) and before[1] != 0:
                a, b, sa = before[0], v, before[1]
                for _ in range(60):
                    mid = (a + b) / 2
                    try:
                        sm = value(slope, {**base, x: mid})
                    except UNABLE:
                        break
                    a, b = (mid, b) if (sm < 0) == (sa < 0) else (a, mid)
                found.append(_short((a + b) / 2))
            before = (v, s)
            if len(found) > 6:
                break
    return sorted(set(found))[:6] if len(free(f)) == 1 else sorted(set(found))[:2]


def _short(x: float) -> fmpq:
    from fractions import Fraction

    for size in (1, 12, 60, 1000, 10**6):
        q = Fraction(x).limit_denominator(size)
        if abs(float(q) - x) < 1e-9 * (1 + abs(x)) or size == 10**6:
            return fmpq(q.numerator, q.denominator)
    raise AssertionError
