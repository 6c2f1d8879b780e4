"""The composition theorem (rule R11 of docs/rules.md): errors of the parts of a plan, pushed forward once.

Exact values are v_i = f_i(u_i), u_i affine in inputs and earlier values; the network has ṽ_i = N_i(ũ_i). Sources are the
inputs (error in ±δ) and the parts (own error N_i − f_i, on the box where perturbed arguments can be). The error of every
value is Σ g_s·r_s over the sources s, for some r_s in their intervals and some g in the convex hull of a few vectors whose
entries are intervals. Affine maps act on these; a part multiplies by slopes of its target between exact and perturbed
arguments and adds a source of its own. Paths are added before absolute values are taken. All numbers are rational.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from ..errors import NotDerivable
from ..formulas.target import AnyTarget, Ends

NIL = Fraction(0)
MOST = 64                                   # vectors that are kept apart
LONG, DIGITS = 10 ** 12, 10 ** 9            # denominators of slopes that are kept as they are; what is kept of others
Span = tuple[Fraction, Fraction]
Vector = Mapping[str, Span]                 # source → coefficient


@dataclass(frozen=True)
class Signal:
    """A number of the plan: where it is exactly, and its error as vectors whose hull contains the coefficients."""

    exact: Span
    error: tuple[Vector, ...] = ({},)


@dataclass(frozen=True)
class AffineForm:
    """constant + Σ coefficient·name."""

    constant: Fraction
    terms: tuple[tuple[str, Fraction], ...]


class Pass:
    """One pass over a plan; `own` grows with it: where the own error of every source lies."""

    def __init__(self, inputs: Mapping[str, Span], delta: Fraction = NIL) -> None:
        self.own: dict[str, Span] = dict.fromkeys(inputs, (-delta, delta)) if delta else {}
        self.signals: dict[str, Signal] = {
            name: Signal(ends, ({name: (Fraction(1), Fraction(1))},) if delta else ({},)) for name, ends in inputs.items()}

    def affine(self, form: AffineForm) -> Signal:
        low = high = form.constant
        vectors: tuple[Vector, ...] = ({},)
        for name, c in form.terms:
            signal = self.signals[name]
            a, b = times(signal.exact, (c, c))
            low, high = low + a, high + b
            vectors = sums(vectors, [scaled(v, (c, c)) for v in signal.error])
        return Signal((low, high), vectors)

    def error(self, signal: Signal) -> Span:
        """Where the error of a number lies."""
        found = [self.along(v) for v in signal.error]
        return min(a for a, _ in found), max(b for _, b in found)

    def along(self, vector: Vector) -> Span:
        low = high = NIL
        for source, c in vector.items():
            a, b = times(c, self.own[source])
            low, high = low + a, high + b
        return low, high

    def perturbed(self, signal: Signal) -> Span:
        low, high = self.error(signal)
        return signal.exact[0] + low, signal.exact[1] + high

    def apply(self, name: str, target: AnyTarget, arguments: Sequence[Signal], box: Sequence[Span], own: Span) -> Signal:
        """A part whose network keeps within `own` of its target on the box, which must contain the perturbed arguments."""
        for a, b in zip(arguments, box, strict=True):
            if not inside(self.perturbed(a), b):
                raise NotDerivable("R11", f"the part {name}", "its arguments can leave the box for which it was made")
        exact = [a.exact for a in arguments]
        low, high = target.image(exact)
        if low is None or high is None:
            raise NotDerivable("R11", f"the part {name}", "its range is not bounded")
        vectors: list[Vector] = []
        if any(v for a in arguments for v in a.error):
            for slope in target.slopes(exact, list(box)):
                vectors += self._through(name, arguments, slope)
        else:
            vectors.append({})
        if own != (NIL, NIL):
            self.own[name] = own
            vectors = [{**v, name: (Fraction(1), Fraction(1))} for v in vectors]
        self.signals[name] = Signal((low, high), distinct(vectors))
        return self.signals[name]

    def _through(self, name: str, arguments: Sequence[Signal], slope: Sequence[Ends]) -> tuple[Vector, ...]:
        found: tuple[Vector, ...] = ({},)
        for argument, (a, b) in zip(arguments, slope, strict=True):
            if not any(argument.error):
                continue
            if a is None or b is None:
                raise NotDerivable("R11", f"the part {name}", "the slope of its target is not bounded")
            found = sums(found, [scaled(v, (_short(a, -1), _short(b, 1))) for v in argument.error])
        return found


def _short(x: Fraction, side: int) -> Fraction:
    """A slope that is not short, such as that of e^x, is rounded outwards: formulas have it as a number."""
    if x.denominator <= LONG or not x:
        return x
    scale = Fraction(1)
    while abs(x) * scale < DIGITS:
        scale *= 10
    return (-(-x * scale // 1) if side > 0 else x * scale // 1) / scale


def gains(signals: Iterable[Signal]) -> dict[str, Fraction]:
    """The largest |coefficient| of every source."""
    found: dict[str, Fraction] = {}
    for signal in signals:
        for v in signal.error:
            for source, (a, b) in v.items():
                found[source] = max(found.get(source, NIL), abs(a), abs(b))
    return found


def times(a: Span, b: Span) -> Span:
    ends = [x * y for x, y in product(a, b)]
    return min(ends), max(ends)


def inside(a: Span, b: Span) -> bool:
    return b[0] <= a[0] and a[1] <= b[1]


def scaled(v: Vector, factor: Span) -> Vector:
    found = {source: times(c, factor) for source, c in v.items()}
    return {source: c for source, c in found.items() if c != (NIL, NIL)}


def sums(first: Sequence[Vector], second: Sequence[Vector]) -> tuple[Vector, ...]:
    if len(first) * len(second) > MOST:
        first, second = ((hull(v),) if len(v) > 1 else v for v in (first, second))
    found = []
    for v, w in product(first, second):
        both = dict(v)
        for source, (a, b) in w.items():
            c, d = both.get(source, (NIL, NIL))
            both[source] = a + c, b + d
        found.append({source: c for source, c in both.items() if c != (NIL, NIL)})
    return distinct(found)


def hull(vectors: Sequence[Vector]) -> Vector:
    names = dict.fromkeys(source for v in vectors for source in v)
    return {s: (min(v.get(s, (NIL, NIL))[0] for v in vectors), max(v.get(s, (NIL, NIL))[1] for v in vectors)) for s in names}


def distinct(vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    """Without those that others contain."""
    kept: list[Vector] = []
    for v in {tuple(sorted(v.items())): v for v in vectors}.values():
        if not any(_within(v, w) for w in kept):
            kept = [w for w in kept if not _within(w, v)]
            kept.append(v)
    return tuple(kept) if len(kept) <= MOST else (hull(kept),)


def _within(v: Vector, w: Vector) -> bool:
    return all(inside(v.get(s, (NIL, NIL)), w.get(s, (NIL, NIL))) for s in {*v, *w})
