"""What is printed for an error is at most ε, in every format, however many digits that takes."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest

import boundcalc
from boundcalc.export import Wishes, render
from boundcalc.results.report import report_of

NARROW = Fraction(3, 7) * (1 + Fraction(1, 10**18))
CASES: list[tuple[str, dict[str, Any]]] = [
    ("clip", {"range": (-1, 2), "gate": "anchor", "temperature": "hard", "grid": "left", "eps": NARROW}),
    ("relu", {"gate": "ffn", "delta": Fraction(1, 9), "eps": Fraction(1, 9)}),
    ("square", {"M": Fraction(1, 3), "eps": Fraction(1, 9)}),
    ("mult", {"eps": Fraction(1, 7)}), ("max", {"n": 3, "eps": Fraction(1, 17)}),
    ("mult", {"eps": Fraction(1, 1024) + Fraction(1, 10**30)}),
]
NUMBER = r"([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?:/[0-9]+)?)"


@pytest.mark.parametrize(("name", "given"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_the_total_is_at_most_eps_as_printed(name: str, given: dict[str, Any]) -> None:
    report = report_of(boundcalc.bound(name, **given))
    eps = given["eps"]
    text = render(report, "text", Wishes(full=True))
    lines = [line for line in text.splitlines() if re.match(r"  (total|gates|interpolation|inputs) ", line)]
    assert len(lines) >= 2
    shown = [re.search(NUMBER + "↑?$", line) for line in lines if "≤ ε" not in line]
    shown.append(re.search(rf"derived total {NUMBER}", text))
    for way in ("latex", "markdown"):
        written = render(report, way, Wishes(proof=True))
        shown.append(re.search(rf"the error is at most \$?`?{NUMBER}", written))
        shown.append(re.search(rf"in absolute value is at most \$?`?{NUMBER}", written))
    error = json.loads(render(report, "json"))["error"]
    for match in shown:
        assert match
        assert 0 < Fraction(match[1]) <= eps
    for q in (error["total"], *error["terms"]):
        assert Fraction(q["upper"]) <= eps


def test_a_certified_error_is_at_most_eps_as_printed() -> None:
    bound = boundcalc.bound("max", n=3, eps=Fraction(1, 17))
    report = report_of(bound).verified(boundcalc.verify(bound))
    assert report.verification is not None
    assert report.verification.holds
    printed = re.search(rf"certified {NUMBER}", render(report, "text", Wishes(full=True)))
    assert printed
    assert Fraction(printed[1]) <= Fraction(1, 17)
    assert Fraction(json.loads(render(report, "json"))["verification"]["certified"]["error"]) <= Fraction(1, 17)
