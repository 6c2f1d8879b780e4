"""boundcalc verify NAME … and boundcalc verify FILE --target NAME …: evaluate and certify the concrete network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..declarations.registry import check, known, names
from ..errors import InvalidInput, echo
from ..export import FORMATS, Wishes, check_format, render
from . import options, output
from .verifying import exit_code, telling

if TYPE_CHECKING:
    from ..networks.network import Network

NETWORK = "boundcalc.network"       # where the network of a file is kept once it was read


class OfNetworks(options.ForConstruction):
    """A network's file may stand in place of a name; it says what it is about, or --target does."""

    def name_in(self, ctx: click.Context, args: Sequence[str]) -> str | None:
        word = super().name_in(ctx, args)
        if word is None or not _looks_like_a_file(word):
            return word
        from ..networks.file import load
        from ..verify.search import LARGEST
        network = ctx.meta[NETWORK] = load(word, LARGEST)
        return (network.about.construction if network.about else None) or word

    def refuse(self, name: str) -> None:
        if _looks_like_a_file(name):
            raise InvalidInput(f"What the network in {echo(name)} is to compute was not said.",
                               f"Add --target NAME, for example --target {names()[0]}.")
        check(name)


@click.command("verify", cls=OfNetworks)
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
    boundcalc verify mult --eps 1e-3          our network
    boundcalc verify mult.json                a file that says what it is
    boundcalc verify F.json --target mult --eps 1e-3    an external network

    Exit code 0: certified; 1: a point with a larger error was found; 3: neither.
    """
    wishes = options.wishes(given)
    if wishes.only is not None or form == "bibtex":
        raise InvalidInput("--only and bibtex cannot show a verification.",
                           f"Use boundcalc {echo(what)} instead of boundcalc verify.")
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    places, limit = options.check_digits(digits), options.check_timeout(timeout)
    if target is not None or not _looks_like_a_file(what):
        check(target or what)
    if target is not None or _looks_like_a_file(what):
        if replace(wishes, full=False, quiet=False) != Wishes():
            raise InvalidInput("Only the weights of an external network are known: there is nothing to derive.",
                               "Leave out --proof, --dimensions, --standalone and --only.")
        return _file(what, target, given, places, form, path, limit, wishes.quiet)
    exact = options.exact_parameters(what, given)
    from ..results.bound import bound
    from ..results.report import report_of
    from ..verify.verification import verify
    result = bound(what, **exact)
    report = report_of(result)
    with telling(what) as tell:
        report = report.verified(verify(result, places, tell, timeout=limit))
    if form == "text" and not (wishes.proof or wishes.dimensions):
        if wishes.full:
            from ..export.text import verification_only
            text = verification_only(report)
        else:
            from ..export.screen import of_verification
            text = of_verification(report, wishes)
    else:
        text = render(report, form, wishes)
    output.write(text, path, form)
    assert report.verification is not None
    return exit_code(report.verification)


def _looks_like_a_file(what: str) -> bool:
    return not known(what) and ("." in what or "/" in what)


def _file(path: str, name: str | None, given: dict[str, Any], digits: int, form: str, goes_to: str | None,
          limit: float | None, quiet: bool) -> int:
    """An external network: nothing is known about it but its weights, and what it says about itself."""
    from ..export.given_network import FORMATS, render
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for an external network.",
                           f"Formats are {', '.join(FORMATS)}.")
    from ..networks.file import load
    from ..verify.given_network import request, request_of_file, verify_file
    from ..verify.search import LARGEST
    context = click.get_current_context()
    network: Network = context.meta.get(NETWORK) or load(path, LARGEST)
    about = name or context.meta.get(options.ABOUT)
    exact = options.exact_parameters(about, given) if about else {}
    wanted = request_of_file(network, exact) if name is None else request(network, name, exact)
    with telling(wanted.construction.name) as tell:
        found = verify_file(network, wanted, digits, tell, timeout=limit)
    output.write(render(network, wanted, found, form, own_words=name is None, quiet=quiet), goes_to, form)
    return exit_code(found)
