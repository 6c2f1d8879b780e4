"""The default run leaves out cases and what is marked as dear: every trait of a table is that of a case that is run."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from boundcalc.declarations.frame import checked_ranges
from tests import test_golden_rows
from tests.conformance import cases
from tests.conformance.cases import CASES, Case
from tests.export import test_export
from tests.golden_rows import Row, stored
from tests.selection import FEWER, FEWER_CASES, LEAST_CASES, LEAST_EXAMPLES, VARIABLE, covering, examples, part, selected

ROOT = Path(__file__).parent.parent
QUICK = covering(CASES, cases.traits)
FAR_FEWER = 2                   # a selection is at most this part of its table


# ---------------------------------------------------------------------------------------------------------------
# the mechanism

@pytest.mark.parametrize("seed", range(20))
def test_every_trait_is_kept(seed: int) -> None:
    rng = random.Random(seed)
    table = {k: {rng.randrange(30) for _ in range(rng.randrange(6))} for k in range(rng.randrange(60))}
    chosen = covering(list(table), table.__getitem__)
    assert set().union(*(table[k] for k in chosen)) == set().union(*table.values())
    assert chosen == sorted(chosen), "the order of the table"
    assert len(chosen) <= len(set().union(*table.values()))


def test_a_case_with_a_trait_of_its_own_is_never_left_out() -> None:
    table = ["ab", "abc", "cd", "x", "", "bd"]
    assert covering(table, set) == ["abc", "cd", "x"]
    assert covering([], set) == []


def test_whole_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert selected("aabc", set) == ["a", "b", "c"]
    assert [examples(n).max_examples for n in (3, 20, 1000)] == [3, LEAST_EXAMPLES, 1000 // FEWER]
    monkeypatch.setenv(VARIABLE, "1")
    assert selected("aabc", set) == ["a", "a", "b", "c"]
    assert [examples(n).max_examples for n in (3, 20, 1000)] == [3, 20, 1000]


@pytest.mark.parametrize("count", [1, 3, 4, 5, 23, 24, 25, 200])
def test_tests_that_follow_each_other_take_the_whole_table_between_them(count: int) -> None:
    cases, taken = [str(k) for k in range(count)], set[str]()
    for _ in range(FEWER_CASES):
        chosen = part(cases, taken)
        assert len(chosen) == min(count, max(LEAST_CASES, -(-count // FEWER_CASES)))
        taken |= chosen
    assert taken == set(cases)


TABLES = """import pytest
from tests.selection import selected
@pytest.mark.parametrize('k', selected('aabc', set))
def test_selected(k): pass
@pytest.mark.parametrize('k', range(60))
def test_long(k): pass
@pytest.mark.dear
def test_dear(): pass
@pytest.mark.outside
@pytest.mark.parametrize('k', range(60))
def test_outside(k): pass
"""


@pytest.mark.dear
def test_the_flag_reaches_the_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also in other processes."""
    monkeypatch.delenv(VARIABLE, raising=False)
    file = tmp_path / "test_table.py"
    file.write_text(TABLES)
    command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    for flags, count in ((file,), 3 + 12), ((file, "--whole"), 4 + 60 + 1), ((file, "--whole", "-n1"), 4 + 60 + 1), (
            (file, "-m", "outside"), 60), ((f"{file}::test_long[7]",), 1):
        done = subprocess.run([*command, *map(str, flags)], cwd=ROOT, capture_output=True, text=True, check=True)
        assert f"{count} passed" in done.stdout


# ---------------------------------------------------------------------------------------------------------------
# what the selections hold, told without the traits that they were made from

def ways(chosen: list[Case]) -> set[tuple[object, ...]]:
    made = ("temperature", "grid", "sentinels")
    return {(c.name, c.route, c.gate, *(c.given.get(option) for option in made)) for c in chosen}


def test_every_construction_route_gate_temperature_and_grid_is_run() -> None:
    assert ways(QUICK) == ways(CASES)
    assert {way[:3] for way in ways(QUICK)} == {*cases.routes(), *cases.routes(tuple(cases.examples()))}
    assert FAR_FEWER * len(QUICK) < len(CASES)


@pytest.mark.dear
def test_every_case_is_taken_by_some_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q",
                           "-o", "addopts=", "-m", "not outside", "tests/conformance"],
                          cwd=ROOT, capture_output=True, text=True, check=True)
    taken = {line[line.index("[") + 1:-1] for line in done.stdout.splitlines() if "[" in line}
    assert {str(case) for case in QUICK} <= taken


def some_range(holds: Callable[[Fraction, Fraction], bool]) -> Callable[[Mapping[str, object]], bool]:
    return lambda given: any(holds(low, high) for low, high in checked_ranges(given.get("range")).values())


EDGES: dict[str, Callable[[Mapping[str, object]], bool]] = {
    "no level": lambda given: given.get("m") == 0,
    "no level is needed": lambda given: Fraction(str(given.get("eps", 0))) >= 1,
    "two inputs, or two tokens": lambda given: given.get("n") == 2,
    "two anchors": lambda given: given.get("p") == 2,
    "two pieces": lambda given: given.get("N") == 2,
    "one head": lambda given: given.get("H") == 1,
    "input errors": lambda given: Fraction(str(given.get("delta", 0))) > 0,
    "a range around 0": some_range(lambda low, high: low < 0 < high),
    "a range above 0": some_range(lambda low, high: low > 0),
    "a range below 0": some_range(lambda low, high: high < 0),
    "a range from 0": some_range(lambda low, high: low == 0),
    "a wide domain": lambda given: "M" in given,
    "a sequence": lambda given: "sequence" in given,
    "the shortest sequence": lambda given: given.get("sequence") == 2,
    "codes on the circle": lambda given: given.get("codes") == "circle",
    "sentinels": lambda given: given.get("sentinels") is True,
    "copies": lambda given: "d" in given,
    "weights": lambda given: "w" in given,
    "no eps": lambda given: "eps" not in given,
    "a tiny eps": lambda given: 0 < Fraction(str(given.get("eps", 1))) <= Fraction(1, 10**9),
    "a given temperature": lambda given: "kappa" in given,
    "a given part for leaks": lambda given: "eps0" in given,
    "ranges of their own": lambda given: isinstance(given.get("range"), Mapping),
    "a given steepness": lambda given: "beta" in given,
}


@pytest.mark.parametrize("edge", EDGES)
def test_every_edge_of_a_construction_and_of_a_gate_is_run(edge: str) -> None:
    table, quick = ([c for c in some if EDGES[edge](c.given)] for some in (CASES, QUICK))
    assert {c.name for c in table} == {c.name for c in quick} != set()
    assert {(c.route, c.gate) for c in table} == {(c.route, c.gate) for c in quick}


def test_every_way_is_exported_and_every_case_by_every_construction_and_gate() -> None:
    table = test_export.MATRIX
    quick = covering(table, test_export.traits)
    assert {way for way, _ in quick} == set(test_export.ways())
    for place in range(3):
        assert {(way[place], case) for way, case in quick} == {(way[place], case) for way, case in table}
    assert FAR_FEWER * len(quick) < len(table)


def made(row: Row, *options: str) -> tuple[str, ...]:
    """What is typed for these options."""
    words = [*row.name.replace("=", " ").split(), ""]
    return tuple(name if name == "--sentinels" else f"{name} {words[words.index(name) + 1]}"
                 for name in options if name in words)


def test_every_way_of_making_a_bound_is_compared() -> None:
    rows = stored()
    quick = covering(rows, test_golden_rows.traits)
    for kind in test_golden_rows.KINDS:
        few, many = ([row for row in some if test_golden_rows.kind(row) == kind] for some in (quick, rows))
        assert bool(few) == (kind != "papers")
        assert FAR_FEWER * len(few) < len(many)
        if kind == "rows":
            assert {(row.arguments[0], made(row, "--gate")) for row in few} == {
                (row.arguments[0], made(row, "--gate")) for row in many}
            how = ("--route", "--gate", "--temperature", "--grid", "--sentinels")
            assert {made(row, *how) for row in few} == {made(row, *how) for row in many}
