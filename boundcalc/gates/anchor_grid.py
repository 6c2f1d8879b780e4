"""Anchors on a grid: what the gates `anchor` (one head) and `anchors` (many heads) share.

A head over anchors L_k has scores 2zL_k − L_k², which is −(z − L_k)² up to a constant, and values L_k. Scores are written
relative to the first anchor, values to the left end of the ramp; Δ is the spacing and κ = βΔ². Both ride in constant
coordinates of the tokens, which all heads share; the data ride on the first token, and K ignores them: a data token of its
own would be attended to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp
from sympy import Expr

from ..errors import Infeasible, InvalidInput, SignUnseen
from ..formulas.index import Index, upto
from ..formulas.interval import Interval, largest
from ..formulas.parameter import Parameter
from ..formulas.series import max_over
from ..formulas.symbols import INTERNAL, index, symbol
from ..lemmas.record import Lemma, Reference
from ..records import dataclass
from ..terms.anchors import Selection, Supply
from ..terms.gate import Behaviour, Gate, Leak
from ..terms.linear import AffineMap, Block, Form, Rows
from ..terms.ranges import unit_top
from ..terms.term import ONE, Flat, HeadFamily, Ramps, Unit
from . import Options, parameters
from .tokens import attention, coordinates, input_of, shifted, single, values

TUNED = sp.Rational(68, 25)     # βΔ²: the least error is near 2.7197; 2.7 and 2.75 already miss Δ/16
HALF = sp.Rational(1, 2)
SENTINEL = sp.Integer(3)        # of A5
SCORE = (Block("score", (sp.Integer(2),)),)
KAPPA = symbol("kappa")
cells, leak, eta = INTERNAL["cells"], INTERNAL["leak"], symbol("eta")


def _certified(label: str, statement: str) -> Lemma:
    return Lemma(label, statement, (("gates", Interval.symmetric(eta)),),
                 Reference(f"certified by ball arithmetic (docs/rules.md, {label})", "derived"))


def selection(options: Options, many: bool) -> Selection:
    """What the options ask for; what cannot go together is refused."""
    hard = options.temperature == "hard"
    grid = options.grid or "linspace"
    if not hard and grid != "linspace":
        raise InvalidInput(f"The tuned temperature is for the grid linspace, not for {grid}.",
                           f"Add --temperature hard, or leave out --grid {grid}.")
    if not hard and options.sentinels:
        raise InvalidInput("Sentinels leave an error of size e^(−2κ), which the tuned temperature does not make small.",
                           "Add --temperature hard, or leave out --sentinels.")
    if many and grid != "linspace":
        raise InvalidInput(f"Many heads share the grid linspace, not {grid}.",
                           f"Leave out --grid {grid}, or use --gate anchor.")
    if options.sentinels:
        return Selection("hard", grid, KAPPA, HALF, 2, _certified(
            "A5", f"heads that own ${options.tokens} − 2$ anchors each, at distances $Δ$ along a ramp from $c_1$ to $c_2$, "
            "with sentinels of value 0, the outermost ones of values $c_1$ and $c_2$, err by at most "
            "$Δ/2 + 3·max(|c_1|, |c_2|)·e^(−2κ)$ for $κ = βΔ² ≥ 1$ and every real $z$"))
    if not hard:
        several = f"telescoping heads over ${options.tokens} {'= 2' if options.pairs else '≥ 3'}$"
        heads = several if many else "one head over $p ≥ 2$"
        constant = 15 if options.pairs else 16
        return Selection("tuned", grid, TUNED, sp.Rational(1, constant), None, _certified(
            "A4" if many else "A1", f"the error of {heads} anchors at equal distances $Δ$, with $κ = βΔ² = 68/25$, is at "
            f"most $Δ/{constant}$ for every real $z$"))
    shape, rate, statement = {
        "linspace": (HALF, None, "anchors from end to end at equal distances $Δ$ err by at most $Δ/2$ for every "
                     "$κ = βΔ² ≥ 1$ and every real $z$, in one head or in telescoping heads"),
        "left": (1 + leak, 3, "anchors at the left ends of $p$ cells of length $Δ$ err by at most $Δ(1 + e^(−3κ))$ for "
                 "$κ = βΔ² ≥ 1$ and every real $z$"),
        "midpoint": (HALF + leak, 2, "anchors at the midpoints of $p$ cells of length $Δ$ err by at most "
                     "$Δ(1/2 + e^(−2κ))$ for $κ = βΔ² ≥ 1$ and every real $z$")}[grid]
    return Selection("hard", grid, KAPPA, shape, rate, _certified("A2" if grid == "linspace" else "A3", statement))


def leak_of(options: Options) -> Leak | None:
    return Leak(others=0, by_code=False, of_inputs=False) if options.sequence else None


@dataclass(frozen=True)
class AnchorGate(Gate):
    """p anchors in one head, or n in each of H."""

    name: str
    supply: Supply
    offset: Expr = sp.S.Zero        # of the first anchor, in cells
    needs_bounded_input: bool = True
    leak: Leak | None = None

    @property
    def sentinels(self) -> bool:
        return self.supply.sentinels

    @property
    def lemma(self) -> Lemma:
        return self.supply.selection.lemma

    @property
    def eta(self) -> Expr:
        """The error of a ramp from 0 to 1; on one of width w it is w times that."""
        return self.supply.selection.shape / cells

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        hard = self.supply.selection.kappa == KAPPA
        return tuple(p for p in parameters.of(self.name, self.supply.tokens)
                     if hard or p not in (parameters.KAPPA, parameters.EPS0))

    @property
    def meaning(self) -> Mapping[str, Expr]:
        rate = self.supply.selection.rate
        return {"cells": self.supply.cells, **({"leak": sp.exp(-rate * KAPPA)} if rate else {})}

    @property
    def tokens(self) -> Expr:
        """In symbols whose signs are known."""
        return symbol(self.supply.tokens) if self.supply.heads else cells + self.supply.overlap

    @property
    def heads(self) -> Expr:
        return symbol(self.supply.heads) if self.supply.heads else sp.S.One

    def beta(self, width: Expr) -> Expr:
        return self.supply.selection.kappa * cells ** 2 / width ** 2

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        width = width_of(unit, z)
        beta, error = self.beta(width), width * eta
        span = reach = width / self.heads               # of the anchors of one head, and of its values
        xi = symbol("xi") if self.leak else sp.S.Zero
        leaked = width * xi
        farthest = _farthest(unit, z, width)
        if self.sentinels:
            top = largest(map(sp.Abs, ends_of(unit, width)))
            error += SENTINEL * top * leak
            span, reach = (self.tokens - 1) * width / cells, 2 * top
            leaked = 2 * top * xi             # Σ_h |head_h| ≤ top·(1 + 3e^(−2κ)) ≤ 2·top
            farthest += width / cells
        # scores are minus the squared distance to an anchor, up to a constant.
        # S2: an input error e moves them by 2eL_k, half their spread being e·span
        own_slope = self.heads * reach * span * beta / 2
        return Behaviour(Interval.symmetric(error), beta, own_slope, farthest ** 2, 2 * span, leaked)

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        assert layer.ranges is not None
        before = dict(layer.ranges.before)
        widths = {u.name: width_of(u, before[u.of]) for u in layer.units}
        grids = list(dict.fromkeys(widths.values()))
        constants = tuple(rows for g, w in enumerate(grids) for rows in self._grid(g, w))
        if self.sentinels:
            layer = _from_absolute(layer)
        extents = {block.name: block for block in layer.pre.outputs}
        heads = tuple(self._head(layer, u, extents[u.of], constants, grids.index(widths[u.name]), widths[u.name])
                      for u in layer.units)
        return (attention(layer, self.tokens, constants, heads, rides=True),)

    def _grid(self, g: int, width: Expr) -> tuple[Rows, ...]:
        """The anchors of a ramp and what their scores subtract, one a token; with sentinels also what is read from them."""
        k = upto(index("k"), self.tokens)
        anchor = k.symbol * width / cells
        rows = (_constant(f"L{g}", anchor, k), _constant(f"S{g}", -anchor ** 2, k))
        if self.offset != 0:
            return (*rows, _constant(f"V{g}", anchor + self.offset * width / cells, k))
        if not self.sentinels:
            return rows
        inner = Index(k.symbol, sp.S.One, self.tokens - 2)
        return (*rows, _constant(f"V{g}", anchor, inner), _constant(f"I{g}", sp.S.One, inner),
                Rows(f"A{g}", Form((), sp.S.One), (sp.S.Zero,)), Rows(f"B{g}", Form((), sp.S.One), (self.tokens - 1,)))

    def _head(self, layer: Ramps, unit: Unit, of: Block, constants: tuple[Rows, ...], g: int, width: Expr) -> HeadFamily:
        coords = coordinates(layer, constants)
        z, over = input_of(unit, of)
        read = single(f"V{g}" if self.offset != 0 else f"L{g}")
        if self.offset != 0:
            z = shifted(z, self.offset * width / cells)
        if self.supply.heads:
            h = upto(index("g"), self.heads)
            over = (*over, h)
            first = h.symbol * width / self.heads           # telescoping: head h has the h-th part of the ramp
            if self.sentinels:
                first = (h.symbol * (self.tokens - 2) - 1) * width / cells
                low, high = ends_of(unit, width)
                outer = (sp.KroneckerDelta(h.symbol, 0), sp.KroneckerDelta(h.symbol, self.heads - 1))
                read = (single(f"V{g}") + (low + first) * single(f"I{g}")
                        + outer[0] * low * single(f"A{g}") + outer[1] * high * single(f"B{g}")).written()
            z = shifted(z, first)
        zero, one = (sp.S.Zero,), (sp.S.One,)
        query = AffineMap(coords, SCORE, (Rows("score", 2 * z, zero), Rows("score", single(ONE), one)))
        key = AffineMap(coords, SCORE, (Rows("score", single(f"L{g}"), zero), Rows("score", single(f"S{g}"), one)))
        return HeadFamily(query, key, values(layer, unit.name, coords, read, over), self.beta(width), over)


def width_of(unit: Unit, z: Interval) -> Expr:
    """The width of a ramp. Inputs of ρ(z − low) must be bounded and sometimes above `low`: then it is a ramp, too."""
    width = sp.S.NaN if not unit.bounded and not z.bounded else unit_top(unit, z)
    if not width.is_positive:
        raise (SignUnseen if width.free_symbols else Infeasible)(
            "An anchor gate computes a ReLU only where its input is bounded and sometimes positive.",
            "Give such a domain with --M or --range, or use another gate.")
    return width


def _farthest(unit: Unit, z: Interval, width: Expr) -> Expr:
    """The largest distance of an input to an anchor of its ramp."""
    if not z.bounded:
        return sp.oo
    distances = [z.hi - unit.low, width - z.lo + unit.low]
    for i in unit.over:
        distances = [max_over(d, i) for d in distances]
    return largest((width, *distances))


def ends_of(unit: Unit, width: Expr) -> tuple[Expr, Expr]:
    """Where the values of a ramp lie that is computed as published, in absolute terms."""
    return (unit.low, unit.high) if unit.bounded else (sp.S.Zero, width)


def _from_absolute(layer: Ramps) -> Ramps:
    """The layer fed with min(max(z, low), high) instead of bounded ramps, which start at 0."""
    lows = {u.name: u.low for u in layer.units if u.bounded}

    def form(f: Form) -> Form:
        for t in f.terms:
            if t.ref.block in lows:
                f = f + -t.coefficient * lows[t.ref.block]
        return f

    rows = tuple(replace(r, form=form(r.form)) for r in layer.post.rows)
    return replace(layer, post=replace(layer.post, rows=rows))


def _constant(name: str, value: Expr, over: Index) -> Rows:
    return Rows(name, Form((), value), (over.symbol,), (over,))
