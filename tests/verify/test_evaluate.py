"""The evaluator against a slow reference written straight from the formula of the network format."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

from boundcalc.errors import BoundcalcError, InvalidInput
from boundcalc.networks.file import from_json, to_json
from boundcalc.networks.network import AffineLayer, AttentionLayer, Head, Matrix, Network, ReluLayer, Vector, matrix, vector
from boundcalc.results.bound import Bound, bound
from boundcalc.terms.codes import circle, circle_gap
from boundcalc.verify import evaluate as module
from boundcalc.verify.evaluate import Evaluator, Mpf, evaluate, to_fraction
from tests.selection import examples

F = Fraction


def reference(network: Network, point: list[Fraction], digits: int) -> list[Mpf]:
    """Dense matrices and plain loops, at a precision far above what any of these tests needs."""
    mp = MPContext()
    mp.dps = digits

    def number(x: Fraction) -> Mpf:
        return mp.mpf(x.numerator) / mp.mpf(x.denominator)

    def power(x: Mpf) -> Mpf:
        # e^-5000 < 10^-2000 is far below every precision used here; exp(-10^100) has no place in memory as a fraction
        return mp.exp(x) if x > -5000 else mp.mpf(0)

    def dense(m: Matrix) -> list[list[Mpf]]:
        rows = [[mp.mpf(0)] * m.cols for _ in range(m.rows)]
        for i, j, x in m.entries:
            rows[i][j] = number(x)
        return rows

    def times(rows: list[list[Mpf]], v: list[Mpf]) -> list[Mpf]:
        return [sum((a * b for a, b in zip(row, v, strict=True)), start=mp.mpf(0)) for row in rows]

    v = [number(x) for x in point]
    for layer in network.layers:
        if isinstance(layer, ReluLayer):
            v = [max(x, mp.mpf(0)) for x in v]
        elif isinstance(layer, AffineLayer):
            bias = [mp.mpf(0)] * layer.bias.size
            for i, x in layer.bias.entries:
                bias[i] = number(x)
            v = [a + b for a, b in zip(times(dense(layer.weight), v), bias, strict=True)]
        else:
            z = [v[t * layer.dim : (t + 1) * layer.dim] for t in range(layer.tokens)]
            blocks: list[Mpf] = []
            for i in layer.query:
                block = [mp.mpf(0)] * (layer.heads[0].V.rows if layer.heads else 0)
                for head in layer.heads:
                    q = times(dense(head.Q), z[i])
                    scores = [sum((a * b for a, b in zip(times(dense(head.K), zj), q, strict=True)), start=mp.mpf(0))
                              for zj in z]
                    powers = [power(number(head.beta) * (s - max(scores))) for s in scores]
                    for zj, weight in zip(z, powers, strict=True):
                        block = [a + weight / sum(powers) * b
                                 for a, b in zip(block, times(dense(head.V), zj), strict=True)]
                blocks += block
            if layer.skip is not None:
                added = times(dense(layer.skip), v)
                blocks = [a + b for a, b in zip(blocks, added, strict=True)] if layer.heads else added
            v = blocks
    return v


def assert_close(network: Network, point: list[Fraction], digits: int, extra: int = 400) -> None:
    """Within the promised 10^(-digits)·max(1, |y|), with 10% for the error of the reference itself."""
    for ours, theirs in zip(evaluate(network, point, digits), reference(network, point, digits + extra), strict=True):
        y, truth = to_fraction(ours), to_fraction(theirs)
        assert abs(y - truth) <= F(11, 10) * F(1, 10**digits) * max(F(1), abs(y))


values = st.fractions(-3, 3, max_denominator=50)
betas = st.sampled_from([F(1), F(1, 3), F(1000), F(10**30), F(1, 10**40), F(10**100, 7)])


@st.composite
def matrices(draw: st.DrawFn, rows: int, cols: int) -> Matrix:
    places = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    listed = draw(st.lists(places, unique=True, max_size=6)) if rows else []
    return matrix(rows, cols, [(i, j, draw(values)) for i, j in listed])


@st.composite
def networks(draw: st.DrawFn) -> Network:
    size = inputs = draw(st.integers(1, 3))
    layers: list[AffineLayer | ReluLayer | AttentionLayer] = []
    for _ in range(draw(st.integers(1, 3))):
        dim, tokens = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        listed = draw(st.lists(st.integers(0, dim * tokens - 1), unique=True))
        bias = vector(dim * tokens, [(i, draw(values)) for i in listed])
        layers.append(AffineLayer(draw(matrices(dim * tokens, size)), bias))
        if draw(st.booleans()):
            layers.append(ReluLayer())
        rows = draw(st.integers(1, 2))
        query = tuple(draw(st.lists(st.integers(0, tokens - 1), min_size=1, max_size=3)))
        inner = draw(st.integers(0, 2))
        keys = matrices(inner, dim)
        heads = tuple(Head(draw(keys), draw(keys), draw(matrices(rows, dim)), draw(betas))
                      for _ in range(draw(st.integers(0, 2))))
        size = rows * len(query)
        skip = draw(matrices(size, dim * tokens)) if not heads or draw(st.booleans()) else None
        layers.append(AttentionLayer(dim, tokens, query, skip, heads))
    return Network(tuple("xyz"[:inputs]), tuple(f"y{i}" for i in range(size)), tuple(layers))


@examples(150)
@given(st.data())
def test_random_networks_agree_with_the_reference_at_two_precisions(data: st.DataObject) -> None:
    network = data.draw(networks())
    point = [data.draw(values) for _ in network.inputs]
    for digits in (8, 60):
        assert_close(network, point, digits)


def gate(beta: Fraction) -> Network:
    """silu: z·σ(βz), with the data token (z, 1) and a zero sink."""
    embed = AffineLayer(matrix(4, 1, [(0, 0, 1)]), vector(4, [(1, 1)]))
    head = Head(matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 1, 1)]), matrix(1, 2, [(0, 0, 1)]), beta)
    return Network(("z",), ("y",), (embed, AttentionLayer(2, 2, (0,), None, (head,))))


@pytest.mark.parametrize("beta", [F(1, 10**500), F(1, 3), F(1), F(1000), F(10**500)])
@pytest.mark.parametrize("scale", [F(0), F(1, 7), F(-1, 7), F(2), F(-50)])
def test_the_silu_gate_at_small_and_huge_temperatures(beta: Fraction, scale: Fraction) -> None:
    z = scale / beta   # where the gate is sensitive
    mp = MPContext()
    mp.dps = 1200
    for point in (z, scale):
        for digits in (30, 80):
            (y,) = evaluate(gate(beta), [point], digits)
            argument = mp.mpf(beta.numerator) / beta.denominator * point.numerator / point.denominator
            # beyond 5000 the gate is ρ to 2000 digits
            truth = (max(point, F(0)) if abs(argument) > 5000
                     else to_fraction(mp.mpf(point.numerator) / point.denominator / (1 + mp.exp(-argument))))
            assert abs(to_fraction(y) - truth) <= F(1, 10**digits) * max(F(1), abs(truth))


def test_small_errors_of_a_gate_are_resolved() -> None:
    """ρ(z) − silu(z) at β = 10^500 is of size 10^-500; with enough digits it comes out right."""
    beta = F(10**500)
    (y,) = evaluate(gate(beta), [1 / beta], 520)
    error = (1 / beta - to_fraction(y)) * beta
    mp = MPContext()
    mp.dps = 30
    assert abs(error - to_fraction(1 / (1 + mp.exp(1)))) < F(1, 10**19)


def test_nearly_equal_scores_at_a_huge_temperature() -> None:
    """Scores 1 and 1 + 10^-60 at β = 10^60: the weights are σ(±1), which 30 digits of the scores would not show."""
    tokens = AffineLayer(Matrix(4, 1), vector(4, [(0, 1), (1, 0), (2, 1 + F(1, 10**60)), (3, 1)]))
    head = Head(matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 1, 1)]), F(10**60))
    network = Network(("x",), ("y",), (tokens, AttentionLayer(2, 2, (0,), None, (head,))))
    (y,) = evaluate(network, [F(0)], 30)
    mp = MPContext()
    mp.dps = 50
    assert abs(to_fraction(y) - to_fraction(1 / (1 + mp.exp(-1)))) <= F(1, 10**30)


def test_precision_is_raised_where_the_first_guess_fails() -> None:
    """Scores of size 10^80 that cancel: nothing in the weights tells how close they are."""
    tokens = AffineLayer(matrix(4, 1, [(0, 0, 1), (2, 0, 1)]), vector(4, [(2, 1), (3, 1)]))
    head = Head(matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 1, 1)]), F(1, 10**80))
    network = Network(("x",), ("y",), (tokens, AttentionLayer(2, 2, (0,), None, (head,))))
    assert_close(network, [F(10**80) + F(1, 3)], 30)


def test_many_tokens() -> None:
    """n equal scores average; one score ahead by γ keeps (n−1)e^(−βγ)/(1+(n−1)e^(−βγ)) off itself (lemma S3)."""
    n = 2000
    tokens = AffineLayer(matrix(2 * n, 1, [(0, 0, 1)]), vector(2 * n, [(1, 1), *((2 * t, 0) for t in range(1, n))]))
    head = Head(matrix(1, 2, [(0, 1, 1)]), matrix(1, 2, [(0, 0, 1)]), matrix(1, 2, [(0, 1, 1)]), F(5))
    network = Network(("x",), ("y",), (tokens, AttentionLayer(2, n, (0,), None, (head,))))
    (even,) = evaluate(network, [F(0)], 40)
    assert abs(to_fraction(even) - F(1, n)) <= F(1, 10**40)
    (ahead,) = evaluate(network, [F(2)], 40)
    mp = MPContext()
    mp.dps = 60
    assert abs(to_fraction(ahead) - to_fraction(1 / (1 + (n - 1) * mp.exp(-10)))) <= F(1, 10**40)


def test_layers_without_heads_and_affine_layers_are_nearly_exact() -> None:
    layer = AttentionLayer(1, 2, (0, 1), matrix(2, 2, [(0, 1, F(1, 3)), (1, 0, F(10**40))]), ())
    network = Network(("x", "y"), ("u", "v"), (layer,))
    u, v = evaluate(network, [F(3), F(1, 7)], 50)
    assert abs(to_fraction(u) - F(1, 21)) <= F(1, 10**50)
    assert abs(to_fraction(v) - 3 * 10**40) <= F(10**41, 10**50)


def test_results_do_not_depend_on_earlier_points_or_on_export() -> None:
    network = gate(F(1000))
    point = [F(1, 300)]
    evaluator = Evaluator(network, 30)
    evaluator([F(10**200)])
    assert [to_fraction(x) for x in evaluator(point)] == [to_fraction(x) for x in evaluate(network, point, 30)]
    assert [to_fraction(x) for x in evaluate(from_json(to_json(network)), point, 30)] \
        == [to_fraction(x) for x in evaluator(point)]


def test_the_global_precision_of_mpmath_is_left_alone() -> None:
    before = mpmath.mp.prec
    evaluate(gate(F(10**50)), [F(1, 3)], 200)
    assert mpmath.mp.prec == before


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(InvalidInput, match="coordinates"):
        evaluate(gate(F(1)), [F(1), F(2)])
    with pytest.raises(InvalidInput, match="at least one"):
        evaluate(gate(F(1)), [F(1)], 0)


def test_hopeless_requests_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PRECISION", 512)
    with pytest.raises(BoundcalcError, match="cannot be evaluated"):
        evaluate(gate(F(1)), [F(1)], 400)


@settings(deadline=None)
@given(st.integers(), st.integers(-200, 200))
def test_to_fraction_is_exact(mantissa: int, exponent: int) -> None:
    mp = MPContext()
    mp.prec = 10 + max(mantissa.bit_length(), 1)
    assert to_fraction(mp.ldexp(mp.mpf(mantissa), exponent)) == F(mantissa) * F(2) ** exponent


def test_to_fraction_refuses_what_does_not_fit_in_memory() -> None:
    with pytest.raises(BoundcalcError, match="exponent"):
        to_fraction(MPContext().exp(-(10**30)))


@pytest.mark.parametrize("text", ["inf", "-inf", "nan"])
def test_to_fraction_refuses_what_is_not_a_number(text: str) -> None:
    with pytest.raises(BoundcalcError):
        to_fraction(MPContext().mpf(text))


def test_the_identity_network() -> None:
    assert [to_fraction(x) for x in evaluate(Network(("x",), ("x",), ()), [F(5, 4)], 20)] == [F(5, 4)]
    layer = AffineLayer(Matrix(1, 1), Vector(1))
    assert [to_fraction(x) for x in evaluate(Network(("x",), ("x",), (layer,)), [F(5, 4)], 20)] == [0]


# ---------------------------------------------------------------------------------------------------------------
# sequences: many queries over shared tokens

SEQUENCES: list[tuple[str, dict[str, Any]]] = [
    ("relu", {"eps": "1e-2", "sequence": 4}), ("relu", {"eps": "1e-2", "sequence": 5, "codes": "circle", "d": 2}),
    ("mult", {"eps": "1/10", "sequence": 3}), ("mult", {"eps": "1/10", "sequence": 3, "gate": "ffn"}),
    ("abs", {"eps": "1/10", "sequence": 3, "gate": "anchor"}),
    ("clip", {"eps": "1/10", "sequence": 4, "gate": "anchors", "n": 3}),
    ("clip", {"eps": "1/10", "sequence": 3, "gate": "anchors", "temperature": "hard", "sentinels": True, "range": (-1, 2)}),
    ("hat", {"eps": "1/10", "sequence": 3, "gate": "anchor", "temperature": "hard", "grid": "midpoint"}),
    ("recip", {"eps": "1/10", "sequence": 3, "range": ("1/2", "2")}),
    ("max", {"eps": "1/10", "sequence": 3, "route": "tree", "n": 3}),
    ("square", {"eps": "1/10", "sequence": 3, "delta": "1/1000"}),
]
every_sequence = pytest.mark.parametrize(("name", "options"), SEQUENCES, ids=str)


def random_inputs(b: Bound, rng: random.Random) -> list[Fraction]:
    low, high = b.domains()[0]
    a, c = (F(-30), F(30)) if low is None or high is None else (low, high)
    return [a + (c - a) * F(rng.choice((0, 60, 30, rng.randrange(61))), 60) for _ in range(b.input_count())]


@every_sequence
def test_every_token_of_a_sequence_is_within_eps(name: str, options: dict[str, Any]) -> None:
    b = bound(name, **options)
    length, rng = options["sequence"], random.Random(1)
    assert len(b.network.inputs) == b.input_count()
    assert len(b.network.outputs) % length == 0
    evaluator = Evaluator(b.network, 30)
    for _ in range(8):
        point = random_inputs(b, rng)
        for y, target in zip(evaluator(point), b.target(point), strict=True):
            assert abs(to_fraction(y) - target) <= b.values["eps"]


@every_sequence
def test_other_tokens_are_felt_through_the_leak_only(name: str, options: dict[str, Any]) -> None:
    """The first token keeps its inputs while the others change: its outputs move by at most twice the term `leak`."""
    b = bound(name, **options)
    length, rng = options["sequence"], random.Random(2)
    inputs, outputs = len(b.network.inputs) // length, len(b.network.outputs) // length
    leak = b.error_terms["leak"][1].upper if "leak" in b.error_terms else F(0)
    assert leak is not None
    evaluator = Evaluator(b.network, 30)
    first = random_inputs(b, rng)[:inputs]
    seen = []
    for _ in range(5):
        seen.append([to_fraction(y) for y in evaluator([*first, *random_inputs(b, rng)[inputs:]])[:outputs]])
    for values in zip(*seen, strict=True):
        assert max(values) - min(values) <= 2 * leak + F(1, 10**25)


@every_sequence
def test_a_sequence_agrees_with_the_reference(name: str, options: dict[str, Any]) -> None:
    b = bound(name, **options)
    assert_close(b.network, random_inputs(b, random.Random(3)), 20, extra=40)


@every_sequence
def test_the_network_of_a_sequence_has_the_derived_counts(name: str, options: dict[str, Any]) -> None:
    b = bound(name, **options)
    found = b.network.resources()
    for key in ("layers", "heads", "heads_per_layer", "tokens", "width", "parameters", "magnitude", "beta", "neurons",
                "relu_layers"):
        assert found[key] == b.resources[key].exact, key
    assert from_json(to_json(b.network)) == b.network
    for layer in b.network.layers:
        if isinstance(layer, AttentionLayer):
            assert layer.query == tuple(range(options["sequence"]))


@pytest.mark.parametrize(("name", "options"), [
    ("relu", {"M": 1}), ("mult", {}), ("clip", {"gate": "anchor"}), ("abs", {"gate": "anchors"})])
def test_a_sequence_shares_heads_and_tokens_of_constants(name: str, options: dict[str, Any]) -> None:
    """Heads are as many as for one token; the tokens are L more than those of constants (all but the data token of silu)."""
    length = 6
    many = bound(name, eps="1e-2", sequence=length, **options)
    chosen = {c.name: c.value for c in many.choices if c.name in ("m", "p", "n", "H", "beta")}
    one = bound(name, **{**options, **chosen})
    assert many.resources["heads"].exact == one.resources["heads"].exact
    constants = one.resources["tokens"].exact
    assert constants is not None
    own = 0 if many.analysis.gate in ("anchor", "anchors") else 1
    assert many.resources["tokens"].exact == constants - own + length


# position codes ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("length", [2, 3, 4, 5, 7, 8, 12, 31, 64, 101])
def test_codes_on_the_circle_are_on_it_and_apart(length: int) -> None:
    """Exactly of length 1, and the gap is the least 1 − ⟨u_i, u_j⟩ over all pairs."""
    points = circle(length)
    assert len(set(points)) == length
    assert all(x * x + y * y == 1 for x, y in points)
    gap = min(1 - a[0] * b[0] - a[1] * b[1] for i, a in enumerate(points) for b in points[:i])
    assert circle_gap(length) == gap > 0
    if length > 4:
        ideal = 2 * mpmath.pi**2 / length**2
        assert F(4, 5) < F(str(mpmath.mpf(gap.numerator) / gap.denominator / ideal)) < F(6, 5)
