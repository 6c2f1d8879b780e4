"""Normal forms, and derivatives.

A form is (numerator, denominator): the numerator maps monomials to rationals, the denominator is a multiset of numerators.
A monomial is a sorted tuple of (atom, rational exponent). The contract: *if two terms have forms whose difference is 0, they
have equal values at every point of the domain at which both are defined*. So exponents are split or joined only for bases
that are positive, or not negative where both sides being defined leaves nothing else; a logarithm of a product is split
only where every factor is positive; the last term of a sum is split off only where the sum is seen to have one.
"""

# ruff: noqa: I001  (imported names are not one to a line)
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpq

from .domains import ALL, Domain, Extent, Undefined, rng, sign_of, whole
from .terms import (
    MINUS, ONE, TWO, ZERO, Reject, Term, Work, add, children, fn, free, mul, neg, num, placed, power, sub, sym, weigh)

Mono = tuple[tuple[int, fmpq], ...]
Poly = dict[Mono, fmpq]
Form = tuple[Poly, dict[int, int]]

LARGEST = 20_000                # products of monomials in one multiplication
LONGEST = 24                    # whole exponents that are multiplied out
TERMS = 60                      # terms of a sum that are written out


class Interned:
    """Atoms and polynomials by number; cleared for every claim."""

    atoms: list[Any]
    index: dict[Any, int]
    polys: list[Poly]
    keys: dict[Any, int]

    @classmethod
    def begin(cls) -> None:
        cls.atoms, cls.index, cls.polys, cls.keys = [], {}, [], {}


def atom(content: Any) -> int:
    if content not in Interned.index:
        Interned.index[content] = len(Interned.atoms)
        Interned.atoms.append(content)
    return Interned.index[content]


def _order(item: tuple[Mono, fmpq]) -> Any:
    return tuple((a, str(e)) for a, e in item[0]), str(item[1])


def p_key(p: Poly) -> int:
    k = tuple(sorted(p.items(), key=_order))
    if k not in Interned.keys:
        Interned.keys[k] = len(Interned.polys)
        Interned.polys.append(p)
    return Interned.keys[k]


def m_mul(m: Mono, n: Mono) -> Mono:
    exponents = dict(m)
    for a, e in n:
        exponents[a] = exponents.get(a, fmpq(0)) + e
    return tuple(sorted((a, e) for a, e in exponents.items() if e != 0))


def p_add(p: Poly, q: Poly) -> Poly:
    Work.spend((len(p) + len(q)) // 64)
    out = dict(p)
    for m, v in q.items():
        w = out.get(m, fmpq(0)) + v
        if w == 0:
            del out[m]
        else:
            out[m] = w
    return out


def p_mul(p: Poly, q: Poly) -> Poly:
    Work.spend(len(p) * len(q) // 8 + 1)
    if len(p) * len(q) > LARGEST:
        raise Reject("a polynomial is too large")
    out: Poly = {}
    again: list[tuple[Mono, Poly]] = []
    for m, v in p.items():
        for n, w in q.items():
            mono = m_mul(m, n)
            if (reduced := _reduced(mono)) is not None:
                again.append((reduced[0], {k: c * v * w for k, c in reduced[1].items()}))
                continue
            out[mono] = out.get(mono, fmpq(0)) + v * w
    out = _primes_out({m: v for m, v in out.items() if v != 0})
    for rest, factor in again:
        out = p_add(out, p_mul({rest: fmpq(1)}, factor))
    return out


def _reduced(mono: Mono) -> tuple[Mono, Poly] | None:
    """A monomial as rest·polynomial: a root whose exponent has reached 1, cos² = 1 − sin², W(u)·e^W(u) = u."""
    for a, e in mono:
        kind = Interned.atoms[a]
        if kind[0] == "root" and e >= 1:
            return _less(mono, {a: fmpq(1)}), Interned.polys[kind[1]]
        if kind[0] == "f" and kind[1] == "cos" and e >= 2 and e.q == 1:
            sine = atom(("f", "sin", kind[2]))
            return _less(mono, {a: fmpq(2)}), {(): fmpq(1), ((sine, fmpq(2)),): fmpq(-1)}
        if kind[0] == "f" and kind[1] == "W" and e >= 1 and e.q == 1 and isinstance(kind[2][0], tuple) and not kind[2][0][1]:
            other = Interned.index.get(("exp", ((a, fmpq(1)),), ()))
            if other is not None and dict(mono).get(other, fmpq(0)) >= 1:
                return _less(mono, {a: fmpq(1), other: fmpq(1)}), Interned.polys[kind[2][0][0]]
    return None


def _less(mono: Mono, taken: dict[int, fmpq]) -> Mono:
    return tuple((a, e - taken.get(a, fmpq(0))) for a, e in mono if e != taken.get(a, fmpq(0)))


def _primes_out(p: Poly) -> Poly:
    """Whole powers of primes become numbers."""
    if not any(Interned.atoms[a][0] == "prime" and not 0 < e < 1 for m in p for a, e in m):
        return p
    out: Poly = {}
    for m, v in p.items():
        rest = []
        for a, e in m:
            if Interned.atoms[a][0] == "prime":
                n = e.floor()
                if abs(n) > LARGEST:
                    raise Reject("a power is too large")
                v *= fmpq(Interned.atoms[a][1]) ** int(n)
                e -= n
            if e != 0:
                rest.append((a, e))
        out = p_add(out, {tuple(rest): v})
    return out


def f_mul(a: Form, b: Form) -> Form:
    den = dict(a[1])
    for k, e in b[1].items():
        den[k] = den.get(k, 0) + e
    return p_mul(a[0], b[0]), den


def f_add(a: Form, b: Form) -> Form:
    den = dict(a[1])
    for k, e in b[1].items():
        den[k] = max(den.get(k, 0), e)
    out: Poly = {}
    for p, d in (a, b):
        for k, e in den.items():
            for _ in range(e - d.get(k, 0)):
                p = p_mul(p, Interned.polys[k])
        out = p_add(out, p)
    return out, den if out else {}


def constant(c: fmpq) -> Form:
    return ({(): c} if c != 0 else {}), {}


def single(content: Any, e: Any = 1) -> Form:
    return {((atom(content), fmpq(e)),): fmpq(1)}, {}


def f_inverse(f: Form) -> Form:
    top, den = f
    if not top:
        raise Reject("division by 0 in a normal form")
    out: Poly = {(): fmpq(1)}
    for k, e in den.items():
        for _ in range(e):
            out = p_mul(out, Interned.polys[k])
    if len(top) == 1:
        ((m, v),) = top.items()
        if all(Interned.atoms[a][0] != "root" for a, _ in m):
            return p_mul(out, {tuple((a, -e) for a, e in m): 1 / v}), {}
    lead = min(top.items(), key=_order)[1]
    return p_mul(out, {(): 1 / lead}), {p_key({m: v / lead for m, v in top.items()}): 1}


def form(t: Term, g: Domain) -> Form:
    found = g.forms.get(t)
    if found is None:
        Work.spend()
        found = g.forms[t] = _form(t, g)
    return found  # type: ignore[return-value]


def key(t: Term, g: Domain) -> Any:
    """Equal keys mean equal values wherever both terms are defined."""
    try:
        p, d = form(t, g)
    except Undefined:
        return t
    return p_key(p), tuple(sorted(d.items()))


def same(a: Term, b: Term, g: Domain) -> bool:
    """Equal wherever both are defined."""
    return not form(sub(a, b), g)[0]


def sign(t: Term, g: Domain) -> int:
    """The sign of a term on g, 0 also where it is not seen to be defined."""
    try:
        return sign_of(rng(t, g))
    except Undefined:
        return 0


def known_signs(t: Term, g: Domain) -> Iterable[tuple[int, bool]]:
    """What the hypotheses say about this very term: (1 for ≥ 0, −1 for ≤ 0; strict)."""
    if g.signs is None:
        g.signs = {}                    # while the table is made, ranges use no hypotheses: a larger domain
        table: dict[object, list[tuple[int, bool]]] = {}
        for h, strict in g.hyps:
            weigh(h)
            try:
                for s, u in ((1, h), (-1, neg(h))):
                    table.setdefault(key(u, g), []).append((s, strict))
            except (Undefined, Reject):
                continue
        g.signs, g.ranges, g.forms = table, {}, {}
    return g.signs.get(key(t, g), ()) if g.signs else ()


def _number(f: Form) -> fmpq | None:
    return f[0].get((), fmpq(0)) if not f[1] and set(f[0]) <= {()} else None


def _form(t: Term, g: Domain) -> Form:
    kind = t[0]
    if kind == "n":
        return constant(t[1])
    if kind == "s":
        r = g.box.get(t[1])
        if isinstance(r, Extent) and r.lo is not None and r.lo == r.hi:
            return constant(r.lo)
        return single(("s", t[1]))
    if kind in "+*":
        out = constant(fmpq(0 if kind == "+" else 1))
        for u in t[1]:
            out = f_add(out, form(u, g)) if kind == "+" else f_mul(out, form(u, g))
        return out
    if kind == "^":
        return _power(t[1], t[2], g)
    if kind == "S":
        return _sum(t, g)
    name, args = t[1], t[2]
    if not args:
        return single((name,))
    if name == "exp":
        return _exp(form(args[0], g))
    if name == "log":
        return _log(args[0], g)
    if name == "abs" and (s := sign(args[0], g)):
        return form(args[0] if s > 0 else neg(args[0]), g)
    if name == "max":
        return _max(args, g)
    f = form(args[0], g)
    if name == "floor" and whole(args[0], g):
        return f
    if name in ("floor", "abs") and (c := _number(f)) is not None:
        return constant(fmpq(c.floor()) if name == "floor" else abs(c))
    if name in ("erf", "sin", "cos") and f[0] and min(f[0].items(), key=_order)[1] < 0:         # odd, odd, even
        out = single(("f", name, (key(neg(args[0]), g),)))
        return out if name == "cos" else f_mul(constant(fmpq(-1)), out)
    if name in ("erf", "sin", "cos") and not f[0]:
        return constant(fmpq(1 if name == "cos" else 0))
    if name == "sin" and not f[1] and len(f[0]) == 1:                  # sin(n·π) = 0 for whole n
        ((m, v),) = f[0].items()
        turns = [(a, e) for a, e in m if Interned.atoms[a] != ("pi",)]
        if v.q == 1 and len(m) == len(turns) + 1 and dict(m).get(atom(("pi",))) == 1 and all(
                Interned.atoms[a][0] == "s" and Interned.atoms[a][1] in g.ints and e.q == 1 and e > 0 for a, e in turns):
            return constant(fmpq(0))
    return single(("f", name, tuple(key(u, g) for u in args)))


def _max(args: tuple[Term, ...], g: Domain) -> Form:
    """Without the arguments that another is seen to reach: one goes at a time, and only if one that stays reaches it."""
    left = list(args)
    for i in reversed(range(len(args))):
        if any(sign(sub(v, args[i]), g) in (1, 2) for j, v in enumerate(left) if j != i):
            del left[i]
    if len(left) == 1:
        return form(left[0], g)
    return single(("f", "max", tuple(sorted((key(u, g) for u in left), key=repr))))


def _exp(f: Form) -> Form:
    """e^(Σ c·m/d) = Π (e^(m/d))^c; e^(c·log p) = p^c; e^(c·log u) = u^c for whole c (u > 0 where log u is defined)."""
    p, d = f
    dk = tuple(sorted(d.items()))
    mono: Mono = ()
    out = constant(fmpq(1))
    for m, v in p.items():
        inner: Any = Interned.atoms[m[0][0]] if len(m) == 1 and m[0][1] == 1 and not dk else ("",)
        if inner[0] == "logprime" and abs(v.p) <= 64 and v.q <= 6:
            mono = m_mul(mono, ((atom(("prime", inner[1])), v),))
        elif inner[0] == "log" and v.q == 1 and abs(v.p) <= LONGEST:
            base: Form = (Interned.polys[inner[1][0]], dict(inner[1][1]))
            base = base if v > 0 else f_inverse(base)
            for _ in range(abs(int(v.p))):
                out = f_mul(out, base)
        else:
            mono = m_mul(mono, ((atom(("exp", m, dk)), v),))
    return f_mul(out, (_primes_out({mono: fmpq(1)}), {}))


def _prime_factors(x: fmpq) -> dict[int, int] | None:
    """Of a rational > 0 whose factors are small, else None."""
    out: dict[int, int] = {}
    for n, sign_ in ((int(x.p), 1), (int(x.q), -1)):
        p = 2
        while p * p <= n and p < 2000:
            while n % p == 0:
                out[p], n = out.get(p, 0) + sign_, n // p
            p += 1
        if n > 1:
            if p * p <= n:
                return None
            out[n] = out.get(n, 0) + sign_
    return out


def _log(u: Term, g: Domain) -> Form:
    if u[0] == "n" and u[1] > 0 and (factors := _prime_factors(u[1])) is not None:
        return {((atom(("logprime", p)), fmpq(1)),): fmpq(e) for p, e in factors.items()}, {}
    if u[0] == "*" and all(sign(v, g) == 1 for v in u[1]):
        out = constant(fmpq(0))
        for v in u[1]:
            out = f_add(out, _log(v, g))
        return out
    if u[0] == "^" and sign(u[1], g) == 1:
        return f_mul(form(u[2], g), _log(u[1], g))
    if u[0] == "f" and u[1] == "exp":
        return form(u[2][0], g)
    p, d = form(u, g)
    if (c := _number((p, d))) is not None and c > 0 and u[0] != "n":
        return _log(("n", c), g)
    if len(p) > 1 and not d:            # log(1/x + 1) = log(x + 1) − log x for a symbol x > 0
        for a in sorted({a for m in p for a, _ in m if Interned.atoms[a][0] == "s"}):
            low = min(dict(m).get(a, fmpq(0)) for m in p)
            if low < 0 and sign(sym(Interned.atoms[a][1]), g) == 1:
                rest = p_mul(p, {((a, -low),): fmpq(1)})
                return f_add(single(("log", (p_key(rest), ()))),
                             f_mul(constant(low), single(("log", (p_key({((a, fmpq(1)),): fmpq(1)}), ())))))
    return single(("log", (p_key(p), tuple(sorted(d.items())))))


def _power(a: Term, b: Term, g: Domain) -> Form:
    c = b[1] if b[0] == "n" else _number(form(b, g))
    if c is not None:
        return _number_power(a, c, g)
    p, d = form(b, g)
    if a[0] == "f" and a[1] == "exp":
        return form(fn("exp", ("*", (a[2][0], b))), g)
    if not d and sign(a, g) == 1:               # a > 0: a^(Σ v·m) = Π (a^m)^v
        out = constant(fmpq(1))
        for m, v in p.items():
            if m == ():
                out = f_mul(out, _number_power(a, v, g))
            elif a[0] == "n" and (factors := _prime_factors(a[1])) is not None:
                for q, e in factors.items():
                    out = f_mul(out, single(("of", q, m), e * v))
            else:
                out = f_mul(out, single(("of", key(a, g), m), v))
        return out
    if not d and whole(b, g):
        c = p.get((), fmpq(0))
        if 0 < c <= LONGEST and sign(sub(b, ("n", c)), g) in (1, 2):        # u^(r + c) = u^r·u^c, r ≥ 0 whole
            rest = {m: v for m, v in p.items() if m != ()}
            return f_mul(single(("pow", key(a, g), (p_key(rest), ()))), _number_power(a, c, g))
    return single(("pow", key(a, g), key(b, g)))


def _number_power(a: Term, c: fmpq, g: Domain) -> Form:
    if c.q == 1 and abs(int(c.p)) <= LONGEST:
        base = form(a, g) if c >= 0 else f_inverse(form(a, g))
        out = constant(fmpq(1))
        for _ in range(abs(int(c.p))):
            out = f_mul(out, base)
        return out
    if a[0] == "n" and a[1] > 0 and (factors := _prime_factors(a[1])) is not None:
        return _primes_out({tuple(sorted((atom(("prime", p)), e * c) for p, e in factors.items())): fmpq(1)}), {}
    if a[0] == "*" and c.q != 1 and all(sign(v, g) in (1, 2) for v in a[1]):
        out = constant(fmpq(1))
        for v in a[1]:
            out = f_mul(out, _number_power(v, c, g))
        return out
    if a[0] == "^" and (sign(a[1], g) == 1 or (sign(a[1], g) == 2 and a[2][0] == "n" and a[2][1] > 0 and c > 0)):
        return _power(a[1], mul(a[2], ("n", c)), g)
    if a[0] == "f" and a[1] == "exp":
        return form(fn("exp", mul(a[2][0], ("n", c))), g)
    if a[0] == "s" and c.q != 1:                # defined for a ≥ 0 alone, where exponents join
        r = g.box.get(a[1])
        if not (isinstance(r, Extent) and r.lo is not None and r.lo == r.hi):
            return single(("s", a[1]), c)
    p, d = form(a, g)
    if (v := _number((p, d))) is not None and v > 0 and a[0] != "n":
        return _number_power(("n", v), c, g)
    if d or c < 0 or c.q == 1:
        return single(("pow", (p_key(p), tuple(sorted(d.items()))), c))
    n = c.floor()
    root = single(("root", p_key(p)), c - n)
    return f_mul(_number_power(a, fmpq(n), g), root) if n else root


def _sum(t: Term, g: Domain) -> Form:
    _, body, k, low, high = t
    top, bottom = form(high, g), form(low, g)
    last, first = _number(top), _number(bottom)
    if last is not None and first is not None and last - first <= TERMS and last.q == 1 == first.q:
        out = constant(fmpq(0))
        for i in range(int(first.p), int(last.p) + 1):
            out = f_add(out, form(placed(body, {k: num(i)}), g))
        return out
    if whole(high, g) and whole(low, g):
        c = top[0].get((), fmpq(0))
        if not top[1] and last is None and 0 < c <= 4 and sign(sub(high, low), g) in (1, 2):
            # high ≥ low, so there is a last term
            shorter = ("S", body, k, low, sub(high, ONE))
            return f_add(form(shorter, g), form(placed(body, {k: high}), g))
        c = bottom[0].get((), fmpq(0))
        if not bottom[1] and first is None and 0 < c <= 4 and sign(add(sub(high, low), ONE), g) in (1, 2):
            before = sub(low, ONE)              # high ≥ low − 1: one term more, less this term
            more = placed(body, {k: before})
            rng(more, g)
            return f_add(form(("S", body, k, before, high), g), f_mul(constant(fmpq(-1)), form(more, g)))
    r = rng(low, g)
    inner = g.but({**g.box, k: Extent(r.lo, None) if isinstance(r, Extent) else ALL}, ints=g.ints | {k})
    return single(("S", key(body, inner), k, key(low, g), key(high, g)))


# --- derivatives ------------------------------------------------------------------------------------------------------

def smooth(t: Term, x: str) -> bool:
    """No floor, max, abs or sum contains x: then t is continuous in x where it is seen to be defined."""
    if x not in free(t):
        return True
    if t[0] == "S" or (t[0] == "f" and t[1] in ("floor", "max", "abs")):
        return False
    return all(smooth(u, x) for u in children(t))


def derivative(t: Term, x: str) -> Term:
    """With respect to x; right at interior points at which t and what is returned are defined."""
    if x not in free(t):
        return ZERO
    kind = t[0]
    if kind == "s":
        return ONE
    if kind == "+":
        return add(*(derivative(u, x) for u in t[1]))
    if kind == "*":
        Work.spend(len(t[1]) ** 2 // 8)
        return add(*(mul(*(derivative(u, x) if i == j else u for j, u in enumerate(t[1])))
                     for i in range(len(t[1])) if x in free(t[1][i])))
    if kind == "^":
        a, b = t[1], t[2]
        if x not in free(b):
            return mul(b, power(a, add(b, MINUS)), derivative(a, x))
        if x not in free(a):
            return mul(t, fn("log", a), derivative(b, x))
        return mul(t, add(mul(derivative(b, x), fn("log", a)), mul(b, derivative(a, x), ("^", a, MINUS))))
    if kind == "f":
        u = t[2][0]
        slope = {"exp": lambda: t, "log": lambda: ("^", u, MINUS), "sin": lambda: fn("cos", u),
                 "cos": lambda: neg(fn("sin", u)),
                 "erf": lambda: mul(TWO, ("^", fn("pi"), num(-1, 2)), fn("exp", neg(power(u, TWO)))),
                 "W": lambda: mul(fn("exp", neg(t)), ("^", add(ONE, t), MINUS))}.get(t[1])
        if slope is not None:
            return mul(slope(), derivative(u, x))
    raise Reject("this is not differentiated")
