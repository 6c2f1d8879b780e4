"""Results in notebooks: what each of them shows, as LaTeX for a paper, as one formula, and as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import singledispatch

from ..claims.model import Finding
from ..derivation.analysis import Analysis
from ..display import WRITERS
from ..formulas.mathtext import to_latex as set_text
from ..formulas.notation import to_latex
from ..results.bound import Bound, Quantity
from ..results.report import Report, report_of
from ..results.verification import Certified, NotCertified, Observation, Verification
from . import Wishes, json_, referee, render, theorem, verified, write
from . import html as pages
from . import latex as papers
from .document import Document, Math, Number, Paragraph, Piece, math, words
from .values import number, short


def latex(result: object) -> str:
    """A theorem for a bound, a section for a finding, a formula or a sentence for the rest."""
    if isinstance(result, Quantity):
        return to_latex(result.symbolic)
    if isinstance(result, (Bound, Analysis, Report)):
        return papers.write(theorem.document(_report(result), Wishes()))
    return papers.write(Document((), tuple(blocks(result))))


def mathematics(result: object) -> str:
    """One formula, for MathJax: what is proved or found, without words around it."""
    match result:
        case Quantity(symbolic=symbolic):
            value, formula = short(result), to_latex(symbolic)
            if not value or value == formula:
                return formula
            return f"{formula} {set_text(_relation(result))} {papers.number(value)}"
        case Bound() | Analysis() | Report():
            rows = theorem.claimed(_report(result))
            shown = [f"{papers.formula(e.left)} &{set_text(e.relation)} {papers.formula(e.right)}" for e in rows]
            return r"\begin{aligned} " + r" \\ ".join(shown) + r" \end{aligned}"
        case Observation(error=error):
            return rf"\text{{observed error}} = {papers.number(number(error, 12, down=True))}"
        case Certified(error=error):
            return rf"\text{{certified error}} \le {papers.number(number(error, 12))}"
        case NotCertified(reason=reason):
            return rf"\text{{not certified: {papers.words(reason)}}}"
        case Verification():
            parts = [mathematics(x) for x in (result.observed, result.certified)]
            return r",\quad ".join(parts)
        case Finding(claim=claim, verdict=verdict):
            return rf"\text{{{papers.words(claim.id)}: {verdict}}}"
    raise TypeError(f"{type(result).__name__} is no result")


def html(result: object) -> str:
    return pages.fragment(blocks(result))


@singledispatch
def blocks(result: object) -> list[Piece]:
    """What a notebook shows of a result."""
    raise TypeError(f"{type(result).__name__} is no result")


@blocks.register(Bound)
@blocks.register(Analysis)
@blocks.register(Report)
def _(result: Bound | Analysis | Report) -> list[Piece]:
    return list(theorem.document(_report(result), Wishes()).blocks)


@blocks.register
def _(result: Quantity) -> list[Piece]:
    value = short(result)
    shown: list[Math | Number | str] = [math(result.symbolic)]
    if value:
        shown += [" ", math(_relation(result)), " ", Number(value)]
    return [Paragraph(words(*shown))]


@blocks.register
def _(result: Observation) -> list[Piece]:
    return [Paragraph(words(f"Observed, the largest of {result.points} evaluations: ",
                            Number(number(result.error, 12, down=True)), ". A lower bound of the true error."))]


@blocks.register
def _(result: Certified) -> list[Piece]:
    return [Paragraph(words("Certified over the whole domain: at most ", Number(number(result.error, 12)),
                            f" ({result.method})."))]


@blocks.register
def _(result: NotCertified) -> list[Piece]:
    return [Paragraph(words(f"Not certified: {result.reason}."))]


@blocks.register
def _(result: Verification) -> list[Piece]:
    return [theorem.verification(result)]


@blocks.register
def _(result: Finding) -> list[Piece]:
    return list(referee.document([result]).blocks)


def _report(result: Bound | Analysis | Report) -> Report:
    return result if isinstance(result, Report) else report_of(result)


def _relation(q: Quantity) -> str:
    return "≈" if q.rounded else "≤" if short(q).endswith("↑") else "="


def written(form: str) -> Callable[[object], str]:
    """What the command line prints of a bound, of closed forms, or of a verification alone."""
    def write_it(result: object) -> str:
        if isinstance(result, Verification):
            if form == "text":
                return verified.verification(result)
            if form == "json":
                return json.dumps(json_.verification(result), indent=2, ensure_ascii=False) + "\n"
            return write(Document((), tuple(blocks(result))), form).removeprefix("# \n\n")
        assert isinstance(result, (Bound, Analysis, Report))
        return render(_report(result), form)

    return write_it


WRITERS.update(latex=latex, formula=mathematics, html=html, text=written("text"), json=written("json"),
               markdown=written("markdown"))
