"""The softmax lemmas S1–S7 (proofs in docs/rules.md). Symbols: W1 = W(1/e), softmax_β(s)_j ∝ e^(β s_j)."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy import Expr

from ..formulas.interval import Interval
from ..formulas.symbols import symbol
from .record import Lemma, Reference

W1 = sp.LambertW(sp.exp(-1))
DERIVED = "derived"
BETA = symbol("beta")
ETA = symbol("eta")


def lipschitz(q: Expr, p: Expr, beta: Expr = BETA) -> Expr:
    """S1: the least Lipschitz constant of softmax_β from ℓq to ℓp, β·2^(−1 + 1/p − 1/q), for q, p in [1, ∞]."""
    return beta * 2 ** (-1 + _inverse(p) - _inverse(q))


def _inverse(p: Expr) -> Expr:
    return sp.Integer(0) if p == sp.oo else 1 / sp.S(p)


def head_perturbation(score_error: Expr, value_error: Expr, value_range: Expr, beta: Expr = BETA) -> Expr:
    """S2: how far one head moves when scores move by ≤ score_error and values by ≤ value_error."""
    return value_error + value_range * sp.tanh(beta * score_error / 2)


def off_mass(n: Expr, gap: Expr, beta: Expr = BETA) -> Expr:
    """S3: the largest mass off a score that beats n − 1 others by at least `gap`."""
    rest = (n - 1) * sp.exp(-beta * gap)
    return rest / (1 + rest)


def selection_beta(n: Expr, gap: Expr, mass: Expr) -> Expr:
    """S3 solved for β: at this β the mass off the winner is exactly `mass` < (n−1)/n in the worst case."""
    return (sp.log(n - 1) + sp.log((1 - mass) / mass)) / gap


def largest_weight(n: Expr, score_bound: Expr, beta: Expr = BETA) -> Expr:
    """S4: with scores in [−M, M] no weight exceeds this, and it tends to 0 as n grows."""
    top = sp.exp(2 * beta * score_bound)
    return top / (n - 1 + top)


def boltzmann_gap(n: Expr, beta: Expr = BETA) -> Expr:
    """S5: sup of max_i x_i − Σ_i x_i softmax_β(x)_i over R^n."""
    return sp.LambertW((n - 1) / sp.E) / beta


def boltzmann_witness_gap(n: Expr, beta: Expr = BETA) -> Expr:
    """S5: the supremum is attained when n − 1 entries lie this far below the maximum."""
    return (1 + sp.LambertW((n - 1) / sp.E)) / beta


def boltzmann_gap_within(n: Expr, largest_gap: Expr, beta: Expr = BETA) -> Expr:
    """S5 when every gap is at most `largest_gap` < (1 + W((n−1)/e))/β: attained with all gaps equal to it."""
    rest = (n - 1) * sp.exp(-beta * largest_gap)
    return largest_gap * rest / (1 + rest)


def silu_gap(z: Expr, beta: Expr = BETA) -> Expr:
    """S6: ρ(z) − z·σ(βz) = |z|/(1 + e^(β|z|)), at most W(1/e)/β, attained at |z| = (1 + W(1/e))/β."""
    return sp.Abs(z) / (1 + sp.exp(beta * sp.Abs(z)))


def tilt_error(x_bound: Expr, y_bound: Expr, beta: Expr = BETA) -> Expr:
    """S7: |xy − y·tanh(βx)/β| ≤ β²|x|³|y|/3."""
    return beta ** 2 * x_bound ** 3 * y_bound / 3


def boltzmann(n: Expr) -> Lemma:
    return Lemma("S5", "$0 ≤ max_i x_i − Σ_i x_i·softmax_β(x)_i ≤ W((n−1)/e)/β$ for every $x ∈ ℝ^n$; attained",
                 (("gates", Interval(-boltzmann_gap(n), sp.S.Zero)),), Reference("proved here (docs/rules.md, S5)", DERIVED),
                 tight=True)


def boltzmann_below(n: Expr) -> Lemma:
    """S5 for −x: scores −x_i, values x_i."""
    return Lemma("S5", "$0 ≤ Σ_i x_i·softmax_β(−x)_i − min_i x_i ≤ W((n−1)/e)/β$ for every $x ∈ ℝ^n$; attained",
                 (("gates", Interval(sp.S.Zero, boltzmann_gap(n))),), Reference("proved here (docs/rules.md, S5)", DERIVED),
                 tight=True)


SILU = Lemma(
    "S6", "with $ρ(z) = max(z, 0)$ and $σ(z) = 1/(1 + e^(−z))$: $0 ≤ ρ(z) − z·σ(βz) = |z|/(1 + e^(β|z|)) ≤ W(1/e)/β$ for "
    "every real $z$; attained at $|z| = (1 + W(1/e))/β$",
    (("gates", Interval(-ETA, sp.Integer(0))),),
    Reference("proved here (docs/rules.md, S6)", DERIVED), tight=True)


def tilt(x_bound: Expr, y_bound: Expr) -> Lemma:
    bound = tilt_error(x_bound, y_bound)
    return Lemma("S7", "$|xy − y·tanh(βx)/β| ≤ β²|x|³|y|/3$ for all real $x$, $y$; sharp as $β → 0$",
                 (("tilt", Interval.symmetric(bound)),), Reference("proved here (docs/rules.md, S7)", DERIVED))


def two_tokens(height: Expr, margin: Expr) -> Lemma:
    """S8: the head decides by the sign of a score, which is at least `margin` in size; its values differ by `height` at
    most."""
    return Lemma("S8", "a head with two tokens, of scores $s$ and $0$ and values $v$ and $w$, returns $w + (v − w)·σ(βs)$, "
                 "which is within $|v − w|/(1 + e^(β|s|))$ of $v$ for $s > 0$ and of $w$ for $s < 0$; attained",
                 (("gates", Interval.symmetric(height / (1 + sp.exp(margin * BETA)))),),
                 Reference("proved here (docs/rules.md, S8)", DERIVED), tight=True, from_beta=2 / margin,
                 enough_beta=sp.log(sp.Max(height / symbol("eps") - 1, 1)) / margin)


def exact_head() -> Lemma:
    return Lemma("S8", "a head with two tokens, of scores $s$ and $0$ and values $v$ and $w$, returns $w + (v − w)·σ(βs)$: "
                 "it is exact where that is the target", (), Reference("proved here (docs/rules.md, S8)", DERIVED),
                 tight=True)


def subset_sums(tokens: int, lists: Sequence[int]) -> Lemma:
    """S10: two Boltzmann means over lists of sums, the shorter one repeated until it has as many tokens."""
    def gap(length: int) -> Expr:
        least = tokens // length        # how often the largest sum is there, at least
        return sp.LambertW(sp.Rational(tokens - least, least) / sp.E) / BETA
    above = gap(lists[1]) if len(lists) > 1 else sp.S.Zero
    return Lemma("S10", "the $r$-th largest of $n$ numbers is $S_r − S_(r−1)$, $S_r$ the largest sum of $r$ of them; a "
                 "Boltzmann mean over $N$ tokens, each sum there at least $m$ times, is below $S_r$ by at most "
                 "$W((N − m)/(m·e))/β$", (("gates", Interval(-gap(lists[0]), above)),),
                 Reference("proved here (docs/rules.md, S10)", DERIVED))
