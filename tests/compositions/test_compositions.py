"""Compositions that are kept as files: derived within ε, certified close to what is observed, counts as exported."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp
from click.testing import CliRunner

from boundcalc.cli.main import cli
from boundcalc.constructions import Plan, Use, var
from boundcalc.errors import BoundcalcError, InvalidInput
from boundcalc.formulas.symbols import symbol
from boundcalc.networks.network import AttentionLayer, ReluLayer
from boundcalc.results.bound import Bound, bound
from boundcalc.results.verification import Certified
from boundcalc.terms.linear import Form
from boundcalc.verify.verification import verify

from .made import derived

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "docs" / "examples"
KEPT: list[tuple[Path, dict[str, object], Fraction]] = [       # with what certified/observed may be
    (HERE / "product_of_three.py", {"eps": "1e-3"}, Fraction(3, 2)),
    (HERE / "product_of_three.py", {"eps": "1e-2", "gate": "ffn"}, Fraction(11, 10)),
    (HERE / "framed_product.py", {"eps": "1e-2"}, Fraction(101, 100)),
    (HERE / "framed_product.py", {"eps": "1e-2", "route": "direct"}, Fraction(101, 100)),
    (HERE / "square_and_reciprocal.py", {"eps": "1e-2"}, Fraction(101, 100)),
    (HERE / "largest.py", {"eps": "1e-2"}, Fraction(3, 2)),
    (HERE / "exponential_of_product.py", {"eps": "1e-2"}, Fraction(3, 2)),
    (EXAMPLES / "cube.py", {"eps": "1e-3"}, Fraction(3, 2)),
    (EXAMPLES / "cubic.py", {"eps": "1e-2"}, Fraction(3, 2)),
]


def counts_agree(found: Bound) -> None:
    network, r = found.network, found.resources
    attention = [layer for layer in network.layers if isinstance(layer, AttentionLayer)]
    assert r["layers"].exact == len(attention)
    assert r["heads"].exact == sum(len(layer.heads) for layer in attention)
    assert r["heads_per_layer"].exact == max((len(layer.heads) for layer in attention), default=0)
    assert r["tokens"].exact == max((layer.tokens for layer in attention), default=0)
    assert r["width"].exact == max((layer.dim for layer in attention), default=0)
    assert r["relu_layers"].exact == sum(isinstance(layer, ReluLayer) for layer in network.layers)
    assert r["parameters"].exact == network.parameters
    assert r["magnitude"].exact == network.magnitude


@pytest.mark.parametrize(("path", "said", "close"), KEPT, ids=lambda x: x.stem if isinstance(x, Path) else str(x))
def test_kept_compositions(path: Path, said: dict[str, object], close: Fraction) -> None:
    found = bound(str(path), **said)                # type: ignore[arg-type]
    assert found.total.upper is not None
    assert found.total.upper <= Fraction(str(said["eps"]))
    counts_agree(found)
    proved = verify(found)
    assert proved.holds
    assert isinstance(proved.certified, Certified)
    assert 0 < proved.observed.error <= proved.certified.error <= found.total.upper
    assert proved.certified.error <= close * proved.observed.error


@pytest.mark.parametrize("said", [{"d": 2}, {"gate": "ffn"}, {"gate": "anchor"}, {"gate": "anchors"}, {"delta": "1/1000"},
                                  {"m": 5}, {"split": {"s": "1/4"}}, {"given": {"s.m": 6, "c.gate": "ffn"}}], ids=str)
def test_options_reach_the_parts(said: dict[str, object]) -> None:
    found = bound(str(EXAMPLES / "cube.py"), **{"eps": "1/10", **said})         # type: ignore[arg-type]
    assert found.total.upper is not None
    assert found.total.upper <= Fraction(1, 10)
    counts_agree(found)
    assert found.composition is not None
    s, c = found.composition.parts
    if "m" in said:
        assert s.bound.values["m"] == c.bound.values["m"] == 5
    if "split" in said:
        assert s.accuracy <= Fraction(1, 40)
        assert c.accuracy > Fraction(1, 40)
    if "given" in said:
        assert s.bound.values["m"] == 6
        assert (s.bound.analysis.gate, c.bound.analysis.gate) == ("silu", "ffn")
    if "gate" in said:
        assert s.bound.analysis.gate == c.bound.analysis.gate == said["gate"]
    if "delta" in said:
        assert c.box[1] == (Fraction(-1001, 1000), Fraction(1001, 1000))
        assert "inputs" in found.error_terms


@pytest.mark.dear
@pytest.mark.parametrize(("said", "resource"), [({"minimize": "beta"}, "beta"),
                                                ({"minimize": "tokens", "gate": "anchor"}, "tokens")], ids=str)
def test_what_the_largest_part_needs_is_made_small(said: dict[str, object], resource: str) -> None:
    """An error of p arrives enlarged: equal shares leave it the larger β."""
    asked = {"eps": "1", "range": {"y": ("0", "20")}, **said}
    path = str(HERE / "product_of_three.py")
    shared, equal = (bound(path, **asked, **more) for more in ({}, {"split": {"p": "1/2", "q": "1/2"}}))    # type: ignore[arg-type]
    assert shared.total.upper is not None
    assert shared.total.upper <= 1
    assert (shared.resources[resource].upper or 0) < (equal.resources[resource].upper or 0)


def test_minimize_puts_its_resource_for_heads() -> None:
    path = str(HERE / "square_and_reciprocal.py")
    layers, heads = (bound(path, eps="1e-3", minimize=what).resources for what in ("layers", "heads"))
    assert (layers["layers"].exact or 0) < (heads["layers"].exact or 0)
    assert (layers["heads"].exact or 0) > (heads["heads"].exact or 0)


def test_a_single_use_has_the_bound_of_its_construction() -> None:
    framed = bound(str(HERE / "framed_product.py"), eps="1/50")
    alone = bound("mult", eps="1/100", range={"x": ("-6", "4"), "y": ("2", "6")})
    own = {symbol("m"): symbol("m_p"), symbol("beta"): symbol("beta_p"), symbol("a_x"): -6, symbol("b_x"): 4,
           symbol("a_y"): 2, symbol("b_y"): 6}
    assert sp.expand(framed.total.symbolic - 2 * alone.total.symbolic.subs(own)) == 0
    assert framed.values["m_p"] == alone.values["m"]
    assert framed.values["beta_p"] == alone.values["beta"]


def test_input_errors_have_the_gain_that_a_product_has() -> None:
    plan = Plan((Use("p", "mult", {"x": var("x"), "y": var("y")}),), {"f": var("p")})
    box = {"x": (Fraction(-1), Fraction(1)), "y": (Fraction(-1), Fraction(1))}
    found = derived(box, plan, "x*y", eps="1/100", delta="1/10000")
    alone = bound("mult", eps="1/100", delta="1/10000")
    assert found.error_terms["inputs"][1].exact == alone.error_terms["inputs"][1].exact


@pytest.mark.dear
def test_plans_in_plans_have_names_of_their_own() -> None:
    cube = str(EXAMPLES / "cube.py")
    uses = (Use("a", cube, {"x": var("x")}), Use("b", cube, {"x": var("y")}))
    box = {"x": (Fraction(-1), Fraction(1)), "y": (Fraction(0), Fraction(1))}
    found = derived(box, Plan(uses, {"f": var("a") + var("b")}), "x**3 + y**3", eps="1/10")
    assert found.composition is not None
    assert [p.name for p in found.composition.parts] == ["a.s", "a.c", "b.s", "b.c"]
    assert {"m_a_s", "beta_b_c"} <= set(found.values)
    counts_agree(found)
    assert verify(found).holds


@pytest.mark.parametrize(("plan", "target", "word"), [
    (Plan((Use("p", "square", {"x": var("x")}),), {"f": var("p")}), "x**3", "not seen that the plan"),
    (Plan((Use("p", "square", {"x": var("q")}),), {"f": var("p")}), "x**2", "mentions q"),
    (Plan((Use("p", "square", {"y": var("x")}),), {"f": var("p")}), "x**2", "no argument x"),
    (Plan((Use("p", "recip", {"x": var("x")}),), {"f": var("p")}), "1/x", "In the part p"),
    (Plan((Use("x", "square", {"x": var("x")}),), {"f": var("x")}), "x**2", "is an input and"),
    (Plan((Use("p", "nothing", {"x": var("x")}),), {"f": var("p")}), "x**2", 'no target "nothing"'),
], ids=["target", "unknown", "argument", "domain", "name", "construction"])
def test_wrong_plans_are_refused(plan: Plan, target: str, word: str) -> None:
    with pytest.raises(BoundcalcError, match=word):
        derived({"x": (Fraction(-1), Fraction(1))}, plan, target, eps="1/10")


@pytest.mark.parametrize("said", [{"N": 3}, {"given": {"t.m": 3}}, {"split": {"t": "1/2"}}, {"gate": "nothing"},
                                  {"split": {"s": "1/2", "c": "3/4"}}, {"sequence": 3}, {"route": "any"},
                                  {"minimize": "luck"}, {"given": {"s.route": "tree"}}, {"relative": True}], ids=str)
def test_what_no_part_has_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        bound(str(EXAMPLES / "cube.py"), **{"eps": "1/10", **said})             # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"s.eps": "1/20"}, {"s.d": 2}, {"s.delta": "1/100"}, {"s.M": 2}, {"s.range": ("0", "1")},
                                   {"s.N": 3}, {"s.route": "direct", "s.m": 3}], ids=str)
def test_what_follows_from_the_plan_cannot_be_given_to_a_part(given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="part s"):
        bound(str(EXAMPLES / "cube.py"), eps="1/10", given=given)               # type: ignore[arg-type]


def test_numbers_of_two_parts_have_two_names() -> None:
    """m_a_s would be that of the part s of a, and that of a_s."""
    cube = str(EXAMPLES / "cube.py")
    uses = (Use("a", cube, {"x": var("x")}), Use("a_s", "square", {"x": var("x")}))
    with pytest.raises(InvalidInput, match="would be called"):
        derived({"x": (Fraction(-1), Fraction(1))}, Plan(uses, {"f": var("a") + var("a_s")}), "x**3 + x**2", eps="1/10")
    with pytest.raises(InvalidInput, match="cannot be called"):
        Plan((Use("a.s", "square", {"x": var("x")}),), {"f": var("a.s")})


def test_a_parameter_may_count_the_inputs() -> None:
    path = str(HERE / "product.py")
    found = bound(path, n=3, eps="1/10", delta="1/1000")
    assert found.names() == (["x1", "x2", "x3"], ["x1*x2*x3"])
    counts_agree(found)
    assert verify(found).holds
    assert "p3" not in {p.name for p in found.composition.parts}               # type: ignore[union-attr]
    uses = (Use("t", path, {"x1": var("x"), "x2": var("x") + 1, "x3": 2 - var("x")}),)
    inlined = derived({"x": (Fraction(-1), Fraction(1))}, Plan(uses, {"f": var("t")}), "x*(x + 1)*(2 - x)", eps="1/10")
    assert [p.name for p in inlined.composition.parts] == ["t.p1", "t.p2"]      # type: ignore[union-attr]
    shown = json.loads(run("show", path, "--n", "3", "-f", "json"))
    assert shown["resources"]["layers"]["symbolic"] == "m_p1 + m_p2 + 2"


def test_two_uses_cannot_have_one_name() -> None:
    with pytest.raises(InvalidInput, match="Two uses"):
        Plan((Use("p", "square", {"x": var("x")}), Use("p", "square", {"x": var("x")})), {"f": var("p")})


@pytest.mark.parametrize(("argument", "rest", "target"), [
    (var("y") / 2 - 1, -3 * var("x") / 4, "(y/2 - 1)**2 - 3*x/4"), (var("x") - var("y") / 2, 0 * var("x"), "(x - y/2)**2")])
def test_a_square_of_any_form_is_certified_directly(argument: Form, rest: Form, target: str) -> None:
    """The method for one direction took its only input for the first one, and ended with a defect otherwise."""
    box = {"x": (Fraction(-3, 2), Fraction(1, 2)), "y": (Fraction(-7, 4), Fraction(1, 4))}
    found = derived(box, Plan((Use("p", "square", {"x": argument}),), {"f": var("p") + rest}), target, eps="1/20")
    proved = verify(found)
    assert isinstance(proved.certified, Certified)
    assert proved.observed.error <= proved.certified.error <= Fraction(1001, 1000) * proved.observed.error


# --- shown --------------------------------------------------------------------------------------------------------------

def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments), standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output


def test_json_has_the_parts() -> None:
    from jsonschema import Draft202012Validator

    from boundcalc.schemas import schema
    found = json.loads(run(str(EXAMPLES / "cube.py"), "--eps", "1e-2", "-f", "json", "--given", "c.m=4", "--split", "s=1/3"))
    Draft202012Validator(schema("bound")).validate(found)
    s, c = found["parts"]
    assert (s["name"], s["expression"], s["construction"], s["gate"]) == ("s", "x**2", "mult", "silu")
    assert (c["expression"], c["gain"]["exact"], c["count"]) == ("s*x", "1", 1)
    assert [t["name"] for t in found["error"]["terms"]] == ["s", "c"]
    assert found["parameters"]["m_c"] == "4"
    total = sum(Fraction(p["gain"]["exact"]) * Fraction(p["accuracy"]["upper"]) for p in found["parts"])
    assert abs(total - Fraction(found["error"]["total"]["upper"])) < Fraction(1, 10 ** 15)


def test_what_was_chosen_for_a_part_is_no_term_of_the_error() -> None:
    assert run(str(EXAMPLES / "cube.py"), "--eps", "1e-2", "--only", "m_s").startswith("m_s = 4\n")


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_documents_have_the_table_of_parts(form: str) -> None:
    shown = run(str(EXAMPLES / "cube.py"), "--eps", "1e-2", "-f", form, "--proof", "--dimensions")
    assert "R11" in shown
    assert "1.005" in shown             # the box of c
    assert "accuracy" in shown


def test_equal_parts_are_shown_once() -> None:
    uses = tuple(Use(f"p{k}", "mult", {"x": var("x"), "y": var("y")}) for k in range(3))
    box = {"x": (Fraction(-1), Fraction(1)), "y": (Fraction(-1), Fraction(1))}
    found = derived(box, Plan(uses, {"f": var("p0") + var("p1") + var("p2")}), "3*x*y", eps="1/10")
    from boundcalc.results.part_lines import part_lines
    (line,) = part_lines(found)
    assert line.count == 3
    from boundcalc.export import render
    from boundcalc.results.report import report_of
    assert "p0 and 2 more" in render(report_of(found), "text")


# --- sharing layers ---------------------------------------------------------------------------------------------------

def test_equal_parts_share_layers() -> None:
    found = bound(str(HERE / "product.py"), n=8, eps="1e-2")
    counts_agree(found)
    m = [int(found.values[f"m_{p}"]) for p in ("p1", "p5", "p7")]
    assert found.resources["layers"].exact == sum(m) + 3
    assert found.resources["heads"].exact == 2 * (4 * (m[0] + 1) + 2 * (m[1] + 1) + m[2] + 1)
    assert "m_p2" not in found.values
    assert found.composition is not None
    # one after the other it is the same function
    from boundcalc.results.parts import flat_of
    from boundcalc.terms.materialise import families
    from boundcalc.tune import numbers
    from boundcalc.verify.parts import is_composition
    from boundcalc.verify.program import program_of
    alone = replace(found.composition, parts=tuple(replace(p, leader="") for p in found.composition.parts))
    values = {**found.values, **{k: v for p in alone.parts for k, v in p.naming[1].items()}}
    longer = families(flat_of(alone, False), numbers(values), *found.names()).network()
    assert sum(isinstance(layer, AttentionLayer) for layer in longer.layers) == 4 * (m[0] + 1) + 2 * (m[1] + 1) + m[2] + 1
    assert is_composition(program_of(longer), found.composition)
    assert is_composition(program_of(found.network), found.composition)


@pytest.mark.dear
@pytest.mark.parametrize("gate", ["ffn", "anchor"])
def test_equal_parts_share_layers_with_other_gates(gate: str) -> None:
    uses = (Use("p", "mult", {"x": var("x"), "y": var("y")}), Use("q", "mult", {"x": var("y"), "y": var("z")}))
    box = {name: (Fraction(-1), Fraction(1)) for name in "xyz"}
    found = derived(box, Plan(uses, {"f": var("p") - 2 * var("q")}), "x*y - 2*y*z", eps="1/2", gate=gate)
    counts_agree(found)
    assert verify(found).holds


def test_parts_that_need_each_other_do_not_share() -> None:
    plan = Plan((Use("p", "abs", {"x": var("x")}), Use("q", "abs", {"x": var("p") - 1})), {"f": var("q")})
    found = derived({"x": (Fraction(-2), Fraction(2))}, plan, "abs(abs(x) - 1)", eps="1/10")
    assert found.resources["layers"].exact == 2
    assert verify(found).holds


# --- closed forms and drawings ------------------------------------------------------------------------------------------

def test_show_has_counts_and_error_in_the_parameters_of_parts() -> None:
    from jsonschema import Draft202012Validator

    from boundcalc.schemas import schema
    found = json.loads(run("show", str(HERE / "product_of_three.py"), "-f", "json"))
    Draft202012Validator(schema("bound")).validate(found)
    assert found["resources"]["layers"]["symbolic"] == "m_p + m_q + 2"
    assert found["resources"]["layers"]["exact"] is None
    assert [t["name"] for t in found["error"]["terms"]] == ["p", "q"]
    assert "beta_p" in found["error"]["terms"][0]["symbolic"]
    rules = {c["name"]: c["rule"] for c in found["choices"]}
    assert "share_p*eps" in rules["m_p"].replace("eps*share_p", "share_p*eps")
    assert "1000" not in rules["m_p"]                   # nothing of the numbers for which it was derived
    assert len(found["lemmas"]) == len({x["label"] for x in found["lemmas"]})
    # the gains are those of numbers that satisfy the conditions
    at = bound(str(HERE / "product_of_three.py"), eps="1e-3")
    assert {str(s) for s in at.analysis.total.radius.free_symbols} <= {"m_p", "m_q", "beta_p", "beta_q", "C"}
    assert any(" >= " in c["statement"] and "beta_p**" in c["statement"] for c in found["conditions"])


def test_no_symbol_of_a_part_has_two_subscripts() -> None:
    """TeX refuses a_0_q."""
    from boundcalc.formulas.notation import to_latex
    from boundcalc.formulas.symbols import part_symbol
    assert to_latex(part_symbol("slope0", "q")).endswith("_{0,q}")
    shown = run(str(HERE / "exponential_of_product.py"), "--eps", "1e-1", "-f", "latex", "--proof", "--standalone")
    assert not re.search(r"_(\{[^{}]*\}|[^{}\\])_", shown)


def test_show_of_a_plan_with_a_table() -> None:
    shown = run("show", str(HERE / "exponential_of_product.py"))
    assert "N_q" in shown
    assert "e_chord_q" in shown
    assert max(len(number) for number in re.findall(r"\d+", shown)) < 20           # slopes of e^x are rounded


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_plans_are_drawn(form: str) -> None:
    shown = run(str(HERE / "product_of_three.py"), "--eps", "1e-2", "-f", form)
    lines = re.sub(r"\\allowbreak|\{\}|\$", "", shown.replace("&gt;", ">").replace("~", " ")).splitlines()
    drawn = [line for line in lines if "o--" in line]
    assert len(drawn) >= 3, shown
    assert "p = x*y" in drawn[0]
    assert "q = p*z" in drawn[1]
