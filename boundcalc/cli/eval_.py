"""boundcalc eval FILE --at x=1/3,y=0.2: run an exported network at a point, beside what its file says that it computes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from ..declarations.registry import known
from ..errors import InvalidInput, echo
from ..numbers.exact import rational
from . import options, output

if TYPE_CHECKING:
    from ..networks.network import Network


class OfPoints(options.ForConstruction):
    """A network's file may stand in place of a name."""

    def refuse(self, name: str) -> None:
        if "." in name or "/" in name:
            raise InvalidInput("A network from a file has no parameters: its weights are what they are.", "Leave them out.")
        super().refuse(name)


@click.command("eval", cls=OfPoints)
@click.argument("what", metavar="FILE|NAME")
@options.parameters
@click.option("--at", "at", metavar="x=1/3,y=0.2", help="a value for every input")
@click.option("--digits", default="50", show_default=True, help="decimal digits of the result")
def command(what: str, at: str | None, digits: str, **given: Any) -> None:
    """Run a network at a point, at any number of digits: an exported one, or that of a construction.

    \b
    boundcalc eval mult --eps 1e-3 --at x=1/3,y=0.2
    boundcalc eval mult.json --at x=1/3,y=0.2 --digits 100

    Where the file says what it is, the target and the error stand beside the value.
    """
    places = options.check_digits(digits)
    values = _assignments(at) if at is not None and "=" in at else {}
    network = _network(what, given)
    if at is None or not at.strip():
        raise InvalidInput("--at is missing: the point at which the network is to run.", "Give a value for every input.",
                           {"--at": _somewhere(network.inputs)})
    if not values:
        raise _nameless(at, network.inputs)
    from ..export.evaluated import evaluation, outside
    missing = [name for name in network.inputs if name not in values]
    unknown = [name for name in values if name not in network.inputs]
    if missing or unknown:
        what = f"is missing {', '.join(missing[:5])}" if missing else f"names {echo(', '.join(unknown))}, which is no input"
        given_ones = {name: text.partition("=")[2] for text in at.split(",") for name in (text.partition("=")[0].strip(),)}
        raise InvalidInput(f"--at {what}.", f"The inputs are {echo(', '.join(network.inputs))}.",
                           {"--at": _somewhere(network.inputs, given_ones)})
    point = [values[x] for x in network.inputs]
    output.write(evaluation(network, point, places, ours=known(what)), None)
    note = outside(network, point)
    if note:
        print(note, file=sys.stderr)


def _network(what: str, given: dict[str, Any]) -> Network:
    if known(what):
        exact = options.exact_parameters(what, given)
        from ..results.bound import bound
        return bound(what, **exact).network
    for name, value in given.items():
        if value is not None and value is not False:
            raise InvalidInput(f"--{name} does not apply to a network from a file: its weights are what they are.",
                               "Leave it out.")
    from ..networks.file import load
    return load(what)


def _somewhere(inputs: Sequence[str], known: Mapping[str, str] | None = None) -> str | None:
    """A point for a command that would work; nothing where there are many inputs."""
    return ",".join(f"{x}={(known or {}).get(x, '1/2')}" for x in inputs) if len(inputs) <= 8 else None


def _nameless(text: str, inputs: Sequence[str]) -> InvalidInput:
    numbers = text.split(",")
    named = ",".join(f"{x}={v.strip()}" for x, v in zip(inputs, numbers, strict=False))
    return InvalidInput(f"'{echo(text)}' is not of the form name=value.", "For example --at x=1/3,y=0.2.",
                        {"--at": named if len(numbers) == len(inputs) else _somewhere(inputs)})


def _assignments(text: str) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals:
            raise InvalidInput(f"'{echo(part)}' is not of the form name=value.", "For example --at x=1/3,y=0.2.")
        if name.strip() in found:
            raise InvalidInput(f"--at gives {echo(name.strip())} twice.", "Give every input once.")
        found[name.strip()] = rational(value, f"--at {name.strip()}")
    return found
