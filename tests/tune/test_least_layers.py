"""`--minimize layers` gives the integers that were the default before integers were balanced, and with them all the rest.

`least_layers.json` beside this file has, for every golden row of that time with free integers, a hash of all that was
written, apart from what is said about the choice itself and from wording. Silu rows of mult and square are not among
them: lemma Q3 has changed those.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.golden_rows import by_id, digest, document, leaves
from tests.selection import selected

FILE = Path(__file__).parent / "least_layers.json"
APART = ("output.choices", "output.alternatives", "output.notes", "network.about",
         "output.conditions", "output.symbols", "output.sequence.answer")         # and what is worded anew since then
ROWS: list[tuple[list[str], str]] = json.loads(FILE.read_text(encoding="utf-8"))


def kinds(row: tuple[list[str], str]) -> set[str]:
    """What a row is about: the construction, and every option that it has."""
    arguments, _ = row
    return {arguments[0], *(f"{arguments[0]} {word}" for word in arguments if word.startswith("--"))}


def signature(hashes: Iterable[tuple[str, str]]) -> str:
    return digest([pair for pair in hashes if not pair[0].startswith(APART)])


@pytest.mark.parametrize(("arguments", "expected"), selected(ROWS, kinds))
def test_the_least_layers_are_as_they_were(arguments: list[str], expected: str) -> None:
    found = by_id(document((*arguments, "--minimize", "layers")))
    assert signature((path, digest(leaf)) for path, leaf in leaves(found)) == expected


def test_there_are_rows_of_every_kind() -> None:
    assert {arguments[0] for arguments, _ in ROWS} == {"mult", "square", "recip"}
    assert len(ROWS) > 100
