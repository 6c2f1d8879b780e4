"""The only place where symbols are made.

A name has one meaning and one set of assumptions everywhere (`Symbol("n") != Symbol("n", positive=True)` in sympy),
so every module asks `symbol(name)`. How a symbol is written in Unicode and LaTeX stands in the same table.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import sympy as sp

from ..numbers.exact import ceil_log, floor_log
from ..records import dataclass


@dataclass(frozen=True)
class Notation:
    """Assumptions of a parameter, how it is written, and what it is: prose with formulas between dollar signs."""

    assumptions: tuple[str, ...]
    unicode: str
    latex: str
    meaning: str


PARAMETERS: dict[str, Notation] = {
    "eps": Notation(("positive",), "ε", r"\varepsilon", "accuracy asked for (sup norm over the domain)"),
    "fmin": Notation(("positive",), "f_min", r"f_{\min}", "least absolute value of the target on the domain"),
    "delta": Notation(("nonnegative",), "δ", r"\delta", "error already present in every input"),
    "beta": Notation(("positive",), "β", r"\beta", "inverse temperature of the attention heads"),
    "eta": Notation(("positive",), "η", r"\eta", "uniform error of one gate"),
    "kappa": Notation(("positive",), "κ", r"\kappa", "$β·Δ²$, the inverse temperature of anchors at distance $Δ$"),
    "eps0": Notation(("positive",), "ε₀", r"\varepsilon_0", "mass that an anchor head leaves off the two nearest anchors"),
    "M": Notation(("positive",), "M", "M", "half-width of a symmetric domain $[−M, M]$ per input"),
    "a": Notation(("real",), "a", "a", "left end of the range"),
    "b": Notation(("real",), "b", "b", "right end of the range"),
    "m": Notation(("integer", "nonnegative"), "m", "m", "number of sawtooth levels"),
    "n": Notation(("integer", "positive"), "n", "n", "number of arguments (tokens per head for anchor heads)"),
    "H": Notation(("integer", "positive"), "H", "H", "heads per gate"),
    "d": Notation(("integer", "positive"), "d", "d", "copies side by side"),
    "p": Notation(("integer", "positive"), "p", "p", "number of anchors"),
    "N": Notation(("integer", "positive"), "N", "N", "number of linear pieces"),
    "k": Notation(("integer",), "k", "k", "an index"),
    "s": Notation(("integer", "positive"), "s", "s", "index of a repeated stage"),
    "L": Notation(("integer", "positive"), "L", "L", "sequence length"),
    "nu": Notation(("positive",), "ν", r"\nu", "$β·c$, $c$ the score scale that sets the tokens of a sequence apart"),
    "g": Notation(("positive",), "g", "g", "least $1 − ⟨u_i, u_j⟩$ of two position codes $u_i$, $u_j$"),
    "R": Notation(("positive",), "R", "R", "largest value at a data token of a sequence"),
    "xi": Notation(("positive",), "ξ", r"\xi", "leak: what other tokens of a sequence add to the error of a gate"),
}

# Stand-ins for expressions of parameters whose sign sympy would not see; reports put the expressions back.
INTERNAL = {
    "half": sp.Symbol("_h", positive=True),     # half-width of the domain, M + δ
    "width": sp.Symbol("w", positive=True),     # its width, b − a + 2δ
    "sum": sp.Symbol("S", real=True),           # a + b
    "right": sp.Symbol("B", positive=True),     # the right end of the domain, b + δ, where it is positive
    "left": sp.Symbol("A", positive=True),      # the left end of a positive domain, a − δ
    "cells": sp.Symbol("q", integer=True, positive=True),       # the cells of a grid of anchors, p − 1 or (n − 1)H
    "leak": sp.Symbol("E", positive=True),      # e^(−2κ) or e^(−3κ): what a hard selection leaves to other anchors
}


ABOVE_ONE: set[sp.Symbol] = set()       # stand-ins for numbers above 1, for which sympy has no assumption


def stand_in(name: str, letter: str, above_one: bool = False, **assumptions: bool) -> sp.Symbol:
    """One more stand-in, of a route or of a single block."""
    made = sp.Symbol(letter, **assumptions)
    assert INTERNAL.setdefault(name, made) == made
    if above_one:
        ABOVE_ONE.add(made)
    return made


def parameter(name: str, *assumptions: str) -> sp.Symbol:
    """The symbol of a parameter that a lemma brings along. It must be made before anybody asks for that name."""
    made = sp.Symbol(name, **dict.fromkeys(assumptions, True))
    assert _OWN.setdefault(name, made) == made
    if symbol(name) != made:
        raise AssertionError(f"the symbol {name} was used before it was declared")
    return made


def part_symbol(name: str, part: str) -> sp.Symbol:
    """The symbol of a parameter, or of a stand-in, of one part of a plan: m_p is what m is, for the part p."""
    part = part.replace(".", "_")
    of, full = INTERNAL.get(name) or symbol(name), f"{name}_{part}"
    known = INTERNAL.get(full) or _OWN.get(full)
    if known is None:
        known = sp.Symbol(f"{of.name}_{part}", **of.assumptions0)
        (INTERNAL if name in INTERNAL else _OWN)[full] = known
        PART_SYMBOLS[known.name] = of.name, part
        symbol.cache_clear()
    return known


_OWN: dict[str, sp.Symbol] = {}
PART_SYMBOLS: dict[str, tuple[str, str]] = {}           # m_p → m, p

# C = 4(v² − 1) with v·tanh v = 1, that is 4·max u²sech²u: the constant of the silu residual (docs/rules.md, lemma Q2).
# It is 4λ² with λ the Laplace limit constant; enclosure.py encloses it. It has no expression in elementary functions.
C = sp.Symbol("C", positive=True)


MEANINGS = {        # what formulas use beside parameters, as prose with formulas between dollar signs
    "C": "$4(θ² − 1) = 1.75691…$ with $θ·tanh θ = 1$, the constant of the silu residual",
    "W": "the principal branch of the Lambert function, $W(x)·e^(W(x)) = x$",
    "log": "the natural logarithm",
}


@cache
def symbol(name: str) -> sp.Symbol:
    """The symbol of that name: a parameter with its assumptions, the constant C, or a real variable."""
    if name == "C":
        return C
    if name in _OWN:
        return _OWN[name]
    known = PARAMETERS.get("delta" if name.startswith("delta_") else name)         # δ_x: the error of one input
    if known is not None:
        return sp.Symbol(name, **dict.fromkeys(known.assumptions, True))
    return sp.Symbol(name, real=True)


@cache
def index(name: str) -> sp.Symbol:
    """A bound index of an entry family; it never leaves the term that it belongs to."""
    return sp.Symbol(f"_{name}", integer=True, nonnegative=True)


def exchange(expr: sp.Expr, values: Mapping[sp.Basic, sp.Basic]) -> sp.Expr:
    """Replace symbols. Unlike `xreplace`, this does not compare a Max or Min all over again (which takes seconds)."""
    if not expr.has(sp.Max, sp.Min):
        return expr.xreplace(values)
    args = [exchange(a, values) for a in expr.args]
    if isinstance(expr, (sp.Max, sp.Min)) and not all(a.is_Rational for a in args):
        return expr.func(*dict.fromkeys(args), evaluate=False) if len(set(args)) > 1 else args[0]
    return expr.func(*args)


class _IntegerLog(sp.Function):
    """An integer near log_b x for an integer base b ≥ 2, exact at rational x (digits would not make a rounded one right)."""

    is_integer = True

    @classmethod
    def eval(cls, x: sp.Expr, base: sp.Expr) -> sp.Expr | None:
        if x.is_Rational and x > 0 and base.is_Integer:
            return sp.Integer(cls.exactly(_fraction(x), int(base)))
        return None

    def _eval_is_nonnegative(self) -> bool | None:
        return (self.args[0] - 1).is_nonnegative


class CeilLog(_IntegerLog):
    """⌈log_b x⌉."""

    exactly = staticmethod(ceil_log)


class FloorLog(_IntegerLog):
    """⌊log_b x⌋."""

    exactly = staticmethod(floor_log)


class CodeEntry(sp.Function):
    """A coordinate of the i-th of L position codes on the circle (codes.py), a rational number."""

    is_real = True


def _fraction(x: sp.Rational) -> Fraction:
    return Fraction(int(x.p), int(x.q))
