"""`boundcalc TARGET --help` on one screen: its own options in words, then what all targets have."""

from __future__ import annotations

from collections.abc import Iterator

from ..declarations.header import Information
from ..declarations.options import composed, declared, needed
from ..declarations.record import Construction
from ..declarations.registry import construction
from ..declarations.shared import DELTA
from ..formulas.mathtext import plain
from ..formulas.parameter import Kind, Parameter
from ..gates.parameters import of
from ..layout import CONTENT, ends, filled, labelled, padded, screen
from ..letters import written
from .words import GATES

SHARED = (
    ("--minimize NAME", "integers for least layers, heads, tokens, parameters or beta"),
    ("--sequence L", "apply it to each of L tokens; --codes onehot|circle"),
)
OUTPUT = "-f -o --verify --proof --full (boundcalc help output)"
ALIGNED = 72        # columns from which on everything stands beside its option


def page(info: Information) -> str:
    """The help of one target."""
    c = construction(info.name if not info.asked else info.asked)
    also = f"also: {', '.join(info.synonyms)}" if info.synonyms else ""
    name = f"{info.name:<4}   {_small(info.title)}, {info.map}"
    fits = len(name) + 2 + len(also) <= screen()
    lines = ends(name, also) if fits else [*filled(name, indent=7), *(filled(also, indent=7, start=7) if also else [])]
    lines.append("")
    chosen = {p for route in c.routes for p in route.chooses}
    gated = {p.name: p for gate in info.gates for p in of(gate, _tokens(c))}
    for p in declared(info.asked or info.name):
        if p.name not in chosen and p.name not in gated and p.name != "beta":
            lines += _option(p, "; X=NUMBER: of one" if p is DELTA and len(c.inputs) > 1 else "")
    lines += _choice("route", [(route.name, route.words or "another network") for route in c.routes])
    if info.gates and any(route.gated or route.composed for route in c.routes):
        lines += _choice("gate", [(gate, _gate_words(gate, c)) for gate in info.gates if gate in GATES])
    lines += _fixed(info, chosen)
    for option, words in SHARED if not composed(info.asked or info.name) else SHARED[:1]:
        lines += _row(option, words)
    lines += labelled("Output", OUTPUT)
    lines += labelled("More", "how it is built, and all options: --help --full")
    lines += labelled("Example", _example(info, c))
    return "\n".join(lines)


def _small(title: str) -> str:
    return title[:1].lower() + title[1:]


def _option(p: Parameter, more: str = "") -> list[str]:
    default = f"[default {p.default}]" if p.default is not None else ""
    return _row(written(f"--{p.name} {p.kind.value}"), plain(p.meaning) + more, default)


def _row(option: str, text: str, right: str = "") -> list[str]:
    if screen() < ALIGNED:
        return [f"  {option}", *filled(f"{text}{f'  {right}' if right else ''}", indent=6, start=6)]
    lines = filled(text, indent=CONTENT, start=CONTENT)
    lines = [padded(f"  {option}", CONTENT) + lines[0][CONTENT:] if len(option) + 3 <= CONTENT else
             f"  {option} {lines[0][CONTENT:]}", *lines[1:]]
    if right and len(lines[-1]) + 1 + len(right) <= screen():
        lines[-1] = padded(lines[-1], screen() - len(right)) + right
    elif right:
        lines.append(" " * (screen() - len(right)) + right)
    return lines


def _choice(option: str, values: list[tuple[str, str]]) -> Iterator[str]:
    for k, (value, words) in enumerate(values):
        head = f"--{option}" if not k else ""
        yield from _row(f"{head:<8}{value}", words, "[default]" if not k and len(values) > 1 else "")


def _gate_words(gate: str, c: Construction) -> str:
    own = [f"--{p.name}" for p in of(gate, _tokens(c)) if p.name not in ("beta", "kappa", "eps0")]
    own += [f"--{option}" for option in ("temperature", *(("grid",) if len(own) == 1 else ("sentinels",)))] if own else []
    return GATES[gate] + (f" ({' '.join(own)})" if own else "")


def _tokens(c: Construction) -> str:
    from ..declarations.frame import anchors_counted_by
    return anchors_counted_by(c)


def _fixed(info: Information, chosen: set[str]) -> list[str]:
    own = [p for p in declared(info.asked or info.name) if p.name in chosen and p.kind is not Kind.INTERVAL]
    what = ", ".join([*(plain(p.meaning) for p in own), "inverse temperature"])
    return _row(", ".join(f"--{name}" for name in (*(p.name for p in own), "beta")), f"fix what is chosen: {what}")


def _example(info: Information, c: Construction) -> str:
    given = [f"{option} {value}" for option, value in needed(c).items()]
    return " ".join(["boundcalc", info.asked or info.name, *given, "--eps 1e-3", "--verify"])
