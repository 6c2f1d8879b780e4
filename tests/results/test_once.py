"""Work is done once: no error is propagated twice through the same network, and no closed form is valued twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from boundcalc.derivation.profile import Profile
from boundcalc.export import Wishes, text
from boundcalc.results import bound as bounds
from boundcalc.results.report import report_of

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("mult", {"eps": "1e-3"}), ("mult", {"eps": "1e-3", "delta": "1e-5"}), ("square", {"eps": "1e-3", "gate": "anchor"}),
    ("max", {"eps": "1e-2", "n": 5}), ("max", {"eps": "1e-2", "n": 5, "route": "tree", "gate": "silu"}),
    ("recip", {"eps": "1e-2", "range": "1/2,2"}), ("mult", {"eps": "1e-1", "gate": "silu", "sequence": 8})]


@pytest.mark.parametrize(("name", "given"), REQUESTS)
def test_an_error_flows_once_through_every_part(name: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    flowed: Counter[str] = Counter()
    flow = Profile.flow

    def counted(profile: Profile, incoming: Any = None) -> Any:
        flowed[repr((profile.steps, incoming or {}))] += 1
        return flow(profile, incoming)

    monkeypatch.setattr(Profile, "flow", counted)
    text.render(report_of(bounds.bound(name, **given)), Wishes())
    assert flowed
    assert max(flowed.values()) == 1


@pytest.mark.parametrize(("name", "given"), REQUESTS)
def test_a_closed_form_is_valued_once(name: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    valued: Counter[object] = Counter()
    exact_value = bounds.exact_value

    def counted(expr: Any, at: Any) -> Any:
        valued[expr, frozenset(at.items())] += 1        # what would be cheaper has other numbers
        return exact_value(expr, at)

    found = bounds.bound(name, **given)
    monkeypatch.setattr(bounds, "exact_value", counted)
    text.render(report_of(found), Wishes())
    assert valued
    assert max(valued.values()) == 1


def test_resources_are_valued_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[object] = Counter()
    quantity = bounds.Bound.quantity

    def counted(bound: bounds.Bound, expr: Any, rounded: str | None = None) -> Any:
        asked[expr] += 1
        return quantity(bound, expr, rounded)

    monkeypatch.setattr(bounds.Bound, "quantity", counted)
    found = bounds.bound("mult", eps="1e-3")
    text.render(report_of(found), Wishes())
    counts = [asked[found.analysis.resources[key]] for key in ("layers", "heads", "parameters", "magnitude")]
    assert counts == [1, 1, 1, 1]
