"""A network at a point, as text: its value, and where the file says what it is, the target and the error beside it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..declarations.registry import known
from ..errors import InvalidInput, echo
from ..formulas.enclosure import Undecided
from ..formulas.target import Target, exact_values
from ..networks.network import Network
from ..numbers.exact import decimal_up, exact_text, floor_log
from ..verify.evaluate import Evaluator, decimal_text, to_fraction
from ..verify.given_network import request_of_file
from .values import fraction, minus, number

SHOWN = 8           # coordinates of a point
LISTED = 3          # coordinates outside the domain
DIGITS = 12         # of an error


def evaluation(network: Network, point: Sequence[Fraction], digits: int, ours: bool = False) -> str:
    """`ours`: the network was derived here, and not read from a file."""
    values = Evaluator(network, digits)(list(point))
    texts = [decimal_text(value, digits) for value in values]
    targets = _targets(network, point)
    if targets is None:
        return "".join(f"{name} = {text}\n" for name, text in zip(network.outputs, texts, strict=True))
    assert network.about is not None
    lines = []
    for k, (name, text, value, target) in enumerate(zip(network.outputs, texts, values, targets, strict=True)):
        mark = f"_{k + 1}" if len(targets) > 1 else ""
        lines += [f"Φ{mark}({_shown(point)}) = {text}",
                  f"  target {name} = {fraction(target)}, error {_difference(to_fraction(value), target, digits)}"]
    whose = "derived" if ours else "it says of itself"
    if network.about.error is not None:
        lines.append(f"  {whose}: " + (f"the error is at most {number(network.about.error, DIGITS)} on its domain"
                                            if network.about.error else "the network is exact on its domain"))
    return "\n".join(lines) + "\n"


def _targets(network: Network, point: Sequence[Fraction]) -> list[Fraction] | None:
    """None if the file does not say what it is, or the target has no rational value there."""
    try:
        found = _exactly(network, point)
    except (InvalidInput, Undecided, ZeroDivisionError):
        return None
    return [x for x in found if x is not None] if None not in found else None


def _exactly(network: Network, point: Sequence[Fraction]) -> list[Fraction | None]:
    """The targets of the construction; of one that is not known here, as of a file of one's own, what stands in the file."""
    about = network.about
    if about is None or about.construction is None or known(about.construction):
        return exact_values(request_of_file(network, {}).targets, point)
    if len(about.target) != len(network.outputs):
        raise InvalidInput("The file does not say what its network is to compute.", "Add its targets.")
    return [Target.of(text, dict.fromkeys(network.inputs, 1)).exact(point) for text in about.target]


def outside(network: Network, point: Sequence[Fraction]) -> str:
    """A note on inputs that are not in the domain that the file states; nothing if all are."""
    domain = network.about.domain if network.about else ()
    found = [f"{echo(name)} = {_coordinate(x)} is outside [{_end(low, '−∞')}, {_end(high, '∞')}]"
             for name, x, (low, high) in zip(network.inputs, point, domain, strict=False)
             if (low is not None and x < low) or (high is not None and x > high)]
    if not found:
        return ""
    more = f" and {len(found) - LISTED} more inputs" if len(found) > LISTED else ""
    return f"note: {', '.join(found[:LISTED])}{more}: the bound of the error holds on the domain only."


def _end(x: Fraction | None, infinite: str) -> str:
    return infinite if x is None else fraction(x)


def _shown(point: Sequence[Fraction]) -> str:
    texts = [_coordinate(x) for x in point[:SHOWN]]
    return ", ".join([*texts, *(["…"] if len(point) > SHOWN else [])])


def _coordinate(x: Fraction) -> str:
    text = minus(exact_text(x))
    return text if len(text) <= DIGITS else fraction(x)


def _difference(value: Fraction, target: Fraction, digits: int) -> str:
    """Network − target to the nearest, with no more digits than are known."""
    error, size = value - target, max(Fraction(1), abs(value))
    if abs(error) * 10 ** digits <= size:
        return f"0 to {digits} digits" if error else "0"
    known = min(DIGITS, digits + floor_log(abs(error), 10) - floor_log(size, 10))
    unit = Fraction(10) ** (floor_log(abs(error), 10) - max(1, known) + 1)
    return minus(decimal_up(round(error / unit) * unit, DIGITS + 1))
