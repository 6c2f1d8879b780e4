"""Rational points on the unit circle, next to the roots of unity."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from mpmath.ctx_mp import MPContext


@cache
def circle(length: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Points on the unit circle near the length-th roots of unity: ((1 − t²)/(1 + t²), 2t/(1 + t²)), t rational near the
    tangent of half the angle. Any rational t gives a point exactly on the circle; t only has to keep them apart."""
    ctx = MPContext()
    ctx.prec = 64 + length.bit_length()
    scale = 2 ** (length.bit_length() + 6)

    def point(i: int) -> tuple[Fraction, Fraction]:
        if 4 * i > length and 4 * i <= 3 * length:      # the left half: opposite of a point on the right, |t| ≤ 1
            x, y = _on_circle(ctx, Fraction(i, length) - Fraction(1, 2), scale)
            return -x, -y
        return _on_circle(ctx, Fraction(i, length) - (1 if 2 * i > length else 0), scale)

    return tuple(point(i) for i in range(length))


def _on_circle(ctx: MPContext, turn: Fraction, scale: int) -> tuple[Fraction, Fraction]:
    t = Fraction(int(ctx.nint(ctx.tan(ctx.pi * turn.numerator / turn.denominator) * scale)), scale)
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
