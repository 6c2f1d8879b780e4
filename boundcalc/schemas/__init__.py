"""JSON Schemas (draft 2020-12) of everything that boundcalc writes as JSON. Needs nothing heavy."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, echo

FOLDER = Path(__file__).parent
SCHEMAS = {     # name → what writes such JSON
    "bound": "NAME -f json, show NAME -f json, verify NAME -f json, verify FILE --target NAME -f json",
    "findings": "check -f json",
    "network": "weights NAME",
    "list": "list -f json",
}


def schema_text(name: str) -> str:
    """A schema as it stands in its file."""
    if name not in SCHEMAS:
        near = get_close_matches(name[:60], SCHEMAS, n=1, cutoff=0.5)
        raise InvalidInput(f"There is no schema '{echo(name)}'.",
                           f"Did you mean {near[0]}?" if near else f"Schemas are {', '.join(SCHEMAS)}.")
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of that name: bound, findings, network or list."""
    found: dict[str, Any] = json.loads(schema_text(name))
    return found
