"""Quantities of lemmas: Lipschitz constants and leaks of softmax, heads under perturbation, gates, regions of maxout.

Each is known by closed bounds (docs/rules.md has the lemmas, docs/claims.md the table of names).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp
from sympy import Expr

from ..errors import InvalidInput
from ..formulas.symbols import symbol
from ..gates import GRIDS, TEMPERATURES
from ..lemmas.softmax import W1, boltzmann_gap, head_perturbation, largest_weight, lipschitz, off_mass, selection_beta
from .model import Condition
from .value import Value

TUNED = sp.Rational(68, 25)         # κ of the tuned temperature


@dataclass(frozen=True)
class Entry:
    """A quantity of a lemma: its arguments, which stand for the parameters of the same name where they may be left out.

    `meaning` says what it is, with arguments in braces; `roles` says what each argument is.
    """

    parameters: tuple[str, ...]
    make: Callable[..., Value]
    meaning: str
    roles: tuple[str, ...] = ()
    optional: bool = True
    options: tuple[str, ...] = ()


def _exactly(expr: Expr, *conditions: Condition, source: str = "") -> Value:
    return Value(expr, expr, conditions, (), source)


def _lipschitz(options: Mapping[str, str], q: Expr, p: Expr) -> Value:
    for x in (q, p):
        if x.is_number and x != sp.oo and not (x - 1).is_nonnegative:
            raise InvalidInput("The norms of softmax.lipschitz are ℓp with p from 1 to inf.",
                               "For example softmax.lipschitz(inf, 1).")
    conditions = [Condition(x, ">=", sp.S.One) for x in (q, p) if not x.is_number]
    return _exactly(lipschitz(q, p), *conditions, source="S1")


def _off_mass(options: Mapping[str, str], n: Expr, gap: Expr) -> Value:
    return _exactly(off_mass(n, gap), source="S3")


def _largest_weight(options: Mapping[str, str], n: Expr, score: Expr) -> Value:
    return _exactly(largest_weight(n, score), source="S4")


def _selection_beta(options: Mapping[str, str], n: Expr, gap: Expr, mass: Expr) -> Value:
    conditions = [Condition(mass, ">", sp.S.Zero), Condition(n * mass, "<", n - 1), Condition(gap, ">", sp.S.Zero)]
    return _exactly(selection_beta(n, gap, mass), *(c for c in conditions if c.left.free_symbols), source="S3")


def _boltzmann(options: Mapping[str, str], n: Expr) -> Value:
    return _exactly(boltzmann_gap(n), source="S5")


def _perturbation(options: Mapping[str, str], score: Expr, value: Expr, reach: Expr) -> Value:
    conditions = [Condition(x, ">=", sp.S.Zero) for x in (value, reach) if x.free_symbols]
    return _exactly(head_perturbation(score, value, reach), *conditions, source="S2")


def _silu(options: Mapping[str, str]) -> Value:
    return _exactly(W1 / symbol("beta"), source="S6")


def _needed_beta(options: Mapping[str, str], eps: Expr, total: Expr) -> Value:
    """Below by curvature, above by one gate."""
    conditions = [Condition(x, rel, least) for x, rel, least in ((eps, ">", sp.S.Zero), (total, ">=", sp.S.One))
                  if x.free_symbols]
    return Value(1 / (8 * eps * total), W1 / eps, tuple(conditions), (), "curvature (docs/claims.md)")


def _needed_logit(options: Mapping[str, str], n: Expr, eps: Expr) -> Value:
    if eps.is_number and not 0 < eps < 1:
        raise InvalidInput("The accuracy of softmax.needed_logit lies between 0 and 1.", "For example 1/10.")
    conditions = [c for c in (Condition(eps, ">", sp.S.Zero), Condition(eps, "<", sp.S.One)) if c.left.free_symbols]
    return _exactly(sp.Max(0, sp.log((n - 1) * (1 - eps) / eps)), *conditions, source="selection (docs/claims.md)")


def _anchor(options: Mapping[str, str]) -> Value:
    """One head over p anchors, Range_[a,b]: upper bounds A1–A3; lower bounds from the first two anchors (order of means)."""
    a, b, p, kappa = (symbol(x) for x in ("a", "b", "p", "kappa"))
    temperature, grid = options.get("temperature", "tuned"), options.get("grid", "linspace")
    if temperature not in TEMPERATURES or grid not in GRIDS or (temperature == "tuned" and grid != "linspace"):
        raise InvalidInput("The options of anchor.error do not go together.",
                           "Use temperature=tuned or hard, and with hard grid=linspace, left or midpoint.")
    domain = [Condition(a, "<", b), Condition(p, ">=", sp.Integer(2))]
    if temperature == "tuned":
        q = sp.exp(-TUNED)
        step = (b - a) / (p - 1)
        return Value(step * q / (1 + q), step / 16, tuple(domain), (), "A1")
    validity = (Condition(kappa, ">=", sp.S.One),)
    if grid == "linspace":
        q = sp.exp(-kappa)
        return Value((b - a) / (p - 1) * q / (1 + q), (b - a) / (2 * (p - 1)), tuple(domain), validity, "A2")
    rate, half = (3, sp.S.One) if grid == "left" else (2, sp.S.Half)
    q = sp.exp(-rate * kappa)
    return Value((b - a) / p * (half + q / (1 + q)), (b - a) / p * (half + q), tuple(domain), validity, "A3")


def _anchors(options: Mapping[str, str]) -> Value:
    """H heads over n tokens: telescoping (A4, A2), or with sentinels (A5)."""
    a, b, n, heads, kappa = (symbol(x) for x in ("a", "b", "n", "H", "kappa"))
    domain = [Condition(a, "<", b), Condition(n, ">=", sp.Integer(3))]
    hard = (Condition(kappa, ">=", sp.S.One),)
    step = (b - a) / ((n - 1) * heads)
    q = sp.exp(-TUNED)
    if options.get("sentinels", "no") == "yes":
        top = sp.Max(sp.Abs(a), sp.Abs(b))
        # (n − 2)H own anchors from end to end
        step = (b - a) / ((n - 2) * heads - 1)
        return Value(None, step / 2 + 3 * top * sp.exp(-2 * kappa),
                     (*domain, Condition((n - 2) * heads, ">=", sp.Integer(2))), hard, "A5")
    if options.get("temperature", "tuned") == "hard":
        q = sp.exp(-kappa)
        return Value(step * q / (1 + q), step / 2, (domain[0], Condition(n, ">=", sp.Integer(2))), hard, "A2")
    return Value(step * q / (1 + q), step / 16, (domain[0],), (domain[1],), "A4")


def _at_least(*bounds: tuple[Expr, int]) -> tuple[Condition, ...]:
    return tuple(Condition(x, ">=", sp.Integer(least)) for x, least in bounds if x.free_symbols)


def _regions(options: Mapping[str, str], inputs: Expr, rank: Expr, depth: Expr) -> Value:
    """The largest number of regions of a maxout network of depth L and width n0 = number of inputs, rank k ≥ 2."""
    conditions = _at_least((rank, 2), (depth, 1))
    lower = (2 ** (depth - 1) * rank) ** inputs
    upper = (rank - 1) * (2 ** depth - 1) + 1 if inputs == 1 else None
    return Value(lower, upper, conditions, (), "maxout regions (docs/claims.md)")


def _layer_regions(options: Mapping[str, str], inputs: Expr, units: Expr, rank: Expr) -> Value:
    if not (inputs.is_Integer and 1 <= inputs <= 8):
        raise InvalidInput("regions.layer needs a number of inputs from 1 to 8.", "For example regions.layer(2, m, k).")
    total: Expr = sp.S.Zero
    for j in range(int(inputs) + 1):
        choose = sp.Mul(*(units - i for i in range(j))) / sp.factorial(j)
        total += choose * (rank - 1) ** j
    conditions = _at_least((rank, 2), (units, 1))
    return _exactly(total, *conditions, source="maxout regions (docs/claims.md)")


SCORES, LEAD, OFF = "number of scores", "lead of the largest score over all others", "mass off the largest score"

LEMMAS: dict[str, dict[str, Entry]] = {
    "softmax": {
        "lipschitz": Entry(("q", "p"), _lipschitz, "least Lipschitz constant of softmax at inverse temperature $β$ over any "
                           "number of scores: from the $ℓ$ norm of order {q} on scores to that of order {p} on weights",
                           ("order of the norm on scores", "order of the norm on weights"), optional=False),
        "offmass": Entry(("n", "gamma"), _off_mass, "largest mass that softmax at inverse temperature $β$ over {n} scores "
                         "leaves off a score that leads all others by {gamma}", (SCORES, LEAD)),
        "largest_weight": Entry(("n", "M"), _largest_weight, "largest weight of softmax at inverse temperature $β$ over {n} "
                                "scores of absolute value at most {M}", (SCORES, "largest absolute value of a score")),
        "selection_beta": Entry(("n", "gamma", "eps"), _selection_beta, "inverse temperature at which softmax over {n} "
                                "scores leaves mass {eps} off a score that leads all others by {gamma}, in the worst case",
                                (SCORES, LEAD, OFF)),
        "max_error": Entry(("n",), _boltzmann, "largest error for the maximum of {n} numbers of one softmax head at inverse "
                           "temperature $β$ whose scores and values are these numbers", ("how many numbers",)),
        "needed_logit": Entry(("n", "eps"), _needed_logit, "least range of the logits with which a mean of {n} numbers by "
                              "the weights of one softmax is within {eps} of their maximum, the numbers being 0 but for a 1",
                              ("how many numbers", "accuracy"))},
    "head": {"perturbation": Entry(
        ("delta", "delta_v", "R"), _perturbation, "how far the output of a softmax head at inverse temperature $β$ can move "
        "when every score moves by at most {delta}, every value by at most {delta_v}, and the values lie in an interval of "
        "length {R}", ("how far scores move", "how far values move", "length of an interval that contains the values"))},
    "silu": {"error": Entry((), _silu, "largest error for $max(x, 0)$ of a head over two tokens that returns "
                            "$x/(1+e^(−βx))$, $β$ its inverse temperature"),
             "needed_beta": Entry(("eps", "c"), _needed_beta, "least inverse temperature $β$ with which one layer of gates "
                                  "$z/(1+e^(−βz))$ at $z = ±x + t$, whose read-out weights have absolute sum at most {c}, "
                                  "plus an affine map, is within {eps} of $max(x, 0)$",
                                  ("accuracy", "sum of the absolute values of the read-out weights"), optional=False)},
    "anchor": {"error": Entry((), _anchor, "largest error for clipping to $[a, b]$ of one head over $p$ anchors there",
                              options=("temperature", "grid"))},
    "anchors": {"error": Entry((), _anchors, "largest error for clipping to $[a, b]$ of $H$ heads over $n$ tokens each, "
                               "whose values are anchors there", options=("temperature", "sentinels"))},
    "regions": {
        "maxout": Entry(("n", "k", "L"), _regions, "largest number of linear regions of a maxout network with {n} inputs, "
                        "{n} units in a layer, rank {k} and {L} layers",
                        ("number of inputs, and of units in a layer", "rank of a maxout unit", "number of layers")),
        "layer": Entry(("n", "m", "k"), _layer_regions, "largest number of linear regions of one maxout layer with {n} "
                       "inputs and {m} units of rank {k}", ("number of inputs", "number of units", "rank of a maxout unit"),
                       optional=False)},
}
