"""Proofs of f ≥ 0 (or f > 0) over a box: the ordered list of sound tactics, each with a name (docs/claims.md)."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from .boxes import Work
from .goals import Goal, Prover, Tactic
from .model import Variable
from .tactics_algebra import coefficients, constant, factors, linear, logarithms, parts, sign, square
from .tactics_calculus import boxes, integers, monotone, touching
from .tactics_shape import exponentials, inverse, pieces, roots, rounding, substitution

TACTICS: tuple[tuple[str, Tactic], ...] = (
    ("constant", constant), ("sign", sign), ("parts", parts), ("linear", linear), ("factors", factors),
    ("coefficients", coefficients), ("pieces", pieces), ("rounding", rounding), ("substitution", substitution),
    ("roots", roots), ("inverse", inverse), ("logarithms", logarithms), ("square", square), ("touching", touching),
    ("exponentials", exponentials), ("monotone", monotone), ("boxes", boxes), ("integers", integers),
)


def prover(work: Work | None = None, seconds: float = 8) -> Prover:
    return Prover(TACTICS, work, seconds)


def nonnegative(f: sp.Expr, box: Mapping[sp.Symbol, Variable], strict: bool = False, seconds: float = 8) -> bool:
    """Whether f ≥ 0 (f > 0) on the box was proved."""
    return prover(seconds=seconds).attempt(Goal(f, strict, box))
