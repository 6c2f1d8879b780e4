"""Claims and what is found about them as mathematics: from their text, by the claim grammar, to formulas of a document.

What cannot be set, because two parameters would look alike or a text has another form, stays as it is typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..claims.language import claim_symbol, read_conditions
from ..claims.model import Condition, Exists, Growth, Independent, Reading, Relation
from ..errors import BoundcalcError
from ..formulas.notation import to_unicode
from ..formulas.parser import parse
from ..formulas.symbols import C, exchange
from ..numbers.exact import exact_text
from .document import Code, Display, Equation, Line, Math, Paragraph, Piece, Span

SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "==": "=", "=": "=", "!=": "≠"}
KINDS = {"O": "O", "Theta": "Θ", "Omega": "Ω", "o": "o"}
FLIPPED = {">=": "<=", ">": "<"}
OUR_C = sp.Symbol("C_0", positive=True)         # our constant C where a claim asks for a C of its own

_DERIVED = re.compile(r"(?P<quantity>.*?) (?P<relation>=|<=|>=) (?P<value>.*?)(?: by (?P<source>.*))?")
SHORT = 10              # operations of a formula that stands in a line of words
_CONDITION = re.compile(r"(?P<before>at the defaults )?(?P<conditions>.*?)(?: \(= (?P<digits>[^()]*)\))?")
_LEADING = re.compile(r"left ~ (.+?), right ~ (.+?)(?=; |\), which |$)")
_DECIMAL = re.compile(r"(-?)([0-9]+)(\.[0-9]+)?(…?)(?:e(-?[0-9]+))?(…?)")


# --- claims -----------------------------------------------------------------------------------------------------------

def claim_line(reading: Reading) -> Line | None:
    """The claim as one line, or None if it cannot be set."""
    if not tells_apart(_symbols(reading)):
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
    return exchange(expr, {q.symbol: sp.Symbol(q.text, real=True) for q in reading.quantities})


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


def condition_line(text: str, reading: Reading) -> Line:
    """The condition of a finding: β ≤ 2, C = 23/20, at the defaults M = 1."""
    match = _CONDITION.fullmatch(text)
    assert match is not None
    try:
        shown = conditions_line(_of_the_claim(read_conditions(match["conditions"]), reading))
    except BoundcalcError:
        return (text,)
    digits = (" (", Math((f"= {match['digits']}",)), ")") if match["digits"] else ()
    return (match["before"] or "", *shown, *digits)


def _of_the_claim(conditions: Sequence[Condition], reading: Reading) -> list[Condition]:
    """A constant that the claim asks for is not the constant that has its name with us."""
    statement = reading.statement
    if not isinstance(statement, Exists):
        return list(conditions)
    table = {claim_symbol(statement.constant.name): statement.constant}
    return [Condition(exchange(c.left, table), c.relation, None if c.right is None else exchange(c.right, table), c.members)
            for c in conditions]


# --- findings ---------------------------------------------------------------------------------------------------------

def expression(text: str, reading: Reading) -> Expr | None:
    """A printed expression; None if it is a name of a quantity, or another text."""
    try:
        found = parse(text)
    except BoundcalcError:
        return None
    statement = reading.statement
    if isinstance(statement, Exists) and statement.constant.name == C.name:
        found = exchange(found, {C: OUR_C})
    return found if tells_apart(found.free_symbols) else None


def derived_blocks(text: str, reading: Reading) -> tuple[Piece, ...]:
    """What is derived: equations below each other, or one line for every construction that gives a bound."""
    equations: list[Equation] = []
    lines: list[Piece] = []
    for part in text.split("; "):
        match = _DERIVED.fullmatch(part)
        value = expression(match["value"], reading) if match else None
        if match is None or value is None:
            lines.append(Paragraph((Code(part),)))
            continue
        left, sign = sp.Symbol(match["quantity"], real=True), SIGNS[match["relation"]]
        if match["source"] and sp.count_ops(value) > SHORT:
            shown = Equation(Math((left,)), sign, Math((value,)))
            lines += [Paragraph(("by ", Code(match["source"]), ":")), Display((shown,))]
        elif match["source"]:
            lines.append(Paragraph((Math((left, sign, value)), " by ", Code(match["source"]))))
        else:
            equations.append(Equation(Math((left,)), sign, Math((value,))))
    return (*((Display(tuple(equations)),) if equations else ()), *lines)


def derived_line(text: str, reading: Reading) -> Line:
    """What is derived for the only quantity of a claim, without its name, which no line can be broken in."""
    found = [e for block in derived_blocks(text, reading) if isinstance(block, Display) for e in block.equations]
    return ("derived: ", Math((found[0].relation, *found[0].right.parts))) if len(found) == 1 else ()


def reason_line(text: str, reading: Reading) -> Line:
    """A reason, with leading terms as formulas."""
    found: list[Span] = []
    end = 0
    for match in _LEADING.finditer(text):
        left, right = (expression(side, reading) for side in match.groups())
        if left is not None and right is not None:
            found += [text[end:match.start()], "the left side is ", Math(("∼", left)), ", the right side ",
                      Math(("∼", right))]
            end = match.end()
    return tuple(span for span in (*found, text[end:]) if span)


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
