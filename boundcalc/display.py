"""How results show themselves in a notebook: `latex()`, and what IPython asks for.

The writers are those of the room export, which is above every result: it enters them in WRITERS when it is imported, and
the package's __init__ names the module to import.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

WRITERS: dict[str, Callable[[object], str]] = {}        # "latex", "formula", "html"
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
