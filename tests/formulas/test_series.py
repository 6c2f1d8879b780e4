"""Closed forms of sums, maxima and recurrences against plain loops, and refusals where no closed form is known."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import NotDerivable
from boundcalc.formulas.index import Index
from boundcalc.formulas.series import ExpSum, max_over, solve_triangular, sum_over
from boundcalc.formulas.symbols import symbol

R = sp.Rational
S, M, A = symbol("s"), symbol("m"), symbol("M")
seeds = st.integers(0, 2**32)
BASES = [R(1, 4), R(1, 2), R(2), R(3), R(5, 3)]


def at(expr: sp.Expr, **values: int | sp.Rational) -> sp.Expr:
    return sp.expand(sp.S(expr).subs({symbol(k): sp.S(v) for k, v in values.items()}))


def exponential_sum(rng: random.Random, terms: int) -> sp.Expr:
    expr: sp.Expr = sp.Integer(0)
    for _ in range(terms):
        c = R(rng.randrange(-5, 6), rng.randrange(1, 4)) * rng.choice((1, A, A**2))
        expr += c * rng.choice((sp.Integer(1), *(b ** (rng.choice((1, -1, 2)) * S + rng.randrange(-2, 3)) for b in BASES)))
    return expr


@settings(max_examples=80, deadline=None)
@given(seed=seeds, terms=st.integers(1, 4), first=st.integers(0, 3), length=st.integers(0, 6))
def test_sum_over(seed: int, terms: int, first: int, length: int) -> None:
    """Concrete and symbolic ends; an empty range (last = first − 1) sums to 0."""
    expr = exponential_sum(random.Random(seed), terms)
    last = first + length - 1
    expected = sp.expand(sum((expr.subs(S, k) for k in range(first, last + 1)), sp.Integer(0)))
    assert sp.expand(sum_over(expr, Index(S, sp.Integer(first), sp.Integer(last))) - expected) == 0
    if last >= 0:
        symbolic = sum_over(expr, Index(S, sp.Integer(first), M))
        assert sp.expand(at(symbolic, m=last) - expected) == 0


@pytest.mark.parametrize("expr", [S * 2**S, sp.Integer(2) ** (S**2), sp.sin(S), 1 / (S - 4), (S - 4) ** 2 / (S + 1)])
def test_other_dependences_are_refused(expr: sp.Expr) -> None:
    for law in (sum_over, max_over):
        with pytest.raises(NotDerivable, match="series"):
            law(expr, Index(S, sp.Integer(1), M))


@pytest.mark.parametrize("expr", [S, -S, 3 * S**2, M * S, (S + 1) ** 2, -(2 * S + 5) ** 3, 7 - 3 * S, 1 / S,
                                  -M / (S + 1) ** 2])
def test_powers_of_what_grows_with_the_index_are_monotone(expr: sp.Expr) -> None:
    largest = max_over(expr, Index(S, sp.Integer(1), sp.Integer(7))).subs(M, 3)
    assert largest == max(expr.subs({S: k, M: 3}) for k in range(1, 8))


@pytest.mark.parametrize("expr", [(S - 4) ** 2, S - S**2, (M - S) ** 3])
def test_what_may_rise_and_fall_has_no_maximum(expr: sp.Expr) -> None:
    with pytest.raises(NotDerivable, match="series"):
        max_over(expr, Index(S, sp.Integer(1), M))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=6), st.integers(0, 3), st.integers(0, 6))
def test_polynomials_are_summed(coefficients: list[Fraction], first: int, length: int) -> None:
    expr = sum((sp.Rational(c.numerator, c.denominator) * S**k for k, c in enumerate(coefficients)), sp.Integer(0))
    last = first + length - 1
    expected = sum((expr.subs(S, k) for k in range(first, last + 1)), sp.Integer(0))
    assert sp.expand(sum_over(expr, Index(S, sp.Integer(first), sp.Integer(last))) - expected) == 0
    if last >= 0:
        assert sp.expand(at(sum_over(expr, Index(S, sp.Integer(first), M)), m=last) - expected) == 0


@settings(max_examples=80, deadline=None)
@given(seed=seeds, first=st.integers(0, 3), length=st.integers(1, 6), rising=st.booleans())
def test_max_over_monotone(seed: int, first: int, length: int, rising: bool) -> None:
    rng = random.Random(seed)
    expr: sp.Expr = R(rng.randrange(-5, 6))
    for _ in range(rng.randrange(1, 4)):
        base = rng.choice((R(2), R(3), R(5, 3)))
        size = R(rng.randrange(1, 6), rng.randrange(1, 4))
        expr += rng.choice((size * base**S, -size * base**-S)) if rising else rng.choice((size * base**-S, -size * base**S))
    last = first + length - 1
    found = max_over(expr, Index(S, sp.Integer(first), sp.Integer(last)))
    assert sp.expand(found - max(expr.subs(S, k) for k in range(first, last + 1))) == 0
    symbolic = max_over(expr, Index(S, sp.Integer(first), M))
    assert sp.expand(at(symbolic, m=last) - found) == 0


def test_max_over_refuses_what_is_not_proved_monotone() -> None:
    index = Index(S, sp.Integer(0), sp.Integer(4))
    for expr in (2**S + 8 * sp.Integer(2) ** -S, -(2**S) - sp.Integer(2) ** -S, symbol("a") * 2**S, symbol("M") ** S):
        with pytest.raises(NotDerivable):
            max_over(expr, index)
    assert max_over(symbol("a"), index) == symbol("a")
    assert max_over(A * 2**S, index) == 16 * A


def test_expsum_arithmetic() -> None:
    a, b = 3 * 2**S + 1, A * sp.Integer(4) ** -S - R(1, 2)
    x, y = ExpSum.of(a, S), ExpSum.of(b, S)
    for k in range(4):
        assert sp.expand((x * y).at(sp.Integer(k)) - (a * b).subs(S, k)) == 0
        assert sp.expand((x + y).at(sp.Integer(k)) - (a + b).subs(S, k)) == 0
        assert sp.expand(x.shifted().at(sp.Integer(k)) - a.subs(S, k - 1)) == 0


# recurrences -------------------------------------------------------------------------------------------------------

def iterated(start: dict[str, sp.Expr], gain: dict[str, dict[str, sp.Expr]], added: dict[str, sp.Expr], first: int,
             last: int) -> dict[str, sp.Expr]:
    state = {n: start.get(n, sp.Integer(0)) for n in gain}
    for k in range(first, last + 1):
        state = {n: sp.expand(sum((g.subs(S, k) * state[o] for o, g in gain[n].items()), sp.S(added.get(n, 0)).subs(S, k)))
                 for n in gain}
    return state


@settings(max_examples=100, deadline=None)
@given(seed=seeds, first=st.integers(0, 2), size=st.integers(1, 3))
def test_solve_triangular(seed: int, first: int, size: int) -> None:
    """e(s) = Λ(s)e(s−1) + added(s) in any order of the coordinates, at every s from first − 1 on.

    Rates are distinct primes over 7, forcing bases powers of 1/4 and 1/5: nothing resonates."""
    rng = random.Random(seed)
    names = [f"x{k}" for k in range(size)]
    rates = dict(zip(names, rng.sample((R(2, 7), R(3, 7), R(5, 7), R(11, 7), R(13, 7)), size), strict=True))
    gain: dict[str, dict[str, sp.Expr]] = {}
    for k, n in enumerate(names):
        gain[n] = {n: rates[n], **{o: R(rng.randrange(4), 3) * rng.choice((1, sp.Integer(4) ** -S)) for o in names[:k]}}
    shuffled = dict(rng.sample(sorted(gain.items()), size))
    added = {n: R(rng.randrange(5), 2) * rng.choice((1, A, sp.Integer(5) ** -S)) for n in names if rng.random() < 0.7}
    start = {n: R(rng.randrange(5), 3) for n in names if rng.random() < 0.7}
    solved = solve_triangular(start, shuffled, added, Index(S, sp.Integer(first), M))
    for last in range(first - 1, first + 5):
        expected = iterated(start, gain, added, first, last)
        for n in names:
            assert sp.expand(solved[n].at(sp.Integer(last)) - expected[n]) == 0, (n, last)


def test_gain_one_and_no_forcing() -> None:
    solved = solve_triangular({"x": A}, {"x": {"x": sp.Integer(1)}}, {}, Index(S, sp.Integer(1), M))
    assert solved["x"].at(M) == A


INDEX = Index(S, sp.Integer(1), M)
ONE = sp.Integer(1)


@pytest.mark.parametrize(("start", "gain", "added"), [
    ({}, {"x": {"x": ONE}}, {"x": ONE}),                                    # s
    ({"x": A}, {"x": {"x": ONE}}, {"x": 2 * A * S}),                        # rounds of a sorting network: s² and s
    ({"x": ONE}, {"x": {"x": R(2)}, "y": {"y": R(2), "x": ONE}}, {}),       # s·2^s
    ({}, {"x": {"x": R(1, 4)}}, {"x": sp.Integer(4) ** -S}),
    ({}, {"x": {"x": R(2)}}, {"x": S * sp.Integer(2) ** S * A}),            # s²·2^s
    ({"y": A}, {"x": {"x": ONE}, "y": {"y": ONE, "x": R(3)}, "z": {"z": R(1, 2), "y": S}}, {"x": A}),
], ids=range(6))
def test_resonance_is_solved(start: dict[str, sp.Expr], gain: dict[str, dict[str, sp.Expr]],
                             added: dict[str, sp.Expr]) -> None:
    """Where a force has the rate of the gain, its coefficient grows with a power of s."""
    for first in (1, 2):
        solved = solve_triangular(start, gain, added, Index(S, sp.Integer(first), M))
        for last in range(first - 1, first + 6):
            expected = iterated(start, gain, added, first, last)
            for n in gain:
                assert sp.expand(solved[n].at(sp.Integer(last)) - expected[n]) == 0, (n, last)


def test_growth_by_resonance_is_shown() -> None:
    assert solve_triangular({}, {"x": {"x": ONE}}, {"x": A}, INDEX)["x"].at(M) == A * M


def test_cycles_are_refused() -> None:
    with pytest.raises(NotDerivable, match="not triangular"):
        solve_triangular({}, {"x": {"y": ONE}, "y": {"x": ONE}}, {"x": ONE}, INDEX)
    with pytest.raises(NotDerivable, match="not triangular"):
        solve_triangular({}, {"x": {"x": R(2), "y": ONE}, "y": {"y": R(3), "z": ONE}, "z": {"x": ONE}}, {}, INDEX)


def test_index_on_the_diagonal_is_refused() -> None:
    with pytest.raises(NotDerivable, match="depends on the index"):
        solve_triangular({}, {"x": {"x": sp.Integer(4) ** -S}}, {"x": ONE}, INDEX)


def test_a_coordinate_that_forgets_its_start() -> None:
    """e(s) = added(s) for s ≥ first, but e(first − 1) = start ≠ added(first − 1): no single formula holds at both."""
    with pytest.raises(NotDerivable, match="forgets"):
        solve_triangular({"x": ONE}, {"x": {}}, {"x": sp.Integer(4) ** -S}, INDEX)
