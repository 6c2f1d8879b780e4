"""Relations: look for a counterexample, prove, look harder, and say what is left."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.parser import to_text
from .boxes import Exhausted, Work
from .cases import Branch
from .counterexample import Point, Search, confirmed, digits_of, holds_at, points, sign_at, simpler, simplest, violations
from .domain import admits, solved
from .dominance import prover
from .found import BoundsUsed, DerivedBound, Digits, Holds, Ratio, SolvedFor
from .goals import Goal
from .looseness import attained, derived_bounds, looseness
from .model import Condition, Domain, Relation, Witness
from .networks import network_witness
from .outcome import Outcome
from .substitute import Sides, directions, easiest, hardest
from .sums import without_sums
from .thresholds import Threshold, threshold
from .value import Value

SHORT = 14                  # nodes of a quotient that is printed
QUICK, THOROUGH = 250, 2500        # points looked at before and after a proof is tried
GAPS = {"<=": ((False, False),), "<": ((False, True),), ">=": ((True, False),), ">": ((True, True),),
        "==": ((False, False), (True, False))}     # (left − right instead of right − left, strict)


def gap_of(sides: Sides, reverse: bool) -> sp.Expr:
    """≥ 0 exactly where the relation holds."""
    return sides.left - sides.right if reverse else sides.right - sides.left


def decide_relation(statement: Relation, case: Branch) -> Outcome:
    work = Work()
    left, right = statement.left, statement.right
    derived, ratio = derived_bounds(case), None
    if sp.oo in (left, right, -left, -right):
        return _infinite(statement, derived)
    parts = []
    for reverse, strict in GAPS[statement.relation]:
        rising = directions(left - right if reverse else right - left, case.resolved, case.domain, work)
        if rising is None:
            return Outcome("undecided", derived,
                           reason=("it is not seen whether the claim gets harder as its quantities grow",))
        parts.append((reverse, strict, rising))
    found = _refuted(statement, case, parts, QUICK, work)
    if isinstance(found, Outcome):
        return replace(found, derived=derived, defaults_matter=case.writes_defaults)
    seen = found
    if seen.undefined is not None:
        return _left_over(statement, case, seen.seen, seen.undefined, derived, None, False)
    tactics: list[str] = []
    proved = True
    out_of_work = False
    for reverse, strict, rising in parts:
        used, values, exhausted = _proved(left, right, reverse, strict, rising, case)
        out_of_work |= exhausted
        if used is None:
            proved = False
            break
        tactics += used
        case = _led_by(case, values)
    derived, ratio = derived_bounds(case), looseness(statement, case)
    if proved:
        return Outcome("proved", derived, ratio, tactics=tuple(dict.fromkeys(tactics)) or ("constant",),
                       notes=attained(statement, case))
    found = _refuted(statement, case, parts, THOROUGH, Work())
    if isinstance(found, Outcome):
        return replace(found, derived=derived, defaults_matter=case.writes_defaults)
    return _left_over(statement, case, seen.seen + found.seen, found.undefined, derived, ratio, out_of_work)


def _infinite(statement: Relation, derived: tuple[DerivedBound, ...]) -> Outcome:
    left, right, relation = statement.left, statement.right, statement.relation
    if (relation in ("<=", "<") and (right == sp.oo or left == -sp.oo)) or (
            relation in (">=", ">") and (left == sp.oo or right == -sp.oo)):
        return Outcome("vacuous", derived, tactics=("constant",),
                       reason=("one side is infinite, so the claim says nothing",))
    return Outcome("undecided", derived, reason=("one side is infinite",))


def _proved(left: sp.Expr, right: sp.Expr, reverse: bool, strict: bool, rising: dict[sp.Symbol, int],
            case: Branch) -> tuple[list[str] | None, tuple[Value, ...], bool]:
    """The tactics of a proof, or None; the values of quantities by which it goes; and whether the search was cut short."""
    cut = False
    for sides in hardest(left, right, case.resolved, rising):
        f, box = solved(without_sums(gap_of(sides, reverse)), case.domain)
        attempt = prover()
        try:
            if attempt.prove(Goal(f, strict, box)):
                return attempt.used, sides.values, False
        except Exhausted:
            cut = True
    return None, (), cut


def _led_by(case: Branch, values: tuple[Value, ...]) -> Branch:
    """The case with the values that prove the claim in front: what is reported as derived is to show it."""
    resolved = tuple(replace(r, values=(v, *(x for x in r.values if x is not v))) if any(x is v for x in r.values) else r
                     for r, v in zip(case.resolved, values, strict=True))
    return replace(case, resolved=resolved)


# --- refuting ---------------------------------------------------------------------------------------------------------

def _refuted(statement: Relation, case: Branch, parts: list[tuple[bool, bool, dict[sp.Symbol, int]]], most: int,
             work: Work) -> Outcome | Search:
    """A refutation (or an exact condition), or what was seen without finding one."""
    search = Search()
    for reverse, strict, rising in parts:
        for sides in easiest(statement.left, statement.right, case.resolved, rising):
            f = without_sums(gap_of(sides, reverse))
            try:
                for point in simplest(violations(f, case.domain, strict, work, most, search)):
                    witness = confirmed(sides.left, statement.relation, sides.right, point)
                    if witness is not None:
                        short = simpler(point, case.domain, partial(_fails, f, strict))
                        witness = confirmed(sides.left, statement.relation, sides.right, short) or witness
                        witness = replace(witness, left_form=sides.left, right_form=sides.right,
                                          note=_bounds_used(case, sides))
                        return _condition(statement, case, sides, f, strict, witness)
            except Exhausted:
                continue
    if most == THOROUGH:
        found = network_witness(statement, case)
        if found is not None:
            return Outcome("refuted", witness=found, tactics=("evaluated network",), ratio=looseness(statement, case))
    return search


def _fails(f: sp.Expr, strict: bool, point: Point) -> bool:
    return sign_at(f, point, strict) is False


def _bounds_used(case: Branch, sides: Sides) -> BoundsUsed | None:
    """Which quantities stand there by a bound."""
    shown = [r.call.text for r, v in zip(case.resolved, sides.values, strict=True) if r.needed or not v.exact]
    return BoundsUsed(tuple(shown)) if shown else None


def _condition(statement: Relation, case: Branch, sides: Sides, f: sp.Expr, strict: bool, witness: Witness) -> Outcome:
    """Refuted, or true exactly under a condition."""
    refuted = Outcome("refuted", witness=witness, tactics=("counterexample",), ratio=looseness(statement, case))
    if not all(r.values[0].exact and len(r.values) == 1 for r in case.resolved) or statement.relation == "==":
        return refuted
    f = f.xreplace({s: sp.Rational(v.fixed.numerator, v.fixed.denominator) for s, v in case.domain.variables.items()
                    if v.fixed is not None})
    plain = {s: v for s, v in case.domain.variables.items() if s in f.free_symbols}
    try:
        found = threshold(f, strict, plain, Work())
    except (Exhausted, BoundcalcError):
        return refuted
    if found is None or found.symbol in (statement.left, statement.right) or not _sometimes(found, case.domain):
        return refuted      # a claim that is itself a bound of a parameter would only be repeated
    irrational = not found.bound.is_Rational and not found.bound.free_symbols
    condition = Holds((Condition(found.symbol, found.relation, found.bound),),
                      Digits(*digits_of(found.bound, {}, 12)) if irrational else None)
    return Outcome("conditional", condition=condition, witness=witness, tactics=(SolvedFor(found.symbol.name),),
                   ratio=looseness(statement, case))


def _sometimes(found: Threshold, domain: Domain) -> bool:
    """Whether some point of the domain satisfies the condition."""
    extra: list[Point] = []
    if found.bound.is_Rational:
        x = Fraction(int(found.bound.p), int(found.bound.q))
        shift = Fraction(-1, 1000) if found.relation in ("<", "<=") else Fraction(1, 1000)
        extra = [{**p, found.symbol: y} for p in points(domain, 40) for y in (x, x + shift)]
    for point in [*extra, *points(domain, 400)]:
        if admits(domain, point) and holds_at(sp.S.Zero, "<" if found.strict else "<=", found.gap, point):
            return True
    return False


def _left_over(statement: Relation, case: Branch, seen: int, undefined: Point | None,
               derived: tuple[DerivedBound, ...], ratio: Ratio | None, out_of_work: bool) -> Outcome:
    if undefined is not None:
        at = ", ".join(f"{s.name} = {to_text(sp.Rational(x.numerator, x.denominator))}" for s, x in undefined.items())
        return Outcome("undecided", derived, ratio, reason=(f"one side is undefined at {at}",))
    if any(r.needed for r in case.resolved):
        return Outcome("undecided", derived, ratio, reason=("no construction here meets it, no proved lower bound excludes "
                       "it: the claim is about what is needed, the least over all networks",))
    if any(not v.exact for r in case.resolved for v in r.values):
        return Outcome("undecided", derived, ratio, reason=("our bounds do not meet the claim, and no input was found at "
                       "which the network itself fails it",))
    why = "the search for a proof was cut short" if out_of_work else "no tactic proves it"
    return Outcome("supported", derived, ratio, reason=(f"{why}; no counterexample among {seen} points",))
