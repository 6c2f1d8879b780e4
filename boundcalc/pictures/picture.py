"""What a picture of a bound shows, as exact numbers: target, network and error along a line, bounds, attention weights.

Nothing is drawn here. Values of the network are ends of balls around the truth, to more digits than the error is small,
so that no error is drawn larger than it is; the largest is evaluated again by mpmath, as `verify` does. Where to look closer
is found out in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, isqrt

from ..errors import BoundcalcError, InvalidInput
from ..formulas.enclosure import Undecided, arb_bounds
from ..formulas.target import near_values, starts
from ..numbers.exact import floor_log, moved
from ..results.bound import Bound
from ..results.verification import Certified, NotCertified, Verification
from ..verify.enclose import enclose
from ..verify.evaluate import Evaluator, to_fraction
from ..verify.floats import FloatEvaluator
from ..verify.program import program_of
from ..verify.search import evaluated, observe
from ..verify.verification import Telling, verify
from .attention import TRIALS, AttentionMap, Place, columns, maps, telling_heads
from .line import Line, around, line_through

POINTS = 401
GOLDEN = Fraction(618_034, 10 ** 6)     # multiples of it fall everywhere between two integers
UNEVEN = Fraction(3, 5)                 # how far samples lie off equal distances, of which they make no pattern
PROBES = 65             # points in which a close-up must be resolved
ROUGH = Fraction(1, 5)          # of the range of a curve: what straight lines between its points may miss
BENT = Fraction(1, 100)         # … beyond which a curve gets more points
ROUNDS = 4                      # of halving there
FLAT = Fraction(1, 1000)        # of the bound: what is too small to be seen
ROWS, FEWEST_ROWS = 81, 11      # of a plane, which has twice as many columns
EFFORT = 4_000_000              # places times entries of the network
SPARE = 12              # digits of a value beyond the size of the error
TOLD = Fraction(1, 2 ** 30)     # of the values: what float64 tells apart, in inputs as in errors


@dataclass(frozen=True)
class Sample:
    x: Fraction
    target: Fraction
    network: Fraction

    @property
    def error(self) -> Fraction:
        return self.network - self.target


@dataclass(frozen=True)
class View:
    """A part of the line: samples from left to right, and attention weights in columns of equal width."""

    low: Fraction
    high: Fraction
    samples: tuple[Sample, ...]
    resolved: bool                          # whether straight lines between the samples show the error
    legible: bool                           # … even those between every other one: it is wide enough to be seen
    maps: tuple[AttentionMap, ...] = ()


@dataclass(frozen=True)
class ErrorMap:
    """The error where two inputs vary, each between its ends: errors[row][column], a row for every value of the other input,
    from the lowest, a column for every value of the input that varies along the line. Places are middles of equal parts."""

    across: tuple[Fraction, Fraction]
    upwards: tuple[Fraction, Fraction]
    other: int                              # the input upwards
    errors: tuple[tuple[Fraction, ...], ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.errors))


@dataclass(frozen=True)
class Picture:
    """Everything that is drawn. The bounds are those of |network − target|, over the whole domain of all inputs."""

    bound: Bound
    line: Line
    views: tuple[View, ...]                 # the line, and a close-up of its worst point where one is needed
    verification: Verification
    asked: bool                             # whether a certificate was asked for
    plane: ErrorMap | None = None              # of a target of two inputs

    @property
    def observed(self) -> Fraction:
        return self.verification.observed.error

    @property
    def certified(self) -> Fraction | None:
        return self.verification.proved.error if self.verification.proved else None

    @property
    def derived(self) -> Fraction | None:
        return self.bound.total.upper

    @property
    def goal(self) -> Fraction | None:
        return self.bound.values.get("eps")

    @property
    def worst(self) -> Sample:
        """The sample at the worst observed point."""
        return next(s for v in self.views for s in v.samples if s.x == self.line.centre)


def picture_of(bound: Bound, digits: int = 50, points: int = POINTS, certify: bool = True,
               tell: Telling | None = None, *, timeout: float | None = None) -> Picture:
    """Verify the network, then look at it along a line through the worst point. `timeout` is CPU time of the verification,
    in seconds; what was found until then is drawn."""
    if bound.relative is not None:
        raise InvalidInput("Pictures show absolute errors, and this bound is relative to the target.",
                           "Leave out --relative.")
    found = verify(bound, digits, tell, timeout=timeout) if certify else _observed(bound, digits, tell, timeout)
    if found.interrupted:
        raise KeyboardInterrupt
    found = _centred(bound, found)
    curve = _Curve(bound, found, tell)
    found, line, plane = _with_plane(bound, found, curve)
    views = [curve.view(line, line.low, line.high, points)]
    found, line = _worse(found, line, views[0], bound, curve)
    if not views[0].legible:
        views.append(_close_up(curve, line, points))
        found, line = _worse(found, line, views[1], bound, curve)
    places = telling_heads(bound.network, [line.seen(x) for x in _cells(views[-1], TRIALS)])
    return Picture(bound, line, tuple(_with_maps(v, line, places, bound, tell) for v in views), found, certify, plane)


def _observed(bound: Bound, digits: int, tell: Telling | None, timeout: float | None) -> Verification:
    seen = observe(bound, digits, (lambda done, total: tell("searching the worst point", done)) if tell else None,
                   timeout=timeout)
    return Verification(seen, NotCertified("not asked for"), bound.values.get("eps", bound.total.upper), bound.total.upper)


def _centred(bound: Bound, found: Verification) -> Verification:
    """A maximum has the same error wherever its arguments lie together: better drawn in the middle than at an edge."""
    seen, (low, high) = found.observed, bound.domains()[0]
    if bound.construction.counted is None or low is None or high is None:
        return found
    point = list(seen.at.values())
    move = (low + high - min(point) - max(point)) / 2
    there = [x + move for x in point]
    digits = 2 * seen.digits + (max(0, -floor_log(seen.error, 10)) if seen.error else 0)
    error = evaluated(bound.network, there, seen.shift, bound.targets(), digits)
    same = error + 2 * max(Fraction(1), *map(abs, point)) / Fraction(10) ** (2 * seen.digits) >= seen.error
    return replace(found, observed=replace(seen, error=error, at=dict(zip(seen.at, there, strict=True)))) if same else found


# --- values -----------------------------------------------------------------------------------------------------------

class _Curve:
    """Target and network at points of lines."""

    def __init__(self, bound: Bound, found: Verification, tell: Telling | None) -> None:
        self.bound, self.tell = bound, tell
        self.program = program_of(bound.network)
        self.floats = FloatEvaluator(self.program)
        self.size = max(found.observed.error, bound.total.upper or Fraction(0))
        self.digits = SPARE + (max(0, -floor_log(self.size, 10)) if self.size else 0)
        self.done = 0

    def network(self, point: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
        """What the network returns, as intervals."""
        try:
            return [arb_bounds(y) for y in enclose(self.program, point, self.digits)]
        except Undecided:
            values = [to_fraction(y) for y in Evaluator(self.bound.network, self.digits)(point)]
            off = [max(Fraction(1), abs(y)) / 10 ** self.digits for y in values]
            return [(y - o, y + o) for y, o in zip(values, off, strict=True)]

    def sample(self, line: Line, x: Fraction) -> Sample:
        return self.sample_at(line, x, line.point(x))

    def sample_at(self, line: Line, x: Fraction, point: list[Fraction]) -> Sample:
        """At a point that need not be on the line."""
        self.done += 1
        if self.tell:
            self.tell("evaluating", self.done)
        target, off = near_values(self.bound.targets(), point, self.digits)[line.output]
        low, high = self.network(moved(point, line.shift))[line.output]
        return Sample(x, target, min(max(low - off, target), high + off))       # where in the interval the error is least

    def plane(self, line: Line) -> ErrorMap | None:
        """Of two inputs that are bounded; with fewer places for a large network."""
        start = starts(self.bound.targets())[line.output]
        own = range(start, start + self.bound.targets()[line.output].inputs)
        ends = self.bound.domains()
        if len(own) != 2 or None in (*ends[own[0]], *ends[own[1]]):
            return None
        other = own[0] if line.varied == own[1] else own[1]
        across, upwards = ((low, high) for k in (line.varied, other) for low, high in (ends[k],)
                           if low is not None and high is not None)
        rows = max(FEWEST_ROWS, min(ROWS, isqrt(EFFORT // (2 * max(1, self.bound.network.parameters)))))

        def at(x: Fraction, y: Fraction) -> list[Fraction]:
            return [y if k == other else z for k, z in enumerate(line.point(x))]

        return ErrorMap(across, upwards, other, tuple(
            tuple(self.sample_at(line, x, at(x, y)).error for x in _middles(*across, 2 * rows))
            for y in _middles(*upwards, rows)))

    def samples(self, line: Line, low: Fraction, high: Fraction, count: int) -> tuple[Sample, ...]:
        return tuple(self.sample(line, x) for x in _places(line, low, high, count))

    def shows(self, line: Line, low: Fraction, high: Fraction, count: int) -> bool:
        """Whether so many samples show the error there."""
        return _resolved(self._rough(line, low, high, count) or self.samples(line, low, high, count), self.size)

    def _rough(self, line: Line, low: Fraction, high: Fraction, count: int) -> tuple[Sample, ...]:
        """Samples in float64, which are not drawn; none where it does not tell them apart."""
        xs = _places(line, low, high, count)
        if high - low < TOLD * max(abs(low), abs(high)):
            return ()
        targets = [near_values(self.bound.targets(), line.point(x), self.digits)[line.output][0] for x in xs]
        if FLAT * self.size < TOLD * max(Fraction(1), *map(abs, targets)):
            return ()
        values = self.floats([[float(y) for y in line.seen(x)] for x in xs])[:, line.output]
        if not all(map(isfinite, values)):
            return ()
        return tuple(Sample(x, t, Fraction(float(y))) for x, t, y in zip(xs, targets, values, strict=True))

    def view(self, line: Line, low: Fraction, high: Fraction, count: int) -> View:
        """Where so many samples show the curve, there are more at its bends."""
        samples = self.samples(line, low, high, count)
        legible = _resolved(samples[::2], self.size)
        resolved = legible or _resolved(samples, self.size)
        return View(low, high, self._refined(line, samples) if resolved else samples, resolved, legible)

    def _refined(self, line: Line, samples: tuple[Sample, ...]) -> tuple[Sample, ...]:
        most = 2 * len(samples)
        for _ in range(ROUNDS):
            span = _span(samples)
            bent = [three for three in _triples(samples) if _bend(*three) > BENT * span]
            places = {(a.x + b.x) / 2 for before, between, after in bent for a, b in ((before, between), (between, after))}
            if not places or len(samples) + len(places) > most:
                break
            samples = tuple(sorted((*samples, *(self.sample(line, x) for x in places)), key=lambda s: s.x))
        return samples


def _places(line: Line, low: Fraction, high: Fraction, count: int) -> list[Fraction]:
    """So many points, and the worst one. Their distances are not equal: teeth and anchors have equal ones, and would all be
    met at the same place."""
    inner = {k + UNEVEN * (k * GOLDEN % 1 - Fraction(1, 2)) for k in range(1, count - 1)}
    places = {low + (high - low) * k / (count - 1) for k in {Fraction(0), Fraction(count - 1), *inner}}
    return sorted(places | {line.centre})


def _resolved(samples: Sequence[Sample], size: Fraction) -> bool:
    """Whether no sample is far from the straight line between its neighbours."""
    span = _span(samples)
    return span <= FLAT * size or all(_bend(*three) <= ROUGH * span for three in _triples(samples))


def _span(samples: Sequence[Sample]) -> Fraction:
    errors = [s.error for s in samples]
    return max(errors) - min(errors)


def _triples(samples: Sequence[Sample]) -> Iterator[tuple[Sample, Sample, Sample]]:
    return zip(samples, samples[1:], samples[2:], strict=False)


def _bend(before: Sample, between: Sample, after: Sample) -> Fraction:
    """How far a sample is from the straight line between its neighbours."""
    slope = (after.error - before.error) / (after.x - before.x)
    return abs(between.error - before.error - slope * (between.x - before.x))


# --- where to look ----------------------------------------------------------------------------------------------------

def _line(bound: Bound, found: Verification, curve: _Curve) -> Line:
    """Through the worst point, for the output that is worst there."""
    worst, shift = tuple(found.observed.at.values()), found.observed.shift
    wanted = near_values(bound.targets(), worst, curve.digits)
    errors = [max(low - t, t - high) for (low, high), (t, _) in zip(curve.network(moved(worst, shift)), wanted,
                                                                    strict=True)]
    return line_through(bound, worst, shift, errors.index(max(errors)))


def _with_plane(bound: Bound, found: Verification, curve: _Curve) -> tuple[Verification, Line, ErrorMap | None]:
    """The line through the worst point, and the plane in which it lies. The plane may have a worse point than the search had
    found; then the line goes through that one."""
    line = _line(bound, found, curve)
    plane = curve.plane(line)
    if plane is None:
        return found, line, None
    seen = found.observed
    _, row, column = max((abs(e), i, j) for i, errors in enumerate(plane.errors) for j, e in enumerate(errors))
    if abs(plane.errors[row][column]) > seen.error:
        x = _middles(*plane.across, len(plane.errors[row]))[column]
        y = _middles(*plane.upwards, len(plane.errors))[row]
        worst = [y if k == plane.other else z for k, z in enumerate(line.point(x))]
        error = max(abs(plane.errors[row][column]),
                    evaluated(bound.network, worst, line.shift, bound.targets(), curve.digits + SPARE))
        _check_certificate(found, error)
        found = replace(found, observed=replace(seen, error=error, at=dict(zip(line.inputs, worst, strict=True))))
        before, line = line, _line(bound, found, curve)
        plane = plane if line.varied == before.varied else curve.plane(line)
        assert plane is not None
    return replace(found, observed=replace(found.observed, points=seen.points + plane.count)), line, plane


def _check_certificate(found: Verification, error: Fraction) -> None:
    if isinstance(found.certified, Certified) and error > found.certified.error:
        raise BoundcalcError("A certificate is contradicted by an evaluation.", "Please report this as a defect.")


def _close_up(curve: _Curve, line: Line, points: int) -> View:
    """The widest close-up of the worst point in which a few points show the curve."""
    coarse, fine = 0, 2 * curve.digits      # 3^(2·digits) is finer than anything that happens at the scale of the error
    while fine - coarse > 1:
        middle = (coarse + fine) // 2
        coarse, fine = (coarse, middle) if curve.shows(line, *around(line, middle), PROBES) else (middle, fine)
    return curve.view(line, *around(line, fine), points)


def _worse(found: Verification, line: Line, view: View, bound: Bound, curve: _Curve) -> tuple[Verification, Line]:
    """A sample may be worse than what the search had found: it is then the worst one, and evaluated again by mpmath."""
    worst = max(view.samples, key=lambda s: abs(s.error))
    seen, error = found.observed, abs(worst.error)
    if error > seen.error:
        if worst.x != line.centre:
            line = replace(line, worst=tuple(line.point(worst.x)))
            error = max(error, evaluated(bound.network, list(line.worst), line.shift, bound.targets(),
                                         curve.digits + SPARE))
        _check_certificate(found, error)
        seen = replace(seen, error=error, at=dict(zip(line.inputs, line.worst, strict=True)))
    return replace(found, observed=replace(seen, points=seen.points + len(view.samples))), line


# --- attention weights ------------------------------------------------------------------------------------------------

def _cells(view: View, count: int) -> list[Fraction]:
    return _middles(view.low, view.high, count)


def _middles(low: Fraction, high: Fraction, count: int) -> list[Fraction]:
    """Middles of so many parts of equal width."""
    return [low + (high - low) * Fraction(2 * k + 1, 2 * count) for k in range(count)]


def _with_maps(view: View, line: Line, places: Sequence[Place], bound: Bound, tell: Telling | None) -> View:
    if tell:
        tell("reading attention weights", 0)
    points = [line.seen(x) for x in _cells(view, columns(bound.network))]
    return replace(view, maps=tuple(maps(bound.network, points, places)))


