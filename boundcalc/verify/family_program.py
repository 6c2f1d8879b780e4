"""The program of a network that is too large to be written out, read from its families of entries.

Only anchor heads have so many entries: in what lays out their tokens, constants that are quadratics in the number of the
token, and in heads that carry on where another ends, whose scores are affine in the number of the head. Everything else is
written out and read as it is of any network.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

from flint import fmpq

from ..formulas.enclosure import Undecided
from ..networks.families import (
    AffineFamilies,
    AttentionFamilies,
    EntryFamily,
    HeadFamilies,
    LayerFamilies,
    NetworkFamilies,
    Number,
    Quotient,
)
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, ReluLayer
from .anchors import HeadRun, Quadratic, TokenStates
from .forms import ZERO, Value, add, scale
from .patience import check_time
from .program import LayerReader, Program

MANY = 10**5        # entries that are looked at one by one
SOME = 1000         # heads
NO_POLYNOMIAL = 99
LIMIT = "There are more entries than can be looked at one by one, and they are no family that is known."


def program_of_families(network: NetworkFamilies, many: int = MANY, some: int = SOME) -> Program:
    """What `program_of` gives of the written network; Undecided if that takes more than its families."""
    reading = LayerReader(network.inputs)
    state = reading.start()
    tokens: TokenStates | None = None
    for layer, following in zip(network.layers, (*network.layers[1:], None), strict=True):
        if isinstance(layer, AttentionFamilies):
            runs = [f for f in layer.heads if _heads(layer) > some and _affine_in_the_last(f)]
            state = reading.attention(_attention(layer, runs), tokens or TokenStates(state, layer.dim), list(_runs(runs)))
            tokens = None
        elif isinstance(layer, AffineFamilies) and isinstance(following, AttentionFamilies) and _entries(layer) > many:
            tokens = FamilyTokens(layer, state, following)
        else:
            state = reading.through(_written(layer), state)
    return reading.program(state)


def _entries(layer: AffineFamilies) -> int:
    return layer.weight.count + layer.bias.count


def _heads(layer: AttentionFamilies) -> int:
    return sum(prod(map(len, family.over)) for family in layer.heads)


def _attention(layer: AttentionFamilies, runs: list[HeadFamilies]) -> AttentionLayer:
    """The layer, without the heads that are in runs."""
    listed = [family for family in layer.heads if family not in runs]
    if sum(prod(map(len, family.over)) for family in listed) > MANY:
        raise Undecided(LIMIT)
    return AttentionLayer(layer.dim, layer.tokens, tuple(layer.query), None if layer.skip is None else layer.skip.matrix(),
                          tuple(head for family in listed for head in family.heads()))


def _runs(families: list[HeadFamilies]) -> Iterator[HeadRun]:
    """Heads by runs of their last index, where there are too many of them to be looked at one by one."""
    for family in families:
        if prod(map(len, family.over[:-1])) > MANY:
            raise Undecided(LIMIT)
        last = family.over[-1]
        for outer in product(*family.over[:-1]):
            check_time()
            first, *second = (_head(family, (*outer, k)) for k in last[:2])
            yield HeadRun(first, second[0] if second else first, len(last))


def _head(family: HeadFamilies, at: tuple[int, ...]) -> Head:
    above, below = family.beta.at(at)
    return Head(family.Q.matrix(at), family.K.matrix(at), family.V.matrix(at), Fraction(above, below))


def _affine_in_the_last(family: HeadFamilies) -> bool:
    """Q is affine in the last index of a head, everything else does not depend on it."""
    if not family.over or not all(family.over):
        return False
    last = len(family.over) - 1
    return all(_degree(f, last) <= 1 for f in family.Q.families) and _number_degree(family.beta, last) == 0 and \
        all(_degree(f, last) == 0 for block in (family.K, family.V) for f in block.families)


def _degree(family: EntryFamily, index: int) -> int:
    return NO_POLYNOMIAL if family.place.strides[index] else _number_degree(family.value, index)


def _number_degree(value: Number, index: int) -> int:
    """The degree in an index; large where that is no polynomial."""
    if not isinstance(value, Quotient) or any(e[index] for _, e in value.bottom):
        return NO_POLYNOMIAL
    return max((e[index] for c, e in value.top if c), default=0)


def _written(layer: LayerFamilies) -> Layer:
    if isinstance(layer, AffineFamilies):
        if _entries(layer) > MANY:
            raise Undecided(LIMIT)
        return AffineLayer(layer.weight.matrix(), layer.bias.vector())
    assert isinstance(layer, ReluLayer)
    return layer


class FamilyTokens(TokenStates):
    """Tokens as families lay them out: some entries, and coordinates that are quadratics over all tokens."""

    def __init__(self, layout: AffineFamilies, state: list[Value], layer: AttentionFamilies) -> None:
        super().__init__((), layer.dim)
        self.count = layer.tokens
        self._grids: dict[int, Quadratic] = {}
        self._listed: dict[int, Value] = {}
        for family in layout.bias.families:
            grid = _grid(family, layer)
            if grid is None:
                for place, above, below in _members(family):
                    self._put(place, fmpq(above, below))
            elif family.place.offset in self._grids:
                raise Undecided(LIMIT)
            else:
                self._grids[family.place.offset] = grid
        columns = layout.weight.shape[1]
        for family in layout.weight.families:
            for place, above, below in _members(family):
                row, column = divmod(place, columns)
                self._put(row, scale(fmpq(above, below), state[column]))
        self._special = {place % self.dim for place in self._listed}
        if self._special & self._grids.keys():
            raise Undecided(LIMIT)

    def _put(self, place: int, value: Value) -> None:
        self._listed[place] = add(self._listed[place], value) if place in self._listed else value

    @cached_property
    def all(self) -> list[list[Value]]:
        if self.count * self.dim > MANY:
            raise Undecided(LIMIT)
        return [self.token(k) for k in range(self.count)]

    def entry(self, place: int) -> Value:
        k, j = divmod(place, self.dim)
        if j in self._grids:
            a, b, c = self._grids[j]
            return a + b * k + c * k * k
        return self._listed.get(place, ZERO)

    def token(self, k: int) -> list[Value]:
        return [self.entry(k * self.dim + j) for j in range(self.dim)]

    def quadratic(self, coordinate: int) -> Quadratic | None:
        if coordinate in self._special:
            return None
        return self._grids.get(coordinate, (ZERO, ZERO, ZERO))


def _members(family: EntryFamily) -> list[tuple[int, int, int]]:
    if family.count > MANY:
        raise Undecided(LIMIT)
    return list(family.members(()))


def _grid(family: EntryFamily, layer: AttentionFamilies) -> Quadratic | None:
    """One entry a token, in one coordinate, a polynomial of degree 2 at most in the number of the token."""
    value, place = family.value, family.place
    if family.own != (range(layer.tokens),) or place.strides != (layer.dim,) or not 0 <= place.offset < layer.dim:
        return None
    if not isinstance(value, Quotient) or any(e != (0,) for _, e in value.bottom) or any(e > 2 for _, (e,) in value.top):
        return None
    below = sum(c for c, _ in value.bottom)
    found = [ZERO, ZERO, ZERO]
    for c, (e,) in value.top:
        found[e] += fmpq(c, below)
    return found[0], found[1], found[2]
