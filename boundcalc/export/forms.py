"""Closed forms on one screen, what `show` prints: one column for every route where they fit, else one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..layout import CONTENT, filled, padded, row, screen, width
from ..letters import written as in_letters
from ..results.glossary import constants_in
from ..results.report import Report
from . import Wishes
from .choices import briefly_why, written
from .closed import shortened, signed, text_of
from .names import way
from .screen import COSTS, domain, formula_lines

GAP = 3


def render(report: Report, wishes: Wishes) -> str:
    return render_all([report], wishes)


def render_all(reports: Sequence[Report], wishes: Wishes) -> str:
    first = reports[0]
    name = f"{first.information.name:<4}   "
    lines = filled(f"{name}{first.information.map} on {domain(first)}{_conditions(first, reports)}", indent=len(name))
    if wishes.quiet:
        return lines[0] + "\n"
    columns = [_rows(r) for r in reports]
    lines += _side_by_side(reports, columns) or [x for r, c in zip(reports, columns, strict=True) for x in _stacked(r, c)]
    lines += _explained(reports)
    gates = first.information.gates
    other = [g for g in gates if any(r.gate for r in reports) and g not in {r.gate for r in reports}]
    lines += filled((f"other gates: --gate {'|'.join(other)}     " if other else "") + "lemmas and propagation: --full")
    parts = ["\n".join(lines)]
    if wishes.proof or wishes.dimensions:
        from . import text as full
        parts += [part(r) for r in reports for part, wanted in
                  ((full.proof, wishes.proof), (full.dimensions, wishes.dimensions)) if wanted]
    return "\n\n".join(parts) + "\n"


def _conditions(first: Report, reports: Sequence[Report]) -> str:
    """What all of them need."""
    common = [c for c in _needed(first) if all(c in _needed(r) for r in reports)]
    return f", {', '.join(common)}" if common else ""


def _needed(r: Report) -> list[str]:
    return [f"{to_unicode(c.lhs)} {c.rel_op.replace('>=', '≥')} {to_unicode(c.rhs)}" for c, _ in r.conditions]


def _rows(r: Report) -> dict[str, tuple[str, str]]:
    """label → what --only calls it, and its formula."""
    shown = r.shown_resources()
    found = {label: (key, text_of(shortened(shown[key].symbolic, r))) for key, label in COSTS.items() if key in shown}
    if len(r.terms) > 1:
        found["error"] = ("error", "network − target lies in the sum of")
    for t in r.terms:
        found["error" if len(r.terms) == 1 else f"  {t.name}"] = (t.name, signed(t.interval, r))
    if not r.terms:
        found["error"] = ("error", "0 (the network is exact)")
    for c in r.choices:
        name = to_unicode(symbol(c.name))
        text = text_of(shortened(c.rule, r)) if c.rule is not None else written(briefly_why(c), text_of)
        found[f"{name} for ε"] = (c.name, text)
    if r.terms and r.lemmas and all(x.tight for x in r.lemmas):
        found["attained"] = ("", f"yes ({', '.join(x.label for x in r.lemmas)})")
    return found


def _title(r: Report, reports: Sequence[Report]) -> str:
    own = [c for c in _needed(r) if not all(c in _needed(other) for other in reports)]
    return ", ".join([way(r), *own])


def _side_by_side(reports: Sequence[Report], columns: Sequence[dict[str, tuple[str, str]]]) -> list[str]:
    """Nothing if it does not fit."""
    labels = list(dict.fromkeys(label for c in columns for label in c))
    table = [["", *(_title(r, reports) for r in reports)]]
    table += [[f"  {label}", *(c.get(label, ("", "–"))[1] for c in columns)] for label in labels]
    table = [[in_letters(x) for x in cells] for cells in table]
    widths = [max(CONTENT - GAP, *(width(cells[0]) for cells in table)),
              *(max(width(cells[k]) for cells in table) for k in range(1, len(reports) + 1))]
    if sum(widths) + GAP * len(reports) > screen():
        return []
    return [(" " * GAP).join(padded(x, w) for x, w in zip(cells, widths, strict=True)).rstrip() for cells in table]


def _stacked(r: Report, found: dict[str, tuple[str, str]]) -> list[str]:
    lines = filled(_title(r, [r]))
    for label, (key, text) in found.items():
        lines += row(f"  {label}", formula_lines(text, key, ""), "")
    return lines


def _explained(reports: Sequence[Report]) -> list[str]:
    shown = [e for r in reports for e in (*(q.symbolic for q in r.shown_resources().values()), r.total_interval.lo,
                                          *(x for c in r.choices for x in c.formulas()))]
    text = "; ".join(plain(x) for x in constants_in(shown, brief=True, valued=True))
    return filled(text) if text else []
