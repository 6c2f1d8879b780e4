"""Observe and certify: the network of a bound, or an external one against a named target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from flint import fmpq

from ..errors import BoundcalcError, Infeasible
from ..formulas.target import AnyTarget
from ..networks.network import Network
from ..results.verification import Certified, NotCertified, Observation, Verification
from .balls import rational
from .certify import certify
from .patience import OutOfTime, left, within
from .program import Program, program_of
from .proof import Domain
from .search import Admits, at_the_middle, attained_points, check_size, evaluated, search, side_condition
from .signature import signature

if TYPE_CHECKING:
    from ..results.bound import Bound

MOST_PARTS = 64
Telling = Callable[[str, int], None]        # what is being done, and how much of it was
SEARCHING = 0.4         # of the time, at most, for the search of the worst point


def verify(bound: Bound, digits: int = 50, progress: Telling | None = None, *, timeout: float | None = None) -> Verification:
    """Verify the exported network of a bound: its weights, not its closed forms.

    `progress` is told what is being done and how much of it was. After `timeout` seconds of CPU time what was found until
    then is returned, and what was not finished is said to be so."""
    check_size(bound.resources["parameters"].exact or Fraction(0))
    parts = list(islice(bound.parts_of_domain(), MOST_PARTS + 1))
    if len(parts) > MOST_PARTS:
        raise Infeasible(f"The domain consists of more than {MOST_PARTS} boxes.", "Verify fewer copies.")
    each = None if timeout is None else timeout / len(parts)
    return worst(verify_network(
        bound.network, bound.targets(), part, bound.values.get("eps", bound.total.upper), digits=digits,
        shift=bound.values["delta"], derived=bound.total.upper, first=attained_points(bound), admits=side_condition(bound),
        progress=progress, timeout=each) for part in parts)


def worst(found: Iterable[Verification]) -> Verification:
    """Of the parts of a domain together."""
    parts = list(found)
    if len(parts) == 1:
        return parts[0]
    observed = max((v.observed for v in parts), key=lambda o: o.error)
    proofs = [v.certified for v in parts if isinstance(v.certified, Certified)]
    missing = [v.certified for v in parts if isinstance(v.certified, NotCertified)]
    largest = max(proofs, key=lambda p: p.error) if not missing else None
    return replace(next((v for v in parts if v.signature), parts[0]),
                   observed=replace(observed, points=sum(v.observed.points for v in parts)),
                   certified=replace(largest, boxes=sum(p.boxes for p in proofs)) if largest else missing[0],
                   interrupted=any(v.interrupted for v in parts))


def verify_network(network: Network, targets: Sequence[AnyTarget],
                   domain: Sequence[tuple[Fraction | None, Fraction | None]], goal: Fraction | None, *,
                   digits: int = 50, shift: Fraction = Fraction(0), derived: Fraction | None = None,
                   first: Sequence[Sequence[Fraction]] = (), admits: Admits | None = None,
                   progress: Telling | None = None, timeout: float | None = None) -> Verification:
    """One target for every output, each of its own inputs. `admits` is a side condition on points: a proof is for all of
    the domain, an observation is one that satisfies it."""
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
            return Verification(at_the_middle(network, targets, ends, digits, admits), _unfinished(timeout), goal, derived)
        remaining = left()
        with within(None if remaining is None else remaining * SEARCHING):
            observed = search(network, program, targets, ends, first, digits, shift, size,
                              (lambda done, total: progress("searching the worst point", done)) if progress else None,
                              admits)
        try:
            certified, interrupted = _certified(program, targets, ends, shift, size, progress)
        except OutOfTime:
            certified, interrupted = _unfinished(timeout), False
    if isinstance(certified, Certified):
        observed = _better(observed, network, targets, certified, ends, size, admits)
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
            certified: Certified, domain: Domain, size: Fraction | None, admits: Admits | None) -> Observation:
    """The point where the prover saw the largest value, if it is worse; evaluated like the others."""
    copies, rest = divmod(len(network.inputs), max(1, len(certified.point)))
    if not certified.point or rest or observed.shift:
        return observed
    point = list(certified.point) * copies
    if admits is not None and not admits(point):
        return observed
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
