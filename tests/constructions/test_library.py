"""The numbers that the library of targets promises, and what it refuses."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations
from pathlib import Path

import pytest

from boundcalc.constructions._comparators import batcher, layered, needed, ranked
from boundcalc.declarations.record import Family
from boundcalc.declarations.registry import construction, named
from boundcalc.errors import BoundcalcError, InvalidInput
from boundcalc.formulas.target import Target
from boundcalc.lemmas.tables import chord_table, too_few
from boundcalc.results.bound import Bound, bound

CHORDS = [("sqrt", "sqrt(x)", {"range": "0,1", "eps": "1e-3"}, 16), ("exp", "exp(x)", {"range": "0,5", "eps": "1e-3"}, 177),
          ("log", "log(x)", {"range": "1/100,100", "eps": "1e-4"}, 231),
          ("sqrt", "sqrt(x)", {"range": "1/100,4", "eps": "1e-4"}, 55),
          ("univariate", "x**2", {"f": "x**2", "range": "0,1", "eps": "1e-3"}, 12)]


def counts(b: Bound, *names: str) -> list[int]:
    return [int(b.resources[name].exact or 0) for name in names]


@pytest.mark.parametrize(("name", "text", "given", "least"), CHORDS)
def test_chords_are_the_least(name: str, text: str, given: dict[str, str], least: int) -> None:
    b = bound(name, gate="ffn", **given)        # type: ignore[arg-type]
    assert b.values["N"] == least
    with pytest.raises(BoundcalcError, match="too small"):
        bound(name, gate="ffn", N=least - 1, **given)       # type: ignore[arg-type]
    low, high = (F(x) for x in given["range"].split(","))
    target, eps = Target.of(text, {"x": 1}), F(given["eps"])
    assert too_few(chord_table(target, low, high, least - 1), eps)
    assert not too_few(chord_table(target, low, high, least), eps)      # the proof would be wrong


def test_the_closed_form_of_the_root_is_the_number_of_pieces() -> None:
    for given in ({"range": "0,1", "eps": "1e-3"}, {"range": "1/100,4", "eps": "1e-4"}, {"range": "100,200", "eps": "1/70"}):
        b = bound("sqrt", gate="ffn", **given)      # type: ignore[arg-type]
        choice = next(c for c in b.choices if c.name == "N")
        assert choice.rule is not None
        assert b.value(choice.rule)[1] == choice.value


def test_changes_of_sign_cost_at_most_two_pieces_each() -> None:
    whole = bound("univariate", f="sin(x)", range="0,628/100", eps="1e-3", gate="ffn").values["N"]
    parts = [bound("univariate", f="sin(x)", range=r, eps="1e-3", gate="ffn").values["N"]
             for r in ("0,157/50", "157/50,628/100")]
    assert sum(parts) - 2 <= whole <= sum(parts) + 2


def test_what_is_exact_is_exact() -> None:
    for name in ("tanh", "sigmoid"):
        b = bound(name, range="-4,4", eps="1e-9")
        assert counts(b, "layers", "heads", "tokens") == [1, 1, 2]
        assert b.total.upper == 0


@pytest.mark.parametrize(("name", "given", "wanted"), [
    
    ("median", {"n": 5, "route": "direct"}, (1, 2, 10)), ("kth", {"n": 5, "k": 1, "route": "direct"}, (1, 1, 5)),
    ("switch", {}, (1, 1, 2)), ("step", {"gap": "1/10"}, (1, 1, 2))])
def test_counts(name: str, given: dict[str, object], wanted: tuple[int, int, int]) -> None:
    assert tuple(counts(bound(name, eps="1e-3", **given), "layers", "heads", "tokens")) == wanted   # type: ignore[arg-type]


@pytest.mark.parametrize("n", range(2, 8))
def test_comparators_sort(n: int) -> None:
    """By the principle of zeros and ones it is enough for these."""
    layers = layered(batcher(n))
    assert all(len({w for pair in layer for w in pair}) == 2 * len(layer) for layer in layers)
    for bits in range(2 ** n):
        wires = [bits >> k & 1 for k in range(n)]
        for i, j in (pair for layer in layers for pair in layer):
            wires[i], wires[j] = max(wires[i], wires[j]), min(wires[i], wires[j])
        assert wires == sorted(wires, reverse=True)


def test_only_needed_comparators_are_kept() -> None:
    for k in range(5):
        for order in permutations(range(5)):
            wires = list(order)
            for i, j in needed(batcher(5), [k]):
                wires[i], wires[j] = max(wires[i], wires[j]), min(wires[i], wires[j])
            assert wires[k] == 4 - k


@pytest.mark.parametrize("n", [3, 4, 5])
def test_ranked_expressions_are_order_statistics(n: int) -> None:
    names = [f"x{k}" for k in range(n)]
    numbers = [F(k * k - 3 * k, 2) for k in range(n)]
    for rank in range(1, n + 1):
        target = Target.of(ranked(names, rank), dict.fromkeys(names, 1))
        assert target.exact(numbers) == sorted(numbers, reverse=True)[rank - 1]


@pytest.mark.parametrize(("name", "given", "said"), [
    ("sqrt", {"range": "-1,1"}, "no proved error"), ("sqrt", {"delta": "1e-6"}, "no bounded slope"),
    ("log", {"range": "0,1"}, "stay positive"), ("univariate", {}, "needs --f"),
    ("univariate", {"f": "1/x"}, "no proved error"), ("univariate", {"f": "floor(3*x)"}, "no proved error"),
    ("univariate", {"f": "x*y"}, "neither an input nor a parameter"), ("univariate", {"f": "x;y"}, "cannot be read"),
    ("median", {"n": 0}, "at least"), ("median", {}, "needs --n"),
    ("median", {"n": 4}, "no middle"), ("kth", {"n": 3, "k": 4}, "no 4th"), ("step", {}, "needs --gap"),
    ("step", {"gap": 0}, "positive"), ("step", {"gap": 3}, "outside of its gap"),
    ("switch", {"delta": "1e-9"}, "domain of s"),
    ("cpwl", {"knots": "0:0,0:1"}, "twice"), ("cpwl", {"knots": "0:0,2:1,1:0"}, "behind"), ("cpwl", {"knots": "0:0"}, "One"),
    ("cpwl", {"knots": "0:0,1"}, "no point"), ("cpwl", {"knots": "absent.csv"}, "Cannot read")])
def test_refused_with_what_would_work(name: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as problem:
        bound(name, eps="1e-3", **given)        # type: ignore[arg-type]
    assert problem.value.remedy


def test_a_member_is_found_by_its_name(tmp_path: Path) -> None:
    assert named("median", {"n": 3, "eps": "1e-3"}) == ("median[n=3]", {"eps": "1e-3"})
    made = construction("median[n=3]")
    assert made is construction("median[n=3]")
    assert (made.name, len(made.inputs)) == ("median[n=3]", 3)
    assert isinstance(made.family, Family)
    with pytest.raises(InvalidInput, match="no parameter"):
        construction("median[q=3]")
    points = tmp_path / "points.csv"
    points.write_text("0,0\n1/3,1\n1,0\n", encoding="utf-8")
    by_file, by_text, by_pairs = (bound("cpwl", knots=k, eps="1e-3") for k in (
        str(points), "0:0,1/3:1,1:0", ((0, 0), ("1/3", 1), (1, 0))))
    assert by_file.network.resources() == by_text.network.resources() == by_pairs.network.resources()
