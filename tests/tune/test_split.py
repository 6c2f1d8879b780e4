"""The split of ε among parts: never more than there is, never less than the least share, near least heads."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundcalc.errors import InvalidInput
from boundcalc.tune.split import Cost, LevelCost, NoHeads, PieceCost, equalised, given_shares, shares

ONE = Fraction(1)
LEVELS = st.builds(LevelCost, st.sampled_from([1.0, 2.0]), st.just(4.0), st.sampled_from([0.25, 4.0]))
COSTS = st.one_of(st.just(NoHeads()), LEVELS,
                  st.builds(PieceCost, st.sampled_from([0.5, 3.0]), st.just(float("inf"))))


@given(st.lists(COSTS, min_size=1, max_size=5), st.data())
def test_shares_add_up_to_at_most_one(costs: list[Cost], data: st.DataObject) -> None:
    gains = [data.draw(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(10)])) for _ in costs]
    found = shares(costs, gains, Fraction(1, 1000))
    assert sum(found) <= 1
    assert all(w >= Fraction(1, 4 * len(costs)) - Fraction(1, 10 ** 4) for w in found)
    assert all(w == Fraction(1, len(costs)) for w, c in zip(found, costs, strict=True) if isinstance(c, NoHeads))


def heads(cost: Cost, share: float, relative: float) -> int:
    e = share / relative
    if isinstance(cost, LevelCost):
        return int(cost.unit) * max(0, ceil(log(cost.most / e) / log(cost.base)))
    assert isinstance(cost, PieceCost)
    return max(2, ceil(cost.factor * e ** -0.5))


@pytest.mark.parametrize("eps", [Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10 ** 4)])
@pytest.mark.parametrize("gain", [ONE, Fraction(10)])
def test_heads_are_near_the_least_of_all_splits(eps: Fraction, gain: Fraction) -> None:
    """Within one unit a part: a level's heads, or one piece."""
    costs: list[Cost] = [LevelCost(2.0, 4.0, 0.25), PieceCost(0.4, float("inf")), LevelCost(1.0, 4.0, 1.0)]
    gains = [ONE, gain, ONE]
    relative = [float(g / eps) for g in gains]
    chosen = sum(heads(c, float(w), r) for c, w, r in zip(costs, shares(costs, gains, eps), relative, strict=True))
    grid = [k / 60 for k in range(5, 56)]
    least = min(sum(heads(c, w, r) for c, w, r in zip(costs, (a, b, 1 - a - b), relative, strict=True))
                for a, b in product(grid, grid) if 1 - a - b >= 1 / 12)
    assert chosen <= least + 2 + 1 + 1


@given(st.lists(st.tuples(st.integers(1, 50), st.sampled_from([0.5, 1.0])), min_size=1, max_size=5))
def test_what_parts_need_is_made_equal(parts: list[tuple[int, float]]) -> None:
    """Part i needs c_i·w^(−a_i): never more than with equal shares, and almost equal where no share is the least."""
    def needs(found: Sequence[Fraction]) -> list[Fraction]:
        return [Fraction(c * float(w) ** -a) for (c, a), w in zip(parts, found, strict=True)]
    chosen, k = equalised(needs, len(parts)), len(parts)
    assert sum(chosen) <= 1
    assert all(w >= Fraction(1, 4 * k) for w in chosen)
    assert max(needs(chosen)) <= max(needs([Fraction(1, k)] * k))


def test_equal_needs_are_found() -> None:
    found = equalised(lambda w: [3 / w[0], 1 / w[1]], 2)
    assert 1.9 < found[0] / found[1] < 3.1


def test_given_shares() -> None:
    assert given_shares({"p": Fraction(1, 4)}, ["p", "q", "r"]) == [Fraction(1, 4), Fraction(3, 8), Fraction(3, 8)]
    for wrong in ({"t": Fraction(1, 4)}, {"p": ONE}, {"p": Fraction(0)}, {"p": Fraction(3, 4), "q": Fraction(1, 2)}):
        with pytest.raises(InvalidInput):
            given_shares(wrong, ["p", "q", "r"])
