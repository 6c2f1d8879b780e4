"""The constructions: those of the package, those of installed packages, and files that a user names.

    name         a file of constructions/, or an entry point of the group boundcalc.constructions (its module)
    ./mine.py    a path, which ends with .py: the file is executed when its bound is asked for, and never before

Listing reads the headers as text and imports nothing; a construction's module is imported only when it is asked for.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..errors import BoundcalcError, InvalidInput, echo
from .header import Information, read, wrong

if TYPE_CHECKING:
    from .record import Construction

FOLDER = Path(__file__).parent.parent / "constructions"
GROUP = "boundcalc.constructions"


_USED: dict[str, Path] = {}


def names() -> tuple[str, ...]:
    return tuple(sorted({*_bundled(), *_installed(), *_USED}))


def use(path: str) -> str:
    """Let a file's construction be known by its name, as claims have to; the file is executed."""
    info = construction(path).information
    if info.name in (*_bundled(), *_installed()):
        raise InvalidInput(f"{echo(path)} is called {info.name}, as a construction that is there already.",
                           "Rename the file.")
    if _USED.setdefault(info.name, info.path) != info.path:
        raise InvalidInput(f"{echo(path)} and {echo(str(_USED[info.name]))} have one name.", "Rename one of them.")
    return info.name


def used_files() -> dict[str, str]:
    """The files that are known by name, and the hash of each."""
    from hashlib import sha256
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in _USED.values()}


@cache
def _bundled() -> dict[str, Path]:
    return {p.stem.replace("_", "-"): p for p in FOLDER.glob("*.py") if not p.stem.startswith("_")}


@cache
def _installed() -> dict[str, str]:
    """Entry points of other packages, name → module. What is bundled cannot be replaced."""
    from importlib.metadata import entry_points
    return {e.name: e.module for e in entry_points(group=GROUP) if e.name not in _bundled()}


def is_path(name: str) -> bool:
    """Whether a user means a file and not a name."""
    return name.endswith(".py")


def known(name: str) -> bool:
    return is_path(name) or name in _bundled() or name in names()


@cache
def information(name: str) -> Information:
    check(name)
    if is_path(name):
        return read(Path(name))
    if name in _bundled():
        return read(_bundled()[name])
    if name in _USED:
        return read(_USED[name])
    spec = find_spec(_installed()[name])
    if spec is None or spec.origin is None:
        raise BoundcalcError(f"The package that brings {echo(name)} is not complete.", "Install it anew.")
    return replace(read(Path(spec.origin)), name=name)


def check(name: str) -> None:
    if not known(name):
        raise InvalidInput(f"There is no construction '{echo(name)}'.", hint(name))


def hint(name: str, others: tuple[str, ...] = ()) -> str:
    """What may have been meant: a synonym that a construction declares, or the nearest name."""
    from difflib import get_close_matches
    wanted = name[:60].lower()
    by_synonym = [n for n in names() if wanted in information(n).synonyms]
    near = by_synonym or get_close_matches(wanted, (*others, *names()), n=1, cutoff=0.5)
    return f"Did you mean {near[0]}?" if near else "See `boundcalc list`."


@cache
def construction(name: str) -> Construction:
    """The record of a construction, checked against its header. A file that is named by its path is executed."""
    if name in _USED:
        return construction(str(_USED[name]))
    info = information(name)
    if is_path(name):
        module = _executed(info)
    else:
        module = import_module(f"{GROUP}.{name.replace('-', '_')}" if name in _bundled() else _installed()[name])
    from .record import Construction
    found = getattr(module, "CONSTRUCTION", None)
    if not isinstance(found, Construction):
        raise wrong(info.path, 1, "it makes no record called CONSTRUCTION")
    made = replace(found, information=info)
    from .validity import check_record
    check_record(made)
    return made


def _executed(info: Information) -> ModuleType:
    """The module of a file; what goes wrong in it is told with its line."""
    path = info.path.resolve()
    spec = spec_from_file_location(f"boundcalc_file_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module         # dataclasses of the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as problem:
        from traceback import extract_tb
        lines = [f.lineno for f in extract_tb(problem.__traceback__) if f.filename == str(path)]
        raise wrong(info.path, (lines or [1])[-1] or 1, f"{type(problem).__name__}: {echo(str(problem))}") from None
    return module
