"""Certificates of the recipe, cell by cell: never below what is seen, near to it, and none for a network that is another."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, fmpq

import boundcalc
from boundcalc.networks.network import AffineLayer, Network
from boundcalc.results.verification import Certified
from boundcalc.verify import layers
from boundcalc.verify.balls import rational
from boundcalc.verify.certify import certify
from boundcalc.verify.program import program_of
from tests.selection import few

from .made import exact_run, random_arrays, trained_arrays

SQUARE = [(Fraction(-1), Fraction(1))] * 2


@pytest.mark.parametrize(("widths", "seed"), few(
    [((2, 5, 5, 1), 2), ((2, 4, 4, 4, 1), 3), ((1, 8, 1), 0), ((2, 12, 12, 1), 4), ((2, 3, 2), 1), ((2, 16, 16, 1), 0)], 4),
    ids=str)
def test_certified_and_observed_are_near(widths: tuple[int, ...], seed: int) -> None:
    arrays = random_arrays(*widths, seed=seed)
    b = boundcalc.network(arrays, eps="1e-3", range=(-1, 1) if seed else (0, 2))
    found = boundcalc.verify(b)
    assert isinstance(found.certified, Certified)
    assert found.holds
    assert found.certified.error <= 2 * found.observed.error
    assert "cell by cell" in found.certified.method
    assert b.total.upper is not None
    assert found.observed.error <= found.certified.error <= b.total.upper
    r = random.Random(seed)
    for _ in range(20):
        point = [Fraction(r.randint(*((-999, 999) if seed else (0, 1999))), 1000) for _ in b.construction.inputs]
        seen = [abs(y - f) for (y, f) in zip((Fraction(str(v)) for v in boundcalc.evaluate(b.network, point, 40)),
                                             exact_run(arrays, point), strict=True)]
        assert max(seen) <= found.certified.error


def test_a_trained_network_is_certified() -> None:
    found = boundcalc.verify(boundcalc.network(trained_arrays(), eps="1e-3", range=(-1, 1)))
    assert found.holds
    assert isinstance(found.certified, Certified)
    assert found.certified.error <= 2 * found.observed.error


def changed(network: Network, by: Fraction) -> Network:
    """One weight of the second affine map is another."""
    found = list(network.layers)
    k = [i for i, layer in enumerate(found) if isinstance(layer, AffineLayer)][1]
    layer = found[k]
    assert isinstance(layer, AffineLayer)
    (i, j, x), *rest = layer.weight.entries
    found[k] = replace(layer, weight=replace(layer.weight, entries=((i, j, x + by), *rest)))
    return Network(network.inputs, network.outputs, tuple(found))


def test_another_network_has_no_such_certificate() -> None:
    """A weight that is off by 2^(−40): without gates the network is not the target any more."""
    b = boundcalc.network(random_arrays(2, 5, 5, 1, seed=2), eps="1e-2", range=(-1, 1))
    domain = tuple((rational(low), rational(high)) for low, high in SQUARE)
    program = program_of(b.network)
    assert layers.prove_layers(program, program.outputs[0], b.targets()[0], domain) is not None
    off = program_of(changed(b.network, Fraction(1, 2 ** 40)))
    assert layers.prove_layers(off, off.outputs[0], b.targets()[0], domain) is None
    far = certify(program_of(changed(b.network, Fraction(1, 4))), b.targets(), domain)
    assert not isinstance(far, Certified) or far.error > Fraction(1, 100)


def test_a_softer_network_is_not_certified_for_what_it_misses() -> None:
    """The certificate is about the weights: with half the β the error is twice as large, and is said to be."""
    b = boundcalc.network(random_arrays(2, 5, 1, seed=2), eps="1e-2", range=(-1, 1))
    soft = boundcalc.network(random_arrays(2, 5, 1, seed=2), beta=b.values["beta"] / 2, range=(-1, 1))
    sharp, dull = boundcalc.verify(b), boundcalc.verify(soft)
    assert isinstance(dull.certified, Certified)
    assert dull.certified.error >= dull.observed.error > Fraction(3, 2) * sharp.observed.error


@pytest.mark.parametrize("ends", [(0, 1), (-1, 2), (3, 5), (-40, -39), (-3, 100), (0, 0), (1, 1),
                                  (fmpq(127846, 100000),) * 2])
def test_the_table_of_gates_encloses_h(ends: tuple[fmpq, fmpq]) -> None:
    low, high = map(arb, ends)
    for rate in (fmpq(1), fmpq(3, 7), fmpq(50)):
        ball = layers._gate(low, high, arb(rate))
        for k in range(21):
            z = abs(fmpq(ends[0]) + (fmpq(ends[1]) - fmpq(ends[0])) * fmpq(k, 20))
            assert ball.contains(arb(z) / (1 + (arb(rate) * arb(z)).exp())) or ball.overlaps(
                arb(z) / (1 + (arb(rate) * arb(z)).exp()))


def test_with_three_inputs_the_derived_bound_is_the_proof() -> None:
    found = boundcalc.verify(boundcalc.network(random_arrays(3, 4, 1), eps="1e-2", range=(-1, 1)))
    assert found.holds is None
    assert found.reason is not None
    assert "the derived bound is the proof" in found.reason
