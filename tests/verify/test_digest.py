"""Names of softmax means: everything that does not matter is taken out, and nothing that does."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from boundcalc.verify.digest import NamedForm, combined, input_form, outputs_of
from boundcalc.verify.forms import RationalForm, Value, combine, variable
from boundcalc.verify.program import Atom, Boltzmann, Exponent, Grid, Mean, Program, Rectified, SiluHead, Tilted

X, Y = input_form("x"), input_form("y")


def forms(*terms: tuple[int | Fraction, ...]) -> tuple[RationalForm, ...]:
    return tuple(linear(*t) for t in terms)


def linear(x: int | Fraction, y: int | Fraction = 0) -> RationalForm:
    found = form(x, y)
    assert isinstance(found, RationalForm)
    return found


def form(x: int | Fraction = 0, y: int | Fraction = 0, constant: int | Fraction = 0) -> Value:
    terms = {k: fmpq(Fraction(c).numerator, Fraction(c).denominator) for k, c in ((0, x), (1, y)) if c}
    number = fmpq(Fraction(constant).numerator, Fraction(constant).denominator)
    return RationalForm(number, terms) if terms else number


def named(atom: Atom, fed: tuple[NamedForm, NamedForm] = (X, Y), factor: int = 1, rest: Value | None = None) -> NamedForm:
    """factor · atom + rest."""
    output = combine(((fmpq(factor), variable(2)), (fmpq(1), form() if rest is None else rest)))
    return outputs_of(Program(("x", "y"), (output,), (atom,)), fed)[0]


ONE_TWO = (form(1), form(0, 1))


def mean(scores: tuple[Value, ...], values: tuple[Value, ...], counts: tuple[int, ...] | None = None) -> Mean:
    return Mean(tuple(Exponent(s) for s in scores), values, counts or (1,) * len(scores))


def test_a_mean_of_equal_values_is_that_value() -> None:
    assert named(Boltzmann(forms((1,), (0, 1)), fmpq(7)), (X, X)) == X
    assert named(Tilted(linear(1), form(0, 1)), (X, {})) == {}


def test_a_mean_with_equal_weights_is_the_mean_of_the_values() -> None:
    both = mean((form(3), form(3)), (form(1), form(0, 1)), (1, 3))
    assert named(both) == combined([(fmpq(1, 4), X), (fmpq(3, 4), Y)])


def test_kinds_of_atoms_are_one_mean() -> None:
    silu = named(SiluHead(linear(1, -1), fmpq(5)))
    assert named(Boltzmann(forms((1,), (0, 1)), fmpq(5)), rest=form(0, -1)) == silu
    assert named(mean((form(2), form(5, -5)), (form(), form(1, -1)))) != silu
    assert named(mean((form(2), form(7, -5)), (form(), form(1, -1)))) == silu
    assert named(SiluHead(linear(-1, 1), fmpq(5)), rest=form(1, -1)) == silu
    half = named(Tilted(linear(Fraction(5, 2), Fraction(-5, 2)), form(1, -1)))
    assert combined([(fmpq(1, 2), half), (fmpq(1, 2), X), (fmpq(-1, 2), Y)]) == silu


def test_equal_tokens_are_counted() -> None:
    three = Boltzmann(forms((1,), (0, 1), (1,)), fmpq(2))
    assert named(three) == named(mean((form(2), form(0, 2)), ONE_TWO, (2, 1))) == named(
        mean((form(2), form(0, 2)), ONE_TWO, (4, 2)))
    assert named(three) != named(mean((form(2), form(0, 2)), ONE_TWO))
    assert named(three) != named(mean((form(2), form(0, 2)), ONE_TWO, (1, 2)))


@pytest.mark.parametrize("other", [Grid(linear(1), 4, fmpq(2)), Grid(linear(1), 3, fmpq(1)), Grid(linear(2), 3, fmpq(2)),
                                   Grid(linear(1), 3, fmpq(2), heads=2)])
def test_every_number_of_a_grid_counts(other: Grid) -> None:
    assert named(Grid(linear(1), 3, fmpq(2))) != named(other)
    assert named(Rectified(linear(1))) != named(other)


small = st.integers(-2, 2)
token_lists = st.lists(st.tuples(small, small, small, small, small, small, st.integers(1, 2)), min_size=2, max_size=3)


@settings(max_examples=150, deadline=None)
@given(token_lists, token_lists)
def test_equal_names_are_equal_functions(first: list[tuple[int, ...]], second: list[tuple[int, ...]]) -> None:
    """Two random means with one form have one value in random points; shifted, flipped and permuted ones have one form."""
    def made(tokens: Sequence[tuple[int, ...]]) -> Mean:
        return mean(tuple(form(*t[:3]) for t in tokens), tuple(form(*t[3:6]) for t in tokens), tuple(t[6] for t in tokens))

    def value(tokens: Sequence[tuple[int, ...]], x: float, y: float) -> mp.mpf:
        weights = [t[6] * mp.exp(t[0] * x + t[1] * y + t[2]) for t in tokens]
        return sum(w * (t[3] * x + t[4] * y + t[5]) for w, t in zip(weights, tokens, strict=True)) / sum(weights)

    one, other = named(made(first)), named(made(second))
    far = max(abs(value(first, x, y) - value(second, x, y)) for x, y in ((0.3, -1.7), (1.1, 0.6), (-2.3, 0.9)))
    assert (one != other) or far < mp.mpf(10) ** -12
    moved = [(a + 2, b - 1, c + 3, d - 1, e + 2, f + 1, n) for a, b, c, d, e, f, n in reversed(first)]
    assert named(made(moved), rest=form(1, -2, -1)) == one
    flipped = [(a, b, c, -d, -e, -f, 2 * n) for a, b, c, d, e, f, n in first]
    assert named(made(flipped), factor=-1) == one
