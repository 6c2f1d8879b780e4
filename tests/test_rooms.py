"""The order of the rooms: imports point from later rooms to earlier ones, those in functions and for typing included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import boundcalc

ROOT = Path(boundcalc.__file__).parent
ORDER = ("numbers", "formulas", "lemmas", "networks", "terms", "gates", "declarations", "constructions", "derivation",
         "tune", "results", "verify", "checker", "claims", "papers", "export", "pictures", "cli")
AT_THE_ROOT = 8                                             # modules, at most
UPWARDS = {"boundcalc", "boundcalc.__main__"}               # the front doors: they name rooms as text, or open the last
LOADERS = {         # where modules are imported by name; nothing else may, since no test would see what it imports
    "boundcalc", "boundcalc.display", "boundcalc.export", "boundcalc.gates", "boundcalc.cli.main",
    "boundcalc.declarations.registry"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {module_name(p): p for p in sorted(ROOT.rglob("*.py"))}


def room(module: str) -> int:
    """The place of a module's room in the order; −1 for what lies at the root, below all rooms."""
    parts = module.split(".")
    return ORDER.index(parts[1]) if len(parts) > 1 and parts[1] in ORDER else -1


def imports(text: str, name: str, package: bool, known: dict[str, Path]) -> Iterator[str]:
    """Every module of ours that a text imports, wherever the import stands in it."""
    home = name if package else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = home.split(".")[: len(home.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            found = (f"{origin}.{a.name}" if f"{origin}.{a.name}" in known else origin for a in node.names)
            yield from (f for f in found if f in known)


def against_the_order(texts: dict[str, str], known: dict[str, Path]) -> list[str]:
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    return sorted({f"{name} → {other}" for name, text in texts.items() if name not in UPWARDS
                   for other in imports(text, name, name in packages, known) if room(other) > room(name)})


def texts() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


def test_imports_follow_the_order_of_rooms() -> None:
    assert against_the_order(texts(), modules()) == []


@pytest.mark.parametrize("line", [
    "from ..results.report import Report", "def f():\n    from ..results import report",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import boundcalc.results.report",
    "from .. import results", "class A:\n    def f(self):\n        from boundcalc.cli.main import main"])
def test_an_import_against_the_order_is_seen(line: str) -> None:
    """Wherever it stands."""
    (found,) = against_the_order({"boundcalc.terms.term": line}, modules())
    assert found.startswith("boundcalc.terms.term → boundcalc.")


def test_rooms_are_those_of_the_order() -> None:
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert folders == {*ORDER, "schemas"}
    assert len(list(ROOT.glob("*.py"))) <= AT_THE_ROOT
    tests = {p.name for p in Path(__file__).parent.iterdir() if p.is_dir() and p.name not in ("__pycache__", "golden")}
    assert tests - set(ORDER) == {"conformance", "compositions", "recipe"}    # tests mirror the rooms


def test_modules_are_imported_by_name_in_few_places() -> None:
    found = {name for name, text in texts().items() if "import_module" in text or "__import__" in text}
    assert found == LOADERS


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not {p.stem for p in modules().values()} & {"utils", "common", "core", "helpers", "misc"}


def test_no_class_has_two_meanings() -> None:
    """A public class name is defined once."""
    places: dict[str, list[str]] = {}
    for name, text in texts().items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    assert {word: where for word, where in places.items() if len(where) > 1} == {}
