"""How numbers are written: exactly where that is short, otherwise rounded in a stated direction."""

from __future__ import annotations

from fractions import Fraction

from ..numbers.exact import (
    decimal_down,
    decimal_up,
    digits_within,
    exact_text,
    floor_log,
    is_exact_decimal,
    round_down_significant,
    round_up_significant,
)
from ..results.bound import HUGE, Quantity

ROUNDED_UP, ROUNDED_DOWN = "↑", "↓"
DIGITS = 4              # of what is rounded on a first screen
SHORT = 8               # characters of what is exact there
POINT = range(-4, 6)    # exponents of ten that are written with a decimal point


def short(q: Quantity, digits: int = 8, huge: bool = False) -> str:
    """A value for a table; an arrow says in which direction it was rounded. `huge`: no value means too large a one."""
    if q.upper is None:
        return "∞" if q.symbolic.has(_infinity()) else f"> 10^{HUGE}" if huge else ""
    return number(q.exact if q.exact is not None else q.upper, digits, exact=q.exact is not None, limit=q.limit)


def number(x: Fraction, digits: int = 8, exact: bool = True, down: bool = False, limit: Fraction | None = None) -> str:
    """A decimal, rounded up or down and marked so; rounded up it is at most `limit`, if x is, and a fraction if no decimal
    is between the two."""
    if exact and (x.denominator == 1 and abs(x) < 10 ** 15):
        return minus(str(x.numerator))
    enough = digits if down else digits_within(x, digits, limit)
    if enough is None:
        return minus(exact_text(x))
    digits = enough
    text = minus((decimal_down if down else decimal_up)(x, digits))
    return text if exact and is_exact_decimal(x, digits) else text + (ROUNDED_DOWN if down else ROUNDED_UP)


def fraction(x: Fraction) -> str:
    """A parameter as it was meant: an exact decimal if it is one, else p/q."""
    plain = exact_text(x)
    return minus(decimal_up(x, 12)) if is_exact_decimal(x, 12) else minus(plain) if len(plain) <= 40 \
        else f"≈ {minus(decimal_up(x, 12))}"


def equals(name: str, x: Fraction) -> str:
    """`x = 0.25`, or `x ≈ 0.333333333333` for a number too long to be written out."""
    shown = fraction(x)
    return f"{name} {shown}" if shown.startswith("≈") else f"{name} = {shown}"


def minus(text: str) -> str:
    """One sign for what is negative, everywhere; exponents such as 1e-30 stay as they can be typed."""
    return f"−{text[1:]}" if text.startswith("-") else text


def given(x: Fraction) -> str:
    """A parameter for a table or a sentence: as it was meant where that is short, else rounded up and marked so."""
    shown = fraction(x)
    return number(x, 9) if shown.startswith("≈") or len(shown) > 14 else shown


# ---------------------------------------------------------------------------------------------------------------
# first screens

def brief(q: Quantity) -> str:
    """A value for a first screen: exact where that is short, otherwise four digits, rounded up and marked so, and as many
    more as keep it at most its limit."""
    if q.upper is None:
        return "∞" if q.symbolic.has(_infinity()) else f"> 10^{HUGE}"
    if q.rounded is not None and q.exact is not None:       # β, with the digits that it has in the network
        return as_chosen(q.exact)
    return briefly(q.exact if q.exact is not None else q.upper, exact=q.exact is not None, limit=q.limit)


def as_chosen(x: Fraction) -> str:
    """A parameter with all the digits that it has, if these are not too many."""
    text = exact_text(x)
    if x.denominator == 1 and len(text) <= SHORT:
        return minus(f"{x.numerator:,}")
    return minus(decimal_up(x, 12)) if is_exact_decimal(x, 12) else minus(text) if len(text) <= 2 * SHORT else briefly(x)


def briefly(x: Fraction, exact: bool = True, down: bool = False, limit: Fraction | None = None) -> str:
    if exact:
        shown = _short(x)
        if shown is not None:
            return shown
    if not x:           # a closed form whose value was not seen to be rational
        return "0"
    digits = DIGITS if down else digits_within(x, DIGITS, limit)
    if digits is None:
        return minus(exact_text(x))
    if x < 0:
        return f"−{briefly(-x, exact, not down)[:-1]}{ROUNDED_DOWN if down else ROUNDED_UP}"
    rounded = (round_down_significant if down else round_up_significant)(x, digits)
    if exact and rounded == x:
        return significant(x, next(k for k in range(1, digits + 1) if is_exact_decimal(x, k)))
    return significant(rounded, digits) + (ROUNDED_DOWN if down else ROUNDED_UP)


def _short(x: Fraction) -> str | None:
    """x itself, if that takes few characters."""
    if x.denominator == 1:
        text = f"{x.numerator:,}"
    elif is_exact_decimal(x, SHORT):
        text = decimal_up(x, SHORT)
        if "e" not in text and abs(x) < Fraction(1, 10 ** 4):
            text = significant(abs(x), 1) if is_exact_decimal(x, 1) and x > 0 else text
    else:
        text = exact_text(x) if not _finite(x) else ""
    return minus(text) if 0 < len(text) <= SHORT else None


def _finite(x: Fraction) -> bool:
    """Whether x has finitely many decimals."""
    rest = x.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def significant(x: Fraction, digits: int) -> str:
    """A positive number of so many digits, all of them shown, with commas, or with an exponent where it is very large or
    small."""
    exponent = floor_log(x, 10)
    mantissa = str(int(x / Fraction(10) ** (exponent - digits + 1)))
    if exponent not in POINT:
        return f"{mantissa[0]}{'.' if digits > 1 else ''}{mantissa[1:]}e{exponent}".replace("-", "−")
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{mantissa}"
    whole, part = mantissa[:exponent + 1].ljust(exponent + 1, "0"), mantissa[exponent + 1:]
    return f"{int(whole):,}" + (f".{part}" if part else "")


def _infinity() -> object:
    from sympy import oo
    return oo
