"""The bundled claims: every file reads, standings are honest, and the page in docs shows what the checker says."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from boundcalc.claims.check import safely
from boundcalc.claims.load import FOLDER, load_papers
from boundcalc.claims.model import STANDINGS, Finding
from boundcalc.export.findings import tables

from ..selection import whole
from .witnesses import repeat

PAGE = Path(__file__).parent.parent.parent / "docs" / "papers.md"
MARK = "and the same test keeps it so.\n\n"
STEPS = 30000           # of a search; the page says so
FEW = 6000
OPEN = ("undecided", "supported")
Golden = Callable[[Path, str], None]


@cache
def findings() -> tuple[Finding, ...]:
    """On every seventh claim, with --whole (and to write the page) on all; at a number of steps, never by the clock."""
    return tuple(safely(c, steps=STEPS) for c in (load_papers() if whole() else load_papers()[2::7]))


def test_every_claim_says_where_it_comes_from() -> None:
    claims = load_papers()
    assert len(claims) >= 70
    assert len(list(FOLDER.glob("*.toml"))) >= 6
    for claim in claims:
        assert claim.source.title
        assert claim.source.id
        assert claim.states
        assert claim.where
        assert claim.standing in STANDINGS


def test_every_point_of_the_referee_exchange_is_there() -> None:
    review = [c for c in load_papers() if c.source.id == "arXiv:2604.24878"]
    for point in range(1, 7):
        assert any(c.where.startswith(f"point {point}") for c in review), point


KNOWN = {
    "lipschitz": "conditional", "three-delta-direct": "vacuous", "three-delta-tree": "vacuous", "three-heads-max": "proved",
    "three-heads-recipe": "conditional", "relu-heads-silu": "proved", "relu-heads-anchors": "conditional",
    "parameters-silu": "proved", "parameters-anchor": "refuted", "two-delta": "refuted", "two-delta-small-beta": "proved",
    "beta-condition-sup": "proved", "beta-condition-l1": "refuted", "regions-quoted-line": "refuted",
    "half-lipschitz": "proved", "log-n": "proved", "depth-needed": "conditional",
    "square-error": "proved", "outer-sentinel-zero": "refuted",
    "single-head-without-leak": "refuted", "dimension-embedding-only": "refuted",
}


@pytest.mark.parametrize("name", KNOWN)
def test_no_verdict_contradicts_what_is_known(name: str) -> None:
    """What is worked out by hand is found, or left open with a reason; it is never contradicted."""
    claim = next(c for c in load_papers() if c.id == name)
    found = next((f for f in findings() if f.claim.id == name), None) or safely(claim, steps=FEW)
    assert found.verdict in (KNOWN[name], *OPEN)
    assert found.verdict not in OPEN or found.reason


def test_more_than_half_are_decided() -> None:
    """By the page, which the whole run keeps; it was nearly all of them when verdicts were unsound."""
    shown = re.findall(r" \*\*([a-z]+)\*\* ", PAGE.read_text(encoding="utf-8"))
    assert len(shown) == len(load_papers())
    assert 2 * sum(v not in OPEN for v in shown) > len(shown)


def test_nothing_is_a_defect() -> None:
    assert not [f.claim.id for f in findings() if any(str(r).startswith("defect") for r in f.reason)]


def test_every_refutation_can_be_repeated() -> None:
    seen = [f for f in findings() if f.witness is not None]
    assert seen
    for f in seen:
        assert f.witness is not None
        repeat(f.witness, f.claim.claim)


def test_the_page_shows_these_verdicts(golden: Golden) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(MARK) == 1
    if whole():
        golden(PAGE, text.split(MARK)[0] + MARK + tables(findings()))
        return
    for f in findings():
        assert tables([f]).splitlines()[-1] in text, f.claim.id
