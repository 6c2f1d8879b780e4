"""Accuracy relative to the target."""

from __future__ import annotations

import json
from fractions import Fraction
from math import asinh, ceil, log, sqrt
from pathlib import Path

import pytest
from flint import fmpq

import boundcalc
from boundcalc.cli.main import main
from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.lemmas.geometric import GeometricKnots, chebyshev
from boundcalc.results.verification import Certified
from boundcalc.verify.curve import curve_of
from boundcalc.verify.program import program_of
from boundcalc.verify.relative import prove_relative


def recip(**more: object) -> boundcalc.Bound:
    return boundcalc.bound("recip", **{"range": ("1/10", "1"), "eps": "1e-3", "gate": "ffn", "relative": True, **more})


def test_pieces_of_the_reciprocal() -> None:
    b = recip()
    assert b.values["N"] == 26 == ceil(log(10) / (2 * asinh(sqrt(2e-3 / (1 - 1e-3)))))
    assert boundcalc.bound("recip", range=("1/10", "1"), eps="1e-3", gate="ffn").values["N"] == 49
    with pytest.raises(Infeasible, match="The least that works is --N 26"):
        recip(N=25)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_the_number_of_pieces_is_decided_exactly(count: int) -> None:
    """At ε = 1/17 a step is h = 1, as (1 + 3ε)/(1 − ε) = 5/4 = cosh(ln 2): N steps reach 2^N, and not a bit farther."""
    rule, eps, ratio = GeometricKnots(), Fraction(1, 17), Fraction(2) ** count
    assert chebyshev(count, Fraction(5, 4)) == (ratio + 1 / ratio) / 2
    at = {"a": Fraction(1), "b": ratio, "eps": eps}
    assert rule.least(at, strict=False) == count
    assert rule.least(at, strict=True) == count + 1
    assert rule.least({**at, "b": ratio + Fraction(1, 10 ** 40)}, strict=False) == count + 1
    assert rule.step_for(at, count, strict=False) == (Fraction(1), True)


@pytest.mark.parametrize("gate", ["ffn", "silu"])
def test_relative_errors_are_certified(gate: str) -> None:
    b = recip(gate=gate, eps="1e-2")
    found = boundcalc.verify(b)
    assert isinstance(found.certified, Certified)
    assert found.holds
    assert found.observed.error <= found.certified.error <= b.total.upper <= Fraction(1, 100)


def test_the_promise_is_not_that_of_the_sup_norm() -> None:
    """At the left end, where 1/x = 10, the network is off by more than ε."""
    b = recip()
    assert b.total.upper is not None
    assert 10 * b.total.upper > Fraction(1, 1000) > b.total.upper


def test_a_wrong_network_is_not_certified() -> None:
    """One piece less on the same domain, and a network for another domain."""
    few = boundcalc.bound("recip", range=("1/10", "1"), eps="12e-4", gate="ffn", relative=True)
    assert few.values["N"] < 26
    program = program_of(few.network)
    curve = curve_of(program, program.outputs[0], 0)
    assert curve is not None
    assert prove_relative(curve, few.target_functions[0], fmpq(1, 10), fmpq(1)).upper > fmpq(1, 1000)
    assert prove_relative(curve, few.target_functions[0], fmpq(1, 20), fmpq(1)).upper > fmpq(12, 10000)


def test_other_targets_by_their_least_value() -> None:
    b = boundcalc.bound("mult", range=("2", "3"), eps="1e-2", relative=True)
    same = boundcalc.bound("mult", range=("2", "3"), eps="4e-2")
    assert b.relative == 4
    assert (b.values["m"], b.values["beta"]) == (same.values["m"], same.values["beta"])
    assert b.network == same.network
    assert same.total.upper is not None
    assert b.total.upper is not None
    assert abs(b.total.upper - same.total.upper / 4) < Fraction(1, 10 ** 15)
    shown = str(b)
    assert "within ε·|target|, ε = 0.01" in shown
    assert "(network − target)/|target| lies in" in shown
    assert "min|target| = 4" in " ".join(shown.split())
    assert "|target|" not in str(same)
    assert json.loads(b.to_json())["relative"] == {"least": "4"}
    assert boundcalc.verify(b).holds


@pytest.mark.parametrize(("given", "message"), [
    ({"eps": "1e-3"}, "may vanish somewhere in the domain. For example --range 1,2"),
    ({"eps": "1", "range": ("1", "2")}, "must be below 1"),
    ({"m": 3, "beta": 50, "range": ("1", "2")}, "which is not given"),
])
def test_refusals(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        boundcalc.bound("mult", relative=True, **given)


def test_a_file_stays_honest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its error is absolute, since files are verified against that."""
    path = tmp_path / "recip.json"
    with pytest.raises(SystemExit):
        main(["weights", "recip", "--relative", "--range", "1/10,1", "--eps", "1e-2", "--gate", "ffn", "-o", str(path)])
    about = json.loads(path.read_text())["about"]
    assert Fraction(about["error"]) == 10 * Fraction(about["relative"])
    assert "--relative" in about["command"]
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(path)])
    assert ended.value.code == 0, capsys.readouterr()


def test_latex_says_what_is_relative() -> None:
    text = recip().latex()
    assert r"\lvert \Phi(x)-f(x)\rvert/\lvert f(x)\rvert" in text
    assert "relative error" in text


@pytest.mark.parametrize("gate", ["ffn", "silu"])
def test_a_claim_about_it_is_decided_at_numbers(gate: str) -> None:
    """At numbers, too: the network that is exported for an absolute error is no witness here."""
    claim = f"recip[gate={gate}].error_relative <= eps"
    assert boundcalc.check(claim, "0 < eps <= 1/10, a == 1/10, b == 1").verdict == "proved"
    assert boundcalc.check(claim, "eps == 1/1000, a == 1/10, b == 1").verdict == "proved"
    half = boundcalc.check(f"recip[gate={gate}].error_relative <= eps/2", "eps == 1/1000, a == 1/10, b == 1")
    assert half.verdict not in ("proved", "refuted")
