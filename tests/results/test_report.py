"""The report that exporters read: complete, consistent with the network, and the same with and without numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import boundcalc
from boundcalc.declarations.registry import construction, information, named, names
from boundcalc.derivation.analysis import analyse
from boundcalc.errors import Infeasible
from boundcalc.export import FORMATS, render
from boundcalc.export.names import way as way_of
from boundcalc.formulas.enclosure import exact_value, less_equal
from boundcalc.formulas.symbols import INTERNAL, symbol
from boundcalc.gates import gate as gate_named
from boundcalc.networks.network import AffineLayer, AttentionLayer, Matrix
from boundcalc.results.report import RESOURCES, Report, Shape, overhead, report_of, shapes, tidy
from boundcalc.results.verification import Certified, NotCertified, Observation, Verification
from boundcalc.tune import numbers
from tests.export.test_export import own_cases, takes_any
from tests.kinds import kind_of
from tests.selection import selected

Way = tuple[str, str, str | None]


def ways() -> Iterator[Way]:
    """Every construction × route × gate of the package."""
    for name in names():
        for route, how in construction(name).by_route.items():
            for gate in information(name).gates if how.gated else (None,):
                yield name, route, gate


WAYS = list(ways())
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(filter(None, way)))


Parameter = str | int | tuple[str, str] | Fraction
DOMAINS: dict[str, dict[str, Parameter]] = {        # by kind, as general as closed forms are; no width is above 2
    "M": {"M": "1"}, "line": {"M": "1"}, "function": {"range": ("-1/2", "3/2")}, "positive": {"range": ("1/2", "2")}}


def bound_of(way: Way, **parameters: Any) -> boundcalc.Bound:
    """The bound at the parameters that apply; d and n both mean size, and M or a range is the domain where one is needed.
    A construction that does not take any parameters has its own first case, with gates made as asked."""
    name, route, gate = way
    if not takes_any(name):
        kept = {"N", *(key for _, options in MAKINGS.values() for key in options)}
        made = {key: x for key, x in parameters.items() if key in kept}
        return boundcalc.bound(name, route=route, gate=gate, **own_cases(way)[0], **made)
    parameters[construction(name).counted or "d"] = parameters.pop("size", 3)
    if kind_of(construction(name)) == "positive" and "range" not in parameters:
        parameters = {**parameters, **DOMAINS["positive"]}
        parameters.pop("M", None)
    return boundcalc.bound(name, route=route, gate=gate, **parameters)


def general_bound(way: Way, **parameters: Any) -> boundcalc.Bound:
    """The bound on the domain that closed forms are written for."""
    return bound_of(way, **parameters, **DOMAINS[kind_of(construction(way[0]))])


def member_of(way: Way) -> str:
    """The one of a family that `bound_of` is about."""
    name, _ = named(way[0], own_cases(way)[0]) if construction(way[0]).family else (way[0], {})
    return name


# ---------------------------------------------------------------------------------------------------------------
# completeness

@every_way
def test_every_resource_has_a_closed_form_and_a_value(way: Way) -> None:
    report = report_of(bound_of(way, eps="1e-2", delta="1e-4"))
    assert list(report.resources) == list(RESOURCES)
    for key, q in report.resources.items():
        assert (q.upper is None) == q.symbolic.has(sp.oo), key
    assert report.has_values
    assert (report.information.name.partition("[")[0], report.route, report.gate) == way


@every_way
def test_internal_symbols_never_reach_a_report(way: Way) -> None:
    report = report_of(bound_of(way, eps="1e-2", delta="1e-4", range=("1", "3")))
    allowed = {symbol(name) for name in report.parameters} | {symbol("C"), symbol("eta")}
    quantities = [*report.resources.values(), report.total, report.naive_total, *(t.size for t in report.terms)]
    for line in report.stages:
        quantities += [line.incoming, line.gain, line.added, line.outgoing, line.softmax_lipschitz, line.naive_outgoing]
    expressions = [q.symbolic for q in quantities] + [e for c in report.choices for e in c.formulas()]
    for e in expressions:
        assert e.free_symbols <= allowed, e


@every_way
def test_closed_forms_need_no_numbers(way: Way) -> None:
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    assert not report.has_values
    assert not report.parameters
    assert all(q.upper is None and q.exact is None for q in report.resources.values())
    own = {"ffn": [], "anchor": ["p"], "anchors": ["H"]}.get(gate or "", ["beta"])
    how, pieces = construction(name).route(route), construction(name).pieces(route)
    assert [c.name for c in report.choices] == [*how.chooses, *([pieces.step] if pieces else []), *own]
    for e in (e for c in report.choices for e in c.formulas()):
        assert not e.free_symbols & set(INTERNAL.values()), e
    assert bool(report.generic) == bool(gate)


@every_way
def test_closed_forms_are_those_of_a_bound(way: Way) -> None:
    """`show` and a derivation at numbers use the same formulas."""
    name, route, gate = way
    if kind_of(construction(name)) == "line":
        bound = boundcalc.bound(name, route=route, gate=gate, eps="1e-3")
    else:
        bound = general_bound(way, eps="1e-3", size=9)      # a tree of two levels has a shorter form of its own
    general, special = report_of(boundcalc.closed_forms(member_of(way), route=route, gate=gate)), report_of(bound)
    for key in set(RESOURCES) - {"beta", "bits"}:
        assert general.resources[key].symbolic == special.resources[key].symbolic, key
    if "Q3" in {x.label for x in special.lemmas}:       # from β = 40 on; without numbers the lemma for every β is shown
        assert {x.label for x in general.lemmas} == {"Q1", "Q2"}
        assert general.total.symbolic != special.total.symbolic
        assert gate is not None
        shown = boundcalc.closed_forms(name, route=route, gate=gate)
        general = report_of(analyse(shown.construction, route, gate_named(gate), shown.frame, sharper=1))
        assert [x.label for x in general.lemmas] == [x.label for x in special.lemmas]
    assert general.total.symbolic == special.total.symbolic
    table = construction(name).pieces(route)
    follow = table.more(bound.values, int(bound.values["N"])) if table and not takes_any(name) else {}
    assert all(c.rule is None and c.value == follow[c.name] for c in special.choices if c.name in follow)
    chosen = {c.name: c.rule for c in special.choices if c.name not in follow or c.name == table.step}
    if gate == "anchors":       # closed forms keep the tokens of a head, which have a default
        assert chosen.pop("p" if construction(name).counted == "n" else "n") == 8
    assert {c.name: c.rule for c in general.choices} == chosen


# ---------------------------------------------------------------------------------------------------------------
# every way of making the gates

MAKINGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {      # name → gates that can be made so, options
    "hard": (("anchor", "anchors"), {"temperature": "hard"}),
    "hard, kappa": (("anchor", "anchors"), {"temperature": "hard", "kappa": "3"}),
    "hard, eps0": (("anchor", "anchors"), {"temperature": "hard", "eps0": "1/100"}),
    "left": (("anchor",), {"temperature": "hard", "grid": "left"}),
    "midpoint": (("anchor",), {"temperature": "hard", "grid": "midpoint"}),
    "sentinels": (("anchors",), {"temperature": "hard", "sentinels": True}),
    "sequence": (("silu", "anchor", "anchors", "ffn"), {"sequence": 3}),
    "sequence, circle": (("silu",), {"sequence": 5, "codes": "circle"}),
    "sequence, left": (("anchor",), {"sequence": 3, "temperature": "hard", "grid": "left"}),
    "sequence, sentinels": (("anchors",), {"sequence": 3, "temperature": "hard", "sentinels": True}),
}
MADE = selected([(way, making) for way in WAYS for making, (gates, _) in MAKINGS.items() if way[2] in gates],
                lambda made: (made[0], (made[0][2], made[1])))         # every way, and every making of each gate
every_making = pytest.mark.parametrize(("way", "making"), MADE, ids=lambda x: x if isinstance(x, str) else "-".join(x))


@every_making
def test_every_construction_takes_gates_made_in_every_way(way: Way, making: str) -> None:
    """Derived within ε, in the user's own parameters, and written in every format. What cannot be is refused: where inputs
    are any real numbers, the values of other tokens are, too, and silu gates would pass them on."""
    if way[2] == "silu" and making.startswith("sequence") and kind_of(construction(way[0])) == "function":
        with pytest.raises(Infeasible, match="On an unbounded domain"):
            bound_of(way, eps="1/10", size=2, **MAKINGS[making][1])
        return
    bound = bound_of(way, eps="1/10", size=2, **MAKINGS[making][1])
    assert bound.total.upper is not None
    assert bound.total.upper <= Fraction(1, 10)
    report = report_of(bound)
    for q in (*report.resources.values(), report.total, *(t.size for t in report.terms)):
        assert not q.symbolic.free_symbols & set(INTERNAL.values()), q.symbolic
    for form in FORMATS:
        assert render(report, form)


@every_making
def test_closed_forms_of_gates_made_in_every_way(way: Way, making: str) -> None:
    options = {k: v for k, v in MAKINGS[making][1].items() if k in ("temperature", "grid", "sentinels")}
    if "sequence" in MAKINGS[making][1]:
        return                  # closed forms are about one token
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate, **options))
    assert not report.total.symbolic.free_symbols & set(INTERNAL.values())
    assert "kappa" in [c.name for c in report.choices]


@pytest.mark.parametrize("making", ["sentinels", "left", "midpoint", "hard"])
def test_the_way_is_told(making: str) -> None:
    gates, options = MAKINGS[making]
    told = way_of(report_of(boundcalc.bound("clip", gate=gates[-1], eps="1/10", **options)))
    gate = "many-head anchor" if gates[-1] == "anchors" else gates[-1]
    assert told.startswith(f"recipe with {gate} gates, hard temperature, {options.get('grid', 'linspace')} grid")
    assert ("sentinels" in told) == (making == "sentinels")
    assert "temperature" not in way_of(report_of(boundcalc.bound("clip", gate=gates[-1], eps="1/10")))


def test_the_error_of_sentinels_is_that_of_the_lemma() -> None:
    """Δ/2 + 3·max(|a|, |b|)·e^(−2κ) with Δ = (b − a)/((n − 2)H − 1): the last term is a floor that κ lowers, not H."""
    report = report_of(boundcalc.closed_forms("clip", gate="anchors", temperature="hard", sentinels=True))
    a, b, n, H, kappa = (symbol(x) for x in ("a", "b", "n", "H", "kappa"))
    cells = (n - 2) * H - 1
    expected = (b - a) / (2 * cells) + 3 * sp.Max(sp.Abs(a), sp.Abs(b)) * sp.exp(-2 * kappa)
    at = {a: sp.Rational(-1, 3), b: sp.Integer(5), n: sp.Integer(7), H: sp.Integer(4), kappa: sp.Integer(2)}
    assert sp.expand((report.total.symbolic - expected).xreplace(at)) == 0


@pytest.mark.parametrize(("name", "gate", "codes"), [
    ("mult", "silu", "onehot"), ("relu", "silu", "circle"), ("clip", "anchor", None), ("hat", "anchors", None)])
def test_the_leak_of_a_sequence_is_what_the_report_says(name: str, gate: str, codes: str | None) -> None:
    """leak = f·x/(1 + x), x = (L − 1)·e^(−νg) for codes or L·e^(−ν) for anchors, f = 2R or 1; and the scale is ν/β."""
    bound = boundcalc.bound(name, gate=gate, eps="1e-2", sequence=6, codes=codes)
    report = report_of(bound)
    assert report.sequence is not None
    assert report.sequence.leak is not None
    assert report.sequence.scale is not None
    v, L, nu = bound.values, symbol("L"), symbol("nu")
    others = L - 1 if gate == "silu" else L
    x = others * sp.exp(-nu * (symbol("g") if codes == "circle" else 1))
    factor = 2 * symbol("R") if gate == "silu" else sp.S.One
    assert sp.expand(report.sequence.leak.symbolic - factor * x / (1 + x)) == 0
    assert less_equal(report.sequence.leak.symbolic, symbol("xi"), numbers(v))
    smaller = {**numbers(v), nu: v["nu"] * (1 - Fraction(1, 10**5))}
    assert not less_equal(report.sequence.leak.symbolic, symbol("xi"), smaller)
    beta = bound.resources["beta"].exact
    assert beta is not None
    assert report.sequence.scale.exact == v["nu"] / beta
    assert report.sequence.dimension.exact == {"onehot": 6, "circle": 2}.get(codes or "", 0)


# ---------------------------------------------------------------------------------------------------------------
# error

@every_way
def test_generic_bound_of_any_gate_covers_this_gate(way: Way) -> None:
    """With η = W(1/e)/β, or w/16 by the number of cells, w ≤ 2 the width of a ramp, the bound for any gate is the
    propagated one."""
    name, route, gate = way
    if gate in (None, "ffn"):
        return
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    bound = general_bound(way, eps="1e-3")
    eta = Fraction("0.27847") / bound.values["beta"] if gate == "silu" else Fraction(1, 8) / bound.values["cells"]
    at = {**numbers(bound.values), symbol("eta"): eta}
    gates = next(t for t in report.generic if t.name == "gates")
    assert symbol("eta") in gates.size.symbolic.free_symbols
    ours = next(t for t in report.terms if t.name == "gates")
    assert less_equal(ours.size.symbolic, gates.size.symbolic, at)


def test_generic_bound_of_mult_is_linear_in_eta() -> None:
    report = report_of(boundcalc.closed_forms("mult"))
    interpolation, gates = report.generic
    M, m, eta = symbol("M"), symbol("m"), symbol("eta")
    assert interpolation.interval.hi == M**2 * 4 ** (-m - 1)
    assert sp.Poly(sp.expand(gates.size.symbolic), eta).degree() == 1
    assert gates.interval.lo.subs(m, 3) == -gates.interval.hi.subs(m, 3)


def test_a_term_that_is_zero_is_left_out() -> None:
    def terms(name: str, **parameters: str) -> list[str]:
        return [t.name for t in report_of(boundcalc.bound(name, **parameters)).terms]

    assert terms("relu", gate="ffn") == []
    assert terms("relu", gate="ffn", delta="1e-3") == ["inputs"]
    assert terms("mult", eps="1e-2", delta="1e-4") == ["inputs", "interpolation", "gates"]


def test_a_network_without_any_level_is_reported() -> None:
    """square with ε ≥ M² needs no gate at all; the report must not ask for β."""
    report = report_of(boundcalc.bound("square", eps="2"))
    assert report.total.exact == 1
    assert report.resources["layers"].exact == 0


def test_a_network_without_any_level_has_no_anchors_to_choose() -> None:
    report = report_of(boundcalc.bound("square", gate="anchor", eps="2"))
    assert [c.name for c in report.choices] == ["m"]
    assert report.eta is None
    assert report.resources["beta"].exact == report.resources["tokens"].exact == 0


@every_way
def test_last_stage_is_the_total(way: Way) -> None:
    report = report_of(bound_of(way, eps="1e-2", delta="1e-4"))
    assert report.stages[-1].outgoing.upper == report.total.upper
    assert report.stages[-1].naive_outgoing.upper == report.naive_total.upper
    assert all(line.rule.startswith("R") for line in report.stages)


def test_unit_slopes_and_not_gates_add_up_in_a_tree() -> None:
    report = report_of(boundcalc.bound("max", route="tree", n=8, eps="1e-3"))
    assert exact_value(report.total.symbolic * symbol("beta") / sp.LambertW(sp.exp(-1)), {symbol("n"): 8}) == 3


def test_tidy_collects_eta_and_changes_nothing() -> None:
    eta, m, M = symbol("eta"), symbol("m"), symbol("M")
    for e in (2 * eta * M + 3 * eta + M, eta * 2**m - eta, M**2 + M, sp.Max(M, 1) + eta, M**2 * 4 ** (-m)):
        assert sp.expand(tidy(e) - e) == 0


# ---------------------------------------------------------------------------------------------------------------
# dimensions against the exported network

def levels_of(shape: Shape, report: Report) -> list[dict[sp.Symbol, Fraction]]:
    """The parameters, with every value of the index over which a layer is repeated."""
    at = {symbol(k): v for k, v in report.parameters.items()}
    if shape.over is None:
        return [at]
    first, last = (exact_value(end, at) for end in (shape.over.first, shape.over.last))
    assert first is not None
    assert last is not None
    return [{**at, shape.over.symbol: Fraction(k)} for k in range(int(first), int(last) + 1)]


@every_way
@pytest.mark.parametrize("size", [2, 5])
def test_dimensions_are_those_of_the_exported_network(way: Way, size: int) -> None:
    bound = bound_of(way, eps="1e-2", M="2", size=size)
    report = report_of(bound)
    expected: Counter[tuple[str, int, int]] = Counter()
    entries = 0
    for shape in shapes(report):
        for at in levels_of(shape, report):
            rows, columns, times, listed = (int(exact_value(q.symbolic, at) or 0) for q in (
                shape.rows, shape.columns, shape.count, shape.entries))
            entries += times * listed
            if times and shape.matrix != "—":
                expected[shape.matrix, rows, columns] += times

    found: Counter[tuple[str, int, int]] = Counter()

    def note(kind: str, matrix: Matrix) -> None:
        found[kind, matrix.rows, matrix.cols] += 1

    for layer in bound.network.layers:
        match layer:
            case AffineLayer(weight=weight):
                note("weight + bias", weight)
            case AttentionLayer(heads=heads, skip=skip):
                for head in heads:
                    for name in "QKV":
                        note(name, getattr(head, name))
                if skip is not None:
                    note("skip", skip)
    assert found == expected
    assert entries == report.resources["parameters"].exact


# ---------------------------------------------------------------------------------------------------------------
# overhead, verification

@every_way
def test_overhead_compares_with_the_relu_network(way: Way) -> None:
    name, route, gate = way
    bound = bound_of(way, eps="1e-2")
    compared = overhead(bound)
    if gate in (None, "ffn"):
        assert compared is None
        return
    ours = bound.resources
    how = construction(name)
    same = {k: v for k, v in bound.values.items() if k in (how.counted or "d", *how.route(route).chooses)}
    relu = bound_of((name, route, "ffn"), **same, size=same.get(how.counted or "d", 1)).resources
    assert compared == {"layers": ours["layers"].exact / relu["relu_layers"].exact,
                        "heads": ours["heads"].exact / relu["neurons"].exact,
                        "parameters": ours["parameters"].exact / relu["parameters"].exact}


def test_a_witness_above_eps_is_a_failure_and_one_below_is_none() -> None:
    seen = Observation(Fraction(1, 9), {"x": Fraction(1)}, Fraction(0), 1, 50)
    none, proved = NotCertified("no method"), Certified(Fraction(1, 10), "boxes", 1)
    eps = Fraction(1, 10)
    assert Verification(seen, none, eps).holds is False
    assert Verification(seen, proved, eps).holds is False, "a witness beats a certificate: one of them is wrong"
    at_eps = replace(seen, error=eps)
    assert Verification(at_eps, none, eps).holds is None
    assert Verification(at_eps, proved, eps).holds is True
    assert Verification(at_eps, replace(proved, error=Fraction(2, 10)), eps).holds is None
    assert Verification(seen, none, None).holds is None, "nothing was asked for"
    assert Verification(at_eps, none, Fraction(1), derived=Fraction(1, 11)).holds is False, "the derived bound is wrong"
