"""The anchor gate: its constant is what is certified, another temperature is noticed, and refusals help."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from boundcalc.bounds import Bound, bound, closed_forms
from boundcalc.errors import Infeasible
from boundcalc.gates import anchor
from boundcalc.symbols import INTERNAL, CeilLog, symbol
from boundcalc.verify.balls import Refuted
from boundcalc.verify.constants import TUNED, single_head
from boundcalc.verify.evaluate import Evaluator, to_fraction

F = Fraction
DIGITS = 50


def error_at(b: Bound, x: Fraction) -> Fraction:
    """A lower bound of |network − target| for one input."""
    (y,), (target,) = Evaluator(b.network, DIGITS)([x]), b.target([x])
    return abs(to_fraction(y) - target) - F(1, 10**DIGITS)


# the constant --------------------------------------------------------------------------------------------------------

def test_the_gate_uses_what_is_certified() -> None:
    certificate = single_head(TUNED, bound=F(1, 16))
    assert F(str(anchor.KAPPA)) == TUNED
    assert F(str(anchor.CONSTANT)) == certificate.bound >= certificate.certified
    assert anchor.GATE.eta == anchor.CONSTANT / INTERNAL["cells"]
    assert anchor.GATE.lemma.label == "A1"


def test_the_certified_witness_nearly_attains_the_bound() -> None:
    witness = single_head(TUNED, bound=F(1, 16)).witness
    p = int(witness["p"])
    b = bound("relu", gate="anchor", p=p)
    assert b.total.exact == F(1, 16 * (p - 1))
    assert F(98, 100) * b.total.exact < error_at(b, witness["t"] / (p - 1)) <= b.total.exact


@pytest.mark.parametrize(("kappa", "near"), [(F(27, 10), F(0)), (F(11, 4), F(3, 4))])
@pytest.mark.parametrize("name", ["relu", "abs"])
def test_another_temperature_leaves_the_bound(name: str, kappa: Fraction, near: Fraction,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted mistake: at the point that refutes 1/16 for this κ the exported network errs by more than is derived."""
    with pytest.raises(Refuted) as refuted:
        single_head(kappa, bound=F(1, 16))
    p, t = int(refuted.value.witness["p"]), refuted.value.witness["t"]
    assert abs(t - near) < F(1, 20)
    x = t / (p - 1)
    right = bound(name, gate="anchor", p=p)
    assert error_at(right, x) <= right.total.exact
    monkeypatch.setattr(anchor, "KAPPA", sp.Rational(kappa.numerator, kappa.denominator))
    wrong = bound(name, gate="anchor", p=p)
    assert wrong.total.exact == right.total.exact
    assert error_at(wrong, x) > wrong.total.exact


# closed forms --------------------------------------------------------------------------------------------------------

M, m, n, d = (symbol(x) for x in "Mmnd")
CELLS = INTERNAL["cells"]


@pytest.mark.parametrize(("name", "route", "factor"), [
    ("relu", "recipe", M), ("abs", "recipe", 2 * M), ("max", "tree", 2 * M * CeilLog(n, sp.Integer(2))),
    ("min", "tree", 2 * M * CeilLog(n, sp.Integer(2)))])
def test_closed_forms(name: str, route: str, factor: sp.Expr) -> None:
    a = closed_forms(name, route=route, gate="anchor")
    assert sp.expand(a.total.hi - factor / (16 * CELLS)) == sp.expand(a.total.lo + factor / (16 * CELLS)) == 0
    assert a.resources["tokens"] == CELLS + 1
    assert a.settled(a.resources["tokens"]) == symbol("p")


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


# domains and refusals --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["relu", "abs"])
def test_the_default_domain_is_bounded(name: str) -> None:
    assert bound(name, gate="anchor", eps="1e-2").domain() == (-1, 1)


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
