"""ReLU networks that are given by numbers: affine maps with a ReLU between every two of them.

However it was written down, a network comes out of here in one shape, so that its own counts (layers, units, entries) are
those that the recipe is compared with. Entries are those that are listed, also where their value is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from .about import Ends
from .network import AffineLayer, Layer, Matrix, Network, ReluLayer, Vector, matrix, refuse, vector

ONE = Fraction(1)
SUPPORTED = ("Affine maps (Gemm, MatMul and Add, Linear) and the activations ReLU, LeakyReLU, ReLU6 and Hardtanh are "
             "understood.")


@dataclass(frozen=True, eq=False)
class ReluNetwork:
    """x ↦ A_L ρ(A_(L−1) … ρ(A_0 x)): affine maps A_0, …, A_L. `domain` is what the file says of its inputs."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    maps: tuple[AffineLayer, ...]
    domain: tuple[Ends, ...] = ()

    @property
    def depth(self) -> int:
        """ReLU layers."""
        return len(self.maps) - 1

    @property
    def widths(self) -> tuple[int, ...]:
        """Units of every ReLU layer."""
        return tuple(m.weight.rows for m in self.maps[:-1])

    @cached_property
    def parameters(self) -> int:
        """Listed entries of all weights and biases."""
        return sum(len(m.weight.entries) + len(m.bias.entries) for m in self.maps)

    @cached_property
    def network(self) -> Network:
        layers: list[Layer] = [self.maps[0]]
        for m in self.maps[1:]:
            layers += [ReluLayer(), m]
        return Network(self.inputs, self.outputs, tuple(layers))


def relu_network(network: Network) -> ReluNetwork:
    """A network from a file, without attention, with affine maps that follow each other merged."""
    if not network.inputs or not network.outputs:
        refuse(f"The network has no {'outputs' if network.inputs else 'inputs'}.")
    maps: list[AffineLayer] = []
    after_relu = True           # an affine map may follow: at the start, and behind a ReLU
    size = len(network.inputs)
    for number, layer in enumerate(network.layers):
        if isinstance(layer, AffineLayer):
            if layer.weight.rows == 0:
                refuse(f"Layer {number} is empty: it has no rows.")
            if after_relu:
                maps.append(layer)
            else:
                maps[-1] = composed(layer, maps[-1])
            after_relu, size = False, layer.weight.rows
        elif isinstance(layer, ReluLayer):
            if after_relu:
                if maps and number:
                    continue        # ρ(ρ(z)) = ρ(z)
                maps.append(identity(size))
            after_relu = True
        else:
            refuse(f"Layer {number} is not an affine map or a ReLU.",
                   "The recipe is for ReLU networks: give one with affine and relu layers only.")
    if after_relu:
        maps.append(identity(size))
    domain = network.about.domain if network.about is not None else ()
    return ReluNetwork(network.inputs, network.outputs, tuple(maps), domain)


def identity(size: int) -> AffineLayer:
    return AffineLayer(matrix(size, size, [(k, k, ONE) for k in range(size)]), Vector(size))


def composed(outer: AffineLayer, inner: AffineLayer) -> AffineLayer:
    """outer ∘ inner; an entry is listed where one of the products that make it up is."""
    rows = by_row(inner.weight)
    bias = dict(inner.bias.entries)
    entries: dict[tuple[int, int], Fraction] = {}
    constants = dict(outer.bias.entries)
    for i, j, a in outer.weight.entries:
        for k, b in rows.get(j, ()):
            entries[i, k] = entries.get((i, k), Fraction(0)) + a * b
        if j in bias:
            constants[i] = constants.get(i, Fraction(0)) + a * bias[j]
    return AffineLayer(matrix(outer.weight.rows, inner.weight.cols, ((i, k, x) for (i, k), x in entries.items())),
                       vector(outer.weight.rows, constants.items()))


def by_row(m: Matrix) -> dict[int, list[tuple[int, Fraction]]]:
    found: dict[int, list[tuple[int, Fraction]]] = {}
    for i, j, x in m.entries:
        found.setdefault(i, []).append((j, x))
    return found


# --- activations that ReLU units can say ------------------------------------------------------------------------------

@dataclass(frozen=True)
class PieceActivation:
    """z ↦ Σ c·ρ(s·z + t), a piecewise linear activation as ReLU units (c, s, t), and a constant."""

    units: tuple[tuple[Fraction, Fraction, Fraction], ...]
    constant: Fraction = Fraction(0)


RELU = PieceActivation(((ONE, ONE, Fraction(0)),))


def leaky(slope: Fraction) -> PieceActivation:
    """ρ(z) − slope·ρ(−z): two units with opposite rows, of which only one costs a head."""
    return PieceActivation(((ONE, ONE, Fraction(0)), (-slope, -ONE, Fraction(0))))


def clipped(low: Fraction, high: Fraction) -> PieceActivation:
    """min(max(z, low), high) = low + ρ(z − low) − ρ(z − high)."""
    if low > high:
        refuse(f"A clipped activation goes from {low} to {high}.")
    return PieceActivation(((ONE, ONE, -low), (-ONE, ONE, -high)), low)


def alternating(maps: Sequence[AffineLayer], activations: Sequence[PieceActivation]) -> Iterator[AffineLayer]:
    """The affine maps of a ReLU network, where other activations stand between the given ones."""
    found = list(maps)
    for k, activation in enumerate(activations):
        if activation == RELU:
            continue
        before, after = found[k], found[k + 1]
        found[k], found[k + 1] = _spread(before, activation), _gathered(after, activation)
    yield from found


def _spread(m: AffineLayer, a: PieceActivation) -> AffineLayer:
    """Row i becomes the rows s·row + t, one after the other."""
    n = len(a.units)
    weight = [(i * n + u, j, s * x) for i, j, x in m.weight.entries for u, (_, s, _) in enumerate(a.units)]
    bias: dict[int, Fraction] = {i * n + u: s * x for i, x in m.bias.entries for u, (_, s, _) in enumerate(a.units)}
    for i in range(m.weight.rows):
        for u, (_, _, t) in enumerate(a.units):
            if t:
                bias[i * n + u] = bias.get(i * n + u, Fraction(0)) + t
    return AffineLayer(matrix(m.weight.rows * n, m.weight.cols, weight), vector(m.weight.rows * n, bias.items()))


def _gathered(m: AffineLayer, a: PieceActivation) -> AffineLayer:
    """Column j becomes the columns c·column, and the constant goes into the bias."""
    n = len(a.units)
    weight = [(i, j * n + u, c * x) for i, j, x in m.weight.entries for u, (c, _, _) in enumerate(a.units)]
    bias = dict(m.bias.entries)
    if a.constant:
        for i, _, x in m.weight.entries:
            bias[i] = bias.get(i, Fraction(0)) + a.constant * x
    return AffineLayer(matrix(m.weight.rows, m.weight.cols * n, weight), vector(m.weight.rows, bias.items()))


# --- dense arrays -----------------------------------------------------------------------------------------------------

Number = float | int | Fraction


def dense(weight: Sequence[Sequence[Number]], bias: Sequence[Number] | None, where: str) -> AffineLayer:
    """y = W·x + b with every entry listed. Floats are taken as the dyadic rationals that they are."""
    rows, cols = len(weight), len(weight[0]) if weight else 0
    if not rows or not cols:
        refuse(f"{where}: the weight is empty, of shape ({rows}, {cols}).", "Give layers with at least one unit each.")
    if bias is not None and len(bias) != rows:
        refuse(f"{where}: the bias has {len(bias)} entries, but the weight has {rows} rows.",
               "A weight has the shape (out, in), and its bias has one number for every row.")
    entries = tuple((i, j, exactly(x, where, i, j)) for i, row in enumerate(weight) for j, x in enumerate(row))
    constants = tuple((i, exactly(x, f"{where}, bias", i)) for i, x in enumerate(bias or ()))
    return AffineLayer(Matrix(rows, cols, entries), Vector(rows, constants))


def exactly(x: Number, where: str, *place: int) -> Fraction:
    try:
        return Fraction(x)
    except (ValueError, OverflowError):
        refuse(f"{where}: the entry at {list(place)} is {x}, which is not a number.", "Give finite weights.")


def chained(maps: Iterable[AffineLayer], names: Mapping[int, str]) -> tuple[AffineLayer, ...]:
    """The maps, if each fits to the one before it; `names` says what a map is called."""
    found = tuple(maps)
    for k, (before, after) in enumerate(pairwise(found)):
        if after.weight.cols != before.weight.rows:
            refuse(f"{names.get(k + 1, f'Layer {k + 1}')} takes {after.weight.cols} values, but "
                   f"{names.get(k, f'layer {k}')} yields {before.weight.rows}.",
                   "A weight has the shape (out, in): y = W·x + b.")
    return found


def numbered(stem: str, count: int) -> tuple[str, ...]:
    return tuple(f"{stem}{k + 1}" for k in range(count)) if count != 1 or stem != "y" else (stem,)


def from_maps(maps: Sequence[AffineLayer], activations: Sequence[PieceActivation] = (),
              inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> ReluNetwork:
    """A network of such maps; inputs are called x1 … xd and outputs y1 … where no names are known."""
    if not maps:
        refuse("There is no layer in this network.", "Give at least one weight and its bias.")
    known = tuple(alternating(maps, activations or [RELU] * (len(maps) - 1)))
    return ReluNetwork(tuple(inputs) or numbered("x", maps[0].weight.cols),
                       tuple(outputs) or numbered("y", maps[-1].weight.rows), known)
