"""Sharp true claims of every rule are accepted, and what differs from them by one constant, end, type or hypothesis is not.

By default 12 true claims of each rule, 100 with --whole; a thousand of each by python -m tests.checker.generated.
"""

from __future__ import annotations

import pytest

from boundcalc.checker.rules import RULES
from tests.selection import whole

from .generated import MAKERS, run


@pytest.mark.parametrize("rule", MAKERS)
def test_the_false_neighbours_of_true_claims_are_rejected(rule: str) -> None:
    outcomes = list(run(rule, 100 if whole() else 12))
    assert not [text for outcome, text in outcomes if outcome in ("false accepted", "true rejected")]
    assert sum(outcome == "false rejected" for outcome, _ in outcomes) >= 4 * sum(o == "true accepted" for o, _ in outcomes)


def test_every_rule_has_a_maker() -> None:
    assert set(RULES) <= set(MAKERS)
