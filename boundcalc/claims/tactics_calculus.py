"""Tactics by calculus: touching points, monotone variables, branch and bound, integers one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from .asymptotics import NoLimit, limit
from .boxes import at_end, branch_and_bound, continuous, derivative, on_face, sign_on, size
from .goals import LARGE, MAX_DEPTH, Goal, Prover
from .intervals import NoRange
from .model import Variable
from .rewriting import PIECEWISE, ROUNDING


def monotone(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """f keeps rising (falling) in one variable: it is least at that end, or no less than its limit there."""
    if depth < 2 or goal.f.has(*PIECEWISE, *ROUNDING) or size(goal.f) > LARGE:
        return None
    for v in goal.variables:
        d = derivative(goal.f, v.symbol)
        if d is None or not continuous(goal.f, goal.box, prover.work):
            return None
        for upper, rising in ((False, d), (True, -d)):
            open_end = (v.high_open if upper else v.low_open) or (v.high if upper else v.low) is None
            strictly = goal.strict and open_end
            face = at_end(v, upper)
            if face is not None and not open_end and not _promising(prover, goal, v, face):
                continue
            # also between integers: a derivative that is known at integers only says nothing
            between = {**goal.box, v.symbol: replace(v, integer=False)}
            if not prover.prove(Goal(rising, strictly, between), min(depth - 1, 5)):
                continue
            if face is None:
                try:
                    end = limit(goal.f, v.symbol, sp.oo if upper else -sp.oo, goal.box, prover.work)
                except NoLimit:
                    continue
            else:
                try:
                    end = on_face(goal.f, v.symbol, face)
                except (ValueError, ZeroDivisionError, TypeError):
                    continue
                if end.has(sp.zoo, sp.nan):
                    continue
            if prover.prove(Goal(end, goal.strict and not strictly, {s: w for s, w in goal.box.items() if s != v.symbol}),
                            depth - 1):
                return True
    return None


def _promising(prover: Prover, goal: Goal, v: Variable, face: Variable) -> bool:
    """A quick look whether the goal can hold on that face at all."""
    try:
        found = sign_on(on_face(goal.f, v.symbol, face), {**goal.box, v.symbol: face}, prover.work)
    except (ValueError, ZeroDivisionError, TypeError):
        return False
    return found != -2


def touching(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """One variable, f = 0 at a rational point inside: split there, so that f touches zero at ends only."""
    if len(goal.variables) != 1 or goal.strict:
        return None
    (v,) = goal.variables
    for at in (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(2), Fraction(-1, 2)):
        inside = (v.low is None or v.low < at) and (v.high is None or at < v.high)
        if not inside:
            continue
        try:
            value = goal.f.xreplace({v.symbol: sp.Rational(at.numerator, at.denominator)})
        except (ValueError, ZeroDivisionError, TypeError):
            continue
        if value == 0 or (value.is_number and sp.expand(value) == 0):
            left = Variable(v.symbol, v.low, at, v.low_open, False, v.integer)
            right = Variable(v.symbol, at, v.high, False, v.high_open, v.integer)
            return all(prover.prove(replace(goal, box={v.symbol: part}), depth - 1) for part in (left, right)) or None
    return None


def boxes(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """Branch and bound: halve the box until ranges and derivatives settle every part."""
    if len(goal.variables) > 4:
        return None
    try:
        return branch_and_bound(goal.f, goal.box, goal.strict, prover.work,
                                1500 if depth > MAX_DEPTH - 4 else 60) or None
    except NoRange:
        return None


def integers(prover: Prover, goal: Goal, depth: int) -> bool | None:
    """An integer variable: small values one by one, the rest as real numbers."""
    if depth < MAX_DEPTH - 3:
        return None
    for v in goal.variables:
        if not v.integer or v.low is None:
            continue
        for count in (1, 4, 16):
            if v.high is not None and v.low + count > v.high:
                break
            tail = Variable(v.symbol, v.low + count, v.high, False, False, True)
            if prover.prove(replace(goal, box={**goal.box, v.symbol: tail}), MAX_DEPTH - 4):
                return all(prover.prove(replace(goal, box={**goal.box, v.symbol: at}), depth - 1)
                           for k in range(count) if (at := Variable(v.symbol, v.low + k, v.low + k, integer=True))) or None
    return None
