"""Tables of chords: knots and values as rational numbers, with a proof of how far the chords are from a function (lemma P5).

Knots and values may be chosen by any rule, in numbers or in formulas without a rational value (√k, e^(k/8)): what stands in
the table is rounded, and the error is proved for the rounded numbers. Nothing that led to them has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb, fmpq
from sympy import Expr

from ..errors import InvalidInput
from ..formulas.enclosure import Undecided, arb_bounds, upper
from ..formulas.functions import sign_of_ball
from ..numbers.arithmetic import working_precision
from ..numbers.exact import round_up_significant

if TYPE_CHECKING:
    from ..formulas.target import AnyTarget

BITS = 160
DIGITS = 7              # of a proved error
FINE = 10 ** 4          # values are rounded to this part of the error of a chord, knots to this part of a piece
HALVINGS = 12           # of a piece on which the second derivative changes its sign
NEWTON = 3
ROUNDINGS = 5           # each with more digits, until the chords bend one way as the function does
SAMPLES = 400           # of the second derivative, where knots are to have equal errors
LEAST_DENSITY = 0.02    # of the mean: a piece is never much longer than it is on average
NIL = Fraction(0)

KnotRule = Callable[["AnyTarget", Fraction, Fraction, int], Sequence[Fraction | Expr]]


@dataclass(frozen=True)
class ChordTable:
    """Chords through (knot, value); everywhere on the range they differ from the function by at most `error`."""

    knots: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    error: Fraction

    @property
    def slopes(self) -> list[Fraction]:
        return [(w - v) / (t - s) for (s, v), (t, w) in pairwise(zip(self.knots, self.values, strict=True))]


def equal_lengths(target: AnyTarget, low: Fraction, high: Fraction, pieces: int) -> list[Fraction]:
    """Knots at equal distances."""
    return [low + (high - low) * Fraction(k, pieces) for k in range(pieces + 1)]


def equal_errors(target: AnyTarget, low: Fraction, high: Fraction, pieces: int) -> list[Fraction]:
    """Knots between which the errors of chords are about equal: as dense as √|f″|, and with a place where f″ changes its
    sign in the middle of a piece, since chords are moved up on one side and down on the other. A choice: nothing rests on
    it."""
    count = max(SAMPLES, 4 * pieces)
    step = (high - low) / count
    bends = [_bend(target, low + step * k + step / 2) for k in range(count)]
    density = [abs(b) ** 0.5 for b in bends]
    mean = sum(density) / count
    if mean == 0:
        return equal_lengths(target, low, high, pieces)
    density = _weighted([max(d, LEAST_DENSITY * mean) for d in density], bends, pieces)
    reached, found = 0.0, [low]
    for k, d in enumerate(density):
        while len(found) < pieces and reached + d >= len(found):
            found.append(low + step * (k + Fraction(min(max((len(found) - reached) / d, 0.0), 1.0))))
        reached += d
    return [*found[:pieces], *([high] if len(found) >= pieces else _rest(found[-1], high, pieces - len(found)))]


def _weighted(density: list[float], bends: list[float], pieces: int) -> list[float]:
    """The density with as many pieces on every stretch without a change of sign as make their errors most equal: whole
    numbers, and a half beside what the first and the last one share with their neighbours."""
    cuts = [0, *(k for k in range(1, len(bends)) if bends[k] * bends[k - 1] < 0), len(bends)]
    weights = [sum(density[s:t]) for s, t in pairwise(cuts)]
    if len(weights) > pieces:
        return [d * pieces / sum(density) for d in density]
    shares = [1.0] * len(weights)
    if len(weights) > 1:
        shares[0] = shares[-1] = 0.5
    while sum(shares) < pieces:
        worst = max(range(len(weights)), key=lambda j: weights[j] / shares[j])
        shares[worst] += 1
    return [d * shares[j] / weights[j] for j, (s, t) in enumerate(pairwise(cuts)) for d in density[s:t]]


def _rest(low: Fraction, high: Fraction, missing: int) -> list[Fraction]:
    return [low + (high - low) * Fraction(k, missing + 1) for k in range(1, missing + 2)]


def chord_table(target: AnyTarget, low: Fraction, high: Fraction, pieces: int, rule: KnotRule = equal_errors,
                bends: int = 0) -> ChordTable:
    """The table of so many centred chords on [low, high]. A function that bends one way only (±1) has chords that do."""
    with working_precision(BITS):
        knots, exact, off = _sampled(target, low, high, pieces, rule)
        shifts = [_shift(off if bends else off[max(k - 1, 0):k + 1]) for k in range(pieces + 1)]
        grid = _grid(max(map(abs, off)) or float(max(abs(v).mid() for v in exact)) * 1e-12 or 1e-12)
        for _ in range(ROUNDINGS):
            values = tuple(_rounded(arb_bounds(v)[1] - shift, grid) for v, shift in zip(exact, shifts, strict=True))
            table = ChordTable(knots, values, NIL)
            if all((after - before) * bends >= 0 for before, after in pairwise(table.slopes)):
                break
            grid /= FINE
        chords = [Chord(target, *chord) for chord in zip(knots, knots[1:], values, values[1:], strict=False)]
        seen = max(c.seen for c in chords)
        error = max(c.error(c.start, c.end, seen, HALVINGS) for c in chords)
    return replace(table, error=round_up_significant(error, DIGITS) if error else NIL)


def about(target: AnyTarget, low: Fraction, high: Fraction, pieces: int, rule: KnotRule = equal_errors) -> float:
    """What the error will be, roughly: to know where to look for the least number of pieces."""
    with working_precision(BITS):
        return max(map(abs, _sampled(target, low, high, pieces, rule)[2])) / 2


def _sampled(target: AnyTarget, low: Fraction, high: Fraction, pieces: int,
             rule: KnotRule) -> tuple[tuple[Fraction, ...], list[arb], list[float]]:
    """Knots, the function there, and how far each chord is from it in the middle, downwards."""
    knots = _knots(rule(target, low, high, pieces), low, high, pieces)
    exact = [_at(target, t) for t in knots]
    return knots, exact, [float(((u + v) / 2 - _at(target, (s + t) / 2)).mid())
                          for (s, u), (t, v) in pairwise(zip(knots, exact, strict=True))]


def _shift(off: Sequence[float]) -> Fraction:
    """How far a knot is lowered: half of the largest of these errors."""
    return Fraction(max(off, key=abs)) / 2


def _knots(found: Sequence[Fraction | Expr], low: Fraction, high: Fraction, pieces: int) -> tuple[Fraction, ...]:
    """Rounded where they are not short; the ends are those of the range."""
    if len(found) != pieces + 1:
        raise InvalidInput(f"A rule for knots gave {len(found)} of them for {pieces} pieces.", "It must give one more.")
    grid = _grid(float((high - low) / pieces))
    inner = [_rounded(x if isinstance(x, Fraction) else upper(x, {}, 25), grid) if not isinstance(x, Fraction) or (
        x.denominator > FINE * pieces) else x for x in found[1:-1]]
    knots = (low, *inner, high)
    if any(s >= t for s, t in pairwise(knots)):
        raise InvalidInput("The knots of a table do not rise.", f"They must rise from {low} to {high}.")
    return knots


def _grid(size: float) -> Fraction:
    """A power of ten that is small against a size."""
    grid = Fraction(1)
    while grid > size / FINE:
        grid /= 10
    while grid * 10 <= size / FINE:
        grid *= 10
    return grid


def _rounded(x: Fraction, grid: Fraction) -> Fraction:
    return round(x / grid) * grid


def _at(target: AnyTarget, x: Fraction) -> arb:
    return arb(target.at([fmpq(x.numerator, x.denominator)]))


def _bend(target: AnyTarget, x: Fraction) -> float:
    try:
        return float(target.second([_ball(x)]).mid())
    except Undecided:
        return 0.0


# ---------------------------------------------------------------------------------------------------------------
# P5: the proof, piece by piece

@dataclass(frozen=True)
class Chord:
    """The line from (start, first) to (end, last)."""

    target: AnyTarget
    start: Fraction
    end: Fraction
    first: Fraction
    last: Fraction

    @cached_property
    def slope(self) -> arb:
        return _ball((self.last - self.first) / (self.end - self.start))

    def gap(self, x: Fraction) -> arb:
        """chord − f."""
        t = (x - self.start) / (self.end - self.start)
        return _ball(self.first + t * (self.last - self.first)) - _at(self.target, x)

    @cached_property
    def seen(self) -> Fraction:
        """An error that it has."""
        return max(_least_size(self.gap(x)) for x in (self.start, (self.start + self.end) / 2, self.end))

    def error(self, s: Fraction, t: Fraction, enough: Fraction, halvings: int) -> Fraction:
        """A bound of |chord − f| on [s, t]; beyond what is seen elsewhere nobody asks for a sharp one.

        Taylor's theorem about the middle does on short intervals. Where f″ has one sign, say f″ ≥ 0, chord − f is concave:
        it is least at an end, and nowhere above its tangents. Elsewhere the interval is halved."""
        second = self.target.second([_ball(s).union(_ball(t))])
        middle, half = (s + t) / 2, (t - s) / 2
        tilt = self.slope - self._slope(middle)
        taylor = _size(self.gap(middle)) + _size(tilt) * half + _size(second) * half * half / 2
        if taylor <= enough:
            return taylor
        bent = sign_of_ball(second)
        if bent:
            c = self._level(s, t)
            tilt = bent * (self.slope - self._slope(c))
            over = max(NIL, *(arb_bounds(tilt * _ball(x - c))[1] for x in (s, t)))
            return min(taylor, max(_size(self.gap(s)), _size(self.gap(t)), _size(self.gap(c)) + over))
        if not halvings:
            return taylor
        return max(self.error(s, middle, enough, halvings - 1), self.error(middle, t, enough, halvings - 1))

    def _slope(self, x: Fraction) -> arb:
        return self.target.gradient([_ball(x)])[0]

    def _level(self, s: Fraction, t: Fraction) -> Fraction:
        """About where f has the slope of the chord, by Newton's method."""
        x, low, high = float((s + t) / 2), float(s), float(t)
        for _ in range(NEWTON):
            at = [arb(x)]
            bent = float(self.target.second(at).mid())
            if bent:
                x = min(max(x - float((self.target.gradient(at)[0] - self.slope).mid()) / bent, low), high)
        return min(max(Fraction(x), s), t)


def _ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _size(x: arb) -> Fraction:
    low, high = arb_bounds(x)
    return max(-low, high)


def _least_size(x: arb) -> Fraction:
    low, high = arb_bounds(x)
    return max(low, -high, NIL)
