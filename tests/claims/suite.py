"""The claims of known truth, and what a verdict on one of them is worth.

neighbours.jsonl has, for each of the eighteen ways in which verdicts were once unsound, at least twenty claims of its kind;
sample.jsonl has claims of all kinds. Every truth value was settled by hand or by another program (`settled` says how), never
by what this one answered, and against the semantics of docs/claims.md.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from boundcalc import InvalidInput
from boundcalc.claims.check import check
from boundcalc.claims.load import one_line
from boundcalc.claims.search import STEPS

from . import pointwise
from .pointwise import Undefined, Unsure, comparisons, points, region

HERE = Path(__file__).parent
CLASSES = range(1, 19)
DEFINITE = ("proved", "refuted", "conditional", "vacuous")

# what quantities are worth, worked out by hand (M = 1, d = 1; counts of the recipe from its layers)
FORMULAS = {
    "max[route=direct].heads": "1", "max[route=direct].layers": "1", "max[route=direct].tokens": "n",
    "max[route=direct].parameters": "n + 4",
    "max[route=tree,gate=silu].heads": "n - 1", "max[route=tree,gate=silu].layers": "ceil(log2(n))",
    "mult[route=recipe,gate=silu].layers": "m + 1", "mult[route=recipe,gate=silu].heads": "2*(m + 1)",
    "mult[route=recipe,gate=silu].tokens": "2", "mult[route=recipe,gate=silu].parameters": "19*m + 20",
    "mult[route=recipe,gate=silu].neurons": "0", "mult[route=recipe,gate=silu].relu_layers": "0",
    "mult[route=recipe,gate=ffn].parameters": "24*m + 10 + 2*0**m", "mult[route=recipe,gate=ffn].relu_layers": "m + 1",
    "silu.error": "W(1/e)/beta",
    # with arguments: the name of a function of pointwise, and what comes before the arguments
    "softmax.offmass": "offmass_(beta, ", "softmax.largest_weight": "largest_weight_(beta, ",
    "softmax.max_error": "max_error_(beta, ", "softmax.selection_beta": "selection_beta_(",
    "regions.layer": "layer_regions_(", "head.perturbation": "perturbation_(beta, ",
}


@dataclass(frozen=True)
class Row:
    """A claim and its truth: true, false, vacuous, refused, `undefined …`, `true exactly where …`, `true on a part …`."""

    claim: str
    domain: str
    truth: str
    kind: int = 0           # the class of unsoundness; 0: the sample

    @property
    def defined(self) -> bool:
        return not self.truth.startswith(("undefined", "refused"))


def formulas_of(row: Row) -> dict[str, str]:
    """The formulas that hold for a row: they are those of one copy on [−1, 1] and of a network without an asked accuracy."""
    named = set(re.findall(r"\w+", f"{row.claim} {row.domain}"))
    return {} if named & {"d", "eps", "delta"} or re.search(r"\bM == (?!1(,|$))", row.domain) else FORMULAS


def rows(name: str) -> list[Row]:
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [Row(r["claim"], r["for"], r["truth"], r.get("class", 0)) for r in found]


@dataclass(frozen=True)
class Answer:
    """What came back: a verdict, `refusal` or `defect`; a claim's finding is never lost by another's."""

    verdict: str
    condition: str = ""
    reason: str = ""
    witness: Mapping[str, Fraction] = field(default_factory=dict)
    seconds: float = 0.0


def answer(claim: str, domain: str, steps: int = STEPS) -> Answer:
    start = time.process_time()
    try:
        finding = check(one_line(claim, domain), steps=steps)
    except InvalidInput as problem:
        return Answer("refusal", reason=str(problem), seconds=time.process_time() - start)
    except Exception as problem:       # whatever it is, it is a defect, which the caller reports
        return Answer("defect", reason=repr(problem), seconds=time.process_time() - start)
    witness = dict(finding.witness.parameters) if finding.witness else {}
    condition, reason = "" if finding.condition is None else str(finding.condition), " ".join(map(str, finding.reason))
    return Answer(finding.verdict, condition, reason, witness, time.process_time() - start)


def judged(row: Row, found: Answer) -> str:
    """`right`, `open` (nothing is asserted), or a sentence that begins with `unsound` or `defect`."""
    verdict, truth = found.verdict, row.truth
    if verdict == "defect":
        return f"defect: {found.reason}"
    if verdict not in DEFINITE:
        if truth == "refused":
            return "right" if verdict == "refusal" else "open"
        if truth.startswith("undefined"):
            return "right" if verdict == "undecided" and "undefined" in found.reason else "open"
        return "open"
    if verdict == "conditional":
        return _condition(row, found.condition)
    expected = {"true": ("proved", "vacuous") if _may_be_vacuous(row) else ("proved",), "vacuous": ("vacuous",),
                "false": ("refuted",)}.get(truth, ("refuted",) if row.defined else ())
    return "right" if verdict in expected else f"unsound: {verdict}, but {truth}"


def _may_be_vacuous(row: Row) -> bool:
    """A true claim may be vacuous by a constant network, a constant or `inf`; else `vacuous` says: an empty domain."""
    return "exists" in row.claim or pointwise.QUANTITY.search(row.claim) is not None or "inf" in row.claim


def _condition(row: Row, condition: str) -> str:
    """A condition is right if the claim holds exactly where it does, and both parts have a point."""
    if not row.defined or row.truth in ("true", "vacuous"):
        return f"unsound: conditional, but {row.truth}"
    named = row.truth.removeprefix("true exactly where ")
    condition = re.sub(r"\s*\(= [^)]*\)$", "", condition)         # a decimal for the reader
    if condition.replace(" ", "") == named.replace(" ", ""):
        return "right"
    try:
        agreed = _agreement(row, condition)
    except (Unsure, SyntaxError) as problem:
        return f"unsound: the condition {condition} cannot be judged ({problem}); say in the row where the claim is true"
    return "right" if agreed is None else f"unsound: the condition {condition} is wrong at {agreed}"


def _agreement(row: Row, condition: str) -> dict[str, object] | str | None:
    claims, where = comparisons(row.claim, formulas_of(row)), comparisons(condition)
    seen = set()
    for point in points(region(row.domain, [*claims, *where]), 400, random.Random(7)):
        try:
            holds = all(c.at(point) for c in claims)
        except Undefined:
            return {**point}
        except Unsure:
            continue
        try:
            inside = all(c.at(point) for c in where)
        except Undefined:
            return {**point}
        except Unsure:
            continue
        if holds != inside:
            return {**point}
        seen.add(holds)
    return None if seen == {True, False} else "one of its sides, which has no point"


@dataclass(frozen=True)
class Result:
    row: Row
    found: Answer
    judgement: str


def results(chosen: Iterable[Row], steps: int = STEPS) -> list[Result]:
    found = []
    for row in chosen:
        got = answer(row.claim, row.domain, steps)
        found.append(Result(row, got, judged(row, got)))
    return found


def share_decided(found: Iterable[Result]) -> float:
    """Of the claims that are defined everywhere, how many were decided rightly."""
    counted = [r for r in found if r.row.defined]
    return sum(r.judgement == "right" for r in counted) / len(counted)
