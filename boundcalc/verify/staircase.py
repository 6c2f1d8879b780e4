"""The largest deviation of a staircase of anchor heads from the clipped line: one cell and the joint decide for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import flint
from flint import arb, fmpq

from .balls import Box, Point, Progress, maximise
from .kernels import StairKernel
from .proof import Ends

MANY_CELLS = 400            # anchors whose cells are all looked at
TOLERANCE = fmpq(1, 10**6)


@dataclass(frozen=True)
class Highest:
    upper: arb
    lower: arb
    point: Point
    boxes: int


def highest(kernel: StairKernel, domain: Ends, progress: Progress | None) -> Highest:
    """The supremum of the deviation over an interval (a lower end of it is attained at the point).

    Left of 0 the deviation is the value itself and rises; right of the length it is negative and rises. Inside, let
    G(x) = value − x. One head: G(x + 1) ≤ G(x) (an anchor below is added, one above is left out), so that one cell from
    the left end on decides. Several heads: G(x + M) ≤ G(x) (the first head has at most M, the last at least 0), so that
    one period decides; in a long one, all but the first cell and the last ones before the joint are below the supremum
    of a single head plus what heads farther right can add.
    """
    low, high = domain
    length = kernel.length
    start = fmpq(0) if low is None else low
    stop = length if high is None else high
    if start >= length or stop <= 0:
        # outside: monotone
        end = stop if stop <= 0 else (start if high is None else stop)
        value = kernel.at(end)
        return Highest(value.upper() if stop <= 0 else value.upper().max(arb(0)), value.lower(), (end,), 1)
    start, stop = max(start, fmpq(0)), min(stop, length)
    period = kernel.period
    known = arb(0)
    if kernel.heads == 1 or stop - start <= 1:
        cells = [(start, min(start + 1, stop))]
    elif period <= MANY_CELLS or start != 0:
        stop = min(start + period, stop)
        if stop - start > 20 * MANY_CELLS:
            start, stop = fmpq(0), fmpq(period)      # a larger domain: still a bound
        cells = [(start, stop)]
    else:
        distance = kernel.distance
        single = StairKernel(kernel.kappa, kernel.count)
        first = _search(single, [(fmpq(0), fmpq(1))], progress)
        known = first.upper + kernel.far.upper()
        cells = [(fmpq(0), fmpq(1)), (fmpq(max(1, period - distance)), min(fmpq(period), stop))]
    found = _search(kernel, [c for c in cells if c[0] < c[1]] or [(start, stop)], progress)
    return Highest(found.upper.max(known.upper()).max(arb(0)), found.lower, found.point, found.boxes)


def _search(kernel: StairKernel, cells: list[tuple[fmpq, fmpq]], progress: Progress | None) -> Highest:
    boxes: list[Box] = []
    for u, v in cells:
        while v - u > 1:
            boxes.append(((u, u + 1),))
            u = u + 1
        boxes.append(((u, v),))
    over: Callable[[Box], arb] = lambda box: _signed(kernel, *box[0])   # noqa: E731
    found = maximise(over, boxes, lambda p: kernel.at(p[0]), tolerance=TOLERANCE, partial=True, progress=progress)
    assert found.lower is not None
    return Highest(found.upper, found.lower, found.point, found.boxes)


def _signed(kernel: StairKernel, u: fmpq, v: fmpq) -> arb:
    """The deviation on [u, v] inside the grid."""
    slope = kernel.slope(u, v)
    if slope >= 0 or slope <= 0:
        return kernel.at(u).union(kernel.at(v))
    middle = (u + v) / 2
    mean = kernel.at(middle) + slope * arb(u - middle).union(arb(v - middle))
    return mean.upper().min(kernel.over(u, v).upper())


def largest(kernel: StairKernel) -> arb:
    """A bound of |deviation| on the whole line: by the mirror both signs are alike."""
    return _largest(kernel, flint.ctx.prec)


@lru_cache(maxsize=64)
def _largest(kernel: StairKernel, bits: int) -> arb:
    return highest(kernel, (None, None), None).upper
