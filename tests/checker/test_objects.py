"""Objects written by hand: those that prove what they say, and those that were written against a rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from boundcalc.checker.statements import check
from boundcalc.checker.terms import Reject, Unreadable

RANGE, ZERO = {"r": "range"}, {"r": "zero"}


def proved(p: Any, **point: str) -> tuple[str, dict[str, Any]]:
    return "proved", {"cases": [{"p": p}], "inhabited": {"case": 0, "point": point}}


def at(case: int = 0, sign: int = 1, **point: str) -> tuple[str, dict[str, Any]]:
    return "refuted", {"case": case, "point": point, "sign": sign}


def verdict(claim: str, conditions: str, name: str, proof: dict[str, Any]) -> str:
    return check(claim, conditions, json.dumps({"verdict": name, "proof": proof}).encode()).verdict


def mono(x: str, up: bool, slope: Any, end: Any, strict: bool = False) -> dict[str, Any]:
    return {"r": "mono", "x": x, "up": up, "slope": slope, "end": end, "strict": strict}


ACCEPTED = [
    ("exp(-x) > 0", "", proved(RANGE, x="0")),
    ("erf(x) < 1", "", proved(RANGE, x="0")),
    ("x*(1 - x) <= 1/4", "0 <= x <= 1", proved({"r": "sum", "terms": [["1", ["x - 1/2"]]]}, x="0")),
    ("tanh(x) == (exp(x) - exp(-x))/(exp(x) + exp(-x))", "", proved(ZERO, x="0")),
    ("sin(x)**2 + cos(x)**2 == 1", "", proved(ZERO, x="0")),
    ("W(x)*exp(W(x)) == x", "x >= 0", proved(ZERO, x="0")),
    ("sin(pi*n) == 0", "n >= 1", proved(ZERO, n="1")),
    (
        "log(1 + x) <= x",
        "x >= 0",
        proved(mono("x", True, {"r": "scale", "by": "1 + x", "to": "x", "p": RANGE}, ZERO), x="0"),
    ),
    ("x/x == 1", "x > 0", proved(ZERO, x="1")),
    ("0**n == 0", "n >= 1", proved(RANGE, n="1")),
    ("x**0 == 1", "", proved(ZERO, x="0")),
    ("sum(1, k, 5, n) == n - 4", "n >= 5", proved({"r": "step", "x": "n", "difference": True, "p": [ZERO, ZERO]}, n="5")),
    ("sum(1/k, k, 5, n) >= 0", "n <= 3, n >= 1", proved(RANGE, n="1")),
    ("floor(x) <= x", "", proved({"r": "name", "u": "x", "as": "y", "p": RANGE}, x="0")),
    ("k*(k - 1) >= 0", "", proved({"r": "split", "x": "k", "at": ["0"], "p": [RANGE, RANGE]}, k="0")),
    ("C <= 2", "C >= 0", at(C="3")),
    ("abs(h) == h", "h in [-1, 1]", at(h="-1")),
    ("abs(x**2 - 3) > 0", "x in [1, 2]", at(x="3**(1/2)")),
    ("p*(1 - p) <= 0", "0 <= p <= 1", at(p="1/2")),
    ("2**(-x) <= 1/2", "x in [1 - 1/10**29, 1]", at(x="1 - 1/10**30")),
    ("sum(1, k, 10, n) < 0", "n == 3", at(n="3")),
]


@pytest.mark.parametrize(("claim", "conditions", "made"), ACCEPTED)
def test_what_is_proved_is_accepted(claim: str, conditions: str, made: tuple[str, dict[str, Any]]) -> None:
    assert verdict(claim, conditions, *made) == made[0]


REJECTED = [  # every one is false, undefined or vacuous, or its object does not prove it
    ("exp(-x) > 1/1000000", "", proved(RANGE, x="0")),
    ("erf(x) <= 0.9999", "", proved(RANGE, x="0")),
    ("x*(1 - x) <= 1/4 - 1/10**30", "0 <= x <= 1", proved({"r": "sum", "terms": [["1", ["x - 1/2"]]]}, x="0")),
    ("x/x == 1", "x in [-1, 1]", proved(ZERO, x="1")),
    ("0*log(x) == 0", "x in [-1, 1]", proved(ZERO, x="1")),
    ("max(1/x, 1) >= 1", "x in [-1, 1]", proved(RANGE, x="1")),
    ("exp(log(x)) == x", "x in [-1, 1]", proved(ZERO, x="1")),
    ("log(x**2) == 2*log(x)", "x in [-1, 1]", proved(ZERO, x="1")),
    ("sqrt(x**2) == x", "x in [-1, 1]", proved(ZERO, x="1")),
    ("sqrt(x)*sqrt(y) == sqrt(x*y)", "x in [-1, 1], y in [-1, 1]", proved(ZERO, x="1", y="1")),
    ("x**(-1)*x == 1", "x in [0, 1]", proved(ZERO, x="1")),
    ("x**0.5*x**0.5 == x", "x in [-1, 1]", proved(ZERO, x="1")),
    ("abs(h) == h", "h in [-1, 1]", proved(ZERO, h="0")),
    ("n >= 1", "n in [1/4, 3/4]", proved(RANGE, n="1")),  # no point
    ("x >= 1", "x >= 2, x <= 1", proved(RANGE, x="2")),
    ("sum(1, k, 5, n) == n - 4", "n >= 1", proved({"r": "step", "x": "n", "difference": True, "p": [ZERO, ZERO]}, n="5")),
    ("sum(k, k, 1, x) >= 0", "x >= 0", proved(RANGE, x="1")),  # x is not whole
    ("x**2 >= x", "x >= 0", proved({"r": "step", "x": "x", "p": [RANGE, RANGE]}, x="0")),
    ("(x - 1/2)**2 >= 1/4", "x >= -3", proved({"r": "relax", "x": "x", "p": RANGE}, x="0")),
    (
        "x <= 5",
        "x >= 0",
        proved({"r": "split", "x": "x", "at": ["5"], "p": [RANGE, {"r": "absurd", "hyp": 0, "p": RANGE}]}, x="0"),
    ),
    ("x <= 5", "x >= 0, y*x >= 0", proved({"r": "absurd", "hyp": -1, "p": RANGE}, x="0", y="0")),
    ("x >= 1", "x >= 0", proved({"r": "have", "t": "x - 1", "fact": RANGE, "p": RANGE}, x="1")),
    ("x*y >= 0", "", proved({"r": "case", "t": "x", "p": [RANGE, RANGE]}, x="0", y="0")),
    ("x**3 >= 0", "x >= -1", proved(mono("x", True, RANGE, RANGE), x="0")),
    ("floor(x) >= 0", "x >= -1/2", proved(mono("x", True, RANGE, RANGE), x="0")),
    ("abs(x) >= 1", "x in [-1, 1]", proved(mono("x", True, RANGE, RANGE), x="0")),
    ("1/x >= -1", "x in [-1, 1]", proved(mono("x", False, RANGE, RANGE), x="1")),
    ("x - x**2 > 0", "0 < x <= 1", proved(mono("x", True, RANGE, RANGE, strict=True), x="1/2")),
    ("1/(1 + x) - 1/1000 >= 0", "x >= 0", proved(mono("x", False, RANGE, None), x="0")),
    ("x*exp(-x) >= 1", "x >= 0", proved(mono("x", False, RANGE, None), x="0")),
    (
        "x >= y",
        "x >= 0, y >= 0",
        proved({"r": "apply", "fn": "square", "left": "x", "right": "y", "p": RANGE}, x="0", y="0"),
    ),
    ("x >= y", "", proved({"r": "apply", "fn": "square", "left": "x", "right": "y", "p": ZERO}, x="0", y="0")),
    ("x >= -y", "", proved({"r": "apply", "fn": "log", "left": "x", "right": "-y", "p": RANGE}, x="0", y="0")),
    ("W(x) >= -2", "x >= 1", proved({"r": "apply", "fn": "W", "left": "W(x)", "right": "-2", "p": RANGE}, x="1")),
    ("x >= 1", "x > 0", proved({"r": "subst", "kind": "exp", "x": "x", "y": "u", "p": RANGE}, x="1")),
    ("x >= 1", "x >= 0", proved({"r": "subst", "kind": "power", "q": 2, "x": "x", "y": "u", "p": RANGE}, x="1")),
    ("x >= 1", "", proved({"r": "subst", "kind": "affine", "a": "1", "b": "0", "x": "x", "y": "u", "p": RANGE}, x="1")),
    ("x >= 1", "", proved({"r": "subst", "kind": "power", "q": 2, "x": "x", "y": "u", "p": RANGE}, x="1")),
    (
        "n >= 1/2",
        "n >= 0",
        proved({"r": "subst", "kind": "affine", "a": "0", "b": "1", "x": "n", "y": "u", "p": RANGE}, n="1"),
    ),
    ("n/2 >= 1/3", "n >= 0", proved({"r": "whole", "to": "n/2 - 1/3", "p": RANGE}, n="1")),
    ("x >= 0", "x > -1", proved({"r": "whole", "to": "x", "p": RANGE}, x="0")),
    ("x >= 0", "x >= -1", proved({"r": "scale", "by": "x", "to": "x**2", "p": RANGE}, x="0")),
    ("-x >= 0", "x >= 0", proved({"r": "scale", "by": "-1", "to": "x", "p": RANGE}, x="0")),
    ("x*y <= x + y", "", proved({"r": "sum", "terms": [["1", "x"], ["1", "y"], ["-1", "x", "y"]]}, x="0", y="0")),
    ("x > 0", "x >= 0", proved({"r": "sum", "terms": [["1", "x"]]}, x="1")),
    ("x**2 > 0", "", proved({"r": "sum", "terms": [["1", ["x"]]]}, x="1")),
    ("x <= 1", "x <= 1", at(x="1")),
    ("x <= 1", "x <= 1", at(x="2")),
    ("x <= 1", "n == 1", at(x="2", n="3/2")),
    ("x/x <= 0", "x in [0, 0]", at(x="0")),
    ("x <= 1", "x in {0, 2}", at(case=-1, x="2")),
    ("x == x", "", at(x="1")),
    ("x**2 >= 0", "", ("vacuous", {"why": "empty", "cases": [{"p": RANGE}]})),
    ("x < inf", "", proved(RANGE, x="0")),
    ("1/x < inf", "", ("vacuous", {"why": "infinite", "cases": [{}], "inhabited": {"case": 0, "point": {"x": "1"}}})),
    (
        "x <= 1",
        "x >= 0",
        (
            "conditional",
            {
                "condition": "x <= 2",
                "inside": [{"p": RANGE}],
                "outside": [{"p": RANGE}],
                "in": {"case": 0, "point": {"x": "0"}},
                "out": {"case": 0, "point": {"x": "3"}},
            },
        ),
    ),
    (
        "x <= 1",
        "x >= 0",
        (
            "conditional",
            {
                "condition": "1/(x - 1) <= 0",
                "inside": [{"p": RANGE}],
                "outside": [{"p": RANGE}],
                "in": {"case": 0, "point": {"x": "0"}},
                "out": {"case": 0, "point": {"x": "3"}},
            },
        ),
    ),
    (
        "exists K: x <= K",
        "x >= 0",
        ("proved", {"constant": "10**9", "cases": [{"p": RANGE}], "inhabited": {"case": 0, "point": {"x": "0"}}}),
    ),
    (
        "exists K: x <= K",
        "0 <= x <= 3",
        ("refuted", {"cuts": [], "parts": [{"case": 0, "at": {"x": "K + 1"}, "p": [RANGE, RANGE, RANGE]}]}),
    ),
    (
        "independent(x, x)",
        "x == 3",
        (
            "proved",
            {"cases": [{"p": ZERO}], "first": {"case": 0, "point": {"x": "3"}}, "second": {"case": 0, "point": {"x": "3"}}},
        ),
    ),
    (
        "independent(x, x)",
        "x in {1, 2}",
        (
            "proved",
            {
                "cases": [{"p": ZERO}, {"p": ZERO}],
                "first": {"case": 0, "point": {"x": "1"}},
                "second": {"case": 1, "point": {"x": "2"}},
            },
        ),
    ),
    ("independent(x, x)", "x in {1, 2}", ("vacuous", {"why": "alone"})),
    (
        "eps = O(1) as eps -> 0",
        "eps >= 1/10",
        (
            "proved",
            {"cases": [{"+": {"upper": {"from": "1/2", "K": "1", "p": RANGE}}}], "approach": {"case": 0, "point": {}}},
        ),
    ),
    (
        "relu(-x) = O(x**2) as x -> 0",
        "",
        ("proved", {"cases": [{"+": {"upper": {"from": "1", "K": "1", "p": RANGE}}}], "approach": {"case": 0, "point": {}}}),
    ),
    (
        "n = O(1) as n -> inf",
        "",
        ("proved", {"cases": [{"+": {"upper": {"from": "1", "K": "n", "p": ZERO}}}], "approach": {"case": 0, "point": {}}}),
    ),
    (
        "1 = o(1) as n -> inf",
        "",
        (
            "proved",
            {
                "cases": [{"+": {"upper": {"from": "1", "K": "1", "v": "1", "p": RANGE}}}],
                "approach": {"case": 0, "point": {}},
            },
        ),
    ),
    (
        "x = O(1) as x -> 0",
        "",
        ("refuted", {"what": "O", "case": 0, "t0": "1", "x": "t", "v": "1/t", "p": [RANGE, RANGE, RANGE]}),
    ),
    (
        "sin(n) = O(1) as n -> inf",
        "",
        ("refuted", {"what": "O", "case": 0, "t0": "1", "x": "t", "v": "sin(t)", "whole": True, "p": [RANGE, RANGE, RANGE]}),
    ),
]


@pytest.mark.parametrize(("claim", "conditions", "made"), REJECTED)
def test_what_is_not_proved_is_rejected(claim: str, conditions: str, made: tuple[str, dict[str, Any]]) -> None:
    with pytest.raises(Reject):
        verdict(claim, conditions, *made)


@pytest.mark.parametrize(
    ("claim", "conditions"),
    [
        ("x_1 <= x1", ""),
        ("x + inf <= 1", ""),
        ("exists n: 2**(-n) <= eps", ""),
        ("exists K: x <= 1", ""),
        ("exists K: x <= K", "K <= 0"),
        ("x <= $1", ""),
        ("x != 2", ""),
        ("lse(x, y) <= 1", ""),
        ("x <= max.heads", "max.heads <= 3"),
        ("sum(k, k, 1, k) <= 1", ""),
        ("x = O(x**2) as x -> y", ""),
        ("x <= 1 <= 2", ""),
        ("__import__('os') <= 1", ""),
        ("", ""),
        ("(" * 100 + "x" + ")" * 100 + " <= 1", ""),
    ],
)
def test_what_is_not_in_the_grammar_is_refused(claim: str, conditions: str) -> None:
    with pytest.raises(Unreadable):
        verdict(claim, conditions, *proved(RANGE, x="0"))


def test_an_object_proves_no_other_claim() -> None:
    """A proof kept while a constant, an end or a relation of the claim is changed."""
    object_ = proved({"r": "sum", "terms": [["1", ["x - 1/2"]]]}, x="0")
    assert verdict("x*(1 - x) <= 1/4", "0 <= x <= 1", *object_) == "proved"
    for claim in (
        "x*(1 - x) < 1/4",
        "x*(1 - x) <= 1/5",
        "x*(2 - x) <= 1/4",
        "x*(1 + x) <= 1/4",
        "x*(1 - x) >= 1/4",
        "x*(1 - x) == 1/4",
        "x**2*(1 - x) <= 1/7 - 1/100",
        "x*(1 - x)/x <= 1/4",
    ):
        with pytest.raises(Reject):
            verdict(claim, "0 <= x <= 1", *object_)


def test_the_steps_are_limited() -> None:
    deep: Any = RANGE
    for k in range(400):
        deep = {"r": "split", "x": "x", "at": [str(k)], "p": [deep, deep] if k < 2 else [RANGE, deep]}
    with pytest.raises(Reject):
        verdict("x**2 >= 0", "x >= 0", *proved(deep, x="0"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"verdict": "proved"}',
        b'{"verdict": "proved", "proof": []}',
        b'{"verdict": "supported", "proof": {}}',
        b"\xff",
        b'{"verdict": ["proved"], "proof": {}}',
    ],
)
def test_shapeless_objects_are_rejected(data: bytes) -> None:
    with pytest.raises(Reject):
        check("x <= 1", "x <= 0", data)
