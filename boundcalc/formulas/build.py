"""From the tree of a parsed text to a sympy expression, without making anything too large on the way.

sympy evaluates what it can the moment that it is made, so every step is preceded by a bound on the size of what could
come out; what is too large is refused unmade.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn, Protocol

import sympy as sp

from ..numbers.exact import MAX_BITS, decimal
from .notation import FUNCTIONS
from .symbols import CeilLog, FloorLog, symbol

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


@dataclass
class Node:
    """A piece of parsed text.

    Kinds: number, name, call, sum, product, negative, power, group (in brackets), and value (ready-made).
    """

    kind: str
    column: int
    parts: list[Node] = field(default_factory=list)
    value: sp.Expr | str | None = None
    inverted: list[bool] = field(default_factory=list)     # of a product: which parts divide


class Fail(Protocol):
    """Refuses the text, naming a column of it; it does not return."""

    def __call__(self, column: int, reason: str, remedy: str = ...) -> NoReturn: ...


def build_expression(node: Node, fail: Fail) -> sp.Expr:
    """The sympy expression of a tree; `fail` is called for a tree that has none, or only one beyond the limits."""
    try:
        expr = _Builder(fail).build(node).expr
    except (ArithmeticError, AttributeError, NotImplementedError, RecursionError, TypeError, ValueError):
        # sympy does not say which exceptions its constructors raise on numbers outside the domain of a function
        fail(node.column, "this has no exact real value")
    if not all(isinstance(part, _ALLOWED) for part in sp.preorder_traversal(expr)):
        fail(node.column, "this is not (or not always) a real number", "Keep to the domain of each function.")
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

    def __init__(self, fail: Fail) -> None:
        self.fail = fail
        self.choices = 0
        self.indices: dict[str, int] = {}     # log2 of the largest value of the index of a sum

    def build(self, node: Node) -> _Value:
        match node.kind:
            case "number":
                try:
                    value = decimal(str(node.value))
                except OverflowError:
                    self.fail(node.column, "the number is too large or too small")
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
            self.fail(node.column, "the result may be too large", f"Keep numbers below {MAX_BITS} bits.")

    def _degree(self, node: Node, degree: int) -> None:
        if degree > MAX_DEGREE:
            self.fail(node.column, f"the degree in the variables is above {MAX_DEGREE}", "Use smaller exponents.")

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
                    self.fail(node.column, "this divides by zero")
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
            self.fail(node.column, "this divides by zero")
        if not power.is_integer and _is_negative(base.expr):
            self.fail(node.column, "this is a power of a negative number whose exponent is not an integer")
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
            self.fail(node.column, f"the base of this power has more than {MAX_ROOT_BITS} bits")
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
                    self.fail(node.column, "W is real only from -1/e on")
        function = {"tanh": sp.tanh, "erf": sp.erf, "W": sp.LambertW, "sin": sp.sin, "cos": sp.cos}[name]
        self._room(node, size + 4, size + 4)
        return _measured(function(arg.expr), size + 4, size + 4, max(arg.logs, 1))

    def _compared(self, node: Node, name: str, args: list[_Value]) -> _Value:
        """max, min, relu, abs, floor, ceil: sympy evaluates constants numerically in order to decide them."""
        if any(_closed_sum(arg.expr) for arg in args):
            self.fail(node.column, f"a sum of numbers only must not stand inside {name}", "Write out its value.")
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
            self.fail(node.column, f"max and min have more than {MAX_CHOICES} arguments in all")
        return _measured((sp.Min if name == "min" else sp.Max)(*exprs), bits, up, logs)

    def _positive(self, node: Node, expr: sp.Expr) -> None:
        if not _closed_sum(expr) and expr.is_nonpositive:
            self.fail(node.column, "this is the logarithm of a number that is not positive")

    def _integer_log(self, node: Node, x: Node, base: sp.Integer) -> _Value:
        arg = self.build(x)
        self._positive(node, arg.expr)
        size = (arg.bits + arg.up).bit_length() + 1
        return _measured((CeilLog if node.value == "ceil" else FloorLog)(arg.expr, base), size, size, arg.logs)

    def _series(self, node: Node) -> _Value:
        index, low, high = node.parts[1], self.build(node.parts[2]), self.build(node.parts[3])
        if index.kind != "name" or index.value in RESERVED:
            self.fail(index.column, "the second argument of sum must be the name of its index")
        for bound in (low.expr, high.expr):
            if bound.is_integer is False and bound.is_finite:
                self.fail(node.column, "the bounds of sum must be integers")
        if (high.expr - low.expr + 1).is_negative:
            self.fail(node.column, "the upper bound of sum is below the lower one")
        letter = symbol(str(index.value))
        if letter in low.expr.free_symbols | high.expr.free_symbols:
            self.fail(index.column, "the bounds of sum must not contain its index")
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
