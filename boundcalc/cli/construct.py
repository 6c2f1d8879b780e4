"""boundcalc NAME …: derive the bound of a construction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from ..declarations.registry import information, is_network
from ..errors import InvalidInput
from ..export import FORMATS, check_format, render
from ..numbers.exact import rational
from . import options, output
from .main import DONE
from .verifying import exit_code, telling


def of_networks(name: str) -> Callable[[Any], Any]:
    """The options that only networks from files have."""
    if not is_network(name):
        return lambda function: function
    target = click.option("--target", metavar="EXPR", help="what the ReLU network approximates, in its inputs")
    accuracy = click.option("--accuracy", metavar="NUMBER", help="how well it does  [default: certified, for one or two "
                            "inputs]")
    return lambda function: target(accuracy(function))


def command_for(name: str) -> click.Command:
    """The command of one construction; its help is the construction's own page."""
    info = information(name)
    paragraphs = info.text.replace("\n\n", "\n\n\b\n")      # \b: click must not fill lines again

    class Named(options.ForConstruction):
        named = name

        def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            if options.FULL in ctx.meta:
                super().format_help(ctx, formatter)
            else:
                from .target_help import page
                formatter.write(page(info))

    @click.command(info.name, cls=Named, help=f"{info.title}: {info.map}\n\n\b\n{paragraphs}",
                   short_help=f"{info.title}, {info.map}",
                   context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 140})
    @options.parameters
    @options.output
    @of_networks(name)
    @click.option("--verify", is_flag=True, help="search the worst point of the exported network and certify its error")
    @click.option("--digits", metavar="INTEGER", help="decimal digits of that evaluation  [default: 50]")
    @options.timeout_option
    def command(form: str, path: str | None, verify: bool, digits: str | None, timeout: str | None, **given: Any) -> int:
        for option, value in (("--digits", digits), ("--timeout", timeout)):
            if value is not None and not verify:
                raise InvalidInput(f"{option} applies to --verify only.", "Add --verify, or leave it out.", {option: None})
        target, own = given.pop("target", None), given.pop("accuracy", None)
        if own is not None:
            if target is None:
                raise InvalidInput("--accuracy is that of the ReLU network against a target.", "Add --target EXPR.")
            own = rational(own, "--accuracy")
        wishes = options.wishes(given)
        if verify and (wishes.only is not None or form == "bibtex"):
            raise InvalidInput("--only and bibtex cannot show a verification.", "Leave out --verify.",
                               {"--verify": None})
        check_format(form, wishes)
        output.check_ending(path, form, FORMATS)
        exact, places = options.exact_parameters(name, given), options.check_digits(digits or "50")
        limit = options.check_timeout(timeout)
        from ..results.bound import bound
        from ..results.report import report_of
        result = bound(name, **exact)
        report = report_of(result)
        if target is not None:
            from ..verify.against import against
            with telling(info.name) as tell:
                report = replace(report, against=against(result, target, own, tell, limit))
        if verify:
            from ..verify.verification import verify as verified
            with telling(info.name) as tell:
                report = report.verified(verified(result, places, tell, timeout=limit))
        output.write(render(report, form, wishes), path, form)
        return DONE if report.verification is None else exit_code(report.verification)

    return command
