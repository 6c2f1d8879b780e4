"""Claims at points, computed without any part of boundcalc: Python's own reader of expressions, fractions, and mpmath.

The value of a term at a point is a fraction as long as only arithmetic is done, and a number of 50 digits (and more, where
it is compared) otherwise. What cannot be told apart at that precision is `Unsure`, never guessed.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb, floor

import mpmath
from mpmath import mp

Number = Fraction | mpmath.mpf
Point = dict[str, Fraction]

DIGITS = 50
INTEGERS = frozenset({"n", "m", "k", "N", "H"})
POSITIVE = frozenset({"eps", "beta", "kappa", "eta", "M"})
LEAST = {"delta": 0, "n": 1, "m": 0, "N": 1, "H": 1}
RELATION = re.compile(r"<=|>=|==|(?<!-)[<>]")


class Undefined(Exception):
    """The term has no value at the point."""


class Unsure(Exception):
    """The digits do not suffice, or the numbers are too large."""


# --- values -----------------------------------------------------------------------------------------------------------

def real(x: Number) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def sign_of(x: Number) -> int:
    """The sign of a value; Unsure where the digits were spent."""
    if isinstance(x, Fraction):
        return (x > 0) - (x < 0)
    if abs(x) < mpmath.mpf(10) ** (10 - mp.dps):
        raise Unsure("too close to zero")
    return 1 if x > 0 else -1


def _sum_of(values: list[Number]) -> Number:
    if all(isinstance(v, Fraction) for v in values):
        return sum(values, Fraction(0))
    total = mpmath.fsum(real(v) for v in values)
    largest = max(abs(real(v)) for v in values)
    if abs(total) <= largest * mpmath.mpf(10) ** (12 - mp.dps):
        raise Unsure("cancellation")
    return total


def _quotient(a: Number, b: Number) -> Number:
    if isinstance(b, Fraction) and b == 0:
        raise Undefined("division by zero")
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    sign_of(b)
    return real(a) / real(b)


def _power(a: Number, b: Number) -> Number:
    if isinstance(b, mpmath.mpf) and abs(b - mpmath.nint(b)) < mpmath.mpf(10) ** (10 - mp.dps):
        raise Unsure("is the exponent whole?")
    if isinstance(b, Fraction) and b.denominator == 1:
        if b < 0 and isinstance(a, Fraction) and a == 0:
            raise Undefined("zero to a negative power")
        if isinstance(a, Fraction) and abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length()) < 20000:
            return a ** int(b)
        if b == 0:
            return Fraction(1)
        if abs(b) > 10 ** 12:
            raise Unsure("large power")
        return real(a) ** int(b)
    if isinstance(a, Fraction) and a == 0:
        if sign_of(b) > 0:
            return Fraction(0)
        raise Undefined("zero to a negative power")
    if sign_of(a) < 0:
        raise Undefined("a negative base with an exponent that is not whole")
    return _exp(real(b) * mpmath.log(real(a)))


def _exp(a: Number) -> Number:
    if isinstance(a, Fraction) and a == 0:
        return Fraction(1)
    if abs(real(a)) > 10 ** 9:
        raise Unsure("exponent")
    return mpmath.exp(real(a))


def _log(a: Number) -> Number:
    if isinstance(a, Fraction) and a == 1:
        return Fraction(0)
    if (isinstance(a, Fraction) and a <= 0) or sign_of(a) < 0:
        raise Undefined("logarithm")
    return mpmath.log(real(a))


def _lambert(a: Number) -> Number:
    if isinstance(a, Fraction) and a == 0:
        return Fraction(0)
    gap = real(a) + mpmath.exp(-1)
    if sign_of(gap) < 0:
        raise Undefined("W below −1/e")
    return mpmath.re(mpmath.lambertw(real(a)))


def _floor(a: Number) -> Fraction:
    if isinstance(a, Fraction):
        return Fraction(floor(a))
    size = max(1, abs(a))
    if size > mpmath.mpf(10) ** (mp.dps - 20) or abs(a - mpmath.nint(a)) < mpmath.mpf(10) ** (12 - mp.dps) * size:
        raise Unsure("floor next to a whole number")
    return Fraction(int(mpmath.floor(a)))


def _largest(*values: Number) -> Number:
    return max(values, key=real)


def _at_zero(value: int, function: Callable[[mpmath.mpf], mpmath.mpf], limit: int = 10 ** 9) -> Callable[[Number], Number]:
    """A function with a rational value at 0, computed by mpmath elsewhere."""
    def computed(a: Number) -> Number:
        if isinstance(a, Fraction) and a == 0:
            return Fraction(value)
        if abs(real(a)) > limit:
            raise Unsure("argument")
        return function(real(a))
    return computed


def _factorial(a: Number) -> Fraction:
    if not isinstance(a, Fraction) or a.denominator != 1 or a < 0:
        raise Undefined("factorial")
    if a > 2000:
        raise Unsure("factorial")
    return Fraction(int(mpmath.factorial(int(a)))) if a < 20 else _product(list(range(1, int(a) + 1)))


def _product(values: list[int]) -> Fraction:
    total = 1
    for v in values:
        total *= v
    return Fraction(total)


def _binomial(a: Number, b: Number) -> Fraction:
    return _factorial(a) / (_factorial(b) * _factorial(_sum_of([a, _times(Fraction(-1), b)])))


def _times(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return real(a) * real(b)


def _sign(a: Number) -> Fraction:
    return Fraction(sign_of(a))


def _layer_regions(inputs: Number, units: Number, rank: Number) -> Fraction:
    """The regions of one maxout layer, counted by how many units are folded at once."""
    if any(not isinstance(v, Fraction) or v.denominator != 1 or v < 1 for v in (inputs, units, rank)):
        raise Undefined("no such layer")
    n, m, k = int(inputs), int(units), int(rank)
    return Fraction(sum(comb(m, j) * (k - 1) ** j for j in range(n + 1)))


def _selection_beta(n: Number, gap: Number, q: Number) -> Number:
    if gap <= 0 or not 0 < q < (n - 1) / n:
        raise Undefined("outside the lemma")
    return (mpmath.log(real(n - 1)) + mpmath.log(real((1 - q) / q))) / real(gap)


def _offmass(beta: Number, n: Number, gap: Number) -> Number:
    others = real(n - 1) * real(_exp(-_times(beta, gap)))
    return others / (1 + others)


def _largest_weight(beta: Number, n: Number, bound: Number) -> Number:
    largest = real(_exp(2 * _times(beta, bound)))
    return largest / (real(n - 1) + largest)


LEMMAS: dict[str, Callable[..., Number]] = {        # see the lemmas on softmax in docs/rules.md; the first argument is β
    "layer_regions_": _layer_regions, "selection_beta_": _selection_beta, "offmass_": _offmass,
    "largest_weight_": _largest_weight,
    "max_error_": lambda beta, n: _quotient(_lambert(real(n - 1) / mp.e), beta),
    "perturbation_": lambda beta, delta, value, size: real(value) + real(size) * mpmath.tanh(real(beta * delta) / 2),
}
FUNCTIONS: dict[str, Callable[..., Number]] = {
    **LEMMAS,
    "abs": abs, "max": _largest, "min": lambda *v: min(v, key=real), "floor": _floor,
    "ceil": lambda a: -_floor(-a), "exp": _exp, "log": _log, "ln": _log, "sqrt": lambda a: _power(a, Fraction(1, 2)),
    "log2": lambda a: _quotient(_log(a), mpmath.log(2)),
    "tanh": _at_zero(0, mpmath.tanh), "sinh": _at_zero(0, mpmath.sinh), "cosh": _at_zero(1, mpmath.cosh),
    "sigma": lambda a: Fraction(1, 2) if a == 0 else 1 / (1 + real(_exp(-a))),
    "relu": lambda a: max(a, Fraction(0), key=real),
    "erf": _at_zero(0, mpmath.erf), "W": _lambert, "sin": _at_zero(0, mpmath.sin, 10 ** 30),
    "cos": _at_zero(1, mpmath.cos, 10 ** 30), "sign": _sign, "factorial": _factorial, "binomial": _binomial,
    "gelu": lambda a: _times(a, (1 + mpmath.erf(real(a) / mpmath.sqrt(2))) / 2),
    "silu": lambda a: _times(a, 1 / (1 + real(_exp(-a)))),
}


# --- terms ------------------------------------------------------------------------------------------------------------

@dataclass
class Term:
    """A text of the claim grammar, as a tree of Python's own reader."""

    tree: ast.expr
    names: frozenset[str] = field(default_factory=frozenset)

    def at(self, point: Mapping[str, Number]) -> Number:
        return _value(self.tree, point)


QUANTITY = re.compile(r"[a-z][a-z-]*(?:\[[^\]]*\])?\.[a-z_]+\(?")
DECIMAL = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


def _exact(match: re.Match[str]) -> str:
    """A decimal number as the fraction that it is."""
    number = Fraction(match[0])
    return str(number.numerator) if number.denominator == 1 else f"({number.numerator}/{number.denominator})"


def term(text: str, formulas: Mapping[str, str] | None = None) -> Term:
    """The term of a text; quantities are replaced by the formulas given for them."""
    def formula(match: re.Match[str]) -> str:
        called = match[0].endswith("(")
        found = (formulas or {}).get(match[0].replace(" ", "").rstrip("("))
        if found is None:
            raise Unsure(f"no formula for {match[0]}")
        return found if called else f"({found})"      # with arguments: a function below
    if "inf" in re.findall(r"\w+", text) or "\\" in text:
        raise Unsure("no term")
    plain = DECIMAL.sub(_exact, QUANTITY.sub(formula, text)).replace("^", "**").strip()
    tree = ast.parse(re.sub(r"\b([a-z])_(\d)", r"\1\2", plain), mode="eval").body
    names = frozenset(_names(tree))
    return Term(tree, names)


def _names(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Name(id=name):
            if name not in ("pi", "e", "C_silu"):
                yield name
        case ast.Call(func=ast.Name(id="sum" | "product"), args=[body, ast.Name(id=bound), low, high]):
            yield from (n for n in _names(body) if n != bound)
            yield from _names(low)
            yield from _names(high)
        case ast.Call(args=args):
            for a in args:
                yield from _names(a)
        case ast.BinOp(left=left, right=right):
            yield from _names(left)
            yield from _names(right)
        case ast.UnaryOp(operand=operand):
            yield from _names(operand)


def constants(node: ast.expr) -> list[Fraction]:
    """The values of the largest parts without a variable, to 20 digits."""
    if not set(_names(node)):
        try:
            value = _value(node, {})
        except (Undefined, Unsure, KeyError):
            return []
        if isinstance(value, Fraction):
            return [value] if abs(value) < 10 ** 40 else []
        return [Fraction(mpmath.nstr(value, 20))] if abs(value) < 10 ** 20 else []
    match node:
        case ast.Call(func=ast.Name(id="sum" | "product")):
            return []
        case ast.Call(args=args):
            return [c for a in args for c in constants(a)]
        case ast.BinOp(left=left, right=right):
            return constants(left) + constants(right)
        case ast.UnaryOp(operand=operand):
            return constants(operand)
    return []


def _value(node: ast.expr, point: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() as number):
            return Fraction(number)
        case ast.Name(id="pi"):
            return +mp.pi
        case ast.Name(id="e"):
            return +mp.e
        case ast.Name(id="C_silu"):
            return 4 * (mpmath.findroot(lambda v: v * mpmath.tanh(v) - 1, 1.2) ** 2 - 1)
        case ast.Name(id=name):
            return point[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, point)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, point)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _sum_of([_value(left, point), _value(right, point)])
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            return _sum_of([_value(left, point), -_value(right, point)])
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _times(_value(left, point), _value(right, point))
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return _quotient(_value(left, point), _value(right, point))
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return _power(_value(left, point), _value(right, point))
        case ast.Call(func=ast.Name(id=("sum" | "product") as kind), args=[body, ast.Name(id=bound), low, high]):
            return _folded(kind, body, bound, _value(low, point), _value(high, point), point)
        case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(a, point) for a in args))
    raise Unsure(f"unknown: {ast.dump(node)[:80]}")


def _folded(kind: str, body: ast.expr, bound: str, low: Number, high: Number, point: Mapping[str, Number]) -> Number:
    for end in (low, high):
        if not isinstance(end, Fraction):
            raise Unsure("limit of a sum")
        if end.denominator != 1:
            raise Undefined("limit of a sum that is not whole")
    if high - low > 3000:
        raise Unsure("a long sum")
    values = [_value(body, {**point, bound: Fraction(k)}) for k in range(int(low), int(high) + 1)]
    if kind == "sum":
        return _sum_of(values) if values else Fraction(0)
    total: Number = Fraction(1)
    for v in values:
        total = _times(total, v)
    return total


# --- relations and domains --------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Comparison:
    left: Term
    relation: str
    right: Term

    def at(self, point: Mapping[str, Number]) -> bool:
        """Whether it holds; Undefined or Unsure where that cannot be said. Two precisions must agree."""
        differences = []
        for digits in (DIGITS, 2 * DIGITS + 10):
            with mp.workdps(digits):
                differences.append(_sum_of([self.left.at(point), -self.right.at(point)]))
                sign = sign_of(differences[-1])
        rough, fine = (real(d) for d in differences)
        if abs(rough - fine) * 1000 > abs(fine):
            raise Unsure("digits")
        return {"<=": sign <= 0, "<": sign < 0, ">=": sign >= 0, ">": sign > 0, "==": sign == 0}[self.relation]

    @property
    def names(self) -> frozenset[str]:
        return self.left.names | self.right.names


def comparisons(text: str, formulas: Mapping[str, str] | None = None) -> list[Comparison]:
    """`a <= b < c` as its single relations."""
    pieces = RELATION.split(text)
    relations = RELATION.findall(text)
    terms = [term(p, formulas) for p in pieces]
    if not relations:
        raise Unsure(f"no relation in {text}")
    return [Comparison(a, r, b) for a, r, b in zip(terms[:-1], relations, terms[1:], strict=True)]


def _items(text: str) -> list[str]:
    """The items of `for`: split at commas outside brackets."""
    items, depth, current = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            items.append(current)
            current = ""
        else:
            current += c
    return [i.strip() for i in [*items, current] if i.strip()]


@dataclass
class Region:
    """What `for` says, with the assumptions about symbols that it does not mention."""

    conditions: list[Comparison] = field(default_factory=list)
    sets: dict[str, list[Term]] = field(default_factory=dict)
    fixed: dict[str, Term] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    lows: dict[str, Fraction] = field(default_factory=dict)
    highs: dict[str, Fraction] = field(default_factory=dict)
    special: list[Fraction] = field(default_factory=list)       # numbers of the texts: values to try, and to try next to

    def holds(self, point: Mapping[str, Number]) -> bool:
        """Whether the point lies in the domain; a condition that is undefined there does not hold."""
        try:
            return (all(point[n].denominator == 1 for n in self.integers if isinstance(point[n], Fraction))
                    and all(c.at(point) for c in self.conditions)
                    and all(any(point[n] == t.at(point) for t in members) for n, members in self.sets.items()))
        except Undefined:
            return False


MEMBER = re.compile(r"(\w+) in ([\[{(])(.*)([\]})])")


def region(domain: str, relations: list[Comparison]) -> Region:
    """The domain of these relations."""
    names = frozenset().union(*(r.names for r in relations))
    found = Region(special=[c for r in relations for side in (r.left, r.right) for c in constants(side.tree)])
    mentioned: set[str] = set()
    types: dict[str, str] = {}
    for item in _items(domain):
        if match := re.fullmatch(r"(\w+) (real|integer)", item):
            types[match[1]] = match[2]
            mentioned.add(match[1])
            continue
        if match := MEMBER.fullmatch(item):
            name = re.sub(r"^([a-z])_(\d)", r"\1\2", match[1])
            mentioned.add(name)
            parts = _items(match[3])
            if match[2] == "{":
                found.sets[name] = [term(p) for p in parts]
            else:
                if parts[0] != "-inf":
                    found.conditions += comparisons(f"{parts[0]} {'<' if match[2] == '(' else '<='} {name}")
                if parts[1] != "inf":
                    found.conditions += comparisons(f"{name} {'<' if match[4] == ')' else '<='} {parts[1]}")
            continue
        for c in comparisons(item):
            mentioned |= c.names
            if c.relation == "==" and isinstance(c.left.tree, ast.Name):
                found.fixed[c.left.tree.id] = c.right
            found.conditions.append(c)
    found.names |= mentioned | names
    for name in found.names - mentioned:
        if name in POSITIVE:
            found.conditions += comparisons(f"{name} > 0")
        if name in LEAST:
            found.conditions += comparisons(f"{name} >= {LEAST[name]}")
    found.integers = {n for n in found.names if n in INTEGERS and types.get(n) != "real"}
    found.integers |= {n for n, kind in types.items() if kind == "integer"}
    for c in found.conditions:
        _note_ends(found, c)
    return found


def _note_ends(found: Region, c: Comparison) -> None:
    """Numbers next to a single name: they only guide the choice of points."""
    for one, other, flip in ((c.left, c.right, False), (c.right, c.left, True)):
        if isinstance(one.tree, ast.Name) and not other.names:
            try:
                value = other.at({})
            except (Undefined, Unsure):
                continue
            end = value if isinstance(value, Fraction) else Fraction(str(mpmath.nstr(value, 20)))
            if (c.relation[0] == ">") != flip or c.relation == "==":
                found.lows[one.tree.id] = max(end, found.lows.get(one.tree.id, end))
            if (c.relation[0] == "<") != flip or c.relation == "==":
                found.highs[one.tree.id] = min(end, found.highs.get(one.tree.id, end))


SMALL = [Fraction(v) for v in ("0", "1", "-1", "1/2", "-1/2", "2", "3", "1/3", "-2")]
NEAR = [Fraction(1, 10 ** 3), Fraction(1, 10 ** 9), Fraction(1, 10 ** 30)]


def candidates(name: str, area: Region, dice: random.Random) -> Fraction:
    """One value to try for a variable: an end, next to an end, inside, or far away."""
    low, high = area.lows.get(name), area.highs.get(name)
    whole = name in area.integers
    draw = dice.random()
    if dice.random() < 0.25:
        value = dice.choice(area.special + SMALL) * dice.choice([1, 1, -1])
        value += dice.choice([0, 0, 0, 0, 0, 0, *NEAR, *(-x for x in NEAR)])
    elif low is not None and high is not None:
        if draw < 0.15:
            value = dice.choice([low, high])
        elif draw < 0.3:
            value = dice.choice([low + (high - low) * dice.choice(NEAR), high - (high - low) * dice.choice(NEAR)])
        else:
            value = low + (high - low) * Fraction(dice.randint(0, 10 ** 6), 10 ** 6)
    elif low is not None or high is not None:
        end, way = (low, 1) if low is not None else (high, -1)
        assert end is not None
        if draw < 0.15:
            value = end
        elif draw < 0.3:
            value = end + way * dice.choice(NEAR)
        elif draw < 0.7:
            value = end + way * Fraction(dice.randint(0, 10 ** 4), dice.choice([10, 100, 1000, 10 ** 4]))
        elif draw < 0.85:
            value = end + way * dice.randint(0, 12)
        else:
            value = end + way * Fraction(10) ** dice.choice([1, 2, 3, 6, 12, 30])
    elif draw < 0.3:
        value = dice.choice(SMALL)
    elif draw < 0.85:
        value = Fraction(dice.randint(-10 ** 4, 10 ** 4), dice.choice([10, 100, 1000, 10 ** 4]))
    else:
        value = dice.choice([-1, 1]) * Fraction(10) ** dice.choice([-30, -9, -3, 1, 2, 6, 12])
    return Fraction(round(value)) if whole else value


def points(area: Region, count: int, dice: random.Random) -> Iterator[Point]:
    """Points of the domain, at most `count`, from many more tries."""
    found = 0
    for _ in range(count * 12):
        point: Point = {}
        for name in sorted(area.names):
            if name in area.sets:
                point[name] = Fraction(area.sets[name][dice.randrange(len(area.sets[name]))].at({}))
            else:
                point[name] = candidates(name, area, dice)
        try:
            for name, value in area.fixed.items():
                exact = value.at(point)
                if isinstance(exact, Fraction):
                    point[name] = exact
            if area.holds(point):
                yield point
                found += 1
        except (Undefined, Unsure):
            continue
        if found >= count:
            return


@dataclass
class Tally:
    """What was seen at the points of a domain."""

    true: list[Point] = field(default_factory=list)
    false: list[Point] = field(default_factory=list)
    undefined: list[Point] = field(default_factory=list)
    unsure: int = 0


def tally(claim: str, domain: str, count: int = 300, seed: int = 1, formulas: Mapping[str, str] | None = None) -> Tally:
    """A relation at points of its domain."""
    relations = comparisons(claim, formulas)
    area = region(domain, relations)
    seen = Tally()
    for point in points(area, count, random.Random(seed)):
        try:
            (seen.true if all(r.at(point) for r in relations) else seen.false).append(point)
        except Undefined:
            seen.undefined.append(point)
        except Unsure:
            seen.unsure += 1
    return seen
