"""Targets as trees: a text of the claim grammar, with the names of blocks and lists written out at concrete sizes.

In the only argument of max, min, sum and product a block or list stands for its i-th coordinate, i = 1 … n. This is expanded
in what the parser gives, before anything else sees it: sympy's Max of one argument is that argument. Constants are folded,
sums are linear combinations, and equal factors are powers; x/x is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from flint import fmpq

from ..numbers.exact import decimal
from .build import ARITY, MAX_DEGREE, Node
from .enclosure import Undecided
from .functions import FUNCTIONS, Function, power
from .target_text import OVER_BLOCKS, DeclaredParser, declared, names_in

MAX_NODES = 2_000_000
TOO_LARGE = "this target is too large when it is written out"
_COORDINATE = re.compile(r"([A-Za-z_]+?)_?([1-9][0-9]*)")

Given: TypeAlias = Mapping[str, Fraction | int | Sequence[Fraction]]


@dataclass(frozen=True)
class Constant:
    value: fmpq


@dataclass(frozen=True)
class Special:
    """π or e."""

    name: str


@dataclass(frozen=True)
class Coordinate:
    index: int


@dataclass(frozen=True)
class Linear:
    """constant + Σ coefficient·part, no coefficient 0, no part a constant or linear itself."""

    constant: fmpq
    terms: tuple[tuple[fmpq, TargetTree], ...]


@dataclass(frozen=True)
class Product:
    factors: tuple[TargetTree, ...]


@dataclass(frozen=True)
class Apply:
    function: Function
    argument: TargetTree


@dataclass(frozen=True)
class MaxOrMin:
    """The largest (sign +1) or least (−1) of several."""

    sign: int
    parts: tuple[TargetTree, ...]


Polynomial: TypeAlias = dict[tuple[int, ...], fmpq]         # coefficients by sorted tuples of coordinates
TargetTree: TypeAlias = Constant | Special | Coordinate | Linear | Product | Apply | MaxOrMin
ZERO, ONE = Constant(fmpq(0)), Constant(fmpq(1))


def tree_of(text: str, blocks: Mapping[str, int], values: Given) -> TargetTree:
    """The tree of a text whose inputs are the coordinates of the blocks, in their order; InvalidInput if there is none."""
    node, parser = declared(text)
    expansion = _Expansion(parser, blocks, values)
    if expansion.written(node) > 2 * MAX_NODES:         # beforehand: writing out what is refused takes a while
        parser.fail(node.column, TOO_LARGE)
    return expansion.tree(node)


# --- making trees, constants folded -----------------------------------------------------------------------------------

def plus(parts: Iterable[tuple[fmpq, TargetTree]], constant: fmpq = ZERO.value) -> TargetTree:
    terms: dict[TargetTree, fmpq] = {}
    for c, part in parts:
        match part:
            case Constant(value=x):
                constant += c * x
            case Linear(constant=own, terms=inner):
                constant += c * own
                for d, t in inner:
                    terms[t] = terms.get(t, ZERO.value) + c * d
            case _:
                terms[part] = terms.get(part, ZERO.value) + c
    kept = tuple((c, t) for t, c in terms.items() if c != 0)
    if not kept:
        return Constant(constant)
    return kept[0][1] if constant == 0 and len(kept) == 1 and kept[0][0] == 1 else Linear(constant, kept)


def times(parts: Iterable[TargetTree]) -> TargetTree:
    factor = fmpq(1)
    powers: dict[tuple[TargetTree, bool], fmpq] = {}       # base, and whether it divides
    for part in parts:
        for c, t in _factors(part):
            factor *= c
            if t is not None:
                base, exponent = _as_power(t)
                key = (base, exponent < 0)
                powers[key] = powers.get(key, ZERO.value) + exponent
    found = [_raised(base, e) for (base, _), e in powers.items()]
    if factor == 0 or not found:
        return Constant(factor)
    whole: TargetTree = found[0] if len(found) == 1 else Product(tuple(found))
    return plus([(factor, whole)])


def _factors(part: TargetTree) -> list[tuple[fmpq, TargetTree | None]]:
    match part:
        case Constant(value=x):
            return [(x, None)]
        case Linear(constant=constant, terms=((c, t),)) if constant == 0:
            return [(c, None), *_factors(t)]
        case Product(factors=factors):
            return [(fmpq(1), f) for f in factors]
        case _:
            return [(fmpq(1), part)]


def _as_power(t: TargetTree) -> tuple[TargetTree, fmpq]:
    """Integer powers only: roots are not multiplied together."""
    if isinstance(t, Apply) and t.function.exponent is not None and t.function.exponent.q == 1:
        return t.argument, t.function.exponent
    return t, fmpq(1)


def _raised(base: TargetTree, exponent: fmpq) -> TargetTree:
    return base if exponent == 1 else Apply(power(exponent), base)


def raised(base: TargetTree, exponent: fmpq) -> TargetTree:
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    if isinstance(base, Linear) and base.constant == 0 and len(base.terms) == 1 and exponent.q == 1:
        (c, t), = base.terms
        return times([Constant(c ** int(exponent.p)), raised(t, exponent)])
    return applied(power(exponent), base)


def applied(function: Function, argument: TargetTree) -> TargetTree:
    if isinstance(argument, Constant):
        value = function.exact(argument.value)
        if value is not None:
            return Constant(value)
    return Apply(function, argument)


def extremum(sign: int, parts: Iterable[TargetTree]) -> TargetTree:
    kept: dict[TargetTree, None] = {}
    constants: list[fmpq] = []
    for part in parts:
        for p in part.parts if isinstance(part, MaxOrMin) and part.sign == sign else (part,):
            if isinstance(p, Constant):
                constants.append(p.value)
            else:
                kept[p] = None
    if constants:
        kept[Constant(max(constants) if sign > 0 else min(constants))] = None
    return next(iter(kept)) if len(kept) == 1 else MaxOrMin(sign, tuple(kept))


# --- from what was parsed ---------------------------------------------------------------------------------------------

class _Expansion:
    def __init__(self, parser: DeclaredParser, blocks: Mapping[str, int], values: Given) -> None:
        self.fail = parser.fail
        self.sizes = {**{name: len(v) for name, v in values.items() if isinstance(v, Sequence)}, **blocks}
        starts, total = {}, 0
        for name, size in blocks.items():
            starts[name] = total
            total += size
        self.starts, self.values = starts, values
        self.at: int | None = None                  # which coordinate a block stands for
        self.indices: dict[str, int] = {}           # of sums
        self.nodes = 0

    def written(self, node: Node) -> int:
        """About how many nodes there are once sums over blocks and over indices are written out."""
        inside = 1 + sum(map(self.written, node.parts))
        name = str(node.value) if node.kind == "call" else ""
        if len(node.parts) == 1 and name in OVER_BLOCKS:
            return inside * max((self.sizes.get(x, 1) for x in names_in(node)), default=1)
        if name == "sum" and all(p.kind == "number" for p in node.parts[2:]):
            low, high = (self._number(p) for p in node.parts[2:])
            assert isinstance(low, Constant)
            assert isinstance(high, Constant)
            return inside * max(1, int((high.value - low.value).p) // int((high.value - low.value).q))
        return inside

    def tree(self, node: Node) -> TargetTree:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.fail(node.column, TOO_LARGE)
        try:
            return self._tree(node)
        except (Undecided, ZeroDivisionError):
            self.fail(node.column, "this is not defined")

    def _tree(self, node: Node) -> TargetTree:
        parts = node.parts
        match node.kind:
            case "number":
                return self._number(node)
            case "name":
                return self._name(node, str(node.value))
            case "group":
                return self.tree(parts[0])
            case "negative":
                return plus([(fmpq(-1), self.tree(parts[0]))])
            case "sum":
                return plus((fmpq(1), self.tree(p)) for p in parts)
            case "product":
                return times(self._inverse(p, self.tree(p)) if below else self.tree(p)
                             for p, below in zip(parts, node.inverted, strict=True))
            case "power":
                return self._power(node, self.tree(parts[0]), self.tree(parts[1]))
        return self._call(node, str(node.value))

    def _number(self, node: Node) -> TargetTree:
        try:
            return Constant(_rational(decimal(str(node.value))))
        except OverflowError:
            return self.fail(node.column, "the number is too large or too small")

    def _inverse(self, node: Node, t: TargetTree) -> TargetTree:
        if t == ZERO:
            self.fail(node.column, "this divides by zero")
        return raised(t, fmpq(-1))

    def _name(self, node: Node, name: str) -> TargetTree:
        if name in self.indices:
            return Constant(fmpq(self.indices[name]))
        if name in self.sizes:
            return self._coordinate(node, name, self._position(node, name))
        if name in self.values:
            value = self.values[name]
            assert not isinstance(value, Sequence)
            return Constant(_rational(value))
        match = _COORDINATE.fullmatch(name)
        if match and match[1] in self.sizes and len(match[2]) < 10 and int(match[2]) <= self.sizes[match[1]]:
            return self._coordinate(node, match[1], int(match[2]) - 1)
        if name in ("pi", "e"):
            return Special(name)
        known = ", ".join(sorted({*self.sizes, *self.values})) or "nothing"
        return self.fail(node.column, f"{name} is neither an input nor a parameter with a value", f"What is known: {known}.")

    def _position(self, node: Node, name: str) -> int:
        if self.sizes[name] == 1:
            return 0
        if self.at is None:
            self.fail(node.column, f"{name} has {self.sizes[name]} coordinates: it stands only in the one argument of "
                      f"{', '.join(OVER_BLOCKS)}")
        return self.at

    def _coordinate(self, node: Node, name: str, position: int) -> TargetTree:
        if name in self.starts:
            return Coordinate(self.starts[name] + position)
        value = self.values[name]
        assert isinstance(value, Sequence)
        return Constant(_rational(value[position]))

    def _power(self, node: Node, base: TargetTree, exponent: TargetTree) -> TargetTree:
        if base == Special("e"):
            return applied(FUNCTIONS["exp"], exponent)
        if isinstance(exponent, Constant):
            if max(abs(int(exponent.value.p)), int(exponent.value.q)) > MAX_DEGREE:
                self.fail(node.column, f"the exponent is above {MAX_DEGREE}", "Use smaller exponents.")
            return raised(base, exponent.value)
        return applied(FUNCTIONS["exp"], times([exponent, applied(FUNCTIONS["log"], base)]))

    def _call(self, node: Node, name: str) -> TargetTree:
        if len(node.parts) == 1 and name in OVER_BLOCKS:
            return self._over_block(node, name)
        if name == "sum":
            return self._series(node)
        parts = [self.tree(p) for p in node.parts]
        if name in ("max", "min"):
            return extremum(1 if name == "max" else -1, parts)
        if name == "relu":
            return extremum(1, (*parts, ZERO))
        if name == "sqrt":
            return raised(parts[0], fmpq(1, 2))
        return applied(FUNCTIONS[name], parts[0])

    def _over_block(self, node: Node, name: str) -> TargetTree:
        argument = node.parts[0]
        used = {x: self.sizes[x] for x in names_in(argument) if x in self.sizes and x not in self.indices}
        if not used and name in ("sum", "product"):
            self.fail(node.column, f"the argument of {name} names no block and no list")
        sizes = {s for s in used.values() if s != 1} or {1}
        if len(sizes) > 1:
            several = ", ".join(f"{x} has {s}" for x, s in sorted(used.items()))
            self.fail(node.column, f"the blocks in {name} have different numbers of coordinates ({several})")
        outer, terms = self.at, []
        for k in range(sizes.pop()):
            self.at = k
            terms.append(self.tree(argument))
        self.at = outer
        fold: dict[str, Callable[[list[TargetTree]], TargetTree]] = {
            "max": lambda t: extremum(1, t), "min": lambda t: extremum(-1, t), "product": times,
            "sum": lambda t: plus((fmpq(1), x) for x in t)}
        return fold[name](terms)

    def _series(self, node: Node) -> TargetTree:
        index = node.parts[1]
        low, high = (self.tree(p) for p in node.parts[2:])
        if index.kind != "name" or str(index.value) in {*self.sizes, *self.values, *ARITY}:
            self.fail(index.column, "the second argument of sum must be a new name for its index")
        if not isinstance(low, Constant) or not isinstance(high, Constant) or low.value.q != 1 or high.value.q != 1:
            self.fail(node.column, "the bounds of sum must be integers")
        if not low.value - 1 <= high.value <= low.value + MAX_NODES:
            self.fail(node.column, "the bounds of sum are not in order, or too far apart")
        letter, outer, terms = str(index.value), self.indices, []
        for k in range(int(low.value.p), int(high.value.p) + 1):
            self.indices = {**outer, letter: k}
            terms.append(self.tree(node.parts[0]))
        self.indices = outer
        return plus((fmpq(1), t) for t in terms)


def _rational(x: Fraction | int) -> fmpq:
    return fmpq(x.numerator, x.denominator)


# --- facts of a tree --------------------------------------------------------------------------------------------------

def occurrences(tree: TargetTree) -> dict[int, int]:
    """How often each coordinate stands in the tree."""
    found: dict[int, int] = {}
    todo = [tree]
    while todo:
        t = todo.pop()
        if isinstance(t, Coordinate):
            found[t.index] = found.get(t.index, 0) + 1
        todo += parts_of(t)
    return found


def parts_of(tree: TargetTree) -> tuple[TargetTree, ...]:
    match tree:
        case Linear(terms=terms):
            return tuple(t for _, t in terms)
        case Product(factors=parts) | MaxOrMin(parts=parts):
            return parts
        case Apply(argument=argument):
            return (argument,)
        case _:
            return ()


def affine_of(tree: TargetTree) -> tuple[fmpq, dict[int, fmpq]] | None:
    """(constant, coefficients) of an affine tree."""
    match tree:
        case Constant(value=x):
            return x, {}
        case Coordinate(index=k):
            return ZERO.value, {k: fmpq(1)}
        case Linear(constant=constant, terms=terms):
            if all(isinstance(t, Coordinate) for _, t in terms):
                return constant, {t.index: c for c, t in terms if isinstance(t, Coordinate)}
    return None


def polynomial_of(tree: TargetTree, degree: int) -> Polynomial | None:
    """Coefficients by monomials (sorted tuples of coordinates) if the tree is a polynomial of at most that degree."""
    match tree:
        case Constant(value=x):
            return {(): x} if x != 0 else {}
        case Coordinate(index=k):
            return {(k,): fmpq(1)}
        case Linear(constant=constant, terms=terms):
            total: Polynomial = {(): constant}
            for c, t in terms:
                part = polynomial_of(t, degree)
                if part is None:
                    return None
                for monomial, x in part.items():
                    total[monomial] = total.get(monomial, ZERO.value) + c * x
            return {k: x for k, x in total.items() if x != 0}
        case Product(factors=factors):
            return _multiplied([polynomial_of(f, degree) for f in factors], degree)
        case Apply(argument=argument):
            base, exponent = _as_power(tree)
            if base is argument and 0 < exponent <= degree:
                return _multiplied([polynomial_of(argument, degree)] * int(exponent.p), degree)
    return None


def _multiplied(parts: list[Polynomial | None], degree: int) -> Polynomial | None:
    def two(p: Polynomial | None, q: Polynomial | None) -> Polynomial | None:
        if p is None or q is None or len(p) * len(q) > MAX_NODES:
            return None
        found: Polynomial = {}
        for j, x in p.items():
            for k, y in q.items():
                key = tuple(sorted((*j, *k)))
                if len(key) > degree:
                    return None
                found[key] = found.get(key, ZERO.value) + x * y
        return {k: x for k, x in found.items() if x != 0}
    return reduce(two, parts)
