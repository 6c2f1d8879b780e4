"""Fold a term into a profile: the errors, gains and ranges of its structured form (counts are in flat.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.closed_slopes import radius
from ..formulas.interval import LINE, POINT, Interval, hull, largest, signed_parts, times
from ..gates.any import EXACT
from ..lemmas.record import Lemma
from ..terms.given import GivenNetwork
from ..terms.linear import AffineMap, Form, at_row
from ..terms.ranges import Ranges, form_range, map_ranges, masses, masses_of, slopes_of, summed, uniform, with_ranges
from ..terms.term import (
    Affine,
    AlongSequence,
    Approx,
    Attention,
    Copies,
    Ideal,
    Par,
    Ramps,
    Repeat,
    Seq,
    Term,
    Tree,
    depth,
    inputs_of,
    layers_of,
    outputs_of,
)
from ..terms.with_gate import lower
from .hulls import Zonotope, hull_row, zonotope
from .profile import (
    NIL,
    ONE,
    Errors,
    Flow,
    GainRow,
    Matrix,
    Naive,
    Profile,
    Radii,
    Scores,
    Slope,
    Step,
    StepName,
    advance,
    beside,
    fold_tree,
    repeat,
    then,
    total,
)

GATES, LEAK = "gates", "leak"


def derive(term: Term, domain: Ranges) -> Profile:
    """The profile of a term whose inputs lie in `domain` (a range per input block)."""
    return fold(with_ranges(term, domain)[0], domain)


def fold(term: Term, domain: Ranges) -> Profile:
    """The same for a term that has its ranges written in."""
    match term:
        case Affine():
            return _affine(term, domain)
        case Ramps():
            return _layer(term)
        case Attention():
            return _attention(term, domain)
        case GivenNetwork():
            from .recipe import given_network
            return given_network(term, domain)
        case Seq(parts=parts):
            profile = fold(parts[0], domain)
            for part in parts[1:]:
                profile = then(profile, fold(part, profile.range))
            return profile
        case Par(parts=parts):
            first, *rest = (fold(p, {b.name: domain[b.name] for b in inputs_of(p)}) for p in parts)
            for other in rest:
                first = beside(first, other)
            return first
        case Repeat():
            return _repeat(term, domain)
        case Copies(body=body) | AlongSequence(body=body):           # rule R6: every copy has the errors of one
            return replace(fold(body, domain), inputs=inputs_of(term), outputs=outputs_of(term))
        case Tree():
            return _tree(term, domain)
        case Approx():
            return _approx(term, domain)


# ---------------------------------------------------------------------------------------------------------------
# rule R1: affine maps are exact

def _affine(term: Affine, domain: Ranges) -> Profile:
    slopes: dict[str, list[Slope]] = {}
    for r in term.map.rows:
        slopes.setdefault(r.block, []).append(masses(uniform(r)))
    gain = {b: GainRow(tuple(s)) for b, s in slopes.items()}
    step = Step(StepName((term.label,)), "R1", term.map.inputs, term.map.outputs, gain, {},
                Naive(lambda: ({b: row.lipschitz() for b, row in gain.items()}, {})))
    return Profile(term.map.inputs, term.map.outputs, domain, map_ranges(term.map, domain), (step,))


# ---------------------------------------------------------------------------------------------------------------
# rule R2: a layer, with the slope of each unit in {0, 1}

def _layer(layer: Ramps) -> Profile:
    assert layer.ranges is not None
    before = dict(layer.ranges.before)
    acts = {u.name: layer.gate.on(u, before[u.of]) if layer.gate else EXACT for u in layer.units}
    units = {u.name: u for u in layer.units}
    slopes: dict[str, list[Slope]] = {}
    errors: dict[str, list[Interval]] = {}
    hulls: dict[str, list[Zonotope]] = {}
    leaks: dict[str, list[Expr]] = {}
    naive: dict[str, list[dict[str, Expr]]] = {}
    for row in layer.post.rows:
        many = zonotope(layer, row)
        if many is None:
            slopes.setdefault(row.block, []).extend(masses(form) for form in slopes_of(layer, row, before))
        else:
            hulls.setdefault(row.block, []).append(many)
        error, leak = POINT, NIL
        own: dict[str, Expr] = {}
        for t in row.form.terms:
            factor = sp.S.One
            if t.ref.block in acts:
                error = error + acts[t.ref.block].error.weighted(*masses_of(t))
                leak = leak + times(sp.Add(*masses_of(t)), acts[t.ref.block].leak)
                factor = acts[t.ref.block].lipschitz
            read = units[t.ref.block].source(t.ref.at)[0] if t.ref.block in units else t.ref
            for block, (p, n) in masses(at_row(layer.pre, read)).items():
                own[block] = own.get(block, NIL) + times(summed(sp.Abs(t.coefficient), t.over), factor * (p + n))
        errors.setdefault(row.block, []).append(error)
        leaks.setdefault(row.block, []).append(leak)
        naive.setdefault(row.block, []).append(own)
    sources = {b: {GATES: hull(e), LEAK: Interval.symmetric(largest(leaks[b]))} for b, e in errors.items()}
    own_error: Errors = {b: {s: i for s, i in by_source.items() if i.radius is not NIL}
                         for b, by_source in sources.items() if any(i.radius is not NIL for i in by_source.values())}
    scores = tuple(Scores(acts[u.name].beta, acts[u.name].spread, {
        b: acts[u.name].spread_gain * g for b, g in _norms(layer.pre, u.of).items()})
        for u in layer.units if acts[u.name].beta is not NIL)
    step = Step(StepName((layer.label,)), "R2", layer.pre.inputs, layer.post.outputs,
                _gains(layer, slopes, hulls), own_error,
                Naive(lambda: ({b: _largest(rows) for b, rows in naive.items()},
                               {b: total(e).radius for b, e in own_error.items()})),
                largest([NIL, *(a.beta / 2 for a in acts.values())]), scores)
    lemmas = (layer.gate.lemma,) if layer.gate and layer.gate.lemma else ()
    return Profile(layer.pre.inputs, layer.post.outputs, dict(layer.ranges.inputs), dict(layer.ranges.after), (step,),
                   lemmas)


def _gains(layer: Ramps, slopes: Mapping[str, list[Slope]], hulls: Mapping[str, list[Zonotope]]) -> dict[str, GainRow]:
    both = slopes.keys() & hulls.keys()
    if both:
        raise NotDerivable("R2", layer.label, f"some rows of {', '.join(sorted(both))} have many units and others few: give "
                                              "them blocks of their own")
    blocks = dict.fromkeys(r.block for r in layer.post.rows)
    return {b: GainRow(tuple(_distinct(slopes[b]))) if b in slopes else hull_row(hulls[b]) for b in blocks}


def _distinct(slopes: list[Slope]) -> list[Slope]:
    unique: list[Slope] = []
    for s in slopes:
        trimmed = {b: (p, n) for b, (p, n) in s.items() if not (p.is_zero and n.is_zero)}
        if trimmed not in unique:
            unique.append(trimmed)
    return unique


def _largest(rows: list[dict[str, Expr]]) -> dict[str, Expr]:
    blocks = dict.fromkeys(b for r in rows for b in r)
    return {b: largest(r.get(b, NIL) for r in rows) for b in blocks}


def _norms(m: AffineMap, block: str) -> dict[str, Expr]:
    return _largest([{b: p + n for b, (p, n) in masses(r.form).items()} for r in m.rows if r.block == block])


# ---------------------------------------------------------------------------------------------------------------
# rules R5, R7: repeats and trees

def _repeat(term: Repeat, domain: Ranges) -> Profile:
    """Rule R5, with the body on a range that it maps into itself."""
    if term.index.count.is_Integer and term.index.count <= 0:
        return Profile(inputs_of(term), outputs_of(term), domain, domain, ())
    assert term.invariant is not None
    body = fold(term.body, dict(term.invariant))
    return replace(repeat(body, term.index), domain=domain)


def _tree(term: Tree, domain: Ranges) -> Profile:
    body = fold(term.body, domain)
    return fold_tree(body, term.block, term.label, depth(term.leaves), inputs_of(term), outputs_of(term))


# ---------------------------------------------------------------------------------------------------------------
# explicit attention, and rule R8: the trust boundary

def _attention(term: Attention, domain: Ranges) -> Profile:
    """Ranges and perturbations of one explicit attention layer by S2. It has no ideal of its own: `Approx` gives it."""
    coords = dict.fromkeys(r.block for r in term.embed.rows)
    values = {b: hull(form_range(r.form, domain) for r in term.embed.rows if r.block == b) for b in coords}
    moved = {b: _norms(term.embed, b) for b in coords}
    naive: dict[str, dict[str, Expr]] = {}
    scores = []
    for head in term.heads:
        (q,), (k,) = head.query.rows, head.key.rows
        q_range, k_range = form_range(q.form, values), form_range(k.form, values)
        q_moves, k_moves = _through(q.form, moved), _through(k.form, moved)
        if q_moves and k_moves:
            raise NotDerivable("S2", term.label, "query and key both depend on the input: scores are not linear in it")
        score = _times(q_range, k_range)
        constant = k_range if q_moves else q_range
        gain = {b: g * constant.radius for b, g in (q_moves or k_moves).items()}
        scores.append(Scores(head.beta, score.hi - score.lo if score.bounded else sp.oo,
                             {b: 2 * g for b, g in gain.items()}))
        for r in head.value.rows:
            spread = form_range(r.form, values)
            length = spread.hi - spread.lo if spread.bounded else sp.oo
            row = naive.setdefault(r.block, {})
            for b, g in _through(r.form, moved).items():
                row[b] = row.get(b, NIL) + g
            for b, g in gain.items():
                row[b] = row.get(b, NIL) + times(g, length * head.beta / 2)
    step = Step(StepName((term.label,)), "S2", inputs_of(term), term.outputs, {}, {}, Naive(lambda: (naive, {})),
                term.heads[0].beta / 2, tuple(scores))
    return Profile(inputs_of(term), term.outputs, domain, {b.name: LINE for b in term.outputs}, (step,))


def _through(form: Form, moved: Mapping[str, Mapping[str, Expr]]) -> dict[str, Expr]:
    result: dict[str, Expr] = {}
    for t in form.terms:
        for b, g in moved.get(t.ref.block, {}).items():
            result[b] = result.get(b, NIL) + summed(sp.Abs(t.coefficient), t.over) * g
    return {b: g for b, g in result.items() if not g.is_zero}


def _times(a: Interval, b: Interval) -> Interval:
    if a.lo == a.hi:
        return b.scaled(a.lo)
    if b.lo == b.hi:
        return a.scaled(b.lo)
    r = a.radius * b.radius
    return Interval(-r, r)


def _gain(ideal: Ideal) -> GainRow:
    """Slopes that are numbers keep their signs; of others only the radius counts."""
    if all(i.lo == i.hi and i.lo.is_number for v in ideal.slopes for _, i in v):
        return GainRow(tuple({b: signed_parts(i.lo) for b, i in v} for v in ideal.slopes))
    return GainRow(tuple({b: (radius(i), NIL) for b, i in v} for v in ideal.slopes), radial=True)


def _counted(errors: Errors, lemma: Lemma) -> Errors:
    """Errors of gates beside those of a lemma: where that is relative to the target, so must they be."""
    often = lemma.relative
    if often is None:
        return errors
    return {out: {s: i.scaled(often) for s, i in by_source.items()} for out, by_source in errors.items()}


def _approx(term: Approx, domain: Ranges) -> Profile:
    """Rule R8: error against the ideal = error of the lemma (exact ρ) + gate errors of the body.

    A sharper lemma for the gate in use (rule R9) replaces both, and the propagation stays visible as detail.
    """
    body = fold(term.body, domain)
    outputs = [b.name for b in body.outputs]
    gate = next((layer.gate for layer in layers_of(term.body)), None)
    sharper = dict(term.sharper).get(gate.name) if gate else None
    lemma: Lemma = sharper or term.lemma
    flows = body.flow()
    own: Errors = {out: dict(lemma.error) for out in outputs}
    gates = _counted(flows[-1].outgoing if flows else {}, lemma)
    if sharper is None:
        for out, errors in gates.items():
            own = {**own, out: {**own[out], **errors}}
    elif gate is not None and gate.leak is not None:
        # the lemma is about the gates as they are; leaks come on top, through the gates' own slopes (rule R10)
        for out, errors in _counted(fold(lower(term.body, gate.without_leaks()), domain).error(), lemma).items():
            own = {**own, out: {**own[out], **{source: i for source, i in errors.items() if source == LEAK}}}
    ideals = term.known_ideals
    if ideals.keys() != set(outputs):
        raise NotDerivable("R8", "an approximation", f"its outputs are {', '.join(outputs)}, its targets those of "
                                                     f"{', '.join(ideals)}")
    gain = {out: _gain(ideals[out]) for out in outputs}
    name = StepName(tuple(f"${out}$" for out in outputs), lemma=lemma.label)

    def naive() -> tuple[Matrix, Radii]:
        often = lemma.relative if lemma.relative is not None else ONE
        own_error, gates = total(dict(term.lemma.error)).radius, flows[-1].naive_outgoing
        return body.naive_matrix(), {out: own_error + often * gates.get(out, NIL) for out in outputs}

    step = Step(name, "R9" if sharper else "R8", body.inputs, body.outputs, gain, own, Naive(naive),
                largest(s.softmax_lipschitz for s in body.steps), (), True, lemma.keeps_ranges, (tuple(flows),),
                {out: {**dict(term.lemma.error), **gates[out]} for out in outputs} if sharper else {})
    # a sharper lemma builds on the first one and replaces what is known of single gates
    lemmas = (term.lemma, sharper) if sharper else (lemma, *(x for x in body.lemmas if x != lemma))
    return Profile(body.inputs, body.outputs, domain, {out: ideals[out].range for out in outputs}, (step,), lemmas)


# ---------------------------------------------------------------------------------------------------------------

def logit(flows: Sequence[Flow], by_lemma: bool = True) -> Expr:
    """β·(largest − smallest score), on the exact trajectory enlarged by the derived errors; ∞ if not bounded."""
    return largest([NIL, *(_product(beta, spread) for beta, spread in _spreads(_moves(flows), by_lemma))])


def _product(beta: Expr, spread: Expr) -> Expr:
    """Powers of a maximum are not multiplied out: a page of formulas would come of it."""
    if spread == sp.oo:
        return sp.oo
    return beta * spread if spread.has(sp.Max) else sp.expand(beta * spread)


def reach(flows: Sequence[Flow]) -> Expr:
    """The largest spread of scores, on the exact trajectory enlarged by the derived errors, leaks included."""
    return largest([NIL, *(spread for _, spread in _spreads(_moves(flows), by_lemma=False))])


Move = tuple[Step, Errors, Errors]      # a step, with the errors before and after it


def _spreads(moves: Iterable[Move], by_lemma: bool, enlarge: bool = True) -> Iterator[tuple[Expr, Expr]]:
    """(β, spread of the scores) of every head. `by_lemma`: believe lemmas which say that ranges are kept."""
    for step, before, after in moves:
        for inner in step.detail:
            # the detail is there for exact inputs
            inside = _moved((flow.step for flow in inner), before) if before else _moves(inner)
            yield from _spreads(inside, by_lemma, enlarge and not (by_lemma and step.keeps_ranges))
        for s in step.scores:
            moved = sp.Add(*(times(g, _reach(b, before, after)) for b, g in s.gain.items())) if enlarge else NIL
            yield s.beta, s.spread + moved if step.errors_rise or not enlarge else sp.oo


def _moves(flows: Iterable[Flow]) -> Iterator[Move]:
    return ((flow.step, flow.incoming, flow.outgoing) for flow in flows)


def _moved(steps: Iterable[Step], errors: Errors) -> Iterator[Move]:
    """The same for errors of which no flow is known."""
    for step in steps:
        before, errors = errors, advance(step, errors)
        yield step, before, errors


def _reach(block: str, before: Errors, after: Errors) -> Expr:
    """The largest error of a coordinate while a step goes on (inside a repeat errors rise)."""
    return largest((total(before.get(block, {})).radius, total(after.get(block, {})).radius))
