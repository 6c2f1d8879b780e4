"""silu: ρ(z) ≈ z·σ(βz) by one head over two tokens, the data and a zero sink (lemma S6); a bounded ramp takes two heads.

The data token holds the whole state and a constant 1. A head reads z from the query and the constant 1 from the key of the
data token; the sink has score 0 and value 0, so the head returns z·σ(βz).
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from ..errors import NotDerivable
from ..formulas.interval import POINT, Interval, largest
from ..formulas.parameter import Parameter
from ..formulas.series import max_over
from ..formulas.symbols import symbol
from ..lemmas.record import Lemma
from ..lemmas.softmax import SILU, W1
from ..records import dataclass
from ..terms.gate import Behaviour, Gate, Leak
from ..terms.linear import AffineMap, Block, Rows
from ..terms.term import ONE, Flat, HeadFamily, Ramps, Unit, one_sided
from . import Options, refuse_options
from .parameters import BETA
from .tokens import attention, coordinates, input_of, single, values

TOKENS = sp.Integer(2)
SCORE = (Block("score"),)


@dataclass(frozen=True)
class Silu(Gate):
    name: str = "silu"
    lemma: Lemma = SILU
    parameters: tuple[Parameter, ...] = (BETA,)
    leak: Leak | None = None

    @property
    def eta(self) -> sp.Expr:
        return W1 / symbol("beta")

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """Tokens z − low and 0: values and scores are |z − low| apart; a bounded ramp has a second head, for `high`."""
        beta, eta = symbol("beta"), symbol("eta")
        apart = [_farthest(unit, z, end) for end in ((unit.low, unit.high) if unit.bounded else (unit.low,))]
        error = Interval.symmetric(eta) if unit.bounded else Interval(-eta, sp.S.Zero)
        return Behaviour(error, beta, sp.Add(*(1 + a * beta / 2 for a in apart)), largest(apart), sp.S.One,
                         len(apart) * symbol("xi") if self.leak else sp.S.Zero)

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        layer = one_sided(layer)
        extents = {b.name: b for b in layer.pre.outputs}
        return (attention(layer, TOKENS, (), tuple(_head(layer, u, extents[u.of]) for u in layer.units)),)


    def without_leaks(self) -> Gate:
        return SiluItself(leak=self.leak)


@dataclass(frozen=True)
class SiluItself(Silu):
    """silu as its own reference: its derivative lies in [1 − 1.0999, 1.0999], whatever β (S6)."""

    @property
    def slopes(self) -> tuple[sp.Expr, sp.Expr]:
        return sp.Rational(-1, 10), sp.Rational(11, 10)

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        if unit.bounded:
            raise NotDerivable("R10", f"unit {unit.name}", "a bounded ramp is a difference of two silu heads")
        return replace(super().on(unit, z), error=POINT)


def _farthest(unit: Unit, z: Interval, end: sp.Expr) -> sp.Expr:
    """The largest |z − end|, for every member of a family."""
    if not z.bounded:
        return sp.oo
    if not unit.over:
        return Interval(z.lo - end, z.hi - end).radius
    ends = [z.hi - end, end - z.lo]
    for index in unit.over:
        ends = [max_over(e, index) for e in ends]
    return largest(ends)


def _head(layer: Ramps, unit: Unit, of: Block) -> HeadFamily:
    coords = coordinates(layer, ())
    z, over = input_of(unit, of)
    query = AffineMap(coords, SCORE, (Rows("score", z),))
    key = AffineMap(coords, SCORE, (Rows("score", single(ONE)),))
    return HeadFamily(query, key, values(layer, unit.name, coords, z, over), symbol("beta"), over)


def make(options: Options) -> Silu:
    refuse_options("silu", options)
    return Silu(leak=Leak(others=-1, by_code=True, of_inputs=True) if options.sequence else None)
