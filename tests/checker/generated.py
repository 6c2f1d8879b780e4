"""For each rule and kind of statement true claims at random numbers, with objects that prove them, and false neighbours.

The true ones are sharp: they touch equality, or hold only for the ends, types and hypotheses that they have. A false one
differs by one constant, sign, end, type or hypothesis, so that it is known to be false without looking at values.
By hand: python -m tests.checker.generated --count 1000   (that many true ones of each)
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from boundcalc.checker.statements import check
from boundcalc.checker.terms import Reject, Unreadable

from .attacks import changed_object
from .instances import RANGE, ZERO, Instance, Object, made, proved, scale

TINY = [Fraction(1), Fraction(1, 1000), Fraction(1, 10 ** 12), Fraction(1, 10 ** 40)]


class Sharp(NamedTuple):
    """A true claim with its object, and claims with conditions that are false (or undefined, or on an empty domain)."""

    true: Instance
    false: list[tuple[str, str]]


class Dice(random.Random):
    def number(self) -> Fraction:
        return Fraction(self.randint(-9, 9), self.choice([1, 1, 2, 3, 7]))

    def positive(self) -> Fraction:
        return Fraction(self.randint(1, 9), self.choice([1, 1, 2, 3, 7]))

    def tiny(self) -> Fraction:
        return self.choice(TINY)


def by_range(d: Dice) -> Sharp:
    a, c, e = d.number(), d.positive(), d.tiny()
    b = a + d.positive()
    if d.random() < 0.3:
        k = d.randint(-5, 5)
        return Sharp(proved("range", f"floor(x) <= {k}", f"x in [{k} - 2, {k + 1})", RANGE, x=str(k)),
                     [(f"floor(x) <= {k}", f"x in [{k} - 2, {k + 1}]"), (f"floor(x) < {k}", f"x in [{k} - 2, {k + 1})"),
                      (f"ceil(x) <= {k}", f"x in [{k} - 2, {k + 1})"), (f"floor(x) <= {k}", f"x in [{k} - 2, {k + 1 + e})")])
    claim, ends = f"({c})*x <= {c * b}", f"x in [{a}, {b}]"
    return Sharp(proved("range", claim, ends, RANGE, x=str(a)),
                 [(claim.replace("<=", "<"), ends), (claim, f"x in [{a}, {b + e}]"), (f"({c})*x <= {c * b - e}", ends),
                  (f"({c + e})*x <= {c * b}", f"x in [{abs(b)}, {abs(b) + 1}]"), (claim, f"x >= {a}"),
                  (f"({c})*x**2 <= {-c}", ends)])


def by_zero(d: Dice) -> Sharp:
    a, e = d.number(), d.tiny()
    if d.random() < 0.5:
        claim = f"sqrt((x - ({a}))**2) == x - ({a})"
        return Sharp(proved("zero", claim, f"x >= {a}", ZERO, x=str(a)),
                     [(claim, f"x >= {a - e}"), (claim, ""), (f"sqrt((x - ({a}))**2) == ({a}) - x", f"x >= {a}"),
                      (f"sqrt(x - ({a}))**2 == x - ({a})", f"x >= {a - e}")])
    claim = f"(x + ({a}))**2 == x**2 + ({2 * a})*x + {a * a}"
    return Sharp(proved("zero", claim, "", ZERO, x="1"),
                 [(f"(x + ({a}))**2 == x**2 + ({2 * a + e})*x + {a * a}", ""), (claim.replace("**2 ==", "**3 =="), ""),
                  (f"(x + ({a}))**2 == x**2 + ({2 * a})*x + {a * a - e}", ""), (claim.replace("==", ">"), "")])


def by_both(d: Dice) -> Sharp:
    a, e = d.number(), d.tiny()
    node = {"r": "both", "p": [RANGE, RANGE]}
    return Sharp(proved("both", f"x == {a}", f"{a} <= x <= {a}", node, x=str(a)),
                 [(f"x == {a}", f"{a} <= x <= {a + e}"), (f"x == {a + e}", f"{a} <= x <= {a}"), (f"x == {a}", f"x <= {a}"),
                  (f"x == {a}", f"{a} <= x < {a}")])


def by_split(d: Dice) -> Sharp:
    k, c, e = d.randint(-4, 4), d.number(), d.tiny()
    if d.random() < 0.5:
        claim, ends = f"(n - ({k}))*(n - ({k + 1})) >= 0", f"{k - 2} <= n <= {k + 3}"
        return Sharp(proved("split", claim, ends, {"r": "split", "x": "n", "at": [str(k)], "p": [RANGE, RANGE]}, n=str(k)),
                     [(claim, f"n real, {ends}"), (claim.replace(">=", ">"), ends),
                      (f"(n - ({k}))*(n - ({k + 2})) >= 0", ends), (claim.replace("n", "x"), ends.replace("n", "x"))])
    claim, ends = f"max(x - ({c}), ({c}) - x) >= 0", f"{c - 1} <= x <= {c + 1}"
    return Sharp(proved("split", claim, ends, {"r": "split", "x": "x", "at": [str(c)], "p": [RANGE, RANGE]}, x=str(c)),
                 [(claim.replace(">=", ">"), ends), (claim[:-1] + str(e), ends), (claim.replace("max", "min"), ends)])


def by_case(d: Dice) -> Sharp:
    a, e = d.number(), d.tiny()
    t = f"x - y - ({a})"
    claim = f"max(x, y + ({a})) >= x"
    return Sharp(proved("case", claim, "", {"r": "case", "t": t, "p": [ZERO, scale(f"y + ({a}) - x")]}, x="0", y="0"),
                 [(claim.replace(">=", ">"), ""), (claim.replace("max", "min"), ""), (f"max(x, y + ({a})) >= x + {e}", ""),
                  (f"max(x, y + ({a})) >= x + y", "y > 0")])


def by_scale(d: Dice) -> Sharp:
    c, e = d.positive(), d.tiny()
    claim = f"x/({c * c} + x**2) <= {1 / (2 * c)}"
    node = scale(f"(x - {c})**2", f"{2 * c}*({c * c} + x**2)")
    return Sharp(proved("scale", claim, "", node, x="0"),
                 [(claim.replace("<=", "<"), ""),
                  (f"x/({c * c} + x**2) <= {1 / (2 * c) * (1 - min(e, Fraction(1, 2)))}", ""),
                  (f"x/({c * c} - x**2) <= {1 / (2 * c)}", f"x >= 0, x < {c}"),
                  (f"x/({c * c * (1 - min(e, Fraction(1, 2)))} + x**2) <= {1 / (2 * c)}", "")])


def by_sum(d: Dice) -> Sharp:
    a, b, e = d.positive(), d.positive(), d.tiny()
    claim = f"{a * a}*x**2 + {b * b}*y**2 >= {2 * a * b}*x*y"
    return Sharp(proved("sum", claim, "", {"r": "sum", "terms": [["1", [f"{a}*x - {b}*y"]]]}, x="0", y="0"),
                 [(claim.replace(">=", ">"), ""), (f"{a * a}*x**2 + {b * b}*y**2 >= {2 * a * b + e}*x*y", ""),
                  (f"{a * a}*x**2 - {b * b}*y**2 >= {2 * a * b}*x*y", ""), (claim + f" + {e}", "")])


def by_have(d: Dice) -> Sharp:
    a, e = d.positive(), d.tiny()
    node = {"r": "have", "t": f"y - {a}", "fact": {"r": "sum", "terms": [["1", "y - x"], ["1", f"x - {a}"]]},
            "p": {"r": "sum", "terms": [["1", "x", f"y - {a}"], [str(a), f"x - {a}"]]}}
    claim, where = f"x*y >= {a * a}", f"x >= {a}, y >= x"
    return Sharp(proved("have", claim, where, node, x=str(a), y=str(a)),
                 [(claim.replace(">=", ">"), where), (claim, f"x >= {a}"), (claim, "y >= x"), (f"x*y >= {a * a + e}", where),
                  (claim, f"x >= {a - min(e, a)}, y >= x"), (claim, f"x >= {a}, y <= x")])


def by_mono(d: Dice) -> Sharp:
    a, e = d.positive(), d.tiny()
    claim, where = f"exp(x) - x >= exp({a}) - {a}", f"x >= {a}"
    node = {"r": "mono", "x": "x", "up": True, "slope": RANGE, "end": ZERO}
    if d.random() < 0.5:
        claim, node = f"x - 1/x >= {a - 1 / a}", {"r": "mono", "x": "x", "up": True, "slope": RANGE, "end": RANGE}
        return Sharp(proved("mono", claim, where, node, x=str(a)),
                     [(claim.replace(">=", ">"), where), (claim, f"x >= {a - min(e, a / 2)}"),
                      (claim, f"x > -{a}, x <= {a}"), (f"x - 1/x >= {a - 1 / a + e}", where), (claim, f"x <= {a}"),
                      (f"floor(x) - 1/x >= {a - 1 / a + e}", where)])
    return Sharp(proved("mono", claim, where, node, x=str(a + 1)),
                 [(claim.replace(">=", ">"), where), (claim, f"x >= {a - min(e, a)}"), (f"{claim} + {e}", where),
                  (claim.replace("exp(x)", "exp(-x)"), where), (claim.replace(">=", "<="), where)])


def by_apply(d: Dice) -> Sharp:
    a, e = d.positive(), d.tiny()
    claim, where = f"sqrt(x) <= (x + {a * a})/({2 * a})", "x >= 0"
    node = {"r": "apply", "fn": "square", "left": f"(x + {a * a})/({2 * a})", "right": "sqrt(x)",
            "p": scale(f"(x - {a * a})**2/({4 * a * a})")}
    return Sharp(proved("apply", claim, where, node, x="1"),
                 [(claim.replace("<=", "<"), where), (claim, f"x >= -{e}"), (claim.replace("<=", ">="), where),
                  (f"sqrt(x) <= (x + {a * a * (1 - min(e, Fraction(1, 2)))})/({2 * a})", where),
                  (f"sqrt(x) <= (x - {a * a})/({2 * a})", where)])


def by_subst(d: Dice) -> Sharp:
    node: Object
    a, e = d.positive(), d.tiny()
    if d.random() < 0.5:
        claim, where = f"1 - {a}/x >= 0", f"x >= {a}"
        node = {"r": "subst", "x": "x", "y": "y", "kind": "inverse", "to": f"1 - {a}*y", "p": RANGE}
        return Sharp(proved("subst", claim, where, node, x=str(a)),
                     [(claim.replace(">=", ">"), where), (claim, f"x >= {a - min(e, a)}"), (f"1 - {a + e}/x >= 0", where),
                      (claim, f"x >= -{a}"), (claim, f"x <= {a}")])
    claim, where = f"x - {2 * a}*sqrt(x) + {a * a} >= 0", "x >= 0"
    node = {"r": "subst", "x": "x", "y": "y", "kind": "power", "q": 2, "to": f"(y - {a})**2", "p": RANGE}
    return Sharp(proved("subst", claim, where, node, x="1"),
                 [(claim.replace(">=", ">"), where), (claim, f"x >= -{e}"),
                  (f"x - {2 * a + e}*sqrt(x) + {a * a} >= 0", where), (f"x - {2 * a}*sqrt(x) + {a * a - e} >= 0", where)])


def by_slack(d: Dice) -> Sharp:
    a, e = d.positive(), d.tiny()
    node = {"r": "slack", "hyp": 0, "x": "x", "y": "s", "to": f"y + {a} + s", "p": scale("s")}
    claim, where = f"x >= y + {a}", f"x - y - {a} >= 0"
    return Sharp(proved("slack", claim, where, node, x=str(a), y="0"),
                 [(claim.replace(">=", ">"), where), (claim, f"x - y - {a} >= {-e}"), (claim, f"y - x - {a} >= 0"),
                  (f"x >= y + {a + e}", where), (f"x >= y + {a}", ""), (f"x >= 2*y + {a}", where)])


def by_relax(d: Dice) -> Sharp:
    k, e = d.randint(1, 6), d.tiny()
    claim = f"n**2 - {2 * k}*n + {k * k} >= 0"
    return Sharp(proved("relax", claim, "n >= 1", {"r": "relax", "x": "n", "p": scale(f"(n - {k})**2")}, n="1"),
                 [(claim.replace(">=", ">"), "n >= 1"), (f"n**2 - {2 * k}*n + {k * k - e} >= 0", "n >= 1"),
                  (f"(n - {k})*(n - {k + 2}) >= 0", "n >= 1"), ("sin(pi*n) + (-1)**n >= 0", "n >= 1")])


def by_step(d: Dice) -> Sharp:
    k, e = d.randint(0, 5), d.tiny()
    claim, where = f"2**n >= n + {2 ** k - k}", f"n >= {k}"
    node = {"r": "step", "x": "n", "difference": True, "p": [RANGE, scale("2**n - 1")]}
    return Sharp(proved("step", claim, where, node, n=str(k)),
                 [(claim.replace(">=", ">"), where), (f"2**n >= n + {2 ** k - k + e}", where),
                  (claim.replace("2**n", "n"), where), (f"2**n >= n + {2 ** (k + 2) - k - 2}", where),
                  (claim, f"n <= {max(k, 2)}") if k > 1 else (f"2**n > n + {2 ** k - k}", where),
                  (f"2**(-n) >= n + {2 ** k - k}", f"n >= {k + 1}")])


def by_name(d: Dice) -> Sharp:
    a, e = d.number(), d.tiny()
    claim = f"floor(x + ({a})) <= x + ({a})"
    return Sharp(proved("name", claim, "", {"r": "name", "u": f"x + ({a})", "as": "q", "p": RANGE}, x="1"),
                 [(claim.replace("<=", "<"), ""), (claim.replace("floor", "ceil"), ""),
                  (f"floor(x + ({a + e})) <= x + ({a})", ""), (claim.replace("<=", "=="), ""),
                  (f"floor(x + ({a})) > x + ({a}) - 1 + {e}", "")])


def by_whole(d: Dice) -> Sharp:
    k = d.randint(-4, 4)
    claim = f"(n - ({k}) - 1/2)**2 >= 1/4"
    to = f"(n - ({k}))*(n - ({k + 1}))"
    node = {"r": "whole", "to": to, "p": {"r": "sum", "terms": [["1", [f"n - ({k}) - 1/2"]], ["3/4"]]}}
    return Sharp(proved("whole", claim, f"n >= {k - 3}", node, n=str(k)),
                 [(claim, f"n real, n >= {k - 3}"), (claim.replace(">=", ">"), f"n >= {k - 3}"),
                  (claim.replace("n", "x"), f"x >= {k - 3}"), (claim[:-3] + "1/3", f"n >= {k - 3}"),
                  (claim.replace("1/2", "1/3"), f"n >= {k - 3}")])


def by_absurd(d: Dice) -> Sharp:
    a = d.positive()
    node = {"r": "case", "t": f"-{a} - x**2", "p": [{"r": "absurd", "hyp": 0, "p": scale(f"{a} + x**2")}, RANGE]}
    return Sharp(proved("absurd", "abs(x) >= 0", "", node, x="1"),
                 [("abs(x) > 0", ""), ("abs(x) >= 1", ""), ("-abs(x) >= 0", ""), ("abs(x) >= 0", f"x**2 <= -{a}")])


def refuted(d: Dice) -> Sharp:
    """A counterexample; false is what holds there, or where it lies outside the domain."""
    a, e = d.number(), d.tiny()
    body = made("refuted", f"x > {a}", f"x >= {a}", "refuted", case=0, point={"x": str(a)})
    return Sharp(body, [(f"x >= {a}", f"x >= {a}"), (f"x > {a}", f"x > {a}"), (f"x > {a - e}", f"x >= {a}"),
                        (f"x > {a}", f"x >= {a + e}"), (f"x > {a}", f"x integer, x > {a}")])


def conditional(d: Dice) -> Sharp:
    a, e = d.positive(), d.tiny()
    body = made("conditional", f"x <= {a}", "x >= 0", "conditional", condition=f"x <= {a}", inside=[{"p": RANGE}],
                outside=[{"p": RANGE}],
                **{"in": {"case": 0, "point": {"x": str(a)}}, "out": {"case": 0, "point": {"x": str(a + 1)}}})
    return Sharp(body, [(f"x < {a}", "x >= 0"), (f"x <= {a + e}", "x >= 0"), (f"x <= {a}", f"0 <= x <= {a}"),
                        (f"x <= {a}", f"x > {a}"), (f"x >= {a}", "x >= 0"), (f"x == {a}", "x >= 0")])


def exists_proved(d: Dice) -> Sharp:
    a, e = d.number(), d.tiny()
    body = made("exists", "exists K: x <= K", f"x <= {a}", "proved", constant=str(a), cases=[{"p": RANGE}],
                inhabited={"case": 0, "point": {"x": str(a)}})
    # the constant is part of the object, so false is what has no constant at all, or an empty domain
    return Sharp(body, [("exists K: x <= K", ""), ("exists K: x <= K", f"x >= {a}"), ("exists K: x >= K", f"x <= {a}"),
                        ("exists K: 1/x <= K", f"x <= {abs(a)}"), ("exists K: x <= K", f"x > {a + e}, x <= {a}")])


def exists_refuted(d: Dice) -> Sharp:
    a = d.number()
    body = made("exists", "exists K: x <= K", f"x >= {a}", "refuted", cuts=[str(a)],
                parts=[{"case": 0, "at": {"x": str(a + 1)}, "p": [RANGE]},
                       {"case": 0, "at": {"x": "K + 1"}, "p": [RANGE, scale("1")]}])
    return Sharp(body, [("exists K: x <= K", f"{a} <= x <= {a + 99}"), ("exists K: x >= K", f"x >= {a}"),
                        ("exists K: -x <= K", f"x >= {a}"), ("exists K: x <= K", f"x <= {a}"),
                        ("exists K: tanh(x) <= K", f"x >= {a}")])


def exists_refuted_in_parts(d: Dice) -> Sharp:
    """The points lie in the second part of the domain; a cut adds no point to it."""
    a, e = d.number(), d.positive()
    b = a + e
    body = made("exists", "exists K: x <= K", f"x >= {a}", "refuted", cuts=[str(b)], splits=[["x", [str(b)]]],
                parts=[{"case": 1, "at": {"x": str(b + 1)}, "p": [RANGE]},
                       {"case": 1, "at": {"x": "K + 1"}, "p": [RANGE, scale("1")]}])
    return Sharp(body, [("exists K: x <= K", f"{a} <= x <= {b + 99}"), ("exists K: x >= K", f"x >= {a}"),
                        ("exists K: x <= K", f"{a} <= x <= {b}"), ("exists K: x <= K", f"x <= {a}"),
                        ("exists K: tanh(x) <= K", f"x >= {a}")])


def independent(d: Dice) -> Sharp:
    a, b = d.number(), d.number()
    where = f"x in [{a}, {a + 1}], y in [{b}, {b + 1}]"
    points = [{"case": 0, "point": {"x": str(x), "y": str(b)}} for x in (a, a + 1)]
    body = made("independent", f"independent(({b})*y + x - x, x)", where, "proved", cases=[{"p": ZERO}], first=points[0],
                second=points[1])
    return Sharp(body, [(f"independent(({b})*y + x, x)", where), ("independent(x*y, x)", where),
                        (f"independent(({b})*y + x - x, x)", f"x == {a}, y in [{b}, {b + 1}]"),
                        (f"independent(y + (x - ({a}))/(x - ({a})), x)", where), ("independent(abs(x) - x*0, x)", where)])


def growth_proved(d: Dice) -> Sharp:
    a, b = d.positive(), d.positive()
    body = made("growth", f"{a}*n = O({b}*n) as n -> inf", "", "proved", approach={"case": 0, "point": {}},
                cases=[{"+": {"upper": {"from": "1", "K": str(a / b), "p": ZERO}}}])
    return Sharp(body, [(f"{a}*n**2 = O({b}*n) as n -> inf", ""), (f"{a}*n = o({b}*n) as n -> inf", ""),
                        (f"{a}*n = O({b}) as n -> inf", ""), (f"{a}*n = Omega({b}*n**2) as n -> inf", ""),
                        (f"{a}*n = O({b}*n) as n -> inf", f"n <= {a + 1}"), (f"{a}*n = O({b}*n) as n -> 0", "")])


def growth_refuted(d: Dice) -> Sharp:
    a, b = d.positive(), d.positive()
    body = made("growth", f"{a}*n = O({b}) as n -> inf", "", "refuted", what="O", case=0, point={}, x="t", whole=True,
                t0="1", v=f"{b / a}/t", p=[RANGE, RANGE, ZERO])
    return Sharp(body, [(f"{a} = O({b}) as n -> inf", ""), (f"{a}*n = O({b}*n) as n -> inf", ""),
                        (f"{a}*n = Omega({b}) as n -> inf", ""), (f"{a}*n = O({b}) as n -> inf", f"n <= {a + 1}"),
                        (f"{a}/n = O({b}) as n -> inf", ""), (f"{a}*x = O({b}) as x -> 0", "x > 0")])


def growth_refuted_from(d: Dice) -> Sharp:
    """The path lies in the part of the domain that begins at a number."""
    a, b, start = d.positive(), d.positive(), d.randint(2, 9)
    body = made("growth", f"{a}*n = O({b}) as n -> inf", "", "refuted", what="O", case=0, point={}, x=f"t + {start}",
                whole=True, t0="1", v=f"{b / a}/(t + {start})", p=[RANGE, RANGE, ZERO], **{"from": str(start)})
    return Sharp(body, [(f"{a} = O({b}) as n -> inf", ""), (f"{a}*n = O({b}*n) as n -> inf", ""),
                        (f"{a}*n = Omega({b}) as n -> inf", ""), (f"{a}*n = O({b}) as n -> inf", f"n <= {start}"),
                        (f"{a}*n = O({b}) as n -> inf", f"n <= {start + 9}"), (f"{a}*x = O({b}) as x -> 0", "x > 0")])


MAKERS: dict[str, Callable[[Dice], Sharp]] = {
    "range": by_range, "zero": by_zero, "both": by_both, "split": by_split, "case": by_case, "scale": by_scale,
    "sum": by_sum, "have": by_have, "mono": by_mono, "apply": by_apply, "subst": by_subst, "slack": by_slack,
    "relax": by_relax, "step": by_step, "name": by_name, "whole": by_whole, "absurd": by_absurd, "refuted": refuted,
    "conditional": conditional, "exists proved": exists_proved, "exists refuted": exists_refuted, "independent": independent,
    "growth proved": growth_proved, "growth refuted": growth_refuted,
    "exists refuted in parts": exists_refuted_in_parts, "growth refuted from": growth_refuted_from}


def answered(claim: str, conditions: str, body: object) -> str:
    try:
        return check(claim, conditions, json.dumps(body).encode()).verdict
    except (Reject, Unreadable):
        return "rejected"


def asserted(body: Object) -> object:
    """What an object asserts beyond its claim: with another condition it might be right."""
    proof = body.get("proof")
    return proof.get("condition") if isinstance(proof, dict) else None


def run(rule: str, count: int, first: int = 0) -> Iterator[tuple[str, str]]:
    """Outcomes of so many true claims and all false ones beside them: with the object as it is, and with a change in it."""
    for seed in range(first, first + count):
        dice = Dice(f"{rule} {seed}")
        true, false = MAKERS[rule](dice)
        verdict = true.body["verdict"]
        yield ("true accepted" if answered(true.claim, true.conditions, true.body) == verdict else "true rejected",
               f"{true.claim} for {true.conditions}")
        for claim, conditions in false:
            changed = changed_object(true.body, dice)
            if changed.get("verdict") != verdict or asserted(changed) != asserted(true.body):
                changed = true.body
            for body in (true.body, changed):
                wrong = answered(claim, conditions, body) == verdict
                yield "false accepted" if wrong else "false rejected", f"{claim} for {conditions}: {json.dumps(body)}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args(arguments)
    wrong = 0
    for rule in MAKERS:
        counts: Counter[str] = Counter()
        for outcome, text in run(rule, given.count, given.first):
            counts[outcome] += 1
            if outcome in ("false accepted", "true rejected"):
                wrong += 1
                print(f"{outcome}: {text}", flush=True)
        print(rule, dict(counts), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
