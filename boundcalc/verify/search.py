"""Observed errors: the exported network, evaluated at points that are worth a look. A sampled maximum is a lower bound
of the true error and is never called anything but *observed*."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from ..construction import Case
from ..exact import floor_log
from .evaluate import Evaluator, to_fraction

if TYPE_CHECKING:
    from ..bounds import Bound

GRID = 33               # points a side for one or two inputs
RANDOM = 200            # pseudo-random points for many inputs
MODULUS = 2 ** 31 - 1   # of the multiplicative generator x ↦ 16807·x: the same points on every machine


@dataclass(frozen=True)
class Observation:
    """The largest error that was seen, where, and at how many points it was looked for."""

    error: Fraction
    at: dict[str, Fraction]
    points: int
    digits: int


def observe(bound: Bound, digits: int = 50) -> Observation:
    """Evaluate at kinks, corners, midpoints, the witness of a tight bound and a dense set; keep the worst point."""
    network = bound.network
    if bound.total.upper:       # accuracy is absolute: an error of 10^(−k) needs k more digits
        digits += max(0, -floor_log(bound.total.upper, 10))
    evaluator = Evaluator(network, digits)
    worst, witness, count = Fraction(-1), [], 0
    for point in points(bound):
        count += 1
        for value, target in zip(evaluator(point), bound.target(point), strict=True):
            error = abs(to_fraction(value) - target)
            if error > worst:
                worst, witness = error, point
    precise = Evaluator(network, 2 * digits)(witness)
    worst = max(abs(to_fraction(v) - t) for v, t in zip(precise, bound.target(witness), strict=True))
    return Observation(worst, dict(zip(network.inputs, witness, strict=True)), count, digits)


def points(bound: Bound) -> Iterator[list[Fraction]]:
    """Points of the domain, copy by copy different ones, so that copies cannot hide behind each other."""
    if bound.construction.many:
        yield from _points_of_many(bound)
        return
    k, d = len(bound.construction.inputs), int(bound.values["d"])
    singles = list(product(_coordinates(bound, GRID if k < 3 else 9), repeat=k))
    witness = _witness(bound)
    if witness:
        singles.insert(0, tuple(witness))
    for start in range(0, len(singles), d):
        chunk = [singles[(start + i) % len(singles)] for i in range(d)]
        yield [x for single in chunk for x in single]


def _coordinates(bound: Bound, grid: int) -> list[Fraction]:
    """Ends, a grid with all its midpoints and kinks at dyadic points, and points at the scale 1/β around the centre."""
    lo, hi = bound.domain()
    beta = bound.resources["beta"].exact or Fraction(1)
    near = [Fraction(k, 4) / beta for k in range(-12, 13)]
    if lo is None or hi is None:
        return sorted({*near, *(k * Fraction(1000) / beta for k in range(-2, 3))})
    centre, half = (lo + hi) / 2, (hi - lo) / 2
    m = int(bound.values.get("m", 0))
    cell = half / 2 ** (m + 1) if m < 64 else Fraction(0)      # midpoints between the finest kinks of a sawtooth
    special = [centre + cell, centre + 3 * cell, hi - cell, lo + cell, centre + half / 2 + cell]
    dense = [lo + (hi - lo) * Fraction(i, grid - 1) for i in range(grid)]
    around = [centre + x for x in (near[0], near[4], near[7], near[17], near[24])]
    return sorted({x for x in (*dense, *special, *around) if lo <= x <= hi})


def _points_of_many(bound: Bound) -> Iterator[list[Fraction]]:
    lo, hi = bound.domain()
    n = int(bound.values["n"])
    beta = bound.resources["beta"].exact or Fraction(1)
    low, high = (lo, hi) if lo is not None and hi is not None else (Fraction(-10) / beta, Fraction(10) / beta)
    witness = _witness(bound)
    if witness:
        shift = (high - max(witness)) if max(witness) - min(witness) <= high - low else None
        if shift is not None:
            yield [x + shift for x in witness]
    yield [low] * n
    yield [high] * n
    for i in range(min(n, 16)):
        yield [high if j == i else low for j in range(n)]
    seed = 20250101
    for round_ in range(RANDOM):
        scale = (high - low) if round_ % 2 else min(high - low, 8 / beta)
        point = []
        for _ in range(n):
            seed = seed * 16807 % MODULUS
            point.append(high - scale * Fraction(seed, MODULUS))
        yield point


def _witness(bound: Bound) -> list[Fraction] | None:
    route = bound.construction.routes[bound.analysis.route]
    if route.witness is None or not bound.resources["beta"].exact:
        return None
    point = list(route.witness(Case(dict(bound.values))))
    lo, hi = bound.domain()
    inside = lo is None or hi is None or bound.construction.many or all(lo <= x <= hi for x in point)
    return point if inside else None
