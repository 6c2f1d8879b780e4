"""The words for how parameters were chosen."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from sympy import Expr, Max

from ..formulas.mathtext import plain
from ..tune.choice import (
    AnyKeepsLeak,
    AsGiven,
    Choice,
    Cost,
    DefaultTokens,
    ExtremeValue,
    FitsGiven,
    FromCodes,
    FromTable,
    GivenWithin,
    LargestAtToken,
    LeastForLemma,
    LeastResource,
    LeastStep,
    LeastThereIs,
    LeavesShare,
    LeftOver,
    NearLeast,
    NothingAsksForIt,
    Order,
    Reason,
)
from ..tune.sides import DIGITS

Sentence: TypeAlias = tuple[str | Expr, ...]        # prose with formulas between dollar signs, and formulas

COSTS = {Cost.TOTAL: "total error", Cost.BUT_LEAKS: "all errors but leaks", Cost.LEAK: "leak", Cost.MASS: "$e^(−κ)$"}
BY_NAME = {"beta": "$β$"}       # resources that have another name in words


def written(sentence: Sentence, write: Callable[[Expr], str]) -> str:
    """The sentence on one line, its formulas in the notation of the writer."""
    return "".join(plain(part) if isinstance(part, str) else write(part) for part in sentence)


def why(choice: Choice) -> Sentence:
    """How the parameter got its value."""
    said = _reason(choice.why)
    if choice.rounded and isinstance(choice.why, (ExtremeValue, LeftOver)):
        return (*said, f", rounded {choice.rounded} to {DIGITS} digits")
    return said


def briefly_why(choice: Choice) -> Sentence:
    """The same for a first screen, without the inequality behind it."""
    if isinstance(choice.why, LeavesShare):
        return f"least ${choice.why.parameter.name}$ that leaves the gates a quarter of ", choice.why.left
    return why(choice) if choice.name == "beta" else _reason(choice.why)


def order(growth: Order | None) -> Sentence:
    """How a bound grows."""
    assert growth is not None
    power = "" if growth.exponent == 1 else f"**({growth.exponent})"
    room = " while the pieces leave a fixed part of eps to the gates" if growth.with_room else ""
    return "O(", growth.base, f"{power}){room}"


def _reason(reason: Reason) -> Sentence:
    match reason:
        case ExtremeValue():
            return _extreme(reason)
        case LeavesShare(parameter=parameter, cost=cost, limit=limit, left=left):
            return f"least ${parameter.name}$ that leaves the gates a quarter of ", left, ": ", cost, " ≤ ", limit
        case NearLeast(parameter=parameter, of=of, factor=factor):
            return (f"least ${parameter.name}$ for which ", of, f" is {_much(factor)} its least value over all "
                    f"${parameter.name}$")
        case LeastResource(parameter=parameter, resource=resource):
            return (f"least {BY_NAME.get(resource, resource)} over all ${parameter.name}$",)
        case AsGiven(needed=needed, least=least):
            return ("given",) if needed is None else ("given; ", *_extreme(needed), f" is {least}")
        case GivenWithin(limit=limit, largest=largest):
            if limit.has(Max):          # of a lemma with a start of its own: too long for a cell
                return ("given, as the lemma needs it",)
            return f"given; needed is at {'most' if largest else 'least'} ", limit
        case LeastForLemma(parameter=parameter):
            return "least ", parameter, " for which the lemma holds"
        case LeastThereIs(parameter=parameter, value=value, limit=limit):
            return parameter, f" = {value}, the least there is, meets ", limit
        case DefaultTokens():
            return ("default number of tokens per head",)
        case FitsGiven(parameter=parameter, given=given, limit=limit, least=least):
            return f"{'least' if least else 'a'} ${parameter.name}$ for which the given ", given, " meets ", limit
        case LeastStep(pieces=pieces):
            return (f"least step with which ${pieces.name}$ pieces reach from end to end, rounded up",)
        case FromTable(pieces=pieces):
            return (f"read off the table of ${pieces.name}$ chords",)
        case NothingAsksForIt(parameter=parameter):
            return "no error depends on ", parameter
        case FromCodes():
            return ("computed from the codes, near $2π²/L²$",)
        case LeftOver(limit=limit):
            return "the remaining part of ", limit, ", divided among the gates"
        case LargestAtToken():
            return ("largest value at a data token, errors included, rounded up",)
        case AnyKeepsLeak(parameter=parameter, limit=limit):
            return "any ", parameter, " keeps the leak below ", limit


def _much(factor: Fraction) -> str:
    return "at most twice" if factor == 2 else f"within {(factor - 1) * 100} % of"


def _extreme(e: ExtremeValue) -> Sentence:
    most, sign = "largest" if e.largest else "least", "<" if e.strict else "≤"
    if not isinstance(e.cost, Cost):        # a closed form that names the parameter
        return f"{most} ${e.parameter.name}$ with ", e.cost, f" {sign} ", e.limit
    behind = (" (A6)",) if e.cost is Cost.MASS else ()
    return f"{most} ", e.parameter, f"{' ≥ 1' if e.from_one else ''} with {COSTS[e.cost]} {sign} ", e.limit, *behind
