"""The options that several commands share, and those that a construction declares."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import click

from ..declarations.registry import check, is_network, known
from ..errors import InvalidInput, echo, nearest
from ..export import FORMATS, Wishes
from ..formulas.parameter import Kind
from ..numbers.exact import rational
from .command import Command
from .output import file_option

Decorated = Callable[..., Any]
PATIENCE = 1.5      # seconds before a bar is shown
BAR = 40            # characters
TIMEOUT = "60"      # seconds of CPU time of a verification
LONGEST = 10 ** 7
FULL = "boundcalc.full"     # that all there is was asked for
ABOUT = "boundcalc.about"   # where a command keeps which construction it is about

OTHER_NAMES = {"eps": ("--epsilon",)}

_EVERYWHERE = [
    click.option("--sequence", metavar="L", help="apply the construction to every one of L data tokens"),
    click.option("--codes", metavar="NAME", help="position codes of a sequence: onehot (default) or circle"),
    click.option("--relative", is_flag=True, help="eps is relative: |network - target| <= eps*|target|"),
    click.option("--minimize", metavar="RESOURCE",
                 help="choose integers for least layers, heads, tokens, parameters or beta  [default: balanced]"),
]
_CHOICES = [
    click.option("--route", metavar="NAME", help="how the network is built"),
    click.option("--gate", metavar="NAME",
                 help="what computes a ReLU: silu, anchor (one head), anchors (H heads), or ffn for a real ReLU network"),
    click.option("--temperature", metavar="NAME", help="of anchor gates: tuned (default) or hard"),
    click.option("--grid", metavar="NAME", help="of gate anchor: linspace (default), left or midpoint"),
    click.option("--sentinels", is_flag=True, help="the published many-head form, with --gate anchors --temperature hard"),
]


_OF_PARTS = [
    click.Option(["--split"], metavar="P=W,Q=W", multiple=True, help="which share of eps every part gets"),
    click.Option(["--given"], metavar="P.NAME=X", multiple=True, help="a parameter, the route or the gate of one part"),
]


_OF_NETWORKS = [
    click.Option(["--beta-per-layer"], is_flag=True, help="one β for every layer, such that their logits are alike"),
]


def parameters(function: Decorated) -> Decorated:
    return _stacked(function, [*_EVERYWHERE, *_CHOICES])


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
        click.option("--full", is_flag=True, help="text: all there is; the default fits 80 columns and 40 lines"),
        click.option("--quiet", "-q", is_flag=True, help="text: the first line only"),
    ])


def _stacked(function: Decorated, options: Sequence[Callable[[Decorated], Decorated]]) -> Decorated:
    for option in reversed(options):
        function = option(function)
    return function


class ForConstruction(Command):
    """A command about one construction: its options are those of the construction that the line names.

    `named` says which one, where that is known before the line is read.
    """

    named: str | None = None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        name = self.named or self.name_in(ctx, args)
        if name is not None and known(name):
            ctx.meta[ABOUT] = name
        if "--full" in args:
            ctx.meta[FULL] = True
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            if name is None:
                raise
            self.refuse(name)
            raise self._no_such_option(ctx, name, problem.option_name, args) from None
        except click.BadOptionUsage as problem:
            if problem.option_name != "--eps":
                raise
            raise InvalidInput("--eps needs a number.", "For example --eps 1e-3.", {"--eps": "1e-3"}) from None

    def _no_such_option(self, ctx: click.Context, name: str, option: str, args: Sequence[str]) -> InvalidInput:
        """What is wrong with an option that this construction has not, and what may have been meant."""
        offered = [o for p in self.get_params(ctx) for o in p.opts if isinstance(p, click.Option) and o.startswith("--")]
        single = next((a for a in args if not a.startswith("--") and f"-{a.partition('=')[0]}" in offered), None)
        if single is not None:          # -eps for --eps
            return InvalidInput(f"{echo(single)} has one dash, and long options have two.", f"Did you mean -{echo(single)}?",
                                {single: f"-{single}"})
        near = nearest(option, [o for o in offered if len(o) > 3 and o not in args]) if len(option) > 3 else None
        if near is not None:
            return InvalidInput(f"There is no option {echo(option)}.", f"Did you mean {near}?", {option: near})
        own = [f"--{p.name}" for p in _declared(name)]
        from ..declarations.options import needed
        from ..declarations.registry import construction
        missing = {o: x for o, x in needed(construction(name)).items() if o not in args}
        return InvalidInput(f"{echo(option)} does not apply to {echo(name)}.", f"What applies: {', '.join(own)}.",
                            {option: None, **missing})

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        static = super().get_params(ctx)
        name = ctx.meta.get(ABOUT)
        if name is None:
            return static
        place = next((k for k, p in enumerate(static) if p.name == "sequence"), 0)
        return [*static[:place], *_declared(name), *static[place:]]

    def name_in(self, ctx: click.Context, args: Sequence[str]) -> str | None:
        """The value of --target, or the first word that is neither an option nor the value of one."""
        flags = {o for p in super().get_params(ctx) if isinstance(p, click.Option) and p.is_flag for o in p.opts}
        words, found = list(args), None
        while words:
            word = words.pop(0)
            option, equals, value = word.partition("=")
            if option == "--target":
                return value if equals else (words[0] if words else None)
            if not word.startswith("-") or word == "-":
                found = found or word
            elif not equals and word not in flags and words:
                words.pop(0)
        return found

    def refuse(self, name: str) -> None:
        """What is wrong with a name that no construction has."""
        check(name)


def _declared(name: str) -> list[click.Parameter]:
    """The options of a construction, over all of its routes and gates."""
    from ..declarations.options import composed, declared
    from ..formulas.mathtext import plain
    own = [click.Option([f"--{p.name}", *OTHER_NAMES.get(p.name, ()), "range" if p.kind is Kind.INTERVAL else p.name],
                        metavar=p.kind.value, multiple=p.kind is Kind.INTERVAL, help=_help(plain(p.meaning), p.default))
           for p in declared(name)]
    return [*own, *(_OF_PARTS if composed(name) else _OF_NETWORKS if is_network(name) else [])]


def _help(meaning: str, default: str | None) -> str:
    return meaning + (f"  [default: {default}]" if default is not None else "")


def exact_parameters(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The numbers among the options as exact rationals, the names as they are; what was not given is left out."""
    from ..declarations.frame import read_ranges
    from ..declarations.options import declared
    from ..declarations.shared import DELTA, SEQUENCE
    found: dict[str, Any] = {}
    for p in declared(name):
        raw = given.get(p.name)
        if raw is None or raw == ():
            continue
        if p is DELTA:
            found[p.name] = _errors(raw)
            continue
        readers: dict[Kind, Callable[[Any], Any]] = {Kind.INTERVAL: read_ranges, Kind.LIST: p.entries, Kind.TEXT: str}
        found[p.name] = readers.get(p.kind, p.checked)(raw)
    if given.get("sequence") is not None:
        found["sequence"] = SEQUENCE.checked(given["sequence"])
    for option in ("split", "given"):
        if given.get(option):
            found[option] = _assigned(option, given[option])
    return {**found, "codes": given.get("codes"), "minimize": given.get("minimize"),
            **{flag: True for flag in ("relative", "beta_per_layer") if given.get(flag)}, **gate_choices(given)}


def _errors(raw: str) -> Any:
    """--delta as exact numbers: one, or one for each input that is named."""
    from ..declarations.frame import read_errors
    from ..declarations.shared import DELTA
    said = read_errors(raw)
    return DELTA.checked(said) if isinstance(said, str) else {name: DELTA.checked(x) for name, x in said.items()}


def _assigned(option: str, texts: Sequence[str]) -> dict[str, str]:
    """name=value, several with commas between them or the option several times."""
    found: dict[str, str] = {}
    for text in (part for whole in texts for part in whole.split(",")):
        name, equals, value = (x.strip() for x in text.partition("="))
        if not equals or not name or not value or name in found:
            raise InvalidInput(f"--{option} takes NAME=VALUE, each name once, not '{echo(text)}'.",
                               "For example --split p=1/4,q=3/4." if option == "split" else "For example --given p.m=5.")
        found[name] = value
    return found


def gate_choices(given: dict[str, Any]) -> dict[str, Any]:
    """Route, gate and how the gate is made."""
    return {name: given.get(name) for name in ("route", "gate", "temperature", "grid", "sentinels")}


def wishes(given: dict[str, Any]) -> Wishes:
    """What is to be shown; these options are taken out of the rest."""
    return Wishes(*(given.pop(name) for name in ("dimensions", "proof", "standalone", "only", "full", "quiet")))


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
