"""What derivation, weights and verification cost as networks grow: python benchmarks/growth.py [--rows PATTERN] [--write]

Every construction × route × gate at ε = 10^(−2), 10^(−4), 10^(−6), 10^(−9); CPU seconds in a process of its own for each
row, so that nothing is warm. Networks of more than 10^6 entries are certified for the family where that can be. A row gets
the time that `verify` has by default, or what PATIENCE says. --rows takes some rows only, and --missing those that are not
in the store; what was measured is kept in growth.json beside this file, row by row, so that a table can be made in several
sittings. --write puts the table of all stored rows into docs/scaling.md, and --table only writes it, without measuring.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ACCURACIES = ("1e-2", "1e-4", "1e-6", "1e-9")
TIMEOUT = 60            # CPU seconds of a verification: the default of the command
PATIENCE = {"recip --route recipe --gate silu --eps 1e-9": 300}     # rows with another --timeout
BESIDE = 120            # CPU seconds for everything else
MEMORY = 4 * 2**30      # bytes of a row
MOST_ENTRIES = 10**6    # that are written out
SIZES = ("H", "p", "N", "m")    # what is called the size of a network: the first that it has
NEAR = 1.01             # certified/observed that is asked for
PAGE = Path(__file__).parent.parent / "docs" / "scaling.md"
STORE = Path(__file__).with_suffix(".json")
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
    size: str = ""                  # which symbol `pieces` is the value of
    certified_observed: float | None = None
    certified_eps: float | None = None
    of: str = ""
    reason: str = ""
    load: float | None = None       # of the machine while it ran, per core


def rows() -> Iterator[tuple[str, str, str | None, str]]:
    from boundcalc.declarations.registry import construction, names
    from boundcalc.gates import GATES
    for name in names():
        for route in construction(name).routes:
            for gate in GATES if route.gated else (None,):
                for eps in ACCURACIES:
                    yield name, route.name, gate, eps


def labelled(name: str, route: str, gate: str | None) -> str:
    return f"{name} --route {route}" + (f" --gate {gate}" if gate else "")


def measured(name: str, route: str, gate: str | None, eps: str) -> Row:
    """One row, in this process."""
    from boundcalc.errors import BoundcalcError
    from boundcalc.networks.file import chunks
    from boundcalc.results.bound import bound
    from boundcalc.verify.verification import verify
    how = labelled(name, route, gate)
    command = f"{how} --eps {eps}"
    timeout = PATIENCE.get(command, TIMEOUT)
    resource.setrlimit(resource.RLIMIT_CPU, (timeout + BESIDE, timeout + BESIDE))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    row = asdict(Row(command, how, eps))
    start = time.process_time()
    try:
        b = bound(name, route=route, gate=gate, eps=eps, **OWN.get(name, {}))   # type: ignore[arg-type]
        row["entries"] = int(b.resources["parameters"].exact or 0)
        row["size"] = next((k for k in SIZES if k in b.values), "")
        row["pieces"] = float(b.values[row["size"]]) if row["size"] else None
        derived = time.process_time()
        row["derivation"] = derived - start
        if row["entries"] <= MOST_ENTRIES:
            for _ in chunks(b.families):
                pass
            row["weights"] = time.process_time() - derived
        before = time.process_time()
        v = verify(b, timeout=timeout)
        row["verification"] = time.process_time() - before
        row["reason"] = "" if v.holds else str(v.reason or "a point is above ε")
        if v.proved is not None:
            row["of"] = v.proved.of
            row["certified_eps"] = float(v.proved.error / b.values["eps"])
            row["certified_observed"] = None if v.tightness is None else float(v.tightness)
    except BoundcalcError as problem:
        row["reason"] = str(problem).splitlines()[0]
    except MemoryError:
        row["reason"] = "more memory than there is"
    row["load"] = os.getloadavg()[0] / (os.cpu_count() or 1)
    return Row(**row)


def in_a_process(name: str, route: str, gate: str | None, eps: str) -> Row:
    how = labelled(name, route, gate)
    command = [sys.executable, __file__, "--one", json.dumps([name, route, gate, eps])]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode < 0:
        return Row(f"{how} --eps {eps}", how, eps, reason=f"no answer in {TIMEOUT + BESIDE} s")
    if found.returncode:
        return Row(f"{how} --eps {eps}", how, eps, reason=found.stderr.strip().splitlines()[-1])
    return Row(**json.loads(found.stdout))


def stored() -> dict[str, Row]:
    return {key: Row(**row) for key, row in json.loads(STORE.read_text())["rows"].items()} if STORE.exists() else {}


def store(found: dict[str, Row]) -> None:
    """In the order of the rows; rows of constructions that are no more are dropped."""
    order = [f"{labelled(name, route, gate)} --eps {eps}" for name, route, gate, eps in rows()]
    text = json.dumps({"rows": {key: asdict(found[key]) for key in order if key in found}}, indent=1)
    STORE.write_text(text + "\n", encoding="utf-8")


def fitted(found: list[Row]) -> list[str]:
    """Exponents of the time of verification in the size, from the last two certified rows that were read alike (from a file
    or from a family), where the size grows by more than tenfold."""
    lines = []
    for family, of in dict.fromkeys((r.family, r.of) for r in found):
        own = [(r.pieces, r.verification, r.size) for r in found
               if (r.family, r.of) == (family, of) and r.pieces and r.verification and not r.reason]
        if len(own) >= 2 and own[-1][0] > 10 * own[-2][0]:
            (a, s, _), (b, t, size) = own[-2], own[-1]
            lines.append(f"{family}, {of}: time ∝ {size}^{math.log(t / s) / math.log(b / a):.2f} from {a:.0f} to {b:.0f}")
    return lines


def table(found: list[Row]) -> str:
    def shown(x: float | None, digits: int) -> str:
        return "" if x is None else f"{x:.{digits}f}"

    lines = ["| network | entries | derivation s | weights s | verification s | certified/observed | certified/ε | of |",
             "|---|---|---|---|---|---|---|---|"]
    for r in found:
        if r.derivation is not None:
            tight = "exact" if r.certified_eps == 0 else shown(r.certified_observed, 6)
            cells = [f"`{r.command}`", str(r.entries), *(shown(x, 2) for x in (r.derivation, r.weights, r.verification)),
                     tight, shown(r.certified_eps, 6), r.of]
            lines.append(f"| {' | '.join(cells)} |")
    late = "no answer"
    slow = [f"- `{r.command}` ({r.entries or 'unknown'} entries): {r.reason}"
            for r in found if r.reason and (r.derivation is not None or late in r.reason)]
    loose = [f"- `{r.command}` ({r.entries} entries): {r.certified_observed:.4f}"
             + (f"; it is asked for up to {MOST_ENTRIES} entries" if (r.entries or 0) > MOST_ENTRIES else "")
             for r in found if (r.certified_observed or 0) > NEAR]
    unmeasured = [f"- `{labelled(name, route, gate)} --eps {eps}`" for name, route, gate, eps in rows()
                  if f"{labelled(name, route, gate)} --eps {eps}" not in {r.command for r in found}]
    loads = sorted(r.load for r in found if r.load is not None)
    machine = [f"While these rows were measured the load was {loads[0]:.1f} to {loads[-1]:.1f} processes per core, which "
               "makes CPU times higher than on an idle machine.", ""] if loads else []
    refused = sorted({f"- {r.family}: {r.reason}" for r in found if r.derivation is None and late not in r.reason})
    return "\n".join([*machine, *lines, "", "Growth:", "", *(f"- {line}" for line in fitted(found)), "",
                      "Not certified, or not in time:", "", *(slow or ["- none"]), "",
                      f"Certified, but with certified/observed above {NEAR}:", "", *(loose or ["- none"]), "",
                      "Not measured:", "", *(unmeasured or ["- none"]), "",
                      "Networks that there are not:", "", *(refused or ["- none"])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default=".*")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(asdict(measured(*json.loads(given.one)))))
        return
    found = stored()
    for name, route, gate, eps in () if given.table else rows():
        label = f"{labelled(name, route, gate)} --eps {eps}"
        if re.search(given.rows, label) and not (given.missing and label in found):
            row = in_a_process(name, route, gate, eps)
            print(label, row.verification, row.certified_observed, row.reason, file=sys.stderr, flush=True)
            found = {**stored(), label: row}
            store(found)
    text = table(list(found.values()))
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(page[:page.index(START) + len(START)] + "\n\n" + text + "\n\n" + page[page.index(END):],
                        encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
