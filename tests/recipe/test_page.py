"""docs/recipe.md: its table is what the program counts, equal to the proposition, and its example runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import boundcalc
from boundcalc.results.proposition import layer_cost
from boundcalc.results.report import relu_counts

from .made import random_network

PAGE = Path(__file__).parents[2] / "docs" / "recipe.md"
SHAPES = [(1, 8, 1), (2, 16, 1), (2, 16, 16, 1), (4, 32, 4), (8, 64, 64, 1), (16, 128, 10), (3, 10, 20, 30, 1),
          (5, 7, 7, 7, 7, 2), (32, 64, 32, 64, 32), (100, 50, 10)]
WIDE = (-1000, 1000)


def rows() -> list[str]:
    found = ["| shape | layers | units → heads | tokens | width | entries → entries |", "|---|---|---|---|---|---|"]
    for shape in SHAPES:
        b = boundcalc.network(random_network(*shape), eps="1e-3", range=WIDE)
        ours, given = {k: q.exact for k, q in b.resources.items()}, relu_counts(b)
        assert given is not None
        units = shape[1:-1]
        assert ours["parameters"] == given.parameters + 3 * sum(units) + len(units)
        assert (ours["layers"], ours["heads"], ours["tokens"], ours["width"]) == (
            len(units), sum(units), 2, 1 + max(units))
        found.append(f"| {'–'.join(map(str, shape))} | {ours['layers']} | {given.units} → {ours['heads']} | "
                     f"{ours['tokens']} | {ours['width']} | {given.parameters:,} → {int(ours['parameters']):,} |")
    return found


def test_the_table_is_generated(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    made = re.sub(r"<!-- table -->\n.*?<!-- end -->", "<!-- table -->\n" + "\n".join(rows()) + "\n<!-- end -->", text,
                  flags=re.DOTALL)
    golden(PAGE, made)


def test_the_example_prints_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    (block, shown), = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```\n", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == shown


def test_the_proposition_has_the_counts_of_the_page() -> None:
    """Counted on a layer of symbolic size: the coefficients of the sum."""
    silu = layer_cost("silu")
    assert [silu.summed(x) for x in (silu.layers, silu.heads, silu.width, silu.entries)] == [(1, 0), (0, 1), (1, 1), (1, 3)]
    assert silu.tokens == 2


@pytest.mark.parametrize("gate", ["anchor", "anchors"])
def test_the_proposition_holds_for_other_gates(gate: str) -> None:
    cost = layer_cost(gate)
    shape = (2, 5, 4, 1)
    b = boundcalc.network(random_network(*shape), eps="1e-1", range=WIDE, gate=gate)
    values = {s: int(b.values[str(s)]) for e in (cost.heads, cost.tokens, cost.entries) for s in e.free_symbols
              if str(s) in b.values}
    given = relu_counts(b)
    assert given is not None

    def summed(e: object) -> int:
        rest, slope = cost.summed(e)            # type: ignore[arg-type]
        return int((rest * 2 + slope * 9).subs(values))

    assert b.resources["heads"].exact == summed(cost.heads)
    assert b.resources["parameters"].exact == given.parameters + summed(cost.entries)
    assert b.resources["tokens"].exact == int(cost.tokens.subs(values))
