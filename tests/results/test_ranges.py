"""Every input block may have a range of its own."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from boundcalc.cli.main import main
from boundcalc.errors import InvalidInput
from boundcalc.results.bound import Bound, bound
from boundcalc.results.command import command_line
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.verification import verify
from tests.conformance.points import points
from tests.selection import few

DISTANCE = str(Path(__file__).parent.parent.parent / "docs" / "examples" / "distance.py")
OWN = {"x": ("0", "2"), "y": ("-3", "1")}
WAYS: list[tuple[str, str | None]] = [
    ("recipe", "silu"), ("recipe", "ffn"), ("direct", None), ("recipe", "anchor"), ("recipe", "anchors")]
every_way = pytest.mark.parametrize(("route", "gate"), few(WAYS, 3))
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        return (int(end.value.code or 0), *capsys.readouterr())
    return call


def product(route: str, gate: str | None, **given: Any) -> Bound:
    return bound("mult", route=route, gate=gate, **{"eps": "1/5", "range": OWN, **given})


def worst(b: Bound) -> F:
    """The largest error at many points, inputs with their errors; the evaluator promises 50 digits."""
    evaluator = Evaluator(b.network, 50)
    return max(abs(to_fraction(y) - t) - max(F(1), abs(t) + 1) / 10**50 for exact, perturbed in points(b)
               for y, t in zip(evaluator(perturbed), b.target(exact), strict=True))


def derived(b: Bound) -> F:
    assert b.total.upper is not None
    return b.total.upper


@every_way
def test_the_network_is_as_good_as_derived(route: str, gate: str | None) -> None:
    b = product(route, gate)
    assert b.domains() == [(0, 2), (-3, 1)]
    assert worst(b) <= derived(b) <= F(1, 5)
    found = verify(b)
    assert found.holds is True
    assert found.proved is not None
    assert worst(b) <= found.proved.error <= F(1, 5)


@every_way
def test_ranges_matter(route: str, gate: str | None) -> None:
    """Outside its range the network is far off: the two ranges are not taken for one, nor for each other."""
    b = product(route, gate, eps="1/100" if route == "direct" else "1/5")
    evaluator = Evaluator(b.network, 50)
    errors = [abs(to_fraction(evaluator([x, y])[0]) - x * y) for x, y in ((F(-12), F(7)), (F(14), F(-15)))]
    assert min(errors) > b.values["eps"]


@every_way
def test_input_errors_are_accounted_for(route: str, gate: str | None) -> None:
    """|x'y' − xy| ≤ δ·max|y| + δ·max|x| + δ² = 5δ + δ²; at the corner (2, −3) all of it happens."""
    delta = F(1, 100)
    b, exact = product(route, gate, delta="1/100", eps="1/2"), product(route, gate, eps="1/2")
    assert worst(b) <= derived(b) <= F(1, 2)
    _, inputs = b.error_terms["inputs"]
    assert inputs.exact == 5 * delta + delta**2
    evaluator = Evaluator(b.network, 50)
    moved = abs(to_fraction(evaluator([2 + delta, -3 - delta])[0]) - (-6))
    assert moved <= derived(b)
    assert derived(b) >= 5 * delta
    assert "inputs" not in exact.error_terms
    assert verify(b).holds is True


@every_way
@pytest.mark.parametrize("both", [("-1", "1"), ("0", "2"), ("3", "4")])
def test_equal_ranges_of_their_own_are_a_common_one(route: str, gate: str | None, both: tuple[str, str]) -> None:
    """The very same network, error and counts."""
    own, common = (product(route, gate, eps="1/5", range=r) for r in ({"x": both, "y": both}, both))
    assert own.network == common.network
    assert derived(own) == derived(common)
    assert {k: q.exact for k, q in own.resources.items()} == {k: q.exact for k, q in common.resources.items()}


def test_what_is_not_said_of_a_block() -> None:
    """It has the common range, or M, or its default."""
    for given, expected in (({"range": {"": ("5", "6"), "x": ("0", "2")}}, (5, 6)), ({"range": {"x": ("0", "2")}}, (-1, 1)),
                            ({"range": {"x": ("0", "2")}, "M": 3}, (-3, 3))):
        assert bound("mult", eps="1/5", **given).domains() == [(0, 2), expected]     # type: ignore[arg-type]
    assert bound(DISTANCE, eps="1/5").domains() == [(0, 2), (-3, 1)]
    assert bound(DISTANCE, eps="1/5", range={"y": ("7", "8")}).domains() == [(0, 2), (7, 8)]
    assert bound(DISTANCE, eps="1/5", range=("7", "8")).domains() == [(7, 8), (7, 8)]
    assert bound(DISTANCE, eps="1/5", M=2).domains() == [(-2, 2), (-2, 2)]


def test_the_range_of_the_only_block_is_the_common_range() -> None:
    assert bound("relu", eps="1/5", range={"x": ("0", "2")}).values == bound("relu", eps="1/5", range=("0", "2")).values
    with pytest.raises(InvalidInput, match="every input has a range of its own"):
        bound("relu", eps="1/5", range={"": ("0", "1"), "x": ("0", "2")})


@pytest.mark.parametrize(("line", "sentence"), [
    ("mult --eps 1/5 --range z=0,1", "mult has no input 'z' to give a range. Its inputs are x, y."),
    ("mult --eps 1/5 --range x=0,1 --range x=0,2", "--range is given twice for x. Give it once."),
    ("mult --eps 1/5 --range 0,1 --range 0,2", "--range is given twice. Give it once."),
    ("mult --eps 1/5 --range 0,1 --M 2", "--M and --range both set the domain. Give one of them."),
    ("mult --eps 1/5 --M 2 --range x=0,1 --range y=0,1", "--M says nothing here: every input has a range of its own."),
    ("mult --eps 1/5 --range -1,1 --range x=0,1 --range y=0,1", "--range without a name says nothing here"),
    ("mult --eps 1/5 --range x=2,1", "The range 2 … 1 is empty. Give --range a,b with a < b."),
    ("mult --eps 1/5 --range x=1", "--range takes two numbers a,b, not '1'."),
    ("mult --eps 1/5 --range =0,1", "--range '=0,1' names no input."),
    ("recip --eps 1/5 --range x=-1,1", "The inputs must stay positive, but the range begins at -1."),
    ("recip --eps 1/5 --range x=1/10,1 --delta 1/5", "The inputs with their error delta must stay positive"),
    ("max --n 3 --eps 1/5 --range x1=0,1", "max has no input 'x1' to give a range. Its inputs are x."),
])
def test_what_makes_no_sense_is_refused(run: Run, line: str, sentence: str) -> None:
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\n( {7}[^\n]+\n)+", err)        # what is wrong, then what would help
    assert sentence in " ".join(err.split())


@pytest.mark.parametrize("name", ["clip", "hat"])
@pytest.mark.parametrize("gate", ["silu", "anchor", "anchors", "ffn"])
def test_the_interval_of_the_function_and_the_range_of_its_inputs(name: str, gate: str) -> None:
    b = bound(name, gate=gate, eps="1/10", range={"": ("1", "3"), "x": ("0", "5/2")})
    line = bound(name, gate=gate, eps="1/10", range=("1", "3"))
    assert b.domains() == [(0, F(5, 2))]
    assert line.domains() == [(None, None)]
    assert b.target([F(2)]) == line.target([F(2)]) != b.target([F(1)])
    assert worst(b) <= derived(b) <= F(1, 10)
    assert verify(b).holds is True
    with pytest.raises(InvalidInput, match="no input 'y'"):
        bound(name, eps="1/10", range={"": ("1", "3"), "y": ("0", "1")})


@pytest.mark.parametrize("line", [
    "mult --range x=0,2 --range y=-3,1 --eps 1/5", "mult --range x=0,2 --M 3 --eps 1/5 --route direct",
    "mult --range x=0,2 --range y=-3,1 --eps 1/5 --delta 1/100 --d 2 --gate anchors",
    "clip --range 1,3 --range x=0,5/2 --eps 1/10", "hat --range 1,3 --range x=0,5/2 --eps 1/10 --gate anchor",
    "clip --M 2 --range x=0,5/2 --eps 1/10", f"{DISTANCE} --eps 1/5", f"{DISTANCE} --eps 1/5 --range y=1,6 --gate anchor"])
def test_the_printed_command_repeats_the_bound(run: Run, line: str) -> None:
    code, out, err = run(f"{line} -f json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    words = {"range": {}} | {w.lstrip("-"): v for w, v in zip(line.split()[1:], line.split()[2:], strict=False)
                             if w.startswith("--") and w != "--range"}
    ranges = [w for k, w in enumerate(line.split()) if line.split()[k - 1] == "--range"]
    words["range"] = {(r.partition("=")[0] if "=" in r else ""): tuple(r.rpartition("=")[2].split(",")) for r in ranges}
    b = bound(line.split()[0], **words)         # type: ignore[arg-type]
    again = run(f"{command_line(b).removeprefix('boundcalc ')} -f json")
    assert again[0] == 0
    assert json.loads(again[1]) == document


def test_json_has_a_domain_for_every_input(run: Run) -> None:
    domain = json.loads(run("mult --range x=0,2 --range y=-3,1 --eps 1/5 --d 2 -f json")[1])["domain"]
    assert domain == [["0", "2"], ["-3", "1"]] * 2
    assert json.loads(run("clip --range 1,3 --range x=0,2 --eps 1/5 -f json")[1])["domain"] == [["0", "2"]]
