"""Expressions rewritten without changing their value: so that equal things look equal, and rounding disappears."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from ..formulas.symbols import CeilLog, FloorLog
from .boxes import Box, size
from .goals import LARGE, Goal
from .model import Variable

ROUNDING = (sp.ceiling, sp.floor, CeilLog, FloorLog)
PIECEWISE = (sp.Abs, sp.Max, sp.Min)


def factor_list(f: sp.Expr) -> list[tuple[sp.Expr, int]]:
    """Factors with their exponents; a sum is factored as a polynomial in whatever it is made of."""
    found: list[tuple[sp.Expr, int]] = []
    for part in sp.Mul.make_args(f):
        base, exponent = part.as_base_exp() if part.is_Pow and part.exp.is_Integer and part.exp > 0 else (part, sp.S.One)
        if base.is_Add and _small_polynomial(base):
            try:
                coefficient, inner = sp.factor_list(base)
            except sp.PolynomialError:
                coefficient, inner = sp.S.One, [(base, 1)]
            if coefficient != 1:
                found.append((coefficient, int(exponent)))
            found += [(b, int(e) * int(exponent)) for b, e in inner]
        else:
            found.append((base, int(exponent)))
    return found


def _small_polynomial(f: sp.Expr) -> bool:
    if size(f) > LARGE:
        return False
    try:
        poly = sp.Poly(f)
    except (sp.PolynomialError, ValueError):
        return False
    return len(poly.gens) <= 6 and poly.total_degree() <= 16 and len(poly.terms()) <= 60


def rewrite(f: sp.Expr) -> sp.Expr:
    """exp(W(u)) as u/W(u), and hyperbolic functions of one argument through tanh: so that equal things look equal."""
    if f.has(sp.LambertW) and f.has(sp.exp):
        f = f.replace(lambda e: isinstance(e, sp.exp) and isinstance(e.args[0], sp.LambertW) and len(e.args[0].args) == 1,
                      lambda e: e.args[0].args[0] / e.args[0])
    if any(e.is_Pow and e.exp.free_symbols and e.base.is_Rational for e in sp.preorder_traversal(f)):
        f = sp.powsimp(multiplied_out(f)) if size(f) <= LARGE else f
    return f


def without_growth(f: sp.Expr, goal: Goal) -> sp.Expr:
    """Divide by the exponential that outgrows the others on an unbounded side, so that ranges stay finite."""
    if not f.is_Add or not f.has(sp.exp):
        return f
    for v in goal.variables:
        if v.high is None or v.low is None:
            direction = 1 if v.high is None else -1
            rates = [_rate(term, v.symbol) for term in sp.Add.make_args(multiplied_out(f))]
            if None in rates or not any(rates):
                continue
            largest = max((r * direction for r in rates if r is not None), default=sp.S.Zero) * direction
            if largest * direction > 0:
                scaled = sp.Add(*(term * sp.exp(-largest * v.symbol) for term in sp.Add.make_args(
                    multiplied_out(f))))
                return sp.powsimp(scaled, combine="exp")
    return f


def _rate(term: sp.Expr, s: sp.Symbol) -> sp.Expr | None:
    """r if the term is e^(r·s) times what has no exponential in s; None otherwise."""
    rate = sp.S.Zero
    for factor in sp.Mul.make_args(term):
        if isinstance(factor, sp.exp):
            slope = sp.diff(factor.args[0], s)
            if not slope.is_Rational:
                return None
            rate += slope
        elif (factor.is_Pow and isinstance(factor.base, sp.exp)) or (factor.has(sp.exp) and s in factor.free_symbols):
            return None
    return rate


def multiplied_out(f: sp.Expr) -> sp.Expr:
    """Products and powers of sums multiplied out, and nothing else: expanding logarithms and exponents takes long."""
    if any(e.is_Pow and e.base.is_Add and e.exp.is_Integer and e.exp > 12 for e in sp.preorder_traversal(f)):
        return f
    return sp.expand(f, power_base=False, power_exp=False, log=False, basic=False)


def relaxed(f: sp.Expr, box: Box, exact: Sequence[sp.Expr] = ()) -> tuple[sp.Expr, dict[sp.Symbol, Variable]]:
    """The expression without rounding, over more variables; b^⌈log_b u⌉ becomes u·w with 1 ≤ w < b.

    The atoms in `exact` are taken where nothing is rounded, that is with r = 0 and w = 1.
    """
    wider = dict(box)
    while atoms := sorted(f.atoms(*ROUNDING), key=size):
        atom = atoms[0]
        r = sp.S.Zero if atom in exact else sp.Dummy("r", nonnegative=True)
        up = isinstance(atom, (sp.ceiling, CeilLog))
        inside = atom.args[0]
        if isinstance(atom, (CeilLog, FloorLog)):
            base = atom.args[1]
            w = sp.S.One if atom in exact else sp.Dummy("w", positive=True)
            z = sp.Dummy("z")

            def is_power(e: sp.Expr, base: sp.Expr = base, atom: sp.Expr = atom, z: sp.Symbol = z) -> bool:
                return bool(e.is_Pow and e.base.is_Rational and e.exp.has(atom) and power_of(e.base, base) is not None
                            and sp.diff(e.exp.xreplace({atom: z}), z).is_Integer)

            def replaced(e: sp.Expr, base: sp.Expr = base, atom: sp.Expr = atom, w: sp.Expr = w,
                         inside: sp.Expr = inside, up: bool = up, z: sp.Symbol = z) -> sp.Expr:
                slope = sp.diff(e.exp.xreplace({atom: z}), z)
                k = power_of(e.base, base) * slope
                rest = e.exp.xreplace({atom: sp.S.Zero})
                return (inside * w if up else inside / w) ** k * e.base ** rest

            changed = f.replace(is_power, replaced)
            if changed != f:
                f = changed
                if w.is_Symbol:
                    wider[w] = Variable(w, Fraction(1), Fraction(int(base)), high_open=True)
            inside = sp.log(inside) / sp.log(base)
        f = f.xreplace({atom: inside + r if up else inside - r})
        if r.is_Symbol:
            wider[r] = Variable(r, Fraction(0), Fraction(1), high_open=True)
    return f, wider


def power_of(x: sp.Rational, base: sp.Integer) -> sp.Rational | None:
    """k with x = base^k, k a multiple of 1/2: 2 is a power of 4."""
    return next((sp.Rational(k, 2) for k in range(-16, 17) if base ** k == x ** 2), None)
