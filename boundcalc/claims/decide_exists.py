"""`exists C: LEFT <= RIGHT`: a constant is found and proved to do, or shown not to exist, or worth nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.enclosure import upper
from .boxes import Work
from .cases import Branch
from .counterexample import points
from .decide_growth import unbounded
from .domain import solved
from .dominance import prover
from .found import Holds, WithCondition
from .goals import Goal
from .looseness import derived_bounds
from .model import Condition, Domain, Exists
from .outcome import Outcome
from .substitute import Sides, best_upper, directions, hardest, put
from .sums import without_sums


def decide_exists(statement: Exists, case: Branch) -> Outcome:
    c, body = statement.constant, statement.body
    gap = body.right - body.left if body.relation in ("<=", "<") else body.left - body.right
    work = Work()
    derived = derived_bounds(case)
    slope = sp.diff(gap, c)
    if c in slope.free_symbols:
        return Outcome("undecided", derived, reason=(f"{c.name} does not enter linearly",))
    rest = sp.expand(gap - slope * c) if not gap.has(sp.Max, sp.Min) else gap.xreplace({c: sp.S.Zero})
    rising = directions(rest, case.resolved, case.domain, work)
    if rising is None:
        return Outcome("undecided", derived, reason=("it is not seen how the claim depends on its quantities",))
    for sides in hardest(sp.S.Zero, rest, case.resolved, rising):
        for candidate in _constants(sides.right, put(slope, _table(case, sides)), case.domain):
            f, box = solved(without_sums(sides.right + put(slope, _table(case, sides)) * candidate), case.domain)
            attempt = prover(Work(20_000, 300), seconds=2)
            if not attempt.attempt(Goal(f, body.relation in ("<", ">"), box)):
                continue
            constant, tactics = Holds((Condition(c, "==", candidate),)), tuple(dict.fromkeys(attempt.used))
            if not slope.free_symbols:
                return Outcome("vacuous", derived, tactics=tactics, condition=constant,
                               reason=(constant, " makes it true, and nothing says that it is small: "
                                       "a network that outputs a constant satisfies such a bound too"))
            return Outcome("proved", derived, condition=constant, tactics=tactics, reason=(WithCondition(),))
    if all(v.exact and not r.needed for r in case.resolved for v in r.values):
        found = unbounded(put(rest, best_upper(case.resolved)), put(slope, best_upper(case.resolved)), c, case)
        if found is not None:
            return replace(found, derived=derived)
    return Outcome("undecided", derived, reason=(f"no {c.name} was found, and none was excluded",))


def _table(case: Branch, sides: Sides) -> dict[sp.Symbol, sp.Expr]:
    return {r.call.symbol: v.lower if v.upper is None else v.upper for r, v in zip(case.resolved, sides.values, strict=True)}


def _constants(rest: sp.Expr, slope: sp.Expr, domain: Domain) -> list[sp.Expr]:
    """Constants to try: what the points seen so far ask for, rounded up, and something above it."""
    needed: list[Fraction] = []
    quotient = -rest / slope
    for point in points(domain, 150):
        try:
            needed.append(upper(quotient, point, 6))
        except BoundcalcError:
            continue
    if not needed:
        return [sp.S.One]
    top = max(needed)
    tries = [Fraction(0)] if top <= 0 else []
    if 0 < top < 10 ** 12:
        rounded = Fraction(-(-top * 100 // 1), 100) if top > Fraction(1, 100) else top
        tries += [rounded, 2 * Fraction(-(-top // 1))]
    return [sp.Rational(x.numerator, x.denominator) for x in dict.fromkeys(tries)]
