"""What the documentation shows can be typed as it stands: Python blocks run, commands run, links resolve."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from boundcalc.cli.main import DONE, main
from boundcalc.lemmas.rules import RULES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]
    return list(dict.fromkeys(line.split("#")[0].strip() for line in lines if line.startswith("boundcalc ")))


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "api.md", ROOT / "docs" / "json.md"],
                         ids=lambda p: p.name)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "json.md":          # its block reads what the command before it writes
        with pytest.raises(SystemExit):
            main(["mult", "--eps", "1e-3", "-f", "json", "-o", "mult.json"])
    found = blocks(page, "python")
    assert found
    scope: dict[str, object] = {}
    for block in found:
        exec(compile(block, page.name, "exec"), scope)


def test_commands_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    found = commands()
    assert len(found) >= 10
    for line in found:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line)[1:])
        assert end.value.code == DONE, line
        out, err = capsys.readouterr()
        assert err == "", line
        assert bool(out) == (" -o " not in line)
        assert not out.endswith("\n\n"), line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}
            assert anchor in slugs, target


def test_the_test_command_of_the_readme_is_the_one_that_ci_reads() -> None:
    readme, script = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    pattern = re.search(r"grep -E '([^']+)' README.md", script)
    assert pattern
    assert len(re.findall(pattern.group(1), readme, re.MULTILINE)) == 1


def test_every_label_of_a_rule_or_lemma_is_explained() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    source = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "boundcalc").rglob("*.py"))
    labels = set(re.findall(r'"([RCSQA][1-9])"', source))
    assert {"R2", "R9", "C2", "S6", "Q2"} <= labels
    assert [label for label in sorted(labels) if not re.search(rf"^### {label} ", rules, re.MULTILINE)] == []


def test_rules_that_proofs_state_are_those_of_the_page() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert [label for label, (title, _) in RULES.items() if f"### {label} {title}\n" not in rules] == []
    assert set(RULES) == {f"R{k}" for k in range(1, 11)}
