"""A tree over a box of balls: value, gradient, and for one input the second derivative. Everything comes out enclosed.

Where a maximum or |x| has a kink inside the box, its gradient is the union of those on both sides: the generalised gradient,
for which the mean value theorem holds. A second derivative does not exist there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from flint import arb

from .enclosure import Undecided
from .functions import ONE, ZERO, square
from .target_tree import Apply, Constant, Coordinate, Linear, MaxOrMin, Product, Special, TargetTree


@dataclass(frozen=True)
class Jet:
    """`gradient` has the coordinates on which the value depends; `second` belongs to a tree of one input."""

    value: arb
    gradient: dict[int, arb]
    second: arb


def value_over(tree: TargetTree, box: Sequence[arb]) -> arb:
    return jet(tree, box, 0).value


def jet(tree: TargetTree, box: Sequence[arb], order: int) -> Jet:
    """`order` 0: the value; 1: the gradient too; 2: the second derivative too."""
    match tree:
        case Constant(value=x):
            return Jet(arb(x), {}, ZERO)
        case Special(name=name):
            return Jet(arb.pi() if name == "pi" else arb.const_e(), {}, ZERO)
        case Coordinate(index=k):
            return Jet(box[k], {k: ONE} if order else {}, ZERO)
        case Linear(constant=constant, terms=terms):
            value, gradient, second = arb(constant), dict[int, arb](), ZERO
            for c, t in terms:
                part = jet(t, box, order)
                value = value + c * part.value
                for k, g in part.gradient.items():
                    gradient[k] = gradient[k] + c * g if k in gradient else c * g
                second = second + c * part.second if order > 1 else second
            return Jet(value, gradient, second)
        case Product(factors=factors):
            return reduce(lambda f, g: _product(f, g, order), (jet(f, box, order) for f in factors))
        case MaxOrMin():
            return _extremum(tree, box, order)
        case Apply(function=f, argument=argument):
            inner = jet(argument, box, order)
            value = f.over(inner.value)
            if not order or not inner.gradient:
                return Jet(value, {}, ZERO)
            slope = f.first(inner.value)
            gradient = {k: slope if g is ONE else slope * g for k, g in inner.gradient.items()}
            if order == 1:
                return Jet(value, gradient, ZERO)
            (own,) = inner.gradient.values()
            return Jet(value, gradient, f.second(inner.value) * square(own) + slope * inner.second)


def _product(f: Jet, g: Jet, order: int) -> Jet:
    gradient: dict[int, arb] = {}
    for k in (*f.gradient, *(k for k in g.gradient if k not in f.gradient)):
        parts = [*([_scaled(f.gradient[k], g.value)] if k in f.gradient else []),
                 *([_scaled(g.gradient[k], f.value)] if k in g.gradient else [])]
        gradient[k] = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    second = ZERO
    if order > 1:
        second = f.second * g.value + f.value * g.second
        if f.gradient and g.gradient:
            (a,), (b,) = f.gradient.values(), g.gradient.values()
            second = second + 2 * a * b
    return Jet(f.value * g.value, gradient, second)


def _scaled(slope: arb, factor: arb) -> arb:
    return factor if slope is ONE else slope * factor


def _extremum(tree: MaxOrMin, box: Sequence[arb], order: int) -> Jet:
    parts = [jet(t, box, order) for t in tree.parts]
    best = reduce(arb.max if tree.sign > 0 else arb.min, (p.value for p in parts))
    if not order:
        return Jet(best, {}, ZERO)
    possible = [p for p in parts if not (p.value < best if tree.sign > 0 else p.value > best)]
    if len(possible) == 1:
        return Jet(best, possible[0].gradient, possible[0].second)
    if order > 1:
        raise Undecided("A maximum or minimum has no second derivative at its kink.")
    gradient: dict[int, arb] = {}
    for k in dict.fromkeys(k for p in possible for k in p.gradient):
        found = [p.gradient.get(k, ZERO) for p in possible]
        gradient[k] = reduce(arb.union, found[1:], found[0])
    return Jet(best, gradient, ZERO)
