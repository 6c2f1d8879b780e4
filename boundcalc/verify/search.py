"""Observed errors: the worst point that a search finds. A sampled maximum is a lower bound of the true error and is never
called anything but *observed*.

Where to look is read off the weights: the kinks of every gate and what lies at the scale of its temperature around them,
the end anchors and the places between anchors, the corners of the domain, a grid; beside it the points where lemmas are
attained and where a prover saw the largest value. Where that is much work, all these are evaluated at once in float64 first,
which tells the worst ones from the others. The best of these climb uphill in small steps, in ball arithmetic on the program
of the network, with windows where there are many anchors; the worst point is then evaluated again by mpmath on the layers
themselves, with twice the digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

from flint import arb, fmpq

from ..errors import InvalidInput, echo
from ..formulas.enclosure import Undecided, arb_bounds
from ..formulas.target import AnyTarget, near_values, parted
from ..networks.network import Network
from ..numbers.exact import Shift, each, exact_text, floor_log, moved
from ..results.verification import Observation
from .balls import exact, fraction, precision, rational
from .curve import kernel_of
from .enclose import enclose, evaluate
from .evaluate import Evaluator, to_fraction
from .forms import RationalForm
from .kernels import SiluKernel, StairKernel
from .patience import OutOfTime, within
from .program import Boltzmann, Grid, Mean, Program, Tilted, program_of
from .proof import Domain

if TYPE_CHECKING:
    from ..results.bound import Bound

Progress = Callable[[int, int], None]       # (done, in all)
Admits = Callable[[Sequence[Fraction]], bool]       # a side condition on points

RANDOM = 120            # pseudo-random points for many inputs
MOST = 1500             # points that are looked at before climbing
EFFORT = 20_000         # points times atoms
CLIMBERS = 4
STEPS = 150             # evaluations of one climber
STARTS = 12             # of a thorough search
FAR = 400               # evaluations of one of its climbers
FINEST = fmpq(1, 2 ** 22)
BATCH = 100_000         # points times work at one from which on points are told apart in float64 first
WINDOW = 30             # work at a head over anchors, where that at another atom is 1
ALIKE = 2.0 ** -10      # part of an error by which float64 may be off without changing which points are looked at
TOLD = 2.0 ** -26       # part of the values from which on errors are told apart by float64
SPREAD = 300            # pseudo-random points of a thorough search
LARGEST = 10 ** 6       # entries of a network that is evaluated at all
MODULUS = 2 ** 31 - 1   # of the multiplicative generator x ↦ 16807·x: the same points on every machine
WORST = fmpq(12785, 10000)      # β|z| where silu errs most (S6), about
OFFSETS = [WORST, fmpq(1, 4), fmpq(1, 2), fmpq(3, 4), fmpq(1), fmpq(2), fmpq(12, 5), fmpq(3), fmpq(4)]
IN_A_CELL = [fmpq(k, 8) for k in (1, 2, 3, 4, 5, 6, 7)]


def observe(bound: Bound, digits: int = 50, progress: Progress | None = None, *,
            timeout: float | None = None) -> Observation:
    """The worst point of a bound's network that a search finds, within `timeout` seconds of CPU time if that is given."""
    with within(timeout):
        return _observed(bound, digits, progress)


def _observed(bound: Bound, digits: int, progress: Progress | None) -> Observation:
    check_size(bound.resources["parameters"].exact or Fraction(0))
    admits = side_condition(bound)
    found = []
    program: Program | None = None
    for part in bound.parts_of_domain():
        domain = tuple((None if low is None else rational(low), None if high is None else rational(high))
                       for low, high in part)
        try:
            program = program or program_of(bound.network)
        except OutOfTime:
            return at_the_middle(bound.network, bound.targets(), domain, digits, admits)
        found.append(search(bound.network, program, bound.targets(), domain, attained_points(bound), digits,
                            bound.shift, bound.total.upper, progress, admits,
                            relative=bound.relative is not None))
    return max(found, key=lambda o: o.error)


def at_the_middle(network: Network | None, targets: Sequence[AnyTarget], domain: Domain, digits: int,
                  admits: Admits | None = None) -> Observation:
    """One evaluation, where there was no time for more; nothing is seen where the side condition does not hold."""
    point = [fraction(_middle(*ends)) for ends in domain]
    seen = admits is None or admits(point)
    if network is None:
        return Observation(Fraction(0), {f"x{k + 1}": x for k, x in enumerate(point)}, Fraction(0), 1, digits, "balls")
    return Observation(evaluated(network, point, Fraction(0), targets, 2 * digits) if seen else Fraction(0),
                       dict(zip(network.inputs, point, strict=True)), Fraction(0), 1, digits)


def side_condition(bound: Bound) -> Admits | None:
    c = bound.construction
    return (lambda point: c.admits(point, bound.values)) if c.condition else None


def check_size(entries: Fraction | int) -> None:
    if entries > LARGEST:
        raise too_large(entries)


def too_large(entries: Fraction | int) -> InvalidInput:
    return InvalidInput(f"This network has {echo(exact_text(Fraction(entries)))} entries, too many to be verified.",
                        f"Verify one of at most {LARGEST} entries, for example with a smaller --d or --n.")


def search(network: Network | None, program: Program, targets: Sequence[AnyTarget], domain: Domain,
           first: Iterable[Sequence[Fraction]], digits: int, shift: Shift = Fraction(0), size: Fraction | None = None,
           progress: Progress | None = None, admits: Admits | None = None, enough: Fraction | None = None,
           thorough: bool = False, relative: bool = False) -> Observation:
    """Look at points, climb from the best ones, evaluate the worst again. With an input error the network sees every
    input shifted by it, up and down, and the target does not. `size` is about how large errors are; once one of `enough`
    is seen among the points that are given, no others are looked at. Without a network, which is then too large to be
    written out, the worst point is evaluated again in ball arithmetic. `thorough`: more points and longer climbs, for
    compositions, whose worst points lie anywhere. `relative`: errors are divided by the target, which has no zero."""
    finer = 0 if not size else max(0, -floor_log(size, 10))     # an error of 10^(−k) needs k more digits
    seen = _Seen(program, targets, domain, shift, 64 + 2 * (finer * 4), admits, relative)
    most = max(100, min(MOST, EFFORT // (1 + len(program.atoms))))
    given = [tuple(map(rational, p)) for p in first if len(p) == len(domain)]
    with precision(seen.bits), suppress(OutOfTime):         # what was seen until then was seen
        for point in dict.fromkeys(given):
            seen.look(point)
        if enough is not None and any(error >= rational(enough) for error, *_ in seen.best):
            return seen.observation(network, digits, finer)
        seen.many = thorough
        more = anywhere(domain, SPREAD) if thorough else ()
        points = [p for p in dict.fromkeys([*islice(candidates(program, domain), most), *more]) if p not in given]
        for k, point in enumerate(seen.worst_of(points)):
            if progress and k % 32 == 0:
                progress(k, len(points))
            seen.look(point)
        if thorough:
            seen.climb_far()
        else:
            seen.climb()
    return seen.observation(network, digits, finer)


class _Seen:
    def __init__(self, program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: Shift, bits: int,
                 admits: Admits | None, relative: bool = False) -> None:
        self.admits, self.many, self.relative = admits, False, relative
        self.program, self.targets, self.domain, self.bits = program, targets, domain, bits
        up = each(shift, len(domain))
        both = [up, tuple(-s for s in up)] if any(up) else [up]
        self.shifts: list[tuple[Shift, tuple[fmpq, ...]]] = [
            (s if isinstance(shift, tuple) else s[0] if s else Fraction(0), tuple(map(rational, s))) for s in both]
        self.best: list[tuple[arb, int, tuple[fmpq, ...], Shift]] = []
        self.points = 0
        self.centre = tuple(_middle(*ends) for ends in domain)

    def look(self, point: tuple[fmpq, ...]) -> arb | None:
        wanted = self._wanted(point)
        if wanted is None:
            return None
        found: arb | None = None
        for shift, exactly in self.shifts:
            self.points += 1
            try:
                values = evaluate(self.program, [arb(x + s) for x, s in zip(point, exactly, strict=True)])
            except Undecided:
                continue
            error = max((self._size(v.value, t).lower() for v, t in zip(values, wanted, strict=True)))
            found = error if found is None or error > found else found
            self.best.append((error, self.points, point, shift))
        if len(self.best) > 64:
            self._keep(STARTS if self.many else CLIMBERS)
        return found

    def _wanted(self, point: tuple[fmpq, ...]) -> list[arb] | None:
        """The targets at a point; None where they are not defined, and outside of the domain."""
        if not all((low is None or low <= x) and (high is None or x <= high)
                   for x, (low, high) in zip(point, self.domain, strict=True)):
            return None
        if self.admits is not None and not self.admits([fraction(x) for x in point]):
            return None
        try:
            return [target.at(own) for target, own in parted(self.targets, point)]
        except Undecided:
            return None

    def worst_of(self, points: list[tuple[fmpq, ...]]) -> list[tuple[fmpq, ...]]:
        """The points, without those that float64 shows not to be among the worst. All are counted as looked at."""
        work = sum(WINDOW if isinstance(a, Grid) else 1 for a in self.program.atoms)
        if len(points) * work < BATCH:
            return points
        import numpy as np

        from .floats import FloatEvaluator
        found = [(p, wanted) for p in points if (wanted := self._wanted(p)) is not None]
        targets = np.array([[float(t) for t in wanted] for _, wanted in found])
        network = FloatEvaluator(self.program)
        errors = np.zeros(len(found))
        for _, exactly in self.shifts:
            values = network(np.array([[fraction(x + s) for x, s in zip(p, exactly, strict=True)] for p, _ in found],
                                      dtype=np.float64))
            off = np.abs(values / targets - 1 if self.relative else values - targets)
            errors = np.maximum(errors, off.max(axis=1))        # NaN stays: such a point is looked at
        told = np.sort(errors[np.isfinite(errors)])[-(STARTS if self.many else CLIMBERS):]
        scale = 1.0 if self.relative else max(1.0, float(np.max(np.abs(targets), initial=0)))
        if not len(told) or not told[0] > TOLD * scale:
            return points
        kept = [p for (p, _), skipped in zip(found, errors < told[0] * (1 - ALIKE), strict=True) if not skipped]
        self.points += (len(found) - len(kept)) * len(self.shifts)
        return kept

    def _size(self, value: arb, target: arb) -> arb:
        return abs(value / target - 1) if self.relative else abs(value - target)

    def _keep(self, count: int) -> None:
        self.best.sort(key=lambda b: (b[0], -b[1]), reverse=True)
        del self.best[count:]

    def climb(self) -> None:
        """Uphill from the best points, one input at a time, in steps that are halved."""
        self._keep(CLIMBERS)
        for value, _, point, _ in list(self.best):
            here, height = point, value
            step, last = fmpq(1, 8), self.points + STEPS
            while step > fmpq(1, 2 ** 14) and self.points < last:
                for move in self._moves(here, step):
                    there = self.look(move)
                    if there is not None and there > height:
                        here, height = move, there
                        break
                else:
                    step = step / 2

    def climb_far(self) -> None:
        """From many points, in steps from a quarter of the domain on, each coordinate in turn."""
        self._keep(STARTS)
        for value, _, point, _ in list(self.best):
            here, height, step, last = point, value, fmpq(1, 4), self.points + FAR
            while step > FINEST and self.points < last:
                before = height
                for k, (low, high) in enumerate(self.domain):
                    size = step * (high - low if low is not None and high is not None else self._unit(k, low, high))
                    for sign in (1, -1):
                        move = (*here[:k], here[k] + sign * size, *here[k + 1:])
                        there = self.look(move)
                        if there is not None and there > height:
                            here, height = move, there
                            break
                if height <= before:
                    step = step / 2

    def _moves(self, point: tuple[fmpq, ...], step: fmpq) -> Iterator[tuple[fmpq, ...]]:
        if len(point) > 16:
            return
        for k, (low, high) in enumerate(self.domain):
            size = self._unit(k, low, high)
            for sign in (1, -1):
                yield (*point[:k], point[k] + sign * step * size, *point[k + 1:])

    def _unit(self, k: int, low: fmpq | None, high: fmpq | None) -> fmpq:
        """The scale of the gates, which is where errors change."""
        width = None if low is None or high is None else high - low
        scales = [s for s in _scales(self.program) if s > 0]
        finest = min(scales, default=width or fmpq(1))
        return finest if width is None else min(width, 4 * finest)

    def observation(self, network: Network | None, digits: int, finer: int) -> Observation:
        self._keep(CLIMBERS)
        if not self.best and self.admits is not None and not self.admits([fraction(x) for x in self.centre]):
            raise InvalidInput("No point was found that satisfies the condition of the construction.",
                               "Give a --range in which there are some.")
        seen, _, point, shift = self.best[0] if self.best else (arb(0), 0, self.centre, Fraction(0))
        exact_point = [fraction(x) for x in point]
        again = partial(in_balls, self.program) if network is None else partial(evaluated, network)
        try:
            worst = again(exact_point, shift, self.targets, 2 * digits + finer, self.relative)
        except OutOfTime:       # in balls it was evaluated before, to fewer digits
            worst = max(Fraction(0), fraction(exact(seen)))
        at = dict(zip(self.program.inputs, exact_point, strict=True))
        return Observation(worst, at, shift, max(1, self.points), digits, "balls" if network is None else "mpmath")


def evaluated(network: Network, point: list[Fraction], shift: Shift, targets: Sequence[AnyTarget],
              digits: int, relative: bool = False) -> Fraction:
    """The error at a point by mpmath on the layers, less what the evaluation may be off: at most the true error."""
    values = [to_fraction(v) for v in Evaluator(network, digits)(moved(point, shift))]
    found = ((abs(v - t) - max(Fraction(1), abs(v)) / 10 ** digits - off) / (abs(t) + off if relative else 1)
             for v, (t, off) in zip(values, near_values(targets, point, digits), strict=True))
    return max(Fraction(0), *found)


def in_balls(program: Program, point: list[Fraction], shift: Shift, targets: Sequence[AnyTarget],
             digits: int, relative: bool = False) -> Fraction:
    """The same by Arb on the program: at most the true error."""
    values = enclose(program, moved(point, shift), digits)
    found = ((max(low - t, t - high) - off) / (abs(t) + off if relative else 1) for (low, high), (t, off)
             in zip(map(arb_bounds, values), near_values(targets, point, digits), strict=True))
    return max(Fraction(0), *found)


# --- where to look ----------------------------------------------------------------------------------------------------

def candidates(program: Program, domain: Domain) -> Iterator[tuple[fmpq, ...]]:
    """Points that are worth a look, the most telling first."""
    n = len(domain)
    values = [sorted(_values(program, k, domain), key=abs) for k in range(n)]
    corners = [[x for x in ends if x is not None] or [fmpq(0)] for ends in domain]
    if n <= 2:
        yield from product(*corners)
        yield from _spread(values, max(3, int(max(100, min(MOST, EFFORT // (1 + len(program.atoms)))) ** 0.5)))
        return
    centre = tuple(_middle(*ends) for ends in domain)
    yield centre
    low, high = [c[0] for c in corners], [c[-1] for c in corners]
    yield tuple(low)
    yield tuple(high)
    for i in range(min(n, 16)):
        yield tuple(high[j] if j == i else low[j] for j in range(n))
    yield from _random(program, domain)


def _spread(values: list[list[fmpq]], size: int) -> Iterator[tuple[fmpq, ...]]:
    """All pairs, small ones first, so that a cut-off leaves something of everything."""
    if len(values) == 1:
        for x in values[0]:
            yield (x,)
        return
    thinned = [v[::max(1, len(v) // size)] for v in values]
    yield from product(*thinned)


def _values(program: Program, k: int, domain: Domain) -> set[fmpq]:
    """Values of one input: ends, a grid with its midpoints, and the surroundings of every kink in it."""
    low, high = domain[k]
    found: set[fmpq] = set()
    for atom in program.atoms[:400]:
        kernel = kernel_of(atom)
        if kernel is None or not kernel[0].terms.keys() <= set(range(len(domain))) or k not in kernel[0].terms:
            continue
        inner = kernel[0]
        others = sum((c * _middle(*domain[j]) for j, c in inner.terms.items() if j != k and j < len(domain)), fmpq(0))
        for kink in kernel[1].hinges:
            for x in _near(kernel[1], kink):
                found.add((x - inner.constant - others) / inner.terms[k])
    if low is not None and high is not None:
        found |= {low + (high - low) * fmpq(i, 64) for i in range(65)}
        found |= {low + (high - low) / 2 + s * (high - low) * fmpq(1, 2 ** i) for i in range(2, 20) for s in (1, -1)}
    else:
        finest = min(_scales(program), default=fmpq(1))
        found |= {s * finest * x for s in (1, -1) for x in (*OFFSETS, fmpq(0), fmpq(10), fmpq(1000))}
    return {x for x in found if (low is None or x >= low) and (high is None or x <= high)}


def _near(kernel: object, kink: fmpq) -> Iterator[fmpq]:
    yield kink
    if isinstance(kernel, StairKernel):
        for x in IN_A_CELL:
            yield kink + x
            yield kink - x
        return
    unit = 1 / kernel.beta if isinstance(kernel, SiluKernel) else fmpq(1)
    for x in OFFSETS:
        yield kink + x * unit
        yield kink - x * unit


def _scales(program: Program) -> list[fmpq]:
    """How far inputs move between very different weights, head by head, as far as they see inputs directly."""
    found = []
    for atom in program.atoms[:400]:
        if isinstance(atom, Boltzmann):
            found += [1 / (atom.beta * abs(c)) for s in atom.scores[:4] for c in s.terms.values()]
        elif isinstance(atom, Mean):
            found += [1 / abs(c) for x in atom.exponents[:8] if isinstance(x.form, RationalForm)
                      for c in x.form.terms.values()]
        elif isinstance(atom, Tilted):
            found += [1 / abs(c) for c in atom.s.terms.values()]
        elif (kernel := kernel_of(atom)) is not None:
            unit = 1 / kernel[1].beta if isinstance(kernel[1], SiluKernel) else fmpq(1)
            found += [unit / abs(c) for c in kernel[0].terms.values()]
    return found


def _random(program: Program, domain: Domain) -> Iterator[tuple[fmpq, ...]]:
    """Near an upper corner at the scale of the heads, and anywhere."""
    seed = 20250101
    finest = min(_scales(program), default=fmpq(1))
    for round_ in range(RANDOM):
        point = []
        for low, high in domain:
            seed = seed * 16807 % MODULUS
            top = fmpq(0) if high is None else high
            width = 20 * finest if low is None or high is None else high - low
            scale = width if round_ % 2 else min(width, 4 * finest)
            point.append(top - scale * fmpq(seed, MODULUS))
        yield tuple(point)


def anywhere(domain: Domain, count: int) -> Iterator[tuple[fmpq, ...]]:
    """Pseudo-random points of a bounded domain."""
    seed = 20250102
    ends = [(low, high) for low, high in domain if low is not None and high is not None]
    for _ in range(count if len(ends) == len(domain) else 0):
        point = []
        for low, high in ends:
            seed = seed * 16807 % MODULUS
            point.append(low + (high - low) * fmpq(seed, MODULUS))
        yield tuple(point)


def _middle(low: fmpq | None, high: fmpq | None) -> fmpq:
    if low is not None and high is not None:
        return (low + high) / 2
    return low if low is not None else high if high is not None else fmpq(0)


def attained_points(bound: Bound) -> list[list[Fraction]]:
    """Where the tight bound of the route is attained, once for every copy; moved into the domain where it fits there."""
    route = bound.analysis.how
    if route.witness is None or "beta" not in bound.values:      # a witness is a point where a lemma in β is attained
        return []
    point = list(route.witness(bound.values))
    low, high = bound.domains()[0]
    if bound.construction.counted is not None:
        least, most = min(point), max(point)
        if low is not None and high is not None and most - least <= high - low:
            up, down = high - most, low - least
            return [[x + up for x in point], [x + down for x in point]]
        return [point]
    return [point * (bound.input_count() // len(point))]
