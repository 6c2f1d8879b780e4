"""The whole attack on `check`, by hand: python -m tests.claims.attack --polynomials 2000 --transcendental 2000 …

Counts go to standard output and, with -o, to a file. What is unsound is printed in full, at once.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from boundcalc.claims.check import read_all
from boundcalc.claims.model import Claim
from boundcalc.claims.search import STEPS
from boundcalc.errors import InvalidInput

from . import hostile
from .oracles import judged_by_points, judged_by_z3, polynomial_claim, transcendental_claim
from .pointwise import Unsure
from .suite import answer, results, rows

SECONDS_TO_READ = 1.0
DEFINED = ("true", "false", "no failure")       # what oracles say about claims that are defined everywhere


def counted(kind: str, outcomes: Iterator[tuple[str, str, str]], undecided: bool = False) -> dict[str, object]:
    """Counts of (what the oracle says, what the answer is worth); what is wrong is printed as it is found."""
    counts: Counter[tuple[str, str]] = Counter()
    for truth, worth, text in outcomes:
        short = worth.split(":")[0]
        counts[truth, short] += 1
        if short not in ("right", "open") or (undecided and short == "open"):
            print(f"{kind}: {worth}\n    {text}", flush=True)
    both = {f"{truth.split()[0]}, {worth}": n for (truth, worth), n in sorted(counts.items())}
    defined = [(worth, n) for (truth, worth), n in counts.items() if truth in DEFINED]
    right, total = sum(n for worth, n in defined if worth == "right"), sum(n for _, n in defined)
    return {"kind": kind, "counts": both, "decided": f"{right}/{total}"}


def polynomials(count: int, first: int, steps: int = STEPS) -> Iterator[tuple[str, str, str]]:
    for seed in range(first, first + count):
        claim, domain = polynomial_claim(seed)
        try:
            truth, worth = judged_by_z3(claim, domain, answer(claim, domain, steps))
        except Unsure:
            truth, worth = "unknown", "open"
        yield truth, worth, f"{claim} for {domain}"


def transcendental(count: int, first: int, steps: int = STEPS) -> Iterator[tuple[str, str, str]]:
    for seed in range(first, first + count):
        claim, domain = transcendental_claim(seed)
        yield *judged_by_points(claim, domain, answer(claim, domain, steps)), f"{claim} for {domain}"


def known(name: str) -> Callable[[int, int, int], Iterator[tuple[str, str, str]]]:
    def outcomes(count: int, first: int, steps: int = STEPS) -> Iterator[tuple[str, str, str]]:
        for row in rows(name)[first:first + count]:
            result, = results([row], steps)
            truth = row.truth.split()[0] if not row.truth.startswith("true ") else "false"
            yield truth, result.judgement, f"[{row.kind}] {row.claim} for {row.domain}"
    return outcomes


def reading(text: str) -> str:
    """`read`, `refused`, or what is wrong with the way in which a text was answered."""
    gc.disable()                        # looking through what thousands of tests have left is no time of the reader
    start = time.process_time()
    try:
        read_all([Claim(text, "c")])
        outcome = "read"
    except InvalidInput as problem:
        placed = re.search(r"column \d+", problem.problem) and problem.remedy
        outcome = "refused" if placed else f"defect: no position or reason: {problem}"
    except Exception as problem:        # the very thing that is looked for
        outcome = f"defect: {problem!r}"
    seconds = time.process_time() - start
    gc.enable()
    return outcome if seconds < SECONDS_TO_READ else f"defect: {seconds:.1f} s"


def strings(count: int, first: int, steps: int = STEPS) -> Iterator[tuple[str, str, str]]:
    for seed in range(first, first + count):
        text = hostile.text(seed)
        outcome = reading(text)
        yield "string", "right" if outcome in ("read", "refused") else outcome, repr(text[:300])


ATTACKS: dict[str, Callable[..., Iterator[tuple[str, str, str]]]] = {
    "neighbours": known("neighbours"), "sample": known("sample"), "polynomials": polynomials,
    "transcendental": transcendental, "strings": strings}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ATTACKS:
        parser.add_argument(f"--{name}", type=int, default=0, metavar="COUNT")
    parser.add_argument("--first", type=int, default=0, help="the first seed or row")
    parser.add_argument("--steps", type=int, default=STEPS, help="of a search")
    parser.add_argument("--open", action="store_true", help="print what stays open, too")
    parser.add_argument("-o", "--output", type=Path, help="add the counts to this file, one JSON object a line")
    given = parser.parse_args(arguments)
    wrong = 0
    for name, outcomes in ATTACKS.items():
        count = getattr(given, name)
        if not count:
            continue
        start = time.process_time()
        record = {**counted(name, outcomes(count, given.first, given.steps), given.open), "first": given.first,
                  "count": count, "steps": given.steps}
        record["seconds"] = round(time.process_time() - start)
        wrong += sum(n for k, n in record["counts"].items() if k.split(", ")[1] not in ("right", "open"))
        line = json.dumps(record, ensure_ascii=False)
        print(line, flush=True)
        if given.output:
            with given.output.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
