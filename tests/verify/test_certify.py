"""Certificates: never below the truth, close to it, and never a pass where nothing was proved."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from flint import arb, fmpq
from mpmath.ctx_mp import MPContext

from boundcalc.errors import BoundcalcError
from boundcalc.formulas.enclosure import Undecided
from boundcalc.networks.network import AffineLayer, AttentionLayer, Matrix, Network
from boundcalc.results.bound import Bound, bound
from boundcalc.verify import boxes, certify, kernels, verification
from boundcalc.verify.balls import maximise, precision, rational
from boundcalc.verify.certify import NotCertified
from boundcalc.verify.enclose import Ball
from boundcalc.verify.kernels import Kernel, ReluKernel, SiluKernel, StairKernel, TanhKernel
from boundcalc.verify.program import program_of
from boundcalc.verify.proof import Proof
from boundcalc.verify.verification import verify
from tests.selection import few, selected

F = Fraction
MP = MPContext()
MP.dps = 60


# --- an evaluation that shares nothing with the package: dense loops in mpmath ---------------------------------------

def mp(x: Fraction) -> Any:
    return MP.mpf(x.numerator) / x.denominator


def times(m: Matrix, v: Sequence[Any]) -> list[Any]:
    result = [MP.mpf(0)] * m.rows
    for i, j, x in m.entries:
        result[i] += mp(x) * v[j]
    return result


def plain(network: Network, point: Sequence[Fraction]) -> list[Any]:
    v = [mp(x) for x in point]
    for layer in network.layers:
        if isinstance(layer, AffineLayer):
            v = times(layer.weight, v)
            for i, x in layer.bias.entries:
                v[i] += mp(x)
        elif isinstance(layer, AttentionLayer):
            columns = [v[t * layer.dim:(t + 1) * layer.dim] for t in range(layer.tokens)]
            out: list[Any] = []
            for q in layer.query:
                total: list[Any] = []
                for head in layer.heads:
                    query = times(head.Q, columns[q])
                    scores = [mp(head.beta) * MP.fdot(times(head.K, c), query) for c in columns]
                    top = max(scores)
                    weights = [MP.exp(s - top) for s in scores]
                    mass = MP.fsum(weights)
                    mean = [MP.fsum(w * c[k] for w, c in zip(weights, columns, strict=True)) / mass
                            for k in range(layer.dim)]
                    rows = times(head.V, mean)
                    total = [a + b for a, b in zip(total, rows, strict=True)] if total else rows
                out += total
            if layer.skip is not None:
                skipped = times(layer.skip, v)
                out = [a + b for a, b in zip(out, skipped, strict=True)] if out else skipped
            v = out
        else:
            v = [max(x, MP.mpf(0)) for x in v]
    return v


def error_at(b: Bound, point: Sequence[Fraction], network: Network | None = None) -> Fraction:
    found = MP.mpf(0)
    for y, t in zip(plain(network or b.network, point), b.target(list(point)), strict=True):
        found = max(found, abs(y - mp(t)))
    return F(int(MP.floor(found * MP.mpf(10) ** 50)), 10**50)


def sampled(b: Bound, network: Network | None = None, count: int = 60) -> Fraction:
    """The largest error at pseudo-random points of the domain, many of them where kinks are."""
    rng = random.Random(7)
    low, high = b.domains()[0]
    low, high = (F(-2), F(2)) if low is None or high is None else (low, high)
    scale = 1 / b.values["beta"] if "beta" in b.values else (high - low) / 20
    worst = F(0)
    for k in range(count):
        near = F(rng.randrange(10**6), 10**6) * 4 * scale
        point = [low + (high - low) * F(rng.randrange(10**6 + 1), 10**6) if k % 2 else
                 min(high, max(low, (low + high) / 2 + near * rng.choice((-1, 1)))) for _ in range(b.input_count())]
        worst = max(worst, error_at(b, point, network))
    return worst


# --- tight ------------------------------------------------------------------------------------------------------------

LINE = {"range": ("-1", "2")}
TIGHT = [
    *(("relu", {"beta": x}) for x in ("1e-3", "17/3", "1e6")), ("abs", {"eps": "1e-4"}), ("relu", {"eps": "1e-3", "d": 2}),
    ("clip", {"eps": "1e-3", **LINE}),
    *(("clip", {"gate": "anchor", "p": p, **LINE}) for p in (2, 3, 9, 3000)),
    *(("clip", {"gate": "anchor", "temperature": "hard", "p": p, "kappa": k, **LINE})
      for p in (2, 5, 3000) for k in (1, 20)),
    *(("clip", {"gate": "anchors", "H": h, "n": n, **LINE}) for h, n in ((1, 4), (5, 2), (3, 3), (6, 20))),
    ("clip", {"gate": "anchors", "temperature": "hard", "H": 4, "n": 5, **LINE}),
    ("clip", {"gate": "anchor", "eps": "1e-2", "d": 2, "w": "1,-2", "t": "1/3", **LINE}),
    ("hat", {"eps": "1e-2"}),
    *(("max", {"n": n, "eps": "1e-3"}) for n in (2, 3, 8, 64)), ("min", {"n": 5, "eps": "1e-3"}),
    *(("max", {"n": n, "eps": "1e-3", "route": "tree"}) for n in (2, 3, 4)),
    ("min", {"n": 4, "eps": "1e-2", "route": "tree"}),
    *(("square", {"m": m, "beta": x}) for m, x in ((0, 10), (1, 10), (4, 50), (9, 3000), (16, 10**5))),
    ("square", {"eps": "1/16", "gate": "ffn"}), ("square", {"p": 9, "m": 3, "gate": "anchor"}),
    *(("mult", {"eps": e}) for e in ("1e-2", "1e-3", "1e-8")), ("mult", {"eps": "1/9", "M": "1/3", "gate": "ffn"}),
    *(("mult", {"eps": e, "route": "direct"}) for e in ("1e-2", "1e-8")),
    ("mult", {"eps": "1e-2", "range": ("1/7", "9")}), ("mult", {"eps": "1/2", "p": 9, "m": 2, "gate": "anchor"}),
    ("mult", {"m": 2, "n": 4, "H": 3, "gate": "anchors"}),
    ("recip", {"eps": "1e-2", "range": ("1/10", "1")}), ("recip", {"eps": "1e-3", "range": ("1/2", "2"), "gate": "ffn"}),
    ("recip", {"eps": "1/8", "range": ("1/9", "1"), "gate": "ffn"}),
    ("max", {"n": 3, "eps": "1e-2", "route": "tree", "gate": "anchors"}),
]


def traits(case: tuple[str, dict[str, Any]]) -> Iterator[object]:
    """Every way that is here, and every parameter of each construction."""
    name, given = case
    yield name, *(given.get(option) for option in ("route", "gate", "temperature"))
    yield from ((name, parameter) for parameter in given)


@pytest.mark.parametrize(("name", "given"), selected(TIGHT, traits), ids=str)
def test_certificates_are_tight_and_below_what_is_derived(name: str, given: dict[str, object]) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    v = verify(b, 30)
    assert v.proved is not None
    assert b.total.upper is not None
    assert v.observed.error <= v.proved.error <= b.total.upper
    assert v.holds is True
    assert v.proved.error * 100 <= 101 * v.observed.error
    point = list(v.observed.at.values())
    assert abs(error_at(b, point) - v.observed.error) < F(1, 10**28), "observed is what a plain evaluation gives"
    assert sampled(b, count=12) <= v.proved.error


LOOSE = [("relu", {"eps": "1e-2", "delta": "1/1000"}), ("mult", {"eps": "1e-1", "delta": "1/1000"}),
         ("max", {"n": 3, "eps": "1e-1", "delta": "1/1000", "route": "tree"}), ("hat", {"eps": "1e-1", "gate": "anchor"}),
         ("recip", {"eps": "1/10", "range": ("1/2", "1"), "gate": "anchor"}),
         ("max", {"n": 5, "eps": "1e-2", "route": "tree"}),
         ("max", {"n": 3, "eps": "1e-2", "route": "tree", "gate": "anchor"})]


@pytest.mark.parametrize(("name", "given"), few(LOOSE, 4), ids=str)
def test_looser_certificates_still_hold(name: str, given: dict[str, object]) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    v = verify(b, 30)
    assert v.holds is True
    assert v.proved is not None
    assert v.proved.error >= v.observed.error


def test_the_cost_of_anchors_does_not_grow() -> None:
    boxes_used = set()
    for p in (50, 500, 5000):
        v = verify(bound("clip", gate="anchor", p=p, range=("0", "1")), 20)
        assert v.proved is not None
        boxes_used.add(v.proved.boxes)
    assert len(boxes_used) == 1


def test_what_has_no_certificate_says_so() -> None:
    v = verify(bound("relu", eps="1e-2", sequence=3, M=1), 20)
    assert v.proved is None
    assert v.holds is None
    assert v.reason


# --- planted mistakes in networks -------------------------------------------------------------------------------------

def scaled(network: Network, factor: Fraction) -> Network:
    """Every entry of the read-out times a number."""
    last = network.layers[-1]
    if isinstance(last, AffineLayer):
        changed: Any = replace(last, weight=replace(last.weight, entries=tuple(
            (i, j, factor * x) for i, j, x in last.weight.entries)))
    else:
        assert isinstance(last, AttentionLayer)
        heads = tuple(replace(h, V=replace(h.V, entries=tuple((i, j, factor * x) for i, j, x in h.V.entries)))
                      for h in last.heads)
        skip = last.skip and replace(last.skip, entries=tuple((i, j, factor * x) for i, j, x in last.skip.entries))
        changed = replace(last, heads=heads, skip=skip)
    return replace(network, layers=(*network.layers[:-1], changed))


def heated(network: Network, factor: Fraction) -> Network:
    """Every β times a number."""
    return replace(network, layers=tuple(
        replace(layer, heads=tuple(replace(h, beta=factor * h.beta) for h in layer.heads))
        if isinstance(layer, AttentionLayer) else layer for layer in network.layers))


def moved(network: Network, amount: Fraction) -> Network:
    """One constant of the first layer off by a little."""
    first = network.layers[0]
    assert isinstance(first, AffineLayer)
    place, x = first.bias.entries[-1]
    bias = replace(first.bias, entries=(*first.bias.entries[:-1], (place, x + amount)))
    return replace(network, layers=(replace(first, bias=bias), *network.layers[1:]))


def verified(b: Bound, network: Network) -> Any:
    """The network against the target of a bound, with no derived bound to lean on."""
    return verification.verify_network(network, b.targets(), b.domains(), b.values.get("eps"), digits=30)


ATTACKED = [("relu", {"eps": "1e-3"}), ("abs", {"eps": "1e-3"}), ("relu", {"eps": "1e-2", "gate": "anchor"}),
            ("max", {"n": 3, "eps": "1e-3"}), ("max", {"n": 2, "eps": "1e-3"}),
            ("max", {"n": 3, "eps": "1e-3", "route": "tree"}),
            ("square", {"eps": "1e-3"}), ("mult", {"eps": "1e-3"}), ("mult", {"eps": "1e-3", "route": "direct"}),
            ("clip", {"eps": "1e-3", **LINE}), ("clip", {"eps": "1e-2", "gate": "anchors", **LINE}),
            ("recip", {"eps": "1e-2", "range": ("1/2", "2")})]


@pytest.mark.parametrize(("name", "given"), ATTACKED, ids=str)
def test_a_read_out_that_is_off_by_a_percent_fails_with_a_witness(name: str, given: dict[str, object]) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    network = scaled(b.network, F(101, 100))
    v = verified(b, network)
    assert v.holds is False
    assert error_at(b, list(v.observed.at.values()), network) > b.values["eps"], "the witness is one"


@cache
def attacked(name: str, given: tuple[tuple[str, Any], ...]) -> tuple[Bound, Any]:
    """A bound, and what is found about its own network."""
    b = bound(name, **dict(given))
    return b, verified(b, b.network)


@pytest.mark.parametrize(("name", "given"), selected(ATTACKED, lambda case: (case[0],)), ids=str)
@pytest.mark.parametrize("how", ["scaled", "colder", "hotter", "moved"])
def test_small_changes_change_the_certificate_never_below_the_truth(name: str, given: dict[str, object], how: str) -> None:
    b, before = attacked(name, tuple(given.items()))
    network = {"scaled": lambda: scaled(b.network, 1 + F(1, 10**5)), "colder": lambda: heated(b.network, F(9, 10)),
               "hotter": lambda: heated(b.network, F(11, 10)), "moved": lambda: moved(b.network, F(1, 10**5))}[how]()
    after = verified(b, network)
    assert before.proved is not None
    if after.proved is None:
        assert after.holds in (None, False)
        return
    assert how == "hotter" or after.proved.error != before.proved.error, "a larger β may leave the interpolation error alone"
    assert sampled(b, network) <= after.proved.error
    assert error_at(b, list(after.observed.at.values()), network) <= after.proved.error


def test_failures_are_named() -> None:
    b = bound("relu", eps="1e-3")
    assert "diffuse weights" in verified(b, heated(b.network, F(1, 3))).signature
    b = bound("relu", eps="1e-3", gate="anchor")
    assert "drift between anchors" in verified(b, heated(b.network, F(10))).signature
    b = bound("mult", eps="1e-3", route="direct")
    assert "ends of the domain" in verified(b, scaled(b.network, F(101, 100))).signature


# --- planted mistakes in the prover -----------------------------------------------------------------------------------

def sound(kernel: Kernel, values: Any) -> bool:
    """Deviation and slope against plain mpmath: at points, over intervals, by differences."""
    rng = random.Random(3)
    with precision(80):
        for _ in range(150):
            u = F(rng.randrange(-4000, 4000), 500)
            v = u + F(1, rng.choice((2, 10, 200)))
            if rng.random() < 0.2:      # across a kink
                kink = F(int((k := rng.choice(list(kernel.hinges))).p), int(k.q))
                u, v = kink - (v - u) / 3, kink + (v - u) / 2
            box, slope = kernel.over(rational(u), rational(v)), kernel.slope(rational(u), rational(v))
            points = [u, (2 * u + v) / 3, v]
            exact = [values(x) for x in points]
            if not all(_holds(box, y) and _holds(kernel.at(rational(x)), y) for x, y in zip(points, exact, strict=True)):
                return False
            for (x, y), (z, w) in pairwise(zip(points, exact, strict=True)):
                if not _holds(slope, (w - y) / mp(z - x)):
                    return False
    return True


def _holds(ball: arb, x: Any) -> bool:
    low, high = (F(int(e.p), int(e.q)) for e in (_exact(ball.lower()), _exact(ball.upper())))
    return bool(mp(low) <= x <= mp(high))


def _exact(x: arb) -> fmpq:
    mantissa, exponent = x.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def silu_deviation(x: Fraction) -> Any:
    return mp(x) / (1 + MP.exp(-3 * mp(x))) - max(mp(x), MP.mpf(0))


def stair_deviation(x: Fraction) -> Any:
    total = -min(max(mp(x), MP.mpf(0)), MP.mpf(6))
    for h in range(2):
        w = [MP.exp(-2 * (mp(x) - 3 * h - k) ** 2) for k in range(4)]
        total += MP.fsum(k * y for k, y in enumerate(w)) / MP.fsum(w)
    return total


def tanh_deviation(x: Fraction) -> Any:
    return MP.tanh(mp(x)) - min(max(mp(x), MP.mpf(-1)), MP.mpf(1))


KERNELS = {"silu": (SiluKernel(fmpq(3)), silu_deviation), "stairs": (StairKernel(fmpq(2), 4, 2), stair_deviation),
           "tanh": (TanhKernel(), tanh_deviation), "relu": (ReluKernel(), lambda x: MP.mpf(0))}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_enclose_their_deviations_and_slopes(name: str) -> None:
    kernel, values = KERNELS[name]
    assert sound(kernel, values)


@pytest.mark.parametrize("name", ["silu", "stairs", "tanh"])
@pytest.mark.parametrize("mistake", ["slope", "rounding", "narrow"])
def test_mistakes_in_kernels_would_be_seen(name: str, mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, values = KERNELS[name]
    kind = type(kernel)
    slope, at, over = kind.slope, kind.at, kind.over
    if mistake == "slope":
        monkeypatch.setattr(kind, "slope", lambda self, u, v: -slope(self, u, v))
    elif mistake == "rounding":       # to nearest instead of outward
        monkeypatch.setattr(kind, "at", lambda self, x: at(self, x).mid())
    else:
        monkeypatch.setattr(kind, "over", lambda self, u, v: over(self, u, v).mid())
    assert not sound(kernel, values)


def test_a_certificate_below_an_evaluation_is_a_defect_and_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    b = bound("relu", eps="1e-3")
    monkeypatch.setattr(SiluKernel, "at", lambda self, x: arb(0))
    monkeypatch.setattr(SiluKernel, "over", lambda self, u, v: arb(0))
    with pytest.raises(BoundcalcError, match="contradicted"):
        verify(b, 20)


def test_a_dropped_tail_of_distant_heads_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def contains() -> bool:
        stairs = StairKernel(fmpq(1, 4), 3, 30)
        with precision(40):
            ball = stairs.at(fmpq(301, 10))
            total = sum((_plain_head(F(1, 4), 3, F(301, 10) - 2 * h) for h in range(30)), MP.mpf(0))
        return _holds(ball, total - mp(F(301, 10)))

    assert contains()
    monkeypatch.setattr(kernels, "negligible", lambda: fmpq(2))
    assert contains(), "a nearer cut is covered by a larger bound"
    monkeypatch.setattr(kernels, "beyond_distance", lambda *_: arb(0))
    assert not contains()


def _plain_head(kappa: Fraction, n: int, t: Fraction) -> Any:
    w = [MP.exp(-mp(kappa) * mp(t - k) ** 2) for k in range(n)]
    return MP.fsum(k * y for k, y in enumerate(w)) / MP.fsum(w)


def test_scores_of_two_inputs_are_no_maximum() -> None:
    """Softmax over x + y and z is not the maximum of three numbers, though every input appears once."""
    b = bound("max", n=3, eps="1e-2")
    first, layer = b.network.layers
    assert isinstance(first, AffineLayer)
    entries = [(0, 0, F(1)), (0, 1, F(1)), (2, 2, F(1)), (4, 2, F(1))]
    network = replace(b.network, layers=(replace(first, weight=Matrix(6, 3, tuple(sorted(entries)))), layer))
    v = verified(b, network)
    assert v.holds is False
    assert v.proved is None
    two = replace(b.network, layers=(
        AffineLayer(Matrix(8, 3, ((0, 0, F(1)), (0, 1, F(1)), (2, 2, F(1)), (4, 0, F(2)), (4, 1, F(-1)), (6, 2, F(3)))),
                    replace(first.bias, size=8)), replace(layer, tokens=4)))
    assert verified(b, two).proved is None


def test_neighbouring_staircases_of_different_kinds_are_not_confused() -> None:
    """Two grids that meet where the kinks cancel: no kink is left, but each of them has one there."""
    from boundcalc.verify.curve import Bend, Curve
    from boundcalc.verify.level import CurveLevel
    gates = [Bend(fmpq(1), StairKernel(fmpq(3), 4), fmpq(1), fmpq(0)),
             Bend(fmpq(1), StairKernel(fmpq(2), 3), fmpq(1), fmpq(-3))]

    def value(x: Fraction) -> Any:
        return _plain_head(F(3), 4, x) + _plain_head(F(2), 3, x - 3)

    with precision(80):
        level = CurveLevel(Curve(fmpq(0), fmpq(0), gates))
        for u, v in ((F(29, 10), F(31, 10)), (F(2), F(4)), (F(-1, 2), F(1, 2)), (F(5, 2), F(299, 100))):
            low, high = level.image(rational(u), rational(v))
            dy, _ = level.slopes(rational(u), rational(v))
            points = [u + (v - u) * k / 16 for k in range(17)]
            images = [mp(x) - 2 * value(x) for x in points]
            assert all(_holds(low.union(high), y) for y in images)
            assert all(_holds(dy, (b - a) / mp((v - u) / 16)) for a, b in pairwise(images))


# --- nothing passes by default ----------------------------------------------------------------------------------------

def one(b: Bound) -> Any:
    low, high = b.domains()[0]
    ends = (None if low is None else rational(low), None if high is None else rational(high))
    return certify.certify(program_of(b.network), b.targets(), (ends,) * b.input_count())


@pytest.mark.parametrize("value", [arb("nan"), arb("inf"), arb("-inf"), arb(0, "inf")], ids=str)
def test_values_that_are_no_numbers_are_no_proof(value: arb, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Undecided):
        maximise(lambda box: value, [((fmpq(0), fmpq(1)),)], lambda p: arb(0), tolerance=fmpq(1), partial=True)
    with pytest.raises(Undecided):
        maximise(lambda box: arb(1), [((fmpq(0), fmpq(1)),)], lambda p: value, tolerance=fmpq(1), partial=True)
    b = bound("relu", eps="1e-3", M=1)
    monkeypatch.setattr(SiluKernel, "at", lambda self, x: value)
    assert isinstance(one(b), NotCertified)
    b = bound("mult", eps="1e-1")
    monkeypatch.setattr(certify, "prove_quadratic", lambda *_: None)
    monkeypatch.setattr(boxes, "evaluate", lambda *_, **__: [Ball(value, (value, value))])
    assert isinstance(one(b), NotCertified)


def test_an_exhausted_budget_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    b = bound("mult", eps="1e-2")
    monkeypatch.setattr(certify, "prove_quadratic", lambda *_: None)
    monkeypatch.setattr(certify, "WORK", 0)
    monkeypatch.setattr(certify, "LEAST_BOXES", 3)
    v = verify(b, 20)
    assert v.holds is None
    assert v.proved is not None
    assert v.proved.error > b.values["eps"], "what was proved is weak, and said as it is"


def test_a_method_that_fails_leaves_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    def undecided(*_: object, **__: object) -> Proof:
        raise Undecided("Two enclosures of one value do not meet.")

    monkeypatch.setattr(certify, "prove_line", undecided)
    v = verify(bound("relu", eps="1e-3"), 20)
    assert v.proved is None
    assert v.holds is None
    assert v.reason == "two enclosures of one value do not meet"


def test_an_error_that_grows_without_bound_is_not_certified() -> None:
    b = bound("abs", eps="1e-3")
    v = verified(b, scaled(b.network, F(10**7 + 1, 10**7)))
    assert v.proved is None
    assert v.reason == "the error grows without bound on this domain"


@pytest.mark.parametrize(("name", "given"), [("mult", {"eps": "1/3"}), ("max", {"n": 2, "eps": "1/10"}),
                                             ("square", {"m": 1, "beta": 9}), ("relu", {"eps": "1/20", "M": 1}),
                                             ("mult", {"m": 0, "p": 4, "gate": "anchor"})], ids=str)
def test_the_generic_method_agrees(name: str, given: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without reductions: boxes alone give nearly the same, and never less than what is attained."""
    b = bound(name, **given)  # type: ignore[arg-type]
    special = verify(b, 20)
    for method in ("prove_quadratic", "prove_tilt", "prove_boltzmann", "prove_tree", "_by_cells", "_by_anchors",
                   "_prove_line"):
        monkeypatch.setattr(certify, method, lambda *_, **__: None)
    generic = verify(b, 20)
    assert special.proved is not None
    assert generic.proved is not None
    assert "boxes" in generic.proved.method
    assert special.observed.error <= generic.proved.error <= special.proved.error * F(11, 10)
