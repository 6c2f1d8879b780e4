"""The first screen of a bound: what most readers want, on 80 columns and 40 lines. `--full` (text.py) has all there is.

Order: the answer, what it costs, the error, how it arises, what was chosen, what would be cheaper, what it rests on, what to
type next. Nothing is evaluated that is not printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy import Expr, Integer, oo

from ..derivation.analysis import Stage
from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..layout import CONTENT, TIE, columns_of, ends, filled, labelled, row, screen
from ..results.bound import Bound, Quantity
from ..results.glossary import constants_in
from ..results.report import BlockDomain, Report, analysis_of
from . import Wishes
from .choices import briefly_why, written
from .closed import broken, multiplicities, shortened, signed, text_of
from .comparisons import change, constant, gains, price
from .names import answer, stage, way
from .values import as_chosen, brief, fraction

COSTS = {       # key → label, in the order of the screen
    "layers": "layers", "heads": "heads", "relu_layers": "ReLU layers", "neurons": "ReLU units", "tokens": "tokens",
    "width": "width", "parameters": "parameters", "beta": "β", "logit": "logit", "magnitude": "largest weight",
}
NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
MOST_STAGES = 6
NEXT = ("--verify", "--proof", "-f latex", "weights", "--full")


def render(report: Report, wishes: Wishes) -> str:
    """The screen; the parts that were asked for come at its end."""
    if wishes.quiet:
        return heading(report)[0] + "\n"
    parts = [title(report), costs(report), errors(report)]
    if report.parts:
        from .parts import text
        parts.append(text(report).splitlines())
    elif found := gate_errors(report):
        parts.append(found)
    if report.sequence:
        parts.append(sequence(report))
    parts.append([*chosen(report), *cheaper(report), *notes(report), *rests_on(report)])
    if report.verification:
        from .verified import verification
        parts.append(verification(report.verification).splitlines())
    if wishes.proof or wishes.dimensions:
        from . import text as full
        parts += [part(report).splitlines() for part, wanted in
                  ((full.proof, wishes.proof), (full.dimensions, wishes.dimensions)) if wanted]
    parts[-1] += labelled("next", " · ".join(x for x in NEXT if not _asked(x, report, wishes)))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _asked(option: str, r: Report, wishes: Wishes) -> bool:
    return (option == "--verify" and r.verification is not None) or (option == "--proof" and wishes.proof)


# ---------------------------------------------------------------------------------------------------------------
# the answer

def title(r: Report) -> list[str]:
    return [*heading(r, "proved" if "eps" in r.parameters else ""), *filled(_how(r), indent=len(_name(r)), start=len(_name(r)))]


def heading(r: Report, verdict: str = "proved") -> list[str]:
    within = f" within ε = {fraction(r.parameters['eps'])}" if "eps" in r.parameters else ""
    indent = " " * len(_name(r))
    lines = ends(f"{_name(r)}{r.information.map} on {domain(r)}{within}", verdict if within else "")
    return [lines[0], *(indent + x.strip() for x in lines[1:])]


def _name(r: Report) -> str:
    return f"{r.information.name:<4}   "


def _how(r: Report) -> str:
    kind = "a ReLU network, for comparison" if r.gate == "ffn" else "attention only, no ReLU"
    words = analysis_of(r).how.words if not r.parts else ""
    settings = ", ".join(x for x in (written_parameters(r), *r.restrictions) if x)
    return f"{way(r)}{f': {words}' if words else ''}; {kind}" + (f"; {settings}" if settings else "")


def written_parameters(r: Report) -> str:
    """What was given beside ε and the domain."""
    chosen_ones = {c.name for c in r.choices}
    usual = multiplicities(analysis_of(r).construction)
    left_out = {"eps", "M", "a", "b", "L", *(name for d in r.domain for name in (f"a_{d.block}", f"b_{d.block}"))}
    own = analysis_of(r).construction.own_interval
    shown = [f"{to_unicode(symbol(k))} = {fraction(v)}" for k, v in r.parameters.items()
             if k not in chosen_ones | left_out and usual.get(k) != v and not (k.startswith("delta") and v == 0)]
    if own is not None:
        low, high = (-r.parameters["M"], r.parameters["M"]) if "M" in r.parameters else (r.parameters["a"], r.parameters["b"])
        shown.insert(0, f"[a, b] = [{fraction(low)}, {fraction(high)}]")
    if r.sequence is not None:
        shown.append(f"at each of L = {as_chosen(r.parameters['L'])} tokens")
    return ", ".join(shown)


def domain(r: Report) -> str:
    common = r.common_domain
    if common is not None:
        return _box(common, r.inputs)
    return ", ".join(f"{d.block} in {_box(d, d.size)}" for d in r.domain)


def _box(d: BlockDomain, size: Expr) -> str:
    power = {Integer(1): "", Integer(2): "²", Integer(3): "³"}.get(size, f"^{to_unicode(size)}")
    if d.hi == oo:
        return "ℝ" + power
    low, high = ((fraction(d.low), fraction(d.high)) if d.low is not None and d.high is not None
                 else (to_unicode(d.lo), to_unicode(d.hi)))
    return f"[{low}, {high}]{power}"


# ---------------------------------------------------------------------------------------------------------------
# costs and error

def costs(r: Report) -> list[str]:
    lines = row("costs", ["closed form"], "value")
    shown = r.shown_resources()
    for key, label in COSTS.items():
        if key in shown:
            q = shown[key]
            lines += row(f"  {label}", formula_lines(_form(key, q, r), key, brief(q)), brief(q))
    return lines


def _form(key: str, q: Quantity, r: Report) -> str:
    form = shortened(q.symbolic, r)
    if key == "heads" and "heads_per_layer" in r.resources:
        each = shortened(r.resources["heads_per_layer"].symbolic, r)
        layers = shortened(r.resources["layers"].symbolic, r)
        if each.is_Integer and layers != 1 and (form - each * layers).expand() == 0:
            return f"{text_of(form)}, {NUMERALS.get(int(each), str(each))} per layer"
    return text_of(form)


def formula_lines(text: str, key: str, value: str) -> list[str]:
    """The formula beside its value, or on lines of its own, or where to see it."""
    beside = screen() - CONTENT - len(value) - 1
    if len(text) <= beside:
        return [text]
    room = screen() - min(CONTENT, 4 if screen() < 80 else CONTENT)
    found = broken(text, room)
    return found if found is not None else [f"long: --only {key}"]


def errors(r: Report) -> list[str]:
    if not r.terms:
        return row("error", [], "0 (the network is exact)")
    lines = row("error", ["network − target lies in"], "")
    for t in r.terms:
        value = brief(t.size)
        lines += row(f"  {t.name}", formula_lines(signed(t.interval, r), t.name, value), value)
    total = "their sum" if len(r.terms) > 1 else ""
    at_most = "at most ε" if "eps" in r.parameters else ""
    if total or at_most:
        lines += row("  total", [", ".join(x for x in (total, at_most) if x)], brief(r.total))
    return lines


def gate_errors(r: Report) -> list[str]:
    """How the errors of single gates pass through the network, and what the Lipschitz constant β/2 of softmax gives."""
    if not isinstance(r.source, Bound) or r.gate in (None, "ffn") or not any(t.name == "gates" for t in r.terms):
        return []
    analysis, bound = analysis_of(r), r.source
    stages = [s for s in analysis.stages if s.rule != "R9"]
    if len(stages) < 2:
        return []

    def value(e: Expr, huge: bool = False) -> str:
        full = analysis.with_eta(e)
        if huge or full.has(oo):
            return brief(bound.quantity_unless_huge(full))
        return brief(Quantity(full, *bound.value(full)))

    def cells(s: Stage) -> list[str]:
        return [f"  {_stage(s)}", value(s.incoming), value(s.gain), value(s.added), value(s.outgoing),
                value(s.naive_outgoing, huge=True)]

    alone = [s.step for s in stages]

    def _stage(s: Stage) -> str:
        return plain(stage(s if alone.count(s.step) > 1 else replace(s, blocks=())))

    shown = stages if len(stages) <= MOST_STAGES else [*stages[:MOST_STAGES - 1], stages[-1]]
    lines = columns_of(["gate errors", "in", "gain", "added", "out", "by β/2 alone"], [cells(s) for s in shown], "lrrrrr")
    if len(shown) < len(stages):
        lines.append(f"  … {len(stages) - len(shown)} more lines: --full")
    whole = next((s for s in analysis.stages if s.rule == "R9"), None)
    if whole is not None and whole.step.lemma:
        size = next(t.size for t in r.terms if t.name == "gates")
        lines += ends(f"  lemma {whole.step.lemma}, on the whole network, replaces these lines:", brief(size))
    return lines


def sequence(r: Report) -> list[str]:
    s = r.sequence
    assert s is not None
    lines = row("sequence", ["closed form"], "value")
    if s.codes == "none":
        lines += row("  codes", ["none needed"], "")
    else:
        lines += row("  codes", [f"{s.codes}, dimension {to_unicode(s.dimension.symbolic)}"], brief(s.dimension))
        lines += row("  gap of codes", ["least 1 − ⟨u_i, u_j⟩"], brief(s.gap))
    for label, q in (("leak of a gate", s.leak), ("score scale c", s.scale)):
        if q is not None:
            lines += row(f"  {label}", formula_lines(text_of(shortened(q.symbolic, r)), "leak", brief(q)), brief(q))
    return [*lines, *labelled("  free of L?", plain(answer(s)))]


# ---------------------------------------------------------------------------------------------------------------
# what was chosen, what would be cheaper, what it rests on

def chosen(r: Report) -> list[str]:
    found = [c for c in r.choices if c.value is not None]
    if not found:
        return []
    names = [to_unicode(symbol(c.name)) + (f" = {as_chosen(c.value)}" if c.name != "beta" else "")
             for c in found if c.value is not None]
    indent = max(map(len, names)) + 3
    lines: list[str] = []
    for name, c in zip(names, found, strict=True):
        why = written(briefly_why(c), text_of)
        lines += labelled("chosen" if not lines else "", f"{name:<{indent}}{why}" if screen() >= 60 else f"{name}: {why}")
    return lines


def cheaper(r: Report) -> Iterator[str]:
    label = "cheaper"
    for a in r.alternatives:
        first = f"{change(a):<18}"
        yield from labelled(label, f"{first}{gains(a)}" if screen() >= 60 else f"{change(a)}: {gains(a)}")
        if a.price:
            indent = max(4, min(CONTENT + 18, screen() - 43))
            yield from filled(f"but {price(a.price)}", indent=indent, start=indent)
        label = ""


def notes(r: Report) -> list[str]:
    return labelled("note", constant(r.constant)) if r.constant is not None else []


def rests_on(r: Report) -> list[str]:
    lemmas = [f"{x.label} ({x.reference.source.partition(' (docs')[0]})" for x in r.lemmas]
    if not lemmas:
        return labelled("rests on", "nothing but the weights: every step is exact")
    shown = [q.symbolic for q in r.shown_resources().values()] + [e for t in r.terms for e in (t.interval.lo, t.interval.hi)]
    known = "; ".join(plain(text).replace(" = ", f"{TIE}={TIE}") for text in constants_in(shown, brief=True))
    return labelled("rests on", ", ".join(lemmas) + (f"; {known}" if known else ""))

