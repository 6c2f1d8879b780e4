"""What is written as LaTeX compiles with a real pdflatex, without overfull boxes, and the pages have what they must."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import boundcalc
from boundcalc.claims.check import check
from boundcalc.claims.load import load_files
from boundcalc.export import Wishes, catalogue, referee, render, write
from boundcalc.export.values import short
from boundcalc.results.report import Report, report_of
from tests.export.test_export import VARIANTS, Way, bound_of, every_way

pytestmark = pytest.mark.outside

WIDEST = 2.0            # points by which a box may be too wide
PAPERS = sorted((Path(boundcalc.__file__).parent / "papers").glob("*.toml"))


def compiled(text: str, folder: Path, runs: int = 1) -> str:
    """The text of the PDF; an error, or a box that is too wide, is a failure."""
    assert shutil.which("pdflatex"), "install pdflatex (Debian: texlive-latex-recommended, lmodern)"
    assert shutil.which("pdftotext"), "install pdftotext (Debian: poppler-utils)"
    (folder / "x.tex").write_text(text, encoding="utf-8")
    for _ in range(runs):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"]
        run = subprocess.run(command, cwd=folder, capture_output=True)
        log = (folder / "x.log").read_text(encoding="utf-8", errors="replace")
        assert run.returncode == 0, [x for x in log.splitlines() if x.startswith("!")]
    wide = [x for x in re.findall(r"Overfull \\[hv]box \(([0-9.]+)pt", log) if float(x) > WIDEST]
    assert not wide, re.findall(r"Overfull .*\n.*", log)
    if runs > 1:
        assert "undefined" not in log
    shown = subprocess.run(["pdftotext", "-layout", "x.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return shown.stdout.decode("utf-8")


def check_pages(pages: str, report: Report) -> None:
    """Theorem, tables, proof and total are on the pages."""
    counted = "attention layers" if report.gate != "ffn" else "ReLU units"
    for expected in ("Theorem 1", "Parameters.", "Resources.", "Dimensions.", "Error propagation.", "Proof.", counted):
        assert expected in pages, expected
    assert re.search(r"R[0-9]+ \(", pages), "rules are stated"
    for lemma in report.lemmas:
        assert f"{lemma.label}:" in pages
    if report.has_values and report.terms:
        assert short(report.total, 12).rstrip("↑").partition("e")[0] in pages


@every_way
def test_bounds_compile(way: Way, tmp_path: Path) -> None:
    report = report_of(bound_of(way, "eps"))
    check_pages(compiled(render(report, "latex", Wishes(proof=True, standalone=True)), tmp_path), report)


@every_way
def test_closed_forms_compile(way: Way, tmp_path: Path) -> None:
    name, route, gate = way
    report = report_of(boundcalc.closed_forms(name, route=route, gate=gate))
    check_pages(compiled(render(report, "latex", Wishes(proof=True, standalone=True)), tmp_path), report)


@pytest.mark.parametrize("case", VARIANTS)
def test_variants_compile(case: str, tmp_path: Path) -> None:
    report = report_of(bound_of(VARIANTS[case][0], case))
    check_pages(compiled(render(report, "latex", Wishes(proof=True, standalone=True)), tmp_path), report)


ARTICLE = "\n".join([r"\documentclass{article}", *(rf"\usepackage{{{p}}}" for p in (
    "amsmath", "amssymb", "amsthm", "array", "tabularx", "longtable")), r"\newtheorem{theorem}{Theorem}",
    r"\begin{document}", "%s", r"\end{document}"])


@every_way
def test_fragments_fit_the_narrow_page_of_the_class_article(way: Way, tmp_path: Path) -> None:
    report = report_of(bound_of(way, "range"))
    fragment = render(report, "latex", Wishes(proof=True))
    only = render(report, "latex", Wishes(only="error"))
    assert "Theorem 1" in compiled(ARTICLE.replace("%s", fragment + "\n" + only), tmp_path)


def test_citations_are_resolved(tmp_path: Path) -> None:
    report = report_of(bound_of(("mult", "recipe", "silu"), "eps"))
    pages = compiled(render(report, "latex", Wishes(standalone=True)), tmp_path, runs=2)
    assert "[1]" in pages
    assert "Yarotsky" in pages.split("References")[1]


def test_the_table_of_all_targets_compiles(tmp_path: Path) -> None:
    pages = compiled(write(catalogue.document(), "latex", standalone=True), tmp_path, runs=2)
    for name in boundcalc.names():
        assert f"{name}:" in pages


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.stem)
def test_referee_reports_compile(paper: Path, tmp_path: Path) -> None:
    findings = [check(c) for c in load_files([paper])]
    pages = compiled(write(referee.document(findings), "latex", standalone=True), tmp_path, runs=2)
    for f in findings:
        assert f.verdict in pages
        assert f.claim.id in " ".join(pages.split())


LONG_CLAIMS = """
[[claim]]
id = "a-very-long-identifier-without-any-blank-in-it-that-would-push-the-other-columns-of-the-summary-off-the-page"
claim = "exists C: recip.heads <= C/sqrt(eps)"
for = "a == 1/2, b == 2, 0 < eps < 1"
[[claim]]
claim = "max.heads <= (n + m**2 + sqrt(n) + exp(m) + log(n+2) + n**3 + m*n + 5)*(n + m**3 + sqrt(m) + exp(n) + n**4 + 6)"
for = "n >= 2, m >= 1"
[[claim]]
states = "<script>alert(1)</script> \\\\input{x} $ % & # _ { } ~ ^ 雪 \U0001F600"
claim = "max.heads <= 3"
for = "n >= 2"
"""


def test_long_and_hostile_claims_compile(tmp_path: Path) -> None:
    (tmp_path / "claims.toml").write_text(LONG_CLAIMS, encoding="utf-8")
    findings = [check(c) for c in load_files([tmp_path / "claims.toml"])]
    pages = compiled(write(referee.document(findings), "latex", standalone=True), tmp_path, runs=2)
    assert "alert(1)" in pages
    assert "[U+96EA]" in pages
