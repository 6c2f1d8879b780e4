"""Affine forms with exact rational coefficients, over numbered variables: what a network's vectors are made of.

A vector of a network holds hundreds of thousands of constants beside a few forms; constants are plain `fmpq`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from flint import fmpq

ZERO, ONE = fmpq(0), fmpq(1)


class RationalForm:
    """constant + Σ coefficient·variable, at least one coefficient, none zero."""

    __slots__ = ("_key", "constant", "terms")

    def __init__(self, constant: fmpq, terms: dict[int, fmpq]) -> None:
        self.constant = constant
        self.terms = terms
        self._key: tuple[object, ...] | None = None

    def key(self) -> tuple[object, ...]:
        if self._key is None:
            self._key = (self.constant, tuple(sorted(self.terms.items())))
        return self._key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RationalForm) and self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return " + ".join([str(self.constant), *(f"{c}·v{k}" for k, c in sorted(self.terms.items()))])


Value: TypeAlias = RationalForm | fmpq


def combine(parts: Iterable[tuple[fmpq, Value]], constant: fmpq = ZERO) -> Value:
    """constant + Σ factor·value."""
    terms: dict[int, fmpq] = {}
    for factor, value in parts:
        if isinstance(value, RationalForm):
            constant = constant + factor * value.constant
            for k, c in value.terms.items():
                before = terms.get(k)
                terms[k] = factor * c if before is None else before + factor * c
        else:
            constant = constant + factor * value
    return made(constant, terms)


def made(constant: fmpq, terms: Mapping[int, fmpq]) -> Value:
    kept = {k: c for k, c in terms.items() if c != 0}
    return RationalForm(constant, kept) if kept else constant


def add(x: Value, y: Value) -> Value:
    return combine(((ONE, x), (ONE, y)))


def subtract(x: Value, y: Value) -> Value:
    if not isinstance(x, RationalForm) and not isinstance(y, RationalForm):
        return x - y
    return combine(((ONE, x), (-ONE, y)))


def scale(factor: fmpq, x: Value) -> Value:
    return combine(((factor, x),))


def constant_of(x: Value) -> fmpq:
    return x.constant if isinstance(x, RationalForm) else x


def terms_of(x: Value) -> Mapping[int, fmpq]:
    return x.terms if isinstance(x, RationalForm) else {}


def coefficient(x: Value, variable: int) -> fmpq:
    return terms_of(x).get(variable, ZERO)


def variable(k: int) -> RationalForm:
    return RationalForm(ZERO, {k: ONE})


def factor_of(x: Value, y: RationalForm) -> fmpq | None:
    """The number c with x − c·y constant, if there is one."""
    if not isinstance(x, RationalForm):
        return ZERO
    if x.terms.keys() != y.terms.keys():
        return None
    k = next(iter(y.terms))
    c = x.terms[k] / y.terms[k]
    return c if all(x.terms[j] == c * d for j, d in y.terms.items()) else None
