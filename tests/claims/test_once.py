"""A claim is read once, and each of its quantities is resolved once, from the file to the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from boundcalc.claims import cases, check
from boundcalc.claims import language as grammar
from boundcalc.claims.load import one_line
from boundcalc.export import findings as writer


def counting(calls: Counter[str], work: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
    def counted(*given: Any) -> Any:
        calls[name(*given)] += 1
        return work(*given)
    return counted


@pytest.mark.parametrize(("claim", "domain"), [
    ("max[route=tree, gate=silu].heads <= n - 1", "n >= 2"),
    ("mult[route=direct].error <= beta**2*M**3/3", "0 < beta <= 1/10"),
    ("softmax.lipschitz(inf, inf) <= 1", "beta > 0, n >= 2"), ("max[route=direct].heads <= 1", "n >= 2")])
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_claim_is_read_and_resolved_once(claim: str, domain: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()
    resolved: Counter[str] = Counter()
    monkeypatch.setattr(check, "read_claim", counting(read, grammar.read_claim, lambda text, domain: text))
    monkeypatch.setattr(grammar, "read_claim", counting(read, grammar.read_claim, lambda text, domain: text))
    monkeypatch.setattr(cases, "resolve_quantity", counting(
        resolved, cases.resolve_quantity, lambda call, mentioned, fixed: f"{call.text} {sorted(map(str, fixed.items()))}"))
    assert writer.render(check.check_all([one_line(claim, domain)]), form)
    assert set(read.values()) == {1}
    assert set(resolved.values()) == {1}
