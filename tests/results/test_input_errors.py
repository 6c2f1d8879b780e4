"""--delta x=…: an error in one input, or one for each."""

from __future__ import annotations

import json
import random
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import boundcalc
from boundcalc.cli.main import main
from boundcalc.errors import InvalidInput
from boundcalc.results.command import command_line

F = Fraction
CASES: list[dict[str, Any]] = [
    {"eps": "1/20", "delta": {"x": "1/100"}}, {"eps": "1/20", "delta": {"y": "1/100"}, "route": "direct"},
    {"eps": "1/20", "delta": {"x": "1/1000", "y": "1/100"}, "range": {"x": (0, 2), "y": (-1, 1)}},
    {"eps": "1/5", "delta": {"y": "1/50"}, "gate": "anchor", "d": 2}]


def disturbed(b: boundcalc.Bound, point: list[Fraction], signs: list[int]) -> Fraction:
    """The error of the network at inputs that are off by their own δ."""
    own = {"x": b.values.get("delta_x", F(0)), "y": b.values.get("delta_y", F(0))}
    seen = [z + s * own[name[0]] for z, s, name in zip(point, signs, b.names()[0], strict=True)]
    values = boundcalc.evaluate(b.network, seen, digits=30)
    return max(abs(F(str(v)) - t) for v, t in zip(values, b.target(point), strict=True))


@pytest.mark.parametrize("given", CASES, ids=str)
def test_no_disturbed_input_leaves_the_bound(given: dict[str, Any]) -> None:
    b = boundcalc.bound("mult", **given)
    total, rng = b.total.upper, random.Random(1)
    assert total is not None
    assert total <= F(given["eps"])
    for _ in range(60):
        point = [rng.choice((low, high, low + (high - low) * rng.randrange(1001) / 1000)) for low, high in b.domains()]
        assert disturbed(b, point, [rng.choice((-1, 1)) for _ in point]) <= total + F(1, 10**25)
    low, high = b.domains()[0]
    assert low is not None
    assert high is not None


def test_what_the_input_error_costs_is_attained() -> None:
    """On [0, 2] × [−3, 1] an error in x costs 3δ, one in y 2δ, one in both at most (3 + 2 + δ)δ."""
    ranges = {"x": (0, 2), "y": (-3, 1)}
    costs = [boundcalc.bound("mult", eps="1/10", range=ranges, delta=delta).error_terms["inputs"][1].exact
             for delta in ({"x": "1/1000"}, {"y": "1/1000"}, "1/1000")]
    assert costs == [F(3, 1000), F(2, 1000), (5 + F(1, 1000)) / 1000]


def test_equal_errors_are_one_error() -> None:
    one, both = (boundcalc.bound("mult", eps="1/10", delta=d) for d in ("1/100", {"x": "1/100", "y": "1/100"}))
    assert both.values == one.values
    assert boundcalc.bound("max", n=3, eps="1/10", delta={"x": "1/100"}).values == boundcalc.bound(
        "max", n=3, eps="1/10", delta="1/100").values
    assert boundcalc.bound("mult", eps="1/10", delta={"x": 0}).values == boundcalc.bound("mult", eps="1/10").values


@pytest.mark.parametrize("given", CASES[:3], ids=str)
def test_verification_moves_that_input_only(given: dict[str, Any]) -> None:
    b = boundcalc.bound("mult", **given)
    found, exact = boundcalc.verify(b), boundcalc.verify(boundcalc.bound("mult", **{**given, "delta": 0}))
    assert found.holds
    assert found.proved is not None
    assert exact.proved is not None
    shift = found.observed.shift
    assert isinstance(shift, tuple)
    assert tuple(map(abs, shift)) == (b.values.get("delta_x", 0), b.values.get("delta_y", 0))
    again = disturbed(b, list(found.observed.at.values()), [1 if s >= 0 else -1 for s in shift])
    assert again >= found.observed.error - F(1, 10**25)
    assert found.observed.error <= found.proved.error <= (b.total.upper or 0)


def test_the_certificate_counts_what_is_moved() -> None:
    """Far from what the network itself errs: nearly all of the error is that of the input."""
    b = boundcalc.bound("mult", eps="1/10", delta={"y": "1/11"})
    found = boundcalc.verify(b)
    assert found.proved is not None
    assert F(1, 11) <= found.proved.error
    assert found.observed.error > F(9, 100)


def test_a_file_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(line: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        return end.value.code, capsys.readouterr().out

    path = tmp_path / "f.json"
    assert run(f"weights mult --eps 1e-2 --delta x=1e-3 -o {path}")[0] == 0
    about = json.loads(path.read_text(encoding="utf-8"))["about"]
    assert (about["parameters"]["delta"], about["parameters"]["delta_x"]) == ("0", "1/1000")
    assert "--delta x=1/1000" in about["command"]
    code, out = run(f"verify {path} -f json")
    assert code == 0
    assert json.loads(out)["parameters"]["delta_x"] == "1/1000"
    assert run(f"verify {path} --delta x=1/50 --eps 1e-2")[0] == 1
    assert run(f"{about['command'].removeprefix('boundcalc ')} -o {path}")[0] == 0
    assert json.loads(path.read_text(encoding="utf-8"))["about"] == about


def test_the_command_is_given_again() -> None:
    b = boundcalc.bound("mult", eps="1/10", delta={"y": "1/100"})
    assert "--delta y=1/100" in command_line(b)


def test_documents_say_which_input() -> None:
    latex = boundcalc.bound("mult", eps="1/10", delta={"y": "1/100"}).latex()
    assert r"differs from $x$ by at most $\delta_y$ in the input $y$, and not in any other input" in latex
    assert r"\mathrm{delta" not in latex


@pytest.mark.parametrize(("delta", "says"), [
    ({"z": "1e-3"}, "has no input 'z' to give an error"), ({"x": "-1"}, "--delta must not be negative"),
    ({"x": 0.5}, "is not exact")])
def test_refused(delta: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        boundcalc.bound("mult", eps="1/10", delta=delta)


@pytest.mark.parametrize("text", ["x=", "=1", "x=1e-3,x=1e-4", "x=1e-3,1e-4", "x=abc"])
def test_refused_on_the_command_line(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(["mult", "--eps", "1e-2", "--delta", text])
    assert end.value.code == 2
    assert "--delta" in capsys.readouterr().err
