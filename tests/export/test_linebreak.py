"""Broken formulas mean what they meant: their lines, put together again, are read back as the same expression."""

from __future__ import annotations

import re
from functools import cache

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import boundcalc
from boundcalc.claims.language import read_claim
from boundcalc.export.catalogue import ways
from boundcalc.export.linebreak import broken, measure
from boundcalc.formulas.notation import to_latex
from boundcalc.formulas.symbols import symbol
from boundcalc.results.glossary import formulas
from tests.selection import examples

BETA, M, N, m, h = (symbol(x) for x in ("beta", "M", "N", "m", "h"))


def read_back(latex: str) -> sp.Expr:
    """A formula of ours by the grammar of claims, which does not take h(x − 1), as in h (N - 1), for a product."""
    text = re.sub(r"\\\\|&|\\quad|\{\}", " ", latex)
    text = re.sub(r"([hRgC]) +(?=\(|\\left\(|\\Bigl\()", r"\1 \\cdot ", text)
    return read_claim(rf"{text} \le 0").statement.left


def same(a: sp.Expr, b: sp.Expr) -> bool:
    return bool(a == b or sp.expand(a - b) == 0 or sp.simplify(a - b) == 0)


@pytest.mark.parametrize("width", [345, 160, 90])
@pytest.mark.parametrize("way", ways(), ids=lambda w: "-".join(filter(None, w)))
def test_lines_put_together_are_the_formula(way: tuple[str, str, str | None], width: float) -> None:
    name, route, gate = way
    for e in dict.fromkeys(formulas(report_of(name, route, gate))):
        if not e.is_Atom:
            assert survives(e, width), broken(e, width)


@cache
def report_of(name: str, route: str, gate: str | None) -> boundcalc.Report:
    return boundcalc.report_of(boundcalc.closed_forms(name, route=route, gate=gate))


@cache
def survives(e: sp.Expr, width: float) -> bool:
    """Constructions share formulas: each is read once."""
    lines = broken(e, width)
    if lines == [to_latex(e)] and width < 345:
        return True             # read back at the full width
    return same(read_back(" ".join(lines)), e)


def test_lines_keep_to_the_width() -> None:
    report = boundcalc.report_of(boundcalc.closed_forms("recip", gate="anchors"))
    for e in formulas(report):
        for line in broken(e, 200):
            assert measure(line) <= 200, line


def test_a_factor_that_is_a_sum_keeps_its_brackets() -> None:
    e = h ** 2 * (2 - h * N) * (N - 1) ** 2 * (2 - h * N - h) / (16 * BETA * (1 - h) ** 2)
    lines = broken(e, 60)
    assert len(lines) > 2
    assert same(read_back(" ".join(lines)), e)
    assert not any(re.match(r"\\cdot 2 - ", x) for x in lines)


@pytest.mark.parametrize("width", [40, 80, 140, 200])
@pytest.mark.parametrize("e", [
    (m - 4) * (h - sp.Rational(5, 3)), (M - BETA) * (BETA * N ** 2 + M), -(M + BETA + 1) * (N + M ** 2 - 7 * BETA),
    (M + BETA) * sp.Min(N + 1, M + BETA ** 2, evaluate=False), (M + 1) * (BETA + 1) * (N + 1) / (M * BETA + N),
    (M + BETA) ** 2 * (N - M) / (1 + BETA), 2 * (M + N) * sp.sqrt(BETA + M) * (N + BETA)], ids=str)
def test_products_of_sums_keep_all_their_brackets(e: sp.Expr, width: float) -> None:
    for first in (width, width / 3):
        assert same(read_back(" ".join(broken(e, width, first))), e)


def expressions() -> st.SearchStrategy[sp.Expr]:
    leaves = st.sampled_from([BETA, M, N, m, sp.Integer(2), sp.Rational(4, 3), sp.Integer(7)])
    return st.recursive(leaves, lambda x: st.one_of(
        st.builds(lambda a, b: a + b, x, x), st.builds(lambda a, b: a * b, x, x), st.builds(lambda a, b: a - b, x, x),
        st.builds(lambda a, b: a / (b ** 2 + 1), x, x), st.builds(lambda a: (a + 1) ** 2, x), st.builds(sp.exp, x),
        st.builds(lambda a, b, c: (a + b) * (c - b), x, x, x),
        st.builds(lambda a, b: sp.Max(a, b, evaluate=False) if a != b else a, x, x)), max_leaves=12)


@examples(150)
@given(expressions(), st.sampled_from([60, 120, 240]))
def test_random_formulas_survive(e: sp.Expr, width: float) -> None:
    lines = broken(e, width, width / 2)
    values = {BETA: sp.Rational(3, 7), M: sp.Rational(5, 3), N: sp.Integer(4), m: sp.Integer(3)}
    again = read_back(" ".join(lines))
    difference = (again - e).xreplace(values)
    assert difference == 0 or abs(sp.N(difference, 60)) < sp.Rational(1, 10 ** 40) * (1 + abs(sp.N(e.xreplace(values), 60)))


@pytest.mark.parametrize(("narrow", "wide"), [("x", "x + 1"), (r"\frac{x}{2}", r"\frac{x + y + z}{2}"), ("1", "100000"),
                                              (r"\frac{x+y}{2}", r"\frac{x+y}{2} + \sqrt{x}")])
def test_wider_formulas_measure_more(narrow: str, wide: str) -> None:
    assert 0 < measure(narrow) < measure(wide)
    assert measure(r"\frac{x+y}{2}") < measure(r"\frac{x+y}{2}", display=True)
