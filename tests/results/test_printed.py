"""Results print themselves: what the command line writes."""

from __future__ import annotations

import json

import pytest

import boundcalc
from boundcalc.cli.main import main
from boundcalc.results.report import report_of


def typed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        main(arguments)
    return capsys.readouterr().out


def test_a_bound_is_what_the_command_line_writes(capsys: pytest.CaptureFixture[str]) -> None:
    bound = boundcalc.bound("max", eps="1e-2", n=3)
    arguments = ("max", "--n", "3", "--eps", "1e-2")
    for result in (bound, report_of(bound)):
        assert f"{result}\n" == typed(capsys, *arguments)
        assert result.to_json() == typed(capsys, *arguments, "-f", "json")
        assert result.to_dict() == json.loads(result.to_json())
        assert result.to_markdown() == typed(capsys, *arguments, "-f", "markdown")
        assert result.latex() == typed(capsys, *arguments, "-f", "latex")


def test_closed_forms_are_too(capsys: pytest.CaptureFixture[str]) -> None:
    forms = boundcalc.closed_forms("relu", gate="silu")
    assert f"{forms}\n" == typed(capsys, "show", "relu", "--gate", "silu")
    assert forms.to_dict()["construction"] == "relu"


def test_a_verification_prints_its_chain() -> None:
    found = boundcalc.verify(boundcalc.bound("relu", eps="1e-2"))
    assert str(found).startswith("Verification\n  observed 0.00")
    assert found.to_dict()["holds"] is True
    assert "certified" in found.to_markdown().lower()
    assert not found.to_markdown().startswith("#")
