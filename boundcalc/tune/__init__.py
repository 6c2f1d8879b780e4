"""Choose what the user left free, prove that it meets ε, or say why nothing can.

The error has one or two sides (network above or below the target); each must not exceed ε. First come the integers of the
route (levels, pieces), then anchors and how hard they select, then β. Integers are exactly minimal; real parameters are
rounded to seven significant digits in the direction that improves the bound, which is evaluated again at the rounded value.

    choice.py    how a parameter got its value, as records
    sides.py     the error, side by side, as free part + gates
    integers.py  levels of a sawtooth
    pieces.py    pieces of a chord network, and their step
    anchors.py   anchors, heads and κ
    inverse_temperature.py  β
    sequences.py the leak of other tokens, and the score scale that keeps it small
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..derivation.analysis import Analysis
from ..formulas.enclosure import less_equal
from .anchors import anchor_rules, choose_anchors
from .choice import Aim, Choice
from .integers import choose_integers, integer_rules
from .inverse_temperature import beta_rules, choose_beta
from .sequences import choose_sequence, within_share
from .sides import EPS, numbers

__all__ = ["Aim", "Choice", "choose", "choose_integers", "meets", "numbers", "rules"]


def rules(analysis: Analysis, aim: Aim = Aim.BALANCE) -> list[Choice]:
    """How the free parameters follow from ε, without numbers."""
    return [*integer_rules(analysis, aim), *anchor_rules(analysis), *beta_rules(analysis)]


def choose(analysis: Analysis, given: Mapping[str, Fraction], integers: Sequence[Choice],
           share: Fraction) -> tuple[list[Choice], dict[str, Fraction]]:
    """What is left to choose when the integers of the route are known, and all values. `share` is the part of ε that all
    errors but leaks may have."""
    values = {**given, **{c.name: c.value for c in integers if c.value is not None}}
    part = {**values, **({"eps": share * values["eps"]} if "eps" in values else {})}
    chosen = [*integers]
    for step in (choose_anchors, choose_beta):
        found = step(analysis, part)
        chosen += found
        part |= {c.name: c.value for c in found if c.value is not None}
        part |= analysis.internal_values(part)
    if share != 1:
        chosen = [within_share(c, share) for c in chosen]
    values = {**part, **({"eps": values["eps"]} if "eps" in values else {})}
    chosen += choose_sequence(analysis, values)
    return chosen, values | {c.name: c.value for c in chosen if c.value is not None}


def meets(analysis: Analysis, values: Mapping[str, Fraction]) -> bool:
    """Whether the derived error is proved to be at most ε."""
    at = numbers(values)
    return all(less_equal(analysis.evaluable(side), EPS, at) is True
               for total in analysis.totals for side in (total.hi, -total.lo))
