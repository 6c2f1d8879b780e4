r"""LaTeX: a document as a fragment for a paper, or as a whole file.

Needs amsmath, amssymb, amsthm, array, tabularx and longtable, and an environment `theorem`. Everything fits a line of
345 points, that of the class article; formulas are broken by linebreak.py, tables get smaller type where they must.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import replace

from sympy import Expr

from ..formulas.mathtext import known_sign, plain
from ..formulas.mathtext import to_latex as set_text
from ..formulas.notation import to_latex, to_unicode
from ..lemmas.bibliography import entry
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

LINE = 345.0                # points: the text width of the class article at 10 points
LONG_WORD = 28              # letters
INLINE = 60.0               # … of a formula within words, where nothing may be wide
LETTER = 4.9                # … of an average letter
INDENT = 25.0               # … of lists
SIZES = (                   # of type in tables: how it is called, its scale, and the points between two columns
    (r"\normalsize", 1.0, 12.0), (r"\small", 0.92, 12.0), (r"\footnotesize", 0.85, 12.0),
    (r"\footnotesize\setlength{\tabcolsep}{3pt}", 0.85, 6.0))
COMFORTABLE = 120.0         # … of a column of formulas, before smaller type is tried
NARROWEST = 90.0            # … of a column of words
STRETCHED = r"\emergencystretch=4em\allowdisplaybreaks"        # room for words beside formulas; pages may end in a display
STRETCH = r"\renewcommand{\arraystretch}{1.45}"
LONG = 28                   # lines from which on a table may break over pages
PACKAGES = ("amsmath", "amssymb", "amsthm", "array", "tabularx", "longtable", "graphicx", "lmodern")

_SPECIAL = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
            "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": "$<$", ">": "$>$", "|": r"$\vert$", "—": "---",
            "–": "--", "“": "``", "”": "''", "’": "'", "…": r"\dots{}", "∎": r"$\blacksquare$", "\"": "''"}
_NARROW: ContextVar[bool] = ContextVar("narrow", default=False)
_BREAKABLE = "[](),/=*+."         # behind these a line of code may end


def write(document: Document, standalone: bool = False) -> str:
    """The document as a fragment, or with all that is needed to compile it."""
    narrow = _NARROW.set(document.narrow)
    try:
        body = blocks(document.blocks)
    finally:
        _NARROW.reset(narrow)
    if not standalone:
        return _needs(document, body) + body + "\n"
    packages = "\n".join(rf"\usepackage{{{name}}}" for name in PACKAGES)
    return "\n".join([
        r"\documentclass{article}", r"\usepackage[a4paper,margin=30mm]{geometry}", packages,
        r"\usepackage[hidelinks]{hyperref}", r"\newtheorem{theorem}{Theorem}", STRETCHED,
        rf"\title{{{line(document.title)}}}", r"\author{}", r"\date{}", r"\begin{document}", r"\maketitle", "", body, "",
        _references(document.sources), r"\end{document}", ""])


def blocks(content: Iterable[Piece], width: float = LINE) -> str:
    """Blocks below each other, on lines of that width. A display belongs to the paragraph before it."""
    out = ""
    for b in content:
        out += ("" if not out else "\n" if isinstance(b, Display) else "\n\n") + _block(b, width)
    return out


def _needs(document: Document, body: str) -> str:
    """What the paper around a fragment must load."""
    used = [name for name in ("tabularx", "longtable") if rf"\begin{{{name}}}" in body]
    lines = [f"% Needs the packages {', '.join(['amsmath', 'amssymb', 'amsthm', 'array', *used])}"
             + (r" and \newtheorem{theorem}{Theorem}." if r"\begin{theorem}" in body else ".")]
    if "longtable" in used:
        lines.append("% longtable needs a page of one column.")
    if document.sources:
        lines.append("% BibTeX entries of what is cited: the same command with -f bibtex.")
    return "\n".join(lines) + "\n"


def _references(keys: Iterable[str]) -> str:
    items = [rf"\bibitem{{{key}}} {words(entry(key).text)}" for key in keys]
    return "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}"]) if items else ""


def comment(text: str) -> str:
    """A line that LaTeX passes over."""
    return "% " + " ".join(plain(text).split())


# ---------------------------------------------------------------------------------------------------------------
# inside a line

def line(content: Line) -> str:
    return "".join(_span(s) for s in content)


def _span(span: Span) -> str:
    match span:
        case str():
            return words(span)
        case Math():
            return _inline(span)
        case Number(text=text):
            return f"${number(text)}$"
        case Code(text=text):
            return rf"\texttt{{{_code(text)}}}"
        case Strong(text=text):
            return rf"\textbf{{{words(text)}}}"
        case Verdict(word=word):
            return rf"\textbf{{{words(word)}}}"
        case Cite(key=key):
            return rf"\cite{{{key}}}"


def _inline(content: Math) -> str:
    """A formula in a line of words. Where nothing may be wide, a long one has places where the line may end."""
    if not _NARROW.get() or measure(formula(content)) <= INLINE:
        return f"${formula(content)}$"
    shown: list[str] = []
    for part in content.parts:
        pieces = broken(part, INLINE, INLINE) if isinstance(part, Expr) else [set_text(part)]
        fits = all(measure(x) <= 1.5 * INLINE for x in pieces)
        text = to_unicode(part) if isinstance(part, Expr) else part
        cut = r"\allowbreak{}".join(_code(x) for x in re.findall(".{1,8}", text))
        shown += [f"${x}$" for x in pieces] if fits else [cut]
    return " ".join(shown)


def words(text: str) -> str:
    """Plain words. Single mathematical signs are set as such; what LaTeX has no letter for is shown by its number; what is
    too long for a line may be broken anywhere."""
    return " ".join("".join(_letter(c) + (r"\allowbreak{}" if len(word) > LONG_WORD and k % 8 == 7 else "")
                            for k, c in enumerate(word)) for word in text.split(" "))


def _letter(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c.isascii():
        return c if c.isprintable() else " "
    sign = known_sign(c)
    if sign is not None:
        return f"${sign}$"
    return c if c.isalpha() and ord(c) < 0x17F else rf"\texttt{{[U+{ord(c):04X}]}}"


def _listed(line: str) -> str:
    """A line of a listing: blanks at its start and in a row are kept."""
    kept = line.lstrip(" ")
    return "~" * (len(line) - len(kept)) + _code(kept).replace("  ", "~~")


def _code(text: str) -> str:
    """Letter by letter, with places where a line may end: no hyphen is ever put in."""
    out = ""
    for before, c in zip(" " + text, text, strict=False):
        out += {"-": "-{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}"}.get(c, _letter(c))
        out += r"\allowbreak{}" if c in _BREAKABLE or (c == "-" and before.isalnum()) else ""
    return out


def formula(content: Math) -> str:
    """One line of mathematics."""
    return " ".join(to_latex(part) if isinstance(part, Expr) else set_text(part) for part in content.parts).strip()


def number(text: str) -> str:
    """0.25, 1.2e-30↑, > 10^1000 or ∞, as values.py writes them."""
    mark = {"↑": r"{\uparrow}", "↓": r"{\downarrow}"}.get(text[-1:], "")
    text = text.rstrip("↑↓").replace("−", "-")
    mantissa, e, exponent = text.partition("e")
    if e:
        return rf"{mantissa}\cdot 10^{{{exponent}}}{mark}"
    power = re.fullmatch(r"> 10\^([0-9]+)", text)
    if power:
        return f"> 10^{{{power[1]}}}"
    return {"∞": r"\infty"}.get(text, words(text)) + mark


# ---------------------------------------------------------------------------------------------------------------
# blocks

def _block(block: Piece, width: float) -> str:
    match block:
        case Heading(content=content, level=level):
            return rf"\{'sub' * (level - 1)}section*{{{line(content)}}}"
        case Paragraph(content=content):
            return line(content)
        case Display(equations=equations):
            return _display(equations, width)
        case Table():
            return _table(block)
        case Listing(lines=lines):
            return "\\begin{flushleft}\\ttfamily\\small\n" + "\\\\\n".join(map(_listed, lines)) + "\n\\end{flushleft}"
        case Items(items=items, numbered=numbered):
            name = "enumerate" if numbered else "itemize"
            return _list(name, [rf"\item {blocks(item, width - INDENT)}" for item in items])
        case Fields(entries=entries):
            shown = [rf"\item[{words(label)}] {blocks(content, width - INDENT)}" for label, content in entries]
            return _list("description", shown)
        case Statement(kind=kind, title=title, body=body):
            return _statement(kind, line(title), blocks(body, width))


def _list(name: str, items: list[str]) -> str:
    return "\n".join([rf"\begin{{{name}}}", *items, rf"\end{{{name}}}"])


def _statement(kind: str, title: str, body: str) -> str:
    if kind == "theorem":
        return f"\\begin{{theorem}}[{title}]{STRETCHED}\n{body}\n\\end{{theorem}}"
    if kind == "proof":
        return f"\\begin{{proof}}{STRETCHED}\n{body}\n\\end{{proof}}"
    return f"{{{STRETCHED}\n\\medskip\\noindent\\textit{{{title or kind.capitalize()}.}} {body}\\par}}"


def _display(equations: Iterable[Equation], width: float) -> str:
    rows = []
    for e in equations:
        left, relation = formula(e.left), set_text(e.relation)
        if measure(left, display=True) > 0.45 * width and len(_broken(e.right, width / 2, display=True)) > 1:
            rows.append(f"&{left}")         # a long left side has a line of its own
            left = ""
        room = width - measure(left, display=True) - measure(relation) - (0.0 if left else 10.0)
        first, *rest = _broken(e.right, room, display=True)
        rows.append(rf"{left} &{relation} {first}" if left else rf"&\quad {relation} {first}")
        rows += [rf"&\quad {x}" if not x.startswith(("+", "-")) else rf"&\quad {{}}{x}" for x in rest]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def _broken(content: Math, room: float, display: bool = False) -> list[str]:
    """Lines of a formula; only a single expression is broken, and continued lines are indented."""
    if len(content.parts) == 1 and isinstance(content.parts[0], Expr):
        return broken(content.parts[0], room - 10.0, room, display)
    return [formula(content)]


# ---------------------------------------------------------------------------------------------------------------
# tables

def _table(table: Table) -> str:
    """As wide as its contents, or as the line where words fill it; in smaller type if that is needed."""
    table = _wrapped(table)
    size, room, limits = _layout(table)
    rows = [_row(row, table.columns, limits) for row in table.rows]
    wide = room / max(1, table.columns.count("w"))
    many = sum(_lines(row, table.columns, limits, wide) for row in table.rows) >= LONG
    name = "longtable" if many else "tabularx" if "w" in table.columns else "tabular"
    filled = rf"\begin{{{name}}}" + (r"{\linewidth}" if name == "tabularx" else "")
    columns = "".join(_column(kind, wide if many else None) for kind in table.columns)
    heading = " & ".join(line(h) for h in table.headings) + r" \\ \hline" + (r" \endhead" if many else "")
    body = [f"{filled}{{{columns}}}", heading, *rows, rf"\end{{{name}}}"]
    caption = rf"\textit{{{line(table.caption)}.}}" if table.caption else ""
    note = rf"{{\footnotesize {line(table.note)}}}"
    if many:
        inner = [*([rf"\noindent{caption}"] if caption else []), *body, *([rf"\noindent{note}"] if table.note else [])]
        return "\n".join([r"{\normalfont" + size, STRETCH, *inner, "}"])
    inner = [*([caption + r"\\[2pt]"] if caption else []), *body, *([rf"\\[2pt]{note}"] if table.note else [])]
    # a table stays with its caption and its note on one page
    return "\n".join([r"\begin{center}\begin{minipage}{\linewidth}\normalfont\centering" + size, STRETCH, *inner,
                      r"\end{minipage}\end{center}"])


def _layout(table: Table) -> tuple[str, float, list[float]]:
    """The size of the type, what is left for words, and what every column keeps to, in points of normal type."""
    natural = [_natural(table, k) for k in range(len(table.columns))]
    for size, scale, separation in SIZES:
        separations = separation * len(table.columns) / scale
        limits = _limits(table.columns, natural, LINE / scale - separations)
        squeezed = any(limit < min(wish, COMFORTABLE) for limit, wish in zip(limits, natural, strict=True))
        if size is SIZES[-1][0] or (sum(limits) + separations <= LINE / scale and not squeezed):
            break
    used = sum(w for w, kind in zip(limits, table.columns, strict=True) if kind != "w")
    return size, scale * (LINE / scale - separations - used), limits


def _row(row: tuple[Line, ...], columns: str, limits: list[float]) -> str:
    if len(row) == 1:
        fits = _width(row[0]) < sum(limits)         # else it is wrapped, which stretches the last column
        kind = "@{}l@{}" if fits else r"@{}p{0.97\linewidth}@{}"
        ragged = "" if fits else r"\raggedright"
        return rf"\multicolumn{{{len(columns)}}}{{{kind}}}{{{ragged}\textit{{{line(row[0])}}}}} \\"
    return " & ".join(_cell(cell, kind, limit) for cell, kind, limit in zip(row, columns, limits, strict=True)) + r" \\"


def _lines(row: tuple[Line, ...], columns: str, limits: list[float], wide: float) -> int:
    """About how many lines a row takes."""
    if len(row) == 1:
        return 1
    words_in = [int(_width(cell) / wide) + 1 for cell, kind in zip(row, columns, strict=True) if kind == "w"]
    formulas = [len(_formula_lines(cell, kind, limit)) for cell, kind, limit in zip(row, columns, limits, strict=True)]
    return max([1, *words_in, *formulas])


def _natural(table: Table, k: int) -> float:
    """What the widest cell of a column needs on one line; a column of words is content with little."""
    if table.columns[k] == "w":
        return NARROWEST
    return max(_width(cell) for cell in (table.headings[k], *(row[k] for row in table.rows if len(row) > 1)))


def _wrapped(table: Table) -> Table:
    """Columns of words that would take more than a third of the line are wrapped."""
    wide = [kind == "l" and _natural(table, k) > LINE / 3 for k, kind in enumerate(table.columns)]
    return replace(table, columns="".join("w" if w else kind for w, kind in zip(wide, table.columns, strict=True)))


def _width(cell: Line) -> float:
    return sum(_span_width(s) for s in cell)


def _span_width(span: Span) -> float:
    match span:
        case Math():
            return measure(formula(span))
        case Number(text=text):
            return measure(number(text))
        case Code(text=text):
            return LETTER * 1.1 * len(text)
        case str(text) | Strong(text=text) | Verdict(word=text):
            return LETTER * len(text)
        case Cite():
            return LETTER * 4           # a number in brackets


def _limits(columns: str, natural: list[float], room: float) -> list[float]:
    """What columns of formulas must keep to so that the rest fits: the widest one gives way first."""
    limits = list(natural)
    formulas = [k for k, kind in enumerate(columns) if kind == "f"]
    excess = sum(limits) - room
    while excess > 0 and formulas:
        widest = max(formulas, key=lambda k: limits[k])
        others = [limits[k] for k in formulas if k != widest]
        step = min(excess, max(5.0, limits[widest] - max(others, default=0.0)))
        limits[widest] -= step
        excess -= step
        if limits[widest] < 60.0:
            break
    return limits


def _column(kind: str, width: float | None) -> str:
    if kind == "w":
        return r">{\raggedright\arraybackslash}" + ("X" if width is None else f"p{{{width:.0f}pt}}")
    return {"r": "r"}.get(kind, "l")


def _cell(cell: Line, kind: str, limit: float) -> str:
    lines = _formula_lines(cell, kind, limit)
    if len(lines) < 2:
        return line(cell)
    shown = r" \\ ".join([f"${lines[0]}$", *(rf"$\quad {{}}{x}$" for x in lines[1:])])
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}} {shown} \end{{tabular}}"


def _formula_lines(cell: Line, kind: str, limit: float) -> list[str]:
    """The lines of a cell that is one formula, in a column that breaks them; none of other cells."""
    if kind == "f" and len(cell) == 1 and isinstance(cell[0], Math):
        return _broken(cell[0], limit)
    return []
