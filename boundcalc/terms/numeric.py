"""Row families of numbers: the weights of a network that somebody else has made, of which no formula is known.

They are rows like any others, so that gates lay them out, and layers merge, are counted and written, as for every term; only
their entries are listed and not said by a formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..formulas.index import Index
from ..networks.network import AffineLayer, bits_of
from ..records import dataclass
from .linear import AffineMap, Block, Form, Rows, Wire


class Listed:
    """Weight and bias of some rows over a wire, whose coordinates are counted block by block. It is one object, into which
    nothing is substituted."""

    def __init__(self, layer: AffineLayer, wire: Wire) -> None:
        self.layer, self.wire = layer, wire

    @property
    def count(self) -> int:
        return len(self.layer.weight.entries) + len(self.layer.bias.entries)

    def telling(self) -> list[Fraction]:
        """The largest entry and the one that takes most bits: what counting asks for."""
        values = [x for _, _, x in self.layer.weight.entries] + [x for _, x in self.layer.bias.entries]
        if not values:
            return []
        longest = max(values, key=bits_of)          # of numerator and denominator, whichever is longer
        largest = max(values, key=lambda x: abs(x))
        return list(dict.fromkeys((largest, longest)))

    def sources(self) -> list[tuple[str, tuple[int, ...]]]:
        """The block of every column, and its place in it."""
        return [(b.name, at) for b in self.wire for at in ([()] if not b.extents else [(k,) for k in range(int(b.size))])]


@dataclass(frozen=True)
class NumericRows(Rows):
    """block[*at, i] = row i of the listed numbers; `at` places the block, in a token for example."""

    numbers: Listed | None = None
    single: bool = False        # one coordinate, without an index

    def places(self) -> list[tuple[int, ...]]:
        """Where its rows stand, one after the other."""
        before = tuple(int(a) for a in self.at)
        return [before] if self.single else [(*before, i) for i in range(self.listed.layer.weight.rows)]

    @property
    def listed(self) -> Listed:
        assert self.numbers is not None
        return self.numbers

    def entry_count(self) -> Expr:
        return sp.Integer(self.listed.count)

    def values(self) -> Iterator[tuple[Expr, tuple[Index, ...]]]:
        for x in self.listed.telling():
            yield sp.Rational(x.numerator, x.denominator), ()


def numeric(wire: Wire, blocks: Sequence[tuple[str, AffineLayer]], single: bool = False) -> AffineMap:
    """The affine map with these blocks of rows, all over one wire; blocks without rows are left out. `single`: every block
    is one coordinate."""
    rows = [NumericRows(name, Form(), (), (), Listed(layer, wire), single) for name, layer in blocks if layer.weight.rows]
    return AffineMap(wire, tuple(Block(r.block, () if single else (sp.Integer(r.listed.layer.weight.rows),)) for r in rows),
                     tuple(rows))
