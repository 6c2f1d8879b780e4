"""Pieces: the route decides exactly how many, and with which step.

Where gates add to the error of the chords, the pieces leave the gates at least a quarter of what the inputs leave of ε.
Where the chords absorb the gates (lemma P2) there is no share: β, as a function of the number N of pieces, first falls
steeply and then rises slowly, and N is the least for which β is at most twice its least value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, echo
from ..formulas.enclosure import less_equal, upper
from ..formulas.interval import largest
from ..formulas.parameter import PieceRule
from ..formulas.symbols import INTERNAL, symbol
from ..numbers.exact import exact_text
from ..records import dataclass
from .choice import (
    Aim,
    AsGiven,
    Choice,
    ExtremeValue,
    FitsGiven,
    FromTable,
    LeastStep,
    LeavesShare,
    NearLeast,
    Order,
    Reason,
    Rounded,
)
from .inverse_temperature import least_beta
from .sides import BETA, DIGITS, EPS, GATES_SHARE, Side, fits, fixed_gates, inputs_too_coarse, numbers

SEARCH_STEPS = 64       # of a fifth each
ENOUGH, CLOSE = Fraction(2), Fraction(101, 100)     # times the least β: by default, and where that is asked for
FINE = 4096             # parts of a range of N among which the least β is sought: β changes by less than its digits show

Values = Mapping[str, Fraction]


def choose_pieces(pieces: PieceRule, analysis: Analysis, sides: Sequence[Side], values: Values,
                  aim: Aim) -> list[Choice]:
    name = pieces.name
    strict = any(s.has_gates for s in sides)
    values = {**values, **pieces.known(values)}
    room = values["eps"] - upper(_inputs(pieces, sides), numbers(values))
    if room <= 0:
        raise inputs_too_coarse(values["eps"] - room, values["eps"])
    within = {**values, "eps": room}
    least = pieces.least(within, strict)
    why = ExtremeValue(symbol(name), pieces.error, EPS, strict)

    def chosen(choice: Choice) -> list[Choice]:
        assert choice.value is not None
        return [choice, *steps_of(pieces, within, choice.value, strict)]

    if name in values:
        if values[name] < least:
            raise Infeasible(f"{name} = {values[name]} is too small for eps = {echo(exact_text(values['eps']))}.",
                             f"The least that works is --{name} {least}.", {f"--{name}": str(least)})
        return chosen(Choice(name, values[name], "given", AsGiven(why, least)))
    if not fixed_gates(values):
        if aim is Aim.FEWEST or not strict:
            return chosen(_choice(name, Fraction(least), why, _rule(pieces, analysis, strict)))
        if any(s.falling != 0 for s in sides):
            factor = ENOUGH if aim is Aim.BALANCE else CLOSE
            return chosen(_near_least(Absorbed(pieces, analysis, tuple(sides), values, within), least, factor))
        if aim is not Aim.BALANCE:
            return chosen(_choice(name, Fraction(least), why, _rule(pieces, analysis, strict)))
        count = pieces.least({**values, "eps": (1 - GATES_SHARE) * room}, strict=False)
        return chosen(_leaves_share(pieces, analysis, sides, Fraction(count)))

    def works(count: int) -> bool:
        at = {**values, name: Fraction(count)}
        at |= {c.name: c.value for c in steps_of(pieces, within, Fraction(count), strict) if c.value is not None}
        at |= analysis.internal_values(at)
        return all(fits(analysis, s, at) for s in sides)

    found = _first(works, least)
    if found is None:
        fixed = [x for x in ("beta", "p", "n", "H") if x in values]
        raise Infeasible(f"With the given {' and '.join(fixed)} no number of pieces was found that meets eps.",
                         f"Leave out --{' and --'.join(fixed)} to have it derived.")
    gates = symbol("beta" if "beta" in values else analysis.supply.tokens if analysis.supply else "beta")
    return chosen(Choice(name, Fraction(found), "searched", FitsGiven(symbol(name), gates, EPS, least=False)))


def piece_rules(pieces: PieceRule, analysis: Analysis, sides: Sequence[Side], aim: Aim) -> list[Choice]:
    strict = any(s.has_gates for s in sides)
    steps = _steps(pieces, None, None)
    if not strict or aim is Aim.FEWEST:
        why = ExtremeValue(symbol(pieces.name), pieces.error, EPS, strict)
        return [_choice(pieces.name, None, why, _rule(pieces, analysis, strict)), *steps]
    if any(s.falling != 0 for s in sides):
        return [Choice(pieces.name, None, "searched", NearLeast(symbol(pieces.name), BETA, ENOUGH),
                       bound=_enough(pieces, analysis, sides), growth=Order(EPS, Fraction(-1, 2))), *steps]
    return [_leaves_share(pieces, analysis, sides, None), *steps]


def steps_of(pieces: PieceRule, values: Values, count: Fraction, strict: bool) -> list[Choice]:
    """The step, and whatever else follows from the number of pieces."""
    value, exact = pieces.step_for(values, int(count), strict)
    more = pieces.more(values, int(count))
    return [*_steps(pieces, value, None if exact else "up"),
            *(Choice(name, x, "searched", FromTable(symbol(pieces.name))) for name, x in more.items())]


def _steps(pieces: PieceRule, value: Fraction | None, rounded: Rounded | None) -> list[Choice]:
    if pieces.step_rule is None:
        return [Choice(pieces.step, value, "searched", FromTable(symbol(pieces.name)))]
    return [Choice(pieces.step, value, "closed", LeastStep(symbol(pieces.name)), pieces.step_rule, rounded)]


def _choice(name: str, value: Fraction | None, why: Reason, rule: Expr | None) -> Choice:
    return Choice(name, value, "searched" if rule is None else "closed", why, rule)


def _inputs(pieces: PieceRule, sides: Sequence[Side]) -> Expr:
    """What errors of the inputs cost."""
    return sp.expand(sides[0].free - pieces.error_in_step)


def _rule(pieces: PieceRule, analysis: Analysis, strict: bool) -> Expr | None:
    """As the inputs come: exact, or with an error."""
    found = pieces.rule(strict)
    return found.xreplace({symbol("delta"): sp.S.Zero}) if found is not None and analysis.frame.known_exactly else found


def _leaves_share(pieces: PieceRule, analysis: Analysis, sides: Sequence[Side], count: Fraction | None) -> Choice:
    left = EPS - _inputs(pieces, sides)
    limit = sp.Rational(1 - GATES_SHARE) * left
    why, rule = LeavesShare(symbol(pieces.name), pieces.error, limit, left), _rule(pieces, analysis, strict=False)
    return _choice(pieces.name, count, why, None if rule is None else rule.xreplace({EPS: limit}))


def _first(works: Callable[[int], bool], least: int) -> int | None:
    """A number that works, next to one that does not, from `least` on in steps of a fifth. More pieces are not always
    better: with a fixed β the kinks of a finer grid are smeared out."""
    below, count = None, least
    for _ in range(SEARCH_STEPS):
        if works(count):
            break
        below, count = count, count + max(1, count // 5)
    else:
        return None
    return count if below is None else least_that(works, below, count)


def least_that(works: Callable[[int], bool], below: int, count: int) -> int:
    """The least number that works, where `count` does, `below` does not, and what works goes on to work up to there."""
    while count - below > 1:
        middle = (below + count) // 2
        below, count = (below, middle) if works(middle) else (middle, count)
    return count


# ---------------------------------------------------------------------------------------------------------------
# chords that absorb the gates

@dataclass(frozen=True)
class Absorbed:
    """Pieces whose lemma asks for a β from some β₀ on, which grows with the number of pieces."""

    pieces: PieceRule
    analysis: Analysis
    sides: tuple[Side, ...]
    values: Values
    within: Values

    def at(self, count: int) -> dict[str, Fraction]:
        steps = steps_of(self.pieces, self.within, Fraction(count), strict=True)
        at = {**self.values, self.pieces.name: Fraction(count), **{c.name: c.value for c in steps if c.value is not None}}
        return at | self.analysis.internal_values(at)

    def works(self, count: int, beta: Expr | Fraction) -> bool:
        """Whether β is allowed by the lemma and meets ε."""
        at, start = self.at(count), self.analysis.from_beta
        assert start is not None
        if isinstance(beta, Fraction):
            return all(fits(self.analysis, s, {**at, "beta": beta}) for s in self.sides)
        return all(less_equal(s.total.xreplace({BETA: beta}), EPS, numbers(at)) is True for s in self.sides)

    def beta(self, count: int) -> Fraction:
        return least_beta(self.analysis, self.sides, self.at(count))

    def near_least(self, least: int, factor: Fraction) -> int:
        """The least number of pieces with β ≤ factor·(least β over all numbers).

        From the number on at which β₀ is enough, β is β₀ and rises. Before it β falls and then rises, at most once
        (docs/rules.md, P2), so that halving finds where it is least.
        """
        start = self.analysis.from_beta
        assert start is not None
        first = self.beta(least)
        if less_equal(sp.Rational(first), sp.Rational(factor) * start, numbers(self.at(least))) is True:
            return least            # β₀ there is a lower bound of all β
        high, unit = least, max(1, least // FINE)
        while not self.works(high, start):
            high += max(unit, least // 8)
        beta = cache(self.beta)
        low, high = 0, (high - least) // unit + 1        # in units, from the least number on
        while high - low > 1:
            middle = (low + high) // 2
            here = beta(least + unit * middle)
            # falling still: the next one does with less
            low, high = (middle, high) if self.works(least + unit * (middle + 1), here) and (
                beta(least + unit * (middle + 1)) < here) else (low, middle)
        best = min(beta(least + unit * k) for k in (low, high))
        limit = factor * best
        if first <= limit:
            return least
        return least_that(lambda count: self.works(count, limit), least, least + unit * (
            low if beta(least + unit * low) == best else high))


def _near_least(absorbed: Absorbed, least: int, factor: Fraction) -> Choice:
    name = absorbed.pieces.name
    found = absorbed.near_least(least, factor)
    return Choice(name, Fraction(found), "searched", NearLeast(symbol(name), BETA, factor),
                  bound=_enough(absorbed.pieces, absorbed.analysis, absorbed.sides), growth=Order(EPS, Fraction(-1, 2)))


def _enough(pieces: PieceRule, analysis: Analysis, sides: Sequence[Side]) -> Expr:
    """So many pieces that β₀ meets ε, up to rounding: the least β needs no more. The error at β₀, divided by the square of
    the step, falls with the step, which is at most that of two pieces (docs/rules.md, P2)."""
    start, two = analysis.from_beta, {symbol(pieces.name): sp.Integer(2)}
    assert start is not None
    assert pieces.step_rule is not None
    widest = pieces.step_rule.xreplace(two)
    error = pieces.error_in_step + largest([s.falling for s in sides if s.falling != 0]).xreplace({BETA: start})
    stood_for = {INTERNAL[x]: analysis.meaning[x] for x in ("last", "inner") if x in analysis.meaning}
    by_square = (error.xreplace(stood_for).xreplace(two).xreplace({symbol(pieces.step): widest})) / widest ** 2
    count = 2 * widest * sp.sqrt(by_square / (EPS - _inputs(pieces, sides)))
    return sp.Max(2, sp.ceiling((1 + sp.Integer(10) ** (1 - DIGITS)) * count), evaluate=False)
