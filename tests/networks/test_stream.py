"""Files that are read piece by piece: the same networks and refusals wherever a piece ends, in little memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boundcalc.errors import InvalidInput
from boundcalc.networks import file as network_file
from boundcalc.networks import stream
from boundcalc.networks.stream import JsonStream
from boundcalc.results.bound import bound

from .test_hostile_files import GOOD, text


@pytest.mark.parametrize("piece", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize(("name", "given"), [
    ("mult", {"eps": "1/10"}), ("recip", {"eps": "1/10", "range": ("1/10", 1), "gate": "ffn"}),
    ("clip", {"range": (0, 1), "gate": "anchor", "eps": "1/100"})])
def test_a_network_is_the_same_wherever_a_piece_ends(name: str, given: dict[str, object], piece: int,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    network = bound(name, **given).network  # type: ignore[arg-type]
    written = network_file.to_json(network)
    monkeypatch.setattr(stream, "PIECE", piece)
    again = network_file.from_json(written)
    assert again == network
    assert again.about == network.about
    for separators in ((",", ":"), (" , ", " : ")):
        assert network_file.from_json(json.dumps(json.loads(written), separators=separators)) == network
    assert network_file.from_json(json.dumps(json.loads(written), indent=3)) == network


def values() -> Iterator[Any]:
    yield from ([], {}, [[]], {"entries": []}, {"entries": [1, "two", [3], {"four": [5]}]},
                {"entries": {"entries": [[1, 2]]}}, [True, None, -12, "é\u2028\\u0041"],
                {"a": ["x", {"entries": [[0, "1/2"], [1, "]"], [2, '"], ['], [3, "\\"]]}]},
                {"entries": [[0, 1, "1"]] * 50, "b": {"entries": [[[["deep"]]]]}})


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 16])
def test_any_value_is_what_the_parser_of_python_says(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", piece)
    for value in values():
        for written in (json.dumps(value), json.dumps(value, indent=1), f" {json.dumps(value)} \n"):
            assert JsonStream(io.StringIO(written), "entries", lambda x: x, 1000).value() == value


@pytest.mark.parametrize("piece", [1, 3, 50])
def test_what_is_no_json_is_refused_wherever_a_piece_ends(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    good = text(GOOD)
    hostile = [good[:k] for k in range(0, len(good), 7)]
    hostile += [good.replace(*change) for change in (
        (", ", " ", 3), (":", "", 1), ('"1/3"', "0.5"), ('"1/3"', "NaN"), ("]", "", 1),
        ('"entries"', '"entries": [], "entries"', 1))]
    hostile += [good + "x", good + good, "", "nul", '"abc', "[1,]", "{,}", '{"a" 1}', "[1 2]"]
    monkeypatch.setattr(stream, "PIECE", piece)
    for written in hostile:
        with pytest.raises(InvalidInput):
            network_file.from_json(written)


def test_the_line_of_a_mistake_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = json.dumps(json.loads(text(GOOD)), indent=1).splitlines()
    lines[9] = lines[9] + "?"
    monkeypatch.setattr(stream, "PIECE", 10)
    with pytest.raises(InvalidInput, match=r"in line (10|11)\."):
        network_file.from_json("\n".join(lines))


@pytest.mark.parametrize("hostile", ["[" * 10**5, '{"a":' * 10**5, '{"entries":' * 10**5, '{"entries":[' * 10**5])
def test_nesting_is_refused_wherever_a_piece_ends(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", 100)
    with pytest.raises(InvalidInput, match="deeply"):
        network_file.from_json(hostile)


def test_a_text_or_a_number_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PIECE", 100)
    monkeypatch.setattr(stream, "LONGEST", 5000)
    for hostile in ('{"format": "' + "x" * 10**5, '[' + "7" * 10**5, '{"entries": [[0, 0, "' + "7" * 10**6):
        with pytest.raises(InvalidInput):
            network_file.from_json(hostile)


def large_file(path: Path, entries: int) -> Path:
    """One affine layer, a bias of so many entries."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"format": "boundcalc-network/1", "inputs": ["x"], "outputs": ["y"], "layers": [{"kind": "affine", '
                   f'"weight": {{"shape": [{entries}, 1], "entries": []}}, '
                   f'"bias": {{"size": {entries}, "entries": [[0, "1"]')
        for k in range(1, entries):
            file.write(f', [{k}, "{k % 97}/101"]')
        file.write("]}}]}")
    return path


def test_memory_is_that_of_the_entries_that_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with more entries than are wanted is refused after those; its text is never there as a whole."""
    monkeypatch.setattr(stream, "PIECE", 1 << 14)
    path = large_file(tmp_path / "large.json", 60_000)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match="more than 1000 entries"):
            network_file.load(path, 1000)
        assert tracemalloc.get_traced_memory()[1] < path.stat().st_size
    finally:
        tracemalloc.stop()
