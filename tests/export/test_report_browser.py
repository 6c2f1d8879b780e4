"""The report on claims in a real browser: nothing is cut off on a phone, a screen or paper."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import boundcalc
from boundcalc.export.findings import render

from .test_browser import PAPER, chromium, measured, program

pytestmark = pytest.mark.outside
CLAIMS = [
    ("mult[route=recipe, gate=silu].parameters <= mult[route=recipe, gate=ffn].parameters", "m == 3"),
    ("mult[route=recipe, gate=silu].heads <= mult[route=recipe, gate=ffn].neurons", "m == 2"),
    ("max[route=tree, gate=silu].heads <= n - 2", ""), ("softmax.lipschitz(inf, inf) <= 1", "beta > 0, n >= 2"),
    ("exists K: x <= K*y", "x > 0, y > 0"), ("x/x == 1", "x in [-1, 1]"), ("exp(x) >= 1 + x", ""),
    ("(x**4 + y**4 + 1)*(x**2 + 2*x*y + y**2 + 7)*(1 + x**2*y**2)*(x**6 + 1) >= -exp(-x**2 - y**2 - 1)/(1 + y**4)", "")]


@pytest.fixture(scope="module")
def page() -> str:
    return render([boundcalc.check(*claim) for claim in CLAIMS], "html")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_on_a_screen(tmp_path: Path, page: str, width: int) -> None:
    seen = measured(tmp_path, page, width)
    assert seen["wide"] <= width
    assert seen["outside"] == []
    assert seen["scrolling"] == 0
    assert "mult[route=recipe, gate=silu].heads" in page
    assert "mult[route=recipe, gate=ffn].neurons" in page


def test_a_page_that_scrolls_would_be_seen(tmp_path: Path, page: str) -> None:
    without = re.sub(r"\.bc-report [^}]*\}", "", page.partition("</style>")[0]) + "</style>" + page.partition("</style>")[2]
    seen = measured(tmp_path, without, 390)
    assert seen["scrolling"] > 0


def test_paper(tmp_path: Path, page: str) -> None:
    seen = measured(tmp_path, page.replace("@media print", "@media all").replace("@media screen and (max-width: 40rem)",
                                                                                "@media speech"), PAPER)
    assert seen["wide"] <= PAPER
    assert seen["outside"] == []


def test_headings_stay_with_their_claims(tmp_path: Path, page: str) -> None:
    pdf = tmp_path / "page.pdf"
    chromium(tmp_path, page, "--no-pdf-header-footer", f"--print-to-pdf={pdf}")
    text = subprocess.run([program("pdftotext"), "-layout", str(pdf), "-"], check=True, timeout=60, capture_output=True,
                          text=True).stdout
    sheets = text.split("\f")
    assert len(sheets) > 2
    for sheet in sheets:
        last = next((line.strip() for line in reversed(sheet.splitlines()) if line.strip()), "")
        assert not re.fullmatch(r"claim-[0-9]+: \w+", last), last
    assert "boundcalc check" in re.sub(r"\s+", " ", text)
