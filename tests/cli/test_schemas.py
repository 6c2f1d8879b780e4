"""The published JSON Schemas: they accept everything that the program writes, and nothing that was tampered with."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import boundcalc
from boundcalc.claims.check import check
from boundcalc.claims.model import VERDICTS, Claim, Finding
from boundcalc.cli.main import main
from boundcalc.errors import InvalidInput
from boundcalc.export import Wishes, findings, json_, render
from boundcalc.export import given_network as foreign
from boundcalc.networks.file import FORMAT, load, save, to_json
from boundcalc.results.report import RESOURCES, report_of
from boundcalc.results.verification import Certified, NotCertified, Observation, Verification
from boundcalc.schemas import FOLDER, SCHEMAS, schema
from boundcalc.verify.given_network import request, verify_file
from tests.claims import planted
from tests.export import test_export
from tests.export.test_export import Way, bound_of, document, every_case, every_way
from tests.selection import few, whole
from tests.verify.test_certify import heated

HEAVY = ("sympy", "numpy", "flint", "mpmath", "jsonschema")
Document = Any
Path_ = tuple[str | int, ...]


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def accept(name: str, doc: Document) -> None:
    problems = [f"{e.json_path}: {e.message[:200]}" for e in validator(name).iter_errors(doc)]
    assert problems == []


def rejected(name: str, doc: Document) -> bool:
    return not validator(name).is_valid(doc)


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Callable[..., Document]:
    """What a command writes as JSON; it must end with the given exit code."""
    def run(*arguments: str, code: int = 0) -> Document:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert (end.value.code, err) == (code, "")
        return json.loads(out)
    return run


# ---------------------------------------------------------------------------------------------------------------
# the schemas themselves

def parts(node: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a schema."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from parts(inner)


VERSIONS = {"findings": 2}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["$id"] == f"urn:boundcalc:{name}:{VERSIONS.get(name, 1)}"
    for part in parts(found):
        target = part.get("$ref")
        if isinstance(target, str):
            assert target.startswith("#/$defs/"), "a schema stands on its own"
            assert target.removeprefix("#/$defs/") in found["$defs"]
    used = {part["$ref"].removeprefix("#/$defs/") for part in parts(found) if isinstance(part.get("$ref"), str)}
    assert used == set(found["$defs"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_object_is_open(name: str) -> None:
    """Every object says what else it may have; only a layer leaves that to its kind."""
    for part in parts(schema(name)):
        if "object" in part.get("type", ()) and "required" in part and part["required"] != ["kind"]:
            assert part["additionalProperties"] is False
            assert set(part["required"]) <= set(part["properties"])
            assert set(part["properties"]) - set(part["required"]) <= {
                "grid", "sentinels", "dimensions", "bound", "rounded", "about", "own_words", "parts", "relative", "outputs",
                    "relu", "against"}


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_pattern_ends_before_a_line_break(name: str) -> None:
    """Python's $ also matches before a final line break, that of other languages does not."""
    for part in parts(schema(name)):
        if isinstance(part.get("pattern"), str) and part["pattern"].endswith("$"):
            assert part["not"] == {"pattern": "\n"}


def test_what_schemas_share_is_the_same() -> None:
    definitions = [schema(name)["$defs"] for name in ("bound", "findings", "network")]
    for key in ("rational", "positive"):
        assert len({json.dumps(d[key], sort_keys=True) for d in definitions if key in d}) == 1


def test_names_agree_with_the_program() -> None:
    bound, found = schema("bound")["$defs"], schema("findings")
    for kind in ("bound", "closed_forms", "file"):
        assert bound[kind]["properties"]["resources"]["required"] == list(RESOURCES)
        assert bound[kind]["properties"]["schema"] == {"const": json_.SCHEMA}
    assert found["properties"]["schema"] == {"const": findings.SCHEMA}
    assert found["$defs"]["finding"]["properties"]["verdict"]["enum"] == list(VERDICTS)
    assert schema("network")["properties"]["format"] == {"const": FORMAT}


# ---------------------------------------------------------------------------------------------------------------
# what the program writes: bounds

@every_case
def test_bounds(way: Way, case: str) -> None:
    accept("bound", document(way, case))


@every_way
def test_closed_forms(way: Way) -> None:
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    accept("bound", json.loads(render(report, "json", Wishes(dimensions=True, proof=True))))


SEVERAL_ROUTES = [("show", "mult"), ("show", "max", "--dimensions")]


@pytest.mark.parametrize("arguments", SEVERAL_ROUTES, ids=" ".join)
def test_closed_forms_of_several_routes_are_a_list(written: Callable[..., Document], arguments: tuple[str, ...]) -> None:
    doc = written(*arguments, "-f", "json")
    accept("bound", doc)
    assert len(doc) >= 2


@pytest.mark.parametrize("arguments", [
    ("show", "clip", "--gate", "anchors", "--temperature", "hard", "--sentinels"), ("show", "max", "--route", "direct"),
    ("max", "--n", "3", "--beta", "40"), ("relu", "--eps", "1e-1000"), ("relu", "--eps", "1/7", "--d", "100"),
    ("mult", "--eps", "1e-300", "--dimensions"), ("square", "--m", "0", "--beta", "30"),
    ("min", "--n", "100", "--eps", "1e-3", "--route", "tree"), ("verify", "max", "--n", "4", "--eps", "1e-3"),
    ("mult", "--eps", "1e-2", "--verify", "--digits", "20"), ("verify", "relu", "--beta", "7"),
], ids=" ".join)
def test_bounds_of_commands(written: Callable[..., Document], arguments: tuple[str, ...]) -> None:
    accept("bound", written(*arguments, "-f", "json"))


def test_a_total_between_which_and_eps_no_decimal_fits(written: Callable[..., Document]) -> None:
    doc = written("clip", "--eps", "1/144", "--gate", "anchor", "--range", "0,1", "-f", "json")
    assert doc["error"]["total"]["upper"] == "1/144"
    accept("bound", doc)


# ---------------------------------------------------------------------------------------------------------------
# verifications

@cache
def verified(holds: bool | None, proved: bool) -> Document:
    """A small bound with a verification of any outcome."""
    report = report_of(bound_of(("relu", "recipe", "silu"), "eps"))
    seen = Observation(Fraction(1, 3) if holds is False else Fraction(1, 10**6), {"x": Fraction(-2, 7)}, Fraction(0), 12, 50)
    above = Fraction(1, 2) if holds is not True else Fraction(2, 10**6)
    certified = Certified(above, "boxes", 7) if proved else NotCertified("no method")
    found = Verification(seen, certified, report.parameters["eps"], signature="diffuse" if holds is False else None)
    assert found.holds is holds
    return json.loads(render(report.verified(found), "json"))


@pytest.mark.parametrize(("holds", "proved"), [(True, True), (False, True), (False, False), (None, True), (None, False)])
def test_verifications_of_every_outcome(holds: bool | None, proved: bool) -> None:
    accept("bound", verified(holds, proved))


def test_a_verification_without_a_certificate(written: Callable[..., Document]) -> None:
    doc = written("verify", "relu", "--sequence", "2", "--eps", "1e-1", "-f", "json", code=3)
    assert (doc["verification"]["certified"], doc["verification"]["holds"]) == (None, None)
    accept("bound", doc)


@pytest.fixture
def network(tmp_path: Path) -> Callable[..., str]:
    """The file of a network, its inverse temperatures multiplied by a factor."""
    def write(name: str, factor: Fraction = Fraction(1), **options: Any) -> str:
        path = tmp_path / f"{name}.json"
        save(heated(boundcalc.bound(name, **options).network, factor), path)
        assert load(path).inputs
        return str(path)
    return write


def test_files(written: Callable[..., Document], network: Callable[..., str]) -> None:
    relu = network("relu", eps="1e-2")
    for extra, code in (((), 0), (("--eps", "1e-2"), 0), (("--eps", "1e-2", "--M", "3"), 0), (("--eps", "1e-5"), 1)):
        doc = written("verify", relu, "--target", "relu", *extra, "-f", "json", code=code)
        assert doc["verification"]["holds"] is (code == 0)
        accept("bound", doc)
    clip = network("clip", eps="1e-2", gate="ffn", w=("1", "-1/2"), t="1/3", d=2)
    accept("bound", written("verify", clip, "--target", "clip", "--w", "1,-1/2", "--t", "1/3", "-f", "json"))


def test_a_file_that_fails_with_a_signature(written: Callable[..., Document], network: Callable[..., str]) -> None:
    path = network("relu", Fraction(1, 4), eps="1e-2")
    doc = written("verify", path, "--target", "relu", "--eps", "1e-2", "-f", "json", code=1)
    assert doc["verification"]["signature"]
    accept("bound", doc)


def test_a_file_that_is_not_decided(written: Callable[..., Document], network: Callable[..., str]) -> None:
    path = network("relu", eps="1e-1", sequence=3)
    doc = written("verify", path, "--target", "relu", "--eps", "1", "--M", "1", "-f", "json", code=3)
    assert doc["verification"]["reason"]
    accept("bound", doc)


def test_every_document_has_the_same_keys(written: Callable[..., Document], network: Callable[..., str]) -> None:
    """Scripts need not ask what kind of document they read."""
    bound = written("relu", "--eps", "1e-2", "-f", "json")
    for arguments in (("show", "relu"), ("verify", network("relu", eps="1e-2"), "--target", "relu")):
        other = written(*arguments, "-f", "json")
        assert list(other) == list(bound)
        assert list(other["resources"]) == list(bound["resources"]) == list(RESOURCES)


# ---------------------------------------------------------------------------------------------------------------
# findings, networks, the list

EVERY = 8 if whole() else 24
SAMPLE = [row[:2] for rows in (planted.TRUE_TIGHT, planted.TRUE_LOOSE, planted.FALSE) for row in rows[::EVERY]]
SAMPLE += [row[:2] for row in (*few(planted.CONDITIONAL, 2), *few(planted.VACUOUS, 2))]
SAMPLE += [("abs(sin(n)) >= 10**(-20)", "n >= 1"), ("sin(x) + cos(x**3) < 2", "x > 0")]
SAMPLE += [("max.beta <= 1/eps", ""), ("mult.beta <= eps", "0 < eps <= 1/100")]
STEPS = 4000            # of a search
GROWTH = [      # both sides tiny, negative, and a right side above the left one: no constant will do, whatever the point
    ("1/n**60 = O(1/n**61) as n -> inf", "refuted"), ("1/n = Theta(n**(-1001/1000)) as n -> inf", "refuted"),
    ("-n**2 = O(n) as n -> inf", "refuted"), ("n = o(2*n) as n -> inf", "refuted"), ("n = o(n) as n -> inf", "refuted"),
    ("log(log(n)) = O(10) as n -> inf", "refuted"),
]


@cache
def finding(claim: str, domain: str) -> Finding:
    return check(Claim(claim, "a", domain), steps=STEPS)


@cache
def all_findings() -> Document:
    return json.loads(findings.as_json([finding(*row) for row in SAMPLE]))


def check_witness(witness: Document) -> None:
    """What is said to hold between the two sides does, as they are printed."""
    left, right = Fraction(witness["left"]), Fraction(witness["right"])
    assert {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right,
            "!=": left != right}[witness["relation"]]


@pytest.mark.dear
def test_findings_of_all_verdicts() -> None:
    doc = all_findings()
    accept("findings", doc)
    assert {f["verdict"] for f in doc["findings"]} == set(VERDICTS)
    for f in doc["findings"]:
        if f["witness"]:
            check_witness(f["witness"])


@pytest.mark.parametrize(("claim", "verdict"), GROWTH, ids=lambda x: x)
def test_a_claim_about_growth_is_refuted_by_an_argument(claim: str, verdict: str) -> None:
    """No point refutes it, so there is none; it may stay open, and then it says why."""
    doc = json.loads(findings.as_json([finding(claim, "")]))
    accept("findings", doc)
    (found,) = doc["findings"]
    assert found["verdict"] in (verdict, "supported", "undecided")
    assert found["witness"] is None
    assert found["argument" if found["verdict"] == verdict else "reason"]


def test_findings_of_a_command(written: Callable[..., Document], tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text('[[claim]]\nclaim = "2*n = O(n) as n -> inf"\n[[claim]]\nid = "b"\nclaim = "1 <= 2"\n', encoding="utf-8")
    accept("findings", written("check", str(path), "-f", "json"))
    accept("findings", written("check", "--claim", "x**2 <= 4", "--for", "x >= 0", "-f", "json", code=3))


SMALL = "line or M = 1, delta"


@every_way
def test_networks(way: Way) -> None:
    accept("network", json.loads(to_json(bound_of(way, SMALL).network)))


@pytest.mark.parametrize("case", [c for c in test_export.VARIANTS if c.startswith(("sentinels", "sequence", "linear"))])
def test_networks_of_variants(case: str) -> None:
    accept("network", json.loads(to_json(bound_of(test_export.VARIANTS[case][0], case).network)))


def test_the_network_of_a_command(written: Callable[..., Document]) -> None:
    accept("network", written("weights", "mult", "--eps", "1e-1"))


def test_the_list(written: Callable[..., Document]) -> None:
    doc = written("list", "-f", "json")
    assert [row["name"] for row in doc] == list(boundcalc.names())
    accept("list", doc)


# ---------------------------------------------------------------------------------------------------------------
# what nobody may write

def places(node: Document, path: Path_ = ()) -> Iterator[tuple[Path_, Document]]:
    """Every value in a document, with its path."""
    yield path, node
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def shape(node: Document) -> str:
    """What kind of value it is: its keys and types, numbers and texts aside."""
    if isinstance(node, dict):
        return str({key: shape(value) for key, value in node.items()})
    return str([shape(x) for x in node]) if isinstance(node, list) else type(node).__name__


def thinned(node: Document) -> Document:
    """The document with one item of every shape in every list."""
    if isinstance(node, dict):
        return {key: thinned(value) for key, value in node.items()}
    if not isinstance(node, list) or not any(isinstance(x, dict | list) for x in node):
        return node
    return list({shape(x): thinned(x) for x in reversed(node)}.values())[::-1]


def changed(node: Document, path: Path_, change: Callable[[Document], Document]) -> Document:
    """The document with another value in one place; the original stays as it is."""
    if not path:
        return change(node)
    result = node.copy()
    result[path[0]] = changed(node[path[0]], path[1:], change)
    return result


def one_of_each_verdict() -> Document:
    doc = all_findings()
    return {**doc, "findings": list({f["verdict"]: f for f in doc["findings"]}.values())}


def file_of(name: str) -> Document:
    """What is said about a network from a file."""
    network = boundcalc.bound(name, eps="1e-2").network
    wanted = request(network, name, {"eps": Fraction(1, 100)})
    return json.loads(foreign.render(network, wanted, verify_file(network, wanted), "json"))


def without(key: str) -> Callable[[Document], Document]:
    return lambda node: {k: v for k, v in node.items() if k != key}


MADE: dict[str, tuple[str, Callable[[], Document]]] = {
    "certified": ("bound", lambda: verified(True, True)),
    "witness": ("bound", lambda: verified(False, True)),
    "undecided": ("bound", lambda: verified(None, False)),
    "anchors in a sequence": ("bound", lambda: document(("clip", "recipe", "anchors"), "sequence, anchors")),
    "searched": ("bound", lambda: document(("recip", "recipe", "silu"), "searched beta")),
    "file": ("bound", lambda: file_of("relu")),
    "closed forms": ("bound", lambda: json.loads(render(report_of(boundcalc.closed_forms("relu")), "json"))),
    "findings": ("findings", one_of_each_verdict),
    "network": ("network", lambda: json.loads(to_json(boundcalc.bound("mult", eps="1/2").network))),
    "relu network": ("network", lambda: json.loads(to_json(boundcalc.bound("relu", eps="1/2", gate="ffn").network))),
    "list": ("list", lambda: [{"name": "relu", "title": "Rectifier", "map": "x", "routes": ["recipe"], "gates": ["silu"],
                               "source": "known", "standing": "derived"}]),
}
every_document = pytest.mark.parametrize("key", [key for key in MADE if key not in ("witness", "undecided")])
OPTIONAL = {"rounded", "dimensions", "about", "own_words"}        # a document without them is one, too


@cache
def example(key: str) -> tuple[str, Document]:
    """A valid document to be tampered with, and the name of its schema."""
    name, make = MADE[key]
    return name, thinned(make())


def is_map(path: Path_) -> bool:
    """Names to numbers, or to words; which names is not fixed."""
    return path in (("parameters",), ("about", "parameters"), ("symbols",)) or (
        path[-1:] == ("at",) or path[-2:] == ("witness", "parameters"))


@every_document
def test_documents_are_valid_before_they_are_tampered_with(key: str) -> None:
    accept(*example(key))


@every_document
def test_no_key_can_be_missing(key: str) -> None:
    name, doc = example(key)
    for path, node in places(doc):
        if isinstance(node, dict) and not is_map(path) and path != ("about",):
            for missing in set(node) - OPTIONAL:
                assert rejected(name, changed(doc, path, without(missing))), (path, missing)


@every_document
def test_no_key_can_be_added(key: str) -> None:
    name, doc = example(key)
    for path, node in places(doc):
        if isinstance(node, dict):
            added = "un known" if is_map(path) and path[-1] != "at" else "unknown"
            value = 0.5 if is_map(path) else None
            assert rejected(name, changed(doc, path, lambda n, a=added, v=value: {**n, a: v})), path


@every_document
def test_no_value_can_be_of_another_type(key: str) -> None:
    """A JSON number where an exact text stands, above all."""
    name, doc = example(key)
    for path, node in places(doc):
        for other in (0.5, "", *([True] if type(node) is int else [{}] if node is None else [])):
            assert rejected(name, changed(doc, path, lambda _, o=other: o)), (path, other)


NUMBERS = ["1e-3 ", " 1", "1\n", "+1", "--1", "01", "1.", ".5", "0.50", "1/1", "1/0", "1/-2", "1/2/3", "2/03", "1,5", "0x10",
           "1e+3", "1E3", "10e3", "1e03", "-0", "NaN", "Infinity", "infinity", "nan", "１", "1_000", "m", "2**3", ""]


@pytest.mark.parametrize(("name", "kind"), [
    *(("bound", kind) for kind in ("rational", "nonnegative", "positive", "natural", "decimal")),
    ("findings", "rational"), ("findings", "signed_decimal"), ("network", "rational"), ("network", "positive")])
def test_numbers_are_written_in_one_way(name: str, kind: str) -> None:
    only = Draft202012Validator({**schema(name), "$ref": f"#/$defs/{kind}", "if": True, "then": True, "type": "string",
                                 "required": [], "properties": {}})
    assert only.is_valid("12")
    assert only.is_valid("-12") == (kind in ("rational", "signed_decimal"))
    assert only.is_valid("3/4") == (kind in ("rational", "nonnegative", "positive"))
    assert only.is_valid("-0.75") == (kind == "signed_decimal")
    assert only.is_valid("1.5e-30") == only.is_valid("0.00075") == (kind in ("decimal", "signed_decimal"))
    assert only.is_valid("0") == (kind != "positive")
    for bad in NUMBERS:
        assert not only.is_valid(bad), bad


@every_document
def test_every_number_is_one(key: str) -> None:
    name, doc = example(key)
    found = [path for path, node in places(doc) if isinstance(node, str) and is_number(path)
             and (key, path[0]) != ("closed forms", "domain")]
    for path in found:
        for bad in ("1e-3 ", "+1", "m"):
            assert rejected(name, changed(doc, path, lambda _, b=bad: b)), (path, bad)
    assert found or key == "list"


def is_number(path: Path_) -> bool:
    """Whether a number stands there, no closed form and no name."""
    if path[0] == "symbols":            # meanings, in words
        return False
    if path[-1] in ("exact", "upper", "value", "left", "right", "beta") or is_map(path[:-1]):
        return True
    listed = path[-3:-2] in (("domain",), ("entries",)) or path[0] == "overhead"
    return listed or path[-2:] in (("observed", "error"), ("certified", "error"))


@pytest.mark.parametrize(("key", "path", "value"), [
    ("certified", ("schema",), "boundcalc-bound/2"), ("findings", ("schema",), "boundcalc-bound/1"),
    ("network", ("format",), "boundcalc-network/2"), ("certified", ("construction",), "Re Lu"),
    ("certified", ("gate",), "gelu"), ("certified", ("gate",), "anchor"), ("certified", ("temperature",), "tuned"),
    ("anchors in a sequence", ("gate",), "silu"), ("anchors in a sequence", ("temperature",), None),
    ("anchors in a sequence", ("temperature",), "warm"), ("anchors in a sequence", ("grid",), "right"),
    ("anchors in a sequence", ("sequence", "codes"), "binary"), ("certified", ("overhead",), None),
    ("certified", ("parameters", "eps"), "-1/1000"), ("certified", ("parameters", "eps"), "0"),
    ("certified", ("parameters", "d"), "3/2"), ("certified", ("parameters", "delta"), "-1"),
    ("certified", ("choices", 0, "kind"), "guessed"), ("certified", ("choices", 0, "rule"), None),
    ("certified", ("choices", 0, "kind"), "searched"), ("certified", ("choices", 0, "kind"), "given"),
    ("certified", ("choices", 0, "value"), None), ("searched", ("choices", -1, "kind"), "closed"),
    ("certified", ("domain",), []), ("certified", ("domain", 0), ["inf", "-inf"]),
    ("certified", ("domain", 0), ["0", "1", "2"]), ("certified", ("domain", 0), ["0"]),
    ("certified", ("resources", "layers", "exact"), "1/2"), ("certified", ("resources", "layers", "exact"), "-1"),
    ("certified", ("resources", "layers", "upper"), "inf"), ("certified", ("resources", "layers"), None),
    ("certified", ("resources", "beta", "rounded"), "nearest"), ("certified", ("resources", "beta", "exact"), None),
    ("certified", ("resources", "logit"), None), ("certified", ("error",), None),
    ("certified", ("error", "propagation"), []), ("certified", ("error", "propagation"), None),
    ("certified", ("error", "total", "upper"), "-0.001"), ("certified", ("error", "total", "upper"), "1e-3 "),
    ("certified", ("error", "total", "upper"), None), ("certified", ("error", "total", "upper"), "-1/2"),
    ("certified", ("error", "total", "exact"), "-1/1000"), ("certified", ("error", "terms", 0, "name"), "noise"),
    ("certified", ("error", "terms", 0, "upper"), "-1/3"), ("certified", ("error", "propagation", 0, "rule"), "X1"),
    ("certified", ("error", "naive_total", "upper"), "-inf"), ("certified", ("error", "naive_total", "latex"), "β"),
    ("certified", ("lemmas", 0, "standing"), "obvious"), ("certified", ("lemmas", 0, "label"), "lemma 6"),
    ("certified", ("conditions",), [{"statement": "m >= 1", "holds": False}]),
    ("certified", ("conditions",), [{"statement": "m is large", "holds": True}]),
    ("certified", ("verification", "holds"), "true"), ("certified", ("verification", "holds"), 1),
    ("certified", ("verification", "holds"), None), ("certified", ("verification", "certified"), None),
    ("certified", ("verification", "reason"), "because"), ("certified", ("verification", "signature"), "diffuse"),
    ("certified", ("verification", "observed", "error"), "-0.1"),
    ("certified", ("verification", "observed", "error"), "inf"),
    ("certified", ("verification", "certified", "error"), "inf"), ("certified", ("verification", "certified", "boxes"), "7"),
    ("certified", ("verification", "certified", "boxes"), -1), ("certified", ("verification", "digits"), 0),
    ("certified", ("verification", "observed", "at"), {}), ("witness", ("verification", "reason"), "because"),
    ("undecided", ("verification", "holds"), True), ("undecided", ("verification", "holds"), False),
    ("undecided", ("verification", "reason"), None), ("undecided", ("verification", "signature"), "diffuse"),
    ("closed forms", ("parameters",), {"eps": "1/2"}), ("closed forms", ("error", "total", "upper"), "1"),
    ("closed forms", ("error", "total", "exact"), "1"), ("closed forms", ("choices", 0, "value"), "1"),
    ("closed forms", ("verification",), {}), ("closed forms", ("error",), None), ("file", ("verification",), None),
    ("file", ("gate",), "silu"), ("file", ("error",), {}), ("file", ("resources", "beta"), None),
    ("network", ("inputs",), ["x", "x"]), ("network", ("layers", 0, "kind"), "convolution"),
    ("network", ("layers", 0, "kind"), "relu"), ("network", ("layers", 1, "kind"), "affine"),
    ("network", ("layers", 1, "heads", 0, "beta"), "0"), ("network", ("layers", 1, "heads", 0, "beta"), "-1"),
    ("network", ("layers", 1, "query"), []), ("network", ("layers", 1, "query"), [-1]), ("network", ("layers", 1, "dim"), 0),
    ("network", ("layers", 1, "tokens"), 10**8), ("network", ("layers", 0, "weight", "shape"), [1, 2, 3]),
    *(("network", ("layers", 0, "weight", "entries", 0), entry)
      for entry in ([0, "1"], [0, -1, "1"], [0, 0, 0, "1"], [0, 0, 1], [0, 0, 0.5], ["0", "0", "1"])),
    ("network", ("layers", 0, "bias", "entries", 0), [0, 0, "1"]),
    ("list", (0, "gates"), ["gelu"]), ("list", (0, "routes"), []), ("list", (0, "routes"), ["a", "a"]), ("list", (), []),
], ids=str)
def test_wrong_values(key: str, path: Path_, value: Document) -> None:
    name, doc = example(key)
    assert rejected(name, changed(doc, path, lambda _: value))


def first(verdict: str) -> int:
    return next(i for i, f in enumerate(example("findings")[1]["findings"]) if f["verdict"] == verdict)


@pytest.mark.parametrize(("verdict", "field", "value"), [
    ("proved", "verdict", "true"), ("proved", "verdict", "Proved"), ("proved", "verdict", None),
    ("proved", "argument", None), ("proved", "verdict", "conditional"), ("refuted", "verdict", "proved"),
    ("refuted", "argument", None), ("refuted", "verdict", "vacuous"), ("conditional", "condition", None),
    ("conditional", "argument", None), ("vacuous", "reason", None), ("supported", "reason", None),
    ("undecided", "reason", None), ("undecided", "reproduce", None), ("undecided", "reproduce", "rm -r"),
    ("undecided", "id", None), ("undecided", "claim", " "), ("supported", "derived", ""),
])
def test_findings_that_do_not_fit_their_verdict(verdict: str, field: str, value: Document) -> None:
    assert rejected("findings", changed(example("findings")[1], ("findings", first(verdict), field), lambda _: value))


@pytest.mark.parametrize(("field", "value"), [
    ("relation", "=<"), ("relation", "≠"), ("left", "inf"), ("left", None), ("right", "x"), ("parameters", {"x": "0.1"}),
    ("parameters", {"x": 1}), ("parameters", {"": "1"}), ("parameters", None), ("note", 3),
])
def test_wrong_witnesses(field: str, value: Document) -> None:
    place = ("findings", first("refuted"), "witness", field)
    assert rejected("findings", changed(example("findings")[1], place, lambda _: value))


def test_lists_of_bounds() -> None:
    """Only closed forms come as a list, and then there are several."""
    form, bound = example("closed forms")[1], verified(True, True)
    accept("bound", [form, form])
    for wrong in ([], [form], [form, bound], [bound, bound], [form, None], [[form, form], form]):
        assert rejected("bound", wrong)


def test_an_attention_layer_has_a_head_or_a_skip() -> None:
    doc = example("network")[1]
    layer = next(i for i, x in enumerate(doc["layers"]) if x["kind"] == "attention")
    bare = {**doc["layers"][layer], "heads": [], "skip": None}
    assert rejected("network", changed(doc, ("layers", layer), lambda _: bare))
    accept("network", changed(doc, ("layers", layer), lambda _: {**bare, "skip": {"shape": [1, 1], "entries": []}}))


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("doc", [None, True, 0, 1.5, "", "boundcalc-bound/1", {}, {"schema": "boundcalc-bound/1"}], ids=str)
def test_things_that_are_no_documents(name: str, doc: Document) -> None:
    assert rejected(name, doc)


@pytest.mark.parametrize(("name", "other"), [(a, b) for a in SCHEMAS for b in MADE if MADE[b][0] != a])
def test_a_document_fits_its_own_schema_only(name: str, other: str) -> None:
    assert rejected(name, example(other)[1])


# ---------------------------------------------------------------------------------------------------------------
# how to get them

def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["schema", *arguments])
    out, err = capsys.readouterr()
    return end.value.code, out, err


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    code, out, err = run(capsys, name)
    assert (code, err) == (0, "")
    assert json.loads(out) == schema(name) == boundcalc.schema(name)
    assert run(capsys, name, "-o", str(tmp_path / "file.json")) == (0, "", "")
    assert (tmp_path / "file.json").read_text(encoding="utf-8") == out


def test_the_command_lists_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    for name in SCHEMAS:
        assert f"urn:boundcalc:{name}:{VERSIONS.get(name, 1)}" in out
    assert sorted(SCHEMAS) == sorted(p.stem for p in FOLDER.glob("*.json"))


@pytest.mark.parametrize(("name", "says"), [("boud", "Did you mean bound?"), ("Findings", "Did you mean findings?"),
                                            ("xyz", "Schemas are bound, findings, network, list."),
                                            ("../papers", "Schemas are"), ("b" * 10_000, "Schemas are")])
def test_a_wrong_name_gets_the_nearest(capsys: pytest.CaptureFixture[str], name: str, says: str) -> None:
    code, out, err = run(capsys, name)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err) < 200
    with pytest.raises(InvalidInput, match=r"There is no schema"):
        boundcalc.schema(name)


def test_a_schema_can_be_changed_without_changing_it_for_others() -> None:
    boundcalc.schema("list").clear()
    assert boundcalc.schema("list")


def test_the_command_imports_nothing_heavy() -> None:
    code = ("import sys; from boundcalc.cli.main import main\ntry: main(['schema', 'bound'])\nexcept SystemExit: pass\n"
            f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert json.loads(result.stdout) == schema("bound")
