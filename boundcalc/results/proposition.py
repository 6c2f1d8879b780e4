"""What the recipe costs any ReLU network: the closed forms of one layer of symbolic size, added up over the layers.

Nothing is typed here: a layer with w units between affine maps is written as a term, with the gate and with plain ReLUs, and
both are counted by the rules C1 to C4. Entries of the given weights are in both, so their difference is what a layer costs.
"""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy import Expr

from ..errors import InvalidInput
from ..formulas.comparison import Regime
from ..formulas.index import upto
from ..formulas.interval import Interval
from ..formulas.symbols import INTERNAL, index, symbol
from ..gates import GATES, Options
from ..gates import gate as gate_named
from ..records import dataclass
from ..terms.flat import flatten, resources
from ..terms.gate import Gate
from ..terms.linear import AffineMap, Block, Form, Ref, Rows, Weighted, keep
from ..terms.term import Affine, RampRanges, Ramps, Seq, Unit
from ..terms.with_gate import lower

UNITS = symbol("w_l")       # of one layer


@dataclass(frozen=True)
class LayerCost:
    """Of one ReLU layer with w_l units: attention layers, heads, tokens, width, and entries besides the given ones."""

    gate: str
    layers: Expr
    heads: Expr
    tokens: Expr
    width: Expr
    entries: Expr

    def summed(self, cost: Expr) -> tuple[Expr, Expr]:
        """A cost c₀ + c₁·w_l of every layer: c₀ (times L in a sum) and c₁ (times Σ w_l)."""
        return cost.xreplace({UNITS: sp.S.Zero}), sp.expand(cost).coeff(UNITS, 1)


@cache
def layer_cost(gate: str) -> LayerCost:
    if gate == "ffn" or gate not in GATES:
        raise InvalidInput("The proposition compares attention gates with the ReLU network itself.",
                           f"Its gates are {', '.join(g for g in GATES if g != 'ffn')}.")
    made = gate_named(gate, Options())
    ours, theirs = _counted(made), _counted(gate_named("ffn"))
    return LayerCost(gate, ours["layers"], ours["heads"], ours["tokens"], ours["width"],
                     sp.expand(ours["parameters"] - theirs["parameters"]))


def _counted(gate: Gate) -> dict[str, Expr]:
    size, before, after = (sp.Symbol(name, integer=True, positive=True) for name in ("w", "v", "u"))
    start, units = Block("x", (before,)), Block("z", (size,))
    gated = Block("r", (size,))
    layer = Ramps("layer", _dense(start, units), (Unit("r", "z"),), AffineMap((units, gated), (gated,), (keep(gated),)),
                  ranges=RampRanges((), (("z", Interval.symmetric(symbol("M"))),), ()))
    term = Seq((layer, Affine("next", _dense(gated, Block("y", (after,))))))
    found = resources(flatten(lower(term, gate)), Regime())
    cells = {INTERNAL[name]: e for name, e in gate.meaning.items()}
    return {name: sp.expand(e.xreplace(cells).xreplace({size: UNITS})) for name, e in found.items()}


def _dense(source: Block, goal: Block) -> AffineMap:
    """Any weight and bias of that shape, every entry listed."""
    i, j = upto(index("i"), goal.extents[0]), upto(index("j"), source.extents[0])
    form = Form((Weighted(sp.S.One, Ref(source.name, (j.symbol,)), (j,)),), sp.S.One)
    return AffineMap((source,), (goal,), (Rows(goal.name, form, (i.symbol,), (i,)),))
