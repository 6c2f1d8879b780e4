"""Formulas as people read them."""

from __future__ import annotations

import re

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcalc.errors import BoundcalcError
from boundcalc.formulas.notation import to_latex, to_unicode
from boundcalc.formulas.symbols import CeilLog, FloorLog, index, symbol

R = sp.Rational
a, b, beta, d, eps, m, M, n, k, x, y = map(symbol, ("a", "b", "beta", "d", "eps", "m", "M", "n", "k", "x", "y"))
C = symbol("C")

CASES: list[tuple[sp.Expr, str, str]] = [
    (4 ** (-m - 1), "4^(−m−1)", "4^{-m-1}"),
    (C / beta**2, "C/β²", r"\frac{C}{\beta^2}"),
    (
        M**2 * (4 ** (-m - 1) + C * (R(7, 3) - 4 ** (1 - m) / 3) / beta**2),
        "M²·(4^(−m−1) + C·(7/3 − 4^(1−m)/3)/β²)",
        r"M^2 \left(4^{-m-1} + \frac{C \left(\tfrac{7}{3} - \frac{4^{1-m}}{3}\right)}{\beta^2}\right)",
    ),
    (2 * d * x * (m + 1), "2·d·x·(m + 1)", "2 d x (m + 1)"),
    (R(7, 3), "7/3", r"\tfrac{7}{3}"),
    (-R(7, 3) * x, "−(7/3)·x", r"-\tfrac{7}{3} x"),
    (sp.LambertW(7 / sp.E), "W(7/e)", r"W_0\left(\frac{7}{e}\right)"),
    (sp.LambertW((n - 1) / sp.E) / beta, "W((n − 1)/e)/β", r"\frac{W_0\left(\frac{n - 1}{e}\right)}{\beta}"),
    (CeilLog(n, 2), "⌈log₂ n⌉", r"\lceil \log_2 n\rceil"),
    (CeilLog(M**2 / eps, 4), "⌈log₄(M²/ε)⌉", r"\left\lceil \log_4\left(\frac{M^2}{\varepsilon}\right)\right\rceil"),
    (FloorLog(n + 1, 10), "⌊log₁₀(n + 1)⌋", r"\lfloor \log_{10}(n + 1)\rfloor"),
    (sp.sqrt(3 * eps) / M**2, "√(3·ε)/M²", r"\frac{\sqrt{3 \varepsilon}}{M^2}"),
    (sp.sqrt(2) * x / 2, "√2·x/2", r"\frac{\sqrt{2} x}{2}"),
    (b - a, "b − a", "b - a"),
    (-m - 1, "−m − 1", "-m - 1"),
    (x**2 - x + 1, "x² − x + 1", "x^2 - x + 1"),
    (sp.Max(a, b), "max(a, b)", r"\max\{a, b\}"),
    (sp.Min(x / y, 1), "min(x/y, 1)", r"\min\left\{\frac{x}{y}, 1\right\}"),
    (abs(x), "|x|", r"\lvert x\rvert"),
    (sp.ceiling(x) ** 3, "⌈x⌉³", r"\lceil x\rceil^3"),
    (sp.floor(x / 2), "⌊x/2⌋", r"\left\lfloor \frac{x}{2}\right\rfloor"),
    (sp.Sum(x**k / k, (k, 1, n)), "Σ_{k=1}^{n} x^k/k", r"\sum_{k=1}^n \frac{x^k}{k}"),
    (3 * sp.Sum(k + 1, (k, 1, n - 1)), "3·(Σ_{k=1}^{n − 1} (k + 1))", r"3 \left(\sum_{k=1}^{n - 1} (k + 1)\right)"),
    ((n - 1) * sp.exp(-beta * x), "(n − 1)·exp(−β·x)", r"(n - 1) e^{-\beta x}"),
    (sp.exp(-R(1, 2)), "exp(−1/2)", r"e^{-\tfrac{1}{2}}"),
    (sp.log(x) ** 2, "log(x)²", r"(\log(x))^2"),
    (3 * 4 ** (-m), "3·4^(−m)", r"3 \cdot 4^{-m}"),
    (M**2 * 4**m, "M²·4^m", r"M^2 \cdot 4^m"),
    (x**12, "x¹²", "x^{12}"),
    (x ** R(-1, 3), "1/x^(1/3)", r"\frac{1}{x^{\tfrac{1}{3}}}"),
    (R(2, 3) ** m, "(2/3)^m", r"\left(\tfrac{2}{3}\right)^m"),
    ((x + 1) ** 2, "(x + 1)²", "(x + 1)^2"),
    (index("i") ** 2 + symbol("x1") + symbol("x10"), "i² + x₁ + x₁₀", "i^2 + x_1 + x_{10}"),
    (symbol("eps0") * symbol("gamma"), "ε₀·γ", r"\varepsilon_0 \gamma"),
    (3 * sp.exp(-2 * symbol("kappa")), "3·exp(−2·κ)", r"3 e^{-2 \kappa}"),
    (symbol("nu") / symbol("xi"), "ν/ξ", r"\frac{\nu}{\xi}"),
    (symbol("H") * (n - 1) + symbol("w1") + symbol("L"), "H·(n − 1) + L + w₁", r"H (n - 1) + L + w_1"),
    (symbol("h") ** 2 / (2 * a), "h²/(2·a)", r"\frac{h^2}{2 a}"),
    ((1 - sp.sqrt(a) / sp.sqrt(b)) / symbol("N"), "(1 − √a/√b)/N", r"\frac{1 - \frac{\sqrt{a}}{\sqrt{b}}}{N}"),
    (symbol("local_x"), "local_x", r"\mathrm{local\_x}"),
    (sp.pi * sp.oo * x, "∞·x", r"\infty x"),
    (-sp.oo, "−∞", r"-\infty"),
    (sp.erf(x) + sp.tanh(x), "erf(x) + tanh(x)", r"\operatorname{erf}(x) + \tanh(x)"),
]


@pytest.mark.parametrize(("expr", "shown", "latex"), CASES, ids=[shown for _, shown, _ in CASES])
def test_notation(expr: sp.Expr, shown: str, latex: str) -> None:
    assert to_unicode(expr) == shown
    assert to_latex(expr) == latex


def test_every_term_order_is_the_same_in_all_notations() -> None:
    expr = x * y + x**2 + y + 7 - beta
    assert to_unicode(expr) == "x² + x·y − β + y + 7"
    assert to_latex(expr) == r"x^2 + x y - \beta + y + 7"


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.sampled_from([x, y, n, m, beta, eps, C, sp.Integer(2), R(-3, 4), symbol("long_name2")]),
        lambda inner: (
            st.builds(lambda p, q: p + q, inner, inner)
            | st.builds(lambda p, q: p * q, inner, inner)
            | st.builds(lambda p: 1 / (p**2 + 1), inner)
            | st.builds(sp.exp, inner)
            | st.builds(sp.Abs, inner)
            | st.builds(lambda p: sp.sqrt(p**2 + 2), inner)
            | st.builds(lambda p: CeilLog(p**2 + n, 3), inner)
            | st.builds(lambda p: sp.Sum(p * k, (k, 1, n)), inner)
        ),
        max_leaves=8,
    )
)
def test_latex_is_balanced(expr: sp.Expr) -> None:
    latex = to_latex(expr)
    plain = re.sub(r"\\[{}]", "", latex)
    assert plain.count("{") == plain.count("}")
    assert len(re.findall(r"\\left(?![a-z])", latex)) == len(re.findall(r"\\right(?![a-z])", latex))
    assert latex.count("(") == latex.count(")")
    assert "**" not in latex + to_unicode(expr)
    assert not re.search(r"\^(\w|\{[^{}]*\})\^", latex)  # a double superscript is an error in TeX


@pytest.mark.parametrize("expr", [sp.I, sp.Float("0.5"), sp.gamma(x)])
def test_what_has_no_notation_is_refused(expr: sp.Expr) -> None:
    with pytest.raises(BoundcalcError):
        to_unicode(expr)
    with pytest.raises(BoundcalcError):
        to_latex(expr)
