"""Claims about a construction at each of L tokens: rows agree with exported networks; "independent of L" is decided."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from boundcalc import InvalidInput, bound
from boundcalc.checker.networks import COUNT
from boundcalc.claims.check import check_text
from boundcalc.networks.file import to_json
from tests.selection import few

MULT = "mult[route=recipe, gate=silu, sequence=L]"
NETWORKS = [("mult", "silu", {}), ("square", "silu", {}), ("relu", "silu", {"M": 1}), ("max", "silu", {"n": 3}),
            ("abs", "anchor", {}), ("mult", "anchor", {}), ("hat", "anchor", {})]


@pytest.mark.parametrize(("claim", "domain", "verdict"), [
    (f"independent({MULT}.heads, L)", "", "proved"), (f"independent({MULT}.layers, L)", "m >= 0", "proved"),
    (f"independent({MULT}.width, L)", "", "refuted"), (f"independent({MULT}.tokens, L)", "eps == 1/1000", "refuted"),
    ("mult[gate=silu, sequence=L].error <= eps", "eps > 0", "proved"),
    (f"{MULT}.error <= eps/2", "eps > 0", "undecided"), (f"{MULT}.error <= 1", "", "undecided"),
    (f"{MULT}.tokens = O(L) as L -> inf", "", "proved"), (f"{MULT}.tokens = O(1) as L -> inf", "", "refuted"),
    (f"{MULT}.width == L + 5", "m >= 1", "proved"), (f"{MULT}.width <= 9", "m >= 1", "conditional"),
    (f"{MULT}.nu <= 15", "eps == 1/1000, L == 5", "proved"), (f"{MULT}.nu <= 14", "eps == 1/1000, L == 5", "refuted"),
    ("relu[gate=silu, sequence=L].error <= eps", "eps > 0", "undecided"),           # other tokens leak without bound
    ("relu[gate=silu, sequence=L].error <= eps", "eps > 0, M == 1", "proved"),
    (f"{MULT}.layers <= 3", "eps > 0", "undecided"), (f"{MULT}.error <= eps + delta", "eps > 0, delta >= 0", "undecided")])
def test_what_a_sequence_costs(claim: str, domain: str, verdict: str) -> None:
    assert check_text(claim, domain).verdict == verdict


@pytest.mark.parametrize("claim", [
    "mult[sequence=L].width <= 9", "mult[gate=silu, sequence=5].width <= 9", f"{MULT}.beta <= 9", "mult[gate=silu].nu <= 3",
    "mult[route=direct, sequence=L].width <= 9", "mult[gate=ffn, sequence=L].width <= 9"])
def test_what_has_no_sequence_is_refused(claim: str) -> None:
    with pytest.raises(InvalidInput):
        check_text(claim)


@pytest.mark.parametrize(("name", "gate", "given"), few(NETWORKS, 2))
@pytest.mark.parametrize("length", [2, 3, 7])
def test_rows_are_what_the_exported_network_has(name: str, gate: str, given: dict[str, object], length: int) -> None:
    route = "tree" if name == "max" else "recipe"
    made = bound(name, route=route, gate=gate, sequence=length, eps=Fraction(1, 20), **given)  # type: ignore[arg-type]
    layers = json.loads(to_json(made.network))["layers"]
    level = next((f", m == {c.value}" for c in made.choices if c.name == "m"), "")
    place = {"n": ", n == 3", "M": ", M == 1"}.get(next(iter(given), ""), "")
    for quantity in ("layers", "heads", "tokens", "width", "parameters"):
        if gate == "anchor" and quantity in ("tokens", "parameters"):      # p follows from eps, by no formula
            continue
        claim = f"{name}[route={route}, gate={gate}, sequence=L].{quantity} == {COUNT[quantity](layers)}"
        assert check_text(claim, f"L == {length}{level}{place}").verdict == "proved", claim
