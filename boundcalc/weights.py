"""Concrete networks: exact rational weights, what is counted in them, and their JSON form ("boundcalc-network/1").

Listed are the structural entries of every matrix, also where their value happens to be 0; all others are zero.
Reading a file is a boundary to hostile input: whatever it contains, the answer is a network or an InvalidInput.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from .errors import InvalidInput, echo
from .exact import MAX_BITS, decimal, exact_text, rational

FORMAT = "boundcalc-network/1"
MAX_SIZE = 10**7        # of a vector, a dimension, a number of tokens
MAX_ENTRIES = 10**7     # in the whole network
MAX_BYTES = 10**9       # of a file


@dataclass(frozen=True)
class Matrix:
    """rows × cols; entries (row, column, value) in increasing order of (row, column), each place at most once."""

    rows: int
    cols: int
    entries: tuple[tuple[int, int, Fraction], ...] = ()


@dataclass(frozen=True)
class Vector:
    """Entries (place, value) in increasing order of place, each place at most once."""

    size: int
    entries: tuple[tuple[int, Fraction], ...] = ()


@dataclass(frozen=True)
class AffineLayer:
    """v ↦ weight·v + bias."""

    weight: Matrix
    bias: Vector


@dataclass(frozen=True)
class ReluLayer:
    """v ↦ max(v, 0), entry by entry."""


@dataclass(frozen=True)
class Head:
    """One softmax head; V includes the output projection."""

    Q: Matrix
    K: Matrix
    V: Matrix
    beta: Fraction


@dataclass(frozen=True)
class AttentionLayer:
    """Reads v as `tokens` columns of length `dim`; yields one block per query column, plus skip·v."""

    dim: int
    tokens: int
    query: tuple[int, ...]
    skip: Matrix | None
    heads: tuple[Head, ...]


Layer = AffineLayer | ReluLayer | AttentionLayer


def matrix(rows: int, cols: int, entries: Iterable[tuple[int, int, Fraction | int]]) -> Matrix:
    """A matrix from entries in any order."""
    return Matrix(rows, cols, tuple(sorted((i, j, Fraction(x)) for i, j, x in entries)))


def vector(size: int, entries: Iterable[tuple[int, Fraction | int]]) -> Vector:
    """A vector from entries in any order."""
    return Vector(size, tuple(sorted((i, Fraction(x)) for i, x in entries)))


@dataclass(frozen=True)
class Network:
    """A chain of layers whose shapes fit (checked when it is made). Counts are read off the listed entries."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    layers: tuple[Layer, ...]

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """InvalidInput, naming the layer, if shapes do not chain, an index is out of range, or a value is not exact."""
        if len(set(self.inputs)) != len(self.inputs):
            _refuse("Two inputs of the network have the same name.")
        size = len(self.inputs)
        for number, layer in enumerate(self.layers):
            size = _check_layer(layer, size, f"Layer {number}")
        if size != len(self.outputs):
            _refuse(f"The last layer yields {size} values, but {len(self.outputs)} outputs are named.")

    def attention(self) -> tuple[AttentionLayer, ...]:
        """The attention layers, in order."""
        return tuple(layer for layer in self.layers if isinstance(layer, AttentionLayer))

    @property
    def parameters(self) -> int:
        """Listed entries of weight, bias, Q, K, V and skip (not β)."""
        return sum(len(block.entries) for layer in self.layers for _, block in _blocks(layer))

    @property
    def attention_layers(self) -> int:
        """Number of attention layers: the resource called `layers`."""
        return len(self.attention())

    @property
    def heads(self) -> int:
        return sum(len(layer.heads) for layer in self.attention())

    @property
    def heads_per_layer(self) -> int:
        return max((len(layer.heads) for layer in self.attention()), default=0)

    @property
    def tokens(self) -> int:
        return max((layer.tokens for layer in self.attention()), default=0)

    @property
    def width(self) -> int:
        """Largest token dimension of an attention layer."""
        return max((layer.dim for layer in self.attention()), default=0)

    @property
    def magnitude(self) -> Fraction:
        """Largest |entry|."""
        return max((abs(value) for value in self._values()), default=Fraction(0))

    @property
    def beta(self) -> Fraction:
        """Largest inverse temperature."""
        return max(self._betas(), default=Fraction(0))

    @property
    def relu_layers(self) -> int:
        return sum(isinstance(layer, ReluLayer) for layer in self.layers)

    @property
    def neurons(self) -> int:
        """Sum of the widths of the relu layers."""
        sizes = self.sizes()
        return sum(sizes[i] for i, layer in enumerate(self.layers) if isinstance(layer, ReluLayer))

    @property
    def bits(self) -> int:
        """The longest numerator or denominator, in bits, of all entries and β."""
        values = (x for group in (self._values(), self._betas()) for x in group)
        return max((_bits(x) for x in values), default=0)

    def resources(self) -> dict[str, Fraction | int]:
        """Every count under the name of its resource."""
        return {"layers": self.attention_layers, "heads": self.heads, "heads_per_layer": self.heads_per_layer,
                "tokens": self.tokens, "width": self.width, "parameters": self.parameters,
                "magnitude": self.magnitude, "beta": self.beta, "bits": self.bits,
                "neurons": self.neurons, "relu_layers": self.relu_layers}

    def sizes(self) -> list[int]:
        """The length of the state before each layer, and after the last."""
        sizes = [len(self.inputs)]
        for layer in self.layers:
            sizes.append(_output_size(layer, sizes[-1]))
        return sizes

    def _values(self) -> Iterator[Fraction]:
        return (entry[-1] for layer in self.layers for _, block in _blocks(layer) for entry in block.entries)

    def _betas(self) -> Iterator[Fraction]:
        return (head.beta for layer in self.attention() for head in layer.heads)


def _bits(x: Fraction) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def _blocks(layer: Layer) -> Iterator[tuple[str, Matrix | Vector]]:
    """Every matrix and vector of a layer with its name."""
    if isinstance(layer, AffineLayer):
        yield "weight", layer.weight
        yield "bias", layer.bias
    elif isinstance(layer, AttentionLayer):
        for number, head in enumerate(layer.heads):
            yield from ((f"{name} of head {number}", getattr(head, name)) for name in "QKV")
        if layer.skip is not None:
            yield "skip", layer.skip


def _output_size(layer: Layer, size: int) -> int:
    if isinstance(layer, AffineLayer):
        return layer.weight.rows
    if isinstance(layer, AttentionLayer):
        if layer.heads:
            return layer.heads[0].V.rows * len(layer.query)
        return layer.skip.rows if layer.skip is not None else 0
    return size


# --- checks ---------------------------------------------------------------------------------------------------------

def _refuse(problem: str, remedy: str = "Correct the network; the documentation describes its format.") -> NoReturn:
    raise InvalidInput(problem, remedy)


def _check_layer(layer: Layer, size: int, where: str) -> int:
    """The size of what the layer yields for an input of the given size; InvalidInput if it does not fit."""
    for name, block in _blocks(layer):
        _check_block(block, f"{where}, {name}")
    if isinstance(layer, AffineLayer):
        if layer.weight.cols != size:
            _refuse(f"{where}: the weight has {layer.weight.cols} columns, but {size} values come in.")
        if layer.bias.size != layer.weight.rows:
            _refuse(f"{where}: the bias has size {layer.bias.size}, but the weight has {layer.weight.rows} rows.")
    elif isinstance(layer, AttentionLayer):
        _check_attention(layer, size, where)
    elif not isinstance(layer, ReluLayer):
        _refuse(f"{where} is of no known kind.")
    return _output_size(layer, size)


def _check_attention(layer: AttentionLayer, size: int, where: str) -> None:
    if not (1 <= layer.dim <= MAX_SIZE and 1 <= layer.tokens <= MAX_SIZE):
        _refuse(f"{where}: dim and tokens must lie between 1 and {MAX_SIZE}.")
    if layer.dim * layer.tokens != size:
        _refuse(f"{where}: {layer.tokens} tokens of dimension {layer.dim} do not make up the {size} incoming values.")
    if not layer.query:
        _refuse(f"{where}: no query column is listed.")
    if not all(0 <= i < layer.tokens for i in layer.query):
        _refuse(f"{where}: a query column is not one of the tokens 0 to {layer.tokens - 1}.")
    if not layer.heads and layer.skip is None:
        _refuse(f"{where}: there is neither a head nor a skip.")
    for number, head in enumerate(layer.heads):
        for name in "QKV":
            if (cols := getattr(head, name).cols) != layer.dim:
                _refuse(f"{where}: {name} of head {number} has {cols} columns, but tokens have dimension {layer.dim}.")
        if head.Q.rows != head.K.rows:
            _refuse(f"{where}: Q and K of head {number} have {head.Q.rows} and {head.K.rows} rows.")
        if head.V.rows != layer.heads[0].V.rows:
            _refuse(f"{where}: V of head {number} and of head 0 have different numbers of rows.")
        if not isinstance(head.beta, Fraction) or head.beta <= 0:
            _refuse(f"{where}: beta of head {number} is not a positive rational number.")
    rows = _output_size(layer, size)
    if rows > MAX_SIZE:
        _refuse(f"{where}: it yields more than {MAX_SIZE} values.")
    if layer.skip is not None and (layer.skip.rows, layer.skip.cols) != (rows, size):
        _refuse(f"{where}: the skip has shape {layer.skip.rows} × {layer.skip.cols} instead of {rows} × {size}.")


def _check_block(block: Matrix | Vector, where: str) -> None:
    shape = (block.rows, block.cols) if isinstance(block, Matrix) else (block.size,)
    if not all(0 <= length <= MAX_SIZE for length in shape):
        _refuse(f"{where}: a length of its shape is not between 0 and {MAX_SIZE}.")
    for entry in block.entries:
        if not all(0 <= i < length for i, length in zip(entry[:-1], shape, strict=True)):
            _refuse(f"{where}: the entry at {list(entry[:-1])} lies outside the shape {list(shape)}.")
        if not isinstance(entry[-1], Fraction):
            _refuse(f"{where}: the entry at {list(entry[:-1])} is not an exact rational.")
    for before, after in pairwise(block.entries):
        if before[:-1] == after[:-1]:
            _refuse(f"{where}: the entry at {list(after[:-1])} is listed twice.")
        if before[:-1] > after[:-1]:
            _refuse(f"{where}: its entries are not in increasing order of place.")


# --- writing --------------------------------------------------------------------------------------------------------

def chunks(network: Network) -> Iterator[str]:
    """The JSON text in pieces of one line, for files too large to hold as one string."""
    _check_writable(network)
    names = {"format": FORMAT, "inputs": list(network.inputs), "outputs": list(network.outputs)}
    yield json.dumps(names, ensure_ascii=False)[:-1] + ', "layers": ['
    for number, layer in enumerate(network.layers):
        yield ",\n" if number else "\n"
        yield from _layer_chunks(layer)
    yield "\n]}\n"


def _check_writable(network: Network) -> None:
    if network.bits > MAX_BITS:
        _refuse(f"A weight has more than {MAX_BITS} bits, too many to be written out.", "Ask for less accuracy.")


def _layer_chunks(layer: Layer) -> Iterator[str]:
    if isinstance(layer, AffineLayer):
        yield f' {{"kind": "affine", "weight": {_block_text(layer.weight)},\n'
        yield f'  "bias": {_block_text(layer.bias)}}}'
    elif isinstance(layer, AttentionLayer):
        yield f' {{"kind": "attention", "dim": {layer.dim}, "tokens": {layer.tokens}, "query": {list(layer.query)},\n'
        yield f'  "skip": {"null" if layer.skip is None else _block_text(layer.skip)},\n  "heads": ['
        for number, head in enumerate(layer.heads):
            yield ",\n" if number else "\n"
            yield f'   {{"Q": {_block_text(head.Q)},\n    "K": {_block_text(head.K)},\n'
            yield f'    "V": {_block_text(head.V)},\n    "beta": "{exact_text(head.beta)}"}}'
        yield "]}"
    else:
        yield ' {"kind": "relu"}'


def _block_text(block: Matrix | Vector) -> str:
    if isinstance(block, Matrix):
        listed = ", ".join(f'[{i}, {j}, "{exact_text(x)}"]' for i, j, x in block.entries)
        return f'{{"shape": [{block.rows}, {block.cols}], "entries": [{listed}]}}'
    listed = ", ".join(f'[{i}, "{exact_text(x)}"]' for i, x in block.entries)
    return f'{{"size": {block.size}, "entries": [{listed}]}}'


def to_json(network: Network) -> str:
    """The network as JSON text; `from_json` gives back an equal network."""
    return "".join(chunks(network))


def save(network: Network, path: str | Path) -> None:
    """Write the network to a file."""
    _check_writable(network)   # before the file is emptied
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(chunks(network))
    except OSError as error:
        raise InvalidInput(f"{echo(str(path))} cannot be written: {error.strerror}.", "Choose another file.") from None


# --- reading --------------------------------------------------------------------------------------------------------

def load(path: str | Path) -> Network:
    """Read a network from a file."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            _refuse(f"{echo(str(path))} has more than {MAX_BYTES} bytes.")
        return from_json(data.decode("utf-8"))
    except OSError as error:
        raise InvalidInput(f"{echo(str(path))} cannot be read: {error.strerror}.", "Check its name.") from None
    except (UnicodeDecodeError, ValueError):   # ValueError: a null byte in the name
        raise InvalidInput(f"{echo(str(path))} is not a text file in UTF-8.", "Give an exported network.") from None


def from_json(text: str) -> Network:
    """The network that the text describes; InvalidInput for everything that does not describe one."""
    try:
        data = json.loads(text, parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        _refuse(f"The network is not valid JSON: {error.msg} in line {error.lineno}.")
    except RecursionError:
        _refuse("The network is nested too deeply.")
    except ValueError:   # an integer longer than Python converts
        _refuse("The network contains an integer that is too long.", "Write long numbers as strings.")
    return _Reader().network(data)


def _no_float(text: str) -> NoReturn:
    _refuse(f"The network contains the inexact JSON number {echo(text)}.", 'Write it as a string, such as "1/10".')


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        _refuse("The network has an object with the same key twice.")
    return result


_QUOTIENT = re.compile(r"(-?)([0-9]{1,6020})(?:/([0-9]{1,6020}))?", re.ASCII)


class _Reader:
    """Turns parsed JSON into records, keeping count of the entries read so far."""

    def __init__(self) -> None:
        self.entries = 0

    def network(self, data: object) -> Network:
        fields = _fields(data, "The network", "format", "inputs", "outputs", "layers")
        if fields["format"] != FORMAT:
            _refuse(f"The format is {_shown(fields['format'])}.", f"Only {FORMAT!r} is understood.")
        inputs, outputs = (tuple(_name(x) for x in _items(fields[key], f"The list of {key}"))
                           for key in ("inputs", "outputs"))
        layers = _items(fields["layers"], "The list of layers")
        return Network(inputs, outputs, tuple(self.layer(x, f"Layer {i}") for i, x in enumerate(layers)))

    def layer(self, data: object, where: str) -> Layer:
        kind = data.get("kind") if isinstance(data, dict) else None
        if kind == "affine":
            fields = _fields(data, where, "kind", "weight", "bias")
            weight = self.matrix(fields["weight"], f"{where}, weight")
            return AffineLayer(weight, self.vector(fields["bias"], f"{where}, bias"))
        if kind == "relu":
            _fields(data, where, "kind")
            return ReluLayer()
        if kind == "attention":
            fields = _fields(data, where, "kind", "dim", "tokens", "query", "skip", "heads")
            query = tuple(_natural(i, f"{where}, query") for i in _items(fields["query"], f"{where}, query"))
            skip = None if fields["skip"] is None else self.matrix(fields["skip"], f"{where}, skip")
            heads = _items(fields["heads"], f"{where}, heads")
            dim, tokens = (_natural(fields[key], f"{where}, {key}") for key in ("dim", "tokens"))
            return AttentionLayer(dim, tokens, query, skip,
                                  tuple(self.head(x, f"{where}, head {i}") for i, x in enumerate(heads)))
        _refuse(f"{where}: its kind is {_shown(kind)}.", "The kinds are affine, relu and attention.")

    def head(self, data: object, where: str) -> Head:
        fields = _fields(data, where, "Q", "K", "V", "beta")
        q, k, v = (self.matrix(fields[name], f"{where}, {name}") for name in "QKV")
        return Head(q, k, v, _value(fields["beta"], f"{where}, beta"))

    def matrix(self, data: object, where: str) -> Matrix:
        fields = _fields(data, where, "shape", "entries")
        shape = _items(fields["shape"], f"{where}, shape", length=2)
        rows, cols = (_natural(x, f"{where}, shape") for x in shape)
        return matrix(rows, cols, self.listed(fields["entries"], 2, where))  # type: ignore[arg-type]

    def vector(self, data: object, where: str) -> Vector:
        fields = _fields(data, where, "size", "entries")
        return vector(_natural(fields["size"], f"{where}, size"), self.listed(fields["entries"], 1, where))  # type: ignore[arg-type]

    def listed(self, data: object, indices: int, where: str) -> Iterator[tuple[int | Fraction, ...]]:
        items = _items(data, f"{where}, entries")
        self.entries += len(items)
        if self.entries > MAX_ENTRIES:
            _refuse(f"The network has more than {MAX_ENTRIES} entries.")
        for item in items:
            parts = _items(item, f"{where}, an entry", length=indices + 1)
            yield (*(_natural(i, f"{where}, an index") for i in parts[:-1]), _value(parts[-1], f"{where}, an entry"))


def _fields(data: object, where: str, *keys: str) -> dict[str, Any]:
    """The object, if it has exactly these keys."""
    if not isinstance(data, dict):
        _refuse(f"{where} is not an object.")
    for key in keys:
        if key not in data:
            _refuse(f"{where} has no {key!r}.")
    for key in data:
        if key not in keys:
            _refuse(f"{where} has the unknown key {echo(key)!r}.", f"The keys are {', '.join(keys)}.")
    return data


def _items(data: object, where: str, length: int | None = None) -> Sequence[Any]:
    if not isinstance(data, list):
        _refuse(f"{where} is not a list.")
    if len(data) > MAX_ENTRIES:
        _refuse(f"{where} has more than {MAX_ENTRIES} items.")
    if length is not None and len(data) != length:
        _refuse(f"{where} has {len(data)} items instead of {length}.")
    return data


def _shown(data: object) -> str:
    """What stands in a message: texts and numbers as they are, of anything else only what it is."""
    if isinstance(data, str | int | None):
        return echo(repr(data))
    return "a list" if isinstance(data, list) else "an object"


def _name(data: object) -> str:
    if not isinstance(data, str) or not data.strip() or not data.isprintable():
        _refuse("The name of an input or output is not a printable text.")
    return data


def _natural(data: object, where: str) -> int:
    # bool is an int in Python, but true is not a number in JSON
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= MAX_SIZE:
        _refuse(f"{where}: {_shown(data)} is not an integer between 0 and {MAX_SIZE}.")
    return data


def _value(data: object, where: str) -> Fraction:
    if isinstance(data, int) and not isinstance(data, bool):
        value = Fraction(data)
    elif not isinstance(data, str):
        _refuse(f"{where}: {_shown(data)} is not a number.", 'Write numbers as strings, such as "1/3".')
    elif (match := _QUOTIENT.fullmatch(data)) and len(data) > 100:
        # longer than the text of a number on the command line may be: what `chunks` wrote must be readable
        bottom = decimal(match[3] or "1")
        if not bottom:
            _refuse(f"{where}: {echo(data)} divides by zero.")
        value = decimal(match[2]) / bottom * (-1 if match[1] else 1)
    else:
        value = rational(data, f"{where}, number")
    if _bits(value) > MAX_BITS:
        _refuse(f"{where}: the number {_shown(data)} has more than {MAX_BITS} bits.")
    return value
