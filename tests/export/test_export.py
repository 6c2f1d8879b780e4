"""JSON and text: the formats of interface.md to the letter, and every number beside the formula that gives it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy as sp

import boundcalc
from boundcalc.declarations.options import needed
from boundcalc.declarations.registry import construction, information, names
from boundcalc.errors import InvalidInput
from boundcalc.export import FORMATS, Wishes, render
from boundcalc.export.choices import why, written
from boundcalc.export.text import signed
from boundcalc.formulas.enclosure import exact_value, greater_than_power_of_ten, less_equal, less_than, lower, upper
from boundcalc.formulas.notation import to_latex, to_unicode
from boundcalc.formulas.parser import parse, to_text
from boundcalc.formulas.symbols import symbol
from boundcalc.results.bound import HUGE
from boundcalc.results.report import report_of, shapes
from boundcalc.results.verification import Certified, NotCertified, Observation, Verification
from boundcalc.terms.codes import circle_gap
from tests.kinds import kind_of
from tests.selection import selected

TIGHT = 1 + Fraction(1, 10**15)
RATIONAL = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")
DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
PROPAGATED = ("incoming", "gain", "added", "outgoing", "softmax_lipschitz", "naive_outgoing")
Parameters = tuple[tuple[str, Any], ...]
Way = tuple[str, str, str | None]


def ways() -> Iterator[Way]:
    """Every construction × route × gate of the package."""
    for name in names():
        for route, how in construction(name).by_route.items():
            for gate in information(name).gates if how.gated else (None,):
                yield name, route, gate


OWN = "own"             # the first case that a construction declares for a gate


def takes_any(name: str) -> bool:
    """Whether the cases below are for a construction: families and tables have parameters of their own."""
    c = construction(name)
    tables = any(p.internal and p.name == "e_chord" for p in c.parameters)
    return c.family is None and not tables and set(needed(c)) <= {"--range", "--n"}


def own_cases(way: Way) -> list[dict[str, Any]]:
    name, route, gate = way
    c = construction(name)
    return [dict(case.given) for case in (*c.cases, *c.route(route).cases)
            if not case.gates or gate is None or gate in case.gates]


CASES: dict[str, Parameters] = {
    "eps": (("eps", "1e-3"),),
    "range": (("eps", "1e-2"), ("range", ("1/7", "9")), ("size", 5)),
    "range, delta": (("eps", "1e-2"), ("range", ("-2", "9")), ("delta", "1e-5")),
    "line or M = 1, delta": (("eps", "1/30"), ("delta", "1e-3"), ("size", 2)),
    "given": (("M", "3"), ("m", 3), ("N", 4), ("beta", "40"), ("p", 40), ("n", 10), ("H", 5), ("size", 4)),
    "given and eps": (("eps", "1/4"), ("m", 7), ("N", 7), ("beta", {"direct": "1/100"}), ("p", 40), ("n", 10), ("H", 12)),
}
HARD, SENTINELS = ("temperature", "hard"), ("sentinels", True)
# how gates can be made and where: temperatures, grids, sentinels, sequences, linear units, and searched parameters
VARIANTS: dict[str, tuple[Way, Parameters]] = {
    "hard": (("clip", "recipe", "anchor"), (HARD, ("eps", "1e-2"))),
    "hard left": (("clip", "recipe", "anchor"), (HARD, ("grid", "left"), ("eps", "1e-2"), ("range", ("0", "1")))),
    "hard left, kappa": (("clip", "recipe", "anchor"), (HARD, ("grid", "left"), ("eps", "1e-2"), ("kappa", "2"))),
    "hard midpoint": (("relu", "recipe", "anchor"), (HARD, ("grid", "midpoint"), ("eps", "1e-2"), ("range", ("-2", "9")))),
    "hard midpoint, eps0": (("hat", "recipe", "anchor"), (HARD, ("grid", "midpoint"), ("eps", "1e-2"), ("eps0", "1e-4"))),
    "hard, many heads": (("mult", "recipe", "anchors"), (HARD, ("eps", "1/10"), ("n", 5))),
    "hard, many heads, H": (("abs", "recipe", "anchors"), (HARD, ("eps", "1/10"), ("H", 3))),
    "sentinels": (("clip", "recipe", "anchors"), (HARD, SENTINELS, ("eps", "1e-2"), ("range", ("1/7", "9")), ("size", 1))),
    "sentinels, ramps": (("max", "tree", "anchors"), (HARD, SENTINELS, ("eps", "1/10"), ("p", 6))),
    "sentinels, kappa": (("abs", "recipe", "anchors"), (HARD, SENTINELS, ("eps", "1/10"), ("kappa", "12"), ("n", 9))),
    "pairs": (("clip", "recipe", "anchors"), (("eps", "1e-2"), ("n", 2))),
    "heads given": (("clip", "recipe", "anchors"), (("eps", "1e-2"), ("H", 3))),
    "tokens given": (("min", "tree", "anchors"), (("eps", "1e-1"), ("p", 12))),
    "linear unit": (("clip", "recipe", "anchor"), (("eps", "1e-2"), ("w", ("1", "-1/2", "3")), ("t", "-1/3"), ("size", 3))),
    "linear unit, delta": (("clip", "recipe", "silu"), (("eps", "1e-2"), ("delta", "1e-4"), ("w", (2, -1)), ("size", 2))),
    "sequence": (("mult", "recipe", "silu"), (("eps", "1e-2"), ("sequence", 5), ("size", 1))),
    "sequence, circle": (("relu", "recipe", "silu"), (("eps", "1e-2"), ("sequence", 7), ("codes", "circle"), ("size", 2))),
    "sequence, delta": (("square", "recipe", "silu"), (("eps", "1e-2"), ("sequence", 3), ("delta", "1e-4"), ("size", 1))),
    "sequence, anchors": (("clip", "recipe", "anchors"), (("eps", "1e-2"), ("sequence", 4), ("size", 1))),
    "sequence, hard": (("hat", "recipe", "anchor"), (HARD, ("eps", "1e-1"), ("sequence", 4), ("size", 1))),
    "sequence, sentinels": (("clip", "recipe", "anchors"), (HARD, SENTINELS, ("eps", "1e-1"), ("sequence", 3), ("size", 1))),
    "sequence, recip": (("recip", "recipe", "silu"), (("eps", "1e-1"), ("sequence", 3), ("size", 1))),
    "sequence, ffn": (("mult", "recipe", "ffn"), (("eps", "1e-1"), ("sequence", 3), ("size", 1))),
    "searched beta": (("recip", "recipe", "silu"), (("eps", "1e-3"), ("range", ("1/10", "1")), ("size", 1))),
    "searched m": (("mult", "recipe", "silu"), (("eps", "1e-3"), ("beta", "150"), ("size", 1))),
    "searched m, anchors": (("mult", "recipe", "anchor"), (("eps", "1e-2"), ("p", 100), ("size", 1))),
    "searched N": (("recip", "recipe", "silu"), (("eps", "1e-2"), ("beta", "200"), ("size", 1))),
}
# formulas of the product with both a range and an input error are so long that reading them back takes seconds
MATRIX = [(way, case) for way in ways() for case in (CASES if takes_any(way[0]) else (OWN,))
          if (way[:2], case) != (("mult", "recipe"), "range, delta")]
MATRIX += [(way, case) for case, (way, _) in VARIANTS.items()]


def label(x: Way | str) -> str:
    return x if isinstance(x, str) else "-".join(filter(None, x))


def traits(cell: tuple[Way, str]) -> Iterator[object]:
    """Every way, and every case for each construction, each route and each gate."""
    way, case = cell
    return iter((way, *((part, case) for part in way)))


every_case = pytest.mark.parametrize(("way", "case"), selected(MATRIX, traits), ids=label)
every_way = pytest.mark.parametrize("way", list(ways()), ids=label)


def parameters_of(way: Way, case: str) -> dict[str, Any]:
    """The case, with what does not apply to this way left out: a variant is taken as it is."""
    name, route, gate = way
    how = construction(name)
    if case == OWN:
        return own_cases(way)[0]
    given = dict(VARIANTS[case][1] if case in VARIANTS else CASES[case])
    size = given.pop("size", 3)
    if kind_of(how) == "positive" and ("range" not in given or given["range"][0].startswith("-")):
        given["range"] = ("1/2", given.pop("M", "2"))       # numbers must be positive
    if case not in VARIANTS:
        if isinstance(given.get("beta"), dict):
            given["beta"] = given["beta"].get(route, "1000") if name == "mult" else "1000"
        tokens = "p" if gate == "anchor" or how.counted == "n" else "n"
        own = {None: ("beta",), "silu": ("beta",), "anchor": (tokens,), "anchors": (tokens, "H"), "ffn": ()}[gate]
        kept = ("eps", "delta", "M", "range", *how.route(route).chooses, *own)
        given = {k: v for k, v in given.items() if k in kept}
    return {**given, how.counted or "d": size}


@cache
def bound_of(way: Way, case: str) -> boundcalc.Bound:
    name, route, gate = way
    return boundcalc.bound(name, route=route, gate=gate, **parameters_of(way, case))


@cache
def text_of(way: Way, case: str, form: str) -> str:
    return render(report_of(bound_of(way, case)), form, Wishes(dimensions=True, proof=True, full=True))


def document(way: Way, case: str) -> dict[str, Any]:
    return json.loads(text_of(way, case, "json"))


def values(doc: dict[str, Any]) -> dict[sp.Symbol, Fraction]:
    return {symbol(name): Fraction(value) for name, value in doc["parameters"].items()}


# ---------------------------------------------------------------------------------------------------------------
# JSON: structure

def check_quantity(q: dict[str, Any], free: bool = False) -> None:
    assert set(q) in ({"symbolic", "latex", "exact", "upper"}, {"symbolic", "latex", "exact", "upper", "rounded"})
    assert isinstance(q["symbolic"], str)
    assert isinstance(q["latex"], str)
    assert q["exact"] is None or RATIONAL.fullmatch(q["exact"])
    assert q["upper"] == "inf" or (free and q["upper"] is None) or DECIMAL.fullmatch(q["upper"])
    assert q.get("rounded") in (None, "up", "down")
    assert q["latex"].isascii()


@every_case
def test_json_has_the_structure_of_the_interface(way: Way, case: str) -> None:
    doc = document(way, case)
    given = parameters_of(way, case)
    anchored = way[2] in ("anchor", "anchors")
    assert set(doc) - {"dimensions"} == {
        "schema", "construction", "route", "gate", "temperature", "parameters", "choices", "domain", "resources", "overhead",
        "error", "conditions", "alternatives", "notes", "lemmas", "symbols", "sequence", "verification",
        *(("grid", "sentinels") if anchored else ()), *(("outputs",) if len(construction(way[0]).outputs) > 1 else ())}
    assert (doc["schema"], doc["construction"].partition("[")[0], doc["route"], doc["gate"]) == ("boundcalc-bound/1", *way)
    assert doc["temperature"] == (given.get("temperature", "tuned") if anchored else None)
    assert doc.get("grid") == (given.get("grid", "linspace") if anchored else None)
    assert doc.get("sentinels") == (given.get("sentinels", False) if anchored else None)
    assert doc["verification"] is None
    check_sequence(doc, given)
    assert all(RATIONAL.fullmatch(value) for value in doc["parameters"].values())
    assert set(doc["resources"]) == {"layers", "heads", "heads_per_layer", "tokens", "width", "parameters", "magnitude",
                                     "beta", "logit", "bits", "neurons", "relu_layers"}
    for key, q in doc["resources"].items():
        if key != "bits" or q is not None:          # bits of very many different weights are not known
            check_quantity(q)
    assert set(doc["error"]) == {"terms", "total", "propagation", "naive_total"}
    for term in doc["error"]["terms"]:
        assert term["name"] in ("inputs", "interpolation", "gates", "tilt", "leak")
        check_quantity({k: v for k, v in term.items() if k != "name"})
    check_quantity(doc["error"]["total"])
    check_quantity(doc["error"]["naive_total"])
    for line in doc["error"]["propagation"]:
        assert isinstance(line["stage"], str)
        assert re.fullmatch(r"R[0-9]+", line["rule"])
        assert set(line) == {"stage", "rule", *PROPAGATED}
        for key in PROPAGATED:
            check_quantity(line[key])
    for condition in doc["conditions"]:
        assert set(condition) == {"statement", "holds"}
        assert condition["holds"] is True
    for lemma in doc["lemmas"]:
        assert set(lemma) == {"label", "statement", "source", "standing"}
        assert all(isinstance(x, str) and x for x in lemma.values())
    for shape in doc["dimensions"]:
        for key in ("rows", "columns", "count", "entries"):
            check_quantity(shape[key], free=True)
    if way[2] not in (None, "ffn"):
        assert set(doc["overhead"]) == {"layers", "heads", "parameters"}
        assert all(RATIONAL.fullmatch(x) for x in doc["overhead"].values())
    else:
        assert doc["overhead"] is None


def check_sequence(doc: dict[str, Any], given: dict[str, Any]) -> None:
    """Codes, leak and score scale of a sequence, and the answer to whether its length matters."""
    found = doc["sequence"]
    if "sequence" not in given:
        assert found is None
        return
    assert set(found) == {"codes", "dimension", "gap", "leak", "scale", "independent", "answer"}
    for key in ("dimension", "gap", "leak", "scale"):
        if found[key] is not None:
            check_quantity(found[key])
    leaks = doc["gate"] != "ffn"
    assert found["codes"] == (given.get("codes", "onehot") if doc["gate"] == "silu" else "none")
    assert found["dimension"]["exact"] == {"none": "0", "circle": "2", "onehot": str(given["sequence"])}[found["codes"]]
    assert found["independent"] is not leaks
    assert found["answer"].startswith("Not at a fixed score scale" if leaks else "Yes")
    assert (found["leak"] is not None) == (found["scale"] is not None) == leaks
    assert ("leak" in [t["name"] for t in doc["error"]["terms"]]) == leaks


@every_case
def test_json_has_one_interval_per_input(way: Way, case: str) -> None:
    doc, bound = document(way, case), bound_of(way, case)
    assert len(doc["domain"]) == len(bound.names()[0])       # of the network, without writing out thousands of anchors
    if case == OWN:
        assert doc["domain"] == own_domain(bound, parameters_of(way, case))
        return
    given, kind = parameters_of(way, case), kind_of(construction(way[0]))
    bounded = way[2] in ("anchor", "anchors") or ("sequence" in given and way[2] == "silu")      # what a gate must know
    if kind == "function":
        expected = ["-inf", "inf"]              # then M and the range are those of the function
    elif "range" in given:
        expected = list(given["range"])
    elif "M" in given:
        expected = [f"-{given['M']}", given["M"]]
    else:
        expected = ["-inf", "inf"] if kind == "line" and not bounded else ["-1", "1"]
    assert doc["domain"] == [expected] * len(doc["domain"])


def own_domain(bound: boundcalc.Bound, given: dict[str, Any]) -> list[list[str]]:
    """The ranges that are given, else what the declaration says."""
    texts = []
    for block in bound.construction.coordinates(bound.values):
        ends = given["range"].split(",") if "range" in given else block.domain.values or block.domain.default or ("-1", "1")
        texts.append([str(Fraction(e)) for e in (ends[0], ends[-1])])
    return texts * (len(bound.names()[0]) // len(texts))


def test_json_of_a_relu_network_has_no_attention() -> None:
    resources = document(("mult", "recipe", "ffn"), "eps")["resources"]
    assert all(resources[key]["exact"] == "0" for key in ("layers", "heads", "tokens", "beta"))
    assert resources["beta"]["symbolic"] == "0"
    assert int(resources["neurons"]["exact"]) > 0
    assert int(resources["relu_layers"]["exact"]) > 0
    attention = document(("mult", "recipe", "silu"), "eps")["resources"]
    assert all(attention[key]["exact"] == "0" for key in ("neurons", "relu_layers"))


def test_json_of_a_verification() -> None:
    report = report_of(bound_of(("relu", "recipe", "silu"), "eps"))
    seen = Observation(Fraction(1, 3), {"x": Fraction(-2, 7)}, Fraction(0), 12, 50)
    eps = report.parameters["eps"]
    doc = json.loads(render(report.verified(Verification(seen, NotCertified("no method"), eps)), "json"))
    assert doc["verification"] == {"observed": {"error": "0.33333333333333333333", "at": {"x": "-2/7"}}, "certified": None,
                                   "digits": 50, "holds": False, "reason": None, "signature": None}
    below = Observation(Fraction(1, 10**6), {"x": Fraction(1)}, Fraction(0), 12, 50)
    doc = json.loads(render(report.verified(Verification(below, NotCertified("no method"), eps)), "json"))
    assert doc["verification"]["holds"] is None
    assert doc["verification"]["reason"] == "no method"
    proved = Certified(Fraction(2, 3 * 10**6), "boxes", 7)
    doc = json.loads(render(report.verified(Verification(below, proved, eps)), "json"))
    assert doc["verification"]["holds"] is True
    assert doc["verification"]["certified"] == {"error": "0.00000066666666666666666667", "method": "boxes", "boxes": 7,
                                                "of": "file"}


def test_json_overhead_is_complete_even_without_a_level() -> None:
    doc = json.loads(render(report_of(boundcalc.bound("square", m=0, beta=30)), "json"))
    assert doc["overhead"] is None or set(doc["overhead"]) == {"layers", "heads", "parameters"}


def test_json_of_a_searched_parameter_has_a_proved_bound() -> None:
    """interface.md: "searched" comes with rule null and `bound`."""
    doc = json.loads(render(report_of(boundcalc.bound("mult", eps="1e-3", beta=60)), "json"))
    (searched,) = [c for c in doc["choices"] if c["kind"] == "searched"]
    assert searched["rule"] is None
    assert searched["bound"]


@pytest.mark.parametrize(("name", "options", "parameter"), [
    ("mult", {"eps": "1e-3", "beta": 150}, "m"), ("mult", {"eps": "1e-3", "beta": 40, "M": "3/4"}, "m"),
    ("mult", {"eps": "1e-3", "delta": "1e-5", "beta": 150}, "m"),
    ("mult", {"eps": "1e-2", "gate": "anchor", "p": 100}, "m"), ("mult", {"eps": "1e-2", "gate": "anchor", "p": 68}, "m"),
    ("mult", {"eps": "1e-2", "gate": "anchors", "n": 10, "H": 11}, "m"),
    ("recip", {"eps": "1e-3", "range": ("1/10", "1")}, "beta"), ("recip", {"eps": "1e-7", "range": ("9", "10")}, "beta"),
    ("recip", {"eps": "1e-2", "range": ("1/7", "9"), "delta": "1e-5"}, "beta"),
    ("recip", {"eps": "1e-4", "range": ("1/2", "2"), "sequence": 4}, "beta"),
    ("recip", {"eps": "1e-3", "range": ("1/10", "1")}, "N"), ("recip", {"eps": "0.00097365", "range": ("1/10", "1")}, "N"),
    ("recip", {"eps": "1e-2", "range": ("1/7", "9"), "delta": "1e-5"}, "N"),
], ids=str)
def test_the_bound_of_a_searched_parameter_is_one(name: str, options: dict[str, Any], parameter: str) -> None:
    """It can be read back, its value is at least the one found, and its asymptotics stand behind it."""
    doc = json.loads(render(report_of(boundcalc.bound(name, **options)), "json"))
    (searched,) = [c for c in doc["choices"] if c["kind"] == "searched" and c["name"] == parameter]
    assert searched["rule"] is None
    formula, equals, growth = searched["bound"].rpartition(" = ")
    assert equals
    order = re.fullmatch(r"O\((.+)\)(?: while .+)?", growth)
    assert order
    parse(order[1])
    assert Fraction(searched["value"]) <= lower(parse(formula), values(doc), 20)


@pytest.mark.parametrize("options", [{"beta": "300"}, {"gate": "anchor", "p": 400}, {"gate": "anchors", "n": 10, "H": 50}],
                         ids=str)
def test_pieces_for_given_gates_are_just_some_that_work(options: dict[str, Any]) -> None:
    """No closed bound is known here, and none is claimed; that they work is proved all the same."""
    doc = json.loads(render(report_of(boundcalc.bound("recip", eps="1e-3", range=("1/2", "2"), **options)), "json"))
    pieces = next(c for c in doc["choices"] if c["name"] == "N")
    if pieces["kind"] == "searched":
        assert pieces["bound"] is None
        assert pieces["why"].startswith("a N for which")
    assert Fraction(doc["error"]["total"]["upper"]) <= Fraction(1, 1000)


# ---------------------------------------------------------------------------------------------------------------
# JSON: every formula gives its number

@every_case
def test_json_formulas_give_their_values(way: Way, case: str) -> None:
    doc = document(way, case)
    at = values(doc)
    quantities = {key: q for key, q in doc["resources"].items() if key != "beta" and q is not None}
    quantities |= {f"sequence {key}": q for key, q in (doc["sequence"] or {}).items() if isinstance(q, dict)}
    quantities |= {f"term {t['name']}": t for t in doc["error"]["terms"]}
    quantities |= {"total": doc["error"]["total"], "naive": doc["error"]["naive_total"]}
    quantities |= {f"{line['stage']} {key}": line[key] for line in doc["error"]["propagation"] for key in PROPAGATED}
    for key, q in quantities.items():
        expr = parse(q["symbolic"])
        assert expr.free_symbols <= {*at, symbol("C")}, key
        if q["upper"] == "inf":
            assert q["exact"] is None, key
            assert expr.has(sp.oo) or greater_than_power_of_ten(expr, at, HUGE), key
            continue
        shown, exact = Fraction(q["upper"]), exact_value(expr, at)
        assert (q["exact"] is None) == (exact is None), key
        if exact is not None:
            assert Fraction(q["exact"]) == exact, key
        assert lower(expr, at, 30) <= shown <= upper(expr, at, 30) * TIGHT, key


@every_case
def test_json_total_meets_eps_and_is_at_most_the_sum(way: Way, case: str) -> None:
    doc = document(way, case)
    total = Fraction(doc["error"]["total"]["upper"])
    if "eps" in doc["parameters"]:
        assert total <= Fraction(doc["parameters"]["eps"])
    assert total <= sum(Fraction(t["upper"]) for t in doc["error"]["terms"]) * TIGHT
    assert doc["error"]["propagation"][-1]["outgoing"]["upper"] == doc["error"]["total"]["upper"]


@every_case
def test_json_propagation_adds_up(way: Way, case: str) -> None:
    """outgoing ≤ gain·incoming + added on every line; rounding up may only loosen this in the 20th digit."""
    for line in document(way, case)["error"]["propagation"]:
        incoming, gain, added, outgoing = (Fraction(line[k]["upper"]) for k in ("incoming", "gain", "added", "outgoing"))
        assert outgoing <= (gain * incoming + added) * TIGHT, line["stage"]


DIGITS = 1 + Fraction(1, 10**6)         # a real parameter has seven digits


@every_case
def test_json_choices_follow_their_rules(way: Way, case: str) -> None:
    doc = document(way, case)
    at = values(doc)
    for choice in doc["choices"]:
        searched = choice["kind"] == "searched"
        assert set(choice) == {"name", "value", "kind", "rule", "why", *(("bound",) if searched else ())}
        assert doc["parameters"][choice["name"]] == choice["value"]
        name, value = choice["name"], Fraction(choice["value"])
        if choice["kind"] != "closed" or choice["rule"] is None:
            assert choice["rule"] is None
            CHECKED_WITHOUT_RULE[name if name == "g" else choice["kind"]](choice, doc)
            continue
        rule = parse(choice["rule"])
        assert symbol(name) not in rule.free_symbols
        assert rule.free_symbols <= {*at, symbol("C")}
        if name in ("p", "n", "H"):
            assert exact_value(rule, at) == value
            check_count(choice["why"], name, value, doc)
        elif name in ("m", "N"):
            assert exact_value(rule, at) == value if name == "m" else rule.xreplace(rationals(at)) == value
            check_least(choice["why"], name, value, at, doc)
        elif name == "h":
            assert choice["why"].startswith("least step with which N pieces reach from end to end")
            assert upper(rule, at, 30) * (1 - Fraction(1, 10**29)) <= value <= lower(rule, at, 30) * DIGITS
            left, right = at[symbol("a")] - at[symbol("delta")], at[symbol("b")] + at[symbol("delta")]
            assert left / (1 - at[symbol("N")] * value) ** 2 >= right
        elif name in ("kappa", "nu"):
            assert choice["why"].startswith(f"least {name} ")
            assert max(Fraction(1), upper(rule, at, 30)) <= value <= max(Fraction(1), lower(rule, at, 30)) * DIGITS
        elif name == "xi":
            check_xi(choice, doc)
            assert value <= lower(rule, at, 30)
            assert upper(rule, at, 30) <= value * DIGITS
        elif name == "R":
            check_reach(choice, doc)
            assert upper(rule, at, 30) <= value <= lower(rule, at, 30) * DIGITS
        else:
            assert name == "beta"
            check_beta(choice, rule, value, doc)


def rationals(at: dict[sp.Symbol, Fraction]) -> dict[sp.Symbol, sp.Rational]:
    """For rules with roots that are rational at these values: sympy sees that, an enclosure does not."""
    return {s: sp.Rational(x.numerator, x.denominator) for s, x in at.items()}


def check_given(choice: dict[str, Any], doc: dict[str, Any]) -> None:
    assert choice["why"].startswith("given")


def check_searched(choice: dict[str, Any], doc: dict[str, Any]) -> None:
    """The least that works, up to its last digit; that its bound is one is tested above."""
    name, value, at = choice["name"], Fraction(choice["value"]), {**values(doc), symbol("xi"): Fraction(0)}
    if of_a_table(doc):
        assert name == "N" or choice["why"] == "read off the table of N chords"
        assert value == table_of(doc, int(at[symbol("N")]))[symbol(name)] if name != "N" else True
        if name == "N":
            check_least(choice["why"], name, value, at, doc)
        return
    total = parse(doc["error"]["total"]["symbolic"])
    share = Fraction(9, 10) if doc["sequence"] else Fraction(1)
    at[symbol("eps")] *= share
    said = ("a N for which", "least N for which beta is at most twice") if name == "N" else f"least {name} "
    assert choice["why"].startswith(said)
    assert less_equal(total, symbol("eps"), at)
    if name != "N":             # where the number of pieces decides about their step
        smaller = value - 1 if name == "m" else value / DIGITS
        assert not less_equal(total, symbol("eps"), {**at, symbol(name): smaller})


def of_a_table(doc: dict[str, Any]) -> bool:
    return "e_chord" in doc["parameters"]


def table_of(doc: dict[str, Any], count: int) -> dict[sp.Symbol, Fraction]:
    """What so many chords have in place of the numbers of the table."""
    pieces = construction(doc["construction"]).pieces(doc["route"])
    assert pieces is not None
    known = {name: Fraction(x) for name, x in doc["parameters"].items()}
    found = {**known, pieces.step: pieces.step_for(known, count, False)[0], **pieces.more(known, count)}
    return {symbol(name): x for name, x in found.items()}


def check_xi(choice: dict[str, Any], doc: dict[str, Any]) -> None:
    """All that is left of ε and no more."""
    total, at = parse(doc["error"]["total"]["symbolic"]), values(doc)
    assert choice["why"].startswith("the remaining part of eps")
    assert less_equal(total, symbol("eps"), at)
    assert not less_equal(total, symbol("eps"), {**at, symbol("xi"): Fraction(choice["value"]) * DIGITS})


def check_reach(choice: dict[str, Any], doc: dict[str, Any]) -> None:
    assert choice["why"].startswith("largest value at a data token")
    assert Fraction(choice["value"]) > 0


def check_gap(choice: dict[str, Any], doc: dict[str, Any]) -> None:
    assert choice["why"].startswith("computed from the codes")
    assert Fraction(choice["value"]) == circle_gap(int(doc["parameters"]["L"]))


CHECKED_WITHOUT_RULE = {"given": check_given, "searched": check_searched, "g": check_gap}


def check_count(why: str, name: str, value: Fraction, doc: dict[str, Any]) -> None:
    """`least p with total error <= eps`: true for this p, false for one less, however hard the anchors select."""
    if why == "default number of tokens per head":
        assert value == 8
        return
    match = re.fullmatch(rf"least {name} with (?:total error|all errors but leaks) <= (.+)", why)
    assert match
    total, limit, at = parse(doc["error"]["total"]["symbolic"]), parse(match[1]), {**values(doc), symbol("xi"): Fraction(0)}
    assert less_equal(total, limit, at)
    if not any(c["name"] == "kappa" and c["kind"] == "given" for c in doc["choices"]) and "eps0" not in doc["parameters"]:
        at[symbol("kappa")] = Fraction(10**4)
    least = 1 if name == "H" else 3 if doc["gate"] == "anchors" else 2
    assert value == least or not less_equal(total, limit, {**at, symbol(name): value - 1})


def check_beta(choice: dict[str, Any], rule: sp.Expr, value: Fraction, doc: dict[str, Any]) -> None:
    q, at = doc["resources"]["beta"], values(doc)
    assert (q["symbolic"], q["exact"]) == (choice["rule"], choice["value"])
    assert q["rounded"] in choice["why"]
    limit = "all errors but leaks <= (9/10)*eps" if doc["sequence"] else "total error <= eps"
    if q["rounded"] == "up":
        assert choice["why"].startswith(f"least beta with {limit}")
        assert upper(rule, at, 30) <= value <= lower(rule, at, 30) * DIGITS
    else:
        assert choice["why"].startswith(f"largest beta with {limit}")
        assert upper(rule, at, 30) * (1 - Fraction(1, 10**6)) <= value <= lower(rule, at, 30)


def check_least(why: str, name: str, value: Fraction, at: dict[sp.Symbol, Fraction], doc: dict[str, Any]) -> None:
    """`least m with FORMULA < eps`, or `least m that leaves the gates a quarter of eps: FORMULA <= 3*eps/4`: true for this
    m, false for one less."""
    match = re.fullmatch(rf"least {name} (?:with|that leaves the gates a quarter of .+:) (.+) (<=|<) (.*eps.*)", why)
    assert match
    formula, holds, limit = parse(match[1]), less_than if match[2] == "<" else less_equal, parse(match[3])
    assert holds(formula, limit, at)
    if value > (2 if name == "N" else 0):
        fewer = table_of(doc, int(value) - 1) if of_a_table(doc) else at
        assert not holds(formula, limit, {**fewer, symbol(name): value - 1})


def test_what_is_chosen_by_a_closed_rule_says_which() -> None:
    """interface.md: `kind` is "closed" (then `rule` is a closed form in ε and the domain), "searched" or "given"."""
    for case, (way, _) in VARIANTS.items():
        for choice in document(way, case)["choices"]:
            assert choice["kind"] != "closed" or choice["rule"] is not None, (case, choice)


@every_case
def test_json_formulas_are_those_of_the_report(way: Way, case: str) -> None:
    doc, report = document(way, case), report_of(bound_of(way, case))
    pairs = [(q, report.resources[key]) for key, q in doc["resources"].items() if q is not None]
    pairs += zip(doc["error"]["terms"], (t.size for t in report.terms), strict=True)
    pairs.append((doc["error"]["total"], report.total))
    for shown, q in pairs:
        assert shown["symbolic"] == to_text(q.symbolic)
        assert shown["latex"] == to_latex(q.symbolic)


def test_must_hold_values_of_issue_2() -> None:
    mult = json.loads(render(report_of(boundcalc.bound("mult", eps="1e-3")), "json"))
    exact = {key: q["exact"] for key, q in mult["resources"].items()}
    assert mult["parameters"]["m"] == "5"
    assert [exact[key] for key in ("layers", "heads", "heads_per_layer", "tokens")] == ["6", "12", "2", "2"]
    assert exact["neurons"] == exact["relu_layers"] == "0"
    M, m, beta, C = (symbol(x) for x in ("M", "m", "beta", "C"))
    gates = 1 + 150 / beta**2           # Q3: β is about 50
    expected = M**2 * (sp.Integer(4) ** (-m - 1) + gates * C / beta**2)
    assert sp.expand(parse(mult["error"]["total"]["symbolic"]) - expected) == 0
    ffn = json.loads(render(report_of(boundcalc.bound("mult", eps="1e-3", gate="ffn")), "json"))
    assert ffn["error"]["total"]["exact"] == "1/1024"
    direct = json.loads(render(report_of(boundcalc.bound("mult", eps="1e-3", route="direct")), "json"))
    assert [direct["resources"][k]["exact"] for k in ("layers", "heads", "tokens")] == ["1", "1", "2"]
    largest = json.loads(render(report_of(boundcalc.bound("max", n=8, eps="1e-3")), "json"))
    assert [largest["resources"][k]["exact"] for k in ("layers", "heads", "tokens")] == ["1", "1", "8"]
    assert parse(largest["resources"]["beta"]["symbolic"]) == sp.LambertW((symbol("n") - 1) / sp.E) / symbol("eps")
    assert largest["resources"]["beta"]["upper"] == "973.1388"
    tree = json.loads(render(report_of(boundcalc.bound("max", n=8, eps="1e-3", route="tree")), "json"))
    assert [tree["resources"][k]["exact"] for k in ("layers", "heads")] == ["3", "7"]
    assert to_unicode(parse(tree["error"]["total"]["symbolic"])) == "⌈log₂ n⌉·W(1/e)/β"


def test_beta_grows_like_the_root_of_one_over_eps() -> None:
    coarse, fine = (boundcalc.bound("mult", eps=eps).values["beta"] for eps in ("1e-3", "1e-9"))
    assert 100 <= fine / coarse <= 10_000      # 10³ for ε^(−1/2), 10⁶ for ε^(−1)


# ---------------------------------------------------------------------------------------------------------------
# text

SECTIONS = ["Resources", "Error", "Error propagation", "Parameters chosen", "Derivation", "Dimensions", "Symbols", "Trusted"]


def section(text: str, title: str) -> list[str]:
    """The lines below the heading, up to the next blank line."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line == title or line.startswith(f"{title} ("))
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return lines[start + 1:end]


WIDEST = 100        # characters of a cell; longer ones are continued below


def cells(lines: list[str], count: int | None = None) -> list[list[str]]:
    """The cells of the heading and of the next `count` rows (or all), cut where the rule says that columns start; what
    straddles two columns is an error. A row whose first cell is empty or indented goes on with the one above."""
    starts = [match.start() for match in re.finditer("─+", lines[1])]
    assert starts, lines
    rows: list[list[str]] = []
    for line in [lines[0], *lines[2:]]:
        goes_on = len(rows) > 1 and line[starts[0]] == " "
        if count is not None and len(rows) > count and not goes_on:
            break
        for start in starts:
            assert line[max(start - 2, 0):start].strip() == "", f"misaligned: {line!r}"
        ends = [*starts[1:], max(len(line), starts[-1])]
        cut = [line[a:b].rstrip() for a, b in zip(starts, ends, strict=True)]
        assert all(len(cell) <= WIDEST for cell in cut)
        if goes_on:
            rows[-1] = [f"{above} {cell.strip()}".strip() for above, cell in zip(rows[-1], cut, strict=True)]
        else:
            rows.append([cell.strip() for cell in cut])
    return rows


def same(shown: str, meant: str) -> bool:
    """Equal, or equal but for the places where a cell that is too wide was broken."""
    return shown == meant or (len(meant) > WIDEST and "".join(shown.split()) == "".join(meant.split()))


def way_in_words(doc: dict[str, Any]) -> str:
    gates = {None: "", "ffn": "", "anchors": " with many-head anchor gates"}.get(doc["gate"], f" with {doc['gate']} gates")
    hard = f", hard temperature, {doc['grid']} grid" if doc["temperature"] == "hard" else ""
    return f"{doc['route']}{gates}{hard}{', sentinels' if hard and doc['sentinels'] else ''}"


@every_case
def test_text_has_every_part(way: Way, case: str) -> None:
    text, doc = text_of(way, case, "text"), document(way, case)
    for title in [*SECTIONS, *(["Sequence"] if doc["sequence"] else [])]:
        assert section(text, title), title
    assert text.splitlines()[1].startswith(f"  {way_in_words(doc)}.")
    first = text.splitlines()[0]
    info = bound_of(way, case).construction.information
    assert first.startswith(f"{info.name}: {info.map}   on ")
    interval = "[−M, M]" if "M" in doc["parameters"] else "[a, b]"
    power = "^n" if construction(way[0]).counted == "n" else {1: "", 2: "²"}.get(len(construction(way[0]).inputs), "")
    if case == OWN:
        ends_shown = re.findall(r"(?<=[\[ ])−?\d[\d./]*(?=[,\]])", first.partition("   on ")[2])
        written = {Fraction(e.replace("−", "-")) for e in ends_shown}
        assert {Fraction(e) for ends in doc["domain"] for e in ends} <= written
    elif doc["domain"][0][1] == "inf":
        assert first.endswith("on the whole real line")
    else:
        ends = re.search(re.escape(f" on {interval}{power} = [") + r"(\S+), (\S+)\]" + re.escape(power) + "$", first)
        assert ends
        assert [Fraction(e.replace("−", "-")) for e in ends.groups()] == [Fraction(e) for e in doc["domain"][0]]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\x1b" not in text
    assert "\t" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())
    for lemma in doc["lemmas"]:
        assert f"  {lemma['label']}: " in text
    assert information(way[0]).source.split(",")[0] in " ".join(text.split())


@every_case
def test_text_tables_are_aligned_and_hold_the_same_formulas_as_json(way: Way, case: str) -> None:
    text, doc, report = text_of(way, case, "text"), document(way, case), report_of(bound_of(way, case))

    heading, *rows = cells(section(text, "Resources"))
    assert heading == ["", "closed form", "value"]
    shown = {key: q for key, q in doc["resources"].items() if q is not None and q["symbolic"] != "0"}
    assert len(rows) == len(shown)
    for row, (key, q) in zip(rows, shown.items(), strict=True):
        assert same(row[1], "" if key == "bits" else to_unicode(report.resources[key].symbolic)), key
        check_number(row[2].partition("  ")[0], q)
        assert ("rounded" in row[2]) == ("rounded" in q)

    terms = doc["error"]["terms"]
    if terms:
        heading, *rows = cells(section(text, "Error"), len(terms) + 1)
        assert heading == ["", "network − target lies in", "size"]
        assert [row[0] for row in rows] == [*(t["name"] for t in terms), "total"]
        for row, q in zip(rows, [*terms, doc["error"]["total"]], strict=True):
            check_number(row[2], q)
        if len(terms) > 1:
            assert same(rows[-1][1], signed(report.total_interval))
    else:
        assert section(text, "Error")[0] == "  0 (the network is exact)"
    if "eps" in doc["parameters"] and terms:
        assert re.fullmatch(r"  total ≤ ε = \S+, proved", section(text, "Error")[-1])

    stages = doc["error"]["propagation"]
    lines = section(text, "Error propagation")
    heading, *rows = cells(lines, len(stages))
    assert heading == ["stage", "rule", "incoming", "gain", "added", "outgoing", "Lipschitz of softmax", "naive bound"]
    for row, line in zip(rows, stages, strict=True):
        assert row[:2] == [line["stage"], line["rule"]]
        for cell, key in zip(row[2:], PROPAGATED, strict=True):
            check_number(cell, line[key])
    naive, derived = (doc["error"][k]["upper"] for k in ("naive_total", "total"))
    smaller = naive != "inf" and Fraction(naive) < Fraction(derived)
    better = " (at so small a β even the naive route is the better one)" if smaller else ""
    assert re.fullmatch(r"  naive total \S+, derived total \S+" + re.escape(better), lines[-1])
    check_number(lines[-1].split()[2].rstrip(","), doc["error"]["naive_total"])

    lines = section(text, "Parameters chosen")
    if doc["choices"]:
        _, *rows = cells(lines)
        for row, choice in zip(rows, report.choices, strict=True):
            assert row[0].startswith(f"{to_unicode(symbol(choice.name))} = ")
            assert same(row[1], "" if choice.rule is None else to_unicode(choice.rule))
            assert same(row[2], written(why(choice), to_unicode))
    else:
        assert lines == ["  none: nothing was left free"]

    if doc["sequence"]:
        check_sequence_text(section(text, "Sequence"), doc["sequence"])

    heading, *rows = cells(section(text, "Dimensions"))
    assert heading == ["layer", "matrix", "shape", "value", "how many", "entries each"]
    assert [row[:2] for row in rows] == [[x["layer"], x["matrix"]] for x in doc["dimensions"]]
    for row, x in zip(rows, shapes(report), strict=True):
        sides = [to_unicode(q.symbolic) for q in (x.rows, x.columns)]
        assert [side.strip("()") for side in row[2].split(" × ")] == [side.strip("()") for side in sides]
        assert all(same(cell, to_unicode(q.symbolic)) for cell, q in zip(row[4:], (x.count, x.entries), strict=True))


def check_sequence_text(lines: list[str], found: dict[str, Any]) -> None:
    expected = ["codes", *(["gap"] if found["codes"] != "none" else []),
                *(["leak of one gate", "score scale c"] if found["leak"] else [])]
    heading, *rows = cells(lines, len(expected))
    assert heading == ["", "closed form", "value"]
    assert [row[0] for row in rows] == expected
    shown = {row[0]: row for row in rows}
    assert shown["codes"][1].startswith("none needed" if found["codes"] == "none" else f"{found['codes']}, dimension ")
    for name, key in (("gap", "gap"), ("leak of one gate", "leak"), ("score scale c", "scale")):
        if name in shown:
            check_number(shown[name][2], found[key])
    for name, key in (("leak of one gate", "leak"), ("score scale c", "scale")):
        if name in shown:
            assert same(shown[name][1], to_unicode(parse(found[key]["symbolic"])))
    assert " ".join(" ".join(lines).split()).endswith(f"Is the error independent of the sequence length? {found['answer']}")


def check_number(shown: str, q: dict[str, Any]) -> None:
    """A number in a table: exact, or marked as rounded up and then not below the value, nor far above it."""
    if q["upper"] == "inf":
        assert shown == ("∞" if parse(q["symbolic"]).has(sp.oo) else f"> 10^{HUGE}")
    elif shown.endswith("↑"):
        value = Fraction(q["upper"])
        assert value * (1 - Fraction(1, 10**15)) <= Fraction(shown[:-1]) <= value * (1 + Fraction(1, 10**4))
    else:
        assert Fraction(shown) == Fraction(q["exact"])


@every_way
def test_show_text_has_the_closed_forms_and_no_value(way: Way) -> None:
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    text = render(report, "text", Wishes(dimensions=True, proof=True, full=True))
    heading, *rows = cells(section(text, "Resources"))
    assert heading == ["", "closed form"]
    assert any(same(row[1], to_unicode(report.resources["parameters"].symbolic)) for row in rows)
    assert len(cells(section(text, "Error propagation"), len(report.stages))) == len(report.stages) + 1
    assert "Parameters, as they are chosen for a given ε" in text or not report.choices
    assert ("Any gate with error in [−η, η]" in text) == (gate is not None)


def test_show_mult_has_the_generic_bound_in_eta() -> None:
    text = render(report_of(boundcalc.closed_forms("mult")), "text", Wishes(full=True))
    lines = section(text, "Any gate with error in [−η, η]")
    assert any("interpolation" in line and "±M²·4^(−m−1)" in line for line in lines)
    assert any("gates" in line and "η·M²" in line for line in lines)


def test_show_max_keeps_n() -> None:
    for route in ("direct", "tree"):
        report = report_of(boundcalc.closed_forms("max", route=route))
        assert symbol("n") in report.total.symbolic.free_symbols
        assert symbol("n") in report.resources["parameters"].symbolic.free_symbols
    assert "W((n − 1)/e)/ε" in render(report_of(boundcalc.closed_forms("max")), "text")


def test_text_of_an_observation_says_what_it_is() -> None:
    report = report_of(bound_of(("mult", "recipe", "silu"), "eps"))
    seen = Observation(Fraction(1, 3000), {"x1": Fraction(1, 3), "y1": Fraction(-1, 8)}, Fraction(0), 12, 50)
    found = Verification(seen, NotCertified("no method applies"), report.parameters["eps"])
    text = "\n".join(section(render(report.verified(found), "text", Wishes(full=True)), "Verification"))
    assert "observed 0.000333333333333↓" in text
    assert "witness: x1 = 1/3, y1 = −0.125" in text
    assert "not certified: no method applies" in text
    assert "proved" not in text


def test_unknown_format_is_refused() -> None:
    report = report_of(boundcalc.bound("relu", beta=1))
    with pytest.raises(InvalidInput) as problem:
        render(report, "pdf")
    assert "pdf" in problem.value.problem
    assert all(form in problem.value.remedy for form in FORMATS)
