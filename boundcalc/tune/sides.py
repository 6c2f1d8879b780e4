"""The sides of the error, each as free + gates ≤ ε."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, InvalidInput, NotDerivable, echo
from ..formulas.enclosure import exact_value, less_equal
from ..formulas.symbols import INTERNAL, symbol
from ..numbers.exact import decimal_up, exact_text
from ..records import dataclass

DIGITS = 7              # of a rounded real parameter
GATES_SHARE = Fraction(1, 4)        # of what the inputs leave of ε: the integers of a route leave the gates at least that

EPS, BETA, CELLS, LEAK = symbol("eps"), symbol("beta"), INTERNAL["cells"], INTERNAL["leak"]
XI = symbol("xi")       # of a sequence; it gets what the other errors leave


@dataclass(frozen=True)
class Side:
    """One side of the error: free + gates, where the gates are one of

        power·β^exponent + second·β^(2·exponent)            heads that are rounded soft
        falling(β), with β·falling(β) never rising          a lemma from some β on
        (anchored + leaked_per_cell·E)/q + leaked·E         q cells of anchors, E the leak of a hard selection
    """

    free: Expr
    power: Expr = sp.S.Zero
    exponent: int = 0
    second: Expr = sp.S.Zero
    falling: Expr = sp.S.Zero
    anchored: Expr = sp.S.Zero
    leaked: Expr = sp.S.Zero
    leaked_per_cell: Expr = sp.S.Zero

    @property
    def leaks(self) -> bool:
        return self.leaked != 0 or self.leaked_per_cell != 0

    @property
    def uses_beta(self) -> bool:
        return self.exponent != 0 or self.falling != 0

    @property
    def has_gates(self) -> bool:
        return self.uses_beta or self.anchored != 0 or self.leaks

    @property
    def total(self) -> Expr:
        power = (self.power * BETA ** self.exponent + self.second * BETA ** (2 * self.exponent) if self.exponent
                 else sp.S.Zero)
        return (self.free + power + self.falling + (self.anchored + self.leaked_per_cell * LEAK) / CELLS
                + self.leaked * LEAK)


def sides_of(analysis: Analysis) -> list[Side]:
    found: list[Expr] = []
    for total in analysis.totals:
        above, below = (e.xreplace({XI: sp.S.Zero}) for e in (total.hi, -total.lo))
        if sp.expand(above - below) == 0:
            below = above
        found += [above, below]
    return [_side(e) for e in dict.fromkeys(found) if e != 0]


def _side(expr: Expr) -> Side:
    if expr.free_symbols & {CELLS, LEAK}:
        return _anchored(expr)
    free, falling = sp.S.Zero, sp.S.Zero
    powers: dict[int, Expr] = {}
    for term in sp.Add.make_args(_in_powers(expr)):
        exponent = term.as_powers_dict().get(BETA, 0)
        rest = term / BETA ** exponent
        if BETA not in term.free_symbols:
            free += term
        elif BETA in rest.free_symbols or not sp.S(exponent).is_Integer or exponent == 0:
            falling += term
        else:
            powers[int(exponent)] = powers.get(int(exponent), sp.S.Zero) + rest
    if falling != 0:                # then all of β belongs there
        return Side(free, falling=sp.Add(*(t for t in sp.Add.make_args(expr) if BETA in t.free_symbols)))
    first = min(powers, key=abs, default=0)
    if not powers.keys() <= {first, 2 * first}:
        raise NotDerivable("choice of β", str(expr), "several powers of β")
    return Side(free, powers.get(first, sp.S.Zero), first, second=powers.get(2 * first, sp.S.Zero) if first else sp.S.Zero)


def _in_powers(expr: Expr) -> Expr:
    """The sum with products of a sum of powers of β multiplied out; others stay as they are."""
    def sums(term: Expr) -> bool:
        return term.is_Mul and any(f.is_Add and BETA in f.free_symbols and f.is_rational_function(BETA) for f in term.args)

    return sp.Add(*(sp.expand(t, deep=False) if sums(t) else t for t in sp.Add.make_args(expr)))


def _anchored(expr: Expr) -> Side:
    """The parts of an expression that is linear in 1/cells and in the leak; nothing is multiplied out for that."""
    per_cell = sp.Dummy(positive=True)
    in_parts = expr.xreplace({CELLS: 1 / per_cell})
    free, leaked = in_parts.xreplace({LEAK: sp.S.Zero}), sp.diff(in_parts, LEAK)
    parts = [part for e in (free, leaked) for part in (e.xreplace({per_cell: sp.S.Zero}), sp.diff(e, per_cell))]
    if any(e.free_symbols & {per_cell, LEAK} for e in parts):
        raise NotDerivable("choice of anchors", str(expr), "it is not linear in 1/cells and the leak")
    return Side(parts[0], anchored=parts[1], leaked=parts[2], leaked_per_cell=parts[3])


def numbers(values: Mapping[str, Fraction]) -> dict[sp.Symbol, Fraction]:
    return {INTERNAL.get(name) or symbol(name): value for name, value in values.items()}


def rational_value(expr: Expr, at: Mapping[sp.Symbol, Fraction]) -> Fraction:
    value = exact_value(expr, at)
    if value is None:
        raise NotDerivable("choice of an integer", str(expr), "it is not rational at rational parameters")
    return value


def fits(analysis: Analysis, side: Side, values: Mapping[str, Fraction]) -> bool:
    """Whether a side meets ε with the gates as given; a leak that is still free can be made as small as one likes."""
    at = numbers(values)
    if side.uses_beta and analysis.from_beta is not None and less_equal(analysis.from_beta, BETA, at) is not True:
        return False            # the lemma needs a larger β
    if side.leaks and "kappa" not in values:
        return less_equal(EPS, side.free + side.anchored / CELLS, at) is False
    return less_equal(analysis.evaluable(side.total), EPS, at) is True


def fixed_gates(values: Mapping[str, Fraction]) -> str | None:
    """The parameter that fixes how much the gates cost, if the user gave it."""
    return "beta" if "beta" in values else "cells" if "cells" in values else None


def check_room(side: Side, values: Mapping[str, Fraction]) -> None:
    free = exact_value(side.free, numbers(values))
    if free is not None and (free >= values["eps"] if side.has_gates else free > values["eps"]):
        raise inputs_too_coarse(free, values["eps"])


def inputs_too_coarse(cost: Fraction, eps: Fraction) -> Infeasible:
    least = decimal_up(cost, 6)
    return Infeasible(f"The input error alone contributes {least}, which is at least ε = {echo(exact_text(eps))}.",
                      f"Take --eps above {least}, or a smaller --delta.", {"--eps": decimal_up(2 * cost, 2)})


def check_complete(needed: tuple[str, ...], given: Mapping[str, Fraction]) -> None:
    missing = [f"--{name}" for name in needed if name not in given]
    if missing:
        raise InvalidInput(f"Without --eps there is nothing to derive {' and '.join(missing)} from.",
                           f"Give --eps, or give {' and '.join(f'--{n}' for n in needed)}.", {"--eps": "1e-3"})
