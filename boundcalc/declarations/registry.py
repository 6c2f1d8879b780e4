"""The constructions: a name is a file name in constructions/, its metadata the header of that file's docstring.

Listing reads the headers as text and imports nothing; a construction's module is imported only when it is asked for.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BoundcalcError, InvalidInput, echo
from ..formulas.mathtext import plain

if TYPE_CHECKING:
    from .record import Construction

FOLDER = Path(__file__).parent.parent / "constructions"
HEADER = ("map", "routes", "gates", "source", "standing")


@dataclass(frozen=True)
class Information:
    """What a construction's docstring says about it. Map and source are prose with formulas between dollar signs."""

    name: str
    title: str
    map_prose: str
    routes: tuple[str, ...]
    gates: tuple[str, ...]
    source_prose: str
    standing: str
    text: str

    @property
    def map(self) -> str:
        return plain(self.map_prose)

    @property
    def source(self) -> str:
        return plain(self.source_prose)


@cache
def names() -> tuple[str, ...]:
    return tuple(sorted(p.stem.replace("_", "-") for p in FOLDER.glob("*.py") if not p.stem.startswith("_")))


@cache
def information(name: str) -> Information:
    check(name)
    source = (FOLDER / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    title, _, rest = docstring.partition("\n\n")
    header, _, text = rest.partition("\n\n")
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in header.splitlines())}
    if tuple(fields) != HEADER:
        raise BoundcalcError(f"The docstring of construction {name} must give {', '.join(HEADER)}, in this order.")
    return Information(name, title.rstrip("."), fields["map"], _list(fields["routes"]), _list(fields["gates"]),
                       fields["source"], fields["standing"], text)


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def check(name: str) -> None:
    if name not in names():
        near = get_close_matches(name[:60], names(), n=1, cutoff=0.5)
        raise InvalidInput(f"There is no construction '{echo(name)}'.",
                           f"Did you mean {near[0]}?" if near else "See `boundcalc list`.")


def construction(name: str) -> Construction:
    check(name)
    found: Construction = import_module(f"boundcalc.constructions.{name.replace('-', '_')}").CONSTRUCTION
    return found
