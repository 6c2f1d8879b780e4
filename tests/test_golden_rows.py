"""Every output is what it was, down to each leaf: a sample, or with --whole (or BOUNDCALC_WHOLE=1) all of it.

A result that is meant to change: `python -m tests.golden_rows` lists what changes, `--regenerate` there writes it.
"""

from __future__ import annotations

import pytest

from tests import golden_rows
from tests.golden_rows import Row, differences, paths, stored, stored_shapes_once
from tests.selection import whole

SAMPLES = {"rows": 7, "shows": 20, "verify": 6, "texts": 8, "papers": None}     # every K-th of a kind; None: --whole only
CHUNKS, WHOLE_CHUNKS = 8, 64
MOST_SHOWN = 20


def kind(row: Row) -> str:
    return row.file.partition("-")[0]


def chosen() -> list[Row]:
    rows = stored()
    if whole():
        return rows
    return [row for name, step in SAMPLES.items() if step for row in [r for r in rows if kind(r) == name][::step]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        rows, count = chosen(), WHOLE_CHUNKS if whole() else CHUNKS
        metafunc.parametrize("chunk", [rows[k::count] for k in range(count)], ids=map(str, range(count)))


def test_outputs_are_what_they_were(chunk: list[Row]) -> None:
    found = [str(line) for row in chunk for line in differences(row, stored_shapes_once())]
    assert found == [], "\n".join([f"{len(found)} differences", *found[:MOST_SHOWN]])


def test_hashes_and_paths_belong_together() -> None:
    rows, shapes = stored(), stored_shapes_once()
    assert {kind(row) for row in rows} == set(SAMPLES)
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
