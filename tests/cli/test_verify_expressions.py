"""verify FILE --target EXPR, and files of constructions that are not known where they are verified."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
HINGE = Path(__file__).parents[2] / "docs" / "examples" / "hinge.py"


@pytest.fixture
def run(run: Run) -> Run:
    """What is said of an error on one line."""
    def call(*arguments: str) -> tuple[int, str, str]:
        code, out, err = run(*arguments)
        return code, out, " ".join(err.split())
    return call


def written(run: Run, path: Path, *arguments: str) -> str:
    assert run("weights", *arguments, "-o", str(path))[0] == 0
    return str(path)


def renamed(path: str) -> str:
    """As if the construction were a file of somebody else."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    data["about"]["construction"] = "elsewhere"
    Path(path).write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_file_of_a_construction_of_ones_own_is_verified_elsewhere(run: Run, tmp_path: Path,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    shutil.copy(HINGE, home / "hinge.py")
    monkeypatch.chdir(home)
    written(run, away / "h.json", "./hinge.py", "--eps", "1e-2")
    (home / "hinge.py").unlink()
    monkeypatch.chdir(away)
    code, out, err = run("verify", "h.json")
    assert (code, err) == (0, "")
    assert "hinge   x ↦ max(1 − x, 0) on ℝ within ε = 0.01" in out
    assert "target, domain and ε in the file's own words" in " ".join(out.split())
    found = json.loads(run("verify", "h.json", "-f", "json")[1])
    assert (found["construction"], found["own_words"]) == ("hinge", True)
    assert run("verify", "h.json", "--eps", "1e-3")[0] == 1
    about = json.loads((away / "h.json").read_text(encoding="utf-8"))
    about["about"]["target"] = ["relu(1.1 - x)"]
    (away / "h.json").write_text(json.dumps(about), encoding="utf-8")
    assert run("verify", "h.json")[0] == 1, "a file that boasts"


@pytest.mark.parametrize("arguments", [
    "clip --range -1,2 --eps 1e-2", "hat --eps 1e-2", "mult --eps 1e-1 --d 2 --delta 1e-2",
    "recip --range 1/2,1 --eps 1e-2 --relative --gate ffn"])
def test_targets_are_written_out(run: Run, tmp_path: Path, arguments: str) -> None:
    """With the numbers of their parameters, so that nothing else is needed."""
    path = renamed(written(run, tmp_path / "f.json", *arguments.split()))
    code, out, err = run("verify", path)
    assert (code, err) == (0, "")
    assert "elsewhere" in out
    assert ("ε·|target|" in out) == ("--relative" in arguments)


def test_a_target_may_be_an_expression(run: Run, tmp_path: Path) -> None:
    path = written(run, tmp_path / "mult.json", "mult", "--eps", "1e-1")
    code, out, _ = run("verify", path, "--target", "y*x", "--eps", "1e-1")
    assert code == 0
    assert "(x, y) ↦ x·y on [−1, 1]² within ε = 0.1" in out
    assert "domain in the file's own words" in " ".join(out.split())
    assert run("verify", path, "--target", "x*y + 1/5", "--eps", "1e-1")[0] == 1
    code, out, _ = run("verify", path, "--target=x*y", "--range", "x=0,1", "--range", "y=-1/2,1", "--eps", "1e-1")
    assert (code, "own words" in out) == (0, False)
    assert "x in [0, 1], y in [−0.5, 1]" in out
    assert run("verify", path, "--target", "x*y", "--delta", "1/10", "--eps", "1e-1")[0] == 1


@pytest.mark.parametrize(("extra", "says"), [
    (("--target", "x*z"), "z is neither an input"), (("--target", "x*"), "Cannot read 'x*'"),
    (("--target", "x*y", "--target", "x+y"), "2 expressions for 1 outputs"),
    (("--target", "x*y", "--beta", "3"), "--beta"), (("--target", "x*y", "--route", "direct"), "--route does not apply"),
    (("--target", "x*y", "--range", "z=0,1"), "no input 'z'"), (("--target", "x*y", "--delta", "z=1"), "no input 'z'"),
    (("--target", "x*y", "--relative"), "may vanish in the domain"), (("--target", "mul"), "Did you mean mult?"),
    (("--target", "x*y/0"), "divides by zero"), (("--target", "./nothing.py"), "nothing.py"),
])
def test_what_cannot_be_read_is_refused(run: Run, tmp_path: Path, extra: tuple[str, ...], says: str) -> None:
    path = written(run, tmp_path / "mult.json", "mult", "--eps", "1e-1")
    code, out, err = run("verify", path, *extra)
    assert (code, out) == (2, "")
    assert says in err


def test_without_a_domain_one_is_asked_for(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mult.json"
    written(run, path, "mult", "--eps", "1e-1")
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["about"]
    path.write_text(json.dumps(data), encoding="utf-8")
    code, _, err = run("verify", str(path), "--target", "x*y")
    assert code == 2
    assert "--range is missing" in err
    assert run("verify", str(path), "--target", "x*y", "--range", "-1,1", "--eps", "1e-1")[0] == 0


def test_a_file_that_does_not_write_out_its_target(run: Run, tmp_path: Path) -> None:
    path = renamed(written(run, tmp_path / "f.json", "mult", "--eps", "1e-1"))
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    for target, says in ((["clip(x)*y"], "The file writes out its target: Cannot read"), (None, "does not write out")):
        data["about"]["target"] = target or []
        Path(path).write_text(json.dumps(data), encoding="utf-8")
        code, _, err = run("verify", path)
        assert code == 2
        assert says in err
