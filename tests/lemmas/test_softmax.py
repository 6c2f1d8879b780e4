"""Lemmas S1–S7, Q1 and Q2 against softmax itself, at 40 digits: the bounds hold, and are attained where they say so.

Rounding is the only slack: 10^(−30) relative where 40 digits are carried. Attained means within that slack too, unless a
test says what else limits it. A private mpmath context: the global one is not ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from mpmath.ctx_mp import MPContext

from boundcalc.formulas.enclosure import lower, upper
from boundcalc.formulas.symbols import C, symbol
from boundcalc.lemmas import softmax as lemmas
from boundcalc.lemmas.sawtooth import CHORD, LEVEL_RESIDUAL, RESIDUAL

mp = MPContext()
mp.dps = 40
SLACK = mp.mpf(10) ** -30
Mpf = Any

beta_symbol = symbol("beta")


def value(expr: sp.Expr, **at: Fraction | int) -> Mpf:
    """A closed form of the package at rational parameters, to 38 digits or better."""
    numbers = {symbol(k): Fraction(v) for k, v in at.items()}
    low, high = lower(expr, numbers, 38), upper(expr, numbers, 38)
    assert abs(high - low) <= abs(high) / 10**37
    return mp.mpf(high.numerator) / high.denominator


def softmax(scores: Sequence[Mpf], beta: Mpf = 1) -> list[Mpf]:
    top = max(scores)
    masses = [mp.exp(beta * (s - top)) for s in scores]
    whole = mp.fsum(masses)
    return [x / whole for x in masses]


def head(values: Sequence[Mpf], scores: Sequence[Mpf], beta: Mpf) -> Mpf:
    return mp.fsum(v * w for v, w in zip(values, softmax(scores, beta), strict=True))


def norm(x: Sequence[Mpf], p: float) -> Mpf:
    if p == float("inf"):
        return max(abs(v) for v in x)
    return mp.fsum(abs(v) ** p for v in x) ** (mp.mpf(1) / p)


def draw(rng: random.Random, low: float = -3, high: float = 3) -> Mpf:
    return mp.mpf(rng.randrange(10**12)) / 10**12 * (high - low) + low


ORDERS = [1, 2, float("inf"), Fraction(3, 2), 4]


def order(p: float | Fraction) -> sp.Expr:
    return sp.oo if p == float("inf") else sp.Rational(str(Fraction(p)))


@pytest.mark.parametrize("q", ORDERS)
@pytest.mark.parametrize("p", ORDERS)
def test_s1_holds_and_is_attained_by_the_jacobian_at_one_half(q: float, p: float) -> None:
    rng = random.Random(f"{p}{q}")
    beta = Fraction(7, 2)
    constant = value(lemmas.lipschitz(order(q), order(p)), beta=beta)
    pf, qf = (float(x) if x == float("inf") else mp.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (p, q))
    for _ in range(60):
        n = rng.choice((2, 3, 5))
        x, y = ([draw(rng, -1, 1) for _ in range(n)] for _ in range(2))
        moved = [a - b for a, b in zip(softmax(x, mp.mpf(7) / 2), softmax(y, mp.mpf(7) / 2), strict=True)]
        assert norm(moved, pf) <= constant * norm([a - b for a, b in zip(x, y, strict=True)], qf) * (1 + SLACK)
        # the Jacobian β(diag w − wwᵀ) in a random direction
        w = softmax(x, mp.mpf(7) / 2)
        mean = mp.fsum(a * b for a, b in zip(w, y, strict=True))
        image = [mp.mpf(7) / 2 * a * (b - mean) for a, b in zip(w, y, strict=True)]
        assert norm(image, pf) <= constant * norm(y, qf) * (1 + SLACK)
    # w = (½, ½), direction (1, −1)
    image = [mp.mpf(7) / 4, -mp.mpf(7) / 4]
    assert abs(norm(image, pf) / norm([1, -1], qf) - constant) <= SLACK * constant


def test_s1_known_values() -> None:
    beta = beta_symbol
    assert [lemmas.lipschitz(q, p) for q, p in ((sp.oo, sp.oo), (1, 1), (2, 2))] == [beta / 2] * 3
    assert lemmas.lipschitz(sp.oo, 1) == beta
    assert lemmas.lipschitz(1, sp.oo) == beta / 4


def test_s2_holds() -> None:
    rng = random.Random(2)
    factor = value(lemmas.head_perturbation(sp.Rational(1, 3), sp.Integer(0), sp.Integer(1)), beta=Fraction(5, 2))
    for _ in range(300):
        n = rng.choice((2, 3, 6))
        scores, values = [draw(rng) for _ in range(n)], [draw(rng) for _ in range(n)]
        worst = rng.random() < 0.5
        sign = (lambda: rng.choice((-1, 1))) if worst else (lambda: draw(rng, -1, 1))
        common = draw(rng)                                  # a shift of all scores is free
        new_scores = [s + common + sign() * mp.mpf(1) / 3 for s in scores]
        new_values = [v + sign() * mp.mpf(1) / 7 for v in values]
        spread = min(max(values) - min(values), max(new_values) - min(new_values))
        moved = abs(head(new_values, new_scores, mp.mpf(5) / 2) - head(values, scores, mp.mpf(5) / 2))
        assert moved <= mp.mpf(1) / 7 + spread * factor * (1 + SLACK) + SLACK


@pytest.mark.parametrize("n", [2, 3, 10, 50])
def test_s2_is_attained_whatever_n(n: int) -> None:
    """One value 1 against n − 1 values 0, with scores such that the mass is balanced around the move."""
    beta, delta = mp.mpf(5) / 2, mp.mpf(1) / 3
    lead = mp.log(n - 1) / beta                             # equal mass on both sides at no perturbation
    values = [mp.mpf(1)] + [mp.mpf(0)] * (n - 1)
    up = head(values, [lead + delta / 2] + [-delta / 2] * (n - 1), beta)
    down = head(values, [lead - delta / 2] + [delta / 2] * (n - 1), beta)
    stated = value(lemmas.head_perturbation(sp.Rational(1, 3), sp.Integer(0), sp.Integer(1)), beta=Fraction(5, 2))
    assert abs((up - down) - stated) <= SLACK


def test_s3_holds_is_attained_at_equal_gaps_and_inverts() -> None:
    rng = random.Random(3)
    for n, gap, beta in ((2, Fraction(1), Fraction(3)), (5, Fraction(1, 2), Fraction(7)), (40, Fraction(2), Fraction(5, 2))):
        stated = value(lemmas.off_mass(sp.Integer(n), sp.Rational(str(gap))), beta=beta)
        b, g = mp.mpf(beta.numerator) / beta.denominator, mp.mpf(gap.numerator) / gap.denominator
        for _ in range(40):
            others = [-g - abs(draw(rng)) * rng.choice((0, 1)) for _ in range(n - 1)]
            assert 1 - softmax([mp.mpf(0), *others], b)[0] <= stated * (1 + SLACK)
        weights = softmax([mp.mpf(0), *[-g] * (n - 1)], b)
        assert abs((1 - weights[0]) - stated) <= SLACK * stated * 1000     # 1 − w loses three digits here
        # ℓ∞ distance to the one-hot vector q, ℓ1 distance 2q
        assert abs(mp.fsum([1 - weights[0], *weights[1:]]) - 2 * stated) <= SLACK
        mass = Fraction(1, 100)
        needed = lemmas.selection_beta(sp.Integer(n), sp.Rational(str(gap)), sp.Rational(1, 100))
        at = value(needed)
        found = 1 - softmax([mp.mpf(0), *[-g] * (n - 1)], at)[0]
        assert abs(found - mp.mpf(mass.numerator) / mass.denominator) <= SLACK
        symbolic = lemmas.off_mass(sp.Integer(n), sp.Rational(str(gap)), needed)
        assert sp.simplify(sp.exp(sp.log(symbolic)) - sp.Rational(1, 100)) == 0


def test_s4_holds_is_attained_and_disperses() -> None:
    rng = random.Random(4)
    for n in (2, 3, 17, 200):
        stated = value(lemmas.largest_weight(sp.Integer(n), sp.Rational(3, 2)), beta=2)
        for _ in range(20):
            assert max(softmax([draw(rng, -1.5, 1.5) for _ in range(n)], 2)) <= stated * (1 + SLACK)
        assert abs(softmax([mp.mpf(3) / 2] + [-mp.mpf(3) / 2] * (n - 1), 2)[0] - stated) <= SLACK
    assert value(lemmas.largest_weight(sp.Integer(10**9), sp.Rational(3, 2)), beta=2) < mp.mpf(10) ** -6


def boltzmann(x: Sequence[Mpf], beta: Mpf) -> Mpf:
    return max(x) - head(x, x, beta)


@pytest.mark.parametrize("n", [2, 3, 8, 33, 1000])
def test_s5_holds_and_is_attained(n: int) -> None:
    rng = random.Random(5)
    beta = mp.mpf(9) / 4
    stated = value(lemmas.boltzmann_gap(sp.Integer(n)), beta=Fraction(9, 4))
    gap = value(lemmas.boltzmann_witness_gap(sp.Integer(n)), beta=Fraction(9, 4))
    for k in range(60):
        spread = rng.choice((0.1, 1, 3, 10))
        near = -gap * (1 + draw(rng, -1, 1) / 3)
        x = [draw(rng, -spread, spread) for _ in range(n)] if k % 2 else [mp.mpf(0), *[near] * (n - 1)]
        assert 0 <= boltzmann(x, beta) <= stated * (1 + SLACK)
    assert abs(boltzmann([mp.mpf(0), *[-gap] * (n - 1)], beta) - stated) <= SLACK
    for other in (gap * mp.mpf("0.999"), gap * mp.mpf("1.001")):
        assert boltzmann([mp.mpf(0), *[-other] * (n - 1)], beta) < stated


@pytest.mark.parametrize("n", [2, 5, 33])
def test_s5_bounded(n: int) -> None:
    """With every gap at most G below the worst one the supremum is at all gaps = G."""
    rng = random.Random(6)
    beta = mp.mpf(9) / 4
    bound = Fraction(2, 5)
    assert mp.mpf(2) / 5 < value(lemmas.boltzmann_witness_gap(sp.Integer(n)), beta=Fraction(9, 4))
    stated = value(lemmas.boltzmann_gap_within(sp.Integer(n), sp.Rational(2, 5)), beta=Fraction(9, 4))
    assert stated < value(lemmas.boltzmann_gap(sp.Integer(n)), beta=Fraction(9, 4))
    for _ in range(100):
        gaps = [draw(rng, 0, 0.4) if rng.random() < 0.5 else mp.mpf(2) / 5 for _ in range(n - 1)]
        assert 0 <= boltzmann([mp.mpf(0), *[-g for g in gaps]], beta) <= stated * (1 + SLACK)
    worst = boltzmann([mp.mpf(0), *[-mp.mpf(bound.numerator) / bound.denominator] * (n - 1)], beta)
    assert abs(worst - stated) <= SLACK


def silu(z: Mpf, beta: Mpf) -> Mpf:
    return head([z, mp.mpf(0)], [z, mp.mpf(0)], beta)       # the gate as the two-token head that it is


def test_s6_holds_and_is_attained() -> None:
    rng = random.Random(7)
    beta = mp.mpf(13) / 3
    stated = value(lemmas.W1 / beta_symbol, beta=Fraction(13, 3))
    for _ in range(200):
        z = draw(rng, -4, 4)
        loss = max(z, mp.mpf(0)) - silu(z, beta)
        assert 0 <= loss <= stated * (1 + SLACK)
        text = Fraction(int(z * 10**12), 10**12)
        exact = mp.mpf(text.numerator) / text.denominator
        formula = value(lemmas.silu_gap(sp.Rational(text.numerator, text.denominator)), beta=Fraction(13, 3))
        assert abs(max(exact, mp.mpf(0)) - silu(exact, beta) - formula) <= SLACK
    at = (1 + mp.lambertw(mp.exp(-1)).real) / beta
    for z in (at, -at):
        assert abs(max(z, mp.mpf(0)) - silu(z, beta) - stated) <= SLACK
    assert abs(stated * beta - mp.mpf("0.2784645427610737951")) <= mp.mpf(10) ** -19


def test_s6_lipschitz_constant() -> None:
    """sup |silu'| = ½ + u/4 with u·tanh(u/2) = 2, whatever β: 1.09984."""
    u = mp.findroot(lambda x: x * mp.tanh(x / 2) - 2, 2.4)
    constant = mp.mpf(1) / 2 + u / 4
    assert str(constant).startswith("1.09983")
    rng = random.Random(8)
    for beta in (mp.mpf(1), mp.mpf(50)):
        steepest = mp.mpf(0)
        for _ in range(200):
            x, y = (draw(rng, -5, 5) / beta for _ in range(2))
            assert abs(silu(x, beta) - silu(y, beta)) <= constant * abs(x - y) * (1 + SLACK)
        for x in (u / beta, u / beta * mp.mpf("0.9"), u / beta * mp.mpf("1.1")):
            s = 1 / (1 + mp.exp(-beta * x))
            steepest = max(steepest, s + beta * x * s * (1 - s))
        assert abs(steepest - constant) <= SLACK


def test_s7_holds_and_is_asymptotically_sharp() -> None:
    rng = random.Random(9)
    for _ in range(200):
        tau = abs(draw(rng, 0.001, 2))
        x, y = draw(rng), draw(rng)
        out = head([y, -y], [x, -x], tau)                   # two tokens with scores ±τx and values ±y
        assert abs(out - y * mp.tanh(tau * x)) <= SLACK
        assert abs(x * y - out / tau) <= tau**2 * abs(x) ** 3 * abs(y) / 3 * (1 + SLACK) + SLACK
    assert lemmas.tilt_error(symbol("M"), symbol("M")) == beta_symbol**2 * symbol("M") ** 4 / 3
    ratios = []
    for k in (1, 2, 3, 4):
        tau = mp.mpf(10) ** -k
        ratios.append((1 - mp.tanh(tau) / tau) / (tau**2 / 3))
    assert ratios == sorted(ratios)
    assert 1 - mp.mpf(10) ** -7 < ratios[-1] < 1
    assert ratios[0] > mp.mpf("0.99")


# ---------------------------------------------------------------------------------------------------------------
# the sawtooth square

def sawtooth(t: Any, levels: int, rho: Callable[[Any], Any], half: Any) -> Any:
    g, acc = t, t
    for s in range(1, levels + 1):
        g = 2 * g - 4 * rho(g - half)
        acc = acc - g / 4**s
    return acc


@pytest.mark.parametrize("levels", range(7))
def test_q1_exactly(levels: int) -> None:
    """0 ≤ f_m(t) − t² ≤ 4^(−m−1) in Fractions on a fine grid; both ends attained, at knots and midpoints of pieces."""
    chord = CHORD.xreplace({symbol("m"): sp.Integer(levels)})
    stated = Fraction(int(chord.p), int(chord.q))
    pieces = 2 ** (levels + 1)
    errors = []
    for k in range(3 * pieces + 1):
        t = Fraction(k, 3 * pieces)
        errors.append(sawtooth(t, levels, lambda z: max(z, Fraction(0)), Fraction(1, 2)) - t * t)
    assert min(errors) == 0
    assert max(errors) == stated
    assert {errors[3 * k] for k in range(1, pieces, 2)} == {stated}      # every midpoint of every piece


def test_q2_residual_is_exact() -> None:
    """One silu level: x − g/2 + g²/4 − x² = −v²·sech²(βv/2) with v = x − ½ and g = 2x − 4·silu(v)."""
    rng = random.Random(10)
    constant = value(C / 1)
    for _ in range(300):
        x, beta = draw(rng, 0, 1), abs(draw(rng, 0.1, 60))
        v = x - mp.mpf(1) / 2
        g = 2 * x - 4 * silu(v, beta)
        residual = x - g / 2 + g * g / 4 - x * x
        assert abs(residual + v**2 * mp.sech(beta * v / 2) ** 2) <= SLACK
        assert -constant / beta**2 * (1 + SLACK) <= residual <= SLACK
        assert -SLACK <= g <= 1 + SLACK                     # trajectories stay in [0, 1]
    u = mp.findroot(lambda x: x * mp.tanh(x) - 1, 1.2)
    assert abs(constant - 4 * (u**2 - 1)) <= SLACK
    assert abs(constant - 4 * u**2 * mp.sech(u) ** 2) <= SLACK           # attained at |v| = 2u/β


def test_q2_identity_symbolically() -> None:
    x, b = sp.Symbol("x", real=True), sp.Symbol("b", positive=True)
    v = x - sp.Rational(1, 2)
    g = 1 - 2 * v * sp.tanh(b * v / 2)
    left = x - g / 2 + g**2 / 4 - x**2
    right = -(v**2) * (1 - sp.tanh(b * v / 2) ** 2)
    assert sp.expand(left - right) == 0


@pytest.mark.parametrize("levels", [0, 1, 2, 4, 7])
def test_q2_bound_of_the_whole_sawtooth(levels: int) -> None:
    rng = random.Random(levels)
    for _ in range(60):
        beta = Fraction(rng.randrange(1, 4000), 10)
        b = mp.mpf(beta.numerator) / beta.denominator
        t = draw(rng, 0, 1) if rng.random() < 0.5 else mp.mpf(1) / 2 + draw(rng, -3, 3) / (b + 6)
        t = min(mp.mpf(1), max(mp.mpf(0), t))
        error = sawtooth(t, levels, lambda z, b=b: silu(z, b), mp.mpf(1) / 2) - t * t
        low = value(RESIDUAL * LEVEL_RESIDUAL, m=levels, beta=beta) if levels else mp.mpf(0)
        assert -low * (1 + SLACK) - SLACK <= error <= mp.mpf(4) ** (-levels - 1) + SLACK
