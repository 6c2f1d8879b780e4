"""f ≥ 0 (or f > 0) over a box, by ranges: branch and bound with collapsing faces.

A box is settled if the range of f on it says so, or if some derivative keeps one sign on it: then f is least on a face,
and that face is settled (which is how inequalities that touch zero on a face are proved: boxes alone never prove them).
Whether the derivative keeps its sign is decided the same way, with the next derivative, up to a fixed order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.enclosure import less_equal, less_than
from ..formulas.symbols import CeilLog, FloorLog
from ..numbers.arithmetic import working_precision
from .intervals import BITS, BallEnds, NoRange, interval, tape
from .model import Variable

MAX_SIZE = 600          # nodes of an expression that is differentiated
NOT_SMOOTH = (sp.Abs, sp.Max, sp.Min, sp.ceiling, sp.floor, sp.Sum, sp.sign, CeilLog, FloorLog)

Box = Mapping[sp.Symbol, Variable]


class Exhausted(Exception):
    """The work allowed for a claim is done."""


@dataclass
class Work:
    """Evaluations of ranges and goals that may still be tried for one claim."""

    evaluations: int = 60_000
    goals: int = 900

    def evaluate(self, cost: int = 1) -> None:
        self.evaluations -= cost
        if self.evaluations < 0:
            raise Exhausted

    def goal(self) -> None:
        self.goals -= 1
        if self.goals < 0:
            raise Exhausted


def size(expr: sp.Expr) -> int:
    return sum(1 for _ in sp.preorder_traversal(expr))


@lru_cache(maxsize=4096)
def derivative(f: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """∂f/∂v; None where f is not smooth or too long."""
    if f.has(*NOT_SMOOTH) or size(f) > MAX_SIZE:
        return None
    return sp.factor_terms(sp.diff(f, v))


@lru_cache(maxsize=8192)
def _bounds(v: Variable) -> BallEnds:
    return interval(v.low, v.high)


def range_on(f: sp.Expr, box: Box, work: Work) -> BallEnds:
    """The range of f; NoRange if there is none."""
    found = tape(f)
    work.evaluate(1 + found.size // 16)
    with working_precision(BITS):
        return found.over({s: _bounds(v) for s, v in box.items()})


def sign_on(f: sp.Expr, box: Box, work: Work) -> int | None:
    """2 for f > 0, 1 for f ≥ 0, 0 for f = 0, −1 for f ≤ 0, −2 for f < 0, on the whole box; None if not seen."""
    try:
        low, high = range_on(f, box, work)
    except NoRange:
        return None
    if low == 0 and high == 0:
        return 0
    if low >= 0:
        return 2 if low > 0 else 1
    if high <= 0:
        return -2 if high < 0 else -1
    return None


def never_zero(f: sp.Expr, box: Box, work: Work) -> bool:
    """Whether f, known to be of one sign on the closed box, is nowhere 0 on the box itself, which may lack ends."""
    if f.is_Rational:
        return bool(f != 0)
    if f.is_Symbol:
        v = box.get(f)
        return v is not None and bool(
            (v.low is not None and (v.low > 0 or (v.low == 0 and v.low_open)))
            or (v.high is not None and (v.high < 0 or (v.high == 0 and v.high_open))))
    if isinstance(f, sp.exp):
        return True
    if f.is_Mul:
        return all(never_zero(part, box, work) for part in f.args)
    if f.is_Pow:
        return bool(f.base.is_Rational and f.base > 0) or never_zero(f.base, box, work)
    if f.is_Add:        # away from zero, or terms of one sign, one of them never zero
        if sign_on(f, box, work) in (2, -2):
            return True
        signs = [sign_on(part, box, work) for part in f.args]
        if all(s is not None and s >= 0 for s in signs) or all(s is not None and s <= 0 for s in signs):
            return any(s in (2, -2) or never_zero(part, box, work) for s, part in zip(signs, f.args, strict=True))
        return False
    if isinstance(f, (sp.LambertW, sp.tanh, sp.Abs, sp.erf)):
        return never_zero(f.args[0], box, work)
    return sign_on(f, box, work) in (2, -2)


def continuous(f: sp.Expr, box: Box, work: Work) -> bool:
    """Whether f has no pole inside the box: only then does a derivative of one sign make it monotone."""
    inside = {s: replace(v, low_open=True, high_open=True) for s, v in box.items()}
    for e in f.atoms(sp.Pow, sp.log):
        base = e.base if e.is_Pow else e.args[0]
        if not base.free_symbols or (e.is_Pow and e.exp.is_nonnegative and e.exp.is_Rational):
            continue
        if e.is_Pow and base.is_Rational:
            continue
        found = sign_on(base, box, work)
        if found not in (2, -2) and not (found in (1, -1) and never_zero(base, inside, work)):
            return False
    return True


def point_sign(f: sp.Expr, values: Mapping[sp.Symbol, Fraction], strict: bool) -> bool | None:
    """Whether f ≥ 0 (f > 0) at a point, decided exactly; None if undecided or undefined."""
    try:
        return less_than(sp.S.Zero, f, values) if strict else less_equal(sp.S.Zero, f, values)
    except BoundcalcError:
        return None


def at_end(v: Variable, upper: bool) -> Variable | None:
    """The variable fixed at one of its ends, if that is finite."""
    end = v.high if upper else v.low
    return None if end is None else Variable(v.symbol, end, end, integer=v.integer)


@lru_cache(maxsize=4096)
def on_face(f: sp.Expr, symbol: sp.Symbol, at: Variable) -> sp.Expr:
    """f where that variable is fixed: substituted, so that terms which cancel there do so exactly."""
    assert at.fixed is not None
    return f.xreplace({symbol: sp.Rational(at.fixed.numerator, at.fixed.denominator)})


def settled(f: sp.Expr, box: Box, strict: bool, order: int, work: Work) -> bool:
    """Whether the range of f, or its derivatives up to that order, show f ≥ 0 (f > 0) on the box."""
    free = [v for s, v in box.items() if v.fixed is None and s in f.free_symbols]
    if not free:
        work.evaluate(4)
        return point_sign(f, {s: v.fixed for s, v in box.items() if v.fixed is not None}, strict) is True
    try:
        low, high = range_on(f, box, work)
    except NoRange:
        return False
    if low > 0 or (low >= 0 and not strict):
        return True
    if high < 0 or order == 0 or not continuous(f, box, work):
        return False
    for v in free:
        d = derivative(f, v.symbol)
        if d is None:
            return False
        for upper, rising in ((False, d), (True, -d)):
            face = at_end(v, upper)
            if face is None or not _may_be_positive(rising, box, work):
                continue
            # f exceeds its value on an end that does not belong to the box, if it strictly rises from there
            open_end = strict and (v.high_open if upper else v.low_open)
            if settled(rising, box, open_end, order - 1, work) and \
                    settled(on_face(f, v.symbol, face), {**box, v.symbol: face}, strict and not open_end, order, work):
                return True
    return False


def _may_be_positive(f: sp.Expr, box: Box, work: Work) -> bool:
    """A cheap look: a derivative that is negative somewhere need not be tried."""
    try:
        return bool(range_on(f, box, work)[1] >= 0)
    except NoRange:
        return False


def branch_and_bound(f: sp.Expr, box: Box, strict: bool, work: Work, boxes: int = 1500) -> bool:
    """Split until every part is settled; False if that does not happen within so many boxes."""
    used = f.free_symbols
    start = {s: v for s, v in box.items() if s in used}
    order = {1: 5, 2: 3, 3: 2}.get(len(start), 1)
    stack = [(start, 0)]
    count = 0
    while stack:
        count += 1
        if count > boxes:
            return False
        current, depth = stack.pop()
        if settled(f, current, strict, order if count < 200 or depth % 4 == 0 else 1, work):
            continue
        if _violated(f, current, strict):
            return False
        halves = split(current, depth)
        if halves is None:
            return False
        stack += [(half, depth + 1) for half in halves]
    return True


def _violated(f: sp.Expr, box: Box, strict: bool) -> bool:
    return point_sign(f, {s: middle(v) for s, v in box.items()}, strict) is False


def middle(v: Variable) -> Fraction:
    """A point inside, an integer where it must be one."""
    if v.low is None and v.high is None:
        return Fraction(0)
    if v.low is None or v.high is None:
        end = v.low if v.low is not None else v.high
        assert end is not None
        step = 1 + abs(end) // 1
        return end + step if v.low is not None else end - step
    centre = (v.low + v.high) / 2
    return Fraction(centre // 1) if v.integer else centre


def split(box: Box, depth: int) -> list[dict[sp.Symbol, Variable]] | None:
    """Halves along the variables in turn; None if there is nothing to split."""
    symbols = [s for s, v in box.items() if v.fixed is None]
    if not symbols or depth > 60 * len(symbols):
        return None
    s = symbols[depth % len(symbols)]
    v = box[s]
    cut = _cut(v)
    if v.integer:
        if v.high is not None and cut + 1 > v.high:
            cut = v.high - 1
        left = Variable(s, v.low, cut, v.low_open, False, True)
        right = Variable(s, cut + 1, v.high, False, v.high_open, True)
    else:
        left, right = Variable(s, v.low, cut, v.low_open, False), Variable(s, cut, v.high, False, v.high_open)
    return [{**box, s: left}, {**box, s: right}]


def _cut(v: Variable) -> Fraction:
    """Where to split: in the middle, at 0 on a line, geometrically on a half line."""
    if v.low is None and v.high is None:
        return Fraction(0)
    if v.high is None:
        assert v.low is not None
        return Fraction((2 * v.low + 1) // 1) if v.low >= 0 else Fraction(0)
    if v.low is None:
        return Fraction((2 * v.high) // 1 - 1) if v.high <= 0 else Fraction(0)
    return middle(v)
