"""A verification as text: the chain of inequalities, the witness, the method, and how tight it is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..layout import INDENT, labelled, paragraph, width
from ..layout import screen as page_columns
from ..letters import written
from ..numbers.exact import Shift
from ..results.verification import LOOSE, Verification
from .values import equals, fraction, number

DIGITS = 12
SHOWN = 8       # coordinates of a witness


def verification(v: Verification) -> str:
    lines = ["Verification", INDENT + _joined(_parts(v)), f"{INDENT}{_verdict(v)}"]
    lines += paragraph(f"witness: {witness(v)}")
    if v.proved is not None:
        boxes = f", {counted(v.proved.boxes, 'box', 'boxes')}" if v.proved.boxes else ""
        read = " on the exported weights" if v.proved.of == "file" else "; certified for the family, no file was written"
        lines += paragraph(f"method: {v.proved.method}{boxes}; Arb ball arithmetic{read}")
    again = "mpmath" if v.observed.by == "mpmath" else "ball arithmetic"
    points = v.observed.points
    seen = f"the largest of {points} evaluations, the worst one" if points > 1 else "one evaluation, at the proof's point,"
    lines += paragraph(f"observed: {seen} repeated by {again} to {2 * v.observed.digits} digits: a lower bound of the true "
                       "error")
    ratios = [f"{name} = {number(x, 6)}" for name, x in (("certified/observed", v.tightness), ("certified/derived", v.share))
              if x is not None]
    if ratios:
        lines.append(INDENT + ", ".join(ratios))
    elif v.derived:
        lines.append(f"{INDENT}observed/derived = {number(v.observed.error / v.derived, 6, down=True)}")
    if v.signature:
        lines += paragraph(f"signature: {v.signature}")
    return "\n".join(lines)


def screen(v: Verification) -> list[str]:
    """The same for a first screen."""
    lines = ["  " + x for x in _lines(v)]
    lines += ["", *labelled("  verdict", _verdict(v)), *labelled("  worst point", witness(v))]
    if v.proved is not None:
        boxes = f", {counted(v.proved.boxes, 'box', 'boxes')}" if v.proved.boxes else ""
        read = "from the exported weights" if v.proved.of == "file" else "for the family; no file was written"
        lines += labelled("  certified", f"{read}: {v.proved.method}{boxes}; ball arithmetic")
    again = "again" if v.observed.by == "mpmath" else "again, by balls,"
    what = f"largest of {counted(v.observed.points, 'evaluation', 'evaluations')}" if v.observed.points > 1 else \
        f"one evaluation, {'at the worst point of the proof' if v.proved is not None else 'for which there was time'}"
    lines += labelled("  observed", f"{what}, the worst {again} at {2 * v.observed.digits} digits")
    if v.tightness is not None:
        lines += labelled("  ratios", f"certified/observed {number(v.tightness, 6)}" + (
            f", certified/derived {number(v.share, 6)}" if v.share is not None else ""))
    if v.signature:
        lines += labelled("  signature", v.signature)
    return lines


def outcome(v: Verification) -> str:
    """The verdict in a word or two."""
    return {True: "certified", False: "fails", None: "not certified"}[v.holds]


def counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _lines(v: Verification) -> list[str]:
    """The chain on one line, equal leading digits once, or broken where it is too long."""
    parts = _parts(v)
    full = written(_joined(parts))
    if width(full) + 2 <= page_columns():
        return [full]
    first = parts[0][1]
    shortened = [parts[0], *((name, _tail(text, first), x) for name, text, x in parts[1:])]
    full, at_most = written(_joined(shortened)), written("≤")
    if width(full) + 2 <= page_columns():
        return [full]
    lines, line = [], ""
    texts = full.split(f" {at_most} ")
    for part in texts:
        joined = f"{line} {at_most} {part}" if line else part
        follows = "" if part is texts[-1] else f" {at_most}"
        if width(joined + follows) + 2 > page_columns() and line:
            lines.append(f"{line} {at_most}")
            joined = part
        line = joined
    return [*lines, line]


def _tail(text: str, first: str) -> str:
    """The last digits, where all before them are those of another number."""
    common = next((k for k, (a, b) in enumerate(zip(text, first, strict=False)) if a != b), min(len(text), len(first)))
    return f"…{text[common - 2:]}" if common >= 8 and len(text) - common <= 4 else text


def witness(v: Verification) -> str:
    """Where the observed error is; the coordinates from some place on may all be equal."""
    items = list(v.observed.at.items())
    last = items[-1][1]
    same = next(k for k in range(len(items), -1, -1) if k == 0 or items[k - 1][1] != last)
    others = len(items) - same
    if others > 2:
        shown = items[:same] if same <= SHOWN else items[:SHOWN]
        at = [equals(name, x) for name, x in shown]
        at.append(f"all{' others' if same else ''} {fraction(last)}" if same <= SHOWN else "…")
    else:
        at = [equals(name, x) for name, x in items[:SHOWN]] + (["…"] if len(items) > SHOWN else [])
    return ", ".join(at) + off(list(v.observed.at), v.observed.shift)


def off(names: Sequence[str], shift: Shift) -> str:
    """What inputs are off by where the error was observed."""
    if not isinstance(shift, tuple):
        return f", every input off by {fraction(shift)}" if shift else ""
    return "".join(f", {name} off by {fraction(s)}" for name, s in list(zip(names, shift, strict=True))[:SHOWN] if s)


def _parts(v: Verification) -> list[tuple[str, str, Fraction]]:
    """observed, certified, derived and ε, as far as each is known."""
    found: list[tuple[str, str, Fraction]] = [("observed", number(v.observed.error, DIGITS, down=True), v.observed.error)]
    if v.proved is not None:
        found.append(("certified", number(v.proved.error, DIGITS, limit=v.eps), v.proved.error))
    if v.derived is not None:
        found.append(("derived", number(v.derived, DIGITS, limit=v.eps), v.derived))
    if v.goal is not None and v.goal != v.derived:
        found.append(("ε =", fraction(v.goal), v.goal))
    return found


def _joined(parts: list[tuple[str, str, Fraction]]) -> str:
    """With what relates them: ≤ as it should be, > where it is not."""
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
