"""Pictures: what is drawn agrees with boundcalc, can be read in black and white, and is the same every time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from io import BytesIO
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib
import mpmath
import pytest
from matplotlib.image import imread
from matplotlib.text import Text

import boundcalc
from boundcalc.cli.main import DONE, INTERRUPTED, WRONG
from boundcalc.declarations.registry import construction, information, names
from boundcalc.errors import InvalidInput
from boundcalc.export.names import way as way_of
from boundcalc.networks.network import AttentionLayer, Network
from boundcalc.numbers.exact import floor_log
from boundcalc.pictures import attention
from boundcalc.pictures import picture as picturing
from boundcalc.pictures.attention import AttentionMap, Place
from boundcalc.pictures.caption import (
    TIE,
    across,
    caption,
    map_title,
    of_errors,
    of_plane,
    plane_title,
    typeset,
    upwards,
    value,
)
from boundcalc.pictures.drawing import STYLE, draw, render
from boundcalc.pictures.line import around
from boundcalc.pictures.picture import SPARE, Picture, picture_of
from boundcalc.results.bound import bound
from boundcalc.results.report import report_of
from boundcalc.results.verification import Verification
from boundcalc.verify import verification
from boundcalc.verify.evaluate import to_fraction
from tests.kinds import kind_of
from tests.selection import selected
from tests.verify.test_evaluate import reference

F = Fraction
Run = Callable[..., tuple[int, str, str]]
SVG = "{http://www.w3.org/2000/svg}"


def ways() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every construction × route × gate, small."""
    for name in names():
        how = construction(name)
        for route, r in how.by_route.items():
            for gate in information(name).gates if r.gated else (None,):
                given: dict[str, Any] = {"eps": "1/10", "route": route, "gate": gate}
                if kind_of(how) == "positive":
                    given["range"] = (F(1, 2), 2)
                elif kind_of(how) == "function":
                    given["range"] = (0, 1)
                if how.counted == "n":
                    given["n"] = 3
                yield "-".join(filter(None, (name, route, gate))), {"name": name, **given}


# several inputs, copies, input errors, sequences, tiny errors, other temperatures, many tokens, nothing to meet
SPECIAL: dict[str, dict[str, Any]] = {
    "unit": {"name": "clip", "eps": "1/20", "range": (0, 1), "d": 2, "w": (0, F(-1, 2)), "t": F(1, 4), "gate": "anchors"},
    "copies, delta": {"name": "mult", "eps": "1/10", "d": 2, "delta": "1e-3"},
    "sequence": {"name": "mult", "eps": "1/5", "sequence": 3},
    "sequence of anchors": {"name": "clip", "eps": "1/10", "range": (0, 1), "sequence": 3, "gate": "anchor"},
    "tiny": {"name": "relu", "eps": "1e-30"},
    "tiny on an interval": {"name": "square", "eps": "1e-6"},
    "hard": {"name": "clip", "eps": "1/30", "range": (0, 1), "gate": "anchor", "temperature": "hard", "grid": "left"},
    "sentinels": {"name": "clip", "eps": "1/10", "range": (0, 1), "gate": "anchors", "temperature": "hard",
                  "sentinels": True},
    "no eps": {"name": "relu", "beta": 40},
    "many tokens": {"name": "clip", "eps": "3e-4", "range": (0, 1), "gate": "anchor"},
    "narrow": {"name": "recip", "eps": "1e-2", "range": (1000, 1001)},
}
WAYS = dict(ways()) | SPECIAL
# every construction, every route, every gate
SHOWN = [*selected(list(dict(ways())), lambda label: label.split("-")), *SPECIAL]
every_way = pytest.mark.parametrize("label", SHOWN)
some_ways = pytest.mark.parametrize("label", selected(["recip-recipe-ffn", "mult-recipe-anchor", "tiny"], lambda _: "1"))


@cache
def picture(label: str) -> Picture:
    return picture_of(bound(**WAYS[label]), digits=20, points=81)


# ---------------------------------------------------------------------------------------------------------------
# what is drawn

@every_way
def test_errors_agree_with_the_network_itself(label: str) -> None:
    p = picture(label)
    digits = SPARE - floor_log(p.derived, 10) if p.derived else SPARE
    for view in p.views:
        for s in view.samples[5::len(view.samples) // 2]:
            target = p.bound.target(p.line.point(s.x))[p.line.output]
            network = to_fraction(reference(p.bound.network, p.line.seen(s.x), 3 * digits + 30)[p.line.output])
            assert s.target == target
            assert abs(s.network - network) <= 3 * max(F(1), abs(network)) / 10 ** digits      # the diameter of a ball
            assert s.error == s.network - target


@every_way
def test_no_observed_error_is_above_a_bound(label: str) -> None:
    p = picture(label)
    errors = [abs(s.error) for v in p.views for s in v.samples]
    assert p.derived == p.bound.total.upper
    assert p.certified == (p.verification.proved.error if p.verification.proved else None)
    assert p.goal == p.bound.values.get("eps")
    assert max(errors) <= p.observed
    for limit in (p.certified, p.derived, p.goal):
        assert limit is None or p.observed <= limit
    assert p.worst.x == p.line.centre
    assert abs(p.worst.error) == max(errors)


@every_way
def test_two_inputs_have_a_map_of_the_error(label: str) -> None:
    """Signed errors of the network itself, wherever both inputs vary; none is larger than what is said to be observed."""
    p = picture(label)
    targets = p.bound.targets()
    domains = p.bound.domains()
    of_two = targets[p.line.output].inputs == 2 and all(None not in ends for ends in domains)
    assert (p.plane is not None) == of_two
    if p.plane is None:
        return
    rows, columns = len(p.plane.errors), len(p.plane.errors[0])
    assert columns == 2 * rows
    assert max(abs(e) for row in p.plane.errors for e in row) <= p.observed
    (x0, x1), (y0, y1) = p.plane.across, p.plane.upwards
    assert [(x0, x1), (y0, y1)] == [domains[p.line.varied], domains[p.plane.other]]
    digits = SPARE - floor_log(p.derived, 10) if p.derived else SPARE
    for row, column in ((0, 0), (rows // 3, columns - 1), (rows - 1, columns // 5)):
        x, y = x0 + (x1 - x0) * F(2 * column + 1, 2 * columns), y0 + (y1 - y0) * F(2 * row + 1, 2 * rows)
        point = [y if k == p.plane.other else z for k, z in enumerate(p.line.point(x))]
        seen = [z + p.line.shift for z in point]
        network = to_fraction(reference(p.bound.network, seen, 3 * digits + 30)[p.line.output])
        error = network - p.bound.target(point)[p.line.output]
        assert abs(p.plane.errors[row][column] - error) <= 3 * max(F(1), abs(network)) / 10 ** digits


def test_a_map_that_shows_a_worse_point_moves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest of all evaluations is what is observed, wherever it was found."""
    whole = picturing.verify

    def careless(*given: Any, **more: Any) -> Verification:
        found = whole(*given, **more)
        seen = found.observed
        return replace(found, observed=replace(seen, error=F(0), at=dict.fromkeys(seen.at, F(0))))

    monkeypatch.setattr(picturing, "verify", careless)
    p = picture_of(bound("mult", eps="1/10"), digits=20, points=21)
    assert p.plane is not None
    assert p.observed >= max(abs(e) for row in p.plane.errors for e in row) > 0
    assert p.line.point(p.line.centre) == list(p.verification.observed.at.values())
    assert abs(p.worst.error) == p.observed or abs(p.worst.error) > F(9, 10) * p.observed


@every_way
def test_samples_run_through_the_worst_point(label: str) -> None:
    p = picture(label)
    low, high = p.bound.domains()[0]
    for view in p.views:
        xs = [s.x for s in view.samples]
        assert all(a < b for a, b in pairwise(xs))
        assert (xs[0], xs[-1]) == (view.low, view.high)
        assert view.low <= p.line.centre <= view.high
        assert low is None or low <= view.low
        assert high is None or view.high <= high
    assert p.line.whole == (low is not None)
    assert len({s.target for s in p.views[0].samples}) > 1
    at = p.verification.observed.at
    assert p.line.point(p.line.centre) == list(at.values())
    assert p.line.inputs == tuple(at)


@every_way
def test_weights_of_a_column_add_up_to_one(label: str) -> None:
    p = picture(label)
    heads = p.bound.network.heads
    for view in p.views:
        assert bool(view.maps) == bool(heads)
        for m in view.maps:
            for column, outside in zip(zip(*m.weights, strict=True), m.outside, strict=True):
                assert abs(sum(column) + outside - 1) < 1e-12
                assert min(column) >= 0
            assert m.shown <= m.tokens
            assert len(m.weights) == -(-m.shown // m.group) <= attention.ROWS


@every_way
def test_weights_agree_with_the_formula(label: str) -> None:
    p = picture(label)
    for view in p.views:
        for m in view.maps:
            count = len(m.outside)
            for k in (0, count // 2):
                x = view.low + (view.high - view.low) * F(2 * k + 1, 2 * count)
                if m.tokens < 200:
                    wanted = softmax(p.bound.network, m.place, p.line.seen(x))
                    shown = wanted[m.first:m.first + m.shown]
                    assert m.group == 1
                    for row, weight in zip(m.weights, shown, strict=True):
                        assert abs(row[k] - weight) < 1e-9


def softmax(network: Network, place: Place, point: list[Fraction]) -> list[float]:
    """Straight from the formula, with dense loops."""
    number = [k for k, layer in enumerate(network.layers) if isinstance(layer, AttentionLayer)][place.layer]
    layer = network.layers[number]
    assert isinstance(layer, AttentionLayer)
    before = Network(network.inputs, tuple(map(str, range(network.sizes()[number]))), network.layers[:number])
    state = [to_fraction(v) for v in reference(before, point, 120)]
    tokens = [state[t * layer.dim:(t + 1) * layer.dim] for t in range(layer.tokens)]
    head = layer.heads[place.head]
    query = [sum((x * tokens[place.query][j] for i, j, x in head.Q.entries if i == r), F(0)) for r in range(head.Q.rows)]
    scores = [sum((x * token[j] * query[i] for i, j, x in head.K.entries), F(0)) for token in tokens]
    powers = [mpmath.exp(mpmath.mpf(float(max(F(-10 ** 4), head.beta * (s - max(scores)))))) for s in scores]
    return [float(x / sum(powers)) for x in powers]


def test_many_tokens_are_added_up_in_groups_and_left_out_where_nothing_happens() -> None:
    whole, close = (view.maps[0] for view in picture("many tokens").views)
    assert whole.tokens == close.tokens == 210
    assert (whole.group, whole.shown) == (2, 210)
    assert (close.group, close.shown < 20) == (1, True)
    assert max(close.outside) < 20 * attention.SEEN
    assert "a row is the sum over 2 neighbouring tokens" in text_of("many tokens")
    assert "tokens that are not shown have less than 0.001 each" in text_of("many tokens")


def test_the_head_that_changes_is_shown() -> None:
    assert [m.place.layer for m in picture("mult-recipe-silu").views[0].maps] == [
        0, len(picture("mult-recipe-silu").bound.network.attention()) - 1]
    for m in picture("sequence").views[0].maps:
        assert m.place.query == picture("sequence").line.output
    for label in ("mult-recipe-silu", "max-direct", "copies, delta", "sequence"):
        p = picture(label)
        assert all(max(max(row) - min(row) for row in m.weights) > 0.5 for m in p.views[-1].maps[:1])


def test_a_close_up_shows_what_the_whole_line_cannot() -> None:
    for label in SHOWN:
        p = picture(label)
        assert len(p.views) == (1 if p.views[0].legible else 2)
        assert p.views[-1].resolved
        if len(p.views) == 2:
            assert p.views[1].high - p.views[1].low <= (p.views[0].high - p.views[0].low) / 3
    counts = {len(picture(label).views) for label in SHOWN}
    assert counts == {1, 2}


def test_close_ups_stay_on_the_line() -> None:
    line = picture("max-direct").line
    for k in range(40):
        low, high = around(line, k)
        assert line.low <= low <= line.centre <= high <= line.high
        assert (high - low) * 3 ** k == line.high - line.low


def test_an_infinite_domain_gets_a_window_around_its_kinks() -> None:
    relu, clip, unit = (picture(label).line for label in ("tiny", "clip-recipe-anchor", "unit"))
    assert -1 < relu.low < 0 < relu.high < F(1, 10 ** 28)
    assert (clip.low, clip.high) == (F(-1, 4), F(5, 4))
    assert unit.varied == 1, "the first input has weight 0"
    assert {unit.low * F(-1, 2) + F(1, 4), unit.high * F(-1, 2) + F(1, 4)} == {F(-1, 4), F(5, 4)}


def test_a_maximum_is_drawn_in_the_middle_of_its_domain() -> None:
    line = picture("max-direct").line
    assert min(line.worst) + max(line.worst) == 0
    assert line.worst != (0, 0, 0)


def test_exact_networks_have_no_error() -> None:
    p = picture("clip-recipe-ffn")
    assert {s.error for s in p.views[0].samples} == {0}
    assert (p.observed, p.certified, p.derived) == (0, 0, 0)
    assert p.views[0].maps == ()


def test_floats_are_made_after_exact_scaling() -> None:
    p = picture("tiny")
    axis = of_errors(p)
    assert axis.label == "network − target (in units of 10⁻³⁰)"
    assert axis.place(F(-5, 10 ** 31)) == -0.5
    assert across(p.line, p.views[0]).label == "x (in units of 10⁻²⁹)"
    narrow = picture("narrow")
    x, y = across(narrow.line, narrow.views[-1]), upwards(narrow, narrow.views[-1])
    assert x.label == "x − x* (dimensionless)"
    assert y.label.startswith("value − v* (in units of 10⁻")
    assert x.place(narrow.line.centre) == 0.0
    assert y.place(narrow.worst.target) == 0.0


# ---------------------------------------------------------------------------------------------------------------
# words

def text_of(label: str) -> str:
    p = picture(label)
    return " ".join(caption(p, report_of(p.bound))).replace(TIE, " ")


@every_way
def test_the_caption_has_every_parameter_and_the_three_words(label: str) -> None:
    p, text = picture(label), text_of(label)
    report = report_of(p.bound)
    shown = {"eps": "ε", "delta": "δ", "beta": "β", "nu": "ν", "xi": "ξ", "kappa": "κ", "w1": "w₁", "w2": "w₂"}
    for name, x in report.parameters.items():
        assert f" {shown.get(name, name)} = {value(x)}" in text, name
    if p.bound.network.heads:
        assert "β = " in text
    assert re.search(r"observed [0-9.·⁻⁰-⁹¹²³]+↓? \(the largest of [0-9]+ evaluations\)", text)
    assert ("certified " in text.replace("not certified", "")) == (p.certified is not None)
    assert ("not certified: " in text) == (p.certified is None)
    assert ("derived " in text) == (p.derived is not None)
    assert ("the domain is the whole real line" in text) == (p.bound.domains()[0][0] is None)
    assert ("close-up" in text) == (len(p.views) == 2)
    for name in set(p.line.inputs) - {p.line.inputs[p.line.varied]}:
        assert re.sub("[0-9]", "", name.replace("_", "")) in text


def test_numbers_are_typeset() -> None:
    assert typeset("-1.5e-30") == "−1.5·10⁻³⁰"
    assert typeset("1e-30↑") == "10⁻³⁰↑"
    assert typeset("11e21") == "11·10²¹"
    assert value(F(1, 3)) == "1/3"
    assert value(F(10 ** 50 + 1, 3 * 10 ** 50)) == "0.333333333334↑"


def test_which_line_it_is() -> None:
    assert re.search(r"Drawn along x from −1 to 1, at y [=≈] −?0\.[0-9]+; ", text_of("mult-recipe-silu"))
    assert re.search(r"Drawn along x₁ from −1 to 1, at x₂ = x₃ ≈ −0\.[0-9]+; the worst observed point is x₁\* ≈ 0\.",
                     text_of("max-direct"))
    assert re.search(r"every input of the network is off by −?0\.001", text_of("copies, delta"))
    assert "x − x*" in svg("narrow")
    assert re.search(r"where the target is v\* = 0\.001", text_of("narrow"))


# ---------------------------------------------------------------------------------------------------------------
# pictures

@cache
def svg(label: str) -> str:
    p = picture(label)
    return render(p, report_of(p.bound), ".svg").decode("utf-8")


@every_way
def test_axes_are_labelled(label: str) -> None:
    p = picture(label)
    shown = [" ".join("".join(e.itertext()).split()) for e in ElementTree.fromstring(svg(label)).iter(f"{SVG}text")]
    labels = {of_errors(p).label, *(across(p.line, v).label for v in p.views), *(upwards(p, v).label for v in p.views)}
    assert labels <= set(shown)
    assert all(re.search(r"\((dimensionless|in units of 10[⁻⁰-⁹¹²³]+)\)$", x) for x in labels)
    assert {"target", "network", "observed", "worst observed"} <= set(shown)
    for word, limit in (("certified", p.certified), ("derived", p.derived), ("ε", p.goal)):
        assert (word in shown) == (limit is not None)
    if p.bound.network.heads:
        assert {"attention weight", "(0 to 1)", "token", *(map_title(m) for m in p.views[0].maps)} <= set(shown)
    if p.plane is not None:
        assert {plane_title(p, p.plane), *(axis.label for axis in of_plane(p, p.plane))} <= set(shown)
    for word in " ".join(caption(p, report_of(p.bound))).split(" "):
        assert word.replace(TIE, " ") in " ".join(shown)
    assert shown[0] == shown[0].strip()
    assert any(x.startswith(f"{WAYS[label]['name']}: ") for x in shown)
    assert any(way_of(report_of(p.bound)) in x for x in shown)


@every_way
def test_only_black_white_and_gray(label: str) -> None:
    colours = re.findall(r"(?:fill|stroke|stop-color|color): ?([^;\"]+)", svg(label))
    assert len(colours) > 20
    for colour in set(colours) - {"none"}:
        match = re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", colour)
        assert match, colour
        assert match[1] == match[2] == match[3]


@every_way
def test_nothing_overlaps_and_nothing_is_cut_off(label: str) -> None:
    p = picture(label)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = draw(p, report_of(p.bound))
        figure.draw_without_rendering()
        renderer = figure.canvas.get_renderer()
        texts = texts_of(figure)
        boxes = [(t.get_text(), t.get_window_extent(renderer)) for t in texts]
        frames = [a.get_window_extent(renderer) for a in figure.axes]
    width, height = figure.canvas.get_width_height()
    assert len(boxes) > 15
    for text, box in boxes:
        assert box.x0 >= 0, text
        assert box.y0 >= 0, text
        assert box.x1 <= width, text
        assert box.y1 <= height, text
        assert not any(apart(box, frame) < -1 for frame in frames), text
    for (one, a), (other, b) in combinations(boxes, 2):
        assert apart(a, b) >= -0.5, (one, other)
    assert min(t.get_fontsize() for t in texts) >= 7


def texts_of(figure: Any) -> list[Text]:
    """All texts that are drawn: of ticks only those between the limits of their axis."""
    axes = [axis for a in figure.axes for axis in (a.xaxis, a.yaxis)]
    ticks = {id(t) for axis in axes for tick in axis.get_major_ticks() for t in tick.findobj(Text)}
    found = [t for t in figure.findobj(Text) if id(t) not in ticks]
    for axis in axes:
        low, high = sorted(axis.get_view_interval())
        found += [t for x, tick in zip(axis.get_majorticklocs(), axis.get_major_ticks(), strict=True) if low <= x <= high
                  for t in (tick.label1, tick.label2)]
    return [t for t in found if t.get_visible() and t.get_text().strip()]


def apart(a: Any, b: Any) -> float:
    """The distance of two boxes in pixels; negative where they overlap."""
    return float(max(a.x0 - b.x1, b.x0 - a.x1, a.y0 - b.y1, b.y0 - a.y1))


@some_ways
def test_formats(label: str) -> None:
    p = picture(label)
    report = report_of(p.bound)
    files = {suffix: render(p, report, suffix) for suffix in (".svg", ".pdf", ".png")}
    assert files[".svg"].startswith(b"<?xml")
    assert files[".pdf"].startswith(b"%PDF-")
    assert files[".pdf"].rstrip().endswith(b"%%EOF")
    assert files[".png"].startswith(b"\x89PNG\r\n\x1a\n")
    pixels = imread(BytesIO(files[".png"]))
    assert pixels.shape[1] == 2070
    assert (pixels[..., 0] == pixels[..., 1]).all()
    assert (pixels[..., 1] == pixels[..., 2]).all()
    assert {suffix: render(p, report, suffix) for suffix in files} == files         # the same bytes twice
    assert not re.search(rb"CreationDate|dc:date|Matplotlib v", b"".join(files.values()))


def test_settings_of_the_user_change_nothing() -> None:
    p = picture("relu-recipe-silu")
    report = report_of(p.bound)
    plain = render(p, report, ".svg")
    with matplotlib.rc_context({"lines.color": "red", "font.size": 20, "axes.facecolor": "yellow", "svg.fonttype": "path"}):
        assert render(p, report, ".svg") == plain
        assert matplotlib.rcParams["font.size"] == 20


# ---------------------------------------------------------------------------------------------------------------
# the command

def test_a_picture_is_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "clip.svg"
    path.write_text("old")
    arguments = ("plot", "clip", "--range", "0,1", "--eps", "1e-2", "--gate", "anchor", "--points", "51", "-o", str(path))
    assert run(*arguments) == (DONE, "", "")
    first = path.read_bytes()
    assert b"</svg>" in first
    assert os.listdir(tmp_path) == ["clip.svg"]
    command = [sys.executable, "-m", "boundcalc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
                          env={**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "5"})
    assert (done.stdout, done.stderr) == ("", "")
    assert path.read_bytes() == first
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_certificates_can_be_left_out(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "relu.SVG"
    assert run("plot", "relu", "--eps", "1e-2", "--no-certify", "--digits", "20", "-o", str(path)) == (DONE, "", "")
    text = path.read_text(encoding="utf-8")
    assert "certified" not in text
    assert ">derived<" in text


@pytest.mark.parametrize(("arguments", "says"), [
    (("plot", "relu", "--eps", "1e-2", "-o", "relu.jpg"), "Give a file name that ends with .svg, .pdf or .png."),
    (("plot", "relu", "--eps", "1e-2", "-o", "relu"), "no picture format for 'relu'"),
    (("plot", "relu", "--eps", "1e-2"), "boundcalc plot relu --eps 1e-2 -o picture.svg"),
    (("plot", "relu", "--eps", "1e-2", "-o", "missing/relu.svg"), "Cannot write missing/relu.svg: No such file"),
    (("plot", "rely", "--eps", "1e-2", "-o", "relu.svg"), "boundcalc plot relu --eps 1e-2 -o relu.svg"),
    (("plot", "relu", "--eps", "1e-2", "--points", "3", "-o", "relu.svg"), "--points must be an integer from 11 to 10000"),
    (("plot", "relu", "--eps", "1e-2", "--points", "x", "-o", "relu.svg"), "not an exact number"),
    (("plot", "relu", "--eps", "0", "-o", "relu.svg"), "--eps must be positive"),
    (("plot", "relu", "--n", "3", "--eps", "1e-2", "-o", "relu.svg"), "--n does not apply"),
    (("plot", "max", "--n", "1000000", "--eps", "1e-2", "-o", "max.svg"), "too many"),
])
def test_wrong_requests_are_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...],
                                    says: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (WRONG, "")
    assert says in err
    assert re.fullmatch(r"error: [^\n]+\n( {7}[^\n]+\n)*", err)
    assert os.listdir(tmp_path) == []


def test_a_directory_that_cannot_be_written_to(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    code, _, err = run("plot", "relu", "--eps", "1e-2", "-o", str(tmp_path / "file" / "relu.svg"))
    assert code == WRONG
    assert "Cannot write" in err

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    (tmp_path / "relu.svg").write_text("old")
    code, _, err = run("plot", "relu", "--eps", "1e-2", "--points", "21", "-o", str(tmp_path / "relu.svg"))
    assert code == WRONG
    assert "No space left on device. Choose another file." in " ".join(err.split())
    assert sorted(os.listdir(tmp_path)) == ["file", "relu.svg"]
    assert (tmp_path / "relu.svg").read_text() == "old"


def test_without_matplotlib(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("plot", "relu", "--eps", "1e-2", "-o", str(tmp_path / "relu.svg"))
    assert (code, out) == (WRONG, "")
    assert "pip install 'boundcalc[plot]'" in err
    assert os.listdir(tmp_path) == []


def test_an_interrupted_picture_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(verification, "certify", interrupted)
    code, _, err = run("plot", "relu", "--eps", "1e-2", "-o", str(tmp_path / "relu.svg"))
    assert (code, err.strip()) == (INTERRUPTED, "error: Interrupted.")
    assert os.listdir(tmp_path) == []


def test_deriving_imports_nothing_of_it() -> None:
    code = ("import sys; from boundcalc.cli.main import main\n"
            "try:\n    main(['relu', '--eps', '1e-2'])\nexcept SystemExit: pass\n"
            "print([m for m in sys.modules if m.startswith(('matplotlib', 'boundcalc.export.p'))])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_groups_of_tokens_keep_their_weight() -> None:
    place, columns = Place(0, 0, 0), [[1 / 300] * 300, [0.0] * 299 + [1.0]]
    m = attention._map(place, columns)
    assert isinstance(m, AttentionMap)
    assert (m.first, m.shown, m.group, len(m.weights)) == (0, 300, 3, 100)
    assert m.weights[-1][1] == 1.0
    assert m.outside == (0.0, 0.0)


def test_time_that_is_over_is_said(run: Run, tmp_path: Path) -> None:
    """What was found until then is drawn, and the exit code is that of what is not decided."""
    path = tmp_path / "late.svg"
    code, _, _ = run("plot", "mult", "--eps", "1e-3", "--timeout", "1/1000", "-o", str(path))
    assert code == 3
    assert path.read_text().startswith("<?xml")


@pytest.mark.parametrize(("name", "domain"), [("recip", "1/10,1"), ("mult", "1,2")])
def test_relative_errors_are_drawn_as_such(run: Run, tmp_path: Path, name: str, domain: str) -> None:
    """Within the relative ε everywhere, and said so; the absolute errors are larger."""
    bound = boundcalc.bound(name, range=tuple(domain.split(",")), eps="1e-2", relative=True, gate="silu", route="recipe")
    picture = picture_of(bound, points=41)
    assert picture.verification.holds
    samples = [s for v in picture.views for s in v.samples]
    largest = max(abs(s.error) for s in samples)
    assert (1 - Fraction(1, 10 ** 6)) * picture.observed <= largest <= (1 + Fraction(1, 10 ** 6)) * picture.observed
    assert picture.observed <= Fraction(1, 100)
    for s in samples:
        assert abs(s.error * abs(s.target) - (s.network - s.target)) < Fraction(1, 10 ** 10)
    if picture.plane is not None:
        assert max(abs(e) for row in picture.plane.errors for e in row) <= picture.observed
    assert max(abs(s.network - s.target) for s in samples) > picture.observed
    path = tmp_path / "x.svg"
    assert run("plot", name, "--relative", "--range", domain, "--eps", "1e-2", "--points", "21", "-o", str(path))[0] == 0
    assert "|network − target|/|target|" in " ".join(caption(picture, report_of(bound)))
    assert of_errors(picture).label.startswith("(network − target)/|target|")


def test_pictures_from_python(tmp_path: Path) -> None:
    path, told = tmp_path / "abs.svg", set[str]()
    found = boundcalc.plot(boundcalc.bound("abs", eps="1e-2"), path, points=21, progress=lambda what, done: told.add(what))
    assert path.read_text(encoding="utf-8").startswith("<?xml")
    assert found.holds is True
    assert "evaluating" in told
    slow = boundcalc.plot(boundcalc.bound("abs", eps="1e-2"), tmp_path / "slow.svg", points=21, timeout=0)
    assert slow.unfinished
    assert slow.proved is None
    with pytest.raises(InvalidInput, match="There is no picture format"):
        boundcalc.plot(boundcalc.bound("abs", eps="1e-2"), tmp_path / "abs.gif")
