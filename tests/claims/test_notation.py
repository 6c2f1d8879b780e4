"""One notation in and out: what people write, and what boundcalc prints, is read; what could mean two things is refused."""

from __future__ import annotations

import re

import pytest

import boundcalc
from boundcalc.checker.statements import stated_of
from boundcalc.claims.plain import plain, plain_text, relations
from boundcalc.cli.main import main
from boundcalc.declarations.registry import construction, names
from boundcalc.errors import InvalidInput
from boundcalc.export.arguments import argument
from boundcalc.export.overview import screen
from boundcalc.export.results import _brief
from boundcalc.export.verdicts import cut_off, derived
from boundcalc.formulas.notation import to_unicode
from boundcalc.results.report import report_of

from ..selection import selected


@pytest.mark.parametrize(("typed", "read"), [
    ("2x² ≤ x + 1", "2*x**2 <= x + 1"), ("19m + 2(m + 1) ≥ 0", "19*m + 2*(m + 1) >= 0"),
    ("√x ≤ 2√2", "sqrt(x) <= 2*sqrt(2)"),
    ("|x − 2| ≤ ||x| − |y||", "abs(x - 2) <= abs(abs(x) - abs(y))"),
    ("⌈log₂ n⌉ ≤ ⌊x⌋ + ½", "ceil(log2(n)) <= floor(x) + (1/2)"),
    ("β·ε × δ ≤ x₁", "beta*eps * delta <= x1"), ("x^2 <= 4^(−m−1)", "x**2 <= 4**(-m-1)"), ("x²⁻ⁿ ≤ 1", "x**(2-n) <= 1"),
    ("5! <= n!", "120 <= exp(sum(log(k), k, 1, n))"), (r"\binom{n}{2} \le n^2", "(n*(n - 1)/2) <= n**2"),
    ("binomial(5, 2) <= 10", "10 <= 10"), ("ln(x) <= x", "ln(x) <= x"), ("2e-3x <= 1", "2e-3*x <= 1"),
    (r"\frac{\ln n}{\beta} \ge x^{2}", "((log(n))/(beta)) >= x**2"),
    ("relu.heads = Θ(1) as ε → 0", "relu.heads = Theta(1) as eps -> 0"),
    ("max[route=tree, gate=silu].heads <= 2n", "max[route=tree, gate=silu].heads <= 2*n"),
    ("x ∈ (0, ½]", "x in (0, (1/2)]")])
def test_what_people_write_is_read(typed: str, read: str) -> None:
    assert plain_text(typed) == read


def test_a_chain_is_several_relations() -> None:
    found = [p.text for p in relations(plain("0 ≤ x ≤ 1 for x in [0, 1]"))]
    assert found == ["0 <= x for x in [0, 1]", "x <= 1 for x in [0, 1]"]


@pytest.mark.parametrize(("typed", "column"), [
    ("xy <= 1", 1), ("1 <= xy", 6), ("βx <= 1", 2), ("x != 1", 3), ("x ≠ 1", 3),
    (r"\tanh \beta x \le 1", 13), ("3/4x <= 1", 3),
    ("2^3x <= 1", 3), ("x y <= 1", 3), ("x(1 + x) <= 2", 1), ("(1 + x <= 2", 1), ("1 + x) <= 2", 6), ("√3x <= 1", 3),
    ("max.heads ≤ 3 whenever n ≥ 2", 15), ("foo(x) <= 1", 1), ("x <= 501!", 9)])
def test_what_could_mean_two_things_is_refused_at_its_place(typed: str, column: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        plain(typed)
    assert caught.value.problem.startswith(f"claim, column {column}: ")
    assert caught.value.fault is not None
    assert (caught.value.fault.text, caught.value.fault.start) == (typed, column - 1)


def test_a_mistake_is_underlined_and_mended(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "max.heads ≤ 3 whenever n ≥ 2"])
    assert capsys.readouterr().err.splitlines() == [
        'error: claim, column 15: "whenever" is not part of a claim.', "       max.heads ≤ 3 whenever n ≥ 2",
        "                     ^^^^^^^^", "       boundcalc check 'max.heads <= 3' --for 'n >= 2'"]


def test_a_quantity_that_does_not_exist_has_a_place() -> None:
    with pytest.raises(InvalidInput, match=r"claim, column 9: .*no construction or lemma 'mox'"):
        boundcalc.check("x + 1 ≤ mox.heads")


@pytest.mark.parametrize("name", sorted(names()))
def test_what_is_printed_can_be_pasted(name: str) -> None:
    """Every closed form of `show`, with C_silu for the C of its tables."""
    r = report_of(boundcalc.closed_forms(name))
    shown = [q.symbolic for q in r.shown_resources().values()] + [t.symbolic for t in (r.total, r.naive_total)]
    assert shown
    for expr in shown:
        text = to_unicode(expr)
        if "∞" not in text and "Σ" not in text:
            pasted(text)


def pasted(text: str) -> None:
    """A formula as it is printed, with C_silu for the C of the tables, is read."""
    stated_of(f"{plain_text(re.sub(r'(?<![A-Za-z_])C(?![A-Za-z_(])', 'C_silu', text))} <= 1", "")


def test_the_table_of_targets_can_be_pasted() -> None:
    """Every formula of `list`, but for max x_i and min x_i, which stand for n numbers."""
    head, *lines = screen().splitlines()
    starts = [m.start() for m in re.finditer(r"\S+( \S+)*", head)]
    table = [[line[a:b].strip().removesuffix(" *") for a, b in zip(starts, [*starts[1:], None], strict=True)]
             for line in lines[:next(k for k, line in enumerate(lines) if line.startswith("*"))]]
    formulas = {x for _, map_, _, *counts in table for x in (map_, *counts)} - {"", "…", "max x_i", "min x_i"}
    assert {"x·y", "2(m + 1)", "2W(1/e)/β", "max(0, 1 − |x − c|/h)"} <= formulas
    for text in formulas:
        pasted(text)


@pytest.mark.parametrize(("name", "route", "gate"), selected([
    (name, route.name, gate) for name in sorted(names()) for route in construction(name).routes if not route.composed
    for gate in (construction(name).information.gates if route.gated else (None,))], lambda c: c[1:]))
def test_what_is_printed_of_every_route_can_be_pasted(name: str, route: str, gate: str | None) -> None:
    r = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    shown = [to_unicode(e) for e in (*(q.symbolic for q in r.shown_resources().values()), r.total.symbolic)]
    assert shown
    for text in shown:
        if "∞" not in text and "Σ" not in text:
            pasted(text)


@pytest.mark.parametrize(("claim", "domain", "said"), [
    ("x*(1 - x) <= 1/4", "", "The difference is (2·x − 1)²/4, which is not negative."),
    ("max[route=direct].heads <= 3", "n >= 2", "max[route=direct].heads = 1, by construction."),
    ("exists K: x <= K*y", "x > 0, y > 0", "For K > 1 the relation fails at x = K + 1"),
    ("exp(x) >= 1 + x", "", "the difference grows with x (its derivative is exp(x) − 1), so it is least at x = 0, where"),
    ("n**2 = O(n) as n -> inf", "", "So no constant factor will do.")])
def test_arguments_are_sentences(claim: str, domain: str, said: str) -> None:
    found = argument(boundcalc.check(claim, domain))
    assert said in found
    assert 1 <= len(re.findall(r"[a-z0-9)²]\.(?: |$)", found)) <= 6
    assert "Interval arithmetic settles" not in found


def test_what_is_scaled_is_said_to_be_scaled() -> None:
    """What grows below is not the difference itself, but a positive multiple of it."""
    found = argument(boundcalc.check("tanh(x) <= x", "x >= 0"))
    assert "The difference, times 1 + exp(2·x), grows with x (its derivative is 2·x·exp(2·x) + 1 − exp(2·x))" in found


def test_a_formula_that_loses_an_undefined_point_is_not_set() -> None:
    assert not boundcalc.check("x/x == 1", "x in [-1, 1]").reading.understood
    assert boundcalc.check("x**2 >= 0").reading.understood


def test_what_does_not_hold_otherwise_is_the_negation() -> None:
    assert argument(boundcalc.check("C <= 2", "C >= 0")) == \
        "If C ≤ 2: by interval arithmetic 2 − C ≥ 0. Otherwise: by interval arithmetic C − 2 > 0."


def test_names_of_a_proof_are_not_printed() -> None:
    found = argument(boundcalc.check("relu[gate=silu].beta >= 1/(8*eps*c)", "c > 0"))
    assert "Put c = y + 1/(8·W(1/e)) with y ≥ 0." in found
    assert "_z" not in found


def test_our_constant_is_printed_as_claims_call_it() -> None:
    """Beside a C of the claim, in text and JSON: what is printed can be pasted."""
    found = boundcalc.check("mult[route=recipe, gate=silu].error <= 3*delta + C", "delta >= 0")
    printed = derived(found.derived)
    assert "C_silu*(7/3" in printed
    assert "C_silu·(7/3" in argument(found)
    assert not re.search(r"(?<![A-Za-z_])C[*·]", printed + argument(found))
    stated_of(printed.partition(" <= ")[2] + " <= 1", "")


@pytest.mark.parametrize(("text", "shown", "brief"), [
    ("1679.000001", "1679.000001…", "1679.0…"), ("120", "120.0…", "120"), ("-9.99e999", "-9.99…e999", "−9.99·10^999")])
def test_digits_that_are_cut_off_are_decimals(text: str, shown: str, brief: str) -> None:
    assert cut_off(text) == shown
    assert _brief(text, 4) == brief
