"""What every symbol of a report means, in this report: nothing is printed without its definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..formulas.symbols import MEANINGS, PARAMETERS, C, symbol
from .report import Report, analysis_of

TERMS = {           # the named terms of an error
    "inputs": "what the error of the inputs becomes",
    "interpolation": "the network with exact ramps against the target",
    "gates": "the attention gates against the ramps that they stand for",
    "tilt": "the tilted head against the product",
    "leak": "what the other tokens of a sequence add to the gates",
}


def terms_of(report: Report) -> dict[str, str]:
    """What the terms of the error are; a route without gates has heads that stand for the target itself."""
    if not report.gate:
        return {**TERMS, "gates": "the head against the target"}
    sharper = [s for s in report.stages if s.rule == "R9"]
    return {**TERMS, "gates": "what the lemma by rule R9 adds for the gates"} if sharper else TERMS


def meaning(name: str, analysis: Analysis) -> str:
    """The meaning of one parameter, as prose with formulas between dollar signs."""
    block, supply = analysis.construction.block, analysis.supply
    if name == "d" and block == "d":
        return "dimension of the input"
    if name == "n":
        return "number of arguments" if block == "n" else "tokens of a head"
    if name == "p" and supply is not None and supply.heads:
        return "tokens of a head"
    if name in ("a", "b") and analysis.construction.domain == "function":
        return f"{'left' if name == 'a' else 'right'} end of the interval of the function"
    if name == "M" and analysis.construction.domain == "function":
        return "the interval of the function is $[−M, M]$"
    if name == "t":
        return "what is added to the weighted inputs"
    if name[0] == "w" and name[1:].isdigit():
        return f"weight of input {name[1:]}"
    return PARAMETERS[name].meaning


def symbols(report: Report) -> list[tuple[sp.Symbol, str]]:
    """Every parameter that has a value or occurs in a formula, with its meaning, in the order of symbols.py."""
    analysis = analysis_of(report)
    found = {s.name for e in formulas(report) for s in e.free_symbols} - {C.name, "eta", *(i.name for i in _indices(report))}
    found |= {name for name, value in report.parameters.items() if name != "delta" or value != 0}
    order = list(PARAMETERS)
    return [(symbol(name), f"{meaning(name, analysis)}{_kind(name)}")
            for name in sorted(found, key=lambda x: (order.index(x) if x in order else len(order), x))]


def _kind(name: str) -> str:
    """Which numbers a parameter may be."""
    kinds = {("integer", "positive"): ", a positive integer", ("integer", "nonnegative"): ", an integer from 0 on",
             ("positive",): ", positive", ("nonnegative",): ", not negative"}
    return kinds.get(PARAMETERS[name].assumptions, "") if name in PARAMETERS else ""


def constants(report: Report) -> list[str]:
    """The constants and functions that need a word."""
    shown = list(formulas(report))
    if report.eta is not None:
        shown.append(report.eta.symbolic)
    found = []
    if analysis_of(report).construction.block == "d":
        weighted = any(name[0] == "w" for name in report.parameters)
        found.append("$w·x = w_1 x_1 + … + w_d x_d$" if weighted else "$w·x = x_1 + … + x_d$")
        found += [] if "t" in report.parameters else ["$t = 0$"]
    return found + constants_in(shown)


def constants_in(shown: Iterable[Expr]) -> list[str]:
    """What is not a parameter in these formulas, each in a sentence without its full stop."""
    used = [name for name, part in (("C", C), ("W", sp.LambertW), ("log", sp.log)) if any(e.has(part) for e in shown)]
    names = {"C": "$C$", "W": "$W = W_0$", "log": "$log$"}
    return [f"{names[name]} is {MEANINGS[name]}" for name in used]


def formulas(report: Report) -> Iterator[Expr]:
    """Every closed form that is shown."""
    yield from (q.symbolic for q in report.shown_resources().values())
    for t in report.terms:
        yield from (t.interval.lo, t.interval.hi)
    for s in report.stages:
        yield from (q.symbolic for q in (s.incoming, s.gain, s.added, s.outgoing, s.softmax_lipschitz))
    for c in report.choices:
        yield from c.formulas()
    if report.sequence is not None:
        yield from (q.symbolic for q in (report.sequence.leak, report.sequence.scale) if q is not None)
    yield from (e for e in report.domain if e.free_symbols)


def _indices(report: Report) -> Iterable[sp.Symbol]:
    """Bound indices, which formulas explain themselves."""
    return {s for e in formulas(report) for x in e.atoms(sp.Sum) for s in x.bound_symbols}
