"""What is imported when: light modules import nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
