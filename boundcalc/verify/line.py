"""Certificates for functions of one input that add up gates: exact piecewise linear rest, deviations by branch and bound.

Let e = network − target = residual + Σ deviations. Where the target is piecewise linear the residual is too, exactly;
mostly it vanishes, and what is left are the deviations. Any other target stands beside them, with its gradient. Cells
between kinks are halved; on each, e is bounded by its mean value form or, where its derivative has one sign, by its ends.
Beyond all gates, on an infinite domain, the residual must be constant and the deviations are negligible. One staircase of
anchor heads is reduced to one cell and the joint (docs).
"""

from __future__ import annotations

from itertools import pairwise

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from ..formulas.piecewise import Piecewise
from ..formulas.shapes import Reciprocal, Ridge
from ..formulas.target import AnyTarget
from ..numbers.arithmetic import exact_root
from .balls import Box, Progress, exact, maximise
from .curve import Bend, Curve
from .kernels import ReluKernel, StairKernel
from .patience import check_time
from .proof import Diverges, Ends, Proof
from .staircase import highest, largest

COARSE = fmpq(1, 1000)      # relative distance of a certified supremum from an attained value
FINE = fmpq(1, 10**40)      # … where the bound that is to be confirmed is as sharp as that


def prove_line(curve: Curve, target: AnyTarget, domain: Ends, *,
               tolerance: fmpq = COARSE, budget: int = 20_000, progress: Progress | None = None) -> Proof:
    """The supremum of |curve − target| over the domain, to a relative tolerance, for any target of one input."""
    shape = target.shape
    if isinstance(shape, Ridge):
        assert shape.plain
        residual = curve.ideal.plus(shape.function, fmpq(-1)).within(*domain)
        stairs = [g for g in curve.gates if isinstance(g.kernel, StairKernel)]
        if len(curve.gates) == 1 and len(stairs) == 1 and not residual.hinges and residual.slope == 0:
            return _one_staircase(stairs[0], residual.constant, domain, progress)
        problem = _Problem(curve, residual, None)
    else:
        low, high = domain
        if low is None or high is None:
            raise Undecided("On an unbounded domain only piecewise linear targets are certified.")
        if isinstance(shape, Reciprocal) and low > 0 and all(isinstance(g.kernel, ReluKernel) for g in curve.gates):
            return _chords(curve.ideal, low, high)
        problem = _Problem(curve, curve.ideal, target)
    return problem.prove(domain, tolerance, budget, progress)


class _Problem:
    def __init__(self, curve: Curve, residual: Piecewise, target: AnyTarget | None) -> None:
        self.curve, self.residual, self.target = curve, residual, target
        # anchor heads: their deviation on the whole line, for boxes that are wider than a cell
        stairs = [abs(g.factor) * largest(g.kernel) for g in curve.gates if isinstance(g.kernel, StairKernel)]
        self.most = sum(stairs, arb(0)).upper() if stairs and len(stairs) == len(curve.gates) else None

    def prove(self, domain: Ends, tolerance: fmpq, budget: int, progress: Progress | None) -> Proof:
        low, high = domain
        start, end, far = self.curve.beyond()
        kinks = sorted({k for k, _ in self.residual.hinges} | {k for g in self.curve.gates for k, _ in g.ideal().hinges}
                       | set(self.target.kinks if self.target else ()))
        outside = arb(0)
        slopes = self.residual.slopes_at_ends()
        if low is None:
            if slopes[0] != 0:
                raise Diverges(-1)
            low = min([start, *kinks, *([] if high is None else [high])]) - 1
            outside = outside.max(abs(arb(self.residual(low))) + far)
        if high is None:
            if slopes[1] != 0:
                raise Diverges(1)
            high = max([end, low, *kinks]) + 1
            outside = outside.max(abs(arb(self.residual(high))) + far)
        cells = sorted({low, high, *(k for k in kinks if low < k < high)})
        boxes: list[Box] = [((u, v),) for u, v in pairwise(cells)] or [((low, high),)]
        found = maximise(self.over, boxes, lambda p: abs(self.at(p[0])), tolerance=tolerance, floor=4 * far, budget=budget,
                         partial=True, progress=progress)
        assert found.lower is not None
        return Proof(exact(found.upper.max(outside.upper())), found.lower, found.point, found.boxes,
                     "one variable: exact piecewise linear part, mean value forms of the gates")

    def at(self, x: fmpq) -> arb:
        exact = self.residual(x) - (self.target.at([x]) if self.target else 0)
        return self.curve.at(x) + exact

    def over(self, box: Box) -> arb:
        """An upper end of |e| on [u, v], within one cell."""
        u, v = box[0]
        middle = (u + v) / 2
        if self.most is not None and self.target is None:
            ideal = abs(arb(self.residual(u)).union(arb(self.residual(v)))).upper() + self.most
            if all((v - u) * abs(g.rate) > 1 for g in self.curve.gates):
                return ideal
        slope = self.residual.slope_after(middle) + self.curve.slope(u, v)
        if self.target:
            try:
                slope = slope - self.target.gradient([arb(u).union(arb(v))])[0]
            except Undecided:           # a root at 0 has no slope, but a value
                return self._plain(self.target, u, v)
        if slope >= 0 or slope <= 0:
            return abs(self.at(u).union(self.at(v)))
        mean = self.at(middle) + slope * arb(u - middle).union(arb(v - middle))
        if self.target:
            return abs(mean) if mean.is_finite() else self._plain(self.target, u, v)
        ends = arb(self.residual(u)).union(arb(self.residual(v))) + self.curve.over(u, v)
        return abs(mean).upper().min(abs(ends).upper())


    def _plain(self, target: AnyTarget, u: fmpq, v: fmpq) -> arb:
        """|e| by ranges alone."""
        network = arb(self.residual(u)).union(arb(self.residual(v))) + self.curve.over(u, v)
        return abs(network - target.over([arb(u).union(arb(v))]))


def _chords(chords: Piecewise, low: fmpq, high: fmpq) -> Proof:
    """Exact ReLUs against 1/x, 0 < low: on a piece c + s·x − 1/x is concave, so it is least at an end and largest at an
    end or at x = 1/√(−s), where it is c − 2√(−s): rational where the root is."""
    cuts = sorted({low, high, *(k for k, _ in chords.hinges if low < k < high)})
    found = [(abs(chords(x) - 1 / x), x) for x in cuts]
    for u, v in pairwise(cuts):
        check_time()
        slope = chords.slope_after(u)
        if not (slope < 0 and u * u < -1 / slope < v * v):     # monotone on this piece
            continue
        root = exact_root(-slope, 2)
        constant = chords(u) - slope * u
        if root is not None:
            found.append((abs(constant - 2 * root), 1 / root))
        else:
            found.append((exact(abs(constant - 2 * arb(-slope).sqrt()).upper()), exact((1 / arb(-slope).sqrt()).mid())))
    error, x = max(found)
    value = abs(chords(x) - 1 / x)
    return Proof(error, arb(value).lower(), (min(max(x, low), high),), 0, "chords of 1/x, exactly")


# --- one staircase of anchor heads ------------------------------------------------------------------------------------

def _one_staircase(gate: Bend, constant: fmpq, domain: Ends, progress: Progress | None) -> Proof:
    """|constant + factor·deviation|; both signs of the deviation, the second by the mirror x ↦ length − x."""
    kernel = gate.kernel
    assert isinstance(kernel, StairKernel)
    inner = [None if x is None else gate.rate * x + gate.shift for x in domain]
    low, high = inner if gate.rate > 0 else inner[::-1]
    mirrored = (None if high is None else kernel.length - high, None if low is None else kernel.length - low)
    above, below = highest(kernel, (low, high), progress), highest(kernel, mirrored, progress)
    best: tuple[arb, arb, fmpq] | None = None
    for found, sign in ((above, fmpq(1)), (below, fmpq(-1))):
        value = [abs(constant + sign * gate.factor * x) for x in (found.upper, found.lower)]
        point = found.point[0] if sign > 0 else kernel.length - found.point[0]
        if best is None or value[1] > best[1]:
            best = (value[0] if best is None else best[0].max(value[0]), value[1], point)
        else:
            best = (best[0].max(value[0]), *best[1:])
    assert best is not None
    # where the deviation has the other sign, e lies between the constant and a value considered above
    upper = best[0].upper().max(abs(arb(constant)).upper())
    return Proof(exact(upper), best[1].lower(), ((best[2] - gate.shift) / gate.rate,), above.boxes + below.boxes,
                 "one cell of the anchor grid and the joint, for any number of anchors"
                 if kernel.heads > 1 else "one cell of the anchor grid, for any number of anchors")
