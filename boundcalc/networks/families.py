"""Networks by families of entries: what is written out, and what a certificate may read without writing it out.

A family says: for all values of some indices, the entry at this place has this value. Places are affine in the indices,
values nearly always quotients of polynomials with integer coefficients. Entries come out one by one in increasing order of
place, so that a file needs no more memory than its longest line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import merge
from itertools import product
from math import gcd, prod
from typing import TypeAlias

from ..errors import BoundcalcError
from .about import About
from .network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network, ReluLayer, Vector

Member: TypeAlias = tuple[int, int, int]        # place in the row-major order, numerator, denominator: in lowest terms
Polynomial: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]      # coefficient and one exponent an index


@dataclass(frozen=True)
class Placement:
    """offset + Σ stride·index, one stride an index."""

    offset: int
    strides: tuple[int, ...]

    def __call__(self, at: Sequence[int]) -> int:
        return self.offset + sum(map(int.__mul__, self.strides, at))

    def plus(self, other: Placement, factor: int = 1) -> Placement:
        return Placement(self.offset + factor * other.offset,
                      tuple(a + factor * b for a, b in zip(self.strides, other.strides, strict=True)))

    def ends(self, ranges: Sequence[range]) -> tuple[int, int]:
        """Its least and its largest value over ranges none of which is empty."""
        low = high = self.offset
        for stride, r in zip(self.strides, ranges, strict=True):
            both = sorted((stride * r[0], stride * r[-1]))
            low, high = low + both[0], high + both[1]
        return low, high


@dataclass(frozen=True)
class Quotient:
    """top/bottom, polynomials in the indices with integer coefficients."""

    top: Polynomial
    bottom: Polynomial

    def at(self, values: Sequence[int]) -> tuple[int, int]:
        return _lowest(_value(self.top, values), _value(self.bottom, values))

    def along(self, fixed: Sequence[int], last: range) -> Iterator[tuple[int, int]]:
        """The values where the last index runs through a range."""
        top, bottom = _in_the_last(self.top, fixed), _in_the_last(self.bottom, fixed)
        if len(top) <= 1 and len(bottom) <= 1:
            constant = _lowest(top[0] if top else 0, bottom[0] if bottom else 0)
            for _ in last:
                yield constant
            return
        if len(bottom) == 1 and bottom[0] > 0:
            (below,) = bottom
            for k in last:
                above = 0
                for c in top:
                    above = above * k + c
                common = gcd(above, below)
                yield above // common, below // common
            return
        for k in last:
            yield _lowest(_horner(top, k), _horner(bottom, k))

    def depends(self, indices: int) -> bool:
        """Whether it depends on one of the first indices."""
        return any(any(e[:indices]) for c, e in (*self.top, *self.bottom) if c)

    def bits(self, ranges: Sequence[range]) -> int:
        """No value has a longer numerator or denominator."""
        largest = [max(abs(r[0]), abs(r[-1]), 1) for r in ranges]
        sizes = [sum(abs(c) * prod(x ** e for x, e in zip(largest, exponents, strict=True)) for c, exponents in p)
                 for p in (self.top, self.bottom)]
        return max(size.bit_length() for size in sizes)


@dataclass(frozen=True)
class Calculated:
    """Any other function of the indices."""

    function: Callable[[Sequence[int]], Fraction]

    def at(self, values: Sequence[int]) -> tuple[int, int]:
        found = self.function(values)
        return found.numerator, found.denominator

    def along(self, fixed: Sequence[int], last: range) -> Iterator[tuple[int, int]]:
        return (self.at((*fixed, k)) for k in last)

    def depends(self, indices: int) -> bool:
        return indices > 0

    def bits(self, ranges: Sequence[range]) -> int:
        return max(max(abs(n).bit_length(), d.bit_length()) for n, d in map(self.at, product(*ranges)))


Number: TypeAlias = Quotient | Calculated


def _value(p: Polynomial, at: Sequence[int]) -> int:
    total = 0
    for c, exponents in p:
        for x, e in zip(at, exponents, strict=True):
            if e:
                c *= x if e == 1 else x ** e
        total += c
    return total


def _in_the_last(p: Polynomial, fixed: Sequence[int]) -> list[int]:
    """The coefficients of a polynomial in its last index, the highest first, where the others are fixed."""
    found: dict[int, int] = {}
    for c, exponents in p:
        for x, e in zip(fixed, exponents, strict=False):
            if e:
                c *= x ** e
        found[exponents[-1]] = found.get(exponents[-1], 0) + c
    top = max((e for e, c in found.items() if c), default=-1)
    return [found.get(e, 0) for e in range(top, -1, -1)]


def _horner(coefficients: list[int], k: int) -> int:
    total = 0
    for c in coefficients:
        total = total * k + c
    return total


def _lowest(above: int, below: int) -> tuple[int, int]:
    if not below:
        raise BoundcalcError("A weight divides by zero at these parameters.")
    common = gcd(above, below) if below > 0 else -gcd(above, below)
    return above // common, below // common


@dataclass(frozen=True)
class EntryFamily:
    """Indices of a head first, then own ones, by falling stride; `place` is that in the row-major order."""

    place: Placement
    value: Number
    outer: tuple[range, ...]
    own: tuple[range, ...]

    @property
    def count(self) -> int:
        """Members a head."""
        return prod(map(len, self.own))

    @cached_property
    def ordered(self) -> bool:
        """Whether places rise when the last index runs fastest."""
        reach = 0
        for stride, r in reversed(list(zip(self.place.strides[len(self.outer):], self.own, strict=True))):
            if len(r) > 1 and stride <= reach:
                return False
            reach += stride * (len(r) - 1)
        return True

    def only(self, outer: Sequence[int]) -> Member:
        """The member of a family with one a head."""
        at = (*outer, *(r[0] for r in self.own))
        return (self.place(at), *self.value.at(at))

    def members(self, outer: Sequence[int]) -> Iterator[Member]:
        """In increasing order of place."""
        return self._walk(outer) if self.ordered else iter(sorted(self._walk(outer)))

    def _walk(self, outer: Sequence[int]) -> Iterator[Member]:
        if not self.own:
            yield self.only(outer)
            return
        last, stride = self.own[-1], self.place.strides[-1]
        for before in product(*self.own[:-1]):
            fixed = (*outer, *before)
            place = self.place((*fixed, last.start)) if last else 0
            for above, below in self.value.along(fixed, last):
                yield place, above, below
                place += stride


@dataclass(frozen=True)
class ListedFamily(EntryFamily):
    """Entries that are listed one by one, in increasing order of place. They are the same for all heads."""

    listed: tuple[Member, ...] = ()

    @staticmethod
    def of(members: Sequence[Member]) -> ListedFamily:
        """As one family: its value stands for the longest of them."""
        size = max((max(abs(n), d) for _, n, d in members), default=1)
        return ListedFamily(Placement(0, ()), Quotient(((size, ()),), ((1, ()),)), (), (), tuple(members))

    @property
    def count(self) -> int:
        return len(self.listed)

    def only(self, outer: Sequence[int]) -> Member:
        return self.listed[0]

    def members(self, outer: Sequence[int]) -> Iterator[Member]:
        return iter(self.listed)


@dataclass(frozen=True)
class BlockFamilies:
    """A matrix or a vector, or one for every head of a family of heads."""

    shape: tuple[int, ...]
    families: tuple[EntryFamily, ...]

    @property
    def count(self) -> int:
        return sum(f.count for f in self.families)

    @cached_property
    def alike(self) -> bool:
        """Whether it is the same for all heads."""
        return not any(any(f.place.strides[:len(f.outer)]) or f.value.depends(len(f.outer)) for f in self.families)

    @cached_property
    def bits(self) -> int:
        """No entry has a longer numerator or denominator."""
        return max((f.value.bits((*f.outer, *f.own)) for f in self.families if f.count), default=0)

    def entries(self, outer: Sequence[int] = ()) -> Iterator[Member]:
        """In increasing order of place, each place once."""
        if all(f.count == 1 for f in self.families):
            found: Iterator[Member] = iter(sorted(f.only(outer) for f in self.families))
        else:
            found = merge(*(f.members(outer) for f in self.families))
        before = -1
        for member in found:
            if member[0] == before:
                raise BoundcalcError("Two entry families meet in one entry: the derived counts would be wrong.")
            before = member[0]
            yield member

    def matrix(self, outer: Sequence[int] = ()) -> Matrix:
        rows, cols = self.shape
        return Matrix(rows, cols, tuple((*divmod(place, cols), Fraction(n, d)) for place, n, d in self.entries(outer)))

    def without_entries(self) -> Matrix:
        return Matrix(self.shape[0], self.shape[1])

    def vector(self) -> Vector:
        return Vector(self.shape[0], tuple((place, Fraction(n, d)) for place, n, d in self.entries()))


@dataclass(frozen=True)
class HeadFamilies:
    """One head for every value of some indices."""

    over: tuple[range, ...]
    Q: BlockFamilies
    K: BlockFamilies
    V: BlockFamilies
    beta: Number

    def places(self) -> Iterator[tuple[int, ...]]:
        return product(*self.over)

    def heads(self) -> Iterator[Head]:
        shared = {block: block.matrix((0,) * len(self.over)) for block in (self.Q, self.K, self.V) if block.alike}
        for at in self.places():
            q, k, v = (shared[b] if b in shared else b.matrix(at) for b in (self.Q, self.K, self.V))
            yield Head(q, k, v, Fraction(*self.beta.at(at)))


@dataclass(frozen=True)
class AffineFamilies:
    weight: BlockFamilies
    bias: BlockFamilies


@dataclass(frozen=True)
class AttentionFamilies:
    dim: int
    tokens: int
    query: range
    skip: BlockFamilies | None
    heads: tuple[HeadFamilies, ...]


LayerFamilies: TypeAlias = AffineFamilies | AttentionFamilies | ReluLayer


@dataclass(frozen=True)
class NetworkFamilies:
    """A network as `Network` has it, by families. Nothing is written out before it is asked for."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    layers: tuple[LayerFamilies, ...]
    about: About | None = field(default=None, compare=False)

    def network(self) -> Network:
        """All entries."""
        return Network(self.inputs, self.outputs, tuple(_written(layer) for layer in self.layers), self.about)

    def check(self) -> None:
        """InvalidInput if shapes do not chain or are too large; that places lie in them is known of every family."""
        Network(self.inputs, self.outputs, tuple(_shape(layer) for layer in self.layers))

    @property
    def bits(self) -> int:
        """No entry and no β has a longer numerator or denominator."""
        return max((b for layer in self.layers for b in _bits(layer)), default=0)


def _written(layer: LayerFamilies) -> Layer:
    match layer:
        case AffineFamilies(weight=weight, bias=bias):
            return AffineLayer(weight.matrix(), bias.vector())
        case AttentionFamilies(skip=skip):
            return AttentionLayer(layer.dim, layer.tokens, tuple(layer.query), None if skip is None else skip.matrix(),
                                  tuple(head for family in layer.heads for head in family.heads()))
    return layer


def _shape(layer: LayerFamilies) -> Layer:
    """The layer without entries, and with one head a family."""
    match layer:
        case AffineFamilies(weight=weight, bias=bias):
            return AffineLayer(weight.without_entries(), Vector(bias.shape[0]))
        case AttentionFamilies(skip=skip):
            heads = tuple(Head(f.Q.without_entries(), f.K.without_entries(), f.V.without_entries(), Fraction(*f.beta.at(at)))
                          for f in layer.heads for at in (next(f.places(), None),) if at is not None)
            shape = None if skip is None else skip.without_entries()
            return AttentionLayer(layer.dim, layer.tokens, tuple(layer.query), shape, heads)
    return layer


def _bits(layer: LayerFamilies) -> Iterator[int]:
    match layer:
        case AffineFamilies(weight=weight, bias=bias):
            yield from (weight.bits, bias.bits)
        case AttentionFamilies(skip=skip, heads=heads):
            if skip is not None:
                yield skip.bits
            for family in heads:
                yield from (family.Q.bits, family.K.bits, family.V.bits)
                if all(family.over):
                    yield family.beta.bits(family.over)
