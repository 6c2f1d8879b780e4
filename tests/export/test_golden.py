"""A few outputs to the letter, small enough to be read. `python -m pytest tests/test_golden.py --regenerate` writes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from boundcalc.cli.main import main

FOLDER = Path(__file__).parents[1] / "golden"
COMMANDS = {
    "relu.txt": "relu --eps 1e-2",
    "relu.tex": "relu --eps 1e-2 -f latex --proof",
    "relu.md": "relu --eps 1e-2 -f markdown --proof",
    "abs.bib": "abs --eps 1e-2 -f bibtex",
    "reciprocal-error.tex": "recip --range 1/10,1 --eps 1e-3 -f latex --only error",
    "mult-heads.txt": "mult --eps 1e-3 --only heads",
    "lipschitz.md": "check -f markdown --claim softmax.lipschitz(inf,inf)<=1 --for beta>0,n>=2",
    "lipschitz.tex": "check -f latex --claim softmax.lipschitz(inf,inf)<=1 --for beta>0,n>=2",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output_is_as_it_was(name: str, golden: Callable[[Path, str], None], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(COMMANDS[name].split())
    out = capsys.readouterr()
    assert out.err == ""
    assert len(out.out.splitlines()) < 250, "golden files are to be read"
    golden(FOLDER / name, out.out)


def test_no_golden_file_is_left_over() -> None:
    assert {p.name for p in FOLDER.iterdir() if p.is_file()} == set(COMMANDS)
