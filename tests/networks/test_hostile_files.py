"""Files that are meant to be slow, deep or misleading: refused, with a place where there is one."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from boundcalc.errors import InvalidInput
from boundcalc.networks import file as network_file


def text(entries: object, shape: object = (2, 2)) -> str:
    layer = {"kind": "affine", "weight": {"shape": shape, "entries": entries}, "bias": {"size": 2, "entries": []}}
    return json.dumps({"format": "boundcalc-network/1", "inputs": ["x", "y"], "outputs": ["u", "v"], "layers": [layer]})


GOOD = [[0, 0, "1/3"], [1, 1, "-7"]]


@pytest.mark.parametrize(("entries", "place"), [
    ([*GOOD, [0, 0, "1/3"]], r"Layer 0, weight: the entry at \[0, 0\] is listed twice"),
    ([*GOOD, [0, 0, "5"]], r"Layer 0, weight: the entry at \[0, 0\] is listed twice"),
    ([*GOOD, [2, 0, "1"]], r"Layer 0, weight: the entry at \[2, 0\] lies outside the shape \[2, 2\]"),
    ([*GOOD, [0, -1, "1"]], "Layer 0, weight, entry 2, an index: -1"),
    ([*GOOD, [0, 10**8, "1"]], "Layer 0, weight, entry 2, an index: 100000000"),
    ([*GOOD, [0, True, "1"]], "Layer 0, weight, entry 2, an index: True"),
    ([*GOOD, [0, 1]], "Layer 0, weight, entry 2 has 2 items"),
    ([*GOOD, {"0": 1}], "Layer 0, weight, entry 2 is not a list"),
    ([*GOOD, [0, 1, "1/0"]], "Layer 0, weight, entry 2, number '1/0' divides by zero"),
    ([*GOOD, [0, 1, "1/00"]], "divides by zero"),
    ([*GOOD, [0, 1, "nan"]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "１"]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "9**9**9"]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "1e999999999"]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "7" * 10**6]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "1/" + "7" * 10**6]], "Layer 0, weight, entry 2"),
    ([*GOOD, [0, 1, "7" * 6021]], "Layer 0, weight, entry 2")])
def test_an_entry_that_is_wrong_is_named(entries: object, place: str) -> None:
    with pytest.raises(InvalidInput, match=place):
        network_file.from_json(text(entries))


def test_what_is_nearly_wrong_is_read() -> None:
    found = network_file.from_json(text([[1, 1, "007/014"], [0, 0, "1.5e1"], [0, 1, -3]])).layers[0]
    assert found.weight.entries == ((0, 0, Fraction(15)), (0, 1, Fraction(-3)), (1, 1, Fraction(1, 2)))  # type: ignore[union-attr]


@pytest.mark.parametrize("hostile", [
    "[" * 10**6, '{"a":' * 10**5, text(GOOD).replace('"1/3"', "7" * 10**6), text(GOOD).replace('"1/3"', "0." + "7" * 10**6),
    text(GOOD).replace("[2, 2]", "[2, 2, 2]"), text(GOOD).replace("[2, 2]", f"[2, {10**30}]"),
    text(GOOD).replace('"entries"', '"entries": [], "entries"', 1)])
def test_nesting_long_numbers_and_double_keys_are_refused(hostile: str) -> None:
    with pytest.raises(InvalidInput):
        network_file.from_json(hostile)


def test_too_many_entries_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_file, "MAX_ENTRIES", 3)
    with pytest.raises(InvalidInput, match="more than 3 "):
        network_file.from_json(text([["no", "number", "at all"]] * 4))
