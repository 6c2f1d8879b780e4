r"""Documents as Markdown for GitHub and GitLab.

Mathematics stands as $`…`$ in a line and in ```math blocks: there neither Markdown's own characters nor HTML are read. The
same text is given to MathJax by GitHub, which refuses \operatorname, and to KaTeX by GitLab.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..formulas.mathtext import to_latex as text_to_latex
from ..lemmas.bibliography import entry
from . import latex
from .document import (
    Cite,
    Code,
    Display,
    Document,
    Equation,
    Fields,
    Heading,
    Items,
    Line,
    Listing,
    Math,
    Number,
    Paragraph,
    Piece,
    Span,
    Statement,
    Strong,
    Table,
    Verdict,
)
from .linebreak import broken, measure

_READ = re.compile(r"[\\`*_{}\[\]<>#|~&]")                 # what Markdown or HTML could read as a mark
_BEGINS = re.compile(r"([0-9]*)(?=[-+.)](?:\s|$)|-{3})")      # what would begin a list or a rule at the start of a line
QED = "∎"
WIDTH, INDENT = 520.0, 20.0     # points of a line of a display in a browser, and of what its continuations are set in


def write(document: Document) -> str:
    """The whole document, with its title and its list of references."""
    parts = [f"# {_line(document.title)}", blocks(document.blocks).rstrip("\n"), _references(document.sources)]
    return "\n\n".join(part for part in parts if part) + "\n"


def blocks(content: Iterable[Piece]) -> str:
    """Blocks without a title, to be put into another document."""
    return "\n\n".join(_block(block).rstrip("\n") for block in content) + "\n"


# --- spans ------------------------------------------------------------------------------------------------------------

def escaped(text: str) -> str:
    """Words, letter by letter, whatever they hold."""
    # a dollar sign cannot be escaped by a backslash on GitHub
    return _READ.sub(lambda m: "\\" + m[0], re.sub(r"\s+", " ", text)).replace("$", "<span>$</span>")


def _line(content: Line, cell: bool = False) -> str:
    """One line of text; newlines and runs of spaces in words count as one space."""
    text = "".join(_span(span, cell) for span in content)
    return _BEGINS.sub(r"\1\\", text, count=1) if _BEGINS.match(text) else text


def _span(span: Span, cell: bool) -> str:
    match span:
        case str():
            return escaped(span)
        case Math():
            return f"$`{formula(span)}`$"
        case Number(text=text):
            return _number(text)
        case Code(text=text):
            return _code(" ".join(text.split()), cell)
        case Strong(text=text) | Verdict(word=text):
            return f"**{escaped(' '.join(text.split()))}**"
        case Cite(key=key):
            return f"[\\[{escaped(entry(key).label)}\\]](#{_anchor(f'ref-{key}')})"
    raise AssertionError(span)


def formula(content: Math) -> str:
    """The formula as MathJax and KaTeX read it, without a bare | (a table would be cut there)."""
    return _for_web(latex.formula(content))


def _for_web(text: str) -> str:
    return re.sub(r"\\operatorname\{(\w+)\}", r"\\mathop{\\mathrm{\1}}", text).replace("|", r"\vert ")


def _number(text: str) -> str:
    """0.25 as it is; powers of ten and arrows as mathematics."""
    return text.replace("-", "−") if re.fullmatch(r"[-0-9./]*", text) else f"$`{latex.number(text)}`$"


def _code(text: str, cell: bool) -> str:
    if cell and "|" in text:
        # a table is cut at | before code is seen, and a backslash before it cannot be had inside code
        return "<code>" + "".join(c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in text) + "</code>"
    fence = _fence(text, 1)
    space = " " if text[:1] in ("`", "") or text[-1:] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def _fence(text: str, least: int) -> str:
    """Backticks that do not occur in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def _anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)


# --- blocks -----------------------------------------------------------------------------------------------------------

def _block(block: Piece) -> str:
    match block:
        case Heading(content=content, level=level, anchor=anchor):
            target = f'<a id="{_anchor(anchor)}"></a>\n\n' if anchor else ""
            return f"{target}{'#' * min(level + 1, 6)} {_line(content)}"
        case Paragraph(content=content):
            return _line(content)
        case Display(equations=equations):
            return _display(equations)
        case Table():
            return _table(block)
        case Listing(lines=lines):
            fence = _fence("\n".join(lines), 3)
            return "\n".join([fence, *lines, fence])
        case Items(items=items, numbered=numbered):
            return "\n".join(_item(f"{k + 1}. " if numbered else "- ", "", item) for k, item in enumerate(items))
        case Fields(entries=entries):
            return "\n".join(_item("- ", f"**{escaped(label)}:** ", body) for label, body in entries)
        case Statement(kind=kind, title=title, body=body):
            return _statement(kind, title, body)
    raise AssertionError(block)


def _display(equations: Sequence[Equation]) -> str:
    lines = [line for e in equations for line in _equation(e)]
    if len(lines) == 1:
        body = [lines[0].replace(" &", " ", 1)]
    else:
        body = [r"\begin{aligned}", *(line + r" \\" for line in lines[:-1]), lines[-1], r"\end{aligned}"]
    return "\n".join(["```math", *body, "```"])


def _equation(e: Equation) -> list[str]:
    """left &≤ right, the right side broken over lines where it is a long expression."""
    left = f"{formula(e.left)} &{text_to_latex(e.relation)} "
    if len(e.right.parts) != 1 or isinstance(e.right.parts[0], str):
        return [left + formula(e.right)]
    first, *rest = broken(e.right.parts[0], WIDTH - INDENT, WIDTH - measure(left, display=True), display=True)
    return [left + _for_web(first), *(r"&\qquad " + _for_web(line) for line in rest)]


def _table(table: Table) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def shown(cells: Sequence[Line]) -> Iterable[str]:
        if len(cells) == 1 < len(table.columns):        # the heading of the rows below it
            return [f"**{_line(cells[0], cell=True).strip()}**", *[""] * (len(table.columns) - 1)]
        return (_line(cell, cell=True) for cell in cells)

    lines = [row(_line(h, cell=True) for h in table.headings),
             row("--:" if letter == "r" else "---" for letter in table.columns),
             *(row(shown(cells)) for cells in table.rows)]
    caption = [f"*{_line(table.caption).strip()}*", ""] if table.caption else []
    note = ["", _line(table.note)] if table.note else []
    return "\n".join([*caption, *lines, *note])


def _item(mark: str, head: str, body: Sequence[Piece]) -> str:
    """A list item: its first paragraph stands behind the mark, everything else below it."""
    shown = [_block(block) for block in body]
    first = shown.pop(0) if body and isinstance(body[0], Paragraph) else ""
    indent = " " * len(mark)
    parts = [(mark + head + first).rstrip(), *(_indented(text, indent) for text in shown)]
    return "\n\n".join(parts) + ("\n" if shown else "")


def _indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _statement(kind: str, title: Line, body: Sequence[Piece]) -> str:
    named = f" ({_line(title)})" if title else ""
    head = f"**{kind.capitalize()}{named}.**" if kind == "theorem" else f"*{kind.capitalize()}{named}.*"
    return _run_in(head, [*body, Paragraph((QED,))] if kind == "proof" else body)


def _run_in(head: str, body: Sequence[Piece]) -> str:
    """The head in front of the first paragraph, or above whatever comes first; ∎ behind the last paragraph."""
    shown = [_block(block) for block in body]
    if body and isinstance(body[0], Paragraph):
        shown[0] = f"{head} {shown[0]}"
    else:
        shown.insert(0, head)
    if shown[-1] == QED and len(body) > 1 and isinstance(body[-2], Paragraph):
        shown[-2:] = [f"{shown[-2]} {QED}"]
    return "\n\n".join(shown)


# --- references -------------------------------------------------------------------------------------------------------

def _references(keys: Sequence[str]) -> str:
    if not keys:
        return ""
    lines = [f'- <a id="{_anchor(f"ref-{key}")}"></a>\\[{escaped(entry(key).label)}\\] {escaped(entry(key).text)}'
             for key in keys]
    return "\n".join(["## References", "", *lines])
