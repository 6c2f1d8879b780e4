"""Claims about plans and about single outputs: what is true is proved, what is false is refuted, the rest stays open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from boundcalc.claims.check import check_text
from boundcalc.declarations import registry
from boundcalc.errors import InvalidInput

HERE = Path(__file__).parent
FILES = (HERE / "sorted_pair.py", HERE / "two_forms.py", HERE.parent.parent / "docs" / "examples" / "cube.py")


@pytest.fixture(scope="module", autouse=True)
def _known() -> Iterator[None]:
    before = dict(registry._USED)
    for path in FILES:
        registry.use(str(path))
    yield
    registry._USED.clear()
    registry._USED.update(before)


WHOLE = "m_s integer, m_c integer, "
DECIDED = [
    ("sorted_pair[gate=silu].error <= W(1/e)/beta", "beta > 0", "proved"),
    ("sorted_pair[gate=silu, output=2].error <= W(1/e)/beta", "beta > 0", "proved"),
    ("sorted_pair[gate=silu, output=2].error <= 1/(4*beta)", "beta == 10", "refuted"),
    ("sorted-pair[gate=silu, output=1].error <= eps", "eps > 0", "proved"),
    ("two_forms[gate=silu, output=1].error <= eps/100", "eps == 1/20", "refuted"),
    ("cube[gate=silu].error <= eps", "0 < eps <= 1/1000", "proved"),
    ("cube[gate=silu].error <= eps", "eps > 0", "undecided"),            # boxes are those of eps = 1/1000
    ("cube[gate=silu].layers == m_s + m_c + 2", WHOLE + "m_s >= 1, m_c >= 1", "proved"),
    ("cube[gate=silu].layers == m_s + m_c + 3", WHOLE + "m_s >= 1, m_c >= 1", "refuted"),
    ("cube[gate=silu].error <= 1/1000", WHOLE + "m_s >= 6, m_c >= 6, beta_s >= 1000, beta_c >= 1000", "proved"),
    ("cube[gate=silu].error <= 1/8", WHOLE + "m_s == 2, m_c == 6, beta_s == 1000, beta_c == 1000", "undecided"),
    ("cube[gate=silu].heads <= 24", "eps == 1/1000", "proved"),
    ("cube[gate=silu].heads <= 23", "eps == 1/1000", "refuted"),
    ("cube[gate=silu].heads <= 23", "eps == 1/1000, m_s == 9", "undecided"),        # another network than that of eps alone
    ("cube[gate=silu].error <= 1/100", "M == 2, eps == 1/1000", "undecided"),
    ("cube[gate=silu].error <= 1/100", "delta == 1/100, eps == 1/1000", "undecided"),
]


@pytest.mark.parametrize(("claim", "domain", "verdict"), DECIDED)
def test_claims_are_decided(claim: str, domain: str, verdict: str) -> None:
    assert check_text(claim, domain).verdict == verdict


def test_a_part_may_err_by_what_its_box_allows_alone() -> None:
    """Where m_s is small the box of c is too: without that condition 1/8 would be called proved."""
    found = check_text("cube[gate=silu].error <= 1/8", WHOLE + "m_s >= 2, m_c >= 2, beta_s >= 1000, beta_c >= 1000")
    assert found.verdict not in ("proved", "refuted")


@pytest.mark.parametrize(("claim", "word"), [
    ("sorted_pair[output=3].error <= eps", "no output 3"), ("sorted_pair[output=0].error <= eps", "no output 0"),
    ("sorted_pair[output=1].heads <= 1", "not that of one output"), ("mult[output=1].error <= eps", "one output"),
    ("sorted_pear.error <= eps", "Did you mean sorted_pair")])
def test_outputs_that_are_not_there_are_refused(claim: str, word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_text(claim, "eps > 0")
    assert word in f"{refused.value.problem} {refused.value.remedy}"
