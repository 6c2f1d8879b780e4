"""Ranges of expressions over boxes: interval arithmetic whose ends are Arb numbers, and may be infinite.

An interval is a pair of exact ends. Monotone functions are evaluated at the ends, rounded outwards, because a ball
around a wide interval is a poor enclosure of its exponential. Infinite ends are limits that are never attained, hence
0·∞ = 0. A function that is not defined on all of an interval raises `NoRange`: then nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import sympy as sp
from flint import arb, fmpq

from ..formulas.enclosure import enclose
from ..formulas.symbols import C, CeilLog, FloorLog
from ..numbers.arithmetic import dyadic
from ..numbers.exact import ceil_log, floor_log

BITS = 96               # working precision of everything here
MAX_TERMS = 400         # of a sum that is written out
MAX_EXPONENT = 100_000  # binary, of an end that is turned into a fraction

BallEnds = tuple[arb, arb]
INFINITE = arb("inf")
ZERO, ONE = arb(0), arb(1)
LINE: BallEnds = (-INFINITE, INFINITE)


class NoRange(Exception):
    """The expression is undefined somewhere on the box, or there is no rule for it."""


class Undefined(NoRange):
    """The expression is undefined on the whole box."""


def interval(low: Fraction | None, high: Fraction | None) -> BallEnds:
    """The interval between two rationals, rounded outwards; None is infinite."""
    return (-INFINITE if low is None else arb(fmpq(low.numerator, low.denominator)).lower(),
            INFINITE if high is None else arb(fmpq(high.numerator, high.denominator)).upper())


def _down(x: arb) -> arb:
    return -INFINITE if x.is_nan() else x.lower()


def _up(x: arb) -> arb:
    return INFINITE if x.is_nan() else x.upper()


def add(x: BallEnds, y: BallEnds) -> BallEnds:
    return _down(x[0] + y[0]), _up(x[1] + y[1])


def negative(x: BallEnds) -> BallEnds:
    return -x[1], -x[0]


def _product(x: arb, y: arb) -> arb:
    return ZERO if x == 0 or y == 0 else x * y


def multiply(x: BallEnds, y: BallEnds) -> BallEnds:
    if x[0] >= 0 and y[0] >= 0:
        return _down(_product(x[0], y[0])), _up(_product(x[1], y[1]))
    corners = [_product(u, v) for u in x for v in y]
    low, high = _down(corners[0]), _up(corners[0])
    for corner in corners[1:]:
        down, up = _down(corner), _up(corner)
        low, high = (down if down < low else low), (up if up > high else high)
    return low, high


def inverse(x: BallEnds) -> BallEnds:
    if x[0] > 0 or x[1] < 0:
        return _down(1 / x[1]), _up(1 / x[0])
    if x[0] == 0 and x[1] > 0:
        return _down(1 / x[1]), INFINITE
    if x[1] == 0 and x[0] < 0:
        return -INFINITE, _up(1 / x[0])
    if x[0] == 0:
        raise NoRange
    return LINE


def integer_power(x: BallEnds, n: int) -> BallEnds:
    if n < 0:
        return inverse(integer_power(x, -n))
    if n == 0:
        return ONE, ONE
    if n % 2 == 0:
        x = magnitude(x)
    return _down(_end_power(x[0], n)), _up(_end_power(x[1], n))


def _end_power(x: arb, n: int) -> arb:
    if x.is_finite():
        return x ** n
    return x if n % 2 or x > 0 else -x


def magnitude(x: BallEnds) -> BallEnds:
    if x[0] >= 0:
        return x
    if x[1] <= 0:
        return negative(x)
    return ZERO, (-x[0] if -x[0] > x[1] else x[1])


def exponential(x: BallEnds) -> BallEnds:
    low = ZERO if x[0] == -INFINITE else _down(x[0].exp())
    return (low if low > 0 else ZERO), (INFINITE if x[1] == INFINITE else _up(x[1].exp()))


def logarithm(x: BallEnds) -> BallEnds:
    if x[1] <= 0:
        raise Undefined
    if x[0] < 0:
        raise NoRange
    return (-INFINITE if x[0] == 0 else _down(x[0].log()), INFINITE if x[1] == INFINITE else _up(x[1].log()))


def power(base: BallEnds, exponent: BallEnds) -> BallEnds:
    """base^exponent for a base that is nowhere negative."""
    return exponential(multiply(exponent, logarithm(base)))


def constant_base(base: Fraction, exponent: BallEnds) -> BallEnds:
    """base^exponent for a rational base > 0, exact at integer exponents."""
    ends = sorted((_end_of_constant_base(base, end) for end in exponent), key=_down)
    low = _down(ends[0])
    return (low if low > 0 else ZERO), _up(ends[1])


def _end_of_constant_base(base: Fraction, end: arb) -> arb:
    if not end.is_finite():
        return ONE if base == 1 else INFINITE if (base > 1) == (end > 0) else ZERO
    b = fmpq(base.numerator, base.denominator)
    if end.is_integer() and abs(end) < MAX_EXPONENT:
        return arb(b) ** int(end.unique_fmpz())
    return (end * arb(b).log()).exp()


def root_power(x: BallEnds, exponent: Fraction) -> BallEnds:
    if x[1] < 0:
        raise Undefined
    if x[0] < 0:
        raise NoRange
    low, high = (_end_root_power(end, abs(exponent)) for end in x)
    found = (_down(low) if _down(low) > 0 else ZERO, _up(high))
    return found if exponent > 0 else inverse(found)


def _end_root_power(x: arb, exponent: Fraction) -> arb:
    if x == 0 or x == INFINITE:
        return x
    return x.root(exponent.denominator) ** exponent.numerator if exponent.denominator < 1000 else (
        x.log() * fmpq(exponent.numerator, exponent.denominator)).exp()


def _rising(function: Callable[[arb], arb], at_minus: arb, at_plus: arb) -> Callable[[BallEnds], BallEnds]:
    """The range of an increasing function with these limits at −∞ and ∞."""
    def over(x: BallEnds) -> BallEnds:
        return (at_minus if x[0] == -INFINITE else _down(function(x[0])),
                at_plus if x[1] == INFINITE else _up(function(x[1])))
    return over


def lambert(x: BallEnds) -> BallEnds:
    if arb(-1).exp() + x[1] < 0:
        raise Undefined
    if not (arb(-1).exp() + x[0] >= 0):
        raise NoRange
    return _rising(lambda end: end.lambertw(), -ONE, INFINITE)(x)


def _wave(name: str) -> Callable[[BallEnds], BallEnds]:
    def over(x: BallEnds) -> BallEnds:
        if not (x[0].is_finite() and x[1].is_finite()):
            return -ONE, ONE
        value: arb = getattr(x[0].union(x[1]), name)()
        low, high = _down(value), _up(value)
        return (low if low > -1 else -ONE), (high if high < 1 else ONE)
    return over


def largest(*xs: BallEnds) -> BallEnds:
    return max(x[0] for x in xs), max(x[1] for x in xs)


def smallest(*xs: BallEnds) -> BallEnds:
    return min(x[0] for x in xs), min(x[1] for x in xs)


def _whole(x: arb, up: bool) -> arb:
    return x if not x.is_finite() else x.ceil() if up else x.floor()


def _integer_log(x: BallEnds, base: int, up: bool) -> BallEnds:
    if x[0] < 0 or x[1] <= 0:
        raise NoRange
    return _log_end(x[0], base, up, False), _log_end(x[1], base, up, True)


def _log_end(x: arb, base: int, up: bool, upper: bool) -> arb:
    if x == 0 or x == INFINITE:
        return -INFINITE if x == 0 else INFINITE
    if abs(int(x.man_exp()[1])) < MAX_EXPONENT:
        return arb((ceil_log if up else floor_log)(dyadic(x), base))
    quotient = x.log() / arb(base).log()
    return _whole(quotient.upper() if upper else quotient.lower(), up)


_FUNCTIONS: dict[type, Callable[..., BallEnds]] = {
    sp.exp: exponential, sp.log: logarithm, sp.Abs: magnitude, sp.Max: largest, sp.Min: smallest, sp.LambertW: lambert,
    sp.tanh: _rising(arb.tanh, -ONE, ONE), sp.erf: _rising(arb.erf, -ONE, ONE),
    sp.sinh: _rising(arb.sinh, -INFINITE, INFINITE), sp.atan: _rising(arb.atan, arb(-2), arb(2)),
    sp.cosh: lambda x: _rising(arb.cosh, INFINITE, INFINITE)(magnitude(x)),
    sp.sin: _wave("sin"), sp.cos: _wave("cos"),
    sp.ceiling: lambda x: (_whole(x[0], True), _whole(x[1], True)),
    sp.floor: lambda x: (_whole(x[0], False), _whole(x[1], False)),
    sp.sign: lambda x: (ONE if x[0] > 0 else ZERO if x[0] == 0 else -ONE, -ONE if x[1] < 0 else ZERO if x[1] == 0 else ONE),
}
_CONSTANTS = {sp.S.Pi, sp.S.Exp1, C}


class Tape:
    """An expression as a list of steps, each on earlier results: common parts are computed once."""

    def __init__(self, expr: sp.Expr) -> None:
        self.steps: list[tuple[Callable[..., BallEnds], tuple[int, ...]]] = []
        self.symbols: list[tuple[int, sp.Symbol]] = []
        self.constants: list[tuple[int, BallEnds]] = []
        self._places: dict[sp.Expr, int] = {}
        self.size = 0
        self._order: list[tuple[int, Callable[..., BallEnds], tuple[int, ...]]] = []
        self.result = self._place(expr)

    def _new(self, expr: sp.Expr) -> int:
        self._places[expr] = self.size
        self.size += 1
        return self.size - 1

    def _step(self, expr: sp.Expr, rule: Callable[..., BallEnds], parts: Sequence[sp.Expr]) -> int:
        places = tuple(self._place(part) for part in parts)
        place = self._new(expr)
        self._order.append((place, rule, places))
        return place

    def _place(self, expr: sp.Expr) -> int:
        if expr in self._places:
            return self._places[expr]
        if expr.is_Rational:
            value = Fraction(int(expr.p), int(expr.q))
            place = self._new(expr)
            self.constants.append((place, interval(value, value)))
            return place
        if expr in _CONSTANTS:
            place = self._new(expr)
            self.constants.append((place, _constant(expr)))
            return place
        if expr.is_Symbol:
            place = self._new(expr)
            self.symbols.append((place, expr))
            return place
        if expr.is_Add:
            return self._step(expr, _sum, expr.args)
        if expr.is_Mul:
            return self._step(expr, _multiply_all, expr.args)
        if expr.is_Pow:
            return self._power(expr)
        if isinstance(expr, (CeilLog, FloorLog)):
            base, up = int(expr.args[1]), isinstance(expr, CeilLog)
            return self._step(expr, lambda x: _integer_log(x, base, up), expr.args[:1])
        if isinstance(expr, sp.Sum):
            return self._step(expr, _sum, _written_out(expr))
        rule = _FUNCTIONS.get(expr.func)
        if rule is None:
            raise NoRange
        return self._step(expr, rule, expr.args)

    def _power(self, expr: sp.Expr) -> int:
        base, exponent = expr.args
        if exponent.is_Integer:
            n = int(exponent)
            if abs(n) > 10_000:
                raise NoRange
            return self._step(expr, lambda x: integer_power(x, n), (base,))
        if exponent.is_Rational:
            q = Fraction(int(exponent.p), int(exponent.q))
            return self._step(expr, lambda x: root_power(x, q), (base,))
        if base.is_Rational and base.is_positive:
            b = Fraction(int(base.p), int(base.q))
            return self._step(expr, lambda x: constant_base(b, x), (exponent,))
        return self._step(expr, power, (base, exponent))

    def over(self, box: Mapping[sp.Symbol, BallEnds]) -> BallEnds:
        """An interval that contains every value on the box. The caller sets the precision."""
        values: list[BallEnds] = [LINE] * self.size
        for place, value in self.constants:
            values[place] = value
        for place, symbol in self.symbols:
            if symbol not in box:
                raise NoRange
            values[place] = box[symbol]
        for place, rule, places in self._order:
            values[place] = rule(*(values[k] for k in places))
        return values[self.result]


def _sum(*xs: BallEnds) -> BallEnds:
    low, high = xs[0] if xs else (ZERO, ZERO)
    for x in xs[1:]:
        low, high = low + x[0], high + x[1]
    return _down(low), _up(high)


def _multiply_all(*xs: BallEnds) -> BallEnds:
    found = xs[0]
    for x in xs[1:]:
        found = multiply(found, x)
    return found


def _written_out(expr: sp.Sum) -> list[sp.Expr]:
    if len(expr.limits) != 1:
        raise NoRange
    index, low, high = expr.limits[0]
    if not (low.is_Integer and high.is_Integer and 0 <= int(high - low) < MAX_TERMS):
        raise NoRange
    return [expr.function.xreplace({index: sp.Integer(k)}) for k in range(int(low), int(high) + 1)]


def _constant(expr: sp.Expr) -> BallEnds:
    ball = enclose(expr, {}, 40)
    return ball.lower(), ball.upper()


@lru_cache(maxsize=4096)
def tape(expr: sp.Expr) -> Tape:
    return Tape(expr)
