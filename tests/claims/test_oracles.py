"""Verdicts on random claims, compared with z3 and with mpmath; 10 of each by default, 200 with --whole, at few steps.

The full numbers: python -m tests.claims.attack --polynomials 2000 --transcendental 2000.
"""

from __future__ import annotations

import pytest

from .attack import polynomials, strings, transcendental
from .oracles import box_of, dense, judged_by_points, judged_by_z3, polynomial_claim, transcendental_claim, truth_by_z3
from .suite import Answer

STEPS = 3000
POLYNOMIAL_STEPS = 8000


@pytest.fixture(scope="module")
def count(request: pytest.FixtureRequest) -> int:
    return 200 if request.config.getoption("--whole") else 10


@pytest.fixture(scope="module")
def by_z3(count: int) -> list[tuple[str, str, str]]:
    return list(polynomials(count, 0, POLYNOMIAL_STEPS))


@pytest.fixture(scope="module")
def by_points(count: int) -> list[tuple[str, str, str]]:
    return list(transcendental(count, 0, STEPS))


def wrong(outcomes: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [o for o in outcomes if o[1] not in ("right", "open")]


def share(outcomes: list[tuple[str, str, str]], *truths: str) -> float:
    counted = [worth for truth, worth, _ in outcomes if truth in truths]
    return counted.count("right") / len(counted)


def test_no_verdict_contradicts_z3(by_z3: list[tuple[str, str, str]]) -> None:
    assert not wrong(by_z3)


def test_most_polynomial_claims_are_decided(by_z3: list[tuple[str, str, str]]) -> None:
    assert share(by_z3, "true", "false") >= 0.9, [o for o in by_z3 if o[1] == "open"]


def test_undefined_points_are_shown(by_z3: list[tuple[str, str, str]]) -> None:
    assert not [o for o in by_z3 if o[0].startswith("undefined") and o[1] != "right"]


def test_no_verdict_contradicts_values_at_points(by_points: list[tuple[str, str, str]]) -> None:
    assert not wrong(by_points)


def test_most_transcendental_claims_are_decided(by_points: list[tuple[str, str, str]]) -> None:
    assert share(by_points, "no failure", "false") >= 0.85, [o for o in by_points if o[1] == "open"]


def test_hostile_strings_get_a_position_and_a_reason(request: pytest.FixtureRequest) -> None:
    assert not wrong(list(strings(20000 if request.config.getoption("--whole") else 300, 0)))


@pytest.mark.dear
def test_the_random_claims_are_what_they_should_be() -> None:
    """True and false ones, undefined ones, in one to three variables; the oracles tell them apart."""
    truths = [truth_by_z3(*polynomial_claim(seed)) for seed in range(24)]
    assert min(truths.count("true"), truths.count("false")) >= 4
    assert any(t.startswith("undefined") for t in (truth_by_z3(*polynomial_claim(seed)) for seed in range(0, 60, 10)))
    assert {len(box_of(polynomial_claim(seed)[1]).ends) for seed in range(30)} == {1, 2, 3}
    seen = [dense(claim, box_of(domain)) for claim, domain in (transcendental_claim(seed) for seed in range(15))]
    assert sum(s.failing is not None for s in seen) >= 3
    assert sum(s.failing is None for s in seen) >= 3


def test_oracles_see_wrong_verdicts() -> None:
    assert judged_by_z3("x**2 >= 0", "x in [-1, 1]", Answer("refuted"))[1].startswith("unsound")
    assert judged_by_z3("x**2 > 0", "x in [-1, 1]", Answer("proved"))[1].startswith("unsound")
    assert judged_by_z3("1/x**2 > 0", "x in [-1, 1]", Answer("proved"))[1].startswith("unsound")
    assert judged_by_points("exp(x) >= 1", "x in [-1, 1]", Answer("proved"))[1].startswith("unsound")
    assert judged_by_points("exp(x) >= 1/3", "x in [-1, 1]", Answer("refuted", witness={"x": 0}))[1].startswith("unsound")
    assert judged_by_points("log(x) <= 5", "x in [-1, 1]", Answer("proved"))[1].startswith("unsound")
