"""boundcalc verify: names and files, exit codes, JSON, progress, interruption."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from boundcalc.cli import verifying
from boundcalc.networks.file import load, save
from boundcalc.networks.network import AffineLayer, AttentionLayer, Network, matrix, vector
from boundcalc.verify import verification
from tests.selection import few
from tests.verify.test_certify import heated, scaled

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def file(run: Run, tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, *arguments: str, change: Callable[[Network], Network] | None = None) -> Path:
        path = tmp_path / "network.json"
        assert run("weights", name, *arguments, "-o", str(path))[0] == 0
        if change is not None:
            save(change(load(path)), path)
        return path
    return write


def test_a_name_is_certified(run: Run) -> None:
    code, out, err = run("verify", "mult", "--eps", "1e-2")
    assert (code, err) == (0, "")
    assert "observed" in out
    chain = next(part for part in out.split("\n\n") if "≤" in part and "observed" in part)
    assert [w for w in ("observed", "certified", "derived", "ε") if w in chain] == ["observed", "certified", "derived", "ε"]
    assert chain.count("≤") == 3
    assert "worst point      x = " in out
    assert "boxes" in out
    assert "certified/observed 1.0" in out
    assert "certified/derived 0." in out


def test_json_of_a_name_is_that_of_the_bound(run: Run) -> None:
    code, out, _ = run("verify", "max", "--n", "4", "--eps", "1e-3", "-f", "json")
    doc = json.loads(out)
    assert code == 0
    assert doc["schema"] == "boundcalc-bound/1"
    found = doc["verification"]
    assert found["holds"] is True
    assert found["digits"] == 50
    assert set(found["observed"]["at"]) == {"x1", "x2", "x3", "x4"}
    error = Fraction(found["certified"]["error"])
    assert Fraction(found["observed"]["error"]) <= error <= Fraction(doc["error"]["total"]["upper"]) <= Fraction(1, 1000)


@pytest.mark.parametrize("arguments", few([
    ("relu", "--eps", "1e-3"), ("max", "--n", "3", "--eps", "1e-2"), ("clip", "--eps", "1e-2", "--range", "0,3"),
    ("recip", "--eps", "1e-1", "--range", "1/2,1"), ("square", "--eps", "1e-2", "--d", "2"),
    ("mult", "--eps", "1e-2", "--M", "2")], 5))
def test_a_file_is_certified_without_knowing_how_it_was_made(run: Run, file: Callable[..., Path],
                                                             arguments: tuple[str, ...]) -> None:
    path = file(*arguments)
    given = [x for pair in zip(arguments[1::2], arguments[2::2], strict=True) if pair[0] not in ("--n", "--d") for x in pair]
    code, out, err = run("verify", str(path), "--target", arguments[0], *given)
    assert (code, err) == (0, "")
    assert "certified: proved over the whole domain" in out
    code, out, _ = run("verify", str(path), "--target", arguments[0], *given, "-f", "json")
    doc = json.loads(out)
    assert code == 0
    assert doc["verification"]["holds"] is True
    assert doc["error"] is None
    assert Fraction(doc["resources"]["heads"]["exact"]) == sum(
        len(layer.heads) for layer in load(path).layers if isinstance(layer, AttentionLayer))


@pytest.mark.dear
def test_a_wrong_file_fails_with_a_witness_and_a_signature(run: Run, file: Callable[..., Path]) -> None:
    path = file("relu", "--eps", "1e-3", change=lambda n: heated(n, Fraction(1, 4)))
    code, out, _ = run("verify", str(path), "--target", "relu", "--eps", "1e-3")
    assert code == 1
    assert "fails: at the witness" in out
    assert "diffuse weights" in out
    path = file("mult", "--eps", "1e-3", change=lambda n: scaled(n, Fraction(101, 100)))
    code, out, _ = run("verify", str(path), "--target", "mult", "--eps", "1e-3", "-f", "json")
    found = json.loads(out)["verification"]
    assert code == 1
    assert found["holds"] is False
    assert Fraction(found["observed"]["error"]) > Fraction(1, 1000)


def test_neither_certified_nor_failed(run: Run, file: Callable[..., Path]) -> None:
    path = file("max", "--n", "3", "--eps", "1e-2", change=_unlike)
    code, out, _ = run("verify", str(path), "--target", "max", "--eps", "1")
    assert code == 3
    assert "not certified: no method applies" in out


def _unlike(network: Network) -> Network:
    """Three arguments and a token more: no known form, and too many inputs for boxes."""
    first, layer = network.layers
    assert isinstance(first, AffineLayer)
    assert isinstance(layer, AttentionLayer)
    wider = AffineLayer(matrix(8, 3, first.weight.entries), vector(8, first.bias.entries))
    return Network(network.inputs, network.outputs, (wider, AttentionLayer(2, 4, layer.query, None, layer.heads)))


def test_any_small_network_has_a_generic_certificate(run: Run, tmp_path: Path) -> None:
    """Three tokens, unequal values: none of the known forms."""
    from boundcalc.networks.network import Head
    first = AffineLayer(matrix(6, 1, [(0, 0, 1), (2, 0, Fraction(1, 2))]), vector(6, [(1, 1), (3, 2), (5, Fraction(1, 3))]))
    head = Head(matrix(1, 2, [(0, 1, 1)]), matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 0, 1), (0, 1, Fraction(1, 7))]),
                Fraction(2))
    path = tmp_path / "own.json"
    save(Network(("x",), ("y",), (first, AttentionLayer(2, 3, (0,), None, (head,)))), path)
    code, out, _ = run("verify", str(path), "--target", "relu", "--M", "1", "--eps", "1")
    assert code == 0
    assert "branch and bound over boxes" in " ".join(out.split())
    found = json.loads(run("verify", str(path), "--target", "relu", "--M", "1", "-f", "json")[1])["verification"]
    assert found["holds"] is True, "without an ε a finite certificate is all that was asked for"
    assert Fraction(found["certified"]["error"]) <= Fraction(11, 10) * Fraction(found["observed"]["error"])


@pytest.mark.parametrize(("arguments", "says"), [
    (("verify", "mul"), "mult"),
    (("verify", "missing.json"), "missing.json cannot be read"),
    (("verify", "missing.json", "--target", "mult"), "missing.json"),
    (("verify", "missing.json", "--target", "mul"), "mult"),
])
def test_wrong_requests_are_refused(run: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize(("extra", "says"), [
    (("--target", "mult", "--beta", "3"), "--beta does not apply"), (("--target", "mult", "--m", "3"), "--m does not apply"),
    (("--target", "relu",), "2 and 1"), (("--target", "mult", "--M", "1", "--range", "0,1"), "both set the domain"),
    (("--target", "mult", "-f", "latex"), "no format"), (("--target", "mult", "--gate", "silu"), "--gate does not apply"),
])
def test_what_does_not_apply_to_a_file_is_refused(run: Run, file: Callable[..., Path], extra: tuple[str, ...],
                                                  says: str) -> None:
    path = file("mult", "--eps", "1e-1")
    code, _, err = run("verify", str(path), *extra)
    assert code == 2
    assert says in err


def test_an_interrupted_proof_shows_what_was_established(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(verification, "certify", interrupted)
    code, out, err = run("verify", "mult", "--eps", "1e-3")
    assert code == 130
    assert re.search(r"^  observed [0-9.e-]+↓", out, re.MULTILINE)     # of the one point that takes no time
    assert "not certified: interrupted" in out
    assert "note: interrupted while proving" in err
    assert "Traceback" not in err


def test_progress_is_for_terminals_and_long_work(monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def tell() -> str:
        with verifying.telling("mult") as say:
            say("proving", 10)
            now[0] += 3
            say("proving", 12)
        return capsys.readouterr().err

    assert tell() == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = tell()
    assert "proving" in shown
    assert "12 boxes" in shown
    assert "10 boxes" not in shown
    assert shown.endswith("\r\033[K")


# ---------------------------------------------------------------------------------------------------------------
# files that say what they are

@pytest.mark.parametrize("arguments", few([
    "relu --eps 1e-3", "max --n 3 --eps 1e-2", "clip --eps 1e-2 --range 0,3 --w 1,-1/2 --t 1/3",
    "recip --eps 1e-1 --range 1/2,1", "square --eps 1e-2 --d 2 --range -1,3", "hat --range 0,2 --eps 1e-2 --gate anchor",
    "relu --gate anchor --eps 1e-2", "abs --eps 1e-2 --sequence 2 --gate ffn", "mult --eps 1/2 --delta 1e-3",
    "min --n 2 --eps 1e-2 --gate ffn --route tree --sequence 2", "mult --eps 1e-2 --M 2",
    "mult --eps 1e-2 --delta 1e-3"], 9))
def test_a_file_that_says_what_it_is_needs_no_more(run: Run, file: Callable[..., Path], arguments: str) -> None:
    path = file(*arguments.split())
    code, out, err = run("verify", str(path))
    assert (code, err) == (0, "")
    assert "own words" in out
    code, out, _ = run("verify", str(path), "-f", "json")
    doc = json.loads(out)
    assert code == 0
    assert doc["own_words"] is True
    assert doc["construction"] == arguments.split()[0]
    assert doc["domain"] == json.loads(path.read_text(encoding="utf-8"))["about"]["domain"]


def test_the_screen_of_a_file(run: Run, file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same screen as that of a name, with what was counted at its end."""
    monkeypatch.setenv("COLUMNS", "80")
    path = str(file("mult", "--eps", "1e-2"))
    code, out, _ = run("verify", path)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "mult   (x, y) ↦ x·y on [−1, 1]² within ε = 0.01" + "certified".rjust(80 - 47)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    assert "─" not in out
    counted = lines[lines.index("counted in the file") + 1:]
    assert [line.split()[:-1] for line in counted][:3] == [["layers"], ["heads"], ["heads", "in", "a", "layer"]]
    assert run("verify", path, "-q")[1] == lines[0] + "\n"


def test_what_is_given_goes_before_what_the_file_says(run: Run, file: Callable[..., Path]) -> None:
    path = file("square", "--eps", "1e-2")
    assert run("verify", str(path), "--eps", "1e-4")[0] == 1
    code, out, _ = run("verify", str(path), "--M", "1/2", "-f", "json")
    assert (code, json.loads(out)["domain"][0]) == (0, ["-1/2", "1/2"])
    assert run("verify", str(path), "--target", "square", "--eps", "1e-2")[1].count("own words") == 0


def test_a_file_that_boasts_is_caught(run: Run, file: Callable[..., Path]) -> None:
    """What a file says is what is checked, never what is believed."""
    path = file("square", "--eps", "1e-2")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["about"]["parameters"]["eps"] = document["about"]["error"] = "1/100000"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert run("verify", str(path))[0] == 1


@pytest.mark.parametrize(("change", "says"), [
    ({"domain": [["-1/2", "1/2"], ["-1/2", "1/2"]]}, "contradicts itself"),
    ({"parameters": {"M": "1", "eps": "1", "delta": "-1/2"}}, "--delta must not be negative"),
    ({"parameters": {"M": "-1", "eps": "1"}}, "--M must be positive"),
    ({"parameters": {"a": "1", "b": "0", "eps": "1"}}, "is empty"),
    ({"parameters": {"M": "1", "L": "7"}}, "contradicts itself"),
    ({"parameters": {"M": "1", "L": "1/2"}}, "contradicts itself"), ({"construction": "mutl", "target": []}, "mutl"),
    ({"construction": "relu"}, "2 and 1"),
    ({"construction": None, "target": []}, "does not say what its network is to compute"),
    ({"construction": None, "domain": []}, "--range is missing"),
    ({"domain": [["-1", "1"]]}, "1 intervals for"), ({"domain": [["1", "-1"]] * 2}, "empty"),
    ({"domain": "all"}, "not a list"),
    ({"parameters": {"M": 0.5}}, "inexact"), ({"parameters": []}, "not an object"), ({"colour": "red"}, "unknown key"),
    ({"command": "a\nb"}, "printable"), ({"target": ["x", "y"]}, "2 targets")])
def test_what_a_file_says_is_read_with_suspicion(run: Run, file: Callable[..., Path], change: dict[str, Any],
                                                 says: str) -> None:
    path = file("mult", "--eps", "1e-1")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["about"] |= change
    path.write_text(json.dumps(document), encoding="utf-8")
    code, out, err = run("verify", str(path))
    assert (code, out) == (2, "")
    assert says in err


def test_a_file_without_words_needs_a_target(run: Run, file: Callable[..., Path]) -> None:
    path = file("mult", "--eps", "1e-1", change=lambda n: Network(n.inputs, n.outputs, n.layers))
    assert "about" not in json.loads(path.read_text(encoding="utf-8"))
    code, _, err = run("verify", str(path))
    assert code == 2
    assert "Add --target NAME" in err
    assert run("verify", str(path), "--target", "mult", "--eps", "1e-1")[0] == 0


def test_a_reciprocal_up_to_zero_is_refused(run: Run, file: Callable[..., Path]) -> None:
    path = file("recip", "--range", "1/10,1", "--eps", "1")
    for extra in (("--range", "0,1"), ("--range", "1/10,1", "--delta", "1/10")):
        code, _, err = run("verify", str(path), "--target", "recip", *extra)
        assert (code, "positive" in err) == (2, True)


def test_the_command_of_a_file_writes_it_again(run: Run, file: Callable[..., Path]) -> None:
    import shlex
    path = file("max", "--n", "3", "--eps", "1/7", "--route", "tree", "--gate", "anchors")
    text = path.read_text(encoding="utf-8")
    before = json.loads(text)
    words = shlex.split(before["about"].pop("command"))
    again = json.loads(run(*words[1:])[1])
    assert sorted(shlex.split(again["about"].pop("command"))) == sorted(words)
    assert again == before


@pytest.mark.parametrize("arguments", [("verify", "relu", "--eps", "1e-2"), ("relu", "--eps", "1e-2", "--verify")])
def test_a_verification_has_a_minute_unless_it_is_given_more(run: Run, monkeypatch: pytest.MonkeyPatch,
                                                             arguments: tuple[str, ...]) -> None:
    from boundcalc.verify import patience
    limits: list[float | None] = []
    whole = verification.certify

    def watched(*given: Any, **more: Any) -> Any:
        limits.append(patience.left())
        return whole(*given, **more)

    monkeypatch.setattr(verification, "certify", watched)
    for extra in ((), ("--timeout", "500"), ("--timeout", "0")):
        assert run(*arguments, *extra)[0] == 0
    first, second, third = limits
    assert first is not None
    assert second is not None
    assert 20 < first <= 60 < second <= 500
    assert third is None


def test_a_verification_that_is_not_finished_ends_with_3(run: Run, file: Callable[..., Path]) -> None:
    arguments = ("mult", "--eps", "1e-2", "--gate", "anchors", "--n", "4", "--m", "4")
    code, out, err = run("verify", *arguments, "--timeout", "1/100")
    assert (code, err) == (3, "")
    assert "not certified: not finished within 0.01 s of CPU time" in out
    assert run("verify", str(file(*arguments)), "--timeout", "0.01")[0] == 3
    for wrong in (("--timeout", "-1"), ("--timeout", "soon"), ("--timeout", "1e9")):
        assert run("verify", *arguments, *wrong)[0] == 2
    assert "applies to --verify only" in run(*arguments, "--timeout", "5")[2]
