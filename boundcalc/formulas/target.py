"""The function that a network is to compute: one expression, from which everything else about it follows.

`Target.of("min(max(sum(w*x) + t, a), b)", {"x": 2}, {"w": (1, -2), "t": 0, "a": -1, "b": 1})` clips a combination of two
inputs. A target that no expression can say is any object with these methods: see `AnyTarget`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Protocol, TypeAlias, TypeVar

import sympy as sp
from flint import arb, fmpq

from ..numbers.arithmetic import TooLong, as_fraction, working_precision
from ..numbers.exact import Shift, each
from . import slopes as spans
from .build import Node, build_expression
from .enclosure import Undecided, arb_bounds
from .functions import BITS, LINE, ZERO, Span, outwards, sign_of_ball
from .jets import jet, value_over
from .notation import OVER_A_BLOCK, to_latex, to_unicode
from .piecewise import Piecewise
from .shapes import Shape, kinks_of, shape_of
from .target_tree import (
    OVER_BLOCKS,
    Apply,
    Constant,
    Coordinate,
    Given,
    Linear,
    MaxOrMin,
    Product,
    TargetTree,
    declared,
    extremum,
    names_in,
    occurrences,
    parts_of,
    plus,
    tree_of,
)

PIECES = {1: 32, 2: 8}      # into how many parts a box is cut along each input, where an input stands in several places
MOST_DIGITS = 100_000
HALVINGS = 9                # of an interval, until the sign of a second derivative is seen

Ends: TypeAlias = tuple[Fraction | None, Fraction | None]          # None is infinite
Point = TypeVar("Point")


class AnyTarget(Protocol):
    """What may be asked of a target. Boxes for balls are lists of balls; others are pairs of rational ends."""

    @property
    def inputs(self) -> int: ...
    @property
    def again(self) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def unicode(self) -> str: ...
    @property
    def latex(self) -> str: ...
    @property
    def shape(self) -> Shape: ...
    @property
    def kinks(self) -> tuple[fmpq, ...]:
        """Of one input: places where it may not be differentiable, as far as they are known."""
    def exact(self, point: Sequence[Fraction]) -> Fraction | None:
        """The value, None where it is not known to be rational; Undecided where it is not defined."""
    def at(self, point: Sequence[fmpq]) -> fmpq | arb:
        """The value, as a ball at the working precision where it is not known to be rational."""
    def near(self, point: Sequence[Fraction], digits: int) -> Fraction:
        """The value where it is rational, else a rational within 10^(−digits) of it."""
    def over(self, box: Sequence[arb]) -> arb: ...
    def gradient(self, box: Sequence[arb]) -> list[arb]: ...
    def second(self, box: Sequence[arb]) -> arb:
        """Of one input; Undecided where there is a kink."""
    def bend(self, low: Fraction, high: Fraction) -> int:
        """Of one input, where it is continuous: +1 convex on the interval, −1 concave, 0 neither or not known."""
    def image(self, box: Sequence[Ends]) -> Ends: ...
    def slopes(self, exact: Sequence[Ends], perturbed: Sequence[Ends]) -> list[tuple[Ends, ...]]:
        """Vectors such that for u in the exact box and v in the perturbed one some s in their convex hull has
        f(v) − f(u) = Σ s_j·(v_j − u_j)."""
    def modulus(self, box: Sequence[Ends], shift: Shift) -> Fraction | None:
        """A bound of |f(v) − f(u)| for u in the box and v within the shift of it, input by input; None if there is none."""


@dataclass(frozen=True)
class Target:
    """A target as a tree. `inputs` are counted by the declaration: an input that the text does not mention is still one."""

    text: str
    tree: TargetTree
    inputs: int
    names: tuple[str, ...]          # of blocks and lists, which are written as they stand
    again: bool = False             # whether it has the inputs of the target before it, as a further output

    @staticmethod
    def of(text: str, blocks: Mapping[str, int], values: Given | None = None) -> Target:
        """InvalidInput, with the column, if the text says no target of these inputs and parameters."""
        known = values or {}
        names = (*blocks, *(name for name, v in known.items() if isinstance(v, Sequence)))
        return Target(text, tree_of(text, blocks, known), sum(blocks.values()), names)

    # --- values ---

    def exact(self, point: Sequence[Fraction]) -> Fraction | None:
        value = _exactly(self.tree, [fmpq(x.numerator, x.denominator) for x in point])
        return None if value is None else as_fraction(value)

    def at(self, point: Sequence[fmpq]) -> fmpq | arb:
        value = _exactly(self.tree, point)
        return value if value is not None else value_over(self.tree, [arb(x) for x in point])

    def near(self, point: Sequence[Fraction], digits: int) -> Fraction:
        exact = self.exact(point)
        if exact is not None:
            return exact
        bits = digits * 4 + 64
        while bits < 8 * MOST_DIGITS:
            with working_precision(bits):
                low, high = arb_bounds(value_over(self.tree, [arb(fmpq(x.numerator, x.denominator)) for x in point]))
            if (high - low) * 10 ** digits <= 1:
                return (low + high) / 2
            bits *= 2
        raise Undecided(f"The target does not come out to {digits} digits.")

    def over(self, box: Sequence[arb]) -> arb:
        return value_over(self.tree, box)

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        found = jet(self.tree, box, 1).gradient
        if self.inputs == 1 and found and self._repeats:
            return [self._slope(box[0], found[0])]
        return [found.get(k, ZERO) for k in range(self.inputs)]

    def _slope(self, x: arb, natural: arb) -> arb:
        """Where the second derivative has one sign the slope is between those at the ends: log(1 + e^x) mentions x once,
        but its parts grow apart."""
        try:
            bent = sign_of_ball(self.second([x]))
        except Undecided:
            bent = 0
        if not bent:
            return natural
        ends = [jet(self.tree, [e], 1).gradient[0] for e in (x.lower(), x.upper())]
        return ends[0].union(ends[1])

    def second(self, box: Sequence[arb]) -> arb:
        if self.inputs != 1:
            raise ValueError("the second derivative is that of a function of one input")
        return jet(self.tree, box, 2).second

    def bend(self, low: Fraction, high: Fraction) -> int:
        ends = fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator)
        match self.tree:
            case Apply(function=f, argument=Coordinate()):          # √x at 0 has no second derivative, but bends one way
                return f.bend(ends)
        try:
            return sign_of_ball(self.second([arb(ends[0]).union(arb(ends[1]))]))
        except Undecided:
            return 0

    # --- boxes with rational ends ---

    def image(self, box: Sequence[Ends]) -> Ends:
        return _fractions(self._image([_rationals(e) for e in box]))

    def _image(self, box: Sequence[Span]) -> Span:
        whole = spans.image(self.tree, box)
        pieces = PIECES.get(self.inputs)
        if pieces is None or not self._repeats or any(None in e for e in box):
            return whole
        cuts = [[low + (high - low) * fmpq(k, pieces) for k in range(pieces + 1)]       # type: ignore[operator]
                for low, high in box]
        return spans.meet(whole, spans.hull(self._on_piece(piece) for piece in product(*map(pairwise, cuts))))

    def _on_piece(self, piece: Sequence[Span]) -> Span:
        natural = spans.image(self.tree, piece)
        if self.inputs != 1:
            return natural
        u, v = piece[0]
        assert u is not None
        assert v is not None
        with working_precision(BITS):
            try:
                slope, = self.gradient([arb(u).union(arb(v))])
            except Undecided:
                return natural
        if not sign_of_ball(slope):
            return natural
        return spans.meet(natural, spans.hull(spans.image(self.tree, [(x, x)]) for x in (u, v)))

    def slopes(self, exact: Sequence[Ends], perturbed: Sequence[Ends]) -> list[tuple[Ends, ...]]:
        return [tuple(_fractions(v.get(k, (fmpq(0), fmpq(0)))) for k in range(self.inputs))
                for v in self._vectors([_rationals(e) for e in exact], [_rationals(e) for e in perturbed])]

    def _vectors(self, exact: Sequence[Span], perturbed: Sequence[Span]) -> Sequence[spans.Vector]:
        vectors = spans.slopes(self.tree, exact, perturbed).vectors
        if self.inputs != 1 or not any(vectors) or not self._repeats:
            return vectors
        natural = spans.hull(v.get(0, (fmpq(0), fmpq(0))) for v in vectors)
        return ({0: spans.meet(natural, self._divided_difference(exact[0], perturbed[0]))},)

    def _divided_difference(self, exact: Span, perturbed: Span) -> Span:
        """Of a function whose second derivative has one sign: at the ends."""
        low, high = spans.hull((exact, perturbed))
        if low is None or high is None:
            return LINE
        with working_precision(BITS):
            try:
                bent = self._bend(low, high, HALVINGS)
                if not bent:
                    return LINE
                left, right = (self._quotient(u, v) for u, v in zip(exact, perturbed, strict=True))
            except (Undecided, TooLong):
                return LINE
        return (left[0], right[1]) if bent > 0 else (right[0], left[1])

    def _bend(self, low: fmpq, high: fmpq, halvings: int) -> int:
        """+1 convex, −1 concave, 0 neither or not known."""
        bent = sign_of_ball(self.second([arb(low).union(arb(high))]))
        if bent or not halvings:
            return bent
        middle = (low + high) / 2
        first = self._bend(low, middle, halvings - 1)
        return first if first and first == self._bend(middle, high, halvings - 1) else 0

    def _quotient(self, u: fmpq | None, v: fmpq | None) -> Span:
        if u is None or v is None:
            return LINE
        if u == v:
            return outwards(lambda: self.gradient([arb(u)])[0])
        return outwards(lambda: (self.at([v]) - self.at([u])) / arb(v - u))

    def modulus(self, box: Sequence[Ends], shift: Shift) -> Fraction | None:
        moved = [(None if a is None else a - s, None if b is None else b + s)
                 for (a, b), s in zip(box, each(shift, len(box)), strict=True)]
        return modulus_of(self.slopes(box, moved), shift)

    # --- what it is ---

    @cached_property
    def _repeats(self) -> bool:
        """Whether interval walks lose something: an input stands in several places, or several functions stand around it."""
        return any(n > 1 for n in occurrences(self.tree).values()) or _depth(self.tree) > 1

    @cached_property
    def kinks(self) -> tuple[fmpq, ...]:
        return tuple(sorted(kinks_of(self.tree))) if self.inputs == 1 else ()

    @cached_property
    def shape(self) -> Shape:
        return shape_of(self.tree, self.inputs)

    @property
    def unicode(self) -> str:
        return to_unicode(written(self.text, self.names))

    @property
    def latex(self) -> str:
        return to_latex(written(self.text, self.names))


def target_of(f: Piecewise) -> Target:
    """A piecewise linear function of one input as a target."""
    x = Coordinate(0)
    parts = [(f.slope, x), *((c, extremum(1, (plus([(fmpq(1), x)], -k), Constant(fmpq(0))))) for k, c in f.hinges)]
    text = " + ".join([str(f.constant), f"({f.slope})*x", *(f"({c})*relu(x - ({k}))" for k, c in f.hinges)])
    return Target(text, plus(parts, f.constant), 1, ("x",))


def parted(targets: Sequence[AnyTarget], point: Sequence[Point]) -> Iterator[tuple[AnyTarget, Sequence[Point]]]:
    """Every target with its own inputs, one after the other; further outputs of one network have the same."""
    for target, start in zip(targets, starts(targets), strict=True):
        yield target, point[start:start + target.inputs]


def starts(targets: Sequence[AnyTarget]) -> list[int]:
    """Where the inputs of every target begin."""
    found, following = [], 0
    for target in targets:
        if not target.again:
            own, following = following, following + target.inputs
        found.append(own)
    return found


def near_values(targets: Sequence[AnyTarget], point: Sequence[Fraction], digits: int) -> list[tuple[Fraction, Fraction]]:
    """The values, and how far off each may be: nothing where it is rational, else 10^(−digits)."""
    found = zip(exact_values(targets, point), parted(targets, point), strict=True)
    return [(exact, Fraction(0)) if exact is not None else (target.near(own, digits), Fraction(1, 10 ** digits))
            for exact, (target, own) in found]


def exact_values(targets: Sequence[AnyTarget], point: Sequence[Fraction]) -> list[Fraction | None]:
    return [target.exact(own) for target, own in parted(targets, point)]


def modulus_of(vectors: Sequence[Sequence[Ends]], shift: Shift) -> Fraction | None:
    """Of a hull of slope vectors: the largest sum of absolute values, each times the shift of its input."""
    sums = []
    for vector in vectors:
        total = Fraction(0)
        for (low, high), s in zip(vector, each(shift, len(vector)), strict=True):
            if not s:
                continue
            if low is None or high is None:
                return None
            total += s * max(abs(low), abs(high))
        sums.append(total)
    return max(sums)


def written(text: str, names: Sequence[str]) -> sp.Expr:
    """The declared text as a sympy expression, blocks as they stand."""
    node, parser = declared(text)

    def shown(n: Node) -> Node:
        parts = [shown(p) for p in n.parts]
        if n.kind == "call" and n.value in OVER_BLOCKS and len(parts) == 1 and names_in(n.parts[0]) & set(names):
            return Node("value", n.column, value=OVER_A_BLOCK[str(n.value)](build_expression(parts[0], parser.fail)))
        return Node(n.kind, n.column, parts, n.value, list(n.inverted))
    return build_expression(shown(node), parser.fail)


def _rationals(ends: Ends) -> Span:
    low, high = (None if e is None else fmpq(e.numerator, e.denominator) for e in ends)
    return low, high


def _fractions(span: Span) -> Ends:
    low, high = (None if e is None else as_fraction(e) for e in span)
    return low, high


# --- walks ------------------------------------------------------------------------------------------------------------

def _exactly(tree: TargetTree, point: Sequence[fmpq]) -> fmpq | None:
    match tree:
        case Constant(value=x):
            return x
        case Coordinate(index=k):
            return point[k]
        case Linear(constant=constant, terms=terms):
            total = constant
            for c, t in terms:
                part = _exactly(t, point)
                if part is None:
                    return None
                total = total + c * part
            return total
        case Product(factors=factors):
            whole = fmpq(1)
            for f in factors:
                part = _exactly(f, point)
                if part is None:
                    return None
                whole = whole * part
            return whole
        case MaxOrMin(sign=sign, parts=parts):
            found = [_exactly(p, point) for p in parts]
            known = [x for x in found if x is not None]
            if len(known) < len(found):
                return _decided(sign, parts, found, point)
            return max(known) if sign > 0 else min(known)
        case Apply(function=f, argument=argument):
            inner = _exactly(argument, point)
            if inner is None:
                return None
            return f.exact(inner)
    return None


def _decided(sign: int, parts: Sequence[TargetTree], found: Sequence[fmpq | None], point: Sequence[fmpq]) -> fmpq | None:
    """The extremum where it is one of the rational parts, though others are irrational."""
    known = [x for x in found if x is not None]
    if not known:
        return None
    best = max(known) if sign > 0 else min(known)
    with working_precision(BITS):
        others = [value_over(p, [arb(x) for x in point]) for p, x in zip(parts, found, strict=True) if x is None]
        return best if all(o < best if sign > 0 else o > best for o in others) else None


def _depth(tree: TargetTree) -> int:
    """How many functions stand around an input."""
    inner = max((_depth(p) for p in parts_of(tree)), default=0)
    return inner + (isinstance(tree, Apply | Product) and bool(occurrences(tree)))
