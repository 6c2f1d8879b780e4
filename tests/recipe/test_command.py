"""`network FILE` wherever a name may stand: derive, show, verify, weights, plot, check; and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from boundcalc.cli.main import DONE, REFUTED, UNDECIDED, WRONG, main, with_networks
from boundcalc.networks.file import load
from boundcalc.schemas import schema

from .made import random_arrays, save_npz, trained_arrays

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program in a folder with some networks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("boundcalc.declarations.registry._GIVEN", {})
    save_npz(tmp_path / "two.npz", random_arrays(2, 4, 4, 2, seed=1))
    save_npz(tmp_path / "one.npz", random_arrays(1, 8, 1))
    save_npz(tmp_path / "eight.npz", random_arrays(8, 64, 64, 1))
    save_npz(tmp_path / "trained.npz", trained_arrays(150))

    def typed(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(words)
        out, err = capsys.readouterr()
        return int(str(end.value.code)), out, err
    return typed


BOX = ("--range", "-50,50", "--eps", "1e-3")


def test_the_screen_shows_the_overhead(run: Run) -> None:
    code, out, _ = run("network", "eight.npz", *BOX)
    assert code == DONE
    assert "the ReLU network 8–64–64–1 on [−50, 50]^8 within ε" in " ".join(out.split())
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "units, heads 128 128 1" in lines
    assert "entries 4,801 5,187 1.08" in lines
    assert any(line.startswith("layer 2 ") for line in lines)
    assert max(map(len, out.splitlines())) <= 80
    assert len(out.splitlines()) <= 40


def test_json_has_the_relu_network_beside(run: Run) -> None:
    code, out, _ = run("network", "eight.npz", *BOX, "-f", "json")
    assert code == DONE
    found = json.loads(out)
    Draft202012Validator(schema("bound")).validate(found)
    assert found["construction"] == "network"
    assert found["overhead"]["relu"] == {"layers": "2", "width": "64", "units": "128", "parameters": "4801"}
    assert found["resources"]["parameters"]["exact"] == "5187"
    assert [t["name"] for t in found["error"]["terms"]] == ["layer1", "layer2"]
    assert float(found["error"]["total"]["upper"]) < float(found["error"]["naive_total"]["upper"])


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "bibtex"])
def test_every_format(run: Run, form: str) -> None:
    proof = [] if form == "bibtex" else ["--proof"]
    code, out, _ = run("network", "two.npz", "--range", "-1,1", "--eps", "1e-3", "-f", form, *proof)
    assert code == DONE
    assert "2604.24878" in out or form == "text"
    if proof:
        assert "R13" in out


def test_verify_weights_and_the_file(run: Run) -> None:
    code, out, _ = run("verify", "network", "trained.npz", "--range", "-1,1", "--eps", "1e-3")
    assert code == DONE
    assert "certified: proved over the whole domain" in " ".join(out.split())
    code, _, _ = run("weights", "network", "trained.npz", "--range", "-1,1", "--eps", "1e-3", "-o", "a.json")
    assert code == DONE
    assert load("a.json").heads == 24
    command = load("a.json").about.command.split()          # type: ignore[union-attr]
    assert command[:4] == ["boundcalc", "weights", "network", "trained.npz"]
    code, again, _ = run(*command[1:])
    assert code == DONE
    assert again == Path("a.json").read_text(encoding="utf-8")
    code, out, _ = run("verify", "a.json", "--target", "network", "trained.npz", "--range", "-1,1", "--eps", "1e-3")
    assert code == DONE
    code, _, err = run("verify", "a.json")
    assert code == WRONG
    assert "Which network is meant was not said." in err


def test_show(run: Run) -> None:
    code, out, _ = run("show", "network", "--proof")
    assert code == DONE
    assert "P + 3·Σ w_l + L" in out
    assert "∎" in out
    code, out, _ = run("show", "network", "two.npz", "--range", "-1,1")
    assert code == DONE
    assert "β for ε" in out
    code, _, err = run("show", "network", "two.npz")
    assert code == WRONG
    assert "--range -1,1" in err


def test_a_picture(run: Run) -> None:
    code, _, _ = run("plot", "network", "one.npz", "--range", "-1,1", "--eps", "1e-2", "-o", "p.svg", "--points", "21")
    assert code == DONE
    assert Path("p.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize(("claim", "code"), [
    ("network[gate=silu].heads <= 128", DONE), ("network[gate=silu].heads <= 127", REFUTED),
    ("network[gate=silu].heads == network[gate=ffn].neurons", DONE), ("network[gate=silu].parameters <= 5187", DONE),
    ("network[gate=silu].tokens == 2", DONE), ("network[gate=silu].layers == network[gate=ffn].relu_layers", DONE),
    ("network[gate=silu].parameters <= 2*network[gate=ffn].parameters", DONE),
    ("network[gate=silu].heads <= 4*network[gate=ffn].neurons", DONE), ("network.heads <= 128", DONE),
    ("network[gate=silu].error <= 1/10**6", UNDECIDED)])
def test_claims(run: Run, claim: str, code: int) -> None:
    """Those of the referee's questions on overhead: heads per ReLU, extra layers, linear scaling."""
    found, out, _ = run("check", claim, "--use-network", "eight.npz", "--range", "-50,50")
    assert found == code
    if code == REFUTED:
        assert "--use-network eight.npz --range -50,50" in out


def test_against_a_target(run: Run) -> None:
    code, out, _ = run("network", "trained.npz", "--range", "-1,1", "--eps", "1e-3", "--target", "x1*x2",
                       "--accuracy", "1/5", "-f", "json")
    assert code == DONE
    found = json.loads(out)
    Draft202012Validator(schema("bound")).validate(found)
    assert found["against"]["how"] == "given"
    assert float(found["against"]["total"]) == pytest.approx(0.2 + float(found["error"]["total"]["upper"]))
    code, out, _ = run("network", "one.npz", "--range", "-1,1", "--eps", "1e-3", "--target", "x1", "-f", "json")
    assert code == DONE
    assert json.loads(out)["against"]["how"] != "given"


def test_a_beta_for_every_layer(run: Run) -> None:
    found = []
    for more in ([], ["--beta-per-layer"]):
        code, out, _ = run("network", "eight.npz", *BOX, "-f", "json", *more)
        assert code == DONE
        found.append(json.loads(out)["resources"])
    one, each = ({k: float(r[k]["upper"]) for k in ("beta", "logit")} for r in found)
    assert each["logit"] < one["logit"]
    assert each["beta"] > one["beta"]
    code, _, _ = run("weights", "network", "eight.npz", *BOX, "--beta-per-layer", "-o", "b.json")
    assert code == DONE
    assert len({h.beta for layer in load("b.json").attention() for h in layer.heads}) == 2
    assert "--beta-per-layer" in str(load("b.json").about)


@pytest.mark.parametrize(("words", "said"), [
    (("network",), "Which network is meant was not said"),
    (("network", "two.npz", "--eps", "1e-3"), "needs --range"),
    (("network", "none.npz", "--eps", "1e-3", "--range", "-1,1"), "cannot be read"),
    (("network", "two.txt", "--eps", "1e-3"), "has no ending of a network file"),
    (("network", "two.npz", "--eps", "1e-3", "--range", "z=0,1"), "has no input 'z'"),
    (("network", "two.npz", *BOX, "--sequence", "4"), "--sequence does not apply to a network from a file"),
    (("network", "two.npz", *BOX, "--relative"), "--relative does not apply to a network from a file"),
    (("network", "two.npz", *BOX, "--gate", "gelu"), "There is no gate 'gelu'"),
    (("network", "two.npz", *BOX, "--beta-per-layer", "--gate", "anchor"), "--beta-per-layer is for"),
    (("network", "two.npz", *BOX, "--accuracy", "1"), "--accuracy is that of the ReLU network"),
    (("network", "eight.npz", *BOX, "--target", "x1"), "With 8 inputs the accuracy of the ReLU network is not certified"),
    (("network", "one.npz", *BOX, "--target", "q"), "q is neither an input nor a parameter"),
    (("mult", "--eps", "1e-3", "--beta-per-layer"), "--beta-per-layer does not apply to mult"),
    (("check", "1 <= 2", "--range", "0,1"), "--range belongs to --use-network"),
    (("check", "network[gate=silu].heads <= 1", "--use-network", "two.npz"), "needs --range"),
    (("show", "network", "-f", "json"), "There is no format 'json' for a proposition"),
    (("show", "network", "--gate", "ffn"), "The proposition compares attention gates")])
def test_mistakes(run: Run, words: tuple[str, ...], said: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (WRONG, "")
    assert said in " ".join(err.split())
    assert "Traceback" not in err


def test_where_the_word_and_the_file_are_one_name() -> None:
    for words, found in (
            (("network", "f.npz", "--eps", "1"), ["network f.npz", "--eps", "1"]),
            (("verify", "network", "f.npz"), ["verify", "network f.npz"]),
            (("verify", "a.json", "--target", "network", "f.npz"), ["verify", "a.json", "--target", "network f.npz"]),
            (("show", "network", "--proof"), ["show", "network", "--proof"]),
            (("explain", "network", "x"), ["explain", "network", "x"]), ((), [])):
        assert with_networks(words) == found
