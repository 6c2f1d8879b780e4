"""A verification as text: the chain of inequalities, the witness, the method, and how tight it is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from ..layout import INDENT, paragraph
from ..results.verification import LOOSE, Verification
from .values import fraction, number

DIGITS = 12
SHOWN = 8       # coordinates of a witness


def verification(v: Verification) -> str:
    lines = ["Verification", INDENT + _chain(v), f"{INDENT}{_verdict(v)}"]
    lines += paragraph(f"witness: {witness(v)}")
    if v.proved is not None:
        boxes = f", {v.proved.boxes} box{'es' * (v.proved.boxes != 1)}" if v.proved.boxes else ""
        lines += paragraph(f"method: {v.proved.method}{boxes}; Arb ball arithmetic on the exported weights")
    lines += paragraph(f"observed: the largest of {v.observed.points} evaluations, the worst one repeated by mpmath to "
                       f"{2 * v.observed.digits} digits: a lower bound of the true error")
    ratios = [f"{name} = {number(x, 6)}" for name, x in (("certified/observed", v.tightness), ("certified/derived", v.share))
              if x is not None]
    if ratios:
        lines.append(INDENT + ", ".join(ratios))
    elif v.derived:
        lines.append(f"{INDENT}observed/derived = {number(v.observed.error / v.derived, 6, down=True)}")
    if v.signature:
        lines += paragraph(f"signature: {v.signature}")
    return "\n".join(lines)


def witness(v: Verification) -> str:
    """Where the observed error is."""
    at = ", ".join(f"{name} = {fraction(x)}" for name, x in list(v.observed.at.items())[:SHOWN])
    at += ", …" if len(v.observed.at) > SHOWN else ""
    return at + (f", every input off by {fraction(v.observed.shift)}" if v.observed.shift else "")


def _chain(v: Verification) -> str:
    """observed ≤ certified ≤ derived ≤ ε, as far as each is known and true."""
    parts: list[tuple[str, str, Fraction]] = [("observed", number(v.observed.error, DIGITS, down=True), v.observed.error)]
    if v.proved is not None:
        parts.append(("certified", number(v.proved.error, DIGITS, limit=v.eps), v.proved.error))
    if v.derived is not None:
        parts.append(("derived", number(v.derived, DIGITS, limit=v.eps), v.derived))
    if v.goal is not None and v.goal != v.derived:
        parts.append(("ε", fraction(v.goal), v.goal))
    text = f"{parts[0][0]} {parts[0][1]}"
    for before, after in pairwise(parts):
        text += f" {'≤' if before[2] <= after[2] else '>'} {after[0]} {after[1]}"
    return text


def _verdict(v: Verification) -> str:
    if v.holds:
        return "certified: proved over the whole domain"
    if v.holds is False:
        return f"fails: at the witness the error is more than {'ε' if v.goal != v.derived else 'the derived bound'}"
    if v.reason == LOOSE:
        return f"not certified: the certified error is above {'ε' if v.goal != v.derived else 'the derived bound'}, the " \
               "observed one is not"
    return f"not certified: {v.reason}"
