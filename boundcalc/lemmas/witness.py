"""Points at which the sharp lemmas are attained, as rationals: the error is flat there, so 40 digits are plenty."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from .softmax import W1


def worst_silu_gap(beta: Fraction) -> tuple[Fraction, Fraction]:
    """(the loss W(1/e)/β, rounded down; the |z| at which S6 attains it)."""
    return _digits(W1) / beta, _digits(1 + W1) / beta


def worst_silu_input(beta: Fraction) -> Fraction:
    return worst_silu_gap(beta)[1]


def worst_boltzmann_gap(n: int, beta: Fraction) -> Fraction:
    """How far below the maximum all others must lie for S5 to be attained."""
    return _digits(1 + sp.LambertW((n - 1) / sp.E)) / beta


def _digits(constant: sp.Expr) -> Fraction:
    from ..formulas.enclosure import lower  # ball arithmetic is loaded only where a number is needed
    return lower(constant, {}, 40)
