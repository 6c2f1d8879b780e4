"""Files are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boundcalc.errors import InvalidInput
from boundcalc.networks import file as network_file
from boundcalc.results.bound import bound
from boundcalc.writing import replacing, write_file

ROOT = Path(__file__).parent.parent


class Sudden(BaseException):
    pass


def half(_: object = None) -> Iterator[str]:
    yield "half of "
    raise Sudden


@pytest.mark.parametrize("before", ["old", None])
def test_a_file_that_is_not_completed_leaves_what_was_there(tmp_path: Path, before: str | None) -> None:
    path = tmp_path / "file.txt"
    if before is not None:
        path.write_text(before, encoding="utf-8")
    with pytest.raises(Sudden):
        write_file(path, half())
    assert [p.name for p in tmp_path.iterdir()] == ([] if before is None else ["file.txt"])
    assert before is None or path.read_text(encoding="utf-8") == before


def test_nothing_is_seen_under_the_name_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with replacing(path) as file:
        file.write(b"all of it")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_a_network_that_is_saved_over_another_is_not_lost_halfway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, network = tmp_path / "network.json", bound("relu", eps="1e-2").network
    network_file.save(network, path)
    monkeypatch.setattr(network_file, "chunks", half)
    with pytest.raises(Sudden):
        network_file.save(network, path)
    assert network_file.load(path) == network


def test_links_stay_links_and_modes_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write_file(link, ["new"])
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, ["through"])
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["missing/file.txt", "a\0b"])
def test_what_cannot_be_written_is_said_before_anything_is_made(tmp_path: Path, name: str) -> None:
    made = []

    def pieces() -> Iterator[str]:
        made.append(1)
        yield ""

    with pytest.raises(InvalidInput, match="Cannot write"):
        write_file(f"{tmp_path}/{name}", pieces())
    assert made == []


# the process gets the signal while the file is half written
SIGNALLED = """
import os, signal, sys
from boundcalc.cli.main import main
from boundcalc.networks import file
whole = file.chunks

def interrupted(*given, **more):
    for number, piece in enumerate(whole(*given, **more)):
        yield piece
        if number == 3:
            os.kill(os.getpid(), signal.Signals[sys.argv[1]])

file.chunks = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)       # a process in the background may have begun with none
main(["weights", "mult", "--eps", "1e-2", "-o", sys.argv[2]])
"""


@pytest.mark.parametrize(("name", "code", "says"), [("SIGINT", 130, "Interrupted."), ("SIGTERM", 143, "Terminated.")])
def test_signals_leave_no_half_file_and_no_traceback(tmp_path: Path, name: str, code: int, says: str) -> None:
    path = tmp_path / "mult.json"
    path.write_text("old", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", SIGNALLED, name, str(path)], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (code, "", f"error: {says}")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
