"""ReLU networks from files: every format says the same network, and what is none is refused, with a place."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boundcalc
from boundcalc.errors import InvalidInput
from boundcalc.networks.arrays import from_python
from boundcalc.networks.file import save
from boundcalc.networks.relu import ReluNetwork
from boundcalc.networks.relu_file import read_relu_network
from tests.conformance.reference import run

from .made import exact_run, random_arrays, save_npz

ARRAYS = random_arrays(2, 4, 3, 1, seed=9)
POINT = [Fraction(1, 3), Fraction(-2, 7)]


def same(found: ReluNetwork, arrays: list[Any] = ARRAYS) -> None:
    assert run(found.network, POINT)[0] == exact_run(arrays, POINT)
    assert found.parameters == sum(np.asarray(x).size for x in arrays)


def safetensors(path: Path, tensors: dict[str, Any]) -> Path:
    """Written by hand, from the description of the format."""
    header, data = {}, b""
    for name, x in tensors.items():
        raw = np.ascontiguousarray(x, dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(x)), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def named(arrays: list[Any]) -> dict[str, Any]:
    """As torch calls the tensors of a Sequential: places of activations are left out."""
    return {f"{4 * (k // 2)}.{('weight', 'bias')[k % 2]}": x for k, x in enumerate(arrays)}


def onnx_file(path: Path, nodes: list[Any], tensors: dict[str, Any]) -> Path:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
        [numpy_helper.from_array(np.asarray(x, dtype=np.float32), name) for name, x in tensors.items()])
    onnx.save(helper.make_model(graph), str(path))
    return path


def chain(*operators: str, last: str = "y") -> list[Any]:
    from onnx import helper
    nodes, at = [], "x"
    for k, op in enumerate(operators):
        kind, *constants = op.split()
        out = last if k == len(operators) - 1 else f"t{k}"
        more = {"transB": 1} if kind == "Gemm" else {"alpha": 0.25} if kind == "LeakyRelu" else {}
        nodes.append(helper.make_node(kind, [at, *constants], [out], name=f"n{k}", **more))
        at = out
    return nodes


TENSORS = {f"{'Wb'[k % 2]}{k // 2}": x for k, x in enumerate(ARRAYS)}


def test_npz(tmp_path: Path) -> None:
    same(read_relu_network(str(save_npz(tmp_path / "n.npz", ARRAYS))))
    np.savez_compressed(tmp_path / "c.npz", **TENSORS)
    same(read_relu_network(str(tmp_path / "c.npz")))


def test_safetensors(tmp_path: Path) -> None:
    same(read_relu_network(str(safetensors(tmp_path / "n.safetensors", named(ARRAYS)))))
    same(read_relu_network(str(safetensors(tmp_path / "w.safetensors", TENSORS))))


def test_safetensors_as_the_package_writes_them(tmp_path: Path) -> None:
    from safetensors.numpy import save_file
    save_file({name: np.ascontiguousarray(x) for name, x in named(ARRAYS).items()}, str(tmp_path / "p.safetensors"))
    same(read_relu_network(str(tmp_path / "p.safetensors")))


def test_json(tmp_path: Path) -> None:
    save(from_python(ARRAYS).network, tmp_path / "n.json")
    same(read_relu_network(str(tmp_path / "n.json")))


def test_onnx(tmp_path: Path) -> None:
    nodes = chain("Flatten", "Gemm W0 b0", "Relu", "Gemm W1 b1", "Relu", "Gemm W2 b2")
    gemm = onnx_file(tmp_path / "g.onnx", nodes, TENSORS)
    same(read_relu_network(str(gemm)))
    turned = {name: x.T if name[0] == "W" else x for name, x in TENSORS.items()}
    plain = onnx_file(tmp_path / "m.onnx", chain("MatMul W0", "Add b0", "Relu", "MatMul W1", "Add b1", "Relu", "MatMul W2",
                                                 "Add b2"), turned)
    same(read_relu_network(str(plain)))


class Linear:
    def __init__(self, weight: Any, bias: Any) -> None:
        self.weight, self.bias = weight, bias


class Tensor:
    """What a tensor of torch can do here."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self.x


def module(name: str, **attributes: Any) -> Any:
    made = type(name, (), {"__call__": lambda self, x: x})()
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def layers() -> list[Any]:
    return [Linear(Tensor(ARRAYS[k]), Tensor(ARRAYS[k + 1])) for k in (0, 2, 4)]


def test_modules_and_lists() -> None:
    a, b, c = layers()
    same(from_python([a, module("ReLU"), b, module("ReLU"), c]))
    same(from_python([x.tolist() for x in ARRAYS]), ARRAYS)


@pytest.mark.parametrize(("made", "function", "heads"), [
    (module("LeakyReLU", negative_slope=0.25), lambda z: z if z > 0 else z / 4, 4),
    (module("ReLU6"), lambda z: min(max(z, Fraction(0)), Fraction(6)), 8),
    (module("Hardtanh", min_val=-1.0, max_val=1.0), lambda z: min(max(z, Fraction(-1)), Fraction(1)), 8)], ids=str)
def test_other_piecewise_linear_activations(made: Any, function: Callable[[Fraction], Fraction], heads: int) -> None:
    a, _, _ = layers()
    last = Linear(np.array([[1.0, -2.0, 3.0, 0.5]]), np.array([0.25]))
    found = from_python([a, made, last])
    hidden = [function(z) for z in exact_run(ARRAYS[:2], POINT)]
    wanted = sum((c * z for c, z in zip((1, -2, 3, Fraction(1, 2)), hidden, strict=True)), Fraction(1, 4))
    assert run(found.network, POINT)[0] == [wanted]
    assert boundcalc.network(found, eps="1e-2", range=(-50, 50)).resources["heads"].exact == heads


def without(name: str) -> dict[str, Any]:
    return {k: x for k, x in TENSORS.items() if k != name}


def spoiled(value: float) -> dict[str, Any]:
    w = TENSORS["W1"].copy()
    w[2, 3] = value
    return {**TENSORS, "W1": w}


@pytest.mark.parametrize(("arrays", "problem"), [
    (spoiled(float("nan")), r"W1, b1: the entry at \[2, 3\] is nan, which is not a number"),
    (spoiled(float("inf")), r"W1, b1: the entry at \[2, 3\] is inf"),
    (without("b1"), "The array b1 is missing"),
    (without("W0"), "The array W0 is missing"),
    ({}, "There is no array W0"),
    ({**TENSORS, "W1": TENSORS["W1"].T}, r"W1 takes 3 values, but W0 yields 4|the bias has 3 entries, but the weight has 4"),
    ({**TENSORS, "b2": np.zeros(5)}, "W2, b2: the bias has 5 entries, but the weight has 1 rows"),
    ({**TENSORS, "W0": np.zeros((0, 2)), "b0": np.zeros(0)}, "W0, b0: the weight is empty"),
    ({**TENSORS, "W0": np.zeros(4)}, "the weight has 1 axes instead of 2"),
    ({**TENSORS, "extra": np.zeros(1)}, "The array extra belongs to no layer"),
    ({**TENSORS, "W0": TENSORS["W0"].astype(complex)}, "of the type complex128"),
    ({**TENSORS, "W0": TENSORS["W0"].astype("U8")}, "of the type <U8")])
def test_arrays_that_are_wrong(tmp_path: Path, arrays: dict[str, Any], problem: str) -> None:
    np.savez(tmp_path / "n.npz", **arrays)
    with pytest.raises(InvalidInput, match=problem):
        read_relu_network(str(tmp_path / "n.npz"))


class Bomb:
    """Unpickled, it would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_no_pickle_is_loaded(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    np.savez(tmp_path / "n.npz", W0=np.array([Bomb(trace)], dtype=object), b0=np.zeros(1))
    with pytest.raises(InvalidInput, match=r"The array W0 in .* holds Python objects, which are never loaded"):
        read_relu_network(str(tmp_path / "n.npz"))
    for name in ("p.npz", "p.safetensors", "p.onnx", "p.json"):
        (tmp_path / name).write_bytes(pickle.dumps(Bomb(trace)))
        with pytest.raises(InvalidInput):
            read_relu_network(str(tmp_path / name))
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as file:
        file.writestr("W0.npy", pickle.dumps(Bomb(trace)))
    with pytest.raises(InvalidInput, match=r"The array W0 in .* cannot be read"):
        read_relu_network(str(tmp_path / "z.npz"))
    assert not trace.exists()


@pytest.mark.parametrize("kind", [".npz", ".safetensors", ".onnx", ".json"])
def test_truncated_files(tmp_path: Path, kind: str) -> None:
    whole = tmp_path / f"whole{kind}"
    if kind == ".json":
        save(from_python(ARRAYS).network, whole)
    else:
        {".npz": lambda: save_npz(whole, ARRAYS), ".safetensors": lambda: safetensors(whole, named(ARRAYS)),
         ".onnx": lambda: onnx_file(whole, chain("Gemm W0 b0", "Relu", "Gemm W1 b1", "Relu", "Gemm W2 b2"), TENSORS)}[kind]()
    data = whole.read_bytes()
    cut = tmp_path / f"cut{kind}"
    for end in (0, 1, 7, 9, len(data) // 3, len(data) // 2, len(data) - 5):
        cut.write_bytes(data[:end])
        with pytest.raises(InvalidInput) as refused:
            read_relu_network(str(cut))
        assert refused.value.problem
        assert refused.value.remedy


def test_files_that_claim_to_be_huge(tmp_path: Path) -> None:
    """Sizes are looked at before anything is read: neither takes time nor memory."""
    large = tmp_path / "large.npz"
    with large.open("wb") as file:
        file.truncate(2 * 10 ** 9)
    with pytest.raises(InvalidInput, match="has 2000000000 bytes"):
        read_relu_network(str(large))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10 ** 6, 10 ** 6)})
    with zipfile.ZipFile(tmp_path / "claims.npz", "w") as archive:
        archive.writestr("W0.npy", header.getvalue())
    with pytest.raises(InvalidInput, match="makes the network larger than 10000000 entries"):
        read_relu_network(str(tmp_path / "claims.npz"))
    text = json.dumps({"0.weight": {"dtype": "F32", "shape": [10 ** 6, 10 ** 6], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "s.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"12345678")
    with pytest.raises(InvalidInput, match=r"0\.weight .* larger than 10000000 entries"):
        read_relu_network(str(tmp_path / "s.safetensors"))
    (tmp_path / "h.safetensors").write_bytes(struct.pack("<Q", 2 ** 60) + b"{}")
    with pytest.raises(InvalidInput, match="its header would have"):
        read_relu_network(str(tmp_path / "h.safetensors"))


@pytest.mark.parametrize(("operators", "problem"), [
    (("Gemm W0 b0", "Softmax", "Gemm W1 b1"), r"Node 1, Softmax \(n1\): the recipe does not know this operator"),
    (("Gemm W0 b0", "Sigmoid"), r"Node 1, Sigmoid \(n1\)"),
    (("Gemm W0 b0", "Gemm W1 b1", "Gemm W2 b2"), r"Node 1, Gemm \(n1\): two linear layers follow each other"),
    (("Relu", "Gemm W0 b0"), r"Node 0, Relu \(n0\) does not follow a linear layer"),
    (("Gemm W0 b0", "Relu", "Gemm W2 b2"), "takes 3 values, but layer 0 yields 4"),
    (("Gemm W0 b1", "Relu", "Gemm W1 b1"), r"Node 0, Gemm \(n0\): the bias has 3 entries, but the weight has 4 rows"),
    (("Gemm W0 b0", "Add b0", "Relu", "Gemm W1 b1"), r"Node 1, Add \(n1\) does not follow a MatMul"),
    (("Gemm W0 b0", "Relu"), "The network ends with an activation")])
def test_onnx_graphs_that_are_no_chain(tmp_path: Path, operators: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_relu_network(str(onnx_file(tmp_path / "n.onnx", chain(*operators), TENSORS)))


def test_an_onnx_graph_that_branches(tmp_path: Path) -> None:
    from onnx import helper
    nodes = chain("Gemm W0 b0", "Relu", last="t")
    nodes += [helper.make_node("Add", ["t", "t0"], ["u"], name="skip"), helper.make_node("Gemm", ["u", "W1", "b1"], ["y"])]
    with pytest.raises(InvalidInput, match=r"Node 2, Add \(skip\) is not fed by the node before it alone"):
        read_relu_network(str(onnx_file(tmp_path / "n.onnx", nodes, TENSORS)))


@pytest.mark.parametrize(("modules", "problem"), [
    ([*layers()[:1], module("Tanh"), *layers()[1:2]], "Module 1 is a Tanh, which the recipe does not know"),
    ([*layers()[:1], module("GELU")], "Module 1 is a GELU"),
    (layers()[:2], "two Linear modules follow each other"),
    ([module("ReLU"), layers()[0]], "The first module is an activation"),
    ([layers()[0], module("ReLU")], "The last module is an activation")])
def test_modules_that_are_no_relu_network(modules: list[Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        from_python(modules)


@pytest.mark.parametrize(("name", "problem"), [
    ("n.pkl", "has no ending of a network file"), ("n.pt", "has no ending of a network file"),
    ("missing.npz", "cannot be read"), ("missing.onnx", "cannot be read"), ("missing.json", "cannot be read"),
    ("folder.npz", "is a folder"), ("n\0.npz", "cannot be read")])
def test_names_of_files(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(InvalidInput, match=problem):
        read_relu_network(str(tmp_path / name))


def test_attention_is_no_relu_network(tmp_path: Path) -> None:
    save(boundcalc.bound("relu", eps="1e-2").network, tmp_path / "a.json")
    with pytest.raises(InvalidInput, match="Layer 1 is not an affine map or a ReLU"):
        read_relu_network(str(tmp_path / "a.json"))
