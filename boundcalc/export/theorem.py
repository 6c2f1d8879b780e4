"""The theorem of a report: hypotheses, network, resources, error bound, shapes and propagation; and its proof."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sympy import Expr, expand, oo

from ..bounds import Quantity
from ..command import command_line
from ..exact import is_exact_decimal
from ..glossary import TERMS, constants, eta, symbols
from ..notation import to_unicode
from ..report import RESOURCES, Report, SequenceReport, Shape, StageLine, Term, analysis_of, shapes, way
from ..symbols import symbol
from ..verify.result import Verification
from . import Wishes
from .bibtex import sources
from .derivation import comparison, derivation
from .document import (
    Block,
    Cite,
    Code,
    Display,
    Document,
    Equation,
    Items,
    Line,
    Math,
    Number,
    Paragraph,
    Statement,
    Table,
    math,
    words,
)
from .values import given, number, short

MARKS = "↑ rounded up; a value without an arrow is exact."
DIFFERENCE = "‖Φ(x) − f(x)‖_∞"


def document(report: Report, wishes: Wishes) -> Document:
    cited = sources(report)
    blocks: list[Block] = [Statement("theorem", _title(report), tuple(_theorem(report)))]
    if wishes.proof:
        blocks.append(Statement("proof", (), tuple(derivation(report))))
        blocks += comparison(report)
    if report.verification is not None:
        blocks.append(Statement("remark", ("Verification",), tuple(_verification(report.verification))))
    blocks.append(Statement("remark", ("Sources and standing",), tuple(_standing(report, cited, stated=wishes.proof))))
    return Document(words(report.information.title, ": ", *_map(report)), tuple(blocks), cited)


def _title(r: Report) -> Line:
    return words(f"{r.information.title}, {way(r)}")


def _map(r: Report) -> Line:
    return words(r.information.map_prose)


# ---------------------------------------------------------------------------------------------------------------

def _theorem(r: Report) -> Iterator[Block]:
    yield from _hypotheses(r)
    yield from _claim(r)
    yield _resources(r)
    if r.terms and r.has_values:
        yield _sizes(r)
    yield from _network(r)
    yield _propagation(r)
    if r.sequence is not None:
        yield _sequence(r.sequence)
        yield Paragraph(words(f"Is the error independent of the sequence length? {r.sequence.answer}"))


def _hypotheses(r: Report) -> Iterator[Block]:
    copies = words("$d$ copies side by side of the map ") if analysis_of(r).construction.block is None else words("the map ")
    tokens = words(", at every one of $L$ data tokens") if r.sequence is not None else ()
    yield Paragraph((*words("Let $f$ be "), *copies, *_map(r), *tokens, *words(", with the following parameters.")))
    yield _parameters(r)
    rules = [Equation(math(symbol(c.name)), "≈" if c.rounded else "=", math(c.rule)) for c in r.choices if c.rule is not None]
    if r.eta is not None:
        rules.append(Equation(math(symbol("eta")), "=", math(r.eta.symbolic)))
    if rules:
        yield Paragraph(words("The parameters that are not given are chosen by the rules"))
        yield Display(tuple(rules))
    explained = constants(r)
    if explained:
        yield Paragraph(words(f"Here {'; '.join(explained)}."))
    if r.conditions:
        yield Paragraph((*words("The counts hold where "), *(x for k, (c, _) in enumerate(r.conditions) for x in (
            ", " if k else "", math(c.lhs, "≥", c.rhs))), "."))


def _parameters(r: Report) -> Table:
    """Every symbol with its meaning; its value and how it got it, or the rule by which it is chosen."""
    chosen = {c.name: c for c in r.choices}
    rows: list[tuple[Line, ...]] = []
    for s, meaning in symbols(r):
        value = r.parameters.get(s.name)
        how = _formatted(chosen[s.name].why, chosen[s.name].about) if s.name in chosen \
            else words("given" if r.has_values else "free")
        rows.append(((math(s),), words(meaning), *(((Number(given(value)),) if value is not None else (),)
                                                   if r.has_values else ()), how))
    if r.eta is not None:
        rows.append(((math(symbol("eta")),), words(eta(r)),
                     *(((Number(short(r.eta, 6)),),) if r.has_values else ()), words("by its lemma")))
    if r.has_values:
        return Table(words("Parameters"), "lwrw", (("symbol",), ("meaning",), ("value",), ("how it is chosen",)), tuple(rows),
                     words(MARKS))
    return Table(words("Parameters"), "lww", (("symbol",), ("meaning",), ("how it is chosen for a given ", math(symbol("eps")))),
                 tuple(rows))


def _formatted(text: str, about: tuple[Expr, ...]) -> Line:
    """A sentence with {0}, {1}, … for formulas."""
    out: list = []
    rest = text
    for k, e in enumerate(about):
        before, found, after = rest.partition(f"{{{k}}}")
        if not found:
            continue
        out += [*words(before), math(e)]
        rest = after
    return (*out, *words(rest))


# ---------------------------------------------------------------------------------------------------------------
# the error bound

def _claim(r: Report) -> Iterator[Block]:
    kind = "a ReLU network" if r.gate == "ffn" else "an attention-only softmax network"
    domain = math(f"x ∈ {_domain(r)}")
    if not r.terms:
        yield Paragraph((*words(f"There is {kind} $Φ$ with the resources below and "), math("Φ(x) = f(x)"),
                         *words(" for every "), domain, "."))
        return
    disturbed = words(" and every $y$ with $‖y − x‖_∞ ≤ δ$") if _input_error(r) else ()
    yield Paragraph((*words(f"There is {kind} $Φ$ with the resources below such that for every "), domain, *disturbed,
                     *words("" if _symmetric_total(r) else ", in every coordinate,")))
    yield Display(tuple(_bound(r)))
    if r.has_values:
        yield Paragraph(_attained(r))


def _bound(r: Report) -> Iterator[Equation]:
    """The claimed inequality by named terms, and below it what each term is."""
    point = "y" if _input_error(r) else "x"
    if _symmetric_total(r):
        left = math(DIFFERENCE.replace("Φ(x)", f"Φ({point})"))
        yield Equation(left, "≤", math(" + ".join(_name(t, "") for t in r.terms)))
    else:
        above = [_name(t, "+") for t in r.terms if t.interval.hi != 0]
        below = [_name(t, "−") for t in r.terms if t.interval.lo != 0]
        difference = math(f"Φ({point}) − f(x)")
        yield Equation(difference, "≤", math(" + ".join(above) or "0"))
        yield Equation(difference, "≥", math("−" + " − ".join(below) if below else "0"))
    for t in r.terms:
        if _symmetric(t) or _one_sided(t):
            yield Equation(math(_name(t, "")), "=", math(_size(t)))
        else:
            yield Equation(math(_name(t, "+")), "=", math(t.interval.hi))
            yield Equation(math(_name(t, "−")), "=", math(-t.interval.lo))


def _name(t: Term, side: str) -> str:
    """E with the name of the term; with a sign only where its two sides differ."""
    return f"E_{t.name}" if _symmetric(t) or _one_sided(t) else f"E_{t.name}^{side}"


def _size(t: Term) -> Expr:
    return t.interval.hi if t.interval.hi != 0 else -t.interval.lo


def _symmetric(t: Term) -> bool:
    return bool(expand(t.interval.lo + t.interval.hi) == 0)


def _one_sided(t: Term) -> bool:
    return t.interval.lo == 0 or t.interval.hi == 0


def _symmetric_total(r: Report) -> bool:
    return all(_symmetric(t) for t in r.terms)


def _input_error(r: Report) -> bool:
    return r.parameters.get("delta", Fraction(0)) != 0


def _attained(r: Report) -> Line:
    """What the bound is at the chosen parameters."""
    eps = r.parameters.get("eps")
    rounded = "exactly" if r.total.exact is not None and is_exact_decimal(r.total.exact, 12) else "rounded up"
    total = (*words("At these parameters the error is at most "), Number(short(r.total, 12).rstrip("↑")), f" ({rounded})")
    return (*total, ", which is at most ", math(symbol("eps"), "="), " ", Number(given(eps)), ".") if eps is not None \
        else (*total, ".")


def _domain(r: Report) -> str:
    lo, hi = r.domain
    count = r.inputs if analysis_of(r).construction.block else r.inputs * symbol("d")
    count = count * symbol("L") if r.sequence is not None else count
    power = f"^({to_unicode(count)})"
    return f"ℝ{power}" if hi == oo else f"[{to_unicode(lo)}, {to_unicode(hi)}]{power}"


def _sizes(r: Report) -> Table:
    rows = [((math(_name(t, "")) if _symmetric(t) or _one_sided(t) else math(f"E_{t.name}^±"),),
             words(TERMS[t.name]), (Number(short(t.size, 9)),)) for t in r.terms]
    rows.append((words("total"), (), (Number(short(r.total, 9)),)))
    return Table(words("Terms of the error"), "lwr", (("term",), ("what it is",), ("size",)), tuple(rows), words(MARKS))


# ---------------------------------------------------------------------------------------------------------------
# tables

def _resources(r: Report) -> Table:
    rows = []
    for key, q in r.shown_resources().items():
        closed: Line = () if key == "bits" else (math(q.symbolic),)
        value = ((Number(short(q, 7)), *([f" ({'up' if q.rounded == 'up' else 'down'})"] if q.rounded else [])),) \
            if r.has_values else ()
        rows.append((words(LABELS.get(key, RESOURCES[key])), closed, *value))
    note = "The logit is $β$ times (largest − smallest score); bits: longest numerator or denominator of a weight."
    if r.has_values:
        note += f" {MARKS}" + (" (up), (down): the formula, rounded to a rational in that direction, is what the network has."
                               if any(q.rounded for q in r.shown_resources().values()) else "")
    return Table(words("Resources"), "lfr" if r.has_values else "lf",
                 (("resource",), ("closed form",), *((("value",),) if r.has_values else ())), tuple(rows), words(note))


MATRICES = {"weight + bias": "$W$, $c$", "Q": "$Q$", "K": "$K$", "V": "$V$"}
LABELS = {"width": "width $D$", "magnitude": "largest |weight|", "beta": "$β$", "logit": "logit"}


def _network(r: Report) -> Iterator[Block]:
    parts = shapes(r)
    if r.gate == "ffn":
        text = "$Φ$ alternates affine maps $v ↦ Wv + c$ and rectifiers $v ↦ max(v, 0)$, entry by entry."
    else:
        text = ("$Φ$ alternates affine maps $v ↦ Wv + c$ and attention layers. An attention layer reads its input as a matrix $Z$ "
                "whose columns are tokens, and returns $Σ_h V_h Z·softmax(β_h·(K_h Z)ᵀ Q_h z_i)$ for each query column $z_i$, the "
                "sum being over its heads, plus a linear skip where one is listed; softmax is $e^(s_j)/Σ_k e^(s_k)$.")
    yield Paragraph(words(text))
    yield _dimensions(r, parts)
    yield Paragraph((*words("The exact rational weights are written by "), Code(command_line(r, "weights")), ".") if r.has_values
                    else words("The exact rational weights follow once the parameters have values."))


def _dimensions(r: Report, parts: list[Shape]) -> Table:
    rows: list[tuple[Line, ...]] = []
    layer = ""
    for s in parts:
        if s.layer != layer:
            layer = s.layer
            rows.append((words(layer),))
        value = f"{short(s.rows)} × {short(s.columns)}" if short(s.rows) and short(s.columns) else ""
        rows.append((words(MATRICES.get(s.matrix, s.matrix)), (math(s.rows.symbolic),), (math(s.columns.symbolic),),
                     *(((math(value),) if value else (),) if r.has_values else ()), (math(s.count.symbolic),),
                     (math(s.entries.symbolic),)))
    headings = (("matrix",), ("rows",), ("columns",), *((("value",),) if r.has_values else ()), ("how many",), ("entries each",))
    return Table(words("Dimensions"), "lfflff" if r.has_values else "lffff", headings, tuple(rows))


def _propagation(r: Report) -> Table:
    if not r.has_values:
        rows = [row for s in r.stages for row in (
            (words(f"{s.stage} (rule {s.rule})"),), *(((name,), (math(q.symbolic),)) for name, q in _flow(s)))]
        return Table(words("Error propagation"), "lf", (("",), ("closed form",)), tuple(rows),
                     words("Gain: Lipschitz constant of the ideal stage. ", *_superseded(r)))
    numbers: list[tuple[Line, ...]] = []
    for s in r.stages:
        numbers.append((words(f"{s.stage} (rule {s.rule})"),))
        numbers.append(tuple((Number(short(q, 5, huge=True)),) for q in (s.incoming, s.gain, s.added, s.outgoing, s.naive_outgoing)))
    lipschitz = max((s.softmax_lipschitz for s in r.stages), key=lambda q: q.upper or Fraction(0))
    note = words("Gain: Lipschitz constant of the ideal stage. Naive: what the Lipschitz constant of softmax itself, at most ",
                 Number(short(lipschitz, 5)), ", would give instead. ", *_superseded(r), MARKS)
    return Table(words("Error propagation"), "rrrrr", (("incoming",), ("gain",), ("added",), ("outgoing",), ("naive",)),
                 tuple(numbers), note)


def _sequence(s: SequenceReport) -> Table:
    rows: list[tuple[Line, ...]] = []
    if s.codes == "none":
        rows.append((words("position codes: none needed"), (), ()))
    else:
        rows.append((words(f"position codes $u_i$: {s.codes}, dimension"), (math(s.dimension.symbolic),), (Number(short(s.dimension)),)))
        rows.append((words("gap, the least $1 − ⟨u_i, u_j⟩$"), (math(s.gap.symbolic),), (Number(short(s.gap, 7)),)))
    if s.leak is not None and s.scale is not None:
        rows.append((words("leak of one gate"), (math(s.leak.symbolic),), (Number(short(s.leak, 7)),)))
        rows.append((words("score scale $c$"), (math(s.scale.symbolic),), (Number(short(s.scale, 7)),)))
    return Table(words("Sequence: the same network at every data token"), "wfr", (("",), ("closed form",), ("value",)),
                 tuple(rows), words(MARKS))


def _flow(s: StageLine) -> list[tuple[str, Quantity]]:
    return [("incoming", s.incoming), ("gain", s.gain), ("added", s.added), ("outgoing", s.outgoing)]


def _superseded(r: Report) -> Line:
    if any(s.superseded for s in r.stages):
        return words("The lines above that of rule R9 are shown for comparison: the lemma takes their place. ")
    return ()


# ---------------------------------------------------------------------------------------------------------------

def _verification(v: Verification) -> Iterator[Block]:
    o, proved = v.observed, v.proved
    seen = (*words(f"Among {o.points} evaluations of $Φ$ at {o.digits} digits the largest error "), "observed is ",
            Number(number(o.error, 12, down=True).rstrip("↓")), " (rounded down): a lower bound, not a proof.")
    if proved is None:
        yield Paragraph((*words(f"Not certified: {v.reason or 'the observed error is above the bound'}. "), *seen))
        return
    yield Paragraph((*words("Certified: ball arithmetic proves, for the exported weights and over the whole domain, an error of at "
                            "most "), Number(number(proved.error, 12).rstrip("↑")), *words(f" (rounded up; {proved.method}). "),
                     *seen))


def _standing(r: Report, cited: tuple[str, ...], stated: bool) -> Iterator[Block]:
    """What the bound rests on; `stated`: the proof has the lemmas in full."""
    yield Paragraph((*words(f"Construction: {r.information.source_prose} ({r.information.standing})"),
                     *(x for k, key in enumerate(cited) for x in ((" " if not k else ", "), Cite(key))),
                     *words(". What is trusted, everything else following from the network itself:")))
    yield Items(tuple((Paragraph(words(f"{x.label}: {'' if stated else x.statement + ' '}({x.reference.source}; standing: "
                                       f"{x.reference.standing}).")),) for x in r.lemmas) or ((Paragraph(words("nothing: the network computes its map exactly.")),),))
