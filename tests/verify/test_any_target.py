"""Any target is certified: methods are chosen by what program and target are, and no construction is known by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
import sympy as sp
from flint import arb, fmpq
from mpmath.ctx_mp import MPContext

from boundcalc.declarations.frame import frame_of
from boundcalc.declarations.record import Construction, Frame, Input, Output, Route, copies
from boundcalc.derivation.analysis import analyse
from boundcalc.formulas.enclosure import Undecided
from boundcalc.formulas.interval import Interval
from boundcalc.formulas.shapes import Shape
from boundcalc.formulas.target import AnyTarget, Ends, Target, modulus_of
from boundcalc.gates import Options
from boundcalc.gates import gate as gate_named
from boundcalc.lemmas.record import Lemma, Reference
from boundcalc.networks.network import AffineLayer, Matrix, Network, ReluLayer, Vector
from boundcalc.results.bound import Bound
from boundcalc.results.verification import LOOSE, NotCertified, Verification
from boundcalc.terms.linear import Block, affine, identity, var
from boundcalc.terms.term import Approx, Ramps, Term, Unit
from boundcalc.verify import certify
from boundcalc.verify.verification import verify, verify_network

F = Fraction
MP = MPContext()
MP.dps = 50


# --- constructions that nobody has heard of ---------------------------------------------------------------------------

def bound_of(c: Construction, gate: str, **values: Fraction | int) -> Bound:
    made = gate_named(gate, Options(None, None, False))
    said = {"M", "d", *(name for name, value in values.items() if value)}
    analysis = analyse(c, "recipe", made, frame_of(c, "recipe", made, said))
    given = {"M": F(1), "delta": F(0), "d": F(1), **{k: F(v) for k, v in values.items()}}
    return Bound(analysis, given | analysis.internal_values(given), ())


def distance(frame: Frame) -> Term:
    x, y, z, r = (var(b) for b in "xyzr")
    pre = affine((Block("x"), Block("y")), {"z": x - y})
    post = affine((*pre.outputs, Block("r")), {"out": 2 * r - z})
    return copies(frame, Ramps("distance", pre, (Unit("r", "z"),), post))


DISTANCE = Construction((Input("x"), Input("y")), (Output("out", "abs(x - y)"),), (Route("recipe", distance),))
KNOTS = [-2, -1, 0, 1, 2]
HEIGHTS = [F(int(MP.ceil(10**6 * MP.log(1 + MP.exp(k)))), 10**6) for k in KNOTS]     # softplus, rounded up


def softplus(frame: Frame) -> Term:
    """Chords of log(1 + e^x) on [−2, 2], unit steps: its second derivative is ≤ 1/4, so they err in [0, 1/32 + 10^(−6)]."""
    x = (Block("x"),)
    rise = [b - a for a, b in pairwise(HEIGHTS)]
    units = tuple(Unit(f"r{k}", "x", sp.Integer(k)) for k in KNOTS[1:-1])
    form = sp.Rational(str(HEIGHTS[0] - KNOTS[0] * rise[0])) + sp.Rational(str(rise[0])) * var("x")
    for u, a, b in zip(units, rise, rise[1:], strict=False):
        form = form + sp.Rational(str(b - a)) * var(u.name)
    body = Ramps("chords", identity(x), units, affine((*x, *(Block(u.name) for u in units)), {"out": form}))
    lemma = Lemma("T", "chords", (("interpolation", Interval.of(0, sp.Rational(1, 32) + sp.Rational(1, 10**6))),),
                  Reference("test", "derived"))
    return copies(frame, Approx(body, lemma))


SOFTPLUS = Construction((Input("x"),), (Output("out", "log(1 + exp(x))"),), (Route("recipe", softplus),))


@pytest.mark.parametrize(("gate", "given"), [("silu", {"beta": 300}), ("ffn", {}),
                                             ("silu", {"beta": 300, "delta": F(1, 100)})], ids=str)
def test_a_distance_is_certified(gate: str, given: dict[str, Any]) -> None:
    b = bound_of(DISTANCE, gate, **given)
    v = verify(b, 20)
    assert v.proved is not None
    assert b.total.upper is not None
    assert v.observed.error <= v.proved.error <= b.total.upper
    assert v.holds is True
    if not given.get("delta"):
        assert v.proved.error <= v.observed.error * F(101, 100)


@pytest.mark.parametrize(("gate", "given"), [("silu", {"beta": 300}), ("ffn", {}), ("ffn", {"delta": F(1, 100)})], ids=str)
def test_a_softplus_is_certified(gate: str, given: dict[str, Any]) -> None:
    """Its values are irrational, its slopes on both boxes give the term `inputs`."""
    b = bound_of(SOFTPLUS, gate, M=2 - F(given.get("delta", 0)), **given)
    v = verify(b, 20)
    assert v.proved is not None
    assert b.total.upper is not None
    assert v.observed.error <= v.proved.error <= b.total.upper
    assert v.holds is True
    assert v.proved.error <= v.observed.error * F(102, 100) + F(given.get("delta", 0))
    worst, = v.observed.at.values()
    assert b.target_functions[0].exact([worst]) is None or worst == 0
    assert v.observed.error > F(1, 40), "the chords are a thirtieth off, not nothing"


def test_without_its_input_error_a_softplus_would_be_called_better_than_it_is() -> None:
    plain, moved = (bound_of(SOFTPLUS, "ffn", M=1, delta=d) for d in (0, F(1, 10)))
    assert plain.total.upper is not None
    assert moved.total.upper is not None
    assert moved.total.upper >= plain.total.upper + F(1, 10) * F(73, 100)       # the slope at 1 is 0.731


# --- networks written by hand -----------------------------------------------------------------------------------------

def chords(knots: Sequence[Fraction], heights: Sequence[Fraction]) -> Network:
    """Linear between the knots, with exact ReLUs."""
    n = len(knots) - 1
    slopes = [(b - a) / (v - u) for a, b, u, v in zip(heights, heights[1:], knots, knots[1:], strict=False)]
    changes = [slopes[0], *(b - a for a, b in pairwise(slopes))]
    first = AffineLayer(Matrix(n, 1, tuple((k, 0, F(1)) for k in range(n))),
                        Vector(n, tuple((k, -knots[k]) for k in range(n))))
    last = AffineLayer(Matrix(1, n, tuple((0, k, c) for k, c in enumerate(changes))), Vector(1, ((0, heights[0]),)))
    return Network(("x",), ("out",), (first, ReluLayer(), last))


def values(f: Callable[[Any], Any], knots: Sequence[Fraction]) -> list[Fraction]:
    return [F(int(MP.nint(10**30 * f(MP.mpf(k.numerator) / k.denominator))), 10**30) for k in knots]


def grid(low: Fraction, high: Fraction, n: int) -> list[Fraction]:
    return [low + (high - low) * F(k, n) for k in range(n + 1)]


ONE_INPUT: list[tuple[str, Callable[[Any], Any], Fraction, Fraction]] = [
    ("log(1 + exp(x))", lambda x: MP.log(1 + MP.exp(x)), F(-4), F(4)),
    ("exp(x)", MP.exp, F(0), F(1)),
    ("sqrt(x)", MP.sqrt, F(1, 4), F(4)),
    ("sqrt(x)", MP.sqrt, F(0), F(1)),
    ("sin(x)", MP.sin, F(-3), F(3)),
    ("tanh(2*x)", lambda x: MP.tanh(2 * x), F(-2), F(2)),
    ("abs(x - 1/3)*exp(x)", lambda x: abs(x - MP.mpf(1) / 3) * MP.exp(x), F(-1), F(1)),
    ("x**3 - x", lambda x: x**3 - x, F(-1), F(1)),
    ("max(x, x**2)", lambda x: max(x, x * x), F(-1), F(2)),
    ("x*sigma(x)", lambda x: x / (1 + MP.exp(-x)), F(-3), F(3)),
]


@pytest.mark.parametrize(("text", "f", "low", "high"), ONE_INPUT, ids=lambda p: p if isinstance(p, str) else "")
def test_any_function_of_one_input_is_certified(text: str, f: Callable[[Any], Any], low: Fraction, high: Fraction) -> None:
    """The line method: nearly the true error, which a dense evaluation by mpmath does not exceed."""
    knots = grid(low, high, 12)
    network = chords(knots, values(f, knots))
    v = verify_network(network, [Target.of(text, {"x": 1})], [(low, high)], F(10), digits=20)
    assert v.proved is not None
    assert v.holds is True
    dense = max(abs(_network(knots, values(f, knots), x) - f(_mp(x))) for x in grid(low, high, 400))
    assert _mp(v.proved.error) >= dense
    assert _mp(v.proved.error) <= dense * MP.mpf("1.05")


def _network(knots: Sequence[Fraction], heights: Sequence[Fraction], x: Fraction) -> Any:
    k = max(i for i in range(len(knots) - 1) if knots[i] <= x)
    return _mp(heights[k] + (heights[k + 1] - heights[k]) * (x - knots[k]) / (knots[k + 1] - knots[k]))


def _mp(x: Fraction) -> Any:
    return MP.mpf(x.numerator) / x.denominator


def planes() -> Network:
    """relu(x + y) + relu(x − y)."""
    first = AffineLayer(Matrix(2, 2, ((0, 0, F(1)), (0, 1, F(1)), (1, 0, F(1)), (1, 1, F(-1)))), Vector(2))
    last = AffineLayer(Matrix(1, 2, ((0, 0, F(1)), (0, 1, F(1)))), Vector(1))
    return Network(("x", "y"), ("out",), (first, ReluLayer(), last))


def against(text: str, goal: str | None, network: Network | None = None) -> Verification:
    network = network or planes()
    t = Target.of(text, dict.fromkeys(network.inputs, 1))
    return verify_network(network, [t], [(F(-1), F(1))] * len(network.inputs), None if goal is None else F(goal), digits=20)


def test_two_inputs_are_certified_by_branch_and_bound() -> None:
    v = against("exp(x)*cos(y)", "5")
    assert v.holds is True
    assert v.proved is not None
    assert "boxes" in v.proved.method
    dense = max(abs(_mp(max(x + y, 0) + max(x - y, 0)) - MP.exp(_mp(x)) * MP.cos(_mp(y)))
                for x in grid(F(-1), F(1), 40) for y in grid(F(-1), F(1), 40))
    assert dense <= _mp(v.proved.error) <= dense * MP.mpf("1.01")


def test_what_the_network_is_has_error_nothing() -> None:
    v = against("relu(x + y) + relu(x - y)", "1/1000000")
    assert v.observed.error == 0
    assert v.proved is not None


def test_a_bound_above_the_goal_is_reported_as_loose(monkeypatch: pytest.MonkeyPatch) -> None:
    best = against("exp(x)*cos(y)", "5").observed.error
    monkeypatch.setattr(certify, "WORK", 0)
    monkeypatch.setattr(certify, "LEAST_BOXES", 5)
    v = against("exp(x)*cos(y)", str(best + F(1, 1000)))
    assert v.proved is not None, "the bound that was found is said"
    assert v.goal is not None
    assert v.proved.error > v.goal
    assert v.holds is None
    assert v.reason == LOOSE == "loose"


def test_three_inputs_without_a_special_form_are_not_certified_and_it_is_said_why() -> None:
    first = AffineLayer(Matrix(1, 3, ((0, 0, F(1)), (0, 1, F(1)), (0, 2, F(1)))), Vector(1))
    network = Network(("x", "y", "z"), ("out",), (first, ReluLayer(), AffineLayer(Matrix(1, 1, ((0, 0, F(1)),)), Vector(1))))
    v = against("x*y*z", "10", network)
    assert v.proved is None
    assert v.holds is None
    assert v.reason is not None
    assert "3 inputs" in v.reason
    assert against("relu(x + y + z)", "1/100", network).holds is True, "this one is a function of x + y + z"


def test_a_quadratic_with_an_affine_part_is_certified() -> None:
    network = Network(("x",), ("out",), (AffineLayer(Matrix(1, 1, ((0, 0, F(2)),)), Vector(1, ((0, F(1)),))),))
    v = against("x**2 + 2*x + 1/2", "1/2", network)
    assert v.proved is not None
    assert v.proved.error == F(1, 2)
    assert v.holds is True


@pytest.mark.parametrize(("text", "words"), [("log(x)", "positive"), ("sqrt(x + 9/10)", "negative"),
                                             ("sqrt(abs(x - 1/7) - 1/1000000000)", "negative"), ("1/x", "0")])
def test_a_target_that_is_undefined_somewhere_is_not_certified(text: str, words: str) -> None:
    network = Network(("x",), ("out",), (AffineLayer(Matrix(1, 1, ((0, 0, F(1)),)), Vector(1)),))
    v = against(text, "10", network)
    assert v.holds is not True
    assert isinstance(v.certified, NotCertified)
    assert words in v.certified.reason


def test_a_function_that_jumps_is_bounded_by_its_range() -> None:
    network = Network(("x",), ("out",), (AffineLayer(Matrix(1, 1, ((0, 0, F(1)),)), Vector(1)),))
    v = against("floor(x)", "10", network)
    assert v.proved is not None
    assert v.proved.error >= 1, "x − floor(x) comes as close to 1 as one likes"


def test_an_unbounded_domain_is_for_piecewise_linear_targets() -> None:
    network = chords(grid(F(-1), F(1), 4), values(MP.exp, grid(F(-1), F(1), 4)))
    v = verify_network(network, [Target.of("exp(x)", {"x": 1})], [(None, None)], F(1), digits=20)
    assert isinstance(v.certified, NotCertified)
    assert "unbounded" in v.certified.reason


# --- a target that no expression says ---------------------------------------------------------------------------------

class Bump:
    """x·|x|, by hand."""

    inputs = 1
    again = False
    text = unicode = latex = "x|x|"
    shape: Shape = None
    kinks: tuple[fmpq, ...] = ()

    def exact(self, point: Sequence[Fraction]) -> Fraction | None:
        return point[0] * abs(point[0])

    def at(self, point: Sequence[fmpq]) -> fmpq | arb:
        return point[0] * abs(point[0])

    def near(self, point: Sequence[Fraction], digits: int) -> Fraction:
        return point[0] * abs(point[0])

    def over(self, box: Sequence[arb]) -> arb:
        low, high = box[0].lower(), box[0].upper()
        return (low * abs(low)).union(high * abs(high))

    def gradient(self, box: Sequence[arb]) -> list[arb]:
        return [2 * abs(box[0])]

    def second(self, box: Sequence[arb]) -> arb:
        raise Undecided("x|x| has no second derivative at 0.")

    def image(self, box: Sequence[Ends]) -> Ends:
        low, high = box[0]
        return None if low is None else low * abs(low), None if high is None else high * abs(high)

    def slopes(self, exact: Sequence[Ends], perturbed: Sequence[Ends]) -> list[tuple[Ends, ...]]:
        size = max(abs(e) for ends in (*exact, *perturbed) for e in ends if e is not None)
        return [((F(0), 2 * size),)]

    def modulus(self, box: Sequence[Ends], shift: Fraction) -> Fraction | None:
        (low, high), = box
        assert low is not None
        assert high is not None
        return modulus_of(self.slopes(box, [(low - shift, high + shift)]), shift)


def test_an_object_with_the_same_interface_is_certified_too() -> None:
    knots = grid(F(-1), F(1), 8)
    bump: AnyTarget = Bump()
    network = chords(knots, [k * abs(k) for k in knots])
    v = verify_network(network, [bump], [(F(-1), F(1))], F(1, 63), digits=20)
    assert v.holds is True
    assert v.proved is not None
    assert F(1, 64) <= v.proved.error <= F(1, 64) * F(1001, 1000), "chords of x² with step 1/4 err by (1/8)²"
    shifted = verify_network(network, [bump], [(F(-7, 8), F(7, 8))], F(1), digits=20, shift=F(1, 100))
    assert shifted.proved is not None
    assert shifted.proved.error >= F(1, 64) + F(1, 100) * 2 * F(7, 8)


def test_methods_are_told_apart_by_shape_and_size() -> None:
    """At least one method applies to every target of one or two inputs."""
    from boundcalc.verify.program import program_of
    line = program_of(chords(grid(F(0), F(1), 2), [F(0), F(1), F(1)]))
    plane = program_of(planes())
    for text, program in (("exp(x)", line), ("abs(x)", line), ("1/x", line), ("exp(x*y)", plane), ("max(x, y)", plane)):
        t = Target.of(text, dict.fromkeys(program.inputs, 1))
        assert [m for m in certify.METHODS if m.applies(program, t)], text
    specials = [m for m in certify.METHODS if m.applies(plane, Target.of("exp(x*y)", {"x": 1, "y": 1}))]
    assert len(specials) == 1
