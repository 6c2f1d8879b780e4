"""The recipe for a network from Python: a file, a list of arrays, or a sequence of modules."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from ..declarations.registry import NETWORK, take
from ..networks.relu import ReluNetwork
from .bound import Bound, bound


def network(source: str | PathLike[str] | ReluNetwork | Iterable[Any], **parameters: Any) -> Bound:
    """The bound of the attention network that the recipe makes of a ReLU network: `network("relu.npz", eps="1e-3",
    range=(-1, 1))`. The source is a file, the arrays W0, b0, W1, b1, … in a list, or a torch.nn.Sequential of Linear and
    ReLU; further arguments are those of `bound`."""
    return bound(name_of(source), **parameters)


def name_of(source: str | PathLike[str] | ReluNetwork | Iterable[Any]) -> str:
    """What `bound` and other functions know it by."""
    if isinstance(source, str | PathLike):
        return f"{NETWORK} {fspath(source)}"
    if isinstance(source, ReluNetwork):
        return take(source)
    from ..networks.arrays import from_python
    return take(from_python(source))
