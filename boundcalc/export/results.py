"""The result of a claim in one sentence: "one head is enough", "no: at β = 3 it is 1.5 > 1; true for β ≤ 2"."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from sympy import Expr

from ..claims.model import Exists, Growth, Independent, Relation
from ..claims.trace import deciding
from . import verdicts
from .arguments import COUNTED, enough, flat, point, relation, shown
from .document import Line, Math
from .statements import condition_line

if TYPE_CHECKING:
    from ..claims.model import Finding, Witness

ORDER = ("refuted", "conditional", "vacuous", "undecided", "supported", "proved")       # what an editor looks for first
SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">", "==": "=", "!=": "≠"}
DIGITS = 4              # significant ones of a number that has more
SHORT = 8               # characters of a number that is written out


def result(f: Finding) -> str:
    return flat(result_line(f))


def result_line(f: Finding) -> Line:
    match f.verdict:
        case "refuted":
            return _refuted(f)
        case "conditional" if f.condition is not None:
            return ("exactly when ", *condition_line(f.condition, f.reading))
        case "proved":
            return _proved(f)
    reason = verdicts.reason(f)
    return (f"{reason}",)


def _refuted(f: Finding) -> Line:
    w = f.witness
    true: Line = ()
    if f.holds:
        parts = [relation(c.strip()) for c in f.holds.split(",")]
        true = ("; true for ", *(span for k, c in enumerate(parts) for span in ((", ", *c) if k else c)))
    if w is not None and w.relation in SIGNS:
        left, right = brief(w)
        at = point(list(w.parameters.items()))
        return ("no: ", *at, " gives " if at else "it is ", Math((left, SIGNS[w.relation], right)), *true)
    statement = f.reading.statement
    if isinstance(statement, Exists):
        return ("no: no constant ", Math((statement.constant,)), " will do", *true)
    if isinstance(statement, Independent):
        return ("no: it changes with ", Math((statement.symbol,)), *true)
    if isinstance(statement, Growth):
        return ("no: no constant factor will do" if statement.kind != "o" else "no: the quotient does not tend to 0", *true)
    return ("no", *true)


def _proved(f: Finding) -> Line:
    body = f.proof["proof"] if f.proof else {}
    if isinstance(f.reading.statement, Exists) and "constant" in body:
        value = shown(body["constant"], 30)
        return ("yes: ", Math((f.reading.statement.constant, "=", value if value is not None else str(body["constant"]))),
                " will do")
    rows = {r["id"]: r for r in (f.proof or {}).get("axioms") or ()}
    statement = f.reading.statement
    above = isinstance(statement, Relation) and statement.relation in (">", ">=")
    for name in deciding(body):
        r = rows.get(name)
        if r is None or r["kind"] not in ("lower" if above else "upper", "equal"):
            continue
        value, count = shown(r["formula"], 40), COUNTED.get(str(r["quantity"]))
        if value is not None and count and value.is_Integer and r.get("needed") and not above:
            return (enough(int(value), count),)
        if value is not None and r.get("needed"):
            return ("yes: at least ", Math((value,)), " is needed") if above else (
                "yes: at most ", Math((value,)), f" by {r['lemma']}")
        if value is not None:
            how = {"equal": "", "upper": "at most ", "lower": "at least "}[r["kind"]]
            return (f"yes: it is {how}", Math((value,)))
    return ("yes",)


def brief(w: Witness) -> tuple[Expr | str, Expr | str]:
    """Both sides with as few digits as tell them apart; "…" stands where digits are cut off."""
    for digits in range(DIGITS, 40):
        found = tuple(_brief(x, digits) for x in (w.left, w.right))
        if found[0] != found[1] or w.relation in ("<=", ">="):
            return found[0], found[1]
    return w.left, w.right


def _brief(text: str, digits: int) -> str:
    if len(text) <= SHORT and "." not in text:
        return text.replace("-", "−")
    match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]+))?", text)
    if match is None and re.fullmatch(r"-?[0-9]+/[0-9]+", text):
        from ..numbers.exact import decimal_down
        x = Fraction(text)
        text = ("-" if x < 0 else "") + decimal_down(abs(x), digits + 2)
        match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]+))?", text)
    if match is None:
        return text
    sign, whole, part, exponent = match[1].replace("-", "−"), match[2], match[3] or "", match[4]
    if len(whole) > SHORT and not exponent:
        return f"{sign}{whole[0]}.{whole[1:digits]}…·10^{len(whole) - 1}"
    zeros = len(part) - len(part.lstrip("0")) if whole == "0" else 0
    keep = max(digits - (len(whole) if whole != "0" else 0), 0) + zeros
    shown_part, cut = part[:keep], "…" if len(part) > keep else ""
    power = f"·10^{'(−' + exponent[1:] + ')' if exponent.startswith('-') else exponent}" if exponent else ""
    return f"{sign}{whole}{'.' + shown_part if shown_part else ''}{cut}{power}"
