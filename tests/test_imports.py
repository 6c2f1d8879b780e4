"""What is imported when: light modules import nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from boundcalc.cli.main import COLLECT_AFTER

HEAVY = ("sympy", "numpy", "flint", "mpmath", "matplotlib")


@pytest.mark.parametrize("module", [
    "boundcalc", "boundcalc.declarations.header", "boundcalc.declarations.registry", "boundcalc.errors",
    "boundcalc.formulas.parameter", "boundcalc.gates", "boundcalc.networks.file", "boundcalc.networks.network",
    "boundcalc.numbers.exact", "boundcalc.schemas"])
def test_light_modules_import_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    assert result.stderr == ""


def test_listing_constructions_imports_nothing_heavy() -> None:
    code = ("import sys; from boundcalc.declarations.registry import information, names; found = [information(n) "
            f"for n in names()]; assert len(found) >= 6; print([m for m in {HEAVY!r} if m in sys.modules])")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# what a bound in text has no use for: other formats, weights, verification, claims, and what only refusals need
NOT_FOR_A_BOUND = ("boundcalc.claims", "boundcalc.networks", "boundcalc.papers", "boundcalc.pictures", "boundcalc.verify",
                   "boundcalc.export.document", "boundcalc.export.json_", "boundcalc.export.latex",
                   "boundcalc.export.verified", "boundcalc.formulas.mathml", "boundcalc.formulas.target",
                   "boundcalc.gates.anchor", "boundcalc.gates.ffn", "boundcalc.results.verification",
                   "boundcalc.terms.materialise", "difflib", "importlib.metadata", "numpy", "traceback")
RUN = """
import atexit, contextlib, gc, io, sys
from boundcalc.cli.main import main
atexit.register(lambda: print(gc.get_freeze_count() > 0))       # what is registered first runs last
with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
    main({arguments!r})
print(*(m for m in {modules!r} if m in sys.modules))
print("proved" in said.getvalue(), gc.get_threshold()[0])
"""


def loaded(*arguments: str) -> list[str]:
    code = RUN.format(arguments=list(arguments), modules=NOT_FOR_A_BOUND)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def test_a_bound_loads_only_what_it_needs() -> None:
    assert loaded("mult", "--eps", "1e-3")[:2] == ["", f"True {COLLECT_AFTER}"]


@pytest.mark.dear
def test_what_else_is_asked_for_is_loaded() -> None:
    """Otherwise the list above would name what nothing loads."""
    modules = loaded("mult", "--eps", "1e-3", "--verify", "-f", "json")[0].split()
    assert {"boundcalc.networks", "boundcalc.verify", "boundcalc.export.json_", "boundcalc.formulas.target",
            "boundcalc.results.verification", "boundcalc.terms.materialise"} <= set(modules)


def test_memory_is_not_taken_apart_at_exit() -> None:
    assert loaded("mult", "--eps", "1e-3")[-1] == "True"
