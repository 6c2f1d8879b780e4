"""What `boundcalc` alone and `boundcalc --help` print. Nothing heavy is imported, and only what exists is offered."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..declarations.registry import names
from ..export import FORMATS
from ..layout import filled, padded, screen

WELCOME = "boundcalc: what a softmax attention network costs, and how accurate it is"
FIRST = (
    ("boundcalc mult --eps 1e-3", "a bound: layers, heads, β, error"),
    ("boundcalc show max", "closed forms, no numbers needed"),
    ("boundcalc check paper.toml", "the claims of a paper, decided"),
    ("boundcalc list", "all targets (all commands: --help)"),
)
START = ("boundcalc mult --eps 1e-3", "boundcalc max --n 8 --eps 1e-3 --verify",
         "boundcalc check 'max.heads <= 3' --for 'n >= 2, eps > 0'")
GROUPS: dict[str, dict[str, tuple[str, str]]] = {       # group → command → what follows it, and what it does
    "Derive": {
        "show": ("TARGET", "closed forms with free symbols"),
        "list": ("", "all targets with their closed forms"),
        "compile": ("EXPR…", "any expression as a network"),
        "network": ("FILE", "a ReLU network as an attention network"),
        "compare": ("TARGET", "routes and gates side by side"),
        "sweep": ("TARGET", "one table or plot over a range of ε"),
        "regions": ("FILE", "linear regions of a ReLU or maxout network"),
    },
    "Check": {
        "check": ("FILE|CLAIM", "proved, refuted, conditional, vacuous, undecided"),
        "recheck": ("FILE", "check a proof object in a fresh process"),
        "verify": ("TARGET|FILE", "certify the error of the network itself"),
        "eval": ("TARGET|FILE", "run it at a point, at any number of digits"),
    },
    "Write": {
        "weights": ("TARGET", "the exact network"),
        "plot": ("TARGET", "target, network and error as a picture"),
        "paper": ("FILE", "a document of several theorems"),
        "prove": ("TARGET", "the bound as a theorem in Coq"),
        "schema": ("[NAME]", "the JSON Schema of what is written"),
    },
    "Help": {
        "help": ("TARGET|COMMAND", "its options; also: help output"),
        "explain": ("WORD", "a lemma with its proof, or a word of the reports"),
    },
}
LABEL, COMMAND = 9, 21      # columns


def welcome() -> str:
    lines = [*filled(WELCOME), ""]
    for command, says in FIRST:
        lines += _two(f"  {command}", says, 34)
    return "\n".join(lines) + "\n"


def overview(commands: Collection[str]) -> str:
    lines = ["Usage: boundcalc TARGET [options]       derive the bound of a target",
             "       boundcalc COMMAND [arguments]", ""]
    lines += [f"{'Start' if not k else '':<{LABEL}}{command}" for k, command in enumerate(START)]
    lines += ["", *_labelled("Targets", " ".join(names())), ""]
    for group, members in GROUPS.items():
        rows = [(f"{name} {what}".rstrip(), says) for name, (what, says) in members.items() if name in commands]
        lines += _group(group, rows)
    known = {name for members in GROUPS.values() for name in members}
    lines += _group("More", [(name, f"boundcalc help {name}") for name in commands if name not in known])
    lines += ["", *_labelled("Output", f"-f {'|'.join(FORMATS)}   -o FILE   -q   --full"),
              *_labelled("Version", "--version")]
    return "\n".join(lines)


def _group(label: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    for k, (command, says) in enumerate(rows):
        lines += _two(f"{'' if k else label:<{LABEL}}{command}", says, LABEL + COMMAND)
    return lines


def _two(left: str, right: str, at: int) -> list[str]:
    """Two texts side by side; on a narrow page the second goes below the first."""
    if at + 24 > screen():
        return [left, *filled(right, indent=4, start=4)]
    lines = filled(right, indent=at, start=at)
    return [padded(left, at) + lines[0][at:], *lines[1:]]


def _labelled(label: str, text: str) -> list[str]:
    lines = filled(text, indent=LABEL, start=LABEL)
    return [padded(label, LABEL) + lines[0][LABEL:], *lines[1:]]
