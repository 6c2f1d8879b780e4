"""What belongs to a project beside its code: licence, citation, types, one version, a first page that can be typed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import boundcalc
from boundcalc.declarations.registry import construction, names
from boundcalc.gates import GATES

ROOT = Path(__file__).parent.parent


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "boundcalc.__version__"}
    places = [path for path in [*(ROOT / "boundcalc").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "CITATION.cff"]
              if f'"{boundcalc.__version__}"' in path.read_text(encoding="utf-8")]
    assert places == [ROOT / "boundcalc" / "__init__.py"]
    assert re.search(rf"^## ({re.escape(boundcalc.__version__)}|Unreleased)$", read("CHANGELOG.md"), re.MULTILINE)


def test_the_licence_is_said_everywhere_alike() -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert read("LICENSE").startswith("MIT License\n")
    assert "The boundcalc authors" in read("LICENSE")
    assert project["license"] == "MIT"
    assert re.search(r"^license: MIT$", read("CITATION.cff"), re.MULTILINE)


def test_the_citation_names_no_person() -> None:
    text = read("CITATION.cff")
    assert re.search(r"^authors:\n  - name: The boundcalc authors$", text, re.MULTILINE)
    assert not re.search("family-names|given-names|orcid|email", text)


def test_types_are_offered_to_others() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert (ROOT / "boundcalc" / "py.typed").is_file()
    assert "py.typed" in project["tool"]["setuptools"]["package-data"]["boundcalc"]
    assert "Typing :: Typed" in project["project"]["classifiers"]


def test_the_readme_activates_the_environment_before_it_uses_the_command() -> None:
    text = read("README.md")
    assert 0 < text.index(". .venv/bin/activate") < text.index("\nboundcalc mult")
    assert ".venv/bin/boundcalc" not in text


def test_the_readme_explains_its_words_before_it_uses_them() -> None:
    text = read("README.md")
    explained = {word: text.index(f"**{word}**") for word in ("route", "gate", "claim", "verdict")}
    assert max(explained.values()) < min(text.index(option) for option in (" --route ", " --gate ", " check --claim "))
    paragraph = text[explained["route"]:text.index("```", explained["verdict"])]
    routes = {route for name in names() for route in construction(name).by_route}
    assert [word for word in (*sorted(routes), *GATES) if f"`{word}`" not in paragraph] == []


def test_contributors_get_two_commands_and_what_to_add() -> None:
    text = read("CONTRIBUTING.md")
    first = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
    assert first
    assert len(first[1].splitlines()) == 2
    for word in ("**A construction**", "**A gate**", "**A lemma**", "--whole", "-n auto"):
        assert word in text
