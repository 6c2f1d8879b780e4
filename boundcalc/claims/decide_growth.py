"""O, Theta, Omega and o: by leading terms; and ratios that grow beyond every constant."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from ..errors import BoundcalcError
from ..formulas.parser import to_text
from ..formulas.symbols import CeilLog, FloorLog, exchange
from .asymptotics import Leading, NoLimit, at_most, leading, scale_for
from .boxes import Exhausted, Work, range_on, sign_on
from .cases import Branch
from .counterexample import Point, confirmed, digits_of, holds_at, points
from .domain import admits, solved_all
from .found import ConstantTooSmall, FactorExceeded, Grounds, LeadingTerms, NoLimitZero
from .intervals import NoRange
from .looseness import derived_bounds
from .model import Domain, Growth, Variable
from .outcome import Outcome
from .rewriting import relaxed
from .substitute import put
from .value import Value


def decide_growth(statement: Growth, case: Branch) -> Outcome:
    """f = O(g): the leading term of f does not outgrow that of g; quantities by their bounds, as in relations."""
    derived = derived_bounds(case)
    to, side = statement.limit, statement.side
    v = case.domain.variables.get(statement.symbol)
    if v is not None and not _reaches(v, to):
        return Outcome("vacuous", derived, reason=(f"{statement.symbol.name} does not tend to {to_text(to)} on the domain",),
                       tactics=("empty domain",))
    if v is not None and to.is_Rational and v.high is not None and to == sp.Rational(v.high.numerator, v.high.denominator):
        side = "-"
    needs_upper = statement.kind in ("O", "o", "Theta")
    needs_lower = statement.kind in ("Omega", "Theta")
    answers: list[bool | None] = []
    shown: list[Grounds] = []
    for want, upper in ((needs_upper, True), (needs_lower, False)):
        if want:
            answer, text = _side(statement, case, upper, side)
            answers.append(answer)
            shown.append(text)
    said = [part for text in dict.fromkeys(filter(None, shown)) for part in ("; ", *text)][1:]
    reason = tuple(said)
    if all(answers):
        return Outcome("proved", derived, tactics=("leading terms",), reason=reason)
    if False in answers:
        return _refutation(statement, case, Outcome("refuted", derived, tactics=("leading terms",), reason=reason))
    return Outcome("undecided", derived, reason=reason or ("the leading terms could not be compared",))


def _reaches(v: Variable, to: sp.Expr) -> bool:
    if to == sp.oo:
        return v.high is None
    if to == -sp.oo:
        return v.low is None
    x = Fraction(int(to.p), int(to.q)) if to.is_Rational else None
    return x is None or not ((v.low is not None and x < v.low) or (v.high is not None and x > v.high)
                             or (v.integer))


def _side(statement: Growth, case: Branch, upper: bool, side: str) -> tuple[bool | None, Grounds]:
    """Whether left is O(right), or o, where `upper`; else whether it is Omega(right). None if not seen."""
    kind = "o" if statement.kind == "o" else "O" if upper else "Omega"
    named = [r for r in case.resolved if r.call.symbol in statement.left.free_symbols | statement.right.free_symbols]
    note: Grounds = ()
    refutable = all(v.exact and not r.needed for r in named for v in r.values)
    if not refutable and any(r.call.symbol in statement.right.free_symbols for r in named):
        return None, ("the right side holds a quantity of which only bounds are known",)
    options: list[list[tuple[sp.Expr, Value]]] = [
        [(e, v) for v in r.values if (e := v.upper if upper else r.least if r.needed else v.lower) is not None]
        for r in named]
    if any(not o for o in options):
        return None, ("no lower bound is known" if not upper else "no upper bound is known",)
    best: bool | None = None
    for k in range(max((len(o) for o in options), default=1)):
        table = {r.call.symbol: o[min(k, len(o) - 1)][0] for r, o in zip(named, options, strict=True)}
        answer, text = _compare(put(statement.left, table), put(statement.right, table), statement, case.domain, kind, side)
        note = note or text
        if answer:
            return True, text
        if answer is False:
            best, note = False, text
    if best is False and not refutable:
        other = "upper bounds outgrow it" if upper else "lower bounds are smaller"
        return None, (f"our {other} (", *note, "), which does not refute it")
    return best, note


def _compare(left: sp.Expr, right: sp.Expr, statement: Growth, domain: Domain, kind: str,
             side: str) -> tuple[bool | None, Grounds]:
    s = statement.symbol
    work = Work()
    (left, right), plain = solved_all([left, right], domain, keep=s)
    fixed = {k: sp.Rational(v.fixed.numerator, v.fixed.denominator) for k, v in plain.items()
             if v.fixed is not None and k != s}
    rounded_left, rounded_right = exchange(left, fixed), exchange(right, fixed)
    left, box = relaxed(rounded_left, plain)
    right, box = relaxed(rounded_right, box)
    try:
        x, y = (leading(expr, s, statement.limit, box, work, side) for expr in (left, right))
        if x.coefficient == 0:
            return kind in ("O", "o"), ("the left side is 0",)
        if y.coefficient == 0:
            return None, ("the right side is 0",)
        scale = scale_for(s, box, work)
        for term in (x, y):
            scale.sign(term.coefficient)
            _stays_bounded(term, plain, box, work)
        order = scale.compare(x, y)
    except (NoLimit, Exhausted):
        answer, text = _bounded_growth(left, right, statement, box, kind, side)
        return (answer, text) if answer else _on_a_sequence(rounded_left, rounded_right, statement, plain, kind, side)
    text = (LeadingTerms(_shown(x, statement), _shown(y, statement)),)
    if kind == "O":
        return order <= 0, text
    if kind == "o":
        return order < 0, text
    return order >= 0, text


def _bounded_growth(left: sp.Expr, right: sp.Expr, statement: Growth, box: dict[sp.Symbol, Variable], kind: str,
                    side: str) -> tuple[bool | None, Grounds]:
    """Where leading terms cannot be found on the left, an upper bound of its growth may still show O or o."""
    unknown = None, ("the leading terms could not be found",)
    moving = {k: v for k, v in box.items() if k in left.free_symbols and isinstance(k, sp.Dummy)}
    if kind == "Omega" or any(v.low is None or v.high is None for v in moving.values()):
        return unknown
    work = Work()
    s = statement.symbol
    try:
        x, y = at_most(left, s, statement.limit, box, work, side), leading(right, s, statement.limit, box, work, side)
        scale = scale_for(s, box, work)
        scale.sign(y.coefficient)
        if y.coefficient.free_symbols & {k for k in box if isinstance(k, sp.Dummy)}:
            return unknown
        order = scale.compare(x, y)
    except (NoLimit, Exhausted):
        return unknown
    holds = order <= 0 if kind == "O" else order < 0
    return (True, (LeadingTerms(_shown(x, statement), _shown(y, statement), at_most=True),)) if holds else unknown


def _on_a_sequence(left: sp.Expr, right: sp.Expr, statement: Growth, plain: dict[sp.Symbol, Variable], kind: str,
                   side: str) -> tuple[bool | None, Grounds]:
    """O and o fail if they do along a sequence: one on which a logarithm comes out whole, so that nothing is rounded."""
    unknown = None, ("the leading terms could not be found",)
    s = statement.symbol
    whole = list(left.atoms(CeilLog, FloorLog) | right.atoms(CeilLog, FloorLog))
    if kind == "Omega" or len({atom.args for atom in whole}) != 1 or statement.symbol.is_integer:
        return unknown
    work = Work()
    try:
        scale = scale_for(s, plain, work)
        # its argument is continuous and tends to ∞ or 0: it passes through every power of the base there
        if scale.growth(leading(whole[0].args[0], s, statement.limit, plain, work, side)) == 0:
            return unknown
        left, box = relaxed(left, plain, exact=whole)
        right, box = relaxed(right, box, exact=whole)
        x, y = (leading(expr, s, statement.limit, box, work, side) for expr in (left, right))
        scale = scale_for(s, box, work)
        for term in (x, y):
            scale.sign(term.coefficient)
            _stays_bounded(term, plain, box, work)
        order = scale.compare(x, y)
    except (NoLimit, Exhausted):
        return unknown
    if order > 0 or (kind == "o" and order == 0):
        return False, ("on a sequence ", LeadingTerms(_shown(x, statement), _shown(y, statement)))
    return unknown


def _stays_bounded(term: Leading, plain: dict[sp.Symbol, Variable], box: dict[sp.Symbol, Variable], work: Work) -> None:
    """What stands for a rounding moves with the limit: its coefficient must stay between two positive numbers."""
    moving = term.coefficient.free_symbols - plain.keys()
    if not moving:
        return
    _, other = term.coefficient.as_independent(*moving, as_Add=False)
    if other.free_symbols - moving:     # fixed parameters are mixed with the roundings
        raise NoLimit
    try:
        low, high = range_on(other, {k: box[k] for k in moving}, work)
    except NoRange as problem:
        raise NoLimit from problem
    if not (low.is_finite() and high.is_finite() and (low > 0 or high < 0)):
        raise NoLimit


def _shown(x: Leading, statement: Growth) -> sp.Expr:
    s = statement.symbol
    t = s if statement.limit == sp.oo else -s if statement.limit == -sp.oo else 1 / s if statement.limit == 0 else \
        1 / (s - statement.limit)
    expr = x.expression(t)
    names = {d: sp.Symbol(d.name if d.name.startswith("(") else d.name + "1", positive=True) for d in expr.atoms(sp.Dummy)}
    return expr.xreplace(names)


def _refutation(statement: Growth, case: Branch, outcome: Outcome) -> Outcome:
    """A point close to the limit shows what the leading terms say: |left|/|right| is large there, or not small."""
    table = {r.call.symbol: v.upper for r in case.resolved for v in r.values[:1] if v.upper is not None}
    left, right = put(statement.left, table), put(statement.right, table)
    above = [("<=", sp.Integer(factor), True) for factor in (1000, 100, 10, 3, 2)]
    below = [(">=", sp.Rational(1, factor), False) for factor in (1000, 100, 10, 3, 2)]
    tries = {"O": above, "Omega": below, "Theta": above + below, "o": [*above, ("<=", sp.Rational(1, 1000), True)]}
    for relation, factor, more in tries[statement.kind]:
        for point in _far(statement, case.domain):
            # as a ratio: both sides may be far below the size at which a difference counts
            witness = confirmed(sp.Abs(left) / sp.Abs(right), relation, factor, point)
            between = next((r for r in ("<", ">", "==") if holds_at(left, r, right, point)), None)
            if witness is None or between is None:
                continue
            try:
                (x, x_exact), (y, y_exact) = digits_of(left, point), digits_of(right, point)
            except BoundcalcError:
                continue
            note = FactorExceeded(more, factor) if statement.kind != "o" else NoLimitZero()
            return replace(outcome, witness=replace(
                witness, left=x, right=y, relation=between, note=note, left_form=left, right_form=right,
                exact=(x_exact, y_exact)))
    return replace(outcome, verdict="undecided", tactics=(),
                   reason=(*outcome.reason, ": this contradicts it, but no point was found that shows it"))


def _far(statement: Growth, domain: Domain) -> list[Point]:
    """Points of the domain that are close to the limit."""
    found = []
    base = next(points(domain, 30), None)
    if base is None:
        return []
    for k in (2, 4, 6, 9, 12, 20, 50, 100, 300, 1000, 3000):
        x = Fraction(10) ** k
        to = statement.limit
        if to == sp.oo:
            value = x
        elif to == -sp.oo:
            value = -x
        elif to.is_Rational:
            value = Fraction(int(to.p), int(to.q)) + 1 / x
        else:
            return []
        point = {**base, statement.symbol: value}
        if not admits(domain, point):
            point[statement.symbol] = value if to in (sp.oo, -sp.oo) else 2 * Fraction(int(to.p), int(to.q)) - value
        if admits(domain, point):
            found.append(point)
    return found


def unbounded(rest: sp.Expr, slope: sp.Expr, c: sp.Symbol, case: Branch) -> Outcome | None:
    """No constant: −rest/slope → ∞ along one variable, all others fixed. (slope > 0 is what makes c help.)"""
    domain = case.domain
    work = Work()
    if sign_on(slope, domain.variables, work) not in (1, 2):
        return None
    for s, v in domain.variables.items():
        if v.fixed is not None or s not in (rest / slope).free_symbols:
            continue
        for to, side in _ends(v):
            try:
                plain, box = relaxed(-rest, domain.variables)
                below, box = relaxed(slope, box)
                x, y = leading(plain, s, to, box, work, side), leading(below, s, to, box, work, side)
                scale = scale_for(s, box, work)
                for term in (x, y):
                    _stays_bounded(term, dict(domain.variables), box, work)
                grows = scale.sign(x.coefficient) > 0 and scale.sign(y.coefficient) > 0 and scale.compare(x, y) > 0
            except (NoLimit, Exhausted):
                continue
            if not grows:
                continue
            growth = Growth(rest, "O", slope, s, to, side)
            for k in (10 ** 6, 10 ** 3, 10, 1):
                for point in _far(growth, domain):
                    witness = confirmed(-rest, "<=", k * slope, point,
                                        ConstantTooSmall(c.name, k, s.name, to))
                    if witness is not None:
                        witness = replace(witness, left_form=-rest, right_form=k * slope)
                        return Outcome("refuted", witness=witness, tactics=("leading terms",), reason=("the constant needed "
                                       f"grows beyond every bound as {s.name} -> {to_text(to)}",))
    return None


def _ends(v: Variable) -> list[tuple[sp.Expr, str]]:
    found: list[tuple[sp.Expr, str]] = []
    if v.high is None:
        found.append((sp.oo, ""))
    if v.low is None:
        found.append((-sp.oo, ""))
    elif v.low_open and not v.integer:
        found.append((sp.Rational(v.low.numerator, v.low.denominator), "+"))
    if v.high is not None and v.high_open and not v.integer:
        found.append((sp.Rational(v.high.numerator, v.high.denominator), "-"))
    return found


