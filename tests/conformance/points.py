"""Where networks are evaluated: points of the domain of a bound at which something happens, and random ones.

What happens where is asked of the bound: the domain of every input, and the units of the first layer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp

from boundcalc.formulas.enclosure import exact_value
from boundcalc.lemmas.chords import EqualErrorKnots
from boundcalc.results.bound import Bound
from boundcalc.terms.linear import AffineMap, Ref, Weighted, at_row, compose, index_values
from boundcalc.terms.ranges import unit_top
from boundcalc.terms.term import (
    Affine,
    AlongSequence,
    Approx,
    Copies,
    Par,
    Ramps,
    Repeat,
    Seq,
    Term,
    Unit,
    layers_of,
    substitute,
)
from boundcalc.tune import numbers

F = Fraction
Point = list[Fraction]

MOST_WORK, LEAST_POINTS = 20_000, 25        # tokens × heads × queries × points of one case
PARTS = tuple(F(*x) for x in ((1, 50), (1, 8), (1, 4), (3, 8), (1, 2), (5, 8), (3, 4), (1, 1)))
WORST_SILU = F(12785, 10000)                # 1 + W(1/e): β times the input where a silu gate errs most


# ---------------------------------------------------------------------------------------------------------------
# the domain

def one_copy(b: Bound) -> int:
    """How many inputs one copy has."""
    return b.target_functions[0].inputs


def own_interval(b: Bound) -> tuple[Fraction, Fraction] | None:
    """Of the function itself, where it has one."""
    if b.construction.own_interval is None:
        return None
    v = b.values
    return (-v["M"], v["M"]) if "M" in v else (v["a"], v["b"])


def stretches(b: Bound) -> list[tuple[Fraction, Fraction]]:
    """Where something happens, for every input of one copy: its domain; on the whole line the interval of the function
    itself, or [−3, 5]."""
    usual = own_interval(b) or (F(-3), F(5))
    return [usual if low is None or high is None else (low, high) for low, high in b.domains()[:one_copy(b)]]


def inside(b: Bound, point: Sequence[Fraction]) -> bool:
    return all(low is None or high is None or low <= x <= high for x, (low, high) in zip(point, b.domains(), strict=False))


def moved_inside(b: Bound, point: Point) -> Point:
    return [x if low is None or high is None else min(high, max(low, x))
            for x, (low, high) in zip(point, b.domains(), strict=False)]


# ---------------------------------------------------------------------------------------------------------------
# the units

def exact(expr: sp.Expr) -> Fraction | None:
    """None where it is infinite."""
    value = sp.S(expr).doit()
    if value.is_infinite:
        return None
    return F(int(value.p), int(value.q)) if value.is_Rational else exact_value(value, {})     # an entry of a table


def concrete(b: Bound) -> dict[sp.Symbol, sp.Rational]:
    return {s: sp.Rational(v.numerator, v.denominator) for s, v in numbers(b.values).items()}


@dataclass(frozen=True)
class RampOfInputs:
    """A unit of the first layer: z = Σ weight·input + constant runs from `start` to `end` (None: as far as it can)."""

    weights: tuple[Fraction, ...]
    constant: Fraction
    start: Fraction
    end: Fraction | None

    def through(self, z: Fraction, others: Point) -> Point:
        """The point with this z that differs from the given one in the input of the largest weight."""
        k = max(range(len(self.weights)), key=lambda i: abs(self.weights[i]))
        rest = self.constant + sum(w * x for i, (w, x) in enumerate(zip(self.weights, others, strict=True)) if i != k)
        return [*others[:k], (z - rest) / self.weights[k], *others[k + 1:]]


def first_layer(term: Term) -> Ramps | None:
    """With everything before it in its `pre`; None where the inputs go elsewhere (a head of its own, a tree)."""
    match term:
        case Copies(body=body) | AlongSequence(body=body) | Approx(body=body):
            return first_layer(body)
        case Repeat(body=body, index=index):
            return first_layer(body) if index.count > 0 else None
        case Ramps():
            return term
        case Seq(parts=(Affine(map=m), *rest)) if rest:
            layer = first_layer(rest[0])
            return None if layer is None else Ramps(layer.label, compose(layer.pre, m), layer.units, layer.post,
                                                    ranges=layer.ranges)
        case Seq(parts=(first, *_)):
            return first_layer(first)
    return None


def ramps(b: Bound) -> list[RampOfInputs]:
    """The units of the first layer; of a family the first, the middle and the last."""
    layer = first_layer(substitute(b.analysis.term, concrete(b)))
    if layer is None:
        return []
    assert layer.ranges is not None
    ranges, places = dict(layer.ranges.before), input_places(b)
    made = []
    for unit in layer.units:
        every = list(index_values(unit.over))
        for values in [every[k] for k in sorted({0, len(every) // 2, len(every) - 1} & set(range(len(every))))]:
            member = substitute(unit, {s: sp.Integer(v) for s, v in values.items()})
            weights, constant = on_inputs(layer.pre, member, places)
            if any(weights):
                start = exact(member.low)
                assert start is not None
                end = exact(member.high) if member.bounded else exact(ranges[unit.of].hi)
                made.append(RampOfInputs(weights, constant, start, end))
    return made


def input_places(b: Bound) -> dict[Ref, int]:
    """Which input of a copy a coordinate of a block is."""
    found: dict[Ref, int] = {}
    for block, size in zip(b.construction.inputs, b.construction.sizes(b.values), strict=True):
        for k in range(size):
            found[Ref(block.name, (sp.Integer(k),) if block.size else ())] = len(found)
    return found


def on_inputs(pre: AffineMap, unit: Unit, places: dict[Ref, int]) -> tuple[tuple[Fraction, ...], Fraction]:
    form = at_row(pre, Ref(unit.of))
    weights = [F(0)] * len(places)
    for t in form.terms:
        for coefficient, ref in expanded(t):
            weights[places[ref]] += coefficient
    return tuple(weights), (exact(form.const) or F(0)) if form.const is not None else F(0)


def expanded(t: Weighted) -> Iterator[tuple[Fraction, Ref]]:
    for values in index_values(t.over):
        at = {s: sp.Integer(v) for s, v in values.items()}
        coefficient = exact(sp.S(t.coefficient).xreplace(at))
        assert coefficient is not None
        yield coefficient, Ref(t.ref.block, tuple(sp.S(a).xreplace(at) for a in t.ref.at))


def present_layers(term: Term) -> Iterator[Ramps]:
    """All layers, but not those of a repeat without a single level."""
    match term:
        case Seq(parts=parts) | Par(parts=parts):
            for part in parts:
                yield from present_layers(part)
        case Copies(body=body) | AlongSequence(body=body) | Approx(body=body):
            yield from present_layers(body)
        case Repeat(index=index) if index.count <= 0:
            pass
        case _:
            yield from layers_of(term)


def narrowest(b: Bound) -> Fraction:
    """The width of the narrowest ramp of any layer; members of a family share a grid, which is as wide as the widest."""
    widths = []
    for layer in present_layers(substitute(b.analysis.term, concrete(b))):
        assert layer.ranges is not None
        for unit in layer.units:
            width = exact(unit_top(unit, dict(layer.ranges.before)[unit.of]))
            assert width is not None
            widths.append(width)
    return min(widths)


# ---------------------------------------------------------------------------------------------------------------
# points

def worth_a_look(b: Bound, k: int) -> list[Fraction]:
    """Values of one input: ends, middle, kinks of a sawtooth, knots; and far outside, where inputs may be anything."""
    low, high = stretches(b)[k]
    width = high - low
    found = {low, high, (low + high) / 2, low + width / 3}
    teeth = min(int(b.values.get("m", 0)), 6) + 1
    found |= {low + width * i / 2**teeth for i in (1, 2, 2 ** (teeth - 1) - 1, 2**teeth - 1)}
    bounded = b.domains()[k][0] is not None
    if low <= 0 <= high or not bounded:
        found.add(F(0))
    if not bounded and own_interval(b) is not None:
        found |= {low - width * i for i in (F(1, 2), 1, 100)} | {high + width * i for i in (F(1, 2), 1, 100)}
    return sorted(found)


def along(b: Bound, ramp: RampOfInputs, most: Fraction) -> set[Fraction]:
    """Values of z all over a ramp: ends, where its gates are worst, and where anchors are."""
    start, end = ramp.start, ramp.end if ramp.end is not None else most
    found = {start, end, start + (end - start) * F(2, 7)}
    if "beta" in b.values:
        found |= {c + sign * k * WORST_SILU / b.values["beta"] for c in (start, end) for k in (1, F(1, 3), 4)
                  for sign in (-1, 1)}
    if "cells" in b.values:                                               # near ends and joints of heads
        cell, heads = (end - start) / b.values["cells"], b.values.get("H", F(1))
        around = {start, end, (start + end) / 2, (start + 3 * end) / 4}
        around |= {start + (end - start) * k / heads for k in (1, heads // 2, heads - 1)}
        found |= {c + sign * part * cell for c in around for part in PARTS for sign in (-1, 1)}
        supply = b.analysis.supply
        if heads > 1 and supply is not None and supply.sentinels:         # between what a head owns and its neighbour does
            owned = b.values[supply.tokens] - 2
            found |= {start + (k * owned - F(1, 2)) * cell for k in (1, heads // 2, heads - 1)}
    return found


def special_points(b: Bound, rng: random.Random) -> list[Point]:
    """Of one copy: what is worth a look, in all inputs; all over the units of the first layer; worst points of pieces."""
    one = one_copy(b)
    values = [worth_a_look(b, k) for k in range(one)]
    ends = [(v[0], v[-1]) for v in values]
    if one == 1:
        found = [[x] for x in values[0]]
    elif one == 2:
        found = [list(p) for p in product(*values)]
        rng.shuffle(found)
        found = [*found[:30], *(list(p) for p in product(*ends))]
    else:
        low, high = [e[0] for e in ends], [e[1] for e in ends]
        found = [low, high, [high[0], *low[1:]], [*low[:-1], high[-1]]]
        found += [[rng.choice(v) for v in values] for _ in range(10)]
    centre = [(low + high) / 2 for low, high in stretches(b)]
    for ramp in ramps(b):
        most = max(ramp.constant + sum(w * x for w, x in zip(ramp.weights, p, strict=True)) for p in (*found, centre))
        z = sorted(along(b, ramp, most))
        others = [centre] * len(z) if one == 1 else [[rng.choice(v) for v in values] for _ in z]
        found += [p for value, base in zip(z, others, strict=True) for p in (ramp.through(value, base),) if inside(b, p)]
    return found + [[x] for x in piece_points(b)]


def piece_points(b: Bound) -> list[Fraction]:
    """Knots of chords with equal errors, and the worst points between them."""
    rule = b.construction.pieces(b.analysis.route)
    if not isinstance(rule, EqualErrorKnots):
        return []
    (low, high), = stretches(b)
    count = int(b.values[rule.name])
    left, step = low - b.values["delta"], b.values[rule.step]
    u = [1 - i * step for i in range(count + 1)]
    found = {y for i in {0, 1, count // 2, count - 1} for y in (left / u[i] ** 2, left / (u[i] * u[i + 1]))}
    return sorted(x for x in found if low <= x <= high)


def witness(b: Bound) -> Point | None:
    """The point where the tight bound of the route is attained (one copy), moved into the domain if it fits there."""
    find = b.analysis.how.witness
    if find is None or "beta" not in b.values:
        return None
    point = list(find(b.values))
    low, high = b.domains()[0]
    if b.construction.counted and low is not None and high is not None and max(point) - min(point) <= high - low:
        shift = high - max(point)                                         # max and min do not mind a common shift
        point = [x + shift for x in point]
    return point


def points(b: Bound, random_points: int = 12) -> list[tuple[Point, Point]]:
    """(exact point, point with input errors of at most δ) in the domain; the same every time."""
    rng = random.Random(repr(sorted((k, str(v)) for k, v in b.values.items())))
    where = stretches(b)
    chosen = special_points(b, rng)

    def anywhere() -> Point:
        return moved_inside(b, [low + (high - low) * (F(1, 2) + F(rng.randrange(-10**9, 10**9 + 1), 10**9))
                                for low, high in where])

    chosen += [anywhere() for _ in range(random_points)]
    near = anywhere()                                                     # nearly equal entries: where soft maxima err
    width = max(high - low for low, high in where)
    reach = width / (2 * b.values["cells"]) if "cells" in b.values else 1 / b.values.get("beta", F(1000))
    chosen += [moved_inside(b, [x + F(rng.randrange(-3000, 3001), 1000) * reach for x in [rng.choice(near)] * len(near)])
               for _ in range(random_points)]
    attained = witness(b)
    if attained is not None and inside(b, attained):
        chosen.append(attained)
    return perturbed(b, limited(b, side_by_side(b, chosen), rng), rng)


def side_by_side(b: Bound, chosen: list[Point]) -> list[Point]:
    """Points of all copies, and of all tokens of a sequence."""
    groups = b.input_count() // one_copy(b)
    whole = [[x for j in range(groups) for x in chosen[(k + j * 7) % len(chosen)]] for k in range(len(chosen))]
    if "L" not in b.values:
        return whole
    values = [worth_a_look(b, k) for k in range(one_copy(b))]             # what leaks is worst from extreme neighbours
    ends = [[v[0] for v in values], [v[-1] for v in values]]
    return whole[::2] + [point + end * (groups - 1) for point in chosen[::4] for end in ends]


def limited(b: Bound, whole: list[Point], rng: random.Random) -> list[Point]:
    """Of large networks as many as time allows."""
    work = int(b.values.get("L", 1)) * b.network.tokens * b.network.heads * (4 if b.values["delta"] else 1)
    most = max(MOST_WORK // max(1, work), LEAST_POINTS)
    return rng.sample(whole, most) if len(whole) > most else whole


def perturbed(b: Bound, whole: list[Point], rng: random.Random) -> list[tuple[Point, Point]]:
    delta = b.values["delta"]
    if not delta:
        return [(exact, exact) for exact in whole]
    return [(exact, [x + s for x, s in zip(exact, shifts, strict=True)]) for exact in whole for shifts in (
        [delta] * len(exact), [-delta] * len(exact), [rng.choice((-delta, F(0), delta)) for _ in exact],
        [delta * rng.randrange(-1000, 1001) / 1000 for _ in exact])]
