"""What things are called: a report's way, the stages of its table, its layers, and its answer on sequences.

Texts are prose: formulas stand between dollar signs (mathtext.py).
"""

from __future__ import annotations

from ..derivation.analysis import Stage
from ..derivation.profile import StepName
from ..numbers.exact import exact_text
from ..results.report import LayerKind, Report, SequenceReport, Shape, StageLine, analysis_of


def stage(line: Stage | StageLine) -> str:
    """A line of the propagation table: its step, and the blocks of it that are meant."""
    return _step(line.step) + (f": {', '.join(f'${b}$' for b in line.blocks)}" if line.blocks else "")


def _step(name: StepName) -> str:
    beside = " ∥ ".join(part if isinstance(part, str) else _step(part) for part in name.parts) or "—"
    over = f", ${name.over}$" if name.over is not None else ""
    return beside + over + (f", lemma {name.lemma}" if name.lemma else "")


def layer(shape: Shape) -> str:
    """A layer of the network, repeated layers once."""
    what = "ReLU" if shape.kind is LayerKind.RELU else f"{shape.label} ({shape.kind.value})"
    return what + (f", ${shape.over}$" if shape.over is not None else "")


def answer(s: SequenceReport) -> str:
    """To the question: is the error independent of the sequence length?"""
    if s.leak is None:
        return "Yes: the layers of this network treat every token by itself, and nothing leaks."
    growth = {"none": "$ln L$", "onehot": "$ln L$, and the width like $L$",
              "circle": "$L²·ln L/(2π²)$, at two coordinates for the codes"}[s.codes]
    most = "$2R$" if s.of_inputs else "the height of its ramp"
    needed = " Position codes are not needed: $K$ ignores the data tokens." if s.codes == "none" else ""
    return (f"Not at a fixed score scale: the leak grows with $L$, up to {most} per gate. "
            f"It stays below $ξ$ as long as $ν = βc$ grows like {growth}.{needed}")


def standing(report: Report) -> str:
    """How well the construction is known; tight only where every lemma behind the bound is."""
    text = report.information.standing
    return text if all(x.tight for x in report.lemmas) else ", ".join(x for x in text.split(", ") if x != "tight")


def way(report: Report) -> str:
    """Route and gate, in words."""
    supply = analysis_of(report).supply
    gate = {"anchors": "many-head anchor"}.get(report.gate or "", report.gate)
    words = [report.route + (f" with {gate} gates" if gate and gate != "ffn" else "")]
    if supply is not None and supply.selection.temperature == "hard":
        words.append(f"hard temperature, {supply.selection.grid} grid" + (", sentinels" if supply.sentinels else ""))
    return ", ".join(words)


def measure(report: Report) -> str:
    """In which sense an error is meant."""
    return "relative to the target, over the domain" if report.relative is not None else "sup norm over the domain"


def how_relative(report: Report) -> str:
    """What the bound promises, and by which way."""
    assert report.relative is not None
    promise = "so |network − target| ≤ ε·|target|"
    if "fmin" not in report.parameters:
        return f"{promise}, by a lemma on relative errors"
    return f"{promise}, from ε·min|target| as absolute accuracy, min|target| = {exact_text(report.relative)}"


def eta_meaning(report: Report) -> str:
    """What the symbol η is the error of."""
    supply = analysis_of(report).supply
    if supply is None:
        return "the error of one gate"
    return "the error of one gate whose ramp has width 1" + (", leaks between heads apart" if supply.sentinels else "")
