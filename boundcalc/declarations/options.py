"""The parameters of a construction, over all of its routes and gates: what a command line offers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from ..formulas.parameter import Parameter
from ..gates import TEMPERATURES, Options, gate
from ..terms.gate import Gate
from .frame import anchors_counted_by, applicable
from .record import Construction, Route
from .registry import construction


@cache
def declared(name: str) -> tuple[Parameter, ...]:
    """Each once, in the order in which routes and gates bring them along."""
    c = construction(name)
    found: dict[str, Parameter] = {}
    for route in c.routes:
        for made in _gates(c, route):
            for p in applicable(c, route.name, made):
                found.setdefault(p.name, p)
    return tuple(found.values())


def _gates(c: Construction, route: Route) -> Iterator[Gate | None]:
    """The gates of a route, those with anchors at every temperature."""
    if not route.gated:
        yield None
        return
    for name in c.information.gates:
        plain = gate(name, Options(tokens=anchors_counted_by(c)))
        yield plain
        if plain.supply is not None:
            yield from (gate(name, Options(t, tokens=anchors_counted_by(c))) for t in TEMPERATURES)
