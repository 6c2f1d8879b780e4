"""Functions of one input that add up gates which are ReLUs or steps, exact or soft, whatever the number of them."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq, fmpz

from .forms import Value, coefficient, constant_of, terms_of
from .program import Atom, Program, Rectified, SiluHead, Tilted

ZERO = fmpq(0)
LONG = 10_000       # bits of a common denominator


@dataclass(frozen=True)
class Soft:
    """A gate. With y = rate·|x − kink|, h = y/(1 + e^y) and s = 1/(1 + e^y) it is change·ρ(x − kink) − weight·h(y), and for
    a jump besides jump·(1 − s(y)) right of the kink, jump·s(y) left of it. A rate of 0 stands for an exact ReLU."""

    kink: fmpq
    change: fmpq
    weight: fmpq
    rate: fmpq
    jump: fmpq = ZERO


@dataclass(frozen=True)
class SoftSum:
    """constant + slope·x + Σ gates."""

    constant: fmpq
    slope: fmpq
    gates: tuple[Soft, ...]


def chain_of(program: Program, form: Value, variable: int) -> SoftSum | None:
    """The form as a chain in one variable, if it is one."""
    constant, slope = constant_of(form), ZERO
    gates: list[Soft] = []
    for k, c in terms_of(form).items():
        if k == variable:
            slope += c
            continue
        found = None if program.is_input(k) else _gate(program.atom(k), c, variable)
        if found is None:
            return None
        constant, slope = constant + found.constant, slope + found.slope
        gates += found.gates
    return SoftSum(constant, slope, tuple(gates))


def has_long_sums(chain: SoftSum) -> bool:
    """Whether exact sums over the gates have long denominators: those of tables of chords have a few hundred bits."""
    below = fmpz(1)
    for g in chain.gates:
        below = below.lcm(g.change.q).lcm((g.change * g.kink).q)
        if below.bit_length() > LONG:
            return True
    return False


def _gate(atom: Atom, factor: fmpq, variable: int) -> SoftSum | None:
    """factor·atom; every head over two tokens is one."""
    match atom:
        case Rectified(z=z):
            beta, value = ZERO, z
        case SiluHead(z=z, beta=own):
            beta, value = own, z
        case Tilted(s=z, y=y):      # y·tanh(s) = 2y·σ(2s) − y
            if not terms_of(y).keys() <= {variable}:
                return None
            beta, value = fmpq(2), y
        case _:
            return None
    if z.terms.keys() != {variable}:
        return None
    rate, kink = z.terms[variable], -z.constant / z.terms[variable]
    constant = slope = ZERO
    if isinstance(atom, Tilted):
        constant, slope, factor = -factor * constant_of(value), -factor * coefficient(value, variable), 2 * factor
    # factor·value·σ(βz) with value = α·(x − kink) + γ; for a falling z it is factor·value − factor·value·σ(−βz)
    if rate < 0:
        constant, slope = constant + factor * constant_of(value), slope + factor * coefficient(value, variable)
        factor = -factor
    alpha, gamma = coefficient(value, variable), constant_of(value) + coefficient(value, variable) * kink
    steep = beta * abs(rate)
    weight = factor * alpha / steep if steep else ZERO
    return SoftSum(constant, slope, (Soft(kink, factor * alpha, weight, steep, factor * gamma),))
