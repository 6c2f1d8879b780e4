"""boundcalc network FILE …: the recipe for a ReLU network. With a file it is a command of its own (construct.py); alone it
has this help, and says what is missing."""

from __future__ import annotations

import click

from ..declarations.registry import without_file
from .command import Command


@click.command("network", cls=Command)
def command() -> None:
    """The recipe for a ReLU network of your own: every ReLU becomes a head.

    \b
    boundcalc network relu.npz --range -1,1 --eps 1e-3
    boundcalc network relu.npz --range -1,1 --eps 1e-3 --target 'x1*x2' --accuracy 1e-2
    boundcalc verify network relu.npz --range -1,1 --eps 1e-3
    boundcalc show network --proof                            what it costs any network
    boundcalc network relu.npz --help                         all options

    Files: .json (boundcalc-network/1), .npz (W0, b0, W1, b1, …; y = W·x + b), .safetensors, .onnx.
    """
    raise without_file()
