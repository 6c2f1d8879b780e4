"""What a construction file provides, and the setting that its terms are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import sympy as sp
from sympy import Expr

from ..formulas.closed_slopes import SymbolicBox
from ..formulas.index import upto
from ..formulas.interval import LINE, Interval
from ..formulas.symbols import INTERNAL, index, symbol
from ..formulas.target import Target
from ..terms.term import Copies, Term

# what the domain of a construction is: [−M, M] by default; the whole line; the whole line, where M or the range belongs to
# the function itself; or a range of positive numbers that must be given
SYMMETRIC, WHOLE_LINE, FUNCTION, POSITIVE = "M", "line", "function", "positive"


@dataclass(frozen=True)
class Setting:
    """What a term may mention: the domain [c − h, c + h] of every input, the input error δ, counts n and d.

    The network is built for [c − h, c + h], where perturbed inputs can be; exact inputs are δ further inside. Terms are
    written in symbols whose signs are known; `meaning` says what the internal ones are in the user's own parameters.
    `interval` is the one that belongs to the function itself (where it is clipped, where a hat stands).
    """

    centre: Expr
    half: Expr
    delta: Expr
    meaning: Mapping[str, Expr]
    interval: Interval = LINE
    weights: tuple[Expr, ...] | None = None     # w of a unit Range(w·x + t); None for ones
    shift: Expr = sp.S.Zero                     # its t
    codes: str | None = None                    # the position codes of a sequence, if there is one
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

    @staticmethod
    def around(symmetric: bool, delta: Expr = sp.S.Zero) -> Setting:
        """The whole line, the function having an interval of its own: [−M, M] or [a, b]."""
        if symmetric:
            return Setting(sp.S.Zero, sp.oo, delta, {}, Interval.symmetric(symbol("M")))
        a, b = symbol("a"), symbol("b")
        return Setting(sp.S.Zero, sp.oo, delta, {"width": b - a}, Interval(a, a + INTERNAL["width"]))

    @staticmethod
    def positive(delta: Expr = sp.S.Zero) -> Setting:
        """[a, b] with 0 < a − δ: the network is built for [A, A/s²] ⊇ [a − δ, b + δ], A = a − δ, s = 1 − N·h."""
        left, last = INTERNAL["left"], INTERNAL["last"]
        ends = Interval(left, left / last ** 2)
        return Setting((ends.lo + ends.hi) / 2, (ends.hi - ends.lo) / 2, delta, {
            "left": symbol("a") - delta, "right": symbol("b") + delta,
            "last": 1 - symbol("N") * symbol("h"), "inner": symbol("N") - 1}, ends)

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


class Pieces(Protocol):
    """A route with its own exact rule for the number of pieces and for their step, a real parameter."""

    name: str
    step: str
    why_step: str
    @property
    def error(self) -> Expr:
        """The error of the pieces for the exact step, in the user's parameters."""
    @property
    def error_in_step(self) -> Expr:
        """The same for any step, as it stands in the derived error."""
    @property
    def step_rule(self) -> Expr: ...
    @property
    def conditions(self) -> tuple[Expr, ...]:
        """What number and step must satisfy for the error to be that of the step."""
    def rule(self, strict: bool) -> Expr:
        """The least number with error ≤ ε, or < ε."""
    def least(self, values: Mapping[str, Fraction], strict: bool) -> int: ...
    def step_for(self, values: Mapping[str, Fraction], count: int, strict: bool) -> tuple[Fraction, bool]:
        """The step for so many pieces, rounded up, and whether it is exact."""


@dataclass(frozen=True)
class Route:
    """One way to build the network: its term, whether gates apply, and the integers that are free to choose."""

    build: Callable[[Setting], Term]
    gated: bool
    integers: tuple[str, ...] = ()
    pieces: Pieces | None = None        # how many pieces and with which step, where the route has its own rule
    witness: Callable[[Case], Sequence[Fraction]] | None = None     # a point where a tight bound is attained


@dataclass(frozen=True)
class Case:
    """Concrete exact values of the parameters."""

    values: dict[str, Fraction]

    def __getitem__(self, name: str) -> Fraction:
        return self.values[name]

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """What --M or --range says."""
        return (-self["M"], self["M"]) if "M" in self.values else (self["a"], self["b"])


@dataclass(frozen=True)
class Construction:
    """`inputs` names the inputs of one copy, or the one block of n or d coordinates that `block` counts; `target` is the
    exact function of one copy: an expression in inputs and parameters, where the ends of the range are a and b."""

    name: str
    inputs: tuple[str, ...]
    output: str
    target: str
    routes: dict[str, Route]
    domain: str = SYMMETRIC
    block: str | None = None        # "n" or "d": one input block of so many coordinates instead of d copies

    def target_at(self, values: Mapping[str, Fraction]) -> Target:
        """The target at concrete sizes and parameters, for one copy."""
        size = int(values[self.block]) if self.block else 1
        given: dict[str, Fraction | tuple[Fraction, ...]] = {k: v for k, v in values.items() if k not in self.inputs}
        if "M" in values or "a" in values:
            given["a"], given["b"] = Case(dict(values)).interval
        if self.block == "d":
            given["w"] = tuple(values.get(f"w{i + 1}", Fraction(1)) for i in range(size))
            given.setdefault("t", Fraction(0))
        return Target.of(self.target, dict.fromkeys(self.inputs, size), given)

    def boxes(self, s: Setting) -> dict[str, SymbolicBox]:
        """Where the coordinates of every input block are."""
        size = {"n": s.n, "d": s.d}[self.block] if self.block else sp.S.One
        return {x: SymbolicBox(s.exact_domain, s.domain, size) for x in self.inputs}

    @property
    def many(self) -> bool:
        return self.block == "n"
