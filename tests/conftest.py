"""Whole tables with --whole, one file with --construction; generated pages and golden files written anew with --regenerate;
which process runs what."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.selection import CONSTRUCTION, VARIABLE, part, whole

CONFORMANCE = Path(__file__).parent / "conformance"
# the same examples on every machine; HYPOTHESIS_PROFILE=default looks for others
settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write generated pages and golden files instead of comparing")
    parser.addoption("--whole", action="store_true", help=f"run whole tables, not a selection (also: {VARIABLE}=1)")
    parser.addoption("--construction", metavar="PATH", help="run the conformance suite over the cases that this file "
                     "declares, and nothing else; the file is executed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--whole"):
        os.environ[VARIABLE] = "1"      # tables are made when test modules are imported, and that is later
    if config.getoption("--construction"):
        os.environ[CONSTRUCTION] = _with_cases(config.invocation_params.dir / config.getoption("--construction"))


def _with_cases(path: Path) -> str:
    """A file that cannot be run is refused with one sentence, before anything is collected."""
    from boundcalc.declarations.registry import construction
    from boundcalc.errors import BoundcalcError
    try:
        c = construction(str(path.resolve()))
    except BoundcalcError as problem:
        raise pytest.UsageError(str(problem)) from None
    if not any((*c.cases, *(case for route in c.routes for case in route.cases))):
        raise pytest.UsageError(f"{path.name} declares no cases: give its record cases=(Case(…), …).")
    return str(path.resolve())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    alone = config.getoption("--construction") and not (
        collection_path.is_relative_to(CONFORMANCE) or CONFORMANCE.is_relative_to(collection_path))
    return True if alone else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--construction"):
        kept = _about_one_file(items)
    elif whole() or any("::" in argument for argument in config.args):      # what is asked for by name is run
        return
    else:
        kept = _sample(items)
    config.hook.pytest_deselected(items=[i for i in items if i not in kept])
    items[:] = [i for i in items if i in kept]


def _about_one_file(items: list[pytest.Item]) -> set[pytest.Item]:
    """What is asked of each of its cases. What is asked of bundled constructions is not about it."""
    from tests.conformance.cases import Case
    return {i for i in items if isinstance(i, pytest.Function) and hasattr(i, "callspec")
            and isinstance(i.callspec.params.get("case"), Case)}


def _sample(items: list[pytest.Item]) -> set[pytest.Item]:
    """A part of every long table, and no test that is marked as one for whole runs; all that needs outside programs."""
    kept = {item for item in items if item.get_closest_marker("outside")}
    tests: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item not in kept and item.get_closest_marker("dear") is None:
            tests.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    taken: dict[Path, set[str]] = {}            # cases of a folder, whose tests ask different things of one table
    for (path, _), cases in sorted(tests.items(), key=lambda found: len(found[1])):     # the longest take what is left
        ids = [item.name.partition("[")[2] for item in cases]
        chosen = part(ids, taken.setdefault(path.parent, set()))
        taken[path.parent] |= chosen
        kept |= {item for item, name in zip(cases, ids, strict=True) if name in chosen}
    return kept


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line, in this process: exit code, output, errors."""
    from boundcalc.cli.main import main

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, out, err
    return call


def pytest_collection_finish() -> None:
    gc.freeze()                         # thousands of tests and tables: they stay, and need not be looked through again


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each process starts with a stretch of its own: tests of one file share bounds, which would be derived in all."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """golden(path, text): the file holds that text; a file that is missing is a failure."""
    regenerate = request.config.getoption("--regenerate")

    def compare(path: Path, text: str) -> None:
        if regenerate:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.is_file(), f"{path.name} is missing; make it with --regenerate and read it before it is committed"
        found = path.read_bytes().decode("utf-8")
        assert found == text, f"{path.name} differs; see what has changed with --regenerate and git diff"
    return compare
