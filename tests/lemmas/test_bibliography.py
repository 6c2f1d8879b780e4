"""Sources: every one that a text names has an entry, and entries are BibTeX."""

from __future__ import annotations

import re
from pathlib import Path

import boundcalc
from boundcalc.lemmas.bibliography import ENTRIES, bibtex, entry, mentioned

ROOT = Path(boundcalc.__file__).parent
TEXTS = [p.read_text(encoding="utf-8") for p in [*ROOT.rglob("*.py"), *(ROOT / "papers").glob("*.toml")]
         if p.name != "bibliography.py"]


def test_every_arxiv_number_that_is_named_has_an_entry() -> None:
    named = {x for text in TEXTS for x in re.findall(r"\b[0-9]{4}\.[0-9]{5}\b", text)}
    assert len(named) >= 4
    assert named <= {e.arxiv for e in ENTRIES}


def test_every_author_and_year_that_is_named_has_an_entry() -> None:
    named = {x for text in TEXTS for x in re.findall(r"\b[A-Z][a-z]+(?: et al\.)? (?:19|20)[0-9]{2}\b", text)}
    assert "Yarotsky 2017" in named
    assert named <= {e.mention for e in ENTRIES}


def test_what_is_mentioned_is_found() -> None:
    assert mentioned(["after arXiv 2604.24878 and 2603.03084"]) == ("gu2026maxout", "hu2026relus")
    assert mentioned(["sawtooth (Yarotsky 2017)", "nothing"]) == ("yarotsky2017",)
    assert mentioned(["proved here"]) == ()


def test_entries_are_bibtex() -> None:
    text = bibtex(e.key for e in ENTRIES)
    assert text.isascii()
    assert len(re.findall(r"^@(?:article|misc|inproceedings)\{[a-z0-9]+,$", text, re.MULTILINE)) == len(ENTRIES)
    for block in text.strip().split("\n\n"):
        first, *fields, last = block.splitlines()
        assert first.startswith("@")
        assert last == "}"
        assert block.count("{") == block.count("}")
        assert all(re.fullmatch(r"  [a-z]+ += \{.+\},", x) for x in fields)
        assert {"author", "title", "year"} <= {x.split()[0] for x in fields}


def test_labels_and_references() -> None:
    assert [e.label for e in ENTRIES][:3] == ["Yarotsky 2017", "Montúfar et al. 2014", "Hu et al. 2025"]
    assert entry("yarotsky2017").text == ("Dmitry Yarotsky. Error bounds for approximations with deep ReLU networks. "
                                          "Neural Networks 94, 103–114, arXiv:1610.01145, 2017.")
