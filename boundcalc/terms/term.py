"""The term language: a network is written once, as a small term whose parameters may be symbols.

    Affine        an exact affine map
    Ramps         v ↦ post(u, ramps of u) with u = pre(v): one ReLU layer together with its affine surroundings
    Attention     an explicit attention layer, with the affine map that lays out its tokens
    Seq, Par      one after the other; side by side
    Repeat        the body m times, mentioning the index; m may be a symbol
    Copies        the body d times side by side
    AlongSequence the body at every one of L data tokens, which share the attention layers
    Tree          a two-argument body folded over n leaves
    Approx        the trust boundary: "this sub-network approximates the target, by that lemma"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.index import Index, upto
from ..formulas.interval import Interval
from ..formulas.symbols import CeilLog, exchange
from ..lemmas.record import Lemma
from ..records import dataclass
from .linear import AffineMap, Block, Form, Ref, Rows, Weighted, Wire, compose, map_expressions

if TYPE_CHECKING:
    from .gate import Gate
    from .plan import Plan

T = TypeVar("T")
ONE = "1"               # the coordinate of a token that carries the constant 1


@dataclass(frozen=True)
class Affine:
    label: str
    map: AffineMap


@dataclass(frozen=True)
class Unit:
    """A ramp: the block `name` is min(max(z, low), high) − low = ρ(z − low) − ρ(z − high), for every coordinate z of the
    block `of` and every value of the indices `over`, which `low` may mention. ρ itself runs from 0 to ∞."""

    name: str
    of: str
    low: Expr = sp.S.Zero
    high: Expr = sp.oo
    over: tuple[Index, ...] = ()

    @property
    def bounded(self) -> bool:
        return self.high is not sp.oo

    def source(self, at: tuple[Expr, ...]) -> tuple[Ref, Expr, Expr]:
        """What the coordinate name[at] reads, and the two ends of its ramp."""
        own = len(at) - len(self.over)
        values = {i.symbol: a for i, a in zip(self.over, at[own:], strict=True)}
        return Ref(self.of, at[:own]), exchange(self.low, values), exchange(self.high, values)


@dataclass(frozen=True)
class RampRanges:
    """Exact ranges, block by block: of the inputs, of u = pre(inputs), and of the outputs."""

    inputs: tuple[tuple[str, Interval], ...]
    before: tuple[tuple[str, Interval], ...]
    after: tuple[tuple[str, Interval], ...]


@dataclass(frozen=True)
class Ramps:
    """v ↦ post(u, ramps of u), u = pre(v). `gate` is None for exact ramps, otherwise what computes them; `ranges` are
    the exact ranges on the domain in question, once `with_ranges` has found them."""

    label: str
    pre: AffineMap
    units: tuple[Unit, ...]
    post: AffineMap
    gate: Gate | None = None
    ranges: RampRanges | None = None


@dataclass(frozen=True)
class HeadFamily:
    """One head for every value of the indices: Q, K map token coordinates to scores, V to the output."""

    query: AffineMap
    key: AffineMap
    value: AffineMap
    beta: Expr
    over: tuple[Index, ...] = ()


@dataclass(frozen=True)
class Attention:
    """Σ_h V_h Z softmax(β_h (K_h Z)ᵀ Q_h z_i) + skip·Z for every query token i < `queries`. `embed` lays out Z: its output
    blocks are the coordinate blocks with a leading token axis. Blocks named in `constants` carry constants and are shared
    by copies. `rides` says that the data of the one query ride on a token of constants, and K ignores them."""

    label: str
    tokens: Expr
    coords: Wire
    constants: tuple[str, ...]
    embed: AffineMap
    heads: tuple[HeadFamily, ...]
    skip: AffineMap | None
    outputs: Wire
    rides: bool = False
    queries: Expr = sp.S.One


@dataclass(frozen=True)
class Seq:
    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Par:
    """Side by side, on wires with distinct block names."""

    parts: tuple[Term, ...]


@dataclass(frozen=True)
class Repeat:
    body: Term
    index: Index
    invariant: tuple[tuple[str, Interval], ...] | None = None       # ranges that the body maps into themselves


@dataclass(frozen=True)
class Copies:
    body: Term
    index: Index


@dataclass(frozen=True)
class Codes:
    """Position codes of L data tokens: the coordinates of token i, and the least 1 − ⟨u_i, u_j⟩ of two tokens."""

    name: str
    size: Expr
    rows: tuple[Rows, ...]          # of the block "code", at (token, coordinate)
    gap: Expr


@dataclass(frozen=True)
class AlongSequence:
    """The body applied to every data token. `lead` is β times the score by which a token's own group leads."""

    body: Term
    index: Index
    codes: Codes
    lead: Expr


@dataclass(frozen=True)
class Tree:
    """The body, Ramps from blocks (left, right) to one output block, folded over the n coordinates of `block`.

    With D = ⌈log2 n⌉ the first level joins n − 2^(D−1) pairs and hands 2^D − n coordinates on; what is left is a
    perfect binary tree. That needs D levels and n − 1 bodies, and every count has a closed form in n.
    """

    label: str
    body: Ramps
    block: str
    leaves: Expr


@dataclass(frozen=True)
class Ideal:
    """What the target says of the sub-network that approximates it, derived and never written by hand: its range, and the
    slope vectors, by input block, whose convex hull contains some s with f(v) − f(u) = Σ s_j·(v_j − u_j) for exact u and
    perturbed v."""

    range: Interval
    slopes: tuple[tuple[tuple[str, Interval], ...], ...]


@dataclass(frozen=True)
class Approx:
    """body ≈ the target of the construction by `lemma`, exact ρ assumed, for every output. `sharper` holds lemmas for one
    gate that replace propagation. `ideals` are what the targets of the outputs say, once `with_ideal` has put them in."""

    body: Term
    lemma: Lemma
    sharper: tuple[tuple[str, Lemma], ...] = ()
    ideals: tuple[tuple[str, Ideal], ...] = ()

    @property
    def known_ideals(self) -> dict[str, Ideal]:
        if not self.ideals:
            raise NotDerivable("R8", "an approximation", "nothing is known of its target")
        return dict(self.ideals)


@dataclass(frozen=True)
class Rectify:
    """ρ on every coordinate: a ReLU layer of an exported network (flat form only)."""

    wire: Wire


@dataclass(frozen=True)
class FlatRepeat:
    parts: tuple[Flat, ...]
    index: Index


Flat = Affine | Ramps | Attention | Rectify | FlatRepeat
Term = Affine | Ramps | Attention | Seq | Par | Repeat | Copies | AlongSequence | Tree | Approx


# ---------------------------------------------------------------------------------------------------------------

def inputs_of(term: Term) -> Wire:
    match term:
        case Affine(map=m) | Attention(embed=m) | Ramps(pre=m):
            return m.inputs
        case Seq(parts=parts):
            return inputs_of(parts[0])
        case Par(parts=parts):
            return tuple(b for p in parts for b in inputs_of(p))
        case Copies(body=body, index=index) | AlongSequence(body=body, index=index):
            return tuple(with_axis(b, index) for b in inputs_of(body))
        case Tree(block=block, leaves=n):
            return (Block(block, (n,)),)
        case Repeat(body=body) | Approx(body=body):
            return inputs_of(body)


def outputs_of(term: Term) -> Wire:
    match term:
        case Affine(map=m) | Ramps(post=m):
            return m.outputs
        case Attention(outputs=wire):
            return wire
        case Seq(parts=parts):
            return outputs_of(parts[-1])
        case Par(parts=parts):
            return tuple(b for p in parts for b in outputs_of(p))
        case Copies(body=body, index=index) | AlongSequence(body=body, index=index):
            return tuple(with_axis(b, index) for b in outputs_of(body))
        case Tree(block=block):
            return (Block(block, (sp.Integer(1),)),)
        case Repeat(body=body) | Approx(body=body):
            return outputs_of(body)


def layers_of(term: Term) -> Iterator[Ramps]:
    match term:
        case Ramps():
            yield term
        case Seq(parts=parts) | Par(parts=parts):
            for p in parts:
                yield from layers_of(p)
        case Repeat(body=body) | Copies(body=body) | AlongSequence(body=body) | Tree(body=body) | Approx(body=body):
            yield from layers_of(body)


def sharper_lemmas(term: Term | Plan, gate: str) -> tuple[Lemma, ...]:
    """The lemmas that the term has for a gate; each holds by itself."""
    match term:
        case Approx(sharper=sharper):
            return tuple(lemma for name, lemma in sharper if name == gate)
        case Copies(body=body) | AlongSequence(body=body):
            return sharper_lemmas(body, gate)
        case _:
            return ()


def sharpened(term: Term, gate: str, which: int | None) -> Term:
    """The term with one of its lemmas for a gate, or with none: then errors are propagated."""
    match term:
        case Approx():
            found = sharper_lemmas(term, gate)
            return replace(term, sharper=((gate, found[which]),) if which is not None and which < len(found) else ())
        case Copies(body=body) | AlongSequence(body=body):
            return replace(term, body=sharpened(body, gate, which))
        case _:
            return term


def with_ideal(term: Term, ideal: Callable[[], tuple[tuple[str, Ideal], ...]]) -> Term:
    """The term with what the target says at its trust boundary, where that does not stand there already; a term without
    one does not ask."""
    match term:
        case Approx():
            return term if term.ideals else replace(term, ideals=ideal())
        case Copies(body=body) | AlongSequence(body=body) | Repeat(body=body):
            return replace(term, body=with_ideal(body, ideal))
        case Seq(parts=parts) | Par(parts=parts):
            return replace(term, parts=tuple(with_ideal(p, ideal) for p in parts))
        case _:
            return term


def one_sided(layer: Ramps) -> Ramps:
    """The layer with every bounded ramp written as ρ(z − low) − ρ(z − high); equal rectifiers are shared."""
    if not any(u.bounded for u in layer.units):
        return layer
    units: dict[tuple[str, Expr, tuple[Index, ...]], Unit] = {}

    def rectifier(u: Unit, end: Expr) -> Unit:
        name = f"{u.of}>{end}" + "".join(f"[{i}]" for i in u.over)
        return units.setdefault((u.of, end, u.over), Unit(name, u.of, end, sp.oo, u.over))

    parts = {u.name: (rectifier(u, u.low), *((rectifier(u, u.high),) if u.bounded else ())) for u in layer.units}

    def form(f: Form) -> Form:
        written = Form((), f.const)
        for t in f.terms:
            for sign, r in zip((1, -1), parts.get(t.ref.block, ()), strict=False):
                written = written + Form((Weighted(sign * t.coefficient, replace(t.ref, block=r.name), t.over),))
            if t.ref.block not in parts:
                written = written + Form((t,))
        return written

    extents = {b.name: b.extents for b in layer.post.inputs}
    blocks = {r.name: Block(r.name, extents[name]) for name, both in parts.items() for r in both}
    wire = (*(b for b in layer.post.inputs if b.name not in parts), *blocks.values())
    return replace(layer, units=tuple(units.values()), post=AffineMap(
        wire, layer.post.outputs, tuple(replace(r, form=form(r.form)) for r in layer.post.rows)))


def substitute(record: T, values: Mapping[sp.Symbol, Expr]) -> T:
    """The same term (or any record of it) with symbols replaced by exact numbers or expressions."""
    return map_expressions(record, lambda e: exchange(e, values))


# ---------------------------------------------------------------------------------------------------------------
# copies: one more leading axis on every block

def with_axis(block: Block, index: Index) -> Block:
    return Block(block.name, (index.count, *block.extents))


def copied_map(m: AffineMap, index: Index, but: tuple[str, ...] = ()) -> AffineMap:
    """The map with a leading copy axis on every block that is not named in `but`."""
    def form(f: Form) -> Form:
        return replace(f, terms=tuple(
            t if t.ref.block in but else replace(t, ref=Ref(t.ref.block, (index.symbol, *t.ref.at))) for t in f.terms))

    def wire(w: Wire) -> Wire:
        return tuple(b if b.name in but else with_axis(b, index) for b in w)

    return AffineMap(wire(m.inputs), wire(m.outputs), tuple(
        r if r.block in but else Rows(r.block, form(r.form), (index.symbol, *r.at), (index, *r.over)) for r in m.rows))


def copied(layer: Ramps, index: Index) -> Ramps:
    return replace(layer, pre=copied_map(layer.pre, index), post=copied_map(layer.post, index))


def copied_attention(layer: Attention, index: Index) -> Attention:
    """Copies share the tokens and their constants; every copy has its own coordinates and heads."""
    def axis_after_token(m: AffineMap, outputs_too: bool) -> AffineMap:
        def block(b: Block) -> Block:
            return b if b.name in layer.constants else Block(b.name, (b.extents[0], index.count, *b.extents[1:]))

        def ref(t: Weighted) -> Weighted:
            if t.ref.block in layer.constants:
                return t
            return replace(t, ref=Ref(t.ref.block, (t.ref.at[0], index.symbol, *t.ref.at[1:])))
        if outputs_too:     # skip: token wire → plain outputs
            rows = tuple(Rows(r.block, replace(r.form, terms=tuple(map(ref, r.form.terms))),
                              (index.symbol, *r.at), (index, *r.over)) for r in m.rows)
            return AffineMap(tuple(map(block, m.inputs)), tuple(with_axis(b, index) for b in m.outputs), rows)
        rows = tuple(
            r if r.block in layer.constants else
            Rows(r.block, replace(r.form, terms=tuple(
                replace(t, ref=Ref(t.ref.block, (index.symbol, *t.ref.at))) for t in r.form.terms)),
                (r.at[0], index.symbol, *r.at[1:]), (*r.over, index)) for r in m.rows)
        return AffineMap(tuple(with_axis(b, index) for b in m.inputs), tuple(map(block, m.outputs)), rows)

    def head_map(m: AffineMap, widen_output: bool) -> AffineMap:
        wide = copied_map(m, index, but=layer.constants)
        # a head belongs to one copy: its copy index is the family's, not a range of rows
        rows = tuple(replace(r, over=tuple(i for i in r.over if i != index)) for r in wide.rows)
        if widen_output:
            return AffineMap(wide.inputs, wide.outputs, rows)
        return AffineMap(wide.inputs, m.outputs, tuple(replace(r, at=r.at[1:]) for r in rows))

    return replace(
        layer, coords=tuple(b if b.name in layer.constants else with_axis(b, index) for b in layer.coords),
        embed=axis_after_token(layer.embed, False),
        heads=tuple(HeadFamily(head_map(h.query, False), head_map(h.key, False), head_map(h.value, True), h.beta,
                               (index, *h.over)) for h in layer.heads),
        skip=None if layer.skip is None else axis_after_token(layer.skip, True),
        outputs=tuple(with_axis(b, index) for b in layer.outputs))


def sequenced(layer: Attention, sequence: AlongSequence) -> Attention:
    """The layer with L data tokens in front of its tokens of constants, every one of them a query.

    A score of lead/β sets a token's own group apart: tokens of constants have it for every query, and a data token has
    lead/β·⟨u_i, u_j⟩ by its code. Where K ignores the data, codes are not needed: data tokens are just never looked at.
    """
    i, codes = sequence.index, sequence.codes
    shift = i.count if layer.rides else i.count - 1         # a data token of its own is not one of the constants
    shared = upto(sp.Symbol("_t", integer=True, nonnegative=True), layer.tokens + shift - i.count)
    one = sp.S.One

    def moved(r: Rows) -> Rows:
        """A row of the layout: data and the constant 1 once a token, other constants behind them."""
        if r.block in layer.constants and r.block != ONE:
            return replace(r, at=(r.at[0] + shift, *r.at[1:]))
        terms = tuple(replace(t, ref=Ref(t.ref.block, (i.symbol, *t.ref.at))) for t in r.form.terms)
        return replace(r, form=replace(r.form, terms=terms), at=(i.symbol, *r.at[1:]), over=(i, *r.over))

    added: Wire = (Block("shared"),) if layer.rides else (Block("shared"), Block("code", (codes.size,)))
    coords = (*layer.coords, *added)
    tokens = layer.tokens + shift
    on_tokens = tuple(Block(b.name, (tokens, *b.extents)) for b in coords)
    rows = (*map(moved, layer.embed.rows), Rows("shared", Form((), one), (i.count + shared.symbol,), (shared,)),
            *(() if layer.rides else codes.rows))
    embed = AffineMap(tuple(with_axis(b, i) for b in layer.embed.inputs), on_tokens, rows)

    k = upto(sp.Symbol("_e", integer=True, nonnegative=True), codes.size)
    spaces: Wire = (Block("lead"),) if layer.rides else (Block("lead"), Block("match", (codes.size,)))

    def head(h: HeadFamily) -> HeadFamily:
        scale = sequence.lead / h.beta
        code = Form((Weighted(one, Ref("code", (k.symbol,))),))
        asks = (Rows("lead", Form((Weighted(scale, Ref(ONE)),))), *(
            () if layer.rides else (Rows("match", code * scale, (k.symbol,), (k,)),)))
        answers = (Rows("lead", Form((Weighted(one, Ref("shared")),))), *(
            () if layer.rides else (Rows("match", code, (k.symbol,), (k,)),)))
        return replace(h, query=AffineMap(coords, (*h.query.outputs, *spaces), (*h.query.rows, *asks)),
                       key=AffineMap(coords, (*h.key.outputs, *spaces), (*h.key.rows, *answers)),
                       value=replace(h.value, inputs=coords))

    def skipped(r: Rows) -> Rows:
        terms = tuple(replace(t, ref=Ref(t.ref.block, (i.symbol, *t.ref.at[1:]))) for t in r.form.terms)
        return Rows(r.block, replace(r.form, terms=terms), (i.symbol, *r.at), (i, *r.over))

    outputs = tuple(with_axis(b, i) for b in layer.outputs)
    skip = None if layer.skip is None else AffineMap(on_tokens, outputs, tuple(map(skipped, layer.skip.rows)))
    return Attention(layer.label, tokens, coords, (*layer.constants, "shared", "code"), embed, tuple(map(head, layer.heads)),
                     skip, outputs, layer.rides, i.count)


# ---------------------------------------------------------------------------------------------------------------
# trees and repeats, level by level

def depth(leaves: Expr) -> Expr:
    return CeilLog(leaves, sp.Integer(2))


def tree_level(tree: Tree, pairs: Expr, passed: Expr) -> Ramps:
    """One level: block[2i], block[2i+1] ↦ block[i] for i < pairs, and `passed` coordinates handed on behind them."""
    body, name = tree.body, tree.block
    i = upto(sp.Symbol("_i", integer=True, nonnegative=True), pairs)
    j = upto(sp.Symbol("_j", integer=True, nonnegative=True), passed)
    wide = copied(body, i)
    left, right = (b.name for b in body.pre.inputs)
    above = (Block(name, (sp.expand(2 * pairs + passed),)),)
    split = AffineMap(above, wide.pre.inputs, (
        Rows(left, Form((Weighted(sp.Integer(1), Ref(name, (2 * i.symbol,))),)), (i.symbol,), (i,)),
        Rows(right, Form((Weighted(sp.Integer(1), Ref(name, (2 * i.symbol + 1,))),)), (i.symbol,), (i,))))
    pre = compose(wide.pre, split)
    (out,) = body.post.outputs
    rows = tuple(replace(r, block=name) for r in wide.post.rows if r.block == out.name)
    carried: Wire = ()
    if not passed.is_zero:
        carried = (Block("passed", (passed,)),)
        pre = AffineMap(pre.inputs, (*pre.outputs, *carried), (*pre.rows, Rows(
            "passed", Form((Weighted(sp.Integer(1), Ref(name, (2 * pairs + j.symbol,))),)), (j.symbol,), (j,))))
        rows += (Rows(name, Form((Weighted(sp.Integer(1), Ref("passed", (j.symbol,))),)),
                      (pairs + j.symbol,), (j,)),)
    post = AffineMap((*wide.post.inputs, *carried), (Block(name, (sp.expand(pairs + passed),)),), rows)
    return replace(wide, pre=pre, post=post)


def tree_as_levels(tree: Tree) -> Seq:
    """The tree as a first, irregular level and a repeat of regular ones."""
    d = depth(tree.leaves)
    half = 2 ** (d - 1)
    first = tree_level(tree, tree.leaves - half, 2 * half - tree.leaves)
    level = sp.Symbol("_l", integer=True, positive=True)
    regular = tree_level(tree, 2 ** (d - level), sp.Integer(0))
    return Seq((first, Repeat(regular, Index(level, sp.Integer(2), d))))


def unroll(term: Term) -> Term:
    """The term with every repeat and tree of concrete size written out, one part a level."""
    match term:
        case Repeat(index=index) if not index.values():
            return term                             # an empty sequence would not know its wire
        case Repeat(body=body, index=index):
            inner = unroll(body)
            return Seq(tuple(substitute(inner, {index.symbol: sp.Integer(v)}) for v in index.values()))
        case Tree():
            if not term.leaves.is_Integer:
                raise NotDerivable("unrolling", term.label, "its number of leaves is symbolic")
            return unroll(tree_as_levels(term))
        case Seq(parts=parts):
            return Seq(tuple(unroll(p) for p in parts))
        case Par(parts=parts):
            return Par(tuple(unroll(p) for p in parts))
        case Copies() | AlongSequence() | Approx():
            return replace(term, body=unroll(term.body))
        case _:
            return term
