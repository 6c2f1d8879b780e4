"""ReLU networks as arrays: lists from Python, sequences of torch modules, .npz and .safetensors files.

Nothing is ever unpickled: an .npz file is read array by array from headers that say shape and type, and what is not a plain
array of numbers is refused. Sizes are looked at before anything is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import InvalidInput, echo
from .file import MAX_BYTES, MAX_ENTRIES
from .network import AffineLayer, refuse
from .relu import RELU, SUPPORTED, PieceActivation, ReluNetwork, chained, clipped, dense, from_maps, leaky

if TYPE_CHECKING:
    from numpy import ndarray

    Array = ndarray[Any, Any]

MOST_ARRAYS = 10_000
MOST_HEADER = 10 ** 7       # bytes of a header of .safetensors
NPZ = "An .npz file has the arrays W0, b0, W1, b1, …, with y = W·x + b and W of shape (out, in)."
TENSORS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
           "U8": "u1"}


# --- from Python ------------------------------------------------------------------------------------------------------

def from_python(source: Any) -> ReluNetwork:
    """A sequence of modules that are called Linear, ReLU, …, or arrays W0, b0, W1, b1, …"""
    items = list(source)
    if items and all(_is_module(x) for x in items):
        return _of_modules(items)
    return from_arrays({f"{'Wb'[k % 2]}{k // 2}": x for k, x in enumerate(items)})


def _is_module(x: Any) -> bool:
    return hasattr(x, "weight") or (not hasattr(x, "__len__") and not hasattr(x, "shape") and callable(x))


def _of_modules(modules: Sequence[Any]) -> ReluNetwork:
    """Duck-typed: what a module is says its class's name, what is in it its attributes."""
    maps: list[AffineLayer] = []
    activations: list[PieceActivation] = []
    pending: list[PieceActivation] = []
    for k, module in enumerate(modules):
        kind, where = type(module).__name__, f"Module {k}"
        if kind == "Linear":
            if maps and not pending:
                refuse(f"{where}: two Linear modules follow each other without an activation.", "Merge them into one.")
            activations += pending if maps else []
            if pending and not maps:
                refuse("The first module is an activation.", "Begin with a Linear module.")
            pending = []
            maps.append(dense_of(_array(module.weight, f"{where}, weight"),
                                  None if module.bias is None else _array(module.bias, f"{where}, bias"), where))
        elif kind in ("Identity", "Dropout", "Flatten"):
            continue
        elif (made := _activation(kind, module)) is not None:
            if pending:
                refuse(f"{where}: two activations follow each other.", "Leave one of them out.")
            pending = [made]
        else:
            refuse(f"{where} is a {echo(kind)}, which the recipe does not know.", SUPPORTED)
    if pending:
        refuse("The last module is an activation.", "End with a Linear module.")
    return from_maps(chained(maps, {}), activations)


def _activation(kind: str, module: Any) -> PieceActivation | None:
    match kind:
        case "ReLU":
            return RELU
        case "LeakyReLU":
            return leaky(Fraction(float(getattr(module, "negative_slope", 0.01))))
        case "ReLU6":
            return clipped(Fraction(0), Fraction(6))
        case "Hardtanh":
            return clipped(Fraction(float(getattr(module, "min_val", -1))), Fraction(float(getattr(module, "max_val", 1))))
    return None


def _array(x: Any, where: str) -> Array:
    """What a tensor or a list holds, as an array of numpy. A tensor is asked for one by its own methods."""
    import numpy as np
    for method in ("detach", "cpu", "numpy"):
        if hasattr(x, method):
            x = getattr(x, method)()
    try:
        return np.asarray(x)
    except (ValueError, TypeError):
        refuse(f"{where}: this is no array of numbers.", NPZ)


def dense_of(weight: Array, bias: Array | None, where: str) -> AffineLayer:
    for array, name, axes in ((weight, "weight", 2), (bias, "bias", 1)):
        if array is None:
            continue
        if array.ndim != axes:
            refuse(f"{where}: the {name} has {array.ndim} axes instead of {axes}, shape {tuple(array.shape)}.", NPZ)
        _check_kind(array.dtype, f"{where}, {name}")
    return dense(weight.tolist(), None if bias is None else bias.tolist(), where)


def _check_kind(kind: Any, where: str) -> None:
    if kind.kind not in "fiu" or kind.itemsize > 8:
        refuse(f"{where}: its numbers are of the type {kind}.", "Give floats of at most 64 bits, or integers.")


# --- named arrays -----------------------------------------------------------------------------------------------------

def from_arrays(arrays: Mapping[str, Any]) -> ReluNetwork:
    """Arrays W0, b0, W1, b1, …; every weight needs its bias."""
    found = {name: _array(x, name) for name, x in arrays.items()}
    count = sum(name.startswith("W") for name in found)
    wanted = [f"{letter}{k}" for k in range(count) for letter in "Wb"]
    missing = [name for name in wanted if name not in found]
    if missing or not count:
        what = f"The array {missing[0]} is missing" if missing else "There is no array W0"
        refuse(f"{what}{_there(found)}.", NPZ)
    extra = [name for name in found if name not in wanted]
    if extra:
        refuse(f"The array {echo(extra[0])} belongs to no layer.", NPZ)
    maps = [dense_of(found[f"W{k}"], found[f"b{k}"], f"W{k}, b{k}") for k in range(count)]
    return from_maps(chained(maps, {k: f"W{k}" for k in range(count)}))


def _there(found: Mapping[str, Any]) -> str:
    return f"; there are {echo(', '.join(found))}" if found else ""


# --- .npz -------------------------------------------------------------------------------------------------------------

def read_npz(path: Path) -> ReluNetwork:
    from zipfile import BadZipFile, ZipFile
    check_file(path)
    try:
        with ZipFile(path) as file:
            members = file.infolist()
            if len(members) > MOST_ARRAYS:
                refuse(f"{echo(str(path))} has more than {MOST_ARRAYS} arrays.", NPZ)
            if sum(m.file_size for m in members) > MAX_BYTES:
                refuse(f"{echo(str(path))} unpacks to more than {MAX_BYTES} bytes.", "Give a smaller network.")
            found, left = {}, MAX_ENTRIES
            for member in members:
                name = member.filename.removesuffix(".npy")
                with file.open(member) as stream:
                    found[name] = _npy(stream, f"The array {echo(name)} in {echo(str(path))}", left)
                left -= found[name].size
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as problem:
        raise InvalidInput(f"{echo(str(path))} is not a complete .npz file: {echo(str(problem))}.", NPZ) from None
    return from_arrays(found)


def _npy(stream: Any, where: str, most: int) -> Array:
    """One array of plain numbers: its header first, so that nothing large and no object is read."""
    import numpy as np
    from numpy.lib import format as npy
    try:
        version = npy.read_magic(stream)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
        if read is None:
            raise ValueError(f"its version {version} is not known")
        shape, by_columns, kind = read(stream)
        if kind.hasobject:
            refuse(f"{where} holds Python objects, which are never loaded.", NPZ)
        _check_kind(kind, where)
        count = 1
        for n in shape:
            count *= n
        if count > most:
            refuse(f"{where} makes the network larger than {MAX_ENTRIES} entries.", "Give a smaller network.")
        data = stream.read(count * kind.itemsize)
        if len(data) < count * kind.itemsize:
            raise ValueError("it ends too early")
        return np.frombuffer(data, dtype=kind).reshape(shape, order="F" if by_columns else "C")
    except (ValueError, TypeError, SyntaxError, UnicodeDecodeError) as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise InvalidInput(f"{where} cannot be read: {echo(str(problem))}.", NPZ) from None


def check_file(path: Path) -> None:
    """That it is there, and not too large to be looked at."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "its name is not one of a file"
        raise InvalidInput(f"{echo(str(path))} cannot be read: {reason}.", "Check its name.") from None
    if path.is_dir():
        raise InvalidInput(f"{echo(str(path))} is a folder.", "Give a file.")
    if size >= MAX_BYTES:
        raise InvalidInput(f"{echo(str(path))} has {size} bytes, more than the {MAX_BYTES} that are read.",
                           "Give a smaller network.")


# --- .safetensors -----------------------------------------------------------------------------------------------------

def read_safetensors(path: Path) -> ReluNetwork:
    """The format is a length, a JSON header with shapes and places, and raw numbers: reading it needs no package."""
    check_file(path)
    try:
        with path.open("rb") as file:
            return _of_tensors(dict(_tensors(file, path.stat().st_size, echo(str(path)))))
    except OSError as problem:
        raise InvalidInput(f"{echo(str(path))} cannot be read: {problem.strerror}.", "Check its name.") from None


def _tensors(file: BinaryIO, size: int, name: str) -> Iterator[tuple[str, Array]]:
    import numpy as np
    remedy = "Write it again; it may have been cut off."
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(MOST_HEADER, size - 8):
        refuse(f"{name} is no complete .safetensors file: its header would have {length} bytes.", remedy)
    try:
        header = json.loads(file.read(length).decode("utf-8"))
    except (ValueError, RecursionError):
        refuse(f"{name} is no .safetensors file: its header is not JSON.", remedy)
    if not isinstance(header, dict):
        refuse(f"{name} is no .safetensors file: its header is not an object.", remedy)
    entries = 0
    for key, said in header.items():
        if key == "__metadata__":
            continue
        where = f"The tensor {echo(key)} in {name}"
        try:
            kind, shape, (begin, end) = said["dtype"], said["shape"], said["data_offsets"]
            plain = all(type(n) is int and 0 <= n <= MAX_BYTES for n in (*shape, begin, end))
        except (TypeError, KeyError, ValueError):
            plain = False
        if not plain or not isinstance(kind, str):
            refuse(f"{where} has no proper dtype, shape and data_offsets.", remedy)
        if kind not in TENSORS:
            refuse(f"{where} has numbers of the type {echo(kind)}.", f"Known are {', '.join(TENSORS)}.")
        count = 1
        for n in shape:
            count *= n
        entries += count
        if entries > MAX_ENTRIES:
            refuse(f"{where} makes the network larger than {MAX_ENTRIES} entries.", "Give a smaller network.")
        width = np.dtype(TENSORS[kind]).itemsize
        if end - begin != count * width or 8 + length + end > size:
            refuse(f"{where} does not fit into the file: {count} numbers from byte {begin} to {end}.", remedy)
        file.seek(8 + length + begin)
        data = np.frombuffer(file.read(end - begin), dtype=TENSORS[kind])
        if kind == "BF16":          # the upper half of a float of 32 bits
            data = (data.astype("<u4") << 16).view("<f4")
        yield key, data.reshape(shape)


def _of_tensors(tensors: Mapping[str, Array]) -> ReluNetwork:
    """W0, b0, … as in .npz, or layers NAME.weight, NAME.bias in the order of the numbers in their names."""
    if all(re.fullmatch(r"[Wb]\d+", name) for name in tensors):
        return from_arrays(tensors)
    layers = sorted({name.rpartition(".")[0] for name in tensors}, key=_natural)
    maps = []
    for layer in layers:
        prefix = f"{layer}." if layer else ""
        parts = {name.removeprefix(prefix): x for name, x in tensors.items() if name.rpartition(".")[0] == layer}
        unknown = [name for name in parts if name not in ("weight", "bias")]
        if unknown or "weight" not in parts or "bias" not in parts:
            missing = "bias" if "weight" in parts else "weight"
            what = f"{echo(unknown[0])} is not known" if unknown else f"its {missing} is missing"
            refuse(f"The layer {echo(layer)}: {what}.", "Every layer has NAME.weight, of shape (out, in), and NAME.bias.")
        maps.append(dense_of(parts["weight"], parts["bias"], f"The layer {echo(layer)}"))
    return from_maps(chained(maps, {k: f"the layer {echo(layer)}" for k, layer in enumerate(layers)}))


def _natural(name: str) -> list[tuple[int, str]]:
    """net.2 before net.10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
