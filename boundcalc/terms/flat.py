"""The flat form of a term: the list of layers of the exported network, still with symbolic repeats.

Rules (docs/rules.md): C1 copies and parallel parts are aligned layer by layer; C2 adjacent affine maps are merged;
C3 a repeat that begins or ends with an affine map next to another one is peeled or rotated; C4 counts follow one law
a resource. Flattening comes before unrolling, so the structure never depends on the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.comparison import Regime
from ..formulas.index import Index
from ..formulas.series import max_over, sum_over
from ..records import dataclass
from .given import GivenNetwork
from .linear import AffineMap, Wire, compose, identity, keep, size_of, span
from .term import (
    Affine,
    AlongSequence,
    Approx,
    Attention,
    Copies,
    Flat,
    FlatRepeat,
    Par,
    RampRanges,
    Ramps,
    Rectify,
    Repeat,
    Seq,
    Term,
    Tree,
    copied,
    copied_attention,
    copied_map,
    inputs_of,
    outputs_of,
    sequenced,
    substitute,
    tree_as_levels,
    with_axis,
)

NIL = sp.Integer(0)


@dataclass(frozen=True)
class FlatNetwork:
    """Affine, attention and ReLU layers in order. Maxima are right when every count in `nonempty` is at least 1."""

    inputs: Wire
    outputs: Wire
    parts: tuple[Flat, ...]
    nonempty: tuple[Expr, ...] = ()


def flatten(term: Term) -> FlatNetwork:
    return network_of(inputs_of(term), outputs_of(term), aligned(term))


def network_of(inputs: Wire, outputs: Wire, layers: tuple[Flat, ...]) -> FlatNetwork:
    """Layers in order, as one network: gates realised, affine maps merged."""
    parts = _merge(tuple(_realised(layers)))
    return FlatNetwork(inputs, outputs, parts, tuple(_symbolic_counts(parts)))


def _symbolic_counts(parts: tuple[Flat, ...]) -> Iterator[Expr]:
    for f in parts:
        if isinstance(f, FlatRepeat):
            if not f.index.count.is_Integer:
                yield f.index.count
            yield from _symbolic_counts(f.parts)


# ---------------------------------------------------------------------------------------------------------------
# C1: one list of layers

def aligned(term: Term) -> tuple[Flat, ...]:
    match term:
        case Affine() | Ramps() | Attention():
            return (term,)
        case GivenNetwork(gate=gate) if gate is not None and gate.rectifies:
            from .from_numbers import as_it_is
            return as_it_is(term)
        case Seq(parts=parts):
            return tuple(f for p in parts for f in aligned(p))
        case Repeat(body=body, index=index):
            return () if index.count.is_Integer and index.count <= 0 else (FlatRepeat(aligned(body), index),)
        case Copies(body=body, index=index):
            return tuple(copied_part(f, index) for f in aligned(body))
        case AlongSequence(body=body):
            return tuple(_sequenced(f, term) for f in _token_wise(aligned(body)))
        case Tree():
            return aligned(tree_as_levels(term))
        case Approx(body=body):
            return aligned(body)
        case Par(parts=parts):
            flat, wire = aligned(parts[0]), inputs_of(parts[0])
            for other in parts[1:]:
                flat = tuple(beside(flat, wire, aligned(other), inputs_of(other)))
                wire = wire + inputs_of(other)
            return flat


def _token_wise(parts: tuple[Flat, ...]) -> Iterator[Flat]:
    """The layers that the gates make of a network for one data token."""
    for f in parts:
        match f:
            case Ramps(gate=gate) if gate is not None:
                yield from gate.realise(f)
            case FlatRepeat():
                yield replace(f, parts=tuple(_token_wise(f.parts)))
            case _:
                yield f


def _sequenced(flat: Flat, sequence: AlongSequence) -> Flat:
    match flat:
        case Attention():
            return sequenced(flat, sequence)
        case Rectify(wire=wire):
            return Rectify(tuple(with_axis(b, sequence.index) for b in wire))
        case FlatRepeat():
            return replace(flat, parts=tuple(_sequenced(f, sequence) for f in flat.parts))
        case _:
            return copied_part(flat, sequence.index)


def copied_part(flat: Flat, index: Index) -> Flat:
    match flat:
        case Affine():
            return replace(flat, map=copied_map(flat.map, index))
        case Ramps():
            return copied(flat, index)
        case Attention():
            return copied_attention(flat, index)
        case FlatRepeat():
            return replace(flat, parts=tuple(copied_part(f, index) for f in flat.parts))
        case _:
            raise NotDerivable("C1", "copies", "a realised layer cannot be copied any more")


def beside(a: tuple[Flat, ...], wire_a: Wire, b: tuple[Flat, ...], wire_b: Wire) -> Iterator[Flat]:
    """Layer by layer; a part without a partner has the other wire handed through."""
    left, right = list(a), list(b)
    while left or right:
        f = left.pop(0) if left else None
        g = right.pop(0) if right else None
        if isinstance(f, Affine) and not isinstance(g, Affine):
            right[:0] = [g] if g else []
            g = Affine("—", identity(wire_b))
        elif isinstance(g, Affine) and not isinstance(f, Affine):
            left[:0] = [f] if f else []
            f = Affine("—", identity(wire_a))
        merged, wire_a, wire_b = _pair(f, wire_a, g, wire_b)
        yield merged


def _pair(f: Flat | None, wire_a: Wire, g: Flat | None, wire_b: Wire) -> tuple[Flat, Wire, Wire]:
    match f, g:
        case Affine(), Affine():
            label = g.label if f.label == "—" else f.label
            return Affine(label, _stack(f.map, g.map)), f.map.outputs, g.map.outputs
        case Ramps(), Ramps():
            if f.gate != g.gate:
                raise NotDerivable("C1", f"{f.label} beside {g.label}", "two gates cannot share one attention layer")
            both = None if f.ranges is None or g.ranges is None else RampRanges(
                f.ranges.inputs + g.ranges.inputs, f.ranges.before + g.ranges.before, f.ranges.after + g.ranges.after)
            label = f.label if f.label == g.label else f"{f.label} ∥ {g.label}"
            return (replace(f, label=label, pre=_stack(f.pre, g.pre), units=f.units + g.units,
                            post=_stack(f.post, g.post), ranges=both), f.post.outputs, g.post.outputs)
        case Ramps(), None:
            return _carrying(f, wire_b), f.post.outputs, wire_b
        case None, Ramps():
            return _carrying(g, wire_a), wire_a, g.post.outputs
        case FlatRepeat(), FlatRepeat():
            if f.index.count != g.index.count or f.index.first != g.index.first:
                raise NotDerivable("C1", "two repeats side by side", "their counts differ")
            other = substitute(g, {g.index.symbol: f.index.symbol})
            return FlatRepeat(tuple(beside(f.parts, wire_a, other.parts, wire_b)), f.index), wire_a, wire_b
        case _:
            raise NotDerivable("C1", "parallel parts", "only affine maps, ReLU layers and equal repeats can be aligned")


def _stack(a: AffineMap, b: AffineMap) -> AffineMap:
    names = [x.name for x in (*a.outputs, *b.outputs)]
    if len(set(names)) != len(names):
        raise NotDerivable("C1", "parallel parts", f"block names clash: {', '.join(names)}")
    return AffineMap(a.inputs + b.inputs, a.outputs + b.outputs, a.rows + b.rows)


def _carrying(layer: Ramps, wire: Wire) -> Ramps:
    handed = tuple(keep(b) for b in wire)
    return replace(layer, pre=AffineMap(layer.pre.inputs + wire, layer.pre.outputs + wire, layer.pre.rows + handed),
                   post=AffineMap(layer.post.inputs + wire, layer.post.outputs + wire, layer.post.rows + handed))


# ---------------------------------------------------------------------------------------------------------------
# gates become layers; then C2 and C3

def _realised(parts: tuple[Flat, ...]) -> Iterator[Flat]:
    for f in parts:
        match f:
            case Ramps(gate=None):
                raise NotDerivable("recipe", f.label, "no gate has been chosen: lower the term first")
            case Ramps(gate=gate):
                assert gate is not None
                yield from _realised(gate.realise(f))
            case Attention():
                yield Affine(f.label, f.embed)
                yield f
            case FlatRepeat():
                yield replace(f, parts=tuple(_realised(f.parts)))
            case _:
                yield f


def _merge(parts: tuple[Flat, ...]) -> tuple[Flat, ...]:
    """Merge adjacent affine maps, through the ends of repeats too."""
    out: list[Flat] = []
    for f in parts:
        _push(out, f)
    return tuple(out)


def _push(out: list[Flat], f: Flat) -> None:
    last = out[-1] if out else None
    if isinstance(f, FlatRepeat):
        _push_repeat(out, replace(f, parts=_merge(f.parts)))
    elif isinstance(f, Affine) and isinstance(last, FlatRepeat) and isinstance(last.parts[-1], Affine):
        out.pop()
        _peel_last(out, last)
        _push(out, f)
    elif isinstance(f, Affine) and isinstance(last, Affine):
        out[-1] = Affine(f.label, compose(f.map, last.map))
    else:
        out.append(f)


def _push_repeat(out: list[Flat], f: FlatRepeat) -> None:
    head, tail = f.parts[0], f.parts[-1]
    if isinstance(head, Affine) and isinstance(tail, Affine):
        _rotate(out, f)
    elif isinstance(head, Affine) and out and isinstance(out[-1], Affine):
        _peel_first(out, f)
    else:
        _append_repeat(out, f)


def _rotate(out: list[Flat], f: FlatRepeat) -> None:
    """(A M B)^m = A_1 · (M B_s A_(s+1))^(m−1) · M B_m."""
    head, *middle, tail = f.parts
    if not middle or not isinstance(head, Affine) or not isinstance(tail, Affine):
        raise NotDerivable("C3", "a repeat of an affine map alone", "it has no layer to stop at")
    i = f.index
    _push(out, substitute(head, {i.symbol: i.first}))
    joined = Affine(head.label, compose(substitute(head, {i.symbol: i.symbol + 1}).map, tail.map))
    _append_repeat(out, FlatRepeat((*middle, joined), replace(i, last=i.last - 1)))
    for part in (*middle, tail):
        _push(out, substitute(part, {i.symbol: i.last}))


def _peel_first(out: list[Flat], f: FlatRepeat) -> None:
    for part in f.parts:
        _push(out, substitute(part, {f.index.symbol: f.index.first}))
    _append_repeat(out, replace(f, index=replace(f.index, first=f.index.first + 1)))


def _peel_last(out: list[Flat], f: FlatRepeat) -> None:
    _append_repeat(out, replace(f, index=replace(f.index, last=f.index.last - 1)))
    for part in f.parts:
        _push(out, substitute(part, {f.index.symbol: f.index.last}))


def _append_repeat(out: list[Flat], f: FlatRepeat) -> None:
    if not (f.index.count.is_Integer and f.index.count <= 0):
        out.append(f)


def flatten_repeats(parts: tuple[Flat, ...]) -> Iterator[Flat]:
    """Every layer of a network of concrete size, one by one."""
    for f in parts:
        if isinstance(f, FlatRepeat):
            for v in f.index.values():
                yield from flatten_repeats(substitute(f.parts, {f.index.symbol: sp.Integer(v)}))
        else:
            yield f


# ---------------------------------------------------------------------------------------------------------------
# C4: counting. A new resource is one row of this table.

SUM, MAX = "sum", "max"
LAWS = {
    "layers": SUM, "heads": SUM, "heads_per_layer": MAX, "tokens": MAX, "width": MAX, "parameters": SUM,
    "magnitude": MAX, "beta": MAX, "neurons": SUM, "relu_layers": SUM,
}

Counts = dict[str, list[Expr]]


def resources(flat: FlatNetwork, regime: Regime) -> dict[str, Expr]:
    """Every resource in closed form."""
    counts = _count(flat.parts, regime)
    return {name: sp.expand(sp.Add(*counts[name])) if law == SUM else regime.maximum(counts[name])
            for name, law in LAWS.items()}


def relu_width(flat: FlatNetwork, regime: Regime) -> Expr:
    """The most neurons of a ReLU layer."""
    return regime.maximum(_relu_sizes(flat.parts) or [sp.S.Zero])


def _relu_sizes(parts: tuple[Flat, ...]) -> list[Expr]:
    found: list[Expr] = []
    for f in parts:
        if isinstance(f, FlatRepeat):
            found += [max_over(v, f.index) for v in _relu_sizes(f.parts)]
        elif isinstance(f, Rectify):
            found.append(size_of(f.wire))
    return found


def _count(parts: tuple[Flat, ...], regime: Regime) -> Counts:
    counts: Counts = {name: [] for name in LAWS}
    for f in parts:
        if isinstance(f, FlatRepeat):
            for name, values in _count(f.parts, regime).items():
                law = sum_over if LAWS[name] == SUM else max_over
                counts[name] += [law(v, f.index) for v in values]
        else:
            for name, value in _leaf(f):
                counts[name].append(value)
    return counts


def _leaf(f: Flat) -> Iterator[tuple[str, Expr]]:
    match f:
        case Affine(map=m):
            yield "parameters", m.entries()
            yield from (("magnitude", v) for v in _sizes(m))
        case Rectify(wire=wire):
            yield "neurons", size_of(wire)
            yield "relu_layers", sp.Integer(1)
        case Attention():
            heads = sp.Add(*(span(h.over) for h in f.heads))
            yield "layers", sp.Integer(1)
            yield "heads", heads
            yield "heads_per_layer", heads
            yield "tokens", f.tokens
            yield "width", size_of(f.coords)
            skip = () if f.skip is None else (f.skip,)
            yield "parameters", sp.Add(*(m.entries() for m in skip), *(
                span(h.over) * (h.query.entries() + h.key.entries() + h.value.entries()) for h in f.heads))
            for h in f.heads:
                yield "beta", h.beta
                for m in (h.query, h.key, h.value):
                    yield from (("magnitude", v) for v in _sizes(m, h.over))
            for m in skip:
                yield from (("magnitude", v) for v in _sizes(m))


def _sizes(m: AffineMap, outer: tuple[Index, ...] = ()) -> Iterator[Expr]:
    """The largest |entry| of every entry family."""
    for value, over in m.coefficients():
        size = value if value.is_nonnegative else -value if value.is_nonpositive else sp.Abs(value)
        for i in (*over, *outer):
            size = max_over(size, i)
        yield size


def coefficients(parts: tuple[Flat, ...], outer: tuple[Index, ...] = ()) -> Iterator[tuple[Expr, tuple[Index, ...]]]:
    """Every entry family and every β of a network: its value and the indices that the value may depend on."""
    for f in parts:
        match f:
            case FlatRepeat(parts=inner, index=index):
                yield from coefficients(inner, (*outer, index))
            case Affine(map=m):
                yield from ((value, (*outer, *over)) for value, over in m.coefficients())
            case Attention():
                for m in () if f.skip is None else (f.skip,):
                    yield from ((value, (*outer, *over)) for value, over in m.coefficients())
                for h in f.heads:
                    yield h.beta, (*outer, *h.over)
                    for m in (h.query, h.key, h.value):
                        yield from ((value, (*outer, *h.over, *over)) for value, over in m.coefficients())
