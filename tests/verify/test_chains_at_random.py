"""Sawtooth certificates of random networks: any gates, signs and rates, several levels, one direction or two of them.

Nothing here is a good approximation. What is proved must hold all the same at every point, and be attained where it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import ModuleType
from typing import Any

import pytest
from flint import arb, fmpq

from boundcalc.formulas.enclosure import Undecided
from boundcalc.formulas.shapes import Quadratic
from boundcalc.verify import chain, pairs
from boundcalc.verify.balls import exact, precision
from boundcalc.verify.curve import Bend, Curve
from boundcalc.verify.enclose import evaluate
from boundcalc.verify.forms import ONE, ZERO, RationalForm, Value, combine, variable
from boundcalc.verify.kernels import StairKernel
from boundcalc.verify.level import CurveLevel
from boundcalc.verify.program import Atom, Grid, Program, Rectified, SiluHead, Tilted
from boundcalc.verify.proof import Domain, Proof
from boundcalc.verify.quadratic import prove_quadratic

from ..selection import few

POINTS = 30
EFFORT: dict[ModuleType, dict[str, Any]] = {
    chain: {"BUDGET": 8, "PARTS": 4},
    pairs: {"RECTANGLES": 20, "SAMPLES": 4, "PEAKS": 1, "HALVINGS": 2, "CLIMB": frozenset()}}


class Drawn:
    """A network, a quadratic target and a domain; inputs may have one value only."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        inputs = self.random.choice([1, 1, 2, 2, 3])
        directions = 1 if inputs == 1 else self.random.choice([1, 2])
        self.domain: Domain = tuple(self._ends() for _ in range(inputs))
        self.atoms: list[Atom] = []
        self.inputs = inputs
        own = range(inputs) if directions == 1 else self.random.sample(range(inputs), 2)
        forms = [RationalForm(self._number(), {k: self._factor() for k in own}) for _ in range(directions)]
        parts = [part for z in forms for part in self._levels(z)]
        parts += [(self._number(), RationalForm(ZERO, z.terms)) for z in forms]
        self.program = Program(tuple(f"x{k}" for k in range(inputs)), (combine(parts, self._number()),), tuple(self.atoms))
        weights: dict[tuple[int, int], fmpq] = {}
        for z in forms:
            tau = self._factor()
            for i, a in z.terms.items():
                for j, b in z.terms.items():
                    weights[min(i, j), max(i, j)] = weights.get((min(i, j), max(i, j)), ZERO) + tau * a * b
        self.target = Quadratic(tuple((i, j, c) for (i, j), c in sorted(weights.items()) if c != 0), ZERO, ())

    def _number(self) -> fmpq:
        return fmpq(self.random.randint(-12, 12), 4)

    def _factor(self) -> fmpq:
        return fmpq(self.random.randint(1, 12) * self.random.choice([1, -1]), 4)

    def _ends(self) -> tuple[fmpq, fmpq]:
        low = self._number()
        return low, low + fmpq(self.random.randint(0, 6), 4)

    def _gate(self, z: RationalForm) -> Value:
        inner = combine([(self._factor(), z)], self._number())
        assert isinstance(inner, RationalForm)
        r = self.random
        kinds: list[Atom] = [
            Rectified(inner), SiluHead(inner, fmpq(r.randint(1, 12), 2)), Tilted(inner, self._factor()),
            Grid(inner, r.randint(3, 6), fmpq(r.randint(1, 12), 4), r.choice([1, 2]))]
        atom = r.choice(kinds)
        if atom not in self.atoms:
            self.atoms.append(atom)
        return variable(self.inputs + self.atoms.index(atom))

    def _levels(self, z: RationalForm) -> Iterator[tuple[fmpq, Value]]:
        for _ in range(self.random.randint(1, 3)):
            gates = combine([(self._factor(), self._gate(z)) for _ in range(self.random.randint(1, 3))])
            y = combine([(ONE, z), (fmpq(-2), gates)])
            yield self._number(), y
            following = combine([(self._factor(), y)], self._number())
            assert isinstance(following, RationalForm)
            z = following
        yield self._factor(), gates

    def proof(self) -> Proof | None:
        return prove_quadratic(self.program, self.program.outputs[0], self.target, self.domain)

    def error(self, point: tuple[fmpq, ...]) -> arb:
        value = evaluate(self.program, list(map(arb, point)))[0].value
        return abs(value - sum((c * point[i] * point[j] for i, j, c in self.target.coefficients), ZERO))

    def points(self) -> Iterator[tuple[fmpq, ...]]:
        for _ in range(POINTS):
            yield tuple(low + (high - low) * fmpq(self.random.randint(0, 64), 64)
                        for low, high in self.domain if low is not None and high is not None)


@pytest.mark.parametrize("seeds", few([range(k, k + 10) for k in range(0, 400, 10)], 1), ids=lambda r: f"from {r.start}")
def test_no_point_exceeds_what_is_proved(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, effort in EFFORT.items():       # a bound is one however little was done for it
        for name, value in effort.items():
            monkeypatch.setattr(module, name, value)
    proved = 0
    for seed in seeds:
        drawn = Drawn(seed)
        with precision(200):
            try:
                proof = drawn.proof()
            except Undecided:
                continue
            if proof is None:
                continue
            proved += 1
            assert all(exact(drawn.error(point).lower()) <= proof.upper for point in drawn.points()), seed
            assert exact(drawn.error(proof.point).upper()) >= exact(proof.lower.lower()), seed
    assert proved >= 3


def test_a_level_whose_kinks_cancel_has_bounds() -> None:
    """Two grids of one shape and different temperatures, one subtracted from the other: nothing but deviations is left."""
    gates = [Bend(fmpq(1), StairKernel(fmpq(3), 4), fmpq(1), fmpq(0)),
             Bend(fmpq(-1), StairKernel(fmpq(2), 4), fmpq(1), fmpq(0))]
    with precision(80):
        level = CurveLevel(Curve(fmpq(0), fmpq(0), gates))
        low, high = level.image(fmpq(-1), fmpq(4))
        for k in range(41):
            z = fmpq(k, 8) - 1
            y = z - 2 * (level.curve.at(z) + level.curve.ideal(z))
            assert low.lower() <= y.upper()
            assert y.lower() <= high.upper()
