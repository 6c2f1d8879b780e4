"""What a verification found. Nothing heavy is imported here: every report may carry one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ..display import Printed, Shown
from ..numbers.exact import Shift

UNFINISHED = "not finished within"      # how the reason begins where time ran out
LOOSE = "loose"         # the certified error is above the goal, the observed one is not


@dataclass(frozen=True)
class Observation(Shown):
    """The largest error that was seen, where, and in how many evaluations; `shift` is the error put on every input. The
    worst point was evaluated again by mpmath on the layers, or by balls where these are too many to be written out."""

    error: Fraction
    at: dict[str, Fraction]
    shift: Shift
    points: int
    digits: int
    by: Literal["mpmath", "balls"] = "mpmath"


@dataclass(frozen=True)
class Certified(Shown):
    """|network − target| ≤ error on the whole domain; `point` is where the prover saw the largest value. `of` says what was
    read: all entries of the network that is written to a file, or the family from which they are written."""

    error: Fraction
    method: str
    boxes: int
    point: tuple[Fraction, ...] = ()
    of: Literal["file", "family"] = "file"


@dataclass(frozen=True)
class NotCertified(Shown):
    """Why there is no certificate."""

    reason: str


@dataclass(frozen=True)
class Verification(Printed):
    """Observed and certified errors against a goal (ε, or the derived bound where no ε was asked for, or nothing)."""

    observed: Observation
    certified: Certified | NotCertified
    goal: Fraction | None
    derived: Fraction | None = None
    signature: str | None = None
    interrupted: bool = False

    @property
    def eps(self) -> Fraction | None:
        """The goal, where it is not the derived bound itself."""
        return self.goal if self.goal != self.derived else None

    @property
    def proved(self) -> Certified | None:
        return self.certified if isinstance(self.certified, Certified) else None

    @property
    def reason(self) -> str | None:
        """Why it is neither certified nor failed."""
        if self.holds is not None:
            return None
        if isinstance(self.certified, NotCertified):
            return self.certified.reason
        return LOOSE

    @property
    def unfinished(self) -> bool:
        """Whether a proof was given up because its time was over."""
        return isinstance(self.certified, NotCertified) and self.certified.reason.startswith(UNFINISHED)

    @property
    def holds(self) -> bool | None:
        """True: certified to be within the goal. False: a point is known where it is not. None: neither."""
        limits = [x for x in (self.goal, self.derived) if x is not None]
        if limits and self.observed.error > min(limits):
            return False    # above ε, or above a bound that was derived: one as bad as the other
        if self.proved is None:
            return None
        return True if self.goal is None or self.proved.error <= self.goal else None

    @property
    def tightness(self) -> Fraction | None:
        """certified/observed."""
        return self.proved.error / self.observed.error if self.proved and self.observed.error else None

    @property
    def share(self) -> Fraction | None:
        """certified/derived."""
        return self.proved.error / self.derived if self.proved and self.derived else None
