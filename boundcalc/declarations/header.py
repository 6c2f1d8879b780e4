"""The header of a construction's file, read as text: nothing is imported, so that listing costs nothing."""

from __future__ import annotations

import ast
from pathlib import Path

from ..errors import InvalidInput, echo
from ..formulas.mathtext import plain
from ..records import dataclass

REQUIRED = ("map", "routes", "gates", "source", "standing")
OPTIONAL = ("synonyms",)
FOLDER = Path(__file__).parent.parent / "constructions"     # of the bundled ones
MOST = 50               # characters of a path


@dataclass(frozen=True)
class Information:
    """What a construction's docstring says about it. Map and source are prose with formulas between dollar signs; `path`
    is the file."""

    name: str
    title: str
    map_prose: str
    routes: tuple[str, ...]
    gates: tuple[str, ...]
    source_prose: str
    standing: str
    text: str
    synonyms: tuple[str, ...] = ()
    path: Path = Path()
    asked: str = ""             # what a user types for it, where that is not its name

    @property
    def bundled(self) -> bool:
        """Whether it comes with the package, whose tests have seen it."""
        return self.path.parent == FOLDER

    @property
    def map(self) -> str:
        return plain(self.map_prose)

    @property
    def source(self) -> str:
        return plain(self.source_prose)


UNREAD = Information("", "", "", (), (), "", "", "")


def read(path: Path) -> Information:
    """The header of one file; InvalidInput with file and line where it is wrong."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise InvalidInput(f"Cannot read {_shown(path)}: {reason}.", "Give the path of a construction's file.") from None
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise wrong(path, line, f"{getattr(problem, 'msg', str(problem))}") from None
    docstring = ast.get_docstring(module)
    if docstring is None:
        raise wrong(path, 1, "there is no docstring at the top")
    first = module.body[0].lineno
    title, _, rest = docstring.partition("\n\n")
    header, _, text = rest.partition("\n\n")
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in header.splitlines())}
    missing = [field for field in REQUIRED if not fields.get(field)]
    unknown = [field for field in fields if field not in REQUIRED + OPTIONAL]
    if missing or unknown:
        line = first + docstring.partition("\n\n")[0].count("\n") + 2
        what = f"the line '{missing[0]}:' is missing" if missing else f"nothing is known of '{echo(unknown[0])}'"
        raise wrong(path, line, f"{what} in the header of the docstring",
                    f"It has {', '.join(REQUIRED)} and, if you like, {', '.join(OPTIONAL)}, one line each.")
    return Information(path.stem.replace("_", "-"), title.rstrip("."), fields["map"], _list(fields["routes"]),
                       _list(fields["gates"]), fields["source"], fields["standing"], text,
                       _list(fields.get("synonyms", "")), path)


def wrong(path: Path, line: int, what: str, remedy: str = "See docs/adding-a-construction.md.") -> InvalidInput:
    return InvalidInput(f"{_shown(path)}, line {line}: {what.rstrip('.')}.", remedy)


def _shown(path: Path) -> str:
    """The end of a long path says more than its beginning."""
    text = str(path)
    return echo(text if len(text) <= MOST else f"…{text[-MOST:]}")


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
