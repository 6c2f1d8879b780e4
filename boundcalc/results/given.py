"""Numbers that users give: exact, in range, or refused with what would work. Needs nothing heavy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..errors import InvalidInput, echo
from ..numbers.exact import exact_text, rational

# integer parameter → least and largest value; 10000 levels of a sawtooth reach 10^(−6000)
INTEGERS = {"d": (1, 10 ** 15), "n": (2, 10 ** 15), "m": (0, 10_000), "p": (2, 10 ** 15), "H": (1, 10 ** 15),
            "N": (2, 10 ** 9), "sequence": (2, 10 ** 15)}
NUMBERS = ("eps", "delta", "M", "d", "t", "n", "H", "m", "N", "p", "kappa", "eps0", "beta")
ANY_SIGN = ("t",)
EXAMPLES = {"n": 3, "kappa": 1}         # what is never refused for being too small
MOST_WEIGHTS = 1000


def checked(name: str, raw: Any) -> Fraction:
    """The value of a parameter as an exact rational in its range."""
    value = _exact(name, raw)
    if name in INTEGERS:
        least, most = INTEGERS[name]
        if value.denominator != 1 or value < least:
            raise InvalidInput(f"--{name} must be an integer of at least {least}, not {echo(exact_text(value))}.",
                               f"For example --{name} {EXAMPLES.get(name, max(least, 2))}.")
        if value > most:
            raise InvalidInput(f"--{name} {echo(exact_text(value))} is too large.", f"Give at most {most}.")
    elif name in ANY_SIGN:
        return value
    elif name == "delta":
        if value < 0:
            raise InvalidInput(f"--delta must not be negative, but is {echo(exact_text(value))}.", "Give 0 or more.")
    elif value <= 0:
        remedy = f"Give --{name} {EXAMPLES[name]} or more." if name in EXAMPLES else f"Give a --{name} above 0."
        raise InvalidInput(f"--{name} must be positive, but is {echo(exact_text(value))}.", remedy)
    return value


def checked_range(raw: Any) -> tuple[Fraction, Fraction]:
    """The two ends of a range, a < b."""
    text = raw.strip() if isinstance(raw, str) else ""
    inner = text[1:-1] if text[:1] + text[-1:] == "[]" else text        # [a, b] as one writes an interval
    parts = inner.split(",") if isinstance(raw, str) else list(raw) if isinstance(raw, (tuple, list)) else []
    if len(parts) != 2:
        raise InvalidInput(f"--range takes two numbers a,b, not '{echo(str(raw))}'.", "For example --range 0,1.")
    a, b = (_exact("range", part) for part in parts)
    if a >= b:
        raise InvalidInput(f"The range {echo(exact_text(a))} … {echo(exact_text(b))} is empty.",
                           "Give --range a,b with a < b.")
    return a, b


def checked_weights(raw: Any) -> tuple[Fraction, ...]:
    """The weights of a linear unit."""
    parts = raw.split(",") if isinstance(raw, str) else list(raw) if isinstance(raw, (tuple, list)) else []
    if not 1 <= len(parts) <= MOST_WEIGHTS:
        raise InvalidInput(f"--w takes one number for each input, at most {MOST_WEIGHTS}, not '{echo(str(raw))}'.",
                           "For example --w 1,-1/2.")
    return tuple(_exact("w", part) for part in parts)


def _exact(name: str, raw: Any) -> Fraction:
    if isinstance(raw, str):
        return rational(raw, f"--{name}")
    if isinstance(raw, (int, Fraction)) and not isinstance(raw, bool):
        return Fraction(raw)
    raise InvalidInput(f"{name} = {echo(repr(raw))} is not exact.", f'Write it as text, for example {name}="1e-3".')
