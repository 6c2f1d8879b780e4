"""Everything that follows from a term without any number: closed forms of resources, errors and propagation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import TypeVar

import sympy as sp
from sympy import Expr

from ..declarations.record import Construction, Frame, Route
from ..display import Printed
from ..errors import NotDerivable
from ..formulas.comparison import Regime
from ..formulas.interval import POINT, Interval, hull, largest
from ..formulas.parameter import Parameter
from ..formulas.symbols import INTERNAL, exchange, symbol
from ..gates.any import AnyGate
from ..lemmas.record import Lemma
from ..records import dataclass
from ..terms.anchors import Supply
from ..terms.codes import position_codes, tokens_of
from ..terms.flat import FlatNetwork, flatten, resources
from ..terms.gate import Gate, Leak
from ..terms.plan import Plan
from ..terms.ranges import with_ranges
from ..terms.term import AlongSequence, Ideal, Term, inputs_of, sharpened, substitute, with_ideal
from ..terms.with_gate import lower
from .fold import fold, logit, reach
from .profile import Errors, Flow, Profile, StepName, total

T = TypeVar("T")
ETA, XI = symbol("eta"), symbol("xi")
INPUTS = "inputs"


@dataclass(frozen=True)
class Stage:
    """One line of the propagation table: what one step makes of the error of one block, or of several that fare alike."""

    step: StepName
    blocks: tuple[str, ...]         # which; none where the step has one output block only
    rule: str
    incoming: Expr
    gain: Expr
    added: Expr
    outgoing: Expr
    softmax_lipschitz: Expr
    naive_outgoing: Expr
    superseded: bool = False        # shown for comparison: a sharper lemma (R9) takes the place of this line


class Propagation:
    """The error stage by stage, and what Lipschitz constants of softmax alone would give: shown beside a bound, which does
    not rest on them, and worked out only then."""

    def __init__(self, stages: Callable[[], Iterable[Stage]], naive_total: Callable[[], Expr]) -> None:
        self._stages, self._naive_total = stages, naive_total

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(self._stages())

    @cached_property
    def naive_total(self) -> Expr:
        return self._naive_total()


@dataclass(frozen=True)
class OutputError:
    """The error of one of several outputs: signed, by source, and in all."""

    name: str
    error: Mapping[str, Interval]
    total: Interval


@dataclass(frozen=True)
class Analysis(Printed):
    """Closed forms of one construction, route and gate. Stages are written with the gate error η; see `eta`."""

    construction: Construction
    route: str
    gate: str | None
    gate_parameters: tuple[Parameter, ...]
    supply: Supply | None
    leak: Leak | None                       # how the tokens of a sequence disturb gates, if there is one
    frame: Frame
    term: Term | None                       # None for a plan, whose parts have terms
    flat: FlatNetwork
    resources: Mapping[str, Expr]
    error: Mapping[str, Interval]           # signed, by source
    total: Interval
    propagation: Propagation
    lemmas: tuple[Lemma, ...]
    eta: Expr
    meaning: Mapping[str, Expr]
    reach: Expr                             # the largest spread of scores, errors included
    propagated: Interval | None             # what rule R8 gives where a sharper lemma (R9) was used, input errors apart
    parts: tuple[tuple[str, Analysis], ...] = ()        # of a plan; its parameters are those of parts, with their names
    of_parts: tuple[Expr, ...] = ()                     # the conditions of parts, in these parameters
    outputs: tuple[OutputError, ...] = ()               # where there are several; error and total are then the largest
    given: Mapping[str, Fraction] = field(default_factory=dict)         # parameters that are shown as numbers

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.propagation.stages

    @property
    def naive_total(self) -> Expr:
        return self.propagation.naive_total

    @property
    def totals(self) -> tuple[Interval, ...]:
        """The error of every output."""
        return tuple(o.total for o in self.outputs) or (self.total,)

    def of_output(self, k: int) -> Analysis:
        """The same with the error of one output as the error."""
        return replace(self, error=self.outputs[k].error, total=self.outputs[k].total) if self.outputs else self

    @property
    def codes(self) -> str | None:
        return self.frame.codes

    def settled(self, expr: Expr) -> Expr:
        """The expression in the user's own parameters."""
        settled = exchange(expr, {INTERNAL[name]: value for name, value in self.meaning.items()})
        settled = regrouped(settled) if self.how.stand_ins else settled
        return self.with_given(settled)

    def with_given(self, expr: Expr) -> Expr:
        """The expression with the parameters that are shown as numbers."""
        if not self.given:
            return expr
        at = {symbol(name): sp.Rational(x.numerator, x.denominator) for name, x in self.given.items()}
        return expr.subs({s: x for s, x in at.items() if s in expr.free_symbols})

    @property
    def how(self) -> Route:
        return self.construction.route(self.route)

    @property
    def uses_anchors(self) -> bool:
        """Whether there are anchor heads: a network without a single level has none."""
        return self.supply is not None and INTERNAL["cells"] in self.resources["beta"].free_symbols

    @property
    def leaks(self) -> bool:
        """Whether tokens of a sequence can disturb each other: a network without heads has no leak."""
        return "leak" in self.error

    @property
    def uses_beta(self) -> bool:
        """Whether β is a parameter of its own."""
        return symbol("beta") in self.resources["beta"].free_symbols

    @property
    def from_beta(self) -> Expr | None:
        """The least β for which all lemmas hold, where one needs any."""
        return next((x.from_beta for x in self.lemmas if x.from_beta is not None), None)

    @property
    def enough_beta(self) -> Expr | None:
        """The β from which on a lemma keeps the gates within ε, where one says so in closed form."""
        return next((x.enough_beta for x in self.lemmas if x.enough_beta is not None), None)

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """What parameters must satisfy, beyond their kind, for the counts and the bound to hold."""
        if self.parts:
            counts = (sp.Ge(count, sp.S.One, evaluate=False) for count in self.flat.nonempty)
            return tuple(dict.fromkeys((*self.frame.facts, *counts, *self.of_parts)))
        found = [(count, sp.S.One) for count in self.flat.nonempty]
        found += [(symbol(p.name), sp.Integer(p.least)) for p in self.construction.parameters
                  if p.name == self.construction.counted and p.least is not None and p.least > 1]
        if self.from_beta is not None:
            found.append((symbol("beta"), self.from_beta))
        if self.supply is not None and self.uses_anchors:
            found.append((symbol(self.supply.tokens), sp.Integer(self.supply.least_tokens)))
            if self.supply.sentinels:           # two anchors at least
                found.append((self.supply.cells, sp.S.One))
            if symbol("kappa") in self.resources["beta"].free_symbols:
                found.append((symbol("kappa"), sp.S.One))
        pieces = self.construction.pieces(self.route)
        return (*self.frame.facts, *(sp.Ge(large, small, evaluate=False) for large, small in found),
                *(pieces.conditions if pieces else ()))

    @property
    def own_total(self) -> Interval:
        """The error without what the inputs come with."""
        return total({source: i for source, i in self.error.items() if source != INPUTS})

    def without_leaks(self) -> Analysis:
        """What would hold if the tokens of a sequence did not disturb each other."""
        error = {source: i for source, i in self.error.items() if source != "leak"}
        return replace(self, leak=None, error=error, total=total(error))

    def evaluable(self, expr: Expr) -> Expr:
        """The expression without internal symbols that have no rational value."""
        return exchange(expr, {INTERNAL["leak"]: self.meaning["leak"]}) if "leak" in self.meaning else expr

    def complete(self, expr: Expr) -> Expr:
        """The expression with η replaced too: nothing but parameters and constants."""
        return self.settled(self.with_eta(expr))

    def internal_values(self, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The values of internal symbols, where the parameters they stand for have one."""
        at = {symbol(name): sp.Rational(v.numerator, v.denominator) for name, v in values.items() if name not in INTERNAL}
        found = {name: e.xreplace(at) for name, e in self.meaning.items()}
        return {name: Fraction(int(v.p), int(v.q)) for name, v in found.items() if v.is_Rational}

    def with_eta(self, expr: Expr) -> Expr:
        """η replaced by what it is for this gate."""
        return exchange(expr, {ETA: self.eta})


_KEPT: dict[object, Analysis] | None = None         # while a plan is derived, whose parts often have the same closed forms


@contextmanager
def keeping_analyses() -> Iterator[None]:
    """Within it, what was analysed once is not analysed again."""
    global _KEPT
    before = _KEPT
    _KEPT = {} if before is None else before
    try:
        yield
    finally:
        _KEPT = before


def analyse(construction: Construction, route: str, gate: Gate | None, frame: Frame,
            fixed: Mapping[sp.Symbol, Expr] | None = None, sharper: int | None = 0) -> Analysis:
    """`fixed` replaces symbols before anything is derived: a repeat of zero levels has another structure. `sharper` says
    which of the lemmas for this gate takes the place of propagation (rule R9), if any."""
    if _KEPT is None:
        return _analysed(construction, route, gate, frame, fixed, sharper)
    key = (construction, route, gate, tuple(frame.boxes.items()), tuple(frame.parameters.items()),
           tuple(frame.deltas.items()), tuple(frame.meaning.items()), tuple(frame.ends.items()),
           frame.facts, frame.exists, frame.codes,
           tuple((fixed or {}).items()), sharper)
    if key not in _KEPT:
        _KEPT[key] = _analysed(construction, route, gate, frame, fixed, sharper)
    return _KEPT[key]


def _analysed(construction: Construction, route: str, gate: Gate | None, frame: Frame,
              fixed: Mapping[sp.Symbol, Expr] | None, sharper: int | None) -> Analysis:
    term, profile, incoming = _profile(construction, route, gate, frame, fixed, sharper)
    flat = flatten(term)
    flows = profile.flow(incoming)
    counted = {**resources(flat, Regime(facts_of(flat))), "logit": _logit(flows, gate, frame)}
    eta = gate.eta if gate is not None else sp.S.Zero
    known = {ETA: eta}
    found = {out: {source: Interval(*(exchange(collected(e), known) for e in (i.lo, i.hi)))
                   for source, i in by_source.items() if i.radius != 0} for out, by_source in flows[-1].outgoing.items()}
    outputs = tuple(OutputError(out, error, total(error)) for out, error in found.items()) if len(found) > 1 else ()
    error = largest_error(found)
    return Analysis(construction, route, gate.name if gate else None, gate.parameters if gate else (),
                    gate.supply if gate else None,
                    gate.leak if gate else None, frame, term, flat,
                    {name: exchange(value, known) for name, value in counted.items()}, error,
                    hull(o.total for o in outputs) if outputs else total(error),
                    Propagation(lambda: _stages(flows), lambda: largest(flows[-1].naive_outgoing.values())),
                    profile.lemmas, eta,
                    {**frame.meaning, **(gate.meaning if gate is not None else {})},
                    exchange(reach(flows), known) if gate and gate.leak else sp.S.Zero,
                    _propagated(profile, known), outputs=outputs)


def largest_error(found: Mapping[str, Mapping[str, Interval]]) -> dict[str, Interval]:
    """By source the least interval with the errors of all outputs."""
    sources = dict.fromkeys(source for error in found.values() for source in error)
    return {s: hull(error.get(s, POINT) for error in found.values()) for s in sources}


def _propagated(profile: Profile, known: Mapping[sp.Symbol, Expr]) -> Interval | None:
    instead = profile.steps[-1].propagated if profile.steps else None
    if not instead:
        return None
    plain = hull(total(by_source) for by_source in instead.values())
    return Interval(exchange(plain.lo, known), exchange(plain.hi, known))


def _logit(flows: Sequence[Flow], gate: Gate | None, frame: Frame) -> Expr:
    """A sequence adds scores from 0 to ν/β, or from −ν/β with codes on the circle; with leaks no range is kept exactly."""
    leaks = gate is not None and gate.leak is not None
    own = logit(flows, by_lemma=not leaks)
    return own + symbol("nu") * (2 if frame.codes == "circle" else 1) if leaks and own != 0 else own


@cache
def regrouped(expr: Expr) -> Expr:
    """Sums such as (1 − N·h) + (N − 1)·h, which stand-ins leave behind, in the shortest of a few equal forms."""
    if not expr.args:
        return expr
    args = [regrouped(a) for a in expr.args]
    if not expr.is_Add:
        return expr.func(*args, evaluate=False) if isinstance(expr, (sp.Max, sp.Min)) else expr.func(*args)
    total = sp.Add(*args)
    if not total.is_rational_function(*total.free_symbols):
        return total
    return min((total, sp.expand(total), sp.factor(total)), key=sp.count_ops)


def collected(expr: Expr) -> Expr:
    """An expression that is linear in η (and in ξ) as rest + factor·η, common factors in front."""
    for error in (ETA, XI):
        expr = _collected(expr, error)
    return expr


def _collected(expr: Expr, error: sp.Symbol) -> Expr:
    if error not in expr.free_symbols or expr.has(sp.Max):
        return expr
    gates = [t for t in sp.Add.make_args(expr) if error in t.free_symbols]
    if len(gates) == 1 and error not in (gates[0] / error).free_symbols:
        return expr
    if any(t.is_Mul and sum(a.is_Add or a.is_Pow for a in t.args) > 3 for t in gates):     # products of many factors stay
        linear, rest = sp.diff(expr, error), expr.xreplace({error: sp.S.Zero})
        return expr if error in linear.free_symbols else rest + linear * error
    linear = sp.expand(expr).coeff(error, 1)
    rest = sp.expand(expr - linear * error)
    return expr if error in rest.free_symbols else rest + sp.factor_terms(linear) * error


def generic_error(construction: Construction, route: str, frame: Frame) -> Mapping[str, Interval]:
    """The signed error by source for any gate with |error| ≤ η: what the algebra gives without a lemma on the gate."""
    _, profile, incoming = _profile(construction, route, AnyGate(), frame)
    return {source: i for source, i in largest_error(profile.error(incoming)).items() if i.radius != 0}


def _profile(construction: Construction, route: str, gate: Gate | None, frame: Frame,
             fixed: Mapping[sp.Symbol, Expr] | None = None, sharper: int | None = 0) -> tuple[Term, Profile, Errors]:
    """The term with ranges and gates, its profile on the boxes of the frame, and the errors that its inputs come with."""
    term = construction.route(route).build(frame)
    if isinstance(term, Plan):
        raise NotDerivable("R11", construction.name, "a plan has closed forms at numbers only")
    if gate is not None:
        term = sharpened(term, gate.name, sharper)
    if fixed:
        term = substitute(term, fixed)
    term = with_ideal(term, lambda: _ideals(construction, frame))
    domain = {b.name: frame.boxes[b.name].interval for b in inputs_of(term)}
    term, _ = with_ranges(term, domain)
    if frame.codes is not None:
        token = tokens_of()
        term = AlongSequence(term, token, position_codes(frame.codes, token), symbol("nu"))
    if gate is not None:
        term = lower(term, gate)
    incoming: Errors = {name: {INPUTS: Interval.symmetric(frame.deltas[name])} for name in domain
                        if frame.deltas[name] is not sp.S.Zero}
    return term, fold(term, domain), incoming


def _ideals(construction: Construction, frame: Frame) -> tuple[tuple[str, Ideal], ...]:
    """Range and slopes of the target of every output between exact and perturbed inputs."""
    from ..formulas.closed_slopes import closed_slopes
    boxes, ideals = construction.boxes(frame), []
    for output in construction.outputs:
        found = closed_slopes(output.target, boxes)
        ideals.append((output.name, Ideal(found.exact, tuple(tuple(v.items()) for v in found.vectors))))
    return tuple(ideals)


def facts_of(flat: FlatNetwork) -> tuple[tuple[sp.Symbol, Expr], ...]:
    """Lower bounds of the counts: a repeat that is there has at least one level."""
    facts: dict[sp.Symbol, Expr] = {symbol("d"): sp.Integer(1), symbol("n"): sp.Integer(2)}
    for count in flat.nonempty:
        for s in count.free_symbols:
            if (count - s).is_Integer:
                facts[s] = 1 - (count - s)
    return tuple(facts.items())


def _stages(flows: Iterable[Flow]) -> list[Stage]:
    """Step by step; where a lemma stands for a whole sub-network, what propagation gives inside it comes first."""
    lines: list[Stage] = []
    for flow in flows:
        for inner in flow.step.detail:                                  # R8: without an incoming error
            if inner[0].step.gain:
                found = _stages(inner)
                lines += [replace(s, superseded=True) for s in found] if flow.step.rule == "R9" else found
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
    return [Stage(step.name, tuple(blocks) if several else (), step.rule, *fate)
            for fate, blocks in by_fate.items()]
