"""Everything that follows from a term without any number: closed forms of resources, errors and propagation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy as sp

from .algebra import Errors, Flow, Profile, total
from .construction import Construction, Setting
from .derive import derive, logit
from .flatten import FlatNetwork, flatten, resources
from .gates import Gate
from .interval import Interval, largest
from .lemma import Lemma
from .lower import lower
from .network import Term, inputs_of, substitute
from .regime import Regime
from .symbols import symbol

Expr = sp.Expr
INPUTS = "inputs"


@dataclass(frozen=True)
class Stage:
    """One line of the propagation table: what one step makes of the error of one block."""

    stage: str
    rule: str
    incoming: Expr
    gain: Expr
    added: Expr
    outgoing: Expr
    softmax_lipschitz: Expr
    naive_outgoing: Expr


@dataclass(frozen=True)
class Analysis:
    """Closed forms of one construction, route and gate."""

    construction: Construction
    route: str
    gate: str | None
    setting: Setting
    term: Term
    flat: FlatNetwork
    resources: Mapping[str, Expr]
    error: Mapping[str, Interval]           # signed, by source
    total: Interval
    stages: tuple[Stage, ...]
    naive_total: Expr
    lemmas: tuple[Lemma, ...]


def analyse(construction: Construction, route: str, gate: Gate | None, setting: Setting,
            fixed: Mapping[sp.Symbol, Expr] | None = None) -> Analysis:
    """`fixed` replaces symbols before anything is derived: a repeat of zero levels has another structure."""
    term = construction.routes[route].build(setting)
    if gate is not None:
        term = lower(term, gate)
    if fixed:
        term = substitute(term, fixed)
    wire = inputs_of(term)
    profile = derive(term, {b.name: setting.domain for b in wire})
    eta = {symbol("eta"): gate.eta} if gate is not None else {}

    incoming: Errors = {}
    if not setting.delta.is_zero:
        incoming = {b.name: {INPUTS: Interval.symmetric(setting.delta)} for b in wire}
    flows = profile.flow(incoming)
    (outgoing,) = flows[-1].outgoing.values()
    error = {source: _settled(i, eta) for source, i in outgoing.items() if i.radius != 0}
    flat = flatten(term)
    regime = Regime(_facts(flat))
    counted = resources(flat, regime)
    counted["logit"] = logit(profile.steps, incoming).xreplace(eta)
    (naive,) = flows[-1].naive_outgoing.values()
    return Analysis(construction, route, gate.name if gate else None, setting, term, flat, counted, error, total(error),
                    substitute(tuple(_stages(profile, incoming)), eta), naive.xreplace(eta),
                    profile.lemmas)


def _facts(flat: FlatNetwork) -> tuple[tuple[sp.Symbol, Expr], ...]:
    facts: dict[sp.Symbol, Expr] = {symbol("d"): sp.Integer(1), symbol("n"): sp.Integer(2)}
    facts |= {count: sp.Integer(1) for count in flat.nonempty if count.is_Symbol}
    return tuple(facts.items())


def _settled(i: Interval, eta: Mapping[sp.Symbol, Expr]) -> Interval:
    return Interval(i.lo.xreplace(eta), i.hi.xreplace(eta))


def _stages(profile: Profile, incoming: Errors) -> list[Stage]:
    """Step by step; where a lemma stands for a whole sub-network, what propagation gives inside it comes first."""
    lines: list[Stage] = []
    for flow in profile.flow(incoming):
        if flow.step.detail and flow.step.detail[0].gain:
            lines += _stages(replace(profile, steps=flow.step.detail), flow.incoming)
        lines += _lines(flow)
    return lines


def _lines(flow: Flow) -> list[Stage]:
    """One line for each group of output blocks that fare alike."""
    step = flow.step
    by_fate: dict[tuple[Expr, ...], list[str]] = {}
    for block, row in step.gain.items():
        used = dict.fromkeys(b for s in row.slopes for b in s)
        incoming = [total(flow.incoming.get(b, {})).radius for b in used]
        fate = (largest([sp.Integer(0), *incoming]), row.norm(),
                total(step.own_error.get(block, {})).radius, total(flow.outgoing.get(block, {})).radius,
                step.softmax_lipschitz, flow.naive_outgoing.get(block, sp.Integer(0)))
        by_fate.setdefault(fate, []).append(block)
    several = len(step.gain) > 1
    return [Stage(f"{step.label}: {', '.join(blocks)}" if several else step.label, step.rule, *fate)
            for fate, blocks in by_fate.items()]
