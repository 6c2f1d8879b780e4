"""How formulas look to people: Unicode for terminals, LaTeX for papers (and MathML for browsers, in mathml.py).

One walk decides signs, the order of terms and factors, what stands in a denominator and what needs brackets;
a notation only says how each piece is spelled. The grammar's own text (grammar.to_text) is a third notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache

import sympy as sp

from ..errors import BoundcalcError
from ..numbers.exact import exact_text
from .symbols import PARAMETERS, PART_SYMBOLS, CeilLog, FloorLog

# how tightly a piece of text binds; a piece is put in brackets where something tighter is needed
SUM, PRODUCT, POWER, CALL, ATOM = range(5)
Piece = tuple[str, int]
Factor = tuple[sp.Expr, sp.Expr]      # base and exponent

FUNCTIONS: dict[type, str] = {
    sp.Abs: "abs", sp.Max: "max", sp.Min: "min", sp.floor: "floor", sp.ceiling: "ceil", sp.log: "log",
    sp.tanh: "tanh", sp.erf: "erf", sp.LambertW: "W", sp.sin: "sin", sp.cos: "cos",
}
# of all coordinates of a block, where targets are written as they are declared (sp.Max of one argument is that argument)
OVER_A_BLOCK = {name: sp.Function(f"{name} over a block") for name in ("max", "min", "sum", "product")}
FUNCTIONS |= {function: name for name, function in OVER_A_BLOCK.items()}
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "tau": "τ", "phi": "φ",
    "chi": "χ", "psi": "ψ", "omega": "ω",
}
_SUBSCRIPTED = re.compile(r"(.+)_(\{[^{}]*\}|[^{}\\])")
_UNICODE_FENCES = {"abs": ("|", "|"), "floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉"), "sqrt": ("√(", ")")}
_LATEX_FENCES = {
    "abs": (r"\lvert ", r"\rvert "), "floor": (r"\lfloor ", r"\rfloor "), "ceil": (r"\lceil ", r"\rceil "),
    "max": (r"\{", r"\}"), "min": (r"\{", r"\}"),
}
_LATEX_HEADS = {"max": r"\max", "min": r"\min", "log": r"\log", "tanh": r"\tanh", "sin": r"\sin", "cos": r"\cos",
                "erf": r"\operatorname{erf}", "W": "W_0", "sum": r"\sum", "product": r"\prod"}
# for names of quantities such as max[route=tree, gate=silu].heads_per_layer: signs without the space around a relation
_UPRIGHT = {"_": r"\_", " ": r"\ ", ",": "{,}", "=": "{=}", "-": r"\text{-}"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
OF_AN_INPUT = re.compile(r"(a|b|delta)_([A-Za-z][A-Za-z0-9]*)")       # ends of its range, its error
INDEXED = re.compile(r"([A-Za-z][A-Za-z_]*?)_?([0-9]+)")


def to_unicode(expr: sp.Expr) -> str:
    """The expression for a terminal, such as M²·(4^(−m−1) + C/β²)."""
    return _UNICODE.write(expr)


def to_latex(expr: sp.Expr) -> str:
    """The expression for a paper, in amsmath math mode."""
    return _LATEX.write(expr)


class Writer:
    """The walk, with the spelling of plain linear text; subclasses override the spelling."""

    plus, minus, negative, times = " + ", " - ", "-", "*"
    infinity, pi, euler = "inf", "pi", "e"
    tightest_base = CALL      # what may be raised to a power without brackets

    def write(self, expr: sp.Expr) -> str:
        return self.piece(expr)[0]

    def at(self, expr: sp.Expr, level: int) -> str:
        """The text of `expr`, in brackets unless it binds at least as tightly as `level`."""
        return self._fit(self.piece(expr), level)

    def piece(self, expr: sp.Expr) -> Piece:
        negative, (text, level) = self._signed(expr)
        return (self.negative + text, SUM) if negative else (text, level)

    def _signed(self, expr: sp.Expr) -> tuple[bool, Piece]:
        """Whether a minus sign stands in front, and the rest."""
        if expr is sp.S.NegativeInfinity:
            return True, (self.infinity, ATOM)
        if expr.is_Rational or expr.is_Mul or expr.is_Pow or isinstance(expr, sp.exp):
            return self._product(expr)
        return False, self._other(expr)

    def _other(self, expr: sp.Expr) -> Piece:
        if expr.is_Symbol:
            return self.symbol(expr.name.lstrip("_")), ATOM
        if expr.is_Add:
            return self._sum(expr), SUM
        if isinstance(expr, (CeilLog, FloorLog)):
            return self.integer_log("ceil" if isinstance(expr, CeilLog) else "floor", *expr.args), ATOM
        name = FUNCTIONS.get(type(expr))
        if name is not None and (name != "W" or len(expr.args) == 1):
            args = argument_order(expr.args) if name in ("max", "min") else expr.args
            return self.call(name, args), ATOM if name in ("abs", "floor", "ceil") else CALL
        if isinstance(expr, sp.Sum):
            return self._series(expr)
        constants = {sp.S.Exp1: self.euler, sp.S.Pi: self.pi, sp.S.Infinity: self.infinity}
        if expr in constants:
            return constants[expr], ATOM
        raise BoundcalcError(f"There is no notation for {type(expr).__name__}.",
                             "Use the functions of the claim grammar.")

    def _sum(self, expr: sp.Expr) -> str:
        text = ""
        for position, term in enumerate(in_order(expr)):
            negative, (shown, _) = self._signed(term)
            text += ((self.negative if negative else "") if not position else self.minus if negative else self.plus) + shown
        return text

    def _product(self, expr: sp.Expr) -> tuple[bool, Piece]:
        coefficient, top, bottom = _split(expr)
        above = [self._power(*factor) for factor in top]
        below = [self._power(*factor) for factor in bottom]
        mixed = bool(above and not below and abs(coefficient.numerator) != 1 and coefficient.denominator != 1)
        if mixed:       # (4/3)·x rather than 4·x/3
            above.insert(0, self.ratio(abs(coefficient)))
        elif abs(coefficient.numerator) != 1 or not above:
            above.insert(0, (self.number(abs(coefficient.numerator)), ATOM))
        if coefficient.denominator != 1 and not mixed:
            below.insert(0, (self.number(coefficient.denominator), ATOM))
        if not below and len(above) == 1 and (coefficient > 0 or above[0][1] > SUM):
            return coefficient < 0, above[0]
        return coefficient < 0, (self.quotient(above, below), PRODUCT)

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> Piece:
        if exponent is sp.S.One:
            return self.piece(base)
        if base is sp.S.Exp1:
            return self.exponential(exponent)
        if exponent is sp.S.Half:
            return self.call("sqrt", [base]), CALL
        return self.power(self.at(base, self.tightest_base), exponent), POWER

    def _series(self, expr: sp.Expr) -> Piece:
        body, level = self.piece(expr.function)
        for index, low, high in expr.limits:
            body, level = self.series((body, level), index, low, high)
        return body, level

    @staticmethod
    def bracket(text: str) -> str:
        return f"({text})"

    def _fit(self, piece: Piece, level: int) -> str:
        return piece[0] if piece[1] >= level else self.bracket(piece[0])

    # spelling

    def number(self, value: int) -> str:
        return exact_text(value)

    def ratio(self, value: Fraction) -> Piece:
        return f"{self.number(value.numerator)}/{self.number(value.denominator)}", PRODUCT

    def symbol(self, name: str) -> str:
        return name

    def multiply(self, factors: Sequence[str]) -> str:
        return self.times.join(factors)

    def quotient(self, above: Sequence[Piece], below: Sequence[Piece]) -> str:
        top = self.multiply([self._fit(piece, POWER) for piece in above])
        if not below:
            return top
        bottom = self.multiply([self._fit(piece, POWER) for piece in below])
        return f"{top}/{bottom if len(below) == 1 else self.bracket(bottom)}"

    def power(self, base: str, exponent: sp.Expr) -> str:
        return f"{base}**{self.at(exponent, CALL)}"

    def exponential(self, exponent: sp.Expr) -> Piece:
        return self.call("exp", [exponent]), CALL

    def call(self, name: str, args: Iterable[sp.Expr]) -> str:
        return f"{name}({', '.join(self.write(arg) for arg in args)})"

    def integer_log(self, name: str, x: sp.Expr, base: sp.Expr) -> str:
        return f"{name}(log({self.write(x)})/log({self.write(base)}))"

    def series(self, body: Piece, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Piece:
        return f"sum({body[0]}, {self.write(index)}, {self.write(low)}, {self.write(high)})", CALL


class UnicodeWriter(Writer):
    minus, negative, times = " − ", "−", "·"
    infinity, pi = "∞", "π"

    def symbol(self, name: str) -> str:
        if name in PARAMETERS:
            return PARAMETERS[name].unicode
        if name in PART_SYMBOLS:
            of, part = PART_SYMBOLS[name]
            return f"{self.symbol(of)}_{part}"
        of_input = OF_AN_INPUT.fullmatch(name)
        if of_input:
            return f"{self.symbol(of_input[1])}_{of_input[2]}"
        match = INDEXED.fullmatch(name)
        if match:
            return self.symbol(match[1]) + match[2].translate(_SUBSCRIPT)
        return GREEK.get(name, name)

    def power(self, base: str, exponent: sp.Expr) -> str:
        if exponent.is_Integer:
            return base + exact_text(int(exponent)).translate(_SUPERSCRIPT)
        tight = self.at(exponent, CALL)
        return f"{base}^{tight.replace(' + ', '+').replace(self.minus, self.negative)}"

    def call(self, name: str, args: Iterable[sp.Expr]) -> str:
        shown = ", ".join(self.write(arg) for arg in args)
        if name == "sqrt" and len(shown) == 1:
            return f"√{shown}"
        left, right = _UNICODE_FENCES.get(name, (f"{name}(", ")"))
        return f"{left}{shown}{right}"

    def integer_log(self, name: str, x: sp.Expr, base: sp.Expr) -> str:
        left, right = _UNICODE_FENCES[name]
        text, level = self.piece(x)
        shown = f" {text}" if level == ATOM else f"({text})"
        return f"{left}log{self.write(base).translate(_SUBSCRIPT)}{shown}{right}"

    def series(self, body: Piece, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Piece:
        return f"Σ_{{{self.write(index)}={self.write(low)}}}^{{{self.write(high)}}} {self._fit(body, PRODUCT)}", SUM


class TypesetWriter(Writer):
    """Formulas in two dimensions: fractions are stacked, exponents raised, and factors stand side by side."""

    beside, dot = " ", "·"          # between factors; the dot where digits would otherwise read as one number
    tightest_base = ATOM

    def fraction(self, top: str, bottom: str) -> str:
        raise NotImplementedError

    def begins_with_digit(self, text: str) -> bool:
        return text[0].isdigit()

    def ratio(self, value: Fraction) -> Piece:
        return self.fraction(self.number(value.numerator), self.number(value.denominator)), ATOM

    def multiply(self, factors: Sequence[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            text += (self.dot if self.begins_with_digit(factor) else self.beside) + factor
        return text

    def quotient(self, above: Sequence[Piece], below: Sequence[Piece]) -> str:
        if not below:
            return self.multiply([self._fit(piece, POWER) for piece in above])
        # a lone sum needs no brackets above or below the line
        top, bottom = (pieces[0][0] if len(pieces) == 1 else self.quotient(pieces, []) for pieces in (above, below))
        return self.fraction(top, bottom)

    def exponential(self, exponent: sp.Expr) -> Piece:
        return self.power(self.euler, exponent), POWER


class LatexWriter(TypesetWriter):
    infinity, pi, dot = r"\infty", r"\pi", r" \cdot "

    def symbol(self, name: str) -> str:
        if name in PARAMETERS:
            return PARAMETERS[name].latex
        if name in PART_SYMBOLS:
            of, part = PART_SYMBOLS[name]
            shown = part if len(part) == 1 else self.symbol(part)
            own = _SUBSCRIPTED.fullmatch(self.symbol(of))       # TeX takes one subscript
            return f"{own[1]}_{{{own[2].strip('{}')},{shown}}}" if own else f"{self.symbol(of)}_{_braced(shown)}"
        of_input = OF_AN_INPUT.fullmatch(name)
        if of_input:
            return f"{self.symbol(of_input[1])}_{_braced(self.symbol(of_input[2]))}"
        match = INDEXED.fullmatch(name)
        if match:
            return f"{self.symbol(match[1])}_{_braced(match[2])}"
        if name == "epsilon":
            return r"\varepsilon"
        if name in GREEK:
            return f"\\{name}"
        return name if len(name) == 1 else r"\mathrm{" + "".join(_UPRIGHT.get(c, c) for c in name) + "}"

    @staticmethod
    def bracket(text: str) -> str:
        return _fenced("(", text, ")")

    def fraction(self, top: str, bottom: str) -> str:
        command = r"\tfrac" if (top + bottom).isdigit() else r"\frac"
        return f"{command}{{{top}}}{{{bottom}}}"

    def power(self, base: str, exponent: sp.Expr) -> str:
        return f"{base}^{_braced(self.write(exponent).replace(' + ', '+').replace(' - ', '-'))}"

    def call(self, name: str, args: Iterable[sp.Expr]) -> str:
        shown = ", ".join(self.write(arg) for arg in args)
        if name == "sqrt":
            return rf"\sqrt{{{shown}}}"
        left, right = _LATEX_FENCES.get(name, ("(", ")"))
        return _LATEX_HEADS.get(name, "") + _fenced(left, shown, right)

    def integer_log(self, name: str, x: sp.Expr, base: sp.Expr) -> str:
        text, level = self.piece(x)
        shown = f" {text}" if level == ATOM else self.bracket(text)
        left, right = _LATEX_FENCES[name]
        return _fenced(left, rf"\log_{_braced(self.write(base))}{shown}", right)

    def series(self, body: Piece, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Piece:
        limits = rf"_{{{self.write(index)}={self.write(low)}}}^{_braced(self.write(high))}"
        return rf"\sum{limits} {self._fit(body, PRODUCT)}", SUM


def in_order(expr: sp.Expr) -> list[sp.Expr]:
    """The terms of a sum in the order in which they are written: 1 - m rather than -m + 1."""
    terms = sorted(expr.args, key=_term_key)
    first = next((k for k, term in enumerate(terms) if not starts_with_minus(term)), 0)
    return [terms[first], *terms[:first], *terms[first + 1:]]


def starts_with_minus(expr: sp.Expr) -> bool:
    return _PLAIN._signed(expr)[0]


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _fenced(left: str, text: str, right: str) -> str:
    if any(command in text for command in (r"\frac", r"\tfrac", r"\sum", r"\left", r"\sqrt")):
        return rf"\left{left}{text}\right{right}".rstrip()
    return f"{left}{text}{right}".rstrip()


def _factors(expr: sp.Expr) -> list[Factor]:
    factors = []
    for part in expr.args if expr.is_Mul else (expr,):
        if part.is_Pow:
            factors.append(part.args)
        elif isinstance(part, sp.exp):
            factors.append((sp.S.Exp1, part.args[0]))
        else:
            factors.append((part, sp.S.One))
    return factors


def _split(expr: sp.Expr) -> tuple[Fraction, list[Factor], list[Factor]]:
    """The rational coefficient, the factors above and those below the line, in the order in which they are written."""
    coefficient = Fraction(1)
    top: list[Factor] = []
    bottom: list[Factor] = []
    for base, exponent in sorted(_factors(expr), key=_factor_key):
        if base.is_Rational and exponent is sp.S.One:
            coefficient *= _fraction(base)
        elif base is sp.S.NegativeInfinity:
            coefficient = -coefficient
            top.append((sp.S.Infinity, exponent))
        # 1/x and 1/e, but exp(-2), and 4**(-m) is left as it is
        elif exponent.is_Rational and exponent.p < 0 and (exponent.p == -exponent.q or base is not sp.S.Exp1):
            bottom.append((base, -exponent))
        else:
            top.append((base, exponent))
    return coefficient, _join_roots(top), _join_roots(bottom)


def _join_roots(factors: list[Factor]) -> list[Factor]:
    """sqrt(3)*sqrt(eps) as sqrt(3*eps): sympy always splits it again, so nothing is lost by joining."""
    roots = [base for base, exponent in factors if exponent is sp.S.Half and base.is_Atom and base.is_nonnegative]
    if len(roots) < 2:
        return factors
    first = factors.index((roots[0], sp.S.Half))
    rest = [factor for factor in factors if factor[1] is not sp.S.Half or factor[0] not in roots]
    return [*rest[:first], (sp.Mul(*roots), sp.S.Half), *rest[first:]]


def _factor_key(factor: Factor) -> tuple:
    """Numbers, constants, symbols, powers of numbers, sums, functions."""
    base, exponent = factor
    if base.is_Symbol:
        return (2 if base.name != "C" else 1, _name_key(base.name), "")
    if base.is_Add:
        rank = 4
    elif not base.args and base is not sp.S.Exp1:
        rank = 0 if exponent.is_Rational else 3
    else:
        rank = 5
    return (rank, (), _signature(base) + _signature(exponent))


def _term_key(term: sp.Expr) -> tuple:
    """Higher degree first; at degree zero numbers come before everything else, so 1 + exp(-x) but x + 1."""
    degree = Fraction(0)
    letters = []
    for base, exponent in _factors(term):
        if base.is_Symbol and exponent.is_Rational and base.name != "C":
            power = _fraction(exponent)
            degree += power
            letters.append((_name_key(base.name), -power))
    return (-degree, not term.is_Rational, sorted(letters), _signature(term))


def argument_order(args: Iterable[sp.Expr]) -> list[sp.Expr]:
    """max(x, 0), whatever x is: numbers last."""
    return sorted(args, key=lambda arg: (arg.is_Rational, _term_key(arg)))


def _fraction(value: sp.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


@cache
def _name_key(name: str) -> tuple:
    """Alphabetical, with x2 before x10."""
    match = INDEXED.fullmatch(name)
    return (match[1].casefold(), match[1], int(match[2])) if match else (name.casefold(), name, -1)


def _signature(expr: sp.Expr) -> str:
    """A text that orders expressions of the same shape; it is never shown."""
    if expr.is_Rational:
        return exact_text(_fraction(expr))
    if expr.is_Symbol:
        return expr.name
    return f"{type(expr).__name__}({','.join(map(_signature, expr.args))})"


_PLAIN = Writer()
_UNICODE = UnicodeWriter()
_LATEX = LatexWriter()
