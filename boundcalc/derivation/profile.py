"""The bound algebra: profiles and the only composition code. Each function cites a rule of docs/rules.md.

A profile is a list of steps. A step knows the ideal map that it approximates only through its *gain* (per output
block, a finite set of slope vectors whose hull contains every generalised gradient) and its *own error* (a signed
interval per source, valid whatever the input). `flow` pushes an incoming error through the steps (rule R3):

    outgoing = gain(incoming) + own error.

Block by block: a block of symbolic size carries one interval for all its coordinates, so a slope vector keeps only
the total of its positive and of its negative entries on each block (its two masses).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TypeVar

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.index import Index
from ..formulas.interval import POINT, Interval, hull, largest, times
from ..formulas.series import solve_triangular
from ..lemmas.record import Lemma
from ..records import dataclass
from ..terms.linear import Wire

ONE, NIL = sp.S.One, sp.S.Zero
T = TypeVar("T")

Slope = Mapping[str, tuple[Expr, Expr]]             # input block → (positive mass, negative mass)
Errors = Mapping[str, Mapping[str, Interval]]       # block → source of the error → signed interval
Radii = Mapping[str, Expr]
Matrix = Mapping[str, Mapping[str, Expr]]            # output block → input block → gain


@dataclass(frozen=True)
class GainRow:
    """What one output block makes of incoming errors. A radial row has lost the signs: only radii count."""

    slopes: tuple[Slope, ...]
    radial: bool = False

    def push(self, incoming: Mapping[str, Interval]) -> Interval:
        """Rule R2: the hull, over all slope vectors g, of Σ_j g_j·e_j."""
        reached = []
        for slope in self.slopes:
            out = POINT
            for block, (positive, negative) in slope.items():
                e = incoming.get(block, POINT)
                if e is POINT:
                    continue
                if self.radial:
                    out = out + Interval.symmetric(times(positive + negative, e.radius))
                else:
                    out = out + e.weighted(positive, negative)
            reached.append(out)
        return hull(reached)

    def lipschitz(self) -> dict[str, Expr]:
        """The row of the gain matrix: Λ_j = max over slope vectors of |g_j| (rule R2)."""
        blocks = dict.fromkeys(b for s in self.slopes for b in s)
        return {b: largest(sp.expand(sum(s.get(b, (NIL, NIL)), NIL)) for s in self.slopes) for b in blocks}

    def norm(self) -> Expr:
        """The Lipschitz constant from the sup norm to this output: the largest ℓ1 norm of a slope vector."""
        return largest(sp.expand(sp.Add(*(p + n for p, n in s.values()))) for s in self.slopes)


def linear_row(gains: Mapping[str, Expr]) -> GainRow:
    """A row of a nonnegative gain matrix."""
    return GainRow(({b: (g, NIL) for b, g in gains.items()},), radial=True)


@dataclass(frozen=True)
class Scores:
    """What enters a softmax in a step: β, how far apart exact scores can be, and what an input error adds to that."""

    beta: Expr
    spread: Expr
    gain: Mapping[str, Expr]


@dataclass(frozen=True)
class StepName:
    """What a step is called: by the labels that its parts, side by side, have in the term; by the index over which they
    are repeated; or by the lemma that stands for them. Labels are prose with formulas between dollar signs (mathtext.py).
    A step that only hands on what it gets has no parts."""

    parts: tuple[str | StepName, ...]
    over: Index | None = None
    lemma: str | None = None

    def labels(self) -> str:
        """The labels alone, for refusals."""
        return ", ".join(part if isinstance(part, str) else part.labels() for part in self.parts)


class Naive:
    """What the Lipschitz constant of softmax (S2) gives for a step: the gain of the network itself, and the own error,
    propagated inside the step by that gain. It is shown for comparison, and worked out only then."""

    def __init__(self, work_out: Callable[[], tuple[Matrix, Radii]]) -> None:
        self._work_out = work_out

    @cached_property
    def _found(self) -> tuple[Matrix, Radii]:
        return self._work_out()

    @property
    def gain(self) -> Matrix:
        return self._found[0]

    @property
    def own(self) -> Radii:
        return self._found[1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Naive) and self._found == other._found

    __hash__ = None         # type: ignore[assignment]          # as the dictionaries in it


@dataclass(frozen=True)
class Step:
    """One stage of a network, seen by the algebra."""

    name: StepName
    rule: str
    inputs: Wire
    outputs: Wire
    gain: Mapping[str, GainRow]
    own_error: Errors
    naive: Naive
    softmax_lipschitz: Expr = NIL
    scores: tuple[Scores, ...] = ()
    errors_rise: bool = True                        # inside a repeat: no error falls from one iteration to the next
    keeps_ranges: bool = False
    detail: tuple[tuple[Flow, ...], ...] = ()       # what lemmas stand for, one sequence each: shown, not used
    propagated: Errors = field(default_factory=dict)        # the own error without the sharper lemma that is used

    @property
    def by_lemma(self) -> bool:
        """Whether the own error holds on the lemma's domain only."""
        return bool(self.detail)


@dataclass(frozen=True)
class Flow:
    """Errors before and after one step."""

    step: Step
    incoming: Errors
    outgoing: Errors
    before: Flow | None = None

    @cached_property
    def naive_outgoing(self) -> Radii:
        naive = self.before.naive_outgoing if self.before is not None else radii(self.incoming)
        return {out: sp.Add(*(times(g, naive.get(b, NIL)) for b, g in row.items())) + self.step.naive.own.get(out, NIL)
                for out, row in self.step.naive.gain.items()}


@dataclass(frozen=True)
class Profile:
    """What the algebra knows of a network: domain, range, steps and trusted lemmas."""

    inputs: Wire
    outputs: Wire
    domain: Mapping[str, Interval]
    range: Mapping[str, Interval]
    steps: tuple[Step, ...]
    lemmas: tuple[Lemma, ...] = ()

    def flow(self, incoming: Errors | None = None) -> list[Flow]:
        errors: Errors = incoming or {}
        flows: list[Flow] = []
        for step in self.steps:
            after = advance(step, errors)
            flows.append(Flow(step, errors, after, flows[-1] if flows else None))
            errors = after
        return flows

    def error(self, incoming: Errors | None = None) -> Errors:
        """Signed error per output block and source, where nothing else of the flow is asked for."""
        flows = self.flow(incoming)
        return flows[-1].outgoing if flows else (incoming or {})

    def gain_matrix(self) -> dict[str, dict[str, Expr]]:
        """Λ of the whole ideal map: the product of the steps' gain matrices."""
        matrix: dict[str, dict[str, Expr]] = {b.name: {b.name: ONE} for b in self.inputs}
        for step in self.steps:
            matrix = _product({out: row.lipschitz() for out, row in step.gain.items()}, matrix)
        return matrix

    def naive_matrix(self) -> dict[str, dict[str, Expr]]:
        matrix: dict[str, dict[str, Expr]] = {b.name: {b.name: ONE} for b in self.inputs}
        for step in self.steps:
            matrix = _product(step.naive.gain, matrix)
        return matrix


def advance(step: Step, errors: Errors) -> dict[str, dict[str, Interval]]:
    """Rule R3 for one step, source by source."""
    sources = dict.fromkeys(s for e in errors.values() for s in e)
    after: dict[str, dict[str, Interval]] = {}
    for out, row in step.gain.items():
        moved = {s: row.push({b: e[s] for b, e in errors.items() if s in e}) for s in sources}
        for source, own in step.own_error.get(out, {}).items():
            moved[source] = moved[source] + own if source in moved else own
        after[out] = {s: i for s, i in moved.items() if i != POINT}
    return after


def radii(errors: Errors) -> dict[str, Expr]:
    return {block: total(e).radius for block, e in errors.items()}


def total(errors: Mapping[str, Interval]) -> Interval:
    """The sum over all sources."""
    return sum(errors.values(), POINT)


def _product(outer: Matrix, inner: Matrix) -> dict[str, dict[str, Expr]]:
    result: dict[str, dict[str, Expr]] = {}
    for out, row in outer.items():
        combined: dict[str, Expr] = {}
        for mid, g in row.items():
            for b, h in inner.get(mid, {}).items():
                combined[b] = combined.get(b, NIL) + times(g, h)
        result[out] = combined
    return result


# ---------------------------------------------------------------------------------------------------------------
# composition

def then(first: Profile, second: Profile) -> Profile:
    """Rule R3: one after the other."""
    if tuple(b.name for b in first.outputs) != tuple(b.name for b in second.inputs):
        raise NotDerivable("R3", "a sequence", f"{[b.name for b in first.outputs]} does not feed "
                                               f"{[b.name for b in second.inputs]}")
    if first.steps and any(s.by_lemma for s in second.steps):
        raise NotDerivable("R8", "an approximation after another stage",
                           "its input may leave the domain of its lemma, and no enlargement is derived")
    return Profile(first.inputs, second.outputs, first.domain, second.range, first.steps + second.steps,
                   _union(first.lemmas, second.lemmas))


def beside(left: Profile, right: Profile) -> Profile:
    """Rule R4: side by side on disjoint wires; the shorter part waits while the longer one goes on."""
    names = [b.name for b in (*left.inputs, *right.inputs)]
    if len(set(names)) != len(names):
        raise NotDerivable("R4", "parallel parts", f"block names clash: {', '.join(names)}")
    steps = []
    wire_l, wire_r = left.inputs, right.inputs
    for k in range(max(len(left.steps), len(right.steps))):
        a = left.steps[k] if k < len(left.steps) else waiting(wire_l)
        b = right.steps[k] if k < len(right.steps) else waiting(wire_r)
        steps.append(_merge(a, b))
        wire_l, wire_r = a.outputs, b.outputs
    return Profile(left.inputs + right.inputs, left.outputs + right.outputs, {**left.domain, **right.domain},
                   {**left.range, **right.range}, tuple(steps), _union(left.lemmas, right.lemmas))


def waiting(wire: Wire) -> Step:
    """The identity, for a part that has nothing to do."""
    return Step(StepName(()), "R1", wire, wire, {b.name: GainRow(({b.name: (ONE, NIL)},)) for b in wire}, {},
                Naive(lambda: ({b.name: {b.name: ONE} for b in wire}, {})))


def _merge(a: Step, b: Step) -> Step:
    name = a.name if not b.name.parts else b.name if not a.name.parts else StepName((a.name, b.name))
    return Step(name, "R4", a.inputs + b.inputs, a.outputs + b.outputs, {**a.gain, **b.gain},
                {**a.own_error, **b.own_error},
                Naive(lambda: ({**a.naive.gain, **b.naive.gain}, {**a.naive.own, **b.naive.own})),
                largest([a.softmax_lipschitz, b.softmax_lipschitz]), a.scores + b.scores,
                a.errors_rise and b.errors_rise, a.keeps_ranges and b.keeps_ranges, a.detail + b.detail)


def sealed(profile: Profile) -> Profile:
    """The profile as one step that has lost signs and slope vectors: gain matrix and radii only."""
    flows = profile.flow()
    errors = flows[-1].outgoing if flows else {}
    name = profile.steps[0].name if profile.steps else StepName(())
    if any(s.by_lemma for s in profile.steps):
        raise NotDerivable("R5", name.labels(), "a repeated approximation may leave the domain of its lemma")
    # how inner errors move the scores of a later step is not followed: no bound on the logit is claimed then
    simple = not any(s.scores for s in profile.steps[1:])
    step = Step(name, "R5", profile.inputs, profile.outputs,
                {out: linear_row(row) for out, row in profile.gain_matrix().items()},
                {out: {s: Interval.symmetric(i.radius) for s, i in e.items()} for out, e in errors.items()},
                Naive(lambda: (profile.naive_matrix(), flows[-1].naive_outgoing if flows else {})),
                largest([NIL, *(s.softmax_lipschitz for s in profile.steps)]),
                tuple(s for step in profile.steps for s in step.scores),
                simple and all(s.errors_rise for s in profile.steps))
    return replace(profile, steps=(step,))


def repeat(body: Profile, index: Index) -> Profile:
    """Rule R5: the body for every value of the index, in closed form. Equal to the m-fold `then` of `sealed(body)`."""
    names = [b.name for b in body.inputs]
    if names != [b.name for b in body.outputs]:
        raise NotDerivable("R5", body.steps[0].name.labels(), "a repeated body must return the wire that it takes")
    step = sealed(body).steps[0]
    gain = {out: row.lipschitz() for out, row in step.gain.items()}

    def closed(matrix: Matrix, start: Radii, added: Radii) -> dict[str, Expr]:
        solved = solve_triangular(start, matrix, added, index)
        return {n: sp.expand(solved[n].at(index.last)) for n in names}

    def columns(matrix: Matrix) -> dict[str, dict[str, Expr]]:
        """Response of the end to a unit error of each coordinate at the start."""
        responses = {source: closed(matrix, {source: ONE}, {}) for source in names}
        return {out: {b: responses[b][out] for b in names if responses[b][out] != 0} for out in names}

    own: dict[str, dict[str, Interval]] = {n: {} for n in names}
    for source in dict.fromkeys(s for e in step.own_error.values() for s in e):
        added = {out: e[source].radius for out, e in step.own_error.items() if source in e}
        for out, radius in closed(gain, {}, added).items():
            if radius != 0:
                own[out][source] = Interval.symmetric(radius)

    def naive() -> tuple[Matrix, Radii]:
        if any(g.has(sp.oo) for row in step.naive.gain.values() for g in row.values()):
            return {n: dict.fromkeys(names, sp.oo) for n in names}, dict.fromkeys(names, sp.oo)
        return columns(step.naive.gain), closed(step.naive.gain, {}, step.naive.own)

    rises = step.errors_rise and all((gain[n].get(n, NIL) - 1).is_nonnegative for n in names)
    whole = replace(step, name=StepName((step.name,), index), gain={n: linear_row(r) for n, r in columns(gain).items()},
                    own_error=own, naive=Naive(naive), errors_rise=rises)
    return replace(body, steps=(whole,))


def fold_tree(body: Profile, block: str, label: str, levels: Expr, inputs: Wire, outputs: Wire) -> Profile:
    """Rule R7: a two-argument body folded over `levels` levels, all leaves with the same error.

    If every slope vector is a convex combination (masses ≥ 0, total 1: max and min) signs survive and the gain is 1;
    otherwise the gain is λ = the largest ℓ1 norm, and λ > 1 is needed since some leaves skip the first level.
    """
    (step,) = body.steps
    (row,) = step.gain.values()
    (own,) = step.own_error.values() if step.own_error else ({},)
    if any(not (i.lo.is_nonpositive and i.hi.is_nonnegative) for i in own.values()):
        raise NotDerivable("R7", label, "a leaf that skips a level has error 0, outside the body's own error")
    if _convex(row):
        gain = GainRow(({block: (ONE, NIL)},))
        errors = {s: Interval(levels * i.lo, levels * i.hi) for s, i in own.items()}
    else:
        rate = row.norm()
        if not (rate - 1).is_positive:
            raise NotDerivable("R7", label, f"its gain {rate} is neither convex nor above 1")
        gain = linear_row({block: rate ** levels})
        errors = {s: Interval.symmetric(i.radius * _geometric(rate, levels)) for s, i in own.items()}

    def naive() -> tuple[Matrix, Radii]:
        (row,) = step.naive.gain.values()
        own_gain, added = sp.expand(sp.Add(*row.values())), sp.Add(*step.naive.own.values())
        return {block: {block: own_gain ** levels}}, {block: times(added, _geometric(own_gain, levels))}

    whole = replace(step, name=StepName((label,)), rule="R7", inputs=inputs, outputs=outputs, gain={block: gain},
                    own_error={block: errors}, naive=Naive(naive),
                    scores=tuple(replace(s, gain={block: sp.Add(*s.gain.values())}) for s in step.scores))
    return Profile(inputs, outputs, {block: hull(body.domain.values())}, {block: hull(body.range.values())}, (whole,),
                   body.lemmas)


def _convex(row: GainRow) -> bool:
    return type(row) is GainRow and not row.radial and all(
        sp.expand(sp.Add(*(p for p, _ in s.values()))) == 1 and all(n.is_zero for _, n in s.values())
        for s in row.slopes)


def _geometric(rate: Expr, count: Expr) -> Expr:
    """1 + rate + … + rate^(count−1)."""
    if rate == 1:
        return count
    return sp.oo if rate.has(sp.oo) else (rate ** count - 1) / (rate - 1)


def _union(a: tuple[T, ...], b: tuple[T, ...]) -> tuple[T, ...]:
    return a + tuple(x for x in b if x not in a)
