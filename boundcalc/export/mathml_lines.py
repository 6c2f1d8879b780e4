"""Where a long formula may be broken over lines. Browsers break lines between <math> elements but never within one.

A row of MathML that is not short is cut behind commas, before relations and before the signs of a sum, which nobody sees
on a line that is long enough. What is too wide even so is cut before factors and inside the brackets of its widest part.
Widths are estimated; the browser decides which of the cuts become line breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..formulas.mathml import TALL, TIMES

Row: TypeAlias = list[Element]

SHORT = 10.0            # em: what is narrower is not cut
SMALL = 3.0             # em: what is narrower is no line of its own
FLAT = 1.2              # a fraction this many times too wide is written as a product
_TALL_SIZE = "2.4em"
SCRIPT = 0.72           # size of scripts
_OPEN, _CLOSE = "([{⌈⌊|‖", ")]}⌉⌋|‖"
_RELATIONS, _SUM, _PRODUCT = "≤≥<>=≠↦→∈⊂≈", "+−±", f"·×{TIMES}"


def pieces(row: str, limit: float) -> list[tuple[str, float]]:
    """The row cut into rows of at most that many em where possible, with their widths."""
    elements = list(ElementTree.fromstring(f"<math>{row}</math>"))
    return [("".join(ElementTree.tostring(e, encoding="unicode") for e in part), _sum(part))
            for part in map(_at_head, _split(elements, limit))]


def _at_head(row: Row) -> Row:
    """At the head of a line an operator would be taken for a sign in front of one thing, and a product must be seen."""
    if row and _is_infix(row[0], _SUM + _PRODUCT + _RELATIONS):
        row[0].set("form", "infix")
        if row[0].text == TIMES:
            row[0].text = "·"
            row[0].attrib.pop("lspace", None)
    return row


def _split(row: Row, limit: float) -> list[Row]:
    if _sum(row) <= min(SHORT, limit):
        return [row]
    for cut in (_behind_commas, _before(_RELATIONS), _before(_SUM)):
        parts = cut(row)
        if len(parts) > 1:
            return _joined([smaller for part in parts for smaller in _split(part, limit)], limit)
    if _sum(row) <= limit:
        return [row]
    factors = _before(_PRODUCT)(row)
    if len(factors) > 1:
        return _joined([smaller for part in factors for smaller in _split(part, limit)], limit)
    return _opened(row, limit)


def _behind_commas(row: Row) -> list[Row]:
    parts: list[Row] = [[]]
    for element in row:
        parts[-1].append(element)
        if element.tag == "mo" and element.text == ",":
            parts.append([])
    return [part for part in parts if part]


def _before(signs: str) -> Callable[[Row], list[Row]]:
    def cut(row: Row) -> list[Row]:
        parts: list[Row] = [[]]
        for element in row:
            if _is_infix(element, signs) and parts[-1]:
                parts.append([])
            parts[-1].append(element)
        return parts
    return cut


def _is_infix(element: Element, signs: str) -> bool:
    return element.tag == "mo" and (element.text or "") in signs and element.get("form") != "prefix"


def _joined(parts: list[Row], limit: float) -> list[Row]:
    """Small pieces go with their neighbours: no line is to begin with a lone factor."""
    joined = parts[:1]
    for part in parts[1:]:
        both = _sum(joined[-1]) + _sum(part)
        if (_sum(joined[-1]) < SMALL and both <= limit) or (_sum(part) < SMALL and both <= min(SHORT, limit)):
            joined[-1] = joined[-1] + part
        else:
            joined.append(part)
    return joined


def _opened(row: Row, limit: float) -> list[Row]:
    """The row cut inside its widest part: within brackets, or above the line of a fraction."""
    at = max(range(len(row)), key=lambda i: _width(row[i]))
    before, widest, after = row[:at], row[at], row[at + 1:]
    if _is_fence(widest):
        return _inside(before, widest, after, limit) or [row]
    if widest.tag == "msup" and _is_fence(widest[0]):
        return _inside(before, widest[0], [_raised(widest[1], _is_tall(widest[0])), *after], limit) or [row]
    if widest.tag == "mfrac" and _width(widest[0]) > FLAT * limit >= _width(widest[1]):
        return _split(before + _as_product(widest) + after, limit)
    return [row]


def _inside(before: Row, fence: Element, after: Row, limit: float) -> list[Row]:
    """The parts of what stands between brackets, with the brackets at both ends; none if it cannot be cut."""
    left, *inner, right = fence
    parts = _split(inner, limit)
    if len(parts) == 1:
        return []
    tall = _is_tall(fence)
    parts[0] = [*before, _sized(left, "prefix", tall), *parts[0]]
    parts[-1] = [*parts[-1], _sized(right, "postfix", tall), *after]
    return parts


def _is_tall(fence: Element) -> bool:
    return any(element.tag in TALL for element in fence.iter())


def _sized(bracket: Element, form: str, tall: bool) -> Element:
    """A bracket without its partner does not know how tall to be."""
    sized = Element("mo", {"form": form, "stretchy": "true", "minsize": _TALL_SIZE, "maxsize": _TALL_SIZE} if tall
                    else {"form": form, "stretchy": "false"})
    sized.text = bracket.text
    return sized


def _raised(exponent: Element, tall: bool) -> Element:
    """An exponent behind a bracket that stands alone, as high as the bracket is."""
    raised, base = Element("msup"), Element("mspace", height="1.1em" if tall else "0.7em")
    raised.extend((base, exponent))
    return raised


def _as_product(fraction: Element) -> Row:
    """One over what stands below the line, times what stands above it."""
    top, bottom = fraction
    one, dot, inverse = Element("mn"), Element("mo"), Element("mfrac")
    one.text, dot.text = "1", "·"
    inverse.extend((one, bottom))
    factors = list(top) if top.tag == "mrow" and not _is_fence(top) else [top]
    if any(_is_infix(e, _SUM) for e in factors):
        factors = [_bracketed(factors)]
    return [inverse, dot, *factors]


def _bracketed(row: Row) -> Element:
    fence, left, right = Element("mrow"), Element("mo"), Element("mo")
    left.text, right.text = "(", ")"
    fence.extend((left, *row, right))
    return fence


def _is_fence(element: Element) -> bool:
    return (element.tag == "mrow" and len(element) > 2 and element[0].tag == element[-1].tag == "mo"
            and (element[0].text or "") in _OPEN and (element[-1].text or "") in _CLOSE)


# ---------------------------------------------------------------------------------------------------------------
# how wide it will be, in em of the text around it; fonts differ, so this is on the wide side

def _sum(row: Row) -> float:
    return sum(map(_width, row))


def _width(element: Element) -> float:
    parts = [_width(child) for child in element]
    match element.tag:
        case "mi":
            return 0.55 * len(element.text or "")
        case "mn":
            return 0.5 * len(element.text or "")
        case "mo":
            return _operator_width(element.text or "", element.get("form") == "prefix")
        case "mspace":
            return 0.2
        case "mfrac":
            return max(parts) + 0.2
        case "msub" | "msup":
            return parts[0] + SCRIPT * parts[1]
        case "msubsup":
            return parts[0] + SCRIPT * max(parts[1:])
        case "munder" | "mover" | "munderover":
            return max(parts[0], *(SCRIPT * part for part in parts[1:]))
        case "msqrt":
            return sum(parts) + 0.9
        case _:
            return sum(parts)


def _operator_width(sign: str, prefix: bool) -> float:
    if sign in _RELATIONS:
        return 1.4
    if sign in _SUM:
        return 0.8 if prefix else 1.25
    if sign == "·":
        return 0.75
    return 1.4 if sign == "∑" else 0.1 if sign in "\u2061\u2062" else 0.5
