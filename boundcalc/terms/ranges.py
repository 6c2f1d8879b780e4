"""Ranges of exact values: what every coordinate can be on the exact trajectory, for inputs in a given domain.

`with_ranges` writes them into the term: a gate that works on an interval only must know it before it is realised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from ..formulas.index import Index
from ..formulas.interval import LINE, Interval, hull, positive_part, signed_parts
from ..formulas.series import max_over, sum_over
from ..formulas.tables import parts_of
from ..records import dataclass
from .given import GivenNetwork
from .linear import AffineMap, Form, Ref, Rows, Weighted, at_row
from .term import (
    Affine,
    AlongSequence,
    Approx,
    Attention,
    Copies,
    Par,
    RampRanges,
    Ramps,
    Repeat,
    Seq,
    Term,
    Tree,
    Unit,
    inputs_of,
)

Ranges = Mapping[str, Interval]
NIL = sp.S.Zero
FEW_UNITS = 6           # of a row, whose decisions are looked at one by one


# ---------------------------------------------------------------------------------------------------------------
# linear forms

def masses(form: Form) -> dict[str, tuple[Expr, Expr]]:
    """A linear form as a slope vector: its positive and negative mass on every block."""
    result: dict[str, tuple[Expr, Expr]] = {}
    for t in form.terms:
        p, n = result.get(t.ref.block, (NIL, NIL))
        more, less = masses_of(t)
        result[t.ref.block] = (p + more, n + less)
    return result


def masses_of(t: Weighted) -> tuple[Expr, Expr]:
    """The positive and the negative part of a coefficient, summed over the term's own indices."""
    positive, negative = signed_parts(t.coefficient)
    return summed(positive, t.over), summed(negative, t.over)


def summed(value: Expr, over: tuple[Index, ...]) -> Expr:
    for index in over:
        value = sum_over(value, index)
    return value


def uniform(row: Rows) -> Form:
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
        out = out + given.weighted(*masses_of(t))
    return Interval(_reduced(out.lo), _reduced(out.hi))


def _reduced(end: Expr) -> Expr:
    """Quotients such as (c + h − c)/(2h), which a scaled domain produces, become numbers."""
    return sp.expand(end) if end.is_Add else end


def map_ranges(m: AffineMap, domain: Ranges) -> dict[str, Interval]:
    found: dict[str, list[Interval]] = {}
    for r in m.rows:
        found.setdefault(r.block, []).append(form_range(uniform(r), domain))
    return {b: hull(i) for b, i in found.items()}


# ---------------------------------------------------------------------------------------------------------------
# layers, piece by piece

@dataclass(frozen=True)
class Piece:
    """A row of a layer with every unit decided, as a form on the inputs and as one on u = pre(v).

    The first knows how the coordinates of u hang together, the second how the decision narrows their ranges.
    """

    on_inputs: Form
    on_state: Form
    narrowed: Mapping[Ref, Interval]

    @property
    def taken(self) -> bool:
        """Whether exact values can take this decision. Perturbed ones may take any, so slopes must not ask."""
        return not any((i.hi - i.lo).is_negative for i in self.narrowed.values())


def slopes_of(layer: Ramps, row: Rows, before: Ranges) -> list[Form]:
    """Forms on the inputs whose hull contains every slope of one output row, at exact and at perturbed inputs."""
    if layer.gate is None or layer.gate.slopes == (NIL, sp.S.One):
        return [p.on_inputs for p in pieces(layer, row, before)]
    units = {u.name: u for u in layer.units}
    plain = Form(tuple(t for t in row.form.terms if t.ref.block not in units))
    found = []
    gated = [t for t in row.form.terms if t.ref.block in units]
    for t in gated:
        _check_one_sign(t, units[t.ref.block])
    for chosen in product(layer.gate.slopes, repeat=len(gated)):
        form = plain
        for slope, t in zip(chosen, gated, strict=True):
            form = form + Form((replace(t, ref=units[t.ref.block].source(t.ref.at)[0], coefficient=slope * t.coefficient),))
        found.append(on_inputs(layer.pre, form))
    return found


def pieces(layer: Ramps, row: Rows, before: Ranges) -> list[Piece]:
    """The affine pieces of one output row, for every decision of the units in it: below its ramp, on it, above it.

    A sum over a family of units is decided as a whole; the masses of any other decision lie between."""
    units = {u.name: u for u in layer.units}
    plain = Form(tuple(t for t in row.form.terms if t.ref.block not in units), row.form.const)
    found = []
    for decision in product(*(_decisions(t, units[t.ref.block], before) for t in row.form.terms if t.ref.block in units)):
        form = plain
        narrowed: dict[Ref, Interval] = {}
        for ramp, z, where in decision:
            form = form + ramp
            if where is not None:
                narrowed[z] = narrowed[z].meet(where) if z in narrowed else where
        found.append(Piece(on_inputs(layer.pre, form), form, narrowed))
    return found


def _decisions(t: Weighted, unit: Unit, before: Ranges) -> list[tuple[Form, Ref, Interval | None]]:
    """What one unit can contribute: a form, and where its input is then (not known for a family)."""
    z, low, high = unit.source(t.ref.at)
    if t.over:
        both = _unlike(t)
        if both is None:
            _check_one_sign(t, unit)
        parts = [t.coefficient] if both is None else [t.coefficient, both[0], -both[1]]
        return [(Form(), z, None), *((Form((replace(t, ref=z, coefficient=c),)), z, None) for c in parts)]
    whole, c = before[z.block], t.coefficient
    ramp: list[tuple[Form, Ref, Interval | None]] = [
        (Form(), z, Interval(whole.lo, _lower_of(whole.hi, low))),
        (Form((replace(t, ref=z),), None if low.is_zero else -c * low), z,
         Interval(_upper_of(whole.lo, low), _lower_of(whole.hi, high)))]
    if unit.bounded:
        ramp.append((Form((), c * (high - low)), z, Interval(_upper_of(whole.lo, high), whole.hi)))
    return ramp


def _unlike(t: Weighted) -> tuple[Expr, Expr] | None:
    """Positive and negative part of a table's numbers, whose signs are not known: then the members of either sign are
    decided together."""
    return None if t.coefficient.is_nonnegative or t.coefficient.is_nonpositive else parts_of(t.coefficient)


def _check_one_sign(t: Weighted, unit: Unit) -> None:
    """A family is decided as a whole, which is right only if its members pull in the same direction."""
    if t.over and not (t.coefficient.is_nonnegative or t.coefficient.is_nonpositive):
        raise NotDerivable("R2", f"a sum over units {unit.name}", "its coefficients are not known to have one sign")


def _upper_of(x: Expr, y: Expr) -> Expr:
    """max(x, y), decided by sign where the sign is known."""
    return x if y == -sp.oo else y + positive_part(x - y)


def _lower_of(x: Expr, y: Expr) -> Expr:
    return x if y == sp.oo else y - positive_part(y - x)


def on_inputs(pre: AffineMap, form: Form) -> Form:
    """A form of u = pre(v) as one of v."""
    result = Form((), form.const)
    for t in form.terms:
        result = result + at_row(pre, t.ref, t.over) * t.coefficient
    return result


def layer_ranges(layer: Ramps, domain: Ranges) -> RampRanges:
    before = map_ranges(layer.pre, domain)
    units = {u.name: u for u in layer.units}
    after: dict[str, list[Interval]] = {}
    for row in layer.post.rows:
        uniform(row)
        families = [t for t in row.form.terms if t.ref.block in units and t.over]
        if (many := [t for t in row.form.terms if t.ref.block in units and not t.over]) and len(many) > FEW_UNITS:
            families += many                    # too many decisions: unit by unit
        single = replace(row, form=Form(tuple(t for t in row.form.terms if t not in families), row.form.const))
        taken = [p for p in pieces(layer, single, before) if p.taken]
        found = hull(form_range(p.on_inputs, domain) for p in taken).meet(
            hull(form_range(p.on_state, before, p.narrowed) for p in taken))
        for t in families:          # every unit of a family lies between 0 and the most that any of them can be
            unit = units[t.ref.block]
            bottom = NIL if t.over else unit_at(unit, before[unit.of].lo)
            found = found + Interval(bottom, unit_top(unit, before[unit.of])).weighted(*masses_of(t))
        low, high = found.lo, found.hi
        for index in row.over:      # thresholds may depend on the row
            low, high = -max_over(-low, index), max_over(high, index)
        after.setdefault(row.block, []).append(Interval(_reduced(low), _reduced(high)))
    return RampRanges(tuple(domain.items()), tuple(before.items()), tuple((b, hull(i)) for b, i in after.items()))


def unit_top(unit: Unit, z: Interval) -> Expr:
    """The largest value of a unit (of any member of a family) whose input lies in z."""
    if unit.bounded:
        return unit.high - unit.low
    top = z.hi - unit.low
    for index in unit.over:
        top = max_over(top, index)
    return positive_part(sp.factor(top) if unit.over else top)      # factors have signs that a difference hides


def unit_at(unit: Unit, z: Expr) -> Expr:
    """A single unit at a number, or a lower bound of it."""
    if not (z.is_Rational and unit.low.is_Rational and (unit.high.is_Rational or not unit.bounded)):
        return NIL
    return sp.Min(sp.Max(z, unit.low), unit.high) - unit.low


# ---------------------------------------------------------------------------------------------------------------
# terms

def with_ranges(term: Term, domain: Ranges) -> tuple[Term, Ranges]:
    """The term with the ranges of its layers written in, and the range of its output."""
    match term:
        case Affine(map=m):
            return term, map_ranges(m, domain)
        case Ramps():
            found = layer_ranges(term, domain)
            return replace(term, ranges=found), dict(found.after)
        case Attention(outputs=outputs):
            return term, {b.name: LINE for b in outputs}
        case GivenNetwork(reduced=reduced, outputs=outputs):        # its layers know their ranges
            return term, {b.name: Interval(*(sp.Rational(int(x.p), int(x.q)) for x in ends))
                          for b, ends in zip(outputs, reduced.ranges, strict=True)}
        case Seq(parts=parts):
            done = []
            for part in parts:
                part, domain = with_ranges(part, domain)
                done.append(part)
            return Seq(tuple(done)), domain
        case Par(parts=parts):
            pairs = [with_ranges(p, {b.name: domain[b.name] for b in inputs_of(p)}) for p in parts]
            return Par(tuple(p for p, _ in pairs)), {b: i for _, r in pairs for b, i in r.items()}
        case Copies(body=body) | AlongSequence(body=body):
            inner, after = with_ranges(body, domain)
            return replace(term, body=inner), after
        case Repeat():
            return _repeat(term, domain)
        case Tree(body=body, block=block):
            leaf = domain[block]
            inner, after = with_ranges(body, {b.name: leaf for b in inputs_of(body)})
            (out,) = after.values()
            if not out.inside(leaf):
                raise NotDerivable("R7", term.label, "the body does not map the range of the leaves into itself")
            assert isinstance(inner, Ramps)
            return replace(term, body=inner), {block: hull([leaf, out])}
        case Approx(body=body):
            inner, after = with_ranges(body, domain)
            return replace(term, body=inner), {b: i.range for b, i in term.known_ideals.items()}


def _repeat(term: Repeat, domain: Ranges) -> tuple[Term, Ranges]:
    """A range that the body maps into itself, found by dropping what is not invariant (rule R5)."""
    if term.index.count.is_Integer and term.index.count <= 0:
        return term, domain
    ranges = domain
    for _ in range(len(domain) + 1):
        inner, after = with_ranges(term.body, ranges)
        kept = {b: i if after.get(b, LINE).inside(i) else LINE for b, i in ranges.items()}
        if kept == ranges:
            return replace(term, body=inner, invariant=tuple(ranges.items())), ranges
        ranges = kept
    raise NotDerivable("R5", "a repeat", "no invariant range was found")
