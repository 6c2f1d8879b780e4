"""Pages of the documentation that are installed with the package: docs/rules.md and docs/model.md, word for word."""

from __future__ import annotations

from pathlib import Path

PAGES = ("rules", "model")


def page(name: str) -> str:
    return (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")
