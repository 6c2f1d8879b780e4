"""boundcalc explain and boundcalc help: every word that a report uses can be looked up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from boundcalc.cli.main import COMMANDS, main
from boundcalc.cli.words import WORDS
from boundcalc.declarations.registry import names
from boundcalc.lemmas.pages import PAGES, page

DOCS = Path(__file__).parents[2] / "docs"


def typed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    out, err = capsys.readouterr()
    assert end.value.code == code
    return out if code == 0 else err


@pytest.mark.parametrize("name", PAGES)
def test_the_installed_pages_are_those_of_the_documentation(name: str, golden: Callable[[Path, str], None]) -> None:
    import boundcalc.lemmas
    folder = Path(boundcalc.lemmas.__file__).parent
    golden(folder / f"{name}.md", (DOCS / f"{name}.md").read_text(encoding="utf-8"))
    assert page(name) == (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_a_lemma_comes_with_its_proof(capsys: pytest.CaptureFixture[str]) -> None:
    text = typed(capsys, "explain", "Q2")
    assert text.startswith("Q2 Silu residual\n")
    assert "\nProof. " in text
    assert "Q3" not in text
    assert typed(capsys, "explain", "q2") == text


@pytest.mark.parametrize("arguments", [
    ("mult", "--eps", "1e-3"), ("max", "--n", "4", "--eps", "1e-2", "--route", "tree"),
    ("recip", "--range", "1,2", "--eps", "1e-2"), ("clip", "--eps", "1e-2", "--gate", "anchors"),
    ("mult", "--eps", "1e-2", "--sequence", "3"), ("relu", "--eps", "1", "--proof")])
def test_every_label_of_a_report_can_be_looked_up(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    labels = set(re.findall(r"\b([RSQPAC][0-9]+)\b", typed(capsys, *arguments)))
    assert labels
    for label in labels:
        assert typed(capsys, "explain", label).startswith(f"{label} ")


def labels() -> list[str]:
    return re.findall(r"^### ([A-Z][0-9]+) ", page("rules"), re.MULTILINE)


def test_every_page_fits_80_columns_and_has_no_marks(capsys: pytest.CaptureFixture[str],
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for word in (*WORDS, *labels()):
        text = typed(capsys, "explain", word)
        assert max(map(len, text.splitlines())) <= 80, word
        assert not re.search(r"\]\(|\*\*[A-Za-z]|(?<!\w)\*[A-Z][a-z]+\.?\*|^\|.*\|$", text, re.MULTILINE), word
    assert "10^-3 and 2**-10 are rationals" in typed(capsys, "explain", "numbers")
    assert "  here        part of V\n" in typed(capsys, "explain", "model")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_fits_80_columns(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert max(map(len, typed(capsys, "help", command).splitlines())) <= 80


@pytest.mark.parametrize("word", ["gate", "route", "recipe", "claims", "model", "numbers", "exit-codes", "gates",
                                  "Claim", "routes"])
def test_words_are_explained(capsys: pytest.CaptureFixture[str], word: str) -> None:
    assert len(typed(capsys, "explain", word)) > 300


def test_what_can_be_explained_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = typed(capsys, "explain")
    assert all(word in text for word in (*WORDS, "Q3", "R10", "A6"))


def test_an_unknown_word_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert "boundcalc explain gate" in typed(capsys, "explain", "gaet", code=2)
    assert "What can be explained" in typed(capsys, "explain", "xyzzy" * 40, code=2)


@pytest.mark.parametrize("name", [*names(), *(c for c in COMMANDS if c != "help")])
def test_help_is_the_help_there(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert typed(capsys, "help", name) == typed(capsys, name, "--help")


def test_help_alone_is_that_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, "help") == typed(capsys, "--help")
    assert "boundcalc help mult" in typed(capsys, "help", "mutl", code=2)


def test_exit_codes_are_those_of_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    text = typed(capsys, "explain", "exit-codes")
    page_ = (DOCS / "index.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| ([0-9, ]+) \|", page_[page_.index("## Exit codes"):], re.MULTILINE)
    assert [code for row in codes for code in row.split(", ") if not re.search(rf"\b{code}\b", text)] == []
    assert len(codes) >= 6
