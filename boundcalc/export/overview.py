"""All targets on one screen, what `list` prints: the default route of each and those without gates, in closed form."""

from __future__ import annotations

from collections.abc import Callable

from ..declarations.header import Information
from ..declarations.registry import construction, listed
from ..derivation.analysis import Analysis
from ..errors import BoundcalcError
from ..formulas.mathtext import plain
from ..layout import columns_of, filled
from ..results.bound import closed_forms, is_plan
from ..results.glossary import constants_in
from .closed import single, text_of

COUNTS = ("layers", "heads", "tokens")
LONGEST = 14            # characters of an error in the table


def screen(progress: Callable[[int, int], None] = lambda done, total: None, only: str | None = None) -> str:
    """Every target, or one with all of its routes and gates."""
    rows: list[list[str]] = []
    errors, starred, before = [], False, ""
    for done, (info, route, gate) in enumerate(found := _routes() if only is None else _ways(only)):
        progress(done, len(found))
        name = info.name
        what = [name, _map(info.map)] if name != before else ["", ""]
        before = name
        if not route or (only is None and is_plan(name, route)):        # all parts of a plan take their time
            rows.append([*what, route or info.routes[0], "", "", "", "show " + name])
            continue
        try:
            analysis = closed_forms(name, route=route, gate=gate)
        except BoundcalcError:          # a plan whose counts follow from numbers
            rows.append([*what, _by(route, gate, only), "", "", "", "with --eps"])
            continue
        error, more = _error(analysis)
        starred = starred or more
        errors += [analysis.settled(i.radius) for i in list(analysis.error.values())[:1]]
        counts = [text_of(single(analysis.settled(analysis.resources[c]), analysis.construction)) for c in COUNTS]
        by = analysis.gate or route if only is None else _by(route, gate, only)
        rows.append([*what, by, *counts, error + (" *" if more else "")])
    lines = columns_of(["target", "map", "by", "layers", "heads", "tokens", "error at most"], rows, "lllllll")
    lines += filled("* plus what the gates add, which vanishes as β grows") if starred else []
    lines += filled("… is a longer formula: boundcalc show TARGET") if any(r[-1].startswith("…") for r in rows) else []
    lines += filled("; ".join(plain(x) for x in constants_in(errors, brief=True)))
    return "\n".join([*lines, *filled("all routes, gates and sources: --full     all bounds as a table: -f latex")]) + "\n"


def _by(route: str, gate: str | None, only: str | None) -> str:
    return route if only is None or gate is None else f"{route}, {gate}"


def _ways(name: str) -> list[tuple[Information, str, str | None]]:
    """Every route of one target with every gate."""
    c = construction(name)
    return [(c.information, route.name, gate) for route in c.routes
            for gate in (c.information.gates if route.gated else (None,))]


def _routes() -> list[tuple[Information, str, str | None]]:
    """The default one of every target, and those that have no gates. What another package brings is named and not
    imported: it has no route here."""
    found: list[tuple[Information, str, str | None]] = []
    for info in listed():
        if not info.bundled:
            found.append((info, "", None))
            continue
        found += [(info, route.name, None) for k, route in enumerate(construction(info.name).routes)
                  if k == 0 or not (route.gated or route.composed)]
    return found


def _map(text: str) -> str:
    """What it is without the arrow, and without the meaning of its letters, which follows a comma outside all brackets."""
    found, depth = "", 0
    for c in text.partition("↦")[2].strip():
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            break
        found += c
    return found or text


def _error(a: Analysis) -> tuple[str, bool]:
    """The first term of the error, and whether there are others."""
    if not a.error:
        return "0", False
    first = next(iter(a.error.values()))
    text = text_of(single(a.settled(a.with_eta(first.radius)), a.construction)).replace(" − ", "−").replace(" + ", "+")
    return (text if len(text) <= LONGEST else "…"), len(a.error) > 1
