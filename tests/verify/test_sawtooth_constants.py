"""Q3: what is certified, against the sums written out in plain mpmath; and that smaller numbers would be false."""

from __future__ import annotations

from typing import Any

import pytest
from mpmath.ctx_mp import MPContext

from boundcalc.formulas.enclosure import Undecided
from boundcalc.lemmas.sawtooth import LEAST_BETA, PRODUCT_EXCESS, SQUARE_EXCESS, joint_residual_lemma
from boundcalc.verify import sawtooth_constants
from boundcalc.verify.balls import Refuted
from boundcalc.verify.sawtooth_constants import product_excess, square_excess

MP = MPContext()
MP.dps = 30
THETA = MP.findroot(lambda x: x * MP.tanh(x) - 1, 1.2)
MU = THETA**2 - 1
LEVELS = 24
NEARLY = 1 - MP.mpf(10) ** -25      # rounding


def phi(w: Any) -> Any:
    return (w * MP.sech(w)) ** 2 / MU


def square_sum(beta: Any, t: Any) -> Any:
    total = MP.mpf(0)
    for s in range(LEVELS):
        v = t - MP.mpf(1) / 2
        total += phi(beta * v / 2) / 4**s
        t = 1 - 2 * v * MP.tanh(beta * v / 2)
    return total


def product_sum(beta: Any, u: Any) -> Any:
    return phi(beta * u / 2) + square_sum(beta, u * MP.tanh(beta * u / 2))


@pytest.mark.parametrize("beta", [40, 45, 50, 64, 73.6, 100, 300, 5000])
def test_no_point_exceeds_the_lemma(beta: float) -> None:
    near = [THETA * MP.mpf(k) / 25 * 2 / beta for k in range(60)]
    grid = [MP.mpf(k) / 300 for k in range(301)]
    s = max(square_sum(beta, t) for t in [*grid, *(MP.mpf(1) / 2 + x for x in near)])
    a = max(product_sum(beta, u) for u in [*grid, *(x for x in near if x <= 1)])
    assert s + MP.mpf(10) ** -6 >= 1
    assert s <= 1 + MP.mpf(SQUARE_EXCESS) / MP.mpf(beta) ** 2
    assert a <= 1 + MP.mpf(PRODUCT_EXCESS) / MP.mpf(beta) ** 2
    assert square_sum(beta, MP.mpf(1) / 2 + 2 * THETA / beta) > NEARLY     # the 1 cannot be lowered
    assert product_sum(beta, 2 * THETA / beta) > NEARLY


def test_far_below_the_least_beta_the_product_exceeds_it() -> None:
    """A(u) at β = 14 is above 1 + 150/β²: the condition is no formality."""
    worst = max(product_sum(14, MP.mpf(k) / 2000) for k in range(2001))
    assert worst > 1 + MP.mpf(PRODUCT_EXCESS) / 14**2
    assert LEAST_BETA > 14


def test_the_numbers_are_certified() -> None:
    square, product = square_excess(), product_excess()
    assert square.bound == SQUARE_EXCESS
    assert product.bound == PRODUCT_EXCESS
    assert 98.4 < square.lower <= square.certified < 98.55
    assert 115.1 < product.lower <= product.certified < 115.35
    assert abs(square.witness["w"] - 1.274) < 0.02


@pytest.mark.parametrize(("name", "value", "prove"), [
    ("SQUARE_EXCESS", 98, square_excess), ("PRODUCT_EXCESS", 115, product_excess), ("PRODUCT_EXCESS", 140, product_excess)])
def test_smaller_numbers_are_not_proved(monkeypatch: pytest.MonkeyPatch, name: str, value: int, prove: Any) -> None:
    monkeypatch.setattr(sawtooth_constants, name, value)
    with pytest.raises((Undecided, Refuted)):
        prove()


def test_a_smaller_beta_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sawtooth_constants, "LEAST_BETA", 30)
    with pytest.raises((Undecided, Refuted)):
        product_excess()


def test_the_record_says_where_it_holds() -> None:
    import sympy as sp

    from boundcalc.formulas.interval import Interval
    zero = Interval(sp.Integer(0), sp.Integer(0))
    lemma = joint_residual_lemma(zero, zero, PRODUCT_EXCESS)
    assert (lemma.label, lemma.from_beta) == ("Q3", LEAST_BETA)
    assert "150/β²" in lemma.statement
