"""Rules for knots: at equal distances, or so that all chords have the same error.

    rule(target, low, high, pieces) -> pieces + 1 knots

A rule is a choice: what the chords between its knots err by is proved afterwards, for the rounded knots (tables.py, P5). Nor
does the proof that fewer chords are too few rest on it (P6): that holds for whatever knots are found here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING

from flint import arb, fmpq
from sympy import Expr

from ..formulas.enclosure import Undecided

if TYPE_CHECKING:
    from ..formulas.target import AnyTarget

SAMPLES = 400           # of the second derivative
LEAST_DENSITY = 0.02    # of the mean: no piece is much longer at first than it is on average
ROUNDS = 30             # of Newton's method for the knots
ALIKE = 1e-9           # of logarithms of errors that count as equal
NEAR = 1e-9             # parts of an interval: there a chord errs as much as where it errs most, to twice the digits
STEPS = 8               # of Newton's method for the place where a chord errs most
HALVINGS = 60           # of an interval where the second derivative changes its sign
EXCHANGES = 20          # of pieces between stretches

KnotRule = Callable[["AnyTarget", Fraction, Fraction, int], Sequence[Fraction | Expr]]


def equal_lengths(target: AnyTarget, low: Fraction, high: Fraction, pieces: int) -> list[Fraction]:
    """Knots at equal distances."""
    return [low + (high - low) * Fraction(k, pieces) for k in range(pieces + 1)]


def equal_errors(target: AnyTarget, low: Fraction, high: Fraction, pieces: int) -> list[Fraction]:
    """Knots between which chords err alike. Where f″ changes its sign there is a knot at which the value of f is kept, so
    the chords on both sides of it may err half as much as the others, which are moved by half of their error."""
    stretches = _stretches(target, low, high)
    if len(stretches) > pieces or not all(s.weight for s in stretches):
        return equal_lengths(target, low, high, pieces)
    found = _shared(stretches, pieces)
    return [low, *(t for s in found for t in s.knots[1:])]


def stretches_of(target: AnyTarget, low: Fraction, high: Fraction) -> int:
    """On how many intervals f″ has one sign, as far as samples show."""
    return len(_stretches(target, low, high))


# ---------------------------------------------------------------------------------------------------------------
# one chord

@dataclass(frozen=True)
class Sag:
    """How far the chord of f over [s, t] is from f at most: at `place`, by `size`, upwards if f is convex. `left` and
    `right` are the derivatives in s and t of its logarithm."""

    place: Fraction
    size: arb
    left: float
    right: float


def sag(target: AnyTarget, s: Fraction, t: Fraction, derivatives: bool = False) -> Sag:
    """By the theorem on envelopes only the weights of the ends move with them, not the place."""
    first, last = value_at(target, s), value_at(target, t)
    slope = (last - first) / ball(t - s)
    place = level(target, s, t, slope)
    part = (place - s) / (t - s)
    size = first + ball(part) * (last - first) - value_at(target, place)
    if not derivatives:
        return Sag(place, size, 0.0, 0.0)

    def moved(end: Fraction, weight: Fraction) -> float:
        try:
            return float(((slope_at(target, end) - slope) * ball(weight) / size).mid())
        except Undecided:           # √x at 0, say, which is an end of all
            return 0.0

    return Sag(place, size, moved(s, 1 - part), moved(t, part))


def level(target: AnyTarget, s: Fraction, t: Fraction, slope: arb) -> Fraction:
    """About where f has this slope, by Newton's method."""
    x, low, high = 0.5, 0.0, 1.0            # in units of the interval, so that small ones far from 0 have digits
    for _ in range(STEPS):
        at = s + Fraction(x) * (t - s)
        off = float(((slope_at(target, at) - slope) * ball(t - s)).mid())
        bent = float((target.second([ball(at)]) * ball((t - s) ** 2)).mid())
        if not bent:
            break
        low, high = (x, high) if (off < 0) == (bent > 0) else (low, x)
        new = x - off / bent
        if abs(new - x) < NEAR:
            break
        x = new if low < new < high else (low + high) / 2
    return s + Fraction(x) * (t - s)


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def value_at(target: AnyTarget, x: Fraction) -> arb:
    return arb(target.at([fmpq(x.numerator, x.denominator)]))


def slope_at(target: AnyTarget, x: Fraction) -> arb:
    return target.gradient([ball(x)])[0]


# ---------------------------------------------------------------------------------------------------------------
# stretches on which f″ has one sign

@dataclass(frozen=True)
class Stretch:
    """`weight` is ∫√|f″|, about; `cumulated` are its parts up to equidistant samples. `half` says at which ends a chord is
    to err half as much."""

    target: AnyTarget
    low: Fraction
    high: Fraction
    half: tuple[bool, bool]
    cumulated: tuple[float, ...]

    @property
    def weight(self) -> float:
        return self.cumulated[-1]

    def shares(self, pieces: int) -> list[float]:
        """The error of every chord, in parts of the largest."""
        found = [1.0] * pieces
        if self.half[0]:
            found[0] = 0.5
        if self.half[1]:
            found[-1] = 0.5
        return found


@dataclass(frozen=True)
class Knotted:
    """A stretch with its knots and the largest error of a chord between them."""

    stretch: Stretch
    knots: tuple[Fraction, ...]
    error: float

    @property
    def pieces(self) -> int:
        return len(self.knots) - 1


def _stretches(target: AnyTarget, low: Fraction, high: Fraction) -> list[Stretch]:
    step = (high - low) / SAMPLES
    places = [low + step * k + step / 2 for k in range(SAMPLES)]
    bends = [_bend(target, x) for x in places]
    signed = [(k, b) for k, b in enumerate(bends) if b]
    cuts = [_inflection(target, places[j], places[k], b) for (j, b), (k, c) in pairwise(signed) if b * c < 0]
    ends = [low, *cuts, high]
    return [Stretch(target, s, t, (k > 0, k < len(cuts)), _cumulated(target, s, t))
            for k, (s, t) in enumerate(pairwise(ends))]


def _cumulated(target: AnyTarget, low: Fraction, high: Fraction) -> tuple[float, ...]:
    step = (high - low) / SAMPLES
    roots = [abs(_bend(target, low + step * k + step / 2)) ** 0.5 for k in range(SAMPLES)]
    mean, found = sum(roots) / SAMPLES, [0.0]
    for r in roots:
        found.append(found[-1] + max(r, LEAST_DENSITY * mean) * float(step))
    return tuple(found)


def _bend(target: AnyTarget, x: Fraction) -> float:
    try:
        return float(target.second([ball(x)]).mid())
    except Undecided:
        return 0.0


def _inflection(target: AnyTarget, low: Fraction, high: Fraction, bend: float) -> Fraction:
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        here = _bend(target, middle)
        if not here:
            return middle
        low, high = (middle, high) if here * bend > 0 else (low, middle)
    return (low + high) / 2


def _shared(stretches: Sequence[Stretch], pieces: int) -> list[Knotted]:
    """The pieces shared so that the largest error is least: first as the weights say, then one by one."""
    counts = [1] * len(stretches)
    while sum(counts) < pieces:
        worst = max(range(len(counts)), key=lambda j: stretches[j].weight / sum(
            x ** 0.5 for x in stretches[j].shares(counts[j])))
        counts[worst] += 1
    found = [_knotted(s, n) for s, n in zip(stretches, counts, strict=True)]
    for _ in range(EXCHANGES if len(found) > 1 else 0):
        worst = max(range(len(found)), key=lambda j: found[j].error)
        best = min((j for j in range(len(found)) if j != worst and found[j].pieces > 1), key=lambda j: found[j].error,
                   default=None)
        if best is None:
            break
        more, less = (_knotted(stretches[j], found[j].pieces + n) for j, n in ((worst, 1), (best, -1)))
        if max(more.error, less.error) >= found[worst].error:
            break
        found[worst], found[best] = more, less
    return found


def _knotted(stretch: Stretch, pieces: int) -> Knotted:
    """Newton's method for the knots and the logarithm of the error: every chord depends on its two ends alone, so that a
    step takes one pass from left to right."""
    shares = stretch.shares(pieces)
    knots = _as_dense(stretch, pieces, shares)
    best: tuple[float, list[Fraction], float] | None = None
    for _ in range(ROUNDS):
        chords = [sag(stretch.target, s, t, True) for s, t in pairwise(knots)]
        sizes = [abs(float(c.size.mid())) for c in chords]
        if min(sizes) <= 0:
            break
        logs = [log(x / share) for x, share in zip(sizes, shares, strict=True)]
        spread = max(logs) - min(logs)
        if best is None or spread < best[0]:
            best = spread, knots, exp(max(logs))
        if spread < ALIKE:
            break
        moved = _moved(stretch, knots, chords, logs)
        if moved is None:
            break
        knots = moved
    if best is None:
        return Knotted(stretch, tuple(knots), 0.0)
    return Knotted(stretch, tuple(best[1]), best[2])


def _as_dense(stretch: Stretch, pieces: int, shares: Sequence[float]) -> list[Fraction]:
    """Knots as dense as √|f″|."""
    parts, whole = [x ** 0.5 for x in shares], sum(x ** 0.5 for x in shares)
    step, found, reached, k = (stretch.high - stretch.low) / SAMPLES, [stretch.low], 0.0, 0
    for part in parts[:-1]:
        reached += part / whole * stretch.weight
        while k < SAMPLES - 1 and stretch.cumulated[k + 1] < reached:
            k += 1
        inside = (reached - stretch.cumulated[k]) / (stretch.cumulated[k + 1] - stretch.cumulated[k])
        found.append(stretch.low + step * (k + Fraction(min(max(inside, 0.0), 1.0))))
    return [*found, stretch.high]


def _moved(stretch: Stretch, knots: list[Fraction], chords: Sequence[Sag], logs: Sequence[float]) -> list[Fraction] | None:
    """One step, cut short where knots would pass each other."""
    if len(knots) < 3:
        return None
    shift, by_error = [0.0], [0.0]              # of a knot = shift + by_error·(the new logarithm of all errors)
    for chord, here in zip(chords, logs, strict=True):
        if not chord.right:
            return None
        shift.append((-here - chord.left * shift[-1]) / chord.right)
        by_error.append((1 - chord.left * by_error[-1]) / chord.right)
    if not by_error[-1]:
        return None
    goal = -shift[-1] / by_error[-1]
    moves = [a + b * goal for a, b in zip(shift, by_error, strict=True)]
    part = 1.0
    for (s, t), (a, b) in zip(pairwise(knots), pairwise([*moves[:-1], 0.0]), strict=True):
        if a - b > 0:
            part = min(part, 0.7 * float(t - s) / (a - b))
    return [knots[0], *(t + Fraction(part * m) for t, m in zip(knots[1:-1], moves[1:-1], strict=True)), knots[-1]]
