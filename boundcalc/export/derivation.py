"""The proof of a report, from its derivation trace: the rules and lemmas first, then step by step to the claimed total."""

from __future__ import annotations

from collections.abc import Iterator

from ..glossary import TERMS
from ..report import Report, StageLine
from ..rules import RULES
from ..symbols import symbol
from .document import Block, Display, Equation, Items, Line, Number, Paragraph, Statement, math, words
from .values import given, short

TERM_OF = {"inputs": "the error of the inputs", **TERMS}


def derivation(r: Report) -> Iterator[Block]:
    steps = [s for s in r.stages if not s.superseded]
    if not r.terms:
        yield Paragraph(words("Every layer is exact, and so is their composition: all errors below are 0."))
    else:
        yield Paragraph(words("The error, network minus target, is followed from stage to stage: what leaves a stage is the gain of "
                              "the ideal stage applied to what enters it, plus what the stage itself adds (R3). Softmax is never "
                              "differentiated. Errors are bounded in absolute value; signs are kept where a rule keeps them."))
    yield Paragraph(words("Rules and lemmas that are used:"))
    yield Items(tuple((Paragraph(x),) for x in _tools(r, steps)))
    if r.eta is not None and any(symbol("eta") in e.free_symbols for s in steps for e in _formulas(s)):
        yield Paragraph((*words("One gate"), *words(" whose ramp has width 1" if r.gate in ("anchor", "anchors") else ""),
                         *words(" errs by at most "), math(symbol("eta"), "=", r.eta.symbolic), *words(f" ({_gate_lemma(r)}).")))
    yield Items(tuple(tuple(_step(s)) for s in steps), numbered=True)
    if r.terms:
        yield from _conclusion(r)


def _tools(r: Report, steps: list[StageLine]) -> Iterator[Line]:
    """What the steps cite, each stated once."""
    used = {"R3", *(s.rule for s in steps), *(("R6",) if symbol("d") in _copies(r) else ()), *(("R10",) if r.sequence else ())}
    for label in sorted(used, key=lambda x: int(x[1:])):
        title, statement = RULES[label]
        yield words(f"{label} ({title}): {statement}.")
    for x in r.lemmas:
        yield words(f"{x.label}: {x.statement} ({x.reference.source}).")


def _copies(r: Report) -> set:
    return {s for q in r.resources.values() for s in q.symbolic.free_symbols}


def _gate_lemma(r: Report) -> str:
    """The lemma about single gates: it comes last, behind that of the whole approximation."""
    return f"lemma {r.lemmas[-1].label}"


def _formulas(s: StageLine) -> list:
    return [q.symbolic for q in (s.incoming, s.gain, s.added, s.outgoing)]


def _step(s: StageLine) -> Iterator[Block]:
    yield Paragraph((*words(s.stage), *words(f" (rule {s.rule}).")))
    equations = [Equation(math(left), right, math(q.symbolic)) for left, right, q in (
        ("incoming", "≤", s.incoming), ("gain", "=", s.gain), ("added", "≤", s.added), ("outgoing", "≤", s.outgoing))]
    yield Display(tuple(equations))


def _conclusion(r: Report) -> Iterator[Block]:
    """The last step gives the total; by source it is the sum that the theorem claims."""
    yield Paragraph(words("The last step is the claimed bound. By source its terms are ",
                          *(x for k, t in enumerate(r.terms) for x in (", " if k else "", math(f"E_{t.name}"),
                                                                       f" ({TERM_OF[t.name]})")),
                          ", and network minus target lies in $[ℓ, u]$ with"))
    low, high = r.total_interval.lo, r.total_interval.hi
    yield Display((Equation(math("ℓ"), "=", math(low)), Equation(math("u"), "=", math(high))))
    if r.has_values:
        eps = r.parameters.get("eps")
        rounded = " (rounded up)" if short(r.total, 12).endswith("↑") else " (exactly)"
        yield Paragraph((*words("With the parameters of the theorem the larger of the two in absolute value is at most "),
                         Number(short(r.total, 12).rstrip("↑")), rounded,
                         *((", ", *words("which is at most "), math(symbol("eps"), "="), " ", Number(given(eps))) if eps is not None else ()), "."))


def comparison(r: Report) -> list[Block]:
    """What propagation alone would give, where a sharper lemma takes its place."""
    superseded = [s for s in r.stages if s.superseded]
    if not superseded:
        return []
    last = superseded[-1].outgoing
    lemma = next(s for s in r.stages if s.rule == "R9")
    return [Statement("remark", ("For comparison",), (Paragraph((
        *words("Without the lemma, the stages before "), *words(lemma.stage), *words(" give by propagation an error of the gates of at "
        "most "), math(last.symbolic), *(words(", that is ", Number(short(last, 6))) if r.has_values else ()),
        *words(", where "), math(symbol("eta"), "=", r.eta.symbolic), *words(".")) if r.eta is not None else ()),))]
