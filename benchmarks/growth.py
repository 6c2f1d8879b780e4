"""What derivation, weights and verification cost as networks grow: python benchmarks/growth.py [--rows PATTERN] [--write]

Every construction × route × gate at ε = 10^(−2), 10^(−4), 10^(−6), 10^(−9); CPU seconds in a process of its own for each
row, so that nothing is warm. Networks of more than 10^6 entries are certified for the family where that can be. --write puts
the table into docs/scaling.md. A row is given up after LIMIT seconds; what is not certified is listed with its reason.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ACCURACIES = ("1e-2", "1e-4", "1e-6", "1e-9")
LIMIT = 120             # seconds a row
MOST_ENTRIES = 10**6    # that are written out
PAGE = Path(__file__).parent.parent / "docs" / "scaling.md"
START, END = "<!-- table: benchmarks/growth.py --write -->", "<!-- end of table -->"
OWN: dict[str, dict[str, object]] = {"recip": {"range": ("1/10", "1")}, "clip": {"range": ("0", "1")}, "max": {"n": 8},
                                     "min": {"n": 8}}


@dataclass(frozen=True)
class Row:
    """One network; times are CPU seconds, None where a part was not reached."""

    command: str
    family: str
    eps: str
    derivation: float | None = None
    weights: float | None = None
    verification: float | None = None
    entries: int | None = None
    pieces: float | None = None
    certified_observed: float | None = None
    certified_eps: float | None = None
    of: str = ""
    reason: str = ""


def rows() -> Iterator[tuple[str, str, str | None, str]]:
    from boundcalc.declarations.registry import construction, names
    from boundcalc.gates import GATES
    for name in names():
        for route in construction(name).routes:
            for gate in GATES if route.gated else (None,):
                for eps in ACCURACIES:
                    yield name, route.name, gate, eps


def measured(name: str, route: str, gate: str | None, eps: str) -> Row:
    """One row, in this process."""
    from boundcalc.errors import BoundcalcError
    from boundcalc.networks.file import chunks
    from boundcalc.results.bound import bound
    from boundcalc.verify.verification import verify
    how = f"{name} --route {route}" + (f" --gate {gate}" if gate else "")
    row = asdict(Row(f"{how} --eps {eps}", how, eps))
    start = time.process_time()
    try:
        b = bound(name, route=route, gate=gate, eps=eps, **OWN.get(name, {}))   # type: ignore[arg-type]
        row["entries"] = int(b.resources["parameters"].exact or 0)
        row["pieces"] = next((float(b.values[k]) for k in ("p", "N", "H", "m") if k in b.values), None)
        derived = time.process_time()
        row["derivation"] = derived - start
        if row["entries"] <= MOST_ENTRIES:
            for _ in chunks(b.families):
                pass
            row["weights"] = time.process_time() - derived
        before = time.process_time()
        v = verify(b)
        row["verification"] = time.process_time() - before
        row["reason"] = "" if v.holds else str(v.reason or "a point is above ε")
        if v.proved is not None:
            row["of"] = v.proved.of
            row["certified_eps"] = float(v.proved.error / b.values["eps"])
            row["certified_observed"] = None if v.tightness is None else float(v.tightness)
    except BoundcalcError as problem:
        row["reason"] = str(problem).splitlines()[0]
    return Row(**row)


def in_a_process(name: str, route: str, gate: str | None, eps: str) -> Row:
    how = f"{name} --route {route}" + (f" --gate {gate}" if gate else "")
    command = [sys.executable, __file__, "--one", json.dumps([name, route, gate, eps])]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True)
    except subprocess.TimeoutExpired:
        return Row(f"{how} --eps {eps}", how, eps, reason=f"no answer in {LIMIT} s")
    except subprocess.CalledProcessError as problem:
        return Row(f"{how} --eps {eps}", how, eps, reason=problem.stderr.strip().splitlines()[-1])
    return Row(**json.loads(found.stdout))


def fitted(found: list[Row]) -> list[str]:
    """Exponents of the time of verification in the size (p, N, H or m), where it grows by more than tenfold."""
    lines = []
    for family in dict.fromkeys(r.family for r in found):
        own = [(r.pieces, r.verification) for r in found if r.family == family and r.pieces and r.verification]
        if len(own) >= 2 and own[-1][0] > 10 * own[0][0]:
            (a, s), (b, t) = own[-2], own[-1]
            lines.append(f"{family}: time ∝ size^{math.log(t / s) / math.log(b / a):.2f} from {a:.0f} to {b:.0f}")
    return lines


def table(found: list[Row]) -> str:
    def shown(x: float | None, digits: int) -> str:
        return "" if x is None else f"{x:.{digits}f}"

    lines = ["| network | entries | derivation s | weights s | verification s | certified/observed | certified/ε | of |",
             "|---|---|---|---|---|---|---|---|"]
    for r in found:
        if r.derivation is not None:
            cells = [f"`{r.command}`", str(r.entries), *(shown(x, 2) for x in (r.derivation, r.weights, r.verification)),
                     *(shown(x, 6) for x in (r.certified_observed, r.certified_eps)), r.of]
            lines.append(f"| {' | '.join(cells)} |")
    late = "no answer"
    slow = [f"- `{r.command}`: {r.reason}" for r in found if r.reason and (r.derivation is not None or late in r.reason)]
    refused = sorted({f"- {r.family}: {r.reason}" for r in found if r.derivation is None and late not in r.reason})
    return "\n".join([*lines, "", "Growth:", "", *(f"- {line}" for line in fitted(found)), "",
                      "Not certified, or not in time:", "", *(slow or ["- none"]), "",
                      "Networks that there are not:", "", *(refused or ["- none"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=".*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(asdict(measured(*json.loads(given.one)))))
        return
    found = []
    for name, route, gate, eps in rows():
        label = f"{name} --route {route} --gate {gate} --eps {eps}"
        if re.search(given.rows, label):
            found.append(in_a_process(name, route, gate, eps))
            print(found[-1].command, found[-1].verification, found[-1].reason, file=sys.stderr, flush=True)
    text = table(found)
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page[:page.index(START) + len(START)] + "\n\n" + text + "\n\n" + page[page.index(END):],
                        encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
