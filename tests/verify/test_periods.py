"""Anchor heads of one spacing: suprema by what repeats, against plain sums over all anchors and against the older method."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import arb, fmpq

from boundcalc.errors import BoundcalcError
from boundcalc.formulas.target import Target
from boundcalc.results.bound import bound
from boundcalc.verify import periods
from boundcalc.verify.balls import precision, rational
from boundcalc.verify.curve import Bend, Curve, bends_of
from boundcalc.verify.kernels import StairKernel
from boundcalc.verify.line import prove_line
from boundcalc.verify.periods import prove_periods
from boundcalc.verify.program import program_of
from boundcalc.verify.proof import Proof
from boundcalc.verify.smooth import ReciprocalCurve

F = Fraction
LOW, HIGH = fmpq(1, 4), fmpq(2)
Heads = tuple[fmpq, fmpq, list[Bend]]


def plain(heads: Heads, x: fmpq) -> arb:
    """Σ k·w/Σ w over all anchors, as it is written."""
    constant, slope, gates = heads
    total = arb(constant) + slope * arb(x)
    for g in gates:
        assert isinstance(g.kernel, StairKernel)
        t = g.rate * x + g.shift
        for h in range(g.kernel.heads):
            own = t - h * g.kernel.period
            weights = [arb(-g.kernel.kappa * (own - k) * (own - k)).exp() for k in range(g.kernel.count)]
            total += g.factor * sum((k * w for k, w in enumerate(weights)), arb(0)) / sum(weights, arb(0))
    return total


def random_heads(rng: random.Random) -> Heads:
    """One spacing; grids that begin and end before, in and beyond [1/4, 2], equal ones, short and long ones, rising and
    falling ones, of one κ or of several, single heads and staircases."""
    rate, colder = fmpq(rng.choice((20, 60, 173)), rng.choice((1, 3))), rng.choice(((0,), (0, 30)))
    usual = rng.choice((150, 272, 500))
    step = rng.choice((3, 5, 8))
    gates = []
    for _ in range(rng.randrange(1, 6)):
        start, sign = fmpq(rng.randrange(-50, 250), 100), rng.choice((1, 1, -1))
        kappa = fmpq(usual + rng.choice(colder), 100)
        kernel = StairKernel(kappa, rng.choice((3, 12, 40, 150)))
        if rng.random() < 0.4:
            kernel = StairKernel(kappa, step, rng.choice((2, 3, 30, 90)))
        gates.append(Bend(fmpq(rng.randrange(-20, 21) or 1, 40 * rng.randrange(1, 9)), kernel, sign * rate,
                          -sign * rate * start))
    if rng.random() < 0.3:
        gates.append(gates[0])
    return fmpq(rng.randrange(-9, 9), 5), fmpq(rng.randrange(-9, 9), 7), gates


def waves(rng: random.Random) -> Heads:
    """Heads that are lines on the whole of [1/4, 2], one that begins there; and the line that cancels them: only deviations
    are left."""
    rate, kappa = fmpq(40), fmpq(272, 100)
    gates = [Bend(fmpq(rng.randrange(1, 20), 40), StairKernel(kappa, 400), rate, rate * fmpq(rng.randrange(100, 200), 100))
             for _ in range(3)]
    constant = -sum((g.factor * g.shift for g in gates), fmpq(0))
    slope = -sum((g.factor * g.rate for g in gates), fmpq(0))
    return constant, slope, [*gates, Bend(fmpq(1, 2000), StairKernel(kappa, 12), rate, -rate)]


class Nothing:
    """0."""

    cuts = ()

    def value(self, x: arb) -> arb:
        return arb(0)

    slope = second = value


Curved = ReciprocalCurve | Nothing


def proved(heads: Heads, target: Curved) -> Proof:
    with precision(96):
        found = prove_periods(*heads, target, LOW, HIGH)
    assert found is not None
    return found


def exceeded(seeds: range, points: int) -> list[str]:
    """Where a supremum is exceeded, or a witness does not have its value."""
    failures = []
    for seed in seeds:
        rng = random.Random(seed)
        heads, target = (random_heads(rng), ReciprocalCurve()) if seed % 2 else (waves(rng), Nothing())
        found = proved(heads, target)
        places = [LOW, HIGH, *found.point, *(LOW + (HIGH - LOW) * fmpq(rng.randrange(10**6), 10**6) for _ in range(points))]
        near = [(fmpq(d, 3) + end - g.shift) / g.rate for g in heads[2] for d in (-4, -1, 0, 1, 2, 4)
                for end in (0, g.kernel.length)]        # type: ignore[attr-defined]
        with precision(200):
            for x in (x for x in (*places, *near) if LOW <= x <= HIGH):
                error = abs(plain(heads, x) - target.value(arb(x)))
                if not error <= found.upper or (x in found.point and not error >= found.lower):
                    failures.append(f"seed {seed}: at {x}")
    return failures


@pytest.mark.dear
def test_no_supremum_is_exceeded(request: pytest.FixtureRequest) -> None:
    assert exceeded(range(60 if request.config.getoption("--whole") else 8), 30) == []


@pytest.mark.parametrize("seed", range(6))
def test_suprema_are_nearly_attained(seed: int) -> None:
    rng = random.Random(seed)
    found = proved(random_heads(rng), ReciprocalCurve()) if seed % 2 else proved(waves(rng), Nothing())
    assert found.upper <= found.lower * (1 + fmpq(1, 100))


def test_what_a_prover_may_get_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waves left out; ends of grids taken for far away that are not."""
    with monkeypatch.context() as patch:
        patch.setattr(periods._Periods, "_with_wave", lambda self, here, gate, sign: here)
        patch.setattr(periods._Periods, "_whole", lambda self, t: arb(0))
        assert exceeded(range(0, 4, 2), 20)
    # a hot head that begins two cells before the domain: there its error is that of an end, many times that of a cell
    gate = Bend(fmpq(1), StairKernel(fmpq(1, 2), 4000), fmpq(40), 2 - 40 * LOW)
    heads = -gate.shift, -gate.rate, [gate]
    with precision(200):
        error = abs(plain(heads, LOW))
    assert error <= proved(heads, Nothing()).upper
    made = periods._Table.__init__

    def hasty(self: periods._Table, *given: object) -> None:
        made(self, *given)      # type: ignore[arg-type]
        self.width = 1

    monkeypatch.setattr(periods._Table, "__init__", hasty)
    with pytest.raises(BoundcalcError, match="contradicted"):
        proved(heads, Nothing())


@pytest.mark.parametrize("kernel", [StairKernel(fmpq(272, 100), 60), StairKernel(fmpq(3, 2), 5, 20)])
def test_what_a_table_says_between_its_places_holds(kernel: StairKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Near an end and inside, four places a cell; without third derivatives it does not."""
    rng = random.Random(1)

    def missed(seen: int = 40) -> int:
        with precision(96):
            table = periods._Table(kernel, 12, 4)
        found = 0
        for _ in range(seen):
            x = fmpq(rng.randrange(-8000, 9000), 1000)
            with precision(96):
                value = table.near(x)[0] + periods._around(periods.beyond_distance(kernel.kappa, kernel.period, 12))
                wave = table.inside(x)[0] + periods._around(periods.beyond_distance(kernel.kappa, kernel.period, 12))
            middle = x + 10 * kernel.period if kernel.heads > 1 else x + 30
            with precision(200):
                found += not value.contains(kernel.value(x)) or not wave.contains(kernel.value(middle) - middle)
        return found

    assert missed() == 0
    monkeypatch.setattr(periods._Table, "_third", lambda self: arb(0))
    assert missed()


def test_first_order_forms_agree() -> None:
    b = bound("recip", N=3, p=40, range=(F(1, 2), F(1)), gate="anchor")
    program = program_of(b.network)
    heads = bends_of(program, program.outputs[0], 0)
    assert heads is not None
    with precision(96):
        new = prove_periods(*heads, ReciprocalCurve(), fmpq(1, 2), fmpq(1), bound=rational(F(1, 10)))
        old = prove_line(Curve(*heads), Target.of("1/x", {"x": 1}), (fmpq(1, 2), fmpq(1)))
    assert new is not None
    assert new.lower <= old.upper
    assert old.lower <= new.upper
    assert new.upper <= old.lower * (1 + fmpq(1, 500))


def test_staircases_of_long_and_of_short_heads_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their period, and head by head."""
    kernel = StairKernel(fmpq(272, 100), 12, 9)
    rate = fmpq(60)
    heads = fmpq(4), fmpq(-3), [Bend(fmpq(-1, 40), kernel, rate, -fmpq(20)), Bend(fmpq(1, 50), kernel, rate, fmpq(7))]
    together = proved(heads, ReciprocalCurve())
    monkeypatch.setattr(periods, "LONGEST", 3)
    apart = proved(heads, ReciprocalCurve())
    assert together.lower <= apart.upper
    assert apart.lower <= together.upper
    assert abs(together.upper / apart.upper - 1) < fmpq(1, 500)


def test_heads_of_different_spacing_are_left_to_others() -> None:
    one = StairKernel(fmpq(272, 100), 12)
    target = ReciprocalCurve()
    for gates in ([Bend(fmpq(1), one, fmpq(9), fmpq(0)), Bend(fmpq(1), one, fmpq(8), fmpq(0))],
                  [Bend(fmpq(1), StairKernel(fmpq(3), 12, 2), fmpq(9), fmpq(0)),
                   Bend(fmpq(1), StairKernel(fmpq(3), 11, 2), fmpq(9), fmpq(0))]):
        assert prove_periods(fmpq(0), fmpq(0), gates, target, LOW, HIGH) is None
