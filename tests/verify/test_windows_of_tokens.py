"""Heads over many tokens: leaving out those that are far from a query changes nothing that is shown."""

from __future__ import annotations

from fractions import Fraction

import pytest

from boundcalc.results.bound import bound
from boundcalc.verify import evaluate as evaluation
from boundcalc.verify.evaluate import Evaluator, _Tokens, to_fraction

F = Fraction
NETWORKS = [("relu", {"gate": "anchor", "p": 1500, "M": 2}), ("clip", {"gate": "anchor", "p": 1200, "range": (0, 1)}),
            ("relu", {"gate": "anchor", "p": 1100, "M": 1, "temperature": "hard", "kappa": 40})]
PLACES = [F(0), F(1), F(1, 3), F(-2, 7), F(99, 100), F(1, 2000)]


@pytest.mark.parametrize(("name", "given"), NETWORKS, ids=str)
def test_windows_change_no_digit(name: str, given: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    network = bound(name, **given).network  # type: ignore[arg-type]
    windowed = [to_fraction(y) for x in PLACES for y in Evaluator(network, 40)([x])]
    monkeypatch.setattr(evaluation, "MANY", 10**9)
    whole = [to_fraction(y) for x in PLACES for y in Evaluator(network, 60)([x])]
    assert all(abs(y - z) <= F(1, 10**39) for y, z in zip(windowed, whole, strict=True))


def test_a_window_that_is_too_short_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison with a window that begins four anchors before the query."""
    name, given = NETWORKS[0]
    network = bound(name, **given).network  # type: ignore[arg-type]
    whole = _Tokens.near

    def shorter(self: _Tokens, places: list[int], factors: list[int], beta: int, cutoff: int) -> list[list[int]]:
        found = whole(self, places, factors, beta, cutoff)
        assert len(found) < self.count / 20
        return found[len(found) // 2 - 4:]

    right = to_fraction(Evaluator(network, 40)([F(1, 3)])[0])
    monkeypatch.setattr(_Tokens, "near", shorter)
    assert abs(to_fraction(Evaluator(network, 40)([F(1, 3)])[0]) - right) > F(1, 10**39)
