"""Networks as JSON ("boundcalc-network/1", described in docs/network-format.md): written in pieces, read with suspicion.

Reading a file is a boundary to hostile input: whatever it contains, the answer is a network or an InvalidInput.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from ..errors import InvalidInput, echo
from ..numbers.exact import MAX_BITS, decimal, exact_text, rational
from ..writing import write_file
from .about import About, Ends
from .families import AffineFamilies, AttentionFamilies, BlockFamilies, LayerFamilies, NetworkFamilies
from .network import (
    MAX_SIZE,
    AffineLayer,
    AttentionLayer,
    Head,
    Layer,
    Matrix,
    Network,
    ReluLayer,
    Vector,
    bits_of,
    refuse,
)
from .stream import JsonStream

FORMAT = "boundcalc-network/1"
MAX_ENTRIES = 10**7     # in the whole network
MAX_BYTES = 10**9       # of a file
LINE = 1000             # entries in one piece of text
SHORT = 14_000          # bits of an integer that str() converts: fewer than 4300 digits


# --- writing --------------------------------------------------------------------------------------------------------

def chunks(network: Network | NetworkFamilies) -> Iterator[str]:
    """The JSON text in pieces, for files too large to hold as one string."""
    _check_writable(network)
    yield f'{{"format": {json.dumps(FORMAT)}, '
    if network.about is not None:
        yield f'"about": {_about_text(network.about)},\n '
    names = {"inputs": list(network.inputs), "outputs": list(network.outputs)}
    yield json.dumps(names, ensure_ascii=False)[1:-1] + ', "layers": ['
    for number, layer in enumerate(network.layers):
        yield ",\n" if number else "\n"
        yield from _layer_chunks(layer)
    yield "\n]}\n"


def _check_writable(network: Network | NetworkFamilies) -> None:
    if isinstance(network, NetworkFamilies):
        network.check()
    if network.bits > MAX_BITS:
        refuse(f"A weight has more than {MAX_BITS} bits, too many to be written out.", "Ask for less accuracy.")


def _layer_chunks(layer: Layer | LayerFamilies) -> Iterator[str]:
    if isinstance(layer, AffineLayer | AffineFamilies):
        yield ' {"kind": "affine", "weight": '
        yield from _block_chunks(layer.weight)
        yield ',\n  "bias": '
        yield from _block_chunks(layer.bias)
        yield "}"
    elif isinstance(layer, AttentionLayer | AttentionFamilies):
        yield f' {{"kind": "attention", "dim": {layer.dim}, "tokens": {layer.tokens}, "query": {list(layer.query)},\n'
        yield '  "skip": '
        yield from ("null",) if layer.skip is None else _block_chunks(layer.skip)
        yield ',\n  "heads": ['
        for number, head in enumerate(_head_texts(layer)):
            yield ",\n" if number else "\n"
            yield head
        yield "]}"
    else:
        yield ' {"kind": "relu"}'


def _about_text(about: About) -> str:
    found: dict[str, Any] = {
        "construction": about.construction, "target": list(about.target),
        "domain": [["-inf" if low is None else exact_text(low), "inf" if high is None else exact_text(high)]
                   for low, high in about.domain],
        "parameters": {name: exact_text(x) for name, x in sorted(about.parameters.items())},
        "error": None if about.error is None else exact_text(about.error), "version": about.version,
        "command": about.command, **({} if about.relative is None else {"relative": exact_text(about.relative)})}
    return json.dumps({key: x for key, x in found.items() if x is not None and x != []}, ensure_ascii=False)


def _head_texts(layer: AttentionLayer | AttentionFamilies) -> Iterator[str]:
    if isinstance(layer, AttentionLayer):
        for head in layer.heads:
            texts = ["".join(_block_chunks(block)) for block in (head.Q, head.K, head.V)]
            yield _head_text(texts, exact_text(head.beta))
        return
    for family in layer.heads:
        known: dict[int, str] = {}      # the text of a block that is the same for all heads
        for at in family.places():
            texts = []
            for k, block in enumerate((family.Q, family.K, family.V)):
                text = known.get(k) or "".join(_block_chunks(block, at))
                if block.alike:
                    known[k] = text
                texts.append(text)
            beta = Fraction(*family.beta.at(at))
            if beta <= 0:
                refuse("An inverse temperature is not positive.")
            yield _head_text(texts, exact_text(beta))


def _head_text(blocks: list[str], beta: str) -> str:
    q, k, v = blocks
    return f'   {{"Q": {q},\n    "K": {k},\n    "V": {v},\n    "beta": "{beta}"}}'


def _block_chunks(block: Matrix | Vector | BlockFamilies, at: Sequence[int] = ()) -> Iterator[str]:
    shape = block.shape if isinstance(block, BlockFamilies) else (
        (block.rows, block.cols) if isinstance(block, Matrix) else (block.size,))
    yield f'{{"shape": {list(shape)}, "entries": [' if len(shape) == 2 else f'{{"size": {shape[0]}, "entries": ['
    texts = _entry_texts(block, at)
    before = ""
    while some := ", ".join(islice(texts, LINE)):
        yield before + some
        before = ", "
    yield "]}"


def _entry_texts(block: Matrix | Vector | BlockFamilies, at: Sequence[int]) -> Iterator[str]:
    if isinstance(block, Matrix):
        return (f'[{i}, {j}, "{exact_text(x)}"]' for i, j, x in block.entries)
    if isinstance(block, Vector):
        return (f'[{i}, "{exact_text(x)}"]' for i, x in block.entries)
    written = _quotient_text if block.bits < SHORT else _long_quotient_text
    if len(block.shape) == 2:
        columns = block.shape[1]
        return (f'[{place // columns}, {place % columns}, "{written(n, d)}"]' for place, n, d in block.entries(at))
    return (f'[{place}, "{written(n, d)}"]' for place, n, d in block.entries(at))


def _quotient_text(above: int, below: int) -> str:
    return f"{above}/{below}" if below != 1 else f"{above}"


def _long_quotient_text(above: int, below: int) -> str:
    return exact_text(Fraction(above, below))


def to_json(network: Network | NetworkFamilies) -> str:
    """The network as JSON text; `from_json` gives back an equal network."""
    return "".join(chunks(network))


def save(network: Network | NetworkFamilies, path: str | Path) -> None:
    """Write the network to a file."""
    _check_writable(network)
    write_file(path, chunks(network))


# --- reading --------------------------------------------------------------------------------------------------------

def load(path: str | Path, most: int = MAX_ENTRIES) -> Network:
    """Read a network from a file, of no more than so many entries. The file is never held as a whole."""
    try:
        with open(path, "rb") as file:
            return _read(io.TextIOWrapper(io.BufferedReader(_Measured(file, str(path))), "utf-8", newline=""), most)
    except OSError as error:
        raise InvalidInput(f"{echo(str(path))} cannot be read: {error.strerror}.", "Check its name.") from None
    except (UnicodeDecodeError, ValueError):   # ValueError: a null byte in the name
        raise InvalidInput(f"{echo(str(path))} is not a text file in UTF-8.", "Give an exported network.") from None


class _Measured(io.RawIOBase):
    """A file of which no more than MAX_BYTES are read."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__()
        self.file, self.name, self.bytes = file, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        self.bytes += len(data)
        if self.bytes > MAX_BYTES:
            refuse(f"{echo(self.name)} has more than {MAX_BYTES} bytes.")
        buffer[:len(data)] = data
        return len(data)


def from_json(text: str) -> Network:
    """The network that the text describes; InvalidInput for everything that does not describe one."""
    return _read(io.StringIO(text), MAX_ENTRIES)


def _read(file: TextIO, most: int) -> Network:
    return _Reader(most).network(JsonStream(file, "entries", _kept, most).value())


def _kept(item: Any) -> Any:
    """An entry as it is kept; what is not as nearly all are is looked at when its place is known."""
    if type(item) is list and 2 <= len(item) <= 3 and type(item[-1]) is str and len(item[-1]) < 100 and \
            all(type(i) is int and 0 <= i <= MAX_SIZE for i in item[:-1]) and (plain := _PLAIN.fullmatch(item[-1])):
        return (*item[:-1], Fraction(int(plain[1]), int(plain[2] or 1)))
    return item


_PLAIN = re.compile(r"(-?[0-9]+)(?:/([0-9]*[1-9][0-9]*))?", re.ASCII)
_QUOTIENT = re.compile(r"(-?)([0-9]{1,6020})(?:/([0-9]{1,6020}))?", re.ASCII)


class _Reader:
    """Turns parsed JSON into records, keeping count of the entries read so far."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.entries = 0

    def network(self, data: object) -> Network:
        fields = _fields(data, "The network", "format", "inputs", "outputs", "layers", optional=("about",))
        if fields["format"] != FORMAT:
            refuse(f"The format is {_shown(fields['format'])}.", f"Only {FORMAT!r} is understood.")
        inputs, outputs = (tuple(_name(x) for x in _items(fields[key], f"The list of {key}"))
                           for key in ("inputs", "outputs"))
        layers = _items(fields["layers"], "The list of layers")
        about = _about(fields["about"], len(inputs), len(outputs)) if "about" in fields else None
        return Network(inputs, outputs, tuple(self.layer(x, f"Layer {i}") for i, x in enumerate(layers)), about)

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
        raise InvalidInput(f"{where}: its kind is {_shown(kind)}.", "The kinds are affine, relu and attention.")

    def head(self, data: object, where: str) -> Head:
        fields = _fields(data, where, "Q", "K", "V", "beta")
        q, k, v = (self.matrix(fields[name], f"{where}, {name}") for name in "QKV")
        return Head(q, k, v, _value(fields["beta"], f"{where}, beta"))

    def matrix(self, data: object, where: str) -> Matrix:
        fields = _fields(data, where, "shape", "entries")
        shape = _items(fields["shape"], f"{where}, shape", length=2)
        rows, cols = (_natural(x, f"{where}, shape") for x in shape)
        return Matrix(rows, cols, tuple(sorted(self.listed(fields["entries"], 2, where), key=itemgetter(0, 1))))

    def vector(self, data: object, where: str) -> Vector:
        fields = _fields(data, where, "size", "entries")
        size = _natural(fields["size"], f"{where}, size")
        return Vector(size, tuple(sorted(self.listed(fields["entries"], 1, where), key=itemgetter(0))))

    def listed(self, data: object, indices: int, where: str) -> Iterator[Any]:
        items = _items(data, f"{where}, entries")
        self.entries += len(items)
        if self.entries > self.most:
            refuse(f"The network has more than {self.most} entries.")
        for number, item in enumerate(items):
            known = item if type(item) is tuple else _kept(item)
            if type(known) is tuple and len(known) == indices + 1:
                yield known
                continue
            place = f"{where}, entry {number}"
            parts = _items(list(item) if type(item) is tuple else item, place, length=indices + 1)
            yield (*(_natural(i, f"{place}, an index") for i in parts[:-1]), _value(parts[-1], place))


def _about(data: object, inputs: int, outputs: int) -> About:
    where = "What the network says about itself"
    fields = _fields(data, where, optional=("construction", "target", "domain", "parameters", "error", "version", "command",
                                            "relative"))
    target = tuple(_name(x) for x in _items(fields.get("target", []), f"{where}, target"))
    domain = tuple(_ends(x, f"{where}, domain") for x in _items(fields.get("domain", []), f"{where}, domain"))
    if len(target) not in (0, outputs) or len(domain) not in (0, inputs):
        refuse(f"{where}: {len(target)} targets and {len(domain)} intervals for {outputs} outputs and {inputs} inputs.")
    parameters = fields.get("parameters", {})
    if not isinstance(parameters, dict):
        refuse(f"{where}, parameters: this is not an object.")
    construction, version, command = (None if fields.get(key) is None else _name(fields[key])
                                      for key in ("construction", "version", "command"))
    if construction is not None and not re.fullmatch(r"[A-Za-z0-9][\w-]*(\[.*\])?", construction):
        # a path would be executed, and nobody has typed it
        refuse(f"{where}: {echo(construction)!r} is no name of a construction.")
    error = None if fields.get("error") is None else _value(fields["error"], f"{where}, error")
    return About(construction, target, domain,
                 {_name(k): _value(x, f"{where}, {echo(k)}") for k, x in parameters.items()}, error, version, command,
                 None if fields.get("relative") is None else _value(fields["relative"], f"{where}, relative"))


def _ends(data: object, where: str) -> Ends:
    low, high = _items(data, where, length=2)
    ends = None if low == "-inf" else _value(low, where), None if high == "inf" else _value(high, where)
    if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        refuse(f"{where}: an interval is empty.")
    return ends


def _fields(data: object, where: str, *keys: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The object, if it has exactly these keys, and perhaps the optional ones."""
    if not isinstance(data, dict):
        refuse(f"{where} is not an object.")
    for key in keys:
        if key not in data:
            refuse(f"{where} has no {key!r}.")
    for key in data:
        if key not in (*keys, *optional):
            refuse(f"{where} has the unknown key {echo(key)!r}.", f"The keys are {', '.join((*keys, *optional))}.")
    return data


def _items(data: object, where: str, length: int | None = None) -> Sequence[Any]:
    if not isinstance(data, list):
        refuse(f"{where} is not a list.")
    if len(data) > MAX_ENTRIES:
        refuse(f"{where} has more than {MAX_ENTRIES} items.")
    if length is not None and len(data) != length:
        refuse(f"{where} has {len(data)} items instead of {length}.")
    return data


def _shown(data: object) -> str:
    """What stands in a message: texts and numbers as they are, of anything else only what it is."""
    if isinstance(data, str | int | None):
        return echo(repr(data))
    return "a list" if isinstance(data, list) else "an object"


def _name(data: object) -> str:
    if not isinstance(data, str) or not data.strip() or not data.isprintable():
        refuse("A name is not a printable text.")
    return data


def _natural(data: object, where: str) -> int:
    # bool is an int in Python, but true is not a number in JSON
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= MAX_SIZE:
        refuse(f"{where}: {_shown(data)} is not an integer between 0 and {MAX_SIZE}.")
    return data


def _value(data: object, where: str) -> Fraction:
    if isinstance(data, int) and not isinstance(data, bool):
        value = Fraction(data)
    elif not isinstance(data, str):
        refuse(f"{where}: {_shown(data)} is not a number.", 'Write numbers as strings, such as "1/3".')
    elif (match := _QUOTIENT.fullmatch(data)) and len(data) > 100:
        # longer than the text of a number on the command line may be: what `chunks` wrote must be readable
        bottom = decimal(match[3] or "1")
        if not bottom:
            refuse(f"{where}: {echo(data)} divides by zero.")
        value = decimal(match[2]) / bottom * (-1 if match[1] else 1)
    else:
        value = rational(data, f"{where}, number")
    if bits_of(value) > MAX_BITS:
        refuse(f"{where}: the number {_shown(data)} has more than {MAX_BITS} bits.")
    return value
