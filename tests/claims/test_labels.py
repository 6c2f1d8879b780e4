"""The truth values of the suite agree with what is computed at points, by code that shares nothing with boundcalc.

By default an eighth of the rows, with --whole all of them.
"""

from __future__ import annotations

import pytest
from mpmath import mp

from tests.selection import whole

from .pointwise import Tally, Undefined, Unsure, comparisons, tally, term
from .suite import CLASSES, Row, formulas_of, rows

# false claims whose failure random points do not meet: where they fail
FAILS_AT = {
    "log(x*exp(sqrt(log(x))))/sqrt(log(x)) <= 100": {"x": "exp(10**5)"},
    "tanh(x) <= 1 - 1/10**40": {"x": "50"}, "tanh(x) <= 1 - 1e-50": {"x": "60"},
    "x**(1/x) <= 1.4446": {"x": "2.7182818"}, "log(log(x)) <= 5": {"x": "exp(149)"},
    "n*(7 - n) <= 12.2": {"n": "7/2"}, "sin(x) + sin(2*x) <= 1.7601": {"x": "0.93592945"},
    "log(x)/x <= 0.367": {"x": "2.7182818"}, "x**4*y**2 + x**2*y**4 - 3*x**2*y**2 + 1 > 0": {"x": "1", "y": "1"},
    "exp(-x) >= 1/10**100": {"x": "1000"}, "abs(x - 1/7) >= 1e-9": {"x": "1/7"},
    "(n**2 - 61*m**2 - 1)**2 > 0": {"n": "1766319049", "m": "226153980"}, "(1 + 1e-6)**n <= 10**6": {"n": "10**8"},
    "sqrt(x)*log(1 + 1/x) <= 0.80": {"x": "1/4"},
    "x/(1 + x) <= 1 - 1e-40": {"x": "10**41"}, "n**(1/1000) <= 2": {"n": "2**1001"}, "1/log(n) >= 1e-3": {"n": "10**500"},
}
FAILS_AT_EQUALITY = {       # only at irrational points, where both sides are equal
    "x*exp(-x) < 1/e", "(x**2 - 2)**2 > 0", "sin(10**6*x) < 1", "abs(x**2 - 3) > 0", "max(x - sqrt(2), sqrt(2) - x) > 0"}
IRRATIONAL_DOMAIN = {"x <= sqrt(2), x >= sqrt(2)"}


def relations() -> list[Row]:
    """Rows that say a relation between terms with known values."""
    found = []
    for row in rows("neighbours") + rows("sample"):
        if row.truth == "refused" or row.domain in IRRATIONAL_DOMAIN or row.claim.startswith(("exists", "independent")):
            continue
        try:
            comparisons(row.claim, formulas_of(row))
        except (Unsure, SyntaxError):
            continue
        if " as " not in row.claim:
            found.append(row)
    return found


def contradiction(row: Row, seen: Tally) -> str:
    """What was seen that the label excludes, or was not seen though the label asserts it."""
    if row.truth == "true":
        return f"fails at {seen.false[:1]}, undefined at {seen.undefined[:1]}" if seen.false or seen.undefined else ""
    if row.truth == "vacuous":
        return f"a point: {(seen.true + seen.false)[:1]}" if seen.true or seen.false else ""
    if row.truth.startswith("undefined"):
        return f"fails at {seen.false[:1]}" if seen.false else "" if seen.undefined else "no undefined point"
    if row.truth == "false":
        return "" if seen.false or row.claim in FAILS_AT or row.claim in FAILS_AT_EQUALITY else "no counterexample"
    return "" if seen.false and seen.true and not seen.undefined else "not true on a part and false on another"


@pytest.mark.dear
@pytest.mark.parametrize("part", range(8) if whole() else [0])
def test_labels_agree_with_values_at_points(part: int) -> None:
    wrong = []
    for row in relations()[part::8]:
        found = contradiction(row, tally(row.claim, row.domain, 200, formulas=formulas_of(row)))
        if found:
            wrong.append((row, found))
    assert not wrong


def test_most_relations_are_compared() -> None:
    assert len(relations()) >= 300


@pytest.mark.parametrize("claim", FAILS_AT)
def test_claims_fail_where_it_is_said(claim: str) -> None:
    relation, = comparisons(claim)
    with mp.workdps(150):
        point = {name: term(text).at({}) for name, text in FAILS_AT[claim].items()}
        try:
            difference = relation.left.at(point) - relation.right.at(point)
        except Undefined:
            pytest.fail("undefined there")
        assert {"<=": difference > 0, ">=": difference < 0, ">": difference <= 0}[relation.relation]


def test_where_a_claim_is_exactly_true() -> None:
    """The condition of such a label holds exactly at the points where the claim does."""
    named = [r for r in rows("neighbours") + rows("sample") if r.truth.startswith("true exactly where") and r in relations()]
    assert len(named) >= 10
    for row in named:
        both = f"{row.truth.removeprefix('true exactly where ')}"
        claims = tally(row.claim, row.domain, 300, seed=5, formulas=formulas_of(row))
        where = comparisons(both)
        assert all(all(c.at(p) for c in where) for p in claims.true), row
        assert not any(all(c.at(p) for c in where) for p in claims.false), row


def test_every_class_has_its_neighbours() -> None:
    listed = rows("neighbours")
    assert len({(r.claim, r.domain) for r in listed}) == len(listed)
    for kind in CLASSES:
        assert sum(r.kind == kind for r in listed) >= 20, kind
        assert len({r.truth.split()[0] for r in listed if r.kind == kind}) >= 2, kind     # not all of one truth value
