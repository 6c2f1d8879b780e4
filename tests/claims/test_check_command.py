"""boundcalc check on the command line: output, exit codes, problems."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from boundcalc.cli.main import DONE, REFUTED, UNDECIDED, WRONG, main
from boundcalc.export.findings import cut

FILE = '''
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
'''


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["check", *arguments])
    captured = capsys.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, captured.out, captured.err


@pytest.mark.parametrize(("claim", "code", "verdict"), [
    ("max[route=direct].heads <= 3", DONE, "PROVED"), ("max[route=tree, gate=silu].heads <= n - 2", REFUTED, "REFUTED"),
    ("softmax.lipschitz(inf, inf) <= 1", UNDECIDED, "CONDITIONAL"), ("exists K: tanh(x) <= K", UNDECIDED, "VACUOUS"),
    ("max.beta <= 1/eps", UNDECIDED, "UNDECIDED"),
    ("max[route=tree, gate=silu].heads <= 2*log(n)", UNDECIDED, "CONDITIONAL"),
])
def test_verdicts_and_exit_codes(capsys: pytest.CaptureFixture[str], claim: str, code: int, verdict: str) -> None:
    found, out, err = run(capsys, "--claim", claim)
    assert found == code
    assert out.startswith(f"claim-1: {verdict}\n")
    assert "again" in out
    assert err == ""


def test_what_is_printed_for_a_condition(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--claim", "softmax.lipschitz(inf, inf) <= 1", "--for", "beta > 0, n >= 2")
    for part in ("holds      exactly when beta <= 2", "derived    softmax.lipschitz(inf, inf) = beta/2",
                 "witness    beta = ", "decided by solved for beta", "factor     claimed/derived = 2/beta"):
        assert part in out, part


def test_the_printed_command_gives_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--claim", "x**2 <= 4", "--for", "x >= 0")
    again = next(line for line in out.splitlines() if line.strip().startswith("again"))
    words = shlex.split(again.split("again", 1)[1])
    assert words[:2] == ["boundcalc", "check"]
    assert run(capsys, *words[2:])[1] == out


def test_needed_quantities_are_not_refuted_by_our_constructions(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--claim", "mult.beta <= eps", "--for", "0 < eps <= 1/100")
    assert code == UNDECIDED
    assert "what is needed" in out
    assert "claimed/derived" in out


def test_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(FILE, encoding="utf-8")
    code, out, _ = run(capsys, str(path), "-f", "json")
    assert code == UNDECIDED
    data = json.loads(out)
    assert data["schema"] == "boundcalc-findings/1"
    keys = {"id", "claim", "verdict", "derived", "ratio", "condition", "witness", "tactic", "reason", "reproduce"}
    assert [set(f) for f in data["findings"]] == [keys, keys]
    assert [f["verdict"] for f in data["findings"]] == ["proved", "conditional"]
    assert data["findings"][0]["witness"] is None
    assert data["findings"][0]["ratio"] == "3"
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
        assert r"\mathrm{max[route{=}direct].heads}" in out


@pytest.mark.parametrize(("x", "shown"), [
    ("0.608357398350785946319360231553", "0.6083573983…"), ("2.70805020110221006599600457014e-30", "2.7080502011…e-30"),
    ("123456789012345678.123456", "123456789012345678.1…"), ("123456789/1234567890", "123456789/1234567890"),
    ("0.25", "0.25"),
])
def test_numbers_that_are_cut_keep_their_size(x: str, shown: str) -> None:
    assert cut(x) == shown


@pytest.mark.parametrize(("arguments", "part"), [
    ((), "Give files, or --claim, or --papers."), (("--claim", "x <= 1", "--papers"), "Give files, or --claim"),
    (("--for", "x > 0", "--papers"), "--for belongs to --claim"),
    (("--claim", "x <= 1", "-f", "docx"), "no format 'docx'"),
    (("--claim", "x <= 1", "-f", "markdown", "--standalone"), "--standalone belongs to -f latex"),
    (("missing.toml",), "Cannot read missing.toml"), (("--claim", "x <= "), "at column 6"),
    (("--claim", "x <= 1", "--for", "x"), "at column 2"), (("--claim", "maks.heads <= 1"), "Did you mean max?"),
    (("--claim", "max.heeds <= 1"), "max has no quantity 'heeds'"),
    (("--claim", "max[route=star].heads <= 1"), "max has no route 'star'"),
])
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
