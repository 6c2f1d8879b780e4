"""Tactics that change the shape of a goal: cases of |·|, max and min; rounding; substitutions; inverse functions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from flint import fmpq

from ..formulas.enclosure import lower
from ..formulas.symbols import exchange
from ..numbers.arithmetic import exact_root
from .boxes import Box, derivative, never_zero, sign_on, size
from .goals import LARGE, Goal, Prover
from .model import Variable
from .rewriting import PIECEWISE, ROUNDING, power_of, relaxed


def pieces(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """Abs, max and min: by the sign of what is inside, by a split where it changes, or by both cases at once."""
    atoms = sorted(goal.f.atoms(*PIECEWISE), key=lambda e: (size(e), str(e)))
    for atom in atoms:
        inner = atom.args[0] if isinstance(atom, sp.Abs) else atom.args[0] - sp.Add(*atom.args[1:])
        if isinstance(atom, sp.Abs) or len(atom.args) == 2:
            known = sign_on(inner, goal.box, prover.work)
            if known is None and not inner.is_Symbol:
                for s, candidate in ((1, inner), (-1, -inner)):
                    if prover.prove(Goal(candidate, False, goal.box), min(depth - 1, 4)):
                        known = s
                        break
            if known is not None:
                return prover.prove(goal.with_f(_resolved(goal.f, atom, known >= 0)), depth - 1) or None
            cut = _root(inner, goal.box)
            if cut is not None:
                v, at = cut
                left = Variable(v.symbol, v.low, at, v.low_open, False, v.integer)
                right = Variable(v.symbol, at, v.high, False, v.high_open, v.integer)
                return all(prover.prove(replace(goal, box={**goal.box, v.symbol: part}), depth - 1)
                           for part in (left, right)) or None
    for atom in atoms:
        # at every point the atom is one of its cases, so that all cases together suffice
        cases = [atom.args[0], -atom.args[0]] if isinstance(atom, sp.Abs) else list(atom.args)
        goals = [goal.with_f(goal.f.xreplace({atom: case})) for case in cases]
        z = sp.Dummy("z", real=True)
        slope = derivative(goal.f.xreplace({atom: z}), z)
        direction = sign_on(slope, {**goal.box, z: Variable(z)}, prover.work) if slope is not None else None
        one_is_enough = direction is not None and (direction >= 0) == isinstance(atom, (sp.Abs, sp.Max))
        tried = any(prover.prove(g, depth - 2) for g in goals) if one_is_enough else \
            all(prover.prove(g, depth - 2) for g in goals)
        if tried:
            return True
        inner = atom.args[0] if isinstance(atom, sp.Abs) else atom.args[0] - atom.args[1]
        if len(atom.args) <= 2 and (halves := _halves(inner, goal)) is not None:
            resolved = [_resolved(goal.f, atom, case) for case in (True, False)]
            if all(prover.prove(replace(goal, f=exchange(f, table), box=box), depth - 2)
                   for f, (table, box) in zip(resolved, halves, strict=True)):
                return True
    return None


def _resolved(f: sp.Expr, atom: sp.Expr, nonnegative: bool) -> sp.Expr:
    if isinstance(atom, sp.Abs):
        return f.xreplace({atom: atom.args[0] if nonnegative else -atom.args[0]})
    first = nonnegative == isinstance(atom, sp.Max)
    return f.xreplace({atom: atom.args[0] if first else atom.args[1]})


def _root(inner: sp.Expr, box: Box) -> tuple[Variable, Fraction] | None:
    """The rational zero of a linear expression in one variable, strictly inside its interval."""
    symbols = [s for s in inner.free_symbols if s in box]
    if len(symbols) != 1 or len(inner.free_symbols) != 1:
        return None
    v = box[symbols[0]]
    if v.integer:
        return None
    slope = sp.diff(inner, v.symbol)
    if not slope.is_Rational or slope == 0:
        return None
    root = -inner.xreplace({v.symbol: sp.S.Zero}) / slope
    if not root.is_Rational:
        return None
    at = Fraction(int(root.p), int(root.q))
    inside = (v.low is None or v.low < at) and (v.high is None or at < v.high)
    return (v, at) if inside else None


def _halves(inner: sp.Expr, goal: Goal) -> list[tuple[dict[sp.Symbol, sp.Expr], dict[sp.Symbol, Variable]]] | None:
    """Two boxes that together cover the goal's: inner = t ≥ 0 and inner = −t ≤ 0, solved for one real variable."""
    for v in goal.variables:
        slope = sp.diff(inner, v.symbol) if inner.is_polynomial(v.symbol) else sp.nan
        if v.integer or not slope.is_Rational or slope == 0:
            continue
        rest = sp.expand(inner - slope * v.symbol)
        t = sp.Dummy("t", nonnegative=True)
        others = {s: w for s, w in goal.box.items() if s != v.symbol}
        box = {**others, t: Variable(t, Fraction(0))}
        return [({v.symbol: (t - rest) / slope}, box), ({v.symbol: (-t - rest) / slope}, box)]
    return None


def rounding(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """⌈u⌉ = u + r and ⌊u⌋ = u − r with an unknown r in [0, 1): what holds for every r holds."""
    atoms = sorted(goal.f.atoms(*ROUNDING), key=size)
    if not atoms:
        return None
    f, box = relaxed(goal.f, goal.box)
    return prover.prove(replace(goal, f=f, box=box), depth - 1) or None


def substitution(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """A variable that occurs only as b^(±kv), or only inside log(v): that itself is made the variable."""
    for v in goal.variables:
        changed = _as_power(goal, v) or _as_log(goal, v)
        if changed is not None:
            return prover.prove(changed, depth - 1) or None
    return _scaled(prover, goal, depth)


def _as_power(goal: Goal, v: Variable) -> Goal | None:
    s = v.symbol
    powers = [e for e in goal.f.atoms(sp.Pow) if s in e.free_symbols and e.base.is_Rational and e.base > 0]
    if not powers or v.low is None:
        return None
    base = min((b for e in powers for b in (e.base, 1 / e.base) if b > 1), default=None)
    if base is None:
        return None
    u = sp.Dummy("u", positive=True)
    table: dict[sp.Expr, sp.Expr] = {}
    for e in powers:
        slope = sp.diff(e.exp, s)
        k = power_of(sp.Rational(e.base), base) if base.is_Integer else None
        if k is None or not slope.is_Integer:
            return None
        table[e] = u ** (-k * slope) * e.base ** e.exp.xreplace({s: sp.S.Zero})
    f = goal.f.xreplace(table)
    if s in f.free_symbols:
        return None
    if any(end.denominator != 1 or abs(end) > 10_000 for end in (v.low, v.high) if end is not None):
        return None
    b = Fraction(int(base))
    high = b ** -int(v.low)
    low = Fraction(0) if v.high is None else b ** -int(v.high)
    box = {t: w for t, w in goal.box.items() if t != s}
    return replace(goal, f=f, box={**box, u: Variable(u, low, high, v.high is None or v.high_open, v.low_open)})


def _as_log(goal: Goal, v: Variable) -> Goal | None:
    s = v.symbol
    if v.low is None or v.low < 0 or not goal.f.has(sp.log):
        return None
    f = sp.expand_log(goal.f)
    u = sp.Dummy("u", real=True)
    f = f.xreplace({sp.log(s): u})
    if s in f.free_symbols or u not in f.free_symbols:
        return None
    low = None if v.low == 0 else _log_below(v.low)
    high = None if v.high is None else -_log_below(1 / v.high)
    box = {t: w for t, w in goal.box.items() if t != s}
    return replace(goal, f=f, box={**box, u: Variable(u, low, high, v.low_open, v.high_open)})


def _log_below(x: Fraction) -> Fraction:
    """A rational at or a little below log x."""
    return Fraction(0) if x == 1 else lower(sp.log(sp.Rational(x.numerator, x.denominator)), {}, 12)


def _scaled(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """u = w·v where v ranges over a line or half line from 0 and w > 0: w may drop out."""
    for v in goal.variables:
        if v.integer or not (v.low in (None, 0) and v.high in (None, 0)) or v.high == v.low == 0:
            continue
        for w in goal.variables:
            if w is v or w.low is None or w.low < 0 or (w.low == 0 and not w.low_open):
                continue
            u = sp.Dummy("u", real=True)
            f = goal.f.xreplace({v.symbol: u / w.symbol})
            if f.has(sp.Abs):
                f = f.replace(sp.Abs, lambda x: sp.Abs(sp.expand_mul(x)) if not x.is_Mul else sp.Mul(
                    *(p if p.is_nonnegative else sp.Abs(p) for p in sp.Mul.make_args(x))))
            top, bottom = sp.fraction(sp.together(f)) if size(f) < LARGE else (f, sp.S.One)
            kept = [p for p in sp.Mul.make_args(sp.factor_terms(top)) if p.as_base_exp()[0] != w.symbol]
            below = [p for p in sp.Mul.make_args(bottom) if p.as_base_exp()[0] != w.symbol]
            new = sp.Mul(*kept) / sp.Mul(*below)
            if w.symbol not in new.free_symbols and u in new.free_symbols:
                box = {t: x for t, x in goal.box.items() if t not in (v.symbol, w.symbol)}
                return prover.prove(replace(goal, f=new, box={**box, u: replace(v, symbol=u)}), depth - 1) or None
    return None


def roots(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """A variable under a root: v = u^q with u ≥ 0 takes the root away."""
    for v in goal.variables:
        if v.low is None or v.low < 0:
            continue
        q = 1
        for e in goal.f.atoms(sp.Pow):
            if e.exp.is_Rational and not e.exp.is_Integer and v.symbol in e.base.free_symbols and (
                    e.base == v.symbol or (e.base.is_Mul and v.symbol in e.base.args)):
                q = int(sp.ilcm(q, e.exp.q))
        ends = [None if end is None else exact_root(rational(end), q) for end in (v.low, v.high)]
        if q == 1 or q > 6 or (v.high is not None and ends[1] is None) or ends[0] is None:
            continue
        u = sp.Dummy("u", nonnegative=True)
        low, high = (None if end is None else Fraction(int(end.p), int(end.q)) for end in ends)
        f = exchange(goal.f, {v.symbol: u ** q})
        box = {s: w for s, w in goal.box.items() if s != v.symbol}
        return prover.prove(replace(goal, f=f, box={**box, u: Variable(u, low, high, v.low_open, v.high_open)}),
                            depth - 1) or None
    return None


def rational(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def exponentials(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """tanh u = 1 − 2/(1 + e^(2u)), where ranges of tanh lose what happens at infinity."""
    if not goal.strict or not goal.f.has(sp.tanh) or not any(v.low is None or v.high is None for v in goal.variables):
        return None
    f = goal.f.replace(sp.tanh, lambda u: 1 - 2 / (1 + sp.exp(2 * u)))
    return prover.prove(goal.with_f(f), depth - 1) or None


def inverse(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """W(x) ≤ r exactly when x ≤ r·e^r (r ≥ −1): one W is solved for; log u ≤ r likewise becomes u ≤ e^r."""
    atoms = sorted(goal.f.atoms(sp.LambertW), key=size, reverse=True)
    for atom in atoms:
        if not atom.free_symbols:
            continue
        z = sp.Dummy("z", real=True)
        f = goal.f.xreplace({atom: z})
        slope = sp.diff(f, z)
        if z in slope.free_symbols or slope == 0:
            continue
        direction = sign_on(slope, goal.box, prover.work)
        if direction not in (2, -2) and not (direction in (1, -1) and never_zero(slope, goal.box, prover.work)):
            continue
        r = sp.together(-f.xreplace({z: sp.S.Zero}) / slope)
        if direction > 0 and prover.prove(Goal(-r, False, goal.box), 2):
            return True if not goal.strict and sign_on(atom.args[0], goal.box, prover.work) in (0, 1, 2) else None
        if not prover.prove(Goal(r, False, goal.box), min(depth - 1, 5)):
            continue
        gap = sp.expand_log(r) * sp.exp(sp.expand_log(r)) - atom.args[0]
        return prover.prove(goal.with_f(gap if direction < 0 else -gap), depth - 1) or None
    return None
