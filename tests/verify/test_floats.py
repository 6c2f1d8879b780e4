"""Arrays of points in float64 against evaluation to many digits."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import boundcalc
from boundcalc.errors import InvalidInput
from boundcalc.networks.network import AffineLayer, Matrix, Network, Vector
from boundcalc.pictures import picture
from boundcalc.verify import floats, search
from boundcalc.verify.evaluate import Evaluator
from boundcalc.verify.floats import FloatEvaluator
from boundcalc.verify.program import Grid, Program, program_of
from boundcalc.verify.search import observe

from .test_family_program import staircase

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
    monkeypatch.setattr(floats, "MOST", 30)
    assert np.allclose(boundcalc.evaluator(network)(points), whole, rtol=0, atol=1e-12)
    assert boundcalc.evaluator(network)(points[:0]).shape == (0, 1)


def test_points_of_the_wrong_shape_are_refused() -> None:
    network = boundcalc.bound("mult", eps="1/10").network
    for points in (np.zeros((3, 3)), np.zeros(5), np.zeros((2, 2, 2))):
        with pytest.raises(InvalidInput, match="shape"):
            boundcalc.evaluator(network)(points)


@pytest.mark.parametrize("kappa", [F(1, 50), F(27, 10), F(400)])
def test_staircases_are_those_of_all_their_heads(kappa: Fraction) -> None:
    """Windows, ends of the grid, joints, and places far beyond, at cold and at hot heads."""
    network = staircase(5, [0, 4, 8], [1, 1, 1])
    layer = network.layers[1]
    hot = tuple(replace(h, beta=h.beta * kappa) for h in layer.heads)      # type: ignore[union-attr]
    network = replace(network, layers=(network.layers[0], replace(layer, heads=hot), *network.layers[2:]))
    assert [a.heads for a in program_of(network).atoms if isinstance(a, Grid)] == [3]
    places = [F(0), F(1, 3), F(4), F(39, 10), F(15, 2), F(12), F(25, 2), F(-1), F(-90), F(400)]
    found = boundcalc.evaluator(network)([[float(x)] for x in places])[:, 0]
    exactly = [float(Evaluator(network, 30)([x])[0]) for x in places]
    assert np.allclose(found, exactly, rtol=0, atol=1e-10)


def test_weights_beyond_float64_are_refused() -> None:
    layer = AffineLayer(Matrix(1, 1, ((0, 0, F(10) ** 400),)), Vector(1))
    with pytest.raises(InvalidInput, match="float64"):
        boundcalc.evaluator(Network(("x",), ("y",), (layer,)))([[1.0]])


# --- what it is used for ----------------------------------------------------------------------------------------------

SEARCHED: list[tuple[str, dict[str, object]]] = [
    ("mult", {"gate": "anchor", "eps": "1e-2", "delta": "1e-4"}), ("recip", {"eps": "1e-3", "range": ("1/10", "1")}),
    ("recip", {"eps": "1e-2", "range": ("1/10", "1"), "relative": True}), ("mult", {"eps": "1e-2", "d": 7}),
    ("max", {"n": 40, "eps": "1e-2", "route": "tree"}), ("relu", {"eps": "1e-12"})]


@pytest.mark.parametrize(("name", "given"), SEARCHED, ids=str)
def test_points_that_are_told_apart_in_float64_are_the_worst(name: str, given: dict[str, object],
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    """The same observation, whether all points are looked at in ball arithmetic or only those that floats leave."""
    b = boundcalc.bound(name, **given)
    monkeypatch.setattr(search, "BATCH", 10**30)
    everywhere = observe(b, 20)
    monkeypatch.setattr(search, "BATCH", 0)
    assert observe(b, 20) == everywhere


def test_most_points_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    plain = search._Seen.look
    monkeypatch.setattr(search._Seen, "look", lambda self, point: looked.append(point) or plain(self, point))
    monkeypatch.setattr(search._Seen, "climb", lambda self: None)
    monkeypatch.setattr(search, "BATCH", 0)
    found = observe(boundcalc.bound("mult", gate="anchor", eps="1e-2"), 20)
    assert 4 <= len(looked) < found.points / 10


def test_floats_that_are_wrong_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above, with an evaluation that is off by a percent."""
    b = boundcalc.bound("recip", eps="1e-3", range=("1/10", "1"))
    right = observe(b, 20)
    plain = FloatEvaluator.__call__
    monkeypatch.setattr(FloatEvaluator, "__call__", lambda self, points: 1.01 * plain(self, points))
    monkeypatch.setattr(search._Seen, "climb", lambda self: None)
    monkeypatch.setattr(search, "BATCH", 0)
    assert observe(b, 20).error < right.error


def test_close_ups_are_those_of_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    b = boundcalc.bound("recip", eps="1e-2", range=("1/10", "1"))
    calls: list[Program] = []
    plain = FloatEvaluator.__call__
    monkeypatch.setattr(FloatEvaluator, "__call__", lambda self, points: calls.append(self.program) or plain(self, points))
    rough = picture.picture_of(b, 20, 65)
    assert calls
    monkeypatch.setattr(picture, "TOLD", F(10**9))
    calls.clear()
    assert picture.picture_of(b, 20, 65).views == rough.views
    assert not calls
