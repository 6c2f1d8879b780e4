"""Random claims, and what programs that share nothing with boundcalc say about them.

Polynomial and rational claims are decided by z3. Its division is total, so the points where a divisor is zero are asked for
by themselves. Univariate claims with exp, log, … are looked at with mpmath on many points: a failing or undefined point is a
fact, its absence is none, so that only "proved" against such a point, or "refuted" at a point that does not fail, is wrong.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import z3

from .pointwise import Comparison, Number, Undefined, Unsure, comparisons, real, region, term
from .suite import Answer, Row, judged

Z3_MILLISECONDS = 2000


# --- z3 ---------------------------------------------------------------------------------------------------------------

@dataclass
class Encoded:
    """A term in z3, and the divisors that must not be zero where it is defined."""

    value: z3.ArithRef
    divisors: list[z3.ArithRef]


def encoded(node: ast.expr, symbols: dict[str, z3.ArithRef]) -> Encoded:
    match node:
        case ast.Constant(value=int() as number):
            return Encoded(z3.RealVal(number), [])
        case ast.Name(id=name):
            return Encoded(symbols.setdefault(name, z3.Real(name)), [])
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = encoded(operand, symbols)
            return Encoded(-inner.value, inner.divisors)
        case ast.BinOp(op=ast.Pow(), left=left, right=ast.Constant(value=int() as exponent)):
            inner = encoded(left, symbols)
            value = z3.RealVal(1)
            for _ in range(exponent):
                value = value * inner.value
            return Encoded(value, inner.divisors)
        case ast.BinOp(op=op, left=left, right=right):
            a, b = encoded(left, symbols), encoded(right, symbols)
            divisors = a.divisors + b.divisors
            match op:
                case ast.Add():
                    return Encoded(a.value + b.value, divisors)
                case ast.Sub():
                    return Encoded(a.value - b.value, divisors)
                case ast.Mult():
                    return Encoded(a.value * b.value, divisors)
                case ast.Div():
                    return Encoded(a.value / b.value, [*divisors, b.value])
        case ast.Call(func=ast.Name(id="abs"), args=[argument]):
            inner = encoded(argument, symbols)
            return Encoded(z3.If(inner.value >= 0, inner.value, -inner.value), inner.divisors)
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[one, other]):
            a, b = encoded(one, symbols), encoded(other, symbols)
            first = a.value >= b.value if name == "max" else a.value <= b.value
            return Encoded(z3.If(first, a.value, b.value), a.divisors + b.divisors)
    raise Unsure(ast.dump(node)[:80])


def stated(relation: Comparison, symbols: dict[str, z3.ArithRef]) -> tuple[z3.BoolRef, list[z3.ArithRef]]:
    left, right = encoded(relation.left.tree, symbols), encoded(relation.right.tree, symbols)
    a, b = left.value, right.value
    holds = {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b}[relation.relation]
    return holds, left.divisors + right.divisors


def satisfiable(*conditions: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.set("timeout", Z3_MILLISECONDS)
    solver.add(*conditions)
    answer = solver.check()
    if answer == z3.unknown:
        raise Unsure("z3 does not know")
    return bool(answer == z3.sat)


def truth_by_z3(claim: str, domain: str) -> str:
    """true, false, or undefined somewhere (and false nowhere)."""
    relations = comparisons(claim)
    area = region(domain, relations)
    symbols: dict[str, z3.ArithRef] = {}
    inside = [stated(c, symbols)[0] for c in area.conditions]       # the conditions made here have no divisors
    facts, divisors = [], []
    for relation in relations:
        holds, used = stated(relation, symbols)
        facts.append(holds)
        divisors += used
    defined = [d != 0 for d in divisors]
    if satisfiable(*inside, *defined, z3.Not(z3.And(*facts))):
        return "false"
    if divisors and satisfiable(*inside, z3.Or(*(d == 0 for d in divisors))):
        return "undefined at a point"
    return "true"


# --- random polynomial and rational claims ----------------------------------------------------------------------------

@dataclass(frozen=True)
class Box:
    """Closed intervals with rational ends, as a text and as numbers."""

    ends: dict[str, tuple[Fraction, Fraction]]

    @property
    def text(self) -> str:
        return ", ".join(f"{name} in [{a}, {b}]" for name, (a, b) in self.ends.items())

    def grid(self, steps: int) -> Iterator[dict[str, Number]]:
        def extend(names: list[str], point: dict[str, Number]) -> Iterator[dict[str, Number]]:
            if not names:
                yield dict(point)
                return
            low, high = self.ends[names[0]]
            for i in range(steps + 1):
                yield from extend(names[1:], {**point, names[0]: low + (high - low) * Fraction(i, steps)})
        yield from extend(list(self.ends), {})


def _box(dice: random.Random, names: list[str]) -> Box:
    ends = {}
    for name in names:
        low = Fraction(dice.randint(-6, 4), dice.choice([1, 1, 2, 3]))
        ends[name] = (low, low + Fraction(dice.randint(1, 8), dice.choice([1, 1, 2, 3])))
    return Box(ends)


def _polynomial(dice: random.Random, names: list[str], degree: int = 4) -> str:
    pieces = []
    for _ in range(dice.randint(1, 4)):
        coefficient = Fraction(dice.choice([-3, -2, -1, 1, 2, 3, 5]), dice.choice([1, 1, 2, 3]))
        left = degree
        factors = []
        for name in dice.sample(names, dice.randint(1, len(names))):
            power = dice.randint(0 if factors else 1, min(3, left)) if left else 0
            left -= power
            if power:
                factors.append(name if power == 1 else f"{name}**{power}")
        pieces.append("*".join([f"({coefficient})", *factors]))
    return " + ".join(pieces)


def _rational(dice: random.Random, names: list[str], box: Box, undefined: bool) -> str:
    """A polynomial, or a quotient whose divisor has a zero in the box exactly if that is asked for."""
    top = _polynomial(dice, names, 3)
    name = dice.choice(names)
    if undefined:
        low, high = box.ends[name]
        zero = low + (high - low) * Fraction(dice.randint(1, 9), 10)
        if dice.random() < 0.5:         # bounded: the zero cancels, but not for the text
            return f"({name} - ({zero}))*({top})/({name} - ({zero}))"
        divisor = dice.choice([f"({name} - ({zero}))", f"({name} - ({zero}))**2"])
        return f"({top})/({divisor}*({name}**2 + 1))"
    kind = dice.random()
    if kind < 0.5:
        return top
    if kind < 0.75:
        return f"({top})/({name}**2 + {dice.choice(['1', '1/2', '3'])})"
    if kind < 0.88:
        return f"abs({top})"
    return f"max({top}, {_polynomial(dice, names, 2)})"


def _extremes(text: str, box: Box, steps: int) -> tuple[Fraction, Fraction] | None:
    values = []
    function = term(text)
    for point in box.grid(steps):
        try:
            value = function.at(point)
        except (Undefined, Unsure):
            continue
        assert isinstance(value, Fraction)
        values.append(value)
    return (min(values), max(values)) if values else None


def _short(x: Fraction) -> Fraction:
    """A number near x that people would write."""
    return Fraction(round(x * 10 ** 4), 10 ** 4)


def _level(dice: random.Random, low: Fraction, high: Fraction, close: bool) -> tuple[str, Fraction]:
    """A relation and a bound: within 1 % of the extreme value, or further off, on either side of it."""
    size = max(abs(low), abs(high), Fraction(1, 10))
    slack = size * Fraction(dice.randint(1, 100), 10 ** 4 if close else 200)
    slack *= dice.choice([1, 1, -1])
    if dice.random() < 0.5:
        return dice.choice([">=", ">"]), _short(low - slack)
    return dice.choice(["<=", "<"]), _short(high + slack)


def polynomial_claim(seed: int) -> tuple[str, str]:
    """Up to three variables; one in three within 1 % of equality, one in ten with undefined points."""
    dice = random.Random(f"polynomial {seed}")
    names = ["x", "y", "z"][:dice.choice([1, 1, 2, 2, 3])]
    box = _box(dice, names)
    text = _rational(dice, names, box, undefined=seed % 10 == 0)
    found = _extremes(text, box, {1: 40, 2: 12, 3: 6}[len(names)])
    if found is None or found[0] == found[1]:
        return f"{text} <= 1", box.text
    relation, bound = _level(dice, *found, close=seed % 3 == 0)
    return f"{text} {relation} {bound}", box.text


# --- random univariate transcendental claims --------------------------------------------------------------------------

def _function_of_x(dice: random.Random, depth: int) -> str:
    if depth == 0:
        return dice.choice(["x", "x", "x", "2*x", "(x + 1)", "(1 - x)", "x**2", "x/3", "(x - 1/2)"])
    inner = _function_of_x(dice, depth - 1)
    other = _function_of_x(dice, depth - 1)
    return dice.choice([
        f"exp({inner}/2)", f"exp(-{inner})", f"tanh({inner})", f"sigma({inner})", f"sin({inner})", f"cos({inner})",
        f"erf({inner})", f"abs({inner})", f"relu({inner})", f"log(1 + ({inner})**2)", f"sqrt(1 + ({inner})**2)",
        f"W(({inner})**2)", f"floor({inner})", f"({inner} + {other})", f"({inner} - {other})", f"({inner})*({other})",
        f"({inner})/(1 + ({other})**2)", f"max({inner}, {other})"])


def _partial(dice: random.Random) -> str:
    """Functions that are not defined everywhere."""
    inner = _function_of_x(dice, 1)
    return dice.choice([f"log({inner})", f"sqrt({inner})", f"1/({inner})", f"W({inner})", f"({inner})**(1/3)"])


def transcendental_claim(seed: int) -> tuple[str, str]:
    dice = random.Random(f"transcendental {seed}")
    box = _box(dice, ["x"])
    while True:
        text = _partial(dice) if seed % 10 == 0 else _function_of_x(dice, dice.choice([1, 2, 2, 3]))
        values = [v for v in (_real_value(text, p) for p in box.grid(60)) if v is not None]
        if len(values) > 3 and max(map(abs, values)) < 10 ** 6:
            break
    low, high = (Fraction(mpmath.nstr(v, 12)) for v in (min(values), max(values)))
    relation, bound = _level(dice, low, high, close=seed % 3 == 0)
    return f"{text} {relation} {bound}", box.text


def _real_value(text: str, point: dict[str, Number]) -> mpmath.mpf | None:
    try:
        return real(term(text).at(point))
    except (Undefined, Unsure):
        return None


@dataclass(frozen=True)
class Dense:
    """A univariate relation on many points of its interval."""

    failing: Fraction | None
    undefined: Fraction | None
    margin: mpmath.mpf              # the least distance from failing that was seen, where nothing fails


def dense(claim: str, box: Box, steps: int = 400) -> Dense:
    relation, = comparisons(claim)
    (name, (low, high)), = box.ends.items()
    failing = undefined = None
    margin = mpmath.inf
    best = low
    xs = [low + (high - low) * Fraction(i, steps) for i in range(steps + 1)]
    step = (high - low) / 10 ** 12
    xs += [x + s for x in xs[::20] for s in (step, -step) if low <= x + s <= high]

    def look(x: Fraction) -> None:
        nonlocal failing, undefined, margin, best
        try:
            if not relation.at({name: x}):
                failing = x
            gap = abs(real(relation.left.at({name: x})) - real(relation.right.at({name: x})))
            if gap < margin:
                margin, best = gap, x
        except Undefined:
            undefined = x
        except Unsure:
            margin = mpmath.mpf(0)
    for x in xs:
        look(x)
    width = (high - low) / steps
    for _ in range(12):         # closer and closer to where the claim is nearest to failing
        centre = best
        for i in range(-4, 5):
            x = centre + width * i / 4
            if low <= x <= high:
                look(x)
        width /= 3
    return Dense(failing, undefined, margin)


def box_of(domain: str) -> Box:
    """The box of a claim made here."""
    area = region(domain, [])
    return Box({name: (area.lows[name], area.highs[name]) for name in area.lows})


def judged_by_points(claim: str, domain: str, found: Answer) -> tuple[str, str]:
    """What was seen at points (false, undefined, no failure), and what the answer is worth in view of it."""
    seen = dense(claim, box_of(domain))
    if seen.failing is not None:
        return "false", judged(Row(claim, domain, "false"), found)
    truth = "no failure" if seen.undefined is None else "undefined"
    if found.verdict == "refuted":      # it may fail between the points that were looked at: its witness has to show it
        return truth, _witnessed(claim, found)
    if found.verdict == "conditional":
        return truth, f"unsound: conditional, but nothing fails on {domain}" if seen.margin > 10 ** -6 else "open"
    return truth, judged(Row(claim, domain, "true" if seen.undefined is None else "undefined at a point"), found)


def _witnessed(claim: str, found: Answer) -> str:
    relation, = comparisons(claim)
    try:
        fails = not relation.at(found.witness)
    except (Undefined, Unsure, KeyError) as problem:
        return f"unsound: refuted, but at {found.witness} {problem!r}"
    return "right" if fails else f"unsound: refuted, but it holds at {found.witness}"


def judged_by_z3(claim: str, domain: str, found: Answer) -> tuple[str, str]:
    """The truth according to z3, and what the answer is worth; z3's Unsure is left to the caller."""
    truth = truth_by_z3(claim, domain)
    return truth, judged(Row(claim, domain, truth), found)


