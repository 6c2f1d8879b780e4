"""Slopes of numeric layers: the hull by vertices of the error box is that of all 2^units slope vectors, and fast."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.derivation.fold import derive
from boundcalc.derivation.hulls import MOST_COORDINATES, HullRow, Zonotope, hull_row
from boundcalc.derivation.profile import GainRow
from boundcalc.formulas.interval import Interval, signed_parts
from boundcalc.gates import gate
from boundcalc.terms.linear import Block, Form, Ref, affine, var
from boundcalc.terms.term import Ramps, Seq, Unit
from boundcalc.terms.with_gate import lower

NUMBERS = st.fractions(-3, 3, max_denominator=4)
NAMES = ("a", "b", "c", "d")


def rational(x: Fraction) -> sp.Expr:
    return sp.Rational(x.numerator, x.denominator)


def written_out(z: Zonotope) -> GainRow:
    found = []
    for chosen in product((0, 1), repeat=len(z.vectors)):
        on = [v for s, v in zip(chosen, z.vectors, strict=True) if s]
        total = {ref: z.start.get(ref, Fraction(0)) + sum(v.get(ref, Fraction(0)) for v in on) for ref in z.refs()}
        found.append({ref.block: signed_parts(rational(c)) for ref, c in total.items()})
    return GainRow(tuple(found))


@settings(max_examples=25, deadline=None)
@given(st.lists(NUMBERS, min_size=4, max_size=4),
       st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=1, max_size=5),
       st.lists(st.tuples(NUMBERS, st.fractions(0, 2, max_denominator=3)), min_size=4, max_size=4), st.booleans())
def test_it_is_the_hull_of_all_slope_vectors(start: list[Fraction], vectors: list[list[Fraction]],
                                             errors: list[tuple[Fraction, Fraction]], symbolic: bool) -> None:
    unit = sp.Symbol("eta", positive=True) if symbolic else sp.S.One
    refs = [Ref(name) for name in NAMES]
    z = Zonotope(dict(zip(refs, start, strict=True)), tuple(dict(zip(refs, v, strict=True)) for v in vectors))
    incoming = {name: Interval(rational(low) * unit, rational(low + width) * unit)
                for name, (low, width) in zip(NAMES, errors, strict=True)}
    quick, slow = hull_row([z]), written_out(z)
    one = {sp.Symbol("eta", positive=True): sp.S.One}
    for mine, theirs in zip((quick.push(incoming).lo, quick.push(incoming).hi),
                            (slow.push(incoming).lo, slow.push(incoming).hi), strict=True):
        assert sp.simplify(mine.xreplace(one) - theirs.xreplace(one)) == 0
    assert quick.norm() == slow.norm()
    assert quick.lipschitz().keys() == slow.lipschitz().keys()
    assert all(quick.lipschitz()[b] >= g for b, g in slow.lipschitz().items())


def test_errors_of_unlike_sizes_are_enclosed() -> None:
    """No common unit: box by box, which is no less."""
    eta, xi = sp.symbols("eta xi", positive=True)
    z = Zonotope({Ref("a"): Fraction(1)}, ({Ref("a"): Fraction(-2), Ref("b"): Fraction(1)}, {Ref("b"): Fraction(-3)}))
    found = hull_row([z]).push({"a": Interval(-eta, eta), "b": Interval(sp.S.Zero, xi)})
    at = {eta: sp.S(2), xi: sp.S(5)}
    exact = written_out(z).push({"a": Interval.of(-2, 2), "b": Interval.of(0, 5)})
    assert found.lo.xreplace(at) <= exact.lo
    assert found.hi.xreplace(at) >= exact.hi


def test_many_coordinates_are_enclosed() -> None:
    refs = [Ref(f"x{k}") for k in range(MOST_COORDINATES + 1)]
    z = Zonotope({}, tuple({a: Fraction(1), b: Fraction(-1)} for a, b in pairwise(refs)))
    box = {ref: (Fraction(-1), Fraction(1)) for ref in refs}
    assert z.largest(box) >= MOST_COORDINATES            # alternating errors: half of the differences are 2
    assert z.largest({ref: box[ref] for ref in refs[:4]}) == 4      # by vertices


def network(units: int) -> Seq:
    """Four gated values, then a layer with many units that mix them."""
    x = (Block("x"), Block("y"))
    first_units = tuple(Unit(f"r{k}", f"z{k}") for k in range(4))
    pre = affine(x, {f"z{k}": (k - 2) * var("x") + (1 - k) * var("y") + k for k in range(4)})
    first = Ramps("first", pre, first_units, affine((*pre.outputs, *(Block(f"r{k}") for k in range(4))),
                                                    {name: var(f"r{k}") for k, name in enumerate(NAMES)}))
    mixed = {f"u{j}": sum((((j * (k + 3)) % 7 - 3) * var(name) for k, name in enumerate(NAMES)), Form()) + j % 5 - 2
             for j in range(units)}
    second = affine(tuple(Block(name) for name in NAMES), mixed)
    total = sum((sp.Rational((j % 5) - 2, 3) * var(f"s{j}") for j in range(units)), Form())
    last = Ramps("second", second, tuple(Unit(f"s{j}", f"u{j}") for j in range(units)),
                 affine((*second.outputs, *(Block(f"s{j}") for j in range(units))), {"f": total}))
    return Seq((first, last))


DOMAIN = {"x": Interval.of(-1, 1), "y": Interval.of(-1, 1)}


def test_two_hundred_units_take_about_a_second() -> None:
    start = time.process_time()
    profile = derive(lower(network(200), gate("silu")), DOMAIN)
    assert isinstance(profile.steps[1].gain["f"], HullRow)
    assert profile.error()["f"]
    assert time.process_time() - start < 6               # about one on an idle machine


@pytest.mark.parametrize("units", [7, 8])
def test_a_layer_has_the_same_error_either_way(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    term = lower(network(units), gate("silu"))
    quick = derive(term, DOMAIN).error()["f"]["gates"]
    monkeypatch.setattr("boundcalc.derivation.hulls.FEW_UNITS", 20)
    monkeypatch.setattr("boundcalc.terms.ranges.FEW_UNITS", 20)
    slow = derive(term, DOMAIN).error()["f"]["gates"]
    assert sp.simplify(quick.lo - slow.lo) == 0
    assert sp.simplify(quick.hi - slow.hi) == 0


def test_one_vector_less_is_seen() -> None:
    """Sabotage: a unit that is forgotten makes the hull too small."""
    z = Zonotope({}, tuple({Ref("a"): Fraction(k + 1)} for k in range(8)))
    less = Zonotope({}, z.vectors[:-1])
    error = {"a": Interval.of(-1, 1)}
    assert hull_row([less]).push(error).hi < hull_row([z]).push(error).hi == 36
