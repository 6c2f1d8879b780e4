"""Closed forms on a first screen: without multiplicities that are at their default, on as few lines as possible."""

from __future__ import annotations

import re
from collections.abc import Sequence

import sympy as sp
from sympy import Expr

from ..declarations.record import Construction
from ..declarations.shared import COPIES
from ..formulas.interval import Interval
from ..formulas.notation import to_unicode
from ..formulas.parameter import Kind
from ..formulas.symbols import symbol
from ..layout import width
from ..letters import written
from ..results.report import Report, analysis_of, tidy

LINES = 2                   # of a formula that is printed
_COEFFICIENT = re.compile(r"(?<![\w.^/)√])([0-9]+)·(?=[(⌈⌊√|A-DF-Za-df-zα-ω])")
_BREAK = re.compile(r" [+−] |·|/|, ")


def shortened(expr: Expr, r: Report) -> Expr:
    """The formula with the multiplicities that are at their default left out."""
    c = analysis_of(r).construction
    usual = multiplicities(c).items()
    return single(expr, c, [name for name, default in usual if r.parameters.get(name, default) == default])


def single(expr: Expr, c: Construction, names: Sequence[str] | None = None) -> Expr:
    """The formula for one copy, or for one coordinate: with these multiplicities, or all, at their default."""
    at = {symbol(name): sp.Integer(default) for name, default in multiplicities(c).items() if names is None or name in names}
    return tidy(expr.subs(at)) if at and expr.has(*at) else expr


def multiplicities(c: Construction) -> dict[str, int]:
    """How many copies there are, or coordinates: parameters that only multiply."""
    declared = (*((COPIES,) if c.copies else ()), *c.parameters)
    return {p.name: int(p.default) for p in declared if p.kind is Kind.INTEGER and p.default is not None}


def text_of(expr: Expr) -> str:
    """2(m + 1), not 2·(m + 1): a number stands before what it multiplies, as claims read it."""
    return _COEFFICIENT.sub(r"\1", to_unicode(expr))


def signed(i: Interval, r: Report) -> str:
    """±x, or [lo, hi] where the error has one sign."""
    low, high = shortened(i.lo, r), shortened(i.hi, r)
    if i.lo == -i.hi:
        text = text_of(high)
        return f"±({text})" if high.is_Add else f"±{text}"
    return f"[{text_of(low)}, {text_of(high)}]"


def broken(text: str, columns: int, lines: int = LINES, first: int | None = None) -> list[str] | None:
    """The formula in lines of at most so many columns, the first one perhaps shorter, broken at its outermost operators;
    None if it takes too many."""
    found: list[str] = []
    rest, room = written(text), columns if first is None else first
    while width(rest) > room:
        place = _place(rest, room)
        if place is None or len(found) == lines - 1:
            return None
        found.append(rest[:place].rstrip())
        rest, room = rest[place:].lstrip(), columns - 2
    return [*found[:1], *("  " + x for x in found[1:]), ("  " if found else "") + rest]


def _place(text: str, columns: int) -> int | None:
    """Where to break: outside as many brackets as possible, and then as late as possible."""
    depths, depth = [], 0
    for c in text:
        depth -= c in ")]⌉⌋"
        depths.append(depth)
        depth += c in "([⌈⌊"
    found = []
    for match in _BREAK.finditer(text):
        place = match.start() + 1 if match[0].startswith(" ") else match.end() if match[0] != "/" else match.start()
        if columns // 3 <= place <= columns:
            found.append((-depths[match.start()], place))
    return max(found)[1] if found else None
