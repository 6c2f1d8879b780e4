"""Sources that documents cite, by key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A source: how it is cited, how it stands in a list of references, and for BibTeX."""

    key: str
    label: str
    text: str
    bibtex: str


def entry(key: str) -> Entry:
    return Entry(key, key, key, "")
