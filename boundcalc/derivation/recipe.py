"""What the errors of gates become in a ReLU network of numbers (rule R13 of docs/rules.md).

From the outputs back, with an interval around every slope of every output: what a gate errs by arrives at an output with a
known factor. All of it is exact, on matrices of rationals; formulas only enter with the error of a gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp
from flint import fmpq, fmpq_mat
from sympy import Expr

from ..formulas.interval import Interval
from ..gates.any import EXACT
from ..networks.function import Span, numbers_of
from ..numbers.arithmetic import as_fraction
from ..numbers.exact import short_up
from ..terms.gate import Behaviour
from ..terms.given import OF_LAYER, GivenNetwork
from ..terms.linear import Wire
from ..terms.reduced import GatedLayer, Reduced
from ..terms.term import Ramps
from .profile import NIL as NOTHING
from .profile import ONE, Errors, GainRow, Naive, Profile, Scores, Step, StepName

NIL = fmpq(0)
FEW_GATES = 8           # in later layers: then every decision is looked at, which loses nothing


# ---------------------------------------------------------------------------------------------------------------
# what an error of a gate becomes

@dataclass(frozen=True)
class Masses:
    """Of the slopes of one output in the gates of one layer: the largest Σ max(g, 0), Σ max(−g, 0) and
    Σ |g| that they can have."""

    positive: Fraction
    negative: Fraction
    size: Fraction


@dataclass(frozen=True)
class Gains:
    """The masses of every layer, and where the slopes in the inputs lie."""

    layers: tuple[tuple[Masses, ...], ...]          # layer by layer, in each output by output
    slopes: tuple[tuple[tuple[fmpq, fmpq], ...], ...]           # output by output, in the inputs


def gains(network: Reduced) -> Gains:
    """From the outputs back. Behind a gate the slope in its coordinate is that of the map behind on the one side of 0 or on
    the other, or any mean of both: the hull of the two ends. A product with a matrix of numbers gives the exact hull of
    every entry of an interval matrix."""
    behind, _ = numbers_of(network.last)
    slopes = Span.exact(fmpq_mat(behind.nrows(), behind.nrows(), [
        fmpq(int(i == j)) for i in range(behind.nrows()) for j in range(behind.nrows())]))
    found: list[tuple[Masses, ...]] = []
    later = 0
    for k in reversed(range(len(network.stages))):
        stage = network.stages[k]
        own = slopes.times(_first_columns(behind, stage.heads))
        masses = tuple(_masses(own, i) for i in range(own.middle.nrows()))
        if 0 < later <= FEW_GATES:
            masses = tuple(map(_smaller, masses, _decided(network, k)))
        found.append(masses)
        positive, negative = stage.slopes(behind)
        both = [slopes.times(m).ends() for m in (positive, negative)]
        slopes = Span.between(own.middle.nrows(), positive.ncols(), [(min(a, c), max(b, d)) for (a, b), (c, d)
                                                                      in zip(*both, strict=True)])
        later += stage.heads
        behind, _ = numbers_of(stage.map)
    whole = slopes.times(behind)
    ends, columns = whole.ends(), whole.middle.ncols()
    rows = range(0, len(ends), columns)
    return Gains(tuple(reversed(found)), tuple(tuple(ends[i:i + columns]) for i in rows))


def _first_columns(m: fmpq_mat, count: int) -> fmpq_mat:
    return fmpq_mat(m.nrows(), count, [m[i, j] for i in range(m.nrows()) for j in range(count)])


def _masses(slopes: Span, row: int) -> Masses:
    columns = slopes.middle.ncols()
    ends = [(slopes.middle[row, j] - slopes.radius[row, j], slopes.middle[row, j] + slopes.radius[row, j])
            for j in range(columns)]
    up, down, either = (max(b, NIL) for _, b in ends), (max(-a, NIL) for a, _ in ends), (max(-a, b) for a, b in ends)
    return Masses(*(as_fraction(sum(sizes, NIL)) for sizes in (up, down, either)))


def _smaller(x: Masses, y: Masses) -> Masses:
    return Masses(min(x.positive, y.positive), min(x.negative, y.negative), min(x.size, y.size))


def _decided(network: Reduced, k: int) -> list[Masses]:
    """The same masses with every decision of the gates behind layer k looked at. A slope is affine in the decision of every
    single gate, and a mass is convex in the slope: the largest is attained where all are decided."""
    stages = network.stages[k + 1:]
    behind, _ = numbers_of(stages[0].map if stages else network.last)
    maps = [numbers_of(s.map)[0] for s in stages[1:]] + [numbers_of(network.last)[0]]
    start = _first_columns(behind, network.stages[k].heads)
    best: list[Masses] | None = None
    for decision in product((True, False), repeat=sum(s.heads for s in stages)):
        signs, slopes = iter(decision), start
        for stage, following in zip(stages, maps, strict=True):
            positive, negative = stage.slopes(following)
            up = [next(signs) if j < stage.heads else True for j in range(positive.ncols())]
            chosen = fmpq_mat(positive.nrows(), positive.ncols(), [
                (positive if up[j] else negative)[i, j] for i in range(positive.nrows()) for j in range(positive.ncols())])
            slopes = chosen * slopes
        here = [_masses(Span.exact(slopes), i) for i in range(slopes.nrows())]
        best = here if best is None else [Masses(max(a.positive, b.positive), max(a.negative, b.negative),
                                                 max(a.size, b.size)) for a, b in zip(best, here, strict=True)]
    assert best is not None
    return best


# ---------------------------------------------------------------------------------------------------------------
# as a profile: gates take the place of the ReLUs layer by layer

def given_network(term: GivenNetwork, domain: Mapping[str, Interval]) -> Profile:
    """Rule R13. Step k puts gates into the k-th layer, behind layers that have them already: the outputs move by the slopes
    of the exact rest times the errors of these gates."""
    network, gate = term.reduced, term.gate
    outputs = [b.name for b in term.outputs]
    found = gains(network)
    gates = [p.gate for p in term.parts if isinstance(p, Ramps)]
    acts = [own.on(*unit) if own is not None and unit is not None else EXACT
            for own, unit in zip(gates, term.units(), strict=True)]
    sources = sources_of(network)
    own: list[Errors] = [{out: _own(act, masses[k], source) for k, out in enumerate(outputs)}
                         for act, masses, source in zip(acts, found.layers, sources, strict=True)]
    through = {b.name: GainRow(({b.name: (ONE, NOTHING)},)) for b in term.outputs}
    first = {out: _row(term.inputs, found.slopes[k]) for k, out in enumerate(outputs)}
    naive = _Route(network, acts, len(term.inputs))
    scores = _scores(term, acts)
    steps = [Step(StepName((term.labels[0] if term.labels else "affine map",)), "R13", term.inputs, term.outputs, first,
                  _some(own[0]) if own else {}, naive.step(0, term.inputs, outputs),
                  acts[0].beta / 2 if acts else NOTHING, scores)]
    steps += [Step(StepName((term.labels[k],)), "R13", term.outputs, term.outputs, through, _some(own[k]),
                   naive.step(k, term.outputs, outputs), acts[k].beta / 2) for k in range(1, len(acts))]
    ends = [Interval(_rational(a), _rational(b)) for a, b in network.ranges]
    lemmas = (gate.lemma,) if gate is not None and gate.lemma is not None and acts else ()
    return Profile(term.inputs, term.outputs, domain, dict(zip(outputs, ends, strict=True)), tuple(steps), lemmas)


def sources_of(network: Reduced) -> list[str]:
    """What errors of gates are called: by their layer, where there are several."""
    if len(network.stages) == 1:
        return ["gates"]
    return [f"{OF_LAYER}{s.number}" for s in network.stages]


def _some(own: Errors) -> Errors:
    kept = {out: {s: i for s, i in by_source.items() if i.radius != 0} for out, by_source in own.items()}
    return {out: by_source for out, by_source in kept.items() if by_source}


def _own(act: Behaviour, m: Masses, source: str) -> Mapping[str, Interval]:
    """Σ g·r over all gates of a layer, r in the error of one. Where that has both signs alike, Σ |g| counts."""
    error = act.error
    if error.lo == -error.hi:
        whole = Interval.symmetric(_of(m.size) * error.hi)
    else:
        whole = error.weighted(_of(m.positive), _of(m.negative))
    return {source: whole, **({"leak": Interval.symmetric(_of(m.size) * act.leak)} if act.leak != 0 else {})}


def _row(wire: Wire, slopes: Sequence[tuple[fmpq, fmpq]]) -> GainRow:
    """Every slope between its ends: the hull of both is reached input by input."""
    return GainRow(({b.name: (_of(as_fraction(max(hi, NIL))), _of(as_fraction(max(-lo, NIL))))
                     for b, (lo, hi) in zip(wire, slopes, strict=True)},))


def _scores(term: GivenNetwork, acts: Sequence[Behaviour]) -> tuple[Scores, ...]:
    """How far apart scores are: exactly, then what errors of earlier gates add, and what those of the inputs do."""
    found = []
    moved: Expr = NOTHING               # by earlier gates
    gain: Expr = ONE                    # of an error that all inputs have
    for act, norm in zip(acts, norms(term.reduced), strict=False):
        moved, gain = _of(norm) * moved, _of(norm) * gain
        of_inputs = {b.name: act.spread_gain * gain for b in term.inputs[:1]}       # all inputs have the same error
        found.append(Scores(act.beta, act.spread + act.spread_gain * moved, of_inputs))
        moved = moved + act.error.radius + act.leak
    return tuple(s for s in found if s.beta is not NOTHING)


def norms(network: Reduced) -> list[Fraction]:
    """Of every map the largest sum of |slopes| in the coordinates before it."""
    found = []
    before: GatedLayer | None = None
    for k, layer in enumerate((*(s.map for s in network.stages), network.last)):
        weight, _ = numbers_of(layer)
        if before is not None:
            positive, negative = before.slopes(weight)
            sizes = [max(abs(a), abs(b)) for a, b in zip(positive.entries(), negative.entries(), strict=True)]
            weight = fmpq_mat(positive.nrows(), positive.ncols(), sizes)
        rows = range(weight.nrows())
        found.append(max(as_fraction(sum((abs(weight[i, j]) for j in range(weight.ncols())), NIL)) for i in rows))
        before = network.stages[k] if k < len(network.stages) else None
    return found


class _Route:
    """What the Lipschitz constant of softmax gives: norms of maps and Lipschitz constants of gates, multiplied."""

    def __init__(self, network: Reduced, acts: Sequence[Behaviour], inputs: int) -> None:
        self.network, self.acts, self.inputs = network, acts, inputs

    def step(self, k: int, wire: Wire, outputs: Sequence[str]) -> Naive:
        def work_out() -> tuple[dict[str, dict[str, Expr]], dict[str, Expr]]:
            sizes = [_of(x) for x in norms(self.network)]
            behind = sp.Mul(*sizes[k + 1:], *(a.lipschitz for a in self.acts[k + 1:]))
            own = dict.fromkeys(outputs, behind * self.acts[k].error.radius if self.acts else NOTHING)
            if k:
                return {b.name: {b.name: ONE} for b in wire}, own
            whole = sp.Mul(*sizes, *(a.lipschitz for a in self.acts)) / self.inputs     # all inputs have the same error
            return {out: {b.name: whole for b in wire} for out in outputs}, own
        return Naive(work_out)


def _of(x: Fraction) -> Expr:
    """As a number of formulas, rounded up where it is long."""
    x = short_up(x)
    return sp.Rational(x.numerator, x.denominator)


def _rational(x: fmpq) -> Expr:
    return sp.Rational(int(x.p), int(x.q))
