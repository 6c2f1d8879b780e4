"""How results show themselves in a notebook: `latex()`, and what IPython asks for. The formats are loaded when asked for."""

from __future__ import annotations


class Shown:
    """A result that can write itself as LaTeX and shows itself as mathematics in a notebook."""

    def latex(self) -> str:
        """LaTeX for a paper: a formula, or for a whole bound its theorem."""
        from .export.notebook import latex
        return latex(self)

    def _repr_latex_(self) -> str:
        from .export.notebook import mathematics
        return f"$\\displaystyle {mathematics(self)}$"

    def _repr_html_(self) -> str:
        from .export.notebook import html
        return html(self)
