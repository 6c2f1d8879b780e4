"""Values of closed forms: exactly, or enclosed in a ball (Arb, by python-flint), or compared with three answers.

An expression is walked node by node in the chosen numbers; it is never printed as code. What is rational stays rational
(fmpq) also inside an enclosure, so that balls appear only from the first irrational node on. `exact_value` further
keeps c·log(u) with rational c and u as it stands, which decides ⌈log x / log 2⌉ also where the quotient is an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial, reduce
from math import gcd
from typing import TypeAlias

import flint
import sympy as sp
from flint import arb, fmpq, fmpz

from .errors import BoundcalcError, InvalidInput, echo
from .exact import ceil_log, floor_log
from .symbols import C, CeilLog, FloorLog

MAX_BITS = 4_000_000       # of an exact number
MAX_TERMS = 1_000_000      # of a sum
MAX_PRECISION = 1 << 15    # bits of a ball
_MAX_LOG_BITS = 100_000    # of u where c·log(u) is kept exactly

Values = Mapping[sp.Symbol, Fraction | int]


class Undecided(BoundcalcError):
    """A value or a comparison did not come out at the highest precision."""


# --- what the caller sees -------------------------------------------------------------------------------------------

def exact_value(expr: sp.Expr, values: Values | None = None) -> Fraction | None:
    """The value if the exact rules show that it is rational, else None; BoundcalcError if undefined or too long."""
    try:
        value = _Walk(_numbers(values), balls=False).value(expr)
    except _Irrational:
        return None
    return _fraction(value) if isinstance(value, fmpq) else None


def enclose(expr: sp.Expr, values: Values | None = None, digits: int = 30) -> arb:
    """A ball that contains the value, with a radius of at most 10^(−digits) times its absolute value."""
    numbers = _numbers(values)
    tolerance = fmpq(1, fmpz(10) ** digits)
    for precision in _precisions(digits * 3322 // 1000 + 32):
        with _precision(precision):
            try:
                ball = _ball(_Walk(numbers, balls=True).value(expr))
            except _Refine:
                continue
            if ball.rad() <= ball.abs_lower() * tolerance:
                return ball
    raise Undecided(f"The value of {_shown(expr)} does not come out to {digits} digits.",
                    "It may be zero or undefined, or need a comparison of equal numbers.")


def upper(expr: sp.Expr, values: Values | None = None, digits: int = 20) -> Fraction:
    """A rational at or above the value, exact if that is rational, else within 10^(−digits) of it relatively."""
    return _end(expr, values, digits, 1)


def lower(expr: sp.Expr, values: Values | None = None, digits: int = 20) -> Fraction:
    """A rational at or below the value, exact if that is rational, else within 10^(−digits) of it relatively."""
    return _end(expr, values, digits, 0)


def less_equal(left: sp.Expr, right: sp.Expr, values: Values | None = None) -> bool | None:
    """Whether left ≤ right; None if this does not come out at the highest precision (equal irrational numbers)."""
    sign = _sign_of_difference(left, right, values)
    return None if sign is None else sign <= 0


def less_than(left: sp.Expr, right: sp.Expr, values: Values | None = None) -> bool | None:
    """Whether left < right; None if this does not come out at the highest precision."""
    sign = _sign_of_difference(left, right, values)
    return None if sign is None else sign < 0


def arb_bounds(x: arb) -> tuple[Fraction, Fraction]:
    """The exact ends of a ball."""
    if not x.is_finite():
        raise Undecided("The enclosure of a value is not finite.")
    middle, radius = _dyadic(x.mid()), _dyadic(x.rad())
    return middle - radius, middle + radius


# --- behind it ------------------------------------------------------------------------------------------------------

class _TooLong(BoundcalcError):
    """An exact number would have more than MAX_BITS bits."""


class _Refine(Exception):
    """Not at this precision."""


class _Irrational(Exception):
    """No rule gives an exact value."""


@dataclass(frozen=True)
class _Log:
    """factor·log(argument) with a rational factor ≠ 0 and a rational argument > 0, ≠ 1: never a rational number."""

    factor: fmpq
    argument: fmpq

    def sign(self) -> int:
        return 1 if (self.factor > 0) == (self.argument > 1) else -1


Exact: TypeAlias = fmpq | _Log
Number: TypeAlias = fmpq | _Log | arb


def _end(expr: sp.Expr, values: Values | None, digits: int, side: int) -> Fraction:
    try:
        value = exact_value(expr, values)
    except _TooLong:
        value = None
    return arb_bounds(enclose(expr, values, digits + 1))[side] if value is None else value


def _sign_of_difference(left: sp.Expr, right: sp.Expr, values: Values | None) -> int | None:
    numbers = _numbers(values)
    try:
        exactly = _Walk(numbers, balls=False)
        return _sign(_add(exactly.value(left), _times(fmpq(-1), exactly.value(right))))
    except (_Irrational, _TooLong):
        pass
    except Undecided:
        return None
    for precision in _precisions(96):
        with _precision(precision):
            try:
                x, y = (_ball(_Walk(numbers, balls=True).value(side)) for side in (left, right))
            except _Refine:
                continue
            except Undecided:
                return None
            if x < y:   # holds only if it does for all points of both balls
                return -1
            if x > y:
                return 1
    return None


def _numbers(values: Values | None) -> dict[sp.Symbol, fmpq]:
    return {symbol: fmpq(x.numerator, x.denominator) for symbol, x in (values or {}).items()}


def _precisions(start: int) -> Iterator[int]:
    """From `start` in doublings to MAX_PRECISION, but at least three of them."""
    last = max(MAX_PRECISION, 4 * start)
    while start < last:
        yield start
        start *= 2
    yield last


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    before = flint.ctx.prec   # global to the process
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


class _Walk:
    """Computes an expression node by node: in exact numbers only (else _Irrational), or with balls where needed."""

    def __init__(self, numbers: dict[sp.Symbol, fmpq], balls: bool) -> None:
        self.numbers = dict(numbers)
        self.balls = balls
        self.terms = 0

    def value(self, expr: sp.Expr) -> Number:
        if expr.is_Rational:
            return fmpq(int(expr.p), int(expr.q))
        if expr.is_Symbol:
            return self._symbol(expr)
        if expr.is_Add:
            return reduce(_add, map(self.value, expr.args))
        if expr.is_Mul:
            return self._product(expr.args)
        if expr.is_Pow:
            return self._power(self.value(expr.base), self.value(expr.exp))
        rule = _RULES.get(expr.func)
        if rule is None:
            raise InvalidInput(f"{_shown(expr)} has no rule of evaluation.", "Only real elementary functions have one.")
        return rule(self, *expr.args)

    def inexact(self, compute: Callable[[], arb]) -> arb:
        """What only a ball can hold; finite, or another precision is tried."""
        if not self.balls:
            raise _Irrational
        ball = compute()
        if not ball.is_finite():
            raise _Refine
        return ball

    def _symbol(self, symbol: sp.Symbol) -> Number:
        if symbol == C:
            return self.inexact(lambda: _constant(flint.ctx.prec))
        if symbol not in self.numbers:
            raise InvalidInput(f"No value is given for {_shown(symbol)}.", "Give every parameter a value.")
        return self.numbers[symbol]

    def _product(self, factors: Sequence[sp.Expr]) -> Number:
        product: Number = fmpq(1)
        logs: list[_Log] = []   # those that stand in the denominator
        for factor in factors:
            if factor.is_Pow and factor.exp == -1 and isinstance(base := self.value(factor.base), _Log):
                logs.append(base)
            else:
                product = _times(product, self.value(factor))
        return reduce(_log_quotient, logs, product)

    def _power(self, base: Number, exponent: Number) -> Number:
        if isinstance(base, _Log) or isinstance(exponent, _Log):
            raise _Irrational
        if isinstance(exponent, arb):
            return self.inexact(lambda: (exponent * _log(_ball(base))).exp())
        whole, root = int(exponent.p), int(exponent.q)
        if isinstance(base, fmpq):
            if (base == 0 and whole < 0) or (base < 0 and root > 1):
                raise _undefined("A power of zero or of a negative number")
            exact = base if root == 1 else _root(base, root)
            if exact is not None and (not self.balls or abs(whole) * exact.height_bits() <= MAX_BITS):
                return _exact_power(exact, whole)
        return self.inexact(lambda: _ball_power(_ball(base) if root == 1 else _ball_root(_ball(base), root), whole))

    def function(self, name: str, at_zero: int, argument: sp.Expr) -> Number:
        """A function of Arb that is rational at 0 and (so far as we decide) nowhere else."""
        x = self.value(argument)
        return fmpq(at_zero) if x == fmpq(0) else self.inexact(lambda: getattr(_ball(x), name)())

    def exp(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        if isinstance(x, _Log):
            return self._power(x.argument, x.factor)
        return fmpq(1) if x == fmpq(0) else self.inexact(lambda: _ball(x).exp())

    def log(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        if isinstance(x, fmpq):
            if x <= 0:
                raise _undefined("The logarithm of zero or of a negative number")
            if x == 1 or not self.balls:
                return _log_number(fmpq(1), x)
        return self.inexact(lambda: _log(_ball(x)))

    def lambert(self, argument: sp.Expr, branch: sp.Expr = sp.S.Zero) -> Number:
        if branch != 0:
            raise InvalidInput("Only the principal branch of W is known.", "Use W(x) with x >= -1/e.")
        return self.function("lambertw", 0, argument)

    def absolute(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        return _checked(abs(x)) if isinstance(x, arb) else _times(fmpq(_sign(x)), x)

    def largest(self, *arguments: sp.Expr) -> Number:
        return reduce(_larger, map(self.value, arguments))

    def smallest(self, *arguments: sp.Expr) -> Number:
        return _times(fmpq(-1), reduce(_larger, (_times(fmpq(-1), self.value(x)) for x in arguments)))

    def round(self, up: bool, argument: sp.Expr) -> fmpq:
        """⌈argument⌉ or ⌊argument⌋: from the exact value, else from a ball that leaves one integer."""
        try:
            x = _Walk(self.numbers, balls=False).value(argument)
            if isinstance(x, fmpq):
                return fmpq(x.ceil() if up else x.floor())
        except (_Irrational, _TooLong):
            pass
        for precision in _precisions(128):
            with _precision(precision):
                try:
                    low, high = arb_bounds(_ball(_Walk(self.numbers, balls=True).value(argument)))
                except _Refine:
                    continue
            ends = {-((-x.numerator) // x.denominator) if up else x.numerator // x.denominator for x in (low, high)}
            if len(ends) == 1:
                return fmpq(ends.pop())
        raise Undecided(f"It cannot be decided which integer is next to {_shown(argument)}.",
                        "It seems to be an integer itself; write it in a form that shows this.")

    def round_log(self, up: bool, argument: sp.Expr, base: sp.Expr) -> fmpq:
        try:
            exactly = _Walk(self.numbers, balls=False)
            x, b = exactly.value(argument), exactly.value(base)
        except _Irrational:
            return self.round(up, sp.log(argument) / sp.log(base))
        if not isinstance(x, fmpq) or not isinstance(b, fmpq):
            return self.round(up, sp.log(argument) / sp.log(base))
        if x <= 0 or b < 2 or b.q != 1:
            raise _undefined("A logarithm of that number to that base")
        return fmpq((ceil_log if up else floor_log)(_fraction(x), int(b.p)))

    def sum(self, summand: sp.Expr, *limits: sp.Tuple) -> Number:
        """Σ over integers, the first limits innermost."""
        if not limits:
            return self.value(summand)
        index, *ends = limits[-1]
        first, last = (self.value(end) for end in ends)
        if not isinstance(first, fmpq) or not isinstance(last, fmpq) or first.q != 1 or last.q != 1 or last < first - 1:
            raise _undefined("A sum whose limits are not integers in order")
        self.terms += int((last - first).p) + 1
        if self.terms > MAX_TERMS:
            raise InvalidInput(f"A sum has more than {MAX_TERMS} terms.", "Use smaller parameters, or a closed form.")
        total: Number = fmpq(0)
        outside = self.numbers.get(index)
        for k in range(int(first.p), int(last.p) + 1):
            self.numbers[index] = fmpq(k)
            total = _add(total, self.sum(summand, *limits[:-1]))
        self.numbers.pop(index, None)
        if outside is not None:
            self.numbers[index] = outside
        return total


_RULES: dict[type, Callable[..., Number]] = {
    sp.exp: _Walk.exp, sp.log: _Walk.log, sp.LambertW: _Walk.lambert, sp.Abs: _Walk.absolute,
    sp.Max: _Walk.largest, sp.Min: _Walk.smallest, sp.Sum: _Walk.sum,
    sp.ceiling: lambda walk, x: walk.round(True, x), sp.floor: lambda walk, x: walk.round(False, x),
    CeilLog: lambda walk, x, base: walk.round_log(True, x, base),
    FloorLog: lambda walk, x, base: walk.round_log(False, x, base),
    type(sp.pi): lambda walk: walk.inexact(arb.pi), type(sp.E): lambda walk: walk.inexact(arb.const_e),
    **{function: partial(lambda walk, x, name, at_zero: walk.function(name, at_zero, x), name=name, at_zero=at_zero)
       for function, name, at_zero in (
           (sp.tanh, "tanh", 0), (sp.sinh, "sinh", 0), (sp.cosh, "cosh", 1), (sp.sin, "sin", 0), (sp.cos, "cos", 1),
           (sp.tan, "tan", 0), (sp.atan, "atan", 0), (sp.erf, "erf", 0))},
}


# --- arithmetic of fmpq, _Log and arb -------------------------------------------------------------------------------

def _fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _ball(x: Number) -> arb:
    if isinstance(x, _Log):
        return arb(x.factor) * arb(x.argument).log()
    return x if isinstance(x, arb) else arb(x)


def _add(x: Number, y: Number) -> Number:
    if isinstance(x, _Log) or isinstance(y, _Log):
        return _add_logs(x, y)
    return _checked(x + y)


def _times(x: Number, y: Number) -> Number:
    if isinstance(x, _Log) and isinstance(y, fmpq):
        return _log_number(x.factor * y, x.argument)
    if isinstance(y, _Log) and isinstance(x, fmpq):
        return _log_number(y.factor * x, y.argument)
    if isinstance(x, _Log) or isinstance(y, _Log):
        raise _Irrational
    return _checked(x * y)


def _larger(x: Number, y: Number) -> Number:
    if isinstance(x, arb) or isinstance(y, arb):
        return _checked(_ball(x).max(_ball(y)))
    return x if _sign(_add(x, _times(fmpq(-1), y))) >= 0 else y


def _sign(x: Number) -> int:
    if isinstance(x, _Log):
        return x.sign()
    if isinstance(x, arb):
        raise _Irrational
    return (x > 0) - (x < 0)


def _checked(x: fmpq | arb) -> fmpq | arb:
    if isinstance(x, arb):
        if not x.is_finite():
            raise _Refine
    elif x.height_bits() > MAX_BITS:
        raise _too_long()
    return x


def _log_number(factor: fmpq, argument: fmpq) -> Exact:
    return fmpq(0) if factor == 0 or argument == 1 else _Log(factor, argument)


def _add_logs(x: Number, y: Number) -> Number:
    """c·log u + d·log v as one logarithm, c and d being integer multiples of some rational."""
    if x == fmpq(0) or y == fmpq(0):
        return y if x == fmpq(0) else x
    if not isinstance(x, _Log) or not isinstance(y, _Log):
        raise _Irrational   # a logarithm plus another rational: neither a rational nor one logarithm
    common = fmpq(gcd(int(x.factor.p * y.factor.q), int(y.factor.p * x.factor.q)), int(x.factor.q * y.factor.q))
    powers = [int((log.factor / common).p) for log in (x, y)]
    if sum(abs(k) * log.argument.height_bits() for k, log in zip(powers, (x, y), strict=True)) > _MAX_LOG_BITS:
        raise _Irrational
    return _log_number(common, x.argument ** powers[0] * y.argument ** powers[1])


def _log_quotient(x: Number, y: _Log) -> Exact:
    """x/y if both are multiples of logarithms of powers of one number."""
    if x == fmpq(0):
        return fmpq(0)
    if not isinstance(x, _Log):
        raise _Irrational
    with _precision(128):   # a guess, to be checked
        quotient = _dyadic((arb(x.argument).log() / arb(y.argument).log()).mid()).limit_denominator(1000)
    p, q = quotient.numerator, quotient.denominator
    if max(abs(p) * y.argument.height_bits(), q * x.argument.height_bits()) > MAX_BITS or \
            x.argument**q != y.argument**p:
        raise _Irrational
    return x.factor / y.factor * fmpq(p, q)


def _exact_power(base: fmpq, exponent: int) -> fmpq:
    if base in (0, 1, -1):
        return fmpq(1) if exponent % 2 == 0 and (base != 0 or exponent == 0) else base
    if abs(exponent) * base.height_bits() > MAX_BITS:
        raise _too_long()
    return base**exponent


def _root(x: fmpq, n: int) -> fmpq | None:
    """The n-th root of x ≥ 0 if it is rational."""
    if x <= 1 and x.p in (0, 1) and x.q == 1:
        return x
    if n > x.height_bits():   # the root of a numerator or denominator above 1 is at least 2
        return None
    top, bottom = x.p.root(n), x.q.root(n)
    return fmpq(top, bottom) if top**n == x.p and bottom**n == x.q else None


def _ball_power(x: arb, n: int) -> arb:
    """x^n by squaring; Arb's own power of a ball around 0 is NaN."""
    result = arb(1)
    for bit in bin(abs(n))[2:]:
        result = result * result
        if bit == "1":
            result = result * x
    return result if n >= 0 else 1 / result


def _ball_root(x: arb, n: int) -> arb:
    if x < 0:
        raise _undefined("A root of a negative number")
    return x.root(n) if n < 1000 else (_log(x) / n).exp()


def _log(x: arb) -> arb:
    if x < 0:
        raise _undefined("The logarithm of a negative number")
    return x.log()


@cache
def _constant(bits: int) -> arb:
    """C = 4(v² − 1) for the root v of v·tanh v = 1: Newton's method, then a proof by the signs at both ends."""
    with _precision(bits + 32):
        v = arb(fmpq(119967864025773, 10**14))
        for _ in range(bits.bit_length()):   # each step doubles the 45 bits known
            t = v.tanh()
            v = (v - (v * t - 1) / (t + v * (1 - t * t))).mid()
        radius = arb(fmpq(1, fmpz(2) ** (bits + 8)))
        low, high = v - radius, v + radius
        if not (low > 0 and low * low.tanh() < 1 and high * high.tanh() > 1):   # v·tanh v grows for v > 0
            raise Undecided("The constant C could not be enclosed.")
        v = arb(v, radius)
        return 4 * (v * v - 1)


def _dyadic(x: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in x.man_exp())
    if abs(exponent) > MAX_BITS:
        raise _too_long()
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _too_long() -> _TooLong:
    return _TooLong(f"An exact value has more than {MAX_BITS} bits.", "Use smaller parameters.")


def _undefined(what: str) -> InvalidInput:
    return InvalidInput(f"{what} is undefined.", "Choose parameters for which all formulas are defined.")


def _shown(expr: sp.Expr) -> str:
    try:
        return echo(str(expr))
    except ValueError:   # integers longer than Python prints
        return "an expression with long numbers"
