"""A referee's report: what was found about claims, for readers who have nothing else at hand.

A summary, then a section a claim: statement, verdict, derivation or witness, and the command that repeats it. Every symbol,
quantity and method that occurs is explained at the end. Texts of claim files are words, whatever they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import sympy as sp
from sympy import Expr, Rational

from ..claims.found import (
    Attained,
    Beyond,
    BoundsUsed,
    ByDefault,
    Digits,
    EpsBesideDelta,
    FreeLetter,
    FromFile,
    Holds,
    LeadingTerms,
    NetworkError,
    Remark,
    SameWith,
    TakenWhere,
    Values,
    WithCondition,
)
from ..claims.language import claim_symbol
from ..claims.model import DIGITS, Condition, Finding, Growth, Reading, Source, Witness
from ..claims.words import STANDINGS, VERDICTS
from . import verdicts
from .arguments import argument_line, relation
from .document import (
    Code,
    Document,
    Fields,
    Heading,
    Items,
    Line,
    Listing,
    Math,
    Paragraph,
    Piece,
    Span,
    Table,
    Verdict,
    words,
)
from .explanations import explanations
from .findings import by_verdict
from .results import result_line
from .statements import (
    assignments,
    claim_blocks,
    claim_line,
    condition_line,
    conditions_line,
    derived_blocks,
    expression,
    leading_terms,
    short_names,
    tells_apart,
    value,
    with_short_names,
)

Entry = tuple[str, tuple[Piece, ...]]
Read = tuple[Finding, Reading]

LONG = 100              # characters of a side that is not repeated where it is derived
KEPT = 8                # characters of a number in the summary
SHORT = 80              # characters of a derivation that stands in the summary
_COMPARED = {">": "larger than", "<": "smaller than", "==": "equal to", "!=": "different from", "<=": "at most",
             ">=": "at least"}


def document(findings: Sequence[Finding]) -> Document:
    """The report on all findings."""
    by_source = [(source, [(f, f.reading) for f in by_verdict(group)])
                 for source, group in groupby(findings, key=lambda f: f.claim.source)]
    anchors = _anchors(f.claim.id for _, group in by_source for f, _ in group)
    named = len(by_source) > 1
    claims: list[Piece] = []
    bodies: list[tuple[Finding, Reading, tuple[Piece, ...]]] = []
    for source, group in by_source:
        claims.append(Heading((_source_text(source) if named else "Claims",)))
        for f, reading in group:
            body = _section(f, reading)
            bodies.append((f, reading, body))
            claims += [Heading((f"{plain(f.claim.id)}: {f.verdict}",), 2, next(anchors)), *body]
    title = _source_text(by_source[0][0]) if len(by_source) == 1 and by_source[0][0] != Source() else ""
    return Document((f"Referee’s report: {title}" if title else "Referee’s report",),
                    (*_opening(findings), *_summary(by_source), *claims, *explanations(bodies)), narrow=True)


def plain(text: str) -> str:
    """Words of a claim file on one line; what cannot be printed is replaced."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))


def _anchors(ids: Iterable[str]) -> Iterator[str]:
    """Names for the sections, each used once."""
    seen: set[str] = set()
    for name in ids:
        base = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:60].strip("-") or "claim"
        anchor = next(a for k in range(len(seen) + 1) if (a := base if not k else f"{base}-{k + 1}") not in seen)
        seen.add(anchor)
        yield anchor


def _source_text(source: Source) -> str:
    return plain(" – ".join(x for x in (source.title, source.id) if x)) or "Claims without a source"


# --- opening and summary ----------------------------------------------------------------------------------------------

def _opening(findings: Sequence[Finding]) -> list[Piece]:
    counts = {v: sum(f.verdict == v for f in findings) for v in VERDICTS}
    counts = {v: count for v, count in counts.items() if count}
    total = f"{len(findings)} claim{'s were' if len(findings) != 1 else ' was'} checked: "
    shown = ", ".join(f"{count} {v}" for v, count in counts.items())
    standings = [s for s in STANDINGS if any(f.claim.standing == s for f in findings)]
    blocks: list[Piece] = [
        Paragraph((f"{total}{shown}. Every claim has a section below, which ends with the command that decides it again. "
                   "Symbols and quantities are explained at the end.",)),
        Table(("What the verdicts mean",), "lrw", (("verdict",), ("claims",), ("meaning",)),
              tuple(((Verdict(v),), (str(count),), words(VERDICTS[v])) for v, count in counts.items()))]
    if standings:
        meanings = "; ".join(f"{s} – {STANDINGS[s]}" for s in standings)
        blocks.append(Paragraph((f"A word behind each statement says how well it is known: {meanings}.",)))
    return blocks


def _summary(by_source: Sequence[tuple[Source, Sequence[Read]]]) -> list[Piece]:
    blocks: list[Piece] = [Heading(("Summary",))]
    for k, (source, group) in enumerate(by_source):
        caption = (_source_text(source),) if len(by_source) > 1 else ()
        rows = tuple(((Verdict(f.verdict),), (plain(f.claim.id),), _stated(f, reading), result_line(f))
                     for f, reading in group)         # the verdict first: a phone shows no more than two columns
        last = k == len(by_source) - 1
        blocks.append(Table(caption, "llww", (("verdict",), ("claim",), ("what is stated",), ("result",)), rows,
                            ("Digits are cut off where “…” stands; all other numbers are exact, unless they are said to be "
                             "observed.",) if last else ()))
    return blocks


def _stated(f: Finding, reading: Reading) -> Line:
    if f.claim.states.strip():
        return (plain(f.claim.states),)
    short = len(f.claim.claim) <= SHORT
    return (claim_line(reading) if short and not short_names(reading) else None) or (Code(plain(f.claim.claim)),)


# --- one claim --------------------------------------------------------------------------------------------------------

def _section(f: Finding, reading: Reading) -> tuple[Piece, ...]:
    c = f.claim
    entries: list[Entry] = []
    if c.states.strip() or c.where.strip():
        behind = "; ".join(plain(x) for x in (c.standing, c.where) if x.strip())
        stated = plain(c.states)
        entries.append(("Statement", (Paragraph((f"{stated} ({behind})" if stated and behind else stated or behind,)),)))
    read_as = (Paragraph(("read as ", Code(plain(f.plain)))),) if f.plain else ()
    where = tuple(Paragraph(("where ", Math((sp.Symbol(short, real=True),)), " is ", Code(name)))
                  for name, short in short_names(reading).items()) if reading.understood else ()
    entries.append(("Claim", (*claim_blocks(reading), *where, Paragraph((Code(plain(c.claim)),)), *read_as)))
    entries.append(("Domain", (_domain(f, reading),)))
    said = result_line(f)
    more = () if said in (("yes",), ("no",), ("",)) else (" ", *said)
    entries.append(("Verdict", (Paragraph((Verdict(f.verdict), *more)),)))
    entries += _findings(f, reading)
    entries.append(("Command", (Listing((plain(f.reproduce),)),)))
    return (Fields(tuple(entries)),)


def _domain(f: Finding, reading: Reading) -> Paragraph:
    if not reading.conditions:
        return Paragraph(("all parameters in their ranges (table of symbols)",))
    symbols = {s for c in reading.conditions for e in (c.left, c.right) if e is not None for s in e.free_symbols}
    return Paragraph(conditions_line(reading.conditions) if tells_apart(symbols) else (Code(plain(f.claim.domain)),))


def _findings(f: Finding, reading: Reading) -> list[Entry]:
    entries: list[Entry] = []
    if f.condition:
        how = "" if f.condition.at_defaults else "holds exactly when " if f.verdict == "conditional" else "holds with "
        entries.append(("Condition", (Paragraph((how, *condition_line(f.condition, reading))),)))
    if f.reason and f.reason != (WithCondition(),):
        entries.append(("Reason", (Paragraph(reason_line(f, reading)),)))
    if f.witness:
        entries.append(("Witness", (_witness(f.witness, f, reading),)))
    if f.derived:
        entries.append(("Derivation", derived_blocks(f.derived, reading)))
    if f.ratio:
        entries.append(("Factor", (Paragraph(_ratio(f, reading)),)))
    notes = [(label, _note(note, reading)) for note in f.notes for label in (_label(note),)]
    for label in dict.fromkeys(label for label, _ in notes):
        entries.append((label, tuple(Paragraph(line) for other, line in notes if other == label)))
    if f.assumed:
        parts = [relation(c) for c in f.assumed]
        entries.append(("Assumed", (Paragraph(tuple(span for k, c in enumerate(parts)
                                                    for span in ((", ", *c) if k else c))),)))
    if f.holds:
        parts = [relation(c.strip()) for c in f.holds.split(",")]
        entries.append(("Holds", (Paragraph(("for ", *(span for k, c in enumerate(parts)
                                                       for span in ((", ", *c) if k else c)))),)))
    if f.proof:
        entries.append(("Argument", (Paragraph(with_short_names(argument_line(f), reading)),)))
    return entries


def _label(note: Remark) -> str:
    meaning = isinstance(note, EpsBesideDelta | FreeLetter)
    return "Remark" if isinstance(note, Attained) else "Meaning" if meaning else "Assumed"


def _note(note: Remark, reading: Reading) -> Line:
    match note:
        case EpsBesideDelta():
            return words("$δ$ is the error that is already in every input; $ε$ is the accuracy of the network itself, on "
                         "the domain enlarged by $δ$")
        case FreeLetter(name=name):
            return (Math((claim_symbol(name),)), " may be any number here; for one constant write ",
                    Code(f"exists {name}: …"))
        case ByDefault(values=values):
            return (*_equal(values), ", by default")
        case TakenWhere(condition=condition, quantity=quantity):
            return (*condition_line(Holds((condition,)), reading), ", without which ", Code(quantity), " means nothing")
        case Attained(at=point):
            at = (", for example at ", *_equal(point)) if point else ()
            return ("both sides are equal, with what is derived in place of the quantity", *at)
        case FromFile(name=name, path=path, sha256=digest):
            return words(f"{name} is the construction of ", Code(path), f", sha256 {digest}")


def _equal(values: Values) -> Line:
    """Parameters with their values, as conditions."""
    return conditions_line([Condition(claim_symbol(name), "==", Rational(x.numerator, x.denominator)) for name, x in values])


def _other(note: SameWith) -> Line:
    return _equal(((note.name, note.value),))


def reason_line(f: Finding, reading: Reading) -> Line:
    """A reason, with leading terms as formulas."""
    if len(f.reason) == 1 and isinstance(f.reason[0], str):
        return (plain(f.reason[0]),)
    found: list[Span] = []
    for part in f.reason:
        match part:
            case str():
                found.append(part)
            case LeadingTerms():
                found += leading_terms(part, reading)
            case Holds():
                found.append(verdicts.condition(part))
            case WithCondition():
                found.append(verdicts.reason(f))
    return tuple(found)


def _witness(w: Witness, f: Finding, reading: Reading) -> Items:
    network, other = isinstance(w.note, NetworkError), isinstance(w.note, SameWith)
    inputs = w.note.inputs if isinstance(w.note, NetworkError) else ()
    at = [(name, x) for name, x in w.parameters.items() if name not in inputs]
    found: list[Line] = [("at ", *assignments(at), " (exact)")] if at else []
    if isinstance(w.note, NetworkError):
        point = assignments((name, w.parameters[name]) for name in inputs)
        found += [("input ", *point, " (exact) of the network ", Code(str(w.note.network))),
                  ("its error there: ", Math(value(w.left)), _exactness(w.exact[0])),
                  _side("claimed bound", w.right, w.right_form, w.exact[1], f, reading)]
    elif isinstance(w.note, SameWith):
        found += [_side("value", w.left, w.left_form, w.exact[0], f, reading),
                  ("with ", *_other(w.note), " instead: ", Math(value(w.right)),
                   _exactness(w.exact[1]))]
    else:
        found += [_side("left side", w.left, w.left_form, w.exact[0], f, reading),
                  _side("right side", w.right, w.right_form, w.exact[1], f, reading)]
    if not isinstance(reading.statement, Growth):
        what = ("error", "claimed bound") if network else ("first value", "second") if other else ("left side", "right side")
        found.append((f"the {what[0]} is {_COMPARED[w.relation]} the {what[1]}",))
    if isinstance(w.note, BoundsUsed):
        found.append(("a proved bound stands in place of ", Code(", ".join(w.note.quantities))))
    elif w.note and not network and not other:
        found.append((verdicts.witness_note(w.note),))
    return Items(tuple((Paragraph(line),) for line in found))


def _side(name: str, digits: str, form: Expr | str | None, exact: bool, f: Finding, reading: Reading) -> Line:
    """What a side is and what it is worth; a long formula that is derived in the same section is not repeated."""
    text = verdicts.form(form)
    formula = expression(form, reading) if isinstance(form, Expr) and text != digits else None
    if formula is not None and len(text) > LONG and text in verdicts.derived(f.derived):
        return (f"{name} (as derived): ", Math(value(digits)), _exactness(exact))
    parts = value(digits) if formula is None else (formula, "=", *value(digits))
    return (f"{name}: ", Math(parts), _exactness(exact, f.witness is not None and isinstance(f.witness.note, BoundsUsed)))


def _exactness(exact: bool, bound: bool = False) -> str:
    if bound and not exact:
        return " (a proved bound)"
    return " (exact)" if exact else f" ({DIGITS} digits, of which the last is uncertain)"


def _ratio(f: Finding, reading: Reading) -> Line:
    """How far the claim is from what is derived; where that varies, what was observed at points."""
    assert f.ratio is not None
    head = "claimed/derived" if f.derived else "right side/left side"
    if isinstance(f.ratio, Digits):
        sign, exactness = ("=", " (exact)") if f.ratio.exact else ("≈", " (digits cut off)")
        return (f"{head} ", Math((sign, *value(verdicts.digits(f.ratio)))), exactness)
    formula = expression(f.ratio.formula, reading) if f.ratio.formula is not None else None
    shown: list[Span] = [head]
    shown += [" ", Math(("=", formula)), ","] if formula is not None else []
    several = f.ratio.low != f.ratio.high
    shown += [" observed from " if several else " observed ", *_observed(f.ratio.low)]
    shown += [" to ", *_observed(f.ratio.high)] if several else []
    return (*shown, f" at {f.ratio.points} points, to six digits")


def _observed(end: str | Beyond) -> Line:
    if isinstance(end, str):
        return (Math(value(end)),)
    return ("more than ", Math(("10^30",))) if end is Beyond.LARGE else ("less than ", Math(("10^(−30)",)))
