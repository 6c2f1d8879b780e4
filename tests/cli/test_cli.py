"""The command line: exit codes, what goes where, and one clear line for everything that can be wrong."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from boundcalc import __version__
from boundcalc.cli import main as cli
from boundcalc.declarations.options import declared
from boundcalc.declarations.registry import construction, information, names
from boundcalc.errors import ECHO_LIMIT
from boundcalc.formulas.parser import parse
from boundcalc.results.verification import NotCertified, Observation

README = Path(__file__).parents[2] / "README.md"
HEAVY = ("sympy", "numpy", "flint", "mpmath")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command; nothing is coloured, and no traceback gets out."""
    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(arguments)
        out, err = capsys.readouterr()
        assert "\x1b" not in out + err
        assert "Traceback" not in out + err
        assert isinstance(end.value.code, int)
        return end.value.code, out, err
    return command


@pytest.fixture
def good(run: Run) -> Callable[..., str]:
    """stdout of a command that must succeed without a word on stderr."""
    def command(*arguments: str, code: int = 0) -> str:
        found, out, err = run(*arguments)
        assert (found, err) == (code, "")
        return out
    return command


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """What a wrong command is told, on one line; nothing of what was typed is repeated at length but in the command that
    would work."""
    def command(*arguments: str) -> str:
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"error: [^\n]+\n( {7}[^\n]+\n)*", err)
        assert all(len(line) <= 80 or line.startswith("       boundcalc ") for line in err.splitlines())
        for typed in arguments:
            if len(typed) > ECHO_LIMIT:
                assert typed[:ECHO_LIMIT] not in err
        lines = err.splitlines()
        shown = [x.strip() for k, x in enumerate(lines) if not any(re.fullmatch(r" +\^+", y) for y in lines[k:k + 2])]
        return " ".join(shown) + "\n"
    return command


# ---------------------------------------------------------------------------------------------------------------
# what works

def test_the_python_of_the_readme_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), scope)
    lines = [(line.split("  #")[0].strip(), line.split("# ")[1].strip()) for line in block.splitlines() if "  #" in line]
    for code, comment in lines:
        if comment in ("True", "Fraction(12, 1)"):
            assert repr(eval(code, scope)) == comment
    assert (tmp_path / "mult.json").exists()


@pytest.mark.parametrize("name", names())
def test_show_needs_no_numbers(good: Callable[..., str], name: str) -> None:
    out = good("show", name)
    for route in construction(name).by_route:
        assert route in out
        for gate in information(name).gates if construction(name).route(route).gated else ():
            chosen = good("show", name, "--route", route, "--gate", gate, "--proof", "--dimensions")
            assert route in chosen
            assert good("show", name, "--route", route, "--gate", gate, "--full")
        for form in ("json", "latex"):
            assert good("show", name, "--route", route, "-f", form)
    found = json.loads(good("show", name, "-f", "json"))
    assert [doc["route"] for doc in (found if isinstance(found, list) else [found])] == list(construction(name).by_route)


def test_show_keeps_what_must_stay_free(good: Callable[..., str]) -> None:
    mult = good("show", "mult", "--full")
    assert "Any gate with error in [−η, η]" in mult
    assert re.search(r"^  gates .*η·M²", mult, flags=re.MULTILINE)
    largest = good("show", "max")
    assert "W((n − 1)/e)/β" in largest
    assert "⌈log₂ n⌉·W(1/e)/β" in largest


def test_show_writes_anchors_in_the_users_own_parameters(good: Callable[..., str]) -> None:
    assert re.search(r"tokens +p$", good("show", "relu", "--gate", "anchor"), flags=re.MULTILINE)
    for name in ("relu", "mult"):
        doc = json.loads(good("show", name, "--route", "recipe", "--gate", "anchor", "-f", "json"))
        used = {s.name for key, q in doc["resources"].items() if key != "bits" for s in parse(q["symbolic"]).free_symbols}
        assert doc["resources"]["bits"] is None, "bits have no closed form"
        assert "p" in used
        assert used <= {"p", "M", "d", "m"}


@pytest.mark.parametrize(("arguments", "symbols"), [
    ("clip --gate anchors", {"n", "H"}), ("clip --gate anchors --temperature hard --sentinels", {"n", "H", "kappa"}),
    ("max --route tree --gate anchors", {"p", "H", "n"}), ("recip", {"N", "h", "beta"}), ("recip --gate ffn", {"N", "h"}),
    ("hat --gate anchor --temperature hard --grid left", {"p", "kappa"}),
    ("mult --route recipe --gate anchors", {"n", "H", "m"})])
def test_show_keeps_what_new_gates_and_constructions_choose(
        good: Callable[..., str], arguments: str, symbols: set[str]) -> None:
    doc = json.loads(good("show", *arguments.split(), "-f", "json"))
    texts = [doc["error"]["total"]["symbolic"], *(q["symbolic"] for q in doc["resources"].values() if q)]
    used = {s.name for text in texts for s in parse(text).free_symbols}
    assert symbols <= used <= {*symbols, "a", "b", "M", "d"}
    assert all(c["value"] is None for c in doc["choices"])


def test_a_sequence_on_the_command_line(good: Callable[..., str]) -> None:
    question = "Is the error independent of the sequence length?"
    for gate, answer in (("silu", "Not at a fixed score scale"), ("ffn", "Yes: "), ("anchor", "Not at a fixed")):
        assert answer in good("mult", "--eps", "1e-2", "--sequence", "4", "--gate", gate)
        text = good("mult", "--eps", "1e-2", "--sequence", "4", "--gate", gate, "--full")
        assert f"{question} {answer}" in " ".join(text.split())
    doc = json.loads(good("mult", "--eps", "1e-2", "--sequence", "4", "-f", "json"))
    assert len(doc["domain"]) == 8
    assert doc["parameters"]["L"] == "4"


def test_anchors_on_the_command_line(good: Callable[..., str], run: Run, tmp_path: Path) -> None:
    doc = json.loads(good("relu", "--gate", "anchor", "--eps", "1e-2", "-f", "json"))
    (choice,) = doc["choices"]
    assert (choice["name"], choice["value"], choice["rule"]) == ("p", "8", "1 + ceil(M/(16*eps))")
    assert doc["resources"]["tokens"]["exact"] == "8"
    path = tmp_path / "net.json"
    good("weights", "relu", "--gate", "anchor", "--p", "8", "-o", str(path))
    assert path.exists()
    code, _, err = run("relu", "--gate", "anchor", "--eps", "1e-2", "--p", "7")
    assert (code, "The least that works is --p 8." in err) == (2, True)


def test_show_applies_the_gate_without_a_route(run: Run) -> None:
    """An option is applied or refused, never ignored."""
    code, out, _ = run("show", "mult", "--gate", "ffn")
    assert code == 0
    assert "ReLU units" in out


def test_list_in_both_formats(good: Callable[..., str]) -> None:
    text, doc = good("list", "--full"), json.loads(good("list", "-f", "json"))
    assert [x["name"] for x in doc] == list(names())
    for x in doc:
        assert set(x) == {"name", "title", "map", "routes", "gates", "source", "standing"}
        assert x["map"] in text
        assert x["title"] in text


def test_version_and_help(good: Callable[..., str]) -> None:
    assert good("--version") == f"boundcalc {__version__}\n"
    for flag in ("-h", "--help"):
        out = good(flag)
        assert all(name in out for name in (*names(), *cli.COMMANDS))
    for name in (*names(), *cli.COMMANDS):
        out = good(name, "--help")
        assert out.startswith((f"Usage: boundcalc {name}", f"{name} "))
        assert max(map(len, out.splitlines())) <= 140


HOW_GATES_ARE_MADE = ("--gate", "--temperature", "--grid", "--sentinels")
EVERYWHERE = ("--sequence", "--codes", "--minimize", "--route", "--relative")


def listed(text: str) -> set[str]:
    return set(re.findall(r"^ +(?:-\w, )?(--[A-Za-z0-9]+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("name", names())
def test_help_lists_what_the_construction_has_and_nothing_else(good: Callable[..., str], name: str) -> None:
    output = {"--format", "--output", "--proof", "--dimensions", "--standalone", "--only", "--verify", "--digits", "--help",
              "--timeout"}
    own = {f"--{p.name}" for p in declared(name)}
    assert listed(good(name, "--help", "--full")) == {*own, *HOW_GATES_ARE_MADE, *EVERYWHERE, *output, "--full", "--quiet"}
    shown = good(name, "--help")
    assert {f"--{p.name}" for p in declared(name) if p.name not in ("kappa", "eps0")} <= set(re.findall(r"--\w+", shown))
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 80
    assert own <= listed(good("weights", name, "--help"))
    assert own <= listed(good("verify", name, "--help"))


def test_help_of_mult_explains_no_weights_of_clip(good: Callable[..., str]) -> None:
    assert not {"--w", "--t", "--N"} & listed(good("mult", "--help"))
    assert {"--w", "--t"} <= listed(good("clip", "--help"))


@pytest.mark.parametrize(("command", "expected"), [
    ("weights", (*HOW_GATES_ARE_MADE, *EVERYWHERE)), ("show", (*HOW_GATES_ARE_MADE, "--route"))])
def test_help_of_commands_lists_options(good: Callable[..., str], command: str, expected: tuple[str, ...]) -> None:
    out = good(command, "--help")
    assert listed(out) >= set(expected)
    for word in ("anchors", "tuned", "hard", "linspace", "left", "midpoint"):
        assert word in out


def test_no_arguments_say_what_to_begin_with(good: Callable[..., str]) -> None:
    out = good()
    assert out.startswith("boundcalc: what a softmax attention network costs")
    assert len(out.splitlines()) < 10


def test_numbers_are_exact_however_they_are_written(good: Callable[..., str]) -> None:
    spellings = ("1e-3", "0.001", "1/1000", "10**-3", ".001", "1E-3", " 1/1000 ", "10^-3", "1e−3", "10^−3")
    first, *others = (good("relu", "--eps", eps, "-f", "json") for eps in spellings)
    assert all(other == first for other in others)


def test_negative_numbers_are_not_taken_for_options(good: Callable[..., str]) -> None:
    assert json.loads(good("mult", "--eps", "1e-1", "--range", "-3,-1", "-f", "json"))["domain"][0] == ["-3", "-1"]


def test_a_symmetric_range_is_M(good: Callable[..., str]) -> None:
    assert good("square", "--eps", "1e-1", "--range", "-2,2") == good("square", "--eps", "1e-1", "--M", "2")


@pytest.mark.parametrize("form", ["text", "json", "latex"])
def test_output_to_a_file_is_the_same(good: Callable[..., str], tmp_path: Path, form: str) -> None:
    path = tmp_path / "ε.txt"
    assert good("abs", "--eps", "1e-3", "-f", form, "-o", str(path)) == ""
    assert path.read_text(encoding="utf-8") == good("abs", "--eps", "1e-3", "-f", form)


def test_colour_is_never_forced(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    for arguments in (["relu", "--eps", "1"], ["relu", "--eps", "0"], ["--help"], ["list"]):
        run(*arguments)     # the fixture looks for escape sequences


def test_verify_certifies(good: Callable[..., str]) -> None:
    text = good("relu", "--eps", "1e-3", "--verify")
    assert "certified: proved over the whole domain" in text
    assert "a lower bound of the true error" in " ".join(good("relu", "--eps", "1e-3", "--verify", "--full").split())
    found = json.loads(good("max", "--n", "3", "--eps", "1e-2", "--verify", "-f", "json"))["verification"]
    assert found["holds"] is True
    observed, certified = Fraction(found["observed"]["error"]), Fraction(found["certified"]["error"])
    assert Fraction(99, 10000) < observed <= certified <= Fraction(1, 100)      # the bound is attained


def test_verify_with_a_witness_above_eps_is_refuted(good: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    from boundcalc.verify import verification
    seen = Observation(Fraction(1), {"x": Fraction(0)}, Fraction(0), 1, 50)
    monkeypatch.setattr(verification, "search", lambda *_, **__: seen)
    monkeypatch.setattr(verification, "certify", lambda *_, **__: NotCertified("not tried"))
    assert json.loads(good("relu", "--eps", "1e-3", "--verify", "-f", "json", code=1))["verification"]["holds"] is False


# ---------------------------------------------------------------------------------------------------------------
# weights and eval

@pytest.mark.parametrize(("arguments", "point", "target"), [
    ("mult --eps 1e-3", "x=1/3,y=0.2", "1/15"),
    ("mult --eps 1e-3 --gate ffn", "x=-1,y=-7/9", "7/9"),
    ("mult --eps 1e-3 --route direct", "x=1,y=-1/2", "-1/2"),
    ("mult --eps 1e-3 --range 2,5", "x=2,y=5", "10"),
    ("square --eps 1e-4 --M 3", "x=-2.5", "6.25"),
    ("relu --eps 1e-5", "x=-1e6", "0"),
    ("abs --eps 1e-5", "x=-7", "7"),
    ("max --n 3 --eps 1e-3", "x1=1/2,x2=-1,x3=0.49", "1/2"),
    ("min --n 3 --eps 1e-3 --route tree", "x3=1/2,x2=-1,x1=0.49", "-1"),
    ("mult --eps 1e-2 --gate anchor", "x=1/3,y=0.2", "1/15"),
    ("mult --eps 1e-2 --gate anchors --n 8", "x=-1,y=7/9", "-7/9"),
    ("clip --range 0,1 --eps 1e-3 --gate anchor", "x=1/3", "1/3"),
    ("clip --range 0,1 --eps 1e-3 --gate anchors --n 12", "x=-1e9", "0"),
    ("clip --range 0,1 --eps 1e-3 --gate anchor --temperature hard --grid left", "x=17", "1"),
    ("clip --range -3,2 --eps 1e-2 --gate anchor --temperature hard --grid midpoint", "x=0.123", "0.123"),
    ("clip --range 9,10 --eps 1e-2 --gate anchors --temperature hard --sentinels", "x=1e6", "10"),
    ("clip --range 9,10 --eps 1e-2 --gate anchors --temperature hard --sentinels --n 3", "x=9.77", "9.77"),
    ("clip --range 0,2 --eps 1e-3 --w 1,-1/2,3 --t 1/3", "x1=1,x2=1,x3=1/6", "4/3"),
    ("clip --M 2 --eps 1e-3 --gate ffn --d 2", "x1=1,x2=7", "2"),
    ("hat --range 1/7,9 --eps 1e-2 --gate anchors", "x=9", "0"),
    ("hat --eps 1e-3", "x=1/4", "3/4"),
    ("recip --range 1/10,1 --eps 1e-3", "x=1/10", "10"),
    ("recip --range 1/10,1 --eps 1e-3 --gate ffn", "x=1", "1"),
    ("recip --range 9,10 --eps 1e-3 --gate anchor", "x=9.5", "2/19"),
    ("recip --range 1,3 --eps 1e-2 --gate anchors", "x=2", "1/2"),
    ("max --n 3 --eps 1e-2 --route tree --gate anchors --p 5", "x1=1/2,x2=-1,x3=0.49", "1/2"),
    ("mult --eps 1e-2 --sequence 3", "x_1=1/3,y_1=0.2,x_2=1,y_2=1,x_3=-1,y_3=1", "1/15"),
    ("mult --eps 1e-2 --sequence 2 --d 2 --gate ffn", "x1_1=1/2,y1_1=1/2,x2_1=1,y2_1=1,x1_2=0,y1_2=1,x2_2=0,y2_2=1", "1/4"),
    ("relu --eps 1e-2 --sequence 5 --codes circle", "x_1=-1,x_2=1,x_3=1,x_4=1,x_5=1", "0"),
    ("hat --eps 1e-2 --sequence 3 --gate anchor", "x_1=1/2,x_2=1e6,x_3=-1e6", "1/2"),
    ("max --n 2 --eps 1e-2 --sequence 2 --route tree", "x1_1=1/2,x2_1=0,x1_2=1,x2_2=1", "1/2"),
])
def test_weights_and_eval_round_trip(
        good: Callable[..., str], tmp_path: Path, arguments: str, point: str, target: str) -> None:
    path = tmp_path / "network.json"
    eps = Fraction(arguments.split("--eps ")[1].split()[0])
    assert good("weights", *arguments.split(), "-o", str(path)) == ""
    assert path.read_text(encoding="utf-8") == good("weights", *arguments.split())
    first, second = good("eval", str(path), "--at", point, "--digits", "40").splitlines()[:2]
    name, equals, value = first.partition(" = ")
    assert equals
    assert name.startswith("Φ")
    error = Fraction(value) - Fraction(target)
    assert abs(error) <= eps
    document = json.loads(path.read_text(encoding="utf-8"))
    second = second.replace("−", "-")
    shown = re.fullmatch(rf"  target {re.escape(document['outputs'][0])} = (\S+), error (\S+)(?: to 40 digits)?", second)
    assert shown
    assert Fraction(shown[1]) == Fraction(target)
    assert abs(Fraction(shown[2]) - error) <= abs(error) / 10**8 + Fraction(1, 10**38)
    del document["about"]               # without it the file is read as before
    path.write_text(json.dumps(document), encoding="utf-8")
    plain = good("eval", str(path), "--at", point, "--digits", "40").splitlines()
    assert plain[0] == f"{document['outputs'][0]} = {value}"
    assert len(plain) == len(document["outputs"])


def test_eval_gives_every_output(good: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    good("weights", "relu", "--gate", "ffn", "--d", "3", "-o", str(path))
    assert good("eval", str(path), "--at", "x1=1/4, x2=-2 ,x3 = 3") == """\
Φ_1(1/4, −2, 3) = 0.25
  target relu(x1) = 0.25, error 0
Φ_2(1/4, −2, 3) = 0.0
  target relu(x2) = 0, error 0
Φ_3(1/4, −2, 3) = 3.0
  target relu(x3) = 3, error 0
  it says of itself: the network is exact on its domain
"""


def test_eval_says_when_a_point_is_outside_the_domain(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    run("weights", "mult", "--eps", "1e-2", "-o", str(path))
    code, out, err = run("eval", str(path), "--at", "x=4/3,y=1/5")
    assert (code, out.startswith("Φ(4/3, 1/5) = 0.2")) == (0, True)
    assert err == ("note: x = 4/3 is outside [−1, 1]: the bound of the error holds on the domain "
                   "only.\n")
    assert run("eval", str(path), "--at", "x=1,y=-1")[2] == ""


def test_eval_where_the_target_has_no_value(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    run("weights", "recip", "--range", "1/10,1", "--eps", "1", "-o", str(path))
    code, out, err = run("eval", str(path), "--at", "x=0")
    assert code == 0
    assert out.startswith("1/x = ")
    assert "x = 0 is outside [0.1, 1]" in err


def test_large_networks_are_not_written_by_accident(refused: Callable[..., str], tmp_path: Path) -> None:
    start = time.process_time()
    path = tmp_path / "large.json"
    message = refused("weights", "mult", "--d", "1000000", "--eps", "1e-3", "-o", str(path))
    assert time.process_time() - start < 5
    assert "109000006 entries" in message
    assert "--force" in message
    assert not path.exists()


def test_a_network_beyond_any_size_is_refused_on_a_short_line(refused: Callable[..., str]) -> None:
    assert len(refused("weights", "mult", "--d", "1e1000", "--eps", "1e-3")) < 300


# ---------------------------------------------------------------------------------------------------------------
# what does not

LONG = "7" * 10_000
LIGHT = {       # arguments → what the message says
    "mult --eps 0": "--eps must be positive, but is 0",
    "mult --eps -1": "--eps must be positive, but is -1",
    "mult --eps=-1e-3": "--eps must be positive, but is -1/1000",
    "mult --eps nan": "'nan' is not an exact number",
    "mult --eps inf": "'inf' is not an exact number",
    "mult --eps -inf": "'-inf' is not an exact number",
    "mult --eps 1e-3x": "'1e-3x' is not an exact number",
    "mult --eps 0x10": "'0x10' is not an exact number",
    "mult --eps 1/0": "'1/0' divides by zero",
    "mult --eps 1/2/3": "'1/2/3' is not an exact number",
    "mult --eps ''": "'' is not an exact number",
    "mult --eps 1_000": "'1_000' is not an exact number",
    "mult --eps ١": "'١' is not an exact number",
    f"mult --eps {LONG}": "has more than 2000 characters",
    "mult --eps 9**9**9": "'9**9**9' is not an exact number",
    "mult --eps 9**999999999": "too large or too small",
    "mult --eps 1e-999999999": "too large or too small",
    "mult --eps 1 --range 1,1": "The range 1 … 1 is empty. Give --range a,b with a < b",
    "mult --eps 1 --range 2,-1": "The range 2 … -1 is empty",
    "mult --eps 1 --range 1": "takes two numbers a,b, not '1'",
    "mult --eps 1 --range 1,2,3": "takes two numbers a,b, not '1,2,3'",
    "mult --eps 1 --range ,": "'' is not an exact number",
    "mult --eps 1 --M 0": "--M must be positive",
    "max --eps 1 --n 1": "--n must be an integer of at least 2, not 1",
    "max --eps 1 --n 2.5": "--n must be an integer of at least 2, not 5/2",
    "mult --eps 1 --beta 0": "--beta must be positive",
    "mult --eps 1 --d 1.5": "--d must be an integer of at least 1, not 3/2",
    "mult --eps 1 --d 0": "--d must be an integer of at least 1, not 0",
    "mult --eps 1 --m -1": "--m must be an integer of at least 0, not -1",
    "mult --eps 1 --delta -1": "--delta must not be negative",
    "clip --eps 1 --gate anchors --H 0": "not 0. boundcalc clip --eps 1 --gate anchors --H 2",
    "max --eps 1 --n 3 --gate anchors --H 1/2": "--H must be an integer of at least 1, not 1/2",
    "clip --eps 1 --gate anchors --n 1": "--n must be an integer of at least 2, not 1",
    "clip --eps 1 --gate anchor --p 1": "--p must be an integer of at least 2, not 1",
    "clip --eps 1 --gate anchor --kappa 0": "--kappa must be positive, but is 0",
    "clip --eps 1 --gate anchor --kappa -1": "--kappa must be positive, but is -1",
    "clip --eps 1 --gate anchor --kappa inf": "'inf' is not an exact number",
    "clip --eps 1 --gate anchor --eps0 0": "--eps0 must be positive, but is 0",
    "clip --eps 1 --gate anchor --eps0 -1/2": "--eps0 must be positive, but is -1/2",
    "clip --eps 1 --t nan": "'nan' is not an exact number",
    "clip --eps 1 --w 1,x": "'x' is not an exact number",
    "clip --eps 1 --w ''": "'' is not an exact number",
    f"clip --eps 1 --w {','.join('1' * 1001)}": "numbers with commas between them, at most 1000",
    "clip --eps 1 --range 1,1": "The range 1 … 1 is empty",
    "recip --range 1/10,1 --eps 1 --N 1": "must be an integer of at least 2, not 1. boundcalc recip --range 1/10,1 --eps 1",
    "recip --range 1/10,1 --eps 1 --N 5/2": "--N must be an integer of at least 2, not 5/2",
    "recip --range 1/10,1 --eps 1 --N 1e10": "--N 10000000000 is too large",
    "mult --eps 1 --sequence 1": "--sequence must be an integer of at least 2, not 1. boundcalc mult --eps 1 --sequence 2",
    "mult --eps 1 --sequence 2.5": "--sequence must be an integer of at least 2, not 5/2",
    "mult --eps 1 --sequence x": "'x' is not an exact number",
    "mult --eps 1 --verify --digits 0": "--digits must be an integer from 1 to 10000",
    "mult --eps 1 --verify --digits 1e9": "--digits must be an integer from 1 to 10000",
    "weights mult --eps 0": "--eps must be positive",
    "mutl --eps 1e-3": "boundcalc mult --eps 1e-3",
    "sqare --eps 1e-3": "boundcalc square --eps 1e-3",
    "lst": "boundcalc list",
    "xyzzy": "All targets: boundcalc list",
    "show mutl": "boundcalc show mult",
    "weights mutl": "boundcalc weights mult",
    "mult --epz 1": "There is no option --epz. boundcalc mult --eps 1",
    "mult --eps": "--eps needs a number. boundcalc mult --eps 1e-3",
    "mult 1e-3": "boundcalc mult --eps 1e-3",
    "show": "boundcalc show mult",
    "eval nowhere.json": "cannot be read",
    "eval nowhere.json --at x": "cannot be read",
    "eval nowhere.json --at x=1,x=2": "gives x twice",
    "eval nowhere.json --at x=": "is not an exact number",
    "eval nowhere.json --at x=1 --digits 1.5": "--digits must be an integer",
    "list -f xml": "Formats are text, markdown, latex, html, json, bibtex",
}
OTHER = {
    "mult": "Give --eps, or give --m and --beta",
    "relu": "Give --eps, or give --beta",
    "mult --m 3": "Give --eps, or give --m and --beta",
    "max --eps 1e-3": "boundcalc max --eps 1e-3 --n 3",
    "mult --eps 1 --M 1 --range 0,1": "--M and --range both set the domain",
    "mult --eps 1 --gate gelu": "Its gates are silu, anchor, anchors, ffn",
    "mult --eps 1 --route scenic": "Its routes are recipe, direct",
    "mult --eps 1 -f pdf": "Formats are text, markdown, latex, html, json, bibtex",
    "show mult -f pdf": "Formats are text, markdown, latex, html, json, bibtex",
    "show mult --route recipe --gate gelu": "Its gates are silu, anchor, anchors, ffn",
    "show mult --route direct --gate silu": "--gate: route direct of mult has no ReLU to replace",
    "mult --eps 1 --n 3": "--n does not apply to mult",
    "max --eps 1 --n 3 --d 2": "--d does not apply to max",
    "max --eps 1 --n 3 --m 2": "--m does not apply to max",
    "relu --eps 1 --m 2": "--m does not apply to relu",
    "mult --eps 1 --gate ffn --beta 7": "--beta does not apply to mult, route recipe with gate ffn",
    "mult --eps 1 --route direct --m 7": "--m does not apply to mult, route direct",
    "max --n 3 --eps 1 --gate silu": "boundcalc max --n 3 --eps 1 --gate silu --route tree",
    "mult --eps 1e-3 --delta 1": "The input error alone contributes 3",
    "relu --eps 1e-3 --delta 1e-3": "Take --eps above 0.001, or a smaller --delta",
    "square --eps 1e-3 --delta 1e-3": "The input error alone contributes 0.002001",
    "mult --eps 1e-3 --m 3": "The least that works is --m 4",
    "square --eps 1e-3 --m 0": "The least that works is --m 5",
    "mult --eps 1e-3 -o /": "/",
    "mult --eps 1e-3 -o /no/such/folder/x": "Cannot write /no/such/folder/x",
    "weights relu --eps 1e-3 -o /no/such/folder/x": "Cannot write /no/such/folder/x",
    "eval /no/such/file --at x=1": "/no/such/file cannot be read",
    "eval / --at x=1": "cannot be read",
}


# of the options that say how gates are made, and of what belongs to some constructions or gates only
NEW = {
    "clip --eps 1 --gate anchor --temperature warm": "There is no temperature 'warm'. Known are tuned, hard.",
    "clip --eps 1 --gate anchor --grid right": "There is no grid 'right'. Known are linspace, left, midpoint.",
    "clip --eps 1 --gate anchor --grid left": "Add --temperature hard, or leave out --grid left.",
    "clip --eps 1 --gate anchor --temperature tuned --grid midpoint": "or leave out --grid midpoint.",
    "clip --eps 1 --gate anchor --sentinels": "--sentinels needs several heads. Use --gate anchors, or leave it out.",
    "clip --eps 1 --gate anchors --sentinels": "Add --temperature hard, or leave out --sentinels.",
    "clip --eps 1 --gate anchors --temperature hard --grid left": "Leave out --grid left, or use --gate anchor.",
    "clip --eps 1 --temperature hard": "--temperature does not apply to gate silu",
    "clip --eps 1 --gate ffn --grid left": "--grid does not apply to gate ffn",
    "clip --eps 1 --gate ffn --grid left --temperature hard": "to gate ffn: it has no anchors. Leave it out",
    "clip --eps 1 --sentinels": "--sentinels does not apply to gate silu",
    "max --n 3 --eps 1 --temperature hard": "--temperature does not apply: this route has no gates. Leave it out.",
    "mult --eps 1 --route direct --sentinels": "--sentinels does not apply: this route has no gates. Leave it out.",
    "show mult --route direct --temperature hard": "--temperature does not apply: this route has no gates. Leave it out.",
    "show mult --gate anchor --grid left": "Add --temperature hard, or leave out --grid left.",
    "show mult --temperature hard": "--temperature does not apply",
    "weights clip --eps 1 --gate anchor --grid left": "Add --temperature hard, or leave out --grid left.",
    "clip --eps 1 --gate anchor --kappa 2": "--kappa does not apply to clip, route recipe with gate anchor",
    "clip --eps 1 --gate anchor --eps0 1/2": "--eps0 does not apply to clip, route recipe with gate anchor",
    "clip --eps 1 --kappa 2": "--kappa does not apply to clip, route recipe with gate silu",
    "clip --eps 1 --gate anchor --temperature hard --kappa 1/2": "need kappa ≥ 1, not 1/2. Give --kappa 1 or more",
    "clip --eps 1 --gate anchor --temperature hard --eps0 1": "must be below 1. boundcalc clip --eps 1 --gate",
    "clip --eps 1 --gate anchor --temperature hard --eps0 1/2 --kappa 2": "both say how hard anchors select. Give one",
    "clip --eps 1e-3 --gate anchors --temperature hard --sentinels --kappa 2": "exceeds eps. Give a larger --kappa",
    "clip --eps 1e-3 --gate anchors --temperature hard --sentinels --n 2": "The least that works is --n 3.",
    "clip --gate anchors --temperature hard --sentinels --n 3 --H 1": "One anchor makes no grid. Give more heads or --n 4.",
    "clip --eps 1e-3 --gate anchors --n 12 --H 2": "2 heads are too few for eps = 1/1000. The least that works is --H 12.",
    "clip --eps 1e-3 --gate anchor --p 7": "p = 7 anchors are too few for eps = 1/1000. The least that works is --p 126.",
    "clip --eps 1 --gate anchor --H 2": "--H does not apply to clip, route recipe with gate anchor",
    "clip --eps 1 --H 2": "--H does not apply to clip, route recipe with gate silu",
    "clip --eps 1 --gate anchor --n 2": "--n does not apply to clip, route recipe with gate anchor",
    "clip --eps 1 --gate anchors --p 2": "--p does not apply to clip, route recipe with gate anchors",
    "clip --eps 1 --gate anchors --beta 2": "--beta does not apply to clip, route recipe with gate anchors",
    "clip --gate anchors": "nothing to derive --n and --H from. Give --eps, or give --n and --H.",
    "clip --gate anchors --n 3": "nothing to derive --H from. Give --eps, or give --n and --H.",
    "max --n 3 --route tree --gate anchors": "nothing to derive --p and --H from. Give --eps, or give --p and --H.",
    "clip --gate anchor --temperature hard": "nothing to derive --p from. Give --eps, or give --p.",
    "recip --eps 1": "recip needs --range: x must stay positive. boundcalc recip --eps 1 --range 1/10,1",
    "recip --range 0,1 --eps 1": "the range begins at 0. Give a --range whose left end is above 0.",
    "recip --range -1,1 --eps 1": "must stay positive, but the range begins at -1.",
    "recip --range 1,2 --delta 1 --eps 1": "The inputs with their error delta must stay positive",
    "recip --M 1 --eps 1": "--M does not apply to recip",
    "recip --range 1/10,1 --eps 1e-3 --N 48": "N = 48 is too small for eps = 1/1000. The least that works is --N 49.",
    "recip --range 1/10,1 --eps 1e-3 --N 48 --gate ffn": "The least that works is --N 49.",
    "recip --range 1/10,1 --N 5": "nothing to derive --beta from. Give --eps, or give --N and --beta.",
    "recip --range 1/10,1 --eps 1e-3 --delta 1e-4": "The input error alone contributes 0.0100101",
    "mult --eps 1 --N 3": "--N does not apply to mult",
    "clip --eps 1 --N 3": "--N does not apply to clip",
    "clip --eps 1 --m 3": "--m does not apply to clip",
    "clip --eps 1 --w 1,2 --d 3": "--w has 2 entries, but --d is 3. Give one number for each input.",
    "mult --eps 1 --w 1": "--w does not apply to mult",
    "hat --eps 1 --t 1": "--t does not apply to hat",
    "mult --eps 1 --codes onehot": "--codes belongs to a sequence. Add --sequence L, or leave it out.",
    "mult --eps 1 --sequence 3 --codes spiral": "There are no codes 'spiral'. Known are onehot, circle.",
    "mult --eps 1 --sequence 3 --route direct": "--sequence does not apply to route direct",
    "max --n 3 --eps 1 --sequence 3": "--sequence does not apply to route direct",
    "mult --m 1 --beta 1 --sequence 3": "--sequence needs --eps: the score scale follows from it. Give --eps.",
    "mult --eps 1 --sequence 3 --gate anchor --codes onehot": "--codes does not apply to gate anchor",
    "mult --eps 1 --sequence 3 --gate ffn --codes circle": "--codes does not apply to gate ffn",
    "mult --eps 1 --sequence 1000000 --codes circle": "Use --codes onehot, or a shorter --sequence.",
    "clip --eps 1 --sequence 3": "On an unbounded domain other tokens can leak any amount",
    "show clip --H 3": "--H does not apply to clip",
}


@pytest.mark.parametrize("arguments", NEW, ids=lambda text: text[:80])
def test_new_options_are_refused_with_what_is_wrong_and_what_to_do(refused: Callable[..., str], arguments: str) -> None:
    """Two sentences and exit code 2."""
    message = refused(*shlex.split(arguments))
    assert NEW[arguments] in message
    assert len(re.split(r"(?<=[.?]) (?=[A-Z`])", message.partition(" boundcalc ")[0].strip().removeprefix("error: "))) <= 2
    assert len(message) < 300


REMEDIES = [        # refused, what the refusal asks for
    ("clip --eps 1 --gate anchor --grid left", "clip --eps 1 --gate anchor --grid left --temperature hard"),
    ("clip --eps 1 --gate anchor --temperature hard --sentinels",
     "clip --eps 1 --gate anchors --temperature hard --sentinels"),
    ("clip --eps 1e-3 --gate anchors --n 12 --H 2", "clip --eps 1e-3 --gate anchors --n 12 --H 12"),
    ("clip --eps 1e-3 --gate anchor --p 7", "clip --eps 1e-3 --gate anchor --p 126"),
    ("clip --eps 1e-3 --gate anchor --p 125", "clip --eps 1e-3 --gate anchor --p 126"),
    ("clip --eps 1 --gate anchors --temperature hard --sentinels --n 2",
     "clip --eps 1 --gate anchors --temperature hard --sentinels --n 3"),
    ("clip --gate anchors --temperature hard --sentinels --n 3 --H 1",
     "clip --gate anchors --temperature hard --sentinels --n 4 --H 1"),
    ("clip --eps 1 --gate anchor --temperature hard --kappa 1/2", "clip --eps 1 --gate anchor --temperature hard --kappa 1"),
    ("recip --range 1/10,1 --eps 1e-3 --N 48", "recip --range 1/10,1 --eps 1e-3 --N 49"),
    ("recip --eps 1", "recip --eps 1 --range 1/10,1"),
    ("mult --eps 1 --codes circle", "mult --eps 1 --codes circle --sequence 3"),
    ("clip --eps 1 --sequence 3", "clip --eps 1 --sequence 3 --gate anchors"),
    ("mult --eps 1 --sequence 3 --route direct", "mult --eps 1 --sequence 3 --route recipe"),
]


@pytest.mark.parametrize(("wrong", "right"), REMEDIES, ids=lambda text: text[:80])
def test_what_a_refusal_asks_for_works(
        good: Callable[..., str], refused: Callable[..., str], wrong: str, right: str) -> None:
    refused(*wrong.split())
    good(*right.split())


@pytest.mark.parametrize("arguments", [*LIGHT, *OTHER], ids=lambda text: text[:50])
def test_wrong_input_gets_one_clear_line(refused: Callable[..., str], arguments: str) -> None:
    assert {**LIGHT, **OTHER}[arguments] in refused(*shlex.split(arguments))


def test_the_messages_stay_short_whatever_is_typed(refused: Callable[..., str]) -> None:
    path = "/no/" + "y" * 200
    for arguments in ([LONG], ["mult", f"--{LONG}"], ["mult", "--eps", LONG], ["mult", "--eps", "1", "--range", LONG],
                      ["mult", "--eps", "1", "--d", f"1/{'3' * 1500}"], ["mult", "--eps", "1", "--route", LONG],
                      ["mult", "--eps", "1", "--gate", LONG], ["mult", "--eps", "1", "-f", LONG],
                      ["show", LONG], ["list", "-f", LONG],
                      ["eval", path, "--at", "x=1"], ["eval", "x", "--at", LONG], ["eval", "x", "--at", f"x={LONG}"],
                      ["mult", "--eps", f"1/{'3' * 1500}", "--m", "1"], ["mult", "--eps", "1", "a\nb"]):
        assert len(refused(*arguments)) < 300


def test_the_message_on_a_file_that_cannot_be_written_stays_short(refused: Callable[..., str]) -> None:
    assert len(refused("relu", "--eps", "1", "-o", "/no/" + "y" * 200)) < 300


def test_control_characters_are_not_echoed(refused: Callable[..., str]) -> None:
    for text in ("a\x1b[31mb", "a\nb", "a\rb", "a\x00b"):
        assert refused("mult", "--eps", text).strip().isprintable()
        assert refused(text).strip().isprintable()


def test_an_unknown_gate_is_refused_by_show_too(refused: Callable[..., str]) -> None:
    assert "gelu" in refused("show", "mult", "--gate", "gelu")


def test_digits_without_an_evaluation_are_refused(refused: Callable[..., str]) -> None:
    """An option that does not apply is refused, never ignored."""
    assert "--digits" in refused("mult", "--eps", "1e-3", "--digits", "30")


@pytest.mark.parametrize("arguments", [
    "relu --delta 2e-3 --gate ffn", "abs --delta 1 --gate ffn", "max --n 3 --delta 1 --route tree --gate ffn",
])
def test_where_nothing_is_free_a_refused_eps_comes_with_one_that_works(
        good: Callable[..., str], refused: Callable[..., str], arguments: str) -> None:
    said = refused(*arguments.split(), "--eps", "1e-3")
    match = re.search(r"give an --eps of at least ([0-9.e-]*[0-9])\. boundcalc ", said)
    assert match
    good(*arguments.split(), "--eps", match[1])


@pytest.mark.parametrize("arguments", ["mult --eps 1e-3 --m 1e1000", "square --eps 1e-3 --m 1e100", "mult --d 1e20 --eps 1"])
def test_parameters_beyond_the_limits_are_refused_and_no_defect(refused: Callable[..., str], arguments: str) -> None:
    refused(*arguments.split())


@pytest.mark.parametrize("arguments", [
    "mult --eps 1e-3 --beta 3", "mult --eps 1e-3 --m 5 --beta 3", "mult --eps 1/7 --range -3,2 --beta 1",
    "square --eps 1e-3 --beta 3", "relu --eps 1e-3 --beta 3", "max --n 8 --eps 1e-3 --beta 3",
    "abs --eps 1e-3 --delta 1e-4 --beta 1e-9", "min --n 5 --eps 1e-3 --beta 3 --route tree",
    "mult --eps 1e-3 --beta 3 --route direct", "mult --eps 1e-3 --range 1,3 --beta 9 --route direct",
])
def test_a_refused_beta_comes_with_one_that_works(
        good: Callable[..., str], refused: Callable[..., str], arguments: str) -> None:
    words = arguments.split()
    message = refused(*words)
    pattern = r"The (least|largest) beta that works is ([0-9.e-]*[0-9])(?: \(with --m ([0-9]+)\))?\. boundcalc "
    match = re.search(pattern, message.strip())
    assert match
    place = words.index("--beta") + 1

    def at(beta: Fraction) -> list[str]:
        return [*words[:place], str(beta), *words[place + 1:]]

    beta = Fraction(match[2])
    assert ("too small" in message) == (match[1] == "least")
    doc = json.loads(good(*at(beta), "-f", "json"))
    assert Fraction(doc["error"]["total"]["upper"]) <= Fraction(doc["parameters"]["eps"])
    if match[3]:
        assert doc["parameters"]["m"] == match[3]
    refused(*at(beta * (Fraction(999, 1000) if match[1] == "least" else Fraction(1001, 1000))))


@pytest.mark.parametrize("content", ["", "[]", "{}", "nonsense", "\x00", '{"format": "boundcalc-network/2"}',
                                     '{"format": "boundcalc-network/1", "inputs": ["x"], "outputs": ["y"], "layers": []'])
def test_a_file_that_is_no_network_is_refused(refused: Callable[..., str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content, encoding="utf-8")
    refused("eval", str(path), "--at", "x=1")


def test_a_binary_file_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)))
    refused("eval", str(path), "--at", "x=1")


@pytest.mark.parametrize(("at", "says"), [
    ("x=1", "missing y"), ("x=1,y=2,z=3", "names z"), ("", "--at is missing"), ("x=1;y=2", "not an exact number"),
    ("x=1,y=nan", "not an exact number"), ("x=1,,y=1", "not of the form")])
def test_a_malformed_point_is_refused(
        good: Callable[..., str], refused: Callable[..., str], tmp_path: Path, at: str, says: str) -> None:
    path = str(tmp_path / "network.json")
    good("weights", "mult", "--gate", "ffn", "--m", "1", "-o", path)
    assert says in refused("eval", path, "--at", at)


# ---------------------------------------------------------------------------------------------------------------
# what is not the user's fault

def test_a_defect_is_reported_as_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom\n" + "x" * 500)
    monkeypatch.setattr("boundcalc.results.report.report_of", broken)
    code, out, err = run("relu", "--eps", "1")
    assert (code, out) == (4, "")
    assert "defect in boundcalc: RuntimeError: boom" in " ".join(err.split())
    assert len(err) < 350
    monkeypatch.setenv("BOUNDCALC_DEBUG", "1")
    with pytest.raises(RuntimeError):
        cli.main(["relu", "--eps", "1"])


def test_interruption_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr("boundcalc.results.report.report_of", interrupted)
    code, out, err = run("relu", "--eps", "1")
    assert (code, out, err.strip()) == (130, "", "error: Interrupted.")


# ---------------------------------------------------------------------------------------------------------------
# as a program

def program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", timeout=60, check=False,
                          env={**os.environ, **environment})


def test_help_version_and_list_import_nothing_heavy() -> None:
    commands = [["--help"], [], ["--version"], ["list", "--full"], ["list", "-f", "json"], ["show", "--help"],
                ["eval", "--help"],
                ["verify", "--help"], ["nonsense"]]
    code = f"""
import json, sys
from boundcalc.cli.main import main
for arguments in json.loads(sys.stdin.read()):
    try:
        main(arguments)
    except SystemExit:
        pass
    heavy = [name for name in {HEAVY} if name in sys.modules]
    if heavy:
        sys.exit(f"{{arguments}} imported {{heavy}}")
"""
    done = subprocess.run([sys.executable, "-c", code], input=json.dumps(commands), capture_output=True, encoding="utf-8",
                          timeout=60, check=False)
    assert done.returncode == 0, done.stderr.splitlines()[-1]
    assert done.stderr.count("\n") == 2


def test_the_module_runs_as_a_program() -> None:
    done = program("-m", "boundcalc", "max", "--n", "8", "--eps", "1e-3", "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["resources"]["beta"]["upper"] == "973.1388"
    done = program("-m", "boundcalc", "max", "--n", "1", "--eps", "1e-3")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("error: --n must be an integer of at least 2, not 1.\n"
                           "       boundcalc max --n 3 --eps 1e-3\n")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m boundcalc show mult | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("mult ")


# ---------------------------------------------------------------------------------------------------------------
# files of the right kind, options once

@pytest.mark.parametrize(("arguments", "says"), [
    ("weights mult --eps 1e-2 -o x.npz", "is JSON, and x.npz ends with .npz. Give a name that ends with .json."),
    ("weights mult --eps 1e-2 -o x.md", "ends with .json"),
    ("mult --eps 1e-2 -o x.md", "Add -f markdown, or give a name that ends with .txt"),
    ("mult --eps 1e-2 -f json -o x.TEX", "Add -f latex, or give a name that ends with .json"),
    ("mult --eps 1e-2 -o x.pdf", "Give a name that ends with .txt"),
    ("show mult -f latex -o x.html", "Add -f html, or give a name that ends with .tex"),
    ("verify relu --eps 1e-2 -f html -o x.json", "Add -f json, or give a name that ends with .html"),
    ("list -o x.bib", "Add -f bibtex"), ("schema bound -o x.md", "ends with .json"),
    ("check --claim 1<=2 -f html -o x.tex", "Add -f latex"),
    ("check --claim 1<=2 -o x.bib", "Give a name that ends with .txt"),
])
def test_a_name_that_says_something_else_is_refused(refused: Callable[..., str], tmp_path: Path, arguments: str, says: str,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refused(*arguments.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x", "x.out", "x.txt", "x.2", "x.json"])
def test_names_that_say_nothing_else_are_taken(good: Callable[..., str], tmp_path: Path, name: str) -> None:
    good("relu", "--eps", "1e-2", "-f", "json", "-o", str(tmp_path / name))
    assert json.loads((tmp_path / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("arguments", [
    "mult --eps 1 --eps 1/2", "mult --eps 1 --M 1 --d 2 --M 2", "show mult --gate silu --gate ffn", "list -f text -f json",
    "mult --eps 1 -f json --format text", "eval x.json --at x=1 --at y=2", "check --claim a --claim b",
    "plot mult --eps 1 -o a.svg -o b.svg", "weights mult --eps 1 -o a.json -o b.json"])
def test_an_option_given_twice_is_refused(refused: Callable[..., str], arguments: str) -> None:
    assert re.fullmatch(r"error: --\w+ is given twice. Give it once. boundcalc .*\n", refused(*arguments.split()))


def test_a_flag_may_be_repeated(good: Callable[..., str]) -> None:
    assert good("relu", "--eps", "1", "--proof", "--proof") == good("relu", "--eps", "1", "--proof")


# ---------------------------------------------------------------------------------------------------------------
# numbers as people write them

def test_epsilon_is_eps(good: Callable[..., str], refused: Callable[..., str]) -> None:
    assert good("relu", "--epsilon", "1e-3") == good("relu", "--eps", "1e-3")
    assert "--eps is given twice" in refused("relu", "--epsilon", "1", "--eps", "1")


@pytest.mark.parametrize("text", ["-3,-1", "[-3,-1]", "[-3, -1]", "−3,−1", "[−3, −1]"])
def test_ranges_as_people_write_them(good: Callable[..., str], text: str) -> None:
    assert json.loads(good("mult", "--eps", "1/10", "--range", text, "-f", "json"))["domain"] == [["-3", "-1"]] * 2


@pytest.mark.parametrize("text", ["[-3,-1", "-3,-1]", "[[-3,-1]]", "(-3,-1)", "[]", "2^^3,9", "2^9^9,9"])
def test_ranges_that_nobody_writes_are_refused(refused: Callable[..., str], text: str) -> None:
    refused("mult", "--eps", "1/10", "--range", text)


def test_a_construction_is_evaluated_without_a_file(good: Callable[..., str], refused: Callable[..., str],
                                                    tmp_path: Path) -> None:
    path, point = str(tmp_path / "mult.json"), ("--at", "x=1/3,y=−1/5")
    good("weights", "mult", "--eps", "1e-3", "-o", path)
    ours, theirs = good("eval", "mult", "--eps", "10^-3", *point), good("eval", path, *point)
    assert "  derived: the error is at most" in ours         # a file only says so
    assert ours.replace("derived:", "it says of itself:") == theirs
    assert "A network from a file has no parameters" in refused("eval", path, "--eps", "1", *point)
    assert "--gate does not apply to a network from a file" in refused("eval", path, "--gate", "silu", *point)
