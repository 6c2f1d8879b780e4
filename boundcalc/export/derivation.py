"""The proof of a report, from its derivation trace: the rules and lemmas first, then step by step to the claimed total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import count_ops

from ..formulas.symbols import symbol
from ..lemmas.record import Lemma
from ..lemmas.rules import RULES
from ..results.glossary import terms_of
from ..results.report import Report, StageLine, analysis_of
from ..terms.given import OF_LAYER
from .document import Display, Equation, Items, Line, Number, Paragraph, Piece, Statement, math, words
from .names import eta_meaning, stage
from .parts import box, weighted, written
from .values import given, short

ETA = symbol("eta")
LONGEST = 400           # operations of a formula that is shown for comparison only
OPENING = ("The error, network minus target, is followed from stage to stage: what leaves a stage is the gain of the ideal "
           "stage applied to what enters it, plus what the stage itself adds (R3). Errors are bounded in absolute value; "
           "signs are kept where a rule keeps them.")


def derivation(r: Report) -> Iterator[Piece]:
    steps = [s for s in r.stages if not s.superseded]
    exact = "Every layer is exact, and so is their composition: all errors below are 0."
    yield Paragraph(words(OPENING if r.terms else exact))
    yield Paragraph(words("Rules and lemmas that are used:"))
    yield Items(tuple((Paragraph(x),) for x in _tools(r)))
    if r.eta is not None and any(ETA in q.symbolic.free_symbols for s in steps for q in s.flow.values()):
        # the lemma about single gates comes last, behind that of the whole approximation
        yield Paragraph(words(math(ETA, "=", r.eta.symbolic), f" is {eta_meaning(r)} (lemma {r.lemmas[-1].label})."))
    yield Items(tuple(tuple(_step(s, said)) for s, said in zip(steps, _said(r, len(steps)), strict=True)), numbered=True)
    if r.parts and not r.outputs:
        beside = ", beside that of the inputs" if any(t.name == "inputs" for t in r.terms) else ""
        yield Paragraph(words(f"So the error is at most $Σ gain·accuracy$ (R11){beside}, here ", weighted(r), "."))
    if r.terms:
        yield from _conclusion(r)


def comparison(r: Report) -> list[Piece]:
    """What propagation alone would give, where a sharper lemma takes its place."""
    superseded = [s for s in r.stages if s.superseded]
    if not superseded or r.eta is None:
        return []
    lemma, last = next(s for s in r.stages if s.rule == "R9"), superseded[-1].outgoing
    value = (" of at most ", Number(short(last, 6))) if r.has_values else ()
    text = f"Without the lemma, the stages before {stage(lemma)} give by propagation an error of the gates"
    if count_ops(last.symbolic) > LONGEST:
        only = Paragraph(words(text, *value, ", by a formula too long to print."))
        return [Statement("remark", ("For comparison",), (only,))]
    shown = Display((Equation(math("outgoing"), "≤", math(last.symbolic)), Equation(math(ETA), "=", math(r.eta.symbolic))))
    return [Statement("remark", ("For comparison",), (Paragraph(words(text, *value, ":")), shown))]


def _tools(r: Report) -> Iterator[Line]:
    """What the steps and the propagation table cite, each stated once."""
    used = {"R3", *(s.rule for s in r.stages)}
    if analysis_of(r).construction.copies:
        used.add("R6")
    if r.sequence is not None:
        used.add("R10")
    for label in sorted(used, key=lambda x: int(x[1:])):
        title, statement = RULES[label]
        yield words(f"{label} ({title}): {statement}.")
    for x in r.lemmas:
        yield words(f"{x.label}: {x.statement} ({where(x)}).")


def where(x: Lemma) -> str:
    """Where a lemma is proved, for readers of a paper."""
    return x.reference.source.replace("proved here", "proved").replace("docs/rules.md", "boundcalc, docs/rules.md")


def _said(r: Report, steps: int) -> Sequence[Line]:
    """Of a part of a plan: what it computes, and where its arguments can be."""
    composition = getattr(r.source, "composition", None)
    if composition is None:
        return [()] * steps
    return [words(" It computes ", math(written(part)), " on ", math(box(part.box)), ", where its arguments lie, errors "
                  "included.") for part in composition.parts]


def _step(s: StageLine, said: Line) -> Iterator[Piece]:
    yield Paragraph((*words(f"{stage(s)} (rule {s.rule})."), *said))
    yield Display(tuple(Equation(math(name), "≤", math(q.symbolic)) for name, q in s.flow.items()))


def _conclusion(r: Report) -> Iterator[Piece]:
    """The last step gives the total; by source it is the sum that the theorem claims."""
    terms = ", ".join(f"${error_name(t.name)}$ ({terms_of(r)[t.name]})" for t in r.terms)
    yield Paragraph(words(f"The last step is the claimed bound. By source its terms are {terms}, and network minus target "
                          "lies in $[ℓ, u]$ with"))
    yield Display((Equation(math("ℓ"), "=", math(r.total_interval.lo)), Equation(math("u"), "=", math(r.total_interval.hi))))
    if r.has_values:
        yield Paragraph((*words("With the parameters of the theorem the larger of the two in absolute value is "),
                         *at_most(r), "."))


def error_name(term: str) -> str:
    """E with the name of a term; letters and a number are one index."""
    return f"E_({term})" if term.startswith(OF_LAYER) else f"E_{term}"


def at_most(r: Report) -> Line:
    """The total at these values, how it was rounded, and that it is within ε where that was asked for."""
    shown, eps = short(r.total, 12), r.parameters.get("eps")
    limit = words(", which is at most ", math(symbol("eps"), "="), " ", Number(given(eps))) if eps is not None else ()
    return ("at most ", Number(shown.rstrip("↑")), " (rounded up)" if shown.endswith("↑") else " (exactly)", *limit)
