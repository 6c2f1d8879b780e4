"""plot --paper, and the band that stands for a curve too fine to be drawn."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import matplotlib
import pytest

import boundcalc
from boundcalc.cli.main import main
from boundcalc.pictures.drawing import PAPER, STYLE, draw, envelope
from boundcalc.pictures.picture import picture_of
from boundcalc.results.report import report_of


def test_a_picture_for_a_paper_has_its_caption_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "mult.svg"
    with pytest.raises(SystemExit) as end:
        main(["plot", "mult", "--eps", "1e-2", "--no-certify", "--points", "21", "--paper", "-o", str(path)])
    assert end.value.code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mult.svg", "mult.txt"]
    drawn, said = path.read_text(encoding="utf-8"), (tmp_path / "mult.txt").read_text(encoding="utf-8")
    assert [f"({c})" in drawn for c in "abcdef"] == [True] * 5 + [False]
    width = re.search(r'<svg[^>]* width="([0-9.]+)pt"', drawn)
    assert width
    assert abs(float(width[1]) / 72 * 2.54 - 8.5) < 0.01
    for words in ("Parameters:", "Drawn along x"):
        assert words not in drawn
        assert words in said
    assert "(c) size of the error, |network − target|, where x and y vary" in said
    assert "(d) attention weights" in said


@pytest.mark.dear
def test_nothing_leaves_the_column() -> None:
    bound = boundcalc.bound("mult", eps="1e-2")
    with matplotlib.rc_context({**STYLE, **dict(PAPER.style)}):
        figure = draw(picture_of(bound, points=21), report_of(bound), PAPER)
        figure.canvas.draw()
    assert len(figure.legends) == 2
    boxes = [*(legend.get_window_extent() for legend in figure.legends), *(a.get_tightbbox() for a in figure.axes),
             *(text.get_window_extent() for text in figure.texts)]
    for box in boxes:
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1


def test_the_band_covers_every_sample() -> None:
    picture = picture_of(boundcalc.bound("square", eps="1e-7"), points=201, certify=False)
    view = picture.views[0]
    assert not view.resolved
    places, low, high = envelope(view)
    assert places == sorted(places)
    assert (places[0], places[-1]) == (view.low, view.high)
    for s in view.samples:
        around = [k for k in range(0, len(places), 2) if places[k] <= s.x <= places[k + 1]]
        assert any(low[k] <= s.error <= high[k] for k in around)
    assert max(high) == max(s.error for s in view.samples)
    assert min(low) == min(s.error for s in view.samples) < Fraction(0) < max(high)
