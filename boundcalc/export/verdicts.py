"""The words for what is found about a claim, on one line and in the claim grammar."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from ..claims.found import (
    Attained,
    Beyond,
    BoundsUsed,
    ByDefault,
    ConstantTooSmall,
    DerivedBound,
    Digits,
    EpsBesideDelta,
    FactorExceeded,
    FreeLetter,
    FromFile,
    Holds,
    LeadingTerms,
    NetworkError,
    NoLimitZero,
    Ratio,
    Remark,
    SameWith,
    TakenWhere,
    Values,
    WitnessNote,
)
from ..claims.model import Condition, Finding
from ..formulas.parser import to_text


def derived(bounds: Sequence[DerivedBound]) -> str:
    return "; ".join(derived_bound(b) for b in bounds)


def derived_bound(b: DerivedBound) -> str:
    return f"{b.quantity} {b.relation} {to_text(b.value)}" + (f" by {b.source}" if b.source else "")


def digits(x: Digits) -> str:
    return x.text if x.exact else f"{x.text}…"


def ratio(x: Ratio) -> str:
    if isinstance(x, Digits):
        return digits(x)
    low, high = (end.value if isinstance(end, Beyond) else end for end in (x.low, x.high))
    formula = f"{to_text(x.formula)}, " if x.formula is not None else ""
    return f"{formula}{low if low == high else f'{low} to {high}'} at {x.points} points"


def condition(holds: Holds) -> str:
    before = "at the defaults " if holds.at_defaults else ""
    return f"{before}{holds}" + (f" (= {digits(holds.digits)})" if holds.digits is not None else "")


def relation(c: Condition) -> str:
    assert c.right is not None
    return f"{to_text(c.left)} {c.relation} {to_text(c.right)}"


def reason(f: Finding) -> str:
    return "".join(_part(part, f.condition) for part in f.reason)


def _part(part: object, holds: Holds | None) -> str:
    match part:
        case str():
            return part
        case LeadingTerms():
            return leading_terms(part)
        case Holds():
            return condition(part)
    return f"with {condition(holds)}" if holds is not None else ""


def leading_terms(terms: LeadingTerms) -> str:
    how = "left grows at most like" if terms.at_most else "left ~"
    return f"{how} {to_text(terms.left)}, right ~ {to_text(terms.right)}"


EPS_BESIDE_DELTA = ("delta is the error that is already in every input; eps is the accuracy of the network itself, on the "
                    "domain enlarged by delta")


def remark(note: Remark) -> str:
    match note:
        case EpsBesideDelta():
            return EPS_BESIDE_DELTA
        case FreeLetter(name=name):
            return f"{name} may be any number here; for one constant write exists {name}: …"
        case ByDefault(values=values):
            return f"with {assigned(values)} by default"
        case TakenWhere(condition=taken, quantity=quantity):
            return f"taken where {relation(taken)}, without which {quantity} means nothing"
        case Attained(at=at):
            return "equality with what we derive" + (f", for example at {assigned(at)}" if at else "")
        case FromFile(name=name, path=path, sha256=sha256):
            return f"{name} is the construction of {path}, sha256 {sha256}"


def witness_note(note: WitnessNote | None) -> str:
    match note:
        case None:
            return ""
        case NetworkError(network=network, inputs=inputs):
            return f"the error of the network {network} at the input {', '.join(inputs)}"
        case SameWith(name=name, value=value):
            return f"the right side is the same with {name} = {value}"
        case BoundsUsed(quantities=quantities):
            return f"with a proved bound in place of {', '.join(quantities)}"
        case FactorExceeded(more=more, factor=factor):
            return (f"|left| is {'more' if more else 'less'} than {factor} times |right| here, "
                    "and no constant factor holds closer to the limit")
        case NoLimitZero():
            return "left/right does not tend to 0"
        case ConstantTooSmall(constant=constant, value=k, symbol=name, limit=limit):
            return f"{constant} = {k} is too small here, and none is enough as {name} -> {to_text(limit)}"


def assigned(values: Values) -> str:
    return ", ".join(f"{name} = {x}" for name, x in values)


def form(side: Expr | str | None) -> str:
    """The closed form behind a side of a witness, or the name of a quantity."""
    return "" if side is None else side if isinstance(side, str) else to_text(side)
