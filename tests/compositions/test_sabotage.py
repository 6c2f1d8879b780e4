"""What would go wrong without one step of the theorem, or with other weights, is seen by evaluating or certifying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from boundcalc.constructions import Plan, Use, var
from boundcalc.derivation import composition
from boundcalc.derivation.composition import Pass, Signal, Span
from boundcalc.networks.network import AffineLayer, AttentionLayer, Matrix, Network
from boundcalc.results.bound import Bound, bound
from boundcalc.results.parts import Part
from boundcalc.results.verification import Certified, NotCertified
from boundcalc.verify import parts
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.parts import certify_part, certify_parts, is_composition
from boundcalc.verify.program import program_of
from boundcalc.verify.verification import verify

from .made import derived

HERE = Path(__file__).parent
OFF = Fraction(1, 10 ** 30)
HALF_TO_TWO = {"x": (Fraction(1, 2), Fraction(2))}


def worst(found: Bound, points: int = 200) -> Fraction:
    """The largest error at equidistant points of the only input, less what 40 digits may be off behind weights of 10⁶."""
    ((low, high),) = found.domains()
    assert low is not None
    assert high is not None
    run = Evaluator(found.network, 40)
    places = [low + (high - low) * Fraction(k, points) for k in range(points + 1)]
    return max(abs(to_fraction(run([x])[0]) - found.target([x])[0]) for x in places) - OFF


def plateau(**said: object) -> Bound:
    """A reciprocal leaves [1/2, 2] a little, where the plateau would end."""
    uses = (Use("r", "recip", {"x": var("x")}, gate="ffn"), Use("q", str(HERE / "plateau.py"), {"x": var("r")}, gate="ffn"))
    return derived(HALF_TO_TWO, Plan(uses, {"f": var("q") + var("r")}), "1 + 1/x", **said)


def test_boxes_are_enlarged(monkeypatch: pytest.MonkeyPatch) -> None:
    right = plateau(eps="1/100")
    assert right.total.upper is not None
    assert worst(right) <= right.total.upper
    monkeypatch.setattr(Pass, "perturbed", lambda self, signal: signal.exact)
    wrong = plateau(eps="1/100")
    assert wrong.total.upper is not None
    assert wrong.total.upper < Fraction(1, 100)
    assert worst(wrong) > 1


def test_every_path_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """p + relu(p + 3) is 2p + 3."""
    def twice() -> Bound:
        uses = (Use("p", "square", {"x": var("x")}, gate="ffn", given={"m": 2}),
                Use("q", "relu", {"x": var("p") + 3}, gate="ffn"))
        return derived({"x": (Fraction(0), Fraction(1))}, Plan(uses, {"f": var("p") + var("q")}), "x**2 + relu(x**2 + 3)")
    right = twice()
    assert right.total.exact == Fraction(1, 32)         # 2·(1/2)²·4^(−2), attained
    assert abs(worst(right, 64) - Fraction(1, 32)) <= OFF
    monkeypatch.setattr(composition, "sums", lambda first, second: tuple(second))
    assert worst(twice(), 64) > (twice().total.upper or 0)


def test_gains_have_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    """In p − 1/p both paths of an error of p go the same way; in relu(p) − p they go against each other."""
    def both(**said: object) -> Bound:
        uses = (Use("p", "square", {"x": var("x")}, gate="ffn", given={"m": 1}),
                Use("r", "recip", {"x": var("p")}, gate="ffn", given={"N": 60}))
        plan = Plan(uses, {"f": var("p") - var("r")})
        return derived({"x": (Fraction(1), Fraction(6, 5))}, plan, "x**2 - 1/x**2", **said)
    right = both()
    assert right.total.upper is not None
    assert worst(right) <= right.total.upper
    through = Pass._through

    def unsigned(self: Pass, name: str, arguments: list[Signal], slope: list[Span]) -> object:
        return through(self, name, arguments, [(min(abs(a), abs(b)), max(abs(a), abs(b))) for a, b in slope])
    monkeypatch.setattr(Pass, "_through", unsigned)
    wrong = both()
    assert wrong.total.upper is not None
    assert worst(wrong) > wrong.total.upper


def test_opposite_paths_are_added_before_absolute_values() -> None:
    uses = (Use("p", "square", {"x": var("x")}, gate="ffn", given={"m": 2}), Use("q", "relu", {"x": var("p")}, gate="ffn"))
    found = derived({"x": (Fraction(0), Fraction(1))}, Plan(uses, {"f": var("q") - var("p")}), "relu(x**2) - x**2")
    assert found.total.exact in (Fraction(0), Fraction(1, 64))          # gain in [−1, 0], not 2


@pytest.fixture(scope="module")
def three() -> Bound:
    return bound(str(HERE / "product_of_three.py"), eps="1e-2")


def changed(network: Network) -> list[Network]:
    """One weight after the other: the first entry of every layer, a little larger."""
    def more(m: Matrix) -> Matrix:
        (i, j, x), *rest = m.entries
        return replace(m, entries=((i, j, x + Fraction(1, 10 ** 9)), *rest))
    found = []
    for k, layer in enumerate(network.layers):
        if isinstance(layer, AffineLayer):
            other: AffineLayer | AttentionLayer = replace(layer, weight=more(layer.weight))
        else:
            assert isinstance(layer, AttentionLayer)
            head = replace(layer.heads[0], V=more(layer.heads[0].V))
            other = replace(layer, heads=(head, *layer.heads[1:]))
        found.append(replace(network, layers=(*network.layers[:k], other, *network.layers[k + 1:])))
    return found


def test_only_the_composition_is_certified(three: Bound) -> None:
    assert three.composition is not None
    domain = tuple((None, None) for _ in three.network.inputs)
    assert is_composition(program_of(three.network), three.composition)
    others = changed(three.network)
    assert len(others) == len(three.network.layers)
    points = [[Fraction(1, 3), Fraction(-2, 7), Fraction(5, 9)], [Fraction(1), Fraction(3, 4), Fraction(-1)]]
    right, refused = [Evaluator(three.network, 40)(p) for p in points], 0
    for other in others:
        program = program_of(other)
        if is_composition(program, three.composition):      # nothing reads the teeth of a last level
            assert [Evaluator(other, 40)(p) for p in points] == right
        else:
            refused += 1
            assert isinstance(certify_parts(three, program, domain, None), NotCertified)
    assert refused >= len(others) - 2


def test_parts_are_certified_on_their_enlarged_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plateau on the range of exact arguments would be certified to be 1 where it is 0."""
    found = plateau(eps="1/100")
    assert found.composition is not None
    p, q = found.composition.parts
    (low, high), = q.box
    assert low < Fraction(1, 2)
    assert high >= 2
    proved = verify(found)
    assert isinstance(proved.certified, Certified)
    assert proved.observed.error <= proved.certified.error <= Fraction(1, 100)
    # a network that switches off inside the enlarged box is not certified, though it is right for exact arguments
    narrow = bound(str(HERE / "plateau.py"), gate="ffn", range=("1/2", "2"))
    wrong = replace(q, bound=narrow)
    alone = certify_part(wrong)
    assert isinstance(alone, Certified)
    assert alone.error > Fraction(1, 2)
    monkeypatch.setattr(parts, "is_composition", lambda *_: True)
    sabotaged = replace(found, composition=replace(found.composition, parts=(p, wrong)))
    program = program_of(found.network)
    outcome = parts._by_parts(sabotaged, program, None)
    assert isinstance(outcome, Certified)
    assert outcome.error > Fraction(1, 2)


def test_a_larger_certificate_enlarges_the_boxes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certificates may be larger than what was derived: then later parts see more, or nothing is said."""
    found = plateau(eps="1/100")
    assert found.composition is not None
    _, q = found.composition.parts
    own, boxes = parts.certify_part, []

    def looser(part: Part, progress: object = None, box: Sequence[Span] | None = None) -> Certified | NotCertified:
        proved = own(part, None, box)
        assert isinstance(proved, Certified)
        boxes.append(box)
        return replace(proved, error=Fraction(1, 100)) if part.name == "r" else proved
    monkeypatch.setattr(parts, "certify_part", looser)
    outcome = parts._by_parts(found, program_of(found.network), None)
    (low, high), = boxes[1]
    assert low <= Fraction(1, 2) - Fraction(1, 100) < q.box[0][0]
    assert high >= 2 + Fraction(1, 100)
    assert isinstance(outcome, Certified)
    assert outcome.error >= 1               # there the plateau has ended
