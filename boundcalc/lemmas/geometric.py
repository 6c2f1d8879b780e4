"""Knots of 1/x with equal relative errors: x_i = A·(1 + h)^i, i = 0 … N.

The chord over [x_i, x_(i+1)], times x, lies between 1 and P = (2 + h)²/(4(1 + h)), on every piece alike. Multiplied by
2/(1 + P), it is 1/x up to a relative (P − 1)/(P + 1) = h²/(h² + 8h + 8). N pieces reach B exactly when (1 + h)^N ≥ B/A.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp
from flint import fmpq
from sympy import Expr

from ..formulas.enclosure import less_equal, less_than, lower, upper
from ..formulas.interval import Interval
from ..formulas.symbols import stand_in, symbol
from ..numbers.arithmetic import exact_root
from ..numbers.exact import round_up_significant
from .chords import BETA, LEFT, RIGHT, STEP, least_count
from .record import Lemma, Reference
from .softmax import W1

EPS, COUNT = symbol("eps"), symbol("N")
WITHIN = STEP ** 2 + 8 * STEP + 8           # (1 + P)·4(1 + h)
CENTRE = 8 * (1 + STEP) / WITHIN            # 2/(1 + P)
RATIO = stand_in("ratio", "_r", above_one=True, positive=True)      # 1 + h
BEYOND = stand_in("beyond", "_e", positive=True)    # from the first knot behind A to the last one
FACTOR = stand_in("factor", "_c", positive=True)    # CENTRE
CHORD = STEP ** 2 / WITHIN                  # (P − 1)/(P + 1)


class GeometricKnots:
    """Implements `PieceRule`, for a relative ε. The domain is [A, B]."""

    name = "N"
    step = "h"

    @property
    def error(self) -> Expr:
        return CHORD.xreplace({STEP: self.step_rule})

    @property
    def error_in_step(self) -> Expr:
        return CHORD

    @property
    def step_rule(self) -> Expr:
        return (RIGHT / LEFT) ** (1 / COUNT) - 1

    @property
    def conditions(self) -> tuple[Expr, ...]:
        """N steps reach from end to end."""
        return (sp.Gt(LEFT, 0, evaluate=False), sp.Ge(LEFT * (1 + STEP) ** COUNT, RIGHT, evaluate=False))

    def rule(self, strict: bool) -> Expr:
        count = sp.log(RIGHT / LEFT) / (2 * sp.log((sp.sqrt(2 * EPS) + sp.sqrt(1 + EPS)) / sp.sqrt(1 - EPS)))
        return sp.Max(2, sp.floor(count) + 1 if strict else sp.ceiling(count), evaluate=False)

    def least(self, values: Mapping[str, Fraction], strict: bool) -> int:
        """The least N ≥ 2 for which the steps of error ε (or of less) reach B, decided exactly."""
        return least_count(lambda count: _enough(count, values, strict))

    def step_for(self, values: Mapping[str, Fraction], count: int, strict: bool) -> tuple[Fraction, bool]:
        """The exact step where it is rational; else rounded up, with so many digits that at least nine tenths of what the
        exact step leaves of ε are left."""
        ratio = values["b"] / values["a"]
        root = exact_root(fmpq(ratio.numerator, ratio.denominator), count)
        if root is not None:
            return Fraction(int(root.p), int(root.q)) - 1, True
        exact, digits = _rational(ratio) ** sp.Rational(1, count) - 1, 7
        while True:
            step = round_up_significant(upper(exact, {}, digits + 3), digits)
            if "eps" not in values or _keeps_room(step, lower(exact, {}, digits + 3), values["eps"]):
                return step, False
            digits += 7

    def known(self, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
        return {}

    def more(self, values: Mapping[str, Fraction], count: int) -> dict[str, Fraction]:
        return {}


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)


def _enough(count: int, values: Mapping[str, Fraction], strict: bool) -> bool:
    """B/A ≤ Q^N (or <), where Q = (1 + h) for the step of error ε. As Q + 1/Q = 2(1 + 3ε)/(1 − ε), this says that
    (B/A + A/B)/2 is at most the N-th Chebyshev polynomial at (1 + 3ε)/(1 − ε): decided in rationals where digits do not."""
    ratio, eps = values["b"] / values["a"], values["eps"]
    if eps >= 1:
        return True             # the error of every step is below 1
    step = 2 * sp.log((sp.sqrt(2 * _rational(eps)) + sp.sqrt(1 + _rational(eps))) / sp.sqrt(1 - _rational(eps)))
    decided = (less_than if strict else less_equal)(sp.log(_rational(ratio)), count * step, {})
    if decided is not None:
        return decided
    wanted, reached = (ratio + 1 / ratio) / 2, chebyshev(count, (1 + 3 * eps) / (1 - eps))
    return wanted < reached if strict else wanted <= reached


def chebyshev(count: int, x: Fraction) -> Fraction:
    """T_n(x) and T_(n+1)(x) by halving n."""
    def both(n: int) -> tuple[Fraction, Fraction]:
        if n == 0:
            return Fraction(1), x
        t, u = both(n // 2)
        double, odd, last = 2 * t * t - 1, 2 * t * u - x, 2 * u * u - 1
        return (odd, last) if n % 2 else (double, odd)
    return both(count)[0]


def _keeps_room(step: Fraction, least: Fraction, eps: Fraction) -> bool:
    room, best = eps - _chord(step), eps - _chord(least)
    return room >= 0 and 10 * room >= 9 * best


def _chord(h: Fraction) -> Fraction:
    return h * h / (h * h + 8 * h + 8)


# ---------------------------------------------------------------------------------------------------------------
# lemmas

def relative_chord_lemma() -> Lemma:
    return Lemma("P3", "the chords of $1/x$ with knots $A·(1 + h)^i$, $i = 0, …, N$, multiplied by "
                 "$8(1 + h)/(h² + 8h + 8)$, err by at most $h²/(h² + 8h + 8)$ times $1/x$ on every piece; attained. "
                 "An error of the gates counts, relative to $1/x$, at most as often as the right end of the domain says",
                 (("interpolation", Interval.symmetric(CHORD)),),
                 Reference("proved here (docs/rules.md, P3)", "derived"), tight=True, relative=RIGHT)


def relative_gate_lemma() -> Lemma:
    """Gates count most near their own kinks: the right end of the domain does not matter."""
    rest = CENTRE * ((2 + STEP) / (1 + STEP) * W1 / (LEFT * BETA) + 1 / (2 * (1 + STEP) * LEFT ** 2 * BETA ** 2))
    return Lemma("P4", "with silu gates the error of these chords, relative to $1/x$, lies in $[−h²/(h² + 8h + 8) − λ, "
                 "h²/(h² + 8h + 8)]$, where $λ = 8/(h² + 8h + 8)·((2 + h)·W(1/e)/(Aβ) + 1/(2A²β²))$",
                 (("interpolation", Interval.symmetric(CHORD)), ("gates", Interval(-rest, sp.S.Zero))),
                 Reference("proved here (docs/rules.md, P4)", "derived"), relative=RIGHT)
