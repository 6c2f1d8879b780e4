"""Claims and what is found about them as mathematics: from their text, by the claim grammar, to formulas of a document.

What cannot be set, because two parameters would look alike or a text has another form, stays as it is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..claims.found import DerivedBound, Holds, LeadingTerms
from ..claims.language import claim_symbol
from ..claims.model import Condition, Exists, Growth, Independent, Reading, Relation
from ..formulas.notation import to_unicode
from ..formulas.parser import parse
from ..formulas.symbols import C, exchange
from ..numbers.exact import exact_text
from . import verdicts
from .document import Code, Display, Equation, Line, Math, Paragraph, Piece

SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "==": "=", "=": "=", "!=": "≠"}
KINDS = {"O": "O", "Theta": "Θ", "Omega": "Ω", "o": "o"}
FLIPPED = {">=": "<=", ">": "<"}
OUR_C = sp.Symbol("C_0", positive=True)         # our constant C where a claim asks for a C of its own

LONG_NAME = 22          # characters of a quantity beyond which a letter stands for it
SHORT = 10              # operations of a formula that stands in a line of words
_DECIMAL = re.compile(r"(-?)([0-9]+)(\.[0-9]+)?(…?)(?:e(-?[0-9]+))?(…?)")


# --- claims -----------------------------------------------------------------------------------------------------------

def claim_line(reading: Reading) -> Line | None:
    """The claim as one line, or None if it cannot be set."""
    if not reading.understood or not tells_apart(_symbols(reading)):
        return None
    statement = reading.statement
    match statement:
        case Relation():
            return (_relation(statement, reading),)
        case Growth(left=left, kind=kind, right=right, symbol=s, limit=limit):
            return (Math((named(left, reading), f"= {KINDS[kind]}(", named(right, reading), ")")), " as ",
                    Math((s, "→", limit)))
        case Independent(left=left, symbol=s):
            return (Math((named(left, reading),)), " does not depend on ", Math((s,)))
        case Exists(constant=constant, body=body):
            return ("there is a constant ", Math((constant,)), " such that ", _relation(body, reading))
    raise AssertionError(statement)


def claim_blocks(reading: Reading) -> tuple[Piece, ...]:
    """The claim as a display where it is a relation, as a line otherwise; nothing if it cannot be set."""
    line = claim_line(reading)
    if line is None:
        return ()
    statement = reading.statement
    if isinstance(statement, Relation):
        return (Display((_equation(statement, reading),)),)
    if isinstance(statement, Exists):
        return Paragraph(line[:-1]), Display((_equation(statement.body, reading),))
    return (Paragraph(line),)


def named(expr: Expr, reading: Reading) -> Expr:
    """The expression with its quantities under the names that the claim has for them."""
    short = short_names(reading)
    return exchange(expr, {q.symbol: sp.Symbol(short.get(q.text, q.text), real=True) for q in reading.quantities})


def short_names(reading: Reading) -> dict[str, str]:
    """Letters for quantities whose names no line of a phone can hold."""
    long = list(dict.fromkeys(q.text for q in reading.quantities if len(q.text) > LONG_NAME))
    if "Q" in reading.names:
        return {}
    return {name: "Q" if len(long) == 1 else f"Q{k + 1}" for k, name in enumerate(long)}


def with_short_names(line: Line, reading: Reading) -> Line:
    """A line in which quantities have the letters of the claim."""
    short = short_names(reading)
    table = {sp.Symbol(name, real=True): sp.Symbol(letter, real=True) for name, letter in short.items()}
    if not table or not reading.understood:
        return line
    return tuple(Math(tuple(part if isinstance(part, str) else exchange(part, table) for part in span.parts))
                 if isinstance(span, Math) else span for span in line)


def tells_apart(symbols: Iterable[sp.Symbol]) -> bool:
    """Whether no two of them look alike, as eps and epsilon or x1 and x_1 would."""
    found = set(symbols)
    return len({to_unicode(s) for s in found}) == len({s.name for s in found})


def _relation(r: Relation, reading: Reading) -> Math:
    return Math((named(r.left, reading), SIGNS[r.relation], named(r.right, reading)))


def _equation(r: Relation, reading: Reading) -> Equation:
    return Equation(Math((named(r.left, reading),)), SIGNS[r.relation], Math((named(r.right, reading),)))


def _symbols(reading: Reading) -> set[sp.Symbol]:
    statement = reading.statement
    body = statement.body if isinstance(statement, Exists) else statement
    found = set(body.left.free_symbols) | {claim_symbol(name) for name in reading.names}
    if not isinstance(body, Independent):
        found |= body.right.free_symbols
    return found - {q.symbol for q in reading.quantities}


# --- conditions -------------------------------------------------------------------------------------------------------

def conditions_line(conditions: Sequence[Condition]) -> Line:
    """Conditions, separated by commas; 0 < ε and ε ≤ 1/2 as one chain."""
    found: list[Math] = []
    chain: list[Expr | str] = []
    for c in conditions:
        longer = _longer(chain, c)
        if longer is None:
            found += [Math(tuple(chain))] if chain else []
            longer = [c.left, *_of(c)]
        chain = longer
    found += [Math(tuple(chain))] if chain else []
    return tuple(span for k, part in enumerate(found) for span in ((", ", part) if k else (part,)))


def _of(c: Condition) -> list[Expr | str]:
    if c.relation == "in":
        members = [part for k, x in enumerate(c.members) for part in ((",", _rational(x)) if k else (_rational(x),))]
        return ["∈ {", *members, "}"]
    assert c.right is not None
    return ["∈ ℝ"] if c.right is sp.S.NegativeInfinity else [SIGNS[c.relation], c.right]


def _longer(chain: list[Expr | str], c: Condition) -> list[Expr | str] | None:
    """The chain with the condition behind it: l < x, x ≤ r is l < x ≤ r, and so is x > l, x ≤ r."""
    if c.relation not in ("<", "<=") or c.right is None or len(chain) < 3:
        return None
    if chain[-1] == c.left and chain[-2] in ("<", "≤"):
        return [*chain, SIGNS[c.relation], c.right]
    for sign, flipped in FLIPPED.items():
        if len(chain) == 3 and chain[0] == c.left and chain[1] == SIGNS[sign]:
            return [chain[2], SIGNS[flipped], c.left, SIGNS[c.relation], c.right]
    return None


def condition_line(holds: Holds, reading: Reading) -> Line:
    """The condition of a finding: β ≤ 2, C = 23/20, at the defaults M = 1."""
    shown = conditions_line(_of_the_claim(holds.conditions, reading))
    digits = (" (", Math((f"= {verdicts.digits(holds.digits)}",)), ")") if holds.digits is not None else ()
    return ("at the defaults " if holds.at_defaults else "", *shown, *digits)


def _of_the_claim(conditions: Sequence[Condition], reading: Reading) -> list[Condition]:
    """A constant that the claim asks for is not the constant that has its name with us."""
    statement = reading.statement
    if not isinstance(statement, Exists):
        return list(conditions)
    table = {claim_symbol(statement.constant.name): statement.constant}
    return [Condition(exchange(c.left, table), c.relation, None if c.right is None else exchange(c.right, table), c.members)
            for c in conditions]


# --- findings ---------------------------------------------------------------------------------------------------------

def expression(found: Expr, reading: Reading) -> Expr | None:
    """A closed form as it is shown; None if two of its symbols would look alike."""
    statement = reading.statement
    if isinstance(statement, Exists) and statement.constant.name == C.name:
        found = exchange(found, {C: OUR_C})
    return found if tells_apart(found.free_symbols) else None


def derived_blocks(bounds: Sequence[DerivedBound], reading: Reading) -> tuple[Piece, ...]:
    """What is derived: equations below each other, or one line for every construction that gives a bound."""
    equations: list[Equation] = []
    lines: list[Piece] = []
    for b in bounds:
        value = expression(b.value, reading)
        if value is None:
            lines.append(Paragraph((Code(verdicts.derived_bound(b)),)))
            continue
        name = short_names(reading).get(b.quantity, b.quantity) if reading.understood else b.quantity
        left, sign = sp.Symbol(name, real=True), SIGNS[b.relation]
        if b.source and sp.count_ops(value) > SHORT:
            shown = Equation(Math((left,)), sign, Math((value,)))
            lines += [Paragraph(("by ", Code(b.source), ":")), Display((shown,))]
        elif b.source:
            lines.append(Paragraph((Math((left, sign, value)), " by ", Code(b.source))))
        else:
            equations.append(Equation(Math((left,)), sign, Math((value,))))
    return (*((Display(tuple(equations)),) if equations else ()), *lines)


def _spelled(expr: Expr) -> Expr:
    """The expression without stand-ins, whose names are the formulas in brackets that they stand for."""
    return exchange(expr, {s: parse(s.name) for s in expr.free_symbols if s.name.startswith("(")})


def leading_terms(terms: LeadingTerms, reading: Reading) -> Line:
    left, right = (expression(_spelled(side), reading) for side in (terms.left, terms.right))
    if left is None or right is None or terms.at_most:
        return (verdicts.leading_terms(terms),)
    return "the left side is ", Math(("∼", left)), ", the right side ", Math(("∼", right))


# --- numbers ----------------------------------------------------------------------------------------------------------

def value(text: str) -> tuple[Expr | str, ...]:
    """A printed number: exactly, with powers of ten as such."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return (_rational(Fraction(text)) if re.fullmatch(r"-?[0-9]+/[0-9]+", text) else text,)
    sign, whole, part, cut, exponent, cut_behind = match.groups()
    if not part and not exponent and not cut:
        return exact(Fraction(int(sign + whole))) if len(whole) < 4000 else (text.replace("-", "−"),)
    power = f"·10^(−{exponent[1:]})" if exponent and exponent[0] == "-" else f"·10^{exponent}" if exponent else ""
    return (f"{'−' if sign else ''}{whole}{part or ''}{cut or cut_behind}{power}",)


def exact(x: Fraction) -> tuple[Expr | str, ...]:
    """A parameter, with long powers of ten as such."""
    text = exact_text(x)
    for sign, pattern in (("", r"10{7,}"), ("−", r"1/10{7,}")):
        if re.fullmatch(pattern, text):
            return (f"10^({sign}{text.count('0')})",)
    return (_rational(x),)


def assignments(parameters: Iterable[tuple[str, Fraction]]) -> Line:
    """Parameters with their exact values, separated by commas."""
    found = [Math((claim_symbol(name), "=", *exact(x))) for name, x in parameters]
    return tuple(span for k, part in enumerate(found) for span in ((", ", part) if k else (part,)))


def _rational(x: Fraction) -> sp.Rational:
    return sp.Rational(x.numerator, x.denominator)
