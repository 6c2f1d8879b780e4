"""The parameters of a construction, over all of its routes and gates: what a command line offers."""

from __future__ import annotations

from functools import cache

from ..formulas.parameter import Parameter
from ..gates.parameters import of
from .frame import anchors_counted_by, applicable
from .registry import construction


@cache
def declared(name: str) -> tuple[Parameter, ...]:
    """Each once, in the order in which routes and gates bring them along."""
    c = construction(name)
    found: dict[str, Parameter] = {}
    for route in c.routes:
        heads = [of(gate, anchors_counted_by(c)) for gate in c.information.gates] if route.gated else []
        for own in heads or [()]:
            for p in applicable(c, route.name, *((own,) if route.gated else ())):
                found.setdefault(p.name, p)
    return tuple(found.values())
