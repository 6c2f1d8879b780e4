"""Whether a construction's record can be right: against its header, and in itself. Said with file and line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ..errors import BoundcalcError, InvalidInput, echo
from ..formulas.build import RESERVED
from ..formulas.parameter import Kind, Parameter
from ..formulas.symbols import INTERNAL, MEANINGS, PARAMETERS
from ..formulas.target_text import declared as read_target
from ..formulas.target_text import names_in
from ..gates import GATES
from ..gates.parameters import BETA, EPS0, HEADS, KAPPA
from .header import wrong
from .record import Construction, Region, split_relation
from .shared import DELTA, EPS, HALF_WIDTH, SEQUENCE

TAKEN = {p.name for p in (EPS, DELTA, HALF_WIDTH, SEQUENCE, BETA, KAPPA, EPS0, HEADS)} | {"a", "b", "L", "p"}


def refusal(path: Path, what: str, where: str = "CONSTRUCTION") -> InvalidInput:
    """At the last line that mentions it: records stand at the end of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return wrong(path, max((k for k, line in enumerate(lines, 1) if where in line), default=1), what)


def check_record(c: Construction) -> None:
    info = c.information

    def refuse(what: str, where: str = "CONSTRUCTION") -> BoundcalcError:
        return refusal(info.path, what, where)

    routes = tuple(r.name for r in c.routes)
    if info.routes != routes:
        raise refuse(f"the header names the routes {', '.join(info.routes)}, the record {', '.join(routes) or 'none'}",
                     "routes")
    for name, count in Counter(routes).items():
        if count > 1:
            raise refuse(f"two of its routes are called {name}", "routes=")
    unknown = [g for g in info.gates if g not in GATES]
    if unknown:
        raise refuse(f"there is no gate '{unknown[0]}'", "gates:")
    for case in (*c.cases, *(case for route in c.routes for case in route.cases)):
        for gate in case.gates:
            if gate not in info.gates:
                raise refuse(f"a case is for the gate '{gate}', which the header does not name", f'"{gate}"')
    if not c.inputs or not c.outputs:
        raise refuse(f"it has no {'inputs' if not c.inputs else 'outputs'}")
    for name, count in Counter(o.name for o in c.outputs).items():
        if count > 1:
            raise refuse(f"two of its outputs are called {name}", f'"{name}"')
    declared = [*(p.name for p in c.parameters), *(i.name for i in c.inputs), *(["d"] if c.copies else [])]
    for name, count in Counter(declared).items():
        if count > 1:
            raise refuse(f"two of its parameters and inputs are called {name}", f'"{name}"')
        if name in TAKEN:
            raise refuse(f"the name {name} is taken by a parameter that all constructions or gates have", f'"{name}"')
        if name in RESERVED or name in MEANINGS or name in INTERNAL or name in _made_from(c):
            raise refuse(f"the name {name} means something else in formulas", f'"{name}"')
    for p in c.parameters:
        if missing := _assumed(p.name) - _declared(p):
            raise refuse(f"{p.name} is {' and '.join(sorted(missing))} wherever it stands in a formula, but not as it is "
                         "declared", f'"{p.name}"')
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
            raise refuse(f"the target '{echo(output.target)}': {problem.problem}", output.target) from None
        if output.function is not None:
            continue
        unknown = sorted(used - {*declared, *(("a", "b") if c.own_interval else ())})
        if unknown:
            raise refuse(f"the target mentions {unknown[0]}, which is neither an input nor a parameter", output.target)


def _made_from(c: Construction) -> set[str]:
    """The names of ends of ranges, and of numbers of lists, as far as a parameter or input could have them."""
    names = [*(p.name for p in c.parameters), *(i.name for i in c.inputs)]
    ends = {f"{end}_{i.name}" for i in c.inputs for end in "ab"}
    return ends | {n for n in names for p in c.lists if n.startswith(p.name) and n.removeprefix(p.name).isdecimal()}


def _assumed(name: str) -> set[str]:
    """What every formula takes for granted of a symbol of that name."""
    return set(PARAMETERS[name].assumptions) if name in PARAMETERS else set()


def _declared(p: Parameter) -> set[str]:
    """What a parameter's values are sure to be."""
    least = p.least if p.least is not None else 0 if p.kind is Kind.INTEGER else None
    exceeds = p.above is not None and p.above >= 0
    return {"real", *(["integer"] if p.kind is Kind.INTEGER else []),
            *(["nonnegative"] if exceeds or (least is not None and least >= 0) else []),
            *(["positive"] if exceeds or (least is not None and least > 0) else [])}
