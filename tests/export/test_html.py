"""Documents as HTML: every construct, the formulas of JSON, and nothing that gets in from the texts of others."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
import sympy as sp

import boundcalc
from boundcalc.claims.model import VERDICTS
from boundcalc.declarations.registry import construction, information, names
from boundcalc.export import Wishes, html, render, theorem
from boundcalc.export.document import (
    Cite,
    Code,
    Display,
    Document,
    Equation,
    Fields,
    Heading,
    Items,
    Listing,
    Math,
    Number,
    Paragraph,
    Piece,
    Statement,
    Strong,
    Table,
    Verdict,
    math,
    words,
)
from boundcalc.formulas.parser import parse
from boundcalc.formulas.symbols import symbol
from boundcalc.results.report import report_of
from tests.formulas.test_mathml import grammar_text
from tests.selection import selected

d, eps, x, y = map(symbol, ("d", "eps", "x", "y"))


def ways() -> Iterator[tuple[str, str, str | None]]:
    for name in names():
        for route, how in construction(name).by_route.items():
            for gate in information(name).gates if how.gated else (None,):
                yield name, route, gate


def symbolic(value: object) -> Iterator[str]:
    """Every closed form of a JSON document."""
    if isinstance(value, dict):
        if isinstance(value.get("symbolic"), str):
            yield value["symbolic"]
        for part in value.values():
            yield from symbolic(part)
    elif isinstance(value, list):
        for part in value:
            yield from symbolic(part)


# every construction, every route, every gate
some_ways = pytest.mark.parametrize("way", selected(list(ways()), tuple), ids=lambda way: "-".join(filter(None, way)))


@some_ways
def test_page_shows_the_formulas_of_json(way: tuple[str, str, str | None]) -> None:
    """In paragraphs and in narrow columns, where long formulas are cut into many pieces."""
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    expected = {text: parse(text) for text in symbolic(json.loads(render(report, "json", Wishes(dimensions=True))))}
    assert expected
    formulas = [(Math((expr,)),) for expr in expected.values()]
    page = body(html.write(Document((name,), (
        *map(Paragraph, formulas),
        Table((), "fffff", (((),) * 5), tuple((formula, (), (), (), ()) for formula in formulas))))))
    for shown in (page.findall("p"), [row[0] for row in page.findall(".//tbody/tr")]):
        assert [read_back(cell) for cell in shown] == list(expected.values())


@some_ways
def test_theorems_are_pages(way: tuple[str, str, str | None]) -> None:
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    document = theorem.document(report, Wishes(dimensions=True, proof=True))
    page = body(html.write(document))
    assert report.information.title in text(page.find("h1"))
    kinds = Counter(type(block) for block in every(document.blocks))
    assert kinds[Table] == len(page.findall(".//figure")) > 2
    assert kinds[Display] == sum(e.get("class", "").startswith("bc-display") for e in page.iter("div"))
    assert kinds[Statement] == len(page.findall("section")) > 2
    assert kinds[Items] == len(page.findall(".//ul")) + len(page.findall(".//ol")) - (len(document.sources) > 0)


def every(blocks: Iterable[Piece]) -> Iterator[Piece]:
    for block in blocks:
        yield block
        match block:
            case Items(items=items):
                yield from every(inner for item in items for inner in item)
            case Fields(entries=entries):
                yield from every(inner for _, body in entries for inner in body)
            case Statement(body=inside):
                yield from every(inside)


def read_back(element: Element) -> sp.Expr:
    return parse(grammar_text([part for formula in element.iter("math") for part in formula]))


def body(page: str) -> Element:
    """What stands in <main>, which is well-formed XML too."""
    return ElementTree.fromstring(page[page.index("<main"):page.index("</main>")] + "</main>")


# ---------------------------------------------------------------------------------------------------------------
# pages

def shown(*blocks: Piece) -> Element:
    return body(html.write(Document(("Title",), blocks)))


def text(element: Element | None) -> str:
    assert element is not None
    return "".join(element.itertext())


def test_spans() -> None:
    line = words("the sawtooth $f_m$ and ", Code("x<y"), " ", Strong("not"), " ", math("ε ≤", x**2))
    (paragraph,) = shown(Paragraph(line)).findall("p")
    assert [child.tag for child in paragraph] == ["math", "code", "strong", "math"]
    assert text(paragraph.find("code")) == "x<y"
    assert [child.tag for child in paragraph[3]] == ["mi", "mo", "msup"]


@pytest.mark.parametrize(("value", "says", "arrow"), [
    ("0.25", "0.25", None), ("1.2e-30↑", "1.2·10<sup>−30</sup>", "rounded up"),
    ("3e+5↓", "3·10<sup>5</sup>", "rounded down"),
    ("> 10^400", "&gt; 10<sup>400</sup>", None), ("-1/3", "−1/3", None), ("∞", "∞", None), ("", "", None),
])
def test_numbers(value: str, says: str, arrow: str | None) -> None:
    found = html.number(value)
    assert found.startswith(f'<span class="bc-number">{says}<')
    assert (f'role="img" aria-label="{arrow}" title="{arrow}"' in found) == (arrow is not None)


def test_verdicts_differ_by_sign_and_border() -> None:
    assert tuple(html.SIGNS) == VERDICTS
    assert len(set(html.SIGNS.values())) == len(VERDICTS)
    page = html.write(Document(("Title",), (Paragraph(tuple(map(Verdict, VERDICTS))),)))
    borders = [re.search(rf"\.bc-{word} {{.*border-style: ([a-z ]+);", page) for word in VERDICTS]
    assert len({border[1] for border in borders if border}) == len(VERDICTS)
    assert [text(badge) for badge in body(page).findall("p/span")] == [f"{html.SIGNS[word]} {word}" for word in VERDICTS]


def test_sections_have_anchors_and_a_table_of_contents() -> None:
    headings = [Heading(words("Error of $N$")), Heading(("Error",), 2), Heading(("Error",)), Heading(("β",)),
                Heading(("β",)), Heading(("x",), 1, "error")]
    page = shown(*headings)
    assert [h.get("id") for h in page.iter() if h.tag in ("h2", "h3")] == [
        "error-of-n", "error", "error-2", "section", "section-2", "error-3"]
    assert [link.get("href") for link in page.findall("nav/ul/li/a")] == [
        "#error-of-n", "#error-2", "#section", "#section-2", "#error-3"]
    assert shown(*headings[:4]).find("nav") is None


def test_displays_are_aligned_at_their_relations() -> None:
    lines = Equation(math("|N(x)|"), "≤", math(x / y)), Equation(math(), "≤", math(eps))
    (display,) = shown(Display(lines)).findall("div")
    assert [cell.get("class") for cell in display] == ["bc-left", "bc-relation", "bc-right"] * 2
    assert [text(cell) for cell in display] == ["|N(x)|", "≤", "xy", "", "≤", "ε"]
    assert display.get("class") == "bc-display bc-narrow"
    (wide,) = shown(Display((Equation(math("|N(x₁, x₂, x₃, x₄) − f(x₁, x₂, x₃, x₄)|"), "≤", math(eps)),))).findall("div")
    assert wide.get("class") == "bc-display"
    assert {formula.get("displaystyle") for cell in display if cell.get("class") == "bc-right"
            for formula in cell.iter("math")} == {"true"}


def test_tables() -> None:
    table = Table(words("Sizes of $N$"), "lrf", (("name",), ("value",), ("form",)),
                  ((("heads",), (Number("12"),), (math(x / y),)), (("width",), (Number("3↑"),), (math(d),))), ("↑ up.",))
    (figure,) = shown(table).findall("figure")
    assert text(figure.find("figcaption")) == "Sizes of N"
    assert [(h.get("scope"), h.get("class")) for h in figure.findall(".//thead/tr/th")] == [
        ("col", "bc-l"), ("col", "bc-r"), ("col", "bc-f")]
    assert [[cell.tag for cell in row] for row in figure.findall(".//tbody/tr")] == [["th", "td", "td"]] * 2
    assert [h.get("scope") for h in figure.findall(".//tbody/tr/th")] == ["row"] * 2
    assert text(figure.find("p")) == "↑ up."
    assert figure.find("div[@class='bc-scroll']/table") is not None


def test_rows_of_one_cell_are_headings_of_those_below() -> None:
    rows = (("first",),), (("x",), (Number("1"),)), (("second",),), (("y",), (Number("2"),))
    groups = shown(Table(("Sizes",), "lr", (("name",), ("value",)), rows)).findall(".//tbody")
    assert [[text(cell) for cell in group.iter() if cell.tag in ("th", "td")] for group in groups] == [
        ["first", "x", "1"], ["second", "y", "2"]]
    assert [(h.get("colspan"), h.text) for h in (group.find("tr/th[@scope='rowgroup']") for group in groups) if h is not None
            ] == [("2", "first"), ("2", "second")]


def test_lists_fields_and_listings() -> None:
    page = shown(Items(((Paragraph(("one",)),), (Paragraph(("two",)), Items(((Paragraph(("three",)),),), True)))),
                 Fields((("verdict", (Paragraph((Verdict("proved"),)),)), ("witness", (Listing(("x = 1", "  y < 2")),)))))
    assert [text(item) for item in page.findall("ul/li/p")] == ["one", "two"]
    assert text(page.find("ul/li/ol/li")) == "three"
    assert [text(label) for label in page.findall("dl/div/dt")] == ["verdict", "witness"]
    assert text(page.find("dl/div/dd/pre")) == "x = 1\n  y < 2"


def test_statements() -> None:
    page = shown(Statement("theorem", words("bound on $N$"), (Paragraph(("It holds.",)), Paragraph(("Always.",)))),
                 Statement("proof", (), (Paragraph(("Easy.",)),)),
                 Statement("proof", (), (Display((Equation(math(x), "=", math(y)),)),)),
                 Statement("remark", (), (Paragraph(("Note.",)),)))
    assert [[text(p) for p in section.findall("p")] for section in page.findall("section")] == [
        ["Theorem (bound on N). It holds.", "Always."], ["Proof. Easy. ∎"], ["Proof. ", " ∎"], ["Remark. Note."]]


def test_sources_stand_at_the_end() -> None:
    key = "yarotsky2017"
    page = body(html.write(Document(("Title",), (Paragraph(words("see ", Cite(key), ".")),))))
    link, entry = page.find("p/a"), page.find("ul[@class='bc-sources']/li")
    assert link is not None
    assert entry is not None
    assert link.get("href") == f"#{entry.get('id')}"
    assert "[Yarotsky 2017]" in text(link)
    assert "[Yarotsky 2017]" in text(entry)
    listed = body(html.write(Document(("Title",), (), (key,))))
    assert len(listed.findall("ul[@class='bc-sources']/li")) == 1
    assert shown(Paragraph(("nothing is cited",))).find("ul") is None


EVIL = """</title></style><script>alert("1")</script><img src=x onerror='alert(2)'>&amp;"""


def evil_blocks() -> tuple[Piece, ...]:
    return (Heading((EVIL,), 1, EVIL), Heading((EVIL,), 2), Paragraph((EVIL, Code(EVIL), Strong(EVIL), Number(EVIL + "↑"))),
            Table((EVIL,), "lw", ((EVIL,), (EVIL,)), (((EVIL,), (EVIL,)),), (EVIL,)), Listing((EVIL, EVIL)),
            Items((((Paragraph((EVIL,))),),), True), Fields(((EVIL, (Paragraph((EVIL,)),)),)),
            Statement("remark", (EVIL,), (Paragraph((EVIL,)),)), Paragraph((Math((sp.Symbol("<script>"), "x < y & z")),)))


def test_nothing_in_a_document_is_taken_for_html() -> None:
    page = html.write(Document((EVIL,), evil_blocks()))
    main = body(page)
    allowed = {"main", "h1", "h2", "h3", "p", "code", "strong", "span", "figure", "figcaption", "div", "table", "thead",
               "tbody", "tr", "th", "td", "pre", "ol", "li", "dl", "dt", "dd", "section", "math", "mi", "mo"}
    assert {e.tag for e in main.iter()} <= allowed
    assert not any(name.startswith("on") or name in ("src", "href") for e in main.iter() for name in e.attrib)
    assert text(main).count(EVIL.removesuffix("&amp;")) == 20
    assert page.count("<title>") == page.count("</title>") == page.count("<style>") == page.count("</style>") == 1
    ElementTree.fromstring(html.fragment(evil_blocks()))


def test_page_needs_nothing_else() -> None:
    page = html.write(Document(("Title",), (Paragraph(("see ", Cite("yarotsky2017"))), Listing(("$ ls",)))))
    assert page.startswith("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert not re.search(r"<script|<link|<img|<iframe|\bsrc=|@import|url\(|https?:", page)
    assert re.findall(r'href="([^#"]*)', page) == [""]


def test_fragment_stands_in_a_page_of_others() -> None:
    found = html.fragment((Heading(("Error",)), Paragraph(("by ", Cite("yarotsky2017"), math(x)))))
    assert found.startswith('<div class="bc">')
    assert not re.search(r"<html|<body|<a |\bid=|:root|@page|^\s*(body|main|h[1-6]|a|p|li) ", found, re.MULTILINE)
    assert "[Yarotsky 2017]" in found


def test_title_without_marks() -> None:
    page = html.write(Document(words("Bounds of ", Code("mult"), " for $ε < 1$ and ", math(x**2)), ()))
    assert "<title>Bounds of mult for ε &lt; 1 and x²</title>" in page
