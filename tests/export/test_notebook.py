"""Results in notebooks: each shows itself as mathematics and as HTML, and writes itself as LaTeX."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import boundcalc
from boundcalc.display import Shown
from boundcalc.export import render
from boundcalc.formulas.symbols import INTERNAL
from boundcalc.results.report import report_of
from boundcalc.results.verification import Certified, NotCertified, Observation, Verification
from tests.export.test_linebreak import read_back, same


@pytest.fixture(scope="module")
def results() -> dict[str, Shown]:
    product = boundcalc.bound("mult", eps="1e-2")
    verified = boundcalc.verify(product)
    return {
        "bound": product, "closed forms": boundcalc.closed_forms("max"), "report": report_of(product),
        "quantity": product.total, "observation": boundcalc.observe(product), "verification": verified,
        "certified": verified.certified, "not certified": NotCertified("no method applies"),
        "refuted": boundcalc.check("anchor.error >= (b - a)/(2*(p - 1))", "a < b, p >= 2"),
        "proved": boundcalc.check("max.heads <= 3", "n >= 2"),
    }


def test_every_result_is_shown(results: dict[str, Shown]) -> None:
    """All classes that the public functions return."""
    assert {type(x) for x in results.values()} >= {boundcalc.Bound, Observation, Verification, Certified, NotCertified}
    for name, x in results.items():
        assert isinstance(x, Shown), name
        latex, html, text = x._repr_latex_(), x._repr_html_(), x.latex()
        assert latex.startswith(r"$\displaystyle "), name
        assert latex.endswith("$"), name
        assert latex.count("{") == latex.count("}"), name
        assert latex.isascii(), name
        assert "<" in html, name
        assert "<script" not in html, name
        assert "<html" not in html, "a fragment, not a page"
        assert text.strip(), name
        assert "\n" not in latex, name


def test_words_for_how_a_number_was_obtained_are_not_mixed(results: dict[str, Shown]) -> None:
    assert "observed" in results["observation"]._repr_latex_()
    assert "certified" not in results["observation"]._repr_html_().lower().replace("not certified", "")
    assert "certified" in results["certified"]._repr_latex_()
    assert "observed" not in results["certified"]._repr_html_().lower()


def test_a_quantity_is_its_formula(results: dict[str, Shown]) -> None:
    total = boundcalc.bound("mult", eps="1e-2").total
    assert same(read_back(total.latex()), total.symbolic)
    assert total._repr_latex_().startswith(rf"$\displaystyle {total.latex()} \le ")
    exact = boundcalc.bound("mult", eps="1e-2").resources["heads"]
    assert exact._repr_latex_().endswith("= 8$")


@pytest.mark.parametrize("options", [
    {"range": (0, 1), "gate": "anchor"}, {"range": (0, 3), "delta": "1e-4"},
    {"range": (0, 1), "gate": "anchors", "temperature": "hard", "sentinels": True}], ids=str)
def test_quantities_are_written_in_the_parameters_of_the_user(options: dict[str, object]) -> None:
    bound = boundcalc.bound("clip", eps="1e-2", **options)
    known = {name for name in bound.values if name not in INTERNAL} | {"C"}
    for q in [bound.total, *bound.resources.values(), *(q for _, q in bound.error_terms.values())]:
        assert {s.name for s in q.symbolic.free_symbols} <= known


def test_latex_of_a_bound_is_the_theorem_of_the_command_line() -> None:
    bound = boundcalc.bound("relu", eps="1e-2")
    assert bound.latex() == render(report_of(bound), "latex") == report_of(bound).latex()
    assert boundcalc.closed_forms("relu").latex().startswith("% Needs")


def test_verify_is_a_call_and_a_package() -> None:
    """Importing a package replaces a function of the same name: whatever was imported before, the call must work."""
    code = ("import boundcalc, boundcalc.verify.search, boundcalc.verify.evaluate; b = boundcalc.bound('relu', eps='1/10'); "
            "print(boundcalc.verify(b).holds, boundcalc.verify.evaluate.__name__)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "True boundcalc.verify.evaluate\n"


def test_showing_is_loaded_when_it_is_asked_for() -> None:
    code = ("import sys, boundcalc; b = boundcalc.bound('relu', eps='1/10'); "
            "print([m for m in sys.modules if m.startswith('boundcalc.export')])")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not re.search("html|latex|notebook", run.stdout)
