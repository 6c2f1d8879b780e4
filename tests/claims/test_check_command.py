"""boundcalc check on the command line: output, exit codes, problems."""

from __future__ import annotations

import io
import json
import shlex
from hashlib import sha256
from pathlib import Path

import pytest

import boundcalc
from boundcalc.claims import check as checking
from boundcalc.claims.model import Claim, Finding
from boundcalc.cli.main import DEFECT, DONE, REFUTED, UNDECIDED, WRONG, main
from boundcalc.declarations import registry
from boundcalc.export.findings import cut

from .. import selection

FILE = """
[source]
id = "arXiv:1"

[[claim]]
id = "true"
states = "a direct head"
standing = "paraphrased"
claim = "max[route=direct].heads <= 3"

[[claim]]
id = "conditional"
claim = "softmax.lipschitz(inf, inf) <= 1"
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["check", *arguments])
    captured = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, captured.out, captured.err


@pytest.mark.parametrize(
    ("claim", "code", "verdict"),
    [
        ("max[route=direct].heads <= 3", DONE, "PROVED"),
        ("max[route=tree, gate=silu].heads <= n - 2", REFUTED, "REFUTED"),
        ("softmax.lipschitz(inf, inf) <= 1", UNDECIDED, "CONDITIONAL"),
        ("exists K: tanh(x) <= K", DONE, "PROVED"),
        ("exists K: mult.error <= 3*delta + K", UNDECIDED, "VACUOUS"),
        *([("max.beta <= 1/eps", UNDECIDED, "UNDECIDED")] if selection.whole() else []),     # all its steps take 16 seconds
        ("max[route=tree, gate=silu].heads <= 2*log(n)", UNDECIDED, "CONDITIONAL"),
    ],
)
def test_verdicts_and_exit_codes(capsys: pytest.CaptureFixture[str], claim: str, code: int, verdict: str) -> None:
    found, out, err = run(capsys, "--claim", claim)
    assert found == code
    assert out.startswith(f"claim-1: {verdict}\n")
    assert "reproduce" in out
    assert err == ""


def test_what_is_printed_for_a_condition(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--claim", "softmax.lipschitz(inf, inf) <= 1", "--for", "beta > 0, n >= 2")
    for part in (
        "holds      exactly when beta <= 2",
        "derived    softmax.lipschitz(inf, inf) = beta/2",
        "witness    beta = ",
        "argument   By lemma S1, softmax.lipschitz(inf, inf) = β/2. If β ≤ 2: ",
    ):
        assert part in out, part


def test_the_printed_command_gives_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--claim", "x**2 <= 4", "--for", "x >= 0")
    again = next(line for line in out.splitlines() if line.strip().startswith("reproduce"))
    words = shlex.split(again.split("reproduce", 1)[1])
    assert words[:2] == ["boundcalc", "check"]
    assert run(capsys, *words[2:])[1] == out


@pytest.mark.dear
def test_needed_quantities_are_not_refuted_by_our_constructions(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--claim", "mult.beta <= eps", "--for", "0 < eps <= 1/100", "--timeout", "3")
    assert code == UNDECIDED
    assert out.startswith("claim-1: UNDECIDED\n")


def test_a_claim_needs_no_option(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(capsys, "x**2 >= 0")[0] == DONE
    monkeypatch.setattr("sys.stdin", io.StringIO("x**2 >= 0\n"))
    assert run(capsys, "-")[0] == DONE


def test_notation_of_people_is_read_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "2x² ≤ x + 1", "--for", "x ∈ [0, 1]")
    assert code == DONE
    assert "read as    2*x**2 <= x + 1" in out
    assert run(capsys, "0 ≤ x·(1 − x) ≤ ½", "--for", "0 <= x <= 1")[0] == DONE
    assert run(capsys, "0 <= x*(1 - x) <= 1/5", "--for", "0 <= x <= 1")[0] == REFUTED


def test_an_expected_verdict_counts_as_done(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    for expect, code in (("refuted", DONE), ("proved", REFUTED), ("undecided", REFUTED)):
        path.write_text(f'[[claim]]\nclaim = "x**2 <= 4"\nfor = "x >= 3"\nexpect = "{expect}"\n', encoding="utf-8")
        found, out, _ = run(capsys, str(path))
        assert found == code
        assert ("expected" in out) == (code == REFUTED)
    path.write_text('[[claim]]\nclaim = "x <= 4"\nexpect = "false"\n', encoding="utf-8")
    assert run(capsys, str(path))[0] == WRONG


def test_a_proof_object_is_checked_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "F.json"
    assert run(capsys, "exp(x) >= 1 + x", "--proof-object", str(path))[0] == DONE
    with pytest.raises(SystemExit) as end:
        main(["recheck", str(path)])
    assert end.value.code == DONE
    assert capsys.readouterr().out.startswith("PROVED: exp(x) >= 1 + x\n")
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, "claim": "exp(x) >= 1 + 2*x"}), encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["recheck", str(path)])
    assert end.value.code == WRONG
    assert "rejected" in capsys.readouterr().err


def test_one_claim_of_a_file_and_one_paper(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(FILE, encoding="utf-8")
    code, out, _ = run(capsys, str(path), "--id", "true")
    assert code == DONE
    assert out.endswith("1 claim: 1 proved\n")
    assert run(capsys, str(path), "--id", "none")[0] == WRONG
    assert "one-lipschitz" in run(capsys, "--papers", "softmax-lipschitz", "-f", "json")[1]


def test_several_jobs_give_the_same_findings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(FILE, encoding="utf-8")
    assert run(capsys, str(path), "-f", "json", "--jobs", "2") == run(capsys, str(path), "-f", "json")


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(FILE, encoding="utf-8")
    code, out, _ = run(capsys, str(path), "-f", "json")
    assert code == UNDECIDED
    data = json.loads(out)
    assert data["schema"] == "boundcalc-findings/2"
    keys = {
        "id",
        "claim",
        "for",
        "states",
        "where",
        "source",
        "verdict",
        "assumed",
        "derived",
        "ratio",
        "condition",
        "holds",
        "witness",
        "argument",
        "axioms",
        "reason",
        "reproduce",
    }
    assert [set(f) for f in data["findings"]] == [keys, keys]
    assert [f["verdict"] for f in data["findings"]] == ["proved", "conditional"]
    assert data["findings"][0]["witness"] is None
    assert data["findings"][0]["assumed"] == ["n >= 1", "n >= 2"]
    assert [a["network"] for a in data["findings"][0]["axioms"]] == ["max"]
    assert data["findings"][1]["condition"] == "beta <= 2"
    assert set(data["findings"][1]["witness"]["parameters"]) == {"beta"}


def test_markdown_and_output_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, target = tmp_path / "claims.toml", tmp_path / "out.md"
    path.write_text(FILE, encoding="utf-8")
    code, out, _ = run(capsys, str(path), "-f", "markdown", "-o", str(target))
    assert code == UNDECIDED
    assert out == ""
    text = target.read_text(encoding="utf-8")
    assert text.startswith("# Referee’s report: arXiv:1\n")
    row = next(x for x in text.splitlines() if x.startswith("| **conditional** | ") and "softmax" in x)
    assert row.endswith("| exactly when $`\\beta \\le 2`$ |")


def test_latex_is_a_fragment_or_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for more, whole in (((), False), (("--standalone",), True)):
        code, out, err = run(capsys, "--claim", "max[route=direct].heads <= 3", "-f", "latex", *more)
        assert (code, err) == (DONE, "")
        assert (r"\begin{document}" in out) == whole
        assert "max[route=direct].heads" in out.replace("\\allowbreak{}", "").replace("{", "").replace("}", "")


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        ("0.608357398350785946319360231553", "0.6083573983…"),
        ("2.70805020110221006599600457014e-30", "2.7080502011…e-30"),
        ("123456789012345678.123456", "123456789012345678.1…"),
        ("123456789/1234567890", "123456789/1234567890"),
        ("0.25", "0.25"),
    ],
)
def test_numbers_that_are_cut_keep_their_size(x: str, shown: str) -> None:
    assert cut(x) == shown


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "Give files, a claim, or --papers."),
        (("--claim", "x <= 1", "--papers"), "Give files or a claim, or --claim"),
        (("--for", "x > 0", "--papers"), "--for belongs to one claim"),
        (("--claim", "x <= 1", "-f", "docx"), "no format 'docx'"),
        (("--claim", "x <= 1", "-f", "markdown", "--standalone"), "--standalone belongs to -f latex"),
        (("missing.toml",), "Cannot read missing.toml"),
        (("--claim", "x <= "), "claim, column 6: "),
        (("--claim", "x <= 1", "--for", "x"), "for, column 2: "),
        (("--claim", "maks.heads <= 1"), "Did you mean max?"),
        (("--claim", "max.heeds <= 1"), "max has no quantity 'heeds'"),
        (("--claim", "max[route=star].heads <= 1"), "max has no route 'star'"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], part: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == WRONG
    assert out == ""
    assert part in err


def test_all_problems_of_a_file_are_reported_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    tables = ['claim = "x <= "\n', 'claim = "max.heds <= 1"\n', 'claim = "x <= 1"\nfor = "x"\n']
    path.write_text("\n".join("[[claim]]\n" + table for table in tables), encoding="utf-8")
    code, out, err = run(capsys, str(path))
    assert code == WRONG
    assert out == ""
    for part in ("There are 3 problems", "line 2: claim-1", "line 5: claim-2", "line 8: claim-3"):
        assert part in err, part


HINGE = Path(__file__).parent.parent.parent / "docs" / "examples" / "hinge.py"


@pytest.fixture
def nothing_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_USED", {})


@pytest.mark.usefixtures("nothing_used")
def test_a_file_makes_its_construction_known(capsys: pytest.CaptureFixture[str]) -> None:
    claim = "hinge[route=recipe, gate=silu].heads <= 1"
    code, _, err = run(capsys, "--claim", claim)
    assert code == WRONG
    assert "hinge" in err
    sha = sha256(HINGE.read_bytes()).hexdigest()
    code, out, _ = run(capsys, "--claim", claim, "--use", str(HINGE), "-f", "json")
    found = json.loads(out)
    assert code == DONE
    assert found["uses"] == [{"path": str(HINGE), "sha256": sha}]
    assert found["findings"][0]["verdict"] == "proved"
    assert found["findings"][0]["reproduce"].endswith(f"--use {shlex.quote(str(HINGE))}")
    code, out, _ = run(capsys, "--claim", "hinge[route=recipe, gate=silu].heads >= 2", "--use", str(HINGE))
    assert code == REFUTED
    assert f"{HINGE}, sha256 {sha}" in out


@pytest.mark.usefixtures("nothing_used")
def test_a_claim_that_does_not_speak_of_the_file_does_not_name_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--claim", "x**2 >= 0", "--use", str(HINGE), "-f", "json")
    assert code == DONE
    assert json.loads(out)["uses"] == []
    assert "--use" not in json.loads(out)["findings"][0]["reproduce"]


@pytest.mark.usefixtures("nothing_used")
def test_a_file_cannot_take_a_name_that_is_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("mult.py", "hinge.py"):
        (tmp_path / name).write_bytes(HINGE.read_bytes())
    code, out, err = run(capsys, "--claim", "x**2 >= 0", "--use", str(tmp_path / "mult.py"))
    assert (code, out) == (WRONG, "")
    assert "there already" in err
    code, out, err = run(capsys, "--claim", "x**2 >= 0", "--use", str(HINGE), "--use", str(tmp_path / "hinge.py"))
    assert (code, out) == (WRONG, "")
    assert "have one name" in err


def test_a_crash_is_one_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else of the file is lost, and the exit code says that there is a defect."""
    path = tmp_path / "claims.toml"
    path.write_text('[[claim]]\nclaim = "x**2 >= 0"\n[[claim]]\nclaim = "y**2 >= 1"\n[[claim]]\nclaim = "z**2 >= 0"\n',
                    encoding="utf-8")
    decide = checking.check

    def crash(claim: Claim, *more: object) -> Finding:
        if claim.id == "claim-2":
            raise KeyError("beta")
        return decide(claim)

    monkeypatch.setattr(checking, "check", crash)
    code, out, _ = run(capsys, str(path), "-f", "json")
    found = json.loads(out)["findings"]
    assert code == DEFECT
    assert [f["verdict"] for f in found] == ["proved", "undecided", "proved"]
    assert found[1]["reason"].startswith("defect")
    assert found[1]["reproduce"] == "boundcalc check 'y**2 >= 1'"


def test_results_of_several_claims_begin_with_what_is_refuted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(FILE + '\n[[claim]]\nid = "false"\nstates = "squares are small"\nclaim = "x**2 <= 4"\nfor = "x >= 3"\n'
                    '\n[[claim]]\nid = "needed"\nclaim = "max.heads <= 3"\nfor = "n >= 2, eps > 0"\n', encoding="utf-8")
    code, out, _ = run(capsys, str(path))
    assert code == REFUTED
    lines = out.splitlines()
    assert lines[1] == "4 claims: 2 proved, 1 refuted, 1 conditional"
    heads = [x for x in lines if x in ("refuted", "conditional", "proved")]
    assert heads == ["refuted", "conditional", "proved"]
    place = lines.index("  false              squares are small")
    assert lines[place + 1].strip().startswith("no: x = ")
    assert "                     exactly when β ≤ 2" in lines
    assert "  needed             max.heads <= 3 (one head is enough)" in lines
    assert max(map(len, lines)) <= 80
    full = run(capsys, str(path), "--full")[1]
    assert full.startswith("false: REFUTED\n")
    assert "derived    max.heads <= 1 by max[route=direct]\n" in full


def test_where_eps_and_delta_meet_their_meaning_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    claim = ("mult[route=direct].error <= 1", "--for", "eps == 1/10, delta == 0")
    assert "delta is the error that is already in every input" in run(capsys, *claim, "--timeout", "3")[1]
    assert "already in every input" not in run(capsys, "mult[route=direct].heads <= 1")[1]


def test_latex_shows_the_plain_claim_that_was_decided(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, r"\frac{x}{1+x^{2}} \le \frac{1}{2}", "-f", "json")[1])["findings"][0]
    assert found["claim"] == "((x)/(1 + x**2)) <= ((1)/(2))"
    assert "read as    ((x)/(1 + x**2)) <= ((1)/(2))" in run(capsys, r"\frac{x}{1+x^{2}} \le \frac{1}{2}")[1]


def test_the_api_checks_an_object_again() -> None:
    found = boundcalc.check("exp(x) >= 1 + x")
    assert found.proof is not None
    assert boundcalc.recheck(found.proof).verdict == found.verdict == "proved"
    with pytest.raises(boundcalc.InvalidInput, match="rejected"):
        boundcalc.recheck({**found.proof, "claim": "exp(x) >= 1 + 2*x"})


def test_a_search_without_time_says_so_and_tells_how_far_it_is() -> None:
    """The claim takes all steps of its search; what was found until then is undecided, never a verdict."""
    told: list[tuple[str, int]] = []
    found = boundcalc.check("max.beta <= 1/eps", timeout=0.2, progress=lambda what, done: told.append((what, done)))
    assert found.verdict == "undecided"
    assert found.reason == ("not finished within 0.2 s of CPU time",)
    assert [done for _, done in told] == list(range(1, len(told) + 1))
    assert {what for what, _ in told} == {"searching a proof"}
    assert boundcalc.check("max[route=direct].heads <= 3", timeout=60).verdict == "proved"


def test_a_proof_object_is_written_whole_or_not_at_all(capsys: pytest.CaptureFixture[str], tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "proof.json"
    path.write_text("before", encoding="utf-8")

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", broken)
        run(capsys, "max[route=direct].heads <= 3", "--proof-object", str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["proof.json"]
    assert path.read_text(encoding="utf-8") == "before"
    assert run(capsys, "max[route=direct].heads <= 3", "--proof-object", str(path))[0] == DONE
    assert json.loads(path.read_text(encoding="utf-8"))["verdict"] == "proved"
