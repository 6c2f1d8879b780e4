"""Untrusted: claims as people write them (Unicode, `^`, `19m`, `n!`, LaTeX) in the plain grammar that the checker reads.

The finding shows the plain text that was decided, so a wrong translation is seen. Every character of the plain text knows
the column that it comes from, so that a complaint can point into what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, factorial
from typing import NamedTuple, NoReturn

from ..checker.terms import ARITY, CONSTANTS, MAX_DEPTH, MAX_TEXT, WORDS
from ..declarations.registry import names as construction_names
from ..errors import InvalidInput
from ..formulas.notation import GREEK
from ..formulas.symbols import PARAMETERS
from .latex_reader import OutsideTheSubset, is_latex, latex_tokens
from .mistakes import mistake

_SIGNS = {
    "≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">=", "≦": "<=", "≧": ">=", "−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*",
    "∞": "inf", "→": "->", "∈": "in", "÷": "/", "^": "**",
}
_FENCES = {"⌈": ("ceil(", "⌉"), "⌊": ("floor(", "⌋")}
_FRACTIONS = {"½": "(1/2)", "⅓": "(1/3)", "¼": "(1/4)", "¾": "(3/4)", "⅔": "(2/3)", "⅛": "(1/8)"}
_GREEK = {letter: name for name, letter in GREEK.items()} | {
    "ε": "eps", "ϵ": "eps", "π": "pi", "σ": "sigma", "Δ": "Delta", "Θ": "Theta", "Ω": "Omega", "ϰ": "kappa"}
_UP = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐ", "0123456789+-nm")
_DOWN = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[{''.join(_FRACTIONS)}])"
    rf"|(?P<name>[A-Za-z][A-Za-z0-9_]*[₀-₉]*|[{''.join(_GREEK)}](?:_[A-Za-z0-9]+|[0-9]+|[₀-₉]+)?)"
    r"|(?P<up>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐ]+)|(?P<op>\*\*|<=|>=|==|!=|->|.)", re.DOTALL | re.ASCII)
_RELATION = re.compile(r"<=|>=|==|<|>")
_KNOWN = frozenset(ARITY) | frozenset(CONSTANTS) | WORDS | frozenset(PARAMETERS) | frozenset(_GREEK.values()) | {
    "O", "o", "product", "factorial", "binomial", "sign", "lambda", "gamma", "epsilon"}
_WRITTEN_OUT = {"factorial": 1, "binomial": 2, "product": 4, "sign": 1}      # by other functions; numbers of arguments
_BEFORE_CONDITIONS = ("whenever", "where", "if", "when", "given", "provided", "with")
_BEFORE_SIGNS = ("", "(", "[", "*", "/", ",", "<=", ">=", "==", "<", ">", "=", "**")      # of numbers, not of sums
_LARGEST = 500          # n of a factorial that is written as a number
_MOST_FACTORS = 12      # of a binomial coefficient that is written as a polynomial


@dataclass(frozen=True)
class Plain:
    """A text in plain grammar; `columns` are those of its characters in `typed`, counted from 1."""

    text: str
    typed: str
    columns: tuple[int, ...]

    def column(self, place: int) -> int:
        """The column of what was typed that a column of the plain text comes from."""
        return self.columns[place - 1] if 0 < place <= len(self.columns) else len(self.typed) + 1

    def part(self, start: int, end: int) -> list[_Piece]:
        return [_Piece(self.text[i], self.columns[i]) for i in range(start, end)]


class _Piece(NamedTuple):
    text: str
    column: int


class _Token(NamedTuple):
    kind: str           # number, name, up, op or end
    text: str
    column: int
    spaced: bool        # space stands before it


def plain_text(text: str) -> str:
    """The text in plain grammar; InvalidInput, with its place, if it is not understood."""
    return plain(text).text


def plain(text: str, field: str = "claim") -> Plain:
    if len(text) > MAX_TEXT:
        raise mistake(text[:200], MAX_TEXT, f"the text has more than {MAX_TEXT} characters", field=field)
    if not is_latex(text):
        return _made(text, _Translator(text, field).all())
    try:
        first = _joined(text, [_Piece(t.text, t.column) for t in latex_tokens(text) if t.kind != "end"])
    except OutsideTheSubset as problem:
        raise mistake(text, problem.column, problem.reason, problem.remedy, field=field) from None
    second = _Translator(first.text, field, first).all()        # for n! and binomial coefficients
    return _made(text, [_Piece(p.text, first.column(p.column)) for p in second])


def _made(typed: str, pieces: Iterable[_Piece]) -> Plain:
    pieces = list(pieces)
    return Plain("".join(p.text for p in pieces), typed, tuple(p.column for p in pieces for _ in p.text))


class _Translator:
    """Tokens from left to right; what stands in brackets is translated by itself."""

    def __init__(self, text: str, field: str, source: Plain | None = None) -> None:
        self.text, self.field = text, field
        self.source = source or Plain(text, text, tuple(range(1, len(text) + 1)))
        self.i = self.depth = 0
        self.tokens: list[_Token] = []
        spaced = False
        for match in _TOKEN.finditer(text):
            if match.lastgroup == "space":
                spaced = True
                continue
            assert match.lastgroup is not None
            self.tokens.append(_Token(match.lastgroup, match[0], match.start() + 1, spaced))
            spaced = False
        self.tokens.append(_Token("end", "", len(text) + 1, spaced))
        self.tokens = _undashed(self.tokens)
        self.places = {t.column: i for i, t in enumerate(self.tokens)}
        self.index = next((x for x in ("k", "j", "i", "l", "k_1") if x not in {t.text for t in self.tokens}), "k_2")

    def fail(self, token: _Token, reason: str, remedy: str = "") -> NoReturn:
        column, length = self.source.column(token.column), max(len(token.text), 1)
        raise mistake(self.source.typed, column, reason, remedy, length, self.field)

    def peek(self) -> _Token:
        return self.tokens[self.i]

    def all(self) -> list[_Piece]:
        found = self.sequence("")
        if self.peek().kind != "end":
            self.fail(self.peek(), f"{self.peek().text!r} closes nothing")
        return found

    def sequence(self, closers: str) -> list[_Piece]:
        """Up to one of the closers, which is left."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(self.peek(), f"the nesting is deeper than {MAX_DEPTH}", "Use fewer brackets.")
        out: list[_Piece] = []
        operand: int | None = None          # where the last operand begins in `out`
        before = _Token("end", "", 1, False)
        while (token := self.peek()).kind != "end":
            if token.text and token.text in closers and not (token.text == "|" and operand is None):
                break
            if token.kind == "op" and token.text in ")]}⌉⌋" and len(token.text) == 1:
                break
            start = len(out)
            if token.spaced and out:
                out.append(_Piece(" ", token.column))
                start += 1
            begins = token.kind in ("number", "name") or token.text in ("(", "|", "√", *_FENCES)
            if begins and operand is not None and token.text not in WORDS and token.text != "in":
                self.times(before, token)
                out[len(out) - (out[-1].text == " "):] = [_Piece("*", token.column)]
                start = len(out)
            after_in, before = before.text in ("in", "∈"), token
            if token.kind == "number":
                self.i += 1
                out.append(_Piece(_FRACTIONS.get(token.text, token.text), token.column))
                operand = start
            elif token.kind == "name":
                out += self.name(token)
                operand = None if token.text in WORDS else start
            elif token.kind == "up":
                self.i += 1
                exponent = token.text.translate(_UP)
                if operand is None:
                    self.fail(token, "an exponent without a base")
                out.append(_Piece(f"**{exponent}" if exponent.isalnum() else f"**({exponent})", token.column))
            elif begins and not after_in:
                out += self.bracketed(token)
                operand = start
            elif token.text == "!":
                if operand is None:
                    self.fail(token, "'!' stands behind nothing")
                self.i += 1
                whole = operand
                out[whole:] = self.factorial(_made("", out[whole:]).text.strip(), token.column)
            elif token.text in ("[", "{", "("):
                out += self.listed(token)
                operand = start if token.text == "[" else None
            elif token.text in ("!=", "≠"):
                self.fail(token, "a claim that two sides differ is not decided", "Claim <, > or equality (==).")
            else:
                self.i += 1
                sign = _SIGNS.get(token.text, token.text)
                out.append(_Piece(f" {sign} " if sign == "in" and not token.spaced else sign, token.column))
                operand = None
                if token.text == "." and self.peek().kind == "name":          # the quantity of a network
                    name = self.peek()
                    out.append(_Piece(name.text, name.column))
                    self.i += 1
                    before = name
                    operand = start
                    if self.peek().text == "(":
                        out += self.bracketed(self.peek())
        self.depth -= 1
        return out

    def times(self, before: _Token, token: _Token) -> None:
        """A number before a name or a bracket is a factor; all else that stands side by side could mean two things."""
        if before.kind == "number" and token.kind != "number" and not (
                token.kind == "name" and token.spaced and self.unknown(token)):
            sign = self.tokens[self.places[before.column] - 1].text if self.places[before.column] else ""
            if sign in ("/", "÷", "^", "**"):
                self.fail(before, f"it is not clear how far the {'exponent' if sign in ('^', '**') else 'denominator'} goes",
                          "Add brackets.")
            return
        if token.kind == "name" and self.unknown(token) and token.spaced:
            self.fail(token, f'"{token.text}" is not part of a claim', self.advice(token))
        if token.kind == "name" and token.spaced and before.kind == "name" and self.unknown(before):
            self.fail(before, f'"{before.text}" is not part of a claim')
        here = f"{before.text}{token.text}" if not token.spaced else f"{before.text} {token.text}"
        if token.text == "(" and before.kind == "name":
            self.fail(before, f"there is no function {before.text}", f"Write {before.text}*( for a product.")
        self.fail(token, f'no sign stands inside "{here}"',
                  "Write * for a product." if token.kind != "number" else "Write * for a product, ** for a power.")

    def advice(self, token: _Token) -> str:
        if token.text.lower() not in _BEFORE_CONDITIONS or self.field != "claim":
            return ""
        claim, conditions = self.text[:token.column - 1].strip(), self.text[token.column - 1 + len(token.text):].strip()
        try:
            claim, conditions = plain_text(claim), plain_text(conditions)
        except InvalidInput:
            return ""
        return f"boundcalc check '{claim}' --for '{conditions}'" if conditions else ""

    def unknown(self, token: _Token) -> bool:
        """Several letters that are the name of nothing; a name with an underscore or a digit is somebody's own."""
        following = self.tokens[self.places[token.column] + 1]
        return (len(token.text) > 1 and token.text.isascii() and token.text.isalpha() and token.text not in _KNOWN
                and following.text not in (".", "[", "-"))

    def name(self, token: _Token) -> list[_Piece]:
        self.i += 1
        text = token.text
        letter = re.match(r"[^\x00-\x7f]", text)
        if letter and not re.match("[₀-₉]", letter[0]):
            text = _GREEK[letter[0]] + text[1:]
        digits = re.search("[₀-₉]+$", text)
        if digits and text[:digits.start()] in ("log", "ln"):
            return self.logarithm(token, digits[0].translate(_DOWN))
        text = re.sub("[₀-₉]+$", lambda m: m[0].translate(_DOWN), text)
        if text in _WRITTEN_OUT and self.peek().text == "(":
            return self.written_out(token)
        if self.unknown(token):
            if self.peek().text == "(":
                self.fail(token, f"there is no function {text}")
            product = "*".join(text)
            self.fail(token, f'"{text}" is several letters and the name of nothing',
                      f"Write {product} for a product, or {text[0]}_{text[1:]} for one name." if len(text) < 6 else "")
        found = [_Piece(text, token.column)]
        if self.peek().text == "-" and not self.peek().spaced and self.tokens[self.i + 1].kind == "name" and \
                self.tokens[self.i + 2].text in (".", "[") and not self.tokens[self.i + 1].spaced:
            found += [_Piece("-", self.peek().column)]          # gd-step.heads: the reader knows the construction
            self.i += 1
            found += [_Piece(self.peek().text, self.peek().column)]
            self.i += 1
        if self.peek().text == "[" and text not in WORDS:
            found += self.listed(self.peek())
        elif self.peek().text == "(" and (text in ARITY or text in ("O", "o", "Theta", "Omega", "independent")):
            found += self.bracketed(self.peek())
        return found

    def logarithm(self, token: _Token, base: str) -> list[_Piece]:
        """log₂ n and log₂(n + 1)."""
        argument = self.operand(token)
        over = "" if base == "2" else f"/log({base})"
        return [_Piece("log2(" if base == "2" else "(log(", token.column), *argument,
                _Piece(")" if base == "2" else f"){over})", token.column)]

    def operand(self, token: _Token) -> list[_Piece]:
        """What a root or a logarithm is taken of: a name, a number, or what stands in brackets (without them)."""
        found = self.peek()
        if found.text == "(":
            inner = self.bracketed(found)
            return inner[1:-1]
        if found.kind == "number":
            self.i += 1
            if self.peek().kind == "name" and not self.peek().spaced:
                self.fail(self.peek(), f"it is not clear how far {token.text[0]} goes", "Add brackets.")
            return [_Piece(_FRACTIONS.get(found.text, found.text), found.column)]
        if found.kind == "name" and found.text not in WORDS:
            inner = self.name(found)
            if self.peek().kind == "up" or self.peek().text in ("^", "**"):
                self.fail(self.peek(), f"it is not clear how far {token.text} goes", "Add brackets.")
            return inner
        if found.text not in _FENCES:
            self.fail(found, f"the argument of {token.text} is missing")
        return self.bracketed(found)

    def bracketed(self, token: _Token) -> list[_Piece]:
        self.i += 1
        if token.text == "√":
            return [_Piece("sqrt(", token.column), *self.operand(token), _Piece(")", token.column)]
        opening, closer = ("abs(", "|") if token.text == "|" else ("(", ")") if token.text == "(" else _FENCES[token.text]
        inner = self.sequence(closer)
        self.close(token, closer)
        return [_Piece(opening, token.column), *inner, _Piece(")", self.tokens[self.i - 1].column)]

    def close(self, opened: _Token, closer: str) -> None:
        if self.peek().text != closer:
            if self.peek().kind == "end":
                self.fail(opened, f"'{opened.text}' is not closed")
            self.fail(self.peek(), f"expected '{closer}', found '{self.peek().text}'")
        self.i += 1

    def listed(self, token: _Token) -> list[_Piece]:
        """[route=tree] behind a name, [a, b) and {2, 3} behind `in`."""
        if token.text == "[" and self.tokens[self.i - 1].kind == "name" and self.tokens[self.i - 1].text != "in":
            found = []
            while self.peek().kind != "end" and self.peek().text != "]":
                part = self.peek()
                found.append(_Piece((" " if part.spaced else "") + _SIGNS.get(part.text, part.text), part.column))
                self.i += 1
            end = self.peek()
            self.close(token, "]")
            return [*found, _Piece("]", end.column)]
        self.i += 1
        inner = self.sequence("})]")
        end = self.peek()
        if end.kind == "end" or end.text not in (("}",) if token.text == "{" else ("]", ")")):
            self.fail(token, f"'{token.text}' is not closed")
        self.i += 1
        return [_Piece(token.text, token.column), *inner, _Piece(end.text, end.column)]

    def arguments(self, token: _Token) -> list[str]:
        opened = self.peek()
        self.i += 1
        found = [_made("", self.sequence(",)")).text.strip()]
        while self.peek().text == ",":
            self.i += 1
            found.append(_made("", self.sequence(",)")).text.strip())
        self.close(opened, ")")
        if len(found) != _WRITTEN_OUT[token.text]:
            self.fail(token, f"{token.text} takes {_WRITTEN_OUT[token.text]} arguments, not {len(found)}")
        return found

    def written_out(self, token: _Token) -> list[_Piece]:
        """Functions that the checker has no rule for, by sums, exponentials and roundings."""
        found, column = [_stripped(x) for x in self.arguments(token)], token.column
        if token.text == "factorial":
            return self.factorial(found[0], column)
        if token.text == "sign":
            x = found[0] if re.fullmatch("[A-Za-z0-9_]+", found[0]) else f"({found[0]})"
            u = f"{x}/(1 + abs({found[0]}))"
            return [_Piece(f"(floor({u}) + ceil({u}))", column)]
        if token.text == "product":
            return [_Piece(f"exp(sum(log({found[0]}), {', '.join(found[1:])}))", column)]
        n, k = (x if re.fullmatch("[A-Za-z0-9_]+", x) else f"({x})" for x in found)
        if n.isdigit() and k.isdigit() and len(n) < 4:
            return [_Piece(str(comb(int(n), int(k))) if len(k) < 4 else "0", column)]
        if k.isdigit() and len(k) < 3 and int(k) <= _MOST_FACTORS:
            factors = "*".join(f"({n} - {j})" if j else n for j in range(int(k)))
            return [_Piece(f"({factors}/{factorial(int(k))})" if factors else "1", column)]
        j = self.index
        return [_Piece(f"exp(sum(log(({n} - {k} + {j})/{j}), {j}, 1, {k}))", column)]

    def factorial(self, operand: str, column: int) -> list[_Piece]:
        operand = _stripped(operand)
        if operand.isdigit():
            if len(operand) > 3 or int(operand) > _LARGEST:
                self.fail(_Token("op", "!", column, False), f"the factorial of a number above {_LARGEST} is not written out")
            return [_Piece(str(factorial(int(operand))), column)]
        return [_Piece(f"exp(sum(log({self.index}), {self.index}, 1, {operand}))", column)]


def _undashed(tokens: Sequence[_Token]) -> list[_Token]:
    """The name of a construction that has a dash, before a dot or a bracket, with an underscore: else it is a difference."""
    found: list[_Token] = []
    for token in tokens:
        if token.text in (".", "[") and len(found) > 2 and found[-2].text == "-" and not (
                token.spaced or found[-2].spaced or found[-1].spaced):
            first, last = found[-3], found[-1]
            if f"{first.text}-{last.text}" in construction_names():
                found[-3:] = [first._replace(text=f"{first.text}_{last.text}")]
        found.append(token)
    return found


def _stripped(text: str) -> str:
    """Without brackets around all of it."""
    while text.startswith("(") and _closes_at_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_end(text: str) -> bool:
    """Whether the first bracket is closed by the last letter."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i == len(text) - 1
    return False


def _joined(typed: str, tokens: list[_Piece]) -> Plain:
    """Tokens of LaTeX with as few spaces as a reader likes."""
    out: list[_Piece] = []
    for token in tokens:
        last = out[-1].text if out else ""
        if token.text in ("+", "-") and last.strip() in _BEFORE_SIGNS:
            out.append(token)           # a sign, not an operation
        elif token.text in ("<=", ">=", "==", "<", ">", "+", "-", "=", "->"):
            out.append(token._replace(text=f" {token.text} "))
        elif token.text == ",":
            out.append(token._replace(text=", "))
        else:
            space = " " if last[-1:].isalnum() and token.text[:1].isalnum() else ""
            space = space or (" " if token.text in ("for", "as", "in") and last and last[-1] != " " else "")
            space = space or (" " if last in ("for", "as", "in") else "")
            out.append(token._replace(text=space + token.text))
    found = _made(typed, out)
    text = re.sub(r"\*\*\(([A-Za-z]|[0-9]+)\)", r"**\1", found.text)
    if text == found.text:
        return found
    kept: list[int] = []                # brackets around one letter of an exponent go
    position = 0
    for match in re.finditer(r"\*\*\(([A-Za-z]|[0-9]+)\)", found.text):
        kept += [*range(position, match.start() + 2), *range(*match.span(1))]
        position = match.end()
    kept += range(position, len(found.text))
    return Plain(text, typed, tuple(found.columns[i] for i in kept))


def chain(text: str) -> list[str]:
    """a <= b <= c is two claims."""
    return [part.text for part in relations(Plain(text, text, tuple(range(1, len(text) + 1))))]


def relations(found: Plain) -> list[Plain]:
    """The relations of a chain, each a claim with the same conditions behind it."""
    text = found.text
    if re.match(r"\s*(exists|independent)\b", text) or re.search(r"=\s*(O|o|Theta|Omega)\s*\(", text):
        return [found]
    tail = re.search(r"\sfor\s", text)
    end = tail.start() if tail else len(text)
    depth, cuts, position = 0, [], 0
    while position < end:
        c = text[position]
        depth += c in "([{"
        depth -= c in ")]}"
        match = _RELATION.match(text, position)
        if match and depth == 0 and text[position - 1 : position + 1] != "->":
            cuts.append((match.start(), match.end()))
            position = match.end()
            continue
        position += 1
    if len(cuts) < 2:
        return [found]
    if len(cuts) > 4:
        raise mistake(found.typed, found.column(cuts[4][0] + 1), "the claim has too many relations",
                      "Make several claims of it.")
    behind = found.part(end, len(text))
    starts, ends = [0, *(b for _, b in cuts)], [*(a for a, _ in cuts), end]
    parts = []
    for i in range(len(cuts)):
        pieces = found.part(starts[i], ends[i + 1])
        while pieces and pieces[0].text == " ":
            pieces.pop(0)
        while pieces and pieces[-1].text == " ":
            pieces.pop()
        parts.append(_made(found.typed, [*pieces, *behind]))
    return parts
