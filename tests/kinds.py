"""Which of four kinds of domain a construction has: tests choose parameters by it."""

from __future__ import annotations

from boundcalc.declarations.record import Construction, Region


def kind_of(c: Construction) -> str:
    if c.own_interval is not None:
        return "function"
    if any(i.domain.above is not None for i in c.inputs):
        return "positive"
    return "line" if any(i.domain.region is Region.LINE for i in c.inputs) else "M"
