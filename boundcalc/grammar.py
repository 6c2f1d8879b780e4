"""The one safe parser of expressions (no evaluation of text as code), and the printer of the same grammar.

    sum      = product (("+" | "-") product)*
    product  = unary (("*" | "/") unary)*
    unary    = ("+" | "-") unary | power
    power    = atom ["**" unary]
    atom     = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"

Text becomes a tree of `Node`s first and a sympy expression second. sympy evaluates what it can the moment that it is
made, so every step is preceded by a bound on the size of what could come out; what is too large is refused unmade.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import sympy as sp

from .errors import BoundcalcError, InvalidInput, echo
from .exact import MAX_BITS, decimal
from .notation import FUNCTIONS, Writer
from .symbols import CeilLog, FloorLog, symbol

MAX_TEXT = 20_000
MAX_DEPTH = 64
MAX_NAME = 60
MAX_ROOT_BITS = 512      # sympy tries to factor what stands under a root
MAX_CHOICES = 32         # arguments of max and min in all: sympy compares them pair by pair
MAX_DEGREE = 200         # sympy looks for the real roots of polynomials when it compares
MAX_MAGNITUDE = 2**64    # log2 of the largest value that sympy may be asked to compare

CONSTANTS = {"pi": sp.S.Pi, "e": sp.S.Exp1, "inf": sp.S.Infinity}
UNARY = ("abs", "floor", "ceil", "exp", "log", "sqrt", "tanh", "sigma", "relu", "erf", "W", "sin", "cos")
ARITY = {**dict.fromkeys(UNARY, (1, 1)), "max": (1, MAX_CHOICES), "min": (1, MAX_CHOICES), "sum": (4, 4)}
RESERVED = frozenset(CONSTANTS) | frozenset(ARITY)

# what may be left after sympy's own evaluation; complex numbers, undefined values and the like are not
_ALLOWED = (sp.Add, sp.Mul, sp.Pow, sp.Rational, sp.Symbol, sp.exp, sp.Sum, sp.Tuple, CeilLog, FloorLog, *FUNCTIONS,
            *(type(value) for value in (*CONSTANTS.values(), sp.S.NegativeInfinity)))
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<operator>\*\*|<=|>=|==|->|[-+*/(),<>=\[\]{}.:])", re.ASCII)


class Token(NamedTuple):
    kind: str       # "number", "name", "operator" or "end"
    text: str
    column: int     # counted from 1


@dataclass
class Node:
    """A piece of parsed text. Kinds: number, name, call, sum, product, negative, power, and value (ready-made)."""

    kind: str
    column: int
    parts: list[Node] = field(default_factory=list)
    value: sp.Expr | str | None = None
    inverted: list[bool] = field(default_factory=list)     # of a product: which parts divide


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
        builder = _Builder(self)
        try:
            expr = builder.build(node).expr
        except (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError):
            # sympy does not say which exceptions its constructors raise on numbers outside the domain of a function
            self.fail(node.column, "this has no exact real value")
        if not all(isinstance(part, _ALLOWED) for part in sp.preorder_traversal(expr)):
            self.fail(node.column, "this is not (or not always) a real number", "Keep to the domain of each function.")
        return expr


class _Value(NamedTuple):
    """An expression with bounds on what sympy's evaluation can make of it; symbols count as 1."""

    expr: sp.Expr
    bits: int = 0      # log2 of any numerator or denominator in it
    up: int = 0        # log2 of its absolute value, where that exceeds 1
    logs: int = 0      # bits of numbers inside logarithms: exp(n*log(2)) becomes 2**n


def _degree(expr: sp.Expr) -> int:
    """The degree of an expression as a polynomial in its symbols and in whatever else is not a number."""
    if not expr.free_symbols:
        return 0
    if expr.is_Add:
        return max(_degree(part) for part in expr.args)
    if expr.is_Mul:
        return sum(_degree(part) for part in expr.args)
    if expr.is_Pow and expr.exp.is_Rational:
        return _degree(expr.base) * -(-abs(int(expr.exp.p)) // int(expr.exp.q))
    return max((_degree(part) for part in expr.args), default=1) if not expr.is_Symbol else 1


class _Builder:
    """Turns a tree into a sympy expression, refusing what would grow beyond the limits before it is made."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.choices = 0
        self.indices: dict[str, int] = {}     # log2 of the largest value of the index of a sum

    def build(self, node: Node) -> _Value:
        match node.kind:
            case "number":
                try:
                    value = decimal(str(node.value))
                except OverflowError:
                    self.parser.fail(node.column, "the number is too large or too small")
                return _measured(sp.Rational(value.numerator, value.denominator))
            case "name":
                return self._name(str(node.value))
            case "value":
                return _measured(node.value)
            case "group":
                return self.build(node.parts[0])
            case "sum":
                return self._sum(node)
            case "power":
                return self._power(node, self.build(node.parts[0]), self.build(node.parts[1]))
            case "call":
                return self._call(node)
        return self._product(node)

    def _name(self, name: str) -> _Value:
        if name in CONSTANTS:
            return _Value(CONSTANTS[name], up=0 if name == "inf" else 2)
        size = self.indices.get(name, 0)
        return _Value(symbol(name), bits=size, up=size)

    def _room(self, node: Node, bits: int, up: int) -> None:
        if bits > MAX_BITS or up > MAX_MAGNITUDE:
            self.parser.fail(node.column, "the result may be too large", f"Keep numbers below {MAX_BITS} bits.")

    def _degree(self, node: Node, degree: int) -> None:
        if degree > MAX_DEGREE:
            self.parser.fail(node.column, f"the degree in the variables is above {MAX_DEGREE}", "Use smaller exponents.")

    def _sum(self, node: Node) -> _Value:
        terms = [self.build(part) for part in node.parts]
        carry = (len(terms) - 1).bit_length()
        bits, up = sum(term.bits for term in terms) + carry, max(term.up for term in terms) + carry
        self._room(node, bits, up)
        return _measured(sp.Add(*[term.expr for term in terms]), bits, up, max(term.logs for term in terms))

    def _product(self, node: Node) -> _Value:
        # all factors at once, also those of a denominator: 2*(x + 1) alone would be multiplied out
        factors: list[_Value] = []
        for part, inverted in _flattened(node, False):
            value = self.build(part) if part else _Value(sp.S.NegativeOne)
            if inverted:
                if value.expr.is_zero and not _closed_sum(value.expr):
                    self.parser.fail(node.column, "this divides by zero")
                value = value._replace(expr=value.expr**-1, up=max(value.bits, value.up))
            factors.append(value)
        bits, up = sum(factor.bits for factor in factors), sum(factor.up for factor in factors)
        self._room(node, bits, up)
        self._degree(node, sum(_degree(factor.expr) for factor in factors))
        return _measured(sp.Mul(*[factor.expr for factor in factors]), bits, up, max(factor.logs for factor in factors))

    def _power(self, node: Node, base: _Value, exponent: _Value) -> _Value:
        power = exponent.expr
        if base.expr is sp.S.Exp1:
            return self._exp(node, exponent)
        if base.expr.is_zero and power.is_negative:
            self.parser.fail(node.column, "this divides by zero")
        if not power.is_integer and _is_negative(base.expr):
            self.parser.fail(node.column, "this is a power of a negative number whose exponent is not an integer")
        if power.is_Integer:
            work = steps = abs(int(power))
        elif power.is_Rational:
            # sympy raises prime factors to the numerator first; then a root of p/q becomes a root of p*q over q
            work, steps = abs(int(power.p)) + int(power.q), 2 * (abs(int(power.p)) // int(power.q) + 1)
        else:
            work = steps = 2 ** min(max(exponent.bits, exponent.up), 64)
        bits, up = base.bits * steps + exponent.bits, max(base.bits, base.up) * steps
        self._room(node, max(bits, base.bits * work), up)
        self._degree(node, _degree(base.expr) * (-(-abs(int(power.p)) // int(power.q)) if power.is_Rational else 1))
        if base.bits > MAX_ROOT_BITS and not power.is_Integer:
            self.parser.fail(node.column, f"the base of this power has more than {MAX_ROOT_BITS} bits")
        return _measured(base.expr**power, bits, up, max(base.logs, exponent.logs))

    def _exp(self, node: Node, arg: _Value) -> _Value:
        steps = 2 ** min(max(arg.bits, arg.up), 65)
        bits = arg.bits + arg.logs * steps
        up = 2 * (-(-abs(int(arg.expr.p)) // int(arg.expr.q)) if arg.expr.is_Rational else 2 ** min(arg.up, 65))
        self._room(node, bits, up)
        return _measured(sp.exp(arg.expr), bits, up, arg.logs)

    def _call(self, node: Node) -> _Value:
        name = str(node.value)
        if name == "sum":
            return self._series(node)
        if name in ("ceil", "floor"):
            ratio = _log_ratio(node.parts[0])
            if ratio:
                return self._integer_log(node, *ratio)
        args = [self.build(part) for part in node.parts]
        if name in ("max", "min", "relu", "abs", "ceil", "floor"):
            return self._compared(node, name, args)
        arg = args[0]
        size = arg.bits + arg.up
        match name:
            case "exp":
                return self._exp(node, arg)
            case "sqrt":
                return self._power(node, arg, _Value(sp.S.Half, bits=1))
            case "sigma":
                inner = self._exp(node, arg._replace(expr=-arg.expr))
                return _Value(1 / (1 + inner.expr), inner.bits + 1, inner.up + 1, inner.logs)
            case "log":
                self._positive(node, arg.expr)
                small = size.bit_length() + 1
                return _measured(sp.log(arg.expr), small, small, max(arg.logs, arg.bits, 1))
            case "W":
                if _is_negative(arg.expr + sp.exp(-1)):
                    self.parser.fail(node.column, "W is real only from -1/e on")
        function = {"tanh": sp.tanh, "erf": sp.erf, "W": sp.LambertW, "sin": sp.sin, "cos": sp.cos}[name]
        self._room(node, size + 4, size + 4)
        return _measured(function(arg.expr), size + 4, size + 4, max(arg.logs, 1))

    def _compared(self, node: Node, name: str, args: list[_Value]) -> _Value:
        """max, min, relu, abs, floor, ceil: sympy evaluates constants numerically in order to decide them."""
        if any(_closed_sum(arg.expr) for arg in args):
            self.parser.fail(node.column, f"a sum of numbers only must not stand inside {name}", "Write out its value.")
        bits, up, logs = (max(values) for values in zip(*(arg[1:] for arg in args), strict=True))
        exprs = [arg.expr for arg in args]
        if name in ("ceil", "floor"):
            self._room(node, up, up)
            return _measured((sp.ceiling if name == "ceil" else sp.floor)(*exprs), max(bits, up) + 1, up + 1, logs)
        if name == "abs":
            return _measured(sp.Abs(*exprs), bits, up, logs)
        if name == "relu":
            exprs.append(sp.S.Zero)
        self.choices += len(exprs)
        if self.choices > MAX_CHOICES:
            self.parser.fail(node.column, f"max and min have more than {MAX_CHOICES} arguments in all")
        return _measured((sp.Min if name == "min" else sp.Max)(*exprs), bits, up, logs)

    def _positive(self, node: Node, expr: sp.Expr) -> None:
        if not _closed_sum(expr) and expr.is_nonpositive:
            self.parser.fail(node.column, "this is the logarithm of a number that is not positive")

    def _integer_log(self, node: Node, x: Node, base: sp.Integer) -> _Value:
        arg = self.build(x)
        self._positive(node, arg.expr)
        size = (arg.bits + arg.up).bit_length() + 1
        return _measured((CeilLog if node.value == "ceil" else FloorLog)(arg.expr, base), size, size, arg.logs)

    def _series(self, node: Node) -> _Value:
        index, low, high = node.parts[1], self.build(node.parts[2]), self.build(node.parts[3])
        if index.kind != "name" or index.value in RESERVED:
            self.parser.fail(index.column, "the second argument of sum must be the name of its index")
        for bound in (low.expr, high.expr):
            if bound.is_integer is False and bound.is_finite:
                self.parser.fail(node.column, "the bounds of sum must be integers")
        if (high.expr - low.expr + 1).is_negative:
            self.parser.fail(node.column, "the upper bound of sum is below the lower one")
        letter = symbol(str(index.value))
        if letter in low.expr.free_symbols | high.expr.free_symbols:
            self.parser.fail(index.column, "the bounds of sum must not contain its index")
        outer = self.indices
        self.indices = {**outer, letter.name: max(low.bits, high.bits)}
        body = self.build(node.parts[0])
        self.indices = outer
        bits, up = low.bits + high.bits + body.bits, low.up + high.up + body.up
        self._room(node, bits, up)
        return _Value(sp.Sum(body.expr, (letter, low.expr, high.expr)), bits, up, max(low.logs, high.logs, body.logs))


def _measured(expr: sp.Expr, bits: int = 0, up: int = 0, logs: int = 0) -> _Value:
    """The value with its bounds, which are exact for rationals."""
    if expr.is_Rational:
        top, bottom = abs(int(expr.p)), int(expr.q)
        bits = max((max(top, 1) - 1).bit_length(), (bottom - 1).bit_length())
        up = (max(-(-top // bottom), 1) - 1).bit_length()
    return _Value(expr, bits, up, logs)


def _flattened(node: Node, inverted: bool) -> list[tuple[Node | None, bool]]:
    """The factors of nested products and whether each divides; None stands for -1."""
    if node.kind == "product":
        return [factor for part, below in zip(node.parts, node.inverted, strict=True)
                for factor in _flattened(part, inverted != below)]
    if node.kind == "negative":
        return [(None, False), *_flattened(node.parts[0], inverted)]
    if node.kind == "group" and node.parts[0].kind in ("group", "product", "negative"):
        return _flattened(node.parts[0], inverted)
    return [(node, inverted)]


def _log_ratio(node: Node) -> tuple[Node, sp.Integer] | None:
    """(A, B) if the node is log(A)/log(B) with an integer literal B >= 2."""
    while node.kind == "group":
        node = node.parts[0]
    if node.kind != "product" or node.inverted != [False, True] or any(part.value != "log" for part in node.parts):
        return None
    top, bottom = (part.parts[0] for part in node.parts)
    if bottom.kind != "number" or not str(bottom.value).isdigit() or len(str(bottom.value)) > 20:
        return None
    base = int(str(bottom.value))
    return (top, sp.Integer(base)) if base >= 2 else None


def _closed_sum(expr: sp.Expr) -> bool:
    """A sum without free symbols: sympy would try, for long and not always correctly, to evaluate it numerically."""
    return expr.has(sp.Sum) and any(not part.free_symbols for part in expr.atoms(sp.Sum))


def _is_negative(expr: sp.Expr) -> bool:
    return not _closed_sum(expr) and bool(expr.is_negative)
