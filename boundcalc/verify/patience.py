"""How long a verification may take: seconds of CPU time, looked at in every loop that can be long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


class OutOfTime(Exception):
    """No BoundcalcError: what cannot be decided is something else, and must not be taken for it."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """All that is done inside ends with OutOfTime after so many seconds of CPU time, or after what is left outside."""
    outer = _DEADLINE.get()
    deadline = None if seconds is None else time.process_time() + seconds
    both = [d for d in (outer, deadline) if d is not None]
    token = _DEADLINE.set(min(both, default=None))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


@contextmanager
def at_least(seconds: float) -> Iterator[None]:
    """So many seconds of CPU time for what is said even when time is over: the limit is moved where less is left."""
    outer = _DEADLINE.get()
    token = _DEADLINE.set(None if outer is None else max(outer, time.process_time() + seconds))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def left() -> float | None:
    """Seconds that are left; None if there is no limit."""
    deadline = _DEADLINE.get()
    return None if deadline is None else max(0.0, deadline - time.process_time())


def check_time() -> None:
    deadline = _DEADLINE.get()
    if deadline is not None and time.process_time() > deadline:
        raise OutOfTime
