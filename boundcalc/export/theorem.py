"""The theorem of a report: hypotheses, error bound, resources, network and propagation; its proof, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from sympy import Expr, expand, oo

from ..declarations.frame import own_error
from ..formulas.notation import to_unicode
from ..formulas.parser import parse
from ..formulas.symbols import symbol
from ..numbers.exact import decimal_up
from ..results.against import Against
from ..results.bound import Bound
from ..results.command import command_line
from ..results.glossary import constants
from ..results.report import BlockDomain, ErrorTerm, Report, analysis_of
from ..results.verification import Verification
from . import Wishes, tables
from .bibtex import sources
from .derivation import at_most, comparison, derivation, error_name, where
from .document import (
    Cite,
    Code,
    Display,
    Document,
    Equation,
    Items,
    Listing,
    Number,
    Paragraph,
    Piece,
    Statement,
    math,
    relation,
    words,
)
from .names import answer, standing, way
from .parts import as_table, drawing, outputs_table
from .values import number

RELU_LAYERS = "$Φ$ alternates affine maps $q ↦ Uq + r$ and rectifiers $q ↦ max(q, 0)$, entry by entry."
ATTENTION_LAYERS = (
    "$Φ$ alternates affine maps $q ↦ Uq + r$ and attention layers. An attention layer reads its input as a matrix $Z$ whose "
    "columns are tokens, and returns $Σ_k V_k Z·softmax(β_k·(K_k Z)ᵀ Q_k z_i)$ for each query column $z_i$, the sum being "
    "over its heads, plus a linear skip where one is listed; entry $j$ of $softmax(ζ)$ is $e^(ζ_j)/Σ_l e^(ζ_l)$.")
RAMPS = "Its gates compute ramps $min(max(z, c_1), c_2) − c_1$"
ANCHORS = ("tokens that carry anchors $α_j$ at equal distances $Δ$ along the ramp: scores $−(z − α_j)²$ up to a constant, "
           "values $α_j$")
GATES = {
    "silu": f"{RAMPS}: a rectifier $max(z, 0)$ by one head over two tokens with scores and values $z$ and 0, which returns "
            "$z/(1 + e^(−βz))$, other ramps by differences of these.",
    "anchor": f"{RAMPS}, each by one head over {ANCHORS}.",
    "anchors": f"{RAMPS}, each by several heads over {ANCHORS}; every head takes a part of the ramp.",
}


def document(report: Report, wishes: Wishes) -> Document:
    cited = sources(report)
    title = words(f"{report.information.title}, {way(report)}")
    blocks: list[Piece] = [Statement("theorem", title, tuple(_theorem(report)))]
    if wishes.proof:
        blocks.append(Statement("proof", (), tuple(derivation(report))))
        blocks += comparison(report)
    if report.verification is not None:
        blocks.append(Statement("remark", ("Verification",), (verification(report.verification),)))
    if report.against is not None and report.total.upper is not None:
        blocks.append(Statement("remark", ("Accuracy against the target",), (_against(report.against, report.total.upper),)))
    blocks.append(Statement("remark", ("Sources and standing",), tuple(_standing(report, cited, stated=wishes.proof))))
    return Document(words(f"{report.information.title}: {report.information.map_prose}"), tuple(blocks), cited)


def _against(a: Against, derived: Fraction) -> Piece:
    """The given network approximates something itself: both errors together."""
    how = "by hypothesis" if a.method is None else a.method
    own, whole = decimal_up(a.accuracy, 7), decimal_up(a.total(derived), 7)
    return Paragraph(words("For the target ", math(parse(a.target)), f" one has $|f − target| ≤ {own}$ on the domain "
                           f"({how}), hence $|Φ − target| ≤ {whole}$."))


def _theorem(r: Report) -> Iterator[Piece]:
    yield from _hypotheses(r)
    yield from _claim(r)
    yield tables.resources(r)
    if r.terms and r.has_values:
        yield tables.terms(r, {t.name: math(_name(t, "±")) for t in r.terms})
    yield Paragraph(words(RELU_LAYERS if r.gate == "ffn" else f"{ATTENTION_LAYERS} {GATES.get(r.gate or '', '')}".strip()))
    yield tables.dimensions(r)
    if isinstance(r.source, Bound):
        yield Paragraph(words("The exact rational weights are written by ", Code(command_line(r.source, "weights")), "."))
    if graph := drawing(r):
        yield Paragraph(words("The plan, a column a value, each part at the end of its line:"))
        yield Listing(tuple(graph))
    yield as_table(r) if r.parts else tables.propagation(r)
    if r.sequence is not None:
        yield tables.sequence(r.sequence)
        yield Paragraph(words(f"Is the error independent of the sequence length? {answer(r.sequence)}"))


def _hypotheses(r: Report) -> Iterator[Piece]:
    copies = "$d$ copies side by side of " if analysis_of(r).construction.copies else ""
    tokens = ", at every one of $L$ data tokens" if r.sequence is not None else ""
    yield Paragraph(words(f"Let $f$ be {copies}the map {r.information.map_prose}{tokens}, with the following parameters."))
    yield tables.parameters(r)
    rules = [Equation(math(symbol(c.name)), "≈" if c.rounded else "=", math(c.rule))
             for c in r.choices if c.rule is not None]
    if r.eta is not None:
        rules.append(Equation(math(symbol("eta")), "=", math(r.eta.symbolic)))
    if rules:
        yield Paragraph(words("What is not given follows from the rules"))
        yield Display(tuple(rules))
    explained = constants(r)
    if explained:
        yield Paragraph(words(f"Here {'; '.join(explained)}."))
    if r.restrictions:
        yield Paragraph((*words("Of inputs only those are meant for which "), *listed_code(r.restrictions), "."))
    if r.conditions:
        conditions = [x for c, _ in r.conditions for x in (", ", relation(c))]
        yield Paragraph(words("The statement is for parameters with ", *conditions[1:], "."))


def listed_code(texts: Sequence[str]) -> Iterator[str | Code]:
    """Each as it is typed, with words between them."""
    for k, text in enumerate(texts):
        if k:
            yield " and "
        yield Code(text)


# ---------------------------------------------------------------------------------------------------------------
# the error bound

def _claim(r: Report) -> Iterator[Piece]:
    kind = "a ReLU network" if r.gate == "ffn" else "an attention-only softmax network"
    start, domain = f"There is {kind} $Φ$ with the resources below ", f"$x ∈ {_domain(r)}$"
    if not r.terms:
        yield Paragraph(words(f"{start}and $Φ(x) = f(x)$ for every {domain}."))
        return
    disturbed = _disturbed(r) if _input_error(r) else ""
    scalar = not analysis_of(r).construction.copies and r.sequence is None
    each = "" if (_symmetric_total(r) and r.relative is None) or scalar or r.outputs else ", in every coordinate,"
    yield Paragraph(words(f"{start}such that for every {domain}{disturbed}{each}"))
    yield Display(tuple(claimed(r)))
    if r.outputs:
        yield outputs_table(r)
    if r.has_values:
        kind = "relative error" if r.relative is not None else "error"
        yield Paragraph((*words(f"At these parameters the {kind} is "), *at_most(r), "."))


def _domain(r: Report) -> str:
    common = r.common_domain
    if common is not None:
        return _power(r, common, r.inputs)
    return " × ".join(_power(r, d, d.size) for d in r.domain)


def _power(r: Report, d: BlockDomain, count: Expr) -> str:
    count = count * symbol("d") if analysis_of(r).construction.copies else count
    power = f"^({to_unicode(count * symbol('L') if r.sequence is not None else count).replace('·', '')})"
    return f"ℝ{power}" if d.hi == oo else f"[{to_unicode(d.lo)}, {to_unicode(d.hi)}]{power}"


def claimed(r: Report) -> Iterator[Equation]:
    """The claimed inequality by named terms, and below it what each term is."""
    point = "x′" if _input_error(r) else "x"
    if r.outputs:           # each output has its own signs: the norm alone is claimed of all
        total = math(" + ".join(_name(t, "") if _one_size(t) else f"max({_name(t, '+')}, {_name(t, '−')})" for t in r.terms))
        yield Equation(math(f"‖Φ({point}) − f(x)‖_∞"), "≤", total)
    elif _symmetric_total(r):
        size = f"‖Φ({point}) − f(x)‖_∞" if r.relative is None else f"|Φ({point}) − f(x)|/|f(x)|"
        yield Equation(math(size), "≤", math(" + ".join(_name(t, "") for t in r.terms)))
    else:
        above = [_name(t, "+") for t in r.terms if t.interval.hi != 0]
        below = [_name(t, "−") for t in r.terms if t.interval.lo != 0]
        difference = math(f"Φ({point}) − f(x)" if r.relative is None else f"(Φ({point}) − f(x))/|f(x)|")
        yield Equation(difference, "≤", math(" + ".join(above) or "0"))
        yield Equation(difference, "≥", math("−" + " − ".join(below) if below else "0"))
    for t in r.terms:
        if _one_size(t):
            yield Equation(math(_name(t, "")), "=", math(_size(t)))
        else:
            yield Equation(math(_name(t, "+")), "=", math(t.interval.hi))
            yield Equation(math(_name(t, "−")), "=", math(-t.interval.lo))


def _name(t: ErrorTerm, side: str) -> str:
    """E with the name of the term; with a sign only where its two sides differ."""
    return error_name(t.name) if _one_size(t) else f"{error_name(t.name)}^{side}"


def _size(t: ErrorTerm) -> Expr:
    return t.interval.hi if t.interval.hi != 0 else -t.interval.lo


def _one_size(t: ErrorTerm) -> bool:
    """Whether one formula tells all: the term is symmetric, or has one side only."""
    return _symmetric(t) or t.interval.lo == 0 or t.interval.hi == 0


def _symmetric(t: ErrorTerm) -> bool:
    return bool(expand(t.interval.lo + t.interval.hi) == 0)


def _symmetric_total(r: Report) -> bool:
    return all(_symmetric(t) for t in r.terms)


def _disturbed(r: Report) -> str:
    """How far the inputs of the network may be from those of the target."""
    blocks = {i.name: own_error(i.name) for i in analysis_of(r).construction.inputs}
    own = [f"at most ${to_unicode(symbol(x))}$ in the input ${name}$" for name, x in blocks.items() if r.parameters.get(x)]
    if not own:
        return " and every $x′$ with $‖x′ − x‖_∞ ≤ δ$"
    others = "" if len(own) == len(blocks) else ", and not in any other input,"
    return f" and every $x′$ that differs from $x$ by {' and by '.join(own)}{others}"


def _input_error(r: Report) -> bool:
    return any(x != 0 for name, x in r.parameters.items() if name == "delta" or name.startswith("delta_"))


# ---------------------------------------------------------------------------------------------------------------
# what was verified, and what is trusted

def verification(v: Verification) -> Paragraph:
    """What was observed and what is certified."""
    o, proved = v.observed, v.proved
    seen = (f"Among {o.points} evaluation{'s' * (o.points != 1)} of $Φ$ at {o.digits} digits the largest error observed is ",
            Number(number(o.error, 12, down=True).rstrip("↓")), " (rounded down): a lower bound, not a proof.")
    if proved is None:
        return Paragraph(words(f"Not certified: {v.reason or 'the observed error is above the bound'}. ", *seen))
    return Paragraph(words("Certified: ball arithmetic proves, for the exported weights and over the whole domain, an error "
                           "of at most ", Number(number(proved.error, 12).rstrip("↑")), f" (rounded up; {proved.method}). ",
                           *seen))


def _standing(r: Report, cited: tuple[str, ...], stated: bool) -> Iterator[Piece]:
    """What the bound rests on; `stated`: the proof has the lemmas in full."""
    citations = [x for key in cited for x in (", ", Cite(key))]
    yield Paragraph(words(f"Construction: {r.information.source_prose} ({standing(r)})", *citations,
                          ". What is trusted, everything else following from the network itself:"))
    trusted = [f"{x.label}{'' if stated else ': ' + x.statement} ({where(x)}; standing: {x.reference.standing})."
               for x in r.lemmas] or ["nothing: the network computes its map exactly."]
    yield Items(tuple((Paragraph(words(x)),) for x in trusted))
