"""The no-float gate: text to exact rationals, exact logarithms, and decimals rounded in a known direction.

Everything here is integer arithmetic of the standard library. Sizes are checked before anything is computed, so
that no input, however short (9**9**9), can make the program work for long.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from ..errors import Fault, InvalidInput, echo

MAX_TEXT = 2000        # characters of one number
MAX_EXPONENT = 5000    # of a decimal such as 1e-1000
MAX_BITS = 20_000      # of a numerator or denominator
_CHUNK = 4000          # Python converts at most 4300 digits at once between text and int

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_OPERAND = re.compile(rf"\s*([+-]?)\s*({_NUMBER})\s*(?:\*\*\s*([+-]?[0-9]+)\s*)?", re.ASCII)
_DECIMAL = re.compile(r"([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_OPTION = re.compile(r"--\w+")
_REMEDY = "Write an exact number such as 3, 0.001, 1e-3, 1/1000 or 2**-10."


def rational(text: str, what: str = "number", example: str | None = None) -> Fraction:
    """The exact value of `3`, `-0.25`, `1e-3`, `2**-10`, `10^-3`, or of a quotient of two; `what`: its name in errors, an
    option perhaps, for which `example` is a value that will do."""
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"The {what} {echo(text)!r} has more than {MAX_TEXT} characters.", _REMEDY)
    parts = text.replace("−", "-").replace("^", "**").split("/")        # as people write them
    matches = [_OPERAND.fullmatch(part) for part in parts]
    if len(parts) > 2 or None in matches:
        named = what if what.startswith("-") else f"The {what}"
        raise InvalidInput(f"{named} {echo(text)!r} is not an exact number.", _REMEDY,
                           {what: _meant(text) or example or "1e-3"} if _OPTION.fullmatch(what) else None, _fault(text))
    try:
        values = [_operand(*match.groups()) for match in matches if match]
        value = values[0] / values[1] if len(values) == 2 else values[0]
    except ZeroDivisionError:
        raise InvalidInput(f"The {what} {echo(text)!r} divides by zero.", _REMEDY,
                           {what: example or "1e-3"} if _OPTION.fullmatch(what) else None) from None
    except OverflowError:
        raise InvalidInput(f"The {what} {echo(text)!r} is too large or too small.",
                           f"Exponents of ten go up to {MAX_EXPONENT}, powers up to {MAX_BITS} bits.") from None
    return value


def _meant(text: str) -> str | None:
    """A number that a text like this may stand for: 1,5 for 1.5, 1e--3 for 1e-3, 0.001x for 0.001."""
    shown = re.sub("--+", "-", text.strip().replace("−", "-").replace("^", "**").replace(",", "."))
    shown = re.sub(r"[^0-9]+$", "", re.sub(r"^[^0-9.+-]+", "", shown))
    return shown if re.fullmatch(rf"[+-]?{_NUMBER}", shown) and shown != text else None


def _fault(text: str) -> Fault:
    """From the first character that no number has there."""
    plain = text.replace("−", "-").replace("^", "*")
    begun = re.match(rf"\s*[+-]?\s*(?:{_NUMBER})?(?:\*\*?[+-]?[0-9]*)?(?:/\s*[+-]?(?:{_NUMBER})?)?", plain)
    start = min(begun.end() if begun else 0, max(0, len(text) - 1))
    return Fault(text, start, len(text))


def _operand(sign: str, number: str, exponent: str | None) -> Fraction:
    value = decimal(number)
    if exponent is not None:
        value = power(value, int(exponent))
    return -value if sign == "-" else value


def decimal(text: str) -> Fraction:
    """The value of an unsigned literal such as `12`, `.5`, `1.5e-3`; OverflowError if it exceeds the limits."""
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        raise ValueError(text)
    whole, part, exponent = match[1], match[2] or "", match[3] or "0"
    digits = (whole + part).lstrip("0")
    # 20,000 bits are 6020 digits; the length of the exponent is checked before it is converted
    if len(digits) > 6020 or len(exponent) > 12 or abs(int(exponent)) > MAX_EXPONENT:
        raise OverflowError(text)
    scale = int(exponent) - len(part)
    if len(digits) + max(scale, 0) > 6020 or -scale > 6020:
        raise OverflowError(text)
    mantissa = _integer(digits)
    return Fraction(mantissa * 10**scale) if scale >= 0 else Fraction(mantissa, 10**-scale)


def power(base: Fraction, exponent: int) -> Fraction:
    """base**exponent; OverflowError, before computing it, if the result would have more than MAX_BITS bits."""
    if power_bits(base, exponent) > MAX_BITS:
        raise OverflowError
    return base**exponent


def power_bits(base: Fraction, exponent: int) -> int:
    """An upper bound on the bits of numerator and denominator of base**exponent."""
    if abs(base.numerator) <= 1 and base.denominator == 1:
        return 1
    return max(abs(base.numerator).bit_length(), base.denominator.bit_length()) * abs(exponent)


def ceil_log(x: Fraction | int, base: int) -> int:
    """The least integer k, possibly negative, with base**k >= x."""
    x = Fraction(x)
    if x <= 0 or base < 2:
        raise ValueError("ceil_log needs x > 0 and base >= 2")
    # 2**(bits-1) < x < 2**(bits+1) and 2**(size-1) <= base < 2**size bracket k; the rest is an exact search
    bits = x.numerator.bit_length() - x.denominator.bit_length()
    size = base.bit_length()
    low = (bits - 1) // (size if bits >= 1 else size - 1)             # base**low <= 2**(bits-1) < x
    high = -(-(bits + 1) // (size - 1 if bits >= -1 else size))       # base**high >= 2**(bits+1) > x
    while high - low > 1:
        middle = (low + high) // 2
        if _power_reaches(base, middle, x):
            high = middle
        else:
            low = middle
    return high


def floor_log(x: Fraction | int, base: int) -> int:
    """The greatest integer k, possibly negative, with base**k <= x."""
    return -ceil_log(1 / Fraction(x), base) if x > 0 else ceil_log(x, base)   # the latter refuses x


def _power_reaches(base: int, k: int, x: Fraction) -> bool:
    if k >= 0:
        return base**k * x.denominator >= x.numerator
    return x.denominator >= x.numerator * base**-k


def round_up_significant(x: Fraction, digits: int) -> Fraction:
    """The least rational with that many significant decimal digits that is >= x > 0."""
    mantissa, exponent = _scaled(x, digits, up=True)
    return Fraction(mantissa) * Fraction(10) ** exponent


def short_up(x: Fraction, digits: int = 7, kept: int = 10 ** 5) -> Fraction:
    """The number itself where its denominator is small, else the next one above it with so many significant digits."""
    if x.denominator <= kept:
        return x
    return round_up_significant(x, digits) if x > 0 else -round_down_significant(-x, digits)


def round_down_significant(x: Fraction, digits: int) -> Fraction:
    """The greatest rational with that many significant decimal digits that is <= x, for x > 0."""
    mantissa, exponent = _scaled(x, digits, up=False)
    return Fraction(mantissa) * Fraction(10) ** exponent


def place_of(x: Fraction, digits: int) -> int:
    """The rank, among all positive numbers of so many significant digits, of the least that is >= x > 0."""
    mantissa, exponent = _scaled(x, digits, up=True)
    first = 10 ** (digits - 1)
    if mantissa == 10 * first:
        mantissa, exponent = first, exponent + 1
    return exponent * 9 * first + mantissa - first


def at_place(rank: int, digits: int) -> Fraction:
    """The number of that rank."""
    first = 10 ** (digits - 1)
    exponent, rest = divmod(rank, 9 * first)
    return (first + rest) * Fraction(10) ** exponent


def is_exact_decimal(x: Fraction | int, digits: int = 20) -> bool:
    """Whether x itself has at most that many significant decimal digits."""
    return x == 0 or round_down_significant(abs(Fraction(x)), digits) == abs(x)


def decimal_up(x: Fraction | int, digits: int = 20) -> str:
    """A decimal >= x with at most `digits` significant digits; exact values are printed exactly."""
    return _signed_decimal(Fraction(x), digits, up=True)


def digits_within(x: Fraction, digits: int, limit: Fraction | None) -> int | None:
    """The least number of digits, from `digits` on, for which x >= 0 rounded up is at most a limit that is at least x; None
    if there is none, since x is the limit and no decimal. Where x is above the limit nothing has to be kept."""
    if limit is None or not 0 < x <= limit or round_up_significant(x, digits) <= limit:
        return digits
    if x == limit:
        reduced = x.denominator
        for prime in (2, 5):
            while reduced % prime == 0:
                reduced //= prime
        if reduced != 1:
            return None
        return next(k for k in itertools.count(digits) if is_exact_decimal(x, k))
    enough = floor_log(x, 10) - floor_log(limit - x, 10) + 1      # one unit of the last digit is at most limit − x
    low, high = digits, enough          # the more digits, the smaller what is rounded up
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if round_up_significant(x, middle) <= limit else (middle, high)
    return high


def decimal_down(x: Fraction | int, digits: int = 20) -> str:
    """A decimal <= x with at most `digits` significant digits; exact values are printed exactly."""
    return _signed_decimal(Fraction(x), digits, up=False)


def exact_text(x: Fraction | int) -> str:
    """`p/q` or `p`, also for integers longer than the 4300 digits that str() converts."""
    x = Fraction(x)
    top = ("-" if x < 0 else "") + _digits(abs(x.numerator))
    return top if x.denominator == 1 else f"{top}/{_digits(x.denominator)}"


def _signed_decimal(x: Fraction, digits: int, up: bool) -> str:
    if x == 0:
        return "0"
    sign = "-" if x < 0 else ""
    return sign + _decimal_text(*_scaled(abs(x), digits, up=up == (x > 0)))


def _scaled(x: Fraction, digits: int, up: bool) -> tuple[int, int]:
    """(m, e) with m*10**e the nearest number of that many digits on the chosen side of x > 0."""
    if x <= 0 or digits < 1:
        raise ValueError("rounding to significant digits needs x > 0 and digits >= 1")
    exponent = floor_log(x, 10) - digits + 1
    top, bottom = x.numerator * 10 ** max(-exponent, 0), x.denominator * 10 ** max(exponent, 0)
    return (-(-top // bottom) if up else top // bottom), exponent


def _decimal_text(mantissa: int, exponent: int) -> str:
    digits = _digits(mantissa)
    shown = digits.rstrip("0")
    point = len(digits) + exponent            # the value is 0.shown * 10**point
    if not -7 < point <= 21:
        tail = f".{shown[1:]}" if len(shown) > 1 else ""
        return f"{shown[0]}{tail}e{point - 1}"
    if point <= 0:
        return "0." + "0" * -point + shown
    if len(shown) <= point:
        return shown + "0" * (point - len(shown))
    return f"{shown[:point]}.{shown[point:]}"


def _integer(digits: str) -> int:
    value = 0
    for start in range(0, len(digits), _CHUNK):
        piece = digits[start : start + _CHUNK]
        value = value * 10 ** len(piece) + int(piece)
    return value


def _digits(value: int) -> str:
    pieces = []
    while value.bit_length() > 14_000:        # more than _CHUNK digits; fewer bits are fewer than 4300 digits
        value, low = divmod(value, 10**_CHUNK)
        pieces.append(str(low).zfill(_CHUNK))
    return str(value) + "".join(reversed(pieces))


# ---------------------------------------------------------------------------------------------------------------
# what inputs are off by

Shift = Fraction | tuple[Fraction, ...]     # the same for every input, or one for each


def each(shift: Shift, count: int) -> tuple[Fraction, ...]:
    """One for every input."""
    return shift if isinstance(shift, tuple) else (shift,) * count


def moved(point: Sequence[Fraction], shift: Shift) -> list[Fraction]:
    """What a network sees of a point."""
    return [x + s for x, s in zip(point, each(shift, len(point)), strict=True)]
