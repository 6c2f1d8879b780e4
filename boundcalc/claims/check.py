"""Deciding a claim: from its text to a finding.

The order is the same for every claim: read, find what its quantities are worth, look for a plain counterexample, try to
prove, look harder, and say honestly what is left. A claim over several cases (finite sets, a network that has another
structure without levels) is proved if it is in every case, and refuted if it is in one.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..errors import InvalidInput
from .cases import Branch, cases_of
from .decide_exists import decide_exists
from .decide_growth import decide_growth
from .decide_independent import decide_independent
from .decide_relation import decide_relation
from .language import read_claim
from .load import one_line, report
from .model import Claim, Exists, Finding, Growth, Independent, Reading, Relation, Statement
from .outcome import Outcome, combined
from .quantities import Unresolved


def check(claim: Claim) -> Finding:
    """The finding on one claim; InvalidInput if it cannot be read."""
    reading = read_claim(claim.claim, claim.domain)
    try:
        outcome = _decide(reading)
        if outcome.verdict == "refuted" and outcome.defaults_matter:
            outcome = _with_defaults(reading, outcome)
    except Unresolved as problem:
        outcome = Outcome("undecided", reason=f"{problem.problem} {problem.remedy}".strip())
    return finding_of(claim, outcome)


def check_text(claim: str, domain: str = "") -> Finding:
    """The finding on a claim as one would type it: `check("max.heads <= 3", "n >= 2")`."""
    return check(one_line(claim, domain))


def finding_of(claim: Claim, outcome: Outcome) -> Finding:
    return Finding(claim, outcome.verdict, outcome.derived, outcome.ratio, outcome.condition, outcome.witness,
                   outcome.tactic, outcome.reason, command(claim), outcome.notes)


def command(claim: Claim) -> str:
    """What to type to decide the claim again."""
    # on one line, so that it can be copied from everywhere: a claim reads the same with other spaces
    parts = ["boundcalc", "check", "--claim", " ".join(claim.claim.split())]
    if claim.domain.strip():
        parts += ["--for", " ".join(claim.domain.split())]
    return shlex.join(parts)


def _decide(reading: Reading, at_defaults: bool = False) -> Outcome:
    cases, notes = cases_of(reading, at_defaults)
    if not cases:
        return Outcome("vacuous", reason="no parameters satisfy the conditions", tactic="empty domain")
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


def _with_defaults(reading: Reading, outcome: Outcome) -> Outcome:
    """A parameter that the claim writes but `for` does not mention: the claim may have meant its default."""
    at_defaults = _decide(reading, at_defaults=True)
    if at_defaults.verdict != "proved":
        return outcome
    shown = ", ".join(outcome.defaults_matter)
    return replace(outcome, verdict="conditional", condition=outcome.condition or f"at the defaults {shown}",
                   tactic=at_defaults.tactic,
                   reason=f"true at the defaults {shown}, but the claim writes them itself and is false for other values")


def problem_of(claim: Claim, problem: InvalidInput) -> InvalidInput:
    """What is wrong with a claim, with its place in its file."""
    if not claim.file:
        return problem
    return InvalidInput(f"{claim.file}, line {claim.line}: {claim.id}: {problem.problem}", problem.remedy)


def read_all(claims: Iterable[Claim]) -> None:
    """Read every claim without deciding it; InvalidInput lists all problems at once."""
    problems = []
    for claim in claims:
        try:
            reading = read_claim(claim.claim, claim.domain)
            cases_of(reading)
        except Unresolved:
            continue
        except InvalidInput as problem:
            problems.append(problem_of(claim, problem))
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise report([str(p) for p in problems])


def check_all(claims: Iterable[Claim]) -> list[Finding]:
    """Findings on all claims, or all problems of all claims at once."""
    listed = list(claims)
    read_all(listed)
    return [check(claim) for claim in listed]
