"""Which cases of a table are run: a few that have every trait, or all with --whole (or BOUNDCALC_WHOLE=1).

A trait is whatever some cases have and others have not: a route with its gate, a grid, an input error, a range on one
side of 0. A table says what the traits of its cases are; a selection that misses one of them cannot be made.
Of a table that is still long every test takes a part, first what no other test has taken, so that between them they
take all where they can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence, Set
from typing import Any, TypeVar

from hypothesis import settings

T = TypeVar("T")
VARIABLE = "BOUNDCALC_WHOLE"
CONSTRUCTION = "BOUNDCALC_CONSTRUCTION"     # the file of which alone the conformance suite takes cases
FEWER = 5                   # of so many random examples one is tried, …
LEAST_EXAMPLES = 10         # … but not fewer than these
FEWER_CASES = 5             # of so many cases of a table a test takes one, …
LEAST_CASES = 4             # … but not fewer than these


def whole() -> bool:
    return os.environ.get(VARIABLE) == "1"


def covering(cases: Collection[T], traits: Callable[[T], Iterable[Hashable]]) -> list[T]:
    """Few of the cases, in their order, that have every trait between them: always the case that adds most."""
    left = [(k, case, set(traits(case))) for k, case in enumerate(cases)]
    chosen = []
    while left:
        best = max(left, key=lambda x: len(x[2]))
        if not best[2]:
            break
        chosen.append(best[:2])
        left = [(k, case, own - best[2]) for k, case, own in left]
    return [case for _, case in sorted(chosen, key=lambda x: x[0])]


def selected(cases: Collection[T], traits: Callable[[T], Iterable[Hashable]]) -> list[T]:
    return list(cases) if whole() else covering(cases, traits)


def few(cases: Collection[T], count: int) -> list[T]:
    """The first cases of a table whose first ones say most, or all of them."""
    return list(cases) if whole() else list(cases)[:count]


def part(cases: Sequence[str], taken: Set[str]) -> set[str]:
    """Some cases of a long table: those that no other test has taken before all others, spread over the table."""
    count = min(len(cases), max(LEAST_CASES, -(-len(cases) // FEWER_CASES)))
    fresh, seen = [c for c in cases if c not in taken], [c for c in cases if c in taken]
    new = min(count, len(fresh))
    return {*spread(fresh, new), *spread(seen, count - new)}


def spread(cases: Sequence[str], count: int) -> list[str]:
    return [cases[k * len(cases) // count] for k in range(count)]


def examples(count: int, **options: Any) -> settings:
    """Settings of a test of random examples: so many with --whole, a part of them otherwise."""
    few = min(count, max(LEAST_EXAMPLES, count // FEWER))
    return settings(max_examples=count if whole() else few, deadline=None, **options)
