"""What constructions declare about themselves is certified: their own cases, by `verify`."""

from __future__ import annotations

import pytest

from boundcalc.declarations.registry import is_path
from boundcalc.verify.verification import verify

from .cases import CHOSEN, Case, built
from .points import one_copy

OWN = [c for c in CHOSEN if c.own and not c.sequence]
CERTIFIED_INPUTS = 2            # with more of them only networks and targets of special forms are certified


@pytest.mark.parametrize("case", OWN, ids=str)
def test_certified_within_eps(case: Case) -> None:
    b = built(case)
    found = verify(b)
    assert found.derived is not None
    assert found.observed.error <= found.derived
    special = not is_path(case.name) and case.declaration.family is None
    assert found.holds or (found.holds is None and not special and one_copy(b) > CERTIFIED_INPUTS), found
    if found.holds:
        assert found.proved is not None
        assert found.observed.error <= found.proved.error <= b.values.get("eps", found.derived)


def test_every_construction_has_cases_of_its_own() -> None:
    assert {(c.name, c.route, c.gate) for c in OWN} >= {(c.name, c.route, c.gate) for c in CHOSEN if is_path(c.name)}
    assert {c.name for c in OWN} == {c.name for c in CHOSEN}
