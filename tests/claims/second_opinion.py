"""Values by mpmath, in a private context: a second opinion on every counterexample, beside ball arithmetic.

Expressions are walked node by node; integers, rationals and roundings of rationals stay exact as long as they can.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from mpmath.ctx_mp import MPContext

from ..errors import BoundcalcError
from ..formulas.symbols import C, CeilLog, FloorLog
from ..numbers.exact import ceil_log, floor_log

MAX_TERMS = 100_000
MAX_POWER_BITS = 200_000

Number = Any        # a Fraction, or a number of the private context


class NoValue(BoundcalcError):
    """There is no rule for a part of the expression, or it is undefined here."""


def value(expr: sp.Expr, values: Mapping[sp.Symbol, Fraction], digits: int = 70) -> tuple[Number, MPContext]:
    """The value to about so many digits, with the context that it belongs to."""
    context = MPContext()
    context.dps = digits
    try:
        found = _Walk(context, dict(values)).number(expr)
        return (context.mpf(found.numerator) / found.denominator if isinstance(found, Fraction) else found), context
    except (ArithmeticError, ValueError, TypeError) as problem:
        raise NoValue("mpmath gives no value here.") from problem


class _Walk:
    def __init__(self, context: MPContext, values: dict[sp.Symbol, Fraction]) -> None:
        self.context = context
        self.values = values
        self.functions = {sp.exp: context.exp, sp.log: context.log, sp.tanh: context.tanh, sp.erf: context.erf,
                          sp.sin: context.sin, sp.cos: context.cos}

    def real(self, x: Number) -> Number:
        return self.context.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x

    def number(self, expr: sp.Expr) -> Number:
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        if expr == C:
            return self.constant()
        if expr.is_Symbol:
            if expr not in self.values:
                raise NoValue(f"No value is given for {expr}.")
            return Fraction(self.values[expr])
        if expr.is_Add:
            return self.fold([self.number(a) for a in expr.args], lambda x, y: x + y)
        if expr.is_Mul:
            return self.fold([self.number(a) for a in expr.args], lambda x, y: x * y)
        if expr.is_Pow:
            return self.power(self.number(expr.base), self.number(expr.exp))
        if expr is sp.S.Pi:
            return +self.context.pi
        if expr is sp.S.Exp1:
            return +self.context.e
        if isinstance(expr, sp.Sum):
            return self.series(expr)
        return self.function(expr)

    def fold(self, numbers: list[Number], operation: Any) -> Number:
        total = numbers[0]
        for x in numbers[1:]:
            if isinstance(total, Fraction) != isinstance(x, Fraction):
                total, x = self.real(total), self.real(x)
            total = operation(total, x)
        return total

    def power(self, base: Number, exponent: Number) -> Number:
        if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
            bits = max(abs(base.numerator).bit_length(), base.denominator.bit_length())
            if abs(exponent) * bits <= MAX_POWER_BITS:
                return base ** int(exponent)
        found = self.context.power(self.real(base), self.real(exponent))
        if not self.context.isfinite(found) or self.context.im(found) != 0:
            raise NoValue("A power is undefined here.")
        return self.context.re(found)

    def function(self, expr: sp.Expr) -> Number:
        args = [self.number(a) for a in expr.args]
        if isinstance(expr, sp.Abs):
            return abs(args[0])
        if isinstance(expr, (sp.Max, sp.Min)):
            pick = max if isinstance(expr, sp.Max) else min
            return pick(args, key=self.real)
        if isinstance(expr, (sp.ceiling, sp.floor)):
            x = args[0]
            up = isinstance(expr, sp.ceiling)
            if isinstance(x, Fraction):
                return Fraction(-(-x.numerator // x.denominator) if up else x.numerator // x.denominator)
            return Fraction(int(self.context.ceil(x) if up else self.context.floor(x)))
        if isinstance(expr, (CeilLog, FloorLog)):
            if not isinstance(args[0], Fraction) or args[0] <= 0:
                raise NoValue("An integer logarithm of an irrational number.")
            return Fraction((ceil_log if isinstance(expr, CeilLog) else floor_log)(args[0], int(args[1])))
        if isinstance(expr, sp.LambertW):
            found = self.context.lambertw(self.real(args[0]))
            if self.context.im(found) != 0:
                raise NoValue("W is undefined here.")
            return self.context.re(found)
        rule = self.functions.get(expr.func)
        if rule is None:
            raise NoValue(f"There is no rule for {expr.func}.")
        if isinstance(expr, sp.log) and self.real(args[0]) <= 0:
            raise NoValue("A logarithm is undefined here.")
        return rule(self.real(args[0]))

    def series(self, expr: sp.Sum) -> Number:
        if len(expr.limits) != 1:
            raise NoValue("A sum over several indices.")
        index, low, high = expr.limits[0]
        first, last = self.number(low), self.number(high)
        if not (isinstance(first, Fraction) and isinstance(last, Fraction) and last - first < MAX_TERMS):
            raise NoValue("A sum is too long.")
        total: Number = Fraction(0)
        for k in range(int(first), int(last) + 1):
            self.values[index] = Fraction(k)
            total = self.fold([total, self.number(expr.function)], lambda x, y: x + y)
        self.values.pop(index, None)
        return total

    def constant(self) -> Number:
        """C = 4(v² − 1), v·tanh v = 1."""
        c = self.context
        v = c.findroot(lambda x: x * c.tanh(x) - 1, c.mpf("1.1996786402577338"))
        return 4 * (v * v - 1)
