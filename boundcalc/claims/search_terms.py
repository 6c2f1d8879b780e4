"""Untrusted: terms of the checker as floats, points of its domains, and forms written back as terms."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise, product
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from ..checker.domains import Domain, Extent
from ..checker.forms import Form, Interned, Mono, Poly, form
from ..checker.terms import ZERO, Reject, Term, add, children, fn, free, mul, neg, num, power, sym

UNABLE = (ValueError, ZeroDivisionError, OverflowError, TypeError, ArithmeticError)
C_SILU = 1.7569086


def value(t: Term, at: dict[str, float]) -> float:
    """The value as a float; an exception where it is undefined or too large."""
    kind = t[0]
    if kind == "n":
        return float(int(t[1].p)) / float(int(t[1].q)) if t[1].height_bits() < 900 else _ratio(t[1])
    if kind == "s":
        if t[1] not in at:
            raise ValueError(f"{t[1]} has no value")
        return at[t[1]]
    if kind == "+":
        return math.fsum(value(u, at) for u in t[1])
    if kind == "*":
        return math.prod(value(u, at) for u in t[1])
    if kind == "^":
        a, b = value(t[1], at), value(t[2], at)
        if a == 0 and b < 0:
            raise ZeroDivisionError
        found = a**b
        if isinstance(found, complex):
            raise ValueError
        return found
    if kind == "S":
        low, high = value(t[3], at), value(t[4], at)
        if low != int(low) or high != int(high) or high - low > 3000:
            raise ValueError
        return math.fsum(value(t[1], {**at, t[2]: float(k)}) for k in range(int(low), int(high) + 1))
    args = [value(u, at) for u in t[2]]
    return _FUNCTIONS[t[1]](*args)


def _ratio(x: fmpq) -> float:
    from fractions import Fraction

    return float(Fraction(int(x.p), int(x.q)))


def _lambert(x: float) -> float:
    if x < -math.exp(-1):
        raise ValueError
    w = math.log1p(x) if x < 3 else math.log(x) - math.log(math.log(x))
    w = max(w, -0.999) if x < 0 else w
    for _ in range(60):
        e = math.exp(w)
        step = (w * e - x) / (e * (w + 1) + 1e-300)
        w -= step
        if abs(step) < 1e-15 * (1 + abs(w)):
            break
    return w


_FUNCTIONS: dict[str, Any] = {
    "abs": abs,
    "max": max,
    "floor": lambda x: float(math.floor(x)),
    "exp": math.exp,
    "log": math.log,
    "erf": math.erf,
    "W": _lambert,
    "sin": math.sin,
    "cos": math.cos,
    "pi": lambda: math.pi,
    "C_silu": lambda: C_SILU,
    "inf": lambda: math.inf,
}


# --- points -----------------------------------------------------------------------------------------------------------


def candidates(r: Extent, is_whole: bool, many: bool) -> list[fmpq]:
    """Values in a range: ends, next to ends, small numbers, and (many) very small and very large ones."""
    found: list[fmpq] = []
    lo, hi = r.lo, r.hi
    steps = [fmpq(1), fmpq(1, 2), fmpq(2), fmpq(1, 10), fmpq(3), fmpq(10), fmpq(1, 100)]
    if many:
        steps += [
            fmpq(1, 3),
            fmpq(7),
            fmpq(3, 10),
            fmpq(100),
            fmpq(1, 1000),
            fmpq(1000),
            fmpq(10) ** -6,
            fmpq(10) ** 6,
            fmpq(10) ** -12,
            fmpq(10) ** 12,
            fmpq(10) ** 30,
            fmpq(10) ** -30,
            fmpq(10) ** 60,
            fmpq(10) ** 100,
            fmpq(10) ** -100,
            fmpq(10) ** 400,
            fmpq(10) ** 1000,
        ]
    if lo is not None and hi is not None:
        wide = hi - lo
        found += [lo, hi, (lo + hi) / 2]
        found += [lo + wide * s for s in (fmpq(1, 4), fmpq(3, 4), fmpq(1, 10), fmpq(9, 10), fmpq(1, 3), fmpq(2, 3))]
        if many:
            found += [lo + wide * fmpq(k, 16) for k in range(17)]
            found += [x for e in (3, 6, 12, 30) for x in (lo + wide * fmpq(10) ** -e, hi - wide * fmpq(10) ** -e)]
    elif lo is not None:
        found += [lo, *(lo + s for s in steps)]
    elif hi is not None:
        found += [hi, *(hi - s for s in steps)]
    else:
        found += [fmpq(0), *steps, *(-s for s in steps)]
    found += [x for x in (fmpq(0), fmpq(1), fmpq(-1), fmpq(2), fmpq(1, 2)) if many]
    if is_whole:
        found = [fmpq(x.floor()) for x in found] + [fmpq(x.ceil()) for x in found]
    return [x for x in dict.fromkeys(found) if _in(x, r)]


def _in(x: fmpq, r: Extent) -> bool:
    return (r.lo is None or x > r.lo or (x == r.lo and not r.lo_open)) and (
        r.hi is None or x < r.hi or (x == r.hi and not r.hi_open)
    )


def solved_for(t: Term, g: Domain) -> tuple[str, Term] | None:
    """An equation t = 0 solved for a symbol in which it is linear with a constant coefficient."""
    try:
        p, d = form(t, g)
    except Exception:
        return None
    if d:
        return None
    for x in sorted(free(t), key=lambda name: (name in g.ints, name)):
        a = Interned.index.get(("s", x))
        if a is None:
            continue
        own = {m: v for m, v in p.items() if any(b == a for b, _ in m)}
        if set(own) == {((a, fmpq(1)),)} and not any(x in free(mono_term(m)) for m in p if m not in own):
            c = own[((a, fmpq(1)),)]
            rest = {m: -v / c for m, v in p.items() if m not in own}
            return x, poly_term(rest)
    return None


def equations(g: Domain) -> list[Term]:
    """Hypotheses of which both signs are there."""
    keys = [(t, i) for i, (t, strict) in enumerate(g.hyps) if not strict]
    found = []
    for (t, i), (u, j) in pairwise(keys):
        if j == i + 1 and u == neg(t):
            found.append(t)
    return found


def points(
    g: Domain, most: int, many: bool = True, seed: int = 1, marks: dict[str, list[fmpq]] | None = None
) -> Iterator[dict[str, fmpq]]:
    """Points of the box; equations that are solved for a symbol are kept. `marks` are further values."""
    solved: list[tuple[str, Term]] = []
    for t in equations(g):
        found = solved_for(t, g)
        if found is not None and found[0] not in [x for x, _ in solved]:
            solved.append(found)
    names = [x for x in g.box if x not in [y for y, _ in solved]]
    lists = [
        [
            *(v for v in (marks or {}).get(x, []) if _in(v, g.box[x]) and (x not in g.ints or v.q == 1)),  # type: ignore[arg-type]
            *candidates(g.box[x], x in g.ints, many),  # type: ignore[arg-type]
        ]
        for x in names
    ]
    if any(not values for values in lists):
        return
    rounds = random.Random(seed)
    total = math.prod(len(v) for v in lists)
    choice = product(*lists) if total <= most else (tuple(rounds.choice(v) for v in lists) for _ in range(most))
    for values in choice:
        at = dict(zip(names, values, strict=True))
        try:
            for x, t in solved:
                at[x] = _exact(t, at)
        except UNABLE:
            continue
        if all(_in(at[x], r) and (x not in g.ints or at[x].q == 1) for x, r in g.box.items()):  # type: ignore[arg-type]
            yield at


def marks_of(terms: list[Term], g: Domain) -> dict[str, list[fmpq]]:
    """Where parts of the terms that depend on one symbol vanish, turn or jump, and values next to these."""
    found: dict[str, list[fmpq]] = {}
    stack, seen = list(terms), 0
    while stack and seen < 60:
        t = stack.pop()
        stack += children(t)
        names = free(t)
        if len(names) != 1 or t[0] == "s":
            continue
        seen += 1
        (x,) = names
        r = g.box.get(x)
        if not isinstance(r, Extent):
            continue
        solved = solved_for(t, g)
        if solved is not None and solved[1][0] == "n":
            c = solved[1][1]
            found.setdefault(x, []).extend([c, c + fmpq(1, 10**3), c - fmpq(1, 10**3)])
        elif solved is not None:
            with suppress(*UNABLE):
                found.setdefault(x, []).append(short_rational(value(solved[1], {})))
        with suppress(*UNABLE):
            found.setdefault(x, []).extend(extreme_places(t, x, r))
    return {x: list(dict.fromkeys(v))[:24] for x, v in found.items()}


def extreme_places(t: Term, x: str, r: Extent) -> list[fmpq]:
    """Where a term of one symbol seems to be least or largest, by a grid that is refined."""
    lo, hi = -20.0 if r.lo is None else _ratio(r.lo), 20.0 if r.hi is None else _ratio(r.hi)
    lo, hi = (
        (lo, lo + 40)
        if r.lo is not None and r.hi is None
        else (hi - 40, hi)
        if r.lo is None and r.hi is not None
        else (lo, hi)
    )
    found = []
    for sign in (1, -1):
        a, b = lo, hi
        best = None
        for _ in range(5):
            values = []
            for k in range(41):
                z = a + (b - a) * k / 40
                try:
                    values.append((sign * value(t, {x: z}), z))
                except UNABLE:
                    continue
            if not values:
                break
            best = min(values)[1]
            a, b = max(a, best - (b - a) / 20), min(b, best + (b - a) / 20)
        if best is not None:
            found.append(short_rational(best))
    return found


def short_rational(x: float) -> fmpq:
    from fractions import Fraction

    for size in (1, 12, 60, 1000, 10**6):
        q = Fraction(x).limit_denominator(size)
        if abs(float(q) - x) < 1e-7 * (1 + abs(x)) or size == 10**6:
            return fmpq(q.numerator, q.denominator)
    raise AssertionError


def _exact(t: Term, at: dict[str, fmpq]) -> fmpq:
    kind = t[0]
    if kind == "n":
        return t[1]
    if kind == "s":
        return at[t[1]]
    if kind == "+":
        return sum((_exact(u, at) for u in t[1]), fmpq(0))
    if kind == "*":
        found = fmpq(1)
        for u in t[1]:
            found *= _exact(u, at)
        return found
    if kind == "^" and t[2][0] == "n" and t[2][1].q == 1 and abs(t[2][1].p) < 50:
        return _exact(t[1], at) ** int(t[2][1].p)
    raise ValueError


def floats(at: dict[str, fmpq]) -> dict[str, float]:
    return {x: _ratio(v) for x, v in at.items()}


# --- forms as terms ---------------------------------------------------------------------------------------------------


def key_term(k: Any) -> Term:
    if isinstance(k[0], int):
        top = poly_term(Interned.polys[k[0]])
        return mul(top, *(("^", poly_term(Interned.polys[i]), num(-e)) for i, e in k[1]))
    return k


def atom_term(a: int) -> Term:
    c = Interned.atoms[a]
    kind = c[0]
    if kind == "s":
        return sym(c[1])
    if kind == "prime":
        return num(c[1])
    if kind == "logprime":
        return fn("log", num(c[1]))
    if kind == "log":
        return fn("log", key_term(c[1]))
    if kind == "exp":
        return fn("exp", mul(mono_term(c[1]), *(("^", poly_term(Interned.polys[i]), num(-e)) for i, e in c[2])))
    if kind == "root":
        return poly_term(Interned.polys[c[1]])
    if kind == "pow":
        return ("^", key_term(c[1]), ("n", c[2]) if isinstance(c[2], fmpq) else key_term(c[2]))
    if kind == "of":
        return ("^", num(c[1]) if isinstance(c[1], int) else key_term(c[1]), mono_term(c[2]))
    if kind == "f":
        return fn(c[1], *(key_term(k) for k in c[2]))
    if kind == "S":
        return ("S", key_term(c[1]), c[2], key_term(c[3]), key_term(c[4]))
    return fn(kind)


def atom_power(a: int, e: fmpq) -> Term:
    c = Interned.atoms[a]
    if c[0] == "exp" and e != 1:
        return fn("exp", mul(("n", e), atom_term(a)[2][0]))
    if c[0] == "of" and e != 1:
        base = atom_term(a)
        return ("^", base[1], mul(("n", e), base[2]))
    return power(atom_term(a), ("n", e))


def mono_term(m: Mono) -> Term:
    return mul(*(atom_power(a, e) for a, e in m)) if m else num(1)


def poly_term(p: Poly) -> Term:
    return add(*(mul(("n", v), mono_term(m)) for m, v in p.items())) if p else ZERO


def factored(p: Poly) -> tuple[fmpq, list[tuple[Term, int]]] | None:
    """The factors of a polynomial in its atoms, as terms."""
    atoms = sorted({a for m in p for a, _ in m})
    if not 1 <= len(atoms) <= 5 or len(p) > 60:
        return None
    root: dict[int, int] = {}
    for m in p:
        for a, e in m:
            root[a] = math.lcm(root.get(a, 1), int(e.q))
            if e < 0 or e > 12:
                return None
    if any(q > 30 for q in root.values()):
        return None
    names = tuple(f"g{i}" for i in range(len(atoms)))
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    table = {}
    for m, v in p.items():
        exponents = dict(m)
        table[tuple(int((exponents.get(a, fmpq(0)) * root[a]).p) for a in atoms)] = v
    try:
        content, factors = context.from_dict(table).factor()
    except Exception as problem:
        raise Reject(str(problem)) from None
    found = []
    for q, e in factors:
        terms: list[Term] = []
        for exps, v in q.to_dict().items():
            mono: Mono = tuple((a, fmpq(k, root[a])) for a, k in zip(atoms, exps, strict=True) if k)
            terms.append(mul(("n", v), mono_term(mono)))
        found.append((add(*terms), int(e)))
    return fmpq(content), found


def product_term(p: Poly) -> Term:
    """A polynomial as the product of its factors, whose ranges are seen more easily."""
    try:
        found = factored(p)
    except Reject:
        found = None
    if found is None or len(found[1]) < 2:
        return poly_term(p)
    return mul(("n", found[0]), *(power(t, num(e)) for t, e in found[1]))


__all__ = ["Form", "factored", "floats", "points", "poly_term", "product_term", "value"]
