"""The overhead of the recipe: a given ReLU network beside the attention network that it becomes."""

from __future__ import annotations

from fractions import Fraction

from ..formulas.notation import to_unicode
from ..formulas.parser import parse
from ..layout import columns_of, labelled
from ..numbers.exact import decimal_up
from ..results.against import Against
from ..results.report import ReluCounts, Report
from .values import brief

ROWS = (("layers", "layers", "layers"), ("units, heads", "units", "heads"), ("entries", "parameters", "parameters"))


def beside(r: Report, relu: ReluCounts) -> list[str]:
    """Layers, units and heads, entries: the counts of the ReLU network, of the attention network, and their ratio."""
    rows = []
    for label, theirs, ours in ROWS:
        given, q = Fraction(getattr(relu, theirs)), r.resources[ours]
        rows.append([f"  {label}", f"{given.numerator:,}", brief(q), _ratio(q.exact, given)])
    rows.append(["  width", f"{relu.width:,}", brief(r.resources["width"]), ""])
    return columns_of(["overhead", "ReLU network", "attention network", "ratio"], rows, "lrrr")


def _ratio(ours: Fraction | None, theirs: Fraction) -> str:
    if ours is None or not theirs:
        return ""
    return f"{float(ours / theirs):.4g}" if (ours / theirs).denominator > 1 else str(ours / theirs)


def together(r: Report, a: Against) -> list[str]:
    """The total against a target: what the ReLU network errs by, and what the recipe adds."""
    if r.total.upper is None:
        return []
    how = "as given" if a.method is None else "certified"
    rows = [["target", to_unicode(parse(a.target)), ""],
            ["  ReLU network", f"|f − target|, {how}", decimal_up(a.accuracy, 4)],
            ["  attention", "|network − f|, derived", brief(r.total)],
            ["  together", "|network − target| at most", decimal_up(a.total(r.total.upper), 4)]]
    lines = columns_of(rows[0], rows[1:], "llr")
    return [*lines, *(labelled("  how", a.method) if a.method is not None else [])]
