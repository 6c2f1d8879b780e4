"""The verification of an external network: what was counted in it, and what was observed and certified."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..layout import ends, filled, row
from ..networks.network import Network
from ..numbers.exact import decimal_up, exact_text
from ..results.report import RESOURCES
from ..results.verification import Verification
from ..schemas.documents import BoundJson, QuantityJson
from .screen import COSTS
from .values import briefly, equals, fraction
from .verified import outcome, screen

if TYPE_CHECKING:
    from ..verify.given_network import Request

FORMATS = ("text", "json")
LISTED = 4          # inputs whose ranges are written one by one


def render(network: Network, wanted: Request, found: Verification, form: str, own_words: bool = False,
           quiet: bool = False) -> str:
    """`own_words`: target and domain are what the file says of itself."""
    return _json(network, wanted, found, own_words) if form == "json" else _text(network, wanted, found, own_words, quiet)


def _text(network: Network, wanted: Request, found: Verification, own_words: bool, quiet: bool) -> str:
    info = wanted.construction.information
    places = ["ℝ" if low is None or high is None else f"[{fraction(low)}, {fraction(high)}]" for low, high in wanted.domains]
    if len(set(places)) == 1:
        where = places[0] + ("" if len(places) == 1 else {2: "²", 3: "³"}.get(len(places), f"^{len(places)}"))
    elif len(places) > LISTED:
        where = f"inputs in {', '.join(dict.fromkeys(places))}"
    else:
        where = ", ".join(f"{to_unicode(symbol(x))} in {place}" for x, place in zip(network.inputs, places, strict=True))
    goal = f" within {equals('ε', wanted.parameters['eps'])}" if "eps" in wanted.parameters else ""
    name = f"{info.name:<4}   "
    indent = len(name)
    lines = ends(f"{name}{info.map} on {where}{goal}", outcome(found))
    lines = [lines[0], *(" " * indent + x.strip() for x in lines[1:])]
    if quiet:
        return lines[0] + "\n"
    said = "; target, domain and ε in the file's own words" if own_words else ""
    lines += filled(f"a network from a file: only its weights are looked at{said}", indent=indent, start=indent)
    lines += ["", *screen(found), "", "counted in the file"]
    for key, x in network.resources().items():
        if x:
            lines += row(f"  {COSTS.get(key) or RESOURCES[key]}", [], briefly(Fraction(x)))
    return "\n".join(lines) + "\n"


def _json(network: Network, wanted: Request, found: Verification, own_words: bool) -> str:
    from .json_ import SCHEMA
    from .json_ import ends as ends_of
    from .json_ import verification as as_dict
    counted = network.resources()
    result: BoundJson = {
        "schema": SCHEMA, "construction": wanted.construction.name, "route": None, "gate": None, "temperature": None,
        "parameters": {k: exact_text(v) for k, v in wanted.parameters.items()}, "choices": [],
        "domain": [ends_of(low, high) for low, high in wanted.domains],
        "resources": {name: None if name not in counted else _quantity(Fraction(counted[name])) for name in RESOURCES},
        "overhead": None, "error": None, "conditions": [], "alternatives": [], "notes": [], "lemmas": [], "symbols": {},
        "sequence": None,
        "verification": as_dict(found)}
    if own_words:
        result["own_words"] = True
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _quantity(x: Fraction) -> QuantityJson:
    return {"symbolic": exact_text(x), "latex": exact_text(x), "exact": exact_text(x), "upper": decimal_up(x, 20)}
