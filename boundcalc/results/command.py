"""The command line that asks for a bound again: what was given, and nothing that follows from it."""

from __future__ import annotations

from fractions import Fraction

from ..declarations.frame import own_error
from ..formulas.symbols import INTERNAL
from ..numbers.exact import exact_text
from .bound import Bound


def command_line(bound: Bound, command: str = "") -> str:
    """`boundcalc NAME …`, or `boundcalc COMMAND NAME …`, with exact numbers."""
    analysis = bound.analysis
    derived = {c.name for c in bound.choices if c.kind != "given"}
    given = {name: x for name, x in bound.values.items()
             if name not in derived and name not in INTERNAL and name != "fmin" and not (name == "delta" and x == 0)}
    words = ["boundcalc", *([command] if command else []), bound.construction.information.asked or bound.construction.name]
    c = analysis.construction
    entries = {p.name: [name for name in given if name.removeprefix(p.name).isdigit()] for p in c.lists}
    ends = {"": ("a", "b"), **{f"{i.name}=": (f"a_{i.name}", f"b_{i.name}") for i in c.inputs}}
    errors = {i.name: own_error(i.name) for i in c.inputs if own_error(i.name) in given}
    said_otherwise = {"L", *errors.values(), *(x for pair in ends.values() for x in pair),
                      *(x for names in entries.values() for x in names)}
    of_parts = {f"{c.name}": c.name for c in bound.choices} if analysis.parts else {}
    words += [f"--{name} {_number(x)}" for name, x in given.items() if name not in said_otherwise and name not in of_parts]
    for part, _ in analysis.parts:
        end = f"_{part.replace('.', '_')}"
        words += [f"--given {part}.{name.removesuffix(end)}={_number(x)}" for name, x in given.items()
                  if name in of_parts and name.endswith(end)]
    if errors:
        words.append(f"--delta {','.join(f'{block}={_number(given[x])}' for block, x in errors.items())}")
    words += [f"--range {block}{_number(given[a])},{_number(given[b])}" for block, (a, b) in ends.items() if a in given]
    words += [f"--{name} {','.join(_number(given[x]) for x in names)}" for name, names in entries.items() if names]
    if "L" in given:
        words.append(f"--sequence {_number(given['L'])}" + (
            f" --codes {analysis.codes}" if analysis.leak is not None and analysis.leak.by_code else ""))
    if bound.relative is not None:
        words.append("--relative")
    if c.tempered:
        words.append("--beta-per-layer")
    if bound.minimize is not None:
        words.append(f"--minimize {bound.minimize}")
    words.append(f"--route {analysis.route}")
    if analysis.gate and not analysis.parts:
        words.append(f"--gate {analysis.gate}")
    if analysis.supply is not None and analysis.supply.selection.temperature == "hard":
        words.append(f"--temperature hard --grid {analysis.supply.selection.grid}"
                     if not analysis.supply.sentinels else "--temperature hard --sentinels")
    return " ".join(words)


def _number(x: Fraction) -> str:
    return exact_text(x)
