"""The parameters of a construction, over all of its routes and gates: what a command line offers."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from ..formulas.parameter import Given, Kind, Parameter
from ..gates.parameters import BETA, of
from ..terms.plan import Plan
from .families import needed as of_family
from .frame import anchors_counted_by, applicable, frame_of, of_a_plan
from .record import Construction, Route
from .registry import construction

POSITIVE_EXAMPLE = "1/10,1"


def composed(name: str) -> bool:
    """Whether a construction has a route that is a plan."""
    return any(route.composed for route in construction(name).routes)


def _of_parts(c: Construction, route: Route) -> list[Parameter]:
    """What the parts of a plan choose for themselves, and β."""
    some = {p.name: Fraction(p.default or p.example or str(p.least or 1)) for p in c.parameters if p.kind is Kind.INTEGER}
    plan = route.build(of_a_plan(frame_of(c, route.name, None, ()), c, some))
    assert isinstance(plan, Plan)
    parts = [construction(use.name) for use in plan.uses]
    found = [p for part in parts for p in part.parameters if not p.internal and not isinstance(p.chosen, Given)]
    return [*found, BETA, *(p for part in parts for r in part.routes if r.composed for p in _of_parts(part, r))]


@cache
def declared(name: str) -> tuple[Parameter, ...]:
    """Each once, in the order in which routes and gates bring them along."""
    c = construction(name)
    found: dict[str, Parameter] = {p.name: p for p in c.family.parameters} if c.family else {}
    for route in c.routes:
        heads = [of(gate, anchors_counted_by(c)) for gate in c.information.gates] if route.gated else []
        for own in heads or [()]:
            for p in applicable(c, route.name, *((own,) if route.gated else ())):
                found.setdefault(p.name, p)
        if route.composed:
            for p in _of_parts(c, route):
                found.setdefault(p.name, p)
    return tuple(found.values())


def needed(c: Construction) -> dict[str, str]:
    """Options without which there is no bound, each with a value that will do."""
    found = {f"--{name}": example for name, example in of_family(c.family).items()} if c.family else {}
    for p in c.parameters:
        free = isinstance(p.chosen, Given) and not p.internal and p.kind is not Kind.INTERVAL
        if free and p.default is None and p.example:
            found[f"--{p.name}"] = p.example
    positive = [i for i in c.inputs if i.domain.above is not None and i.domain.default is None]
    if positive:
        found["--range"] = POSITIVE_EXAMPLE if len(c.inputs) == 1 else f"{positive[0].name}={POSITIVE_EXAMPLE}"
    return found
