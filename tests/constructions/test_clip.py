"""clip and hat: what they promise, the truncated linear unit, and inputs far outside the interval."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
import sympy as sp

from boundcalc.errors import BoundcalcError, Infeasible
from boundcalc.formulas.interval import Interval
from boundcalc.formulas.symbols import INTERNAL, symbol
from boundcalc.results.bound import Bound, bound, closed_forms
from boundcalc.verify.evaluate import Evaluator, to_fraction

F = Fraction
DIGITS = 50
CELLS, LEAK, WIDTH = INTERNAL["cells"], INTERNAL["leak"], INTERNAL["width"]
beta, d, n, H, p = (symbol(x) for x in ("beta", "d", "n", "H", "p"))


def error_at(b: Bound, *point: Fraction) -> Fraction:
    """A lower bound of |network − target|."""
    (y,), (target,) = Evaluator(b.network, DIGITS)(list(point)), b.target(list(point))
    return abs(to_fraction(y) - target) - F(1, 10**DIGITS)


# what must hold ------------------------------------------------------------------------------------------------------

def test_tuned_anchors() -> None:
    b = bound("clip", range=(0, 1), eps="1e-3", gate="anchor")
    count = b.values["p"]
    assert count == 64
    assert F(1, 16 * (count - 1)) <= F(1, 1000) < F(1, 16 * (count - 2))
    assert b.network.resources()["tokens"] == 64
    assert b.network.resources()["beta"] == F(68, 25) * (count - 1) ** 2


def test_hard_anchors_at_the_left_ends() -> None:
    hard = {"range": (0, 1), "gate": "anchor", "temperature": "hard", "grid": "left"}
    b = bound("clip", eps="1e-3", **hard)  # type: ignore[arg-type]
    assert b.network.resources()["tokens"] == b.values["p"] == 1001
    with pytest.raises(Infeasible, match=r"^p = 1000 anchors are too few .* The least that works is --p 1001\.$"):
        bound("clip", eps="1e-3", p=1000, **hard)  # type: ignore[arg-type]
    barely = bound("clip", eps=F(10**18 + 1, 10**21), **hard)  # type: ignore[arg-type]
    assert barely.network.resources()["tokens"] == barely.values["p"] == 1000
    assert 13 < barely.values["kappa"] < 14                     # e^(−3κ) ≤ 10^(−18)
    assert error_at(barely, F(1)) <= F(10**18 + 1, 10**21)


@pytest.mark.parametrize("kappa", [1, 4, 16, 36])
def test_a_thousand_hard_anchors_at_the_left_ends_never_do(kappa: int) -> None:
    """1/1000 is reached only as β → ∞: at every κ the right end is farther away."""
    b = bound("clip", range=(0, 1), gate="anchor", temperature="hard", grid="left", p=1000, kappa=kappa)
    assert error_at(b, F(1)) > F(1, 1000)


def test_many_heads_of_twelve_tokens() -> None:
    b = bound("clip", range=(0, 1), eps="1e-3", gate="anchors", n=12)
    heads = b.values["H"]
    assert F(1, 16 * 11 * heads) <= F(1, 1000) < F(1, 16 * 11 * (heads - 1))
    assert (heads, b.network.heads, b.network.tokens) == (6, 6, 12)
    with pytest.raises(Infeasible, match=r"^H = 5 heads are too few .* The least that works is --H 6\.$"):
        bound("clip", range=(0, 1), eps="1e-3", gate="anchors", n=12, H=5)


def test_heads_that_are_given_find_their_tokens() -> None:
    b = bound("clip", range=(0, 1), eps="1e-3", gate="anchors", H=7)
    assert b.values["n"] == 10                                  # 9·7 = 63 cells, as with one head
    assert bound("clip", range=(0, 1), eps="1e-3", gate="anchors").values["n"] == 8
    assert bound("clip", range=(0, 1), eps="1e-3", gate="anchors", n=12, H=9).total.exact == F(1, 16 * 99)


# closed forms --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "factor"), [("clip", WIDTH), ("hat", 2)])
@pytest.mark.parametrize(("gate", "options", "shape"), [
    ("anchor", {}, sp.Rational(1, 16)), ("anchors", {}, sp.Rational(1, 16)),
    ("anchor", {"temperature": "hard"}, sp.Rational(1, 2)),
    ("anchors", {"temperature": "hard"}, sp.Rational(1, 2)), ("anchor", {"temperature": "hard", "grid": "left"}, 1 + LEAK),
    ("anchor", {"temperature": "hard", "grid": "midpoint"}, sp.Rational(1, 2) + LEAK)], ids=str)
def test_closed_forms(name: str, factor: sp.Expr, gate: str, options: dict[str, str], shape: sp.Expr) -> None:
    """hat has two ramps of half the width, divided by half the width."""
    a = closed_forms(name, gate=gate, **options)  # type: ignore[arg-type]
    assert sp.expand(a.total.hi - factor * shape / CELLS) == sp.expand(a.total.lo + factor * shape / CELLS) == 0
    used = {s for e in a.resources.values() for s in a.complete(e).free_symbols} | a.complete(a.total.hi).free_symbols
    assert used >= ({p, d} if gate == "anchor" else {n, H, d})
    rate = {"left": 3, "midpoint": 2}.get(options.get("grid", ""))
    assert rate is None or a.settled(LEAK) == sp.exp(-rate * symbol("kappa"))


@pytest.mark.parametrize("name", ["clip", "hat"])
def test_closed_forms_of_silu(name: str) -> None:
    """Every ramp is two rectifiers that err downwards: [−η, η]; hat shares the one in the middle."""
    a = closed_forms(name)
    eta = sp.LambertW(sp.exp(-1)) / beta * (1 if name == "clip" else 4 / WIDTH)
    assert sp.expand(a.total.hi - eta) == sp.expand(a.total.lo + eta) == 0
    assert a.resources["heads"] == (2 if name == "clip" else 3 * d)
    assert closed_forms(name, gate="ffn").total == Interval(sp.S.Zero, sp.S.Zero)


# the whole line ------------------------------------------------------------------------------------------------------

FAR = [F(10) ** k * s for k in (0, 1, 3, 6) for s in (-1, 1)]


@pytest.mark.parametrize("range_", [(9, 10), (-3, 2), ("1/7", 9), (0, 1)], ids=str)
@pytest.mark.parametrize("options", [
    {"gate": "silu"}, {"gate": "anchor"}, {"gate": "anchors", "n": 4}, {"gate": "ffn"},
    {"gate": "anchor", "temperature": "hard", "grid": "midpoint"},
    {"gate": "anchors", "n": 5, "temperature": "hard", "sentinels": True}],
    ids=str)
def test_inputs_far_outside(range_: tuple[object, ...], options: dict[str, object]) -> None:
    b = bound("clip", eps="1/5", range=range_, **options)  # type: ignore[arg-type]
    assert b.domains() == [(None, None)]
    for x in FAR:
        assert error_at(b, x) <= F(1, 5), x


def test_the_linear_unit_costs_as_much_as_clip() -> None:
    """Weights and dimension do not enter the error; input errors enter with Σ|w|."""
    plain = bound("clip", range=(-3, 2), eps="1/10", gate="anchors", n=4)
    unit = bound("clip", range=(-3, 2), eps="1/10", gate="anchors", n=4, w=(1, "-1/2", 3), t="1/3")
    assert unit.total.exact == plain.total.exact
    assert (unit.values["d"], unit.input_count(), unit.network.heads) == (3, 3, plain.network.heads)
    assert unit.target([F(1), F(2), F(-1)]) == [F(1) - 1 - 3 + F(1, 3)]
    assert unit.names() == (["x1", "x2", "x3"], ["clip(x1 + x2 + x3)"])
    noisy = bound("clip", range=(-3, 2), eps="1/10", gate="anchors", n=4, w=(1, "-1/2", 3), delta="1/1000")
    inputs = noisy.analysis.error["inputs"]
    at = dict(zip((symbol("w1"), symbol("w2"), symbol("w3")), (1, -sp.Rational(1, 2), 3), strict=True))
    assert inputs.hi.xreplace({**at, symbol("delta"): sp.Rational(1, 1000)}) == sp.Rational(9, 2000)


# refusals ------------------------------------------------------------------------------------------------------------

HARD: dict[str, object] = {"temperature": "hard"}
REFUSED: list[tuple[dict[str, object], dict[str, object]]] = [      # bad input, and what the remedy says instead
    ({"range": (1, 1)}, {"range": (0, 1)}), ({"range": (2, 1)}, {"range": (1, 2)}),
    ({"gate": "anchor", "p": 1}, {"p": 2}), ({"gate": "anchors", "n": 1}, {"n": 2}),
    ({"gate": "anchors", "n": 2, **HARD, "sentinels": True}, {"n": 3}),
    ({"gate": "anchors", "n": 3, "H": 1, "eps": None, **HARD, "sentinels": True}, {"n": 4}),
    ({"gate": "anchor", "grid": "left"}, HARD), ({"gate": "anchor", "temperature": "tuned", "grid": "midpoint"}, HARD),
    ({"gate": "anchors", "grid": "left", **HARD}, {"gate": "anchor"}), ({"gate": "anchors", "sentinels": True}, HARD),
    ({"gate": "anchor", "sentinels": True, **HARD}, {"gate": "anchors"}),
    ({"gate": "anchor", "kappa": "1/2", **HARD}, {"kappa": 1}), ({"gate": "anchor", "eps0": 1, **HARD}, {"eps0": "1e-3"}),
    ({"gate": "anchor", "eps0": "1/2", "kappa": 2, **HARD}, {"kappa": None}),
    ({"gate": "silu", **HARD}, {"gate": "anchor"}), ({"gate": "anchor", "grid": "right", **HARD}, {"grid": "linspace"}),
    ({"gate": "anchor", "temperature": "warm"}, {"temperature": "tuned"}), ({"gate": "anchor", "kappa": 3}, {"kappa": None}),
    ({"gate": "anchor", "H": 3}, {"H": None}), ({"w": (1, 2), "d": 3}, {"d": 2}), ({"w": ()}, {"w": ("1", "-1/2")}),
    ({"gate": "anchor", "temperature": "hard", "kappa": 10**7}, {"kappa": 10**6}),
]


@pytest.mark.parametrize(("bad", "good"), REFUSED, ids=str)
def test_bad_input_is_refused_with_what_would_work(bad: dict[str, object], good: dict[str, object]) -> None:
    request = {"range": (0, 1), "eps": "1/2", **bad}
    with pytest.raises(BoundcalcError) as refusal:
        bound("clip", **request)  # type: ignore[arg-type]
    remedy = refusal.value.remedy
    for name, value in good.items():
        said = name in remedy or str(value) in remedy or "eave it out" in remedy or (value is None and "Give one" in remedy)
        assert said or (name == "kappa" and "What applies" in remedy) or (name == "H" and "What applies" in remedy) or (
            name in ("d", "w") and "one number for each input" in remedy), (name, value, remedy)
    b = bound("clip", **{**request, **good})  # type: ignore[arg-type]
    assert b.total.upper is not None


@pytest.mark.parametrize(("bad", "number"), [
    ({"gate": "anchors", "n": 1, **HARD, "sentinels": True}, "n"), ({"gate": "anchor", "kappa": 0, **HARD}, "kappa"),
    ({"gate": "anchor", "kappa": -1, **HARD}, "kappa")], ids=str)
def test_the_number_that_a_remedy_names_is_not_refused_again(bad: dict[str, object], number: str) -> None:
    request = {"range": (0, 1), "eps": "1/2", **bad}
    with pytest.raises(BoundcalcError) as refusal:
        bound("clip", **request)  # type: ignore[arg-type]
    named = re.search(rf"--{number} (\d+)", refusal.value.remedy)
    assert named, refusal.value.remedy
    assert bound("clip", **{**request, number: int(named[1])}).total.upper is not None  # type: ignore[arg-type]
