"""What the documentation shows can be typed as it stands: Python blocks run, commands run, links and names resolve."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import boundcalc.constructions
from boundcalc.cli.main import DONE, main
from boundcalc.lemmas.rules import RULES
from tests.test_rooms import ORDER

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


EXAMPLES = ROOT / "docs" / "examples"
ARCHITECTURE, CONSTRUCTION, API = (ROOT / "docs" / f"{name}.md" for name in ("architecture", "adding-a-construction", "api"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands() -> list[str]:
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]
    return list(dict.fromkeys(line.split("#")[0].strip() for line in lines if line.startswith("boundcalc ")))


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "api.md", ROOT / "docs" / "json.md"],
                         ids=lambda p: p.name)
def test_python_blocks_print_what_is_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "json.md":          # its block reads what the command before it writes
        with pytest.raises(SystemExit):
            main(["mult", "--eps", "1e-3", "-f", "json", "-o", "mult.json"])
    found = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```\n)?", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(found) == len(blocks(page, "python")) > 0
    scope: dict[str, object] = {}
    for block, shown in found:
        exec(compile(block, page.name, "exec"), scope)
        assert capsys.readouterr().out == shown, block


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """What a command prints, in a folder that has the examples; it must succeed and complain of nothing."""
    for example in EXAMPLES.glob("*.py"):
        shutil.copy(example, tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> str:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line)[1:])
        out, err = capsys.readouterr()
        assert (end.value.code, err) == (DONE, ""), line
        return out
    return run


@pytest.mark.dear
def test_commands_run_in_order(typed: Callable[[str], str]) -> None:
    found = commands()
    assert len(found) >= 10
    for line in found:
        out = typed(line)
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
    assert set(RULES) == {f"R{k}" for k in range(1, 14)}


# --- names of modules and functions -----------------------------------------------------------------------------------

def resolves(dotted: str) -> bool:
    """Whether boundcalc.x.y is a module, or something in one."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = re.findall(r"(?<![\w./])(?:boundcalc|tests|docs|benchmarks)/[\w./-]*\w/?", text)
    assert [p for p in paths if not (ROOT / p).exists()] == []
    dotted = re.findall(r"(?<![\w./-])boundcalc(?:\.[A-Za-z_]\w*)+", text)
    assert [d for d in dotted if not resolves(d)] == []


def test_a_name_of_nothing_is_seen() -> None:
    assert resolves("boundcalc.terms.term.Ramps")
    assert resolves("boundcalc.bound")
    gone = ("boundcalc.terms.term.Layer", "boundcalc.networks_of", "boundcalc.results.bound.Bound.domain")
    assert [name for name in gone if resolves(name)] == []


def test_modules_that_the_code_names_exist() -> None:
    """In docstrings and comments; mine.py is a user's."""
    sources = list((ROOT / "boundcalc").rglob("*.py"))
    known = {p.name for p in sources} | {"mine.py"}
    named = {(p.name, name) for p in sources for name in re.findall(r"\b\w+\.py\b", p.read_text(encoding="utf-8"))}
    assert len(named) >= 10
    assert {(where, name) for where, name in named if name not in known} == set()


# --- architecture.md --------------------------------------------------------------------------------------------------

def test_the_drawing_has_every_room_in_the_order_of_imports() -> None:
    (drawing,) = blocks(ARCHITECTURE, "text")
    drawn = re.findall(r"^.{0,20}[┌├└] (\w+) +\S", drawing, re.MULTILINE)
    package = ROOT / "boundcalc"
    root = {p.stem for p in package.glob("*.py") if not p.stem.startswith("__")}
    folders = {p.name for p in package.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert tuple(drawn[-len(ORDER):]) == ORDER
    assert sorted(drawn[:-len(ORDER)]) == sorted(root | folders - set(ORDER))


def test_every_function_that_the_page_names_exists() -> None:
    named = re.findall(r"`([a-z_]+(?:\.\w+)+)`", ARCHITECTURE.read_text(encoding="utf-8"))
    assert len(named) >= 50
    assert [name for name in named if not resolves(f"boundcalc.{name}")] == []


FOLLOW = """
import sys
from boundcalc.cli.main import main

seen = {}
def look(frame, event, argument):
    if event == "call":
        seen.setdefault(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}")
sys.setprofile(look)
try:
    main(sys.argv[2:])
finally:
    sys.setprofile(None)
    with open(sys.argv[1], "w") as file:
        file.write("\\n".join(seen))
"""


def ways() -> list[tuple[str, list[str]]]:
    """Every command that the page follows, with the functions of its table."""
    sections = re.split(r"^## ", ARCHITECTURE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = [(re.match(r"The way of `(boundcalc [^\n]+)`\n", s), s) for s in sections]
    return [(match[1], re.findall(r"^\| `([\w.]+)` \|", s, re.MULTILINE)) for match, s in found if match]


@pytest.mark.dear
@pytest.mark.parametrize(("command", "functions"), ways(), ids=["bound", "verify", "check"])
def test_a_command_takes_the_way_of_the_page(command: str, functions: list[str], tmp_path: Path) -> None:
    """In a process of its own: what another test has cached would not be called."""
    assert len(functions) >= 10
    subprocess.run([sys.executable, "-c", FOLLOW, str(tmp_path / "calls"), *shlex.split(command)[1:]], check=True,
                   cwd=ROOT, stdout=subprocess.DEVNULL)
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    place = {name.removeprefix("boundcalc."): k for k, name in enumerate(calls)}
    assert [f for f in functions if f not in place] == []
    assert sorted(functions, key=place.__getitem__) == functions


# --- adding-a-construction.md -----------------------------------------------------------------------------------------

LISTING = re.compile(r"(`docs/examples/(?P<name>\w+\.py)`, as it is:\n\n)```python\n.*?```\n", re.DOTALL)
SHOWN = re.compile(r"```sh\n(?P<command>boundcalc [^\n]+)\n```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def test_the_page_prints_its_example_and_what_commands_say(golden: Callable[[Path, str], None],
                                                           typed: Callable[[str], str]) -> None:
    page = CONSTRUCTION.read_text(encoding="utf-8")
    assert LISTING.search(page)
    assert {m["command"].split(" ")[1] for m in SHOWN.finditer(page)} >= {"./hinge.py", "verify", "show"}
    page = LISTING.sub(lambda m: f"{m[1]}```python\n{(EXAMPLES / m['name']).read_text(encoding='utf-8')}```\n", page)
    golden(CONSTRUCTION, SHOWN.sub(
        lambda m: f"```sh\n{m['command']}\n```\n\n```text\n{typed(m['command'])}```\n", page))


def test_an_installed_package_brings_the_example_along(tmp_path: Path) -> None:
    """With the entry point of the page. Listing does not import the module."""
    (snippet,) = blocks(CONSTRUCTION, "toml")
    ((group, points),) = tomllib.loads(snippet)["project"]["entry-points"].items()
    ((name, module),) = points.items()
    package, information = tmp_path / module.split(".")[0], tmp_path / "mine-1.0.dist-info"
    package.mkdir()
    (package / "__init__.py").touch()
    source = (EXAMPLES / "hinge.py").read_text(encoding="utf-8")
    (package / "hinge.py").write_text(source + '\nprint("imported")\n', encoding="utf-8")
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n", encoding="utf-8")

    def said(*arguments: str) -> str:
        return subprocess.run([sys.executable, "-m", "boundcalc", *arguments], check=True, capture_output=True, text=True,
                              encoding="utf-8", env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}",
                                                     "PYTHONIOENCODING": "utf-8"}).stdout

    listed, derived = said("list"), said(name, "--eps", "1e-3", "--only", "heads")
    assert f"\n{name} " in listed
    assert "imported" not in listed
    assert "imported" in derived


def test_what_a_construction_file_may_import_is_listed() -> None:
    section = API.read_text(encoding="utf-8").partition("## Names for construction files\n")[2].partition("\n## ")[0]
    listed = [name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(boundcalc.constructions.__all__)
