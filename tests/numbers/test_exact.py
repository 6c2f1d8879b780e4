"""Numbers come in exactly or not at all, and go out rounded in the direction that was asked for."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import InvalidInput
from boundcalc.numbers.exact import (
    ceil_log,
    decimal_down,
    decimal_up,
    digits_within,
    exact_text,
    floor_log,
    is_exact_decimal,
    rational,
    round_down_significant,
    round_up_significant,
)

positive = st.fractions(min_value=Fraction(1, 10**40), max_value=10**40).filter(lambda x: x > 0) | st.builds(
    lambda p, q, e: Fraction(p, q) * Fraction(10) ** e, st.integers(1, 10**30), st.integers(1, 10**30),
    st.integers(-1500, 1500))
signed = st.builds(lambda x, sign: x * sign, positive, st.sampled_from([-1, 0, 1]))


@pytest.mark.parametrize(("text", "value"), [
    ("3", Fraction(3)), ("-2", Fraction(-2)), ("+1", Fraction(1)), ("0.001", Fraction(1, 1000)), (".5", Fraction(1, 2)),
    ("1e-3", Fraction(1, 1000)), ("1.5E+2", Fraction(150)), ("1/1000", Fraction(1, 1000)),
    ("2**-10", Fraction(1, 1024)), ("1e-3/7", Fraction(1, 7000)), (" 1 / 3 ", Fraction(1, 3)), ("-2**2", Fraction(-4)),
    ("1/2**10", Fraction(1, 1024)), ("1.5**3", Fraction(27, 8)), ("0", Fraction(0)), ("-0.0", Fraction(0)),
    ("1e-1000", Fraction(1, 10**1000)), ("1e5000", Fraction(10**5000)), ("1**999999999", Fraction(1)),
])
def test_rational_reads(text: str, value: Fraction) -> None:
    assert rational(text) == value


@pytest.mark.parametrize("text", [
    "", " ",
    "nan", "inf", "-inf", "1e-3x", "x", "9" * 10_000, "9**9**9", "9**999999999", "1/0", "0/0", "0**-1", "1/2/3",
    "١", "1_000", "0x10", "1e99999", "1e-99999", "1e" + "9" * 1900, "2^^10", "2^3^4", "^2", "2^", ".", "1.2.3",
    "--1", "1 2", "1e", "(1)",
    "1/", "/2", "1\n2", "\x00", "9" * 1000 + "**" + "9" * 900, "2**0.5", "1,5", "½", "e", "1e3.5",
])
def test_rational_refuses_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(InvalidInput) as caught:
        rational(text, "accuracy")
    assert time.perf_counter() - start < 2      # well below a millisecond; 9**999999999 itself would never end
    assert caught.value.problem.startswith("The accuracy ")
    assert len(str(caught.value)) < 260
    assert caught.value.remedy


@settings(deadline=None)
@given(st.text(alphabet="0123456789.eE+-*/ _x", max_size=30))
def test_rational_never_fails_otherwise(text: str) -> None:
    with contextlib.suppress(InvalidInput):      # anything else that is raised fails the test
        assert isinstance(rational(text), Fraction)


@settings(deadline=None)
@given(st.fractions())
def test_rational_reads_back_fractions(x: Fraction) -> None:
    assert rational(exact_text(x)) == x


def test_exact_text_of_long_integers() -> None:
    assert exact_text(Fraction(10**6000 + 7, 3)) == "1" + "0" * 5999 + "7/3"
    for zeros in (3800, 3999, 4000, 4001, 4210, 4216, 4300, 8000, 12_000):
        assert exact_text(-(10**zeros)) == "-1" + "0" * zeros
    assert exact_text(Fraction(-7, 3)) == "-7/3"


@settings(deadline=None)
@given(positive, st.integers(2, 40) | st.sampled_from([10**6, 2**61 - 1, 10**50]))
def test_logs_are_the_least_and_the_greatest(x: Fraction, base: int) -> None:
    up, down = ceil_log(x, base), floor_log(x, base)
    assert Fraction(base) ** (up - 1) < x <= Fraction(base) ** up
    assert Fraction(base) ** down <= x < Fraction(base) ** (down + 1)


@settings(deadline=None)
@given(st.integers(2, 30), st.integers(-60, 60))
def test_logs_of_powers_are_exact(base: int, k: int) -> None:
    x = Fraction(base) ** k
    tiny = Fraction(1, 10**100)
    assert ceil_log(x, base) == floor_log(x, base) == k
    assert (ceil_log(x * (1 + tiny), base), floor_log(x * (1 - tiny), base)) == (k + 1, k - 1)


def test_logs_are_fast_on_long_numbers() -> None:
    start = time.perf_counter()
    assert ceil_log(Fraction(3**12_000 + 1, 7), 3) == 11_999
    assert floor_log(Fraction(1, 2**20_000), 2) == -20_000
    assert time.perf_counter() - start < 2      # a few milliseconds


@pytest.mark.parametrize(("x", "base"), [(0, 2), (-1, 2), (5, 1), (5, 0)])
def test_logs_refuse(x: int, base: int) -> None:
    with pytest.raises(ValueError, match="needs"):
        ceil_log(x, base)
    with pytest.raises(ValueError, match="needs"):
        floor_log(x, base)


@pytest.mark.parametrize(("x", "digits", "down", "up"), [
    (Fraction(1, 1024), 20, "0.0009765625", "0.0009765625"),
    (Fraction(5), 20, "5", "5"),
    (Fraction(-1, 4), 20, "-0.25", "-0.25"),
    (Fraction(0), 20, "0", "0"),
    (Fraction(1, 3), 5, "0.33333", "0.33334"),
    (Fraction(-1, 3), 5, "-0.33334", "-0.33333"),
    (Fraction(99_999), 3, "99900", "100000"),
    (Fraction(10**20), 20, "100000000000000000000", "100000000000000000000"),
    (Fraction(10**21), 20, "1e21", "1e21"),
    (Fraction(1, 10**7), 20, "0.0000001", "0.0000001"),
    (Fraction(1, 10**8), 20, "1e-8", "1e-8"),
    (Fraction(5, 4) / 10**1000, 20, "1.25e-1000", "1.25e-1000"),
    (Fraction(2, 3) / 10**30, 4, "6.666e-31", "6.667e-31"),
])
def test_decimals(x: Fraction, digits: int, down: str, up: str) -> None:
    assert decimal_down(x, digits) == down
    assert decimal_up(x, digits) == up


@settings(deadline=None)
@given(signed, st.integers(1, 40))
def test_decimals_are_directed_and_close(x: Fraction, digits: int) -> None:
    low, high = rational(decimal_down(x, digits)), rational(decimal_up(x, digits))
    assert low <= x <= high
    assert (low == x == high) is is_exact_decimal(x, digits)
    assert high - low <= abs(x) * Fraction(10) ** (1 - digits)


@settings(deadline=None)
@given(positive, st.integers(1, 30))
def test_significant_digits(x: Fraction, digits: int) -> None:
    low, high = round_down_significant(x, digits), round_up_significant(x, digits)
    assert low <= x <= high
    assert is_exact_decimal(low, digits)
    assert is_exact_decimal(high, digits)
    # nothing with that many digits lies between
    unit = Fraction(10) ** (floor_log(x, 10) - digits + 1)
    assert high - low == (0 if low == x else unit)


@given(positive, positive | st.sampled_from([Fraction(0), Fraction(1, 10**18), Fraction(1, 10**200)]), st.integers(1, 20))
def test_as_many_digits_as_keep_a_limit(x: Fraction, room: Fraction, digits: int) -> None:
    limit = x + room
    found = digits_within(x, digits, limit)
    if found is None:
        assert room == 0
        assert not any(is_exact_decimal(x, k) for k in (20, 100, 400))
        return
    assert found >= digits
    assert x <= Fraction(decimal_up(x, found)) <= limit
    if found > digits:
        assert round_up_significant(x, found - 1) > limit


def test_nothing_is_kept_where_the_limit_is_exceeded_anyway() -> None:
    assert digits_within(Fraction(2, 3), 4, Fraction(1, 2)) == 4
    assert digits_within(Fraction(2, 3), 4, None) == 4
    assert digits_within(Fraction(1, 7), 4, Fraction(1, 7)) is None
    assert digits_within(Fraction(1, 2**20), 4, Fraction(1, 2**20)) == 14
