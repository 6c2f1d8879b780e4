"""recip: the least number of pieces, decided exactly; what absorbs the gates;."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import count

import mpmath
import pytest
import sympy as sp

from boundcalc.constructions import recip
from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.formulas.enclosure import lower
from boundcalc.formulas.interval import Interval
from boundcalc.formulas.symbols import INTERNAL, symbol
from boundcalc.lemmas.chords import EqualErrorKnots, absorption_lemma
from boundcalc.lemmas.record import Lemma
from boundcalc.results.bound import Bound, bound, closed_forms
from boundcalc.tune import numbers
from boundcalc.verify.evaluate import Evaluator, to_fraction

F = Fraction
DIGITS = 50
USUAL: dict[str, object] = {"range": ("1/10", 1), "eps": "1e-3"}
KNOTS = EqualErrorKnots()
LEFT, LAST, h, N, d = INTERNAL["left"], INTERNAL["last"], symbol("h"), symbol("N"), symbol("d")


def request(**changed: object) -> Bound:
    return bound("recip", **{**USUAL, **changed})  # type: ignore[arg-type]


def errors(b: Bound, points: list[Fraction]) -> list[Fraction]:
    evaluator = Evaluator(b.network, DIGITS)
    return [to_fraction(evaluator([x])[0]) - 1 / x for x in points]


# what must hold ------------------------------------------------------------------------------------------------------

def test_forty_nine_pieces() -> None:
    b = request(gate="ffn")
    assert b.values["N"] == 49
    assert b.resources["relu_layers"].exact == 1
    assert b.network.neurons == 49                              # 48 rectifiers, and x itself, which is positive
    with pytest.raises(Infeasible, match=r"^N = 48 is too small for eps = 1/1000\. The least that works is --N 49\.$"):
        request(gate="ffn", N=48)


def test_silu_needs_no_more_pieces() -> None:
    b = request(gate="silu")
    assert b.values["N"] == 49
    assert b.network.heads == 48


def enough_equal_pieces(pieces: int, a: Fraction, b: Fraction, eps: Fraction) -> bool:
    """Whether half of the largest chord error (a^(−1/2) − (a+w)^(−1/2))² over [a, a+w], w = (b−a)/pieces, is at most ε: the
    first piece is the worst, and no line is closer to a convex function on it. √P ≤ √Q + √(2ε), squared twice."""
    most, least = 1 / a, 1 / (a + (b - a) / pieces)
    gap = most - least - 2 * eps
    return gap <= 0 or gap * gap <= 8 * eps * least


def test_equal_pieces_would_need_312() -> None:
    least = next(k for k in count(2) if enough_equal_pieces(k, F(1, 10), F(1), F(1, 1000)))
    assert least == 312
    with mpmath.workdps(60):
        first = 1 / mpmath.sqrt(mpmath.mpf(1) / 10) - mpmath.sqrt(mpmath.mpf(2) / 1000)
        assert int(mpmath.ceil(mpmath.mpf(9) / 10 / (1 / first**2 - mpmath.mpf(1) / 10))) == 312


def test_beta_is_of_order_one_over_the_root_of_eps() -> None:
    """While the pieces leave a fixed part of ε: here N is given as a third more than the least, so they leave about 7/16."""
    scaled = []
    for k in range(2, 8):
        least = int(request(gate="ffn", eps=F(1, 10**k)).values["N"])
        b = request(gate="silu", eps=F(1, 10**k), N=least + least // 3 + 1)
        scaled.append(b.values["beta"] ** 2 / 10**k)
    assert max(scaled) < 4 * min(scaled)                        # β within a factor of 2, over five orders of ε
    assert scaled[-1] * 10**7 < (27 * 10**7 / 100) ** 2         # TV(f')·W(1/e)/ε, without absorption, is about 27/ε


# the exact decision --------------------------------------------------------------------------------------------------

def exactly(a: Fraction, b: Fraction, eps: Fraction) -> dict[str, Fraction]:
    return {"a": a, "b": b, "eps": eps, "delta": F(0)}


def test_the_decision_agrees_with_many_digits() -> None:
    rng = random.Random(5)
    with mpmath.workdps(80):
        for _ in range(300):
            a = F(rng.randrange(1, 500), rng.randrange(1, 200))
            b = a + F(rng.randrange(1, 900), rng.randrange(1, 90))
            eps = F(rng.randrange(1, 100), rng.randrange(100, 10**7))
            low, high, error = (mpmath.mpf(x.numerator) / x.denominator for x in (a, b, eps))
            pieces = (1 / mpmath.sqrt(low) - 1 / mpmath.sqrt(high)) / mpmath.sqrt(2 * error)
            assert abs(pieces - mpmath.nint(pieces)) > mpmath.mpf(10) ** -30
            for strict in (False, True):
                assert KNOTS.least(exactly(a, b, eps), strict) == max(2, int(mpmath.ceil(pieces)))


@pytest.mark.parametrize("root", [F(1, 2), F(2, 3), F(1, 3), F(7, 11), F(99, 100)], ids=str)
@pytest.mark.parametrize("pieces", [2, 3, 10, 997])
@pytest.mark.parametrize("a", [F(1, 10), F(3), F(5, 7)], ids=str)
def test_exact_ties(root: Fraction, pieces: int, a: Fraction) -> None:
    """√(a/b) rational and ε exactly (1 − √(a/b))²/(2aN²): N pieces are enough where nothing else needs room."""
    eps, b = (1 - root) ** 2 / (2 * a * pieces**2), a / root**2
    assert KNOTS.least(exactly(a, b, eps), strict=False) == pieces
    assert KNOTS.least(exactly(a, b, eps), strict=True) == pieces + 1
    tiny = eps / 10**40
    assert KNOTS.least(exactly(a, b, eps - tiny), strict=False) == pieces + 1
    assert KNOTS.least(exactly(a, b, eps + tiny), strict=True) == pieces
    step, is_exact = KNOTS.step_for(exactly(a, b, eps), pieces, strict=False)
    assert (step, is_exact) == ((1 - root) / pieces, True)
    assert a / (1 - pieces * step) ** 2 == b


def test_no_slack_at_all() -> None:
    b = request(range=("1/4", 1), eps="1/8", gate="ffn")
    assert (b.values["N"], b.total.exact) == (2, F(1, 8))
    assert request(range=("1/4", 1), eps="1/8", gate="silu").values["N"] == 3
    assert request(range=("1/4", 1), eps="1/8", gate="anchor").values["N"] == 3


def test_a_rounded_step_reaches_the_end_and_keeps_most_of_the_room() -> None:
    rng = random.Random(6)
    for _ in range(100):
        a = F(rng.randrange(1, 50), rng.randrange(1, 20))
        b = a + F(rng.randrange(1, 90), rng.randrange(1, 9))
        values = exactly(a, b, F(rng.randrange(1, 100), rng.randrange(100, 10**5)))
        pieces = KNOTS.least(values, strict=True) + rng.randrange(3)
        step, _ = KNOTS.step_for(values, pieces, strict=True)
        assert a / (1 - pieces * step) ** 2 >= b
        assert 0 < pieces * step < 1
        with mpmath.workdps(60):
            root = mpmath.sqrt(mpmath.mpf((a / b).numerator) / (a / b).denominator)
            best = values["eps"] - F(mpmath.nstr(((1 - root) / pieces) ** 2, 50)) / (2 * a)
        assert values["eps"] - step**2 / (2 * a) >= F(9, 10) * best - F(1, 10**40)


# closed forms, points and refusals -----------------------------------------------------------------------------------

def test_closed_forms() -> None:
    a = closed_forms("recip", gate="ffn")
    assert sp.expand(a.total.hi - h**2 / (2 * LEFT)) == sp.expand(a.total.lo + h**2 / (2 * LEFT)) == 0
    silu = closed_forms("recip")
    assert silu.complete(silu.resources["heads"]) == sp.expand(d * (N - 1)) or sp.expand(
        silu.complete(silu.resources["heads"]) - d * (N - 1)) == 0
    assert sp.expand(silu.total.hi - h**2 / (2 * LEFT)) == 0
    for gate, parameters in (("anchor", ("p",)), ("anchors", ("n", "H"))):
        found = closed_forms("recip", gate=gate)
        used = {s for e in found.resources.values() for s in found.complete(e).free_symbols}
        assert used >= {symbol(x) for x in (*parameters, "N", "d")}


@pytest.mark.parametrize("range_", [("1/10", "1"), ("9", "10"), ("1/7", "9"), ("1", "1000")], ids=str)
@pytest.mark.parametrize("gate", ["ffn", "silu"])
def test_error_all_over_every_piece(range_: tuple[str, str], gate: str) -> None:
    b = request(range=range_, gate=gate, eps=F(1, 200) / F(range_[0]))
    low, step, last = F(range_[0]), b.values["h"], int(b.values["N"])
    u = [1 - F(i, 8) * step for i in range(8 * last + 1)]
    inside = [low / t**2 for t in u if low / t**2 <= F(range_[1])]
    found = errors(b, inside)
    below = lower(b.analysis.total.lo, numbers(b.values), 60)
    assert max(found) <= b.values["eps"]
    assert min(found) >= below - F(1, 10**DIGITS)
    if gate == "ffn":
        assert max(found) > F(97, 100) * step**2 / (2 * low)


@pytest.mark.parametrize("options", [
    {"range": (-1, 1)}, {"range": (0, 1)}, {"range": (-2, -1)}, {"range": None}, {"range": ("1/10", 1), "delta": "1/10"},
    {"range": ("1/10", 1), "delta": "1/5"}, {"N": 1}, {"range": None, "M": 1}, {"range": (1, 1)}, {"range": (2, 1)}],
    ids=str)
def test_bad_input_is_refused_with_what_would_work(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        request(**{**options, "gate": "ffn"})
    remedy = refusal.value.remedy
    assert "--range" in remedy or "--N 2" in remedy


def test_a_beta_below_the_reach_of_the_lemma_is_refused() -> None:
    with pytest.raises(Infeasible, match=r"--beta of at least 1443\.296\.$"):
        request(gate="silu", N=49, beta=1)


# sabotage ------------------------------------------------------------------------------------------------------------

def test_absorption_without_room_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lemma that says that chords absorb gates completely: at the least β it allows, the gates next to a knot show."""
    right = absorption_lemma()

    def without_room() -> Lemma:
        error = tuple((s, i if s == "interpolation" else Interval(i.lo / 1000, i.hi)) for s, i in right.error)
        return Lemma(right.label, right.statement, error, right.reference, from_beta=right.from_beta)

    honest = request(gate="silu", N=60)
    monkeypatch.setattr(recip, "absorption_lemma", without_room)
    b = request(gate="silu", N=60)
    assert b.values["beta"] < honest.values["beta"]
    knots = [b.values["left"] / (1 - i * b.values["h"]) ** 2 for i in range(1, 30)]
    below = lower(b.analysis.total.lo, numbers(b.values), 60)
    assert min(errors(b, knots)) < below - F(1, 10**10)
    honest_below = lower(honest.analysis.total.lo, numbers(honest.values), 60)
    assert min(errors(honest, knots)) >= honest_below


def test_a_wrong_chord_error_is_noticed() -> None:
    """h²/(2A) is attained: h²/(2A)·999/1000 would be exceeded at every knot and inside every piece."""
    b = request(gate="ffn", N=49)
    x = b.values["left"] / (1 - b.values["h"])
    (found,) = errors(b, [x])
    assert found > F(999, 1000) * b.values["h"] ** 2 / (2 * b.values["left"])
