"""Counterexamples: exact points of the domain at which a claim fails, confirmed twice.

Points are searched with interval arithmetic at single points; what is found is confirmed by balls (Arb) and, at higher
precision, by mpmath. Nothing that is not confirmed by both is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import sympy as sp
from flint import arb

from ..errors import BoundcalcError
from ..formulas.enclosure import arb_bounds, enclose, exact_value, less_equal, less_than
from ..numbers.arithmetic import working_precision
from ..numbers.exact import decimal_down, exact_text, is_exact_decimal
from . import second_opinion
from .boxes import Work
from .domain import admits
from .found import WitnessNote
from .intervals import NoRange, Undefined, interval, tape
from .model import Domain, Variable, Witness

MODULUS = 2 ** 31 - 1       # of the generator x ↦ 16807·x: the same points on every machine
SEARCH_BITS = 64
DIGITS = 30
VISIBLE = 20           # digits within which the two sides must differ
MODERATE = 20_000

Point = dict[sp.Symbol, Fraction]


def candidates(v: Variable) -> list[Fraction]:
    """Values worth a look: ends, small numbers, numbers near ends, powers, large numbers."""
    if v.fixed is not None:
        return [v.fixed]
    found = list(_integers(v)) if v.integer else list(_reals(v))
    return [x for x in dict.fromkeys(found)
            if (v.low is None or x > v.low or (x == v.low and not v.low_open))
            and (v.high is None or x < v.high or (x == v.high and not v.high_open))]


def _integers(v: Variable) -> Iterator[Fraction]:
    low = v.low if v.low is not None else Fraction(-8) if v.high is None else v.high - 16
    for k in range(13):
        yield low + k
    if v.high is not None:
        yield from (v.high, v.high - 1, (low + v.high) // 2 * Fraction(1))
    for k in (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20):
        yield from (Fraction(2) ** k, Fraction(2) ** k + 1, Fraction(2) ** k - 1)
    for k in (2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 18, 30, 100, 300):
        yield Fraction(10) ** k


def _reals(v: Variable) -> Iterator[Fraction]:
    small = [Fraction(1, 10) ** k for k in (1, 2, 3, 4, 6, 9, 12, 18, 30)]
    plain = [Fraction(x) for x in (0, 1, 2, 3, 4, 5, 8, 10, 20, 50)] + [Fraction(1, 2), Fraction(1, 4), Fraction(3, 4),
                                                                       Fraction(3, 2), Fraction(5, 2)]
    large = [Fraction(10) ** k for k in (2, 3, 4, 6, 9, 12, 18, 30, 100)]
    if v.low is not None and v.high is not None:
        width = v.high - v.low
        for k in range(17):
            yield v.low + width * Fraction(k, 16)
        for x in small:
            yield from (v.low + width * x, v.high - width * x)
        yield from plain
        yield from (-x for x in plain)
        yield from (Fraction(1, 4) ** k * c for k in range(1, 8) for c in (1, Fraction(101, 100), Fraction(99, 100)))
        return
    if v.low is None and v.high is None:
        for x in (*plain, *small[:5], *large[:4]):
            yield from (x, -x)
        return
    end, sign = (v.low, 1) if v.low is not None else (v.high, -1)
    assert end is not None
    for x in (*plain, *small, *large):
        yield end + sign * x
    yield from plain
    yield from (Fraction(1, 4) ** k * c for k in range(1, 8) for c in (1, Fraction(101, 100), Fraction(99, 100)))


def points(domain: Domain, most: int) -> Iterator[Point]:
    """At most so many points of the domain, the simple ones first."""
    variables = list(domain.variables.values())
    lists = [candidates(v) for v in variables]
    symbols = [v.symbol for v in variables]
    if any(not values for values in lists):
        return
    total = 1
    for values in lists:
        total *= len(values)
    chosen: Iterable[tuple[Fraction, ...]] = product(*lists) if total <= most else _mixed(lists, most)
    for numbers in islice(chosen, 4 * most):
        point = dict(zip(symbols, numbers, strict=True))
        if not domain.conditions or admits(domain, point):
            yield point


def _mixed(lists: list[list[Fraction]], most: int) -> Iterator[tuple[Fraction, ...]]:
    """A coarse grid of first values, then pseudo-random combinations."""
    free = sum(len(values) > 1 for values in lists)
    coarse = max(2, int((most / 2) ** (1 / max(1, free))))
    thin = [values if len(values) <= coarse else [values[k * (len(values) - 1) // (coarse - 1)] for k in range(coarse)]
            for values in lists]
    yield from islice(product(*thin), most // 2)
    seed = 20260101
    while True:
        point = []
        for values in lists:
            seed = seed * 16807 % MODULUS
            point.append(values[seed % len(values)])
        yield tuple(point)


@dataclass
class Search:
    """What a search has seen: how many points, and where f was least."""

    seen: int = 0
    undefined: Point | None = None


def violations(f: sp.Expr, domain: Domain, strict: bool, work: Work, most: int, search: Search) -> Iterator[Point]:
    """Points at which f < 0 (f ≤ 0 where strict) by a first look; refined around the lowest values."""
    lowest: list[tuple[arb, Point]] = []
    exact_looks = 60
    for point in points(domain, most):
        value = _range_at(f, point, work)
        if value is None:
            if exact_looks:
                exact_looks -= 1
                answer = sign_at(f, point, strict)
                if answer is False:
                    yield point
                elif answer is None and search.undefined is None and _undefined(f, point):
                    search.undefined = point
            continue
        search.seen += 1
        low, high = value
        if high < 0:
            yield point
            continue
        if low <= 0 and exact_looks:        # it may be zero, or too close to tell
            exact_looks -= 1
            if sign_at(f, point, strict) is False:
                yield point
        lowest.append((high, point))
        if len(lowest) > 64:
            lowest = _lowest(lowest, 8)
    for _, point in _lowest(lowest, 6):
        yield from _descend(f, domain, point, work)


def _lowest(found: list[tuple[arb, Point]], count: int) -> list[tuple[arb, Point]]:
    keep: list[tuple[arb, Point]] = []
    for entry in found:
        place = next((k for k, other in enumerate(keep) if entry[0] < other[0]), len(keep))
        keep.insert(place, entry)
        del keep[count:]
    return keep


def _descend(f: sp.Expr, domain: Domain, start: Point, work: Work) -> Iterator[Point]:
    """Move one variable at a time to where f is lower, with ever smaller steps."""
    point = dict(start)
    value = _range_at(f, point, work)
    if value is None:
        return
    best = value[1]
    moving = [v for v in domain.variables.values() if v.fixed is None and v.symbol in f.free_symbols]
    scale = Fraction(1, 2)
    for _ in range(12):
        for v in moving:
            x = point[v.symbol]
            size = abs(x) if x else Fraction(1)
            steps = (1, -1) if v.integer else (size * scale, -size * scale)
            for step in steps:
                trial = {**point, v.symbol: x + step}
                if not admits(domain, trial):
                    continue
                found = _range_at(f, trial, work)
                if found is not None and found[1] < best:
                    best, point = found[1], trial
                    if best < 0:
                        yield point
                        return
        scale /= 2


def _range_at(f: sp.Expr, point: Point, work: Work) -> tuple[arb, arb] | None:
    try:
        found = tape(f)
        work.evaluate(1 + found.size // 16)
        with working_precision(SEARCH_BITS):
            return found.over({s: interval(x, x) for s, x in point.items()})
    except NoRange:
        return None


def moderate(point: Point) -> bool:
    """Whether exact powers with such exponents are of reasonable length."""
    return all(abs(x) <= MODERATE for x in point.values())


def sign_at(f: sp.Expr, point: Point, strict: bool) -> bool | None:
    """Whether f ≥ 0 (f > 0) there: exactly, or with balls of moderate precision; equal irrational numbers stay undecided."""
    try:
        exact = exact_value(f, point) if moderate(point) else None
    except BoundcalcError:
        exact = None
    if exact is not None:
        return exact > 0 if strict else exact >= 0
    for bits in (256, 1024):
        try:
            with working_precision(bits):
                low, high = tape(f).over({s: interval(x, x) for s, x in point.items()})
        except NoRange:
            return None
        if low > 0 or high < 0:
            return bool(low > 0)
    return None


def _undefined(f: sp.Expr, point: Point) -> bool:
    try:
        with working_precision(SEARCH_BITS):
            tape(f).over({s: interval(x, x) for s, x in point.items()})
    except Undefined:
        return True
    except NoRange:
        pass
    try:
        exact_value(f, point)
    except BoundcalcError as problem:
        return "undefined" in problem.problem       # not merely too long, or without a rule
    return False


# --- confirming -------------------------------------------------------------------------------------------------------

def digits_of(expr: sp.Expr, point: Mapping[sp.Symbol, Fraction], digits: int = DIGITS) -> tuple[str, bool]:
    """The value to so many digits, and whether that is exact: otherwise every digit but the last is correct."""
    try:
        exact = exact_value(expr, dict(point))
    except BoundcalcError:
        exact = None
    if exact is not None:
        text = exact_text(exact)
        if len(text) <= digits:
            return text, True
        return decimal_down(exact, digits), is_exact_decimal(exact, digits)
    low, high = arb_bounds(enclose(expr, dict(point), digits + 2))
    return decimal_down((low + high) / 2, digits), False


def holds_at(left: sp.Expr, relation: str, right: sp.Expr, point: Mapping[sp.Symbol, Fraction]) -> bool | None:
    """Whether the relation holds there, by exact arithmetic or balls."""
    try:
        match relation:
            case "<=":
                return less_equal(left, right, point)
            case "<":
                return less_than(left, right, point)
            case ">=":
                return less_equal(right, left, point)
            case ">":
                return less_than(right, left, point)
        below, above = less_equal(left, right, point), less_equal(right, left, point)
        return False if False in (below, above) else True if below and above else None
    except BoundcalcError:
        return None


def confirmed(left: sp.Expr, relation: str, right: sp.Expr, point: Mapping[sp.Symbol, Fraction],
              note: WitnessNote | None = None,
              shown: Mapping[sp.Symbol, Fraction] | None = None) -> Witness | None:
    """The witness, if balls and mpmath both say that the relation fails at the point."""
    if holds_at(left, relation, right, point) is not False:
        return None
    try:
        x, context = second_opinion.value(left, point)
        y, _ = second_opinion.value(right, point)
    except BoundcalcError:
        return None
    gap, size = x - y, max(abs(x), abs(y), context.mpf(10) ** -40)
    near = abs(gap) <= size * context.mpf(10) ** -50
    if not near and abs(gap) <= size * context.mpf(10) ** -VISIBLE:
        return None         # a difference that the printed digits would not show convinces nobody
    failing = {"<=": gap > 0 and not near, ">=": gap < 0 and not near, "<": gap > 0 or near, ">": gap < 0 or near,
               "==": not near}[relation]
    if not failing:
        return None
    try:
        (left_digits, left_exact), (right_digits, right_exact) = digits_of(left, point), digits_of(right, point)
    except BoundcalcError:
        return None
    actual = "==" if near else ">" if gap > 0 else "<"
    names = {s.name: value for s, value in sorted((shown or point).items(), key=lambda e: e[0].name)
             if not s.name.startswith("_")}
    return Witness(names, left_digits, right_digits, actual, note, exact=(left_exact, right_exact))


def simpler(point: Point, domain: Domain, fails: Callable[[Point], bool]) -> Point:
    """The point with each variable in turn set to the simplest value at which the claim still fails."""
    found = dict(point)
    for _ in range(2):
        for s, v in domain.variables.items():
            if v.fixed is not None:
                continue
            for x in sorted(candidates(v)[:40], key=lambda x: (len(exact_text(x)), abs(x), x < 0)):
                if (len(exact_text(x)), abs(x)) >= (len(exact_text(found[s])), abs(found[s])):
                    break
                trial = {**found, s: x}
                if admits(domain, trial) and fails(trial):
                    found = trial
                    break
    return found


def simplest(found: Iterable[Point], most: int = 40) -> list[Point]:
    """The points whose numbers are shortest, first."""
    def length(point: Point) -> tuple[int, Fraction]:
        digits = sum(len(exact_text(x)) if x.denominator.bit_length() + x.numerator.bit_length() < 4000 else 10 ** 4
                     for x in point.values())
        return digits, sum(map(abs, point.values()), Fraction(0))
    return sorted(islice(found, most), key=length)
