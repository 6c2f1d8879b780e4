"""The functions of one variable of the claim grammar, as targets need them: exactly, over balls, with two derivatives.

Every function says where it is defined, how it runs (rising or not) and how it bends, so that ranges and divided differences
can be taken at end points. Balls are evaluated at the working precision, rationals are kept wherever the value is rational.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

import flint
from flint import arb, fmpq

from ..numbers.arithmetic import MAX_BITS, TooLong, ball_power, exact_root, working_precision
from .enclosure import Undecided, arb_bounds

ZERO, ONE = arb(0), arb(1)
NIL, UNIT = fmpq(0), fmpq(1)
BITS = 160                  # of values that are rounded outwards to rationals
MOST_BITS = 10_000          # of exponents of such values

Span: TypeAlias = tuple[fmpq | None, fmpq | None]       # None is infinite
LINE: Span = (None, None)


@dataclass(frozen=True, eq=False)
class Function:
    """`exact` is the value where it is rational, else None. `over`, `first` and `second` take a ball and return one that
    contains the function (its derivatives) on all of it where it is defined; Undecided if it is not bounded there."""

    name: str
    exact: Callable[[fmpq], fmpq | None]
    over: Callable[[arb], arb]
    first: Callable[[arb], arb]
    second: Callable[[arb], arb]
    image: Callable[[Span], Span]
    bend: Callable[[Span], int]             # +1 convex, −1 concave on it, 0 not known
    slopes: Span = LINE                     # of all divided differences, wherever
    exponent: fmpq | None = None            # of a power


# --- balls ------------------------------------------------------------------------------------------------------------

def square(x: arb) -> arb:
    """x² of a ball: x·x would treat its two factors as different numbers."""
    low, high = abs(x.lower()), abs(x.upper())
    large = low.max(high)
    small = ZERO if x.contains(0) else low.min(high)
    return (small * small).union(large * large)


def _ends(f: Callable[[arb], arb], x: arb) -> arb:
    """Of a function that rises, or that falls."""
    return f(x.lower()).union(f(x.upper()))


def _above(x: arb, what: str) -> arb:
    if not x.lower() > 0:
        raise Undecided(f"{what} is not bounded where its argument may be 0.")
    return x


def _from_zero(x: arb, what: str) -> arb:
    """The part of a ball from 0 on: an end that is 0 is rounded below it."""
    if x.upper() < 0:
        raise Undecided(f"{what} of a negative number is undefined.")
    return x if x.lower() >= 0 else ZERO.union(x.upper())


def _sigma(x: arb) -> arb:
    return _ends(lambda e: 1 / (1 + (-e).exp()), x)


def _bell(x: arb) -> arb:
    """The derivative of erf."""
    return 2 / arb.pi().sqrt() * _ends(arb.exp, -square(x))


def _lambert(x: arb) -> arb:
    least = -arb(-1).exp()
    if x.upper() < least:
        raise Undecided("W is real only from −1/e on.")
    return _ends(lambda e: e.lambertw() if e > least else arb(-1).union(ZERO), x)


def _lambert_slope(x: arb) -> arb:
    w = _lambert(x)
    if not w.lower() > -1:
        raise Undecided("W is not differentiable at −1/e.")
    return _ends(lambda e: (-e).exp() / (1 + e), w)


def _rounded(up: bool, x: arb) -> arb:
    return _ends(lambda e: e.ceil() if up else e.floor(), x)


def _flat(up: bool, x: arb) -> arb:
    low, high = (e.ceil() if up else e.floor() for e in (x.lower(), x.upper()))
    if not low == high:
        raise Undecided(f"{'ceil' if up else 'floor'} jumps: it has no slope.")
    return ZERO


def _no_second(x: arb) -> arb:
    """|x| away from 0."""
    if x.contains(0):
        raise Undecided("|x| has no second derivative at 0.")
    return ZERO


# --- ranges in rationals, rounded outwards ----------------------------------------------------------------------------

def outwards(compute: Callable[[], arb]) -> tuple[fmpq, fmpq]:
    """The ends of a ball as rationals; TooLong where one is too large or too near 0 to be worth writing down."""
    with working_precision(max(BITS, flint.ctx.prec)):
        low, high = arb_bounds(compute())
    if max(x.denominator.bit_length() + x.numerator.bit_length() for x in (low, high)) > 4 * flint.ctx.prec + MOST_BITS:
        raise TooLong("The end of an interval is too large or too small.")
    return fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator)


def between(f: Function, x: fmpq) -> tuple[fmpq, fmpq]:
    """The value at a rational, which both ends are if it is rational."""
    value = f.exact(x)
    return (value, value) if value is not None else outwards(lambda: f.over(arb(x)))


def _rising(name: str, low: fmpq | None, high: fmpq | None, span: Span) -> Span:
    """Of a rising function with these values at −∞ and ∞ (None: it is not bounded)."""
    f = FUNCTIONS[name]
    first = None if span[0] is None else _bounded(f, span[0])[0]
    last = None if span[1] is None else _bounded(f, span[1])[1]
    return (low if first is None else first if low is None else max(first, low),
            high if last is None else last if high is None else min(last, high))


def _bounded(f: Function, x: fmpq) -> Span:
    """`between`, or no bound where the value is too large to be written down."""
    try:
        return between(f, x)
    except (Undecided, TooLong):
        return LINE


def _log_image(span: Span) -> Span:
    low, high = span
    if (high is not None and high <= 0) or low is None or low < 0:
        raise Undecided("The logarithm is defined for positive numbers only.")
    log = FUNCTIONS["log"]
    return None if low == 0 else _bounded(log, low)[0], None if high is None else _bounded(log, high)[1]


def _wave_image(name: str, span: Span) -> Span:
    low, high = span
    if low is None or high is None or high - low > 7:
        return -UNIT, UNIT
    a, b = outwards(lambda: FUNCTIONS[name].over(arb(low).union(arb(high))))
    return max(a, -UNIT), min(b, UNIT)


def absolute(span: Span) -> Span:
    low, high = span
    if low is not None and low >= 0:
        return span
    if high is not None and high <= 0:
        return -high, None if low is None else -low
    return NIL, None if low is None or high is None else max(-low, high)


def _rounded_image(up: bool, span: Span) -> Span:
    low, high = (None if e is None else fmpq(e.ceil() if up else e.floor()) for e in span)
    return low, high


# --- how functions bend -----------------------------------------------------------------------------------------------

def _always(sign: int, span: Span) -> int:
    return sign


def _like_tanh(span: Span) -> int:
    """Convex on the left of 0, concave on the right."""
    low, high = span
    return -1 if low is not None and low >= 0 else 1 if high is not None and high <= 0 else 0


def _by_second(name: str, span: Span) -> int:
    low, high = span
    if low is None or high is None:
        return 0
    return sign_of_ball(FUNCTIONS[name].second(arb(low).union(arb(high))))


def sign_of_ball(x: arb) -> int:
    return (1 if x >= 0 else -1 if x <= 0 else 0) if x.is_finite() else 0


# --- powers -----------------------------------------------------------------------------------------------------------

@cache
def power(exponent: fmpq) -> Function:
    """x^exponent; the exponent is neither 0 nor 1."""
    p = exponent
    whole, odd = p.q == 1, p.q == 1 and int(p.p) % 2 == 1
    name = f"power {p}"

    def exact(x: fmpq) -> fmpq | None:
        if (x == 0 and p < 0) or (x < 0 and not whole):
            raise Undecided("A power of zero or of a negative number is undefined.")
        root = x if whole else exact_root(x, int(p.q))
        if root is None or abs(int(p.p)) * root.height_bits() > MAX_BITS:
            return None
        return root ** int(p.p)

    def at(e: arb) -> arb:
        if not whole:
            return e.max(ZERO).sqrt() if p == fmpq(1, 2) else ZERO if e == 0 else (p * e.log()).exp()
        return 1 / e if p == -1 else ball_power(e, int(p.p))

    def over(x: arb) -> arb:
        if p == -1:
            low, high = x.lower(), x.upper()
            if not (low > 0 or high < 0):
                raise Undecided("1/x is not bounded where x may be 0.")
            return (1 / low).union(1 / high)
        if p < 0:
            return over_reciprocal(x)
        if not whole:
            x = _from_zero(x, "A root")
        elif not odd:
            sizes = [abs(x.lower()), abs(x.upper())]
            return at(ZERO if x.contains(0) else sizes[0].min(sizes[1])).union(at(sizes[0].max(sizes[1])))
        return _ends(at, x)

    def over_reciprocal(x: arb) -> arb:
        if not (x.lower() > 0 or (whole and x.upper() < 0)):
            raise Undecided("A negative power is not bounded where its base may be 0.")
        return _ends(at, x)

    def first(x: arb) -> arb:
        if p == -1:
            return -square(over(x))
        return p * (x if p == 2 else power(p - 1).over(x))

    def second(x: arb) -> arb:
        if p == 2:
            return arb(2)
        return p * (p - 1) * (x if p == 3 else power(p - 2).over(x))

    def end(e: fmpq | None, side: int) -> fmpq | None:
        """An end of the image of a negative power."""
        return NIL if e is None else None if e == 0 else _bounded(power(p), e)[side]

    def image(span: Span) -> Span:
        low, high = span
        if not whole and (low is None or low < 0):
            raise Undecided("A root of a negative number is undefined.")
        if p < 0:
            if not ((low is not None and low >= 0) or (whole and high is not None and high <= 0)):
                raise Undecided("A negative power is not bounded where its base may be 0.")
            rises = whole and not odd and high is not None and high <= 0
            return (end(low, 0), end(high, 1)) if rises else (end(high, 0), end(low, 1))
        if whole and not odd:
            low, high = absolute(span)
        return (None if low is None else _bounded(power(p), low)[0], None if high is None else _bounded(power(p), high)[1])

    def bend(span: Span) -> int:
        low, high = span
        if whole and not odd and p > 0:
            return 1
        if low is not None and low >= 0:
            return -1 if 0 < p < 1 else 1
        return (-1 if odd else 1) if high is not None and high <= 0 else 0

    return Function(name, exact, over, first, second, image, bend, exponent=p)


# --- the table --------------------------------------------------------------------------------------------------------

def _only_at(x0: int, value: int, x: fmpq) -> fmpq | None:
    return fmpq(value) if x == x0 else None


def _exact_log(x: fmpq) -> fmpq | None:
    if x <= 0:
        raise Undecided("The logarithm is defined for positive numbers only.")
    return NIL if x == 1 else None


def _exactly_rounded(up: bool, x: fmpq) -> fmpq:
    return fmpq(x.ceil() if up else x.floor())


def _tanh_second(x: arb) -> arb:
    t = _ends(arb.tanh, x)
    return -2 * t * (1 - square(t))


def _sigma_second(x: arb) -> arb:
    s = _sigma(x) - fmpq(1, 2)
    return -2 * s * (fmpq(1, 4) - square(s))


def _lambert_second(x: arb) -> arb:
    w, slope = _lambert(x), _lambert_slope(x)
    return -square(slope) * _ends(lambda e: (e + 2) / (1 + e), w)


def _lambert_image(span: Span) -> Span:
    low, high = span
    if (low is not None and arb(low) < -arb(-1).exp()) or low is None:
        raise Undecided("W is real only from −1/e on.")
    return _bounded(FUNCTIONS["W"], low)[0], None if high is None else _bounded(FUNCTIONS["W"], high)[1]


FUNCTIONS: dict[str, Function] = {f.name: f for f in (
    Function("abs", abs, lambda x: abs(x) if not x.contains(0) else ZERO.union(abs(x.lower()).max(abs(x.upper()))),
             lambda x: ONE if x.lower() >= 0 else -ONE if x.upper() <= 0 else (-ONE).union(ONE), _no_second, absolute,
             partial(_always, 1), (-UNIT, UNIT)),
    Function("exp", partial(_only_at, 0, 1), partial(_ends, arb.exp), partial(_ends, arb.exp), partial(_ends, arb.exp),
             partial(_rising, "exp", NIL, None), partial(_always, 1), (NIL, None)),
    Function("log", _exact_log, lambda x: _ends(arb.log, _above(x, "The logarithm")),
             lambda x: power(fmpq(-1)).over(_above(x, "The logarithm")),
             lambda x: -power(fmpq(-2)).over(_above(x, "The logarithm")), _log_image, partial(_always, -1), (NIL, None)),
    Function("tanh", partial(_only_at, 0, 0), partial(_ends, arb.tanh), lambda x: 1 - square(_ends(arb.tanh, x)),
             _tanh_second, partial(_rising, "tanh", -UNIT, UNIT), _like_tanh, (NIL, UNIT)),
    Function("sigma", lambda x: fmpq(1, 2) if x == 0 else None, _sigma,
             lambda x: fmpq(1, 4) - square(_sigma(x) - fmpq(1, 2)), _sigma_second,
             partial(_rising, "sigma", NIL, UNIT), _like_tanh, (NIL, fmpq(1, 4))),
    Function("erf", partial(_only_at, 0, 0), partial(_ends, arb.erf), _bell, lambda x: -2 * x * _bell(x),
             partial(_rising, "erf", -UNIT, UNIT), _like_tanh, (NIL, fmpq(113, 100))),
    Function("W", partial(_only_at, 0, 0), _lambert, _lambert_slope, _lambert_second, _lambert_image,
             partial(_always, -1), (NIL, None)),
    Function("sin", partial(_only_at, 0, 0), arb.sin, arb.cos, lambda x: -arb.sin(x), partial(_wave_image, "sin"),
             partial(_by_second, "sin"), (-UNIT, UNIT)),
    Function("cos", partial(_only_at, 0, 1), arb.cos, lambda x: -arb.sin(x), lambda x: -arb.cos(x),
             partial(_wave_image, "cos"), partial(_by_second, "cos"), (-UNIT, UNIT)),
    *(Function("ceil" if up else "floor", partial(_exactly_rounded, up), partial(_rounded, up), partial(_flat, up),
               partial(_flat, up), partial(_rounded_image, up), partial(_always, 0)) for up in (False, True)),
)}
