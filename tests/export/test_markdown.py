"""Documents as Markdown: every span and block, words that Markdown would read, and formulas that come back."""

from __future__ import annotations

import re

import pytest
import sympy as sp

from boundcalc.export.document import (
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
    math,
    words,
)
from boundcalc.export.markdown import blocks, escaped, formula, write
from boundcalc.formulas.notation import to_latex
from boundcalc.formulas.symbols import symbol
from boundcalc.lemmas.bibliography import entry
from boundcalc.results.bound import bound
from boundcalc.results.report import report_of

x, eps, n = symbol("x"), symbol("eps"), symbol("n")
HOSTILE = ("a|b", "`code`", "<script>alert(1)</script>", "$5 and $6", "_under_ *star*", "\\", "[a](http://x)", "&lt;",
           "~~s~~", "# head", "{b}", "``", "a\nb", "![i](x)", "| --- |", "\\|", "</code>")


def line(*content: Span) -> str:
    return blocks([Paragraph(content)]).rstrip("\n")


@pytest.mark.parametrize(("span", "shown"), [
    ("plain words", "plain words"),
    ("two\n  lines", "two lines"),
    ("a*b_c|d#e", r"a\*b\_c\|d\#e"),
    ("<b>", r"\<b\>"),
    ("5$", "5<span>$</span>"),
    (math(eps ** 2, "≤", 1 / n), r"$`\varepsilon^2 \le \frac{1}{n}`$"),
    (math("|x|"), r"$`\lvert x\rvert`$"),
    (math(sp.erf(x)), r"$`\mathop{\mathrm{erf}}(x)`$"),
    (Number("0.25"), "0.25"),
    (Number("-3"), "−3"),
    (Number("0.25↑"), r"$`0.25{\uparrow}`$"),
    (Number("1.2e-30↓"), r"$`1.2\cdot 10^{-30}{\downarrow}`$"),
    (Number("2e40"), r"$`2\cdot 10^{40}`$"),
    (Number("∞"), r"$`\infty`$"),
    (Number("> 10^1000"), r"$`> 10^{1000}`$"),
    (Number(""), ""),
    (Code("max[route=tree].heads"), "`max[route=tree].heads`"),
    (Code("a`b"), "``a`b``"),
    (Code("`"), "`` ` ``"),
    (Strong("very"), "**very**"),
    (Verdict("refuted"), "**refuted**"),
    (Cite("yarotsky2017"), r"[\[Yarotsky 2017\]](#ref-yarotsky2017)"),
])
def test_spans(span: Span, shown: str) -> None:
    assert line(span) == shown


@pytest.mark.parametrize(("text", "shown"), [
    ("1. not a list", r"1\. not a list"), ("- not a list", r"\- not a list"), ("+ x", r"\+ x"), ("---", r"\---"),
    ("0.25 is a number", "0.25 is a number"), ("2) x", r"2\) x"), ("-1 is one", "-1 is one"), ("> quote", r"\> quote"),
])
def test_words_that_would_begin_a_block(text: str, shown: str) -> None:
    assert line(text) == shown


TABLE = Table(("counts",), "lrf", (("name",), ("number",), ("formula",)), ((("a|b",), (Number("3"),), (math(abs(x)),)),),
              ("all",))
BLOCKS: list[tuple[Piece, str]] = [
    (Heading(("One",)), "## One"),
    (Heading(("Two",), 2, 'x"y'), '<a id="x-y"></a>\n\n### Two'),
    (Paragraph(("a", Strong("b"))), "a**b**"),
    (Display((Equation(math(x), "≤", math(n)),)), "```math\nx \\le n\n```"),
    (Display((Equation(math(x), "=", math(n)), Equation(math(n), "≥", math(eps)))),
     "```math\n\\begin{aligned}\nx &= n \\\\\nn &\\ge \\varepsilon\n\\end{aligned}\n```"),
    (TABLE, "*counts*\n\n| name | number | formula |\n| --- | --: | --- |\n| a\\|b | 3 | $`\\lvert x\\rvert`$ |\n\nall"),
    (Table((), "ll", (("a",), ("b",)), ((("gates",),), (("c",), ("d",)))),
     "| a | b |\n| --- | --- |\n| **gates** |  |\n| c | d |"),
    (Listing(("a $b `c`",)), "```\na $b `c`\n```"),
    (Listing(("```", "x")), "````\n```\nx\n````"),
    (Items(((Paragraph(("a",)),), (Paragraph(("b",)), Listing(("c",))))), "- a\n- b\n\n  ```\n  c\n  ```"),
    (Items(((Paragraph(("a",)),), (Paragraph(("b",)),)), numbered=True), "1. a\n2. b"),
    (Fields((("claim", (Paragraph(("a",)),)), ("command", (Listing(("c",)),)))),
     "- **claim:** a\n- **command:**\n\n  ```\n  c\n  ```"),
    (Statement("theorem", ("T",), (Paragraph(("a",)),)), "**Theorem (T).** a"),
    (Statement("proof", (), (Paragraph(("a",)), Paragraph(("b",)))), "*Proof.* a\n\nb ∎"),
    (Statement("proof", (), (Listing(("a",)),)), "*Proof.*\n\n```\na\n```\n\n∎"),
    (Statement("remark", (), (Display((Equation(math(x), "=", math(n)),)),)), "*Remark.*\n\n```math\nx = n\n```"),
]


@pytest.mark.parametrize(("block", "shown"), BLOCKS, ids=[type(b).__name__ for b, _ in BLOCKS])
def test_blocks(block: Piece, shown: str) -> None:
    assert blocks([block]) == shown + "\n"


def test_a_document_has_a_title_and_its_references() -> None:
    made = Document(("A *title*",), (Paragraph(("see ", Cite("yarotsky2017"))),), ("yarotsky2017",))
    assert write(made) == ("# A \\*title\\*\n\nsee [\\[Yarotsky 2017\\]](#ref-yarotsky2017)\n\n## References\n\n"
                           f'- <a id="ref-yarotsky2017"></a>\\[Yarotsky 2017\\] {escaped(entry("yarotsky2017").text)}\n')


def unescaped(text: str) -> str:
    """What a reader of Markdown sees of words."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace("<span>$</span>", "\0")).replace("\0", "$")


@pytest.mark.parametrize("text", HOSTILE)
def test_words_come_back_letter_by_letter(text: str) -> None:
    shown = escaped(text)
    assert unescaped(shown) == " ".join(text.split("\n"))
    without = re.sub(r"\\[!-/:-@\[-`{-~]|<span>\$</span>", "", shown)
    assert not re.search(r"[\\`*_<>|#~$&\[\]{}]", without)          # nothing is left that could be read as a mark


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_table(text: str) -> None:
    content: Line = (text, Code(text), Strong(text))
    shown = blocks([Table((), "ll", (("a",), ("b",)), ((content, content),))])
    row = shown.splitlines()[2]
    assert len(shown.splitlines()) == 3
    assert len(re.sub(r"\\\\|\\\|", "", row).split("|")) == 4       # two cells, as a table is cut: an escaped | is none
    assert "<script>" not in row.replace(r"\<script\>", "").replace("`<script>", "")


@pytest.mark.parametrize("text", HOSTILE)
def test_code_comes_back(text: str) -> None:
    shown = line(Code(text))
    fence = re.match("`+", shown)
    assert fence
    inner = shown[len(fence[0]):-len(fence[0])]
    assert fence[0] not in re.split("(`+)", inner)
    stripped = inner[1:-1] if inner.startswith(" ") and inner.endswith(" ") and inner.strip() else inner
    assert stripped == " ".join(text.split())


def test_formulas_of_a_resources_table_come_back() -> None:
    report = report_of(bound("mult", eps="1e-3"))
    resources = report.shown_resources()
    rows = tuple(((name,), (Math((q.symbolic,)),)) for name, q in resources.items())
    shown = blocks([Table((), "lf", (("resource",), ("formula",)), rows)])
    assert re.findall(r"\$`(.*?)`\$", shown) == [to_latex(q.symbolic) for q in resources.values()]
    assert len(rows) >= 8


def test_long_displays_are_broken_and_come_back() -> None:
    terms = [symbol(f"x{k}") ** 2 * n for k in range(1, 40)]
    shown = blocks([Display((Equation(math(x), "≤", math(sp.Add(*terms))),))]).splitlines()
    assert shown[:2] == ["```math", r"\begin{aligned}"]
    assert shown[-2:] == [r"\end{aligned}", "```"]
    assert 3 <= len(shown) - 4 <= 8
    joined = " ".join(line.replace(r"&\qquad ", "").replace(r" \\", "") for line in shown[2:-2])
    assert joined == rf"x &\le {to_latex(sp.Add(*terms))}"


def test_names_of_quantities_are_upright() -> None:
    name = sp.Symbol("gd-step[route=tree, gate=silu].heads_per_layer", real=True)
    assert formula(math(2 * name)) == r"2 \mathrm{gd\text{-}step[route{=}tree{,}\ gate{=}silu].heads\_per\_layer}"


def test_no_bare_bar_stands_in_a_formula() -> None:
    assert "|" not in formula(math("|x| + |y|", sp.Abs(x / 2)))


def test_words_may_hold_formulas() -> None:
    assert line(*words("the sawtooth $f_m$ is convex")) == "the sawtooth $`f_m`$ is convex"
