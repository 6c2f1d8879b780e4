"""The program of a network that is too large to be written out, read from its families of entries.

Only what lays out the tokens of anchor heads has so many entries: constants that are quadratics in the number of the token.
Everything else is written out and read as it is of any network.
"""

from __future__ import annotations

from functools import cached_property

from flint import fmpq

from ..formulas.enclosure import Undecided
from ..networks.families import AffineFamilies, AttentionFamilies, EntryFamily, LayerFamilies, NetworkFamilies, Quotient
from ..networks.network import AffineLayer, AttentionLayer, Layer, ReluLayer
from .anchors import Quadratic, TokenStates
from .forms import ZERO, Value, add, scale
from .program import LayerReader, Program

MANY = 10**5        # entries that are looked at one by one
LIMIT = "There are more entries than can be looked at one by one, and they are no family that is known."


def program_of_families(network: NetworkFamilies, many: int = MANY) -> Program:
    """What `program_of` gives of the written network; Undecided if that takes more than its families."""
    reading = LayerReader(network.inputs)
    state = reading.start()
    tokens: TokenStates | None = None
    for layer, following in zip(network.layers, (*network.layers[1:], None), strict=True):
        if isinstance(layer, AttentionFamilies):
            state = reading.attention(_attention(layer), tokens or TokenStates(state, layer.dim))
            tokens = None
        elif isinstance(layer, AffineFamilies) and isinstance(following, AttentionFamilies) and _entries(layer) > many:
            tokens = FamilyTokens(layer, state, following)
        else:
            state = reading.through(_written(layer), state)
    return reading.program(state)


def _entries(layer: AffineFamilies) -> int:
    return layer.weight.count + layer.bias.count


def _attention(layer: AttentionFamilies) -> AttentionLayer:
    return AttentionLayer(layer.dim, layer.tokens, tuple(layer.query), None if layer.skip is None else layer.skip.matrix(),
                          tuple(head for family in layer.heads for head in family.heads()))


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
