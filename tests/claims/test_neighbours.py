"""No verdict is unsound on the claims of known truth, and most of them are decided.

By default every twentieth claim, with --whole all of them.
"""

from __future__ import annotations

import pytest

from tests.selection import whole

from .suite import Answer, Result, Row, judged, results, rows, share_decided

STEP = 20
STEPS = 3000                                        # of a search: no share depends on the clock
DECIDED = {"neighbours": 0.7 if whole() else 0.55, "sample": 0.75}     # what is reached at this number of steps


@pytest.fixture(scope="module")
def decided(request: pytest.FixtureRequest) -> dict[str, list[Result]]:
    step = 1 if request.config.getoption("--whole") else STEP
    return {name: results(rows(name)[::step], STEPS) for name in ("neighbours", "sample")}


@pytest.mark.parametrize("name", ["neighbours", "sample"])
def test_no_verdict_is_unsound(decided: dict[str, list[Result]], name: str) -> None:
    wrong = [(r.row.kind, r.row.claim, r.row.domain, r.judgement) for r in decided[name]
             if r.judgement not in ("right", "open")]
    assert not wrong


@pytest.mark.parametrize("name", ["neighbours", "sample"])
def test_most_claims_are_decided(decided: dict[str, list[Result]], name: str) -> None:
    """Of all neighbours 70 % are decided, of the default ones more than half; of the sample three quarters."""
    still = [(r.row.claim, r.row.domain, r.found.reason[:80]) for r in decided[name] if r.judgement == "open"]
    assert share_decided(decided[name]) >= DECIDED[name], still


def test_a_wrong_verdict_would_be_seen() -> None:
    """The judge itself: each kind of wrong answer to a claim of known truth is called unsound."""
    wrong = [("x >= 0", "x >= 0", "true", Answer("refuted")), ("x >= 1", "x >= 0", "false", Answer("proved")),
             ("1/x >= 1", "0 <= x <= 1", "undefined at x = 0", Answer("proved")),
             ("x <= 2", "x >= 0", "false", Answer("conditional", "x <= 1")),
             ("x <= 2", "x >= 0", "false", Answer("conditional", "x <= 2001/1000")),
             ("x <= 2", "x in [0, 1]", "true", Answer("conditional", "x <= 1/2")),
             ("x >= 0", "x >= 0", "true", Answer("vacuous")), ("x > 1", "x > 3, x < 2", "vacuous", Answer("proved")),
             ("relu[gate=ffn].heads == 0", "", "refused", Answer("proved"))]
    for claim, domain, truth, given in wrong:
        assert judged(Row(claim, domain, truth), given).startswith("unsound"), claim
    assert judged(Row("x <= 2", "x >= 0", "false"), Answer("conditional", "x <= 2")) == "right"
    assert judged(Row("x <= 2", "x >= 0", "false"), Answer("undecided")) == "open"
    assert judged(Row("x <= 2", "x >= 0", "false"), Answer("defect")).startswith("defect")
