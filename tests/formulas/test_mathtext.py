"""Mathematics in prose: read as it is meant, and set in LaTeX."""

from __future__ import annotations

import re

import pytest

import boundcalc
from boundcalc.declarations.registry import information, names
from boundcalc.errors import BoundcalcError
from boundcalc.export.catalogue import ways
from boundcalc.export.choices import why
from boundcalc.export.names import stage
from boundcalc.formulas.mathtext import pieces, plain, to_latex
from boundcalc.formulas.symbols import MEANINGS, PARAMETERS
from boundcalc.lemmas.rules import RULES
from boundcalc.results.glossary import TERMS


@pytest.mark.parametrize(("text", "latex"), [
    ("0 ≤ f_m(t) − t² ≤ 4^(−m−1)", r"0\le f_m(t)-t^2 \le 4^{-m-1}"),
    ("β²|x|³|y|/3", r"\beta^2 \lvert x\rvert^3 \lvert y\rvert/3"),
    ("|−x|", r"\lvert-x\rvert"),
    ("||x| − y|", r"\lvert \lvert x\rvert-y\rvert"),
    ("(x₁, …, x_n) ↦ max x_i", r"(x_1,\dots,x_n)\mapsto \max x_i"),
    ("Σ_i x_i·softmax_β(x)_i", r"\sum_i x_i \cdot \operatorname{softmax}_{\beta}(x)_i"),
    ("γ = βAh(2 − h)", r"\gamma=\beta Ah(2-h)"),
    ("√(3ε)/M²", r"\sqrt{3\varepsilon}/M^2"),
    ("β⁻¹", r"\beta^{-1}"),
    ("x^(2·d)_i", r"x_i^{2\cdot d}"),
    ("ℝ^n", r"\mathbb{R}^n"),
    ("e^(−κ(1 + x))", r"e^{-\kappa(1+x)}"),
    ("acc", r"\mathrm{acc}"),
    ("E_gates^±", r"E_{\mathrm{gates}}^{\pm}"),
])
def test_formulas_are_set_as_they_are_meant(text: str, latex: str) -> None:
    assert to_latex(text) == latex


@pytest.mark.parametrize("text", ["x^", "x_", "^2", "e^(x", "a ☃ b"])
def test_what_is_not_understood_is_a_defect(text: str) -> None:
    with pytest.raises(BoundcalcError):
        to_latex(text)


def test_a_missing_dollar_sign_is_a_defect() -> None:
    assert pieces("a $x$ b") == [(False, "a "), (True, "x"), (False, " b")]
    assert plain("a $x$ b") == "a x b"
    with pytest.raises(BoundcalcError):
        pieces("a $x b")


def prose() -> list[str]:
    """Every prose text of the package that a document may show."""
    texts = [x for name in names() for x in (information(name).map_prose, information(name).source_prose)]
    texts += [*MEANINGS.values(), *TERMS.values(), *(statement for _, statement in RULES.values())]
    texts += [n.meaning for n in PARAMETERS.values()]
    for name, route, gate in ways():
        analysis = boundcalc.closed_forms(name, route=route, gate=gate)
        report = boundcalc.report_of(analysis)
        texts += [x.statement for x in analysis.lemmas] + [stage(s) for s in analysis.stages]
        texts += [part for c in report.choices for part in why(c) if isinstance(part, str)]
    return list(dict.fromkeys(texts))


def test_all_prose_of_the_package_can_be_set() -> None:
    found = prose()
    assert len(found) > 60
    for text in found:
        for formula, part in pieces(text):
            if formula:
                assert to_latex(part).isascii(), text
            else:       # a formula that is not marked would be set letter by letter
                assert not re.search(r"[²³⁻₊₋√Σ∈^|]|\b[a-zA-Z]_", part), (text, part)
