"""One input and anchor heads of different spacings or temperatures: chords, and the largest deviation of every gate.

A staircase of anchor heads is a clipped line plus a deviation whose largest size is known for all of the line. So the error
is at most that of the clipped lines, which is proved on the cells between kinks, plus Σ |factor|·(largest deviation). It is
attained up to a few percent, or less where phases differ, and costs as much as chords do.
"""

from __future__ import annotations

from collections.abc import Sequence

import flint
from flint import arb, fmpq

from .balls import Progress, exact
from .cells import Smooth, prove_cells
from .curve import Bend, Curve
from .kernels import StairKernel
from .proof import Proof, consistent
from .soft import Soft, SoftSum
from .staircase import largest

TRIED = 32      # places a cell about the witness of the chords, where phases may meet


def prove_unequal(constant: fmpq, slope: fmpq, gates: Sequence[Bend], target: Smooth, low: fmpq, high: fmpq, *,
                  bound: fmpq | None = None, progress: Progress | None = None) -> Proof | None:
    """sup |constant + slope·x + Σ gates − target| over [low, high]; None where a gate is no staircase of anchor heads."""
    if not gates or not all(isinstance(g.kernel, StairKernel) for g in gates):
        return None
    curve = Curve(constant, slope, gates)
    known: dict[StairKernel, arb] = {}
    deviations = arb(0)
    for g in gates:
        assert isinstance(g.kernel, StairKernel)
        if g.kernel not in known:
            known[g.kernel] = largest(g.kernel)
        deviations += abs(arb(g.factor)) * known[g.kernel]
    rest = None if bound is None else bound - exact(deviations.upper())
    chords = SoftSum(curve.ideal.constant, curve.ideal.slope,
                     tuple(Soft(kink, change, fmpq(0), fmpq(0)) for kink, change in curve.ideal.hinges))
    found = prove_cells(chords, target, low, high, bound=rest if rest is not None and rest > 0 else None,
                        bits=flint.ctx.prec, progress=progress)
    lower, point = arb(0), found.point[0]
    for x in _places(gates, found.point[0], low, high):
        value = abs(curve.ideal(x) - target.value(arb(x)) + curve.at(x)).lower()
        if value > lower:
            lower, point = value, x
    return consistent(exact((found.upper + deviations).upper()), lower, (point,), found.boxes,
                      "one variable: chords on the cells between kinks, and the largest deviations of the anchor heads")


def _places(gates: Sequence[Bend], x: fmpq, low: fmpq, high: fmpq) -> list[fmpq]:
    """Two cells of the widest grid about a place."""
    cell = max(1 / abs(g.rate) for g in gates)
    return [y for k in range(-TRIED, TRIED + 1) if low <= (y := x + fmpq(k, TRIED) * cell) <= high]
