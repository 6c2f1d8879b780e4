"""The numbers of lemma Q3, by balls: the residuals of all levels of a sawtooth together are little more than one.

Notation and proof: docs/rules.md, Q3. Every quantity below falls in β once divided as it is there, so that β = 40 is the
worst case; what is proved here is the case β = 40.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from ..formulas.enclosure import enclose
from ..formulas.symbols import C
from ..lemmas.sawtooth import LEAST_BETA, PRODUCT_EXCESS, SQUARE_EXCESS
from .balls import Box, Certificate, Point, decimal_above, decimal_below, fraction, maximise, precision, proved

_PRECISION = 96
_FAR = fmpq(5, 2)               # w beyond which one level is small by itself
_PEAK = fmpq(6, 5)              # above θ = 1.19968, where φ is largest
_TOLERANCE = fmpq(1, 1000)


class _Sawtooth:
    """φ, the residual of a level in units of the largest, and what the proof of Q3 makes of it at β = 40."""

    def __init__(self) -> None:
        self.beta = fmpq(LEAST_BETA)
        self.mu = enclose(C, digits=25) / 4
        proved(arb(_PEAK) * arb(_PEAK).tanh() > 1, "That φ falls from 6/5 on")
        self.far = self.phi(self.beta / 8)
        self.tau = 2 * arb(-self.beta / 4).exp()

    def phi(self, w: fmpq) -> arb:
        return (w / arb(w).cosh()) ** 2 / self.mu

    def highest(self, low: fmpq, high: fmpq) -> arb:
        """φ over [low, high]: it rises up to θ and falls from there."""
        if high * arb(high).tanh() <= 1:
            return self.phi(high)
        return self.phi(low) if low * arb(low).tanh() >= 1 else arb(1)

    def end(self, x: fmpq) -> arb:
        """T(x): all levels from a point within x ≤ 1/4 of an end."""
        return fmpq(4, 3) * (self.far + 16 * (x + self.tau) ** 2)

    def square(self, box: Box) -> arb:
        """β²(S − 1) over an interval of w ≤ 5/2."""
        (low, high), = box
        return (self.beta**2 * (self.highest(low, high) - 1) + self.beta**2 * self.far / 3
                + fmpq(256, 3) * (high * arb(high).tanh() + self.beta * self.tau / 4) ** 2)

    def product(self, box: Box) -> arb:
        """β²(A − 1) over an interval of w ≤ 5/2."""
        (low, high), = box
        return (self.beta**2 * (self.highest(low, high) - 1) + fmpq(4, 3) * self.beta**2 * self.far
                + fmpq(256, 3) * (high * arb(high).tanh() + self.beta * self.tau / 2) ** 2)


def square_excess() -> Certificate:
    """S ≤ 1 + 100/β² on [0, 1], for every β ≥ 40 and every number of levels."""
    with precision(_PRECISION):
        s = _Sawtooth()
        beyond = s.phi(_FAR) + (s.far + 16 * (fmpq(1, 4) + s.tau) ** 2) / 3
        proved(beyond < fmpq(18, 25), "The bound of S away from the kink")
        proved(s.phi(_FAR) + fmpq(1, 3) < fmpq(18, 25), "The bound of S far from the kink")
        return _certificate("every β ≥ 40: β²(S − 1) ≤ 100", s.square, SQUARE_EXCESS)


def product_excess() -> Certificate:
    """A ≤ 1 + 150/β² on [0, 1], for every β ≥ 40 and every number of levels."""
    square = square_excess().certified
    with precision(_PRECISION):
        s = _Sawtooth()
        after = fmpq(square.numerator, square.denominator)
        limit = fmpq(PRODUCT_EXCESS)
        proved(s.phi(_FAR) + s.end(fmpq(4, 25)) < 1, "The bound of A up to x = 0.16")
        proved(s.phi(s.beta * fmpq(2, 25)) + s.end(fmpq(19, 100)) < 1, "The bound of A up to x = 0.19")
        # β²(T − 1) falls in β only if the part of T that does not is below 1
        proved(arb(fmpq(4, 3) * 16 * fmpq(27, 125) ** 2) < 1, "That the bound up to x = 0.216 falls in β")
        near = s.beta**2 * (s.phi(s.beta * fmpq(19, 200)) + s.end(fmpq(27, 125)) - 1)
        proved(near < limit, "The bound of A up to x = 0.216")
        proved(s.beta**2 * s.phi(s.beta * fmpq(27, 250)) + after < limit, "The bound of A from x = 0.216 on")
        return _certificate("every β ≥ 40: β²(A − 1) ≤ 150", s.product, PRODUCT_EXCESS)


def _certificate(statement: str, over: Callable[[Box], arb], bound: int) -> Certificate:
    """The supremum over w in [0, 5/2], at most the bound."""

    def at(point: Point) -> arb:
        return over(((point[0], point[0]),))

    found = maximise(over, [((fmpq(0), _FAR),)], at, tolerance=_TOLERANCE, bound=fmpq(bound))
    proved(found.upper <= bound, statement)
    assert found.lower is not None
    return Certificate(statement, Fraction(bound), decimal_above(found.upper), decimal_below(found.lower),
                       {"w": fraction(found.point[0])}, found.boxes)
