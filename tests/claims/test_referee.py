"""The referee's report: every claim has its section, every symbol its meaning, and every printed command works."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import sympy as sp

from boundcalc.claims import words as glossary
from boundcalc.claims.check import check, safely
from boundcalc.claims.language import read_claim
from boundcalc.claims.lemma_quantities import LEMMAS
from boundcalc.claims.load import load_papers, read_text
from boundcalc.claims.model import STANDINGS, VERDICTS, Claim, Finding, Source
from boundcalc.cli.main import main
from boundcalc.export.document import (
    Code,
    Document,
    Fields,
    Heading,
    Items,
    Line,
    Listing,
    Math,
    Paragraph,
    Piece,
    Table,
    Verdict,
)
from boundcalc.export.explanations import expressions, formulas
from boundcalc.export.findings import as_json
from boundcalc.export.markdown import write
from boundcalc.export.referee import document
from boundcalc.export.statements import claim_line, conditions_line, exact, value
from boundcalc.formulas.notation import to_unicode
from boundcalc.results.report import RESOURCES

from .test_papers import findings as papers

CLAIMS = '''
[source]
title = "Six verdicts"

[[claim]]
id = "proved"
states = "one head is enough"
where = "Lemma 1"
standing = "paraphrased"
claim = "max[route=direct].heads <= 3"

[[claim]]
id = "refuted"
states = "an error at most doubles"
claim = "head.perturbation(delta, delta, 1) <= 2*delta"
for = "delta >= 0, beta > 0"

[[claim]]
id = "conditional"
standing = "quoted"
claim = "softmax.lipschitz(inf, inf) <= 1"

[[claim]]
id = "vacuous"
claim = "exists C: mult[route=recipe, gate=silu].error <= 3*delta + C"
for = "0 <= delta <= 1, beta >= 1, m >= 1"

[[claim]]
id = "supported"
claim = "sin(x) + cos(x**3) < 2"
for = "x > 0"

[[claim]]
id = "undecided"
claim = "max.beta <= 1/eps"

[[claim]]
id = "network"
claim = "clip[gate=anchor, temperature=hard, grid=left].error <= (b - a)/p"
for = "a < b, p >= 2, kappa >= 1"

[[claim]]
id = "growth"
claim = "max[route=direct].beta = O(1/eps) as n -> inf"
for = "eps == 1"

[[claim]]
id = "independent"
claim = "independent(max[route=direct].beta, eps)"

[[claim]]
id = "alike"
claim = "eps + epsilon >= eps"
for = "eps > 0, epsilon > 0"

[[claim]]
id = "latex"
claim = '\\frac{\\ln n}{\\beta} \\ge \\frac{W((n-1)/e)}{\\beta}'
for = "n in {2, 3, 5}, beta in [1, 2)"
'''


STEPS = 8000            # of a search


@cache
def found() -> tuple[Finding, ...]:
    return tuple(safely(c, steps=STEPS) for c in read_text(CLAIMS).claims)


WORST_FIRST = ("refuted", "conditional", "vacuous", "undecided", "supported", "proved")


def ordered() -> list[Finding]:
    return sorted(found(), key=lambda f: WORST_FIRST.index(f.verdict))


@cache
def made() -> Document:
    return document(found())


def sections(made: Document) -> dict[str, dict[str, tuple[Piece, ...]]]:
    """The fields of every claim, by the anchor of its heading."""
    pairs = zip(made.blocks, made.blocks[1:], strict=False)
    return {h.anchor: dict(body.entries) for h, body in pairs if isinstance(h, Heading) and isinstance(body, Fields)}


def summaries(made: Document) -> list[Table]:
    start = next(k for k, b in enumerate(made.blocks) if isinstance(b, Heading) and b.content == ("Summary",))
    tables = []
    for block in made.blocks[start + 1:]:
        if not isinstance(block, Table):
            return tables
        tables.append(block)
    return tables


def table_below(made: Document, title: str) -> Table:
    start = next(k for k, b in enumerate(made.blocks) if isinstance(b, Heading) and b.content == (title,))
    table = made.blocks[start + 1]
    assert isinstance(table, Table)
    return table


def text_of(content: object) -> str:
    """All that stands in a part of a document, formulas in Unicode."""
    match content:
        case str():
            return content
        case Math(parts=parts):
            return " ".join(p if isinstance(p, str) else to_unicode(p) for p in parts)
        case Paragraph(content=line):
            return text_of(line)
        case Items(items=items):
            return "\n".join(text_of(i) for i in items)
        case tuple():
            return "".join(text_of(part) for part in content)
        case Code(text=text):
            return text
    return ""


# --- what is there ----------------------------------------------------------------------------------------------------

def test_all_six_verdicts_appear_and_are_explained() -> None:
    assert {f.verdict for f in found()} == set(VERDICTS)
    table = next(b for b in made().blocks if isinstance(b, Table))
    assert [row[0] for row in table.rows] == [(Verdict(v),) for v in VERDICTS]
    assert [row[1] for row in table.rows] == [(str(sum(f.verdict == v for f in found())),) for v in VERDICTS]


def test_the_summary_has_one_row_a_claim_the_worst_first() -> None:
    (table,) = summaries(made())
    assert [(row[1], row[0]) for row in table.rows] == [((f.claim.id,), (Verdict(f.verdict),)) for f in ordered()]
    assert all(row[2] and row[3] for row in table.rows)


def test_every_claim_has_its_section() -> None:
    shown = sections(made())
    assert list(shown) == [f.claim.id for f in ordered()]
    for f in found():
        fields = shown[f.claim.id]
        (verdict,) = fields["Verdict"]
        assert isinstance(verdict, Paragraph)
        assert verdict.content[0] == Verdict(f.verdict)
        assert Paragraph((Code(" ".join(f.claim.claim.split())),)) in fields["Claim"]
        assert fields["Command"] == (Listing((f.reproduce,)),)
        assert {"Derivation", "Witness", "Argument", "Reason"} & fields.keys()
        assert ("Witness" in fields) == (f.witness is not None)
        assert ("Derivation" in fields) == bool(f.derived)
        assert ("Condition" in fields) == (f.condition is not None)
        assert ("Statement" in fields) == bool(f.claim.states)


@pytest.mark.parametrize(("name", "field", "part"), [
    ("proved", "Statement", "one head is enough (paraphrased; Lemma 1)"),
    ("proved", "Verdict", "yes: it is 1"),
    ("refuted", "Witness", "left side: 1.00099999999999999999999999999 (a proved bound)"),
    ("refuted", "Witness", "the left side is larger than the right side"),
    ("conditional", "Condition", "holds exactly when β ≤ 2"),
    ("conditional", "Witness", "left side: 3/2 (exact)"),
    ("vacuous", "Argument", "Already then C = 20 will do."),
    ("vacuous", "Assumed", "M = 1, M > 0"),
    ("supported", "Reason", "no counterexample among"),
    ("undecided", "Derivation", "max.beta ≤ W((n − 1)/e)/ε by max[route=direct]"),
    ("undecided", "Reason", "used up"),
    ("network", "Witness", "of the network clip[gate=anchor, temperature=hard, grid=left]"),
    ("network", "Witness", "(30 digits, of which the last is uncertain)"),
    ("network", "Witness", "the error is larger than the claimed bound"),
    ("growth", "Claim", "max[route=direct].beta = O( 1/ε ) as n → ∞"),
    ("independent", "Claim", "max[route=direct].beta does not depend on ε"),
    ("independent", "Argument", "the values differ."),
    ("latex", "Domain", "n ∈ { 2 , 3 , 5 }, 1 ≤ β < 2"),
    ("vacuous", "Domain", "0 ≤ δ ≤ 1, β ≥ 1, m ≥ 1"),
])
def test_what_a_section_says(name: str, field: str, part: str) -> None:
    assert part in text_of(sections(made())[name][field])


def test_parameters_that_look_alike_stay_as_they_are_typed() -> None:
    assert list(formulas(sections(made())["alike"]["Claim"])) == []
    assert list(formulas(sections(made())["alike"]["Domain"])) == []


def test_a_constant_of_a_claim_is_not_ours() -> None:
    """The claim asks for some C, and what is derived holds our C: they must not look alike."""
    derived = {s.name for e in expressions(sections(made())["vacuous"]["Derivation"]) for s in e.free_symbols}
    assert "C_0" in derived
    assert "C" not in derived


# --- definitions ------------------------------------------------------------------------------------------------------

INDICES = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


@pytest.mark.parametrize("which", ["six verdicts", "papers"])
def test_every_symbol_and_quantity_that_is_shown_is_explained(which: str) -> None:
    findings = found() if which == "six verdicts" else papers()
    made = document(findings)
    explained = {s for row in table_below(made, "Symbols").rows for e in expressions(row[0]) for s in e.free_symbols}
    names = {row[0][0].text for row in table_below(made, "Quantities").rows if isinstance(row[0][0], Code)}
    for name, fields in sections(made).items():
        shown = {s for e in expressions(tuple(fields.values())) for s in e.free_symbols}
        letters = {m[0].translate(INDICES) for m in re.finditer(r"Q[₀-₉]*(?= is )", text_of(fields["Claim"]))}
        assert {s.name for s in shown} <= {s.name for s in explained} | names | letters, name


def test_symbols_mean_what_they_do_in_each_claim() -> None:
    two = next(c for c in load_papers() if c.id == "two-delta")
    made = document([*papers(), *([] if any(f.claim == two for f in papers()) else [check(two)])])
    rows = {(text_of(row[0]), text_of(row[2])) for row in table_below(made, "Symbols").rows}
    meanings = {symbol: [m for s, m in rows if s == symbol] for symbol in ("k", "L", "δ")}
    assert any(m.startswith("rank of a maxout unit") for m in meanings["k"])
    assert all(not m.startswith("sequence length") for m in meanings["L"])
    assert any("how far scores move" in m and "two-delta" in m for m in meanings["δ"])


def test_the_glossary_is_complete() -> None:
    assert tuple(glossary.VERDICTS) == VERDICTS
    assert tuple(glossary.STANDINGS) == STANDINGS
    assert RESOURCES.keys() | {"error", "error_relative", "relu_width", "nu"} == glossary.RESOURCES.keys()
    for table in LEMMAS.values():
        for entry in table.values():
            assert set(re.findall(r"\{(\w+)\}", entry.meaning)) == set(entry.parameters)
            assert len(entry.roles) == len(entry.parameters)


# --- numbers and commands ---------------------------------------------------------------------------------------------

def test_witness_numbers_are_those_of_the_json() -> None:
    data = {entry["id"]: entry for entry in json.loads(as_json(found()))["findings"]}
    seen = 0
    for name, fields in sections(made()).items():
        witness = data[name]["witness"]
        if witness is None:
            continue
        shown = list(formulas(fields["Witness"]))
        for side in (witness["left"], witness["right"]):
            assert any(m.parts[-len(value(side)):] == value(side) for m in shown), (name, side)
        for parameter, x in witness["parameters"].items():
            assert any(str(m.parts[0]) == parameter and m.parts[1:] == ("=", *exact(Fraction(x))) for m in shown), parameter
        seen += 1
    assert seen == 3           # refuted, conditional, network


@pytest.mark.parametrize(("claim", "which"), [
    ("x <= 1", (True, True)), ("exp(x) <= 2", (False, True)), ("exp(10**-40*x) >= 2", (False, True)),
])
def test_what_is_said_to_be_exact_is(claim: str, which: tuple[bool, bool]) -> None:
    """exp(10**-40) is 1 to 30 digits, and still not exact."""
    f = check(Claim(claim, "a", "1 <= x <= 3"))
    assert f.witness is not None
    assert f.witness.exact == which
    shown = text_of(sections(document([f]))["a"]["Witness"])
    assert shown.count("the last is uncertain") == which.count(False)


@pytest.mark.parametrize("name", ["proved", "refuted", "conditional", "growth", "independent", "alike", "latex"])
def test_the_printed_command_gives_the_same_verdict(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (listing,) = sections(made())[name]["Command"]
    assert isinstance(listing, Listing)
    (line,) = listing.lines
    words = shlex.split(line)
    assert words[:2] == ["boundcalc", "check"]
    with pytest.raises(SystemExit):
        main([*words[1:], "-f", "json"])
    (again,) = json.loads(capsys.readouterr().out)["findings"]
    (before,) = (f for f in json.loads(as_json(found()))["findings"] if f["id"] == name)
    assert again["verdict"] == before["verdict"]
    assert again["witness"] == before["witness"]


@pytest.mark.parametrize(("text", "shown"), [
    ("3/2", (sp.Rational(3, 2),)), ("-7", (sp.Integer(-7),)), ("0.25", ("0.25",)), ("1.5e-30", ("1.5·10^(−30)",)),
    ("-1.5e22", ("−1.5·10^22",)), ("1" + "0" * 100, ("10^(100)",)),
    ("0.6931…", ("0.6931…",)), ("1.5…e-9", ("1.5…·10^(−9)",)),
])
def test_numbers(text: str, shown: tuple[object, ...]) -> None:
    assert value(text) == shown


def domain(text: str) -> Line:
    return conditions_line(read_claim("x <= 1", text).conditions)


@pytest.mark.parametrize(("text", "shown"), [
    ("0 < x <= 1", "0 < x ≤ 1"), ("x in [0, 1)", "0 ≤ x < 1"),
    ("x in (-inf, inf)", "x ∈ ℝ"), ("x >= 0, y > 1", "x ≥ 0, y > 1"),
    ("a < b, b < 3", "a < b < 3"), ("x in {1, 1/2}", "x ∈ { 1 , 1/2 }"), ("x == 1", "x = 1"), ("1 >= x > 0", "1 ≥ x, x > 0"),
])
def test_conditions(text: str, shown: str) -> None:
    assert text_of(domain(text)) == shown


# --- hostile texts ----------------------------------------------------------------------------------------------------

HOSTILE = "a|b `c` <script>alert('$x$')</script> _d_ \\frac $ \n# e \0 ]( **"


def test_texts_of_a_file_are_words_whatever_they_hold() -> None:
    claim = Claim("x <= 1", HOSTILE, "x <= 0", HOSTILE, HOSTILE, "quoted", Source(HOSTILE, HOSTILE))
    f = check(claim)
    made = document([f, replace(f, claim=replace(claim, id="a?b")), replace(f, claim=replace(claim, id="a!b"))])
    assert len(sections(made)) == 3
    assert all(re.fullmatch("[A-Za-z0-9_-]+", anchor) for anchor in sections(made))
    shown = write(made)
    assert "\0" not in shown
    assert "<script" not in shown.replace(r"\<script", "")
    assert shown.count("<span>$</span>") == shown.replace("$`", "").replace("`$", "").count("$") > 10
    headings = [line for line in shown.splitlines() if line.startswith("#")]
    assert len(headings) == 7          # the title, Summary, Claims, three claims, Symbols
    for row in (line for line in shown.splitlines() if line.startswith("| ")):
        assert len(re.sub(r"\\\\|\\\|", "", row).split("|")) in (4, 5, 6), row


def test_a_claim_that_cannot_be_set_has_no_line() -> None:
    assert claim_line(read_claim("x1 <= x_1")) is None
    assert claim_line(read_claim("x1 <= x2")) is not None


# --- the bundled papers -----------------------------------------------------------------------------------------------

def test_the_papers_have_a_summary_a_source_and_a_section_a_claim() -> None:
    made = document(papers())
    sources = list(dict.fromkeys(f.claim.source for f in papers()))
    assert [len(t.rows) for t in summaries(made)] == [sum(f.claim.source == s for f in papers()) for s in sources]
    assert len(sections(made)) == len(papers())
    shown = write(made)
    assert shown.count("- **Command:**") == len(papers())
    assert all(f.reproduce in shown for f in papers() if f.reproduce)


def test_the_command_line_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.md"
    with pytest.raises(SystemExit):
        main(["check", "--claim", "x <= 1", "--for", "x <= 0", "-f", "markdown", "-o", str(target)])
    assert capsys.readouterr().out == ""
    assert target.read_text(encoding="utf-8") == write(document([check(Claim("x <= 1", "claim-1", "x <= 0"))]))
