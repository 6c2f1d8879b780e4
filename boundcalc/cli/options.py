"""The options that several commands share. Numbers are checked here, exactly, before anything heavy is imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import click

from ..errors import InvalidInput
from ..exact import rational
from ..parameters import NUMBERS, checked, checked_range

Decorated = Callable[..., Any]

_PARAMETERS = [
    click.option("--eps", help="accuracy asked for, in the sup norm over the domain"),
    click.option("--delta", help="error already present in every input (default 0)"),
    click.option("--M", "M", help="domain [−M, M] per input (default 1, or the whole line where that works)"),
    click.option("--range", "range_", metavar="A,B", help="domain [A, B] per input"),
    click.option("--d", help="copies side by side (default 1)"),
    click.option("--n", help="number of arguments of max and min"),
    click.option("--m", help="sawtooth levels"),
    click.option("--beta", help="inverse temperature of every head"),
]
_CHOICES = [
    click.option("--route", help="how the network is built"),
    click.option("--gate", help="what computes a ReLU: silu, or ffn for a real ReLU network"),
]


def parameters(function: Decorated) -> Decorated:
    return _stacked(function, [*_PARAMETERS, *_CHOICES])


def choices(function: Decorated) -> Decorated:
    return _stacked(function, _CHOICES)


def output(function: Decorated) -> Decorated:
    return _stacked(function, [
        click.option("--format", "-f", "form", default="text", show_default=True, help="text, json or latex"),
        click.option("--output", "-o", "path", type=click.Path(dir_okay=False), help="write to a file"),
        click.option("--proof", is_flag=True, help="the derivation, step by step"),
        click.option("--dimensions", is_flag=True, help="the shape of every matrix"),
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
    return {**found, "route": given.get("route"), "gate": given.get("gate")}


def check_digits(text: str) -> int:
    value: Fraction = rational(text, "--digits")
    if value.denominator != 1 or not 1 <= value <= 10_000:
        raise InvalidInput("--digits must be an integer from 1 to 10000.", "For example --digits 50.")
    return int(value)


def write(text: str, path: str | None) -> None:
    if path is None:
        click.echo(text, nl=False)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise InvalidInput(f"Cannot write {path}: {problem.strerror}.", "Choose another file.") from problem
