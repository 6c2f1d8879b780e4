"""What deciding one case of a claim gives, and how cases are combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .found import DerivedBound, Grounds, Holds, Ratio, Remark, Tactic, Values
from .model import Witness


@dataclass(frozen=True)
class Outcome:
    verdict: str
    derived: tuple[DerivedBound, ...] = ()
    ratio: Ratio | None = None
    condition: Holds | None = None
    witness: Witness | None = None
    tactics: tuple[Tactic, ...] = ()
    reason: Grounds = ()
    notes: tuple[Remark, ...] = ()
    defaults_matter: Values = ()                # M = 1, where the claim writes M and no condition restricts it


def combined(outcomes: Sequence[Outcome], cases: int) -> Outcome:
    """One outcome for all cases: refuted if one is, proved if all are, otherwise the least certain one."""
    if len(outcomes) == 1 and cases == 1:
        return outcomes[0]
    for verdict in ("refuted", "undecided", "supported", "conditional"):
        found = [o for o in outcomes if o.verdict == verdict]
        if found:
            first = found[0]
            if verdict == "conditional" and (len(found) > 1 or cases > 1):
                # exact in its case only: outside it the claim fails, which is what the witness shows
                if all(o.verdict in ("proved", "vacuous") for o in outcomes if o is not first) and first.witness:
                    return replace(first, reason=first.reason or ("in one of several cases",))
                assert first.condition is not None
                return replace(first, verdict="refuted", condition=None,
                               reason=("in one case it holds exactly when ", first.condition))
            return first
    proved = [o for o in outcomes if o.verdict == "proved"]
    best = proved[0] if proved else outcomes[0]
    return replace(best, tactics=tuple(dict.fromkeys(t for o in outcomes for t in o.tactics)))
