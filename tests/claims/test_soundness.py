"""The prover must not prove what is false: traps that once caught it, and random goals checked at random points."""

from __future__ import annotations

import pytest

from boundcalc.claims.check import check
from boundcalc.claims.load import one_line
from boundcalc.claims.model import Claim

SECONDS = 4             # what is not decided by then is open, which is no mistake


def verdict(claim: str, domain: str = "") -> str:
    return check(Claim(claim, "c", domain), SECONDS).verdict


@pytest.mark.parametrize(("claim", "domain"), [
    ("sin(5*n) >= 0", "2 <= n <= 3"),                  # its derivative is positive at both integers, but not between them
    ("1/(x - 1) >= 0", "x in [0, 2]"),                 # decreasing on both sides of a pole
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
])
def test_traps(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("refuted", "conditional", "undecided")


@pytest.mark.parametrize(("claim", "domain"), [
    ("max.heads >= 1", "n >= 2, eps > 0"),                             # no head is needed for a coarse accuracy
    ("max.tokens >= 2", "n >= 2, 0 < eps <= 1"),
    ("independent(max.heads, n)", "eps > 0"),
    ("clip[gate=anchor, temperature=hard].error <= (b - a)/(2*(p - 1))", "a < b, kappa > 0"),      # proved for κ ≥ 1 only
    ("clip[gate=anchors].error <= (b - a)/(16*(n - 1)*H)", "a < b, n >= 2"),       # false for n = 2
    ("mult[route=recipe, gate=silu].error <= 4**(-m - 1)", "beta >= 1000"),
    ("mult[route=recipe, gate=silu].error >= 4**(-m - 1)/2", "m >= 1, beta >= 10"),
])
def test_what_is_not_known_is_not_proved(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("undecided", "refuted", "supported")


@pytest.mark.parametrize(("claim", "domain"), [
    ("max.heads >= 1", "n >= 2, 0 < eps < 1/2"), ("max.tokens >= 2", "n >= 2, 0 < eps <= 1/10"),
    ("mult.layers >= 1", "0 < eps <= 1/2"), ("square.heads >= 1", "0 < eps <= 1/4"),
])
def test_the_lower_bound_of_what_is_needed(claim: str, domain: str) -> None:
    assert verdict(claim, domain) == "proved"


@pytest.mark.parametrize("claim", ["max.heads <= 0", "max.layers < 1", "max.tokens <= 1"])
def test_needed_quantities_are_refuted_by_the_lower_bound(claim: str) -> None:
    assert verdict(claim, "n >= 2, 0 < eps <= 1/10") == "refuted"


@pytest.mark.parametrize(("claim", "domain"), [
    ("log(x) <= x", "x in [-1, 1]"), ("1/x >= 1", "x in [0, 1]"), ("sqrt(x) >= 0", "x in [-1, 1]"),
    ("W(x) <= 1", "x in [-1, 1]")])
def test_claims_that_are_undefined_somewhere_are_not_decided(claim: str, domain: str) -> None:
    finding = check(Claim(claim, "c", domain))
    assert finding.verdict == "undecided"
    assert "undefined at x = " in (finding.reason or "")


def test_a_parameter_that_the_claim_writes_is_free() -> None:
    finding = check(Claim("mult[route=direct].error <= beta**2*M**3/3", "c", "0 < beta <= 1/10"))
    assert finding.verdict == "conditional"
    assert finding.condition == "at the defaults M = 1"
    assert finding.witness is not None
    assert finding.witness.parameters["M"] > 1


def test_what_a_quantity_needs_is_said() -> None:
    finding = check(Claim("max[route=direct].heads <= 1", "c", "n >= 1"))
    assert any("n >= 2" in note for note in finding.notes)


def test_what_is_derived_shows_why_a_claim_is_proved() -> None:
    """Where what is needed is meant, the construction that meets the claim comes first, and the factor is its own."""
    for text, domain in (("mult.heads <= 3", "0 < eps < 1/10"), ("max.heads <= 3", "n >= 2"), ("min.layers <= 1", "n >= 2")):
        finding = check(one_line(text, domain))
        assert finding.verdict == "proved"
        first = finding.derived.split(";")[0]
        assert "route=direct" in first, finding.derived
        assert finding.ratio in ("1", "3"), finding.ratio
