"""What is imported when, and in which direction."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import boundcalc

ROOT = Path(boundcalc.__file__).parent
HEAVY = ("sympy", "numpy", "flint", "mpmath", "matplotlib")


@pytest.mark.parametrize("module", ["boundcalc", "boundcalc.registry", "boundcalc.weights", "boundcalc.network_file",
                                    "boundcalc.exact", "boundcalc.errors", "boundcalc.gates", "boundcalc.schemas"])
def test_light_modules_import_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    assert result.stderr == ""


def test_listing_constructions_imports_nothing_heavy() -> None:
    code = ("import sys; from boundcalc import registry; found = [registry.information(n) for n in registry.names()]; "
            f"assert len(found) >= 6; print([m for m in {HEAVY!r} if m in sys.modules])")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------------------

def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules() -> dict[str, Path]:
    return {module_name(p): p for p in sorted(ROOT.rglob("*.py"))}


def at_module_level(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that run when the module is imported: not those in functions, nor under `if TYPE_CHECKING`."""
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node
            case ast.If(test=test):
                name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
                if name != "TYPE_CHECKING":
                    yield from at_module_level(node.body)
                yield from at_module_level(node.orelse)
            case ast.Try():
                for part in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)):
                    yield from at_module_level(part)
            case ast.With() | ast.ClassDef():
                yield from at_module_level(node.body)


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in at_module_level(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            targets = [a.name for a in node.names]
        else:
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            targets = [f"{origin}.{a.name}" if f"{origin}.{a.name}" in known else origin for a in node.names]
        found |= {t for t in targets if t in known}
    return found - {name}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Some cycle of the graph, or nothing."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return path[path.index(node):]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            if found := walk(other, [*path, node]):
                return found
        done.add(node)
        return []
    return next((found for node in sorted(graph) if (found := walk(node, []))), [])


def test_imports_point_one_way() -> None:
    known = modules()
    graph = {name: imported(name, path, known) for name, path in known.items()}
    assert cycle(graph) == []
    assert len(graph) > 30
    assert "boundcalc.symbols" in graph["boundcalc.linear"]          # the walk does see imports
    assert "boundcalc.gates.behaviour" in graph["boundcalc.lower"]


def test_a_cycle_would_be_seen() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_layers_of_the_package() -> None:
    """The exact layer knows nothing of terms, terms nothing of constructions, and nothing below knows cli or export."""
    known = modules()
    graph = {name: imported(name, path, known) for name, path in known.items()}

    def reach(name: str) -> set[str]:
        seen: set[str] = set()
        todo = [name]
        while todo:
            for other in graph[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        return seen
    assert reach("boundcalc.exact") <= {"boundcalc", "boundcalc.errors"}
    assert reach("boundcalc.weights") <= {"boundcalc", "boundcalc.errors"}
    assert reach("boundcalc.network_file") <= {"boundcalc", "boundcalc.errors", "boundcalc.exact", "boundcalc.weights"}
    assert reach("boundcalc.arithmetic") <= {"boundcalc", "boundcalc.errors"}
    for low in ("algebra", "derive", "flatten", "network", "linear", "series", "softmax", "enclosure"):
        above = {m for m in reach(f"boundcalc.{low}") if m.startswith((
            "boundcalc.cli", "boundcalc.export", "boundcalc.constructions", "boundcalc.verify", "boundcalc.tune"))}
        assert above == set(), low


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert not {p.stem for p in modules().values()} & {"utils", "common", "core", "helpers", "misc"}
