"""Several outputs: each with its own target and error, in derivation, files, verification, documents and pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from boundcalc.cli.main import main
from boundcalc.constructions import Plan, Use, var
from boundcalc.errors import InvalidInput
from boundcalc.networks.network import AffineLayer
from boundcalc.results.bound import bound
from boundcalc.verify.verification import verify, verify_network
from tests.compositions.made import derived
from tests.selection import few

FILES = Path(__file__).parents[1] / "compositions"
PAIR, FORMS = str(FILES / "sorted_pair.py"), str(FILES / "two_forms.py")


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out or err
    return call


@pytest.mark.parametrize(("path", "more"), few([(PAIR, {"eps": "1/20"}), (PAIR, {"eps": "1/20", "d": 2, "gate": "ffn"}),
                                                (PAIR, {"eps": "1/20", "delta": "1/1000", "range": "-3,2"}),
                                                (FORMS, {"eps": "1/20"}),
                                                (FORMS, {"eps": "1/5", "d": 2, "gate": "ffn"})], 1), ids=str)
def test_the_error_is_the_largest(path: str, more: dict[str, object]) -> None:
    found = bound(path, **more)                         # type: ignore[arg-type]
    assert len(found.network.outputs) == 2 * int(str(more.get("d", 1))) == len(found.targets())
    sizes = [found.value(o.total.radius)[1] for o in found.analysis.outputs]
    assert found.total.upper == max(s for s in sizes if s is not None) <= Fraction(str(more["eps"]))
    proved = verify(found)
    assert proved.holds
    assert proved.proved is not None
    assert proved.observed.error <= proved.proved.error <= found.total.upper


def test_every_output_is_looked_at() -> None:
    """A network whose second output alone is wrong is neither certified nor unseen."""
    found = bound(PAIR, eps="1/20", gate="ffn")
    layers = list(found.network.layers)
    last = layers[-1]
    assert isinstance(last, AffineLayer)
    bias = replace(last.bias, entries=((1, Fraction(1, 10)),))
    spoiled = replace(found.network, layers=(*layers[:-1], replace(last, bias=bias)))
    seen = verify_network(spoiled, found.targets(), found.domains(), Fraction(1, 20))
    assert seen.holds is False
    assert seen.observed.error > Fraction(99, 1000)


def test_json_file_and_evaluation(run: Run, tmp_path: Path) -> None:
    from jsonschema import Draft202012Validator

    from boundcalc.schemas import schema
    for path in (PAIR, FORMS):
        shown = json.loads(run(path, "--eps", "1/20", "-f", "json")[1])
        Draft202012Validator(schema("bound")).validate(shown)
        assert [o["name"] for o in shown["outputs"]] == [["larger", "smaller"], ["first", "second"]][path == FORMS]
        assert shown["error"]["total"]["upper"] == max((o["error"]["upper"] for o in shown["outputs"]), key=Fraction)
    forms = json.loads(run("show", PAIR, "-f", "json")[1])
    Draft202012Validator(schema("bound")).validate(forms)
    assert [o["target"] for o in forms["outputs"]] == ["max(x, y)", "min(x, y)"]
    file = str(tmp_path / "n.json")
    assert run("weights", PAIR, "--eps", "1/20", "--d", "2", "-o", file)[0] == 0
    assert json.loads(Path(file).read_text(encoding="utf-8"))["outputs"] == ["max(x1, y1)", "min(x1, y1)", "max(x2, y2)",
                                                                             "min(x2, y2)"]
    assert run("verify", file, "--target", PAIR, "--eps", "1/20")[0] == 0
    assert run("verify", file, "--target", "mult", "--eps", "1/20")[0] == 2
    code, text = run("eval", PAIR, "--eps", "1/20", "--at", "x=1/2,y=-1/3")
    assert code == 0
    assert "max(x, y)" in text
    assert "min(x, y)" in text


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
@pytest.mark.parametrize("path", [PAIR, FORMS], ids=["pair", "forms"])
def test_documents_name_every_output(run: Run, path: str, form: str) -> None:
    code, text = run(path, "--eps", "1/20", "-f", form, "--proof", *(["--full"] if form == "text" else []))
    assert code == 0
    for name in ("larger", "smaller") if path == PAIR else ("first", "second"):
        assert name in text


def test_the_first_screen_says_of_which_output_it_speaks(run: Run) -> None:
    """Errors of parts have signs, which are those of one output."""
    code, text = run(FORMS, "--eps", "1/20")
    assert code == 0
    assert re.search(r"network − target of (first|second), the worst output, lies in", text)


def test_pictures(run: Run, tmp_path: Path) -> None:
    assert run("plot", PAIR, "--eps", "1/20", "-o", str(tmp_path / "p.svg"))[0] == 0


def test_parts_of_different_outputs_do_not_share_their_epsilon() -> None:
    found = bound(FORMS, eps="1/100")
    assert found.total.upper is not None
    assert found.total.upper > Fraction(8, 1000)


def test_outputs_that_do_not_fit_are_refused(run: Run, tmp_path: Path) -> None:
    text = (FILES / "sorted_pair.py").read_text(encoding="utf-8")
    for old, new, word in (('"min(x, y)"', '"min(x, 2*y)"', "does not compute"),
                           ('Output("smaller"', 'Output("larger"', "two of its outputs")):
        file = tmp_path / "pair.py"
        file.write_text(text.replace(old, new), encoding="utf-8")
        code, said = run(str(file), "--eps", "1/20")
        assert code == 2
        assert word in " ".join(said.split())
    plan = Plan((Use("p", "square", {"x": var("x")}),), {"f": var("p"), "g": var("x")})
    with pytest.raises(InvalidInput, match="outputs of the plan"):
        derived({"x": (Fraction(-1), Fraction(1))}, plan, "x**2", eps="1/10")
    with pytest.raises(InvalidInput, match="several outputs"):
        bound(PAIR, eps="1/20", sequence=4)
