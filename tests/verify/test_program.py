"""Programs read off weights compute what the layers compute; heads are recognised exactly or not at all."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from boundcalc.formulas.enclosure import arb_bounds
from boundcalc.networks.network import AffineLayer, AttentionLayer, Head, Network, ReluLayer, matrix, vector
from boundcalc.results.bound import bound
from boundcalc.verify.enclose import enclose
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.program import Boltzmann, Grid, Mean, Program, Rectified, SiluHead, Tilted, program_of

F = Fraction
DIGITS = 30


def agrees(network: Network, points: list[list[Fraction]]) -> Program:
    """Ball arithmetic on the program and mpmath on the layers give the same numbers."""
    program = program_of(network)
    evaluator = Evaluator(network, DIGITS)
    for point in points:
        for ball, value in zip(enclose(program, point, DIGITS), evaluator(point), strict=True):
            low, high = arb_bounds(ball)
            slack = F(1, 10**DIGITS) * max(1, abs(to_fraction(value)))
            assert low - slack <= to_fraction(value) <= high + slack
            assert high - low <= 2 * slack
    return program


CASES = [
    ("relu", {"eps": "1e-3"}, {SiluHead: 1}), ("abs", {"beta": "1/7"}, {SiluHead: 1}),
    ("relu", {"eps": "1e-3", "gate": "ffn"}, {Rectified: 1}),
    ("relu", {"gate": "anchor", "p": 7, "M": 2}, {Grid: 1}), ("relu", {"gate": "anchor", "p": 2}, {Tilted: 1}),
    ("max", {"n": 5, "eps": "1e-2"}, {Boltzmann: 1}), ("min", {"n": 5, "eps": "1e-2"}, {Boltzmann: 1}),
    ("max", {"n": 2, "eps": "1e-2"}, {SiluHead: 1}), ("min", {"n": 2, "eps": "1e-2"}, {SiluHead: 1}),
    ("max", {"n": 5, "eps": "1e-2", "route": "tree"}, {SiluHead: 4}),
    ("mult", {"eps": "1e-2", "route": "direct", "range": ("1", "3")}, {Tilted: 1}),
    ("mult", {"m": 3, "beta": 40, "range": ("-1", "3")}, {SiluHead: 8}), ("mult", {"eps": "1e-2", "gate": "ffn"}, None),
    ("mult", {"m": 2, "p": 5, "gate": "anchor"}, {Grid: 6}),
    ("mult", {"m": 1, "n": 4, "H": 3, "gate": "anchors"}, {Grid: 12}),
    ("clip", {"range": ("-1", "2"), "n": 4, "H": 3, "gate": "anchors"}, {Grid: 3}),
    ("recip", {"range": ("1/2", "2"), "eps": "1e-2"}, None),
]


@pytest.mark.parametrize(("name", "given", "atoms"), CASES, ids=lambda x: str(x))
def test_programs_of_constructions(name: str, given: dict[str, object], atoms: dict[type, int] | None) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    low, high = b.domains()[0]
    low, high = (F(-2), F(5)) if low is None or high is None else (low, high)
    rng = random.Random(1)
    points = [[low + (high - low) * F(rng.randrange(1001), 1000) for _ in b.network.inputs] for _ in range(6)]
    points += [[low] * len(b.network.inputs), [high] * len(b.network.inputs)]
    program = agrees(b.network, points)
    if atoms is not None:
        assert {kind: sum(isinstance(a, kind) for a in program.atoms) for kind in atoms} == atoms
        assert len(program.atoms) == sum(atoms.values())


def random_network(rng: random.Random) -> Network:
    """Two attention layers without any structure: products of forms in the scores, several queries, a skip, a ReLU."""
    def value() -> Fraction:
        return F(rng.randrange(-4, 5), rng.randrange(1, 4))

    def full(rows: int, columns: int) -> list[tuple[int, int, Fraction]]:
        return [(i, j, value()) for i in range(rows) for j in range(columns) if rng.random() < 0.7]

    def head(rows: int, dim: int) -> Head:
        return Head(matrix(2, dim, full(2, dim)), matrix(2, dim, full(2, dim)), matrix(rows, dim, full(rows, dim)),
                    F(rng.randrange(1, 9), 3))

    first = AffineLayer(matrix(6, 2, full(6, 2)), vector(6, [(i, value()) for i in range(6)]))
    attention = AttentionLayer(2, 3, (0, 2), matrix(4, 6, full(4, 6)), (head(2, 2), head(2, 2)))
    second = AttentionLayer(2, 2, (1,), None, (head(1, 2),))
    return Network(("x", "y"), ("z",), (first, attention, ReluLayer(), second))


@pytest.mark.parametrize("seed", range(12))
def test_programs_of_random_networks(seed: int) -> None:
    rng = random.Random(seed)
    points = [[F(rng.randrange(-100, 101), 50) for _ in range(2)] for _ in range(5)]
    agrees(random_network(rng), points)


def test_equal_tokens_are_counted() -> None:
    layer = AttentionLayer(2, 3, (0,), None, (Head(matrix(1, 2, [(0, 1, 1)]), matrix(1, 2, [(0, 0, 1)]),
                                                   matrix(1, 2, [(0, 0, 1)]), F(3)),))
    network = Network(("x",), ("y",), (AffineLayer(matrix(6, 1, [(0, 0, 1)]), vector(6, [(1, 1)])), layer))
    program = agrees(network, [[F(1, 2)], [F(-3)]])
    (mean,) = program.atoms
    assert isinstance(mean, Mean)
    assert sorted(mean.counts) == [1, 2]


def anchors(keys: list[tuple[Fraction, Fraction]], values: list[Fraction]) -> Network:
    """One head over tokens with these keys and values; the query is (2x, 1)."""
    n = len(keys)
    bias = [(4 * t + 1, k[0]) for t, k in enumerate(keys)] + [(4 * t + 2, k[1]) for t, k in enumerate(keys)]
    bias += [(4 * t + 3, v) for t, v in enumerate(values)]
    # the data and the constant ride on token 0; a fifth coordinate is not needed, as Q reads the constant from the key
    first = AffineLayer(matrix(5 * n, 1, [(0, 0, 1)]), vector(5 * n, [
        *((5 * (i // 4) + i % 4, x) for i, x in bias), (4, F(1))]))
    head = Head(matrix(2, 5, [(0, 0, 2), (1, 4, 1)]), matrix(2, 5, [(0, 1, 1), (1, 2, 1)]), matrix(1, 5, [(0, 3, 1)]), F(17))
    return Network(("x",), ("y",), (first, AttentionLayer(5, n, (0,), None, (head,))))


def grid(n: int) -> tuple[list[tuple[Fraction, Fraction]], list[Fraction]]:
    places = [F(k, 5) for k in range(n)]
    return [(x, -x * x) for x in places], places


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]])
def test_anchors_are_recognised_in_any_order(order: list[int]) -> None:
    keys, values = grid(5)
    network = anchors([keys[i] for i in order], [values[i] for i in order])
    (atom,) = agrees(network, [[F(1, 3)], [F(-2)], [F(9)]]).atoms
    assert isinstance(atom, Grid)
    assert (atom.count, atom.kappa) == (5, fmpq(17, 25))


@pytest.mark.parametrize("what", ["key", "square", "value"])
def test_anchors_that_are_slightly_off_are_not_recognised(what: str) -> None:
    keys, values = grid(5)
    tiny = F(1, 10**30)
    if what == "key":
        keys[3] = (keys[3][0] + tiny, keys[3][1])
    elif what == "square":
        keys[3] = (keys[3][0], keys[3][1] + tiny)
    else:
        values[3] += tiny
    (atom,) = agrees(anchors(keys, values), [[F(1, 3)], [F(-2)]]).atoms
    assert isinstance(atom, Mean)


def test_scores_that_bend_the_other_way_are_no_grid() -> None:
    keys, values = grid(5)
    (atom,) = agrees(anchors([(a, -b) for a, b in keys], values), [[F(1, 3)]]).atoms
    assert isinstance(atom, Mean)


def test_values_that_are_not_the_score_are_no_silu() -> None:
    network = bound("relu", eps="1e-2").network
    first, layer = network.layers
    assert isinstance(layer, AttentionLayer)
    head = replace(layer.heads[0], V=matrix(1, 2, [(0, 0, 1), (0, 1, F(1, 10**20))]))
    (atom,) = agrees(replace(network, layers=(first, replace(layer, heads=(head,)))), [[F(1, 3)], [F(-1)]]).atoms
    assert isinstance(atom, Tilted)


def test_boxes_contain_their_points() -> None:
    rng = random.Random(5)
    networks = [random_network(random.Random(s)) for s in range(4)]
    networks += [bound("mult", eps="1e-1").network, bound("mult", p=4, m=1, gate="anchor").network]
    for network in networks:
        for _ in range(4):
            centre = [F(rng.randrange(-10, 11), 12) for _ in range(2)]
            width = F(1, rng.choice([3, 10, 100]))
            box = enclose(network, [(x - width, x + width) for x in centre])
            for _ in range(5):
                point = [x + width * F(rng.randrange(-8, 9), 8) for x in centre]
                for ball, exactly in zip(box, enclose(network, point, 20), strict=True):
                    assert ball.contains(exactly.mid())
