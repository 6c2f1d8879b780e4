"""Many points at once in float64: quick, and no more than that. Nothing is proved by it; it says where to look.

The network is multiplied out first, as for a certificate; then every atom is one operation on an array with a column for
every point. Heads over many anchors are added up in a window about the nearest one, staircases where a head is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flint import fmpq

from ..errors import InvalidInput
from ..networks.network import Network
from .forms import RationalForm, Value
from .program import Atom, Boltzmann, Exponent, Grid, Mean, Program, Rectified, SiluHead, Tilted, program_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

MOST = 10**7        # numbers that are held at once: points are taken in parts
UNSEEN = 40         # e^(−40) is less than the rounding


class FloatEvaluator:
    """`evaluator(network)(X)`: one row a point, one column an input; one row a point, one column an output."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._part = max(1, MOST // (len(program.inputs) + len(program.atoms) + _longest(program.atoms)))

    def __call__(self, points: ArrayLike) -> Array:
        given = np.asarray(points, dtype=np.float64)
        rows = np.atleast_2d(given)
        names = self.program.inputs
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise InvalidInput(f"The points have shape {given.shape}.",
                               f"Give one row a point and {len(names)} columns: {', '.join(names[:8])}.")
        parts = [self._some(rows[k:k + self._part]) for k in range(0, len(rows), self._part)]
        found = np.concatenate(parts) if parts else np.zeros((0, len(self.program.outputs)))
        return found if given.ndim == 2 else found[0]

    def _some(self, rows: Array) -> Array:
        walk = _Walk(self.program, rows)
        return np.stack([walk.form(y) for y in self.program.outputs], axis=1)


def evaluator(network: Network) -> FloatEvaluator:
    """The network as a function of arrays of points."""
    return FloatEvaluator(program_of(network))


def _longest(atoms: Sequence[Atom]) -> int:
    """How many numbers a point takes while an atom is evaluated."""
    return max((len(a.scores) if isinstance(a, Boltzmann) else 2 * len(a.values) if isinstance(a, Mean) else 1
                for a in atoms), default=1)


class _Walk:
    """Inputs and atoms one by one: a row each, a column a point."""

    def __init__(self, program: Program, rows: Array) -> None:
        start = len(program.inputs)
        self.values = np.zeros((start + len(program.atoms), len(rows)))
        self.values[:start] = rows.T
        for k, atom in enumerate(program.atoms):
            self.values[start + k] = self._atom(atom)

    def form(self, x: Value) -> Array:
        if not isinstance(x, RationalForm):
            return np.full(self.values.shape[1], _float(x))
        factors = np.array([_float(c) for c in x.terms.values()])
        return np.asarray(_float(x.constant) + factors @ self.values[list(x.terms)])

    def _atom(self, atom: Atom) -> Array:
        match atom:
            case Rectified(z=z):
                return np.maximum(self.form(z), 0)
            case SiluHead(z=z, beta=beta):
                inner = self.form(z)
                return inner * _sigma(_float(beta) * inner)
            case Tilted(s=s, y=y):
                return np.asarray(self.form(y) * np.tanh(self.form(s)))
            case Grid(t=t):
                return _staircase(self.form(t), atom)
            case Boltzmann(scores=scores, beta=beta):
                own = np.stack([self.form(s) for s in scores])
                return _mean(_float(beta) * own, own, np.ones(len(scores)))
            case Mean(exponents=exponents, values=values, counts=counts):
                return _mean(np.stack([self._exponent(x) for x in exponents]), np.stack([self.form(v) for v in values]),
                             np.array(counts, dtype=np.float64))

    def _exponent(self, x: Exponent) -> Array:
        return sum((self.form(a) * self.form(b) for a, b in x.products), self.form(x.form))


def _float(x: fmpq) -> float:
    try:
        return int(x.p) / int(x.q)
    except OverflowError:
        raise InvalidInput("A weight of this network is beyond the numbers of float64.",
                           "Use boundcalc.evaluate, which has any number of digits.") from None


def _sigma(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, small) / (1 + small)


def _mean(exponents: Array, values: Array, counts: Array) -> Array:
    weights = counts[:, None] * np.exp(exponents - exponents.max(axis=0))
    return np.asarray((weights * values).sum(axis=0) / weights.sum(axis=0))


def _staircase(t: Array, grid: Grid) -> Array:
    """Heads so far to the left that they are full, then those that are near, one after the other."""
    period, kappa = grid.count - 1, _float(grid.kappa)
    near = ceil(UNSEEN / (2 * kappa)) + 1
    first = np.clip(np.floor((t - near) / period), 0, grid.heads)
    total = first * period
    for k in range(min(grid.heads, (2 * near) // period + 2)):
        total = total + np.where(first + k < grid.heads, _head(t - (first + k) * period, grid.count, kappa), 0)
    return total


def _head(t: Array, count: int, kappa: float) -> Array:
    """Σ k·w/Σ w by the anchors near t: m + the mean of j = k − m, weights relative to that of m."""
    m = np.clip(np.rint(t), 0, count - 1)
    beside = t - m
    mass, first = np.ones_like(t), np.zeros_like(t)
    for j in range(1, min(count - 1, ceil(sqrt(UNSEEN / kappa)) + 1) + 1):
        for step in (j, -j):
            there = (m + step >= 0) & (m + step < count)
            weight = np.where(there, np.exp(np.where(there, -kappa * (j * j - 2 * step * beside), 0)), 0)
            mass, first = mass + weight, first + step * weight
    return m + first / mass
