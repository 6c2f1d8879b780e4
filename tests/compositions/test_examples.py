"""The examples of compositions are short, and work with every command from any folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from boundcalc.cli.main import main
from tests.selection import few

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out + err
    return call


def test_they_are_short() -> None:
    assert {p.stem for p in EXAMPLES.glob("*.py")} >= {"cube", "cubic", "softplus"}
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 60, path


@pytest.mark.parametrize("name", few(["cube", "cubic", "softplus"], 1))
def test_every_command_takes_the_path(name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    file = there / f"{name}.py"
    file.write_text((EXAMPLES / file.name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(here)
    path, eps = f"../there/{name}.py", ("--eps", "1/10")
    assert run(path, "--help")[0] == 0
    for form in ("text", "markdown", "latex", "html", "json"):
        code, out = run(path, *eps, "-f", form, *(() if form == "json" else ("--proof",)))
        assert code == 0, out
        assert name.title() in out or f'"{name}"' in out or name in out
    assert run("show", path)[0] == 0
    assert run("verify", path, *eps)[0] == 0
    assert run("verify", path, *eps, "--gate", "ffn")[0] == 0
    assert run("weights", path, *eps, "-o", "network.json")[0] == 0
    assert run("verify", "network.json", "--target", path, *eps, "--timeout", "1")[0] in (0, 3)
    code, out = run("eval", "network.json", "--at", "x=1/3")
    assert code == 0
    assert ("target x**3 = 1/27" in out) == (name == "cube")        # the file says it, and no file is executed
    code, out = run("verify", "network.json")                       # in the file's own words
    assert code == 0
    assert "own words" in out
    assert run("plot", path, *eps, "-o", "picture.svg")[0] == 0
    assert (here / "picture.svg").stat().st_size > 1000
