"""The bundled claims: every file reads, standings are honest, and the page in docs shows what the checker says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from boundcalc.claims.check import check_all
from boundcalc.claims.load import FOLDER, load_papers
from boundcalc.claims.model import STANDINGS, Finding
from boundcalc.export.findings import tables

from .witnesses import repeat

PAGE = Path(__file__).parent.parent.parent / "docs" / "papers.md"
MARK = "and the same test keeps it so.\n\n"
Golden = Callable[[Path, str], None]


@cache
def findings() -> tuple[Finding, ...]:
    return tuple(check_all(load_papers()))


def verdict(name: str) -> str:
    return next(f.verdict for f in findings() if f.claim.id == name)


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


def test_verdicts_that_are_known() -> None:
    expected = {
        "lipschitz": "conditional", "three-delta-direct": "vacuous", "three-delta-tree": "vacuous",
        "three-heads-max": "proved", "three-heads-recipe": "conditional", "relu-heads-silu": "proved",
        "relu-heads-anchors": "conditional", "parameters-silu": "proved", "parameters-anchor": "refuted",
        "two-delta": "refuted", "two-delta-small-beta": "proved", "beta-condition-sup": "proved",
        "beta-condition-l1": "refuted", "regions-quoted-line": "refuted", "half-lipschitz": "proved",
        "log-n": "proved", "depth-needed": "refuted", "square-error": "proved", "outer-sentinel-zero": "refuted",
        "single-head-without-leak": "refuted", "dimension-embedding-only": "refuted",
    }
    assert {name: verdict(name) for name in expected} == expected


def test_every_refutation_can_be_repeated() -> None:
    refuted = [f for f in findings() if f.verdict in ("refuted", "conditional")]
    assert len(refuted) >= 20
    for f in refuted:
        assert f.witness is not None, f.claim.id
        repeat(f.witness, f.claim.claim)


def test_the_page_shows_these_verdicts(golden: Golden) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(MARK) == 1
    golden(PAGE, text.split(MARK)[0] + MARK + tables(findings()))
