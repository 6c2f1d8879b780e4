"""How the parts of a plan share ε.

The share of part i is w_i = G_i·e_i/ε, G_i its gain and e_i its accuracy. Parts whose heads do not depend on their accuracy
pay in β (or in anchors) alone and get 1/k each, k the number of parts. The others have least heads, subject to at least
1/(4k) each: heads are a + b·log_q(1/e) for levels and c·e^(−1/2) for pieces, so that all of them pay one price λ for a
little more of ε, w_i = b_i/(λ·log q_i) or (c_i·(G_i/ε)^(1/2)/(2λ))^(2/3), which a bisection finds. Whole levels and pieces
cost less than one unit a part more than that least. With --minimize another resource stands for heads; where the largest
counts (tokens, β), all parts are to need the same. Shares are rounded down to four digits: they are only a choice, and what
comes of it is checked exactly afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from ..errors import InvalidInput, echo
from ..numbers.exact import exact_text

DIGITS = 10 ** 4
HALVINGS = 200
ROUNDS = 4


@dataclass(frozen=True)
class LevelCost:
    """Heads rise by `unit` for every level, which divides the error by `base`; no level is needed from `most` on."""

    unit: float
    base: float
    most: float


@dataclass(frozen=True)
class PieceCost:
    """Heads are `factor`·e^(−1/2); the least number of pieces is enough from `most` on."""

    factor: float
    most: float


@dataclass(frozen=True)
class NoHeads:
    """Heads do not depend on the accuracy."""


Cost = LevelCost | PieceCost | NoHeads


def shares(costs: Sequence[Cost], gains: Sequence[Fraction], eps: Fraction) -> list[Fraction]:
    """What part of ε each part may use, together at most 1."""
    k = len(costs)
    least = 1 / (4 * k)
    found = [Fraction(1, k)] * k
    paying = [i for i, c in enumerate(costs) if not isinstance(c, NoHeads) and gains[i]]
    room = len(paying) / k
    if len(paying) < 2:
        return found

    def at(price: float) -> list[float]:
        wanted = []
        for i in paying:
            cost, relative = costs[i], float(gains[i] / eps)
            if isinstance(cost, LevelCost):
                w = cost.unit / (price * log(cost.base))
            else:
                assert isinstance(cost, PieceCost)
                w = (cost.factor * relative ** 0.5 / (2 * price)) ** (2 / 3)
            wanted.append(max(least, min(w, cost.most * relative)))
        return wanted

    low, high = 1e-30, 1e30
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if sum(at(middle)) > room else (low, middle)
    wanted = at(high)
    spare = max(0.0, room - sum(wanted)) / len(paying)     # where all of them need less than there is
    for i, w in zip(paying, wanted, strict=True):
        found[i] = Fraction(int((w + spare) * DIGITS), DIGITS)
    return found


def equalised(needs: Callable[[Sequence[Fraction]], Sequence[Fraction]], parts: int) -> list[Fraction]:
    """Shares for which the part that needs most needs little: what is needed falls like a power −1 of a share, or slower, so
    shares are multiplied by it. The best of a few rounds is taken; at least 1/(4k) each."""
    found = [Fraction(1, parts)] * parts
    best: tuple[Fraction, list[Fraction]] | None = None
    for _ in range(ROUNDS):
        needed = needs(found)
        if best is None or max(needed) < best[0]:
            best = max(needed), found
        weights = [w * n for w, n in zip(found, needed, strict=True)]
        room, whole = Fraction(3, 4), sum(weights)
        if not whole:
            break
        found = [Fraction(1, 4 * parts) + Fraction(int(room * w / whole * DIGITS), DIGITS) for w in weights]
    assert best is not None
    return best[1]


def given_shares(split: Mapping[str, Fraction], names: Sequence[str]) -> list[Fraction]:
    """The shares that a user gave; parts that are not named get the rest in equal shares."""
    unknown = [name for name in split if name not in names]
    if unknown:
        raise InvalidInput(f"--split names {echo(unknown[0])}, which is no part.", f"The parts are {', '.join(names)}.")
    rest = [name for name in names if name not in split]
    total = sum(split.values(), Fraction(0))
    if any(w <= 0 for w in split.values()) or total > 1 or (rest and total == 1):
        raise InvalidInput(f"The shares of --split add up to {echo(exact_text(total))}.",
                           f"Give positive shares of at most 1 together{', and leave some to others' if rest else ''}.")
    return [split[name] if name in split else (1 - total) / len(rest) for name in names]
