"""Pages in a real browser without a network: laid out on a phone, a screen and paper, with nothing cut off."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import sympy as sp

import boundcalc
from boundcalc.claims.model import VERDICTS
from boundcalc.export import Wishes, html, theorem
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
    Table,
    Verdict,
    math,
    words,
)
from boundcalc.formulas.symbols import symbol
from boundcalc.results.report import RESOURCES, report_of

pytestmark = pytest.mark.outside
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--hide-scrollbars", "--virtual-time-budget=10000",
         "--host-resolver-rules=MAP * ~NOTFOUND")
PAPER = 640         # pixels: letter paper without its margins is 697 wide, A4 is 673
LIGHT, DARK = "--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"
CONTRAST = 4.5      # of text, WCAG 2 level AA


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed; .ci/run shows how to install it.")
    return found


def chromium(folder: Path, page: str, *flags: str) -> str:
    """What the browser prints about the page."""
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [program("chromium"), *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, file.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


# run inside a page whose frame has the width in question; what is seen goes back as text of the outer page
MEASURE = """
const frame = document.querySelector("iframe"), page = frame.contentDocument, view = frame.contentWindow;
const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
const style = e => view.getComputedStyle(e);
const scrolls = e => e !== null && (style(e).overflowX == "auto" || scrolls(e.parentElement));
const all = s => [...page.querySelectorAll(s)];
document.querySelector("output").textContent = JSON.stringify({
  wanted: view.innerWidth, wide: page.documentElement.scrollWidth,
  outside: all("body *").filter(e => box(e)[2] > view.innerWidth && !scrolls(e)).map(e => e.outerHTML.slice(0, 200)),
  boxes: all("math").map(box), fractions: all("mfrac").map(e => [box(e.children[0]), box(e.children[1])]),
  powers: all("msup").filter(e => e.children[0].tagName == "mi").map(e => [box(e.children[0]), box(e.children[1])]),
  scrolling: all("body :not(pre)").filter(e => e.scrollWidth > e.clientWidth && style(e).overflowX == "auto").length,
  colours: all(".bc-verdict, a, p, dt, .bc-note, .bc-arrow").map(e => [e.className || e.tagName, style(e).color]),
  ground: style(page.body).backgroundColor,
  fetched: view.performance.getEntriesByType("resource").map(e => e.name),
  columns: all("dl > div").map(e => style(e).display),
});
"""


def measured(folder: Path, page: str, width: int, *flags: str) -> dict[str, Any]:
    """The page laid out at that width; a window itself cannot be as narrow as a phone."""
    outer = (f'<!doctype html><meta charset="utf-8"><iframe width="{width}" height="800" style="border:0" '
             f'srcdoc="{escape(page)}"></iframe><output></output>'
             f'<script>window.addEventListener("load", () => {{{MEASURE}}});</script>')
    found = re.search(r"<output>(.*?)</output>", chromium(folder, outer, "--window-size=1400,900", "--dump-dom", *flags))
    assert found
    result: dict[str, Any] = json.loads(unescape(found[1]))
    assert result["wanted"] == width
    return result


# ---------------------------------------------------------------------------------------------------------------
# a page with every kind of block, and formulas as long as they come

def construction(name: str, gate: str) -> tuple[Piece, ...]:
    r = report_of(boundcalc.closed_forms(name, gate=gate))
    return (
        Heading(words("Construction ", Code(name))),
        Paragraph(words("The network $N$ has ", Math(("|N(x) − f(x)| ≤", r.total.symbolic)), ", see ",
                        Cite("yarotsky2017"), ": at most ", Number("1.25e-30↑"), ".")),
        Statement("theorem", words("error of $N$"), (
            Paragraph(("It holds that",)),
            Display((Equation(math("|N(x) − f(x)|"), "≤", Math((r.total.symbolic,))),
                     Equation(math(), "≤", Math((r.naive_total.symbolic,))))))),
        Statement("proof", (), (Items(tuple((Paragraph(words(f"{s.rule}: outgoing ", Math((s.outgoing.symbolic,)), ".")),)
                                            for s in r.stages), numbered=True),)),
        Table(words(f"Resources of {name}"), "lfr", (("resource",), ("closed form",), ("value",)), tuple(
            ((RESOURCES[key],), (Math((q.symbolic,)),), (Number("123456789.25↑"),))
            for key, q in r.shown_resources().items()), ("An arrow is the direction of rounding.",)),
        Table(words(f"Propagation in {name}"), "lffffl",
              tuple((heading,) for heading in ("stage", "in", "gain", "added", "out", "rule")),
              tuple(((s.rule,), *((Math((q.symbolic,)),) for q in (s.incoming, s.gain, s.added, s.outgoing)), (s.rule,))
                    for s in r.stages)))


def document() -> Document:
    x, k, n = map(symbol, ("x", "k", "n"))
    long = "boundcalc check papers/claims.toml --only a-claim-with-a-long-name --another-option-with-a-long-argument=1e-30"
    return Document(words("Bounds of ", Code("mult"), " and $1/x$"), (
        *construction("mult", "silu"), *construction("recip", "anchor"), *construction("recip", "silu"),
        Heading(("Theorem",)),
        *theorem.document(report_of(boundcalc.closed_forms("recip", gate="anchors")), Wishes(True, True)).blocks,
        *theorem.document(report_of(boundcalc.bound("mult", eps="1e-30")), Wishes(True, True)).blocks,
        Heading(("Findings",)),
        Paragraph(tuple(span for word in VERDICTS for span in (Verdict(word), " "))),
        Fields((("statement", (Paragraph((Code("mult.error(eps=1e-3)<=" + "+".join(f"x{i}*y{i}" for i in range(30))),)),)),
                ("witness", (Paragraph(words("$ε = 1/7$ and ", Math((sp.Sum(x**k / k, (k, 1, n)),)))),)),
                ("reproduce", (Listing((long, "second line")),)))),
        Heading(("Words",)),
        Table(("A table of words",), "lwr", (("name",), ("what it says",), ("value",)),
              ((("x",), ("a sentence that is wrapped over lines where there is no room for it",), (Number("> 10^400"),)),)),
    ), ("yarotsky2017",))


@pytest.fixture(scope="module")
def page() -> str:
    return html.write(document())


# ---------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_page_fits(tmp_path: Path, page: str, width: int) -> None:
    """Only what has a scroll box of its own may be wider than the window."""
    seen = measured(tmp_path, page, width)
    assert seen["wide"] <= width
    assert seen["outside"] == []
    assert set(seen["columns"]) == {"block" if width < 640 else "grid"}
    assert (seen["scrolling"] == 0) == (width == 1280), "a phone scrolls what is long, a large screen shows it"


def test_formulas_are_laid_out(tmp_path: Path, page: str) -> None:
    seen = measured(tmp_path, page, 1280)
    assert len(seen["boxes"]) == page.count("<math") > 100
    assert all(left < right and top < bottom for left, top, right, bottom in seen["boxes"])
    assert len(seen["fractions"]) == page.count("<mfrac") > 50
    assert all(above[3] <= below[1] for above, below in seen["fractions"]), "a numerator stands above its denominator"
    assert len(seen["powers"]) > 20
    assert all(raised[3] < base[3] and raised[0] >= base[0] for base, raised in seen["powers"])


def test_a_page_without_mathml_would_be_seen(tmp_path: Path, page: str) -> None:
    """The checks above do fail where they should: fractions on one line, and a table without its scroll box."""
    flat = page.replace("<mfrac", "<mrow").replace("</mfrac", "</mrow")
    assert measured(tmp_path, flat, 1280)["fractions"] == []
    assert measured(tmp_path, page.replace("overflow-x: auto", ""), 360)["wide"] > 360


def test_nothing_is_fetched(tmp_path: Path, page: str) -> None:
    assert measured(tmp_path, page, 1280)["fetched"] == []
    fetching = page.replace("</main>", '<img src="https://example.org/x.png"></main>')
    assert measured(tmp_path, fetching, 1280)["fetched"] == ["https://example.org/x.png"]


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_told_from_the_ground(tmp_path: Path, page: str, scheme: str) -> None:
    seen = measured(tmp_path, page, 1280, scheme)
    ground = luminance(seen["ground"])
    assert (ground < 0.5) == (scheme == DARK)
    found = {name: contrast(luminance(colour), ground) for name, colour in seen["colours"]}
    assert len(found) >= len(VERDICTS) + 4
    assert min(found.values()) >= CONTRAST, found


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it, of rgb(r, g, b)."""
    parts = [int(part) / 255 for part in re.findall(r"[0-9]+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


# ---------------------------------------------------------------------------------------------------------------
# paper

def test_print_layout_fits_paper(tmp_path: Path, page: str) -> None:
    """With the rules of print in force on a frame as wide as paper: no scroll boxes, and nothing over the edge."""
    seen = measured(tmp_path, page.replace("@media print", "@media all").replace("max-width: 40rem", "max-width: 0"), PAPER)
    assert seen["wide"] <= PAPER
    assert seen["outside"] == []
    assert seen["scrolling"] == 0


def test_print(tmp_path: Path, page: str) -> None:
    """Everything is on the paper, and within its margins."""
    pdf, boxes = tmp_path / "page.pdf", tmp_path / "boxes.html"
    chromium(tmp_path, page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    subprocess.run([program("pdftotext"), "-bbox", str(pdf), str(boxes)], check=True, timeout=60)
    text = subprocess.run([program("pdftotext"), "-layout", str(pdf), "-"], check=True, timeout=60, capture_output=True,
                          text=True).stdout
    flat = re.sub(r"\s+", " ", text)
    for heading in re.findall(r"<h[1-6][^>]*>(.*?)</h[1-6]>|<figcaption>(.*?)</figcaption>", page):
        words_of = re.sub(r"<math>.*?</math>|<[^>]*>", " ", "".join(heading)).split()
        assert all(word in flat for word in words_of), heading
    for needed in ("Sources", "Yarotsky", "second line", "Theorem", "Proof", "∎", *VERDICTS):
        assert needed in flat
    assert "123456789.25" in flat, "the last column"
    pages = ElementTree.parse(boxes).iter("{http://www.w3.org/1999/xhtml}page")
    for sheet in pages:
        width = float(sheet.get("width", "0"))
        found = [(float(word.get("xMin", "-1")), float(word.get("xMax", "inf"))) for word in sheet]
        assert found
        assert all(0 < left < right < width for left, right in found)
