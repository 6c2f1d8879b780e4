"""What is called tight is attained, what is called least is least, and what is refused comes with something that works."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
import sympy as sp

from boundcalc.declarations.registry import construction, names
from boundcalc.derivation.profile import total
from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.formulas.enclosure import less_equal, less_than, lower
from boundcalc.formulas.interval import POINT
from boundcalc.formulas.symbols import symbol
from boundcalc.numbers.exact import rational
from boundcalc.results.bound import Bound, closed_forms
from boundcalc.tune import numbers
from boundcalc.verify.evaluate import Evaluator, to_fraction

from .cases import CASES, CHOSEN, Case, built, cells, derivable, examples, has_pieces, level_of, levels, tokens_name
from .points import inside, own_interval, witness
from .reference import run

DIGITS = 50
EPS = symbol("eps")


def error_at(b: Bound, point: list[Fraction]) -> Fraction:
    """A lower bound of the error of the network at a point, the same for every copy."""
    whole = point * (b.input_count() // len(point))
    errors = [abs(to_fraction(y) - t) - max(Fraction(1), abs(to_fraction(y))) / 10**DIGITS
              for y, t in zip(Evaluator(b.network, DIGITS)(whole), b.target(whole), strict=True)]
    return min(errors)


def derived(b: Bound) -> Fraction:
    """The derived error, rounded up."""
    found = b.total.upper
    assert found is not None
    return found


def given(case: Case, *names: str) -> bool:
    return bool(set(names) & set(case.given))


# a sequence keeps a tenth of ε for leaks: nothing else is attained or least there; tests/test_sequence.py
PLAIN = [c for c in CHOSEN if not c.sequence]
ANCHORED = ("anchor", "anchors")
WITH_WITNESS = [c for c in PLAIN if c.gate in ("silu", None) and not c.has_delta
                and c.declaration.route(c.route).witness and derivable(c) and witness(built(c))]
WITH_EPS = [c for c in WITH_WITNESS if given(c, "eps") and not given(c, "beta")]


def test_every_tight_route_is_here() -> None:
    found = {(c.name, c.route) for c in WITH_EPS}
    assert found == {(name, r.name) for name in (*names(), *examples()) for r in construction(name).routes if r.witness}
    assert {("relu", "recipe"), ("abs", "recipe"), ("max", "direct"), ("max", "tree"), ("min", "direct"),
            ("min", "tree")} <= found
    assert all(any(x.tight for x in built(c).analysis.lemmas) and witness(built(c)) for c in WITH_EPS)


@pytest.mark.parametrize("case", WITH_WITNESS, ids=str)
def test_tight_lemma_is_attained(case: Case) -> None:
    b = built(case)
    point = witness(b)
    assert point is not None
    assert error_at(b, point) >= derived(b) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("case", [c for c in WITH_EPS if c.declaration.counted and c.given["eps"] != "1/3"], ids=str)
def test_witness_lies_in_the_domain(case: Case) -> None:
    """S5 and S6 hold on the whole line; here they are attained where the user asked, so the bound is sharp there too."""
    b = built(case)
    point = witness(b)
    assert point is not None
    assert inside(b, point)


@pytest.mark.parametrize("case", WITH_EPS, ids=str)
def test_one_percent_less_beta_breaks_the_network(case: Case) -> None:
    b = built(case)
    weak = case.changed(eps=None, beta=b.values["beta"] * Fraction(99, 100))
    point = witness(weak)
    assert point is not None
    assert error_at(b, point) <= b.values["eps"] < error_at(weak, point)


WITH_LEVELS = [c for c in PLAIN if level_of(c) and given(c, "eps")
               and not given(c, "beta", "p", "n", "H", *c.chooses) and derivable(c)]


def with_free_levels(case: Case) -> Bound:
    """A bound of the same request whose closed forms still mention m (those of m = 0 and m = 1 do not)."""
    m = str(level_of(case))
    b = case.changed(**{m: int(built(case).values[m]) + 3})
    assert symbol(m) in b.analysis.total.hi.free_symbols
    return b


def interpolation(b: Bound, level: Mapping[str, int]) -> tuple[bool | None, bool | None]:
    """(≤ ε, < ε) for the part of the error that β cannot help, at another number of levels."""
    free = sum((i.hi for source, i in b.analysis.error.items() if source != "gates"), start=0 * EPS)
    at = numbers({**b.values, **{name: Fraction(number) for name, number in level.items()}})
    return less_equal(free, EPS, at), less_than(free, EPS, at)


@pytest.mark.parametrize("case", WITH_LEVELS, ids=str)
def test_levels_are_least(case: Case) -> None:
    b, free, m = case.changed(minimize="layers"), with_free_levels(case), str(level_of(case))
    least = int(b.values[m])
    enough, strictly = interpolation(free, {m: least})
    assert enough
    # gates on the same side (silu gates of square err downwards, its sawtooth upwards) need room of their own
    how = {name: case.given.get(name) for name in ("temperature", "grid", "sentinels")}
    errors = closed_forms(case.name, route=case.route, gate=case.gate, **how).error         # type: ignore[arg-type]
    gates, rest = errors.get("gates", POINT), total({source: i for source, i in errors.items() if source != "gates"})
    needs_room = (gates.lo != 0 and rest.lo != 0) or (gates.hi != 0 and rest.hi != 0)
    assert strictly or not needs_room
    if least == 0:
        return
    enough, strictly = interpolation(free, {m: least - 1})
    assert (strictly if needs_room else enough) is False
    with pytest.raises(Infeasible, match=rf"^{m} = {least - 1} is too small .* The least that works is --{m} {least}\.$"):
        case.changed(**{m: least - 1})
    again = case.changed(**{m: least})
    assert again.values == b.values


@pytest.mark.parametrize("case", [c for c in WITH_LEVELS if c.gate == "ffn" and not c.has_delta
                                  and c.name in ("square", "mult")], ids=str)
def test_sawtooth_lemma_is_attained_exactly(case: Case) -> None:
    """Q1 is tight: the ReLU network is evaluated in Fractions and errs by exactly the derived bound."""
    b = built(case)
    ends = [(low, high) for low, high in b.domains()[:b.target_functions[0].inputs] if low is not None and high is not None]
    steps = [(high - low) / 2 ** (int(b.values["m"]) + 1) for low, high in ends]        # half a piece of the sawtooth
    # square errs in the middle of a piece; mult where u₊ = (x − c)/2h + (y − e)/2k is there and u₋, their difference, is 0
    point = [ends[0][0] + steps[0]] if case.name == "square" else [
        (low + high + step) / 2 for (low, high), step in zip(ends, steps, strict=True)]
    whole = point * int(b.values["d"])
    outputs, _ = run(b.network, whole)
    assert {abs(y - t) for y, t in zip(outputs, b.target(whole), strict=True)} == {b.total.exact}


WITH_BETA = [c for c in PLAIN if given(c, "eps") and not given(c, "beta") and c.gate in ("silu", None)
             and derivable(c) and "beta" in built(c).values and built(c).analysis.resources["beta"] != 0
             and not (has_pieces(c) and given(c, "N"))]     # with pieces given, plain propagation may do with less
NAMED = re.compile(r"(?:beta that works is|--beta of at least) ([0-9.e-]+[0-9])")


@pytest.mark.parametrize("case", WITH_BETA, ids=str)
def test_beta_is_least_and_the_refusal_names_one_that_works(case: Case) -> None:
    b = built(case)
    beta, rounded = next((c.value, c.rounded) for c in b.choices if c.name == "beta")
    assert beta is not None
    fixed = levels(b)
    factor = {"up": Fraction(99, 100), "down": Fraction(101, 100)}[str(rounded)]
    with pytest.raises(Infeasible) as refusal:
        case.changed(beta=beta * factor, **fixed)
    named = NAMED.search(refusal.value.remedy)
    assert named, refusal.value.remedy
    works = rational(named[1])
    assert works == beta
    assert case.changed(beta=works, **fixed).values == {**b.values, "beta": works}


@pytest.mark.parametrize("case", [c for c in WITH_BETA if level_of(c) == "m"], ids=str)
def test_much_too_small_beta_names_beta_and_levels(case: Case) -> None:
    """With m left free more levels are tried first; then both are named, and both together work."""
    b = built(case)
    with pytest.raises(Infeasible) as refusal:
        case.changed(beta=b.values["beta"] / 100, m=None)
    named = re.search(r"The least beta that works is ([0-9.e-]+[0-9]) \(with --m (\d+)\)\.", refusal.value.remedy)
    assert named, refusal.value.remedy
    works, level = rational(named[1]), int(named[2])
    assert case.changed(beta=works, m=level).values["beta"] == works
    assert case.changed(beta=works, m=None).values["m"] <= level
    free = with_free_levels(case)                           # and no number of levels does with 1% less
    if any(x.label == "Q3" for x in free.analysis.lemmas):      # it holds from β = 40 on, and says nothing of smaller ones
        return
    for m in range(int(b.values["m"]), 60):
        at = numbers({**free.values, "m": Fraction(m), "beta": works * Fraction(99, 100)})
        assert any(lower(e, at, 40) > b.values["eps"] for e in (free.analysis.total.hi, -free.analysis.total.lo) if e != 0)


@pytest.mark.parametrize("case", [c for c in CASES if has_pieces(c) and c.gate == "silu" and not given(c, "N", "beta")
                                  and not c.sequence and c.given.get("eps") in ("1/3", "1/8", "1/10")], ids=str)
def test_a_given_beta_finds_pieces_or_is_refused(case: Case) -> None:
    """With N left free other numbers of pieces are tried; more are not always better, so none is called least."""
    b = built(case)
    with pytest.raises(Infeasible, match=r"no number of pieces was found that meets eps\. Leave out --beta"):
        case.changed(beta=b.values["beta"] / 1000)
    found = case.changed(beta=b.values["beta"] * 3)
    assert found.values["N"] >= b.values["N"]
    assert derived(found) <= b.values["eps"]


# ---------------------------------------------------------------------------------------------------------------
# pieces of 1/x

# of ReLU networks, which take no time, always all: where exactly N pieces suffice is seen nowhere else
PIECES = [c for c in [*PLAIN, *(c for c in CASES if c.gate == "ffn" and not c.sequence and c not in PLAIN)]
          if has_pieces(c) and given(c, "eps") and not given(c, "N", "beta", "p", "n", "H") and derivable(c)]


def pieces_suffice(b: Bound, count: int) -> tuple[bool, bool]:
    """(≤, <) of (1 − √(A/B))² and 2AN²·room, by an independent decision: sympy compares these algebraic numbers."""
    left, right = (sp.Rational(str(x)) for x in (b.values["a"] - b.values["delta"], b.values["b"] + b.values["delta"]))
    room = sp.Rational(str(b.values["eps"] - b.values["delta"] / ((b.values["a"] - b.values["delta"]) * b.values["a"])))
    difference = (1 - sp.sqrt(left / right)) ** 2 - 2 * left * count**2 * room
    return bool(difference <= 0), bool(difference < 0)


@pytest.mark.parametrize("case", PIECES, ids=str)
def test_pieces_are_least_and_one_less_is_refused(case: Case) -> None:
    b = case.changed(minimize="layers") if case.gate in ANCHORED else built(case)
    least = int(b.values["N"])
    needs_room = case.gate != "ffn"
    assert pieces_suffice(b, least)[needs_room]
    if least == 2:
        with pytest.raises(InvalidInput, match=r"^--N must be an integer of at least 2"):
            case.changed(N=1)
        return
    assert not pieces_suffice(b, least - 1)[needs_room]
    with pytest.raises(Infeasible, match=rf"^N = {least - 1} is too small .* The least that works is --N {least}\.$"):
        case.changed(N=least - 1)
    assert case.changed(N=least).values == b.values


def test_least_pieces_are_not_always_two() -> None:
    assert sum(built(c).values["N"] > 2 for c in PIECES) > len(PIECES) / 2
    assert any(pieces_suffice(built(c), int(built(c).values["N"])) == (True, False) for c in PIECES)    # no slack at all


@pytest.mark.parametrize("case", [c for c in PLAIN if has_pieces(c) and c.gate == "ffn"], ids=str)
def test_chord_lemma_is_attained_exactly(case: Case) -> None:
    """P1 is tight: in Fractions the network errs by exactly h²/(2A), above 1/x inside a piece and below it at a knot."""
    b = built(case)
    left, h = b.values["left"], b.values["h"]
    u = [1 - i * h for i in range(int(b.values["N"]) + 1)]
    own = h**2 / (2 * left)
    between = [left / (s * t) for s, t in pairwise(u)]
    some = slice(None, None, len(u) // 8 + 1)
    for x, expected in [*((x, own) for x in between[some]), *((left / s**2, -own) for s in u[some])]:
        outputs, _ = run(b.network, [x] * int(b.values["d"]))
        assert {y - 1 / x for y in outputs} == {expected}


@pytest.mark.parametrize("case", [c for c in PIECES if c.gate == "ffn" and not c.has_delta and built(c).values["N"] > 2],
                         ids=str)
def test_one_piece_less_breaks_the_network(case: Case) -> None:
    b = built(case)
    fewer = case.changed(eps=None, N=int(b.values["N"]) - 1)
    first = fewer.values["left"] / (1 - fewer.values["h"])
    assert inside(b, [first])
    assert error_at(b, [first]) <= b.values["eps"] < error_at(fewer, [first])


# ---------------------------------------------------------------------------------------------------------------
# anchors

WITH_ANCHORS = [c for c in PLAIN if c.gate in ANCHORED and given(c, "eps") and derivable(c)
                and built(c).resources["heads"].exact]


def counted(case: Case) -> str | None:
    """The count that was derived: tokens of the one head, heads for given (or default) tokens, or tokens for given heads."""
    tokens = tokens_name(case)
    if case.gate == "anchor":
        return None if given(case, tokens) else tokens
    return "H" if not given(case, "H") else None if given(case, tokens) else tokens


def others(case: Case, b: Bound) -> dict[str, object]:
    """All other counts, as they were chosen."""
    names = {tokens_name(case), *(("H",) if case.gate == "anchors" else ())} - {counted(case)}
    return {**levels(b), **{name: int(b.values[name]) for name in names}}


# parts of a plan have counts of their own, m_s and p_s, and are tested where they stand alone
DERIVED_COUNT = [c for c in WITH_ANCHORS if counted(c) in built(c).values]


@pytest.mark.parametrize("case", DERIVED_COUNT, ids=str)
def test_anchors_are_least_and_one_less_is_refused_with_the_least(case: Case) -> None:
    """Where κ is derived too, one less is not enough whatever κ."""
    b = built(case)
    name = counted(case)
    assert name is not None
    least, eps, fixed = int(b.values[name]), b.values["eps"], others(case, b)
    assert derived(b) <= eps
    again = case.changed(**{name: least}, **fixed)
    assert again.values == b.values
    smallest = 1 if name == "H" else 2
    if least == smallest:
        with pytest.raises(InvalidInput, match=rf"^--{name} must be an integer of at least {smallest}"):
            case.changed(**{name: least - 1}, **fixed)
        return
    owned = {**b.values, name: Fraction(least - 1)}
    if case.given.get("sentinels") and cells(case, owned) < 1:
        with pytest.raises(Infeasible):                     # no grid at all
            case.changed(**{name: least - 1}, **fixed)
        return
    with pytest.raises(Infeasible) as refusal:
        case.changed(**{name: least - 1}, **fixed)
    if name == "H" or case.gate == "anchor":
        what = "heads" if name == "H" else "anchors"
        assert refusal.value.problem.startswith(f"{name} = {least - 1} {what} are too few for eps = ")
        assert refusal.value.remedy == f"The least that works is --{name} {least}."
    else:                                                   # tokens and heads are both given: more heads would do
        named = re.fullmatch(r"The least that works is --H (\d+)\.", refusal.value.remedy)
        assert named, refusal.value.remedy
        enough = {**fixed, name: least - 1, "H": int(named[1])}
        assert derived(case.changed(**enough)) <= eps
        with pytest.raises(Infeasible):
            case.changed(**{**enough, "H": int(named[1]) - 1})
    hard = {"kappa": 100} if "kappa" in b.values and not given(case, "kappa", "eps0") else {}
    fewer = case.changed(eps=None, **{name: least - 1}, **fixed, **hard)
    assert less_than(EPS, fewer.analysis.evaluable(fewer.analysis.total.radius), {**numbers(fewer.values), EPS: eps})


def test_least_anchors_are_not_always_two() -> None:
    assert sum(derived(built(c)) > built(c).values["eps"] / 2 for c in DERIVED_COUNT) > len(DERIVED_COUNT) / 2


@pytest.mark.parametrize("case", [c for c in DERIVED_COUNT if level_of(c) == "m" and not given(c, "m", "n", "H")
                                  and built(c).values[str(counted(c))] > 8], ids=str)
def test_too_few_anchors_are_helped_by_levels_or_refused_with_both(case: Case) -> None:
    """With m left free more levels are tried first; then both are named, and both together work."""
    b = built(case)
    name = str(counted(case))
    others_given = {k: v for k, v in others(case, b).items() if k != "m"}
    with pytest.raises(Infeasible) as refusal:
        case.changed(**{name: 2}, **others_given)
    named = re.search(rf"The least that works is --{name} (\d+) \(with --m (\d+)\)\.$", refusal.value.remedy)
    assert named, refusal.value.remedy
    count, level = int(named[1]), int(named[2])
    assert count <= b.values[name]
    assert case.changed(**{name: count}, m=level, **others_given).values[name] == count
    found = case.changed(**{name: count}, **others_given)
    assert found.values["m"] == level
    assert next(c.kind for c in found.choices if c.name == "m") == ("searched" if level > b.values["m"] else "closed")
    free = with_free_levels(case)                           # and no number of levels does with one less
    fewer = {**free.values, name: Fraction(count - 1)}
    for m in range(int(b.values["m"]), 60):
        at = {**fewer, "m": Fraction(m), "cells": cells(case, fewer), "kappa": fewer.get("kappa", Fraction(1)) * 10**4}
        leakless = free.analysis.evaluable(free.analysis.total.hi)
        assert lower(leakless, numbers(at), 40) >= b.values["eps"]


ENDS = [c for c in DERIVED_COUNT if c.name == "clip" and c.given.get("grid") in ("left", "midpoint")
        and not c.has_delta]


def ends_of(b: Bound) -> tuple[Fraction, Fraction]:
    found = own_interval(b)
    assert found is not None
    return found


def beyond(b: Bound) -> list[Fraction]:
    """An input at the right end of what is clipped to."""
    weights = [b.values.get(f"w{i + 1}", Fraction(1)) for i in range(int(b.values["d"]))]
    return [(ends_of(b)[1] - b.values.get("t", Fraction(0))) / sum(weights)] * len(weights)


@pytest.mark.parametrize("case", ENDS, ids=str)
def test_one_anchor_less_breaks_the_network(case: Case) -> None:
    """A3 is tight as κ → ∞: at the right end the last anchor is Δ (or Δ/2) away, and every other one is farther."""
    b = built(case)
    fewer = case.changed(eps=None, p=int(b.values["p"]) - 1, eps0=None, kappa=b.values["kappa"])
    assert error_at(b, beyond(b)) <= b.values["eps"] < error_at(fewer, beyond(b))


@pytest.mark.parametrize("case", ENDS, ids=str)
def test_hard_ends_are_attained(case: Case) -> None:
    """What the lemma adds to Δ or Δ/2 is attained up to a factor at this κ, and all of it as κ grows."""
    b = built(case)
    cell = (ends_of(b)[1] - ends_of(b)[0]) / cells(case, b.values)
    part = Fraction(1) if case.given["grid"] == "left" else Fraction(1, 2)
    error = error_at(b, beyond(b))
    assert cell * part < error <= derived(b)
    assert derived(b) - cell * part < 2 * (error - cell * part)


TUNED_GRIDS = [c for c in CASES if c.gate in ANCHORED and c.name == "clip" and given(c, "eps") and not c.sequence
               and not given(c, "temperature", "w", "d") and not c.has_delta
               and built(c).values["cells"] >= 4]


@pytest.mark.parametrize("case", TUNED_GRIDS, ids=str)
def test_the_certified_constant_is_nearly_attained(case: Case) -> None:
    """Of Δ/16 one head attains 0.9899, in its first cell, and telescoping ones 0.9934, in the cell before their first joint;
    of the Δ/15 of n = 2 they attain 0.939."""
    b = built(case)
    low, high = ends_of(b)
    tokens, heads, cell = b.values[tokens_name(case)], b.values.get("H", Fraction(1)), (high - low) / cells(case, b.values)
    at = (tokens - 2 if heads > 1 else 0) + Fraction(74, 100)
    least = Fraction(93, 100) if tokens == 2 else Fraction(99, 100) if heads > 1 else Fraction(98, 100)
    assert least * derived(b) <= error_at(b, [low + at * cell]) <= derived(b)


def test_all_kinds_of_tuned_grids_are_here() -> None:
    kinds = {(built(c).values.get("H", 1) > 1, built(c).values[tokens_name(c)] == 2) for c in TUNED_GRIDS}
    assert kinds == {(False, False), (True, False), (True, True)}
