"""ReLU networks from files, by what the name ends with."""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidInput, echo
from .arrays import check_file, read_npz, read_safetensors
from .file import load
from .relu import ReluNetwork, relu_network

ENDINGS = (".json", ".npz", ".safetensors", ".onnx")


def read_relu_network(path: str) -> ReluNetwork:
    """The network in a file; InvalidInput for everything that is none."""
    ending = Path(path).suffix.lower()
    match ending:
        case ".json":
            check_file(Path(path))
            return relu_network(load(path))
        case ".npz":
            return read_npz(Path(path))
        case ".safetensors":
            return read_safetensors(Path(path))
        case ".onnx":
            from .onnx_file import read_onnx
            return read_onnx(Path(path))
    raise InvalidInput(f"{echo(path)} has no ending of a network file.",
                       f"Give a file that ends with {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.")
