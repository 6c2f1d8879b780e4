"""Constructions are found by their files; their headers are complete and true."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction as F
from pathlib import Path

import pytest

from boundcalc.declarations import registry
from boundcalc.declarations.header import OPTIONAL, REQUIRED
from boundcalc.declarations.record import Construction
from boundcalc.declarations.registry import check, construction, information, names
from boundcalc.errors import InvalidInput
from boundcalc.formulas.target import Target
from boundcalc.gates import GATES

every_name = pytest.mark.parametrize("name", names())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of constructions of our own."""
    monkeypatch.setattr(registry, "FOLDER", tmp_path)
    caches = (registry._bundled, registry._information, registry._construction)
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


def test_names_are_the_files_of_the_folder() -> None:
    files = {path.stem for path in registry.FOLDER.iterdir() if path.suffix == ".py" and path.stem[0] != "_"}
    assert set(names()) == {stem.replace("_", "-") for stem in files}
    assert names() == tuple(sorted(names()))


def test_the_first_constructions_are_there() -> None:
    assert {"relu", "abs", "square", "mult", "max", "min"} <= set(names())


def test_later_constructions_and_all_gates_are_there() -> None:
    assert {"clip", "hat", "recip"} <= set(names())
    assert GATES == ("silu", "anchor", "anchors", "ffn")
    for name in names():
        assert information(name).gates == GATES


TARGETS = {"relu": "x", "abs": "x", "square": "x**2", "mult": "x*y", "max": "max(x, y)", "min": "min(x, y)", "recip": "1/x",
           "clip": "1/2", "hat": "1 - abs(x - 7/4)/(5/4)", "exp": "exp(x)", "log": "log(x)", "sqrt": "x**(1/2)",
           "sin": "sin(x)", "cos": "sin(pi/2 - x)", "gelu": "x*(1 + erf(x/sqrt(2)))/2", "softplus": "log(1 + exp(x))",
           "univariate": "x*exp(-x)", "tanh": "(exp(2*x) - 1)/(exp(2*x) + 1)", "sigmoid": "1/(1 + exp(-x))", "step": "1",
           "switch": "x*y + (1 - x)*u", "median": "x", "kth": "x", "cpwl": "1/2"}
# median: of 2/3, 5/2, 1/4; kth: of 2/3, 5/2, 1/4, −1 the second; cpwl: of (0, 0), (1/3, 1), (1, 0)
AT = dict(zip("xyuvwz", (F(2, 3), F(5, 2), F(1, 4), F(-1), F(7), F(3)), strict=True))


@every_name
def test_the_target_is_the_map(name: str) -> None:
    """`target` is what it says, M, the range and weights being those of the case."""
    values = {"a": F(1, 2), "b": F(3), "n": F(2), "d": F(2), "w1": F(2), "w2": F(-1), "t": F(1, 4), "gap": F(1, 10)}
    target = construction(name).target_at(values)
    point = list(AT.values())[:target.inputs]
    said = Target.of(TARGETS[name], dict.fromkeys(AT, 1))
    assert abs(target.near(point, 40) - said.near(list(AT.values()), 40)) <= F(1, 10 ** 39)


def test_a_new_file_is_a_new_construction(folder: Path) -> None:
    header = "map: x ↦ y\nroutes: a, b\ngates: silu\nsource: s\nstanding: derived"
    (folder / "gd_step.py").write_text(f'"""A step.\n\n{header}\n\nWords.\n"""\n', encoding="utf-8")
    (folder / "_hidden.py").write_text("", encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    assert names() == ("gd-step",)
    found = information("gd-step")
    assert (found.title, found.map, found.routes, found.gates) == ("A step", "x ↦ y", ("a", "b"), ("silu",))
    assert (found.source, found.standing, found.text) == ("s", "derived", "Words.")


@pytest.mark.parametrize("docstring", [
    "", "Title.", "Title.\n\nmap: x\nroutes: a\ngates: silu\nsource: s",
    "Title.\n\nmap: x\nroutes: a\ngates: g\nsource: s\nstanding: t\nodd: x",
])
def test_an_incomplete_header_is_refused_with_what_is_missing(folder: Path, docstring: str) -> None:
    (folder / "odd.py").write_text(f'"""{docstring}"""\n', encoding="utf-8")
    with pytest.raises(InvalidInput) as problem:
        information("odd")
    assert "odd.py, line " in problem.value.problem
    assert all(key in problem.value.remedy for key in REQUIRED + OPTIONAL)


@every_name
def test_headers_are_complete(name: str) -> None:
    found = information(name)
    assert found.name == name
    assert found.title
    assert not found.title.endswith(".")
    assert "↦" in found.map
    assert found.source
    assert found.standing
    assert set(found.gates) <= set(GATES)
    docstring = ast.get_docstring(ast.parse((registry.FOLDER / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")))
    assert docstring is not None
    assert [line.partition(":")[0] for line in docstring.split("\n\n")[1].splitlines()] == [*REQUIRED, *OPTIONAL]


@every_name
def test_headers_agree_with_the_construction(name: str) -> None:
    built = construction(name)
    assert isinstance(built, Construction)
    assert built.name.partition("[")[0] == name
    assert tuple(built.by_route) == information(name).routes
    for route in built.by_route:
        assert f"{route}.  " in information(name).text, "every route is described"


@pytest.mark.parametrize(("typed", "meant"), [
    ("mutl", "mult"), ("sqare", "square"), ("reul", "relu"), ("maxx", "max"), ("ab", "abs")])
def test_the_nearest_name_is_suggested(typed: str, meant: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        check(typed)
    assert typed in problem.value.problem
    assert problem.value.remedy == f"Did you mean {meant}?"


@pytest.mark.parametrize("typed", ["", "xyzzy", "../mult", "__init__", "ε" * 500, "a\nb\x1b[31m"])
def test_a_name_that_is_like_none_is_refused_on_one_short_line(typed: str) -> None:
    for ask in (check, information, construction):
        with pytest.raises(InvalidInput) as problem:
            ask(typed)
        text = str(problem.value)
        assert len(text) < 60 + 100
        assert text.isprintable()
