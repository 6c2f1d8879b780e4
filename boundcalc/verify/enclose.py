"""Evaluate a network in ball arithmetic: what comes out contains the true value, at a point or over a whole box.

The program of a network is walked atom by atom. Over a box every atom is bounded where it is monotone, at the ends, and
gradients come along if they are wanted (for mean values). Non-finite results raise Undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate

from flint import arb, fmpq

from ..formulas.enclosure import Undecided
from ..networks.network import Network
from .balls import exact, precision, rational
from .forms import RationalForm, Value
from .patience import check_time
from .program import Atom, Boltzmann, Exponent, Grid, Mean, Program, Rectified, SiluHead, Tilted, program_of
from .windowed import Window, steepness

LARGEST_PRECISION = 1 << 16
ZERO, ONE = arb(0), arb(1)


@dataclass(frozen=True)
class Ball:
    """A value and, if wanted, its partial derivatives by the inputs (a box of generalised ones at kinks)."""

    value: arb
    gradient: tuple[arb, ...] = ()


def enclose(network: Network | Program, point: Sequence[Fraction | tuple[Fraction, Fraction]],
            digits: int = 50) -> list[arb]:
    """Balls around the outputs at a point, of radius at most 10^(−digits)·max(1, |y|); intervals as coordinates are
    evaluated once, as they are."""
    program = network if isinstance(network, Program) else program_of(network)
    wide = any(isinstance(x, tuple) for x in point)
    tolerance = arb(fmpq(1, 10**digits))
    bits = digits * 3322 // 1000 + 32
    while bits <= LARGEST_PRECISION:
        with precision(bits):
            try:
                found = [b.value for b in evaluate(program, [_ball(x) for x in point])]
                if wide or all(y.rad() <= tolerance * abs(y).upper().max(ONE) for y in found):
                    return found
            except Undecided:
                if wide:
                    raise
        bits *= 2
    raise Undecided(f"The network does not come out to {digits} digits.", "Ask for fewer digits.")


def _ball(x: Fraction | tuple[Fraction, Fraction]) -> arb:
    if isinstance(x, tuple):
        return arb(rational(x[0])).union(arb(rational(x[1])))
    return arb(rational(x))


def evaluate(program: Program, box: Sequence[arb], gradients: bool = False) -> list[Ball]:
    """The outputs over a box of inputs."""
    n = len(box)
    unit = [tuple(ONE if i == k else ZERO for i in range(n)) if gradients else () for k in range(n)]
    values = [Ball(x, g) for x, g in zip(box, unit, strict=True)]
    walk = _Walk(values, n if gradients else 0)
    for atom in program.atoms:
        check_time()
        values.append(walk.atom(atom))
    return [finite(walk.form(y)) for y in program.outputs]


def finite(x: Ball) -> Ball:
    if not (x.value.is_finite() and all(g.is_finite() for g in x.gradient)):
        raise Undecided("The enclosure of a value is not finite.")
    return x


def ends(x: arb) -> tuple[arb, arb]:
    return x.lower(), x.upper()


class _Walk:
    def __init__(self, values: list[Ball], variables: int) -> None:
        self.values, self.variables = values, variables

    def form(self, x: Value) -> Ball:
        if not isinstance(x, RationalForm):
            return Ball(arb(x), (ZERO,) * self.variables)
        total = arb(x.constant)
        for k, c in x.terms.items():
            total += c * self.values[k].value
        gradient = tuple(sum((c * self.values[k].gradient[i] for k, c in x.terms.items()), ZERO)
                         for i in range(self.variables))
        return Ball(total, gradient)

    def atom(self, atom: Atom) -> Ball:
        match atom:
            case Rectified(z=z):
                return self._chain(self.form(z), *_rectified(self.form(z).value))
            case SiluHead(z=z, beta=beta):
                inner = self.form(z)
                return self._chain(inner, silu(inner.value, beta), silu_slope(inner.value, beta) if self.variables else ZERO)
            case Grid(t=t):
                inner = self.form(t)
                return self._chain(inner, *_grid(inner.value, atom.windows.now(), bool(self.variables)))
            case Tilted(s=s, y=y):
                return self._tilted(self.form(s), self.form(y))
            case Boltzmann(scores=scores, beta=beta):
                own = [self.form(s) for s in scores]
                hot = [Ball(beta * b.value, tuple(beta * g for g in b.gradient)) for b in own]
                return self._mean(hot, own, [1] * len(own))
            case Mean(exponents=exponents, values=values, counts=counts):
                return self._mean([self._exponent(x) for x in exponents], [self.form(v) for v in values], counts)

    def _chain(self, inner: Ball, value: arb, slope: arb) -> Ball:
        return Ball(value, tuple(slope * g for g in inner.gradient))

    def _tilted(self, s: Ball, y: Ball) -> Ball:
        low, high = ends(s.value)
        tanh = low.tanh().union(high.tanh())
        slope = 1 - tanh * tanh
        return Ball(y.value * tanh, tuple(tanh * gy + y.value * slope * gs
                                          for gy, gs in zip(y.gradient, s.gradient, strict=True)))

    def _exponent(self, x: Exponent) -> Ball:
        total = self.form(x.form)
        for left, right in x.products:
            a, b = self.form(left), self.form(right)
            total = Ball(total.value + a.value * b.value,
                         tuple(g + a.value * gb + b.value * ga
                               for g, ga, gb in zip(total.gradient, a.gradient, b.gradient, strict=True)))
        return total

    def _mean(self, exponents: Sequence[Ball], values: Sequence[Ball], counts: Sequence[int]) -> Ball:
        """Weights lie between their values at the ends of the exponents; relative to the middle of the values, since
        they add up to one. Gradient: Σ w(v' + (v − mean)(x' − mean of x'))."""
        top = reduce(arb.max, (x.value.upper() for x in exponents))
        low = [n * (x.value.lower() - top).exp() for x, n in zip(exponents, counts, strict=True)]
        high = [n * (x.value.upper() - top).exp() for x, n in zip(exponents, counts, strict=True)]
        weights = [(a / (a + more)).union(b / (b + less))
                   for a, b, less, more in zip(low, high, _others(low), _others(high), strict=True)]
        middle = values[0].value.mid()
        mean = sum((w * (v.value - middle) for w, v in zip(weights, values, strict=True)), ZERO) + middle
        hull = reduce(arb.union, (v.value for v in values))
        mean = _meet(mean, hull)
        gradient = []
        for i in range(self.variables):
            moved = sum((w * x.gradient[i] for w, x in zip(weights, exponents, strict=True)), ZERO)
            gradient.append(sum((w * (v.gradient[i] + (v.value - mean) * (x.gradient[i] - moved))
                                 for w, v, x in zip(weights, values, exponents, strict=True)), ZERO))
        return Ball(mean, tuple(gradient))


def _others(values: Sequence[arb]) -> list[arb]:
    """For every value the sum of all others, without subtracting anything."""
    before = list(accumulate(values, initial=ZERO))
    after = list(accumulate(reversed(values), initial=ZERO))[::-1]
    return [b + a for b, a in zip(before[:-1], after[1:], strict=True)]


def _meet(x: arb, y: arb) -> arb:
    """What two enclosures of one number have in common."""
    try:
        return x.intersection(y)
    except ValueError as empty:
        raise Undecided("Two enclosures of one value do not meet.") from empty


def _rectified(z: arb) -> tuple[arb, arb]:
    low, high = ends(z)
    if low >= 0:
        return z, ONE
    if high <= 0:
        return ZERO, ZERO
    return ZERO.union(high), ZERO.union(ONE)


# --- silu, anchors: monotone pieces at their ends ---------------------------------------------------------------------

def sigma(x: arb) -> arb:
    """1/(1 + e^(−x)), without overflow."""
    return 1 / (1 + (-x).exp()) if x <= 0 else 1 - 1 / (1 + x.exp())


def gap(z: arb, beta: fmpq) -> arb:
    """max(z, 0) − silu = |z|/(1 + e^(β|z|)) over a ball: the numerator rises with |z|, the rest falls."""
    low, high = ends(abs(z))
    if not low > 0:
        low = ZERO
    least, most = low / (1 + (beta * high).exp()), high / (1 + (beta * low).exp())
    return least.union(most)


def silu(z: arb, beta: fmpq) -> arb:
    value, _ = _rectified(z)
    return value - gap(z, beta)


def silu_slope(z: arb, beta: fmpq) -> arb:
    """σ(x)(1 + x(1 − σ(x))), x = βz; it lies in [−0.1, 1.1] everywhere (S6 has the exact ends)."""
    low, high = ends(beta * z)
    s = sigma(low).union(sigma(high))
    rest = sigma(-high).union(sigma(-low))
    return _meet(s * (1 + beta * z * rest), arb(fmpq(1, 2), fmpq(6, 10)))


def _grid(t: arb, head: Window, slope: bool) -> tuple[arb, arb]:
    """F rises, so its values at the ends of t are its range; its slope is 2κ times the variance of the anchor."""
    low, high = (exact(x) for x in ends(t))
    m, first = head.at(low)
    if low == high:
        value = m + first
    else:
        n, last = head.at(high)
        value = (m + first).union(n + last)
    return value, steepness(head, low, high) if slope else ZERO
