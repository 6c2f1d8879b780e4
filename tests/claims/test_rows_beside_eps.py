"""Rows of the table against the command line: what a row says of a network chosen by eps is what that network has."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from boundcalc.checker.claims import gap
from boundcalc.checker.networks import COUNT
from boundcalc.checker.statements import stated_of
from boundcalc.checker.terms import read_term
from boundcalc.claims.axioms import table_for
from boundcalc.claims.search import conditions_of_row
from boundcalc.claims.search_terms import value
from boundcalc.networks.file import to_json
from boundcalc.results.bound import bound

EPS = [Fraction(x) for x in ("3", "1", "1/2", "1/3", "1/5", "1/30", "1/700", "1/100000")]
ATTENTION, RELU = ("layers", "heads", "beta"), ("neurons", "relu_layers", "relu_width")


@pytest.mark.parametrize(("name", "options", "quantities"), [
    ("mult", {"route": "recipe", "gate": "silu"}, ATTENTION), ("square", {"gate": "silu"}, ("layers", "heads")),
    ("relu", {"gate": "silu"}, ATTENTION), ("mult", {"route": "recipe", "gate": "ffn"}, RELU),
    ("square", {"gate": "ffn"}, RELU)])
def test_rows_say_what_the_network_has(name: str, options: dict[str, str], quantities: tuple[str, ...]) -> None:
    """β of the network is its formula, rounded up; with mult at eps = 1 plain propagation needs the least."""
    chosen = ", ".join(f"{k}={v}" for k, v in options.items())
    for quantity in quantities:
        rows = [r for r in table_for(stated_of(f"{name}[{chosen}].{quantity} <= 1", "eps > 0")).rows if r.get("label")]
        seen = 0
        for eps in EPS:
            made = bound(name, eps=eps, **options)  # type: ignore[arg-type]
            layers = json.loads(to_json(made.network))["layers"]
            there = Fraction(made.values["beta"]) if quantity == "beta" else Fraction(str(COUNT[quantity](layers)))
            at = {"eps": float(eps), "M": 1.0, "d": 1.0}
            for row in rows:
                if all(value(gap(c.left, c.rel, c.right)[0], at) >= -1e-12 for c in conditions_of_row(row)):
                    seen += 1
                    said = value(read_term(row["formula"]), at)
                    if row["kind"] == "lower":          # what every network of its class needs
                        assert said <= float(there)
                        continue
                    assert row["kind"] == "equal"
                    assert said == pytest.approx(float(there), rel=1e-5), (quantity, eps)
        assert seen >= len(EPS) // 2, quantity
