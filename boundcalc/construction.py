"""What a construction file provides, and the setting that its terms are written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp

from .interval import LINE, Interval, largest
from .linear import Index, upto
from .network import Copies, Term
from .symbols import index, symbol

Expr = sp.Expr

WIDTH = sp.Symbol("w", positive=True)

# what the domain of a construction is when the user says nothing
SYMMETRIC, WHOLE_LINE = "M", "line"


@dataclass(frozen=True)
class Setting:
    """The symbols a term may use. `lo`, `hi` bound every input; the network is built for [lo − δ, hi + δ]."""

    lo: Expr
    hi: Expr
    delta: Expr = sp.Integer(0)
    n: Expr = field(default_factory=lambda: symbol("n"))
    d: Expr = field(default_factory=lambda: symbol("d"))

    @staticmethod
    def symmetric(delta: Expr = sp.Integer(0)) -> Setting:
        m = symbol("M")
        return Setting(-m, m, delta)

    @staticmethod
    def between(delta: Expr = sp.Integer(0)) -> Setting:
        """[a, b], written with its width w = b − a > 0, whose sign is known; `settled` puts b back."""
        return Setting(symbol("a"), symbol("a") + WIDTH, delta)

    @staticmethod
    def whole_line(delta: Expr = sp.Integer(0)) -> Setting:
        return Setting(LINE.lo, LINE.hi, delta)

    @property
    def domain(self) -> Interval:
        """Where perturbed inputs can be."""
        return Interval(self.lo - self.delta, self.hi + self.delta)

    @property
    def centre(self) -> Expr:
        return (self.lo + self.hi) / 2

    @property
    def half(self) -> Expr:
        """Half the width of the domain that the network is built for."""
        return sp.expand((self.hi - self.lo) / 2) + self.delta

    @property
    def largest(self) -> Expr:
        """max |x| over the exact inputs."""
        return self.hi if self.lo == -self.hi else largest((-self.lo, self.hi))

    def copy_index(self) -> Index:
        return upto(index("c"), self.d)


def copies(s: Setting, term: Term) -> Term:
    return Copies(term, s.copy_index())


@dataclass(frozen=True)
class Route:
    """One way to build the network: its term, whether the recipe's gates apply, and the integers it is free to choose."""

    build: Callable[[Setting], Term]
    gated: bool
    integers: tuple[str, ...] = ()
    witness: Callable[[Case], Sequence[Fraction]] | None = None     # a point where a tight bound is attained


@dataclass(frozen=True)
class Case:
    """Concrete exact values of the parameters."""

    values: dict[str, Fraction]

    def __getitem__(self, name: str) -> Fraction:
        return self.values[name]


@dataclass(frozen=True)
class Construction:
    """`inputs` names the inputs of one copy, or one block of n; `target` is the exact function of one copy."""

    name: str
    inputs: tuple[str, ...]
    output: str
    target: Callable[[Sequence[Fraction]], Fraction]
    routes: dict[str, Route]
    domain: str = SYMMETRIC
    many: bool = False              # one input block of n coordinates instead of d copies
    kinks: Callable[[Case], Sequence[Fraction]] | None = None   # coordinates worth looking at when searching the worst point
