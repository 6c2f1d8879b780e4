"""Leading terms: f ~ coefficient · exp(E) · t^a · (log t)^b · (log log t)^c as t → ∞, for elementary f.

Only what follows term by term is claimed. Where leading terms cancel, oscillate or cannot be compared, `NoLimit` is
raised. Other symbols are fixed parameters, known through a box; those that stand for a rounding (r and w of
`relaxed`) move with t, so that coefficients must stay away from 0 and ∞ on their whole closed range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from .boxes import Work, never_zero, sign_on, size
from .intervals import NoRange
from .model import Variable

Box = Mapping[sp.Symbol, Variable]
MAX_SIZE = 400
T = sp.Dummy("t", positive=True)
LOG, LOGLOG = sp.log(T), sp.log(sp.log(T))


class NoLimit(Exception):
    """No rule gives the leading term."""


@dataclass(frozen=True)
class Leading:
    """coefficient · exp(exponent) · t^a · (log t)^b · (log log t)^c; a zero function has coefficient 0."""

    coefficient: sp.Expr
    exponent: sp.Expr = sp.S.Zero
    a: sp.Expr = sp.S.Zero
    b: sp.Expr = sp.S.Zero
    c: sp.Expr = sp.S.Zero

    @property
    def is_constant(self) -> bool:
        return self.exponent == 0 and self.a == 0 and self.b == 0 and self.c == 0

    def times(self, other: Leading) -> Leading:
        return Leading(self.coefficient * other.coefficient, sp.expand(self.exponent + other.exponent),
                       self.a + other.a, self.b + other.b, self.c + other.c)

    def power(self, q: sp.Expr) -> Leading:
        return Leading(self.coefficient ** q, sp.expand(self.exponent * q), self.a * q, self.b * q, self.c * q)

    def expression(self, t: sp.Expr) -> sp.Expr:
        return self.coefficient * sp.exp(self.exponent.xreplace({T: t})) * t ** self.a * sp.log(t) ** self.b * \
            sp.log(sp.log(t)) ** self.c


class Scale:
    """Computes leading terms as t → ∞, with what is known about the other symbols."""

    def __init__(self, box: Box, work: Work) -> None:
        self.box = box
        self.work = work

    # --- comparing -----------------------------------------------------------------------------------------------

    def sign(self, x: sp.Expr) -> int:
        """−1, 0 or 1; NoLimit if it is not known."""
        if x.is_Rational:
            return int(bool(x > 0)) - int(bool(x < 0))
        if sp.expand(x) == 0:
            return 0
        found = sign_on(x, self.box, self.work)
        if found in (2, -2):
            return 1 if found == 2 else -1
        if found in (1, -1) and never_zero(x, self.box, self.work):
            return found
        raise NoLimit

    def growth(self, x: Leading) -> int:
        """1 if the term tends to ±∞, 0 if to a constant, −1 if to 0."""
        if x.exponent != 0:
            e = self.leading(x.exponent + x.a * LOG + x.b * LOGLOG)     # e^√(log t) is outgrown by any power of t
            if self.growth(e) <= 0:
                raise NoLimit
            return self.sign(e.coefficient)
        for power in (x.a, x.b, x.c):
            if power != 0 and (s := self.sign(power)):
                return s
        return 0

    def compare(self, x: Leading, y: Leading) -> int:
        """1 if x outgrows y, −1 if y outgrows x, 0 if they have the same order."""
        return self.growth(Leading(sp.S.One, sp.expand(x.exponent - y.exponent), sp.expand(x.a - y.a),
                                   sp.expand(x.b - y.b), sp.expand(x.c - y.c)))

    # --- leading terms -------------------------------------------------------------------------------------------

    def leading(self, f: sp.Expr) -> Leading:
        if T not in f.free_symbols:
            return Leading(f)
        if f == T:
            return Leading(sp.S.One, a=sp.S.One)
        if f.is_Add:
            return self._sum(f)
        if f.is_Mul:
            found = Leading(sp.S.One)
            for part in f.args:
                found = found.times(self.leading(part))
            return found
        if f.is_Pow:
            return self._power(f.base, f.exp)
        if isinstance(f, sp.exp):
            return self._exponential(f.args[0])
        if isinstance(f, sp.log):
            return self._log(f.args[0])
        if isinstance(f, (sp.LambertW, sp.tanh, sp.erf, sp.sin, sp.cos, sp.atan)):
            return self._function(f)
        if isinstance(f, sp.Abs):
            inner = self.leading(f.args[0])
            return inner if self.sign(inner.coefficient) >= 0 else Leading(-inner.coefficient, inner.exponent, inner.a,
                                                                           inner.b, inner.c)
        if isinstance(f, (sp.Max, sp.Min)):
            return self._extreme(f)
        raise NoLimit

    def at_most(self, f: sp.Expr) -> Leading:
        """A term that |f| does not outgrow, with coefficient 1: cancellations are not used, coefficients may vanish."""
        if T not in f.free_symbols:
            return Leading(sp.S.One)
        if f.is_Add or isinstance(f, (sp.Max, sp.Min, sp.Abs)):
            best: Leading | None = None
            for part in f.args:
                x = self.at_most(part)
                if best is None or self.compare(x, best) > 0:
                    best = x
            assert best is not None
            return best
        if f.is_Mul:
            found = Leading(sp.S.One)
            for part in f.args:
                found = found.times(self.at_most(part))
            return found
        if f.is_Pow and f.exp.is_Rational and f.exp > 0:
            return self.at_most(f.base).power(f.exp)
        x = self.leading(f)
        if x.coefficient == 0 or (self.growth(x) == 0 and f.has(sp.log)):
            raise NoLimit
        return Leading(sp.S.One, x.exponent, x.a, x.b, x.c)

    def _sum(self, f: sp.Expr, again: bool = True) -> Leading:
        terms = [self.leading(part) for part in f.args]
        terms = [x for x in terms if x.coefficient != 0]
        best: list[Leading] = []
        for x in terms:
            order = self.compare(x, best[0]) if best else 1
            if order > 0:
                best = [x]
            elif order == 0:
                best.append(x)
        if not best:
            raise NoLimit
        total = sp.Add(*(x.coefficient for x in best))
        first = best[0]
        try:
            zero = self.sign(total) == 0
        except NoLimit:
            zero = True
        if not zero:
            return Leading(total, first.exponent, first.a, first.b, first.c)
        if again and size(f) < MAX_SIZE:
            for other in (sp.expand(f), sp.factor_terms(f), sp.together(f)):
                if other != f:
                    return self._sum(other, False) if other.is_Add else self.leading(other)
        raise NoLimit       # leading terms cancel, or may

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> Leading:
        if T not in exponent.free_symbols:
            inner = self.leading(base)
            if not exponent.is_Integer and self.sign(inner.coefficient) <= 0:
                raise NoLimit
            if inner.coefficient == 0:
                raise NoLimit
            self.sign(inner.coefficient)
            return inner.power(exponent)
        if T not in base.free_symbols:
            return self._exponential(exponent * sp.log(base))
        return self._exponential(sp.expand_mul(exponent * sp.expand_log(sp.log(base))))

    def _exponential(self, u: sp.Expr) -> Leading:
        """exp of a sum: what diverges must be a pure monomial of t, log t and log log t; constants are factors."""
        coefficient, exponent, a, b = sp.S.One, sp.S.Zero, sp.S.Zero, sp.S.Zero
        for term in sp.Add.make_args(sp.expand(u, log=False, power_base=False, power_exp=False)):
            if T not in term.free_symbols:
                coefficient *= sp.exp(term)
                continue
            x = self.leading(term)
            order = self.growth(x)
            if order < 0:
                continue
            pure = x.coefficient * sp.exp(x.exponent) * T ** x.a * LOG ** x.b * LOGLOG ** x.c
            if sp.expand(pure - term) != 0:
                raise NoLimit
            if order == 0:
                coefficient *= sp.exp(x.coefficient)
            elif x.exponent == 0 and x.a == 0 and x.b == 1 and x.c == 0:
                a += x.coefficient
            elif x.exponent == 0 and x.a == 0 and x.b == 0 and x.c == 1:
                b += x.coefficient
            else:
                exponent += term
        return Leading(coefficient, exponent, a, b)

    def _log(self, u: sp.Expr) -> Leading:
        x = self.leading(u)
        if self.sign(x.coefficient) <= 0:
            raise NoLimit
        if x.exponent != 0:
            return self.leading(x.exponent)
        if x.a != 0:
            return Leading(x.a, b=sp.S.One)
        if x.b != 0:
            return Leading(x.b, c=sp.S.One)
        if x.c != 0:
            raise NoLimit
        if x.coefficient == 1:
            return self.leading(sp.expand(u - 1))      # log(1 + w) ~ w
        return Leading(sp.log(x.coefficient))

    def _function(self, f: sp.Expr) -> Leading:
        x = self.leading(f.args[0])
        order = self.growth(x)
        if order == 0:
            value = f.func(x.coefficient)
            if value == 0:
                raise NoLimit
            return Leading(value)
        if order < 0:
            return Leading(sp.S.One) if isinstance(f, sp.cos) else x if not isinstance(f, sp.erf) else \
                x.times(Leading(2 / sp.sqrt(sp.pi)))
        if isinstance(f, (sp.tanh, sp.erf)):
            return Leading(sp.Integer(self.sign(x.coefficient)))
        if isinstance(f, sp.LambertW) and self.sign(x.coefficient) > 0:
            return self._log(f.args[0])     # W(u) = log u − log W(u) ~ log u
        raise NoLimit

    def _extreme(self, f: sp.Expr) -> Leading:
        best: Leading | None = None
        for arg in f.args:
            x = self.leading(arg)
            if best is None or self._exceeds(x, best) == isinstance(f, sp.Max):
                best = x
        assert best is not None
        return best

    def _exceeds(self, x: Leading, y: Leading) -> bool:
        """Whether x is eventually the larger, and by its leading term."""
        sx, sy = (0 if z.coefficient == 0 else self.sign(z.coefficient) for z in (x, y))
        if sx != sy:
            if 0 in (sx, sy) or self.compare(x, y) != 0:
                pass
            return sx > sy
        order = self.compare(x, y)
        if order:
            return (order > 0) == (sx > 0)
        return self.sign(x.coefficient - y.coefficient) >= 0


def towards(f: sp.Expr, s: sp.Symbol, to: sp.Expr, side: str = "") -> sp.Expr:
    """f with s written through t → ∞."""
    if to == sp.oo:
        value: sp.Expr = T
    elif to == -sp.oo:
        value = -T
    else:
        value = to - 1 / T if side == "-" else to + 1 / T
    if f.has(sp.Max, sp.Min, sp.Abs):
        from ..formulas.symbols import exchange
        return sp.powsimp(exchange(f, {s: value}))
    return f.xreplace({s: value})


def scale_for(s: sp.Symbol, box: Box, work: Work) -> Scale:
    return Scale({**{k: v for k, v in box.items() if k != s}, T: Variable(T, Fraction(16))}, work)


def leading(f: sp.Expr, s: sp.Symbol, to: sp.Expr, box: Box, work: Work, side: str = "") -> Leading:
    """The leading term of f as s → to."""
    try:
        return scale_for(s, box, work).leading(towards(f, s, to, side))
    except (NoRange, RecursionError, TypeError, ValueError, ZeroDivisionError) as problem:
        raise NoLimit from problem


def at_most(f: sp.Expr, s: sp.Symbol, to: sp.Expr, box: Box, work: Work, side: str = "") -> Leading:
    """A term that |f| does not outgrow."""
    try:
        return scale_for(s, box, work).at_most(towards(f, s, to, side))
    except (NoRange, RecursionError, TypeError, ValueError, ZeroDivisionError) as problem:
        raise NoLimit from problem


def limit(f: sp.Expr, s: sp.Symbol, to: sp.Expr, box: Box, work: Work) -> sp.Expr:
    """The limit of f as s → ±∞: an expression without s, or ±∞."""
    x = leading(f, s, to, box, work)
    scale = scale_for(s, box, work)
    order = scale.growth(x)
    if order > 0:
        return sp.oo * scale.sign(x.coefficient)
    return x.coefficient if order == 0 else sp.S.Zero
