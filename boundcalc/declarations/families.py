"""Members of families: median[n=5] is the one of median for five numbers, what `boundcalc median --n 5` asks for.

The name of a member has all that was said, so that whoever has it can ask for the construction again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from shlex import quote
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, echo
from ..formulas.parameter import Kind, Parameter, exactly
from ..numbers.exact import exact_text

if TYPE_CHECKING:
    from .header import Information
    from .record import Construction, Family

BETWEEN = ";"


def split(name: str) -> tuple[str, dict[str, str]]:
    """A name and what stands in its brackets."""
    base, bracket, rest = name.partition("[")
    if not bracket or not rest.endswith("]"):
        return name, {}
    said = (part.partition("=") for part in rest[:-1].split(BETWEEN))
    return base, {key.strip(): value for key, _, value in said}


def joined(base: str, said: Mapping[str, str]) -> str:
    return f"{base}[{BETWEEN.join(f'{key}={value}' for key, value in said.items())}]" if said else base


def text_of(p: Parameter, raw: Any) -> str:
    """A value as it stands in a name, checked as far as its kind goes."""
    if p.kind is Kind.LIST:
        return ",".join(map(exact_text, p.entries(raw)))
    if p.kind is not Kind.TEXT:
        return exact_text(p.checked(raw))
    if not isinstance(raw, str):            # pairs of numbers, from Python
        raw = ",".join(":".join(exact_text(exactly(p.name, x)) for x in pair) for pair in raw)
    text = " ".join(raw.split())
    if not text or BETWEEN in text:
        raise InvalidInput(f"--{p.name} '{echo(text)}' cannot be read.",
                           f"For example --{p.name} '{p.example or p.default}'.")
    return text


def member(family: Family, info: Information, said: Mapping[str, str]) -> Construction:
    """The construction for what was said, with defaults and examples for the rest."""
    known = {p.name: p for p in family.parameters}
    for name in said:
        if name not in known:
            raise InvalidInput(f"{info.name} has no parameter '{echo(name)}'.", f"It has {', '.join(known)}.")
    texts = {}
    for name, p in known.items():
        raw = said.get(name, p.default if p.default is not None else p.example)
        texts[name] = text_of(p, raw)
    made = family.make(**{name: _value(known[name], text) for name, text in texts.items()})
    asked = " ".join([info.asked or info.name, *(f"--{name} {quote(text)}" for name, text in texts.items())])
    own = replace(info, name=joined(info.name, texts), asked=asked, map_prose=made.map or info.map_prose)
    return replace(made, family=family, information=own)


def _value(p: Parameter, text: str) -> object:
    if p.kind is Kind.INTEGER:
        return int(p.checked(text))
    if p.kind is Kind.LIST:
        return p.entries(text)
    return Fraction(p.checked(text)) if p.kind is Kind.RATIONAL else text


def needed(family: Family) -> dict[str, str]:
    """What has no default, with a value that will do."""
    return {p.name: p.example or "" for p in family.parameters if p.default is None}
