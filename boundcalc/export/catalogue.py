"""All targets with their bounds, as one table: every construction by every route and gate, in closed form."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from ..declarations.registry import construction, information, names
from ..formulas.symbols import MEANINGS, symbol
from ..lemmas.bibliography import mentioned
from ..results.bound import closed_forms, routes_of
from ..results.glossary import constants_in, general_meaning, ordered
from ..results.report import Report, analysis_of, report_of
from .bibtex import texts
from .document import Cite, Document, Line, Math, Paragraph, Table, math, relation, words

COLUMNS = ("layers", "heads", "tokens")


def ways(only: str | None = None) -> list[tuple[str, str, str | None]]:
    """Every construction × route × gate, or those of one."""
    return [(name, route, gate) for name in ((only,) if only else names()) for route in routes_of(name)
            for gate in (information(name).gates if construction(name).route(route).gated else (None,))]


def document(progress: Callable[[int, int], None] = lambda done, total: None, only: str | None = None) -> Document:
    rows: list[tuple[Line, ...]] = []
    reports: list[Report] = []
    listed, before = ways(only), ""
    for done, (name, route, gate) in enumerate(listed):
        progress(done, len(listed))
        report = report_of(closed_forms(name, route=route, gate=gate))
        reports.append(report)
        if name != before:
            rows.append(_heading(report))
            before = name
        shown = [*(report.resources[c] for c in COLUMNS), report.total]
        rows.append((words(", ".join(filter(None, (route, gate)))), *((math(q.symbolic),) for q in shown)))
    table = Table(words("Targets and their bounds"), "lffff",
                  (("route, gate",), *((c,) for c in COLUMNS), ("error at most",)), tuple(rows))
    return Document(words("Explicit softmax attention networks: targets and bounds"),
                    (table, Paragraph(_explained(reports))), mentioned(text for r in reports for text in texts(r)))


def _conditions(reports: list[Report]) -> list[str | Math]:
    """What the bounds need, each condition once, with where it is needed."""
    where: dict[Expr, list[Report]] = {}
    for r in reports:
        for c, _ in r.conditions:
            where.setdefault(c, []).append(r)
    out: list[str | Math] = []
    for c, needing in where.items():
        constructions = dict.fromkeys(r.information.name for r in needing)
        gates = dict.fromkeys(r.gate for r in needing if r.gate)
        of = f"{', '.join(constructions)}; " if len(constructions) < 5 else ""
        out += [", " if out else "", relation(c), f" ({of}{', '.join(gates) or 'every gate'})"]
    return ["The bounds are for ", *out, ". "]


def _heading(report: Report) -> tuple[Line]:
    info = report.information
    cited = tuple(x for key in mentioned([info.source]) for x in (" ", Cite(key)))
    return ((*words(f"{info.name}: {info.map_prose} ({info.standing})"), *cited),)


def _explained(reports: list[Report]) -> Line:
    """What the symbols of the table mean."""
    shown = [e for r in reports for e in (r.total.symbolic, *(r.resources[c].symbolic for c in COLUMNS))]
    used = {s.name for e in shown for s in e.free_symbols} - MEANINGS.keys()        # constants come behind the parameters
    out: list[str | Math] = ["Here "]
    for name in ordered(used, [analysis_of(r).construction for r in reports]):
        out += [math(symbol(name)), f": {general_meaning(name, reports)}; "]
    out.append(f"{'; '.join(constants_in(shown))}. ")
    out += _conditions(reports)
    remarked = dict.fromkeys(analysis_of(r).construction for r in reports if analysis_of(r).construction.remark)
    out += [f"In {c.name}, {c.remark}. " for c in remarked]
    out.append("With gate ffn the network is a ReLU network, without heads. Errors are in the sup norm over the domain, "
               "for given parameters; all formulas are exact.")
    return words(*out)

