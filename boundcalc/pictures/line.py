"""The line of inputs that a picture is drawn along: through the worst point, where one input varies."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..formulas.shapes import Ridge
from ..formulas.target import AnyTarget, near_values, starts
from ..numbers.exact import Shift, moved, round_up_significant
from ..results.bound import Bound
from ..verify.balls import fraction

CLOSER = 3              # factor between two close-ups
AROUND_KINK = 10        # in units of 1/β, on the whole line
TRIALS = 17             # points that show whether the target varies
DIGITS = 30             # … and digits of an irrational one


@dataclass(frozen=True)
class Line:
    """One input varies between two ends, the others stay where the worst error was observed. `shift` is what every input
    of the network is off by."""

    inputs: tuple[str, ...]
    worst: tuple[Fraction, ...]
    varied: int
    output: int
    low: Fraction
    high: Fraction
    shift: Shift
    whole: bool             # whether that is all of the domain

    @property
    def centre(self) -> Fraction:
        """Where on the line the worst error was observed."""
        return self.worst[self.varied]

    def point(self, x: Fraction) -> list[Fraction]:
        return [x if k == self.varied else other for k, other in enumerate(self.worst)]

    def seen(self, x: Fraction) -> list[Fraction]:
        """What the network sees of it."""
        return moved(self.point(x), self.shift)


def line_through(bound: Bound, worst: tuple[Fraction, ...], shift: Shift, output: int) -> Line:
    """Along the first input on which that output of the target depends there."""
    part = next(p for p in bound.parts_of_domain() if all(
        (low is None or low <= x) and (high is None or x <= high) for x, (low, high) in zip(worst, p, strict=True)))
    lines = [_along(bound, worst, shift, output, k, part[k]) for k in _inputs_of(bound, output)
             if part[k][0] is None or part[k][0] != part[k][1]]
    return next((line for line in lines if _matters(bound, line)), lines[0])


def around(line: Line, k: int) -> tuple[Fraction, Fraction]:
    """The part of the line around the worst point that is 3^k times as short."""
    width = (line.high - line.low) / CLOSER ** k
    low = max(line.low, min(line.centre - width / 2, line.high - width))
    return low, low + width


def _along(bound: Bound, worst: tuple[Fraction, ...], shift: Shift, output: int, varied: int,
           ends: tuple[Fraction | None, Fraction | None]) -> Line:
    """Within the part of the domain in which the worst point is."""
    low, high = ends
    whole = low is not None and high is not None
    if low is None or high is None:
        low, high = _window(bound, worst, output, varied)
    return Line(tuple(bound.network.inputs), worst, varied, output, low, high, shift, whole)


def _matters(bound: Bound, line: Line) -> bool:
    points = (line.point(line.low + (line.high - line.low) * Fraction(k, TRIALS - 1)) for k in range(TRIALS))
    return len({near_values(bound.targets(), p, DIGITS)[line.output] for p in points}) > 1


def _window(bound: Bound, worst: tuple[Fraction, ...], output: int, varied: int) -> tuple[Fraction, Fraction]:
    """Of an infinite domain: all kinks of the target along this input with their surroundings, and the worst point."""
    own = _inputs_of(bound, output)
    kinks = _kinks(bound.targets()[output], worst[own.start:own.stop], varied - own.start)
    low, high, beta = min(kinks), max(kinks), bound.values.get("beta")
    if low < high:
        margin = (high - low) / 4
    else:
        margin = round_up_significant(AROUND_KINK / beta, 2) if beta is not None else Fraction(1)
    beyond = [worst[varied] + side * margin for side in (1, -1) if not low - margin <= worst[varied] <= high + margin]
    return min([low - margin, *beyond]), max([high + margin, *beyond])


def _inputs_of(bound: Bound, output: int) -> range:
    """The inputs of the copy to which an output belongs."""
    targets = bound.targets()
    start = starts(targets)[output]
    return range(start, start + targets[output].inputs)


def _kinks(target: AnyTarget, point: tuple[Fraction, ...], varied: int) -> list[Fraction]:
    match target.shape:
        case Ridge(function=function, weights=weights, shift=shift) if weights[varied] and function.hinges:
            rest = fraction(shift) + sum(fraction(w) * x for k, (w, x) in enumerate(zip(weights, point, strict=True))
                                         if k != varied)
            return sorted((fraction(k) - rest) / fraction(weights[varied]) for k, _ in function.hinges)
        case _:
            return [Fraction(0)]
