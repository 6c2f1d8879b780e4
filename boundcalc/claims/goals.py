"""Goals f ≥ 0 (or f > 0) over a box, and the prover that tries tactics on them in order.

A tactic either closes a goal, replaces it by goals that imply it, or does not apply. What fails proves nothing: the
prover answers True or "not proved", never "false". Counterexamples are looked for elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp
from sympy.polys.polyerrors import BasePolynomialError

from .boxes import Box, Exhausted, Work, on_face, sign_on, size
from .model import Variable

MAX_DEPTH = 9
LOOKS = 10              # points at which a goal is tried before it is taken up
LARGE = 260             # nodes beyond which an expression is not factored or expanded
FACTORED = 10 ** 6      # largest number whose logarithm is split into those of its prime factors
UNABLE = (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError, BasePolynomialError)
FINAL = ("constant", "sign")        # a definite "no" of these ends the search


@dataclass(frozen=True)
class Goal:
    f: sp.Expr
    strict: bool
    box: Box

    def with_f(self, f: sp.Expr) -> Goal:
        return replace(self, f=f)

    @property
    def variables(self) -> list[Variable]:
        free = self.f.free_symbols
        return [v for s, v in self.box.items() if s in free]


class Prover:
    """Tries the tactics on a goal; `used` lists those that took part in the proof, in order."""

    def __init__(self, tactics: Sequence[tuple[str, Tactic]], work: Work | None = None, seconds: float = 8) -> None:
        self.tactics = tactics
        self.work = work or Work()
        self.used: list[str] = []
        self.deadline = time.process_time() + seconds      # a last resort: sympy may be slow where the counters are not
        self._proved: set[Goal] = set()
        self._failed: dict[Goal, int] = {}      # the greatest depth at which it was tried

    def prove(self, goal: Goal, depth: int = MAX_DEPTH) -> bool:
        """Whether the goal was proved."""
        goal = _without_fixed(goal)
        key = replace(goal, box=_Frozen(goal.box))
        if key in self._proved:
            return True
        if depth <= self._failed.get(key, 0) or size(goal.f) > 4 * LARGE:
            return False
        if goal.f.free_symbols and _plainly_false(goal, self.work):
            self._failed[key] = MAX_DEPTH
            return False
        self._failed[key] = depth       # also while it is tried: a goal that comes back to itself proves nothing
        found = False
        for name, tactic in self.tactics:
            self.work.goal()
            if time.process_time() > self.deadline:
                raise Exhausted
            before = len(self.used)
            try:
                answer = tactic(self, goal, depth)
            except UNABLE:
                answer = None       # sympy could not do what the tactic asked for: it does not apply
            if answer is not None:
                if answer:
                    self.used.insert(before, name)
                    found = True
                else:
                    del self.used[before:]
                if answer or name in FINAL:
                    break
            else:
                del self.used[before:]
        if found:
            self._proved.add(key)
        return found

    def attempt(self, goal: Goal) -> bool:
        """The same, but running out of work is just no proof."""
        try:
            return self.prove(goal)
        except Exhausted:
            return False


class _Frozen(dict[sp.Symbol, Variable]):
    """A box that can be a key."""

    def __hash__(self) -> int:      # type: ignore[override]
        return hash(frozenset(self.items()))


def _without_fixed(goal: Goal) -> Goal:
    f = goal.f
    for s, v in goal.box.items():
        if v.fixed is not None and s in f.free_symbols:
            f = on_face(f, s, v)
    if f.has(sp.log):
        f = plain_logarithms(f)
    return replace(goal, f=f, box={s: v for s, v in goal.box.items() if s in f.free_symbols})


def plain_logarithms(f: sp.Expr) -> sp.Expr:
    """log 4 as 2·log 2 and log(1/x) as −log x for x > 0: so that they cancel."""
    table = {}
    for atom in f.atoms(sp.log):
        x = atom.args[0]
        if x.is_Rational and x > 0 and max(x.p, x.q) <= FACTORED:
            table[atom] = sp.expand_log(atom, factor=True)
        elif x.is_Pow and x.base.is_positive and x.exp.is_Rational:
            table[atom] = x.exp * sp.log(x.base)
    table = {atom: new for atom, new in table.items() if new != atom}
    return f.xreplace(table) if table else f


def _plainly_false(goal: Goal, work: Work) -> bool:
    """Whether f is negative at one of a few points: then no tactic need try."""
    looks = {v.symbol: _looks(v) for v in goal.box.values()}
    for k in range(LOOKS):
        point = {s: values[(k + j * (k // 4)) % len(values)] for j, (s, values) in enumerate(looks.items())}
        box = {s: Variable(s, x, x) for s, x in point.items()}
        if sign_on(goal.f, box, work) == -2:
            return True
    return False


def _looks(v: Variable) -> list[Fraction]:
    """A few values of a variable: near its ends, in the middle, and far out."""
    low, high = v.low, v.high
    if low is not None and high is not None:
        found = [low + (high - low) * x for x in (Fraction(1, 2), Fraction(1, 64), Fraction(63, 64), Fraction(1, 5))]
    elif low is not None:
        found = [low + x for x in (Fraction(1), Fraction(1, 64), Fraction(1000), Fraction(10))]
    elif high is not None:
        found = [high - x for x in (Fraction(1), Fraction(1, 64), Fraction(1000), Fraction(10))]
    else:
        found = [Fraction(x) for x in (1, -1, 30, -30)]
    if v.integer:
        whole = [Fraction(-(-x // 1)) for x in found]
        found = [x for x in whole if high is None or x <= high] or [high or Fraction(0)]
    return found


# True is a proof, False "cannot be proved this way", None "does not apply"
Tactic = Callable[[Prover, Goal, int], bool | None]
