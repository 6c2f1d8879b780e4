"""Networks that see their inputs through one combination of them: functions of one variable."""

from __future__ import annotations

from flint import fmpq

from ..formulas.shapes import Ridge
from .forms import RationalForm, Value, made
from .program import Program
from .proof import Domain, Ends, Proof, span


class _NotARidge(Exception):
    pass


def along(program: Program, target: Ridge) -> Program | None:
    """The same program as a function of z = Σ weight·x + shift; None if it depends on the inputs otherwise."""
    n = len(program.inputs)
    pivot = next((k for k, w in enumerate(target.weights) if w != 0), None)
    if pivot is None:
        return None

    def rewritten(x: Value) -> Value:
        if not isinstance(x, RationalForm):
            return x
        inputs = {k: x.terms.get(k, fmpq(0)) for k in range(n)}
        rate = inputs[pivot] / target.weights[pivot]
        if any(c != rate * target.weights[k] for k, c in inputs.items()):
            raise _NotARidge
        terms = {k - n + 1: c for k, c in x.terms.items() if k >= n}
        return made(x.constant - rate * target.shift, {0: rate, **terms})

    try:
        return Program(("z",), tuple(map(rewritten, program.outputs)), tuple(a.renamed(rewritten) for a in program.atoms))
    except _NotARidge:
        return None


def interval(target: Ridge, domain: Domain) -> Ends:
    """The range of z."""
    z = made(target.shift, dict(enumerate(target.weights)))
    found = span(z, domain)
    return (None, None) if found is None else found


def back(proof: Proof, target: Ridge, domain: Domain) -> Proof:
    """The proof with a point of the inputs, where one input alone can give z; else without a point."""
    if not proof.point:
        return proof
    k = max(range(len(target.weights)), key=lambda i: abs(target.weights[i]))
    point = [fmpq(0)] * len(target.weights)
    point[k] = (proof.point[0] - target.shift) / target.weights[k]
    inside = all((low is None or low <= x) and (high is None or x <= high)
                 for x, (low, high) in zip(point, domain, strict=True))
    return Proof(proof.upper, proof.lower, tuple(point) if inside else (), proof.boxes, proof.method)
