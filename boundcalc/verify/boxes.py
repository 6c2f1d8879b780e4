"""Generic certificates: mean value branch and bound over the box of inputs, for any network with one or two of them."""

from __future__ import annotations

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from ..formulas.target import AnyTarget
from .balls import Box, Point, Progress, exact, maximise
from .enclose import evaluate
from .forms import Value
from .program import Program
from .proof import Domain, Proof

TOLERANCE = fmpq(1, 200)
BUDGET = 20_000
LARGEST = fmpq(10) ** 30


def prove_boxes(program: Program, output: Value, target: AnyTarget, domain: Domain, *, budget: int = BUDGET,
                tolerance: fmpq = TOLERANCE, enough: fmpq | None = None, progress: Progress | None = None) -> Proof | None:
    """The supremum of |network − target|, as near as the budget allows; None for infinite domains and many inputs."""
    if len(domain) > 2 or any(low is None or high is None for low, high in domain):
        return None
    problem = _Problem(Program(program.inputs, (output,), program.atoms), target)
    box: Box = tuple((low, high) for low, high in domain)
    found = maximise(problem.over, [box], problem.at, tolerance=tolerance, floor=None if enough is None else arb(enough),
                     budget=budget, partial=True, progress=progress)
    assert found.lower is not None
    if not found.upper.is_finite() or found.upper > LARGEST:
        raise Undecided("Branch and bound found no finite bound within its budget.")
    return Proof(exact(found.upper), found.lower, found.point, found.boxes, "mean value branch and bound over boxes")


class _Problem:
    def __init__(self, program: Program, target: AnyTarget) -> None:
        self.program, self.target = program, target

    def at(self, point: Point) -> arb:
        value = evaluate(self.program, [arb(x) for x in point])[0].value
        return abs(value - self.target.at(point))

    def over(self, box: Box) -> arb:
        """|e| from its mean value form, where inputs with a derivative of one sign are only looked at at their ends."""
        inputs = [arb(u).union(arb(v)) for u, v in box]
        try:
            whole = evaluate(self.program, inputs, gradients=True)[0]
            plain = abs(whole.value - self.target.over(inputs))
        except Undecided:
            return arb(LARGEST * 2)      # too wide: to be halved
        try:
            slopes = [g - t for g, t in zip(whole.gradient, self.target.gradient(inputs), strict=True)]
        except Undecided:
            return plain
        # sup e and sup −e: each at the end that the sign of the derivative tells
        tops = []
        for sign in (1, -1):
            ends, free = [], []
            for (u, v), slope in zip(box, slopes, strict=True):
                if sign * slope >= 0:
                    ends.append(v)
                elif sign * slope <= 0:
                    ends.append(u)
                else:
                    ends.append((u + v) / 2)
                    free.append(True)
                    continue
                free.append(False)
            value = evaluate(self.program, [arb(x) for x in ends])[0].value - self.target.at(ends)
            total = sign * value
            for (u, v), slope, loose in zip(box, slopes, free, strict=True):
                if loose:
                    total = total + abs(slope) * arb((v - u) / 2)
            tops.append(total.upper())
        mean = tops[0].max(tops[1])
        return plain.upper().min(mean) if mean.is_finite() else plain.upper()

