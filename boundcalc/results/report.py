"""What exporters may read: one report, from which text, Markdown, LaTeX and JSON are rendered.

A report has the closed forms in the user's own parameters. With numbers (from a Bound) every quantity has a value too;
without (from an Analysis, for `show`) it has not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Expr

from ..declarations.frame import domain_of
from ..declarations.registry import Information
from ..derivation.analysis import Analysis, Stage, collected, generic_error
from ..derivation.profile import StepName
from ..display import Printed
from ..formulas.comparison import Regime
from ..formulas.enclosure import less_equal, less_than
from ..formulas.index import Index
from ..formulas.interval import Interval
from ..formulas.symbols import INTERNAL, CeilLog, symbol
from ..gates import gate
from ..lemmas.record import Lemma
from ..records import dataclass
from ..terms.flat import flatten, resources
from ..terms.linear import size_of, span
from ..terms.term import Affine, Attention, Flat, FlatRepeat, Rectify
from ..terms.with_gate import lower
from ..tune import Choice, numbers, rules
from ..tune.sequences import leak_of_a_gate
from .against import Against
from .alternatives import Alternative, alternatives
from .bound import Bound, Quantity
from .constant import ConstantIsEnough, constant_is_enough

if TYPE_CHECKING:
    from .part_lines import PartLine
    from .verification import Verification

ETA, NIL = symbol("eta"), sp.S.Zero

HEAD_MATRICES = {"query": "Q", "key": "K", "value": "V"}

RESOURCES = {       # key → what it is called
    "layers": "attention layers", "heads": "heads", "heads_per_layer": "heads in a layer", "tokens": "tokens",
    "width": "width D", "parameters": "parameters", "magnitude": "largest |weight|", "beta": "β",
    "logit": "logit, β·(max − min score)", "bits": "bits of a weight", "neurons": "ReLU units",
    "relu_layers": "ReLU layers",
}


@dataclass(frozen=True)
class ErrorTerm:
    """A named part of the error: signed closed form, and its size."""

    name: str
    interval: Interval
    size: Quantity


@dataclass(frozen=True)
class OutputLine:
    """One of several outputs: what it approximates, and how well."""

    name: str
    target: str
    interval: Interval
    error: Quantity


@dataclass(frozen=True)
class StageLine:
    step: StepName
    blocks: tuple[str, ...]
    rule: str
    incoming: Quantity
    gain: Quantity
    added: Quantity
    outgoing: Quantity
    softmax_lipschitz: Quantity
    naive_outgoing: Quantity
    superseded: bool

    @property
    def flow(self) -> dict[str, Quantity]:
        """What the rule makes of the error: outgoing ≤ gain·incoming + added."""
        return {"incoming": self.incoming, "gain": self.gain, "added": self.added, "outgoing": self.outgoing}


class LayerKind(Enum):
    AFFINE = "affine"
    RELU = "ReLU"
    ATTENTION = "attention"


@dataclass(frozen=True)
class Shape:
    """One matrix of one layer: rows × columns, how many of its kind, and how many entries are listed. A layer has the
    label of its stage, prose with formulas between dollar signs, and may be repeated."""

    label: str
    kind: LayerKind
    over: Index | None
    matrix: str
    rows: Quantity
    columns: Quantity
    count: Quantity
    entries: Quantity


@dataclass(frozen=True)
class SequenceReport:
    """Many data tokens: their codes, what they leak into a gate, and the score scale c = ν/β that keeps it out."""

    codes: str
    dimension: Quantity
    gap: Quantity
    leak: Quantity | None           # None where tokens do not see each other at all
    scale: Quantity | None
    of_inputs: bool = False         # whether a gate can be led astray by twice the reach of values, not only by its height


@dataclass(frozen=True)
class BlockDomain:
    """Where one input block may be: in the user's symbols and, at numbers, exactly (None is infinite)."""

    block: str
    lo: Expr
    hi: Expr
    low: Fraction | None
    high: Fraction | None
    size: Expr


class PropagationLines:
    """The propagation with its values: worked out when it is shown."""

    def __init__(self, stages: Callable[[], Iterable[StageLine]], naive_total: Callable[[], Quantity]) -> None:
        self._stages, self._naive_total = stages, naive_total

    @cached_property
    def stages(self) -> tuple[StageLine, ...]:
        return tuple(self._stages())

    @cached_property
    def naive_total(self) -> Quantity:
        return self._naive_total()


@dataclass(frozen=True)
class Report(Printed):
    information: Information
    route: str
    gate: str | None
    parameters: Mapping[str, Fraction]
    domain: tuple[BlockDomain, ...]
    choices: tuple[Choice, ...]
    resources: Mapping[str, Quantity]
    terms: tuple[ErrorTerm, ...]
    total_interval: Interval
    total: Quantity
    propagation: PropagationLines
    eta: Quantity | None
    conditions: tuple[tuple[Expr, bool], ...]
    lemmas: tuple[Lemma, ...]
    generic: tuple[ErrorTerm, ...]
    has_values: bool
    source: Bound | Analysis
    sequence: SequenceReport | None = None
    parts: tuple[PartLine, ...] = ()
    outputs: tuple[OutputLine, ...] = ()            # where there are several
    verification: Verification | None = None
    against: Against | None = None                  # of a network from a file: a target of its own

    @property
    def relative(self) -> Fraction | None:
        """The least |target|, where ε and all errors are relative to the target."""
        return self.source.relative if isinstance(self.source, Bound) else None

    @property
    def stages(self) -> tuple[StageLine, ...]:
        return self.propagation.stages

    @property
    def naive_total(self) -> Quantity:
        return self.propagation.naive_total

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What would be cheaper."""
        return alternatives(self.source) if isinstance(self.source, Bound) else ()

    @cached_property
    def constant(self) -> ConstantIsEnough | None:
        """A constant that is as good as the network, where ε is that large."""
        return constant_is_enough(self.source) if isinstance(self.source, Bound) else None

    @property
    def worst_output(self) -> OutputLine | None:
        """Of several outputs the one whose error is shown; None where it is not known which has the largest."""
        return next((o for o in self.outputs if o.interval == self.total_interval), None)

    @property
    def inputs(self) -> Expr:
        """How many in one copy."""
        return sp.Add(*(d.size for d in self.domain))

    @property
    def restrictions(self) -> list[str]:
        """What the inputs satisfy beside being in their boxes, in the grammar of claims as far as that goes."""
        c, found = analysis_of(self).construction, []
        for i in c.inputs:
            if i.domain.values:
                found.append(f"{i.name} in {{{', '.join(i.domain.values)}}}")
            if i.domain.gap:
                found.append(f"{i.name} not in ({', '.join(i.domain.gap)})")
        return found + ([c.condition] if c.condition else [])

    @property
    def common_domain(self) -> BlockDomain | None:
        """The domain of every input, if they have one."""
        first = self.domain[0]
        return first if all((d.lo, d.hi) == (first.lo, first.hi) for d in self.domain) else None

    def shown_resources(self) -> dict[str, Quantity]:
        """What a reader is shown: not what the network has none of, nor a β that is still free."""
        return {key: q for key, q in self.resources.items()
                if q.symbolic != 0 and (key != "beta" or self.has_values)}

    def verified(self, verification: Verification) -> Report:
        return replace(self, verification=verification)


def report_of(result: Bound | Analysis) -> Report:
    """The report of a bound at numbers, or of closed forms alone."""
    bound = result if isinstance(result, Bound) else None
    analysis = result.analysis if isinstance(result, Bound) else result

    @cache
    def settle(expr: Expr) -> Expr:
        return analysis.settled(tidy(expr))

    def valued(full: Expr, shown: Expr) -> Quantity:
        return Quantity(shown, *bound.value(full)) if bound else Quantity(shown, None, None)

    def quantity(expr: Expr) -> Quantity:
        full = analysis.with_eta(expr)
        return valued(full, settle(full))

    def untidied(expr: Expr) -> Quantity:
        """For the naive route, whose closed forms are long and whose values may have millions of digits."""
        full = sp.oo if expr.has(sp.oo) else analysis.with_eta(expr)
        value = bound.quantity_unless_huge(full) if bound else Quantity(full, None, None)
        return replace(value, symbolic=analysis.settled(full))

    def error(expr: Expr) -> Quantity:
        value = quantity(expr)
        return bound.within_eps(value, analysis.with_eta(expr)) if bound else value

    def in_eta(expr: Expr) -> Quantity:
        """A stage's closed form keeps η, which the report defines; its value does not."""
        return replace(error(expr), symbolic=settle(expr))

    def gain(expr: Expr) -> Quantity:
        return valued(analysis.with_eta(expr), settle(expr))

    forms = analysis.resources
    if bound:       # with β as it was chosen, and bits
        own = {c.name for c in bound.choices} | {"bits"}
        counted = {key: replace(q, symbolic=settle(q.symbolic if key in own else analysis.with_eta(forms[key])))
                   for key, q in bound.resources.items()}
    else:
        counted = {key: quantity(expr) for key, expr in forms.items()}
    counted = {key: counted[key] for key in RESOURCES if key in counted}
    info = analysis.construction.information
    return Report(
        info, analysis.route, analysis.gate,
        {k: v for k, v in bound.values.items() if k not in INTERNAL} if bound else {},
        _domain(analysis, bound),
        tuple(c.rewritten(settle) for c in (bound.choices if bound else _rules(analysis)) if c.name not in analysis.given),
        counted,
        tuple(ErrorTerm(name, _map(i, settle), error(i.radius)) for name, i in analysis.error.items()),
        _map(analysis.total, settle), error(analysis.total.radius),
        PropagationLines(lambda: (_line(s, in_eta, gain, untidied) for s in analysis.stages),
                         lambda: untidied(analysis.naive_total)),
        quantity(analysis.eta) if _has_eta(analysis, bound) else None,
        _conditions(analysis, bound, settle),
        analysis.lemmas, () if bound else _generic(analysis, settle), bound is not None, result,
        _sequence(analysis, quantity) if bound and analysis.codes else None,
        _parts(bound) if bound and bound.composition else (),
        tuple(OutputLine(o.name, said.written or said.target, _map(o.total, settle), error(o.total.radius))
              for o, said in zip(analysis.outputs, analysis.construction.outputs, strict=bool(analysis.outputs))))


def _rules(analysis: Analysis) -> Sequence[Choice]:
    """How parameters follow from ε; those of a plan from shares of it."""
    if not analysis.parts:
        return rules(analysis)
    from .composed import PlanForms
    assert isinstance(analysis, PlanForms)
    return analysis.choices


def _conditions(analysis: Analysis, bound: Bound | None, settle: Callable[[Expr], Expr]) -> tuple[tuple[Expr, bool], ...]:
    """Each as one would write it, without those that another one implies."""
    found = [(plainly(c.func(settle(c.lhs), settle(c.rhs), evaluate=False)), _holds(c, bound)) for c in analysis.conditions
             if not analysis.given or c.func(settle(c.lhs), settle(c.rhs)) != sp.true]
    least: dict[Expr, Expr] = {}
    for c, _ in found:
        if isinstance(c, sp.Ge) and c.lhs.is_Symbol and c.rhs.is_Integer:
            least[c.lhs] = max(least.get(c.lhs, c.rhs), c.rhs)
    return tuple(dict.fromkeys((c, holds) for c, holds in found
                               if not (isinstance(c, sp.Ge) and c.rhs.is_Integer and least.get(c.lhs, c.rhs) != c.rhs)))


def plainly(condition: Expr) -> Expr:
    """m − 1 ≥ 1 as m ≥ 2, ⌈log₂ n⌉ − 1 ≥ 1 as n ≥ 3."""
    if not isinstance(condition, sp.Ge):
        return condition
    rest = condition.lhs - condition.rhs
    constant, only = rest.as_coeff_Add()
    if only.is_Add or not constant.is_Integer:
        return condition
    if isinstance(only, CeilLog) and only.args[0].is_Symbol and only.args[0].is_integer and only.args[1].is_Integer:
        return sp.Ge(only.args[0], only.args[1] ** (-constant - 1) + 1, evaluate=False) if constant <= -1 else condition
    return sp.Ge(only, -constant, evaluate=False) if only.is_Symbol and only.is_integer else condition


def _parts(bound: Bound) -> tuple[PartLine, ...]:
    from .part_lines import part_lines
    return part_lines(bound)


def _has_eta(analysis: Analysis, bound: Bound | None) -> bool:
    """Whether the symbol η is used and, at numbers, has a value: a network without heads has no β."""
    return analysis.eta != 0 and (bound is None or bound.knows(analysis.evaluable(analysis.eta)))


def _holds(condition: Expr, bound: Bound | None) -> bool:
    """Whether a condition holds at the values; without any it is a hypothesis."""
    if bound is None:
        return True
    compare = less_than if isinstance(condition, sp.Gt) else less_equal
    return compare(condition.rhs, condition.lhs, numbers(bound.values)) is True


def _map(i: Interval, change: Callable[[Expr], Expr]) -> Interval:
    """Both ends rewritten; a symmetric interval stays visibly so."""
    hi = change(i.hi)
    return Interval(-hi if i.bounded and sp.expand(i.lo + i.hi) == 0 else change(i.lo), hi)


def _line(s: Stage, error: Callable[[Expr], Quantity], gain: Callable[[Expr], Quantity],
          as_it_is: Callable[[Expr], Quantity]) -> StageLine:
    return StageLine(s.step, s.blocks, s.rule, error(s.incoming), gain(s.gain), error(s.added), error(s.outgoing),
                     gain(s.softmax_lipschitz), as_it_is(s.naive_outgoing), s.superseded)


def tidy(expr: Expr) -> Expr:
    """A closed form as one would write it: what belongs to η collected, common factors in front."""
    if ETA in expr.free_symbols:
        return collected(expr)
    return sp.factor_terms(sp.expand(expr)) if not expr.is_Atom and expr.is_polynomial() else expr


def _generic(analysis: Analysis, settle: Callable[[Expr], Expr]) -> tuple[ErrorTerm, ...]:
    """What the algebra gives for any gate, where the route has gates at all."""
    if analysis.gate is None or analysis.parts:
        return ()
    errors = generic_error(analysis.construction, analysis.route, analysis.frame)
    return tuple(ErrorTerm(name, _map(i, settle), Quantity(settle(i.radius), None, None))
                 for name, i in errors.items())


def _domain(analysis: Analysis, bound: Bound | None) -> tuple[BlockDomain, ...]:
    c = analysis.construction
    ends = {name: (analysis.with_given(low), analysis.with_given(high)) for name, (low, high) in analysis.frame.ends.items()}
    return tuple(BlockDomain(i.name, *ends[i.name], *(domain_of(c, bound.values, i.name) if bound else (None, None)),
                             analysis.with_given(symbol(i.size)) if i.size else sp.S.One) for i in c.inputs)


def _sequence(analysis: Analysis, quantity: Callable[[Expr], Quantity]) -> SequenceReport:
    length, codes = symbol("L"), analysis.codes or ""
    onehot = codes == "onehot"
    if analysis.leak is None or not analysis.leaks:
        return SequenceReport("none", quantity(NIL), quantity(NIL), None, None)
    by_code = analysis.leak.by_code
    dimension = (length if onehot else sp.Integer(2)) if by_code else NIL
    gap = symbol("g") if by_code and not onehot else sp.S.One
    return SequenceReport(codes if by_code else "none", quantity(dimension), quantity(gap),
                          quantity(leak_of_a_gate(analysis)), quantity(symbol("nu") / analysis.resources["beta"]),
                          analysis.leak.of_inputs)


def analysis_of(report: Report) -> Analysis:
    return report.source.analysis if isinstance(report.source, Bound) else report.source


# ---------------------------------------------------------------------------------------------------------------
# the shape of every matrix, and the ReLU network that the attention network came from

def shapes(report: Report) -> list[Shape]:
    """Every matrix of every layer, in order; repeated layers once, with their range."""
    bound = report.source if isinstance(report.source, Bound) else None
    analysis = analysis_of(report)

    def quantity(expr: Expr) -> Quantity:
        value = bound.quantity(expr) if bound and bound.knows(expr) else Quantity(expr, None, None)
        return replace(value, symbolic=analysis.settled(expr))

    found: list[Shape] = []

    def walk(parts: tuple[Flat, ...], over: Index | None) -> None:
        for position, f in enumerate(parts):
            following = parts[position + 1] if position + 1 < len(parts) else None
            match f:
                case FlatRepeat(parts=inner, index=index):
                    walk(inner, index)
                case Affine(label=label, map=m):
                    rows = size_of(m.outputs)
                    if isinstance(following, Attention):
                        rows = size_of(following.coords) * following.tokens
                    add((label, LayerKind.AFFINE, over), "weight + bias", m.entries(), rows, size_of(m.inputs), sp.S.One)
                case Rectify(wire=wire):
                    found.append(Shape("", LayerKind.RELU, over, "—", quantity(size_of(wire)), quantity(size_of(wire)),
                                       quantity(sp.S.One), quantity(sp.S.Zero)))
                case Attention(label=label):
                    dim, layer = size_of(f.coords), (label, LayerKind.ATTENTION, over)
                    for name in HEAD_MATRICES:
                        alike: dict[tuple[Expr, Expr], list[Expr]] = {}
                        for h in f.heads:
                            m = getattr(h, name)
                            alike.setdefault((size_of(m.outputs), m.entries()), []).append(span(h.over))
                        for (rows, entries), counts in alike.items():
                            add(layer, HEAD_MATRICES[name], entries, rows, dim, sp.Add(*counts))
                    if f.skip is not None:
                        columns = dim * f.tokens
                        add(layer, "skip", f.skip.entries(), size_of(f.outputs), columns, sp.S.One)

    def add(layer: tuple[str, LayerKind, Index | None], name: str, entries: Expr, rows: Expr, columns: Expr,
            count: Expr) -> None:
        sizes = (sp.powsimp(sp.expand(e), combine="exp") for e in (rows, columns, count, entries))
        found.append(Shape(*layer, name, *map(quantity, sizes)))

    walk(analysis.flat.parts, None)
    return found


@dataclass(frozen=True)
class ReluCounts:
    """The ReLU network that an attention network came from."""

    layers: int
    width: int
    units: int
    parameters: int


def relu_counts(bound: Bound) -> ReluCounts | None:
    """Of a network that was given."""
    given = getattr(bound.construction, "given", None)
    if given is None:
        return None
    return ReluCounts(given.depth, max(given.widths, default=0), sum(given.widths), given.parameters)


def overhead(bound: Bound) -> dict[str, Fraction | None] | None:
    """Attention network against the ReLU network of the same term: layers, heads per unit, parameters. None where the
    network does not come from a ReLU network; a ratio is None where that has nothing to compare with."""
    if bound.analysis.gate in (None, "ffn"):
        return None
    if bound.composition is not None:
        from .parts import flat_of
        flat = flat_of(bound.composition, bound.construction.copies, gate=gate("ffn"))
    else:
        assert bound.analysis.term is not None
        flat = flatten(lower(bound.analysis.term, gate("ffn")))
    relu = {key: bound.quantity(e).exact for key, e in resources(flat, Regime()).items()}
    ours = {key: q.exact for key, q in bound.resources.items()}

    def ratio(mine: str, theirs: str) -> Fraction | None:
        above, below = ours[mine], relu[theirs]
        return above / below if above is not None and below else None

    return {"layers": ratio("layers", "relu_layers"), "heads": ratio("heads", "neurons"),
            "parameters": ratio("parameters", "parameters")}
