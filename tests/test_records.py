"""Our frozen dataclasses are those of the standard library, made in less time."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from boundcalc.records import dataclass as ours


def made(dataclass: Any) -> Any:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        names: list[str] = dataclasses.field(default_factory=list, compare=False, repr=False)

        def __post_init__(self) -> None:
            self.names.append("made")
    return Point


def test_records_are_dataclasses() -> None:
    both = [made(ours), made(dataclasses.dataclass)]
    for point in both:
        p = point(1, y=3)
        assert p.names == ["made"]
        assert p == point(1, 3, ["other"]) != point(1)
        assert hash(p) == hash((1, 3)) == hash(point(1, 3))
        assert p != (1, 3)
        assert dataclasses.replace(p, y=5) == point(1, 5)
        assert [f.name for f in dataclasses.fields(p)] == ["x", "y", "names"]
        assert point.__match_args__ == ("x", "y", "names")
        for change in (lambda p=p: setattr(p, "x", 2), lambda p=p: delattr(p, "x")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                change()
        with pytest.raises(TypeError):
            point()
    assert len({repr(point(1)) for point in both}) == 1
