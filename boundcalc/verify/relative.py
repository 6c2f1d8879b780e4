"""Certificates of relative errors: |network/target − 1| over the whole domain, where the target has no zero.

For one input the quotient itself is bounded, by its mean value form on cells between kinks; chords of 1/x are quadratic
there, x·(c + s·x) − 1, and are done exactly. Everything else is certified absolutely and divided by the least |target|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from ..formulas.piecewise import Piecewise
from ..formulas.shapes import Reciprocal
from ..formulas.target import AnyTarget
from ..results.verification import Certified, NotCertified
from .balls import Box, Progress, exact, fraction, maximise, precision
from .certify import certify, restricted
from .curve import Curve, curve_of
from .kernels import ReluKernel
from .program import Program
from .proof import Domain, Proof, consistent

TOLERANCE = fmpq(1, 1000)       # relative distance of a certified supremum from an attained value
BUDGET = 5_000                  # boxes
BITS = 96


def certify_relative(program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: fmpq | tuple[fmpq, ...],
                     least: Fraction, *, size: Fraction | None = None,
                     progress: Progress | None = None) -> Certified | NotCertified:
    """`least` is the least |target| on the domain, or less; `size` what the relative error is expected to be."""
    if not shift and all(t.inputs == 1 for t in targets) and len(targets) == len(program.outputs):
        found = [_one(program, k, target, domain[k], progress) for k, target in enumerate(targets)]
        if all(found):
            return max((c for c in found if c is not None), key=lambda c: c.error)
    whole = certify(program, targets, domain, shift, size=None if size is None else size * least, progress=progress)
    if isinstance(whole, NotCertified):
        return whole
    return replace(whole, error=whole.error / least, method=f"{whole.method}; divided by the least |target|")


def _one(program: Program, k: int, target: AnyTarget, ends: tuple[fmpq | None, fmpq | None],
         progress: Progress | None) -> Certified | None:
    low, high = ends
    part = restricted(program, program.outputs[k], [k])
    if part is None or low is None or high is None or not low < high:
        return None
    with precision(BITS):
        curve = curve_of(part, part.outputs[0], 0)
        if curve is None:
            return None
        try:
            proof = prove_relative(curve, target, low, high, progress)
        except Undecided:
            return None
    return Certified(fraction(proof.upper), proof.method, proof.boxes, tuple(map(fraction, proof.point)))


def prove_relative(curve: Curve, target: AnyTarget, low: fmpq, high: fmpq, progress: Progress | None = None) -> Proof:
    """sup |curve/target − 1| on [low, high]; Undecided where the target may vanish."""
    if isinstance(target.shape, Reciprocal) and low > 0 and all(isinstance(g.kernel, ReluKernel) for g in curve.gates):
        return _chords(curve.ideal, low, high)
    quotient = _Quotient(curve, target)
    kinks = {k for k, _ in curve.ideal.hinges} | {k for g in curve.gates for k, _ in g.ideal().hinges} | set(target.kinks)
    cells = sorted({low, high, *(k for k in kinks if low < k < high)})
    boxes: list[Box] = [((u, v),) for u, v in pairwise(cells)]
    found = maximise(quotient.over, boxes, lambda p: abs(quotient.at(p[0])), tolerance=TOLERANCE, budget=BUDGET,
                     partial=True, progress=progress)
    assert found.lower is not None
    return consistent(exact(found.upper), found.lower, found.point, found.boxes,
                      "one variable: mean value forms of network/target")


class _Quotient:
    """q = network/target − 1."""

    def __init__(self, curve: Curve, target: AnyTarget) -> None:
        self.curve, self.target = curve, target

    def at(self, x: fmpq) -> arb:
        return self._network(x) / self.target.at([x]) - 1

    def _network(self, x: fmpq) -> arb:
        return self.curve.at(x) + self.curve.ideal(x)

    def over(self, box: Box) -> arb:
        """An upper end of |q| on [u, v], within one cell."""
        u, v = box[0]
        middle, inside = (u + v) / 2, arb(u).union(arb(v))
        aside = inside - middle
        slope = self.curve.ideal.slope_after(middle) + self.curve.slope(u, v)
        target, change = self.target.over([inside]), self.target.gradient([inside])[0]
        network = self._network(middle) + slope * aside
        # q' = (network' − network·target'/target)/target
        rate = (slope - network * change / target) / target
        if not rate.is_finite():
            raise Undecided("The target may vanish.")
        if rate >= 0 or rate <= 0:
            return abs(self.at(u).union(self.at(v)))
        return abs(self.at(middle) + rate * aside).upper().min(abs(network / target - 1).upper())


def _chords(chords: Piecewise, low: fmpq, high: fmpq) -> Proof:
    """Exact ReLUs against 1/x: on a piece x·(c + s·x) − 1, a parabola whose summit is at −c/(2s)."""
    points = sorted({low, high, *(k for k, _ in chords.hinges if low < k < high)})
    for u, v in pairwise(tuple(points)):
        slope = chords.slope_after(u)
        summit = -(chords(u) - slope * u) / (2 * slope) if slope else u
        if u < summit < v:
            points.append(summit)
    error, x = max((abs(x * chords(x) - 1), x) for x in points)
    return Proof(error, arb(error).lower(), (x,), 0, "chords of 1/x, relative to it, exactly")

