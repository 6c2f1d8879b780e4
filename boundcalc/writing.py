"""Files that are there whole or not at all: written under another name, and renamed once they are complete."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import InvalidInput, echo


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` once it is complete; whether it can be written is seen at once.

    A link stays a link, and what is no file (/dev/stdout, a pipe) is written to as it is.
    """
    try:
        place = Path(os.path.realpath(path))
        whole = not place.exists() or place.is_file()
        part = place.with_name(f".{place.name[:200]}.{os.getpid()}.part") if whole else place
        file = open(part, "xb" if whole else "wb")     # noqa: SIM115 (closed below, before it is renamed)
    except (OSError, ValueError) as problem:
        raise _unwritable(path, problem) from problem
    try:
        with file:
            yield file
        if whole and place.exists():
            os.chmod(part, stat.S_IMODE(place.stat().st_mode))
        if whole:
            os.replace(part, place)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise _unwritable(path, problem) from problem
    finally:
        if whole:
            part.unlink(missing_ok=True)


def write_file(path: str | Path, pieces: Iterable[str]) -> None:
    """Text in UTF-8, with line ends as they are in it."""
    with replacing(path) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8"))


def _unwritable(path: str | Path, problem: Exception) -> InvalidInput:
    reason = problem.strerror if isinstance(problem, OSError) else "this is no name of a file"
    return InvalidInput(f"Cannot write {echo(str(path))}: {reason}.", "Choose another file.")
