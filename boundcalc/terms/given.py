"""A ReLU network of numbers as a term: the recipe, applied to weights that somebody else has made.

Every layer is `Ramps` with listed weights before it and nothing behind: what a gate yields, and what is handed on, are the
features that the next map reads. So a head has one entry of each matrix, and the given weights stand between the layers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from ..formulas.interval import Interval
from ..formulas.symbols import symbol
from ..numbers.exact import short_up
from ..records import dataclass
from .gate import Behaviour, Gate
from .linear import AffineMap, Block, Form, Ref, Wire
from .term import Attention, Flat, Ramps, Seq, Term, Unit, substitute

if TYPE_CHECKING:
    from .reduced import GatedLayer, Reduced

OF_LAYER = "layer"      # before its number: what the errors of its gates are called
ALONE, PAIRED, LINES = "z", "zp", "v"           # coordinates: for a gate alone, for a gate and the next map, for that alone
UNITS = {ALONE: "r", PAIRED: "rp"}


@dataclass(frozen=True)
class Tempered(Gate):
    """A gate at a share of β."""

    gate: Gate
    share: sp.Expr

    @property
    def name(self) -> str:                  # type: ignore[override]
        return self.gate.name

    @property
    def _changed(self) -> dict[sp.Symbol, sp.Expr]:
        """Its error η is that of a gate at β, over the share."""
        beta, eta = symbol("beta"), symbol("eta")
        return {beta: self.share * beta, eta: eta / self.share}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        return substitute(self.gate.on(unit, z), self._changed)

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        return tuple(substitute(f, self._changed) for f in self.gate.realise(layer))


@dataclass(frozen=True)
class HandedOn(Gate):
    """No gate at all: a layer through which values are only handed on, by its skip, on the one token that there is."""

    name: str = "none"

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        coords = layer.pre.outputs
        wire = tuple(Block(b.name, (sp.S.One, *b.extents)) for b in coords)
        embed = AffineMap(layer.pre.inputs, wire, tuple(replace(r, at=(sp.S.Zero, *r.at)) for r in layer.pre.rows))
        rows = tuple(replace(r, form=Form(tuple(
            replace(t, ref=Ref(t.ref.block, (sp.S.Zero, *t.ref.at))) for t in r.form.terms))) for r in layer.post.rows)
        skip = AffineMap(wire, layer.post.outputs, rows)
        return (Attention(layer.label, sp.S.One, coords, (), embed, (), skip, layer.post.outputs),)


@dataclass(frozen=True)
class GivenNetwork(Seq):
    """`parts` are the layers of `reduced`; `gate` is what computes its ramps, once it is chosen, in layer l at the share
    `shares[l]` of its β."""

    reduced: Reduced
    inputs: Wire
    outputs: Wire
    gate: Gate | None = None
    shares: tuple[sp.Expr, ...] = ()

    def with_gate(self, gate: Gate) -> GivenNetwork:
        shares = iter(self.shares)
        found: list[Term] = []
        for p in self.parts:
            share = next(shares, sp.S.One) if isinstance(p, Ramps) else sp.S.One
            found.append(replace(p, gate=_at(gate, share) if p.units else HandedOn()) if isinstance(p, Ramps) else p)
        return replace(self, parts=tuple(found), gate=gate)

    @cached_property
    def labels(self) -> list[str]:
        return [p.label for p in self.parts if isinstance(p, Ramps)]

    def units(self) -> Iterator[tuple[Unit, Interval] | None]:
        """One unit of every layer, and the range of all of its kind; None where a layer has no gate."""
        for stage in self.reduced.stages:
            yield (Unit("r", "z"), common_range(stage)) if stage.heads else None


def _at(gate: Gate, share: sp.Expr) -> Gate:
    return gate if share == 1 else Tempered(gate, share)


def equal_logits(reduced: Reduced) -> tuple[sp.Expr, ...]:
    """Shares of β with which exact scores of all layers are equally far apart: of all choices of β by layer with one error
    in all, the largest logit is then least, but for what errors add to scores."""
    reach = [common_range(s).radius if s.heads else sp.oo for s in reduced.stages]
    return tuple(_rounded(min(reach) / r) if r != sp.oo else sp.S.One for r in reach)


def _rounded(share: sp.Expr) -> sp.Expr:
    found = short_up(Fraction(int(share.p), int(share.q)), digits=4)
    return sp.Rational(found.numerator, found.denominator)


def common_range(stage: GatedLayer) -> Interval:
    """Around the ranges of all coordinates that gates read, rounded outwards: they share one grid of anchors."""
    ends = stage.ranges[:stage.heads]
    low, high = (short_up(Fraction(int(x.p), int(x.q))) for x in (-min(a for a, _ in ends), max(b for _, b in ends)))
    return Interval(sp.Rational(-low.numerator, low.denominator), sp.Rational(high.numerator, high.denominator))
