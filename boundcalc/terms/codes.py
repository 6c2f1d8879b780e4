"""Position codes u_i of the L data tokens of a sequence, with ⟨u_i, u_i⟩ = 1 and ⟨u_i, u_j⟩ ≤ 1 − g for i ≠ j, exactly.

onehot  the i-th unit vector: dimension L, g = 1.
circle  rational points on the unit circle next to the L-th roots of unity: dimension 2, g ≈ 2π²/L², computed from them.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ..errors import InvalidInput, NotDerivable, echo
from ..formulas.index import Index, upto
from ..formulas.symbols import CodeEntry, symbol
from ..numbers.circle import circle
from .linear import Form, Rows
from .term import Codes

NAMES = ("onehot", "circle")
LONGEST_CIRCLE = 2 * 10 ** 4       # its gap is computed from all points


def position_codes(name: str, token: Index) -> Codes:
    length = token.count
    if name not in NAMES:
        raise InvalidInput(f"There are no codes '{echo(name)}'.", f"Known are {', '.join(NAMES)}.")
    if name == "onehot":
        return Codes(name, length, (Rows("code", Form((), sp.S.One), (token.symbol, token.symbol), (token,)),), sp.S.One)
    rows = tuple(Rows("code", Form((), CodeEntry(token.symbol, length, sp.Integer(axis))),
                      (token.symbol, sp.Integer(axis)), (token,)) for axis in (0, 1))
    return Codes(name, sp.Integer(2), rows, symbol("g"))


def tokens_of() -> Index:
    return upto(sp.Symbol("_q", integer=True, nonnegative=True), symbol("L"))


def circle_gap(length: int) -> Fraction:
    """1 − the largest ⟨u_i, u_j⟩: attained by neighbours, since the points go round the circle in order."""
    if length > LONGEST_CIRCLE:
        raise InvalidInput(f"Circle codes are computed for at most {LONGEST_CIRCLE} tokens.",
                           "Use --codes onehot, or a shorter --sequence.")
    points = circle(length)
    pairs = list(zip(points, (*points[1:], points[0]), strict=True))
    if length > 2 and not all(a[0] * b[1] - a[1] * b[0] > 0 for a, b in pairs):
        raise NotDerivable("R10", "circle codes", "their points are not in order")
    return 1 - max(a[0] * b[0] + a[1] * b[1] for a, b in pairs)
