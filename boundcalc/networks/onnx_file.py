"""ReLU networks from ONNX files, by the package onnx (the extra `onnx`): a chain of Gemm, MatMul, Add, Relu and Flatten.

The graph is only read; nothing is run. Whatever is not such a chain is refused with operator and node.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InvalidInput, echo
from .arrays import check_file, dense_of
from .file import MAX_ENTRIES
from .network import AffineLayer, Vector, refuse
from .relu import RELU, SUPPORTED, PieceActivation, ReluNetwork, chained, clipped, from_maps, leaky

PASSED = ("Flatten", "Identity", "Dropout", "Reshape", "Squeeze")      # of one input, which stays a vector
REMEDY = "Export a network of Gemm, MatMul, Add and Relu."


def read_onnx(path: Path) -> ReluNetwork:
    check_file(path)
    try:
        import onnx
    except ImportError:
        raise InvalidInput("Reading .onnx needs the package onnx, which is not installed.",
                           "Install it with pip install 'boundcalc[onnx]'.") from None
    try:
        model = onnx.load(str(path), load_external_data=False)
    except Exception as problem:            # the package raises what protobuf raises, whatever that is
        raise InvalidInput(f"{echo(str(path))} is no complete ONNX file: {echo(type(problem).__name__)}.", REMEDY) from None
    return _Chain(model.graph).network()


class _Chain:
    """The nodes in order, each fed by the one before it and by constants."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.maps: list[AffineLayer] = []
        self.activations: list[PieceActivation] = []
        self.open = False               # whether the last map may still get a bias
        self.before: PieceActivation | None = None
        self.constants = self._constants()

    def network(self) -> ReluNetwork:
        inputs = [x for x in self.graph.input if x.name not in self.constants]
        if len(inputs) != 1 or len(self.graph.output) != 1:
            refuse(f"The ONNX graph has {len(inputs)} inputs and {len(self.graph.output)} outputs.",
                   "Export a network with one input tensor and one output tensor.")
        at = inputs[0].name
        nodes = [n for n in self.graph.node if n.op_type != "Constant"]
        for number, node in enumerate(nodes):
            where = f"Node {number}, {echo(node.op_type)}" + (f" ({echo(node.name)})" if node.name else "")
            given = [x for x in node.input if x and x not in self.constants]
            if given != [at] or (len([x for x in node.output if x]) != 1 and node.op_type != "Dropout"):
                self._unknown(node, where) if node.op_type not in KNOWN else refuse(
                    f"{where} is not fed by the node before it alone.", "The network must be a chain of layers.")
            self._take(node, where, at)
            at = node.output[0]
        if at != self.graph.output[0].name:
            refuse("The last node of the ONNX graph does not yield its output.", "The network must be a chain of layers.")
        if self.before is not None:
            refuse("The network ends with an activation.", "End it with a linear layer.")
        return from_maps(chained(self.maps, {}), self.activations)

    def _constants(self) -> dict[str, Any]:
        from onnx import numpy_helper
        found: dict[str, Any] = {}
        tensors = [(t.name, t) for t in self.graph.initializer]
        tensors += [(n.output[0], a.t) for n in self.graph.node if n.op_type == "Constant" for a in n.attribute
                    if a.name == "value" and n.output]
        left = MAX_ENTRIES
        for name, tensor in tensors:
            where = f"The constant {echo(name)}"
            if tensor.data_location == 1:
                refuse(f"{where} lies in another file, which is not read.", "Export one file with all weights in it.")
            count = 1
            for n in tensor.dims:
                count *= max(int(n), 0)
            left -= count
            if left < 0:
                refuse(f"{where} makes the network larger than {MAX_ENTRIES} entries.", "Give a smaller network.")
            try:
                found[name] = numpy_helper.to_array(tensor)
            except Exception as problem:    # data and shape do not go together, or a type that numpy has not
                raise InvalidInput(f"{where} cannot be read: {echo(str(problem))}.", REMEDY) from None
        return found

    def _unknown(self, node: Any, where: str) -> NoReturn:
        refuse(f"{where}: the recipe does not know this operator.", f"{SUPPORTED} {REMEDY}")

    def _take(self, node: Any, where: str, at: str) -> None:
        attributes = {a.name: a for a in node.attribute}
        match node.op_type:
            case "Gemm" | "MatMul":
                self._affine(node, attributes, where, at)
            case "Add":
                self._bias(self._constant(node, at, where), where)
            case "Relu":
                self._activation(RELU, where)
            case "LeakyRelu":
                self._activation(leaky(Fraction(_number(attributes, "alpha", 0.01))), where)
            case "Clip":
                self._activation(self._clip(node, attributes, where), where)
            case kind if kind in PASSED:
                pass
            case _:
                self._unknown(node, where)

    def _constant(self, node: Any, at: str, where: str) -> Any:
        others = [x for x in node.input if x != at]
        if len(others) != 1 or others[0] not in self.constants:
            refuse(f"{where} needs one constant beside what it is fed.", "The network must be a chain of layers.")
        return self.constants[others[0]]

    def _affine(self, node: Any, attributes: Mapping[str, Any], where: str, at: str) -> None:
        if node.op_type == "Gemm" and (_number(attributes, "alpha", 1.0) != 1 or _number(attributes, "beta", 1.0) != 1
                                       or _whole(attributes, "transA") or len(node.input) < 2 or node.input[0] != at):
            refuse(f"{where} has a factor or a transposed input.", "Export it with alpha = beta = 1 and transA = 0.")
        weight = self.constants.get(node.input[1] if node.input[0] == at else node.input[0])
        if weight is None or weight.ndim != 2:
            refuse(f"{where}: its weight is not a constant matrix.", REMEDY)
        # x·W for vectors that are rows, W·x for columns
        transposed = node.input[0] == at and not _whole(attributes, "transB")
        bias = self.constants.get(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        matrix = weight.T if transposed else weight
        made = dense_of(matrix, None if bias is None else bias.reshape(-1), where)
        if self.maps and self.before is None:
            refuse(f"{where}: two linear layers follow each other.", "Merge them into one.")
        if self.before is not None and self.maps:
            self.activations.append(self.before)
        self.before, self.open = None, bias is None
        self.maps.append(made)

    def _bias(self, bias: Any, where: str) -> None:
        if not self.maps or not self.open:
            refuse(f"{where} does not follow a MatMul.", "Add is understood as the bias of a linear layer.")
        rows = self.maps[-1].weight.rows
        if bias.size != rows:
            refuse(f"{where}: the bias has {bias.size} entries, but the weight has {rows} rows.", REMEDY)
        own = dense_of(bias.reshape(-1, 1), None, where)
        self.maps[-1] = AffineLayer(self.maps[-1].weight, Vector(rows, tuple((i, x) for i, _, x in own.weight.entries)))
        self.open = False

    def _activation(self, made: PieceActivation, where: str) -> None:
        if not self.maps or self.before is not None:
            refuse(f"{where} does not follow a linear layer.", "The network must be a chain of layers.")
        self.before, self.open = made, False

    def _clip(self, node: Any, attributes: Mapping[str, Any], where: str) -> PieceActivation:
        ends = []
        for place, name in ((1, "min"), (2, "max")):
            given = self.constants.get(node.input[place]) if len(node.input) > place else None
            if given is not None and given.size == 1:
                ends.append(Fraction(float(given.reshape(-1)[0])))
            elif name in attributes:
                ends.append(Fraction(float(attributes[name].f)))
            else:
                refuse(f"{where} has no constant {name}.", "Clip is understood with both ends.")
        return clipped(*ends)


KNOWN = ("Gemm", "MatMul", "Add", "Relu", "LeakyRelu", "Clip", *PASSED)


def _number(attributes: Mapping[str, Any], name: str, default: float) -> float:
    return float(attributes[name].f) if name in attributes else default


def _whole(attributes: Mapping[str, Any], name: str) -> int:
    return int(attributes[name].i) if name in attributes else 0

