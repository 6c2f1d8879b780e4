"""Arithmetic in three kinds of numbers at once: rationals (fmpq), multiples of one logarithm (Log), and balls (arb).

Rationals and logarithms are computed exactly, balls at the working precision. An operation without such a result raises:
Irrational if no rule gives an exact one, TooLong if it has more than MAX_BITS bits, Refine if a ball is not finite.
enclosure.py, which walks expressions, decides what to try next.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import gcd
from typing import TypeAlias

import flint
from flint import arb, fmpq

from ..errors import BoundcalcError, InvalidInput
from ..records import dataclass

MAX_BITS = 4_000_000       # of an exact number
_MAX_LOG_BITS = 100_000    # of u where c·log(u) is kept exactly


class TooLong(BoundcalcError):
    """An exact number would have more than MAX_BITS bits."""


class Refine(Exception):
    """A ball is not finite at this precision; it may be at a higher one."""


class Irrational(Exception):
    """No rule gives an exact value."""


@dataclass(frozen=True)
class Log:
    """factor·log(argument) with a rational factor ≠ 0 and a rational argument > 0, ≠ 1: never a rational number."""

    factor: fmpq
    argument: fmpq

    def sign(self) -> int:
        return 1 if (self.factor > 0) == (self.argument > 1) else -1


Exact: TypeAlias = fmpq | Log
Number: TypeAlias = fmpq | Log | arb


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with that many bits inside the `with`, and as before after it."""
    before = flint.ctx.prec   # global to the process
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def as_fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def quotient(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def as_ball(x: Number) -> arb:
    """A ball around x, at the working precision."""
    if isinstance(x, Log):
        return arb(x.factor) * arb(x.argument).log()
    return x if isinstance(x, arb) else arb(x)


def add(x: Number, y: Number) -> Number:
    if isinstance(x, Log) or isinstance(y, Log):
        return _add_logs(x, y)
    return checked(x + y)


def times(x: Number, y: Number) -> Number:
    if isinstance(x, Log) and isinstance(y, fmpq):
        return log_number(x.factor * y, x.argument)
    if isinstance(y, Log) and isinstance(x, fmpq):
        return log_number(y.factor * x, y.argument)
    if isinstance(x, Log) or isinstance(y, Log):
        raise Irrational
    return checked(x * y)


def larger(x: Number, y: Number) -> Number:
    """max(x, y)."""
    if isinstance(x, arb) or isinstance(y, arb):
        return checked(as_ball(x).max(as_ball(y)))
    return x if sign_of(add(x, times(fmpq(-1), y))) >= 0 else y


def sign_of(x: Number) -> int:
    """−1, 0 or 1; Irrational for a ball, which may contain numbers of both signs."""
    if isinstance(x, Log):
        return x.sign()
    if isinstance(x, arb):
        raise Irrational
    return (x > 0) - (x < 0)


def checked(x: fmpq | arb) -> fmpq | arb:
    """x itself, unless it is a rational that is too long or a ball that is not finite."""
    if isinstance(x, arb):
        if not x.is_finite():
            raise Refine
    elif x.height_bits() > MAX_BITS:
        raise _too_long()
    return x


def log_number(factor: fmpq, argument: fmpq) -> Exact:
    """factor·log(argument), which is rational only if it is 0."""
    return fmpq(0) if factor == 0 or argument == 1 else Log(factor, argument)


def _add_logs(x: Number, y: Number) -> Number:
    """c·log u + d·log v as one logarithm, c and d being integer multiples of some rational."""
    if x == fmpq(0) or y == fmpq(0):
        return y if x == fmpq(0) else x
    if not isinstance(x, Log) or not isinstance(y, Log):
        raise Irrational   # a logarithm plus another rational: neither a rational nor one logarithm
    common = fmpq(gcd(int(x.factor.p * y.factor.q), int(y.factor.p * x.factor.q)), int(x.factor.q * y.factor.q))
    powers = [int((log.factor / common).p) for log in (x, y)]
    if sum(abs(k) * log.argument.height_bits() for k, log in zip(powers, (x, y), strict=True)) > _MAX_LOG_BITS:
        raise Irrational
    return log_number(common, x.argument ** powers[0] * y.argument ** powers[1])


def log_quotient(x: Number, y: Log) -> Exact:
    """x/y if both are multiples of logarithms of powers of one number."""
    if x == fmpq(0):
        return fmpq(0)
    if not isinstance(x, Log):
        raise Irrational
    with working_precision(128):   # a guess, to be checked
        quotient = dyadic((arb(x.argument).log() / arb(y.argument).log()).mid()).limit_denominator(1000)
    p, q = quotient.numerator, quotient.denominator
    if max(abs(p) * y.argument.height_bits(), q * x.argument.height_bits()) > MAX_BITS or \
            x.argument**q != y.argument**p:
        raise Irrational
    return x.factor / y.factor * fmpq(p, q)


def exact_power(base: fmpq, exponent: int) -> fmpq:
    """base^exponent, unless it is too long; the caller excludes 0 to a negative power."""
    if base in (0, 1, -1):
        return fmpq(1) if exponent % 2 == 0 and (base != 0 or exponent == 0) else base
    if abs(exponent) * base.height_bits() > MAX_BITS:
        raise _too_long()
    return base**exponent


def exact_root(x: fmpq, n: int) -> fmpq | None:
    """The n-th root of x ≥ 0 if it is rational."""
    if x <= 1 and x.p in (0, 1) and x.q == 1:
        return x
    if n > x.height_bits():   # the root of a numerator or denominator above 1 is at least 2
        return None
    top, bottom = x.p.root(n), x.q.root(n)
    return fmpq(top, bottom) if top**n == x.p and bottom**n == x.q else None


def ball_power(x: arb, n: int) -> arb:
    """x^n by squaring; Arb's own power of a ball around 0 is NaN."""
    result = arb(1)
    for bit in bin(abs(n))[2:]:
        result = result * result
        if bit == "1":
            result = result * x
    return result if n >= 0 else 1 / result


def ball_root(x: arb, n: int) -> arb:
    """The n-th root; refused if all of the ball is negative."""
    if x < 0:
        raise undefined("A root of a negative number")
    return x.root(n) if n < 1000 else (ball_log(x) / n).exp()


def ball_log(x: arb) -> arb:
    """log x; refused if all of the ball is negative."""
    if x < 0:
        raise undefined("The logarithm of a negative number")
    return x.log()


def dyadic(x: arb) -> Fraction:
    """The number that a ball of radius 0 is, such as the middle of another."""
    mantissa, exponent = (int(part) for part in x.man_exp())
    if abs(exponent) > MAX_BITS:
        raise _too_long()
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _too_long() -> TooLong:
    return TooLong(f"An exact value has more than {MAX_BITS} bits.", "Use smaller parameters.")


def undefined(what: str) -> InvalidInput:
    """The error for an operation outside its domain."""
    return InvalidInput(f"{what} is undefined.", "Choose parameters for which all formulas are defined.")
