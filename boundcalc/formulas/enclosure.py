"""Values of closed forms: exactly, or enclosed in a ball (Arb, by python-flint), or compared with three answers.

An expression is walked node by node in the chosen numbers; it is never printed as code. What is rational stays rational
(fmpq) also inside an enclosure, so that balls appear only from the first irrational node on. `exact_value` further
keeps c·log(u) with rational c and u as it stands, which decides ⌈log x / log 2⌉ also where the quotient is an integer.
arithmetic.py computes with these numbers; here is what each node of an expression does with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial, reduce

import flint
import sympy as sp
from flint import arb, fmpq, fmpz

from ..errors import BoundcalcError, InvalidInput, echo
from ..numbers.arithmetic import (
    MAX_BITS,
    Irrational,
    Log,
    Number,
    Refine,
    TooLong,
    add,
    as_ball,
    as_fraction,
    ball_log,
    ball_power,
    ball_root,
    checked,
    dyadic,
    exact_power,
    exact_root,
    larger,
    log_number,
    log_quotient,
    sign_of,
    times,
    undefined,
    working_precision,
)
from ..numbers.exact import ceil_log, floor_log
from .symbols import C, CeilLog, CodeEntry, FloorLog
from .tables import TableEntry

MAX_TERMS = 1_000_000      # of a sum
MAX_SUM_BITS = 20_000      # of an exact partial sum: a million fractions with other denominators would take hours
MAX_PRECISION = 1 << 15    # bits of a ball

Values = Mapping[sp.Symbol, Fraction | int]


class Undecided(BoundcalcError):
    """A value or a comparison did not come out at the highest precision."""


# --- what the caller sees -------------------------------------------------------------------------------------------

def exact_value(expr: sp.Expr, values: Values | None = None) -> Fraction | None:
    """The value if the exact rules show that it is rational, else None; BoundcalcError if undefined or too long."""
    try:
        value = _Walk(_numbers(values), balls=False).value(expr)
    except Irrational:
        return None
    return as_fraction(value) if isinstance(value, fmpq) else None


def enclose(expr: sp.Expr, values: Values | None = None, digits: int = 30) -> arb:
    """A ball that contains the value, with a radius of at most 10^(−digits) times its absolute value."""
    numbers = _numbers(values)
    tolerance = fmpq(1, fmpz(10) ** digits)
    for precision in _precisions(digits * 3322 // 1000 + 32):
        with working_precision(precision):
            try:
                ball = as_ball(_Walk(numbers, balls=True).value(expr))
            except Refine:
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


def greater_than_power_of_ten(expr: sp.Expr, values: Values, exponent: int) -> bool:
    """Whether the value is proved to be above 10^exponent, without ever writing it out exactly."""
    with working_precision(64):
        numbers = {s: q if q.q == 1 and abs(q.p) < 2**64 else as_ball(q) for s, q in _numbers(values).items()}
        try:
            ball = as_ball(_Walk(numbers, balls=True).value(expr))
        except Refine:
            return False
        return bool(ball > arb(10) ** exponent)


def arb_bounds(x: arb) -> tuple[Fraction, Fraction]:
    """The exact ends of a ball."""
    if not x.is_finite():
        raise Undecided("The enclosure of a value is not finite.")
    middle, radius = dyadic(x.mid()), dyadic(x.rad())
    return middle - radius, middle + radius


# --- behind it ------------------------------------------------------------------------------------------------------

def _end(expr: sp.Expr, values: Values | None, digits: int, side: int) -> Fraction:
    try:
        value = exact_value(expr, values)
    except TooLong:
        value = None
    return arb_bounds(enclose(expr, values, digits + 1))[side] if value is None else value


def _sign_of_difference(left: sp.Expr, right: sp.Expr, values: Values | None) -> int | None:
    numbers = _numbers(values)
    try:
        exactly = _Walk(numbers, balls=False)
        return sign_of(add(exactly.value(left), times(fmpq(-1), exactly.value(right))))
    except (Irrational, TooLong):
        pass
    except Undecided:
        return None
    for precision in _precisions(96):
        with working_precision(precision):
            try:
                x, y = (as_ball(_Walk(numbers, balls=True).value(side)) for side in (left, right))
            except Refine:
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


class _Walk:
    """Computes an expression node by node: in exact numbers only (else Irrational), or with balls where needed."""

    def __init__(self, numbers: Mapping[sp.Symbol, fmpq | arb], balls: bool) -> None:
        self.numbers: dict[sp.Symbol, fmpq | arb] = dict(numbers)
        self.balls = balls
        self.terms = 0

    def value(self, expr: sp.Expr) -> Number:
        if expr.is_Rational:
            return fmpq(int(expr.p), int(expr.q))
        if expr.is_Symbol:
            return self._symbol(expr)
        if expr.is_Add:
            return reduce(add, map(self.value, expr.args))
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
            raise Irrational
        ball = compute()
        if not ball.is_finite():
            raise Refine
        return ball

    def _symbol(self, symbol: sp.Symbol) -> Number:
        if symbol == C:
            return self.inexact(lambda: _constant(flint.ctx.prec))
        if symbol not in self.numbers:
            raise InvalidInput(f"No value is given for {_shown(symbol)}.", "Give every parameter a value.")
        return self.numbers[symbol]

    def _product(self, factors: Sequence[sp.Expr]) -> Number:
        product: Number = fmpq(1)
        logs: list[Log] = []   # those that stand in the denominator
        for factor in factors:
            if factor.is_Pow and factor.exp == -1 and isinstance(base := self.value(factor.base), Log):
                logs.append(base)
            else:
                product = times(product, self.value(factor))
        return reduce(log_quotient, logs, product)

    def _power(self, base: Number, exponent: Number) -> Number:
        if isinstance(base, Log) or isinstance(exponent, Log):
            raise Irrational
        if isinstance(exponent, arb):
            return self.inexact(lambda: (exponent * ball_log(as_ball(base))).exp())
        whole, root = int(exponent.p), int(exponent.q)
        if isinstance(base, fmpq):
            if (base == 0 and whole < 0) or (base < 0 and root > 1):
                raise undefined("A power of zero or of a negative number")
            exact = base if root == 1 else exact_root(base, root)
            if exact is not None and (not self.balls or abs(whole) * exact.height_bits() <= MAX_BITS):
                return exact_power(exact, whole)
        return self.inexact(lambda: ball_power(as_ball(base) if root == 1 else ball_root(as_ball(base), root), whole))

    def function(self, name: str, at_zero: int, argument: sp.Expr) -> Number:
        """A function of Arb that is rational at 0 and (so far as we decide) nowhere else."""
        x = self.value(argument)
        return fmpq(at_zero) if x == fmpq(0) else self.inexact(lambda: getattr(as_ball(x), name)())

    def exp(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        if isinstance(x, Log):
            return self._power(x.argument, x.factor)
        return fmpq(1) if x == fmpq(0) else self.inexact(lambda: as_ball(x).exp())

    def log(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        if isinstance(x, fmpq):
            if x <= 0:
                raise undefined("The logarithm of zero or of a negative number")
            if x == 1 or not self.balls:
                return log_number(fmpq(1), x)
        return self.inexact(lambda: ball_log(as_ball(x)))

    def lambert(self, argument: sp.Expr, branch: sp.Expr = sp.S.Zero) -> Number:
        if branch != 0:
            raise InvalidInput("Only the principal branch of W is known.", "Use W(x) with x >= -1/e.")
        return self.function("lambertw", 0, argument)

    def absolute(self, argument: sp.Expr) -> Number:
        x = self.value(argument)
        return checked(abs(x)) if isinstance(x, arb) else times(fmpq(sign_of(x)), x)

    def largest(self, *arguments: sp.Expr) -> Number:
        return reduce(larger, map(self.value, arguments))

    def smallest(self, *arguments: sp.Expr) -> Number:
        return times(fmpq(-1), reduce(larger, (times(fmpq(-1), self.value(x)) for x in arguments)))

    def delta(self, first: sp.Expr, second: sp.Expr) -> Number:
        difference = self.value(first - second)
        if isinstance(difference, arb):
            raise undefined("A Kronecker delta of what is not rational")
        return fmpq(1 if sign_of(difference) == 0 else 0)

    def code(self, *arguments: sp.Expr) -> Number:
        from ..numbers.circle import circle  # needed for position codes only
        token, length, axis = (self.value(x) for x in arguments)
        if isinstance(token, arb) or isinstance(length, arb) or isinstance(axis, arb):
            raise undefined("A position code of what is not an integer")
        entry = circle(int(as_fraction(length)))[int(as_fraction(token))][int(as_fraction(axis))]
        return fmpq(entry.numerator, entry.denominator)

    def entry(self, which: sp.Expr, i: sp.Expr, *at: sp.Expr) -> Number:
        found = [self.value(x) for x in (i, *at)]
        if any(isinstance(x, arb) for x in found):
            raise undefined("An entry of a table that is not known exactly")
        place, *known = (as_fraction(x) for x in found if not isinstance(x, arb))
        listed = TableEntry(which, i, *(sp.Rational(x.numerator, x.denominator) for x in known), evaluate=False).numbers()
        if listed is None or place.denominator != 1 or not 0 <= place < len(listed):
            raise undefined("An entry that its table does not have")
        entry = listed[int(place)]
        return fmpq(entry.numerator, entry.denominator)

    def round(self, up: bool, argument: sp.Expr) -> fmpq:
        """⌈argument⌉ or ⌊argument⌋: from the exact value, else from a ball that leaves one integer."""
        try:
            x = _Walk(self.numbers, balls=False).value(argument)
            if isinstance(x, fmpq):
                return fmpq(x.ceil() if up else x.floor())
        except (Irrational, TooLong):
            pass
        for precision in _precisions(128):
            with working_precision(precision):
                try:
                    low, high = arb_bounds(as_ball(_Walk(self.numbers, balls=True).value(argument)))
                except Refine:
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
        except Irrational:
            return self.round(up, sp.log(argument) / sp.log(base))
        if not isinstance(x, fmpq) or not isinstance(b, fmpq):
            return self.round(up, sp.log(argument) / sp.log(base))
        if x <= 0 or b < 2 or b.q != 1:
            raise undefined("A logarithm of that number to that base")
        return fmpq((ceil_log if up else floor_log)(as_fraction(x), int(b.p)))

    def sum(self, summand: sp.Expr, *limits: sp.Tuple) -> Number:
        """Σ over integers, the first limits innermost."""
        if not limits:
            return self.value(summand)
        index, *ends = limits[-1]
        first, last = (self.value(end) for end in ends)
        if not isinstance(first, fmpq) or not isinstance(last, fmpq) or first.q != 1 or last.q != 1 or last < first - 1:
            raise undefined("A sum whose limits are not integers in order")
        self.terms += int((last - first).p) + 1
        if self.terms > MAX_TERMS:
            raise InvalidInput(f"A sum has more than {MAX_TERMS} terms.", "Use smaller parameters, or a closed form.")
        total: Number = fmpq(0)
        outside = self.numbers.get(index)
        for k in range(int(first.p), int(last.p) + 1):
            self.numbers[index] = fmpq(k)
            total = add(total, self.sum(summand, *limits[:-1]))
            if isinstance(total, fmpq) and total.height_bits() > MAX_SUM_BITS:
                if not self.balls:
                    raise TooLong(f"The exact value of a sum has more than {MAX_SUM_BITS} bits.", "Use smaller parameters.")
                total = as_ball(total)
        self.numbers.pop(index, None)
        if outside is not None:
            self.numbers[index] = outside
        return total


_RULES: dict[type, Callable[..., Number]] = {
    sp.exp: _Walk.exp, sp.log: _Walk.log, sp.LambertW: _Walk.lambert, sp.Abs: _Walk.absolute,
    CodeEntry: _Walk.code, TableEntry: _Walk.entry, sp.KroneckerDelta: _Walk.delta, sp.Max: _Walk.largest,
    sp.Min: _Walk.smallest, sp.Sum: _Walk.sum,
    sp.ceiling: lambda walk, x: walk.round(True, x), sp.floor: lambda walk, x: walk.round(False, x),
    CeilLog: lambda walk, x, base: walk.round_log(True, x, base),
    FloorLog: lambda walk, x, base: walk.round_log(False, x, base),
    type(sp.pi): lambda walk: walk.inexact(arb.pi), type(sp.E): lambda walk: walk.inexact(arb.const_e),
    **{function: partial(lambda walk, x, name, at_zero: walk.function(name, at_zero, x), name=name, at_zero=at_zero)
       for function, name, at_zero in (
           (sp.tanh, "tanh", 0), (sp.sinh, "sinh", 0), (sp.cosh, "cosh", 1), (sp.sin, "sin", 0), (sp.cos, "cos", 1),
           (sp.tan, "tan", 0), (sp.atan, "atan", 0), (sp.erf, "erf", 0))},
}


@cache
def _constant(bits: int) -> arb:
    """C = 4(v² − 1) for the root v of v·tanh v = 1: Newton's method, then a proof by the signs at both ends."""
    with working_precision(bits + 32):
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


def _shown(expr: sp.Expr) -> str:
    try:
        return echo(str(expr))
    except ValueError:   # integers longer than Python prints
        return "an expression with long numbers"
