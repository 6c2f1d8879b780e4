"""A proof object in a few sentences. Untrusted: it reads the object, the checker has decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..claims.model import Finding

MOST = 6  # sentences


def argument(f: Finding) -> str:
    """What the object does, two to six sentences."""
    assert f.proof is not None
    body = f.proof["proof"]
    found = list(dict.fromkeys(_statement(f, body)))
    shown = found[: MOST - 1] if len(found) > MOST else found
    if len(found) > MOST:
        shown.append(f"{len(found) - len(shown)} further steps of these kinds follow.")
    return " ".join(shown)


def _statement(f: Finding, body: dict[str, Any]) -> Iterator[str]:
    if f.verdict == "refuted":
        if "point" in body:
            yield f"At {_point(body['point'])} both sides are defined and the relation fails, by enclosures."
        elif "parts" in body:
            places = "; ".join(_point(p["at"]) for p in body["parts"])
            yield f"For every value of the constant there is a point at which the relation fails: {places}."
        elif "first" in body:
            yield f"The values at {_point(body['first']['point'])} and at {_point(body['second']['point'])} differ."
        elif "x" in body:
            yield f"Along {body['x']}, t → ∞, the quotient of the two sides leaves every bound."
    if f.verdict == "conditional":
        yield f"With {body['condition']} the claim is proved, without it its negation is."
    if f.verdict == "vacuous" and f.reason:
        text = str(f.reason[0])
        yield f"{text[:1].upper()}{text[1:]}."
    if "constant" in body and isinstance(body["constant"], str):
        yield f"The constant {body['constant']} will do."
    if f.axioms:
        lemmas = list(dict.fromkeys(a.lemma for a in f.axioms if a.lemma))
        yield f"About the quantities it is used what is derived: {', '.join(lemmas[:4])}."
    yield from _nodes(body)


def _point(point: dict[str, Any]) -> str:
    return ", ".join(f"{x} = {v if len(str(v)) < 40 else str(v)[:38] + '…'}" for x, v in point.items())


def _nodes(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for part in node:
            yield from _nodes(part)
    if not isinstance(node, dict):
        return
    match node.get("r"):
        case "mono":
            way, place = ("grows", "lower") if node["up"] else ("falls", "upper")
            yield f"The difference {way} with {_name(node['x'])}, so it is least at the {place} end of its range."
        case "sum":
            yield "It is a sum of terms that are not negative."
        case "zero":
            yield "Both sides are equal by normal form."
        case "split":
            yield f"Cases for {_name(node['x'])} at {', '.join(node['at'][:4])}{', …' if len(node['at']) > 4 else ''}."
        case "case":
            yield f"Cases for the sign of {node['t']}."
        case "apply":
            yield {
                "log": "Logarithms of both sides are compared.",
                "exp": "Exponentials of both sides are compared.",
                "square": "The squares of both sides are compared.",
                "W": "W increases, so W(u) ≤ r says u ≤ r·e^r.",
            }[node["fn"]]
        case "step":
            yield f"By induction on {_name(node['x'])}."
        case "name":
            yield f"⌊{node['u']}⌋ is a whole number between {node['u']} − 1 and {node['u']}."
        case "whole":
            yield "Whole numbers above −1 are at least 0."
        case "range":
            yield "Interval arithmetic settles what is left."
    for key in (
        "cases",
        "inside",
        "outside",
        "parts",
        "p",
        "slope",
        "end",
        "fact",
        "defs",
        "d",
        "where",
        "use",
        "+",
        "-",
        "upper",
        "lower",
    ):
        if key in node:
            yield from _nodes(node[key])


def _name(x: str) -> str:
    return x.split("_z")[0]
