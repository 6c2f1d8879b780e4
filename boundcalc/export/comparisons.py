"""The words for what would be cheaper, and for an ε that asks for nothing.

Numbers are rounded to the nearest: nothing rests on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..layout import TIE
from ..numbers.exact import floor_log
from ..results.alternatives import Alternative, Price
from ..results.constant import ConstantIsEnough
from .values import fraction

DIGITS = 4
WORDS = {"layers": ("layer", "layers"), "heads": ("head", "heads"), "tokens": ("token", "tokens"),
         "parameters": ("parameter", "parameters")}
NAMES = {"beta": "β", "magnitude": "largest weight"}


def cheaper(found: Sequence[Alternative]) -> list[str]:
    """One line each."""
    return [f"{change(a)}: {gains(a).replace(TIE, ' ')}" + (f"; {price(a.price)}" if a.price else "") for a in found]


def gains(a: Alternative) -> str:
    """What is less with it."""
    return ", ".join(_counted(name, a.resources[name]) for name in a.less)


def change(a: Alternative) -> str:
    return f"--{a.option} {a.value}"


def price(p: Price) -> str:
    name = NAMES.get(p.resource, p.resource)
    equal = " =" if p.resource == "beta" else ""
    return f"{name}{equal} {nearest(p.becomes)} instead of {nearest(p.instead_of)}"


def constant(found: ConstantIsEnough) -> str:
    return (f"the constant {fraction(found.value)} is as good: the target is nowhere farther from it than "
            f"{fraction(found.distance)} ≤ ε")


def _counted(name: str, x: Fraction) -> str:
    if name in WORDS:
        one, several = WORDS[name]
        return f"{nearest(x)} {one if x == 1 else several}"
    return f"{NAMES[name]}{TIE}={TIE}{nearest(x)}"


def nearest(x: Fraction) -> str:
    """A count exactly while it is short, with commas; anything else to four digits."""
    if x.denominator == 1 and x < 10 ** 8:
        return f"{x.numerator:,}"
    half = Fraction(1, 2)
    scale = Fraction(10) ** (DIGITS - 1 - _exponent(x))
    rounded = Fraction(int(x * scale + half)) / scale
    exponent = _exponent(rounded)
    if -4 <= exponent < 6:
        places = max(0, DIGITS - 1 - exponent)
        whole = int(rounded * 10 ** places + half)
        digits = f"{whole:0{places + 1}d}"
        return f"{int(digits[:-places] if places else digits):,}" + (f".{digits[-places:]}" if places else "")
    mantissa = int(rounded / Fraction(10) ** (exponent - DIGITS + 1) + half)
    return f"{str(mantissa)[0]}.{str(mantissa)[1:]}e{exponent}"


def _exponent(x: Fraction) -> int:
    """Of ten in a positive number."""
    return floor_log(x, 10)
