"""Sequences: how much other tokens leak, the score scale that keeps them out, and position codes."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import mpmath
import pytest
import sympy as sp

from boundcalc.errors import BoundcalcError, Infeasible, InvalidInput
from boundcalc.formulas.enclosure import less_equal, upper
from boundcalc.formulas.symbols import symbol
from boundcalc.results.bound import Bound, bound
from boundcalc.terms.codes import LONGEST_CIRCLE, circle, circle_gap
from boundcalc.tune import numbers, sequences
from boundcalc.verify.evaluate import Evaluator, to_fraction

F = Fraction
DIGITS = 50
L, g, nu, xi, R = (symbol(x) for x in ("L", "g", "nu", "xi", "R"))


def outputs(b: Bound, point: list[Fraction]) -> list[Fraction]:
    return [to_fraction(y) for y in Evaluator(b.network, DIGITS)(point)]


def worst_error(b: Bound, points: list[list[Fraction]]) -> Fraction:
    return max(abs(y - t) for point in points for y, t in zip(outputs(b, point), b.target(point), strict=True))


def context() -> Any:
    ctx = mpmath.MPContext()
    ctx.dps = 60
    return ctx


# the leak ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("length", [2, 3, 9])
@pytest.mark.parametrize("eps", ["1/3", "1/50"])
def test_the_leak_of_silu_is_the_worst_case_of_the_formula(length: int, eps: str) -> None:
    """z = R and all others at −R: the exported network leaks exactly R(1+s)s·x/(1+sx), s = σ(βR), x = (L−1)e^(−ν)."""
    b = bound("relu", eps=eps, sequence=length)
    ctx = context()
    beta, lead, reach = (ctx.mpf(b.values[k].numerator) / b.values[k].denominator for k in ("beta", "nu", "R"))
    assert b.values["R"] == 1
    s, x = 1 / (1 + ctx.exp(-beta * reach)), (length - 1) * ctx.exp(-lead)
    exact = reach * (1 + s) * s * x / (1 + s * x)
    first = outputs(b, [F(1), *[F(-1)] * (length - 1)])[0]
    alone = reach * s                                           # zσ(βz)
    assert abs(alone - ctx.mpf(first.numerator) / first.denominator - exact) < ctx.mpf(10) ** -45
    limit = 2 * reach * x / (1 + x)
    assert exact <= limit <= ctx.mpf(b.values["xi"].numerator) / b.values["xi"].denominator
    assert exact > ctx.mpf(9) / 10 * limit or eps == "1/3"      # s is near 1 where β is large


@pytest.mark.parametrize("length", [3, 4])
def test_nothing_leaks_more_than_the_formula(length: int) -> None:
    """Brute force over a grid of inputs and over weights X of the others up to x: the corner is the worst."""
    ctx = context()
    beta, x = ctx.mpf(5), ctx.mpf(length - 1) * ctx.exp(-2)
    s = 1 / (1 + ctx.exp(-beta))
    worst = (1 + s) * s * x / (1 + s * x)
    grid = [ctx.mpf(k) / 4 for k in range(-4, 5)]
    seen = ctx.zero
    for z, *others in product(grid, repeat=length):
        own, each = ctx.exp(beta * z), x / (length - 1)
        total = own + 1 + each * own * (length - 1)
        out = (own * z + sum(each * own * other for other in others)) / total
        seen = max(seen, abs(out - z * own / (own + 1)))
    assert seen <= worst * (1 + ctx.mpf(10) ** -50)
    assert seen > worst * (1 - ctx.mpf(10) ** -50)              # the corner is in the grid


@pytest.mark.parametrize("options", [
    {"gate": "anchor"}, {"gate": "anchors", "n": 4}, {"gate": "anchor", "temperature": "hard", "grid": "left"},
    {"gate": "anchors", "n": 5, "temperature": "hard", "sentinels": True}], ids=str)
@pytest.mark.parametrize("length", [2, 6])
def test_data_tokens_take_their_share_from_anchors(options: dict[str, Any], length: int) -> None:
    """Data tokens have value 0: the output is the one without them times the mass of the anchors, at least 1/(1 + x)."""
    b = bound("relu", eps="1/3", sequence=length, **options)
    counts = {k: b.values[k] for k in ("p", "n", "H", "kappa") if k in b.values}
    alone = bound("relu", **{**options, **counts})
    ctx = context()
    x = length * ctx.exp(-ctx.mpf(b.values["nu"].numerator) / b.values["nu"].denominator)
    for z in (F(1), F(1, 2), F(1, 7)):
        (one,), many = outputs(alone, [z]), outputs(b, [z] * length)
        assert len(set(many)) == 1
        lost = (one - many[0]) / one
        assert lost > 0
        assert ctx.mpf(lost.numerator) / lost.denominator <= x / (1 + x) * (1 + ctx.mpf(10) ** -40)


def test_a_leak_without_its_factor_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """x = e^(−ν) instead of (L−1)e^(−ν): with 40 tokens others leak more than all of ε."""
    length = 40
    point = [F(1), *[F(-1)] * (length - 1)]
    right = bound("relu", eps="1/20", sequence=length)
    assert worst_error(right, [point]) <= F(1, 20)
    monkeypatch.setattr(sequences, "intruders", lambda analysis: sp.S.One)
    wrong = bound("relu", eps="1/20", sequence=length)
    assert wrong.values["nu"] < right.values["nu"] - 3
    assert wrong.total.upper is not None
    assert worst_error(wrong, [point]) > wrong.total.upper


def test_a_leak_of_anchors_without_its_factor_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two anchors: between them the scores of anchors are not yet large."""
    points = [[F(6, 10)] * 40]
    right = bound("relu", eps="1/10", gate="anchor", sequence=40)
    assert right.values["p"] == 2
    assert worst_error(right, points) <= F(1, 10)
    monkeypatch.setattr(sequences, "intruders", lambda analysis: sp.S.One)
    assert worst_error(bound("relu", eps="1/10", gate="anchor", sequence=40), points) > F(1, 10)


# the lead ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("codes", ["onehot", "circle"])
@pytest.mark.parametrize("name", ["relu", "mult"])
@pytest.mark.parametrize("length", [2, 7, 30])
def test_the_lead_is_least(codes: str, name: str, length: int) -> None:
    b = bound(name, eps="1e-3", sequence=length, codes=codes)
    leak = sequences.leak_of_a_gate(b.analysis)
    at = numbers(b.values)
    gap = circle_gap(length) if codes == "circle" else F(1)
    assert b.values.get("g", F(1)) == gap
    assert less_equal(leak, xi, at) is True
    assert less_equal(leak, xi, {**at, nu: b.values["nu"] * (1 - F(1, 10**5))}) is False
    rule = sp.log((L - 1) * (2 * R / xi - 1)) / (g if codes == "circle" else 1)
    assert 0 <= b.values["nu"] - upper(rule, at, 30) <= b.values["nu"] / 10**6
    assert b.total.upper is not None
    assert b.total.upper <= b.values["eps"]


def test_the_lead_grows_with_the_logarithm_of_the_length() -> None:
    """One-hot: ν(L) − ν(L') = ln((L−1)/(L'−1)) at one and the same share; circle: about L²/(2π²) times as much."""
    ctx = context()
    leads = {n: bound("relu", eps="1e-3", sequence=n).values["nu"] for n in (2, 11, 101, 10**6 + 1)}
    for n, lead in leads.items():
        assert abs(float(lead - leads[2]) - float(ctx.log(n - 1))) < 1e-5
    for n in (10, 100, 400):
        onehot, around = (bound("relu", eps="1e-3", sequence=n, codes=c).values["nu"] for c in ("onehot", "circle"))
        assert 0.9 < float(around / onehot) * float(2 * ctx.pi**2) / n**2 < 1.25


def test_the_error_is_not_independent_of_the_length_at_fixed_scores() -> None:
    """The same weights but for more tokens: at the lead of two tokens a hundred of them leak more than ε."""
    few = bound("relu", eps="1e-2", sequence=2)
    many = bound("relu", eps="1e-2", sequence=100)
    assert few.values["beta"] == many.values["beta"]
    ctx = context()
    lead, reach = (ctx.mpf(few.values[k].numerator) / few.values[k].denominator for k in ("nu", "R"))
    beta = ctx.mpf(few.values["beta"].numerator) / few.values["beta"].denominator
    s, x = 1 / (1 + ctx.exp(-beta * reach)), 99 * ctx.exp(-lead)
    assert reach * (1 + s) * s * x / (1 + s * x) > ctx.mpf(1) / 100


@pytest.mark.parametrize(("name", "options"), [
    ("abs", {"gate": "silu"}), ("square", {"gate": "silu", "codes": "circle"}), ("mult", {"gate": "silu"}),
    ("mult", {"gate": "anchors", "n": 6}), ("max", {"gate": "silu", "route": "tree", "n": 4, "codes": "circle"}),
    ("min", {"gate": "anchor", "route": "tree", "n": 3}), ("recip", {"gate": "silu", "range": (1, 4)}),
    ("recip", {"gate": "anchor", "range": (1, 4)}), ("clip", {"gate": "anchor", "range": (9, 10)}),
    ("hat", {"gate": "anchors", "n": 5, "range": (-3, 2)}), ("mult", {"gate": "ffn"}),
    ("max", {"gate": "ffn", "route": "tree", "n": 4})], ids=str)
def test_every_construction_along_a_sequence(name: str, options: dict[str, Any]) -> None:
    length = 3
    b = bound(name, eps="1/5", sequence=length, **options)
    count = b.input_count() // length
    rng = random.Random(7)
    low, high = b.domains()[0]
    if low is None or high is None:
        low, high = F(-20), F(20)
    ends = [[x] * count for x in (low, high)]
    points = [[x for token in p for x in token] for p in product(ends, repeat=length)]
    points += [[low + (high - low) * F(rng.randrange(10**6 + 1), 10**6) for _ in range(count * length)] for _ in range(20)]
    assert worst_error(b, points) <= F(1, 5)
    if options["gate"] == "ffn":
        assert not {"nu", "xi", "R", "g"} & set(b.values)       # token-wise, nothing leaks
    else:
        assert b.values["nu"] >= 1
        assert b.network.resources()["tokens"] == bound(name, **{**options, "codes": None, **chosen(b)}).network.tokens + (
            length - 1 if options["gate"] == "silu" else length)


def chosen(b: Bound) -> dict[str, Any]:
    """The parameters of the same network for a single token."""
    return {c.name: c.value for c in b.choices if c.name in ("m", "N", "p", "n", "H", "beta")}


# codes ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("length", [2, 3, 4, 5, 8, 13, 64, 97])
def test_circle_codes(length: int) -> None:
    points = circle(length)
    assert len(set(points)) == length
    assert all(x * x + y * y == 1 for x, y in points)
    closest = max(a[0] * b[0] + a[1] * b[1] for a, b in combinations(points, 2))
    assert circle_gap(length) == 1 - closest
    ctx = context()
    ideal = 1 - ctx.cos(2 * ctx.pi / length)
    gap = ctx.mpf(circle_gap(length).numerator) / circle_gap(length).denominator
    assert abs(gap / ideal - 1) < ctx.mpf(1) / 10


def test_circle_codes_of_a_long_sequence() -> None:
    points = circle(1000)
    assert all(x * x + y * y == 1 for x, y in points)
    gap = circle_gap(1000)
    assert gap > 0
    rng = random.Random(8)
    for _ in range(3000):
        i, j = rng.sample(range(1000), 2)
        assert points[i][0] * points[j][0] + points[i][1] * points[j][1] <= 1 - gap
    assert 0.9 < float(gap) * 1000**2 / 19.7392 < 1.1           # 2π²/L²


def test_codes_of_the_exported_network_are_those_points() -> None:
    b = bound("relu", eps="1/10", sequence=5, codes="circle")
    layer = b.network.layers[0]
    listed = {w for _, w in layer.bias.entries}                 # type: ignore[union-attr]
    assert listed >= {c for point in circle(5) for c in point if c}


# refusals ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "options", "says"), [
    ("relu", {"sequence": 1}, "--sequence 2"), ("relu", {"sequence": 3, "codes": "square"}, "onehot, circle"),
    ("relu", {"codes": "circle"}, "--sequence"),
    ("relu", {"gate": "anchor", "sequence": 3, "codes": "circle"}, "eave it out"),
    ("relu", {"gate": "ffn", "sequence": 3, "codes": "circle"}, "eave it out"),
    ("max", {"n": 3, "route": "direct", "sequence": 3}, "route"),
    ("relu", {"sequence": LONGEST_CIRCLE + 1, "codes": "circle"}, "onehot"),
    ("relu", {"sequence": 3, "eps": None, "beta": 5}, "--eps")], ids=str)
def test_bad_input_is_refused_with_what_would_work(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        bound(name, **{"eps": "1e-2", **options})
    assert says in refusal.value.remedy


@pytest.mark.parametrize("name", ["clip", "hat"])
def test_unbounded_inputs_cannot_be_kept_out_of_silu(name: str) -> None:
    with pytest.raises(Infeasible, match=r"unbounded domain .* --gate anchor"):
        bound(name, eps="1/10", gate="silu", sequence=3)
    assert bound(name, eps="1/10", gate="anchor", sequence=3).total.upper is not None


@pytest.mark.parametrize(("options", "name"), [({"gate": "silu", "beta": 1}, "beta"), ({"gate": "anchor", "p": 3}, "p"),
                                               ({"gate": "anchors", "n": 4, "H": 1}, "H")], ids=str)
def test_refusals_speak_of_the_eps_that_was_given(options: dict[str, Any], name: str) -> None:
    """Not of the part of it that is left to gates; and what they name works."""
    with pytest.raises(Infeasible) as refusal:
        bound("relu", eps="1e-3", sequence=8, **options)
    assert "eps = 1/1000" in refusal.value.problem
    words = refusal.value.remedy.rstrip(".").split()
    works = F(words[-1]) if name != "beta" else F(words[-1]) * (1 + F(1, 10**5))
    try:
        found = bound("relu", eps="1e-3", sequence=8, **{**options, name: works})
    except BoundcalcError as problem:
        raise AssertionError(f"{words[-1]} was named, but: {problem}") from problem
    assert found.total.upper is not None
    assert found.total.upper <= F(1, 1000)
