"""Functions of one variable that a program computes: exact piecewise linear part plus deviations of kernels."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb, fmpq

from ..formulas.piecewise import Piecewise
from .forms import RationalForm, Value, constant_of, terms_of
from .kernels import Kernel, ReluKernel, SiluKernel, StairKernel, TanhKernel
from .program import Atom, Grid, Program, Rectified, SiluHead, Tilted

ZERO = fmpq(0)


@dataclass(frozen=True)
class Bend:
    """factor·kernel(rate·x + shift)."""

    factor: fmpq
    kernel: Kernel
    rate: fmpq
    shift: fmpq

    def ideal(self) -> Piecewise:
        """Its piecewise linear part: ρ(rate·x + shift − k) is |rate|·ρ(x − kink), plus rate·(x − kink) if rate < 0."""
        constant, slope = self.factor * self.kernel.constant, ZERO
        hinges: dict[fmpq, fmpq] = {}
        for k, c in self.kernel.hinges.items():
            kink = (k - self.shift) / self.rate
            hinges[kink] = hinges.get(kink, ZERO) + self.factor * c * abs(self.rate)
            if self.rate < 0:
                slope += self.factor * c * self.rate
                constant -= self.factor * c * self.rate * kink
        return Piecewise.of(constant, slope, hinges)

    def span(self) -> tuple[fmpq, fmpq]:
        """Outside it the deviation is negligible."""
        kinks = self.kernel.hinges
        ends = [((k - self.shift) / self.rate) for k in (min(kinks) - self.kernel.reach, max(kinks) + self.kernel.reach)]
        return min(ends), max(ends)

    def inner(self, u: fmpq, v: fmpq) -> tuple[fmpq, fmpq]:
        a, b = self.rate * u + self.shift, self.rate * v + self.shift
        return (a, b) if a <= b else (b, a)


class Curve:
    """ideal(x) + Σ deviations, where gates that are far away are covered by one bound."""

    def __init__(self, constant: fmpq, slope: fmpq, gates: Iterable[Bend]) -> None:
        self.gates = sorted(gates, key=lambda g: g.span()[0])
        whole = Piecewise(constant, slope)
        for gate in self.gates:
            whole = whole.plus(gate.ideal(), fmpq(1))
        self.ideal = whole
        spans = [g.span() for g in self.gates]
        self._starts = [s for s, _ in spans]
        self._ends = [e for _, e in spans]
        self._ordered = all(a <= b for a, b in zip(self._ends, self._ends[1:], strict=False))

    def _near(self, u: fmpq, v: fmpq) -> Sequence[Bend]:
        """Gates whose span meets [u, v]."""
        last = bisect_right(self._starts, v)
        if self._ordered:
            return self.gates[bisect_left(self._ends, u):last]
        return [g for g, end in zip(self.gates[:last], self._ends[:last], strict=True) if end >= u]

    @cached_property
    def _far(self) -> arb:
        """All deviations and slopes where they are negligible."""
        total = sum((abs(g.factor) * g.kernel.remainder * max(fmpq(1), abs(g.rate)) for g in self.gates), arb(0))
        return total.union(-total)

    def _rest(self, near: Sequence[Bend]) -> arb:
        return self._far if len(near) < len(self.gates) else arb(0)

    def at(self, x: fmpq) -> arb:
        """The sum of the deviations at a point."""
        near = self._near(x, x)
        return sum((g.factor * g.kernel.at(g.rate * x + g.shift) for g in near), self._rest(near))

    def over(self, u: fmpq, v: fmpq) -> arb:
        near = self._near(u, v)
        return sum((g.factor * g.kernel.over(*g.inner(u, v)) for g in near), self._rest(near))

    def slope(self, u: fmpq, v: fmpq) -> arb:
        near = self._near(u, v)
        return sum((g.factor * g.rate * g.kernel.slope(*g.inner(u, v)) for g in near), self._rest(near))

    def beyond(self) -> tuple[fmpq, fmpq, arb]:
        """Ends outside which every deviation is negligible, and a bound of their sum there."""
        return min(self._starts, default=ZERO), max(self._ends, default=ZERO), self._far.upper()


def curve_of(program: Program, form: Value, variable: int) -> Curve | None:
    """The form as a function of one variable, if it and the atoms in it depend on nothing else, and on it affinely."""
    constant, slope, gates = constant_of(form), ZERO, []
    for k, c in terms_of(form).items():
        if k == variable:
            slope += c
            continue
        if program.is_input(k):
            return None
        gate = gate_of(program.atom(k), c, variable)
        if gate is None:
            return None
        gates.append(gate)
    return Curve(constant, slope, joined(gates))


def kernel_of(atom: Atom) -> tuple[RationalForm, Kernel, fmpq] | None:
    """The one form that the atom is a function of, which function, and a factor; None if there is no such form."""
    match atom:
        case Rectified(z=z):
            return z, ReluKernel(), fmpq(1)
        case SiluHead(z=z, beta=beta):
            return z, SiluKernel(beta), fmpq(1)
        case Grid(t=t, count=count, kappa=kappa):
            return t, StairKernel(kappa, count), fmpq(1)
        case Tilted(s=s, y=y) if not isinstance(y, RationalForm):
            return s, TanhKernel(), y
        case _:
            return None


def gate_of(atom: Atom, factor: fmpq, variable: int) -> Bend | None:
    """The atom as a gate of one variable; None if it is none, or depends on others."""
    found = kernel_of(atom)
    if found is None or found[0].terms.keys() != {variable}:
        return None
    inner, kernel, own = found
    return Bend(factor * own, kernel, inner.terms[variable], inner.constant)


def joined(gates: list[Bend]) -> list[Bend]:
    """Anchor heads of equal size that carry on where another ends become one staircase."""
    others = [g for g in gates if not isinstance(g.kernel, StairKernel)]
    groups: dict[tuple[object, ...], list[Bend]] = {}
    for g in gates:
        if isinstance(g.kernel, StairKernel):
            groups.setdefault((g.factor, g.rate, g.kernel.kappa, g.kernel.count), []).append(g)
    for group in groups.values():
        group.sort(key=lambda g: -g.shift)
        run = [group[0]]
        for g in group[1:]:
            if run[-1].shift - g.shift == run[-1].kernel.period:   # type: ignore[attr-defined]
                run.append(g)
            else:
                others.append(_stairs(run))
                run = [g]
        others.append(_stairs(run))
    return others


def _stairs(run: list[Bend]) -> Bend:
    kernel = run[0].kernel
    assert isinstance(kernel, StairKernel)
    return Bend(run[0].factor, StairKernel(kernel.kappa, kernel.count, len(run)), run[0].rate, run[0].shift)
