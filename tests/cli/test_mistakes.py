"""Sixty mistakes: each is answered by what is wrong and, where one can be told, by a command that works."""

from __future__ import annotations

import re
import shlex

import pytest

from boundcalc.cli.main import main

# what was typed → the command that the answer must show
MENDED = {
    "product --eps 1e-3": "mult --eps 1e-3",
    "multiply --eps 1e-3": "mult --eps 1e-3",
    "reciprocal --eps 1e-3": "recip --eps 1e-3 --range 1/10,1",
    "maximum --n 4 --eps 1e-3": "max --n 4 --eps 1e-3",
    "Mult --eps 1e-3": "mult --eps 1e-3",
    "mutl --eps 1e-3": "mult --eps 1e-3",
    "halp": "help",
    "help product": "help mult",
    "show product": "show mult",
    "mult": "mult --eps 1e-3",
    "mult --eps": "mult --eps 1e-3",
    "mult --eps 0": "mult --eps 1e-3",
    "mult --eps -1": "mult --eps 1e-3",
    "mult --eps abc": "mult --eps 1e-3",
    "mult --eps 1e--3": "mult --eps 1e-3",
    "mult --eps 1,5": "mult --eps 1.5",
    "mult --eps 0.001x": "mult --eps 0.001",
    "mult --esp 1e-3": "mult --eps 1e-3",
    "mult -eps 1e-3": "mult --eps 1e-3",
    "mult 1e-3": "mult --eps 1e-3",
    "--eps 1e-3 mult": "mult --eps 1e-3",
    "mult --eps 1e-3 --eps 1e-4": "mult --eps 1e-4",
    "mult --eps 1e-3 --gate silo": "mult --eps 1e-3 --gate silu",
    "mult --eps 1e-3 --route reciepe": "mult --eps 1e-3 --route recipe",
    "mult --eps 1e-3 --n 8": "mult --eps 1e-3",
    "mult --eps 1e-3 --range 1,0": "mult --eps 1e-3 --range 0,1",
    "mult --eps 1e-3 --range 0..1": "mult --eps 1e-3 --range 0,1",
    "mult --eps 1e-3 --range 0 1": "mult --eps 1e-3 --range 0,1",
    "mult --eps 1e-3 --range z=0,1": "mult --eps 1e-3 --range x=0,1",
    "mult --eps 1e-3 --M 2 --range 0,1": "mult --eps 1e-3 --range 0,1",
    "mult --eps 1e-3 --m 3": "mult --eps 1e-3 --m 4",
    "mult --eps 1e-3 --m 2.5": "mult --eps 1e-3",
    "mult --eps 1e-3 --beta 1": "mult --eps 1e-3 --beta 43.54214 --m 16",
    "mult --eps 1e-3 -f pdf": "mult --eps 1e-3 -f latex",
    "mult --eps 1e-3 --format pdf": "mult --eps 1e-3 --format latex",
    "mult --eps 1e-3 --minimize time": "mult --eps 1e-3 --minimize layers",
    "mult --eps 1e-3 --sequence 1": "mult --eps 1e-3 --sequence 2",
    "mult --eps 1e-3 --codes circle": "mult --eps 1e-3",
    "mult --eps 1e-3 --digits 20": "mult --eps 1e-3",
    "mult --eps 1e-3 --only foo": "mult --eps 1e-3 --only error",
    "mult --eps 1e-3 --temperature hard": "mult --eps 1e-3",
    "mult --eps 1e-3 --sentinels": "mult --eps 1e-3",
    "mult --eps 1e-3 --delta 1": "mult --eps 6 --delta 1",
    "max --eps 1e-3": "max --eps 1e-3 --n 3",
    "max --n 1 --eps 1e-3": "max --n 3 --eps 1e-3",
    "max --n eight --eps 1e-3": "max --n 3 --eps 1e-3",
    "max --n 8 --eps 1e-3 --gate silu": "max --n 8 --eps 1e-3 --gate silu --route tree",
    "max --n 2 --eps 1e-3 --delta 1": "max --n 2 --eps 2 --delta 1",
    "recip --eps 1e-3": "recip --eps 1e-3 --range 1/10,1",
    "recip --range -1,1 --eps 1e-3": "recip --range 1/10,1 --eps 1e-3",
    "recip --M 2 --eps 1e-3": "recip --eps 1e-3 --range 1/10,1",
    "show": "show mult",
    "verify": "verify mult --eps 1e-3",
    "verify relu": "verify relu --eps 1e-3",
    "eval mult --eps 1e-3": "eval mult --eps 1e-3 --at x=1/2,y=1/2",
    "eval mult --eps 1e-3 --at 1/3,1/5": "eval mult --eps 1e-3 --at x=1/3,y=1/5",
    "eval mult --eps 1e-3 --at x=1/3": "eval mult --eps 1e-3 --at x=1/3,y=1/2",
    "weights relu": "weights relu --eps 1e-3",
    "--hlep": "--help",
    "explain gaet": "explain gate",
}
WITHOUT = {     # what cannot be mended by itself → a part of the answer
    "table": "All targets: boundcalc list",
    "division --eps 1e-3": "All targets: boundcalc list",
    "verify nofile.json": "cannot be read",
    "explain foo": "What can be explained: boundcalc explain",
}


def answer(capsys: pytest.CaptureFixture[str], line: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line))
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\n( {7}[^\n]+\n)*", err)
    assert len(err.splitlines()) <= 8
    return err


@pytest.mark.parametrize("line", MENDED)
def test_a_mistake_is_answered_by_a_command_that_works(capsys: pytest.CaptureFixture[str], line: str) -> None:
    last = answer(capsys, line).splitlines()[-1]
    assert last == f"       boundcalc {MENDED[line]}"
    with pytest.raises(SystemExit) as end:
        main(shlex.split(last)[1:])
    assert end.value.code == 0


@pytest.mark.parametrize("line", WITHOUT)
def test_no_guess_is_better_than_a_misleading_one(capsys: pytest.CaptureFixture[str], line: str) -> None:
    said = answer(capsys, line)
    assert WITHOUT[line] in " ".join(said.split())
    assert "Did you mean" not in said


def test_text_at_fault_is_underlined(capsys: pytest.CaptureFixture[str]) -> None:
    lines = answer(capsys, "mult --eps 0.001x").splitlines()
    assert lines[1:3] == ["       0.001x", "            ^"]


def test_numbers_are_read_as_people_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    said = set()
    for line in ("relu --eps 10^-3 --range [-1,1]", "relu --epsilon 1e−3 --range −1,1", "relu --eps 1/1000 --range -1,1"):
        with pytest.raises(SystemExit) as end:
            main(shlex.split(line))
        assert end.value.code == 0
        said.add(capsys.readouterr().out)
    assert len(said) == 1
