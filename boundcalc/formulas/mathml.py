"""MathML for browsers: expressions, and mathematics in Unicode as mathtext.py reads it.

What is made is a row of elements, without the <math> around it, and well-formed XML: several rows can stand side by side
in one formula. Only elements of MathML Core are used, which browsers set without help.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import sympy as sp

from ..numbers.exact import exact_text
from .mathtext import Atom, Node, Nodes, Root, Scripted, read
from .notation import ATOM, GREEK, INDEXED, OF_AN_INPUT, PRODUCT, SUM, Piece, TypesetWriter
from .symbols import PARAMETERS, PART_SYMBOLS

APPLY, TIMES = "\u2061", "\u2062"          # invisible: of a function to its argument, and between factors
THIN = "0.17em"                             # between a name and what stands beside it
TALL = ("mfrac", "munder", "munderover", "msqrt")

_FENCES = {"abs": ("|", "|"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "max": ("{", "}"), "min": ("{", "}")}
_TAG = re.compile(r"<(/?)[a-z]+[^>]*?(/?)>")
_DIGIT = re.compile(r"(?:<(?:mrow|msup)>)*<mn>")
_NAME_FIRST = re.compile(r"(?:<(?:mrow|msup|msub)>)*<mi>[^<]{2,}</mi>")
_NAME_LAST = re.compile(r"<mi>[^<]{2,}</mi>$")
_INDEXED_SYMBOL = re.compile(r"<msub>((?:<m[in]>[^<]*</m[in]>){2})</msub>")


def to_mathml(expr: sp.Expr) -> str:
    """The expression as a row of MathML elements."""
    return _MATHML.write(expr)


def text_to_mathml(text: str) -> str:
    """Mathematics in Unicode, such as 0 ≤ f_m(t) − t², as a row of MathML elements."""
    return _nodes(read(text))


def identifier(name: str) -> str:
    """A letter is set in italics and a word upright, both without being told; Greek capitals are upright as in LaTeX."""
    upright = ' mathvariant="normal"' if len(name) == 1 and "Α" <= name <= "Ω" else ""
    return f"<mi{upright}>{escape(name)}</mi>"


def numeral(text: str) -> str:
    return f"<mn>{escape(text)}</mn>"


def operator(sign: str, **attributes: str) -> str:
    shown = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<mo{shown}>{escape(sign)}</mo>"


def row(content: str) -> str:
    """The content as one element, for where MathML wants one."""
    return content if _is_one_element(content) else f"<mrow>{content}</mrow>"


def _is_one_element(content: str) -> bool:
    depth = 0
    for tag in _TAG.finditer(content):
        depth += 0 if tag[2] else -1 if tag[1] else 1
        if depth == 0:
            return tag.end() == len(content)
    return False


def fenced(left: str, content: str, right: str) -> str:
    """Fences stretch with what stands between them where that is tall; browsers leave gaps beside stretched ones."""
    size = {} if any(f"<{tag}" in content for tag in TALL) else {"stretchy": "false"}
    # a bar alone could open or close
    before, behind = ({"form": "prefix"}, {"form": "postfix"}) if left in "|‖" else ({}, {})
    return f"<mrow>{operator(left, **before, **size)}{content}{operator(right, **behind, **size)}</mrow>"


class MathmlWriter(TypesetWriter):
    plus, minus, negative = operator("+"), operator("−"), operator("−", form="prefix")
    beside, dot = operator(TIMES), operator("·")
    infinity, pi, euler = (identifier(c) for c in "∞πe")

    def number(self, value: int) -> str:
        return numeral(exact_text(value))

    def symbol(self, name: str) -> str:
        if name in PART_SYMBOLS:
            of, part = PART_SYMBOLS[name]
            return f"<msub>{self.symbol(of)}{identifier(part)}</msub>"
        of_input = OF_AN_INPUT.fullmatch(name)
        if of_input:
            return f"<msub>{self.symbol(of_input[1])}{self.symbol(of_input[2])}</msub>"
        match = INDEXED.fullmatch(name)
        if match:
            return f"<msub>{self.symbol(match[1])}{numeral(match[2])}</msub>"
        return identifier(PARAMETERS[name].unicode if name in PARAMETERS else GREEK.get(name, name))

    @staticmethod
    def bracket(text: str) -> str:
        return fenced("(", text, ")")

    def begins_with_digit(self, text: str) -> bool:
        return _DIGIT.match(text) is not None

    def multiply(self, factors: Sequence[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            word = _NAME_FIRST.match(factor) or _NAME_LAST.search(text)
            beside = operator(TIMES, lspace=THIN) if word else self.beside
            text += (self.dot if self.begins_with_digit(factor) else beside) + factor
        return text

    def fraction(self, top: str, bottom: str) -> str:
        numbers = re.fullmatch(r"<mn>[^<]*</mn>", top) and re.fullmatch(r"<mn>[^<]*</mn>", bottom)
        small = ' displaystyle="false"' if numbers else ""
        return f"<mfrac{small}>{row(top)}{row(bottom)}</mfrac>"

    def power(self, base: str, exponent: sp.Expr) -> str:
        raised = row(self.write(exponent))
        symbol = _INDEXED_SYMBOL.fullmatch(base)
        return f"<msubsup>{symbol[1]}{raised}</msubsup>" if symbol else f"<msup>{row(base)}{raised}</msup>"

    def call(self, name: str, args: Iterable[sp.Expr]) -> str:
        shown = operator(",").join(self.write(arg) for arg in args)
        if name == "sqrt":
            return f"<msqrt>{shown}</msqrt>"
        left, right = _FENCES.get(name, ("(", ")"))
        body = fenced(left, shown, right)
        if name in ("abs", "floor", "ceil"):
            return body
        head = f"<msub>{identifier('W')}{numeral('0')}</msub>" if name == "W" else identifier(name)
        return head + operator(APPLY) + body

    def integer_log(self, name: str, x: sp.Expr, base: sp.Expr) -> str:
        text, level = self.piece(x)
        log = f"<msub>{identifier('log')}{row(self.write(base))}</msub>"
        shown = operator(APPLY, rspace=THIN) + text if level == ATOM else operator(APPLY) + self.bracket(text)
        left, right = _FENCES[name]
        return fenced(left, log + shown, right)

    def series(self, body: Piece, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Piece:
        start = row(self.write(index) + operator("=") + self.write(low))
        return f"<munderover>{operator('∑')}{start}{row(self.write(high))}</munderover>{self._fit(body, PRODUCT)}", SUM


_MATHML = MathmlWriter()


# ---------------------------------------------------------------------------------------------------------------
# mathematics in Unicode

_IDENTIFIERS = "∞…"                         # signs that stand for something, not between two things
_SIGNED = "+−±"


def _nodes(nodes: Nodes) -> str:
    """A row, in which what stands between two fences is a row of its own."""
    text, _ = _until_closed(_norms(nodes), 0, inside=False)
    return text


def _norms(nodes: Nodes) -> Nodes:
    """Of the bars of a norm every other one closes."""
    found: list[Node] = []
    closes = False
    for node in nodes:
        base = node.base if isinstance(node, Scripted) else node
        if base == Atom("‖", "sign"):
            bar = Atom("‖", "close" if closes else "open")
            closes = not closes
            found.append(Scripted(bar, node.below, node.above) if isinstance(node, Scripted) else bar)
        else:
            found.append(node)
    return tuple(found)


def _until_closed(nodes: Nodes, at: int, inside: bool) -> tuple[str, int]:
    """The row from there on, up to the end or, inside a fence, to what closes it, and where that is."""
    text = ""
    last: Node | None = None
    while at < len(nodes):
        node = nodes[at]
        if inside and _kind(node) == "close":
            break
        if _kind(node) == "open":
            body, end = _until_closed(nodes, at + 1, inside=True)
            # what is never closed stands as it is
            shown = _closed(node, body, nodes[end]) if end < len(nodes) else _node(node) + body
            at = end
        else:
            if _is_word(node) and last is not None and _kind(last) in ("number", "letter", "word", "close"):
                text += f'<mspace width="{THIN}"/>'
            shown = _after(node, last) + (operator(APPLY, rspace=THIN) if _is_word(node) and _operand(nodes, at + 1) else "")
        text += shown
        last = nodes[min(at, len(nodes) - 1)]
        at += 1
    return text, at


def _closed(left: Node, body: str, right: Node) -> str:
    """A fence; a script behind it belongs to the whole of it."""
    base = right.base if isinstance(right, Scripted) else right
    assert isinstance(left, Atom)
    assert isinstance(base, Atom)
    inner = fenced(left.text, body, base.text)
    return _scripts(inner, right) if isinstance(right, Scripted) else inner


def _after(node: Node, last: Node | None) -> str:
    """The element, given what stands before it: a sign there is between two things or in front of one."""
    match node:
        case Atom(text=text, kind="sign") if text.replace("-", "−") in _SIGNED:
            prefix = last is None or _kind(last) in ("sign", "open")
            return operator(text.replace("-", "−"), **({"form": "prefix"} if prefix else {}))
    return _node(node)


def _node(node: Node) -> str:
    match node:
        case Scripted(base=base):
            return _scripts(_node(base), node)
        case Root(body=body):
            return f"<msqrt>{_nodes(body)}</msqrt>"
        case Atom(text="ᵀ"):
            return '<msup><mrow></mrow><mi mathvariant="normal">T</mi></msup>'
        case Atom(text="Σ"):
            return operator("∑")
        case Atom(text=text, kind="number"):
            return numeral(text)
        case Atom(text="/"):
            return operator("/", lspace="0", rspace="0")
        case Atom(text=text, kind=kind):
            return identifier(text) if kind in ("letter", "word") or text in _IDENTIFIERS else operator(text)


def _scripts(base: str, node: Scripted) -> str:
    below, above = (row(_nodes(script)) if script else "" for script in (node.below, node.above))
    # limits of a sum stand below and above it
    names = ("munder", "mover", "munderover") if base == operator("∑") else ("msub", "msup", "msubsup")
    name = names[2] if below and above else names[0] if below else names[1]
    return f"<{name}>{row(base)}{below}{above}</{name}>"


def _kind(node: Node) -> str:
    """What kind of thing it is to its neighbours."""
    base = node.base if isinstance(node, Scripted) else node
    return base.kind if isinstance(base, Atom) else "letter"


def _is_word(node: Node) -> bool:
    return _kind(node) == "word"


def _operand(nodes: Nodes, at: int) -> bool:
    return at < len(nodes) and _kind(nodes[at]) in ("number", "letter", "word")
