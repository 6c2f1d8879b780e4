"""Quantities put into a claim: their bounds in the direction that makes the claim hardest, or easiest, to satisfy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import sympy as sp

from ..formulas.symbols import exchange
from .boxes import NOT_SMOOTH, Work, derivative, sign_on, size
from .model import Domain, Variable
from .value import Resolved, Value

MAX_ALTERNATIVES = 24


@dataclass(frozen=True)
class Sides:
    """Both sides of a relation, with quantities replaced, and what replaced them."""

    left: sp.Expr
    right: sp.Expr
    values: tuple[Value, ...]


def put(expr: sp.Expr, table: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    return exchange(expr, table) if table else expr


def directions(gap: sp.Expr, resolved: tuple[Resolved, ...], domain: Domain, work: Work) -> dict[sp.Symbol, int] | None:
    """For each quantity, 1 if the gap (≥ 0 where the claim holds) rises with it, −1 if it falls; None if neither is seen."""
    found: dict[sp.Symbol, int] = {}
    box: dict[sp.Symbol, Variable] = {**domain.variables, **{r.call.symbol: Variable(r.call.symbol) for r in resolved}}
    symbols = {r.call.symbol for r in resolved}
    for atom in sorted(gap.atoms(*NOT_SMOOTH), key=lambda e: (-size(e), str(e))):     # the outermost first
        if not atom.free_symbols & symbols:     # what does not move with the quantities need not be smooth
            gap = gap.xreplace({atom: (stand_in := sp.Dummy("c", real=True))})
            box[stand_in] = Variable(stand_in)
    for r in resolved:
        slope = derivative(gap, r.call.symbol)
        sign = None if slope is None else sign_on(slope, box, work)
        if sign is None and slope is not None:
            # quantities are counts and errors: nowhere negative
            sign = sign_on(slope, {**box, **{q.call.symbol: Variable(q.call.symbol, Fraction(0)) for q in resolved}}, work)
        if sign is None:
            return None
        found[r.call.symbol] = 1 if sign >= 0 else -1
    return found


def hardest(left: sp.Expr, right: sp.Expr, resolved: tuple[Resolved, ...],
            rising: Mapping[sp.Symbol, int]) -> Iterator[Sides]:
    """Each of these implies the claim: a quantity that makes the gap fall is at most its upper bound, and so on."""
    options: list[list[tuple[sp.Expr, Value]]] = []
    for r in resolved:
        if rising[r.call.symbol] > 0:
            lows = [(v.lower, v) for v in r.values if v.lower is not None] if not r.needed else \
                [(r.least, r.values[0])] if r.least is not None else []
            options.append([(e, v) for e, v in lows if e is not None])
        else:
            options.append([(v.upper, v) for v in r.values if v.upper is not None])
    yield from _sides(left, right, resolved, options)


def easiest(left: sp.Expr, right: sp.Expr, resolved: tuple[Resolved, ...],
            rising: Mapping[sp.Symbol, int]) -> Iterator[Sides]:
    """If one of these fails at a point, so does the claim."""
    options: list[list[tuple[sp.Expr, Value]]] = []
    for r in resolved:
        if rising[r.call.symbol] > 0:
            options.append([(v.upper, v) for v in r.values if v.upper is not None])
        else:
            lows = [(v.lower, v) for v in r.values if v.lower is not None] if not r.needed else \
                [(r.least, r.values[0])] if r.least is not None else []
            options.append([(e, v) for e, v in lows if e is not None])
    yield from _sides(left, right, resolved, options)


def _sides(left: sp.Expr, right: sp.Expr, resolved: tuple[Resolved, ...],
           options: list[list[tuple[sp.Expr, Value]]]) -> Iterator[Sides]:
    for choice in islice(product(*options), MAX_ALTERNATIVES):
        table = {r.call.symbol: e for r, (e, _) in zip(resolved, choice, strict=True)}
        yield Sides(put(left, table), put(right, table), tuple(v for _, v in choice))


def best_upper(resolved: tuple[Resolved, ...]) -> dict[sp.Symbol, sp.Expr]:
    """What we derive for each quantity: the closed form of the named network, or the first that we have."""
    return {r.call.symbol: next((e for v in r.values for e in (v.upper, v.lower) if e is not None), sp.nan)
            for r in resolved}
