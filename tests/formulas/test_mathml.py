"""Formulas as MathML: read back they say what was meant, also where they are cut so that lines can be broken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
import sympy as sp

from boundcalc.export.mathml_lines import pieces
from boundcalc.formulas.mathml import APPLY, TIMES, text_to_mathml, to_mathml
from boundcalc.formulas.notation import GREEK
from boundcalc.formulas.parser import parse, to_text
from boundcalc.formulas.symbols import PARAMETERS, CeilLog, FloorLog, symbol

R = sp.Rational
a, b, beta, eps, m, M, n, k, x, y = map(symbol, ("a", "b", "beta", "eps", "m", "M", "n", "k", "x", "y"))
C = symbol("C")
T = f"<mo>{TIMES}</mo>"
A = f"<mo>{APPLY}</mo>"
OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'

# ---------------------------------------------------------------------------------------------------------------
# reading MathML back: the grammar's text of what is shown

NAMES = {letter: name for name, letter in GREEK.items()} | {p.unicode: name for name, p in PARAMETERS.items()} | {
    "∞": "inf", "π": "pi"}
OPERATORS = {"+": "+", "−": "-", "·": "*", TIMES: "*", APPLY: "", "(": "(", "{": "(", "⌈": "ceil(", "⌊": "floor(",
             ")": ")", "}": ")", "⌉": ")", "⌋": ")", ",": ","}


def grammar_text(elements: list[Element]) -> str:
    """What a row of MathML means, in the grammar of boundcalc.formulas.parser."""
    tokens = [token for element in elements for token in read(element)]
    text = ""
    while tokens:
        token = tokens.pop(0)
        if token.startswith("log_"):
            text += f"log({operand(tokens)})/log({token[4:]})"
        elif token.startswith("∑"):
            text += f"sum({product(tokens)}, {token[1:]})"
        else:
            text += token
    return text


def read(element: Element) -> Iterator[str]:
    children = list(element)
    match element.tag:
        case "mrow":
            for child in children:
                yield from read(child)
        case "mi":
            yield NAMES.get(element.text or "", element.text or "")
        case "mn":
            yield element.text or ""
        case "mo":
            form = element.get("form")
            yield {"prefix": "abs(", "postfix": ")"}[form or ""] if element.text == "|" else OPERATORS[element.text or ""]
        case "mfrac":
            yield f"({inner(children[0])}/{inner(children[1])})"
        case "msup":
            yield f"**{inner(children[1])}" if children[0].tag == "mspace" else f"{inner(children[0])}**{inner(children[1])}"
        case "msub":
            name = grammar_text(children[:1])
            index = grammar_text(children[1:])
            yield f"log_{index}" if name == "log" else name if name == "W" else name + index
        case "msubsup":
            yield f"{grammar_text(children[:1])}{grammar_text(children[1:2])}**{inner(children[2])}"
        case "msqrt":
            yield f"sqrt({grammar_text(children)})"
        case "munderover":
            assert children[0].text == "∑"
            index, equals, *low = children[1]
            assert equals.text == "="
            yield f"∑{grammar_text([index])}, {grammar_text(low)}, {grammar_text(children[2:])}"
        case _:
            raise AssertionError(element.tag)


def inner(element: Element) -> str:
    """Of one element, in brackets unless it is a number or a name."""
    text = grammar_text([element])
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def depth(text: str) -> int:
    return text.count("(") - text.count(")")


def operand(tokens: list[str]) -> str:
    """The next thing, which is a letter or in brackets."""
    text = tokens.pop(0)
    while not text or depth(text) > 0:
        text += tokens.pop(0)
    return text


def product(tokens: list[str]) -> str:
    """Up to the end of a product."""
    text = ""
    while tokens and not (depth(text) == 0 and text and (tokens[0] in "+-," or depth(tokens[0]) < 0)):
        text += tokens.pop(0)
    return text


def tree(row: str) -> list[Element]:
    return list(ElementTree.fromstring(f"<math>{row}</math>"))


def meaning(row: str) -> sp.Expr:
    return parse(grammar_text(tree(row)))


# ---------------------------------------------------------------------------------------------------------------
# formulas

@pytest.mark.parametrize(("expr", "mathml"), [
    (x + 1, "<mi>x</mi><mo>+</mo><mn>1</mn>"),
    (b - a, "<mi>b</mi><mo>−</mo><mi>a</mi>"),
    (-m - 1, '<mo form="prefix">−</mo><mi>m</mi><mo>−</mo><mn>1</mn>'),
    (eps * beta, f"<mi>β</mi>{T}<mi>ε</mi>"),
    (symbol("eps0") ** 2, "<msubsup><mi>ε</mi><mn>0</mn><mn>2</mn></msubsup>"),
    (symbol("x10"), "<msub><mi>x</mi><mn>10</mn></msub>"),
    (symbol("local_x"), "<mi>local_x</mi>"),
    (C / beta**2, "<mfrac><mi>C</mi><msup><mi>β</mi><mn>2</mn></msup></mfrac>"),
    (R(7, 3), '<mfrac displaystyle="false"><mn>7</mn><mn>3</mn></mfrac>'),
    (3 * 4 ** (-m), '<mn>3</mn><mo>·</mo><msup><mn>4</mn><mrow><mo form="prefix">−</mo><mi>m</mi></mrow></msup>'),
    (2 * sp.log(x), f'<mn>2</mn><mo lspace="0.17em">{TIMES}</mo><mi>log</mi>{A}<mrow>{OPEN}<mi>x</mi>{CLOSE}</mrow>'),
    ((x + 1) ** 2, f"<msup><mrow>{OPEN}<mi>x</mi><mo>+</mo><mn>1</mn>{CLOSE}</mrow><mn>2</mn></msup>"),
    (sp.exp(-x), '<msup><mi>e</mi><mrow><mo form="prefix">−</mo><mi>x</mi></mrow></msup>'),
    (sp.sqrt(3 * eps), f"<msqrt><mn>3</mn>{T}<mi>ε</mi></msqrt>"),
    (abs(x), '<mrow><mo form="prefix" stretchy="false">|</mo><mi>x</mi><mo form="postfix" stretchy="false">|</mo></mrow>'),
    (sp.floor(x / 2), "<mrow><mo>⌊</mo><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>⌋</mo></mrow>"),
    (sp.Max(x / y, 1), f"<mi>max</mi>{A}<mrow><mo>{{</mo><mfrac><mi>x</mi><mi>y</mi></mfrac><mo>,</mo><mn>1</mn>"
                       "<mo>}</mo></mrow>"),
    (sp.LambertW(x), f"<msub><mi>W</mi><mn>0</mn></msub>{A}<mrow>{OPEN}<mi>x</mi>{CLOSE}</mrow>"),
    (CeilLog(n, 4), '<mrow><mo stretchy="false">⌈</mo><msub><mi>log</mi><mn>4</mn></msub>'
                    f'<mo rspace="0.17em">{APPLY}</mo><mi>n</mi><mo stretchy="false">⌉</mo></mrow>'),
    (sp.Sum(k, (k, 1, n)), "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
                           "<mi>k</mi>"),
    (-sp.oo, '<mo form="prefix">−</mo><mi>∞</mi>'),
], ids=str)
def test_mathml_of_expressions(expr: sp.Expr, mathml: str) -> None:
    assert to_mathml(expr) == mathml


@pytest.mark.parametrize(("text", "mathml"), [
    ("0 ≤ f_m(t)", f"<mn>0</mn><mo>≤</mo><msub><mi>f</mi><mi>m</mi></msub><mrow>{OPEN}<mi>t</mi>{CLOSE}</mrow>"),
    ("4^(−m−1)", '<msup><mn>4</mn><mrow><mo form="prefix">−</mo><mi>m</mi><mo>−</mo><mn>1</mn></mrow></msup>'),
    ("≥ −x", '<mo>≥</mo><mo form="prefix">−</mo><mi>x</mi>'),
    ("[−M, M]^d", '<msup><mrow><mo stretchy="false">[</mo><mo form="prefix">−</mo><mi>M</mi><mo>,</mo><mi>M</mi>'
                  '<mo stretchy="false">]</mo></mrow><mi>d</mi></msup>'),
    ("|x|²", '<msup><mrow><mo form="prefix" stretchy="false">|</mo><mi>x</mi><mo form="postfix" stretchy="false">|</mo>'
             "</mrow><mn>2</mn></msup>"),
    ("‖x‖_∞", '<msub><mrow><mo form="prefix" stretchy="false">‖</mo><mi>x</mi><mo form="postfix" stretchy="false">‖</mo>'
              "</mrow><mi>∞</mi></msub>"),
    ("2 ln n", f'<mn>2</mn><mspace width="0.17em"/><mi>ln</mi><mo rspace="0.17em">{APPLY}</mo><mi>n</mi>'),
    ("Σ_(k=1)^n k", "<munderover><mo>∑</mo><mrow><mi>k</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>k</mi>"),
    ("Δ² ≠ δ", '<msup><mi mathvariant="normal">Δ</mi><mn>2</mn></msup><mo>≠</mo><mi>δ</mi>'),
    ("√(2·ε)", "<msqrt><mn>2</mn><mo>·</mo><mi>ε</mi></msqrt>"),
    ("xᵀ y", '<mi>x</mi><msup><mrow></mrow><mi mathvariant="normal">T</mi></msup><mi>y</mi>'),
    ("1/x < y", '<mn>1</mn><mo lspace="0" rspace="0">/</mo><mi>x</mi><mo>&lt;</mo><mi>y</mi>'),
    ("(0, …, ∞", "<mo>(</mo><mn>0</mn><mo>,</mo><mi>…</mi><mo>,</mo><mi>∞</mi>"),
])
def test_mathml_of_text(text: str, mathml: str) -> None:
    assert text_to_mathml(text) == mathml


@pytest.mark.parametrize("expr", [
    M**2 * (4 ** (-m - 1) + C * (R(7, 3) - 4 ** (1 - m) / 3) / beta**2), -R(7, 3) * x, sp.LambertW((n - 1) / sp.E) / beta,
    CeilLog(M**2 / eps, 4) + FloorLog(n + 1, 10), sp.sqrt(3 * eps) / M**2, sp.Min(x / y, sp.Max(a, b)), sp.ceiling(x) ** 3,
    3 * sp.Sum(k + 1, (k, 1, n - 1)) + x, sp.Sum(x**k / k, (k, 1, n)) - 1, (n - 1) * sp.exp(-beta * x), sp.log(x) ** 2,
    x ** R(-1, 3), R(2, 3) ** m, (x + 1) ** (y + 1), symbol("eps0") * symbol("gamma"), abs(a - abs(b)),
    sp.tanh(x) * sp.erf(y), sp.sin(x) ** 2 + sp.cos(sp.pi * x), 10 ** 25 * x / 7, (1 - sp.sqrt(a) / sp.sqrt(b)) / n, -sp.oo,
], ids=to_text)
def test_mathml_says_what_the_expression_is(expr: sp.Expr) -> None:
    assert to_text(meaning(to_mathml(expr))) == to_text(expr)


# ---------------------------------------------------------------------------------------------------------------
# breaking lines

def test_short_formulas_are_not_cut() -> None:
    assert len(pieces(to_mathml(x**2 + 2 * x * y + 1), 26)) == 1
    assert "".join(row for row, _ in pieces(to_mathml(M**2 * 4**m), 26)) == to_mathml(M**2 * 4**m)


def test_long_sums_are_cut_before_signs() -> None:
    expr = sp.Add(*(symbol(f"x{i}") * symbol(f"y{i}") ** 2 for i in range(1, 12)))
    rows = [row for row, _ in pieces(to_mathml(expr), 26)]
    assert len(rows) > 3
    assert all(row.startswith('<mo form="infix">+</mo>') for row in rows[1:])


def test_brackets_are_cut_where_there_is_no_other_way() -> None:
    """A bracket that is alone in its piece has a size, and a product that begins a line is seen."""
    inside = sp.Add(*(1 / symbol(f"x{i}") for i in range(1, 20)))
    factor = sp.exp(-sp.Add(*(symbol(f"x{i}") for i in range(30))))
    rows = [row for row, _ in pieces(to_mathml(M**2 * inside**2 * factor), 26)]
    assert 'minsize="2.4em"' in rows[0]
    assert sum("(" in row for row in rows) == 1
    assert rows[-1].startswith('<mo form="infix">·</mo>')
    assert all(width < 27 for _, width in pieces(to_mathml(M**2 * inside**2), 26))


def test_a_fraction_that_fits_nowhere_becomes_a_product() -> None:
    top = sp.Add(*(symbol(f"x{i}") for i in range(40)))
    rows = pieces(to_mathml(top / (x + 1)), 26)
    assert max(width for _, width in rows) < 27
    assert meaning("".join(row for row, _ in rows)) == top / (x + 1)
