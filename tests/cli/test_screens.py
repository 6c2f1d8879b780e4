"""First screens: 80 columns and 40 lines hold the answer, whatever is asked; other widths are respected."""

from __future__ import annotations

import re
import shlex

import mpmath
import pytest

from boundcalc.cli.entry import FIRST, GROUPS, START, overview
from boundcalc.cli.main import COMMANDS, main
from boundcalc.declarations.options import needed
from boundcalc.declarations.registry import construction
from boundcalc.export import Wishes, render
from boundcalc.export.catalogue import ways
from boundcalc.export.values import briefly
from boundcalc.numbers.exact import rational
from boundcalc.results.bound import bound, closed_forms
from boundcalc.results.glossary import W_OF_1_E
from boundcalc.results.report import report_of
from tests.selection import whole

WIDTHS = (60, 80, 120)


def shape(text: str) -> tuple[int, int]:
    """Lines, and columns of the longest."""
    lines = text.splitlines()
    return len(lines), max(map(len, lines))


def typed(capsys: pytest.CaptureFixture[str], line: str, code: int = 0) -> str:
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line))
    out, err = capsys.readouterr()
    assert (end.value.code, err) == (code, "")
    return out


def cases() -> list[tuple[str, str, str | None]]:
    found = ways()
    return found if whole() else [way for way in found if way[0] in ("mult", "recip", "max", "clip")]


@pytest.mark.parametrize("way", cases(), ids=lambda w: "-".join(map(str, w)))
def test_every_way_has_one_screen(monkeypatch: pytest.MonkeyPatch, way: tuple[str, str, str | None]) -> None:
    name, route, gate = way
    given = {option.removeprefix("--"): value for option, value in needed(construction(name)).items()}
    reports = [report_of(bound(name, route=route, gate=gate, eps="1e-3", **given)),
               report_of(closed_forms(name, route=route, gate=gate))]
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        for report in reports:
            lines, columns = shape(render(report, "text", Wishes()))
            assert columns <= min(80, width)
            assert lines <= 40
            assert shape(render(report, "text", Wishes(quiet=True)))[0] == 1
    monkeypatch.setenv("COLUMNS", "80")
    assert shape(render(reports[0], "text", Wishes(full=True)))[0] > shape(render(reports[0], "text"))[0] - 10


def test_the_first_screen_of_a_product(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = typed(capsys, "mult --eps 1e-3").splitlines()
    assert lines[0] == "mult   (x, y) ↦ x·y on [−1, 1]² within ε = 0.001" + "proved".rjust(80 - 48)
    assert lines[1] == "       recipe with silu gates: two sawtooth squares; attention only, no ReLU"
    shown = {line[:19].strip(): line[19:] for line in lines}
    assert shown["heads"].split() == ["2(m", "+", "1),", "two", "per", "layer", "12"]
    assert shown["parameters"].split() == ["19m", "+", "20", "115"]
    assert shown["total"].endswith("0.001000↑")
    assert shown["next"] == "--verify · --proof · -f latex · weights · --full"
    assert any("--route direct" in line for line in lines)
    assert "bits" not in shown                              # for --full
    assert typed(capsys, "mult --eps 1e-3 -q").splitlines() == lines[:1]


def test_no_cost_is_without_a_word(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no closed form, the screen says how the value was found."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = typed(capsys, "recip --range 1/10,1 --eps 1e-3").splitlines()
    beta = next(line for line in lines if line.startswith("  β "))
    assert beta.split(maxsplit=1)[1] == "least with total error ≤ ε, searched                 2830.909"
    assert "direct: one head that weighs the largest most; attention only, no ReLU;\n       n = 2\n" in typed(
        capsys, "max --n 2 --eps 1/3")


@pytest.mark.parametrize("line", ["", "--help", "list", "mult --help", "recip --help", "help output", "explain",
                                  "show max --n 8",
                                  "explain Q1", "verify max --n 64 --eps 1e-3", "max --n 3 --eps 1e-2 --verify",
                                  "clip --range 0,1 --eps 1e-3 --gate anchor --sequence 16"])
@pytest.mark.parametrize("width", WIDTHS)
def test_commands_respect_the_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: str,
                                    width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines, columns = shape(typed(capsys, line))
    fixed = line.endswith("--help") or line in ("help output", "list")      # pages of 80 columns
    assert columns <= (80 if width >= 80 or fixed else width)
    assert lines <= 60 if width < 80 else lines <= 42


def test_only_commands_that_exist_are_offered() -> None:
    text = overview(COMMANDS)
    offered = {name for members in GROUPS.values() for name in members}
    listed = {line[9:].split()[0] for line in text.splitlines() if line[9:10].isalpha() and line[30:31].strip()}
    assert not (offered - set(COMMANDS)) & listed
    assert set(COMMANDS) <= listed | {"boundcalc"}


@pytest.mark.parametrize("line", [*START, *(command for command, _ in FIRST if "paper.toml" not in command)])
def test_what_is_shown_first_works(capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert typed(capsys, line.removeprefix("boundcalc "))


def test_closed_forms_at_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    text = typed(capsys, "show max --n 8")
    assert "[−1, 1]" not in text
    assert "[−M, M]^8" in text
    assert "W(7/e)/ε" in text
    assert "⌈" not in text
    assert "show" not in typed(capsys, "show mult --m 0")           # another network, derived as such
    assert "m ≥ 1" not in typed(capsys, "show mult --m 0")


@pytest.mark.parametrize(("value", "shown"), [
    ("1/4096", "0.0002442↑"), ("1/3", "1/3"), ("0.001", "0.001"), ("999999", "999,999"), ("12345678", "1.235e7↑"),
    ("-1/3", "−1/3"), ("3e-7", "3e−7"), ("10^9", "1e9")])
def test_numbers_of_a_screen(value: str, shown: str) -> None:
    assert briefly(rational(value)) == shown


def test_what_is_rounded_stays_within_its_limit() -> None:
    x, limit = rational("0.00099999969"), rational("0.0009999997")
    assert briefly(x, exact=False, limit=limit) == "0.0009999997↑"


def test_the_value_of_w_is_shown_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    digits = re.search(r"0\.[0-9]+", W_OF_1_E)
    assert digits
    with mpmath.workdps(30):
        w = mpmath.lambertw(mpmath.exp(-1)).real
        assert mpmath.mpf(digits[0]) < w < mpmath.mpf(digits[0]) + mpmath.mpf(10) ** (2 - len(digits[0]))
    assert f"W is the principal Lambert function; {W_OF_1_E}\n" in typed(capsys, "show max")
    assert W_OF_1_E not in typed(capsys, "show max --n 8 --route direct")
