"""JSON of a bound, schema boundcalc-bound/1: the same report for scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from sympy import Expr, oo

from ..errors import InvalidInput, echo
from ..formulas.mathtext import plain
from ..formulas.notation import to_latex
from ..formulas.parser import to_text
from ..numbers.exact import decimal_down, decimal_up, digits_within, exact_text
from ..results.alternatives import Alternative
from ..results.bound import Bound, Quantity
from ..results.glossary import symbols
from ..results.report import RESOURCES, ErrorTerm, Report, StageLine, analysis_of, overhead, relu_counts, shapes
from ..results.verification import Verification
from ..schemas.documents import (
    AlternativeJson,
    AnchorsJson,
    BoundJson,
    CertifiedJson,
    ChoiceJson,
    ErrorTermJson,
    OverheadJson,
    PartJson,
    QuantityJson,
    SequenceJson,
    StageJson,
    VerificationJson,
)
from ..tune.choice import Choice
from . import Wishes
from .choices import order, why, written
from .comparisons import change, constant, price
from .names import answer, layer, stage

if TYPE_CHECKING:
    from ..results.part_lines import PartLine

SCHEMA = "boundcalc-bound/1"
DIGITS = 20
LISTED = 100_000


def render(report: Report, wishes: Wishes) -> str:
    return json.dumps(as_dict(report, wishes), indent=2, ensure_ascii=False) + "\n"


def as_dict(r: Report, wishes: Wishes) -> BoundJson:
    bound = r.source if isinstance(r.source, Bound) else None
    analysis = analysis_of(r)
    result: BoundJson = {
        "schema": SCHEMA, "construction": r.information.name, "route": r.route, "gate": r.gate, **_anchors(r),
        "parameters": {k: exact_text(v) for k, v in r.parameters.items()},
        "choices": [_choice(c) for c in r.choices],
        "domain": _domain(r),
        "resources": {k: quantity(r.resources[k]) if k in r.resources else None for k in RESOURCES},
        "overhead": _overhead(bound),
        "error": {
            "terms": [_term(t) for t in r.terms],
            "total": quantity(r.total),
            "propagation": [_stage(s, analysis.complete, bound is not None) for s in r.stages],
            "naive_total": quantity(r.naive_total, known=bound is not None)},
        "conditions": [{"statement": text, "holds": holds} for text, holds in (
            *((_relation(c), holds) for c, holds in r.conditions), *((text, True) for text in r.restrictions))],
        "alternatives": [_alternative(a) for a in r.alternatives],
        "notes": [constant(r.constant)] if r.constant is not None else [],
        "lemmas": [{"label": x.label, "statement": plain(x.statement), "source": x.reference.source,
                    "standing": x.reference.standing} for x in r.lemmas],
        "symbols": {s.name: plain(meaning) for s, meaning in symbols(r)},
        "sequence": _sequence(r), "verification": verification(r.verification)}
    if r.relative is not None:
        result["relative"] = {"least": exact_text(r.relative)}
    if r.outputs:
        result["outputs"] = [{"name": o.name, "target": o.target, "error": quantity(o.error)} for o in r.outputs]
    if r.against is not None and r.total.upper is not None:
        result["against"] = {"target": r.against.target, "accuracy": decimal_up(r.against.accuracy, DIGITS),
                             "how": "given" if r.against.method is None else r.against.method,
                             "total": decimal_up(r.against.total(r.total.upper), DIGITS)}
    if r.parts:
        result["parts"] = [_part(p) for p in r.parts]
    if wishes.dimensions:
        result["dimensions"] = [{"layer": plain(layer(s)), "matrix": s.matrix, "rows": quantity(s.rows),
                                 "columns": quantity(s.columns), "count": quantity(s.count),
                                 "entries": quantity(s.entries)} for s in shapes(r)]
    return result


def _overhead(bound: Bound | None) -> OverheadJson | None:
    compared = overhead(bound) if bound else None
    if bound is None or compared is None:
        return None
    found: OverheadJson = {"layers": _ratio(compared["layers"]), "heads": _ratio(compared["heads"]),
                           "parameters": _ratio(compared["parameters"])}
    relu = relu_counts(bound)
    if relu is not None:
        found["relu"] = {"layers": str(relu.layers), "width": str(relu.width), "units": str(relu.units),
                         "parameters": str(relu.parameters)}
    return found


def _part(p: PartLine) -> PartJson:
    return {"name": p.name, "expression": p.expression, "construction": p.construction, "route": p.route, "gate": p.gate,
            "domain": [ends(low, high) for low, high in p.domain], "accuracy": quantity(p.accuracy),
            "gain": quantity(p.gain), "count": p.count,
            "resources": {k: quantity(p.resources[k]) if k in p.resources else None for k in RESOURCES}}


def _alternative(a: Alternative) -> AlternativeJson:
    return {"change": change(a), "resources": {name: exact_text(x) for name, x in a.resources.items()},
            "price": None if a.price is None else price(a.price)}


def _choice(c: Choice) -> ChoiceJson:
    found: ChoiceJson = {"name": c.name, "value": None if c.value is None else exact_text(c.value), "kind": c.kind,
                         "rule": to_text(c.rule) if c.rule is not None else None,
                         "why": written(why(c), to_text).replace("≤", "<=")}
    if c.kind == "searched":
        found["bound"] = None if c.bound is None else f"{to_text(c.bound)} = {written(order(c.growth), to_text)}"
    return found


def _ratio(x: Fraction | None) -> str | None:
    return None if x is None else exact_text(x)


def _term(t: ErrorTerm) -> ErrorTermJson:
    q = quantity(t.size)
    return {"name": t.name, "symbolic": q["symbolic"], "latex": q["latex"], "exact": q["exact"], "upper": q["upper"]}


def _stage(s: StageLine, complete: Callable[[Expr], Expr], known: bool) -> StageJson:
    def shown(q: Quantity) -> QuantityJson:
        return quantity(q, complete, known)

    return {"stage": plain(stage(s)), "incoming": shown(s.incoming), "gain": shown(s.gain), "added": shown(s.added),
            "outgoing": shown(s.outgoing), "softmax_lipschitz": shown(s.softmax_lipschitz),
            "naive_outgoing": shown(s.naive_outgoing), "rule": s.rule}


def _anchors(r: Report) -> AnchorsJson:
    """How anchor gates are made; null without any."""
    supply = analysis_of(r).supply
    if supply is None:
        return {"temperature": None}
    return {"temperature": supply.selection.temperature, "grid": supply.selection.grid, "sentinels": supply.sentinels}


def _sequence(r: Report) -> SequenceJson | None:
    s = r.sequence
    if s is None:
        return None
    return {"codes": s.codes, "dimension": quantity(s.dimension), "gap": quantity(s.gap),
            "leak": None if s.leak is None else quantity(s.leak), "scale": None if s.scale is None else quantity(s.scale),
            "independent": s.leak is None, "answer": plain(answer(s))}


def quantity(q: Quantity, complete: Callable[[Expr], Expr] | None = None, known: bool = False) -> QuantityJson:
    """Q = closed form (grammar and LaTeX), exact value if rational, upper bound as a decimal rounded up; `known`: there
    are numbers, and a value that is missing is too large to be written."""
    symbolic = complete(q.symbolic) if complete else q.symbolic
    found: QuantityJson = {"symbolic": to_text(symbolic), "latex": to_latex(symbolic), "exact": _ratio(q.exact),
                           "upper": _upper(q, known)}
    if q.rounded:
        found["rounded"] = q.rounded
    return found


def _upper(q: Quantity, known: bool) -> str | None:
    if q.upper is None:
        return "inf" if q.symbolic.has(oo) or (q.exact is None and known) else None
    return _rounded_up(q.upper, q.limit)


def _rounded_up(x: Fraction, limit: Fraction | None) -> str:
    """At most a limit that is at least x: x = ε = 1/9 has no decimal between the two, and is written as the fraction."""
    digits = digits_within(x, DIGITS, limit)
    return exact_text(x) if digits is None else decimal_up(x, digits)


def _domain(r: Report) -> list[list[str]]:
    bound = r.source if isinstance(r.source, Bound) else None
    if bound is None:
        shown = (r.common_domain,) if r.common_domain else r.domain
        return [[to_text(d.lo), to_text(d.hi)] for d in shown]
    if bound.input_count() > LISTED:
        raise InvalidInput(f"JSON lists the domain of every input, and there are {echo(str(bound.input_count()))}.",
                           f"Ask for at most {LISTED} inputs, or for text.")
    return [ends(low, high) for low, high in bound.domains()]


def ends(low: Fraction | None, high: Fraction | None) -> list[str]:
    """The two ends of a domain; None is infinite."""
    return ["-inf" if low is None else exact_text(low), "inf" if high is None else exact_text(high)]


def _relation(condition: Expr) -> str:
    return f"{to_text(condition.lhs)} {condition.rel_op} {to_text(condition.rhs)}"


def verification(v: Verification | None) -> VerificationJson | None:
    """Observed errors are rounded down, certified ones up."""
    if v is None:
        return None
    proved = v.proved
    certified: CertifiedJson | None = None if proved is None else {
        "error": _rounded_up(proved.error, v.eps), "method": proved.method, "boxes": proved.boxes,
        "of": proved.of}
    return {"observed": {"error": decimal_down(v.observed.error, DIGITS),
                         "at": {k: exact_text(x) for k, x in v.observed.at.items()}},
            "certified": certified, "digits": v.observed.digits, "holds": v.holds, "reason": v.reason,
            "signature": v.signature}
