"""The JSON Schemas are those of the records that are written: the same keys, the same types, the same words.

Writers are typed by the records (mypy); here every object of a schema is compared with its record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from boundcalc.claims.model import VERDICTS
from boundcalc.export.names import LayerKind
from boundcalc.formulas.symbols import PARAMETERS
from boundcalc.gates import GATES, GRIDS, TEMPERATURES
from boundcalc.networks.network import AffineLayer, AttentionLayer, Head
from boundcalc.results.glossary import TERMS
from boundcalc.results.report import HEAD_MATRICES, RESOURCES
from boundcalc.schemas import schema
from boundcalc.schemas.documents import BoundJson, ConstructionJson, FindingsJson, Rounded
from boundcalc.tune import choice

Schema = dict[str, Any]
TYPES = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


def simple(node: Schema, root: Schema) -> Iterator[Schema]:
    """A schema as alternatives without references; what only refines another part (if, then, not) is left out."""
    if "$ref" in node:
        rest = {k: v for k, v in node.items() if k != "$ref"}
        for target in simple(root["$defs"][node["$ref"].removeprefix("#/$defs/")], root):
            yield {**target, **rest}
    elif "anyOf" in node and "properties" not in node:
        for part in node["anyOf"]:
            yield from simple(part, root)
    elif "allOf" in node:
        merged: Schema = {k: v for k, v in node.items() if k != "allOf"}
        for part in node["allOf"]:
            (found,) = simple(part, root)
            merged = {**merged, **found, "properties": {**merged.get("properties", {}), **found.get("properties", {})}}
        # a document's own properties win over what refines them
        yield {**merged, "properties": {**merged["properties"], **node.get("properties", {})}}
    else:
        yield node


def types_of(node: Schema) -> set[str]:
    if "const" in node or "enum" in node:
        return {TYPES[type(x)] for x in node.get("enum", [node.get("const")])}
    found = node.get("type", ())
    return {found} if isinstance(found, str) else set(found)


class Comparison:
    """What schemas allow under every key of every record, over all the places where the record stands."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.expected: dict[str, set[str]] = {}
        self.allowed: dict[str, set[str]] = {}
        self.problems: list[str] = []

    def at(self, nodes: list[Schema], hint: Any, place: str) -> None:
        """The schemas for one place, taken together."""
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        found = [s for node in nodes for s in simple(node, self.root)]
        expected: set[str] = set()
        for part in parts:
            origin = get_origin(part)
            if is_typeddict(part):
                expected.add("object")
                self.record([s for s in found if "properties" in s], part, place)
            elif origin is dict:
                expected.add("object")
                self.at([x for s in found for x in (*s.get("properties", {}).values(), s.get("additionalProperties"))
                         if isinstance(x, dict)], get_args(part)[1], f"{place}.*")
            elif origin is list:
                expected.add("array")
                self.at([x for s in found for x in (*s.get("prefixItems", ()), s.get("items")) if isinstance(x, dict)],
                        get_args(part)[0], f"{place}[]")
            elif origin is Literal:
                expected |= {"string", *(f"the word {word}" for word in get_args(part))}
            else:
                expected.add(TYPES[part])
        allowed: set[str] = set().union(*map(types_of, found))
        if any(get_origin(part) is Literal for part in parts):
            allowed |= {f"the word {word}" for s in found for word in s.get("enum", ())}
        self.expected[place] = expected
        self.allowed.setdefault(place, set()).update(allowed)

    def record(self, nodes: list[Schema], record: Any, place: str) -> None:
        hints = get_type_hints(record, include_extras=True)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        for node in nodes:
            if set(node["required"]) != hints.keys() - optional:
                self.problems.append(f"{place}: {sorted(node['required'])} are required")
            if not set(node["properties"]) <= hints.keys() or node["additionalProperties"] is not False:
                self.problems.append(f"{place}: {sorted(node['properties'])} are allowed")
        for name, hint in hints.items():
            inner = [x for node in nodes if isinstance(x := node["properties"].get(name), dict)]
            self.at(inner, get_args(hint)[0] if name in optional else hint, f"{record.__name__}.{name}")


def differences(nodes: list[Schema], hint: Any, root: Schema) -> list[str]:
    """Where schemas, taken together, are not what the record says."""
    found = Comparison(root)
    found.at(nodes, hint, "")
    return [*found.problems, *(f"{place}: {sorted(found.allowed[place])} instead of {sorted(expected)}"
                               for place, expected in found.expected.items() if found.allowed[place] != expected)]


def bound_schemas() -> tuple[list[Schema], Schema]:
    root = schema("bound")
    return [root["$defs"][kind] for kind in ("bound", "closed_forms", "file")], root


def test_bounds_are_their_record() -> None:
    nodes, root = bound_schemas()
    assert differences(nodes, BoundJson, root) == []


def test_findings_are_their_record() -> None:
    root = schema("findings")
    assert differences([root], FindingsJson, root) == []


def test_the_list_is_its_record() -> None:
    root = schema("list")
    assert differences([root], list[ConstructionJson], root) == []


def changed(node: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy in which something else stands under a path; None takes it away."""
    if not path:
        return value
    copied = dict(node) if isinstance(node, dict) else list(node)
    inner = changed(node.get(path[0], {}) if isinstance(node, dict) else node[path[0]], path[1:], value)
    if inner is None:
        del copied[path[0]]
    else:
        copied[path[0]] = inner
    return copied


@pytest.mark.parametrize(("path", "value"), [
    (("$defs", "choice", "properties", "why"), None), (("$defs", "choice", "properties", "why"), {"type": "integer"}),
    (("$defs", "choice", "required"), ["name", "value", "kind", "rule"]),
    (("$defs", "choice", "additionalProperties"), True),
    (("$defs", "choice", "properties", "kind", "enum"), ["closed", "searched", "given", "guessed"]),
    (("$defs", "quantity", "properties", "extra"), {"type": "string"}),
    (("$defs", "quantity", "properties", "upper"), {"type": "number"}),
    (("$defs", "verification", "properties", "holds", "type"), ["boolean"]),
    (("$defs", "beta", "properties", "rounded"), None), (("$defs", "choice", "properties", "bound"), None),
    (("$defs", "verification", "properties", "certified", "required"), ["error", "method"]),
    (("$defs", "bound", "properties", "sequence", "properties", "answer"), {"type": "boolean"}),
    (("$defs", "file", "properties", "overhead"), {"type": "string"}),
], ids=str)
def test_another_schema_is_noticed(path: tuple[str | int, ...], value: Any) -> None:
    root = changed(schema("bound"), path, value)
    assert differences([root["$defs"][kind] for kind in ("bound", "closed_forms", "file")], BoundJson, root)


def test_networks_are_their_records() -> None:
    """A layer is written with its kind, a head with its fields."""
    found = schema("network")["$defs"]
    for name, record in (("affine", AffineLayer), ("attention", AttentionLayer)):
        assert set(found[name]["required"]) == set(found[name]["properties"]) == {"kind", *(f.name for f in fields(record))}
    assert set(found["head"]["required"]) == set(found["head"]["properties"]) == {f.name for f in fields(Head)}
    assert set(found["layer"]["properties"]["kind"]["enum"]) == {kind.value.lower() for kind in LayerKind}


def test_words_are_those_of_the_program() -> None:
    found = schema("bound")["$defs"]
    assert found["gate"]["enum"] == [*GATES, None]
    assert schema("list")["items"]["properties"]["gates"]["items"]["enum"] == list(GATES)
    assert found["temperature"]["enum"] == [*TEMPERATURES, None]
    assert found["grid"]["enum"] == list(GRIDS)
    assert set(found["term_name"]["anyOf"][0]["enum"]) == set(TERMS)
    assert set(HEAD_MATRICES.values()) < set(found["matrix_name"]["enum"])
    assert found["choice"]["properties"]["kind"]["enum"] == list(get_args(choice.ChosenBy))
    assert found["beta"]["properties"]["rounded"]["enum"] == list(get_args(choice.Rounded)) == list(get_args(Rounded))
    for kind in ("bound", "closed_forms", "file"):
        assert list(found[kind]["properties"]["resources"]["properties"]) == list(RESOURCES)
    assert schema("findings")["$defs"]["finding"]["properties"]["verdict"]["enum"] == list(VERDICTS)


def test_parameters_have_the_numbers_that_their_symbols_stand_for() -> None:
    kinds = {("positive",): "positive", ("nonnegative",): "nonnegative", ("real",): "rational",
             ("integer", "positive"): "natural", ("integer", "nonnegative"): "natural"}
    listed = schema("bound")["$defs"]["parameters"]["properties"]
    known = {name: part for name, part in listed.items() if name in PARAMETERS}
    assert len(known) >= 15
    for name, part in known.items():
        assert part["$ref"] == f"#/$defs/{kinds[PARAMETERS[name].assumptions]}", name
