"""Every output is what it was, down to each leaf: a selection, or with --whole all of it. Hashes are in golden/hashes.

A result that is meant to change: `python -m tests.golden_rows` lists what changes, `--regenerate` there writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests import golden_rows
from tests.golden_rows import Row, differences, paths, stored, stored_shapes_once
from tests.selection import LEAST_CASES, selected, whole

KINDS = ("rows", "shows", "verify", "texts", "papers")
OPTION = re.compile(r"(--?\w+)(?:[= ]([^\s-]\S*))?")
MADE = ("--route", "--gate", "--temperature", "--grid", "--sentinels")
CHUNKS, WHOLE_CHUNKS = LEAST_CASES, 64          # so many are all run
MOST_SHOWN = 20


def kind(row: Row) -> str:
    return row.file.partition("-")[0]


def traits(row: Row) -> Iterator[object]:
    """Bounds: every construction with every gate, and every way of making a gate. All but papers, which take long:
    constructions and options, with their values where these are words."""
    options = {name: value if value.isalpha() else "" for name, value in OPTION.findall(row.name)}
    if kind(row) == "rows":
        yield row.file, options.get("--gate")
        yield tuple(options.get(name) for name in MADE)
    if kind(row) != "papers":
        yield from ((kind(row), word) for word in row.arguments if word.isalpha())
        yield from ((kind(row), option) for option in options.items())


def chosen() -> list[Row]:
    return selected(stored(), traits)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        rows, count = chosen(), WHOLE_CHUNKS if whole() else CHUNKS
        metafunc.parametrize("chunk", [rows[k::count] for k in range(count)], ids=map(str, range(count)))


def test_outputs_are_what_they_were(chunk: list[Row]) -> None:
    found = [str(line) for row in chunk for line in differences(row, stored_shapes_once())]
    assert found == [], "\n".join([f"{len(found)} differences", *found[:MOST_SHOWN]])


def test_hashes_and_paths_belong_together() -> None:
    rows, shapes = stored(), stored_shapes_once()
    assert {kind(row) for row in rows} == set(KINDS)
    assert len({row.arguments for row in rows}) == len(rows)
    assert all(len(list(paths(row.shape, shapes))) == len(golden_rows.cut(row.hashes)) for row in rows)


@pytest.mark.parametrize(("arguments", "path"), [
    (("relu", "--eps=1/100"), "output.error.total.upper"), (("relu", "--eps=1/100"), "network.layers.1.heads.0.V"),
    (("relu", "--eps=1/100", "-f", "text"), "output.4"), (("relu", "--eps=-1"), "error"),
])
def test_a_change_is_found_where_it_is(arguments: tuple[str, ...], path: str) -> None:
    row, shapes = golden_rows.hashed(Row("", arguments))
    assert differences(row, shapes) == []
    hashes = golden_rows.cut(row.hashes)
    hashes[list(paths(row.shape, shapes)).index(path)] = "?" * golden_rows.DIGITS
    found = differences(Row("", arguments, "".join(hashes), row.shape), shapes)
    assert [line.path for line in found] == [path]
    assert str(found[0]).startswith(f"{' '.join(arguments)}: {path}: ")


def test_what_comes_and_what_goes_are_differences() -> None:
    arguments = ("relu", "--eps=1/100")
    row, shapes = golden_rows.hashed(Row("", arguments))
    refused, others = golden_rows.hashed(Row("", ("relu", "--eps=-1")))
    found = {line.path: line.new for line in differences(Row("", arguments, refused.hashes, refused.shape), others)}
    assert found["error"] == golden_rows.ABSENT
    assert {"exit", *paths(row.shape, shapes)} == set(found) - {"error"}
