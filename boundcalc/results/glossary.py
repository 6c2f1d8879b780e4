"""What every symbol of a report means, in this report: nothing is printed without its definition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import sympy as sp
from sympy import Expr

from ..declarations.frame import own_error
from ..declarations.record import Construction
from ..derivation.analysis import Analysis
from ..formulas.parameter import Kind
from ..formulas.symbols import MEANINGS, PARAMETERS, C, symbol
from ..terms.given import OF_LAYER
from .report import Report, analysis_of

W_OF_1_E = "W(1/e) = 0.27846…"
BRIEF = {"C": f"$C = {re.findall(r'[0-9.]+…', MEANINGS['C'])[0]}$", "W": "$W$ is the principal Lambert function"}
TERMS = {           # the named terms of an error
    "inputs": "what the error of the inputs becomes",
    "interpolation": "the network with exact ramps against the target",
    "gates": "the attention gates against the ramps that they stand for",
    "tilt": "the tilted head against the product",
    "leak": "what the other tokens of a sequence add to the gates",
}


def terms_of(report: Report) -> dict[str, str]:
    """What the terms of the error are; a route without gates has heads that stand for the target itself."""
    if report.parts:
        return {**TERMS, **{p: f"what the part {p} ({a.construction.name}) adds" for p, a in analysis_of(report).parts}}
    if analysis_of(report).construction.numeric:
        layers = [t.name for t in report.terms if t.name.startswith(OF_LAYER)]
        return {**TERMS, **{name: f"the gates of ReLU layer {name.removeprefix(OF_LAYER)}, as it arrives at the output"
                            for name in layers}}
    if not report.gate:
        return {**TERMS, "gates": "the head against the target"}
    sharper = [s for s in report.stages if s.rule == "R9"]
    return {**TERMS, "gates": "what the lemma by rule R9 adds for the gates"} if sharper else TERMS


def meaning(name: str, analysis: Analysis) -> str:
    """The meaning of one parameter, as prose with formulas between dollar signs."""
    c = analysis.construction
    if (own := c.parameter(name)) is not None:
        return own.meaning
    if (gate := next((p for p in analysis.gate_parameters if p.name == name), None)) is not None:
        return gate.meaning
    if c.own_interval is not None and name in ("a", "b"):
        return f"{'left' if name == 'a' else 'right'} end of {c.own_interval.meaning}"
    if c.own_interval is not None and name == "M":
        return f"{c.own_interval.meaning} is $[−M, M]$"
    for p in c.lists:
        if name.removeprefix(p.name).isdigit():
            return f"{p.meaning} {name.removeprefix(p.name)}"
    for i in c.inputs:
        if name == own_error(i.name):
            return f"error already present in ${i.name}$"
        if name in (f"a_{i.name}", f"b_{i.name}"):
            return f"{'left' if name[0] == 'a' else 'right'} end of the range of ${i.name}$"
    for part, inner in analysis.parts:
        stem = name.removesuffix(f"_{part.replace('.', '_')}")
        if stem == "share":
            return f"share of $ε$ that the part {part} has; all shares together are at most 1"
        if stem != name:
            return f"{meaning(stem, inner)}, of the part {part}"
    return PARAMETERS[name].meaning


RELATIVE = "accuracy asked for, relative to the target: $|Φ(x) − f(x)| ≤ ε·|f(x)|$ for the network $Φ$ and the target $f$"


def symbols(report: Report) -> list[tuple[sp.Symbol, str]]:
    """Every parameter that has a value or occurs in a formula, with its meaning, in the order of symbols.py."""
    analysis = analysis_of(report)
    found = {s.name for e in formulas(report) for s in e.free_symbols} - {C.name, "eta", *(i.name for i in _indices(report))}
    found |= {name for name, value in report.parameters.items() if name != "delta" or value != 0}
    means = {"eps": RELATIVE} if report.relative is not None else {}
    return [(symbol(name), f"{means.get(name) or meaning(name, analysis)}{_kind(name)}")
            for name in ordered(found, [analysis.construction])]


def ordered(names: Iterable[str], constructions: Iterable[Construction]) -> list[str]:
    """In the order of symbols.py; what follows from another parameter comes behind it, and a construction's own last."""
    order = list(PARAMETERS)
    for c in dict.fromkeys(constructions):
        for before, p in pairwise(c.parameters):
            if p.internal and p.name not in order:
                order.insert(order.index(before.name) + 1, p.name)
    return sorted(names, key=lambda x: (order.index(x) if x in order else len(order), x))


def general_meaning(name: str, reports: Sequence[Report]) -> str:
    """For a table of many constructions: what the name means everywhere, or to the one that has it."""
    if name in PARAMETERS:
        return PARAMETERS[name].meaning
    own = [r for r in reports if analysis_of(r).construction.parameter(name)]
    return meaning(name, analysis_of((own or [r for r in reports if symbol(name) in {
        s for e in formulas(r) for s in e.free_symbols}])[0]))


def _kind(name: str) -> str:
    """Which numbers a parameter may be."""
    if name not in PARAMETERS:
        return ", positive" if symbol(name).is_positive else ""
    kinds = {("integer", "positive"): ", a positive integer", ("integer", "nonnegative"): ", a nonnegative integer",
             ("positive",): ", positive", ("nonnegative",): ", nonnegative"}
    return kinds.get(PARAMETERS[name].assumptions, "")


def constants(report: Report) -> list[str]:
    """The constants and functions that need a word."""
    shown = list(formulas(report))
    if report.eta is not None:
        shown.append(report.eta.symbolic)
    found = []
    c = analysis_of(report).construction
    for p in c.lists:
        (block,) = c.inputs
        given = p.entry(0) in report.parameters
        first, last = (f"{f'{p.name}_{k} ' if given else ''}{block.name}_{k}" for k in ("1", block.size))
        found.append(f"${p.name}·{block.name} = {first} + … + {last}$")
    found += [f"${p.name} = {p.default}$" for p in c.parameters
              if p.kind is Kind.RATIONAL and p.default is not None and p.name not in report.parameters]
    return found + constants_in(shown)


def constants_in(shown: Iterable[Expr], brief: bool = False, valued: bool = False) -> list[str]:
    """What is not a parameter in these formulas, each in a sentence without its full stop; or only what it is."""
    shown = list(shown)
    used = [name for name, part in (("C", C), ("W", sp.LambertW), ("log", sp.log)) if any(e.has(part) for e in shown)]
    names = {"C": "$C$", "W": "$W = W_0$", "log": "$log$"}
    if brief:
        value = [W_OF_1_E] if valued and any(e.has(sp.LambertW(sp.exp(-1))) for e in shown) else []
        return [BRIEF[name] for name in used if name in BRIEF] + value
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
    yield from (e for d in report.domain for e in (d.lo, d.hi) if e.free_symbols)


def _indices(report: Report) -> Iterable[sp.Symbol]:
    """Bound indices, which formulas explain themselves."""
    return {s for e in formulas(report) for x in e.atoms(sp.Sum) for s in x.bound_symbols}
