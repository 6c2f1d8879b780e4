"""Terms of claims and the reader of their texts.

A term is one of the tuples
    ("n", fmpq)   ("s", name)   ("+", terms)   ("*", terms)   ("^", base, exponent)   ("f", name, terms)
    ("S", body, bound name, low, high)                  a sum over whole numbers
The reader simplifies nothing but arithmetic on plain numbers: `x/x` stays as it is, so that what is proved to be defined
is what was written. Functions that others express are written by these, their argument once where possible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from flint import fmpq

Term = tuple[Any, ...]

MAX_TEXT, MAX_DEPTH, MAX_STEPS, MAX_NODES = 20_000, 64, 400_000, 20_000


class Reject(Exception):
    """The proof object does not prove the goal."""


class Unreadable(Exception):
    """A text is not in the grammar; `column` counts from 1."""

    def __init__(self, column: int, reason: str) -> None:
        super().__init__(f"column {column}: {reason}")
        self.column, self.reason = column, reason


class Work:
    """The steps that are left. There is no clock: an answer does not depend on the machine."""

    steps = 0

    @classmethod
    def begin(cls, steps: int = MAX_STEPS) -> None:
        cls.steps = steps

    @classmethod
    def spend(cls, steps: int = 1) -> None:
        cls.steps -= steps
        if cls.steps < 0:
            raise Reject("the steps are used up")


# --- making terms -----------------------------------------------------------------------------------------------------
# add, mul and power simplify; they are for terms that are known to be defined. Reading builds raw tuples.

def num(x: Any, y: int = 1) -> Term:
    return ("n", fmpq(x) / y)


def sym(name: str) -> Term:
    return ("s", name)


def fn(name: str, *arguments: Term) -> Term:
    return ("f", name, arguments)


ZERO, ONE, TWO, HALF, MINUS = num(0), num(1), num(2), num(1, 2), num(-1)


def add(*terms: Term) -> Term:
    constant, rest = fmpq(0), []
    for t in terms:
        for u in t[1] if t[0] == "+" else (t,):
            if u[0] == "n":
                constant += u[1]
            else:
                rest.append(u)
    if constant != 0 or not rest:
        rest.append(("n", constant))
    return rest[0] if len(rest) == 1 else ("+", tuple(rest))


def mul(*terms: Term) -> Term:
    constant, rest = fmpq(1), []
    for t in terms:
        for u in t[1] if t[0] == "*" else (t,):
            if u[0] == "n":
                constant *= u[1]
            else:
                rest.append(u)
    if constant == 0 or not rest:
        return ("n", constant)
    if constant != 1:
        rest.insert(0, ("n", constant))
    return rest[0] if len(rest) == 1 else ("*", tuple(rest))


def neg(t: Term) -> Term:
    return mul(MINUS, t)


def sub(a: Term, b: Term) -> Term:
    return add(a, neg(b))


def power(a: Term, b: Term) -> Term:
    return a if b == ONE else ONE if b == ZERO else ("^", a, b)


def children(t: Term) -> tuple[Term, ...]:
    if t[0] in "+*":
        return t[1]
    if t[0] == "^":
        return t[1:3]
    if t[0] == "f":
        return t[2]
    return (t[1], t[3], t[4]) if t[0] == "S" else ()


@lru_cache(maxsize=50_000)
def free(t: Term) -> frozenset[str]:
    if t[0] == "s":
        return frozenset((t[1],))
    if t[0] == "S":
        return (free(t[1]) - {t[2]}) | free(t[3]) | free(t[4])
    return frozenset().union(*map(free, children(t)))


def size(t: Term, sizes: Mapping[str, int]) -> int:
    """The nodes of a term as it is written out, symbols counted by the table; it stops where a term is too large."""
    stack, found = [t], 0
    while stack and found <= MAX_NODES:
        u = stack.pop()
        found += sizes.get(u[1], 1) if u[0] == "s" else 1
        stack += children(u)
    return found


def weigh(t: Term, table: Mapping[str, Term] = MappingProxyType({})) -> None:
    """Pay for walks through a term (into which others are put): what is shared in it is walked through each time."""
    n = size(t, {x: size(u, {}) for x, u in table.items()})
    if n > MAX_NODES:
        raise Reject("a term is too large")
    Work.spend(n // 8)


def placed(t: Term, table: Mapping[str, Term]) -> Term:
    weigh(t, table)
    return put(t, table)


def put(t: Term, table: Mapping[str, Term]) -> Term:
    """Terms for symbols. What would be captured by a sum is refused."""
    if t[0] == "s":
        return table.get(t[1], t)
    if t[0] == "n":
        return t
    if t[0] in "+*":
        return (t[0], tuple(put(u, table) for u in t[1]))
    if t[0] == "^":
        return ("^", put(t[1], table), put(t[2], table))
    if t[0] == "f":
        return ("f", t[1], tuple(put(u, table) for u in t[2]))
    inner = {x: u for x, u in table.items() if x != t[2]}
    if any(t[2] in free(u) for u in inner.values()):
        raise Reject("a bound variable would be captured")
    return ("S", put(t[1], inner), t[2], put(t[3], table), put(t[4], table))


def show(t: Term, tight: int = 0) -> str:
    """A text that `read_term` reads back."""
    kind = t[0]
    if kind == "n":
        text = str(t[1])
        return f"({text})" if tight and ("/" in text or text[0] == "-") else text
    if kind == "s":
        return str(t[1])
    if kind == "f":
        return f"{t[1]}({', '.join(map(show, t[2]))})" if t[2] else str(t[1])
    if kind == "S":
        return f"sum({show(t[1])}, {t[2]}, {show(t[3])}, {show(t[4])})"
    level, sign = {"+": (1, " + "), "*": (2, "*"), "^": (3, "**")}[kind]
    text = sign.join(show(u, level) for u in children(t))
    return f"({text})" if tight >= level else text


# --- reading ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s+|(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?)"
    r"|(?P<name>\$?[A-Za-z][A-Za-z0-9_]*|\$[0-9]+)|(?P<op>\*\*|<=|>=|==|!=|->|[-+*/(),<>=\[\]{}.:])", re.ASCII)
_ONE = "abs floor ceil exp log ln sqrt tanh sigma relu erf W sin cos sinh cosh log2 gelu silu"
ARITY = {"max": (2, 12), "min": (2, 12), "sum": (4, 4)} | dict.fromkeys(_ONE.split(), (1, 1))
TWICE = ("silu", "gelu", "sinh", "cosh")                # `written` repeats their arguments
CONSTANTS = ("pi", "e", "C_silu", "inf")
WORDS = frozenset({"for", "as", "in", "exists", "independent", "real", "integer"})
RELATIONS = ("<=", "<", ">=", ">", "==")


class Reader:
    """Texts to terms. Quantities become symbols named by their own text; `inf` is left to the statements."""

    def __init__(self, text: str, bound_names: bool = False) -> None:
        if len(text) > MAX_TEXT:
            raise Unreadable(MAX_TEXT, "the text is too long")
        self.tokens: list[tuple[str, str, int]] = []
        self.quantities: dict[str, NetworkQuantity] = {}
        self.i = self.depth = 0
        spelt: dict[str, str] = {}
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None or (match[0].startswith("$") and not bound_names):
                raise Unreadable(position + 1, f"{text[position]!r} has no meaning here")
            if match.lastgroup:
                plain = re.sub(r"_(?=[0-9]+$)", "", match[0]) if match.lastgroup == "name" else match[0]
                if match.lastgroup == "name" and spelt.setdefault(plain, match[0]) != match[0]:
                    raise Unreadable(position + 1, f"{match[0]} and {spelt[plain]} would be one symbol")
                self.tokens.append((match.lastgroup, plain, position + 1))
            position = match.end()
        self.tokens.append(("end", "", len(text) + 1))

    def fail(self, reason: str, column: int | None = None) -> Unreadable:
        return Unreadable(self.tokens[self.i][2] if column is None else column, reason)

    def peek(self) -> str:
        return "" if self.tokens[self.i][0] == "number" else self.tokens[self.i][1]

    def take(self) -> tuple[str, str, int]:
        token = self.tokens[self.i]
        self.i += token[0] != "end"
        return token

    def accept(self, text: str) -> bool:
        found = self.peek() == text
        self.i += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.fail(f"expected {text!r}")

    def name(self) -> str:
        kind, text, column = self.take()
        if kind != "name" or text in WORDS or text in ARITY or text in CONSTANTS:
            raise self.fail("expected the name of a parameter", column)
        return text

    def term(self, tight: int = 0) -> Term:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail("nested too deeply")
        left = self.factor()
        while tight < 2 and self.peek() in ("*", "/", "+", "-"):
            sign = self.peek()
            if sign in "+-" and tight == 1:
                break
            self.take()
            right = self.term(2 if sign in "*/" else 1)
            if sign == "-":
                right = folded(("*", (MINUS, right)))
            elif sign == "/":
                right = folded(("^", right, MINUS))
            left = folded(("+" if sign in "+-" else "*", (left, right)))
        self.depth -= 1
        return left

    def factor(self) -> Term:
        if self.accept("-"):
            return folded(("*", (MINUS, self.term(2))))
        if self.accept("+"):
            return self.term(2)
        base = self.atom()
        return folded(("^", base, self.term(2))) if self.accept("**") else base

    def atom(self) -> Term:
        kind, text, column = self.take()
        if kind == "op" and text == "(":
            inner = self.term()
            self.expect(")")
            return inner
        if kind == "number":
            mantissa, _, exponent = text.lower().partition("e")
            whole, _, part = mantissa.partition(".")
            return ("n", fmpq(int(whole + part)) * fmpq(10) ** (int(exponent or 0) - len(part)))
        if kind != "name" or text in WORDS:
            raise self.fail(f"{text or 'the end'!r} where a number or a name is expected", column)
        if self.peek() in (".", "["):
            return self.quantity(text, column)
        if text in CONSTANTS:
            return fn("exp", ONE) if text == "e" else fn(text)
        if text not in ARITY:
            if self.peek() == "(":
                raise self.fail(f"there is no function {text}", column)
            return sym(text)
        self.expect("(")
        if text == "sum":
            return self.sum(column)
        arguments = self.arguments()
        low, high = ARITY[text]
        if not low <= len(arguments) <= high:
            raise self.fail(f"{text} has another number of arguments", column)
        found = written(text, arguments)
        if text in TWICE and size(found, {}) > MAX_NODES:
            raise self.fail("the term is too large when it is written out", column)
        return found

    def arguments(self) -> list[Term]:
        found = [self.term()]
        while self.accept(","):
            found.append(self.term())
        self.expect(")")
        return found

    def sum(self, column: int) -> Term:
        body = self.term()
        self.expect(",")
        index = self.name()
        self.expect(",")
        low = self.term()
        self.expect(",")
        high = self.term()
        self.expect(")")
        if index in free(low) | free(high):
            raise self.fail("a limit of a sum contains its index", column)
        if (free(body) | free(low) | free(high)) & set(self.quantities):        # one symbol for every index
            raise self.fail("a quantity cannot stand inside a sum", column)
        bound = f"${sums_inside(body) + 1}"
        return ("S", put(body, {index: sym(bound)}), bound, low, high)

    def quantity(self, name: str, column: int) -> Term:
        options: list[tuple[str, str]] = []
        if self.accept("["):
            while not options or self.accept(","):
                key = self.take()[1]
                if not (self.accept("=") or self.accept("==")):
                    raise self.fail("expected =")
                kind, value, place = self.take()
                if kind not in ("name", "number"):
                    raise self.fail(f"expected the value of {key}", place)
                options.append((key, value))
            self.expect("]")
        if len({key for key, _ in options}) != len(options):
            raise self.fail("an option is given twice", column)
        self.expect(".")
        kind, quantity, place = self.take()
        if kind != "name":
            raise self.fail("expected the name of a quantity", place)
        before = len(self.quantities)
        arguments = tuple(self.arguments()) if self.accept("(") else ()
        if len(self.quantities) != before or any("." in x for a in arguments for x in free(a)):
            raise self.fail("a quantity cannot stand inside another", column)
        found = NetworkQuantity(name, tuple(sorted(options)), quantity, arguments)
        self.quantities[found.label] = found
        return sym(found.label)

    def relation(self) -> str:
        kind, text, column = self.take()
        if kind != "op" or text not in RELATIONS:
            raise self.fail(f"expected one of {' '.join(RELATIONS)}", column)
        return text

    def end(self) -> None:
        if self.tokens[self.i][0] != "end":
            raise self.fail(f"{self.tokens[self.i][1]!r} is not expected here")


class NetworkQuantity(NamedTuple):
    """NAME[option=value, …].QUANTITY(arguments) as it stands in a claim."""

    name: str
    options: tuple[tuple[str, str], ...]
    quantity: str
    arguments: tuple[Term, ...]

    @property
    def label(self) -> str:
        options = f"[{', '.join(f'{k}={v}' for k, v in self.options)}]" if self.options else ""
        arguments = f"({', '.join(map(show, self.arguments))})" if self.arguments else ""
        return f"{self.name}{options}.{self.quantity}{arguments}"


def sums_inside(t: Term) -> int:
    return (t[0] == "S") + max(map(sums_inside, children(t)), default=0)


def folded(t: Term) -> Term:
    """Exact arithmetic on plain numbers, where it is defined and small."""
    parts = children(t)
    if all(u[0] == "n" for u in parts):
        a, b = parts[0][1], parts[1][1]
        if t[0] == "+":
            return ("n", a + b)
        if t[0] == "*":
            return ("n", a * b)
        if b.q == 1 and abs(b.p) <= 4000 and (a != 0 or b >= 0) and abs(int(b.p)) * max(a.height_bits(), 1) < 40_000:
            return ("n", a ** int(b.p))
    return t


def written(name: str, arguments: list[Term]) -> Term:
    """A function by the primitives abs max floor exp log erf W sin cos and powers; u stands once where it can."""
    u = arguments[0]
    minus = ("*", (MINUS, u))
    if name == "ln":
        return fn("log", u)
    if name == "sqrt":
        return ("^", u, HALF)
    if name == "relu":
        return fn("max", u, ZERO)
    if name == "min":
        return ("*", (MINUS, fn("max", *(("*", (MINUS, a)) for a in arguments))))
    if name == "ceil":
        return ("*", (MINUS, fn("floor", minus)))
    if name == "sigma":
        return ("^", ("+", (ONE, fn("exp", minus))), MINUS)
    if name == "silu":
        return ("*", (u, written("sigma", [u])))
    if name == "gelu":
        return ("*", (HALF, u, ("+", (ONE, fn("erf", ("*", (u, ("^", HALF, HALF))))))))
    if name == "tanh":
        return ("+", (ONE, ("*", (num(-2), ("^", ("+", (ONE, fn("exp", ("*", (TWO, u))))), MINUS)))))
    if name in ("sinh", "cosh"):
        return ("*", (HALF, ("+", (fn("exp", u), ("*", (num(1 if name == "cosh" else -1), fn("exp", minus)))))))
    if name == "log2":
        return ("*", (fn("log", u), ("^", fn("log", TWO), MINUS)))
    return fn(name, *arguments)


def read_term(text: object) -> Term:
    """A term of a proof object."""
    if not isinstance(text, str):
        raise Reject("a term must be a text")
    try:
        reader = Reader(text, bound_names=True)
        found = reader.term()
        reader.end()
    except (Unreadable, RecursionError, ValueError, ZeroDivisionError) as problem:
        raise Reject(f"term {text[:60]}: {problem}") from None
    if has_infinity(found):
        raise Reject("inf has no value")
    return found


def read_number(text: object) -> fmpq:
    t = read_term(text)
    if t[0] != "n":
        raise Reject("a rational number is needed")
    return t[1]


def has_infinity(t: Term) -> bool:
    return t == ("f", "inf", ()) or any(map(has_infinity, children(t)))
