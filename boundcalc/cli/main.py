"""The command line: `boundcalc NAME …` derives a bound; other commands are loaded on demand.

Nothing heavy is imported here: help, version and list cost no sympy.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType

import click

from .. import __version__
from ..declarations.registry import hint, known, names
from ..errors import BoundcalcError, Infeasible, InvalidInput, echo
from ..letters import in_letters_of, reading
from .command import HelpfulContext

COMMANDS = {"list": "list_", "show": "show", "verify": "verify", "check": "check", "recheck": "recheck",
            "weights": "weights", "eval": "eval_", "plot": "plot", "schema": "schema", "explain": "explain", "help": "help_"}
DONE, REFUTED, WRONG, UNDECIDED, DEFECT = 0, 1, 2, 3, 4
INTERRUPTED, TERMINATED = 130, 143
COLLECT_AFTER = 50_000      # new objects


class Terminated(BaseException):
    """SIGTERM: what was begun is put away, as after Ctrl-C."""


class Commands(click.Group):
    """The named commands, and every construction as a command of its own."""

    context_class = HelpfulContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *names()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in COMMANDS:
            command: click.Command = import_module(f".{COMMANDS[name]}", __package__).command
            return command
        if known(name):
            made: click.Command = import_module(".construct", __package__).command_for(name)
            return made
        return None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if self.get_command(ctx, name) is None:
            raise InvalidInput(f"There is no construction or command '{echo(name)}'.", hint(name, tuple(COMMANDS)))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from .entry import overview
        formatter.write(overview(COMMANDS))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, message="boundcalc %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Exact resource counts and error bounds of explicit softmax attention networks."""
    if ctx.invoked_subcommand is None:
        from . import output
        from .entry import welcome
        output.write(welcome(), None)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, and turn everything that can go wrong into one clear message and an exit code."""
    _spare_the_collector()
    with _ending_on_sigterm(), reading(_encoding(sys.stdout)):
        _run(arguments)


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:          # not the main thread: signals are somebody else's
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _encoding(stream: object) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def _run(arguments: Sequence[str] | None) -> None:
    try:
        code = cli.main(args=None if arguments is None else list(arguments), prog_name="boundcalc", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else DONE)
    except click.ClickException as problem:
        _explain(_from_click(problem), arguments)
        sys.exit(WRONG)
    except (InvalidInput, Infeasible) as problem:
        _explain(problem, arguments)
        sys.exit(WRONG)
    except BoundcalcError as problem:
        _explain(problem, arguments)
        sys.exit(DEFECT)
    except (KeyboardInterrupt, click.Abort):
        _complain("Interrupted.", "")
        sys.exit(INTERRUPTED)
    except Terminated:
        _complain("Terminated.", "")
        sys.exit(TERMINATED)
    except BrokenPipeError:
        # the reader has gone (head, less): not an error, but Python must not complain about it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(DONE)
    except OSError as problem:
        _complain(f"Cannot write the result: {problem.strerror}.", "Free some space, or write to another place with -o.")
        sys.exit(WRONG)
    except Exception as problem:
        if os.environ.get("BOUNDCALC_DEBUG"):
            raise
        _complain(f"This is a defect in boundcalc: {type(problem).__name__}: {echo(str(problem))}.",
                  "Please report it with the command that you typed; BOUNDCALC_DEBUG=1 shows where it happened.")
        sys.exit(DEFECT)


def _spare_the_collector() -> None:
    """Almost all objects of a short command come from imports and live to its end. By default Python looks for garbage
    among them after every 700 new ones, and takes them apart one by one at exit: a fifth of the time of a bound."""
    gc.set_threshold(COLLECT_AFTER)
    atexit.register(gc.freeze)


def _from_click(problem: click.ClickException) -> InvalidInput:
    """What click says, on one line and not longer than a line, with one full stop."""
    text = " ".join(echo(word) for word in problem.format_message().split())
    text = text if len(text) <= 200 else text[:199] + "…"
    said = text if text.endswith(("?", "?)", ".)")) else text.rstrip(".") + "."
    if isinstance(problem, click.NoSuchOption):
        near = problem.possibilities or ()
        return InvalidInput(f"There is no option {echo(problem.option_name)} here.",
                            f"Did you mean {near[0]}?" if near else "See --help.",
                            {problem.option_name: near[0]} if near else None)
    return InvalidInput(said, "See --help.")


def _explain(problem: BoundcalcError, arguments: Sequence[str] | None) -> None:
    from .complaint import complaint
    _tell(complaint(problem, sys.argv[1:] if arguments is None else arguments))


def _complain(problem: str, remedy: str) -> None:
    from .complaint import sentences
    _tell("\n".join(sentences(problem, remedy)))


def _tell(message: str) -> None:
    print(in_letters_of(_encoding(sys.stderr), message), file=sys.stderr)
