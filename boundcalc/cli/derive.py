"""boundcalc NAME …: derive the bound of a construction."""

from __future__ import annotations

from typing import Any

import click

from ..registry import information
from . import options
from .main import DONE, REFUTED, UNDECIDED


def command_for(name: str) -> click.Command:
    """The command of one construction; its help is the construction's own page."""
    info = information(name)
    paragraphs = info.text.replace("\n\n", "\n\n\b\n")      # \b: click must not fill lines again

    @click.command(name, help=f"{info.title}: {info.map}\n\n\b\n{paragraphs}", short_help=f"{info.title}, {info.map}",
                   context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 140})
    @options.parameters
    @options.output
    @click.option("--verify", is_flag=True, help="evaluate the exported network at many points and report the worst")
    @click.option("--digits", default="50", show_default=True, help="decimal digits of that evaluation")
    def command(form: str, path: str | None, proof: bool, dimensions: bool, verify: bool, digits: str, **given: Any) -> int:
        exact, places = options.exact_parameters(given), options.check_digits(digits)
        from ..bounds import bound
        from ..export import Wishes, check_format, render
        from ..report import report_of
        check_format(form)
        result = bound(name, **exact)
        report = report_of(result)
        if verify:
            from ..verify.search import observe
            report = report.observed(observe(result, places))
        options.write(render(report, form, Wishes(dimensions, proof)), path)
        if not verify:
            return DONE
        return REFUTED if report.fails else UNDECIDED

    return command
