"""Balanced integers: the gates get their quarter, no integer less does; and integers that make one resource least."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundcalc.errors import Infeasible, InvalidInput
from boundcalc.results.bound import Bound, bound
from boundcalc.results.minimum import RESOURCES
from boundcalc.tune.choice import LeastResource, LeavesShare, NearLeast
from tests.selection import examples, few

F = Fraction
TENTH: dict[str, Any] = {"range": ("1/10", "1")}


def why(b: Bound, name: str) -> object:
    return next(c.why for c in b.choices if c.name == name)


def cost(b: Bound, resource: str) -> Fraction:
    found = b.resources[resource].upper
    assert found is not None
    return found


# levels ------------------------------------------------------------------------------------------------------------

@examples(30)
@given(eps=st.fractions(min_value=F(1, 10**9), max_value=F(3)), scale=st.fractions(min_value=F(1, 50), max_value=F(50)),
       gate=st.sampled_from(["silu", "anchor"]))
def test_levels_leave_the_gates_a_quarter_and_no_fewer_do(eps: Fraction, scale: Fraction, gate: str) -> None:
    """The chords of a product on [−M, M]² err by M²·4^(−m−1)."""
    m = int(bound("mult", M=scale, eps=eps, gate=gate).values["m"])
    assert scale**2 / 4 ** (m + 1) <= F(3, 4) * eps
    assert m == 0 or scale**2 / 4**m > F(3, 4) * eps


def test_the_quarter_is_of_what_the_inputs_leave() -> None:
    """Inputs off by δ cost (2M + δ)δ = 0.0006003 at δ = 3·10^(−4) and enlarge the domain to M + δ: the chords may have
    three quarters of 0.0003997, and (1.0003)²·4^(−m−1) is below 0.00029978 from m = 5 on (0.000244, before it 0.000977)."""
    b = bound("mult", eps="1e-3", delta="3e-4")
    assert b.values["m"] == 5
    assert isinstance(why(b, "m"), LeavesShare)
    assert bound("mult", eps="1e-3", delta="3.5e-4").values["m"] == 6       # 3/4 of 0.00029988 is below 0.000244


def test_sides_that_do_not_add_up_need_no_share() -> None:
    """The chords of a square err upwards, silu gates downwards: 4^(−m) ≤ ε is enough. Anchors err both ways."""
    eps = F(1, 4**5)
    assert bound("square", eps=eps).values["m"] == 5
    assert bound("square", eps=eps, gate="anchor").values["m"] == 6
    assert bound("square", eps=eps * F(4, 3), gate="anchor").values["m"] == 5


@pytest.mark.parametrize(("name", "given_", "expected"), [
    # tokens p = 1 + ⌈(8/3 − 2·2^(−m) + 4^(−m)/3)/(4(ε − 4^(−m−1)))⌉: 861.6… at m = 5, ε = 10^(−3), so 863
    ("mult", {"eps": "1e-3", "gate": "anchor"}, {"m": 5, "p": 863}),
    ("mult", {"eps": "1e-4", "gate": "anchor"}, {"m": 6, "p": 16911}),
    # N = ⌈(1 − √(1/10))/√((2/10)(3/4)10^(−4))⌉ = ⌈0.683772/0.00387298⌉ = ⌈176.55⌉
    ("recip", {"eps": "1e-4", "gate": "anchor", **TENTH}, {"N": 177, "p": 217452}),
    ("recip", {"eps": "1e-3", **TENTH}, {"N": 49}),
    ("recip", {"eps": "0.00097365", **TENTH}, {"N": 50})])
def test_numbers_that_were_asked_for(name: str, given_: dict[str, Any], expected: dict[str, int]) -> None:
    values = bound(name, **given_).values
    assert {key: values[key] for key in expected} == expected


def test_less_accuracy_never_costs_more_of_everything() -> None:
    """Around the ε at which the least number of levels changes, β was 639,556 and is below 80."""
    betas = [bound("mult", eps=eps).values["beta"] for eps in ("0.00097656251", "0.00097656249", "0.001")]
    assert max(betas) < 80
    assert betas[2] < betas[0] <= betas[1]
    assert bound("mult", eps="0.00097656251", minimize="layers").values["beta"] > 10**5


# pieces that absorb their gates ------------------------------------------------------------------------------------

@pytest.mark.dear
@pytest.mark.parametrize(("a", "eps"), few([("1/100", "1/2"), ("1/2", "1e-3"), ("1/10", "0.00097365"), ("1/10", "1e-3"),
                                            ("1/10", "0.0077"), ("1/1000", "5")], 2))
def test_pieces_are_the_least_with_twice_the_least_beta(a: str, eps: str) -> None:
    """By trying all: β is at least β₀ = 4/(A·h(2 − h)) > 2N/A·…, so that none beyond three times the least one helps."""
    options: dict[str, Any] = {"range": (a, "1"), "eps": eps}
    found = bound("recip", **options)
    if not isinstance(why(found, "N"), NearLeast):
        pytest.fail("the lemma on absorption was to be used here")
    first = int(bound("recip", minimize="heads", **options).values["N"])
    betas = {n: bound("recip", N=n, **options).values["beta"] for n in range(first, 3 * first + 4)}
    least = min(betas.values())
    assert betas[max(betas)] > least                    # it rises again
    assert found.values["N"] == min(n for n, beta in betas.items() if beta <= 2 * least)
    near = bound("recip", minimize="beta", **options)
    assert near.values["N"] == min(n for n, beta in betas.items() if beta <= F(101, 100) * least)


# --minimize --------------------------------------------------------------------------------------------------------

WISHES: list[tuple[str, dict[str, Any]]] = [
    ("mult", {"eps": "1e-2"}), ("recip", {"eps": "1e-1", **TENTH}), ("mult", {"eps": "1e-2", "gate": "anchor"}),
    ("mult", {"eps": "1e-2", "gate": "anchors"}), ("recip", {"eps": "1e-1", "gate": "anchor", **TENTH}),
    ("square", {"eps": "1e-2", "gate": "anchor", "temperature": "hard", "grid": "left"})]


@pytest.mark.dear
@pytest.mark.parametrize(("name", "options"), few(WISHES, 2))
def test_nothing_else_has_less_of_what_is_minimised(name: str, options: dict[str, Any]) -> None:
    """Against all that was found for other wishes, the balanced choice, and neighbours."""
    found = {wish: bound(name, minimize=wish, **options) for wish in RESOURCES}
    key = "N" if name == "recip" else "m"
    others = [bound(name, **options), *found.values()]
    for wish in RESOURCES:
        for count in (found[wish].values[key] + k for k in (-2, -1, 1, 2)):
            try:
                others.append(bound(name, **{key: count}, **options))
            except (Infeasible, InvalidInput):
                continue
    for wish in RESOURCES:
        slack = F(101, 100) if wish == "beta" else 1
        assert cost(found[wish], wish) <= slack * min(cost(b, wish) for b in others), wish
        assert found[wish].total.upper is not None
        assert found[wish].total.upper <= found[wish].values["eps"]


@pytest.mark.dear
def test_ties_are_decided_in_order() -> None:
    """Silu gates have two tokens whatever m is: then layers decide."""
    assert bound("mult", eps="1e-3", minimize="tokens").values["m"] == 4
    tokens = bound("mult", eps="1e-3", gate="anchor", minimize="tokens")
    m = int(tokens.values["m"])
    assert isinstance(why(tokens, "m"), LeastResource)
    assert cost(bound("mult", eps="1e-3", gate="anchor", m=m - 1), "tokens") > cost(tokens, "tokens")
    assert cost(bound("mult", eps="1e-3", gate="anchor", m=m + 1), "tokens") == cost(tokens, "tokens")


@pytest.mark.dear
def test_beta_falls_for_ever_and_is_near_its_infimum() -> None:
    near = bound("mult", eps="1e-3", minimize="beta")
    m = int(near.values["m"])
    infimum = bound("mult", eps="1e-3", m=m + 40).values["beta"]
    assert near.values["beta"] <= F(101, 100) * infimum
    assert bound("mult", eps="1e-3", m=m - 1).values["beta"] > F(101, 100) * infimum


@pytest.mark.parametrize(("name", "options"), [("max", {"n": 3, "eps": "1e-3"}), ("mult", {"m": 3, "beta": 50}),
                                               ("mult", {"eps": "1e-3", "m": 5}), ("mult", {"eps": "1e-3", "beta": 60})])
def test_what_has_nothing_to_choose_refuses_the_option(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="no integers to choose"):
        bound(name, minimize="heads", **options)


def test_an_unknown_resource_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no resource 'depth'"):
        bound("mult", eps="1e-3", minimize="depth")
