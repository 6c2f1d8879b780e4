"""Attacks on the checker: claims falsified while their proof is kept, objects mutated while the claim is kept, and both.

What is accepted is judged by values at points, computed without boundcalc (tests/claims/pointwise.py). By hand:
python -m tests.checker.attacks --count 1000   (that many of each rule and kind)
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from boundcalc.checker.statements import check
from boundcalc.checker.terms import Reject, Unreadable
from tests.claims.pointwise import (
    Comparison,
    Point,
    Region,
    Tally,
    Undefined,
    Unsure,
    comparisons,
    points,
    region,
    tally,
    term,
)

from .instances import INSTANCES, Instance, Object

SECONDS = 10.0      # of processor time for one object
SWAPS = [("<=", ">="), (">=", "<="), ("<=", "<"), (">=", ">"), ("<", "<="), (">", ">="), ("==", "<="), ("==", ">="),
         ("[", "("),
         ("]", ")"), ("exp", "log"), ("log", "exp"), ("sin", "cos"), ("abs", "floor"), ("max", "min"), ("sqrt", "exp"),
         ("floor", "ceil"), ("W", "exp"), ("+", "-"), ("-", "+"), ("*", "+"), ("n", "x"), ("x", "n"), ("x", "y"), ("y", "x"),
         ("= O", "= o"), ("= O", "= Omega"), ("= O", "= Theta"), ("-> inf", "-> 0"), ("-> 0", "-> 1"), (" > ", " >= "),
         ("n >=", "n real, n >="), ("x >=", "x integer, x >="), ("**2", "**3"), ("**2", "**(1/2)"), ("1/", "-1/")]
NUMBER = re.compile(r"(?<![\w.])\d+(?:/\d+)?(?![\w.])")
RULE_NAMES = ["range", "zero", "both", "split", "case", "scale", "sum", "have", "mono", "apply", "subst", "slack", "relax",
              "step", "name", "whole", "absurd"]


# --- changes ----------------------------------------------------------------------------------------------------------

def changed_number(text: str, dice: random.Random) -> str:
    found = list(NUMBER.finditer(text))
    if not found:
        return text
    place = dice.choice(found)
    value = Fraction(place[0])
    new = dice.choice([value + 1, value - 1, -value, value / 2, value * 2, value + Fraction(1, 10 ** 6),
                       value - Fraction(1, 10 ** 6), Fraction(0), Fraction(1)])
    return f"{text[:place.start()]}({new}){text[place.end():]}"


def changed_text(text: str, dice: random.Random) -> str:
    """One constant, sign, end, type, function or relation is another."""
    if dice.random() < 0.5:
        return changed_number(text, dice)
    fitting = [(a, b) for a, b in SWAPS if a in text]
    if not fitting:
        return changed_number(text, dice)
    old, new = dice.choice(fitting)
    places = [m.start() for m in re.finditer(re.escape(old), text)]
    at = dice.choice(places)
    return text[:at] + new + text[at + len(old):]


def changed_conditions(text: str, dice: random.Random) -> str:
    items = [i for i in re.split(r",\s*(?![^\[{(]*[\]})])", text) if i]
    if items and dice.random() < 0.4:           # a hypothesis less
        del items[dice.randrange(len(items))]
        return ", ".join(items)
    return changed_text(text, dice)


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of an object that can be changed."""
    if isinstance(content, dict):
        for k, v in content.items():
            yield (*path, k)
            yield from leaves(v, (*path, k))
    elif isinstance(content, list):
        for i, v in enumerate(content):
            yield (*path, i)
            yield from leaves(v, (*path, i))


def changed_object(body: Object, dice: random.Random) -> Object:
    new: Any = copy.deepcopy(body)
    places = list(leaves(new))
    path = dice.choice(places)
    parent = new
    for step in path[:-1]:
        parent = parent[step]
    old = parent[path[-1]]
    if isinstance(old, str) and path[-1] == "r":
        parent[path[-1]] = dice.choice(RULE_NAMES)
    elif isinstance(old, bool):
        parent[path[-1]] = not old
    elif isinstance(old, int):
        parent[path[-1]] = dice.choice([old + 1, old - 1, -1, 0, 10 ** 6])
    elif isinstance(old, str):
        parent[path[-1]] = dice.choice([changed_text(old, dice), "x", "0", "1", "-1", "proved", "refuted"])
    elif isinstance(old, dict):
        others = [p for p in places if p != path]
        graft: Any = body
        for step in dice.choice(others):
            graft = graft[step]
        parent[path[-1]] = copy.deepcopy(graft) if dice.random() < 0.6 else {"r": dice.choice(RULE_NAMES)}
    elif isinstance(old, list) and old:
        dice.choice([lambda: old.pop(), lambda: old.append(copy.deepcopy(old[0])), lambda: old.reverse()])()
    return new


def attack(instance: Instance, dice: random.Random) -> Instance:
    claim, conditions, body = instance.claim, instance.conditions, instance.body
    kind = dice.random()
    if kind < 0.35:
        claim = changed_text(claim, dice)
    elif kind < 0.6:
        conditions = changed_conditions(conditions, dice)
    elif kind < 0.85:
        body = changed_object(body, dice)
    else:
        claim, body = changed_text(claim, dice), changed_object(body, dice)
    return Instance(instance.rule, claim, conditions, body)


# --- the judge --------------------------------------------------------------------------------------------------------

def accepted(instance: Instance) -> bool:
    try:
        check(instance.claim, instance.conditions, json.dumps(instance.body).encode())
    except (Reject, Unreadable):
        return False
    return True


def false(instance: Instance, seed: int) -> str:
    """Why what was accepted is false, as far as values at points tell; empty if nothing speaks against it."""
    claim, conditions = instance.claim, instance.conditions
    verdict, proof = instance.body["verdict"], instance.body["proof"]
    try:
        if match := re.fullmatch(r"exists (\w+): (.*)", claim):
            return _exists(match[1], match[2], conditions, verdict, proof, seed)
        if match := re.fullmatch(r"independent\((.*), (\w+)\)", claim):
            return _independent(match[1], match[2], conditions, verdict, seed)
        if match := re.fullmatch(r"(.*) = (O|o|Theta|Omega)\((.*)\) as (\w+) -> (.*)", claim):
            return _growth(match, conditions, verdict, proof, seed)
        seen = tally(claim, conditions, 150, seed)
    except (Unsure, SyntaxError, KeyError, ZeroDivisionError):
        return ""
    return _relation(seen, claim, verdict, proof, conditions)


def _relation(seen: Tally, claim: str, verdict: str, proof: Object, conditions: str) -> str:
    if verdict == "proved":
        return f"fails at {seen.false[0]}" if seen.false else f"undefined at {seen.undefined[0]}" if seen.undefined else ""
    if verdict == "vacuous" and "inf" not in claim:
        return f"a point {(seen.true + seen.false + seen.undefined)[0]}" if seen.true or seen.false or seen.undefined else ""
    if verdict == "refuted":
        point = {name: term(text).at({}) for name, text in proof["point"].items()}
        if not region(conditions, comparisons(claim)).holds(point):
            return f"{point} is not in the domain"
        for name, text in proof["point"].items():       # by texts: irrational numbers with all their digits
            claim = re.sub(rf"\b{name}\b", f"({text})", claim)
        try:
            return f"holds at {point}" if all(r.at({}) for r in comparisons(claim)) else ""
        except Undefined:
            return f"undefined at {point}"
        except Unsure:
            return ""
    if verdict == "conditional":
        where = comparisons(proof["condition"])
        for p in seen.true + seen.undefined:
            if not all(c.at(p) for c in where) or p in seen.undefined:
                return f"true or undefined outside at {p}"
        wrong = [p for p in seen.false if all(c.at(p) for c in where)]
        return f"false inside at {wrong[0]}" if wrong else ""
    return ""


def _exists(name: str, text: str, conditions: str, verdict: str, proof: Object, seed: int) -> str:
    relations = comparisons(text)
    if verdict == "proved":
        value = {name: term(proof["constant"]).at({})}
        for p in _domain_points(relations, conditions, {name}, seed):
            if _fails(relations, {**p, **value}):
                return f"{value} fails at {p}"
        return ""
    for c in (Fraction(v) for v in ("-1000", "-1", "-1/1000", "0", "1/3", "1", "5", "1000000")):
        if all(not _fails(relations, {**p, name: c}) for p in _domain_points(relations, conditions, {name}, seed)) \
                and not _fails_at_parts(relations, proof, name, c):
            return f"{name} = {c} seems to do"
    return ""


def _fails_at_parts(relations: list[Comparison], proof: Object, name: str, value: Fraction) -> bool:
    for p in proof["parts"]:
        at = {x: term(t).at({name: value}) for x, t in p["at"].items()}
        if _fails(relations, {**at, name: value}):
            return True
    return False


def _fails(relations: list[Comparison], point: dict[str, Any]) -> bool:
    try:
        return not all(r.at(point) for r in relations)
    except Undefined:
        return True
    except Unsure:
        return False


def _domain_points(relations: list[Comparison], conditions: str, without: set[str], seed: int) -> list[Point]:
    area = region(conditions, relations)
    area.names -= without
    return list(points(area, 100, random.Random(seed)))


def _independent(text: str, name: str, conditions: str, verdict: str, seed: int) -> str:
    value = term(text)
    area = region(conditions, comparisons(f"{text} == {name}"))
    found = list(points(area, 80, random.Random(seed)))
    for p in found:
        for q in found[:20]:
            other = {**p, name: q[name]}
            try:
                if area.holds(other) and verdict == "proved" and value.at(p) != value.at(other):
                    return f"differs at {p} and {q[name]}"
            except Undefined:
                return f"undefined at {other}" if verdict == "proved" else ""
            except Unsure:
                continue
    if verdict == "vacuous":
        return f"{len(found)} points" if len({p[name] for p in found}) > 1 and len(area.names) == 1 else ""
    return ""


def _growth(match: re.Match[str], conditions: str, verdict: str, proof: Object, seed: int) -> str:
    """The constants of an accepted object, at points of their neighbourhood; paths, at some of their points."""
    left, kind, right, name, goal = match.groups()
    limit = None if goal == "inf" else Fraction(term(goal).at({}))
    area = region(conditions, comparisons(f"{left} == {right} + {name}"))
    if verdict == "refuted":
        return _path(left, right, name, area, proof)
    if verdict == "vacuous":
        near = [p for p in points(area, 100, random.Random(seed)) if limit is None or 0 < abs(p[name] - limit) < 10 ** -6]
        far = max((p[name] for p in near), default=Fraction(0))
        return f"points near the limit: {near[0]}" if near and (limit is not None or far > 10 ** 9) else ""
    for side, given in proof["cases"][0].items():
        for what in ("upper", "lower"):
            if what not in given:
                if what in {"O": ("upper",), "o": ("upper",), "Omega": ("lower",), "Theta": ("upper", "lower")}[kind]:
                    return f"{what} is missing"
                continue
            q = given[what]
            start, factor = Fraction(term(q["from"]).at({})), f"({q['K']})*({q.get('v', '1')})"
            small, large = (left, right) if what == "upper" else (right, left)
            bounds = comparisons(f"abs({small}) <= {factor}*abs({large})")
            for p in points(area, 60, random.Random(seed)):
                x = p[name]
                if limit is None:
                    near = x >= start
                elif side == "+":
                    near = limit < x <= start
                else:
                    near = start <= x < limit
                if near and _fails(bounds, p):
                    return f"the constant fails at {p}"
    return ""


def _path(left: str, right: str, name: str, area: Region, proof: Object) -> str:
    """A path of a refutation at some whole t: in the domain, and the bound broken there."""
    at = {x: term(t).at({}) for x, t in proof.get("point", {}).items()}
    first = int(term(proof["t0"]).at({})) + 1
    weight = f"(1/({proof['K']}))" if proof["what"] == "o" else f"({proof['v']})"
    small, large = (left, right) if proof["what"] == "Omega" else (right, left)
    broken = comparisons(f"abs({small}) <= {weight}*abs({large})")
    for t in (first, first + 1, first + 7, 10 ** 4 + first):
        p = {**at, "t": Fraction(t)}
        p[name] = term(proof["x"]).at(p)
        if not area.holds(p):
            return f"the path leaves the domain at t = {t}"
        if _fails(broken, p):
            return f"nothing is broken at t = {t}"
    return ""


def run(instance: Instance, count: int, first: int) -> Iterator[tuple[str, Instance, str]]:
    """Attacks made from one instance: rejected, accepted, or what is wrong."""
    for seed in range(first, first + count):
        tried = attack(instance, random.Random(f"{instance.rule} {instance.claim} {seed}"))
        start = time.process_time()
        ok = accepted(tried)
        if time.process_time() - start > SECONDS:
            yield "slow", tried, "took too long"
        if not ok:
            yield "rejected", tried, ""
            continue
        reason = false(tried, seed)
        yield ("false" if reason else "accepted"), tried, reason


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="attacks of each rule and kind")
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args(arguments)
    wrong = 0
    for rule in sorted({i.rule for i in INSTANCES}):
        chosen = [i for i in INSTANCES if i.rule == rule]
        counts: Counter[str] = Counter()
        for instance in chosen:
            for outcome, tried, reason in run(instance, -(-given.count // len(chosen)), given.first):
                counts[outcome] += 1
                if outcome in ("false", "slow"):
                    wrong += 1
                    print(f"{outcome}: {tried.claim} for {tried.conditions}: {reason}", json.dumps(tried.body), flush=True)
        print(rule, dict(counts), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
