"""boundcalc check: verdicts on claims from files, one line, standard input, or the bundled papers."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from ..errors import InvalidInput, echo
from ..export.findings import FORMATS, check_format, render
from ..writing import write_file
from . import options, output
from .command import Command
from .main import DEFECT, DONE, REFUTED, UNDECIDED

if TYPE_CHECKING:
    from ..claims.model import Claim, Finding


@click.command("check", cls=Command)
@click.argument("claims", nargs=-1, metavar="[FILE | CLAIM | -]...")
@click.option("--claim", "text", metavar="TEXT", help="one claim, such as 'max[route=tree, gate=silu].heads <= n - 1'")
@click.option("--for", "domain", metavar="TEXT", help="where that claim is to hold, such as 'n >= 2, 0 < eps <= 1/2'")
@click.option(
    "--papers", is_flag=True, help="the claims of the literature that come with boundcalc; a name after it picks one paper"
)
@click.option(
    "--use", "uses", multiple=True, metavar="FILE",
    help="a construction of your own, known to claims by the file's name; the file is executed; may be given several times",
)
@click.option(
    "--use-network", "network", metavar="FILE",
    help="a ReLU network, known to claims as network: network[gate=silu].heads; it is read and never executed",
)
@click.option("--range", "ranges", multiple=True, metavar="A,B", help="with --use-network: where its inputs lie")
@click.option("--id", "wanted", metavar="ID", help="one claim of the files")
@click.option(
    "--format",
    "-f",
    "form",
    default="text",
    show_default=True,
    metavar="NAME",
    help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; the last three make a referee's report",
)
@click.option("--standalone", is_flag=True, help="with -f latex: a whole document that compiles")
@click.option("--full", is_flag=True, help="with text: every claim in full")
@output.file_option()
@click.option(
    "--proof-object", "proof", type=click.Path(dir_okay=False), help="write the proof object of one claim; see recheck"
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="CPU time of the search for a claim"
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="decide so many claims at a time")
def command(
    claims: tuple[str, ...],
    text: str | None,
    domain: str | None,
    papers: bool,
    uses: tuple[str, ...],
    network: str | None,
    ranges: tuple[str, ...],
    wanted: str | None,
    form: str,
    standalone: bool,
    full: bool,
    path: str | None,
    proof: str | None,
    timeout: float | None,
    jobs: int,
) -> int:
    """Decide claims: proved, refuted, conditional, vacuous, supported or undecided.

    \b
    boundcalc check 'softmax.lipschitz(inf, inf) <= 1' --for 'beta > 0, n >= 2'
    boundcalc check claims.toml review.md -f json
    boundcalc check --papers
    boundcalc check 'mine[gate=silu].heads <= 1' --use mine.py
    boundcalc check 'network[gate=silu].heads <= 128' --use-network relu.npz --range -1,1
    boundcalc check claims.toml --id lipschitz --proof-object lipschitz.json

    Exit code 0 if every claim is proved (or is what it was expected to be), 1 if one is refuted, 3 if one is neither, 2 if
    something cannot be read, 4 after a defect in boundcalc.
    """
    check_format(form, standalone)
    output.check_ending(path, form, FORMATS)
    if ranges and network is None:
        raise InvalidInput("--range belongs to --use-network.", "Restrict other claims with --for.")
    taken = Uses(uses, network, ranges)
    use_all(taken)
    listed = _listed(claims, text, domain, papers, wanted)
    if proof is not None and len(listed) != 1:
        raise InvalidInput("--proof-object belongs to one claim.", "Pick it with --id.")
    from ..claims.check import read_all

    read_all(listed)  # all that cannot be read is reported before anything is decided
    findings = _decide(listed, timeout, jobs, taken)
    if proof is not None:
        if findings[0].proof is None:
            raise InvalidInput(f"There is no proof object: the claim is {findings[0].verdict}.", "Leave --proof-object out.")
        write_file(proof, [json.dumps(findings[0].proof, indent=1, ensure_ascii=False) + "\n"])
    output.write(render(findings, form, standalone, full), path, form)
    return exit_code(findings)


class Uses(NamedTuple):
    """What claims may speak of besides what is there already."""

    paths: tuple[str, ...]
    network: str | None
    ranges: tuple[str, ...]


def use_all(taken: Uses) -> None:
    """Also run at the start of every process that decides claims."""
    if taken.paths:
        from ..declarations.registry import use

        for path in taken.paths:
            use(path)
    if taken.network is not None:
        from ..declarations.frame import read_ranges
        from ..declarations.registry import use_network

        use_network(taken.network, read_ranges(taken.ranges))


def exit_code(findings: list[Finding]) -> int:
    """A claim that is what it was expected to be counts as done."""
    if any(str(part).startswith("defect") for f in findings for part in f.reason):
        return DEFECT
    if any(f.claim.expect and f.claim.expect != f.verdict for f in findings):
        return REFUTED
    verdicts = {f.verdict for f in findings if not f.claim.expect}
    return REFUTED if "refuted" in verdicts else DONE if verdicts <= {"proved"} else UNDECIDED


def _listed(claims: tuple[str, ...], text: str | None, domain: str | None, papers: bool, wanted: str | None) -> list[Claim]:
    from ..claims.load import is_claim_file, load_files, load_papers, one_line

    if text is not None and (claims or papers):
        raise InvalidInput("Give files or a claim, or --claim, or --papers.", "One of them; see boundcalc check --help.")
    if papers:
        found = load_papers(claims[0] if claims else "")
    elif text is not None:
        found = [one_line(text, domain or "")]
    elif not claims:
        raise InvalidInput("Give files, a claim, or --papers.", "See boundcalc check --help.")
    elif all(map(is_claim_file, claims)):
        found = load_files(claims)
    elif len(claims) == 1:
        found = [one_line(sys.stdin.read() if claims[0] == "-" else claims[0], domain or "")]
    else:
        raise InvalidInput("Give files, or one claim.", "Several claims stand in a file.")
    if domain is not None and (papers or (claims and all(map(is_claim_file, claims)))):
        raise InvalidInput("--for belongs to one claim.", 'In files, a claim has a line for = "…".')
    if wanted is not None:
        found = [c for c in found if c.id == wanted]
        if not found:
            raise InvalidInput(f"There is no claim with the id '{echo(wanted)}'.", "Leave --id out to see all of them.")
    return found


def _decide(listed: list[Claim], timeout: float | None, jobs: int, uses: Uses) -> list[Finding]:
    from ..claims.check import safely

    with options.progress("checking") as progress:
        if jobs > 1 and len(listed) > 1:
            from concurrent.futures import ProcessPoolExecutor

            with ProcessPoolExecutor(min(jobs, len(listed)), initializer=use_all, initargs=(uses,)) as pool:
                found = []
                for k, f in enumerate(pool.map(safely, listed, [timeout] * len(listed))):
                    progress(k, len(listed))
                    found.append(f)
                return found
        found = []
        for k, claim in enumerate(listed):
            progress(k, len(listed))
            found.append(safely(claim, timeout))
        return found
