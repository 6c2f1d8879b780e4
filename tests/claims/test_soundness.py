"""The prover must not prove what is false: traps that once caught it, and random goals checked at random points."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy as sp

from boundcalc.checker.networks import ATTENTION_ONLY, COUNT
from boundcalc.checker.statements import stated_of
from boundcalc.claims.axioms import table_for
from boundcalc.claims.check import check, check_text, safely
from boundcalc.claims.load import one_line
from boundcalc.claims.model import Claim
from boundcalc.declarations.record import RELATIONS, split_relation
from boundcalc.errors import InvalidInput
from boundcalc.formulas.parser import parse
from boundcalc.formulas.symbols import symbol
from boundcalc.networks.file import to_json
from boundcalc.results.bound import Bound, bound

STEPS = 8000            # what is not decided by then is open, which is no mistake


def verdict(claim: str, domain: str = "", steps: int = STEPS) -> str:
    return check(Claim(claim, "c", domain), steps=steps).verdict


@pytest.mark.parametrize(
    ("claim", "domain"),
    [
        ("sin(5*n) >= 0", "2 <= n <= 3"),  # its derivative is positive at both integers, but not between them
        ("1/(x - 1) >= 0", "x in [0, 2]"),  # decreasing on both sides of a pole
        ("1/(x - 1)**2 >= 1/(x - 2)", "x in [0, 3]"),
        ("tan2*0 + x/(x**2 - 1) <= 1", "x in [-2, 2], tan2 in [0, 1]"),
        ("floor(x) >= x - 1/2", "x in [0, 4]"),
        ("ceil(log(n)/log(2)) <= log(n)/log(2) + 9/10", "n >= 2"),
        ("max(x, y) <= (x + y)/2", "x in [0, 1], y in [0, 1]"),
        ("abs(x) <= x", "x in [-1, 1]"),
        ("x**2 > 0", "x in [-1, 1]"),
        ("x <= x**2", "x in [0, 2]"),
        ("sqrt(x) <= x", "x in [0, 2]"),
        ("exp(-1/x) >= x/4", "0 < x <= 1"),
        ("log(x) <= 0", "0 < x < 2"),
        ("x*sin(x) >= -1", "x >= 0"),
    ],
)
def test_traps(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("refuted", "conditional", "undecided")


@pytest.mark.parametrize(
    ("claim", "domain"),
    [
        ("max.heads >= 1", "n >= 2, eps > 0"),  # no head is needed for a coarse accuracy
        ("max.tokens >= 2", "n >= 2, 0 < eps <= 1"),
        ("independent(max.heads, n)", "eps > 0"),
        ("clip[gate=anchor, temperature=hard].error <= (b - a)/(2*(p - 1))", "a < b, kappa > 0"),  # proved for κ ≥ 1 only
        ("clip[gate=anchors].error <= (b - a)/(16*(n - 1)*H)", "a < b, n >= 2"),  # false for n = 2
        ("mult[route=recipe, gate=silu].error <= 4**(-m - 1)", "beta >= 1000"),
        ("mult[route=recipe, gate=silu].error >= 4**(-m - 1)/2", "m >= 1, beta >= 10"),
    ],
)
def test_what_is_not_known_is_not_proved(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("undecided", "refuted", "supported")


@pytest.mark.parametrize(
    ("claim", "domain"),
    [
        ("max.heads >= 1", "n >= 2, 0 < eps < 1/2"),
        ("max.tokens >= 2", "n >= 2, 0 < eps <= 1/10"),
        ("mult.layers >= 1", "0 < eps <= 1/2"),
        ("square.heads >= 1", "0 < eps <= 1/4"),
    ],
)
def test_the_lower_bound_of_what_is_needed(claim: str, domain: str) -> None:
    assert verdict(claim, domain, 120_000) == "proved"


@pytest.mark.parametrize("claim", ["max.heads <= 0", "max.layers < 1", "max.tokens <= 1"])
def test_needed_quantities_are_refuted_by_the_lower_bound(claim: str) -> None:
    assert verdict(claim, "n >= 2, 0 < eps <= 1/10") == "refuted"


@pytest.mark.parametrize(
    ("claim", "domain"),
    [
        ("log(x) <= x", "x in [-1, 1]"),
        ("1/x >= 1", "x in [0, 1]"),
        ("sqrt(x) >= 0", "x in [-1, 1]"),
        ("W(x) <= 1", "x in [-1, 1]"),
    ],
)
def test_claims_that_are_undefined_somewhere_are_not_decided(claim: str, domain: str) -> None:
    finding = check(Claim(claim, "c", domain), steps=STEPS)
    assert finding.verdict == "undecided"
    assert "undefined at x = " in "".join(map(str, finding.reason))


def test_a_parameter_that_the_claim_writes_is_free() -> None:
    """M stands in the claim, so its default does not count: an error of (1/3)·β²M⁴ exceeds (1/3)·β²M³ for large M."""
    assert verdict("mult[route=direct].error <= beta**2*M**3/3", "0 < beta <= 1/10") != "proved"


def test_what_a_quantity_needs_is_asked_for() -> None:
    """`for` speaks about n, so nothing about it is assumed: at n = 1 there is no network."""
    assert verdict("max[route=direct].heads <= 1", "n >= 1") == "undecided"
    finding = check(Claim("max[route=direct].heads <= 1", "c", ""))
    assert finding.verdict == "proved"
    assert "n >= 2" in finding.assumed


def test_what_is_derived_shows_why_a_claim_is_proved() -> None:
    """Where what is needed is meant, the rows of the constructions are shown."""
    for text, domain in (("mult.heads <= 3", "0 < eps < 1/10"), ("max.heads <= 3", "n >= 2"), ("min.layers <= 1", "n >= 2")):
        finding = check(one_line(text, domain))
        assert finding.verdict == "proved"
        assert finding.axioms
        assert finding.derived


CLASSES = [  # false claims that were once proved, and true ones that were refuted; one or two of each kind
    ("abs(h) == h", "h in [-1, 1]"),
    ("abs(eps0) <= eps0", "eps0 in [-1, 1]"),
    ("R >= 0", "R in [-1, 1]"),
    ("C <= 2", "C >= 0"),
    ("sum(1, k, 10, n) < 0", "n == 3"),
    ("sum(1, k, 5, n) == n - 4", "n >= 1"),
    ("relu(-x) = O(x**2) as x -> 0", ""),
    ("1/max.heads = O(1/n) as n -> inf", "eps > 0"),
    ("log(n*exp(sqrt(log(n)))) = O(sqrt(log(n))) as n -> inf", ""),
    ("1/(1 + floor(x) - x) = O(1) as x -> inf", ""),
    ("exists K: log(1/eps) <= K*mult.heads", "0 < eps < 1/2"),
    ("square[gate=ffn].parameters <= 0", "m == 0"),
    ("square[gate=ffn].parameters <= 16*m - 7", "m >= 0"),
    ("recip[gate=ffn].error <= 1/1000", "a == 1/2, b == 3, N == 3, h == 1/100"),
    ("regions.maxout(2, 1, 2) >= 2", ""),
    ("p*(1 - p) <= 0", "0 <= p <= 1"),
    ("exp(log(x)) == x", "x in [-1, 1]"),
    ("2**(-x) <= 1/2", "x in [1 - 1/10**29, 1]"),
    ("log(x*exp(sqrt(log(x))))/sqrt(log(x)) <= 100", "x >= 3"),
    ("max[route=direct].beta <= 0", "delta == 1, eps == 1/1000"),
    ("max.error < delta/4", "delta > 0, eps == delta/8, n == 2"),
    ("max.layers >= ceil(log(n)/log(2))", "n >= 2, 0 < eps <= 1/10"),
]


@pytest.mark.parametrize(("claim", "domain"), CLASSES)
def test_what_was_proved_without_ground_is_proved_no_more(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("refuted", "conditional", "undecided")


def test_both_spellings_of_an_index_are_one_symbol() -> None:
    assert verdict(r"x_1 \le 1", "x_1 <= 1") == "proved"
    assert verdict("x_1 <= 1", "x_1 <= 1") == "proved"


@pytest.mark.parametrize("quantity", ["layers", "heads", "tokens", "width", "beta"])
def test_quantities_that_do_not_apply_are_refused(quantity: str) -> None:
    with pytest.raises(InvalidInput, match="ReLU network"):
        verdict(f"mult[route=recipe, gate=ffn].{quantity} <= 1", "m >= 0")


def test_one_crash_is_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("beta")

    monkeypatch.setattr("boundcalc.claims.check.table_for", fail)
    finding = safely(Claim("x <= 1", "c", ""))
    assert finding.verdict == "undecided"
    assert str(finding.reason[0]).startswith("defect")


@pytest.mark.parametrize(("claim", "domain", "small"), [
    ("mult[route=recipe, gate=ffn].magnitude <= 1", "M == 1/2, m == 0", "proved"),      # the general form says 2
    ("mult[route=recipe, gate=ffn].magnitude == 1", "M == 1/2, m == 0", "proved"),
    ("mult[route=recipe, gate=ffn].magnitude == 1", "M == 1/2, m == 1", "proved"),
    ("mult[route=recipe, gate=ffn].magnitude == 2", "M == 1/2, m == 2", "proved"),
    ("mult[route=recipe, gate=ffn].magnitude >= 2", "M == 1/2, m >= 0", "refuted"),
    ("mult[route=recipe, gate=ffn].magnitude >= 2", "M == 1/2, m >= 2", "proved"),
])
def test_small_cases_are_not_covered_by_the_general_form(claim: str, domain: str, small: str) -> None:
    assert verdict(claim, domain) == small


ROWS = [("mult[route=recipe, gate=ffn]", ("magnitude", "parameters", "neurons", "width")), ("mult[route=recipe, gate=silu]",
        ("magnitude", "parameters", "heads", "width")), ("square[gate=ffn]", ("magnitude", "parameters", "neurons")),
        ("max[route=tree, gate=ffn]", ("magnitude", "parameters", "neurons")),
        ("max[route=tree, gate=silu]", ("magnitude", "parameters", "heads", "tokens", "width"))]


@pytest.mark.parametrize(("network", "quantities"), ROWS)
def test_no_row_contradicts_the_exported_network(network: str, quantities: tuple[str, ...]) -> None:
    """Every row whose conditions hold at numbers gives what is counted in the network file, small cases included."""
    compared = set()
    for quantity in quantities:
        if "ffn" in network and quantity in ATTENTION_ONLY:
            continue
        stated = stated_of(f"{network}.{quantity} <= 1", "M > 0, beta > 0" if "silu" in network else "M > 0")
        rows = [r for r in table_for(stated).rows if r["kind"] == "equal"]
        assert rows
        sizes = [("n", k) for k in range(2, 10)] if network.startswith("max") else [("m", k) for k in range(5)]
        for (name, size), m in product(sizes, (Fraction(1, 8), Fraction(1, 2), Fraction(3))):
            at = {name: Fraction(size), "M": m, "beta": Fraction(7), "d": Fraction(1)}
            counted = COUNT[quantity](json.loads(to_json(built(network, at).network))["layers"])
            covering = [r for r in rows if all(holds_at(c, at) for c in f"{r['exists']}, {r['where']}".split(", ") if c)]
            assert covering, (quantity, at)
            for r in covering:
                assert number(r["formula"], at) == sp.Rational(int(counted.p), int(counted.q)), (r, at)
            compared.add((quantity, size))
    assert len(compared) >= 10


def built(network: str, at: dict[str, Fraction]) -> Bound:
    name, options = network.rstrip("]").split("[")
    given: dict[str, Any] = dict(x.split("=") for x in options.split(", "))
    given |= {k: v for k, v in at.items() if k not in ("d", "beta") or (k == "beta" and given["gate"] == "silu")}
    return bound(name, **given)


def number(text: str, at: dict[str, Fraction]) -> sp.Expr:
    return sp.simplify(parse(text).xreplace({symbol(k): sp.Rational(v.numerator, v.denominator) for k, v in at.items()}))


def holds_at(condition: str, at: dict[str, Fraction]) -> bool:
    left, relation, right = split_relation(condition)
    return bool(RELATIONS[relation](number(left, at), number(right, at)))


@pytest.mark.parametrize(("claim", "domain", "verdict"), [
    ("0 <= max[route=direct].error <= log(n)/beta", "n >= 2, beta > 0", "proved"),      # the first half alone is empty
    ("x <= y <= 2*x", "x in [0, 5], y in [0, 10]", "refuted"),                        # each half holds on another part
    ("0 <= softmax.lipschitz(inf, inf) <= 1", "", "conditional"), ("0 <= x**2 <= 1", "x in [0, 1]", "proved"),
    ("0 <= silu.error <= inf", "", "proved"), ("0 <= x <= inf", "x > 1, x < 1", "vacuous")])
def test_a_chain_is_true_where_all_its_relations_are(claim: str, domain: str, verdict: str) -> None:
    assert check_text(claim, domain).verdict == verdict


@pytest.mark.parametrize(("claim", "domain", "verdict"), [
    ("exists K: x == K", "x in [0, 1]", "refuted"), ("exists K: x**2 == K*x", "x in [0, 1]", "refuted"),
    ("exists K: x == K", "x in {3}", "proved"), ("exists K: K*x == K", "x in [0, 1]", "proved")])
def test_one_constant_for_an_equation(claim: str, domain: str, verdict: str) -> None:
    assert check_text(claim, domain).verdict == verdict


@pytest.mark.parametrize("claim", ["exists a: clip[gate=silu].error <= a", "softmax.needed_logit(2, 2) >= 0",
                                   "exists gamma: softmax.offmass(3, gamma) <= gamma"])
def test_a_constant_is_no_parameter(claim: str) -> None:
    with pytest.raises(InvalidInput):
        check_text(claim)


@pytest.mark.parametrize(("claim", "domain", "verdict"), [
    ("silu.needed_beta(eps, c) >= 1/(8*eps*c)", "eps > 0, c >= 1", "proved"),
    ("silu.needed_beta(1/100, 1) <= 12", "", "refuted"),
    ("silu.needed_beta(1/100, 2) >= 7", "", "undecided"), ("silu.needed_beta(1/100, 1/2) >= 1", "", "undecided"),
    ("exists K: softmax.needed_logit(n, 1/10) <= K", "n >= 2", "refuted"),
    ("softmax.needed_logit(2, 1/2) == 0", "", "proved"),
    ("softmax.needed_logit(n, 1/10) >= 0", "n real, n >= 1", "undecided")])
def test_what_gates_and_selection_need(claim: str, domain: str, verdict: str) -> None:
    assert check_text(claim, domain).verdict == verdict


def test_a_witness_lies_just_beyond_what_holds() -> None:
    found = check_text("mult[route=recipe, gate=silu].error <= 3*delta + 1/1000", "delta >= 0, eps == 1/1000")
    assert found.holds == "delta <= 1"
    assert found.witness is not None
    assert found.witness.parameters["delta"] == Fraction(501, 500)


def test_no_point_is_no_support() -> None:
    assert check_text("exists K: log(9*(n - 1)) <= K", "n >= 2").verdict != "supported"
