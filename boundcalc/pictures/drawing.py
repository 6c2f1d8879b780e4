"""Draw a picture: black and gray only, line styles that differ in print, no state outside the figure.

The figure is laid out by hand, in inches from the top: captions of any length then never run into axes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from typing import Any

from ..errors import InvalidInput
from ..results.report import Report
from .attention import AttentionMap
from .caption import TIE, Axis, across, caption, close_up, map_title, of_errors, of_plane, plane_title, title, upwards
from .picture import ErrorMap, Picture, View

# what makes the same command write the same bytes: no dates, no random identifiers, no version numbers
FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "boundcalc"},
    ".pdf": {"CreationDate": None, "Creator": "boundcalc", "Producer": None},
    ".png": {"Software": None},
}
POINTS = 8              # of letters
STYLE = {
    "font.size": POINTS, "axes.linewidth": 0.6, "axes.labelsize": POINTS, "xtick.labelsize": 7.5, "ytick.labelsize": 7.5,
    "legend.fontsize": POINTS, "legend.frameon": False, "legend.handlelength": 3, "legend.columnspacing": 1.4,
    "svg.fonttype": "none", "svg.hashsalt": "boundcalc", "pdf.fonttype": 42, "image.cmap": "gray_r",
    "axes.formatter.useoffset": False, "axes.formatter.limits": (-6, 6), "lines.scale_dashes": True,
}
RESOLUTION = 300        # dots per inch of a PNG

# inches
MARGIN = 0.17
VALUES, ERRORS, PLANE, PER_TOKEN, LOWEST_MAP, HIGHEST_MAP = 1.45, 1.9, 2.4, 0.12, 0.45, 1.3
BAR = 1.1               # the colour bar, beside all maps: its label must fit
HEADING, LEGEND, GAP, TICKS, LINE = 0.52, 0.24, 0.12, 0.46, 0.152
TICK = 0.14             # inches between two numbers of tokens

BLACK, DARK, LIGHT = "0", "0.45", "0.75"
PARTS = 40              # of an envelope


@dataclass(frozen=True)
class Measures:
    """How wide a figure and its margins are, in inches, and whether heading and caption stand in it."""

    width: float = 6.9
    left: float = 0.72
    between: float = 0.72
    right: float = 0.78
    legend: float = 0.72        # where legends begin
    explained: bool = True
    style: tuple[tuple[str, Any], ...] = ()


PAGE = Measures()
# one column of a two-column paper, 8.5 cm; letters as in LaTeX; the caption is the paper's own
PAPER = Measures(8.5 / 2.54, 0.55, 0.45, 0.6, 0.3, False, (
    ("font.family", ("STIXGeneral", "DejaVu Serif")), ("mathtext.fontset", "cm"), ("legend.fontsize", 6.5),
    ("legend.handlelength", 1.4), ("legend.columnspacing", 0.7), ("font.size", 7.5),
    ("axes.labelsize", 7.5), ("xtick.labelsize", 7), ("ytick.labelsize", 7)))

TARGET = {"color": LIGHT, "linewidth": 3.6, "solid_capstyle": "butt"}
NETWORK = {"color": BLACK, "linewidth": 0.9}
# bounds often lie upon each other: the wide light one below, the thin dashed one on top
DERIVED = {"color": LIGHT, "linewidth": 4.2}
GOAL = {"color": DARK, "linewidth": 1.5}
CERTIFIED = {"color": BLACK, "linewidth": 1.0, "linestyle": (0, (5, 3))}
OBSERVED = {"color": BLACK, "linewidth": 0.8}
ENVELOPE = {"color": DARK, "linewidth": 0}
ALONG = {"color": BLACK, "linewidth": 0.7, "linestyle": (0, (4, 3))}
WORST = {"color": BLACK, "linestyle": "none", "marker": "o", "markersize": 5, "markerfacecolor": "none",
         "markeredgewidth": 0.9}


def check_installed() -> None:
    """Matplotlib is an extra: who only derives bounds need not have it."""
    try:
        with _quietly():
            import matplotlib.font_manager  # noqa: F401
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] != "matplotlib":
            raise
        raise InvalidInput("Pictures need matplotlib, which is not installed.",
                           "Install it with: pip install 'boundcalc[plot]'.") from None


@contextmanager
def _quietly() -> Iterator[None]:
    """The first import builds a cache of fonts and says so on stderr, which is for problems."""
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def render(picture: Picture, report: Report, suffix: str, measures: Measures = PAGE) -> bytes:
    """The file as bytes; the suffix says which format."""
    check_installed()
    import matplotlib
    with matplotlib.rc_context():
        matplotlib.rcdefaults()         # whatever the user's own settings are
        matplotlib.rcParams.update({**STYLE, **dict(measures.style)})
        figure = draw(picture, report, measures)
        file = BytesIO()
        figure.savefig(file, format=suffix[1:], dpi=RESOLUTION, metadata=FORMATS[suffix])
    return file.getvalue()


def draw(picture: Picture, report: Report, measures: Measures = PAGE) -> Any:
    """The figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    lines = [line for text in caption(picture, report) for line in _wrapped(text)] if measures.explained else []
    heading = HEADING if measures.explained else GAP
    maps = picture.views[0].maps
    heights = [max(_map_height(v.maps[k]) for v in picture.views) for k in range(len(maps))]
    if len(heights) == 1:
        heights = [max(BAR, *heights)]
    of_two = 0 if picture.plane is None else LEGEND + PLANE + (TICKS if len(picture.views) > 1 else 0)
    height = (heading + LEGEND + VALUES + LEGEND + ERRORS + of_two + sum(LEGEND + h for h in heights)
              + TICKS + LINE * len(lines) + GAP)
    figure = Figure(figsize=(measures.width, height))
    FigureCanvasAgg(figure)
    page = _Page(figure, height, len(picture.views), measures)
    if measures.explained:
        _heading(page, report)
    else:
        page.down(heading)
    _values(page, picture)
    _errors(page, picture)
    if picture.plane is not None:
        if not heights and page.columns > 1:        # the plane stands last, and the errors have an axis of their own
            _below(page, picture)
            page.down(TICKS)
        _plane(page, picture, picture.plane, last=not heights)
    for k, h in enumerate(heights):
        _weights(page, picture, k, h)
    if heights:
        _bar(page, sum(heights) + LEGEND * (len(heights) - 1))
    _below(page, picture)
    page.down(TICKS)
    for line in lines:
        page.down(LINE)
        page.write(line.replace(TIE, " "), MARGIN)
    return figure


@dataclass
class _Page:
    """A pen that moves down the page."""

    figure: Any
    height: float
    columns: int
    measures: Measures
    y: float = 0.0
    rows: int = 0
    last: tuple[Any, ...] = ()

    def down(self, inches: float) -> None:
        self.y += inches

    def write(self, text: str, x: float, **how: Any) -> None:
        self.figure.text(x / self.measures.width, 1 - self.y / self.height, text, **how)

    @property
    def panel(self) -> float:
        """The width of one panel."""
        m = self.measures
        return (m.width - m.left - m.right - m.between * (self.columns - 1)) / self.columns

    def column(self, k: int) -> float:
        """Where the k-th panel begins."""
        return self.measures.left + k * (self.panel + self.measures.between)

    def row(self, height: float) -> tuple[Any, ...]:
        """Axes side by side, one for every view."""
        self.last = tuple(self._axes(height, [(self.column(k), self.panel) for k in range(self.columns)]))
        return self.last

    def wide(self, height: float) -> Any:
        """Axes over all columns."""
        m = self.measures
        return self._axes(height, [(m.left, m.width - m.left - m.right)])[0]

    def _axes(self, height: float, places: list[tuple[float, float]]) -> list[Any]:
        self.down(height)
        found = [self.box(x, width, height) for x, width in places]
        for axes in found:
            axes.tick_params(labelbottom=False, direction="out", length=2.5, width=0.6)
        if not self.measures.explained:
            letter = f"({'abcdefgh'[self.rows]})"
            self.figure.text(0.04 / self.measures.width, 1 - (self.y - height - 0.06) / self.height, letter)
        self.rows += 1
        return found

    def box(self, x: float, width: float, height: float) -> Any:
        return self.figure.add_axes((x / self.measures.width, 1 - self.y / self.height, width / self.measures.width,
                                     height / self.height))

    def legend(self, handles: list[Any]) -> None:
        """Above the next row, so that it covers nothing."""
        self.down(LEGEND)
        self.figure.legend(handles=handles, loc="lower left", ncols=len(handles), borderaxespad=0, borderpad=0.25,
                           handletextpad=0.5,
                           bbox_to_anchor=(self.measures.legend / self.measures.width, 1 - self.y / self.height))


def _heading(page: _Page, report: Report) -> None:
    first, second = title(report)
    page.down(0.24)
    page.write(first, page.column(0), fontsize=10)
    page.down(0.2)
    page.write(second, page.column(0), fontsize=8.5)
    page.down(HEADING - 0.44)


def _values(page: _Page, picture: Picture) -> None:
    page.legend([_handle("target", TARGET), _handle("network", NETWORK)])
    if len(picture.views) > 1:
        page.down(-0.06)
        page.write(close_up(picture.line), page.column(1))
        page.down(0.06)
    for axes, view in zip(page.row(VALUES), picture.views, strict=True):
        x, y = across(picture.line, view), upwards(picture, view)
        places = x.places([s.x for s in view.samples])
        axes.plot(places, y.places([s.target for s in view.samples]), **TARGET)
        axes.plot(places, y.places([s.network for s in view.samples]), **NETWORK)
        axes.set_ylabel(y.label)
        _span(axes, x, view)


def _errors(page: _Page, picture: Picture) -> None:
    y = of_errors(picture)
    bounds = [(name, size, style) for name, size, style in (
        ("derived", picture.derived, DERIVED), ("ε", picture.goal, GOAL), ("certified", picture.certified, CERTIFIED))
        if size is not None]
    hidden = not all(v.resolved for v in picture.views)
    page.legend([_handle("observed", {**OBSERVED, **({"color": DARK, "linewidth": 4} if hidden else {})}),
                 _handle("worst observed", WORST), *(_handle(name, style) for name, _, style in reversed(bounds))])
    limit = 1.18 * max([abs(y.place(size)) for _, size, _ in bounds] + [abs(y.place(picture.observed))]) or 1.0
    for k, (axes, view) in enumerate(zip(page.row(ERRORS), picture.views, strict=True)):
        x = across(picture.line, view)
        axes.axhline(0, color=DARK, linewidth=0.4)
        for _, size, style in bounds:
            for sign in (1, -1):
                axes.axhline(sign * y.place(size), **style)
        if view.resolved:
            axes.plot(x.places([s.x for s in view.samples]), y.places([s.error for s in view.samples]), **OBSERVED)
        else:
            places, low, high = envelope(view)
            axes.fill_between(x.places(places), y.places(low), y.places(high), **ENVELOPE)
        axes.plot([x.place(picture.line.centre)], [y.place(picture.worst.error)], clip_on=False, zorder=5, **WORST)
        axes.set_ylim(-limit, limit)
        if k == 0:
            axes.set_ylabel(y.label)
        else:
            axes.tick_params(labelleft=False)
        _span(axes, x, view)


def envelope(view: View) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """The lowest and the highest of neighbouring samples, where a curve is too fine to be drawn."""
    size = max(2, -(-len(view.samples) // PARTS))
    groups = [view.samples[k:k + size] for k in range(0, len(view.samples), size)]
    edges = [(g[0].x, after[0].x) for g, after in zip(groups, [*groups[1:], groups[-1][-1:]], strict=True)]
    low, high = ([end(s.error for s in g) for g in groups for _ in range(2)] for end in (min, max))
    return [x for edge in edges for x in edge], low, high


def _plane(page: _Page, picture: Picture, plane: ErrorMap, last: bool) -> None:
    """The size of the error where two inputs vary. Beside a close-up it has an axis of its own; else that of the column."""
    page.down(LEGEND)
    page.down(-0.06)
    page.write(plane_title(picture, plane), page.column(0))
    page.down(0.06)
    axes = page.wide(PLANE)
    x, y, errors = of_plane(picture, plane)
    ends = (*x.places(plane.across), *y.places(plane.upwards))
    sizes = [[abs(errors.place(e)) for e in row] for row in plane.errors]
    most = abs(errors.place(picture.observed)) or 1.0
    image = axes.imshow(sizes, extent=ends, aspect="auto", interpolation="nearest", origin="lower", vmin=0, vmax=most)
    line = picture.line
    axes.axhline(y.place(line.worst[plane.other]), **ALONG)
    axes.plot([x.place(line.centre)], [y.place(line.worst[plane.other])], clip_on=False, zorder=5, **WORST)
    axes.set_xlim(*ends[:2])
    axes.set_ylim(*ends[2:])
    axes.set_ylabel(y.label)
    m = page.measures
    bar = page.box(m.width - m.right + 0.12, 0.1, PLANE)
    page.figure.colorbar(image, cax=bar)
    bar.tick_params(length=2, width=0.6)
    bar.set_ylabel(errors.label)
    if len(picture.views) > 1:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(x.label)
        if not last:
            page.down(TICKS)
    else:
        page.last = (axes,)


def _weights(page: _Page, picture: Picture, k: int, height: float) -> None:
    page.down(LEGEND)
    page.down(-0.06)
    page.write(map_title(picture.views[0].maps[k]), page.column(0))
    page.down(0.06)
    for axes, view in zip(page.row(height), picture.views, strict=True):
        x, m = across(picture.line, view), view.maps[k]
        # tokens from top to bottom, each row around its number
        ends = (x.place(view.low), x.place(view.high), m.first + len(m.weights) * m.group + 0.5, m.first + 0.5)
        axes.imshow(m.weights, extent=ends, aspect="auto", interpolation="nearest", vmin=0, vmax=1)
        axes.set_yticks(_numbers(m, int(height / TICK)))
        axes.set_ylabel("token")
        _span(axes, x, view)


def _bar(page: _Page, height: float) -> None:
    """One for all maps."""
    bar = page.box(page.measures.width - page.measures.right + 0.12, 0.1, height)
    page.figure.colorbar(page.last[-1].images[0], cax=bar, ticks=[0, 0.5, 1])
    bar.tick_params(length=2, width=0.6)
    bar.set_ylabel("attention weight\n(0 to 1)" if page.measures.explained else "weight")


def _below(page: _Page, picture: Picture) -> None:
    for axes, view in zip(page.last, picture.views, strict=True):
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(across(picture.line, view).label)


def _span(axes: Any, x: Axis, view: View) -> None:
    axes.set_xlim(x.place(view.low), x.place(view.high))


def _handle(label: str, style: dict[str, Any]) -> Any:
    from matplotlib.lines import Line2D
    return Line2D([], [], label=label, **style)


def _wrapped(text: str) -> list[str]:
    """Lines that fill the width of the page, measured in the font itself."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path
    font, most = FontProperties(size=POINTS), 72 * (PAGE.width - 2 * MARGIN)
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_to_path.get_text_width_height_descent(longer, font, ismath=False)[0] <= most:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _map_height(m: AttentionMap) -> float:
    return min(HIGHEST_MAP, max(LOWEST_MAP, PER_TOKEN * len(m.weights)))


def _numbers(m: AttentionMap, most: int) -> list[int]:
    """Ticks at whole tokens, few enough to be read."""
    first, last = m.first + 1, m.first + m.shown
    step = next(s for s in _steps() if m.shown <= most * s)
    return list(range(-(-first // step) * step, last + 1, step))


def _steps() -> Iterator[int]:
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10
