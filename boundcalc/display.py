"""How results show themselves: as text where they are printed, as mathematics in a notebook, as JSON for scripts.

The writers are those of the room export, which is above every result: it enters them in WRITERS when it is imported, and
the package's __init__ names the module to import.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

WRITERS: dict[str, Callable[[object], str]] = {}        # "latex", "formula", "html", "text", "json", "markdown"
WRITTEN_BY = "boundcalc.export.notebook"


def _written(result: object, way: str) -> str:
    if not WRITERS:
        import_module(WRITTEN_BY)
    return WRITERS[way](result)


class Shown:
    """A result that can write itself as LaTeX and shows itself as mathematics in a notebook."""

    def latex(self) -> str:
        """LaTeX for a paper: a formula, or for a whole bound its theorem."""
        return _written(self, "latex")

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {_written(self, 'formula')}$"

    def _repr_html_(self) -> str:
        return _written(self, "html")


class Printed(Shown):
    """A result with a report of its own: `print(result)` is that report."""

    def __str__(self) -> str:
        return _written(self, "text").rstrip("\n")

    def to_json(self) -> str:
        """What `-f json` writes."""
        return _written(self, "json")

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary: rationals are texts."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_markdown(self) -> str:
        """What `-f markdown` writes."""
        return _written(self, "markdown")
