r"""The LaTeX subset of claims: formulas such as `\frac{\ln(n-1)-\ln\varepsilon}{\delta}` as tokens of the grammar.

What has one meaning is read; what could mean two things (`1/2n`, `\log 2n`, `x^23`, `ab`) is refused, with its place.
The tokens keep the columns of the LaTeX text, so that later complaints point into it.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import InvalidInput, echo
from ..formulas.build import ARITY
from ..formulas.parser import MAX_DEPTH, MAX_TEXT, Token

_PIECE = re.compile(r"(?P<space>\s+|~)|(?P<command>\\(?:[A-Za-z]+|[^A-Za-z]))|(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
                    r"|(?P<word>[A-Za-z]+)|(?P<sign>.)", re.DOTALL | re.ASCII)

_GREEK = {name: name for name in (
    "alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "tau", "phi", "chi",
    "psi", "omega")} | {"varepsilon": "eps", "epsilon": "eps", "varphi": "phi"}
_FUNCTIONS = {name: name for name in ("log", "exp", "tanh", "sin", "cos", "max", "min", "sigma")} | {"ln": "log"}
_OPERATORS = {"le": "<=", "leq": "<=", "leqslant": "<=", "lt": "<", "ge": ">=", "geq": ">=", "geqslant": ">=", "gt": ">",
              "cdot": "*", "times": "*", "to": "->", "rightarrow": "->"}
_SPACES = {",", ";", ":", "!", " ", "quad", "qquad", "displaystyle", "bigl", "bigr", "Bigl", "Bigr", "big", "Big", "left",
           "right", "limits"}
_FENCES = {"lceil": ("ceil", "rceil"), "lfloor": ("floor", "rfloor"), "lvert": ("abs", "rvert")}
_GROWTH = {"O": "O", "o": "o", "Theta": "Theta", "Omega": "Omega"}
_WORDS = frozenset(ARITY) | {"eps", "beta", "delta", "eta", "kappa", "inf", "pi", "for", "as", "in", "exists", "independent",
                             "Theta", "Omega", "gamma", "tau"}
_PRODUCTS = frozenset("nHdmpNkLMabxyztuvrs")      # letters whose product with a bracket is meant by juxtaposition


def is_latex(text: str) -> bool:
    return "\\" in text


def latex_tokens(text: str) -> list[Token]:
    """The tokens of the grammar that a LaTeX formula stands for; InvalidInput, with the column, outside the subset."""
    reader = _Reader(text)
    reader.read(frozenset())
    if reader.peek():
        reader.refuse(reader.column(), f"{echo(reader.peek())!r} closes nothing", "Remove it, or open it before.")
    return [*reader.tokens, Token("end", "", len(text) + 1)]


class OutsideTheSubset(InvalidInput):
    """`column` counts from 1."""

    def __init__(self, text: str, column: int, reason: str, remedy: str) -> None:
        super().__init__(f"Cannot read {echo(text)!r}: at column {column}, {reason}.", remedy)
        self.column, self.reason = column, reason


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > MAX_TEXT:
            self.refuse(MAX_TEXT + 1, f"the text has more than {MAX_TEXT} characters", "Shorten it.")
        stripped = text.strip()
        if stripped.startswith("$") and stripped.endswith("$") and len(stripped) > 1:
            start = text.index("$")
            text = text[:start] + " " + text[start + 1:text.rindex("$")] + " " + text[text.rindex("$") + 1:]
        self.pieces = [(m.lastgroup or "", m[0], m.start() + 1) for m in _PIECE.finditer(text)]
        self.position = 0
        self.tokens: list[Token] = []
        self.depth = 0
        self.operand = False        # whether what was read last can be multiplied by what follows
        self.divided = False        # whether the current factor stands behind a slash

    def refuse(self, column: int, reason: str, remedy: str = "Write it in plain text, or with brackets.") -> NoReturn:
        raise OutsideTheSubset(self.text, column, reason, remedy)

    # --- pieces of the text ----------------------------------------------------------------------------------------

    def skip(self) -> None:
        while self.position < len(self.pieces):
            kind, text, _ = self.pieces[self.position]
            if kind != "space" and not (kind == "command" and text[1:] in _SPACES):
                return
            self.position += 1

    def peek(self) -> str:
        self.skip()
        return self.pieces[self.position][1] if self.position < len(self.pieces) else ""

    def kind(self) -> str:
        self.skip()
        return self.pieces[self.position][0] if self.position < len(self.pieces) else "end"

    def column(self) -> int:
        self.skip()
        return self.pieces[self.position][2] if self.position < len(self.pieces) else len(self.text) + 1

    def take(self) -> str:
        text = self.peek()
        self.position += 1
        return text

    def accept(self, text: str) -> bool:
        found = self.peek() == text
        self.position += found
        return found

    def expect(self, *texts: str) -> None:
        if self.peek() not in texts:
            found = repr(echo(self.peek())) if self.peek() else "the end"
            self.refuse(self.column(), f"expected {texts[0]!r}, found {found}")
        self.take()

    # --- tokens ----------------------------------------------------------------------------------------------------

    def put(self, kind: str, text: str, column: int, operand: bool = False) -> None:
        self.tokens.append(Token(kind, text, column))
        self.operand = operand

    def sign(self, text: str, column: int) -> None:
        self.put("operator", text, column, text in (")", "]", "}"))

    def begin_operand(self, column: int) -> None:
        """A product by juxtaposition, unless it stands behind a slash, where two readings are possible."""
        if self.operand:
            if self.divided:
                self.refuse(column, "it is not clear how far the denominator goes", r"Use \frac or brackets.")
            self.sign("*", column)

    def read(self, closers: frozenset[str]) -> None:
        """Read up to one of the closers, which is left."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(self.column(), f"the nesting is deeper than {MAX_DEPTH}", "Use fewer brackets.")
        while self.peek() and self.peek() not in closers and not (self.peek() == "|" and "|" in closers and self.operand):
            self.item()
        self.depth -= 1

    def group(self, closer: str, opened: int) -> None:
        """( … ) around what follows, up to the closer."""
        outer, self.divided = self.divided, False
        self.sign("(", opened)
        self.read(frozenset({closer}))
        column = self.column()
        self.expect(closer)
        self.sign(")", column)
        self.divided = outer

    def braced(self) -> None:
        column = self.column()
        self.expect("{")
        self.group("}", column)

    def item(self) -> None:
        kind, column = self.kind(), self.column()
        if kind == "number":
            self.begin_operand(column)
            self.put("number", self.take(), column, True)
        elif kind == "word":
            self.word(column)
        elif kind == "command":
            self.command(column)
        else:
            self.symbol(column)

    def symbol(self, column: int) -> None:
        text = self.take()
        if text == "^":
            if not self.operand:
                self.refuse(column, "nothing stands before ^")
            self.sign("**", column)
            self.exponent()
        elif text in ("{", "("):
            self.begin_operand(column)
            self.group("}" if text == "{" else ")", column)
        elif text == "|":
            self.begin_operand(column)
            self.fenced("abs", "|", column)
        elif text == "!" and self.operand:
            self.put("operator", "!", column, True)
        elif text in "+-*,:[].":
            self.divided = self.divided and text in "*]."
            self.sign(text, column)
        elif text == "/":
            self.sign("/", column)
            self.divided = True
        elif text in "<>=":
            self.divided = False
            if text == "=" and self.tokens and self.tokens[-1].text in ("<", ">", "="):
                last = self.tokens.pop()
                self.sign(last.text + "=", last.column)
            elif text == "=":
                self.sign("=" if self.growth_follows() else "==", column)
            else:
                self.sign(text, column)
        else:
            self.refuse(column, f"the character {echo(text)!r} has no meaning here")

    def growth_follows(self) -> bool:
        rest = "".join(text for _, text, _ in self.pieces[self.position:self.position + 8]).lstrip()
        return bool(re.match(r"(O|o|\\Theta|\\Omega|\\mathcal\s*\{\s*O\s*\}|\\mathcal O)\s*(\\left\s*)?\(", rest)) or \
            rest.startswith("=")

    def exponent(self) -> None:
        column, kind = self.column(), self.kind()
        self.operand = False
        if self.peek() == "{":
            self.braced()
        elif kind == "number" and len(self.peek()) > 1:
            self.refuse(column, "an exponent of several digits needs braces", "Write x^{23}.")
        elif kind in ("number", "command") or (kind == "word" and len(self.peek()) == 1):
            self.item()
        else:
            self.refuse(column, "an exponent is expected after ^", "Write x^2 or x^{…}.")

    def word(self, column: int) -> None:
        text = self.take()
        following = self.peek()
        if following in (".", "[") and len(text) > 1:
            self.quantity(text, column)
        elif text in ARITY:
            self.begin_operand(column)
            if text == "W":
                self.principal_branch()
            self.function(text, column)
        elif text in _GROWTH and following in ("(", r"\left") and not self.operand:
            self.put("name", text, column)
        elif len(text) == 1 or text in _WORDS:
            keyword = text in ("for", "as", "in", "exists", "independent")
            if keyword:
                self.divided = False
                self.put("name", text, column, False)
                return
            self.begin_operand(column)
            self.put("name", text + self.index(), column, True)
            if following == "(" and text not in _PRODUCTS and text not in _WORDS:
                self.refuse(column, f"it is not clear whether {echo(text)!r} is a function or a factor", r"Write \cdot.")
        else:
            self.refuse(column, f"{echo(text)!r} is several letters", r"Write products with \cdot or spaces.")

    def principal_branch(self) -> None:
        """W_0 is the function that the grammar calls W; other branches are not known."""
        if self.accept("_"):
            braces = self.accept("{")
            self.expect("0")
            if braces:
                self.expect("}")

    def quantity(self, head: str, column: int) -> None:
        """A quantity such as max[route=tree].heads, in plain text."""
        self.begin_operand(column)
        self.put("name", head, column, True)
        if self.accept("["):
            self.sign("[", column)
            while self.peek() and self.peek() != "]":
                kind, at, text = self.kind(), self.column(), self.take()
                self.put("name" if kind == "word" else "number" if kind == "number" else "operator", text, at)
            at = self.column()
            self.expect("]")
            self.sign("]", at)
        at = self.column()
        self.expect(".")
        self.sign(".", at)
        at = self.column()
        text = self.take()
        while self.peek() == "_" or (text.endswith("_") and self.kind() in ("word", "number")):
            text += self.take()
        self.put("name", text, at, True)
        if self.peek() == "(":
            at = self.column()
            self.take()
            self.group(")", at)

    def index(self) -> str:
        r"""A subscript: x_1 is the name x1, \delta_v the name delta_v."""
        if not self.accept("_"):
            return ""
        braces = self.accept("{")
        column, kind, text = self.column(), self.kind(), self.take()
        if kind not in ("number", "word") or (not braces and len(text) > 1):
            self.refuse(column, "a subscript must be a number or a letter", "Rename the variable.")
        if braces:
            self.expect("}")
        return text if kind == "number" else f"_{text}"

    def command(self, column: int) -> None:
        name = self.take()[1:]
        if name in ("frac", "dfrac", "tfrac"):
            self.begin_operand(column)
            self.sign("(", column)
            self.braced()
            self.sign("/", column)
            self.braced()
            self.sign(")", column)
        elif name in ("binom", "tbinom", "dbinom"):
            self.binomial(column)
        elif name == "sqrt":
            self.root(column)
        elif name in _GREEK and not (name == "sigma" and self.peek() in ("(", "{")):
            self.begin_operand(column)
            self.put("name", _GREEK[name] + self.index(), column, True)
        elif name in _FUNCTIONS:
            self.begin_operand(column)
            self.function(_FUNCTIONS[name], column)
        elif name in _OPERATORS:
            self.divided = self.divided and _OPERATORS[name] == "*"
            self.sign(_OPERATORS[name], column)
        elif name in _FENCES:
            self.begin_operand(column)
            self.fenced(_FENCES[name][0], "\\" + _FENCES[name][1], column)
        elif name in ("infty", "pi"):
            self.begin_operand(column)
            self.put("name", "inf" if name == "infty" else "pi", column, True)
        elif name in ("Theta", "Omega"):
            self.put("name", name, column)
        elif name == "in":
            self.put("name", "in", column)
        elif name in ("mathcal", "mathrm", "operatorname", "text"):
            self.styled(name, column)
        elif name in ("{", "}"):
            self.sign(name, column)     # a set of values
        elif name == "sum":
            self.series(column)
        else:
            self.refuse(column, f"the command {echo(chr(92) + name)!r} is not in the subset")

    def styled(self, name: str, column: int) -> None:
        self.expect("{")
        words = self.take().strip()
        self.expect("}")
        if name == "mathcal" and words == "O":
            self.put("name", "O", column)
        elif words in ("for", "as", "in"):
            self.divided = False
            self.put("name", words, column)
        elif words in ARITY or words in ("ReLU", "relu", "erf"):
            self.begin_operand(column)
            self.function("relu" if words == "ReLU" else words, column)
        else:
            self.refuse(column, f"{echo(words)!r} has no meaning here")

    def binomial(self, column: int) -> None:
        self.begin_operand(column)
        self.put("name", "binomial", column)
        self.sign("(", column)
        self.braced()
        self.sign(",", column)
        self.braced()
        self.sign(")", column)

    def root(self, column: int) -> None:
        self.begin_operand(column)
        if self.accept("["):
            self.sign("(", column)
            kind, text, at = self.kind(), self.take(), self.column()
            self.expect("]")
            if kind != "number" or not text.isdigit() or text.strip("0") == "":
                self.refuse(at, "the degree of a root must be a positive integer")
            self.braced()
            self.sign("**", column)
            for token in ("(", "1", "/", text, ")"):
                self.put("number" if token.isdigit() else "operator", token, column)
            self.sign(")", column)
        else:
            self.put("name", "sqrt", column)
            self.braced()

    def fenced(self, function: str, closer: str, column: int) -> None:
        self.put("name", function, column)
        self.group(closer, column)

    def function(self, name: str, column: int) -> None:
        """A function: its argument is bracketed, or one letter, number or fraction that nothing else follows."""
        power: str | None = None
        base: tuple[int, str] | None = None
        if name == "log" and self.accept("_"):
            braces = self.accept("{")
            base = self.column(), self.take()
            if braces:
                self.expect("}")
            if not base[1].isdigit() or (not braces and len(base[1]) > 1):
                self.refuse(base[0], "the base of a logarithm must be a whole number")
        if self.peek() == "^":
            self.take()
            braces = self.accept("{")
            at, power = self.column(), self.take()
            if braces:
                self.expect("}")
            if not power.isdigit() or (not braces and len(power) > 1):
                self.refuse(at, "a function can be raised to a whole number only", "Use brackets.")
        wrapped = power is not None or base is not None
        if wrapped:
            self.sign("(", column)
        self.put("name", name, column)
        self.argument(name)
        if base is not None:
            self.sign("/", column)
            for kind, text in (("name", "log"), ("operator", "("), ("number", base[1]), ("operator", ")")):
                self.put(kind, text, base[0])
        if wrapped:
            self.sign(")", column)
        if power is not None:
            self.sign("**", column)
            self.put("number", power, column)
        self.operand = True

    def argument(self, name: str) -> None:
        column, text = self.column(), self.peek()
        if text in ("(", "{", r"\{", "["):
            self.take()
            self.group({"(": ")", "{": "}", r"\{": r"\}", "[": "]"}[text], column)
            if self.peek() == "^":
                self.refuse(self.column(), f"it is not clear whether {name} or its argument is raised to a power",
                            rf"Write \{name}^2(…), or put the power inside.")
            return
        if self.kind() not in ("number", "word", "command") or name in ("max", "min") or (
                self.kind() == "word" and len(text) > 1):
            self.refuse(column, f"the argument of {name} must stand in brackets", "Add brackets.")
        self.sign("(", column)
        outer, self.divided = self.divided, False
        self.item()
        self.divided = outer
        self.sign(")", self.column())
        if self.peek() == "^" or self.kind() in ("number", "word") or (
                self.kind() == "command" and (self.peek()[1:] in _GREEK or self.peek()[1:] in ("frac", "sqrt"))):
            self.refuse(self.column(), f"it is not clear how far the argument of {name} goes", "Add brackets.")

    def series(self, column: int) -> None:
        self.begin_operand(column)
        self.expect("_")
        self.expect("{")
        at, index = self.column(), self.take()
        if not index.isalpha() or len(index) > 1:
            self.refuse(at, "the index of a sum must be a letter")
        self.expect("=")
        start = len(self.tokens)
        self.operand = False
        self.read(frozenset({"}"}))
        low = self.tokens[start:]
        self.expect("}")
        self.expect("^")
        middle = len(self.tokens)
        self.exponent()
        high = self.tokens[middle:]
        del self.tokens[start:]
        if self.peek() not in ("{", "(") and self.peek() != r"\frac":
            self.refuse(self.column(), "the summand must stand in brackets or be a fraction", "Add brackets.")
        self.put("name", "sum", column)
        self.sign("(", column)
        self.operand = False
        self.item()
        for part in ([Token("name", index, at)], low, high):
            self.sign(",", column)
            self.tokens += part
        self.sign(")", column)
