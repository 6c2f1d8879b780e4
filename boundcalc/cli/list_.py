"""boundcalc list: every construction, from the headers of their files."""

from __future__ import annotations

import click

from ..declarations.header import Information
from ..declarations.registry import check, information, is_path, listed
from ..errors import InvalidInput, echo
from ..export import FORMATS, WRITTEN, Wishes, check_format
from ..schemas.documents import ConstructionJson
from . import options, output
from .command import Command


@click.command("list", cls=Command)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--format", "-f", "form", default="text", show_default=True, metavar="NAME", help=", ".join(FORMATS))
@output.file_option()
@click.option("--standalone", is_flag=True, help="with -f latex: a whole document that compiles")
@click.option("--full", is_flag=True, help="all routes and gates, with sources")
def command(name: str | None, form: str, path: str | None, standalone: bool, full: bool) -> None:
    """Every target with its counts and its error in closed form, or one by all of its routes and gates.

    As Markdown, LaTeX or HTML: a table of all targets with their bounds in closed form.
    """
    if name is not None:
        check(name)
        if is_path(name):
            raise InvalidInput("list does not execute files.", f"Use boundcalc show {echo(name)}.")
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for list.", f"Formats are {', '.join(FORMATS)}.")
    check_format(form, Wishes(standalone=standalone))
    output.check_ending(path, form, FORMATS)
    if form in WRITTEN:
        from ..export import catalogue, write
        with options.progress("deriving") as progress:
            document = catalogue.document(progress, name)
        output.write(write(document, form, standalone), path, form)
        return
    if form == "text" and not full:
        from ..export import overview
        with options.progress("deriving") as progress:
            text = overview.screen(progress, name)
        output.write(text, path, form)
        return
    rows = [information(name)] if name else list(listed())
    output.write({"text": _text, "json": _json, "bibtex": _bibtex}[form](rows), path, form)


def _text(rows: list[Information]) -> str:
    from ..layout import paragraph, table
    lines = [table(["name", "map", "routes", "gates"],
                   [[r.name, r.map, ", ".join(r.routes), ", ".join(r.gates)] for r in rows]), ""]
    lines += ["\n".join(paragraph(f"{r.name}: {r.title}. {r.source} ({r.standing})")) for r in rows]
    return "\n".join(lines) + "\n"


def _json(rows: list[Information]) -> str:
    import json
    found: list[ConstructionJson] = [
        {"name": r.name, "title": r.title, "map": r.map, "routes": list(r.routes), "gates": list(r.gates),
         "source": r.source, "standing": r.standing} for r in rows]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _bibtex(rows: list[Information]) -> str:
    from ..lemmas.bibliography import bibtex, mentioned
    return bibtex(mentioned(r.source for r in rows))
