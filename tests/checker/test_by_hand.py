"""Objects written by hand against the rules: each for a claim that is false, undefined or empty, none may be accepted.

Beside each stands what it tries. Those with rows have rows of the table's shape, made for the purpose.
"""

from __future__ import annotations

import json
import signal
import time
from typing import Any

import pytest
from flint import fmpq

from boundcalc.checker.domains import Domain, Extent
from boundcalc.checker.forms import Interned
from boundcalc.checker.rules import prove
from boundcalc.checker.statements import check, stated_of
from boundcalc.checker.terms import Reject, Unreadable, Work, read_term

from .instances import RANGE, ZERO, Object, scale

Row = dict[str, Any]
LONGEST = 12.0  # seconds of processor time
HEADS = "max[route=direct].heads"
USE = {"rows": {HEADS: ["heads"]}}
ONE_HEAD: Row = {
    "id": "heads",
    "network": "max",
    "options": {"route": "direct"},
    "quantity": "heads",
    "kind": "equal",
    "formula": "1",
    "exists": "n >= 2",
    "where": "",
    "relevant": ["n", "eps"],
    "given": ["n"],
    "whole": True,
}
CLIP: Row = {
    "id": "clip",
    "network": "clip",
    "options": {"gate": "silu"},
    "quantity": "heads",
    "kind": "equal",
    "formula": "2",
    "exists": "a < b",
    "where": "",
    "relevant": ["a", "b", "eps"],
    "given": ["a", "b"],
    "whole": True,
}
NEEDED: Row = {
    "id": "needed",
    "network": "max",
    "options": None,
    "quantity": "heads",
    "kind": "upper",
    "formula": "1",
    "exists": "n >= 2",
    "where": "eps > 0",
    "relevant": ["n", "eps"],
    "given": ["eps"],
    "needed": True,
    "whole": True,
}
LEAK: Row = {
    "id": "leak",
    "network": "softmax",
    "options": {},
    "quantity": "offmass",
    "arguments": ["n", "gamma"],
    "kind": "equal",
    "formula": "(n - 1)*exp(-beta*gamma)/(1 + (n - 1)*exp(-beta*gamma))",
    "exists": "",
    "where": "n >= 2, beta > 0",
    "relevant": [],
    "given": [],
}


def proved(node: Object, use: Object | None = None, **point: str) -> Object:
    return {
        "verdict": "proved",
        "proof": {"cases": [{"use": use, "p": node}], "inhabited": {"case": 0, "point": point, "use": use}},
    }


def refuted(use: Object | None = None, sign: int = 1, **point: str) -> Object:
    return {"verdict": "refuted", "proof": {"case": 0, "point": point, "use": use, "sign": sign}}


def twice(use: Object | None, a: dict[str, str], b: dict[str, str], node: Object = ZERO) -> Object:
    return {
        "verdict": "proved",
        "proof": {
            "cases": [{"use": use, "p": node}],
            "first": {"case": 0, "point": a, "use": use},
            "second": {"case": 0, "point": b, "use": use},
        },
    }


def derived_twice(levels: int) -> Object:
    node: Object = RANGE
    for _ in range(levels):
        node = {"r": "mono", "x": "x", "up": True, "slope": node, "end": RANGE}
    return node


ATTACKS: dict[str, tuple[str, str, Object, list[Row]]] = {
    "a maximum all of whose arguments are reached by another is a maximum of nothing": (
        "max(x, y, z) == max(u, v, w)",
        "x >= y, y >= z, z >= x, u >= v, v >= w, w >= u",
        proved(ZERO, x="0", y="0", z="0", u="1", v="1", w="1"),
        [],
    ),
    "a refutation at a point that an assumption excludes": (f"n >= 2*{HEADS}", "", refuted(USE, n="1"), [ONE_HEAD]),
    "the same, the assumption being no bound of one symbol": (
        "(b - a)*clip[gate=silu].heads > 0",
        "",
        refuted({"rows": {"clip[gate=silu].heads": ["clip"]}}, a="1", b="0"),
        [CLIP],
    ),
    "the same, under exists": (
        f"exists K: {HEADS} <= K*(n - 1)",
        "",
        {
            "verdict": "refuted",
            "proof": {
                "cuts": [],
                "parts": [
                    {
                        "case": 0,
                        "at": {"n": "1"},
                        "use": USE,
                        "p": [{"r": "slack", "hyp": 1, "x": HEADS, "y": "s", "to": "1 + s", "p": RANGE}],
                    }
                ],
            },
        },
        [ONE_HEAD],
    ),
    "one variable for a quantity at two points, though its row is a bound only": (
        "independent(max.heads, eps)",
        "eps > 0",
        twice({"rows": {"max.heads": ["needed"]}}, {"eps": "1", "n": "2"}, {"eps": "2", "n": "2"}),
        [NEEDED],
    ),
    "a row for whole n where n is real": (
        f"{HEADS} == 1",
        "n real, n >= 2",
        proved({"r": "both", "p": [RANGE, RANGE]}, USE, n="5/2"),
        [ONE_HEAD],
    ),
    "a quantity whose argument is the index of a sum": (
        "sum(softmax.offmass(k, 1), k, 2, 3) == 2*softmax.offmass(k, 1)",
        "beta == 1, k >= 2",
        proved(ZERO, {"rows": {"softmax.offmass(k, 1)": ["leak"]}}, beta="1", k="2"),
        [LEAK],
    ),
    "a name of the checker's own taken for a whole number": (
        "independent(x, x)",
        "x in [1/4, 3/4]",
        twice(
            None,
            {"x": "1/4"},
            {"x": "3/4"},
            {
                "r": "have",
                "t": "$other*$other - $other",
                "fact": {
                    "r": "whole",
                    "to": "$other*$other - $other",
                    "p": {"r": "sum", "terms": [["1", ["$other - 1/2"]], ["3/4"]]},
                },
                "p": {"r": "absurd", "hyp": 0, "p": scale("$other*(1 - $other)")},
            },
        ),
        [],
    ),
    "a name that was solved away keeps its type": (
        "(x - 1/2)**2 >= 1/4",
        "x >= -3, n - x >= 0",
        proved(
            {
                "r": "slack",
                "hyp": 0,
                "x": "n",
                "y": "s",
                "to": "x + s",
                "p": {
                    "r": "subst",
                    "x": "x",
                    "y": "n",
                    "kind": "affine",
                    "a": "0",
                    "b": "1",
                    "to": "(n - 1/2)**2 - 1/4",
                    "p": {"r": "whole", "to": "n**2 - n", "p": {"r": "sum", "terms": [["1", ["n - 1/2"]], ["3/4"]]}},
                },
            },
            x="1",
            n="1",
        ),
        [],
    ),
    "0·∞ in a limit": (
        "n*log(1 + 1/n)/(n + 1) <= 0",
        "n real, n >= 1",
        proved({"r": "mono", "x": "n", "up": True, "slope": RANGE, "end": RANGE}, n="1"),
        [],
    ),
    "a limit seen through floor": (
        "floor(1 - 1/x) >= 1",
        "x >= 2",
        proved({"r": "mono", "x": "x", "up": False, "slope": RANGE}, x="2"),
        [],
    ),
    "a limit that is not taken": (
        "eps = O(eps**2) as eps -> 0",
        "eps >= 1/10",
        {
            "verdict": "proved",
            "proof": {
                "cases": [{"+": {"upper": {"from": "1", "K": "10", "p": scale("eps*(10*eps - 1)")}}}],
                "approach": {"case": 0, "point": {}},
            },
        },
        [],
    ),
    "one point instead of two": ("independent(x, x)", "x == 3", twice(None, {"x": "3"}, {"x": "3"}), []),
    "a sum that loses a term that it has not": (
        "sum(k, k, 3, n + 1) == sum(k, k, 3, n) + n + 1",
        "n >= 1",
        proved(ZERO, n="3"),
        [],
    ),
    "a root of a square without its sign": ("sqrt(x**2) == x", "x in [-1, 1]", proved(ZERO, x="1"), []),
    "a logarithm split where a factor is negative": (
        "log(x*y) == log(x) + log(y)",
        "x*y > 0",
        proved(ZERO, x="1", y="1"),
        [],
    ),
    "an undefined point is proved away": ("x/x == 1", "x in [-1, 1]", proved(ZERO, x="1"), []),
    "exp and log cancel where log is undefined": ("exp(log(x)) == x", "x in [-1, 1]", proved(ZERO, x="1"), []),
    "0 times an undefined term": ("0*log(x) == 0", "x in [-1, 1]", proved(RANGE, x="1"), []),
    "the empty domain is no proof": ("x >= 5", "x > 3, x < 2", proved(RANGE, x="5/2"), []),
    "a point outside the domain": ("x >= 0", "x in [0, 1]", refuted(x="-1"), []),
    "a point where a side is undefined": ("1/x >= 0", "x in [0, 1]", refuted(x="0"), []),
    "a fraction for a whole number": ("(n - 1/2)**2 >= 1/4", "n >= 0", refuted(n="1/2"), []),
    "monotone on each side of a pole": (
        "1/(x - 1) >= -2",
        "x in [0, 2]",
        proved({"r": "mono", "x": "x", "up": False, "slope": RANGE, "end": RANGE}, x="0"),
        [],
    ),
    "monotone between whole numbers": (
        "n*(3 - n) >= 0",
        "n >= 0",
        proved({"r": "mono", "x": "n", "up": True, "slope": RANGE, "end": RANGE}, n="0"),
        [],
    ),
    "a conditional whose outer part is undefined": (
        "log(x) <= 0",
        "x <= 5",
        {
            "verdict": "conditional",
            "proof": {
                "condition": "x <= 1",
                "inside": [{"p": RANGE}],
                "outside": [{"p": RANGE}],
                "in": {"case": 0, "point": {"x": "1/2"}},
                "out": {"case": 0, "point": {"x": "2"}},
            },
        },
        [],
    ),
    "a condition that is undefined on a part": (
        "x <= 1",
        "x in [-1, 3]",
        {
            "verdict": "conditional",
            "proof": {
                "condition": "log(x) <= 0",
                "inside": [{"p": RANGE}],
                "outside": [{"p": RANGE}],
                "in": {"case": 0, "point": {"x": "1/2"}},
                "out": {"case": 0, "point": {"x": "2"}},
            },
        },
        [],
    ),
    "another verdict's name": (
        "x >= 1",
        "x in [0, 1]",
        {"verdict": "vacuous", "proof": {"why": "empty", "cases": [{"p": RANGE}]}},
        [],
    ),
    "a case that does not exist": (
        "x >= 0",
        "x in [-1, 1]",
        {"verdict": "refuted", "proof": {"case": -1, "point": {"x": "-1/2"}}},
        [],
    ),
    "induction that assumes too much": (
        "n >= 5",
        "n >= 0",
        proved({"r": "step", "x": "n", "p": [RANGE, RANGE]}, n="5"),
        [],
    ),
    "a square root of what may be negative": ("x + 1 >= sqrt(x)*sqrt(x)", "x >= -1", proved(ZERO, x="1"), []),
    "a square that is no proof of strictness": (
        "(x - 1)**2 > 0",
        "",
        proved({"r": "sum", "terms": [["1", ["x - 1"]]]}, x="0"),
        [],
    ),
    "a negative factor": ("-x >= 0", "x in [0, 1]", proved(scale("x", "-1"), x="0"), []),
    "squares of negative sides": (
        "-2 >= x",
        "-1 <= x <= 1",
        proved({"r": "apply", "fn": "square", "left": "-2", "right": "x", "p": scale("4 - x**2")}, x="0"),
        [],
    ),
    "W below its branch": ("W(x) >= -2", "x >= -1", proved(RANGE, x="0"), []),
    "0**0": ("0**n == 0", "n >= 0", proved({"r": "both", "p": [RANGE, RANGE]}, n="1"), []),
    "a real exponent that happens to be whole": ("(-1)**x <= 1", "x in [1, 3]", proved(RANGE, x="2"), []),
}


# rows are of the table's shape: each names the quantity that it is about, and its whole parameters
for _row, _label, _wholes in ((ONE_HEAD, HEADS, ["n"]), (CLIP, "clip[gate=silu].heads", []), (NEEDED, "max.heads", ["n"]),
                              (LEAK, "softmax.offmass(k, 1)", ["k"])):
    _row |= {"label": _label, "wholes": _wholes}
LEAK["formula"] = "(k - 1)*exp(-beta)/(1 + (k - 1)*exp(-beta))"
LEAK["where"] = "k >= 2, beta > 0"
AS_MANY = NEEDED | {"id": "as many", "kind": "equal", "formula": "n"}
NOWHERE = ONE_HEAD | {"id": "nowhere", "exists": "n <= 0"}
FEW = ONE_HEAD | {"id": "few", "exists": "n <= 10"}
TWO_LESS = ONE_HEAD | {"id": "two less", "exists": "", "formula": "n - 2"}
ANY = ONE_HEAD | {"id": "any", "exists": ""}
ATTACKS |= {
    "a value for the constant that is said not to exist": (
        "exists K: x <= K",
        "x in [0, 1]",
        {"verdict": "refuted", "proof": {"cuts": [], "parts": [{"case": 0, "at": {"x": "1", "K": "0"}, "p": [RANGE]}]}},
        [],
    ),
    "a value for a quantity along a path": (
        f"{HEADS} = Omega(1) as n -> inf",
        "n >= 2",
        {
            "verdict": "refuted",
            "proof": {"case": 0, "what": "Omega", "point": {HEADS: "0"}, "x": "t", "t0": "2", "whole": True, "v": "1/t",
                      "use": USE, "p": [RANGE, RANGE, RANGE]},
        },
        [ONE_HEAD],
    ),
    "two points that differ in a parameter that a row brings in": (
        "independent(max.heads, eps)",
        "eps > 0",
        {
            "verdict": "refuted",
            "proof": {"sign": -1} | {
                name: {"case": 0, "point": {"eps": eps, "n": n}, "use": {"rows": {"max.heads": ["as many"]}}}
                for name, eps, n in (("first", "1", "2"), ("second", "2", "3"))
            },
        },
        [AS_MANY],
    ),
    "a value of such a parameter that it cannot take": (
        "exists K: K*max.heads >= 1",
        "eps > 0",
        {
            "verdict": "refuted",
            "proof": {
                "cuts": [],
                "parts": [
                    {
                        "case": 0,
                        "at": {"eps": "1", "n": "0"},
                        "use": {"rows": {"max.heads": ["as many"]}},
                        "p": [{"r": "slack", "hyp": 0, "x": "max.heads", "y": "s", "to": "0 - s", "p": RANGE}],
                    }
                ],
            },
        },
        [AS_MANY],
    ),
    "a domain that the assumptions of a proof empty, inhabited by another row": (
        f"{HEADS}*n >= 7*n",
        "",
        {
            "verdict": "proved",
            "proof": {"cases": [{"use": {"rows": {HEADS: ["nowhere"]}}, "p": RANGE}],
                      "inhabited": {"case": 0, "point": {"n": "2"}, "use": USE}},
        },
        [ONE_HEAD, NOWHERE],
    ),
    "a limit that the assumption of a row cuts off": (
        f"n*{HEADS} = O(1) as n -> inf",
        "",
        {
            "verdict": "proved",
            "proof": {"cases": [{"+": {"upper": {"from": "11", "K": "1", "use": {"rows": {HEADS: ["few"]}}, "p": RANGE}}}],
                      "approach": {"case": 0, "point": {}}},
        },
        [FEW],
    ),
    "a point that lies in the domain only if a row is believed there": (
        f"exists K: 0*{HEADS} - n <= K",
        "n >= 2",
        {
            "verdict": "refuted",
            "proof": {
                "cuts": [],
                "parts": [
                    {
                        "case": 0,
                        "at": {"n": "-floor(K) - 1"},
                        "use": {"rows": {HEADS: ["two less"]}},
                        "p": [{"r": "sum", "terms": [["1", f"-floor(K) - 1 - 2 - {HEADS}"], ["1", HEADS]]},
                              {"r": "name", "u": "K", "as": "m", "p": RANGE}],
                    }
                ],
            },
        },
        [TWO_LESS],
    ),
    "a row for whole n at an irrational n": (
        f"{HEADS} == 2",
        "n real, n >= 2",
        refuted({"rows": {HEADS: ["any"]}}, sign=-1, n="5**(1/2)"),
        [ANY],
    ),
    "a condition with a type that is not looked at": (
        "x <= 1",
        "x in [0, 3]",
        {
            "verdict": "conditional",
            "proof": {"condition": "x integer, x <= 1", "inside": [{"p": RANGE}], "outside": [{"p": RANGE}],
                      "in": {"case": 0, "point": {"x": "1/2"}}, "out": {"case": 0, "point": {"x": "2"}}},
        },
        [],
    ),
}


ABSURD: Object = {"r": "absurd", "hyp": 0, "p": {"r": "scale", "to": "4", "p": RANGE}}      # 1 - 5 >= 0, so 4 > 0
ATTACKS |= {
    "a value for a quantity in the facts about it": (
        f"exists K: {HEADS} <= K",
        "n >= 2",
        {"verdict": "refuted",
         "proof": {"cuts": [], "parts": [{"case": 0, "at": {"n": "2", HEADS: "5"}, "use": USE, "p": [ABSURD]}]}},
        [ONE_HEAD],
    ),
    "a value for a quantity in the facts about it along a path": (
        f"{HEADS} = O(1) as n -> inf",
        "n >= 2",
        {"verdict": "refuted",
         "proof": {"case": 0, "what": "O", "point": {HEADS: "5"}, "x": "t", "t0": "2", "whole": True, "v": "1/t", "use": USE,
                   "p": [RANGE, ABSURD, ABSURD]}},
        [ONE_HEAD],
    ),
    "a constant with the name of a parameter of a row": (
        "exists a: a*clip[gate=silu].heads <= 1",
        "",
        {"verdict": "proved",
         "proof": {"constant": "1/2", "cases": [{"use": {"rows": {"clip[gate=silu].heads": ["clip"]}}, "p": RANGE}],
                   "inhabited": {"case": 0, "point": {"a": "0", "b": "1"}, "use": {
                       "rows": {"clip[gate=silu].heads": ["clip"]}}}}},
        [CLIP | {"given": []}],
    ),
}


@pytest.mark.parametrize(("claim", "conditions", "label", "row", "point"), [
    (f"{HEADS} >= 0", "n >= 2", HEADS, ONE_HEAD, {"n": "3"}),
    ("clip[gate=silu].heads >= 0", "a == 0, b == 1", "clip[gate=silu].heads", CLIP, {"a": "0", "b": "1"}),
    ("max.heads >= 0", "eps > 0", "max.heads", NEEDED, {"eps": "1", "n": "2"}),
    ("max.heads >= 0", "eps > 0", "max.heads", AS_MANY, {"eps": "1", "n": "2"}),
    (f"n*{HEADS} >= 0", "n == 3", HEADS, FEW, {"n": "3"}),
    (f"n*{HEADS} >= 0", "n == 0", HEADS, NOWHERE, {"n": "0"}),
    (f"n*{HEADS} >= 0", "n == 3", HEADS, ANY, {"n": "3"}),
    ("softmax.offmass(k, 1) >= 0", "beta == 1, k >= 2", "softmax.offmass(k, 1)", LEAK, {"beta": "1", "k": "2"})])
def test_the_rows_of_the_attacks_fit(claim: str, conditions: str, label: str, row: Row, point: dict[str, str]) -> None:
    """Else an attack would be rejected for the shape of its row, and show nothing."""
    body = proved(RANGE, {"rows": {label: [row["id"]]}}, **point)
    assert check(claim, conditions, json.dumps(body).encode(), [row]).verdict == "proved"


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_false_is_accepted(name: str) -> None:
    claim, conditions, body, rows = ATTACKS[name]
    with pytest.raises((Reject, Unreadable)):
        check(claim, conditions, json.dumps(body).encode(), rows)


@pytest.mark.parametrize(("claim", "conditions"), [
    (f"n >= 1 for {HEADS} >= 1", ""), (f"{HEADS} >= 1 for {HEADS} >= 1", ""), ("n >= 1", f"{HEADS} >= 1"),
    ("n >= 1", "n real, n integer"), ("n >= 1 for n real", "n integer"),
    ("sum(k, k, 1, max.heads) >= 0", ""), ("silu(" * 40 + "x" + ")" * 40 + " >= 0", "")])
def test_such_claims_are_not_read(claim: str, conditions: str) -> None:
    with pytest.raises(Unreadable):
        check(claim, conditions, json.dumps(proved(RANGE, n="1")).encode())


def test_a_minus_sign_is_a_minus() -> None:
    stated = stated_of(f"n-{HEADS} >= 0", "")
    assert set(stated.quantities) == {HEADS}
    assert stated.mentioned == {"n"}


def induction(levels: int) -> Object:
    node: Object = RANGE
    for _ in range(levels):
        node = {"r": "step", "x": "n", "difference": True, "p": [RANGE, node]}
    return node


@pytest.mark.parametrize(
    ("claim", "conditions", "node"),
    [
        ("2**(10**12) == 3**(10**12)", "x == 0, y == 0", ZERO),
        ("n**2 + exp(n) >= n + n**(1/2)", "n >= 4, x == 0, y == 0", induction(60)),
        ("exp(x)*sin(x)*exp(x**2) + 100 >= 0", "x in [0, 1]", derived_twice(30)),
        ("x >= 0", "x + y*0 >= 0, y in [0, 1]", None),
    ],
)
def test_an_object_cannot_make_the_checker_hang(claim: str, conditions: str, node: Object | None) -> None:
    """Derivatives of derivatives, and substitutions that double a term, are paid for in steps like everything else."""
    if node is None:
        node = RANGE
        for i in range(60, 0, -1):
            node = {
                "r": "slack",
                "hyp": 0,
                "x": f"y{i - 1}" if i > 1 else "x",
                "y": f"y{i}",
                "to": f"2*y{i} - y{i}",
                "p": node,
            }

    def stop(*_: object) -> None:
        raise TimeoutError("the checker does not end")  # for the checker a rejection like others; its time tells

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    start = time.process_time()
    try:
        with pytest.raises(Reject):
            check(claim, conditions, json.dumps(proved(node, x="0", y="0")).encode())
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert time.process_time() - start < LONGEST


def test_induction_begins_at_a_whole_number() -> None:
    """4·(t − 1/2)·(t − 6/5) grows from t to t + 1 and is 0 at t = 1/2, but it is −2/5 at t = 1."""
    Work.begin()
    Interned.begin()
    node = {"r": "step", "x": "t", "difference": True, "p": [ZERO, scale("8*t - 14/5")]}
    term = read_term("4*(t - 1/2)*(t - 6/5)")
    with pytest.raises(Reject, match="step"):
        prove(Domain({"t": Extent(fmpq(1, 2))}, {"t"}), term, ">=", node)
    prove(Domain({"t": Extent(fmpq(1, 2))}, {"t"}).within("t", Extent(fmpq(2))), term, ">=", RANGE)
