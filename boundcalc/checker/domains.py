"""Domains, and the ranges of terms on them.

A domain is a box (one range per variable, some variables whole) with hypotheses t ≥ 0 or t > 0, each of which is defined
and true at every point that is meant. `rng` encloses the values of a term, and raises `Undefined` with the condition
that is missing where the term is not seen to be defined on the whole domain.

Ends are exact rationals or infinite, open or closed. Functions are evaluated by balls and rounded outwards; an end that
was rounded lies strictly outside. A closed end is always the cautious choice.

A variable may *move*: it tends to +∞ (PINF) or −∞ (NINF). Then the range of a term is its limit for fixed values of the
other variables: PINF, NINF, or a bounded range that contains every limit point. 0·∞, ∞ − ∞, 1^∞, sums and floor have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import isqrt
from typing import NamedTuple

from flint import arb, ctx, fmpq

from .terms import Reject, Term, Work, add, fn, free, num, placed, show, sub

HUGE = 4000                     # exponents beyond 2^±HUGE are rounded outwards
PINF, NINF = "+inf", "-inf"


class Precision:
    bits = 160


class Undefined(Exception):
    """A term is not seen to be defined; `term` REL 0 is what is missing, REL being >=, >, != or whole."""

    def __init__(self, term: Term, rel: str) -> None:
        super().__init__(f"{show(term)} {rel} 0")
        self.term, self.rel = term, rel


class Extent(NamedTuple):
    """An interval; None is an infinite end."""

    lo: fmpq | None = None
    hi: fmpq | None = None
    lo_open: bool = False
    hi_open: bool = False


ALL, NOTHING_BELOW_ZERO, NULL = Extent(), Extent(fmpq(0)), Extent(fmpq(0), fmpq(0))
Reach = Extent | str             # of a term: a range, or PINF, NINF in a limit


def point(x: fmpq) -> Extent:
    return Extent(x, x)


def meet(a: Extent, b: Extent) -> Extent:
    lo, lo_open, hi, hi_open = a.lo, a.lo_open, a.hi, a.hi_open
    if b.lo is not None and (lo is None or b.lo > lo or (b.lo == lo and b.lo_open)):
        lo, lo_open = b.lo, b.lo_open
    if b.hi is not None and (hi is None or b.hi < hi or (b.hi == hi and b.hi_open)):
        hi, hi_open = b.hi, b.hi_open
    return Extent(lo, hi, lo_open, hi_open)


def mirrored(r: Extent) -> Extent:
    return Extent(None if r.hi is None else -r.hi, None if r.lo is None else -r.lo, r.hi_open, r.lo_open)


def integral(r: Extent) -> Extent:
    """The whole numbers of a range, with closed ends."""
    lo, hi = r.lo, r.hi
    if lo is not None:
        lo = fmpq(lo.floor() + 1) if r.lo_open else fmpq(lo.ceil())
    if hi is not None:
        hi = fmpq(hi.ceil() - 1) if r.hi_open else fmpq(hi.floor())
    return Extent(lo, hi)


def empty(r: Extent) -> bool:
    return r.lo is not None and r.hi is not None and (r.lo > r.hi or (r.lo == r.hi and (r.lo_open or r.hi_open)))


def sign_of(r: Reach) -> int:
    """1 or −1 if all values have that sign, 2 if all are ≥ 0, −2 if all are ≤ 0, else 0."""
    if isinstance(r, str):
        return 1 if r == PINF else -1
    if r.lo is not None and (r.lo > 0 or (r.lo == 0 and r.lo_open)):
        return 1
    if r.hi is not None and (r.hi < 0 or (r.hi == 0 and r.hi_open)):
        return -1
    if r.lo is not None and r.lo >= 0:
        return 2
    return -2 if r.hi is not None and r.hi <= 0 else 0


def holds(r: Reach, rel: str) -> bool:
    if rel == ">":
        return sign_of(r) == 1
    if rel == ">=":
        return sign_of(r) in (1, 2)
    return not isinstance(r, str) and r.lo is not None and r.lo == 0 and r.hi is not None and r.hi == 0


Fact = tuple[Term, bool]        # t ≥ 0, or t > 0 if the second is True


class Domain:
    """A box with hypotheses; never changed, so that what was computed on it may be kept with it."""

    def __init__(self, box: Mapping[str, Reach], ints: Iterable[str], hyps: Iterable[Fact] = ()) -> None:
        self.box, self.ints, self.hyps = dict(box), frozenset(ints), tuple(hyps)
        self.moving = frozenset(x for x, r in box.items() if isinstance(r, str))
        self.ranges: dict[Term, Reach] = {}
        self.forms: dict[Term, object] = {}
        self.signs: dict[object, list[tuple[int, bool]]] | None = None

    def but(self, box: Mapping[str, Reach] | None = None, hyps: Iterable[Fact] | None = None,
            ints: Iterable[str] | None = None) -> Domain:
        return Domain(self.box if box is None else box, self.ints if ints is None else ints,
                      self.hyps if hyps is None else hyps)

    def at(self, x: str, r: Reach) -> Domain:
        return self.but({**self.box, x: r})

    def within(self, x: str, r: Extent) -> Domain:
        old = self.box[x]
        assert not isinstance(old, str)
        new = meet(old, r)
        return self.at(x, integral(new) if x in self.ints else new)

    def assume(self, *facts: Fact) -> Domain:
        return self.but(hyps=(*self.hyps, *facts))

    def forget(self, *names: str) -> Domain:
        """Without the hypotheses about these variables: a larger domain."""
        return self.but(hyps=[h for h in self.hyps if not free(h[0]) & set(names)])

    def is_empty(self) -> bool:
        return any(not isinstance(r, str) and empty(r) for r in self.box.values())


def whole(t: Term, g: Domain) -> bool:
    """Whether the term takes whole numbers only, wherever it is defined on g."""
    if t[0] == "n":
        return bool(t[1].q == 1)
    if t[0] == "s":
        return t[1] in g.ints or (t[1][1:].isdigit() and t[1][0] == "$")
    if t[0] in "+*":
        return all(whole(u, g) for u in t[1])
    if t[0] == "^":
        return whole(t[1], g) and whole(t[2], g) and sign_of(rng(t[2], g)) in (1, 2)
    if t[0] == "f":
        return t[1] == "floor" or (t[1] in ("max", "abs") and all(whole(u, g) for u in t[2]))
    return whole(t[1], g)


# --- arithmetic of ranges ---------------------------------------------------------------------------------------------

def end(x: arb, up: bool) -> fmpq | None:
    """The lower or upper end of a ball as a rational, rounded outwards; None is infinite."""
    if x.is_nan():
        return None
    e = x.upper() if up else x.lower()
    if not e.is_finite():
        return None
    m, k = (int(v) for v in e.man_exp())
    if m == 0:
        return fmpq(0)
    size = k + abs(m).bit_length()
    outwards = up == (m > 0)            # away from 0
    if size > HUGE:
        return None if outwards else fmpq(2 ** HUGE if m > 0 else -2 ** HUGE)
    if size < -HUGE:
        return fmpq(1 if m > 0 else -1, 2 ** HUGE) if outwards else fmpq(0)
    return fmpq(m) * fmpq(2) ** k


def short(r: Extent) -> Extent:
    """Long ends are rounded outwards; a rounded end lies strictly outside, hence is open."""
    lo, hi, lo_open, hi_open = r
    if lo is not None and lo.height_bits() > 2 * Precision.bits:
        x = end(arb(lo), False)
        lo_open = x is not None and (x < lo or lo_open)
        lo = x
    if hi is not None and hi.height_bits() > 2 * Precision.bits:
        x = end(arb(hi), True)
        hi_open = x is not None and (x > hi or hi_open)
        hi = x
    return Extent(lo, hi, lo_open, hi_open)


def r_add(a: Reach, b: Reach) -> Reach:
    for x, y in ((a, b), (b, a)):
        if x == PINF:
            return PINF if y == PINF or (not isinstance(y, str) and y.lo is not None) else ALL
        if x == NINF:
            return NINF if y == NINF or (not isinstance(y, str) and y.hi is not None) else ALL
    assert isinstance(a, Extent)
    assert isinstance(b, Extent)
    lo = None if a.lo is None or b.lo is None else a.lo + b.lo
    hi = None if a.hi is None or b.hi is None else a.hi + b.hi
    return Extent(lo, hi, a.lo_open or b.lo_open, a.hi_open or b.hi_open)


def away(r: Reach) -> int:
    """The sign of a range that keeps a distance from 0, else 0."""
    if isinstance(r, str):
        return 1 if r == PINF else -1
    return 1 if r.lo is not None and r.lo > 0 else -1 if r.hi is not None and r.hi < 0 else 0


def r_mul(a: Reach, b: Reach) -> Reach:
    """Extremes of a product over a rectangle are taken at corners, or along an edge on which a factor is 0."""
    if isinstance(a, str) or isinstance(b, str):
        s = away(a) * away(b)
        return ALL if s == 0 else PINF if s > 0 else NINF
    corners: list[tuple[tuple[int, fmpq], bool]] = []         # ((−1 for −∞, 0, 1 for ∞; value), open)
    for x, x_open, sx in ((a.lo, a.lo_open, -1), (a.hi, a.hi_open, 1)):
        for y, y_open, sy in ((b.lo, b.lo_open, -1), (b.hi, b.hi_open, 1)):
            zero_x, zero_y = x is not None and x == 0, y is not None and y == 0
            if zero_x or zero_y:
                corners.append(((0, fmpq(0)), not ((zero_x and not x_open) or (zero_y and not y_open))))
            elif x is None or y is None:
                s = (sx if x is None else 1 if x > 0 else -1) * (sy if y is None else 1 if y > 0 else -1)
                corners.append(((s, fmpq(0)), False))
            else:
                corners.append(((0, x * y), x_open or y_open))
    least, most = min(c for c, _ in corners), max(c for c, _ in corners)
    return short(Extent(None if least[0] else least[1], None if most[0] else most[1],
                       not least[0] and all(is_open for c, is_open in corners if c == least),
                       not most[0] and all(is_open for c, is_open in corners if c == most)))


def exact_root(x: fmpq, q: int) -> fmpq | None:
    """The q-th root of a rational ≥ 0, if it is rational and small."""
    found = []
    for v in (int(x.p), int(x.q)):
        w = isqrt(v) if q == 2 else round(v ** (1 / q)) if v < 2 ** 50 else 0
        if w ** q != v:
            return None
        found.append(w)
    return fmpq(*found)


def raised(x: fmpq, c: fmpq, up: bool) -> fmpq | None:
    """x**c for x > 0 and a rational c: exact, or the end of a ball."""
    if c.q == 1 and abs(int(c.p)) * max(x.height_bits(), 1) < HUGE:
        return x ** int(c.p)
    if c.q <= 6 and abs(int(c.p)) <= 12 and (r := exact_root(x, int(c.q))) is not None:
        return r ** int(c.p)
    return end(arb(x).sqrt() if c == fmpq(1, 2) else (arb(x).log() * arb(c)).exp(), up)


def r_pow(r: Reach, c: fmpq, base: Term) -> Reach:
    """A range to a rational power."""
    if c == 0:
        return point(fmpq(1))
    odd = c.q == 1 and int(c.p) % 2 == 1
    if isinstance(r, str):
        if r == NINF and c.q != 1:
            raise Undefined(base, ">=")
        if c < 0:
            return NULL
        return NINF if r == NINF and odd else PINF
    s = sign_of(r)
    if c.q == 1 and s in (-1, -2):
        t = r_pow(mirrored(r), c, base)
        assert not isinstance(t, str)
        return mirrored(t) if odd else t
    if c.q == 1 and c > 0 and s == 0:
        up = r_pow(Extent(fmpq(0), r.hi, False, r.hi_open), c, base)
        down = r_pow(Extent(fmpq(0), None if r.lo is None else -r.lo, False, r.lo_open), c, base)
        assert isinstance(up, Extent)
        assert isinstance(down, Extent)
        if odd:
            return Extent(None if down.hi is None else -down.hi, up.hi, down.hi_open, up.hi_open)
        return Extent(fmpq(0), None if up.hi is None or down.hi is None else max(up.hi, down.hi))
    if c < 0 and s != 1:
        raise Undefined(base, "!=" if c.q == 1 else ">")
    if s not in (1, 2):
        raise Undefined(base, ">=")
    assert r.lo is not None
    first = (fmpq(0) if c > 0 else None) if r.lo == 0 else raised(r.lo, c, c < 0)
    last = (None if c > 0 else fmpq(0)) if r.hi is None else fmpq(0) if r.hi == 0 else raised(r.hi, c, c > 0)
    if c > 0:
        return short(Extent(first, last, r.lo_open, r.hi_open))
    return short(Extent(last, first, r.hi_open or r.hi is None, r.lo_open))


def r_power(a: Term, b: Term, g: Domain) -> Reach:
    """a**b, b not a number. Defined for a > 0; for a ≥ 0 with b > 0; for whole b with b ≥ 0 or a ≠ 0."""
    ra, rb = rng(a, g), rng(b, g)
    sa, sb, is_whole = sign_of(ra), sign_of(rb), whole(b, g)
    if not (sa == 1 or (sa == 2 and sb == 1) or (is_whole and (sb in (1, 2) or sa == -1))):
        raise Undefined(b, ">=") if is_whole else Undefined(a, ">")
    if is_whole and not isinstance(rb, str) and rb.lo is not None and rb.lo == rb.hi:
        return r_pow(ra, rb.lo, a)
    if isinstance(ra, str) or isinstance(rb, str):
        return r_fn("exp", [r_mul(rb, r_fn("log", [ra], a))], a) if sa == 1 else ALL
    if sa not in (1, 2):                # b whole: |a**b| = |a|**b
        size = r_fn("abs", [ra], a)
        assert not isinstance(size, str)
        top = _rectangle(size, rb) if sa == -1 or sb in (1, 2) else ALL
        return Extent(None if top.hi is None else -top.hi, top.hi)
    return _rectangle(ra, rb)


def _corner(x: fmpq | None, y: fmpq | None, sign: int, up: bool) -> fmpq | None:
    """x**y at a corner: x ≥ 0 or ∞, y a number or ∞ of that sign; None is ∞."""
    if (y is not None and y == 0) or (x is not None and x == 1):
        return fmpq(1)
    grows = (x is None or x > 1) == (sign > 0 if y is None else y > 0)
    if x is None or y is None or x == 0:
        return None if grows else fmpq(0)
    return raised(x, y, up)


def _rectangle(ra: Extent, rb: Extent) -> Extent:
    """Values of x**y, x ≥ 0: for x ≥ 1 it grows with y, for x ≤ 1 it falls; in x it grows for y ≥ 0 and falls for y ≤ 0."""
    assert ra.lo is not None
    if ra.lo < 1 and (ra.hi is None or ra.hi > 1):
        a = _rectangle(ra._replace(hi=fmpq(1), hi_open=False), rb)
        b = _rectangle(ra._replace(lo=fmpq(1), lo_open=False), rb)
        lo = min(a.lo, b.lo)  # type: ignore[type-var]
        return Extent(lo, None if a.hi is None or b.hi is None else max(a.hi, b.hi),
                     all(r.lo_open for r in (a, b) if r.lo == lo))
    small, large = ((rb.lo, -1), (rb.hi, 1)) if ra.lo >= 1 else ((rb.hi, 1), (rb.lo, -1))

    def rises(e: tuple[fmpq | None, int]) -> bool:
        return e[1] > 0 if e[0] is None else bool(e[0] >= 0)
    lo = _corner(ra.lo if rises(small) else ra.hi, *small, False)
    hi = _corner(ra.hi if rises(large) else ra.lo, *large, True)
    if ra.lo == 0 and hi is not None:           # 0**0 = 1
        hi = max(hi, fmpq(1)) if rb.lo is None or rb.lo <= 0 else hi
    lo = fmpq(0) if lo is None else max(lo, fmpq(0))
    return Extent(lo, hi, lo == 0 and sign_of(ra) == 1)


@cache
def silu_constant(bits: int) -> tuple[fmpq, fmpq]:
    """C_silu = 4(v² − 1) where v·tanh v = 1: v·tanh v grows for v > 0, so a sign change encloses v."""
    lo, hi = fmpq(1), fmpq(3, 2)

    def sign(v: fmpq) -> int:
        x = arb(v)
        y = x * (2 * x).exp() - x - (2 * x).exp() - 1           # (v·tanh v − 1)(e^2v + 1)
        return 1 if y > 0 else -1 if y < 0 else 0
    if sign(lo) != -1 or sign(hi) != 1:
        raise Reject("C_silu")
    for _ in range(min(bits, 400) - 20):
        mid = (lo + hi) / 2
        s = sign(mid)
        if s == 0:
            break
        lo, hi = (mid, hi) if s < 0 else (lo, mid)
    return 4 * (lo * lo - 1), 4 * (hi * hi - 1)


def r_constant(name: str) -> Extent:
    if name == "pi":
        return Extent(end(arb.pi(), False), end(arb.pi(), True), True, True)
    if name == "C_silu":
        return Extent(*silu_constant(Precision.bits), True, True)
    raise Reject(f"{name} has no value")


def r_fn(name: str, args: list[Reach], argument: Term) -> Reach:
    if name == "max":
        if PINF in args:
            return PINF
        ranges = [a for a in args if not isinstance(a, str)]
        if not ranges:
            return NINF
        lo = max((a.lo for a in ranges if a.lo is not None), default=None)
        tops = [a.hi for a in ranges]
        hi = None if None in tops else max(tops)  # type: ignore[type-var]
        return Extent(lo, hi, lo is not None and any(a.lo_open for a in ranges if a.lo == lo),
                      hi is not None and all(a.hi_open or a.hi < hi for a in ranges if a.hi is not None))
    r = args[0]
    if isinstance(r, str):
        return _limit_of(name, r, argument)
    lo, hi = r.lo, r.hi
    if name == "abs":
        s = sign_of(r)
        if s > 0:
            return r
        return mirrored(r) if s < 0 else Extent(fmpq(0), None if lo is None or hi is None else max(-lo, hi))
    if name in ("sin", "cos"):
        return _wave(name, r)
    if name == "floor":
        return Extent(None if lo is None else fmpq(lo.floor()), integral(r).hi)
    if name == "exp":
        low = fmpq(0) if lo is None else end(arb(lo).exp(), False)
        low = fmpq(0) if low is None else max(low, fmpq(0))
        return Extent(low, None if hi is None else end(arb(hi).exp(), True), r.lo_open or low == 0, r.hi_open)
    if name == "log":
        if sign_of(r) != 1:
            raise Undefined(argument, ">")
        return Extent(None if lo == 0 else _log(lo, False), None if hi is None else _log(hi, True), r.lo_open, r.hi_open)
    if name == "erf":
        low, high = None if lo is None else end(arb(lo).erf(), False), None if hi is None else end(arb(hi).erf(), True)
        return meet(Extent(low, high, r.lo_open, r.hi_open), Extent(fmpq(-1), fmpq(1), True, True))
    if name == "W":                             # the caller has seen that the argument is ≥ −1/e
        low = None if lo is None or not arb(lo) * arb(1).exp() + 1 > 0 else _lambert(lo, False)
        return meet(Extent(low, None if hi is None else _lambert(hi, True), low is not None and r.lo_open, r.hi_open),
                    Extent(fmpq(-1)))
    raise Reject(f"no range of {name}")


def _log(x: fmpq | None, up: bool) -> fmpq | None:
    return fmpq(0) if x == 1 else end(arb(x).log(), up)


def _lambert(x: fmpq, up: bool) -> fmpq | None:
    return fmpq(0) if x == 0 else end(arb(x).lambertw(), up)


def _limit_of(name: str, r: str, argument: Term) -> Reach:
    if name == "abs":
        return PINF
    if name in ("sin", "cos"):
        return Extent(fmpq(-1), fmpq(1))
    if name == "exp":
        return PINF if r == PINF else NULL
    if name in ("log", "W") and r == PINF:
        return PINF
    if name == "erf":
        return point(fmpq(1 if r == PINF else -1))
    raise Reject("no limit is seen")


def _wave(name: str, r: Extent) -> Extent:
    """sin or cos: values at the ends, and ±1 where a turning point may lie between."""
    full = Extent(fmpq(-1), fmpq(1))
    if r.lo is None or r.hi is None or r.hi - r.lo > 7:
        return full
    f = arb.sin if name == "sin" else arb.cos
    lows, highs = [end(f(arb(x)), False) for x in (r.lo, r.hi)], [end(f(arb(x)), True) for x in (r.lo, r.hi)]
    if None in lows or None in highs:
        return full
    lo, hi = min(lows), max(highs)  # type: ignore[type-var]
    quarter = arb.pi() / 2
    for value, place in ((1, quarter if name == "sin" else arb(0)), (-1, -quarter if name == "sin" else arb.pi())):
        first, last = end((arb(r.lo) - place) / (4 * quarter), False), end((arb(r.hi) - place) / (4 * quarter), True)
        if first is None or last is None:
            return full
        if fmpq(last.floor()) >= first:
            lo, hi = (lo, fmpq(1)) if value == 1 else (fmpq(-1), hi)
    return meet(Extent(lo, hi), full)


# --- ranges of terms --------------------------------------------------------------------------------------------------

def rng(t: Term, g: Domain) -> Reach:
    """An enclosure of the values of t on g."""
    if t[0] == "n":
        return point(t[1])
    found = g.ranges.get(t)
    if found is None:
        Work.spend()
        old, ctx.prec = ctx.prec, Precision.bits
        try:
            found = _rng(t, g)
        finally:
            ctx.prec = old
        if g.moving & free(t) and not isinstance(found, str) and (found.lo is None or found.hi is None):
            raise Reject("no limit is seen")
        if g.hyps and t[0] != "S" and not isinstance(found, str):
            from .forms import known_signs
            for s, strict in known_signs(t, g):
                found = meet(found, Extent(fmpq(0), None, strict) if s > 0 else Extent(None, fmpq(0), False, strict))
        g.ranges[t] = found
    return found


def _rng(t: Term, g: Domain) -> Reach:
    kind = t[0]
    if kind == "s":
        if t[1] not in g.box:
            raise Reject(f"unknown symbol {t[1]}")
        return g.box[t[1]]
    if kind == "+":
        r = rng(t[1][0], g)
        for u in t[1][1:]:
            r = r_add(r, rng(u, g))
        return r if isinstance(r, str) else short(r)
    if kind == "*":
        return _product(t[1], g)
    if kind == "^":
        return r_pow(rng(t[1], g), t[2][1], t[1]) if t[2][0] == "n" else r_power(t[1], t[2], g)
    if kind == "S":
        return _sum(t, g)
    if not t[2]:
        return r_constant(t[1])
    if t[1] == "floor" and g.moving & free(t):
        raise Reject("no limit is seen through floor")
    args = [rng(u, g) for u in t[2]]
    if t[1] == "W" and args[0] != PINF:
        _lambert_defined(t[2][0], args[0], g)
    return r_fn(t[1], args, t[2][0])


def _lambert_defined(u: Term, r: Reach, g: Domain) -> None:
    if isinstance(r, str):
        raise Undefined(u, ">=")
    if r.lo is None or (r.lo < 0 and not arb(r.lo) * arb(1).exp() + 1 > 0):
        above = add(u, fn("exp", num(-1)))
        if sign_of(rng(above, g)) not in (1, 2):
            raise Undefined(above, ">=")


def _product(factors: tuple[Term, ...], g: Domain) -> Reach:
    """In a limit the factors that move come first, and no partial product of theirs may be of unknown size (0·∞)."""
    parts = sorted(factors, key=lambda u: not g.moving & free(u)) if g.moving else factors
    r, moves = rng(parts[0], g), bool(g.moving)
    for u in parts[1:]:
        moves = moves and bool(g.moving & free(u))
        r = r_mul(r, rng(u, g))
        if moves and not isinstance(r, str) and (r.lo is None or r.hi is None):
            raise Reject("no limit is seen")
    return r


def _sum(t: Term, g: Domain) -> Reach:
    """A sum of c values of one range lies in c times that range."""
    _, body, k, low, high = t
    if g.moving & free(t):
        raise Reject("no limit of a sum is seen")
    for limit in (low, high):
        rng(limit, g)
        if not whole(limit, g):
            raise Undefined(limit, "whole")
    a, b = rng(low, g), rng(high, g)
    assert isinstance(a, Extent)
    assert isinstance(b, Extent)
    if low[0] == "n" and high[0] == "n" and high[1] - low[1] <= 300:
        total: Reach = NULL
        for i in range(int(low[1].p), int(high[1].p) + 1):
            total = r_add(total, rng(placed(body, {k: num(i)}), g))
        return total if isinstance(total, str) else short(total)
    count = r_add(rng(sub(high, low), g), point(fmpq(1)))
    assert not isinstance(count, str)
    if count.hi is not None and count.hi <= 0:
        return NULL
    if count.lo is None or count.lo < 0:
        count = Extent(fmpq(0), count.hi, False, count.hi_open)
    inner = g.but({**g.box, k: Extent(a.lo, b.hi)}, ints=g.ints | {k}, hyps=[h for h in g.hyps if k not in free(h[0])])
    if empty(inner.box[k]):  # type: ignore[arg-type]
        return NULL
    return r_mul(count, rng(body, inner))
