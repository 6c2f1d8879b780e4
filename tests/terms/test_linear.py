"""Affine maps of symbolic shape against dense matrices of Fractions: composition, counts, copies, tiles."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import BoundcalcError, NotDerivable
from boundcalc.formulas.comparison import Regime
from boundcalc.formulas.index import Index, upto
from boundcalc.formulas.symbols import symbol
from boundcalc.networks.network import AffineLayer
from boundcalc.terms import flat as flatten_module
from boundcalc.terms.flat import FlatNetwork, flatten_repeats, resources
from boundcalc.terms.linear import (
    AffineMap,
    Block,
    Form,
    Ref,
    Rows,
    Weighted,
    affine,
    assignments,
    at_row,
    compose,
    each,
    identity,
    map_expressions,
    size_of,
    span,
    total,
    var,
)
from boundcalc.terms.materialise import families
from boundcalc.terms.term import Affine, Flat, FlatRepeat, Rectify, copied_map, substitute

F = Fraction
R = sp.Rational
Dense = tuple[list[list[Fraction]], list[Fraction]]


def places(wire: Sequence[Block]) -> dict[tuple[str, tuple[int, ...]], int]:
    coordinates = [(b.name, at) for b in wire for at in product(*(range(int(e)) for e in b.extents))]
    return {c: k for k, c in enumerate(coordinates)}


def fraction(x: sp.Expr) -> Fraction:
    assert x.is_Rational, x
    return F(int(x.p), int(x.q))


def dense(m: AffineMap) -> Dense:
    """Families written out; entries of families that meet add up, as `compose` may leave them."""
    rows, columns = places(m.outputs), places(m.inputs)
    weight = [[F(0)] * len(columns) for _ in rows]
    bias = [F(0)] * len(rows)
    for r in m.rows:
        for here in assignments(r.over):
            i = rows[r.block, tuple(int(a.xreplace(here)) for a in r.at)]
            for t in r.form.terms:
                for there in assignments(t.over):
                    both = {**here, **there}
                    j = columns[t.ref.block, tuple(int(a.xreplace(both)) for a in t.ref.at)]
                    weight[i][j] += fraction(t.coefficient.xreplace(both))
            if r.form.const is not None:
                bias[i] += fraction(r.form.const.xreplace(here))
    return weight, bias


def product_of(outer: Dense, inner: Dense) -> Dense:
    (a, p), (b, q) = outer, inner
    width = len(b[0]) if b else 0
    return ([[sum((row[k] * b[k][j] for k in range(len(b))), F(0)) for j in range(width)] for row in a],
            [sum((row[k] * q[k] for k in range(len(b))), F(0)) + c for row, c in zip(a, p, strict=True)])


def index(name: str, count: int | sp.Expr) -> Index:
    return upto(sp.Symbol(f"_{name}", integer=True, nonnegative=True), count)


class Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def coefficient(self, over: Sequence[Index]) -> sp.Expr:
        c = R(self.rng.choice((-3, -1, 1, 2, 5)), self.rng.choice((1, 2, 3)))
        if over and self.rng.random() < 0.4:                 # values may depend on the indices of their family
            c = c * R(1, 2) ** self.rng.choice(over).symbol
        return c

    def wire(self) -> tuple[Block, ...]:
        shapes: list[tuple[int, ...]] = [(), (2,), (3,), (2, 3)]
        blocks = self.rng.choice((1, 2, 3))
        return tuple(Block(self.fresh("b"), tuple(map(sp.Integer, self.rng.choice(shapes)))) for _ in range(blocks))

    def map(self, inputs: Sequence[Block], constants: bool) -> AffineMap:
        """Constants only in scalar rows: a sum of rows with constants is refused (there is a test for that)."""
        outputs, rows = self.wire(), []
        for b in outputs:
            over = tuple(index(self.fresh("i"), e) for e in b.extents)
            form = Form()
            for source in inputs:
                if self.rng.random() < 0.3:
                    continue
                at, sums = [], []
                for e in source.extents:
                    aligned = [i.symbol for i in over if i.count == e and i.symbol not in at]
                    kind = self.rng.choice(("fixed", "sum", "aligned")) if aligned else self.rng.choice(("fixed", "sum"))
                    if kind == "aligned":
                        at.append(self.rng.choice(aligned))
                    elif kind == "fixed":
                        at.append(sp.Integer(self.rng.randrange(int(e))))
                    else:
                        j = index(self.fresh("j"), e)
                        sums.append(j)
                        at.append(j.symbol)
                form = form + Form((Weighted(self.coefficient((*over, *sums)), Ref(source.name, tuple(at)), tuple(sums)),))
            if constants and not b.extents and self.rng.random() < 0.5:
                form = form + R(self.rng.randrange(-4, 5), 3)
            rows.append(Rows(b.name, form, tuple(i.symbol for i in over), over))
        return AffineMap(tuple(inputs), outputs, tuple(rows))


seeds = st.integers(0, 2**32)


@settings(max_examples=120, deadline=None)
@given(seed=seeds)
def test_compose_is_the_matrix_product(seed: int) -> None:
    maker = Maker(seed)
    inner = maker.map(maker.wire(), constants=True)
    outer = maker.map(inner.outputs, constants=True)
    assert dense(compose(outer, inner)) == product_of(dense(outer), dense(inner))


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_compose_with_identity_and_associativity(seed: int) -> None:
    maker = Maker(seed)
    a = maker.map(maker.wire(), constants=False)     # a constant would spread to rows that c sums up
    b = maker.map(a.outputs, constants=False)
    c = maker.map(b.outputs, constants=True)
    assert dense(compose(identity(a.outputs), a)) == dense(a) == dense(compose(a, identity(a.inputs)))
    assert dense(compose(c, compose(b, a))) == dense(compose(compose(c, b), a))
    assert compose(identity(a.outputs), a).entries() == a.entries() == compose(a, identity(a.inputs)).entries()


def listed(m: AffineMap) -> list[tuple[int, int]]:
    """The places of all entries, one for each member of each family; the bias is column −1."""
    rows, columns = places(m.outputs), places(m.inputs)
    found = []
    for r in m.rows:
        for here in assignments(r.over):
            i = rows[r.block, tuple(int(a.xreplace(here)) for a in r.at)]
            for t in r.form.terms:
                for there in assignments(t.over):
                    found.append((i, columns[t.ref.block, tuple(int(a.xreplace({**here, **there})) for a in t.ref.at)]))
            if r.form.const is not None:
                found.append((i, -1))
    return found


@settings(max_examples=80, deadline=None)
@given(seed=seeds)
def test_counts_are_the_listed_entries(seed: int) -> None:
    maker = Maker(seed)
    m = maker.map(maker.wire(), constants=True)
    assert len(listed(m)) == len(set(listed(m))) == m.entries()
    assert len(list(m.coefficients())) == sum(len(r.form.terms) + (r.form.const is not None) for r in m.rows)


@settings(max_examples=60, deadline=None)
@given(seed=seeds)
def test_materialised_entries_are_the_dense_matrix(seed: int) -> None:
    """The exported layer lists the counted entries, at the places and with the values of the dense matrix."""
    maker = Maker(seed)
    m = maker.map(maker.wire()[:1], constants=True)
    m = AffineMap(m.inputs, m.outputs[:1], m.rows[:1])
    names = [[f"{b}{at}" for b, at in places(w)] for w in (m.inputs, m.outputs)]
    (layer,) = families(FlatNetwork(m.inputs, m.outputs, (Affine("map", m),)), {}, *names).network().layers
    assert isinstance(layer, AffineLayer)
    weight, bias = dense(m)
    assert {(i, j) for i, j, _ in layer.weight.entries} | {(i, -1) for i, _ in layer.bias.entries} == set(listed(m))
    assert len(layer.weight.entries) + len(layer.bias.entries) == m.entries()
    assert all(weight[i][j] == x for i, j, x in layer.weight.entries)
    assert all(bias[i] == x for i, x in layer.bias.entries)


def test_an_entry_that_cancels_stays_listed() -> None:
    """Structure must not depend on numbers: x + (a − 1)·x at a = 1 keeps its entry."""
    a = symbol("a")
    m = affine((Block("x"),), {"y": a * var("x")})
    back = affine((Block("y"),), {"z": var("y") - var("y") * (1 - 1 / a)})
    both = compose(back, m)
    assert both.entries() == 1
    zero = substitute(affine((Block("x"), Block("t")), {"y": (a - 1) * var("x") + var("t")}), {a: sp.Integer(1)})
    assert zero.entries() == 2
    assert affine((Block("x"), Block("t")), {"y": 0 * var("x") + var("t")}).entries() == 1      # but nobody writes 0·x


def test_two_families_in_one_place_are_refused() -> None:
    x = Block("x", (sp.Integer(2),))
    j = index("j", 2)
    twice = AffineMap((x,), (Block("y"),), (Rows("y", Form((Weighted(R(1), Ref("x", (sp.Integer(0),))),
                                                            Weighted(R(1), Ref("x", (j.symbol,)), (j,))))),))
    with pytest.raises(BoundcalcError, match="counts would be wrong"):
        families(FlatNetwork((x,), (Block("y"),), (Affine("m", twice),)), {}, ["x1", "x2"], ["y"]).network()


# tiles: what the levels of a tree produce --------------------------------------------------------------------------

def tiled(pairs: int, passed: int) -> AffineMap:
    """out[i] = 2·a[i] + 1·i-free rest for i < pairs, out[pairs + j] = 3·b[j]: two families that tile one block."""
    i, j = index("i", pairs), index("j", passed)
    return AffineMap(
        (Block("a", (sp.Integer(pairs),)), Block("b", (sp.Integer(passed),))), (Block("x", (sp.Integer(pairs + passed),)),),
        (Rows("x", Form((Weighted(R(2), Ref("a", (i.symbol,))),)), (i.symbol,), (i,)),
         Rows("x", Form((Weighted(R(3), Ref("b", (j.symbol,))),)), (pairs + j.symbol,), (j,))))


@pytest.mark.parametrize(("pairs", "passed"), [(1, 1), (1, 3), (2, 2), (3, 1), (3, 5), (4, 4), (5, 3), (7, 1), (1, 7)])
@pytest.mark.parametrize("rest", [0, 1])
def test_stride_two_over_tiles(pairs: int, passed: int, rest: int) -> None:
    inner = tiled(pairs, passed)
    half = (pairs + passed) // 2
    k = index("k", half)
    outer = AffineMap(inner.outputs, (Block("y", (sp.Integer(half),)),), (
        Rows("y", Form((Weighted(R(5), Ref("x", (2 * k.symbol + rest,))),)), (k.symbol,), (k,)),))
    both = compose(outer, inner)
    assert dense(both) == product_of(dense(outer), dense(inner))
    assert both.entries() == half == len(set(listed(both)))


def test_tiles_of_symbolic_size_count_right() -> None:
    """The first level of a tree with n leaves, then pairs of its outputs: entries in closed form, checked at every n."""
    n, half = symbol("n"), symbol("N")       # n leaves, N = 2^(D−1) outputs of the first level
    i, j = index("i", n - half), index("j", 2 * half - n)
    inner = AffineMap((Block("a", (n - half,)), Block("b", (2 * half - n,))), (Block("x", (half,)),), (
        Rows("x", Form((Weighted(R(1), Ref("a", (i.symbol,))),)), (i.symbol,), (i,)),
        Rows("x", Form((Weighted(R(1), Ref("b", (j.symbol,))),)), (n - half + j.symbol,), (j,))))
    k = index("k", half / 2)
    outer = AffineMap(inner.outputs, (Block("y", (half / 2,)),), (
        Rows("y", var("x", 2 * k.symbol) - var("x", 2 * k.symbol + 1), (k.symbol,), (k,)),))
    both = compose(outer, inner)
    for leaves in range(9, 17):
        at = {n: sp.Integer(leaves), half: sp.Integer(8)}
        number = substitute(both, at)
        assert dense(number) == product_of(dense(substitute(outer, at)), dense(substitute(inner, at)))
        assert both.entries().subs(at) == number.entries() == 8


def test_what_cannot_be_tiled_is_refused() -> None:
    inner = tiled(2, 2)
    k = index("k", 2)
    summed = AffineMap(inner.outputs, (Block("y"),), (Rows("y", total(var("x", k.symbol), k)),))
    with pytest.raises(NotDerivable, match="C2"):
        compose(summed, inner)
    backwards = AffineMap(inner.outputs, (Block("y", (sp.Integer(2),)),), (
        Rows("y", var("x", 3 - k.symbol), (k.symbol,), (k,)),))
    with pytest.raises(NotDerivable, match="positive integer stride"):
        compose(backwards, inner)
    with pytest.raises(NotDerivable, match="single row family"):
        at_row(inner, Ref("x", (sp.Integer(0),)))


def test_sums_of_constants_are_refused() -> None:
    j = index("j", 3)
    inner = affine((Block("x", (sp.Integer(3),)),), [each("y", j, var("x", j.symbol) + 1)])
    outer = AffineMap(inner.outputs, (Block("z"),), (Rows("z", total(var("y", j.symbol), j)),))
    with pytest.raises(NotDerivable, match="constants"):
        compose(outer, inner)
    with pytest.raises(NotDerivable, match="constant"):
        total(var("x", j.symbol) + 1, j)


def test_ranges_that_depend_on_each_other_are_not_counted() -> None:
    i = index("i", 4)
    j = Index(sp.Symbol("_j", integer=True, nonnegative=True), sp.Integer(0), i.symbol)
    with pytest.raises(NotDerivable, match="depends on another index"):
        span((i, j))
    with pytest.raises(NotDerivable, match="symbolic"):
        upto(sp.Symbol("_k"), symbol("n")).values()


# forms, copies -----------------------------------------------------------------------------------------------------

def test_arithmetic_of_forms() -> None:
    x, y = var("x"), var("y")
    form = 2 * (x - y) / 4 + 3 - (1 - x)
    assert {t.ref.block: t.coefficient for t in form.terms} == {"x": R(3, 2), "y": R(-1, 2)}
    assert form.const == 2
    assert (x - x).written() == Form()
    assert (x - 1 + 1).written().const is None


@settings(max_examples=40, deadline=None)
@given(seed=seeds, copies=st.integers(1, 3))
def test_copied_map_is_block_diagonal(seed: int, copies: int) -> None:
    maker = Maker(seed)
    m = maker.map(maker.wire(), constants=True)
    c = index("c", copies)
    wide = copied_map(m, c)
    assert wide.entries() == copies * m.entries()
    (big, shift), (small, bias) = dense(wide), dense(m)
    rows, columns = places(wide.outputs), places(wide.inputs)
    small_rows, small_columns = places(m.outputs), places(m.inputs)
    for (block, at), i in rows.items():
        assert shift[i] == bias[small_rows[block, at[1:]]]
        for (source, where), j in columns.items():
            expected = small[small_rows[block, at[1:]]][small_columns[source, where[1:]]] if at[0] == where[0] else 0
            assert big[i][j] == expected
    assert size_of(wide.inputs) == copies * size_of(m.inputs)


def test_map_expressions_reaches_everything() -> None:
    n, m = symbol("n"), symbol("m")
    i = index("i", n)
    made = affine((Block("x", (n,)),), [each("y", i, m * var("x", i.symbol) + m)])
    changed = map_expressions(made, lambda e: e.xreplace({n: sp.Integer(3), m: sp.Integer(5)}))
    assert isinstance(changed, AffineMap)
    assert dense(changed) == ([[F(5), F(0), F(0)], [F(0), F(5), F(0)], [F(0), F(0), F(5)]], [F(5)] * 3)
    assert map_expressions(made, lambda e: e) == made


# merging through the ends of repeats (C2, C3) ------------------------------------------------------------------------

S, LEVELS = symbol("s"), symbol("m")
WIRE = (Block("x", (sp.Integer(2),)), Block("y"))


def step(seed: int, level: sp.Expr) -> AffineMap:
    """An affine map on WIRE whose entries depend on the level, all positive: magnitudes of mixed signs are refused."""
    rng = random.Random(seed)
    i = index("i", 2)

    def c() -> sp.Expr:
        return R(rng.choice((1, 2, 3)), rng.choice((1, 2))) * rng.choice((sp.Integer(1), sp.Integer(2) ** -level))
    return AffineMap(WIRE, WIRE, (
        Rows("x", c() * var("x", i.symbol) + c() * var("y"), (i.symbol,), (i,)),
        Rows("y", c() * var("x", 0) + c() * var("x", 1) + c() * var("y") + c())))


def run(parts: Sequence[Flat], point: list[Fraction]) -> list[Fraction]:
    for part in flatten_repeats(tuple(parts)):
        if isinstance(part, Rectify):
            point = [max(x, F(0)) for x in point]
        else:
            assert isinstance(part, Affine)
            weight, bias = dense(part.map)
            point = [sum((w * x for w, x in zip(row, point, strict=True)), c) for row, c in zip(weight, bias, strict=True)]
    return point


@pytest.mark.parametrize("head", [False, True])
@pytest.mark.parametrize("tail", [False, True])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_merging_around_repeats(head: bool, tail: bool, before: bool, after: bool) -> None:
    """Peeled or rotated, the network computes the same function, no two affine layers are left side by side, and the
    counts in m are those of the layers written out."""
    level = Index(S, sp.Integer(1), LEVELS)
    body: tuple[Flat, ...] = (Rectify(WIRE), Affine("middle", step(5, S)), Rectify(WIRE))
    body = (*([Affine("head", step(1, S))] if head else []), *body, *([Affine("tail", step(2, S))] if tail else []))
    parts: tuple[Flat, ...] = (*([Affine("before", step(3, sp.Integer(1)))] if before else []), FlatRepeat(body, level),
                               *([Affine("after", step(4, sp.Integer(1)))] if after else []))
    merged = flatten_module._merge(parts)
    counted = resources(FlatNetwork(WIRE, WIRE, merged), Regime(()))
    rng = random.Random(6)
    for levels in (2, 3, 5):
        at = {LEVELS: sp.Integer(levels)}
        plain, short = substitute(parts, at), tuple(flatten_repeats(substitute(merged, at)))
        for _ in range(5):
            point = [F(rng.randrange(-20, 21), 3) for _ in range(3)]
            assert run(plain, point) == run(short, point)
        kinds = [isinstance(f, Affine) for f in short]
        assert not any(a and b for a, b in pairwise(kinds))
        assert counted["parameters"].subs(at) == sum(f.map.entries() for f in short if isinstance(f, Affine))
        assert counted["neurons"].subs(at) == 3 * sum(isinstance(f, Rectify) for f in short) == 6 * levels
        assert counted["relu_layers"].subs(at) == 2 * levels
