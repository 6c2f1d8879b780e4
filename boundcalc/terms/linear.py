"""Wires, linear forms and affine maps of symbolic shape.

A *wire* is the state vector between two layers: an ordered tuple of named blocks, each with extents that may be
symbols (`Block("z", (d,))`). A coordinate is a block name with an index tuple. An affine map is a list of row
families, each saying "for all i in these ranges, row block[at(i)] is this linear form". One such description is
counted, composed, substituted and written out; a dense symbolic matrix could do none of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TypeVar

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.index import Index, upto
from ..formulas.symbols import exchange
from ..records import dataclass

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    name: str
    extents: tuple[Expr, ...] = ()

    @property
    def size(self) -> Expr:
        return sp.prod(self.extents)


Wire = tuple[Block, ...]


def size_of(wire: Wire) -> Expr:
    return sp.expand(sp.Add(*(b.size for b in wire)))


@dataclass(frozen=True)
class Ref:
    """One coordinate of a wire."""

    block: str
    at: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Weighted:
    """coefficient · ref, summed over the indices `over`."""

    coefficient: Expr
    ref: Ref
    over: tuple[Index, ...] = ()


@dataclass(frozen=True)
class Form:
    """A linear form Σ coefficient·ref + const. A `const` of None is no entry at all; a number is a structural one."""

    terms: tuple[Weighted, ...] = ()
    const: Expr | None = None

    def __add__(self, other: Form | Expr | int) -> Form:
        other = as_form(other)
        merged: dict[tuple[Ref, tuple[Index, ...]], Expr] = {}
        for t in (*self.terms, *other.terms):
            key = (t.ref, t.over)
            merged[key] = merged[key] + t.coefficient if key in merged else t.coefficient
        constants = [c for c in (self.const, other.const) if c is not None]
        return Form(tuple(Weighted(c, ref, over) for (ref, over), c in merged.items()),
                    sum(constants, sp.Integer(0)) if constants else None)

    __radd__ = __add__

    def __mul__(self, factor: Expr | int) -> Form:
        return Form(tuple(replace(t, coefficient=factor * t.coefficient) for t in self.terms),
                    None if self.const is None else factor * self.const)

    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self * sp.Integer(-1)

    def __sub__(self, other: Form | Expr | int) -> Form:
        return self + (-as_form(other))

    def __rsub__(self, other: Form | Expr | int) -> Form:
        return as_form(other) - self

    def __truediv__(self, divisor: Expr | int) -> Form:
        return self * (1 / sp.S(divisor))

    def written(self) -> Form:
        """Without what cancels identically: how a form is meant when somebody writes it down."""
        terms = tuple(t for t in self.terms if not t.coefficient.is_zero)
        return Form(terms, None if self.const is None or self.const.is_zero else self.const)


def as_form(value: Form | Expr | int) -> Form:
    return value if isinstance(value, Form) else Form((), sp.S(value))


def var(name: str, *at: Expr | int) -> Form:
    """The coordinate name[at] as a linear form."""
    return Form((Weighted(sp.Integer(1), Ref(name, tuple(sp.S(a) for a in at))),))


def total(form: Form, over: Index) -> Form:
    """Σ over an index of a form without constant."""
    if form.const is not None:
        raise NotDerivable("linear form", "a sum over an index", "a constant cannot be summed into one entry")
    return Form(tuple(replace(t, over=(*t.over, over)) for t in form.terms))


@dataclass(frozen=True)
class Rows:
    """For all values of the indices `over`: output coordinate block[at] = form."""

    block: str
    form: Form
    at: tuple[Expr, ...] = ()
    over: tuple[Index, ...] = ()

    def entry_count(self) -> Expr:
        """How many structural entries the family has."""
        return span(self.over) * (sp.Add(*(span(t.over) for t in self.form.terms)) + (0 if self.form.const is None else 1))

    def values(self) -> Iterator[tuple[Expr, tuple[Index, ...]]]:
        """The value of every entry family, and the indices on which it may depend."""
        for t in self.form.terms:
            yield t.coefficient, (*self.over, *t.over)
        if self.form.const is not None:
            yield self.form.const, self.over


@dataclass(frozen=True)
class AffineMap:
    """An affine map between wires. In maps made by `compose` several row families may add up in one row."""

    inputs: Wire
    outputs: Wire
    rows: tuple[Rows, ...]

    def entries(self) -> Expr:
        """The number of structural entries, weight and bias together."""
        return sp.Add(*(r.entry_count() for r in self.rows))

    def coefficients(self) -> Iterator[tuple[Expr, tuple[Index, ...]]]:
        """Every entry family: its value and the indices that the value may depend on."""
        for r in self.rows:
            yield from r.values()


def span(over: Iterable[Index]) -> Expr:
    """How many members a family with these indices has."""
    indices = tuple(over)
    bound = {i.symbol for i in indices}
    if any((i.first.free_symbols | i.last.free_symbols) & bound for i in indices):
        raise NotDerivable("counting", "an entry family", "an index range depends on another index of the family")
    return sp.prod(i.count for i in indices)


def affine(inputs: Wire, outputs: Mapping[str, Form | Expr | int] | Iterable[Rows]) -> AffineMap:
    """The affine map as one writes it: scalar outputs by name, or row families."""
    if isinstance(outputs, Mapping):
        rows = tuple(Rows(name, as_form(form).written()) for name, form in outputs.items())
        return AffineMap(inputs, tuple(Block(r.block) for r in rows), rows)
    given = tuple(replace(r, form=r.form.written()) for r in outputs)
    extents: dict[str, tuple[Expr, ...]] = {}
    for r in given:
        if r.block in extents:
            raise NotDerivable("affine", f"block {r.block}", "several families need explicit extents: use AffineMap")
        extents[r.block] = tuple(i.count for i in r.over)
    return AffineMap(inputs, tuple(Block(n, e) for n, e in extents.items()), given)


def each(block: str, over: Index, form: Form | Expr | int) -> Rows:
    """block[i] = form(i) for every value of the index."""
    return Rows(block, as_form(form), (over.symbol,), (over,))


def fresh_indices(block: Block, stem: str) -> tuple[Index, ...]:
    return tuple(upto(sp.Symbol(f"_{stem}{k}", integer=True, nonnegative=True), e) for k, e in enumerate(block.extents))


def keep(block: Block) -> Rows:
    """The rows that hand a block on unchanged."""
    over = fresh_indices(block, "k")
    at = tuple(i.symbol for i in over)
    return Rows(block.name, Form((Weighted(sp.Integer(1), Ref(block.name, at)),)), at, over)


def identity(wire: Wire) -> AffineMap:
    return AffineMap(wire, wire, tuple(keep(b) for b in wire))


# ---------------------------------------------------------------------------------------------------------------
# composition

def compose(outer: AffineMap, inner: AffineMap) -> AffineMap:
    """outer ∘ inner, entry family by entry family (rule C2 of docs/rules.md).

    An entry whose value happens to cancel stays listed: the structure must not depend on the numbers.
    """
    by_block: dict[str, list[Rows]] = {}
    for r in inner.rows:
        by_block.setdefault(r.block, []).append(r)
    rows: list[Rows] = []
    for r in outer.rows:
        whole = Form((), r.form.const)
        split: list[Rows] = []
        for t in r.form.terms:
            families = by_block.get(t.ref.block, [])
            if len(families) == 1:
                whole = whole + _substituted(t, families[0])
            else:
                split += [_restricted(r, t, families, k) for k in range(len(families))]
        if whole.terms or whole.const is not None:
            rows.append(replace(r, form=whole))
        rows += split
    return AffineMap(inner.inputs, outer.outputs, tuple(rows))


def at_row(m: AffineMap, ref: Ref, over: tuple[Index, ...] = ()) -> Form:
    """The form of one output coordinate of a map whose block is a single row family, summed over `over`."""
    families = [r for r in m.rows if r.block == ref.block]
    if len(families) != 1:
        raise NotDerivable("C2", f"block {ref.block}", "it is not given by a single row family")
    return _substituted(Weighted(sp.Integer(1), ref, over), families[0])


def _substituted(t: Weighted, family: Rows) -> Form:
    """coefficient · (the family's form at t.ref), for a family that covers its whole block."""
    solved: dict[Expr, Expr] = {}
    bound = {i.symbol for i in family.over}
    for have, want in zip(family.at, t.ref.at, strict=True):
        if have in bound and have not in solved:
            solved[have] = want
        elif sp.expand(have - want) != 0:
            raise NotDerivable("C2", f"{t.ref.block}[{want}] after {t.ref.block}[{have}]", "the index cannot be solved")
    if len(solved) != len(bound):
        raise NotDerivable("C2", f"block {family.block}", "its row family does not determine its indices")
    return _scaled(_rename_inner(family.form, t.over), solved, t)


def _restricted(r: Rows, t: Weighted, tiles: list[Rows], k: int) -> Rows:
    """The part of a row family that reads the k-th of several families which tile the last axis of a block in order.

    The tile has rows offset + i; the row family reads step·j + rest and runs over the whole block with that stride.
    """
    tile = tiles[k]
    copies = len(tile.at) - 1               # axes before the tiled one, which all tiles cover whole
    if len(tile.over) != copies + 1 or t.over or len(r.over) != copies + 1 or any(
            have != i.symbol for have, i in zip(tile.at, tile.over[:copies], strict=False)):
        raise NotDerivable("C2", f"block {tile.block}", "a block may be tiled by several families along its last axis only")
    want, outer, inner = t.ref.at[-1], r.over[-1], tile.over[-1]
    step = want.coeff(outer.symbol)
    rest = sp.expand(want - step * outer.symbol)
    offset = sp.expand(tile.at[-1] - inner.symbol)
    if not (step.is_Integer and step > 0) or inner.symbol in offset.free_symbols:
        raise NotDerivable("C2", f"{tile.block}[{want}]", "only a positive integer stride can be split")
    first = outer.first if k == 0 else sp.ceiling((offset + inner.first - rest) / step)
    last = outer.last if k == len(tiles) - 1 else sp.floor((offset + inner.last - rest) / step)
    solved = {i.symbol: there for i, there in zip(tile.over[:copies], t.ref.at, strict=False)}
    form = _scaled(_rename_inner(tile.form, r.over), {**solved, inner.symbol: sp.expand(want - offset)}, t)
    return replace(r, form=form, over=(*r.over[:-1], Index(outer.symbol, first, last)))


def _rename_inner(form: Form, taken: tuple[Index, ...]) -> Form:
    """Rename the summation indices of a form where they clash with those already in use."""
    used = {i.symbol for i in taken}
    terms = []
    for t in form.terms:
        clash = {i.symbol: sp.Symbol(f"{i.symbol.name}'", integer=True, nonnegative=True)
                 for i in t.over if i.symbol in used}
        terms.append(map_expressions(t, partial(exchange, values=clash)) if clash else t)
    return replace(form, terms=tuple(terms))


def _scaled(form: Form, solved: Mapping[Expr, Expr], t: Weighted) -> Form:
    moved = map_expressions(form, lambda e: exchange(e, solved)) if solved else form
    scaled = moved * t.coefficient
    if t.over:
        if scaled.const is not None:
            raise NotDerivable("C2", f"a sum over {t.ref.block}", "constants of summed rows do not form one entry")
        scaled = Form(tuple(replace(x, over=(*t.over, *x.over)) for x in scaled.terms))
    return scaled


# ---------------------------------------------------------------------------------------------------------------
# one traversal for substitution, renaming and copying

def map_expressions(record: T, change: Callable[[Expr], Expr]) -> T:
    """Apply `change` to every expression inside a frozen record (indices and their symbols included)."""
    if isinstance(record, sp.Basic):
        return change(record)
    if isinstance(record, tuple):
        return tuple(map_expressions(x, change) for x in record)  # type: ignore[return-value]
    if hasattr(record, "__dataclass_fields__"):
        changed = {}
        for name in record.__dataclass_fields__:
            old = getattr(record, name)
            new = map_expressions(old, change)
            if new is not old:
                changed[name] = new
        return replace(record, **changed) if changed else record  # type: ignore[type-var]
    return record


def index_values(over: tuple[Index, ...]) -> Iterator[dict[sp.Symbol, int]]:
    """Every value of a concrete index tuple."""
    symbols = [i.symbol for i in over]
    for values in product(*(i.values() for i in over)):
        yield dict(zip(symbols, values, strict=True))


def assignments(over: tuple[Index, ...]) -> Iterator[dict[sp.Symbol, Expr]]:
    """The same as substitutions."""
    for values in index_values(over):
        yield {s: sp.Integer(v) for s, v in values.items()}
