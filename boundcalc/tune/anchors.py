"""Anchors: how many, in how many heads, and how hard they select (κ)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

import sympy as sp
from sympy import Expr

from ..derivation.analysis import Analysis
from ..errors import Infeasible, InvalidInput, echo
from ..formulas.enclosure import exact_value, less_equal, upper
from ..formulas.interval import largest
from ..formulas.symbols import symbol
from ..gates.anchor_grid import KAPPA
from ..numbers.exact import exact_text, round_up_significant
from ..terms.anchors import Supply
from .choice import AsGiven, Choice, Cost, DefaultTokens, ExtremeValue, LeastForLemma
from .sides import CELLS, DIGITS, EPS, LEAK, Side, check_room, numbers, rational_value, sides_of

DEFAULT_TOKENS = 8      # of one of many heads, where neither tokens nor heads are given
LEAST_KAPPA = Fraction(1)       # from here on the lemmas on hard selections hold
MOST_KAPPA = 10 ** 6            # leaves e^(−10^6) to other anchors

Values = Mapping[str, Fraction]


def choose_anchors(analysis: Analysis, given: Values) -> list[Choice]:
    """Counts and κ: as given, or exactly minimal for ε. None without anchor heads."""
    supply = analysis.supply
    if supply is None or not analysis.uses_anchors:
        return []
    hard = supply.selection.kappa == KAPPA
    kappa = _kappa_from_user(given) if hard else None
    values = dict(given)
    if kappa is not None and kappa.value is not None:
        values["kappa"] = kappa.value
    if "eps" not in given:
        names = [name for name in (supply.tokens, supply.heads) if name]
        _check_tokens(supply, given)
        if hard and kappa is None:
            kappa = Choice("kappa", LEAST_KAPPA, "closed", LeastForLemma(KAPPA), sp.S.One)
        return [*(Choice(name, given[name], "given") for name in names), *((kappa,) if kappa else ())]
    sides = sides_of(analysis)
    for side in sides:
        check_room(side, values)
    counts = _counts(supply, sides, values)
    if hard and kappa is None:
        values |= {c.name: c.value for c in counts if c.value is not None}
        values |= analysis.internal_values(values)
        kappa = _kappa(supply, sides, values)
    return [*counts, *((kappa,) if kappa else ())]


def anchor_rules(analysis: Analysis) -> list[Choice]:
    supply = analysis.supply
    if supply is None or not analysis.uses_anchors:
        return []
    sides = sides_of(analysis)
    needed = cells_rule(sides, kappa_given=False)
    tokens = symbol(supply.tokens)
    if supply.heads is None:
        found = [Choice(supply.tokens, None, "closed", _least(supply.tokens), supply.tokens_for(needed, 1))]
    else:
        found = [Choice(supply.heads, None, "closed", _least(supply.heads), supply.heads_for(needed, tokens))]
    if supply.selection.kappa == KAPPA:
        found.append(Choice("kappa", None, "closed", _WHY_KAPPA, _kappa_rule(supply, sides)))
    return found


# ---------------------------------------------------------------------------------------------------------------
# cells and counts

def _least(name: str) -> ExtremeValue:
    return ExtremeValue(symbol(name), Cost.TOTAL, EPS)


def cells_rule(sides: Sequence[Side], kappa_given: bool) -> Expr:
    """The least number of cells, as a formula; a side with the same gates and no less besides decides over another."""
    asked = [s for s in sides if s.anchored != 0]
    deciding = [s for s in asked if not any(
        t is not s and sp.expand(t.anchored - s.anchored) == 0 and (t.free - s.free).is_nonnegative for t in asked)]

    def rule(s: Side) -> Expr:
        if s.leaks and not kappa_given:         # reached only as κ → ∞
            return sp.floor(s.anchored / (EPS - s.free)) + 1
        return sp.ceiling((s.anchored + s.leaked_per_cell * LEAK) / (EPS - s.free - s.leaked * LEAK))

    return largest([rule(s) for s in deciding])


def _cells(supply: Supply, sides: Sequence[Side], values: Values) -> int:
    """The least number of cells that meets ε on every side, exactly."""
    at = numbers(values)
    rate = supply.selection.rate
    known_leak = {LEAK: sp.exp(-rate * KAPPA)} if rate else {}
    least = 1
    for s in sides:
        if s.anchored == 0:
            continue
        room = EPS - s.free
        if s.leaks and "kappa" not in values:
            least = max(least, floor(rational_value(s.anchored / room, at)) + 1)
            continue
        room = (room - s.leaked * LEAK).xreplace(known_leak)
        if less_equal(room, sp.S.Zero, at) is not False:
            raise Infeasible(f"At kappa = {echo(exact_text(values['kappa']))} the leak alone exceeds eps.",
                             "Give a larger --kappa, or let it be derived.", {"--kappa": None})
        quotient = (s.anchored + s.leaked_per_cell * LEAK).xreplace(known_leak) / room
        exact = exact_value(quotient, at)
        needed = ceil(exact) if exact is not None else ceil(upper(quotient, at, 40))
        if exact is None and less_equal(quotient, sp.Integer(needed - 1), at) is True:
            needed -= 1         # the enclosure straddled an integer
        least = max(least, needed)
    return least


def _check_tokens(supply: Supply, values: Values) -> None:
    given = values.get(supply.tokens)
    if given is not None and given < supply.least_tokens:
        form = "the sentinel form" if supply.sentinels else "this gate"
        raise Infeasible(f"{supply.tokens} = {given} tokens per head are too few for {form}.",
                         f"The least that works is --{supply.tokens} {supply.least_tokens}.",
                         {f"--{supply.tokens}": str(supply.least_tokens)})
    heads = values.get(supply.heads) if supply.heads else Fraction(1)
    if given is not None and heads is not None and (given - supply.overlap) * heads - supply.ends < 1:
        raise Infeasible("One anchor makes no grid.", f"Give more heads or --{supply.tokens} {int(given) + 1}.")


def _counts(supply: Supply, sides: Sequence[Side], values: Values) -> list[Choice]:
    _check_tokens(supply, values)
    needed = _cells(supply, sides, values)
    rule = cells_rule(sides, "kappa" in values)
    tokens = values.get(supply.tokens)
    if supply.heads is None:
        least = max(supply.least_tokens, int(supply.tokens_for(needed, 1)))
        return [_count(supply.tokens, tokens, least, supply.tokens_for(rule, 1), values)]
    heads = values.get(supply.heads)
    if tokens is None and heads is None:
        tokens = Fraction(DEFAULT_TOKENS)
        first = Choice(supply.tokens, tokens, "closed", DefaultTokens(), sp.Integer(DEFAULT_TOKENS))
        return [first, *_heads(supply, needed, rule, int(tokens), None, values)]
    if tokens is None:
        assert heads is not None
        least = max(supply.least_tokens, int(supply.tokens_for(needed, int(heads))))
        of_heads = supply.tokens_for(rule, symbol(supply.heads))
        return [Choice(supply.heads, heads, "given"), _count(supply.tokens, None, least, of_heads, values)]
    given = Choice(supply.tokens, tokens, "given")
    return [given, *_heads(supply, needed, rule, int(tokens), heads, values)]


def _heads(supply: Supply, needed: int, rule: Expr, tokens: int, heads: Fraction | None, values: Values) -> list[Choice]:
    assert supply.heads is not None
    least = max(1, int(supply.heads_for(needed, tokens)))
    return [_count(supply.heads, heads, least, supply.heads_for(rule, symbol(supply.tokens)), values)]


def _count(name: str, given: Fraction | None, least: int, rule: Expr, values: Values) -> Choice:
    if given is None:
        return Choice(name, Fraction(least), "closed", _least(name), rule)
    if given < least:
        raise _too_few(name, given, least, values, "")
    return Choice(name, given, "given", AsGiven(_least(name), least))


def _too_few(name: str, given: Fraction, least: int, values: Values, companion: str) -> Infeasible:
    what = "heads" if name == "H" else "anchors"
    return Infeasible(f"{name} = {echo(exact_text(given))} {what} are too few for eps = {echo(exact_text(values['eps']))}.",
                      f"The least that works is --{name} {echo(str(least))}{companion}.",
                      {f"--{name}": str(least)} if not companion else None)


def refuse_anchors(analysis: Analysis, values: Values, name: str, tried: Sequence[Values]) -> None:
    """Say how many anchors would do: the fewest over what was tried for the integer `name`."""
    supply = analysis.supply
    assert supply is not None
    sides = sides_of(analysis)
    if "eps0" in values or "kappa" in values:
        kappa = _kappa_from_user(values)
        assert kappa is not None
        assert kappa.value is not None
        tried = [{**at, "kappa": kappa.value} for at in tried]
    needed, level = min((_cells(supply, sides, at), at[name]) for at in tried)
    counted = supply.heads or supply.tokens
    least = int(supply.heads_for(needed, int(values[supply.tokens])) if supply.heads else supply.tokens_for(needed, 1))
    raise _too_few(counted, values[counted], least, values, f" (with --{name} {level})")


# ---------------------------------------------------------------------------------------------------------------
# κ

_WHY_KAPPA = ExtremeValue(KAPPA, Cost.TOTAL, EPS, from_one=True)


def _kappa_from_user(values: Values) -> Choice | None:
    if "kappa" in values and "eps0" in values:
        raise InvalidInput("--kappa and --eps0 both say how hard anchors select.", "Give one of them.", {"--eps0": None})
    if "kappa" in values:
        if values["kappa"] < LEAST_KAPPA:
            raise Infeasible(f"The bounds for a hard temperature need kappa ≥ 1, not {echo(exact_text(values['kappa']))}.",
                             "Give --kappa 1 or more, or use --temperature tuned.")
        if values["kappa"] > MOST_KAPPA:
            raise Infeasible(f"kappa = {echo(exact_text(values['kappa']))} is larger than anything could need.",
                             f"Give at most --kappa {MOST_KAPPA}.")
        return Choice("kappa", values["kappa"], "given")
    if "eps0" not in values:
        return None
    if values["eps0"] >= 1:
        raise InvalidInput("--eps0 is a mass and must be below 1.", "For example --eps0 1e-3.", {"--eps0": "1e-3"})
    rule = -sp.log(symbol("eps0"))
    value = max(LEAST_KAPPA, round_up_significant(upper(rule, numbers(values), 25), DIGITS))
    return Choice("kappa", value, "closed", ExtremeValue(KAPPA, Cost.MASS, symbol("eps0"), from_one=True),
                  largest((sp.S.One, rule)), "up")


def _kappa_rule(supply: Supply, sides: Sequence[Side]) -> Expr:
    if not supply.selection.rate:
        return sp.S.One
    needs = [sp.log((s.leaked + s.leaked_per_cell / CELLS) / (EPS - s.free - s.anchored / CELLS)) / supply.selection.rate
             for s in sides if s.leaks]
    return largest((sp.S.One, *dict.fromkeys(needs)))


def _kappa(supply: Supply, sides: Sequence[Side], values: Values) -> Choice:
    rule, at = _kappa_rule(supply, sides), numbers(values)
    if rule == 1:
        return Choice("kappa", LEAST_KAPPA, "closed", LeastForLemma(KAPPA), sp.S.One)
    value = max(LEAST_KAPPA, round_up_significant(upper(rule, at, 25), DIGITS))
    return Choice("kappa", value, "closed", _WHY_KAPPA, rule, "up")
