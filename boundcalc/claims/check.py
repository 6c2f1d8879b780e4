"""Deciding a claim: from its text to a finding. Every definite verdict is the checker's.

The text is put into plain grammar, the rows about its quantities are written, a search looks for a proof object, and what
the checker says of that object is the verdict. Whatever fails on the way is one finding, `undecided`.
"""

from __future__ import annotations

import json
import re
import shlex
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from ..checker.claims import Stated
from ..checker.domains import Domain, Extent, Precision, Undefined, rng
from ..checker.networks import digest
from ..checker.statements import Decision, Reject, read_values, stated_of
from ..checker.statements import check as checked
from ..checker.terms import Term, Unreadable, Work, put, show
from ..declarations.registry import in_claims, used_file
from ..errors import BoundcalcError, InvalidInput
from .axioms import Known, formula_of, network_row, table_for
from .found import BoundsUsed, DerivedBound, EpsBesideDelta, FreeLetter, Holds, NetworkError
from .language import read_claim, read_conditions
from .load import is_claim_file, one_line, report
from .mistakes import mistake
from .model import DIGITS, Axiom, Claim, Exists, Finding, Independent, Reading, Relation, UsedFile, Witness
from .plain import Plain, plain, relations
from .search import STEPS, Found, Search
from .trace import deciding, typed_labels
from .value import Variant

SCHEMA = "boundcalc-proof/1"
Telling = Callable[[str, int], None]  # what is being done, and how many ways were tried


def check(claim: Claim, seconds: float | None = None, steps: int = STEPS, progress: Telling | None = None) -> Finding:
    """The finding on one claim; InvalidInput if it cannot be read."""
    domain = plain(claim.domain, "for")
    texts = relations(plain(claim.claim))
    each = None if seconds is None else seconds / len(texts)
    parts = [_decided(claim, part, domain, each, steps, progress) for part in texts]
    if len(parts) == 1:
        return parts[0]
    verdicts = Counter(f.verdict for f in parts)
    if set(verdicts) == {"proved", "vacuous"}:          # both are true, and one of them says something
        parts = [f for f in parts if f.verdict == "proved"] + [f for f in parts if f.verdict == "vacuous"]
        return replace(parts[0], reason=("both relations hold",), plain=None, parts=tuple(parts))
    if verdicts["conditional"] + verdicts["proved"] + verdicts["vacuous"] < len(parts) or verdicts["conditional"] > 1:
        parts = [_fails(f) if f.verdict == "conditional" else f for f in parts]
    worst = min(
        parts, key=lambda f: ("refuted", "undecided", "supported", "conditional", "vacuous", "proved").index(f.verdict)
    )
    if worst.verdict == "proved":
        worst = replace(worst, reason=("both relations hold",), plain=None, parts=tuple(parts))
    return worst


def _fails(found: Finding) -> Finding:
    """A relation that holds on a part of the domain alone, refuted by the point at which it fails."""
    proof = {**(found.proof or {}), "verdict": "refuted"}
    proof["proof"] = proof["proof"]["out"]
    try:
        decision = recheck(proof)
    except InvalidInput:                                # the point lies in another case of the claim than of the condition
        return replace(found, verdict="undecided", condition=None, witness=None, proof=None, reason=(
            "it holds on a part of the domain only",))
    return replace(found, verdict=decision.verdict, condition=None, proof=proof, assumed=decision.assumed)


def check_text(claim: str, domain: str = "", *, timeout: float | None = None, progress: Telling | None = None) -> Finding:
    """The finding on a claim as one would type it: `check("max.heads <= 3", "n >= 2")`.

    After `timeout` seconds of CPU time the search for a proof ends, and the finding says so. `progress` is told what is
    being done, and how many ways were tried."""
    return check(one_line(claim, domain), timeout, progress=progress)


def safely(claim: Claim, seconds: float | None = None, steps: int = STEPS) -> Finding:
    """One crash is one finding."""
    try:
        return check(claim, seconds, steps)
    except InvalidInput:
        raise
    except (Exception, RecursionError) as problem:
        where = traceback.extract_tb(problem.__traceback__)[-1]
        reason = f"defect: {type(problem).__name__} in {where.name}, line {where.lineno}"
        return Finding(claim, reading_of(claim), "undecided", reason=(reason,), reproduce=command(claim))


def read(text: Plain, domain: Plain) -> Stated:
    """A claim as the checker reads it; InvalidInput with the place where it goes wrong."""
    try:
        return stated_of(text.text, domain.text)
    except Unreadable as problem:
        own = _fails_alone(text.text)
        within = text if own else domain
        raise mistake(within.typed, within.column(problem.column), problem.reason, field="claim" if own else "for") from None


def _fails_alone(text: str) -> bool:
    try:
        stated_of(text, "")
    except Unreadable:
        return True
    return False


def rows_for(text: Plain, stated: Stated) -> Known:
    """The rows about the quantities of a claim; InvalidInput, with its place, if a quantity does not exist."""
    try:
        return table_for(stated)
    except InvalidInput as problem:
        for q in stated.quantities.values():
            try:
                table_for(replace(stated, quantities={q.label: q}))
            except InvalidInput:
                name = re.search(rf"(?<![A-Za-z0-9_]){re.escape(q.name)}\s*[.\[]", text.text)
                raise mistake(text.typed, text.column(name.start() + 1 if name else 1),
                              re.sub(r"^At column [0-9]+: ", "", problem.problem).rstrip("."), problem.remedy) from None
        raise


def _decided(
    claim: Claim, text: Plain, domain: Plain, seconds: float | None, steps: int, progress: Telling | None
) -> Finding:
    stated = read(text, domain)
    table = rows_for(text, stated)
    search = Search(
        text.text, domain.text, table.rows, lambda q, at: network_row(q, at, stated.mentioned), steps, seconds, progress
    )
    found = search.run()
    uses = _uses(q.name for q in stated.quantities.values())
    reading = reading_of(claim)
    both = bool(stated.quantities) and {"eps", "delta"} <= stated.mentioned
    base = Finding(
        claim,
        reading,
        "undecided",
        uses=uses,
        reproduce=command(claim, uses),
        plain=text.text if _spaceless(text.text) != _spaceless(claim.claim) else None,
        plain_for=domain.text if _spaceless(domain.text) != _spaceless(claim.domain) else None,
        derived=_derived(search, found, typed_labels(reading)),
        notes=(EpsBesideDelta(),) if both else (),
    )
    if found.decision is None:
        return _undecided(base, search, found, table.problems)
    return _finding(base, search, found, found.decision)


def _spaceless(text: str) -> str:
    return "".join(text.split())


def _finding(base: Finding, search: Search, found: Found, decision: Decision) -> Finding:
    assert found.proof is not None
    axioms = tuple(Axiom(str(r["network"]), str(r["quantity"]), str(r.get("lemma", "")), digest(r)) for r in found.rows)
    data = {
        "schema": SCHEMA,
        "claim": search.claim,
        "for": search.conditions,
        "axioms": [dict(r) for r in found.rows],
        **json.loads(found.proof),
    }
    witness = _witness(search, decision, base.reading) if decision.verdict in ("refuted", "conditional") else None
    s = search.stated
    free = s.kind == "relation" and s.quantities and decision.verdict != "proved"
    letters = [x for x in ("C", "K") if free and x in s.silent]
    reason = _why_vacuous(json.loads(found.proof)) if decision.verdict == "vacuous" else None
    if decision.constant and reason is None:
        reason = f"with {decision.constant}"
    return replace(
        base,
        verdict=decision.verdict,
        condition=None if decision.condition is None else Holds(tuple(read_conditions(decision.condition))),
        witness=witness,
        assumed=decision.assumed,
        notes=(*base.notes, *map(FreeLetter, letters)),
        axioms=axioms,
        holds=found.holds if decision.verdict == "refuted" else None,
        reason=() if reason is None else (reason,),
        proof=data,
    )


def _why_vacuous(body: dict[str, Any]) -> str:
    return {
        "empty": "no parameters satisfy the conditions",
        "limit": "the limit is never taken",
        "alone": "there are no two points to compare",
        "infinite": "one side is infinite, so the claim says nothing",
        "constant": "true, and just as true for a network that returns a constant",
    }[body["proof"]["why"]]


def _undecided(base: Finding, search: Search, found: Found, problems: tuple[str, ...]) -> Finding:
    if found.undefined is not None:
        at = ", ".join(f"{x} = {v}" for x, v in found.undefined.items())
        return replace(base, reason=(f"one side is undefined at {at}",))
    if problems:
        return replace(base, reason=(problems[0],))
    if search.stated.quantities:
        return replace(
            base,
            reason=(
                found.reason
                if found.unfinished
                else "the rows that are known about its quantities prove it neither true nor false",
            ),
        )
    if found.unfinished:
        return replace(base, reason=(f"{found.reason}; no counterexample among {found.looked_at} points",))
    if not found.looked_at:
        return replace(base, reason=("neither a proof nor a counterexample was found",))
    reason = f"no proof was found; no counterexample among {found.looked_at} points"
    return replace(base, verdict="supported", reason=(reason,))


def _uses(names: Iterable[str]) -> tuple[UsedFile, ...]:
    return tuple(UsedFile(*found) for name in dict.fromkeys(names)
                 if (found := used_file(in_claims(name) or name)) is not None)


def command(claim: Claim, uses: tuple[UsedFile, ...] = ()) -> str:
    """What to type to decide the claim again."""
    # on one line, so that it can be copied from everywhere: a claim reads the same with other spaces
    text = " ".join(claim.claim.split())
    parts = ["boundcalc", "check", *(("--claim", text) if text.startswith("-") or is_claim_file(text) else (text,))]
    if claim.domain.strip():
        parts += ["--for", " ".join(claim.domain.split())]
    for file in uses:
        parts += file.options
    return shlex.join(parts)


# --- what is shown beside a verdict -----------------------------------------------------------------------------------


def reading_of(claim: Claim) -> Reading:
    """The claim for the reports, which set it as mathematics; what they cannot read stands there as it is typed."""
    try:
        parts = relations(plain(claim.claim))
        found = read_claim(parts[0].text, plain(claim.domain).text)
        return replace(found, understood=len(parts) == 1 and _faithful(parts[0].text, found))
    except (BoundcalcError, AssertionError):            # a letter that the formulas of the project do not know
        name = sp.Symbol("claim")
        return Reading(Relation(name, "==", name), (), understood=False)


def _faithful(text: str, reading: Reading) -> bool:
    """Whether every symbol stands in the formula as often as in the text: x/x would be set as 1."""
    statement = reading.statement
    body = statement.body if isinstance(statement, Exists) else statement
    sides = [body.left] if isinstance(body, Independent) else [body.left, body.right]
    set_ = Counter(s.name for side in sides for s in sp.preorder_traversal(side) if s.is_Symbol)
    text = re.sub(r"[A-Za-z][A-Za-z0-9_-]*(\[[^\]]*\])?\s*\.\s*[a-z_]+(\([^()]*\))?", "1", text.partition(" for ")[0])
    typed = Counter(re.findall(r"[A-Za-z][A-Za-z0-9_]*", text.partition(" as ")[0]))
    return all(set_[name] == typed[name] for name in reading.names if name in typed and not isinstance(body, Independent))


def _derived(search: Search, found: Found, typed: dict[str, str]) -> tuple[DerivedBound, ...]:
    """The rows by which it was decided; where it was not, what is known about the quantities."""
    signs = {"equal": "=", "upper": "<=", "lower": ">="}
    used = deciding(json.loads(found.proof)["proof"]) if found.proof is not None else []
    rows = [r for r in (*found.rows, *search.rows) if r["kind"] in signs and r.get("label") and not r.get("constant")]
    shown = [DerivedBound(typed.get(str(r["label"]), str(r["label"])), signs[r["kind"]], formula_of(r["formula"]),
                          str(r["lemma"]) if r["needed"] else "")
             for r in rows if found.proof is None or r["id"] in used]
    return tuple(dict.fromkeys(shown))[:4]


def _written(t: Term, typed: dict[str, str]) -> str:
    """A side as it is typed, with quantities as the claim calls them."""
    text = show(t)
    for label, name in typed.items():
        text = text.replace(label, name)
    return text


def _witness(search: Search, decision: Decision, reading: Reading) -> Witness | None:
    """The point of a refutation with both sides as numbers."""
    s = search.stated
    if s.kind != "relation" or not decision.points:
        return None
    values = read_values(dict(decision.points[0]))
    if any(v[0] != "n" for v in values.values()):
        return None
    at = {x: v[1] for x, v in values.items()}
    Work.begin()
    made = search.values_at(at, s.cases[0])
    if made is None:
        return None
    sides = []
    relation = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!="}[s.rel]
    for t, large in ((s.left, relation in (">", ">=", "!=")), (s.right, relation in ("<", "<="))):
        shown = _digits(put(t, made[1]), made[0], large)
        if shown is None:
            return None
        sides.append(shown)
    parameters = {x: Fraction(int(v.p), int(v.q)) for x, v in at.items()}
    inputs = _inputs(search)
    typed = typed_labels(reading)
    note: BoundsUsed | NetworkError | None = None
    if s.quantities:
        note = BoundsUsed(tuple(typed.get(q, q) for q in s.quantities))
    if inputs:
        note, parameters = inputs[0], {**parameters, **inputs[1]}
    return Witness(
        parameters, sides[0][0], sides[1][0], relation, note, _written(s.left, typed), _written(s.right, typed),
        (sides[0][1], sides[1][1])
    )


def _inputs(search: Search) -> tuple[NetworkError, dict[str, Fraction]] | None:
    row = next((r for r in search.extra.values() if any(
        q.quantity == "error" and q.label == r["label"] for q in search.stated.quantities.values())), None)
    if row is None or not search.inputs:
        return None
    names, q = row["file"]["inputs"], search.stated.quantities[row["label"]]
    options = dict(q.options)
    variant = Variant(q.name, options.get("route", ""), options.get("gate"), options.get("temperature"), options.get("grid"),
                      options.get("sentinels") == "yes")
    return NetworkError(variant, tuple(names)), {x: Fraction(v) for x, v in zip(names, search.inputs[0], strict=True)}


def _digits(t: Term, h: Domain, large: bool) -> tuple[str, bool] | None:
    """A value as decimals, and whether it is exact; of the larger side a lower bound, of the smaller one an upper bound."""
    if not h.box and t[0] != "n":
        from ..checker.forms import _number, form

        try:
            exact = _number(form(t, h))
            t = ("n", exact) if exact is not None else t
        except (Reject, Undefined):
            pass
    if t[0] == "n":
        return str(t[1]), True
    old, Precision.bits = Precision.bits, 200
    try:
        r = rng(t, h.but())
    except (Undefined, Reject):
        return None
    finally:
        Precision.bits = old
    assert isinstance(r, Extent)
    x = r.lo if large else r.hi
    if x is None:
        return None
    if r.lo == r.hi:
        return str(x), True
    from ..numbers.exact import decimal_down, decimal_up

    value = Fraction(int(x.p), int(x.q))
    away = (value < 0) == large                     # from 0, which is the safe direction
    size = (decimal_up if away else decimal_down)(abs(value), DIGITS)
    return "0" if value == 0 else f"-{size}" if value < 0 else size, False


# --- proof objects ----------------------------------------------------------------------------------------------------


def recheck(data: dict[str, Any]) -> Decision:
    """The checker's answer to a stored object: claim, conditions and rows are those of the file."""
    if data.get("schema") != SCHEMA:
        raise InvalidInput(f"This is no {SCHEMA}.", "Write one with check --proof-object F.json.")
    try:
        body = json.dumps({"verdict": data.get("verdict"), "proof": data.get("proof")}).encode()
        return checked(str(data.get("claim")), str(data.get("for")), body, data.get("axioms") or ())
    except Unreadable as problem:
        raise InvalidInput(f"The claim cannot be read: {problem}.", "Write the object again.") from None
    except Reject as problem:
        raise InvalidInput(f"The object is rejected: {problem}.", "It proves nothing.") from None


# --- many claims ------------------------------------------------------------------------------------------------------


def problem_of(claim: Claim, problem: InvalidInput) -> InvalidInput:
    """What is wrong with a claim, with its place in its file."""
    if not claim.file:
        return problem
    return InvalidInput(f"{claim.file}, line {claim.line}: {claim.id}: {problem.problem}", problem.remedy,
                        fault=problem.fault)


def read_all(claims: Iterable[Claim]) -> None:
    """Read every claim without deciding it; InvalidInput lists all problems at once."""
    problems = []
    for claim in claims:
        try:
            domain = plain(claim.domain, "for")
            for part in relations(plain(claim.claim)):
                rows_for(part, read(part, domain))
        except InvalidInput as problem:
            problems.append(problem_of(claim, problem))
        except BoundcalcError:
            continue
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise report([str(p) for p in problems])


def check_all(claims: Iterable[Claim]) -> list[Finding]:
    """Findings on all claims, or all problems of all claims at once."""
    listed = list(claims)
    read_all(listed)
    return [safely(claim) for claim in listed]
