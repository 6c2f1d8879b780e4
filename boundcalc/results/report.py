"""What exporters may read: one report, from which text, Markdown, LaTeX and JSON are rendered.

A report has the closed forms in the user's own parameters. With numbers (from a Bound) every quantity has a value too;
without (from an Analysis, for `show`) it has not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..declarations.registry import Information, information
from ..derivation.analysis import Analysis, Stage, collected, generic_error
from ..display import Printed
from ..formulas.comparison import Regime
from ..formulas.enclosure import less_equal, less_than
from ..formulas.interval import Interval
from ..formulas.symbols import INTERNAL, symbol
from ..gates import gate
from ..lemmas.record import Lemma
from ..terms.flat import flatten, resources
from ..terms.linear import size_of, span
from ..terms.term import Affine, Attention, Flat, FlatRepeat, Rectify
from ..terms.with_gate import lower
from ..tune import Choice, numbers, rules
from ..tune.sequences import leak_of_a_gate
from .bound import Bound, Quantity
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
class StageLine:
    stage: str
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


@dataclass(frozen=True)
class Shape:
    """One matrix of one layer: rows × columns, how many of its kind, and how many entries are listed."""

    layer: str
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
    answer: str                     # to: is the error independent of the sequence length?


@dataclass(frozen=True)
class Report(Printed):
    information: Information
    route: str
    gate: str | None
    parameters: Mapping[str, Fraction]
    domain: tuple[Expr, Expr]
    domain_values: tuple[Fraction | None, Fraction | None]
    inputs: Expr                            # how many in one copy
    choices: tuple[Choice, ...]
    resources: Mapping[str, Quantity]
    terms: tuple[ErrorTerm, ...]
    total_interval: Interval
    total: Quantity
    stages: tuple[StageLine, ...]
    naive_total: Quantity
    eta: Quantity | None
    conditions: tuple[tuple[Expr, bool], ...]
    lemmas: tuple[Lemma, ...]
    generic: tuple[ErrorTerm, ...]
    has_values: bool
    source: Bound | Analysis
    sequence: SequenceReport | None = None
    verification: Verification | None = None

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

    def settle(expr: Expr) -> Expr:
        return analysis.settled(tidy(expr))

    def quantity(expr: Expr) -> Quantity:
        full = analysis.with_eta(expr)
        value = bound.quantity(full) if bound else Quantity(full, None, None)
        return replace(value, symbolic=settle(full))

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
        return replace(quantity(expr), symbolic=settle(expr))

    counted = {key: quantity(analysis.resources[key]) for key in RESOURCES if key in analysis.resources}
    if bound:       # with β as it was chosen, and bits
        chosen = {c.name for c in bound.choices} | {"bits"}
        counted |= {key: replace(q, symbolic=settle(q.symbolic)) for key, q in bound.resources.items() if key in chosen}
    counted = {key: counted[key] for key in RESOURCES if key in counted}
    info = information(analysis.construction.name)
    block = analysis.construction.block
    n = symbol(block) if block else sp.Integer(len(analysis.construction.inputs))
    return Report(
        info, analysis.route, analysis.gate,
        {k: v for k, v in bound.values.items() if k not in INTERNAL} if bound else {},
        _domain(analysis), bound.domain() if bound else (None, None), n,
        tuple(replace(c, rule=None if c.rule is None else settle(c.rule), about=tuple(settle(e) for e in c.about),
                      bound=None if c.bound is None else settle(c.bound))
              for c in (bound.choices if bound else rules(analysis))),
        counted,
        tuple(ErrorTerm(name, _map(i, settle), error(i.radius)) for name, i in analysis.error.items()),
        _map(analysis.total, settle), error(analysis.total.radius),
        tuple(_line(s, in_eta, gain, untidied) for s in analysis.stages), untidied(analysis.naive_total),
        quantity(analysis.eta) if _has_eta(analysis, bound) else None,
        tuple((c.func(settle(c.lhs), settle(c.rhs), evaluate=False), _holds(c, bound)) for c in analysis.conditions),
        analysis.lemmas, () if bound else _generic(analysis, settle), bound is not None, result,
        _sequence(analysis, quantity) if bound and analysis.codes else None)


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
    return StageLine(s.stage, s.rule, error(s.incoming), gain(s.gain), error(s.added), error(s.outgoing),
                     gain(s.softmax_lipschitz), as_it_is(s.naive_outgoing), s.superseded)


def tidy(expr: Expr) -> Expr:
    """A closed form as one would write it: what belongs to η collected, common factors in front."""
    if ETA in expr.free_symbols:
        return collected(expr)
    return sp.factor_terms(sp.expand(expr)) if not expr.is_Atom and expr.is_polynomial() else expr


def _generic(analysis: Analysis, settle: Callable[[Expr], Expr]) -> tuple[ErrorTerm, ...]:
    """What the algebra gives for any gate, where the route has gates at all."""
    if analysis.gate is None:
        return ()
    errors = generic_error(analysis.construction, analysis.route, analysis.setting)
    return tuple(ErrorTerm(name, _map(i, settle), Quantity(settle(i.radius), None, None))
                 for name, i in errors.items())


def _domain(analysis: Analysis) -> tuple[Expr, Expr]:
    if analysis.setting.half == sp.oo:
        return -sp.oo, sp.oo
    if {"width", "left"} & analysis.setting.meaning.keys():
        return symbol("a"), symbol("b")
    return -symbol("M"), symbol("M")


def _sequence(analysis: Analysis, quantity: Callable[[Expr], Quantity]) -> SequenceReport:
    length, codes = symbol("L"), analysis.codes or ""
    onehot = codes == "onehot"
    if analysis.leak is None or not analysis.leaks:
        return SequenceReport("none", quantity(NIL), quantity(NIL), None, None,
                              "Yes: the layers of this network treat every token by itself, and nothing leaks.")
    growth = "$ln L$"
    if analysis.leak.by_code:
        growth = "$ln L$, and the width like $L$" if onehot else "$L²·ln L/(2π²)$, at two coordinates for the codes"
    by_code = analysis.leak.by_code
    most = "$2R$" if analysis.leak.of_inputs else "the height of its ramp"
    answer = (f"Not at a fixed score scale: the leak grows with $L$, up to {most} a gate. "
              f"It stays below $ξ$ as long as $ν = βc$ grows like {growth}.")
    if not by_code:
        answer += " Position codes are not needed: $K$ ignores the data tokens."
    dimension = (length if onehot else sp.Integer(2)) if by_code else NIL
    gap = symbol("g") if by_code and not onehot else sp.S.One
    return SequenceReport(codes if by_code else "none", quantity(dimension), quantity(gap),
                          quantity(leak_of_a_gate(analysis)), quantity(symbol("nu") / analysis.resources["beta"]), answer)


def standing(report: Report) -> str:
    """How well the construction is known; tight only where every lemma behind the bound is."""
    text = report.information.standing
    return text if all(x.tight for x in report.lemmas) else text.replace(", tight", "")


def way(report: Report) -> str:
    """Route and gate, in words."""
    supply = analysis_of(report).supply
    words = [f"route {report.route}", *([f"gate {report.gate}"] if report.gate else [])]
    if supply is not None and supply.selection.temperature == "hard":
        words.append(f"hard temperature, grid {supply.selection.grid}" + (", sentinels" if supply.sentinels else ""))
    return ", ".join(words)


def eta_meaning(report: Report) -> str:
    """What the symbol η is the error of."""
    supply = analysis_of(report).supply
    if supply is None:
        return "the error of one gate"
    return "the error of one gate whose ramp has width 1" + (", leaks between heads apart" if supply.sentinels else "")


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

    def walk(parts: tuple[Flat, ...], suffix: str) -> None:
        for position, f in enumerate(parts):
            following = parts[position + 1] if position + 1 < len(parts) else None
            match f:
                case FlatRepeat(parts=inner, index=index):
                    walk(inner, f", ${index}$")
                case Affine(label=label, map=m):
                    rows = size_of(m.outputs)
                    if isinstance(following, Attention):
                        rows = size_of(following.coords) * following.tokens
                    add(f"{label} (affine){suffix}", "weight + bias", m.entries(), rows, size_of(m.inputs), sp.S.One)
                case Rectify(wire=wire):
                    found.append(Shape(f"ReLU{suffix}", "—", quantity(size_of(wire)), quantity(size_of(wire)),
                                       quantity(sp.S.One), quantity(sp.S.Zero)))
                case Attention(label=label):
                    dim = size_of(f.coords)
                    for name in HEAD_MATRICES:
                        alike: dict[tuple[Expr, Expr], list[Expr]] = {}
                        for h in f.heads:
                            m = getattr(h, name)
                            alike.setdefault((size_of(m.outputs), m.entries()), []).append(span(h.over))
                        for (rows, entries), counts in alike.items():
                            add(f"{label} (attention){suffix}", HEAD_MATRICES[name], entries, rows, dim, sp.Add(*counts))
                    if f.skip is not None:
                        columns = dim * f.tokens
                        add(f"{label} (attention){suffix}", "skip", f.skip.entries(), size_of(f.outputs), columns, sp.S.One)

    def add(layer: str, name: str, entries: Expr, rows: Expr, columns: Expr, count: Expr) -> None:
        sizes = (sp.powsimp(sp.expand(e), combine="exp") for e in (rows, columns, count, entries))
        found.append(Shape(layer, name, *map(quantity, sizes)))

    walk(analysis.flat.parts, "")
    return found


def overhead(bound: Bound) -> dict[str, Fraction | None] | None:
    """Attention network against the ReLU network of the same term: layers, heads per unit, parameters. None where the
    network does not come from a ReLU network; a ratio is None where that has nothing to compare with."""
    if bound.analysis.gate in (None, "ffn"):
        return None
    flat = flatten(lower(bound.analysis.term, gate("ffn")))
    relu = {key: bound.quantity(e).exact for key, e in resources(flat, Regime()).items()}
    ours = {key: q.exact for key, q in bound.resources.items()}

    def ratio(mine: str, theirs: str) -> Fraction | None:
        above, below = ours[mine], relu[theirs]
        return above / below if above is not None and below else None

    return {"layers": ratio("layers", "relu_layers"), "heads": ratio("heads", "neurons"),
            "parameters": ratio("parameters", "parameters")}
