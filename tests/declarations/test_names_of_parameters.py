"""Formulas take signs of symbols for granted, by their names: a parameter that could be otherwise is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from boundcalc.declarations.registry import construction
from boundcalc.errors import InvalidInput
from boundcalc.results.bound import bound
from boundcalc.verify.verification import verify

SCALED = '''"""Scaled rectifier.

map: $x ↦ u·max(x, 0)$
routes: recipe
gates: silu, ffn
source: a test
standing: derived

recipe.  One rectifier.
"""

from boundcalc.constructions import (
    ANYWHERE, Block, Construction, Frame, Input, Kind, Output, Parameter, Ramps, Route, Term, Unit, affine, copies,
    identity, var)

X = (Block("x"),)

def recipe(frame: Frame) -> Term:
    post = affine((*X, Block("r")), {"y": frame["u"] * var("r")})
    return copies(frame, Ramps("scaled", identity(X), (Unit("r", "x"),), post))

CONSTRUCTION = Construction(
    inputs=(Input("x", ANYWHERE),), outputs=(Output("y", "u*relu(x)"),), routes=(Route("recipe", recipe),),
    parameters=(Parameter("u", Kind.RATIONAL, "a factor"),))
'''


def file(folder: Path, name: str, declared: str) -> str:
    path = folder / "scaled.py"
    path.write_text(SCALED.replace("u*relu", f"{name}*relu").replace('frame["u"]', f'frame["{name}"]').replace(
        'Parameter("u", Kind.RATIONAL, "a factor"),', declared), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("factor", ["-3", "1/2", "0"])
def test_a_factor_of_either_sign_is_derived(tmp_path: Path, factor: str) -> None:
    path = file(tmp_path, "u", 'Parameter("u", Kind.RATIONAL, "a factor"),')
    b = bound(path, eps="1e-2", u=factor, beta=300)
    assert verify(b, 30).holds is True


@pytest.mark.parametrize(("name", "kind", "says"), [
    ("C", "RATIONAL", "means something else"), ("e", "RATIONAL", "means something else"),
    ("W", "INTEGER", "means something else"), ("half", "RATIONAL", "means something else"),
    ("a_x", "RATIONAL", "means something else"), ("g", "RATIONAL", "g is positive wherever"),
    ("s", "RATIONAL", "s is integer and positive wherever"), ("m", "RATIONAL", "m is integer and nonnegative wherever"),
    ("n", "INTEGER", "n is positive wherever"), ("beta", "RATIONAL", "is taken"),
])
def test_a_name_that_formulas_would_misread_is_refused(tmp_path: Path, name: str, kind: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=rf"scaled.py, line [23][0-9]: .*{says}"):
        construction(file(tmp_path, name, f'Parameter("{name}", Kind.{kind}, "a factor"),'))


@pytest.mark.parametrize("declared", [
    'Parameter("n", Kind.INTEGER, "a factor", least=1),', 'Parameter("m", Kind.INTEGER, "a factor"),',
    'Parameter("g", Kind.RATIONAL, "a factor", above=0),', 'Parameter("k", Kind.INTEGER, "a factor", least=-5),'])
def test_a_name_with_a_type_is_welcome_if_it_is_declared_so(tmp_path: Path, declared: str) -> None:
    name = declared.split('"')[1]
    assert construction(file(tmp_path, name, declared)).parameter(name) is not None


def test_a_name_of_a_number_of_a_list_is_refused(tmp_path: Path) -> None:
    both = 'Parameter("v", Kind.LIST, "weights"), Parameter("v1", Kind.RATIONAL, "a factor"),'
    with pytest.raises(InvalidInput, match="the name v1 means something else"):
        construction(file(tmp_path, "v1", both))
