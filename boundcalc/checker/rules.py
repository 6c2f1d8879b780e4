"""The judgement G ⊢ f REL 0 and its rules.

It says: at every point of the domain G the term f is defined and the relation (>=, > or ==) to 0 holds. `prove` accepts or
raises; every rule is one function with its argument beside it. The object makes choices alone: goals, domains, ranges and
derivatives are made here. Wherever a new term comes in, it is shown to be defined: by its range, or by proofs in a list of
the object, taken in the order in which conditions are missing; what they prove becomes a hypothesis.
"""

# ruff: noqa: I001  (imported names are not one to a line)
from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from .domains import (
    NINF, PINF, Domain, Extent, Fact, Precision, Undefined, ctx, end, exact_root, holds, integral, meet, point, rng,
    sign_of, whole)
from .forms import derivative, key, same, smooth
from .terms import (
    ARITY, CONSTANTS, ONE, TWO, WORDS, ZERO, Reject, Term, Work, add, fn, free, mul, neg, num, placed, power,
    read_number, read_term, sub, sym, weigh)

DEEPEST = 150
Object = dict[str, Any]


class Trace:
    """Goals as they are met, for whoever tells a proof in words; nothing here reads it."""

    met: list[tuple[Object, Domain, Term, str, int]] | None = None


def entry(p: Object, name: str, kind: type) -> Any:
    found = p.get(name)
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        raise Reject(f"field {name}")
    return found


def fresh(name: str, g: Domain) -> bool:
    """A name that neither the box nor the whole numbers know: a name that was solved away may still count as whole."""
    return (re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and name not in g.box and name not in g.ints
            and name not in ARITY and name not in WORDS and name not in CONSTANTS)


def defined(terms: list[Term], g: Domain, proofs: Any = None) -> Domain:
    """g with the facts that make the terms defined on it, each proved by the object."""
    left = list(proofs) if isinstance(proofs, list) else []
    for t in terms:
        weigh(t)
        while True:
            try:
                rng(t, g)
                break
            except Undefined as missing:
                if not left or missing.rel == "whole" or not isinstance(left[0], dict):
                    raise Reject(f"not seen to be defined: {missing}") from None
                proof = left.pop(0)
                u, rel = missing.term, missing.rel
                if rel == "!=":                 # a divisor is shown to be > 0 or < 0
                    u, rel = (neg(u) if proof.get("sign") == -1 else u), ">"
                g = defined([u], g)
                prove(g, u, rel, proof)
                g = g.assume((u, rel == ">"))
    return g


def prove(g: Domain, f: Term, rel: str, p: Any, depth: int = 0) -> None:
    """Accept, or raise Reject. f is defined on g: whoever calls has seen to it."""
    Work.spend()
    if depth > DEEPEST or not isinstance(p, dict) or rel not in (">=", ">", "=="):
        raise Reject("shape of the object")
    if Trace.met is not None:
        Trace.met.append((p, g, f, rel, depth))
    if g.is_empty():
        return
    rule = RULES.get(p.get("r"))  # type: ignore[arg-type]
    if rule is None:
        raise Reject(f"there is no rule {p.get('r')!r}")
    weigh(f)
    rule(g, f, rel, p, depth + 1)


def by_range(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """Every value of f lies in its range."""
    if not holds(rng(f, g), rel):
        raise Reject("range")


def by_zero(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """The normal form of f is 0, so f = 0 wherever it is defined, and it is defined on g."""
    if rel == ">" or not same(f, ZERO, g):
        raise Reject("zero")


def by_both(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """f ≥ 0 and −f ≥ 0 give f = 0."""
    parts = entry(p, "p", list)
    if rel != "==" or len(parts) != 2:
        raise Reject("both")
    prove(g, f, ">=", parts[0], depth)
    prove(g, neg(f), ">=", parts[1], depth)


def cut_ranges(cuts: list[Any]) -> list[Extent]:
    """Parts that cover the line: each cut belongs to the part below it."""
    at = [read_number(c) for c in cuts]
    if any(a >= b for a, b in pairwise(at)):
        raise Reject("cuts must grow")
    return [Extent(at[i - 1] if i else None, at[i] if i < len(at) else None, i > 0) for i in range(len(at) + 1)]


def by_split(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """The parts cover the range of x; for whole numbers they are ≤ c and ≥ ⌊c⌋ + 1, which still cover."""
    x, parts = entry(p, "x", str), entry(p, "p", list)
    ranges = cut_ranges(entry(p, "at", list))
    if x not in g.box or len(parts) != len(ranges):
        raise Reject("split")
    for r, q in zip(ranges, parts, strict=True):
        prove(g.within(x, r), f, rel, q, depth)


def by_case(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """t is defined on g, so t ≥ 0 or −t > 0 at every point."""
    t, parts = read_term(p.get("t")), entry(p, "p", list)
    if len(parts) != 2:
        raise Reject("case")
    h = defined([t], g, p.get("d"))
    prove(h.assume((t, False)), f, rel, parts[0], depth)
    prove(h.assume((neg(t), True)), f, rel, parts[1], depth)


def by_scale(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """by > 0, and by·f and `to` have one normal form and are defined on g: they are equal, so f and `to` have one sign."""
    by, to = read_term(p.get("by", "1")), read_term(p.get("to"))
    h = defined([by, to], g, p.get("d"))
    if not holds(rng(by, h), ">") or not same(mul(by, f), to, h):
        raise Reject("scale")
    prove(h, to, rel, p.get("p"), depth)


def by_sum(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """by·f = Σ c·Π factors by normal form, by > 0, c ≥ 0, each factor ≥ 0 by its range or a square; > 0 if a product is."""
    h = defined([read_term(p.get("by", "1"))], g, p.get("d"))
    by, total, strict = read_term(p.get("by", "1")), ZERO, False
    for item in entry(p, "terms", list):
        if not isinstance(item, list) or not item:
            raise Reject("sum")
        c = read_number(item[0])
        if c < 0:
            raise Reject("a negative coefficient")
        positive, product = c > 0, ("n", c)
        for text in item[1:]:
            square = isinstance(text, list) and len(text) == 1
            u = read_term(text[0] if square else text)
            h = defined([u], h)
            s = sign_of(rng(u, h))
            if not square and s not in (1, 2):
                raise Reject("a factor is not seen to be ≥ 0")
            positive = positive and s in (1, -1)
            product = mul(product, power(u, TWO) if square else u)
        strict = strict or positive
        total = add(total, product)
    if rel == "==" or (rel == ">" and not strict) or not holds(rng(by, h), ">") or not same(mul(by, f), total, h):
        raise Reject("sum")


def by_have(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """A fact with a proof of its own becomes a hypothesis."""
    t, strict = read_term(p.get("t")), p.get("strict") is True
    h = defined([t], g, p.get("d"))
    prove(h, t, ">" if strict else ">=", p.get("fact"), depth)
    prove(h.assume((t, strict)), f, rel, p.get("p"), depth)


def by_mono(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """f grows with x (up) or falls: it is least at one end of the range of x, or its limit there is its infimum.

    Hypotheses about x are dropped first, so that with every point the segment from it to the end lies in the domain; f has
    no floor, max, abs or sum in x and is defined on the segment, hence continuous on it, and its derivative has one sign
    inside: the mean value theorem. With a strict slope f exceeds its value at an open end, and its limit at infinity.
    """
    x, up = entry(p, "x", str), entry(p, "up", bool)
    r = g.box.get(x)
    if x in g.ints or not isinstance(r, Extent) or rel == "==" or not smooth(f, x):
        raise Reject("mono")
    h = g.forget(x)
    inner, strict = h.at(x, Extent(r.lo, r.hi, True, True)), False
    if not inner.is_empty():
        slope = derivative(f, x)
        inner, strict = defined([f, slope], inner, p.get("d")), p.get("strict") is True
        prove(inner, slope if up else neg(slope), ">" if strict else ">=", p.get("slope"), depth)
    last, is_open = (r.lo, r.lo_open) if up else (r.hi, r.hi_open)
    if last is None:
        if not holds(rng(f, h.at(x, NINF if up else PINF)), ">=" if strict else rel):
            raise Reject("limit at infinity")
        return
    at = defined([f], h.at(x, point(last)), p.get("d0"))
    prove(at, placed(f, {x: ("n", last)}), ">=" if strict and is_open else rel, p.get("end"), depth)


def by_apply(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """f = left − right, and both sides go through a function that increases strictly where they lie."""
    left, right, name = read_term(p.get("left")), read_term(p.get("right")), p.get("fn")
    h = defined([left, right], g, p.get("d"))
    if rel == "==" or not same(f, sub(left, right), h):
        raise Reject("apply")
    if name == "log" and holds(rng(left, h), ">") and holds(rng(right, h), ">"):
        new = sub(fn("log", left), fn("log", right))
    elif name == "exp":
        new = sub(fn("exp", left), fn("exp", right))
    elif name == "square" and holds(rng(left, h), ">="):        # left² ≥ right² and left ≥ 0 give left ≥ |right|
        new = sub(power(left, TWO), power(right, TWO))
    elif name == "W" and left[:2] == ("f", "W") and holds(rng(add(right, ONE), h), ">="):
        new = sub(left[2][0], mul(right, fn("exp", right)))     # W(u) ≥ r exactly when u ≥ r·e^r, for r ≥ −1
    elif name == "W" and right[:2] == ("f", "W") and holds(rng(add(left, ONE), h), ">="):
        new = sub(mul(left, fn("exp", left)), right[2][0])
    else:
        raise Reject("apply")
    prove(defined([new], h, p.get("d2")), new, rel, p.get("p"), depth)


def _changed(r: Extent, p: Object, y: Term) -> tuple[Extent, Term]:
    """The range of y and φ(y): φ maps that range onto at least r."""
    kind = p.get("kind")
    if kind == "exp" and sign_of(r) == 1:
        old, ctx.prec = ctx.prec, Precision.bits
        try:
            lo = None if r.lo == 0 else end(arb(r.lo).log(), False)
            hi = None if r.hi is None else end(arb(r.hi).log(), True)
        finally:
            ctx.prec = old
        return Extent(lo, hi, r.lo_open and r.lo == 1, r.hi_open and r.hi == 1), fn("exp", y)
    if kind == "inverse" and sign_of(r) == 1:
        assert r.lo is not None
        return Extent(fmpq(0) if r.hi is None else 1 / r.hi, None if r.lo == 0 else 1 / r.lo, r.hi_open or r.hi is None,
                      r.lo_open), ("^", y, num(-1))
    if kind == "power" and sign_of(r) in (1, 2):
        q = entry(p, "q", int)
        assert r.lo is not None
        lo, hi = exact_root(r.lo, q) if 2 <= q <= 12 else None, None if r.hi is None else exact_root(r.hi, q)
        if not 2 <= q <= 12:
            raise Reject("subst power")
        lo_open = r.lo_open and lo is not None
        return Extent(fmpq(0) if lo is None else lo, hi, lo_open, r.hi_open and hi is not None), ("^", y, num(q))
    if kind == "affine":
        a, b = read_number(p.get("a")), read_number(p.get("b"))
        if b == 0:
            raise Reject("subst affine")
        s = r if b > 0 else Extent(r.hi, r.lo, r.hi_open, r.lo_open)
        return Extent(None if s.lo is None else (s.lo - a) / b, None if s.hi is None else (s.hi - a) / b, s.lo_open,
                     s.hi_open), add(("n", a), mul(("n", b), y))
    raise Reject("subst")


def by_subst(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """x = φ(y) for a new real y whose range φ maps onto the range of x: every point of g is reached."""
    x, y = entry(p, "x", str), entry(p, "y", str)
    r = g.box.get(x)
    if not isinstance(r, Extent) or x in g.ints or not fresh(y, g):
        raise Reject("subst")
    new, phi = _changed(r, p, sym(y))
    box = {k: s for k, s in g.box.items() if k != x}
    h = Domain({**box, y: new}, g.ints, [(placed(t, {x: phi}), s) for t, s in g.hyps])
    to = placed(f, {x: phi})
    if "to" in p:
        other = read_term(p.get("to"))
        h = defined([other], h, p.get("d"))
        if not same(to, other, h):
            raise Reject("subst to")
        to = other
    else:
        h = defined([to], h, p.get("d"))
    prove(h, to, rel, p.get("p"), depth)


def by_slack(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """Hypothesis t ≥ 0 is solved for x: E(t) = x by normal form, so every point is reached by y = t(point), x = E(y).

    y ranges over the range of t, and is whole where t is; the bounds of x become hypotheses about E.
    """
    i, x, y = entry(p, "hyp", int), entry(p, "x", str), entry(p, "y", str)
    if not 0 <= i < len(g.hyps) or not isinstance(g.box.get(x), Extent) or not fresh(y, g):
        raise Reject("slack")
    t, strict = g.hyps[i]
    e = read_term(p.get("to"))
    r, old = rng(t, g), g.box[x]
    assert isinstance(r, Extent)
    assert isinstance(old, Extent)
    r = meet(r, Extent(fmpq(0), None, strict))
    is_whole = whole(t, g)
    h = g.but({**g.box, y: integral(r) if is_whole else r}, ints=g.ints | ({y} if is_whole else set()))
    if x in free(e) or free(e) - set(h.box) or not same(placed(e, {y: t}), sym(x), defined([placed(e, {y: t})], h)):
        raise Reject("slack")
    h = defined([e], h, p.get("d0"))
    facts: list[Fact] = [(placed(u, {x: e}), s) for u, s in h.hyps]
    facts += [(sub(e, ("n", old.lo)), old.lo_open)] if old.lo is not None else []
    facts += [(sub(("n", old.hi), e), old.hi_open)] if old.hi is not None else []
    h = Domain({k: v for k, v in h.box.items() if k != x}, h.ints - {x}, facts)
    new = placed(f, {x: e})
    prove(defined([new], h, p.get("d")), new, rel, p.get("p"), depth)


def by_relax(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """What holds for all real x holds for the whole ones."""
    x = entry(p, "x", str)
    if x not in g.ints or x not in g.box:
        raise Reject("relax")
    prove(defined([f], g.but(ints=g.ints - {x}), p.get("d")), f, rel, p.get("p"), depth)


def by_step(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """Induction on whole x ≥ a without upper end, after hypotheses about x are dropped."""
    x, parts = entry(p, "x", str), entry(p, "p", list)
    r = g.box.get(x)
    if x not in g.ints or not isinstance(r, Extent) or r.lo is None or r.hi is not None or r != integral(r) or (
            len(parts) != 2):
        raise Reject("step")
    h = g.forget(x)
    prove(defined([f], h.at(x, point(r.lo)), p.get("d0")), f, rel, parts[0], depth)
    after = placed(f, {x: add(sym(x), ONE)})
    h = defined([f, after], h, p.get("d"))
    if p.get("difference") is True:             # f(x + 1) ≥ f(x)
        prove(h, sub(after, f), "==" if rel == "==" else ">=", parts[1], depth)
    else:
        facts: tuple[Fact, ...] = ((f, rel == ">"),) if rel != "==" else ((f, False), (neg(f), False))
        prove(h.assume(*facts), after, rel, parts[1], depth)


def by_name(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """y = ⌊u⌋ is a whole number with y ≤ u < y + 1; it takes the place of every floor of a term equal to u."""
    u, y = read_term(p.get("u")), entry(p, "as", str)
    if not fresh(y, g):
        raise Reject("name")
    h = defined([u], g, p.get("d"))
    h = h.but({**h.box, y: rng(fn("floor", u), h)}, ints=h.ints | {y})
    h = h.assume((sub(u, sym(y)), False), (sub(add(sym(y), ONE), u), True))
    wanted = key(u, h)

    def named(t: Term) -> Term:
        if t[0] == "f":
            if t[1] == "floor" and key(t[2][0], h) == wanted:
                return sym(y)
            return ("f", t[1], tuple(map(named, t[2])))
        if t[0] in "+*":
            return (t[0], tuple(map(named, t[1])))
        return ("^", named(t[1]), named(t[2])) if t[0] == "^" else t
    new = named(f)
    prove(defined([new], h, p.get("d2")), new, rel, p.get("p"), depth)


def by_whole(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """c·f = `to` takes whole numbers only, c > 0: f ≥ 0 follows from `to` > −1, and f > 0 from `to` ≥ 1."""
    c, to = read_number(p.get("by", "1")), read_term(p.get("to"))
    h = defined([to], g, p.get("d"))
    if c <= 0 or rel == "==" or not whole(to, h) or not same(mul(("n", c), f), to, h):
        raise Reject("whole")
    new = add(to, ONE) if rel == ">=" else add(to, num(-1))
    prove(h, new, ">" if rel == ">=" else ">=", p.get("p"), depth)


def by_absurd(g: Domain, f: Term, rel: str, p: Object, depth: int) -> None:
    """The negation of a hypothesis is proved, so g has no point."""
    i = entry(p, "hyp", int)
    if not 0 <= i < len(g.hyps):
        raise Reject("absurd")
    t, strict = g.hyps[i]
    prove(defined([t], g, p.get("d")), neg(t), ">=" if strict else ">", p.get("p"), depth)


RULES: dict[str, Callable[[Domain, Term, str, Object, int], None]] = {
    "range": by_range, "zero": by_zero, "both": by_both, "split": by_split, "case": by_case, "scale": by_scale,
    "sum": by_sum, "have": by_have, "mono": by_mono, "apply": by_apply, "subst": by_subst, "slack": by_slack,
    "relax": by_relax, "step": by_step, "name": by_name, "whole": by_whole, "absurd": by_absurd}
