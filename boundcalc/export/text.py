"""Text for a terminal or an e-mail: readable formulas, aligned tables, the assumption beside the number."""

from __future__ import annotations

from sympy import Expr, oo

from ..formulas.interval import Interval
from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..layout import INDENT, paragraph, table
from ..results.glossary import constants, symbols
from ..results.report import RESOURCES, BlockDomain, Report, SequenceReport, StageLine, analysis_of, shapes
from . import Wishes
from .choices import why, written
from .comparisons import cheaper, constant
from .names import answer, eta_meaning, how_relative, layer, measure, stage, standing, way
from .values import fraction, number, short


def render(report: Report, wishes: Wishes) -> str:
    parts = [_title(report), _resources(report), _error(report), _parts(report) if report.parts else _propagation(report)]
    parts.append(_choices(report))
    if report.conditions:
        parts.append(_conditions(report))
    if report.sequence:
        parts.append(_sequence(report.sequence))
    if report.generic:
        parts.append(_generic(report))
    if wishes.proof:
        parts.append(proof(report))
    if wishes.dimensions:
        parts.append(dimensions(report))
    if report.verification:
        from .verified import verification
        parts.append(verification(report.verification))
    parts += [_symbols(report), _trusted(report)]
    if report.alternatives:
        parts.append("\n".join(f"cheaper: {line}" for line in cheaper(report.alternatives)))
    if report.constant is not None:
        parts.append(f"note: {constant(report.constant)}")
    return "\n\n".join(parts) + "\n"


# ---------------------------------------------------------------------------------------------------------------

def _title(r: Report) -> str:
    lines = [f"{r.information.name}: {r.information.map}   on {_domain(r)}",
             f"{INDENT}{way(r)}.  {r.information.title}."]
    given = [f"{to_unicode_name(k)} = {fraction(v)}" for k, v in r.parameters.items()
             if not (k == "delta" and v == 0) and not any(c.name == k for c in r.choices)]
    if given:
        lines.append(INDENT + ", ".join(given))
    if r.restrictions:
        lines.append(f"{INDENT}inputs: {', '.join(r.restrictions)}")
    return "\n".join(lines)


def to_unicode_name(name: str) -> str:
    return to_unicode(symbol(name))


def _domain(r: Report) -> str:
    common = r.common_domain
    if common is not None:
        return _box(common, {1: "", 2: "²"}.get(r.inputs, f"^{to_unicode(r.inputs)}"))
    return ", ".join(f"{d.block} in {_box(d, '' if d.size == 1 else f'^{to_unicode(d.size)}')}" for d in r.domain)


def _box(d: BlockDomain, power: str) -> str:
    if d.hi == oo:
        return "the whole real line"
    text = f"[{to_unicode(d.lo)}, {to_unicode(d.hi)}]{power}"
    if d.low is not None and d.high is not None:
        text += f" = [{fraction(d.low)}, {fraction(d.high)}]{power}"
    return text


def _resources(r: Report) -> str:
    rows = []
    for key, q in r.shown_resources().items():
        note = {"up": "  (formula, rounded up)", "down": "  (formula, rounded down)"}.get(q.rounded or "", "")
        if q.symbolic.is_Symbol:
            note = note.replace("formula, ", "")
        rows.append([RESOURCES[key], "" if key == "bits" else to_unicode(q.symbolic), short(q) + note])
    kind = "ReLU network" if r.gate == "ffn" else "attention-only network, no ReLU"
    return f"Resources ({kind})\n" + table(["", "closed form", "value"] if r.has_values else ["", "closed form"],
                                           rows if r.has_values else [row[:2] for row in rows])


def _error(r: Report) -> str:
    if not r.terms:
        return f"Error ({measure(r)})\n" + INDENT + "0 (the network is exact)"
    rows = [[t.name, signed(t.interval), short(t.size)] for t in r.terms]
    rows.append(["total", signed(r.total_interval), short(r.total, 12)])
    where = "network − target lies in" if r.relative is None else "(network − target)/|target| lies in"
    headings = ["", where, "size"] if r.has_values else ["", where]
    of = f"; terms of the output {r.worst_output.name}, whose error is the largest" if r.worst_output else (
        "; the largest of all outputs" if r.outputs else "")
    text = f"Error ({measure(r)}{of})\n" + table(headings, rows if r.has_values else [x[:2] for x in rows])
    if r.outputs:
        from .parts import outputs_text
        text += "\n" + outputs_text(r)
    if r.has_values and "eps" in r.parameters:
        text += f"\n{INDENT}total ≤ ε = {fraction(r.parameters['eps'])}, proved"
    if r.relative is not None:
        text += f"\n{INDENT}{how_relative(r)}"
    return text


def signed(i: Interval) -> str:
    """±x, or [lo, hi] where the error has one sign."""
    if i.lo == -i.hi:
        return f"±{_bracketed(i.hi)}"
    return f"[{to_unicode(i.lo)}, {to_unicode(i.hi)}]"


def _bracketed(e: Expr) -> str:
    text = to_unicode(e)
    return f"({text})" if e.is_Add else text


def _parts(r: Report) -> str:
    from .parts import text  # of plans alone
    return text(r)


def _propagation(r: Report) -> str:
    if analysis_of(r).parts:
        from .parts import drawing
        return "Plan (gains are for this domain)\n" + "\n".join(INDENT + line for line in drawing(r))
    def cells(s: StageLine) -> list[str]:
        if r.has_values:
            return [short(q, 5, huge=True) for q in (s.incoming, s.gain, s.added, s.outgoing, s.softmax_lipschitz,
                                                     s.naive_outgoing)]
        return [to_unicode(q.symbolic) for q in (s.incoming, s.gain, s.added, s.outgoing, s.softmax_lipschitz)]

    headings = ["stage", "rule", "incoming", "gain", "added", "outgoing", "Lipschitz of softmax"]
    if r.has_values:
        headings.append("naive bound")
    text = "Error propagation (gain of the ideal stage; beside it what softmax's own Lipschitz constant β/2 would give)\n"
    text += table(headings, [[plain(stage(s)), s.rule, *cells(s)] for s in r.stages])
    if r.eta is not None:
        text += f"\n{INDENT}η = {to_unicode(r.eta.symbolic)} is {eta_meaning(r)}"
        text += f" ({short(r.eta, 5)})" if r.has_values else ""
    if any(s.rule == "R9" for s in r.stages):
        text += f"\n{INDENT}rule R9: a lemma on the whole composition replaces the propagated gate error above it"
    if r.has_values:
        text += f"\n{INDENT}naive total {short(r.naive_total, 5, huge=True)}, derived total {short(r.total, 12)}"
        if r.naive_total.upper is not None and r.total.upper is not None and r.naive_total.upper < r.total.upper:
            text += " (at so small a β even the naive route is the better one)"
    return text


def _choices(r: Report) -> str:
    rows = []
    for c in r.choices:
        value = f" = {number(c.value, 12)}" if c.value is not None else ""
        rows.append([to_unicode_name(c.name) + value, to_unicode(c.rule) if c.rule is not None else "",
                     written(why(c), to_unicode)])
    if not rows:
        return "Parameters chosen\n" + INDENT + "none: nothing was left free"
    title = "Parameters chosen" if r.has_values else "Parameters, as they are chosen for a given ε"
    return f"{title}\n" + table(["", "rule", "why"], rows)


def _conditions(r: Report) -> str:
    shown = [f"{INDENT}{to_unicode(c.lhs)} {c.rel_op.replace('>=', '≥')} {to_unicode(c.rhs)}" for c, _ in r.conditions]
    return "\n".join(["Conditions" + (" (all satisfied)" if r.has_values else ""), *shown])


def _sequence(s: SequenceReport) -> str:
    rows = [["codes", "none needed" if s.codes == "none" else f"{s.codes}, dimension {to_unicode(s.dimension.symbolic)}",
             short(s.dimension) if s.codes != "none" else ""]]
    if s.codes != "none":
        rows.append(["gap", "least 1 − ⟨u_i, u_j⟩ of two codes", short(s.gap)])
    if s.leak is not None and s.scale is not None:
        rows += [["leak of one gate", to_unicode(s.leak.symbolic), short(s.leak)],
                 ["score scale c", to_unicode(s.scale.symbolic), short(s.scale)]]
    lines = ["Sequence (the same network at every one of L data tokens)", table(["", "closed form", "value"], rows)]
    return "\n".join([*lines, *paragraph(f"Is the error independent of the sequence length? {plain(answer(s))}")])


def _generic(r: Report) -> str:
    rows = [[t.name, signed(t.interval)] for t in r.generic]
    return "Any gate with error in [−η, η] (derived by the algebra alone)\n" + table(["", "network − target lies in"], rows)


def proof(r: Report) -> str:
    """The derivation as a list of steps, each with its rule and closed forms."""
    lines = ["Derivation (rules and lemmas: docs/rules.md)"]
    for k, s in enumerate(r.stages, 1):
        lines.append(f"{INDENT}{k}. {plain(stage(s))} [{s.rule}]: incoming {to_unicode(s.incoming.symbolic)}, "
                     f"gain {to_unicode(s.gain.symbolic)}, added {to_unicode(s.added.symbolic)}")
        lines.append(f"{INDENT}   so outgoing {to_unicode(s.outgoing.symbolic)}")
    return "\n".join(lines)


def dimensions(r: Report) -> str:
    rows = []
    for s in shapes(r):
        shape = f"{_bracketed(s.rows.symbolic)} × {_bracketed(s.columns.symbolic)}"
        value = f"{short(s.rows)} × {short(s.columns)}" if short(s.rows) and short(s.columns) else ""
        rows.append([plain(layer(s)), s.matrix, shape, value, to_unicode(s.count.symbolic), to_unicode(s.entries.symbolic)])
    return "Dimensions\n" + table(["layer", "matrix", "shape", "value", "how many", "entries each"], rows)


def _symbols(r: Report) -> str:
    lines = ["Symbols" + (" (values: ↑ rounded up, without an arrow exact)" if r.has_values else "")]
    lines += [x for s, meaning in symbols(r) for x in paragraph(f"{to_unicode(s)}: {plain(meaning)}")]
    lines += [x for text in constants(r) for x in paragraph(plain(text))]
    return "\n".join(lines)


def _trusted(r: Report) -> str:
    lines = ["Trusted (everything else follows from the network term)"]
    for x in r.lemmas:
        lines += paragraph(f"{x.label}: {plain(x.statement)} [{x.reference.source}; {x.reference.standing}]")
    if not r.lemmas:
        lines.append(f"{INDENT}nothing: the network computes its map exactly")
    lines += paragraph(f"source: {r.information.source} ({standing(r)})")
    return "\n".join(lines)


def verification_only(r: Report) -> str:
    """All that `verify` has to say: which network, and what was found."""
    assert r.verification is not None
    from .verified import verification
    chosen = ", ".join(f"{to_unicode_name(c.name)} = {number(c.value, 12)}" for c in r.choices if c.value is not None)
    title = _title(r) + (f"\n{INDENT}chosen: {chosen}" if chosen else "")
    return f"{title}\n\n{verification(r.verification)}\n"
