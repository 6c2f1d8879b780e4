"""Output in encodings without mathematics: plain letters, aligned, for every command and format."""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from pathlib import Path

import pytest

import boundcalc
from boundcalc.cli.main import main
from boundcalc.letters import in_letters_of, plain_letters

PACKAGE = Path(boundcalc.__file__).parent
COMMANDS = [
    "", "--help", "mult --help", "check --help", "plot --help", "mult --eps 1e-3 --proof --dimensions", "show max",
    "clip --range 0,1 --eps 1e-1 --gate anchor --temperature hard", "mult --eps 1e-2 --sequence 4", "list", "schema",
    "list -f bibtex", "relu --eps 1e-2 --verify", "relu --eps 1e-2 -f markdown", "relu --eps 1e-2 -f latex --proof",
    "relu --eps 1e-2 -f bibtex", "mult --eps 1e-2 -f latex --only error", "check --claim max.heads<=3 --for n>=2,eps>0",
    "check --claim max.heads<=3 --for n>=2,eps>0 -f markdown", "check --claim max.heads<=3 --for n>=2,eps>0 -f latex",
    "recip --eps 1e-3",
]


def output(arguments: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, bytes]:
    streams = [io.BytesIO(), io.BytesIO()]
    for name, raw in zip(("stdout", "stderr"), streams, strict=True):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True))
    with pytest.raises(SystemExit):
        main(arguments.split())
    return streams[0].getvalue(), streams[1].getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
@pytest.mark.parametrize("arguments", COMMANDS)
def test_every_command_writes_in_letters_of_the_reader(
        arguments: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = output(arguments, encoding, monkeypatch)
    text = (out + err).decode(encoding)
    assert text.strip()
    assert "This is a defect" not in text
    assert not re.search(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}", text)        # escapes are no letters


def test_formulas_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = output("mult --eps 1e-3 --full", "ascii", monkeypatch)[0].decode("ascii")
    for shown in ("(x, y) |-> x*y   on [-M, M]^2 = [-1, 1]^2", "+/-C*M^2*(1 + 150/beta^2)/beta^2",
                  "total <= eps = 0.001", "max(ceil(log_4(M^2/(3*eps))), 0)", "least beta with total error <= eps"):
        assert shown in text


def test_words_that_belong_together_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """What keeps a line from being broken is no letter, whatever the encoding."""
    for encoding in ("ascii", "utf-8"):
        text = output("mult --eps 1e-3", encoding, monkeypatch)[0].decode(encoding)
        assert "C = 1.75691" in text
        assert "\u2060" not in text
        assert "?" not in text


def test_tables_stay_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = output("mult --eps 1e-3 --full", "ascii", monkeypatch)[0].decode("ascii").splitlines()
    rules = [k for k, line in enumerate(lines) if re.fullmatch(r"\s*-{2,}(\s+-+)+", line)]
    assert len(rules) >= 3
    for k in rules:
        gaps = [m.start() - 1 for m in re.finditer(r"(?<= )-", lines[k])]
        for line in (lines[k - 1], lines[k + 1], lines[k + 2]):
            assert all(line[gap:gap + 1] in ("", " ") for gap in gaps), line


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("arguments", ["mult --eps 1e-3", "max --n 8 --eps 1e-3 --verify", "explain Q3", "clip --help"])
def test_a_screen_has_80_columns_in_any_letters(arguments: str, encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = output(arguments, encoding, monkeypatch)[0].decode(encoding).splitlines()
    assert max(map(len, lines)) <= 80


def test_what_was_chosen_is_aligned_in_any_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = output("mult --eps 1e-3", "cp1252", monkeypatch)[0].decode("cp1252").splitlines()
    places = [line.index("least ") for line in lines if line[19:].startswith(("m = 5", "beta ")) and "least " in line]
    assert len(places) == 2
    assert len(set(places)) == 1


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_json_and_html_lose_nothing(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import html
    for arguments in ("mult --eps 1e-2 -f json", "list -f json", "schema bound"):
        found, wanted = (output(arguments, e, monkeypatch)[0] for e in (encoding, "utf-8"))
        assert found.isascii()
        assert json.loads(found) == json.loads(wanted)
    found, wanted = (output("relu --eps 1e-2 -f html", e, monkeypatch)[0] for e in (encoding, "utf-8"))
    assert found.isascii()
    assert html.unescape(found.decode()) == html.unescape(wanted.decode())


def test_a_file_has_all_its_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "relu.txt"
    output(f"relu --eps 1e-2 -o {path}", "ascii", monkeypatch)
    wanted = output("relu --eps 1e-2", "utf-8", monkeypatch)[0]
    assert path.read_bytes() == wanted
    assert not wanted.isascii()


def test_letters_that_the_encoding_has_stay() -> None:
    assert in_letters_of("cp1252", "M²·x ± ½ … β ≤ 2") == "M²·x ± ½ … beta <= 2"
    assert in_letters_of("utf-8", "M²·x₁ ≤ ⌈√2⌉") == "M²·x₁ ≤ ⌈√2⌉"


@pytest.mark.parametrize(("text", "plain"), [
    ("2βM", "2beta M"), ("x₁₂", "x_12"), ("10⁻³", "10^-3"), ("⌈log₂ n⌉", "ceil(log_2 n)"),
    ("√2·√(n − 1)", "sqrt(2)*sqrt(n - 1)"),
    ("0.5↑", "0.5(up)"), ("Gödel", "Godel"), ("β_h", "beta_h"), ("ε₀", "eps_0")])
def test_plain_letters(text: str, plain: str) -> None:
    assert in_letters_of("ascii", text) == plain


def test_every_letter_of_the_package_has_plain_ones() -> None:
    found = {c for path in PACKAGE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Constant) and isinstance(node.value, str) for c in node.value if not c.isascii()}
    found |= {c for path in PACKAGE.rglob("*.toml") for c in path.read_text(encoding="utf-8") if not c.isascii()}
    assert len(found) > 50
    assert sorted(c for c in found - {"\ufffd"} if plain_letters(c) == "?" or not plain_letters(c).isascii()) == []
