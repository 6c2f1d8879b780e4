"""Findings on claims as text, JSON (schema boundcalc-findings/2), a table, or a referee's report (referee.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

from ..errors import InvalidInput, echo
from ..numbers.exact import exact_text
from ..schemas.documents import FindingJson, FindingsJson
from . import WRITTEN, write
from .arguments import argument

if TYPE_CHECKING:
    from ..claims.model import Finding, Witness

SCHEMA = "boundcalc-findings/2"
FORMATS = ("text", "json", "latex", "markdown", "html")
LABEL = 11
WIDTH = 118
NARROW, COLUMN = 80, 21        # of the results of several claims
_DECIMAL = re.compile(r"(?P<whole>-?[0-9]+)\.[0-9]+(?P<exponent>e-?[0-9]+)?")
LONGEST = 400           # characters of a closed form in text; JSON has all of it


def check_format(form: str, standalone: bool = False) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for findings.", f"Formats are {', '.join(FORMATS)}.")
    if standalone and form != "latex":
        raise InvalidInput("--standalone belongs to -f latex.", "Other formats stand alone as they are.")


def render(findings: Sequence[Finding], form: str, standalone: bool = False, full: bool = False) -> str:
    check_format(form, standalone)
    if form not in WRITTEN:
        return text(findings, full) if form == "text" else as_json(findings)
    from .referee import document
    return write(document(findings), form, standalone)


# --- text -------------------------------------------------------------------------------------------------------------

def text(findings: Sequence[Finding], full: bool = False) -> str:
    """One claim in full; of several the results, refuted claims first (all of them in full with `full`)."""
    if len(findings) == 1 or full:
        blocks = ["\n".join(_block(f)) for f in by_verdict(findings)]
        return "\n\n".join([*blocks, _counts(findings)]) + "\n"
    blocks = []
    for source, group in groupby(findings, key=lambda f: f.claim.source):
        title = ", ".join(x for x in (source.title, source.id) if x)
        listed = list(group)
        blocks.append("\n".join([*wrap(title, NARROW), _counts(listed), "", *_results(listed)]))
    if len(blocks) > 1:
        blocks.append(f"in all {_counts(findings)}")
    return "\n\n".join([*blocks, "one in full: --id ID    all: --full    a report: -f html -o report.html"]) + "\n"


def by_verdict(findings: Iterable[Finding]) -> list[Finding]:
    from .results import ORDER
    return sorted(findings, key=lambda f: ORDER.index(f.verdict))


def _counts(findings: Sequence[Finding]) -> str:
    from .results import ORDER
    counts = {v: sum(f.verdict == v for f in findings) for v in reversed(ORDER)}
    total = ", ".join(f"{counts[v]} {v}" for v in ("proved", *ORDER[:-1]) if counts[v])
    return f"{len(findings)} claim{'s' if len(findings) != 1 else ''}: {total}"


def _results(findings: Sequence[Finding]) -> list[str]:
    """Under every verdict the claims that have it: what is stated, and the result in a sentence."""
    from .results import ORDER, result
    lines: list[str] = []
    for verdict in ORDER:
        group = [f for f in findings if f.verdict == verdict]
        if not group:
            continue
        lines.append(verdict)
        for f in group:
            stated = " ".join((f.claim.states or f.claim.claim).split())
            said = result(f)
            if f.claim.expect and f.claim.expect != f.verdict:
                said = f"expected: {f.claim.expect}; {said}"
            lines += _result(f.claim.id, stated, said, verdict == "proved")
    return lines


def _result(name: str, stated: str, said: str, brief: bool) -> list[str]:
    """The id in the first column; the result behind the statement where a proved claim leaves room, else below it."""
    said = "" if brief and said == "yes" else said
    room = NARROW - COLUMN
    if brief and said and len(stated) + len(said) + 3 <= room:
        stated, said = f"{stated} ({said.removeprefix('yes: ')})", ""
    shown = wrap(stated, room, break_long_words=False, break_on_hyphens=False) or [""]
    shown += wrap(said, room, break_long_words=False, break_on_hyphens=False)
    head = f"  {name}"
    if len(head) > COLUMN - 2:
        return [head, *(" " * COLUMN + line for line in shown)]
    return [head.ljust(COLUMN) + shown[0], *(" " * COLUMN + line for line in shown[1:])]


def _block(f: Finding) -> list[str]:
    from . import verdicts as say
    from .results import result
    c = f.claim
    lines = [f"{c.id}: {f.verdict.upper()}"]
    source = ", ".join(x for x in (c.source.id or c.source.title, c.where) if x)
    if c.states:
        lines += _line("states", c.states + (f" ({c.standing})" if c.standing else ""))
    if source:
        lines += _line("source", source)
    lines += _line("claim", c.claim.strip())
    if c.domain.strip():
        lines += _line("for", c.domain.strip())
    if f.plain:
        lines += _line("read as", f.plain)
    if f.plain_for:
        lines += _line("for", f.plain_for)
    if f.assumed:
        lines += _line("assumed", ", ".join(f.assumed))
    said = result(f)
    if said not in ("yes", "no") and f.verdict not in ("undecided", "supported", "vacuous"):
        lines += _line("result", said)
    if f.derived:
        lines += _line("derived", _cut(say.derived(f.derived)))
    if f.condition:
        holds = say.condition(f.condition)
        lines += _line("holds", f"exactly when {holds}" if f.verdict == "conditional" else f"with {holds}")
    if f.holds:
        lines += _line("holds", f"for {f.holds}")
    if f.witness:
        lines += _witness(f.witness)
    if f.ratio:
        lines += _line("factor", f"{'claimed/derived' if f.derived else 'right/left'} = {say.ratio(f.ratio)}")
    if f.reason:
        lines += _line("because", say.reason(f))
    for note in f.notes:
        lines += _line("note", say.remark(note))
    if f.proof:
        lines += _line("argument", argument(f))
    if f.axioms:
        lines += _line("rests on", "; ".join(dict.fromkeys(a.lemma or f"{a.network}.{a.quantity}" for a in f.axioms)))
    if c.expect and c.expect != f.verdict:
        lines += _line("expected", f"{c.expect}, not {f.verdict}")
    for file in f.uses:
        lines += _line("uses", f"{file.path}, sha256 {file.sha256}", wrapped=False)
    if f.reproduce:
        lines += _line("reproduce", f.reproduce, wrapped=False)
    return lines


def _line(label: str, content: str, wrapped: bool = True) -> list[str]:
    indent = "  " + label.ljust(LABEL)
    if not wrapped:
        return [indent + " ".join(content.split())]
    return wrap(" ".join(content.split()), WIDTH, initial_indent=indent, subsequent_indent=" " * (LABEL + 2),
                break_long_words=False, break_on_hyphens=False) or [indent]


def _cut(content: str) -> str:
    return content if len(content) <= LONGEST else content[:LONGEST - 1] + "…"


def parameters_text(w: Witness) -> str:
    return ", ".join(f"{name} = {_number(x)}" for name, x in w.parameters.items())


def _number(x: Fraction) -> str:
    """Exactly, with long powers of ten as such."""
    text = exact_text(x)
    for one, pattern in (("10**", r"10{7,}"), ("10**-", r"1/10{7,}")):
        if re.fullmatch(pattern, text):
            return f"{one}{text.count('0')}"
    return text


def _witness(w: Witness) -> list[str]:
    from ..claims.found import BoundsUsed
    from . import verdicts as say
    lines = _line("witness", parameters_text(w)) if w.parameters else []
    for side, value, exact, expression in (("left ", w.left, w.exact[0], say.form(w.left_form)),
                                           (f"{w.relation} right", w.right, w.exact[1], say.form(w.right_form))):
        shown = value if exact else say.cut_off(value)
        if not exact and isinstance(w.note, BoundsUsed) and any(q in expression for q in w.note.quantities):
            shown = f"{'at least' if (w.relation in ('>', '>=')) == (side == 'left ') else 'at most'} {value}"
        lines += _line("", f"{side} {shown}" + (f" = {_cut(expression)}" if expression and expression != value else ""))
    if w.note:
        lines += _line("", say.witness_note(w.note))
    return lines


# --- JSON -------------------------------------------------------------------------------------------------------------

def as_json(findings: Sequence[Finding]) -> str:
    uses = dict.fromkeys(file for f in findings for file in f.uses)
    found: FindingsJson = {"schema": SCHEMA, "uses": [{"path": file.path, "sha256": file.sha256} for file in uses],
                           "findings": [_entry(f) for f in findings]}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _entry(f: Finding) -> FindingJson:
    from . import verdicts as say
    reason = "; ".join(x for x in (say.reason(f), *map(say.remark, f.notes)) if x) or None
    w = f.witness
    c = f.claim
    return {"id": c.id, "claim": f.plain or c.claim, "for": f.plain_for or c.domain or None, "states": c.states or None,
            "where": c.where or None, "source": c.source.id or None, "verdict": f.verdict, "assumed": list(f.assumed),
            "derived": say.derived(f.derived) or None,
            "ratio": None if f.ratio is None else say.ratio(f.ratio),
            "condition": None if f.condition is None else say.condition(f.condition),
            "witness": None if w is None else {
                "parameters": {k: exact_text(v) for k, v in w.parameters.items()}, "left": w.left, "relation": w.relation,
                "right": w.right, "left_expression": say.form(w.left_form) or None,
                "right_expression": say.form(w.right_form) or None, "note": say.witness_note(w.note) or None},
            "holds": f.holds, "argument": argument(f) if f.proof else None,
            "axioms": [{"network": a.network, "quantity": a.quantity, "lemma": a.lemma, "sha256": a.sha256}
                       for a in f.axioms],
            "reason": reason, "reproduce": f.reproduce}


# --- table of docs/papers.md ------------------------------------------------------------------------------------------

def tables(findings: Sequence[Finding]) -> str:
    """A Markdown table for each source: the verdicts in short, without derivations."""
    lines: list[str] = []
    source = None
    for f in findings:
        if f.claim.source != source:
            source = f.claim.source
            title = ": ".join(x for x in (source.id, source.title) if x) or "Claims"
            lines += ["", f"## {title}", "", "| id | stated | claim | verdict | |", "|---|---|---|---|---|"]
        c = f.claim
        stated = c.states + (f" ({c.standing})" if c.standing else "")
        claim = f"`{c.claim.strip()}`" + (f" for `{c.domain.strip()}`" if c.domain.strip() else "")
        lines.append("| " + " | ".join(_cell(x) for x in (c.id, stated, claim, f"**{f.verdict}**", short(f))) + " |")
    return "\n".join(lines).lstrip("\n") + "\n"


def short(f: Finding) -> str:
    """The one thing worth saying in a table."""
    from . import verdicts as say
    if f.verdict == "conditional" and f.condition:
        return ("" if f.condition.at_defaults else "exactly when ") + say.condition(f.condition)
    if f.verdict == "refuted" and f.witness:
        return f"{parameters_text(f.witness)}: left {cut(f.witness.left)}, right {cut(f.witness.right)}"
    if f.verdict == "proved":
        if f.reason:
            return say.reason(f)
        factor = say.ratio(f.ratio) if f.ratio else ""
        return f"factor {factor}" if factor and len(factor) < 60 else ""
    return say.reason(f)


def cut(x: str, keep: int = 12) -> str:
    """A printed number of which so many characters are kept; "…" says that digits are cut off, and its size stays."""
    match = _DECIMAL.fullmatch(x)
    if match is None or len(x) <= keep + 2:
        return x
    return x[:max(keep, match.end("whole") + 2)] + "…" + (match["exponent"] or "")


def _cell(content: str) -> str:
    return " ".join(content.split()).replace("|", "\\|")
