"""The worst point of a product pairs two directions: the search finds it, and the certificate is hardly above."""

from __future__ import annotations

from fractions import Fraction

import pytest

from boundcalc.results.bound import bound
from boundcalc.verify.verification import verify


@pytest.mark.parametrize("eps", ["1e-2", "1e-3", "1e-4", "1e-5", "1e-6"])
def test_certified_and_observed_errors_agree(eps: str) -> None:
    b = bound("mult", eps=eps)
    found = verify(b)
    assert found.proved is not None
    assert found.observed.error <= found.proved.error <= Fraction(101, 100) * found.observed.error
    assert b.total.upper is not None
    assert found.proved.error <= b.total.upper


def test_the_joint_lemma_is_nearly_attained() -> None:
    """Q3 at ε = 10^(−3), m = 5, β = 49.65676: 1 + 150/β² = 1.061, and what is observed is within 8 % of the bound."""
    b = bound("mult", eps="1e-3")
    assert [x.label for x in b.analysis.lemmas] == ["Q1", "Q3"]
    assert b.total.upper is not None
    assert verify(b).observed.error >= b.total.upper / Fraction(108, 100)
