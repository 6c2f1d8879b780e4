"""boundcalc recheck: a stored proof object is checked again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ..errors import InvalidInput, echo
from . import output
from .command import Command
from .main import DONE


@click.command("recheck", cls=Command)
@click.argument("file", metavar="F.json")
def command(file: str) -> int:
    """Check a proof object that `check --proof-object F.json` wrote: claim, conditions and rows are those of the file."""
    from ..claims.check import changed_rows, objects_in, recheck
    try:
        data: Any = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InvalidInput(f"Cannot read {echo(file)}: {problem.strerror}.", "Give the name of a readable file.") from None
    except ValueError:
        raise InvalidInput(f"{echo(file)} is not JSON.", "Give a file that check --proof-object wrote.") from None
    if not isinstance(data, dict):
        raise InvalidInput(f"{echo(file)} is no proof object.", "Give a file that check --proof-object wrote.")
    lines: list[str] = []
    for part in objects_in(data):
        decision = recheck(part)
        lines += [f"{decision.verdict.upper()}: {part['claim']}" + (f" for {part['for']}" if part.get("for") else "")]
        lines += [f"  assumed    {', '.join(decision.assumed)}"] if decision.assumed else []
        lines += [f"  condition  {decision.condition}"] if decision.condition else []
        lines += [f"  believed   {name} (sha256 {sha[:16]}…)" for name, sha in decision.rows]
        lines += [f"  warning    {name} is not what boundcalc has for it today; check the claim again"
                  for name in changed_rows(part)]
        lines += [f"  steps      {decision.steps}"]
    output.write("\n".join(lines) + "\n", None)
    return DONE
