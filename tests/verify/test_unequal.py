"""Anchor heads of different spacings and temperatures against a curve."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, fmpq

from boundcalc.errors import BoundcalcError
from boundcalc.formulas.target import Target
from boundcalc.networks.network import AttentionLayer
from boundcalc.results.bound import bound
from boundcalc.results.verification import Certified
from boundcalc.verify import unequal
from boundcalc.verify.balls import precision
from boundcalc.verify.certify import certify
from boundcalc.verify.curve import Bend
from boundcalc.verify.forms import RationalForm
from boundcalc.verify.kernels import StairKernel
from boundcalc.verify.program import Grid, Program, program_of
from boundcalc.verify.proof import Proof
from boundcalc.verify.smooth import ReciprocalCurve
from boundcalc.verify.unequal import prove_unequal
from boundcalc.verify.verification import verify_network

from .test_periods import HIGH, LOW, Heads, plain

F = Fraction


def random_heads(rng: random.Random) -> Heads:
    gates = []
    for _ in range(rng.randrange(1, 6)):
        rate = rng.choice((1, 1, -1)) * fmpq(rng.choice((20, 60, 173)), rng.choice((1, 3)))
        kernel = StairKernel(fmpq(rng.choice((150, 272, 500)), 100), rng.choice((3, 12, 40)), rng.choice((1, 1, 3)))
        gates.append(Bend(fmpq(rng.randrange(-20, 21) or 1, 400), kernel, rate, -rate * fmpq(rng.randrange(-50, 250), 100)))
    return fmpq(rng.randrange(-9, 9), 5), fmpq(rng.randrange(-9, 9), 7), gates


def proved(heads: Heads) -> Proof:
    with precision(96):
        found = prove_unequal(*heads, ReciprocalCurve(), LOW, HIGH)
    assert found is not None
    return found


def exceeded(seeds: range) -> list[str]:
    failures = []
    for seed in seeds:
        rng = random.Random(seed)
        heads = random_heads(rng)
        found = proved(heads)
        places = [LOW, HIGH, *found.point, *(LOW + (HIGH - LOW) * fmpq(rng.randrange(10**6), 10**6) for _ in range(30))]
        near = [(fmpq(d, 3) + end - g.shift) / g.rate for g in heads[2] for d in (-1, 0, 1, 2)
                for end in (0, g.kernel.length)]        # type: ignore[attr-defined]
        with precision(200):
            for x in (x for x in (*places, *near) if LOW <= x <= HIGH):
                error = abs(plain(heads, x) - 1 / arb(x))
                if not error <= found.upper or (x in found.point and not error >= found.lower):
                    failures.append(f"seed {seed}: at {x}")
    return failures


def test_no_supremum_is_exceeded(request: pytest.FixtureRequest) -> None:
    assert exceeded(range(60 if request.config.getoption("--whole") else 12)) == []


def test_deviations_that_are_left_out_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unequal, "largest", lambda kernel: arb(0))
    with pytest.raises(BoundcalcError, match="contradicted"):
        exceeded(range(12))


TARGET, DOMAIN = Target.of("1/x", {"x": 1}), ((fmpq(1, 10), fmpq(1)),)


def test_a_network_with_heads_of_two_temperatures_is_certified_by_its_period() -> None:
    """Every other head a tenth colder: the same grid, another κ."""
    b = bound("recip", eps=F(1, 100), range=(F(1, 10), F(1)), gate="anchor", p=4000)
    layer = b.network.layers[1]
    assert isinstance(layer, AttentionLayer)
    heads = tuple(replace(h, beta=h.beta * F(11, 10)) if k % 2 else h for k, h in enumerate(layer.heads))
    network = replace(b.network, layers=(b.network.layers[0], replace(layer, heads=heads), *b.network.layers[2:]))
    assert len({a.kappa for a in program_of(network).atoms if isinstance(a, Grid)}) == 2
    found = verify_network(network, [TARGET], [(F(1, 10), F(1))], F(1, 100))
    assert found.holds
    assert found.tightness is not None
    assert found.tightness < F(1002, 1000)


def test_heads_of_two_spacings_are_certified_by_chords_and_deviations() -> None:
    """Grids of 400 and 440 anchors a unit, over the same knots."""
    b = bound("recip", eps=F(1, 20), range=(F(1, 10), F(1)), gate="anchor", p=801)
    program = program_of(b.network)
    (output,) = program.outputs
    assert isinstance(output, RationalForm)
    atoms, terms = [], dict(output.terms)
    for k, atom in enumerate(program.atoms):
        assert isinstance(atom, Grid)
        if k % 2:
            (rate,) = atom.t.terms.values()
            # 1.1·t: the same clipped line needs a tenth more anchors
            atom = Grid(RationalForm(atom.t.constant * fmpq(11, 10), {0: rate * fmpq(11, 10)}),
                        1 + (atom.count - 1) * 11 // 10, atom.kappa)
            terms[k + 1] = terms[k + 1] * fmpq(10, 11)
        atoms.append(atom)
    other = Program(program.inputs, (RationalForm(output.constant, terms),), tuple(atoms))
    found = certify(other, [TARGET], DOMAIN, size=F(1, 20))
    assert isinstance(found, Certified)
    assert found.error <= F(1, 20)
    assert "largest deviations" in found.method
