"""Certificates for maxima and minima.

Boltzmann heads: with gaps g_i ≥ 0 below the maximum, the error is N/D, N = Σ g_i·e^(−βg_i), D = 1 + Σ e^(−βg_i), and N/D ≤ t
if (and only if) Σ (g_i − t)·e^(−βg_i) ≤ t: one inequality in one variable, whatever the number of arguments, since every
term can be as large as the largest.

Trees: g + c·ρ(z) is the larger (c > 0) or smaller (c < 0) of g and g + c·z, and neither moves by more than what it is made
of. So the error of a form is in the hull of the errors of these two, plus c times the deviation of the gate, and errors add
up over levels, not over gates. That the ideal network is the maximum is checked in rationals.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from ..formulas.shapes import Largest
from .balls import Progress, exact, maximise
from .curve import kernel_of
from .forms import ONE, ZERO, RationalForm, Value, combine, constant_of, subtract, terms_of
from .kernels import Kernel, ReluKernel, SiluKernel, StairKernel
from .program import Boltzmann, Grid, Program
from .proof import Domain, Proof, span
from .staircase import highest

CLOSE = fmpq(1, 10**40)
SURE = fmpq(100)        # beyond so many units of 1/β nothing is left


# --- one head ---------------------------------------------------------------------------------------------------------

def prove_boltzmann(program: Program, output: Value, target: Largest, domain: Domain,
                    progress: Progress | None = None) -> Proof | None:
    """One head whose scores are the inputs, each once, times a number."""
    atoms = [(k, c) for k, c in terms_of(output).items() if not program.is_input(k)]
    if len(atoms) != 1 or len(set(domain)) != 1:
        return None
    (number, factor), = atoms
    atom = program.atom(number)
    if not isinstance(atom, Boltzmann):
        return None
    if any(len(s.terms) != 1 for s in atom.scores):
        return None
    scales = {(c, s.constant) for s in atom.scores for c in s.terms.values()}
    inputs = sorted(k for s in atom.scores for k in s.terms)
    if len(scales) != 1 or inputs != list(range(len(domain))) or not all(map(program.is_input, inputs)):
        return None
    (slope, shift), = scales
    if (slope > 0) != (target.sign > 0):
        return None
    # head = slope·(extremum) + shift − deviation, deviation ≥ 0
    rest = subtract(output, RationalForm(ZERO, {number: factor}))
    misfit = factor * slope - 1
    low, high = domain[0]
    width = None if low is None or high is None else abs(slope) * (high - low)
    most, gap = _largest_deviation(atom.beta, len(atom.scores), width, progress)
    spread = span(rest, domain)
    if spread is None or (misfit != 0 and width is None):
        return None
    around = sorted((misfit * low, misfit * high)) if low is not None and high is not None and misfit else [ZERO, ZERO]
    ends = [factor * shift + spread[0] + around[0], factor * shift + spread[1] + around[1]]
    upper = max(abs(e - factor * d) for e in ends for d in (ZERO, most.upper))
    top = (high if target.sign > 0 else low) if low is not None and high is not None else ZERO
    assert top is not None
    point = (top, *(top - target.sign * gap / abs(slope) for _ in range(len(domain) - 1)))
    lower = arb(0) if misfit != 0 or terms_of(rest) or constant_of(rest) != 0 or shift != 0 else abs(factor) * most.lower
    return Proof(upper, lower, point, most.boxes, "one variable for any number of arguments: all gaps equal")


class _Most:
    def __init__(self, upper: fmpq, lower: arb, boxes: int) -> None:
        self.upper, self.lower, self.boxes = upper, lower, boxes


def _largest_deviation(beta: fmpq, n: int, width: fmpq | None, progress: Progress | None) -> tuple[_Most, fmpq]:
    """sup Σ g·e^(−βg)/(1 + Σ e^(−βg)) over gaps up to the width, and the gap where it nearly is. In units x = βg, the
    attained value is (n−1)x·e^(−x)/(1 + (n−1)e^(−x)); then t a little above it is proved by (n−1)·max (x − t)e^(−x) ≤ t."""
    end = SURE if width is None else min(SURE, beta * width)
    others = n - 1

    def attained(x: fmpq) -> arb:
        e = others * arb(-x).exp()
        return x * e / (1 + e)

    # golden section would do; the function rises and then falls, thirds are simple and exact
    u, v = fmpq(0), end
    while v - u > CLOSE:
        a, b = (2 * u + v) / 3, (u + 2 * v) / 3
        a, b = _short(a), _short(b)
        if attained(a) < attained(b):
            u = a
        else:
            v = b
    best = max((attained(x).lower(), x) for x in (u, v, end))
    boxes = 0
    for closeness in (CLOSE, fmpq(1, 1000)):
        t = exact(best[0]) * (1 + closeness) if best[0] > 0 else closeness
        holds, more = _is_bound(t, others, end, progress)
        boxes += more
        if holds:
            return _Most(t / beta, best[0] / beta, boxes), best[1] / beta
    # N/D ≤ N, and x·e^(−x) ≤ 1/e
    return _Most(fmpq(others, 2) / beta, best[0] / beta, boxes), best[1] / beta


def _is_bound(t: fmpq, others: int, end: fmpq, progress: Progress | None) -> tuple[bool, int]:
    """Whether others·(x − t)e^(−x) ≤ t was proved for 0 ≤ x ≤ end (for all x if end is SURE), and in how many boxes."""
    def excess(x: fmpq) -> arb:
        return others * (x - t) * arb(-x).exp() - t

    def over(box: tuple[tuple[fmpq, fmpq], ...]) -> arb:
        """The derivative is (1 + t − x)e^(−x), times the number of others: it rises up to 1 + t and then falls."""
        u, v = box[0]
        return excess(min(max(u, 1 + t), v))

    found = maximise(over, [((fmpq(0), end),)], bound=fmpq(0), partial=True, budget=100, progress=progress)
    beyond = end < SURE or (1 + t < SURE and bool(excess(SURE) <= 0))
    return bool(found.upper <= 0) and beyond, found.boxes


def _short(x: fmpq) -> fmpq:
    return fmpq(int((x * 2**160).floor()), 2**160)


# --- trees ------------------------------------------------------------------------------------------------------------

def prove_tree(program: Program, output: Value, target: Largest, domain: Domain,
               progress: Progress | None = None) -> Proof | None:
    """Gates only, and with exact ones the extremum of the inputs."""
    tree = _Tree(program, target.sign, domain, progress)
    branches = tree.branches(output)
    if branches is None or branches != {RationalForm(ZERO, {k: ONE}) for k in range(len(domain))}:
        return None
    low, high = tree.error(output)
    return Proof(max(abs(low), abs(high)), arb(0), (), tree.boxes, "gate errors added up over the levels of the tree")


@dataclass(frozen=True)
class _Split:
    """off + factor·gate(inner): about `off` where the gate is closed, about `on` where it is open."""

    off: Value
    on: Value
    factor: fmpq
    inner: RationalForm
    kernel: Kernel


class _Tree:
    def __init__(self, program: Program, sign: int, domain: Domain, progress: Progress | None) -> None:
        self.program, self.sign, self.domain, self.progress = program, sign, domain, progress
        self.boxes = 0
        self._errors: dict[Value, tuple[fmpq, fmpq]] = {}
        self._branches: dict[Value, set[Value] | None] = {}
        self._deviations: dict[Kernel, tuple[fmpq, fmpq]] = {}

    def _last_gate(self, form: Value) -> _Split | None:
        """The last gate of a form, and the two forms of which it makes the larger or the smaller one."""
        atoms = [k for k in terms_of(form) if not self.program.is_input(k)]
        found = kernel_of(self.program.atom(max(atoms))) if atoms else None
        if found is None:
            return None
        inner, kernel, own = found
        last = max(atoms)
        mates = [last]
        if isinstance(kernel, StairKernel):
            inner, kernel, mates = self._staircase(form, last, inner, kernel)
        elif not isinstance(kernel, ReluKernel | SiluKernel):
            return None
        c = terms_of(form)[last] * own
        g = subtract(form, RationalForm(ZERO, {k: terms_of(form)[k] for k in mates}))
        return _Split(g, combine(((ONE, g), (c, inner))), c, inner, kernel)

    def _staircase(self, form: Value, last: int, t: RationalForm,
                   kernel: StairKernel) -> tuple[RationalForm, StairKernel, list[int]]:
        """Heads with the same factor that carry on where another ends are one gate."""
        steps = {}
        for k, c in terms_of(form).items():
            atom = None if self.program.is_input(k) else self.program.atom(k)
            if isinstance(atom, Grid) and (c, atom.count, atom.kappa) == (terms_of(form)[last], kernel.count, kernel.kappa):
                ahead = subtract(atom.t, t)
                if not isinstance(ahead, RationalForm):
                    steps[ahead / kernel.period] = (k, atom.t)
        first = last_step = ZERO
        while first + 1 in steps:
            first += 1
        while last_step - 1 in steps:
            last_step -= 1
        run = [steps[first - i] for i in range(int(first - last_step) + 1)]
        return run[0][1], StairKernel(kernel.kappa, kernel.count, len(run)), [k for k, _ in run]

    def branches(self, form: Value) -> set[Value] | None:
        """The affine forms of the inputs whose extremum the ideal form is; None if it is not seen to be one."""
        if form not in self._branches:
            self._branches[form] = self._find_branches(form)
        return self._branches[form]

    def _find_branches(self, form: Value) -> set[Value] | None:
        parts = self._last_gate(form)
        if parts is None:
            return {form} if all(map(self.program.is_input, terms_of(form))) else None
        if parts.factor * self.sign < 0 or not self._below_end(parts):
            return None
        left, right = self.branches(parts.off), self.branches(parts.on)
        return None if left is None or right is None else left | right

    def _below_end(self, gate: _Split) -> bool:
        """Anchors compute min(max(t, 0), L): this is max(t, 0) only where the ideal t is at most L."""
        if not isinstance(gate.kernel, StairKernel):
            return True
        most = self._most(gate.inner)
        return most is not None and most <= gate.kernel.length

    def _most(self, form: Value) -> fmpq | None:
        """A bound of the ideal form from above."""
        parts = self._last_gate(form)
        if parts is None:
            spread = span(form, self.domain) if all(map(self.program.is_input, terms_of(form))) else None
            return None if spread is None else spread[1]
        left, right = self._most(parts.off), self._most(parts.on)
        if left is None or right is None:
            return None
        return max(left, right) if parts.factor > 0 else min(left, right)

    def error(self, form: Value) -> tuple[fmpq, fmpq]:
        """Between which numbers network − ideal lies."""
        if form not in self._errors:
            parts = self._last_gate(form)
            if parts is None:
                self._errors[form] = ZERO, ZERO
            else:
                off, on = self.error(parts.off), self.error(parts.on)
                ends = sorted(parts.factor * d for d in self._deviation(parts.kernel))
                self._errors[form] = min(off[0], on[0]) + ends[0], max(off[1], on[1]) + ends[1]
        return self._errors[form]

    def _deviation(self, kernel: Kernel) -> tuple[fmpq, fmpq]:
        """Of a gate from its ideal, for every real input."""
        if kernel not in self._deviations:
            self._deviations[kernel] = self._bounded(kernel)
        return self._deviations[kernel]

    def _bounded(self, kernel: Kernel) -> tuple[fmpq, fmpq]:
        if isinstance(kernel, SiluKernel):
            # in units of 1/β, where one proof serves every β
            unit = SiluKernel(ONE)
            end = unit.reach
            found = maximise(lambda box: _size(unit, *box[0]), [((ZERO, end),)], lambda p: -unit.at(p[0]), tolerance=CLOSE,
                             partial=True, progress=self.progress)
            self.boxes += found.boxes
            return -exact(found.upper.max(unit.remainder.upper())) / kernel.beta, ZERO
        if isinstance(kernel, StairKernel):
            most = highest(kernel, (None, None), self.progress)
            self.boxes += most.boxes
            return -exact(most.upper), exact(most.upper)
        return ZERO, ZERO


def _size(kernel: SiluKernel, u: fmpq, v: fmpq) -> arb:
    """−deviation on [u, v], 0 ≤ u."""
    slope = -kernel.slope(u, v)
    if slope >= 0 or slope <= 0:
        return (-kernel.at(u)).union(-kernel.at(v))
    middle = (u + v) / 2
    mean = -kernel.at(middle) + slope * arb(u - middle).union(arb(v - middle))
    return mean.upper().min((-kernel.over(u, v)).upper())
