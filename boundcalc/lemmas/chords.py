"""Knots of 1/x with equal errors: x_i = A/u_i² with equidistant u_i = 1 − i·h, i = 0 … N, so that x_0 = A.

The chord over [x_i, x_(i+1)] exceeds 1/x by at most h²/A, on every piece alike; half of it remains after centring. N pieces
reach x_N = A/(1 − N·h)² ≥ B exactly when h ≥ (1 − √(A/B))/N. Rational h give rational knots and slopes. (With zero slack,
√(A/B) is rational: (1 − √(A/B))² = 2N²Aε is, hence so is its root term.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt

import sympy as sp
from sympy import Expr

from ..formulas.interval import Interval
from ..formulas.symbols import INTERNAL, parameter, stand_in, symbol
from ..numbers.exact import round_up_significant
from .record import Lemma, Reference
from .softmax import W1

LEFT, RIGHT, STEP = INTERNAL["left"], INTERNAL["right"], parameter("h", "positive")
LAST = stand_in("last", "_s", positive=True)                        # 1 − N·h, the last of the equidistant points
INNER = stand_in("inner", "_k", integer=True, positive=True)        # N − 1, the knots between N pieces
BETA = symbol("beta")


class EqualErrorKnots:
    """Implements `PieceRule`. The domain is [A, B] = [a − δ, b + δ]."""

    name = "N"
    step = "h"

    @property
    def error(self) -> Expr:
        return (1 - self._root) ** 2 / (2 * LEFT * symbol("N") ** 2)

    @property
    def error_in_step(self) -> Expr:
        return STEP ** 2 / (2 * LEFT)

    @property
    def _root(self) -> Expr:
        return sp.sqrt(LEFT) / sp.sqrt(RIGHT)

    @property
    def step_rule(self) -> Expr:
        return (1 - self._root) / symbol("N")

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """N steps reach from end to end, and no knot is infinite."""
        last = 1 - symbol("N") * STEP
        return (sp.Gt(LEFT, 0, evaluate=False), sp.Ge(LEFT, RIGHT * last ** 2, evaluate=False),
                sp.Gt(last, 0, evaluate=False))

    def rule(self, strict: bool) -> Expr:
        count = (1 - self._root) / sp.sqrt(2 * LEFT * symbol("eps"))
        return sp.Max(2, sp.floor(count) + 1 if strict else sp.ceiling(count), evaluate=False)

    def least(self, values: Mapping[str, Fraction], strict: bool) -> int:
        """The least N ≥ 2 with √(1/A) − √(1/B) ≤ N·√(2ε) (or <), decided in rationals."""
        return least_count(lambda count: _enough(count, values, strict))

    def step_for(self, values: Mapping[str, Fraction], count: int, strict: bool) -> tuple[Fraction, bool]:
        """The exact step where it is rational; else rounded up, with so many digits that at least nine tenths of what the
        exact step leaves of ε are left."""
        left, right = _ends(values)
        ratio = left / right
        root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
        if root * root == ratio:
            return (1 - root) / count, True
        digits = 7
        while True:
            below = _root_down(ratio, digits + 3)
            step = round_up_significant((1 - below) / count, digits)
            least = (1 - _root_up(ratio, digits + 3)) / count
            if count * step < 1 and ("eps" not in values or _keeps_room(step, least, left, values["eps"])):
                return step, False
            digits += 7

    def known(self, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
        return {}

    def more(self, values: Mapping[str, Fraction], count: int) -> dict[str, Fraction]:
        return {}


def least_count(enough: Callable[[int], bool]) -> int:
    """The least number of pieces from 2 on that is enough, if all larger ones are, too."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _ends(values: Mapping[str, Fraction]) -> tuple[Fraction, Fraction]:
    return values["a"] - values["delta"], values["b"] + values["delta"]


def _enough(count: int, values: Mapping[str, Fraction], strict: bool) -> bool:
    """√P ≤ √Q + N√(2ε) with P = 1/A, Q = 1/B, squared twice: P − Q − 2N²ε ≤ 0, or its square ≤ 8N²εQ."""
    left, right = _ends(values)
    gap = 1 / left - 1 / right - 2 * count * count * values["eps"]
    if gap <= 0:
        return True                 # then √Q > 0 makes the inequality strict
    square = gap * gap - 8 * count * count * values["eps"] / right
    return square < 0 if strict else square <= 0


def _keeps_room(step: Fraction, least: Fraction, left: Fraction, eps: Fraction) -> bool:
    room, best = eps - step * step / (2 * left), eps - least * least / (2 * left)
    return room >= 0 and 10 * room >= 9 * best


def _root_down(x: Fraction, digits: int) -> Fraction:
    """√x for 0 < x < 1, rounded down to so many decimals beyond its own size."""
    scale = 10 ** (digits + len(str(x.denominator // x.numerator)))
    return Fraction(isqrt(x.numerator * scale * scale // x.denominator), scale)


def _root_up(x: Fraction, digits: int) -> Fraction:
    scale = 10 ** (digits + len(str(x.denominator // x.numerator)))
    return Fraction(isqrt(x.numerator * scale * scale // x.denominator) + 1, scale)


# ---------------------------------------------------------------------------------------------------------------
# lemmas

def chord_lemma() -> Lemma:
    return Lemma("P1", "the centred chords of $1/x$ with knots $A/(1 − i·h)²$, $i = 0, …, N$, err by at most $h²/(2A)$ on "
                 "every piece, $A$ being the least input, errors included; attained",
                 (("interpolation", _centred()),), Reference("proved here (docs/rules.md, P1)", "derived"), tight=True)


def absorption_lemma() -> Lemma:
    """With silu gates the one-sided chord error absorbs the one-sided gate error, up to λ."""
    decay = sp.exp(-BETA * LEFT * STEP * (2 - STEP))
    ratio = (1 + STEP / LAST) ** 2
    rest = STEP ** 2 / LEFT * (12 * ratio * decay + 16 * decay / (1 - decay) ** 2 + 2 * W1 * ratio / (LEFT * BETA))
    return Lemma("P2", "with silu gates the error of these chords lies in $[−h²/(2A) − λ, h²/(2A)]$, where "
                 "$λ = (h²/A)·(12ϱ²e^(−γ) + 16e^(−γ)/(1 − e^(−γ))² + 2W(1/e)ϱ²/(Aβ))$, $γ = βAh(2 − h) ≥ 4$ and "
                 "$ϱ = 1 + h/(1 − N·h)$",
                 (("interpolation", _centred()), ("gates", Interval(-rest, sp.S.Zero))),
                 Reference("proved here, one inequality by ball arithmetic (docs/rules.md, P2)", "derived"),
                 from_beta=4 / (LEFT * STEP * (2 - STEP)))


def _centred() -> Interval:
    return Interval.symmetric(STEP ** 2 / (2 * LEFT))
