"""Anchor gates: their constants are what is certified, planted mistakes are noticed, and refusals help."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy as sp

from boundcalc.errors import Infeasible
from boundcalc.formulas.symbols import INTERNAL, CeilLog, symbol
from boundcalc.gates import Options, anchor, anchors, gate
from boundcalc.gates import anchor_grid as grid
from boundcalc.networks.network import AttentionLayer
from boundcalc.results.bound import Bound, bound, closed_forms
from boundcalc.terms.linear import AffineMap, Form, Rows
from boundcalc.terms.term import Ramps
from boundcalc.verify.balls import Refuted
from boundcalc.verify.constants import TUNED, hard_linspace, left_grid, midpoint_grid, sentinel, single_head, telescoping
from boundcalc.verify.evaluate import Evaluator, to_fraction

F = Fraction
DIGITS = 50
CLIP: dict[str, Any] = {"name": "clip", "range": (0, 1)}
HARD: dict[str, Any] = {"temperature": "hard"}


def error_at(b: Bound, x: Fraction) -> Fraction:
    """A lower bound of |network − target| for one input."""
    (y,), (target,) = Evaluator(b.network, DIGITS)([x]), b.target([x])
    return abs(to_fraction(y) - target) - F(1, 10**DIGITS)


def derived(b: Bound) -> Fraction:
    total = b.total.upper
    assert total is not None
    return total


# the constants -------------------------------------------------------------------------------------------------------

def test_the_gates_use_what_is_certified() -> None:
    assert F(str(grid.TUNED)) == TUNED
    one, many, pairs = (gate(name, Options(pairs=two)) for name, two in
                        (("anchor", False), ("anchors", False), ("anchors", True)))
    for made, certificate, label in ((one, single_head(TUNED, bound=F(1, 16)), "A1"),
                                     (many, telescoping(TUNED, bound=F(1, 16)), "A4"),
                                     (pairs, telescoping(TUNED, n=2, bound=F(1, 15)), "A4")):
        assert made.supply is not None
        assert made.supply.selection.kappa == grid.TUNED
        assert F(str(made.supply.selection.shape)) == certificate.bound >= certificate.certified
        assert made.eta == made.supply.selection.shape / INTERNAL["cells"]
        assert made.lemma is not None
        assert made.lemma.label == label


def test_hard_gates_use_what_is_certified() -> None:
    leak = INTERNAL["leak"]
    for name, options, certificate, shape in (
            ("anchor", Options("hard"), hard_linspace(), sp.Rational(1, 2)),
            ("anchors", Options("hard"), hard_linspace(), sp.Rational(1, 2)),
            ("anchor", Options("hard", "left"), left_grid(), 1 + leak),
            ("anchor", Options("hard", "midpoint"), midpoint_grid(), sp.Rational(1, 2) + leak)):
        made = gate(name, options)
        assert made.supply is not None
        assert certificate.certified <= certificate.bound == (1 if leak in shape.free_symbols else F(1, 2))
        assert made.supply.selection.shape == shape
    assert sentinel().bound == F(str(grid.SENTINEL))


def test_the_certified_witness_nearly_attains_the_bound() -> None:
    witness = single_head(TUNED, bound=F(1, 16)).witness
    p = int(witness["p"])
    b = bound("relu", gate="anchor", p=p)
    assert b.total.exact == F(1, 16 * (p - 1))
    assert F(98, 100) * b.total.exact < error_at(b, witness["at"] / (p - 1)) <= b.total.exact


@pytest.mark.parametrize(("n", "part", "least"), [(None, 16, F(99, 100)), (4, 16, F(99, 100)), (2, 15, F(93, 100))])
@pytest.mark.parametrize("range_", [(0, 1), (9, 10), (-3, 2)], ids=str)
def test_telescoping_heads_nearly_attain_their_bound(n: int | None, part: int, least: Fraction,
                                                     range_: tuple[int, int]) -> None:
    witness = telescoping(TUNED, n=n, bound=F(1, part)).witness
    tokens, heads = int(witness["n"]), int(witness["H"])
    b = bound("clip", range=range_, gate="anchors", n=tokens, H=heads)
    cell = F(range_[1] - range_[0], (tokens - 1) * heads)
    assert b.total.exact == cell / part
    assert least * b.total.exact < error_at(b, range_[0] + witness["at"] * cell) <= b.total.exact


def test_hard_linspace_is_attained_as_beta_grows() -> None:
    """Next to the midpoint of a cell the error tends to Δ/2."""
    b = bound(**CLIP, gate="anchor", p=6, kappa=10**5, **HARD)
    at = F(1, 2) + F(1, 10**3)
    assert F(99, 100) * derived(b) < error_at(b, at / 5) <= derived(b) == F(1, 10)


# planted mistakes ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("kappa", "near"), [(F(27, 10), F(0)), (F(11, 4), F(3, 4))])
@pytest.mark.parametrize("name", ["relu", "abs"])
def test_another_temperature_leaves_the_bound(name: str, kappa: Fraction, near: Fraction,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted mistake: at the point that refutes 1/16 for this κ the exported network errs by more than is derived."""
    with pytest.raises(Refuted) as refuted:
        single_head(kappa, bound=F(1, 16))
    p, t = int(refuted.value.witness["p"]), refuted.value.witness["at"]
    assert abs(t - near) < F(1, 20)
    x = t / (p - 1)
    right = bound(name, gate="anchor", p=p)
    assert error_at(right, x) <= derived(right)
    monkeypatch.setattr(grid, "TUNED", sp.Rational(kappa.numerator, kappa.denominator))
    wrong = bound(name, gate="anchor", p=p)
    assert derived(wrong) == derived(right)
    assert error_at(wrong, x) > derived(wrong)


@pytest.mark.parametrize(("n", "heads", "t"), [(3, 3, F(174, 100)), (4, 2, F(274, 100)), (8, 2, F(674, 100))])
def test_another_temperature_of_many_heads_leaves_the_bound(n: int, heads: int, t: Fraction,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    cells = (n - 1) * heads
    assert error_at(bound(**CLIP, gate="anchors", n=n, H=heads), t / cells) <= F(1, 16 * cells)
    for kappa, x in ((sp.Rational(27, 10), F(0)), (sp.Rational(11, 4), t)):
        monkeypatch.setattr(grid, "TUNED", kappa)
        wrong = bound(**CLIP, gate="anchors", n=n, H=heads)
        assert error_at(wrong, x / cells) > derived(wrong) == F(1, 16 * cells)


@pytest.mark.parametrize(("module", "options", "right", "wrong", "x"), [
    (anchor, {"gate": "anchor", "p": 9}, F(1, 16), F(1, 17), F(74, 100) / 8),
    (anchors, {"gate": "anchors", "n": 4, "H": 3}, F(1, 16), F(1, 17), F(274, 100) / 9),
    (anchors, {"gate": "anchors", "n": 2, "H": 9}, F(1, 15), F(1, 16), F(74, 100) / 9),
    (anchor, {"gate": "anchor", "p": 9, "kappa": 10**4, **HARD}, F(1, 2), F(49, 100), F(501, 1000) / 8)], ids=str)
def test_a_smaller_constant_is_noticed(module: Any, options: dict[str, Any], right: Fraction, wrong: Fraction, x: Fraction,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """Δ/17 instead of Δ/16, and so on: the network errs by more than is derived from it."""
    honest = bound(**CLIP, **options)
    assert derived(honest) == right / honest.values["cells"]
    assert error_at(honest, x) <= derived(honest)
    chosen = module.selection
    monkeypatch.setattr(module, "selection", lambda o, many: replace(chosen(o, many), shape=sp.Rational(str(wrong))))
    planted = bound(**CLIP, **options)
    assert derived(planted) == wrong / honest.values["cells"]
    assert error_at(planted, x) > derived(planted)


SENTINELS: dict[str, Any] = {"gate": "anchors", "sentinels": True, "n": 5, "H": 4, "kappa": 6, **HARD}


@pytest.mark.parametrize(("range_", "x"), [((9, 10), 100), ((9, 10), -100), ((-3, 2), 100), ((-3, 2), -100)], ids=str)
def test_outermost_sentinels_of_value_zero_are_noticed(range_: tuple[int, int], x: int,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """They must carry a and b: with 0 the error is |a| or |b| far outside."""
    right = bound("clip", range=range_, **SENTINELS)
    assert error_at(right, F(x)) <= derived(right) < F(1, 2)
    rows = grid.AnchorGate._grid

    def zeroed(self: grid.AnchorGate, g: int, width: sp.Expr) -> tuple[Rows, ...]:
        ends = (f"A{g}", f"B{g}")
        return tuple(replace(r, form=Form((), sp.S.Zero)) if r.block in ends else r for r in rows(self, g, width))

    monkeypatch.setattr(grid.AnchorGate, "_grid", zeroed)
    wrong = bound("clip", range=range_, **SENTINELS)
    end = range_[1] if x > 0 else range_[0]
    assert error_at(wrong, F(x)) > derived(wrong)
    assert error_at(wrong, F(x)) > F(99, 100) * abs(end)


def test_the_floor_of_sentinels_is_real() -> None:
    """More anchors do not lower max(|a|, |b|)·e^(−2κ): the observed error is of its size; telescoping heads have none."""
    published = bound("clip", range=(9, 10), **{**SENTINELS, "H": 60, "kappa": 1})
    points = [9 + (3 * k + F(j, 4)) / published.values["cells"] for k in (10, 31) for j in range(13)]
    evaluator = Evaluator(published.network, DIGITS)
    observed = max(abs(to_fraction(evaluator([x])[0]) - x) for x in points)
    floor = 10 * F(str(mpmath.nstr(mpmath.exp(-2), 20)))
    assert F(1, 2) * floor < observed <= derived(published) <= 3 * floor + F(1, 100)
    assert derived(bound("clip", range=(9, 10), gate="anchors", n=4, H=60, kappa=1, **HARD)) < F(1, 300)


def test_shifted_values_of_telescoping_heads_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values (k + 1/20)Δ instead of kΔ: every head adds its shift, so that more of them make it worse."""
    rows, read = grid.AnchorGate._grid, grid.values

    def with_values(self: grid.AnchorGate, g: int, width: sp.Expr) -> tuple[Rows, ...]:
        first, *rest = rows(self, g, width)
        shift = width / INTERNAL["cells"] / 20
        return (first, *rest, replace(first, block=f"V{g}", form=Form((), first.form.const + shift)))

    def shifted(layer: Ramps, unit: str, coords: Any, form: Form, over: Any) -> AffineMap:
        return read(layer, unit, coords, grid.single("V0"), over)

    right = bound(**CLIP, gate="anchors", n=4, H=5)
    assert all(error_at(right, x) <= derived(right) for x in (F(-1), F(2), F(1, 3)))
    monkeypatch.setattr(grid.AnchorGate, "_grid", with_values)
    monkeypatch.setattr(grid, "values", shifted)
    wrong = bound(**CLIP, gate="anchors", n=4, H=5)
    assert derived(wrong) == derived(right)
    assert all(error_at(wrong, x) > derived(wrong) for x in (F(-1), F(2), F(1, 3)))


# how hard a head selects (A6) ----------------------------------------------------------------------------------------

def masses(b: Bound, x: Fraction, ctx: Any) -> list[Any]:
    """The attention of the first head, from the weights of the exported network."""
    affine, layer = b.network.layers[0], b.network.layers[1]
    assert isinstance(layer, AttentionLayer)
    state = [F(0)] * affine.weight.rows                         # type: ignore[union-attr]
    for i, _, w in affine.weight.entries:                       # type: ignore[union-attr]
        state[i] += w * x
    for i, w in affine.bias.entries:                            # type: ignore[union-attr]
        state[i] += w
    tokens = [state[t * layer.dim:(t + 1) * layer.dim] for t in range(layer.tokens)]

    def times(m: Any, v: list[Fraction]) -> list[Fraction]:
        out = [F(0)] * m.rows
        for i, j, w in m.entries:
            out[i] += w * v[j]
        return out

    head = layer.heads[0]
    query = times(head.Q, tokens[layer.query[0]])
    scores = [head.beta * sum(q * k for q, k in zip(query, times(head.K, t), strict=True)) for t in tokens]
    top = max(scores)
    weights = [ctx.exp(ctx.mpf((s - top).numerator) / (s - top).denominator) for s in scores]
    return [w / sum(weights) for w in weights]


@pytest.mark.parametrize("eps0", ["1/3", "1/100", "1e-9"])
@pytest.mark.parametrize("options", [{}, {"grid": "left"}, {"grid": "midpoint"}], ids=str)
def test_eps0_is_the_mass_off_the_two_nearest_anchors(eps0: str, options: dict[str, Any]) -> None:
    b = bound(**CLIP, gate="anchor", p=9, eps0=eps0, **options, **HARD)
    ctx = mpmath.MPContext()
    ctx.dps = 60
    limit = ctx.mpf(F(eps0).numerator) / F(eps0).denominator
    worst = ctx.zero
    for k in range(-40, 141):
        off = sum(sorted(masses(b, F(k, 100), ctx))[:-2])
        assert off <= limit
        worst = max(worst, off)
    assert worst > limit / 3 or b.values["kappa"] == 1          # at an anchor both neighbours but one are off


@pytest.mark.parametrize("kappa", [F(1, 10), F(1), TUNED, F(7), F(40)], ids=str)
def test_mass_off_the_two_nearest_anchors(kappa: Fraction) -> None:
    """A6 for any number of anchors and any real input, with 60 digits: never above e^(−κ), whatever p."""
    ctx = mpmath.MPContext()
    ctx.dps = 60
    k, rng = ctx.mpf(kappa.numerator) / kappa.denominator, random.Random(1)
    limit, worst = ctx.exp(-k), ctx.zero
    for p in (2, 3, 4, 9, 40):
        anywhere = [F(rng.randrange(-2000, 1000 * p + 2000), 1000) for _ in range(40)]
        for t in (*(F(i, 4) for i in range(-8, 4 * p + 8)), *anywhere):
            at = ctx.mpf(t.numerator) / t.denominator
            weights = sorted(ctx.exp(-k * (at - j) ** 2) for j in range(p))
            off = sum(weights[:-2], ctx.zero) / sum(weights)
            assert off <= limit
            worst = max(worst, off)
    assert worst > limit / 4 if kappa >= 1 else worst > 0


# closed forms --------------------------------------------------------------------------------------------------------

M, m, n, d = (symbol(x) for x in "Mmnd")
CELLS = INTERNAL["cells"]


@pytest.mark.parametrize("gate_", ["anchor", "anchors"])
@pytest.mark.parametrize(("name", "route", "factor"), [
    ("relu", "recipe", M), ("abs", "recipe", 2 * M), ("max", "tree", 2 * M * CeilLog(n, sp.Integer(2))),
    ("min", "tree", 2 * M * CeilLog(n, sp.Integer(2)))])
def test_closed_forms(name: str, route: str, factor: sp.Expr, gate_: str) -> None:
    a = closed_forms(name, route=route, gate=gate_)
    assert sp.expand(a.total.hi - factor / (16 * CELLS)) == sp.expand(a.total.lo + factor / (16 * CELLS)) == 0
    tokens, heads = symbol("n" if gate_ == "anchors" and route != "tree" else "p"), symbol("H")
    assert a.settled(a.resources["tokens"]) == tokens
    assert sp.expand(a.settled(CELLS) - (tokens - 1) * (heads if gate_ == "anchors" else 1)) == 0
    assert (heads in a.resources["heads"].free_symbols) == (gate_ == "anchors")


@pytest.mark.parametrize("name", ["square", "mult"])
def test_closed_forms_of_the_sawtooth_are_the_generic_ones(name: str) -> None:
    """With η = 1/16(p − 1) a tooth adds 4·η/2 (inputs up to ½) and doubles what came in, an absolute value adds 2η."""
    a = closed_forms(name, gate="anchor")
    gates, rest = a.error["gates"].hi * CELLS * 16 / M**2, a.error["interpolation"].hi
    for levels in range(1, 6):
        error, acc = (F(0), F(0)) if name == "square" else (F(2), F(4))         # acc of mult starts with |u₊| − |u₋|
        for s in range(1, levels + 1):
            error = 2 * error + 2
            acc += (4 if name == "square" else 2) * error / 4**s                # square is scaled by 4M², mult has two
        assert F(str(gates.subs(m, levels))) == acc
    assert sp.expand(rest - M**2 * 4 ** (-m - (1 if name == "mult" else 0))) == 0
    assert a.resources["layers"] == (m + 1 if name == "mult" else m)


@pytest.mark.parametrize(("options", "counts"), [({"gate": "anchor"}, ("p",)), ({"gate": "anchors", "n": 8}, ("n", "H"))],
                         ids=str)
def test_products(options: dict[str, Any], counts: tuple[str, ...]) -> None:
    """mult derives, exports, evaluates and stays within ε; the closed forms contain what the user may choose."""
    b = bound("mult", eps="1e-2", **options)
    assert derived(b) <= F(1, 100)
    listed = b.network.resources()
    assert listed["tokens"] == b.values[counts[0]]
    assert listed["heads"] == 2 * (b.values["m"] + 1) * b.values.get("H", 1)
    evaluator, rng = Evaluator(b.network, DIGITS), random.Random(3)
    grid_ = [F(k, 8) for k in range(-8, 9, 2)]
    points = [(x, y) for x in grid_ for y in grid_] + [(F(rng.randrange(-10**6, 10**6 + 1), 10**6),
                                                       F(rng.randrange(-10**6, 10**6 + 1), 10**6)) for _ in range(20)]
    worst = max(abs(to_fraction(evaluator([x, y])[0]) - x * y) for x, y in points)
    assert F(1, 2000) < worst <= derived(b)
    a = closed_forms("mult", gate=options["gate"])
    assert a.complete(a.total.hi).free_symbols >= {symbol(x) for x in (*counts, "M", "m")}
    for name in ("heads", "width", "parameters"):
        assert symbol("d") in a.complete(a.resources[name]).free_symbols
    assert symbol(counts[0]) in a.complete(a.resources["parameters"]).free_symbols
    assert all(symbol(x) in a.complete(a.resources["beta"]).free_symbols for x in counts)


# domains and refusals --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["relu", "abs"])
@pytest.mark.parametrize("gate_", ["anchor", "anchors"])
def test_the_default_domain_is_bounded(name: str, gate_: str) -> None:
    assert bound(name, gate=gate_, eps="1e-2").domains()[0] == (-1, 1)


@pytest.mark.parametrize("name", ["relu", "abs"])
@pytest.mark.parametrize("options", [{"range": (-3, -1)}, {"range": (-3, 0)}, {"range": (-3, "-1/1000"), "delta": "1/1000"}],
                         ids=str)
def test_inputs_that_are_never_positive_are_refused_with_help(name: str, options: dict[str, object]) -> None:
    for free in ({"eps": "1/10"}, {"p": 5}):
        with pytest.raises(Infeasible) as refusal:
            bound(name, gate="anchor", **options, **free)  # type: ignore[arg-type]
        assert "positive" in refusal.value.problem
        assert "--range" in refusal.value.remedy
        assert "gate" in refusal.value.remedy
    assert bound(name, gate="silu", eps="1/10", **options).total.upper  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["square", "mult", "max", "min"])
def test_other_constructions_do_not_mind_a_negative_range(name: str) -> None:
    """Their gates see differences and centred inputs."""
    own = {"n": 3, "route": "tree"} if name in ("max", "min") else {}
    b = bound(name, gate="anchor", eps="1/10", range=(-3, -1), **own)  # type: ignore[arg-type]
    shifted = bound(name, gate="anchor", eps="1/10", M=1, **own)  # type: ignore[arg-type]
    assert b.values["p"] == shifted.values["p"]


def test_levels_are_searched_for_given_anchors() -> None:
    closed = bound("mult", gate="anchor", eps="1e-2")
    assert (closed.values["m"], closed.values["p"]) == (3, 101)
    found = bound("mult", gate="anchor", eps="1e-2", p=100)
    choice = next(c for c in found.choices if c.name == "m")
    assert (found.values["m"], choice.kind) == (4, "searched")
    assert choice.bound is not None
    with pytest.raises(Infeasible, match=r"least that works is --p 101\.$"):
        bound("mult", gate="anchor", eps="1e-2", p=100, m=3)
    with pytest.raises(Infeasible, match=r"least that works is --p 68 \(with --m 5\)\.$"):
        bound("mult", gate="anchor", eps="1e-2", p=67)
    assert bound("mult", gate="anchor", eps="1e-2", p=68).values["m"] == 5


def test_deriving_does_not_grow_with_the_anchors() -> None:
    b = bound("relu", gate="anchor", eps="1e-14")
    assert b.resources["tokens"].exact == b.values["p"] == 625 * 10**10 + 1
    assert b.resources["parameters"].exact is not None
