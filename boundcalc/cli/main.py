"""The command line: `boundcalc NAME …` derives a bound; other commands are loaded on demand.

Nothing heavy is imported here: help, version and list cost no sympy.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from types import FrameType

import click

from .. import __version__
from ..declarations.registry import NETWORK, known, names, unknown
from ..errors import BoundcalcError, Infeasible, InvalidInput, echo, nearest
from ..letters import in_letters_of, reading
from .command import HelpfulContext

COMMANDS = {"list": "list_", "show": "show", "verify": "verify", "check": "check", "recheck": "recheck",
            "weights": "weights", "eval": "eval_", "plot": "plot", "network": "network", "schema": "schema",
            "explain": "explain", "help": "help_"}
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
            raise _unknown(name, args)
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


def with_networks(words: Sequence[str]) -> list[str]:
    """`network FILE` is one name wherever a name may stand: at the start, or behind a command that is about one."""
    for place, (word, after) in enumerate(pairwise(words)):
        here = place == 0 or words[place - 1] == "--target" or (place == 1 and words[0] in AFTER_A_TARGET)
        if here and word == NETWORK and not after.startswith("-"):
            return [*words[:place], f"{NETWORK} {after}", *words[place + 2:]]
    return list(words)


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
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = cli.main(args=with_networks(words), prog_name="boundcalc", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else DONE)
    except click.ClickException as problem:
        _explain(_from_click(problem, sys.argv[1:] if arguments is None else arguments), arguments)
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


def _unknown(name: str, args: Sequence[str]) -> InvalidInput:
    """A name that is no command; where a target was meant, with what that needs."""
    problem = unknown(name, tuple(COMMANDS))
    target = problem.instead.get(name)
    if target is not None and target not in COMMANDS and not {"-h", "--help"} & set(args):
        from ..declarations.options import needed
        from ..declarations.registry import construction
        more = {**needed(construction(target)), **({"--eps": "1e-3"} if "--beta" not in args else {})}
        problem.instead |= {option: value for option, value in more.items() if option not in args}
    return problem


AFTER_A_TARGET = {"show": "", "verify": " --eps 1e-3", "weights": " --eps 1e-3", "plot": " --eps 1e-3 -o picture.svg"}


def _from_click(problem: click.ClickException, arguments: Sequence[str]) -> InvalidInput:
    """What click says, on one line and not longer than a line, with one full stop."""
    command = arguments[0] if arguments else ""
    if isinstance(problem, click.MissingParameter) and command in AFTER_A_TARGET and len(arguments) == 1:
        from .entry import START
        target = START[0].split()[1]
        return InvalidInput(f"boundcalc {command} needs to know what it is about.", "See --help.",
                            {command: f"{command} {target}{AFTER_A_TARGET[command]}"})
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", problem.message)
    if extra:
        return _extra(extra[1].split(), arguments)
    text = " ".join(echo(word) for word in problem.format_message().split())
    text = text if len(text) <= 200 else text[:199] + "…"
    said = text if text.endswith(("?", "?)", ".)")) else text.rstrip(".") + "."
    place = next((k for k, word in enumerate(arguments) if known(word)), 0)
    if isinstance(problem, click.NoSuchOption) and place and command.startswith("-"):
        target, before = arguments[place], arguments[:place]
        return InvalidInput("Options follow the target.", "Give the target first.",
                            {**{word: None for word in before if word.startswith("-")}, target: " ".join((target, *before))})
    if isinstance(problem, click.NoSuchOption):
        near = nearest(problem.option_name, problem.possibilities or ()) if len(problem.option_name) > 3 else None
        return InvalidInput(f"There is no option {echo(problem.option_name)} here.",
                            f"Did you mean {near}?" if near else "See --help.",
                            {problem.option_name: near} if near else None)
    return InvalidInput(said, "See --help.")


def _extra(extra: Sequence[str], arguments: Sequence[str]) -> InvalidInput:
    """A word too many: a number without its option, the second end of a range, or what does not belong here."""
    first, place = extra[0], list(arguments).index(extra[0]) if extra[0] in arguments else 0
    number = first[:1].isdigit() or first[:1] in "-−."
    what = f"{echo(first)!r} stands there without an option."
    if number and place >= 2 and arguments[place - 2] == "--range":
        low = arguments[place - 1]
        return InvalidInput(f"{what} The ends of a range have a comma between them.", "For example --range 0,1.",
                            {"--range": f"{low},{first}", first: None})
    if number and "--eps" not in arguments:
        return InvalidInput(what, "Did you mean --eps?", {first: f"--eps {first}"})
    return InvalidInput(what, "Leave it out.", dict.fromkeys(extra))


def _explain(problem: BoundcalcError, arguments: Sequence[str] | None) -> None:
    from .complaint import complaint
    _tell(complaint(problem, sys.argv[1:] if arguments is None else arguments))


def _complain(problem: str, remedy: str) -> None:
    from .complaint import sentences
    _tell("\n".join(sentences(problem, remedy)))


def _tell(message: str) -> None:
    print(in_letters_of(_encoding(sys.stderr), message), file=sys.stderr)
