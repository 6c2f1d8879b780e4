"""Tables of chords (lemma P5): the proved error holds, is nearly attained, and is that of the numbers as they stand."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.constructions import Chords, equal_errors, equal_lengths
from boundcalc.errors import InvalidInput, NotDerivable
from boundcalc.formulas.index import upto
from boundcalc.formulas.interval import signed_parts
from boundcalc.formulas.series import max_over, sum_over
from boundcalc.formulas.symbols import index, symbol
from boundcalc.formulas.tables import Column, column
from boundcalc.formulas.target import Target
from boundcalc.lemmas.tables import HALVINGS, Chord, ChordTable, chord_table

FUNCTIONS = ("exp(x)", "log(1 + exp(x))", "sin(2*x)", "1/(3 + x)", "x**3 - x", "tanh(2*x)", "sqrt(3 + x)")


def value(table: ChordTable, x: Fraction) -> Fraction:
    k = next(k for k, t in enumerate(table.knots[1:]) if x <= t)
    return table.values[k] + table.slopes[k] * (x - table.knots[k])


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(FUNCTIONS), st.integers(2, 9), st.integers(-8, 4), st.integers(1, 12),
       st.sampled_from([equal_errors, equal_lengths]), st.lists(st.fractions(0, 1), min_size=5, max_size=5))
def test_the_proved_error_is_never_exceeded(text: str, pieces: int, left: int, width: int, rule: object,
                                            places: list[Fraction]) -> None:
    low = Fraction(left, 4)
    high = low + Fraction(width, 4)
    target = Target.of(text, {"x": 1})
    table = chord_table(target, low, high, pieces, rule)            # type: ignore[arg-type]
    assert (table.knots[0], table.knots[-1], len(table.knots)) == (low, high, pieces + 1)
    at = [low + (high - low) * t for t in places] + [s + (t - s) * k / 8 for s, t in pairwise(table.knots) for k in range(9)]
    seen = max(abs(value(table, x) - target.near([x], 30)) for x in at)
    assert seen <= table.error + Fraction(1, 10 ** 30)
    assert table.error <= 2 * seen + Fraction(1, 10 ** 12)          # and it is about as large as what is seen


def test_the_error_is_that_of_the_numbers_as_they_stand() -> None:
    target = Target.of("exp(x)", {"x": 1})
    table = chord_table(target, Fraction(0), Fraction(1), 6)

    def proved(values: tuple[Fraction, ...]) -> Fraction:
        chords = [Chord(target, *c) for c in zip(table.knots, table.knots[1:], values, values[1:], strict=False)]
        return max(c.error(c.start, c.end, Fraction(0), HALVINGS) for c in chords)

    assert proved(table.values) <= table.error
    for k in range(7):          # a value that was changed after rounding is seen
        moved = tuple(v + 3 * table.error * (j == k) for j, v in enumerate(table.values))
        assert proved(moved) > 2 * table.error


def test_knots_may_be_formulas() -> None:
    def roots(target: object, low: Fraction, high: Fraction, pieces: int) -> list[Fraction | sp.Expr]:
        return [low, *(sp.sqrt(sp.Rational(k, pieces)) for k in range(1, pieces)), high]

    table = chord_table(Target.of("x**2", {"x": 1}), Fraction(0), Fraction(1), 8, roots)    # type: ignore[arg-type]
    assert all(isinstance(t, Fraction) for t in table.knots)
    assert abs(table.knots[2] ** 2 - Fraction(1, 4)) < Fraction(1, 1000)
    assert Fraction(0) < table.error < Fraction(1, 50)


def test_what_is_no_table_is_refused() -> None:
    target = Target.of("exp(x)", {"x": 1})
    with pytest.raises(InvalidInput, match="do not rise"):
        chord_table(target, Fraction(0), Fraction(1), 2, lambda *_: [Fraction(0), Fraction(2), Fraction(1)])
    with pytest.raises(InvalidInput, match="gave 2"):
        chord_table(target, Fraction(0), Fraction(1), 2, lambda *_: [Fraction(0), Fraction(1)])
    with pytest.raises(InvalidInput, match="does not bend"):
        Chords("x", "f", "sin(x)", bends=1).table(8, Fraction(0), Fraction(6))
    with pytest.raises(InvalidInput, match="no proved error"):
        Chords("x", "f", "abs(x)").table(3, Fraction(-1), Fraction(1))


def test_formulas_ask_the_table() -> None:
    plus, minus, most = sp.symbols("plus minus most", nonnegative=True)
    numbers = [Fraction(3), Fraction(-2), Fraction(1, 2)]
    entry = column(Column(lambda count: numbers[:count], plus, minus, most))
    i, n = index("i"), symbol("n")
    whole = upto(i, n)
    assert sum_over(2 * entry(i, n), whole) == 2 * plus - 2 * minus
    above, below = signed_parts(-2 * entry(i, n))
    assert (sum_over(above, whole), sum_over(below, whole)) == (2 * minus, 2 * plus)
    assert max_over(sp.Abs(5 * entry(i, n)), whole) == 5 * most
    known = upto(i, 3)
    assert sum_over(entry(i, sp.Integer(3)), known) == sp.Rational(3, 2)
    assert max_over(1 - entry(i, sp.Integer(3)), known) == 3
    with pytest.raises(NotDerivable):
        sum_over(entry(i, n), upto(i, n - 1))               # a part of a table has no name
    with pytest.raises(NotDerivable):
        max_over(1 - entry(i, n), whole)                    # nor is anything known of its order
