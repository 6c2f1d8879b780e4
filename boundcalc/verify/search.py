"""Observed errors: the exported network, evaluated at points that are worth a look. A sampled maximum is a lower bound
of the true error and is never called anything but *observed*."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import isqrt
from typing import TYPE_CHECKING

from ..construction import Case
from ..errors import InvalidInput, echo
from ..exact import exact_text, floor_log
from .evaluate import Evaluator, to_fraction

if TYPE_CHECKING:
    from ..bounds import Bound

Progress = Callable[[int, int], None]       # (done, in all)

GRID = 33               # points a side for one or two inputs, where that is not too much work
RANDOM = 200            # pseudo-random points for many inputs
WORK = 2 * 10 ** 6      # entries times points: about ten seconds
LARGEST = 10 ** 5       # entries of a network that is evaluated at all
MODULUS = 2 ** 31 - 1   # of the multiplicative generator x ↦ 16807·x: the same points on every machine


@dataclass(frozen=True)
class Observation:
    """The largest error that was seen, where, and in how many evaluations; `shift` is the error put on every input."""

    error: Fraction
    at: dict[str, Fraction]
    shift: Fraction
    points: int
    digits: int


def observe(bound: Bound, digits: int = 50, progress: Progress | None = None) -> Observation:
    """Evaluate at kinks, corners, midpoints, the witness of a tight bound and a dense set; keep the worst point.

    With an input error δ the network sees every input shifted by +δ, then by −δ, and the target does not.
    """
    entries = bound.resources["parameters"].exact or Fraction(0)
    if entries > LARGEST:
        raise InvalidInput(f"This network has {echo(exact_text(entries))} entries, too many to be evaluated at many points.",
                           f"Verify one of at most {LARGEST} entries, for example with a smaller --d or --n.")
    network = bound.network
    finer = max(0, -floor_log(bound.total.upper, 10)) if bound.total.upper else 0
    # accuracy is absolute: an error of 10^(−k) needs k more digits
    evaluator = Evaluator(network, digits + finer)
    delta = bound.values["delta"]
    most = max(20, WORK // max(1, int(entries)))
    tries = [(point, shift) for point in points(bound, most) for shift in {delta, -delta}]

    def error(evaluate: Evaluator, point: list[Fraction], shift: Fraction) -> Fraction:
        values = evaluate([x + shift for x in point])
        return max(abs(to_fraction(v) - t) for v, t in zip(values, bound.target(point), strict=True))

    worst, witness = Fraction(-1), tries[0]
    for k, (point, shift) in enumerate(tries):
        if progress:
            progress(k, len(tries))
        found = error(evaluator, point, shift)
        if found > worst:
            worst, witness = found, (point, shift)
    worst = error(Evaluator(network, 2 * digits + finer), *witness)
    return Observation(worst, dict(zip(network.inputs, witness[0], strict=True)), witness[1], len(tries), digits)


def points(bound: Bound, most: int = GRID ** 2) -> Iterator[list[Fraction]]:
    """Points of the domain, about `most` of them; copy by copy different ones, so that copies cannot hide each other."""
    if bound.construction.many:
        yield from islice(_points_of_many(bound), most)
        return
    k, d = len(bound.construction.inputs), int(bound.values["d"])
    singles = list(product(_coordinates(bound, min(GRID, max(3, _root(most, k) - 10))), repeat=k))
    witness = _witness(bound)
    if witness:
        singles.insert(0, tuple(witness))
    for start in range(0, len(singles), d):
        chunk = [singles[(start + i) % len(singles)] for i in range(d)]
        yield [x for single in chunk for x in single]


def _root(x: int, k: int) -> int:
    return x if k == 1 else isqrt(x)


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
    if route.witness is None or "beta" not in bound.values:      # a witness is a point where a lemma in β is attained
        return None
    point = list(route.witness(Case(dict(bound.values))))
    lo, hi = bound.domain()
    inside = lo is None or hi is None or bound.construction.many or all(lo <= x <= hi for x in point)
    return point if inside else None
