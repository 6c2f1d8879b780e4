"""Whole tables with --whole; generated pages and golden files written anew with --regenerate; which process runs what."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.selection import VARIABLE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write generated pages and golden files instead of comparing")
    parser.addoption("--whole", action="store_true", help=f"run whole tables, not a selection (also: {VARIABLE}=1)")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--whole"):
        os.environ[VARIABLE] = "1"      # tables are made when test modules are imported, and that is later


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
