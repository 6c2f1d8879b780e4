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
@click.option("--target", metavar="NAME",
              help="what the network in FILE is to compute: a construction (default: what the file says)")
@options.parameters
@options.output
@click.option("--digits", default="50", show_default=True, help="decimal digits of observed errors")
@options.timeout_option
def command(what: str, target: str | None, form: str, path: str | None, digits: str, timeout: str | None,
            **given: Any) -> int:
    """Search the worst point of a network and certify its error over the whole domain.

    \b
    boundcalc verify mult --eps 1e-3                       our network
    boundcalc verify mult.json                             a file that says what it is (weights writes such files)
    boundcalc verify mult.json --target mult --eps 1e-3    an external network

    Exit code 0: certified; 1: a point with a larger error was found; 3: neither.
    """
    wishes = options.wishes(given)
    if wishes.only is not None or form == "bibtex":
        raise InvalidInput("One formula, or BibTeX, shows nothing of a verification.",
                           f"Use boundcalc {echo(what)} instead of boundcalc verify.")
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    exact, places, limit = options.exact_parameters(given), options.check_digits(digits), options.check_timeout(timeout)
    if target is None and "." not in what and "/" not in what:
        from ..declarations.registry import check
        check(what)
    if target is not None or what not in names():
        if wishes != Wishes():
            raise InvalidInput("Only the weights of an external network are known: there is nothing to derive.",
                               "Leave out --proof, --dimensions, --standalone and --only.")
        return _file(what, target, exact, places, form, path, limit)
    from ..results.bound import bound
    from ..results.report import report_of
    from ..verify.verification import verify
    result = bound(what, **exact)
    report = report_of(result)
    with telling(what) as tell:
        report = report.verified(verify(result, places, tell, timeout=limit))
    if form == "text" and wishes == Wishes():
        from ..export.text import verification_only
        text = verification_only(report)
    else:
        text = render(report, form, wishes)
    output.write(text, path, form)
    assert report.verification is not None
    return exit_code(report.verification)


def _file(path: str, name: str | None, exact: dict[str, Any], digits: int, form: str, goes_to: str | None,
          limit: float | None) -> int:
    """An external network: nothing is known about it but its weights, and what it says about itself."""
    from ..declarations.registry import check
    if name is not None:
        check(name)
    from ..export.given_network import FORMATS, render
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for an external network.",
                           f"Formats are {', '.join(FORMATS)}.")
    from ..networks.file import load
    from ..verify.given_network import request, request_of_file, verify_file
    network = load(path)
    wanted = request_of_file(network, exact) if name is None else request(network, name, exact)
    with telling(wanted.construction.name) as tell:
        found = verify_file(network, wanted, digits, tell, timeout=limit)
    output.write(render(network, wanted, found, form, own_words=name is None), goes_to, form)
    return exit_code(found)
