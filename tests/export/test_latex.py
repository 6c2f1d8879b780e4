"""LaTeX: well formed, with everything that a theorem needs, and saying what JSON says."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy as sp

import boundcalc
from boundcalc.cli.main import DONE, main
from boundcalc.errors import InvalidInput
from boundcalc.export import Wishes, render
from boundcalc.export.document import Cite, Code, Document, Number, Strong, Verdict
from boundcalc.export.latex import line, number, words, write
from boundcalc.formulas.enclosure import upper
from boundcalc.formulas.notation import to_latex
from boundcalc.formulas.parser import parse
from boundcalc.formulas.symbols import symbol
from boundcalc.results.report import report_of
from tests.export.test_export import TIGHT, VARIANTS, Way, bound_of, document, every_case, every_way, values
from tests.export.test_linebreak import read_back, same

SECTIONS = ("Parameters.", "Resources.", "Dimensions.", "Error propagation.")


@cache
def text_of(way: Way, case: str) -> str:
    return render(report_of(bound_of(way, case)), "latex", Wishes(proof=True))


def check_latex(text: str) -> None:
    """ASCII, braces and environments nested, mathematical characters in mathematical mode only, rows of equal length."""
    text = "\n".join(x for x in text.splitlines() if not x.startswith("%"))
    assert text.isascii(), sorted({c for c in text if not c.isascii()})
    bare = re.sub(r"\\[\\{}$&%#_^]", "", text)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    assert len(re.findall(r"\\left(?![a-z])", text)) == len(re.findall(r"\\right(?![a-z])", text))
    assert text.count(r"\Bigl") == text.count(r"\Bigr")
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", text):
        if kind == "begin":
            open_.append(name)
        else:
            assert open_.pop() == name
    assert not open_
    outside = re.sub(r"\\begin\{align\*\}.*?\\end\{align\*\}", "", bare, flags=re.DOTALL)
    outside = re.sub(r"\\(?:begin|multicolumn)\{[^\n]*", "", outside)
    plain = "".join(outside.split("$")[::2])
    assert not re.search(r"[_^<>|]", plain), "only math mode knows these characters"


def rows_of(text: str, caption: str) -> list[list[str]]:
    """The cells of the table with this caption; rows that are headings have one cell."""
    start = text.index(rf"\textit{{{caption}}}")
    body = text[text.index(r"\hline", start):]
    body = body[:re.search(r"\\end\{(?:tabularx?|longtable)\}\n", body).start()]       # type: ignore[union-attr]
    return [[cell.strip() for cell in re.split(r" & ", row.removesuffix(r"\\").strip())]
            for row in body.splitlines()[1:] if row.strip()]


def formula_in(cell: str) -> sp.Expr:
    """A formula in a table, which may be broken over lines."""
    inner = re.fullmatch(r"\\begin\{tabular\}\[t\]\{@\{\}l@\{\}\} (.*) \\end\{tabular\}", cell)
    lines = re.findall(r"\$(.*?)\$", inner[1] if inner else cell)
    return read_back(" ".join(lines))


def value_in(cell: str) -> tuple[Fraction | None, bool]:
    """A number in a table, and whether it is marked as rounded up."""
    match = re.match(r"\$(?:> 10\^\{1000\}|\\infty|(-?[0-9.]+)(?:\\cdot 10\^\{(-?[0-9]+)\})?)(\{\\uparrow\})?\$", cell)
    assert match, cell
    value = Fraction(match[1]) * Fraction(10) ** int(match[2] or 0) if match[1] else None
    return value, match[3] is not None


def check_value(cell: str, q: dict[str, Any]) -> None:
    """Exact, or marked as rounded up and then not below the value nor far above it."""
    value, up = value_in(cell)
    if value is None:
        assert q["upper"] == "inf"
    elif up:
        assert Fraction(q["upper"]) <= value * TIGHT
        assert value <= Fraction(q["upper"]) * (1 + Fraction(1, 10 ** 3))
    else:
        assert value == Fraction(q["exact"])


# ---------------------------------------------------------------------------------------------------------------

@every_case
def test_latex_is_well_formed_and_complete(way: Way, case: str) -> None:
    text = text_of(way, case)
    check_latex(text)
    for environment in ("theorem", "proof", "enumerate"):
        assert text.count(rf"\begin{{{environment}}}") == 1
    assert all(rf"\textit{{{title}}}" in text for title in SECTIONS)
    assert not re.search(r"[0-9]e-?[0-9]", text), "numbers are written as in a paper"
    for lemma in document(way, case)["lemmas"]:
        assert re.search(rf"\\item {lemma['label']}: ", text)


@every_case
def test_resources_of_latex_are_those_of_json(way: Way, case: str) -> None:
    """Formulas are read back by the grammar of claims and compared; values carry their rounding."""
    doc = document(way, case)
    shown = {key: q for key, q in doc["resources"].items() if q is not None and q["symbolic"] != "0"}
    rows = rows_of(text_of(way, case), "Resources.")
    assert len(rows) == len(shown)
    for (_, closed, value), (key, q) in zip(rows, shown.items(), strict=True):
        if key != "bits":
            assert same(formula_in(closed), parse(q["symbolic"])), key
        check_value(value, q)
        assert ("rounded" in q) == value.endswith(("(up)", "(down)"))


@every_case
def test_error_terms_of_latex_are_those_of_json(way: Way, case: str) -> None:
    doc, text = document(way, case), text_of(way, case)
    theorem = text[text.index(r"\begin{theorem}"):text.index(r"\end{theorem}")]
    terms = doc["error"]["terms"]
    if not terms:
        assert r"\Phi(x)=f(x)" in theorem
        return
    display = next(x for x in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", theorem, flags=re.DOTALL)
                   if r"\Phi" in x)
    found: dict[str, list[str]] = {}
    last = ""
    for row in display.split("\\\\\n"):
        left, _, right = row.partition("&")
        if left.strip():
            last = left.strip()
            found.setdefault(last, []).append(right.strip())
        else:
            found[last][-1] += " " + right
    for t in terms:
        sides = [formula for left, formula in found.items() if left.startswith(rf"E_{{\mathrm{{{t['name']}}}}}")
                 for formula in formula]
        assert sides, t["name"]
        largest = max((read_back(x.removeprefix("=")) for x in sides),
                      key=lambda e: upper(e, values(doc), 30))
        assert upper(largest, values(doc), 30) == upper(parse(t["symbolic"]), values(doc), 30)
    for (_, _, size), q in zip(rows_of(theorem, "Terms of the error."), [*terms, doc["error"]["total"]], strict=True):
        check_value(size, q)


@every_case
def test_dimensions_and_propagation_of_latex_are_those_of_json(way: Way, case: str) -> None:
    doc, text = document(way, case), text_of(way, case)
    rows = [row for row in rows_of(text, "Dimensions.") if len(row) > 1]
    assert len(rows) == len(doc["dimensions"])
    for (_, tall, wide, _, many, each), shape in zip(rows, doc["dimensions"], strict=True):
        for cell, key in ((tall, "rows"), (wide, "columns"), (many, "count"), (each, "entries")):
            assert same(formula_in(cell), _in_claims(shape[key]["symbolic"])), key
    lines = rows_of(text, "Error propagation.")
    assert len(lines) == 2 * len(doc["error"]["propagation"])
    for (heading,), row, stage in zip(lines[::2], lines[1::2], doc["error"]["propagation"], strict=True):
        assert heading.endswith(f"(rule {stage['rule']})}}}}")
        for cell, key in zip(row, ("incoming", "gain", "added", "outgoing", "naive_outgoing"), strict=True):
            check_value(cell, stage[key])


def _in_claims(text: str) -> sp.Expr:
    """As claims read it: there `s` is a real variable, not the index of a stage."""
    return boundcalc.claims.language.read_claim(f"{text} <= 0").statement.left        # type: ignore[attr-defined]


@every_case
def test_the_proof_ends_in_the_claimed_total(way: Way, case: str) -> None:
    """Every step names its rule, rules and lemmas are stated before, and the last step's outgoing error is the total."""
    doc, text = document(way, case), text_of(way, case)
    proof = text[text.index(r"\begin{proof}"):text.index(r"\end{proof}")]
    steps = proof[proof.index(r"\begin{enumerate}"):proof.index(r"\end{enumerate}")].split(r"\item ")[1:]
    rules = [re.search(r"\(rule (R[0-9]+)\)", step)[1] for step in steps]             # type: ignore[index]
    assert rules[-1] == doc["error"]["propagation"][-1]["rule"]
    stated = re.findall(r"\\item (R[0-9]+) \(", proof[:proof.index(r"\begin{enumerate}")])
    assert set(rules) <= set(stated)
    if not doc["error"]["terms"]:
        return
    outgoing = steps[-1].split(r"\mathrm{outgoing} &\le")[1].split(r"\end{align*}")[0]
    last = _complete(read_back(outgoing), way, case)
    total = parse(doc["error"]["total"]["symbolic"])
    assert upper(last, values(doc), 30) == upper(total, values(doc), 30)


def _complete(e: sp.Expr, way: Way, case: str) -> sp.Expr:
    return bound_of(way, case).analysis.complete(e)


@every_way
def test_latex_of_closed_forms_is_well_formed(way: Way) -> None:
    name, route, gate = way
    text = render(report_of(boundcalc.closed_forms(name, route=route, gate=gate)), "latex", Wishes(proof=True))
    check_latex(text)
    assert r"\begin{theorem}" in text
    assert "uparrow" not in text, "there are no values"


def test_every_symbol_of_a_theorem_is_defined() -> None:
    """Free symbols of all formulas in the theorem stand in its table of parameters or are explained below it."""
    for case, (way, _) in VARIANTS.items():
        doc, text = document(way, case), text_of(way, case)
        defined = {cells[0].strip("$") for cells in rows_of(text, "Parameters.")}
        used = {s.name for q in doc["resources"].values() if q is not None for s in parse(q["symbolic"]).free_symbols}
        used |= {s.name for t in doc["error"]["terms"] for s in parse(t["symbolic"]).free_symbols}
        for name in used - {"C"}:
            assert to_latex(symbol(name)) in defined, (case, name)
        assert "$C$ is $4(" in text or "C" not in used


# ---------------------------------------------------------------------------------------------------------------
# fragments and whole documents

def test_one_formula_is_a_fragment_with_its_symbols_explained() -> None:
    report = report_of(bound_of(("recip", "recipe", "silu"), "eps"))
    doc = document(("recip", "recipe", "silu"), "eps")
    text = render(report, "latex", Wishes(only="error"))
    comments = [x for x in text.splitlines() if x.startswith("%")]
    body = "\n".join(x for x in text.splitlines() if not x.startswith("%"))
    check_latex(body)
    inner = re.fullmatch(r"(?:\\\[|\\begin\{align\*\})\n(.*)\n(?:\\\]|\\end\{align\*\})", body, flags=re.DOTALL)
    assert inner
    assert same(read_back(inner[1]), parse(doc["error"]["total"]["symbolic"]))
    for name in ("N", "a", "β", "h", "W"):
        assert any(x.startswith(f"% {name}") for x in comments), name
    assert any("(rounded up)" in x for x in comments)


@pytest.mark.parametrize("name", ["error", "gates", "heads", "beta", "interpolation"])
@pytest.mark.parametrize("form", ["text", "latex", "json", "markdown", "html"])
def test_only_works_in_every_format(name: str, form: str) -> None:
    assert render(report_of(bound_of(("mult", "recipe", "silu"), "eps")), form, Wishes(only=name)).strip()


def test_only_of_a_rounded_parameter_is_not_called_exact() -> None:
    report = report_of(bound_of(("mult", "recipe", "silu"), "eps"))
    for form in ("text", "latex", "markdown"):
        text = render(report, form, Wishes(only="beta"))
        assert "(exact)" not in text
        assert "rounded up" in text
    assert "(exact)" in render(report, "text", Wishes(only="m"))
    assert report.resources["beta"]._repr_latex_().count(r"\approx") == 1


def test_only_of_several_routes_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    for form, whole in (("text", "\n  mult, direct\n"), ("latex", "% mult, direct"), ("html", "</html>")):
        with pytest.raises(SystemExit) as end:
            main(["show", "mult", "--only", "error", "-f", form])
        out = capsys.readouterr().out
        assert end.value.code == DONE
        assert out.count(whole) == 1
        assert "recipe with silu gates" in out


def test_only_of_json_is_the_quantity() -> None:
    doc = json.loads(render(report_of(bound_of(("mult", "recipe", "silu"), "eps")), "json", Wishes(only="error")))
    assert set(doc.pop("symbols")) == {"M", "m", "beta"}
    assert doc == {"name": "error", **document(("mult", "recipe", "silu"), "eps")["error"]["total"]}


def test_only_of_something_else_is_refused() -> None:
    report = report_of(bound_of(("mult", "recipe", "silu"), "eps"))
    with pytest.raises(InvalidInput, match="Did you mean heads"):
        render(report, "text", Wishes(only="haeds"))
    for wishes in (Wishes(only="error", proof=True), Wishes(only="error", standalone=True)):
        with pytest.raises(InvalidInput):
            render(report, "latex", wishes)
    with pytest.raises(InvalidInput):
        render(report, "markdown", Wishes(standalone=True))


def test_standalone_loads_no_other_package() -> None:
    text = render(report_of(bound_of(("mult", "recipe", "silu"), "eps")), "latex", Wishes(standalone=True))
    loaded = set(re.findall(r"\\usepackage(?:\[[^\]]*\])?\{([a-z]+)\}", text))
    assert loaded <= {"amsmath", "amssymb", "amsthm", "array", "tabularx", "longtable", "geometry", "graphicx", "hyperref",
                      "lmodern"}
    assert set(re.findall(r"\\cite\{(\w+)\}", text)) == set(re.findall(r"\\bibitem\{(\w+)\}", text)) != set()


def test_bibtex_has_what_is_cited() -> None:
    report = report_of(bound_of(("mult", "recipe", "silu"), "eps"))
    cited = set(re.findall(r"\\cite\{(\w+)\}", render(report, "latex")))
    assert cited == set(re.findall(r"@\w+\{(\w+),", render(report, "bibtex"))) != set()


@pytest.mark.parametrize("eps", ["1e-30", "1/10000000000007", "7/3000000000000000000000001"])
@pytest.mark.parametrize("way", [("relu", "recipe", "silu"), ("mult", "recipe", "silu")], ids=lambda way: way[0])
def test_nothing_is_said_to_equal_what_it_was_rounded_to(way: Way, eps: str) -> None:
    name, route, gate = way
    text = render(report_of(boundcalc.bound(name, route=route, gate=gate, eps=eps)), "latex")
    assert not re.search(r"[0-9]e-?[0-9]", text)
    row = next(cells for cells in rows_of(text, "Parameters.") if cells[0] == r"$\varepsilon$")
    value, up = value_in(row[1]) if not re.search("/", row[1]) else (Fraction(row[1].strip("$")), False)
    assert value is not None
    assert value == Fraction(eps) if not up else Fraction(eps) < value < Fraction(eps) * (1 + Fraction(1, 10 ** 6))


# ---------------------------------------------------------------------------------------------------------------
# words and spans

@pytest.mark.parametrize(("text", "latex"), [
    ("100 % & $5 #1 a_b {x} ~ ^ \\", r"100 \% \& \$5 \#1 a\_b \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"),
    ("a < b | c", r"a $<$ b $\vert$ c"), ("β ≤ 2", r"$\beta$ $\le$ 2"), ("x² — so", "x$^2$ --- so"),
    ("雪", r"\texttt{[U+96EA]}"), ("é", "é"), ("a\x00b\nc", "a b c"),
])
def test_words_are_escaped(text: str, latex: str) -> None:
    assert words(text) == latex


@pytest.mark.parametrize(("text", "latex"), [
    ("0.25", "0.25"), ("1.2e-30↑", r"1.2\cdot 10^{-30}{\uparrow}"), ("> 10^1000", "> 10^{1000}"), ("∞", r"\infty"),
    ("0.1↓", r"0.1{\downarrow}"), ("1/3", "1/3")])
def test_numbers_are_set_with_their_rounding(text: str, latex: str) -> None:
    assert number(text) == latex


def test_spans() -> None:
    assert line((Strong("a_b"), Verdict("refuted"), Cite("hu2026relus"), Number("2"))) == \
        r"\textbf{a\_b}\textbf{refuted}\cite{hu2026relus}$2$"
    assert line((Code("--claim 'x <= 1'"),)).startswith(r"\texttt{-{}-{}claim \textquotesingle{}x $<$=")
    assert write(Document((), ())).startswith("% Needs")


@pytest.mark.dear
def test_list_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["list", "-f", "latex"])
    assert end.value.code == DONE
    text = capsys.readouterr().out
    check_latex(text)
    rows = [row for row in rows_of(text, "Targets and their bounds.") if len(row) > 1]
    assert len(rows) == len(list(boundcalc.export.catalogue.ways()))      # type: ignore[attr-defined]
    for row, (name, route, gate) in zip(rows, boundcalc.export.catalogue.ways(), strict=True):      # type: ignore[attr-defined]
        analysis = boundcalc.closed_forms(name, route=route, gate=gate)
        assert same(formula_in(row[4]), analysis.complete(analysis.total.radius)), row
        assert same(formula_in(row[2]), analysis.complete(analysis.resources["heads"])), row
