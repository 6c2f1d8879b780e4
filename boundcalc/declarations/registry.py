"""The constructions: those of the package, those of installed packages, and files that a user names.

    name         a file of constructions/, or an entry point of the group boundcalc.constructions (its module)
    ./mine.py    a path, which ends with .py: the file is executed when its bound is asked for, and never before
    network F    the ReLU network in the file F, which is read and never executed; in claims it is called network

Listing reads the headers as text and imports nothing; a construction's module is imported only when it is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import BoundcalcError, InvalidInput, echo, nearest
from .families import joined, member, needed, split, text_of
from .header import FOLDER, Information, read, wrong

if TYPE_CHECKING:
    from ..networks.relu import ReluNetwork
    from .record import Construction, Route

A = TypeVar("A")
B = TypeVar("B")
GROUP = "boundcalc.constructions"
NETWORK = "network"     # before a file, as one name; alone, where a network was taken up by `use_network`
MOST_SAID = 200         # characters of what Python says about an error


_USED: dict[str, Path] = {}
_GIVEN: dict[str, Construction] = {}            # networks that are no files, and the one that claims speak of
_RANGES: list[str] = []                         # the domain of the latter, as it is typed


def names() -> tuple[str, ...]:
    return tuple(sorted({*_bundled(), *_installed(), *_USED, *(name for name in _GIVEN if name == NETWORK)}))


def use(path: str) -> str:
    """Let a file's construction be known by its name, as claims have to; the file is executed."""
    info = construction(path).information
    if info.name in (*_bundled(), *_installed()):
        raise InvalidInput(f"{echo(path)} is called {info.name}, as a construction that is there already.",
                           "Rename the file.")
    if _USED.setdefault(info.name, info.path) != info.path:
        raise InvalidInput(f"{echo(path)} and {echo(str(_USED[info.name]))} have one name.", "Rename one of them.")
    return info.name


def used_file(name: str) -> tuple[str, str, tuple[str, ...]] | None:
    """The file that a name was taken from by `use` or `use_network`, its hash, and the options that did so."""
    from hashlib import sha256
    if name == NETWORK and name in _GIVEN:
        path = _GIVEN[name].information.path
        return str(path), sha256(path.read_bytes()).hexdigest(), ("--use-network", str(path), *_RANGES)
    if name not in _USED:
        return None
    path = _USED[name]
    return str(path), sha256(path.read_bytes()).hexdigest(), ("--use", str(path))


@cache
def _bundled() -> dict[str, Path]:
    return {p.stem.replace("_", "-"): p for p in FOLDER.glob("*.py") if not p.stem.startswith("_")}


@cache
def _installed() -> dict[str, str]:
    """Entry points of other packages, name → module. What is bundled cannot be replaced."""
    if not _registered():
        return {}
    from importlib.metadata import entry_points
    return {e.name: e.module for e in entry_points(group=GROUP) if e.name not in _bundled()}


def _registered() -> bool:
    """Whether any package may have such entry points. To look for the word costs a fifth of importing importlib.metadata,
    which imports the parsers of e-mail; where a package does not lie in a folder, that has to be asked all the same."""
    for place in map(Path, dict.fromkeys(sys.path)):
        if place.is_file():
            return True
        if place.is_dir() and any(GROUP.encode() in found.read_bytes() for ending in ("dist-info", "egg-info")
                                  for found in place.glob(f"*.{ending}/entry_points.txt")):
            return True
    return False


def in_claims(name: str) -> str | None:
    """The construction that a claim calls so: there a dash is written as an underscore, since it would be a minus."""
    base, _ = split(name)
    return next((known + name[len(base):] for known in (base, base.replace("_", "-")) if known in names()), None)


def use_network(path: str, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> str:
    """Let a file's network be known as `network`, as claims call it, on a domain: a range for every input (under "") or
    input by input; else what the file says."""
    from ..numbers.exact import exact_text
    from .of_network import on_domain
    _RANGES[:] = [word for x, ends in ranges.items()
                  for word in ("--range", (f"{x}=" if x else "") + ",".join(map(exact_text, ends)))]
    _GIVEN[NETWORK] = on_domain(construction(f"{NETWORK} {path}"), ranges)
    return NETWORK


def take(network: ReluNetwork) -> str:
    """A name for a network that is no file."""
    from .of_network import declared
    asked = f"{NETWORK} given-{sum(' ' in name for name in _GIVEN) + 1}"
    _GIVEN[asked] = declared(network, asked, Path())
    return asked


def is_path(name: str) -> bool:
    """Whether a user means a file and not a name."""
    return split(name)[0].endswith(".py") and not is_network(name)


def is_network(name: str) -> bool:
    """Whether a user means the ReLU network in a file."""
    return name.startswith(f"{NETWORK} ") or name in _GIVEN


def known(name: str) -> bool:
    if is_network(name):
        return True
    name, _ = split(name)
    return is_path(name) or name in _bundled() or name in names()


def information(name: str) -> Information:
    if is_network(name):
        return construction(name).information
    check(name)
    name, _ = split(name)
    name = str(_USED.get(name, name))
    return _information(name, _content(name))


def _content(name: str) -> tuple[str, bytes] | None:
    """Of a file: what is said of it holds as long as it stays the same. None where it cannot be read."""
    if not is_path(name):
        return None
    try:
        return str(Path(name).resolve()), Path(name).read_bytes()
    except OSError:
        return None


@cache
def _information(name: str, content: tuple[str, bytes] | None) -> Information:
    if is_path(name):
        return replace(read(Path(name)), asked=name)
    if name in _bundled():
        return read(_bundled()[name])
    try:
        spec = find_spec(_installed()[name])
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise InvalidInput(f"The package that brings {echo(name)} is not complete.", "Install it anew.")
    return replace(read(Path(spec.origin)), name=name)


def listed() -> tuple[Information, ...]:
    """All that can be read: what is wrong in another package is told to those who ask for it, and keeps nobody else."""
    found = []
    for name in names():
        try:
            found.append(information(name))
        except BoundcalcError:
            if name in _bundled():
                raise
    return tuple(found)


def check(name: str) -> None:
    if not known(name):
        raise unknown(name)


def without_file() -> InvalidInput:
    """What is said where the word network stands alone."""
    return InvalidInput("Which network is meant was not said.",
                        f"Name its file after the word, for example {NETWORK} relu.npz.")


def unknown(name: str, commands: tuple[str, ...] = ()) -> InvalidInput:
    """What is wrong with a name that no target (or command) has, and what may have been meant."""
    if name == NETWORK:
        return without_file()
    what = "target or command" if commands else "target"
    found = meant(name, commands)
    if found is None:
        return InvalidInput(f'There is no {what} "{echo(name)}".', "All targets: boundcalc list")
    title = "" if found in commands or nearest(name, [found]) else \
        f" The {information(found).title.partition(',')[0].lower()} is {found}:"
    return InvalidInput(f'There is no {what} "{echo(name)}".{title}', f"Did you mean {found}?", {name: found})


def meant(name: str, commands: tuple[str, ...] = ()) -> str | None:
    """What may have been meant: a synonym that a construction declares, or a name that is spelled almost alike."""
    wanted = name[:60].lower()
    by_synonym = [info.name for info in listed() if wanted in info.synonyms]
    return by_synonym[0] if by_synonym else nearest(wanted, (*commands, *names()))


def construction(name: str) -> Construction:
    """The record of a construction, checked against its header. A file that is named by its path is executed."""
    if name in _GIVEN:
        return _GIVEN[name]
    check(name)
    if is_network(name):
        path = name.removeprefix(f"{NETWORK} ")
        return _network(path, _state(path))
    name, said = split(name)
    name = str(_USED.get(name, name))
    found = _construction(name, _content(name))
    return found if found.family is None or not said else _member(name, _content(name), tuple(said.items()))


@cache
def _member(name: str, content: tuple[str, bytes] | None, said: tuple[tuple[str, str], ...]) -> Construction:
    """One of a family; the first one, by examples, says which family."""
    first = _construction(name, content)
    assert first.family is not None
    return _checked(member(first.family, _information(name, content), dict(said)))


def named(name: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name with what is said of its family, and what else was given."""
    family = construction(name).family
    if family is None:
        return name, dict(given)
    base, said = split(name)
    own = {p.name: p for p in family.parameters}
    said |= {key: text_of(own[key], x) for key, x in given.items() if key in own and x is not None}
    for key, example in needed(family).items():
        if key not in said:
            raise InvalidInput(f"{base} needs --{key}, the {own[key].meaning}.",
                               f"Give --{key}, for example --{key} {example}.", {f"--{key}": example})
    return joined(base, {key: said[key] for key in own if key in said}), {k: x for k, x in given.items() if k not in own}


def _state(path: str) -> tuple[int, int] | None:
    """Whether a file has changed; files of networks may be too large to be compared."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


@cache
def _network(path: str, state: tuple[int, int] | None) -> Construction:
    from ..networks.relu_file import read_relu_network
    from .of_network import declared
    return declared(read_relu_network(path), f"{NETWORK} {path}", Path(path))


@cache
def _construction(name: str, content: tuple[str, bytes] | None) -> Construction:
    info = _information(name, content)
    if name in _bundled():
        module = import_module(f"{GROUP}.{name.replace('-', '_')}")
    else:
        with _told(info.path):
            module = _executed(info.path) if is_path(name) else import_module(_installed()[name])
    from .record import Construction, Family
    found = getattr(module, "CONSTRUCTION", None)
    if found is None:
        raise wrong(info.path, 1, "it makes no record called CONSTRUCTION")
    if isinstance(found, Family):
        return _checked(member(found, info, {}))
    from .validity import refusal
    if not isinstance(found, Construction):
        raise refusal(info.path, "CONSTRUCTION is not a Construction")
    return _checked(replace(found, information=info))


def _checked(made: Construction) -> Construction:
    from .validity import check_record
    check_record(made)
    info = made.information
    return made if info.bundled else replace(made, routes=tuple(_guarded(info.path, r) for r in made.routes))


def _executed(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"boundcalc_file_{path.stem}", path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module         # dataclasses of the file look themselves up there
    spec.loader.exec_module(module)
    return module


def _guarded(path: Path, route: Route) -> Route:
    """The route with functions that tell in which line of the file they fail."""
    def guarded(function: Callable[[A], B]) -> Callable[[A], B]:
        def call(argument: A) -> B:
            with _told(path):
                return function(argument)
        return call
    return replace(route, build=guarded(route.build), covers=route.covers and guarded(route.covers),
                   witness=route.witness and guarded(route.witness))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What goes wrong in somebody's file is told with its line."""
    try:
        yield
    except BoundcalcError:
        raise
    except (Exception, SystemExit) as problem:
        from traceback import extract_tb
        lines = [f.lineno for f in extract_tb(problem.__traceback__) if Path(f.filename) == path.resolve()]
        said = " ".join(str(problem).split())[:MOST_SAID]
        kind = type(problem).__name__
        raise wrong(path, (lines or [1])[-1] or 1, f"{kind}: {said}" if said.isprintable() and said else kind) from None
