"""`--minimize`: the integers of a route and its gate for which one resource is least.

Levels and pieces make networks deeper or wider, and leave more of ε to the gates, which then need fewer anchors or a
smaller β. So the fewest are best for layers and heads, and for everything else where gates have neither. What is left is
searched: the bound is derived for one integer after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import sympy as sp

from ..errors import Infeasible, InvalidInput, echo
from ..formulas.symbols import symbol
from ..gates.anchor_grid import AnchorGate
from ..terms.gate import Gate
from ..tune import Aim, Choice
from ..tune.choice import LeastResource, NearLeast
from ..tune.pieces import CLOSE, least_that
from ..tune.sides import BETA, fixed_gates
from .bound import Bound

RESOURCES = ("layers", "heads", "tokens", "parameters", "beta")         # ties are decided in this order
LEVELS = 64         # each gains a factor 4 at least: after 64 more nothing changes that could be noticed
DOUBLINGS = 40      # of a number of pieces
FEW = 24            # numbers that are tried one by one

Values = Mapping[str, Fraction]
Costs = tuple[Fraction, ...]


def check_wish(wish: str) -> None:
    if wish not in RESOURCES:
        raise InvalidInput(f"There is no resource '{echo(wish)}' to minimize.", f"Known are {', '.join(RESOURCES)}.",
                           {"--minimize": RESOURCES[0]})


def minimised(derive: Callable[..., Bound], integers: Sequence[str], gate: Gate | None, given: Values, wish: str) -> Bound:
    """`derive(more, aim, pairs)` derives the bound with more given; `pairs`: with two tokens a head."""
    check_wish(wish)
    many = gate.supply if isinstance(gate, AnchorGate) and gate.supply.heads is not None else None
    counts_free = many is not None and many.tokens not in given and many.heads not in given
    supply = gate.supply if isinstance(gate, AnchorGate) else None
    anchors_given = supply is not None and all(name in given for name in (supply.tokens, supply.heads) if name)
    free = [name for name in integers if name not in given and not anchors_given and not fixed_gates(given)]
    if "eps" not in given or not (free or isinstance(gate, AnchorGate)):
        raise InvalidInput("--minimize does not apply: there are no integers to choose here.", "Leave it out.",
                           {"--minimize": None})
    if many is not None and counts_free and wish == "heads":
        assert many.heads is not None
        one = derive({many.heads: Fraction(1)}, Aim.FEWEST)
        return _with(one, Choice(many.heads, Fraction(1), "closed", LeastResource(symbol(many.heads), wish), sp.S.One))
    if many is not None and counts_free and wish == "tokens":
        if many.least_tokens == 3 and not many.sentinels:
            return derive({}, Aim.FEWEST, pairs=True)
        few = Fraction(many.least_tokens)
        return _with(derive({many.tokens: few}, Aim.FEWEST),
                     Choice(many.tokens, few, "closed", LeastResource(symbol(many.tokens), wish),
                            sp.Integer(many.least_tokens)))
    fewest = derive({}, Aim.LEAST_BETA if wish == "beta" else Aim.FEWEST)
    if not free or wish in ("layers", "heads") or not _depends(fewest, wish):
        return fewest
    (name,) = free

    @cache
    def at(count: int) -> Bound:
        return derive({name: Fraction(count)}, Aim.FEWEST)

    def cost(count: int) -> Fraction:
        return _costs(at(count), wish)[0]

    least = int(fewest.values[name])
    if fewest.construction.pieces(fewest.analysis.route) is None:
        candidates = [count for count in range(least, least + LEVELS) if _possible(at, count)]
        found = min(candidates, key=lambda count: _costs(at(count), wish))
    else:
        found = _turning_point(cost, least)
        same = cost(found)
        if cost(least) != same:
            found = least_that(lambda count: cost(count) <= same, least, found)
        candidates = [found]
    if wish != "beta":
        return _with(at(found), Choice(name, Fraction(found), "searched", LeastResource(symbol(name), wish)))
    near = CLOSE * cost(found)
    if cost(least) <= near:
        found = least
    elif len(candidates) > 1:
        found = next(count for count in candidates if cost(count) <= near)
    else:
        found = least_that(lambda count: cost(count) <= near, least, found)
    return _with(at(found), Choice(name, Fraction(found), "searched", NearLeast(symbol(name), BETA, CLOSE)))


def _costs(found: Bound, wish: str) -> Costs:
    """The resource, then the others in their order."""
    ordered = (wish, *(name for name in RESOURCES if name != wish))
    return tuple(found.resources[name].upper or Fraction(0) for name in ordered)


def _depends(fewest: Bound, wish: str) -> bool:
    """Whether more levels or pieces can lower the resource: they do where gates then have fewer anchors or a smaller β,
    unless a lemma on β was asked for the least one already."""
    if fewest.analysis.uses_anchors:
        return True
    return wish == "beta" and fewest.analysis.uses_beta and not any(isinstance(c.why, NearLeast) for c in fewest.choices)


def _possible(at: Callable[[int], Bound], count: int) -> bool:
    try:
        at(count)
    except Infeasible:
        return False
    return True


def _turning_point(cost: Callable[[int], Fraction], least: int) -> int:
    """A number from `least` on at which the cost is least, for a cost that falls and then rises, with steps in it."""
    below, low, high = least, least, 2 * least
    for _ in range(DOUBLINGS):
        if cost(high) > cost(low):
            break
        below, low, high = low, high, 2 * high
    while high - below > FEW:
        third = (high - below) // 3
        a, b = below + third, high - third
        if cost(a) > cost(b) or (cost(a) == cost(b) and cost(high) < cost(b)):
            below = a
        else:
            high = b
    return min(range(below, high + 1), key=cost)


def _with(found: Bound, choice: Choice) -> Bound:
    """The bound with the reason why an integer was chosen, which it was derived with as if given."""
    return replace(found, choices=tuple(choice if c.name == choice.name else c for c in found.choices))
