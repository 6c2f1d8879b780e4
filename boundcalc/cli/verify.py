"""boundcalc verify NAME … and boundcalc verify FILE --target NAME …: evaluate and certify the concrete network."""

from __future__ import annotations

from typing import Any

import click

from ..declarations.registry import names
from ..errors import InvalidInput, echo
from ..export import FORMATS, Wishes, check_format, render
from . import options, output
from .command import Command
from .verifying import exit_code, telling


@click.command("verify", cls=Command)
@click.argument("what", metavar="NAME|FILE")
@click.option("--target", metavar="NAME", help="what the network in FILE is to compute: the name of a construction")
@options.parameters
@options.output
@click.option("--digits", default="50", show_default=True, help="decimal digits of observed errors")
def command(what: str, target: str | None, form: str, path: str | None, digits: str, **given: Any) -> int:
    """Search the worst point of a network and certify its error over the whole domain.

    \b
    boundcalc verify mult --eps 1e-3                       our network
    boundcalc verify mult.json --target mult --eps 1e-3    somebody's exported network

    Exit code 0: certified; 1: a point with a larger error was found; 3: neither.
    """
    wishes = options.wishes(given)
    if wishes.only is not None or form == "bibtex":
        raise InvalidInput("One formula, or BibTeX, shows nothing of a verification.",
                           f"Use boundcalc {echo(what)} instead of boundcalc verify.")
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    exact, places = options.exact_parameters(given), options.check_digits(digits)
    if target is not None:
        if wishes != Wishes():
            raise InvalidInput("Of somebody's network only the weights are known: there is nothing to derive.",
                               "Leave out --proof, --dimensions, --standalone and --only.")
        return _file(what, target, exact, places, form, path)
    if what not in names():
        if "." in what or "/" in what:
            raise InvalidInput(f"What the network in {echo(what)} is to compute was not said.",
                               "Add --target NAME, for example --target mult.")
        from ..declarations.registry import check
        check(what)
    from ..results.bound import bound
    from ..results.report import report_of
    from ..verify.verification import verify
    result = bound(what, **exact)
    report = report_of(result)
    with telling(what) as tell:
        report = report.verified(verify(result, places, tell))
    if form == "text" and wishes == Wishes():
        from ..export.text import verification_only
        text = verification_only(report)
    else:
        text = render(report, form, wishes)
    output.write(text, path, form)
    assert report.verification is not None
    return exit_code(report.verification)


def _file(path: str, name: str, exact: dict[str, Any], digits: int, form: str, goes_to: str | None) -> int:
    """Somebody's network: nothing is known about it but its weights."""
    from ..declarations.registry import check
    check(name)
    from ..export.given_network import FORMATS, render
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for somebody's network.",
                           f"Formats are {', '.join(FORMATS)}.")
    from ..networks.file import load
    from ..verify.given_network import request, verify_file
    network = load(path)
    wanted = request(network, name, exact)
    with telling(name) as tell:
        found = verify_file(network, wanted, digits, tell)
    output.write(render(network, wanted, found, form), goes_to, form)
    return exit_code(found)
