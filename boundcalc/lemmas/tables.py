"""Tables of chords: knots and values as rational numbers, with a proof of how far the chords are from a function (lemma P5).

Knots and values may be chosen by any rule, in numbers or in formulas without a rational value (√k, e^(k/8)): what stands in
the table is rounded, and the error is proved for the rounded numbers. Nothing that led to them has to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb
from sympy import Expr

from ..errors import InvalidInput
from ..formulas.enclosure import Undecided, arb_bounds, upper
from ..numbers.arithmetic import working_precision
from ..numbers.exact import round_up_significant
from .knots import KnotRule, ball, equal_errors, equal_lengths, level, sag, slope_at, value_at

if TYPE_CHECKING:
    from ..formulas.target import AnyTarget

BITS = 160
DIGITS = 7              # of a proved error
FINE = 10 ** 4          # values are rounded to this part of the error of a chord, knots to this part of the pieces beside
PARTS = 256             # of a range, on each of which a slope is enclosed
HALVINGS = 12           # of a piece on which the second derivative changes its sign
ROUNDINGS = 5           # each with more digits, until the chords bend one way as the function does
NIL = Fraction(0)


@dataclass(frozen=True)
class ChordTable:
    """Chords through (knot, value); everywhere on the range they differ from the function by at most `error`."""

    knots: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    error: Fraction
    target: AnyTarget = field(repr=False)

    @cached_property
    def slopes(self) -> list[Fraction]:
        return [(w - v) / (t - s) for (s, v), (t, w) in pairwise(zip(self.knots, self.values, strict=True))]


def chord_table(target: AnyTarget, low: Fraction, high: Fraction, pieces: int, rule: KnotRule = equal_errors,
                bends: int = 0) -> ChordTable:
    """The table of so many centred chords on [low, high]. A function that bends one way only (±1) has chords that do."""
    with working_precision(BITS):
        knots, exact, off = _sampled(target, low, high, pieces, rule)
        shifts = [_shift(off if bends else off[max(k - 1, 0):k + 1]) for k in range(pieces + 1)]
        grid = _grid(max(map(abs, off)) or float(max(abs(v).mid() for v in exact)) * 1e-12 or 1e-12)
        for _ in range(ROUNDINGS):
            values = tuple(_rounded(arb_bounds(v)[1] - shift, grid) for v, shift in zip(exact, shifts, strict=True))
            table = ChordTable(knots, values, NIL, target)
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


def steepest(target: AnyTarget, low: Fraction, high: Fraction) -> Fraction | None:
    """A bound of |f′| on the range; None where there is none."""
    with working_precision(BITS):
        try:
            found = max(_size(target.gradient([ball(s).union(ball(t))])[0])
                        for s, t in pairwise(equal_lengths(target, low, high, PARTS)))
        except Undecided:
            return None
    return round_up_significant(found, DIGITS) if found else NIL


def too_few(table: ChordTable, eps: Fraction) -> bool:
    """Whether no piecewise affine function with as many pieces is within ε of the target: proved by P6, where all chords
    between these knots err by more than 2ε."""
    with working_precision(BITS):
        return all(_least_size(sag(table.target, s, t).size) > 2 * eps for s, t in pairwise(table.knots))


def _sampled(target: AnyTarget, low: Fraction, high: Fraction, pieces: int,
             rule: KnotRule) -> tuple[tuple[Fraction, ...], list[arb], list[float]]:
    """Knots, the function there, and how far each chord is from it at most, downwards."""
    knots = _knots(rule(target, low, high, pieces), low, high, pieces)
    return knots, [value_at(target, t) for t in knots], [float(sag(target, s, t).size.mid()) for s, t in pairwise(knots)]


def _shift(off: Sequence[float]) -> Fraction:
    """How far a knot is lowered: half of the largest of these errors, and not at all between chords that err upwards and
    chords that err downwards."""
    if min(off) < 0 < max(off):
        return NIL
    return Fraction(max(off, key=abs)) / 2


def _knots(found: Sequence[Fraction | Expr], low: Fraction, high: Fraction, pieces: int) -> tuple[Fraction, ...]:
    """Rounded where they are not short; the ends are those of the range."""
    if len(found) != pieces + 1:
        raise InvalidInput(f"A rule for knots gave {len(found)} of them for {pieces} pieces.", "It must give one more.")
    exact = [low, *(x if isinstance(x, Fraction) else upper(x, {}, 25) for x in found[1:-1]), high]
    _check_rising(exact)
    inner = [_rounded(x, _grid(float(min(x - before, after - x)))) if x.denominator > FINE * pieces else x
             for before, x, after in zip(exact, exact[1:-1], exact[2:], strict=False)]
    knots = (low, *inner, high)
    _check_rising(knots)
    return knots


def _check_rising(knots: Sequence[Fraction]) -> None:
    if any(s >= t for s, t in pairwise(knots)):
        raise InvalidInput("The knots of a table do not rise.", f"They must rise from {knots[0]} to {knots[-1]}.")


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
        return ball((self.last - self.first) / (self.end - self.start))

    def _second(self, s: Fraction, t: Fraction) -> arb | None:
        """f″ on [s, t]; None where it is not bounded."""
        try:
            return self.target.second([ball(s).union(ball(t))])
        except Undecided:
            return None

    def gap(self, x: Fraction) -> arb:
        """chord − f."""
        t = (x - self.start) / (self.end - self.start)
        return ball(self.first + t * (self.last - self.first)) - value_at(self.target, x)

    @cached_property
    def seen(self) -> Fraction:
        """An error that it has."""
        return max(_least_size(self.gap(x)) for x in (self.start, (self.start + self.end) / 2, self.end))

    def error(self, s: Fraction, t: Fraction, enough: Fraction, halvings: int) -> Fraction:
        """A bound of |chord − f| on [s, t]; beyond what is seen elsewhere nobody asks for a sharp one.

        Taylor's theorem about the middle does on short intervals. Where f″ has one sign, say f″ ≥ 0, chord − f is concave:
        it is least at an end, and nowhere above its tangents. Elsewhere the interval is halved."""
        middle, half = (s + t) / 2, (t - s) / 2
        bent, second = self.target.bend(s, t), self._second(s, t)
        taylor = None
        if second is not None:
            tilt = self.slope - slope_at(self.target, middle)
            taylor = _size(self.gap(middle)) + _size(tilt) * half + _size(second) * half * half / 2
            if taylor <= enough:
                return taylor
        if bent:
            c = level(self.target, s, t, self.slope)
            tilt = bent * (self.slope - slope_at(self.target, c))
            over = max(NIL, *(arb_bounds(tilt * ball(x - c))[1] for x in (s, t)))
            found = max(_size(self.gap(s)), _size(self.gap(t)), _size(self.gap(c)) + over)
            return found if taylor is None else min(taylor, found)
        if not halvings:
            if taylor is None:
                raise Undecided("The second derivative is not bounded there.")
            return taylor
        return max(self.error(s, middle, enough, halvings - 1), self.error(middle, t, enough, halvings - 1))


def _size(x: arb) -> Fraction:
    low, high = arb_bounds(x)
    return max(-low, high)


def _least_size(x: arb) -> Fraction:
    low, high = arb_bounds(x)
    return max(low, -high, NIL)
