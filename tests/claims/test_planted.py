"""Claims of known truth: no false one is ever proved, no true one ever refuted, and nearly all get a definite verdict."""

from __future__ import annotations

import pytest

from boundcalc.claims.check import check
from boundcalc.claims.model import Claim, Finding

from . import planted
from .witnesses import repeat

DEFINITE = {"proved", "refuted", "conditional", "vacuous"}
OPEN = {                    # claims that are known to stay undecided; at most one in ten
    # the number of pieces is searched, and has no closed form that growth could be read off
    "recip[gate=silu].heads = O(eps**(-1/2)) as eps -> 0", "recip[gate=silu].heads = O(log(1/eps)) as eps -> 0"}


def found(claim: str, domain: str) -> Finding:
    return check(Claim(claim, "planted", domain))


def ids(rows: list[tuple[str, ...]]) -> list[str]:
    return [" for ".join(filter(None, row[:2])) for row in rows]


@pytest.mark.parametrize(("claim", "domain"), planted.TRUE_TIGHT + planted.TRUE_LOOSE,
                         ids=ids(planted.TRUE_TIGHT + planted.TRUE_LOOSE))
def test_true_claims_are_proved(claim: str, domain: str) -> None:
    finding = found(claim, domain)
    assert finding.verdict not in ("refuted", "conditional", "vacuous")
    assert finding.verdict == "proved" or claim in OPEN
    assert finding.tactics or claim in OPEN
    assert finding.witness is None


@pytest.mark.parametrize(("claim", "domain"), planted.FALSE, ids=ids(planted.FALSE))
def test_false_claims_are_refuted(claim: str, domain: str) -> None:
    finding = found(claim, domain)
    assert finding.verdict not in ("proved", "vacuous")
    assert finding.verdict in ("refuted", "conditional") or claim in OPEN
    if finding.verdict == "refuted":
        assert finding.witness is not None
    if finding.witness is not None:
        repeat(finding.witness, claim)


@pytest.mark.parametrize(("claim", "domain", "condition"), planted.CONDITIONAL, ids=ids(planted.CONDITIONAL))
def test_exact_conditions(claim: str, domain: str, condition: str) -> None:
    finding = found(claim, domain)
    assert finding.verdict == "conditional"
    assert finding.condition is not None
    assert str(finding.condition) == condition
    assert finding.witness is not None
    repeat(finding.witness, claim)


@pytest.mark.parametrize(("claim", "domain"), planted.VACUOUS, ids=ids(planted.VACUOUS))
def test_vacuous_claims(claim: str, domain: str) -> None:
    finding = found(claim, domain)
    assert finding.verdict == "vacuous"
    assert finding.reason


def test_the_suite_is_large_enough_and_few_claims_stay_open() -> None:
    rows = [*planted.TRUE_TIGHT, *planted.TRUE_LOOSE, *planted.FALSE, *planted.CONDITIONAL, *planted.VACUOUS]
    assert len(rows) >= 200
    assert len({row[:2] for row in rows}) == len(rows)
    assert len(OPEN) * 10 <= len(rows)
    assert not OPEN - {row[0] for row in rows}
