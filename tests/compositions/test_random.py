"""Random compositions: what the exported network does at 40 digits never exceeds what was derived."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boundcalc.errors import Infeasible
from boundcalc.networks.network import AttentionLayer
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.parts import is_composition
from boundcalc.verify.program import program_of
from tests.selection import whole

from .made import Made, derived, plans

OFF = Fraction(1, 10 ** 36)         # of the evaluation itself


@settings(max_examples=60 if whole() else 3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(plans(), st.sampled_from(["1/2", "1/20", "1e-3"]), st.data())
def test_the_network_keeps_the_derived_bound(made: Made, eps: str, data: st.DataObject) -> None:
    inputs, plan, target = made
    try:
        bound = derived(inputs, plan, target, eps=eps)
    except Infeasible:
        return
    network = bound.network
    attention = [layer for layer in network.layers if isinstance(layer, AttentionLayer)]
    assert bound.resources["layers"].exact == len(attention)
    assert bound.resources["heads"].exact == sum(len(layer.heads) for layer in attention)
    assert bound.resources["tokens"].exact == max((layer.tokens for layer in attention), default=0)
    assert bound.resources["width"].exact == max((layer.dim for layer in attention), default=0)
    assert bound.resources["parameters"].exact == network.parameters
    assert bound.total.upper is not None
    assert bound.total.upper <= Fraction(eps)
    assert bound.composition is not None
    assert is_composition(program_of(network), bound.composition)
    run = Evaluator(network, 40)
    grid = [Fraction(0), Fraction(1), Fraction(1, 2)]
    grid += [Fraction(data.draw(st.integers(0, 2 ** 12)), 2 ** 12) for _ in range(9)]
    for k in range(len(grid)):
        point = [a + (b - a) * grid[(k * (j + 2) + j) % len(grid)] for j, (a, b) in enumerate(inputs.values())]
        value, wanted = to_fraction(run(point)[0]), bound.target_functions[0].exact(point)
        assert wanted is not None
        assert bound.composition.exact(point) == [wanted]
        assert abs(value - wanted) <= bound.total.upper + OFF
