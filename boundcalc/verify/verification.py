"""Observe and certify: the network of a bound, or an external one against a named target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from flint import fmpq

from ..errors import BoundcalcError, Infeasible
from ..formulas.enclosure import Undecided
from ..formulas.target import AnyTarget
from ..networks.network import Network
from ..numbers.exact import Shift, moved
from ..results.verification import UNFINISHED, Certified, NotCertified, Verification
from .balls import rational
from .certify import certify
from .family_program import program_of_families
from .patience import OutOfTime, left, within
from .program import Program, program_of
from .proof import Domain
from .search import LARGEST, Admits, at_the_middle, attained_points, check_size, search, side_condition, too_large
from .signature import signature

if TYPE_CHECKING:
    from ..results.bound import Bound

MOST_PARTS = 64
Telling = Callable[[str, int], None]        # what is being done, and how much of it was
PROVING = 0.8           # of the time, at most; the rest is for the search of the worst point
NEAR = Fraction(1001, 1000)     # certified/observed: once it is no more, no worse point is looked for


def verify(bound: Bound, digits: int = 50, progress: Telling | None = None, *, timeout: float | None = None) -> Verification:
    """Verify the exported network of a bound: its weights, not its closed forms.

    `progress` is told what is being done and how much of it was. After `timeout` seconds of CPU time what was found until
    then is returned, and what was not finished is said to be so."""
    with within(timeout):
        return _verified_bound(bound, digits, progress, timeout)


def _verified_bound(bound: Bound, digits: int, progress: Telling | None, timeout: float | None) -> Verification:
    entries = bound.resources["parameters"].exact or Fraction(0)
    network = bound.network if entries <= LARGEST else None
    goal = bound.values.get("eps", bound.total.upper)
    try:
        read = _reading(bound, network, entries)
    except OutOfTime:
        ends: Domain = tuple((_exact(low), _exact(high)) for low, high in bound.domains())
        return Verification(at_the_middle(network, bound.targets(), ends, digits), _unfinished(timeout), goal,
                            bound.total.upper)
    parts = list(islice(bound.parts_of_domain(), MOST_PARTS + 1))
    if len(parts) > MOST_PARTS:
        raise Infeasible(f"The domain consists of more than {MOST_PARTS} boxes.", "Verify fewer copies.")
    each = None if timeout is None else timeout / len(parts)
    return worst(_verified(
        network, read, bound.targets(), part, goal,
        digits=digits, shift=bound.shift, derived=bound.total.upper, first=attained_points(bound),
        admits=side_condition(bound), progress=progress, timeout=each,
        composed=bound if bound.composition else None, relative=bound.relative,
        thorough=bound.composition is not None or bound.construction.numeric) for part in parts)


def _reading(bound: Bound, network: Network | None, entries: Fraction) -> Callable[[], Program]:
    """How the program is read: from all entries, or from families where they are too many to be written out. Whether that
    is possible is found out at once, before targets and domains of a million inputs are made."""
    if network is not None:
        return lambda: program_of(network)
    try:
        program = program_of_families(bound.families)
    except Undecided:
        raise too_large(entries) from None
    return lambda: program


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
                   digits: int = 50, shift: Shift = Fraction(0), derived: Fraction | None = None,
                   first: Sequence[Sequence[Fraction]] = (), admits: Admits | None = None,
                   progress: Telling | None = None, timeout: float | None = None) -> Verification:
    """One target for every output, each of its own inputs. `admits` is a side condition on points: a proof is for all of
    the domain, an observation is one that satisfies it."""
    check_size(network.parameters)
    return _verified(network, lambda: program_of(network), targets, domain, goal, digits=digits, shift=shift,
                     derived=derived, first=first, admits=admits, progress=progress, timeout=timeout)


def _verified(network: Network | None, read: Callable[[], Program], targets: Sequence[AnyTarget],
              domain: Sequence[tuple[Fraction | None, Fraction | None]], goal: Fraction | None, *, digits: int,
              shift: Shift, derived: Fraction | None, first: Sequence[Sequence[Fraction]], admits: Admits | None,
              progress: Telling | None, timeout: float | None, composed: Bound | None = None,
              relative: Fraction | None = None, thorough: bool = False) -> Verification:
    """Certify first; then look at the points where a lemma is attained and at the certificate's own witness, and search on
    only where these are not as bad as what is certified. `composed` is the bound of a plan, if the network is one's.
    `relative`: errors, goal and derived bound are relative to the targets, which are at least that in absolute value."""
    if progress:
        progress("reading the weights", 0)
    ends: Domain = tuple((_exact(low), _exact(high)) for low, high in domain)
    size = derived if derived is not None else goal
    certified: Certified | NotCertified
    enough: Fraction | None = None
    with within(timeout):
        try:
            program = read()
        except OutOfTime:
            return Verification(at_the_middle(network, targets, ends, digits, admits), _unfinished(timeout), goal, derived)
        remaining = left()
        try:
            with within(None if remaining is None else remaining * PROVING):
                certified, interrupted = _certified(program, targets, ends, shift, size, progress, composed, relative)
        except OutOfTime:
            certified, interrupted = _unfinished(timeout), False
        if isinstance(certified, Certified):
            certified = replace(certified, of="file" if network else "family")
            first = [*first, *_witness(certified, len(program.inputs))]
            if goal is None or certified.error <= goal:
                enough = certified.error / NEAR
        elif interrupted:
            first, enough = [*first, [_inside(low, high) for low, high in domain]], Fraction(0)
        observed = search(network, program, targets, ends, first, digits, shift, size,
                          (lambda done, total: progress("searching the worst point", done)) if progress else None,
                          admits, enough, thorough=thorough, relative=relative is not None)
    if isinstance(certified, Certified) and observed.error > certified.error:
        raise BoundcalcError("A certificate is contradicted by an evaluation.", "Please report this as a defect.")
    found = Verification(observed, certified, goal, derived, interrupted=interrupted)
    if found.holds is False and goal is not None and relative is None:
        point = moved(list(observed.at.values()), observed.shift)
        return replace(found, signature=signature(program, ends, point, observed.error, goal))
    return found


def _unfinished(timeout: float | None) -> NotCertified:
    return NotCertified(f"{UNFINISHED} {timeout:g} s of CPU time")


def _certified(program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: Shift, size: Fraction | None,
               progress: Telling | None, composed: Bound | None,
               relative: Fraction | None = None) -> tuple[Certified | NotCertified, bool]:
    proving = (lambda boxes: progress("proving", boxes)) if progress else None
    exactly = tuple(map(rational, shift)) if isinstance(shift, tuple) else rational(shift)
    try:
        if composed is not None:
            from .parts import certify_parts
            return certify_parts(composed, program, domain, size, proving), False
        if relative is not None:
            from .relative import certify_relative
            return certify_relative(program, targets, domain, exactly, relative, size=size, progress=proving), False
        return certify(program, targets, domain, exactly, size=size, progress=proving), False
    except KeyboardInterrupt:
        return NotCertified("interrupted"), True


def _witness(certified: Certified, inputs: int) -> list[list[Fraction]]:
    """Where the prover saw the largest value, for every copy."""
    copies, rest = divmod(inputs, max(1, len(certified.point)))
    return [] if not certified.point or rest else [list(certified.point) * copies]


def _inside(low: Fraction | None, high: Fraction | None) -> Fraction:
    return next((x for x in (high, low) if x is not None), Fraction(0))


def _exact(x: Fraction | None) -> fmpq | None:
    return None if x is None else rational(x)
