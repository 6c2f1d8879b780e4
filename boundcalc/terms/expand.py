"""From parts to one network: the layers of every part in order, with values handed through that are needed later.

Parts are put together before gates are realised, so that a gate sees what is handed through as part of its state. Blocks
and symbols of a part carry its name; the coordinate that is constantly 1 is shared. Counting, merging and writing out
weights are those of every network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.index import Index
from ..formulas.interval import Interval
from ..formulas.symbols import symbol
from .flat import FlatNetwork, aligned, beside, copied_part, network_of
from .gate import Gate
from .linear import AffineMap, Block, Form, Ref, Rows, Weighted, Wire, affine, as_form, keep
from .plan import names_of
from .term import (
    ONE,
    Affine,
    Approx,
    Attention,
    Copies,
    Flat,
    FlatRepeat,
    HeadFamily,
    RampRanges,
    Ramps,
    Repeat,
    Seq,
    Term,
    Tree,
    Unit,
    inputs_of,
    outputs_of,
    substitute,
)

SAID = 3            # parts that a label names
T = TypeVar("T")
Symbols = Mapping[sp.Symbol, Expr]


@dataclass(frozen=True)
class Named(Gate):
    """A gate of one part: its symbols carry the name of the part."""

    gate: Gate
    symbols: Symbols

    @property
    def name(self) -> str:                  # type: ignore[override]
        return self.gate.name

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        return tuple(substitute(f, self.symbols) for f in self.gate.realise(layer))


@dataclass(frozen=True)
class Placed:
    """A part in its place: what it computes, from which forms of inputs and earlier results, and what its symbols are.
    Parts with one `group` are alike and do not see each other: they share layers."""

    name: str
    term: Term
    arguments: tuple[Form, ...]             # one for every coordinate of its inputs
    symbols: Symbols
    group: str


def expanded(inputs: Sequence[str], parts: Sequence[Placed], outputs: Mapping[str, Form],
             copies: Index | None = None) -> FlatNetwork:
    """The flat form of a plan; copies of it side by side where an index is given."""
    wire: Wire = tuple(Block(x) for x in inputs)
    first, flat = wire, list[Flat]()
    groups = _groups(parts)
    for k, group in enumerate(groups):
        later = {name for others in groups[k + 1:] for p in others for form in p.arguments for name in names_of(form)}
        later |= {name for form in outputs.values() for name in names_of(form)}
        layers, starts, ends = _together(group)
        handed: Wire = tuple(b for b in wire if b.name in later)
        arguments = [form for part in group for form in part.arguments]
        flat.append(Affine(f"arguments of {', '.join(p.name for p in group)}", AffineMap(wire, (*starts, *handed), (
            *(Rows(b.name, as_form(form).written()) for b, form in zip(starts, arguments, strict=True)),
            *map(keep, handed)))))
        flat += [carrying(_labelled(f, _title(group)), handed) for f in layers]
        wire = (*ends, *handed)
    flat.append(Affine("outputs", affine(wire, outputs)))
    if copies is not None:
        flat = [copied_part(f, copies) for f in flat]
        first = tuple(Block(b.name, (copies.count,)) for b in first)
    goal = tuple(Block(name, () if copies is None else (copies.count,)) for name in outputs)
    return network_of(first, goal, tuple(flat))


def _title(group: Sequence[Placed]) -> str:
    """Parts that share layers, as a label of these says it."""
    names = [p.name for p in group]
    return ", ".join(names) if len(names) <= SAID else f"{names[0]} and {len(names) - 1} more"


def _labelled(flat: Flat, title: str) -> Flat:
    if isinstance(flat, FlatRepeat):
        return replace(flat, parts=tuple(_labelled(f, title) for f in flat.parts))
    return replace(flat, label=f"{title}: {flat.label}") if isinstance(flat, (Affine, Ramps, Attention)) else flat


def _groups(parts: Sequence[Placed]) -> list[list[Placed]]:
    """Parts that share layers, each group where its first part stands: nothing comes before what it needs, since parts of
    a group are equally deep and depths never fall from group to group."""
    found: dict[str, list[Placed]] = {}
    for part in parts:
        found.setdefault(part.group, []).append(part)
    return list(found.values())


def _together(group: Sequence[Placed]) -> tuple[list[Flat], Wire, Wire]:
    flat, (starts, ends) = _layers(group[0])
    for part in group[1:]:
        more, (more_starts, more_ends) = _layers(part)
        flat = list(beside(tuple(flat), starts, tuple(more), more_starts))
        starts, ends = starts + more_starts, ends + more_ends
    return flat, starts, ends


def _layers(part: Placed) -> tuple[list[Flat], tuple[Wire, Wire]]:
    """The layers of a part alone, with its own names, and the wires where it begins and ends."""
    term = substitute(_as_alone(_single(part.term)), part.symbols)
    flat = list(aligned(term))
    starts, ends = inputs_of(term), outputs_of(term)
    if any(b.extents for b in (*starts, *ends)):
        axes = _axes(starts)
        flat = [g for f in flat for g in _scalars(f)]
        starts, ends = _split_wire(starts, axes), _split_wire(ends, _axes(ends))
    (end,) = ends
    names = {end.name: part.name}

    def renamed(name: str) -> str:
        return names.get(name) or (name if name == ONE else f"{part.name}.{name}")

    of_gate = {s: e for s, e in part.symbols.items() if s != symbol("d")}       # by then d counts copies of the plan
    flat = [_with_gate(with_names(f, renamed), of_gate) for f in flat]
    return flat, (tuple(replace(b, name=renamed(b.name)) for b in starts), (Block(part.name),))


def _single(term: Term) -> Term:
    """Without the axis of copies: the whole plan is copied."""
    match term:
        case Copies(body=body):
            return _single(body)
        case Seq(parts=parts):
            return Seq(tuple(_single(p) for p in parts))
        case Approx(body=body) | Repeat(body=body):
            return replace(term, body=_single(body))
        case _:
            return term


def _as_alone(term: Term) -> Term:
    """What a gate is told of signs is what it is told where the part stands alone, in symbols: numbers could say more, and
    the part would be another network. A gate that works on a bounded range is told that."""
    match term:
        case Ramps(gate=gate, ranges=ranges) if ranges is not None and gate is not None and not gate.needs_bounded_input:
            signs = tuple((name, Interval(i.lo if i.lo.is_nonnegative else -sp.oo, sp.oo)) for name, i in ranges.before)
            return replace(term, ranges=replace(ranges, before=signs))
        case Seq(parts=parts):
            return Seq(tuple(_as_alone(p) for p in parts))
        case Approx(body=body) | Repeat(body=body):
            return replace(term, body=_as_alone(body))
        case Tree(body=body):
            alone = _as_alone(body)
            assert isinstance(alone, Ramps)
            return replace(term, body=alone)
        case _:
            return term


def _with_gate(flat: Flat, symbols: Symbols) -> Flat:
    """Symbols of a part were replaced before: what the gate brings along is replaced when it is realised."""
    match flat:
        case Ramps(gate=gate) if gate is not None:
            return replace(flat, gate=Named(gate, symbols))
        case FlatRepeat(parts=parts):
            return replace(flat, parts=tuple(_with_gate(f, symbols) for f in parts))
        case _:
            return flat


# ---------------------------------------------------------------------------------------------------------------
# values that are handed through

def carrying(flat: Flat, wire: Wire) -> Flat:
    """The same layer with more on its wire, which it hands on unchanged."""
    handed = tuple(keep(b) for b in wire)
    if not wire:
        return flat
    match flat:
        case Affine():
            return replace(flat, map=_beside(flat.map, wire, handed))
        case Ramps():
            return replace(flat, pre=_beside(flat.pre, wire, handed), post=_beside(flat.post, wire, handed))
        case FlatRepeat():
            return replace(flat, parts=tuple(carrying(f, wire) for f in flat.parts))
        case Attention():
            return _on_a_token(flat, wire, handed)
        case _:
            raise NotDerivable("R11", "a part", "it has a layer that is realised already")


def _beside(m: AffineMap, wire: Wire, handed: tuple[Rows, ...]) -> AffineMap:
    return AffineMap(m.inputs + wire, m.outputs + wire, m.rows + handed)


def _on_a_token(layer: Attention, wire: Wire, handed: tuple[Rows, ...]) -> Attention:
    """What is handed through rides on token 0 and goes through the skip."""
    token = sp.S.Zero
    on_tokens = tuple(Block(b.name, (layer.tokens, *b.extents)) for b in wire)
    embed = AffineMap(layer.embed.inputs + wire, layer.embed.outputs + on_tokens, layer.embed.rows + tuple(
        replace(r, at=(token, *r.at)) for r in handed))
    past = tuple(replace(r, form=replace(r.form, terms=tuple(
        replace(t, ref=Ref(t.ref.block, (token, *t.ref.at))) for t in r.form.terms))) for r in handed)
    skip = AffineMap(embed.outputs, layer.outputs + wire, (() if layer.skip is None else layer.skip.rows) + past)
    coords = layer.coords + wire

    def widened(h: HeadFamily) -> HeadFamily:
        return replace(h, query=replace(h.query, inputs=coords), key=replace(h.key, inputs=coords),
                       value=replace(h.value, inputs=coords, outputs=layer.outputs + wire))

    return replace(layer, coords=coords, embed=embed, heads=tuple(map(widened, layer.heads)), skip=skip,
                   outputs=layer.outputs + wire)


# ---------------------------------------------------------------------------------------------------------------
# names

def with_names(record: T, change: object) -> T:
    """A record of a network with every block renamed."""
    assert callable(change)
    match record:
        case Block() as b:
            return replace(b, name=change(b.name))          # type: ignore[return-value]
        case Ref() as r:
            return replace(r, block=change(r.block))        # type: ignore[return-value]
        case Rows() as rows:
            return replace(rows, block=change(rows.block), form=with_names(rows.form, change))    # type: ignore[return-value]
        case Unit() as unit:
            return replace(unit, name=change(unit.name), of=change(unit.of))    # type: ignore[return-value]
        case Attention() as layer:
            fields = {name: with_names(getattr(layer, name), change)
                      for name in ("coords", "embed", "heads", "skip", "outputs")}
            return replace(layer, constants=tuple(map(change, layer.constants)), **fields)        # type: ignore[return-value]
        case RampRanges() as ranges:
            return RampRanges(*(tuple((change(name), i) for name, i in getattr(ranges, field))
                                for field in ("inputs", "before", "after")))                      # type: ignore[return-value]
        case Ramps() as ramps:
            fields = {name: with_names(getattr(ramps, name), change) for name in ("pre", "units", "post", "ranges")}
            return replace(ramps, **fields)                 # type: ignore[return-value]
        case tuple() as several:
            return tuple(with_names(x, change) for x in several)        # type: ignore[return-value]
        case sp.Basic() | str() | None:
            return record
    if hasattr(record, "__dataclass_fields__"):
        return replace(record, **{name: with_names(getattr(record, name), change)          # type: ignore[type-var]
                                  for name in record.__dataclass_fields__})
    return record


# ---------------------------------------------------------------------------------------------------------------
# blocks of literal size, coordinate by coordinate

def _axes(wire: Wire) -> dict[str, tuple[int, ...]]:
    """The extents of blocks whose size is a number."""
    return {b.name: tuple(int(e) for e in b.extents) for b in wire if b.extents and all(e.is_Integer for e in b.extents)}


def _places(extents: Sequence[int]) -> list[tuple[int, ...]]:
    return list(product(*(range(e) for e in extents)))


def _coordinate(name: str, at: Sequence[object]) -> str:
    return f"{name}[{','.join(map(str, at))}]"


def _split_wire(wire: Wire, axes: Mapping[str, tuple[int, ...]]) -> Wire:
    """Every block in `axes` as so many blocks; axes behind those (of families of units) stay."""
    return tuple(Block(_coordinate(b.name, at), b.extents[len(axes[b.name]):]) if b.name in axes else b
                 for b in wire for at in (_places(axes[b.name]) if b.name in axes else [()]))


def _scalars(flat: Flat) -> list[Flat]:
    match flat:
        case FlatRepeat(parts=parts, index=index):
            return [g for v in index.values() for f in parts for g in _scalars(substitute(f, {index.symbol: sp.Integer(v)}))]
        case Affine(map=m):
            return [replace(flat, map=_split(m, _axes(m.inputs), _axes(m.outputs)))]
        case Ramps():
            return [_split_ramps(flat)]
        case Attention():
            ends = _axes(flat.outputs)
            return [replace(
                flat, embed=_split(flat.embed, _axes(flat.embed.inputs), {}),
                heads=tuple(replace(h, value=_split(h.value, {}, ends)) for h in flat.heads),
                skip=None if flat.skip is None else _split(flat.skip, {}, ends), outputs=_split_wire(flat.outputs, ends))]
        case _:
            raise NotDerivable("R11", "a part", "it has a layer that is realised already")


def _split_ramps(layer: Ramps) -> Ramps:
    state = _axes(layer.pre.outputs)
    units = {u.name: state[u.of] for u in layer.units if u.of in state}
    inside = {**state, **units}
    ranges = layer.ranges
    if ranges is not None:
        ranges = replace(ranges, before=tuple((_coordinate(name, at), i) for name, i in ranges.before
                                              for at in _places(state.get(name, ()))) + ranges.before)
    split_units = tuple(replace(u, name=_coordinate(u.name, at), of=_coordinate(u.of, at)) if u.of in state else u
                        for u in layer.units for at in (_places(state[u.of]) if u.of in state else [()]))
    return replace(layer, pre=_split(layer.pre, _axes(layer.pre.inputs), state), units=split_units, ranges=ranges,
                   post=_split(layer.post, inside, _axes(layer.post.outputs)))


def _split(m: AffineMap, before: Mapping[str, tuple[int, ...]], after: Mapping[str, tuple[int, ...]]) -> AffineMap:
    return AffineMap(_split_wire(m.inputs, before), _split_wire(m.outputs, after),
                     tuple(row for r in m.rows for row in _split_rows(r, before, after)))


def _split_rows(r: Rows, before: Mapping[str, tuple[int, ...]], after: Mapping[str, tuple[int, ...]]) -> list[Rows]:
    own = len(after.get(r.block, ()))
    used = {s for e in r.at[:own] for s in e.free_symbols}
    used |= {s for t in r.form.terms for e in t.ref.at[:len(before.get(t.ref.block, ()))] for s in e.free_symbols}
    found = []
    rest = tuple(i for i in r.over if i.symbol not in used)
    for values in _assignments([i for i in r.over if i.symbol in used]):
        row = substitute(replace(r, over=rest), values)
        form = Form((), row.form.const)
        for t in row.form.terms:
            form = form + _split_term(t, len(before.get(t.ref.block, ())))
        found.append(Rows(_coordinate(r.block, row.at[:own]) if own else r.block, form, row.at[own:], row.over))
    return found


def _split_term(t: Weighted, axes: int) -> Form:
    if not axes:
        return Form((t,))
    used = {s for e in t.ref.at[:axes] for s in e.free_symbols}
    rest = tuple(i for i in t.over if i.symbol not in used)
    found = Form()
    for values in _assignments([i for i in t.over if i.symbol in used]):
        term = substitute(replace(t, over=rest), values)
        found = found + Form((replace(term, ref=Ref(_coordinate(t.ref.block, term.ref.at[:axes]), term.ref.at[axes:])),))
    return found


def _assignments(over: Sequence[Index]) -> list[dict[sp.Symbol, Expr]]:
    symbols = [i.symbol for i in over]
    return [dict(zip(symbols, map(sp.Integer, at), strict=True)) for at in product(*(i.values() for i in over))]
