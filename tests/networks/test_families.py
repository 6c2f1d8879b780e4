"""Families of entries: the same network as entry by entry, in order, and never held as a whole."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest
import sympy as sp

from boundcalc.errors import BoundcalcError, InvalidInput
from boundcalc.networks import file as network_file
from boundcalc.networks.families import (
    AffineFamilies,
    BlockFamilies,
    Calculated,
    EntryFamily,
    NetworkFamilies,
    Placement,
    Quotient,
)
from boundcalc.results.bound import bound, numbers
from boundcalc.terms.compiled import linear, number
from boundcalc.terms.flat import FlatNetwork, flatten_repeats
from boundcalc.terms.linear import AffineMap, assignments
from boundcalc.terms.materialise import families
from boundcalc.terms.term import Affine, Attention, Flat, HeadFamily, substitute

F = Fraction
NETWORKS: list[tuple[str, dict[str, object]]] = [
    ("mult", {"eps": F(1, 100), "d": 3}), ("recip", {"eps": F(1, 50), "range": (F(1, 10), F(1))}),
    ("recip", {"eps": F(1, 10), "range": (F(1, 10), F(1)), "gate": "anchor"}),
    ("recip", {"eps": F(1, 100), "range": (F(1, 10), F(1)), "gate": "ffn", "d": 2}),
    ("mult", {"eps": F(1, 100), "gate": "anchors", "n": 4, "temperature": "hard", "sentinels": True}),
    ("mult", {"eps": F(1, 10), "gate": "anchors", "n": 8}), ("max", {"eps": F(1, 10), "n": 5, "route": "tree"}),
    ("max", {"eps": F(1, 10), "n": 6, "route": "tree", "gate": "anchor"}), ("mult", {"eps": F(1, 10), "sequence": 3}),
    ("clip", {"eps": F(1, 10), "range": (F(0), F(1)), "gate": "anchor", "grid": "midpoint", "temperature": "hard"})]


@pytest.mark.parametrize(("name", "given"), NETWORKS, ids=str)
def test_a_family_writes_the_file_that_its_entries_write(name: str, given: dict[str, object]) -> None:
    made = bound(name, **given).families  # type: ignore[arg-type]
    text = network_file.to_json(made)
    assert text == network_file.to_json(made.network())
    assert network_file.from_json(text) == made.network()
    assert made.bits >= made.network().bits


@pytest.mark.parametrize(("name", "given"), NETWORKS, ids=str)
def test_families_are_what_sympy_says_of_every_member(name: str, given: dict[str, object]) -> None:
    """Every head, row and term on its own: numbers take the place of indices before anything is compiled."""
    b = bound(name, **given)  # type: ignore[arg-type]
    values = {s: sp.Rational(v.numerator, v.denominator) for s, v in numbers(b.values).items()}
    flat = substitute(b.analysis.flat, values)
    alone = FlatNetwork(flat.inputs, flat.outputs, tuple(map(unrolled, flatten_repeats(flat.parts))))
    assert families(alone, {}, b.network.inputs, b.network.outputs).network() == b.network


def unrolled(part: Flat) -> Flat:
    if isinstance(part, Affine):
        return replace(part, map=every_entry(part.map))
    if not isinstance(part, Attention):
        return part
    heads = tuple(HeadFamily(every_entry(h.query), every_entry(h.key), every_entry(h.value), h.beta)
                  for f in part.heads for at in assignments(f.over) for h in (substitute(replace(f, over=()), at),))
    return replace(part, heads=heads, skip=None if part.skip is None else every_entry(part.skip))


def every_entry(m: AffineMap) -> AffineMap:
    rows = []
    for family in m.rows:
        for at in assignments(family.over):
            r = substitute(replace(family, over=()), at)
            terms = tuple(substitute(replace(t, over=()), here) for t in r.form.terms for here in assignments(t.over))
            rows.append(replace(r, form=replace(r.form, terms=terms)))
    return replace(m, rows=tuple(rows))


def test_members_at_random_places_of_a_large_family() -> None:
    """A grid of a million anchors: what stands in the bias is k·w/(p − 1) and its square, at any place."""
    b = bound("max", n=2, route="tree", gate="anchor", eps=F(1, 10**6), M=F(1))
    embed = b.families.layers[0]
    assert isinstance(embed, AffineFamilies)
    p = int(b.values["p"])
    grids = [f for f in embed.bias.families if f.count == p]
    assert len(grids) == 2
    assert p > 10**5
    rng = random.Random(1)
    for k in (0, 1, p - 1, *(rng.randrange(p) for _ in range(200))):
        for family, power in zip(grids, (1, 2), strict=True):
            wanted = F(2 * k, p - 1)
            assert F(*family.value.at((k,))) == (wanted if power == 1 else -wanted ** 2)


# --- compiled expressions ---------------------------------------------------------------------------------------------

i, j = (sp.Symbol(name, integer=True, nonnegative=True) for name in "ij")


@pytest.mark.parametrize("expr", [
    sp.S(3) / 7, i / 12, -(i**2) / 144 + j, (i + sp.Rational(1, 2)) ** 3 * (j + 1), 1 / (i + sp.Rational(2, 3)) ** 2,
    (i - 7) / (j - sp.Rational(9, 2)), 2 * sp.KroneckerDelta(i, 3) + j, i**2 / (10 * (j + sp.Rational(1, 3)) ** 2) - i])
def test_compiled_values_are_those_of_sympy(expr: sp.Expr) -> None:
    made = number(expr, (i, j))
    assert isinstance(made, Calculated) == expr.has(sp.KroneckerDelta)
    for x, y in product(range(9), range(9)):
        value = expr.subs({i: x, j: y})
        assert made.at((x, y)) == (value.p, value.q)
        assert list(made.along((x,), range(y, y + 1))) == [(value.p, value.q)]
        assert max(abs(value.p).bit_length(), value.q.bit_length()) <= made.bits((range(9), range(9)))
    assert made.depends(1) == expr.has(i) or isinstance(made, Calculated)


def test_a_place_that_is_not_affine_is_refused() -> None:
    assert linear(2 * i + 3 * j - 1, (i, j)) == Placement(-1, (2, 3))
    for expr in (i * j, i / 2, i**2, sp.Symbol("k") + i):
        with pytest.raises(BoundcalcError, match="place"):
            linear(expr, (i, j))


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(BoundcalcError, match="divides by zero"):
        number(1 / (i - 2), (i,)).at((2,))


# --- order ------------------------------------------------------------------------------------------------------------

def family(offset: int, strides: tuple[int, ...], own: tuple[range, ...]) -> EntryFamily:
    nowhere = (0,) * len(strides)
    return EntryFamily(Placement(offset, strides), Quotient(((1, nowhere),), ((1, nowhere),)), (), own)


@pytest.mark.parametrize("strides", [(10, 1), (1, 10), (3, 2), (-10, 1), (2, 3)])
def test_entries_come_in_order_whatever_the_strides(strides: tuple[int, int]) -> None:
    own = (range(3), range(2))
    made = BlockFamilies((60,), (family(30, strides, own), family(0, (1,), (range(4),))))
    found = [place for place, _, _ in made.entries()]
    assert found == sorted(found)
    assert set(found) == {0, 1, 2, 3} | {30 + strides[0] * x + strides[1] * y for x in own[0] for y in own[1]}
    assert len(found) == made.count == 10


@pytest.mark.parametrize("other", [family(5, (2,), (range(4),)), family(7, (), ()), family(4, (3, 1), (range(2), range(4)))])
def test_families_that_meet_are_refused(other: EntryFamily) -> None:
    block = BlockFamilies((30,), (family(3, (4,), (range(3),)), other))
    with pytest.raises(BoundcalcError, match="meet in one entry"):
        list(block.entries())


def test_text_comes_before_the_last_entry_is_known() -> None:
    """Ten million entries, of which the first piece is asked for."""
    size = 10**7
    grid = EntryFamily(Placement(0, (1,)), Quotient(((1, (2,)),), ((size, (0,)),)), (), (range(size),))
    layer = AffineFamilies(BlockFamilies((size, 1), ()), BlockFamilies((size,), (grid,)))
    names = tuple(f"y{k}" for k in range(3))
    last = AffineFamilies(BlockFamilies((3, size), ()), BlockFamilies((3,), ()))
    start = "".join(islice(network_file.chunks(NetworkFamilies(("x",), names, (layer, last))), 10))
    assert '"bias": {"size": 10000000, "entries": [[0, "0"], [1, "1/10000000"], [2, "1/2500000"]' in start


def test_shapes_that_do_not_fit_and_long_numbers_are_refused_before_anything_is_written() -> None:
    wide = AffineFamilies(BlockFamilies((1, 2), ()), BlockFamilies((1,), ()))
    with pytest.raises(InvalidInput, match="2 columns"):
        next(network_file.chunks(NetworkFamilies(("x",), ("y",), (wide,))))
    long = EntryFamily(Placement(0, ()), Quotient(((2**20_001, ()),), ((1, ()),)), (), ())
    layer = AffineFamilies(BlockFamilies((1, 1), (long,)), BlockFamilies((1,), ()))
    with pytest.raises(InvalidInput, match="bits"):
        next(network_file.chunks(NetworkFamilies(("x",), ("y",), (layer,))))
