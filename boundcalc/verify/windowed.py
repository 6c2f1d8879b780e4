"""One head over equidistant anchors, in units of the spacing: only the anchors near t are added up, the rest is bounded.

F(t) = Σ k·w_k/Σ w_k over k = 0 … count − 1, w_k = e^(−κ(t−k)²). With m an anchor near t, θ = t − m and q = e^(−κ), the
weights relative to w_m are q^(j²−2jθ), j = k − m. To the right, where θ ≤ τ, each is at most q^(j²−2jτ) and the ratio of
consecutive terms j^i·q^(j²−2jτ) falls with j; so beyond j = J the i-th moment adds at most
T_i = (J+1)^i·q^((J+1)²−2(J+1)τ)/(1−ρ_i), ρ_i = ((J+2)/(J+1))^i·q^(2J+3−2τ), provided that ρ_i < 1. To the left the same
holds with −θ. The cost depends on κ and on the precision, never on the number of anchors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import flint
from flint import arb, fmpq

from ..formulas.enclosure import Undecided

_HALF = fmpq(1, 2)
DISTANT = 64        # half cells; farther away tails are not told apart


@dataclass(frozen=True)
class Moments:
    """The anchor m, the mean of k − m (so that F = m + mean), and the variance of k."""

    nearest: int
    mean: arb
    variance: arb


class Window:
    """F for one κ and one number of anchors, at the precision that is set when it is made."""

    def __init__(self, kappa: fmpq, count: int) -> None:
        self.kappa, self.count = kappa, count
        # for |θ| ≤ 1/2 the first weight left out is q^(J(J+1)), below 2^(−precision)
        self.exponent = fmpq(flint.ctx.prec + 8) * fmpq(7, 10) / kappa
        self.reach = min(isqrt(int(self.exponent.ceil())) + 1, max(1, count - 1))
        self.double = arb(-2 * kappa).exp()
        self._tails: dict[tuple[int, int, int], arb] = {}

    def at(self, t: fmpq) -> tuple[int, arb]:
        """F(t) = integer + ball, for an exact t: no digit is lost however large t is."""
        m = self.nearest(t)
        mass, first = self._sums(m, arb(t - m), t - m, t - m, 1)
        return m, first / mass

    def over(self, u: fmpq, v: fmpq) -> Moments:
        """Mean and variance for all t in [u, v]: balls for the whole interval, good where κ·(v − u) is small."""
        m = self.nearest((u + v) / 2)
        theta = arb(u - m).union(arb(v - m))
        mass, first, second = self._sums(m, theta, u - m, v - m, 2)
        mean = first / mass
        variance = (second / mass - mean * mean).nonnegative_part()
        return Moments(m, mean, variance)

    def cumulants(self, u: fmpq, v: fmpq, order: int) -> tuple[int, list[arb]]:
        """An anchor m and the first cumulants of k − m for t in [u, v], at most four: F is m plus the first, and the i-th
        derivative of F is (2κ)^i times the one after the i-th."""
        m = self.nearest((u + v) / 2)
        theta = arb(u - m) if u == v else arb(u - m).union(arb(v - m))
        mass, *sums = self._sums(m, theta, u - m, v - m, order)
        raw = [x / mass for x in sums]
        found = raw[:1]
        if order >= 2:
            found.append(raw[1] - raw[0] * raw[0])
        if order >= 3:
            found.append(raw[2] - 3 * raw[0] * raw[1] + 2 * raw[0] * raw[0] * raw[0])
        if order >= 4:
            fourth = raw[3] - 4 * raw[0] * raw[2] + 6 * raw[0] * raw[0] * raw[1] - 3 * raw[0] * raw[0] * raw[0] * raw[0]
            found.append(fourth - 3 * found[1] * found[1])
        return m, found

    def nearest(self, t: fmpq) -> int:
        return min(max(0, int((t + _HALF).floor())), self.count - 1)

    def _sums(self, m: int, theta: arb, low: fmpq, high: fmpq, order: int) -> list[arb]:
        """Σ j^i·w relative to w_m, i = 0 … order, for θ in [low, high]."""
        sums = [arb(1), *(arb(0) for _ in range(order))]
        for sign, anchors, tau in ((1, self.count - 1 - m, high), (-1, m, -low)):
            terms = min(self._terms(tau), anchors)
            if not terms:
                continue
            weight, ratio = arb(1), (self.kappa * (2 * sign * theta - 1)).exp()
            for j in range(1, terms + 1):
                weight = weight * ratio
                ratio = ratio * self.double
                sums[0] += weight
                moment = weight
                for i in range(1, order + 1):
                    moment = sign * j * moment
                    sums[i] += moment
            if terms < anchors:
                for i in range(order + 1):
                    tail = self._tail(i, terms, tau)
                    sums[i] = sums[i] + (arb(0).union(tail) if sign > 0 or i % 2 == 0 else arb(0).union(-tail))
        return sums

    def _terms(self, tau: fmpq) -> int:
        """How many anchors on one side: fewer where t is far on the other side of all of them."""
        if tau >= -1:
            return self.reach
        return min(self.reach, 1 + int((self.exponent / (-2 * tau)).ceil()))

    def _tail(self, i: int, j: int, tau: fmpq) -> arb:
        """T_i beyond j, for τ rounded up to a multiple of 1/2."""
        halves = max(-DISTANT, int((2 * tau).ceil()))
        if (i, j, halves) not in self._tails:
            self._tails[i, j, halves] = self._tail_at(i, j, fmpq(halves, 2))
        return self._tails[i, j, halves]

    def _tail_at(self, i: int, j: int, tau: fmpq) -> arb:
        ratio = fmpq(j + 2, j + 1) ** i * arb(-self.kappa * (2 * j + 3 - 2 * tau)).exp()
        if not ratio < 1:
            raise Undecided("The anchors outside the window are too heavy to be left out.")
        return (j + 1) ** i * arb(-self.kappa * ((j + 1) * (j + 1 - 2 * tau))).exp() / (1 - ratio)


def steepness(head: Window, low: fmpq, high: fmpq) -> arb:
    """F' = 2κ·variance on [low, high]; a number in an interval of length L has a variance of at most L²/4."""
    if head.kappa * (high - low) <= 4:      # else far too wide for balls
        try:
            variance = head.over(low, high).variance
            if variance.is_finite():
                return 2 * head.kappa * variance
        except Undecided:
            pass
    return 2 * head.kappa * arb(0).union(arb(fmpq((head.count - 1) ** 2, 4)))
