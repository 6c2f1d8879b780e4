"""Heads over anchors, read once a layer: what is constant in a token is a quadratic in the number of the token.

The coordinates of the tokens are looked at once; then a head over any number of tokens is known by a few numbers. Heads that
carry on where another ends are one staircase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from flint import fmpq

from ..networks.network import Head, Matrix
from .balls import rational
from .forms import ZERO, RationalForm, Value, combine, constant_of, scale

Quadratic: TypeAlias = tuple[fmpq, fmpq, fmpq]         # a + b·k + c·k² for token k
Fed: TypeAlias = tuple[tuple[int, fmpq], ...]          # rows that a head feeds, and how much of it


class TokenStates:
    """The state before an attention layer, token by token."""

    count: int

    def __init__(self, state: Sequence[Value], dim: int) -> None:
        self.state, self.dim = state, dim
        self.count = len(state) // dim
        self._known: dict[int, Quadratic | None] = {}

    @cached_property
    def all(self) -> list[list[Value]]:
        return [self.token(k) for k in range(self.count)]

    def entry(self, place: int) -> Value:
        return self.state[place]

    def token(self, k: int) -> list[Value]:
        return list(self.state[k * self.dim:(k + 1) * self.dim])

    def quadratic(self, coordinate: int) -> Quadratic | None:
        """A coordinate as a quadratic in the number of the token; None if it is none."""
        if coordinate not in self._known:
            self._known[coordinate] = _quadratic(self.state[coordinate::self.dim])
        return self._known[coordinate]


def _quadratic(values: Sequence[Value]) -> Quadratic | None:
    if len(values) < 3 or any(isinstance(v, RationalForm) for v in values):
        return None
    first, second, third = map(constant_of, values[:3])
    bend = third - 2 * second + first
    step, expected = second - first, first
    for v in values:
        if v != expected:
            return None
        expected = expected + step
        step = step + bend
    return first, second - first - bend / 2, bend / 2


@dataclass(frozen=True)
class AnchorScores:
    """Scores k·2κt − κk² over tokens k, up to a common term: means over F(t) of `Grid`."""

    t: RationalForm
    kappa: fmpq

    def read(self, tokens: TokenStates,
             rows: Mapping[int, Sequence[tuple[int, fmpq]]]) -> list[tuple[int, fmpq, fmpq]] | None:
        """(row, constant, factor): what V makes of F; None if it reads anything but lines."""
        found = []
        for i, entries in rows.items():
            line = _combined(tokens, entries)
            if line is None or line[2] != 0:
                return None
            found.append((i, line[0], line[1]))
        return found


def anchor_head(head: Head, tokens: TokenStates, query: Sequence[Value]) -> AnchorScores | None:
    """The scores of a head, if they are of this kind."""
    beta = rational(head.beta)
    q: dict[int, list[tuple[fmpq, Value]]] = {}
    for i, j, x in head.Q.entries:
        if x:
            q.setdefault(i, []).append((beta * rational(x), query[j]))
    keys = by_row(head.K)
    linear: list[tuple[fmpq, Value]] = []
    square: list[tuple[fmpq, Value]] = []
    for i, parts in q.items():
        factor = combine(parts)
        if i not in keys or factor == 0:
            continue
        key = _combined(tokens, keys[i])
        if key is None:
            return None
        linear.append((key[1], factor))
        square.append((key[2], factor))
    slope, bend = combine(linear), combine(square)
    if not isinstance(slope, RationalForm) or isinstance(bend, RationalForm) or not bend < 0:
        return None
    t = scale(-1 / (2 * bend), slope)
    assert isinstance(t, RationalForm)
    return AnchorScores(t, -bend)


def by_row(m: Matrix) -> dict[int, list[tuple[int, fmpq]]]:
    """What every row reads: columns and factors."""
    rows: dict[int, list[tuple[int, fmpq]]] = {}
    for i, j, x in m.entries:
        if x:
            rows.setdefault(i, []).append((j, rational(x)))
    return rows


def _combined(tokens: TokenStates, entries: Iterable[tuple[int, fmpq]]) -> Quadratic | None:
    total = (ZERO, ZERO, ZERO)
    for j, x in entries:
        own = tokens.quadratic(j)
        if own is None:
            return None
        total = total[0] + x * own[0], total[1] + x * own[1], total[2] + x * own[2]
    return total


@dataclass(frozen=True)
class Staircase:
    """Heads t, t − M, t − 2M, …, M = count − 1, of equal κ that feed the same rows in the same way."""

    t: RationalForm
    kappa: fmpq
    heads: int
    fed: Fed


def staircases(heads: Sequence[tuple[AnchorScores, Fed]], count: int) -> Iterator[Staircase]:
    """Heads over so many tokens each, put together where one carries on where another ends."""
    groups: dict[tuple[object, Fed], list[AnchorScores]] = {}
    for head, fed in heads:
        if fed:
            groups.setdefault(((head.kappa, tuple(sorted(head.t.terms.items()))), fed), []).append(head)
    for (_, fed), group in groups.items():
        group.sort(key=lambda h: h.t.constant, reverse=True)
        run = [group[0]]
        for head in group[1:]:
            if run[-1].t.constant - head.t.constant == count - 1:
                run.append(head)
            else:
                yield Staircase(run[0].t, run[0].kappa, len(run), fed)
                run = [head]
        yield Staircase(run[0].t, run[0].kappa, len(run), fed)


@dataclass(frozen=True)
class HeadRun:
    """`count` heads, of which the first two are known: Q is affine in their number, and nothing else depends on it."""

    first: Head
    second: Head
    count: int

    def staircase(self, tokens: TokenStates, query: Sequence[Value]) -> tuple[Staircase, list[tuple[int, fmpq]]] | None:
        """One staircase, and the constants that its heads add; None if each head does not carry on where another ends."""
        scores = [anchor_head(head, tokens, query) for head in (self.first, self.second)]
        first, second = scores
        if first is None or second is None or first.kappa != second.kappa or first.t.terms != second.t.terms:
            return None
        step = second.t.constant - first.t.constant         # the same from every head to the next: t is affine in its number
        if self.count > 1 and abs(step) != tokens.count - 1:
            return None
        read = first.read(tokens, by_row(self.first.V))
        if read is None:
            return None
        t = first.t if step <= 0 else RationalForm(first.t.constant + (self.count - 1) * step, first.t.terms)
        fed = tuple((i, factor) for i, _, factor in read if factor != 0)
        return Staircase(t, first.kappa, self.count, fed), [(i, constant * self.count) for i, constant, _ in read]
