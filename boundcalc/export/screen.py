"""The first screen of a bound: what most readers want, on 80 columns and 40 lines. `--full` (text.py) has all there is.

Order: the answer, what it costs, the error, how it arises, what was chosen, what would be cheaper, what it rests on, what to
type next. Nothing is evaluated that is not printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sympy import Expr, Integer, oo

from ..derivation.analysis import Stage
from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..layout import CONTENT, TIE, columns_of, ends, filled, labelled, padded, row, screen
from ..letters import written as letters
from ..results.bound import Bound, Quantity
from ..results.glossary import constants_in
from ..results.report import BlockDomain, Report, analysis_of, relu_counts
from ..tune.choice import Choice
from . import Wishes
from .choices import briefly_why, written
from .closed import broken, multiplicities, shortened, signed, text_of
from .comparisons import change, constant, gains, price
from .names import answer, how_relative, stage, way
from .values import as_chosen, brief, equals, fraction

COSTS = {       # key → label, in the order of the screen
    "layers": "layers", "heads": "heads", "relu_layers": "ReLU layers", "neurons": "ReLU units", "tokens": "tokens",
    "width": "width", "parameters": "parameters", "beta": "β", "logit": "logit", "magnitude": "largest weight",
}
NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
MOST_STAGES = 6
LINES = 40
WIDE = 72               # columns from which on lists are aligned
LONGEST_REST = 24       # characters of what the gates have a quarter of
NEXT = ("--verify", "--proof", "-f latex", "weights", "--full")


def render(report: Report, wishes: Wishes) -> str:
    """The screen; the parts that were asked for come at its end. What is not the answer itself gives way where it would be
    more than a screen."""
    if wishes.quiet:
        return heading(report, _verdict(report))[0] + "\n"
    asked = list(_asked_for(report, wishes))
    most = LINES - sum(len(x) + 1 for x in asked) if report.verification else LINES
    for stages, others in ((True, None), (False, None), (False, 1), (False, 0)):
        parts = _parts(report, wishes, stages, others)
        if _height(parts) <= most:
            break
    else:
        shorter = (_parts(report, wishes, False, 0, k) for k in reversed(range(1, len(report.choices))) if not asked)
        parts = next((x for x in shorter if _height(x) <= most), parts)
    parts = [*parts[:-1], *asked, parts[-1]] if asked else parts
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _height(parts: list[list[str]]) -> int:
    return sum(len(x) + 1 for x in parts) - 1


def _parts(r: Report, wishes: Wishes, stages: bool, others: int | None, choices: int | None = None) -> list[list[str]]:
    found = [title(r), costs(r), errors(r)]
    if isinstance(r.source, Bound) and (relu := relu_counts(r.source)) is not None and r.gate != "ffn":
        from .recipe import beside
        found.insert(2, beside(r, relu))
    if r.against is not None:
        from .recipe import together
        found.append(together(r, r.against))
    if r.parts:
        from .parts import text
        found.append(text(r).splitlines())
    elif stages and (table := gate_errors(r)):
        found.append(table)
    if r.sequence:
        found.append(sequence(r))
    hints = [x for x in NEXT if not _asked(x, r, wishes)]
    end = [*chosen(r, choices), *cheaper(r, others), *notes(r), *rests_on(r), *labelled("next", " · ".join(hints))]
    return [*found, end]


def _asked_for(r: Report, wishes: Wishes) -> Iterator[list[str]]:
    if r.verification:
        from .verified import screen as of_verification
        yield of_verification(r.verification)
    if wishes.proof or wishes.dimensions:
        from . import text as full
        if wishes.proof:
            yield full.proof(r).splitlines()
        if wishes.dimensions:
            yield full.dimensions(r).splitlines()


def _asked(option: str, r: Report, wishes: Wishes) -> bool:
    return (option == "--verify" and r.verification is not None) or (option == "--proof" and wishes.proof)


# ---------------------------------------------------------------------------------------------------------------
# the answer

def title(r: Report) -> list[str]:
    return [*heading(r, _verdict(r)), *filled(_how(r), indent=len(_name(r)), start=len(_name(r)))]


def _verdict(r: Report) -> str:
    return "proved" if "eps" in r.parameters else ""


def heading(r: Report, verdict: str) -> list[str]:
    within = f" within {'' if r.relative is None else 'ε·|target|, '}{equals('ε', r.parameters['eps'])}" \
        if "eps" in r.parameters else ""
    indent = " " * len(_name(r))
    lines = ends(f"{_name(r)}{r.information.map} on {domain(r)}{within}", verdict)
    return [lines[0], *(indent + x.strip() for x in lines[1:])]


def _name(r: Report) -> str:
    return f"{r.information.name:<4}   "


def _how(r: Report) -> str:
    kind = "a ReLU network, for comparison" if r.gate == "ffn" else "attention only, no ReLU"
    words = analysis_of(r).how.words if not r.parts else ""
    settings = ", ".join(x for x in (written_parameters(r).replace(" = ", f"{TIE}={TIE}"), *r.restrictions) if x)
    return f"{way(r)}{f': {words}' if words else ''}; {kind}" + (f"; {settings}" if settings else "")


def written_parameters(r: Report) -> str:
    """What was given beside ε and the domain."""
    chosen_ones = {c.name for c in r.choices}
    usual = multiplicities(analysis_of(r).construction)
    left_out = {"eps", "M", "a", "b", "L", *(name for d in r.domain for name in (f"a_{d.block}", f"b_{d.block}"))}
    own = analysis_of(r).construction.own_interval
    shown = [equals(to_unicode(symbol(k)), v) for k, v in r.parameters.items()
             if k not in chosen_ones | left_out and usual.get(k) != v and not (k.startswith("delta") and v == 0)]
    if own is not None:
        values = r.parameters
        low, high = (-values["M"], values["M"]) if "M" in values else (values["a"], values["b"])
        shown.insert(0, f"[a, b] = [{fraction(low)}, {fraction(high)}]")
    if r.sequence is not None:
        shown.append(f"at each of L = {as_chosen(r.parameters['L'])} tokens")
    return ", ".join(shown)


def domain(r: Report) -> str:
    common = r.common_domain
    if common is not None:
        return _box(common, _size(r.inputs, r))
    return ", ".join(f"{d.block} in {_box(d, _size(d.size, r))}" for d in r.domain)


def _size(size: Expr, r: Report) -> Expr:
    return shortened(size, r).subs({symbol(name): x.numerator for name, x in r.parameters.items() if x.denominator == 1})


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
    if form == symbol(key):         # β as it was given or searched
        searched = any(c.name == key and c.kind == "searched" for c in r.choices)
        return "least with total error ≤ ε, searched" if searched else ""
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
    room = screen() - (CONTENT if screen() >= WIDE else 4)
    found = broken(text, room, lines=1) or broken(text, room, first=beside) or broken(text, room)
    return found if found is not None else [f"long: --only {key}"]


def errors(r: Report) -> list[str]:
    if not r.terms:
        return row("error", [], "0 (the network is exact)")
    of = f" of {r.worst_output.name}, the worst output," if r.worst_output else ""
    where = f"network − target{of} lies in" if r.relative is None else "(network − target)/|target| lies in"
    lines = row("error", [where], "")
    for t in r.terms:
        value = brief(t.size)
        lines += row(f"  {t.name}", formula_lines(signed(t.interval, r), t.name, value), value)
    total = "their sum" if len(r.terms) > 1 else ""
    at_most = "at most ε" if "eps" in r.parameters else ""
    if total or at_most:
        lines += row("  total", [", ".join(x for x in (total, at_most) if x)], brief(r.total))
    return [*lines, *(labelled("  relative", how_relative(r)) if r.relative is not None else [])]


def gate_errors(r: Report) -> list[str]:
    """How the errors of single gates pass through the network, and what the Lipschitz constant β/2 of softmax gives."""
    if not isinstance(r.source, Bound) or r.gate in (None, "ffn"):
        return []
    analysis, bound = analysis_of(r), r.source
    if not analysis.construction.numeric and not any(t.name == "gates" for t in r.terms):
        return []
    stages = [s for s in analysis.stages if s.rule != "R9" and not (s.step.lemma and s is analysis.stages[-1])]
    worst = r.worst_output
    if analysis.construction.numeric and worst is not None:         # of many outputs the one with the largest error
        stages = [s for s in stages if not s.blocks or worst.name in s.blocks]
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
    codes = "none needed" if s.codes == "none" else f"{s.codes}, dimension {to_unicode(s.dimension.symbolic)}"
    lines = row("sequence", ["closed form"], "value")
    lines += row("  position codes", [codes], brief(s.dimension) if s.codes != "none" else "")
    for label, q in (("leak of a gate", s.leak), ("score scale c", s.scale)):
        if q is not None:
            lines += row(f"  {label}", formula_lines(text_of(shortened(q.symbolic, r)), "leak", brief(q)), brief(q))
    return [*lines, *labelled("  free of L?", plain(answer(s)))]


# ---------------------------------------------------------------------------------------------------------------
# what was chosen, what would be cheaper, what it rests on

def chosen(r: Report, most: int | None = None) -> list[str]:
    found = [(c, c.value) for c in r.choices if c.value is not None]
    names = [to_unicode(symbol(c.name)) + (f" = {as_chosen(x)}" if c.name != "beta" else "") for c, x in found]
    lines = _listed("chosen", [(name, [_why(c)]) for name, (c, _) in zip(names[:most], found, strict=False)])
    return lines if most is None else [*lines, *labelled("", f"… and {', '.join(names[most:])}: --full")]


def _why(choice: Choice) -> str:
    text = written(briefly_why(choice), text_of)
    start, quarter, rest = text.partition("a quarter of ")
    return f"{start}{quarter}what δ leaves of ε" if len(rest) > LONGEST_REST else text


def cheaper(r: Report, most: int | None = None) -> list[str]:
    return _listed("cheaper", [(change(a), [gains(a), *([f"but {price(a.price)}"] if a.price else [])])
                               for a in r.alternatives[:most]])


def _listed(label: str, items: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Names and what is said of them, aligned below each other where there is room."""
    lines: list[str] = []
    items = [(letters(name), texts) for name, texts in items]
    indent = max((len(name) for name, _ in items), default=0) + 3
    for name, texts in items:
        head = label if not lines else ""
        if screen() < WIDE:
            lines += labelled(head, f"{name}: {', '.join(texts)}")
            continue
        for text in texts:
            start = CONTENT + (indent if len(items) < 9 else len(name) + 3)
            found = filled(text, indent=start, start=start)
            lines += [padded(padded(head, CONTENT) + name, start) + found[0][start:], *found[1:]]
            head = name = ""
    return lines


def notes(r: Report) -> list[str]:
    return labelled("note", constant(r.constant)) if r.constant is not None else []


def rests_on(r: Report) -> list[str]:
    lemmas = [f"{x.label} ({x.reference.source.partition(' (docs')[0]})" for x in r.lemmas]
    if not lemmas:
        return labelled("rests on", "nothing but the weights: every step is exact")
    shown = [q.symbolic for q in r.shown_resources().values()] + [e for t in r.terms for e in (t.interval.lo, t.interval.hi)]
    known = "; ".join(plain(text).replace(" = ", f"{TIE}={TIE}") for text in constants_in(shown, brief=True))
    return labelled("rests on", ", ".join(lemmas) + (f"; {known}" if known else ""))



def of_verification(r: Report, wishes: Wishes) -> str:
    """What `verify` prints: which network, and what was found."""
    assert r.verification is not None
    from .verified import outcome
    from .verified import screen as found
    first = heading(r, outcome(r.verification))
    if wishes.quiet:
        return first[0] + "\n"
    chosen_ones = [f"{to_unicode(symbol(c.name))} = {as_chosen(c.value)}" for c in r.choices if c.value is not None]
    how = ", ".join(x for x in (way(r), written_parameters(r), *chosen_ones) if x)
    return "\n".join([*first, *filled(how, indent=len(_name(r)), start=len(_name(r))), "", *found(r.verification)]) + "\n"
