"""Certified constants against plain mpmath sums: what is observed never exceeds what is certified, and comes close."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import pytest
from flint import arb, fmpq
from mpmath.ctx_mp import MPContext

from boundcalc.errors import InvalidInput
from boundcalc.formulas.enclosure import Undecided, arb_bounds
from boundcalc.verify import constants
from boundcalc.verify.balls import Certificate, Refuted, decimal_above, decimal_below, maximise, negative, precision, proved
from boundcalc.verify.constants import (
    TUNED,
    AnchorHead,
    absorption,
    hard_linspace,
    left_grid,
    midpoint_grid,
    sentinel,
    single_head,
    telescoping,
)

F = Fraction
MP = MPContext()
MP.dps = 40
NOISE = MP.mpf(10) ** -30
SIXTEENTH = F(1, 16)


# --- the same things written out, without windows, tails or reductions ---------------------------------------------

def mp(x: Fraction | int) -> Any:
    return MP.mpf(F(x).numerator) / F(x).denominator


def weights(kappa: Any, t: Any, anchors: range) -> list[Any]:
    nearest = min((t - k) ** 2 for k in anchors)
    return [MP.exp(-kappa * ((t - k) ** 2 - nearest)) for k in anchors]


def mean(kappa: Any, t: Any, p: int) -> Any:
    w = weights(kappa, t, range(p))
    return sum(k * x for k, x in enumerate(w)) / sum(w)


def error(kappa: Any, t: Any, p: int, margin: Fraction | int = 0, heads: int = 1) -> Any:
    """|out − clip|; the range goes on for a margin beyond both ends."""
    out = sum(mean(kappa, t - h * (p - 1), p) for h in range(heads))
    return abs(out - min(max(t, -mp(margin)), heads * (p - 1) + mp(margin)))


def left_error(kappa: Any, t: Any, p: int) -> Any:
    return abs(mean(kappa, t, p) - min(max(t, 0), p))


def observed(kappa: Fraction, p: int, heads: int = 1, steps: int = 40, of: Callable[..., Any] = error) -> Any:
    """The largest error seen from two cells before the first anchor to two cells after the last."""
    arguments = {"heads": heads} if of is error else {}
    points = (MP.mpf(i) / steps for i in range(-2 * steps, ((p - 1) * heads + 2) * steps + 1))
    return max(of(mp(kappa), t, p, **arguments) for t in points)


def at_witness(kappa: Fraction, certificate: Certificate | Refuted) -> Any:
    w = certificate.witness
    size, heads = int(w.get("p") or w["n"]), int(w.get("H", 1))
    return error(mp(kappa), mp(w["at"]), size, heads=heads)


def sound(certificate: Certificate, value: Any) -> bool:
    ordered = certificate.lower <= certificate.certified <= certificate.bound
    return bool(ordered and value <= mp(certificate.certified) + NOISE)


def attained(kappa: Fraction, certificate: Certificate) -> bool:
    """At the witness the value is `lower`, or more by what tails and rounding take away."""
    return bool(-NOISE <= at_witness(kappa, certificate) / mp(certificate.lower) - 1 < 1e-6)


# --- one head --------------------------------------------------------------------------------------------------------

def test_a_sixteenth_for_every_p() -> None:
    certificate = single_head(TUNED, bound=SIXTEENTH)
    assert certificate.bound == SIXTEENTH
    assert F(61872, 10**6) < certificate.certified <= SIXTEENTH
    assert all(sound(certificate, observed(TUNED, p)) for p in range(2, 10))
    assert attained(TUNED, certificate)


@pytest.mark.parametrize("kappa", [F(1, 100), F(1, 2), F(1), F(2), F(27, 10), TUNED, F(11, 4), F(8), F(1000), F(10**12)])
@pytest.mark.parametrize("p", [2, 3, 7, 20, None])
def test_within_one_percent_of_an_attained_value(kappa: Fraction, p: int | None) -> None:
    certificate = single_head(kappa, p)
    assert p is None or certificate.witness["p"] == p
    assert attained(kappa, certificate)
    assert certificate.lower <= certificate.certified <= F(101, 100) * certificate.lower
    assert sound(certificate, observed(kappa, p or 12, steps=16))


@pytest.mark.parametrize(("kappa", "certified"), [
    (F(1, 2), "0.52010"), (F(1), "0.29206"), (F(4), "0.13515"), (F(8), "0.26840"), (F(32), "0.41965"), (F(256), "0.48587")])
def test_independent_certificates_agree(kappa: Fraction, certified: str) -> None:
    certificate = single_head(kappa)
    assert certificate.lower <= F(certified)
    assert certificate.certified >= F(certified) - F(1, 10**5)


def test_the_number_of_anchors_costs_nothing() -> None:
    assert single_head(TUNED, 10**30).boxes == single_head(TUNED, 100).boxes == single_head(TUNED).boxes < 1000


@pytest.mark.parametrize("kappa", [F(27, 10), F(11, 4)])
def test_other_temperatures_are_refuted_with_a_witness(kappa: Fraction) -> None:
    with pytest.raises(Refuted) as caught:
        single_head(kappa, bound=SIXTEENTH)
    assert at_witness(kappa, caught.value) > mp(SIXTEENTH)
    assert abs(at_witness(kappa, caught.value) - mp(caught.value.value)) < 1e-11


@pytest.mark.parametrize("kappa", [F(1, 2), F(1), TUNED, F(20)])
def test_left_and_midpoint_grids(kappa: Fraction) -> None:
    left, middle = left_grid(kappa), midpoint_grid(kappa)
    for p in (2, 3, 6):
        assert sound(left, observed(kappa, p, of=left_error))
        assert sound(middle, observed(kappa, p, of=lambda k, t, p: error(k, t, p, F(1, 2))))
    sizes = [(int(c.witness["p"]), mp(c.witness["at"])) for c in (left, middle)]
    assert abs(left_error(mp(kappa), sizes[0][1], sizes[0][0]) - mp(left.lower)) < 1e-11
    assert abs(error(mp(kappa), sizes[1][1], sizes[1][0], F(1, 2)) - mp(middle.lower)) < 1e-11
    assert all(c.certified <= F(101, 100) * c.lower for c in (left, middle))


# --- many heads ------------------------------------------------------------------------------------------------------

def test_telescoping_heads_for_every_n_and_H() -> None:
    certificate = telescoping(TUNED, bound=SIXTEENTH)
    assert F(62090, 10**6) < certificate.certified <= SIXTEENTH
    for n, heads in [(3, 1), (3, 2), (3, 5), (4, 3), (5, 2), (7, 2), (12, 2)]:
        assert sound(certificate, observed(TUNED, n, heads))
    assert attained(TUNED, certificate)


def test_two_tokens_a_head_need_a_fifteenth() -> None:
    certificate = telescoping(TUNED, 2, F(1, 15))
    assert all(sound(certificate, observed(TUNED, 2, heads)) for heads in (1, 2, 3, 6))
    with pytest.raises(Refuted) as caught:
        telescoping(TUNED, 2, SIXTEENTH)
    assert at_witness(TUNED, caught.value) > mp(SIXTEENTH)


@pytest.mark.parametrize("kappa", [F(1, 5), F(1), F(4), F(40)])
@pytest.mark.parametrize("n", [2, 3, 6, 60, None])
def test_telescoping_within_one_percent(kappa: Fraction, n: int | None) -> None:
    certificate = telescoping(kappa, n)
    assert certificate.certified <= F(101, 100) * certificate.lower
    assert attained(kappa, certificate)
    assert n is None or certificate.witness["n"] == n
    if n != 60:
        assert sound(certificate, observed(kappa, n or 4, 4, steps=16))


# --- all temperatures ------------------------------------------------------------------------------------------------

def test_half_for_every_kappa_from_one_on() -> None:
    certificate = hard_linspace()
    assert certificate.bound == certificate.certified == F(1, 2)
    assert certificate.lower > F(49, 100)
    for kappa in (F(1), F(5, 4), F(2), F(6), F(60)):
        assert all(sound(certificate, observed(kappa, n, heads, 24)) for n, heads in [(2, 1), (2, 4), (3, 3), (5, 2)])


@pytest.mark.parametrize(("certify", "edge", "rate"), [(left_grid, F(1), 3), (midpoint_grid, F(1, 2), 2)])
def test_the_ends_of_hard_grids(certify: Callable[[], Certificate], edge: Fraction, rate: int) -> None:
    certificate = certify()
    assert certificate.certified == certificate.bound == 1
    assert certificate.lower > F(999, 1000)
    for kappa in (F(1), F(3, 2), F(4), F(9)):
        for p in (2, 3, 6):
            worst = observed(kappa, p, steps=24,
                             of=left_error if edge == 1 else lambda k, t, p: error(k, t, p, F(1, 2)))
            assert sound(certificate, (worst - mp(edge)) * MP.exp(rate * mp(kappa)))


def test_sentinels() -> None:
    certificate = sentinel()
    assert certificate.bound == 3

    def excess(kappa: int, own: int, heads: int, t: Any) -> Any:
        w = weights(MP.mpf(kappa), t, range(own * heads))
        shares = (sum(w[h * own:(h + 1) * own]) / sum(w[max(0, h * own - 1):(h + 1) * own + 1]) for h in range(heads))
        return (sum(shares) - 1) * MP.exp(2 * kappa)
    for kappa, own, heads in [(1, 1, 9), (2, 1, 5), (5, 1, 5), (1, 2, 4), (2, 2, 3), (3, 3, 3), (2, 6, 2)]:
        assert all(sound(certificate, excess(kappa, own, heads, MP.mpf(i) / 20)) for i in range(-40, 20 * own * heads + 40))
    assert abs(excess(8, 1, 9, MP.mpf(4)) - mp(certificate.lower)) < 1e-11


def test_absorption() -> None:
    certificate = absorption()
    assert certificate.bound == 3

    def scaled(gamma: Any, phi: Any) -> Any:
        gates = sum(2 * z / (1 + MP.exp(gamma * z)) for z in (phi, 1 - phi))
        return (gates - phi * (1 - phi)) * MP.exp(gamma)
    for gamma in (4, MP.mpf("4.5"), 6, 8, 12, 30, 100):
        near_zero = (MP.mpf(i) / (50 * gamma) for i in range(200))
        assert all(scaled(gamma, phi) < 3 for phi in [*(MP.mpf(i) / 100 for i in range(101)), *near_zero])
    assert abs(scaled(*(mp(x) for x in certificate.witness.values())) - mp(certificate.lower)) < 1e-9
    assert certificate.lower > 2   # so that −2e^(−γ) would be false


# --- tails, and what happens without them ----------------------------------------------------------------------------

def ends(x: arb) -> tuple[Any, Any]:
    low, high = arb_bounds(x)
    return mp(low), mp(high)


@pytest.mark.parametrize("kappa", [F(1, 4), F(1), TUNED])
@pytest.mark.parametrize("reach", [1, 2, 4])
def test_windows_of_any_reach_enclose_and_need_their_tails(kappa: Fraction, reach: int) -> None:
    if kappa < 1 and reach == 1:
        with precision(96), pytest.raises(Undecided):   # the tail does not fall geometrically
            AnchorHead(F(1, 20), reach=1)
    with precision(96):
        head = AnchorHead(kappa, reach)
        for i in range(-8, 49):
            t, truth = fmpq(i, 4), mean(mp(kappa), MP.mpf(i) / 4, 60)
            assert truth <= ends(head.upper(t, None))[1] + NOISE
            assert truth <= ends(head.upper(t, 60))[1] + NOISE
            assert truth >= ends(head.lower(t, 60))[0] - NOISE
            if kappa == 1 and i <= 4:   # with few anchors below, a window alone is too low
                assert ends(head.upper(t, int(max(0, i + 2) // 4) + reach + 1))[1] < truth
        gap, others = 2, sum(mean(mp(kappa), MP.mpf(-2 - 3 * h), 4) for h in range(30))
        assert others <= ends(head.far(gap, 3))[1] + NOISE


def without_tails(monkeypatch: pytest.MonkeyPatch) -> Certificate:
    monkeypatch.setattr(AnchorHead, "_tail", lambda self, i: arb(0))
    monkeypatch.setattr(constants, "_NEGLIGIBLE", F(1, 100))
    return single_head(F(1, 4))


def without_later_heads(monkeypatch: pytest.MonkeyPatch) -> Certificate:
    monkeypatch.setattr(AnchorHead, "far", lambda self, gap, period: arb(0))
    monkeypatch.setattr(constants, "_NEGLIGIBLE", F(1, 2))
    monkeypatch.setattr(AnchorHead, "_tail", lambda self, i: arb(0))
    return telescoping(F(1, 4), 2)


def with_wrong_ends(monkeypatch: pytest.MonkeyPatch) -> Certificate:
    sweep = constants._sweep
    monkeypatch.setattr(constants, "_sweep", lambda over, *rest: sweep(lambda u, v: over(v, u), *rest))
    return single_head(F(1, 4))


def with_wrong_sign(monkeypatch: pytest.MonkeyPatch) -> Certificate:
    upper = AnchorHead.upper
    monkeypatch.setattr(AnchorHead, "upper", lambda self, t, p: upper(self, -t, p) - t)
    return single_head(F(1, 4))


@pytest.mark.parametrize("mistake", [without_tails, without_later_heads, with_wrong_ends, with_wrong_sign])
def test_planted_mistakes_are_noticed(mistake: Callable[[pytest.MonkeyPatch], Certificate],
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    size, heads = (2, 12) if mistake is without_later_heads else (12, 1)
    truth = observed(F(1, 4), size, heads, steps=8)
    honest = telescoping(F(1, 4), 2) if heads > 1 else single_head(F(1, 4))
    assert sound(honest, truth)
    assert not sound(mistake(monkeypatch), truth)


# --- the engine ------------------------------------------------------------------------------------------------------

UNIT = [((fmpq(0), fmpq(1)),)]


def test_nothing_passes_without_a_proof() -> None:
    with pytest.raises(Undecided, match="finite"):
        negative(lambda box: arb.nan(), UNIT)
    with pytest.raises(Undecided, match="finite"):
        maximise(lambda box: arb(0), UNIT, lambda point: arb.pos_inf(), tolerance=fmpq(1))
    with pytest.raises(Undecided, match="boxes"):   # equality: x(1−x) ≤ 1/4 touches
        maximise(lambda box: arb(box[0][1] * (1 - box[0][0])), UNIT, bound=fmpq(1, 4), budget=500)
    with pytest.raises(ValueError, match="bound"):
        maximise(lambda box: arb(0), UNIT)
    with pytest.raises(Undecided, match="was not proved"):
        proved(arb.pi() > arb.pi(), "π > π")


def test_a_two_dimensional_supremum() -> None:
    found = maximise(lambda box: arb(box[0][1] * box[1][1] * (1 - box[0][0])), [UNIT[0] * 2],
                     lambda point: arb(point[0] * point[1] * (1 - point[0])), tolerance=fmpq(1, 100))
    assert found.lower is not None
    assert found.lower <= fmpq(1, 4) <= found.upper <= fmpq(1, 4) * fmpq(102, 100)


def test_rounding_is_outward_and_the_precision_comes_back() -> None:
    before = flint.ctx.prec
    third = arb(fmpq(1, 3))
    assert decimal_below(third, 3) == F(333, 1000)
    assert decimal_above(third, 3) == F(334, 1000)
    assert decimal_above(arb(fmpq(1, 4)), 3) == decimal_below(arb(fmpq(1, 4)), 3) == F(1, 4)
    assert decimal_above(-third, 3) == F(-333, 1000)
    with pytest.raises(Refuted):
        single_head(F(1), bound=SIXTEENTH)
    assert flint.ctx.prec == before


@pytest.mark.parametrize("call", [
    lambda: single_head(F(0)), lambda: single_head(F(-1)), lambda: single_head(F(1, 10**9)), lambda: single_head(TUNED, 1),
    lambda: telescoping(TUNED, 1), lambda: telescoping(F(1, 100)), lambda: left_grid(F(0)), lambda: midpoint_grid(TUNED, 0)])
def test_bad_input_is_refused(call: Callable[[], Certificate]) -> None:
    with pytest.raises(InvalidInput):
        call()
