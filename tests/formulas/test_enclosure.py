"""Exact values and enclosures of closed forms, against mpmath at much higher precision."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

from boundcalc.errors import BoundcalcError, InvalidInput
from boundcalc.formulas.enclosure import Undecided, arb_bounds, enclose, exact_value, less_equal, less_than, lower, upper
from boundcalc.formulas.symbols import C, CeilLog, FloorLog, symbol
from boundcalc.numbers import arithmetic, exact
from boundcalc.verify.evaluate import to_fraction
from tests.selection import examples

F = Fraction
x, y, n, k, m = (symbol(name) for name in ("x", "y", "n", "k", "m"))

MP = MPContext()
MP.dps = 300
NOISE = F(1, 10**250)   # relative error of the mpmath values below: 300 digits, a few dozen well-conditioned operations


Pair = tuple[sp.Expr, Any]   # an expression, and its value in mpmath
UNARY: list[tuple[Callable[[Any], sp.Expr], Callable[[Any], Any]]] = [
    (lambda a: -a, lambda a: -a),
    (abs, abs),
    # bounded, as nested powers would grow until 300 digits do not suffice for their sine
    (lambda a: (a / (1 + abs(a))) ** 2, lambda a: (a / (1 + abs(a))) ** 2),
    (lambda a: (a / (1 + abs(a))) ** 3, lambda a: (a / (1 + abs(a))) ** 3),
    (lambda a: 1 / (1 + abs(a)), lambda a: 1 / (1 + abs(a))),
    (lambda a: (1 + a**2) ** sp.Rational(-2, 3), lambda a: MP.cbrt(1 + a * a) ** -2),
    (lambda a: sp.exp(-abs(a)), lambda a: MP.exp(-abs(a))),
    (lambda a: sp.log(1 + abs(a)), lambda a: MP.log(1 + abs(a))),
    (lambda a: sp.sqrt(abs(a)), lambda a: MP.sqrt(abs(a))),
    (lambda a: 2 ** sp.sin(a), lambda a: MP.mpf(2) ** MP.sin(a)),
    (sp.tanh, MP.tanh), (sp.sin, MP.sin), (sp.cos, MP.cos), (sp.atan, MP.atan), (sp.erf, MP.erf),
    (lambda a: sp.LambertW(abs(a)), lambda a: MP.lambertw(abs(a)).real),
]
BINARY: list[tuple[Callable[[Any, Any], sp.Expr], Callable[[Any, Any], Any]]] = [
    (lambda a, b: a + b, lambda a, b: a + b),
    (lambda a, b: a - b, lambda a, b: a - b),
    (lambda a, b: a * b, lambda a, b: a * b),
    (sp.Max, max), (sp.Min, min),
]
rationals = st.fractions(-5, 5, max_denominator=30)


def mp(q: Fraction) -> Any:
    return MP.mpf(q.numerator) / q.denominator


def pairs(a: Fraction, b: Fraction) -> st.SearchStrategy[Pair]:
    leaves: st.SearchStrategy[Pair] = st.one_of(
        st.just((x, mp(a))), st.just((y, mp(b))), st.sampled_from([(sp.pi, +MP.pi), (sp.E, +MP.e)]),
        rationals.map(lambda q: (sp.Rational(q.numerator, q.denominator), mp(q))))
    return st.recursive(leaves, lambda inner: st.one_of(
        st.tuples(st.sampled_from(UNARY), inner).map(lambda t: (t[0][0](t[1][0]), t[0][1](t[1][1]))),
        st.tuples(st.sampled_from(BINARY), inner, inner).map(
            lambda t: (t[0][0](t[1][0], t[2][0]), t[0][1](t[1][1], t[2][1])))), max_leaves=8)


@examples(300)
@given(st.data(), rationals, rationals, st.sampled_from([5, 20, 60]))
def test_enclosures_contain_the_value(data: st.DataObject, a: Fraction, b: Fraction, digits: int) -> None:
    expr, reference = data.draw(pairs(a, b))
    value, values = to_fraction(reference), {x: a, y: b}
    try:
        ball = enclose(expr, values, digits)
    except Undecided:
        assert abs(value) < F(1, 10**200)   # only a zero that does not look like one
        return
    low, high = arb_bounds(ball)
    noise = NOISE * (1 + abs(value))
    assert low - noise <= value <= high + noise
    assert (high - low) / 2 <= F(1, 10**digits) * max(abs(low), abs(high))
    known = exact_value(expr, values)
    if known is not None:
        assert abs(known - value) <= noise
    below, above = lower(expr, values, digits), upper(expr, values, digits)
    assert below - noise <= value <= above + noise
    assert max(above - value, value - below) <= F(1, 10**digits) * abs(value) + noise


@examples(100)
@given(st.data(), rationals, rationals)
def test_comparisons_are_never_wrong(data: st.DataObject, a: Fraction, b: Fraction) -> None:
    (left, u), (right, v) = data.draw(pairs(a, b)), data.draw(pairs(a, b))
    answers = less_equal(left, right, {x: a, y: b}), less_than(left, right, {x: a, y: b})
    gap = to_fraction(u) - to_fraction(v)
    if abs(gap) > F(1, 10**200):
        assert answers == (gap < 0, gap < 0)
    else:   # equal, or too close for 300 digits to tell
        assert answers in ((True, False), (None, None), (True, True), (False, False))


def test_the_constant_to_forty_digits() -> None:
    """v·tanh v = 1 by bisection in mpmath, at 200 digits."""
    low, high = MP.mpf(1), MP.mpf(2)
    for _ in range(900):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * MP.tanh(middle) < 1 else (low, middle)
    for digits in (10, 40, 200):
        for end in arb_bounds(enclose(C, digits=digits)):
            assert abs(end - to_fraction(4 * (low**2 - 1))) <= F(4, 10**digits)
    below, above = arb_bounds(enclose(C, digits=100))
    assert below <= to_fraction(4 * (low**2 - 1)) <= above


def test_the_constant_is_the_maximum_that_it_stands_for() -> None:
    """C = 4·max u²·sech²u, attained where u·tanh u = 1."""
    u = arb(sp_to_fmpq(F(119967864025773, 10**14)))
    ends = arb_bounds(4 * u * u * u.sech() * u.sech())
    assert abs(ends[0] - upper(C)) < F(1, 10**13)   # the ball was computed at 53 bits; the maximum is flat


def sp_to_fmpq(q: Fraction) -> flint.fmpq:
    return flint.fmpq(q.numerator, q.denominator)


EXACT: list[tuple[sp.Expr, dict[sp.Symbol, Fraction | int], Fraction | None]] = [
    (x**2 + y / 3, {x: F(1, 2), y: 1}, F(7, 12)),
    (2**-n, {n: 10}, F(1, 1024)),
    (4 ** (-m - 1), {m: 1700}, F(1, 4**1701)),
    (sp.sqrt(x), {x: F(1, 4)}, F(1, 2)),
    (x ** sp.Rational(-2, 3), {x: F(8, 27)}, F(9, 4)),
    (x ** sp.Rational(2, 3), {x: 0}, F(0)),
    (x**y, {x: F(9, 4), y: F(3, 2)}, F(27, 8)),
    (x**y, {x: 0, y: 0}, F(1)),
    (x**y, {x: -1, y: 10**30 + 1}, F(-1)),
    (sp.sqrt(x), {x: 2}, None),
    (sp.sqrt(x), {x: 0}, F(0)),
    (sp.Max(x, y, 1), {x: 2, y: F(5, 2)}, F(5, 2)),
    (sp.Min(x, y, 1), {x: 2, y: F(-5, 2)}, F(-5, 2)),
    (sp.Abs(x), {x: -3}, F(3)),
    (sp.ceiling(x), {x: F(7, 2)}, F(4)),
    (sp.ceiling(x), {x: 3}, F(3)),
    (sp.floor(x), {x: F(-7, 2)}, F(-4)),
    (sp.exp(x), {x: 0}, F(1)),
    (sp.exp(x), {x: 1}, None),
    (sp.log(x), {x: 1}, F(0)),
    (sp.log(x), {x: 2}, None),
    (sp.exp(3 * sp.log(x) - sp.log(y)), {x: 2, y: 3}, F(8, 3)),
    (sp.cos(x) + sp.tanh(x) + sp.erf(x) + sp.LambertW(x), {x: 0}, F(1)),
    (sp.pi * x, {x: 1}, None),
    (C * x, {x: 1}, None),
    (CeilLog(x, 2), {x: 8}, F(3)),
    (CeilLog(x, 2), {x: 8 + F(1, 10**100)}, F(4)),
    (FloorLog(x, 10), {x: F(1, 1000)}, F(-3)),
    (CeilLog(sp.sqrt(x), n), {x: 16, n: 2}, F(2)),
    (CeilLog(sp.sqrt(x), n), {x: 17, n: 2}, F(3)),
    (CeilLog(sp.pi * x, 2), {x: 1}, F(2)),
    (sp.log(x) / sp.log(2), {x: 8}, F(3)),
    (sp.log(x) / sp.log(y), {x: 8, y: F(1, 4)}, F(-3, 2)),
    (sp.log(x) / sp.log(y), {x: 8, y: 6}, None),
    (sp.log(x) / sp.log(y), {x: 1, y: 6}, F(0)),
    ((2 * sp.log(x) - sp.log(y)) / sp.log(4), {x: 3, y: F(9, 64)}, F(3)),
    (sp.ceiling(sp.log(x) / sp.log(2)), {x: 8}, F(3)),
    (sp.ceiling(sp.log(x) / sp.log(2)), {x: 8 + F(1, 10**300)}, F(4)),
    (sp.floor(sp.log(x)), {x: 20}, F(2)),
    (sp.ceiling(sp.pi * 10**50), {}, F(314159265358979323846264338327950288419716939937511)),
    (sp.Max(sp.log(x), sp.log(y)), {x: 1, y: F(1, 2)}, F(0)),
    (sp.Sum(k, (k, 1, n)), {n: 100}, F(5050)),
    (sp.Sum(k, (k, 1, n)), {n: 1}, F(1)),
    (sp.Sum(x ** (-k), (k, 1, m)), {x: 4, m: 0}, F(0)),
    (sp.Sum(x ** (-k), (k, 1, m)), {x: 4, m: 3}, F(21, 64)),
    (sp.Sum(k * n, (k, 1, n), (n, 1, m)), {m: 3}, F(1 + 6 + 18)),
    (sp.Sum(k, (k, 1, 3)) + k, {k: 10}, F(16)),
]


@pytest.mark.parametrize(("expr", "values", "expected"), EXACT, ids=[str(case[:2])[:60] for case in EXACT])
def test_exact_values(expr: sp.Expr, values: dict[sp.Symbol, Fraction | int], expected: Fraction | None) -> None:
    assert exact_value(expr, values) == expected
    if expected is not None:
        assert upper(expr, values) == lower(expr, values) == expected


@examples(200)
@given(st.integers(2, 20), st.integers(-30, 30), st.sampled_from([F(0), F(1, 10**40), F(-1, 10**40)]))
def test_rounded_logarithms_at_and_beside_powers(base: int, power: int, off: Fraction) -> None:
    argument = F(base) ** power * (1 + off)
    for up, node, rule in ((sp.ceiling, CeilLog, exact.ceil_log), (sp.floor, FloorLog, exact.floor_log)):
        expected = rule(argument, base)
        assert exact_value(up(sp.log(x) / sp.log(n)), {x: argument, n: base}) == expected
        assert exact_value(node(x, n), {x: argument, n: base}) == expected
        ball = enclose(sp.pi + up(sp.log(x) / sp.log(n)), {x: argument, n: base})
        assert arb_bounds(ball) == arb_bounds(enclose(sp.pi + sp.Integer(expected)))


def test_a_ceiling_that_cannot_be_decided_is_not_guessed() -> None:
    expr = sp.ceiling(sp.sin(x) ** 2 + sp.cos(x) ** 2)   # 1, but nothing here shows it
    for attempt in (exact_value, enclose, upper, lower):
        with pytest.raises(Undecided):
            attempt(expr, {x: 1})
    assert less_equal(expr, sp.Integer(1), {x: 1}) is None


def test_zero_in_disguise_is_not_given_a_relative_accuracy() -> None:
    with pytest.raises(Undecided):
        enclose(sp.sin(x) ** 2 + sp.cos(x) ** 2 - 1, {x: 1})


def test_cancellation_is_resolved() -> None:
    value = enclose(1 - sp.tanh(x), {x: 1000}, 30)   # about 2e^-2000, 868 zeros after the point
    reference = MPContext()
    reference.dps = 2000
    truth = to_fraction(2 / (1 + reference.exp(2000)))
    low, high = arb_bounds(value)
    assert low <= truth <= high
    assert less_than(sp.tanh(x), sp.Integer(1), {x: 1000}) is True


def test_equal_numbers_are_equal_or_undecided() -> None:
    assert less_equal(sp.log(x), 3 * sp.log(y), {x: 8, y: 2}) is True
    assert less_than(sp.log(x), 3 * sp.log(y), {x: 8, y: 2}) is False
    assert less_equal(x, y, {x: F(1, 3), y: F(2, 6)}) is True
    assert less_equal(sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1), {x: 1}) is None
    assert less_than(sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1), {x: 1}) is None


def test_comparisons_beyond_what_fits_in_memory() -> None:
    values: dict[sp.Symbol, int] = {n: 10**9}
    assert less_than(sp.Integer(2) ** n, sp.Integer(3) ** n, values) is True
    assert less_equal(sp.exp(n), sp.Integer(2) ** n, values) is False
    with pytest.raises(BoundcalcError, match="bits"):
        exact_value(sp.Integer(2) ** n, values)
    with pytest.raises(BoundcalcError, match="bits"):
        upper(sp.Integer(2) ** n, values)


UNDEFINED: list[tuple[sp.Expr, dict[sp.Symbol, Fraction | int]]] = [
    (1 / x, {x: 0}), (sp.log(x), {x: 0}), (sp.log(x), {x: -1}), (sp.sqrt(x), {x: -1}), (sp.log(sp.sin(x)), {x: -1}),
    (sp.sqrt(sp.sin(x)), {x: -1}), (1 / (sp.exp(x) - 1), {x: 0}), (sp.LambertW(x), {x: -1}), (CeilLog(x, 2), {x: 0}),
    (CeilLog(x, n), {x: 2, n: 1}), (sp.Sum(k, (k, 1, n)), {n: -3}), (sp.Sum(k, (k, x, 3)), {x: F(1, 2)}),
    (sp.LambertW(x, -1), {x: F(-1, 10)}), (x, {}), (sp.oo, {}), (sp.nan, {}), (sp.zoo, {}), (sp.I, {}),
    (sp.Float("0.1"), {}), (sp.gamma(x), {x: F(1, 2)}), (sp.Sum(k, (k, 1, 10**9)), {}),
    (1 / (sp.sin(x) - sp.sin(y)), {x: 1, y: 1}),
]


@pytest.mark.parametrize(("expr", "values"), UNDEFINED, ids=[str(case)[:60] for case in UNDEFINED])
def test_what_has_no_value_is_refused(expr: sp.Expr, values: dict[sp.Symbol, Fraction | int]) -> None:
    for attempt in (enclose, upper, lower):
        with pytest.raises(BoundcalcError):
            attempt(expr, values)
    for compare in (less_equal, less_than):
        for pair in ((expr, sp.Integer(1)), (sp.Integer(1), expr), (expr, expr)):
            try:
                assert compare(*pair, values) is None
            except BoundcalcError:
                continue


def test_floats_are_refused() -> None:
    for expr in (sp.Float("0.5"), x + sp.Float("0.5")):
        with pytest.raises(InvalidInput):
            exact_value(expr, {x: 1})


def test_the_global_precision_is_restored() -> None:
    before = flint.ctx.prec
    enclose(C + sp.exp(x), {x: 1}, 200)
    with pytest.raises(BoundcalcError):
        enclose(sp.log(x), {x: -1})
    with pytest.raises(BoundcalcError):
        enclose(sp.log(sp.sin(x)), {x: -1})
    assert flint.ctx.prec == before


def test_powers_of_balls_around_zero_are_finite() -> None:
    for power in (1, 2, 3, 10):
        low, high = arb_bounds(arithmetic.ball_power(arb(0, 1), power))
        assert low <= 0 <= high
        assert high >= 1
    low, high = arb_bounds(arithmetic.ball_power(arb(-3), -3))
    assert low <= F(-1, 27) <= high


@settings(deadline=None)
@given(rationals, st.fractions(0, 1, max_denominator=1000))
def test_the_ends_of_a_ball(middle: Fraction, radius: Fraction) -> None:
    ball = arb(sp_to_fmpq(middle), sp_to_fmpq(radius))
    low, high = arb_bounds(ball)
    assert low <= middle - radius <= middle + radius <= high
    assert high - low <= 2 * radius + F(1, 2**20)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "0 +/- inf"])
def test_balls_that_are_not_finite_have_no_ends(text: str) -> None:
    with pytest.raises(Undecided):
        arb_bounds(arb(text))


def test_a_long_sum_of_fractions_is_not_kept_exactly() -> None:
    """Σ 1/k² up to a million has a denominator of a million bits: enclosed in a moment, refused as an exact number."""
    harmonic = sp.Sum(1 / k ** 2, (k, 1, n))
    with pytest.raises(arithmetic.TooLong):
        exact_value(harmonic, {n: 100_000})
    assert exact_value(harmonic, {n: 3}) == Fraction(49, 36)
    low, high = lower(harmonic, {n: 100_000}, 20), upper(harmonic, {n: 100_000}, 20)
    assert Fraction(16449, 10000) < low <= high < Fraction(16450, 10000)
