"""Choosing parameters: integers exactly minimal, β on the safe side of its formula, and refusals that help."""

from __future__ import annotations

import re
import time
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.formulas.enclosure import exact_value, less_equal, lower, upper
from boundcalc.formulas.symbols import C, symbol
from boundcalc.numbers.exact import rational
from boundcalc.results.bound import Bound, bound
from boundcalc.tune import numbers
from boundcalc.tune.choice import DefaultTokens
from tests.selection import selected

F = Fraction
TINY = F(1, 10**30)


def levels(**parameters: Any) -> int:
    return int(bound("mult", **parameters).values["m"])


# integers ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_levels_at_powers_of_four(k: int) -> None:
    """ReLU: 4^(−m−1) ≤ ε, so ε = 4^(−k) needs m = k − 1; silu needs room for the gates, so one more there at least. To
    leave them a quarter, 4^(−m−1) ≤ (3/4)ε, that is m ≥ log₄(1/(3ε)): ε = 4^(−k)/3 has m = k, and below it k + 1."""
    eps = F(1, 4**k)
    assert levels(eps=eps, gate="ffn") == k - 1
    assert levels(eps=eps * (1 + TINY), gate="ffn") == k - 1
    assert levels(eps=eps * (1 - TINY), gate="ffn") == k
    for factor, least in ((F(1), k), (1 + TINY, k - 1), (1 - TINY, k)):
        assert levels(eps=eps * factor, minimize="layers") == least
        assert levels(eps=eps * factor) == k            # log₄(4^k/3) lies between k − 1 and k
    assert levels(eps=eps / 3) == k
    assert levels(eps=eps / 3 * (1 + TINY)) == k
    assert levels(eps=eps / 3 * (1 - TINY)) == k + 1


@pytest.mark.parametrize(("name", "half"), [("mult", 1), ("square", 0)])
@pytest.mark.parametrize("scale", ["1", "1/3", "7"])
def test_levels_scale_with_the_domain(name: str, half: int, scale: str) -> None:
    """mult: M²·4^(−m−1) ≤ ε; square: M²·4^(−m) ≤ ε."""
    square = rational(scale) ** 2
    for k in (3, 8):
        for factor, expected in ((F(1), k), (1 + TINY, k), (1 - TINY, k + 1)):
            eps = square * F(1, 4 ** (k + half)) * factor
            assert bound(name, gate="ffn", M=scale, eps=eps).values["m"] == expected


@settings(max_examples=25, deadline=None)
@given(eps=st.fractions(min_value=F(1, 10**9), max_value=F(3)), scale=st.fractions(min_value=F(1, 50), max_value=F(50)))
def test_levels_are_minimal(eps: Fraction, scale: Fraction) -> None:
    b = bound("mult", gate="ffn", M=scale, eps=eps)
    m = int(b.values["m"])
    assert b.total.exact == scale**2 / 4 ** (m + 1) <= eps
    assert m == 0 or scale**2 / 4**m > eps


@pytest.mark.parametrize("digits", [100, 1000])
def test_tiny_eps(digits: int) -> None:
    """Derivation does not slow down with 1/ε, and integers stay exact."""
    before = time.perf_counter()
    b = bound("mult", eps=f"1e-{digits}")
    m = int(b.values["m"])
    assert 3 * 4**m >= 10**digits > 3 * 4 ** (m - 1)        # the least m ≥ log₄(1/(3ε))
    few = int(bound("mult", eps=f"1e-{digits}", minimize="layers").values["m"])
    assert 4 ** (few + 1) > 10**digits >= 4**few
    assert bound("mult", gate="ffn", eps=f"1e-{digits}").values["m"] == few
    assert less_equal(b.analysis.total.hi, symbol("eps"), numbers(b.values)) is True
    assert bound("max", n=8, route="tree", eps=f"1e-{digits}").values["beta"] > F(10**digits, 2)
    assert time.perf_counter() - before < 20        # a run takes a fraction of a second; this only excludes a loop over m


# β -----------------------------------------------------------------------------------------------------------------

W1 = sp.LambertW(sp.exp(-1))
EPS_S, M_S, M2 = symbol("eps"), symbol("m"), symbol("M") ** 2


def joint(room: sp.Expr, excess: int) -> sp.Expr:
    return sp.Max(40, sp.sqrt(C / (2 * room) * (1 + sp.sqrt(1 + 4 * excess * room / C))))


FORMULAS = [
    ("relu", {}, W1 / EPS_S, "up"),
    ("abs", {"d": 3}, 2 * W1 / EPS_S, "up"),
    ("max", {"n": 8}, sp.LambertW(7 / sp.E) / EPS_S, "up"),
    ("min", {"n": 33}, sp.LambertW(32 / sp.E) / EPS_S, "up"),
    ("max", {"n": 8, "route": "tree"}, 3 * W1 / EPS_S, "up"),
    ("min", {"n": 9, "route": "tree"}, 4 * W1 / EPS_S, "up"),
    ("mult", {"route": "direct", "M": 7}, sp.sqrt(3 * EPS_S) / 49, "down"),
    # Q2, and Q3: with ϱ = ε/h² − 4^(−m−1) for a product, ϱ = ε/(4h²) for a square, the least β with
    # (1 + x/β²)·C/β² ≤ ϱ has β² = (C/2ϱ)(1 + √(1 + 4xϱ/C)), x = 150 and 100; but not below 40
    ("mult", {"M": 7}, sp.Min(
        sp.sqrt(49 * (sp.Rational(7, 3) - sp.Rational(4, 3) * 4**-M_S) * C / (EPS_S - 49 * 4 ** (-M_S - 1))),
        joint(EPS_S / 49 - sp.Integer(4) ** (-M_S - 1), 150)), "up"),
    ("square", {"M": "1/3"}, sp.Min(sp.sqrt(sp.Rational(16, 27) * (1 - 4**-M_S) * C / EPS_S),
                                    joint(EPS_S * sp.Rational(9, 4), 100)), "up"),
]


@pytest.mark.parametrize("eps", ["1/10", "1e-3", "1/1021", "1e-9", "1e-40"])
@pytest.mark.parametrize(("name", "options", "formula", "direction"), FORMULAS)
def test_beta_is_its_formula_on_the_safe_side(name: str, options: dict[str, Any], formula: sp.Expr, direction: str,
                                              eps: str) -> None:
    b = bound(name, eps=eps, **options)
    beta, at = b.values["beta"], numbers(b.values)
    if (name, eps) == ("square", "1/10"):       # one level and a β of 2: propagation is below the lemma, and is taken
        propagated = 4 * M2 * W1 / (EPS_S - M2 / 4)
        assert less_equal(propagated, formula, at)
        formula = propagated
    low, high = lower(formula, at, 30), upper(formula, at, 30)
    if direction == "up":
        assert high <= beta <= low * (1 + F(1, 10**6))
    else:
        assert high * (1 - F(1, 10**6)) <= beta <= low
    total = b.total.upper
    assert total is not None
    assert total <= b.values["eps"]
    (choice,) = (c for c in b.choices if c.name == "beta")
    assert (choice.kind, choice.rounded) == ("closed", direction)


def test_mult_needs_beta_of_order_root_eps() -> None:
    """β is M·ε^(−1/2) up to a constant: from ε = 10^(−3) to 10^(−9) it grows by about 10³, not by 10⁶."""
    for exponent in (3, 9, 15, 40):
        for scale in (1, 7):
            beta = bound("mult", eps=f"1e-{exponent}", M=scale).values["beta"]
            ratio = beta**2 / (scale**2 * F(10) ** exponent)
            # β² ≥ M²·C/ε by Q3, C = 1.757, and at most the same with ε/4 in place of ε, up to (1 + 150/β²)
            assert F(175, 100) < ratio < 8
    tight = [bound("mult", eps=F(1, 10**k), m=4 * k).values["beta"] for k in (4, 6, 8)]
    for a, b in pairwise(tight):
        assert 99 < b / a * 10 < 101                # two digits more: ten times the β


# issue 2, in numbers -----------------------------------------------------------------------------------------------

def counts(b: Bound, *names: str) -> list[Fraction | None]:
    return [b.resources[n].exact for n in names]


def test_mult_as_promised() -> None:
    b = bound("mult", eps="1e-3")
    assert b.values["m"] == 5           # 4^(−m−1) ≤ 3/4000: 4^5 = 1024 < 1333.3 ≤ 4^6
    assert counts(b, "layers", "heads", "heads_per_layer", "tokens", "width", "relu_layers") == [6, 12, 2, 2, 4, 0]
    few = bound("mult", eps="1e-3", minimize="layers")
    assert counts(few, "layers", "heads", "heads_per_layer", "tokens", "width", "relu_layers") == [5, 10, 2, 2, 4, 0]
    assert b.network.relu_layers == 0
    ffn = bound("mult", eps="1e-3", gate="ffn")
    assert ffn.total.exact == F(1, 1024)
    assert counts(ffn, "layers", "relu_layers") == [0, 5]
    direct = bound("mult", eps="1e-3", route="direct")
    assert counts(direct, "layers", "heads", "tokens") == [1, 1, 2]


def test_max_as_promised() -> None:
    b = bound("max", n=8, eps="1e-3")
    assert counts(b, "layers", "heads", "tokens") == [1, 1, 8]
    assert F(97313875, 10**5) <= b.values["beta"] <= F(97313875, 10**5) * (1 + F(1, 10**6))
    formula = sp.LambertW(7 / sp.E) * 1000
    assert F(97313875, 10**5) < lower(formula, {}, 20) < F(97313876, 10**5)
    tree = bound("max", n=8, eps="1e-3", route="tree")
    assert counts(tree, "layers", "heads") == [3, 7]
    assert sp.expand(tree.analysis.total.lo.xreplace({symbol("n"): sp.Integer(8)}) + 3 * W1 / symbol("beta")) == 0


# anchors, pieces and sequences in numbers ------------------------------------------------------------------------------

UNIT = ("0", "1")


def beta_of(b: Bound) -> Fraction:
    found = b.resources["beta"].exact
    assert found is not None
    return found


def test_clip_as_promised() -> None:
    b = bound("clip", range=UNIT, eps="1e-3", gate="anchor")
    p = b.values["p"]
    assert p <= 64
    assert beta_of(b) == F(68, 25) * (p - 1) ** 2
    assert counts(b, "layers", "heads", "tokens", "relu_layers") == [1, 1, p, 0]
    left: dict[str, Any] = {"range": UNIT, "gate": "anchor", "temperature": "hard", "grid": "left"}
    assert bound("clip", eps="1e-3", **left).values["p"] == 1001
    assert bound("clip", eps=F(1, 1000) * (1 + F(1, 10**18)), **left).values["p"] == 1000
    assert bound("clip", eps=F(1, 1000) * (1 - F(1, 10**18)), **left).values["p"] == 1001
    many = bound("clip", range=UNIT, eps="1e-3", gate="anchors", n=12)
    H = int(many.values["H"])
    assert counts(many, "layers", "heads", "tokens") == [1, H, 12]
    with pytest.raises(Infeasible, match=f"The least that works is --H {H}"):
        bound("clip", range=UNIT, eps="1e-3", gate="anchors", n=12, H=H - 1)


def test_recip_as_promised() -> None:
    tenth = ("1/10", "1")
    ffn = bound("recip", range=tenth, eps="1e-3", gate="ffn")
    assert ffn.values["N"] == 49
    with pytest.raises(Infeasible, match="The least that works is --N 49"):
        bound("recip", range=tenth, eps="1e-3", gate="ffn", N=48)
    silu = bound("recip", range=tenth, eps="1e-3")
    assert silu.values["N"] == 49
    assert counts(silu, "layers", "heads", "tokens") == [1, 48, 2]


def test_recip_needs_beta_of_order_root_eps() -> None:
    """Where the pieces leave a fixed part of ε to the gates: two digits more, ten times the β."""
    tight = []
    for k in (4, 6, 8):
        least = int(bound("recip", range=("1/2", "2"), eps=F(1, 10**k), gate="ffn").values["N"])
        tight.append(bound("recip", range=("1/2", "2"), eps=F(1, 10**k), N=2 * least).values["beta"])
    for a, b in pairwise(tight):
        assert 8 < b / a < 12


# counts of anchors -------------------------------------------------------------------------------------------------

MAKINGS: list[dict[str, Any]] = [
    {"gate": "anchor"}, {"gate": "anchor", "temperature": "hard"}, {"gate": "anchor", "temperature": "hard", "kappa": "3"},
    {"gate": "anchor", "temperature": "hard", "grid": "left"}, {"gate": "anchor", "temperature": "hard", "grid": "midpoint"},
    {"gate": "anchor", "temperature": "hard", "grid": "left", "kappa": "5"},
    {"gate": "anchor", "temperature": "hard", "grid": "midpoint", "eps0": "1e-3"},
    {"gate": "anchors"}, {"gate": "anchors", "n": 2}, {"gate": "anchors", "n": 3}, {"gate": "anchors", "H": 1},
    {"gate": "anchors", "H": 7}, {"gate": "anchors", "temperature": "hard", "n": 5},
    {"gate": "anchors", "temperature": "hard", "sentinels": True},
    {"gate": "anchors", "temperature": "hard", "sentinels": True, "n": 3},
    {"gate": "anchors", "temperature": "hard", "sentinels": True, "H": 2, "kappa": "9"},
]


def refused_with_one_less(name: str, b: Bound, options: dict[str, Any]) -> str | None:
    """The count that was chosen, which is exactly minimal: with one less nothing works."""
    chosen = [c.name for c in b.choices
              if c.kind == "closed" and c.name in ("p", "n", "H") and not isinstance(c.why, DefaultTokens)]
    (counted,) = chosen
    value = b.values[counted]
    if value == {"H": 1, "p": 2, "n": 3 if options.get("sentinels") else 2}[counted]:
        return None                     # there are no fewer
    fixed = {c.name: c.value for c in b.choices if c.name in ("p", "n", "H")}
    with pytest.raises(Infeasible):
        bound(name, eps=b.values["eps"], **{**options, **fixed, counted: value - 1})
    return counted


MADE = [(name, own, options) for name, own in (
    ("clip", {"range": ("-1/3", "2")}), ("abs", {"M": 3}), ("hat", {"range": ("9", "10")})) for options in MAKINGS]


@pytest.mark.parametrize(("name", "own", "options"), ids=str,
                         argvalues=selected(MADE, lambda made: (str(made[2]), (made[0], made[2]["gate"]))))
def test_counts_of_anchors_are_minimal(name: str, own: dict[str, Any], options: dict[str, Any]) -> None:
    minimal = []
    for eps in ("1/7", F(1, 1000) * (1 + TINY)):
        b = bound(name, eps=eps, **own, **options)
        assert less_equal(b.analysis.evaluable(b.analysis.total.hi), symbol("eps"), numbers(b.values))
        minimal.append(refused_with_one_less(name, b, {**own, **options}))
    assert any(minimal)


@settings(max_examples=15, deadline=None)
@given(eps=st.fractions(min_value=F(1, 10**6), max_value=F(1, 2)), width=st.fractions(min_value=F(1, 9), max_value=F(9)),
       n=st.integers(2, 20))
def test_cells_of_a_clip_by_hand(eps: Fraction, width: Fraction, n: int) -> None:
    """Δ/16 ≤ ε (Δ/15 for pairs), Δ/2 for a hard linspace, with (p − 1) or (n − 1)H cells."""
    domain = (F(2), F(2) + width)
    assert bound("clip", range=domain, eps=eps, gate="anchor").values["p"] == max(1, ceil(width / (16 * eps))) + 1
    hard = bound("clip", range=domain, eps=eps, gate="anchor", temperature="hard")
    assert hard.values["p"] == ceil(width / (2 * eps)) + 1
    cells = ceil(width / ((15 if n == 2 else 16) * eps))
    assert bound("clip", range=domain, eps=eps, gate="anchors", n=n).values["H"] == ceil(F(cells, n - 1))
    pairs = ceil(width / (15 * eps)) <= n           # two tokens a head are enough, at their own constant
    assert bound("clip", range=domain, eps=eps, gate="anchors", H=n).values["n"] == (
        2 if pairs else max(3, ceil(F(ceil(width / (16 * eps)), n)) + 1))


def test_the_rule_of_a_count_gives_its_value_even_where_there_must_be_a_least_one() -> None:
    """Nine heads need fewer tokens here than the sentinel form has at least: the rule must say so."""
    made: list[dict[str, Any]] = [
        {"gate": "anchors", "H": 5}, {"gate": "anchors", "H": 5, "temperature": "hard"}, {"gate": "anchors"},
        {"gate": "anchors", "temperature": "hard", "sentinels": True, "H": 9}, {"gate": "anchor"}]
    for options in made:
        b = bound("clip", range=UNIT, eps="1/2", **options)
        for c in b.choices:
            if c.name in ("p", "n", "H") and c.kind == "closed":
                assert c.rule is not None
                assert exact_value(b.analysis.settled(c.rule), numbers(b.values)) == c.value, (options, c)


def test_default_tokens_of_many_heads() -> None:
    assert bound("clip", range=UNIT, eps="1e-3", gate="anchors").values["n"] == 8
    tree = bound("max", n=5, route="tree", eps="1e-2", gate="anchors")
    assert (tree.values["n"], tree.values["p"]) == (5, 8)


# κ -----------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("options", [
    {"gate": "anchor", "grid": "left"}, {"gate": "anchor", "grid": "midpoint"}, {"gate": "anchors", "sentinels": True}],
    ids=str)
@pytest.mark.parametrize("eps", ["1/10", "1e-3", F(1, 1000) * (1 + F(1, 10**9))])
def test_kappa_is_least_and_enough(options: dict[str, Any], eps: str | Fraction) -> None:
    b = bound("clip", range=("-1", "3"), temperature="hard", eps=eps, **options)
    kappa, at = b.values["kappa"], numbers(b.values)
    total = b.analysis.evaluable(b.analysis.total.hi)
    assert less_equal(total, symbol("eps"), at)
    if kappa > 1:
        smaller = at | {symbol("kappa"): kappa * (1 - F(1, 10**6))}
        assert not less_equal(total, symbol("eps"), smaller)
    (choice,) = (c for c in b.choices if c.name == "kappa")
    assert (choice.kind, choice.rounded) == ("closed", "up")
    cells = b.values["cells"]
    assert beta_of(b) == kappa * cells**2 / 16


def test_kappa_of_linspace_is_one() -> None:
    for gate in ("anchor", "anchors"):
        assert bound("clip", range=UNIT, temperature="hard", eps="1e-3", gate=gate).values["kappa"] == 1


@pytest.mark.parametrize("eps0", ["1/2", "1e-3", "1e-40"])
def test_eps0_is_the_leak(eps0: str) -> None:
    """e^(−κ) ≤ ε0, κ ≥ 1, and no harder than that."""
    b = bound("clip", range=UNIT, temperature="hard", eps="1e-2", gate="anchor", eps0=eps0)
    kappa = b.values["kappa"]
    least = -sp.log(symbol("eps0"))
    assert kappa >= max(F(1), upper(least, numbers(b.values), 20))
    assert kappa == 1 or kappa <= lower(least, numbers(b.values), 20) * (1 + F(1, 10**6))


# sequences ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "options"), [
    ("mult", {}), ("relu", {"codes": "circle"}), ("square", {"gate": "anchor"}), ("clip", {"gate": "anchors"}),
    ("abs", {"M": 7})])
def test_lead_grows_like_the_logarithm_of_the_length(name: str, options: dict[str, Any]) -> None:
    """ν = ln(L…)/g at the same ε: ten times the length costs ln 10 ≈ 2.3 (with codes on the circle 1/g ≈ L²/2π² more)."""
    leads = [bound(name, eps="1e-2", sequence=L, **options) for L in (10, 100, 1000)]
    scaled = [b.values["nu"] * b.values.get("g", 1) for b in leads]
    for short, long in pairwise(scaled):
        assert F(2) < long - short < F(5, 2)
    for b in leads:
        assert b.total.upper is not None
        assert b.total.upper <= F(1, 100)


def test_a_sequence_leaves_a_tenth_to_the_leak() -> None:
    b = bound("mult", eps="1e-2", sequence=9)
    leak = b.error_terms["leak"][1].upper
    assert leak is not None
    rest = sum(q.upper or 0 for name, (_, q) in b.error_terms.items() if name != "leak")
    assert rest <= F(9, 1000) * (1 + F(1, 10**6))
    assert F(1, 1000) * (1 - F(1, 10**3)) <= leak <= F(1, 100)


def test_derivation_does_not_grow_with_anchors_heads_pieces_or_tokens() -> None:
    before = time.perf_counter()
    assert bound("clip", eps="1e-14", gate="anchors").resources["heads"].exact is not None
    assert bound("recip", range=("1/10", "1"), eps="1e-12", gate="ffn").values["N"] > 10**6
    assert bound("mult", eps="1e-3", sequence=10**9).resources["tokens"].exact == 10**9 + 1
    assert bound("clip", eps="1e-3", sequence=10**9, gate="anchor").resources["tokens"].exact is not None
    assert time.perf_counter() - before < 20        # seconds at most; a loop over 10^9 would take hours


def test_derivation_does_not_grow_with_the_sizes() -> None:
    """Closed forms, β and bits of networks with 10^9 parts, without writing anything out."""
    before = time.perf_counter()
    huge = 10**9
    assert bound("mult", eps="1e-3", d=huge).resources["heads"].exact == 12 * huge
    assert bound("max", n=huge, eps="1e-3").resources["tokens"].exact == huge
    tree = bound("max", n=huge, eps="1e-3", route="tree")
    assert (tree.resources["heads"].exact, tree.resources["layers"].exact) == (huge - 1, 30)
    assert bound("min", n=huge, gate="ffn", route="tree", eps="1e-3").resources["relu_layers"].exact == 30
    assert time.perf_counter() - before < 20        # seconds at most; a loop over 10^9 would take hours


# infeasible requests -----------------------------------------------------------------------------------------------

def test_least_beta_that_is_named_works() -> None:
    for name, options in (("relu", {}), ("max", {"n": 8}), ("min", {"n": 5, "route": "tree"}), ("mult", {}),
                          ("square", {"M": 7}), ("mult", {"m": 5})):
        with pytest.raises(Infeasible) as refusal:
            bound(name, eps="1e-3", beta=10, **options)
        found = re.search(r"The least beta that works is ([0-9.e]+[0-9])(?: \(with --m (\d+)\))?\.", refusal.value.remedy)
        assert found, refusal.value
        extra: dict[str, Any] = {"m": int(found[2])} if found[2] else {}
        good = bound(name, eps="1e-3", beta=found[1], **{**options, **extra})
        assert good.total.upper is not None
        assert good.total.upper <= F(1, 1000)
        with pytest.raises(Infeasible):
            bound(name, eps="1e-3", beta=rational(found[1]) * (1 - F(1, 10**6)), **{**options, **extra})


def test_largest_beta_that_is_named_works() -> None:
    with pytest.raises(Infeasible, match="too large") as refusal:
        bound("mult", route="direct", eps="1e-3", beta=1)
    found = re.search(r"The largest beta that works is ([0-9.e-]+[0-9])\.", refusal.value.remedy)
    assert found
    assert bound("mult", route="direct", eps="1e-3", beta=found[1]).values["beta"] == rational(found[1])


def test_fixed_beta_gets_the_least_m() -> None:
    b = bound("mult", eps="1e-3", beta=150)
    m = int(b.values["m"])
    assert m > 4
    with pytest.raises(Infeasible):
        bound("mult", eps="1e-3", beta=150, m=m - 1)


def test_too_few_levels_name_the_least() -> None:
    with pytest.raises(Infeasible, match=r"m = 3 is too small for eps = 1/1000\. The least that works is --m 4\."):
        bound("mult", eps="1e-3", m=3)
    assert bound("mult", eps="1e-3", m=4).values["m"] == 4


@pytest.mark.parametrize(("name", "options", "cost"), [
    ("relu", {}, F(1, 10**4)), ("max", {"n": 4}, F(1, 10**4)), ("min", {"n": 4, "route": "tree"}, F(1, 10**4)),
    ("mult", {}, 2 * F(1, 10**4) * (1 + F(1, 2 * 10**4))),
    ("mult", {"gate": "ffn"}, 2 * F(1, 10**4) * (1 + F(1, 2 * 10**4))),
    ("square", {}, F(1, 10**4) * (2 + F(1, 10**4)))])
def test_eps_below_the_input_error_is_infeasible(name: str, options: dict[str, Any], cost: Fraction) -> None:
    """|x'y' − xy| ≤ 2Mδ + δ² on inputs that are δ off: no network can do better, so ε must be above."""
    for eps in (cost, cost * F(9, 10), cost / 1000):
        with pytest.raises(Infeasible, match="input error alone contributes"):
            bound(name, eps=eps, delta="1e-4", **options)
    b = bound(name, eps=cost * 2, delta="1e-4", **options)
    radius = b.error_terms["inputs"][1].exact
    assert radius == cost


EXACT: list[tuple[str, dict[str, Any]]] = [
    ("relu", {}), ("abs", {}), ("max", {"n": 4, "route": "tree"}), ("min", {"n": 5, "route": "tree"})]


@pytest.mark.parametrize(("name", "options"), EXACT)
def test_exact_network_meets_eps_equal_to_the_input_error(name: str, options: dict[str, Any]) -> None:
    """A network of real ReLUs passes on δ and adds nothing, so ε = δ is met."""
    b = bound(name, gate="ffn", eps="1e-4", delta="1e-4", **options)
    assert b.total.exact == F(1, 10**4)


@pytest.mark.parametrize(("name", "options"), EXACT)
def test_exact_network_with_eps_below_the_input_error_is_infeasible(name: str, options: dict[str, Any]) -> None:
    """Nothing is left to choose here, neither m nor β; the refusal must be one all the same, not a defect."""
    with pytest.raises(Infeasible, match=r"error is 0\.0001, above eps .* give an --eps of at least 0\.0001\."):
        bound(name, gate="ffn", eps="0.99e-4", delta="1e-4", **options)
    with pytest.raises(Infeasible):
        bound(name, gate="ffn", eps=F(1, 10**4) - TINY, delta="1e-4", **options)


# without ε ---------------------------------------------------------------------------------------------------------

def test_without_eps() -> None:
    b = bound("mult", beta=16, m=3)
    assert {c.name: c.kind for c in b.choices} == {"m": "given", "beta": "given"}
    assert exact_value(b.analysis.error["interpolation"].hi, numbers(b.values)) == F(1, 256)
    assert bound("mult", gate="ffn", m=3).total.exact == F(1, 256)
    for name, options, missing in (("mult", {"beta": 16}, "--m"), ("mult", {"m": 3}, "--beta"), ("relu", {}, "--beta"),
                                   ("mult", {"gate": "ffn"}, "--m"), ("mult", {}, "--m and --beta")):
        with pytest.raises(InvalidInput, match=f"Without --eps there is nothing to derive {missing} from"):
            bound(name, **options)


# refusals ----------------------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("mult", {"route": "direct", "eps": "1e-3", "m": 3}, "--m does not apply"),
    ("mult", {"route": "direct", "eps": "1e-3", "gate": "silu"}, "has no ReLU to replace"),
    ("max", {"n": 4, "eps": "1e-3", "gate": "silu"}, "route direct of max has no ReLU to replace"),
    ("max", {"n": 4, "eps": "1e-3", "m": 2}, "--m does not apply"),
    ("max", {"n": 4, "eps": "1e-3", "d": 2}, "--d does not apply"),
    ("mult", {"n": 2, "eps": "1e-3"}, "--n does not apply"),
    ("mult", {"gate": "ffn", "eps": "1e-3", "beta": 3}, "--beta does not apply"),
    ("mult", {"d": "1.5", "eps": "1e-3"}, "--d must be an integer"),
    ("mult", {"d": 0, "eps": "1e-3"}, "--d must be an integer of at least 1"),
    ("mult", {"m": "-1", "eps": "1e-3"}, "--m must be an integer of at least 0"),
    ("max", {"n": 1, "eps": "1e-3"}, "--n must be an integer of at least 2"),
    ("max", {"eps": "1e-3"}, "needs --n, the number of arguments"),
    ("mult", {"eps": 0}, "--eps must be positive"),
    ("mult", {"eps": "-1e-3"}, "--eps must be positive"),
    ("mult", {"eps": "nan"}, "not an exact number"),
    ("mult", {"eps": "1e-3x"}, "not an exact number"),
    ("mult", {"eps": "1" * 10_000}, "characters"),
    ("mult", {"eps": "9**9**9"}, "not an exact number"),
    ("mult", {"eps": 1e-3}, "is not exact"),
    ("mult", {"eps": "1e-3", "M": 0.5}, "is not exact"),
    ("mult", {"eps": "1e-3", "range": (0.0, 1)}, "is not exact"),
    ("mult", {"eps": "1e-3", "beta": 0}, "--beta must be positive"),
    ("mult", {"eps": "1e-3", "M": 0}, "--M must be positive"),
    ("mult", {"eps": "1e-3", "delta": "-1"}, "--delta must not be negative"),
    ("mult", {"eps": "1e-3", "M": 1, "range": (0, 1)}, "both set the domain"),
    ("mult", {"eps": "1e-3", "range": (1, 1)}, "is empty"),
    ("mult", {"eps": "1e-3", "range": (2, 1)}, "is empty"),
    ("mult", {"eps": "1e-3", "range": "1,2,3"}, "two numbers"),
    ("mult", {"eps": "1e-3", "route": "tree"}, "no route"),
    ("mult", {"eps": "1e-3", "gate": "gelu"}, "no gate"),
    ("mult", {"eps": "1e-3", "gate": "anchor", "beta": 3}, "--beta does not apply"),
    ("mult", {"eps": "1e-3", "p": 3}, "--p does not apply"),
    ("max", {"n": 4, "eps": "1e-3", "p": 3}, "--p does not apply"),
    ("relu", {"gate": "anchor", "p": 1}, "--p must be an integer of at least 2"),
    ("relu", {"gate": "anchor", "p": "5/2"}, "--p must be an integer"),
    ("relu", {"gate": "anchor", "p": 10**16}, "is too large"),
    ("relu", {"gate": "anchor"}, "Without --eps there is nothing to derive --p from"),
    ("mult", {"gate": "anchor"}, "Without --eps there is nothing to derive --m and --p from"),
    ("mult", {"gate": "anchor", "p": 3}, "Without --eps there is nothing to derive --m from"),
    ("mullt", {"eps": "1e-3"}, "Did you mean mult"),
    ("mult", {"eps": "1e-3", "gamma": 3}, "--gamma does not apply"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "grid": "left"}, "tuned temperature is for the grid linspace"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "cold"}, "no temperature 'cold'"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "grid": "right"}, "no grid 'right'"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "hard", "sentinels": True}, "needs several heads"),
    ("clip", {"eps": "1e-3", "gate": "anchors", "sentinels": True}, "Sentinels leave an error"),
    ("clip", {"eps": "1e-3", "gate": "anchors", "temperature": "hard", "grid": "left"}, "Many heads share the grid"),
    ("clip", {"eps": "1e-3", "temperature": "hard"}, "--temperature does not apply to gate silu"),
    ("mult", {"eps": "1e-3", "route": "direct", "grid": "left"}, "--grid does not apply"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "kappa": 3}, "--kappa does not apply"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "hard", "kappa": 0}, "--kappa must be positive"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "hard", "kappa": 3, "eps0": "1/2"}, "both say how hard"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "hard", "eps0": 1}, "must be below 1"),
    ("clip", {"eps": "1e-3", "gate": "anchor", "temperature": "hard", "kappa": 1.5}, "is not exact"),
    ("clip", {"eps": "1e-3", "gate": "anchors", "H": 0}, "--H must be an integer of at least 1"),
    ("clip", {"eps": "1e-3", "gate": "anchors", "p": 8}, "--p does not apply"),
    ("max", {"n": 4, "route": "tree", "eps": "1e-3", "gate": "anchors", "p": 1}, "--p must be an integer of at least 2"),
    ("clip", {"gate": "anchors", "n": 3}, "nothing to derive --H from"),
    ("clip", {"eps": "1e-3", "w": (1, 2), "d": 3}, "--w has 2 entries"),
    ("clip", {"eps": "1e-3", "w": (0.5, 2)}, "is not exact"),
    ("clip", {"eps": "1e-3", "t": 0.5}, "is not exact"),
    ("hat", {"eps": "1e-3", "w": (1, 2)}, "--w does not apply"),
    ("recip", {"eps": "1e-3"}, "needs --range: x must stay positive"),
    ("recip", {"eps": "1e-3", "range": (0, 1)}, "must stay positive"),
    ("recip", {"eps": "1e-3", "range": (-2, -1)}, "must stay positive"),
    ("recip", {"eps": "1e-3", "range": (1, 2), "delta": 1}, "must stay positive"),
    ("recip", {"eps": "1e-3", "range": (1, 2), "M": 2}, "--M does not apply"),
    ("recip", {"eps": "1e-3", "range": (1, 2), "N": 1}, "--N must be an integer of at least 2"),
    ("recip", {"range": (1, 2)}, "nothing to derive --N and --beta from"),
    ("mult", {"eps": "1e-3", "N": 7}, "--N does not apply"),
    ("mult", {"eps": "1e-3", "sequence": 1}, "--sequence must be an integer of at least 2"),
    ("mult", {"eps": "1e-3", "sequence": 3.0}, "is not exact"),
    ("mult", {"eps": "1e-3", "codes": "circle"}, "--codes belongs to a sequence"),
    ("mult", {"eps": "1e-3", "sequence": 3, "codes": "spiral"}, "no codes 'spiral'"),
    ("mult", {"eps": "1e-3", "sequence": 3, "gate": "anchor", "codes": "onehot"}, "--codes does not apply to gate anchor"),
    ("mult", {"eps": "1e-3", "sequence": 3, "route": "direct"}, "--sequence does not apply to route direct"),
    ("mult", {"m": 3, "beta": 3, "sequence": 3}, "--sequence needs --eps"),
]


@pytest.mark.parametrize(("name", "options", "reason"), REFUSED, ids=lambda x: str(x)[:40])
def test_refusals(name: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(reason)) as refusal:
        bound(name, **options)
    assert refusal.value.remedy
    assert len(str(refusal.value)) < 400
    assert "\n" not in str(refusal.value)


def test_symmetric_range_is_the_same_as_m() -> None:
    a, b = bound("mult", eps="1e-3", range=("-7", "7")), bound("mult", eps="1e-3", M=7)
    assert a.values == b.values
    assert a.network == b.network
