"""Networks that are meant to be awkward: equal and opposite rows, units that cannot switch, units that nothing reads, narrow
layers that are linear; with input errors, every gate and a β per layer. No bound is exceeded, and counts are the file's."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import boundcalc
from boundcalc.results.verification import Certified
from boundcalc.verify.evaluate import Evaluator, to_fraction
from tests.selection import whole

from .made import exact_run

COUNTED = ("layers", "heads", "tokens", "width", "parameters", "magnitude")
TINY = Fraction(1, 10 ** 30)


def awkward(r: random.Random) -> list[Any]:
    widths = [r.choice([1, 2, 3]), *(r.choice([1, 2, 3, 4]) for _ in range(r.choice([1, 1, 2, 2, 3]))), r.choice([1, 2])]
    arrays: list[Any] = []
    for a, b in pairwise(widths):
        arrays += [np.array([[r.choice([-2, -1, -.5, 0, .25, .5, 1, 2]) for _ in range(a)] for _ in range(b)]),
                   np.array([r.choice([-3, -1, 0, 0, .5, 3]) for _ in range(b)], dtype=float)]
    for k in range(0, len(arrays) - 2, 2):
        rows, bias = arrays[k], arrays[k + 1]
        if len(rows) > 1 and r.random() < .6:
            i, j = r.sample(range(len(rows)), 2)
            sign = r.choice([1, -1, -1])
            rows[j], bias[j] = sign * rows[i], sign * bias[i]
            if r.random() < .5:
                arrays[k + 2][:, j] = r.choice([-1, 1]) * arrays[k + 2][:, i]
    return arrays


@pytest.mark.parametrize("seed", range(60 if whole() else 6))
def test_no_bound_is_exceeded(seed: int) -> None:
    r = random.Random(seed)
    tried = 0
    while tried < 6:
        arrays, gate = awkward(r), r.choice(["silu", "silu", "anchor", "anchors"])
        low = Fraction(r.choice([-2, -1, 0, 1]), r.choice([1, 2]))
        high, delta = low + r.choice([1, 2, 3]), r.choice([Fraction(0), Fraction(1, 100)])
        more = {"beta_per_layer": True} if gate == "silu" and r.random() < .3 else {}
        try:
            b = boundcalc.network(arrays, gate=gate, eps="1/2", range=(low, high), delta=delta, **more)
        except boundcalc.Infeasible:            # the inputs alone contribute more
            continue
        tried += 1
        counted = b.network.resources()
        assert {k: b.resources[k].exact for k in COUNTED} == {k: counted[k] for k in COUNTED}
        evaluate, ends = Evaluator(b.network, 40), [(b.value(t.lo)[1], b.value(t.hi)[1]) for t in b.analysis.totals]
        for _ in range(8):
            x = [low + Fraction(r.randint(0, 64), 64) * (high - low) for _ in b.construction.inputs]
            moved = [v + r.choice([-1, 0, 1]) * delta for v in x]
            for y, f, (least, most) in zip(map(to_fraction, evaluate(moved)), exact_run(arrays, x), ends, strict=True):
                assert least is not None
                assert most is not None
                assert least - TINY <= y - f <= most + TINY


@pytest.mark.parametrize("seed", range(40 if whole() else 4))
def test_no_certificate_is_exceeded(seed: int) -> None:
    r = random.Random(1000 + seed)
    for _ in range(3):
        arrays = awkward(r)
        if arrays[0].shape[1] > 2:
            continue
        b = boundcalc.network(arrays, eps="1/20", range=(-1, 1))
        found = boundcalc.verify(b, timeout=20)
        assert isinstance(found.certified, Certified)
        assert found.observed.error <= found.certified.error
        evaluate = Evaluator(b.network, 40)
        for _ in range(10):
            x = [Fraction(r.randint(-64, 64), 64) for _ in b.construction.inputs]
            errors = [abs(to_fraction(y) - f) for y, f in zip(evaluate(x), exact_run(arrays, x), strict=True)]
            assert max(errors) <= found.certified.error + TINY


@pytest.mark.parametrize("gate", ["silu", "anchor", "anchors"])
def test_a_narrow_linear_layer_is_handed_on(gate: str) -> None:
    """6–(6)–1–6: the layer of one unit is linear; to merge the maps around it would make 36 entries of 12."""
    arrays = [np.diag([1.0] * 6), np.zeros(6), np.ones((1, 6)), np.array([50.0]), np.ones((6, 1)), np.zeros(6)]
    b = boundcalc.network(arrays, gate=gate, eps="1e-1", range=(-1, 1))
    assert (b.resources["layers"].exact, b.network.attention_layers, len(b.network.attention()[1].heads)) == (2, 2, 0)
    assert b.resources["parameters"].exact == b.network.parameters
    x = [Fraction(k, 7) for k in (-7, -3, 0, 1, 5, 7)]
    for y, f in zip(map(to_fraction, Evaluator(b.network, 40)(x)), exact_run(arrays, x), strict=True):
        assert abs(y - f) <= Fraction(1, 10)


def test_units_that_nothing_reads_ask_for_no_beta() -> None:
    b = boundcalc.network([[[1.0]], [0.0], [[0.0]], [2.0]], eps="1e-3", range=(-1, 1))
    assert b.total.exact == 0
    assert b.values["beta"] == 1
    assert to_fraction(Evaluator(b.network, 40)([Fraction(1, 3)])[0]) == 2
