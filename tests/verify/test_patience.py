"""A verification that is given no more time says what it found, and never more than it found."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

import boundcalc
from boundcalc.export.verified import screen
from boundcalc.networks.network import AffineLayer, Matrix, Network, Vector
from boundcalc.results.verification import NotCertified, Observation
from boundcalc.verify import patience, search, verification
from boundcalc.verify.balls import maximise
from boundcalc.verify.family_program import program_of_families
from boundcalc.verify.patience import OutOfTime, check_time, left, within
from boundcalc.verify.program import program_of


def test_time_runs_out_inside_only() -> None:
    def wait() -> None:
        while True:
            check_time()

    with within(0.0), pytest.raises(OutOfTime):
        wait()
    check_time()
    assert left() is None


def test_an_inner_limit_does_not_lengthen_the_outer_one() -> None:
    with within(0.0), within(1000.0):
        time_left = left()
        assert time_left is not None
        assert time_left < 1
    with within(1000.0), within(None):
        assert left() is not None


def test_a_proof_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that never comes: whatever the machine, the answer is the same."""
    from flint import arb, fmpq

    def endless(*_: object, **__: object) -> object:
        return maximise(lambda box: arb(1), [((fmpq(0), fmpq(1)),)], lambda p: arb(0), tolerance=fmpq(1, 10), budget=10**9)

    monkeypatch.setattr(verification, "certify", endless)
    found = boundcalc.verify(boundcalc.bound("relu", eps="1e-2"), timeout=0.3)
    assert isinstance(found.certified, NotCertified)
    assert found.holds is None
    assert found.reason == "not finished within 0.3 s of CPU time"
    assert found.observed.error > 0


@pytest.mark.parametrize("timeout", [0.0, 0.05, 0.5])
def test_a_large_network_ends_in_time(timeout: float) -> None:
    """Reading its weights alone takes longer than the least of these; the network itself is made before."""
    bound = boundcalc.bound("mult", eps="1e-2", gate="anchors", n=4, m=4)
    entries = bound.network.parameters
    assert entries > 1000
    begin = time.process_time()
    found = boundcalc.verify(bound, timeout=timeout)
    assert time.process_time() - begin < 30          # minutes without a limit
    assert found.observed.error <= bound.values["eps"]
    if found.proved is None:
        assert found.holds is None
        assert "CPU time" in str(found.reason)


def test_a_point_above_the_goal_is_reported_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Observation(Fraction(1), {"x": Fraction(0)}, Fraction(0), 1, 50)

    def slow(*_: object, **__: object) -> object:
        raise OutOfTime

    monkeypatch.setattr(verification, "search", lambda *_, **__: seen)
    monkeypatch.setattr(verification, "certify", slow)
    assert boundcalc.verify(boundcalc.bound("relu", eps="1e-3"), timeout=60).holds is False


@pytest.mark.parametrize("timeout", [0.0, 0.02, 0.1])
def test_a_family_ends_in_time(timeout: float) -> None:
    """Nothing was written, so that the worst point is evaluated in balls: also when there is no time left for that."""
    bound = boundcalc.bound("square", gate="anchor", eps="1e-6")
    assert (bound.resources["parameters"].exact or 0) > 10**6
    found = boundcalc.verify(bound, timeout=timeout)
    assert found.observed.by == "balls"
    assert found.observed.error <= bound.values["eps"]
    assert found.holds is None


def test_reading_a_family_ends_in_time() -> None:
    """Thousands of runs of heads are read one after the other."""
    bound = boundcalc.bound("recip", gate="anchors", eps="1e-6", range=("1/10", "1"))
    assert (bound.resources["parameters"].exact or 0) > 10**6
    found = boundcalc.verify(bound, timeout=0.0)
    assert (found.observed.by, found.observed.points, found.holds) == ("balls", 1, None)
    assert found.reason == "not finished within 0 s of CPU time"
    assert any("one evaluation, for which there was time" in line for line in screen(found))
    with within(0.0), pytest.raises(OutOfTime):
        program_of_families(bound.families)


def test_what_was_seen_before_time_ran_out_is_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> object:
        raise OutOfTime

    bound = boundcalc.bound("clip", gate="anchor", eps="1e-7", range=(0, 1))
    whole = boundcalc.verify(bound).observed
    monkeypatch.setattr(search, "in_balls", late)
    found = boundcalc.verify(bound).observed
    assert found.at == whole.at
    assert whole.error * Fraction(999_999, 10**6) < found.error <= whole.error * Fraction(1_000_001, 10**6)


def test_multiplying_layers_out_ends_in_time() -> None:
    """Rows of a dense layer behind others are long sums, also where there is no gate to be recognised."""
    dense = AffineLayer(Matrix(9, 9, tuple((i, j, Fraction(i - j, 7)) for i in range(9) for j in range(9))), Vector(9))
    names = tuple(f"x{k}" for k in range(9))
    with within(0.0), pytest.raises(OutOfTime):
        program_of(Network(names, names, (dense, dense)))


def test_no_limit_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    whole = verification.certify

    def watched(*given: object, **more: object) -> object:
        limits.append(patience.left())
        return whole(*given, **more)        # type: ignore[arg-type]

    monkeypatch.setattr(verification, "certify", watched)
    assert boundcalc.verify(boundcalc.bound("relu", eps="1e-2")).holds
    assert limits == [None]


def test_progress_is_told() -> None:
    told: list[tuple[str, int]] = []
    boundcalc.verify(boundcalc.bound("mult", eps="1e-2"), progress=lambda what, done: told.append((what, done)))
    assert {what for what, _ in told} == {"reading the weights", "searching the worst point", "proving"}


def test_observing_ends_in_time() -> None:
    bound = boundcalc.bound("mult", eps="1e-3")
    assert boundcalc.observe(bound, timeout=0.0).points <= 2
    assert boundcalc.observe(bound, timeout=100).points > 100
