"""`pytest --construction=PATH`: a file anywhere is put to the conformance suite, and what is wrong in it is noticed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HINGE = (ROOT / "docs" / "examples" / "hinge.py").read_text(encoding="utf-8")


def run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--construction={path}", *arguments],
                          cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.dear
def test_every_question_is_asked_of_every_case(tmp_path: Path) -> None:
    """Four cases with silu: counts, errors, the unrolled term, a second evaluator, the witness, the certificate."""
    (tmp_path / "mine.py").write_text(HINGE, encoding="utf-8")
    done = run(tmp_path / "mine.py", "-k", "silu", "-vv")
    asked = set(re.findall(r"::(test_\w+)\[mine-recipe-silu\[", done.stdout))
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout
    assert set(re.findall(r"\[(\w+)-recipe-", done.stdout)) == {"mine"}
    assert asked >= {"test_listed_entries_are_the_derived_counts", "test_never_exceeds_the_derived_error",
                     "test_errors_of_the_unrolled_term", "test_resources_of_the_unrolled_term",
                     "test_logit_and_naive_total_of_the_folded_term", "test_logit_and_second_evaluator",
                     "test_tight_lemma_is_attained", "test_certified_within_eps"}
    assert len(re.findall(r"test_never_exceeds_the_derived_error\[.* PASSED", done.stdout)) == 4


@pytest.mark.dear
@pytest.mark.parametrize(("right", "lie", "noticed"), [
    ('"relu(1 - x)"', '"relu(1 - x/2)"', set()),
    ("1 - worst_silu_input", "2 - worst_silu_input", {"test_tight_lemma_is_attained"})])
def test_a_lie_is_noticed(tmp_path: Path, right: str, lie: str, noticed: set[str]) -> None:
    """A target that the network does not compute, a witness that is none."""
    (tmp_path / "mine.py").write_text(HINGE.replace(right, lie), encoding="utf-8")
    done = run(tmp_path / "mine.py", "-k", "silu")
    assert done.returncode != 0
    if not noticed:         # the bound itself refuses such a file
        assert "does not compute its target" in done.stdout
        return
    assert noticed <= set(re.findall(r"^FAILED .*::(test_\w+)\[", done.stdout, re.MULTILINE))


@pytest.mark.parametrize(("text", "sentence"), [
    (HINGE.replace('"relu(1 - x)"', '"relu(1 - y)"'), r"mine\.py, line \d+: the target mentions y, which is neither"),
    (HINGE[:HINGE.index("    cases=")] + ")", r"mine\.py declares no cases")])
def test_a_file_that_cannot_be_run_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    done = run(tmp_path / "mine.py")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert re.search(sentence, done.stderr)
    assert "Traceback" not in done.stderr
