"""The one safe parser of expressions (no evaluation of text as code), and the printer of the same grammar.

    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*
    unary    = ("+" | "-") unary | power
    power    = atom ["**" unary]
    atom     = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"

Text becomes a tree of `Node`s first, here, and a sympy expression second, in build.py, which bounds its size.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

import sympy as sp

from ..errors import BoundcalcError, InvalidInput, echo
from .build import ARITY, RESERVED, Node, build_expression
from .notation import Writer

MAX_TEXT = 20_000
MAX_DEPTH = 64
MAX_NAME = 60

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<operator>\*\*|<=|>=|==|->|[-+*/(),<>=\[\]{}.:])", re.ASCII)


class Token(NamedTuple):
    kind: str       # "number", "name", "operator" or "end"
    text: str
    column: int     # counted from 1


def parse(text: str) -> sp.Expr:
    """The expression that the text denotes; InvalidInput, with the column, if it denotes none."""
    parser = Parser(text)
    node = parser.expression()
    parser.expect_end()
    return parser.build(node)


def to_text(expr: sp.Expr) -> str:
    """The expression in this grammar: `parse(to_text(e)) == e`."""
    return _TEXT.write(expr)


class _TextWriter(Writer):
    def symbol(self, name: str) -> str:
        if name in RESERVED:
            raise BoundcalcError(f"A variable must not be called {name}.", "Rename it.")
        return name


_TEXT = _TextWriter()


def tokenize(text: str) -> list[Token]:
    """The tokens of the text, of claims too, so that a larger language can be read with the same parser."""
    if len(text) > MAX_TEXT:
        _refuse(text, MAX_TEXT + 1, f"the text has more than {MAX_TEXT} characters", "Shorten it.")
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            hint = "Write ** for powers." if text[position] == "^" else \
                "Names are ASCII letters, digits and underscores and start with a letter."
            _refuse(text, position + 1, f"the character {echo(text[position])!r} has no meaning here", hint)
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup, match[0], position + 1))
        position = match.end()
    tokens.append(Token("end", "", len(text) + 1))
    return tokens


def _refuse(text: str, column: int, reason: str, remedy: str) -> NoReturn:
    raise InvalidInput(f"Cannot read {echo(text)!r}: at column {column}, {reason}.", remedy)


class Parser:
    """Reads expressions from the tokens of one text. Claims subclass it and override `name` to read quantities."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self._depth = 0

    def fail(self, column: int, reason: str, remedy: str = "Correct the expression.") -> NoReturn:
        _refuse(self.text, column, reason, remedy)

    def peek(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.tokens[self.position]
        if token.kind != "end":
            self.position += 1
        return token

    def accept(self, operator: str) -> bool:
        """Take the next token if it is that operator."""
        found = self.peek().kind == "operator" and self.peek().text == operator
        self.position += found
        return found

    def expect(self, operator: str) -> None:
        if not self.accept(operator):
            self._unexpected(f"expected {operator!r}")

    def expect_end(self) -> None:
        if self.peek().kind != "end":
            self._unexpected("expected an operator or the end")

    def _unexpected(self, expected: str) -> NoReturn:
        token = self.peek()
        found = repr(echo(token.text)) if token.text else "the end"
        self.fail(token.column, f"{expected}, found {found}")

    def expression(self, tightness: int = 0) -> Node:
        """An expression whose operators bind tighter than that: 0 for all, 1 for products, 2 for one factor."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(self.peek().column, f"the nesting is deeper than {MAX_DEPTH}", "Use fewer brackets.")
        left = self._factor()
        while tightness < 2 and self.peek().kind == "operator":
            operator = self.peek().text
            if operator in ("*", "/"):
                column = self.take().column
                if left.kind != "product":
                    left = Node("product", column, [left], inverted=[False])
                left.parts.append(self.expression(2))
                left.inverted.append(operator == "/")
            elif operator in ("+", "-") and tightness < 1:
                column = self.take().column
                if left.kind != "sum":
                    left = Node("sum", column, [left])
                right = self.expression(1)
                left.parts.append(Node("negative", column, [right]) if operator == "-" else right)
            else:
                break
        self._depth -= 1
        return left

    def _factor(self) -> Node:
        column = self.peek().column
        if self.accept("-"):
            return Node("negative", column, [self.expression(2)])
        if self.accept("+"):
            return self.expression(2)
        base = self.atom()
        column = self.peek().column
        if self.accept("**"):
            return Node("power", column, [base, self.expression(2)])
        return base

    def atom(self) -> Node:
        token = self.peek()
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            # wrapped, so that a product or sum in brackets is not continued by what follows it
            return Node("group", token.column, [inner])
        if token.kind == "number":
            return Node("number", token.column, value=self.take().text)
        if token.kind != "name":
            self._unexpected("expected a number, a name or a bracket")
        return self.name()

    def name(self) -> Node:
        token = self.take()
        if len(token.text) > MAX_NAME:
            self.fail(token.column, f"the name {echo(token.text)!r} is longer than {MAX_NAME} characters")
        if token.text not in ARITY:
            return Node("name", token.column, value=token.text)
        self.expect("(")
        node = Node("call", token.column, [self.expression()], token.text)
        while self.accept(","):
            node.parts.append(self.expression())
        self.expect(")")
        low, high = ARITY[token.text]
        if not low <= len(node.parts) <= high:
            wanted = f"{low} to {high} arguments" if low < high else "1 argument" if low == 1 else f"{low} arguments"
            self.fail(token.column, f"{token.text} takes {wanted}, not {len(node.parts)}")
        return node

    def build(self, node: Node) -> sp.Expr:
        """The sympy expression of a tree that this parser made."""
        return build_expression(node, self.fail)
