"""Windows over anchors against plain sums over all of them; and what a window without its tail would miss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import pytest
from flint import arb, fmpq
from mpmath.ctx_mp import MPContext

from boundcalc.formulas.enclosure import Undecided, arb_bounds
from boundcalc.verify.balls import precision, rational
from boundcalc.verify.windowed import Window, steepness

F = Fraction
MP = MPContext()
MP.dps = 70
BITS = 200                      # for 50 digits
KAPPAS = [F(1, 20), F(1), F(68, 25), F(8), F(100)]
PLACES = [F(0), F(1, 2), F(3, 4), F(1), F(37, 100), F(-1, 3), F(-20)]


def plain(kappa: Fraction, p: int, t: Fraction) -> tuple[Any, Any]:
    """Mean and variance of k under e^(−κ(t−k)²), by a loop over all anchors."""
    exponents = [-MP.mpf(kappa.numerator) / kappa.denominator * (MP.mpf((t - k).numerator) / (t - k).denominator) ** 2
                 for k in range(p)]
    top = max(exponents)
    weights = [MP.exp(x - top) for x in exponents]
    mass = MP.fsum(weights)
    mean = MP.fsum(k * w for k, w in enumerate(weights)) / mass
    return mean, MP.fsum((k - mean) ** 2 * w for k, w in enumerate(weights)) / mass


def inside(x: Any, ball: arb, shift: int = 0) -> bool:
    low, high = arb_bounds(ball)
    noise = MP.mpf(10) ** -60
    return bool(MP.mpf(low.numerator) / low.denominator + shift - noise <= x
                <= MP.mpf(high.numerator) / high.denominator + shift + noise)


@pytest.mark.parametrize("kappa", KAPPAS, ids=str)
@pytest.mark.parametrize("p", [2, 3, 10, 101])
def test_windows_contain_the_sum_over_all_anchors(kappa: Fraction, p: int) -> None:
    with precision(BITS):
        window = Window(rational(kappa), p)
        for place in (*PLACES, *(p - 1 - x for x in PLACES), F(p - 1, 2)):
            m, rest = window.at(rational(place))
            assert inside(plain(kappa, p, place)[0], rest, m), place
            assert rest.rad() < fmpq(1, 10**45)


def test_nothing_depends_on_the_number_of_anchors_far_away() -> None:
    with precision(BITS):
        few, many = Window(fmpq(8), 101), Window(fmpq(8), 10**12)
        for place in (fmpq(377, 1000), fmpq(501, 10)):
            (m, a), (n, b) = few.at(place), many.at(place)
            assert m == n
            assert a.overlaps(b)
            assert b.rad() < fmpq(1, 10**45)
        far, rest = many.at(fmpq(10**12, 3))
        assert far == 333333333333
        assert rest.overlaps(few.at(fmpq(50) + fmpq(1, 3))[1])
        assert rest.rad() < fmpq(1, 10**45)
        assert many.reach == few.reach < 10


@pytest.mark.parametrize("kappa", KAPPAS, ids=str)
def test_intervals_contain_their_points(kappa: Fraction) -> None:
    with precision(64):
        for p in (3, 40):
            window = Window(rational(kappa), p)
            for start in (*PLACES, F(p - 1) - F(1, 8)):
                for width in (F(1, 1000), F(1, 4)):
                    moments = window.over(rational(start), rational(start + width))
                    slope = steepness(window, rational(start), rational(start + width))
                    for part in (F(0), F(1, 3), F(1)):
                        mean, variance = plain(kappa, p, start + part * width)
                        if kappa * width <= 4:      # wider balls may say nothing, but never something wrong
                            assert inside(mean, moments.mean, moments.nearest)
                            assert inside(variance, moments.variance)
                        assert inside(2 * MP.mpf(kappa.numerator) / kappa.denominator * variance, slope)


@pytest.mark.parametrize("kappa", [F(1, 2), F(68, 25)], ids=str)
@pytest.mark.parametrize("mistake", ["no tail", "one token short"])
def test_a_dropped_tail_would_be_seen(kappa: Fraction, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing said about the tokens that are left out; or a window that ends one token before it says that it does."""
    whole = Window._tail

    def sound() -> bool:
        with precision(BITS):
            window = Window(rational(kappa), 60)
            window.reach = 2            # so that the tail is all but negligible
            found = [(window.at(rational(t)), plain(kappa, 60, t)[0]) for t in (F(30), F(301, 10), F(1, 4))]
        return all(inside(mean, rest, m) for (m, rest), mean in found)

    assert sound()
    monkeypatch.setattr(Window, "_tail", (lambda *_: arb(0)) if mistake == "no tail" else
                        lambda self, i, j, tau: whole(self, i, j + 1, tau))
    assert not sound()


def test_a_tail_that_does_not_fall_is_no_tail() -> None:
    with precision(64):
        window = Window(fmpq(1, 100), 10**6)
        window.reach = 1
        with pytest.raises(Undecided):
            window.at(fmpq(500000))


def test_precision_is_left_alone() -> None:
    before = flint.ctx.prec
    with precision(300):
        Window(fmpq(1), 3).at(fmpq(1, 3))
    assert flint.ctx.prec == before
