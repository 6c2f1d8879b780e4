"""A document as HTML: one file that needs nothing else, neither scripts nor fonts nor a network."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from html import escape

from ..formulas.mathml import operator, text_to_mathml, to_mathml
from ..formulas.notation import to_unicode
from ..lemmas.bibliography import entry
from .document import (
    Cite,
    Code,
    Display,
    Document,
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
from .html_style import BLOCKS, PAGE, REPORT
from .mathml_lines import pieces
from .values import ROUNDED_DOWN, ROUNDED_UP

CONTENTS_FROM = 4       # sections; a page with fewer needs no table of contents
LINE = 26.0             # em: what fits on a line of any screen but a phone's, and on paper
NARROW = 14.0           # em: what fits on a line of a phone outside of tables
PHONE = 9.0             # em: what fits on any line of a phone, also within a list
LEFT = 4.0              # em: what leaves room on a phone for the other side of an equation
CELLS = 32.0            # em: what the formulas of one row of a table share on paper
ROUNDED = {ROUNDED_UP: "rounded up", ROUNDED_DOWN: "rounded down"}
SIGNS = {               # a verdict is known by its sign and its border, not by its colour alone
    "proved": "✓", "refuted": "✗", "conditional": "◐", "vacuous": "∅", "supported": "≈", "undecided": "?",
}
_ALIGNED = {"l": "bc-l", "r": "bc-r", "f": "bc-f", "w": "bc-w"}


def write(document: Document) -> str:
    """The document as a page."""
    writer = _Writer(linked=True, limit=NARROW if document.narrow else LINE)
    body = writer.blocks(document.blocks)
    title = writer.line(document.title)
    contents = writer.contents() if len(writer.sections) >= CONTENTS_FROM else ""
    sources = writer.sources(document.sources)
    return "\n".join(filter(None, (
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{escape(plain(document.title))}</title>",
        f"<style>\n{PAGE}{BLOCKS}{REPORT if document.narrow else ''}</style>", "</head>", "<body>",
        f'<main class="bc{" bc-report" if document.narrow else ""}">', f"<h1>{title}</h1>", contents, body, sources,
        "</main>", "</body>", "</html>", "")))


def fragment(blocks: Iterable[Piece]) -> str:
    """The blocks alone, for a notebook: colours are those of what is around it, and links lead nowhere else."""
    return f'<div class="bc">\n<style>\n{BLOCKS}</style>\n{_Writer(linked=False).blocks(blocks)}\n</div>\n'


def plain(line: Line) -> str:
    """The line as text without marks, such as a title."""
    return "".join(map(_plain_span, line))


def _plain_span(span: Span) -> str:
    match span:
        case str():
            return span
        case Math(parts=parts):
            return " ".join(part if isinstance(part, str) else to_unicode(part) for part in parts)
        case Cite(key=key):
            return entry(key).label
        case Verdict(word=word):
            return word
        case Number(text=text) | Code(text=text) | Strong(text=text):
            return text


class _Writer:
    """What has been written so far: identifiers must not come twice, and what is cited stands at the end."""

    def __init__(self, linked: bool, limit: float = LINE) -> None:
        self.linked = linked
        self.limit = limit
        self.used: Counter[str] = Counter()
        self.sections: list[tuple[str, Line]] = []
        self.cited: dict[str, None] = {}

    # ----------------------------------------------------------------------------------------------------------
    # lines

    def line(self, line: Line, limit: float = LINE) -> str:
        return "".join(self.span(span, min(limit, self.limit)) for span in line)

    def span(self, span: Span, limit: float) -> str:
        match span:
            case str():
                return escape(span)
            case Math():
                return formula(span, limit)
            case Number(text=text):
                return number(text)
            case Code(text=text):
                return f"<code>{escape(text)}</code>"
            case Strong(text=text):
                return f"<strong>{escape(text)}</strong>"
            case Verdict(word=word):
                return f'<span class="bc-verdict bc-{word}"><span aria-hidden="true">{SIGNS[word]}</span> {word}</span>'
            case Cite(key=key):
                return self.cite(key)

    def cite(self, key: str) -> str:
        label = f"[{escape(entry(key).label)}]"
        if not self.linked:
            return label
        self.cited[key] = None
        return f'<a href="#{_source_anchor(key)}">{label}</a>'

    # ----------------------------------------------------------------------------------------------------------
    # blocks

    def blocks(self, blocks: Iterable[Piece]) -> str:
        return "\n".join(map(self.block, blocks))

    def block(self, block: Piece) -> str:
        match block:
            case Heading():
                return self.heading(block)
            case Paragraph(content=content):
                return f"<p>{self.line(content)}</p>"
            case Display():
                return _display(block, self.limit)
            case Table():
                return self.table(block)
            case Listing(lines=lines):
                return f'<pre tabindex="0"><code>{escape(chr(10).join(lines))}</code></pre>'
            case Items(items=items, numbered=numbered):
                tag = "ol" if numbered else "ul"
                return f"<{tag}>\n{''.join(f'<li>{self.blocks(item)}</li>' + chr(10) for item in items)}</{tag}>"
            case Fields(entries=entries):
                rows = (f"<div><dt>{escape(label)}</dt><dd>{self.blocks(body)}</dd></div>\n" for label, body in entries)
                return f'<dl class="bc-fields">\n{"".join(rows)}</dl>'
            case Statement():
                return self.statement(block)

    def heading(self, block: Heading) -> str:
        level = min(block.level + 1, 6)         # the title is the first level
        if not self.linked:
            return f"<h{level}>{self.line(block.content)}</h{level}>"
        anchor = self.unique(_identifier(block.anchor or plain(block.content)) or "section")
        if block.level == 1:
            self.sections.append((anchor, block.content))
        return f'<h{level} id="{anchor}">{self.line(block.content)}</h{level}>'

    def unique(self, wanted: str) -> str:
        """The identifier, numbered if it was used before."""
        found = wanted
        while self.used[found]:
            self.used[wanted] += 1
            found = f"{wanted}-{self.used[wanted]}"
        self.used[found] += 1
        return found

    def table(self, table: Table) -> str:
        limit = CELLS / max(1, table.columns.count("f"))
        classes = [_ALIGNED[column] for column in table.columns]
        head = "".join(f'<th scope="col" class="{name}">{self.line(cell, limit)}</th>'
                       for name, cell in zip(classes, table.headings, strict=True))
        rows = "".join(self.row(table.columns, row, limit) for row in table.rows)
        groups = f"<tbody>\n{rows}</tbody>\n".replace("<tbody>\n</tbody>\n", "")
        note = f'\n<p class="bc-note">{self.line(table.note)}</p>' if table.note else ""
        return (f'<figure class="bc-table">\n<figcaption>{self.line(table.caption)}</figcaption>\n'
                f'<div class="bc-scroll" tabindex="0">\n<table>\n<thead><tr>{head}</tr></thead>\n{groups}'
                f"</table>\n</div>{note}\n</figure>")

    def row(self, columns: str, row: tuple[Line, ...], limit: float) -> str:
        if len(row) == 1:       # the heading of the rows below it
            return (f'</tbody>\n<tbody>\n<tr><th scope="rowgroup" colspan="{len(columns)}" class="bc-group">'
                    f"{self.line(row[0], limit)}</th></tr>\n")
        cells = ""
        for position, (column, cell) in enumerate(zip(columns, row, strict=True)):
            # the first cell says what its row is about, if it has words
            tag, scope = ("th", ' scope="row"') if position == 0 and column in "lw" else ("td", "")
            cells += f'<{tag}{scope} class="{_ALIGNED[column]}">{self.line(cell, limit)}</{tag}>'
        return f"<tr>{cells}</tr>\n"

    def statement(self, block: Statement) -> str:
        name, proof = escape(block.kind.capitalize()), block.kind == "proof"
        title = f" ({self.line(block.title)})" if block.title else ""
        head = f"<em>{name}{title}.</em> " if proof else f"<strong>{name}</strong>{title}<strong>.</strong> "
        written = [self.block(part) for part in block.body]
        # the head runs into the first paragraph, and the mark of the end into the last one
        if not written or not isinstance(block.body[0], Paragraph):
            written.insert(0, "<p></p>")
        written[0] = f"<p>{head}{written[0].removeprefix('<p>')}"
        if proof:
            if not written[-1].endswith("</p>"):
                written.append("<p></p>")
            written[-1] = written[-1].removesuffix("</p>") + ' <span class="bc-end">∎</span></p>'
        return f'<section class="bc-statement bc-{_identifier(block.kind)}">\n{chr(10).join(written)}\n</section>'

    # ----------------------------------------------------------------------------------------------------------
    # what stands before and behind the blocks

    def contents(self) -> str:
        plain_links = _Writer(linked=False)     # a link cannot hold another one
        entries = "".join(f'<li><a href="#{anchor}">{plain_links.line(content)}</a></li>\n'
                          for anchor, content in self.sections)
        return f'<nav class="bc-contents" aria-label="Contents">\n<ul>\n{entries}</ul>\n</nav>'

    def sources(self, listed: Iterable[str]) -> str:
        keys = list(dict.fromkeys((*listed, *self.cited)))
        if not keys:
            return ""
        entries = "".join(f'<li id="{_source_anchor(key)}">[{escape(entry(key).label)}] {escape(entry(key).text)}</li>\n'
                          for key in keys)
        return f'<h2 id="{self.unique("sources")}">Sources</h2>\n<ul class="bc-sources">\n{entries}</ul>'


# ---------------------------------------------------------------------------------------------------------------

def _display(display: Display, limit: float) -> str:
    cells = []
    for equation in display.equations:
        relation = f"<math>{operator(equation.relation, form='infix')}</math>"
        cells.append(f'<div class="bc-left">{formula(equation.left, limit, display=True)}</div>'
                     f'<div class="bc-relation">{relation}</div>'
                     f'<div class="bc-right">{formula(equation.right, limit, display=True)}</div>')
    # a phone has room for both sides on one line only where all left sides are short
    narrow = max(sum(width for _, width in _pieces(equation.left, limit)) for equation in display.equations) <= LEFT
    name = "bc-display bc-narrow" if narrow else "bc-display"
    return f'<div class="{name}">\n' + "\n".join(cells) + "\n</div>"


def formula(math: Math, limit: float = LINE, display: bool = False) -> str:
    """A formula, in pieces between which a line may be broken if it is long; what is still too wide scrolls alone."""
    start = '<math displaystyle="true">' if display else "<math>"
    shown = [f"{start}{row}</math>" if width <= PHONE
             else f'<span class="bc-wide" tabindex="0" style="--w:{width:.0f}">{start}{row}</math></span>'
             for row, width in _pieces(math, limit) if row]
    return "".join(shown) if len(shown) < 2 else f'<span class="bc-formula">{"".join(shown)}</span>'


def _pieces(math: Math, limit: float) -> list[tuple[str, float]]:
    row = "".join(text_to_mathml(part) if isinstance(part, str) else to_mathml(part) for part in math.parts)
    return pieces(row, limit)


def number(text: str) -> str:
    """A value: 1.2e-30↑ as 1.2·10⁻³⁰ and an arrow that says what it means."""
    arrow = text[-1:] if text[-1:] in ROUNDED else ""
    shown = escape(text.removesuffix(arrow))
    shown = re.sub(r"(?<=[0-9])e\+?(-?[0-9]+)", r"·10<sup>\1</sup>", shown)
    shown = re.sub(r"10\^(-?[0-9]+)", r"10<sup>\1</sup>", shown).replace("-", "−")
    mark = f'<span class="bc-arrow" role="img" aria-label="{ROUNDED[arrow]}" title="{ROUNDED[arrow]}">{arrow}</span>' \
        if arrow else ""
    return f'<span class="bc-number">{shown}{mark}</span>'


def _identifier(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _source_anchor(key: str) -> str:
    return f"source.{_identifier(key)}"         # no heading has a dot in its anchor
