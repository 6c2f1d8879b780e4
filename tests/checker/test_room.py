"""The checker stands alone: what it imports, how long it is, and that nothing in it depends on the machine."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import boundcalc.checker

ROOM = Path(boundcalc.checker.__file__).parent
MOST_LINES = 2400


def code_lines(text: str) -> int:
    """Lines that are neither blank, nor comments, nor docstrings."""
    words: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            first = node.body[0]
            words |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    nothing = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines = {
        line
        for t in tokenize.generate_tokens(io.StringIO(text).readline)
        if t.type not in nothing
        for line in range(t.start[0], t.end[0] + 1)
    }
    return len(lines - words)


def test_it_imports_the_standard_library_and_flint_alone() -> None:
    program = (
        "import sys; before = set(sys.modules); import boundcalc.checker.statements; "
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(found) <= {"boundcalc", "flint", "cython_runtime", "_cython_3_0_11", *(m for m in found if "cython" in m)}
    rooms = (
        "import sys; import boundcalc.checker.statements; "
        "print(*sorted(m for m in sys.modules if m.startswith('boundcalc.') and not m.startswith('boundcalc.checker')))"
    )
    assert subprocess.run([sys.executable, "-c", rooms], capture_output=True, text=True, check=True).stdout.strip() == ""


def test_it_is_small() -> None:
    assert sum(code_lines(p.read_text(encoding="utf-8")) for p in ROOM.glob("*.py")) <= MOST_LINES


def test_it_has_no_clock_and_no_chance() -> None:
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not {"time", "random", "datetime", "os", "sympy", "mpmath"} & {n.split(".")[0] for n in names}, path
