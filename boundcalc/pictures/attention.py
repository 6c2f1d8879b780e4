"""Attention weights along a line of inputs, for heat maps. They are floats: nothing is derived from them.

What the softmax sees, β·(score − largest score), is computed in integers from an evaluation to enough digits: β may be
10^30, and then scores that differ in the thirtieth digit have very different weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp

from mpmath.libmp import to_fixed

from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network
from ..numbers.exact import ceil_log
from ..verify.evaluate import Evaluator

COLUMNS = 160           # of a map
FEWEST = 24             # … of a head with very many tokens
EFFORT = 1_500_000      # columns times tokens
ROWS = 128              # more tokens than that are added up in groups
SMALL = 16              # so many tokens are all shown, whatever they do
SEEN = 1e-3             # a weight that can be seen
CANDIDATES = 64         # heads of a layer that are looked at
TRIALS = 9              # … at so many points
MOVING = 1e-6           # a change of weights that can be seen
DIGITS = 16
FINE = 30               # bits of an exponent after the point
LOWEST = -700           # exponents: e^(−700) is as good as 0


@dataclass(frozen=True)
class Place:
    """One head of one attention layer, as one query token uses it; numbers start at 0."""

    layer: int
    head: int
    query: int


@dataclass(frozen=True)
class AttentionMap:
    """weights[row][column]: a row is one token or `group` neighbouring ones, a column one input, left to right. Rows begin
    with the token `first`; `outside` is what tokens that are not shown have in a column."""

    place: Place
    tokens: int
    first: int
    shown: int
    group: int
    weights: tuple[tuple[float, ...], ...]
    outside: tuple[float, ...]


class Tokens:
    """The tokens that one attention layer sees, in units of 2^(−bits), and the weights of its heads."""

    def __init__(self, network: Network, number: int) -> None:
        place = [k for k, layer in enumerate(network.layers) if isinstance(layer, AttentionLayer)][number]
        layer = network.layers[place]
        assert isinstance(layer, AttentionLayer)
        self.layer = layer
        # the affine map that makes the tokens is applied here: with 10^5 anchors nearly all of them are constants
        before = network.layers[place - 1] if place else None
        self.affine = before if isinstance(before, AffineLayer) else None
        self.evaluator = _prefix(network, place - 1 if self.affine is not None else place)
        self.bits = self.evaluator.context.prec
        self.constants = [0] * (layer.dim * layer.tokens)
        for i, x in self.affine.bias.entries if self.affine is not None else ():
            self.constants[i] = _fixed(x, self.bits)

    def at(self, point: Sequence[Fraction]) -> list[list[int]]:
        values = [int(to_fixed(x._mpf_, self.bits)) for x in self.evaluator(point)]
        if self.affine is not None:
            state = self.constants.copy()
            for i, j, x in self.affine.weight.entries:
                state[i] += x.numerator * values[j] // x.denominator
            values = state
        dim = self.layer.dim
        return [values[t * dim:(t + 1) * dim] for t in range(self.layer.tokens)]

    def weights(self, tokens: list[list[int]], head: Head, query: int) -> list[float]:
        """softmax(β·scores) over all tokens."""
        looking = _times(head.Q, tokens[query])
        seen: dict[int, Fraction] = {}
        for i, j, x in head.K.entries:
            if i in looking:
                seen[j] = seen.get(j, Fraction(0)) + x * looking[i]
        factors = [(j, f.numerator // f.denominator) for j, f in seen.items()]
        scores = [sum(f * token[j] for j, f in factors) for token in tokens]
        top, above, below = max(scores), head.beta.numerator, head.beta.denominator << (2 * self.bits - FINE)
        lowest = LOWEST << FINE
        exponents = [above * (s - top) // below for s in scores]
        raw = [exp(x / (1 << FINE)) if x > lowest else 0.0 for x in exponents]
        total = sum(raw)
        return [x / total for x in raw]


def maps(network: Network, points: Sequence[Sequence[Fraction]], places: Sequence[Place]) -> list[AttentionMap]:
    """One map for every place, one column for every point."""
    found = []
    for place in places:
        tokens = Tokens(network, place.layer)
        found.append(_map(place, [tokens.weights(tokens.at(point), tokens.layer.heads[place.head], place.query)
                                  for point in points]))
    return found


def _map(place: Place, weights: list[list[float]]) -> AttentionMap:
    """Of many tokens only those are shown that do something, in groups where they are many."""
    count = len(weights[0])
    first, last = 0, count
    if count > SMALL:
        busy = [t for t, row in enumerate(zip(*weights, strict=True)) if max(row) >= SEEN]
        first, last = (max(0, busy[0] - 1), min(count, busy[-1] + 2)) if busy else (0, count)
    group = -(-(last - first) // ROWS)
    rows = [tuple(sum(column[k:min(k + group, last)]) for column in weights) for k in range(first, last, group)]
    outside = tuple(sum(column[:first]) + sum(column[last:]) for column in weights)
    return AttentionMap(place, count, first, last - first, group, tuple(rows), outside)


def columns(network: Network) -> int:
    """How many columns a map may have without taking long."""
    return max(FEWEST, min(COLUMNS, EFFORT // max(1, network.tokens)))


def telling_heads(network: Network, points: Sequence[Sequence[Fraction]]) -> list[Place]:
    """At most two heads whose weights change most along the points: of the first and of the last layer, or of the only."""
    layers = len(network.attention())
    if layers == 1:
        return _most_moving(network, 0, points)[:2]
    return [place for number in dict.fromkeys((0, layers - 1)) for place in _most_moving(network, number, points)[:1]
            ] if layers else []


def _most_moving(network: Network, number: int, points: Sequence[Sequence[Fraction]]) -> list[Place]:
    """The heads of a layer, those that change most first; none that stands still, unless all do."""
    tokens = Tokens(network, number)
    every = [Place(number, head, query) for query in tokens.layer.query for head in range(len(tokens.layer.heads))]
    some = every[:max(1, min(CANDIDATES, EFFORT // (TRIALS * tokens.layer.tokens)))]
    if len(some) == 1:
        return some
    seen = [tokens.at(point) for point in points]
    moved = []
    for place in some:
        rows = zip(*(tokens.weights(s, tokens.layer.heads[place.head], place.query) for s in seen), strict=True)
        moved.append(sum(max(row) - min(row) for row in rows))
    # equally good ones in the order of the network, whatever the last digit of a float is
    order = sorted(range(len(some)), key=lambda k: (-round(moved[k], 3), k))
    return [some[k] for k in order if moved[k] > MOVING] or [some[0]]


def _prefix(network: Network, count: int) -> Evaluator:
    """An evaluation of the first layers, to so many digits that what is multiplied by β and by weights keeps some."""
    one = Fraction(1)
    digits = DIGITS + ceil_log(max(one, network.beta) * max(one, network.magnitude) ** 2, 10)
    layers: tuple[Layer, ...] = network.layers[:count]
    return Evaluator(Network(network.inputs, tuple(map(str, range(network.sizes()[count]))), layers), digits)


def _times(matrix: Matrix, vector: Sequence[int]) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for i, j, x in matrix.entries:
        if x and vector[j]:
            found[i] = found.get(i, Fraction(0)) + x * vector[j]
    return found


def _fixed(x: Fraction, bits: int) -> int:
    return (x.numerator << bits) // x.denominator
