"""Observe and certify: the network of a bound, or somebody's own against a named target."""

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
from ..results.verification import Certified, NotCertified, Verification
from .balls import rational
from .certify import certify
from .family_program import program_of_families
from .program import Program, program_of
from .proof import Domain
from .search import LARGEST, Admits, attained_points, check_size, search, side_condition, too_large
from .signature import signature

if TYPE_CHECKING:
    from ..results.bound import Bound

MOST_PARTS = 64
Telling = Callable[[str, int], None]        # what is being done, and how much of it was
NEAR = Fraction(1001, 1000)     # certified/observed: once it is no more, no worse point is looked for


def verify(bound: Bound, digits: int = 50, tell: Telling | None = None) -> Verification:
    """Verify the exported network of a bound: its weights, not its closed forms."""
    network, program = _read(bound, tell)
    parts = list(islice(bound.parts_of_domain(), MOST_PARTS + 1))
    if len(parts) > MOST_PARTS:
        raise Infeasible(f"The domain consists of more than {MOST_PARTS} boxes.", "Verify fewer copies.")
    return worst(_verified(
        network, program, bound.targets(), part, bound.values.get("eps", bound.total.upper), digits=digits,
        shift=bound.values["delta"], derived=bound.total.upper, first=attained_points(bound), admits=side_condition(bound),
        tell=tell) for part in parts)


def _read(bound: Bound, tell: Telling | None) -> tuple[Network | None, Program]:
    """The network with its program; the program alone, by families, where it has too many entries to be written out."""
    if tell:
        tell("reading the weights", 0)
    entries = bound.resources["parameters"].exact or Fraction(0)
    if entries <= LARGEST:
        return bound.network, program_of(bound.network)
    try:
        return None, program_of_families(bound.families)
    except Undecided:
        raise too_large(entries) from None


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
                   tell: Telling | None = None) -> Verification:
    """One target for every output, each of its own inputs. `admits` is a side condition on points: a proof is for all of
    the domain, an observation is one that satisfies it."""
    check_size(network.parameters)
    if tell:
        tell("reading the weights", 0)
    return _verified(network, program_of(network), targets, domain, goal, digits=digits, shift=shift, derived=derived,
                     first=first, admits=admits, tell=tell)


def _verified(network: Network | None, program: Program, targets: Sequence[AnyTarget],
              domain: Sequence[tuple[Fraction | None, Fraction | None]], goal: Fraction | None, *, digits: int,
              shift: Fraction, derived: Fraction | None, first: Sequence[Sequence[Fraction]], admits: Admits | None,
              tell: Telling | None) -> Verification:
    ends: Domain = tuple((_exact(low), _exact(high)) for low, high in domain)
    size = derived if derived is not None else goal
    certified, interrupted = _certified(program, targets, ends, shift, size, tell)
    enough: Fraction | None = None
    if isinstance(certified, Certified):
        certified = replace(certified, of="file" if network else "family")
        first = [*first, *_witness(certified, len(program.inputs))]
        if goal is None or certified.error <= goal:
            enough = certified.error / NEAR
    elif interrupted:
        first, enough = [*first, [_inside(low, high) for low, high in domain]], Fraction(0)
    observed = search(network, program, targets, ends, first, digits, shift, size,
                      (lambda done, total: tell("searching the worst point", done)) if tell else None, admits, enough)
    if isinstance(certified, Certified) and observed.error > certified.error:
        raise BoundcalcError("A certificate is contradicted by an evaluation.", "Please report this as a defect.")
    found = Verification(observed, certified, goal, derived, interrupted=interrupted)
    if found.holds is False and goal is not None:
        point = [x + observed.shift for x in observed.at.values()]
        return replace(found, signature=signature(program, ends, point, observed.error, goal))
    return found


def _certified(program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: Fraction, size: Fraction | None,
               tell: Telling | None) -> tuple[Certified | NotCertified, bool]:
    try:
        return certify(program, targets, domain, rational(shift), size=size,
                       progress=(lambda boxes: tell("proving", boxes)) if tell else None), False
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
