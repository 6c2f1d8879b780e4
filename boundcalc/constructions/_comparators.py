"""Networks of comparators (K8): which wires are compared, in which layer, and what that is as a term.

A comparator puts the larger of two numbers on the upper wire: max = y + ρ(x − y), min = x − ρ(x − y), one unit for both, so
that their sum is kept exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from ..terms.linear import Block, Form, affine, var
from ..terms.term import Affine, Ramps, Seq, Term, Unit

Pair = tuple[int, int]
MOST_ARGUMENTS = 32         # of max and min in an expression


def batcher(n: int) -> list[Pair]:
    """Batcher's merge exchange for n numbers, in order: that for the next power of two without what would compare with a
    missing number, which is smaller than all others and stays where it is."""
    size = 1
    while size < n:
        size *= 2

    def merged(low: int, count: int, step: int) -> Iterator[Pair]:
        if 2 * step < count:
            yield from merged(low, count, 2 * step)
            yield from merged(low + step, count, 2 * step)
            yield from ((k, k + step) for k in range(low + step, low + count - step, 2 * step))
        else:
            yield low, low + step

    def sorted_(low: int, count: int) -> Iterator[Pair]:
        if count > 1:
            half = count // 2
            yield from sorted_(low, half)
            yield from sorted_(low + half, half)
            yield from merged(low, count, 1)

    return [(i, j) for i, j in sorted_(0, size) if j < n]


def needed(pairs: Sequence[Pair], wires: Collection[int]) -> list[Pair]:
    """The comparators on which these wires depend."""
    wanted, kept = set(wires), []
    for i, j in reversed(pairs):
        if {i, j} & wanted:
            kept.append((i, j))
            wanted |= {i, j}
    return kept[::-1]


def layered(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Each comparator as early as it can run."""
    free: dict[int, int] = {}
    layers: list[list[Pair]] = []
    for i, j in pairs:
        place = max(free.get(i, 0), free.get(j, 0))
        if place == len(layers):
            layers.append([])
        layers[place].append((i, j))
        free[i] = free[j] = place + 1
    return layers


def network(inputs: Sequence[str], outputs: dict[int, str]) -> Term:
    """The numbers sorted, largest first, as far as wires are asked for, under these names."""
    layers = layered(needed(batcher(len(inputs)), outputs))
    wires = list(inputs)
    parts: list[Term] = []
    for depth, pairs in enumerate(layers):
        last = depth == len(layers) - 1
        pre = affine(tuple(map(Block, wires)), {**{w: var(w) for w in wires}, **{
            f"z{i}": var(wires[i]) - var(wires[j]) for i, j in pairs}})
        units = tuple(Unit(f"r{i}", f"z{i}") for i, _ in pairs)
        forms: dict[int, Form] = {k: var(w) for k, w in enumerate(wires)}
        for i, j in pairs:
            forms[i], forms[j] = var(wires[j]) + var(f"r{i}"), var(wires[i]) - var(f"r{i}")
        names = {k: f"w{depth}n{k}" for k in forms} if not last else outputs
        post = affine((*pre.outputs, *(Block(u.name) for u in units)), {name: forms[k] for k, name in names.items()})
        parts.append(Ramps("comparators", pre, units, post))
        wires = [names[k] for k in sorted(names)] if not last else wires
    if not parts:
        return Affine("one number", affine(tuple(map(Block, wires)), {name: var(wires[k]) for k, name in outputs.items()}))
    return Seq(tuple(parts)) if len(parts) > 1 else parts[0]


def ranked(names: Sequence[str], rank: int) -> str:
    """The rank-th largest, from 1, as an expression: a maximum of minima, or a minimum of maxima where these are fewer."""
    n = len(names)
    outer, inner, size = ("max", "min", rank) if rank <= (n + 1) / 2 else ("min", "max", n - rank + 1)

    def call(name: str, parts: Sequence[str]) -> str:
        if len(parts) > MOST_ARGUMENTS:
            parts = [call(name, parts[k:k + MOST_ARGUMENTS]) for k in range(0, len(parts), MOST_ARGUMENTS)]
        return parts[0] if len(parts) == 1 else f"{name}({', '.join(parts)})"
    return call(outer, [call(inner, chosen) for chosen in combinations(names, size)])
