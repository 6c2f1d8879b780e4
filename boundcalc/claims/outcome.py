"""What deciding one case of a claim gives, and how cases are combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .model import Witness


@dataclass(frozen=True)
class Outcome:
    verdict: str
    derived: str | None = None
    ratio: str | None = None
    condition: str | None = None
    witness: Witness | None = None
    tactic: str | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()
    defaults_matter: tuple[str, ...] = ()       # "M = 1", where the claim writes M and no condition restricts it


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
                    return replace(first, reason=first.reason or "in one of several cases")
                return replace(first, verdict="refuted", reason=f"in one case it holds exactly when {first.condition}",
                               condition=None)
            return first
    proved = [o for o in outcomes if o.verdict == "proved"]
    best = proved[0] if proved else outcomes[0]
    tactics = list(dict.fromkeys(t for o in outcomes if o.tactic for t in o.tactic.split(", ")))
    return replace(best, tactic=", ".join(tactics) or None)
