"""Tactics by algebra: signs, parts, factors, coefficients, ends of linear functions, squares, logarithms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.enclosure import less_equal, less_than
from ..numbers.arithmetic import dyadic
from .boxes import at_end, derivative, never_zero, on_face, range_on, sign_on, size
from .goals import LARGE, Goal, Prover
from .intervals import NoRange
from .model import Variable
from .rewriting import PIECEWISE, ROUNDING, factor_list, multiplied_out, rewrite, without_growth


def constant(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """A number: its sign is decided exactly, or by an enclosure."""
    if goal.f.free_symbols:
        return None
    if not goal.f.is_finite and goal.f in (sp.oo, -sp.oo):
        return bool(goal.f == sp.oo)
    try:
        answer = less_than(sp.S.Zero, goal.f) if goal.strict else less_equal(sp.S.Zero, goal.f)
    except BoundcalcError:
        return False
    return answer is True


def sign(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """The range of f by interval arithmetic: signs of parts, monotone functions at the ends."""
    found = sign_on(goal.f, goal.box, prover.work)
    if found is None:
        return None
    if found == 2 or (found >= 0 and not goal.strict):
        return True
    return False if found == -2 else None


def parts(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """A sum of parts without common variables: each part is ≥ 0."""
    if not goal.f.is_Add or goal.strict or len(goal.variables) < 2:
        return None
    groups: list[tuple[set[sp.Symbol], sp.Expr]] = []
    constant_part = sp.S.Zero
    for term in goal.f.args:
        symbols, total = set(term.free_symbols), term
        if not symbols:
            constant_part += term
            continue
        for group in [g for g in groups if g[0] & symbols]:
            groups.remove(group)
            symbols, total = symbols | group[0], total + group[1]
        groups.append((symbols, total))
    if len(groups) < 2:
        return None
    first = groups[0][1] + constant_part
    return all(prover.prove(goal.with_f(f), depth - 1) for f in (first, *(f for _, f in groups[1:]))) or None


def factors(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """Common denominator and factors: those of known sign are dropped, squares too; the others are goals."""
    f = goal.f
    if size(f) > LARGE or f.is_Symbol:
        return None
    top, bottom = sp.fraction(sp.together(rewrite(f)))
    sign_below = 1
    if bottom != 1:
        below = sign_on(bottom, goal.box, prover.work)
        if below not in (2, -2) and not (below in (1, -1) and not goal.strict and never_zero(bottom, goal.box, prover.work)):
            if prover.prove(Goal(bottom, True, goal.box), depth - 2):
                below = 2
            elif prover.prove(Goal(-bottom, True, goal.box), depth - 2):
                below = -2
            else:
                return None
        sign_below = 1 if below > 0 else -1
    parts = factor_list(top)
    rest: list[sp.Expr] = []
    positive = sign_below > 0
    for part, exponent in parts:
        if exponent % 2 == 0:
            if goal.strict and sign_on(part, goal.box, prover.work) not in (2, -2):
                rest.append(part ** exponent)
            continue
        found = sign_on(part, goal.box, prover.work)
        if found in (2, -2) or (found in (1, -1, 0) and not goal.strict):
            positive = positive == (found >= 0)
        else:
            rest.append(part)
    whole = sp.Mul(*rest)
    if not rest:
        return positive
    if len(rest) == 1:
        new = whole if positive else -whole
        forms = [new] if new != f else []
        if (slower := without_growth(new, goal)) != new:
            forms.append(slower)
        return any(prover.prove(goal.with_f(form), depth - 1) for form in forms) or None
    for part in rest:
        for candidate, flips in ((part, False), (-part, True)):
            if prover.prove(goal.with_f(candidate), depth - 2):
                positive = positive != flips
                break
        else:
            return None
    return positive or None


def coefficients(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """Every variable as an end plus t ≥ 0: then f is a sum of terms each of which is ≥ 0."""
    if size(goal.f) > LARGE or goal.f.has(*PIECEWISE, *ROUNDING) or not goal.variables:
        return None
    sides = [[side for side in (False, True) if (v.high if side else v.low) is not None] for v in goal.variables]
    choices = [[side[0] if side else None for side in sides], [side[-1] if side else None for side in sides]]
    for choice in ([*choices] if choices[0] != choices[1] else choices[:1]):
        if any(c is None for c in choice):
            continue
        moved: dict[sp.Symbol, sp.Expr] = {}
        box: dict[sp.Symbol, Variable] = {}
        for v, upper in zip(goal.variables, choice, strict=True):
            end = v.high if upper else v.low
            assert end is not None
            length = None if v.low is None or v.high is None else v.high - v.low
            t = sp.Dummy("t", nonnegative=True)
            box[t] = Variable(t, Fraction(0), length)
            moved[v.symbol] = sp.Rational(end.numerator, end.denominator) + (-t if upper else t)
        try:
            terms = sp.Add.make_args(multiplied_out(goal.f.xreplace(moved)))
        except (ValueError, ZeroDivisionError, TypeError):
            continue
        if len(terms) > 200 or any(term.has(sp.zoo, sp.nan) for term in terms):
            continue
        signs = [sign_on(term, box, prover.work) for term in terms]
        if all(s is not None and s >= 0 for s in signs) and (not goal.strict or 2 in signs):
            return True
    return None


def linear(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """f is linear in a variable: least at one of its ends; towards ∞ its slope must not be negative."""
    if size(goal.f) > LARGE or len(goal.variables) < 2 or goal.strict:
        return None
    for v in goal.variables:
        if any(v.symbol in e.free_symbols for e in goal.f.atoms(*PIECEWISE, *ROUNDING)):
            continue
        slope = derivative(goal.f, v.symbol) if not goal.f.has(*PIECEWISE) else sp.diff(goal.f, v.symbol)
        if slope is None or (v.symbol in slope.free_symbols and v.symbol in (slope := multiplied_out(slope)).free_symbols):
            continue
        if _at_ends(prover, goal, v, slope, depth):
            return True
    return _linear_in_atom(prover, goal, depth)


def _at_ends(prover: Prover, goal: Goal, v: Variable, slope: sp.Expr, depth: int) -> bool:
    """f = slope·v + rest ≥ 0 at both ends of v; at an infinite one the slope must have the right sign."""
    ends = [at_end(v, upper) for upper in (False, True)]
    if ends == [None, None]:
        return False
    goals = [replace(goal, f=on_face(goal.f, v.symbol, e)) for e in ends if e is not None]
    if ends[1] is None or ends[0] is None:
        goals.append(goal.with_f(slope if ends[1] is None else -slope))
    return all(prover.prove(g, depth - 1) for g in goals)


def _linear_in_atom(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """The same for the largest |·|, max or min, whatever it stands for: only its range is used."""
    atoms = sorted(goal.f.atoms(*PIECEWISE), key=size)
    if not atoms or depth < 3:
        return None
    z = sp.Dummy("z", real=True)
    f = goal.f.xreplace({atoms[-1]: z})
    if not f.is_polynomial(z) or sp.degree(f, z) != 1:
        return None
    try:
        ends = range_on(atoms[-1], goal.box, prover.work)
    except NoRange:
        return None
    low, high = (dyadic(end) if end.is_finite() else None for end in ends)
    v = Variable(z, low, high)
    return _at_ends(prover, replace(goal, f=f, box={**goal.box, z: v}), v, sp.diff(f, z), depth) or None


def square(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """A quadratic a·v² + b·v + c with a > 0 and 4ac − b² ≥ 0 (> 0) is ≥ 0 (> 0)."""
    for v in goal.variables:
        if not goal.f.is_polynomial(v.symbol):
            continue
        poly = sp.Poly(goal.f, v.symbol)
        if poly.degree() != 2:
            continue
        a, b, c = poly.all_coeffs()
        if prover.prove(Goal(a, True, goal.box), 3) and \
                prover.prove(Goal(4 * a * c - b ** 2, goal.strict, goal.box), depth - 2):
            return True
    return None


def logarithms(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """Σ c·log u ≥ 0 exactly when Π u^c ≥ 1; and A ≥ B > 0 exactly when log A ≥ log B, where A and B are products."""
    terms = sp.Add.make_args(goal.f)
    product = sp.S.One
    for term in terms:
        coefficient, rest = term.as_coeff_Mul()
        if not (coefficient.is_Integer and abs(coefficient) <= 6 and isinstance(rest, sp.log)):
            break
        product *= rest.args[0] ** coefficient
    else:
        return prover.prove(goal.with_f(product - 1), depth - 1) or None
    if len(terms) != 2 or goal.f.has(sp.log) or not any(
            e.is_Pow and e.exp.free_symbols and e.base.free_symbols for e in sp.preorder_traversal(goal.f)):
        return None
    if any(v.low is None or v.low < 0 or (v.low == 0 and not v.low_open) for v in goal.variables):
        return None
    positive = {v.symbol: sp.Dummy(v.symbol.name, positive=True) for v in goal.variables}
    back = {new: old for old, new in positive.items()}
    signs = [sign_on(t, goal.box, prover.work) for t in terms]
    if sorted((s or 0) > 0 for s in signs) != [False, True] or None in signs or not all(
            never_zero(t, goal.box, prover.work) for t in terms):
        return None
    above, below = (terms[0], -terms[1]) if (signs[0] or 0) > 0 else (terms[1], -terms[0])
    f = sp.expand(sp.expand_log(sp.log(above.xreplace(positive))) - sp.expand_log(sp.log(below.xreplace(positive))))
    if f.has(sp.zoo, sp.nan):
        return None
    return prover.prove(goal.with_f(f.xreplace(back)), depth - 1) or None
