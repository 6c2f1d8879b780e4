"""What the commands that verify share: a line on stderr while it takes long, and the exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .main import DONE, INTERRUPTED, REFUTED, UNDECIDED

if TYPE_CHECKING:
    from ..results.verification import Verification

PATIENCE = 2.0          # seconds before anything is shown
PAUSE = 0.1             # … and between two changes of the line
TRACK = 20              # characters of the bar


@contextmanager
def telling(name: str) -> Iterator[Callable[[str, int], None]]:
    """A moving bar with what is being done, on a terminal only. How many boxes a proof takes is not known beforehand."""
    start = last = time.monotonic()
    shown = False

    def tell(what: str, done: int) -> None:
        nonlocal shown, last
        now = time.monotonic()
        if not sys.stderr.isatty() or now - start < PATIENCE or now - last < PAUSE:
            return
        last, shown = now, True
        place = int((now - start) * 8) % TRACK
        bar = "".join("#" if i == place else "." for i in range(TRACK))
        count = f", {done} {'boxes' if what == 'proving' else 'points'}" if done else ""
        print(f"\r\033[K{name}: {what} [{bar}] {now - start:.0f} s{count}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def exit_code(v: Verification) -> int:
    if v.interrupted:
        print("note: interrupted while proving: what is shown is what was established before.", file=sys.stderr)
        return REFUTED if v.holds is False else INTERRUPTED
    return {True: DONE, False: REFUTED, None: UNDECIDED}[v.holds]
