"""Concrete networks: shapes, counts, and a file format that survives hostile input."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import InvalidInput
from boundcalc.networks import file as network_file
from boundcalc.networks.network import AffineLayer, AttentionLayer, Head, Matrix, Network, ReluLayer, Vector, matrix, vector

F = Fraction


def silu_head(beta: int | Fraction = 1000) -> Head:
    """Score z·1 of the data token (z, 1) against 0 of the sink; value z."""
    return Head(matrix(1, 2, [(0, 1, 1)]), matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 0, 1)]), F(beta))


def silu_network() -> Network:
    embed = AffineLayer(matrix(4, 1, [(0, 0, 1)]), vector(4, [(1, 1), (2, 0)]))
    attend = AttentionLayer(2, 2, (0,), matrix(1, 4, [(0, 0, F(-7, 3))]), (silu_head(), silu_head(F(1, 3))))
    return Network(("x",), ("y",), (embed, attend))


def relu_network() -> Network:
    first = AffineLayer(matrix(3, 2, [(2, 1, F(1, 10**30)), (0, 0, -2)]), Vector(3))
    return Network(("x", "y"), ("z",), (first, ReluLayer(), AffineLayer(matrix(1, 3, [(0, 1, 5)]), Vector(1))))


def test_counts_of_an_attention_network() -> None:
    net = silu_network()
    assert net.resources() == {"layers": 1, "heads": 2, "heads_per_layer": 2, "tokens": 2, "width": 2, "parameters": 10,
                               "magnitude": F(7, 3), "beta": F(1000), "bits": 10, "neurons": 0, "relu_layers": 0}
    assert net.sizes() == [1, 4, 1]


def test_counts_of_a_relu_network() -> None:
    net = relu_network()
    assert net.resources() == {"layers": 0, "heads": 0, "heads_per_layer": 0, "tokens": 0, "width": 0, "parameters": 3,
                               "magnitude": F(5), "beta": F(0), "bits": (10**30).bit_length(), "neurons": 3,
                               "relu_layers": 1}


def test_the_empty_network_is_the_identity() -> None:
    net = Network(("x",), ("x",), ())
    assert (net.parameters, net.magnitude, net.bits) == (0, 0, 0)
    assert network_file.from_json(network_file.to_json(net)) == net


@pytest.mark.parametrize("net", [silu_network(), relu_network()])
def test_text_and_file_round_trip(net: Network, tmp_path: Path) -> None:
    assert network_file.from_json(network_file.to_json(net)) == net
    network_file.save(net, tmp_path / "net.json")
    assert network_file.load(tmp_path / "net.json") == net


def test_the_text_has_the_documented_keys() -> None:
    data = json.loads(network_file.to_json(silu_network()))
    assert list(data) == ["format", "inputs", "outputs", "layers"]
    assert data["format"] == "boundcalc-network/1"
    affine, attention = data["layers"]
    assert affine == {"kind": "affine", "weight": {"shape": [4, 1], "entries": [[0, 0, "1"]]},
                      "bias": {"size": 4, "entries": [[1, "1"], [2, "0"]]}}
    assert list(attention) == ["kind", "dim", "tokens", "query", "skip", "heads"]
    assert attention["skip"] == {"shape": [1, 4], "entries": [[0, 0, "-7/3"]]}
    assert attention["heads"][1]["beta"] == "1/3"


small = st.fractions(max_denominator=10**6)


places = st.tuples(st.integers(0, 5), st.integers(0, 3), small)


@settings(deadline=None)
@given(st.lists(places, unique_by=lambda entry: entry[:2]), st.lists(small, max_size=6))
def test_random_affine_networks_round_trip(entries: list[tuple[int, int, Fraction]], bias: list[Fraction]) -> None:
    layer = AffineLayer(matrix(6, 4, entries), vector(6, list(enumerate(bias))))
    net = Network(tuple("abcd"), tuple("uvwxyz"), (layer,))
    assert network_file.from_json(network_file.to_json(net)) == net
    assert net.parameters == len(entries) + len(bias)


@pytest.mark.parametrize("value", [F(1, 4**1700), F(-(3**3000), 2**4000), F(10**5000 + 1, 7**4001)])
def test_long_numbers_round_trip(value: Fraction) -> None:
    net = Network(("x",), ("y",), (AffineLayer(matrix(1, 1, [(0, 0, value)]), Vector(1)),))
    assert network_file.from_json(network_file.to_json(net)) == net


def test_numbers_too_long_to_read_back_are_not_written() -> None:
    net = Network(("x",), ("y",), (AffineLayer(matrix(1, 1, [(0, 0, F(2**30_000))]), Vector(1)),))
    with pytest.raises(InvalidInput, match="bits"):
        network_file.to_json(net)


INEXACT: Any = 0.5
WRONG_SHAPES: list[tuple[str, Any]] = [
    ("weight has 2 columns", lambda: (AffineLayer(Matrix(1, 2), Vector(1)),)),
    ("bias has size 2", lambda: (AffineLayer(Matrix(1, 1), Vector(2)),)),
    ("yields 3 values", lambda: (AffineLayer(Matrix(3, 1), Vector(3)),)),
    ("outside the shape", lambda: (AffineLayer(matrix(1, 1, [(0, 1, 1)]), Vector(1)),)),
    ("outside the shape", lambda: (AffineLayer(matrix(1, 1, [(-1, 0, 1)]), Vector(1)),)),
    ("listed twice", lambda: (AffineLayer(matrix(1, 1, [(0, 0, 1), (0, 0, 2)]), Vector(1)),)),
    ("increasing order", lambda: (AffineLayer(Matrix(2, 1, ((1, 0, F(1)), (0, 0, F(1)))), Vector(2)),)),
    ("not an exact rational", lambda: (AffineLayer(Matrix(1, 1, ((0, 0, INEXACT),)), Vector(1)),)),
    ("not between 0 and", lambda: (AffineLayer(Matrix(10**8, 1), Vector(10**8)),)),
    ("do not make up", lambda: (AttentionLayer(2, 2, (0,), None, (silu_head(),)),)),
    ("neither a head nor a skip", lambda: (AttentionLayer(1, 1, (0,), None, ()),)),
    ("no query", lambda: (AttentionLayer(1, 1, (), Matrix(1, 1), ()),)),
    ("query column", lambda: (AttentionLayer(1, 1, (1,), Matrix(1, 1), ()),)),
    ("V of head 0 has 2 columns", lambda: (AttentionLayer(1, 1, (0,), None, (
        Head(Matrix(1, 1), Matrix(1, 1), Matrix(1, 2), F(1)),)),)),
    ("Q and K", lambda: (AttentionLayer(1, 1, (0,), None, (Head(Matrix(1, 1), Matrix(2, 1), Matrix(1, 1), F(1)),)),)),
    ("different numbers of rows", lambda: (AttentionLayer(1, 1, (0,), None, (
        Head(Matrix(1, 1), Matrix(1, 1), Matrix(1, 1), F(1)), Head(Matrix(1, 1), Matrix(1, 1), Matrix(2, 1), F(1)))),)),
    ("beta", lambda: (AttentionLayer(1, 1, (0,), None, (Head(Matrix(1, 1), Matrix(1, 1), Matrix(1, 1), F(0)),)),)),
    ("skip has shape", lambda: (AttentionLayer(1, 1, (0,), Matrix(2, 1), (
        Head(Matrix(1, 1), Matrix(1, 1), Matrix(1, 1), F(1)),)),)),
    ("no known kind", lambda: ("relu",)),
]


@pytest.mark.parametrize(("message", "layers"), WRONG_SHAPES)
def test_networks_that_do_not_fit_are_refused(message: str, layers: Any) -> None:
    with pytest.raises(InvalidInput, match=message):
        Network(("x",), ("y",), layers())


def test_the_message_names_the_layer() -> None:
    with pytest.raises(InvalidInput, match="Layer 1"):
        Network(("x",), ("y",), (ReluLayer(), AffineLayer(Matrix(1, 2), Vector(1))))


def test_input_names_are_distinct() -> None:
    with pytest.raises(InvalidInput, match="same name"):
        Network(("x", "x"), ("x", "y"), ())


def hostile(change: Any) -> str:
    data = json.loads(network_file.to_json(silu_network()))
    change(data)
    return json.dumps(data)


def put(*path: Any) -> Any:
    """A change that puts the last item at the place that the others lead to."""
    *keys, last, value = path

    def change(data: Any) -> None:
        for key in keys:
            data = data[key]
        data[last] = value

    return change


HEAD = ("layers", 1, "heads", 0)
HOSTILE = [
    ("boundcalc-network/1", put("format", "boundcalc-network/2")),
    ("boundcalc-network/1", put("format", [["x"]])),
    ("not a list", put("inputs", "x")),
    ("printable", put("inputs", [1])),
    ("printable", put("outputs", ["a\x1b[31m"])),
    ("no 'bias'", lambda d: d["layers"][0].pop("bias")),
    ("unknown key 'mask'", put("layers", 1, "mask", True)),
    ("unknown key", put("comment", "hi")),
    ("not a list", put("layers", {})),
    ("kind is 'conv'", put("layers", 0, "kind", "conv")),
    ("kind is a list", put("layers", 0, "kind", ["affine"])),
    ("kind", put("layers", 0, 7)),
    ("not an object", put("layers", 0, "weight", None)),
    ("not an object", put("layers", 0, "weight", [1])),
    ("2 items instead of 3", put("layers", 0, "weight", "entries", [[0, 0]])),
    ("divides by zero", put("layers", 0, "weight", "entries", [[0, 0, "1/0"]])),
    ("divides by zero", put("layers", 0, "weight", "entries", [[0, 0, "1" * 200 + "/0"]])),
    ("not an exact number", put("layers", 0, "weight", "entries", [[0, 0, "nan"]])),
    ("not an exact number", put("layers", 0, "weight", "entries", [[0, 0, "__import__('os')"]])),
    ("not a number", put("layers", 0, "weight", "entries", [[0, 0, True]])),
    ("not a number", put("layers", 0, "weight", "entries", [[0, 0, None]])),
    ("as a string", put("layers", 0, "weight", "entries", [[0, 0, 0.1]])),
    ("as a string", put("layers", 0, "weight", "entries", [[0, 0, math.nan]])),
    ("as a string", put("layers", 0, "weight", "entries", [[0, 0, math.inf]])),
    ("too large", put("layers", 0, "weight", "entries", [[0, 0, "9**999999999"]])),
    ("characters", put("layers", 0, "weight", "entries", [[0, 0, "9" * 10**5]])),
    ("not an integer", put("layers", 0, "weight", "entries", [[-1, 0, "1"]])),
    ("not an integer", put("layers", 0, "weight", "entries", [["0", 0, "1"]])),
    ("not an integer", put("layers", 0, "weight", "entries", [[True, 0, "1"]])),
    ("not an integer", put("layers", 0, "weight", "shape", [4, 10**9])),
    ("not an integer", put("layers", 0, "weight", "shape", [4, [1]])),
    ("instead of 2", put("layers", 0, "weight", "shape", [4])),
    ("outside the shape", put("layers", 0, "weight", "entries", [[4, 0, "1"]])),
    ("listed twice", put("layers", 0, "weight", "entries", [[0, 0, "1"], [0, 0, "1"]])),
    ("not an integer", put("layers", 1, "tokens", -2)),
    ("do not make up", put("layers", 1, "tokens", 10**7)),
    ("query", put("layers", 1, "query", [2])),
    ("beta", put(*HEAD, "beta", "-1")),
    ("beta", put(*HEAD, "beta", "0")),
    ("no 'beta'", lambda d: d["layers"][1]["heads"][0].pop("beta")),
]


@pytest.mark.parametrize(("message", "change"), HOSTILE)
def test_hostile_networks_are_refused(message: str, change: Any) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        network_file.from_json(hostile(change))
    assert caught.value.problem
    assert caught.value.remedy
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", [
    "", "{", "null", "[]", "1", '"x"', "NaN", "\ud800", "[" * 10**5, '{"a":' * 10**5, "9" * 10**5, "-Infinity",
    '{"format": 1, "format": 2}', '{"format": "boundcalc-network/1"}', "﻿{}"])
def test_text_that_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        network_file.from_json(text)


def test_nesting_just_below_the_limit_of_the_parser_is_refused() -> None:
    for depth in range(100, 1000, 50):
        nested = "[" * depth + "]" * depth
        for path in (("format",), ("inputs",), ("layers", 0, "kind"), ("layers", 0, "weight", "entries"), HEAD):
            with pytest.raises(InvalidInput):
                # put in as text: json.dumps has a limit of its own
                network_file.from_json(hostile(put(*path, "NESTED")).replace('"NESTED"', nested))


json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                           lambda inner: (st.lists(inner, max_size=3)
                                          | st.dictionaries(st.text(max_size=5), inner, max_size=3)))
PLACES = [("format",), ("inputs",), ("layers",), ("layers", 0), ("layers", 0, "weight"),
          ("layers", 0, "weight", "shape"), ("layers", 0, "weight", "entries", 0), ("layers", 0, "bias", "size"),
          ("layers", 1, "skip"), ("layers", 1, "query"), ("layers", 1, "heads"), HEAD,
          (*HEAD, "Q"), (*HEAD, "Q", "entries", 0, 2), (*HEAD, "beta")]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PLACES), json_values)
def test_any_json_in_any_place_gives_a_network_or_a_refusal(place: tuple[Any, ...], value: Any) -> None:
    text = hostile(put(*place, value))
    try:
        net = network_file.from_json(text)
    except InvalidInput:
        return
    assert network_file.from_json(network_file.to_json(net)) == net


def test_integers_and_other_exact_notations_are_read() -> None:
    for written, value in ((3, F(3)), ("1e-3", F(1, 1000)), ("2**-10", F(1, 1024)), ("-0.5", F(-1, 2)), (0, F(0))):
        net = network_file.from_json(hostile(put("layers", 0, "weight", "entries", [[0, 0, written]])))
        assert net.layers[0].weight.entries == ((0, 0, value),)  # type: ignore[union-attr]


def test_entries_are_read_in_any_order() -> None:
    net = network_file.from_json(hostile(put("layers", 0, "weight", "entries", [[3, 0, "1"], [0, 0, "2"]])))
    assert net.layers[0].weight == Matrix(4, 1, ((0, 0, F(2)), (3, 0, F(1))))  # type: ignore[union-attr]


def test_entries_are_counted_over_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_file, "MAX_ENTRIES", 9)
    with pytest.raises(InvalidInput, match="more than 9 entries"):
        network_file.from_json(network_file.to_json(silu_network()))


def test_files_that_cannot_be_read_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe{}")
    for name in ("missing", "latin", ".", "nul\0byte"):
        with pytest.raises(InvalidInput):
            network_file.load(tmp_path / name)
    with pytest.raises(InvalidInput):
        network_file.save(silu_network(), tmp_path)
    network_file.save(silu_network(), tmp_path / "net.json")
    monkeypatch.setattr(network_file, "MAX_BYTES", 100)
    with pytest.raises(InvalidInput, match="more than 100 bytes"):
        network_file.load(tmp_path / "net.json")
