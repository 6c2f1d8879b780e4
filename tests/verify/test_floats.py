"""Arrays of points in float64 against evaluation to many digits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import boundcalc
from boundcalc.errors import InvalidInput
from boundcalc.verify import floats
from boundcalc.verify.evaluate import Evaluator

F = Fraction
NETWORKS: list[tuple[str, dict[str, object]]] = [
    ("mult", {"eps": "1e-2"}), ("mult", {"eps": "1e-2", "gate": "ffn"}),
    ("mult", {"eps": "1/10", "gate": "anchors", "n": 8}),
    ("max", {"n": 5, "eps": "1e-2", "route": "tree"}), ("recip", {"eps": "1e-2", "range": ("1/10", 1)}),
    ("mult", {"eps": "1/10", "sequence": 3}), ("clip", {"gate": "anchor", "p": 200, "range": (0, 1)}),
    ("mult", {"eps": "1/10", "d": 3})]


@pytest.mark.parametrize(("name", "given"), NETWORKS, ids=str)
def test_floats_are_near_the_digits(name: str, given: dict[str, object]) -> None:
    network = boundcalc.bound(name, **given).network
    points = np.random.default_rng(7).integers(13, 120, (6, len(network.inputs))) / 128
    found = boundcalc.evaluator(network)(points)
    assert found.shape == (6, len(network.outputs))
    exactly = Evaluator(network, 30)
    for row, values in zip(points, found, strict=True):
        wanted = exactly([F(float(x)) for x in row])
        assert np.allclose(values, [float(y) for y in wanted], rtol=0, atol=1e-9)
    assert np.allclose(boundcalc.evaluator(network)(points[2]), found[2], rtol=0, atol=1e-12)


def test_points_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    network = boundcalc.bound("clip", gate="anchor", p=50, range=(0, 1)).network
    points = np.linspace(-1, 2, 101)[:, None]
    whole = boundcalc.evaluator(network)(points)
    monkeypatch.setattr(floats, "MOST", 1000)
    assert np.allclose(boundcalc.evaluator(network)(points), whole, rtol=0, atol=1e-12)
    assert boundcalc.evaluator(network)(points[:0]).shape == (0, 1)


def test_points_of_the_wrong_shape_are_refused() -> None:
    network = boundcalc.bound("mult", eps="1/10").network
    for points in (np.zeros((3, 3)), np.zeros(5), np.zeros((2, 2, 2))):
        with pytest.raises(InvalidInput, match="shape"):
            boundcalc.evaluator(network)(points)
