"""Claim files: TOML, Markdown, problems with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from boundcalc.claims.load import load_files, read_text
from boundcalc.errors import InvalidInput

GOOD = '''
[source]
title = "T"
id = "arXiv:1"

[[claim]]
id = "first"
states = """
[[claim]]
this is text, not a table
"""
claim = "x <= 1"
for = "x in [0, 1]"
standing = "from memory"

[[claim]]
claim = 'max.heads <= 3'
'''


def test_a_good_file() -> None:
    reading = read_text(GOOD)
    assert reading.problems == []
    first, second = reading.claims
    assert (first.id, second.id) == ("first", "claim-2")
    assert first.source.id == "arXiv:1"
    assert first.domain == "x in [0, 1]"
    assert "not a table" in first.states
    assert GOOD.split("\n")[first.line - 1] == 'claim = "x <= 1"'
    assert GOOD.split("\n")[second.line - 1] == "claim = 'max.heads <= 3'"


def test_markdown_blocks(tmp_path: Path) -> None:
    path = tmp_path / "review.md"
    path.write_text("# Review\n\n```toml\n[[claim]]\nclaim = \"x <= 1\"\n```\n\n"
                    "text\n\n```toml\n[tool.other]\nx = 1\n```\n\n"
                    "```toml\n[[claim]]\nclaim = \"y <= 1\"\n```\n", encoding="utf-8")
    claims = load_files([path])
    assert [c.claim for c in claims] == ["x <= 1", "y <= 1"]
    assert [c.line for c in claims] == [5, 17]


BAD = '''[source]
title = 3

[[claim]]
id = "a"
clam = "x <= 1"

[[claim]]
id = "b"
claim = "x <= 1
for = "x > 0"

[[claim]]
id = "c"
claim = "x <= 1"
standing = "quotd"

[[claim]]
id = "c"
claim = "y <= 1"

[other]
x = 1
'''


def test_all_problems_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(BAD, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_files([path, tmp_path / "missing.toml"])
    text = str(caught.value)
    for part in ("bad.toml, line 2: title must be text", "line 6: 'clam' is not an entry here. Did you mean claim?",
                 "line 4: a claim has no line claim", "line 10: ",
                 "line 16: the standing 'quotd' is unknown. Did you mean quoted?",
                 "line 20: the id 'c' was used on line 15 already", "line 22: 'other' is not expected here",
                 "Cannot read", "There are 8 problems"):
        assert part in text, part


@pytest.mark.parametrize(("name", "content", "part"), [
    ("empty.toml", b"", "there is no claim here"), ("empty.md", b"# no claims", "inside a ```toml block"),
    ("latin.toml", b'[[claim]]\nclaim = "x \xe4"\n', "line 2: this is not UTF-8"),
    ("deep.toml", b"x = " + b"[" * 5000 + b"]" * 5000, "line 1: "),
    ("large.toml", b"#" * 1_000_001, "has more than 1000000 bytes"),
    ("many.toml", b'[[claim]]\nclaim = "x <= 1"\n' * 1001, "more than 1000 claims"),
])
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, part: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        load_files([path])
    assert part in str(caught.value)
