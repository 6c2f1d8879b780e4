"""The parts of a plan as a table, and the error as Σ gain·accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..formulas.notation import to_unicode
from ..formulas.parser import parse
from ..layout import INDENT, table
from ..results.part_lines import expression
from ..results.report import Report, analysis_of
from .document import Line, Number, Piece, Table, math, words
from .values import fraction, short

if TYPE_CHECKING:
    from ..derivation.composition import Span
    from ..results.part_lines import PartLine
    from ..results.parts import Part

HEADINGS = ("part", "is", "by", "on", "accuracy", "gain", "layers", "heads", "tokens")
MOST_COLUMNS = 24         # of a drawing
NOTE = ("A part keeps its accuracy on the whole box, which holds its arguments with their errors. The gain is the largest "
        "factor with which its error arrives at the output. The error is at most $Σ gain·accuracy$, beside that of inputs.")


def text(r: Report) -> str:
    rows = [[_named(p), _expression(p), _by(p), box(p.domain), short(p.accuracy, 5), short(p.gain, 5), *_counts(p)]
            for p in r.parts]
    graph = "\n".join(INDENT + line for line in drawing(r))
    shown = f"Plan\n{graph}\n\nParts (rule R11: error ≤ Σ gain·accuracy)\n{table(list(HEADINGS), rows)}"
    return shown if r.outputs else f"{shown}\n{INDENT}Σ gain·accuracy = {weighted(r)}"


def weighted(r: Report) -> str:
    """Σ gain·accuracy, a term for every kind of part."""
    return " + ".join(f"{f'{p.count}·' if p.count > 1 else ''}{short(p.gain, 5)}·{short(p.accuracy, 5)}" for p in r.parts)


def drawing(r: Report) -> list[str]:
    """The plan as a graph, in ASCII: a column a value, `o` where a part reads it, and the part at the end of the line."""
    composition = getattr(r.source, "composition", None)
    if composition is None:
        return []
    reads = [(p.name, f"{p.name} = {expression(p)}", [name for a in p.arguments for name, _ in a.terms])
             for p in composition.parts]
    outputs = [o.written or o.target for o in analysis_of(r).construction.outputs]
    reads += [("", text, [name for name, _ in form.terms])
              for text, form in zip(outputs, composition.outputs.values(), strict=True)]
    last = {name: k for k, (_, _, names) in enumerate(reads) for name in names}
    columns = list(composition.inputs)
    if len(columns) + len(reads) > MOST_COLUMNS:
        return [f"{text}" for _, text, _ in reads]
    step = max(map(len, columns)) + 2
    lines = ["".join(name.ljust(step) for name in columns).rstrip()]
    for k, (name, text, names) in enumerate(reads):
        first, line = min((columns.index(n) for n in names), default=len(columns)), ""
        for j, column in enumerate(columns):
            live = last.get(column, -1) > k
            mark = "o" if column in names else "+" if live and j > first else "|" if live else "-" if j > first else " "
            line += mark + ("-" if j >= first else " ") * (step - 1)
        lines.append((line + f"> {text}").rstrip())
        if name:
            columns.append(name)
    return lines


def outputs_text(r: Report) -> str:
    """The error of every output."""
    from .text import signed
    rows = [[o.name, to_unicode(parse(o.target)), signed(o.interval), short(o.error, 12)] for o in r.outputs]
    headings = ["output", "target", "network − target lies in", "size"]
    return table(headings, rows) if r.has_values else table(headings[:3], [row[:3] for row in rows])


def outputs_table(r: Report) -> Piece:
    """The same in documents."""
    rows = [((math(o.name),), (math(parse(o.target)),), (math(o.interval.lo),), (math(o.interval.hi),),
             *(((Number(short(o.error, 12)),),) if r.has_values else ())) for o in r.outputs]
    headings = (("output",), ("target",), ("error at least",), ("error at most",), *((("size",),) if r.has_values else ()))
    return Table(words("Outputs"), "lllll"[:4] + ("r" if r.has_values else ""), headings, tuple(rows))


def as_table(r: Report) -> Piece:
    rows: list[tuple[Line, ...]] = []
    for p in r.parts:
        rows.append((words(f"{p.name} = ", math(_expression(p)), f": {_by(p)}, on ", math(box(p.domain))),))
        rows.append(tuple((Number(x),) for x in (short(p.accuracy, 5), short(p.gain, 5), *_counts(p), str(p.count))))
    headings = tuple((h,) for h in ("accuracy", "gain", "layers", "heads", "tokens", "how many"))
    return Table(words("Parts (rule R11)"), "rrrrrr", headings, tuple(rows), words(NOTE))


def _named(p: PartLine) -> str:
    """Equal parts stand there once."""
    return f"{p.name} and {p.count - 1} more" if p.count > 1 else p.name


def _expression(p: PartLine) -> str:
    return _unicode(p.expression, p.construction)


def written(part: Part) -> str:
    """What a part computes, in inputs and earlier results."""
    return _unicode(expression(part), part.construction_name)


def _unicode(text: str, construction: str) -> str:
    """A formula, or the name of the construction with its arguments."""
    return text if text.startswith(f"{construction}(") else to_unicode(parse(text))


def _by(p: PartLine) -> str:
    return ", ".join(filter(None, (p.construction, f"route {p.route}", f"gate {p.gate}" if p.gate else "")))


def box(spans: Sequence[Span]) -> str:
    boxes = [f"[{fraction(low)}, {fraction(high)}]" for low, high in spans]
    if len(set(boxes)) == 1 and len(boxes) > 1:
        return f"{boxes[0]}^{len(boxes)}"
    return " × ".join(boxes)


def _counts(p: PartLine) -> list[str]:
    relu = p.gate == "ffn"
    keys = ("relu_layers", "neurons", "tokens") if relu else ("layers", "heads", "tokens")
    return [short(p.resources[key]) for key in keys]
