"""Claims about a construction from a file: check --use."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from boundcalc.cli.main import main
from boundcalc.declarations import registry

HINGE = Path(__file__).parents[2] / "docs" / "examples" / "hinge.py"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    registry._USED.clear()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["check", *arguments])
    out = capsys.readouterr()
    return int(end.value.code or 0), out.out, out.err


@pytest.mark.parametrize(("claim", "domain", "code", "verdict"), [
    ("hinge[route=recipe, gate=silu].heads <= 1", "", 0, "proved"),
    ("hinge[route=recipe, gate=silu].heads <= 0", "", 1, "refuted"),
    ("hinge[route=recipe, gate=silu].tokens == 2", "", 0, "proved"),
    ("hinge[route=recipe, gate=silu].error <= 3/(10*beta)", "beta > 0", 0, "proved"),
])
def test_claims_about_a_file_are_decided(capsys: pytest.CaptureFixture[str], tmp_path: Path, claim: str, domain: str,
                                         code: int, verdict: str) -> None:
    path = tmp_path / "hinge.py"
    shutil.copy(HINGE, path)
    arguments = ["--claim", claim, *(["--for", domain] if domain else []), "--use", str(path), "-f", "json"]
    found_code, out, _ = run(capsys, *arguments)
    finding, = json.loads(out)["findings"]
    uses, = json.loads(out)["uses"]
    assert (found_code, finding["verdict"]) == (code, verdict)
    assert f"--use {path}" in finding["reproduce"]
    assert uses == {"path": str(path), "sha256": sha256(path.read_bytes()).hexdigest()}


def test_without_use_the_name_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--claim", "hinge[route=recipe, gate=silu].heads <= 1")
    assert code == 2
    assert "hinge" in err


def test_a_name_that_is_taken_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "relu.py"
    shutil.copy(HINGE, path)
    code, _, err = run(capsys, "--claim", "relu.heads <= 1", "--use", str(path))
    assert code == 2
    assert "is called relu" in " ".join(err.split())
