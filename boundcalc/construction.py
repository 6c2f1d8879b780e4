"""What a construction file provides, and the setting that its terms are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp
from sympy import Expr

from .interval import Interval
from .linear import upto
from .network import Copies, Term
from .symbols import INTERNAL, index, symbol

# what the domain of a construction is when the user says nothing
SYMMETRIC, WHOLE_LINE = "M", "line"


@dataclass(frozen=True)
class Setting:
    """What a term may mention: the domain [c − h, c + h] of every input, the input error δ, counts n and d.

    The network is built for [c − h, c + h], where perturbed inputs can be; exact inputs are δ further inside. Terms are
    written in symbols whose signs are known; `meaning` says what the internal ones are in the user's own parameters.
    """

    centre: Expr
    half: Expr
    delta: Expr
    meaning: Mapping[str, Expr]
    n: Expr = field(default_factory=lambda: symbol("n"))
    d: Expr = field(default_factory=lambda: symbol("d"))

    @staticmethod
    def symmetric(delta: Expr = sp.S.Zero) -> Setting:
        """[−M, M]."""
        if delta is sp.S.Zero:
            return Setting(sp.S.Zero, symbol("M"), delta, {})
        return Setting(sp.S.Zero, INTERNAL["half"], delta, {"half": symbol("M") + delta})

    @staticmethod
    def between(delta: Expr = sp.S.Zero) -> Setting:
        """[a, b]."""
        a, b = symbol("a"), symbol("b")
        return Setting(INTERNAL["sum"] / 2, INTERNAL["width"] / 2, delta, {"sum": a + b, "width": b - a + 2 * delta})

    @staticmethod
    def up_to(delta: Expr = sp.S.Zero) -> Setting:
        """[a, b] with b + δ > 0, for gates that must see that sign."""
        a, b, width, right = symbol("a"), symbol("b"), INTERNAL["width"], INTERNAL["right"]
        return Setting(right - width / 2, width / 2, delta, {"right": b + delta, "width": b - a + 2 * delta})

    @staticmethod
    def whole_line(delta: Expr = sp.S.Zero) -> Setting:
        return Setting(sp.S.Zero, sp.oo, delta, {})

    @property
    def domain(self) -> Interval:
        """Where perturbed inputs can be."""
        return Interval(self.centre - self.half, self.centre + self.half)

    @property
    def exact_domain(self) -> Interval:
        return Interval(self.domain.lo + self.delta, self.domain.hi - self.delta)

    @property
    def largest(self) -> Expr:
        """max |x| over the exact inputs."""
        return sp.Abs(self.centre) + self.half - self.delta


def copies(s: Setting, term: Term) -> Term:
    return Copies(term, upto(index("c"), s.d))


@dataclass(frozen=True)
class Route:
    """One way to build the network: its term, whether gates apply, and the integers that are free to choose."""

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
