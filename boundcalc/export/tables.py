"""The tables of a theorem: parameters, resources, terms of the error, dimensions, propagation, sequence."""

from __future__ import annotations

from fractions import Fraction

from ..formulas.symbols import symbol
from ..lemmas.rules import RULES
from ..results.bound import Quantity
from ..results.glossary import symbols, terms_of
from ..results.report import RESOURCES, Report, SequenceReport, shapes
from ..tune.choice import Choice
from .choices import why
from .document import Line, Math, Number, Table, math, words
from .names import eta_meaning, layer, stage
from .values import given, short

MARKS = "↑ rounded up; a value without an arrow is exact."
LOGIT = "The logit is $β$ times (largest − smallest score)."
BITS = "Bits: longest numerator or denominator of a weight or of $β$."
ROUNDED = "(up), (down): the formula, rounded to a rational in that direction, is what the network has."
GAIN = "Names behind a colon are coordinates of the state. Gain: bound of the Lipschitz constant of the ideal stage."
SUPERSEDED = "The lines above that of rule R9 are shown for comparison: the lemma takes their place."
LABELS = {**RESOURCES, "width": "width $D$", "magnitude": "largest |weight|", "beta": "$β$", "logit": "logit"}
MATRICES = {"weight + bias": "$U$, $r$", "Q": "$Q$", "K": "$K$", "V": "$V$"}
CODES = {"onehot": "unit vectors", "circle": "rational points on the unit circle next to the $L$-th roots of unity"}
Row = tuple[Line, ...]


def _if_valued(r: Report, *cells: Line) -> Row:
    """Cells that only a report with numbers has."""
    return cells if r.has_values else ()


def _number(q: Quantity, digits: int = 7, huge: bool = False) -> Line:
    shown = short(q, digits, huge)
    return (Number(shown),) if shown else ()


def parameters(r: Report) -> Table:
    """Every symbol with its meaning, its value, and how it got it or would get it."""
    chosen = {c.name: c for c in r.choices}
    rows: list[Row] = []
    for s, meaning in symbols(r):
        value, choice = r.parameters.get(s.name), chosen.get(s.name)
        how = _why(choice) if choice else words("given, or by default" if r.has_values else "free")
        shown: Line = (Number(given(value)),) if value is not None else ()
        rows.append(((math(s),), *_if_valued(r, shown), words(meaning), how))
    if r.eta is not None:
        rows.append(((math(symbol("eta")),), *_if_valued(r, _number(r.eta)), words(eta_meaning(r)), words("by its lemma")))
    how = words("how it is chosen") if r.has_values else words("how it is chosen for a given ", math(symbol("eps")))
    headings = (("symbol",), *_if_valued(r, ("value",)), ("meaning",), how)
    return Table(words("Parameters"), "lrww" if r.has_values else "lww", headings, tuple(rows),
                 words(MARKS) if r.has_values else ())


def _why(choice: Choice) -> Line:
    return words(*(part if isinstance(part, str) else math(part) for part in why(choice)))


def resources(r: Report) -> Table:
    rows: list[Row] = []
    for key, q in r.shown_resources().items():
        closed: Line = () if key == "bits" else (math(q.symbolic),)
        rounded = (f" ({q.rounded})",) if q.rounded else ()
        rows.append((words(LABELS[key]), closed, *_if_valued(r, (*_number(q), *rounded))))
    notes = [note for key, note in (("logit", LOGIT), ("bits", BITS)) if key in r.shown_resources()]
    if r.has_values:
        notes += [MARKS, *([ROUNDED] if any(q.rounded for q in r.shown_resources().values()) else [])]
    return Table(words("Resources"), "lfr" if r.has_values else "lf",
                 (("resource",), ("closed form",), *_if_valued(r, ("value",))), tuple(rows), words(" ".join(notes)))


def terms(r: Report, name: dict[str, Math]) -> Table:
    """The sizes of the named terms of the error."""
    rows: list[Row] = [((name[t.name],), words(terms_of(r)[t.name]), _number(t.size, 9)) for t in r.terms]
    rows.append((words("total"), (), _number(r.total, 9)))
    return Table(words("Terms of the error"), "lwr", (("term",), ("what it is",), ("size",)), tuple(rows), words(MARKS))


def dimensions(r: Report) -> Table:
    """The shape of every matrix, layer by layer."""
    rows: list[Row] = []
    last = ""
    for s in shapes(r):
        if layer(s) != last:
            last = layer(s)
            rows.append((words(last),))
        tall, wide = short(s.rows), short(s.columns)
        value: Line = (math(f"{tall} × {wide}"),) if tall and wide else ()
        rows.append((words(MATRICES.get(s.matrix, s.matrix)), (math(s.rows.symbolic),), (math(s.columns.symbolic),),
                     *_if_valued(r, value), (math(s.count.symbolic),), (math(s.entries.symbolic),)))
    headings = (("matrix",), ("rows",), ("columns",), *_if_valued(r, ("value",)), ("how many",), ("entries each",))
    return Table(words("Dimensions"), "lfflff" if r.has_values else "lffff", headings, tuple(rows), words(
        "Layers have the names of the stages below. How many: of this kind in the layer. Entries: those that are written "
        "down in one of them; all others are 0."))


def propagation(r: Report) -> Table:
    """Stage by stage: numbers, or closed forms where there are none."""
    rows: list[Row] = []
    for s in r.stages:
        rows.append((words(f"{stage(s)} (rule {s.rule})"),))
        if r.has_values:
            rows.append(tuple(_number(q, 5, huge=True) for q in (*s.flow.values(), s.naive_outgoing)))
        else:
            rows += [((name,), (math(q.symbolic),)) for name, q in s.flow.items()]
    cited = ", ".join(f"{rule} {RULES[rule][0].lower()}" for rule in dict.fromkeys(s.rule for s in r.stages))
    notes: list[str | Number] = [f"{GAIN} Rules: {cited}. "]
    if any(s.superseded for s in r.stages):
        notes.append(f"{SUPERSEDED} ")
    if not r.has_values:
        return Table(words("Error propagation"), "lf", (("",), ("closed form",)), tuple(rows), words(*notes))
    steepest = max((s.softmax_lipschitz for s in r.stages), key=lambda q: q.upper or Fraction(0))
    if steepest.upper:
        notes += ["Naive: what the Lipschitz constant of softmax itself, at most ", Number(short(steepest, 5)),
                  ", would give. "]
    notes.append(MARKS)
    headings = (("incoming",), ("gain",), ("added",), ("outgoing",), ("naive",))
    return Table(words("Error propagation"), "rrrrr", headings, tuple(rows), words(*notes))


def sequence(s: SequenceReport) -> Table:
    """Codes, leak and score scale of a sequence."""
    rows: list[Row] = []
    if s.codes == "none":
        rows.append((words("position codes: none needed"), (), ()))
    else:
        codes = words(f"position codes $u_i$: {CODES[s.codes]}; dimension")
        rows.append((codes, (math(s.dimension.symbolic),), _number(s.dimension)))
        rows.append((words("gap, the least $1 − ⟨u_i, u_j⟩$"), (math(s.gap.symbolic),), _number(s.gap)))
    for name, q in (("leak of one gate", s.leak), ("score scale $c$, which sets other tokens apart", s.scale)):
        if q is not None:
            rows.append((words(name), (math(q.symbolic),), _number(q)))
    return Table(words("Sequence: the same network at every data token"), "wfr", (("",), ("closed form",), ("value",)),
                 tuple(rows), words(MARKS))
