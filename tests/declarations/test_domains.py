"""Domains that are no boxes: finitely many values, a gap, a side condition."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path

import pytest

from boundcalc.cli.main import main
from boundcalc.declarations.registry import construction
from boundcalc.errors import InvalidInput
from boundcalc.results.bound import bound
from boundcalc.verify.verification import verify
from tests.selection import whole

HEADER = '''"""{title}.

map: ${map}$
routes: recipe
gates: silu, ffn
source: a test
standing: derived

recipe.  One rectifier.
"""

from boundcalc.constructions import (
    Block, Construction, Frame, Input, InputDomain, Output, Ramps, Region, Route, Term, Unit, affine, copies, var)

'''
MASKED = HEADER.format(title="Masked rectifier", map="(s, x) ↦ s·max(x, 0)") + '''
def recipe(frame: Frame) -> Term:
    pre = affine((Block("s"), Block("x")), {"z": var("x") + var("s") - 1})
    return copies(frame, Ramps("masked", pre, (Unit("r", "z"),), affine((*pre.outputs, Block("r")), {"y": var("r")})))

CONSTRUCTION = Construction(
    inputs=(Input("s", InputDomain(Region.FINITE, values=("0", "1"))), Input("x")),
    outputs=(Output("y", "s*relu(x)"),), routes=(Route("recipe", recipe),))
'''
STEP = HEADER.format(title="Step", map="x ↦ (1 + x/|x|)/2") + '''
def recipe(frame: Frame) -> Term:
    pre = affine((Block("x"),), {"z": 5 * var("x") + 1 / frame["two"]})
    post = affine((*pre.outputs, Block("r")), {"y": var("r")})
    return copies(frame, Ramps("step", pre, (Unit("r", "z", 0 * frame["two"], 1 + 0 * frame["two"]),), post))

from boundcalc.constructions import Kind, Parameter
from tests.selection import whole
CONSTRUCTION = Construction(
    inputs=(Input("x", InputDomain(Region.GAP, gap=("-1/10", "1/10"))),),
    outputs=(Output("y", "(1 + x/abs(x))/2"),), routes=(Route("recipe", recipe),),
    parameters=(Parameter("two", Kind.RATIONAL, "the number 2", default="2"),))
'''
ORDERED = HEADER.format(title="Larger minus smaller", map="(x, y) ↦ y − x") + '''
def recipe(frame: Frame) -> Term:
    pre = affine((Block("x"), Block("y")), {"z": var("y") - var("x")})
    return copies(frame, Ramps("gap", pre, (Unit("r", "z"),), affine((*pre.outputs, Block("r")), {"d": var("r")})))

CONSTRUCTION = Construction(
    inputs=(Input("x"), Input("y")), outputs=(Output("d", "y - x"),), routes=(Route("recipe", recipe),), condition="x <= y")
'''


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, text: str) -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return str(path)
    return write


def shown(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main(arguments)
    return capsys.readouterr().out


@pytest.mark.dear
def test_a_finite_domain_is_verified_value_by_value(file: Callable[[str, str], str],
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    path = file("masked", MASKED)
    b = bound(path, eps="1e-2", beta=40)
    assert b.domains() == [(0, 1), (-1, 1)]
    assert list(b.parts_of_domain()) == [[(0, 0), (-1, 1)], [(1, 1), (-1, 1)]]
    found = verify(b, 30)
    assert found.holds is True
    assert found.observed.at["s"] in (0, 1)
    document = json.loads(shown([path, "--eps", "1e-2", "-f", "json"], capsys))
    assert {"statement": "s in {0, 1}", "holds": True} in document["conditions"]
    assert "s in {0, 1}" in shown([path, "--eps", "1e-2"], capsys)
    assert "s in" in shown([path, "--eps", "1e-2", "-f", "latex"], capsys)
    with pytest.raises(InvalidInput, match="takes the values 0, 1 only"):
        bound(path, eps="1e-2", range={"s": ("0", "2")})
    with pytest.raises(InvalidInput, match="lead out of the domain"):
        bound(path, eps="1e-2", delta="1e-3")


def test_outside_the_values_nothing_is_promised(file: Callable[[str, str], str]) -> None:
    """At s = 1/2 the network is far from the target: had the whole box been looked at, it would have failed."""
    b = bound(file("masked", MASKED), eps="1e-2", gate="ffn")
    point = [F(1, 2), F(1, 2)]
    from boundcalc.verify.evaluate import Evaluator, to_fraction
    assert abs(to_fraction(Evaluator(b.network, 20)(point)[0]) - b.target(point)[0]) > F(1, 10)
    assert verify(b, 30).holds is True


@pytest.mark.dear
def test_a_gap_is_left_out(file: Callable[[str, str], str]) -> None:
    b = bound(file("step", STEP), eps="1e-3", gate="ffn")
    assert list(b.parts_of_domain()) == [[(-1, F(-1, 10))], [(F(1, 10), 1)]]
    if whole():             # the error is 0, so that a bound is sharpened until its boxes are used up
        found = verify(b, 30)
        assert found.holds is True
        assert found.observed.error == 0
    soft = verify(bound(file("step", STEP), eps="1e-3"), 30)
    assert soft.holds is True
    assert abs(soft.observed.at["x"]) >= F(1, 10)


def test_a_side_condition_restricts_what_is_observed(file: Callable[[str, str], str]) -> None:
    path = file("ordered", ORDERED)
    c = construction(path)
    assert c.admits([F(0), F(1)], {})
    assert not c.admits([F(1), F(0)], {})
    found = verify(bound(path, eps="1e-2"), 30)
    assert found.holds is not False                     # without the condition, y − x = −2 is missed by 2
    assert found.observed.at["x"] <= found.observed.at["y"]
    assert found.observed.error <= F(1, 100)


@pytest.mark.parametrize(("old", "new", "says"), [
    ('condition="x <= y"', 'condition="x <> y"', "is not a relation"),
    ('condition="x <= y"', 'condition="x <= z"', "is not about the inputs alone"),
])
def test_a_condition_that_says_nothing_is_refused(file: Callable[[str, str], str], old: str, new: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        construction(file("ordered", ORDERED.replace(old, new)))


def test_a_finite_domain_needs_values(file: Callable[[str, str], str]) -> None:
    with pytest.raises(InvalidInput, match="needs values"):
        construction(file("masked", MASKED.replace(', values=("0", "1")', "")))
