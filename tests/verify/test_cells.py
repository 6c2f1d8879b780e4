"""Second-order forms on cells: boxes, suprema and witnesses against plain evaluation at 200 bits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from flint import arb, fmpq

from boundcalc.formulas.target import Target
from boundcalc.networks.network import AffineLayer, AttentionLayer, Head, Network, matrix, vector
from boundcalc.results.bound import bound
from boundcalc.results.verification import Certified
from boundcalc.verify import cells
from boundcalc.verify.balls import exact, precision, rational
from boundcalc.verify.cells import Cells, Section, prove_cells
from boundcalc.verify.certify import certify
from boundcalc.verify.curve import curve_of
from boundcalc.verify.line import prove_line
from boundcalc.verify.program import program_of
from boundcalc.verify.smooth import ReciprocalCurve
from boundcalc.verify.soft import chain_of, has_long_sums
from boundcalc.verify.verification import verify_network

F = Fraction
RECIPROCAL = Target.of("1/x", {"x": 1})
BOXES, ALL_BOXES = 1000, 10_000


@dataclass(frozen=True)
class Sine:
    """A target that is no construction's: sin(ωx), cut at a place that means nothing."""

    rate: int = 3
    cuts: tuple[fmpq, ...] = (fmpq(17, 31),)

    def value(self, x: arb) -> arb:
        return (self.rate * x).sin()

    def slope(self, x: arb) -> arb:
        return self.rate * (self.rate * x).cos()

    def second(self, x: arb) -> arb:
        return -(self.rate ** 2) * (self.rate * x).sin()


@dataclass(frozen=True)
class Silu:
    """(factor·z + beside)/(1 + e^(−βz)), z = rate·x + shift."""

    factor: Fraction
    rate: Fraction
    shift: Fraction
    beta: Fraction
    beside: Fraction


@dataclass(frozen=True)
class Sum:
    constant: Fraction
    slope: Fraction
    gates: tuple[Silu, ...]

    def network(self) -> Network:
        """One attention layer with a head a gate; the query token carries x and 1, the other one nothing."""
        embed = AffineLayer(matrix(4, 1, [(0, 0, 1)]), vector(4, [(1, 1)]))
        heads = tuple(Head(matrix(1, 2, [(0, 0, g.rate), (0, 1, g.shift)]), matrix(1, 2, [(0, 1, 1)]),
                           matrix(1, 2, [(0, 0, g.factor * g.rate), (0, 1, g.factor * g.shift + g.beside)]), g.beta)
                      for g in self.gates)
        skip = matrix(1, 4, [(0, 0, self.slope), (0, 1, self.constant)])
        return Network(("x",), ("y",), (embed, AttentionLayer(2, 2, (0,), skip, heads)))

    def __call__(self, x: arb) -> arb:
        """As it is written, nothing taken apart."""
        total = arb(rational(self.constant)) + rational(self.slope) * x
        for g in self.gates:
            z = rational(g.rate) * x + rational(g.shift)
            total += (rational(g.factor) * z + rational(g.beside)) / (1 + (-rational(g.beta) * z).exp())
        return total


def random_sum(rng: random.Random) -> Sum:
    """Mixed signs and rates, equal kinks, different β, values that are no multiples of scores; kinks at the ends of
    [1/4, 1], between and beyond them."""
    kinks = [F(1, 4), F(1), F(0), F(2), *(F(rng.randrange(-50, 250), 100) for _ in range(6))]
    kinks += [rng.choice(kinks) for _ in range(3)]
    gates = []
    for kink in rng.sample(kinks, rng.randrange(1, len(kinks))):
        rate = rng.choice((-1, 1)) * F(rng.randrange(1, 40), rng.randrange(1, 12))
        gates.append(Silu(F(rng.randrange(-30, 31) or 1, rng.randrange(1, 9)), rate, -rate * kink,
                          F(rng.choice((1, 5, 40, 700, 20_000, 10**7)), rng.randrange(1, 5)),
                          F(rng.choice((0, 0, 0, -1, 2)), rng.randrange(1, 9))))
    return Sum(F(rng.randrange(-9, 9), 5), F(rng.randrange(-9, 9), 7), tuple(gates))


LOW, HIGH = fmpq(1, 4), fmpq(1)


def cells_of(made: Sum, target: ReciprocalCurve | Sine) -> Cells:
    program = program_of(made.network())
    chain = chain_of(program, program.outputs[0], 0)
    assert chain is not None
    return Cells(chain, target, LOW, HIGH, 128)


def exceeded(seed: int, boxes: int) -> Iterator[str]:
    """Boxes whose bound is exceeded at a point of theirs."""
    rng = random.Random(seed)
    while boxes > 0:
        made, target = random_sum(rng), rng.choice((ReciprocalCurve(), Sine()))
        with precision(128):
            found = cells_of(made, target)
            halves = list(found.halves())
        for half in rng.sample(halves, min(4, len(halves))):
            for box in subdivided(found, half, rng):
                with precision(128):
                    top = found.over(half, box).top
                if not top.is_finite():     # no bound: the prover halves it
                    continue
                boxes -= 1
                low, high = exact(box.low), exact(box.high)
                for part in (fmpq(0), fmpq(1), fmpq(rng.randrange(1000), 1000), fmpq(rng.randrange(1000), 1000)):
                    x = half.kink + half.sign * (low + part * (high - low))
                    with precision(200):
                        if not abs(made(arb(x)) - target.value(arb(x))) <= top:
                            yield f"{made} at {x}: {top}"


def subdivided(found: Cells, half: cells.Half, rng: random.Random) -> Iterator[Section]:
    with precision(128):
        for box in found.first_boxes(half):
            yield box
            for _ in range(rng.randrange(6)):
                seen = found.over(half, box)
                left = box.low, seen.middle, (box.edges[0], seen.edges)
                right = seen.middle, box.high, (seen.edges, box.edges[1])
                low, high, edges = rng.choice((left, right))
                box = Section(low, high, box.depth + 1, rng.choice((None, seen.second)), edges)
                yield box


def test_no_box_is_exceeded(request: pytest.FixtureRequest) -> None:
    """Random networks, random boxes, plain evaluation at 200 bits at points of them."""
    assert list(exceeded(26, ALL_BOXES if request.config.getoption("--whole") else BOXES)) == []


def without_far_gates(self: Cells) -> arb:
    return arb(0)


def flat(self: Cells, half: cells.Half, box: Section, second: arb) -> tuple[arb, arb]:
    return (-second).lower(), (-second).upper()


def test_what_a_prover_may_get_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above, with far gates left out, with curvature left out, with a gate on the wrong side."""
    with monkeypatch.context() as patch:
        patch.setattr(Cells, "_far_gates", without_far_gates)
        patch.setattr(cells, "FAR", fmpq(2))
        assert list(exceeded(26, BOXES))
    with monkeypatch.context() as patch:
        patch.setattr(Cells, "_curvature", flat)
        assert list(exceeded(26, BOXES))
    plain = cells._seen_from
    with monkeypatch.context() as patch:
        patch.setattr(cells, "_seen_from", lambda g, kink, sign: plain(g, kink, -sign))
        assert list(exceeded(26, BOXES))


@pytest.mark.parametrize("seed", range(12))
def test_suprema_are_attained_up_to_the_tolerance(seed: int) -> None:
    rng = random.Random(seed)
    made, target = random_sum(rng), (ReciprocalCurve(), Sine())[seed % 2]
    program = program_of(made.network())
    chain = chain_of(program, program.outputs[0], 0)
    assert chain is not None
    proof = prove_cells(chain, target, LOW, HIGH)
    assert proof.lower <= proof.upper <= proof.lower * (1 + fmpq(1, 2000))
    with precision(200):
        (x,) = proof.point
        assert LOW <= x <= HIGH
        assert abs(made(arb(x)) - target.value(arb(x))) >= proof.lower
        for k in range(400):
            x = LOW + (HIGH - LOW) * fmpq(k, 399)
            assert abs(made(arb(x)) - target.value(arb(x))) <= proof.upper


@pytest.mark.parametrize("eps", [F(1, 10), F(1, 300), F(1, 3000)])
def test_first_and_second_order_agree(eps: Fraction) -> None:
    """The older method: mean value forms, the highest box first."""
    b = bound("recip", eps=eps, range=(F(1, 10), F(1)))
    program = program_of(b.network)
    chain, curve = chain_of(program, program.outputs[0], 0), curve_of(program, program.outputs[0], 0)
    assert chain is not None
    assert curve is not None
    new = prove_cells(chain, ReciprocalCurve(), fmpq(1, 10), fmpq(1))
    with precision(128):
        old = prove_line(curve, RECIPROCAL, (fmpq(1, 10), fmpq(1)))
    assert new.lower <= old.upper
    assert old.lower <= new.upper
    assert abs(new.upper / old.upper - 1) < fmpq(1, 500)


def test_a_bound_that_is_true_is_confirmed_however_near() -> None:
    b = bound("recip", eps=F(1, 100), range=(F(1, 10), F(1)))
    program = program_of(b.network)
    chain = chain_of(program, program.outputs[0], 0)
    assert chain is not None
    sharp = prove_cells(chain, ReciprocalCurve(), fmpq(1, 10), fmpq(1), bound=fmpq(0))
    for digits in (4, 6, 8, 10):
        lower = exact(sharp.lower)
        claimed = lower * (1 + fmpq(1, 10**digits))
        found = prove_cells(chain, ReciprocalCurve(), fmpq(1, 10), fmpq(1), bound=claimed)
        assert found.upper <= claimed or found.lower > claimed
        if found.lower > sharp.lower:
            sharp = found


def test_a_network_that_is_the_target_has_no_error() -> None:
    """Nothing to tell from 0: it ends, and the bound is as small as the precision."""

    class Line:
        cuts = ()

        def value(self, x: arb) -> arb:
            return 3 * x - arb(1) / 7

        def slope(self, x: arb) -> arb:
            return arb(3)

        def second(self, x: arb) -> arb:
            return arb(0)

    proof = prove_cells(cells.SoftSum(fmpq(-1, 7), fmpq(3), ()), Line(), LOW, HIGH)
    assert proof.upper < fmpq(1, 2**90)


# --- sabotage of weights ----------------------------------------------------------------------------------------------

def certified(network: Network, eps: Fraction) -> bool | None:
    found = verify_network(network, [RECIPROCAL], [(F(1, 10), F(1))], eps)
    return found.holds


def test_a_weight_or_a_knot_that_is_a_little_off_is_seen() -> None:
    eps = F(1, 10**4)
    b = bound("recip", eps=eps, range=(F(1, 10), F(1)))
    layer = b.network.layers[1]
    assert isinstance(layer, AttentionLayer)
    assert certified(b.network, eps) is True
    head = layer.heads[40]
    heavier = replace(head, V=replace(head.V, entries=tuple((i, j, x * F(1001, 1000)) for i, j, x in head.V.entries)))
    (first, second) = head.Q.entries
    moved = replace(head, Q=replace(head.Q, entries=(first, (*second[:2], second[2] + F(1, 10**5)))),
                    V=replace(head.V, entries=(head.V.entries[0], (*head.V.entries[1][:2], head.V.entries[1][2]
                                                                   + head.V.entries[0][2] * F(1, 10**5)))))
    for other in (heavier, moved):
        heads = (*layer.heads[:40], other, *layer.heads[41:])
        changed = replace(b.network, layers=(b.network.layers[0], replace(layer, heads=heads)))
        assert certified(changed, eps) is False
    shorter = replace(b.network, layers=(b.network.layers[0], replace(layer, heads=(*layer.heads[:40], *layer.heads[41:]))))
    assert certified(shorter, eps) is False


def test_a_network_from_a_file_with_long_denominators() -> None:
    """Weights with denominators that have nothing in common, so that sums of them are taken in balls, and no value is a
    multiple of its score."""
    rng = random.Random(5)
    b = bound("recip", eps=F(1, 10**3), range=(F(1, 10), F(1)))
    layer = b.network.layers[1]
    assert isinstance(layer, AttentionLayer)
    heads = tuple(replace(h, V=replace(h.V, entries=tuple(
        (i, j, x * (1 + F(1, rng.randrange(2**59, 2**60)))) for i, j, x in h.V.entries))) for h in layer.heads)
    changed = replace(b.network, layers=(b.network.layers[0], replace(layer, heads=heads)))
    found = certify(program_of(changed), [RECIPROCAL], ((fmpq(1, 10), fmpq(1)),), size=F(1, 10**3))
    assert isinstance(found, Certified)
    assert found.error <= F(1, 10**3)


def test_chords_with_long_denominators_are_summed_in_balls() -> None:
    """The exact method gives the same error, up to the tolerance, where it does not take long yet."""
    rng = random.Random(7)
    b = bound("recip", eps=F(1, 10**4), range=(F(1, 10), F(1)), gate="ffn")
    first, relu, last = b.network.layers
    assert isinstance(first, AffineLayer)
    assert isinstance(last, AffineLayer)
    entries = tuple((i, j, x * (1 + F(1, rng.randrange(2**99, 2**100)))) for i, j, x in last.weight.entries)
    changed = replace(b.network, layers=(first, relu, replace(last, weight=replace(last.weight, entries=entries))))
    domain = ((fmpq(1, 10), fmpq(1)),)
    program, own = program_of(changed), program_of(b.network)
    chains = [chain_of(p, p.outputs[0], 0) for p in (program, own)]
    assert [c is not None and has_long_sums(c) for c in chains] == [True, False]
    found, exactly = certify(program, [RECIPROCAL], domain, size=F(1, 10**4)), certify(own, [RECIPROCAL], domain)
    assert isinstance(found, Certified)
    assert isinstance(exactly, Certified)
    assert "cells" in found.method
    assert "exactly" in exactly.method
    curve = curve_of(program, program.outputs[0], 0)
    assert curve is not None
    old = prove_line(curve, RECIPROCAL, domain[0]).upper
    assert old <= rational(found.error) <= old * (1 + fmpq(1, 1000))
    wrong = replace(last, weight=replace(last.weight, entries=tuple(
        (i, j, x * F(1001, 1000) if k == 40 else x) for k, (i, j, x) in enumerate(entries))))
    assert certified(replace(changed, layers=(first, relu, wrong)), F(1, 10**4)) is False
