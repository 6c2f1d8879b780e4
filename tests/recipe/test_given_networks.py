"""The recipe for networks of numbers: what is exported is within the bound of what the arrays say, and has the counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

import boundcalc
from boundcalc.errors import InvalidInput
from boundcalc.lemmas.witness import worst_silu_input
from boundcalc.networks.arrays import from_python
from boundcalc.networks.network import AffineLayer, Matrix, ReluLayer, Vector
from boundcalc.networks.relu import ReluNetwork, relu_network
from boundcalc.results.bound import Bound
from boundcalc.results.report import overhead, relu_counts
from tests.conformance.reference import run
from tests.selection import covering, few

from .made import exact_run, random_arrays, random_network, trained_arrays

ONE = Fraction(1)
MAKERS: dict[str, Callable[[], list[Any]]] = {
    "1-8-1": lambda: random_arrays(1, 8, 1),
    "2-16-16-1": lambda: random_arrays(2, 16, 16, 1),
    "2-3-4-2": lambda: random_arrays(2, 3, 4, 2, seed=3),
    "trained": trained_arrays,
}


@cache
def arrays_of(name: str) -> list[Any]:
    return MAKERS[name]()


def points(inputs: int, seed: int, count: int) -> Iterator[list[Fraction]]:
    """Corners, the middle, and random points of [−1, 1]^d."""
    r = random.Random(seed)
    yield from map(list, product((-ONE, Fraction(0), ONE), repeat=inputs))
    for _ in range(count):
        yield [Fraction(r.randint(-10 ** 6, 10 ** 6), 10 ** 6) for _ in range(inputs)]


def error_at(b: Bound, arrays: Sequence[Any], point: Sequence[Fraction]) -> list[Any]:
    """Network − ReLU network, by a second evaluator and from the arrays themselves."""
    found, _ = run(b.network, point)
    return [y - (f if isinstance(y, Fraction) else type(y)(0) + f.numerator * (y * 0 + 1) / f.denominator)
            for y, f in zip(found, exact_run(arrays, point), strict=True)]


def local_search(b: Bound, arrays: Sequence[Any], start: list[Fraction]) -> Any:
    """Uphill from a point, a coordinate at a time."""
    here, best, step = start, max(map(abs, error_at(b, arrays, start))), Fraction(1, 4)
    while step > Fraction(1, 500):
        moves = [[*here[:k], min(ONE, max(-ONE, here[k] + s * step)), *here[k + 1:]]
                 for k in range(len(here)) for s in (1, -1)]
        found = [(max(map(abs, error_at(b, arrays, m))), m) for m in moves]
        value, move = max(found, key=lambda pair: pair[0])
        here, best, step = (move, value, step) if value > best else (here, best, step / 2)
    return best


@pytest.mark.parametrize(("name", "gate"), covering(
    [(name, gate) for name in MAKERS for gate in ("silu", "anchor", "anchors") if gate == "silu" or name == "2-3-4-2"],
    lambda case: case))
def test_the_network_is_within_its_bound(name: str, gate: str) -> None:
    """At corners, random points and by local search, with 150 digits; and each side of the signed bound holds."""
    arrays = arrays_of(name)
    eps = Fraction(1, 100 if gate == "silu" else 10)
    b = boundcalc.network(arrays, eps=eps, range=(-1, 1), gate=gate)
    assert b.total.upper is not None
    assert b.total.upper <= eps
    sides = [(b.value(t.lo), b.value(t.hi)) for t in b.analysis.totals]
    largest, kept = 0, [ONE] * len(b.construction.inputs)
    for point in points(len(b.construction.inputs), 1, 12):
        errors = error_at(b, arrays, point)
        for error, ((_, low), (_, high)) in zip(errors, sides, strict=True):
            assert low is not None
            assert high is not None
            assert low - Fraction(1, 10 ** 12) <= Fraction(str(error)) <= high + Fraction(1, 10 ** 12)
        if max(map(abs, errors)) > largest:
            largest, kept = max(map(abs, errors)), point
    found = local_search(b, arrays, kept)
    assert found <= float(eps)
    assert found > 0                # the search saw something: an error of 0 everywhere would test nothing


@pytest.mark.parametrize("gate", ["silu", "anchor", "anchors", "ffn"])
def test_derived_counts_are_those_of_the_file(gate: str) -> None:
    b = boundcalc.network(random_network(3, 5, 4, 2, seed=5), eps="1e-2", range=(-1, 1), gate=gate)
    counted = b.network.resources()
    for key in ("layers", "heads", "heads_per_layer", "tokens", "width", "parameters", "magnitude", "bits", "neurons",
                "relu_layers"):
        assert b.resources[key].exact == counted[key], key
    assert b.families.network() == b.network


SHAPES = [(1, 8, 1), (2, 16, 16, 1), (8, 64, 64, 1), (3, 5, 7, 4, 2)]


@pytest.mark.parametrize("widths", SHAPES, ids=str)
def test_linear_overhead_is_a_proposition(widths: tuple[int, ...]) -> None:
    """L, Σ w_l, 2, 1 + max w_l and P + 3·Σ w_l + L, where no unit is linear or paired (a wide box sees to that)."""
    arrays = random_arrays(*widths)
    entries = sum(x.size for x in arrays)
    b = boundcalc.network(arrays, eps="1e-3", range=(-50, 50))
    units = widths[1:-1]
    wanted = {"layers": len(units), "heads": sum(units), "tokens": 2, "width": 1 + max(units),
              "parameters": entries + 3 * sum(units) + len(units)}
    assert {key: b.resources[key].exact for key in wanted} == wanted
    relu = relu_counts(b)
    assert relu is not None
    assert (relu.layers, relu.units, relu.width, relu.parameters) == (len(units), sum(units), max(units), entries)
    found = overhead(b)
    assert found is not None
    assert found["heads"] == 1


def test_the_figures_of_8_64_64_1() -> None:
    b = boundcalc.network(random_arrays(8, 64, 64, 1), eps="1e-3", range=(-50, 50))
    assert (b.resources["heads"].exact, b.resources["tokens"].exact, b.resources["parameters"].exact) == (128, 2, 5187)


def test_units_that_cannot_switch_cost_no_head_and_no_error() -> None:
    """x ↦ ρ(x + 3) − 2ρ(−x − 2) + ρ(x) on [−1, 1]: one unit is linear, one is off, one is a gate."""
    arrays = [[[1.0], [-1.0], [1.0]], [3.0, -2.0, 0.0]], [[[1.0, -2.0, 1.0]], [0.5]]
    b = boundcalc.network([*arrays[0], *arrays[1]], eps="1e-3", range=(-1, 1))
    assert b.resources["heads"].exact == 1
    wider = boundcalc.network([*arrays[0], *arrays[1]], eps="1e-3", range=(-10, 10))
    assert wider.resources["heads"].exact == 3
    linear = boundcalc.network([*arrays[0], *arrays[1]], eps="1e-3", range=(1, 2))
    assert (linear.resources["heads"].exact, linear.resources["layers"].exact) == (0, 0)
    assert linear.total.exact == 0
    for point in ([Fraction(1)], [Fraction(17, 12)], [Fraction(2)]):
        assert run(linear.network, point)[0] == exact_run([*arrays[0], *arrays[1]], point)


def test_an_input_error_counts_where_units_are_decided() -> None:
    """On [0, 1] ρ(x + 1/10) is linear; with an input error of 1/5 it may switch."""
    arrays = [[[1.0]], [0.125], [[1.0]], [0.0]]
    assert boundcalc.network(arrays, eps="1e-1", range=(0, 1)).resources["heads"].exact == 0
    assert boundcalc.network(arrays, eps="1/2", range=(0, 1), delta="1/5").resources["heads"].exact == 1


def test_opposite_and_equal_rows_share_a_gate() -> None:
    """|x| = ρ(x) + ρ(−x) is one gate; ρ(x) − ρ(−x) = x none; ρ(x) + ρ(x) one."""
    rows, bias = [[1.0], [-1.0]], [0.0, 0.0]
    for columns, heads, slope in (([[1.0, 1.0]], 1, 1), ([[1.0, -1.0]], 0, -1), ([[3.0, -1.0]], 1, -1)):
        b = boundcalc.network([rows, bias, columns, [0.0]], eps="1e-3", range=(-1, 1))
        assert b.resources["heads"].exact == heads
        found, _ = run(b.network, [Fraction(-1)])
        wanted = exact_run([rows, bias, columns, [0.0]], [Fraction(-1)])[0]
        assert wanted == slope
        assert abs(float(found[0]) - float(wanted)) <= 1e-3
    same = boundcalc.network([[[1.0], [1.0]], bias, [[1.0, 2.0]], [0.0]], eps="1e-3", range=(-1, 1))
    assert same.resources["heads"].exact == 1
    assert same.analysis.total.lo == boundcalc.network([[[1.0]], [0.0], [[3.0]], [0.0]], eps="1e-3", range=(-1, 1)
                                                       ).analysis.total.lo


def test_what_our_own_constructions_export_comes_back_no_worse() -> None:
    """mult at 1e-3 with least layers: 28 units become 10 heads, within what propagation gives inside the construction."""
    own = boundcalc.bound("mult", eps="1e-3", minimize="layers")
    m, beta = own.values["m"], own.values["beta"]
    relu = boundcalc.bound("mult", gate="ffn", m=m)
    b = boundcalc.network(relu_network(relu.network), beta=beta)
    assert sum(b.construction.given.widths) == 28                   # type: ignore[attr-defined]
    assert b.resources["heads"].exact == own.resources["heads"].exact == 10
    propagated = own.value(own.analysis.with_eta(own.analysis.stages[-2].outgoing))[1]
    assert own.analysis.stages[-2].superseded
    assert b.total.upper is not None
    assert propagated is not None
    assert b.total.upper <= propagated
    assert b.target_functions[0].exact([Fraction(1, 3), Fraction(1, 7)]) == run(
        relu.network, [Fraction(1, 3), Fraction(1, 7)])[0][0]


@pytest.mark.parametrize(("name", "parameters"), few(
    [("square", {"m": 3}), ("recip", {"N": 6, "range": (Fraction(1, 2), 2)}), ("max", {"n": 4, "route": "tree"}),
     ("clip", {"range": (0, 1)}), ("abs", {}), ("hat", {})], 3))
def test_other_constructions_come_back(name: str, parameters: dict[str, Any]) -> None:
    relu = boundcalc.bound(name, gate="ffn", **parameters)
    own = boundcalc.bound(name, gate="silu", beta=100, **parameters)
    given = relu_network(relu.network)
    domain = {} if all(None not in ends for ends in given.domain) and given.domain else {"range": (-2, 2)}
    b = boundcalc.network(given, beta=100, **domain)
    heads, ours = b.resources["heads"].exact, own.resources["heads"].exact
    assert heads is not None
    assert ours is not None
    assert heads <= ours


def test_the_bound_is_attained_where_gates_do_not_disturb_each_other() -> None:
    """−ρ(x) − ρ(y), and the same behind a second layer that is on: gains of any smaller size would be exceeded."""
    one = [[[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [[-1.0, -1.0]], [0.0]]
    two = [[[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [[2.0, 2.0], [1.0, 0.0]], [1.0, -0.5], [[1.0, 0.0]], [0.0]]
    for arrays in (one, two):
        b = boundcalc.network(arrays, eps="1e-2", range=(-1, 1))
        z = worst_silu_input(b.values["beta"])
        assert float(max(map(abs, error_at(b, arrays, [z, z])))) > 0.999e-2


def test_a_domain_is_needed() -> None:
    with pytest.raises(InvalidInput, match="needs --range: nothing says where x1 lies"):
        boundcalc.network(random_arrays(2, 3, 1), eps="1e-2")


def test_names_and_domains_of_a_file_are_kept() -> None:
    layer = AffineLayer(Matrix(1, 2, ((0, 0, ONE), (0, 1, ONE))), Vector(1))
    given = ReluNetwork(("price", "weight"), ("cost",), (layer, AffineLayer(Matrix(1, 1, ((0, 0, ONE),)), Vector(1))),
                        ((Fraction(-1), ONE), (Fraction(0), Fraction(2))))
    b = boundcalc.network(given, eps="1e-3")
    assert b.names() == (["price", "weight"], ["cost"])
    assert b.domains() == [(-1, 1), (0, 2)]
    other = boundcalc.network(given, eps="1e-3", range={"price": (0, 1)})
    assert other.domains() == [(0, 1), (0, 2)]


def test_relu_layers_in_a_row_and_at_the_ends() -> None:
    """A ReLU at the start or the end, and affine maps that follow each other, are brought into one shape."""
    from boundcalc.networks.network import Network
    double = AffineLayer(Matrix(1, 1, ((0, 0, Fraction(2)),)), Vector(1, ((0, Fraction(-1)),)))
    network = Network(("x",), ("y",), (ReluLayer(), double, double, ReluLayer(), ReluLayer()))
    given = relu_network(network)
    assert given.depth == 2
    for x in (Fraction(-1), Fraction(1, 2), Fraction(2)):
        wanted = max(2 * (2 * max(x, Fraction(0)) - 1) - 1, Fraction(0))
        assert run(given.network, [x])[0] == [wanted]


def test_targets_of_a_network() -> None:
    """Values, slopes and images are those of the arrays."""
    arrays = random_arrays(2, 6, 5, 2, seed=11)
    b = boundcalc.network(from_python(arrays), eps="1e-2", range=(-1, 1))
    r = random.Random(3)
    for k, target in enumerate(b.target_functions):
        low, high = target.image([(-ONE, ONE)] * 2)
        (slopes,) = target.slopes([(-ONE, ONE)] * 2, [(-ONE, ONE)] * 2)
        assert low is not None
        assert high is not None
        for _ in range(20):
            u, v = ([Fraction(r.randint(-1000, 1000), 1000) for _ in range(2)] for _ in range(2))
            f, g = exact_run(arrays, u)[k], exact_run(arrays, v)[k]
            assert target.exact(u) == f
            assert low <= f <= high
            most = sum(max((a or 0) * (y - x), (c or 0) * (y - x)) for (a, c), x, y in zip(slopes, u, v, strict=True))
            least = sum(min((a or 0) * (y - x), (c or 0) * (y - x)) for (a, c), x, y in zip(slopes, u, v, strict=True))
            assert least <= g - f <= most
