"""boundcalc verify NAME … and boundcalc verify FILE --target NAME …: evaluate and certify the concrete network."""

from __future__ import annotations

import re
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
EXPRESSION = "boundcalc.expression" # whether its target is an expression
OPERATIONS = re.compile(r"[-+*/^()\s−·×]")


class OfNetworks(options.ForConstruction):
    """A network's file may stand in place of a name; it says what it is about, or --target does."""

    def name_in(self, ctx: click.Context, args: Sequence[str]) -> str | None:
        word = super().name_in(ctx, args)
        if word is not None and any(a.partition("=")[0] == "--target" for a in args) and _is_expression(word):
            ctx.meta[EXPRESSION] = True
            return word
        if word is None or not _looks_like_a_file(word):
            return word
        from ..networks.file import load
        from ..verify.search import LARGEST
        network = ctx.meta[NETWORK] = load(word, LARGEST)
        name = network.about.construction if network.about else None
        if name is None or not known(name):
            ctx.meta[EXPRESSION] = network.about is not None and bool(network.about.target)
        return name or word

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """A target that is an expression has the options that every target has."""
        found = super().get_params(ctx)
        if not ctx.meta.get(EXPRESSION):
            return found
        from ..verify.given_network import GIVEN
        return [*found, *options.options_of(GIVEN)]

    def refuse(self, name: str) -> None:
        if _looks_like_a_file(name):
            raise InvalidInput(f"What the network in {echo(name)} is to compute was not said.",
                               f"Add --target NAME, for example --target {names()[0]}.")
        if not _is_expression(name):
            check(name)

    def _no_such_option(self, ctx: click.Context, name: str, option: str, args: Sequence[str]) -> InvalidInput:
        if not ctx.meta.get(EXPRESSION):
            return super()._no_such_option(ctx, name, option, args)
        from ..verify.given_network import does_not_apply
        return does_not_apply(option)


@click.command("verify", cls=OfNetworks)
@click.argument("what", metavar="NAME|FILE")
@click.option("--target", metavar="NAME|EXPR", multiple=True,
              help="what the network in FILE is to compute: a construction, or an expression in its inputs for every output "
                   "(default: what the file says)")
@options.parameters
@options.output
@click.option("--digits", default="50", show_default=True, help="decimal digits of observed errors")
@options.timeout_option
def command(what: str, target: tuple[str, ...], form: str, path: str | None, digits: str, timeout: str | None,
            **given: Any) -> int:
    """Search the worst point of a network and certify its error over the whole domain.

    \b
    boundcalc verify mult --eps 1e-3          our network
    boundcalc verify mult.json                a file that says what it is
    boundcalc verify F.json --target mult --eps 1e-3    an external network
    boundcalc verify F.json --target 'x*y + x' --range -1,1 --eps 1e-3

    Exit code 0: certified; 1: a point with a larger error was found; 3: neither.
    """
    wishes = options.wishes(given)
    if wishes.only is not None or form == "bibtex":
        raise InvalidInput("--only and bibtex cannot show a verification.",
                           f"Use boundcalc {echo(what)} instead of boundcalc verify.")
    check_format(form, wishes)
    output.check_ending(path, form, FORMATS)
    places, limit = options.check_digits(digits), options.check_timeout(timeout)
    from_file = bool(target) or _looks_like_a_file(what)
    if not from_file:
        check(what)
    if from_file:
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


def _is_expression(text: str) -> bool:
    return not known(text) and not text.endswith(".py") and OPERATIONS.search(text) is not None


def _file(path: str, target: tuple[str, ...], given: dict[str, Any], digits: int, form: str, goes_to: str | None,
          limit: float | None, quiet: bool) -> int:
    """An external network: nothing is known about it but its weights, and what it says about itself."""
    from ..export.given_network import FORMATS, render
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for an external network.",
                           f"Formats are {', '.join(FORMATS)}.")
    from ..networks.file import load
    from ..verify.given_network import GIVEN, request, request_of_expressions, request_of_file, verify_file
    from ..verify.search import LARGEST
    context = click.get_current_context()
    name = target[0] if len(target) == 1 and not _is_expression(target[0]) else None
    if name is not None and not known(name):
        check(name)         # which says what may have been meant
    network: Network = context.meta.get(NETWORK) or load(path, LARGEST)
    if context.meta.get(EXPRESSION):
        exact = options.exact_values(GIVEN, given)
    else:
        about = name or context.meta.get(options.ABOUT)
        exact = options.exact_parameters(about, given) if about else {}
    wanted = request(network, name, exact) if name is not None else \
        request_of_expressions(network, target, exact) if target else request_of_file(network, exact)
    with telling(wanted.name) as tell:
        found = verify_file(network, wanted, digits, tell, timeout=limit)
    output.write(render(network, wanted, found, form, quiet), goes_to, form)
    return exit_code(found)
