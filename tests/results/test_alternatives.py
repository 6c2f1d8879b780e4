"""What is said to be cheaper is what one gets by asking for it; and a constant that is as good is one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from boundcalc.export import Wishes, render
from boundcalc.results.alternatives import alternatives
from boundcalc.results.bound import bound
from boundcalc.results.constant import constant_is_enough
from boundcalc.results.report import report_of

F = Fraction
CASES: list[tuple[str, dict[str, Any]]] = [
    ("mult", {"eps": "1e-3"}), ("mult", {"eps": "1e-2"}), ("mult", {"eps": "1/3"}),
    ("mult", {"eps": "1e-4", "M": 3, "d": 2}),
    ("mult", {"eps": "1e-3", "gate": "anchor"}), ("mult", {"eps": "1e-2", "gate": "anchors", "n": 5}),
    ("mult", {"eps": "1e-3", "range": ("1", "3"), "delta": "1e-5"}), ("mult", {"eps": "1e-3", "m": 6}),
    ("square", {"eps": "1e-3"}), ("square", {"eps": "1/5"}), ("square", {"eps": "1e-3", "gate": "anchor"}),
    ("max", {"n": 5, "eps": "1e-3", "route": "tree"})]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_command_that_is_named_gives_what_is_said(name: str, options: dict[str, Any]) -> None:
    ours = bound(name, **options)
    found = alternatives(ours)
    assert found or name == "square"
    for a in found:
        changed = {**options, a.option: a.value}
        if a.option == "route":
            changed = {key: x for key, x in changed.items() if key not in ("gate", "m", "n") or (name, key) == ("max", "n")}
        other = bound(name, **changed)
        for key, value in a.resources.items():
            assert other.resources[key].upper == value, (a, key)
            assert (key in a.less) == (value < (ours.resources[key].upper or F(0)))
        if a.price is not None:
            assert (other.resources[a.price.resource].upper, ours.resources[a.price.resource].upper) == (
                a.price.becomes, a.price.instead_of)
            assert a.price.becomes > a.price.instead_of


def test_the_line_of_the_report() -> None:
    text = render(report_of(bound("mult", eps="1e-3")), "text", Wishes(full=True))
    assert "cheaper: --route direct: 1 layer, 1 head, 8 parameters, β = 0.05477; largest weight 18.26 instead of 4\n" in text
    assert "cheaper: --m 4: 5 layers, 10 heads, 96 parameters; β = 274.1 instead of 49.66\n" in text


def test_nothing_is_compared_along_a_sequence_or_with_exact_gates() -> None:
    assert alternatives(bound("mult", eps="1e-3", sequence=4)) == ()
    assert alternatives(bound("mult", eps="1e-3", gate="ffn")) == ()


@pytest.mark.parametrize(("name", "options", "value", "distance"), [
    ("mult", {"eps": 1}, F(0), F(1)),                                               # x·y in [−1, 1]
    ("mult", {"eps": 4, "range": ("1", "3")}, F(5), F(4)),                          # in [1, 9]
    ("square", {"eps": "1/2"}, F(1, 2), F(1, 2)),                                   # in [0, 1]
    ("recip", {"eps": "9/2", "range": ("1/10", "1")}, F(11, 2), F(9, 2)),           # in [1, 10]
    ("max", {"eps": 1, "n": 3}, F(0), F(1))])
def test_a_constant_is_as_good(name: str, options: dict[str, Any], value: Fraction, distance: Fraction) -> None:
    found = constant_is_enough(bound(name, **options))
    assert found is not None
    assert (found.value, found.distance) == (value, distance)
    smaller = {**options, "eps": F(str(options["eps"])) * (1 - F(1, 10**9))}
    assert constant_is_enough(bound(name, **smaller)) is None


def test_a_constant_is_not_enough_on_the_whole_line() -> None:
    assert constant_is_enough(bound("relu", eps=100)) is None
