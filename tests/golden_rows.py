"""Hashes of every output: a change that is to change no result is seen to change none.

`golden/hashes/*.json` beside this file holds command lines as lists of arguments, and for each of them a hash of every
leaf of what it writes:

    rows-NAME.json   bounds of one construction: their JSON, with dimensions, and every matrix of the network
    shows.json       `show` for every construction, route, gate, temperature and grid; `list`
    papers.json      `check --papers`, per claim
    verify.json      the errors, points and proofs of some networks
    texts.json       text, Markdown, LaTeX and HTML, per line
    shapes.json      what the documents look like: with it hashes are told apart by their paths

    python -m tests.golden_rows                      compare all; every difference is a line `row: path: new value`
    python -m tests.golden_rows --rows mult.*anchor  only the rows that match
    python -m tests.golden_rows --sample 15          every 15th row
    python -m tests.golden_rows --regenerate         write the files anew

Old values are not kept: to see one, run the command (which is the row's name) at the commit before. A new row is a line
{"arguments": [...]} in one of the files, and --regenerate. Only the command line of the program is used here, nothing
of its inside, and the rows are those of the files, whatever becomes of other tables.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import json
import multiprocessing
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundcalc.cli.main import main as program

FOLDER = Path(__file__).parent / "golden" / "hashes"
SHAPES = "shapes"
DIGITS = 8                  # hexadecimal digits of a hash
LARGE = 20_000              # entries: larger networks are not written out
MOST_LINES = 200            # differences printed
MOST_CHARACTERS = 300       # … and of each
COMMANDS = ("show", "list", "check", "verify")       # a row that starts with another word is the bound of a construction
# never compared, wherever they stand: what depends on the time, the machine or the release (today nothing does)
EXCLUDED = frozenset({"version", "time", "seconds", "date", "host", "path", "file"})
ABSENT = "(no longer there)"

Shape = str | dict[str, Any] | list[Any]
Shapes = dict[str, Shape]   # id → {key: id}, or [[id, how many], …] for a list; LEAF stands for itself
LEAF = "-"


@dataclass(frozen=True)
class Row:
    file: str
    arguments: tuple[str, ...]
    hashes: str = ""
    shape: str = LEAF

    @property
    def name(self) -> str:
        return " ".join(self.arguments)

    @property
    def line(self) -> str:
        return json.dumps({"arguments": self.arguments, "hashes": self.hashes, "shape": self.shape}, ensure_ascii=False)


@dataclass(frozen=True)
class Difference:
    row: str
    path: str
    new: str

    def __str__(self) -> str:
        return f"{self.row}: {self.path}: {self.new}"


# ---------------------------------------------------------------------------------------------------------------
# what the program writes

def run(arguments: Iterable[str]) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            program(list(arguments))
        except SystemExit as end:
            code = end.code
    return int(code or 0), out.getvalue(), err.getvalue()


def document(arguments: tuple[str, ...]) -> dict[str, Any]:
    """All that a row is about."""
    if arguments[0] in COMMANDS or "-f" in arguments:
        return written(arguments)
    found = written((*arguments, "-f", "json", "--dimensions"))
    if "output" in found:
        found["network"] = network(arguments, found["output"]["resources"]["parameters"]["exact"])
    return found


def written(arguments: tuple[str, ...]) -> dict[str, Any]:
    code, out, err = run(arguments)
    if not out:
        return {"exit": code, "error": err}
    form = arguments[arguments.index("-f") + 1] if "-f" in arguments else "text"
    found = {"exit": code, "output": json.loads(out) if form == "json" else out.split("\n")}
    return {**found, "error": err} if err else found


def network(arguments: tuple[str, ...], entries: str | None) -> Any:
    if entries is None or int(entries) >= LARGE:
        return "large"
    _, out, err = run(("weights", *arguments))
    return json.loads(out) if out else err


# ---------------------------------------------------------------------------------------------------------------
# hashes and shapes

def digest(value: Any) -> str:
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:DIGITS]


def inside(node: Any) -> list[tuple[str, Any]] | None:
    """The parts of a node in a fixed order; None for a leaf: a number, a text, a matrix, something empty."""
    if isinstance(node, dict) and "entries" not in node:
        return [(key, node[key]) for key in sorted(node) if key not in EXCLUDED] or None
    if isinstance(node, list) and node:
        return [(str(k), part) for k, part in enumerate(node)]
    return None


def by_id(node: Any) -> Any:
    """Lists of things that have an id (the claims of papers) are told apart by it."""
    if isinstance(node, dict):
        return {key: by_id(part) for key, part in node.items()}
    if isinstance(node, list):
        ids = [part["id"] for part in node if isinstance(part, dict) and "id" in part]
        if node and len(set(ids)) == len(node):
            return {part["id"]: by_id(part) for part in node}
        return [by_id(part) for part in node]
    return node


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    parts = inside(node)
    if parts is None:
        yield path, node
        return
    for key, part in parts:
        yield from leaves(part, f"{path}.{key}" if path else key)


def shape_of(node: Any, shapes: Shapes) -> str:
    """The id of a shape; it and its parts are added to `shapes`."""
    parts = inside(node)
    if parts is None:
        return LEAF
    found: Shape
    if isinstance(node, dict):
        found = {key: shape_of(part, shapes) for key, part in parts}
    else:
        found = []
        for _, part in parts:
            one = shape_of(part, shapes)
            if found and found[-1][0] == one:
                found[-1][1] += 1
            else:
                found.append([one, 1])
    name = digest(found)
    shapes[name] = found
    return name


def paths(shape: str, shapes: Shapes, path: str = "") -> Iterator[str]:
    """The paths of the leaves, in the order of `leaves`."""
    if shape == LEAF:
        yield path
        return
    found = shapes[shape]
    assert not isinstance(found, str)
    parts = found.items() if isinstance(found, dict) else enumerate(one for one, count in found for _ in range(count))
    for key, part in parts:
        yield from paths(part, shapes, f"{path}.{key}" if path else str(key))


def hashed(row: Row) -> tuple[Row, Shapes]:
    """The row with the hashes of what the program writes today."""
    shapes: Shapes = {}
    found = by_id(document(row.arguments))
    shape = shape_of(found, shapes)
    return Row(row.file, row.arguments, "".join(digest(leaf) for _, leaf in leaves(found)), shape), shapes


def cut(hashes: str) -> list[str]:
    return [hashes[k:k + DIGITS] for k in range(0, len(hashes), DIGITS)]


# ---------------------------------------------------------------------------------------------------------------
# comparing

def differences(row: Row, shapes: Shapes) -> list[Difference]:
    """What the program writes today where that is not what it wrote."""
    found = by_id(document(row.arguments))
    new = list(leaves(found))
    hashes = [digest(leaf) for _, leaf in new]
    if "".join(hashes) == row.hashes and shape_of(found, {}) == row.shape:
        return []
    old_paths, old_hashes = list(paths(row.shape, shapes)), cut(row.hashes)
    if isinstance(found.get("output"), list) and all(isinstance(line, str) for line in found["output"]):
        return lines_that_differ(row, old_paths, old_hashes, new, hashes)
    old, now = dict(zip(old_paths, old_hashes, strict=True)), dict(new)
    changed = [Difference(row.name, path, shown(leaf)) for (path, leaf), value in zip(new, hashes, strict=True)
               if old.get(path) != value]
    return changed + [Difference(row.name, path, ABSENT) for path in old if path not in now]


def lines_that_differ(row: Row, old_paths: list[str], old: list[str], new: list[tuple[str, Any]],
                      now: list[str]) -> list[Difference]:
    """As a diff does: a line that was put in moves those below it, and they are not differences."""
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, now, autojunk=False).get_opcodes():
        if tag != "equal":
            found += [Difference(row.name, path, shown(line)) for path, line in new[c:d]]
            found += [Difference(row.name, path, ABSENT) for path in old_paths[a + (d - c):b]]
    return found


def shown(leaf: Any) -> str:
    text = json.dumps(leaf, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"


# ---------------------------------------------------------------------------------------------------------------
# files

def files() -> list[Path]:
    return sorted(path for path in FOLDER.glob("*.json") if path.stem != SHAPES)


def stored() -> list[Row]:
    """Every row, in the order of the files."""
    return [Row(path.stem, tuple(row["arguments"]), row.get("hashes", ""), row.get("shape", LEAF))
            for path in files() for row in json.loads(path.read_text(encoding="utf-8"))]


def stored_shapes() -> Shapes:
    path = FOLDER / f"{SHAPES}.json"
    found: Shapes = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def chosen(pattern: str | None = None, sample: int = 1) -> list[Row]:
    return [row for row in stored() if pattern is None or pattern in row.name or re.search(pattern, row.name)][::sample]


def write(rows: list[Row], shapes: Shapes) -> None:
    for file in sorted({row.file for row in rows}):
        lines = [row.line for row in sorted((row for row in rows if row.file == file), key=lambda row: row.arguments)]
        save(file, "[\n" + ",\n".join(lines) + "\n]\n")
    lines = [f"{json.dumps(name)}: {json.dumps(shapes[name], sort_keys=True)}" for name in sorted(shapes)]
    save(SHAPES, "{\n" + ",\n".join(lines) + "\n}\n")


def save(name: str, text: str) -> None:
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")


# ---------------------------------------------------------------------------------------------------------------
# the command line

def _compare(row: Row) -> list[Difference]:
    return differences(row, stored_shapes_once())


_SHAPES: Shapes = {}


def stored_shapes_once() -> Shapes:
    if not _SHAPES:
        _SHAPES.update(stored_shapes())
    return _SHAPES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden_rows", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--regenerate", action="store_true", help="write the files anew")
    parser.add_argument("--rows", metavar="PATTERN", help="only rows whose name contains this, or matches it")
    parser.add_argument("--sample", metavar="K", type=int, default=1, help="every K-th row")
    parser.add_argument("--processes", metavar="N", type=int, default=2)
    options = parser.parse_args()
    if options.regenerate and (options.rows or options.sample != 1):
        parser.error("--regenerate writes everything; leave out --rows and --sample")
    rows = chosen(options.rows, options.sample)
    with multiprocessing.Pool(options.processes) as pool:
        if options.regenerate:
            shapes: Shapes = {}
            made = []
            for row, own in pool.imap_unordered(hashed, rows, chunksize=4):
                made.append(row)
                shapes |= own
            write(made, shapes)
            print(f"{len(made)} rows written")
            return 0
        different = count = 0
        for found in pool.imap(_compare, rows, chunksize=4):
            different += bool(found)
            for line in found:
                count += 1
                if count <= MOST_LINES:
                    print(line, flush=True)
    if count > MOST_LINES:
        print(f"… and {count - MOST_LINES} more")
    print(f"{len(rows)} rows, {different} differ, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
