"""The tutorial is executed: every output on the page is what its code gives. `--regenerate` writes the page anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```(?:text|math)\n.*?```\n)*", re.DOTALL)


def run(code: str, scope: dict[str, object]) -> str:
    """The code with its output below it: what it prints, and its last value as a notebook would show it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = StringIO(), ""
    with redirect_stdout(printed):
        exec(compile(tree, PAGE.name, "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), PAGE.name, "eval"), scope)
            if hasattr(value, "_repr_latex_"):
                shown = value._repr_latex_().removeprefix(r"$\displaystyle ").removesuffix("$")
                assert value._repr_html_().strip()
    out = f"```python\n{code}```\n"
    if printed.getvalue():
        out += f"\n```text\n{printed.getvalue()}```\n"
    return out + (f"\n```math\n{_for_github(shown)}\n```\n" if shown else "")


def _for_github(latex: str) -> str:
    """GitHub does not know \\operatorname."""
    return re.sub(r"\\operatorname\{(\w+)\}", r"\\mathop{\\mathrm{\1}}", latex)


@pytest.mark.dear
def test_the_page_shows_what_its_code_gives(golden: Callable[[Path, str], None]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    scope: dict[str, object] = {}
    golden(PAGE, BLOCK.sub(lambda m: run(m["code"], scope), page))
    assert len(BLOCK.findall(page)) >= 8
