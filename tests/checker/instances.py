"""True claims with objects that prove them, at least one for every rule and every kind of statement.

They are the stock from which attacks are made: each is accepted as it stands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Object = dict[str, Any]
RANGE: Object = {"r": "range"}
ZERO: Object = {"r": "zero"}


class Instance(NamedTuple):
    rule: str
    claim: str
    conditions: str
    body: Object  # verdict and proof


def scale(to: str, by: str = "1", then: Object = RANGE) -> Object:
    return {"r": "scale", "by": by, "to": to, "p": then}


def proved(rule: str, claim: str, conditions: str, node: Object, **point: str) -> Instance:
    return Instance(
        rule,
        claim,
        conditions,
        {"verdict": "proved", "proof": {"cases": [{"p": node}], "inhabited": {"case": 0, "point": point}}},
    )


RELATIONS = [
    proved("range", "x*(1 - x) <= 1", "x in [0, 1]", RANGE, x="0"),
    proved("range", "exp(-x) > 0", "x >= -3", RANGE, x="0"),
    proved("range", "sin(x) + x <= 8", "x in [0, 7]", RANGE, x="1"),
    proved("range", "x**y <= 4", "1 <= x <= 2, 1 <= y <= 2", RANGE, x="1", y="1"),
    proved("range", "W(x) >= 0", "x >= 0", RANGE, x="1"),
    proved("range", "x - y >= 0", "x >= y", RANGE, x="1", y="0"),
    proved("range", "sum(1/k, k, 1, n) >= 0", "n >= 1", RANGE, n="1"),
    proved("range", "floor(x) <= 3", "0 <= x < 4", RANGE, x="1"),
    proved("zero", "(x + 1)**2 == x**2 + 2*x + 1", "", ZERO, x="0"),
    proved("zero", "log(x*y) == log(x) + log(y)", "x > 0, y > 0", ZERO, x="1", y="1"),
    proved("zero", "sqrt(x)*sqrt(x) == x", "x >= 0", ZERO, x="1"),
    proved("zero", "2**(n + 1) == 2*2**n", "n >= 0", ZERO, n="1"),
    proved("zero", "max(x, y) == x", "x >= y", ZERO, x="1", y="0"),
    proved("zero", "abs(x) == x", "x >= 0", ZERO, x="1"),
    proved("zero", "x/x == 1", "x in [1, 2]", ZERO, x="1"),
    proved("zero", "sin(pi*n) == 0", "n >= 1", ZERO, n="1"),
    proved("zero", "sin(x)**2 + cos(x)**2 == 1", "", ZERO, x="1"),
    proved("zero", "sum(k, k, 1, n + 1) == sum(k, k, 1, n) + n + 1", "n >= 1", ZERO, n="1"),
    proved("zero", "exp(log(x)) == x", "x > 0", ZERO, x="1"),
    proved("zero", "W(x)*exp(W(x)) == x", "x >= 0", ZERO, x="1"),
    proved("zero", "(x**2)**(1/2) == x", "x >= 0", ZERO, x="1"),
    proved("both", "x == 1", "1 <= x <= 1", {"r": "both", "p": [RANGE, RANGE]}, x="1"),
    proved("both", "x == y", "x >= y, y >= x", {"r": "both", "p": [RANGE, RANGE]}, x="1", y="1"),
    proved(
        "split", "x**2 - x + 1 > 0", "x in [0, 1]", {"r": "split", "x": "x", "at": ["1/2"], "p": [RANGE, RANGE]}, x="0"
    ),
    proved(
        "split",
        "(n - 1)*(n - 2) >= 0",
        "0 <= n <= 4",
        {"r": "split", "x": "n", "at": ["1", "3/2"], "p": [RANGE, RANGE, RANGE]},
        n="0",
    ),
    proved("case", "abs(x) >= x", "x in [-1, 1]", {"r": "case", "t": "x", "p": [ZERO, scale("-2*x")]}, x="0"),
    proved("case", "max(x, y) >= x", "", {"r": "case", "t": "x - y", "p": [ZERO, scale("y - x")]}, x="0", y="0"),
    proved("scale", "1/(1 + x) <= 1", "x >= 0", scale("x", "1 + x"), x="0"),
    proved("scale", "x/(1 + x**2) <= 1/2", "", scale("(1 - x)**2", "2*(1 + x**2)"), x="0"),
    proved("sum", "x**2 + y**2 >= 2*x*y", "", {"r": "sum", "terms": [["1", ["x - y"]]]}, x="0", y="0"),
    proved("sum", "x*y + 1 > 0", "x >= 0, y >= 0", {"r": "sum", "terms": [["1", "x", "y"], ["1"]]}, x="0", y="0"),
    proved("sum", "x**2 + 1 > x", "", {"r": "sum", "terms": [["1", ["x - 1/2"]], ["3/4"]]}, x="0"),
    proved(
        "have",
        "x*y > 0",
        "x >= 1, y >= x",
        {
            "r": "have",
            "t": "y - 1",
            "fact": {"r": "sum", "terms": [["1", "y - x"], ["1", "x - 1"]]},
            "p": {"r": "sum", "terms": [["1", "x", "y - 1"], ["1", "x"]]},
        },
        x="1",
        y="1",
    ),
    proved("mono", "exp(x) >= 1 + x", "x >= 0", {"r": "mono", "x": "x", "up": True, "slope": RANGE, "end": RANGE}, x="0"),
    proved(
        "mono",
        "exp(x) > 1 + x",
        "x > 0",
        {"r": "mono", "x": "x", "up": True, "strict": True, "slope": RANGE, "end": RANGE},
        x="1",
    ),
    proved(
        "mono", "exp(-x) + 1/x > 0", "x >= 1", {"r": "mono", "x": "x", "up": False, "strict": True, "slope": RANGE}, x="1"
    ),
    proved(
        "mono",
        "sqrt(x) <= x",
        "x >= 1",
        {"r": "mono", "x": "x", "up": True, "slope": {"r": "range"}, "end": RANGE},
        x="1",
    ),
    proved(
        "apply",
        "sqrt(x) <= (x + 1)/2",
        "x >= 0",
        {"r": "apply", "fn": "square", "left": "(x + 1)/2", "right": "sqrt(x)", "p": scale("(x - 1)**2/4")},
        x="1",
    ),
    proved(
        "apply",
        "exp(x) >= exp(y)",
        "x >= y",
        {"r": "apply", "fn": "log", "left": "exp(x)", "right": "exp(y)", "p": scale("x - y")},
        x="1",
        y="1",
    ),
    proved(
        "apply",
        "W(x) <= x",
        "x >= 0",
        {"r": "apply", "fn": "W", "left": "x", "right": "W(x)", "p": scale("x*(exp(x) - 1)")},
        x="1",
    ),
    proved(
        "apply",
        "x >= log(y)",
        "x >= 2, 1 <= y <= 2",
        {"r": "apply", "fn": "exp", "left": "x", "right": "log(y)", "p": scale("exp(x) - y")},
        x="2",
        y="1",
    ),
    proved(
        "subst",
        "x - 2*sqrt(x) + 1 >= 0",
        "x >= 0",
        {"r": "subst", "x": "x", "y": "y", "kind": "power", "q": 2, "to": "(y - 1)**2", "p": RANGE},
        x="1",
    ),
    proved(
        "subst",
        "x**2 > 0",
        "x > 0",
        {"r": "subst", "x": "x", "y": "y", "kind": "exp", "to": "exp(2*y)", "p": RANGE},
        x="1",
    ),
    proved(
        "subst",
        "x**2 - 2*x + 1 >= 0",
        "x >= 1",
        {"r": "subst", "x": "x", "y": "y", "kind": "affine", "a": "1", "b": "1", "to": "y**2", "p": RANGE},
        x="1",
    ),
    proved(
        "subst",
        "1 - 1/x >= 0",
        "x >= 1",
        {"r": "subst", "x": "x", "y": "y", "kind": "inverse", "to": "1 - y", "p": RANGE},
        x="1",
    ),
    proved(
        "slack",
        "x > y",
        "x - y - 1 >= 0",
        {"r": "slack", "hyp": 0, "x": "x", "y": "s", "to": "y + 1 + s", "p": scale("1 + s")},
        x="1",
        y="0",
    ),
    proved(
        "slack",
        "x*x >= y*y",
        "y >= 0, x - y >= 0",
        {"r": "slack", "hyp": 0, "x": "x", "y": "s", "to": "y + s", "p": scale("s*s + 2*y*s")},
        x="1",
        y="0",
    ),
    proved("relax", "n**2 - n + 1 > 0", "n >= 1", {"r": "relax", "x": "n", "p": scale("(n - 1/2)**2 + 3/4")}, n="1"),
    proved(
        "step",
        "2**n >= n + 1",
        "n >= 0",
        {"r": "step", "x": "n", "difference": True, "p": [RANGE, scale("2**n - 1")]},
        n="1",
    ),
    proved(
        "step",
        "sum(k, k, 1, n) == n*(n + 1)/2",
        "n >= 1",
        {"r": "step", "x": "n", "difference": True, "p": [ZERO, ZERO]},
        n="1",
    ),
    proved("name", "floor(x) <= x", "", {"r": "name", "u": "x", "as": "q", "p": RANGE}, x="1"),
    proved(
        "name",
        "floor(2*x) <= 2*floor(x) + 1",
        "x >= 0",
        {
            "r": "name",
            "u": "x",
            "as": "p",
            "p": {
                "r": "name",
                "u": "2*x",
                "as": "q",
                "p": {
                    "r": "whole",
                    "to": "2*p + 1 - q",
                    "p": {"r": "sum", "terms": [["2", "p + 1 - x"], ["1", "2*x - q"]]},
                },
            },
        },
        x="1",
    ),
    proved(
        "whole",
        "(n - 1/2)**2 >= 1/4",
        "n >= 0",
        {"r": "whole", "to": "n**2 - n", "p": {"r": "sum", "terms": [["1", ["n - 1/2"]], ["3/4"]]}},
        n="1",
    ),
    proved(
        "whole",
        "n > 2",
        "2*n > 5",
        {
            "r": "whole",
            "to": "n - 2",
            "p": {"r": "whole", "to": "n - 3", "p": {"r": "sum", "terms": [["1/2", "2*n - 5"], ["1/2"]]}},
        },
        n="3",
    ),
    proved(
        "absurd",
        "abs(x) >= 0",
        "",
        {"r": "case", "t": "-1 - x**2", "p": [{"r": "absurd", "hyp": 0, "p": scale("1 + x**2")}, RANGE]},
        x="1",
    ),
]


def made(rule: str, claim: str, conditions: str, verdict: str, **proof: Any) -> Instance:
    return Instance(rule, claim, conditions, {"verdict": verdict, "proof": proof})


STATEMENTS = [
    made("refuted", "x**2 >= x", "x in [0, 1]", "refuted", case=0, point={"x": "1/2"}),
    made("refuted", "(x**2 - 2)**2 > 0", "x in [1, 2]", "refuted", case=0, point={"x": "2**(1/2)"}),
    made("refuted", "n*(n - 1) > 0", "n in {1, 2}", "refuted", case=0, point={"n": "1"}),
    made("refuted", "x == 2*x", "x >= 0", "refuted", case=0, point={"x": "1"}, sign=-1),
    made(
        "conditional",
        "x <= 2",
        "x >= 0",
        "conditional",
        condition="x <= 2",
        inside=[{"p": RANGE}],
        outside=[{"p": RANGE}],
        **{"in": {"case": 0, "point": {"x": "1"}}, "out": {"case": 0, "point": {"x": "3"}}},
    ),
    made(
        "conditional",
        "2*n <= 9",
        "n >= 0",
        "conditional",
        condition="n <= 4",
        inside=[{"p": RANGE}],
        outside=[{"p": RANGE}],
        **{"in": {"case": 0, "point": {"n": "1"}}, "out": {"case": 0, "point": {"n": "5"}}},
    ),
    made("vacuous", "x >= 5", "x > 3, x < 2", "vacuous", why="empty", cases=[{}]),
    made(
        "vacuous",
        "x >= 5",
        "x >= y + 1, y >= x",
        "vacuous",
        why="empty",
        cases=[{"p": {"r": "absurd", "hyp": 0, "p": {"r": "sum", "terms": [["1", "y - x"], ["1"]]}}}],
    ),
    made("vacuous", "x = O(x**2) as x -> 0", "x >= 1", "vacuous", why="limit"),
    made(
        "vacuous", "x < inf", "x >= 0", "vacuous", why="infinite", cases=[{}], inhabited={"case": 0, "point": {"x": "1"}}
    ),
    made("vacuous", "independent(x, x)", "x == 3", "vacuous", why="alone"),
    made(
        "exists",
        "exists K: x <= K",
        "x in [0, 7]",
        "proved",
        constant="7",
        cases=[{"p": RANGE}],
        inhabited={"case": 0, "point": {"x": "1"}},
    ),
    made(
        "exists",
        "exists K: x <= K",
        "x >= 0",
        "refuted",
        cuts=["0"],
        parts=[{"case": 0, "at": {"x": "1"}, "p": [RANGE]}, {"case": 0, "at": {"x": "K + 1"}, "p": [RANGE, scale("1")]}],
    ),
    made(
        "independent",
        "independent(x - x + y, x)",
        "x in [0, 1], y in [0, 1]",
        "proved",
        cases=[{"p": ZERO}],
        first={"case": 0, "point": {"x": "0", "y": "0"}},
        second={"case": 0, "point": {"x": "1", "y": "0"}},
    ),
    made(
        "independent",
        "independent(x*y, x)",
        "x in [0, 1], y in [0, 1]",
        "refuted",
        sign=-1,
        first={"case": 0, "point": {"x": "0", "y": "1"}},
        second={"case": 0, "point": {"x": "1", "y": "1"}},
    ),
    made(
        "growth",
        "log(n) = O(n) as n -> inf",
        "",
        "proved",
        approach={"case": 0, "point": {}},
        cases=[
            {
                "+": {
                    "upper": {
                        "from": "1",
                        "K": "1",
                        "p": {
                            "r": "relax",
                            "x": "n",
                            "p": scale(
                                "n - log(n)", then={"r": "mono", "x": "n", "up": True, "slope": RANGE, "end": RANGE}
                            ),
                        },
                    }
                }
            }
        ],
    ),
    made(
        "growth",
        "1/n = o(1) as n -> inf",
        "",
        "proved",
        approach={"case": 0, "point": {}},
        cases=[{"+": {"upper": {"from": "1", "K": "1", "v": "1/n", "p": ZERO}}}],
    ),
    made(
        "growth",
        "x + x**2 = O(x) as x -> 0",
        "x > 0",
        "proved",
        approach={"case": 0, "point": {}},
        cases=[{"+": {"upper": {"from": "1", "K": "2", "p": scale("x*(1 - x)")}}}],
    ),
    made(
        "growth",
        "n = O(1) as n -> inf",
        "",
        "refuted",
        what="O",
        case=0,
        point={},
        x="t",
        whole=True,
        t0="1",
        v="1/t",
        p=[RANGE, RANGE, ZERO],
    ),
    made(
        "growth",
        "x = Omega(1) as x -> 0",
        "x > 0",
        "refuted",
        what="Omega",
        case=0,
        point={},
        x="1/t",
        t0="1",
        v="1/t",
        p=[RANGE, RANGE, RANGE, ZERO],
    ),
]
INSTANCES = RELATIONS + STATEMENTS
RULES = sorted({i.rule for i in RELATIONS})
