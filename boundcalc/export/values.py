"""How numbers are written: exactly where that is short, otherwise rounded in a stated direction."""

from __future__ import annotations

from fractions import Fraction

from ..numbers.exact import decimal_down, decimal_up, digits_within, exact_text, is_exact_decimal
from ..results.bound import HUGE, Quantity

ROUNDED_UP, ROUNDED_DOWN = "↑", "↓"


def short(q: Quantity, digits: int = 8, huge: bool = False) -> str:
    """A value for a table; an arrow says in which direction it was rounded. `huge`: no value means too large a one."""
    if q.upper is None:
        return "∞" if q.symbolic.has(_infinity()) else f"> 10^{HUGE}" if huge else ""
    return number(q.exact if q.exact is not None else q.upper, digits, exact=q.exact is not None, limit=q.limit)


def number(x: Fraction, digits: int = 8, exact: bool = True, down: bool = False, limit: Fraction | None = None) -> str:
    """A decimal, rounded up or down and marked so; rounded up it is at most `limit`, if x is, and a fraction if no decimal
    is between the two."""
    if exact and (x.denominator == 1 and abs(x) < 10 ** 15):
        return str(x.numerator)
    enough = digits if down else digits_within(x, digits, limit)
    if enough is None:
        return exact_text(x)
    digits = enough
    text = (decimal_down if down else decimal_up)(x, digits)
    return text if exact and is_exact_decimal(x, digits) else text + (ROUNDED_DOWN if down else ROUNDED_UP)


def fraction(x: Fraction) -> str:
    """A parameter as it was meant: an exact decimal if it is one, else p/q."""
    plain = exact_text(x)
    return decimal_up(x, 12) if is_exact_decimal(x, 12) else plain if len(plain) <= 40 else f"≈ {decimal_up(x, 12)}"


def given(x: Fraction) -> str:
    """A parameter for a table or a sentence: as it was meant where that is short, else rounded up and marked so."""
    shown = fraction(x)
    return number(x, 9) if shown.startswith("≈") or len(shown) > 14 else shown


def _infinity() -> object:
    from sympy import oo
    return oo
