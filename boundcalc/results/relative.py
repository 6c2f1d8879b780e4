"""Accuracy relative to the target: |network − target| ≤ ε·|target|, where the target has no zero in the domain.

A route may have a form of its own for that (Route.relative), whose lemmas speak of relative errors. Every other bound is
derived for the absolute accuracy ε·f, f being the least |target| on the domain, and divided by f (rule R12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from ..declarations.frame import parts_of_a_copy
from ..declarations.record import Construction
from ..derivation.analysis import Analysis, Propagation, Stage
from ..derivation.profile import StepName
from ..errors import BoundcalcError, Infeasible, InvalidInput, echo
from ..formulas.enclosure import Undecided
from ..formulas.interval import Interval
from ..formulas.symbols import exchange, symbol
from ..numbers.exact import exact_text
from ..tune import meets
from .bound import Bound

EPS, LEAST = symbol("eps"), symbol("fmin")
TRIED = ((Fraction(1), Fraction(2)), (Fraction(1, 10), Fraction(1)))     # what a refusal may propose as a domain

Leaf = Callable[[Construction, Mapping[str, Fraction]], Bound]


def relative_bound(construction: Construction, route: str, given: Mapping[str, Fraction], leaf: Leaf) -> Bound:
    """`leaf` derives a bound of a construction, or of a form of it, with some parameters replaced."""
    eps = given.get("eps")
    if eps is None:
        raise InvalidInput("--relative says what --eps means, which is not given.", "Give --eps, or leave it out.")
    if eps >= 1:
        raise InvalidInput("A relative accuracy must be below 1, which is the relative error of the constant 0.",
                           "For example --eps 1e-3.")
    least = least_value(construction, given)
    form = construction.relative(route)
    if form is not None and not any(x for name, x in given.items() if name.startswith("delta")) and "L" not in given:
        return replace(leaf(form, {}), relative=least)
    try:
        found = leaf(construction, {"eps": eps * least})
    except Infeasible as problem:
        raise Infeasible(f"{problem.problem.rstrip('.')}, where eps is the given one times the least |target|, "
                         f"{echo(exact_text(least))}.", problem.remedy) from None
    return _divided(found, eps, least)


def least_value(construction: Construction, given: Mapping[str, Fraction]) -> Fraction:
    """The least |target| on the domain, or less; InvalidInput where it may be 0."""
    found = _least(construction, given)
    if found > 0:
        return found
    where = next((f"For example --range {exact_text(a)},{exact_text(b)}, where it has none." for a, b in TRIED
                  if _least(construction, {**{k: x for k, x in given.items() if k not in "Mab"}, "a": a, "b": b}) > 0),
                 "Leave out --relative.")
    raise InvalidInput("--relative needs a target without a zero, and this one may vanish somewhere in the domain.", where)


def _least(construction: Construction, given: Mapping[str, Fraction]) -> Fraction:
    try:
        targets = construction.targets_at(given)
        parts = list(product(*parts_of_a_copy(construction, given)))
        images = [target.image(part) for target in targets for part in parts]
    except Undecided:
        return Fraction(0)
    return min((low if low is not None and low > 0 else -high if high is not None and high < 0 else Fraction(0)
                for low, high in images), default=Fraction(0))


def _divided(found: Bound, eps: Fraction, least: Fraction) -> Bound:
    """The bound for ε·f, as one of relative errors; its rules say what follows from ε and f."""
    def in_relative(e: sp.Expr) -> sp.Expr:
        return exchange(e, {EPS: EPS * LEAST})

    made = Bound(divided(found.analysis), {**found.values, "eps": eps, LEAST.name: least},
                 tuple(c.rewritten(in_relative) for c in found.choices), found.minimize, found.composition, least)
    if not meets(made.analysis, made.values):
        raise BoundcalcError("The chosen parameters do not provably meet eps.", "Please report this as a defect.")
    return made


def divided(analysis: Analysis) -> Analysis:
    """Rule R12: every error divided by the least |target|."""
    def part(i: Interval) -> Interval:
        return i.scaled(1 / LEAST)

    total, stages = part(analysis.total), analysis.propagation

    def lines() -> tuple[Stage, ...]:
        return (*stages.stages, Stage(StepName(("divided by the least |target|",)), (), "R12", analysis.total.radius,
                                      1 / LEAST, sp.S.Zero, total.radius, sp.S.Zero, stages.naive_total / LEAST))

    return replace(analysis, error={source: part(i) for source, i in analysis.error.items()}, total=total,
                   propagated=None if analysis.propagated is None else part(analysis.propagated),
                   propagation=Propagation(lines, lambda: stages.naive_total / LEAST))
