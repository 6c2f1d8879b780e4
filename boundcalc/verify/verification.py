"""Observe and certify: the network of a bound, or an external one against a named target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq

from ..errors import BoundcalcError
from ..formulas.target import AnyTarget
from ..networks.network import Network
from ..results.verification import Certified, NotCertified, Observation, Verification
from .balls import rational
from .certify import certify
from .patience import OutOfTime, left, within
from .program import Program, program_of
from .proof import Domain
from .search import at_the_middle, attained_points, check_size, evaluated, search
from .signature import signature

if TYPE_CHECKING:
    from ..results.bound import Bound

Telling = Callable[[str, int], None]        # what is being done, and how much of it was
SEARCHING = 0.4         # of the time, at most, for the search of the worst point


def verify(bound: Bound, digits: int = 50, progress: Telling | None = None, *, timeout: float | None = None) -> Verification:
    """Verify the exported network of a bound: its weights, not its closed forms.

    `progress` is told what is being done and how much of it was. After `timeout` seconds of CPU time what was found until
    then is returned, and what was not finished is said to be so."""
    check_size(bound.resources["parameters"].exact or Fraction(0))
    return verify_network(bound.network, bound.targets(), bound.domains(), bound.values.get("eps", bound.total.upper),
                          digits=digits, shift=bound.values["delta"], derived=bound.total.upper,
                          first=attained_points(bound), progress=progress, timeout=timeout)


def verify_network(network: Network, targets: Sequence[AnyTarget],
                   domain: Sequence[tuple[Fraction | None, Fraction | None]], goal: Fraction | None, *,
                   digits: int = 50, shift: Fraction = Fraction(0), derived: Fraction | None = None,
                   first: Sequence[Sequence[Fraction]] = (), progress: Telling | None = None,
                   timeout: float | None = None) -> Verification:
    """One target for every output, each of its own inputs."""
    check_size(network.parameters)
    if progress:
        progress("reading the weights", 0)
    ends: Domain = tuple((_exact(low), _exact(high)) for low, high in domain)
    size = derived if derived is not None else goal
    certified: Certified | NotCertified
    with within(timeout):
        try:
            program = program_of(network)
        except OutOfTime:
            return Verification(at_the_middle(network, targets, ends, digits), _unfinished(timeout), goal, derived)
        remaining = left()
        with within(None if remaining is None else remaining * SEARCHING):
            observed = search(network, program, targets, ends, first, digits, shift, size,
                              (lambda done, total: progress("searching the worst point", done)) if progress else None)
        try:
            certified, interrupted = _certified(program, targets, ends, shift, size, progress)
        except OutOfTime:
            certified, interrupted = _unfinished(timeout), False
    if isinstance(certified, Certified):
        observed = _better(observed, network, targets, certified, ends, size)
        if observed.error > certified.error:
            raise BoundcalcError("A certificate is contradicted by an evaluation.", "Please report this as a defect.")
    found = Verification(observed, certified, goal, derived, interrupted=interrupted)
    if found.holds is False and goal is not None:
        point = [x + observed.shift for x in observed.at.values()]
        return replace(found, signature=signature(program, ends, point, observed.error, goal))
    return found


def _unfinished(timeout: float | None) -> NotCertified:
    return NotCertified(f"not finished within {timeout:g} s of CPU time")


def _certified(program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: Fraction, size: Fraction | None,
               progress: Telling | None) -> tuple[Certified | NotCertified, bool]:
    try:
        return certify(program, targets, domain, rational(shift), size=size,
                       progress=(lambda boxes: progress("proving", boxes)) if progress else None), False
    except KeyboardInterrupt:
        return NotCertified("interrupted"), True


def _better(observed: Observation, network: Network, targets: Sequence[AnyTarget],
            certified: Certified, domain: Domain, size: Fraction | None) -> Observation:
    """The point where the prover saw the largest value, if it is worse; evaluated like the others."""
    copies, rest = divmod(len(network.inputs), max(1, len(certified.point)))
    if not certified.point or rest or observed.shift:
        return observed
    point = list(certified.point) * copies
    if not all((low is None or low <= rational(x)) and (high is None or rational(x) <= high)
               for x, (low, high) in zip(point, domain, strict=True)):
        return observed     # a proof may look at a larger domain
    finer = len(str(size.denominator // max(1, size.numerator))) if size else 0
    error = evaluated(network, point, Fraction(0), targets, 2 * observed.digits + finer)
    if error <= observed.error:
        return observed
    return replace(observed, error=error, at=dict(zip(network.inputs, point, strict=True)), points=observed.points + 1)


def _exact(x: Fraction | None) -> fmpq | None:
    return None if x is None else rational(x)
