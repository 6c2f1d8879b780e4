"""Families against the networks that are written from them; heads against the tokens that they look at."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
from flint import fmpq

from boundcalc.formulas.enclosure import Undecided
from boundcalc.networks.families import AffineFamilies, AttentionFamilies, NetworkFamilies, Quotient
from boundcalc.networks.network import AffineLayer, AttentionLayer, Network
from boundcalc.results.bound import bound, numbers
from boundcalc.terms.flat import FlatNetwork, flatten_repeats
from boundcalc.terms.materialise import families
from boundcalc.terms.term import Affine, substitute
from boundcalc.verify import family_program
from boundcalc.verify.enclose import enclose
from boundcalc.verify.evaluate import Evaluator, to_fraction
from boundcalc.verify.family_program import FamilyTokens, program_of_families
from boundcalc.verify.program import Grid, LayerReader, program_of
from boundcalc.verify.search import LARGEST
from boundcalc.verify.verification import verify

F = Fraction
NETWORKS: list[tuple[str, dict[str, object]]] = [
    ("relu", {"gate": "anchor", "p": 7, "M": 2}), ("clip", {"gate": "anchor", "p": 9, "range": (0, 1)}),
    ("clip", {"gate": "anchor", "eps": "1/10", "range": (0, 1), "temperature": "hard", "grid": "midpoint"}),
    ("recip", {"gate": "anchor", "eps": "1/10", "range": ("1/10", 1)}), ("mult", {"gate": "anchor", "eps": "1/10"}),
    ("mult", {"gate": "anchors", "n": 8, "eps": "1/10"}),
    ("max", {"n": 5, "route": "tree", "gate": "anchor", "eps": "1/10"}),
    ("max", {"n": 5, "route": "tree", "eps": "1/10"}), ("mult", {"gate": "ffn", "eps": "1/10"}),
    ("mult", {"gate": "anchor", "eps": "1/10", "d": 3})]


@pytest.mark.parametrize(("name", "given"), NETWORKS, ids=str)
def test_a_family_is_read_as_its_file_is(name: str, given: dict[str, object]) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    assert program_of_families(b.families, many=0) == program_of_families(b.families) == program_of(b.network)


LARGE: list[tuple[str, dict[str, object]]] = [
    ("clip", {"gate": "anchor", "eps": "1e-5", "range": (0, 1)}),
    ("clip", {"gate": "anchors", "eps": "1e-5", "range": (0, 1)}),
    ("max", {"n": 3, "route": "tree", "gate": "anchor", "eps": "1e-4"})]


@pytest.mark.parametrize(("name", "given"), LARGE, ids=str)
def test_a_large_family_is_read_as_its_file_is(name: str, given: dict[str, object]) -> None:
    b = bound(name, **given)  # type: ignore[arg-type]
    assert b.network.parameters > 5000
    assert program_of_families(b.families, many=0, some=0) == program_of(b.network)


HUGE: list[tuple[str, dict[str, object]]] = [
    ("clip", {"gate": "anchor", "eps": "1e-9", "range": (0, 1)}), ("abs", {"gate": "anchor", "eps": "1e-8", "M": 3}),
    ("max", {"n": 8, "route": "tree", "gate": "anchor", "eps": "1e-9"})]


@pytest.mark.parametrize(("name", "given"), HUGE, ids=str)
def test_tokens_at_random_places_are_those_of_the_term(name: str, given: dict[str, object]) -> None:
    """Of a hundred million tokens some are written out on their own, by sympy: numbers take the place of indices before
    anything is compiled. They are what the certificate reads."""
    b = bound(name, **given)  # type: ignore[arg-type]
    layout, layer = b.families.layers[:2]
    assert isinstance(layout, AffineFamilies)
    assert isinstance(layer, AttentionFamilies)
    tokens = FamilyTokens(layout, LayerReader(b.families.inputs).start(), layer)
    flat = substitute(b.analysis.flat, {s: sp.Rational(v.numerator, v.denominator) for s, v in numbers(b.values).items()})
    first, *others = flatten_repeats(flat.parts)
    assert isinstance(first, Affine)
    rng, seen = random.Random(3), 0
    for row in first.map.rows:
        if row.form.terms:
            continue
        for _ in range(20):
            at = {i.symbol: sp.Integer(rng.choice(i.values())) for i in row.over}
            alone = replace(first, map=replace(first.map, rows=(substitute(replace(row, over=()), at),)))
            small = FlatNetwork(flat.inputs, flat.outputs, (alone, *others))
            written = families(small, {}, b.families.inputs, ("y",)).layers[0]
            assert isinstance(written, AffineFamilies)
            for place, above, below in written.bias.entries():
                assert tokens.entry(place) == fmpq(above, below)
                seen += place > 10**6
    assert seen > 20


TELESCOPING: list[tuple[str, dict[str, object]]] = [
    ("clip", {"n": 5, "H": 7, "range": (0, 1)}), ("clip", {"n": 5, "H": 1, "range": (0, 1)}), ("hat", {"n": 4, "H": 3}),
    ("recip", {"n": 8, "eps": "1/10", "range": ("1/10", 1)}), ("mult", {"n": 8, "eps": "1/10"}),
    ("max", {"n": 5, "route": "tree", "eps": "1/10"})]


@pytest.mark.parametrize(("name", "given"), TELESCOPING, ids=str)
def test_heads_are_read_by_families_as_one_by_one(name: str, given: dict[str, object]) -> None:
    b = bound(name, gate="anchors", **given)  # type: ignore[arg-type]
    assert program_of_families(b.families, some=0) == program_of(b.network)


def with_changed_heads(families: NetworkFamilies, block: str, top: tuple[int, tuple[int, ...]]) -> NetworkFamilies:
    """One more monomial in the last family of a block of the first heads."""
    layer = families.layers[1]
    assert isinstance(layer, AttentionFamilies)
    head, *others = layer.heads
    *before, last = getattr(head, block).families
    changed = replace(last, value=replace(last.value, top=(*last.value.top, top)))
    other = replace(head, **{block: replace(getattr(head, block), families=(*before, changed))})
    return replace(families, layers=(families.layers[0], replace(layer, heads=(other, *others)), *families.layers[2:]))


@pytest.mark.parametrize(("block", "top"), [("Q", (1, (2,))), ("V", (1, (1,))), ("K", (1, (1,)))])
def test_heads_that_are_not_affine_in_their_number_are_not_guessed(block: str, top: tuple[int, tuple[int, ...]],
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read one by one, or not at all."""
    b = bound("clip", gate="anchors", n=5, H=7, range=(0, 1))
    changed = with_changed_heads(b.families, block, top)
    assert program_of_families(changed, some=0) == program_of(changed.network())
    monkeypatch.setattr(family_program, "MANY", 6)
    with pytest.raises(Undecided):
        program_of_families(changed, some=0)


def test_heads_that_do_not_carry_on_where_another_ends_are_no_staircase() -> None:
    b = bound("clip", gate="anchors", n=5, H=7, range=(0, 1))
    layer = b.families.layers[1]
    assert isinstance(layer, AttentionFamilies)
    (head,) = layer.heads
    shifted = []
    for f in head.Q.families:
        assert isinstance(f.value, Quotient)
        top = tuple((2 * c if e == (1,) else c, e) for c, e in f.value.top)
        shifted.append(replace(f, value=replace(f.value, top=top)))
    other = replace(layer, heads=(replace(head, Q=replace(head.Q, families=tuple(shifted))),))
    with pytest.raises(Undecided):
        program_of_families(replace(b.families, layers=(b.families.layers[0], other, *b.families.layers[2:])), some=0)


def test_millions_of_heads_are_certified_for_the_family() -> None:
    b = bound("clip", gate="anchors", eps="1e-9", range=(0, 1))
    assert (b.resources["heads"].exact or 0) > 10**6
    found = verify(b)
    assert found.proved is not None
    assert (found.holds, found.proved.of) == (True, "family")
    assert found.proved.error <= found.observed.error * F(1001, 1000)


@pytest.mark.parametrize(("name", "given"), NETWORKS[:5], ids=str)
def test_a_family_that_differs_from_its_file_in_one_entry_is_seen(name: str, given: dict[str, object]) -> None:
    """Changed is the constant of the last grid of the family, then a single entry of the file."""
    b = bound(name, **given)  # type: ignore[arg-type]
    layout = b.families.layers[0]
    assert isinstance(layout, AffineFamilies)
    *others, grid = layout.bias.families
    assert isinstance(grid.value, Quotient)
    moved = replace(grid, value=replace(grid.value, top=(*grid.value.top, (1, (0,)))))
    other = NetworkFamilies(b.families.inputs, b.families.outputs, (
        replace(layout, bias=replace(layout.bias, families=(*others, moved))), *b.families.layers[1:]))
    written = b.network.layers[0]
    assert isinstance(written, AffineLayer)
    place, x = written.bias.entries[-1]
    bias = replace(written.bias, entries=(*written.bias.entries[:-1], (place, x + F(1, 10**9))))
    changed = replace(b.network, layers=(replace(written, bias=bias), *b.network.layers[1:]))
    assert program_of_families(other, many=0) == program_of(other.network())
    assert program_of(changed) != program_of_families(b.families, many=0)


def test_what_is_too_large_to_be_written_is_certified_for_the_family() -> None:
    b = bound("clip", gate="anchor", eps="1e-7", range=(0, 1))
    entries = b.resources["parameters"].exact
    assert entries is not None
    assert entries > LARGEST
    found = verify(b)
    assert found.proved is not None
    assert (found.holds, found.proved.of, found.observed.by) == (True, "family", "balls")
    assert found.proved.error <= found.observed.error * F(1001, 1000)
    small = verify(bound("clip", gate="anchor", eps="1e-2", range=(0, 1)))
    assert small.proved is not None
    assert (small.proved.of, small.observed.by) == ("file", "mpmath")
    # the error is that of one cell: it is proportional to the spacing
    ratio = found.proved.error / small.proved.error * (int(b.values["p"]) - 1) / (int(small_p()) - 1)
    assert abs(ratio - 1) < F(1, 10**4)


def small_p() -> Fraction:
    return bound("clip", gate="anchor", eps="1e-2", range=(0, 1)).values["p"]


def test_many_entries_that_are_no_quadratic_are_not_guessed() -> None:
    b = bound("clip", gate="anchor", eps="1e-7", range=(0, 1))
    layout = b.families.layers[0]
    assert isinstance(layout, AffineFamilies)
    *others, grid = layout.bias.families
    assert isinstance(grid.value, Quotient)
    for changed in (replace(grid, value=replace(grid.value, top=((1, (3,)),))),
                    replace(grid, own=(range(1, int(b.values["p"])),))):
        other = replace(layout, bias=replace(layout.bias, families=(*others, changed)))
        with pytest.raises(Undecided):
            program_of_families(replace(b.families, layers=(other, *b.families.layers[1:])))


# --- staircases -------------------------------------------------------------------------------------------------------

def staircase(count: int, shifts: list[int], factors: list[int]) -> Network:
    """Heads over the same anchors, each with its own shift and factor."""
    b = bound("clip", gate="anchors", n=count, H=len(shifts), range=(0, len(shifts) * (count - 1)))
    layer = b.network.layers[1]
    assert isinstance(layer, AttentionLayer)
    heads = []
    for head, shift, factor in zip(layer.heads, shifts, factors, strict=True):
        z = next(entry for entry in head.Q.entries if entry[0] == 0)
        one = next(entry[1] for entry in layer.heads[1].Q.entries if entry[0] == 0 and entry[1] != z[1])
        second = [entry for entry in head.Q.entries if entry[0] == 1]
        query = replace(head.Q, entries=tuple(sorted([z, (0, one, F(-2 * shift)), *second])))
        values = replace(head.V, entries=tuple((i, j, factor * x) for i, j, x in head.V.entries))
        heads.append(replace(head, Q=query, V=values))
    return replace(b.network, layers=(b.network.layers[0], replace(layer, heads=tuple(heads)), *b.network.layers[2:]))


@pytest.mark.parametrize(("shifts", "factors", "stairs"), [
    ([0, 4, 8], [1, 1, 1], [3]),                # each carries on where the last one ends
    ([0, 4, 7], [1, 1, 1], [1, 2]),             # one token too early: it does not
    ([0, 4, 9], [1, 1, 1], [1, 2]),             # or too late
    ([0, 4, 8], [1, 1, 2], [1, 2]),             # another factor
    ([0, 4, 4], [1, 1, 1], [1, 2]),             # twice the same
    ([8, 0, 4], [1, 1, 1], [3])])
def test_heads_are_one_staircase_only_where_one_carries_on(shifts: list[int], factors: list[int], stairs: list[int]) -> None:
    network = staircase(5, shifts, factors)
    program = program_of(network)
    assert sorted(a.heads for a in program.atoms if isinstance(a, Grid)) == stairs
    for x in (F(0), F(1, 3), F(4), F(39, 10), F(15, 2), F(25, 2), F(-1)):
        (ball,), (value,) = enclose(program, [x], 30), Evaluator(network, 30)([x])
        assert abs(to_fraction(value) - F(int(ball.mid().fmpq().p), int(ball.mid().fmpq().q))) < F(1, 10**28)


def test_a_staircase_joined_one_token_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the wrong period in mind the third head would be taken for the next step, and the value would be wrong."""
    from boundcalc.verify import program as reading
    whole = reading.staircases
    monkeypatch.setattr(reading, "staircases", lambda heads, count: whole(heads, count - 1))
    network = staircase(5, [0, 3, 6], [1, 1, 1])
    (ball,), (value,) = enclose(program_of(network), [F(15, 2)], 30), Evaluator(network, 30)([F(15, 2)])
    assert abs(to_fraction(value) - F(int(ball.mid().fmpq().p), int(ball.mid().fmpq().q))) > F(1, 10)
