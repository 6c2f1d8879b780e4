"""Claims of known truth: no false one is ever proved, no true one ever refuted, and most get a definite verdict.

The search has few steps, so that what is decided depends on no clock; with the steps of the command line more is decided. By
default every sixth claim, with --whole all of them.
"""

from __future__ import annotations

from functools import cache

import pytest

from boundcalc.claims.check import check
from boundcalc.claims.model import Claim, Finding

from ..selection import whole
from . import planted
from .witnesses import repeat

STEPS = 8000
ALLOWED = {"true": {"proved"}, "false": {"refuted", "conditional"}, "conditional": {"conditional", "refuted"},
           "vacuous": {"vacuous"}, "a constant": {"proved"}}
OPEN = {"undecided", "supported"}
ROWS = [*((c, d, "true", "") for c, d in planted.TRUE_TIGHT + planted.TRUE_LOOSE),
        *((c, d, "false", "") for c, d in planted.FALSE),
        *((c, d, "conditional", where) for c, d, where in planted.CONDITIONAL),
        # without a network `exists K` is an assertion about K like any other: only what holds for a network that returns a
        # constant says nothing
        *((c, d, "a constant" if c.startswith("exists") and "." not in c else "vacuous", "") for c, d in planted.VACUOUS)]
CHOSEN = ROWS if whole() else ROWS[::6]


@cache
def found(claim: str, domain: str) -> Finding:
    return check(Claim(claim, "planted", domain), steps=STEPS)


@pytest.mark.parametrize(("claim", "domain", "truth", "condition"), CHOSEN, ids=[f"{c} for {d}" for c, d, _, _ in CHOSEN])
def test_no_verdict_contradicts_the_truth(claim: str, domain: str, truth: str, condition: str) -> None:
    finding = found(claim, domain)
    assert finding.verdict in ALLOWED[truth] | OPEN
    if finding.verdict in OPEN:
        assert finding.reason
        assert finding.proof is None
        return
    assert finding.proof is not None        # what is asserted can be checked again
    if condition and finding.verdict == "conditional":
        assert str(finding.condition) == condition
    if finding.witness is not None:
        repeat(finding.witness, claim)


def test_most_are_decided() -> None:
    """Two thirds of the true and of the false ones at this number of steps; a claim about growth is often left open."""
    for truth in ("true", "false"):
        verdicts = [found(c, d).verdict for c, d, t, _ in CHOSEN if t == truth]
        assert sum(v in ALLOWED[truth] for v in verdicts) >= len(verdicts) * 0.6, truth


def test_the_suite_is_large_enough() -> None:
    assert len(ROWS) >= 200
    assert len({row[:2] for row in ROWS}) == len(ROWS)
