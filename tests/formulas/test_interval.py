"""Extremes and signs of closed forms."""

from __future__ import annotations

from itertools import product

import pytest
import sympy as sp

from boundcalc.formulas.interval import _free_quotient, largest, positive_part, signed_parts, smallest
from boundcalc.formulas.symbols import symbol

A, BETA, EPS, M, N = (symbol(name) for name in ("a", "beta", "eps", "M", "n"))
MONOMIALS = (sp.Integer(1), sp.Rational(1, 3), M, 2 * M, M ** 2, 1 / (2 * M), sp.sqrt(M) * BETA, BETA / M, M / EPS)


@pytest.mark.parametrize("x", [
    sp.Integer(0), sp.Integer(3), sp.Rational(-1, 2), M, -M ** 2, A, -A, M - EPS, N - 1, 1 - N, sp.oo, -sp.oo])
def test_signed_parts_are_the_parts_of_x_and_of_its_opposite(x: sp.Expr) -> None:
    assert signed_parts(x) == (positive_part(x), positive_part(-x))


@pytest.mark.parametrize(("v", "w"), list(product(MONOMIALS, repeat=2)))
def test_what_is_called_incomparable_is(v: sp.Expr, w: sp.Expr) -> None:
    """There are values for which v is larger and values for which w is; where the quotient is a number there are not."""
    if not _free_quotient(v, w):
        assert (v / w).is_number
        return
    small, big = sp.Rational(1, 100), sp.Integer(100)
    values = [dict(zip((M, BETA, EPS), at, strict=True)) for at in product((small, big), repeat=3)]
    signs = {sp.sign((v - w).xreplace(at)) for at in values}
    assert {-1, 1} <= signs


def test_what_integers_or_sums_decide_is_asked() -> None:
    assert not _free_quotient(N ** 2, N)
    assert not _free_quotient(M + 1, M)
    assert largest((M + 1, M)) == M + 1
    assert largest((M ** 2 / 2, M ** 2)) == M ** 2
    assert smallest((M ** 2 / 2, M ** 2)) == M ** 2 / 2
    assert largest((-M, M ** 2, sp.Integer(0))) == M ** 2
    assert smallest((M ** 2, -M)) == smallest((-M, M ** 2)) == -M
    assert largest((M ** 2, 1 / (2 * M))) == sp.Max(M ** 2, 1 / (2 * M), evaluate=False)
