"""The command that a report prints gives the same report again."""

from __future__ import annotations

import json
import shlex

import pytest

from boundcalc.cli.main import DONE, main
from boundcalc.results.command import command_line
from tests.export.test_export import Way, bound_of, document, every_case

SAME = ("construction", "route", "gate", "temperature", "parameters", "domain", "resources", "error", "sequence")


@every_case
def test_the_printed_command_repeats_the_bound(way: Way, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(command_line(bound_of(way, case)))
    assert words[0] == "boundcalc"
    with pytest.raises(SystemExit) as end:
        main([*words[1:], "-f", "json"])
    out = capsys.readouterr()
    assert (end.value.code, out.err) == (DONE, ""), words
    again, before = json.loads(out.out), document(way, case)
    for key in SAME:
        assert again[key] == before[key], (words, key)
