"""Concrete networks: exact rational weights, the checks that they fit together, and what is counted in them.

Listed are the structural entries of every matrix, also where their value happens to be 0; all others are zero.
file.py writes networks to files and reads them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NoReturn

from ..errors import InvalidInput
from .about import About

MAX_SIZE = 10**7        # of a vector, a dimension, a number of tokens


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
    about: About | None = field(default=None, compare=False)      # its own words: they make it no other network

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """InvalidInput, naming the layer, if shapes do not chain, an index is out of range, or a value is not exact."""
        if len(set(self.inputs)) != len(self.inputs):
            refuse("Two inputs of the network have the same name.")
        size = len(self.inputs)
        for number, layer in enumerate(self.layers):
            size = _check_layer(layer, size, f"Layer {number}")
        if size != len(self.outputs):
            refuse(f"The last layer yields {size} values, but {len(self.outputs)} outputs are named.")

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
        try:        # rounding to a float is monotone: the largest is among those whose floats are
            sizes = [abs(value.numerator / value.denominator) for value in self._values()]
        except OverflowError:
            return max((abs(value) for value in self._values()), default=Fraction(0))
        most = max(sizes, default=0.0)
        return max((abs(value) for value, size in zip(self._values(), sizes, strict=True) if size == most),
                   default=Fraction(0))

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
        return max((bits_of(x) for x in values), default=0)

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


def bits_of(x: Fraction) -> int:
    """The length of the longer of numerator and denominator, in bits."""
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

def refuse(problem: str, remedy: str = "Correct the network; the documentation describes its format.") -> NoReturn:
    """Raise the InvalidInput for a network that is none."""
    raise InvalidInput(problem, remedy)


def _check_layer(layer: Layer, size: int, where: str) -> int:
    """The size of what the layer yields for an input of the given size; InvalidInput if it does not fit."""
    for name, block in _blocks(layer):
        _check_block(block, f"{where}, {name}")
    if isinstance(layer, AffineLayer):
        if layer.weight.cols != size:
            refuse(f"{where}: the weight has {layer.weight.cols} columns, but {size} values come in.")
        if layer.bias.size != layer.weight.rows:
            refuse(f"{where}: the bias has size {layer.bias.size}, but the weight has {layer.weight.rows} rows.")
    elif isinstance(layer, AttentionLayer):
        _check_attention(layer, size, where)
    elif not isinstance(layer, ReluLayer):
        refuse(f"{where} is of no known kind.")
    return _output_size(layer, size)


def _check_attention(layer: AttentionLayer, size: int, where: str) -> None:
    if not (1 <= layer.dim <= MAX_SIZE and 1 <= layer.tokens <= MAX_SIZE):
        refuse(f"{where}: dim and tokens must lie between 1 and {MAX_SIZE}.")
    if layer.dim * layer.tokens != size:
        refuse(f"{where}: {layer.tokens} tokens of dimension {layer.dim} do not make up the {size} incoming values.")
    if not layer.query:
        refuse(f"{where}: no query column is listed.")
    if not all(0 <= i < layer.tokens for i in layer.query):
        refuse(f"{where}: a query column is not one of the tokens 0 to {layer.tokens - 1}.")
    if not layer.heads and layer.skip is None:
        refuse(f"{where}: there is neither a head nor a skip.")
    for number, head in enumerate(layer.heads):
        for name in "QKV":
            if (cols := getattr(head, name).cols) != layer.dim:
                refuse(f"{where}: {name} of head {number} has {cols} columns, but tokens have dimension {layer.dim}.")
        if head.Q.rows != head.K.rows:
            refuse(f"{where}: Q and K of head {number} have {head.Q.rows} and {head.K.rows} rows.")
        if head.V.rows != layer.heads[0].V.rows:
            refuse(f"{where}: V of head {number} and of head 0 have different numbers of rows.")
        if not isinstance(head.beta, Fraction) or head.beta <= 0:
            refuse(f"{where}: beta of head {number} is not a positive rational number.")
    rows = _output_size(layer, size)
    if rows > MAX_SIZE:
        refuse(f"{where}: it yields more than {MAX_SIZE} values.")
    if layer.skip is not None and (layer.skip.rows, layer.skip.cols) != (rows, size):
        refuse(f"{where}: the skip has shape {layer.skip.rows} × {layer.skip.cols} instead of {rows} × {size}.")


def _check_block(block: Matrix | Vector, where: str) -> None:
    shape = (block.rows, block.cols) if isinstance(block, Matrix) else (block.size,)
    if not all(0 <= length <= MAX_SIZE for length in shape):
        refuse(f"{where}: a length of its shape is not between 0 and {MAX_SIZE}.")
    for entry in block.entries:
        if not all(0 <= i < length for i, length in zip(entry[:-1], shape, strict=True)):
            refuse(f"{where}: the entry at {list(entry[:-1])} lies outside the shape {list(shape)}.")
        if not isinstance(entry[-1], Fraction):
            refuse(f"{where}: the entry at {list(entry[:-1])} is not an exact rational.")
    for before, after in pairwise(block.entries):
        if before[:-1] == after[:-1]:
            refuse(f"{where}: the entry at {list(after[:-1])} is listed twice.")
        if before[:-1] > after[:-1]:
            refuse(f"{where}: its entries are not in increasing order of place.")
