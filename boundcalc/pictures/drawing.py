"""Draw a picture: black and gray only, line styles that differ in print, no state outside the figure.

The figure is laid out by hand, in inches from the top: captions of any length then never run into axes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from ..errors import InvalidInput
from ..results.report import Report
from .attention import AttentionMap
from .caption import TIE, Axis, across, caption, close_up, map_title, of_errors, title, upwards
from .picture import Picture, View

# what makes the same command write the same bytes: no dates, no random identifiers, no version numbers
FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "boundcalc"},
    ".pdf": {"CreationDate": None, "Creator": "boundcalc", "Producer": None},
    ".png": {"Software": None},
}
POINTS = 8              # of letters
STYLE = {
    "font.size": POINTS, "axes.linewidth": 0.6, "axes.labelsize": POINTS, "xtick.labelsize": 7.5, "ytick.labelsize": 7.5,
    "legend.fontsize": POINTS, "legend.frameon": False, "legend.handlelength": 3,
    "svg.fonttype": "none", "svg.hashsalt": "boundcalc", "pdf.fonttype": 42, "image.cmap": "gray_r",
    "axes.formatter.useoffset": False, "axes.formatter.limits": (-6, 6), "lines.scale_dashes": True,
}
RESOLUTION = 300        # dots per inch of a PNG

# inches
WIDTH, LEFT, BETWEEN, RIGHT, MARGIN = 6.9, 0.72, 0.72, 0.78, 0.17
VALUES, ERRORS, PER_TOKEN, LOWEST_MAP, HIGHEST_MAP = 1.45, 1.9, 0.12, 0.45, 1.3
BAR = 1.1               # the colour bar, beside all maps: its label must fit
HEADING, LEGEND, GAP, TICKS, LINE = 0.52, 0.24, 0.12, 0.46, 0.152
TICK = 0.14             # inches between two numbers of tokens

BLACK, DARK, LIGHT = "0", "0.45", "0.75"
TARGET = {"color": LIGHT, "linewidth": 3.6, "solid_capstyle": "butt"}
NETWORK = {"color": BLACK, "linewidth": 0.9}
# bounds often lie upon each other: the wide light one below, the thin dashed one on top
DERIVED = {"color": LIGHT, "linewidth": 4.2}
GOAL = {"color": DARK, "linewidth": 1.5}
CERTIFIED = {"color": BLACK, "linewidth": 1.0, "linestyle": (0, (5, 3))}
OBSERVED = {"color": BLACK, "linewidth": 0.8}
DOTS = {"color": BLACK, "linestyle": "none", "marker": ".", "markersize": 1.8, "markeredgewidth": 0}
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


def render(picture: Picture, report: Report, suffix: str) -> bytes:
    """The file as bytes; the suffix says which format."""
    check_installed()
    import matplotlib
    with matplotlib.rc_context():
        matplotlib.rcdefaults()         # whatever the user's own settings are
        matplotlib.rcParams.update(STYLE)
        figure = draw(picture, report)
        file = BytesIO()
        figure.savefig(file, format=suffix[1:], dpi=RESOLUTION, metadata=FORMATS[suffix])
    return file.getvalue()


def draw(picture: Picture, report: Report) -> Any:
    """The figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    lines = [line for text in caption(picture, report) for line in _wrapped(text)]
    maps = picture.views[0].maps
    heights = [max(_map_height(v.maps[k]) for v in picture.views) for k in range(len(maps))]
    if len(heights) == 1:
        heights = [max(BAR, *heights)]
    height = (HEADING + LEGEND + VALUES + LEGEND + ERRORS + sum(LEGEND + h for h in heights)
              + TICKS + LINE * len(lines) + GAP)
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    page = _Page(figure, height, len(picture.views))
    _heading(page, report)
    _values(page, picture)
    _errors(page, picture)
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
    y: float = 0.0
    last: tuple[Any, ...] = ()

    def down(self, inches: float) -> None:
        self.y += inches

    def write(self, text: str, x: float, **how: Any) -> None:
        self.figure.text(x / WIDTH, 1 - self.y / self.height, text, **how)

    @property
    def panel(self) -> float:
        """The width of one panel."""
        return (WIDTH - LEFT - RIGHT - BETWEEN * (self.columns - 1)) / self.columns

    def row(self, height: float) -> tuple[Any, ...]:
        """Axes side by side, one for every view."""
        self.down(height)
        self.last = tuple(self.box(LEFT + k * (self.panel + BETWEEN), self.panel, height) for k in range(self.columns))
        for axes in self.last:
            axes.tick_params(labelbottom=False, direction="out", length=2.5, width=0.6)
        return self.last

    def box(self, x: float, width: float, height: float) -> Any:
        return self.figure.add_axes((x / WIDTH, 1 - self.y / self.height, width / WIDTH, height / self.height))

    def legend(self, handles: list[Any]) -> None:
        """Above the next row, so that it covers nothing."""
        self.down(LEGEND)
        self.figure.legend(handles=handles, loc="lower left", ncols=len(handles), borderaxespad=0, borderpad=0.25,
                           columnspacing=1.4, handletextpad=0.6, bbox_to_anchor=(LEFT / WIDTH, 1 - self.y / self.height))


def _heading(page: _Page, report: Report) -> None:
    first, second = title(report)
    page.down(0.24)
    page.write(first, LEFT, fontsize=10)
    page.down(0.2)
    page.write(second, LEFT, fontsize=8.5)
    page.down(HEADING - 0.44)


def _values(page: _Page, picture: Picture) -> None:
    page.legend([_handle("target", TARGET), _handle("network", NETWORK)])
    if len(picture.views) > 1:
        page.down(-0.06)
        page.write(close_up(picture.line), LEFT + page.panel + BETWEEN)
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
    dotted = not all(v.resolved for v in picture.views)
    page.legend([_handle("observed", {**OBSERVED, **({"marker": ".", "markersize": 3} if dotted else {})}),
                 _handle("worst observed", WORST), *(_handle(name, style) for name, _, style in reversed(bounds))])
    limit = 1.18 * max([abs(y.place(size)) for _, size, _ in bounds] + [abs(y.place(picture.observed))]) or 1.0
    for k, (axes, view) in enumerate(zip(page.row(ERRORS), picture.views, strict=True)):
        x = across(picture.line, view)
        axes.axhline(0, color=DARK, linewidth=0.4)
        for _, size, style in bounds:
            for sign in (1, -1):
                axes.axhline(sign * y.place(size), **style)
        axes.plot(x.places([s.x for s in view.samples]), y.places([s.error for s in view.samples]),
                  **(OBSERVED if view.resolved else DOTS))
        axes.plot([x.place(picture.line.centre)], [y.place(picture.worst.error)], clip_on=False, zorder=5, **WORST)
        axes.set_ylim(-limit, limit)
        if k == 0:
            axes.set_ylabel(y.label)
        else:
            axes.tick_params(labelleft=False)
        _span(axes, x, view)


def _weights(page: _Page, picture: Picture, k: int, height: float) -> None:
    page.down(LEGEND)
    page.down(-0.06)
    page.write(map_title(picture.views[0].maps[k]), LEFT)
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
    bar = page.box(WIDTH - RIGHT + 0.12, 0.1, height)
    page.figure.colorbar(page.last[-1].images[0], cax=bar, ticks=[0, 0.5, 1])
    bar.tick_params(length=2, width=0.6)
    bar.set_ylabel("attention weight\n(0 to 1)")


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
    font, most = FontProperties(size=POINTS), 72 * (WIDTH - 2 * MARGIN)
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
