"""The words of a picture: title, axis labels, caption. Every number is exact, or rounded in a stated direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..export.names import way
from ..export.values import fraction, number, short
from ..formulas.notation import to_unicode
from ..formulas.symbols import symbol
from ..numbers.exact import decimal_up, floor_log
from ..results.report import Report
from ..results.verification import NotCertified
from .attention import AttentionMap
from .line import Line
from .picture import ErrorMap, Picture, View

SHOWN = 8                   # other inputs whose values are written out
DIGITS = 12
PLAIN = (-2, 4)             # powers of ten between which numbers need no unit
NARROW = 200                # an interval so much smaller than its numbers is drawn relative to a point in it
TIE = "\u00a0"               # a space at which no line ends
LONG = 9                    # characters of a fraction that is not written out
_ONE, _POWER = re.compile(r"(?<![0-9.])1e(-?[0-9]+)"), re.compile(r"e(-?[0-9]+)")
_INDEX = {"_n": "ₙ", "_i": "ᵢ"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True)
class Axis:
    """What stands at an axis, and how exact numbers become the floats that are drawn."""

    label: str
    origin: Fraction
    power: int

    def place(self, x: Fraction) -> float:
        return float((x - self.origin) / Fraction(10) ** self.power)

    def places(self, xs: Sequence[Fraction]) -> list[float]:
        return [self.place(x) for x in xs]


def typeset(text: str) -> str:
    """-1.5e-30 as −1.5·10⁻³⁰."""
    text = _ONE.sub(lambda m: f"10{m[1].translate(_SUPERSCRIPT)}", text)
    return _POWER.sub(lambda m: f"·10{m[1].translate(_SUPERSCRIPT)}", text).replace("-", "−")


def value(x: Fraction) -> str:
    """A parameter: exactly if that is short, else rounded up and marked so."""
    text = fraction(x)
    return typeset(number(x, 12) if text.startswith("≈") else text)


def located(x: Fraction) -> str:
    """A coordinate, with its sign of equality: exactly if that is short, and as a decimal where that says more."""
    text, about = fraction(x), f"≈ {decimal_up(x, 8)}"
    if "/" not in text or x.denominator < 100:
        return typeset(about if text.startswith("≈") else f"= {text}")
    return typeset(about if len(text) > LONG else f"= {text} {about}")


def name_of(text: str) -> str:
    return to_unicode(symbol(text))


# --- axes -------------------------------------------------------------------------------------------------------------

def _axis(name: str, origin_name: str, low: Fraction, high: Fraction, origin: Fraction) -> Axis:
    size, span = max(abs(low), abs(high)), high - low
    if not span or span * NARROW >= size:
        origin = Fraction(0)
    else:
        name, size = f"{name} − {origin_name}", max(abs(low - origin), abs(high - origin))
    power = floor_log(size, 10) if size else 0
    power = 0 if PLAIN[0] <= power < PLAIN[1] else power
    return Axis(f"{name} ({unit(power)})", origin, power)


def unit(power: int) -> str:
    return f"in units of 10{str(power).translate(_SUPERSCRIPT)}" if power else "dimensionless"


def across(line: Line, view: View) -> Axis:
    """The input that varies."""
    name = name_of(line.inputs[line.varied])
    return _axis(name, f"{name}*", view.low, view.high, line.centre)


def upwards(picture: Picture, view: View) -> Axis:
    """Target and network."""
    values = [y for s in view.samples for y in (s.target, s.network)]
    return _axis("value", "v*", min(values), max(values), picture.worst.target)


def of_errors(picture: Picture) -> Axis:
    """The same for all views: bounds are compared across them."""
    size = max(x for x in (picture.observed, picture.certified, picture.derived, picture.goal, Fraction(0)) if x is not None)
    power = floor_log(size, 10) if size else 0
    return Axis(f"network − target ({unit(power)})", Fraction(0), power)


def of_plane(picture: Picture, plane: ErrorMap) -> tuple[Axis, Axis, Axis]:
    """Across, upwards, and the sizes of errors, in the unit of the errors along the line."""
    names = [name_of(picture.line.inputs[k]) for k in (picture.line.varied, plane.other)]
    worst = [picture.line.worst[k] for k in (picture.line.varied, plane.other)]
    x, y = (_axis(name, f"{name}*", *ends, centre)
            for name, ends, centre in zip(names, (plane.across, plane.upwards), worst, strict=True))
    errors = of_errors(picture)
    return x, y, Axis(f"|error| ({unit(errors.power)})" if errors.power else "|error|", Fraction(0), errors.power)


# --- title and caption ------------------------------------------------------------------------------------------------

def title(report: Report) -> tuple[str, str]:
    formula = report.information.map
    for written, index in _INDEX.items():
        formula = formula.replace(written, index)
    return f"{report.information.name}: {formula}", way(report)


def close_up(line: Line) -> str:
    return f"close-up around {name_of(line.inputs[line.varied])}*"


def map_title(m: AttentionMap) -> str:
    """Which head; numbers start at 1."""
    return f"attention weights of layer {m.place.layer + 1}, head {m.place.head + 1}, query token {m.place.query + 1}"


def caption(picture: Picture, report: Report) -> list[str]:
    """Paragraphs, the most important first."""
    parts = [_parameters(report), _errors(picture), _where(picture)]
    if picture.plane is not None:
        parts.append(_plane(picture, picture.plane))
    maps = [m for v in picture.views for m in v.maps]
    if maps:
        parts.append(_maps(maps))
    return [_ties(p) for p in parts]


def caption_text(picture: Picture, report: Report) -> str:
    """The caption as a file of its own: what the panels show, then what stands below a picture."""
    panels = ["target and network", "error, network − target, between its bounds",
              *([plane_title(picture, picture.plane)] if picture.plane is not None else []),
              *map(map_title, picture.views[0].maps)]
    lettered = "; ".join(f"({letter}) {text}" for letter, text in zip("abcdefgh", panels, strict=False))
    return "\n".join([*title(report), f"{lettered}.", *caption(picture, report)]).replace(TIE, " ") + "\n"


def _ties(text: str) -> str:
    """β = 10 and observed 0.1 stay in one line."""
    text = re.sub(" ([=≈]) ", rf"{TIE}\1{TIE}", text)
    return re.sub("(observed|certified|derived) ([0-9])", rf"\1{TIE}\2", text)


def _parameters(report: Report) -> str:
    given = [f"{name_of(k)} = {value(x)}" for k, x in report.parameters.items()]
    beta = report.resources.get("beta")
    if beta is not None and "beta" not in report.parameters and beta.upper:
        given.append(f"β = {typeset(short(beta, 12))}")
    return f"Parameters: {', '.join(given)}."


def _errors(picture: Picture) -> str:
    """Three words that are never mixed, and ε."""
    v = picture.verification
    parts = [f"observed {typeset(number(picture.observed, DIGITS, down=True))} (the largest of {v.observed.points} "
             "evaluations)"]
    if v.proved is not None:
        parts.append(f"certified {typeset(number(v.proved.error, DIGITS, limit=v.eps))} (proved over the whole domain)")
    elif picture.asked and isinstance(v.certified, NotCertified):
        parts.append(f"not certified: {v.certified.reason}")
    if picture.derived is not None:
        parts.append(f"derived {typeset(short(picture.bound.total, DIGITS))} (closed form)")
    if picture.goal is not None:
        parts.append(f"ε = {value(picture.goal)}")
    return f"|network − target|: {'; '.join(parts)}."


def _where(picture: Picture) -> str:
    line = picture.line
    name = name_of(line.inputs[line.varied])
    low, high = (located(x).removeprefix("= ") for x in (line.low, line.high))
    text = f"Drawn along {name} from {low} to {high}"
    text += "" if line.whole else " (the domain is the whole real line)"
    others = _others(line)
    text += f", at {others}" if others else ""
    text += f"; the worst observed point is {name}* {located(line.centre)}"
    text += f", where the target is v* {located(picture.worst.target)}" if _relative(picture) else ""
    if isinstance(line.shift, tuple):
        own = [f"{name_of(x)} by {value(s)}" for x, s in zip(line.inputs, line.shift, strict=True) if s]
        text += f"; the network sees {', '.join(own[:SHOWN])} off" if own else ""
    else:
        text += f"; every input of the network is off by {value(line.shift)}" if line.shift else ""
    if len(picture.views) > 1:
        width = typeset(decimal_up(picture.views[1].high - picture.views[1].low, 3))
        text += f". Right: a close-up of it, {width} wide"
    if not all(v.resolved for v in picture.views):
        text += ". The dark band goes from the lowest to the highest of neighbouring inputs that were looked at"
        text += "; columns below it are single inputs" if picture.views[0].maps else ""
    return text + "."


def _relative(picture: Picture) -> bool:
    return any("v*" in upwards(picture, v).label for v in picture.views)


def _others(line: Line) -> str:
    """The inputs that do not vary, equal ones together."""
    alike: dict[Fraction, list[str]] = {}
    for k, (name, x) in enumerate(zip(line.inputs, line.worst, strict=True)):
        if k != line.varied:
            alike.setdefault(x, []).append(name_of(name))
    parts = [f"{_several(names)} {located(x)}" for x, names in alike.items()]
    return ", ".join(parts[:SHOWN]) + (f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else "")


def _several(names: list[str]) -> str:
    return " = ".join(names) if len(names) <= 3 else f"{names[0]} = … = {names[-1]}"


def plane_title(picture: Picture, plane: ErrorMap) -> str:
    names = sorted((k, name_of(picture.line.inputs[k])) for k in (picture.line.varied, plane.other))
    return f"size of the error, |network − target|, where {' and '.join(name for _, name in names)} vary"


def _plane(picture: Picture, plane: ErrorMap) -> str:
    rows, columns = len(plane.errors), len(plane.errors[0])
    return (f"Map: white for 0, black for the largest error, at {columns} × {rows} single inputs; the dashed line is the "
            "one that is drawn along, and the circle is the worst observed point.")


def _maps(maps: list[AttentionMap]) -> str:
    text = "Attention weights: rows are tokens, columns inputs; those of all tokens add up to 1"
    if any(m.shown < m.tokens for m in maps):
        text += "; tokens that are not shown have less than 0.001 each"
    groups = sorted({m.group for m in maps if m.group > 1})
    if groups:
        text += f"; a row is the sum over {' or '.join(map(str, groups))} neighbouring tokens where there are more than 128"
    return text + "."
