"""What is called tight is attained, what is called least is least, and what is refused comes with something that works."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from boundcalc.bounds import Bound
from boundcalc.enclosure import less_equal, less_than, lower
from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.exact import rational
from boundcalc.symbols import symbol
from boundcalc.tune import numbers
from boundcalc.verify.evaluate import Evaluator, to_fraction

from .cases import CASES, Case, built, inside, witness
from .reference import run

DIGITS = 50
EPS = symbol("eps")


def error_at(b: Bound, point: list[Fraction]) -> Fraction:
    """A lower bound of the error of the network at a point, the same for every copy."""
    copies = 1 if b.construction.many else int(b.values["d"])
    whole = point * copies
    errors = [abs(to_fraction(y) - t) - max(Fraction(1), abs(to_fraction(y))) / 10**DIGITS
              for y, t in zip(Evaluator(b.network, DIGITS)(whole), b.target(whole), strict=True)]
    return min(errors)


def derived(b: Bound) -> Fraction:
    """The derived error, rounded up."""
    total = b.total.upper
    assert total is not None
    return total


WITH_WITNESS = [c for c in CASES if c.gate not in ("ffn", "anchor") and c.name not in ("square", "mult") and not c.has_delta]
WITH_EPS = [c for c in WITH_WITNESS if "eps" in c.parameters and "beta" not in c.parameters]


def test_every_tight_route_is_here() -> None:
    found = {(c.name, c.route) for c in WITH_EPS}
    assert found == {("relu", "recipe"), ("abs", "recipe"), ("max", "direct"), ("max", "tree"), ("min", "direct"),
                     ("min", "tree")}
    assert all(any(x.tight for x in built(c).analysis.lemmas) and witness(built(c)) for c in WITH_EPS)


@pytest.mark.parametrize("case", WITH_WITNESS, ids=str)
def test_tight_lemma_is_attained(case: Case) -> None:
    b = built(case)
    point = witness(b)
    assert point is not None
    assert error_at(b, point) >= derived(b) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("case", [c for c in WITH_EPS if c.name in ("max", "min") and c.parameters["eps"] != "1/3"], ids=str)
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


WITH_LEVELS = [c for c in CASES if c.name in ("square", "mult") and c.route == "recipe" and "eps" in c.parameters
               and not {"beta", "p", "m"} & set(c.parameters)]


def with_free_levels(case: Case) -> Bound:
    """A bound of the same request whose closed forms still mention m (those of m = 0 and m = 1 do not)."""
    b = case.changed(m=int(built(case).values["m"]) + 3)
    assert symbol("m") in b.analysis.total.hi.free_symbols
    return b


def interpolation(b: Bound, level: int) -> tuple[bool | None, bool | None]:
    """(≤ ε, < ε) for the part of the error that β cannot help, at another number of levels."""
    free = sum((i.hi for s, i in b.analysis.error.items() if s != "gates"), start=0 * EPS)
    at = numbers({**b.values, "m": Fraction(level)})
    return less_equal(free, EPS, at), less_than(free, EPS, at)


@pytest.mark.parametrize("case", WITH_LEVELS, ids=str)
def test_levels_are_least(case: Case) -> None:
    b, free = built(case), with_free_levels(case)
    least = int(b.values["m"])
    enough, strictly = interpolation(free, least)
    assert enough
    # gates on the same side (silu gates of square err downwards, its sawtooth upwards) need room of their own
    needs_room = (case.name, case.gate) == ("mult", "silu") or case.gate == "anchor"
    assert strictly or not needs_room
    if least == 0:
        return
    enough, strictly = interpolation(free, least - 1)
    assert (strictly if needs_room else enough) is False
    with pytest.raises(Infeasible, match=rf"^m = {least - 1} is too small .* The least that works is --m {least}\.$"):
        case.changed(m=least - 1)
    again = case.changed(m=least)
    assert again.values == b.values


@pytest.mark.parametrize("case", [c for c in WITH_LEVELS if c.gate == "ffn" and not c.has_delta], ids=str)
def test_sawtooth_lemma_is_attained_exactly(case: Case) -> None:
    """Q1 is tight: the ReLU network is evaluated in Fractions and errs by exactly the derived bound."""
    b = built(case)
    low, high = b.domain()
    assert low is not None
    assert high is not None
    step = (high - low) / 2 ** (int(b.values["m"]) + 1)     # half a piece of the sawtooth
    centre = (low + high) / 2
    # square errs in the middle of a piece; mult where u₊ = (x + y − 2c)/2h is there and u₋ = (x − y)/2h is 0
    point = [low + step] if b.construction.name == "square" else [centre + step / 2, centre + step / 2]
    whole = point * int(b.values["d"])
    outputs, _ = run(b.network, whole)
    assert {abs(y - t) for y, t in zip(outputs, b.target(whole), strict=True)} == {b.total.exact}


WITH_BETA = [c for c in CASES if "eps" in c.parameters and "beta" not in c.parameters and c.gate not in ("ffn", "anchor")
             and "beta" in built(c).values and built(c).analysis.resources["beta"] != 0]
NAMED = re.compile(r"beta that works is ([0-9.e-]+[0-9])")


@pytest.mark.parametrize("case", WITH_BETA, ids=str)
def test_beta_is_least_and_the_refusal_names_one_that_works(case: Case) -> None:
    b = built(case)
    beta, rounded = next((c.value, c.rounded) for c in b.choices if c.name == "beta")
    levels = {"m": int(b.values["m"])} if "m" in b.values else {}
    factor = {"up": Fraction(99, 100), "down": Fraction(101, 100)}[str(rounded)]
    with pytest.raises(Infeasible) as refusal:
        case.changed(beta=beta * factor, **levels)
    named = NAMED.search(refusal.value.remedy)
    assert named, refusal.value.remedy
    works = rational(named[1])
    assert works == beta
    assert case.changed(beta=works, **levels).values == {**b.values, "beta": works}


@pytest.mark.parametrize("case", [c for c in WITH_BETA if c.name in ("square", "mult") and c.route == "recipe"], ids=str)
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
    for m in range(int(b.values["m"]), 60):
        at = numbers({**free.values, "m": Fraction(m), "beta": works * Fraction(99, 100)})
        assert any(lower(e, at, 40) > b.values["eps"] for e in (free.analysis.total.hi, -free.analysis.total.lo) if e != 0)


# ---------------------------------------------------------------------------------------------------------------
# anchors

WITH_ANCHORS = [c for c in CASES if c.gate == "anchor" and "eps" in c.parameters and "p" not in c.parameters
                and built(c).resources["heads"].exact]


@pytest.mark.parametrize("case", WITH_ANCHORS, ids=str)
def test_anchors_are_least_and_one_less_is_refused_with_the_least(case: Case) -> None:
    b = built(case)
    least, eps = int(b.values["p"]), b.values["eps"]
    levels = {"m": int(b.values["m"])} if "m" in b.values else {}
    assert b.total.exact is not None
    assert b.total.exact <= eps
    assert case.changed(p=least, **levels).values == b.values
    if least == 2:
        with pytest.raises(InvalidInput, match=r"^--p must be an integer of at least 2"):
            case.changed(p=1, **levels)
        return
    with pytest.raises(Infeasible, match=rf"^p = {least - 1} anchors are too few .* The least that works is --p {least}\.$"):
        case.changed(p=least - 1, **levels)
    fewer = case.changed(eps=None, p=least - 1, **levels)
    assert fewer.total.exact is not None
    assert fewer.total.exact > eps


def test_least_anchors_are_not_always_two() -> None:
    assert sum(built(c).values["p"] > 2 for c in WITH_ANCHORS) > len(WITH_ANCHORS) / 2


@pytest.mark.parametrize("case", [c for c in WITH_ANCHORS if c.name in ("square", "mult") and "m" not in c.parameters
                                  and built(c).values["p"] > 8], ids=str)
def test_too_few_anchors_are_helped_by_levels_or_refused_with_both(case: Case) -> None:
    """With m left free more levels are tried first; then both are named, and both together work."""
    b = built(case)
    with pytest.raises(Infeasible) as refusal:
        case.changed(p=2)
    named = re.search(r"The least that works is --p (\d+) \(with --m (\d+)\)\.$", refusal.value.remedy)
    assert named, refusal.value.remedy
    p, level = int(named[1]), int(named[2])
    assert p <= b.values["p"]
    assert case.changed(p=p, m=level).values["p"] == p
    found = case.changed(p=p)
    assert found.values["m"] == level
    assert next(c.kind for c in found.choices if c.name == "m") == ("searched" if level > b.values["m"] else "closed")
    free = with_free_levels(case)                           # and no number of levels does with one less
    for m in range(int(b.values["m"]), 60):
        at = numbers({**free.values, "m": Fraction(m), "p": Fraction(p - 1), "cells": Fraction(p - 2)})
        assert lower(free.analysis.total.hi, at, 40) > b.values["eps"]
