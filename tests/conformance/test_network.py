"""The exported network: what is listed in it, and what it computes once it has been written, read and evaluated."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from boundcalc.formulas.enclosure import exact_value, lower, upper
from boundcalc.formulas.target import near_values
from boundcalc.networks import file as network_file
from boundcalc.results.bound import Bound
from boundcalc.tune import numbers
from boundcalc.verify.evaluate import Evaluator, to_fraction

from .cases import CHOSEN, Case, built, cells, kappa
from .points import narrowest, points
from .reference import run

every_case = pytest.mark.parametrize("case", CHOSEN, ids=str)
DIGITS = 50
TINY = 10**120


def bounds(b: Bound) -> tuple[Fraction, Fraction]:
    """Rationals outside the derived signed error: at most 60 digits' worth wider, and exact where it is rational."""
    at = numbers(b.values)
    low, high = (b.analysis.evaluable(e) for e in (b.analysis.total.lo, b.analysis.total.hi))
    return lower(low, at, 60), upper(high, at, 60)


def excess(b: Bound, evaluator: Evaluator, exact: list[Fraction], perturbed: list[Fraction]) -> Fraction:
    """How far the network leaves the derived error at this point; at most 0 if it does not.

    The evaluator promises 10^(−50)·max(1, |y|), and an irrational target is known as well: that is all the slack that is
    granted."""
    low, high = bounds(b)
    worst = Fraction(-1)
    targets = near_values(b.targets(), exact, DIGITS)
    for y, (target, off) in zip(map(to_fraction, evaluator(perturbed)), targets, strict=True):
        slack = max(Fraction(1), abs(y)) / 10**DIGITS + off
        error = y - target
        worst = max(worst, error - high - slack, low - error - slack)
    return worst


@every_case
def test_listed_entries_are_the_derived_counts(case: Case) -> None:
    b = built(case)
    listed = b.network.resources()
    assert set(listed) == set(b.resources) - {"logit"}
    at = numbers(b.values)
    for name, number in listed.items():
        assert b.resources[name].exact == number, name
        if name != "bits":
            assert exact_value(b.analysis.resources[name], at) == number, name
    assert listed["beta"] == expected_beta(case, b)


def expected_beta(case: Case, b: Bound) -> Fraction:
    """κ·(cells)²/w², w the width of the narrowest ramp: each gate has a grid of its own; elsewhere β is a parameter."""
    if not b.network.heads:
        return Fraction(0)
    if case.gate not in ("anchor", "anchors"):
        own = [x for name, x in b.values.items() if name.partition("_")[0] == "beta"]       # of the parts of a plan
        return max(own) if own else Fraction(1)        # heads that are exact have none to choose
    return kappa(case, b.values) * cells(case, b.values) ** 2 / narrowest(b) ** 2


@every_case
def test_never_exceeds_the_derived_error(case: Case, tmp_path: Path) -> None:
    b = built(case)
    file = tmp_path / "network.json"
    network_file.save(b.network, file)
    network = network_file.load(file)
    assert network == b.network
    evaluator = Evaluator(network, DIGITS)
    for exact, perturbed in points(b):
        assert excess(b, evaluator, exact, perturbed) <= 0, (exact, perturbed)
    if "eps" in b.values:
        low, high = bounds(b)
        assert max(high, -low) <= b.values["eps"]


def test_a_smaller_bound_would_be_noticed() -> None:
    """The check can fail: the same network at half its β leaves the error that was derived at the full β."""
    case = Case("max", "tree", "silu", {"n": 8, "eps": "1e-3"})
    b = built(case)
    weak = case.changed(eps=None, beta=b.values["beta"] / 2)
    evaluator = Evaluator(weak.network, DIGITS)
    assert any(excess(b, evaluator, x, y) > 0 for x, y in points(weak))


FEW = [c for k, c in enumerate(CHOSEN) if k % 3 == 0 or "eps" not in c.given]


@pytest.mark.parametrize("case", FEW, ids=str)
def test_logit_and_second_evaluator(case: Case) -> None:
    """β·(max score − min score) stays below the derived logit, and two evaluators agree.

    Scores of the first layer are exact Fractions, later ones have 150 digits, of which β and the weights eat fewer than
    60; 10^(−40) relative is granted, the evaluators' own promise is 10^(−50)."""
    b = built(case)
    derived = b.analysis.evaluable(b.analysis.resources["logit"])
    limit = upper(derived, numbers(b.values), 60) if derived.is_finite is not False else None
    evaluator = Evaluator(b.network, DIGITS)
    some = points(b)
    for _, point in some[::max(1, len(some) // 8)]:
        outputs, spreads = run(b.network, point)
        if limit is not None:
            for spread in spreads:
                actual = spread if isinstance(spread, Fraction) else to_fraction(spread)
                assert actual <= limit + (0 if isinstance(spread, Fraction) else max(Fraction(1), limit) / 10**40)
        for mine, other in zip(outputs, evaluator(point), strict=True):
            exact = rounded(mine)
            assert abs(exact - to_fraction(other)) <= max(Fraction(1), abs(exact)) / 10**49


def rounded(x: Fraction | Any) -> Fraction:
    """A number as a Fraction; what is below 10^(−120) is 0, since e^(−10⁹) would not fit into memory."""
    return x if isinstance(x, Fraction) else Fraction(0) if abs(x) * TINY < 1 else to_fraction(x)


def test_derived_logit_is_reached_somewhere() -> None:
    """A bound that is far too large would pass above; on [−1, 1] the direct maximum reaches 2Mβ exactly."""
    b = built(Case("max", "direct", None, {"n": 5, "beta": 2}))
    _, spreads = run(b.network, [Fraction(1), *[Fraction(-1)] * 4])
    assert spreads == [upper(b.analysis.resources["logit"], numbers(b.values), 60)] == [4]
    b = built(Case("mult", "recipe", "silu", {"beta": 16, "m": 3}))
    _, spreads = run(b.network, [Fraction(1), Fraction(1)])
    assert max(spreads[:2]) == upper(b.analysis.resources["logit"], numbers(b.values), 60) == 16
