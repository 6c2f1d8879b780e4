"""The overhead of the recipe: a given ReLU network beside the attention network that it becomes."""

from __future__ import annotations

from fractions import Fraction

from ..layout import columns_of
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
