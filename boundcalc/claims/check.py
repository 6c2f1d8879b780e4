"""Deciding a claim: from its text to a finding.

The order is the same for every claim: read, find what its quantities are worth, look for a plain counterexample, try to
prove, look harder, and say honestly what is left. A claim over several cases (finite sets, a network that has another
structure without levels) is proved if it is in every case, and refuted if it is in one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ..declarations.registry import used_file
from ..errors import InvalidInput
from .cases import Branch, Cases, cases_of, resolve
from .decide_exists import decide_exists
from .decide_growth import decide_growth
from .decide_independent import decide_independent
from .decide_relation import decide_relation
from .found import FromFile, Holds
from .language import claim_symbol, read_claim
from .load import one_line, report
from .model import Claim, Condition, Exists, Finding, Growth, Independent, Reading, Relation, Statement
from .outcome import Outcome, combined
from .quantities import Unresolved
from .value import Resolved


@dataclass(frozen=True)
class Prepared:
    """A claim that was read, its quantities resolved: with its cases, or with why there are none."""

    claim: Claim
    reading: Reading
    resolved: tuple[Resolved, ...]
    cases: Cases | Unresolved


def prepare(claim: Claim) -> Prepared:
    """Read a claim without deciding it; InvalidInput if that cannot be done."""
    reading = read_claim(claim.claim, claim.domain)
    resolved: tuple[Resolved, ...] = ()
    try:
        resolved = resolve(reading)
        return Prepared(claim, reading, resolved, cases_of(reading, resolved))
    except Unresolved as problem:
        return Prepared(claim, reading, resolved, problem)


def decide(prepared: Prepared) -> Finding:
    """The finding on a claim that was read."""
    claim, reading = prepared.claim, prepared.reading
    try:
        if isinstance(prepared.cases, Unresolved):
            raise prepared.cases
        outcome = _decide(reading, prepared.cases)
        if outcome.verdict == "refuted" and outcome.defaults_matter:
            outcome = _with_defaults(prepared, outcome)
    except Unresolved as problem:
        outcome = Outcome("undecided", reason=(f"{problem.problem} {problem.remedy}".strip(),))
    files = tuple(FromFile(name, *found) for name in dict.fromkeys(q.name for q in reading.quantities)
                  if (found := used_file(name)) is not None)
    return Finding(claim, reading, outcome.verdict, outcome.derived, outcome.ratio, outcome.condition, outcome.witness,
                   outcome.tactics, outcome.reason, command(claim, files), (*outcome.notes, *files))


def check(claim: Claim) -> Finding:
    """The finding on one claim; InvalidInput if it cannot be read."""
    return decide(prepare(claim))


def check_text(claim: str, domain: str = "") -> Finding:
    """The finding on a claim as one would type it: `check("max.heads <= 3", "n >= 2")`."""
    return check(one_line(claim, domain))


def command(claim: Claim, files: Sequence[FromFile] = ()) -> str:
    """What to type to decide the claim again."""
    # on one line, so that it can be copied from everywhere: a claim reads the same with other spaces
    parts = ["boundcalc", "check", "--claim", " ".join(claim.claim.split())]
    if claim.domain.strip():
        parts += ["--for", " ".join(claim.domain.split())]
    for file in files:
        parts += ["--use", file.path]
    return shlex.join(parts)


def _decide(reading: Reading, found_cases: Cases) -> Outcome:
    cases, notes = found_cases
    if not cases:
        return Outcome("vacuous", reason=("no parameters satisfy the conditions",), tactics=("empty domain",))
    decide = _decider(reading.statement)
    outcomes = []
    for case in cases:
        outcome = decide(case)
        outcomes.append(outcome)
        if outcome.verdict == "refuted":
            break
    found = combined(outcomes, len(cases))
    return replace(found, notes=(*notes, *found.notes))


def _decider(statement: Statement) -> Callable[[Branch], Outcome]:
    match statement:
        case Relation():
            return lambda case: decide_relation(statement, case)
        case Growth():
            return lambda case: decide_growth(statement, case)
        case Independent():
            return lambda case: decide_independent(statement, case)
        case Exists():
            return lambda case: decide_exists(statement, case)
    raise AssertionError(statement)


def _with_defaults(prepared: Prepared, outcome: Outcome) -> Outcome:
    """A parameter that the claim writes but `for` does not mention: the claim may have meant its default."""
    reading = prepared.reading
    at_defaults = _decide(reading, cases_of(reading, prepared.resolved, at_defaults=True))
    if at_defaults.verdict != "proved":
        return outcome
    values = ((claim_symbol(name), sp.Rational(x.numerator, x.denominator)) for name, x in outcome.defaults_matter)
    defaults = Holds(tuple(Condition(s, "==", x) for s, x in values), at_defaults=True)
    return replace(outcome, verdict="conditional", condition=outcome.condition or defaults, tactics=at_defaults.tactics,
                   reason=("true ", defaults, ", but the claim writes them itself and is false for other values"))


def problem_of(claim: Claim, problem: InvalidInput) -> InvalidInput:
    """What is wrong with a claim, with its place in its file."""
    if not claim.file:
        return problem
    return InvalidInput(f"{claim.file}, line {claim.line}: {claim.id}: {problem.problem}", problem.remedy)


def read_all(claims: Iterable[Claim]) -> list[Prepared]:
    """Every claim, read and not yet decided; InvalidInput lists all problems at once."""
    found, problems = [], []
    for claim in claims:
        try:
            found.append(prepare(claim))
        except InvalidInput as problem:
            problems.append(problem_of(claim, problem))
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise report([str(p) for p in problems])
    return found


def check_all(claims: Iterable[Claim]) -> list[Finding]:
    """Findings on all claims, or all problems of all claims at once."""
    return [decide(prepared) for prepared in read_all(claims)]
