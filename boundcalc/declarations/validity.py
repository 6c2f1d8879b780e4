"""Whether a construction's record can be right: against its header, and in itself. Said with file and line."""

from __future__ import annotations

from collections import Counter

from ..errors import BoundcalcError
from ..formulas.target_text import declared as read_target
from ..formulas.target_text import names_in
from ..gates import GATES
from ..gates.parameters import BETA, EPS0, HEADS, KAPPA
from .header import wrong
from .record import Construction, Region, split_relation
from .shared import DELTA, EPS, HALF_WIDTH, SEQUENCE

TAKEN = {p.name for p in (EPS, DELTA, HALF_WIDTH, SEQUENCE, BETA, KAPPA, EPS0, HEADS)} | {"a", "b", "L", "p"}


def check_record(c: Construction) -> None:
    info = c.information

    def refuse(what: str, where: str = "CONSTRUCTION") -> BoundcalcError:
        """At the last line that mentions it: records stand at the end of a file."""
        lines = info.path.read_text(encoding="utf-8").splitlines()
        return wrong(info.path, max((k for k, line in enumerate(lines, 1) if where in line), default=1), what)

    routes = tuple(r.name for r in c.routes)
    if info.routes != routes:
        raise refuse(f"the header names the routes {', '.join(info.routes)}, the record {', '.join(routes) or 'none'}",
                     "routes")
    unknown = [g for g in info.gates if g not in GATES]
    if unknown:
        raise refuse(f"there is no gate '{unknown[0]}'", "gates:")
    if not c.inputs or not c.outputs:
        raise refuse(f"it has no {'inputs' if not c.inputs else 'outputs'}")
    if len(c.outputs) > 1:
        raise refuse("several outputs cannot be derived yet", "outputs")
    declared = [*(p.name for p in c.parameters), *(i.name for i in c.inputs), *(["d"] if c.copies else [])]
    for name, count in Counter(declared).items():
        if count > 1:
            raise refuse(f"two of its parameters and inputs are called {name}", f'"{name}"')
        if name in TAKEN:
            raise refuse(f"the name {name} is taken by a parameter that all constructions or gates have", f'"{name}"')
    sizes = [i.size for i in c.inputs if i.size]
    for name in (*sizes, *(n for r in c.routes for n in r.chooses)):
        if name not in declared:
            raise refuse(f"{name} is used, but is no parameter", f'"{name}"')
    if sizes and (c.copies or len(c.inputs) > 1):
        raise refuse("a block that a parameter counts must be the only input, without copies", "size=")
    for i in c.inputs:
        finite, gap = i.domain.region is Region.FINITE, i.domain.region is Region.GAP
        if finite != bool(i.domain.values) or gap != bool(i.domain.gap):
            raise refuse(f"the domain of {i.name} needs values where it is finite, and a gap where it has one",
                         f'"{i.name}"')
    if c.condition:
        try:
            left, _, right = split_relation(c.condition)
            said = names_in(read_target(left)[0]) | names_in(read_target(right)[0])
        except BoundcalcError as problem:
            raise refuse(f"the condition '{c.condition}': {problem.problem}", c.condition) from None
        if said - {i.name for i in c.inputs}:
            raise refuse(f"the condition '{c.condition}' is not about the inputs alone", c.condition)
    for output in c.outputs:
        try:
            used = names_in(read_target(output.target)[0])
        except BoundcalcError as problem:
            raise refuse(f"the target '{output.target}': {problem.problem}", output.target) from None
        unknown = sorted(used - {*declared, *(("a", "b") if c.own_interval else ())})
        if unknown:
            raise refuse(f"the target mentions {unknown[0]}, which is neither an input nor a parameter", output.target)
