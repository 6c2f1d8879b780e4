"""No false claim is accepted, whatever is changed in a claim, its conditions or its object.

By default 8 attacks of each rule and kind, with --whole 1000; more by python -m tests.checker.attacks.
"""

from __future__ import annotations

import json

import pytest

from boundcalc.checker.rules import RULES
from boundcalc.checker.statements import check

from .attacks import false, run
from .instances import INSTANCES, RELATIONS, Instance

KINDS = sorted({i.rule for i in INSTANCES})


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda i: f"{i.rule}: {i.claim} for {i.conditions}")
def test_instances_are_accepted(instance: Instance) -> None:
    assert check(instance.claim, instance.conditions, json.dumps(instance.body).encode()).verdict == instance.body["verdict"]
    assert not false(instance, 1)


def test_every_rule_has_an_instance() -> None:
    assert {i.rule for i in RELATIONS} == set(RULES)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_false_is_accepted(kind: str, request: pytest.FixtureRequest) -> None:
    chosen = [i for i in INSTANCES if i.rule == kind]
    count = -(-(1000 if request.config.getoption("--whole") else 8) // len(chosen))
    wrong = [(tried, reason) for i in chosen for outcome, tried, reason in run(i, count, 0) if outcome in ("false", "slow")]
    assert not wrong


def test_the_judge_sees_false_claims() -> None:
    """Each kind of false acceptance is seen by the values at points."""
    def of(claim: str, conditions: str, verdict: str, **proof: object) -> Instance:
        return Instance("", claim, conditions, {"verdict": verdict, "proof": proof})
    assert false(of("x**2 >= x", "x in [0, 1]", "proved"), 1)
    assert false(of("1/x >= x", "x in [0, 1]", "proved"), 1)
    assert false(of("x >= 0", "x in [0, 1]", "refuted", point={"x": "1/2"}), 1)
    assert false(of("x >= 0", "x in [0, 1]", "refuted", point={"x": "-1"}), 1)
    assert false(of("x <= 2", "x >= 0", "conditional", condition="x <= 3"), 1)
    assert false(of("x >= 0", "x in [0, 1]", "vacuous", why="empty"), 1)
    assert false(of("exists K: x <= K", "x in [0, 7]", "proved", constant="6"), 1)
    assert false(of("exists K: x <= K", "x in [0, 7]", "refuted", parts=[{"at": {"x": "7"}}]), 1)
    assert false(of("independent(x*y, x)", "x in [0, 1], y in [0, 1]", "proved"), 1)
    assert false(of("n**2 = O(n) as n -> inf", "", "proved", cases=[{"+": {"upper": {"from": "1", "K": "5"}}}]), 1)
    assert false(of("n = O(n) as n -> inf", "", "refuted", what="O", point={}, x="t", t0="1", v="1/t"), 1)
