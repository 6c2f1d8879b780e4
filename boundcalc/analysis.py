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
from .symbols import exchange, symbol

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
    settle = {symbol("eta"): gate.eta} if gate is not None else {}

    incoming: Errors = {}
    if not setting.delta.is_zero:
        incoming = {b.name: {INPUTS: Interval.symmetric(setting.delta)} for b in wire}
    flows = profile.flow(incoming)
    (outgoing,) = flows[-1].outgoing.values()
    error = {source: substitute(i, settle) for source, i in outgoing.items() if i.radius != 0}
    flat = flatten(term)
    regime = Regime(_facts(flat))
    counted = {**resources(flat, regime), "logit": logit(profile.steps, incoming)}
    (naive,) = flows[-1].naive_outgoing.values()
    return Analysis(construction, route, gate.name if gate else None, setting, term, substitute(flat, settle),
                    {name: exchange(value, settle) for name, value in counted.items()}, error, total(error),
                    substitute(tuple(_stages(profile, incoming)), settle), exchange(naive, settle),
                    profile.lemmas)


def _facts(flat: FlatNetwork) -> tuple[tuple[sp.Symbol, Expr], ...]:
    """Lower bounds of the counts: a repeat that is there has at least one level."""
    facts: dict[sp.Symbol, Expr] = {symbol("d"): sp.Integer(1), symbol("n"): sp.Integer(2)}
    for count in flat.nonempty:
        for s in count.free_symbols:
            if (count - s).is_Integer:
                facts[s] = 1 - (count - s)
    return tuple(facts.items())


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
        fate = (largest(incoming or [sp.Integer(0)]), row.norm(),
                total(step.own_error.get(block, {})).radius, total(flow.outgoing.get(block, {})).radius,
                step.softmax_lipschitz, flow.naive_outgoing.get(block, sp.Integer(0)))
        by_fate.setdefault(fate, []).append(block)
    several = len(step.gain) > 1
    return [Stage(f"{step.label}: {', '.join(blocks)}" if several else step.label, step.rule, *fate)
            for fate, blocks in by_fate.items()]
