"""Fold a term into a profile: the errors, gains and ranges of its structured form (counts are in flatten.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import sympy as sp
from sympy import Expr

from .algebra import (
    NIL,
    Errors,
    GainRow,
    Profile,
    Scores,
    Slope,
    Step,
    advance,
    beside,
    fold_tree,
    linear_row,
    repeat,
    then,
    total,
)
from .errors import NotDerivable
from .interval import LINE, POINT, Interval, hull, largest, positive_part, times
from .lemma import Lemma
from .linear import AffineMap, Form, Index, Ref, Rows, Weighted, at_row
from .network import (
    Affine,
    Approx,
    Attention,
    Copies,
    Layer,
    Par,
    Repeat,
    Seq,
    Term,
    Tree,
    depth,
    inputs_of,
    layers_of,
    outputs_of,
)
from .series import sum_over

Ranges = Mapping[str, Interval]
GATES = "gates"


def derive(term: Term, domain: Ranges) -> Profile:
    """The profile of a term whose inputs lie in `domain` (a range per input block)."""
    match term:
        case Affine():
            return _affine(term, domain)
        case Layer():
            return _layer(term, domain)
        case Attention():
            return _attention(term, domain)
        case Seq(parts=parts):
            profile = derive(parts[0], domain)
            for part in parts[1:]:
                profile = then(profile, derive(part, profile.range))
            return profile
        case Par(parts=parts):
            first, *rest = (derive(p, {b.name: domain[b.name] for b in inputs_of(p)}) for p in parts)
            for other in rest:
                first = beside(first, other)
            return first
        case Repeat():
            return _repeat(term, domain)
        case Copies(body=body):                     # rule R6: every copy has the errors of one
            return replace(derive(body, domain), inputs=inputs_of(term), outputs=outputs_of(term))
        case Tree():
            return _tree(term, domain)
        case Approx():
            return _approx(term, domain)


# ---------------------------------------------------------------------------------------------------------------
# rule R1: affine maps are exact

def _affine(term: Affine, domain: Ranges) -> Profile:
    slopes: dict[str, list[Slope]] = {}
    ranges: dict[str, list[Interval]] = {}
    for r in term.map.rows:
        slopes.setdefault(r.block, []).append(masses(_uniform(r)))
        ranges.setdefault(r.block, []).append(form_range(r.form, domain))
    gain = {b: GainRow(tuple(s)) for b, s in slopes.items()}
    step = Step(term.label, "R1", term.map.inputs, term.map.outputs, gain, {},
                {b: row.lipschitz() for b, row in gain.items()}, {})
    return Profile(term.map.inputs, term.map.outputs, domain, {b: hull(r) for b, r in ranges.items()}, (step,))


def masses(form: Form) -> Slope:
    """A linear form as a slope vector: its positive and negative mass on every block."""
    result: dict[str, tuple[Expr, Expr]] = {}
    for t in form.terms:
        p, n = result.get(t.ref.block, (NIL, NIL))
        more, less = _masses(t)
        result[t.ref.block] = (p + more, n + less)
    return result


def _masses(t: Weighted) -> tuple[Expr, Expr]:
    """The positive and the negative part of a coefficient, summed over the term's own indices."""
    return _summed(positive_part(t.coefficient), t.over), _summed(positive_part(-t.coefficient), t.over)


def _summed(value: Expr, over: tuple[Index, ...]) -> Expr:
    for index in over:
        value = sum_over(value, index)
    return value


def _uniform(row: Rows) -> Form:
    """The form of a row family whose members are all alike up to the names of their coordinates."""
    indices = {i.symbol for i in row.over}
    values = [t.coefficient for t in row.form.terms] + ([] if row.form.const is None else [row.form.const])
    if any(v.free_symbols & indices for v in values):
        raise NotDerivable("R1", f"the rows of {row.block}", "their coefficients depend on the index of the row")
    return row.form


def form_range(form: Form, ranges: Ranges, special: Mapping[Ref, Interval] | None = None) -> Interval:
    """All values of a form with every coordinate in its range (coordinates in `special` in a narrower one)."""
    constant = form.const if form.const is not None else NIL
    out = Interval(constant, constant)
    for t in form.terms:
        given = (special or {}).get(t.ref, ranges.get(t.ref.block, LINE))
        out = out + given.weighted(*_masses(t))
    return Interval(_reduced(out.lo), _reduced(out.hi))


def _reduced(end: Expr) -> Expr:
    """Quotients such as (c + h − c)/(2h), which a scaled domain produces, become numbers."""
    return sp.expand(end) if end.is_Add else end


# ---------------------------------------------------------------------------------------------------------------
# rule R2: a layer, with the slope of each unit in {0, 1}

@dataclass(frozen=True)
class Piece:
    """A row of a layer with every unit decided (0 or the identity), as a form on the inputs and as one on u = pre(v).

    The first knows how the coordinates of u hang together, the second how the decision narrows their ranges.
    """

    on_inputs: Form
    on_state: Form
    narrowed: Mapping[Ref, Interval]

    @property
    def taken(self) -> bool:
        """Whether exact values can take this decision. Perturbed ones may take any, so slopes must not ask."""
        return not any((i.hi - i.lo).is_negative for i in self.narrowed.values())


def _layer(layer: Layer, domain: Ranges) -> Profile:
    gate_error = layer.gate.error if layer.gate else POINT
    before = {r.block: form_range(_uniform(r), domain) for r in layer.pre.rows}
    slopes: dict[str, list[Slope]] = {}
    errors: dict[str, list[Interval]] = {}
    ranges: dict[str, list[Interval]] = {}
    naive: dict[str, list[dict[str, Expr]]] = {}
    inputs_of_units = {u.name: u.of for u in layer.units}
    for row in layer.post.rows:
        _uniform(row)
        pieces = _pieces(layer, row, before)
        slopes.setdefault(row.block, []).extend(masses(p.on_inputs) for p in pieces)
        taken = [p for p in pieces if p.taken]
        ranges.setdefault(row.block, []).append(
            hull(form_range(p.on_inputs, domain) for p in taken).meet(
                hull(form_range(p.on_state, before, p.narrowed) for p in taken)))
        error = POINT
        own: dict[str, Expr] = {}
        for t in row.form.terms:
            unit = t.ref.block in inputs_of_units
            source = inputs_of_units.get(t.ref.block, t.ref.block)
            factor = sp.Integer(1)
            if unit:
                error = error + gate_error.weighted(*_masses(t))
                if layer.gate:
                    factor = layer.gate.naive_gain(_distance_to_zero(before[source]))
            for block, (p, n) in masses(at_row(layer.pre, Ref(source, t.ref.at))).items():
                own[block] = own.get(block, NIL) + times(_summed(sp.Abs(t.coefficient), t.over), factor * (p + n))
        errors.setdefault(row.block, []).append(error)
        naive.setdefault(row.block, []).append(own)
    own_error: Errors = {b: {GATES: hull(e)} for b, e in errors.items() if hull(e) != POINT}
    beta = layer.gate.beta if layer.gate else NIL
    scores = () if beta.is_zero else tuple(
        Scores(beta, _distance_to_zero(before[u.of]), _norms(layer.pre, u.of)) for u in layer.units)
    step = Step(layer.label, "R2", layer.pre.inputs, layer.post.outputs,
                {b: GainRow(tuple(_distinct(s))) for b, s in slopes.items()}, own_error,
                {b: _largest(rows) for b, rows in naive.items()},
                {b: e[GATES].radius for b, e in own_error.items()}, beta / 2, scores)
    lemmas = (layer.gate.lemma,) if layer.gate and layer.gate.lemma else ()
    return Profile(layer.pre.inputs, layer.post.outputs, domain, {b: hull(r) for b, r in ranges.items()}, (step,),
                   lemmas)


def _pieces(layer: Layer, row: Rows, before: Ranges) -> list[Piece]:
    """The affine pieces of one output row, for every decision of the units in it."""
    of = {u.name: u.of for u in layer.units}
    units = [t for t in row.form.terms if t.ref.block in of]
    plain = Form(tuple(t for t in row.form.terms if t.ref.block not in of), row.form.const)
    pieces = []
    for active in product((False, True), repeat=len(units)):
        form, narrowed = plain, {}
        for t, on in zip(units, active, strict=True):
            z = Ref(of[t.ref.block], t.ref.at)
            if on:
                form = form + Form((replace(t, ref=z),))
            if not t.over:
                whole = before[z.block]
                narrowed[z] = Interval(positive_part(whole.lo), whole.hi) if on else Interval(
                    whole.lo, -positive_part(-whole.hi))
        pieces.append(Piece(_on_inputs(layer.pre, form), form, narrowed))
    return pieces


def _on_inputs(pre: AffineMap, form: Form) -> Form:
    result = Form((), form.const)
    for t in form.terms:
        result = result + at_row(pre, t.ref, t.over) * t.coefficient
    return result


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


def _distance_to_zero(i: Interval) -> Expr:
    """How far a value of this range and the sink's value 0 can be apart."""
    return i.radius if i.bounded else sp.oo


# ---------------------------------------------------------------------------------------------------------------
# rules R5, R7: repeats and trees

def _repeat(term: Repeat, domain: Ranges) -> Profile:
    """The body on a range that it maps into itself, found by dropping what is not invariant (rule R5)."""
    if term.index.count.is_Integer and term.index.count <= 0:
        return Profile(inputs_of(term), outputs_of(term), domain, domain, ())
    ranges: Ranges = domain
    for _ in range(len(domain) + 1):
        body = derive(term.body, ranges)
        kept = {b: i if body.range.get(b, LINE).inside(i) else LINE for b, i in ranges.items()}
        if kept == ranges:
            break
        ranges = kept
    index = term.index
    label = f"{body.steps[0].label}, {index}"
    return replace(repeat(body, index, label), domain=domain)


def _tree(term: Tree, domain: Ranges) -> Profile:
    leaf = domain[term.block]
    left, right = (b.name for b in term.body.pre.inputs)
    body = derive(term.body, {left: leaf, right: leaf})
    (out,) = body.range.values()
    if not out.inside(leaf):
        raise NotDerivable("R7", term.label, "the body does not map the range of the leaves into itself")
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
    step = Step(term.label, "S2", inputs_of(term), term.outputs, {}, {}, naive, {}, term.heads[0].beta / 2,
                tuple(scores))
    return Profile(inputs_of(term), term.outputs, domain, {b.name: LINE for b in term.outputs}, (step,))


def _through(form: Form, moved: Mapping[str, Mapping[str, Expr]]) -> dict[str, Expr]:
    result: dict[str, Expr] = {}
    for t in form.terms:
        for b, g in moved.get(t.ref.block, {}).items():
            result[b] = result.get(b, NIL) + _summed(sp.Abs(t.coefficient), t.over) * g
    return {b: g for b, g in result.items() if not g.is_zero}


def _times(a: Interval, b: Interval) -> Interval:
    if a.lo == a.hi:
        return b.scaled(a.lo)
    if b.lo == b.hi:
        return a.scaled(b.lo)
    r = a.radius * b.radius
    return Interval(-r, r)


def _approx(term: Approx, domain: Ranges) -> Profile:
    """Rule R8: error against the ideal = error of the lemma (exact ρ) + gate errors of the body.

    A sharper lemma for the gate in use (rule R9) replaces both, and the propagation stays visible as detail.
    """
    body = derive(term.body, domain)
    outputs = [b.name for b in body.outputs]
    gate = next((layer.gate for layer in layers_of(term.body)), None)
    sharper = dict(term.sharper).get(gate.name) if gate else None
    lemma: Lemma = sharper or term.lemma
    own: Errors = {out: dict(lemma.error) for out in outputs}
    if sharper is None:
        for out, errors in body.error().items():
            own = {**own, out: {**own[out], **errors}}
    ideal = term.ideal
    row = (GainRow(tuple({b.name: (ideal.gain, NIL)} for b in body.inputs)) if ideal.convex
           else linear_row({b.name: ideal.gain for b in body.inputs}))
    gain = dict.fromkeys(outputs, row)
    flows = body.flow()
    step = Step(f"{ideal.text}, lemma {lemma.label}", "R9" if sharper else "R8", body.inputs, body.outputs, gain, own,
                body.naive_matrix(),
                {out: total(dict(term.lemma.error)).radius + flows[-1].naive_outgoing.get(out, NIL) for out in outputs},
                largest(s.softmax_lipschitz for s in body.steps), (), True, lemma.keeps_ranges, (body.steps,))
    # a sharper lemma builds on the first one and replaces what is known of single gates
    lemmas = (term.lemma, sharper) if sharper else (lemma, *(x for x in body.lemmas if x != lemma))
    return Profile(body.inputs, body.outputs, domain, dict.fromkeys(outputs, ideal.range), (step,), lemmas,
                   body.conditions)


# ---------------------------------------------------------------------------------------------------------------

def logit(steps: tuple[Step, ...], incoming: Errors, enlarge: bool = True) -> Expr:
    """β·(largest − smallest score), on the exact trajectory enlarged by the derived errors; ∞ if not bounded."""
    bounds = [NIL]
    errors: Errors = incoming
    for step in steps:
        after = advance(step, errors)
        bounds += [logit(inner, errors, enlarge and not step.keeps_ranges) for inner in step.detail]
        for s in step.scores:
            moved = sp.Add(*(times(g, _reach(b, errors, after)) for b, g in s.gain.items())) if enlarge else NIL
            bounds.append(sp.expand(s.beta * (s.spread + moved)) if step.errors_rise or not enlarge else sp.oo)
        errors = after
    return largest(bounds)


def _reach(block: str, before: Errors, after: Errors) -> Expr:
    """The largest error of a coordinate while a step goes on (inside a repeat errors rise)."""
    return largest((total(before.get(block, {})).radius, total(after.get(block, {})).radius))
