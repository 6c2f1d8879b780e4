"""Sharp true claims of every rule are accepted, and what differs from them by one constant, end, type or hypothesis is not.

By default 12 true claims of each rule, 100 with --whole; a thousand of each by python -m tests.checker.generated.
"""

from __future__ import annotations

from typing import Any

import pytest

from boundcalc.checker.rules import RULES
from tests.selection import whole

from .generated import MAKERS, Dice, answered, run
from .instances import Object


@pytest.mark.parametrize("rule", MAKERS)
def test_the_false_neighbours_of_true_claims_are_rejected(rule: str) -> None:
    outcomes = list(run(rule, 100 if whole() else 12))
    assert not [text for outcome, text in outcomes if outcome in ("false accepted", "true rejected")]
    assert sum(outcome == "false rejected" for outcome, _ in outcomes) >= 4 * sum(o == "true accepted" for o, _ in outcomes)


def test_every_rule_has_a_maker() -> None:
    assert set(RULES) <= set(MAKERS)


def with_(body: Object, **changed: Any) -> Object:
    return body | {"proof": body["proof"] | changed}


def test_a_point_must_lie_in_the_part_that_it_names() -> None:
    true = MAKERS["exists refuted in parts"](Dice(1)).true
    assert answered(true.claim, true.conditions, true.body) == "refuted"
    first, second = true.body["proof"]["parts"]
    for wrong in ({"case": 0}, {"case": 2}):
        assert answered(true.claim, true.conditions, with_(true.body, parts=[first, second | wrong])) != "refuted"
    assert answered(true.claim, true.conditions, with_(true.body, splits=[["y", ["1"]]])) != "refuted"


def test_a_path_must_lie_where_it_is_said_to_lie() -> None:
    true = MAKERS["growth refuted from"](Dice(1)).true
    assert answered(true.claim, true.conditions, true.body) == "refuted"
    for wrong in ("100", "t", "inf"):
        assert answered(true.claim, true.conditions, with_(true.body, **{"from": wrong})) != "refuted"
