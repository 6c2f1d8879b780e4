"""Products in plans: powers by repeated squares, polynomials by Horner's scheme, products of many factors by a tree."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from ..terms.linear import Form, as_form, var
from ..terms.plan import Use


def rational(x: Fraction) -> sp.Rational:
    return sp.Rational(x.numerator, x.denominator)


def tree(factors: Sequence[Form], prefix: str = "p") -> tuple[tuple[Use, ...], Form]:
    """Pairs, then pairs of pairs, …; what is left over waits for the next level."""
    uses: list[Use] = []
    level, left = 0, list(factors)
    while len(left) > 1:
        level += 1
        pairs = list(zip(left[::2], left[1::2], strict=False))
        made = [Use(f"{prefix}{level}n{k + 1}", "mult", {"x": x, "y": y}) for k, (x, y) in enumerate(pairs)]
        uses += made
        left = [*(var(use.result) for use in made), *left[2 * len(pairs):]]
    return tuple(uses), as_form(left[0])


def power(x: Form, k: int, prefix: str = "x") -> tuple[tuple[Use, ...], Form]:
    """x^k, k ≥ 1: the squares x², x⁴, … that the binary digits of k ask for, and their product."""
    uses: list[Use] = []
    square, exponent, found = x, 1, []
    while True:
        if k & exponent:
            found.append(square)
        exponent *= 2
        if exponent > k:
            break
        uses.append(Use(f"{prefix}{exponent}", "square", {"x": square}))
        square = var(f"{prefix}{exponent}")
    product, result = chain(found, f"{prefix}p")
    return (*uses, *product), result


def chain(factors: Sequence[Form], prefix: str) -> tuple[tuple[Use, ...], Form]:
    """One factor after the other, as they become known."""
    uses: list[Use] = []
    result = as_form(factors[0])
    for k, factor in enumerate(factors[1:], 1):
        uses.append(Use(f"{prefix}{k}", "mult", {"x": factor, "y": result}))
        result = var(f"{prefix}{k}")
    return tuple(uses), result


def horner(x: Form, coefficients: Sequence[Fraction], prefix: str = "h") -> tuple[tuple[Use, ...], Form]:
    """c_0 + x·(c_1 + x·(c_2 + …)), the constant coefficient first. The innermost bracket is affine; where it is a multiple
    of x, its product with x is a square."""
    *lower, last = coefficients
    if not lower:
        return (), as_form(rational(last))
    uses: list[Use] = []
    inner = rational(last) * x + rational(lower[-1])
    for k, c in enumerate(reversed(lower[:-1])):
        name = f"{prefix}{len(lower) - 1 - k}"
        if k == 0 and lower[-1] == 0:
            uses.append(Use(name, "square", {"x": x}))
            inner = rational(last) * var(name) + rational(c)
        else:
            uses.append(Use(name, "mult", {"x": x, "y": inner}))
            inner = var(name) + rational(c)
    return tuple(uses), as_form(inner)


def polynomial(coefficients: Sequence[Fraction], x: str = "x") -> str:
    """The same as a target."""
    *lower, last = coefficients
    text = f"({last})"
    for c in reversed(lower):
        text = f"({c} + {x}*{text})"
    return text


def shown(coefficients: Sequence[Fraction]) -> str:
    """The polynomial as prose: 1 − x² + 2x³."""
    from ..formulas.notation import to_unicode
    x = sp.Symbol("x")
    return to_unicode(sp.Add(*(rational(c) * x ** k for k, c in enumerate(coefficients))))
