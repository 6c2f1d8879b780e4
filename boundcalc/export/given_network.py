"""The verification of an external network: what was counted in it, and what was observed and certified."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from ..layout import INDENT, table
from ..networks.network import Network
from ..numbers.exact import decimal_up, exact_text
from ..results.report import RESOURCES
from ..results.verification import Verification
from ..schemas.documents import BoundJson, QuantityJson
from .values import fraction, number
from .verified import verification

if TYPE_CHECKING:
    from ..verify.given_network import Request

FORMATS = ("text", "json")


def render(network: Network, wanted: Request, found: Verification, form: str, own_words: bool = False) -> str:
    """`own_words`: target and domain are what the file says of itself."""
    return _json(network, wanted, found, own_words) if form == "json" else _text(network, wanted, found, own_words)


def _text(network: Network, wanted: Request, found: Verification, own_words: bool) -> str:
    info = wanted.construction.information
    places = dict.fromkeys("the whole real line" if low is None or high is None else f"[{fraction(low)}, {fraction(high)}]"
                           for low, high in wanted.domains)
    where = f"every input in {next(iter(places))}" if len(places) == 1 else f"inputs in {', '.join(places)}"
    lines = [f"A network from a file, to compute {info.map} with {where}",
             *(f"{INDENT}{'ε' if k == 'eps' else k} = {fraction(v)}" for k, v in wanted.parameters.items() if k == "eps")]
    if own_words:
        lines.append(f"{INDENT}(target, domain and ε in the file's own words; only its weights are looked at)")
    rows = [[RESOURCES[name], number(Fraction(x), 8)] for name, x in network.resources().items() if x]
    return "\n".join([*lines, "", "Counted in the file", table(["", "value"], rows), "", verification(found)]) + "\n"


def _json(network: Network, wanted: Request, found: Verification, own_words: bool) -> str:
    from .json_ import SCHEMA, ends
    from .json_ import verification as as_dict
    counted = network.resources()
    result: BoundJson = {
        "schema": SCHEMA, "construction": wanted.construction.name, "route": None, "gate": None, "temperature": None,
        "parameters": {k: exact_text(v) for k, v in wanted.parameters.items()}, "choices": [],
        "domain": [ends(low, high) for low, high in wanted.domains],
        "resources": {name: None if name not in counted else _quantity(Fraction(counted[name])) for name in RESOURCES},
        "overhead": None, "error": None, "conditions": [], "lemmas": [], "symbols": {}, "sequence": None,
        "verification": as_dict(found)}
    if own_words:
        result["own_words"] = True
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _quantity(x: Fraction) -> QuantityJson:
    return {"symbolic": exact_text(x), "latex": exact_text(x), "exact": exact_text(x), "upper": decimal_up(x, 20)}
