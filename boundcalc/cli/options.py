"""The options that several commands share. Numbers are checked here, exactly, before anything heavy is imported."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import click

from ..errors import InvalidInput
from ..export import FORMATS, Wishes
from ..numbers.exact import rational
from ..results.given import NUMBERS, checked, checked_range, checked_weights
from .output import file_option

Decorated = Callable[..., Any]
PATIENCE = 1.5      # seconds before a bar is shown
BAR = 40            # characters
TIMEOUT = "60"      # seconds of CPU time of a verification
LONGEST = 10 ** 7

_PARAMETERS = [
    click.option("--eps", "--epsilon", "eps", metavar="NUMBER", help="accuracy asked for, in the sup norm over the domain"),
    click.option("--delta", metavar="NUMBER", help="error already present in every input (default 0)"),
    click.option("--M", "M", metavar="NUMBER", help="domain [−M, M] per input (default 1, or the whole line)"),
    click.option("--range", "range_", metavar="A,B", help="domain [A, B] per input"),
    click.option("--d", metavar="INTEGER", help="copies side by side (default 1); clip: dimension of its input"),
    click.option("--w", metavar="W1,W2,…", help="weights of clip's inputs (default 1 each)"),
    click.option("--t", metavar="NUMBER", help="what clip adds to its weighted inputs (default 0)"),
    click.option("--n", metavar="INTEGER", help="arguments of max and min; else tokens a head of gate anchors"),
    click.option("--H", "H", metavar="INTEGER", help="heads of one gate, with gate anchors"),
    click.option("--m", metavar="INTEGER", help="sawtooth levels"),
    click.option("--N", "N", metavar="INTEGER", help="linear pieces of recip"),
    click.option("--p", metavar="INTEGER", help="anchors of gate anchor; of max and min with gate anchors: tokens a head"),
    click.option("--kappa", metavar="NUMBER", help="βΔ² of a hard temperature (default: derived)"),
    click.option("--eps0", metavar="NUMBER", help="largest mass off the two nearest anchors, instead of --kappa"),
    click.option("--beta", metavar="NUMBER", help="inverse temperature of every head"),
    click.option("--sequence", metavar="L", help="apply the construction to every one of L data tokens"),
    click.option("--codes", metavar="NAME", help="position codes of a sequence: onehot (default) or circle"),
]
_CHOICES = [
    click.option("--route", metavar="NAME", help="how the network is built"),
    click.option("--gate", metavar="NAME",
                 help="what computes a ReLU: silu, anchor (one head), anchors (H heads), or ffn for a real ReLU network"),
    click.option("--temperature", metavar="NAME", help="of anchor gates: tuned (default) or hard"),
    click.option("--grid", metavar="NAME", help="of gate anchor: linspace (default), left or midpoint"),
    click.option("--sentinels", is_flag=True, help="the published many-head form, with --gate anchors --temperature hard"),
]


def parameters(function: Decorated) -> Decorated:
    return _stacked(function, [*_PARAMETERS, *_CHOICES])


def choices(function: Decorated) -> Decorated:
    return _stacked(function, _CHOICES)


def output(function: Decorated) -> Decorated:
    return _stacked(function, [
        click.option("--format", "-f", "form", default="text", show_default=True, metavar="NAME",
                     help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"),
        file_option(),
        click.option("--proof", is_flag=True, help="the derivation, step by step"),
        click.option("--dimensions", is_flag=True, help="the shape of every matrix"),
        click.option("--standalone", is_flag=True, help="with -f latex: a whole document that compiles"),
        click.option("--only", metavar="NAME", help="one formula: error, a term of it, or a resource such as heads"),
    ])


def _stacked(function: Decorated, options: Sequence[Callable[[Decorated], Decorated]]) -> Decorated:
    for option in reversed(options):
        function = option(function)
    return function


def exact_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """The numbers among the options as exact rationals, the names as they are; what was not given is left out."""
    found: dict[str, Any] = {}
    for name in NUMBERS:
        if given.get(name) is not None:
            found[name] = checked(name, given[name])
    if given.get("range_") is not None:
        found["range"] = checked_range(given["range_"])
    if given.get("w") is not None:
        found["w"] = checked_weights(given["w"])
    if given.get("sequence") is not None:
        found["sequence"] = checked("sequence", given["sequence"])
    return {**found, "codes": given.get("codes"), **gate_choices(given)}


def gate_choices(given: dict[str, Any]) -> dict[str, Any]:
    """Route, gate and how the gate is made."""
    return {name: given.get(name) for name in ("route", "gate", "temperature", "grid", "sentinels")}


def wishes(given: dict[str, Any]) -> Wishes:
    """What is to be shown; these options are taken out of the rest."""
    return Wishes(*(given.pop(name) for name in ("dimensions", "proof", "standalone", "only")))


def check_digits(text: str) -> int:
    return check_integer("--digits", text, 1, 10_000, "50")


def timeout_option(function: Decorated) -> Decorated:
    option = click.option("--timeout", metavar="SECONDS", help="CPU time of a verification; what was found until then is "
                          f"reported; 0: no limit  [default: {TIMEOUT}]")
    return option(function)


def check_timeout(text: str | None) -> float | None:
    """Seconds; None is no limit."""
    value = rational(TIMEOUT if text is None else text, "--timeout")
    if not 0 <= value <= LONGEST:
        raise InvalidInput(f"--timeout must be a number of seconds from 0 to {LONGEST}.",
                           f"For example --timeout {TIMEOUT}.")
    return float(value) or None


def check_integer(option: str, text: str, least: int, most: int, example: str) -> int:
    value: Fraction = rational(text, option)
    if value.denominator != 1 or not least <= value <= most:
        raise InvalidInput(f"{option} must be an integer from {least} to {most}.", f"For example {option} {example}.")
    return int(value)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, on a terminal only, once something has taken longer than a second or two."""
    start, shown = time.monotonic(), False

    def report(done: int, total: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - start > PATIENCE:
            filled = BAR * done // max(1, total)
            print(f"\r{what} [{'#' * filled}{'.' * (BAR - filled)}] {done}/{total}", end="", file=sys.stderr, flush=True)
            shown = True

    try:
        yield report
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
