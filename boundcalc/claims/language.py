"""Reading the text of a claim: the expressions of parser.py, quantities, relations and the line `for`.

    claim      = ["exists" name ":"] sum REL sum | sum "=" KIND "(" sum ")" "as" name "->" limit
               | "independent" "(" sum "," name ")",   followed by ["for" conditions]
    quantity   = name ["[" option "=" value, … "]"] "." name ["(" sum, … ")"]
    conditions = condition ("," condition)*
    condition  = sum REL sum (REL sum)* | name ("," name)* "in" (interval | "{" number ("," number)* "}")
    interval   = ("[" | "(") sum "," sum ("]" | ")")
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

import sympy as sp

from ..declarations.registry import names as construction_names
from ..errors import echo
from ..formulas.build import ARITY, CONSTANTS, RESERVED, Node
from ..formulas.parser import MAX_NAME, Parser, Token
from ..formulas.symbols import symbol
from .latex_reader import is_latex, latex_tokens
from .model import Condition, Exists, Growth, Independent, QuantityCall, Reading, Relation, Statement

RELATIONS = ("<=", "<", ">=", ">", "==")
KINDS = ("O", "Theta", "Omega", "o")
KEYWORDS = frozenset({"for", "as", "in", "exists", "independent"})
EXPRESSED: dict[str, Callable[[sp.Expr], sp.Expr]] = {      # functions of the checker, by those of the formulas
    "ln": sp.log, "log2": lambda u: sp.log(u) / sp.log(2), "sinh": lambda u: (sp.exp(u) - sp.exp(-u)) / 2,
    "cosh": lambda u: (sp.exp(u) + sp.exp(-u)) / 2, "silu": lambda u: u / (1 + sp.exp(-u)),
    "gelu": lambda u: u * (1 + sp.erf(u / sp.sqrt(2))) / 2}
MAX_VARIABLES = 12
MAX_CONDITIONS = 40
MAX_MEMBERS = 64


def read_claim(text: str, domain: str = "") -> Reading:
    """The claim with its conditions; InvalidInput, with the column and the reason, if it cannot be read."""
    parser = ClaimParser(text)
    statement = parser.statement()
    conditions: list[Condition] = []
    if parser.accept_word("for"):
        conditions = parser.conditions()
    parser.expect_end()
    if domain.strip():
        conditions += read_conditions(domain)
    reading = Reading(statement, tuple(parser.quantities), tuple(conditions), frozenset(parser.mentioned))
    if len(parser.mentioned) > MAX_VARIABLES:
        parser.fail(1, f"the claim has more than {MAX_VARIABLES} variables", "Split it into several claims.")
    return reading


def read_conditions(text: str) -> list[Condition]:
    """The line `for`."""
    parser = ClaimParser(text)
    found = parser.conditions()
    parser.expect_end()
    if parser.quantities:
        parser.fail(parser.quantities[0].column, "a quantity cannot stand in a condition", "Conditions are on parameters.")
    return found


def claim_symbol(name: str) -> sp.Symbol:
    """The parameter of that name; `s` is a real variable in claims, not the index of a stage."""
    return sp.Symbol("s", real=True) if name == "s" else symbol(name)


class ClaimParser(Parser):
    def __init__(self, text: str) -> None:
        if is_latex(text):
            self.text = text
            self.tokens = latex_tokens(text)
            self.position = 0
            self._depth = 0
        else:
            super().__init__(text)
        self.quantities: list[QuantityCall] = []
        self.mentioned: set[str] = set()
        self.bound: dict[str, sp.Symbol] = {}
        self._inside_quantity = False

    # --- statements ------------------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        if self.peek_word("exists"):
            return self._exists()
        if self.peek_word("independent"):
            return self._independent()
        left = self._expression()
        if self.accept("="):
            return self._growth(left)
        return self._relation(left)

    def _relation(self, left: sp.Expr) -> Relation:
        token = self.take()
        if token.kind != "operator" or token.text not in RELATIONS:
            found = repr(echo(token.text)) if token.text else "the end"
            self.fail(token.column, f"expected one of {' '.join(RELATIONS)}, found {found}",
                      "A claim is LEFT <= RIGHT, LEFT = O(RIGHT) as eps -> 0, independent(LEFT, n) or exists C: ….")
        right = self._expression()
        if self.peek().kind == "operator" and self.peek().text in RELATIONS:
            self.fail(self.peek().column, "a claim has one relation only", "Make two claims of it.")
        return Relation(left, token.text, right)

    def _exists(self) -> Exists:
        self.take()
        token = self._variable()
        constant = sp.Symbol(token.text, real=True)
        self.bound[token.text] = constant
        self.expect(":")
        body = self._relation(self._expression())
        if body.relation not in ("<=", "<", ">=", ">"):
            self.fail(token.column, "exists needs an inequality", "Use <=, <, >= or >.")
        self.mentioned.discard(token.text)
        if constant not in body.left.free_symbols | body.right.free_symbols:
            self.fail(token.column, f"the constant {echo(token.text)!r} is not used", "Use it, or leave exists out.")
        return Exists(constant, body)

    def _independent(self) -> Independent:
        self.take()
        self.expect("(")
        left = self._expression()
        self.expect(",")
        token = self._variable()
        self.expect(")")
        self.mentioned.add(token.text)
        return Independent(left, claim_symbol(token.text))

    def _growth(self, left: sp.Expr) -> Growth:
        kind = self.take()
        if kind.kind != "name" or kind.text not in KINDS:
            self.fail(kind.column, f"expected one of {', '.join(KINDS)}", "Equality of two expressions is written ==.")
        self.expect("(")
        right = self._expression()
        self.expect(")")
        if not self.accept_word("as"):
            self.fail(self.peek().column, "expected 'as' and a limit", "For example: as eps -> 0, or as n -> inf.")
        token = self._variable()
        self.expect("->")
        limit = self._expression()
        side = ""
        if limit.free_symbols:
            self.fail(token.column, "the limit must be a number or inf")
        self.mentioned.add(token.text)
        return Growth(left, kind.text, right, claim_symbol(token.text), limit, side)

    # --- conditions ------------------------------------------------------------------------------------------------

    def conditions(self) -> list[Condition]:
        found = self._condition()
        while self.accept(","):
            found += self._condition()
            if len(found) > MAX_CONDITIONS:
                self.fail(self.peek().column, f"there are more than {MAX_CONDITIONS} conditions")
        return found

    def _condition(self) -> list[Condition]:
        names = self._names_before_in()
        if names:
            return self._membership(names)
        column = self.peek().column
        sides, relations = [self._expression()], []
        while self.peek().kind == "operator" and (self.peek().text in RELATIONS or self.peek().text == "="):
            token = self.take()
            relations.append("==" if token.text == "=" else token.text)
            sides.append(self._expression())
        if not relations:
            self.fail(self.peek().column, "expected a relation or 'in'", "For example: 0 < eps <= 1/2, x in [-1, 1].")
        return [Condition(a, r, b, column=column) for a, r, b in zip(sides[:-1], relations, sides[1:], strict=True)]

    def _names_before_in(self) -> list[Token]:
        """name (, name)* in"""
        names, k = [], self.position
        while self.tokens[k].kind == "name" and self.tokens[k].text not in KEYWORDS:
            names.append(self.tokens[k])
            k += 1
            if self.tokens[k].kind == "name" and self.tokens[k].text == "in":
                self.position = k + 1
                return names
            if not (self.tokens[k].kind == "operator" and self.tokens[k].text == ","):
                return []
            k += 1
        return []

    def _membership(self, names: list[Token]) -> list[Condition]:
        opening = self.take()
        symbols = [(claim_symbol(self._checked(t).text), t.column) for t in names]
        self.mentioned |= {t.text for t in names}
        if opening.text == "{":
            members = [self._number()]
            while self.accept(","):
                members.append(self._number())
                if len(members) > MAX_MEMBERS:
                    self.fail(self.peek().column, f"a set has more than {MAX_MEMBERS} members")
            self.expect("}")
            return [Condition(s, "in", None, tuple(dict.fromkeys(members)), column) for s, column in symbols]
        if opening.text not in ("[", "("):
            self.fail(opening.column, "expected an interval or a set after 'in'", "For example: x in [-1, 1], n in {2, 3}.")
        low = self._expression()
        self.expect(",")
        high = self._expression()
        closing = self.take()
        if closing.text not in ("]", ")"):
            self.fail(closing.column, "expected ] or )")
        found = []
        for s, column in symbols:
            if low != -sp.oo:
                found.append(Condition(s, ">=" if opening.text == "[" else ">", low, column=column))
            if high != sp.oo:
                found.append(Condition(s, "<=" if closing.text == "]" else "<", high, column=column))
            if low == -sp.oo and high == sp.oo:
                found.append(Condition(s, ">=", -sp.oo, column=column))
        return found

    def _number(self) -> Fraction:
        column = self.peek().column
        value = self._expression()
        if not value.is_Rational:
            self.fail(column, "members of a set must be rational numbers")
        return Fraction(int(value.p), int(value.q))

    # --- expressions -----------------------------------------------------------------------------------------------

    def _expression(self) -> sp.Expr:
        return self.build(self.expression())

    def peek_word(self, word: str) -> bool:
        return self.peek().kind == "name" and self.peek().text == word

    def accept_word(self, word: str) -> bool:
        found = self.peek_word(word)
        self.position += found
        return found

    def _variable(self) -> Token:
        token = self.take()
        if token.kind != "name":
            self.fail(token.column, "expected the name of a parameter")
        return self._checked(token)

    def _checked(self, token: Token) -> Token:
        if token.text in RESERVED or token.text in KEYWORDS or len(token.text) > MAX_NAME or "__" in token.text:
            self.fail(token.column, f"{echo(token.text)!r} cannot be a parameter", "Choose another name.")
        return token

    def name(self) -> Node:
        token = self.peek()
        following = self.tokens[self.position + 1]
        if token.text in KEYWORDS:
            self.fail(token.column, f"{echo(token.text)!r} stands where a number or a name is expected")
        if self._dashed() or (following.kind == "operator" and following.text in (".", "[")):
            return self._quantity()
        if token.text in EXPRESSED:
            self.take()
            self.expect("(")
            argument = self._expression()
            self.expect(")")
            return Node("value", token.column, value=EXPRESSED[token.text](argument))
        if token.text in self.bound:
            self.take()
            return Node("value", token.column, value=self.bound[token.text])
        if token.text not in ARITY and token.text not in CONSTANTS:
            self._checked(token)
            self.mentioned.add(token.text)
            if token.text == "s":
                self.take()
                return Node("value", token.column, value=claim_symbol("s"))
        return super().name()

    def _dashed(self) -> bool:
        """A name of a construction with a dash in it, such as gd-step."""
        tokens = self.tokens[self.position:self.position + 4]
        return (len(tokens) == 4 and tokens[1].text == "-" and tokens[2].kind == "name" and tokens[3].text in (".", "[")
                and f"{tokens[0].text}-{tokens[2].text}" in construction_names())

    def _quantity(self) -> Node:
        start = self.take()
        name = start.text
        if self._inside_quantity:
            self.fail(start.column, "a quantity cannot stand inside another")
        if self.peek().text == "-":
            self.take()
            name += "-" + self.take().text
        options: list[tuple[str, str]] = []
        if self.accept("["):
            options.append(self._option())
            while self.accept(","):
                options.append(self._option())
            self.expect("]")
        self.expect(".")
        quantity = self.take()
        if quantity.kind != "name":
            self.fail(quantity.column, "expected the name of a quantity after the dot", "For example max.heads.")
        arguments: list[sp.Expr] | None = None
        if self.accept("("):
            self._inside_quantity = True
            arguments = [self._expression()]
            while self.accept(","):
                arguments.append(self._expression())
            self._inside_quantity = False
            self.expect(")")
        call = QuantityCall(sp.Symbol(f"_q{len(self.quantities)}", real=True), name, quantity.text, tuple(options),
                            None if arguments is None else tuple(arguments), start.column, "")
        call = replace(call, text=quantity_text(call))
        same = next((q for q in self.quantities if q.text == call.text), None)
        if same is None:
            self.quantities.append(call)
            same = call
        return Node("value", start.column, value=same.symbol)

    def _option(self) -> tuple[str, str]:
        key = self.take()
        if key.kind != "name":
            self.fail(key.column, "expected an option such as route=tree")
        self.expect_assignment()
        value = self.take()
        if value.kind not in ("name", "number"):
            self.fail(value.column, f"expected the value of {echo(key.text)!r}")
        return key.text, value.text

    def expect_assignment(self) -> None:
        if not self.accept("=") and not self.accept("=="):
            self.fail(self.peek().column, "expected '='")

    def fail(self, column: int, reason: str, remedy: str = "Correct the claim.") -> NoReturn:
        super().fail(column, reason, remedy)


def quantity_text(call: QuantityCall) -> str:
    """The quantity as it is written."""
    from ..formulas.parser import to_text
    options = f"[{', '.join(f'{k}={v}' for k, v in call.options)}]" if call.options else ""
    arguments = "" if call.arguments is None else f"({', '.join(to_text(a) for a in call.arguments)})"
    return f"{call.name}{options}.{call.quantity}{arguments}"
