"""One formula of a report by itself: a resource, the error, or a term of it, with what its symbols mean."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sympy import Expr

from ..errors import InvalidInput, echo
from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..formulas.symbols import PARAMETERS, C, symbol
from ..results.bound import Quantity
from ..results.glossary import constants_in, meaning
from ..results.report import RESOURCES, Report, analysis_of
from . import write
from .document import Display, Document, Equation, Paragraph, math, words
from .latex import LINE, comment
from .linebreak import broken
from .names import measure, way
from .values import short

if TYPE_CHECKING:
    from . import Wishes


def render(report: Report, form: str, wishes: Wishes) -> str:
    name = wishes.only or ""
    q = quantity(report, name)
    if form == "text":
        lines = [f"{_title(name, report)} {_relation(name, q, report)} {to_unicode(q.symbolic)}"]
        lines += [f"  {plain(x)}" for x in _notes(report, q)]
        return "\n".join(lines) + "\n"
    if form == "json":
        from .json_ import quantity as as_dict
        meanings = {s.name: plain(text) for s, text in _symbols(report, q)}
        return json.dumps({"name": name, **as_dict(q), "symbols": meanings}, indent=2, ensure_ascii=False) + "\n"
    if form == "latex":
        return _latex(report, name, q)
    return write(document(report, wishes), form)


def document(report: Report, wishes: Wishes) -> Document:
    """The formula as a display, its symbols below it."""
    name = wishes.only or ""
    q = quantity(report, name)
    left = symbol(name) if name in RESOURCES or _chosen(name, report) else "E"
    shown = Equation(math(left), _relation(name, q, report), math(q.symbolic))
    return Document(words(f"{report.information.title}: {_title(name, report)}"),
                    (Display((shown,)), *(Paragraph(words(x)) for x in _notes(report, q))))


def quantity(report: Report, name: str) -> Quantity:
    """The formula of that name."""
    found = formulas(report)
    if name not in found:
        near = get_close_matches(name[:60], found, n=1, cutoff=0.74)
        raise InvalidInput(f"There is no formula '{echo(name)}' in this report.",
                           f"Did you mean {near[0]}?" if near else f"There are {', '.join(found)}.",
                           {"--only": near[0] if near else "error"})
    return found[name]


def formulas(report: Report) -> dict[str, Quantity]:
    """All that can be asked for: rules of parameters, η, the error, its terms, and resources."""
    chosen = {c.name: Quantity(c.rule, c.value, c.value, c.rounded) for c in report.choices if c.rule is not None}
    eta = {} if report.eta is None else {"eta": report.eta}
    return {**chosen, **eta, "error": report.total, **{t.name: t.size for t in report.terms}, **report.resources}


def _latex(report: Report, name: str, q: Quantity) -> str:
    """A display without a number; its symbols are explained in comments, which a paper does not show."""
    lines = broken(q.symbolic, LINE - 20.0, LINE, display=True)
    if len(lines) == 1:
        body = f"\\[\n{lines[0]}\n\\]"
    else:
        body = "\\begin{align*}\n&" + " \\\\\n&\\quad {}".join(lines) + "\n\\end{align*}"
    notes = [f"{report.information.title}: {_title(name, report)}", *_notes(report, q)]
    return "\n".join([*(comment(x) for x in notes), body]) + "\n"


def _title(name: str, report: Report) -> str:
    if name == "error":
        return f"error ({measure(report)})"
    return RESOURCES.get(name) or (to_unicode(symbol(name)) if _chosen(name, report) else f"term {name} of the error")


def _chosen(name: str, report: Report) -> bool:
    return name in PARAMETERS or any(c.name == name for c in report.choices)


def _relation(name: str, q: Quantity, report: Report) -> str:
    return "≈" if q.rounded else "=" if name in RESOURCES or _chosen(name, report) else "≤"


def _symbols(report: Report, q: Quantity) -> list[tuple[Expr, str]]:
    """The parameters of the formula, with what they mean."""
    parameters = sorted(q.symbolic.free_symbols - {C}, key=str)
    return [(s, meaning(s.name, analysis_of(report))) for s in parameters]


def _notes(report: Report, q: Quantity) -> list[str]:
    """By which route, what the symbols mean, and the value."""
    notes = [f"{report.information.name}, {way(report)}"]
    notes += [f"${to_unicode(s)}$: {text}" for s, text in _symbols(report, q)]
    notes += constants_in([q.symbolic])
    if report.has_values and short(q):
        kind = "rounded up" if short(q, 12).endswith("↑") else "exact"
        if q.rounded:
            kind = f"the formula rounded {q.rounded}, which is what the network has"
        notes.append(f"value: {short(q, 12).rstrip('↑')} ({kind})")
    return notes
