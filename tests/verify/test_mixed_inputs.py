"""Squares and products of combinations of the inputs, among inputs that matter to nothing; domains without end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from boundcalc.formulas.target import Target
from boundcalc.networks.network import AffineLayer, Matrix, Network
from boundcalc.results.bound import bound
from boundcalc.results.verification import Verification
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.verification import verify, verify_network

F = Fraction
Row = dict[int, Fraction]
Ends = tuple[Fraction | None, Fraction | None]
UNIT: Ends = (F(-1), F(1))
EPS = F(1, 100)


def fed(network: Network, rows: tuple[Row, ...], inputs: int) -> Network:
    """The network of so many inputs, whose own inputs are these combinations of them."""
    first = network.layers[0]
    assert isinstance(first, AffineLayer)
    entries: dict[tuple[int, int], Fraction] = {}
    for i, j, x in first.weight.entries:
        for k, c in rows[j].items():
            entries[i, k] = entries.get((i, k), F(0)) + x * c
    weight = Matrix(first.weight.rows, inputs, tuple((i, k, x) for (i, k), x in sorted(entries.items()) if x))
    return Network(tuple("xyz"[:inputs]), network.outputs, (replace(first, weight=weight), *network.layers[1:]))


def against(text: str, network: Network, *, last: Ends = UNIT) -> Verification:
    n = len(network.inputs)
    return verify_network(network, [Target.of(text, dict.fromkeys(network.inputs, 1))],
                          [UNIT] * (n - 1) + [last], EPS, digits=20)


CASES: list[tuple[str, tuple[Row, ...], int, str]] = [
    ("square", ({0: F(1, 2), 1: F(1, 2)},), 2, "((x + y)/2)**2"), ("square", ({1: F(1)},), 2, "y**2"),
    ("square", ({0: F(1, 3), 1: F(-1, 2), 2: F(1, 6)},), 3, "(x/3 - y/2 + z/6)**2"),
    ("mult", ({0: F(1)}, {1: F(1)}), 3, "x*y"), ("mult", ({0: F(1)}, {2: F(1)}), 3, "x*z"),
    ("mult", ({2: F(1)}, {1: F(-1)}), 3, "-y*z"), ("mult", ({1: F(1, 2), 2: F(1, 2)}, {1: F(1)}), 3, "y*(y + z)/2")]


@pytest.mark.parametrize(("name", "rows", "inputs", "text"), CASES, ids=[c[3] for c in CASES])
def test_squares_and_products_of_combinations_are_certified_with_a_witness(name: str, rows: tuple[Row, ...], inputs: int,
                                                                          text: str) -> None:
    """No combination leaves [−1, 1], so no error is larger than that of the construction itself; the witness is a point of
    all inputs, at which the network has nearly the certified error."""
    b = bound(name, eps=EPS)
    plain = verify(b).proved
    network = fed(b.network, rows, inputs)
    found = against(text, network)
    assert plain is not None
    assert found.proved is not None
    assert found.holds is True
    assert found.proved.error <= plain.error * F(1007, 1000)
    point = found.proved.point
    assert len(point) == inputs
    assert all(-1 <= x <= 1 for x in point)
    value = to_fraction(Evaluator(network, 30)(list(point))[0])
    wanted = Target.of(text, dict.fromkeys(network.inputs, 1)).exact(list(point))
    assert wanted is not None
    assert found.proved.error * F(9, 10) <= abs(value - wanted) <= found.proved.error


def test_a_product_of_three_inputs_is_not_certified_as_one_of_two() -> None:
    """x·y + x·z = x·(y + z): two directions of three inputs, which are not paired."""
    network = fed(bound("mult", eps=EPS).network, ({0: F(1)}, {1: F(1, 2), 2: F(1, 2)}), 3)
    found = against("x*(y + z)/2", network)
    assert found.proved is None
    assert "3 inputs" in (found.reason or "")


@pytest.mark.parametrize("last", [(None, None), (F(0), None), (None, F(2))])
@pytest.mark.parametrize("route", ["recipe", "direct"])
def test_an_unbounded_input_that_matters_to_nothing_is_no_defect(route: str, last: Ends) -> None:
    network = fed(bound("mult", eps=EPS, route=route).network, ({0: F(1)}, {1: F(1)}), 3)
    found = against("x*y", network, last=last)
    assert found.proved is None
    assert found.holds is None
