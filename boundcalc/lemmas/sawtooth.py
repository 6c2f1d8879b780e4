"""The sawtooth square, shared by square and mult. Proofs of Q1, Q2 and Q3 in docs/rules.md."""

from __future__ import annotations

import sympy as sp

from ..formulas.index import Index
from ..formulas.interval import Interval
from ..formulas.symbols import C, symbol
from .record import Lemma, Reference

m, beta = symbol("m"), symbol("beta")

CHORD = sp.Integer(4) ** (-m - 1)                       # Q1: f_m(t) − t² lies in [0, 4^(−m−1)] on [0, 1]
LEVEL_RESIDUAL = C / beta ** 2                          # Q2: one silu level loses v²·sech²(βv/2), at most C/β²
RESIDUAL = (1 - sp.Integer(4) ** -m) * sp.Rational(4, 3)    # … and level s counts 4^(−s+1): Σ_(s=1..m) 4^(−s+1)

# Q3: all levels together, in units of C/β², are at most 1 + excess/β², from β = 40 on
LEAST_BETA, SQUARE_EXCESS, PRODUCT_EXCESS = 40, 100, 150
SQUARE_RESIDUALS, PRODUCT_RESIDUALS = (1 + sp.Integer(x) / beta ** 2 for x in (SQUARE_EXCESS, PRODUCT_EXCESS))


def levels() -> Index:
    """The index s = 1 … m of the teeth."""
    return Index(symbol("s"), sp.Integer(1), m)


def chord_lemma(error: Interval) -> Lemma:
    return Lemma("Q1", "the sawtooth $f_m$, which interpolates $t²$ linearly between the multiples of $2^(−m)$ in $[0, 1]$, "
                 "satisfies $0 ≤ f_m(t) − t² ≤ 4^(−m−1)$ there; attained",
                 (("interpolation", error),), Reference("Yarotsky 2017, re-proved here (docs/rules.md, Q1)", "derived"),
                 tight=True)


def residual_lemma(interpolation: Interval, gates: Interval, use: str = "") -> Lemma:
    """`use` says how the target comes from squares."""
    return Lemma("Q2", "with silu gates every level of the sawtooth, at input $t$, has residual exactly $−z²·sech²(βz/2)$, "
                 "$z = t − 1/2$, which lies in $[−C/β², 0]$, so that $m$ levels give "
                 f"$−(4/3)(1 − 4^(−m))·C/β² ≤ f_m(t) − t² ≤ 4^(−m−1)${use}",
                 (("interpolation", interpolation), ("gates", gates)),
                 Reference("proved here (docs/rules.md, Q2)", "derived"), keeps_ranges=True)


def joint_residual_lemma(interpolation: Interval, gates: Interval, excess: int, use: str = "") -> Lemma:
    """`excess` is that of a square or of a product; `use` says how the target comes from squares."""
    return Lemma("Q3", "with silu gates and $β ≥ 40$ the residuals of all levels of the sawtooth add up to at most "
                 f"$(1 + {excess}/β²)·C/β²$, since where one level is near its kink the next ones are far from theirs{use}",
                 (("interpolation", interpolation), ("gates", gates)),
                 Reference("proved here (docs/rules.md, Q3)", "derived"), keeps_ranges=True,
                 from_beta=sp.Integer(LEAST_BETA))
